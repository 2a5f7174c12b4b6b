/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The bf16 product of every kernel table against the naive rule, bit for bit, on memory that ends at an inaccessible
 * page. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include "dispatch/dispatch.h"
#include "kernels/bf16_layout.h"
#include "unit/guard.h"
#include "unit/host.h"
#include "unit/naive.h"
#include "unit/naive_bf16.h"

#if defined(__x86_64__) && defined(__linux__)
#include "unit/amx_emulator.h"
#define EMULATE_AMX 1
#else
#define EMULATE_AMX 0
#endif

static bool emulated; /* AMX's table is run though the machine has no tiles */

static uint16_t bf16(double x) { return gelu_bf16_from_f32((float)x); }

static uint16_t random_bf16(enum naive_bf16_data data) { return (uint16_t)(naive_bf16_random(data) >> 16); }

static float random_bias(enum naive_bf16_data data) {
    uint32_t bits = naive_bf16_random(data);
    if (data == TINY) bits &= 0x80ffffff; /* half of them subnormal */
    float bias;
    memcpy(&bias, &bits, sizeof bias);
    return bias;
}

/* A product, its operands, and what must come out. Everything ends at a guard page. */
struct problem {
    size_t rows, cols, depth, ldx, ldc;
    struct guard x_pages, w_pages, bias_pages, c_pages, rows_pages;
    uint16_t *x, *w, *packed_w;
    float *bias, *c, *want;
    void *packed_x;
};

static struct problem problem_new(size_t rows, size_t cols, size_t depth, bool with_bias, enum naive_bf16_data data) {
    struct problem p = {.rows = rows, .cols = cols, .depth = depth, .ldx = depth + naive_below(3)};
    p.ldc = cols + naive_below(3);
    size_t x_count = rows ? (rows - 1) * p.ldx + depth : 0, c_count = rows ? (rows - 1) * p.ldc + cols : 0;
    size_t w_nbytes = 0, rows_nbytes = 0;
    assert_true(bf16_weights_nbytes(cols, depth, &w_nbytes) && bf16_rows_nbytes(rows, depth, &rows_nbytes));
    p.x_pages = guard_open(x_count * 2), p.w_pages = guard_open(w_nbytes), p.bias_pages = guard_open(cols * 4);
    p.c_pages = guard_open(c_count * 4), p.rows_pages = guard_open(rows_nbytes);
    p.x = guard_high(&p.x_pages, x_count * 2, 0);
    p.packed_w = guard_high(&p.w_pages, w_nbytes, 0);
    p.bias = with_bias ? guard_high(&p.bias_pages, cols * 4, 0) : NULL;
    p.c = guard_high(&p.c_pages, c_count * 4, 0);
    p.packed_x = guard_high(&p.rows_pages, rows_nbytes, 0);
    p.w = malloc(cols * depth * 2 + 1), p.want = malloc(rows * cols * 4 + 1);
    for (size_t i = 0; i < x_count; i++) p.x[i] = random_bf16(data);
    for (size_t i = 0; i < cols * depth; i++) p.w[i] = random_bf16(data);
    for (size_t i = 0; with_bias && i < cols; i++) p.bias[i] = random_bias(data);
    return p;
}

static void problem_expect(struct problem *p) {
    for (size_t m = 0; m < p->rows; m++)
        for (size_t n = 0; n < p->cols; n++)
            p->want[m * p->cols + n] =
                naive_bf16_sum(p->depth, p->x + m * p->ldx, p->w + n * p->depth, 1, p->bias ? p->bias[n] : 0);
}

static void problem_free(struct problem *p) {
    guard_close(&p->x_pages), guard_close(&p->w_pages), guard_close(&p->bias_pages), guard_close(&p->c_pages);
    guard_close(&p->rows_pages);
    free(p->w), free(p->want);
}

static bool same(float got, float want) { return (isnan(got) && isnan(want)) || memcmp(&got, &want, sizeof got) == 0; }

/* Every table that can be run, by emulation too. NULL past the end. */
static const struct gelu_kernels *table(size_t i) {
#if EMULATE_AMX
    if (emulated && i-- == 0) {
        amx_emulate(); /* in each test: cmocka has handlers of its own */
        return &gelu_kernels_amx;
    }
#endif
    if (!gelu_isa_available(i)) return NULL;
    assert_int_equal(gelu_isa_select(gelu_isa_available(i)), GELU_OK);
    return gelu_dispatch();
}

/* By one table, in column ranges of whole panels. */
static void problem_run(struct problem *p, const struct gelu_kernels *kernels, size_t range) {
    size_t c_count = p->rows ? (p->rows - 1) * p->ldc + p->cols : 0, panel = bf16_blocks(p->depth) * 1024;
    guard_fill(&p->c_pages);
    memset(p->c, 0xff, c_count * 4);                                                       /* NaN, in the gaps too */
    memset(p->packed_x, 0xff, (size_t)(p->rows_pages.end - (unsigned char *)p->packed_x)); /* padding is NaN, too */
    kernels->bf16_pack_rows(p->rows, p->depth, p->x, p->ldx, p->packed_x);
    for (size_t n = 0; n < p->cols; n += range)
        kernels->bf16_product(p->rows, bf16_min(range, p->cols - n), p->depth, p->packed_x,
                              p->packed_w + n / BF16_PANEL * panel, p->bias ? p->bias + n : NULL, p->c + n, p->ldc);
    assert_true(guard_intact(&p->c_pages, p->c, c_count * 4));
    for (size_t m = 0; m < p->rows; m++)
        for (size_t n = 0; n < p->ldc && m * p->ldc + n < c_count; n++) {
            float got = p->c[m * p->ldc + n], want = n < p->cols ? p->want[m * p->cols + n] : NAN;
            if (!same(got, want))
                fail_msg("%s, %zu x %zu x %zu, (%zu, %zu): got %a, want %a", kernels->name, p->rows, p->cols, p->depth,
                         m, n, (double)got, (double)want);
        }
}

static void check(size_t rows, size_t cols, size_t depth, enum naive_bf16_data data) {
    struct problem p = problem_new(rows, cols, depth, naive_below(4) > 0, data);
    bf16_pack_weights(cols, depth, p.w, depth, 1, p.packed_w);
    problem_expect(&p);
    const struct gelu_kernels *kernels;
    for (size_t i = 0; (kernels = table(i)); i++) problem_run(&p, kernels, BF16_PANEL * (1 + naive_below(3)));
    gelu_isa_select(NULL);
    problem_free(&p);
}

static void every_size_alone(void **state) {
    (void)state;
    for (size_t size = 0; size <= 70; size++)
        for (int data = 0; data < DATA_KINDS; data++) {
            check(size, 35, 67, (enum naive_bf16_data)data);
            check(13, size, 67, (enum naive_bf16_data)data);
            check(13, 35, size, (enum naive_bf16_data)data);
        }
}

static void random_sizes(void **state) {
    (void)state;
    for (int i = 0; i < 60; i++) {
        size_t sizes[3];
        for (int j = 0; j < 3; j++) sizes[j] = naive_below(naive_below(3) ? 100 : 600);
        check(sizes[0], sizes[1], sizes[2], (enum naive_bf16_data)naive_below(DATA_KINDS));
    }
}

/* Products whose sum lies just below the least normal number: whether it is tiny is decided after rounding. */
static void least_normal_number(void **state) {
    (void)state;
    static const struct {
        double x[2], w[2], bias;
        float want;
    } cases[] = {
        {{0x1p-63, 0x1p-75}, {0x1p-63, -0x1p-75}, 0, 0},            /* 2^-126 - 2^-150 is a number of 24 bits */
        {{0x1p-63, 0x1p-75}, {0x1p-63, -0x1.02p-76}, 0, 0},         /* nearer to it than to 2^-126 */
        {{0x1p-63, 0x1p-75}, {0x1p-63, -0x1p-76}, 0, 0x1p-126f},    /* half way: to even */
        {{0x1p-63, 0x1p-75}, {0x1p-63, -0x1.fep-77}, 0, 0x1p-126f}, /* nearer to 2^-126 */
        {{-0x1p-63, 0x1p-75}, {0x1p-63, 0x1p-75}, 0, -0.0f},
        {{-0x1p-63, 0x1p-75}, {0x1p-63, 0x1p-76}, 0, -0x1p-126f},
        {{0x1p-63, 0x1p-75}, {0x1p-63, 0x1p-75}, 0, 0x1p-126f},
        {{0x1p-64, 0x1p-64}, {0x1p-63, 0x1p-63}, 0, 0},       /* two halves, each of them zero */
        {{0x1p-133, 0}, {0x1p100, 0}, 0, 0},                  /* a subnormal x */
        {{0x1p100, 0}, {-0x1p-133, 0}, 0, 0},                 /* a subnormal w, and -0 + +0 */
        {{0x1p-126, 0}, {1, 0}, -0x1p-127, 0x1p-126f},        /* a subnormal bias */
        {{0x1p-126, 0}, {1, 0}, -0x1.8p-126, -0.0f},          /* a subnormal result */
        {{0x1.fep127, 0x1p127}, {1, 1}, 0, INFINITY},         /* rounds to infinity */
        {{0x1p127, INFINITY}, {2, 0x1p-133}, -INFINITY, NAN}, /* infinity times a subnormal */
    };
    enum { CASES = sizeof cases / sizeof *cases };
    const struct gelu_kernels *kernels;
    for (size_t i = 0; (kernels = table(i)); i++) {
        for (size_t j = 0; j < CASES; j++)
            for (size_t odd = 0; odd < 2; odd++) { /* in either chain */
                struct problem p = problem_new(1, 1, 32, true, PLAIN);
                memset(p.x, 0, 64), memset(p.w, 0, 64);
                for (size_t k = 0; k < 2; k++) {
                    p.x[4 + 2 * k + odd] = bf16(cases[j].x[k]);
                    p.w[4 + 2 * k + odd] = bf16(cases[j].w[k]);
                }
                *p.bias = (float)cases[j].bias;
                bf16_pack_weights(1, 32, p.w, 32, 1, p.packed_w);
                problem_expect(&p);
                if (!(same(*p.want, cases[j].want) || (cases[j].want == 0 && *p.want == 0)))
                    fail_msg("case %zu: the rule gives %a", j, (double)*p.want);
                problem_run(&p, kernels, BF16_PANEL);
                problem_free(&p);
            }
    }
    gelu_isa_select(NULL);
}

/* Whatever the host's control word, which is left as found. */
static void any_environment(void **state) {
    (void)state;
    for (int data = 0; data < DATA_KINDS; data++) {
        struct problem p = problem_new(17, 40, 300, true, (enum naive_bf16_data)data);
        bf16_pack_weights(p.cols, p.depth, p.w, p.depth, 1, p.packed_w);
        problem_expect(&p);
        const struct gelu_kernels *kernels;
        for (size_t i = 0; (kernels = table(i)); i++)
            for (size_t word = 0; word < HOST_WORDS; word++) {
                uint32_t before = host_get();
                host_set(host_words[word]);
                kernels->bf16_pack_rows(p.rows, p.depth, p.x, p.ldx, p.packed_x);
                kernels->bf16_product(p.rows, p.cols, p.depth, p.packed_x, p.packed_w, p.bias, p.c, p.ldc);
                uint32_t after = host_get();
                host_set(before);
                assert_int_equal(after, host_words[word]);
                for (size_t m = 0; m < p.rows; m++)
                    for (size_t n = 0; n < p.cols; n++) assert_true(same(p.c[m * p.ldc + n], p.want[m * p.cols + n]));
            }
        problem_free(&p);
    }
    gelu_isa_select(NULL);
}

static void sizes_do_not_wrap(void **state) {
    (void)state;
    size_t nbytes;
    assert_false(bf16_weights_nbytes(SIZE_MAX, 1, &nbytes));
    assert_false(bf16_weights_nbytes(SIZE_MAX / 64, SIZE_MAX / 64, &nbytes));
    assert_false(bf16_rows_nbytes(1, SIZE_MAX, &nbytes));
    assert_false(bf16_rows_nbytes(SIZE_MAX / 2, 33, &nbytes));
    assert_true(bf16_weights_nbytes(33, 33, &nbytes) && nbytes == 64 * 64 * 2);
    assert_true(bf16_rows_nbytes(33, 33, &nbytes) && nbytes == 64 * 64 * 4);
}

/* The tiles are used at all, and are left in their initial state. */
static void tiles_are_used(void **state) {
    (void)state;
#if EMULATE_AMX
    if (!emulated) skip();
    size_t before = amx.products;
    struct problem p = problem_new(33, 33, 33, true, PLAIN);
    bf16_pack_weights(33, 33, p.w, 33, 1, p.packed_w);
    problem_expect(&p);
    problem_run(&p, table(0), 2 * BF16_PANEL);
    assert_int_equal(amx.products - before, 4 * 2 * 2 * 2); /* four per 32 x 32 x 32 */
    for (size_t i = 0; i < sizeof amx.config; i++) assert_int_equal(amx.config[i], 0);
    problem_free(&p);
#else
    skip();
#endif
}

/* With tiles, with the emulator, or without either; which one is said, since results do not show it. */
static void start(void) {
    const char *best = gelu_isa_available(0);
#if EMULATE_AMX
    emulated = strncmp(best, "avx512", 6) == 0;
#endif
    bool tiles = strcmp(best, "amx") == 0;
    printf("AMX: %s\n", tiles ? "by the processor" : emulated ? "none here, emulated" : "none here, skipped");
}

int main(void) {
    start();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_alone), cmocka_unit_test(random_sizes),      cmocka_unit_test(least_normal_number),
        cmocka_unit_test(any_environment),  cmocka_unit_test(sizes_do_not_wrap), cmocka_unit_test(tiles_are_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
