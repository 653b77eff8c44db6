"""The points of the eight panels: a row for each panel, null, line, size and alpha."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee.replicate._panels import ALPHA, LINES, NOISE, NULLS, PANELS, ByNoise, Plan, Populations, grids
from referee.results.replication import Table
from referee.studies.auditing.grid import Grid

Row = dict[str, Any]
TIES = (1e-9, 0.001, 0.002, 0.005, 0.01, 0.02)
"""Within what true difference H0 may be said to hold."""
WORLDS = {
    "tilt": "H0: the nearest world in which the models tie",
    "swap": "H0: the models are exchangeable",
    "observed": "H0: categories whose true difference is 0",
    NOISE: "H0: categories whose true difference drowns in the noise of n examples",
}
DIGITS = 5


@dataclass(frozen=True)
class Points:
    """All points, to be asked for by panel, null and line."""

    rows: Sequence[Row]

    def of(self, panel: str, null: str, line: str, alpha: float = ALPHA) -> list[Row]:
        """Return the points of a line, by size."""
        wanted = {"panel": panel, "null": null, "line": line, "alpha": alpha}
        found = [row for row in self.rows if all(row[key] == value for key, value in wanted.items())]
        return sorted(found, key=lambda row: int(row["n"]))

    def tables(self) -> tuple[Table, ...]:
        """Return a table for each panel and null, at the alpha of the figures."""
        return tuple(self._table(panel.key, panel.title, null) for null in WORLDS for panel in PANELS)

    def _table(self, panel: str, title: str, null: str) -> Table:
        lines = {line: self.of(panel, null, line) for line in LINES}
        about = {"panel": panel, "null": null, "alpha": ALPHA}
        found = [_rounded(row) for points in lines.values() for row in points]
        rows = [{key: value for key, value in row.items() if key not in about} for row in found]
        body = [
            (f"{points[0]['n']:,}", *(f"{share(p['alpha_true'], p['spread'])} / {share(p['power'])}" for p in points))
            for points in zip(*lines.values(), strict=True)
        ]
        holds = sorted({row["categories"] for row in rows})
        told = f"{holds[0]} to {holds[-1]}" if len(holds) > 1 else str(holds[0] if holds else 0)
        head = f"{title}. {WORLDS[null]} ({told} categories). False alarms ± spread / power, %"
        return Table(head, rows, ("n", *lines), body, about)


def share(value: float | None, spread: float | None = None) -> str:
    """Write a share in percent, with its spread over categories.

    >>> share(0.0312, 0.021), share(None), share(0.996), share(1.0)
    ('3.1±2.1', '-', '99.6', '100')
    """
    if value is None:
        return "-"
    shown = f"{100 * value:.1f}" if value < 0.9995 else "100"
    return shown if spread is None else f"{shown}±{100 * spread:.1f}"


def _rounded(row: Mapping[str, Any]) -> Row:
    return {key: round(value, DIGITS) if isinstance(value, float) else value for key, value in row.items()}


def gather(worlds: Populations, plan: Plan, values: Mapping[str, Any]) -> Points:
    """Gather the cells into points."""
    found = []
    for (panel, metric), grid in grids(worlds, plan).items():
        found += [_point(panel, metric, row["null"], row) for row in grid.rows(values)]
        noise = ByNoise(grid.design, grid.populations, grid.sizes, name=grid.name)
        found += [_point(panel, metric, NOISE, row) for row in noise.rows(values) if row["null"] == "observed"]
    order = [*NULLS, NOISE]
    return Points(
        sorted(found, key=lambda row: (order.index(row["null"]), row["panel"], list(LINES).index(row["line"])))
    )


def _point(panel: str, metric: str, null: str, row: Mapping[str, Any]) -> Row:
    line = next(name for name, made in LINES.items() if made == (metric, row["test"]))
    return {
        "panel": panel,
        "null": null,
        "line": line,
        "n": row["n"],
        "alpha": row["alpha"],
        "alpha_true": row["false_alarm"],
        "error": row["false_alarm_error"],
        "spread": row["spread"],
        "power": row["power"],
        "power_error": row["power_error"],
        "power_spread": row["power_spread"],
        "categories": row["categories"]["null"],
        "different": row["categories"]["different"],
    }


def within(worlds: Populations, plan: Plan, values: Mapping[str, Any], line: str) -> list[Row]:
    """Return what a test does where a true difference up to a tolerance is called none, by panel, tolerance and size."""
    metric, test = LINES[line]
    rows = []
    for (panel, own), grid in grids(worlds, plan).items():
        if own != metric:
            continue
        for tie in TIES:
            loose = Grid(grid.design, grid.populations, grid.sizes, tie=tie, name=grid.name)
            for row in loose.rows(values):
                if (row["test"], row["null"], row["alpha"]) == (test, "observed", ALPHA):
                    rows.append({"tie": tie, **_rounded(_point(panel, metric, "observed", row))})
    return rows
