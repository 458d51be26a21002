#!/usr/bin/env python3
"""Makes ir/schema/runtime_table.inc: what ONNX Runtime runs on a CPU, by operator, opset and type.

    tools/gen_runtime.py [OUT]      (default: ir/schema/runtime_table.inc beside this script)

A kernel of the CPU provider is taken for what its definition says: it serves the schema
version it begins with, and older beginnings only where it names an end; where there is one
for float, float16 runs through casts that the runtime puts in. What no kernel serves may
have a function body, whose nodes may have no kernel in turn (Swish runs at opset 24 and at
none above): so there a model of one node is really loaded.
"""

# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import sys
from collections import defaultdict

import onnx
import onnxruntime
from onnx import helper
from onnxruntime.capi.onnxruntime_pybind11_state import get_all_opkernel_def

import gen_schema
from gen_schema import CONTRIB, TENSOR_NUMBER, UNBOUNDED

DOMAINS = {"": "onnx", "ai.onnx.ml": "ml", CONTRIB: "ms"}
FLOAT, FLOAT16 = "tensor(float)", "tensor(float16)"
ANY = 1  # bit 0 of a mask: runs for some type


def mask_of(types):
    return sum(1 << TENSOR_NUMBER[t] for t in types if t in TENSOR_NUMBER)


# --- kernels --------------------------------------------------------------------------

def kernels():
    found = defaultdict(list)
    for k in get_all_opkernel_def():
        if k.provider == "CPUExecutionProvider":
            found[k.domain, k.op_name].append((*k.version_range, k.type_constraints))
    return found


def serves(begin, end, since):
    return begin == since or (begin < since <= end and end != UNBOUNDED)


def kernel_mask(kernels_of_op, s):
    """Element types of the first operand for which some kernel serves this version."""
    first, types, any_kernel = s.inputs[0] if s.inputs else None, set(), False
    for begin, end, constraints in kernels_of_op:
        if not serves(begin, end, s.since):
            continue
        any_kernel = True
        if first:
            allowed = constraints.get(first.type) or constraints.get(first.name)
            types |= first.types & set(allowed) if allowed else first.types
    if first and FLOAT in types and FLOAT16 in first.types:
        types.add(FLOAT16)
    return mask_of(types) | (ANY if any_kernel else 0)


# --- function bodies ------------------------------------------------------------------

def plausible(a):
    """A value for a required attribute with which a model may load."""
    values = {"INT": 2 if a.name in ("blocksize", "num_heads", "num_groups") else 1,
              "FLOAT": 1.0, "STRING": "none", "INTS": [1], "FLOATS": [1.0]}
    return helper.make_attribute(a.name, values[a.type]) if a.type in values else None


def one_node_model(s, opset, element_type):
    """A model of one node, with that type for the first operand; None: not for us."""
    inputs = []
    for p in s.inputs[: max(s.arity[0], 1)]:
        kind = element_type if p.type == s.inputs[0].type else None
        if kind not in p.types:
            kind = FLOAT if FLOAT in p.types else min(p.types, key=gen_schema.type_order)
        if kind not in TENSOR_NUMBER:
            return None
        inputs.append(helper.make_tensor_value_info(p.name, TENSOR_NUMBER[kind], None))
    outputs = [onnx.ValueInfoProto(name=f"out{i}") for i in range(max(1, s.arity[2]))]
    attributes = [plausible(a) for a in s.attrs if a.required]
    if None in attributes:
        return None
    node = helper.make_node(s.name, [v.name for v in inputs], [v.name for v in outputs],
                            domain=s.domain)
    node.attribute.extend(attributes)
    imports = [helper.make_opsetid("", opset if s.domain == "" else 17)]
    if s.domain:
        imports.append(helper.make_opsetid(s.domain, opset))
    ir_version = helper.OP_SET_ID_VERSION_MAP.get(("ai.onnx", imports[0].version), 3)
    return helper.make_model(helper.make_graph([node], "g", inputs, outputs),
                             opset_imports=imports, ir_version=ir_version)


def loads(model):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    try:
        onnxruntime.InferenceSession(model.SerializeToString(), options,
                                     providers=["CPUExecutionProvider"])
        return True
    except Exception:  # the runtime has a class of exception for each status
        return False


def body_masks(s, opsets, known):
    """For each opset, the types beyond `known` with which a model of one node loads."""
    masks = {}
    for opset in opsets:
        mask = 0
        for t in s.inputs[0].types if s.inputs else ():
            bit = mask_of([t])
            if bit and not known & bit:
                model = one_node_model(s, opset, t)
                mask |= bit | ANY if model and loads(model) else 0
        masks[opset] = mask
    return masks


def in_child(function, *arguments):
    """The integers by key that a function gives, from a process of its own: an assertion
    of the runtime must not end ours. What it crashes on does not run."""
    sys.stdout.flush()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        with os.fdopen(writer, "w") as pipe:
            for key, value in function(*arguments).items():
                print(key, value, file=pipe)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        lines = pipe.read().split("\n")
    _, status = os.waitpid(child, 0)
    pairs = [line.split() for line in lines if line]
    return {} if status else {int(k): int(v) for k, v in pairs}


# --- the table ------------------------------------------------------------------------

def support(versions, kernels_of_op, newest):
    """(first opset, last opset, mask) of one operator, oldest first."""
    rows = []
    for s, after in zip(versions, versions[1:] + [None]):
        opsets = range(s.since, after.since if after else newest + 1)
        by_kernel = kernel_mask(kernels_of_op, s)
        by_body = {}
        if not s.deprecated and (s.body or s.domain == CONTRIB):
            by_body = in_child(body_masks, s, opsets, by_kernel)
        for opset in opsets:
            mask = by_kernel | by_body.get(opset, 0)
            if mask == 0 or s.deprecated:
                continue
            if rows and rows[-1][1] == opset - 1 and rows[-1][2] == mask:
                rows[-1] = (rows[-1][0], opset, mask)
            else:
                rows.append((opset, opset, mask))
    return rows


def generate():
    table, extra = gen_schema.all_schemas()
    operators = defaultdict(list)
    for s in sorted(table + extra, key=lambda s: s.since):
        operators[s.domain, s.name].append(s)
    found = kernels()
    lines = [f"""/* runtime_table.inc -- made by tools/gen_runtime.py from onnxruntime
 * {onnxruntime.__version__} and onnx {onnx.__version__}; do not edit.
 * Included by ir/schema/schema_runtime.c alone.
 * SPDX-License-Identifier: Apache-2.0
 */
/* clang-format off */
#define RUNTIME_VERSION "{onnxruntime.__version__}"
"""]
    for domain, stem in DOMAINS.items():
        newest = gen_schema.newest_opset(domain, table)
        lines.append(f"static const struct support support_{stem}[] = {{")
        for name in sorted(n for d, n in operators if d == domain):
            rows = support(operators[domain, name], found[domain, name], newest)
            for begin, end, mask in rows:
                lines.append(f'    {{"{name}", {begin}, {end}, 0x{mask:08x}}},')
        lines.append("};")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    home = pathlib.Path(__file__).resolve().parent.parent / "ir" / "schema" / "runtime_table.inc"
    (pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else home).write_text(generate())
