/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The feed-forward layer reads and writes nothing beyond its arrays: each ends where a page begins that cannot be touched,
 * or begins where one ends. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include "unit/guard.h"
#include "unit/naive.h"

enum { WORKSPACE = 20, ARRAYS, MOST = 1 << 20 };

static struct guard guards[ARRAYS];

/* What one check has opened so far. */
struct arrays {
    bool high;
    size_t n, nbytes[WORKSPACE];
    void *p[WORKSPACE];
};

/* count elements at the upper or the lower page, each of them one, and before or behind them the canary. */
static void *open_array(struct arrays *a, size_t count, gelu_dtype dtype) {
    size_t size = gelu_dtype_nbytes(dtype), nbytes = count * size;
    assert_true(nbytes <= MOST && a->n < WORKSPACE);
    uint64_t one;
    naive_set(GELU_F64, 1, dtype, &one);
    struct guard *g = &guards[a->n];
    guard_fill(g);
    void *p = a->high ? guard_high(g, nbytes, 0) : guard_low(g, 0);
    for (size_t i = 0; i < count; i++) memcpy((char *)p + i * size, &one, size);
    a->nbytes[a->n] = nbytes;
    return a->p[a->n++] = p;
}

static void assert_all(gelu_dtype dtype, const void *p, size_t count, double value) {
    for (size_t i = 0; i < count; i++)
        assert_true(naive_get(dtype, (const char *)p + i * gelu_dtype_nbytes(dtype)) == value);
}

struct shape {
    size_t rows, d_model, d_ff;
    gelu_dtype type; /* bf16 compute: of y, the rest being bf16 */
    bool bf16, gated, view;
    gelu_gate_order order;
    gelu_layout layout;
};

static gelu_weights open_weights(struct arrays *a, const struct shape *s, size_t count, size_t out) {
    gelu_dtype type = s->bf16 ? GELU_BF16 : s->type;
    void *weight = open_array(a, count, type);
    return (gelu_weights){type, s->layout, weight, 0, open_array(a, out, type)};
}

static gelu_ffn *create(struct arrays *a, const struct shape *s) {
    size_t weights = s->d_model * s->d_ff, first = s->order == GELU_SEPARATE ? 1 : 2;
    gelu_ffn_desc desc = {.d_model = s->d_model,
                          .d_ff = s->d_ff,
                          .act = GELU_RELU,
                          .gated = s->gated,
                          .compute = s->bf16 ? GELU_COMPUTE_BF16 : GELU_COMPUTE_F32,
                          .order = s->order,
                          .view = s->view};
    desc.fc1 = open_weights(a, s, first * weights, first * s->d_ff);
    desc.fc2 = open_weights(a, s, weights, s->d_model);
    if (s->gated && first == 1) desc.up = open_weights(a, s, weights, s->d_ff);
    gelu_ffn *ffn;
    assert_int_equal(gelu_ffn_create(&desc, &ffn), GELU_OK);
    return ffn;
}

/* A workspace of exactly the size that the layer asks for. */
static void *open_workspace(struct arrays *a, size_t nbytes) {
    struct guard *g = &guards[WORKSPACE];
    assert_true(nbytes <= MOST && nbytes % 64 == 0);
    guard_fill(g);
    return a->high ? guard_high(g, nbytes, 0) : guard_low(g, 0);
}

static void check(const struct shape *s, bool high) {
    struct arrays a = {.high = high};
    gelu_dtype real = s->type == GELU_F64 ? GELU_F64 : GELU_F32;
    size_t rows = s->rows, wide = s->d_model, hidden = rows * s->d_ff, nbytes[2];
    size_t weights = wide * s->d_ff, first = s->order == GELU_SEPARATE ? 1 : 2;
    bool apart = s->gated && first == 1;
    gelu_ffn *ffn = create(&a, s);
    void *x = open_array(&a, rows * wide, s->type), *dy = open_array(&a, rows * wide, s->type);
    void *y = open_array(&a, rows * wide, s->type);
    gelu_ffn_trace trace = {.h = open_array(&a, hidden, real), .a = open_array(&a, hidden, real)};
    if (s->gated) trace.gate = open_array(&a, hidden, real), trace.up = open_array(&a, hidden, real);
    const gelu_ffn_grads grads = {.dx = open_array(&a, rows * wide, s->type),
                                  .lddx = wide,
                                  .dfc1_weight = open_array(&a, first * weights, real),
                                  .dfc1_bias = open_array(&a, first * s->d_ff, real),
                                  .dup_weight = apart ? open_array(&a, weights, real) : NULL,
                                  .dup_bias = apart ? open_array(&a, s->d_ff, real) : NULL,
                                  .dfc2_weight = open_array(&a, weights, real),
                                  .dfc2_bias = open_array(&a, wide, real)};
    assert_int_equal(gelu_ffn_workspace(ffn, rows, &nbytes[0], &nbytes[1]), GELU_OK);
    void *workspace = open_workspace(&a, nbytes[0]);
    assert_int_equal(gelu_ffn_forward(ffn, rows, s->type, x, wide, &trace, s->type, y, wide, workspace), GELU_OK);
    assert_true(guard_intact(&guards[WORKSPACE], workspace, nbytes[0]));
    workspace = open_workspace(&a, nbytes[1]);
    assert_int_equal(gelu_ffn_backward(ffn, GELU_GRAD_ADD, rows, s->type, x, wide, s->type, dy, wide,
                                       rows % 2 ? &trace : NULL, &grads, workspace),
                     GELU_OK);
    assert_true(guard_intact(&guards[WORKSPACE], workspace, nbytes[1]));
    gelu_ffn_free(ffn);
    /* Ones everywhere, and ReLU of something positive: what comes before it is d_model + 1. */
    assert_all(real, s->gated ? trace.gate : trace.h, hidden, (double)wide + 1);
    assert_all(real, trace.a, hidden, (double)wide + 1);
    assert_all(real, grads.dfc2_bias, wide, (double)rows + 1);
    for (size_t i = 0; i < a.n; i++) assert_true(guard_intact(&guards[i], a.p[i], a.nbytes[i]));
}

/* In bf16 compute, which has no gradients. */
static void check_bf16(const struct shape *s, bool high) {
    struct arrays a = {.high = high};
    size_t rows = s->rows, wide = s->d_model, hidden = rows * s->d_ff, nbytes, none;
    gelu_ffn *ffn = create(&a, s);
    void *x = open_array(&a, rows * wide, GELU_BF16), *y = open_array(&a, rows * wide, s->type);
    gelu_ffn_trace trace = {.h = open_array(&a, hidden, GELU_F32), .a = open_array(&a, hidden, GELU_F32)};
    if (s->gated) trace.gate = open_array(&a, hidden, GELU_F32), trace.up = open_array(&a, hidden, GELU_F32);
    assert_int_equal(gelu_ffn_workspace(ffn, rows, &nbytes, &none), GELU_OK);
    void *workspace = open_workspace(&a, nbytes);
    bool traced = naive_below(2);
    assert_int_equal(
        gelu_ffn_forward(ffn, rows, GELU_BF16, x, wide, traced ? &trace : NULL, s->type, y, wide, workspace), GELU_OK);
    gelu_ffn_free(ffn);
    /* Ones everywhere. What fc2 takes is rounded to bf16; the sums are whole and small enough to be exact. */
    double sum = (double)wide + 1, taken, want;
    naive_set(GELU_F32, s->gated ? sum * sum : sum, GELU_BF16, &taken);
    taken = naive_get(GELU_BF16, &taken);
    naive_set(GELU_F32, (double)s->d_ff * taken + 1, s->type, &want);
    assert_all(s->type, y, rows * wide, naive_get(s->type, &want));
    if (traced) assert_all(GELU_F32, s->gated ? trace.h : trace.a, hidden, taken);
    if (traced) assert_all(GELU_F32, s->gated ? trace.gate : trace.h, hidden, sum);
    assert_true(guard_intact(&guards[WORKSPACE], workspace, nbytes));
    for (size_t i = 0; i < a.n; i++) assert_true(guard_intact(&guards[i], a.p[i], a.nbytes[i]));
}

/* In turn each way of giving the weights and asking for the results. */
static struct shape shape_random(int i, gelu_dtype type) {
    struct shape s = {.rows = 1 + naive_below(22), .type = type};
    s.gated = i / 8 % 2;
    s.view = i / 16 % 2;
    s.layout = i / 32 % 2 ? GELU_OUT_IN : GELU_IN_OUT;
    s.order = s.gated ? (gelu_gate_order)naive_below(3) : GELU_SEPARATE;
    return s;
}

static void nothing_beyond_the_arrays(void **state) {
    (void)state;
    static const gelu_dtype types[] = {GELU_F32, GELU_F64, GELU_F16, GELU_BF16};
    for (size_t isa = 0; gelu_isa_available(isa); isa++) {
        assert_int_equal(gelu_isa_select(gelu_isa_available(isa)), GELU_OK);
        for (int i = 0; i < 64; i++) {
            /* In turn both widths are short, or one of them ends with the first block of k or in the second. */
            struct shape s = shape_random(i, types[i % 4]);
            s.d_model = i % 3 == 1 ? 256 + naive_below(45) : 1 + naive_below(40);
            s.d_ff = i % 3 == 2 ? 256 + naive_below(45) : 1 + naive_below(40);
            check(&s, i / 4 % 2);
        }
    }
}

static void nothing_beyond_the_arrays_in_bf16(void **state) {
    (void)state;
    static const gelu_dtype types[] = {GELU_F32, GELU_F16, GELU_BF16};
    for (size_t isa = 0; gelu_isa_available(isa); isa++) {
        assert_int_equal(gelu_isa_select(gelu_isa_available(isa)), GELU_OK);
        for (int i = 0; i < 96; i++) {
            struct shape s = shape_random(i, types[i % 3]);
            s.bf16 = true;
            if (i % 12 == 0) s.rows = 250 + naive_below(20); /* as many as are worked on at a time, or more */
            s.d_model = i % 5 == 1 ? 64 : 1 + naive_below(100);
            s.d_ff = i % 5 == 2 ? 64 : 1 + naive_below(100);
            check_bf16(&s, i / 4 % 2);
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
