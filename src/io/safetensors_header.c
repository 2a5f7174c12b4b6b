/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The JSON header of a safetensors file: {"NAME": {"dtype": ..., "shape": [...], "data_offsets": [begin, end]}, ...}, with
 * "__metadata__": {"KEY": "VALUE", ...} among it. Strict: these keys, all of them, and nothing else. */

#include <stdlib.h>
#include <string.h>
#include "io/safetensors_internal.h"

#define DEEPEST 3     /* header, tensor, shape */
#define LONGEST 65536 /* bytes of a tensor's description; 64 dimensions take under 2000 */

/* What is wrong with a tensor, at the place where the header names it. */
#define FAIL_TENSOR(context, status, entry, format, ...)                                                               \
    gelu_io_fail_at(context, status, (entry)->at, "tensor '%s': " format, gelu_json_shown((entry)->info.name).text,    \
                    __VA_ARGS__)

static gelu_status check_keys(const struct io_context *context, const struct st_entry *entry, json_t *object) {
    static const char *const keys[] = {"dtype", "shape", "data_offsets"};
    const char *key;
    json_t *value;
    if (!json_is_object(object))
        return FAIL_TENSOR(context, GELU_ERR_HEADER, entry, "bad header: %s", "its description is not an object");
    for (size_t i = 0; i < 3; i++)
        if (!json_object_get(object, keys[i]))
            return FAIL_TENSOR(context, GELU_ERR_HEADER, entry, "bad header: %s is missing", keys[i]);
    json_object_foreach(object, key, value) {
        if (strcmp(key, keys[0]) != 0 && strcmp(key, keys[1]) != 0 && strcmp(key, keys[2]) != 0)
            return FAIL_TENSOR(context, GELU_ERR_HEADER, entry, "bad header: unknown key '%s'",
                               gelu_json_shown(key).text);
    }
    return GELU_OK;
}

static gelu_status parse_shape(const struct io_context *context, struct st_header *header, struct st_entry *entry,
                               const json_t *shape) {
    if (!json_is_array(shape))
        return FAIL_TENSOR(context, GELU_ERR_HEADER, entry, "bad header: %s", "shape is not a list");
    size_t ndim = json_array_size(shape);
    if (ndim > GELU_MAX_NDIM)
        return FAIL_TENSOR(context, GELU_ERR_SHAPE, entry, "%zu dimensions are more than %d", ndim, GELU_MAX_NDIM);
    for (size_t i = 0; i < ndim; i++) {
        const json_t *dimension = json_array_get(shape, i);
        json_int_t value = json_integer_value(dimension);
        if (!json_is_integer(dimension))
            return FAIL_TENSOR(context, GELU_ERR_HEADER, entry, "bad header: dimension %zu is not an integer", i);
        if (value < 0)
            return FAIL_TENSOR(context, GELU_ERR_HEADER, entry, "bad header: negative dimension %lld",
                               (long long)value);
        if ((unsigned long long)value > SIZE_MAX)
            return FAIL_TENSOR(context, GELU_ERR_OVERFLOW, entry, "%s", "size overflow in shape");
        size_t *dims = gelu_json_grown(header->dims, header->dims_count, &header->dims_capacity, sizeof *dims);
        if (!dims) return gelu_io_fail_memory(context);
        header->dims = dims;
        header->dims[header->dims_count++] = (size_t)value;
    }
    entry->info.ndim = ndim;
    return GELU_OK;
}

static gelu_status parse_offsets(const struct io_context *context, struct st_entry *entry, const json_t *offsets) {
    const json_t *begin = json_array_get(offsets, 0), *end = json_array_get(offsets, 1);
    if (json_array_size(offsets) != 2 || !json_is_integer(begin) || !json_is_integer(end))
        return FAIL_TENSOR(context, GELU_ERR_HEADER, entry, "bad header: %s", "data_offsets is not [begin, end]");
    long long first = json_integer_value(begin), last = json_integer_value(end);
    if (first < 0 || last < first)
        return FAIL_TENSOR(context, GELU_ERR_HEADER, entry, "bad header: data_offsets run from %lld to %lld", first,
                           last);
    if ((unsigned long long)(last - first) > PTRDIFF_MAX)
        return FAIL_TENSOR(context, GELU_ERR_OVERFLOW, entry, "size overflow: %lld bytes", last - first);
    entry->begin = (uint64_t)first;
    entry->end = (uint64_t)last;
    return GELU_OK;
}

/* Takes its type, and compares the size that type and shape ask for with the one that the offsets give. An unknown type
 * is as large as the offsets say. */
static gelu_status parse_type(const struct io_context *context, struct st_entry *entry, json_t *name,
                              const size_t *shape) {
    static const struct st_type byte = {"", 0, false, 8};
    gelu_safetensors_tensor *info = &entry->info;
    if (!json_is_string(name))
        return FAIL_TENSOR(context, GELU_ERR_HEADER, entry, "bad header: %s", "dtype is not a string");
    entry->type = json_incref(name);
    info->type = json_string_value(name);
    const struct st_type *type = gelu_st_type(info->type);
    size_t have = (size_t)(entry->end - entry->begin), wanted;
    gelu_status status = gelu_st_nbytes(type ? type : &byte, info->ndim, shape, &info->count, &wanted);
    if (status == GELU_ERR_OVERFLOW) return FAIL_TENSOR(context, status, entry, "%s", "size overflow in shape");
    if (status)
        return FAIL_TENSOR(context, status, entry, "size mismatch: %zu elements of %zu bits fill no whole bytes",
                           info->count, type->nbits);
    if (type && wanted != have)
        return FAIL_TENSOR(context, GELU_ERR_SIZE_MISMATCH, entry,
                           "size mismatch: %zu elements of %s take %zu bytes, but data_offsets leave %zu", info->count,
                           info->type, wanted, have);
    info->dtype = type ? type->dtype : 0;
    info->readable = type && (type->dtype || type->integer);
    info->nbytes = have;
    return GELU_OK;
}

static gelu_status parse_tensor(struct json_cursor *c, struct st_header *header, json_t *key, uint64_t at) {
    struct st_entry *entries = gelu_json_grown(header->entries, header->count, &header->capacity, sizeof *entries);
    if (!entries) {
        json_decref(key);
        return gelu_io_fail_memory(c->context);
    }
    header->entries = entries;
    struct st_entry *entry = &header->entries[header->count++];
    json_t *object;
    memset(entry, 0, sizeof *entry);
    entry->key = key;
    entry->info.name = c->subject = json_string_value(key);
    entry->at = at;
    gelu_status status = gelu_json_value(c, LONGEST, &object);
    if (status) return status;
    size_t shape_at = header->dims_count;
    status = check_keys(c->context, entry, object);
    if (!status) status = parse_shape(c->context, header, entry, json_object_get(object, "shape"));
    if (!status) status = parse_offsets(c->context, entry, json_object_get(object, "data_offsets"));
    if (!status) status = parse_type(c->context, entry, json_object_get(object, "dtype"), header->dims + shape_at);
    json_decref(object);
    return status;
}

static gelu_status parse_pair(struct json_cursor *c, struct st_header *header, json_t *key, uint64_t at) {
    struct st_pair *pairs =
        gelu_json_grown(header->metadata, header->metadata_count, &header->metadata_capacity, sizeof *pairs);
    if (!pairs) {
        json_decref(key);
        return gelu_io_fail_memory(c->context);
    }
    header->metadata = pairs;
    struct st_pair *pair = &header->metadata[header->metadata_count++];
    *pair = (struct st_pair){key, NULL, at};
    c->subject = json_string_value(key);
    return gelu_json_string(c, "metadata that is not a string", &pair->value);
}

static gelu_status parse_metadata(struct json_cursor *c, struct st_header *header) {
    json_t *key;
    uint64_t at;
    c->subject = ST_METADATA;
    gelu_status status = gelu_json_enter(c);
    while (!status) {
        status = gelu_json_next(c, &key, &at);
        if (status || !key) break;
        status = parse_pair(c, header, key, at);
    }
    return status;
}

static gelu_status parse_members(struct json_cursor *c, struct st_header *header) {
    uint64_t metadata_at = 0;
    gelu_status status = gelu_json_check_depth(c, DEEPEST);
    if (!status) status = gelu_json_enter(c);
    while (!status) {
        json_t *key;
        uint64_t at;
        status = gelu_json_next(c, &key, &at);
        if (status) return status;
        if (!key) return gelu_json_end(c);
        if (strcmp(json_string_value(key), ST_METADATA) != 0) {
            status = parse_tensor(c, header, key, at);
            continue;
        }
        json_decref(key);
        if (metadata_at > 0)
            return gelu_io_fail_at(c->context, GELU_ERR_DUPLICATE, at, "duplicate name: %s occurs at byte %llu already",
                                   ST_METADATA, (unsigned long long)metadata_at);
        metadata_at = at;
        status = parse_metadata(c, header);
    }
    return status;
}

gelu_status gelu_st_header_parse(const struct io_context *context, const char *text, size_t nbytes,
                                 uint64_t file_nbytes, struct st_header *out) {
    struct json_cursor c = {
        .context = context, .text = text, .nbytes = nbytes, .base = ST_LENGTH_NBYTES, .what = "bad header"};
    memset(out, 0, sizeof *out);
    out->data_at = ST_LENGTH_NBYTES + (uint64_t)nbytes;
    /* Some room at once: then even the shape of a scalar is an address. */
    out->dims = gelu_json_grown(NULL, 0, &out->dims_capacity, sizeof *out->dims);
    gelu_status status = out->dims ? parse_members(&c, out) : gelu_io_fail_memory(context);
    const size_t *shape = out->dims;
    for (size_t i = 0; !status && i < out->count; i++) {
        gelu_safetensors_tensor *info = &out->entries[i].info;
        info->shape = shape;
        info->offset = out->data_at + out->entries[i].begin;
        shape += info->ndim;
    }
    if (!status) status = gelu_st_header_check(context, out, file_nbytes);
    if (status) gelu_st_header_free(out);
    return status;
}

void gelu_st_header_free(struct st_header *header) {
    for (size_t i = 0; i < header->count; i++) {
        json_decref(header->entries[i].key);
        json_decref(header->entries[i].type);
    }
    for (size_t i = 0; i < header->metadata_count; i++) {
        json_decref(header->metadata[i].key);
        json_decref(header->metadata[i].value);
    }
    free(header->entries);
    free(header->metadata);
    free(header->dims);
    memset(header, 0, sizeof *header);
}
