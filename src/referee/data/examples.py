"""Looks: the data once more, for the examples on which two systems differ."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from referee.data.engines.differing import Example, Sense
from referee.data.engines.files import Mark, marks_of
from referee.data.engines.sides import Joined, Side
from referee.data.outcomes import Outcomes
from referee.errors import InputError, RefereeError


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
            from referee.data import engines

            engines.check_text(outcomes.source, outcomes.text, outcomes.a)
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
        for side in outcomes.source.sides:
            yield from () if isinstance(side.source, Mapping) else side.source
    yield from getattr(outcomes.again, "files", ())
