/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model.h"
#include "npy_input.h"
#include "npy_output.h"

static const char help[] =
    "Usage: gelu ffn [OPTION...] PATH --layer N IN.npy OUT.npy\n"
    "\n"
    "Runs a feed-forward layer of the checkpoint PATH (gelu inspect lists them) on IN.npy, of any shape whose last\n"
    "dimension is d_model, and writes the result, of the same shape, to OUT.npy. Computes in f32; but in f64, "
    "widening\n"
    "all else, where IN.npy, another file or any tensor that is used (with --block its norms', too) is f64. OUT.npy "
    "has\n"
    "the type that it computes in.\n"
    "\n"
    "  -h, --help     this text\n"
    "  --layer N      which block, counted from 0\n"
    "  --block        the whole block: the layer with its norm and residual, as the family has them\n"
    "  --attn F.npy   what attention made of the same input, for blocks that add it (GPT-NeoX, Phi); for Flux's "
    "single\n"
    "                 blocks its heads, side by side, which go into the same last matrix as the layer\n"
    "  --scale F.npy, --shift F.npy, --gate-vec F.npy\n"
    "                 d_model values each, which modulate a block (Flux, Stable Diffusion 3)\n"
    "  --trace DIR    print every step, and write its result to DIR: x, entered (what goes into the layer), gate, up, "
    "h,\n"
    "                 a, left (what comes out of the layer), y\n" CLI_MODEL_HELP
    "  --bf16         take NumPy's raw type V2 as bfloat16\n"
    "  --threads N    threads; default GELU_NUM_THREADS, or 1\n";

enum { IN, ATTN, SCALE, SHIFT, GATE_VEC, N_INPUTS };
static const char *const option_names[N_INPUTS] = {NULL, "attn", "scale", "shift", "gate-vec"};

typedef struct {
    const char *path, *input[N_INPUTS], *out, *trace;
    cli_model_options said;
    gelu_npy_options npy;
    uint64_t layer;
    bool has_layer, block;
} request;

/* One run, and all that it owns. */
typedef struct {
    const request *request;
    gelu_model *model;
    const gelu_model_block *block;
    gelu_ffn *ffn;
    gelu_npy *npy[N_INPUTS];
    size_t ndim, shape[GELU_MAX_NDIM], rows; /* of what goes in */
    gelu_dtype dtype;                        /* of all numbers: f64 where a file or a tensor is, else f32 */
    void *input[N_INPUTS], *y;
    void *entered, *left, *h, *a, *gate, *up; /* for a trace */
} run;

/* A block takes what its form has, all of it and nothing else. */
static int check_options(const run *r) {
    static const char *const what[N_INPUTS] = {[ATTN] = "what attention made of the same input",
                                               [SCALE] = "what scales its norm",
                                               [SHIFT] = "what is added to its norm",
                                               [GATE_VEC] = "what multiplies its result"};
    gelu_block_form form = r->block->form;
    bool fused = form == GELU_BLOCK_FUSED;
    for (int i = ATTN; r->request->block && i < N_INPUTS; i++) {
        bool needed = fused || form == (i == ATTN ? GELU_BLOCK_PARALLEL : GELU_BLOCK_MODULATED);
        if (needed && !r->request->input[i])
            return cli_fail("%s: besides its input this block takes --%s, %s", r->block->name, option_names[i],
                            fused && i == ATTN ? "attention's heads, side by side" : what[i]);
        if (!needed && r->request->input[i])
            return cli_fail("%s: this block takes no --%s: %s", r->block->name, option_names[i],
                            cli_block_formula(form));
    }
    return CLI_OK;
}

/* Whether any tensor that goes into the result is: a layer alone has no norm. A bias has its weight's type. */
static bool has_f64(const gelu_model_block *b, bool block) {
    const gelu_safetensors_tensor *layer[] = {b->fc1.weight, b->up.weight, b->fc2.weight};
    const gelu_safetensors_tensor *norms[] = {b->norm.weight, b->norm.bias, b->norm2.weight, b->norm2.bias};
    for (int i = 0; i < 3; i++)
        if (layer[i] && layer[i]->dtype == GELU_F64) return true;
    for (int i = 0; block && i < 4; i++)
        if (norms[i] && norms[i]->dtype == GELU_F64) return true;
    return false;
}

static int open_inputs(run *r) {
    const request *q = r->request;
    r->dtype = has_f64(r->block, q->block) ? GELU_F64 : GELU_F32;
    for (int i = IN; i < N_INPUTS; i++) {
        if (!q->input[i]) continue;
        int code = cli_npy_open(q->input[i], &q->npy, &r->npy[i]);
        if (code != CLI_OK) return code;
        if (gelu_npy_info(r->npy[i])->dtype == GELU_F64) r->dtype = GELU_F64;
    }
    return CLI_OK;
}

static int check_inputs(run *r) {
    const request *q = r->request;
    const gelu_tensor *in = gelu_npy_info(r->npy[IN]);
    size_t d = r->block->d_model, last = in->ndim ? in->shape[in->ndim - 1] : 1;
    if (in->ndim == 0 || last != d)
        return cli_fail("%s: its last dimension is %zu, but d_model of %s is %zu", q->input[IN], last, r->block->name,
                        d);
    r->rows = in->count / d;
    r->ndim = in->ndim;
    memcpy(r->shape, in->shape, sizeof r->shape);
    for (int i = ATTN; i < N_INPUTS; i++) {
        size_t wanted = i == ATTN ? in->count : d;
        if (r->npy[i] && gelu_npy_info(r->npy[i])->count != wanted)
            return cli_fail("%s: --%s takes %zu values here, not %zu", q->input[i], option_names[i], wanted,
                            gelu_npy_info(r->npy[i])->count);
    }
    return CLI_OK;
}

static bool allocate(const run *r, void **out, size_t rows, size_t cols) {
    size_t n, nbytes = gelu_dtype_nbytes(r->dtype);
    if (__builtin_mul_overflow(rows, cols, &n) || n > SIZE_MAX / nbytes - 1) return false;
    *out = malloc(n * nbytes + 1);
    return *out != NULL;
}

static int read_input(run *r, int i) {
    double block[CLI_BLOCK];
    size_t count = gelu_npy_info(r->npy[i])->count, nbytes = gelu_dtype_nbytes(r->dtype);
    if (!allocate(r, &r->input[i], 1, count)) return cli_fail("out of memory");
    for (size_t first = 0, n; first < count; first += n) {
        n = count - first < CLI_BLOCK ? count - first : CLI_BLOCK;
        int code = cli_npy_doubles(r->request->input[i], r->npy[i], first, n, block);
        if (code != CLI_OK) return code;
        gelu_convert(n, GELU_F64, block, r->dtype, (char *)r->input[i] + first * nbytes);
    }
    return CLI_OK;
}

static int read_inputs(run *r) {
    int code = open_inputs(r);
    if (code == CLI_OK) code = check_inputs(r);
    for (int i = IN; i < N_INPUTS && code == CLI_OK; i++)
        if (r->npy[i]) code = read_input(r, i);
    return code;
}

static bool allocate_results(run *r) {
    size_t d = r->block->d_model, d_ff = r->block->d_ff;
    if (!allocate(r, &r->y, r->rows, d)) return false;
    if (!r->request->trace) return true;
    bool fits = allocate(r, &r->entered, r->rows, d) && allocate(r, &r->left, r->rows, d) &&
                allocate(r, &r->h, r->rows, d_ff) && allocate(r, &r->a, r->rows, d_ff);
    if (r->block->gated) fits = fits && allocate(r, &r->gate, r->rows, d_ff) && allocate(r, &r->up, r->rows, d_ff);
    return fits;
}

static int compute(run *r) {
    size_t d = r->block->d_model;
    gelu_error err = {0};
    const gelu_ffn_trace trace = {.h = r->h, .a = r->a, .gate = r->gate, .up = r->up};
    const gelu_block_extras extras = {.attn = r->input[ATTN],
                                      .scale = r->input[SCALE],
                                      .shift = r->input[SHIFT],
                                      .gate = r->input[GATE_VEC],
                                      .entered = r->entered,
                                      .left = r->left,
                                      .trace = &trace};
    if (r->request->block) {
        gelu_status status = gelu_block_forward(r->model, (size_t)r->request->layer, r->ffn, r->rows, r->dtype,
                                                r->input[IN], &extras, r->y, &err);
        return status == GELU_OK ? CLI_OK : cli_fail("%s", err.message);
    }
    gelu_status status = gelu_ffn_forward(r->ffn, r->rows, r->dtype, r->input[IN], d, &trace, r->dtype, r->y, d, NULL);
    return status == GELU_OK ? CLI_OK : cli_fail("%s: %s", r->block->name, gelu_status_string(status));
}

static int write_file(const run *r, const char *path, const void *values, size_t cols) {
    size_t shape[GELU_MAX_NDIM];
    gelu_error err = {0};
    gelu_npy_writer *writer;
    memcpy(shape, r->shape, sizeof shape);
    shape[r->ndim - 1] = cols;
    gelu_status status = cli_npy_begin(path, r->dtype, r->ndim, shape, &writer, &err);
    if (status == GELU_OK)
        status = cli_npy_end(writer, gelu_npy_writer_write(writer, r->rows * cols, values, &err), &err);
    return status == GELU_OK ? CLI_OK : cli_fail("%s", err.message);
}

enum { LONGEST_PATH = 4096 };

static int trace_path(const run *r, const char *name, char path[LONGEST_PATH]) {
    int length = snprintf(path, LONGEST_PATH, "%s/%s.npy", r->request->trace, name);
    if (length >= 0 && length < LONGEST_PATH) return CLI_OK;
    return cli_fail("%s: cannot make the folder: %s", r->request->trace, strerror(ENAMETOOLONG));
}

static bool is_same_file(const char *a, const char *b) {
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* A trace must not replace what it is made from. */
static int spare_inputs(const run *r) {
    static const char *const names[] = {"x", "entered", "gate", "up", "h", "a", "left", "y"};
    char path[LONGEST_PATH];
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        int code = trace_path(r, names[n], path);
        if (code != CLI_OK) return code;
        for (int i = IN; i < N_INPUTS; i++)
            if (r->npy[i] && is_same_file(path, r->request->input[i]))
                return cli_fail("%s: the trace would replace it; name another folder than %s", r->request->input[i],
                                r->request->trace);
    }
    return CLI_OK;
}

enum { MOST_STEPS = 8 };

/* A step of the trace: what it is, its file, and its values, NULL where there is none. */
typedef struct {
    const char *title, *name;
    const void *values;
    size_t cols;
} step;

static void list_steps(const run *r, char act[96], step steps[MOST_STEPS]) {
    const gelu_model_block *b = r->block;
    bool block = r->request->block, gated = b->gated;
    bool norm_first = block && b->form != GELU_BLOCK_POST && b->form != GELU_BLOCK_RES_POST;
    snprintf(act, 96, "a: %s(%s)", gelu_act_name(b->act), gated ? "gate" : "h");
    const step a = {act, "a", r->a, b->d_ff}, h = {gated ? "h: a * up" : "h: after fc1", "h", r->h, b->d_ff};
    const step all[MOST_STEPS] = {{"x: what goes in", "x", r->input[IN], b->d_model},
                                  {"entered: after the norm", "entered", norm_first ? r->entered : NULL, b->d_model},
                                  {"gate: gate(x)", "gate", r->gate, b->d_ff},
                                  {"up: up(x)", "up", r->up, b->d_ff},
                                  gated ? a : h,
                                  gated ? h : a,
                                  {"left: after fc2", "left", block ? r->left : r->y, b->d_model},
                                  {"y: the block's result", "y", block ? r->y : NULL, b->d_model}};
    memcpy(steps, all, sizeof all);
}

/* Whether path is the file of this name in the folder, which is there, even where that file is not. */
static bool is_in_folder(const char *path, const char *folder, const char *name) {
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    char parent[LONGEST_PATH];
    int length = slash ? (int)(file - path) : 1;
    snprintf(parent, sizeof parent, "%.*s", length, slash ? path : ".");
    size_t stem = strlen(name);
    return strncmp(file, name, stem) == 0 && strcmp(file + stem, ".npy") == 0 && is_same_file(parent, folder);
}

/* OUT must not replace a step. */
static int spare_steps(const run *r, const step steps[MOST_STEPS]) {
    char path[LONGEST_PATH];
    const char *out = r->request->out, *folder = r->request->trace;
    for (int i = 0; i < MOST_STEPS; i++) {
        if (!steps[i].values) continue;
        int code = trace_path(r, steps[i].name, path);
        if (code != CLI_OK) return code;
        if (is_same_file(path, out) || is_in_folder(out, folder, steps[i].name))
            return cli_fail("%s: the result would replace the trace's %s.npy; name another file", out, steps[i].name);
    }
    return CLI_OK;
}

/* The step, its shape, how it begins, and all of it in a file. */
static int print_step(const run *r, const step *s) {
    if (!s->values) return CLI_OK;
    char path[LONGEST_PATH], *text = NULL;
    size_t shown = r->rows == 0 ? 0 : s->cols < 5 ? s->cols : 5;
    int code = trace_path(r, s->name, path);
    if (code != CLI_OK) return code;
    if (gelu_format_torch(r->dtype, 1, &shown, s->values, NULL, &text) != GELU_OK) return cli_fail("out of memory");
    printf("\n%s\nShape: torch.Size([", s->title);
    for (size_t i = 0; i + 1 < r->ndim; i++) printf("%zu, ", r->shape[i]);
    printf("%zu])\nFirst row, first values:\n%s\n", s->cols, text);
    gelu_text_free(text);
    return write_file(r, path, s->values, s->cols);
}

static int print_trace(const run *r) {
    char act[96];
    step steps[MOST_STEPS];
    bool made = mkdir(r->request->trace, 0777) == 0;
    if (!made && errno != EEXIST) return cli_fail("%s: cannot make the folder: %s", r->request->trace, strerror(errno));
    list_steps(r, act, steps);
    int code = spare_steps(r, steps);
    if (code != CLI_OK && made) rmdir(r->request->trace);
    if (code != CLI_OK) return code;
    printf("Block %zu, %s: %s\n", (size_t)r->request->layer, r->block->name,
           r->request->block ? cli_block_formula(r->block->form) : "the layer alone");
    for (int i = 0; i < MOST_STEPS && code == CLI_OK; i++) code = print_step(r, &steps[i]);
    return code;
}

static int run_layer(run *r) {
    const request *q = r->request;
    gelu_error err;
    r->block = gelu_model_at(r->model, (size_t)q->layer);
    if (!r->block)
        return cli_fail("%s: there is no block %zu, only 0 to %zu", q->path, (size_t)q->layer,
                        gelu_model_count(r->model) - 1);
    int code = check_options(r);
    if (code == CLI_OK) code = read_inputs(r);
    if (code == CLI_OK && q->trace) code = spare_inputs(r);
    if (code != CLI_OK) return code;
    if (!allocate_results(r)) return cli_fail("out of memory");
    gelu_dtype widened = r->dtype == GELU_F64 ? GELU_F64 : 0;
    if (gelu_model_ffn(r->model, (size_t)q->layer, widened, &r->ffn, &err) != GELU_OK)
        return cli_fail("%s", err.message);
    code = compute(r);
    if (code == CLI_OK && q->trace) code = print_trace(r);
    return code == CLI_OK ? write_file(r, q->out, r->y, r->block->d_model) : code;
}

static int ffn(const request *q) {
    run r = {.request = q};
    int code = cli_model_open(q->path, &q->said, &r.model);
    if (code != CLI_OK) return code;
    code = run_layer(&r);
    void *all[] = {r.y, r.entered, r.left, r.h, r.a, r.gate, r.up};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
    for (int i = IN; i < N_INPUTS; i++) {
        gelu_npy_close(r.npy[i]);
        free(r.input[i]);
    }
    gelu_ffn_free(r.ffn);
    gelu_model_close(r.model);
    return code;
}

/* The options that a block takes make no sense for the layer alone. */
static int check(const request *q, const cli_args *args) {
    if (args->operands != 3) return cli_usage("needs PATH, IN.npy and OUT.npy; got %d", args->operands);
    if (!q->has_layer) return cli_usage("--layer is missing");
    for (int i = ATTN; i < N_INPUTS; i++)
        if (q->input[i] && !q->block) return cli_usage("--%s is for a block: --block is missing", option_names[i]);
    return CLI_OK;
}

int cmd_ffn(int argc, char **argv) {
    static const struct option options[] = {{"layer", required_argument, NULL, 'l'},
                                            {"block", no_argument, NULL, 'b'},
                                            {"trace", required_argument, NULL, 't'},
                                            {"attn", required_argument, NULL, 'a'},
                                            {"scale", required_argument, NULL, 's'},
                                            {"shift", required_argument, NULL, 'i'},
                                            {"gate-vec", required_argument, NULL, 'g'},
                                            {"bf16", no_argument, NULL, 'v'},
                                            {"threads", required_argument, NULL, 'n'},
                                            CLI_MODEL_OPTIONS,
                                            CLI_HELP_OPTION,
                                            {0}};
    cli_args args = {.argc = argc, .argv = argv, .options = options};
    request q = {0};
    uint64_t threads;
    for (int c; (c = cli_next(&args)) != CLI_END;) switch (c) {
        case 'l':
            if (!cli_parse_u64(optarg, SIZE_MAX, &q.layer))
                return cli_usage("--layer: '%s' is not a whole number", optarg);
            q.has_layer = true;
            break;
        case 'b': q.block = true; break;
        case 't': q.trace = optarg; break;
        case 'a': q.input[ATTN] = optarg; break;
        case 's': q.input[SCALE] = optarg; break;
        case 'i': q.input[SHIFT] = optarg; break;
        case 'g': q.input[GATE_VEC] = optarg; break;
        case 'v': q.npy.v2_is_bf16 = 1; break;
        case 'n':
            if (cli_set_threads(optarg, &threads) != CLI_OK) return CLI_USAGE;
            break;
        case 'F':
        case 'A':
        case 'G':
            if (cli_model_option(c, optarg, &q.said) != CLI_OK) return CLI_USAGE;
            break;
        case 'h': return cli_help(help);
        default: return CLI_USAGE;
        }
    int code = check(&q, &args);
    if (code != CLI_OK) return code;
    q.path = argv[0];
    q.input[IN] = argv[1];
    q.out = argv[2];
    return ffn(&q);
}
