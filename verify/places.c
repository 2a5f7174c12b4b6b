/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <math.h>
#include <string.h>

#include "format.h"
#include "places.h"

/* Roots of f' (its minimum: negative) and f'' (one of each sign: f'' is even). */
static const double roots[][2] = {
    [GELU_ERF] = {-0.75179152469356446, 1.4142135623730950},
    [GELU_TANH] = {-0.75246142207101626, 1.4185040087908284},
    [GELU_QUICK] = {-0.75115425544128895, 1.4097281319127307},
    [GELU_SILU] = {-1.2784645427610738, 2.3993572805154677},
};

/* Magnitudes where results turn subnormal or zero (f, f', f'' in f32 and f64), or reach x or 1 (24 and 53 bits). */
enum { N_ENDS = 16 };
static const double ends[][N_ENDS] = {
    [GELU_ERF] = {13.146246717861361, 14.356067982158693, 13.341882321136505, 14.541349078589003, 13.536424907747385,
                  14.725695950099487, 37.615868313955992, 38.580140223782359, 37.712246339735588, 38.674766957173425,
                  37.808495012040971, 38.769271465459629, 5.3475153462741477, 5.9101607495837966, 8.2126862124304581,
                  8.7143265685424758},
    [GELU_TANH] = {10.100637393537946, 10.770868253746146, 10.235000158896569, 10.894538519247900, 10.367803202153434,
                   11.016919069381662, 21.176880251785221, 21.547075410436022, 21.223777387906056, 21.592738857625542,
                   21.270549912258414, 21.638285643058252, 4.9941370920800566, 5.4678599703355260, 7.1359294154331997,
                   7.4456273162582464},
    [GELU_QUICK] = {53.653995707498893, 63.527348758093031, 53.963400290128034, 63.837233449357565, 54.272788739787462,
                    64.147106711217413, 419.76269569542544, 441.37668494340167, 420.07476829206476, 441.68877645893542,
                    420.38684063497782, 442.00086774504625, 9.8992663901152813, 11.490213898355582, 21.765292878223397,
                    23.743150125408838},
    [GELU_SILU] = {91.856775324595480, 108.66030361932557, 91.845707293797914, 108.65097133080658, 91.834513994948597,
                   108.64155029742940, 714.96865723796647, 751.75563041352377, 714.96725563309422, 751.75429753310809,
                   714.96585205820498, 751.75296287137496, 16.676972425188328, 19.556344055001201, 36.878698782472405,
                   40.410841513445842},
    [GELU_ELU] = {87.336544750553109, 103.97207708399179, 708.39641853226411, 745.13321910194110, 16.635532333438687,
                  17.328679513998633, 36.736800569677101, 37.429947750237046},
};

/* Of every function: the least normal numbers of f32 and f64 and twice them (results are half of x there), 1, the ends
 * of the range, and both zeros (their neighbourhoods reach into the NaNs). */
static const double common[] = {0x1p-126, 0x1p-125, 0x1p-1022, 0x1p-1021, 1, 0x1p-24, 0x1p-53};

static size_t roots_of(gelu_act act, double *out) {
    if (act == GELU_IDENTITY || act == GELU_RELU || act == GELU_ELU) return 0;
    memcpy(out, roots[act], sizeof roots[act]);
    return 2;
}

static const double *ends_of(gelu_act act) {
    static const double none[N_ENDS];
    return act == GELU_IDENTITY || act == GELU_RELU ? none : ends[act];
}

bool places_near_root(gelu_act act, int order, double x) {
    double found[2];
    if (order == 0 || roots_of(act, found) == 0) return false;
    if (order == 1) return fabs(x - found[0]) <= 0x1p-10;
    return fabs(fabs(x) - found[1]) <= 0x1p-10;
}

static uint64_t pattern_of(gelu_dtype dtype, double x) {
    uint64_t bits = 0;
    float single = (float)x;
    uint32_t narrow;
    if (dtype == GELU_F64) {
        memcpy(&bits, &x, sizeof bits);
    } else {
        memcpy(&narrow, &single, sizeof narrow);
        bits = narrow;
    }
    return bits;
}

static void add_centre(input_plan *plan, uint64_t pattern) {
    for (size_t i = 0; i < plan->n_centres; i++)
        if (plan->centres[i] == pattern) return;
    if (plan->n_centres < sizeof plan->centres / sizeof plan->centres[0]) plan->centres[plan->n_centres++] = pattern;
}

static void add_both_signs(input_plan *plan, double x) {
    uint64_t pattern = pattern_of(plan->dtype, x);
    add_centre(plan, pattern);
    add_centre(plan, pattern | format_of(plan->dtype)->sign);
}

static void find_centres(input_plan *plan) {
    const number_format *format = format_of(plan->dtype);
    const double *end = ends_of(plan->act);
    double root[2];
    size_t n_roots = roots_of(plan->act, root);
    for (size_t i = 0; i < n_roots; i++) add_both_signs(plan, fabs(root[i]));
    for (size_t i = 0; i < N_ENDS; i++)
        if (end[i] > 0) add_both_signs(plan, end[i]);
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++) add_both_signs(plan, common[i]);
    add_both_signs(plan, 0);
    add_centre(plan, format->infinity);
    add_centre(plan, format->infinity | format->sign);
    uint64_t quiet = format->infinity | UINT64_C(1) << (format->precision - 2);
    add_centre(plan, quiet);
    add_centre(plan, quiet | format->sign);
}

void places_plan(gelu_act act, gelu_dtype dtype, uint64_t stride, uint64_t samples, input_plan *plan) {
    *plan = (input_plan){.act = act, .dtype = dtype, .stride = stride, .samples = samples, .block = PLACES_BLOCK};
    if (stride > 0) {
        samples = ((UINT64_C(1) << format_of(dtype)->width) - 1) / stride + 1;
    } else {
        plan->block = 256; /* the oracle takes its time: small blocks, so that all threads end together */
    }
    plan->regular_blocks = (samples + plan->block - 1) / plan->block;
    if (stride != 1) find_centres(plan);
    plan->blocks = plan->regular_blocks + plan->n_centres;
}

/* A well-mixed 64-bit function of a counter (SplitMix64). */
static uint64_t mix(uint64_t i) {
    uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double uniform(uint64_t random) { return (double)(random >> 11) * 0x1p-53; }

/* Five kinds in turn: any pattern; any exponent of interest; up to where everything has vanished; where activations
 * live; and close to a special place, at every distance. */
static double sample(const input_plan *plan, uint64_t i) {
    static const double reach[] = {[GELU_IDENTITY] = 16, [GELU_RELU] = 16,  [GELU_ERF] = 39, [GELU_TANH] = 22,
                                   [GELU_QUICK] = 443,   [GELU_SILU] = 753, [GELU_ELU] = 746};
    uint64_t random = mix(2 * i), more = mix(2 * i + 1);
    double sign = more & 1 ? -1 : 1, fraction = uniform(random);
    const number_format *format = format_of(plan->dtype);
    switch (i % 5) {
    case 0: return format_decode(format, random & (2 * format->sign - 1));
    case 1: return sign * ldexp(1 + fraction, (int)(more >> 1 & 127) - 117);
    case 2: return sign * fraction * reach[plan->act];
    case 3: return sign * fraction * 4;
    default: {
        double place = format_decode(format, plan->centres[(more >> 8) % plan->n_centres]);
        double nearby = place * (1 + sign * ldexp(fraction, -(int)(more >> 1 & 63)));
        return isfinite(nearby) ? nearby : 0;
    }
    }
}

static bool in_window(const input_plan *plan, uint64_t centre, uint64_t pattern) {
    uint64_t mask = 2 * format_of(plan->dtype)->sign - 1;
    return ((pattern - centre + plan->block / 2) & mask) < plan->block;
}

static bool already_visited(const input_plan *plan, size_t window, uint64_t pattern) {
    if (plan->stride > 0 && pattern % plan->stride == 0) return true;
    for (size_t i = 0; i < window; i++)
        if (in_window(plan, plan->centres[i], pattern)) return true;
    return false;
}

size_t places_fill(const input_plan *plan, uint64_t block, uint64_t *patterns) {
    uint64_t mask = 2 * format_of(plan->dtype)->sign - 1;
    size_t n = 0;
    if (block >= plan->regular_blocks) {
        size_t window = (size_t)(block - plan->regular_blocks);
        for (size_t i = 0; i < plan->block; i++) {
            uint64_t pattern = (plan->centres[window] + i - plan->block / 2) & mask;
            if (!already_visited(plan, window, pattern)) patterns[n++] = pattern;
        }
        return n;
    }
    uint64_t first = block * plan->block;
    if (plan->stride == 0) {
        for (; n < plan->block && first + n < plan->samples; n++)
            patterns[n] = pattern_of(plan->dtype, sample(plan, first + n));
        return n;
    }
    for (; n < plan->block; n++) {
        uint64_t pattern = (first + n) * plan->stride;
        if (pattern > mask) break;
        patterns[n] = pattern;
    }
    return n;
}

/* A quarter any pattern, the rest between 2^-12 and 2^4 in magnitude. */
void places_fill_factors(gelu_dtype dtype, size_t n, const uint64_t *patterns, uint64_t *factors) {
    const number_format *format = format_of(dtype);
    int stored = format->precision - 1;
    for (size_t i = 0; i < n; i++) {
        uint64_t random = mix(~patterns[i]), one = format->infinity / 2 >> stored;
        uint64_t fraction = random & ((UINT64_C(1) << stored) - 1);
        uint64_t any = random & (2 * format->sign - 1), rare = 0 - (uint64_t)((random >> 53 & 3) == 0);
        uint64_t moderate = (one - 12 + (random >> 56) % 16) << stored | fraction | (random >> 55 & 1) * format->sign;
        factors[i] = (any & rare) | (moderate & ~rare); /* no branch: it would be a coin toss */
    }
}
