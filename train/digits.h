/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The idx files of data/, which cmake/digits.cmake makes arrays of. */
#ifndef GELU_TRAIN_DIGITS_H
#define GELU_TRAIN_DIGITS_H

#include <stddef.h>

extern const unsigned char train_digits_images[], train_digits_labels[];
extern const size_t train_digits_images_nbytes, train_digits_labels_nbytes;

#endif
