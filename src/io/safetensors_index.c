/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* model.safetensors.index.json: {"metadata": ..., "weight_map": {"TENSOR": "FILE", ...}}. Other members are ignored. */

#include <stdlib.h>
#include <string.h>
#include "io/safetensors_internal.h"

#define DEEPEST 16
#define LONGEST ((size_t)4 << 20) /* bytes of a member that is ignored */
#define WEIGHT_MAP "weight_map"

static int by_tensor(const void *a, const void *b) {
    const struct st_index_entry *x = a, *y = b;
    int order = strcmp(json_string_value(x->tensor), json_string_value(y->tensor));
    return order ? order : (x->at > y->at) - (x->at < y->at);
}

/* Files of a checkpoint lie beside its index: a name that leads elsewhere is a mistake or an attack. */
static bool is_plain_name(const char *name) {
    return *name && !strchr(name, '/') && !strchr(name, '\\') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static gelu_status parse_entry(struct json_cursor *c, struct st_index *index, json_t *key, uint64_t at) {
    struct st_index_entry *entries = gelu_json_grown(index->entries, index->count, &index->capacity, sizeof *entries);
    if (!entries) {
        json_decref(key);
        return gelu_io_fail_memory(c->context);
    }
    index->entries = entries;
    struct st_index_entry *entry = &index->entries[index->count++];
    *entry = (struct st_index_entry){key, NULL, at};
    c->subject = json_string_value(key);
    gelu_status status = gelu_json_string(c, "its file is not a string", &entry->shard);
    if (status) return status;
    const char *shard = json_string_value(entry->shard);
    if (is_plain_name(shard)) return GELU_OK;
    return gelu_io_fail_at(c->context, GELU_ERR_HEADER, at,
                           "'%s': bad index: the file '%s' does not lie beside the index",
                           gelu_json_shown(c->subject).text, gelu_json_shown(shard).text);
}

static gelu_status parse_map(struct json_cursor *c, struct st_index *index) {
    c->subject = WEIGHT_MAP;
    gelu_status status = gelu_json_enter(c);
    while (!status) {
        json_t *key;
        uint64_t at;
        status = gelu_json_next(c, &key, &at);
        if (status || !key) break;
        status = parse_entry(c, index, key, at);
    }
    return status;
}

static gelu_status parse_members(struct json_cursor *c, struct st_index *index) {
    uint64_t map_at = 0;
    bool seen = false;
    gelu_status status = gelu_json_check_depth(c, DEEPEST);
    if (!status) status = gelu_json_enter(c);
    while (!status) {
        json_t *key, *ignored;
        uint64_t at;
        status = gelu_json_next(c, &key, &at);
        if (status) return status;
        if (!key) break;
        bool is_map = strcmp(json_string_value(key), WEIGHT_MAP) == 0;
        json_decref(key);
        if (is_map && seen)
            return gelu_io_fail_at(c->context, GELU_ERR_DUPLICATE, at, "duplicate name: %s occurs at byte %llu already",
                                   WEIGHT_MAP, (unsigned long long)map_at);
        if (is_map) {
            seen = true;
            map_at = at;
            status = parse_map(c, index);
        } else if (!(status = gelu_json_value(c, LONGEST, &ignored))) {
            json_decref(ignored);
        }
    }
    if (status) return status;
    return seen ? gelu_json_end(c) : gelu_json_malformed(c, "weight_map is missing");
}

gelu_status gelu_st_index_parse(const struct io_context *context, const char *text, size_t nbytes,
                                struct st_index *out) {
    struct json_cursor c = {.context = context, .text = text, .nbytes = nbytes, .what = "bad index"};
    memset(out, 0, sizeof *out);
    gelu_status status = parse_members(&c, out);
    if (out->count > 0) qsort(out->entries, out->count, sizeof *out->entries, by_tensor);
    for (size_t i = 1; !status && i < out->count; i++) {
        const char *name = json_string_value(out->entries[i].tensor);
        if (strcmp(json_string_value(out->entries[i - 1].tensor), name) == 0)
            status = gelu_io_fail_at(context, GELU_ERR_DUPLICATE, out->entries[i].at,
                                     "duplicate name: tensor '%s' occurs at byte %llu already",
                                     gelu_json_shown(name).text, (unsigned long long)out->entries[i - 1].at);
    }
    if (status) gelu_st_index_free(out);
    return status;
}

void gelu_st_index_free(struct st_index *index) {
    for (size_t i = 0; i < index->count; i++) {
        json_decref(index->entries[i].tensor);
        json_decref(index->entries[i].shard);
    }
    free(index->entries);
    memset(index, 0, sizeof *index);
}
