/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include "unit/act_ops.h"
#include "unit/guard.h"
#include "unit/ref_convert.h"

enum { BLOCK = 4096 };

/* Collects patterns and compares gelu_convert with the reference, a block at a time. */
struct batch {
    gelu_dtype from, to;
    size_t n;
    uint64_t storage[BLOCK], converted[BLOCK];
};

static void batch_check(struct batch *b) {
    assert_int_equal(gelu_convert(b->n, b->from, b->storage, b->to, b->converted), GELU_OK);
    for (size_t i = 0; i < b->n; i++) {
        uint64_t in = element_bits(b->from, b->storage, i), got = element_bits(b->to, b->converted, i);
        uint64_t want = ref_convert(b->from, in, b->to);
        if (got != want)
            fail_msg("%s %llx to %s: %llx, not %llx", gelu_dtype_name(b->from), (unsigned long long)in,
                     gelu_dtype_name(b->to), (unsigned long long)got, (unsigned long long)want);
    }
    b->n = 0;
}

static void batch_add(struct batch *b, uint64_t bits) {
    set_element_bits(b->from, b->storage, b->n++, bits);
    if (b->n == BLOCK) batch_check(b);
}

static void small_types_are_complete(void **state) {
    (void)state;
    static struct batch b;
    for (int from = GELU_F16; from <= GELU_BF16; from++)
        for (int to = DTYPE_FIRST; to <= DTYPE_LAST; to++) {
            b = (struct batch){.from = (gelu_dtype)from, .to = (gelu_dtype)to};
            for (uint32_t i = 0; i <= 0xffff; i++) batch_add(&b, i);
            assert_int_equal(b.n, 0);
        }
}

static void small_types_survive_a_round_trip(void **state) {
    (void)state;
    for (uint32_t i = 0; i <= 0xffff; i++) {
        uint16_t f16 = gelu_f16_from_f32(gelu_f16_to_f32((uint16_t)i));
        uint16_t bf16 = gelu_bf16_from_f32(gelu_bf16_to_f32((uint16_t)i));
        assert_int_equal(f16, is_nan_bits(GELU_F16, i) ? i | 0x0200 : i);
        assert_int_equal(bf16, is_nan_bits(GELU_BF16, i) ? i | 0x0040 : i);
        uint32_t wide_f16 = bits_of_f32(gelu_f16_to_f32((uint16_t)i)), quiet_f16 = 0;
        uint32_t wide_bf16 = bits_of_f32(gelu_bf16_to_f32((uint16_t)i)), quiet_bf16 = 0;
        if (is_nan_bits(GELU_F16, i)) quiet_f16 = 0x00400000; /* "exact" may keep a signalling NaN or quiet it */
        if (is_nan_bits(GELU_BF16, i)) quiet_bf16 = 0x00400000;
        assert_int_equal(wide_f16 | quiet_f16, ref_convert(GELU_F16, i, GELU_F32));
        assert_int_equal(wide_bf16 | quiet_bf16, ref_convert(GELU_BF16, i, GELU_F32));
    }
    assert_int_equal(bits_of_f32(gelu_f16_to_f32(0x0001)), 0x33800000); /* 5.96046448e-08 */
    assert_int_equal(bits_of_f32(gelu_f16_to_f32(0x03ff)), 0x387fc000); /* 6.09755516e-05 */
}

/* Where rounding turns over: around each value of the narrow type and around each midpoint. With a sweep in between,
 * nothing is left to a conversion that is monotone. */
static void narrowing_turns_over_where_it_should(gelu_dtype from, gelu_dtype to) {
    static struct batch b;
    b = (struct batch){.from = from, .to = to};
    struct format t = format_of(to);
    for (uint64_t i = 0; i < t.infinity; i++) {
        uint64_t here = ref_convert(to, i, from);
        uint64_t next = i + 1 < t.infinity
                            ? ref_convert(to, i + 1, from)
                            : (uint64_t)(format_of(from).bias + t.bias + 1) << format_of(from).mantissa_bits;
        if (from == GELU_F32 && next > 0x7f800000) next = 0x7f800000;
        uint64_t middle = here + (next - here) / 2;
        const uint64_t around[] = {here, here + 1, middle - 1, middle, middle + 1, next - 1};
        for (size_t k = 0; k < 6; k++) {
            batch_add(&b, around[k]);
            batch_add(&b, around[k] | format_of(from).sign);
        }
    }
    batch_check(&b);
}

static void narrowing_boundaries(void **state) {
    (void)state;
    narrowing_turns_over_where_it_should(GELU_F32, GELU_F16);
    narrowing_turns_over_where_it_should(GELU_F32, GELU_BF16);
    narrowing_turns_over_where_it_should(GELU_F64, GELU_F16);
    narrowing_turns_over_where_it_should(GELU_F64, GELU_BF16);
}

static void narrowing_sweep_of_f32(void **state) {
    (void)state;
    static struct batch b;
    uint64_t step = TEST_SANITIZED ? 9973 : 61;
    for (int to = GELU_F16; to <= GELU_BF16; to++) {
        b = (struct batch){.from = GELU_F32, .to = (gelu_dtype)to};
        for (uint64_t i = 0; i <= 0xffffffffu; i += step) batch_add(&b, i);
        batch_check(&b);
    }
    for (uint64_t i = 0; i <= 0xffffffffu; i += 9973) {
        float x = f32_of_bits((uint32_t)i);
        assert_int_equal(gelu_f16_from_f32(x), ref_convert(GELU_F32, i, GELU_F16));
        assert_int_equal(gelu_bf16_from_f32(x), ref_convert(GELU_F32, i, GELU_BF16));
    }
}

/* f64 values next to a midpoint of the narrow type: rounding by way of f32 first would move them onto it. */
static void f64_is_not_rounded_twice(void **state) {
    (void)state;
    static struct batch b;
    uint64_t seed = 1;
    int count = TEST_SANITIZED ? 20000 : 400000;
    for (int to = DTYPE_FIRST; to <= DTYPE_LAST; to++) {
        if (to == GELU_F64) continue;
        b = (struct batch){.from = GELU_F64, .to = (gelu_dtype)to};
        struct format t = format_of((gelu_dtype)to);
        int lowest = 1 - t.bias, span = 2 * t.bias + t.mantissa_bits;
        for (int i = 0; i < count; i++) {
            int exponent = t.bias - (int)(random_bits(&seed) % (uint64_t)span);
            int kept = t.mantissa_bits - (exponent < lowest ? lowest - exponent : 0);
            uint64_t r = random_bits(&seed), mantissa = kept > 0 ? r >> (64 - kept) << (52 - kept) : 0;
            uint64_t half = kept >= 0 ? 1ull << (51 - kept) : 0;
            uint64_t bits = (r & 1) << 63 | (uint64_t)(exponent + 1023) << 52 | (mantissa + half);
            batch_add(&b, bits);
            batch_add(&b, bits + 1);
            batch_add(&b, bits - 1);
            batch_add(&b, random_bits(&seed));
        }
        batch_check(&b);
    }
}

static void known_patterns(void **state) {
    (void)state;
    static const struct {
        uint32_t f32;
        uint16_t bf16, f16;
    } rows[] = {
        {0x7f800001, 0x7fc0, 0x7e00}, {0x7fff8c22, 0x7fff, 0x7ffc}, {0xff800001, 0xffc0, 0xfe00},
        {0x3f808000, 0x3f80, 0x3c04}, {0x3f818000, 0x3f82, 0x3c0c}, {0x7f7fffff, 0x7f80, 0x7c00},
        {0x3e89ccd5, 0x3e8a, 0x344e}, {0x477fefff, 0x4780, 0x7bff}, {0x477ff000, 0x4780, 0x7c00},
        {0x33000000, 0x3300, 0x0000}, {0x33000001, 0x3300, 0x0001}, {0xb3000001, 0xb300, 0x8001},
        {0x00008000, 0x0000, 0x0000}, {0x00008001, 0x0001, 0x0000}, {0x80018000, 0x8002, 0x8000},
        {0xff800000, 0xff80, 0xfc00},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(gelu_bf16_from_f32(f32_of_bits(rows[i].f32)), rows[i].bf16);
        assert_int_equal(gelu_f16_from_f32(f32_of_bits(rows[i].f32)), rows[i].f16);
    }
}

static void any_length_at_any_offset(void **state) {
    (void)state;
    struct guard in = guard_open(4096), out = guard_open(4096);
    unsigned char source[67 * 8];
    for (int from = DTYPE_FIRST; from <= DTYPE_LAST; from++)
        for (int to = DTYPE_FIRST; to <= DTYPE_LAST; to++)
            for (size_t n = 0; n <= 67; n++) {
                size_t from_size = gelu_dtype_nbytes((gelu_dtype)from), to_size = gelu_dtype_nbytes((gelu_dtype)to);
                fill_random((gelu_dtype)from, n, n + 1, source);
                void *src = guard_high(&in, n * from_size, n % 8 * from_size);
                void *dst = guard_high(&out, n * to_size, n % 5 * to_size);
                memcpy(src, source, n * from_size);
                guard_fill(&out);
                assert_int_equal(gelu_convert(n, (gelu_dtype)from, src, (gelu_dtype)to, dst), GELU_OK);
                assert_true(guard_intact(&out, dst, n * to_size));
                assert_memory_equal(src, source, n * from_size);
                for (size_t i = 0; i < n; i++)
                    assert_true(
                        element_bits((gelu_dtype)to, dst, i) ==
                        ref_convert((gelu_dtype)from, element_bits((gelu_dtype)from, source, i), (gelu_dtype)to));
            }
    guard_close(&in);
    guard_close(&out);
}

static void in_place_with_equal_sizes(void **state) {
    (void)state;
    for (int from = DTYPE_FIRST; from <= DTYPE_LAST; from++)
        for (int to = DTYPE_FIRST; to <= DTYPE_LAST; to++) {
            uint64_t source[67], apart[67], place[67];
            fill_random((gelu_dtype)from, 67, 5, source);
            memcpy(place, source, sizeof place);
            if (gelu_dtype_nbytes((gelu_dtype)from) != gelu_dtype_nbytes((gelu_dtype)to)) {
                assert_int_equal(gelu_convert(67, (gelu_dtype)from, place, (gelu_dtype)to, place), GELU_ERR_ALIAS);
                assert_memory_equal(place, source, sizeof place);
                continue;
            }
            assert_int_equal(gelu_convert(67, (gelu_dtype)from, source, (gelu_dtype)to, apart), GELU_OK);
            assert_int_equal(gelu_convert(67, (gelu_dtype)from, place, (gelu_dtype)to, place), GELU_OK);
            assert_memory_equal(place, apart, 67 * gelu_dtype_nbytes((gelu_dtype)to));
        }
}

static void refusals(void **state) {
    (void)state;
    uint32_t a[16], before[16];
    uint16_t b[16];
    memset(a, GUARD_CANARY, sizeof a);
    memset(b, GUARD_CANARY, sizeof b);
    memcpy(before, a, sizeof a);
    assert_int_equal(gelu_convert(8, GELU_F32, a, GELU_F32, a + 1), GELU_ERR_ALIAS);
    assert_int_equal(gelu_convert(8, GELU_F32, a + 7, GELU_F32, a), GELU_ERR_ALIAS);
    assert_int_equal(gelu_convert(8, GELU_F32, a, GELU_F16, a + 7), GELU_ERR_ALIAS);
    assert_int_equal(gelu_convert(8, GELU_F16, (uint16_t *)a + 15, GELU_F32, a), GELU_ERR_ALIAS);
    assert_int_equal(gelu_convert(4, (gelu_dtype)0, a, GELU_F32, a + 8), GELU_ERR_DTYPE);
    assert_int_equal(gelu_convert(4, GELU_F32, a, (gelu_dtype)5, a + 8), GELU_ERR_DTYPE);
    assert_int_equal(gelu_convert(4, GELU_F32, a, (gelu_dtype)-1, a + 8), GELU_ERR_DTYPE);
    assert_int_equal(gelu_convert(4, GELU_F32, NULL, GELU_F16, b), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_convert(4, GELU_F32, a, GELU_F16, NULL), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_convert(0, GELU_F32, NULL, GELU_F16, NULL), GELU_OK);
    assert_int_equal(gelu_convert(0, GELU_F32, a, GELU_F64, a), GELU_OK);
    assert_memory_equal(a, before, sizeof a);
    for (size_t i = 0; i < 16; i++) assert_int_equal(b[i], 0xAAAA);
    assert_int_equal(gelu_convert(8, GELU_F32, a, GELU_F32, a + 8), GELU_OK);
    assert_int_equal(gelu_convert(8, GELU_F32, a, GELU_F16, a + 8), GELU_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_types_are_complete),
        cmocka_unit_test(small_types_survive_a_round_trip),
        cmocka_unit_test(narrowing_boundaries),
        cmocka_unit_test(narrowing_sweep_of_f32),
        cmocka_unit_test(f64_is_not_rounded_twice),
        cmocka_unit_test(known_patterns),
        cmocka_unit_test(any_length_at_any_offset),
        cmocka_unit_test(in_place_with_equal_sizes),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
