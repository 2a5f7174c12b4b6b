/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "base/compiler.h"
#include "dispatch/cpu_features.h"
#include "dispatch/dispatch.h"

enum { MOST = 3 };

/* What this build has and this machine can run, best first; NULL past the end. */
static const struct gelu_kernels *available(size_t i) {
    const struct gelu_kernels *list[MOST + 1] = {0};
    size_t count = 0;
#if defined(__x86_64__)
    struct cpu_features features = gelu_cpu_features();
    if (features.avx512) list[count++] = &gelu_kernels_avx512;
    if (features.avx2) list[count++] = &gelu_kernels_avx2;
#elif defined(__aarch64__)
    list[count++] = &gelu_kernels_neon;
#endif
    list[count] = &gelu_kernels_scalar;
    return i < MOST ? list[i] : NULL;
}

/* NULL until the first use. Threads that race to it write the same pointer. */
static _Atomic(const struct gelu_kernels *) chosen;

static const struct gelu_kernels *find(const char *name) {
    const struct gelu_kernels *kernels;
    for (size_t i = 0; (kernels = available(i)); i++)
        if (strcmp(kernels->name, name) == 0) return kernels;
    return NULL;
}

static const struct gelu_kernels *choose(void) {
    const char *forced = getenv("GELU_FORCE_ISA");
    if (!forced) return available(0);
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

const char *gelu_isa_available(size_t i) {
    const struct gelu_kernels *kernels = available(i);
    return kernels ? kernels->name : NULL;
}

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
