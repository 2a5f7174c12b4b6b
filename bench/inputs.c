/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "gelu_io.h"

static const bench_input named[] = {
    {BENCH_NORMAL, 0, 1, "normal"},  {BENCH_POSITIVE, 0, 1, "positive"},   {BENCH_RANGE, -14, -6, "tail"},
    {BENCH_RANGE, -3, 3, "uniform"}, {BENCH_SUBNORMAL, 0, 0, "subnormal"}, {BENCH_BITS, 0, 0, "bits"},
};

static bool parse_number(const char *text, size_t length, double *out) {
    char number[32];
    if (length >= sizeof number) return false;
    memcpy(number, text, length);
    number[length] = '\0';
    return gelu_parse_value(GELU_F64, number, out) == GELU_OK && *out >= -1e30 && *out <= 1e30;
}

bool bench_input_from_name(const char *text, bench_input *out) {
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (!strcmp(text, named[i].name)) {
            *out = named[i];
            return true;
        }
    bench_input input = {0};
    if (strlen(text) >= sizeof input.name) return false;
    strcpy(input.name, text);
    if (!strncmp(text, "sigma=", 6)) {
        input.kind = BENCH_NORMAL;
        if (!parse_number(text + 6, strlen(text + 6), &input.b) || input.b <= 0) return false;
    } else if (!strncmp(text, "range=", 6)) {
        const char *colon = strchr(text, ':');
        input.kind = BENCH_RANGE;
        if (!colon || !parse_number(text + 6, (size_t)(colon - text - 6), &input.a) ||
            !parse_number(colon + 1, strlen(colon + 1), &input.b) || input.a > input.b)
            return false;
    } else {
        return false;
    }
    *out = input;
    return true;
}

/* Enough that no branch predictor learns them; the rest of a longer array repeats them. */
enum { DRAWN = 1 << 20 };

static uint64_t random_bits(gelu_rng *rng, gelu_dtype dtype, bool subnormal) {
    static const int fraction_bits[BENCH_N_DTYPES] = {0, 23, 52, 10, 7};
    uint64_t bits = gelu_random_u32(rng);
    if (dtype == GELU_F64) bits = bits << 32 | gelu_random_u32(rng);
    if (!subnormal) return bits;
    int width = 8 * (int)gelu_dtype_nbytes(dtype);
    uint64_t sign = bits & (uint64_t)1 << (width - 1);
    return sign | (bits & (((uint64_t)1 << fraction_bits[dtype]) - 1));
}

static void draw_bits(gelu_rng *rng, gelu_dtype dtype, bool subnormal, size_t n, void *out) {
    size_t size = gelu_dtype_nbytes(dtype);
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = random_bits(rng, dtype, subnormal);
        memcpy((char *)out + i * size, &bits, size); /* little endian */
    }
}

static gelu_status draw_numbers(gelu_rng *rng, const bench_input *input, gelu_dtype dtype, size_t n, void *out) {
    float *x = malloc(n * sizeof *x);
    if (!x) return GELU_ERR_MEMORY;
    if (input->kind == BENCH_RANGE) {
        gelu_uniform_f32(rng, (float)input->a, (float)input->b, n, x);
    } else {
        gelu_randn_f32(rng, n, x);
        for (size_t i = 0; i < n; i++) {
            x[i] *= (float)input->b;
            if (input->kind == BENCH_POSITIVE && x[i] < 0) x[i] = -x[i];
        }
    }
    gelu_status status = gelu_convert(n, GELU_F32, x, dtype, out);
    free(x);
    return status;
}

gelu_status bench_input_fill(const bench_input *input, gelu_dtype dtype, size_t n, void *out) {
    gelu_rng rng;
    gelu_manual_seed(&rng, 42);
    size_t drawn = n < DRAWN ? n : DRAWN, size = gelu_dtype_nbytes(dtype);
    if (input->kind == BENCH_SUBNORMAL || input->kind == BENCH_BITS) {
        draw_bits(&rng, dtype, input->kind == BENCH_SUBNORMAL, drawn, out);
    } else {
        gelu_status status = draw_numbers(&rng, input, dtype, drawn, out);
        if (status != GELU_OK) return status;
    }
    for (size_t done = drawn; done < n; done += drawn) {
        size_t count = n - done < drawn ? n - done : drawn;
        memcpy((char *)out + done * size, out, count * size);
    }
    return GELU_OK;
}
