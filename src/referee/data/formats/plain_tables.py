"""Plain tables: one per system, or one long table with the rows of all; which of their rows are paired, and how."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from referee.data.column_guesses import Column, answers
from referee.data.engines.base import Joined, Side
from referee.data.engines.files import kind_of
from referee.data.engines.tables import FILE_NAME, columns_of, find, has_file_names
from referee.data.formats.base import SYSTEMS, Choices, Source, known_name, stem
from referee.data.outcomes import Outcomes, made_of
from referee.data.roles import NAMED_BY, OPTIONS, SHARED
from referee.data.samples import Samples, meeting_of, sample_of
from referee.errors import Argument, Message, OptionError

CHOICES = tuple(name for name, option in OPTIONS.items() if "read" in option.verbs and option.section == "Data")
"""What may be chosen of tables."""
OF_ROWS = {role: name for name, option in OPTIONS.items() if (role := option.role or name) in (*SHARED, "id")}
"""What the rows of both systems may have, and the argument that names its column."""


@dataclass(frozen=True, kw_only=True)
class Paired:
    """Which rows of files are paired, and what is to be said of it."""

    joined: Joined
    repeats: str
    """What to do with ids that repeat."""
    remarks: tuple[str, ...] = ()
    """How the files were read, in sentences."""
    about: Mapping[str, str] = field(default_factory=dict)
    """What of them was chosen."""


def tell_apart(names: Sequence[str], paths: Sequence[Path]) -> tuple[str, ...]:
    """Return what systems are called, told apart by their paths where several are called the same.

    Args:
        names: what they are called.
        paths: where each is from.

    >>> tell_apart(["run", "run", "best"], [Path("monday/run.csv"), Path("tuesday/run.csv"), Path("best.csv")])
    ('monday', 'tuesday', 'best')
    """
    called = list(names)
    for name in [name for name, times in Counter(names).items() if times > 1]:
        places = [place for place, own in enumerate(names) if own == name]
        for place, new in zip(places, _apart(name, [paths[place] for place in places]), strict=True):
            called[place] = new
    return tuple(called)


def _apart(name: str, paths: Sequence[Path]) -> list[str]:
    """Return a name for each of several systems: the part of its path that no other has, several parts, or letters or numbers."""
    parts = [
        [Path(part).stem for part in same_depth]
        for same_depth in zip(*(p.resolve().parts[::-1] for p in paths), strict=False)
    ]
    varying = [own for own in parts if len(set(own)) > 1]
    ways = [
        *varying,
        *(["/".join(own[::-1]) for own in zip(*varying[:many], strict=True)] for many in range(2, len(varying) + 1)),
    ]
    numbers = "AB" if len(paths) == 2 else range(1, len(paths) + 1)
    return next(
        (list(way) for way in ways if len(set(way)) == len(paths)), [f"{name} ({number})" for number in numbers]
    )


def refuse_namesakes(names: Sequence[str]) -> None:
    """Refuse systems of which two are called the same.

    Raises:
        OptionError: with the name.
    """
    twice = next((name for name, times in Counter(names).items() if times > 1), None)
    if twice is not None:
        remedy = Message("name each system once, with ", Argument("systems"))
        raise OptionError(f"two systems are called {twice!r}", argument="systems", value=twice, remedy=remedy)


class Tables:
    """Tables, one per system, or one long table with the rows of all; and which column is what.

    Args:
        sources: the files.
        choices: which column is what; of two systems, what they are called.
        wanted: which of any number of systems, or what they are called; None where two are compared.
        unpaired: whether the systems answered different examples.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        choices: Choices,
        wanted: tuple[str, ...] | None = None,
        unpaired: bool = False,
    ) -> None:
        self.sources, self.choices, self.wanted, self.unpaired = sources, choices, wanted, unpaired
        self.system, self.by_line = choices.get("system"), "by_line" in choices
        self.columns = {role: choices[name] for role, name in OF_ROWS.items() if name in choices}

    @property
    def _known_by_group(self) -> bool:
        """Whether nothing tells the examples of a long table apart but their group, such as the question that each row answers."""
        named = {"group", "id", "crossed"} & set(self.columns)
        return (
            named == {"group"}
            and self.system is not None
            and len(self.sources) == 1
            and not (self.by_line or self.unpaired)
        )

    def paired(self, repeats: str | None) -> Paired:
        """Say which rows are paired, and how.

        Args:
            repeats: what to do with ids that repeat. If None, they are an error, but the rows of one group, without another id, are its
                repeats.
        """
        text, value = self.choices.get("text"), self.choices.get("prediction")
        if text is not None:
            known_name("text", text, (name for names in self.known for name in names), "column")
        # In JSON a key may come late, and is looked for while reading.
        if kind_of(self.paths[0][0]) not in ("lines", "json"):
            for argument in (*OF_ROWS.values(), "prediction", "system"):
                if argument in self.choices:
                    named_by = NAMED_BY.get(argument, argument)
                    known_name(named_by, self.choices[argument], [*self.known[0], *self._file[0]], "column")
        remarks: tuple[str, ...] = ()
        if self._known_by_group:
            own = self.columns["id"] = self.columns.pop("group")
            repeats = repeats or "group"
            remarks = (f"no id is named, so {own!r} is the id: rows with the same value are repeats of one example",)
        repeats = repeats or "error"
        self._check(value)
        if value is None:
            value = self._guess()
            remarks = (
                *remarks,
                f"{value!r} holds the predictions: it is the only column left",
            )
        roles = {**self.columns, "value": value, **({"text": text} if text is not None else {})}
        about = {**made_of(self.columns), "prediction": value}
        if self.wanted is not None and self.system is not None:
            table = Side("", self.paths[0], roles, (self.system, ""))
            joined = Joined((table,), ordered=self.by_line, long=self.wanted)
            return Paired(joined=joined, repeats=repeats, remarks=remarks, about=about)
        names = self.choices.systems if self.wanted is None else self.wanted
        if len(names) != max(2, len(self.sources)):
            paths = [Path(source) for source in self.sources]
            # Of many, versions are told apart by what follows a dot.
            called = [path.name.split(".")[0] if self.wanted is None else stem(path) for path in paths]
            names = tell_apart(called, paths)
        if self.wanted is not None:
            refuse_namesakes(names)
        sides = tuple(self._side(name, place, roles) for place, name in enumerate(names))
        return Paired(joined=Joined(sides, ordered=self.by_line), repeats=repeats, remarks=remarks, about=about)

    def samples(self, repeats: str | None, policies: Mapping[str, Any]) -> Samples:
        """Return two samples: files of their own, or the rows of each system in a long one."""
        paired = self.paired(repeats)
        left, right = paired.joined.sides
        about = {**policies, "repeats": paired.repeats, "about": paired.about}
        met = meeting_of(left, right, about) if "id" in self.columns else None
        if self.system is not None:
            first, second = sample_of(left, **about), sample_of(right, **about)
        else:
            first, second = (
                Outcomes(
                    source=source, a=side.columns["value"], b=side.columns["value"], names={"a": side.name, "b": side.name},
                    **_without(side.columns, "value", "text"), **about,
                )
                for source, side in zip(self.sources, (left, right), strict=True)
            )  # fmt: skip
        return Samples(first=first, second=second, remarks=paired.remarks, meeting=met)

    @cached_property
    def paths(self) -> list[list[Path]]:
        """The files of each source."""
        return [find(source) for source in self.sources]

    @cached_property
    def known(self) -> list[list[str]]:
        """The columns of each source."""
        return [columns_of(paths[0]) for paths in self.paths]

    @cached_property
    def _file(self) -> list[list[str]]:
        """The column that rows of several files have beside their own, of each source that has it."""
        return [[FILE_NAME] if has_file_names(paths) else [] for paths in self.paths]

    def _side(self, name: str, place: int, roles: Mapping[str, str]) -> Side:
        """Return the rows of a system; a text is in one table at least, and the others need not repeat what the first says."""
        if self.system is not None:
            return Side(name, self.paths[0], roles, (self.system, name))
        maybe = {"text", *(self.columns if place else ())} - {"id"}
        known = (*self.known[place], *self._file[place])
        own = {role: column for role, column in roles.items() if role not in maybe or column in known}
        return Side(name, self.paths[place], own)

    def _check(self, prediction: str | None) -> None:
        """Refuse what does not say how rows are paired, or contradicts itself."""
        several, two = len(self.sources) > 1, self.wanted is None
        if self.by_line and self.unpaired:
            pairs = Argument("by_line", bare=True), " pairs rows, and these are two samples"
            raise OptionError(*pairs, value=True, remedy="leave it out")
        if not {"id", "crossed"} & set(self.columns) and not self.by_line and not self.unpaired:
            also = ""
            if prediction is None and len(self._left) > 2:
                also = Message(", and that of the predictions or scores with ", Argument("prediction"))
            named = Message("name its column with ", Argument("id"), also, " (without an id column, ")
            by_line = Message(named, Argument("by_line", True), " pairs rows by line number)")
            paired = "the rows of systems" if self.system is not None else f"{'two ' if two else ''}tables"
            raise OptionError(f"{paired} are paired by id: ", by_line, argument="id", remedy=self._remedy)
        if self.by_line and "id" in self.columns:
            remedy = Message("leave out ", Argument("id", bare=True), " or that")
            raise OptionError(Argument("by_line", bare=True), " pairs rows by line number", value=True, remedy=remedy)
        if several and self.system is not None:
            tables = f" is for one long table; {'two' if two else 'several'} tables are one per system"
            raise OptionError(Argument("system", bare=True), tables)
        if not several and self.system is None:
            remedy = Message("for a long table, name the system column with ", Argument("system"))
            wide = f"one table with a column per system is read by {'compare' if two else 'rank'}"
            raise OptionError(wide, argument="system", remedy=remedy)
        if self.wanted is not None:
            if several and self.wanted and len(self.wanted) != len(self.sources):
                many = f"{len(self.wanted)} systems were named for {len(self.sources)} tables"
                raise OptionError(many, argument="systems", value=self.wanted, remedy="give each table a name, or none")
        elif not several and len(self.choices.systems) != 2:
            lacking = "b" if "a" in self.choices else "a"
            raise OptionError(f"name the two systems of the column {self.system!r} with ", *SYSTEMS, argument=lacking)

    @cached_property
    def _left(self) -> list[str]:
        """The columns of the first table that nothing is said about."""
        taken = (*self.columns.values(), self.choices.get("text"), self.system)
        return [name for name in self.known[0] if name not in taken]

    @property
    def _remedy(self) -> str:
        """Say how rows of a group can be paired without an id of their own, or which columns are left to be one."""
        if "group" not in self.columns:
            return self._few_left
        own = self.columns["group"]
        same = Message("if rows of one ", repr(own), " are repeats, give ", Argument("id", own), " and ")
        return Message(same, Argument("repeats", "group"), " instead of ", Argument("group"), f"; {self._few_left}")

    @property
    def _few_left(self) -> str:
        return f"the columns left are: {', '.join(self._left[:20]) or 'none'}{', ...' if len(self._left) > 20 else ''}"

    def _guess(self) -> str:
        """Find the column of the predictions: the only one that nothing else is said about."""
        if len(self._left) != 1 or not answers([Column(name, ()) for name in self._left]):
            asked = "name the column of the predictions or scores with ", Argument("prediction")
            raise OptionError(*asked, argument="prediction", remedy=self._few_left)
        return self._left[0]


def _without(columns: Mapping[str, str], *roles: str) -> dict[str, Any]:
    return {role: column for role, column in columns.items() if role not in roles}
