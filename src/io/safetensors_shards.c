/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* A checkpoint of several files: every tensor that the index names must be in the file that it names. */

#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "io/safetensors_internal.h"

static int by_string(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* The names of the files, sorted, each once; they belong to the index. */
static size_t distinct_shards(const struct st_index *index, const char **names) {
    size_t count = 0;
    for (size_t i = 0; i < index->count; i++) names[i] = json_string_value(index->entries[i].shard);
    qsort(names, index->count, sizeof *names, by_string);
    for (size_t i = 0; i < index->count; i++)
        if (i == 0 || strcmp(names[count - 1], names[i]) != 0) names[count++] = names[i];
    return count;
}

static size_t shard_number(const char *name, const char *const *names, size_t count) {
    const char *const *found = bsearch(&name, names, count, sizeof *names, by_string);
    return (size_t)(found - names);
}

/* Says which tensor needs a file that is not there. */
static gelu_status check_present(const struct io_context *context, const struct st_index *index, const char *shard,
                                 const char *path) {
    if (access(path, F_OK) == 0) return GELU_OK;
    size_t i = 0;
    while (strcmp(json_string_value(index->entries[i].shard), shard) != 0) i++;
    return gelu_io_fail_at(context, GELU_ERR_MISSING, index->entries[i].at,
                           "missing: tensor '%s' should be in '%s', and that file is not there",
                           gelu_json_shown(json_string_value(index->entries[i].tensor)).text,
                           gelu_json_shown(shard).text);
}

static gelu_status check_places(const struct io_context *context, const struct st_index *index,
                                const gelu_safetensors *st, const char *const *names) {
    for (size_t i = 0; i < index->count; i++) {
        const struct st_index_entry *entry = &index->entries[i];
        const char *name = json_string_value(entry->tensor), *shard = json_string_value(entry->shard);
        const gelu_safetensors_tensor *found = gelu_safetensors_find(st, name);
        if (found && found->file == shard_number(shard, names, st->file_count)) continue;
        return gelu_io_fail_at(context, GELU_ERR_MISSING, entry->at, "missing: tensor '%s' is not in '%s'%s%s",
                               gelu_json_shown(name).text, gelu_json_shown(shard).text, found ? " but in " : "",
                               found ? gelu_json_shown(names[found->file]).text : "");
    }
    return GELU_OK;
}

static gelu_status open_shards(const struct io_context *context, const struct st_index *index, const char **names,
                               bool copy, gelu_safetensors **out) {
    size_t count = distinct_shards(index, names);
    const char *slash = strrchr(context->name, '/');
    size_t folder_length = slash ? (size_t)(slash - context->name) + 1 : 0;
    if (count == 0) return gelu_io_fail(context, GELU_ERR_MISSING, 0, "missing: the index names no tensor");
    gelu_safetensors *st = gelu_st_new(count);
    if (!st) return gelu_io_fail_memory(context);
    gelu_status status = GELU_OK;
    for (size_t i = 0; !status && i < count; i++) {
        char *path = gelu_st_join(context->name, folder_length, names[i]);
        status = path ? check_present(context, index, names[i], path) : gelu_io_fail_memory(context);
        if (status)
            free(path);
        else
            status = gelu_st_open_file(&st->files[i], path, copy, context->err);
    }
    if (!status) status = gelu_st_list(st, context->err);
    if (!status) status = check_places(context, index, st, names);
    if (status)
        gelu_safetensors_close(st);
    else
        *out = st;
    return status;
}

/* The whole text of the index. */
static gelu_status read_index(const struct io_context *context, char **text, size_t *nbytes) {
    uint64_t size = 0;
    int fd;
    *text = NULL;
    gelu_status status = gelu_file_in_open(context, context->name, &fd, &size);
    if (!status && size > ST_MAX_INDEX)
        status = gelu_io_fail_at(context, GELU_ERR_HEADER_LENGTH, 0, "bad index: %llu bytes long, over the limit of %d",
                                 (unsigned long long)size, ST_MAX_INDEX);
    if (!status) {
        *nbytes = (size_t)size;
        *text = malloc(*nbytes + 1);
        status = *text ? gelu_file_in_read(context, fd, 0, *text, *nbytes) : gelu_io_fail_memory(context);
    }
    if (fd >= 0) close(fd);
    return status;
}

gelu_status gelu_st_open_sharded(const char *path, bool copy, gelu_safetensors **out, gelu_error *err) {
    struct io_context context = {path, err};
    struct st_index index;
    char *text;
    size_t nbytes = 0;
    gelu_status status = read_index(&context, &text, &nbytes);
    if (!status) status = gelu_st_index_parse(&context, text, nbytes, &index);
    free(text);
    if (status) return status;
    const char **names = malloc((index.count + 1) * sizeof *names);
    status = names ? open_shards(&context, &index, names, copy, out) : gelu_io_fail_memory(&context);
    free(names);
    gelu_st_index_free(&index);
    return status;
}
