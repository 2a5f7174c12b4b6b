/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* A file that appears complete or not at all: written beside its place and renamed into it. */
#ifndef GELU_IO_FILE_OUT_H
#define GELU_IO_FILE_OUT_H

#include <stddef.h>

struct file_out {
    int fd;
    char *target;    /* what path names once symbolic links are followed; NULL when written directly */
    char *temporary; /* NULL when written directly */
};

/* 0, or an errno with nothing left behind. Directly when path exists and is no regular file (a directory: EISDIR). */
int gelu_file_out_open(struct file_out *out, const char *path);
int gelu_file_out_write(struct file_out *out, const void *data, size_t nbytes); /* all of it; 0 or errno */
/* Closes and renames; 0, or an errno with the temporary file removed. Frees what out holds either way. */
int gelu_file_out_commit(struct file_out *out);
void gelu_file_out_abort(struct file_out *out);

#endif
