/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Memory between two inaccessible pages: an access before its begin or past its end is a fault, not luck. */
#ifndef GELU_TESTS_GUARD_H
#define GELU_TESTS_GUARD_H

/* The includer defines _GNU_SOURCE first: MAP_ANONYMOUS is no part of strict C11. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct guard {
    unsigned char *begin, *end; /* whole pages */
};

/* At least nbytes between the two pages. */
static inline struct guard guard_open(size_t nbytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t inside = (nbytes + page - 1) / page * page;
    if (inside == 0) inside = page;
    unsigned char *map = mmap(NULL, inside + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED || mprotect(map + page, inside, PROT_READ | PROT_WRITE) != 0) {
        perror("guard_open");
        abort();
    }
    return (struct guard){map + page, map + page + inside};
}

static inline void guard_close(struct guard *g) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    munmap(g->begin - page, (size_t)(g->end - g->begin) + 2 * page);
    g->begin = g->end = NULL;
}

/* An array of nbytes whose last byte is `gap` bytes away from the upper page. */
static inline void *guard_high(const struct guard *g, size_t nbytes, size_t gap) { return g->end - gap - nbytes; }
/* An array that starts `gap` bytes after the lower page. */
static inline void *guard_low(const struct guard *g, size_t gap) { return g->begin + gap; }

enum { GUARD_CANARY = 0xAA };

static inline void guard_fill(const struct guard *g) { memset(g->begin, GUARD_CANARY, (size_t)(g->end - g->begin)); }

/* Whether every byte outside [p, p + nbytes) still holds the canary. */
static inline int guard_intact(const struct guard *g, const void *p, size_t nbytes) {
    const unsigned char *first = p, *last = first + nbytes;
    for (const unsigned char *b = g->begin; b < g->end; b++)
        if ((b < first || b >= last) && *b != GUARD_CANARY) return 0;
    return 1;
}

#endif
