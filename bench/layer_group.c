/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdlib.h>

#include "layer_block.h"

enum { LEAST_SAMPLES = 3 };

/* A row's layer, and the same with GELU_IDENTITY for the activation. */
typedef struct {
    layer_block block, identity;
    bool has_identity;
    size_t repeats; /* calls in a sample; 0: not known yet */
} contest;

static bool has_act(const bench_layer_group *group) {
    return group->layer == BENCH_FFN || (group->layer == BENCH_UP && !group->backward);
}

size_t bench_layer_rows(const bench_layer_group *group) {
    return (has_act(group) && group->acts ? group->n_acts : 1) * group->n_isas;
}

double bench_layer_flops(const bench_layer_group *group) {
    const bench_shape *shape = group->shape;
    double product = 2.0 * (double)group->rows * (double)shape->d_model * (double)shape->d_ff;
    if (group->layer != BENCH_FFN) return group->backward ? 2 * product : product;
    double first = shape->gated ? 2 : 1; /* products of the first layer */
    return product * (group->backward ? 2 * (first + 1) + first : first + 1);
}

double bench_layer_nbytes(const bench_layer_group *group) {
    const bench_shape *shape = group->shape;
    double matrices = group->layer != BENCH_FFN ? 1 : shape->gated ? 3 : 2;
    double matrix = matrices * (double)shape->d_model * (double)shape->d_ff, weight = sizeof(float);
    double layers = (double)bench_layer_rows(group) * (has_act(group) ? 2 : 1), copies = group->backward ? 2 : 1;
    double values = (double)group->rows * ((double)shape->d_model + (double)shape->d_ff) * sizeof(float);
    /* the given weights, those of each layer, their gradients; x, y and what each layer works in */
    return weight * matrix * (1 + layers * copies + (group->backward ? 1 : 0)) + 2 * copies * values * (1 + layers);
}

static void name_rows(const bench_layer_group *group, bench_layer_row *rows) {
    size_t n = bench_layer_rows(group);
    for (size_t i = 0; i < n; i++) {
        gelu_act act = GELU_IDENTITY;
        if (has_act(group)) act = group->acts ? group->acts[i / group->n_isas] : group->shape->act;
        rows[i] = (bench_layer_row){.group = group, .act = act, .isa = group->isas[i % group->n_isas]};
    }
}

static void free_contests(size_t n, contest *contests) {
    for (size_t i = 0; i < n; i++) {
        layer_block_free(&contests[i].block);
        layer_block_free(&contests[i].identity);
    }
    free(contests);
}

static gelu_status create_contests(const layer_arena *arena, size_t n, const bench_layer_row *rows, contest *contests) {
    gelu_status status = GELU_OK;
    for (size_t i = 0; i < n && status == GELU_OK; i++) {
        gelu_isa_select(rows[i].isa);
        contests[i].has_identity = rows[i].act != GELU_IDENTITY;
        status = layer_block_create(arena, rows[i].act, &contests[i].block);
        if (status == GELU_OK && contests[i].has_identity)
            status = layer_block_create(arena, GELU_IDENTITY, &contests[i].identity);
    }
    return status;
}

/* A layer that is being sampled. */
typedef struct {
    const layer_arena *arena;
    const layer_block *block;
    gelu_status status; /* the first that is not GELU_OK */
} runner;

static void run(void *context, size_t times) {
    runner *r = context;
    for (size_t i = 0; i < times && r->status == GELU_OK; i++) r->status = layer_block_run(r->block, r->arena);
}

static gelu_status sample(const layer_arena *arena, const layer_block *block, size_t *repeats, double *shortest) {
    runner runner = {arena, block, GELU_OK};
    double seconds = bench_sample(run, &runner, repeats);
    if (*shortest == 0 || seconds < *shortest) *shortest = seconds;
    return runner.status;
}

static gelu_status sample_all(const layer_arena *arena, size_t n, contest *contests, bench_layer_row *rows) {
    gelu_status status = GELU_OK;
    bench_clock_sample();
    for (size_t i = 0; i < n && status == GELU_OK; i++) {
        gelu_isa_select(rows[i].isa);
        bench_peak_sample(rows[i].isa, arena->group->threads);
        status = sample(arena, &contests[i].block, &contests[i].repeats, &rows[i].seconds);
        if (status == GELU_OK && contests[i].has_identity)
            status = sample(arena, &contests[i].identity, &contests[i].repeats, &rows[i].identity);
        rows[i].samples++;
    }
    return status;
}

static double share_done(const bench_layer_group *group, uint64_t rounds, double elapsed) {
    if (group->repeat) return (double)rounds / (double)group->repeat;
    double by_time = elapsed / group->seconds, by_rounds = (double)rounds / LEAST_SAMPLES;
    return by_time < by_rounds ? by_time : by_rounds;
}

static void derive(size_t n, bench_layer_row *rows) {
    for (size_t i = 0; i < n; i++) {
        double peak = bench_peak_gflops(rows[i].isa);
        rows[i].gflops = 1e-9 * bench_layer_flops(rows[i].group) / rows[i].seconds;
        if (peak > 0) rows[i].of_peak = rows[i].gflops / peak;
        if (rows[i].identity > 0) rows[i].in_act = 1 - rows[i].identity / rows[i].seconds;
    }
}

gelu_status bench_layer_run(const bench_layer_group *group, bench_layer_row *rows) {
    layer_arena arena;
    size_t n = bench_layer_rows(group);
    contest *contests = calloc(n, sizeof *contests);
    if (!contests) return GELU_ERR_MEMORY;
    gelu_status status = layer_arena_init(group, &arena);
    if (status != GELU_OK) {
        free(contests);
        return status;
    }
    name_rows(group, rows);
    status = gelu_set_num_threads(group->threads);
    if (status == GELU_OK) status = create_contests(&arena, n, rows, contests);
    layer_arena_free_weights(&arena);
    double started = bench_seconds(), done = 0;
    for (uint64_t rounds = 0; status == GELU_OK && done < 1;) {
        status = sample_all(&arena, n, contests, rows);
        done = share_done(group, ++rounds, bench_seconds() - started);
        if (group->progress) group->progress(group->context, done < 1 ? done : 1);
    }
    if (status == GELU_OK) derive(n, rows);
    gelu_isa_select(NULL);
    (void)gelu_set_num_threads(0);
    free_contests(n, contests);
    layer_arena_free(&arena);
    return status;
}
