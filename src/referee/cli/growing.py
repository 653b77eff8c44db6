"""Growing tables: what is read of a table that is still being written is a copy of its lines that are complete."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

from referee.cli.output import STAND_INS, Outputs
from referee.errors import NotReady

TEXT = (".csv", ".tsv", ".jsonl", ".ndjson")
"""Tables and logs that grow line by line."""
PIECE = 1 << 20
"""How many bytes are copied at a time."""


def complete(source: str, folder: Path, outputs: Outputs) -> str:
    """Return a path of what is complete of a source: of its files that grow line by line, copies that end with a line.

    Below the folder they have the paths of the originals, from which names of systems are taken; other files are linked to.

    Args:
        source: a file, a folder or a pattern.
        folder: where the copies are made.
        outputs: what says what was left out.

    Raises:
        NotReady: if there is no complete line yet, or the file changed while it was copied.
    """
    from referee.data.formats.base import files_of

    files = [file for file in files_of(source) if file.is_file() and os.access(file, os.R_OK)]
    if not any(_grows(file) for file in files):
        return source
    for file in files:
        place = _below(folder, file)
        place.parent.mkdir(parents=True, exist_ok=True)
        STAND_INS[str(place)] = str(file)
        if not _grows(file):
            place.symlink_to(file.absolute())
        elif _copied(file, place):
            outputs.tell(f"the last line of {file} has no line break, so it may be incomplete: it is left out")
    stand_in = str(_below(folder, Path(source)))
    STAND_INS[stand_in] = source
    return stand_in


def _grows(file: Path) -> bool:
    return file.suffix.lower() in TEXT


def _below(folder: Path, file: Path) -> Path:
    """Return where a file has its copy."""
    return folder.joinpath(*Path(os.path.abspath(file)).parts[1:])  # noqa: PTH100 - a link keeps its name


def _copied(file: Path, place: Path) -> bool:
    """Copy what a file holds now, up to its last line break; say whether anything came behind that."""
    try:
        with file.open("rb") as source, place.open("wb") as copy:
            size = os.fstat(source.fileno()).st_size
            end = _copy(source, copy, size)
            if size and not end:
                raise NotReady(f"{file} has no complete line yet: its first one has no line break")
            copy.truncate(end)
    except FileNotFoundError as error:
        raise NotReady(f"{file} is gone") from error
    return end < size


def _copy(source: BinaryIO, copy: BinaryIO, size: int) -> int:
    r"""Copy so many bytes, and return where the last line ends; a lone \r ends lines only where no \n does."""
    done, ends = 0, {b"\n": 0, b"\r": 0}
    while done < size:
        piece = source.read(min(PIECE, size - done))
        if not piece:
            raise NotReady(f"{source.name} became shorter while it was read")
        copy.write(piece)
        for sign in ends:
            ends[sign] = max(ends[sign], done + piece.rfind(sign) + 1 if sign in piece else 0)
        done += len(piece)
    return ends[b"\n"] or ends[b"\r"]
