/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What the forms of `gelu bench` share. Where an int comes back, it is an exit code, and mistakes are reported. */
#ifndef GELU_CLI_BENCH_COMMON_H
#define GELU_CLI_BENCH_COMMON_H

#include "cli.h"

enum { BENCH_MAX_LIST = 64 };

/* Calls add for each item of "item,item,...". */
typedef int bench_add_item(void *request, const char *item);
int bench_parse_list(const char *option, const char *text, bench_add_item *add, void *request);
int bench_bad_item(const char *what, const char *item, const char *known);

/* "a,b,c" of what the machine has, into a buffer that the next call overwrites. */
const char *bench_every_isa(void);
int bench_find_isa(const char *item, const char **out);

/* How long, how many threads, and in which form: options of all forms. */
typedef struct {
    uint64_t threads, repeat;
    double seconds;
    bool csv, markdown;
} bench_manner;

#define BENCH_MANNER_OPTIONS                                                                                           \
    {"threads", required_argument, NULL, 't'}, {"seconds", required_argument, NULL, 's'},                              \
        {"repeat", required_argument, NULL, 'r'}, {"csv", no_argument, NULL, 'c'}, {                                   \
        "markdown", no_argument, NULL, 'm'                                                                             \
    }
/* Takes the value of one of these options. */
int bench_parse_manner(int option, const char *text, bench_manner *out);
/* After all options. */
int bench_check_manner(const bench_manner *manner);

/* Asked for beforehand, since the system may grant memory that it does not have and kill the program later. */
bool bench_fits_in_memory(double nbytes);

/* A bar for groups that run one after the other; show is the progress function of a group. */
typedef struct {
    cli_progress bar;
    size_t group; /* that runs now */
} bench_progress;

void bench_progress_begin(bench_progress *progress, size_t groups);
void bench_progress_end(bench_progress *progress);
void bench_progress_show(void *progress, double done);

/* `gelu bench linear` and `gelu bench ffn`, argv[0] being that word. */
bool bench_is_layer(const char *word);
int cmd_bench_layer(int argc, char **argv);

#endif
