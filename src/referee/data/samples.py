"""Samples: two systems that answered different examples, each with its own; counted one by one and put side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from referee.data.columns import Values, joined
from referee.data.counts import Counts, Matched
from referee.data.crossed_groups import CROSSED, unfolded
from referee.data.engines.base import Joined, Side, engine_of
from referee.data.glimpse import Glimpsed
from referee.data.outcomes import Outcomes, described_one
from referee.data.policies import Policies
from referee.data.roles import OPTIONS, SAMPLE, names_of
from referee.errors import Argument, InputError, Message, OptionError

PAIRED = Argument("paired", False)
OWN = tuple(name for name in names_of("column") if name not in ("a", "b", "text", CROSSED))
"""The columns that each sample has of its own."""


class SharedExamples(InputError):
    """Two samples share examples, and should be paired."""


@dataclass(frozen=True, kw_only=True)
class Samples(Glimpsed):
    """Two systems with examples of their own; nothing is read until `count` is called."""

    first: Outcomes | Counts
    second: Outcomes | Counts
    remarks: tuple[str, ...] = ()
    """How the files were read, in sentences."""
    meeting: Callable[[], tuple[int, str]] | None = field(default=None, repr=False)
    """Says how many ids are in both samples, and one of them."""

    def count(self) -> Counts:
        """Count both samples and put them side by side.

        Raises:
            SharedExamples: if they have ids in common.
            InputError: if they do not fit each other.
        """
        if self.meeting is not None:
            refuse_shared(*self.meeting())
        first, second = (one if isinstance(one, Counts) else one.count() for one in (self.first, self.second))
        return side_by_side(first, second)


def refuse_shared(many: int, example: str = "") -> None:
    """Refuse samples with examples in common.

    Raises:
        SharedExamples: if there are any.
    """
    if many:
        such = f", such as {example!r}" if example else ""
        ids = f"{many:,} id{' is' if many == 1 else 's are'} in both samples{such}"
        remedy = Message("compare them as pairs, which sees smaller differences: leave out ", PAIRED)
        raise SharedExamples(f"{ids}: the systems answered the same examples", argument="paired", remedy=remedy)


def side_by_side(first: Counts, second: Counts) -> Counts:
    """Return the counts of two samples: whose example a row is, and in both systems' columns the answer of the one that it is of.

    Args:
        first: what system A did.
        second: what system B did on other examples.

    Raises:
        InputError: if one has a column that the other lacks, labels are of two kinds, or a group is in both.
    """
    if not (first.paired and second.paired):
        raise InputError("each of two samples must be the counts of one system")
    odd = sorted(set(first.columns) ^ set(second.columns))
    if odd:
        raise InputError(f"only one of the two samples has {', '.join(odd)}; both need the same columns")
    if (first.positive, first.open) != (second.positive, second.open):
        raise InputError("the two samples have different positive labels, or only one of them has responses")
    if "group" in first.columns:
        both = set(first["group"].tolist()) & set(second["group"].tolist())
        if both:
            such = f"{len(both):,} group{' is' if len(both) == 1 else 's are'} in both samples, such as {min(map(str, both))!r}"
            remedy = "if they are different groups of one name, rename them; otherwise the samples depend on each other"
            raise InputError(f"{such}; a group must be in one", argument="group", remedy=remedy)
    columns: dict[str, Values] = {role: joined(role, values, second[role]) for role, values in first.columns.items()}
    sides = [np.full(len(one), role, dtype=object) for one, role in ((first, "a"), (second, "b"))]
    a, b = first.name("a"), second.name("b")
    made = Counts.of(
        {**columns, SAMPLE: np.concatenate(sides)},
        np.concatenate([first.multiplicities, second.multiplicities]),
        names={"a": a, "b": b} if a != b else {"a": f"{a} (A)", "b": f"{b} (B)"},
        positive=first.positive,
        open=first.open,
        matched=Matched(a_only=first.n, b_only=second.n, dropped=first.matched.dropped + second.matched.dropped),
        notes=dict.fromkeys((*first.remarks, *second.remarks)),
        about={name: value for name, value in first.about.items() if second.about.get(name) == value},
        precision=min(first.precision, second.precision),
    )
    return replace(made, files=tuple(dict.fromkeys((*first.files, *second.files))))


def described_samples(data: Any = None, **arguments: Any) -> Samples | Counts:
    """Say which columns are what in each of two samples.

    Args:
        data: two tables (or counts, or what `read` returns), one per system; what `read(..., paired=False)` returns; counts of two
            samples; or None if the arguments are arrays.
        arguments: the columns, the positive label and the policies, as in `compare`; each column of arrays is a pair.

    Raises:
        InputError: if the data do not say what is needed.
    """
    columns = arguments if data is None else unfolded(arguments)  # a pair of arrays is one for each sample
    given = {name: value for name, value in columns.items() if value is not None}
    if CROSSED in given:
        same = "crossed groups need both systems' answers to the same examples, and these are two samples"
        raise OptionError(
            same, argument="group", remedy="name one group, or give the runs of both on the same examples"
        )
    rest = {name: given[name] for name in names_of("policy", "label") if name in given and name != "unmatched"}
    judged = next((name for name in ("winner", "first") if name in given), None)
    if judged is not None:
        raise OptionError(Argument(judged, bare=True), " is of judgements, which compare both systems", argument="paired", value=False,
                          remedy=Message("leave out ", PAIRED))  # fmt: skip
    if isinstance(data, str | os.PathLike):
        from referee.data.engines.tables import counts_of

        counts = counts_of(data)
        data = data if counts is None else counts
    if given.get("unmatched", "error") != "error":
        none = " has no meaning for two samples: nothing is paired"
        raise OptionError(Argument("unmatched", bare=True), none, value=given["unmatched"], remedy="leave it out")
    if isinstance(data, Samples) or (isinstance(data, Counts) and not data.paired):
        extra = [name for name in (*OWN, "a", "b") if name in given]
        if extra:
            raise InputError(
                "these two samples already say which columns are what", remedy=f"leave out {', '.join(extra)}"
            )
        return data
    if isinstance(data, Counts | Outcomes):
        raise OptionError("these data are paired: both systems answered the same examples", argument="paired", value=False,
                          remedy=Message("leave out ", PAIRED))  # fmt: skip
    systems = [given.get("a"), given.get("b")]
    if data is None:
        own = [{name: _half(name, given[name], place) for name in OWN if name in given} for place in (0, 1)]
        sources, ids = (None, None), [part.get("id") for part in own]
    else:
        if not isinstance(data, tuple | list) or len(data) != 2:
            two = "two samples are two tables, one per system: ", Argument("data"), " is a pair (first, second)"
            long = "; a long table of both is read by referee.read, with ", Argument("system"), " and ", PAIRED
            raise OptionError(*two, *long, argument="data")
        systems = [systems[0], systems[1] if systems[1] is not None else systems[0]]
        own = [{name: _name_in(given[name], place) for name in OWN if name in given} for place in (0, 1)]
        sources, ids = tuple(data), [_ids(source, part.get("id")) for source, part in zip(data, own, strict=True)]
    first, second = (
        _named(described_one(source, prediction=system, **part, **rest), default, arrays=data is None)
        for source, system, part, default in zip(sources, systems, own, "AB", strict=True)
    )
    return Samples(first=first, second=second, meeting=_meeting(*ids))


def _half(name: str, given: Any, place: int) -> Any:
    """Return the array of one sample."""
    if (
        not isinstance(given, tuple | list)
        or len(given) != 2
        or any(isinstance(one, str | int | float) for one in given)
    ):
        must = " must be a pair of arrays, one per sample: ", Argument(OPTIONS[name].name, "(of A, of B)")
        raise OptionError(Argument(name, bare=True), *must, argument=name)
    return given[place]


def _name_in(given: Any, place: int) -> Any:
    return given[place] if isinstance(given, tuple | list) and len(given) == 2 else given


def _named(one: Outcomes | Counts, default: str, *, arrays: bool) -> Outcomes | Counts:
    if arrays and one.names["a"] == "system":
        return replace(one, names={"a": default, "b": default})
    return one


def _ids(source: Any, column: Any) -> Any:
    """Return the ids of a table in memory; None if it has none, or is read later."""
    if column is None or isinstance(source, str | os.PathLike | Counts | Outcomes):
        return None
    try:
        return list(source[column])
    except (KeyError, TypeError, LookupError, ValueError):
        return None  # whoever reads it will say what is wrong


def _meeting(first: Any, second: Any) -> Callable[[], tuple[int, str]] | None:
    if first is None or second is None:
        return None

    def met() -> tuple[int, str]:
        both = set(map(str, first)) & set(map(str, second))
        return len(both), min(both, default="")

    return met


def sample_of(side: Side, **about: Any) -> Outcomes:
    """Return the outcomes of one side alone, as those of two that are one."""
    return Outcomes(source=Joined((side, side)), a=side.name, b=side.name, **about)


def meeting_of(first: Side, second: Side, policies: Mapping[str, Any]) -> Callable[[], tuple[int, str]]:
    """Return what says how many examples two sides share."""

    def met() -> tuple[int, str]:
        try:
            chosen = Policies(
                unmatched="drop", missing=policies.get("missing", "error"), repeats=policies.get("repeats", "error")
            )
            return int(engine_of(Joined((first, second))).read(Joined((first, second)), chosen).matched.both), ""
        except InputError:  # no id is in both, or it is not the same example
            return 0, ""

    return met
