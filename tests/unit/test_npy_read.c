/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "unit/files.h"
#include "unit/npy_bytes.h"

static gelu_status read_whole(const char *path, gelu_error *err) {
    gelu_tensor tensor;
    gelu_status status = gelu_npy_read(path, NULL, &tensor, err);
    gelu_tensor_free(&tensor);
    return status;
}

static void files_are_judged_as_expected(void **state) {
    (void)state;
    assert_int_equal(check_expected_files(".npy", read_whole), 12);
}

static void message_of(const char *file, gelu_error *err) {
    char path[1024];
    gelu_tensor tensor;
    snprintf(path, sizeof path, "%s%s", FILES, file);
    assert_int_not_equal(gelu_npy_read(path, NULL, &tensor, err), GELU_OK);
    assert_null(tensor.data);
}

static void messages_name_place_and_reason(void **state) {
    (void)state;
    gelu_error err;
    message_of("bad_truncated.npy", &err);
    assert_non_null(strstr(err.message, "23 bytes and should have 24"));
    assert_int_equal(err.offset, 151);
    message_of("bad_object.npy", &err);
    assert_non_null(strstr(err.message, "object (pickled Python)"));
    message_of("bad_shape_overflow.npy", &err);
    assert_non_null(strstr(err.message, "size overflow"));
    assert_int_equal(err.offset, 60);
    message_of("absent.npy", &err);
    assert_int_equal(err.status, GELU_ERR_IO);
    assert_non_null(strstr(err.message, "No such file or directory"));
}

static void values_arrive(void **state) {
    (void)state;
    static const char *const six[] = {"ok_v1", "ok_v2", "ok_v3", "ok_fortran"};
    static const float expected[] = {1, 2, 3, 4, 5, 6};
    char path[1024];
    gelu_tensor t;
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s%s.npy", FILES, six[i]);
        assert_int_equal(gelu_npy_read(path, NULL, &t, NULL), GELU_OK);
        assert_int_equal(t.dtype, GELU_F32);
        assert_int_equal(t.ndim, 2);
        assert_int_equal(t.shape[0], 2);
        assert_int_equal(t.shape[1], 3);
        assert_memory_equal(t.data, expected, sizeof expected);
        gelu_tensor_free(&t);
        assert_null(t.data);
    }
    assert_int_equal(gelu_npy_read(FILES "ok_big_endian.npy", NULL, &t, NULL), GELU_OK);
    assert_int_equal(t.count, 3);
    assert_memory_equal(t.data, expected, 3 * sizeof(float));
    gelu_tensor_free(&t);
    assert_int_equal(gelu_npy_read(FILES "ok_scalar.npy", NULL, &t, NULL), GELU_OK);
    assert_int_equal(t.ndim, 0);
    assert_int_equal(t.count, 1);
    assert_int_equal(t.dtype, GELU_F64);
    gelu_tensor_free(&t);
    assert_int_equal(gelu_npy_read(FILES "ok_zero.npy", NULL, &t, NULL), GELU_OK);
    assert_int_equal(t.count, 0);
    assert_null(t.data);
    gelu_tensor_free(&t);
    gelu_tensor_free(NULL);
}

/* Only a file that already lies as memory would is lent without a copy. */
static void info_lends_only_native_data(void **state) {
    (void)state;
    gelu_npy *npy;
    assert_int_equal(gelu_npy_open(FILES "ok_v1.npy", NULL, &npy, NULL), GELU_OK);
    assert_non_null(gelu_npy_info(npy)->data);
    assert_true(((const float *)gelu_npy_info(npy)->data)[5] == 6);
    float part[2] = {0, 0};
    assert_int_equal(gelu_npy_read_range(npy, 4, 3, part), GELU_ERR_SHAPE);
    assert_int_equal(gelu_npy_read_range(npy, 7, 0, part), GELU_ERR_SHAPE);
    assert_int_equal(gelu_npy_read_range(npy, SIZE_MAX, 2, part), GELU_ERR_SHAPE);
    assert_int_equal(gelu_npy_read_range(npy, 0, 2, NULL), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_npy_read_range(npy, 6, 0, NULL), GELU_OK);
    assert_int_equal(gelu_npy_read_range(npy, 3, 2, part), GELU_OK);
    assert_true(part[0] == 4 && part[1] == 5);
    gelu_npy_close(npy);
    static const char *const copied[] = {FILES "ok_big_endian.npy", FILES "ok_fortran.npy"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(gelu_npy_open(copied[i], NULL, &npy, NULL), GELU_OK);
        assert_null(gelu_npy_info(npy)->data);
        gelu_npy_close(npy);
    }
    gelu_npy_close(NULL);
}

/* A Fortran array of this shape whose element (i0, i1, ...) holds its row-major index, read in every possible range. */
static void check_fortran(const char *header, size_t ndim, const size_t *shape, bool swapped) {
    size_t count = 1;
    for (size_t i = 0; i < ndim; i++) count *= shape[i];
    uint16_t *data = malloc(count * 2), *got = malloc(count * 2);
    for (size_t at = 0; at < count; at++) {
        size_t rest = at, place = 0, span = count;
        for (size_t axis = 0; axis < ndim; axis++) {
            span /= shape[axis];
            place += rest % shape[axis] * span;
            rest /= shape[axis];
        }
        data[at] = swapped ? (uint16_t)(place << 8 | place >> 8) : (uint16_t)place;
    }
    struct npy_bytes made = npy_make(1, header, data, count * 2);
    gelu_npy *npy;
    assert_int_equal(gelu_npy_open_memory("fortran", made.bytes, made.nbytes, NULL, &npy, NULL), GELU_OK);
    assert_null(gelu_npy_info(npy)->data);
    for (size_t first = 0; first<count; first += count> 300 ? 17 : 1)
        for (size_t n = 0; first + n <= count; n += count > 300 ? 23 : 1) {
            assert_int_equal(gelu_npy_read_range(npy, first, n, got), GELU_OK);
            for (size_t i = 0; i < n; i++) assert_int_equal(got[i], first + i);
        }
    gelu_npy_close(npy);
    free(made.bytes);
    free(data);
    free(got);
}

static void fortran_order_is_undone(void **state) {
    (void)state;
    check_fortran("{'descr': '<f2', 'fortran_order': True, 'shape': (3, 4, 5)}", 3, (size_t[]){3, 4, 5}, false);
    check_fortran("{'descr': '>f2', 'fortran_order': True, 'shape': (3, 4, 5)}", 3, (size_t[]){3, 4, 5}, true);
    check_fortran("{'descr': '<f2', 'fortran_order': True, 'shape': (2, 1, 3, 2)}", 4, (size_t[]){2, 1, 3, 2}, false);
    check_fortran("{'descr': '<f2', 'fortran_order': True, 'shape': (71, 13)}", 2, (size_t[]){71, 13}, false);
}

static void big_endian_is_swapped(void **state) {
    (void)state;
    static const uint8_t f2[] = {0x3c, 0x00, 0xc0, 0x01}, f8[] = {0x3f, 0xf8, 0, 0, 0, 0, 0, 0x01};
    struct npy_bytes made = npy_make(1, "{'descr': '>f2', 'fortran_order': False, 'shape': (2,)}", f2, sizeof f2);
    gelu_npy *npy;
    uint16_t half[2];
    uint64_t bits;
    assert_int_equal(gelu_npy_open_memory("f2", made.bytes, made.nbytes, NULL, &npy, NULL), GELU_OK);
    assert_int_equal(gelu_npy_read_range(npy, 0, 2, half), GELU_OK);
    assert_int_equal(half[0], 0x3c00);
    assert_int_equal(half[1], 0xc001);
    gelu_npy_close(npy);
    free(made.bytes);
    made = npy_make(3, "{'descr': '>f8', 'fortran_order': False, 'shape': ()}", f8, sizeof f8);
    assert_int_equal(gelu_npy_open_memory("f8", made.bytes, made.nbytes, NULL, &npy, NULL), GELU_OK);
    assert_int_equal(gelu_npy_read_range(npy, 0, 1, &bits), GELU_OK);
    assert_true(bits == 0x3ff8000000000001u);
    gelu_npy_close(npy);
    free(made.bytes);
}

static void bf16_is_read_only_on_request(void **state) {
    (void)state;
    static const uint16_t values[] = {0x3f80, 0xbd3a};
    const gelu_npy_options bf16 = {.v2_is_bf16 = 1};
    static const struct {
        const char *descr;
        gelu_status asked;
    } cases[] = {{"<V2", GELU_OK}, {"|V2", GELU_OK}, {">V2", GELU_ERR_DTYPE}, {"|V4", GELU_ERR_DTYPE}};
    for (size_t i = 0; i < 4; i++) {
        char header[128];
        gelu_npy *npy;
        gelu_error err;
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (2,)}", cases[i].descr);
        struct npy_bytes made = npy_make(1, header, values, sizeof values);
        assert_int_equal(gelu_npy_open_memory("V2", made.bytes, made.nbytes, NULL, &npy, &err), GELU_ERR_DTYPE);
        assert_non_null(strstr(err.message, "raw"));
        assert_int_equal(gelu_npy_open_memory("V2", made.bytes, made.nbytes, &bf16, &npy, NULL), cases[i].asked);
        if (npy) {
            uint16_t got[2];
            assert_int_equal(gelu_npy_info(npy)->dtype, GELU_BF16);
            assert_int_equal(gelu_npy_read_range(npy, 0, 2, got), GELU_OK);
            assert_memory_equal(got, values, sizeof values);
        }
        gelu_npy_close(npy);
        free(made.bytes);
    }
}

/* Of each type the smallest, the largest and some between, in both orders of bytes and of axes. */
static void whole_numbers_are_read_on_request(void **state) {
    (void)state;
    static const gelu_npy_options asked = {.whole_numbers = 1};
    static const struct {
        const char *descr;
        unsigned size;
        double values[6]; /* exact, or what f64 makes of them */
        uint64_t bits[6];
    } cases[] = {
        {"b1", 1, {0, 1, 1, 0, 1, 0}, {0, 1, 255, 0, 2, 0}},
        {"i1", 1, {0, 1, 127, -128, -1, 5}, {0, 1, 127, 0x80, 0xff, 5}},
        {"u1", 1, {0, 1, 127, 128, 255, 5}, {0, 1, 127, 128, 255, 5}},
        {"i2", 2, {0, 1, 32767, -32768, -1, 258}, {0, 1, 0x7fff, 0x8000, 0xffff, 258}},
        {"u2", 2, {0, 1, 32767, 32768, 65535, 258}, {0, 1, 0x7fff, 0x8000, 0xffff, 258}},
        {"i4", 4, {0, 1, 0x1p31 - 1, -0x1p31, -1, 258}, {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 258}},
        {"u4", 4, {0, 1, 0x1p31 - 1, 0x1p31, 0x1p32 - 1, 258}, {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 258}},
        {"i8",
         8,
         {0, 0x1p53 - 1, 0x1p63, -0x1p63, -1, 258},
         {0, 0x1fffffffffffff, INT64_MAX, 0x8000000000000000, UINT64_MAX, 258}},
        {"u8",
         8,
         {0, 0x1p53 - 1, 0x1p63, 0x1p63, 0x1p64, 258},
         {0, 0x1fffffffffffff, INT64_MAX, 0x8000000000000000, UINT64_MAX, 258}},
    };
    static const size_t transposed[] = {0, 3, 1, 4, 2, 5}; /* of (2, 3) */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int form = 0; form < 4; form++) {
            bool swapped = form & 1, fortran = form & 2;
            uint8_t bytes[6 * 8];
            char header[128];
            for (size_t k = 0; k < 6; k++)
                for (unsigned b = 0; b < cases[i].size; b++)
                    bytes[k * cases[i].size + (swapped ? cases[i].size - 1 - b : b)] =
                        (uint8_t)(cases[i].bits[fortran ? transposed[k] : k] >> 8 * b);
            snprintf(header, sizeof header, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (2, 3)}",
                     swapped ? '>' : '<', cases[i].descr, fortran ? "True" : "False");
            struct npy_bytes made = npy_make(1, header, bytes, 6 * cases[i].size);
            gelu_npy *npy;
            double got[6];
            assert_int_equal(gelu_npy_open_memory("whole", made.bytes, made.nbytes, NULL, &npy, NULL), GELU_ERR_DTYPE);
            assert_int_equal(gelu_npy_open_memory("whole", made.bytes, made.nbytes, &asked, &npy, NULL), GELU_OK);
            assert_int_equal(gelu_npy_info(npy)->dtype, GELU_F64);
            assert_null(gelu_npy_info(npy)->data);
            assert_int_equal(gelu_npy_is_u8(npy), !strcmp(cases[i].descr, "u1"));
            for (size_t first = 0; first < 6; first++) {
                assert_int_equal(gelu_npy_read_range(npy, first, 6 - first, got), GELU_OK);
                assert_memory_equal(got, cases[i].values + first, (6 - first) * sizeof *got);
            }
            gelu_npy_close(npy);
            made.nbytes--;
            assert_int_equal(gelu_npy_open_memory("whole", made.bytes, made.nbytes, &asked, &npy, NULL),
                             GELU_ERR_TRUNCATED);
            free(made.bytes);
        }
    gelu_error err;
    gelu_npy *npy;
    struct npy_bytes made = npy_make(1, "{'descr': '<c8', 'fortran_order': False, 'shape': (0,)}", NULL, 0);
    assert_int_equal(gelu_npy_open_memory("complex", made.bytes, made.nbytes, &asked, &npy, &err), GELU_ERR_DTYPE);
    assert_non_null(strstr(err.message, "complex64 ('<c8'), not f2, f4 or f8, bool or an integer"));
    free(made.bytes);
    assert_int_equal(gelu_npy_is_u8(NULL), 0);
}

static void check_refused(const char *path, const char *reason) {
    gelu_npy *npy;
    gelu_error err;
    gelu_status status = gelu_npy_open(path, NULL, &npy, &err);
    assert_int_equal(status, strstr(reason, "empty") ? GELU_ERR_TRUNCATED : GELU_ERR_IO);
    assert_null(npy);
    assert_non_null(strstr(err.message, reason));
    assert_non_null(strstr(err.message, path));
}

static void things_that_are_no_files(void **state) {
    (void)state;
    char folder[] = "/tmp/gelu-npy-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    check_refused(folder, "a directory");
    check_refused("/dev/null", "a device");
    snprintf(path, sizeof path, "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    check_refused(path, "a pipe");
    unlink(path);
    snprintf(path, sizeof path, "%s/empty", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
    check_refused(path, "the file is empty");
    unlink(path);
    rmdir(folder);
    gelu_npy *npy;
    assert_int_equal(gelu_npy_open(NULL, NULL, &npy, NULL), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_npy_open("x", NULL, NULL, NULL), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_npy_open_memory("x", NULL, 1, NULL, &npy, NULL), GELU_ERR_ARGUMENT);
}

/* A message is one line of bounded length, whatever the name. */
static void messages_survive_any_name(void **state) {
    (void)state;
    char name[2000];
    gelu_npy *npy;
    gelu_error err;
    memset(name, '\n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_int_equal(gelu_npy_open_memory(name, "hello", 5, NULL, &npy, &err), GELU_ERR_MAGIC);
    assert_null(strchr(err.message, '\n'));
    assert_non_null(strstr(err.message, "bad magic"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_judged_as_expected),
        cmocka_unit_test(messages_name_place_and_reason),
        cmocka_unit_test(values_arrive),
        cmocka_unit_test(info_lends_only_native_data),
        cmocka_unit_test(fortran_order_is_undone),
        cmocka_unit_test(big_endian_is_swapped),
        cmocka_unit_test(bf16_is_read_only_on_request),
        cmocka_unit_test(whole_numbers_are_read_on_request),
        cmocka_unit_test(things_that_are_no_files),
        cmocka_unit_test(messages_survive_any_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
