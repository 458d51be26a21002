/* tensor.c -- making tensors in memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/tensor/tensor_bytes.h"

bool ir_tensor_bytes(enum ir_dtype t, uint64_t count, uint64_t *nbytes) {
    uint64_t bits = ir_dtype_bits(t);
    if (!bits || count > UINT64_MAX / bits - 7) return false;
    *nbytes = (count * bits + 7) / 8;
    return true;
}

bool ir_tensor_count(uint32_t rank, const int64_t *dims, uint64_t *count) {
    uint64_t n = 1;
    bool empty = false, fits = true;
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] < 0) return false;
        if (dims[i] == 0) empty = true;
        else if (n > INT64_MAX / (uint64_t)dims[i]) fits = false;
        else n *= (uint64_t)dims[i];
    }
    *count = empty ? 0 : n;
    return empty || fits;
}

static struct ir_tensor *new_tensor(struct arena *a, enum ir_dtype t, uint32_t rank,
                                    const int64_t *dims) {
    uint64_t count;
    if (!ir_tensor_count(rank, dims, &count)) return NULL;
    struct ir_tensor *x = arena_new(a, struct ir_tensor);
    x->dtype = t;
    x->rank = rank;
    x->count = count;
    x->dims = rank ? arena_copy(a, dims, rank * sizeof *dims) : NULL;
    return x;
}

/* Takes the bytes as they are. */
static struct ir_tensor *in_memory(struct arena *a, enum ir_dtype t, uint32_t rank,
                                   const int64_t *dims, const void *bytes) {
    struct ir_tensor *x = new_tensor(a, t, rank, dims);
    if (!x || !ir_tensor_bytes(t, x->count, &x->nbytes)) return NULL;
    if (x->nbytes > SIZE_MAX) return NULL;
    x->storage = IR_IN_MEMORY;
    x->data = bytes;
    return x;
}

struct ir_tensor *ir_tensor_new(struct arena *a, enum ir_dtype t, uint32_t rank,
                                const int64_t *dims, const void *bytes) {
    struct ir_tensor *x = in_memory(a, t, rank, dims, NULL);
    if (x) x->data = arena_copy(a, bytes, (size_t)x->nbytes);
    return x;
}

struct ir_tensor *ir_tensor_strings(struct arena *a, uint32_t rank, const int64_t *dims,
                                    const struct ir_string *strings) {
    struct ir_tensor *x = new_tensor(a, IR_STRING, rank, dims);
    if (!x) return NULL;
    x->storage = IR_STRINGS;
    struct ir_string *copy = arena_new_array(a, struct ir_string, (size_t)x->count);
    for (uint64_t i = 0; i < x->count; i++)
        copy[i] = (struct ir_string){arena_strndup(a, strings[i].at, strings[i].len),
                                     strings[i].len};
    x->strings = copy;
    return x;
}

struct ir_tensor *ir_tensor_scalar_float(struct arena *a, enum ir_dtype t, double value) {
    uint64_t bits = 0;
    float f = (float)value;
    if (t == IR_DOUBLE) memcpy(&bits, &value, sizeof value);
    else if (t == IR_FLOAT) {
        uint32_t word;
        memcpy(&word, &f, sizeof word);
        bits = word;
    } else if (ir_dtype_is_float(t)) bits = ir_small_float_encode(t, value, false);
    else return NULL;
    unsigned char bytes[8];
    ir_store_le(bytes, 8, bits);
    return ir_tensor_new(a, t, 0, NULL, bytes);
}

struct ir_tensor *ir_tensor_ints(struct arena *a, uint32_t n, const int64_t *values) {
    int64_t dims[1] = {n};
    unsigned char *bytes = arena_array(a, n, 8);
    for (uint32_t i = 0; i < n; i++)
        ir_store_le(bytes + 8 * (size_t)i, 8, (uint64_t)values[i]);
    return in_memory(a, IR_INT64, 1, dims, bytes);
}
