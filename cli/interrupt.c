/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _XOPEN_SOURCE 700

#include <signal.h>
#include <unistd.h>

#include "interrupt.h"

/* Those whose default is to end the program, but for SIGKILL, which cannot be caught, and faults of the program. */
static const int fatal_signals[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGBUS,  SIGPIPE,
                                    SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGPROF, SIGVTALRM};
enum { N_SIGNALS = sizeof fatal_signals / sizeof fatal_signals[0] };

/* The file to remove when a signal ends the program; changed only while the signals are blocked. */
static const char *volatile temporary;

static void remove_and_die(int signal_number) {
    if (temporary) unlink(temporary);
    raise(signal_number); /* SA_RESETHAND restored the default action, which follows when this handler returns */
}

void cli_catch_signals(void) {
    struct sigaction action = {.sa_handler = remove_and_die, .sa_flags = SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < N_SIGNALS; i++) sigaddset(&action.sa_mask, fatal_signals[i]);
    for (int i = 0; i < N_SIGNALS; i++) {
        struct sigaction old;
        /* What the caller ignores (nohup) stays ignored. */
        if (sigaction(fatal_signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(fatal_signals[i], &action, NULL);
    }
    signal(SIGXFSZ, SIG_IGN); /* a file size limit then is a write error, with the clean-up that follows one */
}

void cli_block_signals(int how) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < N_SIGNALS; i++) sigaddset(&set, fatal_signals[i]);
    pthread_sigmask(how, &set, NULL);
}

void cli_set_temporary(const char *path) { temporary = path; }
