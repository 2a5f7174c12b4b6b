/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Files and text for libgelu: .npy arrays, safetensors checkpoints and the models in them, the printed form of tensors.
 * Library libgelu-io, on top of libgelu.
 *
 * The conventions of gelu.h hold. Calls that touch files also fill a gelu_error, which may be NULL when nobody reads
 * it. Nothing here depends on the locale. */
#ifndef GELU_IO_H
#define GELU_IO_H

#include "gelu.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GELU_MAX_NDIM 64

typedef struct {
    gelu_status status;
    uint64_t offset;   /* the byte of the file where the trouble is; 0 when there is no such place */
    char message[512]; /* one line that names the file, the place and the reason, without a newline */
} gelu_error;

/* An array in row-major (C) order. A scalar has ndim 0 and one element. */
typedef struct {
    gelu_dtype dtype;
    size_t ndim;
    size_t shape[GELU_MAX_NDIM];
    size_t count; /* elements: the product of shape */
    void *data;   /* count elements; NULL when count is 0 */
} gelu_tensor;

/* Releases data of a tensor that gelu_npy_read filled, and zeroes the struct. NULL is fine. */
GELU_API void gelu_tensor_free(gelu_tensor *tensor);

/* ---- .npy --------------------------------------------------------------------------------------------------- */

/* Format versions 1, 2 and 3; f2, f4 and f8 of either byte order; C and Fortran order. Anything else (complex, strings,
 * objects, structured types) is refused by its name with GELU_ERR_DTYPE: nothing is converted silently and nothing is
 * ever unpickled. bool and integers, and bf16, which NumPy stores as the raw type V2, are taken only on request. */
typedef struct {
    int v2_is_bf16;    /* read '<V2' as bf16 */
    int whole_numbers; /* read bool, i1 .. i8 and u1 .. u8 as f64, those beyond 2^53 rounded to nearest */
} gelu_npy_options;

/* A .npy file that is open for reading, in pieces or whole. A long one is mapped, not read ahead. */
typedef struct gelu_npy gelu_npy;

/* options NULL: all zero. GELU_ERR_IO, GELU_ERR_MAGIC, GELU_ERR_VERSION, GELU_ERR_HEADER, GELU_ERR_DTYPE,
 * GELU_ERR_OVERFLOW, GELU_ERR_TRUNCATED, GELU_ERR_TRAILING, GELU_ERR_MEMORY; *out is then NULL. A directory, a pipe or
 * a device is GELU_ERR_IO. A file of up to 16 MiB is copied; a longer one is mapped, so what another process cuts off
 * while it is open must not be read (SIGBUS). */
GELU_API gelu_status gelu_npy_open(const char *path, const gelu_npy_options *options, gelu_npy **out, gelu_error *err);
/* The same over nbytes in memory, which must outlive *out; name stands for the file in messages. */
GELU_API gelu_status gelu_npy_open_memory(const char *name, const void *bytes, size_t nbytes,
                                          const gelu_npy_options *options, gelu_npy **out, gelu_error *err);
GELU_API void gelu_npy_close(gelu_npy *npy); /* NULL is fine */
/* dtype, ndim, shape and count; data points into the file's bytes when the file is already little-endian, C order and
 * aligned for its type (read only), and is NULL otherwise. Valid until gelu_npy_close. */
GELU_API const gelu_tensor *gelu_npy_info(const gelu_npy *npy);
/* 1 when the file's elements are u1, which whole_numbers makes f64: as images have them; else 0. */
GELU_API int gelu_npy_is_u8(const gelu_npy *npy);
/* Elements first .. first+count-1 in row-major order, in native byte order. GELU_ERR_SHAPE when out of range. */
GELU_API gelu_status gelu_npy_read_range(const gelu_npy *npy, size_t first, size_t count, void *dst);

/* The whole file into memory of its own; free with gelu_tensor_free. Errors as gelu_npy_open; *out is then zeroed. */
GELU_API gelu_status gelu_npy_read(const char *path, const gelu_npy_options *options, gelu_tensor *out,
                                   gelu_error *err);

/* Writes a version 1.0 file, little-endian, C order, its data aligned to 64 bytes. All goes to a temporary file beside
 * path, which commit renames to path: at every moment path is either as it was or complete. When path exists and is not
 * a regular file (/dev/stdout, a pipe), it is written directly. bf16 is written as '<V2'. */
typedef struct gelu_npy_writer gelu_npy_writer;

/* GELU_ERR_IO, GELU_ERR_DTYPE, GELU_ERR_OVERFLOW, GELU_ERR_SHAPE (ndim), GELU_ERR_MEMORY; *out is then NULL. */
GELU_API gelu_status gelu_npy_writer_open(const char *path, gelu_dtype dtype, size_t ndim, const size_t *shape,
                                          gelu_npy_writer **out, gelu_error *err);
/* The next count elements, in row-major order. GELU_ERR_SHAPE when that is more than the shape holds. */
GELU_API gelu_status gelu_npy_writer_write(gelu_npy_writer *writer, size_t count, const void *data, gelu_error *err);
/* Flushes, renames and frees the writer. GELU_ERR_SHAPE when elements are missing; on any error the temporary file is
 * gone and path untouched. */
GELU_API gelu_status gelu_npy_writer_commit(gelu_npy_writer *writer, gelu_error *err);
/* Removes the temporary file and frees the writer; NULL is fine. */
GELU_API void gelu_npy_writer_abort(gelu_npy_writer *writer);
/* The temporary file's name, for a signal handler to unlink; NULL when path is written directly. */
GELU_API const char *gelu_npy_writer_temporary(const gelu_npy_writer *writer);

/* Open, write all, commit. */
GELU_API gelu_status gelu_npy_write(const char *path, gelu_dtype dtype, size_t ndim, const size_t *shape,
                                    const void *data, gelu_error *err);

/* ---- safetensors -------------------------------------------------------------------------------------------- */

/* Checkpoints: one .safetensors file, or several that a model.safetensors.index.json lists. All of it is checked when it
 * is opened: a damaged or hostile file is refused with its own status, and the message names the byte and the tensor. */
typedef struct gelu_safetensors gelu_safetensors;

typedef struct {
    const char *name;
    const char *type; /* as the file spells it: "F32", "BF16", "I64", "F8_E4M3", ... */
    gelu_dtype dtype; /* GELU_F64, GELU_F32, GELU_F16 or GELU_BF16; 0 for every other type */
    int readable;     /* those four, and I8 to I64 and U8 to U64: what gelu_safetensors_view takes */
    size_t ndim;
    const size_t *shape; /* ndim of them, at most GELU_MAX_NDIM */
    size_t count;        /* elements: the product of shape; a scalar has one */
    size_t nbytes;
    size_t file;     /* which of the checkpoint's files holds it */
    uint64_t offset; /* of its first byte in that file */
} gelu_safetensors_tensor;

typedef struct {
    /* Nothing is mapped: every tensor is copied when it is first viewed, and no other process can do harm. Without it
     * that holds for files of up to 16 MiB; longer ones are mapped, and while somebody shortens or rewrites such a file,
     * a pointer from gelu_safetensors_view must not be followed (SIGBUS, or other values). Replacing a file by renaming,
     * as the writers here do, is safe at any time. gelu_safetensors_read and _read_bytes never touch the mapping. */
    int copy;
} gelu_safetensors_options;

/* path is a .safetensors file, an index (a name that ends in .json), or a folder: then its model.safetensors or
 * model.safetensors.index.json, the same with diffusion_pytorch_model, or the only .safetensors file in it. options NULL:
 * all zero. The files that an index names must lie beside it.
 *   GELU_ERR_MAGIC          another kind of file, which the message names: a Python pickle (never loaded), GGUF, ...
 *   GELU_ERR_HEADER_LENGTH  below 2 or above 100,000,000
 *   GELU_ERR_HEADER         not the JSON that it should be: also wrong keys, negative dimensions, a shard in another folder
 *   GELU_ERR_DUPLICATE      a name occurs twice, in a header, an index, or two files of a checkpoint
 *   GELU_ERR_OVERFLOW       a shape whose size does not fit, or an integer beyond 63 bits
 *   GELU_ERR_SHAPE          more than GELU_MAX_NDIM dimensions
 *   GELU_ERR_SIZE_MISMATCH  a tensor has not the bytes that its shape and type take
 *   GELU_ERR_OVERLAP, GELU_ERR_HOLE, GELU_ERR_TRUNCATED, GELU_ERR_TRAILING
 *                           the tensors do not cover the data exactly once
 *   GELU_ERR_MISSING        a file, or a tensor in it, that an index names, or no checkpoint in a folder
 *   GELU_ERR_IO, GELU_ERR_MEMORY
 * *out is then NULL. */
GELU_API gelu_status gelu_safetensors_open(const char *path, const gelu_safetensors_options *options,
                                           gelu_safetensors **out, gelu_error *err);
/* One file of nbytes in memory, which must outlive *out; name stands for it in messages. */
GELU_API gelu_status gelu_safetensors_open_memory(const char *name, const void *bytes, size_t nbytes,
                                                  gelu_safetensors **out, gelu_error *err);
GELU_API void gelu_safetensors_close(gelu_safetensors *st); /* NULL is fine; ends every pointer got from st */

GELU_API size_t gelu_safetensors_count(const gelu_safetensors *st);
/* The i-th tensor: files in the order of their names, and in a file in the order of its header; NULL past the end. */
GELU_API const gelu_safetensors_tensor *gelu_safetensors_at(const gelu_safetensors *st, size_t i);
/* The tensor of this name; NULL when there is none. */
GELU_API const gelu_safetensors_tensor *gelu_safetensors_find(const gelu_safetensors *st, const char *name);

GELU_API size_t gelu_safetensors_files(const gelu_safetensors *st);
GELU_API const char *gelu_safetensors_path(const gelu_safetensors *st, size_t file); /* NULL past the end */
/* The value of a key in a file's metadata; NULL when there is none. */
GELU_API const char *gelu_safetensors_metadata(const gelu_safetensors *st, size_t file, const char *key);
/* The i-th key of a file's metadata in the order of its header, and its value; NULL past the end. value may be NULL. */
GELU_API const char *gelu_safetensors_metadata_at(const gelu_safetensors *st, size_t file, size_t i,
                                                  const char **value);

/* All elements of a tensor of st in row-major order, read only, aligned for their type: in place where the file is
 * mapped and they lie aligned in it, a copy otherwise, which the handle keeps. dtype must be the tensor's; 0 takes
 * whatever readable type it has (integers are little-endian). NULL for no elements. Several threads may call it at once.
 * GELU_ERR_DTYPE, GELU_ERR_TRUNCATED (the file has become shorter), GELU_ERR_IO, GELU_ERR_MEMORY. */
GELU_API gelu_status gelu_safetensors_view(const gelu_safetensors *st, const gelu_safetensors_tensor *tensor,
                                           gelu_dtype dtype, const void **out, gelu_error *err);
/* Elements first .. first+count-1 of a floating-point tensor, converted as by gelu_convert. GELU_ERR_SHAPE when out of
 * range; else as gelu_safetensors_view. On failure dst holds anything. */
GELU_API gelu_status gelu_safetensors_read(const gelu_safetensors *st, const gelu_safetensors_tensor *tensor,
                                           size_t first, size_t count, gelu_dtype dtype, void *dst, gelu_error *err);
/* Bytes first .. first+nbytes-1 of a tensor of any type, as they are. Errors as gelu_safetensors_read. */
GELU_API gelu_status gelu_safetensors_read_bytes(const gelu_safetensors *st, const gelu_safetensors_tensor *tensor,
                                                 size_t first, size_t nbytes, void *dst, gelu_error *err);

typedef struct {
    const char *key, *value;
} gelu_safetensors_pair;

/* Writes a file whose data begin at a multiple of 64 bytes, the tensors of the largest elements first, so that every
 * tensor lies aligned for its type; otherwise in the order given. As with gelu_npy_writer, path is at every moment either
 * as it was or complete. */
typedef struct gelu_safetensors_writer gelu_safetensors_writer;

/* Of each tensor, name, ndim and shape are used; type, or dtype where type is NULL; and nbytes where type is one that the
 * reader does not know either. Nothing is kept but what is copied. GELU_ERR_NAME (a name that is NULL, not UTF-8 or
 * "__metadata__"), GELU_ERR_DUPLICATE, GELU_ERR_DTYPE, GELU_ERR_SHAPE (ndim), GELU_ERR_SIZE_MISMATCH (elements that fill
 * no whole bytes), GELU_ERR_OVERFLOW, GELU_ERR_IO, GELU_ERR_MEMORY; *out is then NULL. */
GELU_API gelu_status gelu_safetensors_writer_open(const char *path, size_t count,
                                                  const gelu_safetensors_tensor *tensors, size_t metadata_count,
                                                  const gelu_safetensors_pair *metadata, gelu_safetensors_writer **out,
                                                  gelu_error *err);
/* Which of the tensors given has its bytes written next; SIZE_MAX when all are there. */
GELU_API size_t gelu_safetensors_writer_next(const gelu_safetensors_writer *writer);
/* Its next nbytes, little-endian and row-major. GELU_ERR_SHAPE when that is more than it has. */
GELU_API gelu_status gelu_safetensors_writer_write(gelu_safetensors_writer *writer, size_t nbytes, const void *data,
                                                   gelu_error *err);
/* Like gelu_npy_writer_commit, gelu_npy_writer_abort and gelu_npy_writer_temporary. */
GELU_API gelu_status gelu_safetensors_writer_commit(gelu_safetensors_writer *writer, gelu_error *err);
GELU_API void gelu_safetensors_writer_abort(gelu_safetensors_writer *writer);
GELU_API const char *gelu_safetensors_writer_temporary(const gelu_safetensors_writer *writer);

/* Open, write all, commit. data[i] holds tensor i; it may be NULL where that has no elements. */
GELU_API gelu_status gelu_safetensors_write(const char *path, size_t count, const gelu_safetensors_tensor *tensors,
                                            const void *const *data, size_t metadata_count,
                                            const gelu_safetensors_pair *metadata, gelu_error *err);

/* ---- Models ------------------------------------------------------------------------------------------------- */

/* The feed-forward blocks of a checkpoint. Its family is recognised by config.json beside it (model_type, or diffusers'
 * _class_name) together with the names of its tensors; what is unknown or contradicts itself is refused. */
typedef struct gelu_model gelu_model;

/* How a block's output y comes from its input x (rows, d_model), f being the feed-forward layer. */
typedef enum {
    GELU_BLOCK_PRE = 1,   /* y = x + f(norm(x)) */
    GELU_BLOCK_POST,      /* y = norm(x + f(x)) */
    GELU_BLOCK_SANDWICH,  /* y = x + norm2(f(norm(x))) */
    GELU_BLOCK_RES_POST,  /* y = x + norm(f(x)) */
    GELU_BLOCK_PARALLEL,  /* y = x + attn + f(norm(x)), attn being what attention made of x */
    GELU_BLOCK_SCALED,    /* y = alpha n + f(n), n = norm(x) */
    GELU_BLOCK_MODULATED, /* y = x + gate f((1 + scale) norm(x) + shift) */
    GELU_BLOCK_FUSED /* y = x + gate (A attn + f((1 + scale) norm(x) + shift)), attn being attention's heads, side by
                             side, and A, which projects them, a part of the matrix that fc2 is a part of, too */
} gelu_block_form;

typedef enum { GELU_NORM_NONE, GELU_NORM_LAYER, GELU_NORM_RMS } gelu_norm_kind;

typedef struct {
    gelu_norm_kind kind;
    double eps, weight_offset;                    /* as gelu_layer_norm_f32 and gelu_rms_norm_f32 take them */
    const gelu_safetensors_tensor *weight, *bias; /* (d_model), or NULL */
} gelu_block_norm;

/* A matrix of a block: a tensor, or the part of it that begins at this output and this input. */
typedef struct {
    const gelu_safetensors_tensor *weight, *bias; /* bias NULL: none */
    size_t output, input;
} gelu_block_matrix;

typedef struct {
    const char *name; /* what the names of its tensors begin with: "encoder.layer.3" */
    size_t same_as;   /* the first block that has these tensors: another one where layers share weights */
    size_t d_model, d_ff;
    gelu_act act;
    const char *act_source; /* where that is written, in words */
    int gated;
    gelu_gate_order order;
    gelu_layout layout;
    gelu_block_matrix fc1, up, fc2; /* as in gelu_ffn_desc; up only where gated and separate */
    gelu_block_matrix attn;         /* A, (d_model, d_model), only in GELU_BLOCK_FUSED; its bias is fc2's */
    gelu_block_form form;
    gelu_block_norm norm, norm2; /* norm2 only in GELU_BLOCK_SANDWICH */
    double alpha;                /* only in GELU_BLOCK_SCALED */
    uint64_t parameters;         /* of the layer and its norms */
    const char *against; /* what the family's code fixes and gelu_model_options say otherwise: "the gate is the second";
                            NULL: nothing */
} gelu_model_block;

/* What somebody says of a checkpoint against what is written. NULL: nothing. */
typedef struct {
    const char *family;           /* gelu_model_family's word */
    const gelu_act *act;          /* of every block */
    const gelu_gate_order *order; /* GELU_GATE_FIRST or GELU_VALUE_FIRST, of two matrices in the order of their names */
} gelu_model_options;

/* path as gelu_safetensors_open. Quantised checkpoints and mixtures of experts are refused. GELU_ERR_UNSUPPORTED (an unknown
 * family or activation, or one that is not written down), GELU_ERR_MISSING (tensors that the family has), GELU_ERR_SHAPE,
 * GELU_ERR_DTYPE, GELU_ERR_NAME (options), and what gelu_safetensors_open returns. *out is then NULL. */
GELU_API gelu_status gelu_model_open(const char *path, const gelu_model_options *options, gelu_model **out,
                                     gelu_error *err);
GELU_API void gelu_model_close(gelu_model *model); /* NULL is fine; not before the blocks are out of use */
/* The family in a word that gelu_model_options takes ("gpt2"), and as people call it. */
GELU_API const char *gelu_model_family(const gelu_model *model);
GELU_API const char *gelu_model_family_name(const gelu_model *model);
/* What is often believed of the family, and wrong, in a sentence; NULL for nothing. */
GELU_API const char *gelu_model_remark(const gelu_model *model);
GELU_API size_t gelu_model_count(const gelu_model *model);
GELU_API const gelu_model_block *gelu_model_at(const gelu_model *model, size_t i); /* NULL past the end */
GELU_API const gelu_safetensors *gelu_model_checkpoint(const gelu_model *model);
/* The i-th family that is known; NULL past the end. */
GELU_API const char *gelu_model_known_family(size_t i);

/* The layer of block i, its weights copied: dtype 0 in their own type, GELU_F64 widened to f64, so that the layer takes
 * f64 and computes in it; any other is GELU_ERR_DTYPE. Free it with gelu_ffn_free. Errors as gelu_safetensors_view and
 * gelu_ffn_create. */
GELU_API gelu_status gelu_model_ffn(const gelu_model *model, size_t i, gelu_dtype dtype, gelu_ffn **out,
                                    gelu_error *err);

/* What a block takes besides x, and where to leave what lies between, of the type of x; each may be NULL. */
typedef struct {
    const void *attn;                 /* (rows, d_model), for GELU_BLOCK_PARALLEL and GELU_BLOCK_FUSED */
    const void *scale, *shift, *gate; /* (d_model), for GELU_BLOCK_MODULATED and GELU_BLOCK_FUSED */
    void *entered, *left;             /* (rows, d_model): what goes into the layer, and what comes out of it */
    const gelu_ffn_trace *trace;
} gelu_block_extras;

/* Block i: its layer, which gelu_model_ffn made, with its norm and residual, each step rounded to dtype: GELU_F32, or
 * GELU_F64 for a layer of f64, which takes no other. x and y are contiguous (rows, d_model) of it and do not overlap;
 * extras NULL: none. GELU_ERR_ARGUMENT when the block needs what extras do not have; GELU_ERR_MISSING when the checkpoint
 * lacks its norm; GELU_ERR_DTYPE. */
GELU_API gelu_status gelu_block_forward(const gelu_model *model, size_t i, const gelu_ffn *ffn, size_t rows,
                                        gelu_dtype dtype, const void *x, const gelu_block_extras *extras, void *y,
                                        gelu_error *err);

/* ---- Text --------------------------------------------------------------------------------------------------- */

/* How PyTorch 1.13 prints a tensor: print(tensor). Zero means PyTorch's default. */
typedef struct {
    unsigned precision;  /* digits after the point, plus 1; 0: the default, 4 */
    size_t threshold;    /* more elements than this are summarised; 0: 1000 */
    size_t edgeitems;    /* elements shown at each edge of a summary; 0: 3 */
    size_t linewidth;    /* characters; 0: 80 */
    int sci_mode;        /* 0: as the values ask; 1: always scientific; -1: never */
    const char *grad_fn; /* "AddmmBackward0" prints grad_fn=<AddmmBackward0>; NULL: none */
    int requires_grad;   /* prints requires_grad=True when there is no grad_fn */
} gelu_torch_format;

/* *out is the text, NUL-terminated, without a final newline; free it with gelu_text_free. options may be NULL.
 * GELU_ERR_ARGUMENT, GELU_ERR_DTYPE, GELU_ERR_SHAPE, GELU_ERR_OVERFLOW, GELU_ERR_MEMORY. */
GELU_API gelu_status gelu_format_torch(gelu_dtype dtype, size_t ndim, const size_t *shape, const void *data,
                                       const gelu_torch_format *options, char **out);

/* How NumPy 1.24 prints an array: print(array), or repr(array) when repr is set. Zero means NumPy's default. */
typedef struct {
    int repr;
    unsigned precision; /* digits after the point at most, plus 1; 0: the default, 8 */
    size_t threshold;   /* 0: 1000 */
    size_t edgeitems;   /* 0: 3 */
    size_t linewidth;   /* 0: 75 */
} gelu_numpy_format;

/* Like gelu_format_torch, but NumPy's form; bf16, which NumPy does not have, prints as the same f32 values. */
GELU_API gelu_status gelu_format_numpy(gelu_dtype dtype, size_t ndim, const size_t *shape, const void *data,
                                       const gelu_numpy_format *options, char **out);

GELU_API void gelu_text_free(char *text); /* NULL is fine */

/* The shortest decimal that reads back as the same value of this type, such as "0.8413447", "-1.0444259e-07", "-0.0",
 * "inf", "nan"; at least buffer[40]. Returns its length; 0 for an unknown type. */
GELU_API size_t gelu_format_shortest(gelu_dtype dtype, const void *value, char buffer[40]);
/* The value of this type nearest to a decimal or hexadecimal number, "inf" or "nan", rounded once; the whole text must
 * be used. GELU_ERR_ARGUMENT otherwise, or for NULL. */
GELU_API gelu_status gelu_parse_value(gelu_dtype dtype, const char *text, void *value);

#ifdef __cplusplus
}
#endif
#endif
