/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli.h"
#include "gelu_io.h"

static const char help[] =
    "Usage: gelu eval --act NAME [--dtype TYPE] [--grad | --grad2] [--hex | --bits] X...\n"
    "\n"
    "Prints the activation at each X, one result a line: the shortest decimal that reads back as the same value.\n"
    "X is a decimal or hexadecimal number, inf or nan; -3 is a number, not an option.\n"
    "\n"
    "  -h, --help     this text\n"
    "  --act NAME     identity, relu, erf, tanh, quick, silu or elu, or a name of theirs in PyTorch, transformers,\n"
    "                 diffusers or open_clip; erf is PyTorch's default GELU, tanh its approximate=\"tanh\"\n"
    "  --dtype TYPE   f32 (default), f64, f16 or bf16: X and the result are rounded to this type, once each\n"
    "  --grad         the first derivative\n"
    "  --grad2        the second derivative (f32 and f64 only)\n"
    "  --hex          print hexadecimal floating-point numbers\n"
    "  --bits         X are bit patterns in hexadecimal; without X, one a line on standard input; prints two patterns\n"
    "                 a line, of X and of the result\n"
    "\n"
    "Examples: gelu eval --act erf -3 2.5 0 4 -1.2\n"
    "          echo c0400000 | gelu eval --act tanh --grad --bits\n";

typedef union {
    float f32;
    double f64;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
} value;

typedef struct {
    gelu_act act;
    gelu_dtype dtype;
    int order; /* of the derivative: 0, 1, 2 */
    bool hex, bits;
} request;

static uint64_t get_bits(gelu_dtype dtype, const value *v) {
    switch (dtype) {
    case GELU_F32: return v->u32;
    case GELU_F64: return v->u64;
    default: return v->u16;
    }
}

static void set_bits(gelu_dtype dtype, uint64_t bits, value *v) {
    switch (dtype) {
    case GELU_F32: v->u32 = (uint32_t)bits; break;
    case GELU_F64: v->u64 = bits; break;
    default: v->u16 = (uint16_t)bits; break;
    }
}

static void evaluate(const request *request, const value *x, value *y) {
    gelu_act act = request->act;
    switch (request->dtype) {
    case GELU_F32:
        if (request->order == 0) gelu_forward_f32(act, 1, &x->f32, &y->f32);
        if (request->order == 1) gelu_grad_f32(act, 1, &x->f32, &y->f32);
        if (request->order == 2) gelu_grad2_f32(act, 1, &x->f32, &y->f32);
        break;
    case GELU_F64:
        if (request->order == 0) gelu_forward_f64(act, 1, &x->f64, &y->f64);
        if (request->order == 1) gelu_grad_f64(act, 1, &x->f64, &y->f64);
        if (request->order == 2) gelu_grad2_f64(act, 1, &x->f64, &y->f64);
        break;
    case GELU_F16:
        if (request->order == 0) gelu_forward_f16(act, 1, &x->u16, &y->u16);
        if (request->order == 1) gelu_grad_f16(act, 1, &x->u16, &y->u16);
        break;
    case GELU_BF16:
        if (request->order == 0) gelu_forward_bf16(act, 1, &x->u16, &y->u16);
        if (request->order == 1) gelu_grad_bf16(act, 1, &x->u16, &y->u16);
        break;
    }
}

/* Up to the width of the type, with or without 0x. */
static bool parse_bits(gelu_dtype dtype, const char *text, value *out) {
    static const char digits[] = "0123456789abcdefABCDEF";
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) text += 2;
    size_t length = strlen(text);
    if (length == 0 || length > 2 * gelu_dtype_nbytes(dtype)) return false;
    uint64_t bits = 0;
    for (; *text; text++) {
        const char *digit = strchr(digits, *text);
        if (!digit) return false;
        size_t position = (size_t)(digit - digits);
        bits = bits << 4 | (position < 16 ? position : position - 6);
    }
    set_bits(dtype, bits, out);
    return true;
}

static bool parse_operand(const request *request, const char *text, value *out) {
    if (request->bits) return parse_bits(request->dtype, text, out);
    return gelu_parse_value(request->dtype, text, out) == GELU_OK;
}

static void print_hex_float(gelu_dtype dtype, const value *v) {
    double wide = v->f64;
    if (dtype != GELU_F64) gelu_convert(1, dtype, v, GELU_F64, &wide);
    if (isnan(wide))
        puts("nan");
    else
        printf("%a\n", wide);
}

static void evaluate_and_print(const request *request, const value *x) {
    value y = {0};
    evaluate(request, x, &y);
    if (request->bits) {
        int width = 2 * (int)gelu_dtype_nbytes(request->dtype);
        printf("%0*" PRIx64 " %0*" PRIx64 "\n", width, get_bits(request->dtype, x), width,
               get_bits(request->dtype, &y));
    } else if (request->hex) {
        print_hex_float(request->dtype, &y);
    } else {
        char text[40];
        gelu_format_shortest(request->dtype, &y, text);
        puts(text);
    }
}

static const char *expected(const request *request) {
    static char text[64];
    if (!request->bits) return "a number";
    snprintf(text, sizeof text, "a bit pattern of at most %zu hexadecimal digits",
             2 * gelu_dtype_nbytes(request->dtype));
    return text;
}

static int eval_arguments(const request *request, int n, char **texts) {
    for (int i = 0; i < n; i++) { /* nothing is printed unless every argument is good */
        value x;
        if (!parse_operand(request, texts[i], &x)) return cli_usage("'%s' is not %s", texts[i], expected(request));
    }
    for (int i = 0; i < n; i++) {
        value x;
        parse_operand(request, texts[i], &x);
        evaluate_and_print(request, &x);
    }
    return CLI_OK;
}

/* A line without its end, cut to the buffer. False at the end of the input. */
static bool read_line(FILE *stream, size_t size, char *line) {
    size_t length = 0;
    int c;
    while ((c = getc(stream)) != EOF && c != '\n') {
        if (c == '\0') c = '?'; /* a NUL must not end the text early and make a bad line good */
        if (length + 1 < size) line[length] = (char)c;
        length++;
    }
    if (c == EOF && length == 0) return false;
    if (length > size - 1) length = size - 1;
    if (length > 0 && line[length - 1] == '\r') length--;
    line[length] = '\0';
    return true;
}

static int eval_lines(const request *request, FILE *stream) {
    char line[64]; /* longer than any good line, so a cut line is a bad one */
    uint64_t number = 0;
    errno = 0;
    while (!ferror(stdout) && read_line(stream, sizeof line, line)) {
        number++;
        value x;
        if (!parse_operand(request, line, &x))
            return cli_fail("standard input, line %" PRIu64 ": '%s' is not %s", number, line, expected(request));
        evaluate_and_print(request, &x);
    }
    if (ferror(stream)) return cli_fail("standard input: %s", strerror(errno));
    return CLI_OK;
}

int cmd_eval(int argc, char **argv) {
    static const struct option options[] = {{"act", required_argument, NULL, 'a'},
                                            {"dtype", required_argument, NULL, 'd'},
                                            {"grad", no_argument, NULL, '1'},
                                            {"grad2", no_argument, NULL, '2'},
                                            {"hex", no_argument, NULL, 'x'},
                                            {"bits", no_argument, NULL, 'b'},
                                            CLI_HELP_OPTION,
                                            {0}};
    cli_args args = {.argc = argc, .argv = argv, .options = options};
    request request = {.dtype = GELU_F32};
    const char *act = NULL;
    for (int c; (c = cli_next(&args)) != CLI_END;) switch (c) {
        case 'a': act = optarg; break;
        case 'd':
            if (gelu_dtype_from_name(optarg, &request.dtype) != GELU_OK)
                return cli_usage("unknown type '%s'; known: f32, f64, f16, bf16", optarg);
            break;
        case '1':
        case '2':
            if (request.order && request.order != c - '0') return cli_usage("--grad and --grad2 exclude each other");
            request.order = c - '0';
            break;
        case 'x': request.hex = true; break;
        case 'b': request.bits = true; break;
        case 'h': return cli_help(help);
        default: return CLI_USAGE;
        }
    if (!act) return cli_usage("--act is missing; known: %s", cli_known_activations());
    if (gelu_act_from_name(act, &request.act) != GELU_OK)
        return cli_usage("unknown activation '%s'; known: %s", act, cli_known_activations());
    if (request.order == 2 && request.dtype != GELU_F32 && request.dtype != GELU_F64)
        return cli_usage("--grad2 is for f32 and f64, not %s", gelu_dtype_name(request.dtype));
    if (request.hex && request.bits) return cli_usage("--hex and --bits exclude each other");
    if (args.operands > 0) return eval_arguments(&request, args.operands, argv);
    if (request.bits) return eval_lines(&request, stdin);
    return cli_usage("no numbers given");
}
