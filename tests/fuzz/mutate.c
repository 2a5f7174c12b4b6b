/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <string.h>
#include "fuzz.h"

static const char *const numbers[] = {"0",          "1",          "2",
                                      "3",          "4",          "6",
                                      "8",          "12",         "16",
                                      "24",         "64",         "65",
                                      "-1",         "-0",         "255",
                                      "256",        "65536",      "2147483648",
                                      "4294967295", "4294967296", "2305843009213693951",
                                      "1.5",        "1e400",      "2305843009213693952",
                                      "true",       "null",       "4611686018427387904",
                                      "\"4\"",      "[]",         "9223372036854775807",
                                      "{}",         "1e-12",      "9223372036854775808",
                                      "007",        "1L",         "18446744073709551615",
                                      "+1",         "0x10",       "18446744073709551616"};

uint32_t fuzz_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

void fuzz_check_error(gelu_status status, const gelu_error *err, size_t size) {
    FUZZ_CHECK(err->status == status);
    FUZZ_CHECK((status == GELU_OK) == (err->message[0] == '\0'));
    FUZZ_CHECK(memchr(err->message, '\0', sizeof err->message) != NULL);
    FUZZ_CHECK(strpbrk(err->message, "\n\r\t\033") == NULL);
    FUZZ_CHECK(err->offset <= size);
}

static const char *random_word(const char *const *words, uint32_t *state) {
    size_t count = 0;
    while (words[count]) count++;
    return words[fuzz_random(state) % count];
}

/* Puts length bytes where text[at, at + removed) was; nothing when they do not fit. */
static size_t splice(char *text, size_t size, size_t room, size_t at, size_t removed, const char *bytes,
                     size_t length) {
    if (size - removed + length > room) return size;
    memmove(text + at + length, text + at + removed, size - at - removed);
    memcpy(text + at, bytes, length);
    return size - removed + length;
}

/* The first place from a random one on, going around, that holds one of these characters; size when none does. */
static size_t find(const char *text, size_t size, const char *any, uint32_t *state) {
    size_t start = size ? fuzz_random(state) % size : 0;
    for (size_t i = 0; i < size; i++) {
        size_t at = (start + i) % size;
        if (text[at] && strchr(any, text[at])) return at;
    }
    return size;
}

static size_t replace_number(char *text, size_t size, size_t room, uint32_t *state) {
    size_t at = find(text, size, "0123456789", state), end = at;
    const char *number = numbers[fuzz_random(state) % (sizeof numbers / sizeof numbers[0])];
    while (at > 0 && at < size && strchr("0123456789-", text[at - 1])) at--;
    while (end < size && text[end] >= '0' && text[end] <= '9') end++;
    return splice(text, size, room, at, end - at, number, strlen(number));
}

static size_t replace_word(char *text, size_t size, size_t room, const char *const *words, uint32_t *state) {
    size_t at = find(text, size, "\"'", state), end = at + 1;
    const char *word = random_word(words, state);
    if (at == size) return size;
    while (end < size && text[end] != text[at]) end++;
    return splice(text, size, room, at + 1, end - at - 1, word, strlen(word));
}

/* Copies or moves what stands between two separators behind a third one. */
static size_t copy_span(char *text, size_t size, size_t room, uint32_t *state) {
    char span[256];
    size_t from = find(text, size, "{[(,", state), to = from;
    for (size_t skip = 1 + fuzz_random(state) % 12; to < size && skip > 0; skip--)
        for (to++; to < size && !strchr("}]),", text[to]);) to++;
    if (from == size || to - from > sizeof span) return size;
    memcpy(span, text + from, to - from);
    size_t at = find(text, size, "{[(,}])", state);
    if (span[0] != ',') span[0] = fuzz_random(state) % 2 ? ',' : span[0];
    return splice(text, size, room, at, 0, span, to - from);
}

static size_t remove_span(char *text, size_t size, size_t room, uint32_t *state) {
    size_t from = find(text, size, "{[(,:\"", state), to = from;
    for (size_t skip = 1 + fuzz_random(state) % 6; to < size && skip > 0; skip--)
        for (to++; to < size && !strchr("}]),:\"", text[to]);) to++;
    return from == size ? size : splice(text, size, room, from, to - from, "", 0);
}

static size_t insert_text(char *text, size_t size, size_t room, const char *const *words, uint32_t *state) {
    static const char *const pieces[] = {" ", "\n", ",",       ":",  "{",    "}", "[",
                                         "]", "\"", "\\u0061", "\\", "\xff", "(", ")"};
    char repeated[64];
    size_t at = find(text, size, "{[(,:}])\"'", state);
    if (fuzz_random(state) % 4 == 0) {
        const char *word = random_word(words, state);
        return splice(text, size, room, at, 0, word, strlen(word));
    }
    const char *piece = pieces[fuzz_random(state) % (sizeof pieces / sizeof pieces[0])];
    if (fuzz_random(state) % 8) return splice(text, size, room, at, 0, piece, strlen(piece));
    memset(repeated, piece[0], sizeof repeated);
    return splice(text, size, room, at, 0, repeated, 1 + fuzz_random(state) % sizeof repeated);
}

/* The words, or lines, that a random place is in: from *first up to the next separator, or the end. */
static size_t span(const char *text, size_t size, const char *separators, size_t *first, uint32_t *state) {
    size_t at = size ? fuzz_random(state) % size : 0, end = at;
    while (at > 0 && !(text[at - 1] && strchr(separators, text[at - 1]))) at--;
    while (end < size && !(text[end] && strchr(separators, text[end]))) end++;
    *first = at;
    return end - at;
}

size_t fuzz_mutate_lines(char *text, size_t size, size_t room, const char *const *words, uint32_t *state) {
    for (uint32_t times = 1 + fuzz_random(state) % 3; times > 0; times--) {
        char line[256];
        size_t first, length;
        const char *word = random_word(words, state);
        switch (fuzz_random(state) % 8) {
        case 0: size = LLVMFuzzerMutate((uint8_t *)text, size, room); break;
        case 1: size = replace_number(text, size, room, state); break;
        case 2: /* a line less */
            length = span(text, size, "\n", &first, state);
            size = splice(text, size, room, first, length + (first + length < size), "", 0);
            break;
        case 3: /* a line twice */
            length = span(text, size, "\n", &first, state);
            if (length + 1 > sizeof line) break;
            memcpy(line, text + first, length);
            line[length] = '\n';
            size = splice(text, size, room, first, 0, line, length + 1);
            break;
        case 4: /* a line more */
            length = span(text, size, "\n", &first, state);
            size = splice(text, size, room, first, 0, "\n", 1);
            size = splice(text, size, room, first, 0, word, strlen(word));
            break;
        case 5: /* a word less */
            length = span(text, size, " .,\n", &first, state);
            size = splice(text, size, room, first, length + (first + length < size), "", 0);
            break;
        default:
            length = span(text, size, " .,\n", &first, state);
            size = splice(text, size, room, first, length, word, strlen(word));
        }
    }
    return size;
}

size_t fuzz_mutate_text(char *text, size_t size, size_t room, const char *const *words, uint32_t *state) {
    for (uint32_t times = 1 + fuzz_random(state) % 3; times > 0; times--) switch (fuzz_random(state) % 8) {
        case 0: size = LLVMFuzzerMutate((uint8_t *)text, size, room); break;
        case 1:
        case 2: size = replace_number(text, size, room, state); break;
        case 3: size = replace_word(text, size, room, words, state); break;
        case 4:
        case 5: size = copy_span(text, size, room, state); break;
        case 6: size = remove_span(text, size, room, state); break;
        default: size = insert_text(text, size, room, words, state); break;
        }
    return size;
}
