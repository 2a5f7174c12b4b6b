/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What the processor can do and the operating system lets us use. */
#ifndef GELU_CPU_FEATURES_H
#define GELU_CPU_FEATURES_H

#include <stdbool.h>

struct cpu_features {
    bool avx2;        /* with FMA and F16C */
    bool avx512;      /* F, BW, DQ, VL, and what avx2 needs */
    bool avx512_bf16; /* and what avx512 needs */
    bool amx;         /* tiles, their bf16 product, and what avx512 needs */
};

struct cpu_features gelu_cpu_features(void);

/* Tiles cannot be used before Linux has permitted them to the process. This asks for that. */
bool gelu_cpu_permit_tiles(void);

#endif
