/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "plot.h"

extern char **environ;

/* gnuplot never sees the name of the file: it reads its program from a file without a name and writes to its standard
 * output. An exit code; what went wrong is reported. */
static int run_gnuplot(FILE *program, int output) {
    char name[] = "gnuplot";
    char *const argv[] = {name, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    fflush(program);
    rewind(program);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(program), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    int error = posix_spawnp(&child, name, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error == ENOENT) return cli_fail("--plot needs gnuplot, which is not installed (Debian: gnuplot-nox)");
    if (error) return cli_fail("gnuplot: %s", strerror(error));
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return cli_fail("gnuplot: %s", strerror(errno));
    if (!WIFEXITED(status) || WEXITSTATUS(status) == 127)
        return cli_fail("--plot needs gnuplot, which does not run here");
    return WEXITSTATUS(status) == 0 ? CLI_OK : cli_fail("gnuplot: exit status %d", WEXITSTATUS(status));
}

/* Signals wait while this file is there: none is left behind. */
static int open_temporary(const char *path, char **name, sigset_t *before) {
    size_t size = strlen(path) + sizeof ".XXXXXX";
    *name = malloc(size);
    if (!*name) return -1;
    snprintf(*name, size, "%s.XXXXXX", path);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, before);
    int fd = mkstemp(*name);
    if (fd >= 0) return fd;
    int error = errno;
    sigprocmask(SIG_SETMASK, before, NULL);
    free(*name);
    errno = error;
    return -1;
}

static int fail_on(const char *path) { return cli_fail("%s: %s", path, strerror(errno)); }

int plot_check(const char *path) {
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) return cli_fail("%s: not a regular file", path);
    char *name;
    sigset_t before;
    int fd = open_temporary(path, &name, &before);
    if (fd < 0) return fail_on(path);
    FILE *nothing = tmpfile();
    int code = nothing ? run_gnuplot(nothing, fd) : fail_on("temporary file");
    if (nothing) fclose(nothing);
    close(fd);
    unlink(name);
    free(name);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return code;
}

static int draw(FILE *program, int fd, const char *path) {
    int code = run_gnuplot(program, fd);
    if (code != CLI_OK) return code;
    mode_t mask = umask(0);
    umask(mask);
    struct stat info;
    if (fchmod(fd, 0666 & ~mask) || fstat(fd, &info)) return fail_on(path);
    return info.st_size > 0 ? CLI_OK : cli_fail("gnuplot drew nothing");
}

int plot_write(const char *path, size_t n, const bench_row *rows) {
    FILE *program = tmpfile();
    if (!program) return fail_on("temporary file");
    bench_print_gnuplot(program, n, rows);
    char *name;
    sigset_t before;
    int fd = open_temporary(path, &name, &before);
    if (fd < 0) {
        int code = fail_on(path);
        fclose(program);
        return code;
    }
    int code = draw(program, fd, path);
    fclose(program);
    if (close(fd) && code == CLI_OK) code = fail_on(path);
    if (code == CLI_OK && rename(name, path)) code = fail_on(path);
    if (code != CLI_OK) unlink(name);
    free(name);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return code;
}
