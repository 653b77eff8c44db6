"""Replications: the numbers of a paper, ours beside theirs. Frozen and complete."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from referee.results.base import Reported

ROW = ("what", "paper", "ours", "agrees", "note")
"""What a row tells."""


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
class Replication(Reported):
    """The numbers of a paper again, ours beside theirs."""

    SCHEMA: ClassVar[str] = "referee.replication/1"
    paper: str
    rows: list[dict[str, Any]]
    conclusion: str = ""
    """What the numbers settle, in words."""
    tables: tuple[Table, ...] = ()
    things: str = "numbers"
    """What the rows are: numbers, or findings."""

    def to_dict(self) -> dict[str, Any]:
        """Return the result as the JSON contract `referee.replication/1` has it."""
        content = {"schema": self.SCHEMA, "paper": self.paper, "rows": self.rows}
        further = {"conclusion": self.conclusion, "tables": [table.to_dict() for table in self.tables]}
        return content | {key: value for key, value in further.items() if value}

    def _columns(self) -> dict[str, list[Any]]:
        return {key: _alike([row.get(key) for row in self.rows]) for key in ROW} if self.rows else {}


def _alike(cells: list[Any]) -> list[Any]:
    """Return cells as one column of a data frame can hold them: as text if they are of several types."""
    if len({type(cell) for cell in cells if cell is not None}) < 2:
        return cells
    return [None if cell is None else str(cell) for cell in cells]
