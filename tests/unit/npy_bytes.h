/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* .npy files made up in memory, for the tests of the reader. Include after cmocka.h. */
#ifndef GELU_TESTS_NPY_BYTES_H
#define GELU_TESTS_NPY_BYTES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "gelu_io.h"

struct npy_bytes {
    size_t nbytes;
    uint8_t *bytes; /* from malloc, of exactly this size, so that ASan sees every over-read */
};

static inline struct npy_bytes npy_make(int major, const char *header, const void *data, size_t data_nbytes) {
    size_t start = major == 1 ? 10 : 12, length = strlen(header);
    struct npy_bytes made = {start + length + data_nbytes, malloc(start + length + data_nbytes)};
    assert_non_null(made.bytes);
    memcpy(made.bytes, "\x93NUMPY", 6);
    made.bytes[6] = (uint8_t)major;
    made.bytes[7] = 0;
    for (size_t i = 8; i < start; i++) made.bytes[i] = (uint8_t)(length >> 8 * (i - 8));
    memcpy(made.bytes + start, header, length);
    if (data_nbytes > 0) memcpy(made.bytes + start + length, data, data_nbytes);
    return made;
}

/* The status of opening such a file; the handle is closed again. */
static inline gelu_status npy_status(int major, const char *header, size_t data_nbytes, gelu_error *err) {
    static const uint8_t zeros[256];
    gelu_npy *npy;
    assert_true(data_nbytes <= sizeof zeros);
    struct npy_bytes made = npy_make(major, header, zeros, data_nbytes);
    gelu_status status = gelu_npy_open_memory("made", made.bytes, made.nbytes, NULL, &npy, err);
    assert_true((status == GELU_OK) == (npy != NULL));
    gelu_npy_close(npy);
    free(made.bytes);
    return status;
}

#endif
