/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* A folder with a page, index.html, that has everything in itself, and the numbers as CSV. Exit codes; what goes wrong is
 * reported. */
#ifndef GELU_CLI_REPORT_H
#define GELU_CLI_REPORT_H

#include "figure.h"
#include "output_file.h"

typedef struct {
    char *path;
    output_file file;
} report_page;

/* Before long work: makes the folder, and sees whether it can be written in and gnuplot is there. */
int report_check(const char *folder);

/* Writes folder/name; print returns nothing but what its stream says. */
int report_csv(const char *folder, const char *name, void (*print)(const void *what, FILE *stream), const void *what);

/* The page: begin, its parts in order, end. It appears at the end; abort when a part fails. */
int report_begin(const char *folder, const char *title, report_page *page);
/* Text as it reads, on the page: what HTML would take for its own is written otherwise. */
void report_text(const char *text, FILE *stream);
int report_picture(const figure *figure, const char *caption, report_page *page);
/* A table of two columns. */
typedef struct {
    const char *name;
    char value[256];
} report_setting;
void report_settings(const char *title, size_t n, const report_setting *settings, report_page *page);
/* Version, compiler, processor, instruction set, system, and when. */
void report_machine(report_page *page);
/* The command line, quoted for a shell where it must be. */
void report_command(int argc, char **argv, report_page *page);
int report_end(report_page *page);
void report_abort(report_page *page);

#endif
