/* The judge: models run in ONNX Runtime, and what it may do there is contained.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/process.h"
#include "judge/judge.h"
#include "judge/runtime/worker.h"

#include <CUnit/Basic.h>
#include <stdio.h>

static struct arena a;
static struct diag_sink diags;

static void start(void) {
    a = ARENA_EMPTY;
    diag_init(&diags, &a);
}

/* NULL, and a line, where there is no runtime to ask. */
static struct judge *open_judge(double seconds) {
    struct judge_options o = {.seconds = seconds};
    struct judge *j;
    start();
    if (judge_open(&o, &diags, &j) == RW_OK) return j;
    printf("(skipped: no ONNX Runtime) ");
    arena_free(&a);
    return NULL;
}

static void finish(struct judge *j) {
    judge_close(j);
    arena_free(&a);
}

static struct judge_model model(const char *text) {
    const struct diag_source source = {"test", text, strlen(text)};
    struct judge_model out;
    struct ir_model *m = ir_text_parse(&a, &source, &diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    CU_ASSERT_EQUAL_FATAL(judge_model_of(m, &a, &diags, &out), RW_OK);
    return out;
}

/* The outputs of one run, which must succeed. */
static struct judge_values run(struct judge *j, const struct judge_model *m,
                               struct judge_value in) {
    struct judge_values out = {0};
    enum judge_outcome o = judge_once(j, m, &(struct judge_values){&in, 1}, &a, &out);
    if (o != JUDGE_OK) printf("%s\n", judge_message(j));
    CU_ASSERT_EQUAL_FATAL(o, JUDGE_OK);
    return out;
}

static struct judge_value floats(const char *name, uint32_t n, const float *x) {
    int64_t dims[] = {n};
    return (struct judge_value){name, ir_tensor_new(&a, IR_FLOAT, 1, dims, x), NULL};
}

#define CHAIN                                                                              \
    "<ir_version: 8, opset_import: [\"\": 17]> g (float[N] x) => (float[N] y) "            \
    "{ t = Neg(x)  y = Relu(t) }"

static void a_model_runs(void) {
    struct judge *j = open_judge(0);
    if (!j) return;
    struct judge_model m = model(CHAIN);
    const float x[] = {1, -2, 3};
    struct judge_value in = floats("x", 3, x);
    struct judge_values out = run(j, &m, in);
    CU_ASSERT_EQUAL_FATAL(out.n, 1);
    CU_ASSERT_STRING_EQUAL(out.at[0].name, "y");
    CU_ASSERT_EQUAL_FATAL(out.at[0].tensor->count, 3);
    const float *y = out.at[0].tensor->data;
    CU_ASSERT_EQUAL(y[0], 0);
    CU_ASSERT_EQUAL(y[1], 2);
    CU_ASSERT_EQUAL(y[2], 0);
    CU_ASSERT_TRUE(strlen(judge_version(j)) >= 5);
    finish(j);
}

static void inner_values_are_revealed_and_wanted_by_name(void) {
    struct judge *j = open_judge(0);
    if (!j) return;
    static const char *const reveal[] = {"t"}, *const wanted[] = {"t"};
    struct judge_model m = model(CHAIN);
    m.reveal = reveal;
    m.nreveal = 1;
    const float x[] = {1, -2};
    struct judge_value in = floats("x", 2, x);
    struct judge_values ins = {&in, 1}, out;
    uint32_t session;
    CU_ASSERT_EQUAL_FATAL(judge_load(j, &m, &session), JUDGE_OK);
    CU_ASSERT_EQUAL_FATAL(judge_run(j, session, &ins, NULL, 0, &a, &out), JUDGE_OK);
    CU_ASSERT_EQUAL_FATAL(out.n, 2);
    CU_ASSERT_STRING_EQUAL(out.at[0].name, "y");
    CU_ASSERT_STRING_EQUAL(out.at[1].name, "t");
    CU_ASSERT_EQUAL_FATAL(judge_run(j, session, &ins, wanted, 1, &a, &out), JUDGE_OK);
    CU_ASSERT_EQUAL_FATAL(out.n, 1);
    CU_ASSERT_EQUAL(((const float *)out.at[0].tensor->data)[1], 2);
    finish(j);
}

static void errors_of_the_runtime_are_its_own_words(void) {
    struct judge *j = open_judge(0);
    if (!j) return;
    struct judge_model bad = {.bytes = "nonsense", .len = 8}, good = model(CHAIN);
    struct judge_model nowhere = {.path = "not/there.onnx"};
    struct judge_values none = {0}, out;
    uint32_t session;
    CU_ASSERT_EQUAL(judge_load(j, &bad, &session), JUDGE_REFUSED);
    CU_ASSERT_TRUE(strlen(judge_message(j)) > 0);
    CU_ASSERT_EQUAL(judge_load(j, &nowhere, &session), JUDGE_REFUSED);
    CU_ASSERT_PTR_NOT_NULL(strstr(judge_message(j), "not/there.onnx"));
    CU_ASSERT_EQUAL_FATAL(judge_load(j, &good, &session), JUDGE_OK);
    CU_ASSERT_EQUAL(judge_run(j, session, &none, NULL, 0, &a, &out), JUDGE_REFUSED);
    CU_ASSERT_PTR_NOT_NULL(strstr(judge_message(j), "x"));
    finish(j);
}

static void a_crash_is_an_outcome_and_the_next_job_runs(void) {
    struct judge *j = open_judge(0);
    if (!j) return;
    struct judge_model m = model(CHAIN);
    struct judge_values none = {0}, out;
    uint32_t before, after;
    CU_ASSERT_EQUAL(judge_load(j, &m, &before), JUDGE_OK);
    CU_ASSERT_EQUAL(judge_provoke(j, JUDGE_FAULT_ABORT), JUDGE_CRASHED);
    CU_ASSERT_STRING_EQUAL(judge_message(j), "the runtime ended by signal 6 (abort)");
    CU_ASSERT_EQUAL(judge_run(j, before, &none, NULL, 0, &a, &out), JUDGE_CRASHED);
    CU_ASSERT_EQUAL(judge_load(j, &m, &after), JUDGE_OK);
    CU_ASSERT_NOT_EQUAL(before, after);
    judge_unload(j, before);
    CU_ASSERT_EQUAL(judge_run(j, after, &none, NULL, 0, &a, &out), JUDGE_REFUSED);
    finish(j);
}

static void a_hang_is_ended_after_its_time(void) {
    struct judge *j = open_judge(4);
    if (!j) return;
    struct judge_model m = model(CHAIN);
    uint32_t session;
    double begin = process_seconds();
    CU_ASSERT_EQUAL(judge_provoke(j, JUDGE_FAULT_SLEEP), JUDGE_LATE);
    CU_ASSERT_TRUE(process_seconds() - begin < 20);
    CU_ASSERT_STRING_EQUAL(judge_message(j), "the runtime took longer than 4 s");
    CU_ASSERT_EQUAL(judge_load(j, &m, &session), JUDGE_OK);
    finish(j);
}

static void more_memory_than_allowed_is_not_had(void) {
    struct judge *j = open_judge(0);
    if (!j) return;
    struct judge_model m =
        model("g (int64[1] n) => (float[N] y) { y = ConstantOfShape(n) }");
    int64_t one = 1, much = (int64_t)1 << 40;
    struct judge_value in = {"n", ir_tensor_new(&a, IR_INT64, 1, &one, &much), NULL};
    struct judge_values out;
    enum judge_outcome o = judge_once(j, &m, &(struct judge_values){&in, 1}, &a, &out);
    CU_ASSERT_TRUE(o == JUDGE_REFUSED || o == JUDGE_CRASHED);
    finish(j);
}

/* Each element type that the runtime hands through an Identity comes back as it was. */
static void every_type_goes_there_and_back(void) {
    struct judge *j = open_judge(0);
    if (!j) return;
    static const char bytes[] = {1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1,
                                 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0, 0, 0, 1, 1};
    static const enum ir_dtype types[] = {
        IR_FLOAT, IR_UINT8, IR_INT8, IR_UINT16, IR_INT16, IR_INT32, IR_INT64, IR_BOOL,
        IR_FLOAT16, IR_DOUBLE, IR_UINT32, IR_UINT64, IR_BFLOAT16, IR_FLOAT8E4M3FN,
        IR_FLOAT8E5M2};
    for (size_t i = 0; i < countof(types); i++) {
        const char *name = ir_dtype_name(types[i]);
        struct judge_model m = model(arena_printf(
            &a, "<ir_version: 10, opset_import: [\"\": 21]> g (%s[N] x) => (%s[N] y) "
                "{ y = Identity(x) }", name, name));
        int64_t dims[] = {3};
        struct judge_value in = {"x", ir_tensor_new(&a, types[i], 1, dims, bytes), NULL};
        struct judge_values out = run(j, &m, in);
        CU_ASSERT_TRUE(ir_tensor_equal(NULL, in.tensor, out.at[0].tensor));
    }
    finish(j);
}

/* Two elements in a byte, the first in its low bits. */
static void types_below_a_byte_are_packed(void) {
    struct judge *j = open_judge(0);
    if (!j) return;
    struct judge_model m = model(
        "<ir_version: 10, opset_import: [\"\": 21]> g (int4[3] x) => "
        "(float[3] y, uint4[3] z) <float one = {1}, uint4 eight = {8}> "
        "{ y = DequantizeLinear(x, one)  z = QuantizeLinear(y, one, eight) }");
    int64_t dims[] = {3};
    struct judge_value in = {"x", ir_tensor_new(&a, IR_INT4, 1, dims, "\x71\x0f"), NULL};
    struct judge_values out = run(j, &m, in);
    const float *y = out.at[0].tensor->data;
    CU_ASSERT_TRUE(y[0] == 1 && y[1] == 7 && y[2] == -1);
    CU_ASSERT_EQUAL(out.at[1].tensor->dtype, IR_UINT4);
    CU_ASSERT_EQUAL(memcmp(out.at[1].tensor->data, "\xf9\x07", 2), 0);
    finish(j);
}

static void strings_go_there_and_back(void) {
    struct judge *j = open_judge(0);
    if (!j) return;
    static const struct ir_string s[] = {{"one", 3}, {"", 0}, {"dr\xc3\xa9i", 5}};
    struct judge_model m = model("g (string[N] x) => (string[N] y) { y = Identity(x) }");
    int64_t dims[] = {3}, none[] = {0};
    struct judge_value in = {"x", ir_tensor_strings(&a, 1, dims, s), NULL};
    struct judge_values out = run(j, &m, in);
    CU_ASSERT_EQUAL_FATAL(out.at[0].tensor->count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL(out.at[0].tensor->strings[i].len, s[i].len);
        CU_ASSERT_STRING_EQUAL(out.at[0].tensor->strings[i].at, s[i].at);
    }
    in.tensor = ir_tensor_strings(&a, 1, none, s);
    out = run(j, &m, in);
    CU_ASSERT_EQUAL(out.at[0].tensor->count, 0);
    finish(j);
}

static void what_is_no_tensor_is_named(void) {
    struct judge *j = open_judge(0);
    if (!j) return;
    struct judge_model m =
        model("g (float[N] x) => (seq(float[N]) s, float[N] y) { s = SequenceConstruct(x) "
              "y = Neg(x) }");
    const float x[] = {1};
    struct judge_value in = floats("x", 1, x);
    struct judge_values out = run(j, &m, in);
    CU_ASSERT_PTR_NULL(out.at[0].tensor);
    CU_ASSERT_STRING_EQUAL(out.at[0].kind, "sequence");
    CU_ASSERT_PTR_NOT_NULL(out.at[1].tensor);
    finish(j);
}

static struct judge_contestant contestant(const char *text) {
    return (struct judge_contestant){.name = "test", .model = model(text)};
}

static void models_take_turns_in_processes_of_their_own(void) {
    struct judge *j = open_judge(0);
    if (!j) return;
    const float x[] = {1, -2, 3};
    struct judge_value in = floats("x", 3, x);
    struct judge_values inputs = {&in, 1};
    struct judge_contestant one = contestant(CHAIN), other = contestant(
        "<ir_version: 8, opset_import: [\"\": 17]> g (float[N] x) => (float[N] y) "
        "{ y = Relu(x) }");
    struct judge_contestant *both[] = {&one, &other};
    struct judge_bench b = {.threads = 1, .in = &inputs, .arena = &a, .diags = &diags};
    struct judge_difference d;
    for (uint32_t i = 0; i < 2; i++)
        CU_ASSERT_EQUAL_FATAL(judge_bench_round(&b, both, 2, NULL), RW_OK);
    CU_ASSERT_EQUAL(one.seconds.len, 2);
    CU_ASSERT_EQUAL(other.seconds.len, 2);
    CU_ASSERT_TRUE(one.fastest > 0 && one.fastest <= one.seconds.at[0]);
    CU_ASSERT_TRUE(judge_bench_ratio(&one, &other).is > 0);
    CU_ASSERT_STRING_EQUAL(b.version, judge_version(j));
    CU_ASSERT_TRUE(judge_bench_agrees(&one, &one, false, &d));
    CU_ASSERT_FALSE(judge_bench_agrees(&one, &other, false, &d));
    CU_ASSERT_STRING_EQUAL(d.output, "y");
    CU_ASSERT_EQUAL(d.verdict.beyond, 3);
    finish(j);
}

static void what_does_not_run_is_named(void) {
    struct judge *j = open_judge(0);
    if (!j) return;
    const float x[] = {1, -2, 3};
    struct judge_value in = floats("z", 3, x);
    struct judge_values inputs = {&in, 1};
    struct judge_contestant one = contestant(CHAIN), *both[] = {&one};
    const struct judge_contestant *failed = NULL;
    struct judge_bench b = {.threads = 1, .in = &inputs, .arena = &a, .diags = &diags};
    CU_ASSERT_EQUAL(judge_bench_round(&b, both, 1, &failed), RW_WRONG);
    CU_ASSERT_PTR_EQUAL(failed, &one);
    CU_ASSERT_PTR_NOT_NULL(strstr(diags.list.at[0].text, "does not run"));
    finish(j);
}

static uint64_t outline(const char *text, const char *disabled) {
    struct judge_options o = {.optimise = true, .disabled = disabled};
    struct judge_model m = model(text);
    struct judge *j;
    uint64_t number = 0;
    CU_ASSERT_EQUAL_FATAL(judge_open(&o, &diags, &j), RW_OK);
    CU_ASSERT_EQUAL(judge_outline(j, &m, &number), JUDGE_OK);
    judge_close(j);
    return number;
}

#define GRAPH(what)                                                                        \
    "<ir_version: 8, opset_import: [\"\": 17]> g (float[N, 4] x) => (float[N, 4] y) "      \
    "<float[4, 4] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}> { " what " }"

static void the_runtime_makes_the_same_of_what_it_fuses_itself(void) {
    struct judge *j = open_judge(0);
    if (!j) return;
    uint64_t one = outline(GRAPH("a = MatMul(x, w)  b = Identity(a)  y = Relu(b)"), NULL);
    CU_ASSERT_EQUAL(one, outline(GRAPH("c = MatMul(x, w)  y = Relu(c)"), NULL));
    CU_ASSERT_NOT_EQUAL(one, outline(GRAPH("c = MatMul(x, w)  y = Sigmoid(c)"), NULL));
    CU_ASSERT_NOT_EQUAL(one, outline(GRAPH("c = MatMul(w, w)  r = Relu(c)  y = Add(r, x)"),
                                     NULL));
    CU_ASSERT_NOT_EQUAL(one, outline(GRAPH("a = MatMul(x, w)  b = Identity(a)  y = Relu(b)"),
                                     "EliminateIdentity;IdentityElimination;Level1_RuleBased"
                                     "Transformer"));
    finish(j);
}

static void an_outline_of_what_does_not_load_is_refused(void) {
    struct judge *j = open_judge(0);
    if (!j) return;
    struct judge_model m = {.bytes = "none", .len = 4}, good = model(CHAIN);
    uint64_t number;
    CU_ASSERT_EQUAL(judge_outline(j, &m, &number), JUDGE_REFUSED);
    CU_ASSERT_EQUAL(judge_outline(j, &good, &number), JUDGE_OK);
    finish(j);
}

static void an_absent_runtime_says_what_to_install(void) {
    struct judge_options o = {.library = "/not/there/libonnxruntime.so"};
    struct judge *j;
    start();
    CU_ASSERT_EQUAL(judge_open(&o, &diags, &j), RW_USAGE);
    CU_ASSERT_PTR_NULL(j);
    CU_ASSERT_EQUAL_FATAL(diags.list.len, 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(diags.list.at[0].text, "cannot be used"));
    CU_ASSERT_PTR_NOT_NULL(strstr(diags.list.at[1].text, "pip install onnxruntime"));
    arena_free(&a);
}

void add_judge_ort_suite(void);
void add_judge_ort_suite(void) {
    CU_pSuite s = CU_add_suite("judge_ort", NULL, NULL);
    CU_ADD_TEST(s, a_model_runs);
    CU_ADD_TEST(s, inner_values_are_revealed_and_wanted_by_name);
    CU_ADD_TEST(s, errors_of_the_runtime_are_its_own_words);
    CU_ADD_TEST(s, a_crash_is_an_outcome_and_the_next_job_runs);
    CU_ADD_TEST(s, a_hang_is_ended_after_its_time);
    CU_ADD_TEST(s, more_memory_than_allowed_is_not_had);
    CU_ADD_TEST(s, every_type_goes_there_and_back);
    CU_ADD_TEST(s, types_below_a_byte_are_packed);
    CU_ADD_TEST(s, strings_go_there_and_back);
    CU_ADD_TEST(s, what_is_no_tensor_is_named);
    CU_ADD_TEST(s, models_take_turns_in_processes_of_their_own);
    CU_ADD_TEST(s, the_runtime_makes_the_same_of_what_it_fuses_itself);
    CU_ADD_TEST(s, an_outline_of_what_does_not_load_is_refused);
    CU_ADD_TEST(s, what_does_not_run_is_named);
    CU_ADD_TEST(s, an_absent_runtime_says_what_to_install);
}
