/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* No temporary file stays behind when a signal ends the program. */
#ifndef GELU_CLI_INTERRUPT_H
#define GELU_CLI_INTERRUPT_H

/* From now on, a signal that ends the program first removes the temporary file. */
void cli_catch_signals(void);
/* SIG_BLOCK or SIG_UNBLOCK: while the file comes, goes, or gets its final name. */
void cli_block_signals(int how);
/* The file to remove; NULL: none. Only while the signals are blocked. */
void cli_set_temporary(const char *path);

#endif
