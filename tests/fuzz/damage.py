"""Damage: bytes cut, flipped, inserted, left out and doubled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

PIECES = (
    b"\n", b"\r\n", b"\r", b"\n\n", b",", b"\t", b" ", b'"', b'""', b"'", b"\\", b"\0", b"\xff", b"\xef\xbb\xbf", b"{", b"}", b"[", b"]",
    b":", b"null", b"NaN", b"Infinity", b"-1", b"1e999", b"9" * 400, b"true", b'"\\ud800"', b"[" * 3000, b'{"a":' * 3000, b"\xe2\x80\xa8",
    b"PK\x03\x04", b"\x1f\x8b", b"-DOCSTART-", b"all",
)  # fmt: skip
"""What means something to some format."""


@dataclass(frozen=True)
class Damage:
    """What was done to a file."""

    kind: str
    start: int
    stop: int = 0
    piece: bytes = b""

    def to(self, data: bytes) -> bytes:
        start, stop = sorted((self.start % (len(data) + 1), self.stop % (len(data) + 1)))
        if self.kind == "cut":
            return data[: self.start % (len(data) + 1)]
        if self.kind == "flip":
            place = self.start % len(data)
            return data[:place] + bytes([data[place] ^ self.piece[0]]) + data[place + 1 :]
        if self.kind == "insert":
            place = self.start % (len(data) + 1)
            return data[:place] + self.piece + data[place:]
        if self.kind == "leave out":
            return data[:start] + data[stop:]
        return data[:stop] + data[start:]  # doubled


def damages() -> st.SearchStrategy[Damage]:
    """Return a strategy for single damages; places are taken modulo the length of the file."""
    place = st.integers(0, 1 << 20)
    return st.one_of(
        st.builds(Damage, st.just("cut"), place),
        st.builds(Damage, st.just("flip"), place, piece=st.integers(1, 255).map(lambda bits: bytes([bits]))),
        st.builds(Damage, st.just("insert"), place, piece=st.sampled_from(PIECES) | st.binary(min_size=1, max_size=4)),
        st.builds(_near, st.sampled_from(["leave out", "double"]), place, st.integers(1, 80)),
        st.builds(Damage, st.sampled_from(["leave out", "double"]), place, place),
    )


def _near(kind: str, start: int, length: int) -> Damage:
    return Damage(kind, start, start + length)


def damaged(data: bytes, done: list[Damage]) -> bytes:
    """Do one after the other."""
    for each in done:
        data = each.to(data) if data else data
    return data


def lists() -> Any:
    """Return a strategy for one damage, sometimes two or three."""
    return st.lists(damages(), min_size=1, max_size=3)
