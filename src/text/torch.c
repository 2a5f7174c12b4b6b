/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The text of print(tensor) in PyTorch 1.13. One format serves all elements of a tensor; it follows from the finite
 * values other than zero, and from the shown ones only when the tensor is summarised. */

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/compiler.h"
#include "text/text.h"

#define PREFIX "tensor("
#define PREFIX_LENGTH 7

struct torch_printer {
    struct grid grid;
    struct text text;
    size_t precision, linewidth, width;
    bool any, integral, scientific;
    double least, most; /* absolute values */
};

static double magnitude(const struct float_parts *parts) { return ldexp((double)parts->mantissa, parts->exponent); }

static bool is_integral(const struct float_parts *parts) {
    int shift = -parts->exponent;
    if (shift <= 0) return true;
    return shift < 64 && (parts->mantissa & (((uint64_t)1 << shift) - 1)) == 0;
}

static bool counts(const struct float_parts *parts) { return parts->kind == FLOAT_FINITE && parts->mantissa != 0; }

static void see_range(void *context, const struct float_parts *parts) {
    struct torch_printer *p = context;
    if (!counts(parts)) return;
    double value = magnitude(parts);
    if (!p->any || value < p->least) p->least = value;
    if (!p->any || value > p->most) p->most = value;
    p->any = true;
    p->integral = p->integral && is_integral(parts);
}

/* Without the padding. */
static size_t element(const struct torch_printer *p, const struct float_parts *parts, char out[TEXT_MAX_NUMBER]) {
    struct decimal value;
    if (parts->kind != FLOAT_FINITE) return gelu_text_nonfinite(out, parts);
    gelu_decimal_from_binary(parts->mantissa, parts->exponent, &value);
    if (p->scientific) {
        gelu_decimal_round_digits(&value, (int)p->precision + 1);
        return gelu_text_exponent(out, parts->negative, &value, p->precision, false, 2);
    }
    size_t places = p->integral ? 0 : p->precision;
    gelu_decimal_round_places(&value, (int)places);
    return gelu_text_fixed(out, parts->negative, &value, places, p->integral);
}

static void see_width(void *context, const struct float_parts *parts) {
    struct torch_printer *p = context;
    char number[TEXT_MAX_NUMBER];
    size_t length = counts(parts) ? element(p, parts, number) : 0;
    if (length > p->width) p->width = length;
}

static void choose_format(struct torch_printer *p, int sci_mode) {
    p->integral = true;
    p->width = 1;
    gelu_grid_each(&p->grid, see_range, p);
    if (!p->any) return;
    p->scientific = p->most / p->least > 1000.0 || p->most > 1e8 || (!p->integral && p->least < 1e-4);
    gelu_grid_each(&p->grid, see_width, p);
    /* The option changes the notation but not the width that was found before. */
    if (sci_mode) p->scientific = sci_mode > 0;
}

static void put_element(struct torch_printer *p, size_t index) {
    char number[TEXT_MAX_NUMBER];
    struct float_parts parts = gelu_grid_at(&p->grid, index);
    size_t length = element(p, &parts, number);
    if (length < p->width) gelu_text_repeat(&p->text, ' ', p->width - length);
    gelu_text_add(&p->text, number, length);
}

static void put_vector(struct torch_printer *p, size_t offset, size_t indent) {
    size_t axis = p->grid.ndim - 1, length = p->grid.shape[axis], edge = p->grid.edge;
    size_t per_line = p->linewidth > indent ? (p->linewidth - indent) / (p->width + 2) : 0;
    bool cut = gelu_grid_cut(&p->grid, axis);
    if (per_line == 0) per_line = 1;
    gelu_text_string(&p->text, "[");
    size_t shown = 0;
    for (size_t i = 0; i < length; shown++) {
        if (shown > 0 && shown % per_line == 0) {
            gelu_text_string(&p->text, ",\n");
            gelu_text_repeat(&p->text, ' ', indent + 1);
        } else if (shown > 0) {
            gelu_text_string(&p->text, ", ");
        }
        if (cut && shown == edge) {
            gelu_text_string(&p->text, " ...");
            i = length - edge;
        } else {
            put_element(p, offset + i++);
        }
    }
    gelu_text_string(&p->text, "]");
}

static void put_axis(struct torch_printer *p, size_t axis, size_t offset, size_t indent) {
    if (p->grid.ndim == 0) {
        put_element(p, 0);
        return;
    }
    if (axis + 1 == p->grid.ndim) {
        put_vector(p, offset, indent);
        return;
    }
    size_t length = p->grid.shape[axis], edge = p->grid.edge;
    bool cut = gelu_grid_cut(&p->grid, axis);
    gelu_text_string(&p->text, "[");
    for (size_t i = 0; i < length; i++) {
        if (i > 0) {
            gelu_text_string(&p->text, ",");
            gelu_text_repeat(&p->text, '\n', p->grid.ndim - axis - 1);
            gelu_text_repeat(&p->text, ' ', indent + 1);
        }
        if (cut && i == edge) {
            gelu_text_string(&p->text, "...");
            i = length - edge - 1;
        } else {
            put_axis(p, axis + 1, offset + i * p->grid.stride[axis], indent + 1);
        }
    }
    gelu_text_string(&p->text, "]");
}

/* line_length is PyTorch's idea of the last line's length, two more than it is. */
static void put_suffix(struct torch_printer *p, size_t *line_length, const char *a, const char *b, const char *c) {
    size_t length = strlen(a) + strlen(b) + strlen(c);
    if (*line_length + length + 2 > p->linewidth) {
        gelu_text_string(&p->text, ",\n");
        gelu_text_repeat(&p->text, ' ', PREFIX_LENGTH);
        *line_length = PREFIX_LENGTH + length;
    } else {
        gelu_text_string(&p->text, ", ");
        *line_length += length + 2;
    }
    gelu_text_string(&p->text, a);
    gelu_text_string(&p->text, b);
    gelu_text_string(&p->text, c);
}

static void put_size_suffix(struct torch_printer *p, size_t *line_length) {
    char sizes[GELU_MAX_NDIM * 22 + 1];
    size_t used = 0;
    for (size_t axis = 0; axis < p->grid.ndim; axis++)
        used += (size_t)snprintf(sizes + used, sizeof sizes - used, axis ? ", %zu" : "%zu", p->grid.shape[axis]);
    put_suffix(p, line_length, "size=(", sizes, ")");
}

static void put_suffixes(struct torch_printer *p, const gelu_torch_format *options) {
    static const char *const types[] = {
        [GELU_F32] = NULL, [GELU_F64] = "float64", [GELU_F16] = "float16", [GELU_BF16] = "bfloat16"};
    size_t line_length = gelu_text_last_line(&p->text) + 2;
    const char *type = types[p->grid.dtype];
    if (p->grid.count == 0 && p->grid.ndim != 1) put_size_suffix(p, &line_length);
    if (type) put_suffix(p, &line_length, "dtype=torch.", type, "");
    if (options->grad_fn)
        put_suffix(p, &line_length, "grad_fn=<", options->grad_fn, ">");
    else if (options->requires_grad)
        put_suffix(p, &line_length, "requires_grad=True", "", "");
}

gelu_status gelu_format_torch(gelu_dtype dtype, size_t ndim, const size_t *shape, const void *data,
                              const gelu_torch_format *options, char **out) {
    static const gelu_torch_format defaults;
    struct torch_printer p = {.any = false};
    if (!out) return GELU_ERR_ARGUMENT;
    if (!options) options = &defaults;
    p.precision = options->precision ? options->precision - 1 : 4;
    p.linewidth = options->linewidth ? options->linewidth : 80;
    if (p.precision > TEXT_MAX_PRECISION) return GELU_ERR_ARGUMENT;
    gelu_status status =
        gelu_grid_init(&p.grid, dtype, ndim, shape, data, options->threshold ? options->threshold : 1000,
                       options->edgeitems ? options->edgeitems : 3);
    if (status) return status;
    gelu_text_string(&p.text, PREFIX);
    if (p.grid.count == 0) {
        gelu_text_string(&p.text, "[]");
    } else {
        choose_format(&p, options->sci_mode);
        put_axis(&p, 0, 0, PREFIX_LENGTH);
    }
    put_suffixes(&p, options);
    gelu_text_string(&p.text, ")");
    return gelu_text_finish(&p.text, out);
}
