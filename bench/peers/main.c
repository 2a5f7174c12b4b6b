/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* peers [SECONDS [STRIDE]]: speed and largest errors of every implementation that was found, in Markdown. SECONDS is
 * for each size; every STRIDE-th float is looked at for the errors. One thread. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "peers.h"

enum { N_SIZES = 4, MEMCPY = 0, RELU = 1, RELU_BACKWARD = 2, FIRST_PEER = 3 };
static const size_t sizes[N_SIZES] = {4 << 10, 64 << 10, 1 << 20, 64 << 20};
static const char *const size_names[N_SIZES] = {"4 Ki", "64 Ki", "1 Mi", "64 Mi"};

void peer_add(peer_list *list, const char *name, gelu_act act, bool backward, peer_call *call) {
    if (list->n == MAX_PEERS) return;
    peer *peer = &list->peer[list->n++];
    snprintf(peer->name, sizeof peer->name, "%s", name);
    peer->act = act;
    peer->backward = backward;
    peer->call = call;
}

static void call_memcpy(size_t n, const float *x, const float *dy, float *y) {
    (void)dy;
    memcpy(y, x, n * sizeof *x);
}

static void call_relu(size_t n, const float *x, const float *dy, float *y) {
    const char *isa;
    bench_relu_loop(GELU_F32, dy != NULL, &isa)(n * sizeof *x, x, dy, y);
}

#define FORWARD(name, act)                                                                                             \
    static void forward_##name(size_t n, const float *x, const float *dy, float *y) {                                  \
        (void)dy;                                                                                                      \
        gelu_forward_f32(act, n, x, y);                                                                                \
    }
#define BACKWARD(name, act)                                                                                            \
    static void backward_##name(size_t n, const float *x, const float *dy, float *dx) {                                \
        gelu_backward_f32(act, n, x, dy, dx);                                                                          \
    }
#define FAST(name, act)                                                                                                \
    static void fast_##name(size_t n, const float *x, const float *dy, float *y) {                                     \
        (void)dy;                                                                                                      \
        gelu_fast_forward_f32(act, n, x, y);                                                                           \
    }                                                                                                                  \
    static void fast_backward_##name(size_t n, const float *x, const float *dy, float *dx) {                           \
        gelu_fast_backward_f32(act, n, x, dy, dx);                                                                     \
    }
FORWARD(erf, GELU_ERF)
FORWARD(tanh, GELU_TANH)
FORWARD(quick, GELU_QUICK)
FORWARD(silu, GELU_SILU)
BACKWARD(erf, GELU_ERF)
BACKWARD(tanh, GELU_TANH)
FAST(erf, GELU_ERF)
FAST(tanh, GELU_TANH)

static void list_peers(peer_list *list) {
    peer_add(list, "memcpy", GELU_IDENTITY, false, call_memcpy);
    peer_add(list, "ReLU loop", GELU_RELU, false, call_relu);
    peer_add(list, "ReLU loop", GELU_RELU, true, call_relu);
    char name[64];
    snprintf(name, sizeof name, "**libgelu %s**, %s", gelu_version(), gelu_isa_name());
    peer_add(list, name, GELU_ERF, false, forward_erf);
    peer_add(list, name, GELU_TANH, false, forward_tanh);
    peer_add(list, name, GELU_QUICK, false, forward_quick);
    peer_add(list, name, GELU_SILU, false, forward_silu);
    peer_add(list, name, GELU_ERF, true, backward_erf);
    peer_add(list, name, GELU_TANH, true, backward_tanh);
    snprintf(name, sizeof name, "**libgelu %s fast**, %s", gelu_version(), gelu_isa_name());
    peer_add(list, name, GELU_ERF, false, fast_erf);
    peer_add(list, name, GELU_TANH, false, fast_tanh);
    peer_add(list, name, GELU_ERF, true, fast_backward_erf);
    peer_add(list, name, GELU_TANH, true, fast_backward_tanh);
    peers_of_libm(list);
    peers_of_libmvec(list);
#ifdef HAVE_SLEEF
    peers_of_sleef(list);
#endif
#ifdef HAVE_DNNL
    peers_of_onednn(list);
#endif
#ifdef HAVE_MKL
    peers_of_mkl(list);
#endif
}

/* Seconds of one call; repeats is set by the first. */
static double sample(const peer *peer, size_t n, float *const arrays[3], size_t *repeats) {
    const float *dy = peer->backward ? arrays[1] : NULL;
    if (*repeats != 1) peer->call(n, arrays[0], dy, arrays[2]);
    if (*repeats == 0) {
        double started = bench_seconds();
        peer->call(n, arrays[0], dy, arrays[2]);
        *repeats = 1 + (size_t)(40e-6 / (bench_seconds() - started + 1e-9));
    }
    double started = bench_seconds();
    for (size_t i = 0; i < *repeats; i++) peer->call(n, arrays[0], dy, arrays[2]);
    return (bench_seconds() - started) / (double)*repeats;
}

static void measure_speed(const peer_list *list, size_t n, double seconds, double ns[]) {
    size_t repeats[MAX_PEERS] = {0};
    float *arrays[3];
    bench_input normal;
    bench_input_from_name("normal", &normal);
    for (int i = 0; i < 3; i++) {
        arrays[i] = aligned_alloc(4096, n * sizeof(float)); /* sizes are multiples of a page and of BENCH_STEP */
        if (!arrays[i] || bench_input_fill(&normal, GELU_F32, n, arrays[i]) != GELU_OK) {
            fprintf(stderr, "%zu elements: out of memory\n", n);
            exit(1);
        }
    }
    double started = bench_seconds();
    for (int round = 0; round < 3 || bench_seconds() - started < seconds; round++) {
        bench_clock_sample();
        for (size_t p = 0; p < list->n; p++) {
            double each = 1e9 * sample(&list->peer[p], n, arrays, &repeats[p]) / (double)n;
            if (round == 0 || each < ns[p]) ns[p] = each;
        }
    }
    for (int i = 0; i < 3; i++) free(arrays[i]);
}

static void print_speed(const peer_list *list, double ns[N_SIZES][MAX_PEERS], bool backward) {
    printf("\n%s, f32, N(0, 1), one thread: times the ReLU loop%s (ns per element; clocks per element)\n\n| | |",
           backward ? "Backward" : "Forward", backward ? "'s backward form" : "");
    for (int s = 0; s < N_SIZES; s++) printf(" %s |", size_names[s]);
    printf("\n| --- | --- | --- | --- | --- | --- |\n");
    for (size_t p = 0; p < list->n; p++) {
        const peer *peer = &list->peer[p];
        if (peer->backward != backward && p != MEMCPY) continue;
        printf("| %s | %s |", peer->name, p < FIRST_PEER ? "" : gelu_act_name(peer->act));
        for (int s = 0; s < N_SIZES; s++)
            printf(" %.2f (%.3f; %.2f) |", ns[s][p] / ns[s][backward ? RELU_BACKWARD : RELU], ns[s][p],
                   ns[s][p] * bench_clock_ghz());
        printf("\n");
    }
}

static void print_accuracy(const peer_list *list, unsigned stride) {
    static double worst[MAX_PEERS][N_RANGES];
    measure_accuracy(list, stride, worst);
    printf("\nForward, f32: largest error in ULP, every %u. float\n\n| | |", stride);
    for (int range = 0; range < N_RANGES; range++) printf(" %s |", range_names[range]);
    printf("\n| --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t p = FIRST_PEER; p < list->n; p++) {
        if (list->peer[p].backward) continue;
        printf("| %s | %s |", list->peer[p].name, gelu_act_name(list->peer[p].act));
        for (int range = 0; range < N_RANGES; range++) {
            double error = worst[p][range];
            if (isinf(error))
                printf(" not finite |");
            else if (error > 0x1p23)
                printf(" 2^%.0f |", log2(error));
            else
                printf(error < 10 ? " %.2f |" : " %.0f |", error);
        }
        printf("\n");
    }
}

int main(int argc, char **argv) {
    static peer_list list;
    static double ns[N_SIZES][MAX_PEERS];
    double seconds = argc > 1 ? atof(argv[1]) : 10;
    unsigned stride = argc > 2 && atoi(argv[2]) > 0 ? (unsigned)atoi(argv[2]) : 61;
    list_peers(&list);
    const char *absent = PEERS_ABSENT;
    for (size_t length; *absent; absent += length + (absent[length] == '\n')) {
        length = strcspn(absent, "\n");
        printf("skipped: %.*s\n", (int)length, absent);
    }
    for (int s = 0; s < N_SIZES; s++) measure_speed(&list, sizes[s], seconds, ns[s]);
    printf("%s, %.2f GHz measured\n", bench_cpu_name(), bench_clock_ghz());
    print_speed(&list, ns, false);
    print_speed(&list, ns, true);
    print_accuracy(&list, stride);
    return 0;
}
