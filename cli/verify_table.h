/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What `gelu verify` prints: a row for each function by each instruction set, and what they add up to. */
#ifndef GELU_CLI_VERIFY_TABLE_H
#define GELU_CLI_VERIFY_TABLE_H

#include "../verify/sweep.h"

enum { VERIFY_KINDS = 4, VERIFY_TYPES = 6, VERIFY_MOST_ISAS = 8 };

/* "", "_grad", ... after an activation's name. */
extern const struct verify_kind {
    const char *suffix;
    int order;
    bool backward;
} verify_kinds[VERIFY_KINDS];

/* "f32", "f32-f16", ... */
extern const struct verify_type {
    const char *name;
    gelu_dtype in, out;
} verify_types[VERIFY_TYPES];

typedef struct {
    const char *isas[VERIFY_MOST_ISAS];
    size_t n_isas;
    double started;               /* cli_seconds() */
    int checked, partial, failed; /* functions, each by every instruction set */
    struct {
        uint64_t checked, failed;
    } results[VERIFY_MOST_ISAS]; /* by each instruction set */
} verify_totals;

void verify_print_header(void);
/* A function by every instruction set. */
void verify_print_rows(verify_totals *totals, const sweep_target *const *targets, const sweep_result *const *results);
void verify_print_summary(const verify_totals *totals);

#endif
