/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* A small trainer made of the library's own Linear, activations and backward calls, for the experiments of
 * `gelu compare`. One seed gives the same weights, bit for bit, for every number of threads and on every instruction
 * set: products and activations are the library's, sums here run in one order, and the exponential and the logarithm of
 * the softmax are made of the library's ELU', not of libm. */
#ifndef GELU_TRAIN_H
#define GELU_TRAIN_H

#include <stdbool.h>
#include "data.h"
#include "gelu.h"
#include "gelu_io.h"

/* ---- Network ------------------------------------------------------------------------------------------------- */

typedef enum {
    TRAIN_INIT_TORCH = 1, /* as torch.nn.Linear draws weights and biases */
    TRAIN_INIT_UNIT_ROWS  /* normal, then each unit's incoming weights scaled to length 1; biases 0 */
} train_init;

typedef enum {
    TRAIN_CROSS_ENTROPY = 1, /* softmax, then -log of the label's share, mean over the batch; targets uint32_t (rows) */
    TRAIN_MSE                /* mean of (y - target)^2 over the batch and all outputs; targets like y */
} train_loss;

enum { TRAIN_MAX_LAYERS = 128 };

/* Linear, activation, dropout, Linear, ..., Linear. */
typedef struct {
    gelu_dtype dtype;                    /* GELU_F32, or GELU_F64 */
    size_t layers;                       /* Linear layers, 1 to TRAIN_MAX_LAYERS */
    size_t widths[TRAIN_MAX_LAYERS + 1]; /* of the input, of each hidden layer, of the output */
    gelu_act act;                        /* after each hidden layer */
    double dropout; /* in [0, 1): the share of each hidden layer that training sets to 0; the rest is scaled up */
    train_init init;
    train_loss loss;
    size_t rows; /* the most rows of a batch */
} train_desc;

/* Arrays are of the network's dtype, contiguous. */
typedef struct {
    size_t in, out;
    void *weight, *bias;           /* (out, in), (out) */
    void *weight_grad, *bias_grad; /* of the last backward pass */
    void *preact;                  /* (rows, out): what Linear gave in the last forward pass */
    void *hidden;                  /* (rows, out): act(preact), after dropout; the last layer has none: NULL */
    void *delta;                   /* (rows, out): d loss / d preact of the last backward pass */
    void *mask;                    /* (rows, out): what dropout multiplied by; NULL without dropout */
    gelu_linear *linear;
} train_layer;

typedef struct {
    train_desc desc;
    size_t count;         /* of all parameters: layer by layer, the weight and then the bias */
    void *values, *grads; /* (count); the layers point into them */
    train_layer layers[TRAIN_MAX_LAYERS];
    void *memory, *workspace;
    double *room; /* (rows, outputs) and more, for the loss */
    size_t rows;  /* of the last forward pass */
    bool dropped; /* whether dropout took part in it */
} train_net;

/* rng draws the weights. GELU_ERR_ARGUMENT, GELU_ERR_DTYPE, GELU_ERR_SHAPE (a width of 0), GELU_ERR_OVERFLOW,
 * GELU_ERR_MEMORY; *out is then NULL. */
gelu_status train_net_create(const train_desc *desc, gelu_rng *rng, train_net **out);
void train_net_free(train_net *net); /* NULL is fine */

/* The whole network over x (rows, widths[0]), rows <= desc.rows: fills preact and hidden. dropout NULL: none; else the
 * generator that draws which activations fall away. */
gelu_status train_forward(train_net *net, size_t rows, const void *x, gelu_rng *dropout);
/* (rows, widths[layers]), of the last forward pass. */
const void *train_output(const train_net *net);
/* Of the last forward pass: the sum of the losses of its rows (for TRAIN_MSE: each row's mean), and how many rows do
 * not have their largest output at the label (TRAIN_MSE: 0). wrong may be NULL. */
void train_loss_sum(const train_net *net, const void *target, double *sum, size_t *wrong);
/* The gradients of the mean loss, after a forward pass over the same x. Also that loss's sum, as train_loss_sum. */
gelu_status train_backward(train_net *net, const void *x, const void *target, double *sum, size_t *wrong);

/* The Euclidean norm of n numbers of this type. */
double train_norm(gelu_dtype dtype, size_t n, const void *values);

/* Mean loss and share of errors of the full network over a set; error may be NULL. TRAIN_MSE takes the samples themselves
 * as targets, here and below. */
gelu_status train_evaluate(train_net *net, const train_set *set, double *loss, double *error);

/* How far each hidden unit responds, over all samples of a set: the largest |act(preact)|, and the largest
 * |d loss / d preact|. A unit where both are exactly 0 is dead: no sample will ever change its weights. Each has as many
 * elements as there are hidden units, layer by layer. */
gelu_status train_unit_activity(train_net *net, const train_set *set, double *activation, double *delta);

/* ---- Optimisers ---------------------------------------------------------------------------------------------- */

typedef enum { TRAIN_SGD = 1, TRAIN_ADAM, TRAIN_ADAMW } train_rule;

/* As PyTorch has them: torch.optim.SGD, Adam, AdamW. */
typedef struct {
    train_rule rule;
    double rate;
    double momentum;          /* SGD */
    double beta1, beta2, eps; /* Adam, AdamW */
    double weight_decay;      /* SGD and Adam: added to the gradient; AdamW: decoupled */
} train_optimiser;

/* PyTorch's defaults but for the rate: Adam (0.9, 0.999, 1e-8). */
train_optimiser train_adam(double rate);

/* ---- Training ------------------------------------------------------------------------------------------------- */

/* After an epoch; errors are shares of samples that are classified wrongly (TRAIN_MSE: 0). Losses are means. */
typedef struct {
    double batch_loss; /* over the batches as they were trained on, dropout included */
    double train_loss, train_error, test_loss, test_error; /* of the full network */
} train_epoch;

typedef struct {
    train_desc net; /* rows: ignored, batch it is */
    train_optimiser optimiser;
    size_t samples, batch, epochs; /* samples: of the training set; the last batch of an epoch may be smaller */
    uint64_t seed;
    uint64_t data_hash; /* of the samples: a checkpoint of others is refused */
} train_plan;

/* All that decides what comes next; a checkpoint holds all of it. */
typedef struct {
    train_plan plan;
    train_net *net;
    void *first, *second; /* (net->count): momentum, or Adam's moments */
    uint64_t steps;       /* of the optimiser, done so far */
    gelu_rng rng;         /* draws the weights, then each epoch's order and what dropout takes */
    uint32_t *order;      /* (samples): the order of this epoch */
    size_t position;      /* samples of this epoch that are done */
    double batch_sum;     /* of their losses */
    size_t done;          /* epochs */
    train_epoch *history; /* (done) */
} train_run;

/* Draws the weights. Errors as train_net_create. */
gelu_status train_run_create(const train_plan *plan, train_run **out);
void train_run_free(train_run *run); /* NULL is fine */

/* One step of the optimiser on the gradients that net holds. */
void train_step(train_run *run);

/* Called after each batch; false stops the training there. */
typedef struct {
    bool (*batch_done)(void *context, const train_run *run, double batch_loss);
    void *context;
} train_watch;

/* Trains until all epochs are done, or watch says so: run->done == plan.epochs tells which. test and watch may be
 * NULL. GELU_ERR_SHAPE when the network does not fit the samples, or their number is not the plan's. */
gelu_status train_fit(train_run *run, const train_set *train, const train_set *test, const train_watch *watch);

/* order = a random order of 0 .. n-1, as torch.randperm(n) has it. */
void train_shuffle(gelu_rng *rng, size_t n, uint32_t *order);

/* ---- Checkpoints and curves ----------------------------------------------------------------------------------- */

/* A safetensors file of all that run holds; path is at every moment either as it was or complete. */
gelu_status train_save(const train_run *run, const char *path, gelu_error *err);
/* Fills a run that was created by the same plan, which then goes on as if it had never stopped, bit for bit. A file of
 * another network, optimiser, seed, batch or data is refused, and run is as it was; another number of epochs will do,
 * unless more are done. GELU_ERR_SHAPE, GELU_ERR_HEADER (contents that no run ever has), GELU_ERR_MISSING, and what
 * gelu_safetensors_open returns. */
gelu_status train_load(train_run *run, const char *path, gelu_error *err);
/* The epochs that are done, one a line: epoch, batch_loss, train_loss, train_error, test_loss, test_error. Replaced
 * as a whole, like a checkpoint. */
gelu_status train_write_csv(const train_run *run, const char *path, gelu_error *err);

#endif
