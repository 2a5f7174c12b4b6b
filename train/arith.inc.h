/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* struct train_arith for one type. The includer defines
 *   REAL         the type
 *   ROOT         its square root
 *   ARITH        the name of the table
 * Sums are in double; what PyTorch computes in the type itself (the optimisers) is computed in REAL. */

static void sgd(const train_optimiser *how, bool first_step, size_t n, const void *grad, void *velocity, void *value) {
    const REAL *g = grad, rate = (REAL)how->rate, momentum = first_step ? 0 : (REAL)how->momentum;
    const REAL decay = (REAL)how->weight_decay;
    REAL *v = velocity, *w = value;
    for (size_t i = 0; i < n; i++) {
        v[i] = momentum * v[i] + (g[i] + decay * w[i]);
        w[i] -= rate * v[i];
    }
}

static void adam(const struct train_moments *how, size_t n, const void *grad, void *first, void *second, void *value) {
    const REAL beta1 = (REAL)how->beta1, beta2 = (REAL)how->beta2, eps = (REAL)how->eps, kept = (REAL)how->kept;
    const REAL rest1 = (REAL)(1 - how->beta1), rest2 = (REAL)(1 - how->beta2), decay = (REAL)how->decay;
    const REAL step_size = (REAL)how->step_size, correction = (REAL)how->correction;
    const REAL *g = grad;
    REAL *m = first, *v = second, *w = value;
    for (size_t i = 0; i < n; i++) {
        REAL slope = g[i] + decay * w[i];
        m[i] = beta1 * m[i] + rest1 * slope;
        v[i] = beta2 * v[i] + rest2 * slope * slope;
        w[i] = kept * w[i] - step_size * (m[i] / (ROOT(v[i]) / correction + eps));
    }
}

static void multiply(size_t n, const void *m, void *y) {
    const REAL *by = m;
    REAL *values = y;
    for (size_t i = 0; i < n; i++) values[i] *= by[i];
}

static void draw_mask(gelu_rng *rng, double share, size_t n, void *mask) {
    const REAL kept = (REAL)(1 / (1 - share));
    REAL *m = mask;
    float drawn[256];
    for (size_t i = 0; i < n; i += 256) {
        size_t part = n - i < 256 ? n - i : 256;
        gelu_rand_f32(rng, part, drawn);
        for (size_t j = 0; j < part; j++) m[i + j] = drawn[j] >= share ? kept : 0;
    }
}

static double norm(size_t n, const void *values) {
    const REAL *v = values;
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)v[i] * v[i];
    return sqrt(sum);
}

static void unit_rows(size_t rows, size_t cols, void *w) {
    for (size_t i = 0; i < rows; i++) {
        REAL *row = (REAL *)w + i * cols;
        double length = norm(cols, row);
        for (size_t j = 0; length > 0 && j < cols; j++) row[j] = (REAL)(row[j] / length);
    }
}

static void largest(size_t rows, size_t cols, const void *values, double *out) {
    const REAL *v = values;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) out[j] = fmax(out[j], fabs((double)v[i * cols + j]));
}

static double cross_entropy(size_t rows, size_t cols, const void *outputs, const uint32_t *label, double *room,
                            void *grad, size_t *wrong) {
    const REAL *y = outputs;
    double *share = room, *total = room + rows * cols, *loss = total + rows, *top = loss + rows, *spare = top + rows;
    size_t mistakes = 0;
    for (size_t i = 0; i < rows; i++) {
        size_t best = 0;
        for (size_t j = 1; j < cols; j++)
            if (y[i * cols + j] > y[i * cols + best]) best = j;
        mistakes += best != label[i];
        top[i] = y[i * cols + best];
        for (size_t j = 0; j < cols; j++) share[i * cols + j] = top[i] - y[i * cols + j];
    }
    train_exp(rows * cols, share);
    for (size_t i = 0; i < rows; i++) {
        total[i] = 0;
        for (size_t j = 0; j < cols; j++) total[i] += share[i * cols + j];
    }
    train_log(rows, total, loss, spare);
    double sum = 0;
    for (size_t i = 0; i < rows; i++) sum += loss[i] + (top[i] - y[i * cols + label[i]]);
    REAL *dy = grad;
    for (size_t i = 0; dy && i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            dy[i * cols + j] = (REAL)((share[i * cols + j] / total[i] - (j == label[i])) / (double)rows);
    if (wrong) *wrong = mistakes;
    return sum;
}

static double squares(size_t rows, size_t cols, const void *outputs, const void *target, void *grad) {
    const REAL *y = outputs, *t = target;
    REAL *dy = grad;
    const double scale = 2 / ((double)rows * (double)cols);
    double sum = 0;
    for (size_t i = 0; i < rows * cols; i++) {
        double difference = (double)y[i] - t[i];
        sum += difference * difference;
        if (dy) dy[i] = (REAL)(scale * difference);
    }
    return sum / (double)cols;
}

const struct train_arith ARITH = {
    .sgd = sgd,
    .adam = adam,
    .multiply = multiply,
    .draw_mask = draw_mask,
    .unit_rows = unit_rows,
    .norm = norm,
    .largest = largest,
    .cross_entropy = cross_entropy,
    .squares = squares,
};
