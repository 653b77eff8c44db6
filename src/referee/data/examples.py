"""Examples on which two systems differ: which of the rows differ as they were counted, who is right, and a second look at the data."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.data.columns import GAPS, is_missing, plain, rounded
from referee.data.engines import engine_of
from referee.data.engines.base import Joined, Side
from referee.data.engines.files import Mark, marks_of
from referee.data.policies import answer_of_missing, is_dropped
from referee.data.value_text import short_label, short_text
from referee.errors import InputError, RefereeError

if TYPE_CHECKING:
    from referee.data.counts import Counts
    from referee.data.outcomes import Outcomes

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
        if is_missing(given):
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
            return answer_of_missing(self.missing, with_truth=self.judged == "truth")
        if self.threshold is None or self.labels is None:
            return value
        return self.labels[value >= rounded(self.threshold, self.precision)]

    def tells(self, row: Row) -> Example | None:
        """Return the example, or None where the systems do not differ on it, or it was not counted."""
        if self.task is not None and str(plain(row.get("slice"))) != self.task:
            return None
        values = {role: self.value(role, row.get(role)) for role in ("truth", "a", "b")}
        if is_dropped(row, self.missing) or row.get("multiplicity", 1) in (0, "0"):
            return None
        a, b = self.answer(values["a"]), self.answer(values["b"])
        if a == b:
            return None
        return Example(
            a=self._shown(values["a"], a),
            b=self._shown(values["b"], b),
            truth=None if values["truth"] is None else self._shown_truth(values["truth"]),
            id=None if is_missing(row.get("id")) else short_label(row["id"]),
            text=None if is_missing(row.get("text")) else short_text(row["text"]) or None,
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
    examples = (example for row in rows if (example := sense.tells(row)) is not None)
    return tuple(islice(examples, limit))


def _first(values: Iterable[Any]) -> Any:
    return next((value for value in values if value is not None), None)


def _number(value: float) -> int | float:
    return int(value) if value.is_integer() else value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


@dataclass(frozen=True)
class Look:
    """A second look at the data, for the examples on which the systems differ; it is taken when somebody asks.

    Pickled, it looks first and takes along what it saw: the data may be large, and elsewhere.
    """

    outcomes: Outcomes
    sense: Sense
    marks: tuple[Mark, ...]
    """What the files were when they were compared."""

    @classmethod
    def at(cls, outcomes: Outcomes) -> Look | None:
        """Return a look at data, before they are counted; None where nothing says which example is which.

        Raises:
            NameUnknown: where there is no such column of texts.
        """
        if not outcomes.identified:
            return None
        if outcomes.text is not None and not isinstance(outcomes.source, Joined):
            engine_of(outcomes.source).check_text(outcomes.source, outcomes.text, outcomes.a)
        # What can be read again need not be kept.
        source = outcomes.source if outcomes.again is None else Joined(Side("a", {}), Side("b", {}))
        return cls(replace(outcomes, counted=None, source=source), Sense(), marks_of(_files(outcomes)))

    def __call__(self) -> tuple[Example, ...]:
        """Return the first examples on which the systems differ.

        Raises:
            InputError: where the data are gone, or are no longer those that were compared.
        """
        now = marks_of(path for path, *_ in self.marks)
        changed = next((then[0] for then, mark in zip(self.marks, now, strict=True) if then != mark), None)
        if changed is not None:
            raise InputError(f"{changed} has changed since it was compared, or is gone")
        try:
            return self.outcomes.examples(sense=self.sense)
        except RefereeError:
            raise
        except Exception as error:  # of data that somebody changed in the meantime, any library may raise anything
            told = " ".join(str(error).split())[:200]
            raise InputError(f"the data are no longer what was compared: {type(error).__name__}: {told}") from error

    def __reduce__(self) -> tuple[type[Seen], tuple[tuple[Example, ...], str]]:
        try:
            return Seen, (self(), "")
        except RefereeError as error:
            return Seen, ((), str(error))


@dataclass(frozen=True)
class Seen:
    """What a look saw, or why it could not."""

    examples: tuple[Example, ...]
    trouble: str = ""

    def __call__(self) -> tuple[Example, ...]:
        """Return the examples.

        Raises:
            InputError: where they could not be read.
        """
        if self.trouble:
            raise InputError(self.trouble)
        return self.examples


def _files(outcomes: Outcomes) -> Iterator[Path]:
    """Yield the files that outcomes are read from."""
    if isinstance(outcomes.source, str | os.PathLike):
        from referee.data.engines.tables import find

        yield from find(outcomes.source)
    elif isinstance(outcomes.source, Joined):
        yield from outcomes.source.files
    yield from getattr(outcomes.again, "files", ())
