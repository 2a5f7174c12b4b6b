/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Every kernel over one vocabulary, and their table. Parameters: the vocabulary, included before, and ISA_NAME. */
#include "kernels/kernels.h"
#include "kernels/exact_tables.h"
#include "kernels/double_double.inc.h"
#include "kernels/exp.inc.h"
#include "kernels/erf.inc.h"
#include "kernels/logistic.inc.h"
#include "kernels/activation.inc.h"
#include "kernels/estimate.inc.h"
#include "kernels/rounding.inc.h"
#include "kernels/elementwise.inc.h"
#include "kernels/f32.inc.h"
#include "kernels/f32_loop.inc.h"
#include "kernels/slots.inc.h"

#include "kernels/simd/fma.h"
#define PRODUCT product_f32
#define REAL float
#define FMA fma_f32
#include "kernels/linear.inc.h"
#define PRODUCT product_f64
#define REAL double
#define FMA fma_f64
#include "kernels/linear.inc.h"

#include "kernels/bf16_layout.h"
#include "base/fpenv.h"
#include "kernels/bf16_tile.inc.h"
#include "kernels/bf16_product.inc.h"

#define TABLE_JOIN_(a, b) a##b
#define TABLE_JOIN(a, b) TABLE_JOIN_(a, b)
#define TABLE_STRING_(a) #a
#define TABLE_STRING(a) TABLE_STRING_(a)

#define BF16_KERNEL bf16
#include "kernels/table_entries.inc.h"
