"""The progress of a watch: the most evidence so far, where intervals overlap, and when it was enough; each look adds to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from referee.data.columns import Floats, Ints
from referee.results.comparison import Comparison, Interval
from referee.results.settings import Verdict
from referee.results.watch import Stopped, WatchLook
from referee.studies.watch_evidence import Asked

MOST_INTERVALS = 40
"""Of so many steps of one look the interval is computed, besides those with the most evidence."""
MOST_LOOKS = 190
"""So many looks are kept for a picture, and those at which something happened."""
WITH_INTERVALS = 80
"""Of so many of them intervals are kept."""
Bounds = tuple[float | None, float | None]
OPEN: Bounds = (None, None)


@dataclass(frozen=True, eq=False)
class Steps:
    """Ever more examples, from the last look on; a single step where only all of them are known."""

    sizes: Ints
    """[step] how many examples"""
    units: Ints
    """[step] how many units"""
    evidence: Floats
    """[step, null, side]"""
    differences: Floats
    """[step]; NaN where there is none"""
    interval: Callable[[int, float], Interval | None]
    """The interval of a step at a level."""


@dataclass(frozen=True, kw_only=True)
class Progress:
    """What all looks so far come to."""

    n: int = 0
    looked: int = 0
    best: tuple[tuple[float, ...], ...]
    """The most evidence so far: [null][side]."""
    bounds: Bounds = OPEN
    """Where the intervals so far overlap; the wrong way round if they have nothing in common."""
    margin_bounds: Bounds = OPEN
    verdict: Verdict | None = None
    """Why it stopped, once it has."""
    stopped_at: Stopped | None = None
    looks: tuple[WatchLook, ...] = ()

    @classmethod
    def start(cls, asked: Asked) -> Progress:
        """Return what there is before the first look."""
        return cls(best=((0.0, 0.0),) * len(asked.nulls))

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Progress:
        """Read what `to_dict` wrote."""
        stopped, fields = content["stopped_at"], dict(content)
        fields |= {"looks": tuple(WatchLook(**look) for look in content["looks"])}
        fields |= {"stopped_at": stopped and Stopped(**stopped), "best": tuple(map(tuple, content["best"]))}
        return cls(**{**fields, **{name: tuple(content[name]) for name in ("bounds", "margin_bounds")}})

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
        return asdict(self)

    def advanced(self, steps: Steps, asked: Asked, present: Comparison) -> Progress:
        """Return what it comes to with another look."""
        look, sizes = self.looked + 1, steps.sizes.tolist()
        best = np.maximum.accumulate(np.concatenate([np.array(self.best)[None], steps.evidence]))
        verdict, stopped = self.verdict, self.stopped_at
        if verdict is None:
            verdicts = (asked.verdict(row) for row in best[1:])
            place, verdict = next(((place, one) for place, one in enumerate(verdicts) if one), (0, None))
            if verdict is not None:
                after = sizes[place - 1] if place else self.n
                stopped = Stopped(n=sizes[place], look=look, after=after)
        chosen = self._telling(steps, stopped)
        inner = {place: steps.interval(place, asked.level) for place in chosen[:-1]}
        intervals = {**inner, len(sizes) - 1: present.interval}
        wide = [present.margin_interval]
        if asked.margin is not None and asked.question == "better":
            wide += [steps.interval(place, 1 - 2 * asked.alpha) for place in self._most(steps)]
        for_b, for_a = asked.shown(steps.evidence)
        new = [
            WatchLook(
                look=look, n=sizes[place], units=int(steps.units[place]), log_evidence_b=float(for_b[place]),
                log_evidence_a=float(for_a[place]), p=asked.p(steps.evidence[place]),
                difference=float(steps.differences[place]) if np.isfinite(steps.differences[place]) else None,
                low=None if own is None else own.low, high=None if own is None else own.high,
            )
            for place in range(len(sizes))
            for own in (intervals.get(place),)
        ]  # fmt: skip
        return replace(
            self, n=sizes[-1], looked=look, best=tuple(map(tuple, best[-1].tolist())), verdict=verdict, stopped_at=stopped,
            bounds=overlap(self.bounds, intervals.values()), margin_bounds=overlap(self.margin_bounds, wide),
            looks=thinned((*self.looks, *new), stopped),
        )  # fmt: skip

    def _most(self, steps: Steps) -> list[int]:
        """Return the steps with more evidence of something than there was before: there an interval is at its narrowest."""
        found = set[int]()
        for null, before in enumerate(self.best):
            for side, most in enumerate(before):
                place = int(steps.evidence[:, null, side].argmax())
                found |= {place} if steps.evidence[place, null, side] > most else set()
        return sorted(found)

    def _telling(self, steps: Steps, stopped: Stopped | None) -> list[int]:
        """Return the steps whose interval is computed: some at even distances, those with the most evidence, and the last."""
        last = len(steps.sizes) - 1
        even = np.linspace(0, last, MOST_INTERVALS).round().astype(int).tolist() if last > 0 else [0]
        crossing = np.flatnonzero(steps.sizes == stopped.n).tolist() if stopped else []
        return sorted({*even, *self._most(steps), *crossing, last})


def overlap(bounds: Bounds, intervals: Iterable[Interval | None]) -> Bounds:
    """Return where an interval overlaps with others."""
    low, high = bounds
    for one in intervals:
        if one is not None:
            low = one.low if low is None else max(low, one.low)
            high = one.high if high is None else min(high, one.high)
    return low, high


def thinned(looks: Sequence[WatchLook], stopped: Stopped | None) -> tuple[WatchLook, ...]:
    """Return so many of the looks that a picture has enough of them, at about even distances; the crossing and the ends always."""
    if len(looks) <= MOST_LOOKS:
        return tuple(looks)
    there = [look for look in looks if look.low is not None]
    bare = [look for look in looks if look.low is None]
    kept = {looks[0].n, looks[-1].n, *([stopped.n] if stopped else [])}
    kept |= _spread(there, WITH_INTERVALS) | _spread(bare, MOST_LOOKS - WITH_INTERVALS)
    return tuple(look for look in looks if look.n in kept)


def _spread(looks: Sequence[WatchLook], most: int) -> set[int]:
    """Return the sizes of the looks that come first in each of so many equal parts of the way."""
    end = looks[-1].n + 1 if looks else 1
    first: dict[int, int] = {}
    for look in looks:
        first.setdefault(look.n * most // end, look.n)
    return set(first.values())
