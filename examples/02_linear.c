/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* A Linear layer and GELU, with PyTorch's own random weights and inputs. The same in PyTorch:
 *
 *     torch.manual_seed(42)
 *     layer = nn.Linear(5, 3)
 *     x = torch.randn(2, 5)
 *     y = F.gelu(layer(x))
 *     print(y.detach().numpy())
 */
#include <stdio.h>

#include <gelu.h>
#include <gelu_io.h>

enum { ROWS = 2, IN = 5, OUT = 3 };

int main(void) {
    /* The order of the draws is PyTorch's: first the layer (weight, then bias), then the input. */
    float weight[OUT * IN], bias[OUT], x[ROWS * IN];
    gelu_rng rng;
    gelu_manual_seed(&rng, 42);
    if (gelu_linear_init_f32(&rng, IN, OUT, weight, bias) != GELU_OK) return 1;
    gelu_randn_f32(&rng, ROWS * IN, x);

    /* A layer packs its weights once and is then used for any number of batches. PyTorch stores a weight as
     * (out, in), GPT-2's Conv1D as (in, out): the layout is always said. */
    gelu_weights weights = {.dtype = GELU_F32, .layout = GELU_OUT_IN, .weight = weight, .bias = bias};
    gelu_linear *layer;
    gelu_status status = gelu_linear_create(IN, OUT, &weights, GELU_COMPUTE_F32, &layer);
    if (status != GELU_OK) {
        fprintf(stderr, "gelu_linear_create: %s\n", gelu_status_string(status));
        return 1;
    }

    /* GELU runs as the epilogue of the product: no second pass over y. IN and OUT are the leading dimensions, the
     * distances between rows in elements. */
    float y[ROWS * OUT];
    gelu_epilogue epilogue = {.act = GELU_ERF};
    status = gelu_linear_forward(layer, ROWS, GELU_F32, x, IN, &epilogue, GELU_F32, y, OUT, NULL);
    gelu_linear_free(layer);
    if (status != GELU_OK) {
        fprintf(stderr, "gelu_linear_forward: %s\n", gelu_status_string(status));
        return 1;
    }

    size_t shape[2] = {ROWS, OUT};
    char *text;
    if (gelu_format_numpy(GELU_F32, 2, shape, y, NULL, &text) != GELU_OK) return 1;
    puts(text);
    gelu_text_free(text);
    printf("shape: (%d, %d)\n", ROWS, OUT);
    return 0;
}
