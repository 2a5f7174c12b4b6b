/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The start of a .npy file: magic, version, header length and a Python dict literal. Strict: the three keys, once each,
 * in any order, with the spacing and trailing commas that Python takes; nothing else of Python. */

#include <stdint.h>
#include <string.h>
#include "base/size.h"
#include "io/npy_internal.h"
#include "io/shape.h"

enum { KEY_DESCR = 1, KEY_FORTRAN = 2, KEY_SHAPE = 4, KEY_ALL = 7 };

struct cursor {
    const struct io_context *context;
    const char *text;
    size_t at, end;
    uint64_t base; /* of text in the file */
    bool python2;  /* versions 1 and 2, where Python 2 may have written 3L */
};

static uint64_t position(const struct cursor *c) { return c->base + c->at; }

static gelu_status malformed(const struct cursor *c, const char *reason) {
    return gelu_io_fail_at(c->context, GELU_ERR_HEADER, position(c), "bad header: %s", reason);
}

static char peek(const struct cursor *c) { return c->at < c->end ? c->text[c->at] : '\0'; }

static void skip_space(struct cursor *c) {
    while (c->at < c->end && memchr(" \t\n\r\f", c->text[c->at], 5)) c->at++;
}

static bool accept(struct cursor *c, char wanted) {
    skip_space(c);
    if (c->at == c->end || c->text[c->at] != wanted) return false;
    c->at++;
    return true;
}

/* A quoted string without escapes; the cursor stands on its quote. */
static gelu_status parse_string(struct cursor *c, const char **start, size_t *length) {
    char quote = peek(c);
    if (quote != '\'' && quote != '"') return malformed(c, "a quoted string is missing");
    size_t first = ++c->at;
    while (c->at < c->end && c->text[c->at] != quote) {
        if (c->text[c->at] == '\\' || c->text[c->at] == '\n') return malformed(c, "unexpected character in a string");
        c->at++;
    }
    if (c->at == c->end) return malformed(c, "a string has no end");
    *start = c->text + first;
    *length = c->at++ - first;
    return GELU_OK;
}

static gelu_status parse_bool(struct cursor *c, bool *out) {
    static const struct {
        const char *word;
        size_t length;
        bool value;
    } words[] = {{"True", 4, true}, {"False", 5, false}};
    for (int i = 0; i < 2; i++)
        if (c->end - c->at >= words[i].length && memcmp(c->text + c->at, words[i].word, words[i].length) == 0) {
            c->at += words[i].length;
            *out = words[i].value;
            return GELU_OK;
        }
    return malformed(c, "fortran_order is neither True nor False");
}

static gelu_status parse_dimension(struct cursor *c, size_t *out) {
    size_t value = 0, first = c->at;
    if (peek(c) == '-') return malformed(c, "negative dimension");
    for (; peek(c) >= '0' && peek(c) <= '9'; c->at++)
        if (!size_mul(value, 10, &value) || !size_add(value, (size_t)(peek(c) - '0'), &value))
            return gelu_io_fail_at(c->context, GELU_ERR_OVERFLOW, c->base + first, "size overflow in shape");
    if (c->at == first) return malformed(c, "shape is not a tuple of integers");
    if (c->text[first] == '0' && value != 0) return malformed(c, "a dimension begins with 0");
    if (c->python2 && peek(c) == 'L') c->at++;
    *out = value;
    return GELU_OK;
}

static gelu_status parse_shape(struct cursor *c, gelu_tensor *tensor) {
    if (!accept(c, '(')) return malformed(c, "shape is not a tuple");
    bool comma = true;
    tensor->ndim = 0;
    while (!accept(c, ')')) {
        if (!comma) return malformed(c, "a comma is missing in shape");
        if (tensor->ndim == GELU_MAX_NDIM)
            return gelu_io_fail_at(c->context, GELU_ERR_SHAPE, position(c), "shape has more than %d dimensions",
                                   GELU_MAX_NDIM);
        gelu_status status = parse_dimension(c, &tensor->shape[tensor->ndim]);
        if (status) return status;
        tensor->ndim++;
        comma = accept(c, ',');
        skip_space(c);
    }
    /* (3) is a number in Python, and (,) nothing at all: the latter has failed as a dimension already. */
    if (tensor->ndim == 1 && !comma) return malformed(c, "shape is a number, not a tuple");
    return GELU_OK;
}

static gelu_status parse_value(struct cursor *c, int key, const gelu_npy_options *options, struct npy_layout *out,
                               uint64_t *shape_at) {
    uint64_t at = position(c);
    if (key == KEY_FORTRAN) return parse_bool(c, &out->fortran);
    if (key == KEY_SHAPE) {
        *shape_at = at;
        return parse_shape(c, &out->tensor);
    }
    if (peek(c) == '[' || peek(c) == '(')
        return gelu_io_fail_at(c->context, GELU_ERR_DTYPE, at, "elements are of a structured type");
    const char *descr;
    size_t length;
    gelu_status status = parse_string(c, &descr, &length);
    return status ? status : gelu_npy_parse_descr(c->context, at, descr, length, options, out);
}

static int key_of(const char *name, size_t length) {
    if (length == 5 && memcmp(name, "descr", 5) == 0) return KEY_DESCR;
    if (length == 13 && memcmp(name, "fortran_order", 13) == 0) return KEY_FORTRAN;
    if (length == 5 && memcmp(name, "shape", 5) == 0) return KEY_SHAPE;
    return 0;
}

static gelu_status parse_dict(struct cursor *c, const gelu_npy_options *options, struct npy_layout *out,
                              uint64_t *shape_at) {
    int seen = 0;
    bool comma = true;
    if (!accept(c, '{')) return malformed(c, "it does not begin with {");
    while (!accept(c, '}')) {
        const char *name;
        size_t length;
        if (!comma) return malformed(c, "a comma or } is missing");
        gelu_status status = parse_string(c, &name, &length);
        if (status) return status;
        int key = key_of(name, length);
        if (!key) return malformed(c, "a key other than descr, fortran_order and shape");
        if (seen & key) return malformed(c, "a key occurs twice");
        seen |= key;
        if (!accept(c, ':')) return malformed(c, "a colon is missing");
        skip_space(c);
        status = parse_value(c, key, options, out, shape_at);
        if (status) return status;
        comma = accept(c, ',');
        skip_space(c);
    }
    skip_space(c);
    if (c->at != c->end) return malformed(c, "there is more after the }");
    if (!(seen & KEY_DESCR)) return malformed(c, "descr is missing");
    if (!(seen & KEY_FORTRAN)) return malformed(c, "fortran_order is missing");
    if (!(seen & KEY_SHAPE)) return malformed(c, "shape is missing");
    return GELU_OK;
}

/* Magic, version and header length: leaves the header's place in c. */
static gelu_status parse_preamble(const struct io_context *context, const uint8_t *prefix, uint64_t file_nbytes,
                                  struct cursor *c) {
    size_t some = file_nbytes < NPY_MAGIC_NBYTES ? (size_t)file_nbytes : NPY_MAGIC_NBYTES;
    if (file_nbytes == 0) return gelu_io_fail(context, GELU_ERR_TRUNCATED, 0, "the file is empty");
    if (memcmp(prefix, NPY_MAGIC, some) != 0)
        return gelu_io_fail_at(context, GELU_ERR_MAGIC, 0, "bad magic: not a .npy file%s",
                               some >= 4 && memcmp(prefix, "PK\3\4", 4) == 0 ? " but a zip archive (.npz?)" : "");
    if (file_nbytes < 8)
        return gelu_io_fail(context, GELU_ERR_TRUNCATED, file_nbytes,
                            "truncated: %llu bytes, but the magic and version take 8", (unsigned long long)file_nbytes);
    unsigned major = prefix[6], minor = prefix[7];
    if (major < 1 || major > 3 || minor != 0)
        return gelu_io_fail_at(context, GELU_ERR_VERSION, 6,
                               "unknown format version %u.%u (1.0, 2.0 and 3.0 are known)", major, minor);
    unsigned start = major == 1 ? 10 : 12;
    if (file_nbytes < start)
        return gelu_io_fail(context, GELU_ERR_TRUNCATED, file_nbytes,
                            "truncated: %llu bytes, but the header begins at %u", (unsigned long long)file_nbytes,
                            start);
    uint32_t length = prefix[8] | (uint32_t)prefix[9] << 8;
    if (major > 1) length |= (uint32_t)prefix[10] << 16 | (uint32_t)prefix[11] << 24;
    if (length > file_nbytes - start)
        return gelu_io_fail(context, GELU_ERR_TRUNCATED, 8, "truncated: %llu bytes, but the header ends at %llu",
                            (unsigned long long)file_nbytes, (unsigned long long)start + length);
    if (length > NPY_MAX_HEADER)
        return gelu_io_fail_at(context, GELU_ERR_HEADER, 8, "bad header: %lu bytes long, over the limit of %d",
                               (unsigned long)length, NPY_MAX_HEADER);
    *c = (struct cursor){context, (const char *)prefix + start, 0, length, start, major < 3};
    return GELU_OK;
}

gelu_status gelu_npy_parse(const struct io_context *context, const uint8_t *prefix, uint64_t file_nbytes,
                           const gelu_npy_options *options, struct npy_layout *out) {
    struct cursor c = {0};
    uint64_t shape_at = 0;
    memset(out, 0, sizeof *out);
    gelu_status status = parse_preamble(context, prefix, file_nbytes, &c);
    if (!status) status = parse_dict(&c, options, out, &shape_at);
    if (status) return status;
    size_t nbytes, offset = (size_t)c.base + c.end;
    gelu_tensor *tensor = &out->tensor;
    if (!io_shape_nbytes(tensor->ndim, tensor->shape, gelu_dtype_nbytes(tensor->dtype), &tensor->count, &nbytes))
        return gelu_io_fail_at(context, GELU_ERR_OVERFLOW, shape_at, "size overflow in shape");
    nbytes = tensor->count * out->element_bytes;
    uint64_t have = file_nbytes - offset;
    if (have != nbytes)
        return gelu_io_fail(context, have < nbytes ? GELU_ERR_TRUNCATED : GELU_ERR_TRAILING,
                            have < nbytes ? file_nbytes : (uint64_t)offset + nbytes,
                            "%s: the data at byte %llu has %llu bytes and should have %llu",
                            have < nbytes ? "truncated" : "trailing bytes", (unsigned long long)offset,
                            (unsigned long long)have, (unsigned long long)nbytes);
    size_t wide = 0;
    for (size_t i = 0; i < out->tensor.ndim; i++) wide += out->tensor.shape[i] > 1;
    out->data_offset = offset;
    out->fortran = out->fortran && wide > 1 && out->tensor.count > 0;
    return GELU_OK;
}
