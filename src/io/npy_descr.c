/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdio.h>
#include <string.h>
#include "io/npy_internal.h"

/* The size that follows the kind letter, or 0 when it is no plain number of at most four digits. */
static unsigned descr_size(const char *digits, size_t length) {
    unsigned value = 0;
    if (length > 4) return 0;
    for (size_t i = 0; i < length; i++) {
        if (digits[i] < '0' || digits[i] > '9') return 0;
        value = value * 10 + (unsigned)(digits[i] - '0');
    }
    return value;
}

/* What a type that is not taken is called in words; false when it is no type that NumPy writes. */
static bool refused_name(char kind, unsigned size, char name[64]) {
    static const struct {
        char kind;
        bool in_bits; /* followed by the size in bits */
        const char *name;
    } kinds[] = {
        {'b', false, "bool"},
        {'?', false, "bool"},
        {'i', true, "int"},
        {'u', true, "uint"},
        {'c', true, "complex"},
        {'f', true, "float"},
        {'S', false, "byte string"},
        {'a', false, "byte string"},
        {'U', false, "text string"},
        {'O', false, "object (pickled Python)"},
        {'M', false, "datetime64"},
        {'m', false, "timedelta64"},
        {'V', false, "raw bytes (V)"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].kind != kind) continue;
        if (!kinds[i].in_bits) {
            snprintf(name, 64, "%s", kinds[i].name);
            return true;
        }
        if (size == 0 || size > 64) return false;
        snprintf(name, 64, "%s%u", kinds[i].name, size * 8);
        return true;
    }
    return false;
}

gelu_status gelu_npy_parse_descr(const struct io_context *context, uint64_t offset, const char *descr, size_t length,
                                 const gelu_npy_options *options, struct npy_layout *out) {
    static const struct {
        char kind;
        unsigned size;
        gelu_dtype dtype;
    } taken[] = {{'f', 2, GELU_F16}, {'f', 4, GELU_F32}, {'f', 8, GELU_F64}, {'V', 2, GELU_BF16}, {'b', 1, GELU_F64},
                 {'i', 1, GELU_F64}, {'i', 2, GELU_F64}, {'i', 4, GELU_F64}, {'i', 8, GELU_F64},  {'u', 1, GELU_F64},
                 {'u', 2, GELU_F64}, {'u', 4, GELU_F64}, {'u', 8, GELU_F64}};
    const char *rest = descr;
    size_t left = length;
    char order = '=';
    if (left > 0 && memchr("<>=|", *rest, 4)) {
        order = *rest++;
        left--;
    }
    char kind = left > 0 ? *rest : '\0';
    unsigned size = left > 0 ? descr_size(rest + 1, left - 1) : 0;
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        if (taken[i].kind != kind || taken[i].size != size) continue;
        if (strchr("biu", kind) && !(options && options->whole_numbers)) continue;
        if (kind == 'V' && (order == '>' || !options || !options->v2_is_bf16))
            return gelu_io_fail_at(context, GELU_ERR_DTYPE, offset, "elements are raw '%.*s'%s", (int)length, descr,
                                   order == '>' ? "" : ", which is bf16 only if the caller says so");
        out->tensor.dtype = taken[i].dtype;
        out->kind = kind;
        out->element_bytes = size;
        out->swapped = order == '>';
        return GELU_OK;
    }
    char name[64];
    int shown = length > 40 ? 40 : (int)length;
    if (refused_name(kind, size, name))
        return gelu_io_fail_at(context, GELU_ERR_DTYPE, offset, "elements are %s ('%.*s'), not f2, f4 or f8%s", name,
                               shown, descr, options && options->whole_numbers ? ", bool or an integer" : "");
    return gelu_io_fail_at(context, GELU_ERR_DTYPE, offset, "unknown element type '%.*s'", shown, descr);
}
