/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Prints one line "ISA function hash" for every function on every instruction set, over the bits of some 10^6 results
 * each; with an argument, for Linear, feed-forward and norms only. same_bits.sh links this with the library as built in several
 * ways and compares the text, and so does tests/neon. */
#include <inttypes.h>
#include <stdio.h>
#include "unit/act_ops.h"

enum { MANY = 1 << 19, SOME = 1 << 17, ALL16 = 1 << 16 };

static void fail(const char *what) {
    fprintf(stderr, "hash: %s\n", what);
    exit(1);
}

static void check(gelu_status status, const char *what) {
    if (status != GELU_OK) fail(what);
}

static void *allocate(size_t nbytes) {
    void *p = malloc(nbytes + 1);
    if (!p) fail("out of memory");
    return p;
}

/* FNV-1a over elements. Which NaN a derivative or a product gives is not promised, so all count as one. */
static uint64_t hash_elements(gelu_dtype dtype, size_t n, const void *p) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = element_bits(dtype, p, i);
        hash = (hash ^ (is_nan_bits(dtype, bits) ? 1 : bits)) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash;
}

static void print_hash(const char *function, const char *act, gelu_dtype dtype, size_t n, const void *p) {
    printf("%s %s:%s:%s %016" PRIx64 "\n", gelu_isa_name(), function, act, gelu_dtype_name(dtype),
           hash_elements(dtype, n, p));
}

/* All 16-bit patterns; of the wider types one half evenly from all patterns, one half where the functions bend. */
static size_t fill_inputs(gelu_dtype dtype, uint64_t seed, void *x) {
    if (dtype == GELU_F16 || dtype == GELU_BF16) {
        for (uint64_t i = 0; i < ALL16; i++) set_element_bits(dtype, x, i, (i * 40503 + seed) & 0xffff);
        return ALL16;
    }
    size_t n = dtype == GELU_F32 ? MANY : SOME;
    fill_random(dtype, n, seed, x);
    for (uint64_t i = 0; i < n; i += 2)
        set_element_bits(dtype, x, i, dtype == GELU_F32 ? (i * 8191 + seed) & 0xffffffff : i * 0x100000001b3u << 23);
    return n;
}

static void hash_activations(void) {
    void *x = allocate(MANY * 8), *dy = allocate(MANY * 8), *y = allocate(MANY * 8), *z = allocate(MANY * 8);
    for (int dtype = DTYPE_FIRST; dtype <= DTYPE_LAST; dtype++) {
        gelu_dtype type = (gelu_dtype)dtype;
        size_t n = fill_inputs(type, 12345, x);
        fill_random(type, n, 99, dy);
        for (int a = 0; a < ACT_COUNT; a++) {
            gelu_act act = (gelu_act)a;
            for (int op = 0; op < OP_COUNT; op++) {
                if (!op_exists((enum op)op, type)) continue;
                run_op((enum op)op, act, type, n, x, y);
                print_hash(op_name((enum op)op), gelu_act_name(act), type, n, y);
            }
            run_backward(act, type, n, x, dy, y);
            print_hash("backward", gelu_act_name(act), type, n, y);
            check(gelu_glu_2d(act, type, 64, n / 64, x, n / 64, dy, n / 64, y, n / 64), "glu");
            print_hash("glu", gelu_act_name(act), type, n, y);
            check(gelu_glu_backward_2d(act, type, 64, n / 64, x, n / 64, dy, n / 64, dy, 0, y, n / 64, z, n / 64),
                  "glu_backward");
            print_hash("dgate", gelu_act_name(act), type, n, y);
            print_hash("dvalue", gelu_act_name(act), type, n, z);
        }
        for (int to = DTYPE_FIRST; to <= DTYPE_LAST; to++) {
            check(gelu_convert(n, type, x, (gelu_dtype)to, y), "convert");
            print_hash("convert", gelu_dtype_name(type), (gelu_dtype)to, n, y);
        }
    }
    free(x);
    free(dy);
    free(y);
    free(z);
}

struct shape {
    size_t rows, in, out;
};

static void hash_linear(gelu_dtype type, struct shape s) {
    gelu_dtype sum = type == GELU_F64 ? GELU_F64 : GELU_F32;
    void *w = allocate(s.in * s.out * 8), *b = allocate(s.out * 8), *x = allocate(s.rows * s.in * 8);
    void *y = allocate(s.rows * s.out * 8), *dx = allocate(s.rows * s.in * 8), *dw = allocate(s.in * s.out * 8);
    void *db = allocate(s.out * 8);
    fill_random(type, s.in * s.out, 1, w);
    fill_random(type, s.out, 2, b);
    fill_random(type, s.rows * s.in, 3, x);
    for (gelu_layout layout = GELU_OUT_IN; layout <= GELU_IN_OUT; layout++) {
        const gelu_weights weights = {type, layout, w, 0, b};
        const gelu_epilogue epilogue = {.act = GELU_ERF};
        gelu_linear *linear;
        check(gelu_linear_create(s.in, s.out, &weights, GELU_COMPUTE_F32, &linear), "linear_create");
        check(gelu_linear_forward(linear, s.rows, type, x, s.in, NULL, type, y, s.out, NULL), "linear_forward");
        print_hash("linear", layout == GELU_OUT_IN ? "out_in" : "in_out", type, s.rows * s.out, y);
        check(
            gelu_linear_backward(linear, GELU_GRAD_SET, s.rows, type, x, s.in, type, y, s.out, dx, s.in, dw, db, NULL),
            "linear_backward");
        print_hash("dx", "linear", type, s.rows * s.in, dx);
        print_hash("dw", "linear", sum, s.in * s.out, dw);
        print_hash("db", "linear", sum, s.out, db);
        check(gelu_linear_forward(linear, s.rows, type, x, s.in, &epilogue, type, y, s.out, NULL),
              "linear_forward, erf");
        print_hash("linear", "erf", type, s.rows * s.out, y);
        gelu_linear_free(linear);
    }
    free(w);
    free(b);
    free(x);
    free(y);
    free(dx);
    free(dw);
    free(db);
}

static void hash_ffn(gelu_dtype type, int gated, struct shape s) {
    gelu_dtype sum = type == GELU_F64 ? GELU_F64 : GELU_F32;
    void *w1 = allocate(s.in * s.out * 8), *w2 = allocate(s.in * s.out * 8), *w3 = allocate(s.in * s.out * 8);
    void *b = allocate((s.in + s.out) * 8), *x = allocate(s.rows * s.in * 8), *y = allocate(s.rows * s.in * 8);
    void *dx = allocate(s.rows * s.in * 8), *dw = allocate(s.in * s.out * 8);
    fill_random(type, s.in * s.out, 1, w1);
    fill_random(type, s.in * s.out, 2, w2);
    fill_random(type, s.in * s.out, 3, w3);
    fill_random(type, s.in + s.out, 4, b);
    fill_random(type, s.rows * s.in, 5, x);
    gelu_ffn_desc desc = {.d_model = s.in, .d_ff = s.out, .act = GELU_TANH, .gated = gated};
    desc.fc1 = (gelu_weights){type, GELU_OUT_IN, w1, 0, b};
    desc.fc2 = (gelu_weights){type, GELU_OUT_IN, w2, 0, b};
    if (gated) desc.up = (gelu_weights){type, GELU_OUT_IN, w3, 0, NULL};
    const gelu_ffn_grads grads = {.dx = dx, .lddx = s.in, .dfc1_weight = dw};
    gelu_ffn *ffn;
    check(gelu_ffn_create(&desc, &ffn), "ffn_create");
    check(gelu_ffn_forward(ffn, s.rows, type, x, s.in, NULL, type, y, s.in, NULL), "ffn_forward");
    print_hash("ffn", gated ? "gated" : "plain", type, s.rows * s.in, y);
    check(gelu_ffn_backward(ffn, GELU_GRAD_SET, s.rows, type, x, s.in, type, y, s.in, NULL, &grads, NULL),
          "ffn_backward");
    print_hash("ffn_dx", gated ? "gated" : "plain", type, s.rows * s.in, dx);
    print_hash("ffn_dfc1", gated ? "gated" : "plain", sum, s.in * s.out, dw);
    gelu_ffn_free(ffn);
    free(w1);
    free(w2);
    free(w3);
    free(b);
    free(x);
    free(y);
    free(dx);
    free(dw);
}

/* bf16 compute, the forward pass that there is: ordinary numbers, and numbers whose products are flushed. */
static void hash_bf16(struct shape s, int tiny) {
    uint16_t *w = allocate(s.in * s.out * 2), *x = allocate(s.rows * s.in * 2), *y = allocate(s.rows * s.in * 2);
    float *h = allocate(s.rows * s.out * 4);
    fill_random(GELU_BF16, s.in * s.out, 1, w);
    fill_random(GELU_BF16, s.rows * s.in, 2, x);
    for (size_t i = 0; tiny && i < s.in * s.out; i++) w[i] = (uint16_t)((w[i] & 0x8000) + (w[i] & 0x7f) + 0x2000);
    for (size_t i = 0; tiny && i < s.rows * s.in; i++) x[i] = (uint16_t)((x[i] & 0x87ff) + 0x1c00);
    gelu_ffn_desc desc = {.d_model = s.in, .d_ff = s.out, .act = GELU_IDENTITY, .compute = GELU_COMPUTE_BF16};
    desc.fc1 = (gelu_weights){GELU_BF16, GELU_OUT_IN, w, 0, NULL};
    desc.fc2 = (gelu_weights){GELU_BF16, GELU_IN_OUT, w, 0, NULL};
    const gelu_ffn_trace trace = {.h = h};
    gelu_ffn *ffn;
    check(gelu_ffn_create(&desc, &ffn), "ffn_create, bf16");
    check(gelu_ffn_forward(ffn, s.rows, GELU_BF16, x, s.in, &trace, GELU_BF16, y, s.in, NULL), "ffn_forward, bf16");
    print_hash("bf16_compute", tiny ? "tiny_h" : "h", GELU_F32, s.rows * s.out, h);
    print_hash("bf16_compute", tiny ? "tiny_y" : "y", GELU_BF16, s.rows * s.in, y);
    gelu_ffn_free(ffn);
    free(w);
    free(x);
    free(y);
    free(h);
}

static void hash_norms(gelu_dtype dtype, struct shape s) {
    size_t n = s.rows * s.in;
    void *x = allocate(n * 8), *w = allocate(s.in * 8), *y = allocate(n * 8);
    bool wide = dtype == GELU_F64;
    fill_random(dtype, n, 1, x);
    fill_random(dtype, s.in, 2, w);
    check(wide ? gelu_layer_norm_f64(s.rows, s.in, x, s.in, w, w, 1e-5, y, s.in)
               : gelu_layer_norm_f32(s.rows, s.in, x, s.in, w, w, 1e-5, y, s.in),
          "layer_norm");
    print_hash("layer_norm", "y", dtype, n, y);
    check(wide ? gelu_rms_norm_f64(s.rows, s.in, x, s.in, w, 1, 1e-6, y, s.in)
               : gelu_rms_norm_f32(s.rows, s.in, x, s.in, w, 1, 1e-6, y, s.in),
          "rms_norm");
    print_hash("rms_norm", "y", dtype, n, y);
    free(x);
    free(w);
    free(y);
}

static void hash_random(void) {
    static gelu_rng rng;
    float *out = allocate(SOME * sizeof *out);
    gelu_manual_seed(&rng, 42);
    gelu_randn_f32(&rng, SOME - 3, out);
    print_hash("randn", "many", GELU_F32, SOME - 3, out);
    gelu_randn_f32(&rng, 7, out);
    print_hash("randn", "few", GELU_F32, 7, out);
    gelu_uniform_f32(&rng, -0.7f, 0.3f, SOME, out);
    print_hash("uniform", "-", GELU_F32, SOME, out);
    free(out);
}

int main(int argc, char **argv) {
    (void)argv;
    static const struct shape shapes[] = {{1, 5, 3}, {7, 300, 33}, {19, 64, 257}};
    for (size_t isa = 0; gelu_isa_available(isa); isa++) {
        check(gelu_isa_select(gelu_isa_available(isa)), "isa_select");
        if (argc == 1) hash_activations();
        for (int dtype = DTYPE_FIRST; dtype <= DTYPE_LAST; dtype++)
            for (size_t i = 0; i < 3; i++) {
                hash_linear((gelu_dtype)dtype, shapes[i]);
                hash_ffn((gelu_dtype)dtype, 0, shapes[i]);
                hash_ffn((gelu_dtype)dtype, 1, shapes[i]);
            }
        for (size_t i = 0; i < 3; i++) {
            hash_bf16(shapes[i], 0);
            hash_bf16(shapes[i], 1);
            hash_norms(GELU_F32, shapes[i]);
            hash_norms(GELU_F64, shapes[i]);
        }
        if (argc == 1) hash_random();
    }
    return 0;
}
