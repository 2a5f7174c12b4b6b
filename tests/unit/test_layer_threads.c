/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Threads of a host that share one layer, forward and backward at the same time: each gets the results that it gets
 * alone, even while the number of threads changes. Under a thread checker this shows that a call writes nothing that
 * another one sees. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include "unit/host.h"
#include "unit/naive.h"

enum { ROWS = 70, D_MODEL = 65, D_FF = 130, THREADS = 4, ROUNDS = 6, FLIPPED = 20 };

static gelu_linear *linear, *narrow; /* narrow: a view, in bf16 compute */
static gelu_ffn *ffn;
static struct matrix x, x16;

static struct layer first, up, second;

struct outputs {
    float y[ROWS * D_FF], dx[ROWS * D_MODEL], dw[D_FF * D_MODEL], db[D_FF];
    float ffn_y[ROWS * D_MODEL], ffn_dx[ROWS * D_MODEL], dup[D_FF * D_MODEL];
    float narrow_y[ROWS * D_FF];
};

/* Of one caller. All NULL: allocated by each call. */
struct workspaces {
    void *forward, *backward, *ffn_forward, *ffn_backward, *narrow;
};

/* A status of the first call that fails. */
static gelu_status compute(struct outputs *o, const struct workspaces *w) {
    const gelu_epilogue e = {.act = GELU_ERF};
    const gelu_ffn_grads grads = {.dx = o->ffn_dx, .lddx = D_MODEL, .dup_weight = o->dup};
    gelu_status status = gelu_linear_forward(linear, ROWS, GELU_F32, x.p, x.ld, &e, GELU_F32, o->y, D_FF, w->forward);
    if (status == GELU_OK)
        status = gelu_linear_backward(linear, GELU_GRAD_SET, ROWS, GELU_F32, x.p, x.ld, GELU_F32, o->y, D_FF, o->dx,
                                      D_MODEL, o->dw, o->db, w->backward);
    if (status == GELU_OK)
        status = gelu_ffn_forward(ffn, ROWS, GELU_F32, x.p, x.ld, NULL, GELU_F32, o->ffn_y, D_MODEL, w->ffn_forward);
    if (status == GELU_OK)
        status = gelu_ffn_backward(ffn, GELU_GRAD_SET, ROWS, GELU_F32, x.p, x.ld, GELU_F32, o->ffn_y, D_MODEL, NULL,
                                   &grads, w->ffn_backward);
    if (status == GELU_OK)
        status =
            gelu_linear_forward(narrow, ROWS, GELU_BF16, x16.p, x16.ld, &e, GELU_F32, o->narrow_y, D_FF, w->narrow);
    return status;
}

static struct outputs want;
static const struct workspaces none;

/* NULL when every round gave what one thread alone got. */
static void *repeat(void *context) {
    struct outputs *o = context;
    for (int round = 0; round < ROUNDS; round++) {
        memset(o, 0xff, sizeof *o);
        if (compute(o, &none) != GELU_OK || memcmp(o, &want, sizeof want) != 0) return context;
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

static int set_up(void **state) {
    (void)state;
    first = layer_new(GELU_BF16, GELU_OUT_IN, D_MODEL, D_FF, true);
    up = layer_new(GELU_F32, GELU_IN_OUT, D_MODEL, D_FF, true);
    second = layer_new(GELU_F16, GELU_OUT_IN, D_FF, D_MODEL, true);
    x = matrix_random(GELU_F32, ROWS, D_MODEL);
    x16 = matrix_random(GELU_BF16, ROWS, D_MODEL);
    const gelu_ffn_desc desc = {.d_model = D_MODEL,
                                .d_ff = D_FF,
                                .act = GELU_SILU,
                                .gated = 1,
                                .fc1 = first.weights,
                                .up = up.weights,
                                .fc2 = second.weights};
    assert_int_equal(gelu_linear_create(D_MODEL, D_FF, &first.weights, GELU_COMPUTE_F32, &linear), GELU_OK);
    assert_int_equal(gelu_linear_view(D_MODEL, D_FF, &first.weights, GELU_COMPUTE_BF16, &narrow), GELU_OK);
    assert_int_equal(gelu_ffn_create(&desc, &ffn), GELU_OK);
    gelu_set_num_threads(1);
    assert_int_equal(compute(&want, &none), GELU_OK);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    gelu_linear_free(linear);
    gelu_linear_free(narrow);
    gelu_ffn_free(ffn);
    layer_free(&first), layer_free(&up), layer_free(&second);
    free(x.p), free(x16.p);
    return 0;
}

static void one_layer_many_callers(void **state) {
    (void)state;
    share(1);
    /* A thread checker does not know what OpenMP's threads wait for. */
    if (!getenv("GELU_TEST_SERIAL")) share(3);
}

/* Exactly as much as is asked for: a checker of addresses sees what goes beyond. */
static void *space(size_t nbytes) {
    void *p;
    assert_int_equal(posix_memalign(&p, 64, nbytes), 0);
    return p;
}

static struct workspaces workspaces_new(void) {
    size_t forward, backward, ffn_forward, ffn_backward, narrow_forward, no_backward;
    assert_int_equal(gelu_linear_workspace(linear, ROWS, &forward, &backward), GELU_OK);
    assert_int_equal(gelu_ffn_workspace(ffn, ROWS, &ffn_forward, &ffn_backward), GELU_OK);
    assert_int_equal(gelu_linear_workspace(narrow, ROWS, &narrow_forward, &no_backward), GELU_OK);
    return (struct workspaces){space(forward), space(backward), space(ffn_forward), space(ffn_backward),
                               space(narrow_forward)};
}

static void workspaces_free(struct workspaces *w) {
    free(w->forward), free(w->backward), free(w->ffn_forward), free(w->ffn_backward), free(w->narrow);
}

static atomic_bool stop;

static void *flip(void *context) {
    for (size_t n = 1; !atomic_load(&stop); n = 65 - n) (void)gelu_set_num_threads(n);
    return context;
}

/* Between what a call allots and what it uses, and between the two calls of one who brings a workspace. */
static void number_changes(void **state) {
    (void)state;
    if (getenv("GELU_TEST_SERIAL")) skip();
    static struct outputs got;
    gelu_set_num_threads(1);
    struct workspaces own = workspaces_new();
    gelu_set_num_threads(64);
    struct workspaces many = workspaces_new();
    const struct workspaces *from[] = {&none, &own, &many};
    pthread_t flipper;
    atomic_store(&stop, false);
    assert_int_equal(pthread_create(&flipper, NULL, flip, NULL), 0);
    for (int round = 0; round < 3 * FLIPPED; round++) {
        memset(&got, 0xff, sizeof got);
        assert_int_equal(compute(&got, from[round % 3]), GELU_OK);
        assert_memory_equal(&got, &want, sizeof want);
    }
    atomic_store(&stop, true);
    assert_int_equal(pthread_join(flipper, NULL), 0);
    workspaces_free(&own), workspaces_free(&many);
    gelu_set_num_threads(0);
}

/* The data holds subnormal numbers. */
static void control_words_of_workers(void **state) {
    (void)state;
    if (getenv("GELU_TEST_SERIAL")) skip();
    static struct outputs got;
    const uint32_t host = host_get();
    gelu_set_num_threads(3);
    for (int i = 0; i < HOST_WORDS; i++) {
        memset(&got, 0xff, sizeof got);
        host_set(host_words[i]);
        gelu_status status = compute(&got, &none);
        uint32_t word = host_get();
        host_set(host);
        assert_int_equal(status, GELU_OK);
        assert_int_equal(word, host_words[i]);
        assert_memory_equal(&got, &want, sizeof want);
    }
    gelu_set_num_threads(0);
}

/* A workspace is as large before gelu_set_num_threads as after. */
static void workspace_stays(void **state) {
    (void)state;
    size_t before[2], after[2];
    for (size_t n = 1; n <= 1024; n *= 4) {
        (void)gelu_set_num_threads(n);
        size_t *to = n == 1 ? before : after;
        assert_int_equal(gelu_linear_workspace(linear, 5000, &to[0], &to[1]), GELU_OK);
        if (n > 1) assert_memory_equal(before, after, sizeof before);
    }
    gelu_set_num_threads(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_layer_many_callers), cmocka_unit_test(number_changes),
                                       cmocka_unit_test(control_words_of_workers), cmocka_unit_test(workspace_stays)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
