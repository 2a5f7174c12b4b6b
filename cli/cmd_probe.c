/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "npy_input.h"
#include "probe.h"
#include "ulp.h"

static const char help[] =
    "Usage: gelu probe [--gate G.npy] [--bf16] IN.npy OUT.npy\n"
    "\n"
    "Which activation made OUT of IN, and how was it computed? Tries identity, relu, erf, tanh, quick, silu and elu, "
    "each\n"
    "exact; erf and tanh also by 0.5 x (1 + erf) and 0.5 x (1 + tanh) in f32 (f64 for f64 data), as PyTorch computes\n"
    "them, which loses the tail; tanh and quick also by ggml's table of f16; and each of these rounded to f16 and "
    "bf16,\n"
    "where all of OUT is in such a type. Prints how far each is from OUT, the closest first, and a verdict.\n"
    "\n"
    "With a gate, or with IN of twice OUT's columns, it tries f(one) * other both ways round.\n"
    "\n"
    "Inputs from -6 to 3 tell most: 64 of them will do. Where the data fit several, the verdict says which and why.\n"
    "Elements whose input is infinite or NaN are left out.\n"
    "\n"
    "  -h, --help     this text\n"
    "  --gate G.npy   OUT is f(IN) * G or f(G) * IN, element by element\n"
    "  --bf16         take NumPy's raw type V2 as bfloat16\n"
    "\n"
    "Exit status: 0 something fits, 1 nothing does, or a file cannot be used, 2 a mistake on the command line.\n";

enum { IN, OUT, GATE, N_FILES };

typedef struct {
    const char *path[N_FILES]; /* path[GATE] NULL: no such file */
    gelu_npy *npy[N_FILES];
    bool packed, gated; /* packed: the two halves of IN's rows */
    size_t count, columns;
    gelu_dtype work;
    bool in_f16, in_bf16, in_f32; /* whether all of OUT is in such a type */
    size_t left_out;
    probe_case cases[PROBE_MAX_CASES];
    size_t n_cases;
} probe;

/* One piece of the data, without what is left out. */
typedef struct {
    size_t n, left_out;
    double side[2][CLI_BLOCK], out[CLI_BLOCK];
} block;

static int check_shapes(probe *p) {
    const gelu_tensor *in = gelu_npy_info(p->npy[IN]), *out = gelu_npy_info(p->npy[OUT]);
    char first[CLI_SHAPE_LENGTH], second[CLI_SHAPE_LENGTH];
    cli_shape(out->ndim, out->shape, second);
    if (out->count == 0) return cli_fail("%s: no elements: its shape is %s", p->path[OUT], second);
    p->count = out->count;
    p->columns = out->ndim > 0 ? out->shape[out->ndim - 1] : 1;
    for (int i = IN; i <= GATE; i++) {
        if (i == OUT || !p->path[i]) continue;
        const gelu_tensor *tensor = gelu_npy_info(p->npy[i]);
        if (tensor->ndim == out->ndim && !memcmp(tensor->shape, out->shape, out->ndim * sizeof out->shape[0])) continue;
        p->packed = i == IN && !p->path[GATE] && in->ndim == out->ndim && out->ndim > 0 &&
                    !memcmp(in->shape, out->shape, (out->ndim - 1) * sizeof out->shape[0]) &&
                    in->shape[in->ndim - 1] == 2 * p->columns;
        if (!p->packed)
            return cli_fail("%s is %s, but %s is %s; they must be equal%s", p->path[i],
                            cli_shape(tensor->ndim, tensor->shape, first), p->path[OUT], second,
                            i == IN && !p->path[GATE] ? ", or the last dimension twice as long" : "");
    }
    p->gated = p->packed || p->path[GATE];
    return CLI_OK;
}

/* Elements first .. first+n-1 of each half. */
static int read_halves(const probe *p, size_t first, size_t n, block *to) {
    int code = CLI_OK;
    for (size_t done = 0, piece; done < n && code == CLI_OK; done += piece) {
        size_t row = (first + done) / p->columns, column = (first + done) % p->columns;
        piece = p->columns - column < n - done ? p->columns - column : n - done;
        for (size_t half = 0; half < 2 && code == CLI_OK; half++)
            code = cli_npy_doubles(p->path[IN], p->npy[IN], (2 * row + half) * p->columns + column, piece,
                                   to->side[half] + done);
    }
    return code;
}

static int read_block(const probe *p, size_t first, block *to) {
    size_t n = p->count - first < CLI_BLOCK ? p->count - first : CLI_BLOCK;
    int code = cli_npy_doubles(p->path[OUT], p->npy[OUT], first, n, to->out);
    if (code == CLI_OK)
        code =
            p->packed ? read_halves(p, first, n, to) : cli_npy_doubles(p->path[IN], p->npy[IN], first, n, to->side[0]);
    if (code == CLI_OK && p->path[GATE]) code = cli_npy_doubles(p->path[GATE], p->npy[GATE], first, n, to->side[1]);
    if (code != CLI_OK) return code;
    to->n = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(to->side[0][i]) || (p->gated && !isfinite(to->side[1][i]))) continue;
        to->side[0][to->n] = to->side[0][i];
        to->side[1][to->n] = p->gated ? to->side[1][i] : 1;
        to->out[to->n++] = to->out[i];
    }
    to->left_out = n - to->n;
    return CLI_OK;
}

/* What types the values are really in, whatever the files' are. */
static int scan(probe *p) {
    block data;
    p->in_f16 = p->in_bf16 = p->in_f32 = true;
    bool inputs_f32 = true;
    for (size_t first = 0; first < p->count; first += CLI_BLOCK) {
        int code = read_block(p, first, &data);
        if (code != CLI_OK) return code;
        p->left_out += data.left_out;
        for (size_t i = 0; i < data.n; i++) {
            inputs_f32 = inputs_f32 && cli_is_in(GELU_F32, data.side[0][i]) && cli_is_in(GELU_F32, data.side[1][i]);
            p->in_f32 = p->in_f32 && cli_is_in(GELU_F32, data.out[i]);
            p->in_f16 = p->in_f16 && cli_is_in(GELU_F16, data.out[i]);
            p->in_bf16 = p->in_bf16 && cli_is_in(GELU_BF16, data.out[i]);
        }
    }
    p->work = inputs_f32 && p->in_f32 ? GELU_F32 : GELU_F64;
    if (p->left_out == p->count) return cli_fail("%s: no element has a finite input", p->path[IN]);
    return CLI_OK;
}

static void name_case(probe_case *of, bool packed) {
    static const char *const sides[2][2] = {{"IN", "G"}, {"first half", "second half"}};
    const char *act = gelu_act_name(of->act), *const *side = sides[packed];
    if (of->order < 0)
        snprintf(of->name, sizeof of->name, "%s", act);
    else
        snprintf(of->name, sizeof of->name, "%s(%s) * %s", act, side[of->order], side[1 - of->order]);
}

static void list_cases_of(probe *p, gelu_dtype rounded, bool first_type) {
    bool half = rounded == GELU_F16 || rounded == GELU_BF16;
    for (int each_step = 0; each_step <= half; each_step++)
        for (int order = 0; order <= p->gated; order++)
            for (gelu_act act = GELU_IDENTITY; act <= GELU_ELU; act++) {
                bool sharp = act == GELU_IDENTITY || (act == GELU_RELU && !p->gated);
                if ((act == GELU_IDENTITY && order == 1) || (sharp && each_step)) continue; /* the same again */
                probe_case *added = &p->cases[p->n_cases++];
                *added = (probe_case){.act = act, .order = p->gated ? order : -1, .rounded = rounded};
                added->each_step = each_step;
                added->first_type = first_type && !each_step;
                name_case(added, p->packed);
            }
}

static void list_cases(probe *p) {
    gelu_dtype dtype = gelu_npy_info(p->npy[OUT])->dtype;
    if (dtype == GELU_F32 || dtype == GELU_F64) {
        list_cases_of(p, p->in_f32 ? GELU_F32 : GELU_F64, true);
        if (p->in_f16) list_cases_of(p, GELU_F16, false);
        if (p->in_bf16) list_cases_of(p, GELU_BF16, false);
    } else {
        list_cases_of(p, dtype, true);
    }
}

static int compare(probe *p) {
    block data;
    cli_progress progress;
    cli_progress_begin(&progress, p->path[OUT], p->count);
    int code = CLI_OK;
    for (size_t first = 0; first < p->count && code == CLI_OK; first += CLI_BLOCK) {
        code = read_block(p, first, &data);
        for (size_t i = 0; i < p->n_cases && code == CLI_OK; i++) {
            int gate = p->cases[i].order == 1;
            probe_add(&p->cases[i], p->work, data.n, data.side[gate], p->gated ? data.side[!gate] : NULL, data.out);
        }
        cli_progress_update(&progress, first + CLI_BLOCK);
    }
    cli_progress_end(&progress);
    return code;
}

typedef struct {
    const probe_case *of;
    probe_how how;
} line;

static int by_distance(const void *a, const void *b) {
    const line *first = a, *second = b;
    double x = first->of->distance[first->how].absolute, y = second->of->distance[second->how].absolute;
    if (x != y) return x < y ? -1 : 1;
    if (first->of != second->of) return first->of < second->of ? -1 : 1;
    return (first->how > second->how) - (first->how < second->how);
}

static void print_table(const probe *p) {
    line lines[PROBE_MAX_CASES * PROBE_N_HOWS];
    size_t n = 0;
    for (size_t i = 0; i < p->n_cases; i++)
        for (probe_how how = 0; how < PROBE_N_HOWS; how++)
            if (p->cases[i].distance[how].tried && !probe_is_loose(&p->cases[i]))
                lines[n++] = (line){&p->cases[i], how};
    qsort(lines, n, sizeof lines[0], by_distance);
    int width = p->packed ? 32 : p->gated ? 15 : 8;
    printf("%-*s  %-53s %9s %20s %12s\n", width, "function", "computed", "max abs", "max ULP", "differ");
    for (size_t i = 0; i < n; i++) {
        char how[128];
        const probe_distance *distance = &lines[i].of->distance[lines[i].how];
        probe_describe(lines[i].of, lines[i].how, p->work, how, sizeof how);
        printf("%-*s  %-53s %9.3g %20" PRIu64 " %12zu\n", width, lines[i].of->name, how, distance->absolute,
               distance->ulp, distance->mismatches);
    }
}

static int run(probe *p, const gelu_npy_options *options) {
    for (int i = 0; i < N_FILES; i++) {
        if (!p->path[i]) continue;
        int code = cli_npy_open(p->path[i], options, &p->npy[i]);
        if (code != CLI_OK) return code;
    }
    int code = check_shapes(p);
    if (code == CLI_OK) code = scan(p);
    if (code != CLI_OK) return code;
    list_cases(p);
    code = compare(p);
    if (code != CLI_OK) return code;
    print_table(p);
    if (p->left_out > 0)
        printf("left out: %zu of %zu elements, whose input is infinite or NaN\n", p->left_out, p->count);
    char text[2048];
    bool fits = probe_verdict(p->cases, p->n_cases, p->work, text, sizeof text);
    printf("verdict: %s\n", text);
    return fits ? CLI_OK : CLI_BAD_DATA;
}

int cmd_probe(int argc, char **argv) {
    static const struct option options[] = {
        {"gate", required_argument, NULL, 'g'}, {"bf16", no_argument, NULL, 'b'}, CLI_HELP_OPTION, {0}};
    cli_args args = {.argc = argc, .argv = argv, .options = options};
    gelu_npy_options npy_options = {0};
    static probe p;
    for (int c; (c = cli_next(&args)) != CLI_END;) switch (c) {
        case 'g': p.path[GATE] = optarg; break;
        case 'b': npy_options.v2_is_bf16 = 1; break;
        case 'h': return cli_help(help);
        default: return CLI_USAGE;
        }
    if (args.operands != 2) return cli_usage("needs two files, IN.npy and OUT.npy; got %d", args.operands);
    p.path[IN] = argv[0];
    p.path[OUT] = argv[1];
    int code = run(&p, &npy_options);
    for (int i = 0; i < N_FILES; i++) gelu_npy_close(p.npy[i]);
    return code;
}
