/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "base/memory.h"
#include "base/alloc.h"
#include "gelu.h"

static struct {
    gelu_allocate *allocate; /* NULL: none is set */
    gelu_release *release;
    void *context;
} host;

gelu_status gelu_set_allocator(gelu_allocate *allocate, gelu_release *release, void *context) {
    if (!allocate != !release) return GELU_ERR_ARGUMENT;
    host.allocate = allocate;
    host.release = release;
    host.context = context;
    return GELU_OK;
}

void *gelu_memory_new(size_t nbytes) {
    if (!host.allocate) return alloc_aligned(nbytes);
    int host_errno = errno;
    size_t rounded;
    void *p =
        alloc_round_up(nbytes ? nbytes : 1, &rounded) ? host.allocate(ALLOC_ALIGNMENT, rounded, host.context) : NULL;
    errno = host_errno;
    return p;
}

void gelu_memory_free(void *p) {
    if (!host.release) {
        alloc_free(p);
        return;
    }
    int host_errno = errno;
    if (p) host.release(p, host.context);
    errno = host_errno;
}
