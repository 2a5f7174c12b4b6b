/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* GELU on five numbers. The same in PyTorch:
 *
 *     x = torch.tensor([-3.0, 2.5, 0.0, 4.0, -1.2])
 *     y = F.gelu(x)
 *     print(y.numpy())
 */
#include <stdio.h>

#include <gelu.h>
#include <gelu_io.h>

int main(void) {
    float x[5] = {-3.0f, 2.5f, 0.0f, 4.0f, -1.2f};
    float y[5];

    /* Which GELU is meant is always said: GELU_ERF is x * Phi(x), PyTorch's default; GELU_TANH is its
     * approximate="tanh". Each result is the exact value, rounded once. This call cannot fail. */
    gelu_forward_f32(GELU_ERF, 5, x, y);

    /* As NumPy prints it. Calls that can fail return a gelu_status. */
    size_t shape[1] = {5};
    char *text;
    if (gelu_format_numpy(GELU_F32, 1, shape, y, NULL, &text) != GELU_OK) return 1;
    puts(text);
    gelu_text_free(text);
    return 0;
}
