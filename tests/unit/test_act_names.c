/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>
#include "gelu.h"

struct row {
    const char *name;
    gelu_act act;
};

static void spellings_in_use(void **state) {
    (void)state;
    static const struct row rows[] = {
        /* ours */
        {"identity", GELU_IDENTITY},
        {"relu", GELU_RELU},
        {"erf", GELU_ERF},
        {"tanh", GELU_TANH},
        {"quick", GELU_QUICK},
        {"silu", GELU_SILU},
        {"elu", GELU_ELU},
        /* torch.nn.GELU(approximate=...); "tanh" is above */
        {"none", GELU_ERF},
        /* HF transformers, ACT2FN */
        {"gelu", GELU_ERF},
        {"gelu_python", GELU_ERF},
        {"gelu_new", GELU_TANH},
        {"gelu_fast", GELU_TANH},
        {"gelu_accurate", GELU_TANH},
        {"gelu_pytorch_tanh", GELU_TANH},
        {"quick_gelu", GELU_QUICK},
        {"swish", GELU_SILU},
        {"linear", GELU_IDENTITY},
        /* diffusers; the second is not gated, whatever its name says */
        {"gelu-approximate", GELU_TANH},
        {"geglu-approximate", GELU_QUICK},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gelu_act act = (gelu_act)99;
        if (gelu_act_from_name(rows[i].name, &act) != GELU_OK) fail_msg("\"%s\" is refused", rows[i].name);
        if (act != rows[i].act) fail_msg("\"%s\" is taken for %s", rows[i].name, gelu_act_name(act));
    }
}

static void no_fallback(void **state) {
    (void)state;
    static const char *const refused[] = {
        NULL,    "",           "Tanh",       "TANH",    "gELU",       "Gelu",  "None",     "gelu ",
        " gelu", "gelu_10",    "mish",       "relu6",   "relu2",      "geglu", "GEGLU",    "swiglu",
        "reglu", "gated-gelu", "glu",        "sigmoid", "leaky_relu", "selu",  "softplus", "er",
        "erff",  "gelu_ne",    "gelu_newer", "laplace", "gelu\nnew",  "geluu", "quick_",   "gated_gelu"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        gelu_act act = (gelu_act)99;
        if (gelu_act_from_name(refused[i], &act) != GELU_ERR_NAME) fail_msg("\"%s\" is no error", refused[i]);
        if ((int)act != 99) fail_msg("\"%s\": the output is touched", refused[i]);
    }
}

static void gates(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"geglu", GELU_ERF}, {"gated-gelu", GELU_TANH}, {"swiglu", GELU_SILU}, {"reglu", GELU_RELU}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gelu_act act = (gelu_act)99;
        if (gelu_glu_from_name(rows[i].name, &act) != GELU_OK) fail_msg("\"%s\" is refused", rows[i].name);
        if (act != rows[i].act) fail_msg("\"%s\" is taken for %s", rows[i].name, gelu_act_name(act));
    }
    static const char *const refused[] = {NULL,   "",    "geglu-approximate", "gelu",  "GEGLU", "glu", "gelu_new",
                                          "silu", "erf", "gelu-approximate",  "SwiGLU"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        gelu_act act = (gelu_act)99;
        if (gelu_glu_from_name(refused[i], &act) != GELU_ERR_NAME) fail_msg("\"%s\" is no error", refused[i]);
        if ((int)act != 99) fail_msg("\"%s\": the output is touched", refused[i]);
    }
}

static void names_of_enumerators(void **state) {
    (void)state;
    static const char *const names[] = {"identity", "relu", "erf", "tanh", "quick", "silu", "elu"};
    for (int i = 0; i <= GELU_ELU; i++) {
        gelu_act act = (gelu_act)99;
        assert_string_equal(gelu_act_name((gelu_act)i), names[i]);
        assert_int_equal(gelu_act_from_name(names[i], &act), GELU_OK);
        assert_int_equal(act, i);
    }
    assert_string_equal(gelu_act_name((gelu_act)(GELU_ELU + 1)), "?");
    assert_string_equal(gelu_act_name((gelu_act)99), "?");
    assert_string_equal(gelu_act_name((gelu_act)-1), "?");
}

/* The list is what the command prints for an unknown name: complete, without repeats, each one understood. */
static void list_of_spellings(void **state) {
    (void)state;
    size_t count = 0;
    while (gelu_act_spelling(count)) {
        assert_true(count < 1000);
        count++;
    }
    assert_null(gelu_act_spelling(count + 1));
    assert_null(gelu_act_spelling(SIZE_MAX));
    int seen[GELU_ELU + 1] = {0};
    for (size_t i = 0; i < count; i++) {
        gelu_act act = (gelu_act)99;
        assert_int_equal(gelu_act_from_name(gelu_act_spelling(i), &act), GELU_OK);
        assert_in_range(act, 0, GELU_ELU);
        seen[act] = 1;
        for (size_t j = 0; j < i; j++) assert_string_not_equal(gelu_act_spelling(i), gelu_act_spelling(j));
    }
    for (int i = 0; i <= GELU_ELU; i++) {
        size_t at = 0;
        assert_true(seen[i]);
        while (at < count && strcmp(gelu_act_spelling(at), gelu_act_name((gelu_act)i)) != 0) at++;
        assert_true(at < count);
    }
    static const char *const listed[] = {"gelu", "gelu_new", "gelu_pytorch_tanh", "quick_gelu", "none", "swish"};
    for (size_t i = 0; i < sizeof listed / sizeof listed[0]; i++) {
        size_t at = 0;
        while (at < count && strcmp(gelu_act_spelling(at), listed[i]) != 0) at++;
        assert_true(at < count);
    }
}

static void element_types(void **state) {
    (void)state;
    static const struct {
        const char *name;
        gelu_dtype dtype;
        size_t nbytes;
    } rows[] = {{"f32", GELU_F32, 4}, {"f64", GELU_F64, 8}, {"f16", GELU_F16, 2}, {"bf16", GELU_BF16, 2}};
    for (size_t i = 0; i < 4; i++) {
        gelu_dtype dtype = (gelu_dtype)99;
        assert_int_equal(gelu_dtype_from_name(rows[i].name, &dtype), GELU_OK);
        assert_int_equal(dtype, rows[i].dtype);
        assert_string_equal(gelu_dtype_name(dtype), rows[i].name);
        assert_int_equal(gelu_dtype_nbytes(dtype), rows[i].nbytes);
    }
    static const char *const refused[] = {NULL, "", "F32", "float32", "fp16", "f8", "f320", "int32", "half"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        gelu_dtype dtype = (gelu_dtype)99;
        assert_int_equal(gelu_dtype_from_name(refused[i], &dtype), GELU_ERR_NAME);
        assert_int_equal((int)dtype, 99);
    }
    static const int unknown[] = {0, 5, 99, -1};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(gelu_dtype_nbytes((gelu_dtype)unknown[i]), 0);
        assert_string_equal(gelu_dtype_name((gelu_dtype)unknown[i]), "?");
    }
}

static void status_texts(void **state) {
    (void)state;
    for (int i = GELU_OK; i <= GELU_ERR_TRAILING; i++) {
        const char *text = gelu_status_string((gelu_status)i);
        assert_non_null(text);
        assert_true(strlen(text) > 0);
        for (int j = GELU_OK; j < i; j++) assert_string_not_equal(text, gelu_status_string((gelu_status)j));
    }
    assert_string_equal(gelu_status_string(GELU_ERR_OVERFLOW), "size overflow");
    assert_non_null(gelu_status_string((gelu_status)999));
    assert_non_null(gelu_status_string((gelu_status)-1));
}

static void a_missing_output_is_refused(void **state) {
    (void)state;
    assert_int_equal(gelu_act_from_name("gelu", NULL), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_glu_from_name("geglu", NULL), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_dtype_from_name("f32", NULL), GELU_ERR_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_output_is_refused),
        cmocka_unit_test(spellings_in_use),
        cmocka_unit_test(no_fallback),
        cmocka_unit_test(gates),
        cmocka_unit_test(names_of_enumerators),
        cmocka_unit_test(list_of_spellings),
        cmocka_unit_test(element_types),
        cmocka_unit_test(status_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
