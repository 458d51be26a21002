/* relation.c -- how the shapes of an operator's operands depend on each other.
 *
 * A relation lists the operands in order, each with its dimensions: a number, a letter, a
 * product or quotient of two of these, or `..s`, several dimensions. A letter is the same
 * wherever it stands in a node; letters that an attribute fixes are named in front. Operands
 * that are known bind letters, the others are made from what is bound, and what is free is
 * drawn. `<N` behind an operand: its elements are integers below N, with `<-N`
 * now and then from -N on. `{N,C}`: they are those
 * numbers, `{N,C}/2` half of them, `[]{L}`: it is that one. `+`: they are not negative. `!`: they are mostly known.
 * `~`: they are never large.
 * `_`: nothing is known of that operand. An operator may have several relations; a node takes
 * one that fits the operands which it has. "ms." is com.microsoft.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/instance/generate.h"

#include <ctype.h>

#define MOST_DEPTH 32 /* patterns inside each other */

struct gen_relation {
    const char *op, *attrs, *operands;
};

/* Runs: ..s is spatial, ..k a kernel for it, others are whatever the instance is about.
 * D = direction is 1, or 2 when it is bidirectional. */
static const struct gen_relation relations[] = {
    {"Conv", "g=group", "X[N,C,..s] W[M*g,C/g,..k] B[M*g]"},
    {"ms.FusedConv", "g=group", "X[N,C,..s] W[M*g,C/g,..k] B[M*g]"},
    {"ConvTranspose", "g=group", "X[N,C,..s] W[C,M,..k] B[M*g]"},
    {"ConvInteger", "g=group", "x[N,C,..s] w[M*g,C/g,..k] x_zero[] w_zero[]"},
    {"QLinearConv", "g=group",
     "x[N,C,..s] s[] z[] w[M*g,C/g,..k] s[] z[] s[] z[] B[M*g]"},
    {"QLinearConv", "g=group",
     "x[N,C,..s] s[] z[] w[M*g,C/g,..k] s[M*g] z[M*g] s[] z[] B[M*g]"},
    {"DeformConv", "", "X[N,C,7,7] W[M,C,2,2] offset[N,8,6,6] B[M] mask[N,4,6,6]"},
    {"MaxPool", "", "X[N,C,..s]"},
    {"AveragePool", "", "X[N,C,..s]"},
    {"LpPool", "", "X[N,C,..s]"},
    {"GlobalAveragePool", "", "X[N,C,..s]"},
    {"GlobalMaxPool", "", "X[N,C,..s]"},
    {"GlobalLpPool", "", "X[N,C,..s]"},
    {"LRN", "", "X[N,C,..s]"},
    {"BatchNormalization", "", "X[N,C,..s] scale[C] B[C] mean[C] var[C]+"},
    {"BatchNormalization", "", "X[N,C,..R] scale[C] B[C] mean[C] var[C]+"},
    {"InstanceNormalization", "", "X[N,C,..s] scale[C] B[C]"},
    {"GroupNormalization", "", "X[N,C,..s] scale[C] B[C]"},
    {"GridSample", "", "X[N,C,H,W] grid[N,h,w,2]"},
    {"GridSample", "", "X[N,C,E,H,W] grid[N,e,h,w,3]"},
    {"AffineGrid", "", "theta[N,2,3] size{N,C,H,W}"},
    {"RoiAlign", "", "X[N,C,6,6] rois[R,4]~ batch_indices[R]<N"},
    {"MaxRoiPool", "", "X[N,C,6,6] rois[R,5]"},
    {"DepthToSpace", "b=blocksize", "X[N,36*C,H,W]"},
    {"SpaceToDepth", "b=blocksize", "X[N,C,b*H,b*W]"},
    {"Upsample", "", "X[N,C,H,W] scales{1,1,2,2}"},
    {"Resize", "", "X[N,C,H,W] roi{0,0,0,0,1,1,1,1} scales{1,1,2,2} sizes{N,C,H,3*W}"},
    {"Resize", "", "X[N,C,H,W] roi{0,0,0,0,1,1,1,1} scales{1,1,1,1} sizes{N,C,H,W}"},
    {"Resize", "", "X[N,C,H,W] roi{0,0,0,0,1,1,1,1} scales{2,2,4,1}/2"},
    {"Resize", "", "X[N,C,..s] _ scales{2,2,..k}/2 sizes{N,C,..k}"},
    {"Col2Im", "", "input[N,4*C,9] image_shape{4,4} block_shape{2,2}"},
    {"RNN", "H=hidden_size D=direction",
     "X[S,B,I] W[D,H,I] R[D,H,H] B[D,2*H] lens[B]<S h[D,B,H]"},
    {"GRU", "H=hidden_size D=direction",
     "X[S,B,I] W[D,3*H,I] R[D,3*H,H] B[D,6*H] lens[B]<S h[D,B,H]"},
    {"LSTM", "H=hidden_size D=direction",
     "X[S,B,I] W[D,4*H,I] R[D,4*H,H] B[D,8*H] lens[B]<S h[D,B,H] c[D,B,H] P[D,3*H]"},
    {"Attention", "", "Q[B,v*G,S,E] K[B,v,T,E] V[B,v,T,F] mask[S,T]"},
    {"Attention", "", "Q[B,v*G,S,E] K[B,v,T,E] V[B,v,T,F] mask[B,1,S,T]"},
    {"Attention", "", "Q[B,v,S,E] K[B,v,T,E] V[B,v,T,F] _ k[B,v,P,E] v[B,v,P,F]"},
    {"Attention", "q=q_num_heads v=kv_num_heads", "Q[B,S,q*E] K[B,T,v*E] V[B,T,v*F] mask[S,T]"},
    {"ms.Attention", "h=num_heads", "input[B,S,I] W[I,3*E] bias[3*E] mask[B,S]<2"},
    {"ms.MultiHeadAttention", "h=num_heads",
     "Q[B,S,E] K[B,T,E] V[B,T,E] bias[3*E] padding[B,T]<2 bias[B,h,S,T]"},
    {"ms.MultiHeadAttention", "h=num_heads",
     "Q[B,S,h*E] K[B,h,T,E] V[B,h,T,E] _ padding[B,T]<2 bias[B,h,S,T]"},
    {"RotaryEmbedding", "", "X[B,h,S,2*E] cos[B,S,E] sin[B,S,E]"},
    {"RotaryEmbedding", "", "X[B,h,S,2*E] cos[P,E] sin[P,E] ids[B,S]<P"},
    {"ms.RotaryEmbedding", "", "X[B,h,S,2*E] ids[B,S]<P cos[P,E] sin[P,E]"},
    {"LinearAttention", "q=q_num_heads v=kv_num_heads", "Q[B,S,q*E] K[B,S,v*E] V[B,S,v*F]"},
    {"ms.SkipLayerNormalization", "", "X[B,S,E] skip[B,S,E] gamma[E] beta[E] bias[E]"},
    {"ms.SkipSimplifiedLayerNormalization", "", "X[B,S,E] skip[B,S,E] gamma[E] bias[E]"},
    {"ms.BiasGelu", "", "X[..R,E] bias[E]"},
    {"ms.FastGelu", "", "X[..R,E] bias[E]"},
    {"ms.EmbedLayerNormalization", "",
     "ids[B,S]<V segments[B,S]<U words[V,E] places[S,E] kinds[U,E] gamma[E] beta[E] mask[B,S]<2"},
    {"MatMulInteger", "", "A[..R,S,K] B[K,M] a[] b[]"},
    {"QLinearMatMul", "", "A[..R,S,K] s[] z[] B[K,M] s[] z[] s[] z[]"},
    {"ms.DynamicQuantizeMatMul", "", "A[..R,S,K] B[K,M] s[] z[] bias[M]"},
    {"ms.MatMulIntegerToFloat", "", "A[..R,S,K] B[K,M] s[] s[] z[] z[] bias[M]"},
    {"ms.QGemm", "", "A[S,K] s[] z[] B[K,M] s[] z[] C[M] s[] z[]"},
    {"ms.QLinearAdd", "", "A[..R] s[] z[] B[..R] s[] z[] s[] z[]"},
    {"ms.QLinearMul", "", "A[..R] s[] z[] B[..R] s[] z[] s[] z[]"},
    {"ms.QLinearSigmoid", "", "X[..R] s[] z[] s[] z[]"},
    {"ms.QLinearLeakyRelu", "", "X[..R] s[] z[] s[] z[]"},
    {"ms.QLinearSoftmax", "", "X[..R,E] s[] z[] s[] z[]"},
    {"ms.QLinearAveragePool", "", "X[N,C,..s] s[] z[] s[] z[]"},
    {"ms.QLinearGlobalAveragePool", "", "X[N,C,..s] s[] z[] s[] z[]"},
    {"ScatterND", "", "data[M,..R] indices[M,1]<-M updates[M,..R]"},
    {"ScatterND", "", "data[A,B,..R] indices[M,1,1]<-A updates[M,1,B,..R]"},
    {"GatherND", "", "data[A,..R] indices[M,1]<-A"},
    {"OneHot", "", "indices[..R]<-M depth{M} values[2]"},
    {"ReverseSequence", "", "input[S,B,..R] lens[B]<S"},
    {"DFT", "", "input[N,L,..s,1] dft_length[]{L}"},
    {"TopK", "", "X[..R,E] k{1}"},
    {"TopK", "", "X[..R,E] k{2}"},
    {"NonMaxSuppression", "", "boxes[B,S,4] scores[B,C,S]"},
    {"NegativeLogLikelihoodLoss", "", "X[N,C,..s] target[N,..s]<C weight[C]"},
    {"SoftmaxCrossEntropyLoss", "", "X[N,C,..s] target[N,..s]<C weight[C]"},
    {"Range", "", "start[]!<-8 limit[]!<-8 delta[]!<-3"},
    {"Clip", "", "_ min[] max[]"},
    {"Dropout", "", "_ ratio[] training[]"},
    {"CumSum", "", "X[E,..R] axis[]<1"},
    {"CumSum", "", "X[A,B,..R] axis[]<-2"},
    {"CumProd", "", "X[E,..R] axis[]<1"},
    {"CumProd", "", "X[A,B,..R] axis[]<-2"},
    {"Trilu", "", "X[..R,A,B] k[]<-3"},
    {"EyeLike", "", "X[A,B]"},
    {"Det", "", "X[..R,E,E]"},
    {"CenterCropPad", "", "X[A,B] shape{B,A}"},
    {"MaxUnpool", "", "X[N,C,..s] I[N,C,..s]"},
    {"Compress", "", "X[..R] condition[E]"},
};

/* --- letters ---------------------------------------------------------------------- */
#define LETTERS ('z' - 'A' + 1)
struct gen_letters {
    struct {
        bool bound;
        uint32_t n; /* dimensions: 1, or of a run any number */
        ir_dim dims[GEN_RANK];
    } at[LETTERS];
};

/* A dimension as it is written: a, a*b, a/b. */
struct term {
    char a, b, op;   /* letters; 0: a number */
    int64_t na, nb;  /* the numbers */
    bool is_run;     /* ..a */
};

static const char *read_factor(const char *p, char *letter, int64_t *number) {
    *letter = 0;
    *number = 0;
    if (isalpha((unsigned char)*p)) return *letter = *p, p + 1;
    for (; isdigit((unsigned char)*p); p++) *number = *number * 10 + (*p - '0');
    return p;
}

/* Past the term and the comma behind it. */
static const char *read_term(const char *p, struct term *t) {
    *t = (struct term){.is_run = *p == '.'};
    p = read_factor(t->is_run ? p + 2 : p, &t->a, &t->na);
    if (*p == '*' || *p == '/') {
        t->op = *p;
        p = read_factor(p + 1, &t->b, &t->nb);
    }
    return *p == ',' ? p + 1 : p;
}

static bool is_bound(const struct gen_letters *l, char c) {
    return !c || l->at[c - 'A'].bound;
}

static void bind(struct gen_letters *l, char c, ir_dim d) {
    l->at[c - 'A'].bound = true;
    l->at[c - 'A'].n = 1;
    l->at[c - 'A'].dims[0] = d;
}

/* The size of a factor that is bound. */
static bool size_of(struct gen *x, const struct gen_letters *l, char c, int64_t number,
                    int64_t *out) {
    *out = number;
    return !c || judge_gen_size(x, l->at[c - 'A'].dims[0], out);
}

/* --- what is known binds letters -------------------------------------------------- */
static bool unify_one(struct gen *x, struct gen_letters *l, char c, int64_t number,
                      ir_dim d) {
    int64_t is, wanted;
    if (!is_bound(l, c)) return bind(l, c, d), true;
    return judge_gen_size(x, d, &is) && size_of(x, l, c, number, &wanted) && is == wanted;
}

static bool unify_product(struct gen *x, struct gen_letters *l, const struct term *t,
                          int64_t size) {
    int64_t a = 0, b = 0;
    bool has_a = is_bound(l, t->a), has_b = is_bound(l, t->b);
    if (!has_a && !has_b) return true;
    GEN(!has_a || size_of(x, l, t->a, t->na, &a));
    GEN(!has_b || size_of(x, l, t->b, t->nb, &b));
    if (has_a && has_b) return a * b == size;
    int64_t by = has_a ? a : b;
    GEN(by > 0 && size % by == 0);
    bind(l, has_a ? t->b : t->a, ir_dim_const(x->m->dims, size / by));
    return true;
}

static bool unify_quotient(struct gen *x, struct gen_letters *l, const struct term *t,
                           int64_t size) {
    int64_t a, b;
    if (!is_bound(l, t->b)) return true;
    GEN(size_of(x, l, t->b, t->nb, &b) && b > 0);
    if (is_bound(l, t->a)) return size_of(x, l, t->a, t->na, &a) && a == size * b;
    bind(l, t->a, ir_dim_const(x->m->dims, size * b));
    return true;
}

static bool unify_run(struct gen *x, struct gen_letters *l, char c, uint32_t n,
                      const ir_dim *dims) {
    for (uint32_t i = 0; i < n && is_bound(l, c); i++) {
        int64_t is, wanted;
        GEN(l->at[c - 'A'].n == n && judge_gen_size(x, dims[i], &is));
        GEN(judge_gen_size(x, l->at[c - 'A'].dims[i], &wanted) && is == wanted);
    }
    if (is_bound(l, c)) return l->at[c - 'A'].n == n;
    l->at[c - 'A'].bound = true;
    l->at[c - 'A'].n = n;
    if (n) memcpy(l->at[c - 'A'].dims, dims, n * sizeof *dims);
    return c != 's' || (n >= 1 && n <= 3);
}

static bool unify_term(struct gen *x, struct gen_letters *l, const struct term *t,
                       ir_dim d) {
    int64_t size;
    if (!t->op) return unify_one(x, l, t->a, t->na, d);
    GEN(judge_gen_size(x, d, &size));
    return t->op == '*' ? unify_product(x, l, t, size) : unify_quotient(x, l, t, size);
}

static uint32_t count_terms(const char *p) {
    uint32_t n = 0;
    struct term t;
    while (*p != ']' && *p != '}') p = read_term(p, &t), n++;
    return n;
}

static bool unify(struct gen *x, struct gen_letters *l, const char *item,
                  const struct gen_shape *s) {
    const char *p = strchr(item, '[') + 1;
    uint32_t terms = count_terms(p), at = 0;
    for (uint32_t i = 0; i < terms; i++) {
        struct term t;
        p = read_term(p, &t);
        uint32_t n = t.is_run ? s->rank + 1 - terms : 1;
        GEN(s->rank + 1 >= terms && at + n <= s->rank);
        if (t.is_run) GEN(unify_run(x, l, t.a, n, s->dims + at));
        else GEN(unify_term(x, l, &t, s->dims[at]));
        at += n;
    }
    return at == s->rank;
}

/* --- what is free is drawn -------------------------------------------------------- */
static ir_dim draw_letter(struct gen *x, char c) {
    static const uint8_t some[] = {2, 3, 4, 1, 6, 8}, few[] = {1, 2, 3};
    if (strchr("NBST", c)) return judge_gen_dim(x);
    if (strchr("MGvqhP", c)) return ir_dim_const(x->m->dims, few[gen_draw(x, 3)]);
    return ir_dim_const(x->m->dims, some[gen_draw(x, countof(some))]);
}

static void draw_run(struct gen *x, const struct gen_node *n, struct gen_letters *l,
                     char c) {
    const struct ir_attr *kernel = c == 'k' ? judge_gen_attr(n, "kernel_shape") : NULL;
    uint32_t count = c == 'k'   ? l->at['s' - 'A'].n
                     : c == 's' ? 1 + (gen_draw(x, 4) + 1) % 4 % 3
                                : gen_draw(x, 3);
    l->at[c - 'A'].bound = true;
    l->at[c - 'A'].n = count;
    for (uint32_t i = 0; i < count; i++) {
        ir_dim *d = &l->at[c - 'A'].dims[i];
        if (kernel && i < kernel->n) *d = ir_dim_const(x->m->dims, kernel->ints[i]);
        else if (c == 'k') *d = ir_dim_const(x->m->dims, 1 + gen_draw(x, 3));
        else if (c == 's') *d = judge_gen_image_side(x);
        else *d = judge_gen_dim(x);
    }
}

static ir_dim factor(struct gen *x, struct gen_letters *l, char c, int64_t number) {
    if (!c) return ir_dim_const(x->m->dims, number);
    if (!is_bound(l, c)) bind(l, c, draw_letter(x, c));
    return l->at[c - 'A'].dims[0];
}

static void make(struct gen *x, const struct gen_node *n, const char *p,
                 struct gen_shape *out) {
    out->rank = 0;
    while (*p != ']' && *p != '}') {
        struct term t;
        p = read_term(p, &t);
        if (t.is_run && !is_bound(n->letters, t.a)) draw_run(x, n, n->letters, t.a);
        uint32_t count = t.is_run ? n->letters->at[t.a - 'A'].n : 1;
        for (uint32_t i = 0; i < count && out->rank < GEN_RANK; i++) {
            ir_dim d = t.is_run ? n->letters->at[t.a - 'A'].dims[i]
                                : factor(x, n->letters, t.a, t.na);
            if (t.op == '*')
                d = ir_dim_mul(x->m->dims, d, factor(x, n->letters, t.b, t.nb));
            if (t.op == '/')
                d = ir_dim_floordiv(x->m->dims, d, factor(x, n->letters, t.b, t.nb));
            out->dims[out->rank++] = d;
        }
    }
}

/* --- a node's relation ------------------------------------------------------------ */
/* Operand k as it is written, or NULL: nothing is said of it. */
static const char *item_of(const struct gen_relation *r, uint32_t k) {
    const char *p = r->operands;
    for (; k > 0 && p; k--) {
        p = strchr(p, ' ');
        if (p) p++;
    }
    return p && *p != '_' ? p : NULL;
}

/* `{..}`, or `[]{..}` where it is one number. */
static const char *list_of(const char *item) {
    const char *p = item + strcspn(item, "[{ ");
    if (strncmp(p, "[]{", 3) == 0) p += 2;
    return *p == '{' ? p : NULL;
}

static void bind_attrs(struct gen *x, const struct gen_node *n,
                       const struct gen_relation *r, struct gen_letters *l) {
    for (const char *p = r->attrs; *p; p += strcspn(p, " "), p += *p == ' ') {
        size_t len = strcspn(p + 2, " ");
        const char *name = arena_strndup(x->a, p + 2, len);
        const struct ir_attr *given = judge_gen_attr(n, name);
        int64_t i = judge_gen_int(n, name, 0);
        if (rw_streq(name, "direction"))
            i = given && given->s.at && rw_streq(given->s.at, "bidirectional") ? 2 : 1;
        if (i > 0 && !is_bound(l, *p)) bind(l, *p, ir_dim_const(x->m->dims, i));
    }
}

static bool fits(struct gen *x, const struct gen_node *n, const struct gen_relation *r,
                 struct gen_letters *l) {
    if (n->attributed) bind_attrs(x, n, r, l);
    for (uint32_t k = 0; k < GEN_OPERANDS; k++) {
        struct gen_shape s;
        const char *item = item_of(r, k);
        if (!n->known[k] || n->in[k] == IR_NONE || !item || list_of(item)) continue;
        if (judge_gen_shape_of(x, n->in[k], &s)) GEN(unify(x, l, item, &s));
    }
    return true;
}

static bool is_of(const struct gen_relation *r, const char *domain, const char *op) {
    bool own = strncmp(r->op, "ms.", 3) == 0;
    return own == rw_streq(domain, "com.microsoft") && rw_streq(r->op + (own ? 3 : 0), op);
}

/* How well it suits what the node has: it speaks of as many operands, of more, of less. */
static uint32_t misfit(const struct gen_relation *r, uint32_t operands) {
    uint32_t n = 1;
    for (const char *p = r->operands; *p; p++) n += *p == ' ';
    return n == operands ? 0 : n > operands ? 1 : 2;
}

/* One of those that fit so well, each as likely. */
static bool take_fitting(struct gen *x, struct gen_node *n, uint32_t how) {
    uint32_t found = 0;
    for (size_t i = 0; i < countof(relations); i++) {
        const struct gen_relation *r = &relations[i];
        if (!is_of(r, n->domain, n->op) || misfit(r, n->present) != how) continue;
        struct gen_letters l = {0};
        if (!fits(x, n, r, &l) || gen_draw(x, ++found) > 0) continue;
        n->relation = r;
        n->letters = arena_copy(x->a, &l, sizeof l);
    }
    return found > 0;
}

/* The one that the node has, or one that fits. */
static bool relate(struct gen *x, struct gen_node *n) {
    if (n->relation) {
        struct gen_letters l = *n->letters;
        GEN(fits(x, n, n->relation, &l));
        return *n->letters = l, true;
    }
    for (uint32_t how = 0; how < 3; how++)
        if (take_fitting(x, n, how)) return true;
    return false;
}

bool judge_gen_related(struct gen *x, struct gen_node *n, uint32_t k,
                       struct gen_operand *o) {
    if (!relate(x, n)) return false;
    const char *item = item_of(n->relation, k);
    if (!item) return false;
    const char *list = list_of(item);
    make(x, n, (list ? list : item + strcspn(item, "[")) + 1, &o->shape);
    if (list) {
        const char *end = strchr(item, '}') + 1;
        o->divisor = *end == '/' ? end[1] - '0' : 1;
        o->has_items = o->rather_known = true;
        o->nitems = o->shape.rank;
        for (uint32_t i = 0; i < o->nitems; i++)
            GEN(judge_gen_size(x, o->shape.dims[i], &o->items[i]));
        o->shape = (struct gen_shape){list[-1] != ']', {ir_dim_const(x->m->dims, o->nitems)}};
        return true;
    }
    const char *below = item + strcspn(item, "] ") + 1;
    o->rather_known = *below == '!';
    below += strcspn(below, "< ") > 0;
    if (*below != '<') return true;
    struct term t;
    bool either_side = below[1] == '-';
    read_term(below + 1 + either_side, &t);
    GEN(judge_gen_size(x, factor(x, n->letters, t.a, t.na), &o->below) && o->below > 0);
    if (either_side && gen_chance(x, 30)) o->low = -o->below;
    return true;
}

void judge_gen_nature(const char *domain, const char *op, uint32_t k, struct gen_operand *o) {
    for (size_t i = 0; i < countof(relations); i++) {
        const char *item = is_of(&relations[i], domain, op) ? item_of(&relations[i], k) : NULL;
        const char *flag = item && !list_of(item) ? item + strcspn(item, "] ") + 1 : "";
        o->positive |= *flag == '+';
        o->modest |= *flag == '~'; /* work grows with it */
    }
}

bool judge_gen_related_int(struct gen *x, const struct gen_node *n, const char *name,
                           int64_t *out) {
    if (!n->relation) return false;
    for (const char *p = n->relation->attrs; *p; p += strcspn(p, " "), p += *p == ' ') {
        size_t len = strcspn(p + 2, " ");
        if (strlen(name) != len || strncmp(p + 2, name, len) != 0) continue;
        return is_bound(n->letters, *p) && size_of(x, n->letters, *p, 0, out) && *out > 0;
    }
    return false;
}

/* --- what an instance is about ---------------------------------------------------- */
struct found {
    uint32_t n;
    const struct pat_op *op;
    uint32_t depth;
};

static bool is_related(const struct pat_op *op) {
    for (size_t i = 0; i < countof(relations); i++)
        if (is_of(&relations[i], op->domain, op->name)) return true;
    return false;
}

/* One of the operators below p of which a relation is known, each as likely. */
static void find(struct gen *x, const struct pat *p, struct found *f) {
    if (!p || f->depth > MOST_DEPTH) return;
    f->depth++;
    for (uint32_t i = 0; p->kind == PAT_ALT && i < p->nalts; i++) find(x, p->alts[i], f);
    for (uint32_t i = 0; p->kind == PAT_NODE && i < p->nargs; i++) find(x, p->args[i], f);
    if (p->kind == PAT_NODE && is_related(p->ops)) {
        f->n++;
        if (gen_draw(x, f->n) == 0) f->op = p->ops;
    }
    f->depth--;
}

bool judge_gen_related_base(struct gen *x, struct gen_shape *out) {
    struct found f = {0};
    for (uint32_t i = 0; i < x->rule->nslots; i++) find(x, x->rule->slots[i].def, &f);
    if (!f.op) return false;
    struct gen_node n = {.op = f.op->name, .domain = f.op->domain, .there = IR_NONE};
    struct gen_operand o = {0};
    if (!judge_gen_related(x, &n, 0, &o) || o.has_items) return false;
    *out = o.shape;
    return judge_gen_plain(x, out);
}
