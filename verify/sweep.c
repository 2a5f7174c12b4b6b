/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format.h"
#include "oracle.h"
#include "places.h"
#include "reference.h"
#include "sweep.h"

enum { MAX_TARGETS = 2, MAX_THREADS = 256, BLOCKS_PER_REPORT = 16 };

/* ---- The functions of the library ---- */

#define KERNEL(operation, dtype)                                                                                       \
    static void operation##_##dtype(gelu_act act, size_t n, const void *x, void *y) {                                  \
        gelu_##operation##_##dtype(act, n, x, y);                                                                      \
    }
KERNEL(forward, f32)
KERNEL(forward, f64)
KERNEL(forward, f16)
KERNEL(forward, bf16)
KERNEL(grad, f32)
KERNEL(grad, f64)
KERNEL(grad, f16)
KERNEL(grad, bf16)
KERNEL(grad2, f32)
KERNEL(grad2, f64)
#undef KERNEL

sweep_kernel sweep_library_kernel(int order, gelu_dtype dtype) {
    static const sweep_kernel kernels[3][GELU_BF16 + 1] = {
        {[GELU_F32] = forward_f32, [GELU_F64] = forward_f64, [GELU_F16] = forward_f16, [GELU_BF16] = forward_bf16},
        {[GELU_F32] = grad_f32, [GELU_F64] = grad_f64, [GELU_F16] = grad_f16, [GELU_BF16] = grad_bf16},
        {[GELU_F32] = grad2_f32, [GELU_F64] = grad2_f64},
    };
    return order < 0 || order > 2 ? NULL : kernels[order][dtype];
}

/* ---- What is demanded ---- */

bool sweep_is_exact(const sweep_target *target) { return target->order < 2 && target->in != GELU_F64; }

double sweep_bound(const sweep_target *target) {
    if (sweep_is_exact(target)) return 0.5;
    return target->in == GELU_F64 && target->order > 0 ? 2 : 1;
}

/* The bound on the absolute error within 2^-10 of a root. */
static double root_bound(gelu_dtype dtype) { return dtype == GELU_F64 ? 0x1p-63 : 0x1p-34; }

/* ---- One thread's work ---- */

typedef struct {
    const sweep_target *targets;
    size_t n_targets;
    const sweep_options *options;
    input_plan plan;
    atomic_uint_fast64_t next_block, done_blocks;
} sweep;

typedef struct {
    sweep *sweep;
    oracle *oracle;
    sweep_result results[MAX_TARGETS];
    uint64_t patterns[PLACES_BLOCK];
    uint64_t x[PLACES_BLOCK], y[MAX_TARGETS][PLACES_BLOCK]; /* arrays of the input and output types */
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

static void check_nan(const sweep_target *target, uint64_t x, uint64_t got, sweep_result *result) {
    const number_format *out = format_of(target->out);
    uint64_t want = format_convert_nan(format_of(target->in), x, out);
    if (target->order == 0 ? got == want : format_is_quiet_nan(out, got)) return;
    record_failure(result, (sweep_failure){x, got, want});
    record_worst(result, (double)INFINITY, x);
}

static void check_exact(worker *w, size_t t, uint64_t x, const reference *r, uint64_t got) {
    const sweep_target *target = &w->sweep->targets[t];
    sweep_result *result = &w->results[t];
    uint64_t want;
    double ulps;
    if (reference_round(r, target->order, target->out, &want)) {
        ulps = reference_ulps(r, target->order, target->out, got);
    } else {
        want =
            oracle_round(w->oracle, target->act, target->order, format_decode(format_of(target->in), x), target->out);
        ulps = oracle_measure(w->oracle, got).ulps;
        result->undecided++;
    }
    if (got != want) record_failure(result, (sweep_failure){x, got, want});
    record_worst(result, ulps, x);
}

static void check_bounded(worker *w, size_t t, uint64_t x, uint64_t got) {
    const sweep_target *target = &w->sweep->targets[t];
    sweep_result *result = &w->results[t];
    const number_format *out = format_of(target->out);
    double number = format_decode(format_of(target->in), x);
    uint64_t want = oracle_round(w->oracle, target->act, target->order, number, target->out);
    oracle_error error = oracle_measure(w->oracle, got);
    bool good;
    if (places_near_root(target->act, target->order, number)) {
        double share = error.absolute / root_bound(target->out);
        good = share <= 1;
        if (share > result->worst_near_root) result->worst_near_root = share;
    } else {
        bool special = number == 0 || isinf(number); /* the table of special values leaves no room */
        good = special ? error.absolute == 0 || got == want : error.ulps <= sweep_bound(target);
        /* Zeros and limits of f and f' have a sign; of f'' either will do. */
        if (target->order < 2) good = good && !((got ^ want) & out->sign) && (!special || got == want);
        record_worst(result, error.ulps, x);
    }
    if (!good) record_failure(result, (sweep_failure){x, got, want});
}

static float to_float(gelu_dtype dtype, uint64_t bits) {
    if (dtype != GELU_F32) return (float)format_decode(format_of(dtype), bits);
    uint32_t narrow = (uint32_t)bits;
    float value;
    memcpy(&value, &narrow, sizeof value);
    return value;
}

static void check_block(worker *w, size_t n) {
    const sweep_target *targets = w->sweep->targets;
    const number_format *in = format_of(targets[0].in);
    bool exact = sweep_is_exact(&targets[0]);
    reference r;
    for (size_t i = 0; i < n; i++) {
        uint64_t x = w->patterns[i];
        bool nan = format_is_nan(in, x);
        if (exact && !nan) reference_evaluate(targets[0].act, to_float(targets[0].in, x), &r);
        for (size_t t = 0; t < w->sweep->n_targets; t++) {
            uint64_t got = unpack(targets[t].out, w->y[t], i);
            w->results[t].checked++;
            if (nan)
                check_nan(&targets[t], x, got, &w->results[t]);
            else if (exact)
                check_exact(w, t, x, &r, got);
            else
                check_bounded(w, t, x, got);
        }
    }
}

static void work_with_oracle(worker *w) {
    sweep *s = w->sweep;
    for (;;) {
        if (s->options->stop && atomic_load(s->options->stop)) break;
        uint64_t block = atomic_fetch_add(&s->next_block, 1);
        if (block >= s->plan.blocks) break;
        size_t n = places_fill(&s->plan, block, w->patterns);
        pack(s->targets[0].in, n, w->patterns, w->x);
        for (size_t t = 0; t < s->n_targets; t++) s->targets[t].kernel(s->targets[t].act, n, w->x, w->y[t]);
        check_block(w, n);
        uint64_t done = atomic_fetch_add(&s->done_blocks, 1) + 1;
        if (w->reports && block % BLOCKS_PER_REPORT == 0)
            s->options->progress(s->options->context, done, s->plan.blocks);
    }
}

static void *work(void *argument) {
    worker *w = argument;
    w->oracle = oracle_new(); /* here, because MPFR keeps a cache per thread */
    w->failed = !w->oracle;
    if (w->oracle) work_with_oracle(w);
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
    if (from->worst_ulp > 0) record_worst(into, from->worst_ulp, from->worst_x);
    if (from->worst_near_root > into->worst_near_root) into->worst_near_root = from->worst_near_root;
}

static bool is_valid(size_t n, const sweep_target *targets) {
    if (n < 1 || n > MAX_TARGETS) return false;
    for (size_t t = 0; t < n; t++) {
        if (!targets[t].kernel || targets[t].act != targets[0].act || targets[t].in != targets[0].in) return false;
        if (sweep_is_exact(&targets[t]) != sweep_is_exact(&targets[0])) return false;
        if ((targets[t].in == GELU_F64) != (targets[t].out == GELU_F64)) return false;
        if (targets[t].order == 2 && format_of(targets[t].in)->width < 32) return false;
    }
    return true;
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
    unsigned running = 1; /* the caller itself; if the system refuses more threads, fewer do the work */
    for (; running < n; running++)
        if (pthread_create(&workers[running]->thread, NULL, work, workers[running]) != 0) break;
    work(workers[0]);
    bool failed = workers[0]->failed;
    for (unsigned i = 1; i < running; i++) {
        pthread_join(workers[i]->thread, NULL);
        failed = failed || workers[i]->failed;
    }
    return !failed;
}

gelu_status sweep_run(size_t n, const sweep_target *targets, const sweep_options *options, sweep_result *results) {
    if (!is_valid(n, targets)) return GELU_ERR_ARGUMENT;
    sweep s = {.targets = targets, .n_targets = n, .options = options};
    plan_inputs(&targets[0], options, &s.plan);

    worker *workers[MAX_THREADS];
    unsigned n_workers = make_workers(&s, thread_count(options->threads), workers);
    if (n_workers == 0) return GELU_ERR_MEMORY;
    workers[0]->reports = options->progress != NULL;
    bool complete = run_workers(workers, n_workers);
    for (size_t t = 0; t < n; t++) {
        results[t] = (sweep_result){.stopped = options->stop && atomic_load(options->stop)};
        for (unsigned i = 0; i < n_workers; i++) merge(&results[t], &workers[i]->results[t]);
    }
    for (unsigned i = 0; i < n_workers; i++) free(workers[i]);
    return complete ? GELU_OK : GELU_ERR_MEMORY;
}
