"""Uploads: files sent to the page, kept for a while in a private folder under random names."""

from __future__ import annotations

import re
import secrets
import shutil
import tempfile
import time
import unicodedata
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from referee.errors import InputError

MEGABYTE = 1 << 20
UNPACKED = 10
"""How many times the largest upload a file may have when it is unpacked."""
MOST, COMING = 8, 4
"""How many files are kept: of more, the oldest goes; and how many may be on their way, which take room too."""
KEEP = 3600.0
"""Seconds that a file is kept after it was last used."""
PATIENCE, LEAST = 30.0, 1 << 16
"""Seconds in which so many bytes must come of what is on its way, or all of the rest."""
REMEMBERED = 1_000
"""Of so many files that had to go it is known why."""
LONGEST = 60
"""How many characters of a file's name are kept, of which each may take four bytes, and a name 255."""


class TooLarge(InputError):
    """More came than is allowed."""

    status = 413


class Stalled(InputError):
    """Too little came for too long."""

    status = 408


@dataclass
class Upload:
    """One file: what the user calls it, where it is, and what it was taken for."""

    id: str
    name: str
    path: Path
    """Where it is, under a name of ours."""
    size: int = 0
    look: dict[str, Any] = field(default_factory=dict)
    used: float = field(default_factory=time.monotonic)

    @property
    def given(self) -> tuple[str, str]:
        """Where it is, and the name by which it is read: the user's, with an extension that readers know."""
        return str(self.path), self.look.get("file", self.name)


class Uploads:
    """The files of one server. The folder is made with the object and goes with `close`.

    Args:
        limit: the largest file, in bytes.
        keep: seconds that a file is kept after it was last used.
        patience: seconds in which something worth waiting for must come of a file that is on its way.
    """

    def __init__(self, limit: int, keep: float = KEEP, patience: float = PATIENCE) -> None:
        self.limit, self.keep, self.patience = limit, keep, patience
        self.largest = UNPACKED * limit  # how many bytes a file may have when it is unpacked
        self.folder = Path(tempfile.mkdtemp(prefix="referee-serve-"))  # mkdtemp: for this user alone
        self._files: dict[str, Upload] = {}
        self._coming = 0
        self._pushed_out: deque[str] = deque(maxlen=REMEMBERED)

    async def receive(self, name: str, pieces: AsyncIterable[bytes]) -> Upload:
        """Write what comes to a file, and stop where it is too much; of too many, the oldest is removed.

        Raises:
            TooLarge: where more comes than is allowed; nothing is kept of it.
            InputError: if the disk has no room, too many others are on their way, or nothing more comes.
        """
        key, name = secrets.token_hex(16), shown_name(name)
        upload = Upload(key, name, self.folder / key)
        if self._coming >= COMING:
            busy = f"{self._coming} files are already being uploaded, too many to add {name}"
            raise InputError(busy, remedy="wait until they are here")
        self._coming += 1
        try:
            with upload.path.open("xb") as file:
                async for piece in in_time(pieces, self.patience, f"of {name}; add it again"):
                    upload.size += len(piece)
                    if upload.size > self.limit:
                        raise self.too_large(name)
                    file.write(piece)
        except BaseException as error:  # also where the browser went away in the middle
            upload.path.unlink(missing_ok=True)
            if isinstance(error, OSError):
                raise InputError(f"cannot keep {name}: {error.strerror or error}") from error
            raise
        finally:
            self._coming -= 1
        self._files[key] = upload
        for oldest in sorted(self._files.values(), key=lambda one: one.used)[:-MOST]:
            self._pushed_out.append(oldest.id)
            self.remove(oldest.id)
        return upload

    def too_large(self, name: str) -> TooLarge:
        """Return the error for a file that is too large."""
        others = "`referee serve --limit MB` sets another, and `referee compare` on the command line has none"
        return TooLarge(f"{name} is larger than {self.limit // MEGABYTE} MB, the limit of this page; {others}")

    def get(self, key: str) -> Upload:
        """Return a file that is there, and keep it for longer.

        Raises:
            InputError: if it is not, or not any more.
        """
        upload = self._files.get(key)
        if upload is None:
            why = f": more than {MOST} were added, in all tabs together, so the oldest was removed"
            raise InputError(f"the file is no longer here{why if key in self._pushed_out else ''}; add it again")
        upload.used = time.monotonic()
        return upload

    def has(self, upload: Upload) -> bool:
        """Say whether a file is still here."""
        return upload.id in self._files

    def remove(self, key: str) -> None:
        """Remove a file; nothing happens where there is none of that key."""
        upload = self._files.pop(key, None)
        if upload is not None:
            upload.path.unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove the files that nobody used for long."""
        for upload in list(self._files.values()):
            if upload.used < time.monotonic() - self.keep:
                self.remove(upload.id)

    def close(self) -> None:
        """Remove everything."""
        self._files.clear()
        if self.folder.exists():
            shutil.rmtree(self.folder)


async def in_time(pieces: AsyncIterable[bytes], patience: float, what: str) -> AsyncIterator[bytes]:
    """Yield what comes, as long as enough comes: drop by drop it could go on for ever.

    Args:
        pieces: what comes.
        patience: seconds in which LEAST bytes must come, or the end.
        what: what it is of, for the message.

    Raises:
        Stalled: where less came.
    """
    import anyio

    coming, came, ends = aiter(pieces), 0, anyio.current_time() + patience
    while True:
        piece: bytes | None = None
        with anyio.move_on_after(ends - anyio.current_time()) as waited:
            piece = await anext(coming, None)
        if waited.cancelled_caught:
            raise Stalled(f"next to nothing came for {patience:.0f} seconds {what}")
        if piece is None:
            return
        came += len(piece)
        if came >= LEAST:
            came, ends = 0, anyio.current_time() + patience
        yield piece


def shown_name(name: str) -> str:
    r"""Return a file's name as it is shown: no folders, nothing that cannot be seen, not too long.

    >>> shown_name("../../etc/passwd"), shown_name("C:\\data\\old\x00.csv"), shown_name("/")
    ('passwd', 'old.csv', 'file')
    """
    last = re.split(r"[/\\]", name)[-1]
    # Cc, Cf, Cs, Co and Cn: control signs, marks that turn the direction of text, and what is no character.
    seen = "".join(sign for sign in last if not unicodedata.category(sign).startswith("C")).strip()
    if len(seen) > LONGEST:
        stem, dot, ending = seen.rpartition(".")
        ending = dot + ending if stem and len(ending) < 10 else ""
        seen = seen[: LONGEST - 1 - len(ending)] + "…" + ending
    return seen if seen.strip(".") else "file"
