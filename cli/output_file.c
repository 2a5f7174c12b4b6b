/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _XOPEN_SOURCE 700

#include "output_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "interrupt.h"

static int fail_on(const char *path) { return cli_fail("%s: %s", path, strerror(errno)); }

static int create(output_file *out) {
    cli_output_opening(out->path);
    int fd = mkstemp(out->temporary), error = errno;
    cli_output_opened(fd >= 0 ? out->temporary : NULL);
    errno = error;
    if (fd < 0) return fail_on(out->path);
    mode_t mask = umask(0);
    umask(mask);
    out->stream = fchmod(fd, 0666 & ~mask) == 0 ? fdopen(fd, "w") : NULL;
    if (out->stream) return CLI_OK;
    int code = fail_on(out->path);
    close(fd);
    return code;
}

int output_file_open(const char *path, output_file *out) {
    *out = (output_file){.path = path};
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) return cli_fail("%s: not a regular file", path);
    size_t size = strlen(path) + sizeof ".XXXXXX";
    out->temporary = malloc(size);
    if (!out->temporary) return cli_fail("out of memory");
    snprintf(out->temporary, size, "%s.XXXXXX", path);
    int code = create(out);
    if (code != CLI_OK) output_file_abort(out);
    return code;
}

static int finish(output_file *out, int code) {
    cli_output_closing();
    if (code == CLI_OK && rename(out->temporary, out->path)) code = fail_on(out->path);
    if (code != CLI_OK) unlink(out->temporary);
    cli_output_closed();
    free(out->temporary);
    out->temporary = NULL;
    return code;
}

int output_file_commit(output_file *out) {
    int code = CLI_OK;
    if (ferror(out->stream) || fflush(out->stream)) code = fail_on(out->path);
    if (fclose(out->stream) && code == CLI_OK) code = fail_on(out->path);
    out->stream = NULL;
    return finish(out, code);
}

void output_file_abort(output_file *out) {
    if (out->stream) fclose(out->stream);
    out->stream = NULL;
    if (out->temporary) (void)finish(out, CLI_BAD_DATA);
}

int output_file_check(const char *path) {
    output_file file;
    int code = output_file_open(path, &file);
    if (code == CLI_OK) output_file_abort(&file);
    return code;
}
