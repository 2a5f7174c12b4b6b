/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdlib.h>

#include "cli.h"
#include "npy_input.h"
#include "npy_output.h"

static const char help[] =
    "Usage: gelu apply --act NAME [--grad] [--bf16] [--threads N] IN.npy OUT.npy\n"
    "\n"
    "Writes the activation of every element of IN.npy to OUT.npy: the same shape, the same type ('<f2', '<f4', '<f8',\n"
    "with --bf16 '<V2'), little-endian and in C order. Works through the file in pieces: it need not fit in memory.\n"
    "OUT.npy appears only when it is complete, and may be IN.npy.\n"
    "\n"
    "  -h, --help     this text\n"
    "  --act NAME     identity, relu, erf, tanh, quick, silu or elu, or a name of theirs in PyTorch, transformers,\n"
    "                 diffusers or open_clip\n"
    "  --grad         the first derivative instead\n"
    "  --bf16         take NumPy's raw type V2 as bfloat16; OUT.npy is then '<V2', too\n"
    "  --threads N    threads; default GELU_NUM_THREADS, or 1\n";

enum { CHUNK = 1 << 15 }; /* elements for each thread; two buffers of them stay in the second-level cache */

typedef struct {
    gelu_act act;
    bool grad;
    const char *in, *out;
} request;

static gelu_status compute(const request *request, gelu_dtype dtype, size_t n, const void *x, void *y) {
    return request->grad ? gelu_grad_2d(request->act, dtype, 1, n, x, n, y, n)
                         : gelu_forward_2d(request->act, dtype, 1, n, x, n, y, n);
}

static gelu_status stream(const request *request, const gelu_npy *npy, void *buffer, gelu_npy_writer *writer,
                          gelu_error *err) {
    const gelu_tensor *tensor = gelu_npy_info(npy);
    size_t nbytes = gelu_dtype_nbytes(tensor->dtype), chunk = CHUNK * gelu_num_threads();
    gelu_status status = GELU_OK;
    cli_progress progress;
    cli_progress_begin(&progress, request->in, tensor->count);
    for (size_t first = 0; first < tensor->count && status == GELU_OK; first += chunk) {
        size_t n = tensor->count - first < chunk ? tensor->count - first : chunk;
        const void *x = buffer;
        if (tensor->data)
            x = (const char *)tensor->data + first * nbytes;
        else
            status = gelu_npy_read_range(npy, first, n, buffer);
        if (status == GELU_OK) status = compute(request, tensor->dtype, n, x, buffer);
        if (status != GELU_OK) {
            snprintf(err->message, sizeof err->message, "%s: %s", request->in, gelu_status_string(status));
            break;
        }
        status = gelu_npy_writer_write(writer, n, buffer, err);
        cli_progress_update(&progress, first + n);
    }
    cli_progress_end(&progress);
    return status;
}

static int apply(const request *request, const gelu_npy_options *options) {
    gelu_npy *npy;
    gelu_error err = {0};
    int code = cli_npy_open(request->in, options, &npy);
    if (code != CLI_OK) return code;
    void *buffer = malloc(CHUNK * gelu_num_threads() * sizeof(double));
    if (!buffer) {
        gelu_npy_close(npy);
        return cli_fail("out of memory");
    }
    gelu_npy_writer *writer;
    const gelu_tensor *shape = gelu_npy_info(npy);
    gelu_status status = cli_npy_begin(request->out, shape->dtype, shape->ndim, shape->shape, &writer, &err);
    if (status == GELU_OK) status = cli_npy_end(writer, stream(request, npy, buffer, writer, &err), &err);
    free(buffer);
    gelu_npy_close(npy);
    if (status != GELU_OK) return cli_fail("%s", err.message);
    return CLI_OK;
}

int cmd_apply(int argc, char **argv) {
    static const struct option options[] = {{"act", required_argument, NULL, 'a'},
                                            {"grad", no_argument, NULL, 'g'},
                                            {"bf16", no_argument, NULL, 'b'},
                                            {"threads", required_argument, NULL, 't'},
                                            CLI_HELP_OPTION,
                                            {0}};
    cli_args args = {.argc = argc, .argv = argv, .options = options};
    request request = {0};
    gelu_npy_options npy_options = {0};
    const char *act = NULL;
    uint64_t threads;
    for (int c; (c = cli_next(&args)) != CLI_END;) switch (c) {
        case 'a': act = optarg; break;
        case 'g': request.grad = true; break;
        case 'b': npy_options.v2_is_bf16 = 1; break;
        case 't':
            if (cli_set_threads(optarg, &threads) != CLI_OK) return CLI_USAGE;
            break;
        case 'h': return cli_help(help);
        default: return CLI_USAGE;
        }
    if (!act) return cli_usage("--act is missing; known: %s", cli_known_activations());
    if (gelu_act_from_name(act, &request.act) != GELU_OK)
        return cli_usage("unknown activation '%s'; known: %s", act, cli_known_activations());
    if (args.operands != 2) return cli_usage("needs two files, IN.npy and OUT.npy; got %d", args.operands);
    request.in = argv[0];
    request.out = argv[1];
    return apply(&request, &npy_options);
}
