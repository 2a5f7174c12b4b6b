/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "study.h"

enum { MAX_PATH = 4096, MAX_NAME = 200, MAX_TEXT = 200 };

/* Runs are independent of each other, so threads take whole ones: small layers leave threads inside a call little to
 * do. What threads share is behind the lock. */
struct pool {
    const train_study *study;
    const train_progress *progress;
    train_set train; /* as many samples as the study has */
    train_epoch *points;
    pthread_mutex_t lock;
    size_t next; /* run */
    uint64_t done, total;
    bool stopped;
    gelu_status status; /* of the first run that failed */
    gelu_error *err;
};

/* One run, and who watches it. */
struct worker {
    struct pool *pool;
    size_t index;
    train_run *run;
    char checkpoint[MAX_PATH], csv[MAX_PATH]; /* "": none */
    double saved;                             /* when */
    uint64_t counted;                         /* samples that are in pool->done already */
    gelu_error err;
};

/* ---- Files ---- */

static gelu_status name_files(struct worker *w) {
    const train_study *s = w->pool->study;
    const train_plan *p = &w->run->plan;
    char rate[40], dropout[40], name[MAX_NAME];
    if (!s->folder) return GELU_OK;
    gelu_format_shortest(GELU_F64, &p->optimiser.rate, rate);
    gelu_format_shortest(GELU_F64, &p->net.dropout, dropout);
    /* The noise experiment takes the classifiers of the other one. */
    const char *what = s->experiment == TRAIN_AUTOENCODER ? "autoencoder" : "mnist";
    snprintf(name, sizeof name, "%s_%s_rate%s_dropout%s_seed%u", what, gelu_act_name(p->net.act), rate, dropout,
             (unsigned)p->seed);
    (void)snprintf(w->csv, sizeof w->csv, "%s/%s.csv", s->folder, name);
    if (snprintf(w->checkpoint, sizeof w->checkpoint, "%s/%s.safetensors", s->folder, name) < MAX_PATH) return GELU_OK;
    return train_fail(&w->err, GELU_ERR_IO, 0, "%.400s: the name is too long", s->folder);
}

static gelu_status save(struct worker *w) {
    if (!w->pool->study->folder) return GELU_OK;
    w->saved = train_seconds();
    gelu_status status = train_save(w->run, w->checkpoint, &w->err);
    return status == GELU_OK ? train_write_csv(w->run, w->csv, &w->err) : status;
}

static gelu_status resume(struct worker *w) {
    w->saved = train_seconds();
    if (!w->pool->study->folder || access(w->checkpoint, F_OK) != 0) return GELU_OK;
    return train_load(w->run, w->checkpoint, &w->err);
}

/* ---- A run ---- */

static bool report(struct worker *w, double loss) {
    struct pool *pool = w->pool;
    const train_run *run = w->run;
    uint64_t here = (uint64_t)run->done * run->plan.samples + run->position;
    pthread_mutex_lock(&pool->lock);
    pool->done += here - w->counted;
    w->counted = here;
    if (pool->progress && !pool->stopped && pool->status == GELU_OK) {
        char text[MAX_TEXT];
        snprintf(text, sizeof text, "%s, seed %u, epoch %zu of %zu, loss %.4f", gelu_act_name(run->plan.net.act),
                 (unsigned)run->plan.seed, run->done + (run->done < run->plan.epochs), run->plan.epochs, loss);
        pool->stopped = !pool->progress->tick(pool->progress->context, pool->done, pool->total, text);
    }
    bool go_on = !pool->stopped && pool->status == GELU_OK;
    pthread_mutex_unlock(&pool->lock);
    return go_on;
}

/* After each batch. Now and then all is saved, for a machine that stops without asking. */
static bool batch_done(void *context, const train_run *run, double loss) {
    static const double seconds_between = 20;
    struct worker *w = context;
    (void)run;
    if (train_seconds() - w->saved > seconds_between && save(w) != GELU_OK) return false;
    return report(w, loss);
}

static gelu_status measure_noise(struct worker *w, train_epoch *points) {
    const train_study *s = w->pool->study;
    const train_set *test = &s->data->test;
    size_t n = test->count * test->features;
    train_set noisy = *test;
    gelu_rng rng;
    noisy.x = malloc(n * sizeof *noisy.x);
    gelu_status status = noisy.x ? GELU_OK : GELU_ERR_MEMORY;
    gelu_manual_seed(&rng, w->run->plan.seed); /* the same noise for each activation */
    for (size_t i = 0; status == GELU_OK && i < s->n_noises; i++) {
        gelu_uniform_f32(&rng, (float)-s->noises[i], (float)s->noises[i], n, noisy.x);
        for (size_t j = 0; j < n; j++) noisy.x[j] += test->x[j];
        status = train_evaluate(w->run->net, &noisy, &points[i].test_loss, &points[i].test_error);
    }
    free(noisy.x);
    return status;
}

/* Trains, saves, and takes what the result shows of the run. */
static gelu_status train_and_measure(struct worker *w) {
    const train_study *s = w->pool->study;
    train_epoch *points = w->pool->points + w->index * train_study_points(s);
    const train_watch watch = {batch_done, w};
    gelu_status status = resume(w);
    if (status != GELU_OK) return status;
    bool already = w->run->done == s->epochs;
    status = train_fit(w->run, &w->pool->train, &s->data->test, &watch);
    if (status == GELU_OK) status = w->err.status;
    if (status == GELU_OK && !already) status = save(w);
    if (status != GELU_OK || w->run->done < s->epochs) return status;
    (void)report(w, w->run->history[s->epochs - 1].train_loss);
    if (s->experiment == TRAIN_NOISE) return measure_noise(w, points);
    memcpy(points, w->run->history, s->epochs * sizeof *points);
    return GELU_OK;
}

static gelu_status do_run(struct worker *w) {
    const train_plan plan = train_study_plan(w->pool->study, w->index);
    gelu_status status = train_run_create(&plan, &w->run);
    if (status == GELU_OK) status = name_files(w);
    if (status == GELU_OK) status = train_and_measure(w);
    train_run_free(w->run);
    if (status != GELU_OK && w->err.status == GELU_OK)
        train_fail(&w->err, status, 0, "%s: %s", w->pool->study->data->name, gelu_status_string(status));
    return status;
}

/* ---- Threads ---- */

static void *work(void *context) {
    struct pool *pool = context;
    for (;;) {
        struct worker w = {.pool = pool};
        pthread_mutex_lock(&pool->lock);
        w.index = pool->next++;
        bool over = w.index >= train_study_runs(pool->study) || pool->stopped || pool->status != GELU_OK;
        pthread_mutex_unlock(&pool->lock);
        if (over) return NULL;
        gelu_status status = do_run(&w);
        pthread_mutex_lock(&pool->lock);
        if (status != GELU_OK && pool->status == GELU_OK) {
            pool->status = status;
            if (pool->err) *pool->err = w.err;
        }
        pthread_mutex_unlock(&pool->lock);
    }
}

/* This thread works as well, so that it goes on without others. */
static void work_together(struct pool *pool) {
    enum { MOST_THREADS = 256 };
    pthread_t threads[MOST_THREADS];
    size_t wanted = pool->study->threads - 1, started = 0, library_threads = gelu_num_threads();
    if (wanted > train_study_runs(pool->study) - 1) wanted = train_study_runs(pool->study) - 1;
    (void)gelu_set_num_threads(1);
    while (started < wanted && started < MOST_THREADS && pthread_create(&threads[started], NULL, work, pool) == 0)
        started++;
    (void)work(pool);
    for (size_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
    (void)gelu_set_num_threads(library_threads);
}

gelu_status train_study_run(const train_study *study, const train_progress *progress, train_result *out,
                            gelu_error *err) {
    const double began = train_seconds();
    *out = (train_result){.experiment = study->experiment};
    gelu_status status = train_study_check(study);
    if (status != GELU_OK) return train_fail(err, status, 0, "the study: %s", gelu_status_string(status));
    struct pool pool = {.study = study, .progress = progress, .train = study->data->train, .err = err};
    pool.train.count = study->samples;
    pool.total = (uint64_t)train_study_runs(study) * study->epochs * study->samples;
    pool.points = calloc(train_study_runs(study) * train_study_points(study), sizeof *pool.points);
    if (!pool.points) return train_fail(err, GELU_ERR_MEMORY, 0, "the study: out of memory");
    pthread_mutex_init(&pool.lock, NULL);
    work_together(&pool);
    pthread_mutex_destroy(&pool.lock);
    status = pool.status;
    if (status == GELU_OK && !pool.stopped) {
        status = train_curves_create(study, pool.points, out);
        if (status != GELU_OK) train_fail(err, status, 0, "the study: out of memory");
    }
    free(pool.points);
    if (status != GELU_OK) return status;
    out->experiment = study->experiment;
    out->finished = !pool.stopped;
    out->seconds = train_seconds() - began;
    return GELU_OK;
}
