"""Atomic writing: a file is written completely, or stays as it was."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from pathlib import Path

from referee.errors import InputError


def write_whole(path: str | os.PathLike[str], content: str | bytes, *, durable: bool = False) -> None:
    """Write a file whole or not at all: beside its place first, then moved there.

    A link is followed; a device or a pipe is written to as it is. A file that is replaced keeps its mode and its owner.

    Args:
        path: where to write.
        content: bytes, or text, which is written as UTF-8.
        durable: whether to wait until it is on the disk, so that it is there even after the power fails.

    Raises:
        InputError: if it cannot be written; whatever was there is as before.
        BrokenPipeError: if it is a pipe that nobody reads any more.
    """
    data = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
    target = Path(path)
    try:
        before = target.stat() if target.exists() else None
        if before is not None and not stat.S_ISREG(before.st_mode):
            target.write_bytes(data)
            return
        if target.is_symlink():
            target = Path(os.path.realpath(target))
        if before is not None and not os.access(target, os.W_OK):
            # Moving another file there would need no such permission, but whoever took it away meant something.
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        _replace(target, data, before, durable)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"cannot write {os.fspath(path)}: {error.strerror}") from error


def _replace(target: Path, data: bytes, before: os.stat_result | None, durable: bool) -> None:
    # A name of fixed length: one made from the target's may be too long where that is not.
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".referee-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        if before is None:
            umask = os.umask(0)
            os.umask(umask)
            Path(temporary).chmod(0o666 & ~umask)
        else:
            with contextlib.suppress(
                OSError, AttributeError
            ):  # only root may give files away, and only where there are owners
                os.chown(temporary, before.st_uid, before.st_gid)
            Path(temporary).chmod(stat.S_IMODE(before.st_mode))
        Path(temporary).replace(target)
        if durable:
            _sync(target.parent)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _sync(folder: Path) -> None:
    """Wait until the names in a folder are on the disk; some systems cannot."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
