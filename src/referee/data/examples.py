"""Examples on which two systems differ: who is right, a second look at the data, and values in a few characters, of which none acts."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.data.columns import GAPS, is_missing, label_kind, plain, rounded
from referee.data.engines.base import Joined, Side, engine_of
from referee.data.engines.files import Mark, mark_of
from referee.data.policies import answer_of_missing, is_dropped
from referee.data.roles import LABELS, SYSTEMS
from referee.errors import InputError, RefereeError

if TYPE_CHECKING:
    from referee.data.counts import Counts
    from referee.data.outcomes import Outcomes

Row = Mapping[str, Any]
"""Role to value, as the source has it; None where it is missing."""
MISSING = "(missing)"
JUDGED = ("binary", "labels", "multiclass")
"""The tasks of metrics for which an answer is right or wrong, and not just far from the truth."""
TEXT, LABEL = 300, 80
"""How many characters are shown of what an example is about, and of an answer or an id."""
LONG = 20_000
"""How many characters of a text are looked at."""
JOINERS = "\u200c\u200d"
"""Format characters that belong to words and to emoji, and change nothing around them."""


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
            truth=None if values["truth"] is None else self._words(values["truth"], "relevant"),
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
        words = self._words(value, "found")
        return words if self.open or self.threshold is None else f"{short_label(answer)} ({words})"

    def _words(self, value: Any, response: str) -> str:
        """Return a value in words; of responses, whether they are what is said of them."""
        return short_label(value) if not self.open else response if value else f"not {response}"


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
        return cls(replace(outcomes, counted=None, source=source), Sense(), tuple(map(mark_of, _files(outcomes))))

    def __call__(self) -> tuple[Example, ...]:
        """Return the first examples on which the systems differ.

        Raises:
            InputError: where the data are gone, or are no longer those that were compared.
        """
        now = [mark_of(path) for path, *_ in self.marks]
        changed = next((then[0] for then, mark in zip(self.marks, now, strict=True) if then != mark), None)
        if changed is not None:
            raise InputError(f"{changed} has changed since it was compared, or is gone")
        try:
            return self.outcomes.examples(sense=self.sense)
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


def short_text(value: Any) -> str:
    r"""Return what an example is about: in one line, without what steers a screen, cut where it is long.

    >>> short_text("Which city\n is \u202ethe capital?\0"), short_text([{"role": "user", "content": "Hi"}])
    ('Which city is the capital?', 'Hi')
    """
    text = " ".join(said(value)[:LONG].split())
    if not text.isprintable():
        plainly = "".join(" " if unicodedata.category(sign) == "Cc" else sign for sign in text if not _steers(sign))
        # Halves of characters, which nothing can write, are replaced.
        text = " ".join(re.sub("[\ud800-\udfff]", "\ufffd", plainly).split())
    return _cut(text, TEXT)


def excerpt(value: Any) -> str:
    """Return how a text begins, as it is: for the many of a log, of which few will be shown."""
    text = said(value)
    return text if len(text) <= TEXT else text[:TEXT] + "…"


def short_label(value: Any) -> str:
    r"""Return an answer or an id so that two that differ look different: blanks are quoted, hidden signs are spelt.

    >>> short_label("spam"), short_label(" spam"), short_label("a\nb"), short_label(0.1 + 0.2), short_label(["x", None, 3])
    ('spam', '" spam"', 'a\\nb', '0.3', 'x, 3')
    """
    if isinstance(value, list | tuple):
        return _cut(", ".join(short_label(part) for part in value if part is not None), LABEL)
    if isinstance(value, float):
        return f"{value:.6g}"
    text = said(value)[: LABEL + 1]
    hidden = {sign for sign in text if unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") or _steers(sign)}
    spelt = "".join(sign.encode("unicode_escape").decode() if sign in hidden else sign for sign in text)
    blank = text != text.strip() or not text
    return _cut(f'"{spelt}"' if blank else spelt, LABEL)


def said(value: Any) -> str:
    """Return a value as a text; of a conversation, what was asked last.

    >>> said([{"role": "system", "content": "Be brief."}, {"role": "user", "content": [{"type": "text", "text": "Hi"}]}])
    'Hi'
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, Sequence) and value and all(isinstance(part, Mapping) for part in value):
        return _conversation(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping | list | tuple):
        try:
            return json.dumps(value, ensure_ascii=False, default=str)
        except (RecursionError, ValueError, TypeError):
            return type(value).__name__
    return str(value)


def _conversation(messages: Sequence[Mapping[str, Any]]) -> str:
    last = ([message for message in messages if message.get("role") == "user"] or messages)[-1]
    content = last.get("content", last.get("text"))
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        content = " ".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else json.dumps(dict(last), ensure_ascii=False, default=str)


def _steers(sign: str) -> bool:
    """Say whether a character is not seen, but changes how others are: the marks that turn the direction, for one."""
    return unicodedata.category(sign) == "Cf" and sign not in JOINERS


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
