/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Frozen bits. f32, f16 and bf16 results are unique and need no record; what only a fixed sequence of operations decides
 * (f64, second derivatives, the fast calls) may change with a major version alone, and these hashes hold it. They were
 * printed by this test, by a build whose f64 results MPFR had bounded; to change one is to change the contract. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>
#include "gelu.h"

enum { COUNT = 20000 };

static double wide[COUNT], wide_out[COUNT];
static float narrow[COUNT], narrow_out[COUNT];

/* Half of the inputs are any bits, half of moderate size. */
static void fill(void) {
    uint64_t state = 0;
    for (int i = 0; i < COUNT; i++) {
        uint64_t z = state += 0x9e3779b97f4a7c15u; /* splitmix64 */
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        z ^= z >> 31;
        uint32_t high = (uint32_t)(z >> 32);
        memcpy(&wide[i], &z, sizeof z);
        memcpy(&narrow[i], &high, sizeof high);
        if (i % 2) {
            wide[i] = ((double)(z >> 11) * 0x1p-53 - 0.5) * 64;
            narrow[i] = (float)wide[i];
        }
    }
}

static uint64_t fnv(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *p = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ p[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t hash_f64(void) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 0; i < COUNT; i++)
        hash = isnan(wide_out[i]) ? fnv(hash, "nan", 3) : fnv(hash, &wide_out[i], sizeof wide_out[i]);
    return hash;
}

static uint64_t hash_f32(void) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 0; i < COUNT; i++)
        hash = isnan(narrow_out[i]) ? fnv(hash, "nan", 3) : fnv(hash, &narrow_out[i], sizeof narrow_out[i]);
    return hash;
}

/* forward, grad, grad2 in f64; grad2, fast forward, fast backward (dy = x) in f32 */
static const uint64_t expected[GELU_ELU + 1][6] = {
    {0xbe64771f6c7c3411, 0x604a99535a6d2521, 0x97242e9116eeefe7, 0xab38d57d9530fe34, 0xd30e554284f6838d,
     0xd30e554284f6838d}, /* identity */
    {0x89dddffe17c576bc, 0x151868d12677f14d, 0x97242e9116eeefe7, 0xab38d57d9530fe34, 0x0c5ca3bf943f2089,
     0x0c5ca3bf943f2089}, /* relu */
    {0x6a4c1f5e2395fc03, 0x8010829be679b4da, 0x76181567a8fb2154, 0x4b80cc4950733ca5, 0x97ea021719811178,
     0xb56b805a49909f51}, /* erf */
    {0xa064d00d9cccf1a8, 0xd2876e49c41856c6, 0xafb8d2dd8f5d521f, 0x48f4334dce9d9879, 0xd0ec9f37edd6c7aa,
     0x038c9a48572d8a51}, /* tanh */
    {0x8af6c83136836d58, 0x5284183f75cc119d, 0x92aece6b2d3d2fdc, 0x4a6aecd533dca025, 0xd8540de647846c72,
     0x2eee501fc1e86be5}, /* quick */
    {0xe5d3520cfbbae9c6, 0x49332568e9e7f2fe, 0xaa9d07235fa46eb4, 0x5d1e200f1dee964f, 0x2696f13d1261aefd,
     0x013725539dca4c2f}, /* silu */
    {0x113e2c2e52546ae9, 0xc49e3be8a5ceb8f2, 0xe90aff241bfcf488, 0x4a185c169444a72f, 0xab5e1e29faf9a014,
     0xc277066af06060a8}, /* elu */
};

static void bits_are_frozen(void **state) {
    (void)state;
    fill();
    int wrong = 0;
    for (int act = GELU_IDENTITY; act <= GELU_ELU; act++) {
        uint64_t got[6];
        gelu_forward_f64((gelu_act)act, COUNT, wide, wide_out), got[0] = hash_f64();
        gelu_grad_f64((gelu_act)act, COUNT, wide, wide_out), got[1] = hash_f64();
        gelu_grad2_f64((gelu_act)act, COUNT, wide, wide_out), got[2] = hash_f64();
        gelu_grad2_f32((gelu_act)act, COUNT, narrow, narrow_out), got[3] = hash_f32();
        gelu_fast_forward_f32((gelu_act)act, COUNT, narrow, narrow_out), got[4] = hash_f32();
        gelu_fast_backward_f32((gelu_act)act, COUNT, narrow, narrow, narrow_out), got[5] = hash_f32();
        wrong += memcmp(got, expected[act], sizeof got) != 0;
        print_message("    {0x%016llx, 0x%016llx, 0x%016llx,\n     0x%016llx, 0x%016llx, 0x%016llx}, /* %s */\n",
                      (unsigned long long)got[0], (unsigned long long)got[1], (unsigned long long)got[2],
                      (unsigned long long)got[3], (unsigned long long)got[4], (unsigned long long)got[5],
                      gelu_act_name((gelu_act)act));
    }
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bits_are_frozen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
