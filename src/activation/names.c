/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The names of activations, as people write them in code and in config files. */
#include <string.h>
#include "base/compiler.h"
#include "gelu.h"

struct spelling {
    const char *name;
    gelu_act act;
};

static const struct spelling spellings[] = {
    /* Ours, in the order of gelu_act. "tanh" and "none" are also PyTorch's F.gelu(approximate=...). */
    {"identity", GELU_IDENTITY},
    {"relu", GELU_RELU},
    {"erf", GELU_ERF},
    {"tanh", GELU_TANH},
    {"quick", GELU_QUICK},
    {"silu", GELU_SILU},
    {"elu", GELU_ELU},
    {"gelu_erf", GELU_ERF},
    {"gelu_tanh", GELU_TANH},
    {"gelu_quick", GELU_QUICK},
    {"none", GELU_ERF},
    /* PyTorch modules */
    {"Identity", GELU_IDENTITY},
    {"ReLU", GELU_RELU},
    {"GELU", GELU_ERF},
    {"SiLU", GELU_SILU},
    {"ELU", GELU_ELU},
    /* HF transformers: hidden_act */
    {"gelu", GELU_ERF},
    {"gelu_python", GELU_ERF},
    {"gelu_new", GELU_TANH},
    {"gelu_fast", GELU_TANH},
    {"gelu_accurate", GELU_TANH},
    {"gelu_pytorch_tanh", GELU_TANH},
    {"gelu_python_tanh", GELU_TANH},
    {"quick_gelu", GELU_QUICK},
    {"swish", GELU_SILU},
    {"linear", GELU_IDENTITY},
    /* diffusers: activation_fn. geglu-approximate is not gated, whatever its name says. */
    {"gelu-approximate", GELU_TANH},
    {"geglu-approximate", GELU_QUICK},
    /* open_clip and CLIP */
    {"QuickGELU", GELU_QUICK},
};
enum { SPELLINGS = sizeof spellings / sizeof *spellings };

static const struct spelling gated[] = {
    {"geglu", GELU_ERF},       {"gated-gelu", GELU_TANH}, /* T5 1.1: feed_forward_proj, which means gelu_new */
    {"gated-silu", GELU_SILU}, {"swiglu", GELU_SILU},     {"reglu", GELU_RELU},
};

static gelu_status find(const struct spelling *table, size_t count, const char *name, gelu_act *out) {
    if (!out) return GELU_ERR_ARGUMENT;
    for (size_t i = 0; name && i < count; i++)
        if (strcmp(table[i].name, name) == 0) {
            *out = table[i].act;
            return GELU_OK;
        }
    return GELU_ERR_NAME;
}

const char *gelu_act_name(gelu_act act) { return act >= GELU_IDENTITY && act <= GELU_ELU ? spellings[act].name : "?"; }

gelu_status gelu_act_from_name(const char *name, gelu_act *out) { return find(spellings, SPELLINGS, name, out); }

gelu_status gelu_glu_from_name(const char *name, gelu_act *out) {
    return find(gated, sizeof gated / sizeof *gated, name, out);
}

const char *gelu_act_spelling(size_t i) { return i < SPELLINGS ? spellings[i].name : NULL; }
