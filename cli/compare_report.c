/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "compare_report.h"

#include <inttypes.h>

#include "compare_jobs.h"
#include "compare_print.h"
#include "experiments.h"
#include "plot.h"
#include "report.h"

/* ---- CSV ---- */

typedef struct {
    size_t n;
    const compare_claim *claims;
} claim_list;

static void print_claims(const void *what, FILE *stream) {
    const claim_list *list = what;
    compare_print_csv_head(stream);
    for (size_t i = 0; i < list->n; i++) compare_print_csv(&list->claims[i], stream);
}

/* first: the name of the column that counts; the others are called by activation and name. */
static void print_columns(const char *first, size_t names, const char *const *name, FILE *stream) {
    fputs(first, stream);
    for (int a = 0; a < COMPARE_ACTS; a++)
        for (size_t i = 0; i < names; i++) fprintf(stream, ",%s_%s", gelu_act_name(compare_acts[a]), name[i]);
    fputc('\n', stream);
}

static void print_learning(const void *what, FILE *stream) {
    static const char *const names[] = {"train_loss", "test_error_percent"};
    const compare_curves *curves = what;
    print_columns("epoch", 2, names, stream);
    for (size_t i = 0; i < curves->epochs; i++) {
        fprintf(stream, "%zu", i + 1);
        for (int a = 0; a < COMPARE_ACTS; a++)
            fprintf(stream, ",%.9g,%.9g", curves->train_loss[a][i], curves->test_error[a][i]);
        fputc('\n', stream);
    }
}

static void print_dead(const void *what, FILE *stream) {
    static const char *const names[] = {"dead_percent", "near_dead_percent"};
    const compare_curves *curves = what;
    print_columns("rate", 2, names, stream);
    for (size_t r = 0; r < curves->rates; r++) {
        fprintf(stream, "%g", curves->rate[r]);
        for (int a = 0; a < COMPARE_ACTS; a++) fprintf(stream, ",%.9g,%.9g", curves->dead[a][r], curves->idle[a][r]);
        fputc('\n', stream);
    }
}

static void print_gradient(const void *what, FILE *stream) {
    static const char *const names[] = {"initial", "trained"};
    const compare_curves *curves = what;
    print_columns("layer", 2, names, stream);
    for (size_t l = 0; l < curves->depth; l++) {
        fprintf(stream, "%zu", l + 1);
        for (int a = 0; a < COMPARE_ACTS; a++)
            fprintf(stream, ",%.9g,%.9g", curves->norm[0][a][l], curves->norm[1][a][l]);
        fputc('\n', stream);
    }
}

/* ---- The page ---- */

static const char *const classes[] = {
    [COMPARE_HOLDS] = "holds", [COMPARE_FAILS] = "fails", [COMPARE_DEPENDS] = "depends"};

static void print_claim(const compare_claim *claim, FILE *stream) {
    fprintf(stream, "<tr class=\"claim\"><td colspan=\"%d\"><strong>", 1 + COMPARE_ACTS);
    report_text(claim->claim, stream);
    fprintf(stream, "</strong><br><span class=\"verdict %s\">%s</span>", classes[claim->verdict],
            compare_verdict_name(claim->verdict));
    report_text(claim->because, stream);
    fputs("<br><span class=\"rule\">Rule: ", stream);
    report_text(claim->rule, stream);
    fputs("</span></td></tr>\n", stream);
    for (size_t r = 0; r < claim->n_rows; r++) {
        fputs("<tr><td>", stream);
        report_text(claim->rows[r].measure, stream);
        fputs("</td>", stream);
        for (int a = 0; a < COMPARE_ACTS; a++) {
            char text[24];
            fprintf(stream, "<td>%s</td>", compare_figure_text(claim->rows[r].values[a], text));
        }
        fputs("</tr>\n", stream);
    }
}

static void print_summary(size_t n, const compare_claim *claims, FILE *stream) {
    fputs(
        "<p>What is said of GELU, and what this run of <code>gelu compare</code> found:</p>\n<ul class=\"summary\">\n",
        stream);
    for (size_t i = 0; i < n; i++) {
        fprintf(stream, "<li><span class=\"verdict %s\">%s</span>", classes[claims[i].verdict],
                compare_verdict_name(claims[i].verdict));
        report_text(claims[i].claim, stream);
        fputs("</li>\n", stream);
    }
    fputs("</ul>\n", stream);
}

static void print_table(size_t n, const compare_claim *claims, FILE *stream) {
    fputs("<h2>Claims</h2>\n<table>\n<thead><tr><th>claim, and what was measured</th>", stream);
    for (int a = 0; a < COMPARE_ACTS; a++) fprintf(stream, "<th>%s</th>", figure_act_name(compare_acts[a]));
    fputs("</tr></thead>\n<tbody>\n", stream);
    for (size_t i = 0; i < n; i++) print_claim(&claims[i], stream);
    fputs("</tbody>\n</table>\n", stream);
}

static int add_picture(figure *figure, const char *caption, report *report) {
    int code = report_picture(figure, caption, report);
    figure_free(figure);
    return code;
}

static int add_pictures(const compare_curves *curves, report *report) {
    plot_request functions = {.n_acts = COMPARE_ACTS, .from = -4, .to = 4, .points = 401, .grad = true};
    plot_request errors = {.n_acts = 2,
                           .acts = {GELU_TANH, GELU_QUICK},
                           .from = -6,
                           .to = 6,
                           .points = 601,
                           .is_error = true,
                           .reference = GELU_ERF};
    char caption[200];
    for (int a = 0; a < COMPARE_ACTS; a++) functions.acts[a] = compare_acts[a];
    fputs("<h2>Pictures</h2>\n", report->stream);
    int code = add_picture(plot_curves(&functions), "The functions and their slopes.", report);
    if (code == CLI_OK)
        code = add_picture(plot_curves(&errors), "How far the two approximations are from GELU itself.", report);
    if (code == CLI_OK)
        code = add_picture(compare_figure_dead(curves),
                           "Dead units after training: no training sample makes them respond or changes their weights; "
                           "near-dead: below 1 % of the unit of the layer that does most.",
                           report);
    snprintf(
        caption, sizeof caption,
        "The norm of the loss's gradient at each of %zu layers, with He's initialisation: before and after training.",
        curves->depth);
    if (code == CLI_OK) code = add_picture(compare_figure_gradient(curves), caption, report);
    if (code == CLI_OK)
        code =
            add_picture(compare_figure_learning(curves), "Learning: medians over the seeds, epoch by epoch.", report);
    return code;
}

static void add_settings(const compare_run *run, report *report) {
    static const char *const efforts[] = {
        [COMPARE_QUICK_RUN] = "quick", [COMPARE_DEFAULT_RUN] = "default", [COMPARE_FULL_RUN] = "full"};
    report_setting settings[6] = {{"Run", ""},      {"Seed", ""},     {"Data", ""},
                                  {"Networks", ""}, {"Training", ""}, {"Threads", ""}};
    snprintf(settings[0].value, sizeof settings[0].value, "%s", efforts[run->effort]);
    snprintf(settings[1].value, sizeof settings[1].value,
             "%" PRIu64 "; the learning curves: 1 to %d; the built-in digits are split by %d", run->seed,
             run->effort == COMPARE_QUICK_RUN ? 3 : 5, TRAIN_DIGITS_SPLIT);
    snprintf(settings[2].value, sizeof settings[2].value,
             "%.120s: %zu samples for training, %zu for tests, %zu classes", run->data->name, run->data->train.count,
             run->data->test.count, run->data->train.classes);
    snprintf(
        settings[3].value, sizeof settings[3].value,
        "hidden layers of %d units, biases 0; weights normal, each unit's of length 1 (the paper's), but where He's is "
        "named, of length sqrt 2",
        COMPARE_WIDTH);
    snprintf(settings[4].value, sizeof settings[4].value,
             "Adam (0.9, 0.999, 1e-8), softmax cross-entropy, batches of %d (learning curves: %zu); rate 0.001 but "
             "where another is named",
             COMPARE_BATCH, train_study_of(TRAIN_MNIST, run->data, false).batch);
    snprintf(settings[5].value, sizeof settings[5].value, "%zu; no figure but the times depends on it", run->threads);
    report_settings("Settings", 6, settings, report);
}

static int fill_page(const compare_run *run, size_t n, const compare_claim *claims, const compare_command *command,
                     report *report) {
    print_summary(n, claims, report->stream);
    print_table(n, claims, report->stream);
    int code = add_pictures(&run->curves, report);
    add_settings(run, report);
    report_machine(report);
    report_command(command->argc, command->argv, report);
    return code;
}

int compare_report(const char *folder, const compare_run *run, size_t n, const compare_claim *claims,
                   const compare_command *command) {
    claim_list list = {n, claims};
    report report = {.folder = folder};
    int code = report_csv("claims.csv", print_claims, &list, &report);
    if (code == CLI_OK) code = report_csv("learning.csv", print_learning, &run->curves, &report);
    if (code == CLI_OK) code = report_csv("dead.csv", print_dead, &run->curves, &report);
    if (code == CLI_OK) code = report_csv("gradient.csv", print_gradient, &run->curves, &report);
    if (code == CLI_OK) code = report_begin("GELU against ReLU, measured", &report);
    if (code == CLI_OK) code = fill_page(run, n, claims, command, &report);
    return report_end(&report, code);
}
