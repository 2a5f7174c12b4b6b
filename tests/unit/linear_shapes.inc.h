/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Linear in thousands of shapes: the bits of the rule, whatever the instruction set, the number of threads, the types and
 * the way that weights are given. Small results are compared as a whole, large ones in some elements, and as a whole
 * among instruction sets and among threads. The includer includes cmocka.h and defines SHAPES_COMPUTE, SCALAR_EVERY (of
 * how many shapes one is computed on the scalar instruction set too) and, where an instruction set is emulated and so
 * slow, SHAPES_EMULATED. */
#include "unit/naive.h"
#include "unit/naive_bf16.h"
#include "unit/sanitized.h"

#if defined(SHAPES_EMULATED)
enum { MOST = 200, ALL_RANDOM = 1000, ALL_THREAD = 100 };
#else
enum { MOST = 600, ALL_RANDOM = 5000, ALL_THREAD = 200 };
#endif
enum {
    RANDOM_SHAPES = TEST_SANITIZED ? 600 : ALL_RANDOM,
    THREAD_SHAPES = TEST_SANITIZED ? 40 : ALL_THREAD,
    STEP = TEST_SANITIZED ? 2 : 1,
    SAMPLES = 200,
    SMALL = 1 << 17
};

/* bf16 compute has no gradients, and takes nothing but bf16. */
static const bool f32_compute = SHAPES_COMPUTE == GELU_COMPUTE_F32;
static const gelu_dtype types[] = {GELU_F32, GELU_F16, GELU_BF16};
static const size_t thread_counts[] = {1, 2, 3, 5, 16};

/* A matrix with a gap after each row, and its elements in real. */
struct values {
    gelu_dtype dtype;
    size_t rows, cols, ld;
    void *p;
    double *exact; /* (rows, cols) */
};

static double draw(enum naive_bf16_data data) {
    if (f32_compute) return ldexp((double)(int64_t)naive_random(), -63);
    return (double)naive_bf16_widen((uint16_t)(naive_bf16_random(data) >> 16));
}

static struct values values_new(gelu_dtype dtype, size_t rows, size_t cols, enum naive_bf16_data data) {
    struct values v = {.dtype = dtype, .rows = rows, .cols = cols, .ld = cols + naive_below(3)};
    size_t n = rows * v.ld + 1, element = gelu_dtype_nbytes(dtype);
    double *drawn = malloc(n * sizeof *drawn);
    v.p = malloc(n * element);
    v.exact = malloc((rows * cols + 1) * sizeof *v.exact);
    assert_true(drawn && v.p && v.exact);
    for (size_t i = 0; i < n; i++) drawn[i] = draw(data);
    if (n > 3 && naive_below(50) == 0) drawn[naive_below(n)] = naive_below(2) ? INFINITY : NAN;
    assert_int_equal(gelu_convert(n, GELU_F64, drawn, dtype, v.p), GELU_OK);
    assert_int_equal(gelu_convert(n, dtype, v.p, GELU_F64, drawn), GELU_OK);
    for (size_t i = 0; i < rows; i++) memcpy(v.exact + i * cols, drawn + i * v.ld, cols * sizeof *drawn);
    free(drawn);
    return v;
}

static void values_free(struct values *v) { free(v->p), free(v->exact); }

/* A result whose elements and gaps held NaN patterns before. */
struct result {
    gelu_dtype dtype;
    size_t rows, cols, ld, nbytes;
    unsigned char *p;
};

static struct result result_new(gelu_dtype dtype, size_t rows, size_t cols, size_t gap) {
    struct result r = {.dtype = dtype, .rows = rows, .cols = cols, .ld = cols + gap};
    r.nbytes = (rows * r.ld + 1) * gelu_dtype_nbytes(dtype);
    r.p = malloc(r.nbytes);
    assert_non_null(r.p);
    memset(r.p, 0xff, r.nbytes);
    return r;
}

static bool same(gelu_dtype dtype, const void *a, const void *b) {
    if (memcmp(a, b, gelu_dtype_nbytes(dtype)) == 0) return true;
    return isnan(naive_get(dtype, a)) && isnan(naive_get(dtype, b));
}

static void *result_at(const struct result *r, size_t i, size_t j) {
    return r->p + (i * r->ld + j) * gelu_dtype_nbytes(r->dtype);
}

static void assert_results(const struct result *got, const struct result *want, const char *what) {
    if (memcmp(got->p, want->p, want->nbytes) == 0) return;
    for (size_t i = 0; i < want->rows; i++)
        for (size_t j = 0; j < want->ld; j++)
            if (!same(want->dtype, result_at(got, i, j), result_at(want, i, j)))
                fail_msg("%s (%zu, %zu) of (%zu, %zu)", what, i, j, want->rows, want->cols);
}

/* Between the rows and behind the last one nothing was written. */
static void assert_gaps(const struct result *r) {
    for (size_t i = 0; i <= r->rows; i++) {
        const unsigned char *end = i < r->rows ? result_at(r, i, r->ld) : r->p + r->nbytes;
        for (const unsigned char *p = result_at(r, i, i < r->rows ? r->cols : 0); p < end; p++)
            if (*p != 0xff) fail_msg("the gap at row %zu of (%zu, %zu) was written", i, r->rows, r->cols);
    }
}

/* One problem: x (rows, in), weights, dy (rows, out). */
struct problem {
    size_t rows, in, out;
    gelu_dtype real;
    struct values x, weight, bias, dy;
    gelu_layout layout;
    bool view, with_bias;
};

static struct problem problem_new(size_t rows, size_t in, size_t out) {
    bool wide = f32_compute && naive_below(5) == 0;
    gelu_dtype t[3];
    for (int i = 0; i < 3; i++) t[i] = !f32_compute ? GELU_BF16 : wide ? GELU_F64 : types[naive_below(3)];
    enum naive_bf16_data data = (enum naive_bf16_data)naive_below(DATA_KINDS);
    if (data == ANY && in > 64) data = PLAIN; /* else every sum is NaN */
    struct problem p = {.rows = rows, .in = in, .out = out, .real = wide ? GELU_F64 : GELU_F32};
    p.layout = naive_below(2) ? GELU_OUT_IN : GELU_IN_OUT;
    p.view = naive_below(3) == 0;
    p.with_bias = naive_below(4) > 0;
    p.x = values_new(t[0], rows, in, data);
    p.weight = values_new(t[1], p.layout == GELU_OUT_IN ? out : in, p.layout == GELU_OUT_IN ? in : out, data);
    p.bias = values_new(t[1], 1, out, data);
    p.dy = values_new(t[2], rows, out, data);
    return p;
}

static void problem_free(struct problem *p) {
    values_free(&p->x), values_free(&p->weight), values_free(&p->bias), values_free(&p->dy);
}

enum { Y, DX, DW, DB, RESULTS };
static const char *const result_names[] = {"y", "dx", "dw", "db"};

struct results {
    struct result r[RESULTS];
};

static void results_free(struct results *r) {
    for (int i = 0; i < RESULTS; i++) free(r->r[i].p);
}

static struct results compute(const struct problem *p, gelu_dtype ytype, bool backward) {
    const gelu_weights w = {p->weight.dtype, p->layout, p->weight.p, p->weight.ld, p->with_bias ? p->bias.p : NULL};
    struct results r = {{result_new(ytype, p->rows, p->out, 2), result_new(p->x.dtype, p->rows, p->in, 1),
                         result_new(p->real, p->weight.rows, p->weight.cols, 0), result_new(p->real, 1, p->out, 0)}};
    gelu_linear *l;
    assert_int_equal((p->view ? gelu_linear_view : gelu_linear_create)(p->in, p->out, &w, SHAPES_COMPUTE, &l), GELU_OK);
    assert_int_equal(
        gelu_linear_forward(l, p->rows, p->x.dtype, p->x.p, p->x.ld, NULL, ytype, r.r[Y].p, r.r[Y].ld, NULL), GELU_OK);
    if (backward)
        assert_int_equal(gelu_linear_backward(l, GELU_GRAD_SET, p->rows, p->x.dtype, p->x.p, p->x.ld, p->dy.dtype,
                                              p->dy.p, p->dy.ld, r.r[DX].p, r.r[DX].ld, r.r[DW].p, r.r[DB].p, NULL),
                         GELU_OK);
    gelu_linear_free(l);
    return r;
}

static double y_by_the_bf16_rule(const struct problem *p, size_t i, size_t j) {
    const uint16_t *x = p->x.p, *w = p->weight.p, *b = p->bias.p;
    bool out_in = p->layout == GELU_OUT_IN;
    return (double)naive_bf16_sum(p->in, x + i * p->x.ld, w + (out_in ? j * p->weight.ld : j),
                                  out_in ? 1 : p->weight.ld, p->with_bias ? naive_bf16_widen(b[j]) : 0);
}

/* Element (i, j) of a result, by the rule. */
static double by_the_rule(const struct problem *p, int which, size_t i, size_t j) {
    static const double one = 1;
    bool out_in = p->layout == GELU_OUT_IN;
    size_t in = p->in, out = p->out;
    size_t n = which == DW && !out_in ? j : i, k = which == DW && !out_in ? i : j;
    switch (which) {
    case Y:
        if (!f32_compute) return y_by_the_bf16_rule(p, i, j);
        return naive_sum(p->real, in, p->x.exact + i * in, 1, p->weight.exact + (out_in ? j * in : j), out_in ? 1 : out,
                         p->with_bias ? p->bias.exact[j] : 0);
    case DX:
        return naive_sum(p->real, out, p->dy.exact + i * out, 1, p->weight.exact + (out_in ? j : j * out),
                         out_in ? in : 1, 0);
    case DW: return naive_sum(p->real, p->rows, p->dy.exact + n, out, p->x.exact + k, in, 0);
    default: return naive_sum(p->real, p->rows, p->dy.exact + j, out, &one, 0, 0);
    }
}

static void check_element(const struct problem *p, const struct result *r, int which, size_t i, size_t j) {
    double want[1];
    naive_set(p->real, by_the_rule(p, which, i, j), r->dtype, want);
    if (!same(r->dtype, result_at(r, i, j), want))
        fail_msg("%s (%zu, %zu) of rows %zu, in %zu, out %zu on %s: got %a, want %a", result_names[which], i, j,
                 p->rows, p->in, p->out, gelu_isa_name(), naive_get(r->dtype, result_at(r, i, j)),
                 naive_get(r->dtype, want));
}

static void check_by_the_rule(const struct problem *p, const struct results *results, bool backward) {
    for (int which = 0; which < (backward ? RESULTS : 1); which++) {
        const struct result *r = &results->r[which];
        if (r->rows == 0 || r->cols == 0) continue;
        if (p->rows * p->in * p->out <= SMALL)
            for (size_t i = 0; i < r->rows; i++)
                for (size_t j = 0; j < r->cols; j++) check_element(p, r, which, i, j);
        else
            for (int s = 0; s < SAMPLES; s++) {
                size_t i = s == 0 ? r->rows - 1 : naive_below(r->rows), j = s < 2 ? r->cols - 1 : naive_below(r->cols);
                check_element(p, r, which, i, j);
            }
    }
}

/* Everything on every instruction set; on the scalar one only if asked. */
static void check_shape(size_t rows, size_t in, size_t out, bool on_scalar) {
    struct problem p = problem_new(rows, in, out);
    gelu_dtype ytype = p.real == GELU_F64 ? GELU_F64 : types[naive_below(3)];
    bool backward = f32_compute && naive_below(3) == 0;
    struct results first = {0};
    for (size_t i = 0; gelu_isa_available(i); i++) {
        if (i > 0 && !on_scalar && strcmp(gelu_isa_available(i), "scalar") == 0) continue;
        assert_int_equal(gelu_isa_select(gelu_isa_available(i)), GELU_OK);
        struct results r = compute(&p, ytype, backward);
        for (int k = 0; k < RESULTS; k++) assert_gaps(&r.r[k]);
        if (i == 0) {
            first = r;
            check_by_the_rule(&p, &first, backward);
            continue;
        }
        for (int k = 0; k < RESULTS; k++) assert_results(&r.r[k], &first.r[k], result_names[k]);
        results_free(&r);
    }
    results_free(&first);
    problem_free(&p);
    assert_int_equal(gelu_isa_select(NULL), GELU_OK);
}

static void one_size_at_a_time(void **state) {
    (void)state;
    for (size_t n = 1; n <= 70; n += STEP)
        for (int kind = 0; kind < 3; kind++) {
            size_t rows = kind == 0 ? n : 1 + naive_below(40), in = kind == 1 ? n : 1 + naive_below(70);
            check_shape(rows, in, kind == 2 ? n : 1 + naive_below(50), true);
        }
}

/* What threads there are: a build without OpenMP has one. */
static void set_threads(size_t n) {
    gelu_status status = gelu_set_num_threads(n);
    assert_true(status == GELU_OK || status == GELU_ERR_UNSUPPORTED);
}

static void random_shapes(void **state) {
    (void)state;
    for (int i = 0; i < RANDOM_SHAPES; i++) {
        set_threads(thread_counts[i % 5 == 0 ? naive_below(3) : 0]);
        /* Few rows are as likely as many. */
        size_t rows = naive_below(2) ? naive_below(20) : naive_below(MOST + 1);
        check_shape(rows, naive_below(MOST + 1), naive_below(MOST + 1), i % SCALAR_EVERY == 0);
    }
    set_threads(0);
}

/* Another instruction set each time. The scalar one, the last in the list, takes too long for gradients. */
static void select_by_turns(int i) {
    size_t vectors = 0;
    while (gelu_isa_available(vectors + 1)) vectors++;
    bool on_scalar = vectors == 0 || (!f32_compute && i % SCALAR_EVERY == 0);
    size_t turn = on_scalar ? vectors : (size_t)i % vectors;
    assert_int_equal(gelu_isa_select(gelu_isa_available(turn)), GELU_OK);
}

static void any_number_of_threads(void **state) {
    (void)state;
    for (int i = 0; i < THREAD_SHAPES; i++) {
        /* Shapes with few columns are cut by rows. */
        struct problem p = problem_new(40 + naive_below(MOST), 20 + naive_below(MOST),
                                       i % 2 ? 1 + naive_below(60) : 20 + naive_below(MOST));
        struct results one = {0};
        select_by_turns(i);
        for (size_t t = 0; t < sizeof thread_counts / sizeof *thread_counts; t++) {
            set_threads(thread_counts[t]);
            struct results r = compute(&p, p.real, f32_compute);
            for (int k = 0; t > 0 && k < RESULTS; k++) assert_results(&r.r[k], &one.r[k], result_names[k]);
            if (t == 0)
                one = r;
            else
                results_free(&r);
        }
        results_free(&one);
        problem_free(&p);
    }
    set_threads(0);
    assert_int_equal(gelu_isa_select(NULL), GELU_OK);
}

/* A row of y is that row of x alone, in whatever batch it comes. */
static void rows_of_a_batch(void **state) {
    (void)state;
    for (int i = 0; i < THREAD_SHAPES; i++) {
        struct problem p = problem_new(1 + naive_below(MOST), 1 + naive_below(300), 1 + naive_below(300));
        select_by_turns(i);
        struct results all = compute(&p, p.real, false);
        for (int s = 0; s < 3; s++) {
            size_t first = naive_below(p.rows), rows = 1 + naive_below(p.rows - first);
            size_t element = gelu_dtype_nbytes(p.x.dtype);
            struct problem part = p;
            part.rows = rows;
            part.x.p = (char *)p.x.p + first * p.x.ld * element;
            struct results some = compute(&part, p.real, false);
            struct result want = all.r[Y];
            want.p = result_at(&all.r[Y], first, 0);
            want.rows = rows;
            want.nbytes = rows * want.ld * gelu_dtype_nbytes(want.dtype);
            assert_results(&some.r[Y], &want, "a part of the batch");
            results_free(&some);
        }
        results_free(&all);
        problem_free(&p);
    }
    assert_int_equal(gelu_isa_select(NULL), GELU_OK);
}

static int shapes_run(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_size_at_a_time),
        cmocka_unit_test(random_shapes),
        cmocka_unit_test(any_number_of_threads),
        cmocka_unit_test(rows_of_a_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
