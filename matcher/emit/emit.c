/* emit.c -- the statements of emit, and the exchange of old for new.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/emit/emit.h"

bool pm_refuse(struct pm_build *b, const char *why) {
    if (!b->why) b->why = why;
    return false;
}

/* --- proofs ----------------------------------------------------------------------- */
static void note_promise(struct pm_build *b, const struct ir_type *was, const struct ir_type *is) {
    if (!ir_type_ranked(was) || !ir_type_ranked(is)) return;
    for (uint32_t i = 0; i < was->rank; i++) {
        struct pm_promise p = {was->dims[i], is->dims[i]};
        vec_push(b->done->arena, &b->done->promises, p);
    }
}

void pm_keep_promises(struct ir_graph *g, const struct pm_done *done) {
    if (g->outer || g->function) return;
    for (uint32_t i = 0; i < done->promises.len; i++)
        ir_dim_unify(g->model->dims, done->promises.at[i].was, done->promises.at[i].is);
}

static bool type_is_proven(struct pm_build *b, ir_value old, ir_value now) {
    const struct ir_dims *t = b->g->model->dims;
    const struct ir_type *was = ir_val(b->g, old)->type, *is = ir_val(b->g, now)->type;
    if (ir_type_equal(t, was, is) == IR_TRUE) return true;
    if (ir_type_dtype(was) == IR_UNDEFINED || ir_type_dtype(was) != ir_type_dtype(is))
        return pm_refuse(b, "the element type is not proven to stay");
    if (b->match->accept->rule->shapes_by_rule && ir_shape_equal(t, was, is) != IR_FALSE) {
        note_promise(b, was, is);
        return true;
    }
    return pm_refuse(b, "the shape is not proven to stay");
}

static bool precedes_users(const struct ir_graph *g, ir_value now, ir_value old) {
    ir_node n = ir_val(g, now)->producer;
    if (n == IR_NONE) return true;
    for (ir_use u = ir_val(g, old)->uses; u != IR_NONE; u = g->uses.at[u].next)
        if (g->uses.at[u].user != IR_NONE && !ir_precedes(g, n, g->uses.at[u].user))
            return false;
    return true;
}

/* --- old for new ------------------------------------------------------------------ */
static void note_users(struct pm_build *b, ir_value old) {
    struct pm_done *d = b->done;
    for (ir_use u = ir_val(b->g, old)->uses; u != IR_NONE; u = b->g->uses.at[u].next)
        if (b->g->uses.at[u].user != IR_NONE)
            vec_push(d->arena, &d->users, b->g->uses.at[u].user);
}

/* Numbers where there were none, and all else the same? */
static bool says_more(const struct ir_dims *t, const struct ir_type *was,
                      const struct ir_type *is) {
    if (ir_type_dtype(was) != ir_type_dtype(is) || !ir_type_ranked(is)) return false;
    if (!ir_type_ranked(was)) return true;
    bool more = false;
    int64_t size;
    for (uint32_t i = 0; i < was->rank && was->rank == is->rank; i++) {
        if (is->dims[i] == was->dims[i]) continue;
        if (ir_dim_is_const(t, was->dims[i], &size) || !ir_dim_is_const(t, is->dims[i], &size))
            return false;
        more = true;
    }
    return more;
}

/* What was known of a value still holds; where a rule answers for its shape, what is emitted may
 * say more. */
static const struct ir_type *known_type(const struct pm_build *b, ir_value old,
                                        ir_value now) {
    const struct ir_type *was = ir_val(b->g, old)->type, *is = ir_val(b->g, now)->type;
    bool more = says_more(b->g->model->dims, was, is);
    return more && !ir_has(b->g, old, IR_IS_OUTPUT) ? is : was;
}

bool pm_move_value(struct pm_build *b, ir_value old, ir_value now) {
    ir_node n = ir_val(b->g, now)->producer;
    uint32_t k = ir_val(b->g, now)->output;
    const struct ir_type *type = known_type(b, old, now);
    ir_detach_output(b->g, ir_val(b->g, old)->producer, ir_val(b->g, old)->output);
    ir_detach_output(b->g, n, k);
    ir_attach_output(b->g, n, k, old);
    ir_set_type(b->g, old, type);
    ir_remove_value(b->g, now);
    return ir_restore_order(b->g, n) ? true : pm_refuse(b, "the match is not convex");
}

/* A node that stands for matched nodes, or the body of a staged operator: what is known of
 * its results was found out by way of them. */
static bool is_stand_in(const struct pm_build *b, ir_value v) {
    ir_node n = ir_val(b->g, v)->producer;
    return n != IR_NONE && (n == b->call || (b->done->staged && n == b->done->staged->node));
}

static bool take_place(struct pm_build *b, ir_value old, ir_value now, bool fresh) {
    if (now == IR_NONE) return pm_refuse(b, "what is emitted for a value is absent");
    if (now == old) return pm_refuse(b, "a value would replace itself");
    if (!is_stand_in(b, now) && !type_is_proven(b, old, now)) return false;
    note_users(b, old);
    bool moves = fresh && ir_val(b->g, now)->nuses == 0 &&
                 ir_val(b->g, now)->producer != IR_NONE && !ir_const(b->g, now);
    vec_push(b->done->arena, &b->done->exchanged,
             (struct pm_exchange){old, moves ? old : now});
    if (moves) return pm_move_value(b, old, now);
    if (!ir_can_replace(b->g, old, now))
        return pm_refuse(b, "a graph output cannot become what is emitted");
    bool in_order = precedes_users(b->g, now, old);
    vec_push(b->done->arena, &b->done->released, now);
    ir_replace_value(b->g, old, now);
    if (in_order || ir_restore_order(b->g, ir_val(b->g, now)->producer)) return true;
    return pm_refuse(b, "the match is not convex");
}

/* --- statements ------------------------------------------------------------------- */
/* The value that a statement redefines: a root, or one that the match keeps. */
static ir_value redefined(const struct pm_build *b, uint32_t slot) {
    uint32_t flags = b->match->accept->rule->slots[slot].flags;
    struct pm_binding x = b->match->slots[slot];
    return !(flags & SLOT_NEW) && pm_is_set(x) ? x.a : IR_NONE;
}

static bool is_needed(const struct pm_build *b, uint32_t slot) {
    if (slot == SLOT_NONE) return false;
    if (b->match->accept->rule->slots[slot].flags & SLOT_NEW) return true;
    ir_value old = redefined(b, slot);
    return old != IR_NONE && ir_val(b->g, old)->nuses > 0;
}

static bool assign(struct pm_build *b, uint32_t slot, ir_value now, bool fresh) {
    ir_value old = redefined(b, slot);
    if (old == IR_NONE || ir_val(b->g, old)->nuses == 0) {
        b->env->slots[slot] = (struct pm_binding){BOUND_VALUE, now, 0, 0};
        return true;
    }
    if (!take_place(b, old, now, fresh)) return false;
    bool moved = !ir_has(b->g, old, IR_IS_DEAD) && ir_val(b->g, old)->nuses > 0;
    b->env->slots[slot] = (struct pm_binding){BOUND_VALUE, moved ? old : now, 0, 0};
    return true;
}

/* A number that is a statement by itself has the type of what it replaces. */
static bool number_stmt(struct pm_build *b, const struct emit_stmt *s, ir_value *out) {
    const struct emit *e = s->what;
    struct pm_val v =
        e->kind == EMIT_EXPR ? pm_eval(b->env, e->expr) : pm_literal_value(&e->lit);
    *out = v.value;
    if (v.kind == VAL_VALUE) return true;
    if (v.kind == VAL_LIST) return pm_emit_dims(b, v, false, out);
    enum ir_dtype t = IR_UNDEFINED;
    ir_value old = IR_NONE;
    if (s->nouts > 0 && s->outs[0] != SLOT_NONE) old = redefined(b, s->outs[0]);
    if (old != IR_NONE) t = ir_type_dtype(ir_val(b->g, old)->type);
    struct ir_tensor *x = t == IR_UNDEFINED ? NULL : pm_number_tensor(b->g->model, v, t, 0);
    if (!x) return pm_refuse(b, "a constant stands where its type cannot be told");
    *out = pm_add_constant(b, x);
    return true;
}

/* Which member output k is for; *to has n numbers, each once. */
static bool member_order(struct pm_build *b, const struct expr *order, uint32_t n,
                         uint32_t *to) {
    bool *seen = arena_zalloc(b->env->site.arena, n * sizeof *seen);
    struct pm_val list = {.kind = VAL_LIST, .n = n};
    if (order) list = pm_known(b->env, pm_eval(b->env, order));
    if (list.kind != VAL_LIST || list.n != n)
        return pm_refuse(b, "an order of members does not name each of them once");
    for (uint32_t k = 0; k < n; k++) {
        struct pm_val at = order ? list.items[k] : pm_int(k);
        if (at.kind != VAL_INT || at.i < 0 || at.i >= (int64_t)n || seen[at.i])
            return pm_refuse(b, "an order of members does not name each of them once");
        to[k] = (uint32_t)at.i;
        seen[at.i] = true;
    }
    return true;
}

/* `..m = Split(...)`: an output for each member. */
static bool run_spread(struct pm_build *b, const struct emit_stmt *s) {
    struct pm_binding m = b->env->slots[s->spread_out];
    if (m.kind != BOUND_MEMBERS) return pm_refuse(b, "there is no family");
    struct arena *a = b->env->site.arena;
    bool *wanted = arena_zalloc(a, m.b * sizeof *wanted);
    ir_value *out = arena_new_array(a, ir_value, m.b);
    uint32_t *to = arena_new_array(a, uint32_t, m.b);
    if (!member_order(b, s->order, m.b, to)) return false;
    for (uint32_t k = 0; k < m.b; k++) wanted[k] = true;
    struct pm_draft d = {0};
    if (!pm_draft_node(b, s->what, &d) || !pm_make(b, &d, m.b, wanted, out)) return false;
    for (uint32_t k = 0; k < m.b; k++)
        if (!take_place(b, b->env->site.members->at[m.a + to[k]].a, out[k], true))
            return false;
    return true;
}

bool pm_run_stmt(struct pm_build *b, const struct emit_stmt *s) {
    struct arena *a = b->env->site.arena;
    if (s->spread_out != SLOT_NONE) return run_spread(b, s);
    uint32_t n = s->nouts;
    bool *wanted = arena_zalloc(a, (n + 1) * sizeof *wanted), any = false;
    ir_value *out = arena_new_array(a, ir_value, n + 1);
    for (uint32_t k = 0; k < n; k++) any |= wanted[k] = is_needed(b, s->outs[k]);
    if (!any) return true;
    bool fresh = s->what->kind == EMIT_NODE;
    if (s->what->wraps) {
        if (!pm_make_function(b, s->what, n, wanted, out)) return false;
    } else if (s->what->staged) {
        if (!pm_make_staged(b, s->what, n, wanted, out)) return false;
    } else if (fresh) {
        struct pm_draft d = {0};
        if (!pm_draft_node(b, s->what, &d) || !pm_make(b, &d, n, wanted, out)) return false;
    } else {
        bool number = s->what->kind == EMIT_LITERAL || s->what->kind == EMIT_EXPR;
        uint32_t before = b->done->made.len;
        if (!(number ? number_stmt(b, s, out) : pm_emit_value(b, s->what, out)))
            return false;
        /* a + b?, b present: the newest node is the value's own. */
        fresh = b->done->made.len > before;
    }
    for (uint32_t k = 0; k < n; k++)
        if (wanted[k] && !assign(b, s->outs[k], out[k], fresh)) return false;
    return true;
}

static bool run_block(struct pm_build *b, const struct emit_block *block) {
    for (uint32_t i = 0; i < block->n; i++)
        if (!pm_run_stmt(b, &block->stmts[i])) return false;
    return true;
}

const struct emit_block *pm_emitted_block(struct pm_env *env, const struct rule *r,
                                          const char **why) {
    for (uint32_t i = 0; i < r->nblocks; i++) {
        enum ir_truth t = r->blocks[i].when ? pm_holds(env, r->blocks[i].when) : IR_TRUE;
        if (why && t == IR_UNKNOWN) *why = "which of its blocks is emitted is not known";
        if (t == IR_UNKNOWN) return NULL;
        if (t == IR_TRUE) return &r->blocks[i];
    }
    if (why) *why = "none of its blocks is emitted";
    return NULL;
}

static bool emit_all(struct pm_build *b) {
    const struct emit_block *block =
        pm_emitted_block(b->env, b->match->accept->rule, &b->why);
    return block && run_block(b, block);
}

/* --- what is left ----------------------------------------------------------------- */
static void drop_constant(struct ir_graph *g, ir_value v) {
    const struct ir_value_info *x = ir_val(g, v);
    uint32_t stays = IR_IS_DEAD | IR_IS_INPUT | IR_IS_OUTPUT | IR_IS_NAMED;
    if (x->nuses > 0 || (x->flags & stays)) return;
    if (x->producer != IR_NONE && x->tensor) ir_remove_node(g, x->producer);
    else if (x->producer == IR_NONE) ir_remove_value(g, v);
}

static void drop_node(struct pm_build *b, ir_node n) {
    struct ir_graph *g = b->g;
    struct pm_done *d = b->done;
    uint32_t first = d->released.len;
    for (uint32_t k = 0; k < ir_nod(g, n)->nin; k++)
        if (ir_input(g, n, k) != IR_NONE)
            vec_push(d->arena, &d->released, ir_input(g, n, k));
    d->nodes -= !ir_is_op(g, n, "Constant");
    ir_remove_node(g, n);
    for (uint32_t i = first; i < d->released.len; i++)
        if (ir_const(g, d->released.at[i])) drop_constant(g, d->released.at[i]);
}

const ir_node *pm_matched_in_order(const struct pm_build *b, uint32_t *n) {
    const struct pm_match *m = b->match;
    ir_node *list = arena_new_array(b->env->site.arena, ir_node, m->nnodes);
    *n = 0;
    for (uint32_t i = 0; i < m->nnodes; i++) {
        uint32_t at = *n;
        while (at > 0 && ir_precedes(b->g, m->nodes[i], list[at - 1])) at--;
        if (at > 0 && list[at - 1] == m->nodes[i]) continue;
        memmove(list + at + 1, list + at, (*n - at) * sizeof *list);
        list[at] = m->nodes[i];
        ++*n;
    }
    return list;
}

/* Matched nodes that nobody sees any more: the last one first, so that those in front of
 * it lose their uses in time. */
static void drop_matched(struct pm_build *b) {
    uint32_t n;
    const ir_node *order = pm_matched_in_order(b, &n);
    for (uint32_t i = n; i-- > 0;)
        if (!ir_is_dead(b->g, order[i]) && ir_is_unused(b->g, order[i]))
            drop_node(b, order[i]);
}

static void drop_unused(struct pm_build *b) {
    struct pm_done *d = b->done;
    d->nodes = d->made.len;
    for (uint32_t i = d->made.len; i-- > 0;)
        if (ir_is_unused(b->g, d->made.at[i])) drop_node(b, d->made.at[i]);
    drop_matched(b);
    for (uint32_t i = 0; i < b->constants.len; i++) drop_constant(b->g, b->constants.at[i]);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->made.len; i++)
        if (!ir_is_dead(b->g, d->made.at[i])) d->made.at[kept++] = d->made.at[i];
    d->made.len = kept;
}

static bool is_matched(const struct pm_match *m, ir_node n) {
    for (uint32_t i = 0; i < m->nnodes; i++)
        if (m->nodes[i] == n) return true;
    return false;
}

/* Every root that is seen was given a new origin. */
static bool roots_are_new(struct pm_build *b) {
    const struct rule *r = b->match->accept->rule;
    for (uint32_t i = 0; i < r->nroots; i++) {
        uint32_t n = pm_values_of(b->match->slots[r->roots[i]]);
        for (uint32_t k = 0; k < n; k++) {
            ir_value v = pm_value_of(&b->env->site, b->match->slots[r->roots[i]], k);
            if (ir_has(b->g, v, IR_IS_DEAD) || ir_val(b->g, v)->nuses == 0) continue;
            if (is_matched(b->match, ir_val(b->g, v)->producer))
                return pm_refuse(b, "emit leaves a root as it was");
        }
    }
    return true;
}

/* A node that breaks a rule of its operator costs this rewrite, not the run. */
static bool made_are_valid(struct pm_build *b) {
    struct intern *texts = &b->g->model->names; /* the reason outlives the step */
    for (uint32_t i = 0; i < b->done->made.len; i++) {
        const char *why = "an emitted node is not valid";
        if (!ir_verify_new_node(b->g, b->done->made.at[i], b->env->site.arena, &why))
            return pm_refuse(b, intern_text(texts, intern(texts, why)));
    }
    return true;
}

/* The last of the roots: what the match has bound stands in front of it, but for what it keeps. */
static ir_node last_root(const struct pm_site *s, const struct pm_match *m) {
    const struct rule *r = m->accept->rule;
    ir_node last = m->nodes[0];
    for (uint32_t i = 0; i < r->nroots; i++)
        for (uint32_t k = pm_values_of(m->slots[r->roots[i]]); k-- > 0;) {
            ir_value v = pm_value_of(s, m->slots[r->roots[i]], k);
            if (ir_precedes(s->g, last, ir_val(s->g, v)->producer))
                last = ir_val(s->g, v)->producer;
        }
    return last;
}

/* What matched nodes demand of their operands holds where they are replaced. Of those that
 * always run inference has said so; of those in bodies it is supposed for this rewrite. */
static void assume_matched(struct ir_graph *g, const struct pm_match *m) {
    for (uint32_t i = 0; i < m->nnodes && (g->outer || g->function); i++)
        if (!ir_is_dead(g, m->nodes[i])) ir_assume_node(g, m->nodes[i]);
}

bool pm_rewrite(struct pm_env *env, const struct pm_match *m, const struct pm_options *o,
                enum pm_form form, struct pm_done *done, const char **why) {
    struct ir_model *model = env->site.g->model;
    const struct rule *r = m->accept->rule;
    struct pm_binding *slots =
        arena_copy(env->site.arena, m->slots, r->nslots * sizeof *m->slots);
    struct pm_env own = *env;
    own.slots = slots;
    const struct pm_binding *root = &m->slots[r->roots[0]];
    struct pm_build b = {.env = &own, .match = m, .g = env->site.g,
                         .place = last_root(&env->site, m), .form = form,
                         .target = env->target, .rule = intern(&model->names, r->name),
                         .fold_limit = o->fold_limit ? o->fold_limit : IR_FOLD_LIMIT,
                         .call = IR_NONE,
                         .hint = pm_values_of(*root)
                                     ? ir_val(env->site.g,
                                              pm_value_of(&env->site, *root, 0))->name
                                     : NULL,
                         .done = done};
    ir_mark_t mark = ir_mark(model);
    uint32_t known = ir_dims_mark(model->dims);
    assume_matched(b.g, m);
    bool ok = emit_all(&b) && roots_are_new(&b);
    ir_dims_undo(model->dims, known);
    done->unpromised = known;
    if (ok) pm_keep_promises(b.g, done);
    if (ok) drop_unused(&b);
    if (ok && done->staged) ok = pm_put_aside(&b);
    if (ok && o->verify != PM_VERIFY_OFF) ok = made_are_valid(&b);
    if (!ok) ir_undo(model, mark);
    *why = b.why ? b.why : "it was not emitted";
    return ok;
}
