/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What the activations cost, alone and in layers, in one thread. */

#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "compare_measure.h"
#include "layer.h"

enum { ELEMENTS = 65536, ROWS = 128, PASSES = 7 };

typedef struct {
    compare_run *run;
    double from, width; /* of this group in the part */
} share;

static void show(void *context, double done) {
    const share *s = context;
    compare_show_progress(s->run, s->from + done * s->width);
}

static const bench_op *find_operation(const char *name) {
    for (size_t i = 0; bench_op_at(i); i++)
        if (!strcmp(bench_op_at(i)->name, name)) return bench_op_at(i);
    return NULL;
}

typedef struct {
    const char *operation; /* over an array; NULL: a layer, then */
    bench_layer layer;
    const bench_shape *shape;
    double seconds; /* of each pass */
} subject;

/* Nanoseconds per element. */
static gelu_status time_alone(const subject *subject, share *share, double *values) {
    bench_input input;
    const char *isa = gelu_isa_name();
    bench_input_from_name("normal", &input);
    bench_group group = {.op = find_operation(subject->operation),
                         .type = bench_type_at(0), /* f32 */
                         .n = ELEMENTS,
                         .input = &input,
                         .n_acts = COMPARE_ACTS,
                         .n_isas = 1,
                         .acts = compare_acts,
                         .isas = &isa,
                         .threads = 1,
                         .seconds = subject->seconds,
                         .progress = show,
                         .context = share};
    bench_row *rows = calloc(bench_group_rows(&group), sizeof *rows);
    if (!rows) return GELU_ERR_MEMORY;
    gelu_status status = bench_group_run(&group, rows);
    for (size_t i = 0; i < bench_group_rows(&group) && status == GELU_OK; i++)
        for (int a = 0; a < COMPARE_ACTS; a++)
            if (rows[i].what == BENCH_LIBRARY && rows[i].act == compare_acts[a]) values[a] = rows[i].ns;
    free(rows);
    return status;
}

/* Milliseconds per call. */
static gelu_status time_layer(const subject *subject, share *share, double *values) {
    const char *isa = gelu_isa_name();
    bench_layer_group group = {.shape = subject->shape,
                               .layer = subject->layer,
                               .arithmetic = bench_arithmetic_at(0),
                               .rows = ROWS,
                               .n_acts = COMPARE_ACTS,
                               .n_isas = 1,
                               .acts = compare_acts,
                               .isas = &isa,
                               .threads = 1,
                               .seconds = subject->seconds,
                               .progress = show,
                               .context = share};
    bench_layer_row *rows = calloc(bench_layer_rows(&group), sizeof *rows);
    if (!rows) return GELU_ERR_MEMORY;
    gelu_status status = bench_layer_run(&group, rows);
    for (size_t i = 0; i < bench_layer_rows(&group) && status == GELU_OK; i++)
        for (int a = 0; a < COMPARE_ACTS; a++)
            if (rows[i].act == compare_acts[a]) values[a] = 1e3 * rows[i].seconds;
    free(rows);
    return status;
}

/* row: the shortest of all passes. spread: the lowest and the highest of what each pass alone gives for GELU as a multiple
 * of ReLU, which tells how much all of it is worth. */
static int time_passes(const subject *subject, share part, compare_row *row, double spread[2]) {
    for (int p = 0; p < PASSES; p++) {
        double values[COMPARE_ACTS] = {0};
        share share = {part.run, part.from + p * part.width / PASSES, part.width / PASSES};
        gelu_status status = (subject->operation ? time_alone : time_layer)(subject, &share, values);
        if (status != GELU_OK) return cli_fail("%s", gelu_status_string(status));
        for (int a = 0; a < COMPARE_ACTS; a++)
            if (p == 0 || values[a] < row->values[a]) row->values[a] = values[a];
        double ratio = values[COMPARE_GELU] / values[COMPARE_RELU];
        if (p == 0 || ratio < spread[0]) spread[0] = ratio;
        if (p == 0 || ratio > spread[1]) spread[1] = ratio;
    }
    return CLI_OK;
}

static void add_ratio(compare_claim *claim, const compare_row *time, const char *key, const char *where) {
    compare_row *row = compare_add_row(claim, key);
    snprintf(row->measure, sizeof row->measure, "%s, as a multiple of ReLU", where);
    for (int a = 0; a < COMPARE_ACTS; a++) row->values[a] = time->values[a] / time->values[COMPARE_RELU];
}

/* For each of three operations; a layer has three times as long. */
static const double seconds[] = {[COMPARE_QUICK_RUN] = 0.3, [COMPARE_DEFAULT_RUN] = 1.5, [COMPARE_FULL_RUN] = 10};

double compare_cost_seconds(compare_effort effort) { return (3 + 2 * 3) * seconds[effort]; }

int compare_cost(compare_run *run, compare_claim *claim) {
    static const struct {
        const char *operation, *key, *ratio, *what;
    } alone[] = {{"forward", "forward_ns", "forward_ratio", "forward, exact"},
                 {"backward", "backward_ns", "backward_ratio", "backward, exact"},
                 {"fast", "fast_ns", "fast_ratio", "forward, fast (below 1 ULP)"}};
    static const struct {
        bench_layer layer;
        const char *key, *ratio, *what;
    } layers[] = {{BENCH_UP, "linear_ms", "linear_ratio", "Linear and activation"},
                  {BENCH_FFN, "ffn_ms", "ffn_ratio", "feed-forward block"}};
    double alone_spread[2], spread[2], each = seconds[run->effort] / PASSES;
    bench_shape shape;
    bench_shape_from_name("minilm", &shape);
    claim->key = "cost";
    claim->claim = "GELU costs nothing extra";
    int code = CLI_OK;
    for (size_t i = 0; i < 3 && code == CLI_OK; i++) {
        share share = {run, (double)i / 9, 1.0 / 9};
        compare_row *row = compare_add_row(claim, alone[i].key);
        snprintf(row->measure, sizeof row->measure, "%s: ns per element, %d of f32", alone[i].what, ELEMENTS);
        subject subject = {.operation = alone[i].operation, .seconds = each};
        code = time_passes(&subject, share, row, i == 0 ? alone_spread : spread);
        add_ratio(claim, row, alone[i].ratio, alone[i].what);
    }
    for (size_t i = 0; i < 2 && code == CLI_OK; i++) {
        share share = {run, (double)(1 + i) / 3, 1.0 / 3};
        compare_row *row = compare_add_row(claim, layers[i].key);
        snprintf(row->measure, sizeof row->measure, "%s %zu x %zu, %d rows: ms", layers[i].what, shape.d_model,
                 shape.d_ff, ROWS);
        subject subject = {.layer = layers[i].layer, .shape = &shape, .seconds = 3 * each};
        code = time_passes(&subject, share, row, spread);
        add_ratio(claim, row, layers[i].ratio, layers[i].what);
    }
    if (code == CLI_OK) compare_judge_cost(claim, alone_spread, spread);
    return code;
}
