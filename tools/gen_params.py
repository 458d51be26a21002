#!/usr/bin/env python3
"""Makes ir/schema/param_table.inc: the virtual parameters of every operator.

    tools/gen_params.py [OUT]      (default: ir/schema/param_table.inc beside this script)

A parameter is an attribute of some version of an operator, under the name that the newest
version has for it; the table says whether some version takes it as an operand instead.
"""

# SPDX-License-Identifier: Apache-2.0
import pathlib
import sys
from collections import defaultdict

import gen_schema
from gen_schema import CONTRIB, quote, wrap

STEMS = {"": "onnx", "ai.onnx.ml": "ml", "ai.onnx.preview": "pre",
         "ai.onnx.preview.training": "train", CONTRIB: "ms"}

# Attributes that became an operand of another name: (operator, attribute) -> operand.
RENAMED = {("Pad", "value"): "constant_value", ("TopK", "k"): "K"}

# Operands that never were attributes, but without which an operator would have some of its
# parameters in <...> and some not; with the type that an attribute would have.
OPERANDS = {
    "Dropout": {"training_mode": "INT"},
    "Pad": {"axes": "INTS"},
    "Resize": {"roi": "FLOATS", "scales": "FLOATS", "sizes": "INTS"},
    "Slice": {"steps": "INTS"},
}


class Param:
    def __init__(self, name):
        self.name, self.older, self.type, self.default = name, None, None, None
        self.is_attr = self.is_input = False

    def line(self):
        older = quote(self.older) if self.older else "NULL"
        return (f"{{{quote(self.name)}, {older}, {int(self.is_attr)}, "
                f"{int(self.is_input)}, "
                f"IR_ATTR_{self.type}, {self.default}}}")


def params(name, versions):
    """The parameters of an operator, by name; versions oldest first."""
    found = {}

    def param(n):
        return found.setdefault(n, Param(n))

    for s in versions:
        for a in s.attrs:
            p = param(RENAMED.get((name, a.name), a.name) if s.domain == "" else a.name)
            p.older = a.name if a.name != p.name else p.older
            p.is_attr, p.type = True, a.type
            p.default = ("IR_REQUIRED" if a.required else
                         "IR_HAS_DEFAULT" if a.default else "IR_NO_DEFAULT")
    for operand, kind in OPERANDS.get(name, {}).items() if versions[0].domain == "" else ():
        param(operand).type = kind
    for s in versions:
        for i in s.inputs:
            if i.name in found:
                found[i.name].is_input = True
                found[i.name].default = ("IR_REQUIRED" if i.option == "Single"
                                         else "IR_NO_DEFAULT")
    return [found[n] for n in sorted(found)]


def generate():
    table, extra = gen_schema.all_schemas()
    operators = defaultdict(lambda: defaultdict(list))
    for s in sorted(table + extra, key=lambda s: s.since):
        operators[s.domain][s.name].append(s)
    lines = ["""/* param_table.inc -- made by tools/gen_params.py; do not edit. Included by
 * ir/schema/param_defs.c alone.
 * SPDX-License-Identifier: Apache-2.0
 */
/* clang-format off */"""]
    rows = []
    for domain, by_name in sorted(operators.items()):
        stem, names = STEMS[domain], sorted(by_name)
        defs, first = [], [0]
        for name in names:
            defs += [(name, p) for p in params(name, by_name[name])]
            first.append(len(defs))
        lines += [f"static const char *const names_{stem}[] = {{"]
        lines += [*wrap(map(quote, names)), "};"]
        lines += [f"static const uint16_t first_{stem}[] = {{"]
        lines += [*wrap(map(str, first)), "};"]
        lines.append(f"static const struct ir_param_def defs_{stem}[] = {{")
        for i, (name, p) in enumerate(defs):
            if i == 0 or defs[i - 1][0] != name:
                lines.append(f"    /* {name} */")
            lines.append(f"    {p.line()},")
        lines.append("};")
        rows.append(f"    {{{quote(domain)}, {len(names)}, names_{stem}, first_{stem}, "
                    f"defs_{stem}}},")
    lines += ["static const struct param_domain domains[] = {", *rows, "};"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    home = pathlib.Path(__file__).resolve().parent.parent / "ir" / "schema" / "param_table.inc"
    (pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else home).write_text(generate())
