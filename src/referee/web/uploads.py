"""Uploads: files that came over the page, in a private folder, under names of ours, for a while."""

from __future__ import annotations

import contextlib
import re
import secrets
import shutil
import tempfile
import threading
import time
import unicodedata
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from referee.data.engines.files import KINDS
from referee.errors import InputError

MEGABYTE = 1 << 20
UNPACKED = 10
"""How many times the largest upload a file may have when it is unpacked."""
EXTENSIONS = frozenset({*KINDS, ".eval", ".txt", ".scores", ".dat"})
"""Extensions that say something to a reader; any other is left out."""
MOST, COMING = 8, 4
"""How many files are kept: of more, the oldest goes; and how many may be on their way, which take room too."""
KEEP = 3600.0
"""Seconds that a file is kept after it was last used."""
PATIENCE, LEAST = 30.0, 1 << 16
"""Seconds in which so many bytes must come of what is on its way, or all of the rest."""
REMEMBERED = 1_000
"""Of so many files that had to go it is known why."""
LONGEST = 80
"""How many characters of a file's name are shown."""


class TooLarge(InputError):
    """More came than is allowed."""


class Stalled(InputError):
    """Too little came for too long."""


@dataclass
class Upload:
    """One file: what the user calls it, where it is, and what it was taken for."""

    id: str
    name: str
    path: Path
    size: int = 0
    look: dict[str, Any] = field(default_factory=dict)
    used: float = 0.0


class Uploads:
    """The files of one server. The folder is made with the object and goes with `close`.

    Args:
        limit: the largest file, in bytes.
        keep: seconds that a file is kept after it was last used.
        patience: seconds in which something worth waiting for must come of a file that is on its way.
    """

    def __init__(self, limit: int, keep: float = KEEP, patience: float = PATIENCE) -> None:
        self.limit = limit
        self.keep = keep
        self.patience = patience
        self.folder = Path(tempfile.mkdtemp(prefix="referee-serve-"))  # mkdtemp: for this user alone
        self._files: dict[str, Upload] = {}
        self._coming: set[str] = set()
        self._pushed_out: deque[str] = deque(maxlen=REMEMBERED)
        self._lock = threading.Lock()

    @property
    def largest(self) -> int:
        """How many bytes a file may have when it is unpacked."""
        return UNPACKED * self.limit

    async def receive(self, name: str, pieces: AsyncIterable[bytes]) -> Upload:
        """Write what comes to a file, and stop where it is too much.

        Raises:
            TooLarge: where more comes than is allowed; nothing is kept of it.
            InputError: where the disk has no room, too many others are on their way, or nothing more comes.
        """
        key = secrets.token_hex(16)
        upload = Upload(key, shown_name(name), self.folder / f"{key}{extension_of(name)}", used=time.monotonic())
        self._expect(upload)
        try:
            with upload.path.open("xb") as file:
                async for piece in in_time(pieces, self.patience, f"of {upload.name}; add it again"):
                    upload.size += len(piece)
                    if upload.size > self.limit:
                        raise self.too_large(upload.name)
                    file.write(piece)
        except OSError as error:
            upload.path.unlink(missing_ok=True)
            raise InputError(f"cannot keep {upload.name}: {error.strerror or error}") from error
        except BaseException:  # also where the browser went away in the middle
            upload.path.unlink(missing_ok=True)
            raise
        finally:
            self._coming.discard(key)
        self._take(upload)
        return upload

    def _expect(self, upload: Upload) -> None:
        """Count a file that is about to come.

        Raises:
            InputError: where too many others are on their way.
        """
        with self._lock:
            if len(self._coming) >= COMING:
                raise InputError(
                    f"{len(self._coming)} files are on their way already, and {upload.name} would be one too many; wait "
                    f"until they are here"
                )
            self._coming.add(upload.id)

    def _take(self, upload: Upload) -> None:
        """Keep a file that has come, and remove the oldest where there are too many."""
        with self._lock:
            self._files[upload.id] = upload
            extra = sorted(self._files.values(), key=lambda one: one.used)[:-MOST]
            self._pushed_out.extend(one.id for one in extra)
        for one in extra:
            self.remove(one.id)

    def too_large(self, name: str) -> TooLarge:
        """Return the error for a file that is too large."""
        return TooLarge(
            f"{name} is larger than {self.limit // MEGABYTE} MB, the limit of this page; `referee serve --limit MB` sets "
            f"another, and `referee compare` on the command line has none"
        )

    def get(self, key: str) -> Upload:
        """Return a file that is there, and keep it for longer.

        Raises:
            InputError: where it is not, or not any more.
        """
        with self._lock:
            upload = self._files.get(key)
            if upload is None and key in self._pushed_out:
                raise InputError(
                    f"the file is not here any more: more than {MOST} were added, in all tabs together, and the oldest goes; "
                    f"add it again"
                )
            if upload is None:
                raise InputError("the file is not here any more; add it again")
            upload.used = time.monotonic()
            return upload

    def remove(self, key: str) -> None:
        """Remove a file; nothing happens where there is none of that key."""
        with self._lock:
            upload = self._files.pop(key, None)
        if upload is not None:
            self._unlink(upload)

    def has(self, upload: Upload) -> bool:
        """Say whether a file is still here."""
        with self._lock:
            return upload.id in self._files

    def check(self, upload: Upload) -> None:
        """See whether a file is still here after work on it; of one that is not, nothing stays that was made of it meanwhile.

        Raises:
            InputError: where it had to go.
        """
        try:
            self.get(upload.id)
        except InputError:
            self._unlink(upload)
            raise

    def _unlink(self, upload: Upload) -> None:
        for path in self.folder.glob(f"{upload.id}*"):  # it may have got another extension meanwhile
            path.unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove the files that nobody used for long."""
        old = time.monotonic() - self.keep
        with self._lock:
            gone = [key for key, upload in self._files.items() if upload.used < old]
        for key in gone:
            self.remove(key)

    def close(self) -> None:
        """Remove everything."""
        with self._lock:
            self._files.clear()
        with contextlib.suppress(FileNotFoundError):
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
            raise Stalled(f"nothing more came for {patience:.0f} seconds, or next to nothing, {what}")
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


def extension_of(name: str) -> str:
    """Return the extension of a name, where it is one that readers know; "" for any other.

    >>> extension_of("old.CSV.gz"), extension_of("run.eval"), extension_of("x.csv/../../evil.sh"), extension_of("a.gz")
    ('.csv.gz', '.eval', '', '.gz')
    """
    packed = ".gz" if name.lower().endswith(".gz") else ""
    ending = Path(shown_name(name).lower().removesuffix(".gz")).suffix
    return (ending if ending in EXTENSIONS else "") + packed
