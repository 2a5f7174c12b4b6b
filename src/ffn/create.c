/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/memory.h"
#include "ffn/ffn.h"

static bool is_flag(int value) { return value == 0 || value == 1; }

static gelu_status check_desc(const gelu_ffn_desc *desc) {
    if (!gelu_linear_known_act(desc->act) || !is_flag(desc->gated) || !is_flag(desc->view)) return GELU_ERR_ARGUMENT;
    if (!is_flag(desc->fast) || !is_flag(desc->saturate)) return GELU_ERR_ARGUMENT;
    if ((unsigned)desc->order > GELU_VALUE_FIRST || (!desc->gated && desc->order != GELU_SEPARATE))
        return GELU_ERR_ARGUMENT;
    bool has_up = desc->gated && desc->order == GELU_SEPARATE;
    if (!has_up && (desc->up.weight || desc->up.bias)) return GELU_ERR_ARGUMENT;
    gelu_dtype real = desc->fc1.dtype == GELU_F64 ? GELU_F64 : GELU_F32;
    if (gelu_linear_check_dtype(real, desc->fc1.dtype) != GELU_OK ||
        gelu_linear_check_dtype(real, desc->fc2.dtype) != GELU_OK)
        return GELU_ERR_DTYPE;
    if (has_up && gelu_linear_check_dtype(real, desc->up.dtype) != GELU_OK) return GELU_ERR_DTYPE;
    return desc->fast && real == GELU_F64 ? GELU_ERR_UNSUPPORTED : GELU_OK;
}

/* The halves of one matrix, as matrices of their own. */
static gelu_status split(const gelu_ffn_desc *desc, gelu_weights *gate, gelu_weights *up) {
    const gelu_weights *both = &desc->fc1;
    size_t outputs, d_ff = desc->d_ff, element = gelu_dtype_nbytes(both->dtype);
    if (!size_mul(d_ff, 2, &outputs)) return GELU_ERR_OVERFLOW;
    bool out_in = both->layout == GELU_OUT_IN;
    size_t cols = out_in ? desc->d_model : outputs, ld = both->ld ? both->ld : cols;
    const struct alias_matrix whole = alias_matrix(both->weight, out_in ? outputs : desc->d_model, cols, ld, element);
    gelu_status status = gelu_linear_check_matrix(whole);
    if (status != GELU_OK) return status;
    gelu_weights first = *both, second = *both;
    first.ld = second.ld = ld;
    second.weight = linear_at(both->weight, both->dtype, out_in ? d_ff * ld : d_ff);
    if (both->bias) second.bias = linear_at(both->bias, both->dtype, d_ff);
    *gate = desc->order == GELU_GATE_FIRST ? first : second;
    *up = desc->order == GELU_GATE_FIRST ? second : first;
    return GELU_OK;
}

static gelu_status create_layers(const gelu_ffn_desc *desc, gelu_ffn *ffn) {
    gelu_status (*create)(size_t in, size_t out, const gelu_weights *weights, gelu_compute compute,
                          gelu_linear **made) = desc->view ? gelu_linear_view : gelu_linear_create;
    gelu_weights fc1 = desc->fc1, up = desc->up;
    gelu_status status = desc->order == GELU_SEPARATE ? GELU_OK : split(desc, &fc1, &up);
    if (status == GELU_OK) status = create(desc->d_model, desc->d_ff, &fc1, desc->compute, &ffn->fc1);
    if (status == GELU_OK && desc->gated) status = create(desc->d_model, desc->d_ff, &up, desc->compute, &ffn->up);
    if (status == GELU_OK) status = create(desc->d_ff, desc->d_model, &desc->fc2, desc->compute, &ffn->fc2);
    return status;
}

gelu_status gelu_ffn_create(const gelu_ffn_desc *desc, gelu_ffn **out) {
    if (!out) return GELU_ERR_ARGUMENT;
    *out = NULL;
    if (!desc) return GELU_ERR_ARGUMENT;
    gelu_status status = check_desc(desc);
    if (status != GELU_OK) return status;
    gelu_dtype real = desc->fc1.dtype == GELU_F64 ? GELU_F64 : GELU_F32;
    gelu_ffn *ffn = gelu_memory_new(sizeof *ffn);
    if (!ffn) return GELU_ERR_MEMORY;
    *ffn = (gelu_ffn){
        .d_model = desc->d_model,
        .d_ff = desc->d_ff,
        .real = real,
        .hidden = desc->compute == GELU_COMPUTE_BF16 ? GELU_BF16 : real,
        .act = desc->act,
        .gated = desc->gated,
        .fast = desc->fast,
        .saturate = desc->saturate,
        .order = desc->order,
    };
    status = create_layers(desc, ffn);
    if (status != GELU_OK) {
        gelu_ffn_free(ffn);
        return status;
    }
    *out = ffn;
    return GELU_OK;
}

void gelu_ffn_free(gelu_ffn *ffn) {
    if (!ffn) return;
    gelu_linear_free(ffn->fc1);
    gelu_linear_free(ffn->up);
    gelu_linear_free(ffn->fc2);
    gelu_memory_free(ffn);
}
