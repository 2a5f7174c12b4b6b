/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "gelu_io.h"
#include "unit/folder.h"

#define FILES GELU_TEST_SOURCE_DIR "/data/files/"

static char path[128];
static const float six[] = {1, 2, 3, 4, 5, 6};
static const size_t shape23[] = {2, 3};

static int make_path(void **state) {
    int failed = make_folder(state);
    snprintf(path, sizeof path, "%s/out.npy", folder);
    return failed;
}

static void put_text(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static size_t get_bytes(const char *name, char *bytes, size_t room) {
    FILE *file = fopen(name, "rb");
    if (!file) fail_msg("cannot open %s", name);
    size_t nbytes = fread(bytes, 1, room, file);
    fclose(file);
    return nbytes;
}

static void check_text(const char *name, const char *text) {
    char bytes[64];
    size_t nbytes = get_bytes(name, bytes, sizeof bytes);
    assert_int_equal(nbytes, strlen(text));
    assert_memory_equal(bytes, text, nbytes);
}

/* ok_v1.npy came from NumPy. */
static void the_bytes_are_numpys(void **state) {
    (void)state;
    char ours[256], numpys[256];
    assert_int_equal(gelu_npy_write(path, GELU_F32, 2, shape23, six, NULL), GELU_OK);
    size_t nbytes = get_bytes(path, ours, sizeof ours);
    assert_int_equal(nbytes, get_bytes(FILES "ok_v1.npy", numpys, sizeof numpys));
    assert_memory_equal(ours, numpys, nbytes);
    assert_int_equal(files_in_folder(), 1);
}

static void round_trip(gelu_dtype dtype, size_t ndim, const size_t *shape, size_t count) {
    const gelu_npy_options options = {.v2_is_bf16 = 1};
    size_t nbytes = count * gelu_dtype_nbytes(dtype);
    unsigned char *data = malloc(nbytes ? nbytes : 1);
    gelu_npy_writer *writer;
    gelu_tensor got;
    gelu_error err;
    assert_non_null(data);
    for (size_t i = 0; i < nbytes; i++) data[i] = (unsigned char)(i * 131 + i / 251);
    if (gelu_npy_writer_open(path, dtype, ndim, shape, &writer, &err)) fail_msg("%s", err.message);
    for (size_t done = 0, part = 1; done < count; done += part, part = part * 3 + 1) { /* pieces small and large */
        if (part > count - done) part = count - done;
        assert_int_equal(gelu_npy_writer_write(writer, part, data + done * gelu_dtype_nbytes(dtype), &err), GELU_OK);
    }
    assert_int_equal(gelu_npy_writer_commit(writer, &err), GELU_OK);
    assert_int_equal(gelu_npy_read(path, &options, &got, &err), GELU_OK);
    assert_int_equal(got.dtype, dtype);
    assert_int_equal(got.ndim, ndim);
    for (size_t i = 0; i < ndim; i++) assert_int_equal(got.shape[i], shape[i]);
    assert_int_equal(got.count, count);
    if (count > 0) assert_memory_equal(got.data, data, nbytes);
    gelu_tensor_free(&got);
    free(data);
}

static void everything_comes_back(void **state) {
    (void)state;
    for (gelu_dtype dtype = GELU_F32; dtype <= GELU_BF16; dtype++) {
        round_trip(dtype, 0, NULL, 1);
        round_trip(dtype, 1, (size_t[]){0}, 0);
        round_trip(dtype, 1, (size_t[]){1}, 1);
        round_trip(dtype, 2, (size_t[]){0, 1234567}, 0);
        round_trip(dtype, 3, (size_t[]){3, 5, 7}, 105);
        round_trip(dtype, 2, (size_t[]){1000, 123}, 123000);
    }
    size_t ones[GELU_MAX_NDIM];
    for (size_t i = 0; i < GELU_MAX_NDIM; i++) ones[i] = 1;
    round_trip(GELU_F32, GELU_MAX_NDIM, ones, 1);
    /* 17 billion in the first dimension and no element: the widest header. */
    ones[0] = (size_t)1 << 34;
    ones[1] = 0;
    round_trip(GELU_F32, GELU_MAX_NDIM, ones, 0);
}

static void data_are_aligned(void **state) {
    (void)state;
    gelu_npy *npy;
    assert_int_equal(gelu_npy_write(path, GELU_F32, 2, shape23, six, NULL), GELU_OK);
    assert_int_equal(gelu_npy_open(path, NULL, &npy, NULL), GELU_OK);
    assert_int_equal((uintptr_t)gelu_npy_info(npy)->data % 64, 0);
    gelu_npy_close(npy);
}

static void abort_leaves_nothing(void **state) {
    (void)state;
    gelu_npy_writer *writer;
    assert_int_equal(gelu_npy_writer_open(path, GELU_F32, 2, shape23, &writer, NULL), GELU_OK);
    assert_int_equal(gelu_npy_writer_write(writer, 6, six, NULL), GELU_OK);
    assert_non_null(gelu_npy_writer_temporary(writer));
    assert_int_equal(access(gelu_npy_writer_temporary(writer), F_OK), 0);
    assert_int_not_equal(access(path, F_OK), 0);
    gelu_npy_writer_abort(writer);
    assert_int_equal(files_in_folder(), 0);
    gelu_npy_writer_abort(NULL);
    assert_null(gelu_npy_writer_temporary(NULL));
}

static void missing_elements_keep_the_old_file(void **state) {
    (void)state;
    gelu_npy_writer *writer;
    gelu_error err;
    put_text(path, "old");
    assert_int_equal(gelu_npy_writer_open(path, GELU_F32, 2, shape23, &writer, NULL), GELU_OK);
    assert_int_equal(gelu_npy_writer_write(writer, 5, six, NULL), GELU_OK);
    assert_int_equal(gelu_npy_writer_write(writer, 2, six, &err), GELU_ERR_SHAPE);
    assert_int_equal(gelu_npy_writer_commit(writer, &err), GELU_ERR_SHAPE);
    assert_non_null(strstr(err.message, "1 elements are missing"));
    assert_int_equal(files_in_folder(), 1);
    check_text(path, "old");
}

static void a_failed_rename_leaves_nothing(void **state) {
    (void)state;
    gelu_npy_writer *writer;
    gelu_error err;
    assert_int_equal(gelu_npy_writer_open(path, GELU_F32, 2, shape23, &writer, NULL), GELU_OK);
    assert_int_equal(gelu_npy_writer_write(writer, 6, six, NULL), GELU_OK);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(gelu_npy_writer_commit(writer, &err), GELU_ERR_IO);
    assert_non_null(strstr(err.message, path));
    assert_int_equal(files_in_folder(), 1);
    assert_int_equal(rmdir(path), 0);
}

static void a_full_device_is_reported(void **state) {
    (void)state;
    gelu_error err;
    if (access("/dev/full", W_OK) != 0) {
        print_message("skipped: no /dev/full here\n");
        skip();
    }
    assert_int_equal(gelu_npy_write("/dev/full", GELU_F32, 2, shape23, six, &err), GELU_ERR_IO);
    assert_non_null(strstr(err.message, "/dev/full"));
    assert_non_null(strstr(err.message, "No space left on device"));
    /* The failure of an early piece is remembered: nothing later succeeds. */
    size_t shape[] = {100000};
    float *many = calloc(100000, sizeof *many);
    gelu_npy_writer *writer;
    assert_int_equal(gelu_npy_writer_open("/dev/full", GELU_F32, 1, shape, &writer, NULL), GELU_OK);
    assert_null(gelu_npy_writer_temporary(writer));
    assert_int_equal(gelu_npy_writer_write(writer, 99999, many, NULL), GELU_ERR_IO);
    assert_int_equal(gelu_npy_writer_write(writer, 1, many, NULL), GELU_ERR_IO);
    assert_int_equal(gelu_npy_writer_commit(writer, &err), GELU_ERR_IO);
    assert_non_null(strstr(err.message, "No space left on device"));
    free(many);
}

static void check_refused(const char *name, const char *reason) {
    gelu_npy_writer *writer;
    gelu_error err;
    assert_int_equal(gelu_npy_writer_open(name, GELU_F32, 2, shape23, &writer, &err), GELU_ERR_IO);
    assert_null(writer);
    assert_non_null(strstr(err.message, name));
    assert_non_null(strstr(err.message, reason));
}

static void places_that_cannot_be_written(void **state) {
    (void)state;
    char name[256];
    snprintf(name, sizeof name, "%s/no/such/out.npy", folder);
    check_refused(name, "No such file or directory");
    check_refused(folder, "Is a directory");
    if (geteuid() == 0) {
        print_message("skipped: permissions do not bind root\n");
        return;
    }
    put_text(path, "old");
    assert_int_equal(chmod(path, 0400), 0);
    check_refused(path, "Permission denied");
    assert_int_equal(chmod(folder, 0500), 0);
    snprintf(name, sizeof name, "%s/new.npy", folder);
    check_refused(name, "Permission denied");
    assert_int_equal(chmod(folder, 0700), 0);
}

static void bad_arguments(void **state) {
    (void)state;
    gelu_npy_writer *writer = NULL;
    const size_t huge[] = {SIZE_MAX / 4, 2}, empty[] = {0, SIZE_MAX};
    assert_int_equal(gelu_npy_writer_open(path, (gelu_dtype)0, 0, NULL, &writer, NULL), GELU_ERR_DTYPE);
    assert_int_equal(gelu_npy_writer_open(path, GELU_F32, 2, huge, &writer, NULL), GELU_ERR_OVERFLOW);
    assert_int_equal(gelu_npy_writer_open(path, GELU_F32, 2, empty, &writer, NULL), GELU_ERR_OVERFLOW);
    assert_int_equal(gelu_npy_writer_open(path, GELU_F32, 65, huge, &writer, NULL), GELU_ERR_SHAPE);
    assert_int_equal(gelu_npy_writer_open(path, GELU_F32, 1, NULL, &writer, NULL), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_npy_writer_open(NULL, GELU_F32, 2, shape23, &writer, NULL), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_npy_writer_open(path, GELU_F32, 2, shape23, NULL, NULL), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_npy_write(path, GELU_F32, 2, shape23, NULL, NULL), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_npy_writer_write(NULL, 0, NULL, NULL), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_npy_writer_commit(NULL, NULL), GELU_ERR_ARGUMENT);
    assert_int_equal(files_in_folder(), 0);
}

/* The link stays, its target is replaced; so it is when the target does not exist yet, or the link is relative. */
static void links_are_followed(void **state) {
    (void)state;
    char link[128], target[128];
    struct stat st;
    snprintf(link, sizeof link, "%s/link.npy", folder);
    snprintf(target, sizeof target, "%s/target.npy", folder);
    assert_int_equal(symlink("target.npy", link), 0);
    for (int i = 0; i < 2; i++) { /* dangling first */
        assert_int_equal(gelu_npy_write(link, GELU_F32, 2, shape23, six, NULL), GELU_OK);
        assert_int_equal(lstat(link, &st), 0);
        assert_true(S_ISLNK(st.st_mode));
        assert_int_equal(lstat(target, &st), 0);
        assert_true(S_ISREG(st.st_mode));
        assert_int_equal(st.st_size, 152);
        assert_int_equal(files_in_folder(), 2);
    }
    unlink(link);
    assert_int_equal(symlink("link.npy", link), 0); /* to itself */
    check_refused(link, "Too many levels of symbolic links");
}

static void modes_follow_umask_or_the_old_file(void **state) {
    (void)state;
    struct stat st;
    mode_t old = umask(027);
    assert_int_equal(gelu_npy_write(path, GELU_F32, 2, shape23, six, NULL), GELU_OK);
    umask(old);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(gelu_npy_write(path, GELU_F32, 2, shape23, six, NULL), GELU_OK);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_path, remove_folder_with_files)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(the_bytes_are_numpys),
        IN_FOLDER(everything_comes_back),
        IN_FOLDER(data_are_aligned),
        IN_FOLDER(abort_leaves_nothing),
        IN_FOLDER(missing_elements_keep_the_old_file),
        IN_FOLDER(a_failed_rename_leaves_nothing),
        IN_FOLDER(a_full_device_is_reported),
        IN_FOLDER(places_that_cannot_be_written),
        IN_FOLDER(bad_arguments),
        IN_FOLDER(links_are_followed),
        IN_FOLDER(modes_follow_umask_or_the_old_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
