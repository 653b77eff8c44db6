"""Places for outputs: each is a file of its own that can be written and is not read, which is checked before the work."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

from referee.cli.streams import number
from referee.errors import InputError

Identity = tuple[int, int]
"""Device and number: what a file is, whatever it is called."""


def ready(*outputs: str | None, inputs: Sequence[str | None] = ()) -> None:
    """Complain of a file that cannot be written before the work and not after it.

    Args:
        outputs: what the options name; None and "-" are no files.
        inputs: what is read: files, folders, patterns, and "-" for standard input.

    Raises:
        InputError: where an output is an input or another output, or its folder does not take it.
    """
    named = [output for output in outputs if output is not None and output != "-"]
    for output in named:
        _check_place(output)
    _check_twice([output for output in named if not _is_device(output)])
    _check_inputs(named, [source for source in inputs if source is not None])


def _check_place(output: str) -> None:
    if _is_device(output):
        return
    if not output:
        raise InputError("cannot write to a file without a name; name one, or leave the option out")
    # Of a link the place is where it leads.
    target = Path(os.path.realpath(output) if Path(output).is_symlink() else output)
    if not target.parent.is_dir():
        raise InputError(f"cannot write {output}: there is no folder {target.parent}; make it first")
    if target.is_dir():
        raise InputError(f"cannot write {output}: it is a folder; name a file in it")
    if target.exists() and not os.access(target, os.W_OK):
        raise InputError(f"cannot write {output}: it is there already and read-only; name another file")
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"cannot write {output}: the folder {target.parent} is not writable")


def _check_twice(outputs: Sequence[str]) -> None:
    places = [_identity(output) or Path(output).resolve() for output in outputs]
    twice = next((output for output, place in zip(outputs, places, strict=True) if places.count(place) > 1), None)
    if twice is not None:
        raise InputError(f"two outputs cannot be one file: {Path(twice).name}; name two files")


def _check_inputs(outputs: Sequence[str], inputs: Sequence[str]) -> None:
    there = {identity: output for output in outputs if (identity := _identity(output)) is not None}
    if not there:  # nothing is written over
        return
    for source in inputs:
        output = next((there[identity] for identity in _identities(source) if identity in there), None)
        if output is not None:
            given = "" if source == output else f" ({'standard input' if source == '-' else source})"
            raise InputError(f"cannot write {output}: it is read as an input{given}; name another file for the output")


def _identities(source: str) -> list[Identity | None]:
    """Return what a source stands for, file by file."""
    if source == "-":
        return [_identity(number(sys.stdin))]
    from referee.data.formats.detect import files_of

    return [_identity(file) for file in files_of(source)]


def _identity(file: str | Path | int | None) -> Identity | None:
    """Return which file a path or an open stream is; None where it is none that can be written over."""
    found = _state(file)
    return (found.st_dev, found.st_ino) if found is not None and stat.S_ISREG(found.st_mode) else None


def _is_device(path: str) -> bool:
    """Say whether a path is there and is neither a file nor a folder."""
    found = _state(path)
    return found is not None and not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode)


def _state(file: str | Path | int | None) -> os.stat_result | None:
    try:
        return None if file is None else os.fstat(file) if isinstance(file, int) else Path(file).stat()
    except (OSError, ValueError):
        return None
