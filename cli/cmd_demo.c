/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "gelu_io.h"

static const char help[] =
    "Usage: gelu demo [--seed N] [--lang en|zh]\n"
    "\n"
    "GELU in three steps, each printed as PyTorch would print it: the activation on five numbers; a Linear layer and\n"
    "GELU; a transformer's feed-forward block with every intermediate result. Seeds, initial weights and random "
    "inputs\n"
    "are PyTorch's own.\n"
    "\n"
    "  -h, --help     this text\n"
    "  --seed N       the seed of steps 2 and 3, 0 to 18446744073709551615; default 42\n"
    "  --lang LANG    en or zh; default: what LC_ALL, LC_MESSAGES or LANG says\n";

typedef struct {
    const char *title;
    const char *step1, *step1_seed, *step1_input, *step1_output, *step1_note;
    const char *step2, *step2_seed, *step2_output; /* step2_seed and step3_seed follow seed and its number */
    const char *step3, *step3_seed, *input, *fc1, *gelu, *fc2;
    const char *seed, *shape, *values, *first_five;
} texts;

static const texts english = {
    .title = "GELU in three steps",
    .step1 = "Step 1: GELU alone, on five numbers",
    .step1_seed = "Seed: none, nothing here is random.",
    .step1_input = "x:",
    .step1_output = "GELU(x) = x * Phi(x):",
    .step1_note = "These are the exact values, rounded once. PyTorch's float32 GELU is not exact, least of all where x "
                  "is negative:\n"
                  "its last digits can differ.",
    .step2 = "Step 2: a Linear layer, then GELU",
    .step2_seed = ", set before Linear(5, 3) draws its weights; 2 samples of 5 features are drawn after it.",
    .step2_output = "GELU(Linear(x)):",
    .step3 = "Step 3: the feed-forward block of a transformer, stage by stage",
    .step3_seed = ", set before fc1 (8 to 16) and fc2 (16 to 8) draw their weights, and set again before the input is\n"
                  "drawn: 2 samples of 8 features.",
    .input = "3.1 What goes in",
    .fc1 = "3.2 After fc1, which widens 8 features to 16",
    .gelu = "3.3 After GELU: compare with 3.2",
    .fc2 = "3.4 After fc2, back to 8 features: the result",
    .seed = "Seed: ",
    .shape = "Shape:",
    .values = "Values:",
    .first_five = "First sample, first five values:",
};

static const texts chinese = {
    .title = "三步看懂 GELU",
    .step1 = "第一步：单独对五个数做 GELU",
    .step1_seed = "种子：不需要，这一步没有随机数。",
    .step1_input = "x：",
    .step1_output = "GELU(x) = x * Phi(x)：",
    .step1_note =
        "这里打印的是精确值只舍入一次的结果。PyTorch 的 float32 GELU 并不精确，x 为负时尤其如此，末几位可能不同。",
    .step2 = "第二步：先过线性层，再过 GELU",
    .step2_seed = "，在 Linear(5, 3) 抽取权重之前设定；随后抽取 2 个样本、每个 5 维的输入。",
    .step2_output = "GELU(Linear(x))：",
    .step3 = "第三步：Transformer 的前馈块，逐级查看",
    .step3_seed =
        "，在 fc1（8 到 16）和 fc2（16 到 8）抽取权重之前设定，抽取输入之前再设一次；输入为 2 个样本、每个 8 维。",
    .input = "3.1 输入",
    .fc1 = "3.2 经过 fc1：8 维展开成 16 维",
    .gelu = "3.3 经过 GELU：可与 3.2 对照",
    .fc2 = "3.4 经过 fc2：回到 8 维，即最终结果",
    .seed = "种子：",
    .shape = "形状：",
    .values = "数值：",
    .first_five = "第一个样本的前五个值：",
};

static const char rule[] = "============================================================";

static gelu_status print_numpy(size_t ndim, const size_t *shape, const float *data) {
    char *text;
    gelu_status status = gelu_format_numpy(GELU_F32, ndim, shape, data, NULL, &text);
    if (status != GELU_OK) return status;
    puts(text);
    gelu_text_free(text);
    return GELU_OK;
}

static gelu_status print_torch(size_t ndim, const size_t *shape, const float *data, const char *grad_fn) {
    char *text;
    gelu_torch_format format = {.grad_fn = grad_fn};
    gelu_status status = gelu_format_torch(GELU_F32, ndim, shape, data, &format, &text);
    if (status != GELU_OK) return status;
    puts(text);
    gelu_text_free(text);
    return GELU_OK;
}

static void print_shape(const texts *t, size_t rows, size_t cols) {
    printf("%s torch.Size([%zu, %zu])\n", t->shape, rows, cols);
}

static void print_heading(const char *text) { printf("\n%s%s%s\n", cli_bold(stdout), text, cli_plain(stdout)); }

static gelu_status show_activation(const texts *t) {
    const float x[5] = {-3.0f, 2.5f, 0.0f, 4.0f, -1.2f};
    const size_t shape[1] = {5};
    float y[5];
    gelu_forward_f32(GELU_ERF, 5, x, y);

    print_heading(t->step1);
    puts(t->step1_seed);
    puts(t->step1_input);
    gelu_status status = print_numpy(1, shape, x);
    puts(t->step1_output);
    if (status == GELU_OK) status = print_numpy(1, shape, y);
    puts(t->step1_note);
    return status;
}

static gelu_status show_hidden_layer(const texts *t, uint64_t seed) {
    enum { ROWS = 2, IN = 5, OUT = 3 };
    float weight[OUT * IN], bias[OUT], x[ROWS * IN], y[ROWS * OUT];
    gelu_rng rng;
    gelu_manual_seed(&rng, seed);
    gelu_status status = gelu_linear_init_f32(&rng, IN, OUT, weight, bias);
    if (status != GELU_OK) return status;
    gelu_randn_f32(&rng, ROWS * IN, x);

    gelu_weights weights = {.dtype = GELU_F32, .layout = GELU_OUT_IN, .weight = weight, .bias = bias};
    gelu_epilogue epilogue = {.act = GELU_ERF};
    gelu_linear *linear;
    status = gelu_linear_create(IN, OUT, &weights, GELU_COMPUTE_F32, &linear);
    if (status == GELU_OK)
        status = gelu_linear_forward(linear, ROWS, GELU_F32, x, IN, &epilogue, GELU_F32, y, OUT, NULL);
    gelu_linear_free(linear);
    if (status != GELU_OK) return status;

    print_heading(t->step2);
    printf("%s%" PRIu64 "%s\n%s\n", t->seed, seed, t->step2_seed, t->step2_output);
    status = print_numpy(2, (const size_t[]){ROWS, OUT}, y);
    print_shape(t, ROWS, OUT);
    return status;
}

enum { ROWS = 2, D_MODEL = 8, D_FF = 16, FIRST = 5 };

typedef struct {
    float x[ROWS * D_MODEL], h[ROWS * D_FF], a[ROWS * D_FF], y[ROWS * D_MODEL];
} ffn_results;

static gelu_status compute_ffn(uint64_t seed, ffn_results *r) {
    float weight1[D_FF * D_MODEL], bias1[D_FF], weight2[D_MODEL * D_FF], bias2[D_MODEL];
    gelu_rng rng;
    gelu_manual_seed(&rng, seed);
    gelu_status status = gelu_linear_init_f32(&rng, D_MODEL, D_FF, weight1, bias1);
    if (status == GELU_OK) status = gelu_linear_init_f32(&rng, D_FF, D_MODEL, weight2, bias2);
    if (status != GELU_OK) return status;
    gelu_manual_seed(&rng, seed);
    gelu_randn_f32(&rng, ROWS * D_MODEL, r->x);

    gelu_ffn_desc desc = {
        .d_model = D_MODEL,
        .d_ff = D_FF,
        .act = GELU_ERF,
        .fc1 = {.dtype = GELU_F32, .layout = GELU_OUT_IN, .weight = weight1, .bias = bias1},
        .fc2 = {.dtype = GELU_F32, .layout = GELU_OUT_IN, .weight = weight2, .bias = bias2},
    };
    gelu_ffn_trace trace = {.h = r->h, .a = r->a};
    gelu_ffn *ffn;
    status = gelu_ffn_create(&desc, &ffn);
    if (status != GELU_OK) return status;
    status = gelu_ffn_forward(ffn, ROWS, GELU_F32, r->x, D_MODEL, &trace, GELU_F32, r->y, D_MODEL, NULL);
    gelu_ffn_free(ffn);
    return status;
}

static gelu_status show_stage(const texts *t, const char *heading, const float *data, size_t cols,
                              const char *grad_fn) {
    print_heading(heading);
    print_shape(t, ROWS, cols);
    if (cols == D_FF) { /* the inside of the block: PyTorch's out[0][:5] */
        puts(t->first_five);
        return print_torch(1, (const size_t[]){FIRST}, data, grad_fn);
    }
    puts(t->values);
    return print_torch(2, (const size_t[]){ROWS, cols}, data, grad_fn);
}

static gelu_status show_feed_forward(const texts *t, uint64_t seed) {
    ffn_results r;
    gelu_status status = compute_ffn(seed, &r);
    if (status != GELU_OK) return status;
    print_heading(t->step3);
    printf("%s%" PRIu64 "%s\n", t->seed, seed, t->step3_seed);
    status = show_stage(t, t->input, r.x, D_MODEL, NULL);
    if (status == GELU_OK) status = show_stage(t, t->fc1, r.h, D_FF, "SliceBackward0");
    if (status == GELU_OK) status = show_stage(t, t->gelu, r.a, D_FF, "SliceBackward0");
    if (status == GELU_OK) status = show_stage(t, t->fc2, r.y, D_MODEL, "AddmmBackward0");
    return status;
}

static const texts *texts_of_environment(void) {
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    for (int i = 0; i < 3; i++) {
        const char *locale = getenv(names[i]);
        if (locale && *locale) return strncmp(locale, "zh", 2) == 0 ? &chinese : &english;
    }
    return &english;
}

int cmd_demo(int argc, char **argv) {
    static const struct option options[] = {
        {"seed", required_argument, NULL, 's'}, {"lang", required_argument, NULL, 'l'}, CLI_HELP_OPTION, {0}};
    cli_args args = {.argc = argc, .argv = argv, .options = options};
    uint64_t seed = 42;
    const texts *t = texts_of_environment();
    for (int c; (c = cli_next(&args)) != CLI_END;) switch (c) {
        case 's':
            if (!cli_parse_u64(optarg, UINT64_MAX, &seed))
                return cli_usage("'%s' is not a seed from 0 to %" PRIu64, optarg, UINT64_MAX);
            break;
        case 'l':
            if (strcmp(optarg, "en") != 0 && strcmp(optarg, "zh") != 0)
                return cli_usage("unknown language '%s'; known: en, zh", optarg);
            t = optarg[0] == 'z' ? &chinese : &english;
            break;
        case 'h': return cli_help(help);
        default: return CLI_USAGE;
        }
    if (args.operands > 0) return cli_usage("demo takes no argument '%s'", argv[0]);

    printf("%s\n%s\n%s\n", rule, t->title, rule);
    gelu_status status = show_activation(t);
    if (status == GELU_OK) status = show_hidden_layer(t, seed);
    if (status == GELU_OK) status = show_feed_forward(t, seed);
    if (status != GELU_OK) return cli_fail("%s", gelu_status_string(status));
    puts(rule);
    return CLI_OK;
}
