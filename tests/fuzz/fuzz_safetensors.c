/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "io/refused.h"

static void check_tensor(const gelu_safetensors *st, const gelu_safetensors_tensor *t, const uint8_t *data,
                         uint8_t *covered) {
    const void *view;
    float *values = malloc((t->count < 4096 ? t->count : 4096) * sizeof *values + 1);
    size_t some = t->count < 4096 ? t->count : 4096;
    FUZZ_CHECK(values && t->ndim <= GELU_MAX_NDIM && gelu_safetensors_find(st, t->name) == t);
    for (size_t i = 0; i < t->nbytes; i++) FUZZ_CHECK(covered[t->offset + i]++ == 0);
    gelu_status status = gelu_safetensors_view(st, t, 0, &view, NULL);
    FUZZ_CHECK(status == (t->readable ? GELU_OK : GELU_ERR_DTYPE));
    if (!status && t->nbytes > 0) FUZZ_CHECK(memcmp(view, data + t->offset, t->nbytes) == 0);
    status = gelu_safetensors_read(st, t, 0, some, GELU_F32, values, NULL);
    FUZZ_CHECK(status == (t->dtype ? GELU_OK : GELU_ERR_DTYPE));
    free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gelu_safetensors *st;
    gelu_error err;
    gelu_status status = gelu_safetensors_open_memory("input", data, size, &st, &err);
    fuzz_check_error(status, &err, size);
    FUZZ_CHECK((status == GELU_OK) == (st != NULL));
    if (status) return 0;
    /* Every byte behind the header belongs to exactly one tensor. */
    uint8_t *covered = calloc(size, 1);
    size_t header = 0;
    FUZZ_CHECK(covered);
    for (int i = 0; i < 8; i++) header |= (size_t)data[i] << 8 * i;
    for (size_t i = 0; i < gelu_safetensors_count(st); i++) check_tensor(st, gelu_safetensors_at(st, i), data, covered);
    for (size_t i = 8 + header; i < size; i++) FUZZ_CHECK(covered[i] == 1);
    free(covered);
    const char *key, *value;
    for (size_t i = 0; (key = gelu_safetensors_metadata_at(st, 0, i, &value)); i++)
        FUZZ_CHECK(gelu_safetensors_metadata(st, 0, key) == value);
    status = gelu_refused_tensors(st, &err);
    fuzz_check_error(status, &err, size);
    gelu_safetensors_close(st);
    return 0;
}

static const char *const words[] = {"dtype",
                                    "shape",
                                    "data_offsets",
                                    "__metadata__",
                                    "a",
                                    "b",
                                    "F64",
                                    "F32",
                                    "F16",
                                    "BF16",
                                    "I64",
                                    "I32",
                                    "I16",
                                    "I8",
                                    "U8",
                                    "BOOL",
                                    "C64",
                                    "F8_E4M3",
                                    "F6_E2M3",
                                    "F4",
                                    "NEW",
                                    "",
                                    "l.qweight",
                                    "l.g_idx",
                                    "l.weight_scale",
                                    "l.SCB",
                                    "m.experts.0.w",
                                    "l.weight",
                                    "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}",
                                    ",\"b\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[4,8]}",
                                    ",\"z\":{\"dtype\":\"I8\",\"shape\":[0],\"data_offsets\":[4,4]}",
                                    "\"__metadata__\":{\"k\":\"v\"},",
                                    NULL};

/* The end of the data that a header speaks of, so that the file can get that size. */
static size_t wanted_data(const char *text, size_t size) {
    static const char key[] = "data_offsets\":[";
    size_t most = 0;
    for (size_t i = 0; i + sizeof key < size; i++) {
        if (memcmp(text + i, key, sizeof key - 1) != 0) continue;
        size_t at = i + sizeof key - 1, end = 0;
        while (at < size && text[at] != ',' && text[at] != ']') at++;
        for (at++; at < size && text[at] >= '0' && text[at] <= '9' && end < 100000; at++)
            end = end * 10 + (size_t)(text[at] - '0');
        if (end > most && end < 100000) most = end;
    }
    return most;
}

/* The length of the header stays right most of the time, and the size of the data often. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
    uint32_t state = seed;
    char header[2048];
    if (size < 9 || max_size < 64 || fuzz_random(&state) % 16 == 0) return LLVMFuzzerMutate(data, size, max_size);
    size_t length = data[0] | (size_t)data[1] << 8;
    if (length > size - 8) length = size - 8;
    if (length > sizeof header) return LLVMFuzzerMutate(data, size, max_size);
    size_t tail = size - 8 - length;
    memcpy(header, data + 8, length);
    length = fuzz_mutate_text(header, length, sizeof header, words, &state);
    if (fuzz_random(&state) % 2) tail = wanted_data(header, length) + (fuzz_random(&state) % 16 == 0);
    if (8 + length + tail > max_size) tail = 0;
    if (8 + length > max_size) return LLVMFuzzerMutate(data, size, max_size);
    memset(data, 0, 8);
    data[0] = (uint8_t)length;
    data[1] = (uint8_t)(length >> 8);
    memcpy(data + 8, header, length);
    for (size_t i = 0; i < tail; i++) data[8 + length + i] = (uint8_t)i;
    return 8 + length + tail;
}
