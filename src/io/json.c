/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/size.h"
#include "io/json.h"

struct json_shown gelu_json_shown(const char *name) {
    struct json_shown shown;
    size_t length = strlen(name), kept = length;
    if (length >= sizeof shown.text) {
        kept = sizeof shown.text - 4;
        while (((unsigned char)name[kept] & 0xc0) == 0x80) kept--; /* not inside a UTF-8 character */
    }
    memcpy(shown.text, name, kept);
    strcpy(shown.text + kept, kept < length ? "..." : "");
    return shown;
}

static gelu_status fail(const struct json_cursor *c, gelu_status status, size_t at, const char *reason) {
    const char *separator = c->subject ? ": " : "";
    struct json_shown subject = gelu_json_shown(c->subject ? c->subject : "");
    const char *quote = c->subject ? "'" : "";
    return gelu_io_fail_at(c->context, status, c->base + at, "%s%s%s%s%s: %s", quote, subject.text, quote, separator,
                           c->what, reason);
}

gelu_status gelu_json_malformed(const struct json_cursor *c, const char *reason) {
    return fail(c, GELU_ERR_HEADER, c->at, reason);
}

gelu_status gelu_json_check_depth(const struct json_cursor *c, unsigned deepest) {
    unsigned depth = 0;
    bool in_string = false;
    for (size_t i = c->at; i < c->nbytes; i++) {
        char now = c->text[i];
        if (in_string) {
            if (now == '\\') i++;
            in_string = now != '"';
        } else if (now == '"') {
            in_string = true;
        } else if (now == '{' || now == '[') {
            if (depth++ == deepest) return fail(c, GELU_ERR_HEADER, i, "nested too deeply");
        } else if ((now == '}' || now == ']') && depth > 0) {
            depth--;
        }
    }
    return GELU_OK;
}

static void skip_space(struct json_cursor *c) {
    while (c->at < c->nbytes && memchr(" \t\n\r", c->text[c->at], 4)) c->at++;
}

static bool accept(struct json_cursor *c, char wanted) {
    skip_space(c);
    if (c->at == c->nbytes || c->text[c->at] != wanted) return false;
    c->at++;
    return true;
}

gelu_status gelu_json_enter(struct json_cursor *c) {
    if (!accept(c, '{')) return gelu_json_malformed(c, "there should be an object, { ... }");
    c->behind_member = false;
    return GELU_OK;
}

static gelu_status status_of(enum json_error_code code) {
    switch (code) {
    case json_error_duplicate_key: return GELU_ERR_DUPLICATE;
    case json_error_numeric_overflow: return GELU_ERR_OVERFLOW;
    case json_error_out_of_memory: return GELU_ERR_MEMORY;
    default: return GELU_ERR_HEADER;
    }
}

gelu_status gelu_json_value(struct json_cursor *c, size_t longest, json_t **out) {
    json_error_t error;
    skip_space(c);
    size_t left = c->nbytes - c->at, window = left < longest ? left : longest;
    *out =
        json_loadb(c->text + c->at, window, JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);
    size_t used = error.position > 0 ? (size_t)error.position : 0;
    if (!*out && window < left && used == window) return fail(c, GELU_ERR_HEADER, c->at + used, "too long a value");
    if (!*out) return fail(c, status_of(json_error_code(&error)), c->at + used, error.text);
    c->at += used;
    c->behind_member = true;
    return GELU_OK;
}

gelu_status gelu_json_string(struct json_cursor *c, const char *reason, json_t **out) {
    *out = NULL;
    skip_space(c);
    if (c->at == c->nbytes || c->text[c->at] != '"') return gelu_json_malformed(c, reason);
    return gelu_json_value(c, SIZE_MAX, out);
}

gelu_status gelu_json_next(struct json_cursor *c, json_t **key, uint64_t *at) {
    *key = NULL;
    c->subject = NULL;
    bool first = !c->behind_member;
    if (accept(c, '}')) {
        c->behind_member = true;
        return GELU_OK;
    }
    if (!first && !accept(c, ',')) return gelu_json_malformed(c, "a comma or } is missing");
    skip_space(c);
    *at = c->base + c->at;
    gelu_status status = gelu_json_string(c, "a quoted name is missing", key);
    if (status) return status;
    if (accept(c, ':')) return GELU_OK;
    json_decref(*key);
    *key = NULL;
    return gelu_json_malformed(c, "a colon is missing");
}

gelu_status gelu_json_end(struct json_cursor *c) {
    skip_space(c);
    return c->at == c->nbytes ? GELU_OK : gelu_json_malformed(c, "there is more after the }");
}

gelu_status gelu_json_load(const struct io_context *context, const char *what, unsigned deepest, const char *text,
                           size_t nbytes, json_t **out) {
    struct json_cursor c = {.context = context, .text = text, .nbytes = nbytes, .what = what};
    *out = NULL;
    gelu_status status = gelu_json_check_depth(&c, deepest);
    if (status) return status;
    skip_space(&c);
    if (c.at == nbytes || text[c.at] != '{') return gelu_json_malformed(&c, "it does not begin with {");
    status = gelu_json_value(&c, SIZE_MAX, out);
    if (!status) status = gelu_json_end(&c);
    if (!status) return GELU_OK;
    json_decref(*out);
    *out = NULL;
    return status;
}

uint64_t gelu_json_place(const struct io_context *context, const char *text, size_t nbytes, const char *key) {
    const struct io_context silent = {context->name, NULL};
    struct json_cursor c = {.context = &silent, .text = text, .nbytes = nbytes, .what = ""};
    json_t *name, *value;
    uint64_t at;
    if (gelu_json_enter(&c)) return 0;
    while (!gelu_json_next(&c, &name, &at) && name) {
        bool found = strcmp(json_string_value(name), key) == 0;
        json_decref(name);
        if (found) return at;
        if (gelu_json_value(&c, SIZE_MAX, &value)) return 0;
        json_decref(value);
    }
    return 0;
}

void *gelu_json_grown(void *array, size_t count, size_t *capacity, size_t element_nbytes) {
    if (count < *capacity) return array;
    size_t wanted = *capacity ? *capacity : 8, nbytes;
    if (!size_mul(wanted, 2, &wanted) || !size_mul(wanted, element_nbytes, &nbytes)) return NULL;
    void *grown = realloc(array, nbytes);
    if (grown) *capacity = wanted;
    return grown;
}
