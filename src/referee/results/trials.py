"""Trials: how the tests of learning algorithms behave, frozen and complete."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from referee.data.dataframe import frame_of

Row = dict[str, Any]
PRECISE = 0.25
"""With a Monte-Carlo error of more than this share of alpha, a test that seems to keep its false alarms may not."""


@dataclass(frozen=True, kw_only=True)
class Trials:
    """How the tests of learning algorithms behave: false alarms where two algorithms tie, power where they differ."""

    rows: tuple[Row, ...]
    """A row for each world, pair of learners, design, test, size and alpha."""
    alpha: float
    """The alpha that the advice is for."""
    keeping: tuple[tuple[str, str], ...]
    """The designs with their tests that keep their false alarms in every world, the most power on average first."""
    breaking: tuple[tuple[str, str], ...]
    """Those that do not, the most false alarms first."""
    signature: str = ""

    def find(self, design: str, test: str, alpha: float | None = None) -> list[Row]:
        """Return the rows of a test on a design, at the alpha of the advice if none is given."""
        wanted = (design, test, self.alpha if alpha is None else alpha)
        return [row for row in self.rows if (row["design"], row["test"], row["alpha"]) == wanted]

    def to_dict(self) -> dict[str, Any]:
        """Return the result as the JSON contract `referee.trials/1` has it."""
        return {
            "schema": "referee.trials/1",
            "rows": [dict(row) for row in self.rows],
            "alpha": self.alpha,
            "keeping": [{"design": design, "test": test} for design, test in self.keeping],
            "breaking": [{"design": design, "test": test} for design, test in self.breaking],
            "signature": self.signature,
        }

    def to_json(self) -> str:
        """Return the JSON text of the result."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False)

    def to_frame(self, backend: Any = None) -> Any:
        """Return the rows as a data frame; the backend is the first there is of pandas, polars and pyarrow if left out."""
        return frame_of({key: [row[key] for row in self.rows] for key in self.rows[0]}, backend)

    def to_markdown(self) -> str:
        """Return the result as Markdown."""
        from referee.report import trials

        return trials.markdown(self)

    def __str__(self) -> str:
        from referee.report import trials

        return trials.text(self)
