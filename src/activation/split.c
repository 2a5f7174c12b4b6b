/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "activation/split.h"
#include "base/parallel.h"

enum { CACHE_LINE = 64 };

struct job {
    struct alias_matrix out;
    size_t n, pieces;
    split_piece *piece;
    const void *context;
};

/* Where a piece begins: two threads should not write one cache line, and vectors that are aligned in one piece should be
 * so in all. */
static size_t begin_of(const struct job *job, size_t index) {
    if (index == job->pieces) return job->n;
    size_t extra = job->n % job->pieces;
    size_t first = job->n / job->pieces * index + (index < extra ? index : extra);
    size_t row = first / job->out.cols, col = first % job->out.cols;
    uintptr_t address = (uintptr_t)job->out.p + (row * job->out.ld + col) * job->out.element_nbytes;
    size_t past = address % CACHE_LINE / job->out.element_nbytes;
    return first - (past < col ? past : col);
}

static void run_piece(void *context, size_t index) {
    const struct job *job = context;
    size_t first = begin_of(job, index);
    job->piece(job->context, first, begin_of(job, index + 1) - first);
}

void gelu_split_large(struct alias_matrix out, split_piece *piece, const void *context) {
    struct job job = {.out = out, .n = out.rows * out.cols, .piece = piece, .context = context};
    size_t threads = gelu_parallel_threads(), most = job.n / SPLIT_LEAST;
    job.pieces = threads < most ? threads : most;
    gelu_parallel_for(job.pieces, run_piece, &job);
}
