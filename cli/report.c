/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "bench.h"
#include "cli.h"
#include "gnuplot.h"

static const char page[] = "index.html";

int report_check(const char *folder) {
    int code = output_folder_check(folder, page);
    return code == CLI_OK ? gnuplot_check("--report") : code;
}

static int open_part(const char *name, report *report) {
    output_part *part = &report->parts[report->n++];
    part->name = name;
    report->stream = open_memstream(&part->bytes, &part->nbytes);
    return report->stream ? CLI_OK : cli_fail("out of memory");
}

static int close_part(report *report) {
    bool failed = ferror(report->stream);
    failed |= fclose(report->stream) != 0;
    report->stream = NULL;
    return failed ? cli_fail("out of memory") : CLI_OK;
}

int report_csv(const char *name, void (*print)(const void *what, FILE *stream), const void *what, report *report) {
    int code = open_part(name, report);
    if (code != CLI_OK) return code;
    print(what, report->stream);
    return close_part(report);
}

/* ---- The page ---- */

static const char style[] =
    "body{font:16px/1.5 system-ui,sans-serif;color:#222;background:#fff;max-width:1120px;margin:2em auto;padding:0 1em}"
    "h1{font-size:1.7em;margin-bottom:.2em}h2{font-size:1.25em;margin:2em 0 .5em;border-bottom:1px solid #ddd}"
    "table{border-collapse:collapse;width:100%;font-size:.9em}th,td{padding:.25em "
    ".6em;text-align:right;vertical-align:top}"
    "th:first-child,td:first-child{text-align:left}th:first-child{width:44%}thead th{border-bottom:2px solid #444}"
    "tbody td{border-bottom:1px solid #eee;font-variant-numeric:tabular-nums}tr.claim td{background:#f4f6f8;"
    "border-top:1px solid #bbb;text-align:left}.rule{color:#555;font-size:.9em}"
    ".verdict{display:inline-block;border-radius:.3em;padding:0 .5em;margin-right:.5em;color:#fff;font-weight:600}"
    ".summary{list-style:none;padding:0}.summary li{margin:.2em 0}.summary .verdict{min-width:8em;text-align:center}"
    ".holds{background:#006d4e}.fails{background:#a33c00}.depends{background:#555}"
    "figure{margin:1em 0 2em}figure "
    "img{width:100%;max-width:800px;display:block}figcaption{color:#555;max-width:800px;margin-top:.6em}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.2em 1.2em}dt{color:#555}dd{margin:0}"
    "pre{background:#f4f6f8;padding:.7em;overflow-x:auto}";

void report_text(const char *text, FILE *stream) {
    for (; *text; text++) switch (*text) {
        case '&': fputs("&amp;", stream); break;
        case '<': fputs("&lt;", stream); break;
        case '>': fputs("&gt;", stream); break;
        case '"': fputs("&quot;", stream); break;
        default: fputc((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text, stream);
        }
}

int report_begin(const char *title, report *report) {
    int code = open_part(page, report);
    if (code != CLI_OK) return code;
    FILE *stream = report->stream;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
          stream);
    report_text(title, stream);
    fprintf(stream, "</title>\n<style>%s</style>\n</head>\n<body>\n<h1>", style);
    report_text(title, stream);
    fputs("</h1>\n", stream);
    return CLI_OK;
}

int report_end(report *report, int code) {
    if (report->stream) {
        fputs("</body>\n</html>\n", report->stream);
        int closed = close_part(report);
        if (code == CLI_OK) code = closed;
    }
    if (code == CLI_OK) code = output_folder_write(report->folder, report->n, report->parts);
    for (size_t i = 0; i < report->n; i++) free(report->parts[i].bytes);
    return code;
}

/* ---- Pictures ---- */

static void print_base64(FILE *from, FILE *to) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char bytes[3];
    for (size_t n; (n = fread(bytes, 1, 3, from)) > 0;) {
        unsigned long bits = (unsigned long)bytes[0] << 16;
        if (n > 1) bits |= (unsigned long)bytes[1] << 8;
        if (n > 2) bits |= bytes[2];
        char text[4] = {digits[bits >> 18], digits[bits >> 12 & 63], '=', '='};
        if (n > 1) text[2] = digits[bits >> 6 & 63];
        if (n > 2) text[3] = digits[bits & 63];
        fwrite(text, 1, 4, to);
    }
}

static int draw(const figure *figure, FILE *program, FILE *picture) {
    if (!program || !picture) return cli_fail("temporary file: %s", strerror(errno));
    figure_print_gnuplot(figure, FIGURE_SVG, program);
    int code = gnuplot_run("--report", program, picture);
    rewind(picture);
    return code;
}

/* An image apart from the page: the names in one SVG must not meet those of another. */
int report_picture(const figure *figure, const char *caption, report *report) {
    if (!figure) return cli_fail("out of memory");
    FILE *program = tmpfile(), *picture = tmpfile(), *stream = report->stream;
    int code = draw(figure, program, picture);
    if (code == CLI_OK) {
        fputs("<figure><img alt=\"", stream);
        report_text(caption, stream);
        fputs("\" src=\"data:image/svg+xml;base64,", stream);
        print_base64(picture, stream);
        fputs("\"><figcaption>", stream);
        report_text(caption, stream);
        fputs("</figcaption></figure>\n", stream);
    }
    if (program) fclose(program);
    if (picture) fclose(picture);
    return code;
}

/* ---- What it was made with ---- */

void report_settings(const char *title, size_t n, const report_setting *settings, report *report) {
    FILE *stream = report->stream;
    fputs("<h2>", stream);
    report_text(title, stream);
    fputs("</h2>\n<dl>\n", stream);
    for (size_t i = 0; i < n; i++) {
        fputs("<dt>", stream);
        report_text(settings[i].name, stream);
        fputs("</dt><dd>", stream);
        report_text(settings[i].value, stream);
        fputs("</dd>\n", stream);
    }
    fputs("</dl>\n", stream);
}

static void set(report_setting *setting, const char *name, const char *value) {
    setting->name = name;
    snprintf(setting->value, sizeof setting->value, "%s", value);
}

void report_machine(report *report) {
    report_setting settings[6];
    struct utsname system = {0};
    time_t now = time(NULL);
    struct tm utc;
    set(&settings[0], "libgelu", gelu_version());
    set(&settings[1], "Compiler", cli_compiler());
    set(&settings[2], "Processor", bench_cpu_name());
    set(&settings[3], "Instruction set", gelu_isa_name());
    settings[4].name = "System";
    settings[5].name = "Finished";
    settings[4].value[0] = settings[5].value[0] = '\0';
    if (uname(&system) >= 0)
        snprintf(settings[4].value, sizeof settings[4].value, "%.60s %.60s, %.60s", system.sysname, system.release,
                 system.machine);
    if (gmtime_r(&now, &utc)) strftime(settings[5].value, sizeof settings[5].value, "%Y-%m-%d %H:%M UTC", &utc);
    report_settings("Machine", 6, settings, report);
}

void report_command(int argc, char **argv, report *report) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+";
    FILE *stream = report->stream;
    fputs("<h2>Command</h2>\n<pre>gelu", stream);
    for (int i = 0; i < argc; i++) {
        const char *text = argv[i];
        fputc(' ', stream);
        if (*text && !text[strspn(text, plain)]) {
            report_text(text, stream);
            continue;
        }
        fputc('\'', stream);
        for (; *text; text++) {
            char one[2] = {*text, '\0'};
            report_text(*text == '\'' ? "'\\''" : one, stream);
        }
        fputc('\'', stream);
    }
    fputs("</pre>\n", stream);
}
