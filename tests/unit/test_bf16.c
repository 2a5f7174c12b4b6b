/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Linear and feed-forward in bf16 compute against the rule of the header, bit for bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include "unit/host.h"
#include "unit/naive.h"
#include "unit/naive_bf16.h"

/* Many threads only where the build has any; each size in either case. */
static void random_threads(void) {
    static const size_t counts[] = {1, 1, 2, 3, 5, 16};
    gelu_status status = gelu_set_num_threads(counts[naive_below(6)]);
    assert_true(status == GELU_OK || status == GELU_ERR_UNSUPPORTED);
}

static void fill(size_t n, enum naive_bf16_data data, uint16_t *out) {
    for (size_t i = 0; i < n; i++) out[i] = (uint16_t)(naive_bf16_random(data) >> 16);
}

/* bf16 weights in either layout, with a leading dimension of their own. */
struct bf16_layer {
    size_t in, out, n_stride, k_stride;
    gelu_weights weights;
    uint16_t *w, *b;
};

static struct bf16_layer layer_random(size_t in, size_t out, enum naive_bf16_data data) {
    struct bf16_layer l = {.in = in, .out = out};
    bool out_in = naive_below(2), bias = naive_below(4) > 0;
    size_t rows = out_in ? out : in, ld = (out_in ? in : out) + naive_below(3);
    l.w = malloc(rows * ld * 2 + 2), l.b = malloc(out * 2 + 2);
    fill(rows * ld, data, l.w);
    fill(out, data, l.b);
    l.n_stride = out_in ? ld : 1, l.k_stride = out_in ? 1 : ld;
    l.weights = (gelu_weights){GELU_BF16, out_in ? GELU_OUT_IN : GELU_IN_OUT, l.w, ld, bias ? l.b : NULL};
    return l;
}

static void layer_free_bf16(struct bf16_layer *l) { free(l->w), free(l->b); }

/* acc (rows, out) */
static float *layer_acc(const struct bf16_layer *l, size_t rows, const uint16_t *x, size_t ldx) {
    float *acc = malloc(rows * l->out * 4 + 4);
    uint16_t *column = malloc(l->in * 2 + 2);
    for (size_t n = 0; n < l->out; n++) {
        for (size_t k = 0; k < l->in; k++) column[k] = l->w[n * l->n_stride + k * l->k_stride];
        for (size_t m = 0; m < rows; m++)
            acc[m * l->out + n] =
                naive_bf16_sum(l->in, x + m * ldx, column, 1, l->weights.bias ? naive_bf16_widen(l->b[n]) : 0);
    }
    free(column);
    return acc;
}

/* What an epilogue makes of acc: rounded once, from the exact activation where nothing follows. */
static void expect(gelu_act act, size_t n, const float *acc, const float *residual, gelu_dtype type, void *y) {
    float *t = malloc(n * 4 + 4);
    if (!residual && type == GELU_BF16) {
        gelu_dispatch()->forward_f32_bf16[act](n, acc, y);
    } else if (!residual && type == GELU_F16) {
        gelu_dispatch()->forward_f32_f16[act](n, acc, y);
    } else {
        gelu_forward_f32(act, n, acc, t);
        for (size_t i = 0; residual && i < n; i++) t[i] = t[i] + residual[i];
        assert_int_equal(gelu_convert(n, GELU_F32, t, type, y), GELU_OK);
    }
    free(t);
}

static void assert_same(gelu_dtype type, size_t n, const void *got, const void *want, const char *what) {
    size_t nbytes = gelu_dtype_nbytes(type);
    for (size_t i = 0; i < n; i++) {
        const unsigned char *g = (const unsigned char *)got + i * nbytes, *w = (const unsigned char *)want + i * nbytes;
        if (memcmp(g, w, nbytes) == 0 || (isnan(naive_get(type, g)) && isnan(naive_get(type, w)))) continue;
        fail_msg("%s, %s: element %zu of %zu: got %a, want %a", gelu_isa_name(), what, i, n, naive_get(type, g),
                 naive_get(type, w));
    }
}

static gelu_linear *create(const struct bf16_layer *l) {
    gelu_linear *linear = NULL;
    gelu_status status = (naive_below(3) ? gelu_linear_create : gelu_linear_view)(l->in, l->out, &l->weights,
                                                                                  GELU_COMPUTE_BF16, &linear);
    assert_int_equal(status, GELU_OK);
    return linear;
}

/* Whatever the host's control word. A workspace of exactly the stated size, or none. */
static void run(const gelu_linear *linear, size_t rows, const uint16_t *x, size_t ldx, const gelu_epilogue *e,
                gelu_dtype type, void *y, size_t ldy) {
    size_t forward, backward;
    assert_int_equal(gelu_linear_workspace(linear, rows, &forward, &backward), GELU_OK);
    assert_int_equal(backward, 0);
    void *workspace = naive_below(2) ? aligned_alloc(64, forward + (0 - forward) % 64 + 64) : NULL;
    uint32_t before = host_get(), word = naive_below(2) ? before : host_words[naive_below(HOST_WORDS)];
    host_set(word);
    gelu_status status = gelu_linear_forward(linear, rows, GELU_BF16, x, ldx, e, type, y, ldy, workspace);
    uint32_t after = host_get();
    host_set(before);
    assert_int_equal(status, GELU_OK);
    assert_int_equal(after, word);
    free(workspace);
}

static void check_linear(size_t rows, size_t in, size_t out, enum naive_bf16_data data) {
    static const gelu_dtype types[] = {GELU_F32, GELU_BF16, GELU_F16};
    gelu_dtype type = types[naive_below(3)];
    gelu_act act = (gelu_act)naive_below(GELU_ACT_COUNT);
    size_t ldx = in + naive_below(3), n = rows * out;
    struct bf16_layer l = layer_random(in, out, data);
    uint16_t *x = malloc(rows * ldx * 2 + 2);
    float *residual = malloc(n * 4 + 4), *preact = malloc(n * 4 + 4);
    void *own = malloc(n * 4 + 4), *y = malloc(n * 4 + 4), *want = malloc(n * 4 + 4);
    fill(rows * ldx, data, x);
    for (size_t i = 0; i < n; i++) residual[i] = naive_bf16_widen((uint16_t)(naive_bf16_random(PLAIN) >> 16));
    assert_int_equal(gelu_convert(n, GELU_F32, residual, type, own), GELU_OK);
    assert_int_equal(gelu_convert(n, type, own, GELU_F32, residual), GELU_OK);
    bool with_residual = naive_below(2);
    float *acc = layer_acc(&l, rows, x, ldx);
    expect(act, n, acc, with_residual ? residual : NULL, type, want);
    const gelu_epilogue e = {
        .act = act, .residual = with_residual ? own : NULL, .ldr = out, .preact = preact, .ldp = out};
    for (size_t i = 0; gelu_isa_available(i); i++) {
        assert_int_equal(gelu_isa_select(gelu_isa_available(i)), GELU_OK);
        random_threads();
        gelu_linear *linear = create(&l);
        memset(y, 0xff, n * 4);
        run(linear, rows, x, ldx, &e, type, y, out);
        assert_same(type, n, y, want, "y");
        assert_same(GELU_F32, n, preact, acc, "preact");
        gelu_linear_free(linear);
    }
    gelu_isa_select(NULL);
    layer_free_bf16(&l);
    free(x), free(residual), free(preact), free(own), free(y), free(want), free(acc);
}

static void linear_by_the_rule(void **state) {
    (void)state;
    for (int i = 0; i < 300; i++)
        check_linear(naive_below(40), naive_below(100), naive_below(100),
                     (enum naive_bf16_data)naive_below(DATA_KINDS));
    for (int i = 0; i < 12; i++)
        check_linear(naive_below(600), naive_below(600), naive_below(300),
                     (enum naive_bf16_data)naive_below(DATA_KINDS));
    check_linear(3, 1100, 300, PLAIN); /* deep sums have wider groups */
    check_linear(0, 7, 7, PLAIN);
    check_linear(7, 0, 40, ANY);
    check_linear(7, 7, 0, PLAIN);
}

/* bf16 widened */
static float *widened(size_t n, const uint16_t *x) {
    float *wide = malloc(n * 4 + 4);
    for (size_t i = 0; i < n; i++) wide[i] = naive_bf16_widen(x[i]);
    return wide;
}

static void check_ffn(size_t rows, size_t d_model, size_t d_ff, bool gated, enum naive_bf16_data data) {
    gelu_act act = (gelu_act)naive_below(GELU_ACT_COUNT);
    struct bf16_layer fc1 = layer_random(d_model, d_ff, data), up = layer_random(d_model, d_ff, data);
    struct bf16_layer fc2 = layer_random(d_ff, d_model, data);
    size_t n = rows * d_ff;
    uint16_t *x = malloc(rows * d_model * 2 + 2), *hidden = malloc(n * 2 + 2);
    fill(rows * d_model, data, x);
    float *pre = layer_acc(&fc1, rows, x, d_model), *value = layer_acc(&up, rows, x, d_model), *a = malloc(n * 4 + 4);
    gelu_forward_f32(act, n, pre, a);
    for (size_t i = 0; gated && i < n; i++) value[i] = a[i] * value[i];
    expect(gated ? GELU_IDENTITY : act, n, gated ? value : pre, NULL, GELU_BF16, hidden);
    float *wide = widened(n, hidden), *acc = layer_acc(&fc2, rows, hidden, d_ff);
    uint16_t *want = malloc(rows * d_model * 2 + 2), *y = malloc(rows * d_model * 2 + 2);
    expect(GELU_IDENTITY, rows * d_model, acc, NULL, GELU_BF16, want);
    const gelu_ffn_desc desc = {.d_model = d_model,
                                .d_ff = d_ff,
                                .act = act,
                                .gated = gated,
                                .fc1 = fc1.weights,
                                .up = gated ? up.weights : (gelu_weights){0},
                                .fc2 = fc2.weights,
                                .compute = GELU_COMPUTE_BF16,
                                .view = (int)naive_below(2)};
    float *trace_h = malloc(n * 4 + 4), *trace_a = malloc(n * 4 + 4), *trace_gate = malloc(n * 4 + 4);
    for (size_t i = 0; gelu_isa_available(i); i++) {
        assert_int_equal(gelu_isa_select(gelu_isa_available(i)), GELU_OK);
        random_threads();
        gelu_ffn *ffn = NULL;
        assert_int_equal(gelu_ffn_create(&desc, &ffn), GELU_OK);
        const gelu_ffn_trace trace = {.h = trace_h, .a = trace_a, .gate = gated ? trace_gate : NULL};
        for (int traced = 0; traced < 2; traced++) {
            memset(y, 0xff, rows * d_model * 2);
            assert_int_equal(
                gelu_ffn_forward(ffn, rows, GELU_BF16, x, d_model, traced ? &trace : NULL, GELU_BF16, y, d_model, NULL),
                GELU_OK);
            assert_same(GELU_BF16, rows * d_model, y, want, "y");
        }
        assert_same(GELU_F32, n, trace_h, gated ? wide : pre, "h");
        assert_same(GELU_F32, n, trace_a, gated ? a : wide, "a");
        if (gated) assert_same(GELU_F32, n, trace_gate, pre, "gate");
        gelu_ffn_free(ffn);
    }
    gelu_isa_select(NULL);
    layer_free_bf16(&fc1), layer_free_bf16(&up), layer_free_bf16(&fc2);
    free(x), free(hidden), free(pre), free(value), free(a), free(wide), free(acc), free(want), free(y);
    free(trace_h), free(trace_a), free(trace_gate);
}

static void ffn_by_the_rule(void **state) {
    (void)state;
    for (int i = 0; i < 120; i++)
        check_ffn(naive_below(30), naive_below(60), naive_below(80), i % 2,
                  (enum naive_bf16_data)naive_below(DATA_KINDS));
    check_ffn(300, 40, 70, false, PLAIN); /* more rows than are worked on at a time */
    check_ffn(300, 40, 70, true, PLAIN);
}

/* A workspace serves fewer rows, for any number of threads. */
static void workspace_grows_with_rows(void **state) {
    (void)state;
    for (size_t threads = 1; threads <= 16; threads++) {
        if (gelu_set_num_threads(threads) != GELU_OK) break;
        for (int i = 0; i < 20; i++) {
            struct bf16_layer l = layer_random(1 + naive_below(40), 1 + naive_below(600), PLAIN);
            gelu_linear *linear = create(&l);
            size_t before = 0, forward, backward;
            for (size_t rows = 1; rows < 1200; rows++) {
                assert_int_equal(gelu_linear_workspace(linear, rows, &forward, &backward), GELU_OK);
                assert_true(forward >= before);
                before = forward;
            }
            gelu_linear_free(linear);
            layer_free_bf16(&l);
        }
    }
    gelu_set_num_threads(1);
}

static void refusals(void **state) {
    (void)state;
    static const uint16_t w[4] = {0x3f80}, x[2] = {0x3f80};
    static float y[2];
    gelu_linear *linear;
    for (gelu_dtype type = GELU_F32; type <= GELU_F16; type++) {
        const gelu_weights weights = {type, GELU_OUT_IN, y, 0, NULL};
        assert_int_equal(gelu_linear_create(1, 1, &weights, GELU_COMPUTE_BF16, &linear), GELU_ERR_DTYPE);
        assert_int_equal(gelu_linear_view(1, 1, &weights, GELU_COMPUTE_BF16, &linear), GELU_ERR_DTYPE);
    }
    const gelu_weights weights = {GELU_BF16, GELU_OUT_IN, w, 0, NULL};
    assert_int_equal(gelu_linear_create(2, 2, &weights, GELU_COMPUTE_BF16, &linear), GELU_OK);
    for (gelu_dtype type = GELU_F32; type <= GELU_F16; type++)
        assert_int_equal(gelu_linear_forward(linear, 1, type, x, 2, NULL, GELU_F32, y, 2, NULL), GELU_ERR_DTYPE);
    assert_int_equal(gelu_linear_forward(linear, 1, GELU_BF16, x, 2, NULL, GELU_F64, y, 2, NULL), GELU_ERR_DTYPE);
    assert_int_equal(
        gelu_linear_backward(linear, GELU_GRAD_SET, 1, GELU_BF16, x, 2, GELU_BF16, w, 2, NULL, 2, NULL, y, NULL),
        GELU_ERR_UNSUPPORTED);
    size_t forward, backward;
    assert_int_equal(gelu_linear_workspace(linear, SIZE_MAX / 2, &forward, &backward), GELU_OK); /* in rounds */
    gelu_linear_free(linear);
    gelu_ffn *ffn;
    gelu_ffn_desc desc = {.d_model = 2, .d_ff = 2, .act = GELU_ERF, .fc1 = weights, .fc2 = weights};
    desc.compute = GELU_COMPUTE_BF16;
    assert_int_equal(gelu_ffn_create(&desc, &ffn), GELU_OK);
    assert_int_equal(gelu_ffn_forward(ffn, 1, GELU_F32, x, 2, NULL, GELU_F32, y, 2, NULL), GELU_ERR_DTYPE);
    const gelu_ffn_grads grads = {.dx = y, .lddx = 2};
    assert_int_equal(gelu_ffn_backward(ffn, GELU_GRAD_SET, 1, GELU_BF16, x, 2, GELU_BF16, w, 2, NULL, &grads, NULL),
                     GELU_ERR_UNSUPPORTED);
    gelu_ffn_free(ffn);
    desc.fc2.dtype = GELU_F16;
    assert_int_equal(gelu_ffn_create(&desc, &ffn), GELU_ERR_DTYPE);
}

/* Each allocation of a call fails once: it says so, and nothing is leaked. */
static void out_of_memory(void **state) {
    (void)state;
    struct bf16_layer l = layer_random(40, 40, PLAIN);
    gelu_linear *linear = NULL;
    for (int left = 0; left < 2 + (l.weights.bias != NULL); left++) {
        host_allocations_left = left;
        assert_int_equal(gelu_linear_create(40, 40, &l.weights, GELU_COMPUTE_BF16, &linear), GELU_ERR_MEMORY);
        assert_null(linear);
    }
    host_allocations_left = -1;
    assert_int_equal(gelu_linear_create(40, 40, &l.weights, GELU_COMPUTE_BF16, &linear), GELU_OK);
    static uint16_t x[40];
    static float y[40];
    host_allocations_left = 0;
    assert_int_equal(gelu_linear_forward(linear, 1, GELU_BF16, x, 40, NULL, GELU_F32, y, 40, NULL), GELU_ERR_MEMORY);
    host_allocations_left = -1;
    gelu_linear_free(linear);
    layer_free_bf16(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_by_the_rule),
        cmocka_unit_test(ffn_by_the_rule),
        cmocka_unit_test(workspace_grows_with_rows),
        cmocka_unit_test(refusals),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
