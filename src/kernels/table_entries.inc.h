/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The table of the kernels that table.inc.h has included. Parameters: ISA_NAME, and BF16_KERNEL, which bf16 product. */
const struct gelu_kernels TABLE_JOIN(gelu_kernels_, ISA_NAME) = {
    .name = TABLE_STRING(ISA_NAME),
#define GELU_UNARY(slot, operation, in, out) SLOT_ENTRY(slot)
#define GELU_BACKWARD(slot, type) SLOT_ENTRY(slot)
#define GELU_CONVERT(from, to) .convert_##from##_##to = convert_##from##_##to,
#include "kernels/kernel_list.inc"
    .tile_rows = TILE_ROWS,
    .tile_width_f32 = TILE_VECTORS * V32_LANES,
    .tile_width_f64 = TILE_VECTORS * V64_LANES,
    .tile_parts = TILE_PARTS,
    .tiles =
        {[GELU_F32] = tiles_f32[0], [GELU_F64] = tiles_f64[0], [GELU_F16] = tiles_f16[0], [GELU_BF16] = tiles_bf16[0]},
    .pack_f32 = pack_f32,
    .pack_f64 = pack_f64,
    .copy_f32 = pack_f32_copy,
    .copy_f64 = pack_f64_copy,
    .turned_f32 = pack_f32_turned,
    .turned_f64 = pack_f64_turned,
    .scaled_f32 = pack_f32_scaled,
    .scaled_f64 = pack_f64_scaled,
    .bf16_pack_rows = TABLE_JOIN(BF16_KERNEL, _pack_rows),
    .bf16_product = TABLE_JOIN(BF16_KERNEL, _product),
};

#undef ISA_NAME
#undef BF16_KERNEL
