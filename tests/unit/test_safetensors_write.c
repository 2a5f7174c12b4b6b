/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "unit/files.h"
#include "unit/folder.h"
#include "unit/st_bytes.h"

static const size_t two[] = {2}, matrix[] = {3, 2}, none[] = {4, 0};
static const gelu_safetensors_tensor various[] = {
    {.name = "half", .dtype = GELU_F16, .ndim = 1, .shape = two},
    {.name = "\xe5\x90\x8d\"\\\n", .dtype = GELU_F32, .ndim = 2, .shape = matrix},
    {.name = "scalar", .dtype = GELU_F64},
    {.name = "empty", .dtype = GELU_BF16, .ndim = 2, .shape = none},
    {.name = "bytes", .type = "I8", .ndim = 1, .shape = two},
    {.name = "fours", .type = "F4", .ndim = 2, .shape = matrix},
    {.name = "new", .type = "NEW", .ndim = 1, .shape = two, .nbytes = 3},
    {.name = "more", .dtype = GELU_F32, .ndim = 1, .shape = two},
};
enum { VARIOUS = sizeof various / sizeof various[0] };
static const size_t nbytes_of[VARIOUS] = {4, 24, 8, 0, 2, 3, 3, 8};
static const gelu_safetensors_pair pairs[] = {{"gelu.activation", "erf"}, {"", "\xc3\xa4\"\n"}};

static void what_is_written_is_read_again(void **state) {
    (void)state;
    const char *path = in_folder("w.safetensors");
    uint8_t bytes[VARIOUS][24], got[24];
    const void *data[VARIOUS];
    gelu_safetensors *st;
    gelu_error err;
    for (size_t i = 0; i < VARIOUS; i++) {
        for (size_t j = 0; j < 24; j++) bytes[i][j] = (uint8_t)(i * 31 + j * 7);
        data[i] = nbytes_of[i] ? bytes[i] : NULL;
    }
    if (gelu_safetensors_write(path, VARIOUS, various, data, 2, pairs, &err)) fail_msg("%s", err.message);
    assert_int_equal(files_in_folder(), 1);
    if (gelu_safetensors_open(path, NULL, &st, &err)) fail_msg("%s", err.message);
    assert_int_equal(gelu_safetensors_count(st), VARIOUS);
    assert_string_equal(gelu_safetensors_metadata(st, 0, "gelu.activation"), "erf");
    assert_string_equal(gelu_safetensors_metadata(st, 0, ""), "\xc3\xa4\"\n");
    assert_null(gelu_safetensors_metadata_at(st, 0, 2, NULL));
    for (size_t i = 0; i < VARIOUS; i++) {
        const gelu_safetensors_tensor *t = gelu_safetensors_find(st, various[i].name);
        assert_non_null(t);
        assert_int_equal(t->dtype, various[i].dtype);
        if (various[i].type) assert_string_equal(t->type, various[i].type);
        assert_int_equal(t->ndim, various[i].ndim);
        for (size_t d = 0; d < t->ndim; d++) assert_int_equal(t->shape[d], various[i].shape[d]);
        assert_int_equal(t->nbytes, nbytes_of[i]);
        assert_int_equal(gelu_safetensors_read_bytes(st, t, 0, t->nbytes, got, &err), GELU_OK);
        if (t->nbytes) assert_memory_equal(got, bytes[i], t->nbytes);
        /* Every element lies aligned in the file, and the first tensor at a multiple of 64. */
        if (t->dtype) assert_int_equal(t->offset % gelu_dtype_nbytes(t->dtype), 0);
        if (t == gelu_safetensors_at(st, 0)) assert_int_equal(t->offset % 64, 0);
    }
    /* Elements of one size keep their order. */
    assert_true(gelu_safetensors_find(st, "more")->offset > gelu_safetensors_find(st, various[1].name)->offset);
    gelu_safetensors_close(st);
    unlink(path);
}

/* Every good file of the reader's tests, written again: the same tensors with the same bytes. */
static void good_files_survive_a_round_trip(void **state) {
    (void)state;
    static const char *const names[] = {"ok_f32",    "ok_odd_header",    "ok_zero_sized",
                                        "ok_scalar", "ok_f16_subnormal", "ok_bf16_metadata"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        char from[1024];
        gelu_safetensors *a, *b;
        gelu_error err;
        const void *data[8];
        gelu_safetensors_tensor list[8];
        const char *path = in_folder("again.safetensors");
        snprintf(from, sizeof from, "%s%s.safetensors", FILES, names[k]);
        assert_int_equal(gelu_safetensors_open(from, NULL, &a, &err), GELU_OK);
        size_t count = gelu_safetensors_count(a);
        for (size_t i = 0; i < count; i++) {
            list[i] = *gelu_safetensors_at(a, i);
            assert_int_equal(gelu_safetensors_view(a, gelu_safetensors_at(a, i), 0, &data[i], &err), GELU_OK);
        }
        gelu_safetensors_pair pair = {"format", gelu_safetensors_metadata(a, 0, "format")};
        assert_int_equal(gelu_safetensors_write(path, count, list, data, pair.value ? 1 : 0, &pair, &err), GELU_OK);
        assert_int_equal(gelu_safetensors_open(path, NULL, &b, &err), GELU_OK);
        assert_int_equal(gelu_safetensors_count(b), count);
        for (size_t i = 0; i < count; i++) {
            const gelu_safetensors_tensor *x = gelu_safetensors_at(a, i), *y = gelu_safetensors_at(b, i);
            const void *view;
            assert_string_equal(x->name, y->name);
            assert_string_equal(x->type, y->type);
            assert_int_equal(x->count, y->count);
            assert_int_equal(gelu_safetensors_view(b, y, x->dtype, &view, &err), GELU_OK);
            if (x->nbytes) assert_memory_equal(view, data[i], x->nbytes);
        }
        gelu_safetensors_close(a);
        gelu_safetensors_close(b);
        unlink(path);
    }
}

static void nothing_at_all_is_a_file_too(void **state) {
    (void)state;
    const char *path = in_folder("empty.safetensors");
    gelu_safetensors *st;
    assert_int_equal(gelu_safetensors_write(path, 0, NULL, NULL, 0, NULL, NULL), GELU_OK);
    assert_int_equal(gelu_safetensors_open(path, NULL, &st, NULL), GELU_OK);
    assert_int_equal(gelu_safetensors_count(st), 0);
    gelu_safetensors_close(st);
    unlink(path);
}

static void pieces_come_in_the_order_of_the_file(void **state) {
    (void)state;
    static const uint8_t bytes[24];
    const char *path = in_folder("pieces.safetensors");
    gelu_safetensors_writer *writer;
    gelu_error err;
    write_text(path, "as it was");
    assert_int_equal(gelu_safetensors_writer_open(path, VARIOUS, various, 0, NULL, &writer, &err), GELU_OK);
    assert_int_equal(gelu_safetensors_writer_next(writer), 2); /* the scalar of 8 bytes */
    assert_non_null(strstr(gelu_safetensors_writer_temporary(writer), "pieces"));
    assert_int_equal(gelu_safetensors_writer_write(writer, 9, bytes, &err), GELU_ERR_SHAPE);
    assert_int_equal(gelu_safetensors_writer_write(writer, 8, NULL, &err), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_safetensors_writer_write(writer, 5, bytes, &err), GELU_OK);
    assert_int_equal(gelu_safetensors_writer_next(writer), 2);
    assert_int_equal(gelu_safetensors_writer_write(writer, 3, bytes, &err), GELU_OK);
    assert_int_equal(gelu_safetensors_writer_next(writer), 1);
    assert_int_equal(files_in_folder(), 2);
    assert_int_equal(gelu_safetensors_writer_commit(writer, &err), GELU_ERR_SHAPE);
    assert_non_null(strstr(err.message, "incomplete"));
    assert_int_equal(files_in_folder(), 1);
    assert_int_equal(gelu_safetensors_writer_open(path, VARIOUS, various, 0, NULL, &writer, &err), GELU_OK);
    gelu_safetensors_writer_abort(writer);
    assert_int_equal(files_in_folder(), 1);
    char text[16] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_string_equal(text, "as it was");
    unlink(path);
    gelu_safetensors_writer_abort(NULL);
    assert_null(gelu_safetensors_writer_temporary(NULL));
    assert_int_equal(gelu_safetensors_writer_next(NULL), SIZE_MAX);
    assert_int_equal(gelu_safetensors_writer_write(NULL, 0, NULL, &err), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_safetensors_writer_commit(NULL, &err), GELU_ERR_ARGUMENT);
}

static void what_cannot_be_written_is_refused(void **state) {
    (void)state;
    static const size_t huge[] = {SIZE_MAX, 2}, half[] = {PTRDIFF_MAX / 4}, odd[] = {3}, many[65];
    static const struct {
        gelu_safetensors_tensor tensors[3];
        size_t count;
        gelu_status status;
    } cases[] = {
        {{{.name = "a", .dtype = GELU_F32}, {.name = "a", .dtype = GELU_F64}}, 2, GELU_ERR_DUPLICATE},
        {{{.name = "__metadata__", .dtype = GELU_F32}}, 1, GELU_ERR_NAME},
        {{{.dtype = GELU_F32}}, 1, GELU_ERR_NAME},
        {{{.name = "\xff", .dtype = GELU_F32}}, 1, GELU_ERR_NAME},
        {{{.name = "a"}}, 1, GELU_ERR_DTYPE},
        {{{.name = "a", .dtype = (gelu_dtype)9}}, 1, GELU_ERR_DTYPE},
        {{{.name = "a", .dtype = GELU_F32, .ndim = 1}}, 1, GELU_ERR_ARGUMENT},
        {{{.name = "a", .dtype = GELU_F32, .ndim = 65, .shape = many}}, 1, GELU_ERR_SHAPE},
        {{{.name = "a", .dtype = GELU_F32, .ndim = 2, .shape = huge}}, 1, GELU_ERR_OVERFLOW},
        {{{.name = "a", .type = "NEW", .nbytes = SIZE_MAX}}, 1, GELU_ERR_OVERFLOW},
        {{{.name = "a", .type = "F4", .ndim = 1, .shape = odd}}, 1, GELU_ERR_SIZE_MISMATCH},
        {{{.name = "a", .dtype = GELU_F32, .ndim = 1, .shape = half},
          {.name = "b", .dtype = GELU_F32, .ndim = 1, .shape = half},
          {.name = "c", .dtype = GELU_F32, .ndim = 1, .shape = half}},
         3,
         GELU_ERR_OVERFLOW},
    };
    gelu_safetensors_writer *writer;
    gelu_error err;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gelu_status status = gelu_safetensors_writer_open(in_folder("no.safetensors"), cases[i].count, cases[i].tensors,
                                                          0, NULL, &writer, &err);
        if (status != cases[i].status) fail_msg("case %zu: %s", i, err.message);
        assert_null(writer);
        assert_non_null(strstr(err.message, "no.safetensors"));
    }
    static const gelu_safetensors_pair twice[] = {{"k", "1"}, {"k", "2"}}, bad[] = {{"k", "\xff"}},
                                       half_pair[] = {{"k", NULL}};
    const char *path = in_folder("no.safetensors");
    assert_int_equal(gelu_safetensors_write(path, 0, NULL, NULL, 2, twice, &err), GELU_ERR_DUPLICATE);
    assert_int_equal(gelu_safetensors_write(path, 0, NULL, NULL, 1, bad, &err), GELU_ERR_NAME);
    assert_int_equal(gelu_safetensors_write(path, 0, NULL, NULL, 1, half_pair, &err), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_safetensors_write(path, 1, NULL, NULL, 0, NULL, &err), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_safetensors_write(NULL, 0, NULL, NULL, 0, NULL, &err), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_safetensors_write(folder, 0, NULL, NULL, 0, NULL, &err), GELU_ERR_IO);
    assert_int_equal(gelu_safetensors_write("/nowhere/x", 0, NULL, NULL, 0, NULL, &err), GELU_ERR_IO);
    assert_int_equal(files_in_folder(), 0);
}

static void a_full_disk_is_reported(void **state) {
    (void)state;
    static const float values[2] = {1, 2};
    const gelu_safetensors_tensor t = {.name = "a", .dtype = GELU_F32, .ndim = 1, .shape = two};
    const void *data[] = {values};
    gelu_error err;
    if (access("/dev/full", W_OK) != 0) {
        print_message("skipped: no /dev/full\n");
        return;
    }
    assert_int_equal(gelu_safetensors_write("/dev/full", 1, &t, data, 0, NULL, &err), GELU_ERR_IO);
    assert_non_null(strstr(err.message, "No space left"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_again),     cmocka_unit_test(good_files_survive_a_round_trip),
        cmocka_unit_test(nothing_at_all_is_a_file_too),      cmocka_unit_test(pieces_come_in_the_order_of_the_file),
        cmocka_unit_test(what_cannot_be_written_is_refused), cmocka_unit_test(a_full_disk_is_reported),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
