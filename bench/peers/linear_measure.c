/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linear.h"

static const size_t batches[] = {1, 8, 128, 512};
enum { N_BATCHES = 4, MOST_ROWS = 512, LEAST_ROUNDS = 3, ALIGNMENT = 4096 };

/* ---- The arrays ---- */

enum { X, W, B, DY, N_INPUTS, Y = N_INPUTS, DX, DW, REFERENCE, N_ARRAYS };

typedef struct {
    void *array[N_ARRAYS]; /* for MOST_ROWS rows */
} arena;

static void *allocate(size_t n, gelu_dtype dtype) {
    void *p = aligned_alloc(ALIGNMENT, (n * gelu_dtype_nbytes(dtype) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    if (p) return p;
    fprintf(stderr, "linear_peers: out of memory\n");
    exit(1);
}

/* Weights are as small as initial ones are, so that results are where an activation does something. */
static arena make_arena(size_t in, size_t out, gelu_dtype dtype) {
    arena arena;
    bench_input normal, small;
    char name[32];
    snprintf(name, sizeof name, "sigma=%.4f", 1 / sqrt((double)in));
    bench_input_from_name("normal", &normal);
    bench_input_from_name(name, &small);
    size_t counts[] = {MOST_ROWS * in, out * in, out, MOST_ROWS * out, MOST_ROWS * out, MOST_ROWS * in, out * in};
    for (int i = 0; i < REFERENCE; i++) {
        arena.array[i] = allocate(counts[i], i == DW ? GELU_F32 : dtype);
        if (i >= N_INPUTS)
            memset(arena.array[i], 0, counts[i] * gelu_dtype_nbytes(i == DW ? GELU_F32 : dtype));
        else if (bench_input_fill(i == X || i == DY ? &normal : &small, dtype, counts[i], arena.array[i]) != GELU_OK)
            exit(1);
    }
    size_t most = in * out > MOST_ROWS * out ? in * out : MOST_ROWS * out;
    arena.array[REFERENCE] = allocate(most > MOST_ROWS * in ? most : MOST_ROWS * in, GELU_F32);
    return arena;
}

static void free_arena(arena *arena) {
    for (int i = 0; i < N_ARRAYS; i++) free(arena->array[i]);
}

/* ---- Whether they compute the same ---- */

static double value_at(const void *p, gelu_dtype dtype, size_t i) {
    return (double)(dtype == GELU_F32 ? ((const float *)p)[i] : gelu_bf16_to_f32(((const uint16_t *)p)[i]));
}

/* Root mean square of the differences, in those of the values. */
static double difference(const void *p, const void *q, gelu_dtype dtype, size_t n) {
    double squares = 0, total = 0;
    for (size_t i = 0; i < n; i++) {
        double a = value_at(p, dtype, i), b = value_at(q, dtype, i);
        squares += (a - b) * (a - b);
        total += b * b;
    }
    return sqrt(squares / total);
}

static void check(const linear_list *list, const linear_case *c, void *const jobs[], void *reference) {
    void *result = c->pass == LINEAR_BACKWARD ? c->dw : c->y;
    size_t n = c->pass == LINEAR_BACKWARD ? c->in * c->out : c->rows * c->out, first = list->n;
    gelu_dtype dtype = c->pass == LINEAR_BACKWARD ? GELU_F32 : c->dtype;
    for (size_t p = 0; p < list->n; p++) {
        if (!jobs[p]) continue;
        list->peer[p].run(jobs[p], 1);
        list->peer[p].results(jobs[p]);
        if (first == list->n) {
            first = p;
            memcpy(reference, result, n * gelu_dtype_nbytes(dtype));
        } else if (!(difference(result, reference, dtype, n) < (c->dtype == GELU_F32 ? 1e-4 : 1e-2))) {
            fprintf(stderr, "linear_peers: %s and %s differ: %zu rows, %zu to %zu\n", list->peer[p].name,
                    list->peer[first].name, c->rows, c->in, c->out);
            exit(1);
        }
    }
}

/* ---- Time ---- */

static void measure(const linear_list *list, const linear_case *c, void *reference, unsigned threads, double seconds,
                    linear_row *row) {
    void *jobs[MAX_LINEAR_PEERS];
    size_t repeats[MAX_LINEAR_PEERS] = {0};
    double flops = (c->pass == LINEAR_BACKWARD ? 4.0 : 2.0) * (double)c->rows * (double)c->in * (double)c->out;
    for (size_t p = 0; p < list->n; p++) jobs[p] = list->peer[p].prepare(list->peer[p].library, c);
    check(list, c, jobs, reference);
    double started = bench_seconds();
    for (int round = 0; round < LEAST_ROUNDS || bench_seconds() - started < seconds; round++) {
        bench_clock_sample();
        bench_peak_sample(gelu_isa_name(), threads);
        for (size_t p = 0; p < list->n; p++) {
            if (!jobs[p]) continue;
            double gflops = 1e-9 * flops / bench_sample(list->peer[p].run, jobs[p], &repeats[p]);
            if (gflops > row->gflops[p]) row->gflops[p] = gflops;
        }
    }
    for (size_t p = 0; p < list->n; p++)
        if (jobs[p]) list->peer[p].release(jobs[p]);
}

static size_t measure_product(const linear_list *list, const char *shape, size_t in, size_t out, unsigned threads,
                              double seconds, linear_row *rows) {
    size_t n = 0;
    for (gelu_dtype dtype = GELU_F32; dtype <= GELU_BF16; dtype += GELU_BF16 - GELU_F32) {
        arena arena = make_arena(in, out, dtype);
        for (linear_pass pass = LINEAR_PLAIN; pass < N_PASSES; pass++)
            for (int i = 0; i < N_BATCHES; i++) {
                void **a = arena.array;
                linear_case c = {batches[i], in, out, pass, dtype, a[X], a[W], a[B], a[DY], a[Y], a[DX], a[DW]};
                rows[n] = (linear_row){shape, c.rows, in, out, pass, dtype, {0}};
                measure(list, &c, a[REFERENCE], threads, seconds, &rows[n++]);
            }
        free_arena(&arena);
    }
    return n;
}

size_t linear_measure(const linear_list *list, const bench_shape *shape, unsigned threads, double seconds,
                      linear_row *rows) {
    size_t n = measure_product(list, shape->name, shape->d_model, shape->d_ff, threads, seconds, rows);
    return n + measure_product(list, shape->name, shape->d_ff, shape->d_model, threads, seconds, rows + n);
}
