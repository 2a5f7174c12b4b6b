/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* All 2^32 inputs of every f32 function and first derivative, exact and fast, on another machine as on this one. The
 * inputs are taken in chunks of 2^20 successive bit patterns, and hashes of the results compared.
 *
 *   sweep worker ISA STRIDE FIRST STEP   prints "chunk hash..." for chunks STRIDE * (FIRST + i * STEP), i = 0, 1, ...
 *   sweep compare STRIDE JOBS COMMAND    does the same with this machine's best ISA and compares with JOBS workers that
 *                                        COMMAND starts, such as "qemu-aarch64 build-aarch64/tests/neon/neon_sweep" */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "unit/act_ops.h"

enum {
    CHUNK_BITS = 20,
    CHUNKS = 1 << (32 - CHUNK_BITS),
    BLOCK = 1 << 13,
    OPERATIONS = 4,
    FUNCTIONS = OPERATIONS * ACT_COUNT,
    MOST_JOBS = 64
};
#define OTHER_ISA "neon"

static void fail(const char *what) {
    fprintf(stderr, "sweep: %s\n", what);
    exit(2);
}

static const char *function_name(int function) {
    static const char *const prefix[OPERATIONS] = {"", "", "fast_", "fast_"};
    static char text[32];
    int operation = function % OPERATIONS;
    const char *act = gelu_act_name((gelu_act)(function / OPERATIONS));
    snprintf(text, sizeof text, "%s%s%s", prefix[operation], act, operation % 2 ? "_grad" : "");
    return text;
}

static void call(int function, const float *x, float *y) {
    static float ones[BLOCK];
    gelu_act act = (gelu_act)(function / OPERATIONS);
    switch (function % OPERATIONS) {
    case 0: gelu_forward_f32(act, BLOCK, x, y); break;
    case 1: gelu_grad_f32(act, BLOCK, x, y); break;
    case 2: gelu_fast_forward_f32(act, BLOCK, x, y); break;
    default:
        for (size_t i = 0; i < BLOCK; i++) ones[i] = 1;
        gelu_fast_backward_f32(act, BLOCK, x, ones, y);
    }
}

/* Which NaN a derivative gives is not promised, so all count as one. */
static uint64_t hash_block(uint64_t hash, bool any_nan, const float *y) {
    for (size_t i = 0; i < BLOCK; i++) {
        uint32_t bits = bits_of_f32(y[i]);
        if (any_nan && (bits & 0x7fffffff) > 0x7f800000) bits = 0x7fc00000;
        hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash;
}

static void hash_chunk(uint32_t chunk, uint64_t hash[FUNCTIONS]) {
    static float x[BLOCK], y[BLOCK];
    for (int function = 0; function < FUNCTIONS; function++) hash[function] = 0xcbf29ce484222325u;
    for (uint32_t first = 0; first < 1u << CHUNK_BITS; first += BLOCK) {
        for (uint32_t i = 0; i < BLOCK; i++) x[i] = f32_of_bits((chunk << CHUNK_BITS) + first + i);
        for (int function = 0; function < FUNCTIONS; function++) {
            call(function, x, y);
            hash[function] = hash_block(hash[function], function % 2, y);
        }
    }
}

static int work(const char *isa, uint32_t stride, uint32_t first, uint32_t step) {
    if (gelu_isa_select(isa) != GELU_OK) fail("no such instruction set");
    for (uint64_t chunk = (uint64_t)stride * first; chunk < CHUNKS; chunk += (uint64_t)stride * step) {
        uint64_t hash[FUNCTIONS];
        hash_chunk((uint32_t)chunk, hash);
        printf("%" PRIu64, chunk);
        for (int function = 0; function < FUNCTIONS; function++) printf(" %" PRIx64, hash[function]);
        printf("\n");
        fflush(stdout);
    }
    return 0;
}

static void read_chunk(FILE *worker, uint32_t chunk, uint64_t hash[FUNCTIONS]) {
    uint32_t number;
    bool ok = fscanf(worker, "%" SCNu32, &number) == 1 && number == chunk;
    for (int function = 0; function < FUNCTIONS; function++)
        ok = ok && fscanf(worker, "%" SCNx64, &hash[function]) == 1;
    if (!ok) fail("a worker stopped");
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* On a terminal one line that changes, elsewhere a line per tenth. */
static void report(uint32_t done, uint32_t total, double elapsed) {
    bool terminal = isatty(STDERR_FILENO);
    if (!terminal && done * 10 / total == (done - 1) * 10 / total) return;
    double left = elapsed / done * (total - done);
    fprintf(stderr, "%s%" PRIu32 " of %" PRIu32 " chunks, %.0f s, %.0f s to go %s", terminal ? "\r" : "", done, total,
            elapsed, left, terminal && done < total ? "" : "\n");
}

static int compare(uint32_t stride, uint32_t jobs, const char *command) {
    FILE *worker[MOST_JOBS];
    for (uint32_t job = 0; job < jobs; job++) {
        char text[4096];
        int length = snprintf(text, sizeof text, "exec %s worker %s %" PRIu32 " %" PRIu32 " %" PRIu32, command,
                              OTHER_ISA, stride, job, jobs);
        if (length >= (int)sizeof text || !(worker[job] = popen(text, "r"))) fail("cannot start a worker");
    }
    uint32_t total = (CHUNKS + stride - 1) / stride, differ[FUNCTIONS] = {0}, failed = 0;
    double start = seconds();
    for (uint32_t i = 0; i < total; i++) {
        uint64_t ours[FUNCTIONS], theirs[FUNCTIONS];
        uint32_t chunk = i * stride;
        hash_chunk(chunk, ours);
        read_chunk(worker[i % jobs], chunk, theirs);
        for (int function = 0; function < FUNCTIONS; function++) {
            if (ours[function] == theirs[function]) continue;
            printf("%s differs within %08" PRIx32 " to %08" PRIx32 "\n", function_name(function), chunk << CHUNK_BITS,
                   (chunk << CHUNK_BITS) + (1u << CHUNK_BITS) - 1);
            differ[function]++;
        }
        report(i + 1, total, seconds() - start);
    }
    for (uint32_t job = 0; job < jobs; job++)
        if (pclose(worker[job]) != 0) fail("a worker failed");
    double elapsed = seconds() - start;
    for (int function = 0; function < FUNCTIONS; function++) {
        printf("%-18s %10" PRIu64 " inputs: ", function_name(function), (uint64_t)total << CHUNK_BITS);
        if (differ[function])
            printf("%" PRIu32 " of %" PRIu32 " chunks differ\n", differ[function], total);
        else
            printf("the same bits\n");
        failed += differ[function] > 0;
    }
    printf("%s as %s: %d functions, %" PRIu32 " differ; %.0f s", OTHER_ISA, gelu_isa_name(), FUNCTIONS, failed,
           elapsed);
    if (stride > 1) printf(", all chunks would take about %.0f s", elapsed * CHUNKS / total);
    printf("\n");
    return failed > 0;
}

static uint32_t number(const char *text, uint32_t least, uint32_t most) {
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || value < least || value > most) fail("a number is out of range");
    return (uint32_t)value;
}

int main(int argc, char **argv) {
    if (argc == 6 && strcmp(argv[1], "worker") == 0)
        return work(argv[2], number(argv[3], 1, CHUNKS), number(argv[4], 0, MOST_JOBS), number(argv[5], 1, MOST_JOBS));
    if (argc == 5 && strcmp(argv[1], "compare") == 0)
        return compare(number(argv[2], 1, CHUNKS), number(argv[3], 1, MOST_JOBS), argv[4]);
    fprintf(stderr, "usage: sweep compare STRIDE JOBS COMMAND | sweep worker ISA STRIDE FIRST STEP\n");
    return 2;
}
