/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Threads, where the build has OpenMP. Nothing here allocates. */
#ifndef GELU_BASE_PARALLEL_H
#define GELU_BASE_PARALLEL_H

#include <stddef.h>

/* How many threads parallel_for would use now: 1 unless told otherwise (gelu.h, Threads), 1 where it would be serial. */
size_t gelu_parallel_threads(void);

/* How many processors the machine has, at most the threads that can be set; the same for as long as the process lives.
 * 1 without OpenMP. */
size_t gelu_parallel_processors(void);

/* task(context, i) once for each i < count, in any order, over at most so many threads; serial without OpenMP, in a
 * forked child, and inside another parallel region. All tasks see the caller's floating-point environment, and have
 * ended when this returns. The first tasks go to the same thread each time, so that the same part of an array meets the
 * cache that it was in; the others to whoever is free. */
void gelu_parallel_for(size_t count, void (*task)(void *context, size_t index), void *context);

#endif
