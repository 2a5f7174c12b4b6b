/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Linear reads and writes nothing beyond its arrays: each ends where a page begins that cannot be touched, or begins where
 * one ends. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include "unit/guard.h"
#include "unit/naive.h"

enum { X, WEIGHT, BIAS, RESIDUAL, VALUE, DY, Y, PREACT, DX, DW, DB, WORKSPACE, ARRAYS, MOST = 1 << 20 };

static struct guard guards[ARRAYS];

/* An array of count elements at the upper or the lower page, which holds ones, and before or behind it the canary. */
static void *array(int which, bool high, size_t count, gelu_dtype dtype) {
    size_t nbytes = count * gelu_dtype_nbytes(dtype);
    assert_true(nbytes <= MOST);
    struct guard *g = &guards[which];
    guard_fill(g);
    void *p = high ? guard_high(g, nbytes, 0) : guard_low(g, 0);
    for (size_t i = 0; i < count; i++) naive_set(GELU_F64, 1, dtype, (char *)p + i * gelu_dtype_nbytes(dtype));
    return p;
}

static void assert_intact(int which, const void *p, size_t count, gelu_dtype dtype) {
    assert_true(guard_intact(&guards[which], p, count * gelu_dtype_nbytes(dtype)));
}

static void check(size_t rows, size_t in, size_t out, gelu_dtype type, bool high, bool view, gelu_layout layout) {
    gelu_dtype real = type == GELU_F64 ? GELU_F64 : GELU_F32;
    size_t nbytes[2];
    const gelu_weights w = {type, layout, array(WEIGHT, high, in * out, type), 0, array(BIAS, high, out, type)};
    void *x = array(X, high, rows * in, type), *dy = array(DY, high, rows * out, type);
    void *y = array(Y, high, rows * out, type), *preact = array(PREACT, high, rows * out, real);
    void *dx = array(DX, high, rows * in, type), *dw = array(DW, high, in * out, real),
         *db = array(DB, high, out, real);
    const gelu_epilogue e = {.act = GELU_ERF,
                             .residual = array(RESIDUAL, high, rows * out, type),
                             .ldr = out,
                             .value = array(VALUE, high, rows * out, real),
                             .ldv = out,
                             .preact = preact,
                             .ldp = out};
    gelu_linear *l;
    assert_int_equal((view ? gelu_linear_view : gelu_linear_create)(in, out, &w, GELU_COMPUTE_F32, &l), GELU_OK);
    assert_int_equal(gelu_linear_workspace(l, rows, &nbytes[0], &nbytes[1]), GELU_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(nbytes[i] % 64, 0);
        assert_true(nbytes[i] <= MOST);
        guard_fill(&guards[WORKSPACE]);
        void *workspace = high ? guard_high(&guards[WORKSPACE], nbytes[i], 0) : guard_low(&guards[WORKSPACE], 0);
        if (i == 0)
            assert_int_equal(gelu_linear_forward(l, rows, type, x, in, &e, type, y, out, workspace), GELU_OK);
        else
            assert_int_equal(
                gelu_linear_backward(l, GELU_GRAD_ADD, rows, type, x, in, type, dy, out, dx, in, dw, db, workspace),
                GELU_OK);
        assert_true(guard_intact(&guards[WORKSPACE], workspace, nbytes[i]));
    }
    gelu_linear_free(l);
    /* Ones everywhere: preact is in + 1, and each gradient one more than it sums. */
    for (size_t i = 0; i < rows * out; i++)
        assert_true(naive_get(real, (char *)preact + i * gelu_dtype_nbytes(real)) == (double)in + 1);
    for (size_t i = 0; i < in * out; i++)
        assert_true(naive_get(real, (char *)dw + i * gelu_dtype_nbytes(real)) == (double)rows + 1);
    assert_intact(Y, y, rows * out, type);
    assert_intact(PREACT, preact, rows * out, real);
    assert_intact(DX, dx, rows * in, type);
    assert_intact(DW, dw, in * out, real);
    assert_intact(DB, db, out, real);
}

/* In bf16 compute, which has no gradients. */
static void check_bf16(size_t rows, size_t in, size_t out, gelu_dtype ytype, bool high, bool view, gelu_layout layout) {
    size_t nbytes, none;
    const gelu_weights w = {GELU_BF16, layout, array(WEIGHT, high, in * out, GELU_BF16), 0,
                            array(BIAS, high, out, GELU_BF16)};
    void *x = array(X, high, rows * in, GELU_BF16), *y = array(Y, high, rows * out, ytype);
    void *preact = array(PREACT, high, rows * out, GELU_F32);
    const gelu_epilogue e = {.residual = array(RESIDUAL, high, rows * out, ytype),
                             .ldr = out,
                             .value = array(VALUE, high, rows * out, GELU_F32),
                             .ldv = out,
                             .preact = preact,
                             .ldp = out};
    gelu_linear *l;
    assert_int_equal((view ? gelu_linear_view : gelu_linear_create)(in, out, &w, GELU_COMPUTE_BF16, &l), GELU_OK);
    assert_int_equal(gelu_linear_workspace(l, rows, &nbytes, &none), GELU_OK);
    assert_int_equal(none, 0);
    assert_true(nbytes % 64 == 0 && nbytes <= MOST);
    guard_fill(&guards[WORKSPACE]);
    void *workspace = high ? guard_high(&guards[WORKSPACE], nbytes, 0) : guard_low(&guards[WORKSPACE], 0);
    assert_int_equal(gelu_linear_forward(l, rows, GELU_BF16, x, in, &e, ytype, y, out, workspace), GELU_OK);
    gelu_linear_free(l);
    double want;
    naive_set(GELU_F32, (double)in + 2, ytype, &want);
    for (size_t i = 0; i < rows * out; i++) {
        assert_true(((float *)preact)[i] == (float)in + 1);
        assert_memory_equal((char *)y + i * gelu_dtype_nbytes(ytype), &want, gelu_dtype_nbytes(ytype));
    }
    assert_true(guard_intact(&guards[WORKSPACE], workspace, nbytes));
    assert_intact(Y, y, rows * out, ytype);
    assert_intact(PREACT, preact, rows * out, GELU_F32);
}

static void nothing_beyond_the_arrays(void **state) {
    (void)state;
    static const gelu_dtype types[] = {GELU_F32, GELU_F64, GELU_F16, GELU_BF16};
    for (size_t isa = 0; gelu_isa_available(isa); isa++) {
        assert_int_equal(gelu_isa_select(gelu_isa_available(isa)), GELU_OK);
        for (int i = 0; i < 200; i++) {
            size_t rows = 1 + naive_below(22), in = 1 + naive_below(70), out = 1 + naive_below(70);
            if (i % 5 == 0) in = 256 + naive_below(45); /* k ends with its first block, or in its second */
            check(rows, in, out, types[i % 4], i / 4 % 2, i / 8 % 2, i / 16 % 2 ? GELU_OUT_IN : GELU_IN_OUT);
        }
    }
}

static void nothing_beyond_the_arrays_in_bf16(void **state) {
    (void)state;
    static const gelu_dtype types[] = {GELU_F32, GELU_F16, GELU_BF16};
    for (size_t isa = 0; gelu_isa_available(isa); isa++) {
        assert_int_equal(gelu_isa_select(gelu_isa_available(isa)), GELU_OK);
        for (int i = 0; i < 240; i++) {
            size_t rows = 1 + naive_below(70), in = 1 + naive_below(100), out = 1 + naive_below(100);
            if (i % 5 == 0) in = 32 * (1 + naive_below(3));                         /* no padding */
            if (i % 7 == 0) rows = 250 + naive_below(20), in = 1 + naive_below(40); /* one chunk of rows, or two */
            check_bf16(rows, in, out, types[i % 3], i / 3 % 2, i / 6 % 2, i / 12 % 2 ? GELU_OUT_IN : GELU_IN_OUT);
        }
    }
}

int main(void) {
    for (int i = 0; i < ARRAYS; i++) guards[i] = guard_open(MOST);
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_beyond_the_arrays),
                                       cmocka_unit_test(nothing_beyond_the_arrays_in_bf16)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (int i = 0; i < ARRAYS; i++) guard_close(&guards[i]);
    return failed;
}
