/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What the activations cost, alone and in layers, in one thread. */

#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "compare_measure.h"
#include "layer.h"

enum { ELEMENTS = 65536, ROWS = 128 };

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

/* Nanoseconds per element. */
static int time_alone(const char *operation, double seconds, share *share, compare_row *row) {
    bench_input input;
    const char *isa = gelu_isa_name();
    bench_input_from_name("normal", &input);
    bench_group group = {.op = find_operation(operation),
                         .type = bench_type_at(0), /* f32 */
                         .n = ELEMENTS,
                         .input = &input,
                         .n_acts = COMPARE_ACTS,
                         .n_isas = 1,
                         .acts = compare_acts,
                         .isas = &isa,
                         .threads = 1,
                         .seconds = seconds,
                         .progress = show,
                         .context = share};
    bench_row *rows = calloc(bench_group_rows(&group), sizeof *rows);
    if (!rows) return cli_fail("out of memory");
    gelu_status status = bench_group_run(&group, rows);
    for (size_t i = 0; i < bench_group_rows(&group) && status == GELU_OK; i++)
        for (int a = 0; a < COMPARE_ACTS; a++)
            if (rows[i].what == BENCH_LIBRARY && rows[i].act == compare_acts[a]) row->values[a] = rows[i].ns;
    free(rows);
    return status == GELU_OK ? CLI_OK : cli_fail("%s", gelu_status_string(status));
}

/* Milliseconds per call. */
static int time_layer(bench_layer layer, const bench_shape *shape, double seconds, share *share, compare_row *row) {
    const char *isa = gelu_isa_name();
    bench_layer_group group = {.shape = shape,
                               .layer = layer,
                               .arithmetic = bench_arithmetic_at(0),
                               .rows = ROWS,
                               .n_acts = COMPARE_ACTS,
                               .n_isas = 1,
                               .acts = compare_acts,
                               .isas = &isa,
                               .threads = 1,
                               .seconds = seconds,
                               .progress = show,
                               .context = share};
    bench_layer_row *rows = calloc(bench_layer_rows(&group), sizeof *rows);
    if (!rows) return cli_fail("out of memory");
    gelu_status status = bench_layer_run(&group, rows);
    for (size_t i = 0; i < bench_layer_rows(&group) && status == GELU_OK; i++)
        for (int a = 0; a < COMPARE_ACTS; a++)
            if (rows[i].act == compare_acts[a]) row->values[a] = 1e3 * rows[i].seconds;
    free(rows);
    return status == GELU_OK ? CLI_OK : cli_fail("%s", gelu_status_string(status));
}

static void add_ratio(compare_claim *claim, const compare_row *time, const char *key, const char *where) {
    compare_row *row = compare_add_row(claim, key);
    snprintf(row->measure, sizeof row->measure, "%s, as a multiple of ReLU", where);
    for (int a = 0; a < COMPARE_ACTS; a++) row->values[a] = time->values[a] / time->values[COMPARE_RELU];
}

int compare_cost(compare_run *run, compare_claim *claim) {
    static const double seconds[] = {[COMPARE_QUICK_RUN] = 0.3, [COMPARE_DEFAULT_RUN] = 1.5, [COMPARE_FULL_RUN] = 10};
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
    double ratio_alone = 0, ratio_block = 0, each = seconds[run->effort];
    bench_shape shape;
    bench_shape_from_name("minilm", &shape);
    claim->key = "cost";
    claim->claim = "GELU costs nothing extra";
    int code = CLI_OK;
    for (size_t i = 0; i < 3 && code == CLI_OK; i++) {
        share share = {run, (double)i / 9, 1.0 / 9};
        compare_row *row = compare_add_row(claim, alone[i].key);
        snprintf(row->measure, sizeof row->measure, "%s: ns per element, %d of f32", alone[i].what, ELEMENTS);
        code = time_alone(alone[i].operation, each, &share, row);
        add_ratio(claim, row, alone[i].ratio, alone[i].what);
        if (i == 0) ratio_alone = row->values[COMPARE_GELU] / row->values[COMPARE_RELU];
    }
    for (size_t i = 0; i < 2 && code == CLI_OK; i++) {
        share share = {run, (double)(1 + i) / 3, 1.0 / 3};
        compare_row *row = compare_add_row(claim, layers[i].key);
        snprintf(row->measure, sizeof row->measure, "%s %zu x %zu, %d rows: ms", layers[i].what, shape.d_model,
                 shape.d_ff, ROWS);
        code = time_layer(layers[i].layer, &shape, 3 * each, &share, row);
        add_ratio(claim, row, layers[i].ratio, layers[i].what);
        ratio_block = row->values[COMPARE_GELU] / row->values[COMPARE_RELU];
    }
    if (code == CLI_OK) compare_judge_cost(claim, ratio_alone, ratio_block);
    return code;
}
