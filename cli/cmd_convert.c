/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _XOPEN_SOURCE 700

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "interrupt.h"
#include "model.h"

static const char help[] =
    "Usage: gelu convert [--family NAME] [--act NAME] [--gate first|second] PATH OUT.safetensors\n"
    "       gelu convert --act NAME [--gate first|second] NAME=FILE.npy... OUT.safetensors\n"
    "\n"
    "Writes the tensors of a safetensors checkpoint (a folder, a file or an index), or of .npy files, to one file, bit "
    "by\n"
    "bit, aligned for their types. Its metadata then name the activation (gelu.activation) and which is the gate\n"
    "(gelu.gate), found as gelu inspect finds them or given here; gelu inspect and gelu ffn hold later readers to\n"
    "them, and what the family's code fixes cannot be given otherwise.\n"
    "\n"
    "  -h, --help     this text\n" CLI_MODEL_HELP "  --bf16         take NumPy's raw type V2 as bfloat16\n";

enum { CHUNK = 1 << 20, MOST_METADATA = 4096 };

/* What goes into the file. Of the two sources, either st or npys is there. */
typedef struct {
    gelu_safetensors *st;
    gelu_npy **npys;
    gelu_safetensors_tensor *tensors;
    size_t count;
    gelu_safetensors_pair *metadata;
    size_t metadata_count;
} content;

static void add_metadata(content *c, const char *key, const char *value) {
    c->metadata[c->metadata_count++] = (gelu_safetensors_pair){key, value};
}

/* Ours, then what the checkpoint's first file had besides. */
static int take_metadata(content *c, const char *act, const char *gate) {
    c->metadata = calloc(MOST_METADATA + 2, sizeof *c->metadata);
    if (!c->metadata) return cli_fail("out of memory");
    add_metadata(c, "gelu.activation", act);
    if (gate) add_metadata(c, "gelu.gate", gate);
    const char *key, *value;
    for (size_t i = 0; c->st && (key = gelu_safetensors_metadata_at(c->st, 0, i, &value)); i++) {
        if (!strcmp(key, "gelu.activation") || !strcmp(key, "gelu.gate")) continue;
        if (c->metadata_count == MOST_METADATA + 2) return cli_fail("more than %d entries of metadata", MOST_METADATA);
        add_metadata(c, key, value);
    }
    return CLI_OK;
}

/* Of two matrices, or halves, in the order of their names. */
static const char *gate_of(const gelu_model_block *b) {
    if (!b->gated) return NULL;
    if (b->order == GELU_SEPARATE) return strcmp(b->fc1.weight->name, b->up.weight->name) < 0 ? "first" : "second";
    return b->order == GELU_GATE_FIRST ? "first" : "second";
}

/* One activation and one gate must hold for all blocks, and be those that readers find. */
static int describe(const char *path, const cli_model_options *said, const char **act, const char **gate) {
    gelu_model *model;
    int code = cli_model_open(path, said, &model);
    if (code != CLI_OK) return code;
    const gelu_model_block *first = gelu_model_at(model, 0), *block;
    for (size_t i = 0; (block = gelu_model_at(model, i)) && code == CLI_OK; i++) {
        if (block->act != first->act)
            code = cli_fail("%s: %s has %s, but %s %s: no single activation can be named", path, first->name,
                            gelu_act_name(first->act), block->name, gelu_act_name(block->act));
        else if (block->against)
            code = cli_fail("%s: %s: in %s %s, and no reader would take a file that says otherwise", path, block->name,
                            gelu_model_family_name(model), block->against);
    }
    *act = gelu_act_name(first->act);
    *gate = gate_of(first);
    gelu_model_close(model);
    return code;
}

static int open_checkpoint(const char *path, const cli_model_options *said, content *c) {
    const char *act, *gate;
    gelu_error err;
    int code = describe(path, said, &act, &gate);
    if (code != CLI_OK) return code;
    if (gelu_safetensors_open(path, NULL, &c->st, &err) != GELU_OK) return cli_fail("%s", err.message);
    c->count = gelu_safetensors_count(c->st);
    c->tensors = calloc(c->count + 1, sizeof *c->tensors);
    if (!c->tensors) return cli_fail("out of memory");
    for (size_t i = 0; i < c->count; i++) c->tensors[i] = *gelu_safetensors_at(c->st, i);
    return take_metadata(c, act, gate);
}

/* NAME=FILE.npy each; the names stay in argv, cut off where the = was. */
static int open_npys(char **argv, int count, const cli_model_options *said, const gelu_npy_options *npy, content *c) {
    if (!said->has_act) return cli_usage("--act is missing: .npy files do not say it");
    if (said->family) return cli_usage("--family is for a checkpoint, not for .npy files");
    c->npys = calloc((size_t)count, sizeof *c->npys);
    c->tensors = calloc((size_t)count, sizeof *c->tensors);
    if (!c->npys || !c->tensors) return cli_fail("out of memory");
    for (; c->count < (size_t)count; c->count++) {
        char *file = strchr(argv[c->count], '=');
        gelu_error err;
        if (!file) return cli_usage("'%s' is not NAME=FILE.npy", argv[c->count]);
        if (file == argv[c->count]) return cli_usage("'%s' has no tensor's name before the '='", argv[c->count]);
        *file++ = '\0';
        if (gelu_npy_open(file, npy, &c->npys[c->count], &err) != GELU_OK) return cli_fail("%s", err.message);
        const gelu_tensor *info = gelu_npy_info(c->npys[c->count]);
        c->tensors[c->count] = (gelu_safetensors_tensor){.name = argv[c->count],
                                                         .dtype = info->dtype,
                                                         .ndim = info->ndim,
                                                         .shape = info->shape,
                                                         .count = info->count,
                                                         .nbytes = info->count * gelu_dtype_nbytes(info->dtype)};
    }
    return take_metadata(c, gelu_act_name(said->act),
                         !said->has_order                 ? NULL
                         : said->order == GELU_GATE_FIRST ? "first"
                                                          : "second");
}

static gelu_status read_piece(const content *c, size_t i, size_t first, size_t nbytes, void *dst, gelu_error *err) {
    if (c->st) return gelu_safetensors_read_bytes(c->st, gelu_safetensors_at(c->st, i), first, nbytes, dst, err);
    size_t element = gelu_dtype_nbytes(c->tensors[i].dtype);
    gelu_status status = gelu_npy_read_range(c->npys[i], first / element, nbytes / element, dst);
    if (status != GELU_OK)
        snprintf(err->message, sizeof err->message, "%s: %s", c->tensors[i].name, gelu_status_string(status));
    return status;
}

static gelu_status copy(const content *c, gelu_safetensors_writer *writer, void *buffer, gelu_error *err) {
    gelu_status status = GELU_OK;
    for (size_t i; status == GELU_OK && (i = gelu_safetensors_writer_next(writer)) != SIZE_MAX;)
        for (size_t first = 0; first < c->tensors[i].nbytes && status == GELU_OK; first += CHUNK) {
            size_t left = c->tensors[i].nbytes - first, nbytes = left < CHUNK ? left : CHUNK;
            status = read_piece(c, i, first, nbytes, buffer, err);
            if (status == GELU_OK) status = gelu_safetensors_writer_write(writer, nbytes, buffer, err);
        }
    return status;
}

static int write_all(const content *c, const char *path) {
    gelu_safetensors_writer *writer;
    gelu_error err = {0};
    void *buffer = malloc(CHUNK);
    if (!buffer) return cli_fail("out of memory");
    cli_output_opening(path);
    gelu_status status =
        gelu_safetensors_writer_open(path, c->count, c->tensors, c->metadata_count, c->metadata, &writer, &err);
    cli_output_opened(status == GELU_OK ? gelu_safetensors_writer_temporary(writer) : NULL);
    if (status == GELU_OK) {
        status = copy(c, writer, buffer, &err);
        cli_output_closing();
        if (status == GELU_OK)
            status = gelu_safetensors_writer_commit(writer, &err);
        else
            gelu_safetensors_writer_abort(writer);
        cli_output_closed();
    }
    free(buffer);
    return status == GELU_OK ? CLI_OK : cli_fail("%s", err.message);
}

static void release(content *c) {
    for (size_t i = 0; c->npys && i < c->count; i++) gelu_npy_close(c->npys[i]);
    free(c->npys);
    free(c->tensors);
    free(c->metadata);
    gelu_safetensors_close(c->st);
}

int cmd_convert(int argc, char **argv) {
    static const struct option options[] = {{"bf16", no_argument, NULL, 'v'}, CLI_MODEL_OPTIONS, CLI_HELP_OPTION, {0}};
    cli_args args = {.argc = argc, .argv = argv, .options = options};
    cli_model_options said = {0};
    gelu_npy_options npy = {0};
    for (int c; (c = cli_next(&args)) != CLI_END;) switch (c) {
        case 'v': npy.v2_is_bf16 = 1; break;
        case 'F':
        case 'A':
        case 'G':
            if (cli_model_option(c, optarg, &said) != CLI_OK) return CLI_USAGE;
            break;
        case 'h': return cli_help(help);
        default: return CLI_USAGE;
        }
    int inputs = args.operands - 1;
    if (inputs < 1) return cli_usage("needs PATH, or NAME=FILE.npy, and OUT.safetensors; got %d", args.operands);
    struct stat st;
    bool is_checkpoint = inputs == 1 && (!strchr(argv[0], '=') || stat(argv[0], &st) == 0);
    content c = {0};
    int code = is_checkpoint ? open_checkpoint(argv[0], &said, &c) : open_npys(argv, inputs, &said, &npy, &c);
    if (code == CLI_OK) code = write_all(&c, argv[inputs]);
    release(&c);
    return code;
}
