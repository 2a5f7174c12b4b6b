/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdarg.h>
#include <stdio.h>

#include "error.h"

gelu_status train_fail(gelu_error *err, gelu_status status, uint64_t offset, const char *format, ...) {
    if (!err) return status;
    va_list values;
    err->status = status;
    err->offset = offset;
    va_start(values, format);
    vsnprintf(err->message, sizeof err->message, format, values);
    va_end(values);
    return status;
}
