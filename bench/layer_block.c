/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layer_block.h"

enum { PAGE = 4096 };

static void *allocate(size_t nbytes) { return aligned_alloc(PAGE, (nbytes + PAGE) / PAGE * PAGE); }

/* n values of N(0, sigma^2). NULL: no memory. */
static void *draw(size_t n, gelu_dtype dtype, double sigma) {
    bench_input input = {.kind = BENCH_NORMAL, .b = sigma};
    void *p = allocate(n * gelu_dtype_nbytes(dtype));
    if (p && bench_input_fill(&input, dtype, n, p) == GELU_OK) return p;
    free(p);
    return NULL;
}

/* Zeros: pages that nobody has written to are all the same one. */
static void *blank(size_t n, gelu_dtype dtype) {
    void *p = allocate(n * gelu_dtype_nbytes(dtype));
    if (p) memset(p, 0, n * gelu_dtype_nbytes(dtype));
    return p;
}

/* Weights are as small as trained ones are, so that results are where an activation does something. */
static bool draw_matrix(layer_arena *arena, size_t in, size_t out) {
    const bench_layer_group *group = arena->group;
    gelu_dtype dtype = group->arithmetic->weights;
    size_t i = arena->n_matrices++;
    double sigma = 1 / sqrt((double)in);
    gelu_weights *w = &arena->weights[i];
    *w = (gelu_weights){.dtype = dtype, .layout = group->shape->layout};
    w->weight = draw(in * out, dtype, sigma);
    w->bias = draw(out, dtype, sigma);
    if (group->backward) {
        arena->grads[i] = blank(in * out, GELU_F32);
        arena->grads[BENCH_MAX_MATRICES + i] = blank(out, GELU_F32);
        if (!arena->grads[i] || !arena->grads[BENCH_MAX_MATRICES + i]) return false;
    }
    return w->weight && w->bias;
}

gelu_status layer_arena_init(const bench_layer_group *group, layer_arena *out) {
    const bench_shape *shape = group->shape;
    layer_arena arena = {.group = group, .in = shape->d_model, .out = shape->d_model};
    if (group->layer == BENCH_UP) arena.out = shape->d_ff;
    if (group->layer == BENCH_DOWN) arena.in = shape->d_ff;
    gelu_dtype values = group->arithmetic->values;
    bool fine = draw_matrix(&arena, arena.in, group->layer == BENCH_FFN ? shape->d_ff : arena.out);
    if (fine && group->layer == BENCH_FFN) fine = draw_matrix(&arena, shape->d_ff, arena.out);
    if (fine && group->layer == BENCH_FFN && shape->gated) fine = draw_matrix(&arena, arena.in, shape->d_ff);
    arena.x = draw(group->rows * arena.in, values, 1);
    if (group->backward) {
        arena.dy = draw(group->rows * arena.out, values, 1);
        arena.dx = blank(group->rows * arena.in, values);
        fine = fine && arena.dy && arena.dx;
    } else {
        arena.y = blank(group->rows * arena.out, values);
        fine = fine && arena.y;
    }
    if (fine && arena.x) {
        *out = arena;
        return GELU_OK;
    }
    layer_arena_free(&arena);
    return GELU_ERR_MEMORY;
}

void layer_arena_free_weights(layer_arena *arena) {
    for (size_t i = 0; i < arena->n_matrices; i++) {
        free((void *)arena->weights[i].weight);
        free((void *)arena->weights[i].bias);
    }
    arena->n_matrices = 0;
}

void layer_arena_free(layer_arena *arena) {
    layer_arena_free_weights(arena);
    for (size_t i = 0; i < 2 * BENCH_MAX_MATRICES; i++) free(arena->grads[i]);
    free(arena->x);
    free(arena->dy);
    free(arena->y);
    free(arena->dx);
}

static gelu_status create(const layer_arena *arena, gelu_act act, bool fast, layer_block *block, size_t nbytes[2]) {
    const bench_layer_group *group = arena->group;
    const bench_shape *shape = group->shape;
    gelu_status status;
    if (group->layer != BENCH_FFN) {
        block->epilogue.act = act;
        block->epilogue.fast = fast;
        status =
            gelu_linear_create(arena->in, arena->out, &arena->weights[0], group->arithmetic->compute, &block->linear);
        if (status != GELU_OK) return status;
        return gelu_linear_workspace(block->linear, group->rows, &nbytes[0], &nbytes[1]);
    }
    gelu_ffn_desc desc = {.d_model = shape->d_model,
                          .d_ff = shape->d_ff,
                          .act = act,
                          .fast = fast,
                          .gated = shape->gated,
                          .fc1 = arena->weights[0],
                          .fc2 = arena->weights[1],
                          .up = arena->weights[2],
                          .compute = group->arithmetic->compute};
    status = gelu_ffn_create(&desc, &block->ffn);
    return status != GELU_OK ? status : gelu_ffn_workspace(block->ffn, group->rows, &nbytes[0], &nbytes[1]);
}

gelu_status layer_block_create(const layer_arena *arena, gelu_act act, bool fast, layer_block *out) {
    layer_block block = {0};
    size_t nbytes[2] = {0};
    gelu_status status = create(arena, act, fast, &block, nbytes);
    if (status == GELU_OK) {
        block.workspace = allocate(nbytes[arena->group->backward]);
        if (!block.workspace) status = GELU_ERR_MEMORY;
    }
    if (status == GELU_OK)
        *out = block;
    else
        layer_block_free(&block);
    return status;
}

gelu_status layer_block_run(const layer_block *block, const layer_arena *arena) {
    const bench_layer_group *group = arena->group;
    gelu_dtype type = group->arithmetic->values;
    size_t rows = group->rows, in = arena->in, out = arena->out;
    void *const *dw = arena->grads, *const *db = dw + BENCH_MAX_MATRICES;
    if (block->linear && !group->backward)
        return gelu_linear_forward(block->linear, rows, type, arena->x, in, &block->epilogue, type, arena->y, out,
                                   block->workspace);
    if (block->linear)
        return gelu_linear_backward(block->linear, GELU_GRAD_SET, rows, type, arena->x, in, type, arena->dy, out,
                                    arena->dx, in, dw[0], db[0], block->workspace);
    if (!group->backward)
        return gelu_ffn_forward(block->ffn, rows, type, arena->x, in, NULL, type, arena->y, out, block->workspace);
    gelu_ffn_grads grads = {arena->dx, in, dw[0], db[0], dw[2], db[2], dw[1], db[1]};
    return gelu_ffn_backward(block->ffn, GELU_GRAD_SET, rows, type, arena->x, in, type, arena->dy, out, NULL, &grads,
                             block->workspace);
}

void layer_block_free(layer_block *block) {
    gelu_linear_free(block->linear);
    gelu_ffn_free(block->ffn);
    free(block->workspace);
}
