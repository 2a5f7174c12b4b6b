/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include <string.h>

#include "cli.h"
#include "interrupt.h"

#ifdef GELU_HAVE_VERIFY

#include "verify_table.h"

static const char help[] =
    "Usage: gelu verify [OPTION...] [FUNCTION...]\n"
    "\n"
    "Compares results of this library, on this machine, with exact ones that MPFR decides. Values, first derivatives\n"
    "and backward (random dy times the derivative) must be correctly rounded: all 2^32 inputs in f32, all 65536 in\n"
    "f16 and bf16; and so must values of all f32 inputs that Linear rounds once, to f16 or bf16. f64 and second\n"
    "derivatives have a bound in ULP; they are sampled, and densely so around roots and other special places. Several\n"
    "instruction sets must also agree in every bit.\n"
    "\n"
    "FUNCTION is identity, relu, erf, tanh, quick, silu or elu, alone or with _grad, _backward or _grad2: erf,\n"
    "erf_grad, erf_backward, erf_grad2, ... Default: all.\n"
    "\n"
    "  -h, --help      this text\n"
    "  --dtype TYPE    f32, f32-f16, f32-bf16 (from f32 to the shorter type), f16, bf16, f64 or all (default)\n"
    "  --isa NAME      an instruction set that `gelu info` lists (default: the one in use), or all that differ in\n"
    "                  these functions\n"
    "  --stride N      f32: only every N-th bit pattern, and 4096 around each special place\n"
    "  --samples N     f64 and second derivatives: this many samples (default 200000)\n"
    "  --threads N     default: one per processor\n"
    "  --quick         half a minute of one core instead of 20 minutes: --stride 61 --samples 20000\n"
    "\n"
    "Exit status: 0 all within their bounds, 1 not, or interrupted, 2 a mistake on the command line.\n"
    "Example: gelu verify --dtype f32 --isa all erf erf_grad\n";

enum { N_ACTS = GELU_ELU + 1, MAX_THREADS = 256, MOST_TOGETHER = SWEEP_MOST_TARGETS / VERIFY_MOST_ISAS };
enum { QUICK_STRIDE = 61, QUICK_SAMPLES = 20000, FULL_SAMPLES = 200000 };

typedef struct {
    bool acts[N_ACTS][VERIFY_KINDS];
    const struct verify_type *type; /* NULL: all */
    const char *isas[VERIFY_MOST_ISAS];
    size_t n_isas;
    sweep_options sweep;
} request;

/* Functions that share the exact evaluation, in one sweep; one that has a bound stays alone. */
typedef struct {
    size_t n;
    sweep_target functions[MOST_TOGETHER];
} group;

enum { MOST_GROUPS = N_ACTS * VERIFY_TYPES * VERIFY_KINDS };

typedef struct {
    size_t n;
    int functions;
    group groups[MOST_GROUPS];
} plan;

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

/* number: 1 is the first of all. */
static int run_group(const request *request, const group *group, size_t number, size_t all, verify_totals *totals) {
    size_t n = group->n, n_isas = request->n_isas;
    char label[80];
    snprintf(label, sizeof label, "%s in %s, sweep %zu of %zu", gelu_act_name(group->functions[0].act),
             gelu_dtype_name(group->functions[0].in), number, all);
    cli_progress progress = {.label = label};
    sweep_options options = request->sweep;
    options.progress = begin_progress;
    options.context = &progress;
    sweep_target targets[SWEEP_MOST_TARGETS];
    sweep_result results[SWEEP_MOST_TARGETS];
    for (size_t i = 0; i < n * n_isas; i++) {
        targets[i] = group->functions[i % n];
        targets[i].isa = request->isas[i / n];
    }
    gelu_status status = sweep_run(n * n_isas, targets, &options, results);
    cli_progress_end(&progress);
    if (status != GELU_OK) return cli_fail("%s: %s", label, gelu_status_string(status));
    for (size_t f = 0; f < n; f++) {
        const sweep_target *rows[VERIFY_MOST_ISAS];
        const sweep_result *found[VERIFY_MOST_ISAS];
        for (size_t i = 0; i < n_isas; i++) {
            rows[i] = &targets[i * n + f];
            found[i] = &results[i * n + f];
        }
        verify_print_rows(totals, rows, found);
    }
    return CLI_OK;
}

static bool make_target(gelu_act act, int kind, const struct verify_type *type, sweep_target *target) {
    const struct verify_kind *k = &verify_kinds[kind];
    *target = (sweep_target){.act = act, .order = k->order, .in = type->in, .out = type->out};
    if (type->in != type->out)
        target->kernel = k->order == 0 ? sweep_library_narrowing(type->out) : NULL;
    else if (k->backward)
        target->backward = sweep_library_backward(type->in);
    else
        target->kernel = sweep_library_kernel(k->order, type->in);
    return target->backward || target->kernel;
}

/* The group that the function joins: the last one, or a new one. */
static void add_to_plan(plan *plan, const sweep_target *function) {
    group *last = plan->n > 0 ? &plan->groups[plan->n - 1] : NULL;
    const sweep_target *like = last ? &last->functions[0] : NULL;
    bool joins = like && sweep_is_exact(like) && sweep_is_exact(function) && like->act == function->act &&
                 like->in == function->in;
    if (!joins) last = &plan->groups[plan->n++];
    last->functions[last->n++] = *function;
    plan->functions++;
}

/* Those of one input type that are exact, or bounded. */
static void plan_functions(const request *request, gelu_dtype in, gelu_act act, bool exact, plan *plan) {
    for (int type = 0; type < VERIFY_TYPES; type++) {
        if (verify_types[type].in != in || (request->type && request->type != &verify_types[type])) continue;
        for (int kind = 0; kind < VERIFY_KINDS; kind++) {
            sweep_target function;
            if (!request->acts[act][kind] || !make_target(act, kind, &verify_types[type], &function)) continue;
            if (sweep_is_exact(&function) == exact) add_to_plan(plan, &function);
        }
    }
}

static void make_plan(const request *request, plan *plan) {
    static const gelu_dtype inputs[] = {GELU_F32, GELU_F16, GELU_BF16, GELU_F64};
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++)
        for (int act = 0; act < N_ACTS; act++) {
            plan_functions(request, inputs[i], (gelu_act)act, true, plan);
            plan_functions(request, inputs[i], (gelu_act)act, false, plan);
        }
}

static int verify(const request *request) {
    static plan plan;
    verify_totals totals = {.n_isas = request->n_isas, .started = cli_seconds()};
    memcpy(totals.isas, request->isas, sizeof totals.isas);
    int code = CLI_OK;
    make_plan(request, &plan);
    verify_print_header();
    /* Hours of work are not done for a reader who has gone. */
    for (size_t i = 0; i < plan.n && code == CLI_OK && !atomic_load(request->sweep.stop) && !ferror(stdout); i++)
        code = run_group(request, &plan.groups[i], i + 1, plan.n, &totals);
    if (code != CLI_OK || ferror(stdout)) return code;
    verify_print_summary(&totals);
    if (atomic_load(request->sweep.stop))
        return cli_fail("interrupted: the proof is not complete: of %d functions %d are checked, %d in part, %d not",
                        plan.functions, totals.checked, totals.partial,
                        plan.functions - totals.checked - totals.partial);
    return totals.failed ? CLI_BAD_DATA : CLI_OK;
}

/* ---- The command line ---- */

static int unknown_function(const char *name) {
    char list[1024];
    size_t used = 0;
    for (int act = 0; act < N_ACTS; act++)
        for (int kind = 0; kind < VERIFY_KINDS; kind++)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s%s", used ? ", " : "",
                                     gelu_act_name((gelu_act)act), verify_kinds[kind].suffix);
    return cli_usage("unknown function '%s'; known: %s", name, list);
}

static int choose_function(request *request, const char *name) {
    sweep_target target;
    for (int act = 0; act < N_ACTS; act++)
        for (int kind = 0; kind < VERIFY_KINDS; kind++) {
            size_t length = strlen(gelu_act_name((gelu_act)act));
            if (strncmp(name, gelu_act_name((gelu_act)act), length) || strcmp(name + length, verify_kinds[kind].suffix))
                continue;
            if (request->type && !make_target((gelu_act)act, kind, request->type, &target))
                return cli_usage("%s: %s, not %s", name,
                                 request->type->in != request->type->out ? "derivatives are checked in one type"
                                 : verify_kinds[kind].backward           ? "backward is checked in f32, f16 and bf16"
                                                                         : "second derivatives are for f32 and f64",
                                 request->type->name);
            request->acts[act][kind] = true;
            return CLI_OK;
        }
    return unknown_function(name);
}

static int choose_functions(request *request, int n, char **names) {
    for (int i = 0; i < n; i++) {
        int code = choose_function(request, names[i]);
        if (code != CLI_OK) return code;
    }
    if (n == 0) memset(request->acts, true, sizeof request->acts);
    return CLI_OK;
}

static int parse_type(const char *text, const struct verify_type **out) {
    *out = NULL;
    if (!strcmp(text, "all")) return CLI_OK;
    for (int i = 0; i < VERIFY_TYPES; i++)
        if (!strcmp(text, verify_types[i].name)) *out = &verify_types[i];
    return *out ? CLI_OK : cli_usage("unknown type '%s'; known: f32, f32-f16, f32-bf16, f16, bf16, f64, all", text);
}

/* NULL: the one in use. */
static int choose_isas(request *request, const char *name) {
    char list[256] = "";
    size_t used = 0;
    if (!name) name = gelu_isa_name();
    for (size_t i = 0; gelu_isa_available(i) && i < VERIFY_MOST_ISAS; i++) {
        const char *available = gelu_isa_available(i);
        if ((!strcmp(name, "all") && sweep_isa_is_own(available)) || !strcmp(name, available))
            request->isas[request->n_isas++] = available;
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
    request request = {0};
    uint64_t stride = 0, samples = 0, threads = 0;
    bool quick = false;
    const char *isa = NULL;
    int code = CLI_OK;
    for (int c; code == CLI_OK && (c = cli_next(&args)) != CLI_END;) switch (c) {
        case 'd': code = parse_type(optarg, &request.type); break;
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
    gelu_set_num_threads(1);                      /* the sweep has threads of its own */
    request.sweep.stop = cli_stop_on_interrupt(); /* what is known by then is printed */
    code = verify(&request);
    cli_die_if_interrupted();
    return code;
}

#endif
