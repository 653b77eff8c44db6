"""Writes what the pages and docstrings print again: the lines below a command or a prompt become what it prints now.

    python -m scripts.docs_blocks [FILE ...]

Files are pages (.md) and modules (.py); all that the tests check if none are named. An expectation that holds stays as it is. A
line `...` that leaves lines out stays, between the paragraphs that are most like those around it. An error is shown without the
places where it was raised. Look at the difference afterwards.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from difflib import SequenceMatcher
from importlib import import_module
from itertools import dropwhile, groupby
from pathlib import Path
from typing import Any

from tests.test_docs import FENCE, PAGES, ROOT, commands, pattern, run, tidy
from tests.warm import command as warm_command

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def renewed(wanted: list[str], printed: list[str]) -> list[str]:
    """Return what is printed, cut as the old expectation was: for each of its paragraphs the one that is most like it."""
    if "..." not in wanted:
        return printed
    parts, lines, place = _paragraphs(printed), list[str](), 0
    runs = [(is_gap, list(run)) for is_gap, run in groupby(wanted, key=lambda line: line == "...")]
    for number, (is_gap, group) in enumerate(runs, 1):
        own = _paragraphs(group) or [""]
        if is_gap:
            lines.append("...")
            continue
        if number == len(runs) > 1 and len(own) == 1:
            return lines + printed[-len(group) :]
        start = place + _most_like(own[0], parts[place:]) if place or lines else 0
        place = start + _most_like(own[-1], parts[start:]) + 1
        lines += "\n\n".join(parts[start:place]).splitlines()
    return lines


def _most_like(old: str, parts: list[str]) -> int:
    """Return the place of the paragraph that is most like an old one."""
    likeness = [SequenceMatcher(None, old, part).ratio() for part in parts]
    return likeness.index(max(likeness, default=0)) if likeness else 0


def _paragraphs(lines: list[str]) -> list[str]:
    return ["\n".join(part) for blank, part in groupby(lines, key=lambda line: not line.strip()) if not blank]


def with_console(text: str, folder: Path, before: Path) -> str:
    """Return a page whose commands print what it says."""
    last = 0

    def block(found: re.Match[str]) -> str:
        nonlocal last
        if found["file"]:
            (folder / found["file"]).write_text(found["body"], encoding="utf-8")
        if found["kind"] != "console":
            return found[0]
        lines: list[str] = []
        for one in commands(found["body"]):
            done = run(one.line, folder, last, before)
            last, printed = done.returncode, tidy(done.stdout)
            wanted = tidy("\n".join(one.wanted))
            holds = re.fullmatch(pattern(wanted.splitlines()), printed)
            lines += [f"$ {one.line}", *(one.wanted if holds else renewed(wanted.splitlines(), printed.splitlines()))]
        return found[0].replace(found["body"], "\n".join(lines) + "\n")

    return FENCE.sub(block, text)


def without_places(printed: str) -> str:
    """Return what an example printed, an error without the files and lines that it came through."""
    before, header, traceback = printed.rpartition("Traceback (most recent call last):\n")
    message = dropwhile(lambda line: line.startswith(" "), traceback.splitlines(keepends=True))
    return before.partition(header)[0] + header + "".join(message) if header else printed


class Renewer(doctest.DocTestRunner):
    """Collects what examples print instead of what they say, by line."""

    found: dict[int, tuple[str, str]]

    def report_failure(self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        """Keep the line below the prompt, the old words and the new ones."""
        line = (test.lineno or 0) + example.lineno + example.source.count("\n")
        printed = without_places(got).splitlines()
        got = "\n".join(renewed(example.want.splitlines(), printed))
        self.found[line] = example.want, got.replace("\n\n", "\n<BLANKLINE>\n") + "\n"

    def report_unexpected_exception(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, error: Any
    ) -> None:
        """Leave the page as it is, and say so."""
        sys.stdout.write(f"{test.name}: {example.source.strip()} fails: {error[1]}\n")


def with_doctests(text: str, tests: list[doctest.DocTest]) -> str:
    """Return a text whose examples print what it says."""
    runner = Renewer(optionflags=FLAGS, verbose=False)
    runner.found = {}
    for test in tests:
        runner.run(test, out=lambda _: None, clear_globs=False)
    lines = text.splitlines(keepends=True)
    for line, (want, got) in sorted(runner.found.items(), reverse=True):
        indent = re.match(r" *", lines[line - 1])
        blanks = indent[0] if indent else ""
        lines[line : line + want.count("\n")] = [blanks + one + "\n" for one in got.splitlines()]
    return "".join(lines)


def tests_of(path: Path, text: str) -> list[doctest.DocTest]:
    """Return the examples of a page, which share their names, or of a module."""
    if path.suffix == ".md":
        return [doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, path.name, str(path), 0)]
    module = import_module(".".join(path.resolve().relative_to(ROOT / "src").with_suffix("").parts))
    return [
        test for test in doctest.DocTestFinder().find(module) if test.filename and Path(test.filename).samefile(path)
    ]


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Hide what examples write to stderr."""
    with contextlib.redirect_stderr(io.StringIO()):
        yield


def main() -> None:
    """Write every file again whose expectations have changed."""
    paths = [Path(name).resolve() for name in sys.argv[1:]] or [*PAGES, *sorted((ROOT / "src").rglob("*.py"))]
    # Contributors' examples register a metric and a test, which other pages must not meet.
    paths.sort(key=lambda path: path.name == "CONTRIBUTING.md")
    with tempfile.TemporaryDirectory() as scratch, warm_command(Path(scratch)) as warm:
        for path in paths:
            os.chdir(ROOT)
            text = path.read_text(encoding="utf-8")
            with quiet():
                new = with_doctests(text, tests_of(path, text)) if ">>> " in text else text
            if path.suffix == ".md" and "```console" in new:
                new = with_console(new, Path(tempfile.mkdtemp(dir=scratch)), Path(warm))
            if new != text:
                path.write_text(new, encoding="utf-8")
                sys.stdout.write(f"{path.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
