/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Room at the left of a picture: the numbers of an axis must not push its label over the edge. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* The command is no library. */
#include "../../cli/figure.c"
#include "../../cli/figure_gnuplot.c"

/* Of the program for two panels of which the second spans low to high. */
static double margin(bool log, double low, double high) {
    figure *figure = figure_new("");
    assert_non_null(figure);
    for (int p = 0; p < 2; p++) {
        figure_panel *panel = figure_add_panel(figure, "x", "y");
        panel->log_y = log;
        figure_line *line = figure_add_line(figure, panel, "a", GELU_ERF, FIGURE_LINE, 2);
        assert_non_null(line);
        line->x[0] = 1, line->x[1] = 2;
        line->y[0] = p ? low : 1, line->y[1] = p ? high : 2;
    }
    FILE *program = tmpfile();
    assert_non_null(program);
    figure_print_gnuplot(figure, FIGURE_SVG, program);
    figure_free(figure);
    rewind(program);
    double at = -1;
    for (char text[512]; at < 0 && fgets(text, sizeof text, program);)
        if (!strncmp(text, "set lmargin at screen ", 22)) at = strtod(text + 22, NULL);
    fclose(program);
    return at;
}

static void test_margin(void **state) {
    (void)state;
    const double plain = 88. / 800;
    assert_true(margin(false, 1e-12, 1) == plain);
    assert_true(margin(true, 0.01, 1) == plain);
    assert_true(margin(true, 1e-12, 1) >= plain + 20. / 800);
    assert_true(margin(true, 1, 1e6) >= plain + 20. / 800);
    assert_true(margin(true, 0.001, 1) >= plain + 20. / 800);
    assert_true(margin(true, 0.019, 0.031) >= plain + 20. / 800);
    assert_true(margin(false, 0.019, 0.031) >= plain + 20. / 800);
    assert_true(margin(false, -0.1, 1.2) == plain);
    assert_true(margin(false, 0, 100) == plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_margin)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
