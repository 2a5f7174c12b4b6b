/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What forward and backward share: the workspace, and the way from x to what fc2 takes. */
#include "base/alloc.h"
#include "base/compiler.h"
#include "dispatch/dispatch.h"
#include "ffn/ffn.h"

size_t gelu_ffn_rows(size_t rows, enum ffn_direction direction) {
    return linear_min(rows, direction == FFN_FORWARD ? LINEAR_FORWARD_ROWS : LINEAR_BACKWARD_ROWS);
}

bool gelu_ffn_layout(const gelu_ffn *ffn, size_t rows, enum ffn_direction direction, void *base,
                     struct ffn_buffers *out, size_t *nbytes) {
    bool backward = direction == FFN_BACKWARD;
    struct {
        void **buffer;
        size_t cols;
        bool wanted;
    } parts[] = {
        {&out->x, ffn->d_model, true},
        {&out->y, ffn->d_model, true},
        {&out->gate, ffn->d_ff, ffn->gated},
        {&out->up, ffn->d_ff, ffn->gated},
        {&out->h, ffn->d_ff, true},
        {&out->a, ffn->d_ff, true},
        {&out->dy, ffn->d_model, backward},
        {&out->d_hidden, ffn->d_ff, backward},
        {&out->dh, ffn->d_ff, backward && ffn->gated},
    };
    *nbytes = 0;
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
    size_t forward, backward;
    if (!gelu_ffn_layout(ffn, gelu_ffn_rows(rows, FFN_FORWARD), FFN_FORWARD, NULL, &buffers, &forward) ||
        !gelu_ffn_layout(ffn, gelu_ffn_rows(rows, FFN_BACKWARD), FFN_BACKWARD, NULL, &buffers, &backward))
        return GELU_ERR_OVERFLOW;
    *forward_nbytes = forward;
    *backward_nbytes = backward;
    return GELU_OK;
}

static void activate(const gelu_ffn *ffn, size_t n, const void *x, void *y) {
    if (ffn->real == GELU_F64)
        gelu_dispatch()->forward_f64[ffn->act](n, x, y);
    else
        gelu_dispatch()->forward_f32[ffn->act](n, x, y);
}

void gelu_ffn_hidden(const gelu_ffn *ffn, size_t rows, struct linear_rows x, const struct ffn_buffers *buffers) {
    size_t n = rows * ffn->d_ff;
    if (!ffn->gated) {
        gelu_linear_apply(ffn->fc1, rows, x, (struct linear_rows){buffers->h, ffn->d_ff});
        activate(ffn, n, buffers->h, buffers->a);
        return;
    }
    gelu_linear_apply(ffn->fc1, rows, x, (struct linear_rows){buffers->gate, ffn->d_ff});
    gelu_linear_apply(ffn->up, rows, x, (struct linear_rows){buffers->up, ffn->d_ff});
    activate(ffn, n, buffers->gate, buffers->a);
    gelu_linear_multiply(ffn->real, n, buffers->a, buffers->up, buffers->h);
}
