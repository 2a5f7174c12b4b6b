/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Every name of the vector vocabulary that is included before, and of tile.h, lane by lane against plain C. Afterwards
 * vocabulary_run() gives a program's exit code. */
#include "kernels/simd/tile.h"

/* VECTOR of a and b against PLAIN of p and q, or of their bits u and v, for all pairs of values. */
#define PAIRS(WIDTH, CHECK, VECTOR, PLAIN)                                                                             \
    for (size_t i = 0; i < VALUES; i++)                                                                                \
        for (size_t j = 0; j < VALUES; j++) {                                                                          \
            const v##WIDTH a = v##WIDTH##_load(f##WIDTH##_value + i), b = v##WIDTH##_load(f##WIDTH##_value + j);       \
            LANES_##WIDTH got;                                                                                         \
            (void)a, (void)b;                                                                                          \
            v##WIDTH##_store(got, VECTOR);                                                                             \
            for (size_t lane = 0; lane < V##WIDTH##_LANES; lane++) {                                                   \
                FLOAT_##WIDTH p = f##WIDTH##_value[i + lane], q = f##WIDTH##_value[j + lane];                          \
                int##WIDTH##_t u, v;                                                                                   \
                memcpy(&u, &f##WIDTH##_value[i + lane], sizeof u);                                                     \
                memcpy(&v, &f##WIDTH##_value[j + lane], sizeof v);                                                     \
                (void)p, (void)q, (void)u, (void)v;                                                                    \
                CHECK##_##WIDTH(#VECTOR, lane, got, PLAIN);                                                            \
            }                                                                                                          \
        }
#define FLOAT_64 double
#define FLOAT_32 float
typedef double LANES_64[V64_LANES];
typedef float LANES_32[V32_LANES];

/* A mask as 1 and 0; integers as the numbers that have their bits. */
#define TRUTH_64(MASK, PLAIN) PAIRS(64, same, v64_select(MASK, v64_set(1), v64_set(0)), (PLAIN) ? 1 : 0)
#define TRUTH_32(MASK, PLAIN) PAIRS(32, same, v32_select(MASK, v32_set(1), v32_set(0)), (PLAIN) ? 1 : 0)
#define BITS_64(VECTOR, PLAIN) PAIRS(64, same, v64_from_bits(VECTOR), f64_of_bits((uint64_t)(PLAIN)))
#define BITS_32(VECTOR, PLAIN) PAIRS(32, same, v32_from_bits(VECTOR), f32_of_bits((uint32_t)(PLAIN)))

GELU_SHARED void test_doubles(void) {
    PAIRS(64, same, v64_set(f64_value[i]), f64_value[i])
    PAIRS(64, like, a + b, plus_64(p, q))
    PAIRS(64, like, a - b, minus_64(p, q))
    PAIRS(64, like, a * b, times_64(p, q))
    PAIRS(64, like, a / b, over_64(p, q))
    PAIRS(64, same, v64_abs(a), f64_of_bits((uint64_t)u & INT64_MAX))
    PAIRS(64, same, v64_negate(a), f64_of_bits((uint64_t)u ^ 1ull << 63))
    PAIRS(64, same, v64_min(a, b), pick_64(isless(p, q), p, q))
    PAIRS(64, same, v64_max(a, b), pick_64(isgreater(p, q), p, q))
    PAIRS(64, same, v64_select(v64_less(a, b), b, a), pick_64(isless(p, q), q, p))
    PAIRS(64, same, v64_zip_low(a, b), (lane % 2 ? f64_value + j : f64_value + i)[lane / 2])
    PAIRS(64, same, v64_zip_high(a, b),
          (V64_LANES > 1 && lane % 2 == 0 ? f64_value + i : f64_value + j)[(V64_LANES + lane) / 2])
    PAIRS(64, same, round_to_f32(a), f64_of_bits(ref_widen(GELU_F32, ref_convert(GELU_F64, (uint64_t)u, GELU_F32))))
    TRUTH_64(v64_less(a, b), isless(p, q))
    TRUTH_64(v64_equal(a, b), p == q)
    TRUTH_64(v64_is_nan(a), isunordered(p, p))
    TRUTH_64(v64_is_negative(a), u < 0)
    TRUTH_64(i64_equal(v64_bits(a), v64_bits(b)), u == v)
    TRUTH_64(m64_or(v64_less(a, b), v64_is_nan(b)), isless(p, q) || isunordered(q, q))
    BITS_64(i64_set((int64_t)bits_of_f64(f64_value[i])), bits_of_f64(f64_value[i]))
    BITS_64(i64_max(v64_bits(a), v64_bits(b)), u > v ? u : v)
    BITS_64(i64_select(i64_equal(v64_bits(a), v64_bits(b)), i64_set(-1), v64_bits(a)), u == v ? -1 : u)
    for (size_t k = 0; k < sizeof shifts / sizeof *shifts; k++) {
        const int count = shifts[k];
        BITS_64(i64_shift_left(v64_bits(a), count), plain_shift((uint64_t)u, 64, count, 1, 0))
        BITS_64(i64_shift_right_arithmetic(v64_bits(a), count), plain_shift((uint64_t)u, 64, count, 0, 1))
    }
}

GELU_SHARED void test_floats(void) {
    PAIRS(32, same, v32_set(f32_value[i]), f32_value[i])
    PAIRS(32, like, a + b, plus_32(p, q))
    PAIRS(32, like, a - b, minus_32(p, q))
    PAIRS(32, like, a * b, times_32(p, q))
    PAIRS(32, like, a / b, over_32(p, q))
    PAIRS(32, same, v32_abs(a), f32_of_bits((uint32_t)u & INT32_MAX))
    PAIRS(32, same, v32_min(a, b), pick_32(isless(p, q), p, q))
    PAIRS(32, same, v32_max(a, b), pick_32(isgreater(p, q), p, q))
    PAIRS(32, same, v32_select(v32_less(a, b), b, a), pick_32(isless(p, q), q, p))
    PAIRS(32, same, v32_zip_low(a, b), (lane % 2 ? f32_value + j : f32_value + i)[lane / 2])
    PAIRS(32, same, v32_zip_high(a, b),
          (V32_LANES > 1 && lane % 2 == 0 ? f32_value + i : f32_value + j)[V32_LANES / 2 + lane / 2])
    TRUTH_32(v32_less(a, b), isless(p, q))
    TRUTH_32(v32_equal(a, b), p == q)
    TRUTH_32(v32_is_negative(a), u < 0)
    TRUTH_32(m32_not(v32_less(a, b)), !isless(p, q))
    BITS_32(i32_set((int32_t)bits_of_f32(f32_value[i])), bits_of_f32(f32_value[i]))
    BITS_32(i32_add(v32_bits(a), v32_bits(b)), (uint32_t)u + (uint32_t)v)
    for (size_t k = 0; k < sizeof shifts / sizeof *shifts && shifts[k] < 32; k++) {
        const int count = shifts[k];
        BITS_32(i32_shift_left(v32_bits(a), count), plain_shift((uint32_t)u, 32, count, 1, 0))
#if V32_LANES > 1
        BITS_32(i32_shift_right(v32_bits(a), count), plain_shift((uint32_t)u, 32, count, 0, 0))
#endif
    }
#if V32_LANES > 1 /* what the scalar kernels do without */
    TRUTH_32(i32_equal(v32_bits(a), v32_bits(b)), u == v)
    TRUTH_32(i32_none(v32_bits(a), v32_bits(b)), (u & v) == 0)
    TRUTH_32(m32_and(v32_less(a, b), v32_is_negative(a)), isless(p, q) && u < 0)
    TRUTH_32(m32_or(v32_less(a, b), v32_is_negative(a)), isless(p, q) || u < 0)
    BITS_32(i32_and(v32_bits(a), v32_bits(b)), u & v)
#endif
}

/* Every mask that the lanes can form. */
GELU_SHARED void test_masks(void) {
    for (uint32_t mask = 0; mask < 1u << V64_LANES; mask++) {
        LANES_64 x;
        for (int lane = 0; lane < V64_LANES; lane++) x[lane] = mask >> lane & 1 ? -1 : 1;
        const m64 less = v64_less(load_f64(x), v64_set(0)), negative = v64_is_negative(load_f64(x));
        same_bits("m64_all", mask, m64_all(less), mask + 1 == 1u << V64_LANES);
        same_bits("m64_any", mask, m64_any(less), mask != 0);
        same_bits("m64_all of signs", mask, m64_all(negative), mask + 1 == 1u << V64_LANES);
        same_bits("m64_any of signs", mask, m64_any(negative), mask != 0);
    }
    for (uint32_t mask = 0; mask < 1u << V32_LANES; mask++) {
        LANES_32 x;
        for (int lane = 0; lane < V32_LANES; lane++) x[lane] = mask >> lane & 1 ? -1 : 1;
        const m32 less = v32_less(v32_load_f32(x), v32_set(0));
        same_bits("m32_bits", mask, m32_bits(less), mask);
        same_bits("m32_bits of m32_not", mask, m32_bits(m32_not(less)), mask ^ ((1u << V32_LANES) - 1));
        same_bits("m32_any", mask, m32_any(less), mask != 0);
        same_bits("m32_any of signs", mask, m32_any(v32_is_negative(v32_load_f32(x))), mask != 0);
    }
}

/* The lanes of every mask, packed into memory of which no more than a vector is written, and unpacked again. */
GELU_SHARED void test_packing(void) {
    LANES_32 x, base, got;
    float packed[2 * V32_LANES];
    for (int lane = 0; lane < V32_LANES; lane++) x[lane] = (float)lane + 0.5f, base[lane] = (float)-lane - 1;
    for (uint32_t mask = 0; mask < 1u << V32_LANES; mask++) {
        for (int i = 0; i < 2 * V32_LANES; i++) packed[i] = 99;
        v32_pack(packed, mask, v32_load_f32(x));
        size_t count = 0;
        for (size_t lane = 0; lane < V32_LANES; lane++)
            if (mask >> lane & 1) same_32("v32_pack", count, packed, x[lane]), count++;
        for (size_t i = V32_LANES; i < 2 * V32_LANES; i++) same_32("v32_pack, behind", i, packed, 99);
        v32_store_f32(got, v32_unpack(packed, mask, v32_load_f32(base)));
        for (size_t lane = 0; lane < V32_LANES; lane++)
            same_32("v32_unpack", lane, got, mask >> lane & 1 ? x[lane] : base[lane]);
    }
}

/* For all triples of values: exact where the name promises it. */
GELU_SHARED void test_fused(void) {
    for (size_t k = 0; k < VALUES; k++) {
        const v64 c = load_f64(f64_value + k);
        const v32 c_32 = v32_load_f32(f32_value + k);
        PAIRS(64, like, v64_fma(a, b, c), plain_fma_64(p, q, f64_value[k + lane]))
        PAIRS(32, like, v32_fma(a, b, c_32), plain_fma_32(p, q, f32_value[k + lane]))
        PAIRS(32, like, v32_fnma(a, b, c_32), plain_fma_32(-p, q, f32_value[k + lane]))
        PAIRS(64, like, v64_multiply_add(a, b, c), plain_multiply_add(got[lane], p, q, f64_value[k + lane]))
    }
    for (int i = 0; i < 100000; i++) {
        LANES_64 a, b, product, low;
        for (int lane = 0; lane < V64_LANES; lane++)
            set_bits_64(a, lane, normal_64(200)), set_bits_64(b, lane, normal_64(200));
        v64 rest;
        store_f64(product, v64_two_product(load_f64(a), load_f64(b), &rest));
        store_f64(low, rest);
        for (size_t lane = 0; lane < V64_LANES; lane++) {
            same_64("v64_two_product", lane, product, times_64(a[lane], b[lane]));
            same_64("v64_two_product, low", lane, low, plain_fma_64(a[lane], b[lane], -times_64(a[lane], b[lane])));
        }
    }
}

/* Every row in every lane, of tables that end where their memory does. */
GELU_SHARED void test_lookups(void) {
    enum { ROWS = 37, WIDTH = 5 };
    struct guard g = guard_open(sizeof(double) * ROWS * WIDTH);
    double *table = guard_high(&g, sizeof(double) * ROWS * WIDTH, 0), *column = guard_high(&g, sizeof(double) * 16, 0);
    LANES_64 got, rows;
    for (int i = 0; i < ROWS * WIDTH; i++) table[i] = i + 0.5;
    for (int first = 0; first < ROWS; first++)
        for (int place = 0; place < WIDTH; place++) {
            int64_t row;
            for (int lane = 0; lane < V64_LANES; lane++) {
                row = (first + 11 * lane) % ROWS;
                memcpy(&rows[lane], &row, sizeof row);
            }
            store_f64(got, v64_lookup(table, WIDTH, v64_bits(load_f64(rows)), place));
            for (size_t lane = 0; lane < V64_LANES; lane++)
                same_64("v64_lookup", lane, got, (double)((first + 11 * lane) % ROWS * WIDTH) + place + 0.5);
        }
    for (int first = 0; first < 16; first++) {
        for (int lane = 0; lane < V64_LANES; lane++) {
            int64_t row = (first + 5 * lane) % 16;
            memcpy(&rows[lane], &row, sizeof row);
        }
        store_f64(got, v64_lookup_16(column, v64_bits(load_f64(rows))));
        for (size_t lane = 0; lane < V64_LANES; lane++)
            same_64("v64_lookup_16", lane, got, column[(first + 5 * lane) % 16]);
    }
    guard_close(&g);
}

/* Of indices whose bits above the low five are of no account. ROOM: columns that may be written. */
#define LOOKUP(NAME, TABLE, COLUMNS, ROOM)                                                                             \
    do {                                                                                                               \
        static struct TABLE table;                                                                                     \
        for (int row = 0; row < F32_INTERVALS; row++)                                                                  \
            for (int i = 0; i < COLUMNS; i++) table.column[i][row] = table.row[row][i] = (float)(row * COLUMNS + i);   \
        for (uint32_t first = 0; first < F32_INTERVALS; first++) {                                                     \
            LANES_32 rows, got;                                                                                        \
            v32 column[ROOM];                                                                                          \
            for (uint32_t lane = 0; lane < V32_LANES; lane++) {                                                        \
                uint32_t index = (first + 7 * lane) % F32_INTERVALS + (lane % 2 ? 0xbffffe0 : 0x3c5a00);               \
                memcpy(&rows[lane], &index, sizeof index);                                                             \
            }                                                                                                          \
            NAME(&table, v32_bits(v32_load_f32(rows)), column);                                                        \
            for (int i = 0; i < COLUMNS; i++) {                                                                        \
                v32_store_f32(got, column[i]);                                                                         \
                for (size_t lane = 0; lane < V32_LANES; lane++)                                                        \
                    same_32(#NAME, lane, got, (float)((int)((first + 7 * lane) % F32_INTERVALS) * COLUMNS + i));       \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

GELU_SHARED void test_table_lookups(void) {
    static const float eight[8] = {0.5f, 1.5f, 2.5f, 3.5f, 4.5f, 5.5f, 6.5f, 7.5f};
    for (uint32_t first = 0; first < 8; first++) {
        LANES_32 rows, got;
        for (uint32_t lane = 0; lane < V32_LANES; lane++) {
            uint32_t index = (first + 3 * lane) % 8 + (lane % 2 ? 0xbffffff8 : 0x3c5a00);
            memcpy(&rows[lane], &index, sizeof index);
        }
        v32_store_f32(got, v32_lookup_8(eight, v32_bits(v32_load_f32(rows))));
        for (size_t lane = 0; lane < V32_LANES; lane++)
            same_32("v32_lookup_8", lane, got, eight[(first + 3 * lane) % 8]);
    }
    LOOKUP(v32_lookup, f32_table, F32_COLUMNS, F32_COLUMNS);
    LOOKUP(v32_lookup_fast, fast_table, FAST_COLUMNS, FAST_COLUMNS);
    LOOKUP(v32_lookup_short, short_table, SHORT_COLUMNS, SHORT_ROW);
}

/* What `for` repeats: p has COUNT elements of TYPE at either end of its memory, and next to that, so aligned to no
 * vector. */
#define EACH_PLACE(TYPE, COUNT)                                                                                        \
    for (size_t place = 0; place < 4 * MOST_LANES; place++)                                                            \
        for (TYPE *p = place % 2 ? guard_high(&g, (COUNT) * sizeof(TYPE), place / 2 * sizeof(TYPE))                    \
                                 : guard_low(&g, place / 2 * sizeof(TYPE));                                            \
             p; p = NULL)

/* AS is exact, or quiet_<width> where a signalling NaN may become quiet. */
#define LOADS(WIDTH, TYPE, LOAD, COUNT, AS, WANT)                                                                      \
    EACH_PLACE(TYPE, COUNT) {                                                                                          \
        LANES_##WIDTH got;                                                                                             \
        for (size_t k = 0; k < (COUNT) * sizeof(TYPE); k++)                                                            \
            ((unsigned char *)p)[k] = (unsigned char)random_bits(&random_state);                                       \
        v##WIDTH##_store(got, LOAD(p));                                                                                \
        for (size_t lane = 0; lane < V##WIDTH##_LANES; lane++)                                                         \
            same_bits(#LOAD, lane, AS(bits_##WIDTH(got, lane)), WANT);                                                 \
    }

/* VECTOR of a, whose lanes have the bits u, drawn by RANDOM; nothing but one element of WANT for each is written. */
#define STORES(WIDTH, TYPE, STORE, VECTOR, RANDOM, WANT)                                                               \
    EACH_PLACE(TYPE, V##WIDTH##_LANES) {                                                                               \
        LANES_##WIDTH x;                                                                                               \
        for (size_t lane = 0; lane < V##WIDTH##_LANES; lane++) set_bits_##WIDTH(x, lane, RANDOM);                      \
        const v##WIDTH a = v##WIDTH##_load(x);                                                                         \
        guard_fill(&g);                                                                                                \
        STORE(p, VECTOR);                                                                                              \
        if (!guard_intact(&g, p, V##WIDTH##_LANES * sizeof(TYPE))) fail_lane(#STORE " elsewhere", place, 0, 0);        \
        for (size_t lane = 0; lane < V##WIDTH##_LANES; lane++) {                                                       \
            const uint64_t u = bits_##WIDTH(x, lane);                                                                  \
            uint64_t got = 0;                                                                                          \
            memcpy(&got, p + lane, sizeof(TYPE));                                                                      \
            same_bits(#STORE, lane, got, WANT);                                                                        \
        }                                                                                                              \
    }

GELU_SHARED void test_loads(void) {
    struct guard g = guard_open(1);
    for (int round = 0; round < 20; round++) {
        LOADS(64, double, load_f64, V64_LANES, exact, bits_64(p, lane))
        LOADS(64, double, v64_load, V64_LANES, exact, bits_64(p, lane))
        LOADS(32, float, v32_load_f32, V32_LANES, exact, bits_32(p, lane))
        LOADS(32, float, v32_load, V32_LANES, exact, bits_32(p, lane))
        LOADS(64, float, load_f32, V64_LANES, quiet_64, ref_convert(GELU_F32, bits_32(p, lane), GELU_F64))
        LOADS(64, uint16_t, load_f16, V64_LANES, quiet_64, ref_convert(GELU_F16, p[lane], GELU_F64))
        LOADS(64, uint16_t, load_bf16, V64_LANES, quiet_64, ref_convert(GELU_BF16, p[lane], GELU_F64))
        LOADS(32, uint16_t, v32_load_f16, V32_LANES, quiet_32, ref_convert(GELU_F16, p[lane], GELU_F32))
        LOADS(32, uint16_t, v32_load_bf16, V32_LANES, quiet_32, ref_convert(GELU_BF16, p[lane], GELU_F32))
        LOADS(32, uint16_t, v32_load_bf16_even, 2 * V32_LANES, exact, (uint32_t)p[2 * lane] << 16)
        LOADS(32, uint16_t, v32_load_bf16_odd, 2 * V32_LANES, exact, (uint32_t)p[2 * lane + 1] << 16)
    }
    guard_close(&g);
}

/* Column j of lines that are `stride` apart. */
#define COLUMN_64(P) (v64_load_transposed(P, stride, r_64), r_64[j])
#define COLUMN_32(P) (v32_load_transposed(P, stride, r_32), r_32[j])
GELU_SHARED void test_transposed(void) {
    struct guard g = guard_open(8192);
    v64 r_64[V64_LANES];
    v32 r_32[V32_LANES];
    for (size_t more = 0; more < 4; more++) {
        size_t stride = V64_LANES + more;
        for (size_t j = 0; j < V64_LANES; j++)
            LOADS(64, double, COLUMN_64, (V64_LANES - 1) * stride + V64_LANES, exact, bits_64(p, lane * stride + j))
        stride = V32_LANES + more;
        for (size_t j = 0; j < V32_LANES; j++)
            LOADS(32, float, COLUMN_32, (V32_LANES - 1) * stride + V32_LANES, exact, bits_32(p, lane * stride + j))
    }
    guard_close(&g);
}

GELU_SHARED void test_stores(void) {
    struct guard g = guard_open(1);
    for (int round = 0; round < 20; round++) {
        STORES(64, double, store_f64, a, any_64(1074), u)
        STORES(64, double, v64_store, a, any_64(1074), u)
        STORES(32, float, v32_store_f32, a, any_32(149), u)
        STORES(32, float, v32_store, a, any_32(149), u)
        STORES(64, float, store_f32, a, any_64(160), ref_convert(GELU_F64, u, GELU_F32))
        STORES(64, uint16_t, store_exact_f16, a, any_held(GELU_F16), ref_convert(GELU_F64, u, GELU_F16))
        STORES(64, uint16_t, store_exact_bf16, a, any_held(GELU_BF16), ref_convert(GELU_F64, u, GELU_BF16))
#if V32_LANES > 1
        STORES(32, uint16_t, v32_store_f16, a, any_32(30), ref_convert(GELU_F32, u, GELU_F16))
        STORES(32, uint16_t, v32_store_high_half, v32_bits(a), any_32(149), u >> 16)
#endif
    }
    guard_close(&g);
}

/* All patterns of the 16-bit types, in every lane. */
GELU_SHARED void test_halves(void) {
    static uint16_t x[65536 + MOST_LANES];
    for (size_t i = 0; i < 65536 + MOST_LANES; i++) x[i] = (uint16_t)i;
    for (size_t i = 0; i < 65536; i++) {
        LANES_64 got;
        LANES_32 got_32;
        uint16_t back[V64_LANES];
#define HALVES(TYPE, NAME)                                                                                             \
    store_f64(got, load_##NAME(x + i));                                                                                \
    v32_store_f32(got_32, v32_load_##NAME(x + i));                                                                     \
    hide(got);                                                                                                         \
    store_exact_##NAME(back, load_f64(got));                                                                           \
    for (size_t lane = 0; lane < V64_LANES; lane++) {                                                                  \
        same_bits("load_" #NAME, lane, quiet_64(bits_64(got, lane)), ref_convert(TYPE, x[i + lane], GELU_F64));        \
        same_bits("store_exact_" #NAME, lane, back[lane], ref_convert(TYPE, x[i + lane], TYPE));                       \
    }                                                                                                                  \
    for (size_t lane = 0; lane < V32_LANES; lane++)                                                                    \
        same_bits("v32_load_" #NAME, lane, quiet_32(bits_32(got_32, lane)), ref_convert(TYPE, x[i + lane], GELU_F32));
        HALVES(GELU_F16, f16)
        HALVES(GELU_BF16, bf16)
    }
}

/* A program's exit code. */
GELU_SHARED int vocabulary_run(void) {
    fill_values();
    test_doubles();
    test_floats();
    test_masks();
    test_packing();
    test_fused();
    test_lookups();
    test_table_lookups();
    test_loads();
    test_transposed();
    test_stores();
    test_halves();
    printf("vocabulary: %u lanes are wrong\n", failures);
    return failures > 0;
}
