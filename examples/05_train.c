/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Train a feed-forward block to imitate another one, by SGD with momentum and by Adam:
 *
 *     05_train [ROWS D_MODEL D_FF]
 *
 * prints the losses, and a hash of the weights after 100 steps. It is the same on every instruction set and for every
 * number of threads: GELU_FORCE_ISA=scalar, GELU_NUM_THREADS=2. So that the compiler leaves the optimiser's own sums and
 * products as they stand: -std=c11, or -ffp-contract=off. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gelu.h>

enum { STEPS = 100, PRINT_EVERY = 20 };

/* Weights, biases and as many of whatever goes with them, in one array each. */
struct network {
    size_t d_model, d_ff, count;
    float *w1, *b1, *w2, *b2;
    float *values, *grads, *first, *second; /* (count); values starts with w1; first and second: the optimiser's */
    gelu_ffn *ffn;
};

static void network_free(struct network *net) {
    gelu_ffn_free(net->ffn);
    free(net->values);
}

/* The layer with the weights as they are now: it reads them where they are, but copies the biases, which is quick. */
static gelu_status network_view(struct network *net) {
    const gelu_ffn_desc desc = {
        .d_model = net->d_model,
        .d_ff = net->d_ff,
        .act = GELU_ERF,
        .fc1 = {.dtype = GELU_F32, .layout = GELU_OUT_IN, .weight = net->w1, .bias = net->b1},
        .fc2 = {.dtype = GELU_F32, .layout = GELU_OUT_IN, .weight = net->w2, .bias = net->b2},
        .view = 1,
    };
    gelu_ffn_free(net->ffn);
    return gelu_ffn_create(&desc, &net->ffn);
}

static gelu_status network_init(gelu_rng *rng, size_t d_model, size_t d_ff, struct network *net) {
    *net = (struct network){.d_model = d_model, .d_ff = d_ff, .count = 2 * d_model * d_ff + d_ff + d_model};
    net->values = calloc(4 * net->count, sizeof *net->values);
    if (!net->values) return GELU_ERR_MEMORY;
    net->grads = net->values + net->count;
    net->first = net->grads + net->count;
    net->second = net->first + net->count;
    net->w1 = net->values;
    net->b1 = net->w1 + d_ff * d_model;
    net->w2 = net->b1 + d_ff;
    net->b2 = net->w2 + d_model * d_ff;
    gelu_status status = gelu_linear_init_f32(rng, d_model, d_ff, net->w1, net->b1);
    if (status == GELU_OK) status = gelu_linear_init_f32(rng, d_ff, d_model, net->w2, net->b2);
    if (status == GELU_OK) status = network_view(net);
    if (status != GELU_OK) network_free(net);
    return status;
}

/* What one batch needs: inputs, targets, and room. */
struct batch {
    size_t rows;
    float *x, *target, *y, *dy, *h, *a;
};

/* The mean of (y - target)^2, and its gradient with respect to y. */
static double loss_and_grad(size_t n, const float *y, const float *target, float *dy) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        float difference = y[i] - target[i];
        sum += (double)difference * difference;
        dy[i] = 2 * difference / (float)n;
    }
    return sum / (double)n;
}

/* A forward and a backward pass: the gradients, and the loss. */
static gelu_status gradients(struct network *net, const struct batch *b, double *loss) {
    size_t d = net->d_model;
    const gelu_ffn_trace trace = {.h = b->h, .a = b->a};
    gelu_status status = network_view(net);
    if (status == GELU_OK)
        status = gelu_ffn_forward(net->ffn, b->rows, GELU_F32, b->x, d, &trace, GELU_F32, b->y, d, NULL);
    if (status != GELU_OK) return status;
    *loss = loss_and_grad(b->rows * d, b->y, b->target, b->dy);
    const gelu_ffn_grads grads = {
        .dfc1_weight = net->grads + (net->w1 - net->values),
        .dfc1_bias = net->grads + (net->b1 - net->values),
        .dfc2_weight = net->grads + (net->w2 - net->values),
        .dfc2_bias = net->grads + (net->b2 - net->values),
    };
    /* The trace spares computing h and a again. */
    return gelu_ffn_backward(net->ffn, GELU_GRAD_SET, b->rows, GELU_F32, b->x, d, GELU_F32, b->dy, d, &trace, &grads,
                             NULL);
}

static void sgd_step(struct network *net) {
    const float rate = 0.5f, momentum = 0.9f;
    for (size_t i = 0; i < net->count; i++) {
        net->first[i] = momentum * net->first[i] + net->grads[i];
        net->values[i] -= rate * net->first[i];
    }
}

static void adam_step(struct network *net, int step) {
    const float rate = 0.01f, beta1 = 0.9f, beta2 = 0.999f;
    double power1 = 1, power2 = 1; /* no pow(), whose last bit depends on the libm */
    for (int i = 0; i < step; i++) power1 *= beta1, power2 *= beta2;
    const float scale1 = (float)(1 / (1 - power1)), scale2 = (float)(1 / (1 - power2));
    for (size_t i = 0; i < net->count; i++) {
        float g = net->grads[i];
        net->first[i] = beta1 * net->first[i] + (1 - beta1) * g;
        net->second[i] = beta2 * net->second[i] + (1 - beta2) * g * g;
        net->values[i] -= rate * (net->first[i] * scale1) / (sqrtf(net->second[i] * scale2) + 1e-8f);
    }
}

/* FNV-1a. */
static unsigned long long hash(size_t n, const float *values) {
    unsigned long long h = 0xcbf29ce484222325;
    for (size_t i = 0; i < n; i++) {
        unsigned bits;
        memcpy(&bits, &values[i], sizeof bits);
        h = (h ^ bits) * 0x100000001b3;
    }
    return h;
}

static gelu_status train(const char *name, const struct batch *b, size_t d_model, size_t d_ff) {
    gelu_rng rng;
    struct network net;
    gelu_manual_seed(&rng, 1);
    gelu_status status = network_init(&rng, d_model, d_ff, &net);
    if (status != GELU_OK) return status;
    for (int step = 0; status == GELU_OK && step <= STEPS; step++) {
        double loss;
        status = gradients(&net, b, &loss);
        if (status != GELU_OK) break;
        if (step % PRINT_EVERY == 0) printf("%-4s step %3d  loss %.6f\n", name, step, loss);
        if (step == STEPS) break;
        if (strcmp(name, "sgd") == 0)
            sgd_step(&net);
        else
            adam_step(&net, step + 1);
    }
    if (status == GELU_OK) printf("%-4s weights %016llx\n", name, hash(net.count, net.values));
    network_free(&net);
    return status;
}

static size_t argument(int argc, char **argv, int i, size_t otherwise) {
    return argc > i ? (size_t)strtoul(argv[i], NULL, 10) : otherwise;
}

int main(int argc, char **argv) {
    struct batch b = {.rows = argument(argc, argv, 1, 64)};
    size_t d_model = argument(argc, argv, 2, 8), d_ff = argument(argc, argv, 3, 16), n = b.rows * d_model;
    float *room = calloc(4 * n + 2 * b.rows * d_ff + 1, sizeof *room);
    if (!room) return 1;
    b.x = room, b.target = b.x + n, b.y = b.target + n, b.dy = b.y + n, b.h = b.dy + n, b.a = b.h + b.rows * d_ff;

    gelu_rng rng;
    struct network teacher;
    gelu_manual_seed(&rng, 42);
    gelu_randn_f32(&rng, n, b.x);
    gelu_status status = network_init(&rng, d_model, d_ff, &teacher);
    if (status == GELU_OK) {
        status = gelu_ffn_forward(teacher.ffn, b.rows, GELU_F32, b.x, d_model, NULL, GELU_F32, b.target, d_model, NULL);
        network_free(&teacher);
    }
    if (status == GELU_OK) status = train("sgd", &b, d_model, d_ff);
    if (status == GELU_OK) status = train("adam", &b, d_model, d_ff);
    if (status != GELU_OK) fprintf(stderr, "05_train: %s\n", gelu_status_string(status));
    free(room);
    return status == GELU_OK ? 0 : 1;
}
