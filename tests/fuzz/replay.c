/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* A harness without libFuzzer, for every compiler: ROUNDS FILE... feeds each file, and ROUNDS mutations of it that are
 * the same in every run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"

enum { ROOM = 4096 };

static uint32_t random_state = 1;

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) {
    if (fuzz_random(&random_state) % 4 == 0 && size < max_size) data[size++] = (uint8_t)fuzz_random(&random_state);
    if (fuzz_random(&random_state) % 4 == 0 && size > 1) size -= 1 + fuzz_random(&random_state) % (size / 2);
    if (size > 0) data[fuzz_random(&random_state) % size] ^= (uint8_t)(1u << fuzz_random(&random_state) % 8);
    return size;
}

/* From memory of exactly this size, so that sanitizers see every over-read. */
static void feed(const uint8_t *data, size_t size) {
    uint8_t *exact = malloc(size);
    if (!exact && size > 0) exit(1);
    if (size > 0) memcpy(exact, data, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static int replay(const char *path, long rounds) {
    static uint8_t first[ROOM], data[ROOM];
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    size_t first_size = fread(first, 1, sizeof first, file), size = first_size;
    fclose(file);
    memcpy(data, first, size);
    feed(data, size);
    for (long i = 0; i < rounds; i++) {
        /* A few steps away from the file, and then from it again. */
        if (i % 4 == 0) memcpy(data, first, size = first_size);
        size = LLVMFuzzerCustomMutator(data, size, sizeof data, fuzz_random(&random_state));
        if (size > sizeof data) return 1;
        feed(data, size);
    }
    return 0;
}

int main(int argc, char **argv) {
    int failed = argc < 3;
    for (int i = 2; i < argc; i++) failed |= replay(argv[i], atol(argv[1]));
    printf("%d inputs\n", argc - 2);
    return failed;
}
