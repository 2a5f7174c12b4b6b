/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The bf16 product of every kernel table against the naive rule, where there is no cmocka: a machine whose flush to zero
 * decides before rounding must not show it. */
#include <stdio.h>
#include <stdlib.h>
#include "dispatch/dispatch.h"
#include "kernels/bf16_layout.h"
#include "unit/naive_bf16.h"

enum { ROWS = 11, COLS = 45, DEPTH = 300, MOST = 64 * 320 };

static uint16_t x[ROWS * DEPTH], w[COLS * DEPTH];
static _Alignas(64) uint16_t packed_w[MOST];
static _Alignas(64) float packed_x[MOST];
static float bias[COLS], got[ROWS * COLS], want[ROWS * COLS];

static void fill(size_t n, enum naive_bf16_data data, uint16_t *out) {
    for (size_t i = 0; i < n; i++) out[i] = (uint16_t)(naive_bf16_random(data) >> 16);
}

static size_t compare(const char *what) {
    size_t wrong = 0;
    for (size_t i = 0; i < ROWS * COLS; i++)
        wrong += memcmp(&got[i], &want[i], sizeof *got) != 0 && !(isnan(got[i]) && isnan(want[i]));
    if (wrong > 0) fprintf(stderr, "bf16: %s, %s: %zu of %d differ\n", gelu_isa_name(), what, wrong, ROWS * COLS);
    return wrong;
}

int main(void) {
    static const char *const names[DATA_KINDS] = {"plain", "tiny", "any", "finite"};
    size_t wrong = 0, tiny = 0, least = 0;
    for (int round = 0; round < 3; round++)
        for (int data = 0; data < DATA_KINDS; data++) {
            fill(ROWS * DEPTH, (enum naive_bf16_data)data, x);
            fill(COLS * DEPTH, (enum naive_bf16_data)data, w);
            for (size_t n = 0; n < COLS; n++) {
                uint32_t bits =
                    naive_bf16_random((enum naive_bf16_data)data) & (data == TINY ? 0x80ffffff : 0xffffffff);
                memcpy(&bias[n], &bits, sizeof *bias);
            }
            /* One pair of products whose sum rounds up to the least normal number, and one just too small for that. */
            for (size_t m = 0; data == TINY && m < ROWS; m++) {
                memset(x + m * DEPTH, 0, DEPTH * sizeof *x);
                x[m * DEPTH] = 0x2000, x[m * DEPTH + 2] = 0x1a00; /* 2^-63, 2^-75 */
                if (m % 2) fill(DEPTH, TINY, x + m * DEPTH);
            }
            for (size_t n = 0; data == TINY && n < COLS; n++) {
                w[n * DEPTH] = 0x2000, w[n * DEPTH + 2] = n % 2 ? 0x9980 : 0x9a00; /* 2^-63, -2^-76 or -2^-75 */
                bias[n] = 0;
            }
            for (size_t m = 0; m < ROWS; m++)
                for (size_t n = 0; n < COLS; n++) {
                    float sum = naive_bf16_sum(DEPTH, x + m * DEPTH, w + n * DEPTH, 1, bias[n]);
                    want[m * COLS + n] = sum;
                    tiny += data == TINY && sum == 0;
                    least += data == TINY && sum == FLT_MIN;
                }
            bf16_pack_weights(COLS, DEPTH, w, DEPTH, 1, packed_w);
            for (size_t i = 0; gelu_isa_available(i); i++) {
                if (gelu_isa_select(gelu_isa_available(i)) != GELU_OK) return 1;
                gelu_dispatch()->bf16_pack_rows(ROWS, DEPTH, x, DEPTH, packed_x);
                gelu_dispatch()->bf16_product(ROWS, COLS, DEPTH, packed_x, packed_w, bias, got, COLS);
                wrong += compare(names[data]);
            }
        }
    printf("bf16: %zu results differ; %zu sums flushed, %zu at the least normal number\n", wrong, tiny, least);
    return wrong > 0 || tiny < 100 || least < 100;
}
