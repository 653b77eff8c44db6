"""The figures and the tables of a replication as files."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from referee.errors import InputError
from referee.runtime.atomic import write_whole
from referee_papers.claims import Row
from referee_papers.keller2005.panels import ALPHA, PANELS, WORLDS, Points

FIGURES = {
    "fig1": ("Figure 1: false alarms", "alpha_true", "error", "sets rejected although H0 holds"),
    "fig2": ("Figure 2: power", "power", "power_error", "sets rejected where H0 does not hold"),
}
ENDINGS = (".svg", ".png")


def make_folder(path: str | Path) -> Path:
    """Return the folder for figures, made if its parent is there; complain before the work and not after it."""
    from referee.report.charts import check

    folder = Path(path)
    check(folder / "fig1.svg")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {path}: {error.strerror or error}") from error
    return folder


def draw(points: Points, loose: Sequence[Row], path: Path, corpus: str) -> list[Path]:
    """Write fig1 and fig2 under each null as SVG and PNG, and the points as CSV; return the files."""
    from referee.report.charts import figure, save

    place, files = make_folder(path), []
    for null, (name, (title, key, error, axis)) in product(WORLDS, FIGURES.items()):
        rows = [
            {"panel": PANELS[panel][1], "line": row["line"], "n": row["n"], "value": row[key], "error": row[error]}
            for panel in PANELS
            for row in points.rows
            if (row["panel"], row["null"], row["alpha"]) == (panel, null, ALPHA)
        ]
        if any(row["value"] is not None for row in rows):
            chart = figure(rows, f"{title}, {corpus}. {WORLDS[null]}", axis, rule=ALPHA if name == "fig1" else None)
            for ending in ENDINGS:
                files.append(place / _join(name, corpus, null, ending))
                save(chart, files[-1])
    for name, table in (("points", points.rows), ("tolerance", loose)):
        files.append(place / _join(name, corpus, ending=".csv"))
        write_whole(files[-1], as_csv(table))
    return files


def _join(name: str, corpus: str, null: str = "", ending: str = "") -> str:
    return "-".join(filter(None, [name, corpus, null])) + ending


def as_csv(rows: Sequence[Row]) -> str:
    """Write rows as CSV; what is not known is empty.

    >>> print(as_csv([{"n": 100, "power": None}]), end="")
    n,power
    100,
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: f"{value:.6g}" if isinstance(value, float) else value for key, value in row.items()})
    return out.getvalue()
