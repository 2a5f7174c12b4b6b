/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <errno.h>
#include <math.h>
#include <string.h>

#include "cli.h"
#include "gnuplot.h"
#include "output_file.h"
#include "plot.h"

static const char help[] =
    "Usage: gelu plot [-o FILE] [--range A:B] [--points N] [--grad] [--grad2] [--error-against ACT] [--data] ACT...\n"
    "       gelu plot [-o FILE] [--range A:B] [--data] --hist X.npy [--bf16] ACT...\n"
    "\n"
    "Draws the activations ACT: as text on the terminal, or with gnuplot to FILE, which appears when it is complete.\n"
    "With --hist, the values of X.npy before them and after: shares of all values on a logarithmic scale, which must "
    "be\n"
    "finite. ACT is relu, erf, tanh, quick, silu, elu or identity, or another name of theirs (gelu eval --help).\n"
    "\n"
    "  -h, --help            this text\n"
    "  -o FILE               a picture: .png, .svg or .pdf\n"
    "  --range A:B           what x spans; default -4:4, with --hist all that occurs\n"
    "  --grad                the first derivative, too\n"
    "  --grad2               the second derivative, too\n"
    "  --error-against ACT   how far the others are from this one, instead\n"
    "  --points N            points of each curve, 2 to 100001; default 801\n"
    "  --hist X.npy          a file of f16, f32 or f64, of any shape\n"
    "  --bf16                take NumPy's raw type V2 as bfloat16\n"
    "  --data                the numbers alone, comma-separated: values in f64 (errors with their sign), or counts\n"
    "\n"
    "Examples: gelu plot --grad relu erf silu\n"
    "          gelu plot -o error.png --error-against erf --range -6:6 tanh quick\n"
    "          gelu plot -o hidden.svg --hist h.npy relu erf\n";

enum { DEFAULT_POINTS = 801, MOST_POINTS = 100001 };

typedef struct {
    plot_request plot;
    const char *output, *histogram;
    gelu_npy_options npy;
    uint64_t points;
    bool data;
} request;

/* ---- The picture ---- */

static int write_picture(const figure *figure, const char *path) {
    figure_format format;
    FILE *program = tmpfile();
    if (!program) return cli_fail("temporary file: %s", strerror(errno));
    figure_format_of(path, &format);
    figure_print_gnuplot(figure, format, program);
    int code = gnuplot_write("-o", program, path);
    fclose(program);
    return code;
}

static int show(const request *request, figure *figure) {
    if (!figure) return cli_fail("out of memory");
    int code = CLI_OK;
    if (request->output) {
        code = write_picture(figure, request->output);
    } else {
        figure_terminal terminal = figure_terminal_of(stdout);
        if (!figure_print_text(figure, &terminal, stdout)) code = cli_fail("out of memory");
    }
    figure_free(figure);
    return code;
}

static int draw_curves(const request *request) {
    if (!request->data) return show(request, plot_curves(&request->plot));
    plot_print_curves(&request->plot, stdout);
    return CLI_OK;
}

static int draw_histogram(const request *request) {
    plot_histogram histogram;
    int code = plot_count(&request->plot, request->histogram, &request->npy, &histogram);
    if (code != CLI_OK) return code;
    if (request->data)
        plot_print_histogram(&request->plot, &histogram, stdout);
    else
        code = show(request, plot_histogram_figure(&request->plot, request->histogram, &histogram));
    plot_histogram_free(&histogram);
    return code;
}

/* ---- The command line ---- */

static int parse_range(const char *text, plot_request *out) {
    char from[64];
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : 0;
    if (length > 0 && length < sizeof from) {
        memcpy(from, text, length);
        from[length] = '\0';
        out->has_range = gelu_parse_value(GELU_F64, from, &out->from) == GELU_OK &&
                         gelu_parse_value(GELU_F64, colon + 1, &out->to) == GELU_OK && isfinite(out->from) &&
                         isfinite(out->to) && out->from < out->to && isfinite(out->to - out->from);
    }
    return out->has_range ? CLI_OK : cli_usage("--range: '%s' is not A:B, two numbers with A below B", text);
}

static int add_act(const char *name, plot_request *out) {
    gelu_act act;
    if (gelu_act_from_name(name, &act) != GELU_OK)
        return cli_usage("unknown activation '%s'; known: %s", name, cli_known_activations());
    for (size_t a = 0; a < out->n_acts; a++)
        if (out->acts[a] == act) return CLI_OK;
    out->acts[out->n_acts++] = act;
    return CLI_OK;
}

static int check_errors(const plot_request *plot) {
    for (size_t a = 0; plot->is_error && a < plot->n_acts; a++)
        if (plot->acts[a] != plot->reference) return CLI_OK;
    return plot->is_error ? cli_usage("--error-against: no other activation is given") : CLI_OK;
}

static int check(request *request, int operands, char **names) {
    plot_request *plot = &request->plot;
    figure_format format;
    int code = CLI_OK;
    for (int i = 0; i < operands && code == CLI_OK; i++) code = add_act(names[i], plot);
    if (code != CLI_OK) return code;
    if (plot->n_acts == 0) return cli_usage("no activation is given; known: %s", cli_known_activations());
    if (request->histogram && (plot->grad || plot->grad2 || plot->is_error || request->points))
        return cli_usage("--hist excludes --grad, --grad2, --error-against and --points");
    if (request->npy.v2_is_bf16 && !request->histogram) return cli_usage("--bf16 is for --hist");
    if (request->output && request->data) return cli_usage("-o and --data exclude each other");
    if (request->output && !figure_format_of(request->output, &format))
        return cli_usage("-o: '%s' does not end in .png, .svg or .pdf", request->output);
    plot->points = request->points ? (size_t)request->points : DEFAULT_POINTS;
    if (!plot->has_range) plot->from = -4, plot->to = 4;
    code = check_errors(plot);
    if (code == CLI_OK && request->output) code = output_file_check(request->output);
    return code == CLI_OK && request->output ? gnuplot_check("-o") : code;
}

int cmd_plot(int argc, char **argv) {
    static const struct option options[] = {{"range", required_argument, NULL, 'r'},
                                            {"points", required_argument, NULL, 'p'},
                                            {"grad", no_argument, NULL, '1'},
                                            {"grad2", no_argument, NULL, '2'},
                                            {"error-against", required_argument, NULL, 'e'},
                                            {"hist", required_argument, NULL, 'x'},
                                            {"bf16", no_argument, NULL, 'b'},
                                            {"data", no_argument, NULL, 'd'},
                                            CLI_HELP_OPTION,
                                            {0}};
    cli_args args = {.argc = argc, .argv = argv, .options = options, .letters = "o:"};
    request request = {0};
    int code = CLI_OK;
    for (int c; code == CLI_OK && (c = cli_next(&args)) != CLI_END;) switch (c) {
        case 'o': request.output = optarg; break;
        case 'r': code = parse_range(optarg, &request.plot); break;
        case 'p':
            code = cli_parse_count("points", optarg, MOST_POINTS, &request.points);
            if (code == CLI_OK && request.points == 1) code = cli_usage("--points: a curve has at least 2");
            break;
        case '1': request.plot.grad = true; break;
        case '2': request.plot.grad2 = true; break;
        case 'e':
            request.plot.is_error = true;
            if (gelu_act_from_name(optarg, &request.plot.reference) != GELU_OK)
                code =
                    cli_usage("--error-against: unknown activation '%s'; known: %s", optarg, cli_known_activations());
            break;
        case 'x': request.histogram = optarg; break;
        case 'b': request.npy.v2_is_bf16 = 1; break;
        case 'd': request.data = true; break;
        case 'h': return cli_help(help);
        default: return CLI_USAGE;
        }
    if (code == CLI_OK) code = check(&request, args.operands, argv);
    if (code != CLI_OK) return code;
    return request.histogram ? draw_histogram(&request) : draw_curves(&request);
}
