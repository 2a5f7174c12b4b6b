/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What the parts of the model code share. */
#ifndef GELU_MODEL_MODEL_H
#define GELU_MODEL_MODEL_H

#include <jansson.h>
#include "io/file_in.h"
#include "model/family.h"

enum { MODEL_NAME = 512, MODEL_NUMBERS = 4 };

/* The numbers in a tensor's name, in order. */
struct numbers {
    size_t count, at[MODEL_NUMBERS];
};

/* name against a pattern in which # stands for a number. */
bool gelu_model_match(const char *pattern, const char *name, struct numbers *out);
/* A pattern with these numbers in it; false when it is longer than MODEL_NAME. */
bool gelu_model_fill(const char *pattern, const struct numbers *numbers, char out[MODEL_NAME]);
/* The i-th word of a list, copied; false past the end. */
bool gelu_model_word(const char *list, char separator, size_t i, char out[MODEL_NAME]);
bool gelu_model_has_word(const char *list, const char *word);

/* config.json beside a checkpoint. */
struct config {
    char *path; /* NULL: there is none */
    struct file_bytes bytes;
    json_t *root;
};

gelu_status gelu_config_load(const gelu_safetensors *st, struct config *out, gelu_error *err);
void gelu_config_free(struct config *config);
/* The first of these keys, separated by spaces, that section, or else the whole, has and that is not null; NULL. key (of
 * MODEL_NAME) is then the one. */
const json_t *gelu_config_find(const struct config *config, const char *section, const char *keys, char *key);
/* The same, of a value that decides something: where all that there is of it is null, it is refused. */
gelu_status gelu_config_take(const struct config *config, const char *section, const char *keys, char *key,
                             const json_t **out, gelu_error *err);
/* A string, or "true" or "false"; NULL for anything else. */
const char *gelu_config_word(const json_t *value);
/* Whether config has key=value of each pair: 1, or 0 where it says something else, or -1 where it does not say. */
int gelu_config_says(const struct config *config, const char *section, const char *pair);
/* What names the family: model_type or _class_name; NULL for neither. */
const char *gelu_config_type(const struct config *config);
/* An error at the place of a key of it. */
gelu_status gelu_config_fail(const struct config *config, gelu_status status, const char *section, const char *key,
                             gelu_error *err, const char *format, ...) __attribute__((format(printf, 6, 7)));

struct model_block {
    gelu_model_block info;
    size_t row, prefix; /* of the family's table, and of its prefixes */
    struct numbers numbers;
    char name[MODEL_NAME];
};

struct gelu_model {
    gelu_safetensors *st;
    struct config config;
    gelu_model_options options;
    const struct family *family; /* the first row that fits */
    struct model_block *blocks;
    size_t count, capacity;
    char **sources; /* of activations: strings that blocks point to */
    size_t source_count, source_capacity;
};

/* Finds the rows of the table that fit, and lists their blocks, in order. */
gelu_status gelu_model_recognise(struct gelu_model *model, gelu_error *err);
/* The numbers in the blocks' names have no gap, and there are as many blocks as the configuration says. */
gelu_status gelu_model_check_layers(const struct gelu_model *model, gelu_error *err);
/* Which activation a block has, and why: strings that the model keeps. */
gelu_status gelu_model_activation(struct gelu_model *model, const struct family *row, gelu_model_block *block,
                                  gelu_error *err);
/* Fills in all of a block but its activation. */
gelu_status gelu_model_describe(const struct gelu_model *model, struct model_block *block, gelu_error *err);
/* The tensor of this name (a prefix, a name from a row, and what it ends in) in a block; NULL. */
const gelu_safetensors_tensor *gelu_model_tensor(const struct gelu_model *model, const struct model_block *block,
                                                 const char *name, const char *end);
/* A matrix of a block, and what was allocated for it. */
struct model_weights {
    gelu_weights weights;
    void *owned[2];
};

/* m in its own type where dtype is 0, all zero where it has no tensor. To be released whatever the status is. */
gelu_status gelu_model_take(const struct gelu_model *model, const gelu_model_block *block, const gelu_block_matrix *m,
                            gelu_dtype dtype, struct model_weights *out, gelu_error *err);
void gelu_model_release(struct model_weights *weights);

/* An error at the place where a file names this tensor. */
gelu_status gelu_model_fail(const struct gelu_model *model, gelu_status status, const gelu_safetensors_tensor *tensor,
                            gelu_error *err, const char *format, ...) __attribute__((format(printf, 5, 6)));
/* The context of errors that have no tensor. */
struct io_context gelu_model_context(const struct gelu_model *model, gelu_error *err);

#endif
