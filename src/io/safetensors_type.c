/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <string.h>
#include "io/safetensors_internal.h"
#include "io/shape.h"

static const struct st_type types[] = {
    {"F64", GELU_F64, false, 64}, {"F32", GELU_F32, false, 32},
    {"F16", GELU_F16, false, 16}, {"BF16", GELU_BF16, false, 16},
    {"I64", 0, true, 64},         {"I32", 0, true, 32},
    {"I16", 0, true, 16},         {"I8", 0, true, 8},
    {"U64", 0, true, 64},         {"U32", 0, true, 32},
    {"U16", 0, true, 16},         {"U8", 0, true, 8},
    {"BOOL", 0, false, 8},        {"C64", 0, false, 64},
    {"F8_E4M3", 0, false, 8},     {"F8_E5M2", 0, false, 8},
    {"F8_E8M0", 0, false, 8},     {"F8_E4M3FNUZ", 0, false, 8},
    {"F8_E5M2FNUZ", 0, false, 8}, {"F6_E2M3", 0, false, 6},
    {"F6_E3M2", 0, false, 6},     {"F4", 0, false, 4},
};

const struct st_type *gelu_st_type(const char *name) {
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, name) == 0) return &types[i];
    return NULL;
}

const char *gelu_st_type_of(gelu_dtype dtype) {
    for (size_t i = 0; dtype && i < sizeof types / sizeof types[0]; i++)
        if (types[i].dtype == dtype) return types[i].name;
    return NULL;
}

gelu_status gelu_st_nbytes(const struct st_type *type, size_t ndim, const size_t *shape, size_t *count,
                           size_t *nbytes) {
    bool whole = type->nbits % 8 == 0;
    if (!io_shape_nbytes(ndim, shape, whole ? type->nbits / 8 : type->nbits, count, nbytes)) return GELU_ERR_OVERFLOW;
    if (whole) return GELU_OK;
    if (*nbytes % 8 != 0) return GELU_ERR_SIZE_MISMATCH;
    *nbytes /= 8;
    return GELU_OK;
}
