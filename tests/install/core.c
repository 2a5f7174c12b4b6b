/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* A program that uses libgelu without libgelu-io: succeeds when GELU(1) has the right bits. */
#include <gelu.h>
#include <stdint.h>
#include <string.h>

int main(void) {
    float x = 1, y;
    uint32_t bits;
    gelu_forward_f32(GELU_ERF, 1, &x, &y);
    memcpy(&bits, &y, sizeof bits);
    return bits != 0x3f57625f;
}
