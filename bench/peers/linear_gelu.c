/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdio.h>
#include <stdlib.h>

#include "layer.h"
#include "linear.h"

/* What library points to. */
static const linear_own kinds[] = {GELU_PEER_EXACT, GELU_PEER_FAST, GELU_PEER_BF16_WEIGHTS};

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

static gelu_linear *create(const linear_case *c, linear_own kind) {
    gelu_weights weights = {c->dtype, GELU_OUT_IN, c->w, 0, c->b};
    gelu_compute compute = c->dtype == GELU_F32 ? GELU_COMPUTE_F32 : GELU_COMPUTE_BF16;
    uint16_t *narrow = NULL;
    if (kind == GELU_PEER_BF16_WEIGHTS) {
        size_t n = c->in * c->out;
        narrow = malloc((n + c->out) * sizeof *narrow);
        if (!narrow || gelu_convert(n, GELU_F32, c->w, GELU_BF16, narrow) != GELU_OK ||
            gelu_convert(c->out, GELU_F32, c->b, GELU_BF16, narrow + n) != GELU_OK) {
            free(narrow);
            return NULL;
        }
        weights = (gelu_weights){GELU_BF16, GELU_OUT_IN, narrow, 0, narrow + n};
    }
    gelu_linear *layer = NULL;
    (void)gelu_linear_create(c->in, c->out, &weights, compute, &layer);
    free(narrow);
    return layer;
}

static bool has_case(const linear_case *c, linear_own kind) {
    if (kind == GELU_PEER_FAST) return c->pass == LINEAR_GELU;
    return kind == GELU_PEER_EXACT || (c->dtype == GELU_F32 && c->pass == LINEAR_PLAIN);
}

static void *prepare(void *library, const linear_case *c) {
    linear_own kind = *(const linear_own *)library;
    job *job = has_case(c, kind) ? calloc(1, sizeof *job) : NULL;
    if (!job) return NULL;
    job->c = *c;
    if (c->pass == LINEAR_GELU) job->epilogue.act = GELU_ERF;
    job->epilogue.fast = kind == GELU_PEER_FAST;
    job->layer = create(c, kind);
    size_t nbytes[2] = {0};
    if (job->layer && gelu_linear_workspace(job->layer, c->rows, &nbytes[0], &nbytes[1]) == GELU_OK)
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

void linear_gelu(linear_peer *out, unsigned threads, linear_own which) {
    static const char *const titles[] = {"", " fast", " bf16 weights"};
    if (gelu_set_num_threads(threads) != GELU_OK) {
        fprintf(stderr, "linear_peers: libgelu was built without OpenMP\n");
        exit(1);
    }
    *out = (linear_peer){.prepare = prepare, .run = run, .results = results, .release = release};
    out->library = (void *)&kinds[which];
    snprintf(out->name, sizeof out->name, "**libgelu %s%s**", gelu_version(), titles[which]);
}
