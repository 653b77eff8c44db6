"""Weights: how much each example counts in the scores. What they must be, and what they come to in all."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from referee.data.columns import KINDS, Floats, Ints, Values
from referee.errors import InputError, Message

if TYPE_CHECKING:
    from referee.data.counts import Counts

WEIGHT = "weight"
"""The role of the column."""


def check_weights(values: Values) -> Floats:
    """Return weights as floats.

    Raises:
        InputError: if they are not numbers, or one is negative or infinite.
    """
    remedy: str | Message = "give each example a number: how much it counts"
    wrong = ""
    if len(values) and values.dtype.kind not in "iuf":
        wrong = f"weights must be numbers; they are {KINDS[values.dtype.kind]}"
    elif values.min(initial=0) < 0:
        wrong = f"a weight cannot be negative; the smallest is {values.min():g}"
        remedy = "give an example that is not to count the weight 0"
    if wrong:
        raise InputError(wrong, argument=WEIGHT, remedy=remedy)
    return values.astype(np.float64) + 0.0  # which makes -0 a 0


def relative(weights: Floats, multiplicities: Ints) -> Floats:
    """Return weights over their mean, so that their unit has no effect; equal ones are exactly 1."""
    largest = weights.max(initial=0.0)
    own = weights / largest if largest > 0 else weights
    total = math.fsum(
        (own * multiplicities).tolist()
    )  # in whatever order: that of the rows changes if systems are swapped
    result: Floats = own * (float(multiplicities.sum()) / total) if total > 0 else own
    return result


def without_weightless(counts: Counts) -> Counts:
    """Leave out the examples of weight 0, and weights that are all equal, and say so.

    Raises:
        InputError: if none is left.
    """
    weights = counts.get(WEIGHT)
    if weights is None or not len(weights):
        return counts
    if weights.min() == weights.max() > 0:
        same = "all weights are equal, so they change nothing and are left out"
        return replace(counts.without(WEIGHT), notes=(*counts.notes, same))
    if weights.min() > 0:
        return counts
    kept = counts.where(np.asarray(weights > 0))
    if not kept.n:
        raise InputError(
            "all weights are 0, so no example counts", argument=WEIGHT, remedy="check the column of weights"
        )
    gone = counts.n - kept.n
    many = f"{gone:,} examples have" if gone > 1 else "1 example has"
    note = f"{many} weight 0 and {'are' if gone > 1 else 'is'} left out of the scores"
    matched = kept.matched if not counts.paired else replace(counts.matched, both=kept.n)
    return replace(kept, matched=matched, notes=(*counts.notes, note))
