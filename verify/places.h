/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Which inputs a sweep visits: a list of blocks, each of which any thread can fill by its number alone. */
#ifndef GELU_VERIFY_PLACES_H
#define GELU_VERIFY_PLACES_H

#include <stdbool.h>

#include "gelu.h"

enum { PLACES_BLOCK = 4096 };

typedef struct {
    gelu_act act;
    gelu_dtype dtype;
    uint64_t stride;  /* every stride-th pattern; 0: samples */
    uint64_t samples; /* with stride 0 */
    uint64_t regular_blocks, blocks;
    size_t block;     /* patterns in a full block */
    size_t n_centres; /* patterns in the middle of a neighbourhood; the last blocks are theirs, one each */
    uint64_t centres[160];
} input_plan;

/* stride 0: samples of an f32 or f64 function. */
void places_plan(gelu_act act, gelu_dtype dtype, uint64_t stride, uint64_t samples, input_plan *plan);

/* Bit patterns of the inputs in a block, at most PLACES_BLOCK; returns how many. No input comes twice, except that
 * samples may repeat. */
size_t places_fill(const input_plan *plan, uint64_t block, uint64_t *patterns);

/* For each input a random bit pattern of the same type, which is a function of the input's: dy of backward. */
void places_fill_factors(gelu_dtype dtype, size_t n, const uint64_t *patterns, uint64_t *factors);

/* Whether x is within 2^-10 of a root of the order-th derivative (1 or 2). */
bool places_near_root(gelu_act act, int order, double x);

#endif
