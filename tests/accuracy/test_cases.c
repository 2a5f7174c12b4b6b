/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The library on every row of activation.tsv: the exact bits where they are promised, else within the bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "accuracy/cases.h"
#include "format.h"
#include "oracle.h"
#include "places.h"
#include "sweep.h"

typedef struct {
    oracle *oracle;
    int failures;
} check_state;

static uint64_t run_library(const activation_case *row) {
    uint64_t x = 0, y = 0;
    uint32_t x32 = (uint32_t)row->x, y32 = 0;
    uint16_t x16 = (uint16_t)row->x, y16 = 0;
    sweep_kernel kernel = sweep_library_kernel(row->order, row->dtype);
    switch (gelu_dtype_nbytes(row->dtype)) {
    case 8:
        x = row->x;
        kernel(row->act, 1, &x, &y);
        return y;
    case 4: kernel(row->act, 1, &x32, &y32); return y32;
    default: kernel(row->act, 1, &x16, &y16); return y16;
    }
}

/* The oracle turns bits into a distance here; test_oracle holds it to the rows. */
static bool is_within_bound(check_state *state, const activation_case *row, uint64_t got) {
    double x = format_decode(format_of(row->dtype), row->x);
    oracle_round(state->oracle, row->act, row->order, x, row->dtype);
    oracle_error error = oracle_measure(state->oracle, got);
    if (places_near_root(row->act, row->order, x))
        return error.absolute <= (row->dtype == GELU_F64 ? 0x1p-63 : 0x1p-34);
    double bound = row->dtype == GELU_F64 && row->order > 0 ? 2 : 1;
    return error.ulps <= bound;
}

static void check_library(const activation_case *row, void *context) {
    check_state *state = context;
    uint64_t got = run_library(row);
    bool exact = row->dtype != GELU_F64 && row->order < 2;
    if (got == row->want || (!exact && is_within_bound(state, row, got))) return;
    print_error("%s: got %" PRIx64 "\n", row->text, got);
    state->failures++;
}

static void library_gives_the_results_of_the_table(void **unused) {
    (void)unused;
    check_state state = {oracle_new(), 0};
    assert_non_null(state.oracle);
    assert_int_equal(for_each_case(check_library, &state), CASES_ROWS);
    assert_int_equal(state.failures, 0);
    oracle_free(state.oracle);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(library_gives_the_results_of_the_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
