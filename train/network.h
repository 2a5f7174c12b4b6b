/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What the files about networks share. */
#ifndef GELU_TRAIN_NETWORK_H
#define GELU_TRAIN_NETWORK_H

#include "arith.h"

const struct train_arith *train_arith_of(const train_net *net);
/* Element i of an array of the network's type. */
void *train_at(const train_net *net, const void *array, size_t i);
/* Makes the layer's Linear anew, with the bias as it is now. */
gelu_status train_view(train_net *net, size_t layer);

#endif
