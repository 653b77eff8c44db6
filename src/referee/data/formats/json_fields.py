"""JSON from files, also within a ZIP file, with size limits; the checks that readers make on its values, and their messages."""

from __future__ import annotations

import io
import json
import lzma
import math
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from referee.data.engines.files import BROKEN, opened
from referee.errors import InputError, NotReady
from referee.runtime.bounded_json import loads

LARGEST, LONGEST = 1 << 31, 1 << 28
"""The largest file, unpacked, that is read as one piece of JSON, and the longest line, in bytes."""
TORN = (zipfile.BadZipFile, ValueError, RuntimeError, OverflowError, struct.error, lzma.LZMAError, *BROKEN)
"""What a ZIP file that is none, is damaged, or packed in a way that nobody here knows raises."""
TYPES: Mapping[str, tuple[type, ...]] = {
    "a text": (str,),
    "a whole number": (int,),
    "a text or a whole number": (str, int),
    "a text or a number": (str, int, float, bool),
    "a JSON object": (dict,),
    "a list": (list,),
}
"""What a value may have to be, in words, and the types that it then has in Python."""
SUSPECT, RATIO = 100 << 20, 200
"""From this size on, in bytes, a member that is this many times larger than it was packed is taken for a bomb."""
ZSTANDARD = 93
"""The method of packing that `zipfile` knows only since Python 3.14; DuckDB has always known it."""
LOCAL_HEADER = struct.Struct("<4s5H3I2H")
"""What stands before a packed member: last the lengths of its name and of its extra field."""
LENIENT = json.JSONDecoder(parse_constant=lambda _: None)
"""NaN and Infinity, which are no JSON, become None."""
SHOWN = 60
"""How many characters of a value a message shows."""


def load_json(path: Path) -> Any:
    """Read a file that is one piece of JSON; NaN and Infinity, which are none, become None.

    Raises:
        InputError: if it is no JSON, too deep, or too large.
    """
    with opened(path) as file:
        data = file.read(LARGEST + 1)
    check_size(len(data), path)
    return parse_json(data, path)


def check_size(size: int, where: object) -> None:
    """Refuse a piece of JSON that would fill the memory."""
    if size > LARGEST:
        raise InputError(f"{where} is larger than {LARGEST >> 30} GB unpacked, too large to read as one piece of JSON")


def parse_json(data: bytes | str, where: object) -> Any:
    """Parse one piece of JSON.

    Raises:
        InputError: if it is none.
    """
    text = decoded(data, where).removeprefix("\ufeff") if isinstance(data, bytes) else data
    try:
        return loads(text, LENIENT)
    except RecursionError as error:
        raise InputError(f"{where} is JSON that is nested too deeply to read") from error
    except ValueError as error:
        raise NotReady(f"{where} is not JSON: {error}") from error


def text_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a text file with their numbers, without their ends.

    Raises:
        InputError: if the file cannot be read, or a line is too long.
    """
    with opened(path) as file:
        for place, line in enumerate(iter(partial(file.readline, LONGEST + 1), b""), 1):
            if len(line) > LONGEST:
                raise InputError(f"line {place} of {path} is longer than {LONGEST >> 20} MB, too long for a table")
            yield place, line.removeprefix(b"\xef\xbb\xbf" if place == 1 else b"").rstrip(b"\r\n")


class Item(dict[str, Any]):
    """A JSON object of a file, which knows where it is, for messages.

    Args:
        value: what should be an object.
        where: which one of which file it is.

    Raises:
        InputError: if it is none.
    """

    def __init__(self, value: Any, where: str) -> None:
        super().__init__(typed(value, where, "a JSON object"))
        self.where = where

    def typed(self, key: str, kind: str) -> Any:
        """Return the value under a key, which must be of one of the kinds in `TYPES`."""
        return typed(self.get(key), f"the {key} of {self.where}", kind)

    def item(self, key: str) -> Item:
        """Return the object under a key; an empty one where there is none."""
        return Item(self.get(key) or {}, f"the {key} of {self.where}")


def items(value: Any, kind: str, where: str) -> list[Item]:
    """Return the objects of a list, each of which knows its number.

    Args:
        value: what should be a list of objects.
        kind: what each of them is called in messages.
        where: where the list is.
    """
    return [Item(one, f"{kind} {place} of {where}") for place, one in enumerate(typed(value, where, "a list"), 1)]


def json_lines(path: Path) -> Iterator[Item]:
    """Yield the objects of a JSON lines file.

    Raises:
        InputError: with the line, where one is no JSON object.
    """
    for place, line in text_lines(path):
        if line.strip():
            where = f"line {place} of {path}"
            yield Item(parse_json(line, where), where)


def shown(value: Any) -> str:
    """Return a value as messages show it: a list or an object only as what it is, as it can be of any size and depth.

    >>> shown("yes"), shown([[1]]), shown(None)
    ("'yes'", 'a list', 'null')
    """
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return repr(value[:SHOWN]) if isinstance(value, str) else str(value)[:SHOWN]


def score(value: Any, what: str) -> float | None:
    """Return a score as a number: true is 1, false 0, nothing (and NaN) None.

    Raises:
        InputError: if it is something else, or too large for a number.
    """
    if isinstance(value, list | dict | str):
        raise InputError(f"{what} must be a number; it is {shown(value)}")
    if value is None or value != value:
        return None
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if math.isinf(number):
        raise InputError(f"{what} is too large for a number")
    return number


def typed(value: Any, what: str, kind: str) -> Any:
    """Return a value that must be of one of the kinds in `TYPES`.

    Raises:
        InputError: if it is something else, or a text with half a character in it, which JSON can spell and nothing can
            write.
    """
    if type(value) not in TYPES[kind] or (isinstance(value, float) and not math.isfinite(value)):
        raise InputError(f"{what} must be {kind}; it is {shown(value)}")
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise InputError(f"{what} is not valid text: {value[:SHOWN]!a} has half a character in it") from error
    return value


def name(value: Any, otherwise: str = "") -> str:
    """Return a text that is only shown, or another where it is none."""
    return value.encode(errors="replace").decode() if isinstance(value, str) and value else otherwise


def spelt(value: Any, what: str) -> str:
    """Return one text for what is the same JSON.

    Raises:
        InputError: if it is nested too deeply.
    """
    try:
        return name(json.dumps(value, sort_keys=True, ensure_ascii=False))
    except RecursionError as error:
        raise InputError(f"{what} is JSON that is nested too deeply to read") from error


def decoded(text: bytes, where: object) -> str:
    """Return the text that bytes are.

    Raises:
        InputError: if they are none.
    """
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{where} is not UTF-8 text; save it as UTF-8") from error


@dataclass(frozen=True)
class Packed:
    """An open ZIP file; `stack` is what is closed with it."""

    path: Path
    archive: zipfile.ZipFile
    stack: ExitStack

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Its members, each once, in their order."""
        return tuple(dict.fromkeys(self.archive.namelist()))

    def load(self, name: str) -> Any:
        """Return the JSON of a member: of the last one of that name, as a file that was written to again has several.

        Raises:
            InputError: if it is damaged, locked, too large or no JSON.
        """
        where = f"{name} in {self.path}"
        try:
            info = self.archive.getinfo(name)
            _check_member(info, where)
            if info.compress_type == ZSTANDARD:
                return parse_json(self._unpack_zstandard(info, where), where)
            with self.archive.open(info) as member:
                # No more than it says it is: of one that lies, the checksum tells.
                return parse_json(member.read(info.file_size + 1), where)
        except InputError:
            raise
        except TORN as error:
            raise NotReady(f"cannot read {where}: {error}") from error

    def _unpack_zstandard(self, info: zipfile.ZipInfo, where: str) -> str:
        """Unpack one piece of JSON that Zstandard packed; what is larger than it said is refused."""
        from referee.data.engines.duckdb_sql import explained, listed

        connection, path = self._database
        with self.path.open("rb") as file:
            file.seek(info.header_offset)
            *_, name, extra = LOCAL_HEADER.unpack(file.read(LOCAL_HEADER.size))
            file.seek(name + extra, io.SEEK_CUR)
            path.write_bytes(file.read(info.compress_size))
        sql = (
            f"SELECT CAST(json AS VARCHAR) FROM read_json_objects({listed([path])}, format='unstructured', hive_partitioning=false, "
            f"compression='zstd', maximum_object_size={info.file_size + 1}) LIMIT 2"
        )
        with explained(where):
            values = connection.sql(sql).fetchall()
        if len(values) != 1:
            raise InputError(f"{where} is not one piece of JSON")
        text = str(values[0][0])
        # The database drops a line end after the JSON, which the sum has in it.
        if info.CRC not in {zlib.crc32(text.encode() + end) for end in (b"", b"\n")}:
            raise InputError(f"cannot read {where}: it is damaged: its checksum (CRC-32) is wrong")
        return text

    @cached_property
    def _database(self) -> tuple[Any, Path]:
        """A database, which takes its time to open, and the file that it reads a packed member from."""
        from referee.data.engines.duckdb_sql import connected

        path = Path(self.stack.enter_context(tempfile.TemporaryDirectory(prefix="referee-")), "member.zst")
        return self.stack.enter_context(connected([path])), path


@contextmanager
def unpacking(path: Path) -> Iterator[Packed]:
    """Open a ZIP file.

    Raises:
        InputError: if it is none.
    """
    try:
        archive = zipfile.ZipFile(path)
    except TORN as error:
        raise NotReady(f"cannot read {path} as a ZIP file: {error}; is it complete?") from error
    with archive, ExitStack() as stack:
        yield Packed(path, archive, stack)


def _check_member(info: zipfile.ZipInfo, where: str) -> None:
    """Refuse a member that says of itself that it is locked, or would fill the memory."""
    if info.flag_bits & 1:
        raise InputError(f"{where} is encrypted; pack it again without a password")
    check_size(info.file_size, where)
    if info.file_size > SUSPECT and info.file_size > RATIO * info.compress_size:
        raise InputError(
            f"{where} would unpack from {info.compress_size:,} bytes to {info.file_size:,}; it is not read"
        )
