"""Tables of the docs that benches write: what stands between two marks.
SPDX-License-Identifier: Apache-2.0
"""
import pathlib

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"


def replace(page, mark, lines):
    """Puts lines in place of what stands between `<!-- MARK: begin -->` and its end."""
    path, begin, end = DOCS / page, f"<!-- {mark}: begin -->\n", f"<!-- {mark}: end -->"
    before, rest = path.read_text(encoding="utf-8").split(begin)
    path.write_text(before + begin + "\n".join(lines) + "\n" + end + rest.split(end)[1], encoding="utf-8")
