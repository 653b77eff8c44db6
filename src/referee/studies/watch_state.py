"""The state of a watch: what was asked, what was seen so far and the counts of the last look, in a file that is written whole.

A file whose content does not have the hash that stands in it is refused; so is one that somebody else wrote since it was read.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.data.counts import Counts
from referee.errors import Argument, InputError, Message, OptionError, RefereeError
from referee.runtime.atomic import write_whole
from referee.runtime.bounded_json import loads
from referee.studies.watch_outcomes import Seen
from referee.studies.watch_progress import Progress
from referee.version import __version__

SCHEMA = "referee.watch-state/1"
ELSEWHERE = Message("to begin anew, name another file with ", Argument("state"))


@dataclass(frozen=True, kw_only=True)
class State:
    """All that the next look needs to know of those before."""

    settings: Mapping[str, Any]
    """What was asked, and of which data: it must stay."""
    rows: int
    """How many rows were read, with those that were left out."""
    progress: Progress
    outcomes: Seen
    """What was seen by the last look."""
    version: str = __version__

    def to_json(self) -> str:
        """Return the text of the file."""
        own = {"version": self.version, "settings": dict(self.settings), "rows": self.rows}
        own |= {"progress": self.progress.to_dict(), "outcomes": self.outcomes.to_dict()}
        content = json.loads(json.dumps({"schema": SCHEMA, **own}, allow_nan=False))
        return json.dumps({**content, "hash": _hash(content)}, ensure_ascii=False, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: bytes, where: str) -> State:
        """Read the text of a file.

        Raises:
            InputError: if it is no state, or not as it was written.
        """
        try:
            content = loads(text)
        except (ValueError, RecursionError):
            content = None
        schema = content.get("schema") if isinstance(content, dict) else None
        if schema is None or not str(schema).startswith("referee.watch-state/"):
            what = f"its schema is {schema!r}" if schema is not None else "it is no such JSON"
            raise InputError(f"{where} is not the state of a watch: {what}", argument="state", remedy=ELSEWHERE)
        if schema != SCHEMA:
            other = f"{where} is the state of a watch of another version ({schema}; this one reads {SCHEMA})"
            raise InputError(other, argument="state", remedy=ELSEWHERE)
        damaged = InputError(
            f"{where} is damaged: its content is not what was written", argument="state", remedy=ELSEWHERE
        )
        if content.pop("hash", None) != _hash(content):
            raise damaged
        try:
            content.pop("schema")
            outcomes = Seen.from_dict(content.pop("outcomes"), where)
            progress = Progress.from_dict(content.pop("progress"))
            return cls(**content, progress=progress, outcomes=outcomes)
        except (KeyError, TypeError, AttributeError, ValueError, RefereeError, zlib.error) as error:
            raise damaged from error

    @classmethod
    def of(cls, settings: Mapping[str, Any], progress: Progress, counts: Counts) -> State:
        """Return the state after a look at these counts."""
        rows = counts.n + counts.matched.dropped
        return cls(settings=settings, rows=rows, progress=progress, outcomes=Seen.of(counts))


def _hash(content: Any) -> str:
    text = json.dumps(content, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class StateFile:
    """The file of a state: read at the beginning of a look, written at its end if nobody else did meanwhile."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.text = self._read()
        self.state = None if self.text is None else State.from_json(self.text, os.fspath(self.path))

    def _read(self) -> bytes | None:
        """Return what is in the file, None if there is none."""
        named = os.fspath(self.path)
        try:
            if not self.path.parent.is_dir():
                raise InputError(
                    f"cannot write {named}: there is no folder {self.path.parent}",
                    argument="state",
                    remedy="make it first",
                )
            if not os.path.lexists(self.path):
                if not os.access(self.path.parent, os.W_OK):
                    raise InputError(f"cannot write {named}: its folder is not writable", argument="state")
                return None
            if not stat.S_ISREG(self.path.stat().st_mode):
                raise InputError(
                    f"{named} is not a file that a state could be kept in", argument="state", remedy=ELSEWHERE
                )
            if not os.access(self.path, os.W_OK) or not os.access(self.path.parent, os.W_OK):
                raise InputError(f"cannot write {named}: it is read-only", argument="state", remedy=ELSEWHERE)
            return self.path.read_bytes()
        except OSError as error:
            raise InputError(f"cannot read {named}: {error.strerror}", argument="state") from error

    def write(self, state: State) -> None:
        """Write a state, whole or not at all, and make sure that it is on the disk.

        Raises:
            InputError: if it cannot be written, or another process wrote the file since it was read.
        """
        with _alone(self.path.parent):
            if self._read() != self.text:
                raise InputError(
                    f"another process wrote {os.fspath(self.path)} during this look, which was not kept",
                    argument="state", remedy="look again; let one watch at a time use a state",
                )  # fmt: skip
            text = state.to_json().encode("utf-8", "surrogatepass")
            write_whole(self.path, text, durable=True)
            self.text, self.state = text, state


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let one process at a time write states in a folder; the system takes the lock back however a process ends."""
    try:
        import fcntl
    except ImportError:  # no such locks here: what was written meanwhile is still noticed, but for an instant
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def check_settings(before: Mapping[str, Any], now: Mapping[str, Any], where: str) -> None:
    """Refuse to go on with another question, or other data.

    Raises:
        OptionError: with what it was, and what it is now.
    """
    # What is asked comes first: evidence is of another kind because of that.
    for name in sorted(dict.fromkeys((*before, *now)), key="evidence".__eq__):
        old, new = before.get(name), now.get(name)
        if old == new:
            continue
        if name == "evidence":
            changed = f"evidence was {old} at the last look and is {new} now: scores are no longer all right or wrong, or on their scale"
            raise OptionError(
                changed, argument="metric", remedy=Message("declare the scale of the scores; ", ELSEWHERE)
            )
        told = " is ", f"{_told(new, 'not given')}, and the watch in {where} has {_told(old, 'none')}"
        again = Message("go on with ", Argument(name, old), "; ")
        if old is None or isinstance(old, list):
            again = Message("leave ", Argument(name), " out; ") if old is None else Message("name them as before; ")
        raise OptionError(Argument(name, bare=True), *told, argument=name, value=new, remedy=Message(again, ELSEWHERE))


def _told(value: Any, nothing: str) -> str:
    return nothing if value is None else ", ".join(map(str, value)) if isinstance(value, list) else f"{value}"


def check_growth(state: State, counts: Counts, first: Counts | None, where: str) -> None:
    """Refuse data that are not those of the last look and more.

    Args:
        state: the state after the last look.
        counts: the counts now.
        first: those of as many rows from the first on as there were at the last look, of a table that has an order.
        where: the file of the state.

    Raises:
        InputError: with an outcome that there are fewer of.
    """
    anew = Message("a watch only adds; ", ELSEWHERE)
    before = state.outcomes.n
    if counts.n < before:
        fewer = f"there are {counts.n:,} examples, {before - counts.n:,} fewer than at the last look ({before:,})"
        raise InputError(fewer, argument="data", remedy=anew)
    lost = state.outcomes.lost(counts)
    if lost is not None:
        raise InputError(lost, argument="data", remedy=anew)
    # Numbers may have become floats beside others that are.
    if first is not None and (first.n != before or state.outcomes.lost(first) is not None):
        moved = f"the first {before:,} examples of the table are no longer those of the last look"
        keep = Message(
            "append new rows at its end, or watch its counts (referee count), which have no order; ", ELSEWHERE
        )
        raise InputError(moved, argument="data", remedy=keep)
