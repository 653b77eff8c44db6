"""Writing: a file is there whole, or as it was before."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from referee.errors import InputError


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a file whole or not at all: beside its place first, then moved there.

    A link is followed; a device or a pipe is written to as it is.
    """
    target = Path(path).resolve() if Path(path).is_symlink() else Path(path)
    if target.exists() and not target.is_file() and not target.is_dir():
        try:
            target.write_text(text, encoding="utf-8")
        except OSError as error:
            raise InputError(f"cannot write {target}: {error.strerror}") from error
        return
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent or Path(), prefix=f".{target.name}.")
    except OSError as error:
        raise InputError(f"cannot write {target}: {error.strerror}") from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)
        Path(temporary).replace(target)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise InputError(f"cannot write {target}: {error.strerror}") from error
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
