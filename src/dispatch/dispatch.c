/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "base/compiler.h"
#include "dispatch/dispatch.h"

/* What this build has and this machine can run, best first. */
static const struct gelu_kernels *const available[] = {&gelu_kernels_scalar};
enum { AVAILABLE = sizeof available / sizeof *available };

/* NULL until the first use. Threads that race to it write the same pointer. */
static _Atomic(const struct gelu_kernels *) chosen;

static const struct gelu_kernels *find(const char *name) {
    for (size_t i = 0; i < AVAILABLE; i++)
        if (strcmp(available[i]->name, name) == 0) return available[i];
    return NULL;
}

static const struct gelu_kernels *choose(void) {
    const char *forced = getenv("GELU_FORCE_ISA");
    if (!forced) return available[0];
    const struct gelu_kernels *kernels = find(forced);
    return kernels ? kernels : &gelu_kernels_scalar;
}

const struct gelu_kernels *gelu_dispatch(void) {
    const struct gelu_kernels *kernels = atomic_load_explicit(&chosen, memory_order_acquire);
    if (!kernels) {
        kernels = choose();
        atomic_store_explicit(&chosen, kernels, memory_order_release);
    }
    return kernels;
}

const char *gelu_isa_name(void) { return gelu_dispatch()->name; }

const char *gelu_isa_available(size_t i) { return i < AVAILABLE ? available[i]->name : NULL; }

gelu_status gelu_isa_select(const char *name) {
    const struct gelu_kernels *kernels = name ? find(name) : choose();
    if (!kernels) return GELU_ERR_ISA;
    atomic_store_explicit(&chosen, kernels, memory_order_release);
    return GELU_OK;
}

gelu_status gelu_isa_status(void) {
    const char *forced = getenv("GELU_FORCE_ISA");
    return !forced || find(forced) ? GELU_OK : GELU_ERR_ISA;
}
