/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "digits.h"
#include "error.h"
#include "idx.h"
#include "train.h"

enum { MAX_PATH = 4096, MAX_CLASSES = 10000 };

static gelu_status out_of_memory(const char *name, gelu_error *err) {
    return train_fail(err, GELU_ERR_MEMORY, 0, "%s: out of memory", name);
}

static void free_set(train_set *set) {
    free(set->x);
    free(set->label);
    *set = (train_set){0};
}

void train_data_free(train_data *data) {
    if (!data) return;
    free_set(&data->train);
    free_set(&data->test);
    *data = (train_data){0};
}

/* The path of a file of the folder, in a buffer of MAX_PATH. */
static gelu_status join(const char *folder, const char *file, char *path, gelu_error *err) {
    if (snprintf(path, MAX_PATH, "%s/%s", folder, file) < MAX_PATH) return GELU_OK;
    return train_fail(err, GELU_ERR_IO, 0, "%.400s: the name is too long", folder);
}

/* ---- What both kinds of files must hold ---- */

static gelu_status check_counts(const char *images, size_t count, const char *labels, size_t n_labels,
                                gelu_error *err) {
    if (count == n_labels) return GELU_OK;
    return train_fail(err, GELU_ERR_SHAPE, 0, "%s: has %zu samples, but %s has %zu labels", images, count, labels,
                      n_labels);
}

/* FNV-1a, a word at a time. */
static uint64_t hash_words(uint64_t hash, size_t n, const void *words) {
    for (size_t i = 0; i < n; i++) {
        uint32_t word;
        memcpy(&word, (const char *)words + i * sizeof word, sizeof word);
        hash = (hash ^ word) * 0x100000001b3;
    }
    return hash;
}

/* The classes are those of the training labels. */
static gelu_status check_sets(train_data *data, const char *test_name, gelu_error *err) {
    train_set *train = &data->train, *test = &data->test;
    if (train->count == 0 || test->count == 0 || train->features == 0)
        return train_fail(err, GELU_ERR_SHAPE, 0, "%s: has no samples for training, or none for a test", data->name);
    if (train->features != test->features)
        return train_fail(err, GELU_ERR_SHAPE, 0, "%s: its training samples have %zu values, its test samples %zu",
                          data->name, train->features, test->features);
    for (size_t i = 0; i < train->count; i++)
        if (train->label[i] >= train->classes) train->classes = train->label[i] + 1;
    test->classes = train->classes;
    for (size_t i = 0; i < test->count; i++)
        if (test->label[i] >= test->classes)
            return train_fail(err, GELU_ERR_ARGUMENT, 0,
                              "%s: label %zu is %" PRIu32 ", but the training labels end at %zu", test_name, i,
                              test->label[i], test->classes - 1);
    for (train_set *set = train;; set = test) {
        set->hash = hash_words(0xcbf29ce484222325, set->count * set->features, set->x);
        set->hash = hash_words(set->hash, set->count, set->label);
        if (set == test) return GELU_OK;
    }
}

/* ---- idx ---- */

/* The samples of two idx files, in the order given (NULL: theirs), from first on; pixels divided by scale. Frees
 * neither. */
static gelu_status take_set(const char *name, const train_idx *images, const train_idx *labels, const uint32_t *order,
                            size_t first, size_t count, double scale, train_set *out, gelu_error *err) {
    size_t n, nbytes;
    *out = (train_set){.count = count, .features = images->features};
    if (__builtin_mul_overflow(count, images->features, &n) || __builtin_mul_overflow(n, sizeof *out->x, &nbytes))
        return train_fail(err, GELU_ERR_OVERFLOW, 0, "%s: its dimensions overflow", name);
    out->x = malloc(nbytes + 1);
    out->label = malloc(count * sizeof *out->label + 1);
    if (!out->x || !out->label) {
        free_set(out);
        return out_of_memory(name, err);
    }
    for (size_t i = 0; i < count; i++) {
        size_t sample = order ? order[first + i] : first + i;
        const unsigned char *pixels = images->bytes + sample * images->features;
        for (size_t j = 0; j < images->features; j++) out->x[i * images->features + j] = (float)(pixels[j] / scale);
        out->label[i] = labels->bytes[sample];
    }
    return GELU_OK;
}

static double largest_pixel(const train_idx *images) {
    unsigned char most = 1;
    for (size_t i = 0; i < images->count * images->features; i++)
        if (images->bytes[i] > most) most = images->bytes[i];
    return most;
}

/* scale 0: the largest pixel of this set, which it then holds. */
static gelu_status load_idx_set(const char *folder, const char *images_name, const char *labels_name, double *scale,
                                train_set *out, gelu_error *err) {
    char images_path[MAX_PATH], labels_path[MAX_PATH];
    train_idx images = {0}, labels = {0};
    gelu_status status = join(folder, images_name, images_path, err);
    if (status == GELU_OK) status = join(folder, labels_name, labels_path, err);
    if (status == GELU_OK) status = train_idx_read(images_path, 3, &images, err);
    if (status == GELU_OK) status = train_idx_read(labels_path, 1, &labels, err);
    if (status == GELU_OK) status = check_counts(images_path, images.count, labels_path, labels.count, err);
    if (status == GELU_OK && *scale == 0) *scale = largest_pixel(&images);
    if (status == GELU_OK) status = take_set(folder, &images, &labels, NULL, 0, images.count, *scale, out, err);
    free(images.bytes);
    free(labels.bytes);
    return status;
}

static gelu_status load_idx(const char *folder, train_data *out, gelu_error *err) {
    double scale = 0;
    char test_labels[MAX_PATH];
    gelu_status status =
        load_idx_set(folder, "train-images-idx3-ubyte", "train-labels-idx1-ubyte", &scale, &out->train, err);
    if (status == GELU_OK)
        status = load_idx_set(folder, "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte", &scale, &out->test, err);
    if (status == GELU_OK) status = join(folder, "t10k-labels-idx1-ubyte", test_labels, err);
    return status == GELU_OK ? check_sets(out, test_labels, err) : status;
}

gelu_status train_data_digits(uint64_t seed, train_data *out, gelu_error *err) {
    train_idx images = {0}, labels = {0};
    uint32_t *order = NULL;
    *out = (train_data){.name = "digits"};
    gelu_status status =
        train_idx_read_memory("digits", train_digits_images, train_digits_images_nbytes, 3, &images, err);
    if (status == GELU_OK)
        status = train_idx_read_memory("digits", train_digits_labels, train_digits_labels_nbytes, 1, &labels, err);
    if (status == GELU_OK) {
        order = malloc(images.count * sizeof *order);
        if (!order) status = out_of_memory("digits", err);
    }
    if (status == GELU_OK) {
        gelu_rng rng;
        size_t part = images.count * 4 / 5;
        gelu_manual_seed(&rng, seed);
        train_shuffle(&rng, images.count, order);
        double scale = largest_pixel(&images);
        status = take_set("digits", &images, &labels, order, 0, part, scale, &out->train, err);
        if (status == GELU_OK)
            status = take_set("digits", &images, &labels, order, part, images.count - part, scale, &out->test, err);
    }
    if (status == GELU_OK) status = check_sets(out, "digits", err);
    free(order);
    free(images.bytes);
    free(labels.bytes);
    if (status != GELU_OK) train_data_free(out);
    return status;
}

/* ---- .npy ---- */

/* As f32, all finite. */
static gelu_status read_values(const char *path, gelu_tensor *out, float **values, gelu_error *err) {
    gelu_status status = gelu_npy_read(path, NULL, out, err);
    if (status != GELU_OK) return status;
    *values = malloc(out->count * sizeof **values + 1);
    if (!*values) return out_of_memory(path, err);
    (void)gelu_convert(out->count, out->dtype, out->data, GELU_F32, *values);
    size_t samples = out->ndim ? out->shape[0] : 1, each = samples ? out->count / samples : 1;
    for (size_t i = 0; i < out->count; i++)
        if (!isfinite((*values)[i]))
            return train_fail(err, GELU_ERR_ARGUMENT, 0, "%s: sample %zu, value %zu: is %s", path, i / each, i % each,
                              isnan((*values)[i]) ? "not a number" : "infinite, or too large for f32");
    return GELU_OK;
}

static gelu_status read_labels(const char *path, size_t *count, uint32_t **out, gelu_error *err) {
    gelu_tensor tensor = {0};
    float *values = NULL;
    gelu_status status = read_values(path, &tensor, &values, err);
    *count = tensor.count;
    if (status == GELU_OK && tensor.ndim != 1)
        status = train_fail(err, GELU_ERR_SHAPE, 0, "%s: labels have one dimension, not %zu", path, tensor.ndim);
    if (status == GELU_OK) {
        *out = malloc(tensor.count * sizeof **out + 1);
        if (!*out) status = out_of_memory(path, err);
    }
    for (size_t i = 0; status == GELU_OK && i < tensor.count; i++) {
        if (values[i] >= 0 && values[i] < MAX_CLASSES && values[i] == floorf(values[i]))
            (*out)[i] = (uint32_t)values[i];
        else
            status = train_fail(err, GELU_ERR_ARGUMENT, 0, "%s: label %zu is %g, which is no whole number from 0 to %d",
                                path, i, values[i], MAX_CLASSES - 1);
    }
    free(values);
    gelu_tensor_free(&tensor);
    return status;
}

static gelu_status load_npy_set(const char *folder, const char *x_name, const char *y_name, train_set *out,
                                gelu_error *err) {
    char x_path[MAX_PATH], y_path[MAX_PATH];
    gelu_tensor x = {0};
    size_t labels = 0;
    gelu_status status = join(folder, x_name, x_path, err);
    if (status == GELU_OK) status = join(folder, y_name, y_path, err);
    if (status == GELU_OK) status = read_values(x_path, &x, &out->x, err);
    if (status == GELU_OK && x.ndim < 2)
        status = train_fail(err, GELU_ERR_SHAPE, 0, "%s: samples have two dimensions or more, not %zu", x_path, x.ndim);
    if (status == GELU_OK) status = read_labels(y_path, &labels, &out->label, err);
    if (status == GELU_OK) status = check_counts(x_path, x.shape[0], y_path, labels, err);
    if (status == GELU_OK) {
        out->count = x.shape[0];
        out->features = out->count ? x.count / out->count : 0;
    }
    gelu_tensor_free(&x);
    return status;
}

static gelu_status load_npy(const char *folder, train_data *out, gelu_error *err) {
    char test_labels[MAX_PATH];
    gelu_status status = load_npy_set(folder, "x_train.npy", "y_train.npy", &out->train, err);
    if (status == GELU_OK) status = load_npy_set(folder, "x_test.npy", "y_test.npy", &out->test, err);
    if (status == GELU_OK) status = join(folder, "y_test.npy", test_labels, err);
    return status == GELU_OK ? check_sets(out, test_labels, err) : status;
}

/* ---- Folders ---- */

static bool has(const char *folder, const char *file) {
    char path[MAX_PATH];
    return snprintf(path, sizeof path, "%s/%s", folder, file) < MAX_PATH && access(path, F_OK) == 0;
}

gelu_status train_data_load(const char *folder, train_data *out, gelu_error *err) {
    *out = (train_data){.name = folder};
    gelu_status status;
    struct stat found;
    if (stat(folder, &found) == 0 && !S_ISDIR(found.st_mode))
        status = train_fail(err, GELU_ERR_IO, 0, "%s: is not a folder", folder);
    else if (access(folder, R_OK | X_OK) != 0)
        status = train_fail(err, GELU_ERR_IO, 0, "%s: cannot be opened: %s", folder, strerror(errno));
    else if (has(folder, "x_train.npy"))
        status = load_npy(folder, out, err);
    else if (has(folder, "train-images-idx3-ubyte") || has(folder, "train-images-idx3-ubyte.gz"))
        status = load_idx(folder, out, err);
    else
        status = train_fail(err, GELU_ERR_MISSING, 0,
                            "%s: has neither train-images-idx3-ubyte (or .gz) nor x_train.npy", folder);
    if (status != GELU_OK) train_data_free(out);
    return status;
}
