/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/alloc.h"
#include "io/file_in.h"

static const char *kind_of(mode_t mode) {
    return S_ISDIR(mode)                    ? "a directory"
           : S_ISFIFO(mode)                 ? "a pipe"
           : S_ISSOCK(mode)                 ? "a socket"
           : S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
                                            : "not a regular file";
}

gelu_status gelu_file_in_open(const struct io_context *context, const char *path, int *fd, uint64_t *nbytes) {
    struct stat st;
    /* Without O_NONBLOCK the open of a pipe would wait for a writer. */
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*fd < 0) return gelu_io_fail_errno(context, errno, "cannot open");
    if (fstat(*fd, &st) != 0) return gelu_io_fail_errno(context, errno, "cannot examine");
    if (!S_ISREG(st.st_mode))
        return gelu_io_fail(context, GELU_ERR_IO, 0, "cannot read: it is %s, not a regular file", kind_of(st.st_mode));
    *nbytes = (uint64_t)st.st_size;
    return GELU_OK;
}

gelu_status gelu_file_in_read(const struct io_context *context, int fd, uint64_t offset, void *dst, size_t nbytes) {
    const size_t most = (size_t)1 << 30; /* some systems refuse more in one call */
    for (size_t have = 0; have < nbytes;) {
        size_t wanted = nbytes - have < most ? nbytes - have : most;
        ssize_t got = pread(fd, (char *)dst + have, wanted, (off_t)(offset + have));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return gelu_io_fail_errno(context, errno, "cannot read");
        if (got == 0)
            return gelu_io_fail_at(context, GELU_ERR_TRUNCATED, offset + have,
                                   "truncated: the file has become shorter since it was opened");
        have += (size_t)got;
    }
    return GELU_OK;
}

gelu_status gelu_file_in_load(const struct io_context *context, int fd, size_t nbytes, struct file_bytes *out) {
    *out = (struct file_bytes){NULL, nbytes, nbytes > FILE_IN_COPIED};
    if (nbytes == 0) return GELU_OK;
    if (out->mapped) {
        void *at = mmap(NULL, nbytes, PROT_READ, MAP_PRIVATE, fd, 0);
        if (at == MAP_FAILED) return gelu_io_fail_errno(context, errno, "cannot map");
        out->p = at;
        return GELU_OK;
    }
    uint8_t *copy = alloc_aligned(nbytes);
    if (!copy) return gelu_io_fail_memory(context);
    gelu_status status = gelu_file_in_read(context, fd, 0, copy, nbytes);
    if (status)
        alloc_free(copy);
    else
        out->p = copy;
    return status;
}

void gelu_file_in_unload(struct file_bytes *bytes) {
    void *p = (void *)(uintptr_t)bytes->p;
    if (!p) return;
    if (bytes->mapped)
        munmap(p, bytes->nbytes);
    else
        alloc_free(p);
    bytes->p = NULL;
}
