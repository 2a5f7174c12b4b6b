/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <string.h>

#include "cli.h"
#include "gelu_io.h"

#ifdef GELU_HAVE_VERIFY

#include "../verify/sweep.h"

static const char help[] =
    "Usage: gelu verify [OPTION...] [FUNCTION...]\n"
    "\n"
    "Compares results of this library, on this machine, with exact ones that MPFR decides. Values, first derivatives\n"
    "and backward (random dy times the derivative) must be correctly rounded: all 2^32 inputs in f32, all 65536 in "
    "f16\n"
    "and bf16. f64 and second derivatives have a bound in ULP; they are sampled, and densely so around roots and "
    "other\n"
    "special places. Several instruction sets must also agree in every bit.\n"
    "\n"
    "FUNCTION is identity, relu, erf, tanh, quick, silu or elu, alone or with _grad, _backward or _grad2: erf,\n"
    "erf_grad, erf_backward, erf_grad2, ... Default: all.\n"
    "\n"
    "  -h, --help      this text\n"
    "  --dtype TYPE    f32, f16, bf16, f64 or all (default)\n"
    "  --isa NAME      an instruction set that `gelu info` lists, or all of them (default: the one in use)\n"
    "  --stride N      f32: only every N-th bit pattern, and 4096 around each special place\n"
    "  --samples N     f64 and second derivatives: this many samples (default 200000)\n"
    "  --threads N     default: one per processor\n"
    "  --quick         a minute instead of half an hour: --stride 61 --samples 20000\n"
    "\n"
    "Exit status: 0 all within their bounds, 1 not, or interrupted, 2 a mistake on the command line.\n"
    "Example: gelu verify --dtype f32 --isa all erf erf_grad\n";

enum { N_ACTS = GELU_ELU + 1, MAX_ISAS = 8, MAX_THREADS = 256 };
enum { QUICK_STRIDE = 61, QUICK_SAMPLES = 20000, FULL_SAMPLES = 200000 };

static const gelu_dtype dtypes[] = {GELU_F32, GELU_F16, GELU_BF16, GELU_F64};
enum { N_DTYPES = sizeof dtypes / sizeof dtypes[0] };

static const struct {
    const char *suffix;
    int order;
    bool backward;
} kinds[] = {{"", 0, false}, {"_grad", 1, false}, {"_backward", 1, true}, {"_grad2", 2, false}};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

typedef struct {
    bool wanted[N_ACTS][N_KINDS];
    gelu_dtype dtype; /* 0: all */
    const char *isas[MAX_ISAS];
    size_t n_isas;
    sweep_options sweep;
} request;

typedef struct {
    int rows, failed; /* of the table */
} tally;

/* ---- Ctrl-C ends the sweep and prints what is known; a second one ends the program ---- */

static atomic_bool stop;

static void on_interrupt(int number) {
    (void)number;
    atomic_store(&stop, true);
}

static void catch_interrupt(void) {
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

/* ---- The table ---- */

static const char *function_name(const sweep_target *target) {
    static char text[32];
    int kind = 0;
    while (kinds[kind].order != target->order || kinds[kind].backward != (target->backward != NULL)) kind++;
    snprintf(text, sizeof text, "%s%s", gelu_act_name(target->act), kinds[kind].suffix);
    return text;
}

static void print_bits(gelu_dtype dtype, uint64_t bits) {
    printf("%0*" PRIx64, 2 * (int)gelu_dtype_nbytes(dtype), bits);
}

/* "DECIMAL (BITS)" */
static void format_input(gelu_dtype dtype, uint64_t bits, size_t size, char *text) {
    union {
        uint64_t wide;
        uint32_t single;
        uint16_t narrow;
    } value = {.wide = bits};
    if (gelu_dtype_nbytes(dtype) == 4) value.single = (uint32_t)bits;
    if (gelu_dtype_nbytes(dtype) == 2) value.narrow = (uint16_t)bits;
    char decimal[40];
    gelu_format_shortest(dtype, &value, decimal);
    snprintf(text, size, "%s (%0*" PRIx64 ")", decimal, 2 * (int)gelu_dtype_nbytes(dtype), bits);
}

static void print_header(void) {
    printf("%s%-17s %-5s %-7s %11s %10s %10s  %-42s %s%s\n", cli_bold(stdout), "function", "dtype", "isa", "checked",
           "misrounded", "worst ULP", "worst input", "result", cli_plain(stdout));
}

static void print_failures(const sweep_target *target, const sweep_result *result) {
    for (uint64_t i = 0; i < SWEEP_KEPT_FAILURES && i < result->failed; i++) {
        const sweep_failure *failure = &result->failures[i];
        char x[80];
        format_input(target->in, failure->x, sizeof x, x);
        printf("    x = %s", x);
        if (target->backward) {
            printf(", dy = ");
            print_bits(target->in, failure->dy);
        }
        printf(": got ");
        print_bits(target->out, failure->got);
        printf(", exact ");
        print_bits(target->out, failure->want);
        putchar('\n');
    }
    if (result->failed > SWEEP_KEPT_FAILURES)
        printf("    and %" PRIu64 " more\n", result->failed - SWEEP_KEPT_FAILURES);
}

static void print_row(const sweep_target *target, const sweep_result *result, tally *tally) {
    bool exact = sweep_is_exact(target);
    char failed[24] = "-", worst[32] = "-", x[80] = "-";
    if (exact && result->checked > 0) snprintf(failed, sizeof failed, "%" PRIu64, result->failed);
    if (result->checked > 0) {
        snprintf(worst, sizeof worst, "%.6f", result->worst_ulp);
        format_input(target->in, result->worst_x, sizeof x, x);
    }
    bool good = result->failed == 0 && result->differs == 0;
    printf("%-17s %-5s %-7s %11" PRIu64 " %10s %10s  %-42s ", function_name(target), gelu_dtype_name(target->in),
           target->isa, result->checked, failed, worst, x);
    if (!good)
        printf("%sFAILED%s", cli_red(stdout), cli_plain(stdout));
    else if (result->stopped)
        printf("interrupted");
    else
        printf("%sok%s", cli_green(stdout), cli_plain(stdout));
    if (!exact) {
        printf(", bound %g", sweep_bound(target));
        if (result->worst_near_root > 0) printf("; near the root %.2f of the absolute one", result->worst_near_root);
    }
    if (result->differs > 0) printf("; %" PRIu64 " differ between instruction sets", result->differs);
    putchar('\n');
    print_failures(target, result);
    fflush(stdout);
    tally->rows++;
    tally->failed += !good;
}

/* ---- One sweep: what can share the exact evaluation goes together, by all instruction sets ---- */

static void report_progress(void *context, uint64_t done, uint64_t total) {
    (void)total;
    cli_progress_update(context, done);
}

static void begin_progress(void *context, uint64_t done, uint64_t total) {
    cli_progress *progress = context;
    if (progress->total == 0) cli_progress_begin(progress, progress->label, total);
    report_progress(context, done, total);
}

/* n functions, each by every instruction set. */
static int run_sweep(const request *request, size_t n, const sweep_target *functions, tally *tally) {
    char label[64];
    snprintf(label, sizeof label, "%s%s %s", function_name(&functions[0]), n > 1 ? " and derivatives," : "",
             gelu_dtype_name(functions[0].in));
    cli_progress progress = {.label = label};
    sweep_options options = request->sweep;
    options.progress = begin_progress;
    options.context = &progress;
    sweep_target targets[MAX_ISAS * N_KINDS];
    sweep_result results[MAX_ISAS * N_KINDS];
    for (size_t i = 0; i < n * request->n_isas; i++) {
        targets[i] = functions[i % n];
        targets[i].isa = request->isas[i / n];
    }
    gelu_status status = sweep_run(n * request->n_isas, targets, &options, results);
    cli_progress_end(&progress);
    if (status != GELU_OK) return cli_fail("%s: %s", label, gelu_status_string(status));
    for (size_t f = 0; f < n; f++)
        for (size_t i = f; i < n * request->n_isas; i += n) print_row(&targets[i], &results[i], tally);
    return CLI_OK;
}

static bool make_target(gelu_act act, int kind, gelu_dtype dtype, sweep_target *target) {
    *target = (sweep_target){.act = act, .order = kinds[kind].order, .in = dtype, .out = dtype};
    if (kinds[kind].backward)
        target->backward = sweep_library_backward(dtype);
    else
        target->kernel = sweep_library_kernel(target->order, dtype);
    return target->backward || target->kernel;
}

static int verify_act(const request *request, gelu_dtype dtype, gelu_act act, tally *tally) {
    sweep_target together[N_KINDS], target;
    size_t n = 0;
    int code = CLI_OK;
    for (int kind = 0; kind < N_KINDS; kind++)
        if (request->wanted[act][kind] && make_target(act, kind, dtype, &target) && sweep_is_exact(&target))
            together[n++] = target;
    if (n > 0) code = run_sweep(request, n, together, tally);
    for (int kind = 0; kind < N_KINDS && code == CLI_OK && !atomic_load(&stop); kind++)
        if (request->wanted[act][kind] && make_target(act, kind, dtype, &target) && !sweep_is_exact(&target))
            code = run_sweep(request, 1, &target, tally);
    return code;
}

static int verify(const request *request) {
    tally tally = {0};
    double started = cli_seconds();
    int code = CLI_OK;
    print_header();
    for (int d = 0; d < N_DTYPES; d++) {
        if (request->dtype && request->dtype != dtypes[d]) continue;
        for (int act = 0; act < N_ACTS && code == CLI_OK && !atomic_load(&stop); act++)
            code = verify_act(request, dtypes[d], (gelu_act)act, &tally);
    }
    if (code != CLI_OK) return code;
    double seconds = cli_seconds() - started;
    printf("%d functions, %d beyond their bound; %.1f s (%d min %02d s), instruction set%s",
           tally.rows / (int)request->n_isas, tally.failed, seconds, (int)seconds / 60, (int)seconds % 60,
           request->n_isas > 1 ? "s" : "");
    for (size_t i = 0; i < request->n_isas; i++) printf("%s %s", i ? "," : "", request->isas[i]);
    putchar('\n');
    if (atomic_load(&stop)) return cli_fail("interrupted: the proof is not complete");
    return tally.failed ? CLI_BAD_DATA : CLI_OK;
}

/* ---- The command line ---- */

static int unknown_function(const char *name) {
    char list[1024];
    size_t used = 0;
    for (int act = 0; act < N_ACTS; act++)
        for (int kind = 0; kind < N_KINDS; kind++)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s%s", used ? ", " : "",
                                     gelu_act_name((gelu_act)act), kinds[kind].suffix);
    return cli_usage("unknown function '%s'; known: %s", name, list);
}

static int choose_function(request *request, const char *name) {
    sweep_target target;
    for (int act = 0; act < N_ACTS; act++)
        for (int kind = 0; kind < N_KINDS; kind++) {
            size_t length = strlen(gelu_act_name((gelu_act)act));
            if (strncmp(name, gelu_act_name((gelu_act)act), length) || strcmp(name + length, kinds[kind].suffix))
                continue;
            if (request->dtype && !make_target((gelu_act)act, kind, request->dtype, &target))
                return cli_usage("%s: %s, not %s", name,
                                 kinds[kind].backward ? "backward is checked in f32, f16 and bf16"
                                                      : "second derivatives are for f32 and f64",
                                 gelu_dtype_name(request->dtype));
            request->wanted[act][kind] = true;
            return CLI_OK;
        }
    return unknown_function(name);
}

static int choose_functions(request *request, int n, char **names) {
    for (int i = 0; i < n; i++) {
        int code = choose_function(request, names[i]);
        if (code != CLI_OK) return code;
    }
    if (n == 0) memset(request->wanted, true, sizeof request->wanted);
    return CLI_OK;
}

static int parse_dtype(const char *text, gelu_dtype *out) {
    *out = (gelu_dtype)0;
    if (!strcmp(text, "all") || gelu_dtype_from_name(text, out) == GELU_OK) return CLI_OK;
    return cli_usage("unknown type '%s'; known: f32, f16, bf16, f64, all", text);
}

/* NULL: the one in use. */
static int choose_isas(request *request, const char *name) {
    char list[256] = "";
    size_t used = 0;
    if (!name) name = gelu_isa_name();
    for (size_t i = 0; gelu_isa_available(i) && i < MAX_ISAS; i++) {
        const char *available = gelu_isa_available(i);
        if (!strcmp(name, "all") || !strcmp(name, available)) request->isas[request->n_isas++] = available;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s, ", available);
    }
    return request->n_isas > 0 ? CLI_OK
                               : cli_usage("instruction set '%s' cannot be had here; available: %sall", name, list);
}

int cmd_verify(int argc, char **argv) {
    static const struct option options[] = {{"dtype", required_argument, NULL, 'd'},
                                            {"isa", required_argument, NULL, 'i'},
                                            {"stride", required_argument, NULL, 's'},
                                            {"samples", required_argument, NULL, 'n'},
                                            {"threads", required_argument, NULL, 't'},
                                            {"quick", no_argument, NULL, 'q'},
                                            CLI_HELP_OPTION,
                                            {0}};
    cli_args args = {.argc = argc, .argv = argv, .options = options};
    request request = {.sweep = {.stop = &stop}};
    uint64_t stride = 0, samples = 0, threads = 0;
    bool quick = false;
    const char *isa = NULL;
    int code = CLI_OK;
    for (int c; code == CLI_OK && (c = cli_next(&args)) != CLI_END;) switch (c) {
        case 'd': code = parse_dtype(optarg, &request.dtype); break;
        case 'i': isa = optarg; break;
        case 's': code = cli_parse_count("stride", optarg, UINT32_MAX, &stride); break;
        case 'n': code = cli_parse_count("samples", optarg, UINT32_MAX, &samples); break;
        case 't': code = cli_parse_count("threads", optarg, MAX_THREADS, &threads); break;
        case 'q': quick = true; break;
        case 'h': return cli_help(help);
        default: return CLI_USAGE;
        }
    if (code == CLI_OK) code = choose_isas(&request, isa);
    if (code == CLI_OK) code = choose_functions(&request, args.operands, argv);
    if (code != CLI_OK) return code;
    request.sweep.stride = stride ? stride : quick ? QUICK_STRIDE : 1;
    request.sweep.samples = samples ? samples : quick ? QUICK_SAMPLES : FULL_SAMPLES;
    request.sweep.threads = (unsigned)threads;
    gelu_set_num_threads(1); /* the sweep has threads of its own */
    catch_interrupt();
    return verify(&request);
}

#endif
