/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <string.h>
#include "io/safetensors_internal.h"

const char *gelu_st_kind(const uint8_t *start, size_t nbytes) {
    static const struct {
        size_t length;
        const char *magic, *name;
    } kinds[] = {
        {4, "PK\3\4", "a zip archive: a PyTorch checkpoint, which is a Python pickle and never loaded, or an .npz"},
        {2, "\x80\2", "a Python pickle, which is never loaded"},
        {2, "\x80\3", "a Python pickle, which is never loaded"},
        {2, "\x80\4", "a Python pickle, which is never loaded"},
        {2, "\x80\5", "a Python pickle, which is never loaded"},
        {4, "GGUF", "a GGUF file"},
        {4, "lmgg", "an old GGML file"},
        {4, "fmgg", "an old GGML file"},
        {4, "tjgg", "an old GGML file"},
        {6, "\x93NUMPY", "a .npy file"},
        {4, "\x89HDF", "an HDF5 file"},
        {12, "version http", "a Git LFS pointer: the file itself has not been fetched"},
        {1, "<", "a web page or XML"},
        {1, "{", "JSON text"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (nbytes >= kinds[i].length && memcmp(start, kinds[i].magic, kinds[i].length) == 0) return kinds[i].name;
    return nbytes >= 8 && memcmp(start + 4, "TFL3", 4) == 0 ? "a TensorFlow Lite file" : NULL;
}

gelu_status gelu_st_header_length(const struct io_context *context, const uint8_t *start, uint64_t file_nbytes,
                                  size_t *length) {
    uint64_t value = 0;
    if (file_nbytes == 0) return gelu_io_fail(context, GELU_ERR_TRUNCATED, 0, "truncated: the file is empty");
    if (file_nbytes < ST_LENGTH_NBYTES)
        return gelu_io_fail(context, GELU_ERR_TRUNCATED, file_nbytes,
                            "truncated: %llu bytes, but the header's length alone takes 8",
                            (unsigned long long)file_nbytes);
    for (int i = 0; i < ST_LENGTH_NBYTES; i++) value |= (uint64_t)start[i] << 8 * i;
    bool plausible = value >= 2 && value <= ST_MAX_HEADER;
    /* A good length can look like a short magic, but not the other way round: no other file has such zeros there. */
    const char *kind = plausible ? NULL : gelu_st_kind(start, file_nbytes < 16 ? (size_t)file_nbytes : 16);
    if (kind) return gelu_io_fail_at(context, GELU_ERR_MAGIC, 0, "bad magic: not safetensors but %s", kind);
    if (!plausible)
        return gelu_io_fail_at(context, GELU_ERR_HEADER_LENGTH, 0,
                               "bad header length: %llu bytes, but headers have 2 to %d", (unsigned long long)value,
                               ST_MAX_HEADER);
    if (value > file_nbytes - ST_LENGTH_NBYTES)
        return gelu_io_fail(context, GELU_ERR_TRUNCATED, file_nbytes,
                            "truncated: %llu bytes, but the header ends at %llu", (unsigned long long)file_nbytes,
                            (unsigned long long)value + ST_LENGTH_NBYTES);
    if (start[ST_LENGTH_NBYTES] != '{')
        return gelu_io_fail_at(context, GELU_ERR_HEADER, ST_LENGTH_NBYTES, "bad header: it does not begin with {");
    *length = (size_t)value;
    return GELU_OK;
}
