/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What `gelu plot` draws: curves of activations, and histograms before and after them. Figures are the caller's. */
#ifndef GELU_CLI_PLOT_H
#define GELU_CLI_PLOT_H

#include "figure.h"
#include "gelu_io.h"

enum { PLOT_MAX_ACTS = GELU_ELU + 1 };

typedef struct {
    size_t n_acts;
    gelu_act acts[PLOT_MAX_ACTS]; /* each once */
    bool has_range;
    double from, to;  /* the range; for curves always set */
    size_t points;    /* of a curve */
    bool grad, grad2; /* the first, the second derivative too */
    bool is_error;    /* of what is shown against that of reference, instead */
    gelu_act reference;
} plot_request;

/* In f64, at points from "from" to "to", evenly spaced. NULL: out of memory. */
figure *plot_curves(const plot_request *request);
/* A line for each point: x, then each activation's value and derivatives (or signed errors) as the shortest decimals. */
void plot_print_curves(const plot_request *request, FILE *stream);

typedef struct {
    uint64_t count; /* of elements */
    double width;   /* of a bin; bin k goes from (first + k - 1/2) width to (first + k + 1/2) width, the end excluded */
    long first;
    size_t bins;
    uint64_t *counts; /* (1 + acts, bins): before, then after each */
    struct {
        uint64_t zeros;
        double min, max, mean, deviation;
    } of[1 + PLOT_MAX_ACTS];
} plot_histogram;

/* Of all elements of the file, which must be finite, and of what the activations in its type make of them. An exit code;
 * what is wrong is reported. */
int plot_count(const plot_request *request, const char *path, const gelu_npy_options *options, plot_histogram *out);
void plot_histogram_free(plot_histogram *histogram);
figure *plot_histogram_figure(const plot_request *request, const char *path, const plot_histogram *histogram);
void plot_print_histogram(const plot_request *request, const plot_histogram *histogram, FILE *stream);

#endif
