#!/usr/bin/env python3
"""Packs that were compiled to C are what their files are.

    codegen.py ONNXRW MATCH CC SANITIZERS

`rules compile` writes the same bytes wherever the packs lie; C that gcc and clang take without
a warning, whatever stands in names; it says what is wrong and leaves no output then. A library
of all packs of the golden cases, loaded by --plugin, finds the same matches in the same order
(MATCH: tests/tools/match.c) and makes the same models as the files.
SANITIZERS are those that the build was made with, or empty. SPDX-License-Identifier: Apache-2.0
"""
import os, pathlib, re, shutil, sys, tempfile

from findings import check, run, wrong

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN, RULES = HERE / "golden", HERE.parent / "rules"
STRICT = ["-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wmissing-prototypes",
          "-Werror", "-fsyntax-only", "-x", "c", "-"]
HOSTILE = r'''
pack hostile "a \\ ??/ ??= \"quote\" */ // %s %d \x01\x7f \xc3\xa9 é \n" {
  version 1.0
  param long: string = "LONG"
}

rule odd "*/ \\ ??' \" text /* #include <x> " {
  match { y = my.domain.Op <s = "a\"b\\c\n??)%n\xff"> (Neg(x)) }
  where { 1e308 < 2e308; -9223372036854775807 - 1 < 0; dim(x, 0) == 9223372036854775807; }
  emit { y = Abs(x) }
}
'''.replace("LONG", "long ?? text " * 1000)


def compile_packs(onnxrw, out, *packs, **env):
    done = run(onnxrw, "rules", "compile", *packs, "-o", out, env={**os.environ, **env})
    if done.returncode:
        sys.exit(f"rules compile: exit {done.returncode}: {done.stderr}")
    return out


def same_bytes(onnxrw, folder):
    packs = sorted(RULES.glob("*.rules"))
    shutil.copytree(RULES, folder / "elsewhere")
    moved = [folder / "elsewhere" / p.name for p in packs]
    texts = [compile_packs(onnxrw, folder / f"{i}.c", *p).read_text() for i, p in enumerate((packs, packs, moved))]
    check(texts[0] == texts[1], "a second compilation differs")
    check(texts[0] == texts[2], "packs in another folder compile to something else")
    check(str(folder) not in texts[2] and str(RULES.parent) not in texts[0], "paths in the C")


def without_warnings(onnxrw, folder):
    (folder / "hostile.rules").write_text(HOSTILE)
    for pack in (folder / "hostile.rules", *sorted(RULES.glob("*.rules"))):
        text = compile_packs(onnxrw, folder / "w.c", pack).read_text()
        for cc in filter(shutil.which, ("gcc", "clang")):
            done = run(cc, *STRICT, input=text)
            check(done.returncode == 0, cc, pack.name, done.stderr[:500])


def messages(onnxrw, folder):
    (folder / "bad.rules").write_text("rule r: Nop(x) => x\n")
    out = folder / "none.c"
    for args, code, text in (
            (("rules", "compile", "bert"), 2, 'needs -o OUT'),
            (("rules", "compile", "-o", out), 2, "needs a pack"),
            (("rules", "compile", folder / "bad.rules", "-o", out), 2, "bad.rules:1:9: error"),
            (("rules", "compile", "nosuch", "-o", out), 2, "there is no such pack"),
            (("rules", "compile", "bert", "-o", folder / "no" / "x.c"), 4, "cannot be written"),
            (("rules", "compile", "bert", "-o", folder / "no" / "x.so"), 4, "cannot be written"),
            (("rules", "check", "bert", "-o", out), 2, '-o is for "rules compile"'),
            (("--plugin", folder / "bad.rules", "x.onnx"), 2, "cannot be loaded as a plug-in"),
            (("--plugin", folder / "no.so", "x.onnx"), 2, "cannot be loaded as a plug-in")):
        done = run(onnxrw, *args)
        check(done.returncode == code and text in done.stderr, args, done.returncode, done.stderr)
    check(not out.exists(), "an output after an error")
    for cc, text in (("false", "failed with exit status 1"), ("no-such-compiler -x", "cannot be run")):
        done = run(onnxrw, "rules", "compile", "bert", "-o", folder / "x.so", env={**os.environ, "CC": cc})
        check(done.returncode == 4 and text in done.stderr, "CC =", cc, done.stderr)
    check(not list(folder.glob("x.so*")), "an output after the compiler failed")


def golden_runs(onnxrw, plugin, folder):
    """The same models, byte for byte, through the library and through the files; a case of each
    pack, since their matches are compared one by one elsewhere."""
    count = 0
    for pack in sorted(GOLDEN.rglob("pack.rules")):
        for case in sorted(pack.parent.rglob("in.txt"))[:1]:
            model = folder / "m.onnx"
            if run(onnxrw, "parse", case, "-o", model).returncode:
                continue
            outs = []
            for args in (("-r", pack), ("--plugin", plugin, "-r", pack.relative_to(HERE.parent))):
                out = folder / f"{len(outs)}.onnx"
                out.unlink(missing_ok=True)
                done = run(onnxrw, "-O2", *args, "-o", out, model)
                outs.append((done.returncode, done.stdout.replace(str(out), ""), out.read_bytes() if out.exists() else b""))
            check(outs[0] == outs[1], case, outs[0][:2], outs[1][:2])
            count += 1
    return count


def whole_plugin(onnxrw, folder):
    """Without -r its packs are run; by name too."""
    lib = compile_packs(onnxrw, folder / "own.so", RULES / "bert.rules")
    model = HERE.parent / "examples" / "bert" / "bert.onnx"
    outs = []
    for args in (("-r", "bert"), ("--plugin", lib), ("--plugin", lib, "-r", "bert.rules")):
        done = run(onnxrw, *args, "-o", folder / "b.onnx", model)
        outs.append((done.returncode, done.stdout, (folder / "b.onnx").read_bytes()))
    check(outs[0] == outs[1] == outs[2] and outs[0][0] == 0, "bert as a plug-in", outs[0][:2], outs[1][:2])


def files_win(onnxrw, folder):
    """The command works without any file; a changed file is seen, in what it is used by too."""
    alone, rules = folder / "bin" / "onnxrw", folder / "changed"
    alone.parent.mkdir()
    shutil.copy(onnxrw, alone)
    shutil.copytree(RULES, rules)
    model = HERE.parent / "examples" / "bert" / "bert.onnx"
    args = ("--dry-run", "-r", "bert", model)
    built = run(onnxrw, *args)
    check("gelu" in built.stdout and run(alone, *args).stdout == built.stdout, "without files", built.stdout)
    check(run(alone, *args, env={**os.environ, "ONNXRW_RULES": str(rules)}).stdout == built.stdout, "a copy of the files")
    gelu = rules / "lib" / "gelu.rules"
    gelu.write_text(re.sub(r"\bgelu_erf\b|\bgelu\b(?= *[:{])", "renamed_gelu", gelu.read_text()))
    changed = run(alone, *args, env={**os.environ, "ONNXRW_RULES": str(rules)})
    check(changed.returncode == 0 and "renamed_gelu" in changed.stdout, "a changed file", changed.stdout, changed.stderr)


def main():
    onnxrw, match, cc, sanitizers = [*sys.argv[1:], ""][:4]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        same_bytes(onnxrw, folder)
        without_warnings(onnxrw, folder)
        messages(onnxrw, folder)
        packs = sorted(GOLDEN.rglob("pack.rules")) + sorted(RULES.rglob("*.rules"))
        plugin = compile_packs(onnxrw, folder / "all.so", *packs, CC=cc)
        count = golden_runs(onnxrw, plugin, folder)
        whole_plugin(onnxrw, folder)
        files_win(onnxrw, folder)
        done = run(sys.executable, HERE / "match_levels.py", match, "--most", 0, "--packs", "bert.rules", "--plugin", plugin)
    compared = done.stdout.splitlines()[-1]
    check(done.returncode == 0 and not compared.startswith("0 "), done.stdout, done.stderr)
    print(f"{compared}, {count} golden cases run")
    print("\n".join(wrong) or "compiled packs are as their files")
    sys.exit(len(wrong) > 0)


if __name__ == "__main__":
    main()
