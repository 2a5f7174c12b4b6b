/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdlib.h>
#include <string.h>

#include "layer.h"

static const bench_shape shapes[] = {
    {"minilm", 384, 1536, false, GELU_OUT_IN, GELU_ERF},     {"bert-base", 768, 3072, false, GELU_OUT_IN, GELU_ERF},
    {"gpt-2", 768, 3072, false, GELU_IN_OUT, GELU_TANH},     {"bert-large", 1024, 4096, false, GELU_OUT_IN, GELU_ERF},
    {"llama-7b", 4096, 11008, true, GELU_OUT_IN, GELU_SILU},
};

const bench_shape *bench_shape_at(size_t i) { return i < sizeof shapes / sizeof shapes[0] ? &shapes[i] : NULL; }

static const bench_arithmetic arithmetics[] = {
    {"f32", GELU_F32, GELU_F32, GELU_COMPUTE_F32},
    {"bf16-weights", GELU_BF16, GELU_F32, GELU_COMPUTE_F32},
    {"bf16", GELU_BF16, GELU_BF16, GELU_COMPUTE_BF16},
};

const bench_arithmetic *bench_arithmetic_at(size_t i) {
    return i < sizeof arithmetics / sizeof arithmetics[0] ? &arithmetics[i] : NULL;
}

enum { MAX_WIDTH = 1 << 20 };

/* A width at the front of text; *rest is what follows it. 0 when there is none. */
static size_t parse_width(const char *text, const char **rest) {
    size_t width = 0;
    for (; *text >= '0' && *text <= '9' && width <= MAX_WIDTH; text++) width = 10 * width + (size_t)(*text - '0');
    *rest = text;
    return width <= MAX_WIDTH ? width : 0;
}

bool bench_shape_from_name(const char *text, bench_shape *out) {
    static const char gated[] = "gated:";
    bench_shape shape = {.layout = GELU_OUT_IN, .act = GELU_ERF};
    for (size_t i = 0; bench_shape_at(i); i++)
        if (!strcmp(text, shapes[i].name)) {
            *out = shapes[i];
            return true;
        }
    if (strlen(text) >= sizeof shape.name) return false;
    strcpy(shape.name, text);
    if (!strncmp(text, gated, strlen(gated))) {
        shape.gated = true;
        shape.act = GELU_SILU;
        text += strlen(gated);
    }
    shape.d_model = parse_width(text, &text);
    if (*text != 'x') return false;
    shape.d_ff = parse_width(text + 1, &text);
    if (!shape.d_model || !shape.d_ff || *text) return false;
    *out = shape;
    return true;
}
