"""Models without a rating: which they are, since the likelihood has no maximum for them, and the score test, which needs none."""

from __future__ import annotations

import numpy as np

from referee.data.battles import Battles
from referee.data.columns import Floats, Ints, Mask
from referee.significance.bradley_terry import STILL, Fit, Rows, net_sums
from referee.significance.distributions import normal_p, student_p


def score_test(battles: Battles, one: int, other: int) -> tuple[float, float]:
    """Test that two models have the same rating, where one of them may have won or lost all its battles (Rao 1948).

    The others' ratings are fitted as if the two were one model, which has a maximum where their own ratings have none. What
    battles do beyond what is then expected varies as their own squares say, or those of whole groups.

    Returns:
        The p-value, and the statistic, positive if `other` does better; NaN if nothing tells.
    """
    merged = np.arange(len(battles.names))
    merged[other] = one
    among = battles.renamed(merged)
    joint = strong_parts(among.won)
    inside = joint == joint[one]
    keep = inside[among.first] & inside[among.second] & (among.first != among.second)
    places = np.cumsum(inside) - 1
    nuisance = Fit.of(among.where(keep).only(inside)) if keep.any() else None
    ratings = np.zeros(len(merged))
    if nuisance is not None:
        ratings[inside] = nuisance.ratings
        ratings[other] = ratings[one]
    kept = keep | (among.first == among.second)
    own = battles.where(kept)
    rows = Rows.of(own, ratings)
    # [row]: what one's rating does to the outcome, and what of it the others' ratings can't do as well.
    along = (rows.first == one).astype(np.float64) - (rows.second == one)
    if nuisance is not None:
        first, second = places[merged[rows.first]], places[merged[rows.second]]
        pull = net_sums(first, second, rows.information * along, int(inside.sum()))
        solved = nuisance.inverse @ pull
        along = along - np.where(first == second, 0.0, solved[first] - solved[second])
    each = along * rows.residual
    squares = along**2 * rows.squares if own.group is None else np.bincount(rows.group, each) ** 2
    total, variance = -float(each.sum()), float(squares.sum())
    if variance <= STILL or float(rows.information @ along**2) <= STILL:
        return np.nan, np.nan
    statistic = total / np.sqrt(variance)
    if own.group is None:
        return float(normal_p(statistic, 1.0, "two-sided")), statistic
    # With few groups the square cannot exceed their number, and no exchange of wins in whole groups has a smaller p than this.
    groups = int((squares > STILL * variance).sum())
    rest = groups - statistic**2
    t = statistic * np.sqrt((groups - 1) / rest) if rest > STILL * groups else np.copysign(np.inf, statistic)
    p = float(student_p(t, 1.0, max(groups - 1, 1e-9), "two-sided"))
    return max(p, 0.5 ** (groups - 1)), float(t) if np.isfinite(t) else statistic


def strong_parts(won: Floats) -> Ints:
    """Return the number of the part that each model is in: models that have all beaten each other, maybe through others."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    return np.asarray(connected_components(csr_array(won > 0), connection="strong")[1], np.int64)


def linked_parts(met: Ints) -> Ints:
    """Return the number of the part that each model is in: models that have met, maybe through others."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    return np.asarray(connected_components(csr_array(met > 0), directed=False)[1], np.int64)


def main_part(battles: Battles) -> Mask:
    """Say which models have ratings on one scale: the largest part of which each has beaten each, maybe through others."""
    parts = strong_parts(battles.won)
    sizes, fights = np.bincount(parts), np.bincount(parts, battles.met.sum(axis=1))
    first = [int(np.flatnonzero(parts == part)[0]) for part in range(len(sizes))]
    best = max(range(len(sizes)), key=lambda part: (sizes[part], fights[part], -first[part]))
    return np.asarray((parts == best) & (sizes[best] > 1))
