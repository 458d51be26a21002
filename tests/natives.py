#!/usr/bin/env python3
"""Native predicates: rules that ask a plug-in (tests/tools/natives.c).

    natives.py ONNXRW PLUGIN OTHER_VERSION CC

A rule is applied where a predicate is true, whatever kinds its arguments are of, from files and
from a compiled pack; without the plug-in it is not applied, with one warning, and explain says
why; another signature and another version are errors. SPDX-License-Identifier: Apache-2.0
"""
import os, pathlib, sys, tempfile

from findings import check, run, wrong

MODEL = """<ir_version: 8, opset_import: ["" : 17]>
g (float[N, 3] x) => (float[N, 3] y)
<float[3] w = {1, 1, 1}, float[BIG] big = {ZEROS}>
{
  a = Mul (x, w)
  s = ReduceSum <keepdims = 0> (big)
  b = Add (a, s)
  y = Relu (b)
}
"""
DECLARED = """predicate is_all(value, int)
predicate has_dims(value, ints)
predicate hides_bytes(value)
predicate is_half(float, string)
predicate says(int)
"""
RULE = "rule one: Mul(x, const w) => x { where { %s } }\n"


def applied(done):
    return done.returncode == 0 and "one" in done.stdout


def conditions(onnxrw, plugin, folder, model):
    pack = folder / "c.rules"
    for text, holds in (
            ("is_all(w, 1)", True), ("is_all(w, 2)", False), ("!is_all(w, 2)", True),
            ("is_all(x, 1)", False), ("!is_all(x, 1)", False),
            ("has_dims(x, [-1, 3])", True), ("has_dims(x, [4, 3])", False),
            ("has_dims(x, [1])", False), ("has_dims(w, [3])", False),
            ("!hides_bytes(w)", True),
            ('is_half(0.5, "half")', True), ('is_half(1, "half")', False), ('is_half(0.5, "halff")', False),
            ("says(1)", True), ("says(0)", False), ("says(2)", False), ("!says(2)", False), ("!says(7)", False),
            ("says(dim(x, 1) - 2)", True), ("says(dim(x, 0))", False), ("!says(dim(x, 0))", False),
            ("says(2) || says(1)", True), ("all(says(i) for i in [1, 1])", True)):
        pack.write_text(DECLARED + RULE % text)
        done = run(onnxrw, "--plugin", plugin, "-r", pack, "-o", folder / "o.onnx", model)
        check(done.returncode == 0 and not done.stderr, text, done)
        check(applied(done) == holds, text, done.stdout)


def emit_when(onnxrw, plugin, folder, model):
    pack = folder / "w.rules"
    pack.write_text(DECLARED + """rule one {
  match { y = Mul(x, const w) }
  emit when is_all(w, 2) { y = Neg(x) }
  emit when is_all(w, 1) { y = Abs(x) }
}
""")
    done = run(onnxrw, "--plugin", plugin, "-r", pack, "-o", folder / "w.onnx", model)
    text = run(onnxrw, "print", folder / "w.onnx").stdout
    check(applied(done) and "Abs" in text and "Neg" not in text, "emit when", done, text)


def large(onnxrw, plugin, folder, model):
    """Bytes of a constant beyond 1 MiB are not handed over."""
    pack = folder / "l.rules"
    pack.write_text(DECLARED + "rule one: ReduceSum <..a> (const big) => ReduceMean <..a> (big) "
                    "{ class approx where { hides_bytes(big) } }\n")
    for n, holds in ((1 << 18, False), ((1 << 18) + 1, True)):
        path = folder / "l.txt"
        path.write_text(MODEL.replace("BIG", str(n)).replace("ZEROS", ", ".join(["0"] * n)))
        check(run(onnxrw, "parse", path, "-o", folder / "l.onnx").returncode == 0, "parse")
        done = run(onnxrw, "-O2", "--plugin", plugin, "-r", pack, "-o", folder / "o.onnx", folder / "l.onnx")
        check(applied(done) == holds, "large", n, done)


def missing(onnxrw, plugin, folder, model):
    pack = folder / "m.rules"
    for text in ("is_all(w, 1)", "!is_all(w, 1)"):
        pack.write_text("predicate is_all(value, int)\n" + RULE % text)
        done = run(onnxrw, "-r", pack, "-o", folder / "o.onnx", model)
        check(done.returncode == 0 and not applied(done) and done.stderr.count("warning") == 1 and
              'm.rules:1:11: warning: no plug-in gives predicate "is_all"' in done.stderr, "missing", done)
        done = run(onnxrw, "explain", "-r", pack, model)
        check(done.returncode == 0 and ': no plug-in gives predicate "is_all", w is "w"' in done.stdout, "explain", done.stdout)
    done = run(onnxrw, "explain", "--plugin", plugin, "-r", pack, model)
    check("this does not hold" in done.stdout and "no plug-in" not in done.stdout + done.stderr, "explain", done)
    pack.write_text(DECLARED + "predicate nowhere()\npredicate neither()\n" + RULE % "nowhere()")
    done = run(onnxrw, "--plugin", plugin, "-r", pack, "-o", folder / "o.onnx", model)
    check('predicate "nowhere" and 1 more' in done.stderr and done.stderr.count("warning") == 1, "two", done.stderr)


def refused(onnxrw, plugin, other, folder, model):
    pack = folder / "r.rules"
    pack.write_text("predicate is_all(value, float)\n" + RULE % "is_all(w, 1)")
    for args, text in (
            (("--plugin", plugin), 'r.rules:1:11: error: the plug-in gives "is_all(value, int)", '
                                   'declared is "is_all(value, float)"'),
            (("--plugin", other), "it is for version 2 of onnxrw_plugin.h, this is 1"),
            (("--plugin", plugin, "--plugin", plugin), 'predicate "is_all" is given already')):
        out = folder / "none.onnx"
        done = run(onnxrw, *args, "-r", pack, "-o", out, model)
        check(done.returncode == 2 and text in done.stderr and not out.exists(), args, done)



def no_table(onnxrw, cc, folder):
    """A library that counts predicates and gives none is refused."""
    source, lib = folder / "null.c", folder / "null.so"
    source.write_text("""#include "include/onnxrw_plugin.h"
const struct onnxrw_plugin *onnxrw_plugin(void) {
    static const struct onnxrw_plugin p = {ONNXRW_PLUGIN_ABI, 2, NULL};
    return &p;
}
""")
    root = pathlib.Path(__file__).resolve().parent.parent
    done = run(cc, "-shared", "-fPIC", "-I", root, "-o", lib, source)
    check(done.returncode == 0, "cc", done.stderr)
    done = run(onnxrw, "rules", "check", "--plugin", lib, "auto")
    check(done.returncode == 2 and "its table of 2 predicates is NULL" in done.stderr, "no table", done)


EXAMPLE = """rule one {
  match { y = Mul(x, const w) }
  where { is_all(w, 1) }
  emit { y = Abs(x) }
  example {
    (float[N, 3] x) => (float[N, 3] y) <float[3] w = {1, 1, 1}> { y = Mul (x, w) }
  } => Abs 1
  near "another constant" {
    (float[N, 3] x) => (float[N, 3] y) <float[3] w = {2, 2, 2}> { y = Mul (x, w) }
  } => "is_all"
}
"""


def of_rules(onnxrw, plugin, folder):
    """rules test, check and doc ask the plug-in too."""
    pack = folder / "t.rules"
    pack.write_text(DECLARED + EXAMPLE)
    test = "rules", "test", "--count", "0"
    done = run(onnxrw, *test, "--plugin", plugin, pack)
    check(done.returncode == 0 and "2 examples and near misses, 0 failed" in done.stdout and not done.stderr,
          "rules test", done)
    done = run(onnxrw, *test, pack)
    check(done.returncode == 1 and 'no plug-in gives predicate "is_all"' in done.stderr and
          "does not apply to its example" in done.stderr, "rules test alone", done)
    done = run(onnxrw, "rules", "doc", "--plugin", plugin, pack)
    check(done.returncode == 0 and "After" in done.stdout, "rules doc", done)
    check(run(onnxrw, "rules", "check", pack).returncode == 0, "rules check alone")
    pack.write_text("predicate is_all(value, float)\n" + RULE % "is_all(w, 1)")
    done = run(onnxrw, "rules", "check", "--plugin", plugin, pack)
    check(done.returncode == 2 and 'the plug-in gives "is_all(value, int)"' in done.stderr, "rules check", done)


def compiled(onnxrw, plugin, cc, folder, model):
    pack, lib = folder / "k.rules", folder / "k.so"
    pack.write_text(DECLARED + RULE % 'is_all(w, 1) && has_dims(x, [-1, 3]) && is_half(0.5, "half")')
    done = run(onnxrw, "rules", "compile", pack, "-o", lib, env={**os.environ, "CC": cc})
    check(done.returncode == 0, "rules compile", done.stderr)
    outs = []
    for args in (("-r", pack), ("--plugin", lib), ("--plugin", lib, "-r", "k.rules")):
        done = run(onnxrw, "--plugin", plugin, *args, "-o", folder / "k.onnx", model)
        outs.append((done.returncode, done.stdout, done.stderr, (folder / "k.onnx").read_bytes()))
        check(applied(done), args, done)
    check(outs[0] == outs[1] == outs[2], "compiled", *outs)
    done = run(onnxrw, "--plugin", lib, "-o", folder / "k.onnx", model)
    check(not applied(done) and 'no plug-in gives predicate "is_all" and 4 more' in done.stderr, "compiled alone", done)


def main():
    onnxrw, plugin, other, cc = sys.argv[1:5]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = folder / "m.onnx"
        (folder / "m.txt").write_text(MODEL.replace("BIG", "2").replace("ZEROS", "0, 0"))
        done = run(onnxrw, "parse", folder / "m.txt", "-o", model)
        check(done.returncode == 0, "parse", done.stderr)
        conditions(onnxrw, plugin, folder, model)
        emit_when(onnxrw, plugin, folder, model)
        large(onnxrw, plugin, folder, model)
        missing(onnxrw, plugin, folder, model)
        refused(onnxrw, plugin, other, folder, model)
        of_rules(onnxrw, plugin, folder)
        no_table(onnxrw, cc, folder)
        compiled(onnxrw, plugin, cc, folder, model)
    print("\n".join(wrong + [f"native predicates: {len(wrong)} wrong"]))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
