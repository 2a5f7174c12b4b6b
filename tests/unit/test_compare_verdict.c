/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The rules by which `gelu compare` judges, on figures made up for each of their branches and edges. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* The command is no library. */
#include "../../cli/compare_verdict.c"

static void assert_verdict(const compare_claim *claim, compare_verdict verdict) {
    assert_int_equal(claim->verdict, verdict);
    assert_non_null(claim->rule);
    assert_true(claim->because[0] != '\0');
}

static void test_smooth(void **state) {
    (void)state;
    static const struct {
        double coarse[2], fine[2]; /* ReLU, GELU; 64 times finer */
        compare_verdict verdict;
    } cases[] = {
        {{1, 0.064}, {1, 0.001}, COMPARE_HOLDS},           {{1, 0.064}, {1, 0.00109}, COMPARE_HOLDS},
        {{1, 0.064}, {1, 0.00111}, COMPARE_FAILS},         {{1, 1}, {1, 1}, COMPARE_FAILS},
        {{0.064, 0.064}, {0.001, 0.001}, COMPARE_DEPENDS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        compare_claim claim = {0};
        double coarse[COMPARE_ACTS] = {cases[i].coarse[0], cases[i].coarse[1]};
        double fine[COMPARE_ACTS] = {cases[i].fine[0], cases[i].fine[1]};
        compare_judge_smooth(&claim, coarse, fine, 64);
        assert_verdict(&claim, cases[i].verdict);
    }
}

static void test_stochastic(void **state) {
    (void)state;
    compare_claim claim = {0};
    double errors[COMPARE_ACTS] = {700, 4};
    compare_judge_stochastic(&claim, errors);
    assert_verdict(&claim, COMPARE_HOLDS);
    errors[COMPARE_GELU] = 4.01;
    compare_judge_stochastic(&claim, errors);
    assert_verdict(&claim, COMPARE_FAILS);
    errors[COMPARE_GELU] = NAN;
    compare_judge_stochastic(&claim, errors);
    assert_verdict(&claim, COMPARE_FAILS);
}

static void test_normal(void **state) {
    (void)state;
    static const struct {
        double initial[2], trained[2];
        compare_verdict verdict;
    } cases[] = {
        {{0, 0}, {0.5, -1}, COMPARE_HOLDS},   {{0, 0}, {0.51, 0}, COMPARE_DEPENDS},
        {{0, 1.01}, {0, 0}, COMPARE_DEPENDS}, {{-0.6, 0}, {0, -1.1}, COMPARE_FAILS},
        {{NAN, 0}, {0, 0}, COMPARE_DEPENDS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        compare_claim claim = {0};
        compare_judge_normal(&claim, cases[i].initial, cases[i].trained);
        assert_verdict(&claim, cases[i].verdict);
    }
}

static void test_sparse(void **state) {
    (void)state;
    static const struct {
        double zeros[2], near[2];
        compare_verdict verdict;
    } cases[] = {
        {{50, 45}, {52, 46}, COMPARE_HOLDS},
        {{50, 44.9}, {52, 47}, COMPARE_DEPENDS},
        {{50, 0}, {52, 10}, COMPARE_FAILS},
        {{0, 0}, {1, 1}, COMPARE_HOLDS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        compare_claim claim = {0};
        double zeros[COMPARE_ACTS] = {cases[i].zeros[0], cases[i].zeros[1]};
        double near[COMPARE_ACTS] = {cases[i].near[0], cases[i].near[1]};
        compare_judge_sparse(&claim, zeros, near);
        assert_verdict(&claim, cases[i].verdict);
    }
}

static void test_cost(void **state) {
    (void)state;
    static const struct {
        double alone[2], block[2];
        compare_verdict verdict;
        bool noisy;
    } cases[] = {{{1, 1}, {1, 1}, COMPARE_HOLDS, false},        {{0.9, 1.1}, {1, 1.1}, COMPARE_HOLDS, false},
                 {{9, 40}, {0.9, 1.1}, COMPARE_DEPENDS, false}, {{9, 9}, {1.11, 1.66}, COMPARE_FAILS, false},
                 {{1, 1}, {1.11, 1.11}, COMPARE_FAILS, false},  {{9, 9}, {1.09, 1.11}, COMPARE_DEPENDS, true},
                 {{1, 1.11}, {1, 1}, COMPARE_DEPENDS, true},    {{9, 9}, {0.066, 1.05}, COMPARE_DEPENDS, true},
                 {{9, 9}, {1.2, 1.81}, COMPARE_DEPENDS, true},  {{1, 1}, {NAN, NAN}, COMPARE_DEPENDS, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        compare_claim claim = {0};
        compare_judge_cost(&claim, cases[i].alone, cases[i].block);
        assert_verdict(&claim, cases[i].verdict);
        assert_int_equal(strncmp(claim.because, "too noisy", 9) == 0, cases[i].noisy);
    }
}

static void test_dead(void **state) {
    (void)state;
    static const double rate[3] = {0.001, 0.01, 0.1};
    static const struct {
        double relu[3], gelu[3];
        compare_verdict verdict;
    } cases[] = {
        {{0, 1, 2}, {0, 0, 0}, COMPARE_HOLDS},   {{0, 0, 0}, {0, 0, 0}, COMPARE_DEPENDS},
        {{0, 1, 9}, {0, 0, 8}, COMPARE_DEPENDS}, {{0, 1, 9}, {0, 0, 9}, COMPARE_FAILS},
        {{0, 0, 0}, {0, 0, 1}, COMPARE_FAILS},   {{0, 1, NAN}, {0, 0, 5}, COMPARE_HOLDS},
        {{0, 1, 9}, {0, 0, NAN}, COMPARE_HOLDS}, {{NAN, NAN, NAN}, {0, 0, 0}, COMPARE_DEPENDS},
        {{5, 1, 9}, {1, 2, 3}, COMPARE_FAILS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        compare_claim claim = {0};
        compare_judge_dead(&claim, 3, rate, cases[i].relu, cases[i].gelu);
        assert_verdict(&claim, cases[i].verdict);
    }
    compare_claim claim = {0};
    compare_judge_dead(&claim, 3, rate, cases[2].relu, cases[2].gelu);
    assert_string_equal(claim.because,
                        "of the lowest rates with dead units: GELU has 8.0 % at rate 0.1; ReLU has 1.0 % at rate 0.01");
}

static void test_gradient(void **state) {
    (void)state;
    compare_claim claim = {0};
    double relu[10], gelu[10];
    for (int steadier = 0; steadier <= 10; steadier++) {
        for (int i = 0; i < 10; i++) {
            relu[i] = i % 2 ? 0.01 : 100; /* either way is as far */
            gelu[i] = i < steadier ? 0.1 : 0.001;
        }
        compare_judge_gradient(&claim, 10, relu, gelu);
        assert_verdict(&claim, steadier >= 9 ? COMPARE_HOLDS : steadier <= 1 ? COMPARE_FAILS : COMPARE_DEPENDS);
    }
    /* What vanished, or cannot be said, is never steadier. */
    static const double bad[3] = {0, NAN, INFINITY};
    for (int i = 0; i < 3; i++) {
        compare_judge_gradient(&claim, 1, (const double[]){1e-9}, &bad[i]);
        assert_verdict(&claim, COMPARE_FAILS);
        compare_judge_gradient(&claim, 1, &bad[i], (const double[]){1e-9});
        assert_verdict(&claim, COMPARE_HOLDS);
    }
}

static void test_convergence(void **state) {
    (void)state;
    double relu[10], gelu[10];
    for (int below = 0; below <= 10; below++)
        for (int error = -1; error <= 1; error++) {
            for (int i = 0; i < 10; i++) relu[i] = 1, gelu[i] = i < below ? 0.5 : 1;
            compare_claim claim = {0};
            compare_judge_convergence(&claim, 10, relu, gelu, 5, 5 + error);
            compare_verdict verdict = COMPARE_DEPENDS;
            if (below >= 9 && error <= 0) verdict = COMPARE_HOLDS;
            if (below <= 1 && error >= 0) verdict = COMPARE_FAILS;
            assert_verdict(&claim, verdict);
        }
}

static void test_rows(void **state) {
    (void)state;
    compare_claim claim = {0};
    for (int i = 0; i < COMPARE_MAX_ROWS; i++) assert_ptr_equal(compare_add_row(&claim, "key"), &claim.rows[i]);
    assert_ptr_equal(compare_add_row(&claim, "more"), &claim.rows[COMPARE_MAX_ROWS - 1]);
    assert_int_equal(claim.n_rows, COMPARE_MAX_ROWS);
    assert_string_equal(compare_verdict_name(COMPARE_HOLDS), "holds");
    assert_string_equal(compare_verdict_name(COMPARE_FAILS), "does not hold");
    assert_string_equal(compare_verdict_name(COMPARE_DEPENDS), "depends");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_smooth),   cmocka_unit_test(test_stochastic),  cmocka_unit_test(test_normal),
        cmocka_unit_test(test_sparse),   cmocka_unit_test(test_cost),        cmocka_unit_test(test_dead),
        cmocka_unit_test(test_gradient), cmocka_unit_test(test_convergence), cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
