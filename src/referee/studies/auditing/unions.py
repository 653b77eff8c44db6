"""Unions: meta-categories, random unions of categories that are about as often true as not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from referee.data.columns import Mask
from referee.errors import InputError, OptionError
from referee.runtime.randomness import Rng, Streams
from referee.studies.auditing.predictions import Predictions

TRIES = 50
"""How many draws a union may take, before there seems to be no other."""


def unite(given: Predictions, count: int, rng: Rng | Streams, balance: tuple[float, float]) -> Predictions:
    """Return unions in place of the categories: true, or predicted, where any member is.

    Each union has a share drawn from the balance to reach, and takes categories in random order until it has; one
    that would lead beyond the balance is left out. A union is of two categories at least, and none comes twice.
    """
    low, high = balance
    if not 0 < low < high < 1:
        raise OptionError(f"balance must be two shares, the lower first, between 0 and 1; it is {balance}")
    if count < 1:
        raise OptionError(f"count must be at least 1; it is {count}")
    streams, found = Streams.of(rng), dict[tuple[int, ...], None]()
    for attempt in range(TRIES * count):
        members = _grown(given, streams.at(attempt), low, high)
        if members:
            found[members] = None
        if len(found) == count:
            break
    else:
        raise InputError(
            f"{count} different unions with a prevalence from {low:g} to {high:g} are needed; "
            f"{len(given.categories)} categories gave {len(found)}; ask for fewer, or widen the balance"
        )
    names = tuple(f"union-{i:03d}" for i in range(1, count + 1))
    chosen = [list(members) for members in found]
    known = None if given.known is None else np.stack([given.known[:, m].all(axis=1) for m in chosen], axis=1)
    return replace(
        given,
        categories=names,
        truth=_any(given.truth, chosen),
        predicted={model: _any(values, chosen) for model, values in given.predicted.items()},
        known=known,
        train_positives=None,
        members={
            name: tuple(given.categories[k] for k in members) for name, members in zip(names, chosen, strict=True)
        },
    )


def _any(values: Mask, members: list[list[int]]) -> Mask:
    return np.stack([values[:, chosen].any(axis=1) for chosen in members], axis=1)


def _grown(given: Predictions, draw: np.random.Generator, low: float, high: float) -> tuple[int, ...]:
    goal = draw.uniform(low, high)
    union = np.zeros(len(given), dtype=np.bool_)
    known = np.ones(len(given), dtype=np.bool_)
    members: list[int] = []
    for k in draw.permutation(len(given.categories)).tolist():
        both = known if given.known is None else known & given.known[:, k]
        grown = union | given.truth[:, k]
        if both.any() and grown[both].mean() <= high:
            union, known = grown, both
            members.append(k)
            if len(members) > 1 and union[known].mean() >= goal:
                break
    return tuple(sorted(members)) if len(members) > 1 and union[known].mean() >= low else ()
