/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <float.h>
#include <math.h>

#include "plot.h"

static void evaluate(gelu_act act, int order, size_t n, const double *x, double *y) {
    if (order == 0) gelu_forward_f64(act, n, x, y);
    if (order == 1) gelu_grad_f64(act, n, x, y);
    if (order == 2) gelu_grad2_f64(act, n, x, y);
}

static bool shows(const plot_request *request, int order) {
    return order == 0 || (order == 1 && request->grad) || (order == 2 && request->grad2);
}

static double point(const plot_request *request, size_t i) {
    double share = (double)i / (double)(request->points - 1);
    return i == request->points - 1 ? request->to : request->from + share * (request->to - request->from);
}

/* The signed error, when that is asked for. */
static double value_at(const plot_request *request, gelu_act act, int order, double x) {
    double y, reference;
    evaluate(act, order, 1, &x, &y);
    if (!request->is_error) return y;
    evaluate(request->reference, order, 1, &x, &reference);
    return y - reference;
}

/* ReLU's slope and ELU's second derivative jump at 0: no line may join what is left and right of it. */
static bool jumps(gelu_act act, int order) {
    return (act == GELU_RELU && order == 1) || (act == GELU_ELU && order == 2);
}

static void name_error(gelu_act act, figure_line *line) {
    double most = 0, at = line->x[0];
    for (size_t i = 0; i < line->n; i++) {
        line->y[i] = fabs(line->y[i]);
        if (line->y[i] > most) {
            most = line->y[i];
            at = line->x[i];
        }
    }
    snprintf(line->name, sizeof line->name, "%s: at most %.3g, at x = %.3g", figure_act_name(act), most, at);
}

/* Where f jumps at 0, its curve is broken there and goes on from the value on the right. */
static size_t add_point(const plot_request *request, gelu_act act, int order, double x, size_t n, figure_line *line) {
    bool crosses = !request->is_error && jumps(act, order) && n > 0 && line->x[n - 1] <= 0 && x > 0;
    if (crosses) {
        line->x[n] = 0;
        line->y[n++] = NAN;
        line->x[n] = 0;
        line->y[n++] = value_at(request, act, order, DBL_MIN);
    }
    line->x[n] = x;
    line->y[n] = value_at(request, act, order, x);
    return n + 1;
}

static void add_act(const plot_request *request, gelu_act act, int order, figure *figure, figure_panel *panel) {
    enum { AT_A_JUMP = 2 };
    figure_line *line =
        figure_add_line(figure, panel, figure_act_name(act), (int)act, FIGURE_LINE, request->points + AT_A_JUMP);
    if (!line) return;
    line->n = 0;
    for (size_t i = 0; i < request->points; i++)
        line->n = add_point(request, act, order, point(request, i), line->n, line);
    if (request->is_error) name_error(act, line);
}

/* An error that vanishes somewhere reaches down for ever on a logarithmic axis. */
static void limit_errors(figure_panel *panel) {
    const double decades = 1e-5;
    double most = 0;
    for (size_t l = 0; l < panel->n_lines; l++)
        for (size_t i = 0; i < panel->lines[l].n; i++) most = fmax(most, panel->lines[l].y[i]);
    panel->log_y = most > 0;
    if (most > 0) panel->y_min = most * decades;
}

figure *plot_curves(const plot_request *request) {
    static const char *const values[] = {"f(x)", "f'(x)", "f''(x)"};
    static const char *const errors[] = {"|f(x) - %s|", "|f'(x) - its slope|", "|f''(x) - its curvature|"};
    char title[160] = "";
    if (request->is_error) snprintf(title, sizeof title, "Distance from %s", figure_act_name(request->reference));
    figure *figure = figure_new(title);
    if (!figure) return NULL;
    figure->one_key = !request->is_error;
    for (int order = 0; order < 3; order++) {
        if (!shows(request, order)) continue;
        char label[64];
        snprintf(label, sizeof label, "%s", values[order]);
        if (request->is_error && order == 0)
            snprintf(label, sizeof label, errors[0], figure_act_name(request->reference));
        else if (request->is_error)
            snprintf(label, sizeof label, "%s", errors[order]);
        figure_panel *panel = figure_add_panel(figure, "x", label);
        panel->x_min = request->from;
        panel->x_max = request->to;
        for (size_t a = 0; a < request->n_acts; a++)
            if (!request->is_error || request->acts[a] != request->reference)
                add_act(request, request->acts[a], order, figure, panel);
        if (request->is_error) limit_errors(panel);
    }
    /* They share the axis of the last one. */
    for (size_t p = 0; p + 1 < figure->n_panels && figure->one_key; p++) figure->panels[p].x_label[0] = '\0';
    if (!figure->out_of_memory) return figure;
    figure_free(figure);
    return NULL;
}

static void print_number(double value, FILE *stream) {
    char text[40];
    gelu_format_shortest(GELU_F64, &value, text);
    fputs(text, stream);
}

void plot_print_curves(const plot_request *request, FILE *stream) {
    static const char *const suffixes[] = {"", "_grad", "_grad2"};
    fputc('x', stream);
    for (size_t a = 0; a < request->n_acts; a++)
        for (int order = 0; order < 3; order++)
            if (shows(request, order))
                fprintf(stream, ",%s%s%s", gelu_act_name(request->acts[a]), suffixes[order],
                        request->is_error ? "_error" : "");
    fputc('\n', stream);
    for (size_t i = 0; i < request->points && !ferror(stream); i++) {
        double x = point(request, i);
        print_number(x, stream);
        for (size_t a = 0; a < request->n_acts; a++)
            for (int order = 0; order < 3; order++) {
                if (!shows(request, order)) continue;
                fputc(',', stream);
                print_number(value_at(request, request->acts[a], order, x), stream);
            }
        fputc('\n', stream);
    }
}
