/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The loops of kernel_list.inc over the formulas. Parameter: the vector vocabulary (after estimate.inc.h and
 * rounding.inc.h). An output may be an input: elements are read before they are written. The last, shorter step goes
 * through a padded copy and the same formula, so that position never matters. */
#include <string.h>

#define PADDED_COPY(type, from, count)                                                                                 \
    gelu_##type from##_padded[V64_LANES] = {0};                                                                        \
    memcpy(from##_padded, from + i, (count) * sizeof *from);

#define UNARY_LOOP(name, formula, in, out)                                                                             \
    static void name(size_t n, const gelu_##in *x, gelu_##out *y) {                                                    \
        size_t i = 0;                                                                                                  \
        for (; n - i >= V64_LANES; i += V64_LANES) store_##out(y + i, formula(load_##in(x + i)));                      \
        if (i == n) return;                                                                                            \
        PADDED_COPY(in, x, n - i)                                                                                      \
        gelu_##out y_padded[V64_LANES];                                                                                \
        store_##out(y_padded, formula(load_##in(x_padded)));                                                           \
        memcpy(y + i, y_padded, (n - i) * sizeof *y);                                                                  \
    }

#define BINARY_LOOP(name, formula, first, type)                                                                        \
    static void name(size_t n, const gelu_##first *x, const gelu_##type *dy, gelu_##type *dx) {                        \
        size_t i = 0;                                                                                                  \
        for (; n - i >= V64_LANES; i += V64_LANES)                                                                     \
            store_##type(dx + i, formula(load_##first(x + i), load_##type(dy + i)));                                   \
        if (i == n) return;                                                                                            \
        PADDED_COPY(first, x, n - i)                                                                                   \
        PADDED_COPY(type, dy, n - i)                                                                                   \
        gelu_##type dx_padded[V64_LANES];                                                                              \
        store_##type(dx_padded, formula(load_##first(x_padded), load_##type(dy_padded)));                              \
        memcpy(dx + i, dx_padded, (n - i) * sizeof *dx);                                                               \
    }

/* act##_##operation##_to_##out(x): the exact value rounded once to a format, as a double. The double-double formula
 * always can; where there is an estimate, it decides unless a rounding boundary lies within its error. Then, and for
 * NaN, the formula does. */
#define EXACT(act, operation, out)                                                                                     \
    GELU_INLINE v64 act##_##operation##_to_##out(v64 x) { return round_to_##out(round_odd(act##_##operation(x))); }
#define EXACT_f64(act, operation)                                                                                      \
    GELU_INLINE v64 act##_##operation##_to_f64(v64 x) { return round_f64(act##_##operation(x)); }
#define ESTIMATED(act, operation, out)                                                                                 \
    GELU_INLINE v64 act##_##operation##_to_##out(v64 x) {                                                              \
        estimate guess = act##_##operation##_estimate(x);                                                              \
        guess.value = v64_select(v64_is_nan(x), x, guess.value);                                                       \
        v64 decided = round_to_##out(guess.value - guess.error);                                                       \
        m64 sure = v64_equal(decided, round_to_##out(guess.value + guess.error));                                      \
        if (__builtin_expect(m64_all(sure), 1)) return decided;                                                        \
        return v64_select(sure, decided, round_to_##out(round_odd(act##_##operation(x))));                             \
    }
#define FORMULAS(act)                                                                                                  \
    ESTIMATED(act, forward, f32)                                                                                       \
    ESTIMATED(act, forward, f16)                                                                                       \
    ESTIMATED(act, forward, bf16)                                                                                      \
    ESTIMATED(act, grad, f32)                                                                                          \
    ESTIMATED(act, grad, f16)                                                                                          \
    ESTIMATED(act, grad, bf16)                                                                                         \
    EXACT(act, grad2, f32)                                                                                             \
    EXACT_f64(act, forward) EXACT_f64(act, grad) EXACT_f64(act, grad2)

FORMULAS(identity)
FORMULAS(relu)
FORMULAS(erf)
FORMULAS(tanh)
FORMULAS(quick)
FORMULAS(silu)
FORMULAS(elu)

/* backward multiplies in f32, f64 in f64. The product of two f32 is exact in double, so that the store is its only
 * rounding. Which of two NaN it returns must not be up to the compiler. */
GELU_INLINE v64 multiply_formula(v64 slope, v64 dy) {
    return quiet_nan(v64_select(v64_is_nan(slope), slope, dy * slope));
}

#define PRODUCT_FORMULAS(act)                                                                                          \
    GELU_INLINE v64 act##_backward_f32(v64 x, v64 dy) { return multiply_formula(act##_grad_to_f32(x), dy); }           \
    GELU_INLINE v64 act##_backward_f64(v64 x, v64 dy) { return multiply_formula(act##_grad_to_f64(x), dy); }

PRODUCT_FORMULAS(identity)
PRODUCT_FORMULAS(erf)
PRODUCT_FORMULAS(tanh)
PRODUCT_FORMULAS(quick)
PRODUCT_FORMULAS(silu)
PRODUCT_FORMULAS(elu)

/* RELU selects: 0 * inf must not become NaN. */
GELU_INLINE v64 relu_backward_f64(v64 x, v64 dy) {
    v64 selected = v64_select(v64_less(v64_set(0), x), dy, v64_set(0));
    return quiet_nan(v64_select(v64_is_nan(x), x, selected));
}
#define relu_backward_f32 relu_backward_f64

GELU_INLINE v64 convert_formula(v64 x) { return quiet_nan(x); }
