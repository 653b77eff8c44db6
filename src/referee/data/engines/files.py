"""Files: what kind they are, how they begin and end, and whether two paths lead to the same file."""

from __future__ import annotations

import gzip
import io
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from referee.data.roles import check_columns
from referee.errors import Argument, InputError, Message, NotReady, did_you_mean

Mark: TypeAlias = tuple[Path, int, int]
"""A file, its size and when it was last written; -1 and 0 where there is none."""
Opened: TypeAlias = io.BufferedReader | gzip.GzipFile
KINDS = {
    ".csv": "csv", ".tsv": "tsv", ".jsonl": "lines", ".ndjson": "lines", ".json": "json",
    ".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow", ".feather": "arrow",
}  # fmt: skip
KNOWN = f"known are {', '.join(KINDS)}, the text ones also with .gz"
BROKEN = (OSError, EOFError, zlib.error)
"""What a file that cannot be read, or unpacked, raises."""
HEAD = 1 << 16
"""How many bytes tell what a file is."""


def suffix(path: Path) -> str:
    """Return the extension of a file, that of the packed one where it is packed."""
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()


def kind_of(path: Path) -> str:
    """Say by its extension what a file is."""
    kind = KINDS.get(suffix(path))
    if kind is None or (kind in ("parquet", "arrow") and path.suffix.lower() == ".gz"):
        lines = Message(f"{KNOWN}; files with one text per line need ", Argument("references"))
        raise InputError(f"{path} has an extension that referee does not know", remedy=lines)
    return kind


def extension(head: bytes, what: str = "standard input") -> str:
    r"""Say by its beginning what a file is.

    >>> extension(b'{"a": 1}\n'), extension(b"a\tb\n"), extension(b"a,b\n"), extension(b'{\n "schema": "referee.counts/1"')
    ('.jsonl', '.tsv', '.csv', '.json')
    """
    if head.startswith(b"\x1f\x8b"):
        return extension(_unpacked(head, what), what) + ".gz"
    if head.startswith(b"PAR1"):
        return ".parquet"
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"["):
        return ".json"
    if start.startswith(b"{"):
        return ".json" if re.match(rb'\{\s*"schema"\s*:\s*"referee\.', start) else ".jsonl"
    return ".tsv" if b"\t" in start.split(b"\n")[0] else ".csv"


def _unpacked(head: bytes, what: str) -> bytes:
    try:
        return zlib.decompressobj(wbits=31).decompress(head, HEAD) or b" \n"
    except zlib.error as error:
        raise NotReady(f"{what} looks gzipped, but cannot be unpacked: {error}") from error


@contextmanager
def opened(path: Path) -> Iterator[Opened]:
    """Open a file, unpacked.

    Raises:
        InputError: if it cannot be opened, or read within the context.
    """
    try:
        with gzip.open(path, "rb") if path.suffix.lower() == ".gz" else path.open("rb") as file:
            yield file
    except BROKEN as error:
        raise NotReady(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error


def peek(file: Opened, path: Path) -> bytes:
    """Return the beginning of a text file, without moving on in it."""
    head = file.read(4096)
    file.seek(0)
    halves = head[0:200:2], head[1:200:2]
    if head[:2] in (b"\xff\xfe", b"\xfe\xff") or any(half.count(0) > len(half) // 2 > 0 for half in halves):
        raise InputError(f"{path} is not UTF-8 text (it looks like UTF-16); save it as UTF-8")
    if b"\0" in head or head[:4] == b"PAR1" or head[:2] == b"\x1f\x8b":
        raise InputError(f"{path} is not a text file, despite its name")
    if not head.strip():
        raise NotReady(f"{path} is empty; there are no examples in it")
    return head


def ending(path: Path, size: int) -> bytes:
    """Return the last bytes of a text file; a packed one is unpacked to its end, as DuckDB does not check its checksum.

    Raises:
        InputError: if it cannot be read to the end, or was damaged.
    """
    with opened(path) as file:
        if not isinstance(file, gzip.GzipFile):
            file.seek(max(0, path.stat().st_size - size))
        before = last = b""
        while piece := file.read(size):
            before, last = last, piece
        return (before + last)[-size:]


def mark_of(path: Path) -> Mark:
    """Return by what a change of a file is seen."""
    try:
        stat = path.stat()
        return path.absolute(), stat.st_size, stat.st_mtime_ns
    except OSError:
        return path.absolute(), -1, 0


def refuse_twice(paths: Iterable[Path], why: str) -> None:
    """Raise where two paths lead to one file, however they are spelt: through a link, or a folder that has it.

    Args:
        paths: the files.
        why: what would come of it, and what to do.

    Raises:
        InputError: with both paths.
    """
    earlier: dict[tuple[int, int], Path] = {}
    for path in paths:
        try:
            stat = path.stat()
        except OSError:
            continue  # whoever opens it says what is wrong
        first = earlier.get((stat.st_dev, stat.st_ino))
        if first is not None:
            which = f"{path} is given twice" if first == path else f"{first} and {path} are the same file"
            raise InputError(f"{which}; {why}")
        earlier[stat.st_dev, stat.st_ino] = path


def check_names(roles: Mapping[str, str], known: Mapping[Path, Sequence[str]]) -> None:
    """Refuse tables in which a wanted column is not there once.

    Args:
        roles: role to column name.
        known: of each file, the names that it has.

    Raises:
        NameUnknown: if the first file has no column of that name.
        InputError: if another has none, or one has several.
    """
    first = next(iter(known), None)
    for path, names in known.items():
        if path == first:
            check_columns(roles, names)
        for name in roles.values():
            if name not in names:
                lacking = f"{path} has no column {name!r}{did_you_mean(name, names)}, which {first} has"
                raise InputError(f"{lacking}; tables read together need the same columns")
            if names.count(name) > 1:
                raise InputError(f"{path} has {names.count(name)} columns called {name!r}; rename all but one")


def called_files(sources: Iterable[Any]) -> tuple[str, ...]:
    """Return what files are called, without their folders; nothing of arrays and tables in memory.

    >>> called_files(["runs/old.csv", {"a": [1]}])
    ('old.csv',)
    """
    return tuple(dict.fromkeys(Path(one).name for one in sources if isinstance(one, str | os.PathLike)))
