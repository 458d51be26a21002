"""Shapes inside bodies, made visible: each value of an If, Loop or Scan gets a Shape node whose
result leaves the body as one more output. For infer_check.py.
"""

# SPDX-License-Identifier: Apache-2.0
import onnx
from onnx import helper


class Probes:
    """Adds them to a model. `shapes` maps (path of the body, name) to the inferred dims."""

    def __init__(self, model, shapes):
        self.shapes = shapes
        self.made = 0
        self.found = []  # (output name, path, value name, whether it has a row an iteration)
        for node in list(model.graph.node):
            for name, probe, looped in self.of_node(node, "", False):
                model.graph.output.append(onnx.ValueInfoProto(name=name))
                self.found.append((name, *probe, looped))

    def fresh(self):
        self.made += 1
        return f"probe_{self.made}"

    def of_node(self, node, path, in_loop):
        """Outputs added to a node: (name, (path, value, rank), looped)."""
        bodies = {a.name: a.g for a in node.attribute if a.type == onnx.AttributeProto.GRAPH}
        first = node.output[0] if node.output else ""
        if node.op_type == "If":
            return self.of_if(node, bodies, f"{path}/{first}", in_loop)
        if node.op_type in ("Loop", "Scan") and not in_loop:
            probes = self.of_body(bodies["body"], f"{path}/{first}:body", True)
            return [(self.leave(node, bodies["body"], name), probe, True)
                    for name, probe, _ in probes]
        return []

    def of_if(self, node, bodies, path, in_loop):
        added = []
        for branch, other in (("then_branch", "else_branch"), ("else_branch", "then_branch")):
            for name, probe, looped in self.of_body(bodies[branch], f"{path}:{branch}", in_loop):
                absent = self.fresh()
                nothing = helper.make_tensor("", onnx.TensorProto.INT64, [probe[2]],
                                             [-1] * probe[2])
                bodies[other].node.append(helper.make_node("Constant", [], [absent], value=nothing))
                outputs = {branch: name, other: absent}
                out = self.fresh()
                for b in bodies:
                    self.add_output(bodies[b], outputs[b])
                node.output.append(out)
                added.append((out, probe, looped))
        return added

    def of_body(self, body, path, in_loop):
        """Probes as values of the body."""
        nodes, probes = list(body.node), []
        names = [i.name for i in body.input] + [n for node in nodes for n in node.output if n]
        for node in nodes:
            probes += self.of_node(node, path, in_loop)
        for name in names:
            dims = self.shapes.get((path, name))
            if dims is None or name.startswith("probe_"):
                continue
            out = self.fresh()
            body.node.append(helper.make_node("Shape", [name], [out]))
            probes.append((out, (path, name, len(dims)), False))
        return probes

    def leave(self, node, body, name):
        self.add_output(body, name)
        out = self.fresh()
        node.output.append(out)
        return out

    @staticmethod
    def add_output(body, name):
        body.output.append(helper.make_tensor_value_info(name, onnx.TensorProto.INT64, None))


def contradictions(probes, shapes, actual, symbols):
    """What the runs say otherwise. Symbols of a body have a value of their own in every
    iteration; they are bound to what they are first met with."""
    wrong = []
    worlds = {}
    for output, path, name, rank, looped in probes.found:
        if output not in actual or not rank:
            continue
        rows = actual[output].reshape(-1, rank) if looped else [actual[output]]
        for i, row in enumerate(rows):
            if len(row) == rank and all(s >= 0 for s in row):
                worlds.setdefault(i if looped else -1, []).append((path, name, row))
    for i, met in sorted(worlds.items()):
        known = symbols.copy()
        for bind in (True, False):
            for path, name, row in met:
                for axis, (text, size) in enumerate(zip(shapes[path, name], row)):
                    value = known.value(text)
                    if bind and value is None:
                        known.bind(text, int(size))
                    if not bind and value is not None and value != size:
                        wrong.append(f"{path} {name}: dimension {axis} inferred {text} = {value}, "
                                     f"is {size}" + (f" in iteration {i}" if i >= 0 else ""))
    return wrong
