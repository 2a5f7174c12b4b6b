/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* .safetensors files made up in memory and on disk, for the tests of the reader. Include after cmocka.h. */
#ifndef GELU_TESTS_ST_BYTES_H
#define GELU_TESTS_ST_BYTES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gelu_io.h"

struct st_bytes {
    size_t nbytes;
    uint8_t *bytes; /* from malloc, of exactly this size, so that ASan sees every over-read */
};

/* data NULL: bytes 0, 1, 2, ... */
static inline struct st_bytes st_make(const char *header, const void *data, size_t data_nbytes) {
    size_t length = strlen(header);
    struct st_bytes made = {8 + length + data_nbytes, malloc(8 + length + data_nbytes)};
    assert_non_null(made.bytes);
    for (size_t i = 0; i < 8; i++) made.bytes[i] = (uint8_t)((uint64_t)length >> 8 * i);
    memcpy(made.bytes + 8, header, length);
    for (size_t i = 0; i < data_nbytes; i++)
        made.bytes[8 + length + i] = data ? ((const uint8_t *)data)[i] : (uint8_t)i;
    return made;
}

/* The status of opening such a file in memory; the handle is closed again. */
static inline gelu_status st_status(const char *header, size_t data_nbytes, gelu_error *err) {
    gelu_safetensors *st;
    struct st_bytes made = st_make(header, NULL, data_nbytes);
    gelu_status status = gelu_safetensors_open_memory("made", made.bytes, made.nbytes, &st, err);
    assert_true((status == GELU_OK) == (st != NULL));
    gelu_safetensors_close(st);
    free(made.bytes);
    return status;
}

static inline void write_bytes(const char *path, const void *bytes, size_t nbytes) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, nbytes, file), nbytes);
    assert_int_equal(fclose(file), 0);
}

static inline void write_text(const char *path, const char *text) { write_bytes(path, text, strlen(text)); }

static inline void st_write(const char *path, const char *header, size_t data_nbytes) {
    struct st_bytes made = st_make(header, NULL, data_nbytes);
    write_bytes(path, made.bytes, made.nbytes);
    free(made.bytes);
}

#endif
