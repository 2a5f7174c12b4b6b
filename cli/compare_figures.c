/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "compare_report.h"

static void add_curves(figure *figure, figure_panel *panel, figure_kind kind, size_t n, const double *x,
                       const double *y[COMPARE_ACTS]) {
    panel->whole_x = !panel->log_x;
    for (int a = 0; a < COMPARE_ACTS; a++) {
        gelu_act act = compare_acts[a];
        figure_line *line = figure_add_line(figure, panel, figure_act_name(act), (int)act, kind, n);
        for (size_t i = 0; line && i < n; i++) {
            line->x[i] = x[i];
            line->y[i] = y[a][i];
        }
    }
}

static figure *checked(figure *figure) {
    if (!figure->out_of_memory) return figure;
    figure_free(figure);
    return NULL;
}

figure *compare_figure_learning(const compare_curves *curves) {
    figure *figure = figure_new("");
    if (!figure) return NULL;
    double epoch[COMPARE_MAX_EPOCHS];
    const double *loss[COMPARE_ACTS], *error[COMPARE_ACTS];
    for (size_t i = 0; i < curves->epochs; i++) epoch[i] = (double)i + 1;
    for (int a = 0; a < COMPARE_ACTS; a++) loss[a] = curves->train_loss[a], error[a] = curves->test_error[a];
    figure->one_key = true;
    figure_panel *panel = figure_add_panel(figure, "", "training loss");
    panel->log_y = true;
    add_curves(figure, panel, FIGURE_LINE, curves->epochs, epoch, loss);
    panel = figure_add_panel(figure, "epoch", "test errors, %");
    panel->y_min = 0;
    add_curves(figure, panel, FIGURE_LINE, curves->epochs, epoch, error);
    return checked(figure);
}

figure *compare_figure_dead(const compare_curves *curves) {
    figure *figure = figure_new("");
    if (!figure) return NULL;
    figure->one_key = true;
    for (int idle = 0; idle < 2; idle++) {
        const double *shares[COMPARE_ACTS];
        figure_panel *panel = figure_add_panel(figure, idle ? "learning rate of Adam" : "",
                                               idle ? "near-dead units, %" : "dead units, %");
        for (int a = 0; a < COMPARE_ACTS; a++) shares[a] = idle ? curves->idle[a] : curves->dead[a];
        panel->log_x = true;
        panel->y_min = -4;
        panel->y_max = 104;
        add_curves(figure, panel, FIGURE_POINTS, curves->rates, curves->rate, shares);
    }
    return checked(figure);
}

figure *compare_figure_gradient(const compare_curves *curves) {
    figure *figure = figure_new("");
    if (!figure) return NULL;
    double layer[COMPARE_MAX_DEPTH];
    for (size_t l = 0; l < curves->depth; l++) layer[l] = (double)l + 1;
    figure->one_key = true;
    for (int trained = 0; trained < 2; trained++) {
        const double *norms[COMPARE_ACTS];
        figure_panel *panel = figure_add_panel(figure, trained ? "layer, from the input" : "",
                                               trained ? "gradient, trained" : "gradient, initial");
        for (int a = 0; a < COMPARE_ACTS; a++) norms[a] = curves->norm[trained][a];
        panel->log_y = true;
        add_curves(figure, panel, FIGURE_LINE, curves->depth, layer, norms);
    }
    return checked(figure);
}
