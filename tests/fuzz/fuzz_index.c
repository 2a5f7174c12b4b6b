/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <string.h>
#include "fuzz.h"
#include "io/safetensors_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gelu_error err = {GELU_OK, 0, ""};
    const struct io_context context = {"input", &err};
    struct st_index index;
    gelu_status status = gelu_st_index_parse(&context, (const char *)data, size, &index);
    fuzz_check_error(status, &err, size);
    if (status) return 0;
    for (size_t i = 0; i < index.count; i++) {
        const char *shard = json_string_value(index.entries[i].shard);
        FUZZ_CHECK(*shard && !strchr(shard, '/') && strcmp(shard, "..") != 0 && strcmp(shard, ".") != 0);
        FUZZ_CHECK(index.entries[i].at < size && data[index.entries[i].at] == '"');
        if (i > 0)
            FUZZ_CHECK(
                strcmp(json_string_value(index.entries[i - 1].tensor), json_string_value(index.entries[i].tensor)) < 0);
    }
    gelu_st_index_free(&index);
    return 0;
}

static const char *const words[] = {
    "weight_map",   "metadata", "total_size", "a",    "b",           "model-1.safetensors",
    "..",           ".",        "",           "../x", "/etc/passwd", "\"weight_map\":{\"a\":\"m\"}",
    ",\"b\":\"n\"", NULL};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
    uint32_t state = seed;
    return fuzz_mutate_text((char *)data, size, max_size, words, &state);
}
