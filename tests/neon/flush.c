/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* A host that flushes subnormals (x86: FTZ and DAZ, AArch64: FPCR.FZ) and rounds upwards: Linear and feed-forward give the
 * same bits as elsewhere, subnormal ones too, and elementwise calls under FTZ differ in subnormals only. The control
 * register is left as found. */
#include <stdio.h>
#include "unit/act_ops.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
enum { CONTROL = 0xffc0, FLUSH = 0x8040, UPWARD = 0x4000 };
static uint64_t get_control(void) { return _mm_getcsr() & CONTROL; }
static void set_control(uint64_t control) { _mm_setcsr((unsigned)control); }
#elif defined(__aarch64__)
enum { FLUSH = 1 << 24, UPWARD = 1 << 22 };
static uint64_t get_control(void) {
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control)::"memory");
    return control;
}
static void set_control(uint64_t control) { __asm__ volatile("msr fpcr, %0" ::"r"(control) : "memory"); }
#endif

enum { ROWS = 5, D_MODEL = 300, D_FF = 19, COUNT = 1 << 15 };

static void demand(bool condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "flush: %s: %s\n", gelu_isa_name(), what);
    exit(1);
}

static bool is_subnormal(gelu_dtype type, uint64_t bits) {
    struct format f = format_of(type);
    return (bits & ~f.sign) != 0 && (bits & ~f.sign) < 1ull << f.mantissa_bits;
}

/* All that Linear and feed-forward return, for numbers so small that products and results are subnormal. */
static struct results {
    float y[ROWS * D_FF], dx[ROWS * D_MODEL], dw[D_FF * D_MODEL], db[D_FF];
    float ffn_y[ROWS * D_MODEL], ffn_dx[ROWS * D_MODEL], dfc1[D_FF * D_MODEL], dfc2[D_FF * D_MODEL];
} plain, flushed;

static float w[D_FF * D_MODEL], b[D_MODEL], x[ROWS * D_MODEL], dy[ROWS * D_MODEL];

static void fill_scaled(size_t n, uint64_t seed, int exponent, float *out) {
    fill_random(GELU_F32, n, seed, out);
    for (size_t i = 0; i < n; i++) { /* without arithmetic, since the host's mode is not ours */
        uint32_t bits = bits_of_f32(out[i]), biased = bits >> 23 & 0xff;
        if (biased && biased < 135) out[i] = f32_of_bits(bits + ((uint32_t)exponent << 23));
    }
}

static void run_layers(struct results *r) {
    const gelu_weights fc1 = {GELU_F32, GELU_OUT_IN, w, 0, b}, fc2 = {GELU_F32, GELU_IN_OUT, w, 0, b};
    const gelu_epilogue epilogue = {.act = GELU_ERF};
    const gelu_ffn_desc desc = {.d_model = D_MODEL, .d_ff = D_FF, .act = GELU_SILU, .fc1 = fc1, .fc2 = fc2};
    const gelu_ffn_grads grads = {.dx = r->ffn_dx, .lddx = D_MODEL, .dfc1_weight = r->dfc1, .dfc2_weight = r->dfc2};
    gelu_linear *linear = NULL;
    gelu_ffn *ffn = NULL;
    bool ok = gelu_linear_create(D_MODEL, D_FF, &fc1, GELU_COMPUTE_F32, &linear) == GELU_OK &&
              gelu_ffn_create(&desc, &ffn) == GELU_OK;
    demand(ok, "create fails");
    ok = gelu_linear_forward(linear, ROWS, GELU_F32, x, D_MODEL, &epilogue, GELU_F32, r->y, D_FF, NULL) == GELU_OK &&
         gelu_linear_backward(linear, GELU_GRAD_SET, ROWS, GELU_F32, x, D_MODEL, GELU_F32, dy, D_FF, r->dx, D_MODEL,
                              r->dw, r->db, NULL) == GELU_OK &&
         gelu_ffn_forward(ffn, ROWS, GELU_F32, x, D_MODEL, NULL, GELU_F32, r->ffn_y, D_MODEL, NULL) == GELU_OK &&
         gelu_ffn_backward(ffn, GELU_GRAD_SET, ROWS, GELU_F32, x, D_MODEL, GELU_F32, dy, D_MODEL, NULL, &grads, NULL) ==
             GELU_OK;
    demand(ok, "a call fails");
    gelu_linear_free(linear);
    gelu_ffn_free(ffn);
}

static void check_layers(uint64_t host, uint64_t control) {
    fill_scaled(D_FF * D_MODEL, 1, -62, w);
    fill_scaled(D_MODEL, 2, -120, b);
    fill_scaled(ROWS * D_MODEL, 3, -62, x);
    fill_scaled(ROWS * D_MODEL, 4, -62, dy);
    run_layers(&plain);
    size_t subnormal = 0;
    for (size_t i = 0; i < sizeof plain / sizeof(float); i++)
        subnormal += is_subnormal(GELU_F32, element_bits(GELU_F32, &plain, i));
    demand(subnormal > 1000, "there is nothing to flush");
    set_control(host | control);
    uint64_t before = get_control();
    run_layers(&flushed);
    uint64_t after = get_control();
    set_control(host);
    demand(before != host && after == before, "the control register is not kept");
    demand(memcmp(&plain, &flushed, sizeof plain) == 0, "the host's mode changes a layer");
}

/* Subnormal, or the least normal number, onto which a result below it may have been rounded. */
static bool may_be_flushed(gelu_dtype type, uint64_t bits) {
    struct format f = format_of(type);
    return (bits & ~f.sign) != 0 && (bits & ~f.sign) <= 1ull << f.mantissa_bits;
}

static void check_elementwise(uint64_t host, enum op op, gelu_act act, gelu_dtype type) {
    static uint64_t in[COUNT], want[COUNT], got[COUNT];
    struct format f = format_of(type);
    uint64_t state = 7;
    for (size_t i = 0; i < COUNT; i++)
        set_element_bits(type, in, i, i % 2 ? random_element(type, &state) : random_bits(&state) >> (64 - f.nbits));
    run_op(op, act, type, COUNT, in, want);
    set_control(host | FLUSH);
    run_op(op, act, type, COUNT, in, got);
    uint64_t after = get_control();
    set_control(host);
    demand(after == (host | FLUSH), "an elementwise call does not keep the control register");
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t a = element_bits(type, in, i), y = element_bits(type, want, i), z = element_bits(type, got, i);
        if (y == z || (is_nan_bits(type, y) && is_nan_bits(type, z)) || may_be_flushed(type, a) ||
            may_be_flushed(type, y))
            continue;
        fprintf(stderr, "%s of %s, %s: %llx gives %llx, not %llx\n", op_name(op), gelu_act_name(act),
                gelu_dtype_name(type), (unsigned long long)a, (unsigned long long)z, (unsigned long long)y);
        demand(false, "flushing changes more than subnormals");
    }
}

int main(void) {
    uint64_t host = get_control();
    for (size_t isa = 0; gelu_isa_available(isa); isa++) {
        demand(gelu_isa_select(gelu_isa_available(isa)) == GELU_OK, "cannot be selected");
        check_layers(host, FLUSH);
        check_layers(host, UPWARD);
        for (gelu_dtype type = DTYPE_FIRST; type <= DTYPE_LAST; type++)
            for (int act = 0; act < ACT_COUNT; act++)
                for (int op = 0; op < OP_COUNT; op++)
                    if (op_exists((enum op)op, type)) check_elementwise(host, (enum op)op, (gelu_act)act, type);
    }
    return 0;
}
