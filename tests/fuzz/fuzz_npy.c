/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"

static void check_array(const gelu_npy *npy, size_t size, bool whole) {
    const gelu_tensor *info = gelu_npy_info(npy);
    size_t element = gelu_dtype_nbytes(info->dtype), count = info->count;
    FUZZ_CHECK(element > 0 && count <= size / (whole ? 1 : element) && info->ndim <= GELU_MAX_NDIM);
    unsigned char *all = malloc(count * element + 1), *half = malloc(count * element + 1);
    FUZZ_CHECK(all && half);
    FUZZ_CHECK(gelu_npy_read_range(npy, 0, count, all) == GELU_OK);
    FUZZ_CHECK(gelu_npy_read_range(npy, count / 2, count - count / 2, half) == GELU_OK);
    FUZZ_CHECK(memcmp(all + count / 2 * element, half, (count - count / 2) * element) == 0);
    if (info->data) FUZZ_CHECK(memcmp(all, info->data, count * element) == 0);
    free(all);
    free(half);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (int asked = 0; asked < 4; asked++) {
        const gelu_npy_options options = {.v2_is_bf16 = asked & 1, .whole_numbers = asked & 2};
        gelu_npy *npy;
        gelu_error err;
        gelu_status status = gelu_npy_open_memory("input", data, size, &options, &npy, &err);
        fuzz_check_error(status, &err, size);
        FUZZ_CHECK((status == GELU_OK) == (npy != NULL));
        if (npy) check_array(npy, size, options.whole_numbers);
        gelu_npy_close(npy);
    }
    return 0;
}

static const char *const words[] = {"descr", "fortran_order", "shape", "<f4",   ">f8", "<f2", "|V2", ">V2",
                                    "<V2",   "=f4",           "|O",    "<i8",   "|b1", ">u2", "|u1", "<c8",
                                    "<U3",   "f99999",        "True",  "False", "(",   "3L",  NULL};

/* Magic, version and length stay right most of the time. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
    uint32_t state = seed;
    char header[1024];
    if (size < 12 || max_size < 128 || fuzz_random(&state) % 16 == 0) return LLVMFuzzerMutate(data, size, max_size);
    size_t start = data[6] == 1 ? 10 : 12, length = data[8] | (size_t)data[9] << 8;
    if (length > size - start) length = size - start;
    if (length > sizeof header) return LLVMFuzzerMutate(data, size, max_size);
    size_t tail = size - start - length, changed;
    memcpy(header, data + start, length);
    changed = fuzz_mutate_text(header, length, sizeof header, words, &state);
    if (fuzz_random(&state) % 4 == 0) tail = fuzz_random(&state) % 49;
    size_t version = fuzz_random(&state) % 32 ? data[6] : fuzz_random(&state) % 5;
    if (start + changed + tail > max_size) return LLVMFuzzerMutate(data, size, max_size);
    size_t new_start = version == 1 ? 10 : 12;
    memset(data, 0, new_start + changed + tail < max_size ? new_start + changed + tail : max_size);
    memcpy(data, "\x93NUMPY", 6);
    data[6] = (uint8_t)version;
    data[8] = (uint8_t)changed;
    data[9] = (uint8_t)(changed >> 8);
    if (new_start + changed + tail > max_size) return new_start;
    memcpy(data + new_start, header, changed);
    for (size_t i = 0; i < tail; i++) data[new_start + changed + i] = (uint8_t)i;
    return new_start + changed + tail;
}
