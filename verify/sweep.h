/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Runs a function over all inputs of a format, or over samples, and compares each result with the exact one. The
 * results are the same for every number of threads. */
#ifndef GELU_VERIFY_SWEEP_H
#define GELU_VERIFY_SWEEP_H

#include <stdatomic.h>
#include <stdbool.h>

#include "gelu.h"

typedef void (*sweep_kernel)(gelu_act act, size_t n, const void *x, void *y);
typedef void (*sweep_backward_kernel)(gelu_act act, size_t n, const void *x, const void *dy, void *dx);

typedef struct {
    gelu_act act;
    int order; /* of the derivative: 0, 1, 2 */
    gelu_dtype in, out;
    sweep_kernel kernel;
    sweep_backward_kernel backward; /* in place of kernel, with order 1 and in == out: dx = dy f'(x), dy random */
    const char *isa;                /* an available instruction set; NULL: the one in use */
} sweep_target;

/* The library's function: gelu_forward_*, gelu_grad_* or gelu_grad2_*. NULL where there is none. */
sweep_kernel sweep_library_kernel(int order, gelu_dtype dtype);
/* Whether its elementwise functions are its own: "avx512_bf16" and "amx" have those of "avx512" (gelu.h). */
bool sweep_isa_is_own(const char *isa);
/* Values of f32 inputs, rounded once to f16 or bf16, by gelu_linear_forward, whose threads are the caller's to limit. NULL
 * for other types. */
sweep_kernel sweep_library_narrowing(gelu_dtype out);
/* gelu_backward_*; NULL for f64, whose product has a bound of its own. */
sweep_backward_kernel sweep_library_backward(gelu_dtype dtype);

/* Whether one bit pattern is demanded (values, first derivatives and backward in f32, f16, bf16), or a bound in ULP. */
bool sweep_is_exact(const sweep_target *target);
/* That bound: 0.5 for exact ones. */
double sweep_bound(const sweep_target *target);

typedef struct {
    uint64_t stride;   /* exact targets with f32 input: every stride-th bit pattern; 1: all */
    uint64_t samples;  /* bounded targets: this many, besides the neighbourhoods of special places */
    unsigned threads;  /* 0: one per processor */
    atomic_bool *stop; /* NULL, or: ends early when true; a signal handler may set it */
    void (*progress)(void *context, uint64_t done, uint64_t total); /* NULL, or called now and then, from one thread */
    void *context;
} sweep_options;

enum { SWEEP_MOST_TARGETS = 40, SWEEP_KEPT_FAILURES = 8 };

typedef struct {
    uint64_t x, dy, got, want;
} sweep_failure; /* bit patterns; dy of backward */

typedef struct {
    uint64_t checked;
    uint64_t failed;        /* misrounded, or beyond the bound */
    uint64_t differs;       /* other bits than the first target gave that asks the same; any NaN equals any other */
    double worst_ulp;       /* without the neighbourhood of a root, where the bound is absolute */
    uint64_t worst_x;       /* its bit pattern */
    double worst_near_root; /* the largest absolute error there, as a share of the bound */
    uint64_t undecided;     /* results of exact targets that only the oracle could settle */
    sweep_failure failures[SWEEP_KEPT_FAILURES]; /* those with the smallest patterns of x, in order */
    bool stopped;
} sweep_result;

/* Up to SWEEP_MOST_TARGETS targets in one pass, which share the exact evaluation: of the same activation and input
 * type, all exact or all bounded. Those of one instruction set lie side by side, and all name theirs or none does.
 * The instruction set in use is the same before and after; nothing else may compute meanwhile where targets name
 * any. GELU_ERR_ARGUMENT, GELU_ERR_ISA, GELU_ERR_MEMORY. */
gelu_status sweep_run(size_t n, const sweep_target *targets, const sweep_options *options, sweep_result *results);

#endif
