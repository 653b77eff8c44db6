"""Averages over classes: ratios of each class's own totals, at a cost that is linear in the number of classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from referee.data.columns import Floats, Mask
from referee.metrics.formula import Formula, Ratios, Share, Term, from_share
from referee.metrics.matrices import Matrix, beside

TERMS = 30
"""Up to so many classes each is looked at by itself."""
OWN = np.eye(4)
"""What a ratio is made of: hits, guesses and actual members of a class, and the number of examples."""


def one_against_others(hits: Any, guesses: Any, actual: Any, n: Any) -> dict[str, Any]:
    """Return the four cells of a class against all others."""
    return {"tp": hits, "fp": guesses - hits, "fn": actual - hits, "tn": n - guesses - actual + hits}


@dataclass(frozen=True, eq=False)
class Classwise(Formula):
    """constant + Σ over terms of coefficient · (mean over the classes of N/D), N and D being linear in OWN.

    The totals are the hits of all classes, then their guesses, then their actual members.
    """

    coefficients: Floats
    numerators: Floats
    """[term, OWN]"""
    denominators: Floats
    constant: float
    undefined: float
    classes: int
    weighted: bool
    """Whether a class weighs as much as the truth has examples of it; otherwise all weigh the same."""
    fixed: bool

    def _own(self, totals: Floats) -> list[Floats]:
        parts = [totals[..., i * self.classes : (i + 1) * self.classes] for i in range(3)]
        return [*parts, parts[2].sum(axis=-1, keepdims=True)]

    def _weights(self, totals: Floats) -> Floats | None:
        """Return the weight of each class, 0 where there is no example at all; None where all weigh the same."""
        if not self.weighted:
            return None
        actual = totals[..., 2 * self.classes :]
        return np.asarray(actual / np.maximum(actual.sum(axis=-1, keepdims=True), 1e-300))

    def score(self, totals: Floats) -> Floats:
        """Return the score of summed statistics, over the last axis."""
        own = self._own(totals)
        parts = [(_mix(n, own), _mix(d, own)) for n, d in zip(self.numerators, self.denominators, strict=True)]
        return self._added(parts, self._weights(totals))

    def _ratios(self, own: list[Floats]) -> Iterator[tuple[float, Floats, Floats, Floats, Floats, Mask]]:
        """Yield of each term its coefficient, the factors of N and of D, N, D (1 where it is 0), and where that is."""
        for c, n, d in zip(self.coefficients, self.numerators, self.denominators, strict=True):
            denominator = _mix(d, own)
            empty = denominator == 0
            yield c, n, d, _mix(n, own), np.where(empty, 1.0, denominator), empty

    def _added(self, parts: list[tuple[Floats, Floats]], weights: Floats | None) -> Floats:
        total: Any = self.constant
        for coefficient, (numerator, denominator) in zip(self.coefficients, parts, strict=True):
            empty = denominator == 0
            value = np.where(empty, self.undefined, numerator / np.where(empty, 1.0, denominator))
            mean = value.mean(axis=-1) if weights is None else (value * weights).sum(axis=-1)
            total = total + coefficient * mean
        return np.asarray(total)

    def gradient(self, totals: Floats) -> Floats:
        """Return the derivative of the score by each total."""
        own, given = self._own(totals), self._weights(totals)
        weights = 1.0 / self.classes if given is None else given
        slope: list[Any] = [0.0, 0.0, 0.0, 0.0]
        value: Any = 0.0
        for c, n, d, numerator, safe, empty in self._ratios(own):
            ratio = np.where(empty, self.undefined, numerator / safe)
            weight = np.where(empty, 0.0, c * weights / safe)
            slope = [s + weight * n[i] - weight * ratio * d[i] for i, s in enumerate(slope)]
            value = value + c * ratio
        # The number of examples is the sum of the actual members, so each of them moves it.
        actual = slope[2] + slope[3].sum(axis=-1, keepdims=True)
        if self.weighted:
            total = np.maximum(own[3], 1e-300)
            actual = actual + (value - (value * weights).sum(axis=-1, keepdims=True)) / total
        shape = own[0].shape
        return np.concatenate([np.broadcast_to(part, shape) for part in (slope[0], slope[1], actual)], axis=-1)

    def terms(self, totals: Floats) -> Iterator[Term]:
        """Yield the derivative of each class's own ratio, and what its denominator is made of, where they are few."""
        if self.weighted or len(self.coefficients) > 1 or self.classes > TERMS or self.denominators[0, 3]:
            return
        slope, k = self.gradient(totals), self.classes
        for place in range(k):
            own, whole = np.zeros_like(slope), np.zeros(3 * self.classes)
            own[..., place::k], whole[place::k] = slope[..., place::k], self.denominators[0, :3]
            yield own, whole

    def curvature(self, totals: Floats) -> Floats:
        """Return the second derivatives of the score by each pair of totals."""
        if self.weighted or self.numerators[:, 3].any() or self.denominators[:, 3].any():
            return super().curvature(totals)
        own, k = self._own(totals), self.classes
        made = np.zeros((*totals.shape, totals.shape[-1]))
        each = np.arange(k)
        for c, n, d, numerator, safe, empty in self._ratios(own):
            weight = np.where(empty, 0.0, c / k / safe**2)
            twice = 2 * weight * numerator / safe
            used = [i for i in range(3) if n[i] or d[i]]
            for i, j in product(used, used):
                both = twice * d[i] * d[j] - weight * (n[i] * d[j] + d[i] * n[j])
                made[..., i * k + each, j * k + each] += both
        return made

    def vague(self, totals: Floats) -> Mask:
        """Say where the ratio of some class is 0/0; a class that weighs nothing does not matter."""
        own = self._own(totals)
        if self.weighted:
            return np.asarray(own[3][..., 0] == 0)
        return np.asarray(np.any([(_mix(d, own) == 0).any(axis=-1) for d in self.denominators], axis=0))

    def void(self, totals: Floats) -> Mask:
        """Say where the ratio of every class is 0/0."""
        own = self._own(totals)
        return np.asarray(np.all([(_mix(d, own) == 0).all(axis=-1) for d in self.denominators], axis=0))

    def place(self, totals: Floats) -> Floats:
        """Return the coordinates of summed statistics, of which `score_at` knows the score."""
        if self.weighted:
            return totals
        own = self._own(totals)
        maps = [*self.numerators, *self.denominators]
        return np.concatenate([np.broadcast_to(_mix(m, own), own[0].shape) for m in maps], axis=-1)

    def moved(self, moves: Matrix) -> Matrix:
        """Return what moves of the totals, one a row, are in coordinates; they leave the number of examples as it is."""
        if self.weighted:
            return moves
        own = [moves[:, i * self.classes : (i + 1) * self.classes] for i in range(3)]
        maps = [*self.numerators, *self.denominators]
        return beside([sum((f * part for f, part in zip(m[1:3], own[1:], strict=True)), m[0] * own[0]) for m in maps])

    def score_at(self, coordinates: Floats) -> Floats:
        """Return the score at coordinates, over the last axis."""
        if self.weighted:
            return self.score(coordinates)
        terms, k = len(self.coefficients), self.classes
        each = [coordinates[..., i * k : (i + 1) * k] for i in range(2 * terms)]
        return self._added(list(zip(each[:terms], each[terms:], strict=True)), None)


def _mix(factors: Floats, own: list[Floats]) -> Floats:
    """Return Σ factor · part, leaving out what has no part in it."""
    total: Any = 0.0
    for factor, part in zip(factors.tolist(), own, strict=True):
        if factor:
            total = total + (part if factor == 1 else factor * part)
    return np.asarray(total)


def classwise(made: Share, undefined: float, classes: int, *, weighted: bool, partial: bool) -> Classwise:
    """Turn a Share of one class's OWN totals into its average over classes.

    Args:
        made: what the definition returned for the rows of OWN, or for cells of them.
        undefined: the value of 0/0.
        classes: how many there are.
        weighted: whether the truth weighs them.
        partial: whether an answer can be none of the classes.
    """
    coefficients, numerators, denominators = made.matrices(4)
    # A single class that every answer is of leaves a system nothing to move.
    movable = denominators[:, :1] if classes == 1 and not partial else denominators[:, :2]
    fixed = not weighted and not movable.any()
    return Classwise(coefficients, numerators, denominators, made.constant, undefined, classes, weighted, fixed)


def micro(made: Share, undefined: float, classes: int, *, gaps: bool, strays: bool) -> Ratios:
    """Turn a Share of the sums over all classes into a formula of each class's totals.

    Args:
        made: what the definition returned for cells of the rows of OWN, of which the last now is answers that are no
            class.
        undefined: the value of 0/0.
        classes: how many there are.
        gaps: whether an example can have no answer.
        strays: whether an answer can be none of the classes; there is then one more statistic, which counts them.
    """
    # A system can turn wrong answers into right ones; without gaps it can only exchange one answer for another.
    moves = [OWN[0], *([OWN[1], OWN[3]] if gaps else []), *([OWN[3] - OWN[1]] if strays else [])]
    summed = from_share(made, undefined, np.array(moves))
    columns = np.repeat(np.arange(4), [classes, classes, classes, 1 if strays else 0])
    return replace(summed, numerators=summed.numerators[:, columns], denominators=summed.denominators[:, columns])
