/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The text of print(array) and repr(array) in NumPy 1.24: at most `precision` digits after the point, but never more
 * than tell the value apart from its neighbours; columns aligned at the point. */

#include <math.h>
#include <string.h>
#include "base/compiler.h"
#include "text/text.h"

#define PREFIX "array("
#define PREFIX_LENGTH 6

struct numpy_printer {
    struct grid grid;
    struct text text;
    size_t precision, linewidth;
    const char *separator;
    bool any, scientific, infinite, negative_infinite, nan;
    double least, most;                          /* absolute values of the finite elements that are not zero */
    size_t left, right, places, exponent_digits; /* widths before and after the point; digits in the exponent form */
};

static void see_range(void *context, const struct float_parts *parts) {
    struct numpy_printer *p = context;
    p->nan = p->nan || parts->kind == FLOAT_NAN;
    p->infinite = p->infinite || parts->kind == FLOAT_INF;
    p->negative_infinite = p->negative_infinite || (parts->kind == FLOAT_INF && parts->negative);
    if (parts->kind != FLOAT_FINITE || parts->mantissa == 0) return;
    double value = ldexp((double)parts->mantissa, parts->exponent);
    if (!p->any || value < p->least) p->least = value;
    if (!p->any || value > p->most) p->most = value;
    p->any = true;
}

/* NumPy divides in the array's own type, and compares what comes out. */
static bool wide_range(const struct numpy_printer *p) {
    if (p->grid.dtype == GELU_F64) return p->most / p->least > 1000.0;
    float ratio = (float)p->most / (float)p->least;
    /* f16 has halves here, and a tie goes to 1000. */
    return p->grid.dtype == GELU_F16 ? ratio > 1000.25f : ratio > 1000.0f;
}

/* The digits for at most `places` after the point, in the fixed form. Those before the point are all exact, even where
 * fewer would tell the value apart. */
static void fixed_digits(const struct float_parts *parts, size_t places, struct decimal *out) {
    gelu_decimal_shortest(parts, out);
    if (out->count > out->point && out->count - out->point <= (int)places) return;
    gelu_decimal_from_binary(parts->mantissa, parts->exponent, out);
    gelu_decimal_round_places(out, (int)places);
}

/* The digits for at most `places` after the first, in the exponent form. */
static void exponent_digits(const struct float_parts *parts, size_t places, struct decimal *out) {
    gelu_decimal_shortest(parts, out);
    if (out->count <= (int)places + 1) return;
    gelu_decimal_from_binary(parts->mantissa, parts->exponent, out);
    gelu_decimal_round_digits(out, (int)places + 1);
}

static size_t max_size(size_t a, size_t b) { return a > b ? a : b; }

static void see_fixed(void *context, const struct float_parts *parts) {
    struct numpy_printer *p = context;
    struct decimal value;
    if (parts->kind != FLOAT_FINITE) return;
    fixed_digits(parts, p->precision, &value);
    p->left = max_size(p->left, parts->negative + (value.point > 1 ? (size_t)value.point : 1));
    if (value.count > value.point) p->right = max_size(p->right, (size_t)(value.count - value.point));
}

static void see_exponent(void *context, const struct float_parts *parts) {
    struct numpy_printer *p = context;
    struct decimal value;
    if (parts->kind != FLOAT_FINITE) return;
    exponent_digits(parts, p->precision, &value);
    p->left = max_size(p->left, parts->negative + 1u);
    if (value.count > 1) p->places = max_size(p->places, (size_t)value.count - 1);
    int exponent = value.point - 1;
    if (value.count > 0 && (exponent >= 100 || exponent <= -100)) p->exponent_digits = 3;
}

static void choose_format(struct numpy_printer *p) {
    gelu_grid_each(&p->grid, see_range, p);
    p->scientific = p->any && (p->most >= 1e8 || p->least < 1e-4 || wide_range(p));
    p->exponent_digits = 2;
    gelu_grid_each(&p->grid, p->scientific ? see_exponent : see_fixed, p);
    if (p->scientific) p->right = p->places + p->exponent_digits + 2;
    size_t word = p->negative_infinite ? 4 : p->infinite || p->nan ? 3 : 0;
    if (p->left + p->right + 1 < word) p->left = word - p->right - 1;
}

/* One element in its column's width. */
static size_t element(const struct numpy_printer *p, const struct float_parts *parts, char out[2 * TEXT_MAX_NUMBER]) {
    char number[TEXT_MAX_NUMBER];
    struct decimal value;
    size_t length, before, width = p->left + p->right + 1;
    if (parts->kind != FLOAT_FINITE) {
        length = gelu_text_nonfinite(number, parts);
        before = width - length;
    } else if (p->scientific) {
        gelu_decimal_shortest(parts, &value);
        /* Where all are longer, the digits go on exactly, beyond those that tell the value apart. */
        if (value.count != (int)p->places + 1) {
            gelu_decimal_from_binary(parts->mantissa, parts->exponent, &value);
            gelu_decimal_round_digits(&value, (int)p->places + 1);
        }
        length = gelu_text_exponent(number, parts->negative, &value, p->places, true, p->exponent_digits);
        before = width - length;
    } else {
        fixed_digits(parts, p->precision, &value);
        size_t places = value.count > value.point ? (size_t)(value.count - value.point) : 0;
        length = gelu_text_fixed(number, parts->negative, &value, places, true);
        before = p->left + 1 + places - length;
    }
    memset(out, ' ', max_size(width, before + length));
    memcpy(out + before, number, length);
    return max_size(width, before + length);
}

/* Breaks the line before a word that does not fit, unless the line is still empty. */
static void put_word(struct numpy_printer *p, size_t *line, size_t indent, size_t end, const char *word,
                     size_t length) {
    if (*line + length > end && *line > indent) {
        gelu_text_strip_spaces(&p->text);
        gelu_text_string(&p->text, "\n");
        gelu_text_repeat(&p->text, ' ', indent);
        *line = indent;
    }
    gelu_text_add(&p->text, word, length);
    *line += length;
}

static void put_vector(struct numpy_printer *p, size_t offset, size_t indent, size_t end) {
    size_t axis = p->grid.ndim - 1, length = p->grid.shape[axis], line = indent;
    bool cut = gelu_grid_cut(&p->grid, axis);
    char number[2 * TEXT_MAX_NUMBER];
    for (size_t i = 0; i < length; i++) {
        if (i > 0) {
            gelu_text_string(&p->text, p->separator);
            line += strlen(p->separator);
        }
        if (cut && i == p->grid.edge) {
            put_word(p, &line, indent, end, "...", 3);
            i = length - p->grid.edge - 1;
        } else {
            struct float_parts parts = gelu_grid_at(&p->grid, offset + i);
            put_word(p, &line, indent, end, number, element(p, &parts, number));
        }
    }
}

/* indent is that of the lines after the first; end is where lines must end, closing brackets not counted. */
static void put_axis(struct numpy_printer *p, size_t axis, size_t offset, size_t indent, size_t end) {
    size_t length = p->grid.shape[axis];
    bool cut = gelu_grid_cut(&p->grid, axis), last = axis + 1 == p->grid.ndim;
    size_t inner_end = end > 0 ? end - 1 : 0;
    gelu_text_string(&p->text, "[");
    if (last) put_vector(p, offset, indent, inner_end);
    for (size_t i = 0; i < length && !last; i++) {
        if (i > 0) {
            gelu_text_add(&p->text, p->separator, p->separator[0] == ',');
            gelu_text_repeat(&p->text, '\n', p->grid.ndim - axis - 1);
            gelu_text_repeat(&p->text, ' ', indent);
        }
        if (cut && i == p->grid.edge) {
            gelu_text_string(&p->text, "...");
            i = length - p->grid.edge - 1;
        } else {
            put_axis(p, axis + 1, offset + i * p->grid.stride[axis], indent + 1, inner_end);
        }
    }
    gelu_text_string(&p->text, "]");
}

static void put_array(struct numpy_printer *p, size_t prefix, size_t end) {
    char number[2 * TEXT_MAX_NUMBER];
    choose_format(p);
    if (p->grid.ndim > 0) {
        put_axis(p, 0, 0, prefix + 1, end);
        return;
    }
    struct float_parts parts = gelu_grid_at(&p->grid, 0);
    gelu_text_add(&p->text, number, element(p, &parts, number));
}

static void put_shape(struct numpy_printer *p) {
    struct decimal digits;
    char number[TEXT_MAX_NUMBER];
    gelu_text_string(&p->text, ", shape=(");
    for (size_t axis = 0; axis < p->grid.ndim; axis++) {
        if (axis > 0) gelu_text_string(&p->text, ", ");
        gelu_decimal_from_binary(p->grid.shape[axis], 0, &digits);
        gelu_text_add(&p->text, number, gelu_text_fixed(number, false, &digits, 0, false));
    }
    gelu_text_string(&p->text, ")");
}

static void put_repr(struct numpy_printer *p) {
    const char *type = p->grid.dtype == GELU_F64   ? "dtype=float64)"
                       : p->grid.dtype == GELU_F16 ? "dtype=float16)"
                                                   : "dtype=float32)";
    gelu_text_string(&p->text, PREFIX);
    if (p->grid.count > 0) {
        p->separator = ", ";
        put_array(p, PREFIX_LENGTH, p->linewidth - 1);
    } else {
        gelu_text_string(&p->text, "[]");
        if (p->grid.ndim != 1) put_shape(p);
    }
    if (p->grid.dtype == GELU_F64 && p->grid.count > 0) {
        gelu_text_string(&p->text, ")");
        return;
    }
    gelu_text_string(&p->text, ",");
    if (gelu_text_last_line(&p->text) + strlen(type) + 1 > p->linewidth) {
        gelu_text_string(&p->text, "\n");
        gelu_text_repeat(&p->text, ' ', PREFIX_LENGTH);
    } else {
        gelu_text_string(&p->text, " ");
    }
    gelu_text_string(&p->text, type);
}

/* print of an array without dimensions shows the scalar in full. */
static void put_scalar(struct numpy_printer *p) {
    char number[40];
    struct float_parts parts = gelu_grid_at(&p->grid, 0);
    gelu_text_add(&p->text, number, gelu_text_shortest(number, &parts));
}

gelu_status gelu_format_numpy(gelu_dtype dtype, size_t ndim, const size_t *shape, const void *data,
                              const gelu_numpy_format *options, char **out) {
    static const gelu_numpy_format defaults;
    struct numpy_printer p = {.separator = " "};
    if (!out) return GELU_ERR_ARGUMENT;
    if (!options) options = &defaults;
    p.precision = options->precision ? options->precision - 1 : 8;
    p.linewidth = options->linewidth ? options->linewidth : 75;
    if (p.precision > TEXT_MAX_PRECISION) return GELU_ERR_ARGUMENT;
    gelu_status status =
        gelu_grid_init(&p.grid, dtype, ndim, shape, data, options->threshold ? options->threshold : 1000,
                       options->edgeitems ? options->edgeitems : 3);
    if (status) return status;
    if (options->repr)
        put_repr(&p);
    else if (p.grid.count == 0)
        gelu_text_string(&p.text, "[]");
    else if (ndim == 0)
        put_scalar(&p);
    else
        put_array(&p, 0, p.linewidth);
    return gelu_text_finish(&p.text, out);
}
