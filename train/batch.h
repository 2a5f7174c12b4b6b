/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Samples of a set as a network takes them. */
#ifndef GELU_TRAIN_BATCH_H
#define GELU_TRAIN_BATCH_H

#include "train.h"

struct train_batch {
    size_t rows;
    const void *x;      /* (rows, features), of the network's type */
    const void *target; /* labels, uint32_t (rows); or x for TRAIN_MSE */
    void *room;         /* for both where they do not lie in the set like that */
    uint32_t *label_room;
};

/* Room for net->desc.rows samples. GELU_ERR_SHAPE when the network does not fit the set. */
gelu_status train_batch_create(const train_net *net, const train_set *set, struct train_batch *out);
void train_batch_free(struct train_batch *batch);
/* The samples that order names from its place first on (NULL: first, first + 1, ...), at most as many as there is room
 * for, and none past the set's end. */
void train_batch_fill(const train_net *net, const train_set *set, const uint32_t *order, size_t first,
                      struct train_batch *batch);

#endif
