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
#include "unit/st_bytes.h"

#define F32(name, shape, offsets) "\"" name "\":{\"dtype\":\"F32\",\"shape\":" shape ",\"data_offsets\":" offsets "}"
#define A4 F32("a", "[1]", "[0,4]")

struct refused {
    const char *header;
    size_t data_nbytes;
    gelu_status status;
    const char *place;  /* the header's text from where the trouble is on; NULL: offset says it */
    uint64_t offset;    /* from where the data begin */
    const char *reason; /* what the message must hold */
};

static void check_refused(const struct refused *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct refused *c = &cases[i];
        gelu_error err;
        gelu_status status = st_status(c->header, c->data_nbytes, &err);
        size_t length = strlen(c->header);
        if (status != c->status) fail_msg("%s: %s", c->header, err.message);
        assert_int_equal(err.status, status);
        if (!strstr(err.message, c->reason)) fail_msg("%s: no '%s' in: %s", c->header, c->reason, err.message);
        /* strstr finds the first; the last is meant. */
        const char *place = c->place ? c->header + length - strlen(c->place) : NULL;
        if (place) assert_string_equal(place, c->place);
        uint64_t offset = place ? 8 + (uint64_t)(place - c->header) : 8 + length + c->offset;
        if (err.offset != offset) fail_msg("%s: byte %llu: %s", c->header, (unsigned long long)offset, err.message);
    }
}

static void layouts_that_do_not_cover_the_data_once(void **state) {
    (void)state;
    static const struct refused cases[] = {
        {"{" A4 "," A4 "}", 4, GELU_ERR_DUPLICATE, A4 "}", 0, "duplicate name: tensor 'a' occurs at byte 9"},
        {"{" A4 ",\"\\u0061\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}", 8, GELU_ERR_DUPLICATE,
         "\"\\u0061\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}", 0, "tensor 'a'"},
        {"{" A4 "," F32("b", "[1]", "[2,6]") "}", 6, GELU_ERR_OVERLAP, NULL, 2,
         "tensor 'b' shares bytes with tensor 'a'"},
        {"{" A4 "," F32("b", "[1]", "[0,4]") "}", 4, GELU_ERR_OVERLAP, NULL, 0, "'b'"},
        {"{" A4 "," F32("b", "[0]", "[2,2]") "}", 4, GELU_ERR_OVERLAP, NULL, 2, "'b'"},
        {"{" A4 "," F32("b", "[1]", "[6,10]") "}", 10, GELU_ERR_HOLE, NULL, 4, "2 bytes before tensor 'b'"},
        {"{" F32("b", "[1]", "[1,5]") "}", 5, GELU_ERR_HOLE, NULL, 0, "1 bytes before tensor 'b'"},
        {"{" A4 "," F32("b", "[0]", "[5,5]") "}", 5, GELU_ERR_HOLE, NULL, 4, "'b'"},
        {"{" A4 "}", 5, GELU_ERR_TRAILING, NULL, 4, "1 bytes behind the last tensor"},
        {"{}", 1, GELU_ERR_TRAILING, NULL, 0, "1 bytes"},
        {"{" A4 "}", 3, GELU_ERR_TRUNCATED, NULL, 3, "tensor 'a' ends at"},
        {"{" A4 "," F32("b", "[1]", "[4,8]") "}", 2, GELU_ERR_TRUNCATED, NULL, 2, "tensor 'a' ends at"},
        {"{" F32("a", "[2]", "[0,4]") "}", 4, GELU_ERR_SIZE_MISMATCH, F32("a", "[2]", "[0,4]") "}", 0,
         "tensor 'a': size mismatch: 2 elements of F32 take 8 bytes, but data_offsets leave 4"},
        {"{" F32("a", "[]", "[0,0]") "}", 0, GELU_ERR_SIZE_MISMATCH, F32("a", "[]", "[0,0]") "}", 0, "1 elements"},
        {"{\"x\":{\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,2]}}", 2, GELU_ERR_SIZE_MISMATCH,
         "\"x\":{\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,2]}}", 0, "tensor 'x'"},
    };
    check_refused(cases, sizeof cases / sizeof cases[0]);
}

static void sizes_must_fit(void **state) {
    (void)state;
#define OVER(shape) "{" F32("big", shape, "[0,0]") "}", 0, GELU_ERR_OVERFLOW, F32("big", shape, "[0,0]") "}", 0
    static const struct refused cases[] = {
        {OVER("[4294967296,4294967296]"), "tensor 'big': size overflow"},
        {OVER("[4294967296,4294967296,0]"), "tensor 'big': size overflow"},
        {OVER("[0,4294967296,4294967296]"), "tensor 'big': size overflow"},
        {OVER("[2305843009213693952]"), "tensor 'big': size overflow"},
        {"{" F32("big", "[2305843009213693951]", "[0,9223372036854775804]") "}", 0, GELU_ERR_TRUNCATED, NULL, 0,
         "tensor 'big' ends at"},
        {"{\"big\":{\"dtype\":\"NEW\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]}}", 0, GELU_ERR_OVERFLOW,
         "\"big\":{\"dtype\":\"NEW\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]}}", 0, "'big'"},
        {"{" F32("big", "[9223372036854775808]", "[0,0]") "}", 0, GELU_ERR_OVERFLOW, "],\"data_offsets\":[0,0]}}", 0,
         "'big': bad header: too big integer"},
        {"{" F32("a", "[1]", "[0,99999999999999999999]") "}", 4, GELU_ERR_OVERFLOW, "]}}", 0,
         "'a': bad header: too big"},
    };
    check_refused(cases, sizeof cases / sizeof cases[0]);
    char header[1024] = "{\"x\":{\"dtype\":\"U8\",\"shape\":[1";
    for (int i = 1; i < GELU_MAX_NDIM; i++) strcat(header, ",1");
    size_t used = strlen(header);
    gelu_error err;
    strcpy(header + used, "],\"data_offsets\":[0,1]}}");
    assert_int_equal(st_status(header, 1, NULL), GELU_OK);
    strcpy(header + used, ",1],\"data_offsets\":[0,1]}}");
    assert_int_equal(st_status(header, 1, &err), GELU_ERR_SHAPE);
    assert_non_null(strstr(err.message, "tensor 'x'"));
}

static void headers_that_are_not_as_they_should_be(void **state) {
    (void)state;
#define ENTRY(text) "{\"t\":" text "}", 4, GELU_ERR_HEADER, "\"t\":" text "}", 0
    static const struct refused cases[] = {
        {ENTRY("{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}"),
         "tensor 't': bad header: negative dimension -1"},
        {ENTRY("{\"dtype\":\"F32\",\"shape\":[1.0],\"data_offsets\":[0,4]}"), "dimension 0 is not an integer"},
        {ENTRY("{\"dtype\":\"F32\",\"shape\":[true],\"data_offsets\":[0,4]}"), "dimension 0 is not an integer"},
        {ENTRY("{\"dtype\":\"F32\",\"shape\":1,\"data_offsets\":[0,4]}"), "shape is not a list"},
        {ENTRY("{\"dtype\":7,\"shape\":[1],\"data_offsets\":[0,4]}"), "dtype is not a string"},
        {ENTRY("{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0]}"), "data_offsets is not"},
        {ENTRY("{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4,8]}"), "data_offsets is not"},
        {ENTRY("{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":\"0\"}"), "data_offsets is not"},
        {ENTRY("{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}"), "run from 4 to 0"},
        {ENTRY("{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[-4,0]}"), "run from -4 to 0"},
        {ENTRY("{\"shape\":[1],\"data_offsets\":[0,4]}"), "dtype is missing"},
        {ENTRY("{\"dtype\":\"F32\",\"data_offsets\":[0,4]}"), "shape is missing"},
        {ENTRY("{\"dtype\":\"F32\",\"shape\":[1]}"), "data_offsets is missing"},
        {ENTRY("{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"more\":1}"), "unknown key 'more'"},
        {ENTRY("[]"), "its description is not an object"},
        {"{\"t\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", 4, GELU_ERR_DUPLICATE, ":\"F32\"}}", 0,
         "'t': bad header: duplicate object key near '\"dtype\"'"},
        {"{\"t\":{\"shape\":[[[1]]]}}", 0, GELU_ERR_HEADER, "[[1]]]}}", 0, "nested too deeply"},
        {"{\"t\":nul}", 0, GELU_ERR_HEADER, "}", 0, "'t': bad header: invalid token"},
        {"{\"t\" 1}", 0, GELU_ERR_HEADER, "1}", 0, "a colon is missing"},
        {"{\"t\":", 0, GELU_ERR_HEADER, "", 0, "'t': bad header"},
        {"{\"t", 0, GELU_ERR_HEADER, "", 0, "bad header"},
        {"{ ", 0, GELU_ERR_HEADER, "", 0, "a quoted name is missing"},
        {"{,}", 0, GELU_ERR_HEADER, ",}", 0, "a quoted name is missing"},
        {"{" A4 ",}", 4, GELU_ERR_HEADER, "}", 0, "a quoted name is missing"},
        {"{" A4 " " A4 "}", 4, GELU_ERR_HEADER, A4 "}", 0, "a comma or } is missing"},
        {"{} x", 0, GELU_ERR_HEADER, "x", 0, "more after the }"},
        {"{}}", 0, GELU_ERR_HEADER, "}", 0, "more after the }"},
        {"[]", 0, GELU_ERR_HEADER, "[]", 0, "does not begin with {"},
        {" {}", 0, GELU_ERR_HEADER, " {}", 0, "does not begin with {"},
        {"{\"\\u0000\":1}", 0, GELU_ERR_HEADER, ":1}", 0, "not allowed"},
        {"{\"\xff\":1}", 0, GELU_ERR_HEADER, "\xff\":1}", 0, "unable to decode"},
        {"{\"__metadata__\":{\"k\":1}}", 0, GELU_ERR_HEADER, "1}}", 0,
         "'k': bad header: metadata that is not a string"},
        {"{\"__metadata__\":null}", 0, GELU_ERR_HEADER, "null}", 0, "'__metadata__': bad header"},
        {"{\"__metadata__\":{\"k\":\"1\",\"j\":\"\",\"k\":\"2\"}}", 0, GELU_ERR_DUPLICATE, "\"k\":\"2\"}}", 0,
         "metadata 'k' occurs at byte 25"},
        {"{\"__metadata__\":{\"k\":\"\",\"k\":\"\"}}", 0, GELU_ERR_DUPLICATE, "\"k\":\"\"}}", 0, "metadata 'k'"},
        {"{\"__metadata__\":{},\"__metadata__\":{}}", 0, GELU_ERR_DUPLICATE, "\"__metadata__\":{}}", 0,
         "__metadata__ occurs at byte 9"},
    };
    check_refused(cases, sizeof cases / sizeof cases[0]);
}

/* Nobody may make the reader build a tree many times the size of the header. */
static void long_descriptions_are_refused(void **state) {
    (void)state;
    const size_t nbytes = 50000000;
    static const char *const starts[] = {"{\"t\":{\"shape\":[0", "{\"__metadata__\":{\"k\":[0"};
    char *header = malloc(nbytes + 1);
    assert_non_null(header);
    for (size_t k = 0; k < 2; k++) {
        gelu_error err;
        for (size_t i = 0; i < nbytes; i++) header[i] = i % 2 ? '0' : ',';
        header[nbytes] = '\0';
        memcpy(header, starts[k], strlen(starts[k]));
        assert_int_equal(st_status(header, 0, &err), GELU_ERR_HEADER);
        assert_non_null(strstr(err.message, k == 0 ? "'t': bad header: too long a value" : "metadata that is not"));
    }
    free(header);
}

static void headers_that_are_fine(void **state) {
    (void)state;
    static const struct {
        const char *header;
        size_t data_nbytes;
    } cases[] = {
        {"{}", 0},
        {"{}  \n\t\r ", 0},
        {"{ \n" A4 " \t, \r\n" F32("b", "[1]", "[4,8]") " }", 8},
        {"{" F32("b", "[1]", "[4,8]") "," A4 "}", 8},
        {"{" F32("z", "[0]", "[4,4]") "," F32("y", "[3,0]", "[0,0]") "," A4 "," F32("x", "[0]", "[0,0]") "}", 4},
        {"{" F32("", "[1]", "[0,4]") "}", 4},
        {"{\"__metadata__\":{\"\":\"\",\"format\":\"pt\"}," A4 "}", 4},
        {"{\"d\":{\"data_offsets\":[0,16],\"shape\":[2],\"dtype\":\"F64\"}}", 16},
        {"{\"d\":{\"data_offsets\":[0,3],\"shape\":[4],\"dtype\":\"F6_E2M3\"}}", 3},
        {"{\"d\":{\"data_offsets\":[0,3],\"shape\":[4],\"dtype\":\"NEW\"}}", 3},
    };
    gelu_error err;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (st_status(cases[i].header, cases[i].data_nbytes, &err)) fail_msg("%s: %s", cases[i].header, err.message);
}

/* Bits of an element of each type that the format knows. */
static void every_type_has_its_size(void **state) {
    (void)state;
    static const struct {
        const char *name;
        size_t nbits;
        gelu_dtype dtype;
        int readable;
    } types[] = {
        {"F64", 64, GELU_F64, 1}, {"F32", 32, GELU_F32, 1}, {"F16", 16, GELU_F16, 1}, {"BF16", 16, GELU_BF16, 1},
        {"I64", 64, 0, 1},        {"I32", 32, 0, 1},        {"I16", 16, 0, 1},        {"I8", 8, 0, 1},
        {"U64", 64, 0, 1},        {"U32", 32, 0, 1},        {"U16", 16, 0, 1},        {"U8", 8, 0, 1},
        {"BOOL", 8, 0, 0},        {"C64", 64, 0, 0},        {"F8_E4M3", 8, 0, 0},     {"F8_E5M2", 8, 0, 0},
        {"F8_E8M0", 8, 0, 0},     {"F8_E4M3FNUZ", 8, 0, 0}, {"F8_E5M2FNUZ", 8, 0, 0}, {"F6_E2M3", 6, 0, 0},
        {"F6_E3M2", 6, 0, 0},     {"F4", 4, 0, 0},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        size_t nbytes = types[i].nbits; /* of eight elements */
        char header[128];
        gelu_safetensors *st;
        snprintf(header, sizeof header, "{\"t\":{\"dtype\":\"%s\",\"shape\":[2,4],\"data_offsets\":[0,%zu]}}",
                 types[i].name, nbytes);
        struct st_bytes made = st_make(header, NULL, nbytes);
        assert_int_equal(gelu_safetensors_open_memory("made", made.bytes, made.nbytes, &st, NULL), GELU_OK);
        assert_int_equal(gelu_safetensors_at(st, 0)->dtype, types[i].dtype);
        assert_int_equal(gelu_safetensors_at(st, 0)->readable, types[i].readable);
        gelu_safetensors_close(st);
        free(made.bytes);
        snprintf(header, sizeof header, "{\"t\":{\"dtype\":\"%s\",\"shape\":[2,4],\"data_offsets\":[0,%zu]}}",
                 types[i].name, nbytes + 1);
        assert_int_equal(st_status(header, nbytes + 1, NULL), GELU_ERR_SIZE_MISMATCH);
    }
}

static gelu_status open_start(const char *bytes, size_t nbytes, gelu_error *err) {
    gelu_safetensors *st;
    uint8_t *copy = malloc(nbytes ? nbytes : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, nbytes);
    gelu_status status = gelu_safetensors_open_memory("made", copy, nbytes, &st, err);
    assert_null(st);
    free(copy);
    return status;
}

static void lengths_are_checked_before_anything_is_made(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t nbytes;
        gelu_status status;
        uint64_t offset;
    } cases[] = {
        {"", 0, GELU_ERR_TRUNCATED, 0},
        {"\2\0\0\0\0\0\0", 7, GELU_ERR_TRUNCATED, 7},
        {"\2\0\0\0\0\0\0\0", 8, GELU_ERR_TRUNCATED, 8},
        {"\2\0\0\0\0\0\0\0{", 9, GELU_ERR_TRUNCATED, 9},
        {"\0\0\0\0\0\0\0\0{}", 10, GELU_ERR_HEADER_LENGTH, 0},
        {"\1\0\0\0\0\0\0\0{}", 10, GELU_ERR_HEADER_LENGTH, 0},
        {"\0\341\365\5\0\0\0\0{}", 10, GELU_ERR_TRUNCATED, 10},    /* 100,000,000 */
        {"\1\341\365\5\0\0\0\0{}", 10, GELU_ERR_HEADER_LENGTH, 0}, /* one more */
        {"\377\377\377\377\377\377\377\377{}", 10, GELU_ERR_HEADER_LENGTH, 0},
        {"\2\0\0\0\0\0\0\200{}", 10, GELU_ERR_HEADER_LENGTH, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gelu_error err;
        gelu_status status = open_start(cases[i].bytes, cases[i].nbytes, &err);
        if (status != cases[i].status || err.offset != cases[i].offset) fail_msg("case %zu: %s", i, err.message);
    }
}

static void other_files_are_named(void **state) {
    (void)state;
    static const struct {
        const char *bytes, *name;
    } cases[] = {
        {"PK\3\4\0\0\10\10\0\0\0\0\0\0!\0", "Python pickle"},
        {"\200\2\212\nl\374\234F\371 j\250P\31.", "Python pickle"},
        {"\200\4\225\200\0\0\0\0\0\0\0}\224(\214", "Python pickle"},
        {"GGUF\3\0\0\0\1\0\0\0\0\0\0", "GGUF"},
        {"tjgg\3\0\0\0\1\0\0\0\0\0\0", "GGML"},
        {"\x93NUMPY\1\0v\0{'desc", ".npy"},
        {"\211HDF\r\n\32\n\0\0\0\0\0\10\10", "HDF5"},
        {"version https://git-lfs.github.com/spec/v1", "Git LFS pointer"},
        {"<!DOCTYPE html><html>", "web page"},
        {"{\"model_type\": \"bert\"}", "JSON text"},
        {"\34\0\0\0TFL3\24\0 \0\34\0\30\0", "TensorFlow Lite"},
    };
    gelu_error err;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(open_start(cases[i].bytes, 16, &err), GELU_ERR_MAGIC);
        if (!strstr(err.message, cases[i].name)) fail_msg("no '%s' in: %s", cases[i].name, err.message);
    }
    /* A header of 640 bytes begins like a pickle, one of 123 like JSON. */
    char header[1000] = "{}";
    static const size_t lengths[] = {640, 896, 123, 60};
    for (size_t i = 0; i < 4; i++) {
        memset(header + 2, ' ', lengths[i] - 2);
        header[lengths[i]] = '\0';
        assert_int_equal(st_status(header, 0, NULL), GELU_OK);
    }
}

static void long_names_leave_room_for_the_reason(void **state) {
    (void)state;
    char name[600], header[800];
    gelu_error err;
    for (size_t i = 0; i + 3 < sizeof name; i += 3) memcpy(name + i, "\xe5\x90\x8d", 4);
    snprintf(header, sizeof header, "{\"%s\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", name);
    assert_int_equal(st_status(header, 4, &err), GELU_ERR_SIZE_MISMATCH);
    assert_non_null(strstr(err.message, "\xe5\x90\x8d...': size mismatch"));
    memset(name, 'n', sizeof name - 1);
    for (size_t length = 90; length < 120; length++) {
        char shown[128];
        name[length] = '\0';
        snprintf(header, sizeof header, "{\"%s\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", name);
        name[length] = 'n';
        snprintf(shown, sizeof shown, "'%.*s%s': size", (int)(length < 104 ? length : 100), name,
                 length < 104 ? "" : "...");
        assert_int_equal(st_status(header, 4, &err), GELU_ERR_SIZE_MISMATCH);
        if (!strstr(err.message, shown)) fail_msg("no %s in %s", shown, err.message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_that_do_not_cover_the_data_once),
        cmocka_unit_test(sizes_must_fit),
        cmocka_unit_test(headers_that_are_not_as_they_should_be),
        cmocka_unit_test(long_descriptions_are_refused),
        cmocka_unit_test(headers_that_are_fine),
        cmocka_unit_test(every_type_has_its_size),
        cmocka_unit_test(lengths_are_checked_before_anything_is_made),
        cmocka_unit_test(other_files_are_named),
        cmocka_unit_test(long_names_leave_room_for_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
