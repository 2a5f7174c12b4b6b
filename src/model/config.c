/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "io/json.h"
#include "io/refused.h"
#include "io/safetensors_internal.h"
#include "model/model.h"

/* Where it is; *out stays NULL when there is none. */
static gelu_status locate(const struct io_context *context, const char *checkpoint, char **out) {
    /* open_clip keeps both kinds of files side by side; params.json is Meta's. */
    static const char *const ours[] = {"config.json", "params.json", "open_clip_config.json"};
    static const char *const open_clip[] = {"open_clip_config.json", "config.json", "params.json"};
    const char *slash = strrchr(checkpoint, '/'), *file = slash ? slash + 1 : checkpoint;
    const char *const *names = strncmp(file, "open_clip", 9) == 0 ? open_clip : ours;
    for (int i = 0; i < 3; i++) {
        struct stat st;
        char *path = gelu_st_join(checkpoint, (size_t)(file - checkpoint), names[i]);
        if (!path) return gelu_io_fail_memory(context);
        /* A link that leads nowhere is no missing file: opening it says so. */
        if (lstat(path, &st) == 0 || errno != ENOENT) {
            *out = path;
            return GELU_OK;
        }
        free(path);
    }
    return GELU_OK;
}

/* What should name the family and does not is worse than nothing. */
static gelu_status check_type(const struct config *config, gelu_error *err) {
    static const char *const keys[] = {"model_type", "_class_name"};
    for (int i = 0; i < 2; i++) {
        const json_t *value = json_object_get(config->root, keys[i]);
        if (value && !json_is_null(value) && !json_is_string(value))
            return gelu_config_fail(config, GELU_ERR_UNSUPPORTED, NULL, keys[i], err, "'%s' is not a string", keys[i]);
    }
    return GELU_OK;
}

static gelu_status load(const struct io_context *context, struct config *out) {
    enum { DEEPEST = 32, MOST_NBYTES = 16 << 20 };
    uint64_t nbytes;
    int fd;
    gelu_status status = gelu_file_in_open(context, out->path, &fd, &nbytes);
    if (!status && nbytes > MOST_NBYTES)
        status = gelu_io_fail(context, GELU_ERR_OVERFLOW, 0, "a configuration of more than 16 MiB");
    if (!status) status = gelu_file_in_load(context, fd, (size_t)nbytes, &out->bytes);
    if (fd >= 0) close(fd);
    if (status) return status;
    const char *text = (const char *)out->bytes.p;
    status = gelu_json_load(context, "bad configuration", DEEPEST, text ? text : "", (size_t)nbytes, &out->root);
    if (!status) status = gelu_refused_config(context, text, (size_t)nbytes, out->root);
    return status ? status : check_type(out, context->err);
}

gelu_status gelu_config_load(const gelu_safetensors *st, struct config *out, gelu_error *err) {
    const char *checkpoint = gelu_safetensors_path(st, 0);
    struct io_context context = {checkpoint ? checkpoint : "", err};
    *out = (struct config){0};
    gelu_status status = locate(&context, context.name, &out->path);
    if (status || !out->path) return status;
    context.name = out->path;
    status = load(&context, out);
    if (status) gelu_config_free(out);
    return status;
}

void gelu_config_free(struct config *config) {
    json_decref(config->root);
    gelu_file_in_unload(&config->bytes);
    free(config->path);
    *config = (struct config){0};
}

const json_t *gelu_config_find(const struct config *config, const char *section, const char *keys, char *key) {
    const json_t *places[] = {section ? json_object_get(config->root, section) : NULL, config->root};
    for (int p = 0; p < 2; p++)
        for (size_t i = 0; gelu_model_word(keys, ' ', i, key); i++) {
            const json_t *value = json_object_get(places[p], key);
            if (value && !json_is_null(value)) return value;
        }
    return NULL;
}

gelu_status gelu_config_take(const struct config *config, const char *section, const char *keys, char *key,
                             const json_t **out, gelu_error *err) {
    *out = gelu_config_find(config, section, keys, key);
    const json_t *places[] = {section ? json_object_get(config->root, section) : NULL, config->root};
    for (int p = 0; p < 2 && !*out; p++)
        for (size_t i = 0; gelu_model_word(keys, ' ', i, key); i++)
            if (json_is_null(json_object_get(places[p], key)))
                return gelu_config_fail(config, GELU_ERR_UNSUPPORTED, section, key, err,
                                        "'%s' is null, which says nothing", key);
    return GELU_OK;
}

const char *gelu_config_word(const json_t *value) {
    if (json_is_boolean(value)) return json_is_true(value) ? "true" : "false";
    return json_string_value(value);
}

int gelu_config_says(const struct config *config, const char *section, const char *pair) {
    char key[MODEL_NAME], wanted[MODEL_NAME], found[MODEL_NAME];
    if (!gelu_model_word(pair, '=', 0, key) || !gelu_model_word(pair, '=', 1, wanted)) return -1;
    const json_t *value = gelu_config_find(config, section, key, found);
    if (!value) return -1;
    const char *word = gelu_config_word(value);
    return word && strcmp(word, wanted) == 0;
}

const char *gelu_config_type(const struct config *config) {
    const char *type = json_string_value(json_object_get(config->root, "model_type"));
    return type ? type : json_string_value(json_object_get(config->root, "_class_name"));
}

gelu_status gelu_config_fail(const struct config *config, gelu_status status, const char *section, const char *key,
                             gelu_error *err, const char *format, ...) {
    char message[320];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    const struct io_context context = {config->path, err};
    const char *text = (const char *)config->bytes.p;
    uint64_t at = section ? gelu_json_place(&context, text, config->bytes.nbytes, section) : 0;
    if (at == 0) at = gelu_json_place(&context, text, config->bytes.nbytes, key);
    return gelu_io_fail_at(&context, status, at, "%s", message);
}
