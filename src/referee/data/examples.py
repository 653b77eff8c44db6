"""Examples on which two systems differ: who is right, and a second look at the data."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.data.columns import GAPS, is_missing, label_kind, plain, rounded
from referee.data.engines.base import Joined, Side, engine_of
from referee.data.engines.files import Mark, mark_of
from referee.data.policies import answer_of_missing, is_dropped
from referee.data.roles import LABELS, SYSTEMS
from referee.data.value_text import short_label, short_text
from referee.errors import InputError, RefereeError

if TYPE_CHECKING:
    from referee.data.counts import Counts
    from referee.data.outcomes import Outcomes

Row = Mapping[str, Any]
"""Role to value, as the source has it; None where it is missing."""
MISSING = "(missing)"
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
    response_a: str | None = None
    """What A wrote, of which `a` is only the score; None where a log does not have it."""
    response_b: str | None = None


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
        numbers = frozenset(role for role in LABELS if role in counts and label_kind(counts[role]) in ("i", "f"))
        inexact = frozenset(role for role in numbers if counts[role].dtype.kind == "f")
        judged = ""
        if "truth" in counts:
            scores = kind is None and not inexact.isdisjoint(SYSTEMS)
            judged = "truth" if kind in (None, *JUDGED) and not scores else ""
        elif all(value in (0, 1) for role in SYSTEMS for value in set(counts[role].tolist())):
            judged = "marks"
        return cls(numbers, inexact, judged, missing, counts.open, precision=counts.precision)

    def cut(self, threshold: float, positive: Any, truth: Iterable[Any]) -> Sense:
        """Return the sense in which scores are cut into labels, of which the truth has two."""
        other = next((label for label in truth if label != positive), None)
        return replace(self, numbers=self.numbers | {"a", "b"}, threshold=threshold, labels=(other, positive))

    def value(self, role: str, given: Any) -> Any:
        """Return a value as it was counted; None where it is missing."""
        given = plain(given)
        number = role in self.numbers and not isinstance(given, bool)
        if is_missing(given) or (number and isinstance(given, str) and given in GAPS):
            return None
        try:
            if not number or (role not in self.inexact and re.fullmatch(r"-?[0-9]+", str(given))):
                return int(given) if number else given
            value: float = rounded(float(given), 64 if role == "truth" else self.precision)
            return int(value) if value.is_integer() else value
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
        values = {role: self.value(role, row.get(role)) for role in LABELS}
        if is_dropped(row, self.missing) or row.get("multiplicity", 1) in (0, "0"):
            return None
        a, b = self.answer(values["a"]), self.answer(values["b"])
        if a == b:
            return None
        return Example(
            a=self._shown(values["a"], a),
            b=self._shown(values["b"], b),
            truth=_text(row, "target") if values["truth"] is None else self._words(values["truth"], "relevant"),
            id=None if is_missing(row.get("id")) else short_label(row["id"]),
            text=_text(row, "text"),
            right=self._right(values["truth"], a, b),
            response_a=None if values["a"] is None else _text(row, "response_a"),
            response_b=None if values["b"] is None else _text(row, "response_b"),
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
        words = self._words(value, "found")
        return words if self.open or self.threshold is None else f"{short_label(answer)} ({words})"

    def _words(self, value: Any, response: str) -> str:
        """Return a value in words; of responses, whether they are what is said of them."""
        return short_label(value) if not self.open else response if value else f"not {response}"


def _text(row: Row, role: str) -> str | None:
    value = row.get(role)
    return None if is_missing(value) else short_text(value) or None


def first_told(rows: Iterable[Row], senses: Sequence[Sense], limit: int) -> list[tuple[Example, ...]]:
    """Return the first examples that each sense tells of; rows are read until every one has as many as it may."""
    found: list[list[Example]] = [[] for _ in senses]
    waiting = list(zip(senses, found, strict=True))
    for row in rows:
        for sense, own in waiting:
            if (one := sense.tells(row)) is not None:
                own.append(one)
        waiting = [(sense, own) for sense, own in waiting if len(own) < limit]
        if not waiting:
            break
    return list(map(tuple, found))


@dataclass
class Shelf:
    """What the looks at one set of data share: whoever looks first reads for the others too, and each takes its own once."""

    senses: list[Sense] = field(default_factory=list)
    seen: list[tuple[Sense, tuple[Example, ...]]] = field(default_factory=list)
    """What was seen in the senses whose looks have not taken it yet."""

    def take(self, outcomes: Outcomes, sense: Sense) -> tuple[Example, ...]:
        """Return what is seen in a sense, of a reading that nobody has taken it from."""
        if all(known != sense for known, _ in self.seen):
            senses = self.senses if sense in self.senses else [sense]
            self.seen = list(zip(senses, outcomes.examples_by(senses), strict=True))
        place = next(place for place, (known, _) in enumerate(self.seen) if known == sense)
        return self.seen.pop(place)[1]


@dataclass(frozen=True)
class Look:
    """A second look at the data, for the examples on which the systems differ; it is taken when somebody asks.

    The looks of several comparisons of one set of data are taken together. Pickled, it looks first and takes along what it saw: the data may be large, and elsewhere.
    """

    outcomes: Outcomes
    sense: Sense
    marks: tuple[Mark, ...]
    """What the files were when they were compared."""
    shelf: Shelf = field(default_factory=Shelf, repr=False, compare=False)

    def taking(self, sense: Sense) -> Look:
        """Return the look of one of the comparisons, which takes the values in its own sense."""
        self.shelf.senses.append(sense)
        return replace(self, sense=sense)

    @classmethod
    def at(cls, outcomes: Outcomes) -> Look | None:
        """Return a look at data, before they are counted; None where nothing says which example is which.

        Raises:
            NameUnknown: if there is no such column of texts.
        """
        if not outcomes.identified:
            return None
        if outcomes.text is not None and not isinstance(outcomes.source, Joined):
            engine_of(outcomes.source).check_text(outcomes.source, outcomes.text, outcomes.a)
        # What can be read again need not be kept.
        kept = outcomes.again is None or outcomes.held
        source = outcomes.source if kept else Joined((Side("a", {}), Side("b", {})))
        return cls(replace(outcomes, counted=None, source=source), Sense(), tuple(map(mark_of, files_of(outcomes))))

    def __call__(self) -> tuple[Example, ...]:
        """Return the first examples on which the systems differ.

        Raises:
            InputError: if the data are gone, or are no longer those that were compared.
        """
        now = [mark_of(path) for path, *_ in self.marks]
        changed = next((then[0] for then, mark in zip(self.marks, now, strict=True) if then != mark), None)
        if changed is not None:
            raise InputError(f"{changed} has changed since it was compared, or is gone")
        try:
            return self.shelf.take(self.outcomes, self.sense)
        except RefereeError:
            raise
        except Exception as error:  # of data that somebody changed in the meantime, any library may raise anything
            told = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
            raise InputError(f"the data are no longer what was compared: {told}") from error

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
            InputError: if they could not be read.
        """
        if self.trouble:
            raise InputError(self.trouble)
        return self.examples


def files_of(outcomes: Outcomes) -> Iterator[Path]:
    """Yield the files that outcomes are read from."""
    if isinstance(outcomes.source, str | os.PathLike):
        from referee.data.engines.tables import find

        yield from find(outcomes.source)
    elif isinstance(outcomes.source, Joined):
        yield from outcomes.source.files
    yield from getattr(outcomes.again, "files", ())
