"""Run: what one system did, an item a row; and how a reader of such files is registered, with options of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from referee.data.roles import Option
from referee.errors import Argument, ChoiceNeeded, InputError, unknown
from referee.registry import Registry

if TYPE_CHECKING:
    from referee.data.formats.detect import Opening

Source: TypeAlias = str | os.PathLike[str]
SYSTEMS = (Argument("a"), " and ", Argument("b"))
"""How a message asks for two systems."""


class Choices:
    """What the user chose where a file leaves a choice, by the names of the arguments.

    Args:
        texts: whether it is asked what the items are about, which takes time and room, and is not needed for counting.
        named: arguments of `referee.read`; None where nothing was said.
    """

    def __init__(self, texts: bool = False, /, **named: str | None) -> None:
        self.texts = texts
        self.named = {name: value for name, value in named.items() if value is not None}

    def get(self, name: str) -> str | None:
        """Return what was said under a name; None where nothing was."""
        return self.named.get(name)

    @property
    def systems(self) -> tuple[str, ...]:
        """Which two systems, where one file has several."""
        return tuple(self.named[name] for name in ("a", "b") if name in self.named)

    @property
    def shows_text(self) -> bool:
        """Whether rows are to say what the items are about."""
        return self.texts or "text" in self.named

    def without(self, *names: str) -> Choices:
        """Return the choices with some of them not made."""
        return Choices(self.texts, **{name: value for name, value in self.named.items() if name not in names})


@dataclass(frozen=True, kw_only=True)
class Run:
    """What one system did on one task.

    `rows` has a list for each role, all of one length: "id" (a text, or a number, or a list of both) and "value" (a score,
    a label, or None where the system gave none); maybe "truth", "group", "check" (a hash of what was asked, which must agree
    between two runs), "likeness" (how what was asked begins, of which it is said where it does not agree) and "repeat" (the
    number of a repetition, where an id has several rows).
    Where `choices.shows_text` asks for it, "text" (what an item is about) and "called" (its id in words).
    """

    system: str
    task: str = ""
    rows: Mapping[str, Sequence[Any]]
    notes: tuple[str, ...] = ()
    """What the file was taken for."""
    warnings: tuple[str, ...] = ()
    """What whoever reads the result has to know: a run that was cut off, items that failed."""
    ordered: bool = False
    """Whether an id is no more than the place in the file."""
    open: bool = False
    """Whether rows are responses, which have no true negatives."""
    chosen: Mapping[str, str] = field(default_factory=dict)
    """Which score, filter or scorer of the file it is, by the names of the options."""


Recogniser: TypeAlias = "Callable[[Opening], bool]"
ReadRuns: TypeAlias = Callable[[Path, Choices], list[Run]]
ReadTable: TypeAlias = Callable[[Path], Mapping[str, Sequence[Any]]]


@dataclass(frozen=True)
class Reader:
    """How files of one kind are recognised and read; the decorator `reader` says what the fields are."""

    name: str
    read: ReadRuns
    looks_for: str
    recognises: Recogniser
    roles: tuple[str, ...]
    options: tuple[Option, ...]
    table: ReadTable | None
    beside: tuple[str, ...]

    @property
    def chooses(self) -> list[str]:
        """The arguments of `referee.read` that have a meaning for it."""
        return [*self.roles, *(option.name for option in self.options)]


READERS: Registry[Reader] = Registry("format")


def reader(
    name: str,
    *,
    looks_for: str,
    recognises: Recogniser,
    roles: tuple[str, ...] = (),
    options: tuple[Option, ...] = (),
    table: ReadTable | None = None,
    beside: tuple[str, ...] = (),
) -> Callable[[ReadRuns], ReadRuns]:
    """Register a reader: this decorator and the function under it are all that a new format needs.

    Args:
        name: what such files are called in messages.
        looks_for: in a few words, what such a file has, for the message where no reader knows a file.
        recognises: says of an `Opening` whether it is such a file; it must be sure, and must not raise.
        roles: the columns, or keys of an item, that may be named: "id", "prediction", "truth", "group", "text".
        options: what else may be chosen; `referee.read`, the command line and the page take them from here.
        table: returns the columns of a file that is a table, which may have both systems.
        beside: names of files that lie beside such files and are passed over in a folder.
    """

    def register(function: ReadRuns) -> ReadRuns:
        READERS.add(name, Reader(name, function, looks_for, recognises, roles, options, table, beside))
        return function

    return register


def columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return the rows of a run, of which each has the same roles, as a list for each role."""
    return {role: [row[role] for row in rows] for role in rows[0]}


def known_name(what: str, given: str, known: Iterable[str]) -> str:
    """Return a name that the user gave.

    Raises:
        NameUnknown: where there is none of that name.
    """
    names = dict.fromkeys(known)
    if given not in names:
        raise unknown(what, given, names)
    return given


def choose(
    name: str,
    names: Iterable[str],
    choices: Choices,
    where: object,
    what: str | None = None,
    then: Mapping[str, Iterable[str]] | None = None,
) -> str:
    """Return the one that is meant: the only one, or the one that the user named.

    Args:
        name: the argument that names it.
        names: those that a file has.
        choices: what the user named.
        where: the file, for messages.
        what: what they are; the argument's name if left out.
        then: by argument, what else there is to choose; it is asked for at once, where one has to be chosen.

    Raises:
        ChoiceNeeded: where there are several and none was named.
        NameUnknown: where there is none of that name.
    """
    known = {argument: list(dict.fromkeys(those)) for argument, those in {name: names, **(then or {})}.items()}
    kinds = {argument: argument for argument in known} | {name: what or name}
    several = {one: those for one, those in known.items() if choices.get(one) is None and len(those) > 1}
    for argument in known if name in several else [name]:
        given = choices.get(argument)
        if given is not None:
            known_name(kinds[argument], given, known[argument])
        elif not known[argument]:
            raise InputError(f"{where} has no {kinds[argument]}")
    if name not in several:
        return choices.named.get(name, known[name][0])
    if len(several) == 1:
        shown = f"{kinds[name]}s: {', '.join(known[name])}; name one"
    else:
        shown = " and ".join(f"{one}s ({', '.join(those)})" for one, those in several.items()) + "; name one of each"
    parts = [part for argument in several for part in (" and ", Argument(argument))]
    raise ChoiceNeeded(
        f"{where} has several {shown} with ", *parts[1:], arguments={one: those[0] for one, those in several.items()}
    )
