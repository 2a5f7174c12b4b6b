/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <math.h>
#include <stdlib.h>

#include "batch.h"
#include "network.h"

train_optimiser train_adam(double rate) {
    return (train_optimiser){.rule = TRAIN_ADAM, .rate = rate, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8};
}

void train_shuffle(gelu_rng *rng, size_t n, uint32_t *order) {
    for (size_t i = 0; i < n; i++) order[i] = (uint32_t)i;
    for (size_t i = 0; i + 1 < n; i++) {
        size_t j = i + gelu_random_u32(rng) % (n - i);
        uint32_t other = order[j];
        order[j] = order[i];
        order[i] = other;
    }
}

static bool plan_is_valid(const train_plan *p) {
    const train_optimiser *o = &p->optimiser;
    bool betas = o->beta1 >= 0 && o->beta1 < 1 && o->beta2 >= 0 && o->beta2 < 1 && o->eps >= 0;
    return p->samples > 0 && p->samples <= UINT32_MAX && p->batch > 0 && p->epochs > 0 && o->rate >= 0 &&
           o->weight_decay >= 0 && o->momentum >= 0 &&
           (o->rule == TRAIN_SGD || ((o->rule == TRAIN_ADAM || o->rule == TRAIN_ADAMW) && betas));
}

gelu_status train_run_create(const train_plan *plan, train_run **out) {
    *out = NULL;
    if (!plan_is_valid(plan)) return GELU_ERR_ARGUMENT;
    train_run *run = calloc(1, sizeof *run);
    if (!run) return GELU_ERR_MEMORY;
    run->plan = *plan;
    run->plan.net.rows = plan->batch;
    gelu_manual_seed(&run->rng, plan->seed);
    gelu_status status = train_net_create(&run->plan.net, &run->rng, &run->net);
    if (status == GELU_OK) {
        size_t element = gelu_dtype_nbytes(plan->net.dtype);
        run->first = calloc(run->net->count, element);
        run->second = calloc(run->net->count, element);
        run->order = calloc(plan->samples, sizeof *run->order);
        run->history = calloc(plan->epochs, sizeof *run->history);
        if (!run->first || !run->second || !run->order || !run->history) status = GELU_ERR_MEMORY;
    }
    if (status == GELU_OK)
        *out = run;
    else
        train_run_free(run);
    return status;
}

void train_run_free(train_run *run) {
    if (!run) return;
    train_net_free(run->net);
    free(run->first);
    free(run->second);
    free(run->order);
    free(run->history);
    free(run);
}

/* pow's last bit depends on the libm. */
static double power(double x, uint64_t n) {
    double result = 1;
    for (; n; n >>= 1, x *= x)
        if (n & 1) result *= x;
    return result;
}

void train_step(train_run *run) {
    const train_optimiser *o = &run->plan.optimiser;
    const struct train_arith *arith = train_arith_of(run->net);
    train_net *net = run->net;
    run->steps++;
    if (o->rule == TRAIN_SGD) {
        arith->sgd(o, run->steps == 1, net->count, net->grads, run->first, net->values);
        return;
    }
    bool decoupled = o->rule == TRAIN_ADAMW;
    const struct train_moments how = {
        .step_size = o->rate / (1 - power(o->beta1, run->steps)),
        .correction = sqrt(1 - power(o->beta2, run->steps)),
        .kept = decoupled ? 1 - o->rate * o->weight_decay : 1,
        .decay = decoupled ? 0 : o->weight_decay,
        .beta1 = o->beta1,
        .beta2 = o->beta2,
        .eps = o->eps,
    };
    arith->adam(&how, net->count, net->grads, run->first, run->second, net->values);
}

static gelu_status end_epoch(train_run *run, const train_set *train, const train_set *test) {
    train_epoch *epoch = &run->history[run->done];
    *epoch = (train_epoch){.batch_loss = run->batch_sum / (double)train->count};
    gelu_status status = train_evaluate(run->net, train, &epoch->train_loss, &epoch->train_error);
    if (status == GELU_OK && test) status = train_evaluate(run->net, test, &epoch->test_loss, &epoch->test_error);
    if (status != GELU_OK) return status;
    run->done++;
    run->position = 0;
    return GELU_OK;
}

/* One batch; its loss. */
static gelu_status train_on(train_run *run, const struct train_batch *batch, double *loss) {
    gelu_rng *dropout = run->plan.net.dropout > 0 ? &run->rng : NULL;
    double sum;
    gelu_status status = train_forward(run->net, batch->rows, batch->x, dropout);
    if (status == GELU_OK) status = train_backward(run->net, batch->x, batch->target, &sum, NULL);
    if (status != GELU_OK) return status;
    train_step(run);
    run->batch_sum += sum;
    run->position += batch->rows;
    *loss = sum / (double)batch->rows;
    return GELU_OK;
}

gelu_status train_fit(train_run *run, const train_set *train, const train_set *test, const train_watch *watch) {
    struct train_batch batch;
    if (train->count != run->plan.samples) return GELU_ERR_SHAPE;
    gelu_status status = train_batch_create(run->net, train, &batch);
    bool stopped = false;
    while (status == GELU_OK && !stopped && run->done < run->plan.epochs) {
        double loss;
        if (run->position == 0) {
            train_shuffle(&run->rng, train->count, run->order);
            run->batch_sum = 0;
        }
        if (run->position < train->count) {
            train_batch_fill(run->net, train, run->order, run->position, &batch);
            status = train_on(run, &batch, &loss);
            if (status != GELU_OK) break;
            if (watch) stopped = !watch->batch_done(watch->context, run, loss);
        }
        if (!stopped && run->position == train->count) status = end_epoch(run, train, test);
    }
    train_batch_free(&batch);
    return status;
}
