/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "cli.h"

static const char help[] =
    "Usage: gelu info\n"
    "\n"
    "Prints the version, the compiler, the instruction set in use and those available, how many\n"
    "threads a call may use, and whether this build can verify.\n"
    "\n"
    "  -h, --help     this text\n";

static const char *target(void) {
#if defined(__x86_64__)
    return "x86-64";
#elif defined(__aarch64__)
    return "aarch64";
#elif defined(__wasm__)
    return "wasm";
#else
    return "other";
#endif
}

static bool has_threads(void) {
    bool has = gelu_set_num_threads(2) == GELU_OK;
    gelu_set_num_threads(0);
    return has;
}

int cmd_info(int argc, char **argv) {
    static const struct option options[] = {CLI_HELP_OPTION, {0}};
    cli_args args = {.argc = argc, .argv = argv, .options = options};
    for (int c; (c = cli_next(&args)) != CLI_END;) {
        if (c == 'h') return cli_help(help);
        return CLI_USAGE;
    }
    if (args.operands > 0) return cli_usage("info takes no argument '%s'", argv[0]);

    printf("version:   %s\n", gelu_version());
    printf("compiler:  %s, %s\n", cli_compiler(), target());
    printf("isa:       %s\n", gelu_isa_name());
    printf("available:");
    for (size_t i = 0; gelu_isa_available(i); i++) printf("%s %s", i ? "," : "", gelu_isa_available(i));
    printf("\nthreads:   %zu%s\n", gelu_num_threads(), has_threads() ? "" : " (built without OpenMP)");
#ifdef GELU_HAVE_VERIFY
    printf("verify:    yes\n");
#else
    printf("verify:    no (built without MPFR)\n");
#endif
    return CLI_OK;
}
