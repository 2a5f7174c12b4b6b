/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* One seed, one result: for every number of threads and instruction set. And what training is made of. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "arith.h"
#include "train.h"

enum { SAMPLES = 200, FEATURES = 70, CLASSES = 10, BATCH = 128, EPOCHS = 2 };

static train_set make_set(void) {
    train_set set = {.count = SAMPLES, .features = FEATURES, .classes = CLASSES};
    gelu_rng rng;
    gelu_manual_seed(&rng, 2);
    set.x = malloc(SAMPLES * FEATURES * sizeof *set.x);
    set.label = malloc(SAMPLES * sizeof *set.label);
    assert_true(set.x && set.label);
    gelu_randn_f32(&rng, SAMPLES * FEATURES, set.x);
    for (size_t i = 0; i < SAMPLES; i++) set.label[i] = gelu_random_u32(&rng) % CLASSES;
    return set;
}

static train_run *train(const train_set *set, gelu_act act, train_rule rule, train_loss loss) {
    train_plan plan = {.net = {.dtype = GELU_F32,
                               .layers = 4,
                               .widths = {FEATURES, 260, 33, 128, loss == TRAIN_MSE ? FEATURES : CLASSES},
                               .act = act,
                               .dropout = 0.25,
                               .init = TRAIN_INIT_UNIT_ROWS,
                               .loss = loss},
                       .optimiser = train_adam(1e-3),
                       .samples = SAMPLES,
                       .batch = BATCH,
                       .epochs = EPOCHS,
                       .seed = 4};
    train_run *run;
    plan.optimiser.rule = rule;
    plan.optimiser.momentum = 0.9;
    plan.optimiser.weight_decay = 0.01;
    assert_int_equal(train_run_create(&plan, &run), GELU_OK);
    assert_int_equal(train_fit(run, set, set, NULL), GELU_OK);
    assert_int_equal(run->done, EPOCHS);
    assert_true(isfinite(run->history[EPOCHS - 1].train_loss));
    return run;
}

static void assert_same(const train_run *a, const train_run *b) {
    assert_memory_equal(a->net->values, b->net->values, a->net->count * sizeof(float));
    assert_memory_equal(a->first, b->first, a->net->count * sizeof(float));
    assert_memory_equal(a->second, b->second, a->net->count * sizeof(float));
    assert_memory_equal(a->history, b->history, EPOCHS * sizeof *a->history);
    assert_memory_equal(&a->rng, &b->rng, sizeof a->rng);
}

/* FNV-1a. */
static uint64_t hash(const train_net *net) {
    uint64_t h = 0xcbf29ce484222325;
    for (size_t i = 0; i < net->count; i++) {
        uint32_t bits;
        memcpy(&bits, (const float *)net->values + i, sizeof bits);
        h = (h ^ bits) * 0x100000001b3;
    }
    return h;
}

/* want_hash holds the bits on other machines and with other compilers, too. */
static void check_everywhere(const train_set *set, gelu_act act, train_rule rule, train_loss loss, uint64_t want_hash) {
    static const size_t threads[] = {1, 2, 4};
    assert_int_equal(gelu_isa_select("scalar"), GELU_OK);
    assert_int_equal(gelu_set_num_threads(1), GELU_OK);
    train_run *want = train(set, act, rule, loss);
    if (hash(want->net) != want_hash) fail_msg("%s: %016llx", gelu_act_name(act), (unsigned long long)hash(want->net));
    for (size_t i = 0; gelu_isa_available(i); i++) {
        assert_int_equal(gelu_isa_select(gelu_isa_available(i)), GELU_OK);
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            if (gelu_set_num_threads(threads[t]) != GELU_OK) continue; /* a build without OpenMP */
            train_run *got = train(set, act, rule, loss);
            assert_same(got, want);
            train_run_free(got);
        }
    }
    train_run_free(want);
    assert_int_equal(gelu_set_num_threads(0), GELU_OK);
    assert_int_equal(gelu_isa_select(NULL), GELU_OK);
}

static void test_same_everywhere(void **state) {
    (void)state;
    train_set set = make_set();
    check_everywhere(&set, GELU_ERF, TRAIN_ADAM, TRAIN_CROSS_ENTROPY, 0x32b8e46e88baebe3);
    check_everywhere(&set, GELU_SILU, TRAIN_ADAMW, TRAIN_MSE, 0xc7b820326d0790a7);
    check_everywhere(&set, GELU_ELU, TRAIN_SGD, TRAIN_CROSS_ENTROPY, 0x0353daad89d23e4e);
    free(set.x);
    free(set.label);
}

/* torch.manual_seed(N); torch.randperm(10) in PyTorch 1.13. */
static void test_shuffle(void **state) {
    static const uint32_t seed0[] = {4, 1, 7, 5, 3, 9, 0, 8, 6, 2}, seed42[] = {2, 6, 1, 8, 4, 5, 0, 9, 3, 7};
    uint32_t order[10];
    gelu_rng rng;
    (void)state;
    gelu_manual_seed(&rng, 0);
    train_shuffle(&rng, 10, order);
    assert_memory_equal(order, seed0, sizeof order);
    gelu_manual_seed(&rng, 42);
    train_shuffle(&rng, 10, order);
    assert_memory_equal(order, seed42, sizeof order);
}

static void test_exp_and_log(void **state) {
    enum { N = 2000 };
    static double s[N], y[N], room[N];
    (void)state;
    for (int i = 0; i < N; i++) s[i] = 1 + ldexp(1, i % 100 - 60) * (1 + i / 3000.0);
    train_log(N, s, y, room);
    for (int i = 0; i < N; i++) assert_true(fabs(y[i] - log(s[i])) <= 4e-16 * fmax(1, log(s[i])));
    for (int i = 0; i < N; i++) y[i] = room[i] = (i - N / 2) / 3.0;
    train_exp(N, y);
    for (int i = 0; i < N; i++) assert_true(fabs(y[i] - exp(-fabs(room[i]))) <= 5e-16 * exp(-fabs(room[i])));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_everywhere),
        cmocka_unit_test(test_shuffle),
        cmocka_unit_test(test_exp_and_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
