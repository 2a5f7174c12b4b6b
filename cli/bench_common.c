/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "bench_common.h"
#include "gelu_io.h"

/* ---- Lists ---- */

int bench_bad_item(const char *what, const char *item, const char *known) {
    return cli_usage("unknown %s '%s'; known: %s", what, item, known);
}

int bench_parse_list(const char *option, const char *text, bench_add_item *add, void *request) {
    for (int items = 0;; items++) {
        char item[64];
        size_t length = strcspn(text, ",");
        if (items == BENCH_MAX_LIST) return cli_usage("--%s: more than %d items", option, BENCH_MAX_LIST);
        if (length == 0 || length >= sizeof item)
            return cli_usage("--%s: an item of the list is empty or too long", option);
        snprintf(item, sizeof item, "%.*s", (int)length, text);
        int code = add(request, item);
        if (code != CLI_OK || !text[length]) return code;
        text += length + 1;
    }
}

static const char *join_isas(const char *separator) {
    static char names[128];
    names[0] = '\0';
    for (size_t i = 0; gelu_isa_available(i); i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? separator : "",
                 gelu_isa_available(i));
    return names;
}

const char *bench_every_isa(void) { return join_isas(","); }

int bench_find_isa(const char *item, const char **out) {
    for (size_t i = 0; gelu_isa_available(i); i++)
        if (!strcmp(item, gelu_isa_available(i))) {
            *out = gelu_isa_available(i);
            return CLI_OK;
        }
    return cli_usage("instruction set '%s' cannot be had here; available: %s", item, join_isas(", "));
}

/* ---- Numbers ---- */

static int parse_seconds(const char *text, double *out) {
    if (gelu_parse_value(GELU_F64, text, out) == GELU_OK && *out > 0 && *out <= 1e6) return CLI_OK;
    return cli_usage("--seconds: '%s' is not a number above 0, up to 1000000", text);
}

int bench_parse_manner(int option, const char *text, bench_manner *out) {
    switch (option) {
    case 't': return cli_set_threads(text, &out->threads);
    case 's': return parse_seconds(text, &out->seconds);
    case 'r': return cli_parse_count("repeat", text, UINT32_MAX, &out->repeat);
    case 'c': out->csv = true; return CLI_OK;
    default: out->markdown = true; return CLI_OK;
    }
}

int bench_check_manner(const bench_manner *manner) {
    if (manner->csv && manner->markdown) return cli_usage("--csv and --markdown exclude each other");
    if (manner->repeat && manner->seconds > 0) return cli_usage("--repeat and --seconds exclude each other");
    return CLI_OK;
}

bool bench_fits_in_memory(double nbytes) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages <= 0 || nbytes < 0.9 * (double)pages * (double)page;
}

/* ---- Progress ---- */

enum { TICKS = 1000 }; /* for each group */

static struct sigaction before; /* a picture that is drawn next has its own use for the signal */

/* SA_RESETHAND: the second time it ends the program. */
static void on_interrupt(int number) {
    static const char clear[] = "\r\033[K";
    if (write(STDERR_FILENO, clear, sizeof clear - 1) < 0) _exit(CLI_BAD_DATA);
    raise(number);
}

void bench_progress_begin(bench_progress *progress, size_t groups) {
    progress->group = 0;
    cli_progress_begin(&progress->bar, "bench", groups * TICKS);
    if (!progress->bar.enabled) return;
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &before);
}

void bench_progress_end(bench_progress *progress) {
    if (progress->bar.enabled) sigaction(SIGINT, &before, NULL);
    cli_progress_end(&progress->bar);
}

void bench_progress_show(void *progress, double done) {
    bench_progress *p = progress;
    cli_progress_update(&p->bar, p->group * TICKS + (uint64_t)(done * TICKS));
}
