/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "linear.h"

static const size_t batches[] = {1, 8, 128, 512};
enum { N_BATCHES = 4, MOST_ROWS = 512, FEW_ROUNDS = 3, LENIENT = 3, ALIGNMENT = 4096 };

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

static void truncate_to_bf16(size_t n, float *p) {
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, p + i, sizeof bits);
        bits &= 0xffff0000;
        memcpy(p + i, &bits, sizeof bits);
    }
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
    if (dtype == GELU_F32) truncate_to_bf16(out * in, arena.array[W]);
    if (dtype == GELU_F32) truncate_to_bf16(out, arena.array[B]);
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

/* Threads of one library spin for up to 20 milliseconds before they sleep, and would hold up the next one's; a library
 * whose threads sleep gets a call to wake them. */
static void let_others_rest(const linear_peer *peer, void *job, double seconds_of_call) {
    const struct timespec pause = {0, 25000000};
    nanosleep(&pause, NULL);
    if (seconds_of_call < 5e-3) peer->run(job, 1);
}

static double case_flops(const linear_row *row) {
    return (row->pass == LINEAR_BACKWARD ? 4.0 : 2.0) * (double)row->rows * (double)row->in * (double)row->out;
}

static void measure(const linear_list *list, const linear_case *c, void *reference, unsigned threads, double seconds,
                    linear_row *row) {
    void *jobs[MAX_LINEAR_PEERS];
    size_t repeats[MAX_LINEAR_PEERS] = {0};
    double flops = case_flops(row), started = bench_seconds();
    for (size_t p = 0; p < list->n; p++) jobs[p] = list->peer[p].prepare(list->peer[p].library, c);
    check(list, c, jobs, reference);
    for (int round = 0; round == 0 || bench_seconds() - started < (round < FEW_ROUNDS ? LENIENT : 1) * seconds;
         round++) {
        bench_clock_sample();
        bench_peak_sample(gelu_isa_name(), threads);
        for (size_t p = 0; p < list->n; p++) {
            if (!jobs[p]) continue;
            if (threads > 1) let_others_rest(&list->peer[p], jobs[p], round ? 1e-9 * flops / row->gflops[p] : 0);
            double gflops = 1e-9 * flops / bench_sample(threads, list->peer[p].run, jobs[p], &repeats[p]);
            if (gflops > row->gflops[p]) row->gflops[p] = gflops;
        }
    }
    for (size_t p = 0; p < list->n; p++)
        if (jobs[p]) list->peer[p].release(jobs[p]);
}

size_t linear_cases(const bench_shape *shape, linear_row *rows) {
    size_t n = 0;
    for (int down = 0; down < 2; down++) {
        size_t in = down ? shape->d_ff : shape->d_model, out = down ? shape->d_model : shape->d_ff;
        for (gelu_dtype dtype = GELU_F32; dtype <= GELU_BF16; dtype += GELU_BF16 - GELU_F32)
            for (linear_pass pass = LINEAR_PLAIN; pass < (dtype == GELU_F32 ? N_PASSES : LINEAR_BACKWARD); pass++)
                for (int i = 0; i < N_BATCHES; i++)
                    rows[n++] = (linear_row){shape->name, batches[i], in, out, pass, dtype, {0}};
    }
    return n;
}

/* What a case may take beside others, in any unit: some of it is the same for all. */
static double case_weight(const linear_row *row) { return 1e8 + case_flops(row); }

static bool shares_arena(const linear_row *a, const linear_row *b) {
    return a->in == b->in && a->out == b->out && a->dtype == b->dtype;
}

void linear_measure(const linear_list *list, unsigned threads, double seconds, size_t n, linear_row *rows) {
    double weight_left = 0, started = bench_seconds();
    for (size_t i = 0; i < n; i++) weight_left += case_weight(&rows[i]);
    arena arena = {{0}};
    for (size_t i = 0; i < n; i++) {
        linear_row *row = &rows[i];
        if (i == 0 || !shares_arena(row, row - 1)) {
            free_arena(&arena);
            arena = make_arena(row->in, row->out, row->dtype);
        }
        fprintf(stderr, "%4.0f s: case %zu of %zu, %s, %s, %zu to %zu, %zu rows\n", bench_seconds() - started, i + 1, n,
                linear_title(row->pass), gelu_dtype_name(row->dtype), row->in, row->out, row->rows);
        void **a = arena.array;
        linear_case c = {row->rows, row->in, row->out, row->pass, row->dtype, a[X],
                         a[W],      a[B],    a[DY],    a[Y],      a[DX],      a[DW]};
        double left = seconds - (bench_seconds() - started);
        measure(list, &c, a[REFERENCE], threads, left * case_weight(row) / weight_left, row);
        weight_left -= case_weight(row);
    }
    free_arena(&arena);
}
