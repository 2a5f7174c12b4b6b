/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* A picture as data: panels one below the other, lines in each. Drawn by gnuplot, or as text on a terminal. */
#ifndef GELU_CLI_FIGURE_H
#define GELU_CLI_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "gelu.h"

/* Colour and dashes of a line: those of an activation, everywhere the same, or grey for what serves as a reference. */
enum { FIGURE_GREY = GELU_ELU + 1, FIGURE_N_STYLES };

typedef enum {
    FIGURE_LINE,   /* a curve, broken where y is NaN */
    FIGURE_POINTS, /* a curve whose points are marked */
    FIGURE_FILLED  /* x is the middle of a bin, all bins equally wide; filled down to the axis */
} figure_kind;

typedef struct {
    char name[96];
    int style;
    figure_kind kind;
    size_t n;
    double *x, *y;
} figure_line;

enum { FIGURE_MAX_LINES = 16, FIGURE_MAX_PANELS = 16 };

typedef struct {
    char title[128], x_label[64], y_label[64];
    bool log_x, log_y;
    bool whole_x;                      /* x counts something */
    double x_min, x_max, y_min, y_max; /* NaN: what the lines need */
    size_t n_lines;
    figure_line lines[FIGURE_MAX_LINES];
} figure_panel;

typedef struct {
    char title[160];
    size_t n_panels;
    figure_panel panels[FIGURE_MAX_PANELS];
    bool one_key;       /* all panels have the same lines: the first explains them */
    bool out_of_memory; /* a line could not be added */
} figure;

/* An empty figure; NULL: out of memory. */
figure *figure_new(const char *title);
void figure_free(figure *figure); /* NULL is fine */
figure_panel *figure_add_panel(figure *figure, const char *x_label, const char *y_label);
/* A line of n points to fill in; NULL when memory or room is short, which out_of_memory then says. */
figure_line *figure_add_line(figure *figure, figure_panel *panel, const char *name, int style, figure_kind kind,
                             size_t n);
/* What x, or y, spans: what the panel says, or what is drawn, with some room around in y. */
void figure_x_range(const figure_panel *panel, double *min, double *max);
void figure_y_range(const figure_panel *panel, double *min, double *max);

/* What stands at an axis: about five numbers that are evenly spaced; at a logarithmic one 1, 2, 5 times powers of ten if it
 * is not too short for that, nor spans a factor of FIGURE_SHORT, where powers of ten alone will do. Returns how many. */
enum { FIGURE_SHORT = 100, FIGURE_MAX_TICKS = 16 };
size_t figure_ticks(bool log, double min, double max, double ticks[FIGURE_MAX_TICKS]);

/* "GELU (erf)", "ReLU", ...: what readers call it. */
const char *figure_act_name(gelu_act act);

typedef enum { FIGURE_PNG, FIGURE_SVG, FIGURE_PDF } figure_format;

/* By the end of the name; false when it is none of .png, .svg and .pdf. */
bool figure_format_of(const char *path, figure_format *out);
/* A gnuplot program that writes the picture to its standard output. */
void figure_print_gnuplot(const figure *figure, figure_format format, FILE *stream);

typedef struct {
    size_t width;       /* columns of the terminal */
    bool utf8, colours; /* what it can show */
} figure_terminal;

/* What stream can show: the width of the terminal, 80 where there is none; UTF-8 when the locale says so. */
figure_terminal figure_terminal_of(FILE *stream);
/* False: out of memory. */
bool figure_print_text(const figure *figure, const figure_terminal *terminal, FILE *stream);

#endif
