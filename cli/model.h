/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What the commands over checkpoints share. */
#ifndef GELU_CLI_MODEL_H
#define GELU_CLI_MODEL_H

#include "cli.h"
#include "gelu_io.h"

/* What the command line says against the checkpoint. */
typedef struct {
    const char *family;
    gelu_act act;
    gelu_gate_order order;
    bool has_act, has_order;
} cli_model_options;

#define CLI_MODEL_OPTIONS                                                                                              \
    {"family", required_argument, NULL, 'F'}, {"act", required_argument, NULL, 'A'}, {                                 \
        "gate", required_argument, NULL, 'G'                                                                           \
    }
#define CLI_MODEL_HELP                                                                                                 \
    "  --family NAME  the family, when no config.json names it\n"                                                      \
    "  --act NAME     this activation, whatever the checkpoint says\n"                                                 \
    "  --gate WHICH   the gate is the first or the second: of two matrices in the order of their names, or of the\n"   \
    "                 halves of one\n"

/* Takes one of these options; the exit code, a mistake being reported. */
int cli_model_option(int option, const char *value, cli_model_options *out);
/* The exit code, a mistake being reported. */
int cli_model_open(const char *path, const cli_model_options *options, gelu_model **out);
/* "y = x + f(norm(x))" */
const char *cli_block_formula(gelu_block_form form);

#endif
