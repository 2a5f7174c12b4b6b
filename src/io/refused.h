/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Checkpoints that are well-formed but are refused by name, so that nobody gets numbers from weights misread: quantised
 * ones, and mixtures of experts. Other kinds of files are refused when they are opened. */
#ifndef GELU_IO_REFUSED_H
#define GELU_IO_REFUSED_H

#include "io/json.h"

/* GELU_ERR_UNSUPPORTED when the names or types of tensors say so. */
gelu_status gelu_refused_tensors(const gelu_safetensors *st, gelu_error *err);
/* GELU_ERR_UNSUPPORTED when a config.json says so; text is what root was read from. */
gelu_status gelu_refused_config(const struct io_context *context, const char *text, size_t nbytes, const json_t *root);

#endif
