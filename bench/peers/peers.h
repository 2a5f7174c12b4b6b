/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#ifndef GELU_PEERS_H
#define GELU_PEERS_H

#include <stdbool.h>
#include <stddef.h>

#include "gelu.h"

typedef void peer_call(size_t n, const float *x, const float *dy, float *y);

typedef struct {
    char name[64];
    gelu_act act;
    bool backward; /* dx from x and dy; otherwise y from x, and dy is NULL */
    peer_call *call;
} peer;

enum { MAX_PEERS = 64 };

typedef struct {
    size_t n;
    peer peer[MAX_PEERS];
} peer_list;

void peer_add(peer_list *list, const char *name, gelu_act act, bool backward, peer_call *call);

/* One for each library: adds what it has. */
void peers_of_libm(peer_list *list);
void peers_of_libmvec(peer_list *list);
void peers_of_sleef(peer_list *list);
void peers_of_onednn(peer_list *list);
void peers_of_mkl(peer_list *list);

/* The largest error of each forward peer, in units in the last place of the exact value, over every stride-th float of
 * each of these ranges. The exact value is gelu_forward_f64, whose own error does not show at this width. */
enum { N_RANGES = 5 };
extern const char *const range_names[N_RANGES];
void measure_accuracy(const peer_list *list, unsigned stride, double worst[][N_RANGES]);

#endif
