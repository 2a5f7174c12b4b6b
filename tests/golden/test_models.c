/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* A small checkpoint of each model family (tests/data/models): what is recognised, and what comes out against float64.
 * Each must fail with another activation, with gate and value swapped, and with its matrices taken the other way. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <cmocka.h>
#include "gelu_io.h"
#include "golden/errors.h"
#include "golden/golden.h"

#define MODELS GELU_TEST_SOURCE_DIR "/data/models/"

enum { MAX_CASES = 80, MAX_ELEMENTS = 64, MAX_EXTRAS = 4 };

struct model_case {
    char name[40], family[24], act[12], gate[12], form[12];
    size_t blocks, layer;
};

/* Allocated: a compiler that sees the end of the array takes a name in it for one that may be as long. */
static struct model_case *cases;
static size_t case_count;

static int load_cases(void **state) {
    (void)state;
    char *text = golden_file(MODELS "cases.tsv");
    cases = calloc(MAX_CASES, sizeof *cases);
    if (!cases) return -1;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (line[0] == '#') continue;
        if (case_count == MAX_CASES) return -1;
        struct model_case *c = &cases[case_count++];
        if (sscanf(line, "%39s %23s %zu %zu %11s %11s %11s", c->name, c->family, &c->blocks, &c->layer, c->act, c->gate,
                   c->form) != 7)
            return -1;
    }
    free(text);
    return 0;
}

static int free_cases(void **state) {
    (void)state;
    free(cases);
    return 0;
}

static const char *const forms[] = {"",         "pre",    "post",      "sandwich", "res-post",
                                    "parallel", "scaled", "modulated", "fused"};

/* What the file of a case says, in f32 where it goes in. */
struct wanted {
    gelu_tensor all;
    size_t rows, d, n;
    const double *x8, *ffn, *block, *extras8; /* extras8: what the block takes besides, one behind the other */
    float x[MAX_ELEMENTS], extras[MAX_EXTRAS][MAX_ELEMENTS];
};

static void load_wanted(const char *name, struct wanted *w) {
    char path[1024];
    gelu_error err;
    snprintf(path, sizeof path, MODELS "%s/want.npy", name);
    if (gelu_npy_read(path, NULL, &w->all, &err) != GELU_OK) fail_msg("%s", err.message);
    assert_int_equal(w->all.dtype, GELU_F64);
    assert_int_equal(w->all.ndim, 3);
    w->rows = w->all.shape[1];
    w->d = w->all.shape[2];
    w->n = w->rows * w->d;
    assert_true(w->all.shape[0] >= 3 && w->all.shape[0] <= 3 + MAX_EXTRAS && w->n > 0 && w->n <= MAX_ELEMENTS);
    const double *data = w->all.data;
    w->x8 = data;
    w->ffn = data + w->n;
    w->block = data + 2 * w->n;
    w->extras8 = data + 3 * w->n;
    assert_int_equal(gelu_convert(w->n, GELU_F64, data, GELU_F32, w->x), GELU_OK);
    for (size_t i = 3; i < w->all.shape[0]; i++)
        assert_int_equal(gelu_convert(w->n, GELU_F64, data + i * w->n, GELU_F32, w->extras[i - 3]), GELU_OK);
}

static gelu_model *open_case(const char *name, const gelu_model_options *options) {
    char path[1024];
    gelu_error err;
    gelu_model *model;
    snprintf(path, sizeof path, MODELS "%s", name);
    if (gelu_model_open(path, options, &model, &err) != GELU_OK) fail_msg("%s: %s", name, err.message);
    return model;
}

static double largest(size_t n, const double *x) {
    double found = 0;
    for (size_t i = 0; i < n; i++) found = fmax(found, fabs(x[i]));
    return found;
}

/* The largest error over the largest result. */
static double relative_error(size_t n, const float *got, const double *want) {
    return max_error(n, got, want) / largest(n, want);
}

static double relative_error_f64(size_t n, const double *got, const double *want) {
    double worst = 0;
    for (size_t i = 0; i < n; i++) worst = fmax(worst, fabs(got[i] - want[i]));
    return worst / largest(n, want);
}

#define RIGHT 4e-7 /* the longest sum has 24 terms */
#define RIGHT_F64 2e-15
#define WRONG 2e-5

static double ffn_error(const gelu_model *model, size_t layer, const struct wanted *w) {
    gelu_error err;
    gelu_ffn *ffn;
    float y[MAX_ELEMENTS];
    if (gelu_model_ffn(model, layer, 0, &ffn, &err) != GELU_OK) fail_msg("%s", err.message);
    assert_int_equal(gelu_ffn_forward(ffn, w->rows, GELU_F32, w->x, w->d, NULL, GELU_F32, y, w->d, NULL), GELU_OK);
    gelu_ffn_free(ffn);
    return relative_error(w->n, y, w->ffn);
}

/* What a form takes besides x, in the order that it is asked for. */
static const char *const needs[GELU_BLOCK_FUSED + 1][MAX_EXTRAS + 1] = {
    [GELU_BLOCK_PARALLEL] = {"(attn)"},
    [GELU_BLOCK_MODULATED] = {"(scale)", "(shift)", "(gate)"},
    [GELU_BLOCK_FUSED] = {"(attn)", "(scale)", "(shift)", "(gate)"}};

static void give(gelu_block_extras *extras, const char *need, const void *value) {
    if (strcmp(need, "(attn)") == 0) extras->attn = value;
    if (strcmp(need, "(scale)") == 0) extras->scale = value;
    if (strcmp(need, "(shift)") == 0) extras->shift = value;
    if (strcmp(need, "(gate)") == 0) extras->gate = value;
}

/* Without one of the things that it takes, a block is refused, naming the first. */
static void check_block(const struct model_case *c, const gelu_model *model, const struct wanted *w) {
    gelu_error err;
    gelu_ffn *ffn;
    float y[MAX_ELEMENTS], entered[MAX_ELEMENTS], left[MAX_ELEMENTS], again[MAX_ELEMENTS];
    gelu_block_extras extras = {.entered = entered, .left = left};
    gelu_block_form form = gelu_model_at(model, c->layer)->form;
    const char *const *need = needs[form];
    assert_int_equal(gelu_model_ffn(model, c->layer, 0, &ffn, &err), GELU_OK);
    for (size_t i = 0; need[i]; i++) {
        assert_int_equal(gelu_block_forward(model, c->layer, ffn, w->rows, GELU_F32, w->x, &extras, y, &err),
                         GELU_ERR_ARGUMENT);
        if (!strstr(err.message, need[i])) fail_msg("%s: %s, not %s", c->name, err.message, need[i]);
        give(&extras, need[i], w->extras[i]);
    }
    if (gelu_block_forward(model, c->layer, ffn, w->rows, GELU_F32, w->x, &extras, y, &err) != GELU_OK)
        fail_msg("%s: %s", c->name, err.message);
    double error = relative_error(w->n, y, w->block);
    if (!(error <= RIGHT)) fail_msg("%s: the block's error is %g", c->name, error);
    assert_int_equal(gelu_ffn_forward(ffn, w->rows, GELU_F32, entered, w->d, NULL, GELU_F32, again, w->d, NULL), 0);
    assert_memory_equal(again, left, w->n * sizeof *left);
    assert_int_equal(gelu_block_forward(model, c->layer, ffn, w->rows, GELU_F64, w->x8, &extras, y, &err),
                     GELU_ERR_DTYPE);
    gelu_ffn_free(ffn);
}

static void check_f64(const struct model_case *c, const gelu_model *model, const struct wanted *w) {
    gelu_error err;
    gelu_ffn *ffn;
    double y[MAX_ELEMENTS];
    gelu_block_extras extras = {NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    const char *const *need = needs[gelu_model_at(model, c->layer)->form];
    if (gelu_model_ffn(model, c->layer, GELU_F64, &ffn, &err) != GELU_OK) fail_msg("%s", err.message);
    assert_int_equal(gelu_ffn_forward(ffn, w->rows, GELU_F64, w->x8, w->d, NULL, GELU_F64, y, w->d, NULL), GELU_OK);
    double error = relative_error_f64(w->n, y, w->ffn);
    if (!(error <= RIGHT_F64)) fail_msg("%s: the layer's error in f64 is %g", c->name, error);
    for (size_t i = 0; need[i]; i++) give(&extras, need[i], w->extras8 + i * w->n);
    if (gelu_block_forward(model, c->layer, ffn, w->rows, GELU_F64, w->x8, &extras, y, &err) != GELU_OK)
        fail_msg("%s: %s", c->name, err.message);
    error = relative_error_f64(w->n, y, w->block);
    if (!(error <= RIGHT_F64)) fail_msg("%s: the block's error in f64 is %g", c->name, error);
    gelu_ffn_free(ffn);
}

static void every_case(void **state) {
    (void)state;
    for (size_t i = 0; i < case_count; i++) {
        const struct model_case *c = &cases[i];
        struct wanted w;
        load_wanted(c->name, &w);
        gelu_model *model = open_case(c->name, NULL);
        const gelu_model_block *block = gelu_model_at(model, c->layer);
        assert_string_equal(gelu_model_family(model), c->family);
        assert_int_equal(gelu_model_count(model), c->blocks);
        assert_non_null(block);
        assert_string_equal(gelu_act_name(block->act), c->act);
        assert_string_equal(forms[block->form], c->form);
        assert_int_equal(block->gated, strcmp(c->gate, "plain") != 0);
        if (block->order != GELU_SEPARATE)
            assert_string_equal(c->gate, block->order == GELU_GATE_FIRST ? "first" : "second");
        assert_int_equal(block->d_model, w.d);
        double error = ffn_error(model, c->layer, &w);
        if (!(error <= RIGHT)) fail_msg("%s: the layer's error is %g", c->name, error);
        check_block(c, model, &w);
        check_f64(c, model, &w);
        gelu_model_close(model);
        gelu_tensor_free(&w.all);
    }
    print_message("%zu checkpoints\n", case_count);
}

static void every_family_has_a_case(void **state) {
    (void)state;
    const char *family;
    for (size_t f = 0; (family = gelu_model_known_family(f)); f++) {
        size_t found = 0;
        for (size_t i = 0; i < case_count; i++) found += strcmp(cases[i].family, family) == 0;
        if (found == 0) fail_msg("no case of %s", family);
    }
}

/* The nearest other one. */
static gelu_act other_act(const char *act) {
    static const struct {
        const char *name;
        gelu_act other;
    } table[] = {{"erf", GELU_TANH}, {"tanh", GELU_ERF}, {"quick", GELU_ERF}, {"silu", GELU_QUICK}, {"relu", GELU_ERF}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].name, act) == 0) return table[i].other;
    fail_msg("%s", act);
    return GELU_IDENTITY;
}

static void another_activation_fails(void **state) {
    (void)state;
    for (size_t i = 0; i < case_count; i++) {
        struct wanted w;
        load_wanted(cases[i].name, &w);
        gelu_act act = other_act(cases[i].act);
        gelu_model *model = open_case(cases[i].name, &(gelu_model_options){.act = &act});
        double error = ffn_error(model, cases[i].layer, &w);
        if (!(error > WRONG)) fail_msg("%s with %s: error %g", cases[i].name, gelu_act_name(act), error);
        gelu_model_close(model);
        gelu_tensor_free(&w.all);
    }
}

static void swapped_halves_fail(void **state) {
    (void)state;
    int gated = 0;
    for (size_t i = 0; i < case_count; i++) {
        if (strcmp(cases[i].gate, "plain") == 0) continue;
        struct wanted w;
        load_wanted(cases[i].name, &w);
        bool first = strcmp(cases[i].gate, "first") == 0;
        gelu_gate_order right = first ? GELU_GATE_FIRST : GELU_VALUE_FIRST;
        gelu_gate_order wrong = first ? GELU_VALUE_FIRST : GELU_GATE_FIRST;
        gelu_model *model = open_case(cases[i].name, &(gelu_model_options){.order = &right});
        assert_true(ffn_error(model, cases[i].layer, &w) <= RIGHT);
        gelu_model_close(model);
        model = open_case(cases[i].name, &(gelu_model_options){.order = &wrong});
        double error = ffn_error(model, cases[i].layer, &w);
        if (!(error > 0.1)) fail_msg("%s with its halves swapped: error %g", cases[i].name, error);
        gelu_model_close(model);
        gelu_tensor_free(&w.all);
        gated++;
    }
    assert_true(gated >= 15);
}

/* Square matrices: only the numbers tell. */
static void swapped_orientation_fails(void **state) {
    (void)state;
    static const char *const squares[] = {"bert-square", "gpt2-square"};
    for (int i = 0; i < 2; i++)
        for (int swapped = 0; swapped < 2; swapped++) {
            struct wanted w;
            load_wanted(squares[i], &w);
            gelu_model *model = open_case(squares[i], NULL);
            const gelu_model_block *b = gelu_model_at(model, 1);
            assert_int_equal(b->layout, i == 0 ? GELU_OUT_IN : GELU_IN_OUT);
            const void *parts[4];
            const gelu_safetensors_tensor *tensors[] = {b->fc1.weight, b->fc1.bias, b->fc2.weight, b->fc2.bias};
            for (int t = 0; t < 4; t++)
                assert_int_equal(
                    gelu_safetensors_view(gelu_model_checkpoint(model), tensors[t], GELU_F32, &parts[t], NULL),
                    GELU_OK);
            gelu_layout layout = swapped == (b->layout == GELU_OUT_IN) ? GELU_IN_OUT : GELU_OUT_IN;
            const gelu_ffn_desc desc = {.d_model = b->d_model,
                                        .d_ff = b->d_ff,
                                        .act = b->act,
                                        .fc1 = {GELU_F32, layout, parts[0], 0, parts[1]},
                                        .fc2 = {GELU_F32, layout, parts[2], 0, parts[3]}};
            gelu_ffn *ffn;
            float y[MAX_ELEMENTS];
            assert_int_equal(gelu_ffn_create(&desc, &ffn), GELU_OK);
            assert_int_equal(gelu_ffn_forward(ffn, w.rows, GELU_F32, w.x, w.d, NULL, GELU_F32, y, w.d, NULL), GELU_OK);
            double error = relative_error(w.n, y, w.ffn);
            if (swapped ? !(error > 0.1) : !(error <= RIGHT)) fail_msg("%s: error %g", squares[i], error);
            gelu_ffn_free(ffn);
            gelu_model_close(model);
            gelu_tensor_free(&w.all);
        }
}

static void layers_that_share(void **state) {
    (void)state;
    gelu_model *model = open_case("albert", NULL);
    for (size_t i = 0; i < 12; i++) {
        const gelu_model_block *block = gelu_model_at(model, i);
        assert_int_equal(block->same_as, i < 6 ? 0 : 6);
        assert_string_equal(block->name, i < 6 ? "albert.encoder.albert_layer_groups.0.albert_layers.0"
                                               : "albert.encoder.albert_layer_groups.1.albert_layers.0");
    }
    assert_null(gelu_model_at(model, 12));
    gelu_model_close(model);
}

static void towers_of_their_own(void **state) {
    (void)state;
    gelu_model *model = open_case("clip", NULL);
    assert_string_equal(gelu_model_at(model, 0)->name, "text_model.encoder.layers.0");
    assert_int_equal(gelu_model_at(model, 0)->act, GELU_ERF);
    assert_string_equal(gelu_model_at(model, 2)->name, "vision_model.encoder.layers.0");
    assert_int_equal(gelu_model_at(model, 2)->act, GELU_QUICK);
    gelu_model_close(model);
}

static void beliefs_are_corrected(void **state) {
    (void)state;
    static const char *const wrong[] = {"llama", "llama-meta", "qwen", "qwen2", "qwen3", "chatglm2", "glm4", "phi3"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        gelu_model *model = open_case(wrong[i], NULL);
        assert_non_null(strstr(gelu_model_remark(model), "SwiGLU"));
        gelu_model_close(model);
    }
    gelu_model *model = open_case("bert", NULL);
    assert_null(gelu_model_remark(model));
    gelu_model_close(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_case),
                                       cmocka_unit_test(every_family_has_a_case),
                                       cmocka_unit_test(another_activation_fails),
                                       cmocka_unit_test(swapped_halves_fail),
                                       cmocka_unit_test(swapped_orientation_fails),
                                       cmocka_unit_test(layers_that_share),
                                       cmocka_unit_test(towers_of_their_own),
                                       cmocka_unit_test(beliefs_are_corrected)};
    return cmocka_run_group_tests(tests, load_cases, free_cases);
}
