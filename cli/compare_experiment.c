/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The paper's experiments: what train/ makes of them, as tables, CSV and pictures. */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compare_print.h"
#include "compare_report.h"
#include "experiments.h"
#include "interrupt.h"
#include "report.h"

typedef double of_epoch(const train_epoch *epoch);

static double training_loss(const train_epoch *epoch) { return epoch->train_loss; }
static double test_loss(const train_epoch *epoch) { return epoch->test_loss; }
static double train_error(const train_epoch *epoch) { return 100 * epoch->train_error; }
static double test_error(const train_epoch *epoch) { return 100 * epoch->test_error; }

/* What is shown of each: figures of the last epoch, or of every strength of the noise. */
static const struct {
    const char *title, *paper, *at;
    size_t n;
    const char *names[4];
    of_epoch *figures[4];
} forms[] = {
    [TRAIN_MNIST] = {"A deep classifier",
                     "the paper finds the lowest median training loss for GELU, with dropout and without",
                     "epoch",
                     4,
                     {"training loss", "test loss", "training err. %", "test err. %"},
                     {training_loss, test_loss, train_error, test_error}},
    [TRAIN_AUTOENCODER] = {"A deep autoencoder",
                           "the paper finds GELU ahead at each learning rate",
                           "epoch",
                           2,
                           {"training error", "test error"},
                           {training_loss, test_loss}},
    [TRAIN_NOISE] = {"A deep classifier under input noise",
                     "the paper finds GELU at least as robust as ReLU and ELU",
                     "noise",
                     2,
                     {"test loss", "test err. %"},
                     {test_loss, test_error}},
};

/* ---- GELU against the others ---- */

static bool same_setting(const train_curve *a, const train_curve *b) {
    return a->rate == b->rate && a->dropout == b->dropout;
}

/* The rows that are shown: the last epoch; or every strength. */
static size_t first_shown(const train_study *study, const train_curve *curve) {
    return study->experiment == TRAIN_NOISE ? 0 : curve->points - 1;
}

typedef struct {
    size_t wins, ties, all;
} score;

/* In how many settings (and strengths of noise) GELU's median is below that of act, and as large; at the last epoch. */
static score count_wins(const train_study *study, const train_result *result, gelu_act act, of_epoch *of) {
    score score = {0};
    for (size_t a = 0; a < result->count; a++)
        for (size_t b = 0; b < result->count; b++) {
            const train_curve *gelu = &result->curves[a], *other = &result->curves[b];
            if (gelu->act != GELU_ERF || other->act != act || !same_setting(gelu, other)) continue;
            for (size_t i = first_shown(study, gelu); i < gelu->points; i++) {
                score.wins += of(&gelu->median[i]) < of(&other->median[i]);
                score.ties += of(&gelu->median[i]) == of(&other->median[i]);
                score.all++;
            }
        }
    return score;
}

static void print_wins(const train_study *study, const train_result *result, of_epoch *of, FILE *stream) {
    static const gelu_act others[] = {GELU_RELU, GELU_ELU, GELU_SILU};
    for (int i = 0; i < 3; i++) {
        score score = count_wins(study, result, others[i], of);
        fprintf(stream, "%s %s's in %zu of %zu cases", i ? "," : "", figure_act_name(others[i]), score.wins, score.all);
        if (score.ties) fprintf(stream, " (and the same in %zu)", score.ties);
    }
}

static void print_finding(const train_study *study, const train_result *result, FILE *stream) {
    bool noise = study->experiment == TRAIN_NOISE;
    fprintf(stream, "Here GELU's median %s is below", noise ? "test loss" : "training loss");
    print_wins(study, result, noise ? test_loss : training_loss, stream);
    if (noise) {
        fputs("; its median of test errors below", stream);
        print_wins(study, result, test_error, stream);
    }
    fprintf(stream, "; %s.\n", forms[study->experiment].paper);
}

/* ---- Tables ---- */

static void print_table(const train_study *study, const train_result *result) {
    const char *bold = cli_bold(stdout), *plain = cli_plain(stdout);
    printf("%s%-13s %8s %8s %8s", bold, "activation", "rate", "dropout", forms[study->experiment].at);
    for (size_t f = 0; f < forms[study->experiment].n; f++) printf(" %16s", forms[study->experiment].names[f]);
    printf("%s\n", plain);
    for (size_t c = 0; c < result->count; c++) {
        const train_curve *curve = &result->curves[c];
        for (size_t i = first_shown(study, curve); i < curve->points; i++) {
            printf("%-13s %8g %8g %8g", figure_act_name(curve->act), curve->rate, curve->dropout, curve->at[i]);
            for (size_t f = 0; f < forms[study->experiment].n; f++)
                printf(" %16.5g", forms[study->experiment].figures[f](&curve->median[i]));
            putchar('\n');
        }
    }
    printf("Medians of %zu seed%s, %zu networks, %.0f seconds.\n", study->seeds, study->seeds == 1 ? "" : "s",
           train_study_runs(study), result->seconds);
    print_finding(study, result, stdout);
}

static void print_csv(const train_study *study, const train_result *result) {
    printf("act,rate,dropout,%s,train_loss,test_loss,train_error,test_error\n", forms[study->experiment].at);
    for (size_t c = 0; c < result->count; c++) {
        const train_curve *curve = &result->curves[c];
        for (size_t i = 0; i < curve->points; i++) {
            const train_epoch *median = &curve->median[i];
            printf("%s,%g,%g,%g,%.9g,%.9g,%.9g,%.9g\n", gelu_act_name(curve->act), curve->rate, curve->dropout,
                   curve->at[i], median->train_loss, median->test_loss, median->train_error, median->test_error);
        }
    }
}

/* ---- The report ---- */

static void add_panel(const train_study *study, const train_result *result, const train_curve *setting, size_t f,
                      figure *figure) {
    figure_panel *panel = figure_add_panel(figure, forms[study->experiment].at, forms[study->experiment].names[f]);
    panel->log_y = forms[study->experiment].figures[f] != test_error;
    panel->whole_x = study->experiment != TRAIN_NOISE;
    for (size_t c = 0; c < result->count; c++) {
        const train_curve *curve = &result->curves[c];
        if (!same_setting(curve, setting)) continue;
        figure_line *line =
            figure_add_line(figure, panel, figure_act_name(curve->act), (int)curve->act, FIGURE_LINE, curve->points);
        for (size_t i = 0; line && i < curve->points; i++) {
            line->x[i] = curve->at[i];
            line->y[i] = forms[study->experiment].figures[f](&curve->median[i]);
        }
    }
}

/* Losses above errors, for one learning rate and dropout. */
static int add_picture(const train_study *study, const train_result *result, const train_curve *setting,
                       report *report) {
    char title[160], caption[200];
    snprintf(title, sizeof title, "Adam %g, dropout %g", setting->rate, setting->dropout);
    snprintf(caption, sizeof caption, "%s: medians of %zu seed%s; Adam with learning rate %g, dropout %g.",
             forms[study->experiment].title, study->seeds, study->seeds == 1 ? "" : "s", setting->rate,
             setting->dropout);
    figure *figure = figure_new(title);
    if (!figure) return cli_fail("out of memory");
    figure->one_key = true;
    for (size_t f = 0; f < forms[study->experiment].n; f++)
        if (f < 2 || forms[study->experiment].figures[f] == test_error) add_panel(study, result, setting, f, figure);
    for (size_t p = 0; p + 1 < figure->n_panels; p++) figure->panels[p].x_label[0] = '\0';
    int code = figure->out_of_memory ? cli_fail("out of memory") : report_picture(figure, caption, report);
    figure_free(figure);
    return code;
}

static void print_html_table(const train_study *study, const train_result *result, FILE *stream) {
    fprintf(stream,
            "<h2>Medians of %zu seed%s</h2>\n<table>\n<thead><tr><th>activation</th><th>rate</th><th>dropout</th>"
            "<th>%s</th>",
            study->seeds, study->seeds == 1 ? "" : "s", forms[study->experiment].at);
    for (size_t f = 0; f < forms[study->experiment].n; f++)
        fprintf(stream, "<th>%s</th>", forms[study->experiment].names[f]);
    fputs("</tr></thead>\n<tbody>\n", stream);
    for (size_t c = 0; c < result->count; c++) {
        const train_curve *curve = &result->curves[c];
        for (size_t i = first_shown(study, curve); i < curve->points; i++) {
            fprintf(stream, "<tr><td>%s</td><td>%g</td><td>%g</td><td>%g</td>", figure_act_name(curve->act),
                    curve->rate, curve->dropout, curve->at[i]);
            for (size_t f = 0; f < forms[study->experiment].n; f++)
                fprintf(stream, "<td>%.5g</td>", forms[study->experiment].figures[f](&curve->median[i]));
            fputs("</tr>\n", stream);
        }
    }
    fputs("</tbody>\n</table>\n", stream);
}

static void add_settings(const train_study *study, report *report) {
    report_setting settings[5] = {{"Data", ""}, {"Network", ""}, {"Training", ""}, {"Seeds", ""}, {"Threads", ""}};
    snprintf(settings[0].value, sizeof settings[0].value, "%.120s: %zu samples for training, %zu for tests",
             study->data->name, study->samples, study->data->test.count);
    char *at = settings[1].value, *end = at + sizeof settings[1].value;
    for (size_t l = 0; l <= study->layers && at < end; l++)
        at += snprintf(at, (size_t)(end - at), "%s%zu", l ? " - " : "", study->widths[l]);
    snprintf(settings[2].value, sizeof settings[2].value,
             "Adam (0.9, 0.999, 1e-8), batches of %zu, %zu epochs; initial weights normal, each unit's of length 1",
             study->batch, study->epochs);
    snprintf(settings[3].value, sizeof settings[3].value, "1 to %zu; the built-in digits are split by %d", study->seeds,
             TRAIN_DIGITS_SPLIT);
    snprintf(settings[4].value, sizeof settings[4].value, "%zu; no figure depends on it", study->threads);
    report_settings("Settings", 5, settings, report);
}

static int fill_page(const train_study *study, const train_result *result, const compare_command *command,
                     report *report) {
    fputs("<p>", report->stream);
    print_finding(study, result, report->stream);
    fputs("</p>\n", report->stream);
    print_html_table(study, result, report->stream);
    fputs("<h2>Pictures</h2>\n", report->stream);
    int code = CLI_OK;
    for (size_t c = 0; c < result->count && code == CLI_OK; c++)
        if (c == 0 || !same_setting(&result->curves[c], &result->curves[c - 1]))
            code = add_picture(study, result, &result->curves[c], report);
    add_settings(study, report);
    report_machine(report);
    report_command(command->argc, command->argv, report);
    return code;
}

static void print_curves(const void *what, FILE *stream) { train_result_print_csv(what, stream); }

static int write_report(const char *folder, const train_study *study, const train_result *result,
                        const compare_command *command) {
    report report = {.folder = folder};
    int code = report_csv("curves.csv", print_curves, result, &report);
    if (code == CLI_OK) code = report_begin(forms[study->experiment].title, &report);
    if (code == CLI_OK) code = fill_page(study, result, command, &report);
    return report_end(&report, code);
}

/* ---- The run ---- */

enum { TICKS = 1000 };

typedef struct {
    cli_progress bar;
    atomic_bool *stop; /* NULL: Ctrl-C ends the program */
} watch;

static bool show(void *context, uint64_t done, uint64_t total, const char *text) {
    watch *watch = context;
    watch->bar.label = text; /* which lasts as long as this call, like the use that is made of it */
    cli_progress_update(&watch->bar, (uint64_t)(TICKS * ((double)done / (double)total)));
    return !watch->stop || !atomic_load(watch->stop);
}

static int say_how_long(const train_study *study, bool full) {
    double seconds;
    char what[80];
    gelu_status status = train_study_estimate(study, &seconds);
    if (status != GELU_OK) return cli_fail("%s", gelu_status_string(status));
    snprintf(what, sizeof what, "%zu networks, %zu epochs each: ", train_study_runs(study), study->epochs);
    compare_say_how_long(what, seconds, full);
    return CLI_OK;
}

int compare_experiment(const compare_experiment_request *request, const compare_command *command) {
    train_experiment experiment;
    train_experiment_from_name(request->name, &experiment);
    train_study study = train_study_of(experiment, request->data, request->full);
    if (request->seeds) study.seeds = (size_t)request->seeds;
    if (request->epochs) study.epochs = (size_t)request->epochs;
    if (request->rate) {
        study.n_rates = 1;
        study.rates[0] = *request->rate;
    }
    if (request->dropout) {
        study.n_dropouts = 1;
        study.dropouts[0] = *request->dropout;
    }
    study.threads = request->threads;
    study.folder = request->checkpoints;
    int code = request->checkpoints ? output_folder_make(request->checkpoints, "checkpoint") : CLI_OK;
    if (code == CLI_OK) code = say_how_long(&study, request->full);
    if (code != CLI_OK) return code;
    watch watch = {.stop = request->checkpoints ? cli_stop_on_interrupt() : NULL};
    train_progress progress = {show, &watch};
    train_result result;
    gelu_error err = {0};
    cli_progress_begin(&watch.bar, request->name, TICKS);
    gelu_status status = train_study_run(&study, &progress, &result, &err);
    cli_progress_end(&watch.bar);
    if (status != GELU_OK) return cli_fail("%s", err.message[0] ? err.message : gelu_status_string(status));
    if (watch.stop) {
        if (!result.finished) cli_error("stopped; the same command goes on from what is in %s", request->checkpoints);
        cli_die_if_interrupted();
    }
    if (request->csv)
        print_csv(&study, &result);
    else
        print_table(&study, &result);
    if (request->folder) code = write_report(request->folder, &study, &result, command);
    train_result_free(&result);
    return code;
}
