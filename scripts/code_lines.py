"""Code lines of the package by room: no blank lines, comments or docstrings. `python -m scripts.code_lines [FOLDER]` prints it."""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def code_lines(source: str) -> int:
    """Count the lines of a module that hold code."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in LAYOUT:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        # A text that stands alone documents a module, class, function, constant or field.
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def main() -> None:
    """Print the code lines of each room, then of all."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "src")
    rooms: Counter[str] = Counter()
    for path in folder.rglob("*.py"):
        rooms["/".join(path.relative_to(folder).parts[:2])] += code_lines(path.read_text(encoding="utf-8"))
    for room, lines in rooms.most_common():
        print(f"{lines:6,}  {room}")  # noqa: T201
    print(f"{rooms.total():6,}  in all, in {sum(1 for _ in folder.rglob('*.py'))} modules")  # noqa: T201


if __name__ == "__main__":
    main()
