/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* How fast Linear and the feed-forward block are, beside the multiply-adds that the machine can do at most. Only
 * include/ and libc. */
#ifndef GELU_BENCH_LAYER_H
#define GELU_BENCH_LAYER_H

#include "bench.h"

/* ---- The most that can be reached ---- */

/* One more look at how many independent fused multiply-adds of f32 this instruction set does in this many threads; takes
 * some 200 microseconds. */
void bench_peak_sample(const char *isa, unsigned threads);
/* The most of them seen, 10^9 additions and multiplications a second; 0 where the machine has none. */
double bench_peak_gflops(const char *isa);

/* ---- Shapes ---- */

typedef struct {
    char name[32];
    size_t d_model, d_ff;
    bool gated;
    gelu_layout layout; /* of its weights */
    gelu_act act;
} bench_shape;

/* The i-th of the models whose blocks are measured; NULL past the end. */
const bench_shape *bench_shape_at(size_t i);
/* The name of a model, or D_MODELxD_FF for a plain block, or gated:D_MODELxD_FF. */
bool bench_shape_from_name(const char *text, bench_shape *out);

/* ---- Arithmetic ---- */

typedef struct {
    const char *name;   /* "f32", "bf16-weights", "bf16" */
    gelu_dtype weights; /* and bias */
    gelu_dtype values;  /* x, y and their gradients */
    gelu_compute compute;
} bench_arithmetic;

/* The i-th; NULL past the end. */
const bench_arithmetic *bench_arithmetic_at(size_t i);

/* ---- A group: layers of one shape over the same arrays ---- */

typedef enum {
    BENCH_UP,   /* Linear, d_model to d_ff, with the activation */
    BENCH_DOWN, /* Linear, d_ff to d_model, without one */
    BENCH_FFN   /* the block */
} bench_layer;

typedef struct {
    const bench_shape *shape;
    bench_layer layer;
    bool backward; /* the gradients of everything, instead of y */
    const bench_arithmetic *arithmetic;
    size_t rows;
    size_t n_acts, n_isas;
    bool fast;            /* the fast activations, too */
    const gelu_act *acts; /* NULL: the shape's own; else n_acts of them. One, whichever, where the layer has none */
    const char *const *isas;
    unsigned threads;
    double seconds;  /* for the whole group, when repeat is 0; every layer is still sampled a few times */
    uint64_t repeat; /* samples of each layer */
    void (*progress)(void *context, double done); /* done: 0 to 1 */
    void *context;
} bench_layer_group;

typedef struct {
    const bench_layer_group *group;
    gelu_act act;
    bool fast;
    const char *isa;
    uint64_t samples;
    double seconds;  /* of one call: the fastest sample */
    double identity; /* the same with GELU_IDENTITY for the activation */
    double gflops;   /* 10^9 additions and multiplications a second, of the matrix products */
    double of_peak;  /* share of bench_peak_gflops; 0 when that is */
    double in_act;   /* share of the time that IDENTITY saves */
} bench_layer_row;

/* Every activation on every instruction set. */
size_t bench_layer_rows(const bench_layer_group *group);
/* What a group needs, about. */
double bench_layer_nbytes(const bench_layer_group *group);
/* Additions and multiplications of one call. A block's backward pass computes its first layer again, which counts. */
double bench_layer_flops(const bench_layer_group *group);
/* Fills rows. The library's own errors; GELU_ERR_MEMORY. Sets gelu_set_num_threads back to 0. */
gelu_status bench_layer_run(const bench_layer_group *group, bench_layer_row *rows);

/* ---- Results ---- */

/* Like those of bench.h. */
void bench_layer_print_header(FILE *stream, bench_format format);
void bench_layer_print_rows(FILE *stream, bench_format format, size_t n, const bench_layer_row *rows);
/* A table for each layer, pass and arithmetic, with one column for each number of rows. */
void bench_layer_print_markdown(FILE *stream, size_t n, const bench_layer_row *rows);

#endif
