/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <string.h>

#include "model.h"

static bool is_family(const char *name, char *list, size_t room) {
    const char *known;
    size_t used = 0;
    for (size_t i = 0; (known = gelu_model_known_family(i)); i++) {
        if (!strcmp(known, name)) return true;
        if (used < room) used += (size_t)snprintf(list + used, room - used, "%s%s", i ? ", " : "", known);
    }
    return false;
}

int cli_model_option(int option, const char *value, cli_model_options *out) {
    char list[512];
    switch (option) {
    case 'F':
        if (!is_family(value, list, sizeof list)) return cli_usage("unknown family '%s'; known: %s", value, list);
        out->family = value;
        return CLI_OK;
    case 'A':
        out->has_act = true;
        if (gelu_act_from_name(value, &out->act) == GELU_OK) return CLI_OK;
        return cli_usage("unknown activation '%s'; known: %s", value, cli_known_activations());
    default:
        out->has_order = true;
        out->order = strcmp(value, "second") ? GELU_GATE_FIRST : GELU_VALUE_FIRST;
        if (!strcmp(value, "first") || !strcmp(value, "second")) return CLI_OK;
        return cli_usage("--gate: '%s' is neither first nor second", value);
    }
}

int cli_model_open(const char *path, const cli_model_options *options, gelu_model **out) {
    gelu_error err;
    const gelu_model_options said = {options->family, options->has_act ? &options->act : NULL,
                                     options->has_order ? &options->order : NULL};
    if (gelu_model_open(path, &said, out, &err) == GELU_OK) return CLI_OK;
    return cli_fail("%s", err.message);
}

const char *cli_block_formula(gelu_block_form form) {
    static const char *const formulas[] = {
        [GELU_BLOCK_PRE] = "y = x + f(norm(x))",
        [GELU_BLOCK_POST] = "y = norm(x + f(x))",
        [GELU_BLOCK_SANDWICH] = "y = x + norm2(f(norm(x)))",
        [GELU_BLOCK_RES_POST] = "y = x + norm(f(x))",
        [GELU_BLOCK_PARALLEL] = "y = x + attn + f(norm(x))",
        [GELU_BLOCK_SCALED] = "y = alpha n + f(n), n = norm(x)",
        [GELU_BLOCK_MODULATED] = "y = x + gate f((1 + scale) norm(x) + shift)",
        [GELU_BLOCK_FUSED] = "y = x + gate (A attn + f((1 + scale) norm(x) + shift))",
    };
    return formulas[form];
}
