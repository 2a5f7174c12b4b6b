/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "base/compiler.h"
#include "dispatch/cpu_features.h"
#include "dispatch/dispatch.h"

static bool always(void) { return true; }
#if defined(__x86_64__)
static bool has_avx2(void) { return gelu_cpu_features().avx2; }
static bool has_avx512(void) { return gelu_cpu_features().avx512; }
static bool has_avx512_bf16(void) { return gelu_cpu_features().avx512_bf16 && gelu_avx512_bf16_follows(); }
static bool has_amx(void) { return gelu_cpu_features().amx && gelu_cpu_permit_tiles(); }
#endif

/* What this build has, best first, and whether this machine can run it. Asking that for AMX changes the process, so it is
 * not asked for when another one is wanted by name. */
static const struct {
    const struct gelu_kernels *kernels;
    bool (*usable)(void);
} tables[] = {
#if defined(__x86_64__)
    {&gelu_kernels_amx, has_amx},       {&gelu_kernels_avx512_bf16, has_avx512_bf16},
    {&gelu_kernels_avx512, has_avx512}, {&gelu_kernels_avx2, has_avx2},
#elif defined(__aarch64__)
    {&gelu_kernels_neon, always},
#endif
    {&gelu_kernels_scalar, always},
};

enum { TABLES = sizeof tables / sizeof *tables };

/* The i-th that can be run; NULL past the end. */
static const struct gelu_kernels *available(size_t i) {
    for (size_t t = 0; t < TABLES; t++)
        if (tables[t].usable() && i-- == 0) return tables[t].kernels;
    return NULL;
}

/* NULL until the first use. Threads that race to it write the same pointer. */
static _Atomic(const struct gelu_kernels *) chosen;

static const struct gelu_kernels *find(const char *name) {
    for (size_t t = 0; t < TABLES; t++)
        if (strcmp(tables[t].kernels->name, name) == 0) return tables[t].usable() ? tables[t].kernels : NULL;
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
