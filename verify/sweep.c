/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format.h"
#include "judge.h"
#include "oracle.h"
#include "places.h"
#include "reference.h"
#include "results.h"
#include "sweep.h"
#include "turns.h"

enum { MAX_THREADS = 256, TURN_BLOCKS = 4, TURN = TURN_BLOCKS * PLACES_BLOCK, GROUP = 1024 };

/* ---- One thread's work ---- */

typedef struct {
    const sweep_target *targets;
    size_t n_targets;
    size_t first[SWEEP_MOST_TARGETS]; /* the first target that asks the same */
    bool needs_factors;               /* some target is backward */
    const sweep_options *options;
    input_plan plan;
    turns turns; /* n_isas 0: with the instruction set in use */
    atomic_uint_fast64_t next_block, done_blocks;
} sweep;

typedef struct {
    sweep *sweep;
    oracle *oracle;
    sweep_result results[SWEEP_MOST_TARGETS];
    uint64_t patterns[TURN];
    uint64_t x[TURN], dy[TURN], y[SWEEP_MOST_TARGETS][TURN]; /* arrays of the input and output types */
    reference references[GROUP];
    bool reports, failed;
    pthread_t thread;
} worker;

static void pack(gelu_dtype dtype, size_t n, const uint64_t *patterns, void *out) {
    uint16_t *narrow = out;
    uint32_t *single = out;
    if (dtype == GELU_F64) memcpy(out, patterns, n * sizeof *patterns);
    if (dtype == GELU_F32)
        for (size_t i = 0; i < n; i++) single[i] = (uint32_t)patterns[i];
    if (dtype == GELU_F16 || dtype == GELU_BF16)
        for (size_t i = 0; i < n; i++) narrow[i] = (uint16_t)patterns[i];
}

static const void *element(gelu_dtype dtype, const void *array, size_t i) {
    return (const char *)array + i * gelu_dtype_nbytes(dtype);
}

static uint64_t count_differences(gelu_dtype dtype, size_t n, const void *a, const void *b) {
    const number_format *format = format_of(dtype);
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t p = format_load(dtype, a, i), q = format_load(dtype, b, i);
        count += p != q && !(format_is_nan(format, p) && format_is_nan(format, q));
    }
    return count;
}

/* Mostly all targets that ask the same give the same, and the verdicts of the first serve them. */
static void check_question(worker *w, size_t first, size_t start, size_t n) {
    const sweep *s = w->sweep;
    const sweep_target *target = &s->targets[first];
    const uint64_t *x = w->patterns + start;
    const void *dy = element(target->in, w->dy, start), *expected = element(target->out, w->y[first], start);
    sweep_result found = {0};
    judge(w->oracle, target, n, w->references, x, dy, expected, &found);
    for (size_t t = first; t < s->n_targets; t++) {
        if (s->first[t] != first) continue;
        const void *got = element(target->out, w->y[t], start);
        if (memcmp(got, expected, n * gelu_dtype_nbytes(target->out)) == 0) {
            results_merge(&w->results[t], &found);
        } else {
            w->results[t].differs += count_differences(target->out, n, got, expected);
            judge(w->oracle, &s->targets[t], n, w->references, x, dy, got, &w->results[t]);
        }
    }
}

static void evaluate_references(worker *w, size_t start, size_t n) {
    const sweep_target *target = &w->sweep->targets[0];
    for (size_t i = 0; i < n; i++) {
        float x = (float)format_widen(target->in, w->patterns[start + i]);
        if (isnan(x))
            w->references[i] = (reference){.value = {NAN, NAN}};
        else
            reference_evaluate(target->act, x, &w->references[i]);
    }
}

static void check(worker *w, size_t n) {
    const sweep *s = w->sweep;
    for (size_t start = 0; start < n; start += GROUP) {
        size_t count = n - start < GROUP ? n - start : GROUP;
        if (sweep_is_exact(&s->targets[0])) evaluate_references(w, start, count);
        for (size_t t = 0; t < s->n_targets; t++)
            if (s->first[t] == t) check_question(w, t, start, count);
    }
}

static void compute(worker *w, size_t n) {
    sweep *s = w->sweep;
    for (size_t t = 0; t < s->n_targets; t++) {
        const sweep_target *target = &s->targets[t];
        if (s->turns.n_isas > 0 && (t == 0 || strcmp(target->isa, s->targets[t - 1].isa))) turns_next(&s->turns);
        if (target->backward)
            target->backward(target->act, n, w->x, w->dy, w->y[t]);
        else
            target->kernel(target->act, n, w->x, w->y[t]);
    }
}

static void work_with_oracle(worker *w) {
    sweep *s = w->sweep;
    gelu_dtype in = s->targets[0].in;
    for (;;) {
        if (s->options->stop && atomic_load(s->options->stop)) break;
        uint64_t block = atomic_fetch_add(&s->next_block, TURN_BLOCKS), end = block + TURN_BLOCKS;
        if (block >= s->plan.blocks) break;
        if (end > s->plan.blocks) end = s->plan.blocks;
        size_t n = 0;
        for (uint64_t b = block; b < end; b++) n += places_fill(&s->plan, b, w->patterns + n);
        pack(in, n, w->patterns, w->x);
        if (s->needs_factors) {
            places_fill_factors(in, n, w->patterns, w->y[0]);
            pack(in, n, w->y[0], w->dy);
        }
        compute(w, n);
        check(w, n);
        uint64_t done = atomic_fetch_add(&s->done_blocks, end - block) + (end - block);
        if (w->reports) s->options->progress(s->options->context, done, s->plan.blocks);
    }
}

static void *work(void *argument) {
    worker *w = argument;
    w->oracle = oracle_new(); /* here, because MPFR keeps a cache per thread */
    w->failed = !w->oracle;
    if (w->oracle) work_with_oracle(w);
    if (w->sweep->turns.n_isas > 0) turns_leave(&w->sweep->turns);
    oracle_free(w->oracle);
    return NULL;
}

/* ---- All threads ---- */

static bool is_valid(const sweep_target *target, const sweep_target *first) {
    if (target->act != first->act || target->in != first->in || !target->isa != !first->isa) return false;
    if (sweep_is_exact(target) != sweep_is_exact(first)) return false;
    if ((target->in == GELU_F64) != (target->out == GELU_F64)) return false;
    if (target->order == 2 && format_of(target->in)->width < 32) return false;
    if (target->backward)
        return !target->kernel && target->order == 1 && target->in == target->out && sweep_is_exact(target);
    return target->kernel != NULL;
}

/* The instruction sets of the targets, each once, into s->turns. */
static gelu_status find_isas(sweep *s) {
    const char *last = NULL;
    for (size_t t = 0; t < s->n_targets && s->targets[t].isa; t++) {
        const char *isa = s->targets[t].isa;
        if (last && !strcmp(isa, last)) continue;
        for (size_t i = 0; i < s->turns.n_isas; i++)
            if (!strcmp(isa, s->turns.isas[i])) return GELU_ERR_ARGUMENT; /* not side by side */
        if (s->turns.n_isas == TURNS_MOST_ISAS) return GELU_ERR_ARGUMENT;
        bool available = false;
        for (size_t i = 0; gelu_isa_available(i); i++) available = available || !strcmp(isa, gelu_isa_available(i));
        if (!available) return GELU_ERR_ISA;
        s->turns.isas[s->turns.n_isas++] = last = isa;
    }
    return GELU_OK;
}

static unsigned thread_count(unsigned wanted) {
    long online = wanted ? (long)wanted : sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : online > MAX_THREADS ? MAX_THREADS : (unsigned)online;
}

static void plan_inputs(const sweep_target *target, const sweep_options *options, input_plan *plan) {
    uint64_t stride = options->stride ? options->stride : 1;
    if (!sweep_is_exact(target)) stride = 0;
    if (target->in == GELU_F16 || target->in == GELU_BF16) stride = 1;
    places_plan(target->act, target->in, stride, options->samples, plan);
}

/* Returns how many there is memory for. */
static unsigned make_workers(sweep *s, unsigned wanted, worker **workers) {
    unsigned n = 0;
    for (; n < wanted && (workers[n] = calloc(1, sizeof **workers)); n++) workers[n]->sweep = s;
    return n;
}

static bool run_workers(worker **workers, unsigned n) {
    turns *turns = &workers[0]->sweep->turns;
    if (turns->n_isas > 0) turns_begin(turns, n);
    unsigned running = 1; /* the caller itself; if the system refuses more threads, fewer do the work */
    for (; running < n; running++)
        if (pthread_create(&workers[running]->thread, NULL, work, workers[running]) != 0) break;
    for (unsigned i = running; i < n && turns->n_isas > 0; i++) turns_leave(turns);
    work(workers[0]);
    bool failed = workers[0]->failed;
    for (unsigned i = 1; i < running; i++) {
        pthread_join(workers[i]->thread, NULL);
        failed = failed || workers[i]->failed;
    }
    if (turns->n_isas > 0) turns_end(turns);
    return !failed;
}

gelu_status sweep_run(size_t n, const sweep_target *targets, const sweep_options *options, sweep_result *results) {
    if (n < 1 || n > SWEEP_MOST_TARGETS) return GELU_ERR_ARGUMENT;
    for (size_t t = 0; t < n; t++)
        if (!is_valid(&targets[t], &targets[0])) return GELU_ERR_ARGUMENT;
    sweep s = {.targets = targets, .n_targets = n, .options = options};
    gelu_status status = find_isas(&s);
    if (status != GELU_OK) return status;
    for (size_t t = 0; t < n; t++) {
        s.needs_factors = s.needs_factors || targets[t].backward;
        while (!judge_same_question(&targets[s.first[t]], &targets[t])) s.first[t]++;
    }
    plan_inputs(&targets[0], options, &s.plan);

    worker *workers[MAX_THREADS];
    unsigned n_workers = make_workers(&s, thread_count(options->threads), workers);
    if (n_workers == 0) return GELU_ERR_MEMORY;
    workers[0]->reports = options->progress != NULL;
    const char *in_use = gelu_isa_name();
    if (s.turns.n_isas == 1) { /* no turns to take */
        gelu_isa_select(s.turns.isas[0]);
        s.turns.n_isas = 0;
    }
    bool complete = run_workers(workers, n_workers);
    gelu_isa_select(in_use);
    for (size_t t = 0; t < n; t++) {
        results[t] = (sweep_result){.stopped = options->stop && atomic_load(options->stop)};
        for (unsigned i = 0; i < n_workers; i++) results_merge(&results[t], &workers[i]->results[t]);
    }
    for (unsigned i = 0; i < n_workers; i++) free(workers[i]);
    return complete ? GELU_OK : GELU_ERR_MEMORY;
}
