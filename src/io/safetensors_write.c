/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdlib.h>
#include <string.h>
#include "io/file_out.h"
#include "io/safetensors_internal.h"

/* A tensor's place in the file. */
struct part {
    size_t index;  /* of the tensor as the caller gave it */
    size_t nbits;  /* of an element; 8 for an unknown type */
    size_t nbytes; /* that are still to be written */
};

struct gelu_safetensors_writer {
    struct file_out file;
    char *path; /* as the caller named it, for messages */
    struct part *parts;
    size_t count, now;
    gelu_error failure; /* of the first write that failed; every later call repeats it */
};

static const char *type_of(const gelu_safetensors_tensor *tensor) {
    return tensor->type ? tensor->type : gelu_st_type_of(tensor->dtype);
}

static gelu_status measure(const struct io_context *context, const gelu_safetensors_tensor *tensor, struct part *part) {
    static const struct st_type byte = {"", 0, false, 8};
    size_t count, nbytes;
    struct json_shown name = gelu_json_shown(tensor->name ? tensor->name : "");
    if (!tensor->name || strcmp(tensor->name, ST_METADATA) == 0)
        return gelu_io_fail(context, GELU_ERR_NAME, 0, "'%s' cannot be the name of a tensor", name.text);
    if (!type_of(tensor))
        return gelu_io_fail(context, GELU_ERR_DTYPE, 0, "tensor '%s': unknown element type %d", name.text,
                            (int)tensor->dtype);
    if (!tensor->shape && tensor->ndim > 0) return gelu_io_fail_null(context);
    if (tensor->ndim > GELU_MAX_NDIM)
        return gelu_io_fail(context, GELU_ERR_SHAPE, 0, "tensor '%s': %zu dimensions are more than %d", name.text,
                            tensor->ndim, GELU_MAX_NDIM);
    const struct st_type *type = gelu_st_type(type_of(tensor));
    gelu_status status = gelu_st_nbytes(type ? type : &byte, tensor->ndim, tensor->shape, &count, &nbytes);
    if (status || (!type && tensor->nbytes > PTRDIFF_MAX))
        return gelu_io_fail(context, status ? status : GELU_ERR_OVERFLOW, 0, "tensor '%s': %s", name.text,
                            status == GELU_ERR_SIZE_MISMATCH ? "its elements fill no whole bytes"
                                                             : "size overflow in shape");
    part->nbits = type ? type->nbits : 8;
    part->nbytes = type ? nbytes : tensor->nbytes;
    return GELU_OK;
}

static int by_element(const void *a, const void *b) {
    const struct part *x = a, *y = b;
    int order = (x->nbits < y->nbits) - (x->nbits > y->nbits);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* Adds a member, which it takes; GELU_ERR_NAME for a key that is not UTF-8. */
static gelu_status add(const struct io_context *context, json_t *object, const char *key, json_t *value) {
    struct json_shown name = gelu_json_shown(key);
    if (json_object_get(object, key)) {
        json_decref(value);
        return gelu_io_fail(context, GELU_ERR_DUPLICATE, 0, "duplicate name: '%s'", name.text);
    }
    json_t *probe = json_string(key);
    json_decref(probe);
    if (!probe || !value) {
        json_decref(value);
        return gelu_io_fail(context, GELU_ERR_NAME, 0, "'%s' or what belongs to it is not UTF-8", name.text);
    }
    return json_object_set_new(object, key, value) ? gelu_io_fail_memory(context) : GELU_OK;
}

/* NULL when memory is out, or the type's name is not UTF-8. */
static json_t *describe(const gelu_safetensors_tensor *tensor, uint64_t begin, uint64_t end) {
    json_t *shape = json_array(), *entry = NULL;
    bool whole = shape != NULL;
    for (size_t i = 0; whole && i < tensor->ndim; i++)
        whole = json_array_append_new(shape, json_integer((json_int_t)tensor->shape[i])) == 0;
    if (whole)
        entry = json_pack("{s:s, s:O, s:[I,I]}", "dtype", type_of(tensor), "shape", shape, "data_offsets",
                          (json_int_t)begin, (json_int_t)end);
    json_decref(shape);
    return entry;
}

static gelu_status add_metadata(const struct io_context *context, json_t *root, size_t count,
                                const gelu_safetensors_pair *metadata) {
    if (count == 0) return GELU_OK;
    json_t *object = json_object();
    if (!object) return gelu_io_fail_memory(context);
    gelu_status status = GELU_OK;
    for (size_t i = 0; !status && i < count; i++) {
        bool whole = metadata[i].key && metadata[i].value;
        status =
            whole ? add(context, object, metadata[i].key, json_string(metadata[i].value)) : gelu_io_fail_null(context);
    }
    if (!status) return add(context, root, ST_METADATA, object);
    json_decref(object);
    return status;
}

static gelu_status add_tensors(const struct io_context *context, json_t *root, const gelu_safetensors_tensor *tensors,
                               const gelu_safetensors_writer *writer) {
    uint64_t begin = 0;
    gelu_status status = GELU_OK;
    for (size_t i = 0; !status && i < writer->count; i++) {
        const struct part *part = &writer->parts[i];
        uint64_t end = begin + part->nbytes;
        if (end > INT64_MAX) return gelu_io_fail(context, GELU_ERR_OVERFLOW, 0, "size overflow of all tensors");
        status = add(context, root, tensors[part->index].name, describe(&tensors[part->index], begin, end));
        begin = end;
    }
    return status;
}

static gelu_status write_header(const struct io_context *context, struct file_out *file, const json_t *root) {
    unsigned char length[ST_LENGTH_NBYTES];
    char spaces[64];
    char *text = json_dumps(root, JSON_COMPACT);
    if (!text) return gelu_io_fail_memory(context);
    size_t used = strlen(text), padding = (size_t) - (ST_LENGTH_NBYTES + used) % sizeof spaces, total = used + padding;
    if (total > ST_MAX_HEADER) {
        free(text);
        return gelu_io_fail(context, GELU_ERR_OVERFLOW, 0, "the header would be longer than %d bytes", ST_MAX_HEADER);
    }
    for (int i = 0; i < ST_LENGTH_NBYTES; i++) length[i] = (unsigned char)((uint64_t)total >> 8 * i);
    memset(spaces, ' ', sizeof spaces);
    int reason = gelu_file_out_write(file, length, sizeof length);
    if (!reason) reason = gelu_file_out_write(file, text, used);
    if (!reason) reason = gelu_file_out_write(file, spaces, padding);
    free(text);
    return reason ? gelu_io_fail_errno(context, reason, "cannot write") : GELU_OK;
}

static gelu_status make_root(const struct io_context *context, const gelu_safetensors_tensor *tensors,
                             size_t metadata_count, const gelu_safetensors_pair *metadata,
                             gelu_safetensors_writer *writer, json_t **root) {
    gelu_status status = GELU_OK;
    for (size_t i = 0; !status && i < writer->count; i++) {
        writer->parts[i].index = i;
        status = measure(context, &tensors[i], &writer->parts[i]);
    }
    if (status) return status;
    qsort(writer->parts, writer->count, sizeof *writer->parts, by_element);
    *root = json_object();
    if (!*root) return gelu_io_fail_memory(context);
    status = add_metadata(context, *root, metadata_count, metadata);
    return status ? status : add_tensors(context, *root, tensors, writer);
}

static void free_writer(gelu_safetensors_writer *writer) {
    free(writer->path);
    free(writer->parts);
    free(writer);
}

static gelu_safetensors_writer *new_writer(const char *path, size_t count) {
    gelu_safetensors_writer *writer = calloc(1, sizeof *writer);
    if (!writer) return NULL;
    size_t path_nbytes = strlen(path) + 1;
    writer->count = count;
    writer->path = malloc(path_nbytes);
    writer->parts = calloc(count + 1, sizeof *writer->parts);
    if (writer->path && writer->parts) {
        memcpy(writer->path, path, path_nbytes);
        return writer;
    }
    free_writer(writer);
    return NULL;
}

/* Steps over tensors that are complete. */
static void advance(gelu_safetensors_writer *writer) {
    while (writer->now < writer->count && writer->parts[writer->now].nbytes == 0) writer->now++;
}

gelu_status gelu_safetensors_writer_open(const char *path, size_t count, const gelu_safetensors_tensor *tensors,
                                         size_t metadata_count, const gelu_safetensors_pair *metadata,
                                         gelu_safetensors_writer **out, gelu_error *err) {
    struct io_context context = {path ? path : "(no name)", err};
    json_t *root = NULL;
    gelu_io_error_clear(err);
    if (out) *out = NULL;
    if (!out || !path || (!tensors && count > 0) || (!metadata && metadata_count > 0))
        return gelu_io_fail_null(&context);
    gelu_safetensors_writer *writer = new_writer(path, count);
    if (!writer) return gelu_io_fail_memory(&context);
    gelu_status status = make_root(&context, tensors, metadata_count, metadata, writer, &root);
    if (!status) {
        int reason = gelu_file_out_open(&writer->file, path);
        status = reason ? gelu_io_fail_errno(&context, reason, "cannot create") : GELU_OK;
        if (!status) {
            status = write_header(&context, &writer->file, root);
            if (status) gelu_file_out_abort(&writer->file);
        }
    }
    json_decref(root);
    if (status) {
        free_writer(writer);
        return status;
    }
    advance(writer);
    *out = writer;
    return GELU_OK;
}

size_t gelu_safetensors_writer_next(const gelu_safetensors_writer *writer) {
    return writer && writer->now < writer->count ? writer->parts[writer->now].index : SIZE_MAX;
}

/* Hands the writer's own failure to the caller. */
static gelu_status report(const gelu_safetensors_writer *writer, gelu_error *err) {
    if (err) *err = writer->failure;
    return writer->failure.status;
}

gelu_status gelu_safetensors_writer_write(gelu_safetensors_writer *writer, size_t nbytes, const void *data,
                                          gelu_error *err) {
    struct io_context context = {writer ? writer->path : "(no writer)", err};
    gelu_io_error_clear(err);
    if (!writer || (!data && nbytes > 0)) return gelu_io_fail_null(&context);
    if (writer->failure.status) return report(writer, err);
    size_t left = writer->now < writer->count ? writer->parts[writer->now].nbytes : 0;
    if (nbytes > left)
        return gelu_io_fail(&context, GELU_ERR_SHAPE, 0, "%zu bytes given where only %zu are left to write", nbytes,
                            left);
    if (nbytes == 0) return GELU_OK;
    int reason = gelu_file_out_write(&writer->file, data, nbytes);
    if (reason) {
        struct io_context own = {writer->path, &writer->failure};
        gelu_io_fail_errno(&own, reason, "cannot write");
        return report(writer, err);
    }
    writer->parts[writer->now].nbytes -= nbytes;
    advance(writer);
    return GELU_OK;
}

gelu_status gelu_safetensors_writer_commit(gelu_safetensors_writer *writer, gelu_error *err) {
    struct io_context context = {writer ? writer->path : "(no writer)", err};
    gelu_io_error_clear(err);
    if (!writer) return gelu_io_fail_null(&context);
    gelu_status status = report(writer, err);
    if (!status && writer->now < writer->count)
        status = gelu_io_fail(&context, GELU_ERR_SHAPE, 0, "%zu tensors are incomplete", writer->count - writer->now);
    if (status) {
        gelu_safetensors_writer_abort(writer);
        return status;
    }
    int reason = gelu_file_out_commit(&writer->file);
    if (reason) status = gelu_io_fail_errno(&context, reason, "cannot finish writing");
    free_writer(writer);
    return status;
}

void gelu_safetensors_writer_abort(gelu_safetensors_writer *writer) {
    if (!writer) return;
    gelu_file_out_abort(&writer->file);
    free_writer(writer);
}

const char *gelu_safetensors_writer_temporary(const gelu_safetensors_writer *writer) {
    return writer ? writer->file.temporary : NULL;
}

gelu_status gelu_safetensors_write(const char *path, size_t count, const gelu_safetensors_tensor *tensors,
                                   const void *const *data, size_t metadata_count,
                                   const gelu_safetensors_pair *metadata, gelu_error *err) {
    gelu_safetensors_writer *writer;
    gelu_status status = gelu_safetensors_writer_open(path, count, tensors, metadata_count, metadata, &writer, err);
    if (status) return status;
    for (size_t i; !status && (i = gelu_safetensors_writer_next(writer)) != SIZE_MAX;)
        status = gelu_safetensors_writer_write(writer, writer->parts[writer->now].nbytes, data ? data[i] : NULL, err);
    if (!status) return gelu_safetensors_writer_commit(writer, err);
    gelu_safetensors_writer_abort(writer);
    return status;
}
