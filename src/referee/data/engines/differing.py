"""Examples: of the rows on which two systems say different things, which differ as they were counted, and who is right."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from referee.data.columns import plain, rounded
from referee.data.engines.csv_text import GAPS
from referee.data.value_text import is_gone, short_label, short_text

if TYPE_CHECKING:
    from referee.data.counts import Counts

Row = Mapping[str, Any]
"""Role to value, as the source has it; None where it is missing."""
MISSING = "(missing)"
FOUND = {True: "found", False: "not found"}
RELEVANT = {True: "relevant", False: "not relevant"}
WHOLE = re.compile(r"-?[0-9]+")
JUDGED = ("binary", "labels", "multiclass")
"""The tasks of metrics for which an answer is right or wrong, and not just far from the truth."""


@dataclass(frozen=True, kw_only=True)
class Example:
    """One example on which the two systems differ, as the data have it."""

    a: str
    b: str
    truth: str | None = None
    id: str | None = None
    text: str | None = None
    """What the example is about, where a column of texts was named or a log has one."""
    right: str | None = None
    """Who is right: "a", "b", "both", "neither"; None where nobody can say."""


@dataclass(frozen=True)
class Sense:
    """How values are taken: as counting found them to be, and as the comparison cut them."""

    numbers: frozenset[str] = frozenset()
    """The roles whose values are numbers, so that 1 and 1.0 are one."""
    inexact: frozenset[str] = frozenset()
    """Those whose numbers were counted as floats, which have not all digits of a long one."""
    judged: str = ""
    """By "truth": right is what equals it; "marks": 1 is right and 0 wrong; "" where nobody can say."""
    missing: str = "error"
    open: bool = False
    """Whether rows are responses, which are found or not."""
    task: str | None = None
    """The slice that is meant; None for all."""
    threshold: float | None = None
    precision: int = 64
    """With how many bits the scores were counted."""
    labels: tuple[Any, Any] | None = None
    """What scores below the threshold become, and the others."""

    @classmethod
    def of(cls, counts: Counts, missing: str = "error", kind: str | None = None) -> Sense:
        """Take from counts what their values are.

        Args:
            counts: how often each outcome occurred.
            missing: the policy for missing values.
            kind: the task of the metric; None where it is not known.
        """
        first = {role: _first(counts[role].tolist()) for role in ("truth", "a", "b") if role in counts}
        numbers = {role for role, value in first.items() if _is_number(value)}
        judged = ""
        if "truth" in first:
            scores = kind is None and any(counts[role].dtype.kind == "f" for role in ("a", "b"))
            judged = "truth" if kind in (None, *JUDGED) and not scores else ""
        elif all(value in (0, 1) for role in ("a", "b") for value in set(counts[role].tolist())):
            judged = "marks"
        inexact = frozenset(role for role in numbers if counts[role].dtype.kind == "f")
        return cls(frozenset(numbers), inexact, judged, missing, counts.open, precision=counts.precision)

    def cut(self, threshold: float, positive: Any, truth: Iterable[Any]) -> Sense:
        """Return the sense in which scores are cut into labels, of which the truth has two."""
        others = [label for label in truth if label != positive]
        labels = (others[0], positive) if others else (None, positive)
        return replace(self, numbers=self.numbers | {"a", "b"}, threshold=threshold, labels=labels)

    def value(self, role: str, given: Any) -> Any:
        """Return a value as it was counted; None where it is missing."""
        given = plain(given)
        if is_gone(given):
            return None
        if role not in self.numbers or isinstance(given, bool):
            return given
        if isinstance(given, str) and given in GAPS:
            return None
        try:
            whole = isinstance(given, int) or WHOLE.fullmatch(str(given))
            if whole and role not in self.inexact:
                return int(given)
            return _number(rounded(float(given), 64 if role == "truth" else self.precision))
        except (TypeError, ValueError):
            return given

    def answer(self, value: Any) -> Any:
        """Return what a system is held to have answered."""
        if value is None:
            return 0 if self.missing == "wrong" and self.judged != "truth" else None
        if self.threshold is None or self.labels is None:
            return value
        return self.labels[value >= rounded(self.threshold, self.precision)]

    def tells(self, row: Row) -> Example | None:
        """Return the example, or None where the systems do not differ on it, or it was not counted."""
        if self.task is not None and str(plain(row.get("slice"))) != self.task:
            return None
        values = {role: self.value(role, row.get(role)) for role in ("truth", "a", "b")}
        if self.missing == "drop" and any(is_gone(plain(value)) for role, value in row.items() if role != "text"):
            return None
        if row.get("multiplicity", 1) in (0, "0"):
            return None
        a, b = self.answer(values["a"]), self.answer(values["b"])
        if a == b:
            return None
        return Example(
            a=self._shown(values["a"], a),
            b=self._shown(values["b"], b),
            truth=None if values["truth"] is None else self._shown_truth(values["truth"]),
            id=None if is_gone(row.get("id")) else short_label(row["id"]),
            text=None if is_gone(row.get("text")) else short_text(row["text"]) or None,
            right=self._right(values["truth"], a, b),
        )

    def _right(self, truth: Any, a: Any, b: Any) -> str | None:
        if self.judged == "marks":
            return "a" if a == 1 else "b"
        if self.judged != "truth" or truth is None:
            return None
        return "a" if a == truth else "b" if b == truth else "neither"

    def _shown(self, value: Any, answer: Any) -> str:
        if value is None:
            return MISSING
        if self.open:
            return FOUND[bool(value)]
        return short_label(value) if self.threshold is None else f"{short_label(answer)} ({short_label(value)})"

    def _shown_truth(self, truth: Any) -> str:
        return RELEVANT[bool(truth)] if self.open else short_label(truth)


def pick(rows: Iterator[Row], sense: Sense, limit: int) -> tuple[Example, ...]:
    """Return the first examples on which the systems differ.

    Args:
        rows: in the order of the data; rows on which they agree may be among them.
        sense: how the values are taken.
        limit: the most that are wanted.
    """
    found: list[Example] = []
    while len(found) < limit and (row := next(rows, None)) is not None:
        example = sense.tells(row)
        if example is not None:
            found.append(example)
    return tuple(found)


def _first(values: Iterable[Any]) -> Any:
    return next((value for value in values if value is not None), None)


def _number(value: float) -> int | float:
    return int(value) if value.is_integer() else value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
