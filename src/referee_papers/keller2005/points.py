"""The points of the eight panels: a row for each panel, null, line, size and alpha."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from referee.results.replication import Table
from referee_papers.claims import Row, percent, round_floats
from referee_papers.keller2005.panels import ALPHA, LINES, NOISE, PANELS, ByNoise, Plan, Populations, make_grids

TIES = (1e-9, 0.001, 0.002, 0.005, 0.01, 0.02)
"""Within what true difference H0 may be said to hold."""
WORLDS = {
    "tilt": "H0: the nearest world in which the models tie",
    "swap": "H0: the models are exchangeable",
    "observed": "H0: categories whose true difference is 0",
    NOISE: "H0: categories whose true difference drowns in the noise of n examples",
}


@dataclass(frozen=True)
class Points:
    """All points, to be asked for by panel, null and line."""

    rows: Sequence[Row]

    def of(self, panel: str, null: str, line: str, alpha: float = ALPHA) -> list[Row]:
        """Return the points of a line, by size."""
        wanted = (panel, null, line, alpha)
        points = [row for row in self.rows if (row["panel"], row["null"], row["line"], row["alpha"]) == wanted]
        return sorted(points, key=lambda row: int(row["n"]))

    def tables(self) -> tuple[Table, ...]:
        """Return a table for each panel and null, at the alpha of the figures."""
        return tuple(self._table(panel.key, panel.title, null) for null in WORLDS for panel in PANELS)

    def _table(self, panel: str, title: str, null: str) -> Table:
        lines = {line: self.of(panel, null, line) for line in LINES}
        about = {"panel": panel, "null": null, "alpha": ALPHA}
        points = [round_floats(row) for line in lines.values() for row in line]
        rows = [{key: value for key, value in row.items() if key not in about} for row in points]
        body = [(f"{at_size[0]['n']:,}", *map(write_rates, at_size)) for at_size in zip(*lines.values(), strict=True)]
        counts = sorted({row["categories"] for row in rows}) or [0]
        shown = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else str(counts[0])
        head = f"{title}. {WORLDS[null]} ({shown} categories). False alarms ± spread / power, %"
        return Table(head, rows, ("n", *lines), body, about)


def write_rates(point: Row) -> str:
    """Write false alarms, their spread and power, in percent."""
    return f"{percent(point['alpha_true'], point['spread'])} / {percent(point['power'])}"


def as_point(row: Mapping[str, Any]) -> Row:
    """Return what the rules ask of the row of a grid."""
    rest = {key: row[key] for key in ("spread", "power", "power_error", "power_spread")}
    rates = {"alpha_true": row["false_alarm"], "error": row["false_alarm_error"]}
    return {"n": row["n"], "alpha": row["alpha"], **rates, **rest}


def gather(worlds: Populations, plan: Plan, values: Mapping[str, Any]) -> Points:
    """Gather the cells into points."""
    points = []
    for (panel, metric), grid in make_grids(worlds, plan).items():
        points += [_point(panel, metric, row["null"], row) for row in grid.rows(values)]
        noise = ByNoise(grid.plan, grid.populations, grid.sizes, name=grid.name)
        points += [_point(panel, metric, NOISE, row) for row in noise.rows(values) if row["null"] == "observed"]
    nulls, lines = list(WORLDS), list(LINES)
    return Points(sorted(points, key=lambda row: (nulls.index(row["null"]), row["panel"], lines.index(row["line"]))))


def _point(panel: str, metric: str, null: str, row: Mapping[str, Any]) -> Row:
    line = next(name for name, asked in LINES.items() if asked == (metric, row["test"]))
    counts = {"categories": row["categories"]["null"], "different": row["categories"]["different"]}
    return {"panel": panel, "null": null, "line": line, **as_point(row), **counts}


def gather_within(worlds: Populations, plan: Plan, values: Mapping[str, Any], line: str) -> list[Row]:
    """Return what a test does where a true difference up to a tolerance is called none, by panel, tolerance and size."""
    metric, test = LINES[line]
    return [
        {"tie": tie, **round_floats(_point(panel, metric, "observed", row))}
        for (panel, own), grid in make_grids(worlds, plan).items()
        if own == metric
        for tie in TIES
        for row in replace(grid, tie=tie).rows(values)
        if (row["test"], row["null"], row["alpha"]) == (test, "observed", ALPHA)
    ]
