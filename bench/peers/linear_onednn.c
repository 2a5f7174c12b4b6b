/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* oneDNN's matrix product through its C interface, of version 2 and of version 3. Made into a module for each oneDNN, so
 * that several run in one program. Weights are in whatever form it likes best, reordered once; dx and dw too. */

#include <dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linear.h"

static dnnl_engine_t engine;
static dnnl_stream_t stream;

static void demand(dnnl_status_t status) {
    if (status == dnnl_success) return;
    fprintf(stderr, "oneDNN: status %d\n", (int)status);
    exit(1);
}

/* ---- The two versions ---- */

#if DNNL_VERSION_MAJOR >= 3
typedef dnnl_memory_desc_t shape;
typedef const_dnnl_memory_desc_t shape_pointer;
#define POINTER(shape) (shape)
#define FREE_SHAPE(shape) dnnl_memory_desc_destroy(shape)
#define NEW_SHAPE dnnl_memory_desc_create_with_tag
#else
typedef dnnl_memory_desc_t shape;
typedef const dnnl_memory_desc_t *shape_pointer;
#define POINTER(shape) (&(shape))
#define FREE_SHAPE(shape) (void)(shape)
#define NEW_SHAPE dnnl_memory_desc_init_by_tag
#endif

static shape make_shape(size_t rows, size_t cols, dnnl_data_type_t type, dnnl_format_tag_t tag) {
    shape s;
    dnnl_dims_t dims = {(dnnl_dim_t)rows, (dnnl_dim_t)cols};
    demand(NEW_SHAPE(&s, 2, dims, type, tag));
    return s;
}

static dnnl_primitive_attr_t make_epilogue(bool gelu) {
    dnnl_primitive_attr_t attributes;
    demand(dnnl_primitive_attr_create(&attributes));
    if (!gelu) return attributes;
    dnnl_post_ops_t post;
    demand(dnnl_post_ops_create(&post));
#if DNNL_VERSION_MAJOR >= 3
    demand(dnnl_post_ops_append_eltwise(post, dnnl_eltwise_gelu_erf, 0, 0));
#else
    demand(dnnl_post_ops_append_eltwise(post, 1, dnnl_eltwise_gelu_erf, 0, 0));
#endif
    demand(dnnl_primitive_attr_set_post_ops(attributes, post));
    demand(dnnl_post_ops_destroy(post));
    return attributes;
}

/* bias NULL: none */
static dnnl_primitive_desc_t describe(shape a, shape b, shape *bias, shape c, const_dnnl_primitive_attr_t attributes) {
    dnnl_primitive_desc_t description;
#if DNNL_VERSION_MAJOR >= 3
    demand(dnnl_matmul_primitive_desc_create(&description, engine, a, b, bias ? *bias : NULL, c, attributes));
#else
    dnnl_matmul_desc_t matmul;
    demand(dnnl_matmul_desc_init(&matmul, &a, &b, bias, &c));
    demand(dnnl_primitive_desc_create(&description, &matmul, attributes, engine, NULL));
#endif
    return description;
}

/* ---- One product, c = a b ---- */

typedef struct {
    const void *data; /* where it comes from; for c where it goes */
    size_t rows, cols;
    dnnl_data_type_t type;
    bool transposed; /* data holds the transpose */
    bool any;        /* the product may choose another form */
} matrix;

typedef struct {
    dnnl_primitive_desc_t description;
    dnnl_primitive_t primitive;
    dnnl_memory_t a, b, bias, c;
    matrix result;
} product;

static size_t nbytes_of(const matrix *m) { return m->rows * m->cols * (m->type == dnnl_f32 ? 4 : 2); }

static shape plain_shape(const matrix *m) {
    return make_shape(m->rows, m->cols, m->type, m->transposed ? dnnl_ba : dnnl_ab);
}

static shape wanted_shape(const matrix *m) {
    return m->any ? make_shape(m->rows, m->cols, m->type, dnnl_format_tag_any) : plain_shape(m);
}

static dnnl_memory_t allocate(shape_pointer s) {
    dnnl_memory_t memory;
    demand(dnnl_memory_create(&memory, s, engine, DNNL_MEMORY_ALLOCATE));
    return memory;
}

static void reorder(dnnl_memory_t from, shape_pointer from_shape, dnnl_memory_t to, shape_pointer to_shape) {
    dnnl_primitive_desc_t description;
    dnnl_primitive_t primitive;
    demand(dnnl_reorder_primitive_desc_create(&description, from_shape, engine, to_shape, engine, NULL));
    demand(dnnl_primitive_create(&primitive, description));
    dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    demand(dnnl_primitive_execute(primitive, stream, 2, arguments));
    demand(dnnl_stream_wait(stream));
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(description);
}

/* Copies in the form that the product wants. */
static dnnl_memory_t load(const matrix *m, shape_pointer form) {
    shape plain = plain_shape(m);
    dnnl_memory_t memory = allocate(POINTER(plain));
    void *data;
    demand(dnnl_memory_get_data_handle(memory, &data));
    memcpy(data, m->data, nbytes_of(m));
    if (m->any) {
        dnnl_memory_t formed = allocate(form);
        reorder(memory, POINTER(plain), formed, form);
        dnnl_memory_destroy(memory);
        memory = formed;
    }
    FREE_SHAPE(plain);
    return memory;
}

static shape_pointer form_of(const product *p, dnnl_query_t which) {
    return dnnl_primitive_desc_query_md(p->description, which, 0);
}

/* bias NULL: none */
static product make_product(const matrix *a, const matrix *b, const matrix *bias, bool gelu, const matrix *c) {
    product p = {.result = *c};
    shape a_shape = wanted_shape(a), b_shape = wanted_shape(b), c_shape = wanted_shape(c), bias_shape = c_shape;
    if (bias) bias_shape = wanted_shape(bias);
    dnnl_primitive_attr_t epilogue = make_epilogue(gelu);
    p.description = describe(a_shape, b_shape, bias ? &bias_shape : NULL, c_shape, epilogue);
    demand(dnnl_primitive_create(&p.primitive, p.description));
    p.a = load(a, form_of(&p, dnnl_query_src_md));
    p.b = load(b, form_of(&p, dnnl_query_weights_md));
    p.c = allocate(form_of(&p, dnnl_query_dst_md));
    if (bias) p.bias = load(bias, POINTER(bias_shape));
    dnnl_primitive_attr_destroy(epilogue);
    if (bias) FREE_SHAPE(bias_shape);
    FREE_SHAPE(a_shape);
    FREE_SHAPE(b_shape);
    FREE_SHAPE(c_shape);
    return p;
}

static void start(const product *p) {
    dnnl_exec_arg_t arguments[] = {
        {DNNL_ARG_SRC, p->a}, {DNNL_ARG_WEIGHTS, p->b}, {DNNL_ARG_DST, p->c}, {DNNL_ARG_BIAS, p->bias}};
    demand(dnnl_primitive_execute(p->primitive, stream, p->bias ? 4 : 3, arguments));
}

static void bring(const product *p) {
    shape plain = plain_shape(&p->result);
    dnnl_memory_t memory = allocate(POINTER(plain));
    reorder(p->c, form_of(p, dnnl_query_dst_md), memory, POINTER(plain));
    void *data;
    demand(dnnl_memory_get_data_handle(memory, &data));
    memcpy((void *)p->result.data, data, nbytes_of(&p->result));
    dnnl_memory_destroy(memory);
    FREE_SHAPE(plain);
}

static void free_product(product *p) {
    dnnl_primitive_destroy(p->primitive);
    dnnl_primitive_desc_destroy(p->description);
    dnnl_memory_destroy(p->a);
    dnnl_memory_destroy(p->b);
    dnnl_memory_destroy(p->c);
    if (p->bias) dnnl_memory_destroy(p->bias);
}

/* ---- The peer ---- */

typedef struct {
    int n;
    product products[2];
} job;

static void *prepare(void *library, const linear_case *c) {
    job *job = calloc(1, sizeof *job);
    if (!job) return NULL;
    (void)library;
    dnnl_data_type_t type = c->dtype == GELU_F32 ? dnnl_f32 : dnnl_bf16;
    matrix x = {c->x, c->rows, c->in, type, false, false};
    if (c->pass == LINEAR_BACKWARD) {
        matrix dy = {c->dy, c->rows, c->out, type, false, false}, w = {c->w, c->out, c->in, type, false, true},
               dx = {c->dx, c->rows, c->in, type, false, false};
        matrix dy_transposed = {c->dy, c->out, c->rows, type, true, false},
               dw = {c->dw, c->out, c->in, dnnl_f32, false, true};
        job->products[job->n++] = make_product(&dy, &w, NULL, false, &dx);
        job->products[job->n++] = make_product(&dy_transposed, &x, NULL, false, &dw);
    } else {
        matrix w = {c->w, c->in, c->out, type, true, true}, b = {c->b, 1, c->out, type, false, false},
               y = {c->y, c->rows, c->out, type, false, false};
        job->products[job->n++] = make_product(&x, &w, &b, c->pass == LINEAR_GELU, &y);
    }
    return job;
}

/* Waits once: a build upon SYCL needs some 10 microseconds to begin a product, and can begin the next one meanwhile. */
static void run(void *prepared, size_t times) {
    const job *job = prepared;
    for (size_t i = 0; i < times; i++)
        for (int p = 0; p < job->n; p++) start(&job->products[p]);
    demand(dnnl_stream_wait(stream));
}

static void results(void *prepared) {
    const job *job = prepared;
    for (int p = 0; p < job->n; p++) bring(&job->products[p]);
}

static void release(void *prepared) {
    job *job = prepared;
    for (int p = 0; p < job->n; p++) free_product(&job->products[p]);
    free(job);
}

__attribute__((visibility("default"))) bool linear_open(linear_peer *out, char *why);
bool linear_open(linear_peer *out, char *why) {
    const dnnl_version_t *version = dnnl_version();
    *out = (linear_peer){.prepare = prepare, .run = run, .results = results, .release = release};
    snprintf(out->name, sizeof out->name, "oneDNN %d.%d.%d", version->major, version->minor, version->patch);
    dnnl_status_t status = dnnl_engine_create(&engine, dnnl_cpu, 0);
    if (status != dnnl_success) { /* a SYCL build without an OpenCL device for the processor, for one */
        snprintf(why, LINEAR_WHY, "%s has no engine for this processor (status %d)", out->name, (int)status);
        return false;
    }
    demand(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    return true;
}
