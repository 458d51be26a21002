#!/usr/bin/env python3
"""Does an installed tree work by itself, wherever it was put?

    install.py BUILD CMAKE CC SANITIZERS

Installs the build into a temporary prefix that it was not configured for, in which then
- the command finds the packs that were installed with it;
- the completions of the shells are there, and each shell that is here reads its own;
- a CMake project finds the package and links the library, shared and static;
- a C program is compiled with what pkg-config says, and runs a pack by its name, with the
  library shared and static.
SANITIZERS are those that the build was made with, or empty. SPDX-License-Identifier: Apache-2.0
"""
import os, pathlib, shutil, subprocess, sys, tempfile

PROGRAM = r"""
#include <onnxrw.h>
#include <stdio.h>
int main(int argc, char **argv) {
    const char *packs[] = {"bert.rules"}, *name;
    struct onnxrw_rules *rules;
    struct onnxrw_model *model = NULL;
    size_t times;
    int status = onnxrw_load_rules(packs, 1, &rules);
    if (status == ONNXRW_OK) status = onnxrw_read(argv[argc - 1], &model);
    if (status == ONNXRW_OK) status = onnxrw_run(model, rules, NULL);
    if (status != ONNXRW_OK) fputs(model ? onnxrw_messages(model) : onnxrw_rules_messages(rules), stderr);
    for (size_t i = 0; !status && (name = onnxrw_applied(model, i, &times)); i++)
        printf("%s %zu\n", name, times);
    onnxrw_free_model(model);
    onnxrw_free_rules(rules);
    return status;
}
"""
PROJECT = """
cmake_minimum_required(VERSION 3.20)
project(user C)
find_package(onnxrw REQUIRED)
foreach(kind shared static)
  add_executable(with_${kind} p.c)
  target_link_libraries(with_${kind} PRIVATE onnxrw::${kind})
endforeach()
"""
COMPLETIONS = {"bash": "bash-completion/completions/onnxrw", "zsh": "zsh/site-functions/_onnxrw",
               "fish": "fish/vendor_completions.d/onnxrw.fish"}
MODEL = pathlib.Path(__file__).resolve().parent.parent / "examples" / "bert" / "bert.onnx"


def run(*args, **env):
    p = subprocess.run([str(a) for a in args], env={**os.environ, **env}, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, text=True)
    if p.returncode:
        sys.exit(f"{args[0]}: exit {p.returncode}\n{p.stdout}")
    return p.stdout


def by_pkg_config(cc, sanitizers, folder, pc, prefix):
    """What a program prints that is compiled with what pkg-config says, for each library."""
    def compiled(kind, *options):
        program = folder / f"p_{kind}"
        flags = run("pkg-config", *options, "--cflags", "--libs", "onnxrw", PKG_CONFIG_PATH=str(pc)).split()
        asan = [f"-fsanitize={sanitizers}"] if sanitizers else []
        run(cc, folder / "p.c", "-o", program, *asan,
            *("-l:libonnxrw.a" if kind == "static" and f == "-lonnxrw" else f for f in flags))
        return program
    yield run(compiled("shared"), MODEL, LD_LIBRARY_PATH=str(pc.parent))
    yield run(compiled("static", "--static"), MODEL, ONNXRW_RULES=str(prefix / "share" / "onnxrw" / "rules"))


def by_cmake(cmake, cc, sanitizers, folder, prefix):
    """What a project prints that finds the library by its CMake package, for each library."""
    (folder / "CMakeLists.txt").write_text(PROJECT)
    flags = [f"-DCMAKE_C_FLAGS=-fsanitize={sanitizers}"] if sanitizers else []
    run(cmake, "-S", folder, "-B", folder / "build", f"-DCMAKE_C_COMPILER={cc}",
        f"-DCMAKE_PREFIX_PATH={prefix}", *flags)
    run(cmake, "--build", folder / "build")
    # a program with the static library knows the packs where it was configured for only
    rules = {"static": {"ONNXRW_RULES": str(prefix / "share" / "onnxrw" / "rules")}}
    return [run(folder / "build" / f"with_{kind}", MODEL, **rules.get(kind, {}))
            for kind in ("shared", "static")]


def check_completions(prefix):
    for shell, file in COMPLETIONS.items():
        script = prefix / "share" / file
        if "explain" not in script.read_text():
            sys.exit(f"{file} knows no command")
        if shutil.which(shell):
            run(shell, "-n", script)


def main():
    build, cmake, cc, sanitizers = [*sys.argv[1:], ""][:4]
    if not shutil.which("pkg-config"):
        print("pkg-config is not installed")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as tmp:
        prefix = pathlib.Path(tmp) / "prefix"
        run(cmake, "--install", build, "--prefix", prefix)
        out = run(prefix / "bin" / "onnxrw", "--dry-run", "-r", "bert.rules", MODEL)
        where = run(prefix / "bin" / "onnxrw", "rules", "list", "bert.rules")
        pc = next(prefix.rglob("onnxrw.pc")).parent
        (pathlib.Path(tmp) / "p.c").write_text(PROGRAM)
        used = [*by_pkg_config(cc, sanitizers, pathlib.Path(tmp), pc, prefix)]
        check_completions(prefix)
        packaged = by_cmake(cmake, cc, sanitizers, pathlib.Path(tmp), prefix)
    wanted = ["layer_norm", "skip_layer_norm", "bias_gelu"]
    wrong = [w for w in wanted if w not in out or w not in where or any(w not in u for u in [*used, *packaged])]
    print(used[0] + (f"missing: {wrong}" if wrong else "all there"))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
