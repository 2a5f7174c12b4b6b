/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "base/alloc.h"
#include "base/compiler.h"
#include "ffn/ffn.h"

static gelu_status check_desc(const gelu_ffn_desc *desc) {
    if (!gelu_linear_known_act(desc->act) || (desc->gated != 0 && desc->gated != 1)) return GELU_ERR_ARGUMENT;
    if (!desc->gated && (desc->up.weight || desc->up.bias)) return GELU_ERR_ARGUMENT;
    gelu_dtype real = desc->fc1.dtype == GELU_F64 ? GELU_F64 : GELU_F32;
    if (gelu_linear_check_dtype(real, desc->fc1.dtype) != GELU_OK ||
        gelu_linear_check_dtype(real, desc->fc2.dtype) != GELU_OK)
        return GELU_ERR_DTYPE;
    return desc->gated ? gelu_linear_check_dtype(real, desc->up.dtype) : GELU_OK;
}

gelu_status gelu_ffn_create(const gelu_ffn_desc *desc, gelu_ffn **out) {
    if (!out) return GELU_ERR_ARGUMENT;
    *out = NULL;
    if (!desc) return GELU_ERR_ARGUMENT;
    gelu_status status = check_desc(desc);
    if (status != GELU_OK) return status;
    gelu_ffn *ffn = alloc_aligned(sizeof *ffn);
    if (!ffn) return GELU_ERR_MEMORY;
    *ffn = (gelu_ffn){
        .d_model = desc->d_model,
        .d_ff = desc->d_ff,
        .real = desc->fc1.dtype == GELU_F64 ? GELU_F64 : GELU_F32,
        .act = desc->act,
        .gated = desc->gated,
    };
    status = gelu_linear_create(desc->d_model, desc->d_ff, &desc->fc1, desc->compute, &ffn->fc1);
    if (status == GELU_OK && desc->gated)
        status = gelu_linear_create(desc->d_model, desc->d_ff, &desc->up, desc->compute, &ffn->up);
    if (status == GELU_OK) status = gelu_linear_create(desc->d_ff, desc->d_model, &desc->fc2, desc->compute, &ffn->fc2);
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
    alloc_free(ffn);
}
