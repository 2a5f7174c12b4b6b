/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model.h"

static const char help[] =
    "Usage: gelu ffn [OPTION...] PATH --layer N IN.npy OUT.npy\n"
    "\n"
    "Runs a feed-forward layer of the checkpoint PATH (gelu inspect lists them) on IN.npy, of f32, f16 or bf16 and of "
    "any\n"
    "shape whose last dimension is d_model, and writes the result, f32 of the same shape, to OUT.npy.\n"
    "\n"
    "  -h, --help     this text\n"
    "  --layer N      which block, counted from 0\n"
    "  --block        the whole block: the layer with its norm and residual, as the family has them\n"
    "  --attn F.npy   what attention made of the same input, for blocks that add it (GPT-NeoX, Phi)\n"
    "  --scale F.npy, --shift F.npy, --gate-vec F.npy\n"
    "                 d_model values each, which modulate a block (Flux, Stable Diffusion 3)\n"
    "  --trace DIR    print every step, and write its result to DIR: x, entered (what goes into the layer), gate, up, "
    "h,\n"
    "                 a, left (what comes out of the layer), y\n" CLI_MODEL_HELP
    "  --bf16         take NumPy's raw type V2 as bfloat16\n"
    "  --threads N    threads; default GELU_NUM_THREADS, or 1\n";

typedef struct {
    const char *path, *in, *out, *trace;
    const char *attn, *scale, *shift, *gate_vec;
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
    gelu_tensor in; /* f32, after loading */
    size_t rows;
    float *y, *attn, *scale, *shift, *gate_vec;
    float *entered, *left, *h, *a, *gate, *up; /* for a trace */
} run;

static int read_f32(const char *path, const gelu_npy_options *options, gelu_tensor *out) {
    gelu_error err;
    if (gelu_npy_read(path, options, out, &err) != GELU_OK) return cli_fail("%s", err.message);
    if (out->dtype == GELU_F64) {
        gelu_tensor_free(out);
        return cli_fail("%s: its values are f64, which the layer does not take; f32, f16 and bf16 it does", path);
    }
    float *values = malloc(out->count * sizeof *values + 1);
    if (!values) {
        gelu_tensor_free(out);
        return cli_fail("out of memory");
    }
    gelu_convert(out->count, out->dtype, out->data, GELU_F32, values);
    free(out->data);
    out->data = values;
    out->dtype = GELU_F32;
    return CLI_OK;
}

/* The values of an option's file, which must be so many. */
static int read_extra(const run *r, const char *option, const char *path, size_t count, float **out) {
    gelu_tensor tensor;
    if (!path) return CLI_OK;
    int code = read_f32(path, &r->request->npy, &tensor);
    if (code != CLI_OK) return code;
    *out = tensor.data;
    if (tensor.count == count) return CLI_OK;
    return cli_fail("%s: --%s takes %zu values here, not %zu", path, option, count, tensor.count);
}

static int read_inputs(run *r) {
    const request *q = r->request;
    int code = read_f32(q->in, &q->npy, &r->in);
    if (code != CLI_OK) return code;
    size_t d = r->block->d_model, last = r->in.ndim ? r->in.shape[r->in.ndim - 1] : 1;
    if (r->in.ndim == 0 || last != d)
        return cli_fail("%s: its last dimension is %zu, but d_model of %s is %zu", q->in, last, r->block->name, d);
    r->rows = r->in.count / d;
    code = read_extra(r, "attn", q->attn, r->in.count, &r->attn);
    if (code == CLI_OK) code = read_extra(r, "scale", q->scale, d, &r->scale);
    if (code == CLI_OK) code = read_extra(r, "shift", q->shift, d, &r->shift);
    if (code == CLI_OK) code = read_extra(r, "gate-vec", q->gate_vec, d, &r->gate_vec);
    return code;
}

static bool allocate(float **out, size_t rows, size_t cols) {
    size_t n;
    if (__builtin_mul_overflow(rows, cols, &n) || n > SIZE_MAX / sizeof(float) - 1) return false;
    *out = malloc(n * sizeof(float) + 1);
    return *out != NULL;
}

static bool allocate_all(run *r) {
    size_t d = r->block->d_model, d_ff = r->block->d_ff;
    if (!allocate(&r->y, r->rows, d)) return false;
    if (!r->request->trace) return true;
    bool fits = allocate(&r->entered, r->rows, d) && allocate(&r->left, r->rows, d) && allocate(&r->h, r->rows, d_ff) &&
                allocate(&r->a, r->rows, d_ff);
    if (r->block->gated) fits = fits && allocate(&r->gate, r->rows, d_ff) && allocate(&r->up, r->rows, d_ff);
    return fits;
}

static int compute(run *r) {
    size_t d = r->block->d_model;
    gelu_error err = {0};
    const gelu_ffn_trace trace = {.h = r->h, .a = r->a, .gate = r->gate, .up = r->up};
    const gelu_block_extras extras = {.attn = r->attn,
                                      .scale = r->scale,
                                      .shift = r->shift,
                                      .gate = r->gate_vec,
                                      .entered = r->entered,
                                      .left = r->left,
                                      .trace = &trace};
    if (r->request->block) {
        if (gelu_block_forward(r->model, r->request->layer, r->ffn, r->rows, r->in.data, &extras, r->y, &err) !=
            GELU_OK)
            return cli_fail("%s", err.message);
        return CLI_OK;
    }
    gelu_status status = gelu_ffn_forward(r->ffn, r->rows, GELU_F32, r->in.data, d, &trace, GELU_F32, r->y, d, NULL);
    return status == GELU_OK ? CLI_OK : cli_fail("%s: %s", r->block->name, gelu_status_string(status));
}

static int write_file(const run *r, const char *path, const float *values, size_t cols) {
    size_t shape[GELU_MAX_NDIM];
    gelu_error err;
    memcpy(shape, r->in.shape, sizeof shape);
    shape[r->in.ndim - 1] = cols;
    if (gelu_npy_write(path, GELU_F32, r->in.ndim, shape, values, &err) != GELU_OK) return cli_fail("%s", err.message);
    return CLI_OK;
}

/* A step of the trace: what it is, its shape, how it begins, and all of it in a file. */
static int step(const run *r, const char *title, const char *name, const float *values, size_t cols) {
    if (!values) return CLI_OK;
    char path[4096], *text = NULL;
    size_t shown = r->rows == 0 ? 0 : cols < 5 ? cols : 5;
    int length = snprintf(path, sizeof path, "%s/%s.npy", r->request->trace, name);
    if (length < 0 || (size_t)length >= sizeof path) return cli_fail("%s: too long a path", r->request->trace);
    if (gelu_format_torch(GELU_F32, 1, &shown, values, NULL, &text) != GELU_OK) return cli_fail("out of memory");
    printf("\n%s\nShape: torch.Size([", title);
    for (size_t i = 0; i + 1 < r->in.ndim; i++) printf("%zu, ", r->in.shape[i]);
    printf("%zu])\nFirst row, first values:\n%s\n", cols, text);
    gelu_text_free(text);
    return write_file(r, path, values, cols);
}

static int print_trace(const run *r) {
    const gelu_model_block *b = r->block;
    const char *act = gelu_act_name(b->act);
    bool block = r->request->block;
    char title[96];
    if (mkdir(r->request->trace, 0777) != 0 && errno != EEXIST)
        return cli_fail("%s: cannot make the folder: %s", r->request->trace, strerror(errno));
    printf("Block %zu, %s: %s\n", (size_t)r->request->layer, b->name,
           block ? cli_block_formula(b->form) : "the layer alone");
    const float *x = r->in.data, *left = block ? r->left : r->y;
    int code = step(r, "x: what goes in", "x", x, b->d_model);
    bool norm_first = block && b->form != GELU_BLOCK_POST && b->form != GELU_BLOCK_RES_POST;
    if (code == CLI_OK && norm_first) code = step(r, "entered: after the norm", "entered", r->entered, b->d_model);
    if (code == CLI_OK) code = step(r, "gate: gate(x)", "gate", r->gate, b->d_ff);
    if (code == CLI_OK) code = step(r, "up: up(x)", "up", r->up, b->d_ff);
    if (b->gated) {
        snprintf(title, sizeof title, "a: %s(gate)", act);
        if (code == CLI_OK) code = step(r, title, "a", r->a, b->d_ff);
        if (code == CLI_OK) code = step(r, "h: a * up", "h", r->h, b->d_ff);
    } else {
        snprintf(title, sizeof title, "a: %s(h)", act);
        if (code == CLI_OK) code = step(r, "h: after fc1", "h", r->h, b->d_ff);
        if (code == CLI_OK) code = step(r, title, "a", r->a, b->d_ff);
    }
    if (code == CLI_OK) code = step(r, "left: after fc2", "left", left, b->d_model);
    if (code == CLI_OK && block) code = step(r, "y: the block's result", "y", r->y, b->d_model);
    return code;
}

static int run_layer(run *r) {
    const request *q = r->request;
    gelu_error err;
    r->block = gelu_model_at(r->model, (size_t)q->layer);
    if (!r->block)
        return cli_fail("%s: there is no block %zu, only 0 to %zu", q->path, (size_t)q->layer,
                        gelu_model_count(r->model) - 1);
    int code = read_inputs(r);
    if (code != CLI_OK) return code;
    if (!allocate_all(r)) return cli_fail("out of memory");
    if (gelu_model_ffn(r->model, (size_t)q->layer, &r->ffn, &err) != GELU_OK) return cli_fail("%s", err.message);
    code = compute(r);
    if (code == CLI_OK && q->trace) code = print_trace(r);
    return code == CLI_OK ? write_file(r, q->out, r->y, r->block->d_model) : code;
}

static int ffn(const request *q) {
    run r = {.request = q};
    int code = cli_model_open(q->path, &q->said, &r.model);
    if (code != CLI_OK) return code;
    code = run_layer(&r);
    float *all[] = {r.y, r.attn, r.scale, r.shift, r.gate_vec, r.entered, r.left, r.h, r.a, r.gate, r.up};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
    gelu_tensor_free(&r.in);
    gelu_ffn_free(r.ffn);
    gelu_model_close(r.model);
    return code;
}

/* The options that a block takes make no sense for the layer alone. */
static int check(const request *q, const cli_args *args) {
    if (args->operands != 3) return cli_usage("needs PATH, IN.npy and OUT.npy; got %d", args->operands);
    if (!q->has_layer) return cli_usage("--layer is missing");
    const char *extra = q->attn ? "attn" : q->scale ? "scale" : q->shift ? "shift" : q->gate_vec ? "gate-vec" : NULL;
    if (extra && !q->block) return cli_usage("--%s is for a block: --block is missing", extra);
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
        case 'a': q.attn = optarg; break;
        case 's': q.scale = optarg; break;
        case 'i': q.shift = optarg; break;
        case 'g': q.gate_vec = optarg; break;
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
    q.in = argv[1];
    q.out = argv[2];
    return ffn(&q);
}
