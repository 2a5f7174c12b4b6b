/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Choosing the instruction set. What happens at the first use can be seen once per process only, so those tests run this
 * program again, as a child with an environment and a role of its own. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "unit/act_ops.h"

enum { THREADS = 8, COUNT = 1000, CHILD_OK = 0, CHILD_BAD = 1 };

static bool is_available(const char *name) {
    for (size_t i = 0; gelu_isa_available(i); i++)
        if (strcmp(gelu_isa_available(i), name) == 0) return true;
    return false;
}

static bool computes(void) {
    const float x[3] = {1, -1, -5.5f};
    float y[3];
    gelu_forward_f32(GELU_ERF, 3, x, y);
    return bits_of_f32(y[0]) == 0x3f57625f && bits_of_f32(y[1]) == 0xbe227686 && bits_of_f32(y[2]) == 0xb3e049ec;
}

static int child_unknown(void) {
    if (gelu_isa_status() != GELU_ERR_ISA || strcmp(gelu_isa_name(), "scalar") != 0) return CHILD_BAD;
    return computes() && gelu_isa_status() == GELU_ERR_ISA ? CHILD_OK : CHILD_BAD;
}

/* The same, with a computation as the very first call. */
static int child_unknown_computes_first(void) { return computes() ? child_unknown() : CHILD_BAD; }

static int child_scalar(void) {
    bool ok = gelu_isa_status() == GELU_OK && strcmp(gelu_isa_name(), "scalar") == 0 && computes();
    return ok ? CHILD_OK : CHILD_BAD;
}

static int child_automatic(void) {
    bool ok = computes() && gelu_isa_status() == GELU_OK && strcmp(gelu_isa_name(), gelu_isa_available(0)) == 0;
    return ok ? CHILD_OK : CHILD_BAD;
}

struct worker {
    pthread_barrier_t *start;
    float y[COUNT];
    const char *name;
};

static void *first_call(void *argument) {
    struct worker *w = argument;
    float x[COUNT];
    for (size_t i = 0; i < COUNT; i++) x[i] = (float)i * 0.0625f - 30;
    pthread_barrier_wait(w->start);
    gelu_forward_f32(GELU_TANH, COUNT, x, w->y);
    w->name = gelu_isa_name();
    return NULL;
}

static int child_threads(void) {
    static struct worker workers[THREADS];
    pthread_t threads[THREADS];
    pthread_barrier_t start;
    if (pthread_barrier_init(&start, NULL, THREADS) != 0) return CHILD_BAD;
    for (int i = 0; i < THREADS; i++) {
        workers[i].start = &start;
        if (pthread_create(&threads[i], NULL, first_call, &workers[i]) != 0) return CHILD_BAD;
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 1; i < THREADS; i++)
        if (memcmp(workers[0].y, workers[i].y, sizeof workers[0].y) != 0 ||
            strcmp(workers[0].name, workers[i].name) != 0)
            return CHILD_BAD;
    return bits_of_f32(workers[0].y[496]) == 0x3f57585c ? CHILD_OK : CHILD_BAD; /* x = 1 */
}

static const struct {
    const char *role;
    int (*run)(void);
} roles[] = {{"unknown", child_unknown},
             {"unknown-computes-first", child_unknown_computes_first},
             {"scalar", child_scalar},
             {"automatic", child_automatic},
             {"threads", child_threads}};

static void expect_child(const char *role, const char *force) {
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (force)
            setenv("GELU_FORCE_ISA", force, 1);
        else
            unsetenv("GELU_FORCE_ISA");
        execl("/proc/self/exe", "test_isa", role, (char *)NULL);
        _exit(127);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != CHILD_OK)
        fail_msg("%s under GELU_FORCE_ISA=%s: wait status 0x%x", role, force ? force : "(unset)", (unsigned)status);
}

static void forced_by_the_environment(void **state) {
    (void)state;
    static const char *const unknown[] = {"nope", "avx1024", "SCALAR", "scalar ", "scalars", "scala"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        expect_child("unknown", unknown[i]);
        expect_child("unknown-computes-first", unknown[i]);
    }
    expect_child("scalar", "scalar");
    expect_child("automatic", NULL);
}

/* A race is a matter of luck: give it some chances. */
static void first_call_from_eight_threads(void **state) {
    (void)state;
    for (int i = 0; i < (TEST_SANITIZED ? 5 : 30); i++) expect_child("threads", i % 3 == 0 ? "scalar" : NULL);
    expect_child("threads", "nope");
}

static void list_of_available(void **state) {
    (void)state;
    size_t count = 0;
    while (gelu_isa_available(count)) {
        for (size_t i = 0; i < count; i++) assert_string_not_equal(gelu_isa_available(i), gelu_isa_available(count));
        count++;
        assert_true(count < 100);
    }
    assert_true(count >= 1);
    assert_string_equal(gelu_isa_available(count - 1), "scalar"); /* best first, so scalar is last */
    assert_null(gelu_isa_available(count + 1));
    assert_null(gelu_isa_available(SIZE_MAX));
    assert_true(is_available(gelu_isa_name()));
}

static void selection(void **state) {
    (void)state;
    static float x[COUNT], want[COUNT], got[COUNT];
    assert_int_equal(gelu_isa_select(NULL), GELU_OK);
    char automatic[64];
    snprintf(automatic, sizeof automatic, "%s", gelu_isa_name());
    fill_random(GELU_F32, COUNT, 9, x);
    gelu_forward_f32(GELU_ERF, COUNT, x, want);
    static const char *const refused[] = {"", "nope", "SCALAR", "scalar ", "scala", "avx"};
    for (size_t i = 0; gelu_isa_available(i); i++) {
        const char *name = gelu_isa_available(i);
        assert_int_equal(gelu_isa_select(name), GELU_OK);
        assert_string_equal(gelu_isa_name(), name);
        gelu_forward_f32(GELU_ERF, COUNT, x, got);
        assert_memory_equal(got, want, sizeof want);
        for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
            assert_int_equal(gelu_isa_select(refused[k]), GELU_ERR_ISA);
            assert_string_equal(gelu_isa_name(), name);
        }
    }
    assert_int_equal(gelu_isa_select(NULL), GELU_OK);
    assert_string_equal(gelu_isa_name(), automatic);
}

int main(int argc, char **argv) {
    for (size_t i = 0; argc > 1 && i < sizeof roles / sizeof roles[0]; i++)
        if (strcmp(argv[1], roles[i].role) == 0) return roles[i].run();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forced_by_the_environment),
        cmocka_unit_test(first_call_from_eight_threads),
        cmocka_unit_test(list_of_available),
        cmocka_unit_test(selection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
