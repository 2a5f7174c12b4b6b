/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <fenv.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "gelu_io.h"

static uint64_t parse(gelu_dtype dtype, const char *text) {
    uint64_t bits = 0;
    if (gelu_parse_value(dtype, text, &bits) != GELU_OK) fail_msg("%s is refused", text);
    return bits;
}

static void check_shortest(gelu_dtype dtype, uint64_t bits, const char *expected) {
    char buffer[40];
    size_t length = gelu_format_shortest(dtype, &bits, buffer);
    assert_string_equal(buffer, expected);
    assert_int_equal(length, strlen(expected));
}

static void shortest_digits(void **state) {
    (void)state;
    static const struct {
        gelu_dtype dtype;
        uint64_t bits;
        const char *expected;
    } cases[] = {
        {GELU_F32, 0x00000000, "0.0"},
        {GELU_F32, 0x80000000, "-0.0"},
        {GELU_F32, 0x3f800000, "1.0"},
        {GELU_F32, 0x3f57625e, "0.8413447"},
        {GELU_F32, 0xb3e049ec, "-1.0444259e-07"},
        {GELU_F32, 0x33d6bf95, "1e-07"},
        {GELU_F32, 0x00000001, "1e-45"},
        {GELU_F32, 0x7f7fffff, "3.4028235e+38"},
        {GELU_F32, 0x7f800000, "inf"},
        {GELU_F32, 0xff800000, "-inf"},
        {GELU_F32, 0x7fc00000, "nan"},
        {GELU_F32, 0x4ceb79a3, "123456790.0"}, /* zeros after the digits that count */
        {GELU_F32, 0x5a0e1bca, "1e+16"},
        {GELU_F32, 0x38d1b717, "1e-04"}, /* the float below 0.0001 */
        {GELU_F32, 0x38d1b718, "0.000100000005"},
        {GELU_F64, 0x3fb999999999999a, "0.1"},
        {GELU_F64, 0x3fd3333333333334, "0.30000000000000004"},
        {GELU_F64, 0x3f1a36e2eb1c432d, "0.0001"},
        {GELU_F64, 0x433fffffffffffff, "9007199254740991.0"},
        {GELU_F64, 0x4341c37937e08000, "1e+16"},
        {GELU_F64, 0x4341c37937e07fff, "9999999999999998.0"},
        {GELU_F64, 1, "5e-324"},
        {GELU_F64, 0x000fffffffffffff, "2.225073858507201e-308"},
        {GELU_F64, 0x0010000000000000, "2.2250738585072014e-308"},
        {GELU_F64, 0x7fefffffffffffff, "1.7976931348623157e+308"},
        {GELU_F64, 0x4415af1d78b58c40, "1e+20"},
        {GELU_F64, 0x3d06849b86a12b9b, "1e-14"},
        {GELU_F64, 0x44b52d02c7e14af6, "1e+23"}, /* a tie that reads back to the even neighbour */
        {GELU_F16, 0x3c00, "1.0"},
        {GELU_F16, 0x2e66, "0.1"},
        {GELU_F16, 0x0001, "6e-08"},
        {GELU_F16, 0x7bff, "65500.0"},
        {GELU_BF16, 0x3f80, "1.0"},
        {GELU_BF16, 0x3dcd, "0.1"},
        {GELU_BF16, 0x7f7f, "3.39e+38"},
        {GELU_BF16, 0x0001, "9e-41"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_shortest(cases[i].dtype, cases[i].bits, cases[i].expected);
    char buffer[40] = "x";
    assert_int_equal(gelu_format_shortest((gelu_dtype)0, &cases, buffer), 0);
    assert_string_equal(buffer, "");
}

/* The number of digits that count. */
static int significant(const char *text) {
    int digits = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (digits == 0 && *text == '0')) continue;
        zeros = *text == '0' ? zeros + 1 : 0;
        digits++;
    }
    return digits - zeros;
}

static double value_of(gelu_dtype dtype, uint64_t bits) {
    double value;
    float single;
    uint32_t word = (uint32_t)bits << (dtype == GELU_BF16 ? 16 : 0);
    memcpy(&value, &bits, sizeof value);
    memcpy(&single, &word, sizeof single);
    return dtype == GELU_F64 ? value : (double)single;
}

/* Reads back, and no decimal with one digit less would: neither of the two around the value. */
static void check_round_trip(gelu_dtype dtype, uint64_t bits) {
    char buffer[40], shorter[64];
    uint64_t back = 0;
    gelu_format_shortest(dtype, &bits, buffer);
    assert_int_equal(gelu_parse_value(dtype, buffer, &back), GELU_OK);
    if (strcmp(buffer, "nan") == 0) return;
    if (back != bits)
        fail_msg("%s of %llx reads back as %llx", buffer, (unsigned long long)bits, (unsigned long long)back);
    int digits = significant(buffer);
    if (digits < 2 || dtype == GELU_F16) return;
    double value = value_of(dtype, bits);
    for (int mode = 0; mode < 2; mode++) {
        /* glibc's printf follows the rounding mode; on others both are the nearest, which is still a check. */
        fesetround(mode ? FE_UPWARD : FE_DOWNWARD);
        snprintf(shorter, sizeof shorter, "%.*e", digits - 2, value);
        fesetround(FE_TONEAREST);
        if (parse(dtype, shorter) == bits) fail_msg("%s is not the shortest: %s", buffer, shorter);
    }
}

static void all_16_bit_values_read_back(void **state) {
    (void)state;
    for (uint64_t bits = 0; bits < 65536; bits++) {
        check_round_trip(GELU_F16, bits);
        check_round_trip(GELU_BF16, bits);
    }
}

static void random_values_read_back(void **state) {
    (void)state;
    uint64_t random = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        check_round_trip(GELU_F32, random & 0xffffffff);
        if (i % 8 == 0) check_round_trip(GELU_F64, random);
    }
    for (uint64_t field = 0; field < 255; field++)
        for (int near = -1; near <= 1; near++) check_round_trip(GELU_F32, (field << 23) + 1 + (uint64_t)near);
    for (uint64_t field = 0; field < 2047; field++)
        for (int near = -1; near <= 1; near++) check_round_trip(GELU_F64, (field << 52) + 1 + (uint64_t)near);
}

static const struct {
    gelu_dtype dtype;
    const char *text;
    uint64_t bits;
} numbers[] = {
    {GELU_F32, "1", 0x3f800000},
    {GELU_F32, "+1.", 0x3f800000},
    {GELU_F32, "-.5", 0xbf000000},
    {GELU_F32, "-0", 0x80000000},
    {GELU_F32, "0e9999999999999", 0},
    {GELU_F32, "1E2", 0x42c80000},
    {GELU_F32, "1e+2", 0x42c80000},
    {GELU_F32, "1e999", 0x7f800000},
    {GELU_F32, "-1e999", 0xff800000},
    {GELU_F32, "1e99999999999999999999", 0x7f800000},
    {GELU_F32, "1e-99999999999999999999", 0},
    {GELU_F32, "Inf", 0x7f800000},
    {GELU_F32, "-infinity", 0xff800000},
    {GELU_F32, "nan", 0x7fc00000},
    {GELU_F32, "-NaN", 0xffc00000},
    {GELU_F32, "0x1p-149", 1},
    {GELU_F32, "0X1.8P+1", 0x40400000},
    {GELU_F32, "0x.8", 0x3f000000},
    {GELU_F32, "0x10", 0x41800000},
    {GELU_F32, "0x1p99999999999", 0x7f800000},
    {GELU_F32, "0x1p-99999999999", 0},
    {GELU_F32, "0x0p99999999999", 0},
    {GELU_F32, "340282346638528859811704183484516925440", 0x7f7fffff},
    {GELU_F32, "340282356779733661637539395458142568447", 0x7f7fffff}, /* below the middle to 2^128 */
    {GELU_F32, "340282356779733661637539395458142568448", 0x7f800000}, /* in the middle */
    {GELU_F32, "7.0064923216240853546186479164495806564013097093825788587853e-46", 0},
    {GELU_F32, "7.0064923216240853546186479164495806564013097093825788587854e-46", 1},
    {GELU_F32, "16777217", 0x4b800000}, /* ties to even */
    {GELU_F32, "16777219", 0x4b800002},
    {GELU_F32, "16777217.00000000000000000000000000000001", 0x4b800001},
    {GELU_F32, "0x1.000001p0", 0x3f800000},
    {GELU_F32, "0x1.00000100000000000000000000000001p0", 0x3f800001},
    {GELU_F32, "0x1.000003p0", 0x3f800002},
    {GELU_F64, "2.2250738585072011e-308", 0x000fffffffffffff},
    {GELU_F64, "9007199254740993", 0x4340000000000000},
    {GELU_F64, "0x1.fffffffffffff8p1023", 0x7ff0000000000000},
    {GELU_F64, "0x1.fffffffffffff7p1023", 0x7fefffffffffffff},
    {GELU_F64, "0x1p-1075", 0},
    {GELU_F64, "0x1.00000000000000000001p-1075", 1},
    {GELU_F16, "65519.99", 0x7bff},
    {GELU_F16, "65520", 0x7c00},
    {GELU_F16, "2.98023223876953125e-8", 0},
    {GELU_F16, "2.98023223876953126e-8", 1},
    /* Rounded to f32 or f64 first, these would become ties and go down. */
    {GELU_F16, "1.00048828125000000001", 0x3c01},
    {GELU_F16, "0x1.00200000000000000001p0", 0x3c01},
    {GELU_BF16, "1.00390625", 0x3f80},
    {GELU_BF16, "1.003906250000000000000000000001", 0x3f81},
    {GELU_BF16, "3.4e38", 0x7f80},
};

static void numbers_are_read(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (parse(numbers[i].dtype, numbers[i].text) != numbers[i].bits)
            fail_msg("%s gives %llx", numbers[i].text, (unsigned long long)parse(numbers[i].dtype, numbers[i].text));
    /* A digit far behind all that a tie has still counts. */
    char text[2100] = "1.00048828125";
    memset(text + 13, '0', 2000);
    strcpy(text + 2013, "1");
    assert_int_equal(parse(GELU_F16, text), 0x3c01);
}

static void other_text_is_refused(void **state) {
    (void)state;
    static const char *const texts[] = {"",      "-",    "+",     ".",       "-.",     "e5",    "1e",    "1e+",
                                        "1e5.0", "0x",   "0x.p1", "0xp1",    "0x1p",   "0x1pf", "1 ",    " 1",
                                        "1,5",   "nanx", "in",    "infinit", "--1",    "+-1",   "1.2.3", "1_0",
                                        "1f",    "0b11", "NULL",  "1\n",     "nan(1)", "x"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        uint64_t bits = 77;
        if (gelu_parse_value(GELU_F64, texts[i], &bits) != GELU_ERR_ARGUMENT) fail_msg("'%s' is accepted", texts[i]);
        assert_true(bits == 77);
    }
    float value;
    assert_int_equal(gelu_parse_value(GELU_F32, NULL, &value), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_parse_value(GELU_F32, "1", NULL), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_parse_value((gelu_dtype)9, "1", &value), GELU_ERR_ARGUMENT);
}

/* The C library's own conversions change with both. */
static void locale_and_rounding_mode_change_nothing(void **state) {
    fesetround(FE_UPWARD);
    shortest_digits(state);
    numbers_are_read(state);
    fesetround(FE_DOWNWARD);
    shortest_digits(state);
    numbers_are_read(state);
    fesetround(FE_TONEAREST);
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        print_message("skipped: no locale de_DE.UTF-8 (LOCPATH)\n");
        skip();
    }
    assert_string_equal(localeconv()->decimal_point, ",");
    shortest_digits(state);
    numbers_are_read(state);
    other_text_is_refused(state);
    setlocale(LC_ALL, "C");
}

static gelu_status torch_status(gelu_dtype dtype, size_t ndim, const size_t *shape, const void *data,
                                unsigned precision) {
    const gelu_torch_format torch = {.precision = precision};
    const gelu_numpy_format numpy = {.precision = precision};
    char *text = NULL, *other = NULL;
    gelu_status status = gelu_format_torch(dtype, ndim, shape, data, &torch, &text);
    assert_int_equal(gelu_format_numpy(dtype, ndim, shape, data, &numpy, &other), status);
    assert_true((text != NULL) == (status == GELU_OK) && (other != NULL) == (status == GELU_OK));
    gelu_text_free(text);
    gelu_text_free(other);
    return status;
}

static void printers_check_their_arguments(void **state) {
    (void)state;
    const size_t one[] = {1}, zero[] = {0, 5}, huge[] = {SIZE_MAX, 2}, empty_huge[] = {0, SIZE_MAX, 2};
    const float x = 1;
    assert_int_equal(torch_status(GELU_F32, 1, one, &x, 0), GELU_OK);
    assert_int_equal(torch_status(GELU_F32, 2, zero, NULL, 0), GELU_OK);
    assert_int_equal(torch_status(GELU_F32, 0, NULL, &x, 0), GELU_OK);
    assert_int_equal(torch_status((gelu_dtype)0, 1, one, &x, 0), GELU_ERR_DTYPE);
    assert_int_equal(torch_status(GELU_F32, 65, one, &x, 0), GELU_ERR_SHAPE);
    assert_int_equal(torch_status(GELU_F32, 2, huge, &x, 0), GELU_ERR_OVERFLOW);
    assert_int_equal(torch_status(GELU_F32, 3, empty_huge, NULL, 0), GELU_ERR_OVERFLOW);
    assert_int_equal(torch_status(GELU_F32, 1, one, NULL, 0), GELU_ERR_ARGUMENT);
    assert_int_equal(torch_status(GELU_F32, 1, NULL, &x, 0), GELU_ERR_ARGUMENT);
    assert_int_equal(torch_status(GELU_F32, 1, one, &x, 1101), GELU_OK);
    assert_int_equal(torch_status(GELU_F32, 1, one, &x, 4000000000u), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_format_torch(GELU_F32, 1, one, &x, NULL, NULL), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_format_numpy(GELU_F32, 1, one, &x, NULL, NULL), GELU_ERR_ARGUMENT);
    gelu_text_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shortest_digits),
        cmocka_unit_test(all_16_bit_values_read_back),
        cmocka_unit_test(random_values_read_back),
        cmocka_unit_test(numbers_are_read),
        cmocka_unit_test(other_text_is_refused),
        cmocka_unit_test(locale_and_rounding_mode_change_nothing),
        cmocka_unit_test(printers_check_their_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
