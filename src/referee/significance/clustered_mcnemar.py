"""Clustered forms of McNemar's test, by author: what happens inside a group may be dependent."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from referee.data.columns import Floats, Ints
from referee.results.comparison import Interval
from referee.significance import intervals
from referee.significance.distributions import ratio
from referee.significance.means import Means

Form: TypeAlias = Callable[[Means, Ints], Floats]


def _finite(groups: Floats) -> Floats:
    """Return G/(G − 1), for one group as for two: it then has no more to say than its own size."""
    return np.maximum(groups, 2) / np.maximum(groups - 1, 1)


def obuchowski(means: Means, batch: Ints) -> Floats:
    """Return the root of Obuchowski's χ² (1998): Σd over the groups against its variance G/(G−1)·Σd²."""
    squares = batch @ means.change**2
    return ratio(batch @ means.change, np.sqrt(_finite(batch.sum(axis=1).astype(np.float64)) * squares))


def durkalski(means: Means, batch: Ints) -> Floats:
    """Return the root of Durkalski's χ² (2003): every group weighs the same, whatever its size."""
    share = means.change / np.maximum(means.weight, 1e-300)
    return ratio(batch @ share, np.sqrt(batch @ share**2))


def yang(means: Means, batch: Ints) -> Floats:
    """Return the root of Yang's χ² (2010): Obuchowski's, its Σd² averaged with that of the distances from the mean."""
    total = batch @ means.change
    mean = total / np.maximum(batch @ means.weight, 1e-300)
    apart = (batch * (means.change - mean[:, None] * means.weight) ** 2).sum(axis=1)
    squares = (batch @ means.change**2 + apart) / 2
    return ratio(total, np.sqrt(_finite(batch.sum(axis=1).astype(np.float64)) * squares))


def eliasziw(means: Means, batch: Ints) -> Floats:
    """Return the root of Eliasziw and Donner's χ² (1991): McNemar's, deflated by an intraclass correlation.

    The correlation is an analysis of variance over the four cells of a group, turned into one between discordant pairs.
    """
    weights, size = batch.astype(np.float64), means.weight
    cells = np.stack([means.both, means.a - means.both, means.b - means.both, size - means.a - means.b + means.both])
    groups, n = weights.sum(axis=1), weights @ size
    with np.errstate(divide="ignore", invalid="ignore"):
        share, mean = weights @ cells.T / n[:, None], n / groups
        apart = (cells - size * share[:, :, None]) ** 2 / size
        between = (weights[:, None, :] * apart).sum(axis=(1, 2)) / groups
        within = (weights @ (cells * (size - cells) / size).sum(axis=0)) / (groups * (mean - 1))
        typical = _typical_size(weights, size, np.ones(len(size), dtype=np.bool_))[1]
        overall = (between - within) / (between + (typical - 1) * within)
        rho = overall / (overall + (share[:, 1] + share[:, 2]) * (1 - overall))
        split = cells[1] + cells[2]
        mean_split, typical_split = _typical_size(weights, split, split > 0)
        some = weights @ (split > 0)
        factor = 1 + (typical_split + some * (mean_split - typical_split) - 1) * rho
        error = np.sqrt(weights @ split * np.where(split.max(initial=0.0) <= 1, 1.0, factor))
    return np.where(weights @ split == 0, 0.0, ratio(weights @ means.change, np.where(np.isfinite(error), error, 0.0)))


def _typical_size(weights: Floats, sizes: Floats, which: Floats) -> tuple[Floats, Floats]:
    """Return the mean size of some groups, and that mean less the spread of the sizes (ANOVA's n₀)."""
    count = weights @ which
    mean = weights @ (sizes * which) / count
    spread = (weights * which * (sizes - mean[:, None]) ** 2).sum(axis=1)
    return mean, mean - spread / (count * (count - 1) * mean)


FORMS: dict[str, Form] = {"obuchowski": obuchowski, "durkalski": durkalski, "eliasziw": eliasziw, "yang": yang}


def interval(means: Means, batch: Ints, level: float) -> Interval | None:
    """Return difference ± t·(Obuchowski's standard error), t on G − 1 degrees of freedom."""
    error, df = means.error(batch, means.change)
    a, b = means.scores(batch)
    return intervals.student(float((b - a)[0]), float(error[0]), float(df[0]), level, "obuchowski-t")
