/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#ifndef GELU_BENCH_LAYER_BLOCK_H
#define GELU_BENCH_LAYER_BLOCK_H

#include "layer.h"

enum { BENCH_MAX_MATRICES = 3 }; /* of weights in a block */

/* What all layers of a group share. */
typedef struct {
    const bench_layer_group *group;
    size_t in, out; /* of the whole layer */
    void *x, *dy, *y, *dx;
    size_t n_matrices;
    gelu_weights weights[BENCH_MAX_MATRICES]; /* fc1 or gate, fc2, up */
    void *grads[2 * BENCH_MAX_MATRICES];      /* of weights, then of biases */
} layer_arena;

/* GELU_ERR_MEMORY. */
gelu_status layer_arena_init(const bench_layer_group *group, layer_arena *out);
/* The weights are in the layers by then. */
void layer_arena_free_weights(layer_arena *arena);
void layer_arena_free(layer_arena *arena);

typedef struct {
    gelu_linear *linear; /* or */
    gelu_ffn *ffn;
    gelu_epilogue epilogue;
    void *workspace;
} layer_block;

/* For the instruction set in use. The library's errors. */
gelu_status layer_block_create(const layer_arena *arena, gelu_act act, bool fast, layer_block *out);
gelu_status layer_block_run(const layer_block *block, const layer_arena *arena);
void layer_block_free(layer_block *block);

#endif
