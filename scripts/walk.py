"""The walk: how many modules of the package a job enters, and how often it changes rooms. `python -m scripts.walk` prints it.

A room is the first folder below a package, or a module that lies at its root: `referee.report.html.page` is in the room
`referee.report`, `referee.counts` is a room of its own. Only calls of functions of `referee` and `referee_papers` count, and
none that an import makes. Who calls is the nearest function of ours on the stack, whatever library lies between; a
comprehension belongs to the function that it is written in. Each job runs in a process of its own, once, with nothing
imported before.

modules  distinct modules of which a function was called
rooms    the rooms that these lie in
doors    distinct pairs of modules (caller, callee) in different rooms
changes  changes of room: distinct pairs of functions (caller, callee) in different rooms, each counted once however often
         it is called; this is what somebody follows who reads the job from call to call
wander   functions in the order in which they are first called: how often the next one is in another room
"""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import random
import re
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

PACKAGES = ("referee", "referee_papers")
LOGS = Path(__file__).resolve().parents[1] / "tests" / "samples" / "lm-eval"
COLUMNS = ("compare", "table.csv", "--truth", "label", "--a", "old", "--b", "new", "--metric", "f1")
JOBS: dict[str, tuple[str, ...]] = {
    "compare": (*COLUMNS, "--format", "json"),
    "compare --html": (*COLUMNS, "--html", "page.html"),
    "log": (
        "compare",
        str(LOGS / "acme__small"),
        str(LOGS / "acme__large"),
        "--filter",
        "strict-match",
        "--format",
        "json",
    ),
    "algorithms": (
        *("algorithms", "learn.csv", "--truth", "label", "--design", "5x2cv", "--jobs", "1"),
        *("--model", "bayes=sklearn.naive_bayes:GaussianNB", "--model", "most=sklearn.dummy:DummyClassifier"),
    ),
    "audit": ("audit", *COLUMNS[1:], "--sets", "20", "--jobs", "1"),
}
COMPREHENSION = re.compile(r"(\.<locals>)?\.<(list|set|dict)comp>.*|(\.<locals>)?\.<genexpr>.*")
COUNTED = ("modules", "rooms", "doors", "changes", "wander")


def room(module: str) -> str:
    """Return the room of a module.

    >>> room("referee.report.html.page"), room("referee.counts"), room("referee")
    ('referee.report', 'referee.counts', 'referee')
    """
    return ".".join(module.split(".")[:2])


class Function(NamedTuple):
    """A function, and where it is written."""

    module: str
    name: str


class Walk:
    """Looks on while functions are called, and remembers who called whom first."""

    def __init__(self) -> None:
        self.visited: dict[Function, None] = {}
        self.edges: dict[tuple[Function, Function], None] = {}

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """Take note of a call."""
        called = _function(frame)
        if event != "call" or called is None:
            return
        below = frame, *_below(frame)
        if any(one.f_code.co_name == "<module>" and _function(one) for one in below):
            return  # a module of ours is being loaded
        self.visited.setdefault(called)
        caller = next(filter(None, map(_function, below[1:])), None)
        if caller is not None:
            self.edges.setdefault((caller, called))

    def counted(self) -> dict[str, int]:
        """Return the numbers of the table."""
        modules = {one.module for one in self.visited}
        crossings = [(a.module, b.module) for a, b in self.edges if room(a.module) != room(b.module)]
        order = [room(one.module) for one in self.visited]
        found = (
            len(modules),
            len({room(module) for module in modules}),
            len(set(crossings)),
            len(crossings),
            sum(before != after for before, after in pairwise(order)),
        )
        return dict(zip(COUNTED, found, strict=True))


def _below(frame: FrameType) -> Iterator[FrameType]:
    """Yield the frames that a frame was called from, the nearest first."""
    behind = frame.f_back
    while behind is not None:
        yield behind
        behind = behind.f_back


def _function(frame: FrameType) -> Function | None:
    """Return the function of a frame, if it is ours."""
    module = str(frame.f_globals.get("__name__", ""))
    if module.partition(".")[0] not in PACKAGES:
        return None
    return Function(module, COMPREHENSION.sub("", frame.f_code.co_qualname))


def walked(job: str) -> dict[str, int]:
    """Run a job and count.

    Args:
        job: its name in `JOBS`.

    Raises:
        RuntimeError: where the command fails.
    """
    from referee.cli import main

    walk = Walk()
    out, err = io.StringIO(), io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        _make_tables()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            threading.setprofile(walk)
            sys.setprofile(walk)
            try:
                code = main(list(JOBS[job]))
            finally:
                sys.setprofile(None)
                threading.setprofile(None)
    if code:
        raise RuntimeError(f"{job} ended with {code}: {err.getvalue()}")
    return walk.counted()


def _make_tables() -> None:
    draw = random.Random(1)
    answers = [[truth, *(truth ^ (draw.random() < miss) for miss in (0.3, 0.2))] for truth in (0, 1) * 60]
    lines = ["label,old,new", *(",".join(str(int(one)) for one in row) for row in answers)]
    Path("table.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    lines = ["x,z,label", *(f"{draw.gauss(label, 1):.4f},{draw.gauss(0, 1):.4f},{label}" for label in (0, 1) * 40)]
    Path("learn.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Print the table."""
    os.environ["OMP_NUM_THREADS"] = "1"
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn, max_tasks_per_child=1) as pool:
        rows = dict(zip(JOBS, pool.map(walked, JOBS), strict=True))
    lines = [f"{'job':16}" + "".join(f"{name:>9}" for name in COUNTED)]
    lines += [f"{job:16}" + "".join(f"{counts[name]:9}" for name in COUNTED) for job, counts in rows.items()]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
