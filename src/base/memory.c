/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "base/memory.h"
#include "base/alloc.h"
#include "gelu.h"

static void *standard_allocate(size_t alignment, size_t nbytes, void *context) {
    (void)context;
    return aligned_alloc(alignment, nbytes);
}

static void standard_release(void *p, void *context) {
    (void)context;
    free(p);
}

static struct {
    gelu_allocate *allocate;
    gelu_release *release;
    void *context;
} host = {standard_allocate, standard_release, NULL};

gelu_status gelu_set_allocator(gelu_allocate *allocate, gelu_release *release, void *context) {
    if (!allocate != !release) return GELU_ERR_ARGUMENT;
    host.allocate = allocate ? allocate : standard_allocate;
    host.release = release ? release : standard_release;
    host.context = context;
    return GELU_OK;
}

void *gelu_memory_new(size_t nbytes) {
    int host_errno = errno;
    size_t rounded;
    bool fits = alloc_round_up(nbytes ? nbytes : 1, &rounded);
    void *p = fits ? host.allocate(ALLOC_ALIGNMENT, rounded, host.context) : NULL;
    errno = host_errno;
    return p;
}

void gelu_memory_free(void *p) {
    int host_errno = errno;
    if (p) host.release(p, host.context);
    errno = host_errno;
}
