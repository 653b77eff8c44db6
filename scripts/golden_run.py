"""The golden run: a fixed set of commands, and whether two trees answer them alike.

`python -m scripts.golden_run write FOLDER` runs every command of `golden_cases` and every call of `golden_api`, and writes a
file for each: exit code, standard output, standard error, and the files it wrote. `python -m scripts.golden_run compare OLD
NEW` ends with 1 where two such folders differ in a byte; with `--numbers` only where exit codes, the names of what was
written, or JSON differ, in which sentences may change and every key, number, truth value and null is held. A chart is a
picture, though its file is JSON.

Inputs have relative paths, the version is masked, and the clock that costs are measured by stands still.
"""

from __future__ import annotations

import argparse
import difflib
import io
import json
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from scripts.golden_cases import Command, commands

SURROUNDINGS = {
    "COLUMNS": "80",
    "NO_COLOR": "1",
    "OMP_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "REFEREE_TRACEBACK": "",
}
MOST = 12
"""How many lines of a difference are shown."""
Record = dict[str, Any]


def write(folder: Path, processes: int) -> None:
    """Run everything and write what came of it.

    Args:
        folder: where to; files of an earlier run are removed.
        processes: how many at once.
    """
    from scripts.golden_inputs import make

    os.environ.update(SURROUNDINGS)
    began = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.json"):
        old.unlink()
    with tempfile.TemporaryDirectory(prefix="golden-") as place:
        made = Path(place) / "made"
        made.mkdir()
        make(made)
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(processes, spawn, _settle, (str(place),)) as pool:
            works: list[Command | str] = sorted([*commands(), *_calls()], key=_leaves_a_trace)
            for name, record in pool.map(_done, works):
                text = json.dumps(record, indent=1, ensure_ascii=False)
                (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    _say(f"{len(works)} results are in {folder}, after {time.monotonic() - began:.0f} s")


def _leaves_a_trace(work: Command | str) -> bool:
    """Say whether a process knows more metrics ever after: what does is run last."""
    return "own" in (work if isinstance(work, str) else work.name)


def _calls() -> list[str]:
    from scripts.golden_api import CALLS

    return list(CALLS)


def _settle(place: str) -> None:
    """Give a process inputs of its own, and a clock that stands still, before anything of referee is loaded."""
    home = Path(place) / str(os.getpid())
    shutil.copytree(Path(place) / "made", home)
    os.chdir(home)
    sys.path.insert(0, str(home))
    time.perf_counter = lambda: 0.0
    warnings.simplefilter("ignore")


def _done(work: Command | str) -> tuple[str, Record]:
    """Run a command, or a call from Python, and return what came of it."""
    out = Path("out")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    if isinstance(work, str):
        return work, _called(work)
    code, stdout, stderr = _ran(work)
    files = {path.name: _lines(_text(path)) for path in sorted(out.iterdir())}
    command = " ".join(("referee", *work.words))
    return work.name, {
        "command": command,
        "code": code,
        "stdout": _lines(stdout),
        "stderr": _lines(stderr),
        "files": files,
    }


def _ran(command: Command) -> tuple[int, str, str]:
    from referee.cli import main

    fed = Path(command.stdin).read_bytes() if command.stdin else b""
    streams = io.TextIOWrapper(io.BytesIO(fed)), *(io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    kept = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = streams
    try:
        code = main(list(command.words))
    finally:
        sys.stdin, sys.stdout, sys.stderr = kept
    for stream in streams[1:]:
        stream.flush()
    stdout, stderr = (stream.buffer.getvalue().decode("utf-8") for stream in streams[1:])
    return code, stdout, stderr


def _called(name: str) -> Record:
    from scripts.golden_api import CALLS

    try:
        return {"command": name, "code": 0, "files": {file: _lines(text) for file, text in CALLS[name]().items()}}
    except Exception as error:
        return {"command": name, "code": 70, "stderr": traceback.format_exception_only(error), "files": {}}


def _text(path: Path) -> str:
    """Return what is in a file; of one that is no text, that it is there."""
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return "(no text)"


def _lines(text: str) -> list[str]:
    import referee

    return text.replace(referee.__version__, "VERSION").splitlines(keepends=True)


def differences(old: Path, new: Path, numbers: bool) -> Iterator[tuple[str, list[str]]]:
    """Yield what differs: its name, and lines that show how.

    Args:
        old: a folder that was written.
        new: another.
        numbers: whether sentences, and all that is not JSON, may differ.
    """
    names = sorted({path.stem for folder in (old, new) for path in folder.glob("*.json")})
    for name in names:
        both = [folder / f"{name}.json" for folder in (old, new)]
        missing = [str(path.parent) for path in both if not path.exists()]
        if missing:
            yield name, [f"missing in {missing[0]}"]
            continue
        records = [json.loads(path.read_text(encoding="utf-8")) for path in both]
        told = [_pieces(record, numbers) for record in records]
        for part in sorted(told[0].keys() | told[1].keys()):
            before, after = (one.get(part, []) for one in told)
            if before != after:
                lines = list(difflib.unified_diff(before, after, "old", "new", lineterm="", n=1))[2:]
                yield f"{name} [{part}]", [line.rstrip("\n")[:200] for line in lines]


def _pieces(record: Record, numbers: bool) -> dict[str, list[str]]:
    """Return what is compared of a record, by its part, as lines."""
    texts = {"stdout": record.get("stdout", []), **record["files"]}
    said = {"exit code": [str(record["code"])], "files": sorted(record["files"])}
    if not numbers:
        return {**said, "command": [record["command"]], "stderr": record.get("stderr", []), **texts}
    return said | {
        part: list(_held("", content)) for part, lines in texts.items() if (content := _json(lines)) is not None
    }


def _json(lines: list[str]) -> Any:
    """Return what JSON holds; None of other texts, and of a chart, which is a picture in JSON."""
    try:
        content = json.loads("".join(lines))
    except json.JSONDecodeError:
        return None
    is_chart = isinstance(content, dict) and "vega" in str(content.get("$schema"))
    return content if isinstance(content, dict | list) and not is_chart else None


def _held(place: str, content: Any) -> Iterator[str]:
    """Yield a line for each key, number, truth value and null, with its place; of a text only that it is one."""
    if isinstance(content, dict):
        yield f"{place} has {', '.join(sorted(content))}"
        for key in sorted(content):
            yield from _held(f"{place}.{key}", content[key])
    elif isinstance(content, list):
        yield f"{place} has {len(content)}"
        for number, one in enumerate(content):
            yield from _held(f"{place}[{number}]", one)
    else:
        yield f"{place} = {'(text)' if isinstance(content, str) else repr(content)}"


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


def main() -> int:
    """Run what the command line asks for; 1 where folders differ."""
    parser = argparse.ArgumentParser(prog="python -m scripts.golden_run", description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    writing = verbs.add_parser("write", help="run everything")
    writing.add_argument("folder", type=Path)
    writing.add_argument("--processes", type=int, default=2)
    comparing = verbs.add_parser("compare", help="compare two folders")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    comparing.add_argument("--numbers", action="store_true", help="sentences and layout may differ")
    given = parser.parse_args()
    if given.verb == "write":
        write(given.folder, given.processes)
        return 0
    found = list(differences(given.old, given.new, given.numbers))
    for name, lines in found:
        more = [f"... {len(lines) - MOST} more lines"] if len(lines) > MOST else []
        _say("\n  ".join([name, *lines[:MOST], *more]))
    _say(f"{len(found)} differences" if found else "no difference")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
