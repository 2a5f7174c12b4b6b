/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The files of tests/data/files and what a reader must say of them. Include after cmocka.h. */
#ifndef GELU_TESTS_FILES_H
#define GELU_TESTS_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gelu_io.h"

#define FILES GELU_TEST_SOURCE_DIR "/data/files/"

static inline gelu_status status_named(const char *name) {
    if (strcmp(name, "dtype") == 0) return GELU_ERR_DTYPE;
    for (int status = GELU_OK; strcmp(gelu_status_string((gelu_status)status), "unknown status") != 0; status++)
        if (strcmp(gelu_status_string((gelu_status)status), name) == 0) return (gelu_status)status;
    fail_msg("unknown expectation %s", name);
    return GELU_OK;
}

/* Has read open each file whose name ends in this, and compares; returns how many. A failure must name the file. */
static inline int check_expected_files(const char *ending, gelu_status (*read)(const char *path, gelu_error *err)) {
    char line[512], path[1024];
    int files = 0;
    FILE *table = fopen(FILES "expected.tsv", "r");
    assert_non_null(table);
    while (fgets(line, sizeof line, table)) {
        if (line[0] == '#') continue;
        char *name = strtok(line, "\t\n"), *expected = strtok(NULL, "\t\n");
        gelu_error err;
        assert_non_null(expected);
        if (strcmp(strrchr(name, '.'), ending) != 0) continue;
        snprintf(path, sizeof path, "%s%s", FILES, name);
        gelu_status status = read(path, &err);
        if (status != status_named(expected)) fail_msg("%s: expected %s, got: %s", name, expected, err.message);
        assert_int_equal(err.status, status);
        assert_true((err.message[0] == '\0') == (status == GELU_OK));
        if (status) assert_non_null(strstr(err.message, name));
        files++;
    }
    fclose(table);
    return files;
}

#endif
