/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* How fast the library is: each kernel beside memcpy and a ReLU loop over the same arrays, sample by sample in turn, so
 * that whatever else the machine does meets all of them. Only include/ and libc. */
#ifndef GELU_BENCH_H
#define GELU_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "gelu.h"

/* ---- What is measured ---- */

typedef void bench_call(gelu_act act, size_t n, const void *x, const void *dy, void *y);

enum { BENCH_N_DTYPES = 5 }; /* by gelu_dtype; 0 is no type */

typedef struct {
    const char *name;
    bool reads_dy;
    bool narrows;                     /* exists from f32 to a 16-bit type, too */
    bench_call *call[BENCH_N_DTYPES]; /* NULL: not for this type */
} bench_op;

/* The i-th operation; NULL past the end. */
const bench_op *bench_op_at(size_t i);

/* Where they differ, out is a 16-bit type, in is f32, and the library's call is that of Linear without input features,
 * whose bias, up to 16 times the same, goes through the epilogue on one thread. */
typedef struct {
    const char *name; /* "f32", "f32-bf16", ... */
    gelu_dtype in, out;
} bench_type;

/* The i-th; NULL past the end. */
const bench_type *bench_type_at(size_t i);
bool bench_op_takes(const bench_op *op, const bench_type *type);

typedef enum {
    BENCH_NORMAL,    /* normal, standard deviation b */
    BENCH_POSITIVE,  /* the absolute value of that */
    BENCH_RANGE,     /* uniform on [a, b] */
    BENCH_SUBNORMAL, /* every subnormal of the type alike, both signs */
    BENCH_BITS       /* every bit pattern of the type alike, NaN too */
} bench_input_kind;

typedef struct {
    bench_input_kind kind;
    double a, b;
    char name[40];
} bench_input;

/* "normal", "tail", "subnormal", "positive", "uniform", "bits", "sigma=S", "range=A:B". */
bool bench_input_from_name(const char *text, bench_input *out);
/* n values of the type. The same ones each time. GELU_ERR_MEMORY. */
gelu_status bench_input_fill(const bench_input *input, gelu_dtype dtype, size_t n, void *out);

/* ---- A group: kernels over the same arrays ---- */

typedef struct {
    const bench_op *op;
    const bench_type *type;
    size_t n;
    const bench_input *input;
    size_t n_acts, n_isas;
    const gelu_act *acts;
    const char *const *isas;
    unsigned threads;
    double seconds;  /* for the whole group, when repeat is 0; every kernel is still sampled a few times */
    uint64_t repeat; /* samples of each kernel */
    void (*progress)(void *context, double done); /* done: 0 to 1 */
    void *context;
} bench_group;

typedef enum { BENCH_MEMCPY, BENCH_RELU_LOOP, BENCH_LIBRARY } bench_what;

typedef struct {
    const bench_group *group;
    bench_what what;
    gelu_act act;    /* BENCH_LIBRARY only */
    const char *isa; /* the library's; for the ReLU loop, its own */
    uint64_t samples;
    double ns, gbytes; /* per element; per second: the fastest sample */
    double per_memcpy, per_relu;
} bench_row;

/* memcpy of as many bytes, the ReLU loop, then every activation on every instruction set. */
size_t bench_group_rows(const bench_group *group);
/* Memory that its run takes. */
double bench_group_nbytes(const bench_group *group);
/* Fills rows. GELU_ERR_MEMORY, or what the library's calls say. Sets gelu_set_num_threads back to 0. */
gelu_status bench_group_run(const bench_group *group, bench_row *rows);

/* ---- What they are compared with ---- */

/* ReLU (and with dy its backward form) as fast as a plain loop gets on this machine: 64-byte aligned, unrolled, with
 * the widest vectors. Works in steps of BENCH_STEP bytes, so the arrays must have room for a whole last one. */
enum { BENCH_STEP = 256 };
typedef void bench_relu(size_t nbytes, const void *x, const void *dy, void *y);
bench_relu *bench_relu_loop(gelu_dtype dtype, bool backward, const char **isa);
/* From f32 to a 16-bit type; nbytes are those of x. */
bench_relu *bench_relu_narrow(gelu_dtype out, const char **isa);

/* ---- Clocks ---- */

/* Seconds on the monotonic clock. */
double bench_seconds(void);
/* The clock for work in this many threads: of one it is the time that it had a processor, so that what other programs take
 * does not count. */
double bench_seconds_of(unsigned threads);
/* Seconds of one call of run(context, 1) by that clock, from as many calls as take 200 microseconds, made when what fits
 * in the cache is there. *repeats is how many; begin with 0. */
double bench_sample(unsigned threads, void (*run)(void *context, size_t times), void *context, size_t *repeats);
/* One more look at the clock, from loops whose latency in clocks is known; takes some 40 microseconds. */
void bench_clock_sample(void);
/* The fastest clock seen, in GHz, and how many clocks a dependent fused multiply-add takes (0: there is none here). Only
 * after bench_clock_sample. */
double bench_clock_ghz(void);
int bench_fma_latency(void);
/* As the operating system names it. */
const char *bench_cpu_name(void);

/* ---- Results ---- */

typedef enum { BENCH_TABLE, BENCH_CSV } bench_format;

/* Rows of whole groups, in the order in which they ran. */
void bench_print_header(FILE *stream, bench_format format);
void bench_print_rows(FILE *stream, bench_format format, size_t n, const bench_row *rows);
/* All groups at once: one table for each operation, type and input, one column for each size; with one size alone, one
 * table for each operation and type, one column for each input. */
void bench_print_markdown(FILE *stream, size_t n, const bench_row *rows);
/* A gnuplot program that writes a PNG to its standard output. */
void bench_print_gnuplot(FILE *stream, size_t n, const bench_row *rows);

#endif
