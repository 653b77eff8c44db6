"""Outcomes of a watch: how often each was seen by the last look, so that it is noticed if one occurs less often now.

A few are kept as counts, which a message can quote; of many a hash is kept, 64 bits of each with how often it occurred.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from referee.data.columns import Ints, Values, factorize
from referee.data.counts import Counts

MOST = 20_000
"""More different outcomes are kept as hashes."""
HASH, TIMES = np.dtype("<u8"), np.dtype("<i8")
MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
"""What bits are mixed by (SplitMix64)."""


@dataclass(frozen=True, eq=False)
class Seen:
    """How often each outcome was seen."""

    counts: Counts | None
    """The outcomes, unless they are many."""
    hashes: Any
    """Hashes of outcomes in ascending order, if they are many."""
    times: Ints
    """How often each occurred."""

    @classmethod
    def of(cls, counts: Counts) -> Seen:
        """Return those of counts."""
        if len(counts) <= MOST:
            return cls(replace(counts, notes=(), partial={}), None, counts.multiplicities)
        return cls(None, *_hashed(counts))

    @classmethod
    def from_dict(cls, content: Any, where: str) -> Seen:
        """Read what `to_dict` wrote.

        Raises:
            ValueError: if it was written otherwise.
        """
        if "hashes" not in content:
            counts = Counts.from_dict(content, where)
            return cls(counts, None, counts.multiplicities)
        return cls(None, _unpacked(content["hashes"], HASH), _unpacked(content["times"], TIMES))

    def to_dict(self) -> dict[str, Any]:
        """Return them as JSON can hold them."""
        if self.counts is not None:
            return self.counts.to_dict()
        return {"hashes": _packed(self.hashes, HASH), "times": _packed(self.times, TIMES)}

    @property
    def n(self) -> int:
        """How many examples they are."""
        return int(self.times.sum())

    def lost(self, now: Counts) -> str | None:
        """Say which outcome occurs less often now; that of numbers may be that of floats."""
        if self.counts is not None:
            return _lost(self.counts, now)
        hashes, times = _hashed(now)
        place = np.minimum(np.searchsorted(hashes, self.hashes), max(len(hashes) - 1, 0))
        there = np.where(hashes[place] == self.hashes, times[place], 0) if len(hashes) else np.zeros_like(self.times)
        fewer = int((there < self.times).sum())
        if not fewer:
            return None
        return f"{fewer:,} of the {len(self.times):,} different outcomes occur less often than at the last look"


def _lost(old: Counts, new: Counts) -> str | None:
    now = dict(zip(_rows(new), new.multiplicities.tolist(), strict=True))
    for row, times in zip(_rows(old), old.multiplicities.tolist(), strict=True):
        if now.get(row, 0) < times:
            outcome = ", ".join(
                f"{old.names.get(role, role)} {value!r}" for role, value in zip(old.columns, row, strict=True)
            )
            return f"there are {now.get(row, 0):,} examples with {outcome}, and at the last look there were {times:,}"
    return None


def _rows(counts: Counts) -> list[tuple[Any, ...]]:
    return list(zip(*(values.tolist() for values in counts.columns.values()), strict=True))


def _hashed(counts: Counts) -> tuple[Any, Ints]:
    """Return the hashes of outcomes in ascending order, and how often each occurred.

    Outcomes that share a hash are one, which takes nothing away from counts that only grow.
    """
    mixed = np.zeros(len(counts), HASH)
    for values in counts.columns.values():
        mixed = _mixed(mixed + _hashes(values))
    hashes, place = np.unique(mixed, return_inverse=True)
    times = np.zeros(len(hashes), TIMES)
    np.add.at(times, place, counts.multiplicities)
    return hashes, times


def _hashes(values: Values) -> Any:
    """Return 64 bits of each value: the same for equal numbers, as 1, 1.0 and true are."""
    if values.dtype.kind in "bif":
        numbers = values.astype(np.float64) + 0.0  # there is one zero
        with np.errstate(invalid="ignore"):  # the largest whole number becomes a float that is none of them
            rest = values - numbers.astype(values.dtype) if values.dtype.kind == "i" else np.zeros(len(values))
        return _mixed(numbers.view(HASH)) + rest.astype(TIMES).view(HASH)
    levels, codes = factorize(values)
    return np.array([_hash(level) for level in levels.tolist()], HASH)[codes]


def _hash(value: Any) -> int:
    if isinstance(value, bool | int | float):
        return int(_hashes(np.array([value]))[0])
    text = repr(value).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def _mixed(bits: Any) -> Any:
    """Spread the bits of numbers, so that the order of columns matters."""
    bits = (bits ^ (bits >> np.uint64(30))) * MIX[0]
    bits = (bits ^ (bits >> np.uint64(27))) * MIX[1]
    return bits ^ (bits >> np.uint64(31))


def _packed(values: Any, kind: Any) -> str:
    return base64.b64encode(zlib.compress(values.astype(kind).tobytes(), 1)).decode("ascii")


def _unpacked(text: str, kind: Any) -> Any:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), kind)
