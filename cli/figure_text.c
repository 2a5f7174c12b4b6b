/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _DEFAULT_SOURCE

#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"
#include "figure.h"

figure_terminal figure_terminal_of(FILE *stream) {
    struct winsize size;
    figure_terminal terminal = {.width = 80, .colours = *cli_plain(stream) != '\0'};
    if (isatty(fileno(stream)) && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        terminal.width = size.ws_col;
    setlocale(LC_CTYPE, "");
    terminal.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
    return terminal;
}

static const struct {
    char letter;
    int colour;
} styles[FIGURE_N_STYLES] = {
    [GELU_IDENTITY] = {'i', 39}, [GELU_RELU] = {'r', 31}, [GELU_ERF] = {'e', 34}, [GELU_TANH] = {'t', 33},
    [GELU_QUICK] = {'q', 32},    [GELU_SILU] = {'s', 35}, [GELU_ELU] = {'l', 36}, [FIGURE_GREY] = {'.', 90},
};

enum { SEVERAL = '*', FILLING = '#' };
enum { LABELS = 10, MOST_TICKS = 32, LEAST_WIDTH = 40, MOST_WIDTH = 160 };
enum { DOT_COLUMNS = 2, DOT_ROWS = 4 }; /* dots of a character of braille */

typedef struct {
    char mark;          /* 0: empty */
    unsigned char dots; /* of braille */
    int style;
} cell;

typedef struct {
    size_t columns, rows;
    bool letters, colours, utf8;
    double x_min, x_max, y_min, y_max; /* logarithms on logarithmic axes */
    bool log_x, log_y;
    cell *cells; /* (rows, columns) */
} canvas;

/* ---- Marks ---- */

static double horizontal(const canvas *canvas, double x) {
    double dots = (double)(canvas->letters ? canvas->columns : DOT_COLUMNS * canvas->columns) - 1;
    return ((canvas->log_x ? log10(x) : x) - canvas->x_min) / (canvas->x_max - canvas->x_min) * dots;
}

/* From the top. */
static double vertical(const canvas *canvas, double y) {
    double dots = (double)(canvas->letters ? canvas->rows : DOT_ROWS * canvas->rows) - 1;
    return (canvas->y_max - (canvas->log_y ? log10(y) : y)) / (canvas->y_max - canvas->y_min) * dots;
}

/* A dot of braille, or a letter. */
static void mark(canvas *canvas, double column, double row, int style, char letter) {
    static const unsigned char bits[DOT_ROWS][DOT_COLUMNS] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
    long c = lround(column), r = lround(row);
    long across = canvas->letters ? 1 : DOT_COLUMNS, down = canvas->letters ? 1 : DOT_ROWS;
    if (c < 0 || r < 0 || c >= across * (long)canvas->columns || r >= down * (long)canvas->rows) return;
    cell *cell = &canvas->cells[(size_t)(r / down) * canvas->columns + (size_t)(c / across)];
    if (!canvas->letters) cell->dots |= bits[r % DOT_ROWS][c % DOT_COLUMNS];
    if (cell->mark && cell->mark != letter && cell->mark != FILLING && letter != FILLING) letter = SEVERAL;
    cell->mark = letter;
    cell->style = style;
}

static double limit(double value, double most) { return fmin(fmax(value, -most), 2 * most); }

static void draw_curve(canvas *canvas, const figure_line *line) {
    double most_x = DOT_COLUMNS * (double)canvas->columns, most_y = DOT_ROWS * (double)canvas->rows;
    double before_x = NAN, before_y = NAN;
    for (size_t i = 0; i < line->n; i++) {
        double x = limit(horizontal(canvas, line->x[i]), most_x), y = vertical(canvas, line->y[i]);
        if (isfinite(y)) y = limit(y, most_y);
        bool broken = !isfinite(before_y) || !isfinite(y);
        double steps = broken ? 0 : ceil(fmax(fabs(x - before_x), fabs(y - before_y)));
        for (double step = 1; step < steps; step++) {
            double share = step / steps;
            mark(canvas, before_x + share * (x - before_x), before_y + share * (y - before_y), line->style,
                 styles[line->style].letter);
        }
        if (isfinite(y)) mark(canvas, x, y, line->style, styles[line->style].letter);
        before_x = x;
        before_y = y;
    }
}

static void fill(canvas *canvas, const figure_line *line) {
    double half = line->n > 1 ? (line->x[1] - line->x[0]) / 2 : 0;
    double bottom = (double)(canvas->letters ? canvas->rows : DOT_ROWS * canvas->rows) - 1;
    for (size_t i = 0; i < line->n; i++) {
        double y = vertical(canvas, line->y[i]);
        if (!isfinite(y) || line->y[i] <= 0) continue;
        double from = ceil(horizontal(canvas, line->x[i] - half)), to = horizontal(canvas, line->x[i] + half);
        for (double x = from; x < to || x == from; x++)
            for (double row = bottom; row >= fmax(round(y), 0); row--) mark(canvas, x, row, line->style, FILLING);
    }
}

/* ---- Printing ---- */

static void print_colour(const canvas *canvas, int style, FILE *stream) {
    if (canvas->colours) fprintf(stream, "\033[%dm", styles[style].colour);
}

static void print_plain(const canvas *canvas, FILE *stream) {
    if (canvas->colours) fputs("\033[0m", stream);
}

static void print_braille(unsigned char dots, FILE *stream) {
    fprintf(stream, "\xE2%c%c", 0xA0 | dots >> 6, 0x80 | (dots & 0x3F)); /* U+2800 + dots */
}

static void print_cell(const canvas *canvas, size_t row, size_t column, long zero_row, long zero_column, FILE *stream) {
    const cell *cell = &canvas->cells[row * canvas->columns + column];
    bool on_row = (long)row == zero_row, on_column = (long)column == zero_column;
    if (cell->mark) {
        print_colour(canvas, cell->style, stream);
        if (canvas->letters)
            fputc(cell->mark, stream);
        else
            print_braille(cell->dots, stream);
        print_plain(canvas, stream);
    } else if (on_row || on_column) {
        fputs(!canvas->utf8 ? (on_row && on_column ? "+"
                               : on_row            ? "-"
                                                   : "|")
                            : (on_row && on_column ? "┼"
                               : on_row            ? "─"
                                                   : "│"),
              stream);
    } else {
        fputc(' ', stream);
    }
}

/* Between round numbers, about count of them. */
static double tick_step(double min, double max, double count) {
    double raw = (max - min) / count, power = pow(10, floor(log10(raw))), digit = raw / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

/* The numbers at an axis, places being logarithms on a logarithmic one. */
typedef struct {
    size_t n;
    double at[MOST_TICKS];
    char text[MOST_TICKS][LABELS];
} axis;

static void add_tick(double at, const char *format, double value, axis *axis) {
    if (axis->n == MOST_TICKS) return;
    axis->at[axis->n] = at;
    snprintf(axis->text[axis->n++], LABELS, format, value);
}

static void make_axis(double min, double max, double count, bool log, axis *axis) {
    axis->n = 0;
    if (log && max - min < log10(FIGURE_SHORT)) {
        double ticks[FIGURE_MAX_TICKS];
        size_t n = figure_ticks(true, pow(10, min), pow(10, max), ticks);
        for (size_t i = 0; i < n; i++) add_tick(log10(ticks[i]), "%.3g", ticks[i], axis);
        return;
    }
    double step = log ? fmax(1, ceil((max - min) / count - 1e-9)) : tick_step(min, max, count);
    for (double i = ceil(min / step - 1e-9) + 0.0; step * i <= max + 1e-9 * step; i++) /* no -0 */
        add_tick(step * i, log ? "1e%.0f" : "%.3g", step * i, axis);
}

static const char *label_of_row(const canvas *canvas, const axis *axis, size_t row) {
    double down = (double)(canvas->rows - 1) / (canvas->y_max - canvas->y_min);
    for (size_t i = 0; i < axis->n; i++)
        if (lround((canvas->y_max - axis->at[i]) * down) == (long)row) return axis->text[i];
    return "";
}

static void print_x_labels(const canvas *canvas, FILE *stream) {
    char line[LABELS + MOST_WIDTH + LABELS];
    axis axis;
    memset(line, ' ', sizeof line);
    double width = (canvas->x_max - canvas->x_min) / (double)(canvas->columns - 1);
    make_axis(canvas->x_min, canvas->x_max, (double)canvas->columns / 9, canvas->log_x, &axis);
    size_t end = 0;
    for (size_t i = 0; i < axis.n; i++) {
        size_t length = strlen(axis.text[i]), middle = LABELS + (size_t)lround((axis.at[i] - canvas->x_min) / width);
        size_t at = middle - length / 2;
        if (end > 0 && at <= end) continue;
        memcpy(line + at, axis.text[i], length);
        end = at + length;
    }
    fprintf(stream, "%.*s\n", (int)end, line);
}

static void print_key(const figure_panel *panel, const canvas *canvas, FILE *stream) {
    size_t curves = 0;
    for (size_t l = 0; l < panel->n_lines; l++) curves += panel->lines[l].name[0] != '\0';
    if (curves == 0) return;
    fprintf(stream, "%*s", LABELS, "");
    for (size_t l = 0; l < panel->n_lines; l++) {
        const figure_line *line = &panel->lines[l];
        if (!line->name[0]) continue;
        print_colour(canvas, line->style, stream);
        if (!canvas->letters)
            fputs(line->kind == FIGURE_FILLED ? "⣿⣿" : "⠒⠒", stream);
        else
            fputc(line->kind == FIGURE_FILLED ? FILLING : styles[line->style].letter, stream);
        print_plain(canvas, stream);
        fprintf(stream, " %s   ", line->name);
    }
    if (canvas->letters && curves > 1) fprintf(stream, "%c several", SEVERAL);
    fputc('\n', stream);
}

static void print_canvas(const canvas *canvas, FILE *stream) {
    long zero_row = -1, zero_column = -1;
    double across = (double)(canvas->columns - 1) / (canvas->x_max - canvas->x_min);
    double down = (double)(canvas->rows - 1) / (canvas->y_max - canvas->y_min);
    if (!canvas->log_y && canvas->y_min <= 0 && canvas->y_max >= 0) zero_row = lround(canvas->y_max * down);
    if (!canvas->log_x && canvas->x_min < 0 && canvas->x_max > 0) zero_column = lround(-canvas->x_min * across);
    axis axis;
    make_axis(canvas->y_min, canvas->y_max, (double)canvas->rows / (canvas->log_y ? 2 : 4), canvas->log_y, &axis);
    for (size_t row = 0; row < canvas->rows; row++) {
        fprintf(stream, "%*s%s", LABELS - 1, label_of_row(canvas, &axis, row), canvas->utf8 ? "┤" : "|");
        for (size_t column = 0; column < canvas->columns; column++)
            print_cell(canvas, row, column, zero_row, zero_column, stream);
        fputc('\n', stream);
    }
    print_x_labels(canvas, stream);
}

static bool print_panel(const figure_panel *panel, const figure_terminal *terminal, size_t rows, bool key,
                        FILE *stream) {
    size_t width = terminal->width < LEAST_WIDTH ? LEAST_WIDTH : terminal->width;
    canvas canvas = {.rows = rows, .colours = terminal->colours, .utf8 = terminal->utf8};
    canvas.columns = (width > MOST_WIDTH ? MOST_WIDTH : width) - LABELS - 1;
    canvas.letters = !terminal->utf8 || (panel->n_lines > 1 && !terminal->colours);
    canvas.cells = calloc(rows * canvas.columns, sizeof *canvas.cells);
    if (!canvas.cells) return false;
    figure_x_range(panel, &canvas.x_min, &canvas.x_max);
    figure_y_range(panel, &canvas.y_min, &canvas.y_max);
    canvas.log_x = panel->log_x;
    canvas.log_y = panel->log_y;
    if (panel->log_x) canvas.x_min = log10(canvas.x_min), canvas.x_max = log10(canvas.x_max);
    if (panel->log_y) canvas.y_min = log10(canvas.y_min), canvas.y_max = log10(canvas.y_max);
    for (size_t l = 0; l < panel->n_lines; l++)
        if (panel->lines[l].kind == FIGURE_FILLED) fill(&canvas, &panel->lines[l]);
    for (size_t l = panel->n_lines; l-- > 0;)
        if (panel->lines[l].kind != FIGURE_FILLED) draw_curve(&canvas, &panel->lines[l]);
    fprintf(stream, "%s%s%s\n", panel->title, panel->title[0] ? "; up: " : "Up: ", panel->y_label);
    if (key) print_key(panel, &canvas, stream);
    print_canvas(&canvas, stream);
    if (panel->x_label[0]) fprintf(stream, "%*sAcross: %s\n", LABELS, "", panel->x_label);
    free(canvas.cells);
    return true;
}

bool figure_print_text(const figure *figure, const figure_terminal *terminal, FILE *stream) {
    size_t rows = figure->n_panels == 1 ? 22 : figure->n_panels == 2 ? 15 : 11;
    const char *bold = terminal->colours ? cli_bold(stream) : "", *plain = terminal->colours ? cli_plain(stream) : "";
    if (figure->title[0]) fprintf(stream, "%s%s%s\n", bold, figure->title, plain);
    for (size_t p = 0; p < figure->n_panels; p++)
        if (!print_panel(&figure->panels[p], terminal, rows, p == 0 || !figure->one_key, stream)) return false;
    return true;
}
