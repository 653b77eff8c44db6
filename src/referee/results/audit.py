"""What was found about tests and about papers: audits and replications, frozen and complete."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from referee.data.dataframe import frame_of
from referee.errors import OptionError, unknown
from referee.results.comparison import number
from referee.results.settings import Settings
from referee.results.test_info import MetricInfo, TestInfo

SLACK = 2.0
"""How many Monte-Carlo errors above alpha a false-alarm rate may lie."""
SHARE = 0.1
"""By what share of alpha a rate may exceed it and still be called kept: 5.5 % for 5 %."""


def keeps_alpha(row: Mapping[str, Any]) -> bool:
    """Say whether a test raises no more false alarms than it promises, give or take what was drawn."""
    allowed = row["alpha"] * (1 + SHARE) + SLACK * (row["false_alarm_error"] or 0.0)
    return bool(row["false_alarm"] <= allowed)


@dataclass(frozen=True, kw_only=True)
class Audit:
    """How tests behave on test sets drawn from a population: false alarms, power and coverage, with their errors."""

    metric: str
    rows: tuple[dict[str, Any], ...]
    """A row for each test, size and alpha."""
    each: tuple[dict[str, Any], ...] = ()
    """The same for each category, where there are several."""
    advice: str
    chosen: str
    """The test that `compare` would take."""
    preferred: str | None
    """The test to prefer; None where no test keeps its promise."""
    alpha: float = 0.05
    """The alpha that the advice is for."""
    null: str
    categories: int = 1
    difference: float | None
    """The difference b - a in the population; None where there are several categories."""
    names: tuple[str, str] = ("A", "B")
    population: str = ""
    n: int | None = None
    """How many examples the population was made of; None of one that was made up."""
    warnings: tuple[str, ...] = ()
    signature: str = ""
    settings: Settings | None = field(default=None, repr=False, compare=False)
    test_info: Mapping[str, TestInfo] = field(default_factory=dict, repr=False, compare=False)
    """What is told of the tests, by their spelling."""
    metric_info: MetricInfo | None = field(default=None, repr=False, compare=False)

    def row(self, test: str | None = None, n: int | None = None, alpha: float | None = None) -> dict[str, Any]:
        """Return the row of a test at a size and an alpha; what is left out is the chosen test (else the first), the first size, the first alpha.

        Raises:
            RefereeError: where there is no such row.
        """
        known = list(dict.fromkeys(row["test"] for row in self.rows))
        wanted = test or (self.chosen if self.chosen in known else known[0])
        if wanted not in known:
            raise unknown("test", wanted, known)
        for row in self.rows:
            if (
                row["test"] == wanted
                and row["groups"] != "ignored"
                and n in (None, row["n"])
                and alpha in (None, row["alpha"])
            ):
                return row
        sizes, alphas = ({row[key] for row in self.rows} for key in ("n", "alpha"))
        raise OptionError(
            f"there is no row of {wanted} at n = {n} and alpha = {alpha}; sizes: {sorted(sizes)}, alphas: {sorted(alphas)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the result as the JSON contract `referee.audit/1` has it."""
        return {
            "schema": "referee.audit/1",
            "metric": self.metric,
            "rows": [dict(row) for row in self.rows],
            "each": [dict(row) for row in self.each],
            "advice": self.advice,
            "chosen": self.chosen,
            "preferred": self.preferred,
            "alpha": self.alpha,
            "null": self.null,
            "categories": self.categories,
            "difference": number(self.difference),
            "names": {"a": self.names[0], "b": self.names[1]},
            "population": self.population,
            "n": self.n,
            "warnings": list(self.warnings),
            "signature": self.signature,
        }

    def to_json(self) -> str:
        """Return the JSON text of the result."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False)

    def to_frame(self, backend: Any = None) -> Any:
        """Return the rows, and those of each category, as a data frame; the backend is the first there is of pandas, polars and pyarrow if left out."""
        flat = [
            {**row, **{f"{k}_categories": v for k, v in row["categories"].items()}} for row in self.rows + self.each
        ]
        columns = {key: [row[key] for row in flat] for key in flat[0] if key != "categories"}
        return frame_of(columns, backend)

    def to_markdown(self) -> str:
        """Return the result as Markdown."""
        from referee.report import audit

        return audit.markdown(self)

    def to_latex(self) -> str:
        """Return the result as a LaTeX table."""
        from referee.report import audit

        return audit.latex(self)

    def plot(self, theme: str = "light") -> Any:
        """Return a chart of false alarms and power by size (an altair chart; needs the extra `report`)."""
        from referee.report import charts

        return charts.plot(self, theme)

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the report as one page that needs no other file and no network, and write it if a path is given."""
        from referee.report import html

        return html.report(self, path)

    def __str__(self) -> str:
        from referee.report import audit

        return audit.text(self)


@dataclass(frozen=True)
class Table:
    """Numbers behind a replication: its rows for machines, and how it is shown."""

    title: str
    rows: list[dict[str, Any]]
    head: tuple[str, ...]
    body: list[tuple[str, ...]]
    about: dict[str, Any] = field(default_factory=dict)
    """What all rows have in common."""

    def to_dict(self) -> dict[str, Any]:
        """Return the title, what the rows have in common, and the rows."""
        return {"title": self.title, **self.about, "rows": self.rows}


@dataclass(frozen=True)
class Replication:
    """The numbers of a paper again, ours beside theirs."""

    paper: str
    rows: list[dict[str, Any]]
    conclusion: str = ""
    """What the numbers settle, in words."""
    tables: tuple[Table, ...] = ()
    things: str = "numbers"
    """What the rows are: numbers, or findings."""

    def to_dict(self) -> dict[str, Any]:
        """Return the result as the JSON contract `referee.replication/1` has it."""
        told: dict[str, Any] = {"schema": "referee.replication/1", "paper": self.paper, "rows": self.rows}
        if self.conclusion:
            told["conclusion"] = self.conclusion
        if self.tables:
            told["tables"] = [table.to_dict() for table in self.tables]
        return told
