/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Threads of a host that share one layer, forward and backward at the same time: each gets the results that it gets
 * alone. Under a thread checker this shows that a call writes nothing that another one sees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include <pthread.h>
#include "unit/naive.h"

enum { ROWS = 70, D_MODEL = 65, D_FF = 130, THREADS = 4, ROUNDS = 6 };

static gelu_linear *linear;
static gelu_ffn *ffn;
static struct matrix x;

struct outputs {
    float y[ROWS * D_FF], dx[ROWS * D_MODEL], dw[D_FF * D_MODEL], db[D_FF];
    float ffn_y[ROWS * D_MODEL], ffn_dx[ROWS * D_MODEL], dup[D_FF * D_MODEL];
};

/* A status of the first call that fails. */
static gelu_status compute(struct outputs *o) {
    const gelu_epilogue e = {.act = GELU_ERF};
    const gelu_ffn_grads grads = {.dx = o->ffn_dx, .lddx = D_MODEL, .dup_weight = o->dup};
    gelu_status status = gelu_linear_forward(linear, ROWS, GELU_F32, x.p, x.ld, &e, GELU_F32, o->y, D_FF, NULL);
    if (status == GELU_OK)
        status = gelu_linear_backward(linear, GELU_GRAD_SET, ROWS, GELU_F32, x.p, x.ld, GELU_F32, o->y, D_FF, o->dx,
                                      D_MODEL, o->dw, o->db, NULL);
    if (status == GELU_OK)
        status = gelu_ffn_forward(ffn, ROWS, GELU_F32, x.p, x.ld, NULL, GELU_F32, o->ffn_y, D_MODEL, NULL);
    if (status == GELU_OK)
        status = gelu_ffn_backward(ffn, GELU_GRAD_SET, ROWS, GELU_F32, x.p, x.ld, GELU_F32, o->ffn_y, D_MODEL, NULL,
                                   &grads, NULL);
    return status;
}

static struct outputs want;

/* NULL when every round gave what one thread alone got. */
static void *repeat(void *context) {
    struct outputs *o = context;
    for (int round = 0; round < ROUNDS; round++) {
        memset(o, 0xff, sizeof *o);
        if (compute(o) != GELU_OK || memcmp(o, &want, sizeof want) != 0) return context;
    }
    return NULL;
}

static void share(size_t own_threads) {
    static struct outputs outputs[THREADS];
    pthread_t threads[THREADS];
    gelu_status status = gelu_set_num_threads(own_threads);
    assert_true(status == GELU_OK || status == GELU_ERR_UNSUPPORTED);
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, repeat, &outputs[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    gelu_set_num_threads(0);
}

static void one_layer_many_callers(void **state) {
    (void)state;
    struct layer first = layer_new(GELU_BF16, GELU_OUT_IN, D_MODEL, D_FF, true);
    struct layer up = layer_new(GELU_F32, GELU_IN_OUT, D_MODEL, D_FF, true);
    struct layer second = layer_new(GELU_F16, GELU_OUT_IN, D_FF, D_MODEL, true);
    x = matrix_random(GELU_F32, ROWS, D_MODEL);
    const gelu_ffn_desc desc = {.d_model = D_MODEL,
                                .d_ff = D_FF,
                                .act = GELU_SILU,
                                .gated = 1,
                                .fc1 = first.weights,
                                .up = up.weights,
                                .fc2 = second.weights};
    assert_int_equal(gelu_linear_create(D_MODEL, D_FF, &first.weights, GELU_COMPUTE_F32, &linear), GELU_OK);
    assert_int_equal(gelu_ffn_create(&desc, &ffn), GELU_OK);
    gelu_set_num_threads(1);
    assert_int_equal(compute(&want), GELU_OK);
    share(1);
    /* A thread checker does not know what OpenMP's threads wait for. */
    if (!getenv("GELU_TEST_SERIAL")) share(3);
    gelu_linear_free(linear);
    gelu_ffn_free(ffn);
    layer_free(&first), layer_free(&up), layer_free(&second);
    free(x.p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_layer_many_callers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
