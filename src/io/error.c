/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "io/error.h"

/* A longer name keeps its end, so that the reason always fits behind it. */
#define MAX_NAME 240

void gelu_io_error_clear(gelu_error *err) {
    if (!err) return;
    err->status = GELU_OK;
    err->offset = 0;
    err->message[0] = '\0';
}

/* A message is one line, whatever the name of the file or the bytes in it. */
static void one_line(char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f) *text = '?';
}

static void fill(const struct io_context *context, gelu_status status, uint64_t offset, const char *place,
                 const char *format, va_list args) {
    gelu_error *err = context->err;
    if (!err) return;
    err->status = status;
    err->offset = offset;
    const char *name = context->name, *cut = "";
    size_t length = strlen(name);
    if (length > MAX_NAME) {
        name += length - MAX_NAME;
        while (((unsigned char)*name & 0xc0) == 0x80) name++; /* not inside a UTF-8 character */
        cut = "...";
    }
    int used = snprintf(err->message, sizeof err->message, "%s%s: %s", cut, name, place);
    vsnprintf(err->message + used, sizeof err->message - (size_t)used, format, args);
    one_line(err->message);
}

gelu_status gelu_io_fail(const struct io_context *context, gelu_status status, uint64_t offset, const char *format,
                         ...) {
    va_list args;
    va_start(args, format);
    fill(context, status, offset, "", format, args);
    va_end(args);
    return status;
}

gelu_status gelu_io_fail_at(const struct io_context *context, gelu_status status, uint64_t offset, const char *format,
                            ...) {
    char place[40];
    va_list args;
    snprintf(place, sizeof place, "at byte %llu: ", (unsigned long long)offset);
    va_start(args, format);
    fill(context, status, offset, place, format, args);
    va_end(args);
    return status;
}

gelu_status gelu_io_fail_memory(const struct io_context *context) {
    return gelu_io_fail(context, GELU_ERR_MEMORY, 0, "out of memory");
}

gelu_status gelu_io_fail_null(const struct io_context *context) {
    return gelu_io_fail(context, GELU_ERR_ARGUMENT, 0, "a NULL pointer");
}

gelu_status gelu_io_fail_errno(const struct io_context *context, int error_number, const char *what) {
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c) return gelu_io_fail(context, GELU_ERR_IO, 0, "%s: error %d", what, error_number);
    gelu_status status = gelu_io_fail(context, GELU_ERR_IO, 0, "%s: %s", what, strerror_l(error_number, c));
    freelocale(c);
    return status;
}
