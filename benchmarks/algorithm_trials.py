"""Measures false alarms and power of the tests of learning algorithms; writes docs/algorithm-tests.json.

`python -m benchmarks.algorithm_trials [--store FILE] [--jobs N]` runs everything, in about ten minutes of two cores, and
prints the tables of the guide; `--render` prints them from the JSON that is there; `--quick` draws a few data sets only, to
see that it runs, and needs `--output`.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from referee.results.trials import Trials
from referee.runtime.progress import watching
from referee.studies.algorithms.designs import DESIGNS
from referee.studies.algorithms.simulation import audit_algorithms

NUMBERS = Path(__file__).parent.parent / "docs" / "algorithm-tests.json"
SIZES, SETS, ALPHAS = (300, 100), 5000, (0.05, 0.01, 0.1)
LIKE_5X2CV = "resampled:number=10"
"""Random splits for the price of 5x2cv."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.algorithm_trials", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few data sets only; needs --output")
    parser.add_argument("--output", type=Path, default=NUMBERS, help="the file to write")
    parser.add_argument("--store", type=Path, help="keeps finished cells, so that a run that was stopped goes on")
    parser.add_argument("--jobs", type=int, help="how many processes")
    parser.add_argument("--render", action="store_true", help="print the tables of the numbers that are there")
    given = parser.parse_args()
    if given.render:
        print(tables(json.loads(given.output.read_text())["rows"]))
        return
    if given.quick and given.output == NUMBERS:
        parser.error("--quick needs --output: its numbers are not for docs/")
    start = time.perf_counter()
    with watching(_tell):
        found = audit_algorithms(
            n=SIZES,
            designs=[*DESIGNS, LIKE_5X2CV],
            sets=100 if given.quick else SETS,
            alpha=ALPHAS,
            jobs=given.jobs,
            store=given.store,
        )
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)
    given.output.write_text(written(found))
    print(tables(found.rows))


def tables(rows: Sequence[dict[str, Any]], alpha: float = 0.05) -> str:
    """Return a Markdown table for each size: a line a test, false alarms and power in every world, in %."""
    mine = [row for row in rows if row["alpha"] == alpha]
    pairs = list(dict.fromkeys(row["learners"] for row in mine))
    blocks = []
    for n in dict.fromkeys(row["n"] for row in mine):
        head = [
            "design",
            "test",
            "fits",
            *(f"{what}, {_brief(pair)}" for what in ("false alarms", "power") for pair in pairs),
        ]
        lines = [head, ["---", "---", *["---:"] * (len(head) - 2)]]
        found = {(row["design"], row["test"], row["learners"]): row for row in mine if row["n"] == n}
        for design, test in dict.fromkeys(key[:2] for key in found):
            own = [found[design, test, pair] for pair in pairs]
            shares = [f"{100 * row[what]:.1f}" for what in ("false_alarm", "power") for row in own]
            lines.append([design, test, str(own[0]["fits"]), *shares])
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        blocks.append(f"n = {n}, alpha {100 * alpha:g} %, {mine[0]['sets']:,} data sets of each world:\n\n{table}")
    return "\n\n".join(blocks)


def _brief(pair: str) -> str:
    first, second = pair.split(" against ")
    return first if first == second else "unlike"


def written(found: Trials) -> str:
    """Return the JSON with a line for each row, so that a change can be read."""
    told = found.to_dict()
    rows = ",\n".join("  " + json.dumps({k: _short(v) for k, v in row.items()}) for row in told.pop("rows"))
    head = ",\n".join(f" {json.dumps(key)}: {json.dumps(value)}" for key, value in told.items())
    return f'{{\n{head},\n "rows": [\n{rows}\n ]\n}}\n'


def _short(value):
    return round(value, 6) if isinstance(value, float) else value


def _tell(what: str, done: int, total: int) -> None:
    if done % 100 == 0 or done == total:
        print(f"{what}: {done} of {total}", file=sys.stderr)


if __name__ == "__main__":
    main()
