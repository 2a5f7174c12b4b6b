/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <math.h>
#include <stdlib.h>

#include "csv.h"
#include "study.h"

enum { FIGURES = sizeof(train_epoch) / sizeof(double) };

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    /* Training that broke is the worst. */
    if (isnan(x) || isnan(y)) return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

/* Figure by figure over the seeds, whose points are stride apart. */
static void summarise(const train_epoch *points, size_t seeds, size_t stride, double *room, train_epoch *median,
                      train_epoch *low, train_epoch *high) {
    for (size_t figure = 0; figure < FIGURES; figure++) {
        for (size_t i = 0; i < seeds; i++) room[i] = ((const double *)(points + i * stride))[figure];
        qsort(room, seeds, sizeof *room, compare);
        ((double *)low)[figure] = room[0];
        ((double *)high)[figure] = room[seeds - 1];
        ((double *)median)[figure] =
            seeds % 2 ? room[seeds / 2] : room[seeds / 2 - 1] + (room[seeds / 2] - room[seeds / 2 - 1]) / 2;
    }
}

size_t train_study_points(const train_study *s) { return s->experiment == TRAIN_NOISE ? s->n_noises : s->epochs; }

static gelu_status fill_curve(const train_study *s, size_t index, const train_epoch *points, double *room,
                              train_curve *out) {
    size_t n = train_study_points(s);
    train_plan plan = train_study_plan(s, index * s->seeds);
    *out = (train_curve){.act = plan.net.act, .rate = plan.optimiser.rate, .dropout = plan.net.dropout, .points = n};
    out->at = calloc(n, sizeof *out->at);
    out->median = calloc(3 * n, sizeof *out->median);
    if (!out->at || !out->median) return GELU_ERR_MEMORY;
    out->low = out->median + n;
    out->high = out->low + n;
    for (size_t i = 0; i < n; i++) {
        out->at[i] = s->experiment == TRAIN_NOISE ? s->noises[i] : (double)(i + 1);
        summarise(points + index * s->seeds * n + i, s->seeds, n, room, &out->median[i], &out->low[i], &out->high[i]);
    }
    return GELU_OK;
}

gelu_status train_curves_create(const train_study *s, const train_epoch *points, train_result *out) {
    double *room = malloc(s->seeds * sizeof *room);
    out->curves = calloc(train_study_curves(s), sizeof *out->curves);
    gelu_status status = room && out->curves ? GELU_OK : GELU_ERR_MEMORY;
    for (size_t i = 0; status == GELU_OK && i < train_study_curves(s); i++) {
        out->count++;
        status = fill_curve(s, i, points, room, &out->curves[i]);
    }
    free(room);
    if (status != GELU_OK) train_result_free(out);
    return status;
}

void train_result_free(train_result *result) {
    if (!result) return;
    for (size_t i = 0; i < result->count; i++) {
        free(result->curves[i].at);
        free(result->curves[i].median);
    }
    free(result->curves);
    *result = (train_result){0};
}

/* What curves are judged by. */
static double merit(const train_result *result, const train_curve *curve) {
    return result->experiment == TRAIN_NOISE ? curve->median[0].test_loss : curve->median[curve->points - 1].train_loss;
}

const train_curve *train_best(const train_result *result, gelu_act act, double dropout) {
    const train_curve *best = NULL;
    for (size_t i = 0; i < result->count; i++) {
        const train_curve *curve = &result->curves[i];
        if (curve->act != act || curve->dropout != dropout) continue;
        if (!best || compare(&(double){merit(result, curve)}, &(double){merit(result, best)}) < 0) best = curve;
    }
    return best;
}

void train_result_print_csv(const train_result *result, FILE *stream) {
    static const char *const figures[FIGURES] = {"batch_loss", "train_loss", "train_error", "test_loss", "test_error"};
    bool noise = result->experiment == TRAIN_NOISE;
    fprintf(stream, "act,rate,dropout,%s", noise ? "noise" : "epoch");
    for (size_t f = noise ? 3 : 0; f < FIGURES; f++)
        fprintf(stream, ",%s,%s_low,%s_high", figures[f], figures[f], figures[f]);
    fputc('\n', stream);
    for (size_t i = 0; i < result->count; i++) {
        const train_curve *c = &result->curves[i];
        for (size_t j = 0; j < c->points; j++) {
            fputs(gelu_act_name(c->act), stream);
            train_csv_number(stream, c->rate);
            train_csv_number(stream, c->dropout);
            train_csv_number(stream, c->at[j]);
            for (size_t f = noise ? 3 : 0; f < FIGURES; f++) {
                train_csv_number(stream, ((double *)&c->median[j])[f]);
                train_csv_number(stream, ((double *)&c->low[j])[f]);
                train_csv_number(stream, ((double *)&c->high[j])[f]);
            }
            fputc('\n', stream);
        }
    }
}
