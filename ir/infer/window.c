/* window.c -- convolutions and pools: operators that slide a window.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/rules.h"

enum auto_pad { PAD_EXPLICIT, PAD_SAME, PAD_VALID };

struct window {
    uint32_t n; /* spatial dims */
    struct infer_shape kernel;
    struct infer_ints strides, dilations, pads;
    enum auto_pad auto_pad;
    bool ceil_mode;
};

static int64_t item(const struct infer_ints *list, uint32_t i, int64_t otherwise) {
    return list->known && i < list->n ? list->at[i] : otherwise;
}

static bool check_list(struct infer *x, const char *name, const struct infer_ints *list,
                       uint32_t n, int64_t least) {
    if (!list->known) return true;
    if (list->n != n)
        return infer_fail(x, "\"%s\" has %u items, wanted %u", name, list->n, n);
    for (uint32_t i = 0; i < n; i++)
        if (list->at[i] < least || list->at[i] > INT32_MAX)
            return infer_fail(x, "\"%s\" has the item %" PRId64, name, list->at[i]);
    return true;
}

/* The attributes; the kernel from `kernel_shape`, else the weight's dims behind the two. */
static bool read_window(struct infer *x, uint32_t n, const struct infer_shape *weight,
                        struct window *w) {
    struct infer_ints kernel = infer_ints(x, "kernel_shape");
    const char *auto_pad = infer_string(x, "auto_pad");
    *w = (struct window){.n = n, .kernel = {.rank = n}};
    w->strides = infer_ints(x, "strides");
    w->dilations = infer_ints(x, "dilations");
    w->pads = infer_ints(x, "pads");
    w->auto_pad = strncmp(auto_pad, "SAME", 4) == 0 ? PAD_SAME
                  : rw_streq(auto_pad, "VALID")     ? PAD_VALID
                                                    : PAD_EXPLICIT;
    w->ceil_mode = infer_int(x, "ceil_mode", 0) != 0;
    for (uint32_t i = 0; i < n; i++)
        w->kernel.dim[i] = kernel.known && i < kernel.n ? infer_const(x, kernel.at[i])
                           : weight ? weight->dim[i + 2] : IR_DIM_UNKNOWN;
    return check_list(x, "kernel_shape", &kernel, n, 1) &&
           check_list(x, "strides", &w->strides, n, 1) &&
           check_list(x, "dilations", &w->dilations, n, 1) &&
           check_list(x, "pads", &w->pads, 2 * n, -INT32_MAX);
}

/* (kernel - 1)*dilation + 1 */
static ir_dim extent(const struct infer *x, const struct window *w, uint32_t i) {
    ir_dim one = infer_const(x, 1), k = ir_dim_sub(x->d, w->kernel.dim[i], one);
    k = ir_dim_mul(x->d, k, infer_const(x, item(&w->dilations, i, 1)));
    return ir_dim_add(x->d, k, one);
}

static int64_t both_pads(const struct window *w, uint32_t i) {
    return item(&w->pads, i, 0) + item(&w->pads, w->n + i, 0);
}

/* Rounding up, the last window must still begin inside the input or its left padding. */
static ir_dim rounded_up(const struct infer *x, const struct window *w, uint32_t i,
                         ir_dim in, ir_dim span, int64_t stride) {
    int64_t size, steps;
    if (stride == 1) return ir_dim_add(x->d, span, infer_const(x, 1));
    if (!infer_is_const(x, in, &size) ||
        !infer_is_const(x, infer_ceildiv(x, span, stride), &steps))
        return IR_DIM_UNKNOWN;
    bool outside = steps * stride >= size + item(&w->pads, i, 0);
    return infer_const(x, outside ? steps : steps + 1);
}

/* Where the window is a little larger than the whole some round to none, and others to one. */
static ir_dim slide(const struct infer *x, const struct window *w, uint32_t i, ir_dim in) {
    int64_t stride = item(&w->strides, i, 1);
    if (w->auto_pad == PAD_SAME) return infer_ceildiv(x, in, stride);
    int64_t pads = w->auto_pad == PAD_VALID ? 0 : both_pads(w, i);
    ir_dim span = ir_dim_add(x->d, in, infer_const(x, pads));
    span = ir_dim_sub(x->d, span, extent(x, w, i));
    int64_t left;
    if (infer_is_const(x, span, &left) && left < 0 && left > -stride) return IR_DIM_UNKNOWN;
    if (w->ceil_mode) return rounded_up(x, w, i, in, span, stride);
    ir_dim steps = ir_dim_floordiv(x->d, span, infer_const(x, stride));
    return ir_dim_add(x->d, steps, infer_const(x, 1));
}

/* --- convolutions ------------------------------------------------------------------ */

/* Shapes of data and weight, checked against each other; false with *known false when
 * nothing more can be said. */
static bool read_operands(struct infer *x, uint32_t weight, struct infer_shape *s,
                          struct infer_shape *w, bool *known) {
    bool has_s = infer_shape_of(x, 0, s), has_w = infer_shape_of(x, weight, w);
    *known = has_s && has_w;
    if (has_w && w->rank < 3)
        return infer_fail(x, "the weight has rank %u, wanted 3 or more", w->rank);
    if (has_s && s->rank < 3)
        return infer_fail(x, "the input has rank %u, wanted 3 or more", s->rank);
    if (*known && s->rank != w->rank)
        return infer_fail(x, "input and weight have ranks %u and %u", s->rank, w->rank);
    return true;
}

/* com.microsoft has operators on [n, ..., c], by name or by attribute. The weight is as
 * ever. */
static bool has_channels_last(const struct infer *x) {
    return strncmp(ir_op_name(x->g, x->n), "Nhwc", 4) == 0 ||
           infer_int(x, "channels_last", 0) != 0;
}

static void channels_to_front(struct infer_shape *s) {
    if (s->rank < 2) return;
    ir_dim c = s->dim[s->rank - 1];
    memmove(&s->dim[2], &s->dim[1], (s->rank - 2) * sizeof *s->dim);
    s->dim[1] = c;
}

static void channels_to_back(struct infer_shape *s) {
    if (s->rank < 2) return;
    ir_dim c = s->dim[1];
    memmove(&s->dim[1], &s->dim[2], (s->rank - 2) * sizeof *s->dim);
    s->dim[s->rank - 1] = c;
}

static bool convolve(struct infer *x, uint32_t weight, enum ir_dtype t) {
    struct infer_shape s, w;
    struct window window;
    bool known, last = has_channels_last(x);
    int64_t group = infer_int(x, "group", 1);
    infer_set_unranked(x, 0, t, 0);
    if (!read_operands(x, weight, &s, &w, &known)) return false;
    if (group < 1) return infer_fail(x, "attribute \"group\" is %" PRId64, group);
    if (!known) return true;
    if (last) channels_to_front(&s);
    ir_dim channels = ir_dim_mul(x->d, w.dim[1], infer_const(x, group));
    if (!infer_same(x, &s.dim[1], channels, "the channels of input and weight"))
        return false;
    if (!read_window(x, s.rank - 2, &w, &window)) return false;
    s.dim[1] = w.dim[0];
    for (uint32_t i = 0; i < window.n; i++)
        s.dim[i + 2] = slide(x, &window, i, s.dim[i + 2]);
    if (last) channels_to_back(&s);
    infer_set(x, 0, t, &s);
    return true;
}

bool infer_conv(struct infer *x) { return convolve(x, 1, infer_dtype(x, 0)); }

bool infer_conv_integer(struct infer *x) { return convolve(x, 1, IR_INT32); }

/* (x, scale, zero point, w, scale, zero point, y scale, y zero point, bias) */
bool infer_qlinear_conv(struct infer *x) { return convolve(x, 3, infer_dtype(x, 7)); }

/* stride*(in - 1) + output_padding + extent - pads */
static ir_dim unslide(const struct infer *x, const struct window *w, uint32_t i, ir_dim in,
                      int64_t output_padding) {
    int64_t stride = item(&w->strides, i, 1);
    ir_dim step = infer_const(x, stride);
    if (w->auto_pad == PAD_SAME) return ir_dim_mul(x->d, in, step);
    int64_t pads = w->auto_pad == PAD_VALID ? 0 : both_pads(w, i);
    ir_dim out = ir_dim_mul(x->d, step, ir_dim_sub(x->d, in, infer_const(x, 1)));
    out = ir_dim_add(x->d, out, extent(x, w, i));
    return ir_dim_add(x->d, out, infer_const(x, output_padding - pads));
}

bool infer_conv_transpose(struct infer *x) {
    struct infer_shape s, w;
    struct window window;
    bool known;
    int64_t group = infer_int(x, "group", 1);
    struct infer_ints more = infer_ints(x, "output_padding"),
                      wanted = infer_ints(x, "output_shape");
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!read_operands(x, 1, &s, &w, &known)) return false;
    if (group < 1) return infer_fail(x, "attribute \"group\" is %" PRId64, group);
    if (!known) return true;
    if (!infer_same(x, &s.dim[1], w.dim[0], "the channels of input and weight"))
        return false;
    if (!read_window(x, s.rank - 2, &w, &window)) return false;
    if (!check_list(x, "output_padding", &more, window.n, 0)) return false;
    s.dim[1] = ir_dim_mul(x->d, w.dim[1], infer_const(x, group));
    uint32_t skip = wanted.n == s.rank ? 2 : 0; /* some exporters write all dims */
    for (uint32_t i = 0; i < window.n; i++) {
        if (wanted.known && i + skip < wanted.n)
            s.dim[i + 2] = infer_const(x, wanted.at[i + skip]);
        else s.dim[i + 2] = unslide(x, &window, i, s.dim[i + 2], item(&more, i, 0));
    }
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

/* com.microsoft: operand 2 has the pads. */
bool infer_conv_transpose_with_pads(struct infer *x) {
    struct infer_shape s;
    if (!infer_conv_transpose(x)) return false;
    if (!infer_has(x, 2) || !infer_out_shape(x, 0, &s)) return true;
    for (uint32_t i = 2; i < s.rank; i++) s.dim[i] = IR_DIM_UNKNOWN;
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

/* --- pools ------------------------------------------------------------------------- */

bool infer_pool(struct infer *x) {
    struct infer_shape s;
    struct window w;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    infer_set_unranked(x, 1, IR_INT64, 0); /* MaxPool's indices */
    if (!infer_shape_of(x, 0, &s)) return true;
    if (s.rank < 3) return infer_fail(x, "the input has rank %u, wanted 3 or more", s.rank);
    if (!read_window(x, s.rank - 2, NULL, &w)) return false;
    if (has_channels_last(x)) channels_to_front(&s);
    for (uint32_t i = 0; i < w.n; i++) s.dim[i + 2] = slide(x, &w, i, s.dim[i + 2]);
    if (has_channels_last(x)) channels_to_back(&s);
    infer_set(x, 0, infer_dtype(x, 0), &s);
    infer_set(x, 1, IR_INT64, &s);
    return true;
}

/* What MaxPool made of it, or the shape that operand 2 states. */
bool infer_max_unpool(struct infer *x) {
    struct infer_shape s, wanted;
    struct window w;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s)) return true;
    if (s.rank < 3) return infer_fail(x, "the input has rank %u, wanted 3 or more", s.rank);
    if (!read_window(x, s.rank - 2, NULL, &w)) return false;
    bool stated = infer_has(x, 2);
    if (!stated || !infer_items_of(x, 2, &wanted) || wanted.rank != s.rank)
        wanted = (struct infer_shape){.rank = s.rank};
    for (uint32_t i = 0; i < s.rank; i++) {
        bool usable = infer_never_negative(x, wanted.dim[i]);
        if (stated) s.dim[i] = usable ? wanted.dim[i] : IR_DIM_UNKNOWN;
        else if (i >= 2) s.dim[i] = unslide(x, &w, i - 2, s.dim[i], 0);
    }
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

/* Every spatial dim becomes 1; com.microsoft's quantised one may have channels last. */
bool infer_global_pool(struct infer *x) {
    struct infer_shape s;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s)) return true;
    if (s.rank < 2) return infer_fail(x, "the input has rank %u, wanted 2 or more", s.rank);
    bool last = infer_int(x, "channels_last", 0) != 0;
    for (uint32_t i = last ? 1 : 2; i < s.rank - (last ? 1 : 0); i++)
        s.dim[i] = infer_const(x, 1);
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

/* ONNX Runtime's blocked layout, left again: without channels that only fill a block. */
bool infer_reorder_output(struct infer *x) {
    struct infer_shape s;
    int64_t channels = infer_int(x, "channels", 0);
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s) || s.rank < 3 || channels < 1) return true;
    s.dim[1] = infer_const(x, channels);
    if (infer_int(x, "channels_last", 0)) { /* [n, c, ...] -> [n, ..., c] */
        ir_dim c = s.dim[1];
        memmove(&s.dim[1], &s.dim[2], (s.rank - 2) * sizeof *s.dim);
        s.dim[s.rank - 1] = c;
    }
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}
