/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* How fast the paper's classifier learns: medians over seeds. */

#include "compare_measure.h"
#include "experiments.h"

static bool show(void *context, uint64_t done, uint64_t total, const char *text) {
    (void)text;
    compare_show_progress(context, (double)done / (double)total);
    return true;
}

static train_study study_of(const compare_run *run) {
    static const size_t epochs[] = {[COMPARE_QUICK_RUN] = 4, [COMPARE_DEFAULT_RUN] = 15, [COMPARE_FULL_RUN] = 50};
    train_study study = train_study_of(TRAIN_MNIST, run->data, false);
    study.n_acts = COMPARE_ACTS;
    for (int a = 0; a < COMPARE_ACTS; a++) study.acts[a] = compare_acts[a];
    study.n_rates = study.n_dropouts = 1;
    study.rates[0] = 1e-3;
    study.dropouts[0] = 0;
    study.epochs = epochs[run->effort];
    study.seeds = run->effort == COMPARE_QUICK_RUN ? 3 : 5;
    study.threads = run->threads;
    return study;
}

static void keep(const train_result *result, compare_curves *curves) {
    for (int a = 0; a < COMPARE_ACTS; a++) {
        const train_curve *curve = train_best(result, compare_acts[a], 0);
        curves->epochs = curve->points;
        for (size_t i = 0; i < curve->points; i++) {
            curves->train_loss[a][i] = curve->median[i].train_loss;
            curves->test_error[a][i] = 100 * curve->median[i].test_error;
        }
    }
}

static void report(const train_study *study, const compare_curves *curves, compare_claim *claim) {
    static const size_t marks[] = {4, 2, 1}; /* parts of the epochs */
    static const char *const keys[] = {"train_loss_quarter", "train_loss_half", "train_loss_end"};
    claim->key = "convergence";
    claim->claim = "networks with GELU learn faster";
    for (int m = 0; m < 3; m++) {
        size_t epoch = (curves->epochs + marks[m] - 1) / marks[m];
        compare_row *row = compare_add_row(claim, keys[m]);
        snprintf(row->measure, sizeof row->measure, "training loss after %zu epoch%s, median of %zu seeds", epoch,
                 epoch == 1 ? "" : "s", study->seeds);
        for (int a = 0; a < COMPARE_ACTS; a++) row->values[a] = curves->train_loss[a][epoch - 1];
    }
    compare_row *error = compare_add_row(claim, "test_error");
    snprintf(error->measure, sizeof error->measure, "test errors after %zu epochs, %%, median", curves->epochs);
    for (int a = 0; a < COMPARE_ACTS; a++) error->values[a] = curves->test_error[a][curves->epochs - 1];
    compare_judge_convergence(claim, curves->epochs, curves->train_loss[COMPARE_RELU], curves->train_loss[COMPARE_GELU],
                              error->values[COMPARE_RELU], error->values[COMPARE_GELU]);
}

int compare_convergence(compare_run *run, compare_claim *claim) {
    train_study study = study_of(run);
    train_progress progress = {show, run};
    train_result result;
    gelu_error err = {0};
    gelu_status status = train_study_run(&study, &progress, &result, &err);
    if (status != GELU_OK) return cli_fail("%s", err.message[0] ? err.message : gelu_status_string(status));
    keep(&result, &run->curves);
    report(&study, &run->curves, claim);
    train_result_free(&result);
    return CLI_OK;
}

int compare_estimate(const compare_run *run, double *seconds) {
    train_study study = study_of(run);
    gelu_status status = train_study_estimate(&study, seconds);
    *seconds *= 1 + compare_trained_work(run) / (double)(train_study_runs(&study) * study.epochs);
    *seconds += compare_cost_seconds(run->effort);
    return status == GELU_OK ? CLI_OK : cli_fail("%s", gelu_status_string(status));
}
