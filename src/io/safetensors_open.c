/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/alloc.h"
#include "io/safetensors_internal.h"

#define START_NBYTES 16 /* what gelu_st_header_length looks at */

static int compare_names(const void *a, const void *b) {
    const gelu_safetensors_tensor *x = *(const gelu_safetensors_tensor *const *)a;
    const gelu_safetensors_tensor *y = *(const gelu_safetensors_tensor *const *)b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->file > y->file) - (x->file < y->file);
}

static const struct st_entry *entry_of(const gelu_safetensors_tensor *info) { return (const struct st_entry *)info; }

gelu_status gelu_st_list(gelu_safetensors *st, gelu_error *err) {
    struct io_context context = {st->files[0].path, err};
    size_t at = 0;
    for (size_t f = 0; f < st->file_count; f++) st->count += st->files[f].header.count;
    st->all = malloc((st->count + 1) * sizeof *st->all);
    st->by_name = malloc((st->count + 1) * sizeof *st->by_name);
    if (!st->all || !st->by_name) return gelu_io_fail_memory(&context);
    for (size_t f = 0; f < st->file_count; f++)
        for (size_t i = 0; i < st->files[f].header.count; i++) {
            gelu_safetensors_tensor *info = &st->files[f].header.entries[i].info;
            info->file = f;
            st->all[at++] = info;
        }
    memcpy(st->by_name, st->all, st->count * sizeof *st->all);
    qsort(st->by_name, st->count, sizeof *st->by_name, compare_names);
    for (size_t i = 1; i < st->count; i++) {
        const gelu_safetensors_tensor *first = st->by_name[i - 1], *second = st->by_name[i];
        if (strcmp(first->name, second->name) != 0) continue;
        context.name = st->files[second->file].path;
        return gelu_io_fail_at(&context, GELU_ERR_DUPLICATE, entry_of(second)->at,
                               "duplicate name: tensor '%s' is in %s already", gelu_json_shown(second->name).text,
                               gelu_json_shown(st->files[first->file].path).text);
    }
    return GELU_OK;
}

gelu_safetensors *gelu_st_new(size_t file_count) {
    gelu_safetensors *st = calloc(1, sizeof *st);
    if (!st) return NULL;
    st->files = calloc(file_count, sizeof *st->files);
    if (!st->files) {
        free(st);
        return NULL;
    }
    for (size_t i = 0; i < file_count; i++) st->files[i].fd = -1;
    st->file_count = file_count;
    return st;
}

static void close_file(struct st_file *file) {
    for (size_t i = 0; i < file->header.count; i++) alloc_free(atomic_load(&file->header.entries[i].copy));
    gelu_st_header_free(&file->header);
    gelu_file_in_unload(&file->loaded);
    if (file->fd >= 0) close(file->fd);
    free(file->path);
}

void gelu_safetensors_close(gelu_safetensors *st) {
    if (!st) return;
    for (size_t i = 0; i < st->file_count; i++) close_file(&st->files[i]);
    free(st->files);
    free(st->all);
    free(st->by_name);
    free(st);
}

/* Parses bytes that are all there. */
static gelu_status parse_bytes(const struct io_context *context, struct st_file *file, uint64_t nbytes) {
    size_t length;
    gelu_status status = gelu_st_header_length(context, file->bytes, nbytes, &length);
    if (status) return status;
    return gelu_st_header_parse(context, (const char *)file->bytes + ST_LENGTH_NBYTES, length, nbytes, &file->header);
}

/* Parses without touching a mapping. */
static gelu_status parse_by_reading(const struct io_context *context, struct st_file *file, uint64_t nbytes) {
    uint8_t start[START_NBYTES];
    size_t length;
    size_t some = nbytes < sizeof start ? (size_t)nbytes : sizeof start;
    gelu_status status = gelu_file_in_read(context, file->fd, 0, start, some);
    if (!status) status = gelu_st_header_length(context, start, nbytes, &length);
    if (status) return status;
    char *text = malloc(length);
    if (!text) return gelu_io_fail_memory(context);
    status = gelu_file_in_read(context, file->fd, ST_LENGTH_NBYTES, text, length);
    if (!status) status = gelu_st_header_parse(context, text, length, nbytes, &file->header);
    free(text);
    return status;
}

gelu_status gelu_st_open_file(struct st_file *file, char *path, bool copy, gelu_error *err) {
    struct io_context context = {path, err};
    uint64_t nbytes = 0;
    file->path = path;
    gelu_status status = gelu_file_in_open(&context, path, &file->fd, &nbytes);
    if (status) return status;
    if (nbytes > FILE_IN_COPIED) {
        status = parse_by_reading(&context, file, nbytes);
        if (status || copy || nbytes > PTRDIFF_MAX) return status;
        /* Where there is no room for the mapping, tensors are copied one by one. */
        const struct io_context silent = {path, NULL};
        gelu_file_in_load(&silent, file->fd, (size_t)nbytes, &file->loaded);
        file->bytes = file->loaded.p;
        return GELU_OK;
    }
    status = gelu_file_in_load(&context, file->fd, (size_t)nbytes, &file->loaded);
    if (status) return status;
    close(file->fd);
    file->fd = -1;
    file->bytes = file->loaded.p;
    return parse_bytes(&context, file, nbytes);
}

static gelu_status open_single(const struct io_context *context, char *path, bool copy, gelu_safetensors **out) {
    gelu_safetensors *st = gelu_st_new(1);
    if (!st) {
        free(path);
        return gelu_io_fail_memory(context);
    }
    gelu_status status = gelu_st_open_file(&st->files[0], path, copy, context->err);
    if (!status) status = gelu_st_list(st, context->err);
    if (status)
        gelu_safetensors_close(st);
    else
        *out = st;
    return status;
}

gelu_status gelu_safetensors_open_memory(const char *name, const void *bytes, size_t nbytes, gelu_safetensors **out,
                                         gelu_error *err) {
    struct io_context context = {name ? name : "(memory)", err};
    gelu_io_error_clear(err);
    if (out) *out = NULL;
    if (!out || (!bytes && nbytes > 0)) return gelu_io_fail_null(&context);
    gelu_safetensors *st = gelu_st_new(1);
    if (st) st->files[0].path = strdup(context.name);
    if (!st || !st->files[0].path) {
        gelu_safetensors_close(st);
        return gelu_io_fail_memory(&context);
    }
    st->files[0].bytes = bytes;
    gelu_status status = parse_bytes(&context, &st->files[0], nbytes);
    if (!status) status = gelu_st_list(st, err);
    if (status)
        gelu_safetensors_close(st);
    else
        *out = st;
    return status;
}

gelu_status gelu_safetensors_open(const char *path, const gelu_safetensors_options *options, gelu_safetensors **out,
                                  gelu_error *err) {
    struct io_context context = {path ? path : "(no name)", err};
    bool copy = options && options->copy, is_index;
    char *located;
    gelu_io_error_clear(err);
    if (out) *out = NULL;
    if (!out || !path) return gelu_io_fail_null(&context);
    gelu_status status = gelu_st_locate(&context, path, &located, &is_index);
    if (status) return status;
    if (!is_index) return open_single(&context, located, copy, out);
    status = gelu_st_open_sharded(located, copy, out, err);
    free(located);
    return status;
}
