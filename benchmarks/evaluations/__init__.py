"""How often the answers to newer kinds of data err, by simulation: one file per kind, `python -m benchmarks.evaluations [KIND ...]`.

A kind is a module here with a `TITLE`, a sentence `ABOUT` it, and `measure()`, which returns figures. Those of the kinds that are
named, or of all, are measured anew; docs/evaluations.md is then written from docs/evaluations.json.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"
STORED, PAGE = DOCS / "evaluations.json", DOCS / "evaluations.md"
HEAD = """\
# Calibration of newer kinds of data

The [calibration](calibration.md) measures tests of two systems on labels, scores and ranks. This page does the same for the other kinds of
data that referee reads: each figure is from simulated data whose truth is known. `python -m benchmarks.evaluations` writes it; the
numbers are in [evaluations.json](evaluations.json).

In the charts, a dot is one scene, its line two Monte Carlo errors to either side, and the upright line the limit that it is held to. A
limit counts as broken if the number is beyond it by more than three Monte Carlo errors; such a number is a square in the chart, and bold
in the table.
"""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One measured rate, with its Monte Carlo error and the bar that it is held to."""

    scene: str
    what: str
    """What was measured, such as "false alarms at α = 5%" or "coverage of the 95% interval"."""
    value: float
    error: float
    sets: int
    """How many simulated data sets it is from."""
    least: float | None = None
    most: float | None = None

    @property
    def broken(self) -> bool:
        """Whether it is beyond its bar by more than three Monte Carlo errors."""
        low = self.least is not None and self.value < self.least - 3 * self.error
        return low or (self.most is not None and self.value > self.most + 3 * self.error)

    @classmethod
    def share(cls, hits: int, sets: int, **about: Any) -> Figure:
        """Return the figure of a share of data sets, with its binomial error."""
        rate = hits / sets
        return cls(value=rate, error=(max(rate * (1 - rate), 0.25 / sets) / sets) ** 0.5, sets=sets, **about)


def kinds() -> dict[str, ModuleType]:
    """Return the modules of this package, by name."""
    names = sorted(found.name for found in pkgutil.iter_modules(__path__) if not found.name.startswith("_"))
    return {name: importlib.import_module(f"{__name__}.{name}") for name in names}


def stored() -> dict[str, list[Figure]]:
    """Return the figures that were measured last, by kind."""
    content = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
    return {kind: [Figure(**row) for row in rows] for kind, rows in content.items()}


def store(figures: dict[str, list[Figure]]) -> None:
    """Keep figures, and write the page."""
    content = {kind: [asdict(one) for one in rows] for kind, rows in sorted(figures.items())}
    STORED.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    write(figures)


def write(figures: dict[str, list[Figure]]) -> None:
    """Write the page and its charts."""
    from benchmarks.evaluations import _charts

    PAGE.write_text(page(figures), encoding="utf-8")
    _charts.write(figures, DOCS / "evaluations")


def page(figures: dict[str, list[Figure]]) -> str:
    """Return the page of these figures."""
    from benchmarks.evaluations import _charts

    parts = [HEAD]
    for kind, module in kinds().items():
        rows = [_row(one, _charts.limit(one)) for one in figures.get(kind, [])]
        table = ["| scene | measured | rate | bar | data sets |", "| --- | --- | --: | --- | --: |", *rows]
        folded = [
            '<details markdown="1">',
            f"<summary>The numbers: {len(rows)} rates</summary>",
            "",
            *table,
            "",
            "</details>",
        ]
        parts.append(
            "\n".join([f"## {module.TITLE}", "", _charts.picture(kind, module.TITLE), "", module.ABOUT, "", *folded])
            + "\n"
        )
    return "\n".join(parts)


def _row(one: Figure, bar: str) -> str:
    rate = f"{100 * one.value:.1f}% ± {100 * one.error:.1f}"
    return f"| {one.scene} | {one.what} | {f'**{rate}**' if one.broken else rate} | {bar or 'none'} | {one.sets:,} |"
