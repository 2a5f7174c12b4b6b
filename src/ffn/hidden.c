/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What forward and backward share: the workspace, and the way from x to what fc2 takes. */
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/parallel.h"
#include "ffn/ffn.h"

/* Gradients need a multiple of the product's block of 256, so that cutting a sum over rows does not change its blocks. */
enum { FORWARD_ROWS = 256, BACKWARD_ROWS = 2 * PRODUCT_BLOCK };

size_t gelu_ffn_rows(size_t rows, enum ffn_direction direction) {
    return linear_min(rows, direction == FFN_FORWARD ? FORWARD_ROWS : BACKWARD_ROWS);
}

/* The largest workspace of any product. up has a layout of its own. */
static bool product_nbytes(const gelu_ffn *ffn, size_t rows, enum ffn_direction direction, size_t threads,
                           size_t *nbytes) {
    const gelu_linear *layers[] = {ffn->fc1, ffn->fc2, ffn->up};
    *nbytes = 0;
    for (int i = 0; i < 3; i++) {
        size_t forward = 0, backward = 0;
        if (!layers[i]) continue;
        if (!gelu_linear_forward_nbytes(layers[i], rows, threads, &forward)) return false;
        if (direction == FFN_BACKWARD && !gelu_linear_backward_nbytes(layers[i], rows, threads, &backward))
            return false;
        if (forward > *nbytes) *nbytes = forward;
        if (backward > *nbytes) *nbytes = backward;
    }
    return true;
}

bool gelu_ffn_layout(const gelu_ffn *ffn, size_t rows, enum ffn_direction direction, size_t threads, void *base,
                     struct ffn_buffers *out, size_t *nbytes) {
    bool backward = direction == FFN_BACKWARD, gated = ffn->gated, narrow = ffn->hidden != ffn->real;
    struct {
        void **buffer;
        size_t cols;
        bool wanted;
    } parts[] = {
        {&out->h, ffn->d_ff, backward || gated}, /* forward, gated: up becomes h where it lies */
        {&out->hidden, ffn->d_ff, narrow},       /* of real's size, though a half would do */
        {&out->a, ffn->d_ff, backward || (!gated && !narrow)},
        {&out->gate, ffn->d_ff, backward && gated},
        {&out->up, ffn->d_ff, backward && gated},
        {&out->dfc1, ffn->d_ff, backward},
        {&out->dup, ffn->d_ff, backward && gated},
        {&out->dx, ffn->d_model, backward && gated},
    };
    size_t product;
    if (!product_nbytes(ffn, rows, direction, threads, &product)) return false;
    out->product = (struct product_space){base, threads};
    *nbytes = product;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t part_nbytes;
        *parts[i].buffer = parts[i].wanted ? linear_at(base, ffn->real, *nbytes / gelu_dtype_nbytes(ffn->real)) : NULL;
        if (parts[i].wanted && (!size_mul(parts[i].cols, rows * gelu_dtype_nbytes(ffn->real), &part_nbytes) ||
                                !alloc_round_up(part_nbytes, &part_nbytes) || !size_add(*nbytes, part_nbytes, nbytes)))
            return false;
    }
    return true;
}

gelu_status gelu_ffn_workspace(const gelu_ffn *ffn, size_t rows, size_t *forward_nbytes, size_t *backward_nbytes) {
    if (!ffn || !forward_nbytes || !backward_nbytes) return GELU_ERR_ARGUMENT;
    struct ffn_buffers buffers;
    size_t forward, backward, threads = gelu_parallel_processors();
    if (!gelu_ffn_layout(ffn, gelu_ffn_rows(rows, FFN_FORWARD), FFN_FORWARD, threads, NULL, &buffers, &forward) ||
        !gelu_ffn_layout(ffn, gelu_ffn_rows(rows, FFN_BACKWARD), FFN_BACKWARD, threads, NULL, &buffers, &backward))
        return GELU_ERR_OVERFLOW;
    *forward_nbytes = forward;
    *backward_nbytes = backward;
    return GELU_OK;
}

void gelu_ffn_hidden(const gelu_ffn *ffn, size_t rows, struct linear_matrix x, const struct ffn_buffers *b) {
    gelu_dtype real = ffn->real;
    size_t d_ff = ffn->d_ff;
    const struct linear_matrix h = {real, b->h, d_ff}, a = {real, b->a, d_ff};
    struct linear_output fc1 = {.linear = ffn->fc1, .act = ffn->act, .fast = ffn->fast};
    if (ffn->gated) {
        const struct linear_matrix up = {real, b->up ? b->up : b->h, d_ff};
        const struct linear_output value = {.linear = ffn->up, .y = up};
        gelu_linear_apply(rows, x, &value, b->product);
        fc1.preact = (struct linear_matrix){real, b->gate, d_ff};
        fc1.activated = a;
        fc1.value = up;
        fc1.y = h;
    } else {
        fc1.preact = h;
        fc1.y = a;
    }
    if (ffn->hidden != real) fc1.y = (struct linear_matrix){ffn->hidden, b->hidden, d_ff};
    gelu_linear_apply(rows, x, &fc1, b->product);
}
