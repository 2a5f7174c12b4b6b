/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include <time.h>
#include <unistd.h>

#include "cli.h"

enum { BAR_WIDTH = 30 };
static const double first_draw = 0.5, redraw = 0.2; /* seconds */

double cli_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void cli_progress_begin(cli_progress *progress, const char *label, uint64_t total) {
    *progress = (cli_progress){.label = label, .total = total, .started = cli_seconds(), .drawn = -1};
    progress->enabled = isatty(STDERR_FILENO) && total > 0;
}

void cli_progress_update(cli_progress *progress, uint64_t done) {
    if (!progress->enabled) return;
    double now = cli_seconds(), elapsed = now - progress->started;
    if (elapsed < first_draw || (progress->drawn >= 0 && now - progress->drawn < redraw)) return;
    progress->drawn = now;

    double share = (double)done / (double)progress->total;
    if (share > 1) share = 1;
    char bar[BAR_WIDTH + 1];
    for (int i = 0; i < BAR_WIDTH; i++) bar[i] = i < (int)(share * BAR_WIDTH) ? '#' : '.';
    bar[BAR_WIDTH] = '\0';
    fputs("\r\033[K", stderr);
    /* The label may be a file's name, with anything in it. */
    for (const char *at = progress->label; *at; at++)
        fputc((unsigned char)*at < 0x20 || *at == 0x7f ? '?' : *at, stderr);
    fprintf(stderr, " [%s] %3d %%", bar, (int)(share * 100));
    if (share > 0) fprintf(stderr, ", %.0f s left", elapsed / share - elapsed);
    fflush(stderr);
}

void cli_progress_clear(cli_progress *progress) {
    if (progress->enabled && progress->drawn >= 0) fputs("\r\033[K", stderr);
    progress->drawn = -1;
}

void cli_progress_end(cli_progress *progress) {
    cli_progress_clear(progress);
    progress->enabled = false;
}
