/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "compare_print.h"

#include <math.h>
#include <string.h>

#include "cli.h"
#include "gelu_io.h"

static const char *const columns[COMPARE_ACTS] = {"ReLU", "GELU", "tanh", "quick", "SiLU"};
enum { MEASURE = 62, COLUMN = 10, LINE = MEASURE + COMPARE_ACTS * COLUMN };

const char *compare_figure_text(double value, char text[24]) {
    snprintf(text, 24, isnan(value) ? "-" : "%.4g", value);
    return text;
}

void compare_print_head(FILE *stream) {
    fprintf(stream, "%s%-*s", cli_bold(stream), MEASURE, "claim, and what was measured");
    for (int a = 0; a < COMPARE_ACTS; a++) fprintf(stream, "%*s", COLUMN, columns[a]);
    fprintf(stream, "%s\n", cli_plain(stream));
}

/* From column on, broken between words, each further line after indent spaces. */
static void print_wrapped(const char *text, int column, int indent, FILE *stream) {
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (column + 1 + length > LINE)
            column = fprintf(stream, "\n%*s%.*s", indent, "", length, text) - 1;
        else
            column += fprintf(stream, " %.*s", length, text);
        text += length + (text[length] == ' ');
    }
}

void compare_print_claim(const compare_claim *claim, FILE *stream) {
    const char *colour = claim->verdict == COMPARE_HOLDS   ? cli_green(stream)
                         : claim->verdict == COMPARE_FAILS ? cli_red(stream)
                                                           : cli_bold(stream);
    fprintf(stream, "\n%s%s%s\n", cli_bold(stream), claim->claim, cli_plain(stream));
    for (size_t r = 0; r < claim->n_rows; r++) {
        char text[24];
        fprintf(stream, "  %-*s", MEASURE - 2, claim->rows[r].measure);
        for (int a = 0; a < COMPARE_ACTS; a++)
            fprintf(stream, " %*s", COLUMN - 1, compare_figure_text(claim->rows[r].values[a], text));
        fputc('\n', stream);
    }
    fprintf(stream, "  %s%s%s: %s", colour, compare_verdict_name(claim->verdict), cli_plain(stream), claim->because);
    int column = fprintf(stream, "\n  rule:") - 1;
    print_wrapped(claim->rule, column, 4, stream);
    fputc('\n', stream);
    fflush(stream);
}

static void print_quoted(const char *text, FILE *stream) {
    fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"') fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

void compare_print_csv_head(FILE *stream) {
    fputs("claim,key,measure", stream);
    for (int a = 0; a < COMPARE_ACTS; a++) fprintf(stream, ",%s", gelu_act_name(compare_acts[a]));
    fputs(",verdict\n", stream);
}

void compare_print_csv(const compare_claim *claim, FILE *stream) {
    for (size_t r = 0; r < claim->n_rows; r++) {
        fprintf(stream, "%s,%s,", claim->key, claim->rows[r].key);
        print_quoted(claim->rows[r].measure, stream);
        for (int a = 0; a < COMPARE_ACTS; a++) {
            char text[40];
            gelu_format_shortest(GELU_F64, &claim->rows[r].values[a], text);
            fprintf(stream, ",%s", text);
        }
        fprintf(stream, ",%s\n", compare_verdict_name(claim->verdict));
    }
    fflush(stream);
}

void compare_say_how_long(const char *what, double seconds, bool always) {
    if (seconds > 60 || always)
        fprintf(stderr, "%sabout %.3g %s\n", what, seconds < 7200 ? seconds / 60 : seconds / 3600,
                seconds < 7200 ? "minutes" : "hours");
}
