/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Labelled samples: idx files as MNIST has them, .npy files, or the 8x8 digits that are built in. */
#ifndef GELU_TRAIN_DATA_H
#define GELU_TRAIN_DATA_H

#include <stddef.h>
#include <stdint.h>
#include "gelu_io.h"

typedef struct {
    size_t count, features, classes;
    float *x;        /* (count, features) */
    uint32_t *label; /* (count), each below classes */
    uint64_t hash;   /* of all of it */
} train_set;

typedef struct {
    const char *name; /* "digits", or the folder as it was given; must outlive the struct */
    train_set train, test;
} train_data;

/* What gelu compare takes for seed: the same test samples whatever its own. */
enum { TRAIN_DIGITS_SPLIT = 42 };

/* The 1,797 real 8x8 digits of UCI's optdigits, in an order that seed draws, 80 % of them for training; pixels in
 * [0, 1]. */
gelu_status train_data_digits(uint64_t seed, train_data *out, gelu_error *err);

/* A folder with train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte, each
 * as it is or with .gz; pixels are divided by the largest one of the training images. Or a folder with x_train.npy,
 * y_train.npy, x_test.npy and y_test.npy of any type of numbers: x (count, ...), u8 divided by the largest one of
 * x_train, others taken as they are; y (count) the classes as whole numbers from 0.
 *   GELU_ERR_MISSING    a file is not there, or was built without zlib and has .gz only
 *   GELU_ERR_MAGIC      not an idx file of this kind
 *   GELU_ERR_TRUNCATED, GELU_ERR_TRAILING
 *   GELU_ERR_SHAPE      images and labels differ in number, training and test samples in size, or there are none
 *   GELU_ERR_ARGUMENT   a label that is no class, more classes than samples, or a value that is not finite
 *   GELU_ERR_DTYPE      x_train is u8 and x_test is not, or the other way round
 *   and what gelu_npy_open returns. err names file, place and reason; *out is then zeroed. */
gelu_status train_data_load(const char *folder, train_data *out, gelu_error *err);

void train_data_free(train_data *data); /* zeroes it; NULL is fine */

#endif
