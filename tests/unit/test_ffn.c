/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The feed-forward layer against the rule of the header, bit for bit, and its gradients against differences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include "unit/naive.h"

static const gelu_dtype types[] = {GELU_F32, GELU_F16, GELU_BF16, GELU_F64};
static const size_t models[] = {0, 1, 3, 8, 20}, hiddens[] = {0, 1, 5, 8, 33, 260};
static const size_t batches[] = {0, 1, 2, 7, 31, 33, 65};
static const size_t long_batches[] = {0, 1, 3, 257, 515};

#define PICK(array) (array)[naive_below(sizeof(array) / sizeof *(array))]

/* A layer of random shape and what the rule makes of one batch. */
struct ffn {
    gelu_dtype real, xtype, ytype;
    gelu_act act;
    bool gated, fast;
    gelu_gate_order order;
    size_t d_model, d_ff, rows;
    struct layer fc1, up, fc2;
    struct matrix both, both_bias; /* fc1 and up in one, in that order */
    gelu_ffn *ffn;
    struct matrix x;
    double *xs, *gate, *ups, *h, *a, *y; /* plain: no gate, no ups */
};

static double multiply(gelu_dtype real, double a, double b) {
    return real == GELU_F64 ? a * b : (double)((float)a * (float)b);
}

static gelu_dtype random_type(gelu_dtype real) { return real == GELU_F64 ? GELU_F64 : types[naive_below(3)]; }
static gelu_layout random_layout(void) { return naive_below(2) ? GELU_OUT_IN : GELU_IN_OUT; }

/* Two matrices of one type: their outputs one after the other, in rows or in columns. */
static struct matrix stack(gelu_layout layout, const struct matrix *first, const struct matrix *second, size_t gap) {
    bool rows = layout == GELU_OUT_IN;
    struct matrix m = matrix_new(first->dtype, first->rows * (rows ? 2 : 1), first->cols * (rows ? 1 : 2),
                                 first->cols * (rows ? 1 : 2) + gap);
    size_t row_nbytes = first->cols * gelu_dtype_nbytes(first->dtype);
    for (size_t i = 0; i < first->rows; i++) {
        memcpy(matrix_at(&m, i, 0), matrix_at(first, i, 0), row_nbytes);
        memcpy(rows ? matrix_at(&m, first->rows + i, 0) : matrix_at(&m, i, first->cols), matrix_at(second, i, 0),
               row_nbytes);
    }
    return m;
}

/* The layers that one matrix holds, in its order. */
static void use_one_matrix(struct ffn *f, gelu_ffn_desc *desc) {
    struct layer *first = f->order == GELU_GATE_FIRST ? &f->fc1 : &f->up;
    struct layer *second = f->order == GELU_GATE_FIRST ? &f->up : &f->fc1;
    gelu_layout layout = first->weights.layout;
    f->both = stack(layout, &first->weight, &second->weight, naive_below(3));
    f->both_bias = stack(GELU_IN_OUT, &first->bias, &second->bias, 0);
    desc->order = f->order;
    desc->fc1 = (gelu_weights){first->weights.dtype, layout, f->both.p, f->both.ld,
                               first->weights.bias ? f->both_bias.p : NULL};
}

static double activate(const struct ffn *f, double x) {
    if (!f->fast) return naive_act(f->real, f->act, x);
    float narrow = (float)x;
    gelu_fast_forward_f32(f->act, 1, &narrow, &narrow);
    return narrow;
}

static double activation_grad(const struct ffn *f, double x, double dy) {
    if (!f->fast) return naive_act_grad(f->real, f->act, x, dy);
    float narrow = (float)x, grad = (float)dy;
    gelu_fast_backward_f32(f->act, 1, &narrow, &grad, &grad);
    return grad;
}

static struct ffn ffn_new(gelu_dtype real, bool gated, size_t rows, size_t d_model, size_t d_ff) {
    struct ffn f = {.real = real, .gated = gated, .rows = rows, .d_model = d_model, .d_ff = d_ff};
    f.xtype = random_type(real);
    f.ytype = random_type(real);
    f.act = (gelu_act)naive_below(GELU_ACT_COUNT);
    f.fast = real == GELU_F32 && naive_below(3) == 0;
    f.order = gated ? (gelu_gate_order)naive_below(3) : GELU_SEPARATE;
    gelu_dtype type = random_type(real);
    gelu_layout layout = random_layout();
    bool bias = naive_below(4) > 0, apart = f.order == GELU_SEPARATE;
    f.fc1 = layer_new(type, layout, d_model, d_ff, bias);
    f.up = layer_new(apart ? random_type(real) : type, apart ? random_layout() : layout, d_model, d_ff,
                     apart ? naive_below(4) > 0 : bias);
    f.fc2 = layer_new(random_type(real), random_layout(), d_ff, d_model, naive_below(4) > 0);
    gelu_ffn_desc desc = {.d_model = d_model,
                          .d_ff = d_ff,
                          .act = f.act,
                          .gated = gated,
                          .fc1 = f.fc1.weights,
                          .fc2 = f.fc2.weights,
                          .fast = f.fast,
                          .view = naive_below(3) == 0};
    if (gated && apart) desc.up = f.up.weights;
    if (!apart) use_one_matrix(&f, &desc);
    assert_int_equal(gelu_ffn_create(&desc, &f.ffn), GELU_OK);
    f.x = matrix_random(f.xtype, rows, d_model);
    f.xs = naive_values(&f.x);
    double *first = layer_apply(&f.fc1, rows, f.xs);
    f.a = malloc((rows * d_ff + 1) * sizeof *f.a);
    for (size_t i = 0; i < rows * d_ff; i++) f.a[i] = activate(&f, first[i]);
    if (gated) {
        f.gate = first;
        f.ups = layer_apply(&f.up, rows, f.xs);
        f.h = malloc((rows * d_ff + 1) * sizeof *f.h);
        for (size_t i = 0; i < rows * d_ff; i++) f.h[i] = multiply(real, f.a[i], f.ups[i]);
    } else {
        f.h = first;
    }
    f.y = layer_apply(&f.fc2, rows, gated ? f.h : f.a);
    return f;
}

static void ffn_free(struct ffn *f) {
    gelu_ffn_free(f->ffn);
    layer_free(&f->fc1), layer_free(&f->up), layer_free(&f->fc2);
    free(f->both.p), free(f->both_bias.p);
    free(f->x.p), free(f->xs), free(f->gate), free(f->ups), free(f->h), free(f->a), free(f->y);
}

static void matrix_set(struct matrix *m, gelu_dtype real, const double *values) {
    for (size_t i = 0; i < m->rows; i++)
        for (size_t j = 0; j < m->cols; j++) naive_set(real, values[i * m->cols + j], m->dtype, matrix_at(m, i, j));
}

/* A matrix of garbage and one of what it must become. */
struct outcome {
    struct matrix got, want;
};

static struct outcome outcome(gelu_dtype dtype, size_t rows, size_t cols, size_t ld, gelu_dtype real,
                              const double *values) {
    struct outcome o = {matrix_new(dtype, rows, cols, ld), matrix_new(dtype, rows, cols, ld)};
    if (values) matrix_set(&o.want, real, values);
    return o;
}

static void outcome_check(struct outcome *o, bool wanted, const char *what) {
    if (wanted) matrix_assert_equal(&o->got, &o->want, what);
    free(o->got.p);
    free(o->want.p);
}

static void *workspace_new(const gelu_ffn *ffn, size_t rows, bool backward) {
    size_t forward_nbytes, backward_nbytes;
    if (naive_below(2)) return NULL;
    assert_int_equal(gelu_ffn_workspace(ffn, rows, &forward_nbytes, &backward_nbytes), GELU_OK);
    size_t nbytes = backward ? backward_nbytes : forward_nbytes;
    unsigned char *workspace = aligned_alloc(64, nbytes + 64);
    assert_non_null(workspace);
    memset(workspace, 0xff, nbytes + 64);
    workspace[nbytes] = 0x5a;
    return workspace;
}

static void workspace_free(const gelu_ffn *ffn, size_t rows, bool backward, unsigned char *workspace) {
    size_t forward_nbytes, backward_nbytes;
    assert_int_equal(gelu_ffn_workspace(ffn, rows, &forward_nbytes, &backward_nbytes), GELU_OK);
    if (workspace) assert_int_equal(workspace[backward ? backward_nbytes : forward_nbytes], 0x5a);
    free(workspace);
}

static void check_forward(gelu_dtype real, bool gated) {
    struct ffn f = ffn_new(real, gated, PICK(batches), PICK(models), PICK(hiddens));
    size_t rows = f.rows, d_ff = f.d_ff;
    struct outcome y = outcome(f.ytype, rows, f.d_model, f.d_model + naive_below(3), real, f.y);
    struct outcome h = outcome(real, rows, d_ff, d_ff, real, f.h), a = outcome(real, rows, d_ff, d_ff, real, f.a);
    struct outcome gate = outcome(real, rows, d_ff, d_ff, real, f.gate);
    struct outcome up = outcome(real, rows, d_ff, d_ff, real, f.ups);
    bool some[4], use_trace = naive_below(3) > 0;
    for (int i = 0; i < 4; i++) some[i] = use_trace && naive_below(2) && (i < 2 || gated);
    gelu_ffn_trace trace = {.h = some[0] ? h.got.p : NULL,
                            .a = some[1] ? a.got.p : NULL,
                            .gate = some[2] ? gate.got.p : NULL,
                            .up = some[3] ? up.got.p : NULL};
    void *workspace = workspace_new(f.ffn, rows, false);
    assert_int_equal(gelu_ffn_forward(f.ffn, rows, f.xtype, f.x.p, f.x.ld, use_trace ? &trace : NULL, f.ytype, y.got.p,
                                      y.got.ld, workspace),
                     GELU_OK);
    workspace_free(f.ffn, rows, false, workspace);
    outcome_check(&y, true, "y");
    outcome_check(&h, some[0], "h");
    outcome_check(&a, some[1], "a");
    outcome_check(&gate, some[2], "gate");
    outcome_check(&up, some[3], "up");
    ffn_free(&f);
}

/* The gradients of fc1 (the gate) and up with respect to what they give, from dy. */
static void hidden_grads(const struct ffn *f, const double *dy, double *dfc1, double *dup) {
    double *d = calloc(f->rows * f->d_ff + 1, sizeof *d);
    layer_input_grad(&f->fc2, f->rows, dy, d);
    for (size_t i = 0; i < f->rows * f->d_ff; i++) {
        dup[i] = f->gated ? multiply(f->real, d[i], f->a[i]) : 0;
        double into = f->gated ? multiply(f->real, d[i], f->ups[i]) : d[i];
        dfc1[i] = activation_grad(f, f->gated ? f->gate[i] : f->h[i], into);
    }
    free(d);
}

/* Gradient buffers for one linear, with old values. */
struct linear_grads {
    struct outcome w, b;
};

static struct linear_grads linear_grads(const struct layer *l, size_t rows, const double *x, const double *dy,
                                        bool add) {
    struct linear_grads g = {outcome(l->real, l->weight.rows, l->weight.cols, l->weight.cols, l->real, NULL),
                             outcome(l->real, 1, l->out, l->out, l->real, NULL)};
    matrix_fill(&g.w.got);
    matrix_fill(&g.b.got);
    memcpy(g.w.want.p, g.w.got.p, matrix_nbytes(&g.w.got));
    memcpy(g.b.want.p, g.b.got.p, matrix_nbytes(&g.b.got));
    layer_weight_grad(l, rows, x, dy, add, &g.w.want, &g.b.want);
    return g;
}

static void check_backward(gelu_dtype real, bool gated) {
    bool add = naive_below(2), is_long = naive_below(2);
    struct ffn f = is_long ? ffn_new(real, gated, PICK(long_batches), 1 + naive_below(3), 1 + naive_below(9))
                           : ffn_new(real, gated, PICK(batches), PICK(models), PICK(hiddens));
    size_t rows = f.rows, n = rows * f.d_model;
    gelu_dtype dytype = random_type(real);
    struct matrix dy = matrix_random(dytype, rows, f.d_model);
    double *dys = naive_values(&dy), *dfc1 = malloc((rows * f.d_ff + 1) * sizeof *dfc1);
    double *dup = malloc((rows * f.d_ff + 1) * sizeof *dup);
    hidden_grads(&f, dys, dfc1, dup);
    struct outcome dx = outcome(f.xtype, rows, f.d_model, f.d_model + 1, real, NULL);
    matrix_fill(&dx.got);
    double *dxs = naive_values(&dx.got);
    for (size_t i = 0; !add && i < n; i++) dxs[i] = 0;
    layer_input_grad(&f.fc1, rows, dfc1, dxs);
    if (gated) layer_input_grad(&f.up, rows, dup, dxs);
    matrix_set(&dx.want, real, dxs);
    struct linear_grads g1 = linear_grads(&f.fc1, rows, f.xs, dfc1, add),
                        gup = linear_grads(&f.up, rows, f.xs, dup, add);
    struct linear_grads g2 = linear_grads(&f.fc2, rows, gated ? f.h : f.a, dys, add);

    bool some[7], apart = f.order == GELU_SEPARATE;
    for (int i = 0; i < 7; i++) some[i] = naive_below(5) > 0 && (gated || (i != 3 && i != 4));
    if (!apart) { /* both gradients in one, in the order of the weights */
        const struct linear_grads *first = f.order == GELU_GATE_FIRST ? &g1 : &gup;
        const struct linear_grads *second = f.order == GELU_GATE_FIRST ? &gup : &g1;
        struct linear_grads both = {{stack(f.fc1.weights.layout, &first->w.got, &second->w.got, 0),
                                     stack(f.fc1.weights.layout, &first->w.want, &second->w.want, 0)},
                                    {stack(GELU_IN_OUT, &first->b.got, &second->b.got, 0),
                                     stack(GELU_IN_OUT, &first->b.want, &second->b.want, 0)}};
        outcome_check(&g1.w, false, NULL), outcome_check(&g1.b, false, NULL);
        g1 = both;
        some[3] = some[4] = false;
    }
    struct outcome saved[] = {
        outcome(real, rows, f.d_ff, f.d_ff, real, f.h), outcome(real, rows, f.d_ff, f.d_ff, real, f.a),
        outcome(real, rows, f.d_ff, f.d_ff, real, f.gate), outcome(real, rows, f.d_ff, f.d_ff, real, f.ups)};
    bool keep[4];
    for (int i = 0; i < 4; i++) keep[i] = naive_below(4) > 0 && (gated || i < 2);
    const gelu_ffn_trace trace = {.h = keep[0] ? saved[0].want.p : NULL,
                                  .a = keep[1] ? saved[1].want.p : NULL,
                                  .gate = keep[2] ? saved[2].want.p : NULL,
                                  .up = keep[3] ? saved[3].want.p : NULL};
    gelu_ffn_grads grads = {some[0] ? dx.got.p : NULL,    dx.got.ld,
                            some[1] ? g1.w.got.p : NULL,  some[2] ? g1.b.got.p : NULL,
                            some[3] ? gup.w.got.p : NULL, some[4] ? gup.b.got.p : NULL,
                            some[5] ? g2.w.got.p : NULL,  some[6] ? g2.b.got.p : NULL};
    void *workspace = workspace_new(f.ffn, rows, true);
    assert_int_equal(gelu_ffn_backward(f.ffn, add ? GELU_GRAD_ADD : GELU_GRAD_SET, rows, f.xtype, f.x.p, f.x.ld, dytype,
                                       dy.p, dy.ld, naive_below(3) ? &trace : NULL, &grads, workspace),
                     GELU_OK);
    workspace_free(f.ffn, rows, true, workspace);
    for (int i = 0; i < 4; i++) outcome_check(&saved[i], false, NULL);
    outcome_check(&dx, some[0], "dx");
    outcome_check(&g1.w, some[1], "dfc1_weight");
    outcome_check(&g1.b, some[2], "dfc1_bias");
    outcome_check(&gup.w, some[3], "dup_weight");
    outcome_check(&gup.b, some[4], "dup_bias");
    outcome_check(&g2.w, some[5], "dfc2_weight");
    outcome_check(&g2.b, some[6], "dfc2_bias");
    ffn_free(&f);
    free(dy.p), free(dys), free(dfc1), free(dup), free(dxs);
}

static void forward_by_the_rule(void **state) {
    (void)state;
    for (int i = 0; i < 240; i++) check_forward(i % 5 ? GELU_F32 : GELU_F64, i % 2);
}

static void backward_by_the_rule(void **state) {
    (void)state;
    for (int i = 0; i < 240; i++) check_backward(i % 5 ? GELU_F32 : GELU_F64, i % 2);
}

/* An f64 layer's loss sum(y * dy), of which gradients are checked against central differences. */
struct loss {
    gelu_ffn_desc desc;
    size_t rows;
    const double *x, *dy;
};

static double loss_of(const struct loss *l) {
    double y[64], sum = 0;
    gelu_ffn *ffn;
    assert_int_equal(gelu_ffn_create(&l->desc, &ffn), GELU_OK);
    size_t d = l->desc.d_model;
    assert_int_equal(gelu_ffn_forward(ffn, l->rows, GELU_F64, l->x, d, NULL, GELU_F64, y, d, NULL), GELU_OK);
    gelu_ffn_free(ffn);
    for (size_t i = 0; i < l->rows * d; i++) sum += y[i] * l->dy[i];
    return sum;
}

static void check_difference(const struct loss *l, double *parameter, double grad) {
    const double step = 0x1p-17, at = *parameter;
    *parameter = at + step;
    double above = loss_of(l);
    *parameter = at - step;
    double below = loss_of(l);
    *parameter = at;
    /* step^2 times a third derivative, and 2^-53 times a loss of about 10, over step */
    double difference = (above - below) / (2 * step);
    if (!(fabs(difference - grad) <= 1e-8 * (1 + fabs(grad))))
        fail_msg("got %.17g, difference %.17g", grad, difference);
}

static void gradients_are_differences(void **state) {
    (void)state;
    enum { D = 3, F = 4, ROWS = 2 };
    for (int gated = 0; gated < 2; gated++)
        for (int act = 0; act < GELU_ACT_COUNT; act++) {
            /* w1, b1, wup, bup, w2, b2, x, dy */
            static const size_t sizes[8] = {F * D, F, F * D, F, D * F, D, ROWS * D, ROWS * D};
            double p[8][F * D], g[8][F * D];
            for (int i = 0; i < 8; i++)
                for (size_t j = 0; j < sizes[i]; j++) p[i][j] = ldexp((double)(naive_random() >> 11), -52) - 1;
            struct loss l = {{.d_model = D,
                              .d_ff = F,
                              .act = (gelu_act)act,
                              .gated = gated,
                              .fc1 = {GELU_F64, GELU_OUT_IN, p[0], 0, p[1]},
                              .fc2 = {GELU_F64, GELU_IN_OUT, p[4], 0, p[5]}},
                             ROWS,
                             p[6],
                             p[7]};
            if (gated) l.desc.up = (gelu_weights){GELU_F64, GELU_IN_OUT, p[2], 0, p[3]};
            gelu_ffn *ffn;
            assert_int_equal(gelu_ffn_create(&l.desc, &ffn), GELU_OK);
            gelu_ffn_grads grads = {g[6], D, g[0], g[1], gated ? g[2] : NULL, gated ? g[3] : NULL, g[4], g[5]};
            assert_int_equal(
                gelu_ffn_backward(ffn, GELU_GRAD_SET, ROWS, GELU_F64, p[6], D, GELU_F64, p[7], D, NULL, &grads, NULL),
                GELU_OK);
            gelu_ffn_free(ffn);
            for (int i = 0; i < 7; i++)
                for (size_t j = 0; j < sizes[i] && (gated || i < 2 || i > 3); j++)
                    check_difference(&l, &p[i][j], g[i][j]);
        }
}

/* Both layouts of a square-free example, whose results are known to nine digits. */
static void layouts(void **state) {
    (void)state;
    static const float x[2] = {1, -2}, out_in[6] = {1, 0, 0, 1, 1, 1}, in_out[6] = {1, 0, 1, 0, 1, 1};
    static const float b1[3] = {0, 0, 0.5f}, w2[6] = {1, 1, 1, 0, 0, 0}, w2_in_out[6] = {1, 0, 1, 0, 1, 0};
    static const gelu_act acts[] = {GELU_ERF, GELU_TANH, GELU_QUICK};
    static const double want[] = {0.641575713, 0.641503695, 0.631842826};
    for (int i = 0; i < 3; i++) {
        float y[2][2];
        for (int conv = 0; conv < 2; conv++) {
            const gelu_ffn_desc desc = {
                .d_model = 2,
                .d_ff = 3,
                .act = acts[i],
                .fc1 = {GELU_F32, conv ? GELU_IN_OUT : GELU_OUT_IN, conv ? in_out : out_in, 0, b1},
                .fc2 = {GELU_F32, conv ? GELU_IN_OUT : GELU_OUT_IN, conv ? w2_in_out : w2, 0, NULL}};
            gelu_ffn *ffn;
            assert_int_equal(gelu_ffn_create(&desc, &ffn), GELU_OK);
            assert_int_equal(gelu_ffn_forward(ffn, 1, GELU_F32, x, 2, NULL, GELU_F32, y[conv], 2, NULL), GELU_OK);
            gelu_ffn_free(ffn);
        }
        assert_memory_equal(y[0], y[1], sizeof y[0]);
        if (!(fabs(y[0][0] - want[i]) < 0x1p-23)) fail_msg("%s: %.9g", gelu_act_name(acts[i]), (double)y[0][0]);
        assert_true(y[0][1] == 0);
    }
}

/* One call that sets and one that adds: dx, then 2 dx. */
static void set_then_add(void **state) {
    (void)state;
    struct ffn f = ffn_new(GELU_F64, false, 7, 8, 20);
    struct matrix dy = matrix_new(GELU_F64, 7, 8, 8), dx = matrix_new(GELU_F64, 7, 8, 8);
    for (size_t i = 0; i < 7; i++)
        for (size_t j = 0; j < 8; j++) *(double *)matrix_at(&dy, i, j) = (double)(i + 1) / (double)(j + 3);
    gelu_ffn_grads grads = {.dx = dx.p, .lddx = 8};
    for (int mode = GELU_GRAD_SET; mode <= GELU_GRAD_ADD; mode++) {
        struct matrix before = matrix_copy(&dx);
        assert_int_equal(gelu_ffn_backward(f.ffn, (gelu_grad_mode)mode, 7, GELU_F64, f.x.p, f.x.ld, GELU_F64, dy.p, 8,
                                           NULL, &grads, NULL),
                         GELU_OK);
        for (size_t i = 0; mode == GELU_GRAD_ADD && i < 7; i++)
            for (size_t j = 0; j < 8; j++) {
                double once = matrix_get(&before, i, j), twice = matrix_get(&dx, i, j);
                assert_true(twice == 2 * once || (isnan(once) && isnan(twice)));
            }
        free(before.p);
    }
    ffn_free(&f);
    free(dy.p), free(dx.p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_by_the_rule),
        cmocka_unit_test(backward_by_the_rule),
        cmocka_unit_test(gradients_are_differences),
        cmocka_unit_test(layouts),
        cmocka_unit_test(set_then_add),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
