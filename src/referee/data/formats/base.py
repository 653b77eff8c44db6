"""Run: what one system did, an item a row; and how a reader of such files is registered."""

from __future__ import annotations

import math
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from referee.data.engines.files import opened
from referee.errors import ChoiceNeeded, InputError, unknown
from referee.registry import Registry
from referee.runtime.bounded_json import loads

HEAD = 1 << 16
"""How many bytes of a file are looked at to see what it is."""
LARGEST, LONGEST = 1 << 31, 1 << 28
"""The largest file, unpacked, that is read as one piece of JSON, and the longest line, in bytes."""
TORN = (zipfile.BadZipFile, OSError, EOFError, ValueError, RuntimeError, OverflowError, struct.error, zlib.error)
"""What a ZIP file that is none, or none any more, raises; NotImplementedError is a RuntimeError."""
BROKEN = (OSError, EOFError, zlib.error)
"""What a file that cannot be read, or unpacked, raises."""


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What the user chose where a file leaves a choice; None where nothing was said."""

    id: str | None = None
    prediction: str | None = None
    truth: str | None = None
    group: str | None = None
    metric: str | None = None
    """The name of the score, where a file has several."""
    filter: str | None = None
    scorer: str | None = None
    universe: str | None = None
    """A file with all the ids, where a list names only those that were solved."""
    unit: str | None = None
    """What is resampled: "response", "sentence" or "document"."""
    systems: tuple[str, ...] = ()
    """Which two systems, where one file has several."""
    text: str | None = None
    """Where an item says what it is about, where that is not obvious."""
    texts: bool = False
    """Whether it is asked what the items are about, which takes time and room, and is not needed for counting."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """What one system did on one task.

    `rows` has a list for each role, all of one length: "id" (a text, or a number, or a list of both) and "value" (a score,
    a label, or None where the system gave none); maybe "truth", "group", "check" (a hash of what was asked, which must agree
    between two runs), "likeness" (how what was asked begins, of which it is said where it does not agree) and "repeat" (the number of a repetition, where an id has several rows).
    Where `choices.texts` asks for it, "text" (what an item is about) and "called" (its id in words).
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


@dataclass(frozen=True)
class Opening:
    """A file as recognisers see it: its name, and how it begins."""

    path: Path

    @cached_property
    def head(self) -> bytes:
        """The first bytes, unpacked; nothing of a folder."""
        if not self.path.is_file():
            return b""
        try:
            with opened(self.path) as file:
                return file.read(HEAD)
        except BROKEN as error:
            raise InputError(f"cannot read {self.path}: {error}") from error

    @cached_property
    def first(self) -> Any:
        """The first line as JSON says it, or the whole file where it is one short piece of JSON; None where it is neither."""
        text = self.head.decode("utf-8-sig", "replace").lstrip()
        for candidate in (text.partition("\n")[0], text):
            try:
                return loads(candidate)
            except (ValueError, RecursionError):
                continue
        return None

    @cached_property
    def members(self) -> list[str]:
        """The names in a ZIP file; none of any other."""
        if not self.head.startswith(b"PK\x03\x04"):
            return []
        try:
            with zipfile.ZipFile(self.path) as packed:
                return packed.namelist()
        except TORN as error:
            raise InputError(f"cannot read {self.path}: it begins like a ZIP file, but is none: {error}") from error


Recogniser: TypeAlias = Callable[[Opening], bool]
ReadRuns: TypeAlias = Callable[[Path, Choices], list[Run]]


@dataclass(frozen=True)
class Reader:
    """How files of one kind are recognised and read."""

    name: str
    looks_for: str
    """In a few words, what such a file has, for the message where no reader knows a file."""
    recognises: Recogniser
    read: ReadRuns
    chooses: tuple[str, ...] = field(default=())
    """The choices that have a meaning for it."""
    table: Callable[[Path], Mapping[str, Sequence[Any]]] | None = None
    """Of files that are tables, which may have both systems: their columns by name."""
    beside: tuple[str, ...] = ()
    """Names of files that lie beside such files and are passed over in a folder."""


READERS: Registry[Reader] = Registry("format")


def reader(
    name: str,
    *,
    looks_for: str,
    recognises: Recogniser,
    chooses: tuple[str, ...] = (),
    table: Callable[[Path], Mapping[str, Sequence[Any]]] | None = None,
    beside: tuple[str, ...] = (),
) -> Callable[[ReadRuns], ReadRuns]:
    """Register a reader: this decorator and the function under it are all that a new format needs.

    Args:
        name: what such files are called in messages.
        looks_for: in a few words, what such a file has.
        recognises: says of an `Opening` whether it is such a file; it must be sure, and must not raise.
        chooses: the fields of `Choices` that have a meaning for it.
        table: returns the columns of a file that is a table, which may have both systems.
        beside: names of files that lie beside such files and are passed over in a folder.
    """

    def register(function: ReadRuns) -> ReadRuns:
        READERS.add(name, Reader(name, looks_for, recognises, function, chooses, table, beside))
        return function

    return register


def load_json(path: Path) -> Any:
    """Read a file that is one piece of JSON; NaN and Infinity, which are none, become None.

    Raises:
        InputError: where it is no JSON, too deep, or too large.
    """
    try:
        with opened(path) as file:
            data = file.read(LARGEST + 1)
    except BROKEN as error:
        raise InputError(f"cannot read {path}: {error}") from error
    if len(data) > LARGEST:
        raise InputError(f"{path} is larger than {LARGEST >> 30} GB unpacked; as one piece of JSON that is not read")
    return parse_json(data, str(path))


def parse_json(data: bytes | str, where: str) -> Any:
    """Parse one piece of JSON.

    Raises:
        InputError: where it is none.
    """
    try:
        text = data.decode("utf-8-sig") if isinstance(data, bytes) else data
        return loads(text, parse_constant=lambda _: None)
    except UnicodeDecodeError as error:
        raise InputError(f"{where} is not UTF-8 text; save it as UTF-8") from error
    except RecursionError as error:
        raise InputError(f"{where} is JSON that is nested too deeply to be read") from error
    except ValueError as error:
        raise InputError(f"{where} is not JSON: {error}") from error


def text_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a text file with their numbers, without their ends.

    Raises:
        InputError: where the file cannot be read, or a line is too long.
    """
    try:
        with opened(path) as file:
            place = 0
            while line := file.readline(LONGEST + 1):
                place += 1
                if len(line) > LONGEST:
                    raise InputError(
                        f"line {place} of {path} is longer than {LONGEST >> 20} MB; that is no line of a table"
                    )
                yield place, line.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r\n") if place == 1 else line.rstrip(b"\r\n")
    except BROKEN as error:
        raise InputError(f"cannot read {path}: {error}") from error


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a JSON lines file with their line numbers.

    Raises:
        InputError: with the line, where one is no JSON object.
    """
    for place, line in text_lines(path):
        if not line.strip():
            continue
        found = parse_json(line, f"line {place} of {path}")
        if not isinstance(found, dict):
            raise InputError(f"line {place} of {path} is not a JSON object")
        yield place, found


@dataclass(frozen=True)
class Choice:
    """One of several that a file has: what they are, by which argument one is named, and which one was."""

    what: str
    argument: str
    found: Sequence[str]
    given: str | None

    @cached_property
    def known(self) -> list[str]:
        """The distinct names there are."""
        return list(dict.fromkeys(self.found))

    @property
    def is_open(self) -> bool:
        """Whether there are several, and none was named."""
        return self.given is None and len(self.known) > 1

    def made(self, where: object) -> str:
        """Return the one that is meant: the only one, or the one that the user named."""
        if self.given is not None and self.given not in self.known:
            raise unknown(self.what, self.given, self.known)
        if not self.known:
            raise InputError(f"{where} has no {self.what}")
        return self.known[0] if self.given is None else self.given


def choose(what: str, argument: str, found: Sequence[str], given: str | None, where: object) -> str:
    """Return the one that is meant: the only one, or the one that the user named.

    Raises:
        ChoiceNeeded: where there are several and none was named.
        NameUnknown: where there is none of that name.
    """
    return choose_each(where, Choice(what, argument, found, given))[0]


def choose_each(where: object, *choices: Choice) -> list[str]:
    """Return of each choice the one that is meant; all that are still to be made are asked for at once.

    Raises:
        ChoiceNeeded: where there are several and none was named.
        NameUnknown: where there is none of that name.
    """
    still = [one for one in choices if one.is_open]
    made = [one.made(where) for one in choices]
    if not still:
        return made
    example = {one.argument: one.known[0] for one in still}
    if len(still) == 1:
        several = f"{still[0].what}s: {', '.join(still[0].known)}; name one"
    else:
        several = " and ".join(f"{one.what}s ({', '.join(one.known)})" for one in still) + "; name one of each"
    raise ChoiceNeeded(
        f"{where} has several {several} with {' and '.join(f'--{name}' for name in example)}", arguments=example
    )


def number(value: Any, what: str) -> float | None:
    """Return a score as a number: true is 1, false 0, nothing (and NaN) None.

    Raises:
        InputError: where it is something else, or has no end.
    """
    if value is None or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, bool | int | float):
        try:
            found = float(value)
        except OverflowError:
            found = math.inf
        if math.isfinite(found):
            return found
        raise InputError(f"{what} is too large for a number")
    shown = repr(value[:60]) if isinstance(value, str) else type(value).__name__
    raise InputError(f"{what} is {shown}, not a number")
