/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdio.h>
#include <string.h>
#include "model/model.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool gelu_model_match(const char *pattern, const char *name, struct numbers *out) {
    enum { MOST_DIGITS = 9 };
    out->count = 0;
    for (; *pattern; pattern++) {
        if (*pattern != '#') {
            if (*pattern != *name++) return false;
            continue;
        }
        const char *first = name;
        size_t value = 0;
        while (is_digit(*name) && name - first < MOST_DIGITS) value = value * 10 + (size_t)(*name++ - '0');
        /* 07 is not how any of them writes 7, and would make two names of one block. */
        if (name == first || is_digit(*name) || (*first == '0' && name - first > 1)) return false;
        if (out->count == MODEL_NUMBERS) return false;
        out->at[out->count++] = value;
    }
    return *name == '\0';
}

bool gelu_model_fill(const char *pattern, const struct numbers *numbers, char out[MODEL_NAME]) {
    size_t used = 0, next = 0;
    for (; *pattern; pattern++) {
        char digits[24] = {*pattern, '\0'};
        if (*pattern == '#') snprintf(digits, sizeof digits, "%zu", next < numbers->count ? numbers->at[next++] : 0);
        size_t length = strlen(digits);
        if (used + length >= MODEL_NAME) return false;
        memcpy(out + used, digits, length);
        used += length;
    }
    out[used] = '\0';
    return true;
}

bool gelu_model_word(const char *list, char separator, size_t i, char out[MODEL_NAME]) {
    for (; list; i--) {
        const char *end = strchr(list, separator);
        size_t length = end ? (size_t)(end - list) : strlen(list);
        if (i == 0 && length < MODEL_NAME) {
            memcpy(out, list, length);
            out[length] = '\0';
            return true;
        }
        if (i == 0) return false;
        list = end ? end + 1 : NULL;
    }
    return false;
}

bool gelu_model_has_word(const char *list, const char *word) {
    char one[MODEL_NAME];
    for (size_t i = 0; gelu_model_word(list, ' ', i, one); i++)
        if (strcmp(one, word) == 0) return true;
    return false;
}
