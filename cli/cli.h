/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What the commands share. A command is one function in cmd_<name>.c and one row of the table in main.c; it gets argv
 * with argv[0] being its own name, prints its own help for --help, and returns the exit code. */
#ifndef GELU_CLI_H
#define GELU_CLI_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "gelu.h"

enum { CLI_OK = 0, CLI_BAD_DATA = 1, CLI_USAGE = 2 }; /* exit codes */

int cmd_apply(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_demo(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_eval(int argc, char **argv);
int cmd_ffn(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_inspect(int argc, char **argv);
int cmd_probe(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_verify(int argc, char **argv); /* only when GELU_HAVE_VERIFY is defined */

#if defined(__GNUC__)
#define CLI_PRINTF(text, values) __attribute__((format(printf, text, values)))
#else
#define CLI_PRINTF(text, values)
#endif

/* One line on standard error, "gelu COMMAND: message"; control characters in it come out as '?'. */
void cli_error(const char *format, ...) CLI_PRINTF(1, 2);
/* The same, and the exit code to return: cli_fail for data, files and the machine; cli_usage for the command line, with
 * a pointer to --help. */
int cli_fail(const char *format, ...) CLI_PRINTF(1, 2);
int cli_usage(const char *format, ...) CLI_PRINTF(1, 2);

/* The options and operands of a command:
 *
 *     static const struct option options[] = {{"act", required_argument, NULL, 'a'}, CLI_HELP_OPTION, {0}};
 *     cli_args args = {.argc = argc, .argv = argv, .options = options};
 *     for (int c; (c = cli_next(&args)) != CLI_END;) switch (c) {
 *         case 'a': name = optarg; break;
 *         case 'h': return cli_help(help_text);
 *         default: return CLI_USAGE;
 *     }
 *
 * Operands may stand anywhere; after the loop they are argv[0] .. argv[operands - 1]. Negative numbers, infinities and
 * NaNs ("-3", "-.5", "-0x1p-3", "-inf", "-nan") are operands, not options. */
typedef struct {
    int argc;
    char **argv;
    const struct option *options;
    const char *letters; /* short options beside -h, as getopt has them; NULL: none */
    int operands;        /* operands found so far */
    bool started;
} cli_args;

enum { CLI_END = -1 };
#define CLI_HELP_OPTION                                                                                                \
    { "help", no_argument, NULL, 'h' }

/* The next option's value, with optarg set; CLI_END at the end; '?' after a mistake, which is already reported. */
int cli_next(cli_args *args);

/* The command that messages name; main sets it. */
void cli_set_command(const char *name);

/* Prints a text that may hold anything on standard output, control characters in it as '?'. */
void cli_put(const char *text);

/* Whether standard output takes what was printed; what goes wrong is reported, once. */
int cli_flush(void);

/* Prints a help text on standard output; returns CLI_OK. */
int cli_help(const char *text);

/* Name tables for error messages: "a, b, c", into a buffer that the next call overwrites. */
const char *cli_known_activations(void);
/* A whole number from 0 to max in decimal, nothing else. */
bool cli_parse_u64(const char *text, uint64_t max, uint64_t *out);
/* The value of an option that is a number from 1 to max; the exit code, a mistake being reported. */
int cli_parse_count(const char *option, const char *text, uint64_t max, uint64_t *out);
/* The same for --threads; the library uses so many from now on. */
int cli_set_threads(const char *text, uint64_t *out);

/* Escape sequences for emphasis, or "" when the stream is no terminal, TERM is dumb, or NO_COLOR is set. */
const char *cli_bold(FILE *stream);
const char *cli_red(FILE *stream);
const char *cli_green(FILE *stream);
const char *cli_plain(FILE *stream); /* ends any of them */

/* A progress bar on standard error: only on a terminal, and only for work that lasts longer than half a second. The
 * caller reports often; drawing is limited to a few times a second. label must outlive the struct. */
typedef struct {
    const char *label;
    uint64_t total;
    double started, drawn; /* seconds; drawn < 0: nothing on the screen yet */
    bool enabled;
} cli_progress;

void cli_progress_begin(cli_progress *progress, const char *label, uint64_t total);
void cli_progress_update(cli_progress *progress, uint64_t done);
void cli_progress_clear(cli_progress *progress); /* makes room for a line of output; the next update draws it again */
void cli_progress_end(cli_progress *progress);   /* clears the line */

/* Name and version of the compiler that made this program. */
const char *cli_compiler(void);

/* Seconds on the monotonic clock. */
double cli_seconds(void);

#endif
