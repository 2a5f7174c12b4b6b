/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* gelu_set_allocator: all memory comes from it and goes back to it, once, in the same context. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "gelu.h"
#include "unit/host.h"

enum { D = 5, F = 7, ROWS = 3, MOST = 64 };

struct pool {
    void *live[MOST];
    int n_live, given, left; /* left: until none is given; negative: all are */
    bool wrong;
};

static void *take(size_t alignment, size_t nbytes, void *context) {
    struct pool *pool = context;
    void *p = NULL;
    errno = 5;
    if (alignment != 64 || nbytes == 0 || nbytes % alignment != 0) pool->wrong = true;
    if (pool->left == 0 || pool->n_live == MOST || posix_memalign(&p, alignment, nbytes) != 0) return NULL;
    if (pool->left > 0) pool->left--;
    pool->given++;
    return pool->live[pool->n_live++] = p;
}

static void give_back(void *p, void *context) {
    struct pool *pool = context;
    int i = 0;
    errno = 6;
    while (i < pool->n_live && pool->live[i] != p) i++;
    if (i == pool->n_live) {
        pool->wrong = true;
        return;
    }
    pool->live[i] = pool->live[--pool->n_live];
    free(p);
}

static float numbers[2 * D * F], dw[D * F], db[F], x[ROWS * F], y[ROWS * F], dx[ROWS * F];

/* Makes, runs and frees both kinds of layer, every call without a workspace. */
static gelu_status use_layers(void) {
    gelu_linear *linear = NULL;
    gelu_ffn *ffn = NULL;
    const gelu_weights w = {.dtype = GELU_F32, .layout = GELU_OUT_IN, .weight = numbers, .bias = numbers};
    const gelu_ffn_desc desc = {
        .d_model = D, .d_ff = F, .act = GELU_SILU, .gated = 1, .fc1 = w, .up = w, .fc2 = w, .order = GELU_SEPARATE};
    const gelu_ffn_grads grads = {.dx = dx, .lddx = D, .dfc1_weight = dw, .dfc1_bias = db};
    gelu_status status = gelu_linear_create(D, F, &w, GELU_COMPUTE_F32, &linear);
    if (status == GELU_OK) status = gelu_linear_forward(linear, ROWS, GELU_F32, x, D, NULL, GELU_F32, y, F, NULL);
    if (status == GELU_OK)
        status = gelu_linear_backward(linear, GELU_GRAD_SET, ROWS, GELU_F32, x, D, GELU_F32, y, F, dx, D, dw, db, NULL);
    if (status == GELU_OK) status = gelu_ffn_create(&desc, &ffn);
    if (status == GELU_OK) status = gelu_ffn_forward(ffn, ROWS, GELU_F32, x, D, NULL, GELU_F32, y, D, NULL);
    if (status == GELU_OK)
        status = gelu_ffn_backward(ffn, GELU_GRAD_SET, ROWS, GELU_F32, x, D, GELU_F32, y, D, NULL, &grads, NULL);
    gelu_ffn_free(ffn);
    gelu_linear_free(linear);
    return status;
}

static void everything_by_the_hosts(void **state) {
    (void)state;
    struct pool pool = {.left = -1};
    host_allocations = 0;
    errno = 77;
    assert_int_equal(gelu_set_allocator(take, give_back, &pool), GELU_OK);
    gelu_status status = use_layers();
    assert_int_equal(errno, 77);
    assert_int_equal(gelu_set_allocator(NULL, NULL, NULL), GELU_OK);
    assert_int_equal(status, GELU_OK);
    assert_false(pool.wrong);
    assert_int_equal(pool.n_live, 0);
    assert_int_equal(host_allocations, 0);
    /* As many as without it, which the other tests count. */
    assert_int_equal(use_layers(), GELU_OK);
    assert_int_equal(host_allocations, pool.given);
}

static void each_may_fail(void **state) {
    (void)state;
    gelu_status status = GELU_ERR_MEMORY;
    int allowed = 0;
    for (; status != GELU_OK; allowed++) {
        struct pool pool = {.left = allowed};
        assert_int_equal(gelu_set_allocator(take, give_back, &pool), GELU_OK);
        status = use_layers();
        assert_int_equal(gelu_set_allocator(NULL, NULL, NULL), GELU_OK);
        assert_true(status == GELU_OK || status == GELU_ERR_MEMORY);
        assert_false(pool.wrong);
        assert_int_equal(pool.n_live, 0);
        assert_true(allowed < MOST);
    }
    assert_true(allowed > 10);
}

static void both_or_none(void **state) {
    (void)state;
    struct pool pool = {.left = 0};
    assert_int_equal(gelu_set_allocator(take, NULL, &pool), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_set_allocator(NULL, give_back, &pool), GELU_ERR_ARGUMENT);
    assert_int_equal(use_layers(), GELU_OK); /* nothing changed */
}

int main(void) {
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) numbers[i] = (float)i / 64;
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) x[i] = 1 - (float)i / 8;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_by_the_hosts),
        cmocka_unit_test(each_may_fail),
        cmocka_unit_test(both_or_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
