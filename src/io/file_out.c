/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "io/file_out.h"

#define MAX_LINKS 40   /* as many symbolic links as Linux follows */
#define MAX_BASE 200   /* bytes of the target's name in the temporary one: names end at 255 */
#define MAX_TRIES 1000 /* names tried before giving up; a second is rare */

/* Bytes of path up to its last slash, that included. */
static size_t folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* What a link found at path leads to, as a path of its own; NULL with errno set. */
static char *read_link(const char *path) {
    for (size_t room = 256;; room *= 2) {
        size_t folder = folder_length(path);
        char *text = malloc(folder + room);
        if (!text) return NULL;
        ssize_t length = readlink(path, text + folder, room);
        if (length < 0) {
            free(text);
            return NULL;
        }
        if ((size_t)length < room) {
            text[folder + (size_t)length] = '\0';
            if (text[folder] == '/')
                memmove(text, text + folder, (size_t)length + 1);
            else
                memcpy(text, path, folder);
            return text;
        }
        free(text);
    }
}

/* Follows symbolic links, a dangling last one included: renaming onto a link would replace the link. */
static char *resolve(const char *path) {
    char *now = strdup(path);
    for (int links = 0; now; links++) {
        struct stat st;
        if (lstat(now, &st) != 0 || !S_ISLNK(st.st_mode)) return now;
        char *next = links < MAX_LINKS ? read_link(now) : NULL;
        if (links == MAX_LINKS) errno = ELOOP;
        int reason = errno;
        free(now);
        errno = reason;
        now = next;
    }
    return now;
}

/* A name that two writers of one target will not share; the caller creates it exclusively all the same. */
static char *temporary_name(const char *target, unsigned attempt) {
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_REALTIME, &now);
    size_t folder = folder_length(target);
    uint64_t mix = ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec + attempt) * 0x9e3779b97f4a7c15u;
    char *name = malloc(folder + MAX_BASE + 64);
    if (!name) return NULL;
    memcpy(name, target, folder);
    snprintf(name + folder, MAX_BASE + 64, ".%.*s.%ld-%08lx.tmp", MAX_BASE, target + folder, (long)getpid(),
             (unsigned long)(mix >> 32));
    return name;
}

/* Creates the temporary file with the mode that a new file gets here, or else the mode of the file that it replaces. */
static int create_temporary(struct file_out *out, const struct stat *old) {
    for (unsigned attempt = 0; attempt < MAX_TRIES; attempt++) {
        out->temporary = temporary_name(out->target, attempt);
        if (!out->temporary) return ENOMEM;
        out->fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, old ? 0600 : 0666);
        if (out->fd >= 0) {
            if (!old || fchmod(out->fd, old->st_mode & 0777) == 0) return 0;
            int reason = errno;
            close(out->fd);
            unlink(out->temporary);
            return reason;
        }
        if (errno != EEXIST) return errno;
        free(out->temporary);
        out->temporary = NULL;
    }
    return EEXIST;
}

static void release(struct file_out *out) {
    free(out->target);
    free(out->temporary);
    *out = (struct file_out){-1, NULL, NULL};
}

static int open_beside(struct file_out *out, const char *path, const struct stat *old) {
    /* Replacing needs only the folder's permission; a file that is write-protected shall stay as it is. */
    if (old && access(path, W_OK) != 0) return errno;
    out->target = resolve(path);
    if (!out->target) return errno;
    if (out->target[0] == '\0') return ENOENT;
    if (out->target[strlen(out->target) - 1] == '/') return EISDIR;
    return create_temporary(out, old);
}

/* The descriptor that a name such as /dev/stdout stands for; -1 for any other name. The file behind it is the caller's:
 * it is written where the caller stands in it, and never replaced. */
static int named_descriptor(const char *path) {
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t length = strlen(folders[i]);
        if (strncmp(path, folders[i], length) != 0) continue;
        char *end;
        long number = strtol(path + length, &end, 10);
        if (end != path + length && *end == '\0' && number >= 0 && number <= INT_MAX) return (int)number;
    }
    return -1;
}

int gelu_file_out_open(struct file_out *out, const char *path) {
    struct stat st;
    int reason = 0;
    *out = (struct file_out){-1, NULL, NULL};
    int descriptor = named_descriptor(path);
    if (descriptor >= 0) {
        out->fd = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
        return out->fd < 0 ? errno : 0;
    }
    bool exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode)) return EISDIR;
    if (exists && !S_ISREG(st.st_mode)) {
        out->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        reason = out->fd < 0 ? errno : 0;
    } else {
        reason = open_beside(out, path, exists ? &st : NULL);
    }
    if (reason) release(out);
    return reason;
}

int gelu_file_out_write(struct file_out *out, const void *data, size_t nbytes) {
    const char *at = data;
    const size_t most = (size_t)1 << 30; /* some systems refuse more in one call */
    while (nbytes > 0) {
        ssize_t done = write(out->fd, at, nbytes < most ? nbytes : most);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return errno;
        if (done == 0) return EIO;
        at += done;
        nbytes -= (size_t)done;
    }
    return 0;
}

int gelu_file_out_commit(struct file_out *out) {
    int reason = close(out->fd) != 0 && errno != EINTR ? errno : 0;
    if (!reason && out->temporary && rename(out->temporary, out->target) != 0) reason = errno;
    if (reason && out->temporary) unlink(out->temporary);
    release(out);
    return reason;
}

void gelu_file_out_abort(struct file_out *out) {
    close(out->fd);
    if (out->temporary) unlink(out->temporary);
    release(out);
}
