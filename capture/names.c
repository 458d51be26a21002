/* names.c -- names for a rule, made from those of a model.
 *
 * Of "encoder.layer.0.query.bias" remains `query_bias`. Of "/layer.0/query/Add_1_output_0"
 * remains `add` inside of the subgraph and `query` at its ends, of "onnx::MatMul_295" or
 * "295" nothing: no letter of it helps a reader.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "capture/impl.h"

#define MOST_LETTERS 32u

/* Words of rules and of ONNX text that are no names, or easily taken for something else. */
static const char *const reserved[] = {
    "abs", "absent", "again", "all", "any", "as", "atomic", "auto", "bfloat16", "bool",
    "broadcasts", "by", "chain", "changes", "class", "complex128", "complex64", "compose",
    "const", "dim", "double", "dtype", "each", "else", "emit", "example", "exp", "false",
    "float", "float16", "floor", "for", "function", "graph", "if", "in", "inf",
    "infinity", "input", "int16", "int2", "int32", "int4", "int64", "int8", "interface",
    "inverse", "iota", "is_const", "is_input", "is_output", "keep", "len", "log",
    "lossless", "made_by", "map", "match", "max", "min", "nan", "near", "none", "only",
    "opaque", "operator", "opset", "optional", "otherwise", "output", "pack", "param",
    "pass", "pattern", "phase", "priority", "prod", "rank", "requires", "rule", "same",
    "scalar", "seq", "shape", "shapes", "sparse_tensor", "splat", "sqrt", "string", "sum",
    "target", "true", "uint16", "uint2", "uint32", "uint4", "uint64", "uint8",
    "undefined", "use", "uses", "value", "version", "when", "where"};

static bool is_reserved(const char *name) {
    for (size_t i = 0; i < countof(reserved); i++)
        if (rw_streq(reserved[i], name)) return true;
    return ir_dtype_from_name(name) != IR_UNDEFINED;
}

void cap_names_init(struct cap_names *x, struct arena *a) {
    x->arena = a;
    intern_init(&x->taken, a);
    map_init(&x->of_value, a);
    map_init(&x->of_dim, a);
}

/* --- letters ------------------------------------------------------------------------- */

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* LayerNorm, QKVProj: layer_norm, qkv_proj. */
static bool begins_word(const char *text, size_t i, size_t len) {
    if (i == 0 || !is_upper(text[i])) return false;
    return is_lower(text[i - 1]) || is_digit(text[i - 1]) ||
           (is_upper(text[i - 1]) && i + 1 < len && is_lower(text[i + 1]));
}

static void snake(const char *text, size_t len, struct buf *out) {
    for (size_t i = 0; i < len && out->len < MOST_LETTERS; i++) {
        char c = text[i];
        bool letter = is_upper(c) || is_lower(c) || is_digit(c);
        bool gap = !letter || begins_word(text, i, len);
        if (gap && out->len > 0 && out->at[out->len - 1] != '_') buf_putc(out, '_');
        if (letter) buf_putc(out, is_upper(c) ? (char)(c + 'a' - 'A') : c);
    }
    while (out->len > 0 && out->at[out->len - 1] == '_') out->at[--out->len] = 0;
}

/* --- names --------------------------------------------------------------------------- */

static bool is_taken(const struct cap_names *x, const char *text) {
    return intern_find(&x->taken, text) != MAP_NONE;
}

static const char *numbered(struct cap_names *x, const char *name) {
    const char *text = name;
    bool is_word = is_reserved(name);
    for (uint32_t i = is_word ? 1 : 2; is_taken(x, text) || (is_word && text == name); i++)
        text = arena_printf(x->arena, "%s_%u", name, i);
    return text;
}

const char *cap_fresh(struct cap_names *x, const char *hint) {
    struct buf name = {0};
    snake(hint, strlen(hint), &name);
    if (name.len == 0 || is_digit(*name.at)) {
        struct buf behind = {0};
        buf_printf(&behind, "v%s%s", name.len ? "_" : "", buf_text(&name));
        buf_free(&name);
        name = behind;
    }
    sym_t id = intern(&x->taken, numbered(x, buf_text(&name)));
    buf_free(&name);
    return intern_text(&x->taken, id);
}

static bool is_separator(char c) { return c == '/' || c == '.' || c == ':'; }

/* The last part of a path, without what exporters put behind it. */
static struct ir_string last_part(struct ir_string path) {
    size_t begin = path.len;
    while (begin > 0 && !is_separator(path.at[begin - 1])) begin--;
    return (struct ir_string){path.at + begin, path.len - begin};
}

static struct ir_string above(struct ir_string path) {
    size_t len = path.len - last_part(path).len;
    while (len > 0 && is_separator(path.at[len - 1])) len--;
    return (struct ir_string){path.at, len};
}

static bool has_letter(struct ir_string s) {
    for (size_t i = 0; i < s.len; i++)
        if (is_lower(s.at[i]) || is_upper(s.at[i])) return true;
    return false;
}

static bool equals(struct ir_string s, const char *text) {
    return s.len == strlen(text) && memcmp(s.at, text, s.len) == 0;
}

static struct ir_string without_output(const char *name) {
    struct ir_string s = {name, strlen(name)};
    size_t len = s.len;
    while (len > 0 && is_digit(s.at[len - 1])) len--;
    static const char tail[] = "_output_";
    size_t n = sizeof tail - 1;
    if (len > n && memcmp(s.at + len - n, tail, n) == 0) s.len = len - n;
    return s;
}

/* Is it one that a graph has for want of a better one: 295, onnx::Add_295, val_12? */
static bool is_made_up(struct ir_string path, struct ir_string last) {
    return !has_letter(last) || (path.len > 6 && memcmp(path.at, "onnx::", 6) == 0) ||
           (last.len > 4 && memcmp(last.at, "val_", 4) == 0);
}

/* Add, Add_12: the operator's name, counted. */
static bool is_of_op(const struct ir_graph *g, ir_value v, struct ir_string last) {
    while (ir_has(g, v, IR_IS_OUTER)) v = ir_val(g, v)->outer, g = g->outer;
    ir_node n = ir_val(g, v)->producer;
    const char *op = n == IR_NONE ? "Constant" : ir_op_name(g, n);
    size_t len = last.len;
    while (len > 0 && is_digit(last.at[len - 1])) len--;
    if (len < last.len && len > 0 && last.at[len - 1] == '_') len--;
    return equals((struct ir_string){last.at, len}, op);
}

static const char *instead(const struct ir_graph *g, ir_value v, enum cap_role role) {
    const struct ir_tensor *t = ir_const(g, v);
    double x;
    if (t && t->count == 1 && ir_dtype_is_float(t->dtype) &&
        ir_tensor_double_at(g->model, t, 0, &x) && x > 0 && x < 0.01)
        return "eps";
    if (t) return t->count == 1 ? "c" : "w";
    ir_node n = ir_val(g, v)->producer;
    if (role == CAP_INSIDE && n != IR_NONE) return ir_op_name(g, n);
    return role == CAP_ROOT ? "y" : "x";
}

static const char *hint_of(struct cap_names *x, const struct ir_graph *g, ir_value v,
                           enum cap_role role) {
    const struct ir_graph *home = g;
    ir_value at = v;
    while (ir_has(home, at, IR_IS_OUTER)) at = ir_val(home, at)->outer, home = home->outer;
    struct ir_string path = without_output(ir_val(home, at)->name);
    struct ir_string last = last_part(path), up = above(path);
    bool shared = equals(last, "weight") || equals(last, "bias") || equals(last, "kernel");
    struct ir_string module = last_part(up);
    while (up.len > 0 && !has_letter(module)) up = above(up), module = last_part(up);
    if (is_made_up(path, last)) return instead(g, v, role);
    if (is_of_op(g, v, last)) {
        bool has_module = has_letter(module) && role != CAP_INSIDE && !ir_const(g, v);
        if (!has_module) return instead(g, v, role);
        return arena_strndup(x->arena, module.at, module.len);
    }
    if (!shared || !has_letter(module)) return arena_strndup(x->arena, last.at, last.len);
    return arena_printf(x->arena, "%.*s_%.*s", (int)module.len, module.at, (int)last.len,
                        last.at);
}

const char *cap_name_as(struct cap_names *x, const struct ir_graph *g, ir_value v,
                        enum cap_role role) {
    uint32_t id = map_get(&x->of_value, v);
    if (id != MAP_NONE) return intern_text(&x->taken, id);
    const char *name = cap_fresh(x, hint_of(x, g, v, role));
    map_put(&x->of_value, v, intern_find(&x->taken, name));
    return name;
}

const char *cap_name(struct cap_names *x, const struct ir_graph *g, ir_value v) {
    return cap_name_as(x, g, v, CAP_INSIDE);
}

const char *cap_dim_name(struct cap_names *x, const struct ir_dims *dims, ir_dim d) {
    d = ir_dim_find(dims, d);
    uint32_t id = map_get(&x->of_dim, d);
    if (id != MAP_NONE) return intern_text(&x->taken, id);
    const char *param = ir_dim_param(dims, d);
    const char *name = cap_fresh(x, param ? param : "n");
    map_put(&x->of_dim, d, intern_find(&x->taken, name));
    return name;
}
