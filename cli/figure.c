/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "figure.h"

#include <math.h>
#include <stdlib.h>

figure *figure_new(const char *title) {
    figure *figure = calloc(1, sizeof *figure);
    if (figure) snprintf(figure->title, sizeof figure->title, "%s", title);
    return figure;
}

void figure_free(figure *figure) {
    if (!figure) return;
    for (size_t p = 0; p < figure->n_panels; p++)
        for (size_t l = 0; l < figure->panels[p].n_lines; l++) free(figure->panels[p].lines[l].x);
    free(figure);
}

figure_panel *figure_add_panel(figure *figure, const char *x_label, const char *y_label) {
    /* The last one is used again rather than none: callers need not look. */
    if (figure->n_panels == FIGURE_MAX_PANELS) {
        figure->out_of_memory = true;
        return &figure->panels[FIGURE_MAX_PANELS - 1];
    }
    figure_panel *panel = &figure->panels[figure->n_panels++];
    snprintf(panel->x_label, sizeof panel->x_label, "%s", x_label);
    snprintf(panel->y_label, sizeof panel->y_label, "%s", y_label);
    panel->x_min = panel->x_max = panel->y_min = panel->y_max = NAN;
    return panel;
}

figure_line *figure_add_line(figure *figure, figure_panel *panel, const char *name, int style, figure_kind kind,
                             size_t n) {
    double *values = panel->n_lines < FIGURE_MAX_LINES ? calloc(n ? n : 1, 2 * sizeof(double)) : NULL;
    if (!values) {
        figure->out_of_memory = true;
        return NULL;
    }
    figure_line *line = &panel->lines[panel->n_lines++];
    *line = (figure_line){.style = style, .kind = kind, .n = n, .x = values, .y = values + n};
    snprintf(line->name, sizeof line->name, "%s", name);
    return line;
}

/* A logarithmic axis shows nothing that is not above 0. */
static void extend(double value, bool log, double *min, double *max) {
    if (!isfinite(value) || (log && value <= 0)) return;
    if (!(value >= *min)) *min = value;
    if (!(value <= *max)) *max = value;
}

/* Never empty, and on a logarithmic axis above 0. */
static void mend(bool log, double *min, double *max) {
    if (isnan(*min)) *min = log ? 0.1 : 0;
    if (isnan(*max)) *max = *min;
    if (*max > *min) return;
    double around = log ? *min / 2 : fmax(fabs(*min), 1) / 2;
    *min -= around;
    *max += around;
}

void figure_x_range(const figure_panel *panel, double *min, double *max) {
    *min = *max = NAN;
    for (size_t l = 0; l < panel->n_lines; l++) {
        const figure_line *line = &panel->lines[l];
        double half = line->kind == FIGURE_FILLED && line->n > 1 ? (line->x[1] - line->x[0]) / 2 : 0;
        for (size_t i = 0; i < line->n; i++) {
            extend(line->x[i] - half, panel->log_x, min, max);
            extend(line->x[i] + half, panel->log_x, min, max);
        }
    }
    mend(panel->log_x, min, max);
    if (!isnan(panel->x_min)) *min = panel->x_min;
    if (!isnan(panel->x_max)) *max = panel->x_max;
}

void figure_y_range(const figure_panel *panel, double *min, double *max) {
    bool filled = false;
    *min = *max = NAN;
    for (size_t l = 0; l < panel->n_lines; l++) {
        const figure_line *line = &panel->lines[l];
        filled |= line->kind == FIGURE_FILLED;
        for (size_t i = 0; i < line->n; i++) extend(line->y[i], panel->log_y, min, max);
    }
    if (filled && !panel->log_y) *min = 0;
    mend(panel->log_y, min, max);
    const double room = 0.06;
    if (panel->log_y) {
        double factor = pow(*max / *min, room);
        *min /= factor;
        *max *= factor;
    } else {
        double margin = room * (*max - *min);
        *min -= filled ? 0 : margin;
        *max += margin;
    }
    if (!isnan(panel->y_min)) *min = panel->y_min;
    if (!isnan(panel->y_max)) *max = panel->y_max;
}

size_t figure_ticks(bool log, double min, double max, double ticks[FIGURE_MAX_TICKS]) {
    static const double digits[] = {1, 2, 5};
    size_t n = 0;
    if (log && max / min > 5) {
        for (double power = pow(10, floor(log10(min))); power <= max; power *= 10)
            for (int i = 0; i < 3; i++)
                if (digits[i] * power >= min && digits[i] * power <= max && n < FIGURE_MAX_TICKS)
                    ticks[n++] = digits[i] * power;
        return n;
    }
    double raw = (max - min) / 5, step = pow(10, floor(log10(raw)));
    step *= raw / step <= 1 ? 1 : raw / step <= 2 ? 2 : raw / step <= 5 ? 5 : 10;
    for (double i = ceil(min / step); step * i <= max && n < FIGURE_MAX_TICKS; i++) ticks[n++] = step * i;
    return n;
}

const char *figure_act_name(gelu_act act) {
    switch (act) {
    case GELU_IDENTITY: return "identity";
    case GELU_RELU: return "ReLU";
    case GELU_ERF: return "GELU (erf)";
    case GELU_TANH: return "GELU (tanh)";
    case GELU_QUICK: return "GELU (quick)";
    case GELU_SILU: return "SiLU";
    case GELU_ELU: return "ELU";
    }
    return "?";
}
