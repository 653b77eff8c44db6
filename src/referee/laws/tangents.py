"""Nearest worlds of very many classes, whose equations would be too many to be solved at once.

d is replaced by its tangent, which leaves one number to find for each row, and the tangent is taken anew where that led, and so
on.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from referee.laws.newton import ROUNDS
from referee.laws.worlds import NEARLY, Question, Space, Worlds, distances, finish
from referee.matrices import times
from referee.values import Floats, Mask

FAR, MEMORY = 0.95, 4
"""How much of the way to the outermost outcome a step along a tangent may go, and how many steps the next one is extrapolated from."""
PLAN = ((16, MEMORY, 1.0), (40, 1, 0.5), (ROUNDS + 1, 0, 0.2))
"""Up to which round how many of the last ones are extrapolated from, and how much of a step is taken: what swings is damped."""


def tangents(space: Space, question: Question) -> Worlds:
    """Find the nearest worlds by tangents, one row after the other: each is as large as a batch of small ones."""
    rows = [_alongtangents(space, question.take([row])) for row in range(len(question))]
    expected, value, root = (
        np.concatenate([getattr(row, name) for row in rows]) for name in ("expected", "value", "root")
    )
    found = np.concatenate([row.found for row in rows])
    return finish(question, expected, value, root, found, found, max(row.rounds for row in rows))


def _alongtangents(space: Space, asked: Question) -> Worlds:
    filled = np.where(asked.counts > 0, asked.counts, space.unseen)
    n = filled.sum(axis=1)
    # What is looked for: the totals, and the value of d where that is not given.
    state = np.concatenate([times(filled, space.both), asked.inside(asked.value)[:, None]], axis=1)
    inner = np.full(1, 0.5)
    past: list[tuple[Floats, Floats]] = []
    expected, root, change, used = filled, np.full(1, np.nan), np.inf, 0
    for depth, damping in _plan():
        used += 1
        totals, value = state[:, :-1], state[:, -1]
        slope = space.slopes(totals, asked.signs)
        influence = times(slope, space.both.T)
        wanted = ((slope * totals).sum(axis=1) - (space.values(totals, asked.signs) - value)) / n
        # A tangent can ask for more than any outcome has: then go most of the way, and take the tangent anew there.
        mean = (filled * influence).sum(axis=1) / n
        wanted = np.clip(
            wanted, mean + FAR * (influence.min(axis=1) - mean), mean + FAR * (influence.max(axis=1) - mean)
        )
        expected, possible, inner = balanced(filled, influence - wanted[:, None], inner)
        root = distances(asked.counts, expected)
        image = np.concatenate([times(expected, space.both), _aimed(asked, value, root)[:, None]], axis=1)
        scale = np.maximum(np.abs(image), np.abs(state))
        scale[:, -1] = np.maximum(np.abs(image[:, -1] - asked.centre), 1e-300)
        gap = (image - state) / np.maximum(scale, 1e-300)
        change = float(np.abs(gap).max()) if possible.all() else np.inf
        if change <= space.settled or not possible.all():
            break
        state = _following(asked, state, image, gap, past[-depth:] if depth else [], damping)
        past = [*past, (image, gap)][-MEMORY:]
    done = np.array([change <= NEARLY])
    return Worlds(expected, state[:, -1], root, np.zeros(1), done, done, used)


def _plan() -> Iterator[tuple[int, float]]:
    for used in range(ROUNDS):
        yield next((depth, damping) for until, depth, damping in PLAN if used < until)


def _following(
    asked: Question, state: Floats, image: Floats, gap: Floats, past: list[tuple[Floats, Floats]], damping: float
) -> Floats:
    """Return where to go next: the image, extrapolated from the last rounds (Anderson 1965)."""
    plain: Floats = state + damping * (image - state)
    if not past:
        return plain
    moved = np.stack([(gap - old)[0] for _, old in past], axis=1)
    weights = np.linalg.lstsq(moved, gap[0], rcond=1e-10)[0]
    jumped: Floats = image - sum(w * (image - old) for w, (old, _) in zip(weights, past, strict=True))
    usable = bool((jumped[:, :-1] > 0).all()) and float(np.abs(weights).max()) < 1e3
    usable = usable and bool((asked.inside(jumped[:, -1]) == jumped[:, -1]).all())
    return jumped if usable else plain


def _aimed(asked: Question, value: Floats, root: Floats) -> Floats:
    """Return the value at which the distance would be as asked for, if it grew in proportion to it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.clip(asked.aim / root, 0.25, 4.0)
    moved = asked.centre + (value - asked.centre) * np.where(np.isfinite(factor), factor, 1.0)
    return np.where(asked.is_aimed, asked.inside(moved), value)


def balanced(counts: Floats, pull: Floats, start: Floats | None = None) -> tuple[Floats, Mask, Floats]:
    """Return m = counts/(1 + λ·pull) with Σ m·pull = 0, where that can be; and what to begin the next search with.

    λ lies between 0 and the end at which the first m becomes infinite. Near that end, where an outcome that was never seen
    gets all the mass that is needed, only the distance s from it can be told exactly; so s is what is looked for, as the root
    of an increasing function with a pole at 0 that each step keeps and only the rest of which is replaced by its tangent.

    Args:
        counts: [row, outcome], above 0.
        pull: [row, outcome].
        start: [row] s to begin from.
    """
    first = (counts * pull).sum(axis=1)
    signed = pull * np.where(first < 0, -1.0, 1.0)[:, None]
    least = -signed.min(axis=1)
    possible = (least > 0) & (signed.max(axis=1) > 0)
    unit = signed / np.where(possible, least, 1.0)[:, None]
    gap = 1 + unit
    gap[gap < 1e-13] = 0.0
    pole = (counts * (gap == 0)).sum(axis=1)
    high = np.ones(len(counts))
    low = np.where(possible, pole / (np.abs(first) / np.where(possible, least, 1.0) + pole), 1.0)
    low = np.minimum(low, 1.0)
    s = np.clip(np.sqrt(low) if start is None else start, low, high)
    for _ in range(100):
        part = unit / (gap - s[:, None] * unit)
        pulled = counts * part
        total, growth = pulled.sum(axis=1), (pulled * part).sum(axis=1)
        above = total > 0
        high, low = np.where(above, s, high), np.where(above, low, s)
        rest, steep = total + pole / s, np.maximum(growth - pole / s**2, 1e-300)
        lift = rest - steep * s
        bow = np.sqrt(lift * lift + 4 * steep * pole)
        new = np.where(lift > 0, 2 * pole / (lift + bow), (bow - lift) / (2 * steep))
        new = np.where((new >= low) & (new <= high), new, np.sqrt(low * high))
        done = np.abs(new - s) <= 1e-15 * s
        s = new
        if bool((done | ~possible).all()):
            break
    # Where nothing pulls, nothing moves.
    still = first == 0
    expected = np.where(still[:, None], counts, counts / (gap - s[:, None] * unit))
    return expected, possible | still, s
