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
#include "kernels/estimate_exp.inc.h"
#include "kernels/estimate.inc.h"
#include "kernels/rounding.inc.h"
#include "kernels/elementwise.inc.h"
#include "kernels/flat.inc.h"
#include "kernels/f32_block.inc.h"
#include "kernels/f32_loop.inc.h"
#include "kernels/tail.inc.h"
#include "kernels/fast.inc.h"
#ifdef GELU_SIMD_FMA
#include "kernels/f32_rounding.inc.h"
#include "kernels/short.inc.h"
#endif
#include "kernels/f32.inc.h"
#include "kernels/slots.inc.h"

#include "kernels/simd/tile.h"
#define PACK pack_f32
#define PACK_REAL float
#define PACK_VECTOR v32
#include "kernels/pack.inc.h"
#define PACK pack_f64
#define PACK_REAL double
#define PACK_VECTOR v64
#include "kernels/pack.inc.h"
#define PRODUCT_NAME tiles_f32
#define PRODUCT_REAL float
#define PRODUCT_VECTOR v32
#define PRODUCT_WEIGHT float
#define PRODUCT_WIDEN v32_load_f32
#include "kernels/product.inc.h"
#define PRODUCT_NAME tiles_f16
#define PRODUCT_REAL float
#define PRODUCT_VECTOR v32
#define PRODUCT_WEIGHT uint16_t
#define PRODUCT_WIDEN v32_load_f16
#include "kernels/product.inc.h"
#define PRODUCT_NAME tiles_bf16
#define PRODUCT_REAL float
#define PRODUCT_VECTOR v32
#define PRODUCT_WEIGHT uint16_t
#define PRODUCT_WIDEN v32_load_bf16
#if V32_LANES > 1
#define PRODUCT_EVEN v32_load_bf16_even
#define PRODUCT_ODD v32_load_bf16_odd
#endif
#include "kernels/product.inc.h"
#define PRODUCT_NAME tiles_f64
#define PRODUCT_REAL double
#define PRODUCT_VECTOR v64
#define PRODUCT_WEIGHT double
#define PRODUCT_WIDEN v64_load
#include "kernels/product.inc.h"

#include "kernels/bf16_layout.h"
#include "base/fpenv.h"
#include "kernels/bf16_product.inc.h"
#include "kernels/bf16_tile.inc.h"

#define TABLE_JOIN_(a, b) a##b
#define TABLE_JOIN(a, b) TABLE_JOIN_(a, b)
#define TABLE_STRING_(a) #a
#define TABLE_STRING(a) TABLE_STRING_(a)

#define BF16_KERNEL bf16
#include "kernels/table_entries.inc.h"
