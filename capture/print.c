/* print.c -- the rule: match, where, emit.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/os.h"
#include "capture/impl.h"

struct written { /* a constant that operands refer to */
    ir_value v;
    struct cap_known known;
};
struct printer {
    const struct cap_place *p;
    const struct cap_form *form;
    struct cap_names names;
    struct buf *out;
    struct cap_call *calls;       /* of the nodes */
    VEC(struct written) constants; /* of those, that operands refer to */
    struct map constant_at;       /* value -> its index */
    struct map again;             /* value -> that it is emitted anew, by its name's id */
    bool in_emit;
};

/* --- what is written ----------------------------------------------------------------- */

/* Names of a model may hold anything; a comment ends with its line. */
static void put_comment(struct buf *out, const char *text) {
    for (; *text; text++) buf_putc(out, (unsigned char)*text < ' ' ? ' ' : *text);
}

static void note_constant(struct printer *x, ir_value v) {
    if (v == IR_NONE || map_get(&x->constant_at, v) != MAP_NONE) return;
    for (uint32_t i = 0; i < x->p->constants.len; i++) {
        if (x->p->constants.at[i] != v) continue;
        map_put(&x->constant_at, v, x->constants.len);
        vec_push(x->p->arena, &x->constants, (struct written){v, cap_known(x->p, v)});
    }
}

/* Names are given in the order in which a reader meets them. */
static void prepare(struct printer *x) {
    const struct cap_place *p = x->p;
    cap_names_init(&x->names, p->arena);
    map_init(&x->constant_at, p->arena);
    map_init(&x->again, p->arena);
    for (uint32_t i = 0; i < p->inputs.len; i++)
        cap_name_as(&x->names, p->g, p->inputs.at[i], CAP_INPUT);
    for (uint32_t i = 0; i < p->outputs.len; i++)
        cap_name_as(&x->names, p->g, p->outputs.at[i], CAP_ROOT);
    x->calls = arena_new_array(p->arena, struct cap_call, p->nodes.len);
    for (uint32_t i = 0; i < p->nodes.len; i++) {
        x->calls[i] = cap_call(&x->names, p, p->nodes.at[i]);
        for (uint32_t k = 0; k < x->calls[i].nin; k++) note_constant(x, x->calls[i].in[k]);
    }
    for (uint32_t i = 0; i < x->constants.len; i++)
        if (!x->constants.at[i].known.is_inline)
            cap_name(&x->names, p->g, x->constants.at[i].v);
}

/* --- nodes --------------------------------------------------------------------------- */

/* A value that the rule replaces is made anew, under another name but for the roots. */
static const char *name_of(struct printer *x, ir_value v) {
    ir_node n = ir_val(x->p->g, v)->producer;
    const char *name = cap_name(&x->names, x->p->g, v);
    bool stays = cap_is_input(x->p, v) || !cap_has_node(x->p, n) || cap_is_kept(x->p, n);
    if (!x->in_emit || stays || cap_is_root(x->p, v)) return name;
    uint32_t id = map_get(&x->again, v);
    if (id != MAP_NONE) return intern_text(&x->names.taken, id);
    const char *again = cap_fresh(&x->names, arena_printf(x->p->arena, "new_%s", name));
    map_put(&x->again, v, intern_find(&x->names.taken, again));
    return again;
}

static void operand(struct printer *x, ir_value v) {
    if (v == IR_NONE) return;
    uint32_t at = map_get(&x->constant_at, v);
    if (at != MAP_NONE && x->constants.at[at].known.is_inline)
        buf_puts(x->out, x->constants.at[at].known.text);
    else buf_puts(x->out, name_of(x, v));
}

static bool is_wanted(const struct cap_place *p, ir_value v) {
    return v != IR_NONE && (ir_val(p->g, v)->nuses > 0 || cap_is_output(p, v));
}

/* Outputs that somebody reads, and in front of them what the syntax needs. */
static void outputs(struct printer *x, ir_node n) {
    const struct ir_graph *g = x->p->g;
    uint32_t nout = ir_nod(g, n)->nout;
    while (nout > 1 && !is_wanted(x->p, ir_output(g, n, nout - 1))) nout--;
    for (uint32_t k = 0; k < nout; k++) {
        ir_value v = ir_output(g, n, k);
        if (k) buf_puts(x->out, ", ");
        if (is_wanted(x->p, v)) buf_puts(x->out, name_of(x, v));
        else if (k == 0) buf_putc(x->out, '_');
    }
}

static void node(struct printer *x, uint32_t i) {
    const struct cap_call *c = &x->calls[i];
    outputs(x, x->p->nodes.at[i]);
    buf_printf(x->out, " = %s", c->op);
    if (*c->params) buf_printf(x->out, " <%s> ", c->params);
    buf_putc(x->out, '(');
    for (uint32_t k = 0; k < c->nin; k++) {
        if (k) buf_puts(x->out, ", ");
        operand(x, c->in[k]);
    }
    buf_puts(x->out, ")");
}

/* --- match --------------------------------------------------------------------------- */

static void match(struct printer *x) {
    const struct cap_place *p = x->p;
    buf_puts(x->out, "  match {\n");
    for (uint32_t i = 0; i < x->constants.len; i++) {
        const struct written *c = &x->constants.at[i];
        if (!c->known.text || c->known.is_inline) continue;
        buf_printf(x->out, "    %s = %s\n", cap_name(&x->names, p->g, c->v), c->known.text);
    }
    for (uint32_t i = 0; i < p->nodes.len; i++) {
        bool kept = cap_is_kept(p, p->nodes.at[i]);
        buf_puts(x->out, kept ? "    keep " : "    ");
        node(x, i);
        buf_puts(x->out, kept ? "  # needed outside too, so it stays\n" : "\n");
    }
    buf_puts(x->out, "  }\n");
}

/* --- where --------------------------------------------------------------------------- */

/* A name for a dimension says that it is the same as another one. */
static bool is_shared(const struct printer *x, ir_dim d) {
    const struct ir_dims *dims = x->p->g->model->dims;
    uint32_t seen = 0;
    if (d == IR_DIM_UNKNOWN) return false;
    d = ir_dim_find(dims, d);
    for (uint32_t i = 0; i < x->p->inputs.len; i++) {
        const struct ir_type *t = ir_val(x->p->g, x->p->inputs.at[i])->type;
        for (uint32_t k = 0; t && t->kind == IR_TENSOR && t->ranked && k < t->rank; k++)
            seen += ir_dim_find(dims, t->dims[k]) == d;
    }
    return seen > 1;
}

/* `_` for one that stands alone, whose name goes into *alone. */
static void dimension(struct printer *x, ir_dim d, struct buf *alone) {
    const struct ir_dims *dims = x->p->g->model->dims;
    const char *param;
    int64_t number;
    if (ir_dim_is_const(dims, d, &number)) {
        buf_printf(x->out, "%" PRId64, number);
    } else if (is_shared(x, d)) {
        buf_puts(x->out, cap_dim_name(&x->names, dims, d));
    } else {
        buf_putc(x->out, '_');
        param = d == IR_DIM_UNKNOWN ? NULL : ir_dim_param(dims, d);
        if (param) buf_printf(alone, "%s%s", alone->len ? ", " : "", param);
    }
}

static void annotation(struct printer *x, ir_value v) {
    const struct ir_type *t = ir_val(x->p->g, v)->type;
    struct buf alone = {0};
    if (!t || t->kind != IR_TENSOR) return;
    const char *dtype = t->dtype == IR_UNDEFINED ? "_" : ir_dtype_name(t->dtype);
    if (t->dtype == IR_UNDEFINED && !t->ranked) return;
    buf_printf(x->out, "    %s : %s", cap_name(&x->names, x->p->g, v), dtype);
    if (t->ranked) buf_putc(x->out, '[');
    for (uint32_t k = 0; t->ranked && k < t->rank; k++) {
        if (k) buf_puts(x->out, ", ");
        dimension(x, t->dims[k], &alone);
    }
    buf_puts(x->out, t->ranked ? "];" : ";");
    if (alone.len) buf_puts(x->out, "  # "), put_comment(x->out, buf_text(&alone));
    buf_putc(x->out, '\n');
    buf_free(&alone);
}

static void where(struct printer *x) {
    buf_puts(x->out, "  # loosen what need not be so: `_` is any dimension, "
                     "`..` any number of them\n  where {\n");
    for (uint32_t i = 0; i < x->p->inputs.len; i++) annotation(x, x->p->inputs.at[i]);
    for (uint32_t i = 0; i < x->constants.len; i++) {
        const struct written *c = &x->constants.at[i];
        if (c->known.text) continue;
        buf_printf(x->out, "    const %s%s;\n", c->known.kind == CAP_SCALAR ? "scalar " : "",
                   cap_name(&x->names, x->p->g, c->v));
    }
    buf_puts(x->out, "  }\n");
}

/* --- emit ---------------------------------------------------------------------------- */

/* Nodes that the roots need and that do not stay. */
static bool *emitted(const struct printer *x) {
    const struct cap_place *p = x->p;
    bool *wanted = arena_zalloc(p->arena, p->nodes.len + 1);
    for (uint32_t i = p->nodes.len; i-- > 0;) {
        ir_node n = p->nodes.at[i];
        for (uint32_t k = 0; k < ir_nod(p->g, n)->nout; k++)
            wanted[i] |= ir_output(p->g, n, k) != IR_NONE &&
                         cap_is_root(p, ir_output(p->g, n, k));
        if (cap_is_kept(p, n)) wanted[i] = false;
        for (uint32_t k = 0; wanted[i] && k < ir_nod(p->g, n)->nin; k++) {
            ir_value v = ir_input(p->g, n, k);
            if (v != IR_NONE && cap_is_inside(p, v))
                wanted[map_get(&p->at, ir_val(p->g, v)->producer)] = true;
        }
    }
    return wanted;
}

static void emit(struct printer *x) {
    const bool *wanted = emitted(x);
    x->in_emit = true;
    buf_puts(x->out, "  # write here what is to take their place; as it stands, the same nodes\n"
                     "  emit {\n");
    for (uint32_t i = 0; i < x->p->nodes.len; i++) {
        if (!wanted[i]) continue;
        buf_puts(x->out, "    ");
        node(x, i);
        buf_putc(x->out, '\n');
    }
    buf_puts(x->out, "  }\n");
    x->in_emit = false;
}

/* --- the whole ----------------------------------------------------------------------- */

static bool needs_runtime(const struct cap_place *p) {
    for (uint32_t i = 0; i < p->nodes.len; i++) {
        const struct ir_schema *s = ir_nod(p->g, p->nodes.at[i])->schema;
        if (rw_streq(ir_domain_name(p->g, p->nodes.at[i]), "com.microsoft")) return true;
        if (!ir_schema_find(s->domain, s->name, ir_opset(p->g, s->domain))) return true;
    }
    return false;
}

int64_t cap_own_opset(const struct cap_place *p) {
    int64_t opset = ir_opset(p->g, "");
    return opset ? opset : ir_schema_newest_opset("");
}

void cap_opsets(const struct cap_place *p, struct cap_form *form) {
    int64_t opset = cap_own_opset(p);
    form->opset_least = opset < 7 ? opset : 7; /* numpy's broadcasting begins there */
    form->opset_most = 0;
    for (uint32_t i = 0; i < p->nodes.len; i++) {
        size_t n;
        const struct ir_schema *s = ir_nod(p->g, p->nodes.at[i])->schema;
        const int32_t *epochs = ir_op_epochs(s->domain, s->name, &n);
        for (size_t k = 0; k < n && !*s->domain; k++) {
            if (epochs[k] <= opset && epochs[k] > form->opset_least)
                form->opset_least = epochs[k];
            if (epochs[k] > opset && (!form->opset_most || epochs[k] <= form->opset_most))
                form->opset_most = epochs[k] - 1;
        }
    }
}

static void head(struct printer *x, const char *name) {
    const struct cap_form *f = x->form;
    struct ir_graph *g = x->p->g;
    buf_printf(x->out, "# %u node%s of ", x->p->nodes.len, x->p->nodes.len == 1 ? "" : "s");
    put_comment(x->out, os_basename(ir_model_name(g->model)));
    for (uint32_t i = 0; i < x->p->outputs.len; i++) {
        buf_puts(x->out, i ? ", " : ", to ");
        put_comment(x->out, ir_val(g, x->p->outputs.at[i])->name);
    }
    buf_putc(x->out, '\n');
    buf_printf(x->out, "pack %s {\n  version 1.0\n  opset ai.onnx >= %" PRId64, name,
               f->opset_least);
    if (f->opset_most) buf_printf(x->out, " <= %" PRId64, f->opset_most);
    buf_printf(x->out, "\n}\n\nrule %s {\n", name);
}

/* Rules and values do not share their names. */
static const char *rule_name(struct printer *x) {
    struct cap_names other;
    cap_names_init(&other, x->p->arena);
    return x->form->name ? x->form->name
                         : cap_name_as(&other, x->p->g, x->p->outputs.at[0], CAP_ROOT);
}

void cap_print(const struct cap_place *p, const struct cap_form *form, struct buf *out) {
    struct printer x = {.p = p, .form = form, .out = out};
    prepare(&x);
    head(&x, rule_name(&x));
    match(&x);
    where(&x);
    emit(&x);
    if (needs_runtime(p)) buf_puts(out, "  target ort\n");
    if (form->shapes_by_rule)
        buf_puts(out, "  # inference cannot prove it here: see that the shapes stay the same\n"
                      "  shapes by rule\n");
    cap_print_example(p, &x.names, out);
    buf_puts(out, "}\n");
}
