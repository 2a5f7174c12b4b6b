/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Just enough of safetensors to read a known file in a test: an 8-byte length, a JSON header, the data. Trusts the file.
 * Include after cmocka.h. */
#ifndef GELU_TESTS_SAFETENSORS_H
#define GELU_TESTS_SAFETENSORS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The f32 data of the one tensor whose name ends with suffix, which must have count elements. Release with free. */
static inline float *safetensors_read(const char *path, const char *suffix, size_t count) {
    FILE *file = fopen(path, "rb");
    uint64_t nbytes = 0;
    if (!file || fread(&nbytes, sizeof nbytes, 1, file) != 1) fail_msg("cannot read %s", path);
    char *header = calloc(nbytes + 1, 1), name[128];
    assert_non_null(header);
    assert_int_equal(fread(header, 1, nbytes, file), nbytes);
    snprintf(name, sizeof name, "%s\":", suffix);
    const char *entry = strstr(header, name);
    if (!entry) fail_msg("%s: no %s", path, suffix);
    assert_non_null(strstr(entry, "\"F32\""));
    const char *offsets = strstr(entry, "\"data_offsets\":[");
    assert_non_null(offsets);
    unsigned long long begin, end;
    assert_int_equal(sscanf(offsets, "\"data_offsets\":[%llu,%llu]", &begin, &end), 2);
    assert_int_equal(end - begin, count * sizeof(float));
    float *data = malloc(count * sizeof *data);
    assert_non_null(data);
    assert_int_equal(fseek(file, (long)(8 + nbytes + begin), SEEK_SET), 0);
    assert_int_equal(fread(data, sizeof *data, count, file), count);
    free(header);
    fclose(file);
    return data;
}

#endif
