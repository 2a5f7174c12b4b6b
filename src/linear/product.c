/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Blocking. Rows go in chunks whose block of 256 k, with the panels of b that meet it, stays in the second-level cache;
 * within a chunk a task takes a few panels of columns, through all of k, so that acc stays there too. The tiles read rows
 * of a where they are, if those are of the type that is computed in; others are packed. */
#include "linear/product.h"
#include <assert.h>
#include <stdatomic.h>
#include <string.h>
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/parallel.h"
#include "linear/linear.h"

enum {
    CHUNK_ROWS = 256,
    CHUNK_COLS = 96,
    PACK_STEP = 16,
    DISTANCE = 16 << 10,  /* bytes that a single tile looks ahead of itself */
    LARGE = 4 << 20,      /* bytes of weights that a cache does not keep from one call to the next */
    SERIAL_WORK = 1 << 19 /* multiplications that one core does sooner than a second thread starts */
};

/* How a product is cut, from its size and a number of threads, whatever number a call then gets. The bytes grow with
 * the rows and with the threads: a workspace serves fewer of either, too. */
struct plan {
    size_t width, panels, blocks; /* of columns; of k */
    size_t workers;
    size_t chunks, tasks;                         /* chunks of rows, as equal as can be; tasks of a chunk, too */
    size_t group;                                 /* chunks that are packed at a time */
    size_t slab_nbytes;                           /* a block of k of a packed chunk */
    size_t block_nbytes;                          /* a block of k of a packed group */
    size_t acc_nbytes, panel_nbytes, line_nbytes; /* of each worker: acc; a panel of b; scratch */
};

static size_t divide_up(size_t a, size_t b) { return a / b + (a % b > 0); }
static size_t at_most(size_t a, size_t limit) { return a < limit ? a : limit; }
static size_t at_least(size_t a, size_t limit) { return a > limit ? a : limit; }
static size_t round_up(size_t nbytes) { return nbytes + (0 - nbytes) % ALLOC_ALIGNMENT; }

size_t gelu_product_width(const struct gelu_kernels *kernels, gelu_dtype real) {
    return real == GELU_F64 ? kernels->tile_width_f64 : kernels->tile_width_f32;
}

size_t gelu_product_threads(const void *workspace) {
    return workspace ? gelu_parallel_processors() : gelu_num_threads();
}

size_t gelu_product_workers(size_t rows, size_t cols, size_t depth, size_t threads) {
    size_t work;
    bool small = size_mul(rows, cols, &work) && size_mul(work, depth, &work) && work < SERIAL_WORK;
    return small ? 1 : threads;
}

static struct plan make_plan(const struct gelu_kernels *kernels, gelu_dtype real, size_t rows, size_t cols,
                             size_t depth, size_t threads) {
    size_t width = gelu_product_width(kernels, real), element = gelu_dtype_nbytes(real);
    struct plan p = {.width = width, .panels = divide_up(cols, width), .blocks = divide_up(depth, PRODUCT_BLOCK)};
    p.workers = gelu_product_workers(rows, cols, depth, threads);
    size_t wanted = p.workers > 1 ? 2 * p.workers : 1; /* tasks, for an even load */
    size_t most_panels = at_least(CHUNK_COLS / width, 1), panels = at_least(p.panels, 1);
    p.chunks = at_least(divide_up(rows, CHUNK_ROWS), 1);
    if (panels < divide_up(wanted, p.chunks))
        p.chunks = at_least(p.chunks, at_most(divide_up(wanted, panels), divide_up(rows, 2 * kernels->tile_rows)));
    /* Few columns: several chunks at a time, so that every worker has some. */
    size_t group_rows = CHUNK_ROWS * divide_up(wanted, divide_up(panels, most_panels));
    size_t chunk_rows = divide_up(rows, p.chunks), row_nbytes = PRODUCT_BLOCK * element;
    p.group = at_most(p.chunks, at_least(group_rows / at_least(chunk_rows, 1), 1));
    /* Tasks as equal as can be, and as many for each worker. */
    p.tasks = at_least(divide_up(panels, rows <= kernels->tile_rows ? 1 : most_panels), divide_up(wanted, p.chunks));
    while (p.tasks * p.group % p.workers > 0) p.tasks++;
    p.tasks = at_most(p.tasks, panels);
    p.slab_nbytes = round_up(chunk_rows * row_nbytes + PACK_SPILL);
    /* At most 2 * wanted chunks, each with a row to make them equal, its spill and its alignment. */
    p.block_nbytes = at_most(rows, group_rows) * row_nbytes + 2 * wanted * (row_nbytes + PACK_SPILL + ALLOC_ALIGNMENT);
    p.acc_nbytes = round_up(at_most(rows, CHUNK_ROWS) * at_most(most_panels, panels) * width * element);
    size_t lines = at_most(depth, PRODUCT_BLOCK);
    p.panel_nbytes = round_up(lines * width * element + PACK_SPILL);
    p.line_nbytes = round_up(at_least(lines, at_most(rows, CHUNK_ROWS)) * width * element);
    return p;
}

bool gelu_product_workspace(const struct gelu_kernels *kernels, gelu_dtype real, size_t rows, size_t cols, size_t depth,
                            size_t threads, size_t *nbytes) {
    *nbytes = 0;
    if (rows == 0 || cols == 0) return true;
    struct plan p = make_plan(kernels, real, rows, cols, depth, threads);
    size_t packed, own = p.acc_nbytes + p.panel_nbytes + p.line_nbytes;
    return size_mul(p.blocks, p.block_nbytes, &packed) && size_mul(p.workers, own, nbytes) &&
           size_add(*nbytes, packed, nbytes);
}

/* ---- One group of chunks ---- */

struct run {
    const struct product *product;
    struct plan plan;
    size_t first, chunks; /* of this group */
    unsigned char *packed, *workers;
    atomic_size_t taken;
};

struct chunk {
    size_t index;            /* in the group */
    size_t row, rows, tiles; /* tiles of rows, as equal as can be */
};

static struct chunk chunk_at(const struct run *run, size_t i) {
    size_t rows = run->product->rows, chunks = run->plan.chunks, chunk = run->first + i;
    size_t row = linear_begin(rows, chunks, chunk);
    struct chunk c = {.index = i, .row = row, .rows = linear_begin(rows, chunks, chunk + 1) - row};
    c.tiles = divide_up(c.rows, run->product->kernels->tile_rows);
    return c;
}

/* A block of a chunk's rows, where they are packed. */
static void *slab_of(const struct run *run, const struct chunk *c, size_t block) {
    return run->packed + (c->index * run->plan.blocks + block) * run->plan.slab_nbytes;
}

/* Parts of a panel are as wide, or a multiple of that. */
static size_t width_step(const struct run *run) { return run->plan.width / run->product->kernels->tile_parts; }

/* The next item that no worker has taken, or what is past the last. */
static size_t take(struct run *run) { return atomic_fetch_add_explicit(&run->taken, 1, memory_order_relaxed); }

static size_t block_length(const struct product *product, size_t block) {
    return at_most(product->depth - block * PRODUCT_BLOCK, PRODUCT_BLOCK);
}

/* Rows of another type, which stay rows. */
static void widen_rows(const struct product *product, size_t first, size_t rows, size_t k, size_t length, void *to) {
    const struct product_factor *a = &product->a;
    for (size_t i = 0; i < rows; i++)
        (void)gelu_convert(length, a->dtype, linear_at(a->p, a->dtype, (first + i) * a->stride + k), product->real,
                           linear_at(to, product->real, i * length));
}

/* Whether the tiles read a where it is. */
static bool reads_rows(const struct product *product) {
    const struct product_factor *a = &product->a;
    return a->form == PRODUCT_STRIDED && a->depth_stride == 1 && a->dtype == product->real;
}

/* Rows of a chunk, `height` of them from row on, in a block: where they are, or packed. */
static struct product_rows chunk_rows(const struct run *run, const struct chunk *c, size_t block, size_t row,
                                      size_t height) {
    const struct product *product = run->product;
    const struct product_factor *a = &product->a;
    size_t length = block_length(product, block);
    if (reads_rows(product))
        return (struct product_rows){linear_at(a->p, a->dtype, (c->row + row) * a->stride + block * PRODUCT_BLOCK),
                                     a->stride, 1};
    const void *p = linear_at(slab_of(run, c, block), product->real, row * length);
    if (a->depth_stride == 1) return (struct product_rows){p, length, 1};
    return (struct product_rows){p, 1, height};
}

static void pack_rows(void *context, size_t worker) {
    struct run *run = context;
    const struct product *product = run->product;
    const struct plan *plan = &run->plan;
    void *scratch = run->workers + worker * (plan->acc_nbytes + plan->panel_nbytes + plan->line_nbytes) +
                    plan->acc_nbytes + plan->panel_nbytes;
    for (size_t item; (item = take(run)) < run->chunks * plan->blocks;) {
        struct chunk c = chunk_at(run, item / plan->blocks);
        size_t block = item % plan->blocks, length = block_length(product, block);
        void *slab = slab_of(run, &c, block);
        if (product->a.depth_stride == 1) {
            widen_rows(product, c.row, c.rows, block * PRODUCT_BLOCK, length, slab);
            continue;
        }
        /* Where the rows lie side by side, a few k for all of them at a time. */
        for (size_t k = 0; k < length; k += PACK_STEP)
            for (size_t t = 0; t < c.tiles; t++) {
                size_t row = c.rows * t / c.tiles, height = c.rows * (t + 1) / c.tiles - row;
                gelu_product_pack(product, &product->a, c.row + row, height, block * PRODUCT_BLOCK + k,
                                  at_most(length - k, PACK_STEP), height,
                                  linear_at(slab, product->real, row * length + k * height), scratch);
            }
    }
}

/* A panel's block of b, packed: where it is, or in buffer. */
static const void *panel_block(const struct run *run, const struct product_part *part, size_t block, size_t length,
                               void *buffer) {
    const struct product *product = run->product;
    const struct product_factor *b = &product->b;
    if (b->form == PRODUCT_PANELS)
        return linear_at(b->p, b->dtype, part->col * product->depth + block * PRODUCT_BLOCK * run->plan.width);
    gelu_product_pack(product, b, part->col, part->cols, block * PRODUCT_BLOCK, length, run->plan.width, buffer,
                      part->scratch);
    return buffer;
}

/* What a worker has taken: panels first to last - 1 of one chunk. */
struct task {
    struct chunk chunk;
    size_t first, last;
    unsigned char *acc, *buffer;
};

/* Where block 0 starts: where the product says, or in acc. */
static void start_part(const struct product *product, const struct product_part *part, struct product_ends *ends) {
    static const double zeros[64]; /* as wide as any panel */
    *ends = (struct product_ends){.from = part->acc, .from_stride = part->width};
    if (!product->from.p && !product->start) {
        ends->from = zeros;
        ends->from_stride = 0;
    } else if (product->from.p && (part->cols == part->width || product->from.stride == 0)) {
        ends->from = linear_at(product->from.p, product->real, part->row * product->from.stride + part->col);
        ends->from_stride = product->from.stride;
    } else {
        product->start(product->context, part);
    }
}

/* While the tiles of a panel work on a block, `steps` k each, what those of the next panel in order read comes nearer. */
struct look_ahead {
    const void *b;       /* what they read now */
    size_t panel, block; /* the next ones */
    size_t tiles, steps;
};

/* nbytes from at on, in so many shares, of which this is one. */
static struct product_ahead share(const struct look_ahead *ahead, const void *at, size_t nbytes, size_t shares,
                                  size_t which) {
    size_t step = divide_up(nbytes, shares * ahead->steps);
    return (struct product_ahead){(uintptr_t)at + which * ahead->steps * step, step};
}

static struct product_ahead ahead_in_b(const struct product *product, const struct look_ahead *ahead, size_t width,
                                       size_t tile) {
    const struct product_factor *b = &product->b;
    size_t element = gelu_dtype_nbytes(b->dtype), k = ahead->block * PRODUCT_BLOCK, col = ahead->panel * width;
    size_t depth = block_length(product, ahead->block);
    if (b->form == PRODUCT_PANELS && ahead->tiles == 1) {
        /* Few rows read a panel as fast as the processor's own prefetching can bring it, unless much and from afar. */
        bool near = b->dtype != product->real || product->cols * product->depth < LARGE / element;
        if (product->rows <= TILE_FEW && near) return (struct product_ahead){0};
        return (struct product_ahead){(uintptr_t)ahead->b + DISTANCE, width * element};
    }
    if (b->form == PRODUCT_PANELS)
        return share(ahead, linear_at(b->p, b->dtype, col * product->depth + k * width), depth * width * element,
                     ahead->tiles, tile);
    if (b->form == PRODUCT_TURNED) { /* in pieces, one in each of b's panels, which several tiles share */
        size_t pieces = divide_up(k % width + depth, width);
        return share(ahead, linear_at(b->p, b->dtype, (k / width + tile % pieces) * width * b->stride + col * width),
                     width * width * element, divide_up(ahead->tiles, pieces), tile / pieces);
    }
    /* in rows of which each tile takes a line */
    if (b->depth_stride == 1 || tile * ALLOC_ALIGNMENT >= width * element) return (struct product_ahead){0};
    return (struct product_ahead){(uintptr_t)linear_at(b->p, b->dtype, k * b->depth_stride + col) +
                                      tile * ALLOC_ALIGNMENT,
                                  b->depth_stride * element};
}

static struct look_ahead look_ahead(const struct run *run, const struct task *task, size_t block, size_t panel,
                                    const void *b) {
    struct look_ahead ahead = {b, panel + 1, block, task->chunk.tiles, block_length(run->product, block)};
    if (panel + 1 < task->last) return ahead;
    ahead.block = block + 1 < run->plan.blocks ? block + 1 : 0;
    if (ahead.block > 0) ahead.panel = task->first;
    return ahead;
}

/* Whether one row meets turned panels as they are: packing them takes longer than the product. */
static bool reads_turned(const struct product *product) {
    const struct product_factor *b = &product->b;
    return product->rows == 1 && b->form == PRODUCT_TURNED && b->dtype == product->real && reads_rows(product);
}

static void multiply_turned(const struct run *run, const struct task *task, size_t block,
                            const struct product_part *part, const struct product_ends *ends) {
    const struct product *product = run->product;
    const struct product_factor *b = &product->b;
    size_t width = run->plan.width, k = block * PRODUCT_BLOCK;
    const struct product_rows a = chunk_rows(run, &task->chunk, block, 0, 1);
    const void *panels = linear_at(b->p, b->dtype, k / width * width * b->stride + part->col * width);
    (product->real == GELU_F64 ? product->kernels->turned_f64 : product->kernels->turned_f32)(
        part->cols, block_length(product, block), a.p, panels, k % width, b->stride, ends->from, ends->to);
}

static void multiply_tiles(const struct run *run, const struct task *task, size_t block, size_t panel,
                           const struct product_part *part, struct product_ends ends) {
    const struct product *product = run->product;
    const struct chunk *c = &task->chunk;
    gelu_dtype real = product->real, type = product->b.form == PRODUCT_PANELS ? product->b.dtype : real;
    size_t length = block_length(product, block), parts = part->width / width_step(run);
    const product_tile *tiles = product->kernels->tiles[type] + (parts - 1) * (product->kernels->tile_rows + 1);
    const void *b = panel_block(run, part, block, length, task->buffer);
    struct look_ahead ahead = look_ahead(run, task, block, panel, b);
    for (size_t t = 0; t < c->tiles; t++) {
        size_t row = c->rows * t / c->tiles, height = c->rows * (t + 1) / c->tiles - row;
        const struct product_rows a = chunk_rows(run, c, block, row, height);
        ends.ahead = ahead_in_b(product, &ahead, run->plan.width, t);
        if (ends.ahead.at == 0) ends.ahead.at = (uintptr_t)b; /* near already */
        tiles[height](length, &a, b, &ends);
        ends.from = linear_at(ends.from, real, height * ends.from_stride);
        ends.to = linear_at(ends.to, real, height * ends.to_stride);
        ends.written = linear_at(ends.written, real, height * ends.written_stride);
    }
}

static void multiply_block(const struct run *run, const struct task *task, size_t block, size_t panel,
                           const struct product_part *part) {
    const struct product *product = run->product;
    struct product_ends ends = {.from = part->acc, .from_stride = part->width};
    if (block == 0) start_part(product, part, &ends);
    ends.to = part->acc;
    ends.to_stride = part->width;
    ends.written = part->acc;
    ends.written_stride = part->width;
    bool last = block + 1 == run->plan.blocks, direct = last && product->bare && part->cols == part->width;
    if (last && product->to.p) {
        void *to = linear_at(product->to.p, product->real, part->row * product->to.stride + part->col);
        ends.written = to;
        ends.written_stride = product->to.stride;
        if (direct) ends.to = to, ends.to_stride = ends.written_stride;
    }
    if (reads_turned(product))
        multiply_turned(run, task, block, part, &ends);
    else
        multiply_tiles(run, task, block, panel, part, ends);
    if (last && !direct) product->finish(product->context, part);
}

/* Without any k. */
static void multiply_nothing(const struct product *product, const struct product_part *part) {
    struct product_ends ends;
    start_part(product, part, &ends);
    if (ends.from != part->acc)
        (product->real == GELU_F64 ? product->kernels->copy_f64 : product->kernels->copy_f32)(
            part->width, part->rows, ends.from, ends.from_stride, part->acc, part->width);
    product->finish(product->context, part);
}

static void multiply_task(const struct run *run, const struct task *task) {
    const struct product *product = run->product;
    const struct chunk *c = &task->chunk;
    size_t width = run->plan.width, step = width_step(run);
    for (size_t block = 0; block == 0 || block < run->plan.blocks; block++)
        for (size_t panel = task->first; panel < task->last; panel++) {
            size_t col = panel * width, cols = at_most(product->cols - col, width);
            struct product_part part = {c->row,
                                        c->rows,
                                        col,
                                        cols,
                                        divide_up(cols, step) * step,
                                        linear_at(task->acc, product->real, (panel - task->first) * c->rows * width),
                                        task->buffer + run->plan.panel_nbytes};
            if (run->plan.blocks > 0)
                multiply_block(run, task, block, panel, &part);
            else
                multiply_nothing(product, &part);
        }
}

static void multiply(void *context, size_t worker) {
    struct run *run = context;
    const struct plan *plan = &run->plan;
    unsigned char *acc = run->workers + worker * (plan->acc_nbytes + plan->panel_nbytes + plan->line_nbytes);
    struct task task = {.acc = acc, .buffer = acc + plan->acc_nbytes};
    for (size_t item; (item = take(run)) < run->chunks * plan->tasks;) {
        size_t index = item % plan->tasks;
        task.chunk = chunk_at(run, item / plan->tasks);
        task.first = linear_begin(plan->panels, plan->tasks, index);
        task.last = linear_begin(plan->panels, plan->tasks, index + 1);
        multiply_task(run, &task);
    }
}

static void in_parallel(struct run *run, size_t items, void (*task)(void *context, size_t index)) {
    atomic_store_explicit(&run->taken, 0, memory_order_relaxed);
    gelu_parallel_for(at_most(at_most(run->plan.workers, gelu_parallel_threads()), items), task, run);
}

void gelu_product_run(const struct product *product, struct product_space space) {
    struct run run = {.product = product};
    run.plan = make_plan(product->kernels, product->real, product->rows, product->cols, product->depth,
                         at_most(space.threads, gelu_num_threads()));
    const struct plan *plan = &run.plan;
    if (product->rows == 0 || product->cols == 0) return;
    run.workers = space.p;
    run.packed = run.workers + plan->workers * (plan->acc_nbytes + plan->panel_nbytes + plan->line_nbytes);
    assert(plan->group * plan->slab_nbytes <= plan->block_nbytes);
    const bool packs = !reads_rows(product);
    for (; run.first < plan->chunks; run.first += run.chunks) {
        run.chunks = packs ? at_most(plan->group, plan->chunks - run.first) : plan->chunks;
        if (packs) in_parallel(&run, run.chunks * plan->blocks, pack_rows);
        in_parallel(&run, run.chunks * plan->tasks, multiply);
    }
}
