"""`python -m benchmarks.calibration` measures everything and writes docs/calibration.json, the page and its charts.

`--render` writes the page from the numbers that are there. `--effort 0.05 --output FOLDER` is a quick look at all of it,
`--part groups` at a part. With `--store FILE` a run that was stopped goes on where it was.
"""

import argparse
import json
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from benchmarks.calibration import plan
from benchmarks.calibration.gathering import encode, gathered
from referee.runtime.parallel import run
from referee.runtime.progress import watching
from referee.runtime.store import Store

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA = "referee.calibration/2"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration", description=__doc__)
    parser.add_argument("--render", action="store_true", help="write the page from the numbers that are there")
    parser.add_argument("--part", action="append", choices=plan.PARTS, help="a part only; needs --output")
    parser.add_argument("--effort", type=float, default=1.0, help="how many sets, as a multiple of the usual number")
    parser.add_argument("--output", type=Path, help="a folder to write to instead of docs/")
    parser.add_argument("--store", type=Path, help="keeps finished cells, so that a run that was stopped goes on")
    parser.add_argument("--jobs", type=int, help="processes; as many as there are cores if left out")
    given = parser.parse_args()
    if given.part and not given.output:
        parser.error("a part is not a page: give --output")
    folder = given.output or DOCS
    folder.mkdir(exist_ok=True)
    if not given.render:
        numbers = measure(tuple(given.part or plan.PARTS), given.effort, given.store, given.jobs)
        (folder / "calibration.json").write_text(encode(numbers), encoding="utf-8")
    if not given.part:
        from benchmarks.calibration.writing import write

        write(json.loads((folder / "calibration.json").read_text(encoding="utf-8")), folder)
    print(f"written: {folder}")


def measure(parts: tuple[str, ...], effort: float, store: Path | None, jobs: int | None) -> dict[str, Any]:
    """Run all cells and return the numbers of the page."""
    with Store(store, {"calibration": SCHEMA}) if store else nullcontext() as kept, watching(Clock()):
        found = run(plan.cell, plan.tasks(parts, effort), jobs=jobs, store=kept)
        looks = {key: value for key, value in found.items() if key.startswith("look/")}
        again = run(plan.cell, plan.second(looks), jobs=jobs, store=kept, what="second look")
    return {"schema": SCHEMA, **gathered(found, again, effort)}


class Clock:
    """Prints how far a run is, now and then."""

    def __init__(self) -> None:
        self.began = self.last = time.monotonic()

    def __call__(self, what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if what in ("cells", "second look") and now - self.last > 20:
            self.last = now
            print(f"{what}: {done} of {total}, {now - self.began:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
