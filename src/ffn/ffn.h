/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#ifndef GELU_FFN_FFN_H
#define GELU_FFN_FFN_H

#include "linear/linear.h"

struct gelu_ffn {
    size_t d_model, d_ff;
    gelu_dtype real;
    gelu_dtype hidden; /* what fc2 takes: real, or bf16 in bf16 compute */
    gelu_act act;
    bool gated, fast, saturate;
    gelu_gate_order order;
    gelu_linear *fc1, *up, *fc2; /* fc1: the gate where gated; up: NULL where plain */
};

/* The intermediate results of a call, for as many rows as it works on at a time. All contiguous, of real. */
struct ffn_buffers {
    void *h, *a, *gate, *up;      /* (rows, d_ff), as in gelu_ffn_trace; NULL where not kept */
    void *dfc1, *dup;             /* (rows, d_ff), backward only: gradients of what fc1 and up give */
    void *dx;                     /* (rows, d_model), backward only */
    void *hidden;                 /* (rows, d_ff) of bf16: what fc2 takes, in bf16 compute only */
    struct product_space product; /* of one product at a time */
};

enum ffn_direction { FFN_FORWARD, FFN_BACKWARD };

/* How many rows a call works on at a time. */
size_t gelu_ffn_rows(size_t rows, enum ffn_direction direction);
/* Lay the buffers for that many rows and up to so many threads out from base on. false when the size does not fit. */
bool gelu_ffn_layout(const gelu_ffn *ffn, size_t rows, enum ffn_direction direction, size_t threads, void *base,
                     struct ffn_buffers *out, size_t *nbytes);
/* What fc2 takes, from x, left in b->a (plain), b->h (gated) or b->hidden (bf16); h or gate, a and up where b has
 * room for them. */
void gelu_ffn_hidden(const gelu_ffn *ffn, size_t rows, struct linear_matrix x, const struct ffn_buffers *b);

#endif
