/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Every row of the table of families, with every prefix that its tensors may have: a checkpoint of one block is found. */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "model/model.h"
#include "unit/folder.h"
#include "unit/st_bytes.h"

enum { D = 2, FF = 3 };

struct header {
    char text[4096];
    size_t used, data;
};

/* A tensor of zeros; cols 0: of one dimension. */
static void add(struct header *to, const char *prefix, const char *name, const char *end, size_t rows, size_t cols) {
    char shape[40];
    size_t nbytes = 4 * rows * (cols ? cols : 1);
    if (cols)
        snprintf(shape, sizeof shape, "%zu,%zu", rows, cols);
    else
        snprintf(shape, sizeof shape, "%zu", rows);
    int used = snprintf(to->text + to->used, sizeof to->text - to->used,
                        "%c\"%s%s%s\":{\"dtype\":\"F32\",\"shape\":[%s],\"data_offsets\":[%zu,%zu]}",
                        to->used ? ',' : '{', prefix, name, end, shape, to->data, to->data + nbytes);
    to->used += (size_t)used;
    to->data += nbytes;
    assert_true(to->used < sizeof to->text - 2);
}

static void add_matrix(struct header *to, const struct family *row, const char *prefix, const char *name,
                       size_t outputs, size_t inputs) {
    add(to, prefix, name, ".weight", row->in_out ? inputs : outputs, row->in_out ? outputs : inputs);
    if (row->biased) add(to, prefix, name, ".bias", outputs, 0);
}

static void write_block(const struct family *row, const char *prefix) {
    static struct header header;
    bool packed = row->gating == PACKED_GATE_FIRST || row->gating == PACKED_VALUE_FIRST;
    header.used = header.data = 0;
    for (int i = 0; i < 2 && row->in[i]; i++)
        add_matrix(&header, row, prefix, row->in[i], (packed ? 2 : 1) * FF + row->in_skip * D, D);
    add_matrix(&header, row, prefix, row->out, D, FF + row->out_skip * D);
    for (int i = 0; i < 2 && row->norms[i]; i++) add(&header, prefix, row->norms[i], ".weight", D, 0);
    bool there = row->with && row->with[0] != '!';
    bool twice = there && row->norms[0] && strncmp(row->with, row->norms[0], strlen(row->norms[0])) == 0;
    if (there && !twice) add(&header, prefix, row->with, "", 1, 0);
    header.text[header.used++] = '}';
    header.text[header.used] = '\0';
    float zeros[256] = {0};
    assert_true(header.data <= sizeof zeros);
    struct st_bytes made = st_make(header.text, zeros, header.data);
    write_bytes(in_folder("model.safetensors"), made.bytes, made.nbytes);
    free(made.bytes);
}

static void check_block(const struct family *row, const char *prefix) {
    gelu_act act = GELU_ERF;
    const gelu_model_options options = {.family = row->id, .act = &act};
    gelu_model *model;
    gelu_error err;
    char name[2 * MODEL_NAME];
    if (gelu_model_open(folder, &options, &model, &err) != GELU_OK)
        fail_msg("%s, %s: %s", row->id, prefix, err.message);
    const gelu_model_block *b = gelu_model_at(model, 0);
    assert_int_equal(gelu_model_count(model), 1);
    snprintf(name, sizeof name, "%s%s", prefix, row->part ? row->part : "");
    if (!row->part) name[strlen(name) - 1] = '\0';
    assert_string_equal(b->name, name);
    assert_string_equal(gelu_model_family(model), row->id);
    assert_int_equal(b->d_model, D);
    assert_int_equal(b->d_ff, FF);
    assert_int_equal(b->form, row->form);
    assert_int_equal(b->gated, row->gating != PLAIN);
    assert_true(row->norms[0] ? b->norm.weight != NULL : b->norm.weight == NULL);
    snprintf(name, sizeof name, "%s%s.weight", prefix, row->out);
    assert_string_equal(b->fc2.weight->name, name);
    gelu_model_close(model);
}

static void every_prefix_of_every_row(void **state) {
    (void)state;
    const struct numbers numbers = {4, {0}}; /* a model begins with its first layer */
    char pattern[MODEL_NAME], prefix[MODEL_NAME];
    size_t count = 0;
    for (size_t r = 0; r < gelu_family_count; r++)
        for (size_t p = 0; gelu_model_word(gelu_families[r].prefixes, '|', p, pattern); p++, count++) {
            assert_true(gelu_model_fill(pattern, &numbers, prefix));
            write_block(&gelu_families[r], prefix);
            check_block(&gelu_families[r], prefix);
        }
    print_message("%zu prefixes of %zu rows\n", count, gelu_family_count);
    assert_true(count > gelu_family_count);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_prefix_of_every_row)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder_with_files);
}
