"""Run the benchmarks: `python -m benchmarks [--only NAME] [--quick] [--output FILE]`."""

import argparse
import importlib
import os
from pathlib import Path

from benchmarks import report
from benchmarks.rows import Row

NAMES = (
    "bootstrap",
    "exact",
    "yeh",
    "grouped",
    "mcnemar",
    "means",
    "delong",
    "startup",
    "panel",
    "algorithms",
    "reading",
    "pages",
    "large",
    "score",
    "battles",
    "translation",
)
PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure referee beside its peers.")
    parser.add_argument("--only", action="append", choices=NAMES, help="one benchmark; may be repeated")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, shorter runs of slow peers")
    parser.add_argument("--output", type=Path, help=f"the page to write; if left out, a full run writes {PAGE.name}")
    given = parser.parse_args()
    os.environ.setdefault("NUMBA_NUM_THREADS", "2")
    load = os.getloadavg()[0]
    done = []
    print(report.HEAD)
    for name in given.only or NAMES:
        module = importlib.import_module(f"benchmarks.{name}")
        print(f"\n{name}: {(module.__doc__ or '').splitlines()[0]}")
        rows: list[Row] = []
        for row in module.run(given.quick):
            print(report.line(row), flush=True)
            rows.append(row)
        done.append((name, module, rows))
    print(f"\n{report.summary([row for _, _, rows in done for row in rows])}")
    output = given.output or (None if given.only or given.quick else PAGE)
    if output:
        output.parent.mkdir(exist_ok=True)
        output.write_text(report.page(done, load, quick=given.quick), encoding="utf-8")
        print(f"written: {output}")


if __name__ == "__main__":
    main()
