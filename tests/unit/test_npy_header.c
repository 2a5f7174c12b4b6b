/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "unit/npy_bytes.h"

#define SHAPE3 "'fortran_order': False, 'shape': (3,)"

struct header_case {
    const char *header;
    size_t data_nbytes;
    gelu_status status;
    const char *reason; /* part of the message, or NULL */
};

static void check_cases(const struct header_case *cases, size_t count, int major) {
    for (size_t i = 0; i < count; i++) {
        gelu_error err;
        gelu_status status = npy_status(major, cases[i].header, cases[i].data_nbytes, &err);
        if (status != cases[i].status)
            fail_msg("%s: expected %d, got %d: %s", cases[i].header, cases[i].status, status, err.message);
        if (cases[i].reason && !strstr(err.message, cases[i].reason))
            fail_msg("%s: the message lacks '%s': %s", cases[i].header, cases[i].reason, err.message);
    }
}

/* What NumPy's own reader takes, this one takes. */
static void accepted_headers(void **state) {
    (void)state;
    static const struct header_case cases[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 12, GELU_OK, NULL},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", 12, GELU_OK, NULL},
        {"{'shape':(3,),'fortran_order':True,'descr':'<f4'}", 12, GELU_OK, NULL},
        {"{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (3,)}  \n", 12, GELU_OK, NULL},
        {" {\n'descr'\t: '<f4' ,'fortran_order': False,\n 'shape': ( 3 , ) } \n\n", 12, GELU_OK, NULL},
        {"{'descr': '=f4', " SHAPE3 "}", 12, GELU_OK, NULL},
        {"{'descr': '|f4', " SHAPE3 "}", 12, GELU_OK, NULL},
        {"{'descr': 'f4', " SHAPE3 "}", 12, GELU_OK, NULL},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 1,)}", 16, GELU_OK, NULL},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': ( )}", 4, GELU_OK, NULL},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (0, 1099511627776)}", 0, GELU_OK, NULL},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776, 0)}", 0, GELU_OK, NULL},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3L, 1L)}", 12, GELU_OK, NULL},
    };
    check_cases(cases, sizeof cases / sizeof cases[0], 1);
    check_cases(cases, sizeof cases / sizeof cases[0] - 1, 3);
    /* Version 3 came after Python 2, and its reader does not know 3L. */
    assert_int_equal(npy_status(3, cases[sizeof cases / sizeof cases[0] - 1].header, 12, NULL), GELU_ERR_HEADER);
}

static void malformed_headers(void **state) {
    (void)state;
    static const struct header_case cases[] = {
        {"", 0, GELU_ERR_HEADER, "{"},
        {"[]", 0, GELU_ERR_HEADER, "{"},
        {"{", 0, GELU_ERR_HEADER, NULL},
        {"{}", 0, GELU_ERR_HEADER, "descr is missing"},
        {"{,}", 0, GELU_ERR_HEADER, NULL},
        {"{'descr'", 0, GELU_ERR_HEADER, NULL},
        {"{'descr", 0, GELU_ERR_HEADER, "no end"},
        {"{'descr': '<f4", 0, GELU_ERR_HEADER, NULL},
        {"{'descr': '<f4', 'fortran_order': False}", 12, GELU_ERR_HEADER, "shape is missing"},
        {"{'descr': '<f4', 'shape': (3,)}", 12, GELU_ERR_HEADER, "fortran_order is missing"},
        {"{'descr': '<f4', 'descr': '<f4', " SHAPE3 "}", 12, GELU_ERR_HEADER, "twice"},
        {"{'descr': '<f4', " SHAPE3 ", 'extra': 1}", 12, GELU_ERR_HEADER, "key"},
        {"{'descr': '<f4' " SHAPE3 "}", 12, GELU_ERR_HEADER, "comma"},
        {"{'descr': '<f4', " SHAPE3 ",, }", 12, GELU_ERR_HEADER, NULL},
        {"{'descr' '<f4', " SHAPE3 "}", 12, GELU_ERR_HEADER, "colon"},
        {"{'descr': '<f4', " SHAPE3 "} x", 12, GELU_ERR_HEADER, "after"},
        {"{'descr': '<f4', " SHAPE3 "", 12, GELU_ERR_HEADER, NULL},
        {"{'descr': '<f\\x34', " SHAPE3 "}", 12, GELU_ERR_HEADER, NULL},
        {"{'descr': <f4, " SHAPE3 "}", 12, GELU_ERR_HEADER, NULL},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}", 12, GELU_ERR_HEADER, "fortran_order"},
        {"{'descr': '<f4', 'fortran_order': Falsey, 'shape': (3,)}", 12, GELU_ERR_HEADER, NULL},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3)}", 12, GELU_ERR_HEADER, "not a tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': 3}", 12, GELU_ERR_HEADER, "not a tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': [3]}", 12, GELU_ERR_HEADER, "not a tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", 12, GELU_ERR_HEADER, NULL},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,,3)}", 12, GELU_ERR_HEADER, NULL},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1 3)}", 12, GELU_ERR_HEADER, "comma"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}", 12, GELU_ERR_HEADER, "negative"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3.0,)}", 12, GELU_ERR_HEADER, NULL},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (03,)}", 12, GELU_ERR_HEADER, NULL},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (True,)}", 12, GELU_ERR_HEADER, NULL},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,", 12, GELU_ERR_HEADER, NULL},
    };
    check_cases(cases, sizeof cases / sizeof cases[0], 1);
    check_cases(cases, sizeof cases / sizeof cases[0], 2);
}

static void refused_types_are_named(void **state) {
    (void)state;
    static const struct header_case cases[] = {
        {"{'descr': '<i8', " SHAPE3 "}", 24, GELU_ERR_DTYPE, "int64"},
        {"{'descr': '|u1', " SHAPE3 "}", 3, GELU_ERR_DTYPE, "uint8"},
        {"{'descr': '|b1', " SHAPE3 "}", 3, GELU_ERR_DTYPE, "bool"},
        {"{'descr': '<c8', " SHAPE3 "}", 24, GELU_ERR_DTYPE, "complex64"},
        {"{'descr': '>c16', " SHAPE3 "}", 48, GELU_ERR_DTYPE, "complex128"},
        {"{'descr': '<f16', " SHAPE3 "}", 48, GELU_ERR_DTYPE, "float128"},
        {"{'descr': '|O', " SHAPE3 "}", 24, GELU_ERR_DTYPE, "object (pickled Python)"},
        {"{'descr': '|S5', " SHAPE3 "}", 15, GELU_ERR_DTYPE, "byte string"},
        {"{'descr': '<U5', " SHAPE3 "}", 60, GELU_ERR_DTYPE, "text string"},
        {"{'descr': '<M8[ns]', " SHAPE3 "}", 24, GELU_ERR_DTYPE, "datetime64"},
        {"{'descr': '<m8[s]', " SHAPE3 "}", 24, GELU_ERR_DTYPE, "timedelta64"},
        {"{'descr': [('a', '<f4')], " SHAPE3 "}", 12, GELU_ERR_DTYPE, "structured"},
        {"{'descr': ('<f4', (2,)), " SHAPE3 "}", 24, GELU_ERR_DTYPE, "structured"},
        {"{'descr': '<f3', " SHAPE3 "}", 9, GELU_ERR_DTYPE, "float24"},
        {"{'descr': '<f', " SHAPE3 "}", 12, GELU_ERR_DTYPE, "unknown element type"},
        {"{'descr': '', " SHAPE3 "}", 12, GELU_ERR_DTYPE, "unknown element type"},
        {"{'descr': '<<f4', " SHAPE3 "}", 12, GELU_ERR_DTYPE, "unknown element type"},
        {"{'descr': '<f4 ', " SHAPE3 "}", 12, GELU_ERR_DTYPE, "unknown element type"},
        {"{'descr': 'float32', " SHAPE3 "}", 12, GELU_ERR_DTYPE, NULL},
        {"{'descr': '<f99999999999999999999994', " SHAPE3 "}", 12, GELU_ERR_DTYPE, NULL},
    };
    check_cases(cases, sizeof cases / sizeof cases[0], 1);
}

static void sizes_must_fit(void **state) {
    (void)state;
    static const struct header_case cases[] = {
        {"{'descr': '<f4', " SHAPE3 "}", 11, GELU_ERR_TRUNCATED, "11 bytes and should have 12"},
        {"{'descr': '<f4', " SHAPE3 "}", 13, GELU_ERR_TRAILING, "13 bytes and should have 12"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': ()}", 0, GELU_ERR_TRUNCATED, "0 bytes"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (0,)}", 1, GELU_ERR_TRAILING, NULL},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,)}", 0, GELU_ERR_OVERFLOW, NULL},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2305843009213693952,)}", 0, GELU_ERR_OVERFLOW, NULL},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2305843009213693951,)}", 0, GELU_ERR_TRUNCATED, NULL},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551616,)}", 0, GELU_ERR_OVERFLOW, NULL},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 0)}", 0, GELU_ERR_OVERFLOW, NULL},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4294967296, 4294967296)}", 0, GELU_ERR_OVERFLOW, NULL},
    };
    check_cases(cases, sizeof cases / sizeof cases[0], 1);
    char header[512] = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
    for (int i = 0; i < GELU_MAX_NDIM; i++) strcat(header, "1,");
    size_t used = strlen(header);
    strcpy(header + used, ")}");
    assert_int_equal(npy_status(1, header, 4, NULL), GELU_OK);
    strcpy(header + used, "1)}");
    assert_int_equal(npy_status(1, header, 4, NULL), GELU_ERR_SHAPE);
}

static gelu_status open_bytes(const void *bytes, size_t nbytes, gelu_error *err) {
    gelu_npy *npy;
    uint8_t *copy = malloc(nbytes ? nbytes : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, nbytes);
    gelu_status status = gelu_npy_open_memory("made", copy, nbytes, NULL, &npy, err);
    gelu_npy_close(npy);
    free(copy);
    return status;
}

static void preamble_is_checked(void **state) {
    (void)state;
    gelu_error err;
    assert_int_equal(open_bytes("", 0, &err), GELU_ERR_TRUNCATED);
    assert_int_equal(open_bytes("\x93NUM", 4, &err), GELU_ERR_TRUNCATED);
    assert_int_equal(open_bytes("\x93NUX", 4, &err), GELU_ERR_MAGIC);
    assert_int_equal(open_bytes("\x93NUMPY\1", 7, &err), GELU_ERR_TRUNCATED);
    assert_int_equal(open_bytes("\x93NUMPY\1\0", 8, &err), GELU_ERR_TRUNCATED);
    assert_int_equal(open_bytes("\x93NUMPY\2\0\0\0", 10, &err), GELU_ERR_TRUNCATED);
    assert_int_equal(open_bytes("\x93NUMPY\4\0\0\0\0\0", 12, &err), GELU_ERR_VERSION);
    assert_int_equal(open_bytes("\x93NUMPY\0\0\0\0\0\0", 12, &err), GELU_ERR_VERSION);
    assert_int_equal(open_bytes("\x93NUMPY\1\1\0\0\0\0", 12, &err), GELU_ERR_VERSION);
    assert_int_equal(open_bytes("\x93NUMPY\1\0\xff\xff{}", 12, &err), GELU_ERR_TRUNCATED);
    assert_int_equal(open_bytes("\x93NUMPY\3\0\xff\xff\xff\xff{}", 14, &err), GELU_ERR_TRUNCATED);
    assert_int_equal(open_bytes("PK\3\4aaaaaaaa", 12, &err), GELU_ERR_MAGIC);
    assert_non_null(strstr(err.message, "zip"));
}

/* A header that is really there but absurdly long is refused by its length. */
static void long_headers_are_refused(void **state) {
    (void)state;
    size_t length = 70000;
    char *header = malloc(length + 1);
    gelu_error err;
    assert_non_null(header);
    memset(header, ' ', length);
    header[length] = '\0';
    memcpy(header, "{'descr': '<f4', " SHAPE3 "}", strlen("{'descr': '<f4', " SHAPE3 "}"));
    assert_int_equal(npy_status(2, header, 12, &err), GELU_ERR_HEADER);
    assert_non_null(strstr(err.message, "70000"));
    header[60000] = '\0';
    assert_int_equal(npy_status(2, header, 12, &err), GELU_OK);
    free(header);
}

/* Every byte of good files changed, removed or cut off behind it: nothing must crash, over-read or succeed with a size
 * other than the data's. */
static void mutated_files_do_no_harm(void **state) {
    (void)state;
    static const char *const headers[] = {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n",
                                          "{'descr': '>f8', 'fortran_order': True, 'shape': (2, 1, 2), }\n",
                                          "{'descr': '<V2', 'fortran_order': True, 'shape': (0, 3), }\n"};
    static const size_t sizes[] = {12, 32, 0};
    static const uint8_t zeros[32];
    const gelu_npy_options options = {.v2_is_bf16 = 1};
    static const char likely[] = "0123456789'(),:{}<>fL \n";
    uint32_t random = 12345;
    int accepted = 0, refused = 0;
    for (int round = 0; round < 60000; round++) {
        struct npy_bytes made = npy_make(round % 2 + 1, headers[round % 3], zeros, sizes[round % 3]);
        int changes = 1 + round % 4;
        for (int i = 0; i < changes; i++) {
            random = random * 1664525u + 1013904223u;
            uint8_t value = (uint8_t)(random >> 24);
            made.bytes[(random >> 8) % made.nbytes] = i % 2 ? value : (uint8_t)likely[value % (sizeof likely - 1)];
        }
        if (round % 5 == 0) made.nbytes = (random >> 4) % (made.nbytes + 1);
        made.bytes = realloc(made.bytes, made.nbytes ? made.nbytes : 1);
        gelu_npy *npy;
        if (gelu_npy_open_memory("mutated", made.bytes, made.nbytes, &options, &npy, NULL) == GELU_OK) {
            uint8_t out[64];
            const gelu_tensor *info = gelu_npy_info(npy);
            assert_true(info->count * gelu_dtype_nbytes(info->dtype) <= 32);
            assert_int_equal(gelu_npy_read_range(npy, 0, info->count, out), GELU_OK);
            accepted++;
        } else {
            refused++;
        }
        gelu_npy_close(npy);
        free(made.bytes);
    }
    assert_true(accepted > 1000 && refused > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepted_headers),         cmocka_unit_test(malformed_headers),
        cmocka_unit_test(refused_types_are_named),  cmocka_unit_test(sizes_must_fit),
        cmocka_unit_test(preamble_is_checked),      cmocka_unit_test(long_headers_are_refused),
        cmocka_unit_test(mutated_files_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
