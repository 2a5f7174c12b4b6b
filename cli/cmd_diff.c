/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli.h"
#include "npy_input.h"
#include "ulp.h"

static const char help[] =
    "Usage: gelu diff [--max-ulp N] [--bf16] A.npy B.npy\n"
    "\n"
    "Compares two arrays of one shape: the largest absolute, relative and ULP difference, each with its place "
    "(indices\n"
    "from 0) and the two values, how many elements differ by how many ULPs, and the first row (along the last "
    "dimension)\n"
    "with an element that differs by more than N. Works through the files in pieces.\n"
    "\n"
    "An ULP is a step from one value of the type to the next. Where the types differ, values are rounded to the type "
    "with\n"
    "fewer digits for that (bf16, f16, f32, f64), and for that alone. The relative difference is |a-b|/max(|a|,|b|).\n"
    "+0 and -0 are equal, two NaNs, and equal infinities. A NaN against a number is above every N.\n"
    "\n"
    "  -h, --help     this text\n"
    "  --max-ulp N    differences of up to N ULPs are well; default 0\n"
    "  --bf16         take NumPy's raw type V2 as bfloat16\n"
    "\n"
    "Exit status: 0 no element differs by more than N, 1 one does, or a file cannot be used, 2 a mistake on the "
    "command\n"
    "line.\n";

enum { N_BUCKETS = 66 }; /* 0, 1, 2, 3-4, 5-8, ... */

typedef struct {
    double size, a, b;
    size_t at;
} extreme;

typedef struct {
    gelu_dtype unit; /* whose ULPs are counted */
    uint64_t max_ulp;
    size_t count, row_length;
    extreme absolute, relative;
    uint64_t ulp;
    extreme ulp_at;
    size_t buckets[N_BUCKETS];
    size_t one_nan, both_nan, first_nan;
    size_t bad, bad_row, bad_in_row; /* elements above max_ulp; the first row with one, and how many it has */
} comparison;

static size_t bucket_of(uint64_t ulp) {
    size_t bucket = 0;
    if (ulp == 0) return 0;
    for (uint64_t rest = ulp - 1; rest > 0; rest >>= 1) bucket++;
    return bucket + 1;
}

static void note(extreme *most, double size, double a, double b, size_t at) {
    if (size > most->size) *most = (extreme){size, a, b, at};
}

static void note_bad(comparison *to, size_t at) {
    size_t row = to->row_length ? at / to->row_length : 0;
    if (to->bad++ == 0) to->bad_row = row;
    if (row == to->bad_row) to->bad_in_row++;
}

static void compare(comparison *to, double a, double b, size_t at) {
    if (isnan(a) || isnan(b)) {
        if (isnan(a) && isnan(b)) {
            to->both_nan++;
            return;
        }
        if (to->one_nan++ == 0) to->first_nan = at;
        note_bad(to, at);
        return;
    }
    double difference = a == b ? 0 : fabs(a - b), larger = fmax(fabs(a), fabs(b));
    note(&to->absolute, difference, a, b, at);
    if (difference > 0) note(&to->relative, isinf(larger) ? INFINITY : difference / larger, a, b, at);
    uint64_t ulp = cli_ulp_distance(to->unit, cli_round_to(to->unit, a), cli_round_to(to->unit, b));
    to->buckets[bucket_of(ulp)]++;
    if (ulp > to->ulp) {
        to->ulp = ulp;
        to->ulp_at = (extreme){(double)ulp, a, b, at};
    }
    if (ulp > to->max_ulp) note_bad(to, at);
}

static int digits(gelu_dtype dtype) {
    switch (dtype) {
    case GELU_F64: return 17;
    case GELU_F32: return 9;
    case GELU_F16: return 5;
    default: return 4;
    }
}

typedef struct {
    const char *path[2];
    gelu_npy *npy[2];
    const gelu_tensor *tensor[2];
} files;

static void print_place(const char *label, const char *size, const extreme *at, const files *in) {
    char place[CLI_SHAPE_LENGTH];
    printf("%-11s %s", label, size);
    if (at->size > 0)
        printf(" at %s: %.*g, %.*g", cli_place(in->tensor[0]->ndim, in->tensor[0]->shape, at->at, place),
               digits(in->tensor[0]->dtype), at->a, digits(in->tensor[1]->dtype), at->b);
    putchar('\n');
}

static void print_histogram(const comparison *result) {
    printf("%-11s %21s %20s\n", "histogram:", "ULP", "elements");
    for (size_t i = 0; i < N_BUCKETS; i++) {
        if (result->buckets[i] == 0) continue;
        char range[48];
        if (i < 3)
            snprintf(range, sizeof range, "%zu", i);
        else
            snprintf(range, sizeof range, "%" PRIu64 "-%" PRIu64, (UINT64_C(1) << (i - 2)) + 1,
                     i - 1 < 64 ? UINT64_C(1) << (i - 1) : UINT64_MAX);
        printf("%33s %20zu\n", range, result->buckets[i]);
    }
    if (result->one_nan > 0) printf("%33s %20zu\n", "one is NaN", result->one_nan);
    if (result->both_nan > 0) printf("%33s %20zu\n", "both are NaN", result->both_nan);
}

static void print(const comparison *result, const files *in) {
    char place[CLI_SHAPE_LENGTH], size[32];
    const gelu_tensor *shape = in->tensor[0];
    printf("%-11s %zu of shape %s, %s and %s; ULPs of %s\n", "elements:", result->count,
           cli_shape(shape->ndim, shape->shape, place), gelu_dtype_name(shape->dtype),
           gelu_dtype_name(in->tensor[1]->dtype), gelu_dtype_name(result->unit));
    snprintf(size, sizeof size, "%.6g", result->absolute.size);
    print_place("absolute:", size, &result->absolute, in);
    snprintf(size, sizeof size, "%.6g", result->relative.size);
    print_place("relative:", size, &result->relative, in);
    snprintf(size, sizeof size, "%" PRIu64, result->ulp);
    print_place("ULP:", size, &result->ulp_at, in);
    if (result->one_nan > 0)
        printf("%-11s %zu against a number, first at %s\n", "NaN:", result->one_nan,
               cli_place(shape->ndim, shape->shape, result->first_nan, place));
    print_histogram(result);
    if (result->bad == 0) {
        printf("%-11s no element differs by more than %" PRIu64 " ULP\n", "equal:", result->max_ulp);
        return;
    }
    printf("%-11s %zu of %zu elements differ by more than %" PRIu64 " ULP", "different:", result->bad, result->count,
           result->max_ulp);
    if (shape->ndim > 1)
        printf("; the first row with one is %s, with %zu of %zu",
               cli_place(shape->ndim - 1, shape->shape, result->bad_row, place), result->bad_in_row,
               result->row_length);
    putchar('\n');
}

static int open_both(files *in, const gelu_npy_options *options) {
    for (int i = 0; i < 2; i++) {
        int code = cli_npy_open(in->path[i], options, &in->npy[i]);
        if (code != CLI_OK) return code;
        in->tensor[i] = gelu_npy_info(in->npy[i]);
    }
    const gelu_tensor *a = in->tensor[0], *b = in->tensor[1];
    if (a->ndim == b->ndim && !memcmp(a->shape, b->shape, a->ndim * sizeof a->shape[0])) return CLI_OK;
    char first[CLI_SHAPE_LENGTH], second[CLI_SHAPE_LENGTH];
    return cli_fail("the shapes differ: %s is %s, %s is %s", in->path[0], cli_shape(a->ndim, a->shape, first),
                    in->path[1], cli_shape(b->ndim, b->shape, second));
}

static int diff(files *in, uint64_t max_ulp) {
    double a[CLI_BLOCK], b[CLI_BLOCK];
    const gelu_tensor *first = in->tensor[0], *second = in->tensor[1];
    comparison result = {.max_ulp = max_ulp, .count = first->count};
    result.unit = digits(first->dtype) < digits(second->dtype) ? first->dtype : second->dtype;
    result.row_length = first->ndim > 0 ? first->shape[first->ndim - 1] : 1;
    cli_progress progress;
    cli_progress_begin(&progress, in->path[0], first->count);
    int code = CLI_OK;
    for (size_t done = 0; done < first->count && code == CLI_OK; done += CLI_BLOCK) {
        size_t n = first->count - done < CLI_BLOCK ? first->count - done : CLI_BLOCK;
        code = cli_npy_doubles(in->path[0], in->npy[0], done, n, a);
        if (code == CLI_OK) code = cli_npy_doubles(in->path[1], in->npy[1], done, n, b);
        for (size_t i = 0; i < n && code == CLI_OK; i++) compare(&result, a[i], b[i], done + i);
        cli_progress_update(&progress, done + n);
    }
    cli_progress_end(&progress);
    if (code != CLI_OK) return code;
    print(&result, in);
    return result.bad == 0 ? CLI_OK : CLI_BAD_DATA;
}

int cmd_diff(int argc, char **argv) {
    static const struct option options[] = {
        {"max-ulp", required_argument, NULL, 'm'}, {"bf16", no_argument, NULL, 'b'}, CLI_HELP_OPTION, {0}};
    cli_args args = {.argc = argc, .argv = argv, .options = options};
    gelu_npy_options npy_options = {0};
    uint64_t max_ulp = 0;
    for (int c; (c = cli_next(&args)) != CLI_END;) switch (c) {
        case 'm':
            if (!cli_parse_u64(optarg, UINT64_MAX, &max_ulp))
                return cli_usage("--max-ulp: '%s' is not a whole number from 0 to %" PRIu64, optarg, UINT64_MAX);
            break;
        case 'b': npy_options.v2_is_bf16 = 1; break;
        case 'h': return cli_help(help);
        default: return CLI_USAGE;
        }
    if (args.operands != 2) return cli_usage("needs two files, A.npy and B.npy; got %d", args.operands);
    files in = {.path = {argv[0], argv[1]}};
    int code = open_both(&in, &npy_options);
    if (code == CLI_OK) code = diff(&in, max_ulp);
    for (int i = 0; i < 2; i++) gelu_npy_close(in.npy[i]);
    return code;
}
