"""What a file is: how it begins, wherever that is cut off, and which of the formats in this folder knows it."""

from __future__ import annotations

import glob
import importlib
import json
import lzma
import pkgutil
import re
import struct
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from referee.data.engines.files import HEAD, opened, refuse_twice
from referee.data.formats.base import READERS, Reader, Source
from referee.data.formats.json_fields import BROKEN
from referee.data.roles import OPTIONS, Option
from referee.errors import InputError, RefereeError
from referee.runtime.bounded_json import loads

ZIP = b"PK\x03\x04"
"""How a ZIP file begins."""
TORN = (zipfile.BadZipFile, ValueError, RuntimeError, OverflowError, struct.error, lzma.LZMAError, *BROKEN)
"""What a ZIP file that is none, is damaged, or packed in a way that nobody here knows raises."""
OTHERS = ("base", "detect", "json_fields", "pairing", "plain_tables", "zip_json")
"""Modules of this folder that are no formats."""
MOST_FILES = 10_000
"""How many files of a folder are looked at."""
DECODER = json.JSONDecoder()
DEEPEST = 5
"""How many levels of what is cut are looked into; each is read once more."""
BLANK = re.compile(r"[ \t\r\n]*")


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
            raise InputError(f"cannot read {self.path}: it begins like a ZIP file, but is none: {error}") from error


def stem(path: Path) -> str:
    """Return the name of a file without its extension, that of the packed one where it is packed.

    >>> stem(Path("runs/old.json.gz"))
    'old'
    """
    return Path(path.name.removesuffix(".gz")).stem


def first_lines(head: bytes, most: int) -> list[bytes]:
    r"""Return the first lines that are not blank, none of them cut; nothing where the bytes are no text.

    >>> first_lines(b"one\r\n\ntwo\nthree\n", 2)
    [b'one', b'two']
    """
    if b"\0" in head:
        return []
    lines = head.removeprefix(b"\xef\xbb\xbf").splitlines()
    whole = lines[:-1] if len(head) == HEAD else lines
    return [line for line in whole if line.strip()][:most]


def glimpse(head: bytes) -> Any:
    r"""Return the beginning of a file as one piece of JSON, without what is cut off; None where it is no such thing.

    >>> glimpse(b'{"columns": ["id", "score"], "data": [["x", 1], ["y", ')
    {'columns': ['id', 'score'], 'data': [['x', 1], ['y']]}
    >>> glimpse(b'{"a": 1}\n{"a": 2}\n')
    """
    text = head.decode("utf-8-sig", "replace")
    try:
        value, end = _value(text, _skip(text, 0))
    except ValueError:
        return None
    return value if end == len(text) else None


def _skip(text: str, at: int) -> int:
    blank = BLANK.match(text, at)
    return blank.end() if blank else at


def _value(text: str, at: int, depth: int = 0) -> tuple[Any, int]:
    """Return the value at a place and where the next thing is; a list or an object that is cut has what came before.

    Raises:
        ValueError: where there is none.
    """
    try:
        value, end = DECODER.raw_decode(text, at)
    except (ValueError, RecursionError) as error:  # what is too deep is as good as cut
        if depth < DEEPEST and text[at : at + 1] in ("[", "{"):
            return _cut(text, at, depth + 1), len(text)
        raise ValueError from error
    return value, _skip(text, end)


def _cut(text: str, at: int, depth: int) -> list[Any] | dict[str, Any]:
    """Return what is whole of a list or an object that begins at a place."""
    keyed = text[at] == "{"
    values: list[tuple[Any, Any]] = []
    name, comma = None, ","
    try:
        while comma == ",":
            at = _skip(text, at + 1)
            if keyed:
                name, at = _value(text, at, DEEPEST)
                if not isinstance(name, str) or text[at : at + 1] != ":":
                    break
                at = _skip(text, at + 1)
            value, at = _value(text, at, depth)
            values.append((name, value))
            comma = text[at : at + 1]
    except ValueError:
        pass  # here it is cut
    return dict(values) if keyed else [value for _, value in values]


def load_formats() -> None:
    """Import the formats of this folder, which then are in the registry."""
    import referee.data.formats as package

    for module in pkgutil.iter_modules(package.__path__):
        if module.name not in OTHERS:
            importlib.import_module(f"{package.__name__}.{module.name}")


def format_options() -> list[Option]:
    """Return the options that formats declare for themselves; first those that name one of several."""
    load_formats()
    options = {option.name: option for _, reader in READERS.items() for option in reader.options}
    own = [option for name, option in options.items() if name not in OPTIONS]
    return sorted(own, key=lambda option: (not option.of_several, option.metavar, option.name))


def recognise(path: Path) -> tuple[Reader | None, list[Path]]:
    """Say which reader knows a file, or the files in a folder; None where it is a table, or nothing known.

    Returns:
        The reader, and the files that it is to read.

    Raises:
        InputError: where there is no such file, or a folder has runs of several kinds.
    """
    load_formats()
    if path.is_dir():
        return _of_one_kind(path, sorted(file for file in path.rglob("*") if not file.name.startswith(".")))
    if not path.exists() and any(sign in path.name for sign in "*?["):
        return _of_one_kind(path, [Path(file) for file in sorted(glob.glob(str(path)))])  # noqa: PTH207 - a pattern
    return (_known(path) if path.is_file() else None), [path]


def files_of(source: Source) -> list[Path]:
    """Return the files that reading a source looks into: itself, or those of a folder or a pattern, and what lies beside them.

    A source that cannot be read has none; whoever reads it says why.
    """
    from referee.data.engines.tables import find

    try:
        reader, paths = recognise(Path(source))
        if reader is None:
            return find(source)
    except RefereeError:
        return [Path(source)]
    return [*paths, *(path.with_name(name) for path in paths for name in reader.beside)]


def _of_one_kind(path: Path, files: Sequence[Path]) -> tuple[Reader | None, list[Path]]:
    """Return the reader that knows files, and those that it knows."""
    seen = {file: _known(file) for file in [file for file in files if file.is_file()][:MOST_FILES]}
    known = {file: reader for file, reader in seen.items() if reader is not None and file.name not in reader.beside}
    names = {reader.name for reader in known.values()}
    if len(names) > 1:
        raise InputError(f"{path} has files of several kinds: {', '.join(sorted(names))}; name the files of one")
    refuse_twice(known, f"the runs in {path} would be counted twice: name its files, or remove one")
    return (next(iter(known.values())), list(known)) if known else (None, [path])


def _known(path: Path) -> Reader | None:
    opening = Opening(path)
    return next((reader for _, reader in READERS.items() if reader.recognises(opening)), None)
