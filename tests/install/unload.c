/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* unload LIBRARY: a host that loads the library, computes in several threads, unloads it and goes on: threads that
 * OpenMP keeps must not be left without their code, nor a fork call what is gone. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <gelu.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 1 << 20, TIMES = 5 };
static float x[COUNT], y[COUNT];

static gelu_status (*set_num_threads)(size_t n);
static void (*forward)(gelu_act act, size_t n, const float *x, float *y);

static int find(void *library, const char *name, void *function) {
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol); /* ISO C has no cast from an object to a function */
    return symbol != NULL;
}

static int fork_and_wait(void) {
    int status;
    pid_t pid = fork();
    if (pid == 0) _exit(0);
    return waitpid(pid, &status, 0) == pid && status == 0;
}

int main(int argc, char **argv) {
    const struct timespec pause = {.tv_nsec = 20000000};
    for (int i = 0; i < TIMES; i++) {
        void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
        if (!library || !find(library, "gelu_set_num_threads", &set_num_threads) ||
            !find(library, "gelu_forward_f32", &forward)) {
            printf("%s\n", dlerror());
            return 2;
        }
        gelu_status status = set_num_threads(4);
        if (status == GELU_ERR_UNSUPPORTED) printf("one thread only: built without OpenMP\n");
        for (int j = 0; j < COUNT; j++) x[j] = 1;
        forward(GELU_ERF, COUNT, x, y);
        if (y[0] != 0x1.aec4bep-1f || y[COUNT - 1] != y[0]) return 1;
        dlclose(library);
        if (!fork_and_wait()) return 1;
        nanosleep(&pause, NULL); /* long enough for OpenMP's threads to fall asleep, or fall over */
    }
    return 0;
}
