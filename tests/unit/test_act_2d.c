/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The forms on matrices with leading dimensions: what they write, what they refuse. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include "unit/act_ops.h"
#include "unit/guard.h"

struct matrix {
    void *p;
    size_t ld;
};

enum form { FORWARD, GRAD, BACKWARD, GLU, GLU_BACKWARD, FORM_COUNT };
static const char *const form_names[] = {"forward", "grad", "backward", "glu", "glu_backward"};
static const int inputs_of[] = {1, 1, 2, 2, 3}, outputs_of[] = {1, 1, 1, 1, 2};

/* The arguments of a call: inputs first, then outputs, in the order of gelu.h. */
struct call {
    enum form form;
    gelu_act act;
    gelu_dtype dtype;
    size_t rows, cols;
    struct matrix in[3], out[2];
};

static gelu_status run(const struct call *c) {
    const struct matrix *in = c->in, *out = c->out;
    switch (c->form) {
    case FORWARD: return gelu_forward_2d(c->act, c->dtype, c->rows, c->cols, in[0].p, in[0].ld, out[0].p, out[0].ld);
    case GRAD: return gelu_grad_2d(c->act, c->dtype, c->rows, c->cols, in[0].p, in[0].ld, out[0].p, out[0].ld);
    case BACKWARD:
        return gelu_backward_2d(c->act, c->dtype, c->rows, c->cols, in[0].p, in[0].ld, in[1].p, in[1].ld, out[0].p,
                                out[0].ld);
    case GLU:
        return gelu_glu_2d(c->act, c->dtype, c->rows, c->cols, in[0].p, in[0].ld, in[1].p, in[1].ld, out[0].p,
                           out[0].ld);
    default:
        return gelu_glu_backward_2d(c->act, c->dtype, c->rows, c->cols, in[0].p, in[0].ld, in[1].p, in[1].ld, in[2].p,
                                    in[2].ld, out[0].p, out[0].ld, out[1].p, out[1].ld);
    }
}

static unsigned char *at(const struct call *c, const struct matrix *m, size_t i, size_t j) {
    return (unsigned char *)m->p + (i * m->ld + j) * gelu_dtype_nbytes(c->dtype);
}

enum { ROWS = 3, COLS = 4, LD = 10, CELLS = 256, MAX_CELLS = ROWS * COLS };

/* What a call must store, from calls on one element each: want[o] holds output o, contiguous. */
static void expect(const struct call *c, uint64_t want[2][MAX_CELLS]) {
    size_t size = gelu_dtype_nbytes(c->dtype);
    for (size_t i = 0; i < c->rows; i++)
        for (size_t j = 0; j < c->cols; j++) {
            struct call one = *c;
            one.rows = one.cols = 1;
            for (int k = 0; k < inputs_of[c->form]; k++) one.in[k] = (struct matrix){at(c, &c->in[k], i, j), 1};
            for (int k = 0; k < outputs_of[c->form]; k++)
                one.out[k] = (struct matrix){(unsigned char *)want[k] + (i * c->cols + j) * size, 1};
            assert_int_equal(run(&one), GELU_OK);
        }
}

static void check_outputs(const struct call *c, uint64_t want[2][MAX_CELLS]) {
    size_t size = gelu_dtype_nbytes(c->dtype);
    for (int k = 0; k < outputs_of[c->form]; k++)
        for (size_t i = 0; c->out[k].p && i < c->rows; i++)
            if (memcmp(at(c, &c->out[k], i, 0), (unsigned char *)want[k] + i * c->cols * size, c->cols * size) != 0)
                fail_msg("%s %s %s: row %zu of output %d differs", form_names[c->form], gelu_act_name(c->act),
                         gelu_dtype_name(c->dtype), i, k);
}

/* Five separate arrays, filled; the caller moves some of them. */
static uint64_t arena[5][CELLS];

static struct call new_call(int form, int act, int dtype) {
    struct call c = {
        .form = (enum form)form, .act = (gelu_act)act, .dtype = (gelu_dtype)dtype, ROWS, COLS, {{0}}, {{0}}};
    for (int k = 0; k < 5; k++) fill_random(c.dtype, CELLS, (uint64_t)(k + 1), arena[k]);
    for (int k = 0; k < inputs_of[form]; k++) c.in[k] = (struct matrix){arena[k], LD};
    for (int k = 0; k < outputs_of[form]; k++) c.out[k] = (struct matrix){arena[3 + k], LD};
    return c;
}

#define FOR_EACH_FORM_AND_DTYPE(form, dtype)                                                                           \
    for (int form = 0; form < FORM_COUNT; form++)                                                                      \
        for (int dtype = DTYPE_FIRST; dtype <= DTYPE_LAST; dtype++)

/* Every array ends at an inaccessible page, with another ld each; the gaps of the outputs hold a canary. */
static void gaps_stay_untouched(void **state) {
    (void)state;
    struct guard memory[5];
    for (int k = 0; k < 5; k++) memory[k] = guard_open(4096);
    FOR_EACH_FORM_AND_DTYPE(form, dtype) {
        for (int act = 0; act < ACT_COUNT; act++) {
            struct call c = new_call(form, act, dtype);
            uint64_t want[2][MAX_CELLS];
            size_t size = gelu_dtype_nbytes(c.dtype);
            expect(&c, want);
            for (int k = 0; k < 5; k++) {
                struct matrix *m = k < 3 ? &c.in[k] : &c.out[k - 3], old = *m;
                if (!old.p) continue;
                m->ld = COLS + (size_t)k * 3;
                m->p = guard_high(&memory[k], ((ROWS - 1) * m->ld + COLS) * size, 0);
                guard_fill(&memory[k]);
                for (size_t i = 0; k < 3 && i < ROWS; i++) memcpy(at(&c, m, i, 0), at(&c, &old, i, 0), COLS * size);
            }
            assert_int_equal(run(&c), GELU_OK);
            check_outputs(&c, want);
            for (int k = 0; k < outputs_of[form]; k++) {
                for (size_t i = 0; i < ROWS; i++) memset(at(&c, &c.out[k], i, 0), GUARD_CANARY, COLS * size);
                assert_true(guard_intact(&memory[3 + k], memory[3 + k].begin, 0));
            }
        }
    }
    for (int k = 0; k < 5; k++) guard_close(&memory[k]);
}

static void one_row_serves_all(void **state) {
    (void)state;
    FOR_EACH_FORM_AND_DTYPE(form, dtype) {
        for (int k = 0; k < inputs_of[form]; k++) {
            struct call c = new_call(form, GELU_ERF, dtype);
            uint64_t want[2][MAX_CELLS];
            c.in[k].ld = 0;
            expect(&c, want);
            assert_int_equal(run(&c), GELU_OK);
            check_outputs(&c, want);
        }
        struct call c = new_call(form, GELU_TANH, dtype);
        uint64_t want[2][MAX_CELLS];
        for (int k = 0; k < inputs_of[form]; k++) c.in[k].ld = 0;
        expect(&c, want);
        assert_int_equal(run(&c), GELU_OK);
        check_outputs(&c, want);
    }
}

/* A gradient that is one number for all, as frameworks expand it: (n, 1) with ld 0. */
static void expanded_scalar_gradient(void **state) {
    (void)state;
    float x[19], one = 1, dx[19], want[19];
    fill_random(GELU_F32, 19, 3, x);
    gelu_grad_f32(GELU_ERF, 19, x, want);
    assert_int_equal(gelu_backward_2d(GELU_ERF, GELU_F32, 19, 1, x, 1, &one, 0, dx, 1), GELU_OK);
    assert_memory_equal(dx, want, sizeof dx);
}

static bool overlap(ptrdiff_t d, size_t lda, size_t ldb) {
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < ROWS; j++) {
            ptrdiff_t apart = d + (ptrdiff_t)(j * ldb) - (ptrdiff_t)(i * lda);
            if (apart > -COLS && apart < COLS) return true;
        }
    return false;
}

/* Runs the call, which must succeed with the right values, or be refused and change nothing. */
static void check_alias(struct call *c, bool refused, const char *what, ptrdiff_t d) {
    static uint64_t before[5][CELLS];
    uint64_t want[2][MAX_CELLS];
    memcpy(before, arena, sizeof arena);
    expect(c, want);
    gelu_status status = run(c);
    if (status != (refused ? GELU_ERR_ALIAS : GELU_OK))
        fail_msg("%s %s, %s %td elements apart: %s", form_names[c->form], gelu_dtype_name(c->dtype), what, d,
                 gelu_status_string(status));
    if (refused)
        assert_memory_equal(arena, before, sizeof arena);
    else
        check_outputs(c, want);
}

/* In glu_backward, dgate == value and dvalue == gate are nowhere promised. */
static bool in_place_is_promised(int form, int in, int out) { return form != GLU_BACKWARD || in == 2 || in == out; }

static void overlap_with_equal_strides_is_exact(void **state) {
    (void)state;
    FOR_EACH_FORM_AND_DTYPE(form, dtype)
    for (int in = 0; in < inputs_of[form]; in++)
        for (int out = 0; out < outputs_of[form]; out++)
            for (ptrdiff_t d = -3 * LD; d <= 3 * LD; d++) {
                if (d == 0 && !in_place_is_promised(form, in, out)) continue;
                struct call c = new_call(form, GELU_SILU, dtype);
                c.in[in].p = arena[in] + 64; /* room on both sides, whatever the type */
                c.out[out].p = at(&c, &c.in[in], 0, 0) + d * (ptrdiff_t)gelu_dtype_nbytes(c.dtype);
                check_alias(&c, d != 0 && overlap(d, LD, LD), "equal strides", d);
            }
}

static void overlap_with_other_strides_is_by_ranges(void **state) {
    (void)state;
    static const size_t strides[][2] = {{LD, LD + 2}, {COLS, 2 * COLS}, {2 * COLS, COLS}, {0, LD}, {0, COLS}};
    FOR_EACH_FORM_AND_DTYPE(form, dtype)
    for (int in = 0; in < inputs_of[form]; in++)
        for (int out = 0; out < outputs_of[form]; out++)
            for (size_t s = 0; s < sizeof strides / sizeof strides[0]; s++)
                for (ptrdiff_t d = -3 * LD; d <= 3 * LD; d++) {
                    struct call c = new_call(form, GELU_SILU, dtype);
                    ptrdiff_t in_end = (ptrdiff_t)((ROWS - 1) * strides[s][0]) + COLS;
                    ptrdiff_t out_end = d + (ptrdiff_t)((ROWS - 1) * strides[s][1]) + COLS;
                    c.in[in] = (struct matrix){arena[in] + 64, strides[s][0]};
                    c.out[out].p = at(&c, &c.in[in], 0, 0) + d * (ptrdiff_t)gelu_dtype_nbytes(c.dtype);
                    c.out[out].ld = strides[s][1];
                    /* One row that serves all is one row: nothing to be careful about. */
                    bool refused = strides[s][0] == 0 ? overlap(d, 0, strides[s][1]) : d < in_end && out_end > 0;
                    check_alias(&c, refused, "different strides", d);
                }
}

static void outputs_must_not_overlap(void **state) {
    (void)state;
    for (int dtype = DTYPE_FIRST; dtype <= DTYPE_LAST; dtype++)
        for (ptrdiff_t d = -3 * LD; d <= 3 * LD; d++) {
            struct call c = new_call(GLU_BACKWARD, GELU_ERF, dtype);
            c.out[0].p = arena[3] + 64;
            c.out[1].p = at(&c, &c.out[0], 0, 0) + d * (ptrdiff_t)gelu_dtype_nbytes(c.dtype);
            check_alias(&c, overlap(d, LD, LD), "outputs", d);
        }
}

/* The two halves of one packed row: gate first or value first, and each half as the output. */
static void halves_of_a_packed_tensor(void **state) {
    (void)state;
    for (int dtype = DTYPE_FIRST; dtype <= DTYPE_LAST; dtype++)
        for (int swapped = 0; swapped < 2; swapped++)
            for (int y = 0; y < 2; y++) {
                struct call c = new_call(GLU, GELU_TANH, dtype);
                unsigned char *half = (unsigned char *)arena[0] + COLS * gelu_dtype_nbytes(c.dtype);
                c.in[swapped] = (struct matrix){arena[0], 2 * COLS};
                c.in[!swapped] = (struct matrix){half, 2 * COLS};
                c.out[0] = (struct matrix){y ? (void *)half : (void *)arena[0], 2 * COLS};
                check_alias(&c, false, "halves", y);

                c = new_call(GLU_BACKWARD, GELU_TANH, dtype);
                c.in[swapped] = c.out[swapped] = (struct matrix){arena[0], 2 * COLS};
                c.in[!swapped] = c.out[!swapped] = (struct matrix){half, 2 * COLS};
                check_alias(&c, false, "halves, both in place", y);

                c = new_call(y ? FORWARD : GRAD, GELU_TANH, dtype);
                c.in[0] = (struct matrix){swapped ? (void *)half : (void *)arena[0], 2 * COLS};
                c.out[0] = (struct matrix){swapped ? (void *)arena[0] : (void *)half, 2 * COLS};
                check_alias(&c, false, "from half to half", y);
            }
}

static void glu_backward_in_place(void **state) {
    (void)state;
    for (int dtype = DTYPE_FIRST; dtype <= DTYPE_LAST; dtype++)
        for (int which = 0; which < 5; which++) {
            struct call c = new_call(GLU_BACKWARD, GELU_ERF, dtype);
            if (which == 0 || which == 1) c.out[0] = c.in[0];
            if (which == 0 || which == 2) c.out[1] = c.in[1];
            if (which == 3) c.out[0] = c.in[2];
            if (which == 4) c.out[1] = c.in[2];
            check_alias(&c, false, "glu_backward in place, form", which);
        }
    for (int dtype = DTYPE_FIRST; dtype <= DTYPE_LAST; dtype++)
        for (int absent = 0; absent < 2; absent++) {
            struct call c = new_call(GLU_BACKWARD, GELU_ERF, dtype);
            uint64_t want[2][MAX_CELLS];
            expect(&c, want);
            c.out[absent] = (struct matrix){NULL, absent ? LD : 0};
            assert_int_equal(run(&c), GELU_OK);
            check_outputs(&c, want);
        }
}

/* Must be refused with this status, and nothing may change. */
static void check_refused(const struct call *c, gelu_status status, const char *what) {
    static uint64_t before[5][CELLS];
    memcpy(before, arena, sizeof arena);
    gelu_status got = run(c);
    if (got != status)
        fail_msg("%s %s, %s: \"%s\", not \"%s\"", form_names[c->form], gelu_dtype_name(c->dtype), what,
                 gelu_status_string(got), gelu_status_string(status));
    assert_memory_equal(arena, before, sizeof arena);
}

static struct matrix *argument(struct call *c, int k) {
    return k < inputs_of[c->form] ? &c->in[k] : &c->out[k - inputs_of[c->form]];
}

static void bad_arguments(void **state) {
    (void)state;
    static const int acts[] = {ACT_COUNT, 99, -1, 1 << 20}, dtypes[] = {0, DTYPE_LAST + 1, 99, -1};
    FOR_EACH_FORM_AND_DTYPE(form, dtype) {
        for (int k = 0; k < inputs_of[form] + outputs_of[form]; k++) {
            struct call c = new_call(form, GELU_QUICK, dtype);
            argument(&c, k)->ld = COLS - 1;
            check_refused(&c, GELU_ERR_SHAPE, "ld < cols");
            if (k >= inputs_of[form]) {
                argument(&c, k)->ld = 0;
                check_refused(&c, GELU_ERR_SHAPE, "an output with ld 0");
            }
            argument(&c, k)->ld = LD;
            argument(&c, k)->p = NULL;
            if (form != GLU_BACKWARD || k < inputs_of[form]) check_refused(&c, GELU_ERR_ARGUMENT, "NULL");
        }
        for (int i = 0; i < 4; i++) {
            struct call c = new_call(form, GELU_QUICK, dtype);
            c.act = (gelu_act)acts[i];
            check_refused(&c, GELU_ERR_ARGUMENT, "unknown activation");
            c.act = GELU_QUICK;
            c.dtype = (gelu_dtype)dtypes[i];
            check_refused(&c, GELU_ERR_DTYPE, "unknown type");
        }
    }
}

/* Sizes that wrap, on memory that cannot be touched: the refusal comes before any access. */
static void sizes_that_wrap(void **state) {
    (void)state;
    struct guard nowhere = guard_open(5 * 4096);
    assert_int_equal(mprotect(nowhere.begin, 5 * 4096, PROT_NONE), 0);
    FOR_EACH_FORM_AND_DTYPE(form, dtype) {
        struct call c = new_call(form, GELU_QUICK, dtype);
        size_t size = gelu_dtype_nbytes(c.dtype);
        int count = inputs_of[form] + outputs_of[form];
        for (int k = 0; k < count; k++) argument(&c, k)->p = nowhere.begin + (size_t)k * 4096;
        for (int k = 0; k < count; k++) {
            argument(&c, k)->ld = SIZE_MAX / 2 + 1;
            check_refused(&c, GELU_ERR_OVERFLOW, "rows * ld wraps");
            argument(&c, k)->ld = SIZE_MAX / size / 2 + 1;
            check_refused(&c, GELU_ERR_OVERFLOW, "the bytes wrap");
            argument(&c, k)->ld = SIZE_MAX;
            check_refused(&c, GELU_ERR_OVERFLOW, "ld = SIZE_MAX");
            argument(&c, k)->ld = LD;
        }
        c.rows = SIZE_MAX;
        check_refused(&c, GELU_ERR_OVERFLOW, "rows = SIZE_MAX");
        c.rows = SIZE_MAX / LD + 2;
        check_refused(&c, GELU_ERR_OVERFLOW, "rows * ld wraps");
        c.rows = 1;
        c.cols = SIZE_MAX / size + 1;
        for (int k = 0; k < count; k++) argument(&c, k)->ld = c.cols;
        check_refused(&c, GELU_ERR_OVERFLOW, "cols wraps in bytes");
    }
    guard_close(&nowhere);
}

static void empty_matrices(void **state) {
    (void)state;
    FOR_EACH_FORM_AND_DTYPE(form, dtype)
    for (int k = 0; k < 3; k++) {
        struct call c = new_call(form, GELU_QUICK, dtype);
        c.rows = k == 1 ? ROWS : 0;
        c.cols = k == 0 ? COLS : 0;
        check_refused(&c, GELU_OK, "empty");
        for (int i = 0; i < inputs_of[form] + outputs_of[form]; i++) argument(&c, i)->p = NULL;
        check_refused(&c, GELU_OK, "empty, NULL");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_stay_untouched),
        cmocka_unit_test(one_row_serves_all),
        cmocka_unit_test(expanded_scalar_gradient),
        cmocka_unit_test(overlap_with_equal_strides_is_exact),
        cmocka_unit_test(overlap_with_other_strides_is_by_ranges),
        cmocka_unit_test(outputs_must_not_overlap),
        cmocka_unit_test(halves_of_a_packed_tensor),
        cmocka_unit_test(glu_backward_in_place),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(sizes_that_wrap),
        cmocka_unit_test(empty_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
