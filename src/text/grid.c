/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdint.h>
#include "base/size.h"
#include "text/text.h"

gelu_status gelu_grid_init(struct grid *grid, gelu_dtype dtype, size_t ndim, const size_t *shape, const void *data,
                           size_t threshold, size_t edge) {
    size_t nbytes = gelu_dtype_nbytes(dtype), stride = 1;
    if (nbytes == 0) return GELU_ERR_DTYPE;
    if (ndim > GELU_MAX_NDIM) return GELU_ERR_SHAPE;
    if (!shape && ndim > 0) return GELU_ERR_ARGUMENT;
    bool empty = false;
    for (size_t axis = 0; axis < ndim; axis++) {
        if (shape[axis] == 0)
            empty = true;
        else if (!size_mul(nbytes, shape[axis], &nbytes) || nbytes > PTRDIFF_MAX)
            return GELU_ERR_OVERFLOW;
    }
    for (size_t axis = ndim; axis-- > 0;) {
        grid->stride[axis] = stride;
        stride *= shape[axis];
    }
    if (!data && !empty) return GELU_ERR_ARGUMENT;
    grid->dtype = dtype;
    grid->ndim = ndim;
    grid->shape = shape;
    grid->data = data;
    grid->count = stride;
    grid->edge = edge;
    grid->summarize = grid->count > threshold;
    return GELU_OK;
}

bool gelu_grid_cut(const struct grid *grid, size_t axis) {
    size_t length = grid->shape[axis];
    return grid->summarize && length > grid->edge && length - grid->edge > grid->edge;
}

struct float_parts gelu_grid_at(const struct grid *grid, size_t index) {
    const unsigned char *at = grid->data + index * gelu_dtype_nbytes(grid->dtype);
    uint64_t bits = gelu_float_load(grid->dtype, at);
    if (grid->dtype == GELU_BF16) return gelu_float_split(gelu_float_format_of(GELU_F32), bits << 16);
    return gelu_float_split(gelu_float_format_of(grid->dtype), bits);
}

void gelu_grid_each(const struct grid *grid, void (*see)(void *context, const struct float_parts *parts),
                    void *context) {
    size_t index[GELU_MAX_NDIM] = {0}, offset = 0;
    for (bool more = grid->count > 0; more;) {
        struct float_parts parts = gelu_grid_at(grid, offset);
        see(context, &parts);
        more = false;
        for (size_t axis = grid->ndim; axis-- > 0 && !more;) {
            size_t step = 1;
            if (index[axis] + 1 == grid->edge && gelu_grid_cut(grid, axis))
                step = grid->shape[axis] - 2 * grid->edge + 1;
            more = index[axis] + step < grid->shape[axis];
            if (more) {
                index[axis] += step;
                offset += step * grid->stride[axis];
            } else {
                offset -= index[axis] * grid->stride[axis];
                index[axis] = 0;
            }
        }
    }
}
