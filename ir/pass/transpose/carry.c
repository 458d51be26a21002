/* carry.c -- parameters of nodes whose operands are permuted.
 *
 * An axis a becomes p[a]; what is listed by axis is permuted. Each is written in the form
 * that the node's version of the operator has, attribute or operand. The table has made
 * sure that what is read here is known.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/param.h"
#include "ir/pass/kit.h"
#include "ir/pass/transpose/axes.h"
#include "ir/tensor/tensor_bytes.h"

/* --- writing -------------------------------------------------------------------------- */

static void set_operand(struct ir_graph *g, ir_node n, uint32_t slot, const char *name,
                        struct ir_tensor *t) {
    ir_value old = ir_input(g, n, slot);
    if (ir_nod(g, n)->nin <= slot) ir_set_input_count(g, n, slot + 1);
    ir_set_input(g, n, slot, ir_add_constant(g, name, t));
    if (old != IR_NONE && ir_const(g, old)) ir_drop_constant(g, old);
}

/* Integers of the type that was there; of the first list (starts) where none was. */
static struct ir_tensor *integers(struct ir_graph *g, ir_node n, uint32_t slot,
                                  uint32_t count, const int64_t *items) {
    ir_value old = ir_input(g, n, slot);
    if (old == IR_NONE && ir_is_op(g, n, "Slice")) old = ir_input(g, n, 1);
    enum ir_dtype t = old == IR_NONE ? IR_INT64 : ir_type_dtype(ir_val(g, old)->type);
    if (t != IR_INT32) return ir_tensor_ints(g->model->arena, count, items);
    unsigned char bytes[4 * 2 * IR_PERM_MAX];
    for (uint32_t i = 0; i < count; i++)
        ir_store_le(bytes + (size_t)4 * i, 4, (uint64_t)items[i]);
    const int64_t dims[] = {count};
    return ir_tensor_new(g->model->arena, t, 1, dims, bytes);
}

static void write_ints(struct ir_graph *g, ir_node n, const char *name, uint32_t count,
                       const int64_t *items) {
    const struct ir_schema *s = ir_nod(g, n)->schema;
    int slot = ir_param_operand(s->domain, s->name, name, s->since);
    if (slot >= 0) {
        set_operand(g, n, (uint32_t)slot, name,
                    integers(g, n, (uint32_t)slot, count, items));
        return;
    }
    name = ir_param_attr_name(s, ir_param_def(s->domain, s->name, name));
    struct ir_attr x = ir_attr_ints(name, count, items);
    ir_set_attr(g, n, &x);
}

/* --- reading -------------------------------------------------------------------------- */

/* The items of a list parameter; 0 when it is not given. */
static uint32_t read_ints(const struct ir_graph *g, ir_node n, const char *name,
                          int64_t *items) {
    struct arena work = ARENA_EMPTY;
    struct ir_param x = ir_param(g, n, name, &work);
    bool given = x.source == IR_PARAM_ATTR || x.source == IR_PARAM_CONST;
    uint32_t count = 0;
    if (given && x.attr.type == IR_ATTR_INT) items[count++] = x.attr.i;
    else if (given && x.attr.type == IR_ATTR_INTS)
        for (; count < x.attr.n && count < 2 * IR_PERM_MAX; count++)
            items[count] = x.attr.ints[count];
    arena_free(&work);
    return count;
}

static int64_t moved(struct ir_perm p, int64_t axis) {
    return p.at[axis < 0 ? axis + p.rank : axis];
}

/* --- axes ----------------------------------------------------------------------------- */

void ir_carry_axis(struct ir_graph *g, ir_node n, struct ir_perm p) {
    int64_t axis;
    if (!read_ints(g, n, "axis", &axis)) return;
    struct ir_attr x = ir_attr_int("axis", moved(p, axis));
    ir_set_attr(g, n, &x);
}

void ir_carry_axis_input(struct ir_graph *g, ir_node n, struct ir_perm p) {
    struct ir_tensor *t = ir_const(g, ir_input(g, n, 1));
    int64_t axis;
    if (!t || !ir_tensor_int_at(g->model, t, 0, &axis)) return;
    unsigned char bytes[8];
    uint32_t width = ir_dtype_bits(t->dtype) / 8;
    ir_store_le(bytes, width, (uint64_t)moved(p, axis));
    set_operand(g, n, 1, "axis",
                ir_tensor_new(g->model->arena, t->dtype, t->rank, t->dims, bytes));
}

static bool move_axes(struct ir_graph *g, ir_node n, struct ir_perm p) {
    int64_t axes[2 * IR_PERM_MAX];
    uint32_t count = read_ints(g, n, "axes", axes);
    for (uint32_t i = 0; i < count; i++) axes[i] = moved(p, axes[i]);
    if (count) write_ints(g, n, "axes", count, axes);
    return count > 0;
}

void ir_carry_axes(struct ir_graph *g, ir_node n, struct ir_perm p) { move_axes(g, n, p); }

/* Up to opset 10 onnx.checker expects those of Squeeze in order. */
void ir_carry_axis_set(struct ir_graph *g, ir_node n, struct ir_perm p) {
    int64_t axes[2 * IR_PERM_MAX], ordered[IR_PERM_MAX];
    uint32_t given = read_ints(g, n, "axes", axes), count = 0, mask = 0;
    for (uint32_t i = 0; i < given; i++) mask |= 1u << moved(p, axes[i]);
    for (uint32_t i = 0; i < p.rank; i++)
        if (mask >> i & 1) ordered[count++] = i;
    if (count) write_ints(g, n, "axes", count, ordered);
}

/* --- an item for each axis ------------------------------------------------------------ */

static void permute_ints(struct ir_graph *g, ir_node n, const char *name,
                         struct ir_perm p) {
    int64_t old[2 * IR_PERM_MAX], now[2 * IR_PERM_MAX];
    uint32_t count = read_ints(g, n, name, old);
    for (uint32_t i = 0; i < count; i++)
        now[p.at[i % p.rank] + i / p.rank * p.rank] = old[i];
    if (count) write_ints(g, n, name, count, now);
}

void ir_carry_pads(struct ir_graph *g, ir_node n, struct ir_perm p) {
    if (!move_axes(g, n, p)) permute_ints(g, n, "pads", p);
}

/* Operands that are one in every version, as integers. */
static void permute_operand(struct ir_graph *g, ir_node n, uint32_t slot,
                            struct ir_perm p) {
    struct ir_tensor *t = ir_const(g, ir_input(g, n, slot));
    int64_t now[IR_PERM_MAX];
    for (uint32_t i = 0; i < p.rank; i++)
        if (!ir_tensor_int_at(g->model, t, i, &now[p.at[i]])) return;
    set_operand(g, n, slot, ir_val(g, ir_input(g, n, slot))->name,
                ir_tensor_ints(g->model->arena, p.rank, now));
}

void ir_carry_items(struct ir_graph *g, ir_node n, struct ir_perm p) {
    permute_operand(g, n, 1, p);
}

/* --- Resize --------------------------------------------------------------------------- */

static void permute_scales(struct ir_graph *g, ir_node n, uint32_t slot, struct ir_perm p) {
    struct ir_tensor *t = ir_const(g, ir_input(g, n, slot));
    unsigned char bytes[4 * IR_PERM_MAX];
    for (uint32_t i = 0; i < p.rank; i++) {
        double x;
        uint32_t word;
        if (!ir_tensor_double_at(g->model, t, i, &x)) return;
        float f = (float)x;
        memcpy(&word, &f, sizeof word);
        ir_store_le(bytes + (size_t)4 * p.at[i], 4, word);
    }
    const int64_t dims[] = {p.rank};
    set_operand(g, n, slot, "scales",
                ir_tensor_new(g->model->arena, IR_FLOAT, 1, dims, bytes));
}

void ir_carry_scales(struct ir_graph *g, ir_node n, struct ir_perm p) {
    if (move_axes(g, n, p)) return;
    bool newer = ir_is_op(g, n, "Resize") && ir_nod(g, n)->nin > 2;
    uint32_t scales = newer ? 2 : 1;
    bool by_sizes = newer && ir_input(g, n, 3) != IR_NONE;
    if (by_sizes) permute_operand(g, n, 3, p);
    else permute_scales(g, n, scales, p);
}
