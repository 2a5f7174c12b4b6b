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
    size_t nbytes; /* of one array */
    void *x, *dy, *y;
    bench_relu *relu;
    const bench_row *row; /* what runs now */
} arena;

static void arena_free(arena *arena) {
    free(arena->x);
    free(arena->dy);
    free(arena->y);
}

static void *allocate(size_t nbytes) { return aligned_alloc(PAGE, (nbytes + BENCH_STEP + PAGE - 1) / PAGE * PAGE); }

static gelu_status arena_init(const bench_group *group, arena *out) {
    arena arena = {.group = group, .nbytes = group->n * gelu_dtype_nbytes(group->dtype)};
    const char *isa;
    arena.relu = bench_relu_loop(group->dtype, group->op->reads_dy, &isa);
    arena.x = allocate(arena.nbytes);
    arena.y = allocate(arena.nbytes);
    gelu_status status = arena.x && arena.y ? GELU_OK : GELU_ERR_MEMORY;
    if (status == GELU_OK) status = bench_input_fill(group->input, group->dtype, group->n, arena.x);
    if (status == GELU_OK && group->op->reads_dy) {
        bench_input normal;
        bench_input_from_name("normal", &normal);
        arena.dy = allocate(arena.nbytes);
        status = arena.dy ? bench_input_fill(&normal, group->dtype, group->n, arena.dy) : GELU_ERR_MEMORY;
    }
    if (status == GELU_OK) {
        memset(arena.y, 0, arena.nbytes);
        *out = arena;
    } else {
        arena_free(&arena);
    }
    return status;
}

static void run_piece(void *context, size_t first, size_t nbytes) {
    const arena *arena = context;
    const bench_group *group = arena->group;
    const char *x = (const char *)arena->x + first, *dy = arena->dy ? (const char *)arena->dy + first : NULL;
    char *y = (char *)arena->y + first;
    switch (arena->row->what) {
    case BENCH_MEMCPY: memcpy(y, x, nbytes); break;
    case BENCH_RELU_LOOP: arena->relu(nbytes, x, dy, y); break;
    case BENCH_LIBRARY:
        group->op->call[group->dtype](arena->row->act, nbytes / gelu_dtype_nbytes(group->dtype), x, dy, y);
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

/* Seconds of one call. */
static double sample(arena *arena, bench_row *row, uint64_t *repeats) {
    arena->row = row;
    if (row->what == BENCH_LIBRARY) gelu_isa_select(row->isa);
    if (*repeats != 1) run_once(arena); /* so that the arrays, the code and its tables are in the cache */
    if (*repeats == 0) {
        double started = bench_seconds();
        run_once(arena);
        double seconds = bench_seconds() - started;
        *repeats = seconds > sample_seconds ? 1 : 1 + (uint64_t)(sample_seconds / (seconds + 1e-9));
    }
    double started = bench_seconds();
    for (uint64_t i = 0; i < *repeats; i++) run_once(arena);
    double seconds = (bench_seconds() - started) / (double)*repeats;
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

static void name_rows(const bench_group *group, bench_row *rows) {
    size_t n = bench_group_rows(group);
    for (size_t i = 0; i < n; i++) {
        bench_row row = {.group = group, .what = i < BENCH_LIBRARY ? (bench_what)i : BENCH_LIBRARY, .isa = "-"};
        if (row.what == BENCH_RELU_LOOP) bench_relu_loop(group->dtype, group->op->reads_dy, &row.isa);
        if (row.what == BENCH_LIBRARY) {
            row.act = group->acts[(i - BENCH_LIBRARY) / group->n_isas];
            row.isa = group->isas[(i - BENCH_LIBRARY) % group->n_isas];
        }
        rows[i] = row;
    }
}

static void derive(size_t n, bench_row *rows) {
    const bench_group *group = rows->group;
    double size = (double)gelu_dtype_nbytes(group->dtype);
    for (size_t i = 0; i < n; i++) {
        int arrays = group->op->reads_dy && rows[i].what != BENCH_MEMCPY ? 3 : 2;
        rows[i].gbytes = arrays * size / rows[i].ns;
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
    for (uint64_t rounds = 0; !is_finished(group, rounds, bench_seconds() - started, &done); rounds++) {
        bench_clock_sample();
        for (size_t i = 0; i < n; i++) {
            double ns = 1e9 * sample_at_depth(&arena, &rows[i], &repeats[i], rounds) / (double)group->n;
            if (rows[i].ns == 0 || ns < rows[i].ns) rows[i].ns = ns;
        }
        if (group->progress) group->progress(group->context, done);
    }
    derive(n, rows);
    gelu_isa_select(NULL);
    gelu_set_num_threads(0);
    arena_free(&arena);
    free(repeats);
    return GELU_OK;
}
