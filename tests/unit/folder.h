/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* A folder of a test's own, as fixtures for cmocka. Define _XOPEN_SOURCE 700 first; include after cmocka.h. */
#ifndef GELU_TESTS_FOLDER_H
#define GELU_TESTS_FOLDER_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[32];

/* In a buffer that the next call overwrites. */
static inline const char *in_folder(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static inline int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/gelu-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

/* Fails when a test has left something in it. */
static inline int remove_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

/* How many files are in it; they are removed, as empty folders are, where that is asked for. */
static inline size_t list_folder(int remove_them) {
    size_t count = 0;
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    for (struct dirent *entry; (entry = readdir(listing));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        count++;
        if (remove_them) assert_int_equal(remove(in_folder(entry->d_name)), 0);
    }
    closedir(listing);
    return count;
}

static inline size_t files_in_folder(void) { return list_folder(0); }

static inline int empty_folder(void **state) {
    (void)state;
    list_folder(1);
    return 0;
}

static inline int remove_folder_with_files(void **state) { return empty_folder(state) || remove_folder(state); }

#endif
