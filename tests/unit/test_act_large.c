/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* More than 2^31 elements. The addresses are real, the memory is not: one file of 64 MiB is mapped again and again, and
 * only the parts that are looked at have pages of their own. Elsewhere every element is 0, and so is its result, so that
 * it does not matter in which order the parts are written. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include "unit/act_ops.h"
#include "unit/guard.h"

#define PERIOD ((size_t)64 << 20)
#define OWN ((size_t)1 << 20) /* pages of its own at a place that is looked at */

struct region {
    unsigned char *p;
    size_t nbytes;
};

static bool region_open(struct region *r, size_t nbytes) {
    r->nbytes = (nbytes + PERIOD - 1) / PERIOD * PERIOD;
    r->p = mmap(NULL, r->nbytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (r->p == MAP_FAILED) return false;
    int file = memfd_create("gelu-test", MFD_CLOEXEC);
    bool ok = file >= 0 && ftruncate(file, (off_t)PERIOD) == 0;
    for (size_t at = 0; ok && at < r->nbytes; at += PERIOD)
        ok = mmap(r->p + at, PERIOD, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED;
    if (file >= 0) close(file);
    if (!ok) munmap(r->p, r->nbytes);
    return ok;
}

/* Gives the MiB around byte `at` its own pages. */
static bool region_own(struct region *r, size_t at) {
    size_t from = at / OWN * OWN;
    return mmap(r->p + from, OWN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

static void region_close(struct region *r) { munmap(r->p, r->nbytes); }

static const size_t COUNT = ((size_t)1 << 31) + 17;
enum { LOOK = 17 };

/* bf16: odd elements positive, even ones negative, all different among their neighbours. */
static uint16_t value_at(size_t i) { return (uint16_t)((i & 1 ? 0x3f80 : 0xbf80) + i % 113); }

/* The first, the last, and those on both sides of the 2^31st element. */
static const size_t places[] = {0, ((size_t)1 << 31) - LOOK, ((size_t)1 << 31)};

static bool open_both(struct region *x, struct region *y, size_t nbytes) {
    if (region_open(x, nbytes)) {
        if (region_open(y, nbytes)) return true;
        region_close(x);
    }
    print_message("skipped: this machine gives no %zu bytes of addresses\n", 2 * nbytes);
    return false;
}

static void prepare(struct region *x, struct region *y) {
    for (int k = 0; k < 3; k++) {
        assert_true(region_own(x, places[k] * 2));
        assert_true(region_own(y, places[k] * 2));
    }
    for (int k = 0; k < 3; k++)
        for (size_t i = places[k]; i < places[k] + LOOK; i++) {
            ((uint16_t *)x->p)[i] = value_at(i);
            ((uint16_t *)y->p)[i] = 0xAAAA;
        }
    ((uint16_t *)x->p)[COUNT] = ((uint16_t *)y->p)[COUNT] = 0xAAAA;
}

/* Against a call for these few elements alone. */
static void check(gelu_act act, const struct region *y) {
    const uint16_t *got = (const uint16_t *)y->p;
    for (int k = 0; k < 3; k++) {
        uint16_t x[LOOK], want[LOOK];
        for (size_t i = 0; i < LOOK; i++) x[i] = value_at(places[k] + i);
        gelu_forward_bf16(act, LOOK, x, want);
        for (size_t i = 0; i < LOOK; i++)
            if (got[places[k] + i] != want[i])
                fail_msg("%s: element %zu is %04x, not %04x", gelu_act_name(act), places[k] + i, got[places[k] + i],
                         want[i]);
    }
    assert_int_equal(got[COUNT], 0xAAAA);
}

static bool too_slow_here(void) {
    if (TEST_SANITIZED) print_message("skipped: too slow under a sanitizer\n");
    return TEST_SANITIZED;
}

static void more_than_2_to_the_31_elements(void **state) {
    (void)state;
    struct region x, y;
    if (too_slow_here() || !open_both(&x, &y, (COUNT + 1) * 2)) skip();
    static const gelu_act acts[] = {GELU_RELU, GELU_ERF};
    bool vectors = strcmp(gelu_isa_name(), "scalar") != 0;
    if (!vectors) print_message("skipped: ERF over 2^31 elements takes minutes without vectors\n");
    for (int k = 0; k < (vectors ? 2 : 1); k++) {
        prepare(&x, &y);
        gelu_forward_bf16(acts[k], COUNT, (const uint16_t *)x.p, (uint16_t *)y.p);
        check(acts[k], &y);
    }
    region_close(&x);
    region_close(&y);
}

/* row * ld passes 2^31 elements and 2^33 bytes, while only a few columns are touched. */
static void strides_beyond_32_bits(void **state) {
    (void)state;
    enum { ROWS = 149911, COLS = 5, LD = 14336 };
    struct region x, y;
    if (too_slow_here() || !open_both(&x, &y, (size_t)ROWS * LD * 4)) skip();
    size_t last = (size_t)(ROWS - 1) * LD;
    assert_true(region_own(&x, last * 4));
    assert_true(region_own(&y, last * 4));
    float in[COLS] = {-3, 2.5f, 0, 4, -1.2f}, want[COLS];
    gelu_forward_f32(GELU_ERF, COLS, in, want);
    memcpy(x.p + last * 4, in, sizeof in);
    memset(y.p + last * 4, GUARD_CANARY, sizeof in + 4);
    assert_int_equal(gelu_forward_2d(GELU_ERF, GELU_F32, ROWS, COLS, x.p, LD, y.p, LD), GELU_OK);
    assert_memory_equal(y.p + last * 4, want, sizeof want);
    assert_int_equal(y.p[last * 4 + sizeof want], GUARD_CANARY);
    region_close(&x);
    region_close(&y);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_than_2_to_the_31_elements),
        cmocka_unit_test(strides_beyond_32_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
