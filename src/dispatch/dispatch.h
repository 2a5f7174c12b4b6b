/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Which kernel table: chosen once, at the first use, from any thread. */
#ifndef GELU_DISPATCH_H
#define GELU_DISPATCH_H

#include "kernels/kernels.h"

const struct gelu_kernels *gelu_dispatch(void);

#endif
