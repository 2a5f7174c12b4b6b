/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* A program outside the project, as C and (program.cc) as C++: prints GELU of its one argument with all digits. */
#include <gelu.h>
#include <gelu_io.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    float x, y;
    char text[40];
    if (argc != 2 || gelu_parse_value(GELU_F32, argv[1], &x) != GELU_OK) return 2;
    gelu_forward_f32(GELU_ERF, 1, &x, &y);
    if (gelu_format_shortest(GELU_F32, &y, text) == 0) return 1;
    printf("%s\n", text);
    return strcmp(gelu_version(), EXPECTED_VERSION) != 0;
}
