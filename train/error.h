/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#ifndef GELU_TRAIN_ERROR_H
#define GELU_TRAIN_ERROR_H

#include "gelu_io.h"

/* Fills err, when there is one, and returns status. */
gelu_status train_fail(gelu_error *err, gelu_status status, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
