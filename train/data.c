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
    for (size_t i = 0; i < train->count; i++) {
        if (train->label[i] >= train->classes) train->classes = train->label[i] + 1;
        if (train->classes > train->count)
            return train_fail(err, GELU_ERR_ARGUMENT, 0,
                              "%s: training label %zu is %" PRIu32 ": more classes than the %zu samples", data->name, i,
                              train->label[i], train->count);
    }
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

static gelu_status open_npy(const char *folder, const char *name, char *path, gelu_npy **npy, gelu_error *err) {
    static const gelu_npy_options options = {.whole_numbers = 1};
    gelu_status status = join(folder, name, path, err);
    return status == GELU_OK ? gelu_npy_open(path, &options, npy, err) : status;
}

enum { PART = 1024 };

/* The numbers from at on; how many those are, 0 at the end. */
static size_t read_part(const gelu_npy *npy, size_t at, double values[PART]) {
    double raw[PART];
    const gelu_tensor *info = gelu_npy_info(npy);
    size_t left = info->count - at, n = left < PART ? left : PART;
    (void)gelu_npy_read_range(npy, at, n, raw);
    (void)gelu_convert(n, info->dtype, raw, GELU_F64, values);
    return n;
}

static double largest_value(const gelu_npy *npy) {
    double values[PART], most = 1;
    for (size_t at = 0, n; (n = read_part(npy, at, values)) > 0; at += n)
        for (size_t i = 0; i < n; i++) most = fmax(most, values[i]);
    return most;
}

/* As f32, divided by scale, all finite. */
static gelu_status read_values(const char *path, const gelu_npy *npy, double scale, train_set *out, gelu_error *err) {
    const gelu_tensor *info = gelu_npy_info(npy);
    if (info->ndim < 2)
        return train_fail(err, GELU_ERR_SHAPE, 0, "%s: samples have two dimensions or more, not %zu", path, info->ndim);
    out->count = info->shape[0];
    out->features = out->count ? info->count / out->count : 0;
    out->x = malloc(info->count * sizeof *out->x + 1);
    if (!out->x) return out_of_memory(path, err);
    double values[PART];
    for (size_t at = 0, n; (n = read_part(npy, at, values)) > 0; at += n)
        for (size_t i = 0; i < n; i++) {
            float value = out->x[at + i] = (float)(values[i] / scale);
            if (isfinite(value)) continue;
            return train_fail(err, GELU_ERR_ARGUMENT, 0, "%s: sample %zu, value %zu: is %s", path,
                              (at + i) / out->features, (at + i) % out->features,
                              isnan(value) ? "not a number" : "infinite, or too large for f32");
        }
    return GELU_OK;
}

static gelu_status read_labels(const char *path, const gelu_npy *npy, train_set *out, gelu_error *err) {
    const gelu_tensor *info = gelu_npy_info(npy);
    if (info->ndim != 1)
        return train_fail(err, GELU_ERR_SHAPE, 0, "%s: labels have one dimension, not %zu", path, info->ndim);
    out->label = malloc(info->count * sizeof *out->label + 1);
    if (!out->label) return out_of_memory(path, err);
    double values[PART];
    for (size_t at = 0, n; (n = read_part(npy, at, values)) > 0; at += n)
        for (size_t i = 0; i < n; i++) {
            if (values[i] >= 0 && values[i] < MAX_CLASSES && values[i] == floor(values[i])) {
                out->label[at + i] = (uint32_t)values[i];
                continue;
            }
            return train_fail(err, GELU_ERR_ARGUMENT, 0,
                              "%s: label %zu is %.15g, which is no whole number from 0 to %d", path, at + i, values[i],
                              MAX_CLASSES - 1);
        }
    return GELU_OK;
}

/* Bytes are pixels, and divided as those of idx files are. */
struct pixels {
    bool are_bytes;
    double scale; /* 0: not known yet, the largest of this set */
};

static gelu_status find_scale(const char *path, const gelu_npy *npy, struct pixels *pixels, gelu_error *err) {
    bool bytes = gelu_npy_is_u8(npy);
    if (pixels->scale == 0) *pixels = (struct pixels){bytes, bytes ? largest_value(npy) : 1};
    if (bytes == pixels->are_bytes) return GELU_OK;
    return train_fail(err, GELU_ERR_DTYPE, 0, "%s: holds %s, but x_train.npy %s", path, bytes ? "bytes" : "no bytes",
                      bytes ? "does not" : "does");
}

static gelu_status load_npy_set(const char *folder, const char *x_name, const char *y_name, struct pixels *pixels,
                                train_set *out, gelu_error *err) {
    char x_path[MAX_PATH], y_path[MAX_PATH];
    gelu_npy *x = NULL, *y = NULL;
    gelu_status status = open_npy(folder, x_name, x_path, &x, err);
    if (status == GELU_OK) status = find_scale(x_path, x, pixels, err);
    if (status == GELU_OK) status = read_values(x_path, x, pixels->scale, out, err);
    if (status == GELU_OK) status = open_npy(folder, y_name, y_path, &y, err);
    if (status == GELU_OK) status = read_labels(y_path, y, out, err);
    if (status == GELU_OK) status = check_counts(x_path, out->count, y_path, gelu_npy_info(y)->count, err);
    gelu_npy_close(x);
    gelu_npy_close(y);
    return status;
}

static gelu_status load_npy(const char *folder, train_data *out, gelu_error *err) {
    struct pixels pixels = {0};
    char test_labels[MAX_PATH];
    gelu_status status = load_npy_set(folder, "x_train.npy", "y_train.npy", &pixels, &out->train, err);
    if (status == GELU_OK) status = load_npy_set(folder, "x_test.npy", "y_test.npy", &pixels, &out->test, err);
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
