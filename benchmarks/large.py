"""What once took minutes or gigabytes: many classes, long rankings, counts of a trillion, tables of 10^5 columns.

Each is the whole compare() at its defaults in its own process, from arrays or from Counts: its time, and its peak memory
above numpy and the arrays. Labels are right in 70 and 71 of 100 examples, otherwise random. scikit-learn computes only the
two macro-averaged F1 scores, once; one bootstrap draw would cost it as much, so its time is that of 9,999 draws.
"""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.metrics import average_precision_score, f1_score

import referee
from benchmarks import data
from benchmarks.measure import peak, race
from benchmarks.rows import Row
from referee.data.counts import from_events

DRAWS = 9_999
MACRO = "import referee; referee.compare(truth=y, a=a, b=b, metric='f1:average=macro')"
RANKED = "import referee; referee.compare(truth=y, a=a, b=b, metric='average-precision')"
HUGE = (
    "import referee; from referee.counts import from_events; "
    "referee.compare(from_events(events.tolist()), metric=['f1', 'mcc', 'f1:average=macro', 'accuracy'][int(which)])"
)


def many_classes(y: Any, a: Any, b: Any) -> Any:
    return referee.compare(truth=y, a=a, b=b, metric="f1:average=macro")


def long_ranking(y: Any, a: Any, b: Any) -> Any:
    return referee.compare(truth=y, a=a, b=b, metric="average-precision")


def trillion(events: list[int], metric: str) -> Any:
    return referee.compare(from_events(events), metric=metric)


def sklearn_f1(y: Any, a: Any, b: Any) -> float:
    return f1_score(y, b, average="macro") - f1_score(y, a, average="macro")


def sklearn_precision(y: Any, a: Any, b: Any) -> float:
    return average_precision_score(y, b) - average_precision_score(y, a)


TIMED = (many_classes, long_ranking, trillion, sklearn_f1, sklearn_precision)


def run(quick: bool) -> Iterator[Row]:
    for classes, limit in ((100, 10), (300, 15), (1000, 20)):
        arrays = data.classes(50_000, classes)
        yield from _rows(
            f"macro-F1, n = 50,000, {classes:,} classes", many_classes, sklearn_f1, arrays, MACRO, limit, quick
        )
    arrays = data.ranked(10**5)
    yield from _rows("average precision of 10^5 scores", long_ranking, sklearn_precision, arrays, RANKED, 30, quick)
    events = data.close(10**12)
    for which, metric in enumerate(("f1", "mcc", "f1:average=macro", "accuracy")):
        start = time.perf_counter()
        found = trillion(events, metric)
        yield Row(
            what=f"{metric}, counts of N=10^12",
            ours=time.perf_counter() - start,
            limit=10,
            note=f"p = {found.p_value:.4g}, {found.p_method}",
        )
        yield Row(
            what="its peak memory",
            ours=peak(HUGE, events=np.array(events), which=np.array(which)),
            unit="MB",
            limit=300,
            note="imports of referee included",
        )

    yield _wide(10**5)


def _wide(columns: int) -> Row:
    """Compare two columns of a Parquet file that has very many, and let pyarrow read just these."""
    names = ["label", "old", "new", *(f"feature_{i}" for i in range(columns - 3))]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wide.parquet"
        cells = pa.array(np.arange(100) % 3 == 0)
        pq.write_table(pa.Table.from_arrays([cells] * columns, names=names), path)
        found = race(
            {
                "ours": lambda: referee.compare(path, truth="label", a="old", b="new"),
                "theirs": lambda: pq.read_table(path, columns=names[:3]),
            },
            1,
        )
    return Row(
        what="a Parquet file of 10^5 columns",
        ours=found["ours"].seconds,
        limit=15,
        peer="pyarrow, the three columns read alone",
        theirs=found["theirs"].seconds,
    )


def _rows(what: str, job: Any, peer: Any, arrays: Any, code: str, limit: float, quick: bool) -> Iterator[Row]:
    ours = race({"ours": lambda: job(*arrays)}, 1 if quick else 2)["ours"]
    theirs = race({"theirs": lambda: peer(*arrays)}, 2 if quick else 5)["theirs"]
    found = ours.answer
    yield Row(
        what=what,
        ours=ours.seconds,
        limit=limit,
        peer="scikit-learn, the score alone",
        theirs=theirs.seconds * (DRAWS + 1),
        extrapolated=f"1 of 9,999 draws, {theirs.seconds:.2g} s",
        note=f"{found.test}: p = {found.p_value:.4g}; differences {found.difference:.6f}, {theirs.answer:.6f}",
    )
    y, a, b = arrays
    yield Row(
        what="its peak memory",
        ours=peak(code, y=y, a=a, b=b),
        unit="MB",
        limit=200,
        note="imports of referee included",
    )
