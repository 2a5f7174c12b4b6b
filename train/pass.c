/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "network.h"

/* preact NULL: only y is wanted. */
static gelu_status apply(train_net *net, const train_layer *l, const void *x, void *preact) {
    const gelu_epilogue activation = {.act = net->desc.act, .preact = preact, .ldp = l->out};
    return gelu_linear_forward(l->linear, net->rows, net->desc.dtype, x, l->in, l->hidden ? &activation : NULL,
                               net->desc.dtype, l->hidden ? l->hidden : l->preact, l->out, net->workspace);
}

gelu_status train_forward(train_net *net, size_t rows, const void *x, gelu_rng *dropout) {
    const train_desc *d = &net->desc;
    if (rows > d->rows) return GELU_ERR_SHAPE;
    net->rows = rows;
    net->dropped = dropout != NULL;
    for (size_t i = 0; i < d->layers; i++) {
        train_layer *l = &net->layers[i];
        gelu_status status = train_view(net, i, false);
        if (status == GELU_OK) status = apply(net, l, x, l->preact);
        if (status != GELU_OK) return status;
        if (l->mask && dropout) {
            train_arith_of(net)->draw_mask(dropout, d->dropout, rows * l->out, l->mask);
            train_arith_of(net)->multiply(rows * l->out, l->mask, l->hidden);
        }
        x = l->hidden;
    }
    return GELU_OK;
}

gelu_status train_predict(train_net *net, size_t rows, const void *x) {
    gelu_status status = GELU_OK;
    net->rows = rows;
    net->dropped = false;
    for (size_t i = 0; i < net->desc.layers && status == GELU_OK; i++) {
        status = apply(net, &net->layers[i], x, NULL);
        x = net->layers[i].hidden;
    }
    return status;
}

const void *train_output(const train_net *net) { return net->layers[net->desc.layers - 1].preact; }

/* The loss, and its gradient unless delta is NULL. */
static double loss_of(const train_net *net, const void *target, void *delta, size_t *wrong) {
    const struct train_arith *arith = train_arith_of(net);
    size_t outputs = net->layers[net->desc.layers - 1].out;
    if (net->desc.loss == TRAIN_CROSS_ENTROPY)
        return arith->cross_entropy(net->rows, outputs, train_output(net), target, net->room, delta, wrong);
    if (wrong) *wrong = 0;
    return arith->squares(net->rows, outputs, train_output(net), target, delta);
}

void train_loss_sum(const train_net *net, const void *target, double *sum, size_t *wrong) {
    *sum = loss_of(net, target, NULL, wrong);
}

static void through_activation(const train_net *net, train_layer *l) {
    size_t n = net->rows * l->out;
    if (l->mask && net->dropped) train_arith_of(net)->multiply(n, l->mask, l->delta);
    if (net->desc.dtype == GELU_F64)
        gelu_backward_f64(net->desc.act, n, l->preact, l->delta, l->delta);
    else
        gelu_backward_f32(net->desc.act, n, l->preact, l->delta, l->delta);
}

gelu_status train_backward(train_net *net, const void *x, const void *target, double *sum, size_t *wrong) {
    const gelu_dtype dtype = net->desc.dtype;
    *sum = loss_of(net, target, net->layers[net->desc.layers - 1].delta, wrong);
    for (size_t i = net->desc.layers; i-- > 0;) {
        train_layer *l = &net->layers[i], *below = i > 0 ? l - 1 : NULL;
        gelu_status status = gelu_linear_backward(l->linear, GELU_GRAD_SET, net->rows, dtype, below ? below->hidden : x,
                                                  l->in, dtype, l->delta, l->out, below ? below->delta : NULL, l->in,
                                                  l->weight_grad, l->bias_grad, net->workspace);
        if (status != GELU_OK) return status;
        if (below) through_activation(net, below);
    }
    return GELU_OK;
}

double train_norm(gelu_dtype dtype, size_t n, const void *values) {
    return (dtype == GELU_F64 ? &train_arith_f64 : &train_arith_f32)->norm(n, values);
}
