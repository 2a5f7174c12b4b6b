/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The printers against the text of PyTorch and NumPy, character for character. */

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "golden/golden.h"

#define PRINTS GELU_TEST_SOURCE_DIR "/data/prints/prints.txt"

static char *torch_text(const gelu_tensor *t, const gelu_torch_format *options) {
    char *text;
    assert_int_equal(gelu_format_torch(t->dtype, t->ndim, t->shape, t->data, options, &text), GELU_OK);
    return text;
}

static char *numpy_text(const gelu_tensor *t, const gelu_numpy_format *options) {
    char *text;
    assert_int_equal(gelu_format_numpy(t->dtype, t->ndim, t->shape, t->data, options, &text), GELU_OK);
    return text;
}

/* Checks that expected continues with text, which it releases, and returns what comes after. */
static const char *expect(const char *expected, char *text) {
    size_t length = strlen(text);
    if (strncmp(expected, text, length) != 0) fail_msg("expected\n%.*s\ngot\n%s", (int)length + 80, expected, text);
    gelu_text_free(text);
    return expected + length;
}

static void probes(void **state) {
    (void)state;
    static const int seeds[] = {0, 42};
    for (int s = 0; s < 2; s++) {
        char name[64];
        snprintf(name, sizeof name, "seed%d_torch_print", seeds[s]);
        char *torch = golden_text(name);
        snprintf(name, sizeof name, "seed%d_numpy_print", seeds[s]);
        char *numpy = golden_text(name);
        const char *torch_at = torch, *numpy_at = numpy;
        for (int i = 0; i <= 20; i++) {
            snprintf(name, sizeof name, "seed%d_probe_%d", seeds[s], i);
            gelu_tensor t = golden_load(name);
            const char *end = i < 20 ? "\n---\n" : "\n";
            torch_at = expect(torch_at, torch_text(&t, NULL));
            numpy_at = expect(numpy_at, numpy_text(&t, NULL));
            assert_true(strncmp(torch_at, end, strlen(end)) == 0);
            assert_true(strncmp(numpy_at, end, strlen(end)) == 0);
            torch_at += strlen(end);
            numpy_at += strlen(end);
            gelu_tensor_free(&t);
        }
        assert_true(*torch_at == '\0' && *numpy_at == '\0');
        free(torch);
        free(numpy);
    }
}

/* x, h, the first five values of a, y, and y as NumPy prints it. */
static void check_ffn(const char *prefix) {
    char name[96];
    const gelu_torch_format addmm = {.grad_fn = "AddmmBackward0"}, slice = {.grad_fn = "SliceBackward0"};
    snprintf(name, sizeof name, "%s_print", prefix);
    char *expected = golden_text(name);
    snprintf(name, sizeof name, "%s_x", prefix);
    gelu_tensor x = golden_load(name);
    snprintf(name, sizeof name, "%s_h", prefix);
    gelu_tensor h = golden_load(name);
    snprintf(name, sizeof name, "%s_a", prefix);
    gelu_tensor a = golden_load(name), five = a;
    snprintf(name, sizeof name, "%s_y", prefix);
    gelu_tensor y = golden_load(name);
    five.ndim = 1;
    five.shape[0] = a.shape[1] < 5 ? a.shape[1] : 5;
    const char *at = expect(expected, torch_text(&x, NULL));
    at = expect(at + 1, torch_text(&h, &addmm));
    at = expect(at + 1, torch_text(&five, &slice));
    at = expect(at + 1, torch_text(&y, &addmm));
    at = expect(at + 1, numpy_text(&y, NULL));
    assert_string_equal(at, "\n");
    gelu_tensor_free(&x);
    gelu_tensor_free(&h);
    gelu_tensor_free(&a);
    gelu_tensor_free(&y);
    free(expected);
}

static void feed_forward_blocks(void **state) {
    (void)state;
    static const char *const shapes[] = {"8x16x2", "5x3x2", "24x96x7", "64x256x33"};
    char prefix[64];
    for (int i = 0; i < 16; i++) {
        snprintf(prefix, sizeof prefix, "seed%s_ffn_%s_%s", i % 2 ? "42" : "0", shapes[i / 4],
                 i / 2 % 2 ? "tanh" : "none");
        check_ffn(prefix);
    }
}

struct print_case {
    char kind[8], dtype[8], shape[64];
    unsigned precision;
    size_t threshold, edgeitems, linewidth;
    int a, b;
    gelu_tensor tensor;
};

static void parse_shape(struct print_case *c) {
    c->tensor.count = 1;
    c->tensor.ndim = 0;
    if (strcmp(c->shape, "-") == 0) return;
    for (char *at = c->shape; *at; at += *at == 'x') {
        size_t length = strtoul(at, &at, 10);
        c->tensor.shape[c->tensor.ndim++] = length;
        c->tensor.count *= length;
    }
}

/* The line of hexadecimal bits; returns the line after it. */
static const char *parse_bits(struct print_case *c, const char *at) {
    size_t nbytes = gelu_dtype_nbytes(c->tensor.dtype);
    c->tensor.data = malloc(c->tensor.count * nbytes + 1);
    assert_non_null(c->tensor.data);
    for (size_t i = 0; i < c->tensor.count; i++) {
        char *end;
        uint64_t bits = strtoull(at, &end, 16);
        assert_true(end > at);
        memcpy((char *)c->tensor.data + i * nbytes, &bits, nbytes);
        at = end;
    }
    assert_true(*at == '\n');
    return at + 1;
}

static char *print_case_text(const struct print_case *c) {
    if (strcmp(c->kind, "torch") == 0) {
        const gelu_torch_format options = {
            c->precision, c->threshold, c->edgeitems, c->linewidth, c->a, c->b == 2 ? "MulBackward0" : NULL, c->b == 1};
        return torch_text(&c->tensor, &options);
    }
    const gelu_numpy_format options = {c->a, c->precision, c->threshold, c->edgeitems, c->linewidth};
    return numpy_text(&c->tensor, &options);
}

static void random_arrays_and_options(void **state) {
    (void)state;
    char *all = golden_file(PRINTS);
    const char *at = all;
    int cases = 0;
    while (strncmp(at, "@ end", 5) != 0) {
        struct print_case c;
        int used = 0;
        memset(&c, 0, sizeof c);
        assert_int_equal(sscanf(at, "@ %7s %7s %63s %u %zu %zu %zu %d %d\n%n", c.kind, c.dtype, c.shape, &c.precision,
                                &c.threshold, &c.edgeitems, &c.linewidth, &c.a, &c.b, &used),
                         9);
        assert_int_equal(gelu_dtype_from_name(c.dtype, &c.tensor.dtype), GELU_OK);
        parse_shape(&c);
        at = parse_bits(&c, strchr(at, '\n') + 1);
        at = expect(at, print_case_text(&c));
        assert_true(*at++ == '\n');
        gelu_tensor_free(&c.tensor);
        cases++;
    }
    assert_int_equal(cases, 360);
    free(all);
}

/* A host program may have switched to a locale that writes 0,5: the text stays the same. */
static void locale_changes_nothing(void **state) {
    char half[16];
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        print_message("skipped: no locale de_DE.UTF-8 (LOCPATH)\n");
        skip();
    }
    snprintf(half, sizeof half, "%.1f", 0.5);
    assert_string_equal(half, "0,5");
    probes(state);
    random_arrays_and_options(state);
    setlocale(LC_ALL, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probes),
        cmocka_unit_test(feed_forward_blocks),
        cmocka_unit_test(random_arrays_and_options),
        cmocka_unit_test(locale_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
