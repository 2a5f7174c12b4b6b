/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What signals do that would end the program.
 *
 * No temporary file stays behind when a signal ends the program, whichever thread it reaches. Around a writer:
 *
 *     cli_output_opening(path);
 *     status = gelu_npy_writer_open(path, ..., &writer, &err);
 *     cli_output_opened(status == GELU_OK ? gelu_npy_writer_temporary(writer) : NULL);
 *     ... write; a signal that ends the program first removes the temporary file ...
 *     cli_output_closing();
 *     status = gelu_npy_writer_commit(writer, &err);        or gelu_npy_writer_abort(writer);
 *     cli_output_closed(); */
#ifndef GELU_CLI_INTERRUPT_H
#define GELU_CLI_INTERRUPT_H

#include <stdatomic.h>
#include <stdbool.h>

/* From the thread that main runs in, all of them. */
void cli_output_opening(const char *path);
void cli_output_opened(const char *temporary);
void cli_output_closing(void);
void cli_output_closed(void);

/* Around what must not be interrupted halfway, and does not take long; one may be inside another. */
void cli_hold_signals(void);
void cli_release_signals(void);

/* Ctrl-C (or SIGTERM) from now on only makes the flag true: for work that has something to show, or to keep, when it is
 * stopped. Once more, seconds later, ends the program. */
atomic_bool *cli_stop_on_interrupt(void);
/* After that: what was printed is on its way, and if there was a signal it now ends the program after all. */
void cli_die_if_interrupted(void);

#endif
