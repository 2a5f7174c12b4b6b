/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Checkpoints: training goes on from one as if it had never stopped; whatever does not fit is refused; and whoever dies
 * while saving leaves the last good one. */
#define _POSIX_C_SOURCE 200809L

#include <glob.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "train.h"

enum { SAMPLES = 50, FEATURES = 6, CLASSES = 3, BATCH = 8, EPOCHS = 4, BATCHES = 7 }; /* 7 an epoch: the last has 2 */

static float x[SAMPLES * FEATURES];
static uint32_t labels[SAMPLES];
static const train_set set = {SAMPLES, FEATURES, CLASSES, x, labels, 0};
static const char path[] = "run.safetensors";

static int set_up(void **state) {
    gelu_rng rng;
    (void)state;
    gelu_manual_seed(&rng, 1);
    gelu_randn_f32(&rng, SAMPLES * FEATURES, x);
    for (size_t i = 0; i < SAMPLES; i++) labels[i] = gelu_random_u32(&rng) % CLASSES;
    return 0;
}

static train_plan make_plan(void) {
    return (train_plan){.net = {.dtype = GELU_F32,
                                .layers = 3,
                                .widths = {FEATURES, 9, 5, CLASSES},
                                .act = GELU_ERF,
                                .dropout = 0.3,
                                .init = TRAIN_INIT_TORCH,
                                .loss = TRAIN_CROSS_ENTROPY},
                        .optimiser = train_adam(0.01),
                        .samples = SAMPLES,
                        .batch = BATCH,
                        .epochs = EPOCHS,
                        .seed = 9,
                        .data_hash = 77};
}

static train_run *create(const train_plan *plan) {
    train_run *run;
    assert_int_equal(train_run_create(plan, &run), GELU_OK);
    return run;
}

static bool count_down(void *context, const train_run *run, double loss) {
    (void)run, (void)loss;
    return --*(size_t *)context > 0;
}

/* Stops after so many batches. */
static void fit(train_run *run, size_t batches) {
    const train_watch watch = {count_down, &batches};
    assert_int_equal(train_fit(run, &set, &set, &watch), GELU_OK);
}

static void save(const train_run *run) {
    gelu_error err;
    if (train_save(run, path, &err) != GELU_OK) fail_msg("%s", err.message);
}

static void load(train_run *run) {
    gelu_error err;
    if (train_load(run, path, &err) != GELU_OK) fail_msg("%s", err.message);
}

static void assert_same(const train_run *a, const train_run *b) {
    size_t nbytes = a->net->count * gelu_dtype_nbytes(a->net->desc.dtype);
    assert_memory_equal(a->net->values, b->net->values, nbytes);
    assert_memory_equal(a->first, b->first, nbytes);
    assert_memory_equal(a->second, b->second, nbytes);
    assert_memory_equal(a->order, b->order, SAMPLES * sizeof *a->order);
    assert_memory_equal(&a->rng, &b->rng, sizeof a->rng);
    assert_int_equal(a->steps, b->steps);
    assert_int_equal(a->position, b->position);
    assert_int_equal(a->done, b->done);
    assert_true(a->batch_sum == b->batch_sum);
    assert_memory_equal(a->history, b->history, a->done * sizeof *a->history);
}

static void check_resume(const train_plan *plan) {
    train_run *whole = create(plan);
    fit(whole, SIZE_MAX);
    assert_int_equal(whole->done, EPOCHS);
    for (size_t stop = 1; stop <= EPOCHS * BATCHES; stop++) {
        train_run *before = create(plan), *after = create(plan);
        fit(before, stop);
        save(before);
        load(after);
        assert_same(after, before);
        fit(after, SIZE_MAX);
        assert_same(after, whole);
        train_run_free(before);
        train_run_free(after);
    }
    train_run_free(whole);
}

static void test_resume(void **state) {
    train_plan plan = make_plan();
    (void)state;
    check_resume(&plan);
    plan.net.dtype = GELU_F64;
    plan.optimiser.rule = TRAIN_SGD;
    plan.optimiser.momentum = 0.9;
    check_resume(&plan);
}

/* Trained for longer than was planned, it is the longer training. */
static void test_more_epochs(void **state) {
    train_plan plan = make_plan();
    train_run *shorter = create(&plan);
    (void)state;
    fit(shorter, SIZE_MAX);
    save(shorter);
    plan.epochs = EPOCHS + 2;
    train_run *whole = create(&plan), *longer = create(&plan);
    fit(whole, SIZE_MAX);
    load(longer);
    fit(longer, SIZE_MAX);
    assert_same(longer, whole);
    train_run_free(shorter);
    train_run_free(whole);
    train_run_free(longer);
}

/* A plan that path is not of: refused in words, and the run is as it was. */
static void assert_refused(const train_plan *plan, gelu_status status, const char *reason) {
    gelu_error err;
    train_run *run = create(plan), *same = create(plan);
    assert_int_equal(train_load(run, path, &err), status);
    assert_int_equal(err.status, status);
    if (!strstr(err.message, path) || !strstr(err.message, reason)) fail_msg("%s", err.message);
    assert_same(run, same);
    train_run_free(run);
    train_run_free(same);
}

static void test_other_plans(void **state) {
    const train_plan good = make_plan();
    train_plan plan;
    train_run *run = create(&good);
    (void)state;
    fit(run, EPOCHS * BATCHES / 2);
    save(run);
#define REFUSED(field, value, reason)                                                                                  \
    do {                                                                                                               \
        plan = good;                                                                                                   \
        plan.field = value;                                                                                            \
        assert_refused(&plan, GELU_ERR_SHAPE, reason);                                                                 \
    } while (0)
    REFUSED(net.widths[1], 10, "its widths is 6-9-5-3, not 6-10-5-3");
    REFUSED(net.layers, 2, "widths");
    REFUSED(net.dtype, GELU_F64, "its dtype is f32, not f64");
    REFUSED(net.act, GELU_TANH, "its activation is erf, not tanh");
    REFUSED(net.dropout, 0.5, "its dropout is 0.3, not 0.5");
    REFUSED(net.init, TRAIN_INIT_UNIT_ROWS, "init");
    REFUSED(optimiser.rate, 0.02, "optimiser");
    REFUSED(optimiser.rule, TRAIN_ADAMW, "optimiser");
    REFUSED(batch, BATCH + 1, "batch");
    REFUSED(seed, 10, "its seed is 9, not 10");
    REFUSED(samples, SAMPLES - 1, "data");
    REFUSED(data_hash, 78, "data");
    REFUSED(epochs, 1, "goes beyond the 1 epochs asked for");
    train_run_free(run);
}

static void write_bytes(const void *bytes, size_t nbytes) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, nbytes, file), nbytes);
    assert_int_equal(fclose(file), 0);
}

static void test_damage(void **state) {
    const train_plan plan = make_plan();
    const size_t shape[] = {2};
    const float values[] = {1, 2};
    const gelu_safetensors_tensor other = {.name = "w", .dtype = GELU_F32, .ndim = 1, .shape = shape};
    train_run *run = create(&plan);
    static unsigned char bytes[1 << 16];
    (void)state;
    fit(run, 10);
    save(run);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t nbytes = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_in_range(nbytes, 1000, sizeof bytes - 1);
    write_bytes(bytes, nbytes - 1);
    assert_refused(&plan, GELU_ERR_TRUNCATED, "");
    write_bytes(bytes, 100);
    assert_refused(&plan, GELU_ERR_TRUNCATED, "");
    assert_int_equal(gelu_safetensors_write(path, 1, &other, (const void *const[]){values}, 0, NULL, NULL), GELU_OK);
    assert_refused(&plan, GELU_ERR_MISSING, "no checkpoint of a training");
    assert_int_equal(unlink(path), 0);
    assert_refused(&plan, GELU_ERR_IO, "");
    /* Contents that no training has. */
    run->order[0] = run->order[1];
    save(run);
    assert_refused(&plan, GELU_ERR_HEADER, "order");
    run->rng.index = 625;
    save(run);
    assert_refused(&plan, GELU_ERR_HEADER, "counts");
    train_run_free(run);
}

/* A disk that is full: the error says so, and what was there stays. */
static void test_failed_save(void **state) {
    const train_plan plan = make_plan();
    struct rlimit old, small;
    gelu_error err;
    train_run *run = create(&plan), *again = create(&plan), *saved = create(&plan);
    (void)state;
    fit(run, 5);
    fit(saved, 5);
    save(run);
    fit(run, 5);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = (struct rlimit){1000, old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(train_save(run, path, &err), GELU_ERR_IO);
    assert_non_null(strstr(err.message, path));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    load(again);
    assert_same(again, saved);
    train_run_free(run);
    train_run_free(again);
    train_run_free(saved);
}

/* Trains and saves for ever. */
static void save_until_killed(const train_plan *plan) {
    train_run *run = NULL;
    if (train_run_create(plan, &run) != GELU_OK) _exit(1);
    for (;;) {
        size_t one = 1;
        const train_watch watch = {count_down, &one};
        if (train_fit(run, &set, &set, &watch) != GELU_OK || train_save(run, path, NULL) != GELU_OK) _exit(1);
    }
}

static int remove_temporaries(void) {
    glob_t found;
    if (glob(".run.safetensors*", 0, NULL, &found) != 0) return 0;
    int count = (int)found.gl_pathc;
    for (int i = 0; i < count; i++) unlink(found.gl_pathv[i]);
    globfree(&found);
    return count;
}

static void test_killed_while_saving(void **state) {
    enum { KILLS = 40, MOST_KILLS = 2000, TORN = 3 };
    int torn = 0; /* died at it */
    bool saved = false;
    train_plan plan = make_plan();
    (void)state;
    (void)remove_temporaries();
    plan.epochs = 1000;
    plan.net.widths[1] = 20000; /* a save that takes its time */
    train_run *run = create(&plan);
    save(run);
    for (int i = 0; i < KILLS || ((torn < TORN || !saved) && i < MOST_KILLS); i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) save_until_killed(&plan);
        nanosleep(&(struct timespec){.tv_nsec = 1000000L * (3 + i % 20) + 137000L * i}, NULL);
        int status;
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        torn += remove_temporaries();
        load(run);
        assert_int_equal(run->steps, run->done * BATCHES + (run->position + BATCH - 1) / BATCH);
        saved = saved || run->steps > 0;
    }
    assert_true(saved);
    assert_true(torn >= TORN);
    train_run_free(run);
}

static void test_csv(void **state) {
    const train_plan plan = make_plan();
    train_run *run = create(&plan);
    char line[256];
    double loss, train_loss, train_error, test_loss, test_error;
    int lines = 0;
    (void)state;
    fit(run, SIZE_MAX);
    assert_int_equal(train_write_csv(run, "run.csv", NULL), GELU_OK);
    FILE *file = fopen("run.csv", "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "epoch,batch_loss,train_loss,train_error,test_loss,test_error\n");
    for (int epoch; fgets(line, sizeof line, file); lines++) {
        const train_epoch *e = &run->history[lines];
        assert_int_equal(
            sscanf(line, "%d,%lf,%lf,%lf,%lf,%lf", &epoch, &loss, &train_loss, &train_error, &test_loss, &test_error),
            6);
        assert_int_equal(epoch, lines + 1);
        assert_true(loss == e->batch_loss && train_loss == e->train_loss && train_error == e->train_error &&
                    test_loss == e->test_loss && test_error == e->test_error);
    }
    fclose(file);
    assert_int_equal(lines, EPOCHS);
    gelu_error err;
    assert_int_equal(train_write_csv(run, "missing/run.csv", &err), GELU_ERR_IO);
    assert_non_null(strstr(err.message, "missing/run.csv"));
    train_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resume), cmocka_unit_test(test_more_epochs), cmocka_unit_test(test_other_plans),
        cmocka_unit_test(test_damage), cmocka_unit_test(test_failed_save), cmocka_unit_test(test_killed_while_saving),
        cmocka_unit_test(test_csv),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
