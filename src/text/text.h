/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Growing text, numbers in it, and the elements of an array that a printer shows. */
#ifndef GELU_TEXT_TEXT_H
#define GELU_TEXT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include "gelu_io.h"
#include "text/decimal.h"

/* Every double is exact with 1074 digits after the point. */
#define TEXT_MAX_PRECISION 1100
/* A sign, 309 digits, a point, the precision and an exponent. */
#define TEXT_MAX_NUMBER (TEXT_MAX_PRECISION + 330)

struct text {
    char *data;
    size_t used, room;
    bool failed; /* out of memory: everything after that is dropped */
};

void gelu_text_add(struct text *text, const char *bytes, size_t nbytes);
void gelu_text_string(struct text *text, const char *string);
void gelu_text_repeat(struct text *text, char c, size_t count);
void gelu_text_strip_spaces(struct text *text);
/* Bytes after the last newline. */
size_t gelu_text_last_line(const struct text *text);
/* Hands over the text, NUL-terminated, or frees it all: GELU_ERR_MEMORY. */
gelu_status gelu_text_finish(struct text *text, char **out);

/* Both return the length. value has no more than places digits after the (decimal) point; zeros fill up. */
size_t gelu_text_fixed(char *out, bool negative, const struct decimal *value, size_t places, bool always_point);
size_t gelu_text_exponent(char *out, bool negative, const struct decimal *value, size_t places, bool always_point,
                          size_t exponent_digits);
/* The shortest digits that read back, fixed for 1e-4 <= |x| < 1e16; what gelu_format_shortest gives. */
size_t gelu_text_shortest(char out[40], const struct float_parts *parts);
/* "nan", "inf" or "-inf". */
size_t gelu_text_nonfinite(char *out, const struct float_parts *parts);

/* An array, and which of its elements are shown. */
struct grid {
    gelu_dtype dtype;
    size_t ndim, count, edge;
    const size_t *shape;
    const unsigned char *data;
    size_t stride[GELU_MAX_NDIM];
    bool summarize;
};

/* Checks the arguments of a printer: GELU_ERR_ARGUMENT, GELU_ERR_DTYPE, GELU_ERR_SHAPE, GELU_ERR_OVERFLOW. */
gelu_status gelu_grid_init(struct grid *grid, gelu_dtype dtype, size_t ndim, const size_t *shape, const void *data,
                           size_t threshold, size_t edge);
/* Whether the middle of this axis is left out. */
bool gelu_grid_cut(const struct grid *grid, size_t axis);
/* bf16 comes as the f32 that it is the upper half of: both printers show it so. */
struct float_parts gelu_grid_at(const struct grid *grid, size_t index);
/* Calls see for every shown element, in order. */
void gelu_grid_each(const struct grid *grid, void (*see)(void *context, const struct float_parts *parts),
                    void *context);

#endif
