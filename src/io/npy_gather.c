/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <string.h>
#include "base/compiler.h"
#include "io/npy_internal.h"

/* In Fortran order the first axis is the contiguous one. So many of its elements are taken from each place before
 * moving on: a cache line's worth of f16, so that no line is fetched twice. */
#define TILE 32

static inline void copy_element(uint8_t *dst, const uint8_t *src, size_t nbytes, bool swapped) {
    if (!swapped) {
        memcpy(dst, src, nbytes);
        return;
    }
    for (size_t i = 0; i < nbytes; i++) dst[i] = src[nbytes - 1 - i];
}

/* The call sites give nbytes as a constant, so that each becomes plain loads and stores. */
static inline __attribute__((always_inline)) void copy_run(uint8_t *dst, size_t dst_step, const uint8_t *src,
                                                           size_t count, size_t nbytes, bool swapped) {
    for (size_t i = 0; i < count; i++) copy_element(dst + i * dst_step * nbytes, src + i * nbytes, nbytes, swapped);
}

/* count neighbouring elements of src to every dst_step-th element of dst. */
static void copy_strided(uint8_t *dst, size_t dst_step, const uint8_t *src, size_t count, size_t nbytes, bool swapped) {
    switch (nbytes) {
    case 1: copy_run(dst, dst_step, src, count, 1, false); break;
    case 2: copy_run(dst, dst_step, src, count, 2, swapped); break;
    case 4: copy_run(dst, dst_step, src, count, 4, swapped); break;
    default: copy_run(dst, dst_step, src, count, 8, swapped); break;
    }
}

/* For rows i0 .. i0+rows-1 of the first axis, elements r0 .. r0+count-1 of each row, a row being what the other axes
 * span in row-major order. */
static void gather_rows(const struct npy_layout *layout, const uint8_t *data, size_t i0, size_t rows, size_t r0,
                        size_t count, uint8_t *dst) {
    const gelu_tensor *t = &layout->tensor;
    size_t index[GELU_MAX_NDIM], stride[GELU_MAX_NDIM], nbytes = layout->element_bytes;
    size_t source = i0, rest = r0, span = 1;
    for (size_t axis = 0; axis < t->ndim; axis++) {
        stride[axis] = span;
        span *= t->shape[axis];
    }
    for (size_t axis = t->ndim - 1; axis > 0; axis--) {
        index[axis] = rest % t->shape[axis];
        rest /= t->shape[axis];
        source += index[axis] * stride[axis];
    }
    for (size_t r = 0; r < count; r++) {
        copy_strided(dst + r * nbytes, count, data + source * nbytes, rows, nbytes, layout->swapped);
        for (size_t axis = t->ndim - 1; axis > 0; axis--) {
            source += stride[axis];
            if (++index[axis] < t->shape[axis]) break;
            source -= index[axis] * stride[axis];
            index[axis] = 0;
        }
    }
}

/* In the file's type. */
static void gather(const struct npy_layout *layout, const uint8_t *data, size_t first, size_t count, uint8_t *dst) {
    const gelu_tensor *t = &layout->tensor;
    size_t nbytes = layout->element_bytes;
    if (!layout->fortran) {
        if (layout->swapped)
            copy_strided(dst, 1, data + first * nbytes, count, nbytes, true);
        else
            memcpy(dst, data + first * nbytes, count * nbytes);
        return;
    }
    size_t row = t->count / t->shape[0];
    while (count > 0) {
        size_t i = first / row, r = first % row, rows = 1, part = row - r;
        if (part > count) part = count;
        if (r == 0 && part == row) {
            rows = count / row;
            if (rows > TILE) rows = TILE;
        }
        gather_rows(layout, data, i, rows, r, part, dst);
        first += rows * part;
        count -= rows * part;
        dst += rows * part * nbytes;
    }
}

/* Rounds what f64 cannot hold to nearest. */
static double whole_number(char kind, size_t nbytes, const uint8_t *src) {
    uint64_t bits = 0;
    for (size_t i = 0; i < nbytes; i++) bits |= (uint64_t)src[i] << 8 * i;
    if (kind == 'b') return bits != 0;
    if (kind == 'u') return (double)bits;
    unsigned unused = 64 - 8 * (unsigned)nbytes;
    return (double)((int64_t)(bits << unused) >> unused);
}

void gelu_npy_gather(const struct npy_layout *layout, const uint8_t *data, size_t first, size_t count, uint8_t *dst) {
    size_t nbytes = layout->element_bytes;
    if (count == 0) return;
    if (!npy_is_whole(layout)) {
        gather(layout, data, first, count, dst);
        return;
    }
    /* Elements that are not wider than a double stand at the end of dst until each has its double at the beginning. */
    uint8_t *narrow = dst + count * (sizeof(double) - nbytes);
    gather(layout, data, first, count, narrow);
    for (size_t i = 0; i < count; i++) {
        double value = whole_number(layout->kind, nbytes, narrow + i * nbytes);
        memcpy(dst + i * sizeof value, &value, sizeof value);
    }
}
