/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What `gelu probe` knows of ways to compute an activation, and how it weighs the evidence for each. */
#ifndef GELU_CLI_PROBE_H
#define GELU_CLI_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gelu.h"
#include "npy_input.h"

typedef enum {
    PROBE_EXACT,    /* the exact value, rounded */
    PROBE_ONE_PLUS, /* erf, tanh: 0.5 x (1 + erf or tanh), step by step, in f32 (f64 for f64 data) */
    PROBE_TABLE,    /* tanh, quick: x rounded to f16, then a table of f16, as ggml has it */
    PROBE_N_HOWS
} probe_how;

/* What one way to compute leaves between its result and the data. */
typedef struct {
    bool tried;
    double absolute;
    uint64_t ulp;
    size_t mismatches; /* elements that are not bit for bit the same, but for the sign of a zero */
} probe_distance;

/* f(gate) * value, or f(gate) alone: one function, taken from one side, stored in one type. */
typedef struct {
    char name[48]; /* "erf", "silu(G) * IN" */
    gelu_act act;
    int order;          /* 0: the first array is the gate; 1: the second is; -1: there is no product */
    gelu_dtype rounded; /* what the result is rounded to */
    bool each_step;     /* f(gate) is rounded to it as well, before the product; without one: all that f takes is */
    bool first_type;    /* rounded is the widest type that comes into question */

    probe_distance distance[PROBE_N_HOWS];
    size_t n, tail, middle; /* elements; with a gate below -2; in [-4, -1] */
    size_t beyond;          /* farther from the exact value than the 1 + erf kind of formula may be */
    size_t inaccurate;      /* so far that relative accuracy is lost */
    size_t beyond_table;    /* farther from the table's value than another tanhf explains */
    /* 1 + erf and 1 + tanh are multiples of half an epsilon, so results in the tail lie on a lattice. */
    size_t off_lattice; /* elements that do not */
    double evidence;    /* bits: how unlikely it is that those which do, and need not, do so by chance */
} probe_case;

enum { PROBE_MAX_CASES = 84 }; /* 7 functions, 2 orders, 3 types, each once rounded or at each step */

/* Whether every step of f may have been rounded, so that hardly more than the function itself can be told. Such a case
 * counts only where no other one fits. */
static inline bool probe_is_loose(const probe_case *of) { return of->order < 0 && of->each_step; }

/* Adds n elements. value is NULL when nothing is gated; gates and values are finite. work: F32 or F64, what the formulas
 * compute in. */
void probe_add(probe_case *to, gelu_dtype work, size_t n, const double *gate, const double *value, const double *out);

/* The last line, without "verdict: ", into text of length bytes; false when nothing fits. n <= PROBE_MAX_CASES. */
bool probe_verdict(const probe_case *cases, size_t n, gelu_dtype work, char *text, size_t length);
/* "0.5 x (1 + erf(x / sqrt 2)) in f32, rounded to bf16". */
void probe_describe(const probe_case *of, probe_how how, gelu_dtype work, char *text, size_t length);

#endif
