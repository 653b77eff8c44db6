"""Unions: meta-categories, random unions of categories that are about as often true as not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from referee.data.columns import Mask
from referee.errors import InputError, OptionError
from referee.runtime.randomness import Rng, Streams
from referee_papers.corpora.predictions import Predictions

TRIES = 50
"""How many draws a union may take, before there seems to be no other."""


def unite(
    predictions: Predictions, count: int = 100, rng: Rng | Streams = 0, balance: tuple[float, float] = (0.4, 0.6)
) -> Predictions:
    """Return random unions in place of the categories: true, or predicted, where any member is.

    Each union has a share drawn from the balance to reach, and takes categories in random order until it has; one
    that would lead beyond the balance is left out. A union is of two categories at least, and none comes twice.

    Args:
        predictions: of single categories.
        count: how many unions.
        rng: the seed.
        balance: the prevalences between which a union may lie.
    """
    low, high = balance
    if not 0 < low < high < 1:
        raise OptionError(f"balance must be two shares, the lower first, between 0 and 1; it is {balance}")
    if count < 1:
        raise OptionError(f"count must be at least 1; it is {count}")
    streams, unions = Streams.of(rng), dict[tuple[int, ...], None]()
    for attempt in range(TRIES * count):
        if members := _grow(predictions, streams.at(attempt), low, high):
            unions[members] = None
        if len(unions) == count:
            break
    else:
        raise InputError(
            f"{count} different unions with a prevalence from {low:g} to {high:g} are needed; "
            f"{len(predictions.categories)} categories gave {len(unions)}; ask for fewer, or widen the balance"
        )
    members_of = {f"union-{i:03d}": list(members) for i, members in enumerate(unions, 1)}

    def join(values: Mask) -> Mask:
        return np.stack([values[:, members].any(axis=1) for members in members_of.values()], axis=1)

    return replace(
        predictions,
        categories=tuple(members_of),
        truth=join(predictions.truth),
        predicted={model: join(answers) for model, answers in predictions.predicted.items()},
        known=None if predictions.known is None else ~join(~predictions.known),
        train_positives=None,
        members={name: tuple(predictions.categories[k] for k in members) for name, members in members_of.items()},
    )


def _grow(predictions: Predictions, draw: np.random.Generator, low: float, high: float) -> tuple[int, ...]:
    goal = draw.uniform(low, high)
    union, known = np.zeros(len(predictions), dtype=np.bool_), np.ones(len(predictions), dtype=np.bool_)
    members: list[int] = []
    for k in draw.permutation(len(predictions.categories)).tolist():
        both = known if predictions.known is None else known & predictions.known[:, k]
        larger = union | predictions.truth[:, k]
        if both.any() and larger[both].mean() <= high:
            union, known = larger, both
            members.append(k)
            if len(members) > 1 and union[known].mean() >= goal:
                break
    return tuple(sorted(members)) if len(members) > 1 and union[known].mean() >= low else ()
