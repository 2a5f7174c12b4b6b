/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <math.h>
#include <stdio.h>

#include "linear.h"

static const char *const titles[N_PASSES] = {"Linear", "Linear and GELU (erf)", "Backward (dX and dW)"};
enum { FEW_ROWS = 8, LIBGELU = 0 };

/* Of these rows, how many times faster libgelu is than peer p; than the best of all when p is LIBGELU. 0: no case. */
static double geometric_mean(const linear_list *list, size_t n, const linear_row *rows, const linear_row *like,
                             size_t p, bool few) {
    double sum = 0;
    int cases = 0;
    for (const linear_row *row = rows; row < rows + n; row++) {
        if (row->pass != like->pass || row->dtype != like->dtype || (row->rows <= FEW_ROWS) != few) continue;
        double other = row->gflops[p];
        for (size_t q = 1; p == LIBGELU && q < list->n; q++)
            if (q == 1 || row->gflops[q] > other) other = row->gflops[q];
        if (other == 0 || row->gflops[LIBGELU] == 0) continue;
        sum += log(row->gflops[LIBGELU] / other);
        cases++;
    }
    return cases ? exp(sum / cases) : 0;
}

static void print_mean(const linear_list *list, size_t n, const linear_row *rows, const linear_row *like, bool few) {
    printf("| geometric mean, %s rows | |", few ? "1 and 8" : "128 and 512");
    for (size_t p = 0; p < list->n; p++) {
        double mean = geometric_mean(list, n, rows, like, p, few);
        if (mean == 0)
            printf(" |");
        else
            printf(p == LIBGELU ? " %.2f times the best |" : " (%.2f) |", mean);
    }
    printf("\n");
}

static void print_row(const linear_list *list, const linear_row *row) {
    double own = row->gflops[LIBGELU], peak = bench_peak_gflops(gelu_isa_name());
    printf("| %s, %zu to %zu | %zu |", row->shape, row->in, row->out, row->rows);
    for (size_t p = 0; p < list->n; p++) {
        double gflops = row->gflops[p];
        if (gflops == 0)
            printf(" |");
        else if (p == LIBGELU || own == 0)
            printf(" %.1f, %.2f |", gflops, gflops / peak);
        else
            printf(" %.1f, %.2f (%.2f) |", gflops, gflops / peak, own / gflops);
    }
    printf("\n");
}

static bool is_empty(const linear_list *list, size_t n, const linear_row *rows, linear_pass pass, gelu_dtype dtype) {
    for (const linear_row *row = rows; row < rows + n; row++)
        for (size_t p = 0; p < list->n && row->pass == pass && row->dtype == dtype; p++)
            if (row->gflops[p] > 0) return false;
    return true;
}

void linear_print(const linear_list *list, unsigned threads, size_t n, const linear_row *rows) {
    printf("%s, %.2f GHz and %.0f GFLOP/s of f32 measured\n", bench_cpu_name(), bench_clock_ghz(),
           bench_peak_gflops(gelu_isa_name()));
    for (gelu_dtype dtype = GELU_F32; dtype <= GELU_BF16; dtype += GELU_BF16 - GELU_F32)
        for (linear_pass pass = LINEAR_PLAIN; pass < N_PASSES; pass++) {
            if (is_empty(list, n, rows, pass, dtype)) continue;
            linear_row like = {.pass = pass, .dtype = dtype};
            printf(
                "\n%s, %s, %u thread%s: GFLOP/s, share of the peak of f32 (libgelu so many times faster)\n\n| | rows |",
                titles[pass], gelu_dtype_name(dtype), threads, threads == 1 ? "" : "s");
            for (size_t p = 0; p < list->n; p++) printf(" %s |", list->peer[p].name);
            printf("\n| --- | --- |");
            for (size_t p = 0; p < list->n; p++) printf(" --- |");
            printf("\n");
            for (const linear_row *row = rows; row < rows + n; row++)
                if (row->pass == pass && row->dtype == dtype) print_row(list, row);
            print_mean(list, n, rows, &like, true);
            print_mean(list, n, rows, &like, false);
        }
}
