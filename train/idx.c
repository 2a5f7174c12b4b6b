/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifdef GELU_HAVE_ZLIB
#include <zlib.h>
#endif

#include "error.h"
#include "idx.h"

enum { MAX_PATH = 4096, MAX_NDIM = 8, BYTES_TYPE = 8 };

/* Bytes from a file, packed or not, or from memory. */
struct source {
    const char *name;
    void *file; /* NULL: memory */
    const unsigned char *memory;
    size_t left;
    gelu_error *err;
};

/* ---- Files: zlib reads both kinds ---- */

#ifdef GELU_HAVE_ZLIB
static void *open_file(const char *path) { return gzopen(path, "rb"); }
static void close_file(void *file) { (void)gzclose(file); }

static gelu_status read_file(struct source *s, void *dst, size_t nbytes, size_t *got) {
    enum { MOST = 1 << 30 }; /* zlib counts in int */
    while (*got < nbytes) {
        size_t part = nbytes - *got < MOST ? nbytes - *got : MOST;
        int n = gzread(s->file, (char *)dst + *got, (unsigned)part);
        int code = Z_OK;
        const char *reason = n > 0 ? "" : gzerror(s->file, &code);
        if (n == 0 && code == Z_BUF_ERROR) /* even if all bytes are there: their checksum is not */
            return train_fail(s->err, GELU_ERR_TRUNCATED, 0, "%s: the file ends within what is packed", s->name);
        if (n == 0) break;
        if (n < 0)
            return train_fail(s->err, code == Z_ERRNO ? GELU_ERR_IO : GELU_ERR_HEADER, 0, "%s: cannot be read: %s",
                              s->name, code == Z_ERRNO ? strerror(errno) : reason);
        *got += (size_t)n;
    }
    return GELU_OK;
}
#else
static void *open_file(const char *path) { return fopen(path, "rb"); }
static void close_file(void *file) { (void)fclose(file); }

static gelu_status read_file(struct source *s, void *dst, size_t nbytes, size_t *got) {
    *got = fread(dst, 1, nbytes, s->file);
    if (!ferror((FILE *)s->file)) return GELU_OK;
    return train_fail(s->err, GELU_ERR_IO, 0, "%s: cannot be read: %s", s->name, strerror(errno));
}
#endif

static gelu_status read_some(struct source *s, void *dst, size_t nbytes, size_t *got) {
    *got = 0;
    if (s->file) return read_file(s, dst, nbytes, got);
    *got = nbytes < s->left ? nbytes : s->left;
    memcpy(dst, s->memory, *got);
    s->memory += *got;
    s->left -= *got;
    return GELU_OK;
}

/* All nbytes of what. at: how many bytes came before. */
static gelu_status read_all(struct source *s, void *dst, size_t nbytes, size_t at, const char *what) {
    size_t got;
    gelu_status status = read_some(s, dst, nbytes, &got);
    if (status != GELU_OK || got == nbytes) return status;
    return train_fail(s->err, GELU_ERR_TRUNCATED, at + got, "%s: at byte %zu: the file ends, but its %s take %zu bytes",
                      s->name, at + got, what, at + nbytes);
}

/* ---- The format ---- */

static gelu_status read_dimensions(struct source *s, unsigned ndim, size_t *count, size_t *features) {
    unsigned char magic[4], size[4 * MAX_NDIM];
    gelu_status status = read_all(s, magic, sizeof magic, 0, "magic number");
    if (status != GELU_OK) return status;
    if (magic[0] || magic[1] || magic[2] != BYTES_TYPE || magic[3] != ndim)
        return train_fail(
            s->err, GELU_ERR_MAGIC, 0,
            "%s: at byte 0: %02x%02x%02x%02x is not the magic number of bytes in %u dimension%s, 000008%02x", s->name,
            magic[0], magic[1], magic[2], magic[3], ndim, ndim == 1 ? "" : "s", ndim);
    status = read_all(s, size, 4 * (size_t)ndim, sizeof magic, "dimensions");
    if (status != GELU_OK) return status;
    *features = 1;
    for (unsigned i = 0; i < ndim; i++) {
        const unsigned char *p = size + 4 * i;
        size_t n = (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
        if (i == 0)
            *count = n;
        else if (__builtin_mul_overflow(*features, n, features))
            return train_fail(s->err, GELU_ERR_OVERFLOW, 4, "%s: at byte 4: its dimensions overflow", s->name);
    }
    return GELU_OK;
}

static gelu_status read_idx(struct source *s, unsigned ndim, train_idx *out) {
    size_t header = 4 + 4 * (size_t)ndim, nbytes, most, more;
    char beyond;
    *out = (train_idx){0};
    gelu_status status = read_dimensions(s, ndim, &out->count, &out->features);
    if (status != GELU_OK) return status;
    if (__builtin_mul_overflow(out->count, out->features, &nbytes) || __builtin_add_overflow(nbytes, header, &most))
        return train_fail(s->err, GELU_ERR_OVERFLOW, 4, "%s: at byte 4: its dimensions overflow", s->name);
    out->bytes = malloc(nbytes + 1);
    if (!out->bytes) return train_fail(s->err, GELU_ERR_MEMORY, 0, "%s: out of memory", s->name);
    status = read_all(s, out->bytes, nbytes, header, "dimensions");
    if (status == GELU_OK) status = read_some(s, &beyond, 1, &more);
    if (status == GELU_OK && more)
        status = train_fail(s->err, GELU_ERR_TRAILING, most, "%s: at byte %zu: bytes after the end of the data",
                            s->name, most);
    if (status == GELU_OK) return GELU_OK;
    free(out->bytes);
    *out = (train_idx){0};
    return status;
}

gelu_status train_idx_read_memory(const char *name, const void *bytes, size_t nbytes, unsigned ndim, train_idx *out,
                                  gelu_error *err) {
    struct source source = {.name = name, .memory = bytes, .left = nbytes, .err = err};
    return read_idx(&source, ndim, out);
}

static bool exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}

static bool is_regular(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

gelu_status train_idx_read(const char *path, unsigned ndim, train_idx *out, gelu_error *err) {
    char packed[MAX_PATH];
    *out = (train_idx){0};
    if ((size_t)snprintf(packed, sizeof packed, "%s.gz", path) >= sizeof packed)
        return train_fail(err, GELU_ERR_IO, 0, "%.400s: the name is too long", path);
    struct source source = {.name = exists(path) ? path : packed, .err = err};
    if (!exists(source.name)) return train_fail(err, GELU_ERR_MISSING, 0, "%s: is not there, nor is it with .gz", path);
#ifndef GELU_HAVE_ZLIB
    if (source.name == packed)
        return train_fail(err, GELU_ERR_MISSING, 0, "%s: must be unpacked: this gelu was built without zlib", packed);
#endif
    if (!is_regular(source.name)) /* a pipe might never open */
        return train_fail(err, GELU_ERR_IO, 0, "%s: cannot be read: it is not a regular file", source.name);
    errno = 0;
    source.file = open_file(source.name);
    if (!source.file)
        return train_fail(err, errno ? GELU_ERR_IO : GELU_ERR_MEMORY, 0, "%s: cannot be opened: %s", source.name,
                          errno ? strerror(errno) : "out of memory");
    gelu_status status = read_idx(&source, ndim, out);
    close_file(source.file);
    return status;
}
