"""Nearest worlds: of all shares of outcomes at which a difference has a given value, those that make the data likeliest."""

from __future__ import annotations

import numpy as np

from referee.data.columns import Floats, Mask
from referee.metrics.matrices import times
from referee.significance.laws.newton import Few, newton, solved
from referee.significance.laws.newton_many import Many
from referee.significance.laws.worlds import (
    CLOSE,
    FIRST,
    NEARLY,
    ROUGH,
    SURE,
    THERE,
    Question,
    Space,
    Worlds,
    distances,
    finish,
    likelihood_lost,
)


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


SPHERE, AIMED = (60, 120, 300), (80, 200, 500)
"""After how many rounds the steps are halved, halved again, and end: what swings is damped; and the same for a distance."""
GROWN = 1.4
"""By what factor a value then moves away from the data."""
STEP = 0.7
"""How much of the way to nothing a step may go."""


def over_sphere(space: Space, asked: Question) -> Worlds:
    """Find nearest worlds over the sphere of x = 2√m, where the likelihood bends alike for all that was seen and was not.

    Slow and sure: each step goes to the top of the likelihood's parabola along the tangents of what is held. A score whose slope
    is infinite where a system always says the same (MCC) is straight in x.
    """
    member = (space.strata[:, None] == np.arange(int(space.strata.max(initial=0)) + 1)).astype(np.float64)
    filled = np.where(asked.counts > 0, asked.counts, space.unseen)
    sizes, value = filled @ member, asked.inside(asked.value)
    x = 2 * np.sqrt(np.maximum(asked.counts, FIRST))
    aimed = bool(asked.is_aimed.any())
    plan = AIMED if aimed else SPHERE
    used = 0
    for used in range(1, plan[-1] + 1):
        m = x * x / 4
        totals = times(m, space.both)
        off, short = value - space.values(totals, asked.signs), sizes - m @ member
        held = np.concatenate(
            [
                (times(space.slopes(totals, asked.signs), space.both.T) * x / 2)[:, None, :],
                (x[:, :, None] * member / 2).transpose(0, 2, 1),
            ],
            axis=1,
        )
        bend, pull = 2 * filled / x**2 + 0.5, 2 * filled / x
        over = held / bend[:, None, :]
        missing = np.concatenate([off[:, None], short], axis=1) - (over @ pull[:, :, None])[:, :, 0]
        rates = solved(over @ held.transpose(0, 2, 1), missing, np.ones((len(x), 0)))
        step = (pull + (held.transpose(0, 2, 1) @ rates[:, :, None])[:, :, 0]) / bend
        missed = np.abs(step * bend * x).sum(axis=1) / 2
        lost = np.maximum(likelihood_lost(asked.counts, m), 0.01)
        there = (np.abs(off) <= THERE) & (np.abs(short) <= THERE * sizes).all(axis=1)
        near = (np.abs(off) <= NEARLY) & (np.abs(short) <= NEARLY * sizes).all(axis=1) & (missed <= ROUGH * lost)
        root = distances(asked.counts, m)
        far = ~asked.is_aimed | (np.abs(root - asked.aim) <= NEARLY * asked.aim) | asked.ends(value, root)
        settled = there & far & (missed <= CLOSE * lost)
        if used == plan[-1] or bool(settled.all()):
            break
        if aimed:
            # Late in the search a value that is about right stays, for the rest to settle.
            done = far | ((used > plan[1]) & (np.abs(root - asked.aim) <= 0.02 * ROUGH))
            value = np.where(near & ~done, _nearer(asked, value, root, rates[:, 0]), value)
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(step < 0, -x / step, np.inf).min(axis=1)
        most = 0.5 ** sum(used > until for until in plan)
        # A row that is there stays, so that it has the same numbers in any company.
        x = x + np.where(settled, 0.0, np.minimum(most, STEP * room))[:, None] * step
    sure = there & far & (missed <= SURE * lost)
    rough = asked.is_aimed & ~far & (np.abs(root - asked.aim) <= ROUGH)
    value = np.where(rough, _nearer(asked, value, root, rates[:, 0]), value)
    return finish(asked, m, np.where(asked.is_aimed, value, asked.value), root, near & (far | rough), sure, used)


def _nearer(asked: Question, value: Floats, root: Floats, rate: Floats) -> Floats:
    """Return the values at which rows are about as far off as asked for: the multiplier tells what a move costs."""
    with np.errstate(divide="ignore", invalid="ignore"):
        moved = value + np.sign(value - asked.centre) * (asked.aim - root) * root / np.abs(rate)
    # Where the distance is next to nothing it does not tell how far to go, and it may begin to grow all of a sudden.
    blind = ~np.isfinite(moved) | (root < 0.1 * asked.aim)
    moved = np.where(blind, asked.centre + GROWN * (value - asked.centre), moved)
    return asked.inside(asked.held_back(value, moved))
