/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "probe.h"

enum {
    FEW = 8,      /* so many elements that differ are no accident */
    CERTAIN = 10, /* bits of evidence, a chance of 1 in 1024 */
};

/* What of a case the data agree with. */
typedef struct {
    const probe_case *of;
    bool exact, near, own, one_plus, table; /* bit for bit; within a few ULPs; roughly; by the formula; by the table */
} fit;

CLI_PRINTF(3, 4) static void add(char *text, size_t length, const char *format, ...) {
    size_t used = strlen(text);
    va_list values;
    va_start(values, format);
    vsnprintf(text + used, length - used, format, values);
    va_end(values);
}

static const char *formula(gelu_act act) {
    return act == GELU_ERF ? "0.5 x (1 + erf(x / sqrt 2))" : "0.5 x (1 + tanh(...))";
}

static void add_rounding(const probe_case *of, gelu_dtype work, char *text, size_t length) {
    if (of->rounded != work)
        add(text, length, ", %srounded to %s", of->each_step ? "each step " : "", gelu_dtype_name(of->rounded));
}

void probe_describe(const probe_case *of, probe_how how, gelu_dtype work, char *text, size_t length) {
    text[0] = '\0';
    if (how == PROBE_TABLE)
        add(text, length, "table of f16, as in ggml");
    else if (how == PROBE_ONE_PLUS)
        add(text, length, "%s in %s", formula(of->act), gelu_dtype_name(work));
    else
        add(text, length, "exact");
    add_rounding(of, work, text, length);
}

static size_t fewest_mismatches(const probe_case *of) {
    size_t fewest = of->n;
    for (int how = 0; how < PROBE_N_HOWS; how++)
        if (of->distance[how].tried && of->distance[how].mismatches < fewest) fewest = of->distance[how].mismatches;
    return fewest;
}

static bool fits_table(const probe_case *of) {
    const probe_distance *table = &of->distance[PROBE_TABLE];
    return table->tried && of->beyond_table == 0 && table->mismatches <= of->n / 8;
}

static fit weigh(const probe_case *of) {
    fit result = {.of = of, .table = fits_table(of)};
    if (of->beyond > 0) return result;
    const probe_distance *exact = &of->distance[PROBE_EXACT], *formula = &of->distance[PROBE_ONE_PLUS];
    bool near = of->inaccurate == 0, possible = formula->tried && of->off_lattice == 0;
    /* Either the lattice or the bits themselves may settle it. */
    bool certain = possible && (of->evidence >= CERTAIN || (formula->mismatches == 0 && exact->mismatches >= FEW));
    if (exact->mismatches == 0 && formula->tried && formula->mismatches >= FEW) possible = false;
    if (probe_is_loose(of)) {
        result.exact = exact->mismatches == 0;
        result.near = !result.exact;
        return result;
    }
    result.one_plus = possible && (certain || !near || exact->mismatches > 0 || formula->mismatches < FEW);
    bool settled = result.one_plus && (certain || !near);
    result.exact = !settled && near && exact->mismatches == 0;
    result.near = !settled && near && exact->mismatches > 0;
    result.own = !near && !result.one_plus;
    return result;
}

static bool is_any(const fit *of) { return of->exact || of->near || of->own || of->one_plus || of->table; }

static bool is_of_function(const fit *of) { return of->exact || of->near || of->own || of->one_plus; }

static void add_closeness(const fit *of, gelu_dtype work, char *text, size_t length) {
    const probe_case *c = of->of;
    const probe_distance *exact = &c->distance[PROBE_EXACT];
    const char *type = gelu_dtype_name(c->rounded), *step = c->each_step ? "each step " : "";
    bool sharp = (c->act == GELU_IDENTITY || c->act == GELU_RELU) && c->rounded == work;
    if (of->own)
        add(text, length, "in an inexact way of its own, up to %.2g off", exact->absolute);
    else if (of->exact && sharp)
        add(text, length, "bit for bit");
    else if (of->exact)
        add(text, length, "the exact value, %srounded to %s", step, type);
    else if (c->each_step)
        add(text, length, "each step rounded to %s, up to %" PRIu64 " ULP from the exact value", type, exact->ulp);
    else
        add(text, length, "up to %" PRIu64 " ULP from the exact value, in %s", exact->ulp, type);
}

static void add_how(const fit *of, gelu_dtype work, char *text, size_t length) {
    const probe_case *c = of->of;
    int ways = 0;
    if (of->exact || of->near || of->own) {
        add_closeness(of, work, text, length);
        ways++;
    }
    if (of->one_plus) {
        add(text, length, "%s%s in %s", ways++ > 0 ? ", or " : "", formula(c->act), gelu_dtype_name(work));
        add_rounding(c, work, text, length);
    }
    if (of->table) {
        add(text, length, "%sby a table of f16, as in ggml", ways++ > 0 ? ", or " : "");
        if (c->rounded == GELU_BF16) add_rounding(c, work, text, length);
    }
    if (ways > 1) add(text, length, "; the data cannot tell these apart; inputs below -2: %zu of %zu", c->tail, c->n);
}

/* The same function stored in the same type, with and without a rounding between. */
static bool is_twin(const fit *a, const fit *b) {
    return a->of->act == b->of->act && a->of->order == b->of->order && a->of->rounded == b->of->rounded;
}

/* Of the fits, those that no other one beats by far. Returns how many are left. */
static size_t keep_best(fit *fits, size_t n) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        size_t mine = fewest_mismatches(fits[i].of);
        bool beaten = false;
        for (size_t j = 0; j < n && !beaten; j++) {
            size_t other = fewest_mismatches(fits[j].of);
            beaten = mine >= 4 * other + FEW;
            if (j != i && is_twin(&fits[i], &fits[j])) beaten = beaten || other < mine || (other == mine && j < i);
        }
        fits[n + i] = fits[i];
        if (!beaten) fits[n + kept++] = fits[i];
    }
    memmove(fits, fits + n, kept * sizeof *fits);
    return kept;
}

/* Fits of one kind, loose or not. The widest type that a function fits in decides; a table's values are f16 in whatever
 * type. */
static size_t collect(const probe_case *cases, size_t n, bool loose, fit *fits) {
    size_t count = 0;
    gelu_dtype type = 0;
    for (size_t i = 0; i < n; i++) {
        fit one = weigh(&cases[i]);
        if (probe_is_loose(&cases[i]) != loose || !is_any(&one)) continue;
        if (is_of_function(&one) && !type) type = cases[i].rounded;
        fits[count++] = one;
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (fits[i].of->rounded != type) fits[i] = (fit){.of = fits[i].of, .table = fits[i].table};
        if (is_any(&fits[i])) fits[kept++] = fits[i];
    }
    return kept;
}

static void add_closest(const probe_case *cases, size_t n, char *text, size_t length) {
    const probe_case *closest = &cases[0];
    for (size_t i = 1; i < n; i++)
        if (cases[i].distance[PROBE_EXACT].absolute < closest->distance[PROBE_EXACT].absolute) closest = &cases[i];
    add(text, length, "none (the closest is %s, up to %.2g off)", closest->name,
        closest->distance[PROBE_EXACT].absolute);
}

/* The names of what fits, each once. Returns how many there are. */
static size_t add_names(const fit *fits, size_t n, char *text, size_t length) {
    const char *names[PROBE_MAX_CASES];
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        bool known = false;
        for (size_t j = 0; j < count; j++) known = known || !strcmp(names[j], fits[i].of->name);
        if (!known) names[count++] = fits[i].of->name;
    }
    for (size_t i = 0; i < count; i++) add(text, length, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " or ", names[i]);
    return count;
}

bool probe_verdict(const probe_case *cases, size_t n, gelu_dtype work, char *text, size_t length) {
    fit fits[2 * PROBE_MAX_CASES];
    text[0] = '\0';
    size_t count = keep_best(fits, collect(cases, n, false, fits));
    if (count == 0) count = keep_best(fits, collect(cases, n, true, fits));
    if (count == 0) {
        add_closest(cases, n, text, length);
        return false;
    }
    if (add_names(fits, count, text, length) > 1) {
        const probe_case *first = fits[0].of;
        add(text, length, " (");
        if (probe_is_loose(first))
            add(text, length, "if each step was rounded to %s, ", gelu_dtype_name(first->rounded));
        add(text, length, "the data cannot tell these apart; inputs in [-4, -1]: %zu of %zu)", first->middle, first->n);
        return true;
    }
    add(text, length, " (");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) add(text, length, "; or ");
        add_how(&fits[i], work, text, length);
    }
    add(text, length, ")");
    return true;
}
