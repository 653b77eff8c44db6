"""Plain tables: two, one per system, or one long table with the rows of both; which of their rows are paired, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from referee.data.column_guesses import Column, answers
from referee.data.engines.base import Joined, Side
from referee.data.engines.files import kind_of
from referee.data.engines.tables import columns_of, find
from referee.data.formats.base import SYSTEMS, Choices, Source, known_name
from referee.data.outcomes import Outcomes, made_of
from referee.data.roles import OPTIONS, SHARED
from referee.errors import Argument, Message, OptionError

CHOICES = tuple(name for name, option in OPTIONS.items() if "read" in option.verbs and option.section == "Data")
"""What may be chosen of tables."""
OF_ROWS = {role: name for name, option in OPTIONS.items() if (role := option.role or name) in (*SHARED, "id")}
"""What the rows of both systems may have, and the argument that names its column."""


def tell_apart(first: str, second: str, paths: Sequence[Path]) -> tuple[str, str]:
    """Return what two systems are called, told apart by their paths where they are called the same."""
    if first != second:
        return first, second
    if len(paths) == 2:
        for one, other in zip(*(path.resolve().parts[::-1] for path in paths), strict=False):
            if one != other:
                return Path(one).stem, Path(other).stem
    return f"{first} (A)", f"{second} (B)"


class Tables:
    """Two tables, one a system, or one long table with the rows of both; and which column is what."""

    def __init__(self, sources: Sequence[Source], choices: Choices) -> None:
        self.sources, self.choices = sources, choices
        self.system, self.by_line = choices.get("system"), "by_line" in choices
        self.columns = {role: choices[name] for role, name in OF_ROWS.items() if name in choices}

    def outcomes(self, **policies: Any) -> Outcomes:
        """Say which rows are paired, and how."""
        text, value = self.choices.get("text"), self.choices.get("prediction")
        if text is not None:
            known_name("text", text, (name for names in self.known for name in names), "column")
        # In JSON a key may come late, and is looked for while reading.
        if kind_of(self.paths[0][0]) not in ("lines", "json"):
            for argument in (*OF_ROWS.values(), "prediction", "system"):
                if argument in self.choices:
                    known_name(argument, self.choices[argument], self.known[0], "column")
        self._check(value)
        remarks: tuple[str, ...] = ()
        if value is None:
            value = self._guess()
            remarks = (f"{value!r} holds the predictions: it is the only column left",)
        roles = {**self.columns, "value": value, **({"text": text} if text is not None else {})}
        names = self.choices.systems
        if len(names) != 2:
            old, new = paths = [Path(source) for source in self.sources]
            names = tell_apart(old.name.split(".")[0], new.name.split(".")[0], paths)
        first, second = (self._side(name, place, roles) for place, name in enumerate(names))
        return Outcomes(
            source=Joined((first, second), ordered=self.by_line), a=first.name, b=second.name, remarks=remarks,
            about={**made_of(self.columns), "prediction": value}, **policies,
        )  # fmt: skip

    @cached_property
    def paths(self) -> list[list[Path]]:
        """The files of each source."""
        return [find(source) for source in self.sources]

    @cached_property
    def known(self) -> list[list[str]]:
        """The columns of each source."""
        return [columns_of(paths[0]) for paths in self.paths]

    def _side(self, name: str, place: int, roles: Mapping[str, str]) -> Side:
        """Return the rows of a system; a text is in one table at least, and the second need not repeat what the first says."""
        if self.system is not None:
            return Side(name, self.paths[0], roles, (self.system, name))
        maybe = {"text", *(self.columns if place else ())} - {"id"}
        own = {role: column for role, column in roles.items() if role not in maybe or column in self.known[place]}
        return Side(name, self.paths[place], own)

    def _check(self, prediction: str | None) -> None:
        """Refuse what does not say how rows are paired, or contradicts itself."""
        two = len(self.sources) == 2
        if "id" not in self.columns and not self.by_line:
            also = ""
            if prediction is None and len(self._left) > 2:
                also = Message(", and that of the predictions or scores with ", Argument("prediction"))
            named = Message("name its column with ", Argument("id"), also, " (without an id column, ")
            by_line = Message(named, Argument("by_line", True), " pairs rows by line number)")
            raise OptionError("two tables are paired by id: ", by_line, argument="id", remedy=self._few_left)
        if self.by_line and "id" in self.columns:
            remedy = Message("leave out ", Argument("id", bare=True), " or that")
            raise OptionError(Argument("by_line", bare=True), " pairs rows by line number", value=True, remedy=remedy)
        if two and self.system is not None:
            raise OptionError(Argument("system", bare=True), " is for one long table; two tables are one per system")
        if not two and self.system is None:
            remedy = Message("for a long table, name the system column with ", Argument("system"))
            raise OptionError("one table with a column per system is read by compare", argument="system", remedy=remedy)
        if not two and len(self.choices.systems) != 2:
            lacking = "b" if "a" in self.choices else "a"
            raise OptionError(f"name the two systems of the column {self.system!r} with ", *SYSTEMS, argument=lacking)

    @cached_property
    def _left(self) -> list[str]:
        """The columns of the first table that nothing is said about."""
        taken = (*self.columns.values(), self.choices.get("text"), self.system)
        return [name for name in self.known[0] if name not in taken]

    @property
    def _few_left(self) -> str:
        return f"the columns left are: {', '.join(self._left[:20]) or 'none'}{', ...' if len(self._left) > 20 else ''}"

    def _guess(self) -> str:
        """Find the column of the predictions: the only one that nothing else is said about."""
        if len(self._left) != 1 or not answers([Column(name, ()) for name in self._left]):
            asked = "name the column of the predictions or scores with ", Argument("prediction")
            raise OptionError(*asked, argument="prediction", remedy=self._few_left)
        return self._left[0]
