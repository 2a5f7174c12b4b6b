/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* One function for every entry of kernel_list.inc: which loop over which formula. Parameter: a vector vocabulary. With
 * an FMA instruction (GELU_SIMD_FMA) the smooth functions go through f32.inc.h, but for f64 and second derivatives;
 * without, doubles are faster than emulated float steps. */

#define DOUBLES(slot, operation, in, out, act) UNARY_LOOP(slot##_##act, act##_##operation##_to_##out, in, out)
#ifdef GELU_SIMD_FMA
#define FLOATS_PART(slot, operation, in, out, act)                                                                     \
    UNARY_LOOP(slot##_##act##_exact, act##_##operation##_to_##out, in, out)                                            \
    F32_EXACT_BLOCKS(slot##_##act, operation, in, out, act)                                                            \
    F32_REPAIR(slot##_##act##_repair, slot##_##act##_exact, in, out)                                                   \
    F32_PART(slot##_##act, slot##_##act##_repair, in, out)
#define FLOATS(slot, operation, in, out, act)                                                                          \
    FLOATS_PART(slot, operation, in, out, act)                                                                         \
    F32_LOOP(slot##_##act, in, out)
#else
#define FLOATS DOUBLES
#endif

/* The fast kernels: the same steps everywhere. What is cheap anyway is exact. */
#define FAST(slot, operation, in, out, act)                                                                            \
    FAST_BLOCKS(slot##_##act, act)                                                                                     \
    F32_PART(slot##_##act, f32_no_repair, in, out)                                                                     \
    F32_LOOP(slot##_##act, in, out)
#define SHORT(slot, operation, in, out, act)                                                                           \
    UNARY_LOOP(slot##_##act##_exact, act##_forward_to_##out, in, out)                                                  \
    SHORT_BLOCKS(slot##_##act, in, out, act, SHORT_TINY_##in##_##out)                                                  \
    F32_REPAIR(slot##_##act##_repair, slot##_##act##_exact, in, out)                                                   \
    F32_PART(slot##_##act, slot##_##act##_repair, in, out)                                                             \
    F32_LOOP(slot##_##act, in, out)
#define SHORT_TINY_bf16_bf16 f32_tiny_bf16
#define SHORT_TINY_f16_f16 f32_never_tiny
#define SHORT_TINY_f32_f16 f32_never_tiny
#define SHORT_TINY_f32_bf16 f32_never_tiny
#ifdef GELU_SIMD_FMA
#define SHORTS SHORT
#else
#define SHORTS DOUBLES
#endif
#define elu_fast_to_f32 elu_forward_to_f32

#define LOOP_fast_f32 FAST
#define LOOP_forward_f32 FLOATS
#define LOOP_forward_f16 SHORTS
#define LOOP_forward_bf16 SHORTS
#define LOOP_forward_f64 DOUBLES
#define LOOP_grad_f32 FLOATS
#define LOOP_grad_f16 FLOATS
#define LOOP_grad_bf16 FLOATS
#define LOOP_grad_f64 DOUBLES
#define LOOP_grad2_f32 DOUBLES
#define LOOP_grad2_f64 DOUBLES

/* Values of identity and RELU need no rounding within a type, and one by the conversion to a shorter one. */
#define FLAT(slot, operation, in, out, act) FLAT_LOOP(slot##_##act, act##_flat, flat_store, in, out)
#ifdef GELU_SIMD_FMA
#define FLAT_SHORT FLAT
#define FLAT_ROUNDED(slot, operation, in, out, act) FLAT_LOOP(slot##_##act, act##_flat, flat_round, in, out)
#else
#define FLAT_SHORT DOUBLES
#define FLAT_ROUNDED DOUBLES
#endif
#define PLAIN_forward_f32_f32 FLAT
#define PLAIN_fast_f32_f32 FLAT
#define PLAIN_forward_f16_f16 FLAT_SHORT
#define PLAIN_forward_bf16_bf16 FLAT_SHORT
#define PLAIN_forward_f64_f64 DOUBLES
#define PLAIN_forward_f32_f16 FLAT_ROUNDED
#define PLAIN_forward_f32_bf16 FLAT_ROUNDED
#define PLAIN_grad_f32_f32 DOUBLES
#define PLAIN_grad_f64_f64 DOUBLES
#define PLAIN_grad_f16_f16 DOUBLES
#define PLAIN_grad_bf16_bf16 DOUBLES
#define PLAIN_grad2_f32_f32 DOUBLES
#define PLAIN_grad2_f64_f64 DOUBLES

#define GELU_UNARY(slot, operation, in, out)                                                                           \
    PLAIN_##operation##_##in##_##out(slot, operation, in, out, identity)                                               \
        PLAIN_##operation##_##in##_##out(slot, operation, in, out, relu)                                               \
            LOOP_##operation##_##out(slot, operation, in, out, erf)                                                    \
                LOOP_##operation##_##out(slot, operation, in, out, tanh)                                               \
                    LOOP_##operation##_##out(slot, operation, in, out, quick)                                          \
                        LOOP_##operation##_##out(slot, operation, in, out, silu)                                       \
                            DOUBLES(slot, operation, in, out, elu)
#define GELU_CONVERT(from, to) UNARY_LOOP(convert_##from##_##to, convert_formula, from, to)
#include "kernels/kernel_list.inc"

#define multiply_f32 flat_multiply_f32
#define FAST_SLOPE(act)                                                                                                \
    UNARY_LOOP(fast_slope_##act##_exact, act##_grad_to_f32, f32, f32) /* NaN */                                        \
    F32_FAST_GRAD_BLOCKS(fast_slope_##act, act)                                                                        \
    F32_REPAIR(fast_slope_##act##_repair, fast_slope_##act##_exact, f32, f32)                                          \
    F32_PART(fast_slope_##act, fast_slope_##act##_repair, f32, f32)
FAST_SLOPE(erf)
FAST_SLOPE(tanh)
FAST_SLOPE(quick)
FAST_SLOPE(silu)
#define FAST_PRODUCT(slot, type, act) F32_BACKWARD_LOOP(slot##_##act, fast_slope_##act##_part, type)

#define PRODUCT_f32(slot, type, act) BINARY_LOOP(slot##_##act, act##_backward_f32, type, type)
#define PRODUCT_f64(slot, type, act) BINARY_LOOP(slot##_##act, act##_backward_f64, type, type)
#ifdef GELU_SIMD_FMA
/* Derivatives as f32 from the shorter types; the kernel list has those from f32. */
#define SLOPES(act)                                                                                                    \
    FLOATS_PART(slope_f16, grad, f16, f32, act)                                                                        \
    FLOATS_PART(slope_bf16, grad, bf16, f32, act)
SLOPES(erf)
SLOPES(tanh)
SLOPES(quick)
SLOPES(silu)
#define slope_f32_erf_part grad_f32_erf_part
#define slope_f32_tanh_part grad_f32_tanh_part
#define slope_f32_quick_part grad_f32_quick_part
#define slope_f32_silu_part grad_f32_silu_part
#define SMOOTH_PRODUCT(slot, type, act) F32_BACKWARD_LOOP(slot##_##act, slope_##type##_##act##_part, type)
#else
#define SMOOTH_PRODUCT PRODUCT_f32
#endif

#define BACKWARD_f32 PRODUCT_f32
#define BACKWARD_f16 PRODUCT_f32
#define BACKWARD_bf16 PRODUCT_f32
#define BACKWARD_f64 PRODUCT_f64
#define SMOOTH_backward_f32 SMOOTH_PRODUCT
#define SMOOTH_backward_f16 SMOOTH_PRODUCT
#define SMOOTH_backward_bf16 SMOOTH_PRODUCT
#define SMOOTH_backward_f64 PRODUCT_f64
#define SMOOTH_fast_backward_f32 FAST_PRODUCT

#define GELU_BACKWARD(slot, type)                                                                                      \
    BACKWARD_##type(slot, type, identity) BACKWARD_##type(slot, type, relu) SMOOTH_##slot(slot, type, erf)             \
        SMOOTH_##slot(slot, type, tanh) SMOOTH_##slot(slot, type, quick) SMOOTH_##slot(slot, type, silu)               \
            BACKWARD_##type(slot, type, elu)
#include "kernels/kernel_list.inc"

/* The table's entries, in the order of gelu_act. */
#define SLOT_ENTRY(slot)                                                                                               \
    .slot = {slot##_identity, slot##_relu, slot##_erf, slot##_tanh, slot##_quick, slot##_silu, slot##_elu},
