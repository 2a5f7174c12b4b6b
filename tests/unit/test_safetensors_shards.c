/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Checkpoints of several files, folders, and what is refused by name. */

#define _XOPEN_SOURCE 700
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "io/refused.h"
#include "unit/folder.h"
#include "unit/st_bytes.h"

#define ONE(name, type) "\"" name "\":{\"dtype\":\"" type "\",\"shape\":[1],\"data_offsets\":[0,4]}"
#define F32(name) ONE(name, "F32")

static gelu_status open_path(const char *path, gelu_error *err) {
    gelu_safetensors *st;
    gelu_status status = gelu_safetensors_open(path, NULL, &st, err);
    assert_true((status == GELU_OK) == (st != NULL));
    gelu_safetensors_close(st);
    return status;
}

static void two_files_are_one_checkpoint(void **state) {
    (void)state;
    static const char *const names[] = {"b", "a", "c"};
    gelu_safetensors *st;
    gelu_error err;
    st_write(in_folder("m-2.safetensors"), "{\"__metadata__\":{\"part\":\"2\"}," F32("c") "}", 4);
    st_write(in_folder("m-1.safetensors"),
             "{\"__metadata__\":{\"part\":\"1\"}," F32("b") ",\"a\":{\"dtype\":\"F32\",\"shape\":[],"
                                                            "\"data_offsets\":[4,8]}}",
             8);
    write_text(in_folder("model.safetensors.index.json"),
               "{\"metadata\": {\"total_size\": 12, \"x\": 1.5},\n\"weight_map\":{\"c\":\"m-2.safetensors\","
               "\"a\":\"m-1.safetensors\"}}\n");
    const char *paths[] = {in_folder("model.safetensors.index.json"), folder};
    char with_slash[64];
    snprintf(with_slash, sizeof with_slash, "%s/", folder);
    for (int k = 0; k < 3; k++) {
        if (gelu_safetensors_open(k < 2 ? paths[k] : with_slash, NULL, &st, &err)) fail_msg("%s", err.message);
        assert_int_equal(gelu_safetensors_count(st), 3);
        assert_int_equal(gelu_safetensors_files(st), 2);
        for (size_t i = 0; i < 3; i++) {
            const gelu_safetensors_tensor *t = gelu_safetensors_at(st, i);
            uint8_t bytes[4];
            assert_string_equal(t->name, names[i]);
            assert_ptr_equal(gelu_safetensors_find(st, names[i]), t);
            assert_int_equal(t->file, i == 2);
            assert_int_equal(gelu_safetensors_read_bytes(st, t, 0, 4, bytes, &err), GELU_OK);
            assert_int_equal(bytes[0], i == 1 ? 4 : 0);
        }
        assert_non_null(strstr(gelu_safetensors_path(st, 1), "/m-2.safetensors"));
        assert_string_equal(gelu_safetensors_metadata(st, 0, "part"), "1");
        assert_string_equal(gelu_safetensors_metadata(st, 1, "part"), "2");
        gelu_safetensors_close(st);
    }
    /* An index without a folder in its name, as seen from there. */
    char here[4096];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(open_path("model.safetensors.index.json", &err), GELU_OK);
    assert_int_equal(open_path(".", &err), GELU_OK);
    assert_int_equal(chdir(here), 0);
    /* One file comes before an index, as in HF transformers. */
    st_write(in_folder("model.safetensors"), "{" F32("single") "}", 4);
    assert_int_equal(gelu_safetensors_open(folder, NULL, &st, &err), GELU_OK);
    assert_non_null(gelu_safetensors_find(st, "single"));
    gelu_safetensors_close(st);
}

static void check_index(const char *text, gelu_status status, const char *place, const char *reason) {
    gelu_error err;
    write_text(in_folder("i.json"), text);
    if (open_path(in_folder("i.json"), &err) != status) fail_msg("%s: %s", text, err.message);
    if (!strstr(err.message, reason)) fail_msg("%s: no '%s' in: %s", text, reason, err.message);
    uint64_t offset = strlen(text) - strlen(place);
    assert_string_equal(text + offset, place);
    if (err.offset != offset) fail_msg("%s: byte %llu: %s", text, (unsigned long long)err.offset, err.message);
}

static void indexes_that_are_refused(void **state) {
    (void)state;
    st_write(in_folder("m-1.safetensors"), "{" F32("a") "}", 4);
    st_write(in_folder("m-2.safetensors"), "{" F32("b") "}", 4);
    check_index("{\"weight_map\":{\"a\":\"m-1.safetensors\",\"b\":\"m-3.safetensors\"}}", GELU_ERR_MISSING,
                "\"b\":\"m-3.safetensors\"}}", "tensor 'b' should be in 'm-3.safetensors', and that file is not there");
    check_index("{\"weight_map\":{\"x\":\"m-1.safetensors\"}}", GELU_ERR_MISSING, "\"x\":\"m-1.safetensors\"}}",
                "tensor 'x' is not in 'm-1.safetensors'");
    check_index("{\"weight_map\":{\"a\":\"m-2.safetensors\",\"b\":\"m-1.safetensors\"}}", GELU_ERR_MISSING,
                "\"a\":\"m-2.safetensors\",\"b\":\"m-1.safetensors\"}}",
                "tensor 'a' is not in 'm-2.safetensors' but in m-1.safetensors");
    static const char *const elsewhere[] = {"../m.safetensors",  "/etc/passwd",        "..", ".", "",
                                            "sub/m.safetensors", "..\\\\m.safetensors"};
    for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "{\"weight_map\":{\"a\":\"%s\"}}", elsewhere[i]);
        check_index(text, GELU_ERR_HEADER, text + 15, "does not lie beside the index");
    }
    check_index("{\"weight_map\":{\"a\":\"m-1.safetensors\",\"b\":\"m-2.safetensors\",\"a\":\"m-1.safetensors\"}}",
                GELU_ERR_DUPLICATE, "\"a\":\"m-1.safetensors\"}}", "tensor 'a' occurs at byte 15 already");
    check_index("{\"weight_map\":{},\"weight_map\":{}}", GELU_ERR_DUPLICATE, "\"weight_map\":{}}", "at byte 1 already");
    check_index("{\"weight_map\":{\"a\":1}}", GELU_ERR_HEADER, "1}}", "'a': bad index: its file is not a string");
    check_index("{\"weight_map\":[]}", GELU_ERR_HEADER, "[]}", "'weight_map': bad index: there should be an object");
    check_index("{\"weight_map\":{\"a\":\"m-1.safetensors\"}", GELU_ERR_HEADER, "", "a comma or } is missing");
    check_index("{\"weight_map\":{\"a\":\"m-1.safetensors\"}}}", GELU_ERR_HEADER, "}", "more after the }");
    check_index("{\"metadata\":{\"k\":1,\"k\":2}}", GELU_ERR_DUPLICATE, ":2}}", "duplicate object key");
    check_index("{\"metadata\":[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]}", GELU_ERR_HEADER, "[[1]]]]]]]]]]]]]]]]]}",
                "deeply");
    check_index("{}", GELU_ERR_HEADER, "", "weight_map is missing");
    check_index("[1]", GELU_ERR_HEADER, "[1]", "there should be an object");
    check_index("", GELU_ERR_HEADER, "", "there should be an object");
    gelu_error err;
    write_text(in_folder("i.json"), "{\"weight_map\":{}}");
    assert_int_equal(open_path(in_folder("i.json"), &err), GELU_ERR_MISSING);
}

/* Trouble in a shard is told in the shard's name. */
static void shards_that_are_refused(void **state) {
    (void)state;
    gelu_error err;
    st_write(in_folder("m-1.safetensors"), "{" F32("a") "}", 4);
    st_write(in_folder("m-2.safetensors"), "{" F32("b") "}", 5);
    write_text(in_folder("i.json"), "{\"weight_map\":{\"a\":\"m-1.safetensors\",\"b\":\"m-2.safetensors\"}}");
    assert_int_equal(open_path(in_folder("i.json"), &err), GELU_ERR_TRAILING);
    assert_non_null(strstr(err.message, "/m-2.safetensors: "));
    st_write(in_folder("m-2.safetensors"),
             "{" F32("b") ",\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}", 8);
    assert_int_equal(open_path(in_folder("i.json"), &err), GELU_ERR_DUPLICATE);
    assert_non_null(strstr(err.message, "/m-2.safetensors: "));
    assert_non_null(strstr(err.message, "tensor 'a' is in"));
    assert_int_equal(err.offset, 8 + strlen("{" F32("b") ","));
    unlink(in_folder("m-2.safetensors"));
    assert_int_equal(mkdir(in_folder("m-2.safetensors"), 0700), 0);
    assert_int_equal(open_path(in_folder("i.json"), &err), GELU_ERR_IO);
    assert_non_null(strstr(err.message, "a directory"));
    assert_int_equal(rmdir(in_folder("m-2.safetensors")), 0);
}

static void a_long_index_is_refused(void **state) {
    (void)state;
    gelu_error err;
    write_text(in_folder("i.json"), "{}");
    assert_int_equal(truncate(in_folder("i.json"), 100000001), 0);
    assert_int_equal(open_path(in_folder("i.json"), &err), GELU_ERR_HEADER_LENGTH);
    assert_int_equal(open_path(in_folder("absent.json"), &err), GELU_ERR_IO);
}

static void folders_are_searched(void **state) {
    (void)state;
    gelu_error err;
    assert_int_equal(open_path(folder, &err), GELU_ERR_MISSING);
    assert_non_null(strstr(err.message, "no .safetensors file in this folder"));
    write_text(in_folder("pytorch_model.bin"), "PK\3\4");
    assert_int_equal(open_path(folder, &err), GELU_ERR_MISSING);
    assert_non_null(strstr(err.message, "only Python pickles (.bin), which are never loaded"));
    st_write(in_folder("any.safetensors"), "{}", 0);
    assert_int_equal(open_path(folder, &err), GELU_OK);
    st_write(in_folder("other.safetensors"), "{}", 0);
    assert_int_equal(open_path(folder, &err), GELU_ERR_MISSING);
    assert_non_null(strstr(err.message, "2 .safetensors files: name one"));
    st_write(in_folder("diffusion_pytorch_model.safetensors"), "{}", 0);
    assert_int_equal(open_path(folder, &err), GELU_OK);
    assert_int_equal(open_path(in_folder("absent"), &err), GELU_ERR_IO);
}

static void quantised_tensors_and_experts_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *header, *reason;
    } cases[] = {
        {"{" ONE("l.0.qweight", "I32") ",\"l.0.g_idx\":{\"dtype\":\"I32\",\"shape\":[0],\"data_offsets\":[4,4]}}",
         "tensor 'l.0.g_idx' (I32): this checkpoint is quantised by GPTQ"},
        {"{" ONE("l.0.qweight", "I32") "}", "quantised by AWQ or GPTQ"},
        {"{" F32("l.0.weight_scale_inv") "}", "quantised to FP8"},
        {"{\"w\":{\"dtype\":\"F8_E5M2\",\"shape\":[4],\"data_offsets\":[0,4]}}", "tensor 'w' (F8_E5M2)"},
        {"{\"l.weight\":{\"dtype\":\"I8\",\"shape\":[4],\"data_offsets\":[0,4]}}", "quantised to int8"},
        {"{\"w\":{\"dtype\":\"F4\",\"shape\":[8],\"data_offsets\":[0,4]}}", "4 or 6 bits"},
        {"{" F32("l.0.SCB") "}", "int8 by bitsandbytes"},
        {"{" F32("model.layers.0.mlp.experts.3.w1.weight") "}", "a mixture of experts"},
    };
    gelu_safetensors *st;
    gelu_error err;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct st_bytes made = st_make(cases[i].header, NULL, 4);
        if (gelu_safetensors_open_memory("made", made.bytes, made.nbytes, &st, &err)) fail_msg("%s", err.message);
        assert_int_equal(gelu_refused_tensors(st, &err), GELU_ERR_UNSUPPORTED);
        if (!strstr(err.message, cases[i].reason)) fail_msg("no '%s' in: %s", cases[i].reason, err.message);
        assert_true(err.offset >= 9);
        gelu_safetensors_close(st);
        free(made.bytes);
    }
    static const char *const plain[] = {F32("encoder.layer.0.intermediate.dense.weight"), ONE("attn.bias", "U32"),
                                        F32("scale"), F32("qweights")};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        char header[256];
        snprintf(header, sizeof header, "{%s}", plain[i]);
        struct st_bytes made = st_make(header, NULL, 4);
        assert_int_equal(gelu_safetensors_open_memory("made", made.bytes, made.nbytes, &st, &err), GELU_OK);
        assert_int_equal(gelu_refused_tensors(st, &err), GELU_OK);
        gelu_safetensors_close(st);
        free(made.bytes);
    }
}

static gelu_status judge(const char *text, gelu_error *err) {
    const struct io_context context = {"config.json", err};
    json_t *root;
    gelu_io_error_clear(err);
    gelu_status status = gelu_json_load(&context, "bad config", 32, text, strlen(text), &root);
    if (status) return status;
    status = gelu_refused_config(&context, text, strlen(text), root);
    json_decref(root);
    return status;
}

static void configurations_that_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *place, *reason;
    } cases[] = {
        {"{\"a\":1, \"quantization_config\":{\"quant_method\":\"gptq\",\"bits\":4}}",
         "\"quantization_config\":{\"quant_method\":\"gptq\",\"bits\":4}}", "quantised: gptq"},
        {"{\"quantization_config\":{\"quant_method\":\"awq\"}}", "\"quantization_config\":{\"quant_method\":\"awq\"}}",
         "quantised: awq"},
        {"{\"quantization_config\":{\"quant_method\":\"fp8\"}}", "\"quantization_config\":{\"quant_method\":\"fp8\"}}",
         "quantised: fp8"},
        {"{\"quantization_config\":{\"load_in_8bit\":true}}", "\"quantization_config\":{\"load_in_8bit\":true}}",
         "int8 by bitsandbytes"},
        {"{\"quantization_config\":{}}", "\"quantization_config\":{}}", "quantised"},
        {"{\"x\":[], \"num_local_experts\":8}", "\"num_local_experts\":8}", "a mixture of experts"},
        {"{\"model_type\":\"mixtral\"}", "\"model_type\":\"mixtral\"}", "a mixture of experts: mixtral"},
        {"{\"model_type\":\"qwen2_moe\"}", "\"model_type\":\"qwen2_moe\"}", "qwen2_moe"},
        {"{\"text_config\":{\"n_routed_experts\":64}}", "\"text_config\":{\"n_routed_experts\":64}}",
         "'n_routed_experts' says"},
    };
    gelu_error err;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(judge(cases[i].text, &err), GELU_ERR_UNSUPPORTED);
        if (!strstr(err.message, cases[i].reason)) fail_msg("no '%s' in: %s", cases[i].reason, err.message);
        assert_int_equal(err.offset, strlen(cases[i].text) - strlen(cases[i].place));
    }
    static const char *const plain[] = {"{}", "{\"model_type\":\"bert\",\"layer_norm_eps\":1e-12}",
                                        "{\"quantization_config\":null,\"num_experts\":0,\"num_local_experts\":1}",
                                        " {\"text_config\":7,\"model_type\":null} \n"};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) assert_int_equal(judge(plain[i], &err), GELU_OK);
    static const char *const malformed[] = {"", "[]", "{", "{}{}", "{\"a\":1,\"a\":2}", "{\"a\":tru}", "7"};
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++) {
        assert_true(judge(malformed[i], &err) != GELU_OK);
        assert_non_null(strstr(err.message, "bad config"));
    }
}

/* jansson reads real numbers through the C library, whose decimal point is the locale's. */
static void real_numbers_do_not_depend_on_the_locale(void **state) {
    (void)state;
    static const char text[] = "{\"eps\": 1.5e-12, \"wrong\": 1,5}";
    const struct io_context context = {"config.json", NULL};
    bool german = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
    if (!german) print_message("skipped: no locale de_DE.UTF-8\n");
    json_t *root;
    assert_int_equal(gelu_json_load(&context, "bad config", 4, "{\"eps\": 1.5e-12}", 16, &root), GELU_OK);
    assert_true(json_real_value(json_object_get(root, "eps")) == 1.5e-12);
    json_decref(root);
    assert_int_equal(gelu_json_load(&context, "bad config", 4, text, strlen(text), &root), GELU_ERR_HEADER);
    setlocale(LC_ALL, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(two_files_are_one_checkpoint, empty_folder),
        cmocka_unit_test_teardown(indexes_that_are_refused, empty_folder),
        cmocka_unit_test_teardown(shards_that_are_refused, empty_folder),
        cmocka_unit_test_teardown(a_long_index_is_refused, empty_folder),
        cmocka_unit_test_teardown(folders_are_searched, empty_folder),
        cmocka_unit_test(quantised_tensors_and_experts_are_refused),
        cmocka_unit_test(configurations_that_are_refused),
        cmocka_unit_test(real_numbers_do_not_depend_on_the_locale),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder_with_files);
}
