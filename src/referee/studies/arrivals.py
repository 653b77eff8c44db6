"""Arrivals: the rows of a table in their order, as counts of ever more of them, so that evidence is known example by example."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from referee.data.columns import Ints, Values
from referee.data.counts import Counts
from referee.data.engines.base import Blocks
from referee.data.outcomes import Outcomes
from referee.errors import NotReady
from referee.metrics import Metric
from referee.metrics.labels import seen_by
from referee.significance.anytime import Differences
from referee.significance.bootstrap import Bootstrap
from referee.significance.rank_tally import AnyTally, tally_of
from referee.significance.test_choice import choose
from referee.studies import prepare

MOST = 2_000
"""Evidence is computed after every example of so many; of more, after as many steps of equal size."""
FEW = 40
"""Of so many steps asymptotic evidence is held against a margin, which takes a search for each."""
CELLS = 1 << 21
"""So many counts a batch of ever more examples may have."""
NO_ORDER = "these data have no order: evidence is computed once per look"
SPREAD = (
    "the rows of a group do not stand together, so no group is known to be complete: evidence is computed once per look"
)
DRAWN = "the standard error of {} is resampled, which takes long: evidence is computed once per look"
CROSSED = "with crossed groups evidence is computed once per look"


@dataclass(frozen=True, eq=False)
class Arrivals:
    """Ever more of the rows of a table, from the last look on."""

    tally: AnyTally
    batch: Ints
    """[step, unit] how often each unit is among the first examples, for ever more of them; the last step is all there are."""
    sizes: Ints
    """[step] how many examples these are"""


def before(outcomes: Outcomes | Counts, rows: int, total: int) -> tuple[Counts | None, Counts | None]:
    """Return the counts of the first rows of a table, and those of its blocks, a slice each; None if it has no order.

    Args:
        outcomes: the table.
        rows: how many rows there were at the last look.
        total: how many there are now.
    """
    if isinstance(outcomes, Counts) or rows > total:
        return None, None
    sliced = outcomes.count_blocks(Blocks(rows, max(1, -(-(total - rows) // MOST)), total))
    if sliced is None:
        return None, None
    places = np.array([int(block) for block in sliced["slice"].tolist()], dtype=np.int64)
    sliced = sliced.put(slice=places)
    first = sliced["slice"] == 0
    return (sliced.where(first).without("slice") if first.any() else None), sliced


@dataclass(frozen=True, eq=False)
class Groups:
    """Which groups of a table are complete: where the rows of each stand together, all but that of the last row."""

    open: Values
    """Those that more rows may come to."""
    spread: bool = False
    """Whether rows do not stand together, so that none is known to be complete."""

    @classmethod
    def of(cls, outcomes: Outcomes | Counts, counts: Counts) -> Groups:
        """Look for them in a table with the given counts; where it has no order or no groups, none is open."""
        none = np.array([], dtype=object)
        if isinstance(outcomes, Counts) or "group" not in counts or "crossed" in counts:
            return cls(none)
        rows = counts.n + counts.matched.dropped
        size = -(-rows // MOST)
        # The last block is the last row alone.
        sliced = outcomes.count_blocks(Blocks((rows - 1) % size, size, rows))
        if sliced is None:
            return cls(none)
        own, block = sliced["group"], sliced["slice"].astype(np.int64)
        if _spread(*_spans(np.unique(own, return_inverse=True)[1], block)):
            return cls(none, spread=True)
        return cls(np.unique(own[block == block.max()]))

    def complete(self, counts: Counts) -> Counts:
        """Return counts without the groups that are open."""
        if not len(self.open):
            return counts
        kept = counts.where(~np.isin(counts["group"], self.open))
        return replace(kept, matched=replace(counts.matched, both=kept.n))


def _spans(place: Ints, block: Ints) -> tuple[Ints, Ints]:
    """Return the first and the last block of each group, of which each row has the number."""
    groups = int(place.max()) + 1
    first, last = np.full(groups, int(block.max())), np.zeros(groups, np.int64)
    np.minimum.at(first, place, block)
    np.maximum.at(last, place, block)
    return first, last


def _spread(first: Ints, last: Ints) -> bool:
    """Say whether groups begin before another has ended."""
    order = np.lexsort([last, first])
    return bool((last[order][:-1] > first[order][1:]).any())


def arrivals(
    sliced: Counts | None, counts: Counts, metric: Metric, threshold: float | None, margin: bool = False
) -> tuple[Arrivals | None, str]:
    """Return ever more of the rows of a table, or why they cannot be had.

    Groups come in when they are complete, which is known where the rows of each stand together.

    Args:
        sliced: the counts of its blocks.
        counts: those of all.
        metric: what is compared.
        threshold: where scores are cut.
        margin: whether evidence is held against a margin, too.

    Raises:
        InputError: if the table changed while it was read.
    """
    if sliced is None:
        return None, NO_ORDER
    if sliced.without("slice") != counts:
        raise NotReady("the data changed while they were read", remedy="look again once the rows are written")
    own = seen_by(metric, prepare.settled(sliced), threshold)
    if "crossed" in own:
        return None, CROSSED
    tally = tally_of(own, metric)
    if isinstance(choose(tally)[0], Bootstrap):
        return None, DRAWN.format(metric.info.name)
    units, sizes, last = tally.place, own.multiplicities, own["slice"]
    steps = int(last.max()) + 1
    if "group" in own:
        _, place = np.unique(own["group"], return_inverse=True)
        first, last = _spans(place, last)
        if _spread(first, last):
            return None, SPREAD
        sizes, times = np.bincount(place, sizes, len(units)).astype(np.int64), np.ones(len(units), np.int64)
    else:
        times = sizes
    slow = margin and Differences.of(tally) is None
    ends = _ends(steps, FEW if slow else CELLS // max(len(tally.multiplicities), 1))
    step = np.searchsorted(ends, last)
    batch = np.zeros((len(ends), len(tally.multiplicities)), np.int64)
    np.add.at(batch, (step, units), times)
    grown = np.bincount(step, sizes, len(ends)).astype(np.int64).cumsum()
    new = np.flatnonzero(ends > 0)
    return Arrivals(tally, batch.cumsum(axis=0)[new], grown[new]), ""


def _ends(blocks: int, most: int) -> Ints:
    """Return the last block of each step: a step per block, unless these are too many; block 0 is what was known."""
    return np.unique(np.linspace(0, blocks - 1, min(blocks, max(most, 1) + 1)).round().astype(np.int64))
