/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What a call leaves behind: no overflow, invalid or division by zero from finite inputs, the control bits and errno as
 * they were. And what a host's FTZ and DAZ may change: subnormals, nothing else. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <fenv.h>
#include "unit/act_ops.h"
#include "unit/ref_convert.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
enum { MXCSR_FLAGS = 0x3f, MXCSR_DAZ = 0x40, MXCSR_FTZ = 0x8000 };
static unsigned control_bits(void) { return _mm_getcsr() & ~(unsigned)MXCSR_FLAGS; }
#else
static unsigned control_bits(void) { return 0; }
#endif

enum { COUNT = 4096 };

/* Inputs of every size, but no NaN: the sweep, each with both signs, and random ones. */
static size_t inputs_without_nan(gelu_dtype dtype, void *x) {
    struct format f = format_of(dtype);
    const double sweep[] = {0,   1e-30, 1e-5, 0.1,   0.5,  0.7517915, 1,    1.41421356, 2,    3,    5,    5.5,
                            6,   7.5,   8,    9,     10,   11,        12,   13,         13.2, 14,   14.4, 15,
                            20,  30,    38.5, 50,    64,   80,        88,   89,         100,  104,  110,  200,
                            300, 500,   700,  709.7, 710,  745,       746,  800,        1e3,  5000, 1e4,  65504,
                            1e5, 1e10,  1e13, 1e19,  1e20, 1e30,      1e36, 1e38};
    size_t n = 0;
    for (size_t i = 0; i < sizeof sweep / sizeof sweep[0]; i++) {
        uint64_t bits = ref_narrow(bits_of_f64(sweep[i]), dtype);
        if (bits >= f.infinity) bits = f.infinity - 1;
        set_element_bits(dtype, x, n++, bits);
        set_element_bits(dtype, x, n++, bits | f.sign);
    }
    for (uint64_t i = 0; i < 64; i++) { /* the very large and the very small */
        set_element_bits(dtype, x, n++, (f.infinity - 1 - i * i) | (i & 1 ? f.sign : 0));
        set_element_bits(dtype, x, n++, (f.infinity - 1 - i * i) | (i & 1 ? 0 : f.sign));
        set_element_bits(dtype, x, n++, (1 + i * i) | (i & 1 ? f.sign : 0));
        set_element_bits(dtype, x, n++, ((1ull << f.mantissa_bits) + 7 - i) | (i & 1 ? f.sign : 0));
    }
    uint64_t seed = 3;
    set_element_bits(dtype, x, n++, f.infinity);
    set_element_bits(dtype, x, n++, f.infinity | f.sign);
    while (n < COUNT) {
        uint64_t bits = random_bits(&seed) & (f.sign | (f.sign - 1));
        if (!is_nan_bits(dtype, bits) && (bits & ~f.sign) != f.infinity) set_element_bits(dtype, x, n++, bits);
    }
    return n;
}

static void no_exceptions_but_from_nan(void **state) {
    (void)state;
    static uint64_t x[COUNT], y[COUNT];
    for (int op = 0; op < OP_COUNT; op++)
        for (gelu_dtype dtype = DTYPE_FIRST; dtype <= DTYPE_LAST; dtype++) {
            if (!op_exists((enum op)op, dtype)) continue;
            size_t n = inputs_without_nan(dtype, x), size = gelu_dtype_nbytes(dtype);
            for (int act = 0; act < ACT_COUNT; act++)
                for (size_t i = 0; i < n; i += 16) {
                    feclearexcept(FE_ALL_EXCEPT);
                    run_op((enum op)op, (gelu_act)act, dtype, 16, (unsigned char *)x + i * size, y);
                    int raised = fetestexcept(FE_OVERFLOW | FE_INVALID | FE_DIVBYZERO);
                    if (raised)
                        fail_msg("%s of %s, %s: exceptions 0x%x among the 16 from %a", op_name((enum op)op),
                                 gelu_act_name((gelu_act)act), gelu_dtype_name(dtype), (unsigned)raised,
                                 ref_value(dtype, x, i));
                }
        }
    feclearexcept(FE_ALL_EXCEPT);
}

/* Runs every function of the elementwise API once. */
static void run_everything(gelu_act act, gelu_dtype dtype, size_t n, const void *x) {
    static uint64_t y[COUNT], z[COUNT];
    for (int op = 0; op < OP_COUNT; op++)
        if (op_exists((enum op)op, dtype)) run_op((enum op)op, act, dtype, n, x, y);
    run_backward(act, dtype, n, x, x, y);
    assert_int_equal(gelu_forward_2d(act, dtype, 1, n, x, n, y, n), GELU_OK);
    assert_int_equal(gelu_grad_2d(act, dtype, 1, n, x, n, y, n), GELU_OK);
    assert_int_equal(gelu_backward_2d(act, dtype, 1, n, x, n, x, n, y, n), GELU_OK);
    assert_int_equal(gelu_glu_2d(act, dtype, 1, n, x, n, x, n, y, n), GELU_OK);
    assert_int_equal(gelu_glu_backward_2d(act, dtype, 1, n, x, n, x, n, x, n, y, n, z, n), GELU_OK);
    for (gelu_dtype to = DTYPE_FIRST; to <= DTYPE_LAST; to++)
        assert_int_equal(gelu_convert(n, dtype, x, to, y), GELU_OK);
    assert_int_equal(gelu_forward_2d(act, dtype, 2, n / 2, x, n / 2, y, 0), GELU_ERR_SHAPE);
}

static void environment_is_kept(void **state) {
    (void)state;
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    static uint64_t x[COUNT];
    for (gelu_dtype dtype = DTYPE_FIRST; dtype <= DTYPE_LAST; dtype++)
        for (int act = 0; act < ACT_COUNT; act++)
            for (int m = 0; m < 4; m++) {
                inputs_without_nan(dtype, x);
                assert_int_equal(fesetround(modes[m]), 0);
                unsigned before = control_bits();
                errno = 12345;
                run_everything((gelu_act)act, dtype, 600, x);
                int kept = errno, mode = fegetround();
                unsigned after = control_bits();
                fesetround(FE_TONEAREST);
                assert_int_equal(kept, 12345);
                assert_int_equal(mode, modes[m]);
                assert_int_equal(after, before);
            }
}

#if defined(__x86_64__)
/* Subnormal, or the least normal number, onto which a result below it may have been rounded. */
static bool may_be_flushed(gelu_dtype dtype, uint64_t bits) {
    struct format f = format_of(dtype);
    return (bits & ~f.sign) != 0 && (bits & ~f.sign) <= 1ull << f.mantissa_bits;
}

static void host_that_flushes_subnormals(void **state) {
    (void)state;
    static uint64_t x[COUNT], want[COUNT], got[COUNT];
    unsigned normal = _mm_getcsr();
    for (int op = 0; op < OP_COUNT; op++)
        for (gelu_dtype dtype = DTYPE_FIRST; dtype <= DTYPE_LAST; dtype++) {
            if (!op_exists((enum op)op, dtype)) continue;
            size_t n = inputs_without_nan(dtype, x);
            for (int act = 0; act < ACT_COUNT; act++) {
                run_op((enum op)op, (gelu_act)act, dtype, n, x, want);
                _mm_setcsr(normal | MXCSR_DAZ | MXCSR_FTZ);
                run_op((enum op)op, (gelu_act)act, dtype, n, x, got);
                unsigned after = control_bits();
                _mm_setcsr(normal);
                assert_int_equal(after, (normal | MXCSR_DAZ | MXCSR_FTZ) & ~(unsigned)MXCSR_FLAGS);
                for (size_t i = 0; i < n; i++) {
                    uint64_t in = element_bits(dtype, x, i), a = element_bits(dtype, want, i);
                    if (element_bits(dtype, got, i) != a && !may_be_flushed(dtype, in) && !may_be_flushed(dtype, a))
                        fail_msg("%s of %s, %s %llx: %llx under FTZ, not %llx", op_name((enum op)op),
                                 gelu_act_name((gelu_act)act), gelu_dtype_name(dtype), (unsigned long long)in,
                                 (unsigned long long)element_bits(dtype, got, i), (unsigned long long)a);
                }
            }
        }
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_exceptions_but_from_nan),
        cmocka_unit_test(environment_is_kept),
#if defined(__x86_64__)
        cmocka_unit_test(host_that_flushes_subnormals),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
