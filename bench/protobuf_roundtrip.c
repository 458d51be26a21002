/* protobuf_roundtrip.c -- what a plain protobuf-c program costs: unpack, pack, write.
 *
 *     protobuf_roundtrip IN OUT
 *
 * The yardstick of bench/whole_process.py beside cp.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/onnx.pb-c.h"

#include <stdio.h>
#include <stdlib.h>

static unsigned char *read_all(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0) return NULL;
    *size = (size_t)ftell(f);
    rewind(f);
    unsigned char *bytes = malloc(*size);
    if (!bytes || fread(bytes, 1, *size, f) != *size) return NULL;
    fclose(f);
    return bytes;
}

int main(int argc, char **argv) {
    size_t size = 0;
    if (argc != 3) return 2;
    unsigned char *bytes = read_all(argv[1], &size);
    if (!bytes) return 3;
    Onnx__ModelProto *m = onnx__model_proto__unpack(NULL, size, bytes);
    free(bytes);
    if (!m) return 3;
    size = onnx__model_proto__get_packed_size(m);
    bytes = malloc(size);
    if (!bytes) return 3;
    onnx__model_proto__pack(m, bytes);
    FILE *f = fopen(argv[2], "wb");
    if (!f || fwrite(bytes, 1, size, f) != size || fclose(f) != 0) return 4;
    onnx__model_proto__free_unpacked(m, NULL);
    free(bytes);
    return 0;
}
