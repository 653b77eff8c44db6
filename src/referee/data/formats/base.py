"""The parts of a format: how a file begins, what was chosen, the runs, how a reader is declared, and which reader recognises a file."""

from __future__ import annotations

import glob
import os
import re
import zipfile
from collections import deque
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from referee.data.engines.files import HEAD, opened, refuse_twice
from referee.data.formats.json_fields import TORN
from referee.data.roles import FILE, OPTIONS, Option
from referee.errors import Argument, ChoiceNeeded, InputError, NotReady, RefereeError, unknown
from referee.registry import Registry, discover
from referee.runtime.bounded_json import loads

Source: TypeAlias = str | os.PathLike[str]
SYSTEMS = (Argument("a"), " and ", Argument("b"))
"""How a message asks for two systems."""
ZIP = b"PK\x03\x04"
"""How a ZIP file begins."""
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{},]', re.DOTALL)
"""What tells where JSON may be cut: brackets and commas, but none in a text."""
CLOSING = {"[": "]", "{": "}"}
DEEPEST = 5
"""How many levels of what is cut are looked into."""
MOST_FILES = 10_000
"""How many files of a folder are looked at."""


@dataclass(frozen=True)
class Opening:
    """A file as recognisers see it: its name, how it begins, and which options were given."""

    path: Path
    given: Container[str] = ()

    @cached_property
    def head(self) -> bytes:
        """The first bytes, unpacked; nothing of a folder."""
        if not self.path.is_file():
            return b""
        with opened(self.path) as file:
            return file.read(HEAD)

    @cached_property
    def first(self) -> Any:
        """The first line as JSON says it; None where it is none."""
        try:
            return loads(self.head.decode("utf-8-sig", "replace").lstrip().partition("\n")[0])
        except (ValueError, RecursionError):
            return None

    @cached_property
    def json(self) -> Any:
        """The beginning as one piece of JSON, as `glimpse` sees it."""
        return glimpse(self.head)

    @property
    def first_json(self) -> Any:
        """The first line as JSON, or else the beginning of the one piece of JSON that the file is."""
        return self.json if self.first is None else self.first

    @cached_property
    def members(self) -> list[str]:
        """The names in a ZIP file; none of any other."""
        if not self.head.startswith(ZIP):
            return []
        try:
            with zipfile.ZipFile(self.path) as packed:
                return packed.namelist()
        except TORN as error:
            invalid = f"it looks like a ZIP file but is not a valid one: {error}"
            raise NotReady(f"cannot read {self.path}: {invalid}") from error


def first_lines(head: bytes, most: int) -> list[bytes]:
    r"""Return the first lines that are not blank, none of them cut; nothing where the bytes are no text.

    >>> first_lines(b"one\r\n\ntwo\nthree\n", 2)
    [b'one', b'two']
    """
    lines = head.removeprefix(b"\xef\xbb\xbf").splitlines() if b"\0" not in head else []
    whole = lines[:-1] if len(head) == HEAD else lines
    return [line for line in whole if line.strip()][:most]


def glimpse(head: bytes) -> Any:
    r"""Return the beginning of a file as one piece of JSON, without what is cut off; None where it is no such thing.

    >>> glimpse(b'{"columns": ["id", "score"], "data": [["x", 1], ["y", ')
    {'columns': ['id', 'score'], 'data': [['x', 1], ['y']]}
    >>> glimpse(b'{"a": 1}\n{"a": 2}\n')
    """
    text = head.decode("utf-8-sig", "replace").strip()
    open_brackets: list[str] = []
    cuts: deque[tuple[int, str]] = deque(maxlen=DEEPEST + 1)  # where it is whole, and what would end it there
    for token in TOKEN.finditer(text):
        if token[0] in CLOSING:
            open_brackets.append(CLOSING[token[0]])
        elif token[0] in CLOSING.values() and open_brackets:
            open_brackets.pop()
        if not open_brackets:
            cuts = deque([(len(text), "")])
            break
        if len(open_brackets) <= DEEPEST and not token[0].startswith('"'):
            cuts.append((token.start() if token[0] == "," else token.end(), "".join(reversed(open_brackets))))
    for place, ends in reversed(cuts):
        with suppress(ValueError, RecursionError):
            return loads(text[:place] + ends)
    return None


def stem(path: Path) -> str:
    """Return the name of a file without its extension, that of the packed one where it is packed.

    >>> stem(Path("runs/old.json.gz"))
    'old'
    """
    return Path(path.name.removesuffix(".gz")).stem


class Choices(dict[str, Any]):
    """What the user chose where a file leaves a choice, by the names of the arguments.

    Args:
        texts: whether it is asked what the items are about, which takes time and room, and is not needed for counting.
        named: arguments of `referee.read`; None where nothing was said.
    """

    def __init__(self, texts: bool = False, /, **named: Any) -> None:
        super().__init__({name: value for name, value in named.items() if value is not None})
        self.texts = texts

    @property
    def systems(self) -> tuple[str, ...]:
        """Which two systems, where one file has several."""
        return tuple(self[name] for name in ("a", "b") if name in self)

    @property
    def shows_text(self) -> bool:
        """Whether rows are to say what the items are about."""
        return self.texts or "text" in self

    def without(self, *names: str) -> Choices:
        """Return the choices with some of them not made."""
        return Choices(self.texts, **{name: value for name, value in self.items() if name not in names})


@dataclass(frozen=True, kw_only=True)
class Run:
    """What one system did on one task.

    Args:
        system: what the system is called.
        task: what it was asked, where a file has several.
        rows: a list for each role, all of one length: "id" (a text, or a number, or a list of both) and "value" (a score, a label,
            or None where the system gave none); maybe "truth", "group", "check" (a hash of what was asked, which must agree
            between two runs), "likeness" (how what was asked begins, of which it is said where it does not agree) and "repeat"
            (the number of a repetition, where an id has several rows). Where `choices.shows_text` asks for it, "text" (what an
            item is about), "called" (its id in words), "target" (the right answer, where the value is a score) and "response" (what
            the system wrote).
        notes: what the file was taken for.
        warnings: what whoever reads the result has to know: a run that was cut off, items that failed.
        ordered: whether an id is no more than the place in the file.
        open: whether rows are responses, which have no true negatives.
        chosen: which score, filter or scorer of the file it is, by the names of the options.
        noun: what one of the ids is called, if that is not an example: "query".
    """

    system: str
    task: str = ""
    rows: Mapping[str, Sequence[Any]]
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    ordered: bool = False
    open: bool = False
    chosen: Mapping[str, str] = field(default_factory=dict)
    noun: str = ""


ReadRuns: TypeAlias = Callable[[Path, Choices], list[Run]]


@dataclass(eq=False)
class Reader:
    """How files of one kind are recognised and read; as a decorator it registers the function that reads them.

    This and the function under it are all that a new format needs.

    Args:
        name: what such files are called in messages.
        recognises: says of an `Opening` whether it is such a file; it must be sure, and must not raise.
        roles: the columns, or keys of an item, that may be named: "id", "prediction", "truth", "group", "text".
        options: what else may be chosen; `referee.read`, the command line and the page take them from here.
        table: returns the columns of a file that is a table, which may have both systems.
        beside: names of files that lie beside such files and are passed over in a folder.
    """

    name: str
    _: KW_ONLY
    recognises: Callable[[Opening], bool]
    roles: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    table: Callable[[Path], Mapping[str, Sequence[Any]]] | None = None
    beside: tuple[str, ...] = ()
    read: ReadRuns = field(init=False)

    def __call__(self, function: ReadRuns) -> ReadRuns:
        """Register the function that reads the runs of a file."""
        self.read = function
        READERS.add(self.name, self)
        return function

    @property
    def chooses(self) -> list[str]:
        """The arguments of `referee.read` that have a meaning for it."""
        return [*self.roles, *(option.name for option in self.options)]


reader = Reader
READERS: Registry[Reader] = Registry("format")


def columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return the rows of a run, of which each has the same roles, as a list for each role."""
    return {role: [row[role] for row in rows] for role in rows[0]}


def known_name(argument: str, given: str, known: Iterable[str], what: str | None = None) -> str:
    """Return a name that the user gave.

    Args:
        argument: the argument that it was given as.
        given: the name.
        known: those that there are.
        what: what they are; the argument's name if left out.

    Raises:
        NameUnknown: if there is none of that name.
    """
    names = dict.fromkeys(known)
    if given not in names:
        raise unknown(what or argument, given, names, argument)
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
        NameUnknown: if there is none of that name.
    """
    known = {argument: list(dict.fromkeys(own)) for argument, own in {name: names, **(then or {})}.items()}
    several = [argument for argument, own in known.items() if argument not in choices and len(own) > 1]
    for argument in known if name in several else [name]:
        kind = (what or name) if argument == name else argument
        if argument in choices:
            known_name(argument, choices[argument], known[argument], kind)
        elif not known[argument]:
            raise InputError(f"{where} has no {kind}")
    if name not in several:
        return choices.get(name) or known[name][0]
    if len(several) == 1:
        shown = f"{what or name}s: {', '.join(known[name])}; name one"
    else:
        shown = " and ".join(f"{one}s ({', '.join(known[one])})" for one in several) + "; name one of each"
    parts = [part for argument in several for part in (" and ", Argument(argument))]
    example = {argument: known[argument][0] for argument in several}
    raise ChoiceNeeded(f"{where} has several {shown} with ", *parts[1:], arguments=example)


def format_options() -> list[Option]:
    """Return the options that formats declare for themselves; first those that name one of several."""
    discover("referee.data.formats", without=("logs", "pairing", "plain_tables"))
    options = {option.name: option for _, reader in READERS.items() for option in reader.options}
    own = [option for name, option in options.items() if name not in OPTIONS]
    return sorted(own, key=lambda option: (not option.of_several, option.metavar, option.name))


def recognise(path: Path, given: Container[str] = ()) -> tuple[Reader | None, list[Path]]:
    """Say which reader knows a file, or the files in a folder; None where it is a table, or nothing known.

    Args:
        path: a file, a folder or a pattern.
        given: the options that were given, of which some say what a file is.

    Returns:
        The reader, and the files that it is to read.

    Raises:
        InputError: if there is no such file, or a folder has runs of several kinds.
    """
    discover("referee.data.formats", without=("logs", "pairing", "plain_tables"))
    if path.is_dir():
        return _of_one_kind(path, sorted(file for file in path.rglob("*") if not file.name.startswith(".")), given)
    if not path.exists() and any(sign in path.name for sign in "*?["):
        return _of_one_kind(path, [Path(file) for file in sorted(glob.glob(str(path)))], given)  # noqa: PTH207 - a pattern
    return (_known(Opening(path, given)) if path.is_file() else None), [path]


def files_of(source: Source, given: Container[str] = ()) -> list[Path]:
    """Return the files that reading a source looks into: itself, or those of a folder or a pattern, and what lies beside them.

    A source that cannot be read has none; whoever reads it says why.

    Args:
        source: a file, a folder or a pattern.
        given: the options that were given, as for `recognise`.
    """
    from referee.data.engines.tables import find

    try:
        reader, paths = recognise(Path(source), given)
        if reader is None:
            return find(source)
    except RefereeError:
        return [Path(source)]
    return [*paths, *(path.with_name(name) for path in paths for name in reader.beside)]


def files_in(named: str) -> list[str]:
    """Return the files that an option names: one, whose name may have commas, or several with commas between them.

    >>> files_in("first.txt, second.txt")
    ['first.txt', 'second.txt']
    """
    return [named] if Path(named).is_file() else [one.strip() for one in named.split(",")]


def files_beside(choices: Mapping[str, Any]) -> list[str]:
    """Return the files that are read beside the data, as options of formats name them."""
    named = (choices.get(option.name) for option in format_options() if option.metavar == FILE)
    return [file for one in named if one is not None for file in files_in(one)]


def _of_one_kind(path: Path, files: Sequence[Path], given: Container[str]) -> tuple[Reader | None, list[Path]]:
    """Return the reader that knows files, and those that it knows."""
    seen = {file: _known(Opening(file, given)) for file in [file for file in files if file.is_file()][:MOST_FILES]}
    known = {file: reader for file, reader in seen.items() if reader is not None and file.name not in reader.beside}
    names = {reader.name for reader in known.values()}
    if len(names) > 1:
        raise InputError(f"{path} has files of several kinds: {', '.join(sorted(names))}; name the files of one")
    refuse_twice(known, f"the runs in {path} would be counted twice: name its files, or remove one")
    return (next(iter(known.values())), list(known)) if known else (None, [path])


def _known(opening: Opening) -> Reader | None:
    return next((reader for _, reader in READERS.items() if reader.recognises(opening)), None)
