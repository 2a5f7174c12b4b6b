/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdlib.h>
#include <string.h>

#include "bench_common.h"
#include "cli.h"
#include "layer.h"

static const char help[] =
    "Usage: gelu bench linear|ffn [--shape LIST] [--rows LIST] [--act LIST] [--dtype LIST] [--isa LIST] [--fast]\n"
    "                             [--backward] [--threads N] [--quick] [--seconds S | --repeat N] [--csv | "
    "--markdown]\n"
    "\n"
    "How fast Linear, or the whole feed-forward block, is on this machine: 10^9 additions and multiplications a "
    "second;\n"
    "their share of the most independent fused multiply-adds of f32 that this instruction set was seen to do in the "
    "same\n"
    "run; and the share of the time that goes into the activation, which the same layer with identity saves. All are "
    "run\n"
    "in turn, each many times; the fastest run counts. linear measures both products of a shape: up, with the\n"
    "activation, and down, without.\n"
    "A LIST is one or more names with commas between them, or all.\n"
    "\n"
    "  -h, --help      this text\n"
    "  --shape LIST    minilm, bert-base, gpt-2, bert-large, llama-7b (gated); these by default. 768x3072 is a plain\n"
    "                  block of this d_model and d_ff, gated:4096x11008 a gated one\n"
    "  --rows LIST     rows of a batch; default (and all) 1,8,128,512\n"
    "  --act LIST      activations; default the shape's own: erf, gpt-2 tanh, gated silu\n"
    "  --dtype LIST    f32 (default); bf16-weights: these widened, everything else in f32; bf16: bf16 products\n"
    "  --isa LIST      instruction sets; default the one in use\n"
    "  --fast          the fast activations, too (fast-erf, ...)\n"
    "  --backward      all gradients instead of the forward pass; bf16 has none\n"
    "  --threads N     threads; default 1\n"
    "  --quick         minilm and bert-base, 1 and 128 rows, 10 seconds, where nothing else is asked for\n"
    "  --seconds S     for the whole run, about; default 60\n"
    "  --repeat N      runs of each layer, instead of --seconds\n"
    "  --csv           comma-separated values\n"
    "  --markdown      tables as in docs/performance.md, one column for each number of rows\n"
    "\n"
    "Examples: gelu bench linear --shape bert-base --rows 128 --isa all\n"
    "          gelu bench ffn --dtype f32,bf16-weights --threads 2 --markdown\n";

enum { MAX_ROWS = 1 << 20 };

typedef struct {
    bool ffn, backward, fast, quick;
    size_t n_shapes, n_rows, n_acts, n_arithmetics, n_isas;
    bench_shape shapes[BENCH_MAX_LIST];
    size_t rows[BENCH_MAX_LIST];
    gelu_act acts[BENCH_MAX_LIST];
    const bench_arithmetic *arithmetics[BENCH_MAX_LIST];
    const char *isas[BENCH_MAX_LIST];
    bench_manner manner;
} request;

/* ---- Lists ---- */

static int add_shape(void *context, const char *item) {
    request *request = context;
    if (bench_shape_from_name(item, &request->shapes[request->n_shapes++])) return CLI_OK;
    return bench_bad_item("shape", item,
                          "minilm, bert-base, gpt-2, bert-large, llama-7b, D_MODELxD_FF, gated:D_MODELxD_FF (each at "
                          "most 1048576)");
}

static int add_rows(void *context, const char *item) {
    request *request = context;
    uint64_t rows;
    int code = cli_parse_count("rows", item, MAX_ROWS, &rows);
    if (code == CLI_OK) request->rows[request->n_rows++] = (size_t)rows;
    return code;
}

static int add_act(void *context, const char *item) {
    request *request = context;
    if (gelu_act_from_name(item, &request->acts[request->n_acts++]) == GELU_OK) return CLI_OK;
    return bench_bad_item("activation", item, cli_known_activations());
}

static int add_arithmetic(void *context, const char *item) {
    request *request = context;
    for (size_t i = 0; bench_arithmetic_at(i); i++)
        if (!strcmp(item, bench_arithmetic_at(i)->name)) {
            request->arithmetics[request->n_arithmetics++] = bench_arithmetic_at(i);
            return CLI_OK;
        }
    return bench_bad_item("type", item, "f32, bf16-weights, bf16");
}

static int add_isa(void *context, const char *item) {
    request *request = context;
    return bench_find_isa(item, &request->isas[request->n_isas++]);
}

enum { SHAPE, ROWS, ACT, DTYPE, ISA, N_LISTS };
enum { FIRST_LIST = 256 }; /* getopt gives the other options letters */
static const struct {
    const char *option, *fallback, *quick, *all;
    bench_add_item *add;
} lists[N_LISTS] = {
    {"shape", "all", "minilm,bert-base", "minilm,bert-base,gpt-2,bert-large,llama-7b", add_shape},
    {"rows", "all", "1,128", "1,8,128,512", add_rows},
    {"act", NULL, NULL, "relu,erf,tanh,quick,silu,elu", add_act},
    {"dtype", "f32", "f32", "f32,bf16-weights,bf16", add_arithmetic},
    {"isa", NULL, NULL, NULL, add_isa},
};

/* text NULL: the option was not given. */
static int parse_list(request *request, int list, const char *text) {
    if (!text) text = request->quick ? lists[list].quick : lists[list].fallback;
    if (!text && list == ACT) return CLI_OK;
    if (!text) text = gelu_isa_name();
    if (!strcmp(text, "all")) text = list == ISA ? bench_every_isa() : lists[list].all;
    return bench_parse_list(lists[list].option, text, lists[list].add, request);
}

/* bf16 compute has no backward pass: among other types it is left out. */
static int leave_out_forward_only(request *request) {
    size_t kept = 0;
    for (size_t i = 0; i < request->n_arithmetics; i++)
        if (request->arithmetics[i]->compute != GELU_COMPUTE_BF16)
            request->arithmetics[kept++] = request->arithmetics[i];
    request->n_arithmetics = kept;
    return kept > 0 ? CLI_OK : cli_usage("--backward: bf16 has a forward pass only");
}

/* ---- The run ---- */

static size_t list_groups(const request *request, bench_progress *progress, bench_layer_group *groups) {
    size_t n = 0;
    bench_layer_group group = {.backward = request->backward,
                               .fast = request->fast,
                               .n_acts = request->n_acts,
                               .acts = request->n_acts ? request->acts : NULL,
                               .n_isas = request->n_isas,
                               .isas = request->isas,
                               .threads = (unsigned)request->manner.threads,
                               .repeat = request->manner.repeat,
                               .progress = bench_progress_show,
                               .context = progress};
    int first = request->ffn ? BENCH_FFN : BENCH_UP, last = request->ffn ? BENCH_FFN : BENCH_DOWN;
    for (size_t s = 0; s < request->n_shapes; s++)
        for (int layer = first; layer <= last; layer++)
            for (size_t r = 0; r < request->n_rows; r++)
                for (size_t a = 0; a < request->n_arithmetics; a++) {
                    group.shape = &request->shapes[s];
                    group.layer = (bench_layer)layer;
                    group.rows = request->rows[r];
                    group.arithmetic = request->arithmetics[a];
                    groups[n++] = group;
                }
    for (size_t i = 0; i < n; i++) groups[i].seconds = request->manner.seconds / (double)n;
    return n;
}

static int run_groups(const request *request, bench_progress *progress, size_t n, const bench_layer_group *groups,
                      bench_layer_row *rows) {
    bench_format format = request->manner.csv ? BENCH_CSV : BENCH_TABLE;
    size_t done = 0;
    bench_progress_begin(progress, n);
    for (size_t i = 0; i < n; i++) {
        size_t count = bench_layer_rows(&groups[i]);
        progress->group = i;
        gelu_status status = bench_layer_run(&groups[i], rows + done);
        cli_progress_clear(&progress->bar);
        if (status != GELU_OK)
            return cli_fail("%s, %s, %zu rows: %s", groups[i].shape->name, groups[i].arithmetic->name, groups[i].rows,
                            gelu_status_string(status));
        if (!request->manner.markdown && i == 0) bench_layer_print_header(stdout, format);
        if (!request->manner.markdown) bench_layer_print_rows(stdout, format, count, rows + done);
        done += count;
    }
    bench_progress_end(progress);
    if (request->manner.markdown) bench_layer_print_markdown(stdout, done, rows);
    if (format == BENCH_TABLE && !request->manner.markdown)
        printf("%s, %.2f GHz by chains of dependent operations; %u thread%s\n", bench_cpu_name(), bench_clock_ghz(),
               groups->threads, groups->threads == 1 ? "" : "s");
    return CLI_OK;
}

static int run(const request *request) {
    bench_progress progress = {0};
    /* two products, two forms of an activation */
    size_t most = request->n_arithmetics * request->n_shapes * request->n_rows * 2, per_group = 2 * request->n_isas;
    if (request->n_acts) per_group *= request->n_acts;
    bench_layer_group *groups = calloc(most, sizeof *groups);
    bench_layer_row *rows = calloc(most * per_group, sizeof *rows);
    int code = CLI_OK;
    if (!groups || !rows) code = cli_fail("out of memory");
    size_t n = code == CLI_OK ? list_groups(request, &progress, groups) : 0;
    for (size_t i = 0; i < n && code == CLI_OK; i++)
        if (!bench_fits_in_memory(bench_layer_nbytes(&groups[i])))
            code = cli_fail("%s, %zu rows: does not fit in memory", groups[i].shape->name, groups[i].rows);
    if (code == CLI_OK) code = run_groups(request, &progress, n, groups, rows);
    free(rows);
    free(groups);
    return code;
}

/* ---- The command line ---- */

bool bench_is_layer(const char *word) { return !strcmp(word, "linear") || !strcmp(word, "ffn"); }

int cmd_bench_layer(int argc, char **argv) {
    static const struct option options[] = {{"shape", required_argument, NULL, FIRST_LIST + SHAPE},
                                            {"rows", required_argument, NULL, FIRST_LIST + ROWS},
                                            {"act", required_argument, NULL, FIRST_LIST + ACT},
                                            {"dtype", required_argument, NULL, FIRST_LIST + DTYPE},
                                            {"isa", required_argument, NULL, FIRST_LIST + ISA},
                                            {"backward", no_argument, NULL, 'b'},
                                            {"fast", no_argument, NULL, 'f'},
                                            {"quick", no_argument, NULL, 'q'},
                                            BENCH_MANNER_OPTIONS,
                                            CLI_HELP_OPTION,
                                            {0}};
    cli_args args = {.argc = argc, .argv = argv, .options = options};
    const char *texts[N_LISTS] = {NULL};
    static request request;
    request.ffn = !strcmp(argv[0], "ffn");
    request.manner.threads = 1;
    cli_set_command(request.ffn ? "bench ffn" : "bench linear");
    int code = CLI_OK;
    for (int c; code == CLI_OK && (c = cli_next(&args)) != CLI_END;) switch (c) {
        case 't':
        case 's':
        case 'r':
        case 'c':
        case 'm': code = bench_parse_manner(c, optarg, &request.manner); break;
        case 'b': request.backward = true; break;
        case 'f': request.fast = true; break;
        case 'q': request.quick = true; break;
        case 'h': return cli_help(help);
        case '?': return CLI_USAGE;
        default: texts[c - FIRST_LIST] = optarg;
        }
    for (int list = 0; list < N_LISTS && code == CLI_OK; list++) code = parse_list(&request, list, texts[list]);
    if (code == CLI_OK && request.backward) code = leave_out_forward_only(&request);
    if (code == CLI_OK && args.operands > 0) code = cli_usage("no argument '%s' is known", argv[0]);
    if (code == CLI_OK) code = bench_check_manner(&request.manner);
    if (code != CLI_OK) return code;
    if (request.manner.seconds == 0) request.manner.seconds = request.quick ? 10 : 60;
    return run(&request);
}
