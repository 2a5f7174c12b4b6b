/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The complete table in plain C: every other instruction set replaces entries of it. */
#include "base/compiler.h"
#include "kernels/kernels.h"
#include "kernels/simd/scalar.h"
#include "kernels/exact_tables.h"
#include "kernels/double_double.inc.h"
#include "kernels/exp.inc.h"
#include "kernels/erf.inc.h"
#include "kernels/logistic.inc.h"
#include "kernels/activation.inc.h"
#include "kernels/rounding.inc.h"
#include "kernels/elementwise.inc.h"

#include "kernels/simd/fma.h"
#define PRODUCT product_f32
#define REAL float
#define FMA fma_f32
#include "kernels/linear.inc.h"
#define PRODUCT product_f64
#define REAL double
#define FMA fma_f64
#include "kernels/linear.inc.h"

const struct gelu_kernels gelu_kernels_scalar = {
    .name = "scalar",
#define GELU_UNARY(slot, operation, in, out) ELEMENTWISE_ENTRY(slot)
#define GELU_BACKWARD(slot, type) ELEMENTWISE_ENTRY(slot)
#define GELU_CONVERT(from, to) .convert_##from##_##to = convert_##from##_##to,
#include "kernels/kernel_list.inc"
    .product_f32 = product_f32,
    .product_f64 = product_f64,
};
