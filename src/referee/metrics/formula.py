"""Formulas: how summed statistics become a score, with the gradient that standard errors need."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from referee.data.columns import Floats, Mask
from referee.errors import Misfit, RefereeError
from referee.metrics.matrices import Matrix
from referee.runtime.arguments import fitting

AT_ONCE = 1 << 16
"""So many numbers are given to a function of totals at a time."""


class Share:
    """A sum of ratios of totals, `share(tp, tp + fn)`, kept as a formula so that its structure can be used.

    Shares add, subtract and scale by numbers. What can be written with them has an exact gradient, and referee sees
    by itself whether the denominators depend on the system (precision) or only on the truth (recall).
    """

    __array_ufunc__ = None

    def __init__(self, terms: tuple[tuple[Any, Any, Any], ...], constant: float = 0.0) -> None:
        self.terms, self.constant = terms, constant

    def __add__(self, other: Share | float) -> Share:
        if isinstance(other, Share):
            return Share(self.terms + other.terms, self.constant + other.constant)
        return Share(self.terms, self.constant + other)

    def __mul__(self, factor: float) -> Share:
        return Share(tuple((factor * c, n, d) for c, n, d in self.terms), self.constant * factor)

    def __truediv__(self, divisor: float) -> Share:
        return self * (1.0 / divisor)

    def __neg__(self) -> Share:
        return self * -1.0

    def __sub__(self, other: Share | float) -> Share:
        return self + -other

    def __rsub__(self, other: float) -> Share:
        return -self + other

    __radd__ = __add__
    __rmul__ = __mul__

    def mean(self) -> Share:
        """Average over the classes, where the totals are one a class."""
        flat = [(c / len(n), n[i], d[i]) for c, n, d in self.terms for i in range(len(n))]
        return Share(tuple(flat), self.constant)

    def matrices(self, size: int) -> tuple[Floats, Floats, Floats]:
        """Return the coefficients [term], and the factors [term, total] of the numerators and of the denominators."""
        coefficients = np.array([float(c) for c, _, _ in self.terms])
        numerators, denominators = (
            np.array([np.broadcast_to(np.asarray(term[i], dtype=np.float64), (size,)) for term in self.terms])
            for i in (1, 2)
        )
        return coefficients, numerators, denominators

    def value(self) -> Any:
        """Return the number, NaN where a denominator is 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.constant + sum(c * (np.asarray(n) / d) for c, n, d in self.terms)


@fitting
def share(part: Any, whole: Any) -> Share:
    """Write part/whole as a formula; 0/0 becomes the metric's declared value.

    >>> float(share(3, 4).value())
    0.75
    """
    return Share(((1.0, part, whole),))


Range: TypeAlias = tuple[float, float]
LOSS: Range = (0.0, math.inf)
"""Where the scores of a loss end."""
Term: TypeAlias = tuple[Floats, Floats]
"""The slopes of one term of a score, and the factors of the totals in its denominator."""
EXACT, NUMERIC = 1e-13, 1e-7
"""How far, relative to its size, a gradient can be off: one in closed form or by the complex step, and one by differences."""


class Formula:
    """The common part of all formulas: one says its score, its gradient and where it is undefined; what it knows better, it overrides."""

    undefined: float
    """The value of 0/0."""
    fixed: bool
    """Whether the truth alone decides the denominators."""

    @property
    def precision(self) -> float:
        """How far, relative to its size, the gradient can be off."""
        return EXACT

    def score(self, totals: Floats) -> Floats:
        """Return the score of summed statistics, over the last axis."""
        raise NotImplementedError

    def vague(self, totals: Floats) -> Mask:
        """Say where the score meets 0/0."""
        raise NotImplementedError

    def void(self, totals: Floats) -> Mask:
        """Say where every part of the score is 0/0: nowhere, if nothing is known of its parts."""
        return np.zeros(totals.shape[:-1], dtype=np.bool_)

    def gradient(self, totals: Floats) -> Floats:
        """Return the derivative of the score by each total."""
        raise NotImplementedError

    def terms(self, totals: Floats) -> Iterator[Term]:
        """Yield the derivative [..., total] of each term of the sum, and the totals that are its denominator; nothing if it is no sum."""
        return iter(())

    def curvature(self, totals: Floats) -> Floats:
        """Return the second derivatives of the score by each pair of totals: by differences of the gradient, unless it is known."""
        return differences_of(self.gradient, totals)

    def bend(self, totals: Floats, move: Floats) -> Floats:
        """Return how the gradient changes along a move of the totals."""
        return along(self.gradient, totals, move)

    def place(self, totals: Floats) -> Floats:
        """Return the coordinates of summed statistics, of which `score_at` knows the score: the totals, unless less will do."""
        return totals

    def moved(self, moves: Matrix) -> Matrix:
        """Return what moves of the totals, one a row, are in coordinates."""
        return moves

    def score_at(self, coordinates: Floats) -> Floats:
        """Return the score at coordinates, over the last axis."""
        return self.score(coordinates)


@dataclass(frozen=True, eq=False)
class Ratios(Formula):
    """constant + Σ coefficient · (N·totals)/(D·totals): precision, recall, F1, DCF, macro averages, means."""

    coefficients: Floats
    numerators: Floats
    denominators: Floats
    constant: float
    undefined: float
    fixed: bool

    @property
    def range(self) -> Range | None:
        """The least and the greatest score, where it is a weighted sum of parts of wholes; None where it is not."""
        if not ((self.numerators >= 0).all() and (self.numerators <= self.denominators).all()):
            return None
        low, high = np.minimum(self.coefficients, 0).sum(), np.maximum(self.coefficients, 0).sum()
        return round(self.constant + float(low), 12), round(self.constant + float(high), 12)

    def _parts(self, totals: Floats) -> tuple[Floats, Floats, Mask]:
        numerator, denominator = totals @ self.numerators.T, totals @ self.denominators.T
        empty = denominator == 0
        return numerator, np.where(empty, 1.0, denominator), empty

    def score(self, totals: Floats) -> Floats:
        """Return the score of summed statistics, over the last axis."""
        return self.score_at(self.place(totals))

    def score_at(self, coordinates: Floats) -> Floats:
        """Return the score at coordinates, over the last axis."""
        terms = len(self.coefficients)
        numerator, denominator = coordinates[..., :terms], coordinates[..., terms:]
        empty = denominator == 0
        if empty.any():
            value = np.where(empty, self.undefined, numerator / np.where(empty, 1.0, denominator))
        else:
            value = numerator / denominator
        return value @ self.coefficients + self.constant

    def gradient(self, totals: Floats) -> Floats:
        """Return the derivative of the score by each total."""
        numerator, denominator, empty = self._parts(totals)
        weight = np.where(empty, 0.0, self.coefficients / denominator)
        return weight @ self.numerators - (weight * numerator / denominator) @ self.denominators

    def terms(self, totals: Floats) -> Iterator[Term]:
        """Yield the derivative [..., total] of each term of the sum, and the totals that are its denominator."""
        numerator, denominator, empty = self._parts(totals)
        weight = np.where(empty, 0.0, self.coefficients / denominator)
        for place, (own, whole) in enumerate(zip(self.numerators, self.denominators, strict=True)):
            ratio = numerator[..., place, None] / denominator[..., place, None]
            yield weight[..., place, None] * (own - ratio * whole), whole

    def curvature(self, totals: Floats) -> Floats:
        """Return the second derivatives of the score by each pair of totals."""
        numerator, denominator, empty = self._parts(totals)
        weight = np.where(empty, 0.0, self.coefficients / denominator**2)
        crossed = np.einsum("...t,tj,tk->...jk", weight, self.numerators, self.denominators)
        twice = 2 * weight * numerator / denominator
        square = np.einsum("...t,tj,tk->...jk", twice, self.denominators, self.denominators)
        result: Floats = square - crossed - np.swapaxes(crossed, -1, -2)
        return result

    def vague(self, totals: Floats) -> Mask:
        """Say where the score meets 0/0."""
        return np.asarray(self._parts(totals)[2].any(axis=-1))

    def void(self, totals: Floats) -> Mask:
        """Say where every part of the score is 0/0."""
        return np.asarray(self._parts(totals)[2].all(axis=-1))

    def place(self, totals: Floats) -> Floats:
        """Return the coordinates of summed statistics, of which `score_at` knows the score."""
        return totals @ self._maps.T

    def moved(self, moves: Matrix) -> Matrix:
        """Return what moves of the totals, one a row, are in coordinates."""
        return moves @ self._maps.T

    @cached_property
    def _maps(self) -> Floats:
        return np.concatenate([self.numerators, self.denominators])


@dataclass(frozen=True, eq=False)
class General(Formula):
    """Any function of the totals; its gradient by the complex step, or by differences where it has no complex form."""

    function: Callable[[Any], Any]
    size: int
    undefined: float
    fixed: bool = False
    slope: Callable[[Any], Any] | None = None
    """The gradient, where the definition brings it."""

    def _raw(self, totals: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            try:
                result: Floats = np.asarray(self.function(totals), dtype=np.float64)
            except RefereeError:
                raise
            except (TypeError, ValueError) as error:
                raise Misfit(f"a metric must give numbers: {error}", argument="metric") from error
        if result.shape != totals.shape[:-1]:
            wrong = "a metric must give one number for each set of totals; its function returns something else"
            raise Misfit(wrong, argument="metric")
        return result

    def score(self, totals: Floats) -> Floats:
        """Return the score of summed statistics, over the last axis."""
        raw = self._raw(totals)
        return np.where(np.isfinite(raw), raw, self.undefined)

    def vague(self, totals: Floats) -> Mask:
        """Say where the score is not defined."""
        return ~np.isfinite(self._raw(totals))

    @cached_property
    def has_complex_form(self) -> bool:
        """Whether the complex step agrees with differences; abs() and comparisons accept complex numbers and lie."""
        totals = np.random.default_rng(0).integers(20, 90, size=(4, self.size)).astype(np.float64)
        try:
            exact = self._complex(totals)
        except (TypeError, ValueError):
            return False
        central = self._central(totals)
        return bool(np.abs(exact - central).max() <= 1e-4 * np.abs(central).max() + 1e-300)

    @property
    def precision(self) -> float:
        """How far, relative to its size, the gradient can be off."""
        return EXACT if self.slope is not None or self.has_complex_form else NUMERIC

    def gradient(self, totals: Floats) -> Floats:
        """Return the derivative of the score by each total."""
        totals = np.asarray(totals, dtype=np.float64)
        if self.slope is not None:
            with np.errstate(divide="ignore", invalid="ignore"):
                known: Floats = self.slope(totals)
            return np.where(np.isfinite(known), known, 0.0)
        return self._complex(totals) if self.has_complex_form else self._central(totals)

    def bend(self, totals: Floats, move: Floats) -> Floats:
        """Return how the gradient changes along a move of the totals."""
        if self.slope is not None:
            with np.errstate(divide="ignore", invalid="ignore"):
                known = along(self.slope, totals, move)
            return np.where(np.isfinite(known), known, 0.0)
        # No total may change by more than a small part of itself, nor by what rounding hides.
        least = np.maximum(totals, 1e-9 * totals.max(axis=-1, keepdims=True))
        size = (np.abs(move) / least).max(axis=-1, keepdims=True)
        step = 1e-5 / np.where(size > 0, size, 1.0)
        return (self.gradient(totals + step * move) - self.gradient(totals - step * move)) / (2 * step)

    def _complex(self, totals: Floats) -> Floats:
        step, rows = 1e-100, totals.reshape(-1, self.size)
        out = np.empty_like(rows)
        # Many derivatives at once where there are few rows, since each call of a function has its cost; else one by one.
        many = max(1, AT_ONCE // max(1, rows.size))
        for first in range(0, self.size, many):
            own = range(first, min(first + many, self.size))
            moved = np.repeat(rows[:, None, :].astype(np.complex128), len(own), axis=1)
            for place, k in enumerate(own):
                moved[:, place, k] += 1j * step
            with np.errstate(all="ignore"):
                out[:, first : first + many] = np.imag(self.function(moved)) / step
        return np.where(np.isfinite(out), out, 0.0).reshape(totals.shape)

    def _central(self, totals: Floats) -> Floats:
        out = np.empty_like(totals)
        for k in range(self.size):
            step = 1e-4 * np.maximum(np.abs(totals[..., k]), 1.0)
            above, below = totals.copy(), totals.copy()
            above[..., k] += step
            below[..., k] -= step
            out[..., k] = (self.score(above) - self.score(below)) / (2 * step)
        return out


def along(gradient: Callable[[Any], Any], totals: Floats, move: Floats) -> Floats:
    """Return the derivative of a gradient along a move of the totals, by the complex step."""
    size = np.abs(move).max(axis=-1, keepdims=True)
    step = 1e-30 / np.where(size > 0, size, 1.0)
    result: Floats = np.imag(gradient(totals + 1j * step * move)) / step
    return result


def differences_of(gradient: Callable[[Floats], Floats], totals: Floats) -> Floats:
    """Return the derivatives [..., k, k] of a gradient, by central differences."""
    size = totals.shape[-1]
    steps = 1e-6 * np.maximum(np.abs(totals), 1e-12 * np.abs(totals).max(axis=-1, keepdims=True))
    moves = steps[..., None, :] * np.eye(size)
    change = gradient(totals[..., None, :] + moves) - gradient(totals[..., None, :] - moves)
    found = change / (2 * steps[..., :, None])
    result: Floats = (found + np.swapaxes(found, -1, -2)) / 2
    return result


def from_share(formula: Share, undefined: float, moves: Floats) -> Ratios:
    """Turn a Share that was evaluated on the unit totals into matrices.

    Args:
        formula: what the definition returned for totals that are the rows of an identity matrix.
        undefined: the value of 0/0.
        moves: the directions in which a system can move the totals while the truth stays.
    """
    coefficients, numerators, denominators = formula.matrices(moves.shape[1])
    fixed = bool(np.all(np.abs(denominators @ moves.T) < 1e-12))
    return Ratios(coefficients, numerators, denominators, formula.constant, undefined, fixed)
