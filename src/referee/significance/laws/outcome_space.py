"""The space of a tally: its units, and the outcomes that did not occur and might have."""

from __future__ import annotations

import numpy as np

from referee.metrics.matrices import below, beside, distinct_units
from referee.significance.laws.worlds import Space
from referee.significance.tally import Tally


def has_space(tally: Tally) -> bool:
    """Say whether it is known what might have occurred: single examples, whose statistics are on a known scale."""
    return not tally.grouped and tally.bound.possible is not None


def space_of(tally: Tally) -> Space:
    """Return everything that can happen to an example of a tally; its units come first, in their order."""
    known = tally.memory.get("space")
    if isinstance(known, Space):
        return known
    possible = tally.bound.possible
    both, strata = tally.both, tally.strata
    own = both.shape[0]
    if possible is not None:
        answers = possible()
        first, second = answers.joint()
        more = beside([answers.statistics[first], answers.statistics[second]])
        present = np.unique(strata)
        tiled = below([both, *[more] * len(present)])
        labels = np.concatenate([strata, np.repeat(present, more.shape[0])])
        order, starts = distinct_units(tiled, labels)
        new = np.sort(order[starts])
        kept = np.concatenate([np.arange(own), new[new >= own]])
        both, strata = tiled[kept], labels[kept]
    made = Space(tally.bound.formula, both, np.unique(strata, return_inverse=True)[1], own)
    tally.memory["space"] = made
    return made
