/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#include <pthread.h>
#include <unistd.h>
#endif
#include "base/compiler.h"
#include "base/fpenv.h"
#include "base/parallel.h"
#include "gelu.h"

enum { MOST_THREADS = 1024, UNREAD = 0, INVALID = -1 };

static atomic_int environment; /* UNREAD, INVALID, or a number. Threads that race to it write the same. */

/* Digits only: strtol would take a sign, blanks and the locale's digits. */
static int parse(const char *text) {
    int value = 0;
    for (; *text; text++) {
        if (*text < '0' || *text > '9') return INVALID;
        value = 10 * value + (*text - '0');
        if (value > MOST_THREADS) return INVALID;
    }
    return value == 0 ? INVALID : value;
}

static int read_environment(void) {
    int value = atomic_load_explicit(&environment, memory_order_relaxed);
    if (value == UNREAD) {
        const char *text = getenv("GELU_NUM_THREADS");
        value = text ? parse(text) : 1;
        atomic_store_explicit(&environment, value, memory_order_relaxed);
    }
    return value;
}

gelu_status gelu_num_threads_status(void) { return read_environment() == INVALID ? GELU_ERR_ARGUMENT : GELU_OK; }

#ifdef _OPENMP

static atomic_int chosen; /* 0: the environment decides */

gelu_status gelu_set_num_threads(size_t n) {
    if (n > MOST_THREADS) return GELU_ERR_ARGUMENT;
    atomic_store_explicit(&chosen, (int)n, memory_order_relaxed);
    return GELU_OK;
}

size_t gelu_num_threads(void) {
    int n = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (n == 0) n = read_environment();
    return n == INVALID ? 1 : (size_t)n;
}

/* GNU OpenMP waits for ever in a forked child for the threads that its parent had, whoever had started them: the host's
 * own parallel regions count. So this must watch from the start, not from our first region. */
static atomic_bool forked;

static void remember_fork(void) { atomic_store_explicit(&forked, true, memory_order_relaxed); }

static __attribute__((constructor)) void watch_forks(void) {
    if (pthread_atfork(NULL, NULL, remember_fork) != 0) remember_fork();
}

size_t gelu_parallel_threads(void) {
    int host_errno = errno;
    bool serial = atomic_load_explicit(&forked, memory_order_relaxed) || omp_in_parallel();
    errno = host_errno; /* LLVM's OpenMP starts with the first question, and changes it */
    return serial ? 1 : gelu_num_threads();
}

/* Configured, not online: the number must not change while somebody relies on it. The first of the threads that race to
 * it decides. */
size_t gelu_parallel_processors(void) {
    static atomic_int processors;
    int value = atomic_load_explicit(&processors, memory_order_relaxed);
    if (value == UNREAD) {
        int host_errno = errno;
        long found = sysconf(_SC_NPROCESSORS_CONF);
        errno = host_errno;
        value = found < 1 ? 1 : found > MOST_THREADS ? MOST_THREADS : (int)found;
        int unread = UNREAD;
        if (!atomic_compare_exchange_strong_explicit(&processors, &unread, value, memory_order_relaxed,
                                                     memory_order_relaxed))
            value = unread;
    }
    return (size_t)value;
}

static void run_team(size_t threads, size_t count, void (*task)(void *context, size_t index), void *context) {
    int host_errno = errno;
    fpenv host = fpenv_get();
    atomic_size_t taken = 0; /* beyond the first tasks, of which each thread has one */
#pragma omp parallel num_threads((int)threads)
    {
        fpenv own = fpenv_get();
        fpenv_leave(host);
        size_t first = (size_t)omp_get_thread_num(), team = (size_t)omp_get_num_threads();
        for (size_t i = first; i < count; i = team + atomic_fetch_add_explicit(&taken, 1, memory_order_relaxed))
            task(context, i);
        fpenv_leave(own);
    }
    errno = host_errno;
}

#else

gelu_status gelu_set_num_threads(size_t n) {
    if (n > MOST_THREADS) return GELU_ERR_ARGUMENT;
    return n > 1 ? GELU_ERR_UNSUPPORTED : GELU_OK;
}

size_t gelu_num_threads(void) { return 1; }
size_t gelu_parallel_threads(void) { return 1; }
size_t gelu_parallel_processors(void) { return 1; }

#endif

void gelu_parallel_for(size_t count, void (*task)(void *context, size_t index), void *context) {
    size_t threads = gelu_parallel_threads();
    if (threads > count) threads = count;
#ifdef _OPENMP
    if (threads > 1) {
        run_team(threads, count, task, context);
        return;
    }
#endif
    for (size_t i = 0; i < count; i++) task(context, i);
}
