/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "unit/files.h"
#include "unit/st_bytes.h"

static gelu_status open_and_close(const char *path, gelu_error *err) {
    gelu_safetensors *st;
    gelu_status status = gelu_safetensors_open(path, NULL, &st, err);
    assert_true((status == GELU_OK) == (st != NULL));
    gelu_safetensors_close(st);
    return status;
}

static void files_are_judged_as_expected(void **state) {
    (void)state;
    assert_int_equal(check_expected_files(".safetensors", open_and_close), 18);
    gelu_error err;
    assert_int_equal(open_and_close(FILES "bad_duplicate_name.safetensors", &err), GELU_ERR_DUPLICATE);
    assert_non_null(strstr(err.message, "tensor 'a'"));
    assert_int_equal(open_and_close(FILES "ok_v1.npy", &err), GELU_ERR_MAGIC);
    assert_non_null(strstr(err.message, ".npy"));
}

static gelu_safetensors *open_case(const char *file) {
    char path[1024];
    gelu_safetensors *st;
    gelu_error err;
    snprintf(path, sizeof path, "%s%s", FILES, file);
    if (gelu_safetensors_open(path, NULL, &st, &err)) fail_msg("%s", err.message);
    return st;
}

static void values_arrive(void **state) {
    (void)state;
    static const char *const six[] = {"ok_f32.safetensors", "ok_odd_header.safetensors"};
    for (size_t i = 0; i < 2; i++) {
        gelu_safetensors *st = open_case(six[i]);
        const gelu_safetensors_tensor *a = gelu_safetensors_find(st, "a");
        const void *view, *again;
        assert_int_equal(gelu_safetensors_count(st), 1);
        assert_ptr_equal(gelu_safetensors_at(st, 0), a);
        assert_int_equal(a->dtype, GELU_F32);
        assert_string_equal(a->type, "F32");
        assert_int_equal(a->ndim, 2);
        assert_int_equal(a->shape[0], 2);
        assert_int_equal(a->shape[1], 3);
        assert_int_equal(gelu_safetensors_view(st, a, GELU_F32, &view, NULL), GELU_OK);
        assert_int_equal((uintptr_t)view % sizeof(float), 0);
        for (int j = 0; j < 6; j++) assert_true(((const float *)view)[j] == (float)(j + 1));
        assert_int_equal(gelu_safetensors_view(st, a, 0, &again, NULL), GELU_OK);
        assert_ptr_equal(view, again);
        gelu_safetensors_close(st);
    }
    gelu_safetensors *st = open_case("ok_scalar.safetensors");
    float seven;
    assert_int_equal(gelu_safetensors_at(st, 0)->ndim, 0);
    assert_int_equal(gelu_safetensors_at(st, 0)->count, 1);
    assert_int_equal(gelu_safetensors_read(st, gelu_safetensors_at(st, 0), 0, 1, GELU_F32, &seven, NULL), GELU_OK);
    assert_true(seven == 7);
    gelu_safetensors_close(st);
}

static void types_are_widened(void **state) {
    (void)state;
    float f[2];
    double d[2];
    uint16_t half[2];
    gelu_safetensors *st = open_case("ok_f16_subnormal.safetensors");
    const gelu_safetensors_tensor *t = gelu_safetensors_at(st, 0);
    assert_int_equal(gelu_safetensors_read(st, t, 0, 2, GELU_F32, f, NULL), GELU_OK);
    assert_true(f[0] == 0x1p-24f && f[1] == 0x1.ff8p-15f); /* 5.96046448e-08 and 6.09755516e-05 */
    assert_int_equal(gelu_safetensors_read(st, t, 1, 1, GELU_F64, d, NULL), GELU_OK);
    assert_true(d[0] == 0x1.ff8p-15);
    assert_int_equal(gelu_safetensors_read(st, t, 0, 2, GELU_F16, half, NULL), GELU_OK);
    assert_true(half[0] == 0x0001 && half[1] == 0x03ff);
    gelu_safetensors_close(st);
    st = open_case("ok_bf16_metadata.safetensors");
    t = gelu_safetensors_find(st, "b");
    assert_int_equal(gelu_safetensors_read(st, t, 0, 2, GELU_F32, f, NULL), GELU_OK);
    assert_true(f[0] == 1.0f && f[1] == -0x1.74p-5f); /* -0.0454102 */
    assert_string_equal(gelu_safetensors_metadata(st, 0, "format"), "pt");
    assert_null(gelu_safetensors_metadata(st, 0, "forma"));
    assert_null(gelu_safetensors_metadata(st, 1, "format"));
    const char *value;
    assert_string_equal(gelu_safetensors_metadata_at(st, 0, 0, &value), "format");
    assert_string_equal(value, "pt");
    assert_null(gelu_safetensors_metadata_at(st, 0, 1, &value));
    gelu_safetensors_close(st);
}

static void empty_tensors_are_listed_in_order(void **state) {
    (void)state;
    static const char *const names[] = {"z", "a", "e"};
    gelu_safetensors *st = open_case("ok_zero_sized.safetensors");
    const void *view = "";
    assert_int_equal(gelu_safetensors_count(st), 3);
    for (size_t i = 0; i < 3; i++) assert_string_equal(gelu_safetensors_at(st, i)->name, names[i]);
    assert_null(gelu_safetensors_at(st, 3));
    assert_null(gelu_safetensors_find(st, "b"));
    assert_int_equal(gelu_safetensors_find(st, "z")->count, 0);
    assert_int_equal(gelu_safetensors_view(st, gelu_safetensors_at(st, 0), GELU_F32, &view, NULL), GELU_OK);
    assert_null(view);
    assert_int_equal(gelu_safetensors_read(st, gelu_safetensors_at(st, 0), 0, 0, GELU_F32, NULL, NULL), GELU_OK);
    gelu_safetensors_close(st);
}

#define ENTRY(name, type, shape, offsets)                                                                              \
    "\"" name "\":{\"dtype\":\"" type "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"
#define MIXED                                                                                                          \
    "{" ENTRY("i", "I32", "[2]", "[0,8]") "," ENTRY("f8", "F8_E4M3", "[4]", "[8,12]") "," ENTRY(                       \
        "n", "NEW", "[2]", "[12,17]") "," ENTRY("b", "BOOL", "[1]", "[17,18]") "," ENTRY("f", "F32", "[1]",            \
                                                                                         "[18,22]") "}"

/* Types that libgelu does not compute with are listed; integers can be looked at, the rest only copied as bytes. */
static void only_known_types_are_read(void **state) {
    (void)state;
    struct st_bytes made = st_make(MIXED, NULL, 22);
    gelu_safetensors *st;
    gelu_error err;
    const void *view;
    float f[8];
    assert_int_equal(gelu_safetensors_open_memory("made", made.bytes, made.nbytes, &st, &err), GELU_OK);
    const gelu_safetensors_tensor *i = gelu_safetensors_find(st, "i");
    assert_int_equal(i->dtype, 0);
    assert_true(i->readable);
    assert_int_equal(gelu_safetensors_view(st, i, 0, &view, &err), GELU_OK);
    assert_true(((const uint32_t *)view)[1] == 0x07060504);
    assert_int_equal(gelu_safetensors_view(st, i, GELU_F32, &view, &err), GELU_ERR_DTYPE);
    assert_non_null(strstr(err.message, "tensor 'i': elements are I32, not f32"));
    assert_int_equal(err.offset, 9);
    assert_int_equal(gelu_safetensors_read(st, i, 0, 2, GELU_F32, f, &err), GELU_ERR_DTYPE);
    static const char *const listed[] = {"f8", "n", "b"};
    static const char *const types[] = {"F8_E4M3", "NEW", "BOOL"};
    for (size_t k = 0; k < 3; k++) {
        const gelu_safetensors_tensor *t = gelu_safetensors_find(st, listed[k]);
        uint8_t bytes[8];
        assert_string_equal(t->type, types[k]);
        assert_false(t->readable);
        assert_int_equal(gelu_safetensors_view(st, t, 0, &view, &err), GELU_ERR_DTYPE);
        assert_non_null(strstr(err.message, types[k]));
        assert_int_equal(gelu_safetensors_read(st, t, 0, 1, GELU_F32, f, &err), GELU_ERR_DTYPE);
        assert_int_equal(gelu_safetensors_read_bytes(st, t, 0, t->nbytes, bytes, &err), GELU_OK);
        assert_int_equal(bytes[0], t->offset - i->offset);
    }
    const gelu_safetensors_tensor *t = gelu_safetensors_find(st, "f");
    assert_int_equal(gelu_safetensors_view(st, t, GELU_F16, &view, &err), GELU_ERR_DTYPE);
    assert_int_equal(gelu_safetensors_view(st, t, GELU_F32, &view, &err), GELU_OK);
    assert_memory_equal(view, ((const uint8_t[]){18, 19, 20, 21}), 4);
    assert_int_equal(gelu_safetensors_read(st, t, 0, 1, (gelu_dtype)9, f, &err), GELU_ERR_DTYPE);
    assert_int_equal(gelu_safetensors_read(st, t, 0, 2, GELU_F32, f, &err), GELU_ERR_SHAPE);
    assert_int_equal(gelu_safetensors_read(st, t, SIZE_MAX, 2, GELU_F32, f, &err), GELU_ERR_SHAPE);
    assert_int_equal(gelu_safetensors_read_bytes(st, t, 3, 2, f, &err), GELU_ERR_SHAPE);
    assert_int_equal(gelu_safetensors_read_bytes(st, t, SIZE_MAX, 2, f, &err), GELU_ERR_SHAPE);
    assert_int_equal(gelu_safetensors_read(st, t, 0, 1, GELU_F32, NULL, &err), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_safetensors_read(st, NULL, 0, 1, GELU_F32, f, &err), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_safetensors_view(NULL, t, 0, &view, &err), GELU_ERR_ARGUMENT);
    gelu_safetensors_close(st);
    free(made.bytes);
}

/* More elements than one step converts, from every place on, in and out of every type. */
static void long_tensors_are_converted(void **state) {
    (void)state;
    enum { COUNT = 10000 };
    static const gelu_dtype types[] = {GELU_F64, GELU_F32, GELU_F16, GELU_BF16};
    static const char *const names[] = {"F64", "F32", "F16", "BF16"};
    static double source[COUNT], data[COUNT], want[COUNT], got[COUNT];
    for (size_t i = 0; i < COUNT; i++) source[i] = ((double)i - 5000) / 37;
    for (size_t from = 0; from < 4; from++) {
        size_t element = gelu_dtype_nbytes(types[from]);
        char header[128];
        gelu_safetensors *st;
        assert_int_equal(gelu_convert(COUNT, GELU_F64, source, types[from], data), GELU_OK);
        snprintf(header, sizeof header, "{\"t\":{\"dtype\":\"%s\",\"shape\":[%d],\"data_offsets\":[0,%zu]}}",
                 names[from], COUNT, COUNT * element);
        struct st_bytes made = st_make(header, data, COUNT * element);
        assert_int_equal(gelu_safetensors_open_memory("made", made.bytes, made.nbytes, &st, NULL), GELU_OK);
        for (size_t to = 0; to < 4; to++)
            for (size_t first = 0; first < COUNT; first += 3333) {
                const gelu_safetensors_tensor *t = gelu_safetensors_at(st, 0);
                size_t count = COUNT - first;
                gelu_convert(count, types[from], (const char *)data + first * element, types[to], want);
                assert_int_equal(gelu_safetensors_read(st, t, first, count, types[to], got, NULL), GELU_OK);
                assert_memory_equal(got, want, count * gelu_dtype_nbytes(types[to]));
            }
        gelu_safetensors_close(st);
        free(made.bytes);
    }
}

static void nothing_needs_a_checkpoint(void **state) {
    (void)state;
    gelu_safetensors *st;
    assert_int_equal(gelu_safetensors_open(NULL, NULL, &st, NULL), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_safetensors_open("x", NULL, NULL, NULL), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_safetensors_open_memory(NULL, NULL, 1, &st, NULL), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_safetensors_open_memory(NULL, NULL, 0, &st, NULL), GELU_ERR_TRUNCATED);
    assert_int_equal(gelu_safetensors_count(NULL), 0);
    assert_int_equal(gelu_safetensors_files(NULL), 0);
    assert_null(gelu_safetensors_at(NULL, 0));
    assert_null(gelu_safetensors_find(NULL, "x"));
    assert_null(gelu_safetensors_path(NULL, 0));
    gelu_safetensors_close(NULL);
}

static void the_locale_changes_nothing(void **state) {
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        print_message("skipped: no locale de_DE.UTF-8\n");
        return;
    }
    gelu_error err;
    files_are_judged_as_expected(NULL);
    assert_int_equal(open_and_close("/nowhere/absent.safetensors", &err), GELU_ERR_IO);
    assert_non_null(strstr(err.message, "No such file or directory"));
    setlocale(LC_ALL, "C");
}

/* The real checkpoint of a trained ALBERT, when it is at hand. */
static void a_real_checkpoint_is_read(void **state) {
    (void)state;
    const char *data = getenv("GELU_TEST_DATA");
    char path[1024];
    gelu_safetensors *st;
    gelu_error err;
    if (!data) {
        print_message("skipped: GELU_TEST_DATA names no folder with rxnmapper-albert\n");
        return;
    }
    snprintf(path, sizeof path, "%s/rxnmapper-albert", data);
    if (gelu_safetensors_open(path, NULL, &st, &err)) fail_msg("%s", err.message);
    assert_true(gelu_safetensors_count(st) > 4);
    size_t weights = 0;
    for (size_t i = 0; i < gelu_safetensors_count(st); i++) {
        const gelu_safetensors_tensor *t = gelu_safetensors_at(st, i);
        const void *view;
        assert_ptr_equal(gelu_safetensors_find(st, t->name), t);
        assert_int_equal(gelu_safetensors_view(st, t, GELU_F32, &view, &err), GELU_OK);
        if (strstr(t->name, ".ffn.weight")) weights += t->ndim == 2 && t->shape[0] == 512 && t->shape[1] == 256;
    }
    assert_int_equal(weights, 1);
    gelu_safetensors_close(st);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_judged_as_expected),
        cmocka_unit_test(values_arrive),
        cmocka_unit_test(types_are_widened),
        cmocka_unit_test(empty_tensors_are_listed_in_order),
        cmocka_unit_test(only_known_types_are_read),
        cmocka_unit_test(long_tensors_are_converted),
        cmocka_unit_test(nothing_needs_a_checkpoint),
        cmocka_unit_test(the_locale_changes_nothing),
        cmocka_unit_test(a_real_checkpoint_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
