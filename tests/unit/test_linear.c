/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Linear against the rule of the header, bit for bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include "unit/naive.h"

static const gelu_dtype types[] = {GELU_F32, GELU_F16, GELU_BF16, GELU_F64};
static const size_t depths[] = {0, 1, 2, 3, 7, 64, 255, 256, 257, 300, 512, 600};
static const size_t widths[] = {0, 1, 2, 7, 8, 9, 16, 19};
static const size_t batches[] = {0, 1, 2, 3, 5, 31, 32, 33};

#define PICK(array) (array)[naive_below(sizeof(array) / sizeof *(array))]

enum residual_kind { RESIDUAL_NONE, RESIDUAL_APART, RESIDUAL_IN_PLACE };

/* What a call has beside x and y. */
struct epilogue {
    gelu_act act;
    bool fast;
    const struct matrix *residual, *value;
};

/* f(a) * value + residual, rounded to real after each. */
static double epilogue_of(const struct layer *l, const struct epilogue *e, double a, size_t i, size_t j) {
    double t = naive_act(l->real, e->act, a);
    if (e->fast) {
        float narrow = (float)a;
        gelu_fast_forward_f32(e->act, 1, &narrow, &narrow);
        t = narrow;
    }
    double v = e->value ? matrix_get(e->value, i, j) : 1, r = e->residual ? matrix_get(e->residual, i, j) : 0;
    if (e->value) t = l->real == GELU_F64 ? t * v : (double)((float)t * (float)v);
    if (e->residual) t = l->real == GELU_F64 ? t + r : (double)((float)t + (float)r);
    return t;
}

/* y and preact as they must become, from layer, x and what y holds now if that is the residual. */
static void expect_forward(const struct layer *l, const struct matrix *x, const struct epilogue *e, struct matrix *y,
                           struct matrix *preact) {
    double *values = naive_values(x), *acc = layer_apply(l, x->rows, values);
    bool direct = !e->residual && !e->value && !e->fast;
    for (size_t i = 0; i < x->rows; i++)
        for (size_t j = 0; j < l->out; j++) {
            double a = acc[i * l->out + j];
            void *to = matrix_at(y, i, j);
            naive_set(l->real, a, l->real, matrix_at(preact, i, j));
            float a32 = (float)a;
            if (direct && y->dtype == GELU_F16)
                gelu_dispatch()->forward_f32_f16[e->act](1, &a32, to);
            else if (direct && y->dtype == GELU_BF16)
                gelu_dispatch()->forward_f32_bf16[e->act](1, &a32, to);
            else
                naive_set(l->real, epilogue_of(l, e, a, i, j), y->dtype, to);
        }
    free(values);
    free(acc);
}

static void check_forward(gelu_dtype wtype, gelu_dtype xtype, gelu_dtype ytype) {
    size_t in = PICK(depths), out = PICK(widths), rows = PICK(batches);
    enum residual_kind kind = (enum residual_kind)naive_below(3);
    struct layer l = layer_new(wtype, naive_below(2) ? GELU_OUT_IN : GELU_IN_OUT, in, out, naive_below(4) > 0);
    struct matrix x = matrix_random(xtype, rows, in), y = matrix_new(ytype, rows, out, out + naive_below(4));
    struct matrix residual = matrix_random(ytype, rows, out), preact = matrix_new(l.real, rows, out, out + 2);
    struct matrix value = matrix_random(l.real, rows, out);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < out; j++) /* y holds NaN, or the residual */
            naive_set(GELU_F64, kind == RESIDUAL_IN_PLACE ? naive_value() : NAN, ytype, matrix_at(&y, i, j));
    struct matrix want_y = matrix_copy(&y), want_preact = matrix_copy(&preact);
    struct epilogue by = {.act = (gelu_act)naive_below(GELU_ACT_COUNT)};
    by.fast = l.real == GELU_F32 && naive_below(3) == 0;
    by.value = naive_below(3) ? NULL : &value;
    by.residual = kind == RESIDUAL_NONE ? NULL : kind == RESIDUAL_APART ? &residual : &want_y;
    expect_forward(&l, &x, &by, &want_y, &want_preact);

    gelu_linear *linear;
    assert_int_equal(
        (naive_below(2) ? gelu_linear_create : gelu_linear_view)(in, out, &l.weights, GELU_COMPUTE_F32, &linear),
        GELU_OK);
    bool want_trace = naive_below(2);
    const struct matrix *given = kind == RESIDUAL_APART ? &residual : &y;
    gelu_epilogue e = {.act = by.act,
                       .residual = kind == RESIDUAL_NONE ? NULL : given->p,
                       .ldr = given->ld,
                       .preact = want_trace ? preact.p : NULL,
                       .ldp = preact.ld,
                       .value = by.value ? value.p : NULL,
                       .ldv = value.ld,
                       .fast = by.fast};
    assert_int_equal(gelu_linear_forward(linear, rows, xtype, x.p, x.ld, &e, ytype, y.p, y.ld, NULL), GELU_OK);
    matrix_assert_equal(&y, &want_y, "y");
    if (want_trace) matrix_assert_equal(&preact, &want_preact, "preact");
    gelu_linear_free(linear);
    layer_free(&l);
    free(x.p), free(y.p), free(residual.p), free(preact.p), free(value.p), free(want_y.p), free(want_preact.p);
}

static void check_backward(gelu_dtype wtype, gelu_dtype xtype, gelu_dtype dytype) {
    static const size_t many_rows[] = {0, 1, 3, 255, 256, 257, 520};
    size_t in = PICK(widths), out = PICK(widths), rows = PICK(many_rows);
    if (naive_below(3) == 0) out = PICK(depths), rows = PICK(batches);
    bool add = naive_below(2);
    struct layer l = layer_new(wtype, naive_below(2) ? GELU_OUT_IN : GELU_IN_OUT, in, out, true);
    struct matrix x = matrix_random(xtype, rows, in), dy = matrix_random(dytype, rows, out);
    struct matrix dx = matrix_random(xtype, rows, in);
    struct matrix dw = matrix_new(l.real, l.weight.rows, l.weight.cols, l.weight.cols);
    struct matrix db = matrix_new(l.real, 1, out, out);
    matrix_fill(&dw);
    matrix_fill(&db);
    struct matrix want_dx = matrix_copy(&dx), want_dw = matrix_copy(&dw), want_db = matrix_copy(&db);
    double *xs = naive_values(&x), *dys = naive_values(&dy), *dxs = naive_values(&dx);
    for (size_t i = 0; !add && i < rows * in; i++) dxs[i] = 0;
    layer_input_grad(&l, rows, dys, dxs);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < in; j++) naive_set(l.real, dxs[i * in + j], xtype, matrix_at(&want_dx, i, j));
    layer_weight_grad(&l, rows, xs, dys, add, &want_dw, &want_db);

    gelu_linear *linear;
    assert_int_equal(gelu_linear_create(in, out, &l.weights, GELU_COMPUTE_F32, &linear), GELU_OK);
    bool some[] = {naive_below(4) > 0, naive_below(4) > 0, naive_below(4) > 0};
    assert_int_equal(gelu_linear_backward(linear, add ? GELU_GRAD_ADD : GELU_GRAD_SET, rows, xtype,
                                          some[1] ? x.p : NULL, x.ld, dytype, dy.p, dy.ld, some[0] ? dx.p : NULL, dx.ld,
                                          some[1] ? dw.p : NULL, some[2] ? db.p : NULL, NULL),
                     GELU_OK);
    if (some[0]) matrix_assert_equal(&dx, &want_dx, "dx");
    if (some[1]) matrix_assert_equal(&dw, &want_dw, "dw");
    if (some[2]) matrix_assert_equal(&db, &want_db, "db");
    gelu_linear_free(linear);
    layer_free(&l);
    free(x.p), free(dy.p), free(dx.p), free(dw.p), free(db.p), free(want_dx.p), free(want_dw.p), free(want_db.p);
    free(xs), free(dys), free(dxs);
}

static void every_type(void (*check)(gelu_dtype, gelu_dtype, gelu_dtype), int repeat) {
    for (int round = 0; round < repeat; round++) {
        for (int i = 0; i < 27; i++) check(types[i % 3], types[i / 3 % 3], types[i / 9]);
        for (int i = 0; i < 3; i++) check(GELU_F64, GELU_F64, GELU_F64);
    }
}

static void forward_by_the_rule(void **state) {
    (void)state;
    every_type(check_forward, 24);
}

static void backward_by_the_rule(void **state) {
    (void)state;
    every_type(check_backward, 12);
}

/* A row gives the same bits in a batch of any size. */
static void rows_alone(void **state) {
    (void)state;
    enum { IN = 300, OUT = 21, ROWS = 128 };
    static const size_t sizes[] = {1, 2, 3, 17, 128};
    struct layer l = layer_new(GELU_F32, GELU_OUT_IN, IN, OUT, true);
    struct matrix x = matrix_new(GELU_F32, ROWS, IN, IN), y = matrix_new(GELU_F32, ROWS, OUT, OUT);
    matrix_fill(&x);
    gelu_linear *linear;
    assert_int_equal(gelu_linear_create(IN, OUT, &l.weights, GELU_COMPUTE_F32, &linear), GELU_OK);
    assert_int_equal(gelu_linear_forward(linear, ROWS, GELU_F32, x.p, IN, NULL, GELU_F32, y.p, OUT, NULL), GELU_OK);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct matrix again = matrix_copy(&y);
        for (size_t i = 0; i + sizes[s] <= ROWS; i += sizes[s]) {
            memset(matrix_at(&again, i, 0), 0xff, sizes[s] * OUT * sizeof(float));
            assert_int_equal(gelu_linear_forward(linear, sizes[s], GELU_F32, matrix_at(&x, i, 0), IN, NULL, GELU_F32,
                                                 matrix_at(&again, i, 0), OUT, NULL),
                             GELU_OK);
        }
        matrix_assert_equal(&again, &y, "rows alone");
        free(again.p);
    }
    gelu_linear_free(linear);
    layer_free(&l);
    free(x.p), free(y.p);
}

/* A zero weight does not hide an infinity, nor a NaN. */
static void nothing_is_skipped(void **state) {
    (void)state;
    const float w[2] = {0, 0}, x[3][2] = {{INFINITY, 1}, {1, NAN}, {1, 2}};
    float y[3];
    const gelu_weights weights = {GELU_F32, GELU_OUT_IN, w, 0, NULL};
    gelu_linear *linear;
    assert_int_equal(gelu_linear_create(2, 1, &weights, GELU_COMPUTE_F32, &linear), GELU_OK);
    assert_int_equal(gelu_linear_forward(linear, 3, GELU_F32, x, 2, NULL, GELU_F32, y, 1, NULL), GELU_OK);
    assert_true(isnan(y[0]) && isnan(y[1]) && y[2] == 0);
    gelu_linear_free(linear);
}

/* One product and no bias, of which the result depends on the type that sums are held in. */
static double dot(gelu_dtype dtype, gelu_dtype ytype, size_t depth, double x, double w, double bias) {
    uint16_t *xs = malloc(depth * 2), *ws = malloc(depth * 2), b, y;
    for (size_t k = 0; k < depth; k++) {
        naive_set(GELU_F64, x, dtype, xs + k);
        naive_set(GELU_F64, w, dtype, ws + k);
    }
    naive_set(GELU_F64, bias, dtype, &b);
    const gelu_weights weights = {dtype, GELU_OUT_IN, ws, 0, &b};
    gelu_linear *linear;
    assert_int_equal(gelu_linear_create(depth, 1, &weights, GELU_COMPUTE_F32, &linear), GELU_OK);
    assert_int_equal(gelu_linear_forward(linear, 1, dtype, xs, depth, NULL, ytype, &y, 1, NULL), GELU_OK);
    gelu_linear_free(linear);
    free(xs);
    free(ws);
    return naive_get(ytype, &y);
}

static void sums_are_f32(void **state) {
    (void)state;
    assert_true(dot(GELU_BF16, GELU_BF16, 1024, 1, 1, 0) == 1024);
    assert_true(dot(GELU_F16, GELU_F16, 4096, 1, 1, 0) == 4096);
}

/* The last product rounds to f16 once: from 65520 on to infinity. */
static void narrowing_overflows(void **state) {
    (void)state;
    const float w = 1, xs[] = {66246.39f, 65519.99f, 65520, -66246.39f};
    uint16_t y[4];
    const gelu_weights weights = {GELU_F32, GELU_OUT_IN, &w, 0, NULL};
    gelu_linear *linear;
    assert_int_equal(gelu_linear_create(1, 1, &weights, GELU_COMPUTE_F32, &linear), GELU_OK);
    assert_int_equal(gelu_linear_forward(linear, 4, GELU_F32, xs, 1, NULL, GELU_F16, y, 1, NULL), GELU_OK);
    assert_int_equal(y[0], 0x7c00);
    assert_int_equal(y[1], 0x7bff);
    assert_int_equal(y[2], 0x7c00);
    assert_int_equal(y[3], 0xfc00);
    gelu_linear_free(linear);
}

/* What rounding to 16 bits makes infinite is counted, or becomes the largest finite number; what was infinite or NaN
 * before is neither. The count is that of the call. */
static void overflow_is_reported(void **state) {
    (void)state;
    static const float x[] = {65519, 65520, -65520, -1e30f, INFINITY, NAN, 3, 3.4e38f, -INFINITY, -3.3961776e38f};
    enum { N = sizeof x / sizeof *x };
    static const struct {
        gelu_dtype dtype;
        uint16_t infinity;
        bool over[N];
    } cases[] = {{GELU_F16, 0x7c00, {0, 1, 1, 1, 0, 0, 0, 1, 0, 1}},
                 {GELU_BF16, 0x7f80, {0, 0, 0, 0, 0, 0, 0, 1, 0, 1}}};
    const float one = 1;
    gelu_linear *linear;
    assert_int_equal(
        gelu_linear_create(1, 1, &(gelu_weights){GELU_F32, GELU_OUT_IN, &one, 0, NULL}, GELU_COMPUTE_F32, &linear),
        GELU_OK);
    for (int c = 0; c < 2; c++)
        for (int kind = 0; kind < 4; kind++) { /* saturating or not; straight, or by way of f32 */
            uint16_t y[N], plain[N];
            size_t overflows = 99, want = 0;
            const gelu_epilogue e = {.saturate = kind % 2, .overflows = &overflows, .fast = kind / 2};
            assert_int_equal(gelu_linear_forward(linear, N, GELU_F32, x, 1, &e, cases[c].dtype, y, 1, NULL), GELU_OK);
            assert_int_equal(gelu_convert(N, GELU_F32, x, cases[c].dtype, plain), GELU_OK);
            for (int i = 0; i < N; i++) {
                want += cases[c].over[i];
                assert_int_equal((plain[i] & 0x7fff) == cases[c].infinity, cases[c].over[i] || isinf(x[i]));
                uint16_t saturated = (uint16_t)(plain[i] - (kind % 2 && cases[c].over[i]));
                if (!isnan(x[i])) assert_int_equal(y[i], saturated);
            }
            assert_int_equal(overflows, want);
        }
    gelu_linear_free(linear);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_by_the_rule),  cmocka_unit_test(backward_by_the_rule),
        cmocka_unit_test(rows_alone),           cmocka_unit_test(nothing_is_skipped),
        cmocka_unit_test(sums_are_f32),         cmocka_unit_test(narrowing_overflows),
        cmocka_unit_test(overflow_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
