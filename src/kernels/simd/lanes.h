/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Packing of lanes where the instruction set has nothing for it. Parameter: the vector vocabulary. */

/* Stores the lanes whose bit is set one after the other, and anything behind them up to a vector; and puts them back
 * into x. */
GELU_INLINE void v32_pack(float *to, unsigned lanes, v32 x) {
    float lane[V32_LANES];
    v32_store_f32(lane, x);
    for (int i = 0; i < V32_LANES; i++)
        *to = lane[i], to += lanes >> i & 1; /* without branches: nobody can predict them */
}
GELU_INLINE v32 v32_unpack(const float *from, unsigned lanes, v32 x) {
    float lane[V32_LANES];
    v32_store_f32(lane, x);
    for (; lanes != 0; lanes &= lanes - 1) lane[__builtin_ctz(lanes)] = *from++;
    return v32_load_f32(lane);
}
