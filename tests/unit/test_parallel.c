/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Threads themselves: how many, from where, which work each does, and what a host program may do around them. In a build
 * without OpenMP the same must hold with one thread. What is read once per process is tested in children, which run this
 * program again with a role of their own. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/parallel.h"
#include "gelu.h"
#include "unit/host.h"

enum { MOST_TASKS = 1000, MOST = 1024, CALLERS = 4, CHILD_OK = 0, CHILD_BAD = 1, PATIENCE = 60 };

/* CMake gives this program the same OpenMP as the library. */
#ifdef _OPENMP
enum { HAVE_OPENMP = 1 };
#else
enum { HAVE_OPENMP = 0 };
#endif

/* ---- What tasks saw ---- */

struct record {
    atomic_int runs[MOST_TASKS];
    pthread_t thread[MOST_TASKS];
    uint32_t word[MOST_TASKS]; /* the control word */
    size_t threads[MOST_TASKS];
};

static void note(void *context, size_t index) {
    struct record *record = context;
    atomic_fetch_add(&record->runs[index], 1);
    record->thread[index] = pthread_self();
    record->word[index] = host_get();
    record->threads[index] = gelu_parallel_threads();
    errno = 7;
}

/* How many threads ran the tasks; 0 when some task did not run exactly once. */
static size_t run(size_t count, struct record *record) {
    memset(record, 0, sizeof *record);
    gelu_parallel_for(count, note, record);
    size_t distinct = 0;
    for (size_t i = 0; i < MOST_TASKS; i++) {
        if (record->runs[i] != (i < count)) return 0;
        bool seen = false;
        for (size_t j = 0; j < i && i < count; j++) seen |= pthread_equal(record->thread[i], record->thread[j]) != 0;
        distinct += i < count && !seen;
    }
    return distinct;
}

static void every_task_runs_once(void **state) {
    (void)state;
    static struct record record;
    static const size_t counts[] = {1, 2, 3, 15, 16, 17, 100, MOST_TASKS};
    for (size_t threads = 1; threads <= (HAVE_OPENMP ? 16 : 1); threads++) {
        assert_int_equal(gelu_set_num_threads(threads), GELU_OK);
        assert_int_equal(gelu_num_threads(), threads);
        assert_int_equal(gelu_parallel_threads(), threads);
        gelu_parallel_for(0, note, NULL);
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            size_t used = run(counts[i], &record);
            assert_in_range(used, 1, threads);
            /* Each thread begins with a task of its own, so as many tasks as threads are done by as many. */
            if (counts[i] <= threads) assert_int_equal(used, counts[i]);
            assert_true(pthread_equal(record.thread[0], pthread_self()));
        }
    }
    gelu_set_num_threads(0);
}

static void number_of_threads(void **state) {
    (void)state;
    assert_int_equal(gelu_set_num_threads(1), GELU_OK);
    assert_int_equal(gelu_set_num_threads(MOST + 1), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_set_num_threads(SIZE_MAX), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_num_threads(), 1);
    assert_int_equal(gelu_set_num_threads(MOST), HAVE_OPENMP ? GELU_OK : GELU_ERR_UNSUPPORTED);
    assert_int_equal(gelu_num_threads(), HAVE_OPENMP ? MOST : 1);
    assert_int_equal(gelu_set_num_threads(SIZE_MAX), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_num_threads(), HAVE_OPENMP ? MOST : 1);
    assert_int_equal(gelu_set_num_threads(0), GELU_OK);
    assert_int_equal(gelu_num_threads(), 1); /* main takes GELU_NUM_THREADS away */
    assert_int_equal(gelu_num_threads_status(), GELU_OK);
}

static int first_errno; /* after the first question, with which an OpenMP may start */

static void errno_of_the_first_question(void **state) {
    (void)state;
    assert_int_equal(first_errno, 12345);
}

static void host_environment(void **state) {
    (void)state;
    static struct record record;
    uint32_t own = host_get();
    size_t count = HAVE_OPENMP ? 4 : 1;
    gelu_set_num_threads(count);
    for (size_t w = 0; w < HOST_WORDS; w++) {
        host_set(host_words[w]);
        errno = 12345;
        size_t used = run(count, &record);
        int kept = HAVE_OPENMP ? errno : 12345; /* a serial task's errno is its own affair */
        uint32_t after = host_get();
        host_set(own);
        assert_int_equal(used, count);
        assert_int_equal(kept, 12345);
        assert_int_equal(after, host_words[w]);
        for (size_t i = 0; i < count; i++) assert_int_equal(record.word[i], host_words[w]);
        /* The threads that OpenMP keeps have their own control words back. */
        assert_int_equal(run(count, &record), count);
        for (size_t i = 0; i < count; i++) assert_int_equal(record.word[i], own);
    }
    gelu_set_num_threads(0);
}

/* ---- Nested ---- */

static struct record inner[8];

static void run_inner(void *context, size_t index) {
    atomic_int *bad = context;
    if (run(5, &inner[index]) != 1 || !pthread_equal(inner[index].thread[0], pthread_self())) (*bad)++;
    if (HAVE_OPENMP && inner[index].threads[0] != 1) (*bad)++;
}

static void serial_within_a_parallel_region(void **state) {
    (void)state;
    atomic_int bad = 0;
    gelu_set_num_threads(HAVE_OPENMP ? 4 : 1);
    gelu_parallel_for(8, run_inner, &bad);
    assert_int_equal(bad, 0);
#ifdef _OPENMP
#pragma omp parallel for num_threads(3) schedule(static, 1)
    for (size_t i = 0; i < 8; i++) run_inner(&bad, i);
    assert_int_equal(bad, 0);
#endif
    gelu_set_num_threads(0);
}

/* ---- Several callers ---- */

static void *call_often(void *context) {
    struct record *record = context;
    uintptr_t bad = 0;
    for (int i = 0; i < 200; i++) bad += run(3, record) == 0;
    return (void *)bad;
}

static void several_callers_at_once(void **state) {
    (void)state;
    static struct record records[CALLERS];
    pthread_t threads[CALLERS];
    gelu_set_num_threads(HAVE_OPENMP ? 3 : 1);
    for (int i = 0; i < CALLERS; i++) assert_int_equal(pthread_create(&threads[i], NULL, call_often, &records[i]), 0);
    for (int i = 0; i < CALLERS; i++) {
        void *bad;
        assert_int_equal(pthread_join(threads[i], &bad), 0);
        assert_null(bad);
    }
    gelu_set_num_threads(0);
}

/* ---- Children ---- */

static int wait_for(pid_t pid) {
    int status;
    if (waitpid(pid, &status, 0) != pid) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Forks; the child computes and exits. */
static int compute_in_fork(void) {
    static struct record record;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(PATIENCE); /* a child that waits for threads it does not have is killed */
        bool ok = run(16, &record) == 1 && pthread_equal(record.thread[0], pthread_self());
        ok = ok && gelu_parallel_threads() == 1 && gelu_num_threads() == (HAVE_OPENMP ? 4 : 1);
        _exit(ok ? CHILD_OK : CHILD_BAD);
    }
    return wait_for(pid);
}

static void forked_child(void **state) {
    (void)state;
    static struct record record;
    gelu_set_num_threads(HAVE_OPENMP ? 4 : 1);
    assert_int_not_equal(run(16, &record), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(compute_in_fork(), CHILD_OK);
        assert_int_not_equal(run(16, &record), 0); /* the parent goes on as before */
        if (HAVE_OPENMP) assert_int_equal(run(4, &record), 4);
    }
    gelu_set_num_threads(0);
}

/* The host has a pool of OpenMP's, the library has computed nothing yet. */
static int child_forks_first(void) {
#ifdef _OPENMP
    int sum = 0;
#pragma omp parallel for num_threads(4) reduction(+ : sum)
    for (int i = 0; i < 100; i++) sum += i;
    if (sum != 4950) return CHILD_BAD;
#endif
    gelu_set_num_threads(HAVE_OPENMP ? 4 : 1);
    return compute_in_fork();
}

static int child_garbage(void) {
    static struct record record;
    bool ok = gelu_num_threads() == 1 && gelu_num_threads_status() == GELU_ERR_ARGUMENT && run(16, &record) == 1;
    /* A number by a call counts all the same. */
    ok = ok && gelu_set_num_threads(HAVE_OPENMP ? 2 : 1) == GELU_OK && gelu_num_threads() == (HAVE_OPENMP ? 2 : 1);
    ok = ok && gelu_set_num_threads(0) == GELU_OK && gelu_num_threads() == 1;
    return ok && gelu_num_threads_status() == GELU_ERR_ARGUMENT ? CHILD_OK : CHILD_BAD;
}

static int child_number(void) {
    static struct record record;
    size_t wanted = strtoul(getenv("GELU_NUM_THREADS"), NULL, 10), want = HAVE_OPENMP ? wanted : 1;
    bool ok = gelu_num_threads() == want && gelu_num_threads_status() == GELU_OK;
    if (want <= 16) ok = ok && run(want, &record) == want;
    setenv("GELU_NUM_THREADS", "none", 1); /* read once */
    ok = ok && gelu_set_num_threads(1) == GELU_OK && gelu_num_threads() == 1;
    ok = ok && gelu_set_num_threads(0) == GELU_OK && gelu_num_threads() == want;
    return ok && gelu_num_threads_status() == GELU_OK ? CHILD_OK : CHILD_BAD;
}

static const struct {
    const char *role;
    int (*run)(void);
} roles[] = {{"garbage", child_garbage}, {"number", child_number}, {"forks-first", child_forks_first}};

static void expect_child(const char *role, const char *number) {
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (number) setenv("GELU_NUM_THREADS", number, 1);
        execl("/proc/self/exe", "test_parallel", role, (char *)NULL);
        _exit(127);
    }
    int code = wait_for(pid);
    if (code != CHILD_OK) fail_msg("%s with GELU_NUM_THREADS=%s: %d", role, number ? number : "(unset)", code);
}

static void environment_variable(void **state) {
    (void)state;
    static const char *const garbage[] = {"",
                                          "0",
                                          "00",
                                          "-1",
                                          "+2",
                                          "two",
                                          "2 ",
                                          " 2",
                                          "2.0",
                                          "0x2",
                                          "1025",
                                          "4294967297",
                                          "2,2",
                                          "1e1",
                                          "max",
                                          "2\n3",
                                          "99999",
                                          "2147483648",
                                          "18446744073709551617"};
    static const char *const numbers[] = {"1", "2", "3", "16", "003", "1000", "1024"};
    for (size_t i = 0; i < sizeof garbage / sizeof garbage[0]; i++) expect_child("garbage", garbage[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) expect_child("number", numbers[i]);
    expect_child("forks-first", NULL);
}

int main(int argc, char **argv) {
    for (size_t i = 0; argc > 1 && i < sizeof roles / sizeof roles[0]; i++)
        if (strcmp(argv[1], roles[i].role) == 0) return roles[i].run();
    unsetenv("GELU_NUM_THREADS");
    errno = 12345;
    (void)gelu_parallel_threads();
    first_errno = errno;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errno_of_the_first_question),
        cmocka_unit_test(number_of_threads),
        cmocka_unit_test(every_task_runs_once),
        cmocka_unit_test(host_environment),
        cmocka_unit_test(serial_within_a_parallel_region),
        cmocka_unit_test(several_callers_at_once),
        cmocka_unit_test(forked_child),
        cmocka_unit_test(environment_variable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
