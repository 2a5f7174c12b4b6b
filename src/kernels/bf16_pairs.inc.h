/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* One tile of bf16 compute by vdpbf16ps (AVX512_BF16), which multiplies pairs and adds them to a lane one after the other,
 * the high half first, each by a fused multiply-add that reads subnormals as zero and flushes what is tiny after rounding:
 * twice a step of a chain of the rule, if both halves belong to the same chain. So pairs here are of k and k + 2, the
 * earlier one high. Its control word is its own.
 *
 * By instruction, not by intrinsic: so it needs no target of its own beside AVX-512. */

enum { PAIRS_ROWS = 7, PAIRS_VECTORS = BF16_PANEL / V32_LANES, PAIRS_WORDS = BF16_BLOCK / 2 };

GELU_INLINE v32 pairs_multiply_add(v32 a, v32 b, v32 acc) {
    __asm__("vdpbf16ps %2, %1, %0" : "+v"(acc) : "v"(a), "v"(b));
    return acc;
}

bool gelu_avx512_bf16_follows(void) {
    /* High and low products, what they are added to, and the sum by the rule. */
    enum { CASES = 10, LANES = V32_LANES };
    static const struct {
        float high[2], low[2], acc, want;
    } cases[CASES] = {
        /* The high half comes first, with a rounding in between, and none of the product. */
        {{0x1p24f, 1}, {-0x1p24f, 1}, 1, 0},
        {{0x1p-24f, 1}, {0x1p-24f, 1}, 1, 1},
        {{0x1p64f, 0x1p64f}, {0, 0}, -0x1p127f, 0x1p127f},
        /* Sums just below FLT_MIN: 2^-126 - 2^-150 is a number of 24 bits, so tiny; half way there rounds to even. */
        {{-0x1p-75f, 0x1p-75f}, {0, 0}, 0x1p-126f, 0},
        {{-0x1p-76f, 0x1p-75f}, {0, 0}, 0x1p-126f, 0x1p-126f},
        {{0, 0}, {-0x1p-75f, 0x1p-75f}, 0x1p-126f, 0},
        {{0, 0}, {-0x1p-76f, 0x1p-75f}, 0x1p-126f, 0x1p-126f},
        /* Each half is flushed for itself, and subnormals are read as zero. */
        {{0x1p-63f, 0x1p-64f}, {0x1p-63f, 0x1p-64f}, 0, 0},
        {{0, 0}, {0, 0}, 0x1p-127f, 0},
        {{0x1p-130f, 0x1p100f}, {0x1p100f, 0x1p-130f}, 0, 0},
    };
    uint32_t high_low[2][LANES] = {{0}};
    float acc[LANES] = {0};
    for (size_t i = 0; i < CASES; i++) {
        for (size_t factor = 0; factor < 2; factor++) {
            uint32_t high, low;
            memcpy(&high, &cases[i].high[factor], sizeof high);
            memcpy(&low, &cases[i].low[factor], sizeof low);
            high_low[factor][i] = high | low >> 16;
        }
        acc[i] = cases[i].acc;
    }
    v32 sum = pairs_multiply_add(_mm512_castsi512_ps(_mm512_loadu_si512(high_low[0])),
                                 _mm512_castsi512_ps(_mm512_loadu_si512(high_low[1])), v32_load_f32(acc));
    v32_store_f32(acc, sum);
    for (size_t i = 0; i < CASES; i++)
        if (acc[i] != cases[i].want) return false;
    return true;
}

/* Of four k the pair of the even chain, then that of the odd one. */
static void pairs_pack(const gelu_bf16 *x, float *words) {
    const i32 order = _mm512_set4_epi32(0x0b0a0f0e, 0x09080d0c, 0x03020706, 0x01000504);
    for (size_t i = 0; i < PAIRS_WORDS; i += V32_LANES)
        v32_store_f32(words + i, _mm512_castsi512_ps(_mm512_shuffle_epi8(_mm512_loadu_si512(x + 2 * i), order)));
}

/* From packed weights, whose pairs are of k and k + 1: the even (0) or odd (1) elements of two neighbouring pairs. */
GELU_INLINE v32 pairs_column(int odd, const gelu_bf16 *w) {
    const i32 low = _mm512_set1_epi32(0xffff);
    i32 earlier = _mm512_loadu_si512(w), later = _mm512_loadu_si512(w + BF16_PANEL);
    if (odd)
        later = _mm512_srli_epi32(later, 16);
    else
        earlier = _mm512_slli_epi32(earlier, 16);
    return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(low, later, earlier, 0xca)); /* low ? later : earlier */
}

/* Every two rows of a half become those of the even and of the odd chain. */
GELU_SHARED void pairs_prepare(size_t blocks, const gelu_bf16 *w, gelu_bf16 *prepared) {
    for (size_t i = 0; i < blocks * BF16_BLOCK * BF16_PANEL; i += 2 * BF16_PANEL) {
        v32 even = pairs_column(0, w + i), odd = pairs_column(1, w + i);
        _mm512_store_ps(prepared + i, even);
        _mm512_store_ps(prepared + i + BF16_PANEL, odd);
    }
}

/* The even (0) or odd (1) chain of a block goes on by a word. */
GELU_INLINE void pairs_step(int odd, bool prepared, size_t height, const float *x, const gelu_bf16 *w,
                            v32 (*s)[PAIRS_VECTORS]) {
    v32 column[PAIRS_VECTORS];
    GELU_UNROLL
    for (size_t v = 0; v < PAIRS_VECTORS; v++) {
        const gelu_bf16 *p = w + v * BF16_HALF;
        column[v] = prepared ? _mm512_loadu_ps(p + odd * BF16_PANEL) : pairs_column(odd, p);
    }
    GELU_UNROLL
    for (size_t m = 0; m < height; m++) {
        v32 row = v32_set(x[m]);
        GELU_UNROLL
        for (size_t v = 0; v < PAIRS_VECTORS; v++) s[m][v] = pairs_multiply_add(row, column[v], s[m][v]);
    }
}

GELU_INLINE void pairs_tile(bool prepared, size_t height, size_t blocks, const float *x, const gelu_bf16 *w,
                            float *sums, size_t ld, uintptr_t ahead, size_t lines) {
    for (size_t b = 0; b < blocks; b++) {
        v32 even[PAIRS_ROWS][PAIRS_VECTORS], odd[PAIRS_ROWS][PAIRS_VECTORS];
        for (size_t i = 0; i < lines; i++, ahead += 64) __builtin_prefetch((const void *)ahead, 0, 2);
        GELU_UNROLL
        for (size_t m = 0; m < height; m++) {
            GELU_UNROLL
            for (size_t v = 0; v < PAIRS_VECTORS; v++) even[m][v] = odd[m][v] = v32_set(0);
        }
        for (size_t i = 0; i < PAIRS_WORDS; i += 2, x += 2 * height, w += 2 * BF16_PANEL) {
            pairs_step(0, prepared, height, x, w, even);
            pairs_step(1, prepared, height, x + height, w, odd);
        }
        w += BF16_HALF;
        GELU_UNROLL
        for (size_t m = 0; m < height; m++) {
            GELU_UNROLL
            for (size_t v = 0; v < PAIRS_VECTORS; v++) {
                float *acc = sums + m * ld + v * V32_LANES;
                v32_store_f32(acc, v32_load_f32(acc) + (even[m][v] + odd[m][v]));
            }
        }
    }
}

/* One copy of the code per height and form. */
#define PAIRS_CASE(form, h)                                                                                            \
    case h:                                                                                                            \
        pairs_tile(form, h, blocks, x, w, acc, ld, ahead, lines);                                                      \
        return;
#define PAIRS_TILE_OF(name, form)                                                                                      \
    GELU_SHARED void name(size_t height, size_t blocks, const void *x, const gelu_bf16 *w, float *acc, size_t ld,      \
                          uintptr_t ahead, size_t lines) {                                                             \
        switch (height) {                                                                                              \
            PAIRS_CASE(form, 1)                                                                                        \
            PAIRS_CASE(form, 2)                                                                                        \
            PAIRS_CASE(form, 3)                                                                                        \
            PAIRS_CASE(form, 4)                                                                                        \
            PAIRS_CASE(form, 5)                                                                                        \
            PAIRS_CASE(form, 6)                                                                                        \
            PAIRS_CASE(form, 7)                                                                                        \
        }                                                                                                              \
    }
PAIRS_TILE_OF(pairs_tile_of, false)
PAIRS_TILE_OF(pairs_prepared_tile_of, true)

static const struct bf16_way pairs_way = {.rows = PAIRS_ROWS,
                                          .words = PAIRS_WORDS,
                                          .pack = pairs_pack,
                                          .tile = pairs_tile_of,
                                          .prepare = pairs_prepare,
                                          .prepared_tile = pairs_prepared_tile_of};
BF16_FUNCTIONS(pairs)
