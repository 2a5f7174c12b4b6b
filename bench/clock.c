/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench.h"

double bench_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Of all threads of the process together. */
static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double bench_seconds_of(unsigned threads) { return threads == 1 ? processor_seconds() : bench_seconds(); }

double bench_sample(unsigned threads, void (*run)(void *context, size_t times), void *context, size_t *repeats) {
    const double sample_seconds = 200e-6;
    if (*repeats != 1) run(context, 1);
    if (*repeats == 0) {
        double started = bench_seconds_of(threads);
        run(context, 1);
        *repeats = 1 + (size_t)(sample_seconds / (bench_seconds_of(threads) - started + 1e-9));
    }
    double started = bench_seconds_of(threads);
    run(context, *repeats);
    return (bench_seconds_of(threads) - started) / (double)*repeats;
}

/* An integer addition takes one clock on every processor of interest; a fused multiply-add takes 4 on most, 5 on some,
 * but always a whole number: the ratio of two chains tells which. Timestamp counters do not count clocks. */
enum { ADDS = 1 << 16, FMAS = 1 << 14, UNROLL = 16 };
#define SIXTEEN_TIMES(x) x x x x x x x x x x x x x x x x

static double shortest_add, shortest_fma; /* seconds each; 0: none yet */

/* The compiler must neither look into a chain nor know its operands. */
#define OPAQUE_INTEGER(x) __asm__ volatile("" : "+r"(x))
#if defined(__x86_64__)
#define OPAQUE_DOUBLE(x) __asm__ volatile("" : "+x"(x))
#define FMA_TARGET __attribute__((target("fma")))
#define HAVE_FMA __builtin_cpu_supports("fma")
#elif defined(__aarch64__)
#define OPAQUE_DOUBLE(x) __asm__ volatile("" : "+w"(x))
#define FMA_TARGET
#define HAVE_FMA 1
#endif

static double add_chain_seconds(void) {
    uint64_t sum = 1, step = 3;
    OPAQUE_INTEGER(step);
    double started = bench_seconds();
    for (int i = 0; i < ADDS / UNROLL; i++) {
        SIXTEEN_TIMES(sum += step; OPAQUE_INTEGER(sum);)
    }
    return bench_seconds() - started;
}

#ifdef HAVE_FMA
FMA_TARGET static double fma_chain_seconds(void) {
    double sum = 1, factor = 0.75, term = 0.25;
    OPAQUE_DOUBLE(factor);
    OPAQUE_DOUBLE(term);
    double started = bench_seconds();
    for (int i = 0; i < FMAS / UNROLL; i++) {
        SIXTEEN_TIMES(sum = __builtin_fma(sum, factor, term); OPAQUE_DOUBLE(sum);)
    }
    return bench_seconds() - started;
}
#endif

static void keep_shorter(double seconds, double *shortest) {
    if (*shortest == 0 || seconds < *shortest) *shortest = seconds;
}

void bench_clock_sample(void) {
    keep_shorter(add_chain_seconds() / ADDS, &shortest_add);
#ifdef HAVE_FMA
    if (HAVE_FMA) keep_shorter(fma_chain_seconds() / FMAS, &shortest_fma);
#endif
}

int bench_fma_latency(void) { return (int)(shortest_fma / shortest_add + 0.5); }

double bench_clock_ghz(void) {
    int latency = bench_fma_latency();
    return latency > 0 ? 1e-9 * latency / shortest_fma : 1e-9 / shortest_add;
}

const char *bench_cpu_name(void) {
    static char name[96];
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file) return "unknown processor";
    char line[256];
    while (!*name && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !colon) continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(name, sizeof name, "%.90s", colon + 1 + strspn(colon + 1, " \t"));
    }
    fclose(file);
    return *name ? name : "unknown processor";
}
