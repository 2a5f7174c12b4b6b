/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The memory of layers, and of calls that are given none: the host's own, if it has set an allocator (gelu.h, Memory). */
#ifndef GELU_BASE_MEMORY_H
#define GELU_BASE_MEMORY_H

#include <stddef.h>

/* Aligned to 64 bytes; NULL when there is none, never for lack of a size. errno is kept. */
void *gelu_memory_new(size_t nbytes);
void gelu_memory_free(void *p);

#endif
