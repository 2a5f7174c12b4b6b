/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Blocking. As many chunks of rows as there are threads are packed at a time; then a task is one chunk times a group of
 * panels of columns, through all of k, with acc in the second-level cache. */
#include "linear/product_bf16.h"
#include <stdatomic.h>
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/parallel.h"
#include "kernels/bf16_layout.h"
#include "linear/linear.h"

enum {
    CHUNK_ROWS = 256,
    SHALLOW_COLS = 128, /* of a group, up to SHALLOW k; more with deep sums, whose acc is stored more often */
    DEEP_COLS = 256,
    SHALLOW = 1024,
    FINISH_ROWS = 32 /* the epilogue's part of acc */
};

struct plan {
    size_t workers, chunk_rows, chunks, group_cols, groups;
    size_t x_nbytes;                             /* a packed chunk of x */
    size_t acc_nbytes, scratch_nbytes, w_nbytes; /* of each worker; w: packed weights, where they are not packed yet */
};

static size_t divide_up(size_t a, size_t b) { return a / b + (a % b > 0); }
static size_t round_up(size_t n) { return divide_up(n, BF16_PANEL) * BF16_PANEL; }
static size_t at_least(size_t a, size_t limit) { return a > limit ? a : limit; }

/* rows and cols are not 0. false where a size does not fit. */
static bool make_plan(size_t rows, size_t cols, size_t depth, bool packed, size_t threads, struct plan *p) {
    *p = (struct plan){.workers = gelu_product_workers(rows, cols, depth, threads)};
    p->chunk_rows = bf16_min(round_up(divide_up(rows, p->workers)), CHUNK_ROWS);
    p->chunks = divide_up(rows, p->chunk_rows);
    size_t most = depth > SHALLOW ? DEEP_COLS : SHALLOW_COLS;
    /* Two tasks per worker, for an even load. */
    size_t wanted = p->workers > 1 ? divide_up(2 * p->workers, p->chunks) : 1;
    p->group_cols = bf16_min(at_least(round_up(divide_up(cols, wanted)), BF16_PANEL), most);
    p->groups = divide_up(cols, p->group_cols);
    /* For the longest chunk and the widest group: the bytes then grow with the rows and with the workers, so that a
     * workspace serves fewer of either, too. */
    size_t longest = bf16_min(round_up(rows), CHUNK_ROWS);
    size_t widest = bf16_min(round_up(cols), most);
    p->acc_nbytes = longest * widest * sizeof(float);
    p->scratch_nbytes = FINISH_ROWS * widest * sizeof(float);
    if (!packed && !bf16_weights_nbytes(widest, depth, &p->w_nbytes)) return false;
    return bf16_rows_nbytes(longest, depth, &p->x_nbytes);
}

bool gelu_product_bf16_workspace(size_t rows, size_t cols, size_t depth, bool packed, size_t threads, size_t *nbytes) {
    struct plan p;
    size_t x_nbytes, own;
    *nbytes = 0;
    if (rows == 0 || cols == 0) return true;
    if (!make_plan(rows, cols, depth, packed, threads, &p)) return false;
    return size_mul(p.workers, p.x_nbytes, &x_nbytes) && size_add(p.acc_nbytes + p.scratch_nbytes, p.w_nbytes, &own) &&
           size_mul(p.workers, own, nbytes) && size_add(*nbytes, x_nbytes, nbytes);
}

struct run {
    const struct product_bf16 *product;
    struct plan plan;
    size_t first, chunks; /* of this round */
    unsigned char *x, *workers;
    atomic_size_t taken;
};

static size_t take(struct run *run) { return atomic_fetch_add_explicit(&run->taken, 1, memory_order_relaxed); }

static size_t chunk_rows(const struct run *run, size_t chunk) {
    size_t first = (run->first + chunk) * run->plan.chunk_rows;
    return bf16_min(run->product->rows - first, run->plan.chunk_rows);
}

static void pack_chunk(void *context, size_t chunk) {
    const struct run *run = context;
    const struct product_bf16 *product = run->product;
    size_t row = (run->first + chunk) * run->plan.chunk_rows;
    product->kernels->bf16_pack_rows(chunk_rows(run, chunk), product->depth,
                                     linear_at(product->x, GELU_BF16, row * product->ldx), product->ldx,
                                     run->x + chunk * run->plan.x_nbytes);
}

static void multiply_group(const struct run *run, size_t chunk, size_t group, unsigned char *worker) {
    const struct product_bf16 *product = run->product;
    const struct plan *plan = &run->plan;
    size_t rows = chunk_rows(run, chunk), col = group * plan->group_cols;
    size_t cols = bf16_min(product->cols - col, plan->group_cols), width = round_up(cols);
    float *acc = (float *)worker;
    void *scratch = worker + plan->acc_nbytes;
    bool packed = product->w.form == PRODUCT_PANELS;
    const uint16_t *w = linear_at(product->w.p, GELU_BF16,
                                  col * (packed ? bf16_blocks(product->depth) * BF16_BLOCK : product->w.stride));
    if (!packed) {
        uint16_t *to = (uint16_t *)(worker + plan->acc_nbytes + plan->scratch_nbytes);
        bf16_pack_weights(cols, product->depth, w, product->w.stride, product->w.depth_stride, to);
        w = to;
    }
    product->kernels->bf16_product(rows, width, product->depth, run->x + chunk * plan->x_nbytes, w,
                                   product->bias ? product->bias + col : NULL, acc, width);
    for (size_t i = 0; i < rows; i += FINISH_ROWS) {
        size_t row = (run->first + chunk) * plan->chunk_rows + i;
        const struct product_part part = {row,    bf16_min(rows - i, FINISH_ROWS), col, cols, width, acc + i * width,
                                          scratch};
        product->finish(product->context, &part);
    }
}

static void multiply(void *context, size_t worker) {
    struct run *run = context;
    const struct plan *plan = &run->plan;
    size_t own = plan->acc_nbytes + plan->scratch_nbytes + plan->w_nbytes, groups = plan->groups;
    /* Neighbours in the list share their weights. */
    for (size_t item; (item = take(run)) < run->chunks * groups;)
        multiply_group(run, item % run->chunks, item / run->chunks, run->workers + worker * own);
}

void gelu_product_bf16_run(const struct product_bf16 *product, struct product_space space) {
    struct run run = {.product = product, .x = space.p};
    const struct plan *plan = &run.plan;
    if (product->rows == 0 || product->cols == 0) return;
    /* The workspace has this size, so that it fits. */
    (void)make_plan(product->rows, product->cols, product->depth, product->w.form == PRODUCT_PANELS,
                    bf16_min(space.threads, gelu_num_threads()), &run.plan);
    run.workers = run.x + plan->workers * plan->x_nbytes;
    for (; run.first < plan->chunks; run.first += run.chunks) {
        run.chunks = bf16_min(plan->workers, plan->chunks - run.first);
        gelu_parallel_for(run.chunks, pack_chunk, &run);
        atomic_store_explicit(&run.taken, 0, memory_order_relaxed);
        gelu_parallel_for(bf16_min(bf16_min(plan->workers, gelu_parallel_threads()), run.chunks * plan->groups),
                          multiply, &run);
    }
}
