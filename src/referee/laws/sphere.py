"""A slow and sure search for nearest worlds, where Newton's method swings."""

from __future__ import annotations

import numpy as np

from referee.laws.equations import solved
from referee.laws.worlds import (
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
from referee.values import Floats

SPHERE = (60, 120, 300)
"""After how many rounds of a search over the sphere the steps are halved, halved again, and end: what swings is damped."""
STEP = 0.7
"""How much of the way to nothing a step may go."""


def over_sphere(space: Space, asked: Question) -> Worlds:
    """Find nearest worlds over the sphere of x = 2√m, where the likelihood bends alike for all that was seen and was not.

    Slow and sure: each step goes to the top of the likelihood's parabola along the tangents of what is held. A score whose slope
    is infinite where a system always says the same (MCC) is straight in x.
    """
    both: Floats = np.asarray(space.both)
    member = (space.strata[:, None] == np.arange(int(space.strata.max(initial=0)) + 1)).astype(np.float64)
    filled = np.where(asked.counts > 0, asked.counts, space.unseen)
    sizes, value = filled @ member, asked.inside(asked.value)
    x = 2 * np.sqrt(np.maximum(asked.counts, FIRST))
    used = 0
    for used in range(1, SPHERE[-1] + 1):
        m = x * x / 4
        totals = m @ both
        off, short = value - space.values(totals, asked.signs), sizes - m @ member
        held = np.concatenate(
            [
                (space.slopes(totals, asked.signs) @ both.T * x / 2)[:, None, :],
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
        done = there & (missed <= CLOSE * lost)
        if used == SPHERE[-1] or bool(done.all()):
            break
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(step < 0, -x / step, np.inf).min(axis=1)
        most = 0.5 ** sum(used > until for until in SPHERE)
        # A row that is there stays, so that it has the same numbers in any company.
        x = x + np.where(done, 0.0, np.minimum(most, STEP * room))[:, None] * step
    near = (np.abs(off) <= NEARLY) & (np.abs(short) <= NEARLY * sizes).all(axis=1) & (missed <= ROUGH * lost)
    return finish(asked, m, asked.value, distances(asked.counts, m), near, there & (missed <= SURE * lost), used)
