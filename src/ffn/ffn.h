/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#ifndef GELU_FFN_FFN_H
#define GELU_FFN_FFN_H

#include "linear/linear.h"

struct gelu_ffn {
    size_t d_model, d_ff;
    gelu_dtype real;
    gelu_act act;
    bool gated;
    gelu_linear *fc1, *up, *fc2; /* fc1: the gate where gated; up: NULL where plain */
};

/* The intermediate results of a call, for as many rows as it works on at a time. All contiguous, of real. */
struct ffn_buffers {
    void *x, *y;         /* (rows, d_model), for another type than real; y also for dx */
    void *gate, *up;     /* (rows, d_ff), gated only */
    void *h, *a;         /* (rows, d_ff) */
    void *dy;            /* (rows, d_model), backward only */
    void *d_hidden, *dh; /* (rows, d_ff), backward only: the gradient of what fc2 takes; gated only: a second one */
};

enum ffn_direction { FFN_FORWARD, FFN_BACKWARD };

/* How many rows a call works on at a time. */
size_t gelu_ffn_rows(size_t rows, enum ffn_direction direction);
/* Lay the buffers for that many rows out from base on. false when the size does not fit. */
bool gelu_ffn_layout(const gelu_ffn *ffn, size_t rows, enum ffn_direction direction, void *base,
                     struct ffn_buffers *out, size_t *nbytes);
/* h and a from x; gate and up where gated. */
void gelu_ffn_hidden(const gelu_ffn *ffn, size_t rows, struct linear_rows x, const struct ffn_buffers *buffers);

#endif
