/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include "gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "output_file.h"

extern char **environ;

/* The program is UTF-8 whatever the locale is. Free the array alone; NULL: out of memory. */
static char **utf8_environment(void) {
    static char locale[] = "LC_ALL=C.UTF-8";
    size_t n = 0;
    while (environ[n]) n++;
    char **variables = calloc(n + 2, sizeof *variables);
    if (!variables) return NULL;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (strncmp(environ[i], "LC_ALL=", 7) != 0) variables[kept++] = environ[i];
    variables[kept] = locale;
    return variables;
}

/* gnuplot never sees the name of the file: it reads its program from a file without a name and writes to its standard
 * output. */
static int spawn(const char *option, FILE *program, int output) {
    char name[] = "gnuplot";
    char no_settings[] = "-d"; /* of the user's own */
    char *const argv[] = {name, no_settings, NULL};
    char **variables = utf8_environment();
    if (!variables) return cli_fail("out of memory");
    posix_spawn_file_actions_t actions;
    pid_t child;
    fflush(program);
    rewind(program);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(program), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    int error = posix_spawnp(&child, name, &actions, NULL, argv, variables);
    free(variables);
    posix_spawn_file_actions_destroy(&actions);
    if (error == ENOENT) return cli_fail("%s needs gnuplot, which is not installed (Debian: gnuplot-nox)", option);
    if (error) return cli_fail("gnuplot: %s", strerror(error));
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return cli_fail("gnuplot: %s", strerror(errno));
    if (!WIFEXITED(status) || WEXITSTATUS(status) == 127)
        return cli_fail("%s needs gnuplot, which does not run here", option);
    return WEXITSTATUS(status) == 0 ? CLI_OK : cli_fail("gnuplot: exit status %d", WEXITSTATUS(status));
}

int gnuplot_run(const char *option, FILE *program, FILE *stream) {
    struct stat before, after;
    if (fflush(stream) || fstat(fileno(stream), &before)) return cli_fail("temporary file: %s", strerror(errno));
    int code = spawn(option, program, fileno(stream));
    if (code != CLI_OK) return code;
    if (fstat(fileno(stream), &after) || fseek(stream, 0, SEEK_END))
        return cli_fail("temporary file: %s", strerror(errno));
    return after.st_size > before.st_size ? CLI_OK : cli_fail("gnuplot drew nothing");
}

int gnuplot_check(const char *option) {
    FILE *program = tmpfile(), *picture = tmpfile();
    int code =
        program && picture ? spawn(option, program, fileno(picture)) : cli_fail("temporary file: %s", strerror(errno));
    if (program) fclose(program);
    if (picture) fclose(picture);
    return code;
}

int gnuplot_write(const char *option, FILE *program, const char *path) {
    output_file file;
    int code = output_file_open(path, &file);
    if (code != CLI_OK) return code;
    code = gnuplot_run(option, program, file.stream);
    if (code == CLI_OK) return output_file_commit(&file);
    output_file_abort(&file);
    return code;
}
