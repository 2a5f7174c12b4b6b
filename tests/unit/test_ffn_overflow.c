/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The feed-forward layer where rounding its output to 16 bits makes infinity of a finite number: every bit of y, saturated
 * or not, and the count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include "unit/naive.h"

/* More rows than are worked on at a time; several panels of columns, the last one in part. */
enum { ROWS = 700, D_MODEL = 70, D_FF = 2, LD = D_MODEL + 1 };

/* y is the sum of two numbers of bf16, and its negative in every other column. */
static const struct {
    float large, small;
    uint16_t bits[2]; /* in f16, in bf16 */
    bool over[2];
} cases[] = {
    {0x1.fep15f, 239, {0x7bff, 0x4780}, {false, false}},          /* 65519, the last that f16 rounds down */
    {0x1.fep15f, 240, {0x7c00, 0x4780}, {true, false}},           /* 65520 */
    {0x1p16f, 0, {0x7c00, 0x4780}, {true, false}},                /* 65536 */
    {0x1.fep127f, 0x1.fep118f, {0x7c00, 0x7f7f}, {true, false}},  /* just below half way to infinity */
    {0x1.fep127f, 0x1p119f, {0x7c00, 0x7f80}, {true, true}},      /* half way, and so to even */
    {0x1.fep127f, 0x1.fep127f, {0x7c00, 0x7f80}, {false, false}}, /* infinite before it is rounded */
    {NAN, 1, {0x7e00, 0x7fc0}, {false, false}},
    {3, 0, {0x4200, 0x4040}, {false, false}},
};
enum { CASES = sizeof cases / sizeof *cases };

struct setting {
    gelu_compute compute;
    gelu_dtype ytype;
    bool gated, saturate;
};

/* What stands in row i, column j of y. */
static uint16_t expected(const struct setting *s, size_t i, size_t j) {
    int type = s->ytype == GELU_BF16;
    uint16_t bits = cases[i % CASES].bits[type];
    /* The largest finite number comes just before infinity. */
    if (s->saturate && cases[i % CASES].over[type]) bits--;
    return (uint16_t)(bits | (j % 2 ? 0x8000 : 0));
}

static size_t expected_overflows(const struct setting *s, size_t rows) {
    size_t count = 0;
    for (size_t i = 0; s->ytype != GELU_F32 && i < rows; i++) count += cases[i % CASES].over[s->ytype == GELU_BF16];
    return count * D_MODEL;
}

static uint16_t bf16(double x) { return gelu_bf16_from_f32((float)x); }

/* fc1 takes the first two columns of x as they are, up makes ones, and fc2 adds. */
static gelu_ffn *create(const struct setting *s) {
    static uint16_t fc1[D_FF * D_MODEL], up[D_FF * D_MODEL], ones[D_FF], fc2[D_MODEL * D_FF];
    for (size_t i = 0; i < D_FF; i++) fc1[i * D_MODEL + i] = ones[i] = bf16(1);
    for (size_t i = 0; i < D_MODEL * D_FF; i++) fc2[i] = bf16(i / D_FF % 2 ? -1 : 1);
    gelu_ffn_desc desc = {.d_model = D_MODEL,
                          .d_ff = D_FF,
                          .act = GELU_IDENTITY,
                          .gated = s->gated,
                          .fc1 = {GELU_BF16, GELU_OUT_IN, fc1, 0, NULL},
                          .fc2 = {GELU_BF16, GELU_OUT_IN, fc2, 0, NULL},
                          .compute = s->compute,
                          .saturate = s->saturate};
    if (s->gated) desc.up = (gelu_weights){GELU_BF16, GELU_OUT_IN, up, 0, ones};
    gelu_ffn *ffn;
    assert_int_equal(gelu_ffn_create(&desc, &ffn), GELU_OK);
    return ffn;
}

static void assert_y(const struct setting *s, size_t rows, const uint16_t *y) {
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < LD; j++) {
            uint16_t got = y[i * LD + j], want = i < rows && j < D_MODEL ? expected(s, i, j) : 0x5a5a;
            if (want != 0x5a5a && isnan(cases[i % CASES].large)) {
                assert_true(isnan(naive_get(s->ytype, &got)));
                continue;
            }
            if (got != want)
                fail_msg("%s, compute %d, %s%s: (%zu, %zu) of %zu rows: got %#x, want %#x", gelu_isa_name(),
                         (int)s->compute, gelu_dtype_name(s->ytype), s->gated ? ", gated" : "", i, j, rows,
                         (unsigned)got, (unsigned)want);
        }
}

static void check(const struct setting *s, const gelu_ffn *ffn, size_t rows) {
    static uint16_t x[ROWS * D_MODEL], y[ROWS * LD];
    for (size_t i = 0; i < ROWS; i++) {
        x[i * D_MODEL] = bf16((double)cases[i % CASES].large);
        x[i * D_MODEL + 1] = bf16((double)cases[i % CASES].small);
    }
    memset(y, 0x5a, sizeof y);
    size_t overflows = 99;
    const gelu_ffn_trace trace = {.overflows = &overflows};
    assert_int_equal(gelu_ffn_forward(ffn, rows, GELU_BF16, x, D_MODEL, &trace, s->ytype, y, LD, NULL), GELU_OK);
    assert_y(s, rows, y);
    assert_int_equal(overflows, expected_overflows(s, rows));
    /* Nobody need ask for the count. */
    memset(y, 0x5a, sizeof y);
    assert_int_equal(gelu_ffn_forward(ffn, rows, GELU_BF16, x, D_MODEL, NULL, s->ytype, y, LD, NULL), GELU_OK);
    assert_y(s, rows, y);
}

static void sixteen_bits(void **state) {
    (void)state;
    static const size_t batches[] = {0, 1, 2, CASES, 255, ROWS};
    for (size_t isa = 0; gelu_isa_available(isa); isa++) {
        assert_int_equal(gelu_isa_select(gelu_isa_available(isa)), GELU_OK);
        for (int i = 0; i < 16; i++) {
            const struct setting s = {i % 2 ? GELU_COMPUTE_BF16 : GELU_COMPUTE_F32, i / 2 % 2 ? GELU_BF16 : GELU_F16,
                                      i / 4 % 2, i / 8 % 2};
            gelu_ffn *ffn = create(&s);
            for (size_t threads = 1; threads <= 3; threads++) {
                gelu_status status = gelu_set_num_threads(threads);
                assert_true(status == GELU_OK || status == GELU_ERR_UNSUPPORTED);
                for (size_t b = 0; b < sizeof batches / sizeof *batches; b++) check(&s, ffn, batches[b]);
            }
            gelu_ffn_free(ffn);
        }
    }
    gelu_set_num_threads(0);
    gelu_isa_select(NULL);
}

/* An f32 output is not narrowed: infinity stays what it is, and none is counted. */
static void f32_has_none(void **state) {
    (void)state;
    static uint16_t x[CASES * D_MODEL];
    static float y[CASES * D_MODEL];
    for (size_t i = 0; i < CASES; i++) {
        x[i * D_MODEL] = bf16((double)cases[i].large);
        x[i * D_MODEL + 1] = bf16((double)cases[i].small);
    }
    for (int i = 0; i < 8; i++) {
        const struct setting s = {i % 2 ? GELU_COMPUTE_BF16 : GELU_COMPUTE_F32, GELU_F32, i / 2 % 2, i / 4 % 2};
        gelu_ffn *ffn = create(&s);
        size_t overflows = 99;
        const gelu_ffn_trace trace = {.overflows = &overflows};
        memset(y, 0x5a, sizeof y);
        assert_int_equal(gelu_ffn_forward(ffn, CASES, GELU_BF16, x, D_MODEL, &trace, GELU_F32, y, D_MODEL, NULL),
                         GELU_OK);
        assert_int_equal(overflows, 0);
        for (size_t k = 0; k < CASES * D_MODEL; k++) {
            float sum = cases[k / D_MODEL].large + cases[k / D_MODEL].small, want = k % D_MODEL % 2 ? -sum : sum;
            assert_true(isnan(want) ? isnan(y[k]) : y[k] == want);
        }
        gelu_ffn_free(ffn);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sixteen_bits), cmocka_unit_test(f32_has_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
