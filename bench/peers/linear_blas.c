/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* OpenBLAS and BLIS have functions of the same names, so each is loaded where the other does not see it. */

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linear.h"

/* The CBLAS interface. */
enum { ROW_MAJOR = 101, AS_IS = 111, TRANSPOSED = 112 };
typedef void sgemm_function(int order, int transa, int transb, int m, int n, int k, float alpha, const float *a,
                            int lda, const float *b, int ldb, float beta, float *c, int ldc);

typedef struct {
    sgemm_function *sgemm;
    linear_case c;
} blas_job;

static void *prepare(void *library, const linear_case *c) {
    if (c->pass == LINEAR_GELU || c->dtype != GELU_F32) return NULL;
    blas_job *job = malloc(sizeof *job);
    if (job) *job = (blas_job){.c = *c};
    if (job) *(void **)&job->sgemm = library;
    return job;
}

static void run(void *job, size_t times) {
    sgemm_function *sgemm = ((blas_job *)job)->sgemm;
    const linear_case *c = &((blas_job *)job)->c;
    int rows = (int)c->rows, in = (int)c->in, out = (int)c->out;
    for (size_t i = 0; i < times; i++) {
        if (c->pass == LINEAR_PLAIN) {
            sgemm(ROW_MAJOR, AS_IS, TRANSPOSED, rows, out, in, 1, c->x, in, c->w, in, 0, c->y, out);
        } else {
            sgemm(ROW_MAJOR, AS_IS, AS_IS, rows, in, out, 1, c->dy, out, c->w, in, 0, c->dx, in);
            sgemm(ROW_MAJOR, TRANSPOSED, AS_IS, out, in, rows, 1, c->dy, out, c->x, in, 0, c->dw, in);
        }
    }
}

static void results(void *job) {
    const linear_case *c = &((blas_job *)job)->c;
    const float *b = c->b;
    float *y = c->y;
    for (size_t i = 0; c->pass == LINEAR_PLAIN && i < c->rows * c->out; i++) y[i] += b[i % c->out];
}

/* The library, or NULL. */
static void *open_blas(linear_peer *out, const char *file, char *why) {
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        snprintf(why, LINEAR_WHY, "%s", dlerror());
        return NULL;
    }
    *out = (linear_peer){.prepare = prepare, .run = run, .results = results, .release = free};
    out->library = dlsym(handle, "cblas_sgemm");
    if (out->library) return handle;
    snprintf(why, LINEAR_WHY, "%s has no cblas_sgemm", file);
    return NULL;
}

bool linear_openblas(linear_peer *out, unsigned threads, char *why) {
    void *library = open_blas(out, "libopenblas.so.0", why);
    if (!library) return false;
    char *(*config)(void);
    void (*set_threads)(int);
    *(void **)&config = dlsym(library, "openblas_get_config");
    *(void **)&set_threads = dlsym(library, "openblas_set_num_threads");
    if (set_threads) set_threads((int)threads);
    const char *name = config ? config() : "OpenBLAS"; /* "OpenBLAS 0.3.21 NO_LAPACKE ..." */
    int length = (int)strcspn(name, " ");
    if (name[length]) length += 1 + (int)strcspn(name + length + 1, " ");
    snprintf(out->name, sizeof out->name, "%.*s", length, name);
    return true;
}

bool linear_blis(linear_peer *out, unsigned threads, char *why) {
    void *library = open_blas(out, "libblis.so.4", why);
    if (!library) return false;
    const char *(*version)(void);
    void (*set_threads)(int64_t);
    *(void **)&version = dlsym(library, "bli_info_get_version_str");
    *(void **)&set_threads = dlsym(library, "bli_thread_set_num_threads");
    if (set_threads) set_threads(threads);
    snprintf(out->name, sizeof out->name, "BLIS %.30s", version ? version() : "");
    return true;
}
