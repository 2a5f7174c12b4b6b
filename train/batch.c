/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "network.h"

gelu_status train_batch_create(const train_net *net, const train_set *set, struct train_batch *out) {
    const train_desc *d = &net->desc;
    size_t outputs = d->widths[d->layers], n, nbytes;
    *out = (struct train_batch){0};
    if (d->widths[0] != set->features || outputs != (d->loss == TRAIN_MSE ? set->features : set->classes))
        return GELU_ERR_SHAPE;
    if (__builtin_mul_overflow(d->rows, set->features, &n) || __builtin_mul_overflow(n, sizeof(double), &nbytes))
        return GELU_ERR_OVERFLOW;
    out->room = malloc(nbytes);
    out->label_room = calloc(d->rows, sizeof *out->label_room);
    if (out->room && out->label_room) return GELU_OK;
    train_batch_free(out);
    return GELU_ERR_MEMORY;
}

void train_batch_free(struct train_batch *batch) {
    free(batch->room);
    free(batch->label_room);
    *batch = (struct train_batch){0};
}

void train_batch_fill(const train_net *net, const train_set *set, const uint32_t *order, size_t first,
                      struct train_batch *batch) {
    const size_t left = set->count - first, features = set->features;
    const bool f32 = net->desc.dtype == GELU_F32, in_place = f32 && !order;
    batch->rows = left < net->desc.rows ? left : net->desc.rows;
    for (size_t i = 0; i < batch->rows && !in_place; i++) {
        size_t sample = order ? order[first + i] : first + i;
        const float *x = set->x + sample * features;
        void *room = train_at(net, batch->room, i * features);
        if (f32)
            memcpy(room, x, features * sizeof *x);
        else
            (void)gelu_convert(features, GELU_F32, x, net->desc.dtype, room);
        batch->label_room[i] = set->label[sample];
    }
    batch->x = in_place ? set->x + first * features : batch->room;
    batch->target = net->desc.loss == TRAIN_MSE ? batch->x : in_place ? set->label + first : batch->label_room;
}

gelu_status train_evaluate(train_net *net, const train_set *set, double *loss, double *error) {
    struct train_batch batch;
    double total = 0;
    size_t mistakes = 0;
    gelu_status status = train_batch_create(net, set, &batch);
    for (size_t l = 0; status == GELU_OK && l < net->desc.layers; l++) status = train_view(net, l, true);
    for (size_t at = 0; status == GELU_OK && at < set->count; at += batch.rows) {
        double sum;
        size_t wrong;
        train_batch_fill(net, set, NULL, at, &batch);
        status = train_predict(net, batch.rows, batch.x);
        if (status != GELU_OK) break;
        train_loss_sum(net, batch.target, &sum, &wrong);
        total += sum;
        mistakes += wrong;
    }
    train_batch_free(&batch);
    if (status != GELU_OK) return status;
    *loss = total / (double)set->count;
    if (error) *error = (double)mistakes / (double)set->count;
    return GELU_OK;
}

gelu_status train_unit_activity(train_net *net, const train_set *set, double *activation, double *delta) {
    struct train_batch batch;
    const size_t hidden = net->desc.layers - 1;
    for (size_t l = 0, unit = 0; l < hidden; unit += net->layers[l++].out)
        for (size_t j = 0; j < net->layers[l].out; j++) activation[unit + j] = delta[unit + j] = 0;
    gelu_status status = train_batch_create(net, set, &batch);
    for (size_t at = 0; status == GELU_OK && at < set->count; at += batch.rows) {
        double sum;
        train_batch_fill(net, set, NULL, at, &batch);
        status = train_forward(net, batch.rows, batch.x, NULL);
        if (status == GELU_OK) status = train_backward(net, batch.x, batch.target, &sum, NULL);
        if (status != GELU_OK) break;
        for (size_t l = 0, unit = 0; l < hidden; unit += net->layers[l++].out) {
            const train_layer *layer = &net->layers[l];
            train_arith_of(net)->largest(batch.rows, layer->out, layer->hidden, activation + unit);
            train_arith_of(net)->largest(batch.rows, layer->out, layer->delta, delta + unit);
        }
    }
    train_batch_free(&batch);
    return status;
}
