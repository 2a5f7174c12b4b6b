/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* linear_peers [THREADS [SECONDS [SHAPE [NAME]]]]: Linear and every matrix product that was found, in Markdown. SECONDS
 * is for the whole run, about; each case takes one round at least. SHAPE is as in `gelu bench linear` (all:
 * the models'). Only those run whose name contains an item of the list NAME. */

#define _GNU_SOURCE

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer.h"
#include "linear.h"

/* What these libraries read from the environment when they are loaded: so it is set, and the program begins again. */
static void set_environment(char **argv, const char *threads) {
    if (getenv("GELU_PEERS_ENVIRONMENT")) return;
    static const char *const counts[] = {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS"};
    for (int i = 0; i < 3; i++) setenv(counts[i], threads, 1);
    setenv("GOMP_SPINCOUNT", "20000", 1); /* where others have the processor, to spin for long is to wait for oneself */
    setenv("LD_LIBRARY_PATH", PEERS_LIBRARY_PATH, 1);
    setenv("OCL_ICD_FILENAMES", PEERS_OPENCL, 1);
    setenv("GELU_PEERS_ENVIRONMENT", "set", 1);
    execv("/proc/self/exe", argv);
    perror("/proc/self/exe");
    exit(1);
}

/* For libraries that ask for nothing but how many processors they may use. */
static void bind_to(unsigned threads) {
    cpu_set_t may, set;
    if (sched_getaffinity(0, sizeof may, &may)) return;
    CPU_ZERO(&set);
    for (int i = 0; i < CPU_SETSIZE && (unsigned)CPU_COUNT(&set) < threads; i++)
        if (CPU_ISSET(i, &may)) CPU_SET(i, &set);
    sched_setaffinity(0, sizeof set, &set);
}

bool linear_module(linear_peer *out, const char *path, char *why) {
    bool (*open)(linear_peer *, char *) = NULL;
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (module) *(void **)&open = dlsym(module, "linear_open");
    if (open) return open(out, why);
    snprintf(why, LINEAR_WHY, "%s", dlerror());
    return false;
}

/* Whether the name contains one of the items of the list. */
static bool is_wanted(const char *name, const char *list) {
    for (;; list++) {
        char item[64];
        size_t length = strcspn(list, ",");
        snprintf(item, sizeof item, "%.*s", (int)length, list);
        if (strstr(name, item)) return true;
        list += length;
        if (!*list) return false;
    }
}

static void *nothing(void *library, const linear_case *c) {
    (void)library, (void)c;
    return NULL;
}

static void add(linear_list *list, bool found, const char *wanted, const char *why) {
    linear_peer *peer = &list->peer[list->n];
    if (!found)
        printf("skipped: %s\n", why);
    else if (list->n + 1 < MAX_LINEAR_PEERS && is_wanted(peer->name, wanted))
        list->n++;
}

static void list_peers(linear_list *list, unsigned threads, const char *wanted) {
    char why[LINEAR_WHY], modules[] = PEERS_MODULES;
    list->n = list->n_own = 3;
    for (size_t p = 0; p < list->n_own; p++) {
        linear_gelu(&list->peer[p], threads, (linear_own)p);
        if (!is_wanted(list->peer[p].name, wanted)) list->peer[p].prepare = nothing;
    }
    add(list, linear_openblas(&list->peer[list->n], threads, why), wanted, why);
    add(list, linear_blis(&list->peer[list->n], threads, why), wanted, why);
    if (!*modules) printf("skipped: oneDNN: no dnnl.h and libdnnl (Debian: libdnnl-dev, or GELU_PEERS_DNNL)\n");
    for (char *path = strtok(modules, ":"); path; path = strtok(NULL, ":"))
        add(list, linear_module(&list->peer[list->n], path, why), wanted, why);
}

int main(int argc, char **argv) {
    int threads = argc > 1 ? atoi(argv[1]) : 1;
    double seconds = argc > 2 ? atof(argv[2]) : 240;
    const char *shape = argc > 3 ? argv[3] : "all", *wanted = argc > 4 ? argv[4] : "";
    if (threads < 1) {
        fprintf(stderr, "linear_peers: '%s' is no number of threads\n", argv[1]);
        return 2;
    }
    set_environment(argv, argc > 1 ? argv[1] : "1");
    bind_to((unsigned)threads);
    static linear_list list;
    list_peers(&list, (unsigned)threads, wanted);
    bench_shape one;
    bool all = !strcmp(shape, "all");
    if (!all && !bench_shape_from_name(shape, &one)) {
        fprintf(stderr, "linear_peers: unknown shape '%s'\n", shape);
        return 2;
    }
    static linear_row rows[MAX_LINEAR_ROWS];
    size_t n = 0;
    for (size_t i = 0; all ? bench_shape_at(i) != NULL : i < 1; i++) {
        const bench_shape *each = all ? bench_shape_at(i) : &one;
        /* Other layouts are the same products for all but libgelu's own dw. */
        if (each->layout == GELU_OUT_IN) n += linear_cases(each, rows + n);
    }
    linear_measure(&list, (unsigned)threads, seconds, n, rows);
    linear_print(&list, (unsigned)threads, n, rows);
    return 0;
}
