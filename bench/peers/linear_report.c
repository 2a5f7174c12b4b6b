/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <math.h>
#include <stdio.h>

#include "linear.h"

static const char *const titles[N_PASSES] = {"Linear", "Linear and GELU (erf)", "Backward (dX and dW)"};
enum { FEW_ROWS = 8 };

const char *linear_title(linear_pass pass) { return titles[pass]; }

static double best_of_others(const linear_list *list, const linear_row *row) {
    double best = 0;
    for (size_t p = list->n_own; p < list->n; p++)
        if (row->gflops[p] > best) best = row->gflops[p];
    return best;
}

/* How many times faster libgelu is than peer p; where p is libgelu, than the best of the others. 0: no such case. */
static double ratio(const linear_list *list, const linear_row *row, size_t p) {
    double own = row->gflops[p < list->n_own ? p : 0];
    if (own == 0) return 0;
    double other = p < list->n_own ? best_of_others(list, row) : row->gflops[p];
    return other > 0 ? own / other : 0;
}

static void print_mean(const linear_list *list, size_t n, const linear_row *rows, const linear_row *like, bool few) {
    printf("| geometric mean, %s rows | |", few ? "1 and 8" : "128 and 512");
    for (size_t p = 0; p < list->n; p++) {
        double sum = 0, least = 0;
        int cases = 0;
        for (const linear_row *row = rows; row < rows + n; row++) {
            if (row->pass != like->pass || row->dtype != like->dtype || (row->rows <= FEW_ROWS) != few) continue;
            double times = ratio(list, row, p);
            if (times > 0) sum += log(times), cases++;
            if (times > 0 && (cases == 1 || times < least)) least = times;
        }
        if (cases == 0)
            printf(" |");
        else
            printf(p < list->n_own ? " %.2f times the best, least %.2f |" : " (%.2f, least %.2f) |", exp(sum / cases),
                   least);
    }
    printf("\n");
}

static void print_row(const linear_list *list, const linear_row *row) {
    double peak = bench_peak_gflops(gelu_isa_name());
    printf("| %s, %zu to %zu | %zu |", row->shape, row->in, row->out, row->rows);
    for (size_t p = 0; p < list->n; p++) {
        double gflops = row->gflops[p], times = ratio(list, row, p);
        if (gflops > 0) printf(" %.1f, %.2f", gflops, gflops / peak);
        if (gflops > 0 && p >= list->n_own && times > 0) printf(" (%.2f)", times);
        printf(" |");
    }
    printf("\n");
}

/* Whether peer p does any of these cases. */
static bool has_cases(size_t n, const linear_row *rows, const linear_row *like, size_t p) {
    for (const linear_row *row = rows; row < rows + n; row++)
        if (row->pass == like->pass && row->dtype == like->dtype && row->gflops[p] > 0) return true;
    return false;
}

/* Of those peers that do any. */
static void print_table(const linear_list *list, size_t n, const linear_row *rows, const linear_row *like) {
    linear_list some = {.n = 0};
    size_t from[MAX_LINEAR_PEERS];
    for (size_t p = 0; p < list->n; p++) {
        if (!has_cases(n, rows, like, p)) continue;
        some.n_own += p < list->n_own;
        from[some.n] = p;
        some.peer[some.n++] = list->peer[p];
    }
    static linear_row cases[MAX_LINEAR_ROWS];
    size_t n_cases = 0;
    for (const linear_row *row = rows; row < rows + n; row++) {
        if (row->pass != like->pass || row->dtype != like->dtype) continue;
        linear_row *copy = &cases[n_cases++];
        *copy = *row;
        for (size_t p = 0; p < some.n; p++) copy->gflops[p] = row->gflops[from[p]];
    }
    printf("| | rows |");
    for (size_t p = 0; p < some.n; p++) printf(" %s |", some.peer[p].name);
    printf("\n| --- | --- |");
    for (size_t p = 0; p < some.n; p++) printf(" --- |");
    printf("\n");
    for (size_t i = 0; i < n_cases; i++) print_row(&some, &cases[i]);
    print_mean(&some, n_cases, cases, like, true);
    print_mean(&some, n_cases, cases, like, false);
}

void linear_print(const linear_list *list, unsigned threads, size_t n, const linear_row *rows) {
    printf("%s, %.2f GHz and %.0f GFLOP/s of f32 measured\n", bench_cpu_name(), bench_clock_ghz(),
           bench_peak_gflops(gelu_isa_name()));
    for (gelu_dtype dtype = GELU_F32; dtype <= GELU_BF16; dtype += GELU_BF16 - GELU_F32)
        for (linear_pass pass = LINEAR_PLAIN; pass < (dtype == GELU_F32 ? N_PASSES : LINEAR_BACKWARD); pass++) {
            const linear_row like = {.pass = pass, .dtype = dtype};
            printf("\n%s, %s, %u thread%s: GFLOP/s, share of the peak of f32 (libgelu so many times faster)\n\n",
                   titles[pass], gelu_dtype_name(dtype), threads, threads == 1 ? "" : "s");
            print_table(list, n, rows, &like);
        }
}
