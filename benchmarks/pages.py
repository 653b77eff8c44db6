"""Pages: the CPU time of `referee compare A B --html page.html`, from its start to its end.

The logs are samples of lm-evaluation-harness: 14 tasks of 920 documents each, 12,880 in all, and 10 tasks of 300. Time is that
of the processor, of a fresh process with all its imports, the false-alarm check and the examples; the best of several rounds.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.rows import Row

TIMED: tuple[Callable[..., Any], ...] = ()
ROUNDS = 5
LIMIT = 1.5
PROGRAM = "import sys; from referee.cli.main import main; sys.exit(main(sys.argv[1:]))"


def logs(folder: Path, tasks: int, documents: int) -> list[str]:
    """Write the samples of two systems, which are right on about 60 of 100 documents."""
    for system, step in (("base", 7), ("tuned", 11)):
        (folder / system).mkdir()
        for task in range(tasks):
            rows = [
                {"doc_id": place, "doc": {"question": f"task {task}, question {place}: what is left of 3 apples?"}, "target": "yes",
                 "resps": [["yes it is, because of the reasoning that follows"]], "filtered_resps": ["yes"],
                 "acc": float((place * step + task) % 10 < 6)}
                for place in range(documents)
            ]  # fmt: skip
            name = f"samples_task_{task}_2026-11-02T09-00-00.jsonl"
            (folder / system / name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return [str(folder / "base"), str(folder / "tuned")]


def seconds(arguments: list[str]) -> float:
    """Return the processor time of a run, of the program and of the system for it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], check=True, capture_output=True, env=os.environ | threads
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(quick: bool) -> Iterator[Row]:
    for tasks, documents in ((14, 920), (10, 300)):
        with tempfile.TemporaryDirectory() as folder:
            command = ["compare", *logs(Path(folder), tasks, documents), "--html", str(Path(folder, "page.html")), "-q"]
            ours = min(seconds(command) for _ in range(2 if quick else ROUNDS))
        yield Row(what=f"a page of {tasks} tasks, {tasks * documents:,} examples, from logs", ours=ours, limit=LIMIT)
