/* slice.c -- see ir/slice.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/slice.h"

#include "ir/file/splice.h"
#include "ir/file/store.h"

#define LEAST_IR_VERSION 4 /* initializers are no inputs from then on */

struct ir_slice {
    struct ir_store store;
    const struct ir_graph *g;
    struct ir_numbering *numbers;
    int64_t opset;
    VEC(Onnx__NodeProto *) front; /* the first one last */
    VEC(Onnx__NodeProto *) nodes;
    VEC(Onnx__NodeProto *) names; /* of values that bodies see */
    struct map named;             /* those values */
};

/* --- names ------------------------------------------------------------------------ */

void ir_numbering_init(struct ir_numbering *x, struct arena *a) {
    map_init(&x->numbers, a);
    x->n = 0;
}

uint32_t ir_numbering_of(struct ir_numbering *x, ir_value v) {
    uint32_t number = map_get(&x->numbers, v);
    if (number != MAP_NONE) return number;
    map_put(&x->numbers, v, x->n);
    return x->n++;
}

void ir_numbering_rename(struct ir_numbering *x, ir_value v, ir_value as) {
    uint32_t number = map_get(&x->numbers, v);
    if (number == MAP_NONE) return;
    map_put(&x->numbers, as, number);
    map_put(&x->numbers, v, MAP_NONE);
}

static char *name_of(struct ir_numbering *numbers, ir_value v, struct arena *a) {
    if (v == IR_NONE) return arena_strdup(a, "");
    return arena_printf(a, "#%u", ir_numbering_of(numbers, v));
}

const char *ir_slice_name(struct ir_numbering *numbers, ir_value v, struct arena *a) {
    return name_of(numbers, v, a);
}

/* --- nodes ------------------------------------------------------------------------ */

struct ir_slice *ir_slice_new(struct arena *a, const struct ir_graph *g,
                              struct ir_numbering *numbers, int64_t opset) {
    struct ir_slice *s = arena_new(a, struct ir_slice);
    s->store = (struct ir_store){.m = g->model, .a = a};
    s->g = g;
    s->numbers = numbers;
    s->opset = opset ? opset : ir_opset(g, "");
    ir_store_begin(&s->store);
    map_init(&s->named, a);
    return s;
}

/* Node and documentation keep no name: equal slices are to be equal bytes. */
static Onnx__NodeProto *anonymous(struct ir_slice *s, ir_node n) {
    struct arena *a = s->store.a;
    const struct ir_node_info *x = ir_nod(s->g, n);
    Onnx__NodeProto *p = arena_alloc(a, sizeof *p);
    onnx__node_proto__init(p);
    p->op_type = arena_strdup(a, ir_op_name(s->g, n));
    if (x->domain != SYM_NONE) p->domain = arena_strdup(a, ir_domain_name(s->g, n));
    if (x->proto) p->overload = x->proto->overload;
    p->n_input = x->nin;
    p->input = IR_LIST(&s->store, char, x->nin);
    for (uint32_t k = 0; k < x->nin; k++)
        p->input[k] = name_of(s->numbers, ir_input(s->g, n, k), a);
    p->n_output = x->nout;
    p->output = IR_LIST(&s->store, char, x->nout);
    for (uint32_t k = 0; k < x->nout; k++)
        p->output[k] = name_of(s->numbers, ir_output(s->g, n, k), a);
    p->n_attribute = x->nattr;
    p->attribute = IR_LIST(&s->store, Onnx__AttributeProto, x->nattr);
    for (uint32_t i = 0; i < x->nattr; i++)
        p->attribute[i] = ir_store_attr(&s->store, &x->attr[i]);
    return p;
}

static Onnx__NodeProto *identity(struct ir_slice *s, char *from, char *to) {
    Onnx__NodeProto *p = arena_alloc(s->store.a, sizeof *p);
    onnx__node_proto__init(p);
    p->op_type = arena_strdup(s->store.a, "Identity");
    p->n_input = p->n_output = 1;
    p->input = IR_LIST(&s->store, char, 1);
    p->output = IR_LIST(&s->store, char, 1);
    p->input[0] = from;
    p->output[0] = to;
    return p;
}

/* Bodies call what they see from outside by its name in the graph, which is made here.
 * Runtimes sort nodes by themselves. */
static void name_captures(struct ir_slice *s, const struct ir_graph *body) {
    struct arena *a = s->store.a;
    for (ir_value v = 0; v < body->values.len; v++) {
        const struct ir_value_info *x = ir_val(body, v);
        if ((x->flags & (IR_IS_OUTER | IR_IS_DEAD)) != IR_IS_OUTER) continue;
        if (map_get(&s->named, x->outer) != MAP_NONE) continue;
        map_put(&s->named, x->outer, 1);
        vec_push(a, &s->names,
                 identity(s, name_of(s->numbers, x->outer, a), arena_strdup(a, x->name)));
    }
}

static Onnx__NodeProto *node_of(struct ir_slice *s, ir_node n) {
    const struct ir_node_info *x = ir_nod(s->g, n);
    for (uint32_t i = 0; i < x->nattr; i++) {
        const struct ir_attr *at = &x->attr[i];
        for (uint32_t k = 0; ir_attr_is_body(at) && !at->ref && k < at->n; k++)
            name_captures(s, at->graphs[k]);
    }
    return anonymous(s, n);
}

void ir_slice_add(struct ir_slice *s, ir_node n) {
    vec_push(s->store.a, &s->nodes, node_of(s, n));
}

void ir_slice_add_front(struct ir_slice *s, ir_node n) {
    vec_push(s->store.a, &s->front, node_of(s, n));
}

/* --- the model -------------------------------------------------------------------- */

static Onnx__ValueInfoProto *port(struct ir_slice *s, const struct ir_slice_input *in) {
    struct ir_dims *t = s->g->model->dims;
    ir_dim *dims = arena_new_array(s->store.a, ir_dim, in->rank);
    for (uint32_t i = 0; i < in->rank; i++)
        dims[i] = in->dims[i] < 0 ? IR_DIM_UNKNOWN : ir_dim_const(t, in->dims[i]);
    return ir_store_info(&s->store, name_of(s->numbers, in->v, s->store.a),
                         ir_type_tensor(s->store.a, in->dtype, in->rank, dims));
}

static Onnx__ValueInfoProto *untyped(struct ir_slice *s, const char *name) {
    return ir_store_info(&s->store, name, NULL);
}

static Onnx__GraphProto *graph_of(struct ir_slice *s, const struct ir_slice_ports *ports) {
    struct ir_store *store = &s->store;
    Onnx__GraphProto *p = arena_alloc(store->a, sizeof *p);
    onnx__graph_proto__init(p);
    p->name = arena_strdup(store->a, "slice");
    p->input = IR_LIST(store, Onnx__ValueInfoProto, ports->ninputs);
    for (uint32_t i = 0; i < ports->ninputs; i++)
        p->input[p->n_input++] = port(s, &ports->inputs[i]);
    p->initializer = IR_LIST(store, Onnx__TensorProto, ports->nconstants);
    for (uint32_t i = 0; i < ports->nconstants; i++) {
        const struct ir_slice_constant *c = &ports->constants[i];
        p->initializer[p->n_initializer++] = ir_store_tensor(
            store, c->tensor, name_of(s->numbers, c->v, store->a), false);
    }
    p->node = IR_LIST(store, Onnx__NodeProto,
                      s->front.len + s->names.len + s->nodes.len + ports->noutputs);
    for (uint32_t i = s->front.len; i-- > 0;) p->node[p->n_node++] = s->front.at[i];
    for (uint32_t i = 0; i < s->names.len; i++) p->node[p->n_node++] = s->names.at[i];
    for (uint32_t i = 0; i < s->nodes.len; i++) p->node[p->n_node++] = s->nodes.at[i];
    p->output = IR_LIST(store, Onnx__ValueInfoProto, ports->noutputs);
    for (uint32_t i = 0; i < ports->noutputs; i++) {
        const struct ir_slice_output *o = &ports->outputs[i];
        p->node[p->n_node++] = identity(s, name_of(s->numbers, o->v, store->a),
                                        arena_strdup(store->a, o->name));
        p->output[p->n_output++] = untyped(s, o->name);
    }
    return p;
}

static void set_opsets(struct ir_slice *s, Onnx__ModelProto *p) {
    const struct ir_function *f = s->g->function;
    const struct ir_model *m = s->g->model;
    const struct ir_opset *at = f ? f->opsets.at : m->opsets.at;
    uint32_t len = f ? f->opsets.len : m->opsets.len;
    p->opset_import = IR_LIST(&s->store, Onnx__OperatorSetIdProto, len + 1);
    for (uint32_t i = 0; i <= len; i++) {
        bool standard = i == len || !*at[i].domain || rw_streq(at[i].domain, "ai.onnx");
        if (standard && i < len) continue; /* the last one here */
        Onnx__OperatorSetIdProto *o = arena_alloc(s->store.a, sizeof *o);
        onnx__operator_set_id_proto__init(o);
        o->domain = arena_strdup(s->store.a, standard ? "" : at[i].domain);
        o->has_version = 1;
        o->version = standard ? s->opset : at[i].version;
        if (o->version > 0) p->opset_import[p->n_opset_import++] = o;
    }
}

static const Onnx__ModelProto *model_of(struct ir_slice *s,
                                        const struct ir_slice_ports *ports) {
    Onnx__ModelProto *p = arena_alloc(s->store.a, sizeof *p);
    onnx__model_proto__init(p);
    p->has_ir_version = 1;
    p->ir_version = s->store.ir_version < LEAST_IR_VERSION ? LEAST_IR_VERSION
                                                           : s->store.ir_version;
    set_opsets(s, p);
    p->graph = graph_of(s, ports);
    ir_store_functions(&s->store, p);
    return p;
}

bool ir_slice_pack(const struct ir_slice *slice, const struct ir_slice_ports *ports,
                   struct buf *out, const char **why) {
    struct ir_slice own = *slice; /* payloads that are added now are of this packing */
    struct arena *a = own.store.a;
    const struct ir_source *source = own.store.m->source;
    const Onnx__ModelProto *p = model_of(&own, ports);
    uint64_t size;
    size_t len = onnx__model_proto__get_packed_size(p);
    uint8_t *packed = arena_alloc(a, len);
    onnx__model_proto__pack(p, packed);
    struct ir_splice splice = {.model = slice->g->model,
                               .type = &onnx__model_proto__descriptor, .packed = packed,
                               .len = len, .payloads = own.store.payloads.at,
                               .npayloads = own.store.payloads.len,
                               .input = source ? source->bytes : NULL,
                               .input_fd = source ? source->file.fd : -1};
    if (!ir_splice_size(&splice, a, &size, why)) return false;
    struct ir_sink sink;
    out->len = 0;
    ir_sink_open_memory(&sink, out);
    ir_splice_write(&splice, a, &sink);
    *why = "the model's file cannot be read any more";
    return ir_sink_close(&sink);
}
