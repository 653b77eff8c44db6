"""Trials: how the tests of learning algorithms behave in simulated worlds. Frozen and complete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from referee.results.base import Reported, transposed

Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Trials(Reported):
    """How the tests of learning algorithms behave: false alarms if two algorithms tie, power if they differ."""

    SCHEMA: ClassVar[str] = "referee.trials/1"
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
        """Return the rows of a test on a design; alpha defaults to that of the advice."""
        wanted = (design, test, self.alpha if alpha is None else alpha)
        return [row for row in self.rows if (row["design"], row["test"], row["alpha"]) == wanted]

    def to_dict(self) -> dict[str, Any]:
        """Return the result as the JSON contract `referee.trials/1` has it."""
        tests = {"keeping": self.keeping, "breaking": self.breaking}
        named = {key: [{"design": design, "test": test} for design, test in value] for key, value in tests.items()}
        return super().to_dict() | named

    def _columns(self) -> dict[str, list[Any]]:
        return transposed(self.rows)
