/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#ifndef GELU_BENCH_THREADS_H
#define GELU_BENCH_THREADS_H

#include <stddef.h>

typedef void bench_piece(void *context, size_t first, size_t count);

/* Calls f on count in as many pieces as threads, at once; a piece begins at a multiple of a page. */
void bench_in_pieces(unsigned threads, size_t count, bench_piece *f, void *context);

#endif
