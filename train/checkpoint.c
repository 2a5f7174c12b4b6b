/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "network.h"

/* ---- What a checkpoint is of, as metadata ---- */

enum { N_FACTS = 11, FACT_LENGTH = 1200 };

struct facts {
    gelu_safetensors_pair pairs[N_FACTS];
    char text[N_FACTS][FACT_LENGTH];
    size_t count;
};

static void add_fact(struct facts *f, const char *key, const char *value) {
    snprintf(f->text[f->count], FACT_LENGTH, "%s", value);
    f->pairs[f->count] = (gelu_safetensors_pair){key, f->text[f->count]};
    f->count++;
}

static void add_count(struct facts *f, const char *key, uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    add_fact(f, key, text);
}

/* Not by printf, whose decimal point is the locale's. */
static size_t print_number(double value, size_t used, char *text, size_t size) {
    char number[40];
    gelu_format_shortest(GELU_F64, &value, number);
    return used + (size_t)snprintf(text + used, used < size ? size - used : 0, " %s", number);
}

static void add_optimiser(struct facts *f, const train_optimiser *o) {
    static const char *const rules[] = {[TRAIN_SGD] = "sgd", [TRAIN_ADAM] = "adam", [TRAIN_ADAMW] = "adamw"};
    const double numbers[] = {o->rate, o->momentum, o->beta1, o->beta2, o->eps, o->weight_decay};
    char text[FACT_LENGTH];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", rules[o->rule]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        used = print_number(numbers[i], used, text, sizeof text);
    add_fact(f, "optimiser", text);
}

static void state_facts(const train_plan *plan, struct facts *f) {
    const train_desc *d = &plan->net;
    char text[FACT_LENGTH];
    size_t used = 0;
    f->count = 0;
    add_fact(f, "format", "gelu training 1");
    add_fact(f, "dtype", gelu_dtype_name(d->dtype));
    for (size_t i = 0; i <= d->layers && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu", i ? "-" : "", d->widths[i]);
    add_fact(f, "widths", text);
    add_fact(f, "activation", gelu_act_name(d->act));
    (void)print_number(d->dropout, 0, text, sizeof text);
    add_fact(f, "dropout", text + 1);
    add_fact(f, "loss", d->loss == TRAIN_MSE ? "mse" : "cross-entropy");
    add_fact(f, "init", d->init == TRAIN_INIT_TORCH ? "torch" : "unit-rows");
    add_optimiser(f, &plan->optimiser);
    add_count(f, "batch", plan->batch);
    add_count(f, "seed", plan->seed);
    snprintf(text, sizeof text, "%zu samples, hash %016" PRIx64, plan->samples, plan->data_hash);
    add_fact(f, "data", text);
}

/* ---- What it holds, as tensors ---- */

enum { N_COUNTS = 5, N_NUMBERS = 2, EPOCH_NUMBERS = 5, RNG_WORDS = 624, OTHER_TENSORS = 7 };
enum { MAX_TENSORS = 2 * TRAIN_MAX_LAYERS + OTHER_TENSORS };
_Static_assert(sizeof(train_epoch) == EPOCH_NUMBERS * sizeof(double), "an epoch is a row of the history");

/* The scalars of a run, in arrays. */
struct scalars {
    uint64_t counts[N_COUNTS];
    double numbers[N_NUMBERS];
};

struct contents {
    size_t count;
    gelu_safetensors_tensor tensors[MAX_TENSORS];
    void *data[MAX_TENSORS];
    char names[2 * TRAIN_MAX_LAYERS][48];
    size_t shapes[MAX_TENSORS][2];
};

static void add_tensor(struct contents *c, const char *name, const char *type, size_t ndim, size_t rows, size_t cols,
                       void *data) {
    size_t i = c->count++;
    c->shapes[i][0] = rows;
    c->shapes[i][1] = cols;
    c->data[i] = data;
    c->tensors[i] = (gelu_safetensors_tensor){.name = name, .type = type, .ndim = ndim, .shape = c->shapes[i]};
}

/* Names, types and shapes of everything, and where run and scalars have it; done: how many epochs. */
static void list_contents(const train_run *run, struct scalars *scalars, size_t done, struct contents *c) {
    const train_net *net = run->net;
    const char *type = net->desc.dtype == GELU_F64 ? "F64" : "F32";
    c->count = 0;
    for (size_t i = 0; i < net->desc.layers; i++) {
        const train_layer *l = &net->layers[i];
        snprintf(c->names[2 * i], sizeof *c->names, "layers.%zu.weight", i);
        snprintf(c->names[2 * i + 1], sizeof *c->names, "layers.%zu.bias", i);
        add_tensor(c, c->names[2 * i], type, 2, l->out, l->in, l->weight);
        add_tensor(c, c->names[2 * i + 1], type, 1, l->out, 1, l->bias);
    }
    add_tensor(c, "optimiser.first", type, 1, net->count, 1, run->first);
    add_tensor(c, "optimiser.second", type, 1, net->count, 1, run->second);
    add_tensor(c, "rng.state", "U32", 1, RNG_WORDS, 1, (void *)run->rng.state);
    add_tensor(c, "order", "U32", 1, run->plan.samples, 1, run->order);
    add_tensor(c, "counts", "U64", 1, N_COUNTS, 1, scalars->counts);
    add_tensor(c, "numbers", "F64", 1, N_NUMBERS, 1, scalars->numbers);
    add_tensor(c, "history", "F64", 2, done, EPOCH_NUMBERS, run->history);
}

gelu_status train_save(const train_run *run, const char *path, gelu_error *err) {
    struct scalars scalars = {
        .counts = {run->steps, run->position, run->done, run->rng.index, run->rng.has_normal},
        .numbers = {run->rng.normal, run->batch_sum},
    };
    struct contents *contents = malloc(sizeof *contents);
    struct facts *facts = malloc(sizeof *facts);
    gelu_status status;
    if (contents && facts) {
        state_facts(&run->plan, facts);
        list_contents(run, &scalars, run->done, contents);
        status = gelu_safetensors_write(path, contents->count, contents->tensors, (const void *const *)contents->data,
                                        facts->count, facts->pairs, err);
    } else {
        status = train_fail(err, GELU_ERR_MEMORY, 0, "%s: out of memory", path);
    }
    free(contents);
    free(facts);
    return status;
}

/* ---- Loading ---- */

/* A checkpoint that is being read: first all into a run of its own, so that a bad one changes nothing. */
struct loading {
    const char *path;
    gelu_safetensors *file;
    train_run *run;
    struct scalars scalars;
    struct contents contents;
    struct facts facts;
    gelu_error *err;
};

static gelu_status check_facts(struct loading *l) {
    for (size_t i = 0; i < l->facts.count; i++) {
        const char *want = l->facts.pairs[i].value, *key = l->facts.pairs[i].key;
        const char *got = gelu_safetensors_metadata(l->file, 0, key);
        if (!got)
            return train_fail(l->err, GELU_ERR_MISSING, 0, "%s: is no checkpoint of a training: its metadata has no %s",
                              l->path, key);
        if (strcmp(got, want) != 0)
            return train_fail(l->err, GELU_ERR_SHAPE, 0, "%s: is of another training: its %s is %.150s, not %.150s",
                              l->path, key, got, want);
    }
    return GELU_OK;
}

static gelu_status read_tensor(struct loading *l, size_t i) {
    const gelu_safetensors_tensor *want = &l->contents.tensors[i];
    const gelu_safetensors_tensor *got = gelu_safetensors_find(l->file, want->name);
    if (!got) return train_fail(l->err, GELU_ERR_MISSING, 0, "%s: has no tensor %s", l->path, want->name);
    if (strcmp(got->type, want->type) != 0 || got->ndim != want->ndim ||
        memcmp(got->shape, want->shape, want->ndim * sizeof *got->shape) != 0)
        return train_fail(l->err, GELU_ERR_SHAPE, got->offset,
                          "%s: %s is not %s of the shape that the network gives it", l->path, want->name, want->type);
    return gelu_safetensors_read_bytes(l->file, got, 0, got->nbytes, l->contents.data[i], l->err);
}

static gelu_status impossible(struct loading *l, const char *what) {
    return train_fail(l->err, GELU_ERR_HEADER, 0, "%s: its %s are none that a training has", l->path, what);
}

static gelu_status check_order(struct loading *l) {
    size_t n = l->run->plan.samples;
    unsigned char *seen = calloc(n, 1);
    if (!seen) return train_fail(l->err, GELU_ERR_MEMORY, 0, "%s: out of memory", l->path);
    bool once = true;
    for (size_t i = 0; once && i < n; i++) {
        uint32_t sample = l->run->order[i];
        once = sample < n && !seen[sample];
        if (once) seen[sample] = 1;
    }
    free(seen);
    return once ? GELU_OK : impossible(l, "samples' order");
}

/* Where the run stands; the history's length follows from it. */
static gelu_status read_scalars(struct loading *l, size_t first) {
    train_run *run = l->run;
    const uint64_t *counts = l->scalars.counts;
    gelu_status status = read_tensor(l, first);
    if (status == GELU_OK) status = read_tensor(l, first + 1);
    if (status != GELU_OK) return status;
    if (counts[1] > run->plan.samples || counts[3] > RNG_WORDS || counts[4] > 1) return impossible(l, "counts");
    if (counts[2] > run->plan.epochs || (counts[2] == run->plan.epochs && counts[1] > 0))
        return train_fail(l->err, GELU_ERR_SHAPE, 0, "%s: goes beyond the %zu epochs asked for", l->path,
                          run->plan.epochs);
    run->steps = counts[0];
    run->position = (size_t)counts[1];
    run->done = (size_t)counts[2];
    run->rng.index = (uint32_t)counts[3];
    run->rng.has_normal = (uint32_t)counts[4];
    run->rng.normal = l->scalars.numbers[0];
    run->batch_sum = l->scalars.numbers[1];
    return GELU_OK;
}

static gelu_status read_all(struct loading *l) {
    gelu_status status = gelu_safetensors_open(l->path, NULL, &l->file, l->err);
    if (status != GELU_OK) return status;
    state_facts(&l->run->plan, &l->facts);
    status = check_facts(l);
    if (status != GELU_OK) return status;
    list_contents(l->run, &l->scalars, 0, &l->contents);
    status = read_scalars(l, l->contents.count - 3);
    if (status != GELU_OK) return status;
    list_contents(l->run, &l->scalars, l->run->done, &l->contents);
    for (size_t i = 0; status == GELU_OK && i < l->contents.count; i++) status = read_tensor(l, i);
    if (status == GELU_OK && l->run->position > 0) status = check_order(l);
    return status;
}

gelu_status train_load(train_run *run, const char *path, gelu_error *err) {
    struct loading *l = calloc(1, sizeof *l);
    if (!l) return train_fail(err, GELU_ERR_MEMORY, 0, "%s: out of memory", path);
    l->path = path;
    l->err = err;
    gelu_status status = train_run_create(&run->plan, &l->run);
    if (status != GELU_OK)
        train_fail(err, status, 0, "%s: %s", path, gelu_status_string(status));
    else
        status = read_all(l);
    if (status == GELU_OK) {
        train_run old = *run;
        *run = *l->run;
        *l->run = old;
    }
    gelu_safetensors_close(l->file);
    train_run_free(l->run);
    free(l);
    return status;
}
