/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Loads what PyTorch left in tests/data/goldens. Include after cmocka.h. */
#ifndef GELU_TESTS_GOLDEN_H
#define GELU_TESTS_GOLDEN_H

#include <stdio.h>
#include <stdlib.h>
#include "gelu_io.h"

#define GOLDEN_DIR GELU_TEST_SOURCE_DIR "/data/goldens/"

/* "seed42_randn_16" is tests/data/goldens/seed42_randn_16.npy; fails the test when it cannot be read. Free the result
 * with gelu_tensor_free. */
static inline gelu_tensor golden_load(const char *name) {
    char path[1024];
    gelu_tensor tensor;
    gelu_error err;
    snprintf(path, sizeof path, "%s%s.npy", GOLDEN_DIR, name);
    if (gelu_npy_read(path, NULL, &tensor, &err) != GELU_OK) fail_msg("%s", err.message);
    return tensor;
}

/* A whole text file; release it with free. */
static inline char *golden_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot open %s", path);
    char *text = NULL;
    size_t used = 0, got;
    do {
        text = realloc(text, used + 4097);
        if (!text) fail_msg("out of memory");
        got = fread(text + used, 1, 4096, file);
        used += got;
    } while (got > 0);
    text[used] = '\0';
    fclose(file);
    return text;
}

/* The text of tests/data/goldens/<name>.txt; release it with free. */
static inline char *golden_text(const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s%s.txt", GOLDEN_DIR, name);
    return golden_file(path);
}

#endif
