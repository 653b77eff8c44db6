"""Outcomes: which columns are the truth, the two systems and the rest; and `count`, which counts them."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

from referee.data.counts import Counts, Matched
from referee.data.crossed_groups import unfolded, with_pair_ids
from referee.data.engines.base import Blocks, Joined, engine_of
from referee.data.engines.files import called_files
from referee.data.examples import Example, Row, Sense, files_of, first_told
from referee.data.glimpse import Glimpsed
from referee.data.judged import check_judges
from referee.data.judgements import counted_judgements
from referee.data.naming import renamed
from referee.data.policies import Policies, settle
from referee.data.policy_values import MISSING
from referee.data.roles import JUDGES, LABELS, OPTIONS, SHARED, SIDES, SYSTEMS, names_of, roles_of
from referee.data.value_text import EXAMPLE
from referee.errors import Argument, ChoiceNeeded, InputError, Message, OptionError, unknown
from referee.runtime.arguments import fitting

MAKING = (*SHARED, *JUDGES, *roles_of("times"))
"""The roles, beside the systems, on whose columns the numbers depend."""
TAKEN = (*LABELS, *JUDGES, *SIDES, *roles_of("times", "id"))
"""The roles whose columns are read to be counted."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcomes(Glimpsed):
    """What two systems did on the same examples: the source, the role of each column, and the policies.

    Nothing is read until `count` is called.

    Args:
        source: a mapping of arrays, a dataframe that narwhals knows, a DuckDB relation, or a path.
        truth: the column of the right answers; None if a and b are scores.
        a: the column of the first system.
        b: the column of the second.
        judge: the column of a judge's labels; the truth is then people's, where somebody looked.
        judge_a: the column of a judge's scores of the first system; its own are then people's, where somebody looked.
        judge_b: the same of the second.
        group: examples of one group depend on each other.
        crossed: a second group, which the first crosses.
        stratum: examples are drawn within strata.
        weight: how much each example counts in the scores.
        slice: each slice is compared separately.
        id: what identifies an example.
        multiplicity: how often a row occurred.
        text: what an example is about; it is not counted, only shown beside the example.
        names: what the systems are called, by role; the columns' names if left out.
        positive: the positive label.
        missing: what to do with missing values; `referee compare --help` lists the policies.
        repeats: what to do with ids that repeat: "error", "mean" (scores only) or "group".
        unmatched: what to do with examples that only one system has: "error" or "drop".
        open: whether examples are responses, which have no true negatives.
        remarks: how the files were read, in sentences.
        about: what else was chosen in the source, such as a score of a log.
        again: reads the source once more, with what is only shown; for sources that are read into memory.
        held: whether the source already has what is only shown, so that it needs not be read once more.
        counted: the counts, if they have already been made.

    Raises:
        OptionError: if a policy is unknown or two arguments contradict each other.
    """

    source: Any
    a: str
    b: str
    truth: str | None = None
    judge: str | None = None
    judge_a: str | None = None
    judge_b: str | None = None
    group: str | None = None
    crossed: str | None = None
    stratum: str | None = None
    weight: str | None = None
    slice: str | None = None
    id: str | None = None
    multiplicity: str | None = None
    text: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    positive: Any = None
    missing: str = "error"
    repeats: str = "error"
    unmatched: str = "error"
    open: bool = False
    remarks: tuple[str, ...] = ()
    about: Mapping[str, str] = field(default_factory=dict)
    again: Callable[[], Outcomes] | None = field(default=None, repr=False)
    held: bool = field(default=False, repr=False)
    counted: Counts | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        _ = self.policies  # which refuses those that it does not know
        check_judges(self.roles, self.policies.chosen)
        if self.repeats != "error" and self.id is None and not isinstance(self.source, Joined):
            needs = (" needs ", Argument("id"), ", the column that says which rows repeat")
            raise OptionError(Argument("repeats", self.repeats), *needs, argument="repeats", value=self.repeats)
        if self.repeats == "group" and self.group is not None and not self._has_pairs:
            remedy = Message("leave ", Argument("group"), " out, or use another policy for repeats")
            raise OptionError(Argument("repeats", "group"), " makes the id the group", argument="group", remedy=remedy)
        if self.id is not None and self.multiplicity is not None:
            remedy = Message("give ", Argument("id"), " or ", Argument("multiplicity"), ", not both")
            many = "rows with a multiplicity stand for many examples and have no id"
            raise OptionError(many, argument="id", value=self.id, remedy=remedy)
        if not self.names:
            object.__setattr__(self, "names", {"a": str(self.a), "b": str(self.b)})

    @property
    def policies(self) -> Policies:
        """What to do with what is not as it should be."""
        return Policies(missing=self.missing, repeats=self.repeats, unmatched=self.unmatched)

    @property
    def roles(self) -> dict[str, str]:
        """The column of each role that is taken."""
        taken = {role: getattr(self, role) for role in TAKEN if getattr(self, role) is not None}
        if self._has_pairs:
            del taken["id"]
        return taken

    @property
    def _has_pairs(self) -> bool:
        """Whether the id is the pair of two crossed groups: one of them alone is in many rows."""
        return self.crossed is not None and self.id is not None and self.id in (self.group, self.crossed)

    def describe(self) -> str:
        """Say in a line what is compared with what.

        >>> Outcomes(source="week.csv", truth="label", a="old", b="new", group="doc").describe()
        "old and new in 'week.csv': truth is label, group is doc"
        """
        is_path = isinstance(self.source, str | os.PathLike)
        where = repr(os.fspath(self.source)) if is_path else type(self.source).__name__
        sides = ", ".join(f"{role} is {name}" for role, name in self.roles.items() if role not in SYSTEMS)
        return f"{self.names['a']} and {self.names['b']} in {where}" + (f": {sides}" if sides else "")

    def count(self) -> Counts:
        """Read the source, apply the policies, and count."""
        if self.counted is not None:
            return self.counted
        if isinstance(self.source, Joined):
            rows = engine_of(self.source).read(self.source, self.policies)
        else:
            keep = "id" in self.roles and self.repeats != "error"
            rows = engine_of(self.source).read(self.source, self.roles, keep_ids=keep)
            rows = with_pair_ids(rows) if self._has_pairs else rows
        noun = self.about.get("noun", EXAMPLE)
        return self._told(settle(rows, self.policies, names=self.names, positive=self.positive, noun=noun))

    def _told(self, counts: Counts) -> Counts:
        """Return counts of these outcomes with what is known of where they are from."""
        files = getattr(self.again, "called", ()) or called_files(files_of(self))
        return replace(counts, open=self.open or counts.open, about={**counts.about, **self.origin}, files=files)

    def count_blocks(self, blocks: Blocks) -> Counts | None:
        """Count the rows of each block of the source, whose number is the slice; None if its rows have no order.

        Rows that stand for several examples, or that are averaged, have none, nor have those of tables that are joined.
        """
        engine = engine_of(self.source)
        if not hasattr(engine, "read_blocks") or self.multiplicity or self.slice or self.repeats != "error":
            return None
        rows = engine.read_blocks(self.source, {r: name for r, name in self.roles.items() if r != "id"}, blocks)
        counts = rows and settle(rows, self.policies, names=self.names, positive=self.positive)
        return counts and self._told(counts)

    @property
    def origin(self) -> dict[str, str]:
        """What the counts are made from, besides the two systems: columns, choices, policies that are not the default."""
        return {**made_of({} if isinstance(self.source, Joined) else self.roles), **self.about, **self.policies.chosen}

    @property
    def identified(self) -> bool:
        """Whether something says which example a row is: an id, or a text."""
        return self.id is not None or self.text is not None or isinstance(self.source, Joined)

    def examples(self, limit: int = 50, sense: Sense | None = None) -> tuple[Example, ...]:
        """Read the source again, for the first examples on which the systems differ, in the order of the data.

        Rows are shown as they were counted: rows that a policy left out are left out, repeats of an id in two runs are
        averaged or numbered (in one table they are separate rows), and a missing answer is "(missing)".

        Args:
            limit: the largest number of examples to return.
            sense: how the values are taken; found out by counting if left out.

        Returns:
            The examples; none if the data have neither ids nor texts.

        Raises:
            InputError: if the source can no longer be read.
        """
        if not self.identified:
            return ()
        return self.examples_by([Sense.of(self.count(), self.missing) if sense is None else sense], limit)[0]

    def examples_by(self, senses: Sequence[Sense], limit: int = 50) -> list[tuple[Example, ...]]:
        """Read the source once for what each of several comparisons of it shows, as `examples` does for one."""
        shown = self if self.again is None or self.held else self.again()
        with closing(shown._differing()) as rows:
            return first_told(rows, senses, limit)

    def _differing(self) -> Generator[Row]:
        differing: Callable[..., Generator[Row]] = engine_of(self.source).differing
        if isinstance(self.source, Joined):
            return differing(self.source, self.policies)
        unneeded = () if MISSING[self.missing].drops else [role for role in SIDES if role != "slice"]
        roles = {role: name for role, name in self.roles.items() if role not in unneeded}
        return differing(self.source, roles if self.text is None else {**roles, "text": self.text})


def made_of(columns: Mapping[str, str]) -> dict[str, str]:
    """Return the columns on which numbers depend, by the names of the arguments."""
    arguments = {option.role or name: name for name, option in OPTIONS.items()}
    return {arguments[role]: str(name) for role, name in columns.items() if role in MAKING}


def described(data: Any = None, *, names: Sequence[str] | None = None, **arguments: Any) -> Outcomes | Counts:
    """Say which columns are what, and read nothing yet; counts, files of counts and Outcomes are returned as they are.

    Args:
        data: as in `count`.
        names: what to call A and B; of judgements, which system is A and which is B, if `a` and `b` don't say it.
        arguments: the columns, the positive label and the policies, as in `compare` and `count`; None is not given.

    Raises:
        InputError: if the data do not say what is needed.
    """
    return renamed(_described(data, names, arguments), names)


def _described(data: Any, names: Sequence[str] | None, arguments: Mapping[str, Any]) -> Outcomes | Counts:
    given = {name: value for name, value in unfolded(arguments, arrays=data is None).items() if value is not None}
    columns = {OPTIONS[name].role or name: given[name] for name in names_of("column") if name in given}
    rest = {name: arguments[name] for name in names_of("policy") if name in arguments}
    rest |= {name: given[name] for name in names_of("label") if name in given}
    if isinstance(data, str | os.PathLike):
        from referee.data.engines.tables import counts_of

        counts = counts_of(data)
        data = data if counts is None else counts
    if isinstance(data, Counts):
        return _as_is(data, columns, rest.get("positive"))
    if isinstance(data, Outcomes):
        extra = [*columns, *(name for name, value in rest.items() if name == "positive" or value != "error")]
        if extra:
            raise InputError("Outcomes already say which columns are what", remedy=f"leave out {', '.join(extra)}")
        return data
    if rest.get("repeats") == "group" and "group" in columns and not {"id", "crossed", "winner"} & set(columns):
        columns["id"] = columns.pop("group")  # its rows are repeats
    if "winner" in columns or "first" in columns:
        return counted_judgements(data, columns, rest, names)
    return _from_arrays(columns, rest) if data is None else _from_columns(data, columns, rest)


@fitting
def count(
    data: Any = None,
    *,
    truth: Any = None,
    a: Any = None,
    b: Any = None,
    judge: Any = None,
    judge_a: Any = None,
    judge_b: Any = None,
    group: Any = None,
    stratum: Any = None,
    weight: Any = None,
    by: Any = None,
    id: Any = None,  # noqa: A002 - the word of the command line and the files
    winner: Any = None,
    first: Any = None,
    multiplicity: Any = None,
    positive: Any = None,
    missing: str = "error",
    repeats: str = "error",
    unmatched: str = "error",
    names: Sequence[str] | None = None,
) -> Counts:
    """Count how often each joint outcome occurred: all that a comparison needs, whatever the number of examples.

    Args:
        data: a dataframe, a mapping of columns, a DuckDB relation, a path (CSV, TSV, JSON lines, Parquet, or a counts
            file), Outcomes or Counts; if left out, the other arguments are arrays, else they are column names.
        truth: the right answers; not needed if a and b are scores.
        a: the first system's predictions or scores.
        b: the second's.
        judge: a judge's labels (an LLM as a judge), for every example; truth is then people's, and may be empty in some rows.
        judge_a: a judge's scores of the first system's outputs, for every example; a and b are then people's scores.
        judge_b: a judge's scores of the second system's outputs.
        group: examples of one group depend on each other; two columns if they are crossed, such as questions and seeds.
        stratum: examples are drawn within strata.
        weight: how much each example counts in the scores; the counts stay whole numbers.
        by: each slice is compared separately.
        id: what identifies an example; repeated ids are an error unless `repeats` says otherwise.
        winner: who won each judgement, for preferences; a and b are then the systems' names.
        first: which of the two was shown first.
        multiplicity: how often a row occurred.
        positive: the positive label.
        missing: what to do with missing predictions; `referee count --help` lists the policies.
        repeats: what to do with repeated ids: "error"; "mean": average the scores; "group": treat the rows as a group.
        unmatched: "error" or "drop"; for tables that are joined.
        names: what to call A and B, such as ("old", "new"); by default what their columns are called.

    Raises:
        InputError: if the data lack something that is needed.
        NameUnknown: if there is no such column.

    >>> count(truth=[1, 1, 0], a=[1, 0, 0], b=[1, 1, 1]).n
    3
    """
    outcomes = described(
        data, names=names, truth=truth, a=a, b=b, judge=judge, judge_a=judge_a, judge_b=judge_b, group=group, stratum=stratum, by=by, weight=weight,
        id=id, winner=winner, first=first, multiplicity=multiplicity, positive=positive, missing=missing, repeats=repeats, unmatched=unmatched,
    )  # fmt: skip
    return outcomes if isinstance(outcomes, Counts) else outcomes.count()


def described_one(data: Any = None, *, prediction: Any = None, **arguments: Any) -> Outcomes | Counts:
    """Say which columns are what of a single system, and read nothing yet; of counts and Outcomes, which system is meant.

    One system is two that are one: its column is that of a and that of b.

    Args:
        data: as in `score`.
        prediction: its predictions or scores; of counts and Outcomes of two systems, the name of one.
        arguments: the other columns, the positive label and the policies.

    Raises:
        InputError: if the data do not say what is needed.
    """
    if isinstance(data, str | os.PathLike):
        from referee.data.engines.tables import counts_of

        counts = counts_of(data)
        data = data if counts is None else counts
    if isinstance(data, Counts | Outcomes):
        found = described(data, **arguments)
        return one_system(found if isinstance(found, Counts) else found.count(), prediction)
    if prediction is None:
        how = (
            "give the answers of the system, an array, with " if data is None else "name the column of the system with "
        )
        raise InputError(how, Argument("prediction"), argument="prediction")
    if data is not None:
        return described(data, a=prediction, b=prediction, **arguments)
    made = described(None, a=prediction, b=prediction, **arguments)
    own = getattr(prediction, "name", None)
    name = own if isinstance(own, str) and own else "system"
    # Counted once, and not as two arrays that happen to be equal.
    return replace(made, b="a", names={"a": name, "b": name}) if isinstance(made, Outcomes) else made


def one_system(counts: Counts, prediction: Any = None) -> Counts:
    """Return the counts of one of two systems, or of the only one.

    Args:
        counts: the counts.
        prediction: what the system is called; not needed if there is one.

    Raises:
        ChoiceNeeded: if there are two and none is named.
    """
    names = {role: counts.name(role) for role in counts.systems}
    several = list(dict.fromkeys(names.values()))
    if prediction is None and len(several) > 1:
        two = f"these are the counts of two systems, {' and '.join(several)}; name one with "
        raise ChoiceNeeded(two, Argument("prediction"), arguments={"prediction": several[-1]})
    role = next((role for role, name in names.items() if prediction in (None, name)), None)
    if role is None:
        raise unknown("system", prediction, several, "prediction")
    name = names[role]
    if not counts.paired:
        counts = counts.where(counts["sample"] == role).without("sample")
        counts = replace(counts, matched=Matched(both=counts.n))
    own = counts[role]
    if counts.open:  # what only the other system found is nothing to this one
        negative = min(counts["truth"].tolist())
        inside = (counts["truth"] != negative) | (own != negative)
        counts, own = counts.where(inside), own[inside]
    return replace(counts.put(a=own, b=own), names={"a": name, "b": name})


def _as_is(counts: Counts, columns: Mapping[str, Any], positive: Any) -> Counts:
    for role, value in columns.items():
        known = counts.names.get(role, value) if role in SYSTEMS else value
        if role not in counts or value != known or not isinstance(value, str):
            has = ", ".join(f"{r} ({counts.names[r]})" if r in counts.names else r for r in counts.columns)
            remedy = Message("leave out ", Argument(role))
            raise InputError(f"counts have their columns already: {has}", argument=role, remedy=remedy)
    return counts if positive is None else replace(counts, positive=positive)


def _from_arrays(arrays: Mapping[str, Any], rest: Mapping[str, Any]) -> Outcomes:
    lacking = " and ".join(role for role in SYSTEMS if role not in arrays)
    if lacking:
        given = (f"{lacking} not given (arrays, or columns of ", Argument("data"), ")")
        raise InputError("two systems are compared; ", *given, argument=lacking)
    own: dict[str, Any] = {role: getattr(arrays[role], "name", None) for role in SYSTEMS}
    are_names = all(isinstance(name, str) and name for name in own.values()) and own["a"] != own["b"]
    columns: dict[str, Any] = {role: role for role in arrays}
    return Outcomes(source=dict(arrays), names=own if are_names else {"a": "A", "b": "B"}, **columns, **rest)


def _from_columns(data: Any, columns: Mapping[str, Any], rest: Mapping[str, Any]) -> Outcomes:
    for role, name in columns.items():
        if not isinstance(name, Hashable):
            must = f"{role} must be the name of a column of data; it is {type(name).__name__}"
            raise InputError(must, argument=role, remedy=Message("with arrays leave ", Argument("data"), " out"))
    lacking = [Argument(role) for role in SYSTEMS if role not in columns]
    if lacking:
        parts = (lacking[0], " and ", lacking[1]) if len(lacking) == 2 else lacking
        raise InputError("name the columns of the two systems: ", *parts, " not given", argument=lacking[0].name)
    return Outcomes(source=data, **columns, **rest)
