/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "base/compiler.h"
#include "gelu.h"

#define STRING_(x) #x
#define STRING(x) STRING_(x)

const char *gelu_version(void) {
    return STRING(GELU_VERSION_MAJOR) "." STRING(GELU_VERSION_MINOR) "." STRING(GELU_VERSION_PATCH);
}

const char *gelu_status_string(gelu_status status) {
    switch (status) {
    case GELU_OK: return "ok";
    case GELU_ERR_ARGUMENT: return "invalid argument";
    case GELU_ERR_NAME: return "unknown name";
    case GELU_ERR_DTYPE: return "unsupported element type";
    case GELU_ERR_SHAPE: return "shape mismatch";
    case GELU_ERR_ALIAS: return "overlapping arrays";
    case GELU_ERR_OVERFLOW: return "size overflow";
    case GELU_ERR_MEMORY: return "out of memory";
    case GELU_ERR_ISA: return "instruction set not available";
    case GELU_ERR_UNSUPPORTED: return "not supported";
    case GELU_ERR_IO: return "input/output error";
    case GELU_ERR_MAGIC: return "bad magic";
    case GELU_ERR_VERSION: return "unknown format version";
    case GELU_ERR_HEADER: return "bad header";
    case GELU_ERR_TRUNCATED: return "truncated";
    case GELU_ERR_TRAILING: return "trailing bytes";
    case GELU_ERR_DUPLICATE: return "duplicate name";
    case GELU_ERR_OVERLAP: return "overlap";
    case GELU_ERR_HOLE: return "hole";
    case GELU_ERR_SIZE_MISMATCH: return "size mismatch";
    case GELU_ERR_HEADER_LENGTH: return "bad header length";
    case GELU_ERR_MISSING: return "missing";
    }
    return "unknown status";
}
