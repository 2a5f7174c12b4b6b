/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdlib.h>
#include <string.h>

#include "network.h"

enum { ALIGNMENT = 64, LOSS_ROOM = 4 };

const struct train_arith *train_arith_of(const train_net *net) {
    return net->desc.dtype == GELU_F64 ? &train_arith_f64 : &train_arith_f32;
}

void *train_at(const train_net *net, const void *array, size_t i) {
    return (char *)array + i * gelu_dtype_nbytes(net->desc.dtype);
}

/* Adds room for a * b elements to *nbytes, so that the next array begins at a multiple of 64 bytes. */
static bool reserve(size_t a, size_t b, size_t element_nbytes, size_t *nbytes) {
    size_t n;
    if (__builtin_mul_overflow(a, b, &n) || __builtin_mul_overflow(n, element_nbytes, &n) ||
        __builtin_add_overflow(n, ALIGNMENT - 1, &n))
        return false;
    return !__builtin_add_overflow(*nbytes, n - n % ALIGNMENT, nbytes);
}

/* The next a * b elements of the memory that reserve counted. */
static void *take(char **at, size_t a, size_t b, size_t element_nbytes) {
    size_t nbytes = 0;
    void *array = *at;
    (void)reserve(a, b, element_nbytes, &nbytes);
    *at += nbytes;
    return array;
}

static bool is_hidden(const train_desc *desc, size_t layer) { return layer + 1 < desc->layers; }

static gelu_status check(const train_desc *d) {
    if (d->dtype != GELU_F32 && d->dtype != GELU_F64) return GELU_ERR_DTYPE;
    if (d->layers < 1 || d->layers > TRAIN_MAX_LAYERS || d->rows < 1) return GELU_ERR_ARGUMENT;
    if (d->init != TRAIN_INIT_TORCH && d->init != TRAIN_INIT_UNIT_ROWS) return GELU_ERR_ARGUMENT;
    if (d->loss != TRAIN_CROSS_ENTROPY && d->loss != TRAIN_MSE) return GELU_ERR_ARGUMENT;
    if (!(d->dropout >= 0 && d->dropout < 1) || gelu_act_name(d->act)[0] == '?') return GELU_ERR_ARGUMENT;
    for (size_t i = 0; i <= d->layers; i++)
        if (d->widths[i] == 0) return GELU_ERR_SHAPE;
    return GELU_OK;
}

/* The bytes of all arrays, and the number of parameters. */
static bool measure(const train_desc *d, size_t *nbytes, size_t *count) {
    size_t element = gelu_dtype_nbytes(d->dtype);
    bool fits = true;
    *nbytes = *count = 0;
    for (size_t i = 0; fits && i < d->layers; i++) {
        size_t in = d->widths[i], out = d->widths[i + 1], weights;
        fits = !__builtin_mul_overflow(in, out, &weights) && !__builtin_add_overflow(*count, weights, count) &&
               !__builtin_add_overflow(*count, out, count);
        for (int arrays = is_hidden(d, i) ? 4 : 2; fits && arrays > 0; arrays--)
            fits = reserve(d->rows, out, element, nbytes);
    }
    size_t room;
    return fits && reserve(*count, 2, element, nbytes) &&
           !__builtin_add_overflow(d->widths[d->layers], (size_t)LOSS_ROOM, &room) &&
           reserve(d->rows, room, sizeof(double), nbytes);
}

static void lay_out(train_net *net) {
    const train_desc *d = &net->desc;
    size_t element = gelu_dtype_nbytes(d->dtype), at = 0;
    char *free_memory = net->memory;
    net->values = take(&free_memory, net->count, 2, element);
    net->grads = train_at(net, net->values, net->count);
    for (size_t i = 0; i < d->layers; i++) {
        train_layer *l = &net->layers[i];
        *l = (train_layer){.in = d->widths[i], .out = d->widths[i + 1]};
        l->weight = train_at(net, net->values, at);
        l->weight_grad = train_at(net, net->grads, at);
        at += l->in * l->out;
        l->bias = train_at(net, net->values, at);
        l->bias_grad = train_at(net, net->grads, at);
        at += l->out;
        l->preact = take(&free_memory, d->rows, l->out, element);
        l->delta = take(&free_memory, d->rows, l->out, element);
        if (!is_hidden(d, i)) continue;
        l->hidden = take(&free_memory, d->rows, l->out, element);
        void *mask = take(&free_memory, d->rows, l->out, element);
        if (d->dropout > 0) l->mask = mask;
    }
    net->room = take(&free_memory, d->rows, d->widths[d->layers] + LOSS_ROOM, sizeof(double));
}

/* Drawn as f32 whatever the type, so that both types begin alike. */
static gelu_status draw_weights(train_net *net, gelu_rng *rng) {
    for (size_t i = 0; i < net->desc.layers; i++) {
        train_layer *l = &net->layers[i];
        size_t n = l->in * l->out;
        float *drawn = malloc((n + l->out) * sizeof *drawn);
        if (!drawn) return GELU_ERR_MEMORY;
        gelu_status status = GELU_OK;
        if (net->desc.init == TRAIN_INIT_TORCH) {
            status = gelu_linear_init_f32(rng, l->in, l->out, drawn, drawn + n);
        } else {
            gelu_randn_f32(rng, n, drawn);
            memset(drawn + n, 0, l->out * sizeof *drawn);
        }
        /* The bias follows the weight in values, too. */
        if (status == GELU_OK) status = gelu_convert(n + l->out, GELU_F32, drawn, net->desc.dtype, l->weight);
        free(drawn);
        if (status != GELU_OK) return status;
        if (net->desc.init == TRAIN_INIT_UNIT_ROWS) train_arith_of(net)->unit_rows(l->out, l->in, l->weight);
    }
    return GELU_OK;
}

/* A view copies the bias, so each forward pass makes its own. */
gelu_status train_view(train_net *net, size_t i, bool packed) {
    train_layer *l = &net->layers[i];
    const gelu_weights weights = {
        .dtype = net->desc.dtype, .layout = GELU_OUT_IN, .weight = l->weight, .bias = l->bias};
    gelu_linear_free(l->linear);
    l->linear = NULL;
    return (packed ? gelu_linear_create : gelu_linear_view)(l->in, l->out, &weights, GELU_COMPUTE_F32, &l->linear);
}

static gelu_status make_workspace(train_net *net) {
    size_t most = ALIGNMENT;
    for (size_t i = 0; i < net->desc.layers; i++) {
        size_t forward, backward;
        gelu_status status = train_view(net, i, false);
        if (status == GELU_OK)
            status = gelu_linear_workspace(net->layers[i].linear, net->desc.rows, &forward, &backward);
        if (status != GELU_OK) return status;
        if (forward > most) most = forward;
        if (backward > most) most = backward;
    }
    size_t nbytes = 0;
    if (!reserve(most, 1, 1, &nbytes)) return GELU_ERR_OVERFLOW;
    net->workspace = aligned_alloc(ALIGNMENT, nbytes);
    return net->workspace ? GELU_OK : GELU_ERR_MEMORY;
}

gelu_status train_net_create(const train_desc *desc, gelu_rng *rng, train_net **out) {
    *out = NULL;
    gelu_status status = check(desc);
    if (status != GELU_OK) return status;
    size_t nbytes, count;
    if (!measure(desc, &nbytes, &count)) return GELU_ERR_OVERFLOW;
    train_net *net = calloc(1, sizeof *net);
    if (!net) return GELU_ERR_MEMORY;
    net->desc = *desc;
    net->count = count;
    net->memory = aligned_alloc(ALIGNMENT, nbytes);
    status = net->memory ? GELU_OK : GELU_ERR_MEMORY;
    if (status == GELU_OK) {
        memset(net->memory, 0, nbytes);
        lay_out(net);
        status = draw_weights(net, rng);
    }
    if (status == GELU_OK) status = make_workspace(net);
    if (status == GELU_OK)
        *out = net;
    else
        train_net_free(net);
    return status;
}

void train_net_free(train_net *net) {
    if (!net) return;
    for (size_t i = 0; i < net->desc.layers; i++) gelu_linear_free(net->layers[i].linear);
    free(net->workspace);
    free(net->memory);
    free(net);
}
