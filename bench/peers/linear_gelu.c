/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdio.h>
#include <stdlib.h>

#include "layer.h"
#include "linear.h"

typedef struct {
    gelu_linear *layer;
    gelu_epilogue epilogue;
    void *workspace;
    linear_case c;
} job;

static void release(void *prepared) {
    gelu_linear_free(((job *)prepared)->layer);
    free(((job *)prepared)->workspace);
    free(prepared);
}

/* What library points to: the activation is the fast one. */
static const bool is_fast = true;

static void *prepare(void *library, const linear_case *c) {
    if (library && c->pass != LINEAR_GELU) return NULL;
    job *job = calloc(1, sizeof *job);
    if (!job) return NULL;
    job->c = *c;
    if (c->pass == LINEAR_GELU) job->epilogue.act = GELU_ERF;
    job->epilogue.fast = library == &is_fast;
    gelu_weights weights = {c->dtype, GELU_OUT_IN, c->w, 0, c->b};
    gelu_compute compute = c->dtype == GELU_F32 ? GELU_COMPUTE_F32 : GELU_COMPUTE_BF16;
    size_t nbytes[2] = {0};
    if (gelu_linear_create(c->in, c->out, &weights, compute, &job->layer) == GELU_OK &&
        gelu_linear_workspace(job->layer, c->rows, &nbytes[0], &nbytes[1]) == GELU_OK)
        job->workspace = aligned_alloc(64, (nbytes[c->pass == LINEAR_BACKWARD] + 64) / 64 * 64);
    if (job->workspace) return job;
    release(job);
    return NULL;
}

static void run(void *prepared, size_t times) {
    const job *job = prepared;
    const linear_case *c = &job->c;
    for (size_t i = 0; i < times; i++) {
        gelu_status status;
        if (c->pass == LINEAR_BACKWARD)
            status = gelu_linear_backward(job->layer, GELU_GRAD_SET, c->rows, c->dtype, c->x, c->in, c->dtype, c->dy,
                                          c->out, c->dx, c->in, c->dw, NULL, job->workspace);
        else
            status = gelu_linear_forward(job->layer, c->rows, c->dtype, c->x, c->in, &job->epilogue, c->dtype, c->y,
                                         c->out, job->workspace);
        if (status != GELU_OK) {
            fprintf(stderr, "libgelu: %s\n", gelu_status_string(status));
            exit(1);
        }
    }
}

static void results(void *prepared) { (void)prepared; }

void linear_gelu(linear_peer *out, unsigned threads, bool fast) {
    if (gelu_set_num_threads(threads) != GELU_OK) {
        fprintf(stderr, "linear_peers: libgelu was built without OpenMP\n");
        exit(1);
    }
    *out = (linear_peer){.prepare = prepare, .run = run, .results = results, .release = release};
    if (fast) out->library = (void *)&is_fast;
    snprintf(out->name, sizeof out->name, "**libgelu %s%s**", gelu_version(), fast ? " fast" : "");
}
