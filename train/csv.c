/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "csv.h"
#include "error.h"
#include "train.h"

void train_csv_number(FILE *stream, double value) {
    char text[40];
    gelu_format_shortest(GELU_F64, &value, text);
    fprintf(stream, ",%s", text);
}

/* A text file that is complete or not there. */
struct csv {
    FILE *file;
    const char *path;
    char *temporary; /* NULL when path is written directly, being no regular file */
    gelu_error *err;
};

static gelu_status fail(struct csv *csv, int reason) {
    if (csv->temporary) unlink(csv->temporary);
    free(csv->temporary);
    return train_fail(csv->err, GELU_ERR_IO, 0, "%s: cannot be written: %s", csv->path, strerror(reason));
}

static gelu_status open_csv(const char *path, struct csv *csv, gelu_error *err) {
    struct stat info;
    *csv = (struct csv){.path = path, .err = err};
    if (stat(path, &info) != 0 || S_ISREG(info.st_mode)) {
        size_t room = strlen(path) + 32;
        csv->temporary = malloc(room);
        if (!csv->temporary) return train_fail(err, GELU_ERR_MEMORY, 0, "%s: out of memory", path);
        snprintf(csv->temporary, room, "%s.%ld.part", path, (long)getpid());
    }
    csv->file = fopen(csv->temporary ? csv->temporary : path, "w");
    return csv->file ? GELU_OK : fail(csv, errno);
}

static gelu_status commit(struct csv *csv) {
    bool failed = fflush(csv->file) != 0 || ferror(csv->file);
    int reason = failed ? errno : 0;
    if (fclose(csv->file) != 0 && !failed) {
        failed = true;
        reason = errno;
    }
    if (!failed && csv->temporary && rename(csv->temporary, csv->path) != 0) {
        failed = true;
        reason = errno;
    }
    if (failed) return fail(csv, reason);
    free(csv->temporary);
    return GELU_OK;
}

gelu_status train_write_csv(const train_run *run, const char *path, gelu_error *err) {
    struct csv csv;
    gelu_status status = open_csv(path, &csv, err);
    if (status != GELU_OK) return status;
    fputs("epoch,batch_loss,train_loss,train_error,test_loss,test_error\n", csv.file);
    for (size_t i = 0; i < run->done; i++) {
        const train_epoch *e = &run->history[i];
        const double row[] = {e->batch_loss, e->train_loss, e->train_error, e->test_loss, e->test_error};
        fprintf(csv.file, "%zu", i + 1);
        for (size_t j = 0; j < sizeof row / sizeof *row; j++) train_csv_number(csv.file, row[j]);
        fputc('\n', csv.file);
    }
    return commit(&csv);
}
