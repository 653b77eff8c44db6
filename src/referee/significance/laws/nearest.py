"""Nearest worlds: of all shares of outcomes at which a difference has a given value, those that make the data likeliest."""

from __future__ import annotations

import numpy as np

from referee.data.columns import Floats, Mask
from referee.significance.laws.newton import newton
from referee.significance.laws.newton_few import Few
from referee.significance.laws.newton_many import Many
from referee.significance.laws.sphere import AIMED, SPHERE, over_sphere
from referee.significance.laws.worlds import Question, Space, Worlds


def nearest(space: Space, question: Question, start: Floats | None = None) -> Worlds:
    """Find the nearest world of each row.

    Args:
        space: what can happen.
        question: what is asked.
        start: expected counts to begin from, where a world nearby is known.
    """
    if start is not None:
        return newton((Many if space.is_wide else Few)(space, question, space.unseen, start))
    if space.is_wide:
        # Each row is as large as a batch of small ones.
        return Worlds.joined([_of_many(space, question.take([row])) for row in range(len(question))])
    made = _at_rest(space, question)
    # Next to 0/0 Newton's method swings, and is tried last; what is aimed for is found by it at once, or by walking there.
    slow = ~question.is_aimed & space.is_vague(question)
    for way, rows in ((_by_newton, ~slow), (over_sphere, ~question.is_aimed), (_by_newton, slow)):
        open_ = np.flatnonzero(rows & ~made.sure)
        if len(open_):
            made = made.merged(open_, way(space, question.take(open_)))
    return made


def _by_newton(space: Space, question: Question) -> Worlds:
    return newton(Few(space, question))


def _of_many(space: Space, question: Question) -> Worlds:
    """Find the nearest world of a single row, of many classes: by Newton's method, or slowly and then by it from there."""
    made, row = _at_rest(space, question), np.arange(1)
    if not made.sure[0] and not space.is_vague(question)[0]:
        made = made.merged(row, newton(Many(space, question)))
    if not made.sure[0]:
        slow = over_sphere(space, question)
        if slow.found[0] and slow.rounds == (AIMED if question.is_aimed[0] else SPHERE)[-1]:
            sharp = newton(Many(space, question.at(slow.value), space.unseen, slow.expected))
            slow = sharp if sharp.sure[0] else slow
        made = made.merged(row, slow)
    return made


def _at_rest(space: Space, question: Question) -> Worlds:
    """Return the data for the nearest worlds of themselves, which they are of rows that ask for their own value.

    A distance is asked for at that value only where it is the end of the range, and nothing lies beyond.
    """
    still: Mask = question.value == question.centre
    expected, root = np.maximum(question.counts, space.unseen), np.where(still, 0.0, np.nan)
    return Worlds(expected, question.value, root, np.where(still, 0.0, np.inf), still, still, 0)
