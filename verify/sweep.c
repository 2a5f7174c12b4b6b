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
#include "sweep.h"
#include "turns.h"

enum { MAX_THREADS = 256, TURN_BLOCKS = 4, TURN = TURN_BLOCKS * PLACES_BLOCK };

/* ---- One thread's work ---- */

typedef struct {
    const sweep_target *targets;
    size_t n_targets;
    size_t first[SWEEP_MOST_TARGETS]; /* the first target that asks the same */
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

static uint64_t unpack(gelu_dtype dtype, const void *array, size_t i) {
    if (dtype == GELU_F64) return ((const uint64_t *)array)[i];
    if (dtype == GELU_F32) return ((const uint32_t *)array)[i];
    return ((const uint16_t *)array)[i];
}

static void keep_failure(sweep_result *result, sweep_failure failure) {
    uint64_t kept = result->failed < SWEEP_KEPT_FAILURES ? result->failed : SWEEP_KEPT_FAILURES;
    size_t i = (size_t)kept;
    if (kept == SWEEP_KEPT_FAILURES && failure.x >= result->failures[--i].x) return;
    for (; i > 0 && result->failures[i - 1].x > failure.x; i--) result->failures[i] = result->failures[i - 1];
    result->failures[i] = failure;
}

static void record_failure(sweep_result *result, sweep_failure failure) {
    keep_failure(result, failure);
    result->failed++;
}

static void record_worst(sweep_result *result, double ulps, uint64_t x) {
    if (ulps < result->worst_ulp || (ulps == result->worst_ulp && (ulps == 0 || x >= result->worst_x))) return;
    result->worst_ulp = ulps;
    result->worst_x = x;
}

static void record(sweep_result *result, const verdict *v, uint64_t x, uint64_t dy, uint64_t got) {
    result->checked++;
    result->undecided += v->undecided;
    if (!v->good) record_failure(result, (sweep_failure){x, dy, got, v->want});
    if (v->near_root > result->worst_near_root) result->worst_near_root = v->near_root;
    record_worst(result, v->ulps, x);
}

static bool are_nan(const number_format *format, uint64_t a, uint64_t b) {
    return format_is_nan(format, a) && format_is_nan(format, b);
}

/* Mostly all targets that ask the same give the same, and one verdict serves them. */
static void check_input(worker *w, size_t i, const reference *r) {
    const sweep_target *targets = w->sweep->targets;
    uint64_t x = w->patterns[i], got[SWEEP_MOST_TARGETS];
    verdict verdicts[SWEEP_MOST_TARGETS];
    for (size_t t = 0; t < w->sweep->n_targets; t++) {
        got[t] = unpack(targets[t].out, w->y[t], i);
        uint64_t dy = targets[t].backward ? unpack(targets[t].in, w->dy, i) : 0;
        size_t first = w->sweep->first[t];
        bool known = first < t && got[first] == got[t];
        verdicts[t] = known ? verdicts[first] : judge(w->oracle, &targets[t], r, x, dy, got[t]);
        if (!known && first < t && !are_nan(format_of(targets[t].out), got[first], got[t])) w->results[t].differs++;
        record(&w->results[t], &verdicts[t], x, dy, got[t]);
    }
}

static void check(worker *w, size_t n) {
    const sweep_target *target = &w->sweep->targets[0];
    reference r = {0};
    for (size_t i = 0; i < n; i++) {
        if (sweep_is_exact(target) && !format_is_nan(format_of(target->in), w->patterns[i]))
            reference_evaluate(target->act, (float)format_widen(target->in, w->patterns[i]), &r);
        check_input(w, i, &r);
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
        places_fill_factors(in, n, w->patterns, w->y[0]);
        pack(in, n, w->y[0], w->dy);
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

static void merge(sweep_result *into, const sweep_result *from) {
    size_t kept = from->failed < SWEEP_KEPT_FAILURES ? (size_t)from->failed : SWEEP_KEPT_FAILURES;
    for (size_t i = 0; i < kept; i++) record_failure(into, from->failures[i]);
    into->failed += from->failed - kept;
    into->checked += from->checked;
    into->undecided += from->undecided;
    into->differs += from->differs;
    if (from->worst_ulp > 0) record_worst(into, from->worst_ulp, from->worst_x);
    if (from->worst_near_root > into->worst_near_root) into->worst_near_root = from->worst_near_root;
}

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
    for (size_t t = 0; t < n; t++)
        while (!judge_same_question(&targets[s.first[t]], &targets[t])) s.first[t]++;
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
        for (unsigned i = 0; i < n_workers; i++) merge(&results[t], &workers[i]->results[t]);
    }
    for (unsigned i = 0; i < n_workers; i++) free(workers[i]);
    return complete ? GELU_OK : GELU_ERR_MEMORY;
}
