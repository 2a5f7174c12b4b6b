/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What the parts of the safetensors code share. */
#ifndef GELU_IO_SAFETENSORS_INTERNAL_H
#define GELU_IO_SAFETENSORS_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "io/file_in.h"
#include "io/json.h"

#define ST_LENGTH_NBYTES 8
#define ST_MAX_HEADER 100000000 /* the format's own limit */
#define ST_MAX_INDEX 100000000
#define ST_METADATA "__metadata__"

struct st_type {
    const char *name;
    gelu_dtype dtype; /* 0 where libgelu has no such type */
    bool integer;
    size_t nbits;
};
const struct st_type *gelu_st_type(const char *name); /* NULL for an unknown one */
const char *gelu_st_type_of(gelu_dtype dtype);        /* its name; NULL for no type */
/* Elements and bytes; GELU_ERR_OVERFLOW, or GELU_ERR_SIZE_MISMATCH when the elements do not fill whole bytes. */
gelu_status gelu_st_nbytes(const struct st_type *type, size_t ndim, const size_t *shape, size_t *count, size_t *nbytes);

struct st_entry {
    gelu_safetensors_tensor info; /* first, since the public pointers lead back here */
    json_t *key, *type;           /* own the strings of info */
    uint64_t at;                  /* the byte of the file where the header names it */
    uint64_t begin, end;          /* from where the data begin */
    _Atomic(void *) copy;         /* of the data, once somebody needed one */
};

struct st_pair {
    json_t *key, *value;
    uint64_t at;
};

struct st_header {
    struct st_entry *entries;
    size_t count, capacity;
    size_t *dims; /* of all shapes, one after the other */
    size_t dims_count, dims_capacity;
    struct st_pair *metadata;
    size_t metadata_count, metadata_capacity;
    uint64_t data_at;
};

/* What kind of file begins with these bytes (16 of them, or all), in words; NULL for none that is known. */
const char *gelu_st_kind(const uint8_t *start, size_t nbytes);
/* The length of the header of a file that begins with these bytes (16 of them, or all). */
gelu_status gelu_st_header_length(const struct io_context *context, const uint8_t *start, uint64_t file_nbytes,
                                  size_t *length);
/* All of the header behind its length, checked against the size of the file. On failure *out needs no release. */
gelu_status gelu_st_header_parse(const struct io_context *context, const char *text, size_t nbytes,
                                 uint64_t file_nbytes, struct st_header *out);
/* No name twice; every byte behind the header belongs to exactly one tensor. */
gelu_status gelu_st_header_check(const struct io_context *context, const struct st_header *header,
                                 uint64_t file_nbytes);
void gelu_st_header_free(struct st_header *header);

struct st_index_entry {
    json_t *tensor, *shard;
    uint64_t at;
};

struct st_index {
    struct st_index_entry *entries; /* sorted by the tensor's name */
    size_t count, capacity;
};

/* A whole model.safetensors.index.json. On failure *out needs no release. */
gelu_status gelu_st_index_parse(const struct io_context *context, const char *text, size_t nbytes,
                                struct st_index *out);
void gelu_st_index_free(struct st_index *index);

struct st_file {
    char *path;
    int fd;                   /* -1 when it is not needed any more */
    struct file_bytes loaded; /* nothing when the bytes are the caller's, or are to be copied piece by piece */
    const uint8_t *bytes;     /* all of the file, or NULL */
    struct st_header header;
};

struct gelu_safetensors {
    struct st_file *files;
    size_t file_count;
    const gelu_safetensors_tensor **all, **by_name;
    size_t count;
};

gelu_safetensors *gelu_st_new(size_t file_count); /* NULL when memory is out */
/* Takes path, which was allocated, whatever happens. */
gelu_status gelu_st_open_file(struct st_file *file, char *path, bool copy, gelu_error *err);
/* Makes the lists over all files. No name may be in two of them. */
gelu_status gelu_st_list(gelu_safetensors *st, gelu_error *err);
/* path is that of an index. */
gelu_status gelu_st_open_sharded(const char *path, bool copy, gelu_safetensors **out, gelu_error *err);

/* FOLDER/NAME, of the first folder_length bytes of folder (none: NAME alone), allocated. */
char *gelu_st_join(const char *folder, size_t folder_length, const char *name);
/* Which file a folder, or a path as it is, stands for: a new string. *is_index says that it is an index. */
gelu_status gelu_st_locate(const struct io_context *context, const char *path, char **out, bool *is_index);

#endif
