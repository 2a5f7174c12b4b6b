/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What is known of model families, as a table. */
#ifndef GELU_MODEL_FAMILY_H
#define GELU_MODEL_FAMILY_H

#include <stdbool.h>
#include "gelu_io.h"

/* How many matrices the first step has, and which is the gate's. */
enum gating {
    PLAIN,           /* one, and no gate */
    GATE_THEN_VALUE, /* two: in[0] is the gate's */
    VALUE_THEN_GATE, /* two: in[1] is the gate's */
    PACKED_GATE_FIRST /* one that holds both, the gate's outputs first */,
    PACKED_VALUE_FIRST
};

/* One way that a family's blocks are laid out; rows of the same id belong to one model. Lists of words are separated by
 * spaces. A tensor's name is a prefix, in which # stands for a number, with a name from here and ".weight" or ".bias". */
struct family {
    const char *id, *name;
    const char *types;         /* model_type or _class_name; NULL: original files, whose config.json says neither */
    const char *prefixes;      /* separated by | */
    const char *part;          /* names the block where a prefix has several; NULL */
    const char *in[2], *out;   /* fc1 (or the two that gating says) and fc2 */
    const char *norms[2];      /* NULL where the norm has no weights */
    const char *with;          /* a tensor behind the prefix that there must be, or, with ! before it, must not */
    const char *section;       /* the member of config.json that holds what follows; NULL: config.json itself */
    const char *act_keys;      /* the first of these that is there names the activation; NULL: the code does */
    const char *act_words;     /* values that mean something else here, such as "gelu=tanh" */
    const char *width_key;     /* d_model; NULL: not there */
    const char *ff_key;        /* d_ff; NULL: not there */
    const char *eps_key;       /* NULL: not there */
    const char *layers_keys;   /* for all prefixes, or, separated by |, for each: how many blocks there are, or an array
                                  of that for each first number; NULL: not there */
    const char *demands;       /* "key=value": another value would mean another formula */
    const char *sequential_if; /* "key=value" that makes GELU_BLOCK_PARALLEL GELU_BLOCK_PRE */
    const char *alpha_key;     /* layers, of which GELU_BLOCK_SCALED takes alpha = sqrt(2 layers) */
    const char *remark;
    gelu_act act;       /* by the code; with act_keys: what the code takes when config.json has none of them */
    bool act_is_needed; /* there is no such default */
    enum gating gating;
    bool biased, in_out; /* in_out: weights are (inputs, outputs) */
    bool ff_is_sum;      /* ff_key counts the gate's outputs and the value's */
    bool layers_share;   /* ALBERT: fewer weights than layers */
    bool last_is_bare;   /* the last of the layers may have no such block */
    bool numbers_skip;   /* the first number in a prefix counts other things, too */
    unsigned in_skip;    /* outputs of fc1's tensor before ours, in units of d_model */
    unsigned out_skip;   /* inputs of fc2's tensor before ours, in units of d_model */
    gelu_norm_kind norm;
    double eps, weight_offset;
    gelu_block_form form;
};

extern const struct family gelu_families[];
extern const size_t gelu_family_count;

#endif
