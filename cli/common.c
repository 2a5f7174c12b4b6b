/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli.h"

static const char *command_name; /* NULL before a command is known */

void cli_set_command(const char *name) { command_name = name; }

/* File names and arguments are quoted in what is printed: a newline or an escape sequence in one must not break the line. */
static char harmless(char c) { return (unsigned char)c < 0x20 || c == 0x7f ? '?' : c; }

void cli_put(const char *text) {
    for (; *text; text++) putchar(harmless(*text));
}

static void report(const char *suffix, const char *format, va_list values) {
    char message[8192]; /* a path, and what is said of it */
    vsnprintf(message, sizeof message, format, values);
    for (char *c = message; *c; c++) *c = harmless(*c);
    fflush(stdout); /* what was printed before the mistake comes first when both streams are one terminal */
    fprintf(stderr, "%sgelu%s%s:%s %s%s\n", cli_red(stderr), command_name ? " " : "", command_name ? command_name : "",
            cli_plain(stderr), message, suffix);
}

void cli_error(const char *format, ...) {
    va_list values;
    va_start(values, format);
    report("", format, values);
    va_end(values);
}

int cli_fail(const char *format, ...) {
    va_list values;
    va_start(values, format);
    report("", format, values);
    va_end(values);
    return CLI_BAD_DATA;
}

int cli_usage(const char *format, ...) {
    char hint[64];
    snprintf(hint, sizeof hint, " (see: gelu %s%s--help)", command_name ? command_name : "", command_name ? " " : "");
    va_list values;
    va_start(values, format);
    report(hint, format, values);
    va_end(values);
    return CLI_USAGE;
}

static bool looks_like_number(const char *text) {
    if (text[0] != '-') return false;
    const char *rest = text + 1;
    if ((*rest >= '0' && *rest <= '9') || *rest == '.') return true;
    return !strcasecmp(rest, "inf") || !strcasecmp(rest, "infinity") || !strcasecmp(rest, "nan");
}

/* Operands move to the front of argv: there are never more of them than arguments that were read. */
static void keep_operand(cli_args *args, char *text) { args->argv[args->operands++] = text; }

static void report_option(const cli_args *args, int mistake) {
    const char *text = args->argv[optind - 1];
    if (mistake == ':')
        cli_usage("option '%s' needs a value", text);
    else if (strncmp(text, "--", 2) != 0)
        cli_usage("unknown option '-%c'", optopt);
    else if (optopt)
        cli_usage("option '%.*s' takes no value", (int)strcspn(text, "="), text);
    else
        cli_usage("unknown or ambiguous option '%s'", text);
}

int cli_next(cli_args *args) {
    if (!args->started) {
        args->started = true;
        optind = 1;
        opterr = 0;
    }
    for (;;) {
        while (optind < args->argc && looks_like_number(args->argv[optind])) keep_operand(args, args->argv[optind++]);
        /* "-" delivers operands in order instead of moving them: argv must not be permuted under looks_like_number. */
        char letters[16];
        snprintf(letters, sizeof letters, "-:h%s", args->letters ? args->letters : "");
        int option = getopt_long(args->argc, args->argv, letters, args->options, NULL);
        if (option == 1) {
            keep_operand(args, optarg);
        } else if (option == CLI_END) {
            while (optind < args->argc) keep_operand(args, args->argv[optind++]);
            return CLI_END;
        } else if (option == '?' || option == ':') {
            report_option(args, option);
            return '?';
        } else {
            return option;
        }
    }
}

int cli_flush(void) {
    static bool reported;
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return CLI_OK;
    if (!reported) cli_error("cannot write to standard output%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
    reported = true;
    return CLI_BAD_DATA;
}

int cli_help(const char *text) {
    fputs(text, stdout);
    return CLI_OK;
}

const char *cli_known_activations(void) {
    static char list[1024];
    size_t used = 0;
    list[0] = '\0';
    for (size_t i = 0; used < sizeof list; i++) {
        const char *name = gelu_act_spelling(i);
        if (!name) break;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", name);
    }
    return list;
}

bool cli_parse_u64(const char *text, uint64_t max, uint64_t *out) {
    uint64_t value = 0;
    if (!*text) return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9') return false;
        uint64_t digit = (uint64_t)(*text - '0');
        if (value > (UINT64_MAX - digit) / 10) return false;
        value = value * 10 + digit;
    }
    if (value > max) return false;
    *out = value;
    return true;
}

int cli_parse_count(const char *option, const char *text, uint64_t max, uint64_t *out) {
    if (cli_parse_u64(text, max, out) && *out > 0) return CLI_OK;
    return cli_usage("--%s: '%s' is not a whole number from 1 to %" PRIu64, option, text, max);
}

int cli_set_threads(const char *text, uint64_t *out) {
    enum { MOST_THREADS = 1024 };
    int code = cli_parse_count("threads", text, MOST_THREADS, out);
    if (code == CLI_OK && gelu_set_num_threads((size_t)*out) != GELU_OK)
        return cli_usage("--threads: this gelu was built without OpenMP");
    return code;
}

static bool is_colourful(FILE *stream) {
    const char *term = getenv("TERM");
    const char *no_color = getenv("NO_COLOR");
    return isatty(fileno(stream)) && term && strcmp(term, "dumb") != 0 && !(no_color && *no_color);
}

const char *cli_bold(FILE *stream) { return is_colourful(stream) ? "\033[1m" : ""; }
const char *cli_red(FILE *stream) { return is_colourful(stream) ? "\033[31m" : ""; }
const char *cli_green(FILE *stream) { return is_colourful(stream) ? "\033[32m" : ""; }
const char *cli_plain(FILE *stream) { return is_colourful(stream) ? "\033[0m" : ""; }

const char *cli_compiler(void) {
#if defined(__clang__)
    return "clang " __clang_version__;
#elif defined(__GNUC__)
    return "gcc " __VERSION__;
#else
    return "unknown";
#endif
}
