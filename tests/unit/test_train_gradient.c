/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Every gradient of a small network against central differences of its loss in f64, and those of f32 against f64. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "train.h"

enum { ROWS = 6, IN = 5, OUT = 4, DROPOUT_SEED = 7 };

static const uint32_t labels[ROWS] = {0, 3, 1, 2, 2, 0};

struct example {
    double x[ROWS * IN], target[ROWS * OUT];
    float x32[ROWS * IN], target32[ROWS * OUT];
};

static struct example make_example(void) {
    struct example e;
    gelu_rng rng;
    gelu_manual_seed(&rng, 11);
    gelu_randn_f32(&rng, ROWS * IN, e.x32);
    gelu_randn_f32(&rng, ROWS * OUT, e.target32);
    assert_int_equal(gelu_convert(ROWS * IN, GELU_F32, e.x32, GELU_F64, e.x), GELU_OK);
    assert_int_equal(gelu_convert(ROWS * OUT, GELU_F32, e.target32, GELU_F64, e.target), GELU_OK);
    return e;
}

static train_net *create(gelu_dtype dtype, gelu_act act, train_loss loss, double dropout) {
    const train_desc desc = {.dtype = dtype,
                             .layers = 4,
                             .widths = {IN, 7, 6, 5, OUT},
                             .act = act,
                             .dropout = dropout,
                             .init = TRAIN_INIT_TORCH,
                             .loss = loss,
                             .rows = ROWS};
    train_net *net;
    gelu_rng rng;
    gelu_manual_seed(&rng, 5);
    assert_int_equal(train_net_create(&desc, &rng, &net), GELU_OK);
    return net;
}

/* The same activations fall away each time. */
static void forward(train_net *net, const void *x) {
    gelu_rng rng;
    gelu_manual_seed(&rng, DROPOUT_SEED);
    assert_int_equal(train_forward(net, ROWS, x, &rng), GELU_OK);
}

static const void *target_of(const train_net *net, const struct example *e) {
    if (net->desc.loss == TRAIN_CROSS_ENTROPY) return labels;
    return net->desc.dtype == GELU_F64 ? (const void *)e->target : e->target32;
}

static double mean_loss(train_net *net, const struct example *e) {
    double sum;
    forward(net, e->x);
    train_loss_sum(net, target_of(net, e), &sum, NULL);
    return sum / ROWS;
}

/* A difference across the bend of RELU or ELU'' would be none of the slope. */
static void check_away_from_bends(const train_net *net) {
    for (size_t i = 0; i + 1 < net->desc.layers; i++)
        for (size_t j = 0; j < ROWS * net->layers[i].out; j++)
            assert_true(fabs(((const double *)net->layers[i].preact)[j]) > 3e-5);
}

static void check(gelu_act act, train_loss loss, double dropout) {
    static const double h = 3e-6;
    const struct example e = make_example();
    train_net *net = create(GELU_F64, act, loss, dropout), *net32 = create(GELU_F32, act, loss, dropout);
    double sum, sum32, largest = 0;
    forward(net, e.x);
    assert_int_equal(train_backward(net, e.x, target_of(net, &e), &sum, NULL), GELU_OK);
    forward(net32, e.x32);
    assert_int_equal(train_backward(net32, e.x32, target_of(net32, &e), &sum32, NULL), GELU_OK);
    if (act == GELU_RELU || act == GELU_ELU) check_away_from_bends(net);
    assert_true(fabs(sum - sum32) < 1e-5);
    for (size_t i = 0; i < net->count; i++) {
        double *value = &((double *)net->values)[i], kept = *value, gradient = ((const double *)net->grads)[i];
        *value = kept + h;
        double above = mean_loss(net, &e);
        *value = kept - h;
        double below = mean_loss(net, &e);
        *value = kept;
        double difference = (above - below) / (2 * h);
        if (fabs(difference - gradient) > 1e-9)
            fail_msg("%s, loss %d: parameter %zu: %.12g, by differences %.12g", gelu_act_name(act), (int)loss, i,
                     gradient, difference);
        assert_true(fabs(((const float *)net32->grads)[i] - gradient) < 1e-6);
        largest = fmax(largest, fabs(gradient));
    }
    assert_true(largest > 0.01);
    train_net_free(net);
    train_net_free(net32);
}

static void test_every_activation(void **state) {
    (void)state;
    for (int act = GELU_IDENTITY; act <= GELU_ELU; act++) {
        check((gelu_act)act, TRAIN_CROSS_ENTROPY, 0);
        check((gelu_act)act, TRAIN_MSE, 0);
        check((gelu_act)act, TRAIN_CROSS_ENTROPY, 0.4);
    }
}

/* The loss itself, and its gradient at the output, written out. */
static void test_cross_entropy(void **state) {
    const struct example e = make_example();
    (void)state;
    train_net *net = create(GELU_F64, GELU_ERF, TRAIN_CROSS_ENTROPY, 0);
    double sum, expected = 0;
    size_t wrong, mistakes = 0;
    forward(net, e.x);
    assert_int_equal(train_backward(net, e.x, labels, &sum, &wrong), GELU_OK);
    const double *y = train_output(net), *delta = net->layers[3].delta;
    for (size_t i = 0; i < ROWS; i++) {
        double total = 0;
        size_t best = 0;
        for (size_t j = 0; j < OUT; j++) total += exp(y[i * OUT + j]);
        for (size_t j = 0; j < OUT; j++) {
            if (y[i * OUT + j] > y[i * OUT + best]) best = j;
            double share = exp(y[i * OUT + j]) / total;
            assert_true(fabs(delta[i * OUT + j] - (share - (j == labels[i])) / ROWS) < 1e-15);
        }
        expected += log(total) - y[i * OUT + labels[i]];
        mistakes += best != labels[i];
    }
    assert_true(fabs(sum - expected) < 1e-13);
    assert_int_equal(wrong, mistakes);
    assert_true(mistakes > 0 && mistakes < ROWS);
    train_net_free(net);
}

/* Dropout keeps about the share that it should, scaled, and changes nothing without a generator. */
static void test_dropout(void **state) {
    enum { WIDE = 400 };
    const struct example e = make_example();
    const train_desc desc = {.dtype = GELU_F32,
                             .layers = 2,
                             .widths = {IN, WIDE, OUT},
                             .act = GELU_ERF,
                             .dropout = 0.25,
                             .init = TRAIN_INIT_UNIT_ROWS,
                             .loss = TRAIN_CROSS_ENTROPY,
                             .rows = ROWS};
    float full[ROWS * WIDE];
    size_t dropped = 0;
    train_net *net;
    gelu_rng rng;
    (void)state;
    gelu_manual_seed(&rng, 1);
    assert_int_equal(train_net_create(&desc, &rng, &net), GELU_OK);
    for (size_t i = 0; i < WIDE; i++)
        assert_true(fabs(train_norm(GELU_F32, IN, (const float *)net->layers[0].weight + i * IN) - 1) < 1e-6);
    assert_int_equal(train_forward(net, ROWS, e.x32, NULL), GELU_OK);
    memcpy(full, net->layers[0].hidden, sizeof full);
    assert_int_equal(train_forward(net, ROWS, e.x32, &rng), GELU_OK);
    for (size_t i = 0; i < ROWS * WIDE; i++) {
        float got = ((const float *)net->layers[0].hidden)[i];
        if (got == 0)
            dropped++;
        else
            assert_true(got == full[i] * (float)(1 / 0.75));
    }
    assert_in_range(dropped, ROWS * WIDE * 22 / 100, ROWS * WIDE * 28 / 100);
    train_net_free(net);
}

static void test_bad_networks(void **state) {
    const train_desc good = {
        .dtype = GELU_F32, .layers = 1, .widths = {IN, OUT}, .init = TRAIN_INIT_TORCH, .loss = TRAIN_MSE, .rows = 1};
    train_desc bad;
    train_net *net;
    gelu_rng rng;
    (void)state;
    gelu_manual_seed(&rng, 1);
#define REFUSED(field, value, status)                                                                                  \
    do {                                                                                                               \
        bad = good;                                                                                                    \
        bad.field = value;                                                                                             \
        assert_int_equal(train_net_create(&bad, &rng, &net), status);                                                  \
        assert_null(net);                                                                                              \
    } while (0)
    REFUSED(dtype, GELU_BF16, GELU_ERR_DTYPE);
    REFUSED(layers, 0, GELU_ERR_ARGUMENT);
    REFUSED(layers, TRAIN_MAX_LAYERS + 1, GELU_ERR_ARGUMENT);
    REFUSED(widths[1], 0, GELU_ERR_SHAPE);
    REFUSED(widths[1], SIZE_MAX / 4, GELU_ERR_OVERFLOW);
    REFUSED(act, (gelu_act)99, GELU_ERR_ARGUMENT);
    REFUSED(dropout, 1, GELU_ERR_ARGUMENT);
    REFUSED(dropout, NAN, GELU_ERR_ARGUMENT);
    REFUSED(init, (train_init)0, GELU_ERR_ARGUMENT);
    REFUSED(loss, (train_loss)0, GELU_ERR_ARGUMENT);
    REFUSED(rows, 0, GELU_ERR_ARGUMENT);
    assert_int_equal(train_net_create(&good, &rng, &net), GELU_OK);
    assert_int_equal(train_forward(net, 2, &(float[2 * IN]){0}, NULL), GELU_ERR_SHAPE);
    train_net_free(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_activation),
        cmocka_unit_test(test_cross_entropy),
        cmocka_unit_test(test_dropout),
        cmocka_unit_test(test_bad_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
