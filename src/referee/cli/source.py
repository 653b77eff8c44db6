"""Where the data are: a path, a pattern, or standard input, which is spooled to a file that is gone afterwards."""

from __future__ import annotations

import contextlib
import re
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from referee.errors import InputError, RefereeError

HEAD = 1 << 16


@contextlib.contextmanager
def opened(data: str) -> Iterator[str]:
    """Give a path for what the user named; `-` is standard input."""
    if data != "-":
        yield data
        return
    stream = sys.stdin.buffer
    head = stream.read(HEAD)
    if not head.strip():
        raise InputError("standard input is empty; pipe a table with a header into it (CSV, TSV or JSON lines)")
    with tempfile.TemporaryDirectory(prefix="referee-") as folder:
        path = Path(folder) / f"stdin{extension(head)}"
        with path.open("wb") as file:
            file.write(head)
            shutil.copyfileobj(stream, file)
        try:
            yield str(path)
        except RefereeError as error:  # the user knows nothing of the file
            raise type(error)(str(error).replace(str(path), "standard input")) from error


def extension(head: bytes) -> str:
    r"""Say by its beginning what a file is.

    >>> extension(b'{"a": 1}\n'), extension(b"a\tb\n"), extension(b"a,b\n"), extension(b'{\n "schema": "referee.counts/1"')
    ('.jsonl', '.tsv', '.csv', '.json')
    """
    if head.startswith(b"\x1f\x8b"):
        return extension(_unpacked(head)) + ".gz"
    if head.startswith(b"PAR1"):
        return ".parquet"
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"["):
        return ".json"
    if start.startswith(b"{"):
        return ".json" if re.match(rb'\{\s*"schema"\s*:\s*"referee\.', start) else ".jsonl"
    return ".tsv" if b"\t" in start.split(b"\n")[0] else ".csv"


def _unpacked(head: bytes) -> bytes:
    try:
        return zlib.decompressobj(wbits=31).decompress(head, HEAD) or b" \n"
    except zlib.error as error:
        raise InputError(f"standard input looks packed, and cannot be unpacked: {error}") from error


def columns(path: str) -> list[str]:
    """Return the names of the columns of a table."""
    import duckdb

    from referee.engines.files import find
    from referee.engines.opening import kind_of, listed

    first = find(path)[0]
    readers = {"parquet": "read_parquet({})", "csv": "read_csv({}, all_varchar=true, header=true)"}
    reader = readers.get(kind_of(first).replace("tsv", "csv"), "read_json({})")
    try:
        with duckdb.connect() as connection:
            found: list[str] = connection.sql(f"SELECT * FROM {reader.format(listed([first]))} LIMIT 0").columns
    except duckdb.Error as error:
        raise InputError(f"the columns of {path} cannot be read: {str(error).splitlines()[0]}") from error
    return found


def systems(path: str, options: Mapping[str, Any]) -> tuple[str, str] | None:
    """Find the two systems: the only two columns that nothing else is said about; None where they are named.

    Raises:
        InputError: where there are not two such columns, with the columns there are.
    """
    if options.get("a") is not None and options.get("b") is not None:
        return None
    from referee.engines.files import counts_of

    if counts_of(path) is not None:
        return None
    roles = ("truth", "a", "b", "group", "stratum", "by", "id", "multiplicity")
    taken = {options.get(role) for role in roles}
    left = [name for name in columns(path) if name not in taken]
    lacking = [role for role in ("a", "b") if options.get(role) is None]
    if len(left) != len(lacking):
        asked = " and ".join(f"--{role}" for role in lacking)
        raise InputError(
            f"name the columns of the two systems with {asked}; the columns left are: {', '.join(left) or 'none'}"
        )
    named = dict(zip(lacking, left, strict=True))
    return options.get("a") or named["a"], options.get("b") or named["b"]
