/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include "output_folder.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "interrupt.h"
#include "output_file.h"

static char *join(const char *folder, const char *name) {
    size_t size = strlen(folder) + 1 + strlen(name) + 1;
    char *path = malloc(size);
    if (path) snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static int make(const char *folder, bool *made) {
    *made = mkdir(folder, 0777) == 0;
    return *made || errno == EEXIST ? CLI_OK : cli_fail("%s: %s", folder, strerror(errno));
}

static int check(const char *folder, const char *name, bool keep) {
    bool made;
    cli_hold_signals();
    int code = make(folder, &made);
    if (code == CLI_OK) {
        char *path = join(folder, name);
        code = path ? output_file_check(path) : cli_fail("out of memory");
        free(path);
    }
    if (made && !(keep && code == CLI_OK)) rmdir(folder);
    cli_release_signals();
    return code;
}

int output_folder_check(const char *folder, const char *name) { return check(folder, name, false); }
int output_folder_make(const char *folder, const char *name) { return check(folder, name, true); }

int output_folder_write(const char *folder, size_t n, const output_part *parts) {
    char *paths[OUTPUT_MAX_PARTS] = {NULL};
    output_file files[OUTPUT_MAX_PARTS];
    size_t opened = 0, committed = 0;
    bool made;
    cli_hold_signals();
    int code = make(folder, &made);
    while (code == CLI_OK && opened < n) {
        const output_part *part = &parts[opened];
        paths[opened] = join(folder, part->name);
        code = paths[opened] ? output_file_open(paths[opened], &files[opened]) : cli_fail("out of memory");
        if (code != CLI_OK) break;
        FILE *stream = files[opened++].stream;
        if (fwrite(part->bytes, 1, part->nbytes, stream) != part->nbytes || fflush(stream))
            code = cli_fail("%s: %s", paths[opened - 1], strerror(errno));
    }
    while (code == CLI_OK && committed < n) code = output_file_commit(&files[committed++]);
    for (size_t i = committed; i < opened; i++) output_file_abort(&files[i]);
    if (made && code != CLI_OK) rmdir(folder);
    cli_release_signals();
    for (size_t i = 0; i < n; i++) free(paths[i]);
    return code;
}
