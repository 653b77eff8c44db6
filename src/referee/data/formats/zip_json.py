"""Packed: a ZIP file whose members are pieces of JSON, each unpacked within bounds."""

from __future__ import annotations

import io
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from referee.data.formats.json_fields import TORN, check_size, parse_json
from referee.errors import InputError

SUSPECT, RATIO = 100 << 20, 200
"""From this size on, in bytes, a member that is this many times larger than it was packed is taken for a bomb."""
ZSTANDARD = 93
"""The method of packing that `zipfile` knows only since Python 3.14; DuckDB has always known it."""
LOCAL_HEADER = struct.Struct("<4s5H3I2H")
"""What stands before a packed member: last the lengths of its name and of its extra field."""


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
            InputError: where it is damaged, locked, too large or no JSON.
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
            raise InputError(f"cannot read {where}: {error}") from error

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
            raise InputError(f"cannot read {where}: it is damaged, as its sum (CRC-32) is wrong")
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
        InputError: where it is none.
    """
    try:
        archive = zipfile.ZipFile(path)
    except TORN as error:
        raise InputError(f"cannot read {path} as a ZIP file: {error}; is it complete?") from error
    with archive, ExitStack() as stack:
        yield Packed(path, archive, stack)


def _check_member(info: zipfile.ZipInfo, where: str) -> None:
    """Refuse a member that says of itself that it is locked, or would fill the memory."""
    if info.flag_bits & 1:
        raise InputError(f"{where} is encrypted; pack it again without a password")
    check_size(info.file_size, where)
    if info.file_size > SUSPECT and info.file_size > RATIO * info.compress_size:
        raise InputError(
            f"{where} would unpack from {info.compress_size:,} bytes to {info.file_size:,}, so it is not read"
        )
