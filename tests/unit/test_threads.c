/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Large arrays in 1 to 16 threads: the same bits as in one, for every elementwise call, from every caller. In a build
 * without OpenMP, that one thread is all there is to have. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "activation/split.h"
#include "base/parallel.h"
#include "unit/act_ops.h"
#include "unit/host.h"

enum { THREADS = 16, MOST = THREADS * SPLIT_LEAST + 100, OFFSETS = 8, LINE = 64 };

/* Room for any type, and for arrays that begin somewhere in their first cache line. */
static _Alignas(LINE) uint64_t x[MOST + OFFSETS], dy[MOST + OFFSETS], want[MOST + OFFSETS], got[MOST + OFFSETS];
static size_t most_threads; /* that this build has */

static void *at(gelu_dtype dtype, void *array, size_t i) {
    return (unsigned char *)array + i * gelu_dtype_nbytes(dtype);
}

/* Any bit pattern and usual values in turn. */
static void fill_inputs(gelu_dtype dtype, uint64_t seed, void *out) {
    for (size_t i = 0; i < MOST; i++)
        set_element_bits(dtype, out, i, i % 3 == 0 ? random_bits(&seed) : random_element(dtype, &seed));
}

static void set_threads(size_t n) { assert_int_equal(gelu_set_num_threads(n), GELU_OK); }

/* ---- How work is split ---- */

struct pieces {
    atomic_size_t count;
    size_t first[THREADS], n[THREADS];
};

static void note_piece(const void *context, size_t first, size_t n) {
    struct pieces *pieces = *(struct pieces *const *)context;
    size_t i = atomic_fetch_add(&pieces->count, 1);
    if (i >= THREADS) return;
    pieces->first[i] = first;
    pieces->n[i] = n;
}

/* The pieces follow one another from 0 to the end, each begins at a row or a cache line, none is small. */
static void check_pieces(struct alias_matrix out, size_t threads) {
    struct pieces pieces = {0}, *context = &pieces;
    size_t n = out.rows * out.cols, most = n < 2 * SPLIT_LEAST ? 1 : n / SPLIT_LEAST;
    split(out, note_piece, &context);
    assert_int_equal(pieces.count, threads < most ? threads : most);
    size_t first = 0;
    for (size_t done = 0; done < pieces.count; done++) {
        size_t i = 0;
        while (i < pieces.count && pieces.first[i] != first) i++;
        assert_true(i < pieces.count);
        assert_true(pieces.count == 1 || pieces.n[i] + LINE / out.element_nbytes > SPLIT_LEAST);
        size_t row = first / out.cols, col = first % out.cols;
        uintptr_t address = (uintptr_t)out.p + (row * out.ld + col) * out.element_nbytes;
        assert_true(col == 0 || address % LINE == 0);
        first += pieces.n[i];
    }
    assert_int_equal(first, n);
}

static void pieces(void **state) {
    (void)state;
    static const size_t sizes[] = {
        1,   100, 2 * SPLIT_LEAST - 1, 2 * SPLIT_LEAST, 2 * SPLIT_LEAST + 1, 3 * SPLIT_LEAST - 1, 5 * SPLIT_LEAST + 7,
        MOST};
    for (size_t threads = 1; threads <= most_threads; threads++) {
        set_threads(threads);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            for (gelu_dtype dtype = DTYPE_FIRST; dtype <= DTYPE_LAST; dtype++)
                for (size_t offset = 0; offset < OFFSETS; offset += 3) {
                    size_t n = sizes[i], size = gelu_dtype_nbytes(dtype);
                    check_pieces(alias_matrix(at(dtype, got, offset), 1, n, n, size), threads);
                    check_pieces(alias_matrix(at(dtype, got, offset), n, 1, 1, size), threads);
                    check_pieces(alias_matrix(at(dtype, got, offset), n / 7 + 1, 7, 9, size), threads);
                    check_pieces(alias_matrix(at(dtype, got, offset), 5, n / 5 + 1, n / 5 + 4, size), threads);
                }
    }
}

/* ---- Arrays ---- */

typedef void call(gelu_act act, size_t n, const void *x, const void *dy, void *y);

#define UNARY(name, type)                                                                                              \
    static void name(gelu_act act, size_t n, const void *a, const void *b, void *y) {                                  \
        (void)b;                                                                                                       \
        gelu_##name(act, n, a, y);                                                                                     \
    }
#define BACKWARD(name, type)                                                                                           \
    static void name(gelu_act act, size_t n, const void *a, const void *b, void *y) { gelu_##name(act, n, a, b, y); }
#define LIST                                                                                                           \
    UNARY(forward_f32, GELU_F32)                                                                                       \
    UNARY(forward_f64, GELU_F64)                                                                                       \
    UNARY(forward_f16, GELU_F16)                                                                                       \
    UNARY(forward_bf16, GELU_BF16)                                                                                     \
    UNARY(grad_f32, GELU_F32)                                                                                          \
    UNARY(grad_f64, GELU_F64)                                                                                          \
    UNARY(grad_f16, GELU_F16)                                                                                          \
    UNARY(grad_bf16, GELU_BF16)                                                                                        \
    UNARY(grad2_f32, GELU_F32)                                                                                         \
    UNARY(grad2_f64, GELU_F64)                                                                                         \
    UNARY(fast_forward_f32, GELU_F32)                                                                                  \
    BACKWARD(backward_f32, GELU_F32)                                                                                   \
    BACKWARD(backward_f64, GELU_F64)                                                                                   \
    BACKWARD(backward_f16, GELU_F16)                                                                                   \
    BACKWARD(backward_bf16, GELU_BF16)                                                                                 \
    BACKWARD(fast_backward_f32, GELU_F32)

LIST
#undef UNARY
#undef BACKWARD
#define UNARY(name, type) {#name, name, type, false},
#define BACKWARD(name, type) {#name, name, type, true},
    static const struct function {
    const char *name;
    call *call;
    gelu_dtype dtype;
    bool reads_dy;
} functions[] = {LIST};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static void expect_same(const char *name, gelu_act act, size_t threads, size_t nbytes, const void *a, const void *b) {
    if (memcmp(a, b, nbytes) == 0) return;
    size_t i = 0;
    while (((const unsigned char *)a)[i] == ((const unsigned char *)b)[i]) i++;
    fail_msg("%s of %s: %zu threads: byte %zu of %zu differs", name, gelu_act_name(act), threads, i, nbytes);
}

/* In place of x, and of dy. */
static void check_in_place(const struct function *f, gelu_act act, size_t n, size_t threads) {
    size_t nbytes = n * gelu_dtype_nbytes(f->dtype);
    void *y = at(f->dtype, got, threads % OFFSETS);
    memcpy(y, x, nbytes);
    f->call(act, n, y, dy, y);
    expect_same(f->name, act, threads, nbytes, y, want);
    if (!f->reads_dy) return;
    memcpy(y, dy, nbytes);
    f->call(act, n, x, y, y);
    expect_same(f->name, act, threads, nbytes, y, want);
}

static void check_function(const struct function *f, gelu_act act) {
    size_t size = gelu_dtype_nbytes(f->dtype);
    set_threads(1);
    f->call(act, MOST, x, dy, want);
    for (size_t threads = 1; threads <= most_threads; threads++) {
        /* Work for exactly so many threads, or for more. */
        size_t n = threads % 2 ? MOST : threads * SPLIT_LEAST + threads;
        unsigned char *y = at(f->dtype, got, threads % OFFSETS);
        set_threads(threads);
        y[n * size] = 0x5a;
        f->call(act, n, x, dy, y);
        expect_same(f->name, act, threads, n * size, y, want);
        assert_int_equal(y[n * size], 0x5a);
        check_in_place(f, act, n, threads);
    }
}

static void arrays(void **state) {
    (void)state;
    for (gelu_dtype dtype = DTYPE_FIRST; dtype <= DTYPE_LAST; dtype++) {
        fill_inputs(dtype, 1, x);
        fill_inputs(dtype, 2, dy);
        for (size_t i = 0; i < FUNCTIONS; i++)
            for (int act = 0; act < ACT_COUNT && functions[i].dtype == dtype; act++)
                if (!TEST_SANITIZED || act == GELU_ERF || act == GELU_RELU)
                    check_function(&functions[i], (gelu_act)act);
    }
}

static void conversions(void **state) {
    (void)state;
    for (gelu_dtype from = DTYPE_FIRST; from <= DTYPE_LAST; from++) {
        fill_inputs(from, 3, x);
        for (gelu_dtype to = DTYPE_FIRST; to <= DTYPE_LAST; to++) {
            set_threads(1);
            assert_int_equal(gelu_convert(MOST, from, x, to, want), GELU_OK);
            for (size_t threads = 2; threads <= most_threads; threads++) {
                unsigned char *y = at(to, got, threads % OFFSETS);
                set_threads(threads);
                memset(got, 0x5a, sizeof got);
                assert_int_equal(gelu_convert(MOST, from, x, to, y), GELU_OK);
                expect_same("convert", GELU_IDENTITY, threads, MOST * gelu_dtype_nbytes(to), y, want);
                assert_int_equal(y[MOST * gelu_dtype_nbytes(to)], 0x5a);
            }
        }
    }
}
/* ---- Matrices ---- */

/* ld of x, of dy and the value, of the outputs */
struct shape {
    size_t rows, cols, ldx, lddy, ldy;
};

enum { HALF = MOST / 2 };

/* Every call on matrices, with outputs in out[0..HALF) and out[HALF..MOST): gaps between rows count as well. */
static void run_2d(int which, gelu_dtype dtype, const struct shape *s, void *out) {
    void *second = at(dtype, out, HALF);
    size_t r = s->rows, c = s->cols;
    gelu_status status = GELU_ERR_UNSUPPORTED;
    memset(out, 0x5a, MOST * gelu_dtype_nbytes(dtype));
    switch (which) {
    case 0: status = gelu_forward_2d(GELU_ERF, dtype, r, c, x, s->ldx, out, s->ldy); break;
    case 1: status = gelu_grad_2d(GELU_ERF, dtype, r, c, x, s->ldx, out, s->ldy); break;
    case 2: status = gelu_backward_2d(GELU_ERF, dtype, r, c, x, s->ldx, dy, s->lddy, out, s->ldy); break;
    case 3: status = gelu_glu_2d(GELU_SILU, dtype, r, c, x, s->ldx, dy, s->lddy, out, s->ldy); break;
    case 4:
    case 5:
    case 6:
        status = gelu_glu_backward_2d(GELU_TANH, dtype, r, c, x, s->ldx, dy, s->lddy, dy, s->lddy,
                                      which == 5 ? NULL : out, s->ldy, which == 6 ? NULL : second, s->ldy);
    }
    assert_int_equal(status, GELU_OK);
}
enum { CALLS_2D = 7 };

static void matrices(void **state) {
    (void)state;
    static const struct shape shapes[] = {
        {1, HALF, HALF, HALF, HALF},         {HALF, 1, 1, 1, 1},      {HALF / 4, 3, 3, 4, 4},
        {HALF / 512, 512, 512, 512, 512},    {500, 400, 0, 401, 403}, {7, HALF / 7, 0, 0, HALF / 7},
        {3, HALF / 4, HALF / 4, 0, HALF / 3}};
    for (gelu_dtype dtype = DTYPE_FIRST; dtype <= DTYPE_LAST; dtype++) {
        fill_inputs(dtype, 4, x);
        fill_inputs(dtype, 5, dy);
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
            for (int which = 0; which < CALLS_2D; which++) {
                set_threads(1);
                run_2d(which, dtype, &shapes[i], want);
                for (size_t threads = 2; threads <= most_threads; threads += 1 + threads / 2) {
                    set_threads(threads);
                    run_2d(which, dtype, &shapes[i], got);
                    char name[32];
                    snprintf(name, sizeof name, "2d call %d, shape %zu", which, i);
                    expect_same(name, GELU_ERF, threads, MOST * gelu_dtype_nbytes(dtype), got, want);
                }
            }
    }
}

/* ---- Callers ---- */

enum { SOME = 4 * SPLIT_LEAST + 3 };

/* What a host's control word makes of subnormals and roundings is the same in all threads. */
static void control_words(void **state) {
    (void)state;
    uint32_t own = host_get();
    for (size_t i = 0; i < SOME; i++) ((float *)x)[i] = f32_of_bits((uint32_t)i * 7 + 1); /* subnormal */
    uint64_t seed = 6;
    for (size_t i = 0; i < SOME; i += 2) set_element_bits(GELU_F32, x, i, random_element(GELU_F32, &seed));
    for (size_t w = 0; w < HOST_WORDS; w++)
        for (size_t threads = 1; threads <= most_threads; threads += 3) {
            set_threads(threads);
            host_set(host_words[w]);
            gelu_forward_f32(GELU_TANH, SOME, (float *)x, (float *)(threads == 1 ? want : got));
            uint32_t after = host_get();
            host_set(own);
            assert_int_equal(after & ~0x3fu, host_words[w] & ~0x3fu);
            if (threads > 1)
                expect_same("forward_f32 under a word", GELU_TANH, threads, SOME * sizeof(float), got, want);
        }
}

static bool computes(float *y) {
    gelu_forward_f32(GELU_QUICK, SOME, (const float *)x, y);
    return memcmp(y, want, SOME * sizeof *y) == 0;
}

static void *compute_often(void *y) {
    uintptr_t bad = 0;
    for (int i = 0; i < 20; i++) bad += !computes(y);
    return (void *)bad;
}

static void set_up_computes(void) {
    fill_inputs(GELU_F32, 7, x);
    set_threads(1);
    gelu_forward_f32(GELU_QUICK, SOME, (const float *)x, (float *)want);
    set_threads(most_threads < 3 ? most_threads : 3);
}

static void several_callers_at_once(void **state) {
    (void)state;
    enum { CALLERS = 4 };
    static float y[CALLERS][SOME];
    pthread_t callers[CALLERS];
    set_up_computes();
    for (int i = 0; i < CALLERS; i++) assert_int_equal(pthread_create(&callers[i], NULL, compute_often, y[i]), 0);
    for (int i = 0; i < CALLERS; i++) {
        void *bad;
        assert_int_equal(pthread_join(callers[i], &bad), 0);
        assert_null(bad);
    }
}

static void forked_child(void **state) {
    (void)state;
    set_up_computes();
    assert_true(computes((float *)got));
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(60);
        _exit(!computes((float *)got));
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_true(computes((float *)got));
}

static int find_threads(void **state) {
    (void)state;
    most_threads = gelu_set_num_threads(THREADS) == GELU_OK ? THREADS : 1;
    if (most_threads == 1) print_message("skipped: comparing numbers of threads, this build has no OpenMP\n");
    return gelu_num_threads() == most_threads ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces),       cmocka_unit_test(arrays),        cmocka_unit_test(conversions),
        cmocka_unit_test(matrices),     cmocka_unit_test(control_words), cmocka_unit_test(several_callers_at_once),
        cmocka_unit_test(forked_child),
    };
    return cmocka_run_group_tests(tests, find_threads, NULL);
}
