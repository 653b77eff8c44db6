"""Plain tables: two, one a system, or one long table with the rows of both; which of their rows are paired, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from referee.data.column_guesses import Column, answers
from referee.data.engines.base import Joined, Side
from referee.data.engines.files import kind_of
from referee.data.engines.tables import columns_of, find
from referee.data.formats.base import SYSTEMS, Choices, Source, known_name
from referee.data.outcomes import Outcomes, made_of
from referee.errors import Argument, Message, OptionError

CHOICES = ("id", "prediction", "truth", "group", "text")
"""What may be chosen of tables, as of logs."""


def tell_apart(first: str, second: str, paths: Sequence[Path]) -> tuple[str, str]:
    """Return what two systems are called, told apart by their paths where they are called the same."""
    if first != second:
        return first, second
    if len(paths) == 2:
        for one, other in zip(*(path.resolve().parts[::-1] for path in paths), strict=False):
            if one != other:
                return Path(one).stem, Path(other).stem
    return f"{first} (A)", f"{second} (B)"


@dataclass(frozen=True)
class Tables:
    """Two tables, one a system, or one long table with the rows of both; and which column is what."""

    sources: Sequence[Source]
    columns: Mapping[str, str]
    """By role, what the rows of both systems have."""
    choices: Choices
    system: str | None
    """Of a long table: the column that says whose row it is."""
    by_line: bool

    def outcomes(self, **policies: Any) -> Outcomes:
        """Say which rows are paired, and how."""
        texts = self._texts()
        prediction = self.choices.get("prediction")
        # In JSON a key may come late, and is looked for while reading.
        if kind_of(self.paths[0][0]) not in ("lines", "json"):
            for name in (*self.columns.values(), prediction, self.system):
                if name is not None:
                    known_name("column", name, columns_of(self.paths[0][0]))
        self._check(prediction)
        remarks: list[str] = []
        value = prediction or self._guess(remarks)
        if self.system is not None:
            only = [(self.system, name) for name in self.choices.systems]
            sides = [Side(one[1], self.paths[0], {**self.columns, "value": value, **texts[0]}, one) for one in only]
        else:
            names = self.choices.systems if len(self.choices.systems) == 2 else self._file_names()
            sides = [
                Side(name, own, {**self._present(own), "value": value, **text})
                for name, own, text in zip(names, self.paths, texts, strict=True)
            ]
        return Outcomes(
            source=Joined(sides[0], sides[1], ordered=self.by_line), a=sides[0].name, b=sides[1].name,
            remarks=tuple(remarks), about={**made_of(self.columns), "prediction": value}, **policies,
        )  # fmt: skip

    @cached_property
    def paths(self) -> list[list[Path]]:
        """The files of each source."""
        return [find(source) for source in self.sources]

    def _check(self, prediction: str | None) -> None:
        """Refuse what does not say how rows are paired, or contradicts itself."""
        if "id" not in self.columns and not self.by_line:
            also = ""
            if prediction is None and len(self._left) > 2:
                also = Message(", and that of the predictions or scores with ", Argument("prediction"))
            raise OptionError(
                "two tables are paired by id: name its column with ", Argument("id"), also,
                " (for tables without an id, ", Argument("by_line", True), " pairs them by the places of their rows, "
                f"and says so); the columns left are: {self._few_left}",
            )  # fmt: skip
        if self.by_line and "id" in self.columns:
            raise OptionError("by_line pairs rows by their places; leave id out, or by_line")
        if len(self.sources) == 2 and self.system is not None:
            raise OptionError(Argument("system"), " is for one long table; two tables are one a system")
        if len(self.sources) == 1 and self.system is None:
            raise OptionError(
                "one table with a column a system is read by compare; of a long table name the column with ",
                Argument("system"),
            )
        if len(self.sources) == 1 and len(self.choices.systems) != 2:
            raise OptionError(f"name the two systems of the column {self.system!r} with ", *SYSTEMS)

    @cached_property
    def _left(self) -> list[str]:
        """The columns of the first table that nothing is said about."""
        taken = (*self.columns.values(), self.choices.get("text"), self.system)
        return [name for name in columns_of(self.paths[0][0]) if name not in taken]

    @property
    def _few_left(self) -> str:
        return f"{', '.join(self._left[:20]) or 'none'}{', ...' if len(self._left) > 20 else ''}"

    def _guess(self, remarks: list[str]) -> str:
        """Find the column of the predictions: the only one that nothing else is said about."""
        if len(self._left) != 1 or not answers([Column(name, ()) for name in self._left]):
            raise OptionError(
                "name the column of the predictions or scores with ",
                Argument("prediction"),
                f"; the columns left are: {self._few_left}",
            )
        remarks.append(f"{self._left[0]!r} holds the predictions, the column that nothing else is said about")
        return self._left[0]

    def _texts(self) -> list[dict[str, str]]:
        """Return of each table the column of texts, where it has one.

        Raises:
            NameUnknown: where none has.
        """
        text = self.choices.get("text")
        if text is None:
            return [{} for _ in self.paths]
        known = [columns_of(own[0]) for own in self.paths]
        known_name("column", text, (name for names in known for name in names))
        return [{"text": text} if text in names else {} for names in known]

    def _present(self, paths: Sequence[Path]) -> dict[str, str]:
        """Return the columns of a table that are wanted; the second need not repeat what the first says."""
        if paths is self.paths[0]:
            return dict(self.columns)
        known = columns_of(paths[0])
        return {role: name for role, name in self.columns.items() if role == "id" or name in known}

    def _file_names(self) -> tuple[str, str]:
        paths = [Path(source) for source in self.sources]
        first, second = (path.name.split(".")[0] for path in paths)
        return tell_apart(first, second, paths)
