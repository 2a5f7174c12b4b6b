/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Special values, and the values that users have reported to be wrong elsewhere, to the bit. The expected bits come
 * from mpmath with 140 digits, rounded once. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include "unit/act_ops.h"
#include "unit/ref_convert.h"

/* Runs one input at the start, in the middle and in the tail of an array of 19. */
static uint64_t run_bits(enum op op, gelu_act act, gelu_dtype dtype, uint64_t in) {
    enum { N = 19 };
    static const size_t positions[] = {0, 7, N - 1};
    uint64_t x[N], y[N], first = 0;
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < N; i++) set_element_bits(dtype, x, i, 0);
        set_element_bits(dtype, x, positions[k], in);
        run_op(op, act, dtype, N, x, y);
        uint64_t got = element_bits(dtype, y, positions[k]);
        if (k == 0) first = got;
        assert_true(got == first);
    }
    return first;
}

static void expect_bits(enum op op, gelu_act act, gelu_dtype dtype, uint64_t in, uint64_t want) {
    uint64_t got = run_bits(op, act, dtype, in);
    if (got != want)
        fail_msg("%s of %s, %s %llx: %llx, not %llx", op_name(op), gelu_act_name(act), gelu_dtype_name(dtype),
                 (unsigned long long)in, (unsigned long long)got, (unsigned long long)want);
}

static uint64_t bits_in(gelu_dtype dtype, double x) { return ref_narrow(bits_of_f64(x), dtype); }

static bool is_smooth_gelu(int act) {
    return act == GELU_ERF || act == GELU_TANH || act == GELU_QUICK || act == GELU_SILU;
}

#define FOR_EACH_DTYPE(dtype) for (gelu_dtype dtype = DTYPE_FIRST; dtype <= DTYPE_LAST; dtype++)

static void forward_table(void **state) {
    (void)state;
    FOR_EACH_DTYPE(dtype) for (int act = 0; act < ACT_COUNT; act++) {
        struct format f = format_of(dtype);
        uint64_t minus_zero = f.sign, low; /* the limit at -inf */
        if (act == GELU_IDENTITY)
            low = f.sign | f.infinity;
        else if (act == GELU_RELU)
            low = 0;
        else if (act == GELU_ELU)
            low = bits_in(dtype, -1);
        else
            low = minus_zero;
        expect_bits(OP_FORWARD, (gelu_act)act, dtype, 0, 0);
        expect_bits(OP_FORWARD, (gelu_act)act, dtype, minus_zero, minus_zero);
        expect_bits(OP_FORWARD, (gelu_act)act, dtype, f.infinity, f.infinity);
        expect_bits(OP_FORWARD, (gelu_act)act, dtype, f.sign | f.infinity, low);
        const double large[] = {200, 1e3, 1e4, 65504, 1e10, 1e20, 1e30, 3.4028234663852886e38, 1e300};
        for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
            uint64_t x = bits_in(dtype, large[i]);
            if (x >= f.infinity) x = f.infinity - 1; /* the largest finite number */
            expect_bits(OP_FORWARD, (gelu_act)act, dtype, x, x);
            if (dtype == GELU_F64 && large[i] < 1e3) continue;
            expect_bits(OP_FORWARD, (gelu_act)act, dtype, f.sign | x, act == GELU_IDENTITY ? f.sign | x : low);
        }
    }
}

static void nan_keeps_sign_and_payload(void **state) {
    (void)state;
    uint64_t seed = 7;
    FOR_EACH_DTYPE(dtype) for (int act = 0; act < ACT_COUNT; act++) {
        struct format f = format_of(dtype);
        for (int i = 0; i < 200; i++) {
            uint64_t payload = random_bits(&seed) & (f.quiet - 1);
            uint64_t nan = f.infinity | payload | (i & 1 ? f.sign : 0) | (i & 2 || payload == 0 ? f.quiet : 0);
            if (i < 2) nan = f.infinity | 1 | (i & 1 ? f.sign : 0); /* f32: 0x7f800001 */
            expect_bits(OP_FORWARD, (gelu_act)act, dtype, nan, nan | f.quiet);
            for (int op = OP_GRAD; op <= OP_GRAD2; op++) {
                bool constant = act == GELU_IDENTITY || (op == OP_GRAD2 && act == GELU_RELU);
                if (constant || !op_exists((enum op)op, dtype)) continue;
                uint64_t got = run_bits((enum op)op, (gelu_act)act, dtype, nan);
                assert_true(is_nan_bits(dtype, got) && (got & f.quiet));
            }
        }
    }
}

static void grad_table(void **state) {
    (void)state;
    FOR_EACH_DTYPE(dtype) for (int act = 0; act < ACT_COUNT; act++) {
        struct format f = format_of(dtype);
        uint64_t one = bits_in(dtype, 1), low = is_smooth_gelu(act) ? f.sign : 0, zero = one;
        if (act == GELU_IDENTITY) low = one;
        if (act == GELU_RELU) zero = 0;
        if (is_smooth_gelu(act)) zero = bits_in(dtype, 0.5);
        expect_bits(OP_GRAD, (gelu_act)act, dtype, 0, zero);
        expect_bits(OP_GRAD, (gelu_act)act, dtype, f.sign, zero);
        const uint64_t large[] = {f.infinity,           f.infinity - 1,         bits_in(dtype, 1e3),
                                  bits_in(dtype, 1e4),  bits_in(dtype, 1e20),   bits_in(dtype, 1e30),
                                  bits_in(dtype, 1e38), bits_in(dtype, 5000.5), bits_in(dtype, 65504)};
        for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
            expect_bits(OP_GRAD, (gelu_act)act, dtype, large[i], one);
            expect_bits(OP_GRAD, (gelu_act)act, dtype, f.sign | large[i], low);
        }
    }
}

static void grad2_table(void **state) {
    (void)state;
    for (gelu_dtype dtype = GELU_F32; dtype <= GELU_F64; dtype++)
        for (int act = 0; act < ACT_COUNT; act++) {
            struct format f = format_of(dtype);
            const uint64_t large[] = {f.infinity, f.infinity - 1, bits_in(dtype, 1e4), bits_in(dtype, 1e20)};
            for (size_t i = 0; i < 4; i++)
                for (int negative = 0; negative < 2; negative++) {
                    uint64_t got = run_bits(OP_GRAD2, (gelu_act)act, dtype, large[i] | (negative ? f.sign : 0));
                    assert_true((got & ~f.sign) == 0);
                }
            if (act == GELU_IDENTITY || act == GELU_RELU || act == GELU_ELU)
                for (int i = -3; i <= 3; i++)
                    if (act != GELU_ELU || i >= 0) expect_bits(OP_GRAD2, (gelu_act)act, dtype, bits_in(dtype, i), 0);
        }
    expect_bits(OP_GRAD2, GELU_ELU, GELU_F32, 0x80000000u, 0); /* -0 counts as x >= 0 */
}

/* Half of an odd subnormal looks like a tie, and is none: the exact value lies just above x / 2. */
static void ties_of_subnormals(void **state) {
    (void)state;
    FOR_EACH_DTYPE(dtype) for (int act = 0; act < ACT_COUNT; act++) {
        struct format f = format_of(dtype);
        uint64_t normal = 1ull << f.mantissa_bits;
        if (!is_smooth_gelu(act)) {
            expect_bits(OP_FORWARD, (gelu_act)act, dtype, 1, 1);
            expect_bits(OP_FORWARD, (gelu_act)act, dtype, f.sign | 1, act == GELU_RELU ? 0 : f.sign | 1);
            continue;
        }
        if (dtype == GELU_F64) continue; /* 1 ULP is allowed there */
        for (uint64_t i = 1; i < 40; i++) {
            expect_bits(OP_FORWARD, (gelu_act)act, dtype, i, (i + 1) / 2);
            expect_bits(OP_FORWARD, (gelu_act)act, dtype, f.sign | i, f.sign | i / 2);
        }
        expect_bits(OP_FORWARD, (gelu_act)act, dtype, normal, normal / 2);
        expect_bits(OP_FORWARD, (gelu_act)act, dtype, f.sign | normal, f.sign | normal / 2);
        expect_bits(OP_FORWARD, (gelu_act)act, dtype, normal - 1, normal / 2);
        expect_bits(OP_FORWARD, (gelu_act)act, dtype, f.sign | (normal - 1), f.sign | (normal / 2 - 1));
        expect_bits(OP_FORWARD, (gelu_act)act, dtype, normal + 1, normal / 2 + 1);
        expect_bits(OP_FORWARD, (gelu_act)act, dtype, f.sign | (normal + 1), f.sign | normal / 2);
    }
}

struct row {
    enum op op;
    gelu_act act;
    float x;
    uint32_t want;
};

static const struct row reported_f32[] = {
    {OP_FORWARD, GELU_ERF, -5.5f, 0xb3e049ec},
    {OP_FORWARD, GELU_ERF, -6, 0xb1cb64b3},
    {OP_FORWARD, GELU_ERF, -8, 0xa7b34e96},
    {OP_FORWARD, GELU_ERF, -10, 0x9ab83c9b},
    {OP_FORWARD, GELU_ERF, -13, 0x81d87b8a},
    {OP_FORWARD, GELU_ERF, -3, 0xbb84b34c},
    {OP_FORWARD, GELU_ERF, -4, 0xb904d6bd},
    {OP_FORWARD, GELU_ERF, -3.5f, 0xba557028},
    {OP_FORWARD, GELU_ERF, -1, 0xbe227686},
    {OP_FORWARD, GELU_ERF, -0.5f, 0xbe1df8a2},
    {OP_FORWARD, GELU_ERF, 1, 0x3f57625f},
    {OP_FORWARD, GELU_ERF, 2, 0x3ffa2d0c},
    {OP_FORWARD, GELU_ERF, -5, 0xb5c05e5d},
    {OP_FORWARD, GELU_ERF, 0.25f, 0x3e1944d1},
    {OP_FORWARD, GELU_ERF, -14, 0x8000004e},
    {OP_FORWARD, GELU_ERF, -13.5f, 0x8001263e},
    {OP_FORWARD, GELU_ERF, -1.04929312589f, 0xbe1df8a2},
    {OP_FORWARD, GELU_TANH, -6, 0xaeb996fd},
    {OP_FORWARD, GELU_TANH, -8, 0x9d6ad144},
    {OP_FORWARD, GELU_TANH, -10, 0x8223e47f},
    {OP_FORWARD, GELU_TANH, -13.24f, 0x80000000},
    {OP_FORWARD, GELU_TANH, 13.24f, 0x4153d70a},
    {OP_FORWARD, GELU_TANH, 0.1f, 0x3d5d1d05},
    {OP_FORWARD, GELU_TANH, 9.999f, 0x411ffbe7},
    {OP_FORWARD, GELU_TANH, -5, 0xb476146a},
    {OP_FORWARD, GELU_TANH, -4, 0xb8935102},
    {OP_FORWARD, GELU_TANH, -1, 0xbe229e91},
    {OP_FORWARD, GELU_TANH, -0.5f, 0xbe1dfd26},
    {OP_FORWARD, GELU_TANH, 1, 0x3f57585c},
    {OP_FORWARD, GELU_TANH, 2, 0x3ffa3042},
    {OP_FORWARD, GELU_TANH, 20.625f, 0x41a50000},
    {OP_FORWARD, GELU_TANH, 70000, 0x4788b800},
    {OP_FORWARD, GELU_TANH, -70000, 0x80000000},
    {OP_FORWARD, GELU_TANH, 1000, 0x447a0000},
    {OP_FORWARD, GELU_TANH, -1000, 0x80000000},
    {OP_FORWARD, GELU_QUICK, 1, 0x3f588612},
    {OP_FORWARD, GELU_QUICK, 2, 0x3ff7c3a9},
    {OP_FORWARD, GELU_QUICK, -8, 0xb723da7e},
    {OP_FORWARD, GELU_QUICK, -5, 0xba83fddc},
    {OP_FORWARD, GELU_QUICK, -4, 0xbb90a964},
    {OP_FORWARD, GELU_QUICK, -1, 0xbe1de7b7},
    {OP_FORWARD, GELU_QUICK, -0.5f, 0xbe1933c6},
    {OP_FORWARD, GELU_QUICK, -10000, 0x80000000},
    {OP_FORWARD, GELU_QUICK, -1e30f, 0x80000000},
    {OP_GRAD, GELU_ERF, -3.7f, 0xbabfdfe6},
    {OP_GRAD, GELU_ERF, -4, 0xba04075b},
    {OP_GRAD, GELU_ERF, 3.1719f, 0x3f80f630},
    {OP_GRAD, GELU_ERF, 5, 0x3f80003c},
    {OP_GRAD, GELU_ERF, -3.5f, 0xbb38ed48},
    {OP_GRAD, GELU_ERF, -5, 0xb6efcfcc},
    {OP_GRAD, GELU_ERF, -13, 0x83afe150},
    {OP_GRAD, GELU_ERF, 1, 0x3f8aaa15},
    {OP_GRAD, GELU_ERF, -1, 0xbdaaa14d},
    {OP_GRAD, GELU_ERF, 2, 0x3f8ae8e0},
    {OP_GRAD, GELU_ERF, -8, 0xa93339bf},
    {OP_GRAD, GELU_ERF, -0.5f, 0x3e07af5c},
    {OP_GRAD, GELU_ERF, 5.911f, 0x3f800000},
    {OP_GRAD, GELU_ERF, 5.92f, 0x3f800000},
    {OP_GRAD, GELU_ERF, -1.04929312589f, 0xbdc145ae},
    {OP_GRAD, GELU_TANH, 1, 0x3f8a9e91},
    {OP_GRAD, GELU_TANH, -1, 0xbda9e913},
    {OP_GRAD, GELU_TANH, 3, 0x3f817b97},
    {OP_GRAD, GELU_TANH, -5, 0xb5cf8c98},
    {OP_GRAD, GELU_QUICK, 1, 0x3f88ad01},
    {OP_GRAD, GELU_QUICK, -4, 0xbbd1c6eb},
    {OP_FORWARD, GELU_ERF, 1e-30f, 0x0d224260},
    {OP_FORWARD, GELU_ERF, -1e-30f, 0x8d224260},
    {OP_FORWARD, GELU_ERF, 0x1p-126f, 0x00400000},
    {OP_FORWARD, GELU_ERF, 0x1p-149f, 0x00000001},
    {OP_FORWARD, GELU_ERF, -0x1p-149f, 0x80000000},
    {OP_GRAD, GELU_ERF, 1e20f, 0x3f800000},
    {OP_GRAD, GELU_ERF, -1e20f, 0x80000000},
    {OP_FORWARD, GELU_ERF, -3.40282347e38f, 0x80000000},
    {OP_FORWARD, GELU_ERF, 3.40282347e38f, 0x7f7fffff},
    {OP_GRAD, GELU_TANH, 1e20f, 0x3f800000},
    {OP_GRAD, GELU_TANH, -1e20f, 0x80000000},
    {OP_FORWARD, GELU_TANH, -3.40282347e38f, 0x80000000},
    {OP_FORWARD, GELU_TANH, 3.40282347e38f, 0x7f7fffff},
};

static void reported_values_f32(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof reported_f32 / sizeof reported_f32[0]; i++)
        expect_bits(reported_f32[i].op, reported_f32[i].act, GELU_F32, bits_of_f32(reported_f32[i].x),
                    reported_f32[i].want);
}

/* The last input on each side of a threshold. */
static void thresholds_f32(void **state) {
    (void)state;
    static const struct {
        gelu_act act;
        uint32_t x, want;
    } rows[] = {
        {GELU_ERF, 0xc165b274, 0x80000001},  {GELU_ERF, 0xc165b275, 0x80000000},   {GELU_TANH, 0xc12c5579, 0x80000001},
        {GELU_TANH, 0xc12c557a, 0x80000000}, {GELU_QUICK, 0xc27e1c01, 0x80000001}, {GELU_QUICK, 0xc27e1c02, 0x80000000},
        {GELU_SILU, 0xc2d95213, 0x80000001}, {GELU_SILU, 0xc2d95214, 0x80000000},  {GELU_ERF, 0x40ab1ed8, 0x40ab1ed7},
        {GELU_ERF, 0x40ab1ed9, 0x40ab1ed9},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_bits(OP_FORWARD, rows[i].act, GELU_F32, rows[i].x, rows[i].want);
}

static void reported_values_16_bits(void **state) {
    (void)state;
    static const uint16_t erf[][2] = {{0xc000, 0xbd3a}, {0xc020, 0xbc7e}, {0xc040, 0xbb85},
                                      {0xc060, 0xba55}, {0xc080, 0xb905}, {0xc158, 0x8001}};
    for (size_t i = 0; i < 6; i++) expect_bits(OP_FORWARD, GELU_ERF, GELU_BF16, erf[i][0], erf[i][1]);
    expect_bits(OP_FORWARD, GELU_ERF, GELU_BF16, 0xb4ab, 0xb42b);
    expect_bits(OP_FORWARD, GELU_ERF, GELU_F32, 0xb4ab0000u, 0xb42afffdu);
    for (uint64_t x = 0x4100; x <= 0x4178; x += 8) expect_bits(OP_FORWARD, GELU_TANH, GELU_BF16, x, x); /* 8 to 15.5 */
    expect_bits(OP_FORWARD, GELU_TANH, GELU_F16, bits_in(GELU_F16, 100), bits_in(GELU_F16, 100));
    expect_bits(OP_FORWARD, GELU_TANH, GELU_F16, bits_in(GELU_F16, -100), 0x8000);
    expect_bits(OP_FORWARD, GELU_TANH, GELU_F16, bits_in(GELU_F16, -1500), 0x8000);
    expect_bits(OP_GRAD, GELU_TANH, GELU_F16, bits_in(GELU_F16, 100), 0x3c00);
    expect_bits(OP_GRAD, GELU_TANH, GELU_F16, bits_in(GELU_F16, -100), 0x8000);
}

static void reported_values_f64(void **state) {
    (void)state;
    static const struct {
        gelu_act act;
        double x;
        uint64_t want;
    } rows[] = {
        {GELU_ERF, -10, 0xbb57079362639d51u},       {GELU_ERF, -20, 0xadd1876296f504b2u},
        {GELU_ERF, 1, 0x3feaec4bd120d37du},         {GELU_ERF, -1, 0xbfc44ed0bb7cb20bu},
        {GELU_ERF, 2, 0x3fff45a183e9b13du},         {GELU_ERF, -5.5, 0xbe7c093d8972fbbeu},
        {GELU_ERF, 21.657723, 0x4035a86088d6d3b7u}, {GELU_TANH, -10, 0xb8447c8fd5284feau},
        {GELU_TANH, -20, 0x89da927dc6157cb0u},      {GELU_TANH, 1, 0x3feaeb0b772a3ae1u},
        {GELU_TANH, -1, 0xbfc453d22357147au},       {GELU_TANH, 2, 0x3fff46083b4f1aa6u},
        {GELU_TANH, -5.5, 0xbe39758267bcd0bbu},     {GELU_TANH, 21.657723, 0x4035a86088d6d3b7u},
        {GELU_QUICK, -10, 0xbe9b3b86406285f9u},     {GELU_QUICK, -20, 0xbd228a4deac4380fu},
        {GELU_QUICK, 1, 0x3feb10c24838db0au},       {GELU_QUICK, -1, 0xbfc3bcf6df1c93d6u},
        {GELU_QUICK, 2, 0x3ffef8752d29ff07u},       {GELU_QUICK, -5.5, 0xbf3f003c79881b9au},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t got = run_bits(OP_FORWARD, rows[i].act, GELU_F64, bits_of_f64(rows[i].x));
        uint64_t apart = got > rows[i].want ? got - rows[i].want : rows[i].want - got;
        if (apart > 1) fail_msg("%s(%g) is %llu ULP off", gelu_act_name(rows[i].act), rows[i].x, (long long)apart);
    }
    expect_bits(OP_FORWARD, GELU_TANH, GELU_F64, bits_of_f64(21.657723), bits_of_f64(21.657723));
}

static void second_derivative(void **state) {
    (void)state;
    static const float x[] = {0, 1, 2, 1.41421354f};
    static const float want[] = {0.797884583f, 0.241970718f, -0.107981935f, 1.00469444e-08f};
    float y[4];
    gelu_grad2_f32(GELU_ERF, 4, x, y);
    for (size_t i = 0; i < 3; i++) assert_true(abs((int)(bits_of_f32(y[i]) - bits_of_f32(want[i]))) <= 1);
    assert_true(fabs((double)y[3] - (double)want[3]) <= 0x1p-34); /* next to the root at sqrt 2 */
}

/* The variants are not aliases of each other: where they are furthest apart, they are exactly that far. */
static void variants_differ(void **state) {
    (void)state;
    const double x[] = {-2.699, 2.699, -2.27, 2.27};
    double erf[4], tanh[4], quick[4];
    gelu_forward_f64(GELU_ERF, 4, x, erf);
    gelu_forward_f64(GELU_TANH, 4, x, tanh);
    gelu_forward_f64(GELU_QUICK, 4, x, quick);
    for (size_t i = 0; i < 2; i++) assert_true(fabs(fabs(erf[i] - tanh[i]) - 4.732e-4) < 1e-7);
    for (size_t i = 2; i < 4; i++) assert_true(fabs(fabs(erf[i] - quick[i]) - 0.02033) < 5e-6);
}

/* f is not injective, so a backward that takes the output could not exist. */
static void backward_needs_the_input(void **state) {
    (void)state;
    const float x[2] = {-0.5f, -1.04929312589f}, one[2] = {1, 1};
    float y[2], dx[2];
    gelu_forward_f32(GELU_ERF, 2, x, y);
    gelu_backward_f32(GELU_ERF, 2, x, one, dx);
    assert_true(bits_of_f32(y[0]) == bits_of_f32(y[1]));
    assert_true(dx[0] > 0 && dx[1] < 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_table),       cmocka_unit_test(nan_keeps_sign_and_payload),
        cmocka_unit_test(grad_table),          cmocka_unit_test(grad2_table),
        cmocka_unit_test(ties_of_subnormals),  cmocka_unit_test(reported_values_f32),
        cmocka_unit_test(thresholds_f32),      cmocka_unit_test(reported_values_16_bits),
        cmocka_unit_test(reported_values_f64), cmocka_unit_test(second_derivative),
        cmocka_unit_test(variants_differ),     cmocka_unit_test(backward_needs_the_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
