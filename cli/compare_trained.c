/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Claims about networks, from some that are trained for it: the paper's 8 layers of 128 at several learning rates, and
 * deeper ones. */

#include <math.h>
#include <stdlib.h>

#include "compare_jobs.h"

enum { HIDDEN = 8, GAINS = 2, MAX_JOBS = COMPARE_ACTS * (COMPARE_MAX_RATES + GAINS * COMPARE_MAX_DEPTHS) };

/* The paper's rows of length 1, with which a deep network's gradients vanish and training does nothing; and times sqrt 2,
 * which He et al. made for ReLU. */
enum { UNIT_ROWS, HE };
static const double gains[GAINS] = {1, 1.4142135623730951};
static const char *const gain_names[GAINS] = {"unit rows", "He"};
static const char *const gain_keys[GAINS] = {"unit", "he"};

typedef struct {
    size_t rates, depths, epochs, deep_epochs;
    double rate[COMPARE_MAX_RATES];
    size_t depth[COMPARE_MAX_DEPTHS];
} plan;

static const plan plans[] = {
    [COMPARE_QUICK_RUN] = {3, 2, 3, 1, {1e-3, 1e-2, 1e-1}, {4, 16}},
    [COMPARE_DEFAULT_RUN] = {5, 5, 6, 2, {1e-3, 3e-3, 1e-2, 3e-2, 1e-1}, {4, 8, 16, 32, 64}},
    [COMPARE_FULL_RUN] = {6, 5, 50, 20, {1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1}, {4, 8, 16, 32, 64}},
};

/* The jobs lie by rate, or by gain and depth, and then by activation. */
static const compare_job *job_of_rate(const compare_job *jobs, size_t rate, size_t act) {
    return &jobs[rate * COMPARE_ACTS + act];
}

static const compare_job *job_of_depth(const plan *plan, const compare_job *jobs, size_t gain, size_t depth,
                                       size_t act) {
    return &jobs[(plan->rates + gain * plan->depths + depth) * COMPARE_ACTS + act];
}

static size_t list_jobs(const plan *plan, uint64_t seed, compare_job *jobs) {
    size_t n = 0;
    for (size_t r = 0; r < plan->rates; r++)
        for (size_t a = 0; a < COMPARE_ACTS; a++)
            jobs[n++] = (compare_job){.act = compare_acts[a],
                                      .hidden = HIDDEN,
                                      .gain = 1,
                                      .rate = plan->rate[r],
                                      .epochs = plan->epochs,
                                      .seed = seed,
                                      .counts_units = true};
    for (size_t g = 0; g < GAINS; g++)
        for (size_t d = 0; d < plan->depths; d++)
            for (size_t a = 0; a < COMPARE_ACTS; a++)
                jobs[n++] = (compare_job){.act = compare_acts[a],
                                          .hidden = plan->depth[d],
                                          .gain = gains[g],
                                          .rate = 1e-3,
                                          .epochs = g == HE ? plan->deep_epochs : 0,
                                          .seed = seed};
    return n;
}

static double weights(const compare_run *run, size_t hidden) {
    return (double)((run->data->train.features + (hidden - 1) * COMPARE_WIDTH) * COMPARE_WIDTH);
}

double compare_trained_work(const compare_run *run) {
    enum { COUNTS = 2 }; /* passes that count dead units */
    const plan *plan = &plans[run->effort];
    double work = (double)(plan->rates * (plan->epochs + COUNTS));
    for (size_t d = 0; d < plan->depths; d++)
        work += (double)plan->deep_epochs * weights(run, plan->depth[d]) / weights(run, HIDDEN);
    return COMPARE_ACTS * work;
}

/* ---- Dead units ---- */

static void report_dead(const plan *plan, const compare_job *jobs, compare_curves *curves, compare_claim *claim) {
    static const char *const dead_keys[] = {"dead_1", "dead_2", "dead_3", "dead_4", "dead_5", "dead_6"};
    static const char *const idle_keys[] = {"idle_1", "idle_2", "idle_3", "idle_4", "idle_5", "idle_6"};
    claim->key = "dead";
    claim->claim = "GELU has no dead units";
    curves->rates = plan->rates;
    compare_row *initial = compare_add_row(claim, "dead_initial");
    snprintf(initial->measure, sizeof initial->measure, "dead units, %%, %d x %d, at initialisation", HIDDEN,
             COMPARE_WIDTH);
    for (size_t a = 0; a < COMPARE_ACTS; a++) initial->values[a] = 100 * job_of_rate(jobs, 0, a)->dead_before;
    for (int idle = 0; idle < 2; idle++)
        for (size_t r = 0; r < plan->rates; r++) {
            compare_row *row = compare_add_row(claim, idle ? idle_keys[r] : dead_keys[r]);
            snprintf(row->measure, sizeof row->measure, "%s units, %%, %d x %d, Adam %g, %zu epochs",
                     idle ? "near-dead" : "dead", HIDDEN, COMPARE_WIDTH, plan->rate[r], plan->epochs);
            curves->rate[r] = plan->rate[r];
            for (size_t a = 0; a < COMPARE_ACTS; a++) {
                const compare_job *job = job_of_rate(jobs, r, a);
                double share = idle ? job->idle : job->dead;
                row->values[a] = job->diverged ? NAN : 100 * share;
                (idle ? curves->idle : curves->dead)[a][r] = row->values[a];
            }
        }
    compare_judge_dead(claim, plan->rates, plan->rate, curves->dead[COMPARE_RELU], curves->dead[COMPARE_GELU]);
}

/* ---- Gradients ---- */

static double first_to_last(const compare_job *job, bool trained) {
    const compare_layer *layers = trained ? job->after : job->before;
    return trained && job->diverged ? NAN : layers[0].norm / layers[job->hidden - 1].norm;
}

static void report_gradients(const plan *plan, const compare_job *jobs, compare_curves *curves, compare_claim *claim) {
    static char keys[2][GAINS][COMPARE_MAX_DEPTHS][32];
    double relu[2 * GAINS * COMPARE_MAX_DEPTHS], gelu[2 * GAINS * COMPARE_MAX_DEPTHS];
    size_t cases = 0;
    claim->key = "gradient";
    claim->claim = "GELU's gradients are steadier in deep networks";
    for (int trained = 0; trained < 2; trained++)
        for (size_t g = trained ? HE : UNIT_ROWS; g < GAINS; g++)
            for (size_t d = 0; d < plan->depths; d++) {
                char *key = keys[trained][g][d];
                snprintf(key, sizeof keys[0][0][0], "%s_%s_%zu", trained ? "trained" : "initial", gain_keys[g],
                         plan->depth[d]);
                compare_row *row = compare_add_row(claim, key);
                char when[32] = "at initialisation";
                if (trained)
                    snprintf(when, sizeof when, "after %zu epoch%s", plan->deep_epochs,
                             plan->deep_epochs == 1 ? "" : "s");
                snprintf(row->measure, sizeof row->measure, "gradient, layer 1 / layer %zu, %s, %s", plan->depth[d],
                         gain_names[g], when);
                for (size_t a = 0; a < COMPARE_ACTS; a++)
                    row->values[a] = first_to_last(job_of_depth(plan, jobs, g, d, a), trained);
                relu[cases] = row->values[COMPARE_RELU];
                gelu[cases++] = row->values[COMPARE_GELU];
            }
    compare_judge_gradient(claim, cases, relu, gelu);
    curves->depth = plan->depth[plan->depths - 1];
    for (size_t a = 0; a < COMPARE_ACTS; a++) {
        const compare_job *job = job_of_depth(plan, jobs, HE, plan->depths - 1, a);
        for (size_t l = 0; l < job->hidden; l++) {
            curves->norm[0][a][l] = job->before[l].norm;
            curves->norm[1][a][l] = job->diverged ? NAN : job->after[l].norm;
        }
    }
}

/* ---- Values inside ---- */

/* The one farthest from 0 over the hidden layers. */
static double worst(const compare_layer *layers, double (*of)(const compare_layer *)) {
    double worst = 0;
    for (size_t l = 0; l < HIDDEN; l++)
        if (!(fabs(of(&layers[l])) <= fabs(worst))) worst = of(&layers[l]);
    return worst;
}

static double average(const compare_layer *layers, double (*of)(const compare_layer *)) {
    double sum = 0;
    for (size_t l = 0; l < HIDDEN; l++) sum += of(&layers[l]);
    return sum / HIDDEN;
}

static double mean_of(const compare_layer *layer) { return layer->mean; }
static double deviation_of(const compare_layer *layer) { return layer->deviation; }
static double skewness_of(const compare_layer *layer) { return layer->skewness; }
static double kurtosis_of(const compare_layer *layer) { return layer->kurtosis; }
static double zeros_of(const compare_layer *layer) { return 100 * layer->zeros; }
static double near_of(const compare_layer *layer) { return 100 * layer->near; }

/* Of the paper's network at rate 1e-3. */
static const compare_job *base_job(const plan *plan, const compare_job *jobs, size_t act) {
    size_t rate = 0;
    while (rate + 1 < plan->rates && plan->rate[rate] != 1e-3) rate++;
    return job_of_rate(jobs, rate, act);
}

static compare_row *add_figure(const plan *plan, const compare_job *jobs, bool trained,
                               double (*over)(const compare_layer *, double (*)(const compare_layer *)),
                               double (*of)(const compare_layer *), const char *key, const char *what,
                               compare_claim *claim) {
    compare_row *row = compare_add_row(claim, key);
    snprintf(row->measure, sizeof row->measure, "%s, %s", what, trained ? "trained" : "at initialisation");
    for (size_t a = 0; a < COMPARE_ACTS; a++) {
        const compare_job *job = base_job(plan, jobs, a);
        row->values[a] = trained && job->diverged ? NAN : over(trained ? job->after : job->before, of);
    }
    return row;
}

static void report_preactivations(const plan *plan, const compare_job *jobs, compare_claim *claim) {
    static const struct {
        double (*over)(const compare_layer *, double (*)(const compare_layer *));
        double (*of)(const compare_layer *);
        const char *keys[2], *what;
    } figures[] = {
        {average, mean_of, {"mean_initial", "mean_trained"}, "preactivations: mean, over 8 layers"},
        {average, deviation_of, {"deviation_initial", "deviation_trained"}, "standard deviation, over 8 layers"},
        {worst, skewness_of, {"skewness_initial", "skewness_trained"}, "skewness, worst layer"},
        {worst, kurtosis_of, {"kurtosis_initial", "kurtosis_trained"}, "excess kurtosis, worst layer"},
    };
    double shape[2][2];
    claim->key = "normal";
    claim->claim = "what GELU is applied to is normally distributed";
    for (int trained = 0; trained < 2; trained++)
        for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
            compare_row *row = add_figure(plan, jobs, trained, figures[i].over, figures[i].of, figures[i].keys[trained],
                                          figures[i].what, claim);
            if (figures[i].of == skewness_of) shape[trained][0] = row->values[COMPARE_GELU];
            if (figures[i].of == kurtosis_of) shape[trained][1] = row->values[COMPARE_GELU];
        }
    compare_judge_normal(claim, shape[0], shape[1]);
}

static void report_sparsity(const plan *plan, const compare_job *jobs, compare_claim *claim) {
    static const char *const zeros = "exact zeros, % of activations";
    static const char *const near = "below 1 % of the layer's largest, %";
    claim->key = "sparse";
    claim->claim = "GELU keeps ReLU's sparsity";
    add_figure(plan, jobs, false, average, zeros_of, "zeros_initial", zeros, claim);
    add_figure(plan, jobs, false, average, near_of, "near_initial", near, claim);
    const compare_row *exact = add_figure(plan, jobs, true, average, zeros_of, "zeros_trained", zeros, claim);
    const compare_row *close = add_figure(plan, jobs, true, average, near_of, "near_trained", near, claim);
    compare_judge_sparse(claim, exact->values, close->values);
}

int compare_trained(compare_run *run, compare_claim claims[COMPARE_TRAINED]) {
    const plan *plan = &plans[run->effort];
    compare_job *jobs = calloc(MAX_JOBS, sizeof *jobs);
    if (!jobs) return cli_fail("out of memory");
    int code = compare_run_jobs(run, list_jobs(plan, run->seed, jobs), jobs);
    if (code == CLI_OK) {
        report_dead(plan, jobs, &run->curves, &claims[0]);
        report_gradients(plan, jobs, &run->curves, &claims[1]);
        report_preactivations(plan, jobs, &claims[2]);
        report_sparsity(plan, jobs, &claims[3]);
    }
    free(jobs);
    return code;
}
