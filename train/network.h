/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What the files about networks share. */
#ifndef GELU_TRAIN_NETWORK_H
#define GELU_TRAIN_NETWORK_H

#include "arith.h"

const struct train_arith *train_arith_of(const train_net *net);
/* Element i of an array of the network's type. */
void *train_at(const train_net *net, const void *array, size_t i);
/* Makes the layer's Linear anew, of the weights and the bias as they are now; packed: for many passes over these. */
gelu_status train_view(train_net *net, size_t layer, bool packed);
/* As train_forward without dropout, where all layers' Linears are up to date; of preact only the last layer's is filled. */
gelu_status train_predict(train_net *net, size_t rows, const void *x);

#endif
