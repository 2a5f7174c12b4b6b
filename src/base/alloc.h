/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Memory aligned to 64 bytes, with errno kept: libgelu-io's. What libgelu takes comes from base/memory.h. */
#ifndef GELU_BASE_ALLOC_H
#define GELU_BASE_ALLOC_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include "base/size.h"

enum { ALLOC_ALIGNMENT = 64 };

/* false when the result does not fit. */
static inline bool alloc_round_up(size_t nbytes, size_t *out) {
    if (!size_add(nbytes, ALLOC_ALIGNMENT - 1, out)) return false;
    *out -= *out % ALLOC_ALIGNMENT;
    return true;
}

/* NULL when there is no memory; never NULL for lack of a size. */
static inline void *alloc_aligned(size_t nbytes) {
    int host_errno = errno;
    size_t rounded;
    void *p = alloc_round_up(nbytes ? nbytes : 1, &rounded) ? aligned_alloc(ALLOC_ALIGNMENT, rounded) : NULL;
    errno = host_errno;
    return p;
}

static inline void alloc_free(void *p) {
    int host_errno = errno;
    free(p);
    errno = host_errno;
}

#endif
