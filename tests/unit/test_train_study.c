/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The experiments: their settings, medians, checkpoints; what they reach on the digits; and dead units. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "experiments.h"

static train_data digits;

static int set_up(void **state) {
    (void)state;
    return train_data_digits(0, &digits, NULL) == GELU_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    train_data_free(&digits);
    return 0;
}

static train_result run(const train_study *study, const train_progress *progress) {
    train_result result;
    gelu_error err;
    if (train_study_run(study, progress, &result, &err) != GELU_OK) fail_msg("%s", err.message);
    return result;
}

/* Few and small enough for a test. */
static train_study make_small(train_experiment experiment) {
    train_study study = train_study_of(experiment, &digits, false);
    study.n_acts = 2;
    study.acts[1] = GELU_RELU;
    study.seeds = 3;
    study.samples = 200;
    study.epochs = 2;
    return study;
}

static void assert_same(const train_result *a, const train_result *b) {
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const train_curve *p = &a->curves[i], *q = &b->curves[i];
        assert_int_equal(p->act, q->act);
        assert_true(p->rate == q->rate && p->dropout == q->dropout);
        assert_int_equal(p->points, q->points);
        assert_memory_equal(p->median, q->median, p->points * sizeof *p->median);
        assert_memory_equal(p->low, q->low, p->points * sizeof *p->low);
        assert_memory_equal(p->high, q->high, p->points * sizeof *p->high);
    }
}

/* The acceptance of the trainer: at least 95 % of the test digits, in the median of five seeds. */
static void check_accuracy(const train_data *data) {
    train_study study = train_study_of(TRAIN_MNIST, data, false);
    study.n_acts = study.n_dropouts = 1;
    assert_int_equal(study.acts[0], GELU_ERF);
    assert_int_equal(study.seeds, 5);
    assert_true(study.dropouts[0] == 0);
    train_result result = run(&study, NULL);
    assert_true(result.finished);
    assert_int_equal(result.count, 1);
    const train_epoch *last = &result.curves[0].median[result.curves[0].points - 1];
    print_message("digits: median test accuracy %.2f %%, log loss %.4f\n", 100 * (1 - last->test_error),
                  last->test_loss);
    assert_true(last->test_error <= 0.05);
    assert_true(last->train_loss < 0.05);
    train_result_free(&result);
    assert_null(result.curves);
}

/* Of any split, and of that which gelu compare takes. */
static void test_digits_accuracy(void **state) {
    train_data other;
    (void)state;
    check_accuracy(&digits);
    assert_int_equal(train_data_digits(TRAIN_DIGITS_SPLIT, &other, NULL), GELU_OK);
    check_accuracy(&other);
    train_data_free(&other);
}

/* Medians and bounds, against the runs themselves. */
static void test_medians(void **state) {
    train_study study = make_small(TRAIN_MNIST);
    (void)state;
    study.n_dropouts = 1;
    train_result result = run(&study, NULL);
    assert_int_equal(result.count, 2);
    for (size_t a = 0; a < 2; a++) {
        double losses[3];
        for (size_t seed = 0; seed < 3; seed++) {
            train_plan plan = {.net = {.dtype = GELU_F32,
                                       .layers = study.layers,
                                       .act = study.acts[a],
                                       .init = TRAIN_INIT_UNIT_ROWS,
                                       .loss = TRAIN_CROSS_ENTROPY},
                               .optimiser = train_adam(1e-3),
                               .samples = 200,
                               .batch = study.batch,
                               .epochs = 2,
                               .seed = seed + 1};
            train_set part = digits.train;
            train_run *one;
            part.count = 200;
            memcpy(plan.net.widths, study.widths, sizeof study.widths);
            assert_int_equal(train_run_create(&plan, &one), GELU_OK);
            assert_int_equal(train_fit(one, &part, &digits.test, NULL), GELU_OK);
            losses[seed] = one->history[1].test_loss;
            train_run_free(one);
        }
        double low = fmin(losses[0], fmin(losses[1], losses[2])), high = fmax(losses[0], fmax(losses[1], losses[2]));
        const train_curve *curve = &result.curves[a];
        assert_int_equal(curve->points, 2);
        assert_true(curve->at[1] == 2);
        assert_true(curve->low[1].test_loss == low && curve->high[1].test_loss == high);
        assert_true(curve->median[1].test_loss ==
                    fmax(fmin(losses[0], losses[1]), fmin(fmax(losses[0], losses[1]), losses[2])));
        assert_ptr_equal(train_best(&result, study.acts[a], 0), curve);
    }
    assert_null(train_best(&result, GELU_SILU, 0));
    train_result_free(&result);
}

/* Stopped again and again, and gone on with: the same curves, whatever the number of threads. */
struct stop {
    uint64_t at;
    int calls;
};

static bool stop_at(void *context, uint64_t done, uint64_t total, const char *text) {
    struct stop *stop = context;
    stop->calls++;
    assert_true(done <= total && strstr(text, "seed"));
    return done < stop->at;
}

static void check_stops(train_experiment experiment) {
    train_study study = make_small(experiment);
    (void)!system("rm -rf runs && mkdir runs");
    study.threads = 1;
    train_result whole = run(&study, NULL);
    uint64_t total = train_study_runs(&study) * study.epochs * study.samples;
    study.folder = "runs";
    study.threads = 2;
    for (int part = 1; part < 4; part++) {
        struct stop stop = {.at = total * (uint64_t)part / 4};
        train_result result = run(&study, &(train_progress){stop_at, &stop});
        assert_false(result.finished);
        assert_int_equal(result.count, 0);
        assert_true(stop.calls > 0);
        train_result_free(&result);
    }
    train_result rest = run(&study, NULL);
    assert_true(rest.finished);
    assert_same(&rest, &whole);
    train_result again = run(&study, NULL); /* all of it from the checkpoints */
    assert_same(&again, &whole);
    train_result_free(&whole);
    train_result_free(&rest);
    train_result_free(&again);
}

static void test_stops(void **state) {
    (void)state;
    check_stops(TRAIN_MNIST);
    check_stops(TRAIN_AUTOENCODER);
    check_stops(TRAIN_NOISE);
}

/* A folder of another study: refused with the file's name. */
static void test_other_folder(void **state) {
    train_study study = make_small(TRAIN_MNIST);
    train_result result;
    gelu_error err;
    (void)state;
    (void)!system("rm -rf runs && mkdir runs");
    study.folder = "runs";
    study.seeds = 1;
    result = run(&study, NULL);
    train_result_free(&result);
    study.batch++;
    assert_int_equal(train_study_run(&study, NULL, &result, &err), GELU_ERR_SHAPE);
    assert_non_null(strstr(err.message, "runs/mnist_"));
    assert_non_null(strstr(err.message, "its batch is 64, not 65"));
    study.batch--;
    train_data other = digits; /* the test alone differs, whose figures are kept, too */
    other.test.hash++;
    study.data = &other;
    assert_int_equal(train_study_run(&study, NULL, &result, &err), GELU_ERR_SHAPE);
    assert_non_null(strstr(err.message, "its data is "));
    study.folder = "missing";
    assert_int_equal(train_study_run(&study, NULL, &result, &err), GELU_ERR_IO);
    assert_non_null(strstr(err.message, "missing/mnist_"));
    study.folder = NULL;
    study.samples = digits.train.count + 1;
    assert_int_equal(train_study_run(&study, NULL, &result, &err), GELU_ERR_SHAPE);
    study = make_small(TRAIN_MNIST);
    study.widths[0] = 65;
    assert_int_equal(train_study_run(&study, NULL, &result, &err), GELU_ERR_SHAPE);
}

/* Noise makes errors: without any the classifier is as it was, with a lot it guesses. */
static void test_noise(void **state) {
    train_study study = train_study_of(TRAIN_NOISE, &digits, false);
    (void)state;
    study.n_acts = 1;
    study.seeds = 1;
    study.epochs = 8;
    train_result result = run(&study, NULL);
    const train_curve *curve = &result.curves[0];
    assert_int_equal(curve->points, study.n_noises);
    assert_true(curve->at[0] == 0 && curve->median[0].test_error < 0.15);
    assert_true(curve->at[curve->points - 1] == 3 && curve->median[curve->points - 1].test_error > 0.5);
    assert_true(curve->median[1].test_loss > curve->median[0].test_loss);
    train_result_free(&result);
}

static void test_settings(void **state) {
    double seconds = 0;
    (void)state;
    for (int e = TRAIN_MNIST; e <= TRAIN_NOISE; e++) {
        train_experiment found;
        assert_int_equal(train_experiment_from_name(train_experiment_name((train_experiment)e), &found), GELU_OK);
        assert_int_equal(found, e);
        train_study paper = train_study_of((train_experiment)e, &digits, true);
        assert_int_equal(paper.n_acts, 6);
        assert_int_equal(paper.seeds, 5);
        assert_int_equal(paper.layers, e == TRAIN_AUTOENCODER ? 8 : 9);
        assert_int_equal(paper.batch, e == TRAIN_AUTOENCODER ? 64 : 128);
    }
    train_experiment none;
    assert_int_equal(train_experiment_from_name("cifar", &none), GELU_ERR_NAME);
    assert_int_equal(train_experiment_from_name(NULL, &none), GELU_ERR_NAME);
    train_study study = make_small(TRAIN_MNIST);
    study.n_acts = study.n_dropouts = 1;
    assert_int_equal(train_study_estimate(&study, &seconds), GELU_OK);
    assert_true(seconds > 0 && seconds < 600);
    study.n_rates = 0;
    assert_int_equal(train_study_estimate(&study, &seconds), GELU_ERR_ARGUMENT);
}

static void test_csv(void **state) {
    train_study study = make_small(TRAIN_NOISE);
    char line[512];
    size_t lines = 0;
    (void)state;
    study.seeds = 1;
    study.epochs = 1;
    train_result result = run(&study, NULL);
    FILE *file = tmpfile();
    assert_non_null(file);
    train_result_print_csv(&result, file);
    rewind(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "act,rate,dropout,noise,test_loss,test_loss_low,test_loss_high,test_error,"
                              "test_error_low,test_error_high\n");
    while (fgets(line, sizeof line, file)) lines++;
    fclose(file);
    assert_int_equal(lines, 2 * study.n_noises);
    train_result_free(&result);
}

/* Units whose bias leaves them no sample are dead with RELU: exactly 0, and so is their gradient. GELU's tail is not. */
static void check_dead(gelu_act act, size_t expected) {
    enum { WIDE = 16, DEAD = 5 };
    const train_desc desc = {.dtype = GELU_F32,
                             .layers = 3,
                             .widths = {64, 8, WIDE, 10},
                             .act = act,
                             .init = TRAIN_INIT_TORCH,
                             .loss = TRAIN_CROSS_ENTROPY,
                             .rows = 100};
    double activations[8 + WIDE], deltas[8 + WIDE], *activation = activations + 8, *delta = deltas + 8;
    size_t dead = 0;
    train_net *net;
    gelu_rng rng;
    gelu_manual_seed(&rng, 1);
    assert_int_equal(train_net_create(&desc, &rng, &net), GELU_OK);
    float *bias = net->layers[1].bias;
    for (size_t j = 0; j < WIDE; j++) bias[j] = j < DEAD ? -6 : 6;
    assert_int_equal(train_unit_activity(net, &digits.train, activations, deltas), GELU_OK);
    for (size_t j = 0; j < 8; j++) assert_true(activations[j] > 0 && deltas[j] > 0);
    for (size_t j = 0; j < WIDE; j++) {
        assert_true(j >= DEAD || activation[j] < 1e-6);
        dead += activation[j] == 0 && delta[j] == 0;
    }
    assert_int_equal(dead, expected);
    train_net_free(net);
}

/* The evaluation takes shortcuts, which change no bit. */
static void test_evaluation(void **state) {
    (void)state;
    for (int dtype = GELU_F32; dtype <= GELU_F64; dtype += GELU_F64 - GELU_F32) {
        const train_desc desc = {.dtype = (gelu_dtype)dtype,
                                 .layers = 3,
                                 .widths = {64, 33, 16, 10},
                                 .act = GELU_ERF,
                                 .init = TRAIN_INIT_TORCH,
                                 .loss = TRAIN_CROSS_ENTROPY,
                                 .rows = 100};
        size_t samples = digits.test.count, mistakes = 0, wrong;
        double x[100 * 64], total = 0, sum, loss, error;
        train_net *net;
        gelu_rng rng;
        gelu_manual_seed(&rng, 1);
        assert_int_equal(train_net_create(&desc, &rng, &net), GELU_OK);
        for (size_t at = 0; at < samples; at += 100) {
            size_t rows = samples - at < 100 ? samples - at : 100;
            assert_int_equal(gelu_convert(rows * 64, GELU_F32, digits.test.x + at * 64, desc.dtype, x), GELU_OK);
            assert_int_equal(train_forward(net, rows, x, NULL), GELU_OK);
            train_loss_sum(net, digits.test.label + at, &sum, &wrong);
            total += sum;
            mistakes += wrong;
        }
        assert_int_equal(train_evaluate(net, &digits.test, &loss, &error), GELU_OK);
        assert_true(loss == total / (double)samples && error == (double)mistakes / (double)samples);
        train_net_free(net);
    }
}

static void test_dead_units(void **state) {
    (void)state;
    check_dead(GELU_RELU, 5);
    check_dead(GELU_ERF, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_digits_accuracy),
        cmocka_unit_test(test_medians),
        cmocka_unit_test(test_stops),
        cmocka_unit_test(test_other_folder),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_evaluation),
        cmocka_unit_test(test_dead_units),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
