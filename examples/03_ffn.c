/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* A transformer's feed-forward block with all its intermediate results. In PyTorch, what prints the same:
 *
 *     torch.manual_seed(42)
 *     fc1, fc2 = nn.Linear(8, 16), nn.Linear(16, 8)
 *     torch.manual_seed(42)
 *     x = torch.randn(2, 8)
 *     with torch.no_grad():
 *         h = fc1(x)
 *         a = F.gelu(h)
 *         y = fc2(a)
 *     for name, value in ("x", x), ("h", h), ("a", a), ("y", y):
 *         print(name, "=")
 *         print(value)
 */
#include <stdio.h>

#include <gelu.h>
#include <gelu_io.h>

enum { ROWS = 2, D_MODEL = 8, D_FF = 16 };

static int print_matrix(const char *name, size_t cols, const float *data) {
    size_t shape[2] = {ROWS, cols};
    char *text;
    if (gelu_format_torch(GELU_F32, 2, shape, data, NULL, &text) != GELU_OK) return 0;
    printf("%s =\n%s\n", name, text);
    gelu_text_free(text);
    return 1;
}

int main(void) {
    float w1[D_FF * D_MODEL], b1[D_FF], w2[D_MODEL * D_FF], b2[D_MODEL], x[ROWS * D_MODEL];
    gelu_rng rng;
    gelu_manual_seed(&rng, 42);
    if (gelu_linear_init_f32(&rng, D_MODEL, D_FF, w1, b1) != GELU_OK) return 1;
    if (gelu_linear_init_f32(&rng, D_FF, D_MODEL, w2, b2) != GELU_OK) return 1;
    gelu_manual_seed(&rng, 42); /* again, so that the input does not depend on the size of the block */
    gelu_randn_f32(&rng, ROWS * D_MODEL, x);

    /* What the block is made of. For the gated blocks of LLaMA or Gemma: .gated = 1 and .up. */
    gelu_ffn_desc desc = {
        .d_model = D_MODEL,
        .d_ff = D_FF,
        .act = GELU_ERF,
        .fc1 = {.dtype = GELU_F32, .layout = GELU_OUT_IN, .weight = w1, .bias = b1},
        .fc2 = {.dtype = GELU_F32, .layout = GELU_OUT_IN, .weight = w2, .bias = b2},
    };
    gelu_ffn *ffn;
    if (gelu_ffn_create(&desc, &ffn) != GELU_OK) return 1;

    /* trace says where to leave the intermediate results; asking for them changes no bit of y. The last NULL: the
     * call allocates its own workspace. */
    float h[ROWS * D_FF], a[ROWS * D_FF], y[ROWS * D_MODEL];
    gelu_ffn_trace trace = {.h = h, .a = a};
    gelu_status status = gelu_ffn_forward(ffn, ROWS, GELU_F32, x, D_MODEL, &trace, GELU_F32, y, D_MODEL, NULL);
    gelu_ffn_free(ffn);
    if (status != GELU_OK) {
        fprintf(stderr, "gelu_ffn_forward: %s\n", gelu_status_string(status));
        return 1;
    }

    int printed = print_matrix("x", D_MODEL, x) && print_matrix("h", D_FF, h) && print_matrix("a", D_FF, a) &&
                  print_matrix("y", D_MODEL, y);
    return printed ? 0 : 1;
}
