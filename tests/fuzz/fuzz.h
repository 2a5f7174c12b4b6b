/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What the harnesses share. fuzz_<name>.c is one harness: LLVMFuzzerTestOneInput feeds one parser and checks what must hold
 * of its answer, LLVMFuzzerCustomMutator changes inputs so that most still get past the first check. */
#ifndef GELU_TESTS_FUZZ_H
#define GELU_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include "gelu_io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size); /* libFuzzer's own, or the one of replay.c */

/* Ends the program, so that the fuzzer keeps the input, when something that must hold does not. */
#define FUZZ_CHECK(condition)                                                                                          \
    do                                                                                                                 \
        if (!(condition)) __builtin_trap();                                                                            \
    while (0)

/* What must hold of every answer: a message exactly when there is an error, on one line, and a place in the input. */
void fuzz_check_error(gelu_status status, const gelu_error *err, size_t size);

uint32_t fuzz_random(uint32_t *state);
/* Changes a text of numbers, quoted words and brackets, in place; returns its new size, at most room. words end in NULL. */
size_t fuzz_mutate_text(char *text, size_t size, size_t room, const char *const *words, uint32_t *state);
/* The same for lines of words with spaces, commas and points between them. */
size_t fuzz_mutate_lines(char *text, size_t size, size_t room, const char *const *words, uint32_t *state);

#endif
