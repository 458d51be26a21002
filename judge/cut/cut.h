/* cut.h -- what a rewrite is run on: the nodes of before and after, and what both see.
 * Private to judge/.
 *
 * cut_before takes down the matched nodes, cut_after the new ones; cut_grow then adds
 * nodes upstream. The ports are the values that neither part makes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_CUT_CUT_H
#define JUDGE_CUT_CUT_H

#include "judge/inputs.h"
#include "matcher/matcher.h"

/* A node as it was, when it is gone. Bodies see what `in` says too. */
struct cut_node {
    ir_node id; /* IR_NONE: another one has it by now */
    uint32_t nin, nout;
    ir_value *in, *out;
    bool rounds; /* its first output is rounded to integers */
};
struct cut_side {
    struct ir_slice *slice;
    VEC(struct cut_node) nodes;
};
/* A value that is seen and not made. */
struct cut_port {
    ir_value v;
    const struct ir_tensor *constant; /* or NULL */
    const struct ir_type *type;       /* of one that is no constant */
    const struct ir_symval *symval;
    bool seen[2]; /* by the nodes of before, of after */
};
struct cut {
    struct arena *a; /* of one rewrite */
    struct ir_graph *g;
    struct ir_numbering numbers;
    struct cut_side side[2]; /* before, after */
    VEC(struct cut_node) above; /* added upstream, to both sides; the last one first */
    VEC(struct cut_port) ports;
    uint32_t nresults;
    const struct pm_exchange *results; /* what must be the same */
    struct map constants; /* value -> index in tensors: as they were before */
    VEC(const struct ir_tensor *) tensors;
    bool quantised; /* some node rounds to integers */
    bool doubted;   /* a narrower one came out different */
    bool older;     /* before is of an older opset, so nothing can be added to both */
};

void cut_before(struct cut *c, struct arena *a, const struct pm_subject *m);
void cut_after(struct cut *c, const struct pm_change *change);
/* Takes in the nodes that make ports, `levels` deep, at most `most` of them. false: there
 * were none that could be added. */
bool cut_grow(struct cut *c, uint32_t levels, uint32_t most);

/* --- values.c: what is fed ------------------------------------------------------------ */
/* Plans of sizes: all different, alike, larger, ones; and two for what came out different in a
 * narrower cut, with every other size long, as positions must be to reach the last bucket. */
#define CUT_PLANS 4
#define CUT_ONES (CUT_PLANS - 1)
#define CUT_ALL_PLANS (CUT_PLANS + 2)
enum cut_fill { CUT_RANDOM, CUT_SMALL, CUT_NEGATIVE, CUT_POSITIVE, CUT_LARGE, CUT_BLANK, CUT_FILLS,
                CUT_FITTED = CUT_FILLS, CUT_FAR };
/* A port that is no constant, in the sizes of a plan. */
struct cut_input {
    const struct cut_port *port;
    const char *name;
    enum ir_dtype dtype;
    uint32_t rank, nknown;
    const int64_t *dims;
    const int64_t *known; /* its elements, where inference knows them; or NULL */
    int64_t zero;         /* the zero point of integers that count steps */
};
struct cut_inputs {
    uint32_t n, plan;
    struct cut_input *at;
};
/* Are there integers among them that nothing is known of, and that may count or place something? */
bool cut_has_integers(const struct cut_inputs *in);
/* false: the plan does not go, *why tells. */
bool cut_inputs(struct cut *c, uint32_t plan, struct cut_inputs *out, const char **why);
/* Those of the first plan that goes. */
bool cut_any_inputs(struct cut *c, struct cut_inputs *out, const char **why);
struct cut_draw {
    enum cut_fill fill;
    double by;      /* of CUT_FITTED: how large, 1 as CUT_RANDOM; integers from their zero on */
    uint32_t again; /* draws of one kind differ by it */
};
/* Values for all of them; false when a type cannot be made up. */
bool cut_values(struct cut *c, const struct cut_inputs *in, const struct cut_draw *draw,
                struct judge_values *out);
/* Those that a side sees. */
struct judge_values cut_seen(struct cut *c, const struct cut_inputs *in,
                             const struct judge_values *all, uint32_t side);

/* --- model.c: a side as a model ------------------------------------------------------- */
/* Its outputs are the results. key: with weights told by type and shape alone. */
bool cut_pack(struct cut *c, const struct cut_inputs *in, uint32_t side, bool key,
              struct buf *out, const char **why);
/* Bytes that are the same for cuts which need to be run but once: weights stand in them by
 * type and shape alone. None when there are no such. */
void cut_key(struct cut *c, enum rule_class class, struct buf *out);
/* The names in it of what the old nodes round to integers. */
const char *const *cut_rounded(struct cut *c, uint32_t *n);

/* --- told.c: what results say --------------------------------------------------------- */
/* Are enough elements of a result finite to say something, and, where nodes were added above
 * or it is rounded, not of one value, nor so large that a difference drowns in them, nor at an
 * end of the integers? *elements: how many say it; UINT64_MAX where all do. */
bool cut_tells(const struct cut *c, const struct ir_tensor *x, uint64_t *elements);
/* How well what is rounded to integers is spread over them; larger is better. */
double cut_spread(const struct cut *c, const struct judge_values *out);

/* --- run.c: both sides in the runtime ------------------------------------------------- */
enum cut_result { CUT_SAME, CUT_DIFFERENT, CUT_UNKNOWN };
struct cut_verdict {
    enum cut_result result;
    bool inexact; /* of CUT_SAME: but not bit by bit */
    const char *why; /* in the arena of the cut */
};
struct cut_verdict cut_judge(struct cut *c, struct judge *j, enum rule_class class);

#endif
