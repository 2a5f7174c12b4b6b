/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Every kernel of every instruction set against the scalar one, bit for bit (any NaN equals any other): all entries of
 * kernel_list.inc, all activations. (The products, whose tiles differ in size, have test_linear.) A million inputs a
 * kernel; 10^8, which takes hours, with GELU_TEST_LONG=1 in the environment: GELU_TEST_LONG=1 build/tests/test_isa_bits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <cmocka.h>
#include <pthread.h>
#include "dispatch/dispatch.h"
#include "unit/act_ops.h"

enum { CHUNK = 4096, SHORT = 67, MOST_ISAS = 8 };
/* A sanitizer build computes some twenty times as slowly. */
enum { USUAL_CHUNKS = TEST_SANITIZED ? 8 : 250, LONG_CHUNKS = 24500 };

/* ---- The kernels by number ---- */

enum kind { UNARY, BACKWARD, CONVERT };

typedef void (*kernel_call)(const struct gelu_kernels *k, int act, size_t n, const void *x, const void *dy, void *y);

#define GELU_UNARY(slot, operation, in, out)                                                                           \
    static void call_##slot(const struct gelu_kernels *k, int act, size_t n, const void *x, const void *dy, void *y) { \
        (void)dy;                                                                                                      \
        k->slot[act](n, x, y);                                                                                         \
    }
#define GELU_BACKWARD(slot, type)                                                                                      \
    static void call_##slot(const struct gelu_kernels *k, int act, size_t n, const void *x, const void *dy, void *y) { \
        k->slot[act](n, x, dy, y);                                                                                     \
    }
#define GELU_CONVERT(from, to)                                                                                         \
    static void call_##from##_##to(const struct gelu_kernels *k, int act, size_t n, const void *x, const void *dy,     \
                                   void *y) {                                                                          \
        (void)act, (void)dy;                                                                                           \
        k->convert_##from##_##to(n, x, y);                                                                             \
    }
#include "kernels/kernel_list.inc"

#define DTYPE_f32 GELU_F32
#define DTYPE_f64 GELU_F64
#define DTYPE_f16 GELU_F16
#define DTYPE_bf16 GELU_BF16

static const struct entry {
    const char *name;
    enum kind kind;
    gelu_dtype in, out;
    kernel_call call;
} entries[] = {
#define GELU_UNARY(slot, operation, in, out) {#slot, UNARY, DTYPE_##in, DTYPE_##out, call_##slot},
#define GELU_BACKWARD(slot, type) {#slot, BACKWARD, DTYPE_##type, DTYPE_##type, call_##slot},
#define GELU_CONVERT(from, to) {"convert_" #from "_" #to, CONVERT, DTYPE_##from, DTYPE_##to, call_##from##_##to},
#include "kernels/kernel_list.inc"
};
enum { N_ENTRIES = sizeof entries / sizeof *entries };

static const struct gelu_kernels *scalar, *others[MOST_ISAS];
static size_t n_others;

/* ---- Inputs ---- */

/* Where results vanish, reach x or 1, cross zero or turn subnormal; where one method takes over from another. */
static const double thresholds[] = {
    0,        0x1p-149, 0x1p-126, 0x1p-125, 0x1p-28,  0x1p-24,  0x1p-20,  0x1p-14,  0.7187,    0.751154,  0.751792,
    0.752461, 1,        1.278465, 1.409728, 1.414214, 1.418504, 2.399357, 4.994137, 5.4,       5.46786,   5.75,
    5.910161, 7.136,    8.21269,  10.10064, 10.77087, 13.1462,  14.3561,  16.63553, 16.67697,  19.5563,   21.547,
    37.6159,  38.5801,  53.654,   63.5273,  87.33654, 91.8568,  103.9721, 108.6603, 419.7627,  441.3767,  708.396,
    714.969,  751.7556, 65504,    65520,    0x1p-25,  0x1p-133, 0x1p-134, 0x1p128,  0x1p-1022, 0x1p-1074, 0x1p+1000,
};
enum { N_THRESHOLDS = sizeof thresholds / sizeof *thresholds };

static uint64_t bits_of_number(gelu_dtype dtype, double value) {
    uint16_t narrow = 0;
    if (dtype == GELU_F64) return bits_of_f64(value);
    if (dtype == GELU_F32) return bits_of_f32((float)value);
    if (dtype == GELU_F16) scalar->convert_f64_f16(1, &value, &narrow);
    if (dtype == GELU_BF16) scalar->convert_f64_bf16(1, &value, &narrow);
    return narrow;
}

static double uniform(uint64_t random) { return (double)(random >> 11) * 0x1p-53; }

/* Within 2^14 patterns of a threshold, closer ones more often. */
static uint64_t near_threshold(gelu_dtype dtype, uint64_t random, uint64_t more) {
    struct format f = format_of(dtype);
    uint64_t pattern = bits_of_number(dtype, thresholds[random % N_THRESHOLDS]) | (more & 1 ? f.sign : 0);
    uint64_t distance = (more >> 8 & 0x3fff) >> (more >> 24) % 15;
    return (more & 2 ? pattern + distance : pattern - distance) & (2 * f.sign - 1);
}

enum { RANDOM_BITS, UNIFORM, FEW_FAR, THRESHOLDS, ANY_KIND };

static uint64_t make_input(gelu_dtype dtype, int kind, uint64_t *state) {
    uint64_t random = random_bits(state), more = random_bits(state);
    struct format f = format_of(dtype);
    switch (kind == ANY_KIND ? (int)(more >> 60) % ANY_KIND : kind) {
    case RANDOM_BITS: return random & (2 * f.sign - 1);
    case UNIFORM: return bits_of_number(dtype, 40 * uniform(random) - 20);
    case FEW_FAR: return bits_of_number(dtype, (more % 32 ? 4 : 40) * (uniform(random) - 0.5));
    default: return near_threshold(dtype, random, more);
    }
}

/* Every few chunks one input many times over: a block in which no lane, or every lane, is hard. */
static void fill(gelu_dtype dtype, uint64_t chunk, uint64_t *state, void *out) {
    uint64_t same = make_input(dtype, ANY_KIND, state);
    for (size_t i = 0; i < CHUNK; i++)
        set_element_bits(dtype, out, i,
                         chunk % 16 == 15 && i % 64 ? same : make_input(dtype, (int)(chunk % (ANY_KIND + 1)), state));
}

static void fill_all_patterns(gelu_dtype dtype, uint64_t chunk, void *out) {
    for (size_t i = 0; i < CHUNK; i++) set_element_bits(dtype, out, i, (chunk * CHUNK + i) * 40503 & 0xffff);
}

static bool all_patterns_do(const struct entry *e) { return gelu_dtype_nbytes(e->in) == 2 && e->kind != BACKWARD; }

/* ---- One kernel of one activation, in one thread ---- */

struct job {
    const struct entry *entry;
    int act;
    char failure[256]; /* empty: none */
};

struct arrays {
    uint64_t x[CHUNK], dy[CHUNK], want[CHUNK], got[CHUNK + 1]; /* room for any type */
};

static bool same_bits(gelu_dtype dtype, uint64_t a, uint64_t b) {
    return a == b || (is_nan_bits(dtype, a) && is_nan_bits(dtype, b));
}

static void *element(gelu_dtype dtype, void *array, size_t i) {
    return (unsigned char *)array + i * gelu_dtype_nbytes(dtype);
}

/* got[0..n) against what the scalar kernel gave for x[first..first + n). */
static bool expect_same(struct job *job, const char *isa, const char *how, const struct arrays *a, size_t first,
                        size_t n) {
    const struct entry *e = job->entry;
    for (size_t i = 0; i < n; i++) {
        uint64_t got = element_bits(e->out, a->got, i), want = element_bits(e->out, a->want, first + i);
        if (same_bits(e->out, got, want)) continue;
        snprintf(job->failure, sizeof job->failure, "%s %s, %s%s: x %llx, dy %llx: got %llx, scalar %llx (%zu of %zu)",
                 e->name, gelu_act_name((gelu_act)job->act), isa, how,
                 (unsigned long long)element_bits(e->in, a->x, first + i),
                 (unsigned long long)element_bits(e->in, a->dy, first + i), (unsigned long long)got,
                 (unsigned long long)want, i, n);
        return false;
    }
    return true;
}

/* Calls of many lengths, so that blocks begin everywhere. */
static bool compare_chunk(struct job *job, struct arrays *a, uint64_t *state) {
    const struct entry *e = job->entry;
    e->call(scalar, job->act, CHUNK, a->x, a->dy, a->want);
    for (size_t k = 0; k < n_others; k++)
        for (size_t first = 0, n; first < CHUNK; first += n) {
            n = 1 + random_bits(state) % CHUNK;
            if (n > CHUNK - first) n = CHUNK - first;
            e->call(others[k], job->act, n, element(e->in, a->x, first), element(e->in, a->dy, first), a->got);
            if (!expect_same(job, others[k]->name, "", a, first, n)) return false;
        }
    return true;
}

static bool compare_many(struct job *job, struct arrays *a) {
    const struct entry *e = job->entry;
    uint64_t state = (uint64_t)(e - entries) * 1000 + (uint64_t)job->act;
    uint64_t chunks = getenv("GELU_TEST_LONG") ? LONG_CHUNKS : USUAL_CHUNKS;
    if (all_patterns_do(e)) chunks = 65536 / CHUNK;
    for (uint64_t chunk = 0; chunk < chunks; chunk++) {
        if (all_patterns_do(e))
            fill_all_patterns(e->in, chunk, a->x);
        else
            fill(e->in, chunk, &state, a->x);
        fill(e->in, chunk / 4, &state, a->dy);
        if (!compare_chunk(job, a, &state)) return false;
    }
    return true;
}

/* x[first..first + n), by every instruction set, the scalar one too: each length has its own tail. */
static bool compare_short(struct job *job, struct arrays *a, const struct gelu_kernels *k, size_t first, size_t n) {
    const struct entry *e = job->entry;
    const void *x = element(e->in, a->x, first), *dy = element(e->in, a->dy, first);
    memset(a->got, 0x5a, sizeof a->got);
    e->call(k, job->act, n, x, dy, a->got);
    if (!expect_same(job, k->name, ", short", a, first, n)) return false;
    const unsigned char *after = element(e->out, a->got, n);
    if (*after != 0x5a) {
        snprintf(job->failure, sizeof job->failure, "%s, %s: writes past %zu elements", e->name, k->name, n);
        return false;
    }
    if (gelu_dtype_nbytes(e->in) != gelu_dtype_nbytes(e->out)) return true;
    memcpy(a->got, x, n * gelu_dtype_nbytes(e->in));
    e->call(k, job->act, n, a->got, dy, a->got);
    if (!expect_same(job, k->name, ", in place", a, first, n)) return false;
    if (e->kind != BACKWARD) return true;
    memcpy(a->got, dy, n * gelu_dtype_nbytes(e->in));
    e->call(k, job->act, n, x, a->got, a->got);
    return expect_same(job, k->name, ", dy in place", a, first, n);
}

static bool compare_all_short(struct job *job, struct arrays *a) {
    const struct entry *e = job->entry;
    uint64_t state = (uint64_t)(e - entries) * 77 + (uint64_t)job->act;
    for (size_t i = 0; i < SHORT; i++) {
        set_element_bits(e->in, a->x, i, make_input(e->in, (int)(i % (ANY_KIND + 1)), &state));
        set_element_bits(e->in, a->dy, i, random_element(e->in, &state));
    }
    e->call(scalar, job->act, SHORT, a->x, a->dy, a->want);
    for (size_t k = 0; k <= n_others; k++)
        for (size_t n = 0; n <= SHORT; n++)
            for (size_t first = 0; first <= SHORT - n; first++)
                if (!compare_short(job, a, k < n_others ? others[k] : scalar, first, n)) return false;
    return true;
}

/* ---- All of them, in two threads ---- */

static struct job jobs[N_ENTRIES * GELU_ACT_COUNT];
static size_t n_jobs;
static atomic_size_t next_job;

static void *work(void *unused) {
    (void)unused;
    struct arrays *a = malloc(sizeof *a);
    for (size_t i; (i = atomic_fetch_add(&next_job, 1)) < n_jobs;) {
        if (!a)
            snprintf(jobs[i].failure, sizeof jobs[i].failure, "no memory");
        else if (compare_all_short(&jobs[i], a))
            compare_many(&jobs[i], a);
    }
    free(a);
    return NULL;
}

static void every_kernel_gives_the_scalar_bits(void **unused) {
    (void)unused;
    for (size_t e = 0; e < N_ENTRIES; e++)
        for (int act = 0; act < (entries[e].kind == CONVERT ? 1 : GELU_ACT_COUNT); act++)
            jobs[n_jobs++] = (struct job){.entry = &entries[e], .act = act};
    pthread_t second;
    int status = pthread_create(&second, NULL, work, NULL);
    work(NULL);
    if (status == 0) pthread_join(second, NULL);
    int failures = 0;
    for (size_t i = 0; i < n_jobs; i++) {
        if (!jobs[i].failure[0]) continue;
        print_error("%s\n", jobs[i].failure);
        failures++;
    }
    assert_int_equal(failures, 0);
}

static int find_tables(void **unused) {
    (void)unused;
    for (size_t i = 0; gelu_isa_available(i); i++) {
        if (gelu_isa_select(gelu_isa_available(i)) != GELU_OK || n_others == MOST_ISAS) return -1;
        const struct gelu_kernels *table = gelu_dispatch();
        bool repeats = n_others > 0 && table->forward_f32[GELU_ERF] == others[n_others - 1]->forward_f32[GELU_ERF];
        if (strcmp(table->name, "scalar") == 0)
            scalar = table;
        else if (!repeats)
            others[n_others++] = table;
    }
    if (n_others == 0) print_message("skipped: comparing instruction sets, this machine has the scalar one only\n");
    return scalar ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_gives_the_scalar_bits),
    };
    return cmocka_run_group_tests(tests, find_tables, NULL);
}
