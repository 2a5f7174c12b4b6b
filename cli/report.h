/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* A folder with a page, index.html, that has everything in itself, and the numbers as CSV. Exit codes; what goes wrong is
 * reported. */
#ifndef GELU_CLI_REPORT_H
#define GELU_CLI_REPORT_H

#include "figure.h"
#include "output_folder.h"

/* In memory until it is written, all at once. */
typedef struct {
    const char *folder;
    FILE *stream; /* of the file that is being made */
    size_t n;
    output_part parts[OUTPUT_MAX_PARTS];
} report;

/* Before long work: whether the page can be written and gnuplot is there. */
int report_check(const char *folder);

/* Adds a file; print returns nothing but what its stream says. */
int report_csv(const char *name, void (*print)(const void *what, FILE *stream), const void *what, report *report);

/* The page: begin, its parts in order. Then report_end writes all files unless code is an error; it returns code, or
 * what goes wrong now. */
int report_begin(const char *title, report *report);
int report_end(report *report, int code);

/* Text as it reads, on the page: what HTML would take for its own is written otherwise. */
void report_text(const char *text, FILE *stream);
int report_picture(const figure *figure, const char *caption, report *report);
/* A table of two columns. */
typedef struct {
    const char *name;
    char value[256];
} report_setting;
void report_settings(const char *title, size_t n, const report_setting *settings, report *report);
/* Version, compiler, processor, instruction set, system, and when. */
void report_machine(report *report);
/* The command line, quoted for a shell where it must be. */
void report_command(int argc, char **argv, report *report);

#endif
