/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Prints one line "ISA kernel hash" for every entry of every kernel table that this machine can run, over special and
 * random bit patterns. same_bits.sh compares the text of an x86-64 and an AArch64 build. Each kernel is also run in
 * place and in short pieces, which must not change a bit. */
#include <inttypes.h>
#include <stdio.h>
#include "dispatch/dispatch.h"
#include "unit/act_ops.h"

/* No multiple of any vector width. */
enum { COUNT_F32 = (1 << 18) + 67, COUNT_OTHER = (1 << 16) + 2500, PIECES = 4096, GUARD = 0x5a };

enum { TYPE_f32 = GELU_F32, TYPE_f64 = GELU_F64, TYPE_f16 = GELU_F16, TYPE_bf16 = GELU_BF16 };

static struct {
    size_t count;
    _Alignas(64) uint64_t x[COUNT_F32], dy[COUNT_F32];
} inputs[GELU_BF16 + 1];

static void fail(const char *kernel, const char *act, const char *what) {
    fprintf(stderr, "kernels: %s, %s %s: %s\n", gelu_isa_name(), kernel, act, what);
    exit(1);
}

/* Zeros, the least and greatest numbers, infinities, quiet and signalling NaN, and the neighbourhoods of every power of
 * two, of both signs. */
static size_t fill_special(gelu_dtype type, uint64_t *x) {
    struct format f = format_of(type);
    size_t n = 0;
    for (uint64_t exponent = 0; exponent <= f.infinity; exponent += 1ull << f.mantissa_bits)
        for (uint64_t near = 0; near < 4; near++)
            for (int sign = 0; sign < 2; sign++)
                set_element_bits(type, x, n++, (exponent + near - (exponent ? 2 : 0)) | (sign ? f.sign : 0));
    for (uint64_t payload = 1; payload < f.quiet; payload = 3 * payload + 1) {
        set_element_bits(type, x, n++, f.infinity | payload);
        set_element_bits(type, x, n++, f.sign | f.infinity | f.quiet | payload);
    }
    return n;
}

/* Cleared below a random place but for the bit there: in the middle between two numbers of some shorter format. */
static uint64_t between(gelu_dtype type, uint64_t bits, uint64_t random) {
    uint64_t middle = 1ull << random % (uint64_t)format_of(type).mantissa_bits;
    return (bits & ~(middle - 1)) | middle;
}

/* After the special ones: all patterns of a 16-bit type in turn; of a wider one half evenly from all patterns, half from
 * where the functions bend, a part of those between shorter numbers. */
static void fill_inputs(gelu_dtype type) {
    struct format f = format_of(type);
    size_t n = type == GELU_F32 ? COUNT_F32 : COUNT_OTHER, special = fill_special(type, inputs[type].x);
    uint64_t state = 12345;
    for (size_t i = special; i < n; i++) {
        uint64_t any = random_bits(&state) >> (64 - f.nbits), dense = random_element(type, &state);
        if (i % 8 == 0) dense = between(type, dense, any);
        if (f.nbits == 16) dense = any = (i - special) & 0xffff;
        set_element_bits(type, inputs[type].x, i, i % 2 ? any : dense);
    }
    for (size_t i = 0; i < n; i++)
        set_element_bits(type, inputs[type].dy, i,
                         i % 16 ? random_element(type, &state) : random_bits(&state) >> (64 - f.nbits));
    inputs[type].count = n;
}

/* FNV-1a over elements. Values and conversions keep a NaN's bits; which one a derivative or a product gives is not
 * promised, so all of those count as one. */
static void print_hash(const char *kernel, const char *act, gelu_dtype type, bool any_nan, const void *y, size_t n) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = element_bits(type, y, i);
        if (any_nan && is_nan_bits(type, bits)) bits = 1;
        hash = (hash ^ bits) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    printf("%s %s:%s %016" PRIx64 "\n", gelu_isa_name(), kernel, act, hash);
}

/* A kernel of either kind; dy is NULL for one input. */
typedef void unary(size_t n, const void *x, void *y);
typedef void binary(size_t n, const void *x, const void *dy, void *dx);
typedef struct {
    const char *name, *act;
    unary *one;
    binary *two;
    gelu_dtype in, out;
    bool any_nan;
} kernel;

static void run(const kernel *k, size_t n, const unsigned char *x, const unsigned char *dy, unsigned char *y) {
    if (k->two)
        k->two(n, x, dy, y);
    else
        k->one(n, x, y);
}

/* The same elements at other positions, by pieces of 0 to 18, must be the same bytes as in want. */
static void check_pieces(const kernel *k, const unsigned char *want) {
    static unsigned char y[PIECES * 8 + 1];
    size_t in = gelu_dtype_nbytes(k->in), out = gelu_dtype_nbytes(k->out), first = inputs[k->in].count - PIECES;
    const unsigned char *x = (unsigned char *)inputs[k->in].x + first * in;
    const unsigned char *dy = (unsigned char *)inputs[k->in].dy + first * in;
    for (size_t i = 0, length = 0; i < PIECES; i += length, length = (length + 1) % 19) {
        if (length > PIECES - i) length = PIECES - i;
        y[(i + length) * out] = GUARD;
        run(k, length, x + i * in, dy + i * in, y + i * out);
        if (y[(i + length) * out] != GUARD) fail(k->name, k->act, "wrote beyond the end");
    }
    if (memcmp(y, want + first * out, PIECES * out) != 0) fail(k->name, k->act, "the position changes a result");
}

static void check_in_place(const kernel *k, const unsigned char *want) {
    static uint64_t x[PIECES], dy[PIECES];
    size_t nbytes = PIECES * gelu_dtype_nbytes(k->in);
    if (gelu_dtype_nbytes(k->in) != gelu_dtype_nbytes(k->out)) return;
    memcpy(x, inputs[k->in].x, nbytes);
    memcpy(dy, inputs[k->in].dy, nbytes);
    run(k, PIECES, (unsigned char *)x, (unsigned char *)dy, (unsigned char *)x);
    if (memcmp(x, want, nbytes) != 0) fail(k->name, k->act, "differs in place");
    if (!k->two) return;
    memcpy(x, inputs[k->in].x, nbytes);
    run(k, PIECES, (unsigned char *)x, (unsigned char *)dy, (unsigned char *)dy);
    if (memcmp(dy, want, nbytes) != 0) fail(k->name, k->act, "differs in place of dy");
}

static void hash_kernel(kernel k) {
    static uint64_t y[COUNT_F32];
    size_t n = inputs[k.in].count;
    run(&k, n, (unsigned char *)inputs[k.in].x, (unsigned char *)inputs[k.in].dy, (unsigned char *)y);
    print_hash(k.name, k.act, k.out, k.any_nan, y, n);
    check_pieces(&k, (unsigned char *)y);
    check_in_place(&k, (unsigned char *)y);
}

/* Calls a kernel of the table by its own type. */
#define GELU_UNARY(slot, operation, in, out)                                                                           \
    static int act_of_##slot;                                                                                          \
    static void call_##slot(size_t n, const void *x, void *y) { gelu_dispatch()->slot[act_of_##slot](n, x, y); }
#define GELU_BACKWARD(slot, type)                                                                                      \
    static int act_of_##slot;                                                                                          \
    static void call_##slot(size_t n, const void *x, const void *dy, void *dx) {                                       \
        gelu_dispatch()->slot[act_of_##slot](n, x, dy, dx);                                                            \
    }
#define GELU_CONVERT(from, to)                                                                                         \
    static void call_##from##_##to(size_t n, const void *x, void *y) {                                                 \
        gelu_dispatch()->convert_##from##_##to(n, x, y);                                                               \
    }
#include "kernels/kernel_list.inc"

static void hash_kernels(void) {
#define GELU_UNARY(slot, operation, in, out)                                                                           \
    for (act_of_##slot = 0; act_of_##slot < ACT_COUNT; act_of_##slot++)                                                \
        hash_kernel((kernel){#slot, gelu_act_name((gelu_act)act_of_##slot), call_##slot, NULL, (gelu_dtype)TYPE_##in,  \
                             (gelu_dtype)TYPE_##out, strcmp(#operation, "forward") != 0});
#define GELU_BACKWARD(slot, type)                                                                                      \
    for (act_of_##slot = 0; act_of_##slot < ACT_COUNT; act_of_##slot++)                                                \
        hash_kernel((kernel){#slot, gelu_act_name((gelu_act)act_of_##slot), NULL, call_##slot,                         \
                             (gelu_dtype)TYPE_##type, (gelu_dtype)TYPE_##type, true});
#define GELU_CONVERT(from, to)                                                                                         \
    hash_kernel((kernel){"convert", #from "_" #to, call_##from##_##to, NULL, (gelu_dtype)TYPE_##from,                  \
                         (gelu_dtype)TYPE_##to, false});
#include "kernels/kernel_list.inc"
}

int main(void) {
    for (gelu_dtype type = DTYPE_FIRST; type <= DTYPE_LAST; type++) fill_inputs(type);
    for (size_t i = 0; gelu_isa_available(i); i++) {
        if (gelu_isa_select(gelu_isa_available(i)) != GELU_OK) fail("-", "-", "cannot be selected");
        hash_kernels();
    }
    return 0;
}
