/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Elementwise calls leave the heap alone: nothing is allocated, given back or moved, at any size, on any instruction
 * set. */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <setjmp.h>
#include <cmocka.h>
#include "unit/act_ops.h"

/* The sanitizers have a heap of their own. */
#if defined(__GLIBC__) && !TEST_SANITIZED

static size_t heap_calls;

void *__libc_malloc(size_t nbytes);
void *__libc_calloc(size_t n, size_t nbytes);
void *__libc_realloc(void *p, size_t nbytes);
void *__libc_memalign(size_t alignment, size_t nbytes);
void __libc_free(void *p);

void *malloc(size_t nbytes) {
    heap_calls++;
    return __libc_malloc(nbytes);
}

void *calloc(size_t n, size_t nbytes) {
    heap_calls++;
    return __libc_calloc(n, nbytes);
}

void *realloc(void *p, size_t nbytes) {
    heap_calls++;
    return __libc_realloc(p, nbytes);
}

void *memalign(size_t alignment, size_t nbytes) {
    heap_calls++;
    return __libc_memalign(alignment, nbytes);
}

void *aligned_alloc(size_t alignment, size_t nbytes) { return memalign(alignment, nbytes); }

int posix_memalign(void **out, size_t alignment, size_t nbytes) {
    void *p = memalign(alignment, nbytes);
    if (p) *out = p;
    return p ? 0 : ENOMEM;
}

void free(void *p) {
    heap_calls++;
    __libc_free(p);
}

/* One element; a body and a tail; what is split among threads where there are more. */
static const size_t sizes[] = {1, 4099, (1 << 17) + 5};
enum { LONGEST = (1 << 17) + 5 };
static uint64_t x[LONGEST], dy[LONGEST], y[LONGEST], other[LONGEST];

static void run_2d(gelu_act act, gelu_dtype dtype, size_t n) {
    assert_int_equal(gelu_forward_2d(act, dtype, 1, n, x, n, y, n), GELU_OK);
    assert_int_equal(gelu_grad_2d(act, dtype, 1, n, x, n, y, n), GELU_OK);
    assert_int_equal(gelu_backward_2d(act, dtype, 1, n, x, n, dy, n, y, n), GELU_OK);
    assert_int_equal(gelu_glu_2d(act, dtype, 1, n, x, n, dy, n, y, n), GELU_OK);
    assert_int_equal(gelu_glu_backward_2d(act, dtype, 1, n, x, n, dy, n, dy, n, y, n, other, n), GELU_OK);
}

static void run_all(gelu_act act, size_t n) {
    for (gelu_dtype dtype = DTYPE_FIRST; dtype <= DTYPE_LAST; dtype++) {
        for (int op = 0; op < OP_COUNT; op++)
            if (op_exists((enum op)op, dtype)) run_op((enum op)op, act, dtype, n, x, y);
        run_backward(act, dtype, n, x, dy, y);
        run_2d(act, dtype, n);
    }
    gelu_fast_forward_f32(act, n, (const float *)x, (float *)y);
    gelu_fast_backward_f32(act, n, (const float *)x, (const float *)dy, (float *)y);
}

static void elementwise_calls_leave_it_alone(void **state) {
    (void)state;
    assert_int_equal(gelu_set_num_threads(1), GELU_OK);
    for (size_t i = 0; gelu_isa_available(i); i++) {
        assert_int_equal(gelu_isa_select(gelu_isa_available(i)), GELU_OK);
        run_all(GELU_ERF, 1);
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            for (int act = 0; act < ACT_COUNT; act++) {
                size_t before = heap_calls;
                run_all((gelu_act)act, sizes[s]);
                if (heap_calls != before)
                    fail_msg("%s, %zu elements, %s: %zu calls", gelu_act_name((gelu_act)act), sizes[s],
                             gelu_isa_available(i), heap_calls - before);
            }
    }
}

/* What allocates by design is seen, so the others would be. */
static void allocations_are_seen(void **state) {
    (void)state;
    const gelu_weights weights = {.dtype = GELU_F32, .layout = GELU_OUT_IN, .weight = x};
    gelu_linear *linear;
    size_t before = heap_calls;
    assert_int_equal(gelu_linear_create(3, 5, &weights, GELU_COMPUTE_F32, &linear), GELU_OK);
    assert_true(heap_calls > before);
    before = heap_calls;
    gelu_linear_free(linear);
    assert_true(heap_calls > before);
}

int main(void) {
    for (size_t i = 0; i < LONGEST; i++) {
        x[i] = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
        dy[i] = x[i] * UINT64_C(0xbf58476d1ce4e5b9);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(elementwise_calls_leave_it_alone),
                                       cmocka_unit_test(allocations_are_seen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    puts("skipped: needs glibc's heap, without sanitizers");
    return 77;
}

#endif
