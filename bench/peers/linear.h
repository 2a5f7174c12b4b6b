/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Linear beside the matrix products of other libraries. */
#ifndef GELU_PEERS_LINEAR_H
#define GELU_PEERS_LINEAR_H

#include <stdbool.h>
#include <stddef.h>

#include "layer.h"

typedef enum {
    LINEAR_PLAIN,    /* y = x W^T + b; a BLAS leaves b out */
    LINEAR_GELU,     /* y = gelu(x W^T + b), the erf form */
    LINEAR_BACKWARD, /* dx = dy W and dw = dy^T x; f32 only */
    N_PASSES
} linear_pass;

typedef struct {
    size_t rows, in, out;
    linear_pass pass;
    gelu_dtype dtype;           /* f32 or bf16: of every array but dw, which is f32 */
    const void *x, *w, *b, *dy; /* (rows, in), (out, in), (out), (rows, out); w is of numbers that bf16 has */
    void *y, *dx, *dw;
} linear_case;

typedef struct {
    char name[48];
    void *library; /* the first argument of prepare */
    /* A job: one case, with weights packed and results wherever the library likes them best. NULL: it has no such. */
    void *(*prepare)(void *library, const linear_case *c);
    void (*run)(void *job, size_t times);
    void (*results)(void *job); /* brings them to the arrays of the case */
    void (*release)(void *job);
} linear_peer;

typedef enum {
    GELU_PEER_EXACT,
    GELU_PEER_FAST,        /* with the fast activation, and no case without one */
    GELU_PEER_BF16_WEIGHTS /* f32 cases with their weights as bf16, which loses nothing of them */
} linear_own;

void linear_gelu(linear_peer *out, unsigned threads, linear_own which);
/* Each gives one peer, or false and a line that says why not, of at most LINEAR_WHY bytes. */
enum { LINEAR_WHY = 160 };
bool linear_openblas(linear_peer *out, unsigned threads, char *why);
bool linear_blis(linear_peer *out, unsigned threads, char *why);
/* A build of linear_onednn.c, loaded apart from others of its kind. */
bool linear_module(linear_peer *out, const char *path, char *why);

enum { MAX_LINEAR_PEERS = 16, MAX_LINEAR_ROWS = 512 };

typedef struct {
    size_t n, n_own;
    linear_peer peer[MAX_LINEAR_PEERS]; /* first the n_own of libgelu */
} linear_list;

typedef struct {
    const char *shape;
    size_t rows, in, out;
    linear_pass pass;
    gelu_dtype dtype;
    double gflops[MAX_LINEAR_PEERS]; /* 0: it does not do this */
} linear_row;

/* The cases of a shape's two products, without their speed. Returns how many. */
size_t linear_cases(const bench_shape *shape, linear_row *rows);
/* Every case, in some `seconds` altogether, but each peer at least a few times; says on stderr what it is at. Ends the
 * program when a peer's result is not the product. */
void linear_measure(const linear_list *list, unsigned threads, double seconds, size_t n, linear_row *rows);
const char *linear_title(linear_pass pass);
/* A table for each type and pass, with geometric means. */
void linear_print(const linear_list *list, unsigned threads, size_t n, const linear_row *rows);

#endif
