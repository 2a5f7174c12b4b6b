/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Files on the disk: what is mapped and what is copied, and what happens to both when somebody shortens the file. */

#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "unit/folder.h"
#include "unit/sanitized.h"
#include "unit/st_bytes.h"

/* The bytes of f are 18, 19, 20, 21. */
#define SMALL                                                                                                          \
    "{\"i\":{\"dtype\":\"U8\",\"shape\":[18],\"data_offsets\":[0,18]},"                                                \
    "\"f\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[18,22]}}"

#define LARGE ((size_t)17 << 20) /* is mapped, not copied */

/* A file whose data begin at byte 256 + misplaced: a large tensor, which is a hole on the disk, and 8 bytes behind it. */
static void make_large(const char *path, uint64_t large_nbytes, size_t misplaced) {
    static const float values[] = {1.5f, -2};
    char header[300];
    unsigned long long large = large_nbytes;
    int used = snprintf(header, sizeof header,
                        "{\"large\":{\"dtype\":\"U8\",\"shape\":[%llu],\"data_offsets\":[0,%llu]},"
                        "\"small\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[%llu,%llu]}}",
                        large, large, large, large + 8);
    snprintf(header + used, sizeof header - (size_t)used, "%*s", 248 + (int)misplaced - used, "");
    st_write(path, header, 0);
    int fd = open(path, O_WRONLY);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, values, sizeof values, (off_t)(256 + misplaced + large_nbytes)), sizeof values);
    close(fd);
}

/* Reading by calls goes on with an error when the file becomes shorter; what was copied stays. */
static void a_file_that_shrinks_kills_nobody(void **state) {
    (void)state;
    const char *path = in_folder("shrinks.safetensors");
    float values[2] = {0, 0};
    for (int copy = 0; copy < 2; copy++) {
        make_large(path, LARGE, 0);
        const gelu_safetensors_options options = {.copy = copy};
        gelu_safetensors *st;
        gelu_error err;
        const void *view;
        assert_int_equal(gelu_safetensors_open(path, &options, &st, &err), GELU_OK);
        const gelu_safetensors_tensor *small = gelu_safetensors_find(st, "small");
        assert_int_equal(gelu_safetensors_view(st, small, GELU_F32, &view, &err), GELU_OK);
        assert_true(((const float *)view)[0] == 1.5f && ((const float *)view)[1] == -2);
        assert_int_equal(gelu_safetensors_read(st, small, 0, 2, GELU_F32, values, &err), GELU_OK);
        assert_true(values[1] == -2);
        assert_int_equal(truncate(path, 4096), 0);
        assert_int_equal(gelu_safetensors_read(st, small, 0, 2, GELU_F32, values, &err), GELU_ERR_TRUNCATED);
        assert_non_null(strstr(err.message, path));
        assert_non_null(strstr(err.message, "shorter"));
        assert_int_equal(gelu_safetensors_read_bytes(st, small, 0, 8, values, &err), GELU_ERR_TRUNCATED);
        if (copy) {
            assert_true(((const float *)view)[1] == -2);
            const gelu_safetensors_tensor *large = gelu_safetensors_find(st, "large");
            assert_int_equal(gelu_safetensors_view(st, large, 0, &view, &err), GELU_ERR_TRUNCATED);
        }
        gelu_safetensors_close(st);
    }
    unlink(path);
    gelu_safetensors *st;
    const void *view;
    path = in_folder("small.safetensors");
    st_write(path, SMALL, 22);
    assert_int_equal(gelu_safetensors_open(path, NULL, &st, NULL), GELU_OK);
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(gelu_safetensors_view(st, gelu_safetensors_find(st, "f"), GELU_F32, &view, NULL), GELU_OK);
    assert_memory_equal(view, ((const uint8_t[]){18, 19, 20, 21}), 4);
    gelu_safetensors_close(st);
    unlink(path);
}

/* A mapped file lends what lies aligned in it, and copies what does not. */
static void aligned_data_is_lent_and_other_data_copied(void **state) {
    (void)state;
    const char *path = in_folder("aligned.safetensors");
    for (size_t misplaced = 0; misplaced < 4; misplaced++) {
        gelu_safetensors *st;
        const void *large, *small;
        make_large(path, LARGE, misplaced);
        assert_int_equal(gelu_safetensors_open(path, NULL, &st, NULL), GELU_OK);
        const gelu_safetensors_tensor *t = gelu_safetensors_find(st, "small");
        assert_int_equal(gelu_safetensors_view(st, gelu_safetensors_find(st, "large"), 0, &large, NULL), GELU_OK);
        assert_int_equal(gelu_safetensors_view(st, t, GELU_F32, &small, NULL), GELU_OK);
        assert_true(((const float *)small)[0] == 1.5f && ((const float *)small)[1] == -2);
        assert_int_equal((uintptr_t)large % 4096, 256 + misplaced);
        assert_int_equal((uintptr_t)small % 4, 0);
        assert_true(((uintptr_t)small - (uintptr_t)large == LARGE) == (misplaced == 0));
        gelu_safetensors_close(st);
    }
    unlink(path);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void four_gigabytes_open_at_once(void **state) {
    (void)state;
    const char *path = in_folder("sparse.safetensors");
    gelu_safetensors *st;
    gelu_error err;
    struct rusage before, after;
    float values[2];
    make_large(path, (uint64_t)4 << 30, 0);
    getrusage(RUSAGE_SELF, &before);
    double start = seconds();
    if (gelu_safetensors_open(path, NULL, &st, &err)) fail_msg("%s", err.message);
    for (size_t i = 0; i < gelu_safetensors_count(st); i++) assert_non_null(gelu_safetensors_at(st, i));
    const gelu_safetensors_tensor *small = gelu_safetensors_find(st, "small");
    assert_int_equal(gelu_safetensors_read(st, small, 0, 2, GELU_F32, values, &err), GELU_OK);
    double took = seconds() - start;
    getrusage(RUSAGE_SELF, &after);
    assert_true(values[0] == 1.5f);
    assert_true(took < 1);
    assert_true(after.ru_maxrss - before.ru_maxrss < 100 * 1024);
    gelu_safetensors_close(st);
    unlink(path);
}

/* A process with little address space left gets copies. */
static void no_room_for_a_mapping(void **state) {
    (void)state;
    if (TEST_SANITIZED) {
        print_message("skipped: sanitizers need the address space\n");
        return;
    }
    const char *path = in_folder("sparse.safetensors");
    struct rlimit before;
    gelu_safetensors *st;
    const void *view;
    make_large(path, (uint64_t)4 << 30, 0);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    struct rlimit little = {(rlim_t)2 << 30, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &little), 0);
    assert_int_equal(gelu_safetensors_open(path, NULL, &st, NULL), GELU_OK);
    const gelu_safetensors_tensor *small = gelu_safetensors_find(st, "small");
    assert_int_equal(gelu_safetensors_view(st, small, GELU_F32, &view, NULL), GELU_OK);
    assert_true(((const float *)view)[0] == 1.5f);
    assert_int_equal(gelu_safetensors_view(st, gelu_safetensors_find(st, "large"), 0, &view, NULL), GELU_ERR_MEMORY);
    gelu_safetensors_close(st);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    unlink(path);
}

struct viewer {
    gelu_safetensors *st;
    const gelu_safetensors_tensor *tensor;
    const void *view;
};

static void *view_it(void *argument) {
    struct viewer *v = argument;
    return gelu_safetensors_view(v->st, v->tensor, 0, &v->view, NULL) ? argument : NULL;
}

/* Threads that need the same copy get the same one. */
static void threads_share_one_copy(void **state) {
    (void)state;
    for (int round = 0; round < 50; round++) {
        struct st_bytes made = st_make(SMALL " ", NULL, 22);
        uint8_t *moved = malloc(made.nbytes + 8);
        struct viewer viewers[4];
        pthread_t threads[4];
        gelu_safetensors *st;
        size_t shift = (size_t)round % 4;
        memcpy(moved + shift, made.bytes, made.nbytes);
        assert_int_equal(gelu_safetensors_open_memory("made", moved + shift, made.nbytes, &st, NULL), GELU_OK);
        for (int i = 0; i < 4; i++) {
            viewers[i] = (struct viewer){st, gelu_safetensors_find(st, "f"), NULL};
            assert_int_equal(pthread_create(&threads[i], NULL, view_it, &viewers[i]), 0);
        }
        for (int i = 0; i < 4; i++) {
            void *failed;
            pthread_join(threads[i], &failed);
            assert_null(failed);
            assert_ptr_equal(viewers[i].view, viewers[0].view);
            assert_int_equal((uintptr_t)viewers[i].view % 4, 0);
            assert_memory_equal(viewers[i].view, ((const uint8_t[]){18, 19, 20, 21}), 4);
        }
        gelu_safetensors_close(st);
        free(moved);
        free(made.bytes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_shrinks_kills_nobody),
        cmocka_unit_test(aligned_data_is_lent_and_other_data_copied),
        cmocka_unit_test(four_gigabytes_open_at_once),
        cmocka_unit_test(no_room_for_a_mapping),
        cmocka_unit_test(threads_share_one_copy),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
