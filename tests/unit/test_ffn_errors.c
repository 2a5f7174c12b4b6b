/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The feed-forward layer at its edges: wrong arguments, overlaps, empty and huge shapes, a lack of memory, a host's
 * control word. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include "unit/host.h"
#include "unit/naive.h"

enum { D = 2, F = 3, ROWS = 4, N = 16384 };
static const size_t huge = SIZE_MAX / 4;

static const float w1[F * D] = {1, -0.5f, 2, 0.25f, -3, 1}, w2[D * F] = {1, 2, 3, -1, 0.5f, 0.125f},
                          b[F] = {0.5f, 1, -1};
static const gelu_ffn_desc plain = {.d_model = D,
                                    .d_ff = F,
                                    .act = GELU_ERF,
                                    .fc1 = {GELU_F32, GELU_OUT_IN, w1, 0, b},
                                    .fc2 = {GELU_F32, GELU_OUT_IN, w2, 0, b}};
static const gelu_ffn_desc gated = {.d_model = D,
                                    .d_ff = F,
                                    .act = GELU_SILU,
                                    .gated = 1,
                                    .fc1 = {GELU_F32, GELU_OUT_IN, w1, 0, b},
                                    .up = {GELU_F32, GELU_IN_OUT, w1, 0, NULL},
                                    .fc2 = {GELU_F32, GELU_OUT_IN, w2, 0, b}};

/* Room for every argument, aligned as a workspace. */
static _Alignas(64) float memory[N];

static gelu_ffn *new_ffn(const gelu_ffn_desc *desc) {
    gelu_ffn *ffn;
    assert_int_equal(gelu_ffn_create(desc, &ffn), GELU_OK);
    return ffn;
}

static void create_refuses(gelu_status want, gelu_ffn_desc desc) {
    gelu_ffn *ffn = (gelu_ffn *)memory;
    assert_int_equal(gelu_ffn_create(&desc, &ffn), want);
    assert_null(ffn);
}

static void wrong_desc(void **state) {
    (void)state;
    gelu_ffn *ffn = (gelu_ffn *)memory;
    assert_int_equal(gelu_ffn_create(&plain, NULL), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_ffn_create(NULL, &ffn), GELU_ERR_ARGUMENT);
    assert_null(ffn);
    gelu_ffn_desc d = plain;
    d.act = (gelu_act)GELU_ACT_COUNT;
    create_refuses(GELU_ERR_ARGUMENT, d);
    d = plain, d.gated = 2;
    create_refuses(GELU_ERR_ARGUMENT, d);
    d = plain, d.up = gated.up;
    create_refuses(GELU_ERR_ARGUMENT, d);
    d = plain, d.fc2.weight = NULL;
    create_refuses(GELU_ERR_ARGUMENT, d);
    d = plain, d.fc2.dtype = GELU_F64;
    create_refuses(GELU_ERR_DTYPE, d);
    d = gated, d.up.dtype = GELU_F64;
    create_refuses(GELU_ERR_DTYPE, d);
    d = gated, d.fc1.dtype = GELU_F64;
    create_refuses(GELU_ERR_DTYPE, d);
    d = gated, d.up.dtype = (gelu_dtype)0;
    create_refuses(GELU_ERR_DTYPE, d);
    d = gated, d.up.ld = F - 1;
    create_refuses(GELU_ERR_SHAPE, d);
    d = plain, d.d_ff = huge;
    create_refuses(GELU_ERR_OVERFLOW, d);
    gelu_ffn_free(NULL);
}

struct forward_call {
    gelu_ffn *ffn;
    size_t rows, ldx, ldy;
    gelu_dtype xtype, ytype;
    float *x, *y;
    void *workspace;
    gelu_ffn_trace trace;
};

static void forward_refuses(gelu_status want, struct forward_call c) {
    static float before[N];
    memcpy(before, memory, sizeof memory);
    assert_int_equal(gelu_ffn_forward(c.ffn, c.rows, c.xtype, c.x, c.ldx, &c.trace, c.ytype, c.y, c.ldy, c.workspace),
                     want);
    assert_memory_equal(before, memory, sizeof memory);
}

static void wrong_forward(void **state) {
    (void)state;
    gelu_ffn *p = new_ffn(&plain), *g = new_ffn(&gated);
    const struct forward_call good = {p, ROWS, D, D, GELU_F32, GELU_F32, memory, memory + 64, memory + 1024, {0}};
    struct forward_call c = good;
    c.ffn = NULL;
    forward_refuses(GELU_ERR_ARGUMENT, c);
    c = good, c.x = NULL;
    forward_refuses(GELU_ERR_ARGUMENT, c);
    c = good, c.y = NULL;
    forward_refuses(GELU_ERR_ARGUMENT, c);
    c = good, c.workspace = memory + 1025;
    forward_refuses(GELU_ERR_ARGUMENT, c);
    c = good, c.trace.gate = memory + 512;
    forward_refuses(GELU_ERR_ARGUMENT, c);
    c = good, c.trace.up = memory + 512;
    forward_refuses(GELU_ERR_ARGUMENT, c);
    c = good, c.xtype = GELU_F64;
    forward_refuses(GELU_ERR_DTYPE, c);
    c = good, c.ytype = (gelu_dtype)77;
    forward_refuses(GELU_ERR_DTYPE, c);
    c = good, c.ldx = D - 1;
    forward_refuses(GELU_ERR_SHAPE, c);
    c = good, c.ldy = D - 1;
    forward_refuses(GELU_ERR_SHAPE, c);
    c = good, c.ldx = huge;
    forward_refuses(GELU_ERR_OVERFLOW, c);
    c = good, c.rows = SIZE_MAX / 8, c.trace.h = memory + 512;
    forward_refuses(GELU_ERR_OVERFLOW, c);
    c = good, c.y = c.x;
    forward_refuses(GELU_ERR_ALIAS, c);
    c = good, c.y = c.x + 7;
    forward_refuses(GELU_ERR_ALIAS, c);
    c = good, c.trace.h = c.x + 7;
    forward_refuses(GELU_ERR_ALIAS, c);
    c = good, c.trace.a = c.y + 7;
    forward_refuses(GELU_ERR_ALIAS, c);
    c = good, c.trace.a = c.trace.h = memory + 512;
    forward_refuses(GELU_ERR_ALIAS, c);
    c = good, c.ffn = g, c.trace.gate = memory + 512, c.trace.up = memory + 512 + 11;
    forward_refuses(GELU_ERR_ALIAS, c);
    c = good, c.workspace = c.x;
    forward_refuses(GELU_ERR_ALIAS, c);
    c = good, c.workspace = c.y;
    forward_refuses(GELU_ERR_ALIAS, c);
    c = good, c.trace.h = c.workspace;
    forward_refuses(GELU_ERR_ALIAS, c);
    assert_int_equal(gelu_ffn_forward(p, ROWS, GELU_F32, memory, 4, NULL, GELU_F32, memory + 2, 4, NULL), GELU_OK);
    gelu_ffn_free(p);
    gelu_ffn_free(g);
}

struct backward_call {
    gelu_ffn *ffn;
    gelu_grad_mode mode;
    gelu_dtype xtype, dytype;
    size_t ldx, lddy;
    float *x, *dy;
    void *workspace;
    gelu_ffn_grads grads;
};

static void backward_refuses(gelu_status want, struct backward_call c) {
    static float before[N];
    memcpy(before, memory, sizeof memory);
    assert_int_equal(gelu_ffn_backward(c.ffn, c.mode, ROWS, c.xtype, c.x, c.ldx, c.dytype, c.dy, c.lddy, NULL, &c.grads,
                                       c.workspace),
                     want);
    assert_memory_equal(before, memory, sizeof memory);
}

static void wrong_backward(void **state) {
    (void)state;
    gelu_ffn *p = new_ffn(&plain), *g = new_ffn(&gated);
    const struct backward_call good = {p, GELU_GRAD_SET, GELU_F32,    GELU_F32,      D,
                                       D, memory,        memory + 64, memory + 1024, {.dx = memory + 128, .lddx = D}};
    struct backward_call c = good;
    c.ffn = NULL;
    backward_refuses(GELU_ERR_ARGUMENT, c);
    c = good, c.mode = (gelu_grad_mode)0;
    backward_refuses(GELU_ERR_ARGUMENT, c);
    c = good, c.x = NULL;
    backward_refuses(GELU_ERR_ARGUMENT, c);
    c = good, c.dy = NULL;
    backward_refuses(GELU_ERR_ARGUMENT, c);
    c = good, c.workspace = memory + 1027;
    backward_refuses(GELU_ERR_ARGUMENT, c);
    c = good, c.grads.dup_weight = memory + 256;
    backward_refuses(GELU_ERR_ARGUMENT, c);
    c = good, c.grads.dup_bias = memory + 256;
    backward_refuses(GELU_ERR_ARGUMENT, c);
    c = good, c.xtype = GELU_F64;
    backward_refuses(GELU_ERR_DTYPE, c);
    c = good, c.dytype = GELU_F64;
    backward_refuses(GELU_ERR_DTYPE, c);
    c = good, c.ldx = D - 1;
    backward_refuses(GELU_ERR_SHAPE, c);
    c = good, c.lddy = D - 1;
    backward_refuses(GELU_ERR_SHAPE, c);
    c = good, c.grads.lddx = D - 1;
    backward_refuses(GELU_ERR_SHAPE, c);
    c = good, c.lddy = huge;
    backward_refuses(GELU_ERR_OVERFLOW, c);
    c = good, c.grads.dx = c.x;
    backward_refuses(GELU_ERR_ALIAS, c);
    c = good, c.grads.dx = c.dy + 7;
    backward_refuses(GELU_ERR_ALIAS, c);
    c = good, c.grads.dfc1_weight = c.x;
    backward_refuses(GELU_ERR_ALIAS, c);
    c = good, c.grads.dfc1_weight = memory + 256, c.grads.dfc2_weight = memory + 261;
    backward_refuses(GELU_ERR_ALIAS, c);
    c = good, c.grads.dfc1_bias = memory + 256, c.grads.dfc2_bias = memory + 258;
    backward_refuses(GELU_ERR_ALIAS, c);
    c = good, c.ffn = g, c.grads.dup_weight = memory + 256, c.grads.dup_bias = memory + 261;
    backward_refuses(GELU_ERR_ALIAS, c);
    c = good, c.workspace = memory + 128;
    backward_refuses(GELU_ERR_ALIAS, c);
    assert_int_equal(
        gelu_ffn_backward(p, GELU_GRAD_SET, ROWS, GELU_F32, memory, D, GELU_F32, memory + 64, D, NULL, NULL, NULL),
        GELU_ERR_ARGUMENT);
    gelu_ffn_free(p);
    gelu_ffn_free(g);
}

static void empty_shapes(void **state) {
    (void)state;
    gelu_ffn *ffn = new_ffn(&gated);
    size_t forward_nbytes = 1, backward_nbytes = 1;
    float grads[F * D], y[2 * D];
    assert_int_equal(gelu_ffn_workspace(ffn, 0, &forward_nbytes, &backward_nbytes), GELU_OK);
    assert_int_equal(forward_nbytes, 0);
    assert_int_equal(gelu_ffn_workspace(ffn, SIZE_MAX, &forward_nbytes, &backward_nbytes), GELU_OK);
    assert_int_equal(forward_nbytes % 64 + backward_nbytes % 64, 0);
    assert_int_equal(gelu_ffn_workspace(NULL, 1, &forward_nbytes, &backward_nbytes), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_ffn_forward(ffn, 0, GELU_F32, NULL, D, NULL, GELU_F32, NULL, D, NULL), GELU_OK);
    memset(grads, 0xff, sizeof grads);
    gelu_ffn_grads g = {.dfc1_weight = grads};
    assert_int_equal(gelu_ffn_backward(ffn, GELU_GRAD_SET, 0, GELU_F32, NULL, D, GELU_F32, NULL, D, NULL, &g, NULL),
                     GELU_OK);
    assert_memory_equal(grads, (float[F * D]){0}, sizeof grads);
    gelu_ffn_free(ffn);
    /* no hidden features: the bias of fc2 remains */
    const gelu_ffn_desc thin = {.d_model = D,
                                .d_ff = 0,
                                .act = GELU_ERF,
                                .fc1 = {GELU_F32, GELU_OUT_IN, NULL, 0, NULL},
                                .fc2 = {GELU_F32, GELU_OUT_IN, NULL, 0, b}};
    ffn = new_ffn(&thin);
    assert_int_equal(gelu_ffn_forward(ffn, 2, GELU_F32, w1, D, NULL, GELU_F32, y, D, NULL), GELU_OK);
    assert_memory_equal(y, ((float[]){0.5f, 1, 0.5f, 1}), sizeof y);
    gelu_ffn_free(ffn);
}

/* No model features, and more rows than anybody waits for. */
static void endless_rows(void **state) {
    (void)state;
    const size_t rows = SIZE_MAX / 64;
    float db[F] = {9, 9, 9}, dup[F] = {9, 9, 9};
    for (int is_gated = 0; is_gated < 2; is_gated++) {
        gelu_ffn_desc desc = is_gated ? gated : plain;
        desc.d_model = 0;
        desc.fc2.bias = NULL;
        gelu_ffn *ffn = new_ffn(&desc);
        size_t overflows = 9;
        const gelu_ffn_trace trace = {.overflows = &overflows};
        assert_int_equal(gelu_ffn_forward(ffn, rows, GELU_F32, NULL, 0, NULL, GELU_F32, NULL, 0, NULL), GELU_OK);
        assert_int_equal(gelu_ffn_forward(ffn, rows, GELU_F32, NULL, 0, &trace, GELU_F32, NULL, 0, NULL), GELU_OK);
        assert_int_equal(overflows, 0);
        const gelu_ffn_grads grads = {.dfc1_bias = db, .dup_bias = is_gated ? dup : NULL};
        for (int add = 1; add >= 0; add--) {
            gelu_grad_mode mode = add ? GELU_GRAD_ADD : GELU_GRAD_SET;
            float old[F] = {9, 9, 9}, *want = add ? old : (float[F]){0};
            db[0] = db[1] = db[2] = dup[0] = dup[1] = dup[2] = 9;
            assert_int_equal(
                gelu_ffn_backward(ffn, mode, rows, GELU_F32, NULL, 0, GELU_F32, NULL, 0, NULL, &grads, NULL), GELU_OK);
            assert_memory_equal(db, want, sizeof db);
            if (is_gated) assert_memory_equal(dup, want, sizeof dup);
        }
        gelu_ffn_free(ffn);
    }
}

/* The weights of a view are inputs. */
static void view_overlaps(void **state) {
    (void)state;
    for (int is_gated = 0; is_gated < 2; is_gated++) {
        float w[3][F * D] = {{0}}, x[ROWS * D] = {0}, y[ROWS * D], *const dy = y;
        gelu_ffn_desc desc = is_gated ? gated : plain;
        desc.view = 1, desc.fc1.weight = w[0], desc.fc2.weight = w[1];
        if (is_gated) desc.up.weight = w[2];
        gelu_ffn *ffn = new_ffn(&desc);
        memset(y, 0, sizeof y);
        for (int i = 0; i < (is_gated ? 3 : 2); i++) {
            const gelu_ffn_trace trace = {.h = &w[i][F * D - 1]};
            const gelu_ffn_grads dx = {.dx = w[i], .lddx = D}, dw = {.dfc2_weight = w[i]};
            assert_int_equal(gelu_ffn_forward(ffn, 1, GELU_F32, x, D, NULL, GELU_F32, w[i], D, NULL), GELU_ERR_ALIAS);
            assert_int_equal(gelu_ffn_forward(ffn, 1, GELU_F32, x, D, &trace, GELU_F32, y, D, NULL), GELU_ERR_ALIAS);
            assert_int_equal(gelu_ffn_backward(ffn, GELU_GRAD_SET, 1, GELU_F32, x, D, GELU_F32, dy, D, NULL, &dx, NULL),
                             GELU_ERR_ALIAS);
            assert_int_equal(gelu_ffn_backward(ffn, GELU_GRAD_SET, 1, GELU_F32, x, D, GELU_F32, dy, D, NULL, &dw, NULL),
                             GELU_ERR_ALIAS);
        }
        gelu_ffn_free(ffn);
    }
}

static void memory_runs_out(void **state) {
    (void)state;
    gelu_ffn *ffn = NULL;
    static float before[N];
    int allowed = 0;
    errno = 77;
    for (gelu_status status = GELU_ERR_MEMORY; status != GELU_OK; allowed++) {
        host_allocations_left = allowed;
        status = gelu_ffn_create(&gated, &ffn);
        assert_int_equal(status, ffn ? GELU_OK : GELU_ERR_MEMORY);
    }
    assert_int_equal(allowed, 1 + 3 + 2 + 3 + 1);
    memcpy(before, memory, sizeof memory);
    host_allocations_left = 0;
    gelu_ffn_grads grads = {.dx = memory + 128, .lddx = D};
    assert_int_equal(gelu_ffn_forward(ffn, ROWS, GELU_F32, memory, D, NULL, GELU_F32, memory + 64, D, NULL),
                     GELU_ERR_MEMORY);
    assert_int_equal(
        gelu_ffn_backward(ffn, GELU_GRAD_SET, ROWS, GELU_F32, memory, D, GELU_F32, memory + 64, D, NULL, &grads, NULL),
        GELU_ERR_MEMORY);
    assert_memory_equal(before, memory, sizeof memory);
    /* with a workspace, none is needed */
    size_t forward_nbytes, backward_nbytes;
    assert_int_equal(gelu_ffn_workspace(ffn, ROWS, &forward_nbytes, &backward_nbytes), GELU_OK);
    assert_true(forward_nbytes <= (N - 1024) * sizeof(float) && backward_nbytes <= (N - 1024) * sizeof(float));
    assert_int_equal(gelu_ffn_forward(ffn, ROWS, GELU_F16, memory, D, NULL, GELU_BF16, memory + 64, D, memory + 1024),
                     GELU_OK);
    assert_int_equal(gelu_ffn_backward(ffn, GELU_GRAD_SET, ROWS, GELU_F16, memory, D, GELU_BF16, memory + 64, D, NULL,
                                       &grads, memory + 1024),
                     GELU_OK);
    host_allocations_left = -1;
    assert_int_equal(errno, 77);
    gelu_ffn_free(ffn);
}

/* Subnormal all the way, under every control word: the same bits, and the word as it was. */
static void control_words(void **state) {
    (void)state;
    const float x[2 * D] = {0x1.8p-127f, -0x1.234568p-128f, 0x1p-149f, 0x1.fffffep-120f};
    float y[2][2 * D], dx[2][2 * D], dw[2][F * D];
    gelu_ffn_desc desc = gated;
    desc.act = GELU_TANH;
    const uint32_t host = host_get();
    for (int i = -1; i < HOST_WORDS; i++) {
        int run = i >= 0;
        if (run) host_set(host_words[i]);
        gelu_ffn *ffn = NULL;
        gelu_status create = gelu_ffn_create(&desc, &ffn);
        gelu_status forward = gelu_ffn_forward(ffn, 2, GELU_F32, x, D, NULL, GELU_F32, y[run], D, NULL);
        gelu_ffn_grads grads = {.dx = dx[run], .lddx = D, .dfc2_weight = dw[run]};
        gelu_status backward =
            gelu_ffn_backward(ffn, GELU_GRAD_SET, 2, GELU_F32, x, D, GELU_F32, x, D, NULL, &grads, NULL);
        gelu_ffn_free(ffn);
        uint32_t word = host_get();
        host_set(host);
        assert_true(create == GELU_OK && forward == GELU_OK && backward == GELU_OK);
        if (!run) continue;
        assert_int_equal(word, host_words[i]);
        assert_memory_equal(y[0], y[1], sizeof y[0]);
        assert_memory_equal(dx[0], dx[1], sizeof dx[0]);
        assert_memory_equal(dw[0], dw[1], sizeof dw[0]);
    }
    assert_true(dx[0][0] != 0 && fabsf(dx[0][0]) < 0x1p-126f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_desc),      cmocka_unit_test(wrong_forward), cmocka_unit_test(wrong_backward),
        cmocka_unit_test(empty_shapes),    cmocka_unit_test(endless_rows),  cmocka_unit_test(view_overlaps),
        cmocka_unit_test(memory_runs_out), cmocka_unit_test(control_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
