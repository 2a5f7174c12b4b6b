/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <inttypes.h>
#include <string.h>

#include "layer.h"

static const char *layer_name(const bench_layer_group *group) {
    static const char *const names[] = {"up", "down", "ffn"};
    return names[group->layer];
}

static const char *pass_name(const bench_layer_group *group) { return group->backward ? "backward" : "forward"; }

/* A layer without an activation has IDENTITY in its rows. */
static const char *act_name(const bench_layer_row *row, char text[16]) {
    snprintf(text, 16, "%s%s", row->fast ? "fast-" : "", gelu_act_name(row->act));
    return row->act == GELU_IDENTITY ? "-" : text;
}

void bench_layer_print_header(FILE *stream, bench_format format) {
    if (format == BENCH_CSV)
        fputs(
            "layer,shape,in,out,rows,pass,act,dtype,isa,threads,samples,us_per_call,gflops,peak_gflops,of_peak,in_act,"
            "ghz\n",
            stream);
    else
        fprintf(stream, "%-5s %-16s %5s %-8s %-10s %-12s %-11s %12s %9s %8s %7s\n", "layer", "shape", "rows", "pass",
                "function", "dtype", "isa", "us/call", "GFLOP/s", "of peak", "in act");
}

void bench_layer_print_rows(FILE *stream, bench_format format, size_t n, const bench_layer_row *rows) {
    for (const bench_layer_row *row = rows; row < rows + n; row++) {
        const bench_layer_group *group = row->group;
        const bench_shape *shape = group->shape;
        bool is_down = group->layer == BENCH_DOWN;
        char act[16];
        if (format == BENCH_CSV)
            fprintf(stream, "%s,%s,%zu,%zu,%zu,%s,%s,%s,%s,%u,%" PRIu64 ",%.4f,%.4f,%.4f,%.5f,%.5f,%.4f\n",
                    layer_name(group), shape->name, is_down ? shape->d_ff : shape->d_model,
                    is_down ? shape->d_model : shape->d_ff, group->rows, pass_name(group), act_name(row, act),
                    group->arithmetic->name, row->isa, group->threads, row->samples, 1e6 * row->seconds, row->gflops,
                    bench_peak_gflops(row->isa), row->of_peak, row->in_act, bench_clock_ghz());
        else
            fprintf(stream, "%-5s %-16s %5zu %-8s %-10s %-12s %-11s %12.2f %9.2f %8.3f %5.1f %%\n", layer_name(group),
                    shape->name, group->rows, pass_name(group), act_name(row, act), group->arithmetic->name, row->isa,
                    1e6 * row->seconds, row->gflops, row->of_peak, 100 * row->in_act);
    }
    fflush(stream);
}

/* ---- The numbers of rows side by side ---- */

typedef bool is_same(const bench_layer_row *a, const bench_layer_row *b);

static bool same_table(const bench_layer_row *a, const bench_layer_row *b) {
    bool a_is_ffn = a->group->layer == BENCH_FFN, b_is_ffn = b->group->layer == BENCH_FFN;
    return a_is_ffn == b_is_ffn && a->group->backward == b->group->backward &&
           a->group->arithmetic == b->group->arithmetic;
}

static bool same_line(const bench_layer_row *a, const bench_layer_row *b) {
    return same_table(a, b) && a->group->layer == b->group->layer && a->group->shape == b->group->shape &&
           a->act == b->act && a->fast == b->fast && !strcmp(a->isa, b->isa);
}

static bool is_first(const bench_layer_row *row, const bench_layer_row *rows, is_same *same) {
    for (const bench_layer_row *other = rows; other < row; other++)
        if (same(other, row)) return false;
    return true;
}

static void print_head(FILE *stream, const bench_layer_row *first, const bench_layer_row *end) {
    const bench_layer_group *group = first->group;
    fprintf(stream, "\n%s %s, %s, %u thread%s: GFLOP/s (share of the peak; share of the time in the activation)\n\n",
            group->layer == BENCH_FFN ? "Feed-forward" : "Linear", pass_name(group), group->arithmetic->name,
            group->threads, group->threads == 1 ? "" : "s");
    int columns = 0;
    fputs("| | | |", stream);
    for (const bench_layer_row *row = first; row < end; row++)
        if (same_line(first, row)) {
            fprintf(stream, " %zu row%s |", row->group->rows, row->group->rows == 1 ? "" : "s");
            columns++;
        }
    fputs("\n| --- | --- | --- |", stream);
    for (int i = 0; i < columns; i++) fputs(" --- |", stream);
    fputc('\n', stream);
}

static void print_line(FILE *stream, const bench_layer_row *first, const bench_layer_row *end) {
    const bench_layer_group *group = first->group;
    const bench_shape *shape = group->shape;
    bool is_down = group->layer == BENCH_DOWN;
    char act[16];
    fprintf(stream, "| %s, %zu %s %zu | %s | %s |", shape->name, is_down ? shape->d_ff : shape->d_model,
            group->layer == BENCH_FFN ? "and" : "to", is_down ? shape->d_model : shape->d_ff, act_name(first, act),
            first->isa);
    for (const bench_layer_row *row = first; row < end; row++) {
        if (!same_line(first, row)) continue;
        fprintf(stream, " %.1f (", row->gflops);
        fprintf(stream, row->of_peak > 0 ? "%.2f" : "-", row->of_peak);
        if (row->identity > 0) fprintf(stream, "; %.1f %%", 100 * row->in_act);
        fputs(") |", stream);
    }
    fputc('\n', stream);
}

void bench_layer_print_markdown(FILE *stream, size_t n, const bench_layer_row *rows) {
    const bench_layer_row *end = rows + n;
    fprintf(stream, "%s, %.2f GHz measured; libgelu %s; peak of f32:", bench_cpu_name(), bench_clock_ghz(),
            gelu_version());
    for (size_t i = 0; gelu_isa_available(i); i++)
        if (bench_peak_gflops(gelu_isa_available(i)) > 0)
            fprintf(stream, " %s %.1f GFLOP/s", gelu_isa_available(i), bench_peak_gflops(gelu_isa_available(i)));
    fputc('\n', stream);
    for (const bench_layer_row *table = rows; table < end; table++) {
        if (!is_first(table, rows, same_table)) continue;
        print_head(stream, table, end);
        for (const bench_layer_row *line = table; line < end; line++)
            if (same_table(table, line) && is_first(line, rows, same_line)) print_line(stream, line, end);
    }
}
