"""Reading: 100,000,000 rows of Parquet, two files of 10,000,000 rows joined by id, 1,000,000 rows in a frame.

The peers are what one would write without referee: DuckDB's bare GROUP BY, pandas' read and merge, and the frame's own
group-by; none of them checks ids, missing values or labels, as referee does. DuckDB and the frames are timed in one process.
Each reader of large files runs once in a fresh process; its time excludes imports, its peak memory includes them. Ids are
strings; the two files have them in different orders. The merge in pandas is the inner one, which is the fastest but says
nothing about ids that only one file has; the outer one, which would, sorts them and takes longer.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import referee
from benchmarks.measure import race
from benchmarks.rows import Row
from referee.data.formats.pairing import read

GIGABYTE = 1024
NAMES = ("label", "old", "new")
OUTCOMES = (
    "SELECT i, CAST(h % 10 < 4 AS TINYINT) AS truth, CAST((h % 10 < 4) = ((h >> 8) % 100 < 85) AS TINYINT) AS a, "
    "CAST((h % 10 < 4) = ((h >> 16) % 100 < 87) AS TINYINT) AS b FROM (SELECT range AS i, hash(range) AS h FROM range({}))"
)
"""Outcomes of two systems that are right for 85 and 87 of 100 examples."""


def referee_parquet(path: str) -> Any:
    return referee.count(path, truth="truth", a="a", b="b").n


def duckdb_parquet(path: str) -> Any:
    import duckdb

    rows = duckdb.sql(f"SELECT truth, a, b, count(*) FROM read_parquet('{path}') GROUP BY ALL").fetchall()
    return sum(row[3] for row in rows)


def referee_join(old: str, new: str) -> Any:
    return read(old, new, id="id", truth="label", prediction="answer").count().n


def pandas_join_csv(old: str, new: str) -> Any:
    import pandas as pd

    a, b = (pd.read_csv(path, dtype={"id": str}) for path in (old, new))
    met = a.merge(b, on="id")
    return int(met.groupby(["label_x", "answer_x", "answer_y"], dropna=False).size().sum())


def pandas_join_jsonl(old: str, new: str) -> Any:
    import pandas as pd

    a, b = (pd.read_json(path, lines=True, dtype={"id": str}) for path in (old, new))
    met = a.merge(b, on="id")
    return int(met.groupby(["label_x", "answer_x", "answer_y"], dropna=False).size().sum())


def referee_frame(frame: Any) -> Any:
    return referee.count(frame, truth="label", a="old", b="new").n


def pandas_group_by(frame: Any) -> Any:
    return int(frame.groupby(["label", "old", "new"], dropna=False).size().sum())


def polars_group_by(frame: Any) -> Any:
    import polars as pl

    return frame.group_by("label", "old", "new").agg(pl.len())["len"].sum()


TIMED = (
    referee_parquet, duckdb_parquet, referee_join, pandas_join_csv, pandas_join_jsonl, referee_frame, pandas_group_by,
    polars_group_by,
)  # fmt: skip


@dataclass(frozen=True)
class Alone:
    """What a function took in a process of its own."""

    seconds: float
    megabytes: float
    answer: int


def alone(function: Any, *paths: str) -> Alone:
    """Call a function in a fresh process, and measure it there."""
    words = [sys.executable, "-m", "benchmarks.reading", function.__name__, *paths]
    folder = Path(__file__).parent.parent
    seconds, megabytes, answer = subprocess.run(words, check=True, stdout=-1, cwd=folder).stdout.split()
    return Alone(float(seconds), float(megabytes), int(answer))


def measured(name: str, *paths: str) -> None:
    """Print the time of a function, the peak memory of this process, and what the function returned."""
    import duckdb  # noqa: F401 - the time is that of the work, not of the imports

    if name.startswith("pandas"):
        import pandas  # noqa: F401
    start = time.perf_counter()
    answer = globals()[name](*paths)
    seconds = time.perf_counter() - start
    status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    print(seconds, next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM")), answer)


def write_parquet(path: Path, rows: int) -> str:
    import duckdb

    duckdb.sql(f"COPY (SELECT truth, a, b FROM ({OUTCOMES.format(rows)})) TO '{path}' (FORMAT parquet)")
    return str(path)


def write_pair(folder: Path, suffix: str, rows: int) -> tuple[str, str]:
    """Write the two runs, one row an example, each in an order of its own."""
    import duckdb

    paths = str(folder / f"old.{suffix}"), str(folder / f"new.{suffix}")
    form = "csv, HEADER" if suffix == "csv" else "json"
    for path, value, salt in zip(paths, "ab", (1, 2), strict=True):
        duckdb.sql(
            f"COPY (SELECT 'item-' || i AS id, label, answer FROM (SELECT i, hash(i + {salt}000000007) AS place, "
            f"if(truth = 1, 'yes', 'no') AS label, if({value} = 1, 'yes', 'no') AS answer FROM ({OUTCOMES.format(rows)})) "
            f"ORDER BY place) TO '{path}' (FORMAT {form})"
        )
    return paths


def count_parquet(folder: Path, quick: bool) -> Iterator[Row]:
    rows = 2_000_000 if quick else 100_000_000
    path = write_parquet(folder / "outcomes.parquet", rows)
    found = race({"referee": lambda: referee_parquet(path), "duckdb": lambda: duckdb_parquet(path)}, 2 if quick else 5)
    assert found["referee"].answer == found["duckdb"].answer == rows
    ours, theirs = found["referee"].seconds, found["duckdb"].seconds
    yield Row(
        what=f"{rows:,} rows of Parquet: time / that of the bare GROUP BY",
        ours=ours / theirs,
        unit="x",
        limit=1.5,
        note=f"{ours:.2f} s and {theirs:.2f} s",
    )
    memory = alone(referee_parquet, path)
    yield Row(what="the peak memory of its process", ours=memory.megabytes, unit="MB", limit=GIGABYTE)
    Path(path).unlink()


def join_files(folder: Path, quick: bool) -> Iterator[Row]:
    rows = 200_000 if quick else 10_000_000
    peers = {"csv": (pandas_join_csv, rows), "jsonl": (pandas_join_jsonl, min(rows, 1_000_000))}
    for suffix, (function, slice_rows) in peers.items():
        paths = write_pair(folder, suffix, rows)
        ours = alone(referee_join, *paths)
        part = paths if slice_rows == rows else write_pair(folder / "slice", suffix, slice_rows)
        theirs = alone(function, *part)
        assert (ours.answer, theirs.answer) == (rows, slice_rows)
        scale = rows / slice_rows
        yield Row(
            what=f"two {suffix.upper()} files of {rows:,} rows joined by id and counted",
            ours=ours.seconds,
            peer="pandas, read, merge and group-by",
            theirs=theirs.seconds * scale,
            extrapolated="" if scale == 1 else f"{slice_rows:,} rows, {theirs.seconds:.1f} s",
        )
        yield Row(
            what="the peak memory of its process",
            ours=ours.megabytes,
            unit="MB",
            limit=4 * GIGABYTE,
            peer="pandas" + ("" if scale == 1 else f", {slice_rows:,} rows"),
            theirs=theirs.megabytes,
        )
        for path in {*paths, *part}:
            Path(path).unlink()


def count_frames(_: Path, quick: bool) -> Iterator[Row]:
    import duckdb
    import pandas as pd

    rows = 100_000 if quick else 1_000_000
    said = ", ".join(
        f"if({value} = 1, 'spam', 'ham') AS {name}" for value, name in zip(("truth", "a", "b"), NAMES, strict=True)
    )
    table = duckdb.sql(f"SELECT {said} FROM ({OUTCOMES.format(rows)})").pl()
    frames = {
        "pandas": (table.to_pandas(), pandas_group_by),
        "polars": (table, polars_group_by),
        "pandas, objects": (
            pd.DataFrame({k: table[k].to_list() for k in table.columns}, dtype=object),
            pandas_group_by,
        ),
    }
    for name, (frame, peer) in frames.items():
        found = race(
            {"ours": lambda f=frame: referee_frame(f), "theirs": lambda f=frame, p=peer: p(f)}, 3 if quick else 15
        )
        assert found["ours"].answer == found["theirs"].answer == rows
        ours, theirs = found["ours"].seconds, found["theirs"].seconds
        yield Row(
            what=f"{rows:,} rows of strings in a frame of {name}: time / that of its group-by",
            ours=ours / theirs,
            unit="x",
            limit=3,
            note=f"{ours * 1e3:.1f} ms and {theirs * 1e3:.1f} ms",
        )


def run(quick: bool) -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="referee-benchmark-") as name:
        folder = Path(name)
        (folder / "slice").mkdir()
        for part in (count_frames, count_parquet, join_files):
            yield from part(folder, quick)


if __name__ == "__main__":
    measured(*sys.argv[1:])
