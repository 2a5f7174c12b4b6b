/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "npy_input.h"
#include "plot.h"

enum { BINS = 64 };

typedef struct {
    const plot_request *request;
    const char *path;
    gelu_npy *npy;
    plot_histogram *histogram;
} counting;

/* count values before, and after each activation in the type of the file. */
typedef int take_block(const counting *counting, size_t first, size_t count, size_t which, const double *values);

static int transform(const counting *counting, size_t first, size_t count, take_block *take) {
    const gelu_tensor *info = gelu_npy_info(counting->npy);
    double raw[CLI_BLOCK], after[CLI_BLOCK], values[CLI_BLOCK];
    gelu_status status = gelu_npy_read_range(counting->npy, first, count, raw);
    for (size_t which = 0; which <= counting->request->n_acts && status == GELU_OK; which++) {
        if (which > 0)
            status =
                gelu_forward_2d(counting->request->acts[which - 1], info->dtype, 1, count, raw, count, after, count);
        if (status == GELU_OK) status = gelu_convert(count, info->dtype, which ? after : raw, GELU_F64, values);
        if (status != GELU_OK) break;
        int code = take(counting, first, count, which, values);
        if (code != CLI_OK) return code;
    }
    return status == GELU_OK ? CLI_OK : cli_fail("%s: %s", counting->path, gelu_status_string(status));
}

static int each_block(const counting *counting, const char *label, take_block *take) {
    size_t total = gelu_npy_info(counting->npy)->count;
    int code = CLI_OK;
    cli_progress progress;
    cli_progress_begin(&progress, label, total);
    for (size_t first = 0; first < total && code == CLI_OK; first += CLI_BLOCK) {
        code = transform(counting, first, total - first < CLI_BLOCK ? total - first : CLI_BLOCK, take);
        cli_progress_update(&progress, first);
    }
    cli_progress_end(&progress);
    return code;
}

/* Means and squares around them by Welford's recurrence: no sum grows with the file. */
static int measure(const counting *counting, size_t first, size_t count, size_t which, const double *values) {
    const gelu_tensor *info = gelu_npy_info(counting->npy);
    plot_histogram *h = counting->histogram;
    for (size_t i = 0; i < count; i++) {
        double x = values[i];
        if (!isfinite(x)) {
            char place[CLI_SHAPE_LENGTH];
            return cli_fail("%s: %s at %s", counting->path, isnan(x) ? "NaN" : "an infinity",
                            cli_place(info->ndim, info->shape, first + i, place));
        }
        h->of[which].zeros += x == 0;
        if (first + i == 0 || x < h->of[which].min) h->of[which].min = x;
        if (first + i == 0 || x > h->of[which].max) h->of[which].max = x;
        double off = x - h->of[which].mean;
        h->of[which].mean += off / (double)(first + i + 1);
        h->of[which].deviation += off * (x - h->of[which].mean);
    }
    return CLI_OK;
}

static int count_block(const counting *counting, size_t first, size_t count, size_t which, const double *values) {
    plot_histogram *h = counting->histogram;
    (void)first;
    for (size_t i = 0; i < count; i++) {
        double bin = floor(values[i] / h->width + 0.5) - (double)h->first;
        if (bin >= 0 && bin < (double)h->bins) h->counts[which * h->bins + (size_t)bin]++;
    }
    return CLI_OK;
}

/* The middle of a bin lies on 0: a spike there is in one bin. */
static int place_bins(const plot_request *request, const char *path, plot_histogram *h) {
    double min = h->of[0].min, max = h->of[0].max;
    for (size_t which = 1; which <= request->n_acts; which++) {
        min = fmin(min, h->of[which].min);
        max = fmax(max, h->of[which].max);
    }
    if (request->has_range) min = request->from, max = request->to;
    h->width = (max - min) / BINS;
    if (!(h->width > 0)) h->width = max != 0 ? fabs(max) / BINS : 1;
    double first = floor(min / h->width + 0.5), last = floor(max / h->width + 0.5);
    if (!isfinite(h->width) || h->width < 1e-300 || fabs(first) > 1e15 || fabs(last) > 1e15)
        return cli_fail("%s: values from %g to %g are too far apart, or too close, for a histogram", path, min, max);
    h->first = (long)first;
    h->bins = (size_t)(last - first) + 1;
    h->counts = calloc((1 + request->n_acts) * h->bins, sizeof *h->counts);
    return h->counts ? CLI_OK : cli_fail("out of memory");
}

int plot_count(const plot_request *request, const char *path, const gelu_npy_options *options, plot_histogram *out) {
    *out = (plot_histogram){0};
    counting counting = {.request = request, .path = path, .histogram = out};
    int code = cli_npy_open(path, options, &counting.npy);
    if (code != CLI_OK) return code;
    out->count = gelu_npy_info(counting.npy)->count;
    if (out->count == 0) code = cli_fail("%s: no elements", path);
    if (code == CLI_OK) code = each_block(&counting, path, measure);
    if (code == CLI_OK) code = place_bins(request, path, out);
    if (code == CLI_OK) code = each_block(&counting, path, count_block);
    gelu_npy_close(counting.npy);
    for (size_t which = 0; which <= request->n_acts && out->count > 0; which++)
        out->of[which].deviation = sqrt(out->of[which].deviation / (double)out->count);
    if (code != CLI_OK) plot_histogram_free(out);
    return code;
}

void plot_histogram_free(plot_histogram *histogram) {
    free(histogram->counts);
    histogram->counts = NULL;
}

/* ---- Results ---- */

static double edge(const plot_histogram *h, size_t bin) { return ((double)h->first + (double)bin - 0.5) * h->width; }

static double percent(const plot_histogram *h, size_t which, size_t bin) {
    return 100 * (double)h->counts[which * h->bins + bin] / (double)h->count;
}

static void add_bins(const plot_histogram *h, size_t which, int style, figure *figure, figure_panel *panel) {
    figure_line *line = figure_add_line(figure, panel, "", style, FIGURE_FILLED, h->bins);
    for (size_t bin = 0; line && bin < h->bins; bin++) {
        line->x[bin] = ((double)h->first + (double)bin) * h->width;
        line->y[bin] = percent(h, which, bin);
    }
}

/* What was before, as an outline. */
static void add_outline(const plot_histogram *h, figure *figure, figure_panel *panel) {
    figure_line *line = figure_add_line(figure, panel, "", FIGURE_GREY, FIGURE_LINE, 2 * h->bins);
    for (size_t bin = 0; line && bin < h->bins; bin++)
        for (size_t side = 0; side < 2; side++) {
            double share = percent(h, 0, bin);
            line->x[2 * bin + side] = edge(h, bin + side);
            line->y[2 * bin + side] = share > 0 ? share : NAN;
        }
}

static void name_panel(const plot_request *request, const plot_histogram *h, size_t which, figure_panel *panel) {
    char zeros[48] = "";
    if (h->of[which].zeros)
        snprintf(zeros, sizeof zeros, ", %.3g %% exactly 0", 100 * (double)h->of[which].zeros / (double)h->count);
    snprintf(panel->title, sizeof panel->title, "%s %s: mean %.3g, standard deviation %.3g%s",
             which ? "after" : "before", which ? figure_act_name(request->acts[which - 1]) : "(the grey line below)",
             h->of[which].mean, h->of[which].deviation, zeros);
}

figure *plot_histogram_figure(const plot_request *request, const char *path, const plot_histogram *h) {
    char title[160];
    snprintf(title, sizeof title, "%.100s: %" PRIu64 " values", path, h->count);
    figure *figure = figure_new(title);
    if (!figure) return NULL;
    for (size_t which = 0; which <= request->n_acts; which++) {
        bool last = which == request->n_acts;
        figure_panel *panel = figure_add_panel(figure, last ? "value" : "", "% of values");
        name_panel(request, h, which, panel);
        panel->log_y = true;
        panel->x_min = edge(h, 0);
        panel->x_max = edge(h, h->bins);
        panel->y_max = 200;
        panel->y_min = fmax(50.0 / (double)h->count, 1e-4);
        add_bins(h, which, which ? (int)request->acts[which - 1] : FIGURE_GREY, figure, panel);
        if (which) add_outline(h, figure, panel);
    }
    if (!figure->out_of_memory) return figure;
    figure_free(figure);
    return NULL;
}

void plot_print_histogram(const plot_request *request, const plot_histogram *h, FILE *stream) {
    fputs("from,to,before", stream);
    for (size_t a = 0; a < request->n_acts; a++) fprintf(stream, ",%s", gelu_act_name(request->acts[a]));
    fputc('\n', stream);
    for (size_t bin = 0; bin < h->bins; bin++) {
        fprintf(stream, "%.9g,%.9g", edge(h, bin), edge(h, bin + 1));
        for (size_t which = 0; which <= request->n_acts; which++)
            fprintf(stream, ",%" PRIu64, h->counts[which * h->bins + bin]);
        fputc('\n', stream);
    }
}
