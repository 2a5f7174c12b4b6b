/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_common.h"
#include "cli.h"
#include "gelu_io.h"
#include "gnuplot.h"
#include "output_file.h"

static const char help[] =
    "Usage: gelu bench linear|ffn [OPTION...]    (gelu bench linear --help)\n"
    "       gelu bench [--act LIST] [--op LIST] [--dtype LIST] [--isa LIST] [--size LIST] [--input LIST]\n"
    "                  [--threads N] [--seconds S | --repeat N] [--csv | --markdown] [--plot FILE.png]\n"
    "\n"
    "How fast the activations are on this machine: nanoseconds and clocks per element, gigabytes per second, and how\n"
    "many times longer than memcpy and than a ReLU loop over the same arrays. All are run in turn, each many times; "
    "the\n"
    "fastest run counts. The clock comes from loops of dependent additions and fused multiply-adds in between.\n"
    "A LIST is one or more names with commas between them, or all.\n"
    "\n"
    "  -h, --help      this text\n"
    "  --act LIST      activations; default erf,tanh,quick,silu,elu\n"
    "  --op LIST       forward (default), grad, grad2 (f32 and f64), backward, fast and fast-backward (f32)\n"
    "  --dtype LIST    f32 (default), f64, f16, bf16; forward also f32-f16, f32-bf16 (to the shorter type, by "
    "Linear's\n"
    "                  epilogue, on one thread)\n"
    "  --isa LIST      instruction sets; default the one in use\n"
    "  --size LIST     elements, such as 1000 or 4Ki; default (and all) 4Ki,64Ki,1Mi,64Mi\n"
    "  --input LIST    normal, tail (uniform on [-14,-6]), subnormal, positive; these four by default. uniform (on\n"
    "                  [-3,3]), bits (any bit pattern), sigma=S (normal), range=A:B (uniform)\n"
    "  --threads N     threads; default 1\n"
    "  --seconds S     for the whole run, about; default 60\n"
    "  --repeat N      runs of each kernel, instead of --seconds\n"
    "  --csv           comma-separated values\n"
    "  --markdown      tables as in docs/performance.md: one column for each size, or for each input when there is one "
    "size\n"
    "  --plot FILE.png also draws time over size, with gnuplot\n"
    "\n"
    "Examples: gelu bench --act erf --isa all --size 4Ki\n"
    "          gelu bench --op forward,backward --dtype f32,bf16 --input normal,sigma=3 --markdown\n";

typedef struct {
    size_t n_acts, n_ops, n_dtypes, n_isas, n_sizes, n_inputs;
    gelu_act acts[BENCH_MAX_LIST];
    const bench_op *ops[BENCH_MAX_LIST];
    const bench_type *dtypes[BENCH_MAX_LIST];
    const char *isas[BENCH_MAX_LIST];
    size_t sizes[BENCH_MAX_LIST];
    bench_input inputs[BENCH_MAX_LIST];
    bench_manner manner;
    const char *plot;
} request;

/* ---- Lists ---- */

static int add_act(void *context, const char *item) {
    request *request = context;
    if (gelu_act_from_name(item, &request->acts[request->n_acts++]) == GELU_OK) return CLI_OK;
    return bench_bad_item("activation", item, cli_known_activations());
}

static int add_op(void *context, const char *item) {
    request *request = context;
    char known[128] = "";
    for (size_t i = 0; bench_op_at(i); i++) {
        if (!strcmp(item, bench_op_at(i)->name)) {
            request->ops[request->n_ops++] = bench_op_at(i);
            return CLI_OK;
        }
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "", bench_op_at(i)->name);
    }
    return bench_bad_item("operation", item, known);
}

static int add_dtype(void *context, const char *item) {
    request *request = context;
    for (size_t i = 0; bench_type_at(i); i++)
        if (!strcmp(item, bench_type_at(i)->name)) {
            request->dtypes[request->n_dtypes++] = bench_type_at(i);
            return CLI_OK;
        }
    return bench_bad_item("type", item, "f32, f64, f16, bf16, f32-f16, f32-bf16");
}

static int add_isa(void *context, const char *item) {
    request *request = context;
    return bench_find_isa(item, &request->isas[request->n_isas++]);
}

static int add_size(void *context, const char *item) {
    request *request = context;
    static const char units[] = "KMG";
    size_t digits = strspn(item, "0123456789"), length = strlen(item);
    int shift = 0;
    if (length == digits + 2 && item[digits + 1] == 'i' && strchr(units, item[digits]))
        shift = 10 * (1 + (int)(strchr(units, item[digits]) - units));
    char number[24];
    uint64_t n;
    snprintf(number, sizeof number, "%.*s", (int)digits, item);
    if ((length != digits && !shift) || digits >= sizeof number || !cli_parse_u64(number, UINT64_C(1) << 40, &n) ||
        n == 0 || n > (UINT64_C(1) << 40) >> shift)
        return cli_usage("--size: '%s' is not a number of elements such as 1000, 4Ki or 64Mi", item);
    request->sizes[request->n_sizes++] = (size_t)(n << shift);
    return CLI_OK;
}

static int add_input(void *context, const char *item) {
    request *request = context;
    if (bench_input_from_name(item, &request->inputs[request->n_inputs++])) return CLI_OK;
    return bench_bad_item("input", item,
                          "normal, tail, subnormal, positive, uniform, bits, sigma=S (S > 0), range=A:B (A <= B)");
}

static const struct {
    const char *option, *fallback, *all;
    bench_add_item *add;
} lists[] = {
    {"act", "erf,tanh,quick,silu,elu", "identity,relu,erf,tanh,quick,silu,elu", add_act},
    {"op", "forward", "forward,grad,grad2,backward,fast,fast-backward", add_op},
    {"dtype", "f32", "f32,f64,f16,bf16,f32-f16,f32-bf16", add_dtype},
    {"isa", NULL, NULL, add_isa},
    {"size", "4Ki,64Ki,1Mi,64Mi", "4Ki,64Ki,1Mi,64Mi", add_size},
    {"input", "normal,tail,subnormal,positive", "normal,tail,subnormal,positive,uniform,bits", add_input},
};
enum { N_LISTS = sizeof lists / sizeof lists[0], ISA_LIST = 3 };
enum { FIRST_LIST = 256 }; /* getopt gives the other options letters */

/* text NULL: the option was not given. */
static int parse_list(request *request, int list, const char *text) {
    if (!text) text = list == ISA_LIST ? gelu_isa_name() : lists[list].fallback;
    if (!strcmp(text, "all")) text = list == ISA_LIST ? bench_every_isa() : lists[list].all;
    return bench_parse_list(lists[list].option, text, lists[list].add, request);
}

/* ---- The run ---- */

static size_t count_groups(const request *request) {
    size_t pairs = 0;
    for (size_t o = 0; o < request->n_ops; o++)
        for (size_t d = 0; d < request->n_dtypes; d++) pairs += bench_op_takes(request->ops[o], request->dtypes[d]);
    return pairs * request->n_inputs * request->n_sizes;
}

static void list_groups(const request *request, bench_progress *progress, size_t n, bench_group *groups) {
    bench_group group = {.n_acts = request->n_acts,
                         .acts = request->acts,
                         .n_isas = request->n_isas,
                         .isas = request->isas,
                         .threads = (unsigned)request->manner.threads,
                         .seconds = request->manner.seconds / (double)n,
                         .repeat = request->manner.repeat,
                         .progress = bench_progress_show,
                         .context = progress};
    for (size_t o = 0; o < request->n_ops; o++)
        for (size_t d = 0; d < request->n_dtypes; d++)
            for (size_t i = 0; i < request->n_inputs && bench_op_takes(request->ops[o], request->dtypes[d]); i++)
                for (size_t s = 0; s < request->n_sizes; s++) {
                    group.op = request->ops[o];
                    group.type = request->dtypes[d];
                    group.input = &request->inputs[i];
                    group.n = request->sizes[s];
                    *groups++ = group;
                }
}

static int run_groups(const request *request, bench_progress *progress, size_t n, const bench_group *groups,
                      bench_row *rows) {
    size_t per_group = bench_group_rows(groups);
    bench_format format = request->manner.csv ? BENCH_CSV : BENCH_TABLE;
    if (!request->manner.markdown) bench_print_header(stdout, format);
    bench_progress_begin(progress, n);
    for (size_t i = 0; i < n; i++) {
        progress->group = i;
        gelu_status status = bench_group_run(&groups[i], rows + i * per_group);
        if (status != GELU_OK) {
            bench_progress_end(progress);
            return cli_fail("%zu elements: %s", groups[i].n, gelu_status_string(status));
        }
        if (request->manner.markdown) continue;
        cli_progress_clear(&progress->bar);
        bench_print_rows(stdout, format, per_group, rows + i * per_group);
    }
    bench_progress_end(progress);
    if (request->manner.markdown) bench_print_markdown(stdout, n * per_group, rows);
    if (!request->manner.markdown && !request->manner.csv)
        printf("%s; %.2f GHz by chains of dependent operations (fused multiply-add: %d clocks); %u thread%s\n",
               bench_cpu_name(), bench_clock_ghz(), bench_fma_latency(), groups->threads,
               groups->threads == 1 ? "" : "s");
    return CLI_OK;
}

static int draw(const char *path, size_t n, const bench_row *rows) {
    FILE *program = tmpfile();
    if (!program) return cli_fail("temporary file: %s", strerror(errno));
    bench_print_gnuplot(program, n, rows);
    int code = gnuplot_write("--plot", program, path);
    fclose(program);
    return code;
}

static int run(const request *request) {
    bench_progress progress = {0};
    size_t n = count_groups(request);
    if (n == 0) return cli_usage("no operation of --op takes a type of --dtype");
    bench_group *groups = calloc(n, sizeof *groups);
    bench_row *rows = NULL;
    int code = CLI_OK;
    if (groups) {
        list_groups(request, &progress, n, groups);
        rows = calloc(n * bench_group_rows(groups), sizeof *rows);
    }
    if (!rows) code = cli_fail("out of memory");
    for (size_t i = 0; i < n && code == CLI_OK; i++)
        if (!bench_fits_in_memory(bench_group_nbytes(&groups[i])))
            code = cli_fail("%zu elements do not fit in memory", groups[i].n);
    if (code == CLI_OK) code = run_groups(request, &progress, n, groups, rows);
    if (code == CLI_OK && request->plot) code = draw(request->plot, n * bench_group_rows(groups), rows);
    free(rows);
    free(groups);
    return code;
}

/* ---- The command line ---- */

static int check(const request *request, int operands, char **argv) {
    if (operands > 0) return cli_usage("bench takes no argument '%s'", argv[0]);
    int code = bench_check_manner(&request->manner);
    if (code == CLI_OK && request->plot) code = output_file_check(request->plot);
    return code == CLI_OK && request->plot ? gnuplot_check("--plot") : code;
}

int cmd_bench(int argc, char **argv) {
    if (argc > 1 && bench_is_layer(argv[1])) return cmd_bench_layer(argc - 1, argv + 1);
    static const struct option options[] = {{"act", required_argument, NULL, FIRST_LIST},
                                            {"op", required_argument, NULL, FIRST_LIST + 1},
                                            {"dtype", required_argument, NULL, FIRST_LIST + 2},
                                            {"isa", required_argument, NULL, FIRST_LIST + ISA_LIST},
                                            {"size", required_argument, NULL, FIRST_LIST + 4},
                                            {"input", required_argument, NULL, FIRST_LIST + 5},
                                            BENCH_MANNER_OPTIONS,
                                            {"plot", required_argument, NULL, 'p'},
                                            CLI_HELP_OPTION,
                                            {0}};
    cli_args args = {.argc = argc, .argv = argv, .options = options};
    const char *texts[N_LISTS] = {NULL};
    static request request;
    request.manner.threads = 1;
    int code = CLI_OK;
    for (int c; code == CLI_OK && (c = cli_next(&args)) != CLI_END;) switch (c) {
        case 't':
        case 's':
        case 'r':
        case 'c':
        case 'm': code = bench_parse_manner(c, optarg, &request.manner); break;
        case 'p': request.plot = optarg; break;
        case 'h': return cli_help(help);
        case '?': return CLI_USAGE;
        default: texts[c - FIRST_LIST] = optarg;
        }
    for (int list = 0; list < N_LISTS && code == CLI_OK; list++) code = parse_list(&request, list, texts[list]);
    if (code == CLI_OK) code = check(&request, args.operands, argv);
    if (code != CLI_OK) return code;
    if (request.manner.seconds == 0) request.manner.seconds = 60;
    return run(&request);
}
