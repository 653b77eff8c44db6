"""Start-up: wall time of fresh processes from the shell, median of 5 with a warm disk cache."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks import data
from benchmarks.measure import wall
from benchmarks.rows import Row

PYTHON, REFEREE = sys.executable, str(Path(sys.executable).parent / "referee")
TIMED = ()


def run(quick: bool) -> Iterator[Row]:
    runs = 3 if quick else 5
    bare = wall([PYTHON, "-c", "pass"], runs)
    total = wall([PYTHON, "-c", "import referee"], runs)
    yield Row(
        what='python -c "import referee"',
        ours=total,
        limit=0.2,
        note=f"python -c pass {bare * 1e3:.0f} ms, so the import itself {(total - bare) * 1e3:.0f} ms",
    )
    yield Row(what="referee --help", ours=wall([REFEREE, "--help"], runs), limit=0.3)
    rows = np.column_stack(data.labels(1000))
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "small.csv")
        np.savetxt(path, rows, "%d", ",", header="label,old,new", comments="")
        command = [REFEREE, "compare", path, "--truth", "label", "--a", "old", "--b", "new"]
        for options in ([], ["--metric", "f1"]):
            yield Row(
                what=" ".join(["referee compare small.csv", *command[3:], *options]),
                ours=wall(command + options, runs),
                limit=1.5,
                note="1,000 rows",
            )
