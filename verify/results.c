/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "results.h"

static void keep_failure(sweep_result *result, sweep_failure failure) {
    uint64_t kept = result->failed < SWEEP_KEPT_FAILURES ? result->failed : SWEEP_KEPT_FAILURES;
    size_t i = (size_t)kept;
    if (kept == SWEEP_KEPT_FAILURES && failure.x >= result->failures[--i].x) return;
    for (; i > 0 && result->failures[i - 1].x > failure.x; i--) result->failures[i] = result->failures[i - 1];
    result->failures[i] = failure;
}

static void record_failure(sweep_result *result, sweep_failure failure) {
    keep_failure(result, failure);
    result->failed++;
}

void results_record(sweep_result *result, const verdict *v, uint64_t x, uint64_t dy, uint64_t got) {
    result->checked++;
    result->undecided += v->undecided;
    if (!v->good) record_failure(result, (sweep_failure){x, dy, got, v->want});
    if (v->near_root > result->worst_near_root) result->worst_near_root = v->near_root;
    results_record_worst(result, v->ulps, x);
}

void results_merge(sweep_result *into, const sweep_result *from) {
    size_t kept = from->failed < SWEEP_KEPT_FAILURES ? (size_t)from->failed : SWEEP_KEPT_FAILURES;
    for (size_t i = 0; i < kept; i++) record_failure(into, from->failures[i]);
    into->failed += from->failed - kept;
    into->checked += from->checked;
    into->undecided += from->undecided;
    into->differs += from->differs;
    results_record_worst(into, from->worst_ulp, from->worst_x);
    if (from->worst_near_root > into->worst_near_root) into->worst_near_root = from->worst_near_root;
}
