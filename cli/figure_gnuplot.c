/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <string.h>
#include <strings.h>

#include "figure.h"

bool figure_format_of(const char *path, figure_format *out) {
    static const char *const ends[] = {".png", ".svg", ".pdf"};
    size_t length = strlen(path);
    for (int i = 0; i < 3; i++)
        if (length > 4 && !strcasecmp(path + length - 4, ends[i])) {
            *out = (figure_format)i;
            return true;
        }
    return false;
}

/* Colours that colour-blind readers tell apart (Okabe and Ito's), and dashes for those who see none. */
static const struct {
    const char *colour, *dashes;
    double width;
} styles[FIGURE_N_STYLES] = {
    [GELU_IDENTITY] = {"#000000", "(2,6)", 2},   [GELU_RELU] = {"#D55E00", "(14,5)", 2},
    [GELU_ERF] = {"#0072B2", "solid", 2.6},      [GELU_TANH] = {"#E69F00", "(5,5)", 2},
    [GELU_QUICK] = {"#009E73", "(14,5,2,5)", 2}, [GELU_SILU] = {"#CC79A7", "(8,3)", 2},
    [GELU_ELU] = {"#56B4E9", "(3,4)", 2.4},      [FIGURE_GREY] = {"#777777", "solid", 1},
};

static bool is_minus(const char *text, const char *at) {
    return *at == '-' && at > text && at[-1] == ' ' && (at[1] == ' ' || (at[1] >= '0' && at[1] <= '9'));
}

/* A text in single quotes, in which gnuplot takes nothing for a command. Quotes come out as primes. */
static void print_quoted(const char *text, FILE *stream) {
    fputc('\'', stream);
    for (const char *at = text; *at; at++) {
        if (at[0] == '\'' && at[1] == '\'')
            fputs("″", stream), at++;
        else if (*at == '\'')
            fputs("′", stream);
        else if (is_minus(text, at))
            fputs("−", stream);
        else
            fputc((unsigned char)*at < 0x20 || *at == 0x7f ? '?' : *at, stream);
    }
    fputc('\'', stream);
}

static void print_setting(const char *setting, const char *text, const char *rest, FILE *stream) {
    fprintf(stream, "set %s ", setting);
    print_quoted(text, stream);
    fprintf(stream, " %s\n", rest);
}

/* ---- Places, in pixels of a picture that is 800 wide ---- */

enum {
    WIDTH = 800,
    LEFT = 88,
    WIDE_LEFT = 112,
    RIGHT = 24,
    TITLE = 44,
    KEY_LINE = 24,
    PANEL_TITLE = 30,
    X_AXIS = 58,
    KEY_COLUMNS = 3
};

static size_t key_lines(const figure_panel *panel) {
    size_t longest = 0, columns = KEY_COLUMNS, shown = 0;
    for (size_t l = 0; l < panel->n_lines; l++) {
        size_t length = strlen(panel->lines[l].name);
        if (length > longest) longest = length;
        shown += length > 0;
    }
    if (longest > 24) columns = 1;
    return (shown + columns - 1) / columns;
}

static size_t space_above(const figure *figure, size_t p) {
    const figure_panel *panel = &figure->panels[p];
    size_t above = panel->title[0] ? PANEL_TITLE : 12;
    if (p == 0 || !figure->one_key) above += KEY_LINE * key_lines(panel);
    return above + (p == 0 && figure->title[0] ? TITLE : 0);
}

/* Powers of ten where plain numbers would be long. */
static bool shows_powers(bool log, double min, double max) { return log && (min < 1e-4 || max > 1e4); }

/* Whether numbers at an axis have more than four characters, as powers of ten have. */
static bool has_long_numbers(bool log, double min, double max) {
    double ticks[FIGURE_MAX_TICKS] = {pow(10, ceil(log10(min))), pow(10, floor(log10(max)))};
    if (shows_powers(log, min, max)) return true;
    size_t n = log && max / min >= FIGURE_SHORT ? 2 : figure_ticks(log, min, max, ticks);
    for (size_t i = 0; i < n; i++)
        if (snprintf(NULL, 0, "%.6g", ticks[i]) > 4) return true;
    return false;
}

static int left_margin(const figure *figure) {
    int left = LEFT;
    for (size_t p = 0; p < figure->n_panels; p++) {
        double min, max;
        figure_y_range(&figure->panels[p], &min, &max);
        if (has_long_numbers(figure->panels[p].log_y, min, max)) left = WIDE_LEFT;
    }
    return left;
}

/* A panel without a label below shares the x axis of the next one. */
static size_t space_below(const figure_panel *panel) { return panel->x_label[0] ? X_AXIS : 8; }

static size_t inner_height(const figure *figure) {
    if (figure->n_panels == 1) return 430;
    if (figure->n_panels == 2) return 300;
    return figure->n_panels == 3 ? 240 : 170;
}

static size_t total_height(const figure *figure) {
    size_t height = 0;
    for (size_t p = 0; p < figure->n_panels; p++)
        height += space_above(figure, p) + inner_height(figure) + space_below(&figure->panels[p]);
    return height;
}

/* ---- The program ---- */

static void print_terminal(figure_format format, size_t height, FILE *stream) {
    switch (format) {
    case FIGURE_PNG: /* twice as many pixels, for screens that have them */
        fprintf(stream, "set terminal pngcairo size %d,%zu font 'DejaVu Sans,22' linewidth 2 dashlength 2\n", 2 * WIDTH,
                2 * height);
        break;
    case FIGURE_SVG:
        fprintf(stream,
                "set terminal svg size %d,%zu dynamic font 'DejaVu Sans,Helvetica,Arial,sans-serif,15' "
                "background 'white'\n",
                WIDTH, height);
        break;
    case FIGURE_PDF:
        fprintf(
            stream,
            "set terminal pdfcairo size %.3fin,%.3fin font 'DejaVu Sans,9' fontscale 1 linewidth 1.2 dashlength 1.6\n",
            WIDTH / 96.0, (double)height / 96.0);
        break;
    }
}

static void print_data(const figure *figure, FILE *stream) {
    for (size_t p = 0; p < figure->n_panels; p++)
        for (size_t l = 0; l < figure->panels[p].n_lines; l++) {
            const figure_line *line = &figure->panels[p].lines[l];
            fprintf(stream, "$d%zu_%zu << END\n", p, l);
            for (size_t i = 0; i < line->n; i++)
                if (isfinite(line->y[i]))
                    fprintf(stream, "%.12g %.12g\n", line->x[i], line->y[i]);
                else
                    fputc('\n', stream);
            fputs("END\n", stream);
        }
}

static void print_title(const figure *figure, figure_format format, double height, FILE *stream) {
    static const int sizes[] = {[FIGURE_PNG] = 26, [FIGURE_SVG] = 18, [FIGURE_PDF] = 11};
    char place[80];
    snprintf(place, sizeof place, "at screen 0.54,%.6f center font ',%d' noenhanced", 1 - 0.6 * TITLE / height,
             sizes[format]);
    print_setting("label 2", figure->title, place, stream);
}

static void print_format(char axis, bool log, double min, double max, FILE *stream) {
    fprintf(stream, "set format %c '%s'\n", axis, shows_powers(log, min, max) ? "10^{%T}" : "%g");
}

static void print_ticks(char axis, bool log, bool whole, double min, double max, FILE *stream) {
    double ticks[FIGURE_MAX_TICKS];
    if (whole && max - min < 10) {
        fprintf(stream, "set %ctics 1\n", axis);
    } else if (!log || max / min >= FIGURE_SHORT) {
        fprintf(stream, "set %ctics autofreq\n", axis);
    } else {
        size_t n = figure_ticks(true, min, max, ticks);
        fprintf(stream, "set %ctics (", axis);
        for (size_t i = 0; i < n; i++) fprintf(stream, "%s%.12g", i ? ", " : "", ticks[i]);
        fputs(")\n", stream);
    }
}

static void print_axes(const figure_panel *panel, FILE *stream) {
    double min, max;
    fputs("unset logscale\n", stream); /* or the next range would have to suit the scale of the last panel */
    figure_x_range(panel, &min, &max);
    if (panel->x_label[0])
        print_format('x', panel->log_x, min, max, stream);
    else
        fputs("set format x ''\n", stream);
    fprintf(stream, "set xrange [%.12g:%.12g]\n", min, max);
    print_ticks('x', panel->log_x, panel->whole_x, min, max, stream);
    figure_y_range(panel, &min, &max);
    fprintf(stream, "set yrange [%.12g:%.12g]\n", min, max);
    if (panel->log_x) fputs("set logscale x\n", stream);
    if (panel->log_y) fputs("set logscale y\n", stream);
    print_format('y', panel->log_y, min, max, stream);
    print_ticks('y', panel->log_y, false, min, max, stream);
    print_setting("xlabel", panel->x_label, "noenhanced offset 0,0.3", stream);
    print_setting("ylabel", panel->y_label, "noenhanced", stream);
    fputs("unset label\nunset arrow\n", stream);
    if (panel->title[0])
        print_setting("label 1", panel->title, "at graph 0.5,1 center offset 0,0.8 noenhanced", stream);
    fputs("set arrow 1 from graph 0, first 0 to graph 1, first 0 nohead back lc rgb '#999999' lw 1\n", stream);
    if (panel->log_y || min > 0 || max < 0) fputs("unset arrow 1\n", stream);
    figure_x_range(panel, &min, &max);
    if (!panel->log_x && min < 0 && max > 0)
        fputs("set arrow 2 from first 0, graph 0 to first 0, graph 1 nohead back lc rgb '#999999' lw 1\n", stream);
}

static void print_line(const figure_line *line, size_t p, size_t l, FILE *stream) {
    const char *colour = styles[line->style].colour;
    fprintf(stream, ", $d%zu_%zu using 1:2 ", p, l);
    if (line->kind == FIGURE_FILLED)
        fprintf(stream, "with boxes fillcolor rgb '%s' fillstyle solid 0.75 noborder notitle", colour);
    else
        fprintf(stream, "with %s lt 1 lc rgb '%s' dt %s lw %g%s notitle",
                line->kind == FIGURE_POINTS ? "linespoints" : "lines", colour, styles[line->style].dashes,
                styles[line->style].width, line->kind == FIGURE_POINTS ? " pt 7 ps 0.7" : "");
}

static void print_key_entry(const figure_line *line, FILE *stream) {
    const char *colour = styles[line->style].colour;
    if (line->kind == FIGURE_FILLED)
        fprintf(stream, ", keyentry with boxes fillcolor rgb '%s' fillstyle solid 0.75 noborder title ", colour);
    else
        fprintf(stream, ", keyentry with lines lt 1 lc rgb '%s' dt %s lw %g title ", colour, styles[line->style].dashes,
                styles[line->style].width);
    print_quoted(line->name, stream);
    fputs(" noenhanced", stream);
}

static void print_key_place(const figure_panel *panel, bool shown, double bottom, FILE *stream) {
    size_t lines = key_lines(panel);
    if (shown && lines > 0)
        fprintf(stream,
                "set key at screen 0.54,%.6f bottom center horizontal maxcols %zu samplen 3.2 reverse Left nobox\n",
                bottom, (panel->n_lines + lines - 1) / lines);
    else
        fputs("unset key\n", stream);
}

static bool is_solid(const figure_line *line) {
    return line->kind == FIGURE_FILLED || !strcmp(styles[line->style].dashes, "solid");
}

/* Dashes go over solid lines, so that both are seen where they meet. */
static void print_plot(const figure_panel *panel, size_t p, bool key, FILE *stream) {
    fputs("plot 1/0 notitle", stream);
    for (int solid = 1; solid >= 0; solid--)
        for (size_t l = 0; l < panel->n_lines; l++)
            if (is_solid(&panel->lines[l]) == (bool)solid) print_line(&panel->lines[l], p, l, stream);
    for (size_t l = 0; key && l < panel->n_lines; l++)
        if (panel->lines[l].name[0]) print_key_entry(&panel->lines[l], stream);
    fputc('\n', stream);
}

void figure_print_gnuplot(const figure *figure, figure_format format, FILE *stream) {
    double height = (double)total_height(figure);
    print_terminal(format, total_height(figure), stream);
    fputs("set encoding utf8\nset minussign\nset samples 2\nset tics nomirror\nset border 3 lc rgb '#444444'\n"
          "set grid lc rgb '#dddddd' lw 0.7 lt 1\nset multiplot\n",
          stream);
    fprintf(stream, "set lmargin at screen %.6f\nset rmargin at screen %.6f\n", (double)left_margin(figure) / WIDTH,
            1 - (double)RIGHT / WIDTH);
    print_data(figure, stream);
    double top = 0;
    for (size_t p = 0; p < figure->n_panels; p++) {
        const figure_panel *panel = &figure->panels[p];
        bool key = p == 0 || !figure->one_key;
        double inner = top + (double)space_above(figure, p), bottom = inner + (double)inner_height(figure);
        fprintf(stream, "set tmargin at screen %.6f\nset bmargin at screen %.6f\n", 1 - inner / height,
                1 - bottom / height);
        print_axes(panel, stream);
        print_key_place(panel, key, 1 - (inner - (panel->title[0] ? PANEL_TITLE : 12) + 4) / height, stream);
        if (p == 0 && figure->title[0]) print_title(figure, format, height, stream);
        print_plot(panel, p, key, stream);
        top = bottom + (double)space_below(panel);
    }
    fputs("unset multiplot\n", stream);
}
