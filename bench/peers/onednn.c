/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* oneDNN's C interface, of version 2 and of version 3. */

#include <dnnl.h>
#include <stdio.h>
#include <stdlib.h>

#include "peers.h"

typedef struct {
    dnnl_alg_kind_t algorithm;
    float alpha;
    bool backward;
    size_t n; /* the rest is for this size */
    dnnl_primitive_t primitive;
    dnnl_memory_t x, dy, y;
} operation;

static dnnl_engine_t engine;
static dnnl_stream_t stream;

static void demand(dnnl_status_t status) {
    if (status == dnnl_success) return;
    fprintf(stderr, "oneDNN: status %d\n", (int)status);
    exit(1);
}

#if DNNL_VERSION_MAJOR >= 3
typedef dnnl_memory_desc_t shape;
typedef const_dnnl_memory_desc_t shape_argument;
#define SHAPE_ARGUMENT(shape) (shape)

static shape make_shape(size_t n) {
    dnnl_memory_desc_t shape;
    dnnl_dims_t dims = {(dnnl_dim_t)n};
    demand(dnnl_memory_desc_create_with_tag(&shape, 1, dims, dnnl_f32, dnnl_a));
    return shape;
}

static dnnl_primitive_desc_t describe(const operation *op, shape s) {
    dnnl_primitive_desc_t forward, backward;
    dnnl_prop_kind_t kind = op->backward ? dnnl_forward_training : dnnl_forward_inference;
    demand(dnnl_eltwise_forward_primitive_desc_create(&forward, engine, kind, op->algorithm, s, s, op->alpha, 0, NULL));
    if (!op->backward) return forward;
    demand(dnnl_eltwise_backward_primitive_desc_create(&backward, engine, op->algorithm, s, s, s, op->alpha, 0, forward,
                                                       NULL));
    dnnl_primitive_desc_destroy(forward);
    return backward;
}
#else
typedef dnnl_memory_desc_t shape;
#define SHAPE_ARGUMENT(shape) (&(shape))

static shape make_shape(size_t n) {
    dnnl_memory_desc_t shape;
    dnnl_dims_t dims = {(dnnl_dim_t)n};
    demand(dnnl_memory_desc_init_by_tag(&shape, 1, dims, dnnl_f32, dnnl_a));
    return shape;
}

static dnnl_primitive_desc_t describe(const operation *op, shape s) {
    dnnl_primitive_desc_t forward, backward;
    dnnl_eltwise_desc_t description;
    dnnl_prop_kind_t kind = op->backward ? dnnl_forward_training : dnnl_forward_inference;
    demand(dnnl_eltwise_forward_desc_init(&description, kind, op->algorithm, &s, op->alpha, 0));
    demand(dnnl_primitive_desc_create(&forward, &description, NULL, engine, NULL));
    if (!op->backward) return forward;
    demand(dnnl_eltwise_backward_desc_init(&description, op->algorithm, &s, &s, op->alpha, 0));
    demand(dnnl_primitive_desc_create(&backward, &description, NULL, engine, forward));
    dnnl_primitive_desc_destroy(forward);
    return backward;
}
#endif

static void prepare(operation *op, size_t n) {
    if (op->n == n) return;
    if (op->primitive) {
        dnnl_primitive_destroy(op->primitive);
        dnnl_memory_destroy(op->x);
        dnnl_memory_destroy(op->dy);
        dnnl_memory_destroy(op->y);
    }
    op->n = n;
    shape s = make_shape(n);
    dnnl_primitive_desc_t description = describe(op, s);
    demand(dnnl_primitive_create(&op->primitive, description));
    dnnl_primitive_desc_destroy(description);
    dnnl_memory_t *memories[] = {&op->x, &op->dy, &op->y};
    for (int i = 0; i < 3; i++) demand(dnnl_memory_create(memories[i], SHAPE_ARGUMENT(s), engine, DNNL_MEMORY_NONE));
#if DNNL_VERSION_MAJOR >= 3
    dnnl_memory_desc_destroy(s);
#endif
}

static void execute(operation *op, size_t n, const float *x, const float *dy, float *y) {
    prepare(op, n);
    dnnl_memory_set_data_handle(op->x, (void *)x);
    dnnl_memory_set_data_handle(op->y, y);
    if (op->backward) dnnl_memory_set_data_handle(op->dy, (void *)dy);
    dnnl_exec_arg_t forward[] = {{DNNL_ARG_SRC, op->x}, {DNNL_ARG_DST, op->y}};
    dnnl_exec_arg_t backward[] = {{DNNL_ARG_SRC, op->x}, {DNNL_ARG_DIFF_DST, op->dy}, {DNNL_ARG_DIFF_SRC, op->y}};
    demand(dnnl_primitive_execute(op->primitive, stream, op->backward ? 3 : 2, op->backward ? backward : forward));
    demand(dnnl_stream_wait(stream));
}

#define PEER(name, kind, parameter, is_backward)                                                                       \
    static void name(size_t n, const float *x, const float *dy, float *y) {                                            \
        static operation op = {.algorithm = kind, .alpha = parameter, .backward = is_backward};                        \
        execute(&op, n, x, dy, y);                                                                                     \
    }
PEER(forward_erf, dnnl_eltwise_gelu_erf, 0, false)
PEER(forward_tanh, dnnl_eltwise_gelu_tanh, 0, false)
PEER(forward_quick, dnnl_eltwise_swish, 1.702f, false)
PEER(forward_silu, dnnl_eltwise_swish, 1, false)
PEER(backward_erf, dnnl_eltwise_gelu_erf, 0, true)
PEER(backward_tanh, dnnl_eltwise_gelu_tanh, 0, true)

void peers_of_onednn(peer_list *list) {
    const dnnl_version_t *version = dnnl_version();
    char name[48];
    snprintf(name, sizeof name, "oneDNN %d.%d.%d", version->major, version->minor, version->patch);
    dnnl_status_t status = dnnl_engine_create(&engine, dnnl_cpu, 0);
    if (status != dnnl_success) { /* a SYCL build without an OpenCL device for the processor, for one */
        printf("skipped: %s: has no engine for this processor (status %d)\n", name, (int)status);
        return;
    }
    demand(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    peer_add(list, name, GELU_ERF, false, forward_erf);
    peer_add(list, name, GELU_TANH, false, forward_tanh);
    peer_add(list, name, GELU_QUICK, false, forward_quick);
    peer_add(list, name, GELU_SILU, false, forward_silu);
    peer_add(list, name, GELU_ERF, true, backward_erf);
    peer_add(list, name, GELU_TANH, true, backward_tanh);
}
