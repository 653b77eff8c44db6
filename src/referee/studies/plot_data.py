"""Portraits: the numbers behind the pictures that a result does not carry, computed from its counts when asked."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from referee.data.columns import Floats, Ints, Mask, factorize, plain
from referee.data.counts import Counts
from referee.errors import RefereeError
from referee.metrics import Metric
from referee.metrics import resolve as resolve_metric
from referee.metrics.labels import Labels
from referee.results.comparison import Comparison, Interval
from referee.runtime.randomness import Streams
from referee.significance import Test
from referee.significance import resolve as resolve_test
from referee.significance.base import interval_at
from referee.significance.distributions import FLIPPED
from referee.significance.null_distribution import Bar, bars
from referee.significance.rank_tally import AnyTally, tally_of
from referee.significance.tally import Tally, canonical
from referee.studies.dependence import merits
from referee.studies.test_choice import choose

CLASSES, GROUPS = 12, 25
"""So many classes and groups are shown."""
ENOUGH = 10
"""With fewer examples a group gets no interval of its own."""
SEED = re.compile(r"\|rng:(\d+)")


@dataclass(frozen=True, kw_only=True)
class Histogram:
    """The law that a p-value is a tail of, as bars, with the value observed on it."""

    bars: tuple[Bar, ...]
    observed: float
    edge: float
    """From where on p counts: the value observed, or 0 where test sets are drawn again."""
    scale: str
    how: str
    redrawn: bool
    times: int
    corrected: bool
    null: float = 0.0
    """The difference that the law is about: none, or a margin"""

    @property
    def counted(self) -> float:
        """The share of the law that p counts."""
        return min(1.0, sum(bar.counted for bar in self.bars))

    def flipped(self) -> Histogram:
        """Return the histogram of the opposite difference."""
        turned = tuple(bar.flipped() for bar in reversed(self.bars))
        return replace(self, bars=turned, observed=-self.observed, edge=-self.edge, null=-self.null)

    def moved(self, null: float) -> Histogram:
        """Return the histogram around a null value other than 0."""
        bars = tuple(replace(bar, low=bar.low + null, high=bar.high + null) for bar in self.bars)
        return replace(self, bars=bars, observed=self.observed + null, edge=self.edge + null, null=null)


@dataclass(frozen=True, kw_only=True)
class Joint:
    """How often both systems, one alone, or neither did well on the examples of a class."""

    label: str
    both: int
    only_a: int
    only_b: int
    neither: int

    @property
    def n(self) -> int:
        """How many examples there are."""
        return self.both + self.only_a + self.only_b + self.neither


@dataclass(frozen=True, kw_only=True)
class Outcomes:
    """The joint outcomes of every class, the largest first."""

    classes: tuple[Joint, ...]
    kind: str
    """"labels" (right or wrong), "open" (response sets: what neither mentions is not counted), or "scores" (who does
    better, where `neither` is empty and `both` are equals)."""
    merged: int = 0
    """How many classes the last row stands for, where there are too many to show."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """The difference inside one group, or one stratum."""

    label: str
    difference: float
    interval: Interval | None
    n: int


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The differences by group or stratum: the largest of them, and how many each way in all."""

    rows: tuple[Part, ...]
    """From the least difference to the greatest."""
    by: str
    total: int
    higher: int
    lower: int
    """In how many the score of b is higher, or lower, than that of a."""
    blank: int
    """In how many there is no score."""


@dataclass(frozen=True, kw_only=True)
class Portrait:
    """What pictures of a comparison are drawn from; None where the data do not have it."""

    luck: Histogram | None = None
    outcomes: Outcomes | None = None
    parts: Parts | None = None


def portrait(r: Comparison) -> Portrait:
    """Compute what pictures of a comparison need beyond its own numbers.

    Args:
        r: the result; one that was read from a file has no counts, and then there is nothing to draw from.

    Returns:
        The null law as a histogram, the joint outcomes by class, and the differences by group.
    """
    counts = r.counts
    if counts is None or r.difference is None:
        return Portrait()
    try:
        metric = resolve_metric(r.metric)
        tally = tally_of(counts, metric)
    except RefereeError:  # a metric of the user's own that goes by no name
        return Portrait(outcomes=_spare(lambda: _labels(counts)) if "truth" in counts else None)
    return Portrait(
        luck=_spare(lambda: _luck(r, tally)),
        outcomes=_spare(lambda: _outcomes(counts, metric)),
        parts=_spare(lambda: _parts(r, counts, tally)),
    )


T = TypeVar("T")


def _spare(make: Callable[[], T | None]) -> T | None:
    """Return what is made; a picture that the data cannot give is left out."""
    try:
        return make()
    except RefereeError:
        return None


def _luck(r: Comparison, tally: AnyTally) -> Histogram | None:
    if r.p_value is None:
        return None
    seed = SEED.search(r.signature)
    streams = Streams.of(int(seed[1]) if seed else 0)
    oriented, flipped = canonical(tally)
    test, null, alternative = resolve_test(r.test), 0.0, r.alternative
    if r.question == "better":
        law = test.luck(oriented, FLIPPED[alternative] if flipped else alternative, streams)
    else:
        null, alternative = _nearest_margin(r, test, oriented, flipped, streams)
        law = test.luck_at(oriented, null, alternative, streams)
    if law is None or not len(law.values):
        return None
    made = Histogram(
        bars=bars(law),
        observed=law.observed,
        edge=law.edge,
        scale=law.scale,
        how=law.how,
        redrawn=law.redrawn,
        times=law.times,
        corrected=law.corrected,
    ).moved(null)
    return made.flipped() if flipped else made


def _nearest_margin(r: Comparison, test: Test, tally: AnyTally, flipped: bool, streams: Streams) -> tuple[float, str]:
    """Return the margin that the p-value of a question is about, and the alternative: of two, those with the larger p."""
    margin = r.margin or 0.0
    below, above = (-margin, "greater"), (margin, "less")
    if r.question == "no-worse":
        return below if r.higher_is_better != flipped else above
    return max((below, above), key=lambda side: test.p_at(tally, side[0], side[1], streams) or 0.0)


def _outcomes(counts: Counts, metric: Metric) -> Outcomes | None:
    if metric.task in ("binary", "multiclass", "labels"):
        return _labels(counts)
    found = merits(counts, metric)
    if found is None:
        return None
    a, b = found
    here = np.zeros(len(counts), np.int64)
    if metric.task == "scores" and all(np.isin(side, (0.0, 1.0)).all() for side in (a, b)):
        return Outcomes(classes=_joint(["all"], here, a > 0, b > 0, counts.multiplicities), kind="labels")
    # Of scores that are equal nobody says whether they are good: all of them count as "both".
    return Outcomes(classes=_joint(["all"], here, a >= b, b >= a, counts.multiplicities), kind="scores")


def _labels(counts: Counts) -> Outcomes:
    truth = counts["truth"]
    a, b = (np.asarray(truth == counts[role], dtype=np.bool_) for role in ("a", "b"))
    if counts.open:
        wanted = truth == Labels.of(counts).find_positive(counts.positive, "f1")
        names, place = ["in the truth", "spurious"], np.where(wanted, 0, 1)
        rows = _joint(names, place, a, b, counts.multiplicities)
        return Outcomes(classes=tuple(row for row in rows if row.n), kind="open")
    levels, place = factorize(truth)
    rows = _joint([str(plain(level)) for level in levels], place, a, b, counts.multiplicities)
    rows = tuple(sorted(rows, key=lambda row: -row.n))
    if len(rows) <= CLASSES:
        return Outcomes(classes=rows, kind="labels")
    rest = rows[CLASSES - 1 :]
    other = Joint(
        label=f"{len(rest)} others",
        both=sum(row.both for row in rest),
        only_a=sum(row.only_a for row in rest),
        only_b=sum(row.only_b for row in rest),
        neither=sum(row.neither for row in rest),
    )
    return Outcomes(classes=(*rows[: CLASSES - 1], other), kind="labels", merged=len(rest))


def _joint(labels: list[str], place: Ints, a: Mask, b: Mask, weights: Ints) -> tuple[Joint, ...]:
    """Count who is right, class by class."""
    cells = [np.bincount(place, weights * which, len(labels)) for which in (a & b, a & ~b, b & ~a, ~a & ~b)]
    return tuple(
        Joint(label=label, both=int(both), only_a=int(only_a), only_b=int(only_b), neither=int(neither))
        for label, both, only_a, only_b, neither in zip(labels, *cells, strict=True)
    )


def _parts(r: Comparison, counts: Counts, tally: AnyTally) -> Parts | None:
    """Return the differences by group, or by stratum where there are no groups."""
    by = next((role for role in ("group", "stratum") if role in counts), None)
    if by is None or not isinstance(tally, Tally):
        return None
    levels, place = factorize(counts[by])
    if len(levels) < 2:
        return None
    scores, blank = _inside(counts, tally, place, len(levels))
    difference = scores[:, 1] - scores[:, 0]
    difference[np.abs(difference) <= tally.tolerance(scores)] = 0.0
    sizes = np.bincount(place, counts.multiplicities, len(levels)).astype(np.int64)
    there = np.flatnonzero(~blank)
    # Of groups of one size, those that say most.
    shown = there[np.lexsort((-np.abs(difference[there]), -sizes[there]))][:GROUPS]
    rows = [
        Part(
            label=str(plain(levels[i])),
            difference=float(difference[i]),
            interval=_interval(r, counts.where(place == i).without(by), tally.metric),
            n=int(sizes[i]),
        )
        for i in shown.tolist()
    ]
    return Parts(
        rows=tuple(sorted(rows, key=lambda row: (row.difference, row.n, row.label))),
        by=by,
        total=len(levels),
        higher=int((difference[there] > 0).sum()),
        lower=int((difference[there] < 0).sum()),
        blank=int(blank.sum()),
    )


def _inside(counts: Counts, tally: Tally, place: Ints, size: int) -> tuple[Floats, Mask]:
    """Return the scores [part, system] inside each part, and where there is none."""
    if tally.metric.averaged or tally.metric.task == "multiclass":
        # An average is over the classes that a part has, which may be fewer than those of all.
        parts = (tally_of(counts.where(place == i).without("group", "stratum"), tally.metric) for i in range(size))
        found = np.array([part.observed() for part in parts])
        return found, ~np.isfinite(found).all(axis=1)
    truth = counts.get("truth")
    own = np.stack([tally.bound.statistics(truth, counts[role]) for role in ("a", "b")], axis=1)
    flat = own.reshape(len(own), -1) * counts.multiplicities[:, None]
    summed: Floats = np.stack([np.bincount(place, column, size) for column in flat.T], axis=1)
    totals = summed.reshape(size, *own.shape[1:])
    formula = tally.bound.formula
    return formula.score(totals), np.asarray(formula.vague(totals).all(axis=-1), dtype=np.bool_)


def _interval(r: Comparison, counts: Counts, metric: Metric) -> Interval | None:
    """Return an interval inside one part, its examples taken as independent; None of a few."""
    if counts.n < ENOUGH:
        return None
    oriented, flipped = canonical(tally_of(counts, metric))
    if not np.isfinite(oriented.observed()).all():
        return None
    made = interval_at(choose(oriented)[0], oriented, 1 - r.alpha, Streams.of(0))
    return made.flipped() if made is not None and flipped else made
