/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

#ifdef GELU_HAVE_VERIFY
#define RUN_VERIFY cmd_verify
#else
static int without_verify(int argc, char **argv) {
    (void)argc, (void)argv;
    cli_error("this gelu was built without MPFR, which the proof compares with");
    return CLI_USAGE;
}
#define RUN_VERIFY without_verify
#endif

static const struct {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"apply", "an activation over every element of a .npy file", cmd_apply},
    {"bench", "how fast the activations, Linear and the feed-forward block are here", cmd_bench},
    {"compare", "what is said of GELU against ReLU, measured here; the paper's experiments", cmd_compare},
    {"convert", "a checkpoint, or .npy files, to one file that names its activation", cmd_convert},
    {"demo", "GELU, Linear and a feed-forward block, step by step, as PyTorch prints them", cmd_demo},
    {"diff", "how far two .npy files are apart, and where", cmd_diff},
    {"eval", "an activation, or its derivative, at given numbers", cmd_eval},
    {"ffn", "a feed-forward layer, or block, of a checkpoint", cmd_ffn},
    {"info", "version, compiler and instruction sets", cmd_info},
    {"inspect", "which feed-forward blocks a checkpoint has, and which activation it really uses", cmd_inspect},
    {"plot", "activations, their derivatives and errors, and histograms, as pictures or text", cmd_plot},
    {"probe", "which activation made one .npy file of another, and how it was computed", cmd_probe},
    {"verify", "prove the results correctly rounded, on this machine", RUN_VERIFY},
};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static int print_help(void) {
    const char *bold = cli_bold(stdout), *plain = cli_plain(stdout);
    printf("Usage: gelu COMMAND [OPTION...] [ARGUMENT...]\n\n"
           "Correctly rounded GELU activations: the same bits on every machine.\n\n");
    for (int i = 0; i < N_COMMANDS; i++) printf("  %s%-8s%s%s\n", bold, commands[i].name, plain, commands[i].summary);
    printf("  %s%-8s%s%s\n", bold, "help", plain, "this text; gelu help COMMAND: the command's own");
    printf(
        "\n  -h, --help      this text\n"
        "  -V, --version   the version\n\n"
        "Exit status: 0 all is well, 1 bad data or a file that cannot be used, 2 a mistake on the command line.\n"
        "Environment: GELU_FORCE_ISA names the instruction set to use, GELU_NUM_THREADS how many threads; gelu info\n"
        "shows both.\n");
    return CLI_OK;
}

static int find_command(const char *name) {
    for (int i = 0; i < N_COMMANDS; i++)
        if (!strcmp(name, commands[i].name)) return i;
    char list[256];
    size_t used = 0;
    for (int i = 0; i < N_COMMANDS && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s, ", commands[i].name);
    cli_usage("unknown command '%s'; the commands are %shelp", name, list);
    return -1;
}

static bool isa_is_available(void) {
    if (gelu_isa_status() == GELU_OK) return true;
    const char *wanted = getenv("GELU_FORCE_ISA");
    char list[256] = "";
    size_t used = 0;
    for (size_t i = 0; used < sizeof list && gelu_isa_available(i); i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", gelu_isa_available(i));
    cli_error("GELU_FORCE_ISA=%s cannot be had here; available: %s", wanted ? wanted : "", list);
    return false;
}

static bool threads_are_a_number(void) {
    if (gelu_num_threads_status() == GELU_OK) return true;
    const char *wanted = getenv("GELU_NUM_THREADS");
    cli_error("GELU_NUM_THREADS=%s is not a whole number from 1 to 1024", wanted ? wanted : "");
    return false;
}

static int print_command_help(int argc, char **argv) {
    if (argc == 1) return print_help();
    if (argc > 2) return cli_usage("help takes one command");
    int i = find_command(argv[1]);
    if (i < 0) return CLI_USAGE;
    cli_set_command(commands[i].name);
    char option[] = "--help";
    char *help_argv[] = {argv[1], option, NULL};
    return commands[i].run(2, help_argv);
}

static int run(int argc, char **argv) {
    if (argc < 2) return cli_usage("a command is missing");
    const char *first = argv[1];
    if (!strcmp(first, "-h") || !strcmp(first, "--help")) return print_help();
    if (!strcmp(first, "-V") || !strcmp(first, "--version")) {
        printf("gelu %s\n", gelu_version());
        return CLI_OK;
    }
    if (!strcmp(first, "help")) return print_command_help(argc - 1, argv + 1);
    if (first[0] == '-') return cli_usage("unknown option '%s'", first);
    int i = find_command(first);
    if (i < 0) return CLI_USAGE;
    cli_set_command(commands[i].name);
    if (!isa_is_available() || !threads_are_a_number()) return CLI_USAGE;
    return commands[i].run(argc - 1, argv + 1);
}

/* A file opened later must not land on descriptor 0, 1 or 2. Opened the wrong way round, so that use still fails. */
static void occupy_standard_streams(void) {
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) == -1) _exit(1);
}

int main(int argc, char **argv) {
    occupy_standard_streams();
    setlocale(LC_MESSAGES, ""); /* texts only: numbers look the same everywhere */
    int code = run(argc, argv);
    int written = cli_flush();
    return code == CLI_OK ? written : code;
}
