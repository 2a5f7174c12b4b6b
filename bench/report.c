/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <inttypes.h>
#include <string.h>

#include "bench.h"

static const char *row_name(const bench_row *row) {
    switch (row->what) {
    case BENCH_MEMCPY: return "memcpy";
    case BENCH_RELU_LOOP: return "relu-loop";
    default: return gelu_act_name(row->act);
    }
}

static const char *size_name(size_t n, char text[24]) {
    static const char *const units[] = {"", "Ki", "Mi", "Gi"};
    int unit = 0;
    for (; unit < 3 && n % 1024 == 0 && n > 0; unit++) n /= 1024;
    snprintf(text, 24, "%zu%s", n, units[unit]);
    return text;
}

void bench_print_header(FILE *stream, bench_format format) {
    if (format == BENCH_CSV)
        fputs("op,act,dtype,isa,size,input,threads,samples,ns_per_elem,clocks_per_elem,gb_per_s,times_memcpy,"
              "times_relu,ghz\n",
              stream);
    else
        fprintf(stream, "%-13s %-9s %-8s %-11s %-6s %-12s %9s %9s %7s %8s %8s\n", "operation", "function", "dtype",
                "isa", "size", "input", "ns/elem", "clocks", "GB/s", "x memcpy", "x ReLU");
}

void bench_print_rows(FILE *stream, bench_format format, size_t n, const bench_row *rows) {
    double ghz = bench_clock_ghz();
    for (const bench_row *row = rows; row < rows + n; row++) {
        const bench_group *group = row->group;
        const char *dtype = group->type->name;
        char size[24];
        size_name(group->n, size);
        if (format == BENCH_CSV)
            fprintf(stream, "%s,%s,%s,%s,%zu,%s,%u,%" PRIu64 ",%.5f,%.4f,%.5f,%.4f,%.4f,%.4f\n", group->op->name,
                    row_name(row), dtype, row->isa, group->n, group->input->name, group->threads, row->samples, row->ns,
                    row->ns * ghz, row->gbytes, row->per_memcpy, row->per_relu, ghz);
        else
            fprintf(stream, "%-13s %-9s %-8s %-11s %-6s %-12s %9.4f %9.3f %7.2f %8.2f %8.2f\n", group->op->name,
                    row_name(row), dtype, row->isa, size, group->input->name, row->ns, row->ns * ghz, row->gbytes,
                    row->per_memcpy, row->per_relu);
    }
    fflush(stream);
}

/* ---- All columns side by side: the sizes; or, when there is only one size, the inputs ---- */

static bool has_one_size(const bench_row *rows, const bench_row *end) {
    for (const bench_row *row = rows; row < end; row++)
        if (row->group->n != rows->group->n) return false;
    return true;
}

/* Rows that differ in what the columns show make one line of a table. */
typedef bool is_same(const bench_row *a, const bench_row *b);

static bool same_type(const bench_row *a, const bench_row *b) {
    return a->group->op == b->group->op && a->group->type == b->group->type;
}

static bool same_input(const bench_row *a, const bench_row *b) {
    return same_type(a, b) && a->group->input == b->group->input;
}

static bool same_function(const bench_row *a, const bench_row *b) {
    return a->what == b->what && !strcmp(a->isa, b->isa) && (a->what != BENCH_LIBRARY || a->act == b->act);
}

static bool same_line(const bench_row *a, const bench_row *b) { return same_input(a, b) && same_function(a, b); }

static bool same_line_of_inputs(const bench_row *a, const bench_row *b) {
    return same_type(a, b) && same_function(a, b);
}

static bool is_first(const bench_row *row, const bench_row *rows, is_same *same) {
    for (const bench_row *other = rows; other < row; other++)
        if (same(other, row)) return false;
    return true;
}

static void print_markdown_head(FILE *stream, const bench_row *first, const bench_row *end, bool one_size,
                                is_same *on_line) {
    const bench_group *group = first->group;
    char size[24];
    fprintf(stream, "\n%s, %s, %s, %u thread%s: times the ReLU loop (ns per element; clocks per element)\n\n| |",
            group->op->name, group->type->name, one_size ? size_name(group->n, size) : group->input->name,
            group->threads, group->threads == 1 ? "" : "s");
    int columns = 0;
    for (const bench_row *row = first; row < end; row++)
        if (on_line(first, row)) {
            fprintf(stream, " %s |", one_size ? row->group->input->name : size_name(row->group->n, size));
            columns++;
        }
    fputs("\n| --- |", stream);
    for (int i = 0; i < columns; i++) fputs(" --- |", stream);
    fputc('\n', stream);
}

static void print_markdown_line(FILE *stream, const bench_row *first, const bench_row *end, is_same *on_line) {
    if (first->what == BENCH_MEMCPY)
        fputs("| memcpy |", stream);
    else if (first->what == BENCH_RELU_LOOP)
        fprintf(stream, "| ReLU loop, %s |", first->isa);
    else
        fprintf(stream, "| **%s**, %s |", row_name(first), first->isa);
    for (const bench_row *row = first; row < end; row++)
        if (on_line(first, row))
            fprintf(stream, " %.2f (%.3f; %.2f) |", row->per_relu, row->ns, row->ns * bench_clock_ghz());
    fputc('\n', stream);
}

void bench_print_markdown(FILE *stream, size_t n, const bench_row *rows) {
    const bench_row *end = rows + n;
    bool one_size = has_one_size(rows, end);
    is_same *in_table = one_size ? same_type : same_input, *on_line = one_size ? same_line_of_inputs : same_line;
    fprintf(stream, "%s, %.2f GHz measured; libgelu %s\n", bench_cpu_name(), bench_clock_ghz(), gelu_version());
    for (const bench_row *table = rows; table < end; table++) {
        if (!is_first(table, rows, in_table)) continue;
        print_markdown_head(stream, table, end, one_size, on_line);
        for (const bench_row *line = table; line < end; line++)
            if (in_table(table, line) && is_first(line, rows, on_line)) print_markdown_line(stream, line, end, on_line);
    }
}

void bench_print_gnuplot(FILE *stream, size_t n, const bench_row *rows) {
    const bench_row *end = rows + n;
    fputs("set terminal png size 1200,800\n"
          "set logscale x 2\nset format x '%.0b%Bi'\nset logscale y\nset grid\nset key outside right noenhanced\n"
          "set xlabel 'elements'\nset ylabel 'ns per element'\n",
          stream);
    fprintf(stream, "set title \"libgelu %s, %.2f GHz\"\n", gelu_version(), bench_clock_ghz());
    const char *separator = "plot ";
    for (const bench_row *line = rows; line < end; line++) {
        if (!is_first(line, rows, same_line)) continue;
        fprintf(stream, "%s'-' using 1:2 with linespoints title '%s %s %s %s %s'", separator, line->group->op->name,
                row_name(line), line->group->type->name, line->isa, line->group->input->name);
        separator = ", ";
    }
    fputc('\n', stream);
    for (const bench_row *line = rows; line < end; line++) {
        if (!is_first(line, rows, same_line)) continue;
        for (const bench_row *row = line; row < end; row++)
            if (same_line(line, row)) fprintf(stream, "%zu %.6f\n", row->group->n, row->ns);
        fputs("e\n", stream);
    }
}
