/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdlib.h>
#include <string.h>
#include "base/size.h"
#include "io/safetensors_internal.h"

static int compare_u64(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int by_name(const void *a, const void *b) {
    const struct st_entry *x = *(const struct st_entry *const *)a, *y = *(const struct st_entry *const *)b;
    int order = strcmp(x->info.name, y->info.name);
    return order ? order : compare_u64(x->at, y->at);
}

static int by_place(const void *a, const void *b) {
    const struct st_entry *x = *(const struct st_entry *const *)a, *y = *(const struct st_entry *const *)b;
    int order = compare_u64(x->begin, y->begin);
    if (!order) order = compare_u64(x->end, y->end);
    return order ? order : compare_u64(x->at, y->at);
}

static int by_key(const void *a, const void *b) {
    const struct st_pair *x = *(const struct st_pair *const *)a, *y = *(const struct st_pair *const *)b;
    int order = strcmp(json_string_value(x->key), json_string_value(y->key));
    return order ? order : compare_u64(x->at, y->at);
}

static gelu_status fail_duplicate(const struct io_context *context, const char *what, const char *name, uint64_t first,
                                  uint64_t second) {
    return gelu_io_fail_at(context, GELU_ERR_DUPLICATE, second, "duplicate name: %s '%s' occurs at byte %llu already",
                           what, gelu_json_shown(name).text, (unsigned long long)first);
}

static gelu_status check_names(const struct io_context *context, const struct st_header *header,
                               const struct st_entry **sorted) {
    for (size_t i = 0; i < header->count; i++) sorted[i] = &header->entries[i];
    qsort(sorted, header->count, sizeof *sorted, by_name);
    for (size_t i = 1; i < header->count; i++)
        if (strcmp(sorted[i - 1]->info.name, sorted[i]->info.name) == 0)
            return fail_duplicate(context, "tensor", sorted[i]->info.name, sorted[i - 1]->at, sorted[i]->at);
    return GELU_OK;
}

static gelu_status check_metadata(const struct io_context *context, const struct st_header *header) {
    size_t count = header->metadata_count;
    if (count < 2) return GELU_OK;
    const struct st_pair **sorted = malloc(count * sizeof *sorted);
    if (!sorted) return gelu_io_fail_memory(context);
    for (size_t i = 0; i < count; i++) sorted[i] = &header->metadata[i];
    qsort(sorted, count, sizeof *sorted, by_key);
    gelu_status status = GELU_OK;
    for (size_t i = 1; !status && i < count; i++) {
        const char *key = json_string_value(sorted[i]->key);
        if (strcmp(json_string_value(sorted[i - 1]->key), key) == 0)
            status = fail_duplicate(context, "metadata", key, sorted[i - 1]->at, sorted[i]->at);
    }
    free(sorted);
    return status;
}

static gelu_status check_cover(const struct io_context *context, const struct st_header *header, uint64_t file_nbytes,
                               const struct st_entry **sorted) {
    uint64_t covered = 0, have = file_nbytes - header->data_at;
    qsort(sorted, header->count, sizeof *sorted, by_place);
    for (size_t i = 0; i < header->count; i++) {
        const struct st_entry *now = sorted[i];
        struct json_shown name = gelu_json_shown(now->info.name);
        if (now->begin > covered)
            return gelu_io_fail_at(context, GELU_ERR_HOLE, header->data_at + covered,
                                   "hole: %llu bytes before tensor '%s' belong to no tensor",
                                   (unsigned long long)(now->begin - covered), name.text);
        if (now->begin < covered)
            return gelu_io_fail_at(context, GELU_ERR_OVERLAP, header->data_at + now->begin,
                                   "overlap: tensor '%s' shares bytes with tensor '%s'", name.text,
                                   gelu_json_shown(sorted[i - 1]->info.name).text);
        if (now->end > have)
            return gelu_io_fail(context, GELU_ERR_TRUNCATED, file_nbytes,
                                "truncated: %llu bytes, but tensor '%s' ends at %llu", (unsigned long long)file_nbytes,
                                name.text, (unsigned long long)(header->data_at + now->end));
        covered = now->end;
    }
    if (covered < have)
        return gelu_io_fail_at(context, GELU_ERR_TRAILING, header->data_at + covered,
                               "trailing bytes: %llu bytes behind the last tensor",
                               (unsigned long long)(have - covered));
    return GELU_OK;
}

gelu_status gelu_st_header_check(const struct io_context *context, const struct st_header *header,
                                 uint64_t file_nbytes) {
    const struct st_entry **sorted = malloc((header->count + 1) * sizeof *sorted);
    if (!sorted) return gelu_io_fail_memory(context);
    gelu_status status = check_names(context, header, sorted);
    if (!status) status = check_metadata(context, header);
    if (!status) status = check_cover(context, header, file_nbytes, sorted);
    free(sorted);
    return status;
}
