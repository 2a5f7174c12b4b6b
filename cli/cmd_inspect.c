/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <inttypes.h>
#include <string.h>

#include "model.h"

static const char help[] =
    "Usage: gelu inspect [--json] [--family NAME] [--act NAME] [--gate first|second] PATH\n"
    "\n"
    "Says which feed-forward blocks are in a checkpoint, how each is built, and which activation it really uses, and "
    "where\n"
    "that is written. PATH is a folder with a safetensors checkpoint and its config.json, or a .safetensors file, or "
    "a\n"
    "model.safetensors.index.json. No weight is read, so that a large checkpoint takes no longer than a small one.\n"
    "\n"
    "  -h, --help     this text\n"
    "  --json         everything, block by block, as JSON\n" CLI_MODEL_HELP;

/* What a block is, apart from its name. */
static bool is_alike(const gelu_model_block *a, const gelu_model_block *b) {
    return a->d_model == b->d_model && a->d_ff == b->d_ff && a->act_source == b->act_source && a->order == b->order &&
           a->form == b->form && a->fc1.weight->dtype == b->fc1.weight->dtype && a->parameters == b->parameters;
}

static const char *number(double value, char buffer[40]) {
    gelu_format_shortest(GELU_F64, &value, buffer);
    return buffer;
}

static void print_matrix(const char *label, const gelu_block_matrix *m) {
    printf("  %-12s%s, %s (%zu, %zu)%s", label, m->weight->name, m->weight->type, m->weight->shape[0],
           m->weight->shape[1], m->bias ? ", with a bias" : "");
    if (m->output) printf(", from output %zu on", m->output);
    if (m->input) printf(", from input %zu on", m->input);
    printf("\n");
}

static void print_norm(const char *label, const gelu_block_norm *norm) {
    char eps[40];
    if (norm->kind == GELU_NORM_NONE) return;
    printf("  %-12s%s, eps %s%s", label, norm->kind == GELU_NORM_RMS ? "RMSNorm" : "LayerNorm", number(norm->eps, eps),
           norm->weight_offset != 0 ? ", weights are 1 + w" : "");
    if (norm->weight)
        printf(", %s\n", norm->weight->name);
    else
        printf(", no weights\n");
}

static const char *gate_place(const gelu_model_block *b) {
    if (b->order == GELU_GATE_FIRST) return "the first half of the outputs";
    if (b->order == GELU_VALUE_FIRST) return "the second half of the outputs";
    return "a matrix of its own";
}

static void print_group(const gelu_model *model, size_t first, size_t last) {
    const gelu_model_block *b = gelu_model_at(model, first), *end = gelu_model_at(model, last);
    const char *act = gelu_act_name(b->act);
    char text[40];
    if (first == last)
        printf("\nBlock %zu: %s\n", first, b->name);
    else
        printf("\nBlocks %zu to %zu: %s to %s\n", first, last, b->name, end->name);
    printf("  %-12s%zu to %zu to %zu\n", "sizes", b->d_model, b->d_ff, b->d_model);
    bool is_gelu = b->act == GELU_ERF || b->act == GELU_TANH || b->act == GELU_QUICK;
    printf("  %-12s%s, %s\n", "activation", act, is_gelu ? "a form of GELU" : "not GELU");
    printf("  %-12s", "because");
    cli_put(b->act_source);
    printf("\n");
    if (b->gated)
        printf("  %-12sf(x) = fc2(%s(gate(x)) * up(x)); the gate is %s\n", "layer", act, gate_place(b));
    else
        printf("  %-12sf(x) = fc2(%s(fc1(x))); no gate\n", "layer", act);
    printf("  %-12s%s\n", "block", cli_block_formula(b->form));
    if (b->form == GELU_BLOCK_SCALED) printf("  %-12s%s\n", "alpha", number(b->alpha, text));
    print_norm("norm", &b->norm);
    print_norm("norm2", &b->norm2);
    printf("  %-12s%s\n", "weights", b->layout == GELU_OUT_IN ? "(outputs, inputs)" : "(inputs, outputs)");
    print_matrix(!b->gated ? "fc1" : b->order == GELU_SEPARATE ? "gate" : "gate, up", &b->fc1);
    if (b->up.weight) print_matrix("up", &b->up);
    print_matrix("fc2", &b->fc2);
    if (b->attn.weight) print_matrix("A", &b->attn);
    printf("  %-12s%" PRIu64 "%s\n", "parameters", b->parameters, first == last ? "" : " each");
}

static uint64_t all_parameters(const gelu_model *model) {
    uint64_t sum = 0;
    const gelu_model_block *b;
    for (size_t i = 0; (b = gelu_model_at(model, i)); i++)
        if (b->same_as == i) sum += b->parameters;
    return sum;
}

static void print_text(const gelu_model *model) {
    const gelu_safetensors *st = gelu_model_checkpoint(model);
    size_t count = gelu_model_count(model), shared = 0;
    for (size_t i = 0; i < count; i++) shared += gelu_model_at(model, i)->same_as != i;
    printf("%s%s%s, called %s here\n", cli_bold(stdout), gelu_model_family_name(model), cli_plain(stdout),
           gelu_model_family(model));
    printf("%zu tensors in %zu file%s; %zu feed-forward block%s of %" PRIu64 " parameters", gelu_safetensors_count(st),
           gelu_safetensors_files(st), gelu_safetensors_files(st) == 1 ? "" : "s", count, count == 1 ? "" : "s",
           all_parameters(model));
    if (shared) printf(", %zu of them with the weights of another", shared);
    printf("\n");
    if (gelu_model_remark(model)) printf("Note: %s\n", gelu_model_remark(model));
    for (size_t first = 0, last; first < count; first = last + 1) {
        for (last = first; last + 1 < count; last++)
            if (!is_alike(gelu_model_at(model, first), gelu_model_at(model, last + 1))) break;
        print_group(model, first, last);
    }
}

/* How many bytes the UTF-8 character here has; 0: it is none. */
static size_t utf8_length(const char *text) {
    const unsigned char *c = (const unsigned char *)text;
    size_t length = c[0] < 0x80 ? 1 : c[0] >= 0xc2 && c[0] < 0xe0 ? 2 : (c[0] & 0xf0) == 0xe0 ? 3 : 4;
    if (length == 4 && (c[0] < 0xf0 || c[0] > 0xf4)) return 0;
    for (size_t i = 1; i < length; i++)
        if ((c[i] & 0xc0) != 0x80) return 0;
    bool longer_than_needed = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    bool no_character = (c[0] == 0xed && c[1] >= 0xa0) || (c[0] == 0xf4 && c[1] >= 0x90);
    return longer_than_needed || no_character ? 0 : length;
}

/* A JSON string: quotes and all. A path may hold anything; what is not UTF-8 becomes U+FFFD. */
static void put_string(const char *key, const char *value, const char *after) {
    if (key) printf("\"%s\": ", key);
    putchar('"');
    for (size_t length; *value; value += length ? length : 1) {
        length = utf8_length(value);
        if (*value == '"' || *value == '\\')
            printf("\\%c", *value);
        else if (length == 0 || (unsigned char)*value < 0x20)
            printf("\\u%04x", length ? (unsigned)*value : 0xfffd);
        else
            printf("%.*s", (int)length, value);
    }
    printf("\"%s", after);
}

static void put_matrix(const char *key, const gelu_block_matrix *m) {
    printf(",\n     \"%s\": {", key);
    put_string("tensor", m->weight->name, ", ");
    put_string("dtype", m->weight->type, ", ");
    printf("\"shape\": [%zu, %zu], ", m->weight->shape[0], m->weight->shape[1]);
    if (m->bias)
        put_string("bias", m->bias->name, ", ");
    else
        printf("\"bias\": null, ");
    printf("\"first_output\": %zu, \"first_input\": %zu}", m->output, m->input);
}

static void put_norm(const char *key, const gelu_block_norm *norm) {
    char eps[40], offset[40];
    if (norm->kind == GELU_NORM_NONE) return;
    printf(",\n     \"%s\": {\"kind\": \"%s\", \"eps\": %s, \"weight_offset\": %s, ", key,
           norm->kind == GELU_NORM_RMS ? "rms" : "layer", number(norm->eps, eps), number(norm->weight_offset, offset));
    if (norm->weight)
        put_string("weight", norm->weight->name, ", ");
    else
        printf("\"weight\": null, ");
    if (norm->bias)
        put_string("bias", norm->bias->name, "}");
    else
        printf("\"bias\": null}");
}

static void put_block(const gelu_model_block *b, size_t i) {
    static const char *const gates[] = {"separate", "first", "second"};
    printf("    {\"block\": %zu, ", i);
    put_string("name", b->name, ", ");
    printf("\"same_as\": %zu, \"d_model\": %zu, \"d_ff\": %zu, \"parameters\": %" PRIu64 ",\n     ", b->same_as,
           b->d_model, b->d_ff, b->parameters);
    put_string("activation", gelu_act_name(b->act), ", ");
    put_string("activation_source", b->act_source, ",\n     ");
    put_string("gate", b->gated ? gates[b->order] : "none", ", ");
    put_string("layout", b->layout == GELU_OUT_IN ? "out_in" : "in_out", ", ");
    put_string("formula", cli_block_formula(b->form), "");
    put_matrix("fc1", &b->fc1);
    if (b->up.weight) put_matrix("up", &b->up);
    put_matrix("fc2", &b->fc2);
    if (b->attn.weight) put_matrix("attn", &b->attn);
    put_norm("norm", &b->norm);
    put_norm("norm2", &b->norm2);
    printf("}");
}

static void print_json(const gelu_model *model) {
    const gelu_safetensors *st = gelu_model_checkpoint(model);
    const gelu_model_block *b;
    printf("{\n  ");
    put_string("family", gelu_model_family(model), ",\n  ");
    put_string("name", gelu_model_family_name(model), ",\n  ");
    if (gelu_model_remark(model)) put_string("note", gelu_model_remark(model), ",\n  ");
    printf("\"tensors\": %zu,\n  \"files\": %zu,\n  \"parameters\": %" PRIu64 ",\n  \"blocks\": [\n",
           gelu_safetensors_count(st), gelu_safetensors_files(st), all_parameters(model));
    for (size_t i = 0; (b = gelu_model_at(model, i)); i++) {
        put_block(b, i);
        printf("%s\n", i + 1 < gelu_model_count(model) ? "," : "");
    }
    printf("  ]\n}\n");
}

int cmd_inspect(int argc, char **argv) {
    static const struct option options[] = {{"json", no_argument, NULL, 'j'}, CLI_MODEL_OPTIONS, CLI_HELP_OPTION, {0}};
    cli_args args = {.argc = argc, .argv = argv, .options = options};
    cli_model_options said = {0};
    bool json = false;
    for (int c; (c = cli_next(&args)) != CLI_END;) switch (c) {
        case 'j': json = true; break;
        case 'F':
        case 'A':
        case 'G':
            if (cli_model_option(c, optarg, &said) != CLI_OK) return CLI_USAGE;
            break;
        case 'h': return cli_help(help);
        default: return CLI_USAGE;
        }
    if (args.operands != 1) return cli_usage("needs one PATH; got %d", args.operands);
    gelu_model *model;
    int code = cli_model_open(argv[0], &said, &model);
    if (code != CLI_OK) return code;
    if (json)
        print_json(model);
    else
        print_text(model);
    gelu_model_close(model);
    return CLI_OK;
}
