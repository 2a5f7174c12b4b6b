/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdlib.h>

#include "layer_block.h"

enum { LEAST_SAMPLES = 3 };

typedef struct {
    const char *isa;
    layer_block block;
    size_t repeats; /* calls in a sample; 0: not known yet */
    double seconds; /* the shortest so far */
} contestant;

/* One for each row; then, where there is an activation, one with GELU_IDENTITY for each instruction set. */
typedef struct {
    size_t n;
    contestant *each;
} contest;

static bool has_act(const bench_layer_group *group) {
    return group->layer == BENCH_FFN || (group->layer == BENCH_UP && !group->backward);
}

size_t bench_layer_rows(const bench_layer_group *group) {
    if (!has_act(group)) return group->n_isas;
    return (group->acts ? group->n_acts : 1) * (group->fast ? 2 : 1) * group->n_isas;
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
    double layers = (double)(bench_layer_rows(group) + (has_act(group) ? group->n_isas : 0));
    double copies = group->backward ? 2 : 1;
    double values = (double)group->rows * ((double)shape->d_model + (double)shape->d_ff) * sizeof(float);
    /* the given weights, those of each layer, their gradients; x, y and what each layer works in */
    return weight * matrix * (1 + layers * copies + (group->backward ? 1 : 0)) + 2 * copies * values * (1 + layers);
}

static void name_rows(const bench_layer_group *group, bench_layer_row *rows) {
    size_t n = bench_layer_rows(group), forms = group->fast ? 2 : 1;
    for (size_t i = 0; i < n; i++) {
        size_t variant = i / group->n_isas;
        bench_layer_row row = {.group = group, .isa = group->isas[i % group->n_isas]};
        if (has_act(group)) {
            row.act = group->acts ? group->acts[variant / forms] : group->shape->act;
            row.fast = variant % forms == 1;
        }
        rows[i] = row;
    }
}

static void free_contest(contest *contest) {
    for (size_t i = 0; i < contest->n; i++) layer_block_free(&contest->each[i].block);
    free(contest->each);
}

static gelu_status enter(const layer_arena *arena, const char *isa, gelu_act act, bool fast, contest *contest) {
    contestant *contestant = &contest->each[contest->n++];
    contestant->isa = isa;
    gelu_isa_select(isa);
    return layer_block_create(arena, act, fast, &contestant->block);
}

static gelu_status enter_all(const layer_arena *arena, size_t n, const bench_layer_row *rows, contest *contest) {
    const bench_layer_group *group = arena->group;
    gelu_status status = GELU_OK;
    for (size_t i = 0; i < n && status == GELU_OK; i++)
        status = enter(arena, rows[i].isa, rows[i].act, rows[i].fast, contest);
    for (size_t i = 0; has_act(group) && i < group->n_isas && status == GELU_OK; i++)
        status = enter(arena, group->isas[i], GELU_IDENTITY, false, contest);
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

static gelu_status sample_all(const layer_arena *arena, contest *contest) {
    bench_clock_sample();
    for (size_t i = 0; i < arena->group->n_isas; i++) bench_peak_sample(arena->group->isas[i], arena->group->threads);
    for (contestant *c = contest->each; c < contest->each + contest->n; c++) {
        runner runner = {arena, &c->block, GELU_OK};
        gelu_isa_select(c->isa);
        double seconds = bench_sample(arena->group->threads, run, &runner, &c->repeats);
        if (runner.status != GELU_OK) return runner.status;
        if (c->seconds == 0 || seconds < c->seconds) c->seconds = seconds;
    }
    return GELU_OK;
}

static double share_done(const bench_layer_group *group, uint64_t rounds, double elapsed) {
    if (group->repeat) return (double)rounds / (double)group->repeat;
    double by_time = elapsed / group->seconds, by_rounds = (double)rounds / LEAST_SAMPLES;
    return by_time < by_rounds ? by_time : by_rounds;
}

static void derive(const contest *contest, size_t n, uint64_t samples, bench_layer_row *rows) {
    const bench_layer_group *group = rows->group;
    for (size_t i = 0; i < n; i++) {
        double peak = bench_peak_gflops(rows[i].isa);
        rows[i].samples = samples;
        rows[i].seconds = contest->each[i].seconds;
        rows[i].gflops = 1e-9 * bench_layer_flops(group) / rows[i].seconds;
        if (peak > 0) rows[i].of_peak = rows[i].gflops / peak;
        if (rows[i].act == GELU_IDENTITY) continue;
        rows[i].identity = contest->each[n + i % group->n_isas].seconds;
        rows[i].in_act = 1 - rows[i].identity / rows[i].seconds;
    }
}

static gelu_status run_contest(const layer_arena *arena, contest *contest, size_t n, bench_layer_row *rows) {
    const bench_layer_group *group = arena->group;
    uint64_t rounds = 0;
    double started = bench_seconds();
    for (double done = 0; done < 1;) {
        gelu_status status = sample_all(arena, contest);
        if (status != GELU_OK) return status;
        done = share_done(group, ++rounds, bench_seconds() - started);
        if (group->progress) group->progress(group->context, done < 1 ? done : 1);
    }
    derive(contest, n, rounds, rows);
    return GELU_OK;
}

gelu_status bench_layer_run(const bench_layer_group *group, bench_layer_row *rows) {
    layer_arena arena;
    size_t n = bench_layer_rows(group);
    contest contest = {.each = calloc(n + group->n_isas, sizeof *contest.each)};
    if (!contest.each) return GELU_ERR_MEMORY;
    gelu_status status = layer_arena_init(group, &arena);
    if (status != GELU_OK) {
        free(contest.each);
        return status;
    }
    name_rows(group, rows);
    status = gelu_set_num_threads(group->threads);
    if (status == GELU_OK) status = enter_all(&arena, n, rows, &contest);
    layer_arena_free_weights(&arena);
    if (status == GELU_OK) status = run_contest(&arena, &contest, n, rows);
    gelu_isa_select(NULL);
    (void)gelu_set_num_threads(0);
    free_contest(&contest);
    layer_arena_free(&arena);
    return status;
}
