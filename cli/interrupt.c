/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _XOPEN_SOURCE 700

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "interrupt.h"

/* Those whose default is to end the program, but for SIGKILL, which cannot be caught, and faults of the program. */
static const int fatal_signals[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGBUS,  SIGPIPE,
                                    SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGPROF, SIGVTALRM};
enum { N_SIGNALS = sizeof fatal_signals / sizeof fatal_signals[0] };

/* The file to remove when a signal ends the program; changed only while main_thread has the signals blocked. */
static const char *volatile temporary;
static pthread_t main_thread;

static void remove_and_die(int signal_number) {
    /* Threads that compute do not know when the file may be touched. But a mapped file that became shorter is met by
     * the thread that reads it, which cannot go on; then no file is being opened or closed. */
    if (signal_number != SIGBUS && !pthread_equal(pthread_self(), main_thread)) {
        pthread_kill(main_thread, signal_number);
        return;
    }
    if (temporary) unlink(temporary);
    signal(signal_number, SIG_DFL);
    raise(signal_number); /* it is blocked here, and kills when this handler returns */
}

static bool caught;

static void catch_signals(void) {
    if (caught) return;
    caught = true;
    main_thread = pthread_self();
    struct sigaction action = {.sa_handler = remove_and_die, .sa_flags = SA_RESTART};
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

static void block_signals(int how) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < N_SIGNALS; i++) sigaddset(&set, fatal_signals[i]);
    pthread_sigmask(how, &set, NULL);
}

static int holds;

void cli_hold_signals(void) {
    catch_signals();
    if (holds++ == 0) block_signals(SIG_BLOCK);
}

void cli_release_signals(void) {
    if (--holds == 0) block_signals(SIG_UNBLOCK);
}

static bool opening_holds;

void cli_output_opening(const char *path) {
    struct stat st;
    catch_signals();
    /* No temporary file comes with what is not a regular file, and a pipe may have to wait for its reader. */
    opening_holds = stat(path, &st) != 0 || S_ISREG(st.st_mode);
    if (opening_holds) cli_hold_signals();
}

void cli_output_opened(const char *name) {
    temporary = name;
    if (opening_holds) cli_release_signals();
}

void cli_output_closing(void) { cli_hold_signals(); }

void cli_output_closed(void) {
    temporary = NULL;
    cli_release_signals();
}

static atomic_bool interrupted;
static atomic_int interrupting; /* the signal */

/* timeout(1) signals the process and then its whole group, so that one wish to stop comes twice. */
enum { SAME_INTERRUPT_SECONDS = 1 };

static void remember(int signal_number) {
    static atomic_long first; /* in seconds; 0 is none */
    struct timespec now;
    long before = 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (atomic_compare_exchange_strong(&first, &before, now.tv_sec + 1)) {
        atomic_store(&interrupting, signal_number);
        atomic_store(&interrupted, true);
    } else if (now.tv_sec + 1 - before > SAME_INTERRUPT_SECONDS) {
        signal(signal_number, SIG_DFL);
        raise(signal_number); /* it is blocked here, and kills when this handler returns */
    }
}

atomic_bool *cli_stop_on_interrupt(void) {
    static const int signals[] = {SIGINT, SIGTERM};
    struct sigaction action = {.sa_handler = remember, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < 2; i++) sigaddset(&action.sa_mask, signals[i]);
    for (int i = 0; i < 2; i++) {
        struct sigaction old;
        /* What the caller ignores (nohup) stays ignored. */
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) sigaction(signals[i], &action, NULL);
    }
    return &interrupted;
}

void cli_die_if_interrupted(void) {
    fflush(stdout);
    caught = false;
    catch_signals();
    if (atomic_load(&interrupted)) raise(atomic_load(&interrupting));
}
