/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include "compare_jobs.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

/* ---- One network ---- */

static void look_at_layer(const train_layer *layer, size_t rows, compare_layer *out) {
    const float *preact = layer->preact, *hidden = layer->hidden;
    size_t n = rows * layer->out, zeros = 0, near = 0;
    double sum = 0, powers[3] = {0}, largest = 0;
    for (size_t i = 0; i < n; i++) {
        sum += preact[i];
        largest = fmax(largest, fabs((double)hidden[i]));
    }
    out->mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) {
        double off = preact[i] - out->mean, size = fabs((double)hidden[i]);
        powers[0] += off * off;
        powers[1] += off * off * off;
        powers[2] += off * off * off * off;
        zeros += size == 0;
        near += size < 0.01 * largest || size == 0;
    }
    double variance = powers[0] / (double)n;
    out->deviation = sqrt(variance);
    out->skewness = powers[1] / (double)n / (variance * out->deviation);
    out->kurtosis = powers[2] / (double)n / (variance * variance) - 3;
    out->zeros = (double)zeros / (double)n;
    out->near = (double)near / (double)n;
    out->norm = train_norm(GELU_F32, n, layer->delta);
}

static gelu_status look(train_net *net, const train_set *set, compare_layer *out) {
    size_t rows = set->count < COMPARE_BATCH ? set->count : COMPARE_BATCH;
    gelu_status status = train_forward(net, rows, set->x, NULL);
    double sum;
    if (status == GELU_OK) status = train_backward(net, set->x, set->label, &sum, NULL);
    for (size_t l = 0; l + 1 < net->desc.layers && status == GELU_OK; l++)
        look_at_layer(&net->layers[l], rows, &out[l]);
    return status;
}

/* Dead: no sample makes it respond, or will ever change its weights. Idle: all of that, but as far as below 1 % of what
 * the unit of its layer that does most does. */
static gelu_status count_units(train_net *net, const train_set *set, double *dead_share, double *idle_share) {
    double response[COMPARE_MAX_DEPTH][COMPARE_WIDTH], slope[COMPARE_MAX_DEPTH][COMPARE_WIDTH];
    size_t dead = 0, idle = 0, layers = net->desc.layers - 1;
    gelu_status status = train_unit_activity(net, set, response[0], slope[0]);
    for (size_t l = 0; l < layers && status == GELU_OK; l++) {
        double most[2] = {0};
        for (size_t u = 0; u < COMPARE_WIDTH; u++) {
            most[0] = fmax(most[0], response[l][u]);
            most[1] = fmax(most[1], slope[l][u]);
        }
        for (size_t u = 0; u < COMPARE_WIDTH; u++) {
            dead += response[l][u] == 0 && slope[l][u] == 0;
            idle += response[l][u] <= 0.01 * most[0] && slope[l][u] <= 0.01 * most[1];
        }
    }
    *dead_share = (double)dead / (double)(layers * COMPARE_WIDTH);
    *idle_share = (double)idle / (double)(layers * COMPARE_WIDTH);
    return status;
}

static void scale_weights(train_net *net, double gain) {
    for (size_t l = 0; l < net->desc.layers; l++) {
        float *weight = net->layers[l].weight;
        for (size_t i = 0; i < net->layers[l].in * net->layers[l].out; i++) weight[i] = (float)(weight[i] * gain);
    }
}

/* ---- Several at a time ---- */

typedef struct {
    compare_run *run;
    compare_job *jobs;
    size_t n, next;
    double total, done; /* layers times epochs */
    pthread_mutex_t mutex;
} pool;

typedef struct {
    pool *pool;
    double work; /* of a batch */
} watcher;

static bool batch_done(void *context, const train_run *run, double loss) {
    watcher *watcher = context;
    pool *pool = watcher->pool;
    (void)run;
    pthread_mutex_lock(&pool->mutex);
    pool->done += watcher->work;
    compare_show_progress(pool->run, pool->done / pool->total);
    pthread_mutex_unlock(&pool->mutex);
    return isfinite(loss);
}

static void train(pool *pool, compare_job *job) {
    const train_set *set = &pool->run->data->train;
    train_plan plan = {.net = {.dtype = GELU_F32,
                               .layers = job->hidden + 1,
                               .act = job->act,
                               .init = TRAIN_INIT_UNIT_ROWS,
                               .loss = TRAIN_CROSS_ENTROPY},
                       .optimiser = train_adam(job->rate),
                       .samples = set->count,
                       .batch = COMPARE_BATCH,
                       .epochs = job->epochs ? job->epochs : 1,
                       .seed = job->seed};
    plan.net.widths[0] = set->features;
    for (size_t l = 1; l <= job->hidden; l++) plan.net.widths[l] = COMPARE_WIDTH;
    plan.net.widths[job->hidden + 1] = set->classes;
    size_t batches = (set->count + COMPARE_BATCH - 1) / COMPARE_BATCH;
    watcher watcher = {.pool = pool, .work = (double)job->hidden / (double)batches};
    train_watch watch = {batch_done, &watcher};
    train_run *run;
    double idle_before;
    job->status = train_run_create(&plan, &run);
    if (job->status == GELU_OK) scale_weights(run->net, job->gain);
    if (job->status == GELU_OK) job->status = look(run->net, set, job->before);
    if (job->status == GELU_OK && job->counts_units)
        job->status = count_units(run->net, set, &job->dead_before, &idle_before);
    bool trains = job->status == GELU_OK && job->epochs > 0;
    if (trains) job->status = train_fit(run, set, NULL, &watch);
    if (trains && job->status == GELU_OK) job->diverged = run->done < job->epochs;
    if (trains && job->status == GELU_OK && !job->diverged) {
        job->loss = run->history[run->done - 1].batch_loss;
        job->status = look(run->net, set, job->after);
        if (job->status == GELU_OK && job->counts_units)
            job->status = count_units(run->net, set, &job->dead, &job->idle);
    }
    train_run_free(run);
}

static void *work(void *context) {
    pool *pool = context;
    for (;;) {
        pthread_mutex_lock(&pool->mutex);
        size_t mine = pool->next++;
        pthread_mutex_unlock(&pool->mutex);
        if (mine >= pool->n) return NULL;
        train(pool, &pool->jobs[mine]);
    }
}

int compare_run_jobs(compare_run *run, size_t n, compare_job *jobs) {
    pool pool = {.run = run, .jobs = jobs, .n = n, .mutex = PTHREAD_MUTEX_INITIALIZER};
    pthread_t *threads = calloc(run->threads, sizeof *threads);
    if (!threads) return cli_fail("out of memory");
    for (size_t i = 0; i < n; i++) pool.total += (double)(jobs[i].hidden * jobs[i].epochs);
    size_t started = 0;
    while (started + 1 < run->threads && pthread_create(&threads[started], NULL, work, &pool) == 0) started++;
    work(&pool);
    for (size_t t = 0; t < started; t++) pthread_join(threads[t], NULL);
    free(threads);
    for (size_t i = 0; i < n; i++)
        if (jobs[i].status != GELU_OK)
            return cli_fail("training %s, %zu layers: %s", gelu_act_name(jobs[i].act), jobs[i].hidden,
                            gelu_status_string(jobs[i].status));
    return CLI_OK;
}
