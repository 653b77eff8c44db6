"""Figure: one picture of a result with its title and what is seen on it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from referee.report.charts.theme import dressed


@dataclass(frozen=True)
class Figure:
    """One picture of a result."""

    key: str
    """What it is called in an address: "difference", "luck"..."""
    title: str
    caption: str
    """What is seen, in a sentence or two; it stands for the picture where that cannot be seen."""
    chart: Any
    """An altair chart without a title."""

    def dressed(self, theme: str) -> Figure:
        """Return it as a whole chart, with colours and paper."""
        return replace(self, chart=dressed(self.chart, theme, self.caption))
