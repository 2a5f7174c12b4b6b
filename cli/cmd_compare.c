/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "compare_measure.h"
#include "compare_print.h"
#include "compare_report.h"
#include "experiments.h"
#include "report.h"

static const char help[] =
    "Usage: gelu compare [--quick | --full] [--data DIR] [--seed N] [--threads N] [--csv] [--report DIR]\n"
    "       gelu compare --experiment mnist|autoencoder|noise [--full] [--seeds N] [--epochs N] [--rate R]\n"
    "                    [--dropout P] [--data DIR] [--checkpoints DIR] [--threads N] [--csv] [--report DIR]\n"
    "\n"
    "Measures what is said of GELU against ReLU, with its tanh and quick forms and SiLU beside them: smoothness, dead\n"
    "units, gradients in deep networks, speed of learning, the stochastic reading, the distribution of "
    "preactivations,\n"
    "sparsity and cost. Nothing is looked up: each figure is computed in this run, and each verdict follows from a "
    "rule\n"
    "that is printed with it. On two idle cores the default takes about half a minute, --quick a quarter of that, and\n"
    "--full some minutes; with larger data, longer. What takes more than a minute says first how long.\n"
    "--experiment repeats one of the GELU paper's (arXiv 1606.08415) for GELU, its tanh and quick forms, ReLU, ELU "
    "and\n"
    "SiLU, and prints medians over the seeds; --full takes the paper's settings.\n"
    "\n"
    "  -h, --help          this text\n"
    "  --quick             fewer networks, trained for less time\n"
    "  --full              more networks, trained for longer\n"
    "  --experiment NAME   mnist (a deep classifier), autoencoder, or noise (the classifier under input noise)\n"
    "  --seeds N           of an experiment: 1, 2, ... N; default 5\n"
    "  --epochs N          of an experiment\n"
    "  --rate R            of an experiment: this learning rate alone\n"
    "  --dropout P         of an experiment: this share alone of the hidden units is left out; 0: none\n"
    "  --checkpoints DIR   of an experiment: keeps each network in this folder, and goes on from what is there\n"
    "  --data DIR          idx files, as MNIST has them, or .npy files (x_train.npy, y_train.npy, x_test.npy,\n"
    "                      y_test.npy; of floats, integers or bool) instead of the 8x8 digits that are built in\n"
    "  --seed N            of what is drawn for the claims; default 1\n"
    "  --threads N         networks that are trained at a time; default one for each processor\n"
    "  --csv               comma-separated values\n"
    "  --report DIR        also writes a page, DIR/index.html, with pictures (by gnuplot), and CSV files\n"
    "\n"
    "Examples: gelu compare --report report\n"
    "          gelu compare --experiment noise --data /usr/share/datasets/fashion-mnist\n";

typedef struct {
    compare_run run;
    bool quick, full, csv, seeded;
    uint64_t seeds, epochs, threads;
    double rate, dropout;
    bool has_rate, has_dropout;
    const char *experiment, *data, *report, *checkpoints;
} request;

/* ---- The claims ---- */

void compare_show_progress(compare_run *run, double share) {
    cli_progress_update(&run->bar, (uint64_t)(1000 * (run->done + share * run->part)));
}

static int measure_trained(compare_run *run, compare_claim *claims) { return compare_trained(run, claims); }

/* Cheap ones first; about how many seconds each takes by default, which paces the bar. */
static const struct {
    int (*measure)(compare_run *run, compare_claim *claims);
    double seconds;
    size_t claims;
} parts[] = {
    {compare_smoothness, 1, 1}, {compare_stochastic, 1, 1},   {compare_cost, 10, 1},
    {measure_trained, 40, 4},   {compare_convergence, 30, 1},
};
enum { N_PARTS = sizeof parts / sizeof parts[0], N_CLAIMS = 8 };

static int measure_all(request *request, compare_claim *claims) {
    double total = 0;
    for (int p = 0; p < N_PARTS; p++) total += parts[p].seconds;
    if (request->csv)
        compare_print_csv_head(stdout);
    else
        compare_print_head(stdout);
    cli_progress_begin(&request->run.bar, "compare", 1000);
    int code = cli_flush();
    for (int p = 0; p < N_PARTS && code == CLI_OK; p++) {
        request->run.part = parts[p].seconds / total;
        code = parts[p].measure(&request->run, claims);
        request->run.done += request->run.part;
        cli_progress_clear(&request->run.bar);
        for (size_t i = 0; i < parts[p].claims && code == CLI_OK; i++)
            (request->csv ? compare_print_csv : compare_print_claim)(claims++, stdout);
        if (code == CLI_OK) code = cli_flush();
    }
    cli_progress_end(&request->run.bar);
    return code;
}

static int say_how_long(const compare_run *run) {
    double seconds;
    int code = compare_estimate(run, &seconds);
    if (code == CLI_OK) compare_say_how_long("", seconds, run->effort == COMPARE_FULL_RUN);
    return code;
}

static int compare(request *request, const compare_command *command) {
    compare_claim *claims = calloc(N_CLAIMS, sizeof *claims);
    if (!claims) return cli_fail("out of memory");
    int code = say_how_long(&request->run);
    if (code == CLI_OK) code = measure_all(request, claims);
    if (code == CLI_OK && request->report)
        code = compare_report(request->report, &request->run, N_CLAIMS, claims, command);
    free(claims);
    return code;
}

/* ---- The command line ---- */

static int run_with_data(request *request, const compare_command *command) {
    train_data data;
    gelu_error err = {0};
    gelu_status status = request->data ? train_data_load(request->data, &data, &err)
                                       : train_data_digits(TRAIN_DIGITS_SPLIT, &data, &err);
    if (status != GELU_OK) return cli_fail("%s", err.message[0] ? err.message : gelu_status_string(status));
    int code = CLI_OK;
    if (request->experiment) {
        compare_experiment_request experiment = {.name = request->experiment,
                                                 .folder = request->report,
                                                 .checkpoints = request->checkpoints,
                                                 .data = &data,
                                                 .full = request->full,
                                                 .csv = request->csv,
                                                 .seeds = request->seeds,
                                                 .epochs = request->epochs,
                                                 .rate = request->has_rate ? &request->rate : NULL,
                                                 .dropout = request->has_dropout ? &request->dropout : NULL,
                                                 .threads = request->run.threads};
        code = compare_experiment(&experiment, command);
    } else {
        request->run.data = &data;
        code = compare(request, command);
    }
    train_data_free(&data);
    return code;
}

static int check(request *request, int operands, char **argv) {
    train_experiment experiment;
    if (operands > 0) return cli_usage("compare takes no argument '%s'", argv[0]);
    if (request->quick && request->full) return cli_usage("--quick and --full exclude each other");
    if (request->experiment && train_experiment_from_name(request->experiment, &experiment) != GELU_OK)
        return cli_usage("--experiment: unknown experiment '%s'; known: mnist, autoencoder, noise",
                         request->experiment);
    if (request->experiment && (request->quick || request->seeded))
        return cli_usage("--experiment excludes --quick and --seed");
    if (!request->experiment &&
        (request->seeds || request->epochs || request->has_rate || request->has_dropout || request->checkpoints))
        return cli_usage("--seeds, --epochs, --rate, --dropout and --checkpoints are for --experiment");
    request->run.effort = request->quick ? COMPARE_QUICK_RUN : request->full ? COMPARE_FULL_RUN : COMPARE_DEFAULT_RUN;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    request->run.threads = request->threads ? (size_t)request->threads : processors > 0 ? (size_t)processors : 1;
    return request->report ? report_check(request->report) : CLI_OK;
}

static int parse_rate(request *request, const char *text) {
    request->has_rate = true;
    if (gelu_parse_value(GELU_F64, text, &request->rate) == GELU_OK && request->rate > 0 && request->rate <= 1)
        return CLI_OK;
    return cli_usage("--rate: '%s' is not a number above 0 and up to 1", text);
}

static int parse_dropout(request *request, const char *text) {
    request->has_dropout = true;
    if (gelu_parse_value(GELU_F64, text, &request->dropout) == GELU_OK && request->dropout >= 0 && request->dropout < 1)
        return CLI_OK;
    return cli_usage("--dropout: '%s' is not a number from 0 and below 1", text);
}

int cmd_compare(int argc, char **argv) {
    static const struct option options[] = {{"quick", no_argument, NULL, 'q'},
                                            {"full", no_argument, NULL, 'f'},
                                            {"experiment", required_argument, NULL, 'x'},
                                            {"seeds", required_argument, NULL, 'n'},
                                            {"epochs", required_argument, NULL, 'e'},
                                            {"rate", required_argument, NULL, 'l'},
                                            {"dropout", required_argument, NULL, 'o'},
                                            {"checkpoints", required_argument, NULL, 'k'},
                                            {"data", required_argument, NULL, 'd'},
                                            {"seed", required_argument, NULL, 's'},
                                            {"threads", required_argument, NULL, 't'},
                                            {"csv", no_argument, NULL, 'c'},
                                            {"report", required_argument, NULL, 'r'},
                                            CLI_HELP_OPTION,
                                            {0}};
    cli_args args = {.argc = argc, .argv = argv, .options = options};
    compare_command command = {argc, argv};
    static request request;
    request.run.seed = 1;
    int code = CLI_OK;
    for (int c; code == CLI_OK && (c = cli_next(&args)) != CLI_END;) switch (c) {
        case 'q': request.quick = true; break;
        case 'f': request.full = true; break;
        case 'x': request.experiment = optarg; break;
        case 'n': code = cli_parse_count("seeds", optarg, 1000, &request.seeds); break;
        case 'e': code = cli_parse_count("epochs", optarg, 100000, &request.epochs); break;
        case 'l': code = parse_rate(&request, optarg); break;
        case 'o': code = parse_dropout(&request, optarg); break;
        case 'k': request.checkpoints = optarg; break;
        case 'd': request.data = optarg; break;
        case 's':
            request.seeded = true;
            if (!cli_parse_u64(optarg, UINT64_MAX, &request.run.seed))
                code = cli_usage("--seed: '%s' is not a whole number from 0 to 18446744073709551615", optarg);
            break;
        case 't': code = cli_parse_count("threads", optarg, 1024, &request.threads); break;
        case 'c': request.csv = true; break;
        case 'r': request.report = optarg; break;
        case 'h': return cli_help(help);
        default: return CLI_USAGE;
        }
    if (code == CLI_OK) code = check(&request, args.operands, argv);
    return code == CLI_OK ? run_with_data(&request, &command) : code;
}
