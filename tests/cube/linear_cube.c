/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* linear_cube [JOBS [MOST [FROM]]]: Linear in every shape with rows, in and out from FROM (1) to MOST (70), in every type,
 * on every instruction set, forward and backward, against the rule of gelu.h; so many processes. Shapes are corners of the
 * same few matrices, so that y depends on `in` alone, dx on `out` and dw on the rows, and the naive loops run once each.
 * Only f64 on the scalar instruction set, whose fma is slow, takes every fifth shape. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include <sys/wait.h>
#include <unistd.h>
#include "unit/naive.h"
#include "unit/naive_bf16.h"

enum { SIDE = 70, AREA = SIDE * SIDE };
enum { TYPES = 5 }; /* the four, and bf16 compute */

static const gelu_dtype types[TYPES] = {GELU_F32, GELU_F16, GELU_BF16, GELU_F64, GELU_BF16};

static gelu_compute compute_of(int type) { return type == 4 ? GELU_COMPUTE_BF16 : GELU_COMPUTE_F32; }
static gelu_dtype real_of(int type) { return types[type] == GELU_F64 ? GELU_F64 : GELU_F32; }

/* What a type starts from, and the right results: of y for each `in`, with a bias and without, and so on. Rows are SIDE
 * elements apart. */
struct reference {
    void *x, *dy, *b, *w[2]; /* w (out, in) and (in, out) */
    void *y[2][SIDE + 1], *dx[SIDE + 1], *dw[2][SIDE + 1], *db[SIDE + 1];
};

static void *allocate(size_t nbytes) {
    void *p = malloc(nbytes);
    if (p) return p;
    fprintf(stderr, "linear_cube: out of memory\n");
    exit(1);
}

static void *at(void *p, gelu_dtype dtype, size_t i) { return (char *)p + i * gelu_dtype_nbytes(dtype); }

/* Numbers of the type, which values then holds. */
static void *draw(gelu_dtype dtype, size_t n, double *values) {
    void *p = allocate(n * sizeof *values);
    for (size_t i = 0; i < n; i++) {
        double value;
        do {
            value = naive_value();
        } while (!isfinite(value));
        naive_set(GELU_F64, value, dtype, at(p, dtype, i));
        values[i] = naive_get(dtype, at(p, dtype, i));
    }
    return p;
}

static void put(gelu_dtype dtype, void *p, double *values, size_t i, double value) {
    values[i] = value;
    naive_set(GELU_F64, value, dtype, at(p, dtype, i));
}

static void *transpose(gelu_dtype dtype, void *p) {
    void *t = allocate(AREA * gelu_dtype_nbytes(dtype));
    for (size_t i = 0; i < SIDE; i++)
        for (size_t j = 0; j < SIDE; j++)
            memcpy(at(t, dtype, j * SIDE + i), at(p, dtype, i * SIDE + j), gelu_dtype_nbytes(dtype));
    return t;
}

/* Element (i, j) is the sum over k < depth of a[i * ai + k * ak] * b[j * bj + k * bk], from start[j] on. */
static void *sums(gelu_dtype real, gelu_dtype dtype, size_t depth, const double *a, size_t ai, size_t ak,
                  const double *b, size_t bj, size_t bk, const double *start) {
    void *p = allocate(AREA * gelu_dtype_nbytes(dtype));
    for (size_t i = 0; i < SIDE; i++)
        for (size_t j = 0; j < SIDE; j++)
            naive_set(real, naive_sum(real, depth, a + i * ai, ak, b + j * bj, bk, start ? start[j] : 0), dtype,
                      at(p, dtype, i * SIDE + j));
    return p;
}

static void *sums_bf16(size_t depth, const uint16_t *x, const uint16_t *w, const double *start) {
    uint16_t *p = allocate(AREA * sizeof *p);
    for (size_t i = 0; i < SIDE; i++)
        for (size_t j = 0; j < SIDE; j++) {
            float acc = naive_bf16_sum(depth, x + i * SIDE, w + j * SIDE, 1, start ? (float)start[j] : 0);
            naive_set(GELU_F32, (double)acc, GELU_BF16, p + i * SIDE + j);
        }
    return p;
}

static void fill_reference(int type, struct reference *r) {
    gelu_dtype dtype = types[type], real = real_of(type);
    static const double one = 1;
    static double x[AREA], w[AREA], dy[AREA], b[SIDE];
    r->x = draw(dtype, AREA, x);
    r->dy = draw(dtype, AREA, dy);
    r->b = draw(dtype, SIDE, b);
    r->w[0] = draw(dtype, AREA, w);
    put(dtype, r->x, x, 5 * SIDE + 60, INFINITY);
    put(dtype, r->w[0], w, 7 * SIDE + 66, NAN);
    r->w[1] = transpose(dtype, r->w[0]);
    for (size_t n = 1; n <= SIDE; n++) {
        for (int bias = 0; bias < 2; bias++)
            r->y[bias][n] = compute_of(type) == GELU_COMPUTE_BF16
                                ? sums_bf16(n, r->x, r->w[0], bias ? b : NULL)
                                : sums(real, dtype, n, x, SIDE, 1, w, SIDE, 1, bias ? b : NULL);
        r->dx[n] = sums(real, dtype, n, dy, SIDE, 1, w, 1, SIDE, NULL);
        r->dw[0][n] = sums(real, real, n, dy, 1, SIDE, x, 1, SIDE, NULL);
        r->dw[1][n] = transpose(real, r->dw[0][n]);
        r->db[n] = sums(real, real, n, &one, 0, 0, dy, 1, SIDE, NULL);
    }
}

/* ---- One shape ---- */

struct shape {
    size_t rows, in, out;
    int type;
    bool with_bias, view;
    gelu_layout layout;
};

static void demand(gelu_status status) {
    if (status == GELU_OK) return;
    fprintf(stderr, "linear_cube: %s\n", gelu_status_string(status));
    exit(1);
}

/* got (rows, cols), rows ld apart, is the corner of want; what lies between its rows, still 0xff. */
static void compare(const struct shape *s, const char *what, gelu_dtype dtype, size_t rows, size_t cols, size_t ld,
                    void *got, void *want) {
    static const unsigned char untouched[SIDE * sizeof(double)] = {[0 ... SIDE * sizeof(double) - 1] = 0xff};
    size_t element = gelu_dtype_nbytes(dtype);
    for (size_t i = 0; i < rows; i++) {
        if (memcmp(at(got, dtype, i * ld + cols), untouched, (ld - cols) * element) != 0) {
            fprintf(stderr, "linear_cube: %s was written beyond its row %zu\n", what, i);
            exit(1);
        }
        if (memcmp(at(got, dtype, i * ld), at(want, dtype, i * SIDE), cols * element) == 0) continue;
        for (size_t j = 0; j < cols; j++) {
            void *g = at(got, dtype, i * ld + j), *w = at(want, dtype, i * SIDE + j);
            double x = naive_get(dtype, g), y = naive_get(dtype, w);
            if (memcmp(g, w, element) == 0 || (isnan(x) && isnan(y))) continue;
            fprintf(stderr, "linear_cube: %s (%zu, %zu) of %zu rows, %zu to %zu, %s%s on %s: %a, should be %a\n", what,
                    i, j, s->rows, s->in, s->out, gelu_dtype_name(types[s->type]),
                    compute_of(s->type) == GELU_COMPUTE_BF16 ? " compute" : "", gelu_isa_name(), x, y);
            exit(1);
        }
    }
}

/* As cmocka's asserts and the rest do, it ends the process at the first fault. */
static void check(const struct shape *s, struct reference *r) {
    static double y[AREA + SIDE], dx[AREA + SIDE], dw[AREA], db[SIDE];
    gelu_dtype dtype = types[s->type], real = real_of(s->type);
    gelu_compute compute = compute_of(s->type);
    int turned = s->layout == GELU_IN_OUT;
    size_t ldy = s->out + s->in % 2, lddx = s->in + s->out % 2;
    gelu_weights weights = {dtype, s->layout, r->w[turned], SIDE, s->with_bias ? r->b : NULL};
    gelu_linear *linear;
    demand((s->view ? gelu_linear_view : gelu_linear_create)(s->in, s->out, &weights, compute, &linear));
    memset(y, 0xff, sizeof y);
    demand(gelu_linear_forward(linear, s->rows, dtype, r->x, SIDE, NULL, dtype, y, ldy, NULL));
    compare(s, "y", dtype, s->rows, s->out, ldy, y, r->y[s->with_bias][s->in]);
    if (compute == GELU_COMPUTE_F32) {
        memset(dx, 0xff, sizeof dx);
        memset(dw, 0xff, sizeof dw);
        memset(db, 0xff, sizeof db);
        demand(gelu_linear_backward(linear, GELU_GRAD_SET, s->rows, dtype, r->x, SIDE, dtype, r->dy, SIDE, dx, lddx, dw,
                                    db, NULL));
        compare(s, "dx", dtype, s->rows, s->in, lddx, dx, r->dx[s->out]);
        size_t rows = turned ? s->in : s->out, cols = turned ? s->out : s->in;
        compare(s, "dw", real, rows, cols, cols, dw, r->dw[turned][s->rows]);
        compare(s, "db", real, 1, s->out, s->out, db, r->db[s->rows]);
    }
    gelu_linear_free(linear);
}

/* ---- All of them ---- */

static void check_rows(size_t rows, size_t from, size_t most, struct reference *references) {
    bool scalar = strcmp(gelu_isa_name(), "scalar") == 0;
    for (size_t in = from; in <= most; in++)
        for (size_t out = from; out <= most; out++)
            for (int type = 0; type < TYPES; type++) {
                /* Every pair of them meets every size. */
                size_t kind = rows + 3 * in + 5 * out + (size_t)type;
                if (scalar && types[type] == GELU_F64 && (rows + in + out) % 5 != 0) continue;
                check(&(struct shape){rows, in, out, type, kind % 2, kind / 2 % 2,
                                      kind / 4 % 2 ? GELU_OUT_IN : GELU_IN_OUT},
                      &references[type]);
            }
}

static void run(size_t job, size_t jobs, size_t from, size_t most, struct reference *references) {
    for (size_t rows = from + job; rows <= most; rows += jobs) {
        for (size_t i = 0; gelu_isa_available(i); i++) {
            demand(gelu_isa_select(gelu_isa_available(i)));
            check_rows(rows, from, most, references);
        }
        fprintf(stderr, "linear_cube: %zu rows of %zu are right\n", rows, most);
    }
}

int main(int argc, char **argv) {
    size_t jobs = argc > 1 ? (size_t)atoi(argv[1]) : 1, most = argc > 2 ? (size_t)atoi(argv[2]) : SIDE;
    size_t from = argc > 3 ? (size_t)atoi(argv[3]) : 1, failed = 0;
    if (jobs < 1 || most < 1 || most > SIDE || from < 1) {
        fprintf(stderr, "usage: linear_cube [JOBS [MOST [FROM]]]\n");
        return 2;
    }
    static struct reference references[TYPES];
    for (int type = 0; type < TYPES; type++) fill_reference(type, &references[type]);
    for (size_t job = 0; job < jobs; job++) {
        pid_t child = fork();
        if (child == 0) {
            run(job, jobs, from, most, references);
            _exit(0);
        }
        if (child < 0) perror("linear_cube"), failed++;
    }
    for (int status; wait(&status) > 0;) failed += status != 0;
    if (failed == 0)
        printf("Linear: all %zu^3 shapes, in every type, on every instruction set: the bits of the rule\n", most);
    return failed != 0;
}
