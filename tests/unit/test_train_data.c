/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Samples from idx and .npy files, and what is said of bad ones. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
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

#include "train.h"

enum { TRAIN = 3, TEST = 2, HEIGHT = 2, WIDTH = 2, PIXELS = HEIGHT * WIDTH };

static const char images[] = "idx/train-images-idx3-ubyte", labels[] = "idx/train-labels-idx1-ubyte";
static const char test_images[] = "idx/t10k-images-idx3-ubyte", test_labels[] = "idx/t10k-labels-idx1-ubyte";

static void write_file(const char *path, const void *bytes, size_t nbytes) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, nbytes, file), nbytes);
    assert_int_equal(fclose(file), 0);
}

static void write_images(const char *path, unsigned char count, const unsigned char *pixels) {
    unsigned char bytes[16 + 8 * PIXELS] = {0, 0, 8, 3, 0, 0, 0, count, 0, 0, 0, HEIGHT, 0, 0, 0, WIDTH};
    memcpy(bytes + 16, pixels, count * PIXELS);
    write_file(path, bytes, 16 + count * PIXELS);
}

static void write_labels(const char *path, unsigned char count, const unsigned char *values) {
    unsigned char bytes[8 + 8] = {0, 0, 8, 1, 0, 0, 0, count};
    memcpy(bytes + 8, values, count);
    write_file(path, bytes, 8 + count);
}

static void write_good_idx(void) {
    static const unsigned char pixels[] = {0, 50, 100, 200, 1, 2, 3, 4, 200, 0, 0, 0};
    (void)!system("rm -rf idx");
    assert_int_equal(mkdir("idx", 0777), 0);
    write_images(images, TRAIN, pixels);
    write_labels(labels, TRAIN, (const unsigned char[]){2, 0, 1});
    write_images(test_images, TEST, pixels + 4);
    write_labels(test_labels, TEST, (const unsigned char[]){0, 2});
}

static void assert_good(const char *folder) {
    train_data data;
    gelu_error err;
    if (train_data_load(folder, &data, &err) != GELU_OK) fail_msg("%s", err.message);
    assert_string_equal(data.name, folder);
    assert_int_equal(data.train.count, TRAIN);
    assert_int_equal(data.test.count, TEST);
    assert_int_equal(data.train.features, PIXELS);
    assert_int_equal(data.train.classes, 3);
    assert_int_equal(data.test.classes, 3);
    assert_true(data.train.x[1] == 0.25f && data.train.x[3] == 1 && data.train.x[4] == 1 / 200.0f);
    assert_true(data.test.x[0] == 1 / 200.0f && data.test.x[4] == 1);
    assert_int_equal(data.train.label[0], 2);
    assert_int_equal(data.test.label[1], 2);
    train_data_free(&data);
    assert_null(data.train.x);
}

/* The message names the file, and the rest of what it must say. */
static void assert_bad(const char *folder, gelu_status status, const char *file, const char *reason) {
    train_data data;
    gelu_error err;
    gelu_status got = train_data_load(folder, &data, &err);
    if (got != status || err.status != status || !strstr(err.message, file) || !strstr(err.message, reason))
        fail_msg("%s: %s", gelu_status_string(got), err.message);
    assert_null(data.train.x);
    assert_null(data.test.label);
}

static void test_idx(void **state) {
    (void)state;
    write_good_idx();
    assert_good("idx");
}

static void test_bad_idx(void **state) {
    static const unsigned char three[] = {0, 0, 8, 3}, short_header[] = {0, 0, 8, 3, 0, 0};
    static const unsigned char floats[] = {0, 0, 13, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1};
    static const unsigned char huge[] = {0, 0, 8, 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    static const unsigned char none[] = {0, 0, 8, 3, 0, 0, 0, 0, 0, 0, 0, HEIGHT, 0, 0, 0, WIDTH};
    (void)state;
    write_good_idx();
    assert_int_equal(unlink(labels), 0);
    assert_bad("idx", GELU_ERR_MISSING, labels, "is not there, nor is it with .gz");
    assert_bad(images, GELU_ERR_IO, images, "is not a folder");
    write_good_idx();
    assert_int_equal(truncate(images, 16 + TRAIN * PIXELS - 1), 0);
    assert_bad("idx", GELU_ERR_TRUNCATED, images, "at byte 27: the file ends, but its dimensions take 28 bytes");
    write_good_idx();
    write_file(test_images, short_header, sizeof short_header);
    assert_bad("idx", GELU_ERR_TRUNCATED, test_images, "at byte 6");
    write_file(test_images, three, 2);
    assert_bad("idx", GELU_ERR_TRUNCATED, test_images, "at byte 2");
    write_good_idx();
    write_images(labels, TRAIN, (const unsigned char[TRAIN * PIXELS]){0});
    assert_bad("idx", GELU_ERR_MAGIC, labels, "at byte 0: 00000803 is not the magic number");
    write_good_idx();
    write_file(images, floats, sizeof floats);
    assert_bad("idx", GELU_ERR_MAGIC, images, "00000d03");
    write_file(images, huge, sizeof huge);
    assert_bad("idx", sizeof(size_t) > 4 ? GELU_ERR_OVERFLOW : GELU_ERR_MEMORY, images, "overflow");
    write_file(images, none, sizeof none);
    assert_bad("idx", GELU_ERR_SHAPE, images, "0 samples, but");
    write_good_idx();
    write_labels(labels, TRAIN + 1, (const unsigned char[]){0, 1, 2, 0});
    assert_bad("idx", GELU_ERR_SHAPE, images, "has 3 samples, but idx/train-labels-idx1-ubyte has 4 labels");
    write_good_idx();
    write_labels(test_labels, TEST, (const unsigned char[]){0, 3});
    assert_bad("idx", GELU_ERR_ARGUMENT, test_labels, "label 1 is 3, but the training labels end at 2");
    write_good_idx();
    FILE *file = fopen(labels, "ab");
    assert_non_null(file);
    fputc(0, file);
    fclose(file);
    assert_bad("idx", GELU_ERR_TRAILING, labels, "at byte 11: bytes after the end");
    write_good_idx();
    assert_int_equal(unlink(labels), 0);
    assert_int_equal(mkfifo(labels, 0600), 0); /* nobody will ever write to it */
    assert_bad("idx", GELU_ERR_IO, labels, "it is not a regular file");
}

static void test_folders(void **state) {
    (void)state;
    (void)!system("rm -rf empty && mkdir empty");
    assert_bad("empty", GELU_ERR_MISSING, "empty", "neither train-images-idx3-ubyte (or .gz) nor x_train.npy");
    assert_bad("missing", GELU_ERR_IO, "missing", "No such file");
}

/* The same files packed; and one whose packing is cut off, and one whose packing is damaged. */
static void test_gz(void **state) {
    (void)state;
#ifdef GELU_HAVE_ZLIB
    write_good_idx();
    if (system("gzip -n idx/*") != 0) skip();
    assert_good("idx");
    assert_int_equal(truncate("idx/t10k-images-idx3-ubyte.gz", 20), 0);
    assert_bad("idx", GELU_ERR_TRUNCATED, "idx/t10k-images-idx3-ubyte.gz", "the file ends");
    /* All bytes are there, but not the whole checksum behind them. */
    write_good_idx();
    assert_int_equal(system("gzip -n idx/* && truncate -s -6 idx/train-labels-idx1-ubyte.gz"), 0);
    assert_bad("idx", GELU_ERR_TRUNCATED, "idx/train-labels-idx1-ubyte.gz", "the file ends within what is packed");
    write_good_idx();
    assert_int_equal(system("gzip -n idx/*"), 0);
    FILE *file = fopen("idx/train-labels-idx1-ubyte.gz", "r+b");
    assert_non_null(file);
    fseek(file, -6, SEEK_END);
    fputc(0x55, file);
    fclose(file);
    assert_bad("idx", GELU_ERR_HEADER, "idx/train-labels-idx1-ubyte.gz", "cannot be read");
#else
    write_good_idx();
    assert_int_equal(system("gzip -n idx/*"), 0);
    assert_bad("idx", GELU_ERR_MISSING, ".gz", "without zlib");
#endif
}

/* ---- .npy ---- */

static void write_npy(const char *file, gelu_dtype dtype, size_t ndim, size_t a, size_t b, size_t c, const void *data) {
    char path[64];
    snprintf(path, sizeof path, "npy/%s.npy", file);
    assert_int_equal(gelu_npy_write(path, dtype, ndim, (const size_t[]){a, b, c}, data, NULL), GELU_OK);
}

static void write_good_npy(void) {
    static const float x[] = {0, 0.25f, 0.5f, 1, 1 / 200.0f, 0, 0, 0, 0, 0, 0, 0};
    static const double test_x[] = {1 / 200.0f, 0, 0, 0, 1, 0, 0, 0}, y[] = {2, 0, 1};
    static const float test_y[] = {0, 2};
    (void)!system("rm -rf npy && mkdir npy");
    write_npy("x_train", GELU_F32, 3, TRAIN, HEIGHT, WIDTH, x);
    write_npy("y_train", GELU_F64, 1, TRAIN, 0, 0, y);
    write_npy("x_test", GELU_F64, 2, TEST, PIXELS, 0, test_x);
    write_npy("y_test", GELU_F32, 1, TEST, 0, 0, test_y);
}

static void test_npy(void **state) {
    (void)state;
    write_good_npy();
    assert_good("npy");
}

/* The library writes no integers: a header of 128 bytes, and then bytes. */
static void write_integers(const char *file, const char *descr, const char *shape, size_t nbytes, const void *data) {
    char path[64], bytes[128 + 64], header[118];
    snprintf(path, sizeof path, "npy/%s.npy", file);
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape);
    assert_true(nbytes <= 64);
    snprintf(bytes, sizeof bytes, "\x93NUMPY\1%cv%c%-117s\n", 0, 0, header);
    memcpy(bytes + 128, data, nbytes);
    write_file(path, bytes, 128 + nbytes);
}

/* Pixels and labels as bytes, which give what the same in an idx file gives; labels of every type of integers. */
static void test_integers(void **state) {
    (void)state;
    static const unsigned char x[] = {0, 50, 100, 200, 1, 0, 0, 0, 0, 0, 0, 0};
    static const unsigned char test_x[] = {1, 0, 0, 0, 200, 0, 0, 0};
    static const char *const types[] = {"|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8"};
    write_good_npy();
    write_integers("x_train", "|u1", "(3, 2, 2)", sizeof x, x);
    write_integers("x_test", "|u1", "(2, 4)", sizeof test_x, test_x);
    assert_good("npy");
    for (size_t i = 1; i < sizeof types / sizeof *types; i++) {
        size_t nbytes = (size_t)(types[i][2] - '0');
        unsigned char labels_of[TRAIN * 8] = {2}, test_of[TEST * 8] = {0};
        labels_of[2 * nbytes] = 1;
        test_of[nbytes] = 2;
        write_integers("y_train", types[i], "(3,)", TRAIN * nbytes, labels_of);
        write_integers("y_test", types[i], "(2,)", TEST * nbytes, test_of);
        assert_good("npy");
    }
    train_data data;
    write_integers("y_train", "|b1", "(3,)", TRAIN, (const bool[]){true, false, true});
    write_integers("y_test", "|b1", "(2,)", TEST, (const bool[]){false, true});
    assert_int_equal(train_data_load("npy", &data, NULL), GELU_OK);
    assert_int_equal(data.train.classes, 2);
    assert_memory_equal(data.train.label, ((const uint32_t[]){1, 0, 1}), TRAIN * sizeof(uint32_t));
    train_data_free(&data);
}

static void test_bad_integers(void **state) {
    (void)state;
    write_good_npy();
    write_integers("y_train", "<i8", "(3,)", 3 * 8, (const int64_t[]){0, 1, -1});
    assert_bad("npy", GELU_ERR_ARGUMENT, "npy/y_train.npy", "label 2 is -1, which is no whole number from 0 to 9999");
    write_integers("y_train", "<u4", "(3,)", 3 * 4, (const uint32_t[]){0, 0x80000000, 1});
    assert_bad("npy", GELU_ERR_ARGUMENT, "npy/y_train.npy", "label 1 is 2147483648, which");
    write_integers("y_train", "<u8", "(3,)", 3 * 8, (const uint64_t[]){UINT64_MAX, 0, 1});
    assert_bad("npy", GELU_ERR_ARGUMENT, "npy/y_train.npy", "label 0 is 1.84467440737096e+19, which");
    write_integers("y_train", "<i2", "(3,)", 3 * 2, (const int16_t[]){0, 9999, 1});
    assert_bad("npy", GELU_ERR_ARGUMENT, "npy", "training label 1 is 9999: more classes than the 3 samples");
    write_integers("y_train", "<c8", "(3,)", 3 * 8, (const float[6]){0});
    assert_bad("npy", GELU_ERR_DTYPE, "npy/y_train.npy", "elements are complex64");
    write_good_npy();
    write_integers("x_test", "|u1", "(2, 4)", TEST * PIXELS, (const char[TEST * PIXELS]){0});
    assert_bad("npy", GELU_ERR_DTYPE, "npy/x_test.npy", "holds bytes, but x_train.npy does not");
    write_integers("x_train", "|u1", "(3, 4)", TRAIN * PIXELS, (const char[TRAIN * PIXELS]){0});
    write_npy("x_test", GELU_F32, 2, TEST, PIXELS, 0, (const float[TEST * PIXELS]){0});
    assert_bad("npy", GELU_ERR_DTYPE, "npy/x_test.npy", "holds no bytes, but x_train.npy does");
}

static void test_bad_npy(void **state) {
    float x[TRAIN * PIXELS] = {0};
    double wide[TEST * PIXELS] = {0};
    (void)state;
    write_good_npy();
    x[6] = NAN;
    write_npy("x_train", GELU_F32, 2, TRAIN, PIXELS, 0, x);
    assert_bad("npy", GELU_ERR_ARGUMENT, "npy/x_train.npy", "sample 1, value 2: is not a number");
    write_good_npy();
    wide[7] = 1e300;
    write_npy("x_test", GELU_F64, 2, TEST, PIXELS, 0, wide);
    assert_bad("npy", GELU_ERR_ARGUMENT, "npy/x_test.npy", "sample 1, value 3: is infinite, or too large");
    write_good_npy();
    write_npy("x_test", GELU_F32, 2, TEST, 3, 0, (const float[6]){0});
    assert_bad("npy", GELU_ERR_SHAPE, "npy", "training samples have 4 values, its test samples 3");
    write_good_npy();
    write_npy("y_train", GELU_F32, 1, 2, 0, 0, (const float[]){0, 1});
    assert_bad("npy", GELU_ERR_SHAPE, "npy/x_train.npy", "has 3 samples, but npy/y_train.npy has 2 labels");
    write_npy("y_train", GELU_F32, 1, TRAIN, 0, 0, (const float[]){0, 1.5f, 1});
    assert_bad("npy", GELU_ERR_ARGUMENT, "npy/y_train.npy", "label 1 is 1.5");
    write_npy("y_train", GELU_F32, 1, TRAIN, 0, 0, (const float[]){0, 1, -1});
    assert_bad("npy", GELU_ERR_ARGUMENT, "npy/y_train.npy", "label 2 is -1");
    write_npy("y_train", GELU_F32, 1, TRAIN, 0, 0, (const float[]){1, NAN, 0});
    assert_bad("npy", GELU_ERR_ARGUMENT, "npy/y_train.npy", "label 1 is nan");
    write_npy("y_train", GELU_F32, 2, TRAIN, 1, 0, (const float[]){0, 1, 1});
    assert_bad("npy", GELU_ERR_SHAPE, "npy/y_train.npy", "one dimension, not 2");
    write_good_npy();
    write_npy("y_test", GELU_F32, 1, TEST, 0, 0, (const float[]){0, 3});
    assert_bad("npy", GELU_ERR_ARGUMENT, "npy/y_test.npy", "label 1 is 3");
    assert_int_equal(unlink("npy/y_test.npy"), 0);
    assert_bad("npy", GELU_ERR_IO, "npy/y_test.npy", "");
}

/* ---- Digits ---- */

static void test_digits(void **state) {
    train_data data, other;
    size_t of_class[10] = {0};
    double sum = 0;
    (void)state;
    assert_int_equal(train_data_digits(0, &data, NULL), GELU_OK);
    assert_int_equal(data.train.count, 1437);
    assert_int_equal(data.test.count, 360);
    assert_int_equal(data.train.features, 64);
    assert_int_equal(data.train.classes, 10);
    for (const train_set *set = &data.train;; set = &data.test) {
        for (size_t i = 0; i < set->count; i++) of_class[set->label[i]]++;
        for (size_t i = 0; i < set->count * 64; i++) {
            assert_true(set->x[i] >= 0 && set->x[i] <= 1 && set->x[i] * 16 == floorf(set->x[i] * 16));
            sum += set->x[i] * 16;
        }
        if (set == &data.test) break;
    }
    /* numpy.unique(sklearn.datasets.load_digits().target, return_counts=True), and .data.sum() */
    static const size_t counts[] = {178, 182, 177, 183, 181, 182, 181, 179, 174, 180};
    assert_memory_equal(of_class, counts, sizeof counts);
    assert_true(sum == 561718);
    assert_int_equal(train_data_digits(1, &other, NULL), GELU_OK);
    assert_true(other.train.hash != data.train.hash);
    train_data_free(&data);
    train_data_free(&other);
    train_data_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_idx),      cmocka_unit_test(test_bad_idx),      cmocka_unit_test(test_folders),
        cmocka_unit_test(test_gz),       cmocka_unit_test(test_npy),          cmocka_unit_test(test_bad_npy),
        cmocka_unit_test(test_integers), cmocka_unit_test(test_bad_integers), cmocka_unit_test(test_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
