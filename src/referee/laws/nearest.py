"""Nearest worlds: of all shares of outcomes at which a difference has a given value, those that make the data likeliest."""

from __future__ import annotations

import numpy as np

from referee.laws.newton import newton
from referee.laws.sphere import over_sphere
from referee.laws.tangents import tangents
from referee.laws.worlds import Question, Space, Worlds
from referee.values import Floats, Mask


def nearest(space: Space, question: Question, start: Floats | None = None) -> Worlds:
    """Find the nearest world of each row.

    Args:
        space: what can happen.
        question: what is asked.
        start: expected counts to begin from, where a world nearby is known.
    """
    if space.is_wide:
        return tangents(space, question)
    if start is not None:
        return newton(space, question, space.unseen, start)
    still = (question.value == question.centre) & ~question.is_aimed
    made = _at_rest(space, question, still)
    # Next to 0/0 Newton's method swings, and is tried last; what is aimed for is found by it at once, or by walking there.
    slow = ~question.is_aimed & space.is_vague(question)
    for way, rows in ((newton, ~slow), (over_sphere, ~question.is_aimed), (newton, slow)):
        open_ = np.flatnonzero(rows & ~made.sure)
        if len(open_):
            made = made.merged(open_, way(space, question.take(open_)))
    return made


def _at_rest(space: Space, question: Question, still: Mask) -> Worlds:
    """Return the data for the nearest worlds of themselves, which they are of rows that ask for their own value."""
    expected, root = np.maximum(question.counts, space.unseen), np.where(still, 0.0, np.nan)
    return Worlds(expected, question.value, root, np.where(still, 0.0, np.inf), still, still, 0)
