"""Which of the formats in this folder knows a file, or the files of a folder."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path

from referee.data.engines.files import refuse_twice
from referee.data.formats.base import READERS, Opening, Reader, Source
from referee.data.roles import OPTIONS, Option
from referee.errors import InputError, RefereeError
from referee.registry import discover

MOST_FILES = 10_000
"""How many files of a folder are looked at."""


def format_options() -> list[Option]:
    """Return the options that formats declare for themselves; first those that name one of several."""
    discover("referee.data.formats", without=("pairing", "plain_tables"))
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
    discover("referee.data.formats", without=("pairing", "plain_tables"))
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
