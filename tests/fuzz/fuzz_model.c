/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Models as a whole: a folder with a config.json, an index and a .safetensors file, opened, described and run. An input has
 * three parts with a line "%%" between them: the configuration; the index; and a line for each tensor, "NAME TYPE 3,5", or
 * "@KEY VALUE" for metadata, of which the harness makes a file without a fault. An empty part is no file. */
#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64
#include <fcntl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli.h"
#include "fuzz.h"

enum { CONFIG, INDEX, TENSORS, PARTS };
enum { MOST_TEXT = 1 << 16, MOST_DATA = 1 << 20, MOST_WIDTH = 256, MOST_LAYER = 4096 };

static const char *const files[] = {"config.json", "model.safetensors.index.json", "model.safetensors",
                                    "part.safetensors", "out"};
enum { MODEL_FILE = 2, PART_FILE, OUT_FILE };

static char folder[64];
static int folder_fd = -1, out_fd = -1, stdout_fd = -1;

static void clean_up(void) {
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) unlinkat(folder_fd, files[i], 0);
    rmdir(folder);
}

/* In memory where there is such a place. */
static void set_up(void) {
    struct stat st;
    bool in_memory = stat("/dev/shm", &st) == 0 && access("/dev/shm", W_OK) == 0;
    snprintf(folder, sizeof folder, "%s/gelu-fuzz-XXXXXX", in_memory ? "/dev/shm" : "/tmp");
    FUZZ_CHECK(mkdtemp(folder));
    folder_fd = open(folder, O_RDONLY | O_DIRECTORY);
    out_fd = openat(folder_fd, files[OUT_FILE], O_RDWR | O_CREAT, 0600);
    stdout_fd = dup(STDOUT_FILENO);
    FUZZ_CHECK(folder_fd >= 0 && out_fd >= 0 && stdout_fd >= 0);
    atexit(clean_up);
}

/* text, and zeros up to total. */
static void write_file(const char *name, const char *text, size_t size, size_t total) {
    if (total == 0) {
        unlinkat(folder_fd, name, 0);
        return;
    }
    int fd = openat(folder_fd, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    FUZZ_CHECK(fd >= 0 && write(fd, text, size) == (ssize_t)size);
    if (total > size) FUZZ_CHECK(ftruncate(fd, (off_t)total) == 0);
    close(fd);
}

struct text {
    char bytes[MOST_TEXT];
    size_t size;
};

static void add(struct text *to, const char *bytes, size_t size) {
    if (size > MOST_TEXT - to->size) size = MOST_TEXT - to->size;
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

/* As a JSON string. */
static void add_string(struct text *to, const char *bytes, size_t size) {
    add(to, "\"", 1);
    for (size_t i = 0; i < size; i++) {
        char escape[8];
        unsigned char c = (unsigned char)bytes[i];
        bool plain = c >= ' ' && c != '"' && c != '\\';
        if (plain)
            add(to, bytes + i, 1);
        else
            add(to, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", c));
    }
    add(to, "\"", 1);
}

static size_t width(const char *type, size_t size) {
    static const struct {
        const char *type;
        size_t nbytes;
    } table[] = {{"F64", 8}, {"I64", 8}, {"F32", 4}, {"I32", 4}, {"F16", 2}, {"BF16", 2}, {"I16", 2}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strlen(table[i].type) == size && memcmp(table[i].type, type, size) == 0) return table[i].nbytes;
    return 1;
}

/* The bytes of a shape, "3,5"; MOST_DATA when there are more. */
static size_t measure(const char *shape, size_t size, size_t nbytes) {
    for (size_t i = 0; i < size && nbytes < MOST_DATA; i++) {
        size_t dimension = 0;
        if (shape[i] < '0' || shape[i] > '9') continue;
        for (; i < size && shape[i] >= '0' && shape[i] <= '9' && dimension < MOST_DATA; i++)
            dimension = dimension * 10 + (size_t)(shape[i] - '0');
        nbytes = dimension > 0 && nbytes > MOST_DATA / dimension ? MOST_DATA : nbytes * dimension;
    }
    return nbytes < MOST_DATA ? nbytes : MOST_DATA;
}

static void add_line(struct text *header, bool metadata, const char *line, size_t size, size_t *at) {
    const char *space = memchr(line, ' ', size), *end = line + size;
    if (size == 0 || !space || (line[0] == '@') != metadata) return;
    if (header->bytes[header->size - 1] != '{') add(header, ",", 1);
    add_string(header, line + metadata, (size_t)(space - line) - metadata);
    add(header, ":", 1);
    if (metadata) {
        add_string(header, space + 1, (size_t)(end - space - 1));
        return;
    }
    const char *type = space + 1, *shape = memchr(type, ' ', (size_t)(end - type));
    if (!shape) shape = end;
    char offsets[80];
    size_t nbytes = measure(shape, (size_t)(end - shape), width(type, (size_t)(shape - type)));
    add(header, "{\"dtype\":", 9);
    add_string(header, type, (size_t)(shape - type));
    add(header, ",\"shape\":[", 10);
    add(header, shape, (size_t)(end - shape));
    add(header, offsets, (size_t)snprintf(offsets, sizeof offsets, "],\"data_offsets\":[%zu,%zu]}", *at, *at + nbytes));
    *at += nbytes;
}

static void add_lines(struct text *header, bool metadata, const char *lines, size_t size, size_t *at) {
    for (size_t first = 0, end; first < size; first = end + 1) {
        for (end = first; end < size && lines[end] != '\n'; end++) {}
        add_line(header, metadata, lines + first, end - first, at);
    }
}

static void write_tensors(const char *name, const char *lines, size_t size) {
    static struct text header;
    size_t at = 0;
    header.size = 0;
    add(&header, "\0\0\0\0\0\0\0\0{\"__metadata__\":{", 8 + 17);
    add_lines(&header, true, lines, size, &at);
    add(&header, "}", 1);
    add_lines(&header, false, lines, size, &at);
    add(&header, "}", 1);
    uint64_t length = header.size - 8;
    memcpy(header.bytes, &length, sizeof length);
    write_file(name, header.bytes, header.size, header.size + (at < MOST_DATA ? at : MOST_DATA));
}

/* The parts of an input, the last with all that is left. */
static void split(const char *text, size_t size, const char *part[PARTS], size_t sizes[PARTS]) {
    for (int i = 0; i < PARTS; i++) {
        size_t end = 0;
        while (end < size && (i == TENSORS || size - end < 4 || memcmp(text + end, "\n%%\n", 4) != 0)) end++;
        part[i] = text;
        sizes[i] = end;
        size_t skip = size - end < 4 ? size - end : 4;
        text += end + skip;
        size -= end + skip;
    }
}

static void check_matrix(const gelu_model_block *b, const gelu_block_matrix *m, size_t outputs, size_t inputs) {
    size_t out_axis = b->layout == GELU_OUT_IN ? 0 : 1;
    FUZZ_CHECK(m->weight && m->weight->ndim == 2 && m->weight->dtype);
    FUZZ_CHECK(m->output + outputs <= m->weight->shape[out_axis] &&
               m->input + inputs <= m->weight->shape[1 - out_axis]);
    if (m->bias) FUZZ_CHECK(m->bias->ndim == 1 && m->bias->shape[0] == m->weight->shape[out_axis]);
}

static void check_block(const gelu_model *model, size_t i) {
    const gelu_model_block *b = gelu_model_at(model, i);
    bool packed = b->gated && b->order != GELU_SEPARATE;
    FUZZ_CHECK(b->name && b->act_source && b->d_model > 0 && b->d_ff > 0 && b->same_as <= i);
    FUZZ_CHECK(gelu_model_at(model, b->same_as)->fc1.weight == b->fc1.weight);
    check_matrix(b, &b->fc1, packed ? 2 * b->d_ff : b->d_ff, b->d_model);
    if (b->gated && !packed) check_matrix(b, &b->up, b->d_ff, b->d_model);
    check_matrix(b, &b->fc2, b->d_model, b->d_ff);
    if (b->form == GELU_BLOCK_FUSED) check_matrix(b, &b->attn, b->d_model, b->d_model);
    if (b->norm.weight) FUZZ_CHECK(b->norm.weight->ndim == 1 && b->norm.weight->shape[0] == b->d_model);
    FUZZ_CHECK(b->norm.eps >= 0);
}

/* From zero weights: only that it runs, within its arrays. */
static void run_block(const gelu_model *model, size_t i, gelu_dtype dtype) {
    const gelu_model_block *b = gelu_model_at(model, i);
    gelu_ffn *ffn;
    gelu_error err;
    if (b->d_model > MOST_WIDTH || b->d_ff > MOST_LAYER / b->d_model) return;
    gelu_status status = gelu_model_ffn(model, i, dtype == GELU_F64 ? GELU_F64 : 0, &ffn, &err);
    FUZZ_CHECK(status == GELU_OK || status == GELU_ERR_DTYPE);
    if (status) return;
    size_t nbytes = b->d_model * gelu_dtype_nbytes(dtype);
    void *x = calloc(1, nbytes), *y = malloc(nbytes);
    FUZZ_CHECK(x && y);
    const gelu_block_extras extras = {.attn = x, .scale = x, .shift = x, .gate = x};
    status = gelu_block_forward(model, i, ffn, 1, dtype, x, &extras, y, &err);
    FUZZ_CHECK(status == GELU_OK || status == GELU_ERR_MISSING ||
               (status == GELU_ERR_DTYPE && b->fc1.weight->dtype == GELU_F64));
    free(x);
    free(y);
    gelu_ffn_free(ffn);
}

/* What `gelu inspect --json` prints is JSON. */
static void inspect(void) {
    char name[] = "inspect", json[] = "--json", *argv[] = {name, json, folder, NULL};
    FUZZ_CHECK(ftruncate(out_fd, 0) == 0 && lseek(out_fd, 0, SEEK_SET) == 0);
    fflush(stdout);
    FUZZ_CHECK(dup2(out_fd, STDOUT_FILENO) == STDOUT_FILENO);
    FUZZ_CHECK(cmd_inspect(3, argv) == CLI_OK && fflush(stdout) == 0);
    FUZZ_CHECK(dup2(stdout_fd, STDOUT_FILENO) == STDOUT_FILENO && lseek(out_fd, 0, SEEK_SET) == 0);
    json_t *printed = json_loadfd(out_fd, 0, NULL);
    FUZZ_CHECK(json_is_array(json_object_get(printed, "blocks")));
    json_decref(printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *part[PARTS];
    size_t sizes[PARTS];
    gelu_model *model;
    gelu_error err;
    if (folder_fd < 0) set_up();
    split((const char *)data, size, part, sizes);
    write_file(files[CONFIG], part[CONFIG], sizes[CONFIG], sizes[CONFIG]);
    write_file(files[INDEX], part[INDEX], sizes[INDEX], sizes[INDEX]);
    write_file(files[sizes[INDEX] ? MODEL_FILE : PART_FILE], NULL, 0, 0);
    write_tensors(files[sizes[INDEX] ? PART_FILE : MODEL_FILE], part[TENSORS], sizes[TENSORS]);
    gelu_act act = GELU_QUICK;
    gelu_gate_order order = size % 2 ? GELU_GATE_FIRST : GELU_VALUE_FIRST;
    const gelu_model_options options = {.act = size % 7 == 1 ? &act : NULL, .order = size % 7 == 2 ? &order : NULL};
    gelu_status status = gelu_model_open(folder, &options, &model, &err);
    FUZZ_CHECK((status == GELU_OK) == (model != NULL));
    fuzz_check_error(status, &err, MOST_TEXT + MOST_DATA);
    if (status) return 0;
    size_t count = gelu_model_count(model);
    FUZZ_CHECK(count > 0 && gelu_model_family(model) && gelu_model_family_name(model));
    for (size_t i = 0; i < count; i++) {
        check_block(model, i);
        if (options.act) FUZZ_CHECK(gelu_model_at(model, i)->act == act);
        if (options.order) FUZZ_CHECK(gelu_model_at(model, i)->gated);
    }
    for (int i = 0; i < 2; i++) run_block(model, i ? count - 1 : 0, size % 2 ? GELU_F64 : GELU_F32);
    gelu_model_close(model);
    if (count < 100 && !options.act && !options.order) inspect();
    return 0;
}

static const char *const config_words[] = {"model_type",
                                           "_class_name",
                                           "bert",
                                           "albert",
                                           "gpt2",
                                           "openai-gpt",
                                           "llama",
                                           "qwen",
                                           "chatglm",
                                           "gemma2",
                                           "phi3",
                                           "t5",
                                           "clip",
                                           "swin",
                                           "FluxTransformer2DModel",
                                           "UNet2DConditionModel",
                                           "hidden_act",
                                           "gelu",
                                           "gelu_new",
                                           "silu",
                                           "relu",
                                           "gated-gelu",
                                           "activation_function",
                                           "afn",
                                           "hidden_size",
                                           "intermediate_size",
                                           "n_inner",
                                           "layer_norm_eps",
                                           "rms_norm_eps",
                                           "num_hidden_layers",
                                           "num_layers",
                                           "rmsnorm",
                                           "quick_gelu",
                                           "use_parallel_residual",
                                           "text_config",
                                           "vision_config",
                                           "weight_map",
                                           "part.safetensors",
                                           "feed_forward_proj",
                                           "architecture",
                                           NULL};
static const char *const tensor_words[] = {"F32",
                                           "F16",
                                           "BF16",
                                           "F64",
                                           "I8",
                                           "0",
                                           "1",
                                           "2",
                                           "3",
                                           "4",
                                           "5",
                                           "6",
                                           "8",
                                           "10",
                                           "12",
                                           "24",
                                           "48",
                                           "weight",
                                           "bias",
                                           "gamma",
                                           "mlp",
                                           "fc1",
                                           "fc2",
                                           "c_fc",
                                           "c_proj",
                                           "norm2",
                                           "ln_2",
                                           "gate_proj",
                                           "up_proj",
                                           "down_proj",
                                           "gate_up_proj",
                                           "layers",
                                           "blocks",
                                           "encoder",
                                           "model",
                                           "transformer",
                                           "h",
                                           "@gelu.activation tanh",
                                           "@gelu.gate second",
                                           "linear1",
                                           "linear2",
                                           "attn.logit_scale",
                                           "norm3",
                                           "layer",
                                           NULL};

/* One part of it changes. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
    static char text[MOST_TEXT];
    uint32_t state = seed;
    const char *part[PARTS];
    size_t sizes[PARTS], used = 0;
    if (max_size > MOST_TEXT) max_size = MOST_TEXT;
    if (size < 9 || size + 8 > max_size || fuzz_random(&state) % 32 == 0) return LLVMFuzzerMutate(data, size, max_size);
    split((const char *)data, size, part, sizes);
    uint32_t choice = fuzz_random(&state) % 8;
    int changed = choice < 3 ? CONFIG : choice < 4 ? INDEX : TENSORS;
    for (int i = 0; i < PARTS; i++) {
        size_t rest = 4; /* what the parts behind it take, with what is between them */
        for (int j = i + 1; j < PARTS; j++) rest += sizes[j] + 4;
        if (used + sizes[i] + rest > max_size) return LLVMFuzzerMutate(data, size, max_size);
        memcpy(text + used, part[i], sizes[i]);
        size_t room = max_size - used - rest, now = sizes[i];
        if (i == changed)
            now = i == TENSORS ? fuzz_mutate_lines(text + used, now, room, tensor_words, &state)
                               : fuzz_mutate_text(text + used, now, room, config_words, &state);
        used += now;
        if (i < TENSORS) memcpy(text + used, "\n%%\n", 4);
        if (i < TENSORS) used += 4;
    }
    memcpy(data, text, used);
    return used;
}
