/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "io/safetensors_internal.h"

#define CHUNK_NBYTES 16384

size_t gelu_safetensors_count(const gelu_safetensors *st) { return st ? st->count : 0; }

const gelu_safetensors_tensor *gelu_safetensors_at(const gelu_safetensors *st, size_t i) {
    return st && i < st->count ? st->all[i] : NULL;
}

static int compare_name(const void *name, const void *tensor) {
    return strcmp(name, (*(const gelu_safetensors_tensor *const *)tensor)->name);
}

const gelu_safetensors_tensor *gelu_safetensors_find(const gelu_safetensors *st, const char *name) {
    if (!st || !name) return NULL;
    const gelu_safetensors_tensor **found = bsearch(name, st->by_name, st->count, sizeof *st->by_name, compare_name);
    return found ? *found : NULL;
}

size_t gelu_safetensors_files(const gelu_safetensors *st) { return st ? st->file_count : 0; }

const char *gelu_safetensors_path(const gelu_safetensors *st, size_t file) {
    return st && file < st->file_count ? st->files[file].path : NULL;
}

const char *gelu_safetensors_metadata_at(const gelu_safetensors *st, size_t file, size_t i, const char **value) {
    if (!st || file >= st->file_count || i >= st->files[file].header.metadata_count) return NULL;
    const struct st_pair *pair = &st->files[file].header.metadata[i];
    if (value) *value = json_string_value(pair->value);
    return json_string_value(pair->key);
}

const char *gelu_safetensors_metadata(const gelu_safetensors *st, size_t file, const char *key) {
    const char *found, *value;
    for (size_t i = 0; key && (found = gelu_safetensors_metadata_at(st, file, i, &value)); i++)
        if (strcmp(found, key) == 0) return value;
    return NULL;
}

/* NULL for a tensor that cannot be of st. */
static const struct st_file *file_of(const gelu_safetensors *st, const gelu_safetensors_tensor *tensor) {
    return st && tensor && tensor->file < st->file_count ? &st->files[tensor->file] : NULL;
}

static struct io_context context_of(const struct st_file *file, gelu_error *err) {
    gelu_io_error_clear(err);
    return (struct io_context){file ? file->path : "(no checkpoint)", err};
}

/* Where files are mapped, this reads the file itself: one that has become shorter is then an error, not a signal. */
static gelu_status fetch(const struct io_context *context, const struct st_file *file, uint64_t offset, void *dst,
                         size_t nbytes) {
    if (file->fd >= 0) return gelu_file_in_read(context, file->fd, offset, dst, nbytes);
    if (nbytes > 0) memcpy(dst, file->bytes + offset, nbytes);
    return GELU_OK;
}

static gelu_status fail_type(const struct io_context *context, const gelu_safetensors_tensor *tensor,
                             const char *wanted) {
    return gelu_io_fail_at(context, GELU_ERR_DTYPE, ((const struct st_entry *)tensor)->at,
                           "tensor '%s': elements are %s, not %s", gelu_json_shown(tensor->name).text,
                           gelu_json_shown(tensor->type).text, wanted);
}

static gelu_status make_copy(const struct io_context *context, const struct st_file *file, struct st_entry *entry,
                             const void **out) {
    void *copy = alloc_aligned(entry->info.nbytes), *theirs = NULL;
    if (!copy) return gelu_io_fail_memory(context);
    gelu_status status = fetch(context, file, entry->info.offset, copy, entry->info.nbytes);
    if (status) {
        alloc_free(copy);
        return status;
    }
    if (!atomic_compare_exchange_strong(&entry->copy, &theirs, copy)) {
        alloc_free(copy); /* another thread was faster */
        copy = theirs;
    }
    *out = copy;
    return GELU_OK;
}

gelu_status gelu_safetensors_view(const gelu_safetensors *st, const gelu_safetensors_tensor *tensor, gelu_dtype dtype,
                                  const void **out, gelu_error *err) {
    const struct st_file *file = file_of(st, tensor);
    struct io_context context = context_of(file, err);
    if (!file || !out) return gelu_io_fail_null(&context);
    if (!tensor->readable) return fail_type(&context, tensor, "a type that is read");
    if (dtype && dtype != tensor->dtype) return fail_type(&context, tensor, gelu_dtype_name(dtype));
    *out = NULL;
    if (tensor->count == 0) return GELU_OK;
    size_t element = tensor->nbytes / tensor->count;
    if (file->bytes && (uintptr_t)(file->bytes + tensor->offset) % element == 0) {
        *out = file->bytes + tensor->offset;
        return GELU_OK;
    }
    struct st_entry *entry = (struct st_entry *)(uintptr_t)tensor;
    *out = atomic_load(&entry->copy);
    return *out ? GELU_OK : make_copy(&context, file, entry, out);
}

gelu_status gelu_safetensors_read(const gelu_safetensors *st, const gelu_safetensors_tensor *tensor, size_t first,
                                  size_t count, gelu_dtype dtype, void *dst, gelu_error *err) {
    const struct st_file *file = file_of(st, tensor);
    struct io_context context = context_of(file, err);
    size_t to = gelu_dtype_nbytes(dtype);
    if (!file || (!dst && count > 0)) return gelu_io_fail_null(&context);
    if (to == 0) return gelu_io_fail(&context, GELU_ERR_DTYPE, 0, "unknown element type %d", (int)dtype);
    if (!tensor->dtype) return fail_type(&context, tensor, "F64, F32, F16 or BF16");
    if (first > tensor->count || count > tensor->count - first)
        return gelu_io_fail(&context, GELU_ERR_SHAPE, 0, "tensor '%s' has only %zu elements",
                            gelu_json_shown(tensor->name).text, tensor->count);
    size_t from = gelu_dtype_nbytes(tensor->dtype), most = CHUNK_NBYTES / from;
    uint64_t offset = tensor->offset + (uint64_t)first * from;
    if (tensor->dtype == dtype) return fetch(&context, file, offset, dst, count * from);
    _Alignas(8) unsigned char chunk[CHUNK_NBYTES];
    for (size_t done = 0; done < count; done += most) {
        size_t some = count - done < most ? count - done : most;
        gelu_status status = fetch(&context, file, offset + (uint64_t)done * from, chunk, some * from);
        if (!status) status = gelu_convert(some, tensor->dtype, chunk, dtype, (unsigned char *)dst + done * to);
        if (status) return status;
    }
    return GELU_OK;
}

gelu_status gelu_safetensors_read_bytes(const gelu_safetensors *st, const gelu_safetensors_tensor *tensor, size_t first,
                                        size_t nbytes, void *dst, gelu_error *err) {
    const struct st_file *file = file_of(st, tensor);
    struct io_context context = context_of(file, err);
    if (!file || (!dst && nbytes > 0)) return gelu_io_fail_null(&context);
    if (first > tensor->nbytes || nbytes > tensor->nbytes - first)
        return gelu_io_fail(&context, GELU_ERR_SHAPE, 0, "tensor '%s' has only %zu bytes",
                            gelu_json_shown(tensor->name).text, tensor->nbytes);
    return fetch(&context, file, tensor->offset + first, dst, nbytes);
}
