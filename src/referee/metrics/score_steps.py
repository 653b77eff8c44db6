"""Steps: how many positives and negatives have each distinct score, from which metrics of ranks are computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from referee.data.columns import Floats, Ints, Mask, Values


@dataclass(frozen=True, eq=False)
class Ladder:
    """Rows in ascending order of their scores, and the steps that equal scores make."""

    order: Ints
    steps: Ints | None
    """The last place of each step; None where each row is one."""
    positives: Ints
    """The rows that are positive, in that order."""
    ends: Ints | None
    """How many of these there are up to each step; None where each is one, and there are no others."""

    @classmethod
    def of(cls, scores: Floats, positive: Mask, *, merged: bool) -> Ladder:
        """Sort scores; `merged`, negatives that lie between two positives join the step of the lower one."""
        order = np.argsort(scores, kind="stable")
        new = np.diff(scores[order], prepend=-np.inf) != 0
        ranked = positive[order]
        if merged:
            starts = np.flatnonzero(new)
            new[starts[np.add.reduceat(ranked.astype(np.int64), starts) == 0]] = False
            new[:1] = True
        last = np.flatnonzero(np.append(new[1:], True))
        ends: Ints = np.cumsum(ranked, dtype=np.int64)[last]
        alone = len(ends) == ends[-1] and bool((ends == np.arange(1, len(ends) + 1)).all())
        return cls(order, None if new.all() else last, order[ranked], None if alone else ends)

    def climb(self, weights: Values, names: Sequence[str]) -> dict[str, Floats]:
        """Return what a metric asks for of each step, [draw, step].

        Whole numbers are added up as such, which is exact and several times as fast.
        """
        rows = np.cumsum(np.take(weights, self.order, axis=1), axis=1)
        rows = rows if self.steps is None else np.take(rows, self.steps, axis=1)
        found = np.cumsum(np.take(weights, self.positives, axis=1), axis=1)
        if self.ends is not None:
            found = np.concatenate([np.zeros_like(found, shape=(len(found), 1)), found], axis=1)
            found = np.take(found, self.ends, axis=1)
        return steps_of(_increments(found), _increments(rows - found) if "negatives" in names else None, found, rows)


def steps_of(
    positives: Values, negatives: Values | None, found: Values | None = None, rows: Values | None = None
) -> dict[str, Floats]:
    """Return by name what metrics of ranks are functions of.

    Args:
        positives: how many have each distinct score, in ascending order.
        negatives: the same; None where they are not asked for.
        found: the positives added up from below, where that is known.
        rows: all rows added up from below.
    """
    if found is None or rows is None:
        found = np.cumsum(positives, axis=-1)
        rows = found if negatives is None else found + np.cumsum(negatives, axis=-1)
    out = {"positives": positives, "found": _from_above(found), "answers": _from_above(rows)}
    if negatives is not None:
        out["negatives"] = negatives
    return {name: part.astype(np.float64, copy=False) for name, part in out.items()}


def _from_above(sums: Values) -> Values:
    """Turn sums from below, each with its own step, into sums from above."""
    out: Values = np.empty_like(sums)
    out[..., :1] = sums[..., -1:]
    np.subtract(sums[..., -1:], sums[..., :-1], out=out[..., 1:])
    return out


def _increments(sums: Values) -> Values:
    """Return by how much sums grow from one column to the next."""
    out: Values = sums.copy()
    out[..., 1:] -= sums[..., :-1]
    return out
