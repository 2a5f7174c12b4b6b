/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Linear at its edges: empty and huge shapes, wrong arguments, overlaps, a lack of memory, a host's control word. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include "unit/host.h"
#include "unit/naive.h"

enum { IN = 5, OUT = 3, ROWS = 4 };
static const size_t huge = SIZE_MAX / 4;

static const float weight[OUT * IN] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, bias[OUT] = {0.5f, -1, 2};
static const gelu_weights weights = {GELU_F32, GELU_OUT_IN, weight, 0, bias};

/* Room for every argument of a call, from which tests cut overlapping ones. */
static float memory[1024];

static gelu_linear *new_linear(void) {
    gelu_linear *linear;
    assert_int_equal(gelu_linear_create(IN, OUT, &weights, GELU_COMPUTE_F32, &linear), GELU_OK);
    return linear;
}

static void create_refuses(gelu_status want, size_t in, size_t out, const gelu_weights *w) {
    gelu_linear *linear = (gelu_linear *)memory;
    assert_int_equal(gelu_linear_create(in, out, w, GELU_COMPUTE_F32, &linear), want);
    assert_null(linear);
}

static void wrong_weights(void **state) {
    (void)state;
    assert_int_equal(gelu_linear_create(IN, OUT, &weights, GELU_COMPUTE_F32, NULL), GELU_ERR_ARGUMENT);
    create_refuses(GELU_ERR_ARGUMENT, IN, OUT, NULL);
    create_refuses(GELU_ERR_ARGUMENT, IN, OUT, &(gelu_weights){GELU_F32, GELU_OUT_IN, NULL, 0, bias});
    create_refuses(GELU_ERR_ARGUMENT, IN, OUT, &(gelu_weights){GELU_F32, (gelu_layout)0, weight, 0, bias});
    create_refuses(GELU_ERR_ARGUMENT, IN, OUT, &(gelu_weights){GELU_F32, (gelu_layout)3, weight, 0, bias});
    create_refuses(GELU_ERR_DTYPE, IN, OUT, &(gelu_weights){(gelu_dtype)0, GELU_OUT_IN, weight, 0, bias});
    create_refuses(GELU_ERR_DTYPE, IN, OUT, &(gelu_weights){(gelu_dtype)9, GELU_OUT_IN, weight, 0, bias});
    create_refuses(GELU_ERR_SHAPE, IN, OUT, &(gelu_weights){GELU_F32, GELU_OUT_IN, weight, IN - 1, bias});
    create_refuses(GELU_ERR_SHAPE, IN, OUT, &(gelu_weights){GELU_F32, GELU_IN_OUT, weight, OUT - 1, bias});
    create_refuses(GELU_ERR_OVERFLOW, (size_t)1 << 32, (size_t)1 << 32, &weights);
    create_refuses(GELU_ERR_OVERFLOW, SIZE_MAX, 1, &weights);
    create_refuses(GELU_ERR_OVERFLOW, 1, SIZE_MAX, &weights);
    create_refuses(GELU_ERR_OVERFLOW, 0, huge * 2, &weights);
    create_refuses(GELU_ERR_OVERFLOW, IN, OUT, &(gelu_weights){GELU_F32, GELU_OUT_IN, weight, huge, bias});
    /* fits as it is, but not as whole panels; and nowhere at all */
    create_refuses(GELU_ERR_OVERFLOW, 1, SIZE_MAX / 2 - 1, &(gelu_weights){GELU_F16, GELU_OUT_IN, weight, 0, NULL});
    create_refuses(GELU_ERR_MEMORY, 1, huge + 1, &(gelu_weights){GELU_F16, GELU_OUT_IN, weight, 0, NULL});
    gelu_linear_free(NULL);
    gelu_linear *linear = (gelu_linear *)memory;
    assert_int_equal(gelu_linear_create(IN, OUT, &weights, GELU_COMPUTE_BF16, &linear), GELU_ERR_DTYPE);
    assert_null(linear);
    linear = (gelu_linear *)memory;
    assert_int_equal(gelu_linear_create(IN, OUT, &weights, (gelu_compute)2, &linear), GELU_ERR_ARGUMENT);
    assert_null(linear);
}

/* Every wrong call leaves y, preact and the gradients as they were. */
static void forward_refuses(gelu_status want, const gelu_linear *linear, size_t rows, gelu_dtype xtype, const void *x,
                            size_t ldx, const gelu_epilogue *e, gelu_dtype ytype, void *y, size_t ldy) {
    static float before[1024];
    memcpy(before, memory, sizeof memory);
    assert_int_equal(gelu_linear_forward(linear, rows, xtype, x, ldx, e, ytype, y, ldy, NULL), want);
    assert_memory_equal(before, memory, sizeof memory);
}

static void wrong_forward(void **state) {
    (void)state;
    gelu_linear *l = new_linear();
    float *x = memory, *y = memory + 100, *other = memory + 200;
    forward_refuses(GELU_ERR_ARGUMENT, NULL, ROWS, GELU_F32, x, IN, NULL, GELU_F32, y, OUT);
    forward_refuses(GELU_ERR_ARGUMENT, l, ROWS, GELU_F32, NULL, IN, NULL, GELU_F32, y, OUT);
    forward_refuses(GELU_ERR_ARGUMENT, l, ROWS, GELU_F32, x, IN, NULL, GELU_F32, NULL, OUT);
    forward_refuses(GELU_ERR_ARGUMENT, l, ROWS, GELU_F32, x, IN, &(gelu_epilogue){.act = (gelu_act)7}, GELU_F32, y,
                    OUT);
    forward_refuses(GELU_ERR_ARGUMENT, l, ROWS, GELU_F32, x, IN, &(gelu_epilogue){.act = (gelu_act)-1}, GELU_F32, y,
                    OUT);
    forward_refuses(GELU_ERR_DTYPE, l, ROWS, GELU_F64, x, IN, NULL, GELU_F32, y, OUT);
    forward_refuses(GELU_ERR_DTYPE, l, ROWS, GELU_F32, x, IN, NULL, GELU_F64, y, OUT);
    forward_refuses(GELU_ERR_DTYPE, l, ROWS, GELU_F64, x, IN, NULL, GELU_F64, y, OUT);
    forward_refuses(GELU_ERR_DTYPE, l, ROWS, (gelu_dtype)0, x, IN, NULL, GELU_F32, y, OUT);
    forward_refuses(GELU_ERR_DTYPE, l, ROWS, GELU_F32, x, IN, NULL, (gelu_dtype)5, y, OUT);
    forward_refuses(GELU_ERR_SHAPE, l, ROWS, GELU_F32, x, IN - 1, NULL, GELU_F32, y, OUT);
    forward_refuses(GELU_ERR_SHAPE, l, ROWS, GELU_F32, x, IN, NULL, GELU_F32, y, OUT - 1);
    forward_refuses(GELU_ERR_SHAPE, l, ROWS, GELU_F32, x, IN, &(gelu_epilogue){.residual = other, .ldr = OUT - 1},
                    GELU_F32, y, OUT);
    forward_refuses(GELU_ERR_SHAPE, l, ROWS, GELU_F32, x, IN, &(gelu_epilogue){.preact = other, .ldp = OUT - 1},
                    GELU_F32, y, OUT);
    forward_refuses(GELU_ERR_OVERFLOW, l, SIZE_MAX, GELU_F32, x, IN, NULL, GELU_F32, y, OUT);
    forward_refuses(GELU_ERR_OVERFLOW, l, 3, GELU_F32, x, huge, NULL, GELU_F32, y, OUT);
    forward_refuses(GELU_ERR_OVERFLOW, l, 3, GELU_F32, x, IN, NULL, GELU_F16, y, huge * 2);
    forward_refuses(GELU_ERR_OVERFLOW, l, 2, GELU_F32, x, IN, &(gelu_epilogue){.residual = other, .ldr = huge},
                    GELU_F32, y, OUT);
    forward_refuses(GELU_ERR_OVERFLOW, l, 2, GELU_F32, x, IN, &(gelu_epilogue){.preact = other, .ldp = huge}, GELU_F16,
                    y, OUT);
    gelu_linear_free(l);
    const double w64 = 1;
    assert_int_equal(
        gelu_linear_create(1, 1, &(gelu_weights){GELU_F64, GELU_OUT_IN, &w64, 0, NULL}, GELU_COMPUTE_F32, &l), GELU_OK);
    forward_refuses(GELU_ERR_DTYPE, l, 1, GELU_F32, x, 1, NULL, GELU_F64, y, 1);
    forward_refuses(GELU_ERR_DTYPE, l, 1, GELU_F64, x, 1, NULL, GELU_BF16, y, 1);
    gelu_linear_free(l);
}

static void overlapping_forward(void **state) {
    (void)state;
    gelu_linear *l = new_linear();
    float *x = memory, *y = memory + 100;
    /* y in place, one element into x, one byte beside an element, ending in x */
    forward_refuses(GELU_ERR_ALIAS, l, ROWS, GELU_F32, x, IN, NULL, GELU_F32, x, IN);
    forward_refuses(GELU_ERR_ALIAS, l, ROWS, GELU_F32, x, IN, NULL, GELU_F32, x + 1, OUT);
    forward_refuses(GELU_ERR_ALIAS, l, ROWS, GELU_F32, x, IN, NULL, GELU_F16, (uint16_t *)x + 39, OUT);
    forward_refuses(GELU_ERR_ALIAS, l, ROWS, GELU_F32, x + 11, IN, NULL, GELU_F32, x, OUT);
    forward_refuses(GELU_ERR_ALIAS, l, ROWS, GELU_F32, x, 8, NULL, GELU_F32, x + 4, 8);
    forward_refuses(GELU_ERR_ALIAS, l, ROWS, GELU_F32, x, IN, &(gelu_epilogue){.preact = x + 19, .ldp = OUT}, GELU_F32,
                    y, OUT);
    forward_refuses(GELU_ERR_ALIAS, l, ROWS, GELU_F32, x, IN, &(gelu_epilogue){.preact = y, .ldp = OUT}, GELU_F32, y,
                    OUT);
    forward_refuses(GELU_ERR_ALIAS, l, ROWS, GELU_F32, x, IN, &(gelu_epilogue){.residual = y, .ldr = OUT + 1}, GELU_F32,
                    y, OUT);
    forward_refuses(GELU_ERR_ALIAS, l, ROWS, GELU_F32, x, IN, &(gelu_epilogue){.residual = y + 1, .ldr = OUT}, GELU_F32,
                    y, OUT);
    forward_refuses(GELU_ERR_ALIAS, l, ROWS, GELU_F32, x, IN,
                    &(gelu_epilogue){.residual = x + 300, .ldr = OUT, .preact = x + 311, .ldp = OUT}, GELU_F32, y, OUT);
    /* Beside each other in the same rows, they do not overlap; and the residual may be x. */
    assert_int_equal(gelu_linear_forward(l, ROWS, GELU_F32, x, 11,
                                         &(gelu_epilogue){.residual = x, .ldr = 11, .preact = x + 8, .ldp = 11},
                                         GELU_F32, x + 5, 11, NULL),
                     GELU_OK);
    gelu_linear_free(l);
}

static void backward_refuses(gelu_status want, const gelu_linear *l, gelu_grad_mode mode, gelu_dtype xtype,
                             const void *x, size_t ldx, gelu_dtype dytype, const void *dy, size_t lddy, void *dx,
                             size_t lddx, void *dw, void *db) {
    static float before[1024];
    memcpy(before, memory, sizeof memory);
    assert_int_equal(gelu_linear_backward(l, mode, ROWS, xtype, x, ldx, dytype, dy, lddy, dx, lddx, dw, db, NULL),
                     want);
    assert_memory_equal(before, memory, sizeof memory);
}

static void wrong_backward(void **state) {
    (void)state;
    gelu_linear *l = new_linear();
    float *x = memory, *dy = memory + 100, *dx = memory + 200, *dw = memory + 300, *db = memory + 400;
    const gelu_grad_mode set = GELU_GRAD_SET;
    const gelu_dtype f32 = GELU_F32;
    backward_refuses(GELU_ERR_ARGUMENT, NULL, set, f32, x, IN, f32, dy, OUT, dx, IN, dw, db);
    backward_refuses(GELU_ERR_ARGUMENT, l, (gelu_grad_mode)0, f32, x, IN, f32, dy, OUT, dx, IN, dw, db);
    backward_refuses(GELU_ERR_ARGUMENT, l, (gelu_grad_mode)3, f32, x, IN, f32, dy, OUT, dx, IN, dw, db);
    backward_refuses(GELU_ERR_ARGUMENT, l, set, f32, NULL, IN, f32, dy, OUT, dx, IN, dw, db);
    backward_refuses(GELU_ERR_ARGUMENT, l, set, f32, x, IN, f32, NULL, OUT, dx, IN, dw, db);
    backward_refuses(GELU_ERR_DTYPE, l, set, GELU_F64, x, IN, f32, dy, OUT, dx, IN, dw, db);
    backward_refuses(GELU_ERR_DTYPE, l, set, f32, x, IN, GELU_F64, dy, OUT, dx, IN, dw, db);
    backward_refuses(GELU_ERR_DTYPE, l, set, f32, x, IN, (gelu_dtype)7, dy, OUT, dx, IN, dw, db);
    backward_refuses(GELU_ERR_SHAPE, l, set, f32, x, IN - 1, f32, dy, OUT, dx, IN, dw, db);
    backward_refuses(GELU_ERR_SHAPE, l, set, f32, x, IN, f32, dy, OUT - 1, dx, IN, dw, db);
    backward_refuses(GELU_ERR_SHAPE, l, set, f32, x, IN, f32, dy, OUT, dx, IN - 1, dw, db);
    backward_refuses(GELU_ERR_OVERFLOW, l, set, f32, x, huge, f32, dy, OUT, dx, IN, dw, db);
    backward_refuses(GELU_ERR_OVERFLOW, l, set, f32, x, IN, f32, dy, huge, dx, IN, dw, db);
    backward_refuses(GELU_ERR_OVERFLOW, l, set, f32, x, IN, f32, dy, OUT, dx, huge, dw, db);
    backward_refuses(GELU_ERR_ALIAS, l, set, f32, x, IN, f32, dy, OUT, x, IN, dw, db);
    backward_refuses(GELU_ERR_ALIAS, l, set, f32, x, IN, f32, dy, OUT, dy, IN, NULL, NULL);
    backward_refuses(GELU_ERR_ALIAS, l, set, f32, x, IN, f32, dy, OUT, dx, IN, dx + 19, NULL);
    backward_refuses(GELU_ERR_ALIAS, l, set, f32, x, IN, f32, dy, OUT, dx, IN, dw, dw + 14);
    backward_refuses(GELU_ERR_ALIAS, l, set, f32, x, IN, f32, dy, OUT, NULL, 0, NULL, dy + 11);
    assert_int_equal(gelu_linear_backward(l, set, ROWS, f32, NULL, 0, f32, dy, OUT, NULL, 0, NULL, db, NULL), GELU_OK);
    gelu_linear_free(l);
}

/* The weights of a view are an input, and its bias, which is copied, is not. */
static void view_overlaps(void **state) {
    (void)state;
    float w[OUT * IN] = {0}, x[ROWS * IN] = {0}, dy[ROWS * OUT] = {0}, own_bias[ROWS * OUT] = {0};
    for (gelu_layout layout = GELU_OUT_IN; layout <= GELU_IN_OUT; layout++) {
        const gelu_weights seen = {GELU_F32, layout, w, 0, own_bias};
        gelu_linear *view, *copy;
        assert_int_equal(gelu_linear_view(IN, OUT, &seen, GELU_COMPUTE_F32, &view), GELU_OK);
        assert_int_equal(gelu_linear_create(IN, OUT, &seen, GELU_COMPUTE_F32, &copy), GELU_OK);
        const gelu_epilogue e = {.preact = w + OUT * IN - 1, .ldp = OUT};
        const gelu_dtype f32 = GELU_F32;
        const gelu_grad_mode set = GELU_GRAD_SET;
        assert_int_equal(gelu_linear_forward(view, 1, f32, x, IN, NULL, f32, w, OUT, NULL), GELU_ERR_ALIAS);
        assert_int_equal(gelu_linear_forward(view, 1, f32, x, IN, NULL, f32, w + OUT * IN - 1, OUT, NULL),
                         GELU_ERR_ALIAS);
        assert_int_equal(gelu_linear_forward(view, 1, f32, x, IN, &e, f32, dy, OUT, NULL), GELU_ERR_ALIAS);
        backward_refuses(GELU_ERR_ALIAS, view, set, f32, x, IN, f32, dy, OUT, w, IN, NULL, NULL);
        backward_refuses(GELU_ERR_ALIAS, view, set, f32, x, IN, f32, dy, OUT, NULL, 0, w, NULL);
        backward_refuses(GELU_ERR_ALIAS, view, set, f32, x, IN, f32, dy, OUT, NULL, 0, NULL, w + OUT * IN - 1);
        assert_int_equal(gelu_linear_forward(view, ROWS, f32, x, IN, NULL, f32, own_bias, OUT, NULL), GELU_OK);
        assert_int_equal(gelu_linear_forward(copy, 1, f32, x, IN, NULL, f32, w, OUT, NULL), GELU_OK);
        gelu_linear_free(view), gelu_linear_free(copy);
    }
}

/* A workspace of the size asked for serves as the library's own, and must lie apart, aligned. */
static void workspaces(void **state) {
    (void)state;
    gelu_linear *l = new_linear();
    size_t nbytes[2];
    assert_int_equal(gelu_linear_workspace(NULL, ROWS, &nbytes[0], &nbytes[1]), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_linear_workspace(l, ROWS, NULL, &nbytes[1]), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_linear_workspace(l, ROWS, &nbytes[0], NULL), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_linear_workspace(l, ROWS, &nbytes[0], &nbytes[1]), GELU_OK);
    unsigned char *own[2];
    for (int i = 0; i < 2; i++) {
        own[i] = aligned_alloc(64, nbytes[i] / 64 * 64 + 128);
        memset(own[i], 0xff, nbytes[i] / 64 * 64 + 128);
        own[i][nbytes[i]] = 0x5a;
    }
    float *x = memory, *y = memory + 100, *dw = memory + 300, want[OUT * IN], dx[ROWS * IN];
    for (int i = 0; i < ROWS * IN; i++) x[i] = (float)i - 7.5f;
    const gelu_dtype f32 = GELU_F32;
    assert_int_equal(gelu_linear_forward(l, ROWS, f32, x, IN, NULL, f32, want, OUT, NULL), GELU_OK);
    assert_int_equal(gelu_linear_forward(l, ROWS, f32, x, IN, NULL, f32, y, OUT, own[0]), GELU_OK);
    assert_memory_equal(want, y, ROWS * OUT * sizeof *y);
    assert_int_equal(gelu_linear_backward(l, GELU_GRAD_SET, ROWS, f32, x, IN, f32, y, OUT, NULL, IN, want, NULL, NULL),
                     GELU_OK);
    assert_int_equal(gelu_linear_backward(l, GELU_GRAD_SET, ROWS, f32, x, IN, f32, y, OUT, dx, IN, dw, NULL, own[1]),
                     GELU_OK);
    assert_memory_equal(want, dw, sizeof want);
    for (int i = 0; i < 2; i++) assert_int_equal(own[i][nbytes[i]], 0x5a);
    assert_int_equal(gelu_linear_forward(l, ROWS, f32, x, IN, NULL, f32, y, OUT, own[0] + 4), GELU_ERR_ARGUMENT);
    assert_int_equal(
        gelu_linear_backward(l, GELU_GRAD_SET, ROWS, f32, x, IN, f32, y, OUT, dx, IN, dw, NULL, own[1] + 4),
        GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_linear_forward(l, ROWS, f32, x, IN, NULL, f32, (float *)own[0] + 8, OUT, own[0]),
                     GELU_ERR_ALIAS);
    assert_int_equal(gelu_linear_forward(l, ROWS, f32, (float *)own[0] + 8, IN, NULL, f32, y, OUT, own[0]),
                     GELU_ERR_ALIAS);
    free(own[0]), free(own[1]);
    gelu_linear_free(l);
}

/* in, out or rows of 0: what is left of the rule, with NULL for what is empty. */
static void empty_shapes(void **state) {
    (void)state;
    gelu_linear *l = new_linear();
    float y[2 * OUT], dw[OUT * IN], db[OUT], dx[2 * IN];
    assert_int_equal(gelu_linear_forward(l, 0, GELU_F32, NULL, IN, NULL, GELU_F32, NULL, OUT, NULL), GELU_OK);
    memset(dw, 0xff, sizeof dw);
    memset(db, 0xff, sizeof db);
    assert_int_equal(
        gelu_linear_backward(l, GELU_GRAD_SET, 0, GELU_F32, NULL, IN, GELU_F32, NULL, OUT, NULL, IN, dw, db, NULL),
        GELU_OK);
    assert_memory_equal(dw, (float[OUT * IN]){0}, sizeof dw);
    assert_memory_equal(db, (float[OUT]){0}, sizeof db);
    db[1] = -0.0f;
    assert_int_equal(
        gelu_linear_backward(l, GELU_GRAD_ADD, 0, GELU_F32, NULL, IN, GELU_F32, NULL, OUT, NULL, IN, NULL, db, NULL),
        GELU_OK);
    assert_true(signbit(db[1]));
    gelu_linear_free(l);

    assert_int_equal(
        gelu_linear_create(0, OUT, &(gelu_weights){GELU_F32, GELU_OUT_IN, NULL, 0, bias}, GELU_COMPUTE_F32, &l),
        GELU_OK);
    assert_int_equal(gelu_linear_forward(l, 2, GELU_F32, NULL, 0, NULL, GELU_F32, y, OUT, NULL), GELU_OK);
    assert_memory_equal(y, bias, sizeof bias);
    assert_memory_equal(y + OUT, bias, sizeof bias);
    const float dy[2 * OUT] = {1, 2, 3, 4, 5, 6};
    assert_int_equal(
        gelu_linear_backward(l, GELU_GRAD_SET, 2, GELU_F32, NULL, 0, GELU_F32, dy, OUT, NULL, 0, NULL, db, NULL),
        GELU_OK);
    assert_memory_equal(db, ((float[OUT]){5, 7, 9}), sizeof db);
    gelu_linear_free(l);

    assert_int_equal(
        gelu_linear_create(0, OUT, &(gelu_weights){GELU_F32, GELU_IN_OUT, NULL, 0, NULL}, GELU_COMPUTE_F32, &l),
        GELU_OK);
    memset(y, 0xff, sizeof y);
    assert_int_equal(gelu_linear_forward(l, 2, GELU_F32, NULL, 0, NULL, GELU_F32, y, OUT, NULL), GELU_OK);
    assert_memory_equal(y, (float[2 * OUT]){0}, sizeof y);
    gelu_linear_free(l);

    assert_int_equal(
        gelu_linear_create(IN, 0, &(gelu_weights){GELU_F32, GELU_OUT_IN, NULL, 0, NULL}, GELU_COMPUTE_F32, &l),
        GELU_OK);
    assert_int_equal(gelu_linear_forward(l, 2, GELU_F32, memory, IN, NULL, GELU_F32, NULL, 0, NULL), GELU_OK);
    memset(dx, 0xff, sizeof dx);
    assert_int_equal(
        gelu_linear_backward(l, GELU_GRAD_SET, 2, GELU_F32, memory, IN, GELU_F32, NULL, 0, dx, IN, NULL, NULL, NULL),
        GELU_OK);
    assert_memory_equal(dx, (float[2 * IN]){0}, sizeof dx);
    gelu_linear_free(l);

    /* Nothing at all, any number of times. */
    assert_int_equal(
        gelu_linear_create(0, 0, &(gelu_weights){GELU_F32, GELU_OUT_IN, NULL, 0, NULL}, GELU_COMPUTE_F32, &l), GELU_OK);
    assert_int_equal(gelu_linear_forward(l, SIZE_MAX, GELU_F32, NULL, 0, NULL, GELU_F32, NULL, 0, NULL), GELU_OK);
    assert_int_equal(
        gelu_linear_backward(l, GELU_GRAD_SET, SIZE_MAX, GELU_F32, NULL, 0, GELU_F32, NULL, 0, NULL, 0, dw, db, NULL),
        GELU_OK);
    gelu_linear_free(l);
}

/* Every allocation fails once: the status says so, nothing is written, errno stays, and nothing leaks (ASan's word). */
static void memory_runs_out(void **state) {
    (void)state;
    gelu_linear *l = NULL;
    float before[1024];
    int allowed = 0;
    errno = 77;
    for (gelu_status status = GELU_ERR_MEMORY; status != GELU_OK; allowed++) {
        host_allocations_left = allowed;
        status = gelu_linear_create(IN, OUT, &weights, GELU_COMPUTE_F32, &l);
        assert_int_equal(status, l ? GELU_OK : GELU_ERR_MEMORY);
    }
    assert_int_equal(allowed, 4);
    memcpy(before, memory, sizeof memory);
    host_allocations_left = 0;
    assert_int_equal(gelu_linear_forward(l, 2, GELU_F32, memory, IN, NULL, GELU_F32, memory + 100, OUT, NULL),
                     GELU_ERR_MEMORY);
    assert_int_equal(gelu_linear_backward(l, GELU_GRAD_SET, 2, GELU_F32, memory, IN, GELU_F32, memory + 100, OUT,
                                          memory + 200, IN, memory + 300, memory + 400, NULL),
                     GELU_ERR_MEMORY);
    host_allocations_left = -1;
    assert_memory_equal(before, memory, sizeof memory);
    assert_int_equal(errno, 77);
    gelu_linear_free(l);
    /* A layer that no memory can hold. */
    const gelu_weights none = {GELU_F32, GELU_OUT_IN, NULL, 0, NULL};
    assert_int_equal(gelu_linear_create(0, huge - 64, &none, GELU_COMPUTE_F32, &l), GELU_OK);
    assert_int_equal(gelu_linear_forward(l, 2, GELU_F32, NULL, 0, NULL, GELU_F32, memory, huge - 64, NULL),
                     GELU_ERR_OVERFLOW);
    gelu_linear_free(l);
}

/* Numbers whose sums, products and conversions are subnormal, under every control word: the same bits, and the word as
 * it was, sticky flags included. */
static void control_words(void **state) {
    (void)state;
    enum { COUNT = OUT * IN };
    uint16_t w[COUNT], b[OUT] = {1, 0x8001, 0x0203}, x[2 * IN];
    for (int i = 0; i < COUNT; i++) w[i] = (uint16_t)(0x0011 + 0x0931 * i);
    for (int i = 0; i < 2 * IN; i++) x[i] = (uint16_t)(0x8003 + 0x0821 * i);
    float preact[2][2 * OUT], dx[2][2 * IN], dw[2][COUNT], db[2][OUT];
    uint16_t y[2][2 * OUT];
    const float tiny[2 * OUT] = {0x1p-130f, -0x1.8p-140f, 0x1p-149f, 0x3p-149f, -0x1p-126f, 0x1.234568p-127f};
    gelu_linear *l;
    const uint32_t host = host_get();
    for (int i = -1; i < HOST_WORDS; i++) {
        int run = i >= 0;
        if (i >= 0) host_set(host_words[i]);
        gelu_status create =
            gelu_linear_create(IN, OUT, &(gelu_weights){GELU_F16, GELU_IN_OUT, w, 0, b}, GELU_COMPUTE_F32, &l);
        gelu_status forward = gelu_linear_forward(l, 2, GELU_BF16, x, IN,
                                                  &(gelu_epilogue){.act = GELU_TANH, .preact = preact[run], .ldp = OUT},
                                                  GELU_F16, y[run], OUT, NULL);
        gelu_status grad = gelu_linear_backward(l, GELU_GRAD_SET, 1, GELU_F32, tiny, IN, GELU_F32, tiny, OUT, dx[run],
                                                IN, dw[run], db[run], NULL);
        gelu_linear_free(l);
        uint32_t word = host_get();
        host_set(host);
        assert_int_equal(create, GELU_OK);
        assert_int_equal(forward, GELU_OK);
        assert_int_equal(grad, GELU_OK);
        if (i < 0) continue;
        assert_int_equal(word, host_words[i]);
        assert_memory_equal(preact[0], preact[1], sizeof preact[0]);
        assert_memory_equal(y[0], y[1], sizeof y[0]);
        assert_memory_equal(dx[0], dx[1], IN * sizeof(float));
        assert_memory_equal(dw[0], dw[1], sizeof dw[0]);
        assert_memory_equal(db[0], db[1], sizeof db[0]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_weights),   cmocka_unit_test(wrong_forward), cmocka_unit_test(overlapping_forward),
        cmocka_unit_test(wrong_backward),  cmocka_unit_test(workspaces),    cmocka_unit_test(empty_shapes),
        cmocka_unit_test(memory_runs_out), cmocka_unit_test(control_words), cmocka_unit_test(view_overlaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
