"""The figures and the tables of a replication as files."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from referee.errors import InputError
from referee.runtime.atomic import write_whole
from referee_papers.claims import Row
from referee_papers.keller2005.panels import ALPHA, PANELS, WORLDS, Points

FIGURES = {
    "fig1": ("Figure 1: false alarms", "alpha_true", "error", "sets rejected although H0 holds"),
    "fig2": ("Figure 2: power", "power", "power_error", "sets rejected where H0 does not hold"),
}
ENDINGS = (".svg", ".png")
RATES = {
    "false_alarm": ("False alarms", "sets in which 0 is left out though the models tie", ALPHA),
    "power": ("Power", "sets in which 0 is left out, and they differ", None),
    "coverage": ("Coverage of 95% intervals", "sets in which the interval holds the true difference", 0.95),
}
"""The figures of the comparison of posteriors: title, axis, and what the lines are held against."""
FEWEST, TICKS = 100, [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
"""How many sets make a point, and where the axes of probabilities have their numbers."""


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


def draw_posteriors(points: Sequence[Row], bands: Sequence[Row], path: Path, corpus: str) -> list[Path]:
    """Write the rates by size, and the stated probabilities against how often they were right, as SVG and PNG."""
    from referee.report.charts import figure, save

    place, drawn = make_folder(path), {}
    for name, (title, axis, rule) in RATES.items():
        rows = [
            {"panel": PANELS[row["panel"]][1], "line": row["line"], "n": row["n"], "value": row[name], "error": row[f"{name}_error"]}
            for row in points
        ]  # fmt: skip
        drawn[name.replace("_", "-")] = figure(rows, f"{title}, {corpus}", axis, rule=rule)
    drawn["probabilities"] = reliability(bands, f"How often a stated probability is right, {corpus}")
    files = [place / _join(f"posterior-{name}", corpus, ending=ending) for name in drawn for ending in ENDINGS]
    for chart, (svg, png) in zip(drawn.values(), zip(files[::2], files[1::2], strict=True), strict=True):
        save(chart, svg)
        save(chart, png)
    return files


def reliability(bands: Sequence[Row], title: str) -> Any:
    """Draw for each size how often the system that a test takes for the better one is, against how sure the test was."""
    from referee.report.charts.rates import DASHES, SHAPES, arrange
    from referee.report.charts.theme import LIGHT, altair, dressed

    alt, names = altair(), list(dict.fromkeys(row["line"] for row in bands))
    panels = []
    for n in dict.fromkeys(row["n"] for row in bands if row["n"] is not None):
        shown = [row for row in bands if row["n"] == n and row["sets"] >= FEWEST]
        ends = {"scale": alt.Scale(domain=[0.5, 1], nice=False), "axis": alt.Axis(format="~%", values=TICKS)}
        x = alt.X("stated:Q", title="probability that the test states", **ends)
        y = alt.Y(
            "right:Q", title="share of sets in which it is right", axis=alt.Axis(format="~%", values=[0.4, *TICKS]),
            scale=alt.Scale(domain=[0.4, 1], nice=False),
        )  # fmt: skip

        def looks(channel: Any, used: Sequence[Any], legend: Any = None) -> Any:
            scale = alt.Scale(domain=names, range=[*used[: len(names)]])
            return channel("line:N", scale=scale, legend=legend)

        colour = looks(alt.Color, LIGHT.lines, alt.Legend(title=None, symbolOpacity=1, symbolStrokeWidth=0))
        base = alt.Chart(alt.InlineData(values=[dict(row) for row in shown]))
        even = alt.Chart(alt.InlineData(values=[{"stated": end, "right": end} for end in (0.5, 1.0)]))
        plain = even.mark_line(color=LIGHT.grey, strokeWidth=1).encode(x, y)
        lines = base.mark_line(strokeWidth=2).encode(x, y, colour, looks(alt.StrokeDash, [list(one) for one in DASHES]))
        dots = base.mark_point(filled=True, size=48, opacity=1).encode(x, y, colour, looks(alt.Shape, SHAPES))
        panels.append(alt.layer(plain, lines, dots, width=330, height=230, title=f"{n:,} examples"))
    return dressed(arrange(panels, 2, title), "light")


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
