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

static gelu_status fail(struct train_csv *csv, int reason) {
    if (csv->temporary) unlink(csv->temporary);
    free(csv->temporary);
    return train_fail(csv->err, GELU_ERR_IO, 0, "%s: cannot be written: %s", csv->path, strerror(reason));
}

gelu_status train_csv_open(const char *path, struct train_csv *csv, gelu_error *err) {
    struct stat info;
    *csv = (struct train_csv){.path = path, .err = err};
    if (stat(path, &info) != 0 || S_ISREG(info.st_mode)) {
        size_t room = strlen(path) + 32;
        csv->temporary = malloc(room);
        if (!csv->temporary) return train_fail(err, GELU_ERR_MEMORY, 0, "%s: out of memory", path);
        snprintf(csv->temporary, room, "%s.%ld.part", path, (long)getpid());
    }
    csv->file = fopen(csv->temporary ? csv->temporary : path, "w");
    return csv->file ? GELU_OK : fail(csv, errno);
}

void train_csv_number(struct train_csv *csv, bool first, double value) {
    char text[40];
    gelu_format_shortest(GELU_F64, &value, text);
    fprintf(csv->file, "%s%s", first ? "" : ",", text);
}

gelu_status train_csv_commit(struct train_csv *csv) {
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
    struct train_csv csv;
    gelu_status status = train_csv_open(path, &csv, err);
    if (status != GELU_OK) return status;
    fputs("epoch,batch_loss,train_loss,train_error,test_loss,test_error\n", csv.file);
    for (size_t i = 0; i < run->done; i++) {
        const train_epoch *e = &run->history[i];
        const double row[] = {e->batch_loss, e->train_loss, e->train_error, e->test_loss, e->test_error};
        fprintf(csv.file, "%zu", i + 1);
        for (size_t j = 0; j < sizeof row / sizeof *row; j++) train_csv_number(&csv, false, row[j]);
        fputc('\n', csv.file);
    }
    return train_csv_commit(&csv);
}
