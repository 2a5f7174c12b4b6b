/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <string.h>
#include "base/compiler.h"
#include "gelu.h"

static const struct {
    const char *name;
    size_t nbytes;
} types[] = {[GELU_F32] = {"f32", 4}, [GELU_F64] = {"f64", 8}, [GELU_F16] = {"f16", 2}, [GELU_BF16] = {"bf16", 2}};

static int known(gelu_dtype dtype) { return dtype >= GELU_F32 && dtype <= GELU_BF16; }

size_t gelu_dtype_nbytes(gelu_dtype dtype) { return known(dtype) ? types[dtype].nbytes : 0; }

const char *gelu_dtype_name(gelu_dtype dtype) { return known(dtype) ? types[dtype].name : "?"; }

gelu_status gelu_dtype_from_name(const char *name, gelu_dtype *out) {
    if (!out) return GELU_ERR_ARGUMENT;
    for (int i = GELU_F32; name && i <= GELU_BF16; i++)
        if (strcmp(name, types[i].name) == 0) {
            *out = (gelu_dtype)i;
            return GELU_OK;
        }
    return GELU_ERR_NAME;
}
