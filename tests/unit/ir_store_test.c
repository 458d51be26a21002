/* Writing models: what follows a rename, what is dropped, what is added, what stays.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/os.h"
#include "tests/unit/messages.h"

#include <stdio.h>

/* --- writing to a file and back --------------------------------------------------- */

static const char *temporary(const char *name) {
    const char *folder = getenv("TMPDIR");
    return arena_printf(&a, "%s/onnxrw-test-%s", folder && *folder ? folder : "/tmp", name);
}

static Onnx__ModelProto *written(struct ir_model *m) {
    const char *path = temporary("store.onnx");
    struct ir_write_options o = {0};
    CU_ASSERT_EQUAL_FATAL(ir_model_write(m, path, &o, &diags), RW_OK);
    struct os_file f;
    CU_ASSERT_TRUE_FATAL(os_open(path, &f));
    uint8_t *bytes = arena_alloc(&a, (size_t)f.stamp.size);
    CU_ASSERT_TRUE(os_read_at(f.fd, 0, bytes, (size_t)f.stamp.size));
    Onnx__ModelProto *p = onnx__model_proto__unpack(NULL, (size_t)f.stamp.size, bytes);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    os_close(&f);
    os_remove(path);
    return p;
}

static void finish(Onnx__ModelProto *p) {
    onnx__model_proto__free_unpacked(p, NULL);
    arena_free(&a);
}

static void add_unknown(ProtobufCMessage *m) {
    ProtobufCMessageUnknownField *u = arena_zalloc(&a, sizeof *u);
    *u = (ProtobufCMessageUnknownField){777, PROTOBUF_C_WIRE_TYPE_VARINT, 1,
                                        arena_copy(&a, "\x05", 1)};
    m->unknown_fields = u;
    m->n_unknown_fields = 1;
}

/* x -> Neg -> t -> Relu -> y, and t is seen in a body, annotated, sharded, trained. */
static Onnx__ModelProto *named_everywhere(void) {
    Onnx__GraphProto *g = graph("x", "y"), *body = graph(NULL, "r");
    add(g, node("Neg", "x", "t"));
    add(g, node("Relu", "t", "y"));
    add(g, node("If", "x", "z"));
    add(body, node("Abs", "t", "r"));
    add_body(g->node[2], "then_branch", body);
    PUSH(g->value_info, g->n_value_info, info("t"));
    PUSH(g->value_info, g->n_value_info, info("nobody"));
    Onnx__TensorAnnotation *q = arena_alloc(&a, sizeof *q);
    onnx__tensor_annotation__init(q);
    q->tensor_name = "t";
    PUSH(g->quantization_annotation, g->n_quantization_annotation, q);
    Onnx__NodeDeviceConfigurationProto *c = arena_alloc(&a, sizeof *c);
    onnx__node_device_configuration_proto__init(c);
    Onnx__ShardingSpecProto *spec = arena_alloc(&a, sizeof *spec);
    onnx__sharding_spec_proto__init(spec);
    spec->tensor_name = "t";
    PUSH(c->sharding_spec, c->n_sharding_spec, spec);
    PUSH(g->node[1]->device_configurations, g->node[1]->n_device_configurations, c);
    Onnx__ModelProto *m = model(g, 14, 28);
    Onnx__TrainingInfoProto *t = arena_alloc(&a, sizeof *t);
    onnx__training_info_proto__init(t);
    t->algorithm = graph(NULL, "s");
    add(t->algorithm, node("Sqrt", "t", "s"));
    PUSH(m->training_info, m->n_training_info, t);
    add_unknown(&g->node[0]->base);
    add_unknown(&g->node[2]->base);
    return m;
}

/* What was edited, as bytes in memory, is what the file would be. */
static void bytes_in_memory_are_those_of_the_file(void) {
    start();
    struct ir_model *m = read_model(named_everywhere());
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    for (uint32_t edited = 0; edited < 2; edited++) {
        const char *path = temporary("bytes.onnx");
        struct ir_write_options o = {0};
        struct buf bytes = {0};
        struct os_file f;
        if (edited) ir_rename(m->main, ir_find_value(m->main, "t"), "fresh");
        CU_ASSERT_EQUAL_FATAL(ir_model_write(m, path, &o, &diags), RW_OK);
        CU_ASSERT_EQUAL_FATAL(ir_model_write_bytes(m, IR_WEIGHTS_COPY, &bytes, &diags), RW_OK);
        CU_ASSERT_TRUE_FATAL(os_open(path, &f));
        CU_ASSERT_EQUAL_FATAL(bytes.len, f.stamp.size);
        char *copy = arena_alloc(&a, bytes.len);
        CU_ASSERT_TRUE(os_read_at(f.fd, 0, copy, bytes.len));
        CU_ASSERT_EQUAL(memcmp(bytes.at, copy, bytes.len), 0);
        buf_free(&bytes);
        os_close(&f);
        os_remove(path);
    }
    arena_free(&a);
}

static void a_renamed_value_has_its_new_name_everywhere(void) {
    start();
    struct ir_model *m = read_model(named_everywhere());
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    ir_rename(m->main, ir_find_value(m->main, "t"), "fresh");
    Onnx__ModelProto *p = written(m);
    Onnx__GraphProto *g = p->graph;
    CU_ASSERT_STRING_EQUAL(g->node[0]->output[0], "fresh");
    CU_ASSERT_STRING_EQUAL(g->node[1]->input[0], "fresh");
    CU_ASSERT_STRING_EQUAL(g->node[2]->attribute[0]->g->node[0]->input[0], "fresh");
    CU_ASSERT_EQUAL_FATAL(g->n_value_info, 2);
    CU_ASSERT_STRING_EQUAL(g->value_info[0]->name, "fresh");
    CU_ASSERT_STRING_EQUAL(g->value_info[1]->name, "nobody");
    CU_ASSERT_STRING_EQUAL(g->quantization_annotation[0]->tensor_name, "fresh");
    CU_ASSERT_STRING_EQUAL(
        g->node[1]->device_configurations[0]->sharding_spec[0]->tensor_name, "fresh");
    CU_ASSERT_STRING_EQUAL(p->training_info[0]->algorithm->node[0]->input[0], "fresh");
    CU_ASSERT_EQUAL(g->node[0]->base.n_unknown_fields, 1);
    CU_ASSERT_EQUAL(g->node[2]->base.n_unknown_fields, 1);
    finish(p);
}

static void what_names_a_removed_value_goes(void) {
    start();
    struct ir_model *m = read_model(named_everywhere());
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    struct ir_graph *g = m->main;
    ir_remove_node(g, g->last); /* the If, which sees t */
    ir_replace_uses(g, ir_find_value(g, "t"), ir_find_value(g, "x"));
    ir_remove_node(g, g->first);
    Onnx__ModelProto *p = written(m);
    CU_ASSERT_EQUAL_FATAL(p->graph->n_node, 1);
    CU_ASSERT_STRING_EQUAL(p->graph->node[0]->input[0], "x");
    CU_ASSERT_EQUAL(p->graph->node[0]->device_configurations[0]->n_sharding_spec, 0);
    CU_ASSERT_EQUAL_FATAL(p->graph->n_value_info, 1);
    CU_ASSERT_STRING_EQUAL(p->graph->value_info[0]->name, "nobody");
    CU_ASSERT_EQUAL(p->graph->n_quantization_annotation, 0);
    finish(p);
}

/* Training runs as one graph with the main one. */
static void what_training_names_is_seen_from_outside(void) {
    start();
    Onnx__GraphProto *g = graph("x", "y");
    add(g, node("Neg", "x", "t"));
    add(g, node("Relu", "t", "y"));
    PUSH(g->initializer, g->n_initializer, floats("w", 1, 4));
    Onnx__ModelProto *p = model(g, 10, 18);
    Onnx__TrainingInfoProto *t = arena_alloc(&a, sizeof *t);
    onnx__training_info_proto__init(t);
    t->algorithm = graph(NULL, "s");
    add(t->algorithm, node("Sqrt", "t", "t_1"));
    Onnx__StringStringEntryProto *e = arena_alloc(&a, sizeof *e);
    onnx__string_string_entry_proto__init(e);
    e->key = "w";
    e->value = "t_1";
    PUSH(t->update_binding, t->n_update_binding, e);
    PUSH(p->training_info, p->n_training_info, t);
    struct ir_model *m = read_model(p);
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    ir_value w = ir_find_value(m->main, "w");
    CU_ASSERT_TRUE(ir_has(m->main, ir_find_value(m->main, "t"), IR_IS_OUTPUT));
    CU_ASSERT_PTR_NULL(ir_const(m->main, w)); /* updated */
    CU_ASSERT_TRUE(ir_has(m->main, w, IR_IS_NAMED));
    CU_ASSERT_STRING_EQUAL(ir_fresh_name(m, "t"), "t_2");
    m->edits++; /* so that it is written anew */
    Onnx__ModelProto *out = written(m);
    CU_ASSERT_EQUAL_FATAL(out->graph->n_output, 1);
    CU_ASSERT_STRING_EQUAL(out->graph->output[0]->name, "y");
    finish(out);
}

static void a_value_that_becomes_an_output_is_described_once(void) {
    start();
    Onnx__GraphProto *g = graph("x", "y");
    add(g, node("Neg", "x", "t"));
    add(g, node("Identity", "t", "y"));
    PUSH(g->value_info, g->n_value_info, info("t"));
    struct ir_model *m = read_model(model(g, 10, 18));
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    ir_value t = ir_find_value(m->main, "t"), y = ir_find_value(m->main, "y");
    ir_replace_value(m->main, y, t);
    ir_remove_node(m->main, m->main->last);
    Onnx__ModelProto *p = written(m);
    CU_ASSERT_EQUAL_FATAL(p->graph->n_node, 1);
    CU_ASSERT_STRING_EQUAL(p->graph->node[0]->output[0], "y");
    CU_ASSERT_STRING_EQUAL(p->graph->output[0]->name, "y");
    CU_ASSERT_EQUAL(p->graph->n_value_info, 0);
    finish(p);
}

static ir_node insert_elu(struct ir_model *m) {
    struct ir_graph *g = m->main;
    const ir_dim dims[] = {ir_dim_declared(m->dims, "1 + 2*n"), ir_dim_const(m->dims, 3)};
    ir_value in = ir_find_value(g, "t");
    ir_value out = ir_add_value(g, "new", ir_type_tensor(m->arena, IR_FLOAT, 2, dims));
    struct ir_attr alpha = ir_attr_float("alpha", 0.5f);
    struct ir_new_node n = {.op = "Elu",
                            .domain = "",
                            .nin = 1,
                            .nout = 1,
                            .nattr = 1,
                            .in = &in,
                            .out = &out,
                            .attr = &alpha,
                            .rule = intern(&m->names, "to-elu")};
    ir_node relu = g->nodes.at[g->first].next, elu = ir_add_node(g, &n, relu);
    ir_set_input(g, relu, 0, out);
    return elu;
}

static void a_new_node_says_which_rule_made_it_and_its_value_is_described(void) {
    start();
    struct ir_model *m = read_model(named_everywhere());
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    insert_elu(m);
    Onnx__ModelProto *p = written(m);
    Onnx__NodeProto *n = p->graph->node[1];
    CU_ASSERT_STRING_EQUAL(n->op_type, "Elu");
    CU_ASSERT_EQUAL(n->attribute[0]->f, 0.5f);
    CU_ASSERT_EQUAL_FATAL(n->n_metadata_props, 1);
    CU_ASSERT_STRING_EQUAL(n->metadata_props[0]->key, "onnxrw.rule");
    CU_ASSERT_STRING_EQUAL(n->metadata_props[0]->value, "to-elu");
    CU_ASSERT_EQUAL_FATAL(p->graph->n_value_info, 3);
    Onnx__ValueInfoProto *v = p->graph->value_info[2];
    CU_ASSERT_STRING_EQUAL(v->name, "new");
    CU_ASSERT_EQUAL(v->type->tensor_type->elem_type, IR_FLOAT);
    CU_ASSERT_EQUAL_FATAL(v->type->tensor_type->shape->n_dim, 2);
    CU_ASSERT_STRING_EQUAL(v->type->tensor_type->shape->dim[0]->dim_param,
                           "2*n + 1");
    CU_ASSERT_EQUAL(v->type->tensor_type->shape->dim[1]->dim_value, 3);
    finish(p);
}

static void before_ir_version_10_nodes_have_no_metadata(void) {
    start();
    Onnx__ModelProto *read = named_everywhere();
    read->ir_version = 9;
    struct ir_model *m = read_model(read);
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    insert_elu(m);
    Onnx__ModelProto *p = written(m);
    CU_ASSERT_EQUAL(p->ir_version, 9);
    CU_ASSERT_EQUAL(p->graph->node[1]->n_metadata_props, 0);
    finish(p);
}

static void a_raised_opset_raises_the_ir_version_and_drops_initializers_from_inputs(void) {
    start();
    Onnx__GraphProto *g = graph("x", "y");
    add(g, node("Add", "x", "y"));
    PUSH(g->node[0]->input, g->node[0]->n_input, "w");
    PUSH(g->initializer, g->n_initializer, floats("w", 1, 4));
    PUSH(g->input, g->n_input, info("w"));
    struct ir_model *m = read_model(model(g, 3, 8));
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    ir_set_opset(m, "", 17);
    ir_set_opset(m, "com.microsoft", 1);
    Onnx__ModelProto *p = written(m);
    CU_ASSERT_EQUAL(p->ir_version, ir_version_for_opset(17));
    CU_ASSERT_EQUAL_FATAL(p->graph->n_input, 1);
    CU_ASSERT_STRING_EQUAL(p->graph->input[0]->name, "x");
    CU_ASSERT_EQUAL(p->graph->n_initializer, 1);
    CU_ASSERT_EQUAL_FATAL(p->n_opset_import, 2);
    CU_ASSERT_EQUAL(p->opset_import[0]->version, 17);
    CU_ASSERT_PTR_NULL(p->opset_import[0]->domain);
    CU_ASSERT_STRING_EQUAL(p->opset_import[1]->domain, "com.microsoft");
    finish(p);
}

/* Each input that stays keeps its own description, wherever the initializers stood. */
static void inputs_behind_dropped_initializers_keep_their_descriptions(void) {
    start();
    Onnx__GraphProto *g = graph("x", "y");
    add(g, node("Sum", "x", "y"));
    const char *const names[] = {"w", "z"};
    for (size_t i = 0; i < countof(names); i++) {
        PUSH(g->node[0]->input, g->node[0]->n_input, arena_strdup(&a, names[i]));
        PUSH(g->input, g->n_input, info(names[i]));
        g->input[i + 1]->doc_string = arena_printf(&a, "that of %s", names[i]);
    }
    PUSH(g->initializer, g->n_initializer, floats("w", 1, 4));
    struct ir_model *m = read_model(model(g, 3, 8));
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    ir_set_ir_version(m, 8);
    Onnx__ModelProto *p = written(m);
    CU_ASSERT_EQUAL_FATAL(p->graph->n_input, 2);
    CU_ASSERT_STRING_EQUAL(p->graph->input[0]->name, "x");
    CU_ASSERT_STRING_EQUAL(p->graph->input[1]->name, "z");
    CU_ASSERT_STRING_EQUAL_FATAL(p->graph->input[1]->doc_string, "that of z");
    finish(p);
}

static void large_tensors_old_and_new_are_written_with_their_bytes(void) {
    start();
    Onnx__GraphProto *g = graph("x", "y");
    PUSH(g->initializer, g->n_initializer, floats("old", 1000, 4000));
    add(g, node("Add", "x", "y"));
    PUSH(g->node[0]->input, g->node[0]->n_input, "old");
    struct ir_model *m = read_model(model(g, 10, 18));
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    const int64_t dims[] = {30, 40};
    uint8_t *bytes = arena_alloc(&a, 4800);
    for (size_t i = 0; i < 4800; i++) bytes[i] = (uint8_t)(i * 31 >> 3);
    ir_value v =
        ir_add_constant(m->main, "new", ir_tensor_new(&a, IR_FLOAT, 2, dims, bytes));
    ir_set_input(m->main, m->main->first, 0, v);
    Onnx__ModelProto *p = written(m);
    CU_ASSERT_EQUAL_FATAL(p->graph->n_initializer, 2);
    Onnx__TensorProto *old = p->graph->initializer[0], *new = p->graph->initializer[1];
    CU_ASSERT_EQUAL_FATAL(old->raw_data.len, 4000);
    for (size_t i = 0; i < 4000; i++)
        CU_ASSERT_EQUAL(old->raw_data.data[i], (uint8_t)(i * 7));
    CU_ASSERT_STRING_EQUAL(new->name, "new");
    CU_ASSERT_EQUAL(new->n_dims, 2);
    CU_ASSERT_EQUAL_FATAL(new->raw_data.len, 4800);
    CU_ASSERT_EQUAL(memcmp(new->raw_data.data, bytes, 4800), 0);
    CU_ASSERT_EQUAL(new->base.n_unknown_fields, 0);
    finish(p);
}

static void an_undone_edit_leaves_the_file_to_be_copied(void) {
    start();
    Onnx__ModelProto *read = named_everywhere();
    struct ir_model *m = read_model(read);
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    ir_mark_t mark = ir_mark(m);
    insert_elu(m);
    ir_undo(m, mark);
    CU_ASSERT_EQUAL(m->edits, 0);
    Onnx__ModelProto *p = written(m);
    size_t len = onnx__model_proto__get_packed_size(read);
    CU_ASSERT_EQUAL_FATAL(onnx__model_proto__get_packed_size(p), len);
    uint8_t *x = arena_alloc(&a, len), *y = arena_alloc(&a, len);
    onnx__model_proto__pack(read, x);
    onnx__model_proto__pack(p, y);
    CU_ASSERT_EQUAL(memcmp(x, y, len), 0);
    finish(p);
}

static void an_output_that_cannot_be_written_is_an_error_and_nothing_remains(void) {
    start();
    struct ir_model *m = read_model(named_everywhere());
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    struct ir_write_options o = {0};
    const char *path = temporary("none/out.onnx");
    CU_ASSERT_EQUAL(ir_model_write(m, path, &o, &diags), RW_OUTPUT);
    CU_ASSERT_EQUAL_FATAL(diags.list.len, 1);
    CU_ASSERT_STRING_EQUAL(diags.list.at[0].where, path);
    CU_ASSERT_STRING_EQUAL(diags.list.at[0].text,
                           "cannot be written: No such file or directory");
    m->edits++;
    CU_ASSERT_EQUAL(ir_model_write(m, "/dev/full", &o, &diags), RW_OUTPUT);
    CU_ASSERT_STRING_EQUAL(diags.list.at[1].text,
                           "cannot be written: No space left on device");
    arena_free(&a);
}

void add_ir_store_suite(void);
void add_ir_store_suite(void) {
    CU_pSuite s = CU_add_suite("ir/store", NULL, NULL);
#define T(name) CU_add_test(s, #name, name)
    T(bytes_in_memory_are_those_of_the_file);
    T(a_renamed_value_has_its_new_name_everywhere);
    T(what_names_a_removed_value_goes);
    T(what_training_names_is_seen_from_outside);
    T(a_value_that_becomes_an_output_is_described_once);
    T(a_new_node_says_which_rule_made_it_and_its_value_is_described);
    T(before_ir_version_10_nodes_have_no_metadata);
    T(a_raised_opset_raises_the_ir_version_and_drops_initializers_from_inputs);
    T(inputs_behind_dropped_initializers_keep_their_descriptions);
    T(large_tensors_old_and_new_are_written_with_their_bytes);
    T(an_undone_edit_leaves_the_file_to_be_copied);
    T(an_output_that_cannot_be_written_is_an_error_and_nothing_remains);
#undef T
}
