/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Reads tests/data/cases/activation.tsv. */
#ifndef GELU_TESTS_CASES_H
#define GELU_TESTS_CASES_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "gelu.h"

enum { CASES_ROWS = 5668 };

typedef struct {
    gelu_act act;
    int order;
    gelu_dtype dtype;
    uint64_t x, want; /* bits */
    char text[96];
} activation_case;

static inline bool parse_case(const char *line, activation_case *out) {
    char function[32], dtype[8];
    if (sscanf(line, "%31[a-z_0-9]\t%7[a-z0-9]\t%" SCNx64 "\t%" SCNx64, function, dtype, &out->x, &out->want) != 4)
        return false;
    snprintf(out->text, sizeof out->text, "%.*s", (int)strcspn(line, "\n"), line);
    char *suffix = strstr(function, "_grad");
    out->order = !suffix ? 0 : suffix[5] == '2' ? 2 : 1;
    if (suffix) *suffix = '\0';
    return gelu_act_from_name(function, &out->act) == GELU_OK && gelu_dtype_from_name(dtype, &out->dtype) == GELU_OK;
}

/* Calls check for every row; returns how many there were, or -1 for an unreadable file or row. */
static inline int for_each_case(void (*check)(const activation_case *row, void *context), void *context) {
    FILE *file = fopen(GELU_TEST_SOURCE_DIR "/data/cases/activation.tsv", "r");
    if (!file) return -1;
    char line[128];
    int rows = 0;
    while (rows >= 0 && fgets(line, sizeof line, file)) {
        activation_case row;
        if (line[0] == '#') continue;
        rows = parse_case(line, &row) ? rows + 1 : -1;
        if (rows > 0) check(&row, context);
    }
    fclose(file);
    return rows;
}

#endif
