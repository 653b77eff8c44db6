"""The pages of the gallery: what the commands of docs/gallery.md write, run again each time the site is built."""

from __future__ import annotations

import contextlib
import re
import runpy
import shlex
import sys
import tempfile
from pathlib import Path

from click.testing import CliRunner

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.test_docs import FENCE, commands, pattern, tidy  # noqa: E402

from referee.cli.main import referee  # noqa: E402

PAGE = ROOT / "docs" / "gallery.md"


def pages() -> dict[str, str]:
    """Return the pages by their names.

    Raises:
        RuntimeError: if a command fails, or prints something else than the gallery says.
    """
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for block in FENCE.finditer(PAGE.read_text(encoding="utf-8")):
            if block["file"]:
                Path(block["file"]).write_text(block["body"], encoding="utf-8")
            for command in commands(block["body"]) if block["kind"] == "console" else []:
                printed, wanted = tidy(_run(command.line)), tidy("\n".join(command.wanted)).splitlines()
                if not re.fullmatch(pattern(wanted), printed):
                    raise RuntimeError(f"docs/gallery.md: $ {command.line}\nprints\n{printed}")
        return {path.name: path.read_text(encoding="utf-8") for path in sorted(Path().glob("*.html"))}


def _run(line: str) -> str:
    """Run a command in this process, which has imported everything already; return what it prints."""
    program, *words = shlex.split(line.replace("\\\n", " "))
    if program == "python":
        runpy.run_path(words[0])
        return ""
    return CliRunner().invoke(referee, words).output
