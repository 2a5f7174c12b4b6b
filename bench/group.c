/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "threads.h"

/* Long enough for the clock's resolution, short enough that many samples meet no interruption. */
static const double sample_seconds = 40e-6;
enum { LEAST_SAMPLES = 3, PAGE = 4096 };

typedef struct {
    const bench_group *group;
    size_t in, out; /* bytes of an element */
    size_t nbytes;  /* of x */
    void *x, *dy, *y;
    bench_relu *relu;
    const bench_row *row; /* what runs now */
    gelu_linear *layer;   /* of a mixed type, and what it is made for */
    void *workspace;
    const char *layer_isa;
} arena;

static bool is_mixed(const bench_group *group) { return group->type->in != group->type->out; }

static bench_relu *find_relu(const bench_group *group, const char **isa) {
    return is_mixed(group) ? bench_relu_narrow(group->type->out, isa)
                           : bench_relu_loop(group->type->in, group->op->reads_dy, isa);
}

static void layer_free(arena *arena) {
    gelu_linear_free(arena->layer);
    free(arena->workspace);
    arena->layer = NULL;
    arena->workspace = NULL;
}

static void arena_free(arena *arena) {
    layer_free(arena);
    free(arena->x);
    free(arena->dy);
    free(arena->y);
}

static void *allocate(size_t nbytes) { return aligned_alloc(PAGE, (nbytes + BENCH_STEP + PAGE - 1) / PAGE * PAGE); }

static gelu_status arena_init(const bench_group *group, arena *out) {
    arena arena = {
        .group = group, .in = gelu_dtype_nbytes(group->type->in), .out = gelu_dtype_nbytes(group->type->out)};
    gelu_dtype dtype = group->type->in;
    const char *isa;
    arena.nbytes = group->n * arena.in;
    arena.relu = find_relu(group, &isa);
    arena.x = allocate(arena.nbytes);
    arena.y = allocate(arena.nbytes); /* room for what memcpy moves, too */
    gelu_status status = arena.x && arena.y ? GELU_OK : GELU_ERR_MEMORY;
    if (status == GELU_OK) status = bench_input_fill(group->input, dtype, group->n, arena.x);
    if (status == GELU_OK && group->op->reads_dy) {
        bench_input normal;
        bench_input_from_name("normal", &normal);
        arena.dy = allocate(arena.nbytes);
        status = arena.dy ? bench_input_fill(&normal, dtype, group->n, arena.dy) : GELU_ERR_MEMORY;
    }
    if (status == GELU_OK) {
        memset(arena.y, 0, arena.nbytes);
        *out = arena;
    } else {
        arena_free(&arena);
    }
    return status;
}

/* A layer has as many rows as divide n into columns, up to 16: one row alone would measure Linear's work for each panel of
 * columns, many rows would see few different numbers. */
static size_t layer_rows(const bench_group *group) {
    size_t rows = 16;
    while (group->n % rows > 0) rows /= 2;
    return rows;
}

/* The layer for the instruction set in use, whose bias is x. */
static gelu_status layer_select(arena *arena, const char *isa) {
    if (arena->layer && arena->layer_isa == isa) return GELU_OK;
    const gelu_weights weights = {.dtype = GELU_F32, .layout = GELU_OUT_IN, .bias = arena->x};
    size_t nbytes, backward, rows = layer_rows(arena->group);
    layer_free(arena);
    gelu_status status = gelu_linear_view(0, arena->group->n / rows, &weights, GELU_COMPUTE_F32, &arena->layer);
    if (status == GELU_OK) status = gelu_linear_workspace(arena->layer, rows, &nbytes, &backward);
    if (status != GELU_OK) return status;
    arena->workspace = allocate(nbytes);
    arena->layer_isa = isa;
    return arena->workspace ? GELU_OK : GELU_ERR_MEMORY;
}

static void run_mixed(const arena *arena) {
    const gelu_epilogue epilogue = {.act = arena->row->act};
    const bench_group *group = arena->group;
    size_t rows = layer_rows(group);
    (void)gelu_linear_forward(arena->layer, rows, GELU_F32, NULL, 0, &epilogue, group->type->out, arena->y,
                              group->n / rows, arena->workspace);
}

/* nbytes of x from first on. */
static void run_piece(void *context, size_t first, size_t nbytes) {
    const arena *arena = context;
    const bench_group *group = arena->group;
    size_t begin = first / arena->in, count = nbytes / arena->in, moved = arena->in + arena->out;
    const char *x = (const char *)arena->x + first, *dy = arena->dy ? (const char *)arena->dy + first : NULL;
    char *y = (char *)arena->y + begin * arena->out;
    switch (arena->row->what) {
    case BENCH_MEMCPY:
        memcpy((char *)arena->y + begin * moved / 2, (char *)arena->x + begin * moved / 2, count * moved / 2);
        break;
    case BENCH_RELU_LOOP: arena->relu(nbytes, x, dy, y); break;
    case BENCH_LIBRARY:
        if (is_mixed(group))
            run_mixed(arena);
        else
            group->op->call[group->type->in](arena->row->act, count, x, dy, y);
        break;
    }
}

/* The library has threads of its own, and leaves them for arrays that are worth it; what it is compared with must not
 * suffer from more. */
enum { LEAST_PER_THREAD = 1 << 15 };

static void run_once(arena *arena) {
    size_t useful = arena->group->n / LEAST_PER_THREAD;
    unsigned threads = useful < arena->group->threads ? (unsigned)useful : arena->group->threads;
    bench_in_pieces(arena->row->what == BENCH_LIBRARY ? 1 : threads, arena->nbytes, run_piece, arena);
}

/* What a row needs before it runs. */
static gelu_status select_row(arena *arena, const bench_row *row) {
    if (row->what != BENCH_LIBRARY) return GELU_OK;
    gelu_isa_select(row->isa);
    return is_mixed(arena->group) ? layer_select(arena, row->isa) : GELU_OK;
}

/* Seconds of one call. */
static double sample(arena *arena, bench_row *row, uint64_t *repeats) {
    arena->row = row;
    if (*repeats != 1) run_once(arena); /* so that the arrays, the code and its tables are in the cache */
    if (*repeats == 0) {
        double started = bench_seconds_of(arena->group->threads);
        run_once(arena);
        double seconds = bench_seconds_of(arena->group->threads) - started;
        *repeats = seconds > sample_seconds ? 1 : 1 + (uint64_t)(sample_seconds / (seconds + 1e-9));
    }
    double started = bench_seconds_of(arena->group->threads);
    for (uint64_t i = 0; i < *repeats; i++) run_once(arena);
    double seconds = (bench_seconds_of(arena->group->threads) - started) / (double)*repeats;
    row->samples++;
    return seconds;
}

/* Code whose locals happen to lie a multiple of 4 KiB from what it reads is slower, and where the stack begins is chance:
 * so the samples are taken at different depths. */
enum { DEPTHS = 16, DEPTH_STEP = 256 };

static double sample_at_depth(arena *arena, bench_row *row, uint64_t *repeats, uint64_t round) {
    char pad[DEPTH_STEP * (round % DEPTHS) + 1];
    char *address = pad;
    __asm__ volatile("" : : "r"(address) : "memory");
    double seconds = sample(arena, row, repeats);
    __asm__ volatile("" : : "r"(address) : "memory");
    return seconds;
}

size_t bench_group_rows(const bench_group *group) { return BENCH_LIBRARY + group->n_acts * group->n_isas; }

double bench_group_nbytes(const bench_group *group) {
    double arrays = group->op->reads_dy || is_mixed(group) ? 3 : 2; /* a layer has a bias of its own */
    return arrays * (double)group->n * (double)gelu_dtype_nbytes(group->type->in);
}

static void name_rows(const bench_group *group, bench_row *rows) {
    size_t n = bench_group_rows(group);
    for (size_t i = 0; i < n; i++) {
        bench_row row = {.group = group, .what = i < BENCH_LIBRARY ? (bench_what)i : BENCH_LIBRARY, .isa = "-"};
        if (row.what == BENCH_RELU_LOOP) find_relu(group, &row.isa);
        if (row.what == BENCH_LIBRARY) {
            row.act = group->acts[(i - BENCH_LIBRARY) / group->n_isas];
            row.isa = group->isas[(i - BENCH_LIBRARY) % group->n_isas];
        }
        rows[i] = row;
    }
}

static void derive(size_t n, bench_row *rows) {
    const bench_group *group = rows->group;
    double in = (double)gelu_dtype_nbytes(group->type->in), out = (double)gelu_dtype_nbytes(group->type->out);
    for (size_t i = 0; i < n; i++) {
        double inputs = group->op->reads_dy && rows[i].what != BENCH_MEMCPY ? 2 : 1;
        if (is_mixed(group) && rows[i].what == BENCH_LIBRARY) inputs /= (double)layer_rows(group);
        rows[i].gbytes = (inputs * in + out) / rows[i].ns;
        rows[i].per_memcpy = rows[i].ns / rows[BENCH_MEMCPY].ns;
        rows[i].per_relu = rows[i].ns / rows[BENCH_RELU_LOOP].ns;
    }
}

static bool is_finished(const bench_group *group, uint64_t rounds, double elapsed, double *done) {
    if (group->repeat) {
        *done = (double)rounds / (double)group->repeat;
    } else {
        double by_time = elapsed / group->seconds, by_rounds = (double)rounds / LEAST_SAMPLES;
        *done = by_time < by_rounds ? by_time : by_rounds;
    }
    return *done >= 1;
}

gelu_status bench_group_run(const bench_group *group, bench_row *rows) {
    arena arena;
    double started = bench_seconds();
    size_t n = bench_group_rows(group);
    uint64_t *repeats = calloc(n, sizeof *repeats);
    gelu_status status = gelu_set_num_threads(group->threads);
    if (status == GELU_OK) status = repeats ? arena_init(group, &arena) : GELU_ERR_MEMORY;
    if (status != GELU_OK) {
        free(repeats);
        return status;
    }
    name_rows(group, rows);
    double done = 0;
    for (uint64_t rounds = 0; status == GELU_OK && !is_finished(group, rounds, bench_seconds() - started, &done);
         rounds++) {
        bench_clock_sample();
        for (size_t i = 0; i < n; i++) {
            status = select_row(&arena, &rows[i]);
            if (status != GELU_OK) break;
            double ns = 1e9 * sample_at_depth(&arena, &rows[i], &repeats[i], rounds) / (double)group->n;
            if (rows[i].ns == 0 || ns < rows[i].ns) rows[i].ns = ns;
        }
        if (group->progress) group->progress(group->context, done);
    }
    if (status == GELU_OK) derive(n, rows);
    gelu_isa_select(NULL);
    gelu_set_num_threads(0);
    arena_free(&arena);
    free(repeats);
    return status;
}
