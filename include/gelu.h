/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* libgelu: correctly rounded GELU activations and the transformer feed-forward layer.
 *
 * Conventions of this header
 *  - Counts, dimensions and leading dimensions (ld) are in elements; byte sizes are called _nbytes.
 *  - Matrices are row-major: element (i, j) of a matrix with leading dimension ld is p[i*ld + j], ld >= columns.
 *  - f16 (IEEE binary16) and bf16 values are stored in uint16_t.
 *  - Any element-aligned address will do. A zero count is valid, and pointers may then be NULL.
 *  - Elementwise calls (void) cannot fail: what their comment demands is the caller's duty, asserted in debug builds.
 *    Every other call returns a gelu_status, puts its outputs last and leaves them untouched unless it says otherwise.
 *  - Aliasing: an output may be exactly an input (same address, same strides) where the comment says "in place".
 *    An output element that partly covers a different input element is GELU_ERR_ALIAS where there is a status, and
 *    forbidden elsewhere. Interleaved arrays, such as the two halves of one packed row, do not overlap.
 *  - Elementwise calls and conversions assume rounding to nearest, the state that every program starts in; with
 *    flush-to-zero or denormals-are-zero set, subnormal inputs and results may become zero. Linear and feed-forward calls set
 *    what they need themselves, and restore it.
 *  - The library never prints, aborts or exits, keeps errno, and leaves the floating-point environment as it was, but
 *    that elementwise calls and conversions may raise inexact, underflow and, for NaN, invalid.
 *  - All functions may be called from several threads at once, on outputs that do not overlap. */
#ifndef GELU_H
#define GELU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GELU_VERSION_MAJOR 0
#define GELU_VERSION_MINOR 1
#define GELU_VERSION_PATCH 0

#if defined(GELU_BUILD_SHARED) && defined(__GNUC__)
#define GELU_API __attribute__((visibility("default")))
#else
#define GELU_API
#endif

/* ---- Status ------------------------------------------------------------------------------------------------- */

typedef enum {
    GELU_OK = 0,
    GELU_ERR_ARGUMENT,      /* a NULL pointer, an unknown enumerator, an option that makes no sense */
    GELU_ERR_NAME,          /* an unknown name */
    GELU_ERR_DTYPE,         /* an element type, or a mix of types, that the call does not take */
    GELU_ERR_SHAPE,         /* dimensions that do not fit each other, or ld < columns */
    GELU_ERR_ALIAS,         /* arrays overlap in a way that the call does not allow */
    GELU_ERR_OVERFLOW,      /* a size does not fit in size_t */
    GELU_ERR_MEMORY,        /* allocation failed */
    GELU_ERR_ISA,           /* an instruction set that is unknown, or not available on this machine */
    GELU_ERR_UNSUPPORTED,   /* valid, but not implemented for these arguments */
    GELU_ERR_IO,            /* the operating system refused: open, read, write, map, rename */
    GELU_ERR_MAGIC,         /* the file is of another kind */
    GELU_ERR_VERSION,       /* a format version that is not known */
    GELU_ERR_HEADER,        /* a header that is not well-formed */
    GELU_ERR_TRUNCATED,     /* the file ends too early */
    GELU_ERR_TRAILING,      /* bytes after the end of the data */
    GELU_ERR_DUPLICATE,     /* a name that occurs twice */
    GELU_ERR_OVERLAP,       /* two arrays of a file share bytes */
    GELU_ERR_HOLE,          /* bytes of a file that belong to no array */
    GELU_ERR_SIZE_MISMATCH, /* an array has not the bytes that its shape and type take */
    GELU_ERR_HEADER_LENGTH, /* a header that is said to be longer or shorter than any header may be */
    GELU_ERR_MISSING        /* what a file names is not there */
} gelu_status;

/* A short English text such as "size overflow"; never NULL, static. */
GELU_API const char *gelu_status_string(gelu_status status);

/* "MAJOR.MINOR.PATCH" of the library that is linked. */
GELU_API const char *gelu_version(void);

/* ---- Element types ------------------------------------------------------------------------------------------ */

typedef enum { GELU_F32 = 1, GELU_F64, GELU_F16, GELU_BF16 } gelu_dtype; /* 0 is no type */

/* Bytes per element; 0 for an unknown type. */
GELU_API size_t gelu_dtype_nbytes(gelu_dtype dtype);
/* "f32", "f64", "f16", "bf16"; "?" for an unknown type. */
GELU_API const char *gelu_dtype_name(gelu_dtype dtype);
/* From "f32", "f64", "f16", "bf16". GELU_ERR_NAME for anything else, NULL included. */
GELU_API gelu_status gelu_dtype_from_name(const char *name, gelu_dtype *out);

/* dst[i] = src[i], rounded once to nearest even; narrowing overflows to infinity; NaN stays a NaN, quiet, with its
 * sign and the payload bits that fit. In place when both types have the same size. GELU_ERR_DTYPE, GELU_ERR_ALIAS. */
GELU_API gelu_status gelu_convert(size_t n, gelu_dtype from, const void *src, gelu_dtype to, void *dst);

GELU_API float gelu_f16_to_f32(uint16_t x);    /* exact */
GELU_API float gelu_bf16_to_f32(uint16_t x);   /* exact */
GELU_API uint16_t gelu_f16_from_f32(float x);  /* as gelu_convert */
GELU_API uint16_t gelu_bf16_from_f32(float x); /* as gelu_convert */

/* ---- Instruction sets --------------------------------------------------------------------------------------- */

/* Results never depend on the instruction set; only speed does. One is chosen at the first use: the best available,
 * or the one that the environment variable GELU_FORCE_ISA names. */

/* The name in use: "scalar", "avx2", "avx512", "avx512_bf16", "amx", "neon". "avx512_bf16" and "amx" are "avx512" with
 * instructions of that name for products of bf16 (GELU_COMPUTE_BF16). Linux must permit AMX's tiles to a process, which the first call here or elsewhere asks for, unless another name was asked for: from
 * then on the kernel refuses alternate signal stacks that are too small for the tiles (sysconf(_SC_MINSIGSTKSZ)). */
GELU_API const char *gelu_isa_name(void);
/* The i-th name that this build and this machine can run, best first; NULL past the end. */
GELU_API const char *gelu_isa_available(size_t i);
/* Use this one from now on; NULL returns to the automatic choice. GELU_ERR_ISA for an unknown or unavailable name,
 * and nothing changes. Not while another thread computes. */
GELU_API gelu_status gelu_isa_select(const char *name);
/* GELU_ERR_ISA when GELU_FORCE_ISA names something that cannot be had (calls then run "scalar"), else GELU_OK. */
GELU_API gelu_status gelu_isa_status(void);

/* ---- Threads ------------------------------------------------------------------------------------------------ */

/* Results never depend on the number of threads; only speed does. A call uses one thread unless told otherwise, more
 * only where there is work for them, and only in a build with OpenMP. It keeps to the caller's thread within an OpenMP
 * parallel region, and in a process that was forked after the library was loaded (OpenMP's threads do not survive a
 * fork). When the system refuses a thread, OpenMP ends the program: ask for no more than it allows. */

/* At most n threads for each call from now on, 1 to 1024; 0 returns to what the environment variable GELU_NUM_THREADS
 * says, or 1. GELU_ERR_ARGUMENT for more; GELU_ERR_UNSUPPORTED for more than 1 in a build without OpenMP; then nothing
 * changes. */
GELU_API gelu_status gelu_set_num_threads(size_t n);
/* How many threads a call may use: 1 in a build without OpenMP. */
GELU_API size_t gelu_num_threads(void);
/* GELU_ERR_ARGUMENT when GELU_NUM_THREADS is set to anything but a number from 1 to 1024 (calls then use one thread),
 * else GELU_OK. It is read once, at the first use. */
GELU_API gelu_status gelu_num_threads_status(void);

/* ---- Memory ------------------------------------------------------------------------------------------------- */

/* allocate: at least nbytes, a multiple of alignment, at a multiple of alignment (64), or NULL; release: what it gave. */
typedef void *gelu_allocate(size_t alignment, size_t nbytes, void *context);
typedef void gelu_release(void *p, void *context);

/* Where the memory comes from that layers need, and calls that are given no workspace; nothing else allocates. Both NULL:
 * from aligned_alloc, as at the start. For the whole process, and not while a layer exists or a call runs. (libgelu-io
 * and OpenMP have their own.) GELU_ERR_ARGUMENT when one is NULL; then nothing changes. */
GELU_API gelu_status gelu_set_allocator(gelu_allocate *allocate, gelu_release *release, void *context);

/* ---- Activations -------------------------------------------------------------------------------------------- */

/* There is no default and no plain "gelu": that name means ERF in PyTorch, TANH in ggml and JAX.
 *
 *             f(x)                                              also known as
 *   IDENTITY  x
 *   RELU      x for x >= 0 (-0 stays -0), else +0
 *   ERF       x * Phi(x), Phi(x) = erfc(-x / sqrt 2) / 2        torch approximate="none"
 *   TANH      x * sigma(2 sqrt(2/pi) (x + 0.044715 x^3))        torch approximate="tanh", HF gelu_new
 *   QUICK     x * sigma(1.702 x)                                HF quick_gelu (CLIP)
 *   SILU      x * sigma(x)                                      swish
 *   ELU       x for x >= 0 (-0 stays -0), else e^x - 1
 *
 * sigma(t) = 1 / (1 + e^-t). The constants are these decimal numbers exactly. Source of ERF, TANH and QUICK: Hendrycks
 * and Gimpel, "Gaussian Error Linear Units", arXiv 1606.08415. */
typedef enum { GELU_IDENTITY, GELU_RELU, GELU_ERF, GELU_TANH, GELU_QUICK, GELU_SILU, GELU_ELU } gelu_act;

/* "identity", "relu", "erf", "tanh", "quick", "silu", "elu"; "?" for an unknown enumerator. */
GELU_API const char *gelu_act_name(gelu_act act);
/* From our names and the spellings of PyTorch, HF transformers, diffusers and open_clip; case matters.
 * GELU_ERR_NAME for anything else, NULL and gated forms ("geglu") included: there is no fallback. */
GELU_API gelu_status gelu_act_from_name(const char *name, gelu_act *out);
/* From the name of a gated form, such as "geglu", "swiglu", "gated-gelu": the activation of its gate. GELU_ERR_NAME
 * for anything else; diffusers' "geglu-approximate" is not gated and is refused here. */
GELU_API gelu_status gelu_glu_from_name(const char *name, gelu_act *out);
/* The i-th spelling that gelu_act_from_name knows; NULL past the end. */
GELU_API const char *gelu_act_spelling(size_t i);

/* y[i] = f(x[i]), i < n: the exact value, rounded once to nearest even (f64: at most 1 ULP from it). In place.
 * NaN gives the same NaN, quiet; +inf gives +inf; -inf gives -0 (RELU +0, ELU -1, IDENTITY -inf). */
GELU_API void gelu_forward_f32(gelu_act act, size_t n, const float *x, float *y);
GELU_API void gelu_forward_f64(gelu_act act, size_t n, const double *x, double *y);
GELU_API void gelu_forward_f16(gelu_act act, size_t n, const uint16_t *x, uint16_t *y);
GELU_API void gelu_forward_bf16(gelu_act act, size_t n, const uint16_t *x, uint16_t *y);

/* dydx[i] = f'(x[i]): like gelu_forward, but the first derivative (f64: at most 2 ULP, and within 2^-10 of a root of
 * f' at most 2^-63 absolute). RELU gives 1 for x > 0, else +0; ELU 1 for x >= 0. In place. */
GELU_API void gelu_grad_f32(gelu_act act, size_t n, const float *x, float *dydx);
GELU_API void gelu_grad_f64(gelu_act act, size_t n, const double *x, double *dydx);
GELU_API void gelu_grad_f16(gelu_act act, size_t n, const uint16_t *x, uint16_t *dydx);
GELU_API void gelu_grad_bf16(gelu_act act, size_t n, const uint16_t *x, uint16_t *dydx);

/* d2ydx2[i] = f''(x[i]): like gelu_grad, but the second derivative (f32: at most 1 ULP; f64: 2 ULP; near a root of f''
 * the absolute rule). RELU and IDENTITY give 0; ELU gives 0 for x >= 0. In place. */
GELU_API void gelu_grad2_f32(gelu_act act, size_t n, const float *x, float *d2ydx2);
GELU_API void gelu_grad2_f64(gelu_act act, size_t n, const double *x, double *d2ydx2);

/* dx[i] = dy[i] * f'(x[i]), f' rounded as gelu_grad_f32 does (f64: gelu_grad_f64), the product rounded once to the
 * type. RELU selects: dy for x > 0, +0 for x <= 0, NaN for NaN. x is the input of the forward call: f is not
 * injective, so its output would not do. In place with dx == dy or dx == x. */
GELU_API void gelu_backward_f32(gelu_act act, size_t n, const float *x, const float *dy, float *dx);
GELU_API void gelu_backward_f64(gelu_act act, size_t n, const double *x, const double *dy, double *dx);
GELU_API void gelu_backward_f16(gelu_act act, size_t n, const uint16_t *x, const uint16_t *dy, uint16_t *dx);
GELU_API void gelu_backward_bf16(gelu_act act, size_t n, const uint16_t *x, const uint16_t *dy, uint16_t *dx);

/* Like gelu_forward_f32 and gelu_backward_f32, but faster (on a processor with fma) and less than 1 ULP from the exact
 * value (f' within 2^-10 of its root: 2^-35 absolute). The same bits on every machine, the same special values, monotone
 * where f is. */
GELU_API void gelu_fast_forward_f32(gelu_act act, size_t n, const float *x, float *y);
GELU_API void gelu_fast_backward_f32(gelu_act act, size_t n, const float *x, const float *dy, float *dx);

/* The exact calls on (rows, cols) matrices of any type, with leading dimensions: a part of a wider tensor without a copy.
 * Nothing is written between the rows. The ld of an input (never of an output) may be 0: one row serves all rows.
 * In place with equal ld. GELU_ERR_ARGUMENT, GELU_ERR_DTYPE, GELU_ERR_SHAPE, GELU_ERR_OVERFLOW, GELU_ERR_ALIAS. */
GELU_API gelu_status gelu_forward_2d(gelu_act act, gelu_dtype dtype, size_t rows, size_t cols, const void *x,
                                     size_t ldx, void *y, size_t ldy);
GELU_API gelu_status gelu_grad_2d(gelu_act act, gelu_dtype dtype, size_t rows, size_t cols, const void *x, size_t ldx,
                                  void *dydx, size_t ldd);
GELU_API gelu_status gelu_backward_2d(gelu_act act, gelu_dtype dtype, size_t rows, size_t cols, const void *x,
                                      size_t ldx, const void *dy, size_t lddy, void *dx, size_t lddx);

/* y = f(gate) * value on (rows, cols) matrices: GEGLU (ERF or TANH), SwiGLU (SILU), ReGLU (RELU). f(gate) is rounded
 * to f32, the product to f32, and that once to the type (f64: f64 throughout). Which half of a packed tensor is the
 * gate differs between model families, so there is no packed form: pass the two pointers. In place with y == gate or
 * y == value. Errors as gelu_forward_2d. */
GELU_API gelu_status gelu_glu_2d(gelu_act act, gelu_dtype dtype, size_t rows, size_t cols, const void *gate,
                                 size_t ldgate, const void *value, size_t ldvalue, void *y, size_t ldy);
/* dvalue = dy * f(gate) and dgate = (dy * value) * f'(gate), each product rounded to f32 and the result once to the
 * type; RELU's f' selects, as in gelu_backward. Either output may be NULL. In place with dgate == gate and
 * dvalue == value (both or one), or either == dy. The two outputs must not overlap. Errors as gelu_forward_2d. */
GELU_API gelu_status gelu_glu_backward_2d(gelu_act act, gelu_dtype dtype, size_t rows, size_t cols, const void *gate,
                                          size_t ldgate, const void *value, size_t ldvalue, const void *dy, size_t lddy,
                                          void *dgate, size_t lddgate, void *dvalue, size_t lddvalue);

/* ---- Linear ------------------------------------------------------------------------------------------------- */

/* y = epilogue(x W^T + b), the same bits for every batch size, thread count, instruction set and compiler:
 *
 *   acc = b[n] (+0 without a bias)
 *   for each block of 256 consecutive k, in order (the last may be shorter):
 *       s = +0;  for k in the block, in order:  s = fma(x[m][k], w[n][k], s)
 *       acc = acc + s
 *
 * in f32 after exact widening of x, W and b, with gradual underflow and rounding to nearest whatever the caller's
 * floating-point environment; f64 layers do the same in f64. f64 does not mix with other types: GELU_ERR_DTYPE. */
/* bf16 compute takes x and the weights as bf16 (another type is GELU_ERR_DTYPE) and has the rule of AMX's tiles, which any
 * machine can follow:
 *
 *   acc = b[n] (+0 without a bias)
 *   for each block of 32 consecutive k, in order (the last padded with +0 in x and W):
 *       even = +0;  for j < 16, in order:  even = fma(x[m][2j], w[n][2j], even)            2j counted in the block
 *       odd  = +0;  for j < 16, in order:  odd  = fma(x[m][2j + 1], w[n][2j + 1], odd)
 *       acc = acc + (even + odd)
 *
 * in f32, to nearest even; every step reads subnormal operands as zero and returns zero for results that are tiny after
 * rounding. What follows the product is f32 arithmetic as above. Forward only. */
typedef enum {
    GELU_COMPUTE_F32, /* the first rule (f64 for f64) */
    GELU_COMPUTE_BF16 /* the second */
} gelu_compute;

/* How a weight matrix lies in memory. Square matrices make a wrong guess invisible, so there is no default. */
typedef enum {
    GELU_OUT_IN = 1, /* (out_features, in_features): torch.nn.Linear */
    GELU_IN_OUT      /* (in_features, out_features): the Conv1D of GPT-1 and GPT-2 */
} gelu_layout;

typedef struct {
    gelu_dtype dtype;   /* of weight and bias */
    gelu_layout layout; /* of weight */
    const void *weight; /* (out_features, in_features) or (in_features, out_features), as layout says */
    size_t ld;          /* leading dimension of weight; 0: rows are contiguous */
    const void *bias;   /* (out_features), or NULL for none */
} gelu_weights;

typedef struct gelu_linear gelu_linear;

/* Copies and packs the weights, in their own type, for the instruction set in use, which the layer then keeps.
 * in_features or out_features may be 0. GELU_ERR_ARGUMENT, GELU_ERR_DTYPE, GELU_ERR_SHAPE, GELU_ERR_OVERFLOW,
 * GELU_ERR_MEMORY, GELU_ERR_UNSUPPORTED; *out is then NULL. */
GELU_API gelu_status gelu_linear_create(size_t in_features, size_t out_features, const gelu_weights *weights,
                                        gelu_compute compute, gelu_linear **out);
/* Like gelu_linear_create, but every call reads the weights where they are: nothing is copied but the bias. For weights
 * that change between calls, or serve once. They must outlive the layer, and overlap no output of a call. */
GELU_API gelu_status gelu_linear_view(size_t in_features, size_t out_features, const gelu_weights *weights,
                                      gelu_compute compute, gelu_linear **out);
GELU_API void gelu_linear_free(gelu_linear *linear); /* NULL is fine */

/* What happens to acc before it is stored; zero-initialise for a plain Linear. In this order, each step in f32 (f64 for
 * f64): t = act(acc), correctly rounded; t = t * value; t = t + residual; then one conversion to the type of y. Without
 * value and residual the exact activation is rounded once to the type of y. */
typedef struct {
    gelu_act act;         /* GELU_IDENTITY (0): none */
    const void *residual; /* (rows, out_features) of the type of y, or NULL; may be y itself with ldr == ldy */
    size_t ldr;
    void *preact; /* (rows, out_features): acc before the activation, f32 (f64 for f64), or NULL */
    size_t ldp;
    const void *value; /* (rows, out_features), f32 (f64 for f64), or NULL: what f(gate) of a gated unit multiplies */
    size_t ldv;
    int fast;          /* 1: the activation as gelu_fast_forward_f32 (f64: GELU_ERR_UNSUPPORTED) */
    int saturate;      /* 1: where the conversion to f16 or bf16 makes infinity of a finite number, the largest one */
    size_t *overflows; /* set to how many elements that happened to, saturated or not; or NULL */
} gelu_epilogue;

/* Bytes of workspace that gelu_linear_forward (and _backward) needs for this many rows or fewer, whatever
 * gelu_set_num_threads says by then: there is room for one thread per processor of the machine, and a call with a
 * workspace uses no more than that. Pages that its threads do not need stay untouched. GELU_ERR_OVERFLOW. */
GELU_API gelu_status gelu_linear_workspace(const gelu_linear *linear, size_t rows, size_t *forward_nbytes,
                                           size_t *backward_nbytes);

/* x is (rows, in_features) of xtype, y (rows, out_features) of ytype. No in place: y, and preact, must not overlap x,
 * value, the weights of a view or each other. epilogue NULL: none. workspace, of the size that gelu_linear_workspace
 * gives, aligned to 64 bytes, apart from everything else; NULL: allocated for the call. GELU_ERR_ARGUMENT,
 * GELU_ERR_DTYPE, GELU_ERR_SHAPE, GELU_ERR_OVERFLOW, GELU_ERR_ALIAS, GELU_ERR_MEMORY. */
GELU_API gelu_status gelu_linear_forward(const gelu_linear *linear, size_t rows, gelu_dtype xtype, const void *x,
                                         size_t ldx, const gelu_epilogue *epilogue, gelu_dtype ytype, void *y,
                                         size_t ldy, void *workspace);

/* Whether gradients replace what the buffers hold, or are added to it. No default. */
typedef enum { GELU_GRAD_SET = 1, GELU_GRAD_ADD } gelu_grad_mode;

/* Gradients of y = x W^T + b, given dy (rows, out_features) of dytype:
 *   dx = dy W     (rows, in_features), of xtype; sums over out_features
 *   dw = dy^T x   in the layer's layout, contiguous (ld = columns), f32 (f64 for f64); sums over rows
 *   db = sum dy   (out_features), f32 (f64 for f64); sums over rows
 * by the rule above with blocks of 256; acc starts from +0 (SET) or the old value (ADD). dx, dw and db may each be
 * NULL; x may be NULL when dw is. GELU_ERR_UNSUPPORTED for bf16 compute. Outputs must not overlap inputs, the weights
 * of a view among them, or each other. Errors as gelu_linear_forward. */
GELU_API gelu_status gelu_linear_backward(const gelu_linear *linear, gelu_grad_mode mode, size_t rows, gelu_dtype xtype,
                                          const void *x, size_t ldx, gelu_dtype dytype, const void *dy, size_t lddy,
                                          void *dx, size_t lddx, void *dw, void *db, void *workspace);

/* ---- Feed-forward ------------------------------------------------------------------------------------------- */

/* plain:  h = fc1(x),  a = act(h),  y = fc2(a)
 * gated:  y = fc2(h),  h = act * up,  act = f(gate),  gate = gate(x),  up = up(x)
 *
 * Inside, everything is f32 (f64 for f64), whatever the types of x, y and the weights. In bf16 compute what fc2 takes is
 * rounded once to bf16, from the exact activation in a plain layer, and a trace of it shows that value. */
/* Where the gate's and the value's weights are. Families differ in the order, so there is no default for one matrix. */
typedef enum {
    GELU_SEPARATE,   /* two matrices */
    GELU_GATE_FIRST, /* one matrix of 2 * d_ff outputs (and one bias): the gate's, then the value's */
    GELU_VALUE_FIRST /* one matrix of 2 * d_ff outputs (and one bias): the value's, then the gate's */
} gelu_gate_order;

typedef struct {
    size_t d_model, d_ff;
    gelu_act act;
    int gated;        /* 0: plain; 1: gated */
    gelu_weights fc1; /* plain: fc1; gated: the gate, or both. d_model -> d_ff, or 2 * d_ff */
    gelu_weights up;  /* gated and separate only: the value. d_model -> d_ff */
    gelu_weights fc2; /* fc2, also called down. d_ff -> d_model */
    gelu_compute compute;
    gelu_gate_order order; /* gated only */
    int view;              /* 1: read the weights where they are, like gelu_linear_view */
    int fast;              /* 1: the activation as gelu_fast_forward_f32, its derivative as gelu_fast_backward_f32 */
    int saturate;          /* 1: like gelu_epilogue.saturate, for y */
} gelu_ffn_desc;

typedef struct gelu_ffn gelu_ffn;

/* Copies and packs the weights. Errors as gelu_linear_create. */
GELU_API gelu_status gelu_ffn_create(const gelu_ffn_desc *desc, gelu_ffn **out);
GELU_API void gelu_ffn_free(gelu_ffn *ffn); /* NULL is fine */

/* Where to leave intermediate results: contiguous (rows, d_ff) arrays of f32 (f64 for f64), each may be NULL. Asking
 * for one changes no bit of y. */
typedef struct {
    void *h;           /* plain: fc1(x); gated: f(gate) * up */
    void *a;           /* plain: act(h); gated: f(gate) */
    void *gate;        /* gated: gate(x); plain: must be NULL */
    void *up;          /* gated: up(x); plain: must be NULL */
    size_t *overflows; /* like gelu_epilogue.overflows, for y */
} gelu_ffn_trace;

/* Bytes of workspace that forward (or backward) needs, as gelu_linear_workspace. GELU_ERR_OVERFLOW. */
GELU_API gelu_status gelu_ffn_workspace(const gelu_ffn *ffn, size_t rows, size_t *forward_nbytes,
                                        size_t *backward_nbytes);

/* x and y are (rows, d_model), each of its type. workspace, of the size that gelu_ffn_workspace gives, aligned to 64
 * bytes; NULL: allocated for the call. trace may be NULL. y must not overlap x or the
 * weights of a view, nor a trace array anything. */
GELU_API gelu_status gelu_ffn_forward(const gelu_ffn *ffn, size_t rows, gelu_dtype xtype, const void *x, size_t ldx,
                                      const gelu_ffn_trace *trace, gelu_dtype ytype, void *y, size_t ldy,
                                      void *workspace);

/* Where to leave gradients: each may be NULL. dx has the type and shape of x; the others are contiguous, in the
 * layout of their weights, f32 (f64 for f64). */
typedef struct {
    void *dx; /* (rows, d_model) */
    size_t lddx;
    void *dfc1_weight, *dfc1_bias; /* gated: the gate's; or both, in one matrix like the weights */
    void *dup_weight, *dup_bias;   /* gated and separate only */
    void *dfc2_weight, *dfc2_bias;
} gelu_ffn_grads;

/* saved: what forward left for the same x; NULL, or without h (plain) or without gate and up (gated): computed again from
 * x. Either way the same bits. Every gradient follows the rule of gelu_linear_backward; in a gated layer dx sums the
 * gate's blocks and then up's. Errors as gelu_linear_forward. */
GELU_API gelu_status gelu_ffn_backward(const gelu_ffn *ffn, gelu_grad_mode mode, size_t rows, gelu_dtype xtype,
                                       const void *x, size_t ldx, gelu_dtype dytype, const void *dy, size_t lddy,
                                       const gelu_ffn_trace *saved, const gelu_ffn_grads *grads, void *workspace);

/* ---- Norms -------------------------------------------------------------------------------------------------- */

/* y = (x - mean) / sqrt(var + eps) * weight + bias for each row of x (rows, cols), mean and var = mean of (x - mean)^2
 * over the row; weight and bias (cols), each may be NULL (1 and 0). All in f64, and in the f32 call rounded once to
 * f32: sums in eight partial ones, element i to the one of i mod 8, combined ((0+4)+(2+6))+((1+5)+(3+7)). The same
 * bits everywhere. In place. GELU_ERR_ARGUMENT (NULL, or eps not >= 0), GELU_ERR_SHAPE, GELU_ERR_OVERFLOW,
 * GELU_ERR_ALIAS. */
GELU_API gelu_status gelu_layer_norm_f32(size_t rows, size_t cols, const float *x, size_t ldx, const float *weight,
                                         const float *bias, double eps, float *y, size_t ldy);
GELU_API gelu_status gelu_layer_norm_f64(size_t rows, size_t cols, const double *x, size_t ldx, const double *weight,
                                         const double *bias, double eps, double *y, size_t ldy);
/* Like gelu_layer_norm, but y = x / sqrt(mean of x^2 + eps) * (weight_offset + weight): LLaMA and T5 have
 * weight_offset 0, Gemma 1. Without weight the offset does not matter. */
GELU_API gelu_status gelu_rms_norm_f32(size_t rows, size_t cols, const float *x, size_t ldx, const float *weight,
                                       double weight_offset, double eps, float *y, size_t ldy);
GELU_API gelu_status gelu_rms_norm_f64(size_t rows, size_t cols, const double *x, size_t ldx, const double *weight,
                                       double weight_offset, double eps, double *y, size_t ldy);

/* ---- Random numbers and initialisers, as PyTorch draws them on a CPU with AVX2 ------------------------------- */

/* The state of torch.Generator on a CPU: MT19937 and the cached second normal. Seed it before any other use. */
typedef struct {
    uint32_t state[624];
    uint32_t index;
    uint32_t has_normal; /* a normal is cached, in normal */
    double normal;
} gelu_rng;

/* torch.manual_seed(seed): the engine takes the low 32 bits; a cached normal is forgotten. */
GELU_API void gelu_manual_seed(gelu_rng *rng, uint64_t seed);
/* The next 32 random bits. */
GELU_API uint32_t gelu_random_u32(gelu_rng *rng);
/* torch.rand(n): uniform on [0, 1), 24 bits each. */
GELU_API void gelu_rand_f32(gelu_rng *rng, size_t n, float *out);
/* tensor.uniform_(from, to): fma(u, to - from, from), u as gelu_rand_f32. */
GELU_API void gelu_uniform_f32(gelu_rng *rng, float from, float to, size_t n, float *out);
/* torch.randn(n): n < 16 by Box-Muller in double, whose second value stays cached for the next call; otherwise in blocks
 * of 16, the last 16 drawn again when n is no multiple of 16. n < 16 uses libm (log1p, sin, cos) in double before it
 * rounds to f32, so a libm other than glibc's could change a last bit there. */
GELU_API void gelu_randn_f32(gelu_rng *rng, size_t n, float *out);
/* torch.nn.Linear(in_features, out_features): weight (out_features, in_features) and then bias (out_features; NULL:
 * bias=False, draws none), both uniform on [-1/sqrt(in_features), 1/sqrt(in_features)). With in_features 0 the bias is
 * 0, and its numbers are drawn all the same. GELU_ERR_OVERFLOW. */
GELU_API gelu_status gelu_linear_init_f32(gelu_rng *rng, size_t in_features, size_t out_features, float *weight,
                                          float *bias);

#ifdef __cplusplus
}
#endif
#endif
