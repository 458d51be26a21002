"""Compares the messages of ir/onnx.proto with those of the installed onnx package.

SPDX-License-Identifier: Apache-2.0
"""
import os
import subprocess
import sys
import tempfile

try:
    from google.protobuf import descriptor_pb2
    from onnx import onnx_ml_pb2
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
PROTO = os.path.join(HERE, "..", "ir", "onnx.proto")


def ours():
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "onnx.desc")
        subprocess.run(["protoc-c", f"--proto_path={os.path.dirname(PROTO)}",
                        f"--descriptor_set_out={out}", PROTO], check=True)
        with open(out, "rb") as f:
            return descriptor_pb2.FileDescriptorSet.FromString(f.read()).file[0]


def theirs():
    file = descriptor_pb2.FileDescriptorProto()
    onnx_ml_pb2.DESCRIPTOR.CopyToProto(file)
    return file


def facts(file):
    """The set of all facts of a file that decide what bytes mean."""
    found = {("syntax", file.syntax or "proto2"), ("package", file.package)}

    def message(m, path):
        path = f"{path}.{m.name}"
        found.add(("message", path))
        for f in m.field:
            oneof = m.oneof_decl[f.oneof_index].name if f.HasField("oneof_index") else ""
            found.add(("field", path, f.number, f.name, f.label, f.type, f.type_name,
                       f.options.packed, f.default_value, oneof))
        for e in m.enum_type:
            for v in e.value:
                found.add(("enum", f"{path}.{e.name}", v.name, v.number))
        for n in m.nested_type:
            message(n, path)

    for m in file.message_type:
        message(m, "")
    return found


def main():
    a, b = facts(ours()), facts(theirs())
    for fact in sorted(a - b, key=repr):
        print("only ours:", *fact)
    for fact in sorted(b - a, key=repr):
        print("only the package's:", *fact)
    return int(a != b)


if __name__ == "__main__":
    sys.exit(main())
