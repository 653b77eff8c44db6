"""The map of the house in CONTRIBUTING.md: a line for each folder and module, taken from what their docstrings say.

`python -m scripts.house_map` writes it again; a test fails where it is stale.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- map: begin -->", "<!-- map: end -->"


def house_map() -> str:
    """Return the map: a table for each folder, in the order of the alphabet."""
    return "\n".join(line for package in ("referee", "referee_papers") for line in _folder(ROOT / "src" / package))


def _folder(folder: Path) -> Iterator[str]:
    modules = sorted(path for path in folder.glob("*.py") if path.stem not in ("__init__", "__main__"))
    place = folder.relative_to(ROOT / "src").as_posix()
    yield f"**`{place}/`** {_summary(folder / '__init__.py')}\n"
    if modules:
        yield "| module | what it is |"
        yield "|---|---|"
        yield from (f"| `{path.stem}` | {_summary(path)} |" for path in modules)
        yield ""
    for inner in sorted(path.parent for path in folder.glob("*/__init__.py")):
        yield from _folder(inner)


def _summary(path: Path) -> str:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n")[0].replace("|", "\\|")


def with_map(page: str) -> str:
    """Return the page with the map as it is now."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{house_map()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(with_map(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stdout.write(f"{PAGE.name} has the map\n")
