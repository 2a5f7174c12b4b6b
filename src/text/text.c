/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdlib.h>
#include <string.h>
#include "base/size.h"
#include "text/text.h"

static bool reserve(struct text *text, size_t nbytes) {
    size_t need;
    if (text->failed || !size_add(text->used, nbytes, &need)) return false;
    if (need <= text->room) return true;
    size_t room = text->room < 256 ? 256 : text->room;
    while (room < need && size_mul(room, 2, &room)) continue;
    char *grown = room >= need ? realloc(text->data, room) : NULL;
    if (!grown) return false;
    text->data = grown;
    text->room = room;
    return true;
}

void gelu_text_add(struct text *text, const char *bytes, size_t nbytes) {
    if (!reserve(text, nbytes)) {
        text->failed = true;
        return;
    }
    if (nbytes > 0) memcpy(text->data + text->used, bytes, nbytes);
    text->used += nbytes;
}

void gelu_text_string(struct text *text, const char *string) { gelu_text_add(text, string, strlen(string)); }

void gelu_text_repeat(struct text *text, char c, size_t count) {
    if (!reserve(text, count)) {
        text->failed = true;
        return;
    }
    if (count > 0) memset(text->data + text->used, c, count);
    text->used += count;
}

void gelu_text_strip_spaces(struct text *text) {
    while (text->used > 0 && text->data[text->used - 1] == ' ') text->used--;
}

size_t gelu_text_last_line(const struct text *text) {
    size_t length = 0;
    while (length < text->used && text->data[text->used - 1 - length] != '\n') length++;
    return length;
}

gelu_status gelu_text_finish(struct text *text, char **out) {
    gelu_text_add(text, "", 1);
    if (text->failed) {
        free(text->data);
        return GELU_ERR_MEMORY;
    }
    *out = text->data;
    return GELU_OK;
}

void gelu_text_free(char *text) { free(text); }

/* The digit of 10^-place counted from the point: place 1 is the first after it. */
static char digit_at(const struct decimal *value, int place) {
    int i = value->point + place - 1;
    return i >= 0 && i < value->count ? value->digits[i] : '0';
}

size_t gelu_text_fixed(char *out, bool negative, const struct decimal *value, size_t places, bool always_point) {
    char *at = out;
    if (negative) *at++ = '-';
    for (int place = value->point > 0 ? 1 - value->point : 0; place <= 0; place++) *at++ = digit_at(value, place);
    if (places > 0 || always_point) *at++ = '.';
    for (int place = 1; place <= (int)places; place++) *at++ = digit_at(value, place);
    return (size_t)(at - out);
}

size_t gelu_text_exponent(char *out, bool negative, const struct decimal *value, size_t places, bool always_point,
                          size_t exponent_digits) {
    struct decimal unit = *value;
    int exponent = value->count > 0 ? value->point - 1 : 0;
    unit.point = value->count > 0 ? 1 : 0;
    char *at = out + gelu_text_fixed(out, negative, &unit, places, always_point);
    *at++ = 'e';
    *at++ = exponent < 0 ? '-' : '+';
    unsigned rest = (unsigned)(exponent < 0 ? -exponent : exponent);
    size_t length = rest < 100 ? 2 : 3;
    if (length < exponent_digits) length = exponent_digits;
    for (size_t i = length; i-- > 0; rest /= 10) at[i] = (char)('0' + rest % 10);
    return (size_t)(at + length - out);
}

size_t gelu_text_nonfinite(char *out, const struct float_parts *parts) {
    const char *word = parts->kind == FLOAT_NAN ? "nan" : parts->negative ? "-inf" : "inf";
    size_t length = strlen(word);
    memcpy(out, word, length);
    return length;
}
