/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <inttypes.h>

#include "cli.h"
#include "gelu_io.h"

#ifdef GELU_HAVE_VERIFY

#include "verify_table.h"

const struct verify_kind verify_kinds[VERIFY_KINDS] = {
    {"", 0, false}, {"_grad", 1, false}, {"_backward", 1, true}, {"_grad2", 2, false}};

const struct verify_type verify_types[VERIFY_TYPES] = {
    {"f32", GELU_F32, GELU_F32}, {"f32-f16", GELU_F32, GELU_F16}, {"f32-bf16", GELU_F32, GELU_BF16},
    {"f16", GELU_F16, GELU_F16}, {"bf16", GELU_BF16, GELU_BF16},  {"f64", GELU_F64, GELU_F64}};

static void function_name(const sweep_target *target, size_t size, char *text) {
    int kind = 0;
    while (verify_kinds[kind].order != target->order || verify_kinds[kind].backward != (target->backward != NULL))
        kind++;
    snprintf(text, size, "%s%s", gelu_act_name(target->act), verify_kinds[kind].suffix);
}

static const char *type_name(const sweep_target *target) {
    int type = 0;
    while (verify_types[type].in != target->in || verify_types[type].out != target->out) type++;
    return verify_types[type].name;
}

static void print_bits(gelu_dtype dtype, uint64_t bits) {
    printf("%0*" PRIx64, 2 * (int)gelu_dtype_nbytes(dtype), bits);
}

/* "DECIMAL (BITS)" */
static void format_input(gelu_dtype dtype, uint64_t bits, size_t size, char *text) {
    union {
        uint64_t wide;
        uint32_t single;
        uint16_t narrow;
    } value = {.wide = bits};
    if (gelu_dtype_nbytes(dtype) == 4) value.single = (uint32_t)bits;
    if (gelu_dtype_nbytes(dtype) == 2) value.narrow = (uint16_t)bits;
    char decimal[40];
    gelu_format_shortest(dtype, &value, decimal);
    snprintf(text, size, "%s (%0*" PRIx64 ")", decimal, 2 * (int)gelu_dtype_nbytes(dtype), bits);
}

void verify_print_header(void) {
    printf("%s%-17s %-8s %-11s %11s %10s %10s  %-42s %s%s\n", cli_bold(stdout), "function", "dtype", "isa", "checked",
           "misrounded", "worst ULP", "worst input", "result", cli_plain(stdout));
    fflush(stdout);
}

static void print_failures(const sweep_target *target, const sweep_result *result) {
    for (uint64_t i = 0; i < SWEEP_KEPT_FAILURES && i < result->failed; i++) {
        const sweep_failure *failure = &result->failures[i];
        char x[80];
        format_input(target->in, failure->x, sizeof x, x);
        printf("    x = %s", x);
        if (target->backward) {
            printf(", dy = ");
            print_bits(target->in, failure->dy);
        }
        printf(": got ");
        print_bits(target->out, failure->got);
        printf(", exact ");
        print_bits(target->out, failure->want);
        putchar('\n');
    }
    if (result->failed > SWEEP_KEPT_FAILURES)
        printf("    and %" PRIu64 " more\n", result->failed - SWEEP_KEPT_FAILURES);
}

static bool is_good(const sweep_result *result) { return result->failed == 0 && result->differs == 0; }

static void print_row(const sweep_target *target, const sweep_result *result) {
    bool exact = sweep_is_exact(target);
    char name[32], failed[24] = "-", worst[32] = "-", x[80] = "-";
    function_name(target, sizeof name, name);
    if (exact && result->checked > 0) snprintf(failed, sizeof failed, "%" PRIu64, result->failed);
    if (result->checked > 0) {
        snprintf(worst, sizeof worst, "%.6f", result->worst_ulp);
        format_input(target->in, result->worst_x, sizeof x, x);
    }
    printf("%-17s %-8s %-11s %11" PRIu64 " %10s %10s  %-42s ", name, type_name(target), target->isa, result->checked,
           failed, worst, x);
    if (!is_good(result))
        printf("%sFAILED%s", cli_red(stdout), cli_plain(stdout));
    else if (result->stopped)
        printf("interrupted");
    else
        printf("%sok%s", cli_green(stdout), cli_plain(stdout));
    if (!exact) {
        printf(", bound %g", sweep_bound(target));
        if (result->worst_near_root > 0) printf("; near the root %.2f of the absolute one", result->worst_near_root);
    }
    if (result->differs > 0) printf("; %" PRIu64 " differ between instruction sets", result->differs);
    putchar('\n');
    print_failures(target, result);
    fflush(stdout);
}

void verify_print_rows(verify_totals *totals, const sweep_target *const *targets, const sweep_result *const *results) {
    bool good = true;
    for (size_t i = 0; i < totals->n_isas; i++) {
        print_row(targets[i], results[i]);
        totals->results[i].checked += results[i]->checked;
        totals->results[i].failed += results[i]->failed;
        good = good && is_good(results[i]);
    }
    totals->failed += !good;
    totals->checked += !results[0]->stopped;
    totals->partial += results[0]->stopped && results[0]->checked > 0;
}

void verify_print_summary(const verify_totals *totals) {
    double seconds = cli_seconds() - totals->started;
    for (size_t i = 0; i < totals->n_isas; i++)
        printf("%s: %" PRIu64 " results, %" PRIu64 " misrounded or beyond their bound\n", totals->isas[i],
               totals->results[i].checked, totals->results[i].failed);
    printf("%d functions, %d beyond their bound; %.1f s (%d min %02d s), instruction set%s",
           totals->checked + totals->partial, totals->failed, seconds, (int)seconds / 60, (int)seconds % 60,
           totals->n_isas > 1 ? "s" : "");
    for (size_t i = 0; i < totals->n_isas; i++) printf("%s %s", i ? "," : "", totals->isas[i]);
    putchar('\n');
}

#endif
