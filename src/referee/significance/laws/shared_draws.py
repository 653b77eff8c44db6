"""Shared draws: one set of bootstrap draws for any number of systems, so that every pair of them is compared on the same test sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from referee.data.columns import Floats, Ints, Mask, factorize
from referee.data.counts import Counts
from referee.data.crossed_groups import CROSSED
from referee.data.weights import WEIGHT
from referee.metrics.base import Metric
from referee.metrics.binding import Bound
from referee.metrics.matrices import beside, full
from referee.runtime.randomness import Streams, blocks
from referee.significance.laws.resample import BOOTSTRAP, Drawing, Resamples, members
from referee.significance.rank_tally import AnyTally, first_side
from referee.significance.strata import merge_lonely, strata_of
from referee.significance.tally import AT_ONCE, chunks, sum_groups

TASKS = ("sums", "scores", "numbers", "probabilities", "labels", "binary")
"""The tasks of metrics whose formula does not depend on which systems there are."""


@dataclass(frozen=True, eq=False)
class SharedDraws:
    """The scores [draw, system] of all systems on the same bootstrap draws."""

    scores: Floats
    vague: Mask
    """Where a score met 0/0."""
    key: tuple[object, ...]
    """What a tally knows such draws by."""

    def give(self, tally: AnyTally, pair: Sequence[int], flipped: bool) -> None:
        """Let the tally of two systems, by their places, remember these draws; not where it is its own mirror image (resample)."""
        first, second = tally.observed().tolist()
        if first == second and first_side(tally, tally.mirror()) == 0:
            return
        both = list(pair)[:: -1 if flipped else 1]
        undefined = float(self.vague[:, both].any(axis=1).mean())
        tally.memory[self.key] = Resamples(self.scores[:, both], None, undefined)


def shared_draws(counts: Counts, metric: Metric, replicates: int, streams: Streams) -> SharedDraws | None:
    """Draw for all systems of counts at once; None for metrics that look at each pair anew, and data of uneven units."""
    if metric.task not in TASKS or metric.averaged or WEIGHT in counts or CROSSED in counts:
        return None
    bound, own = metric.bind(counts), streams.child(BOOTSTRAP)
    columns, weights, strata = _units(counts, bound)
    # Systems share some sums, such as the words of the references: each is drawn once.
    columns, place = np.unique(columns, axis=1, return_inverse=True)
    place = np.ravel(place)
    systems, drawing, parts = len(counts.systems), Drawing(weights, members(strata), own), list[Floats]()
    for _, count in blocks(replicates, drawing.size, "resampling"):
        for part in chunks(count, len(weights), AT_ONCE):
            keep = drawing.take(part.stop - part.start).astype(np.float64)
            parts.append(keep @ columns)
    sums = np.concatenate(parts)[:, place].reshape(replicates, systems, -1)
    scores, vague = bound.formula.score(sums), bound.formula.vague(sums)
    return SharedDraws(scores, np.asarray(vague), ("bootstrap", replicates, own.key))


def _units(counts: Counts, bound: Bound) -> tuple[Floats, Ints, Ints]:
    """Return [unit, system and statistic], how often each unit occurs, and its stratum."""
    truth, weights, strata = counts.get("truth"), counts.multiplicities, strata_of(counts)
    every = beside([bound.statistics(truth, counts[role]) for role in counts.systems])
    if "group" in counts:
        every, strata = sum_groups(every, strata, weights, factorize(counts["group"])[1])
        weights = np.ones(len(strata), np.int64)
    return full(every), weights, merge_lonely(strata, weights)[0]
