/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* JSON objects walked member by member. jansson reads every key and every value; walking the objects here tells the byte
 * of the file where each member stands, and a header of 100 MB never becomes one tree in memory. */
#ifndef GELU_IO_JSON_H
#define GELU_IO_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include "io/error.h"

struct json_cursor {
    const struct io_context *context;
    const char *text;
    size_t nbytes, at;
    uint64_t base;       /* of text in the file */
    const char *what;    /* how messages begin: "bad header" */
    const char *subject; /* what is being read, for messages: a tensor's name, or NULL */
    bool behind_member;
};

/* A name as a message shows it. */
struct json_shown {
    char text[104];
};
struct json_shown gelu_json_shown(const char *name);

/* Refuses nesting deeper than this before jansson recurses into it. */
gelu_status gelu_json_check_depth(const struct json_cursor *c, unsigned deepest);
gelu_status gelu_json_enter(struct json_cursor *c); /* steps over the { of an object */
/* The next member's key, which the caller releases, and its byte in the file; NULL behind the last one. The cursor then
 * stands before the value, which gelu_json_value or gelu_json_enter must take. */
gelu_status gelu_json_next(struct json_cursor *c, json_t **key, uint64_t *at);
/* A whole value of at most longest bytes, which the caller releases: a tree takes some twenty times the memory of its
 * text. Members of objects that occur twice are GELU_ERR_DUPLICATE. */
gelu_status gelu_json_value(struct json_cursor *c, size_t longest, json_t **out);
/* The same, but it must be a string, of any length; reason says so otherwise. */
gelu_status gelu_json_string(struct json_cursor *c, const char *reason, json_t **out);
gelu_status gelu_json_end(struct json_cursor *c); /* only white space may follow */
/* GELU_ERR_HEADER at the cursor, for the caller's own reasons. */
gelu_status gelu_json_malformed(const struct json_cursor *c, const char *reason);

/* A whole document that is an object, which the caller releases; what begins messages: "bad config". */
gelu_status gelu_json_load(const struct io_context *context, const char *what, unsigned deepest, const char *text,
                           size_t nbytes, json_t **out);
/* The byte of such a document where it has the member of this name; 0 when it has none. */
uint64_t gelu_json_place(const struct io_context *context, const char *text, size_t nbytes, const char *key);

/* An array that begins as NULL with room for one more element than count: where it is now; NULL, and all as it was, when
 * memory is out. */
void *gelu_json_grown(void *array, size_t count, size_t *capacity, size_t element_nbytes);

#endif
