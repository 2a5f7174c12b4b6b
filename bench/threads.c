/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "bench.h"
#include "threads.h"

enum { PAGE = 4096 };

void bench_in_pieces(unsigned threads, size_t count, bench_piece *f, void *context) {
    if (threads <= 1) {
        f(context, 0, count);
        return;
    }
    size_t piece = (count / threads + PAGE) / PAGE * PAGE;
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static, 1)
#endif
    for (unsigned i = 0; i < threads; i++) {
        size_t first = i * piece;
        if (first < count) f(context, first, count - first < piece ? count - first : piece);
    }
}
