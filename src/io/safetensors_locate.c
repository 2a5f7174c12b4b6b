/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "io/safetensors_internal.h"

static bool ends_in(const char *name, const char *end) {
    size_t length = strlen(name), wanted = strlen(end);
    return length > wanted && strcmp(name + length - wanted, end) == 0;
}

char *gelu_st_join(const char *folder, size_t folder_length, const char *name) {
    bool slash = folder_length > 0 && folder[folder_length - 1] != '/';
    size_t room = folder_length + strlen(name) + 2;
    char *joined = malloc(room);
    if (joined) snprintf(joined, room, "%.*s%s%s", (int)folder_length, folder, slash ? "/" : "", name);
    return joined;
}

/* What a folder holds besides the names that are looked for. */
struct survey {
    size_t safetensors;
    char *only;          /* the name of a .safetensors file */
    const char *refused; /* the kind of a checkpoint that is not read */
};

static gelu_status survey_folder(const struct io_context *context, const char *path, struct survey *out) {
    static const struct {
        const char *end, *kind;
    } others[] = {{".bin", "Python pickles (.bin), which are never loaded"},
                  {".pt", "Python pickles (.pt), which are never loaded"},
                  {".pth", "Python pickles (.pth), which are never loaded"},
                  {".ckpt", "Python pickles (.ckpt), which are never loaded"},
                  {".gguf", "a GGUF file"},
                  {".h5", "an HDF5 file"},
                  {".msgpack", "a Flax checkpoint (.msgpack)"},
                  {".onnx", "an ONNX model"}};
    DIR *folder = opendir(path);
    if (!folder) return gelu_io_fail_errno(context, errno, "cannot read the folder");
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.') continue;
        if (ends_in(entry->d_name, ".safetensors") && out->safetensors++ == 0) out->only = strdup(entry->d_name);
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
            if (ends_in(entry->d_name, others[i].end)) out->refused = others[i].kind;
    }
    closedir(folder);
    return out->safetensors > 0 && !out->only ? gelu_io_fail_memory(context) : GELU_OK;
}

static gelu_status take_only_one(const struct io_context *context, const char *path, char **out) {
    struct survey found = {0, NULL, NULL};
    gelu_status status = survey_folder(context, path, &found);
    if (!status && found.safetensors == 1) {
        *out = gelu_st_join(path, strlen(path), found.only);
        if (!*out) status = gelu_io_fail_memory(context);
    } else if (!status && found.safetensors > 1) {
        status =
            gelu_io_fail(context, GELU_ERR_MISSING, 0,
                         "no model.safetensors and no index, but %zu .safetensors files: name one", found.safetensors);
    } else if (!status) {
        status = gelu_io_fail(context, GELU_ERR_MISSING, 0, "no .safetensors file in this folder%s%s",
                              found.refused ? ", only " : "", found.refused ? found.refused : "");
    }
    free(found.only);
    return status;
}

gelu_status gelu_st_locate(const struct io_context *context, const char *path, char **out, bool *is_index) {
    static const char *const names[] = {"model.safetensors", "model.safetensors.index.json",
                                        "diffusion_pytorch_model.safetensors",
                                        "diffusion_pytorch_model.safetensors.index.json"};
    struct stat st;
    *is_index = false;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
        *is_index = ends_in(path, ".json");
        *out = strdup(path);
        return *out ? GELU_OK : gelu_io_fail_memory(context);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        *out = gelu_st_join(path, strlen(path), names[i]);
        if (!*out) return gelu_io_fail_memory(context);
        if (stat(*out, &st) == 0) {
            *is_index = ends_in(names[i], ".json");
            return GELU_OK;
        }
        free(*out);
    }
    return take_only_one(context, path, out);
}
