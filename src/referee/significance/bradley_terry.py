"""The Bradley-Terry model: ratings of models from battles, by maximum likelihood on counts, with errors that allow for groups (CR2).

Of two models whose ratings differ by d (in logits), the better wins a battle with probability 1/(1 + exp(-d)); a tie is half a
win (Bradley and Terry 1952). Standard errors are those of the sandwich, on the effective number of groups or battles.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from referee.data.battles import Battles
from referee.data.columns import Floats, Ints

ROUNDS = 100
STILL = 1e-12
"""Ratings, in logits, that differ by no more are equal."""
TERMS = 80
"""So many terms of a series are added at most."""
ROWS = 20_000
"""So many rows are looked at together."""
EXPECTED = 1.0
"""Pairs of models of which either is expected to win fewer battles say nothing of how well the model fits."""


@dataclass(frozen=True, eq=False)
class Fit:
    """The ratings of models all of which can be compared: each has beaten, maybe through others, each."""

    battles: Battles
    """Those among these models."""
    ratings: Floats
    """In logits; their mean is 0."""

    @classmethod
    def of(cls, battles: Battles) -> Fit:
        """Find the ratings of greatest likelihood, by Newton's method on the wins of each pair."""
        met, won = battles.met, battles.won
        some = np.argwhere(np.triu(met) > 0)
        first, second = some.T
        times, wins = met[first, second].astype(np.float64), won[first, second]
        size = len(battles.names)
        ratings = np.zeros(size)
        level = _likelihood(ratings, first, second, times, wins)
        for _ in range(ROUNDS):
            chance = expected(ratings[first] - ratings[second])
            slope = net_sums(first, second, wins - times * chance, size)
            step = _solved(_laplacian(first, second, times * chance * (1 - chance), size), slope)
            share = 1.0
            while (new := _likelihood(ratings + share * step, first, second, times, wins)) < level and share > 1e-6:
                share /= 2
            ratings, level = ratings + share * step, new
            if np.abs(step).max(initial=0.0) < 1e-11:
                break
        return cls(battles, ratings - ratings.mean())

    @cached_property
    def rows(self) -> Rows:
        """The battles, added up where nothing tells them apart: those of two models (in a group)."""
        return Rows.of(self.battles, self.ratings)

    @cached_property
    def inverse(self) -> Floats:
        """The inverse of the information, among ratings whose sum is 0."""
        rows = self.rows
        return _inverse(_laplacian(rows.first, rows.second, rows.information, len(self.ratings)))

    @cached_property
    def moves(self) -> tuple[Floats, Ints]:
        """[unit, model]: how far each unit, a battle or a whole group, moves each rating; and how often such a unit occurred."""
        rows = self.rows
        if self.battles.group is None:
            pulls = self.inverse[rows.first] - self.inverse[rows.second]
            return pulls * np.sqrt(rows.squares / rows.times)[:, None], rows.times
        sums = _group_sums(rows, rows.residual, len(self.ratings))
        return sums @ self.inverse, np.ones(len(sums), np.int64)

    @cached_property
    def covariance(self) -> Floats:
        """Of the ratings: the sandwich, in which each unit gets back what fitting took from it (CR2)."""
        rows, size = self.rows, len(self.ratings)
        if self.battles.group is None:
            spread = rows.squares / np.maximum(1 - rows.information / rows.times * self._spans, 1e-9)
            middle = _laplacian(rows.first, rows.second, spread, size)
            return np.asarray(self.inverse @ middle @ self.inverse)
        moved = self._given_back() @ self.inverse
        return np.asarray(moved.T @ moved)

    @property
    def _spans(self) -> Floats:
        """[row]: the variance of the difference of the two ratings, if battles were independent."""
        own, (first, second) = np.diag(self.inverse), (self.rows.first, self.rows.second)
        return np.asarray(own[first] + own[second] - 2 * self.inverse[first, second])

    def _given_back(self) -> Floats:
        """Return [group, model] what groups pull at, times 1/√(1 - leverage): a series, as a matrix has no cheaper root here."""
        rows, size = self.rows, len(self.ratings)
        term = _group_sums(rows, rows.residual, size)
        total, factor = term.copy(), 1.0
        for place in range(1, TERMS):
            factor *= (place - 0.5) / place
            solved = term @ self.inverse
            along = solved[rows.group, rows.first] - solved[rows.group, rows.second]
            term = _group_sums(rows, rows.information * along, size)
            total += factor * term
            if np.abs(term).max(initial=0.0) * factor <= 1e-9 * np.abs(total).max(initial=0.0):
                break
        return total

    @cached_property
    def freedom(self) -> Floats:
        """[model, model]: the degrees of freedom of the difference of two ratings; on the diagonal, those of a rating.

        It is the effective number of groups, or of battles, that it rests on, less one: 1/sum of the squares of their shares in
        its variance if battles were independent, less one.
        """
        rows, size = self.rows, len(self.ratings)
        starts = np.flatnonzero(np.r_[True, rows.group[1:] != rows.group[:-1]])
        if self.battles.group is None:
            starts = np.arange(len(rows.group))
        ends = np.r_[starts[1:], len(rows.group)]
        lone = ends - starts == 1
        squares = np.zeros((size, size))
        for part in np.array_split(starts[lone], max(int(lone.sum()) // ROWS, 1)):
            times = rows.times[part] if self.battles.group is None else 1.0
            squares += self._fourth_powers(self._pulls(part), times)
        for start, end in zip(starts[~lone].tolist(), ends[~lone].tolist(), strict=True):
            pulls = self._pulls(slice(start, end))
            squares += _spread(pulls.T @ pulls) ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.maximum(_spread(self.inverse) ** 2 / squares - 1, 1e-9))

    @cached_property
    def weights(self) -> Floats:
        """[model]: the share of all places in battles that are its own, by which it counts in the mean of the scale."""
        own = self.battles.met.sum(axis=1)
        return np.asarray(own / own.sum())

    @property
    def levels(self) -> Floats:
        """[model]: its rating above the mean over battles, which a model with few of them hardly moves."""
        return np.asarray(self.ratings - self.weights @ self.ratings)

    def levels_known(self) -> tuple[Floats, Floats]:
        """Return [model] the standard errors of the levels, and their degrees of freedom as `freedom` has them for differences."""
        rows, weights = self.rows, self.weights
        variance, ideal = (_against_mean(matrix, weights) for matrix in (self.covariance, self.inverse))
        squares = np.zeros(len(self.ratings))
        starts = np.flatnonzero(np.r_[True, rows.group[1:] != rows.group[:-1]])
        if self.battles.group is None:
            starts = np.arange(len(rows.group))
        ends = np.r_[starts[1:], len(rows.group)]
        for part in np.array_split(np.arange(len(starts)), max(len(rows.group) // ROWS, 1)):
            if not len(part):
                continue
            begin = int(starts[part[0]])
            pulls = self._pulls(slice(begin, int(ends[part[-1]])))
            summed = np.add.reduceat((pulls - (pulls @ weights)[:, None]) ** 2, starts[part] - begin)
            times = rows.times[part][:, None] if self.battles.group is None else 1.0
            squares += (summed**2 / times).sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.sqrt(np.maximum(variance, 0.0)), np.asarray(np.maximum(ideal**2 / squares - 1, 1e-9))

    def _pulls(self, rows: Ints | slice) -> Floats:
        """Return [row, model] what each row does to each rating, in shares of its error if battles were independent."""
        first, second, information = (
            column[rows] for column in (self.rows.first, self.rows.second, self.rows.information)
        )
        return np.asarray(np.sqrt(information)[:, None] * (self.inverse[first] - self.inverse[second]))

    def _fourth_powers(self, pulls: Floats, times: Ints | float) -> Floats:
        """Return [model, model] the sum over rows of the fourth powers of differences of pulls, as products of matrices."""
        weighed = pulls / np.sqrt(np.sqrt(times))[:, None] if not isinstance(times, float) else pulls
        one, two, three = weighed, weighed**2, weighed**3
        own, sides, middle = (two**2).sum(axis=0), three.T @ one, two.T @ two
        sums = own[:, None] + own - 4 * (sides + sides.T) + 6 * middle
        np.fill_diagonal(sums, own)
        return np.asarray(np.maximum(sums, 0.0))

    @cached_property
    def shares(self) -> Floats:
        """[unit]: the share of the battles that one unit is."""
        if self.battles.group is None:
            return np.full(len(self.rows.times), 1 / self.battles.n)
        return np.bincount(self.rows.group, self.rows.times) / self.battles.n

    @property
    def units(self) -> float:
        """The number of battles, or of groups of them, in effect."""
        return 1 / float((self.shares**2).sum()) if self.battles.group is not None else float(self.battles.n)

    def differences(self, pairs: Ints) -> tuple[Floats, Floats, Floats]:
        """Return how far the second of each pair is above the first, its standard error, and the degrees of freedom."""
        first, second = pairs.T
        apart = self.ratings[second] - self.ratings[first]
        own = np.diag(self.covariance)
        whole = own[first] + own[second]
        rest = whole - 2 * self.covariance[first, second]
        error = np.sqrt(np.where(rest > STILL * np.maximum(whole, 1.0), rest, 0.0))
        return np.where(np.abs(apart) > STILL, apart, 0.0), error, self.freedom[first, second]

    @cached_property
    def support(self) -> Floats:
        """[model]: on how many groups, or battles, its own battles rest in effect."""
        rows, size = self.rows, len(self.ratings)
        if self.battles.group is None:
            return np.asarray(self.battles.met.sum(axis=1), np.float64)
        own = np.zeros((int(rows.group.max(initial=-1)) + 1, size))
        for side in (rows.first, rows.second):
            own += np.bincount(rows.group * size + side, rows.times, own.size).reshape(own.shape)
        return np.asarray(own.sum(axis=0) ** 2 / (own**2).sum(axis=0))

    def misfit(self) -> Misfit | None:
        """Ask whether the wins of pairs are what ratings make of them: Pearson's chi-squared over pairs.

        It is divided by how much more (or, with ties, less) battles vary than coins do, groups included (Rao and Scott 1981).
        None if no degree of freedom is left.
        """
        from scipy.special import chdtrc

        pairs = Rows.of(self.battles.ungrouped, self.ratings)
        chance = expected(self.ratings[pairs.first] - self.ratings[pairs.second])
        kept = pairs.times * np.minimum(chance, 1 - chance) >= EXPECTED
        spans = Fit(self.battles.ungrouped, self.ratings)._spans
        df = float((1 - pairs.information * spans)[kept].sum())
        whole = float(self.rows.information.sum())
        spread = float(self._unit_squares().sum()) / whole if whole else 0.0
        if df < 0.5 or spread <= 0:
            return None
        # What ratings took from the squares of the residuals is given back.
        spread *= len(kept) / max(float((1 - pairs.information * spans / np.maximum(pairs.times, 1)).sum()), 1.0)
        ratios = pairs.residual / np.sqrt(pairs.information)
        statistic = float((ratios[kept] ** 2).sum()) / spread
        worst = int(np.argmax(np.where(kept, np.abs(ratios), -1.0)))
        first, second = int(pairs.first[worst]), int(pairs.second[worst])
        return Misfit(statistic, df, float(chdtrc(df, statistic)), (first, second))

    def _unit_squares(self) -> Floats:
        """Return [row] the squares of what units did beyond what was expected of a pair."""
        return self.rows.squares if self.battles.group is None else self.rows.residual**2


@dataclass(frozen=True)
class Misfit:
    """How far the wins of pairs are from what the ratings say."""

    statistic: float
    df: float
    p_value: float
    worst: tuple[int, int]
    """The pair that is furthest off."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Battles added up: how many of two models there were (in a group), and what the first won beyond what was expected."""

    first: Ints
    second: Ints
    group: Ints
    """0 without groups."""
    times: Ints
    residual: Floats
    squares: Floats
    """The sum of squares, battle by battle."""
    information: Floats

    @classmethod
    def of(cls, battles: Battles, ratings: Floats) -> Rows:
        """Add up battles, whoever was shown first."""
        turned = battles.first > battles.second
        first, second = np.where(turned, battles.second, battles.first), np.where(turned, battles.first, battles.second)
        won = np.where(turned, battles.share, 1 - battles.share)
        chance = expected(ratings[first] - ratings[second])
        group = np.zeros(len(first), np.int64) if battles.group is None else battles.group
        size = len(battles.names)
        keys, place = np.unique((group * size + first) * size + second, return_inverse=True)
        beyond = battles.times * (won - chance)
        columns = (beyond, beyond * (won - chance), battles.times * chance * (1 - chance))
        sums: list[Floats] = [np.bincount(place, one, len(keys)).astype(np.float64) for one in columns]
        times = np.bincount(place, battles.times, len(keys)).astype(np.int64)
        return cls(keys // size % size, keys % size, keys // size**2, times, *sums)


@dataclass(frozen=True)
class FirstPlace:
    """What being shown first is worth, in logits, all else being equal."""

    estimate: float
    error: float
    df: float


def first_place(fit: Fit) -> FirstPlace | None:
    """Measure what being shown first is worth; None if every two models met in one order only, so that nobody knows."""
    battles, size = fit.battles, len(fit.ratings)
    won, ratings, worth = 1 - battles.share, fit.ratings, 0.0
    for _ in range(ROUNDS):
        chance = expected(ratings[battles.first] - ratings[battles.second] + worth)
        beyond, information = battles.times * (won - chance), battles.times * chance * (1 - chance)
        inverse = _inverse(_laplacian(battles.first, battles.second, information, size))
        solved = inverse @ net_sums(battles.first, battles.second, information, size)
        alone = 1 - (solved[battles.first] - solved[battles.second])
        known = float(information @ alone**2)
        if known <= 1e-6 * float(information.sum()):
            return None
        change = float(alone @ beyond) / known
        along = net_sums(battles.first, battles.second, beyond - information * change, size)
        step = inverse @ along
        scale = min(1.0, 2.0 / max(abs(change), float(np.abs(step).max(initial=0.0)), 1e-300))
        worth, ratings = worth + scale * change, ratings + scale * step
        if abs(worth) > 30:
            return None
        if max(abs(change), float(np.abs(step).max(initial=0.0))) < 1e-10:
            break
    pulls = alone * (won - chance) / known
    if battles.group is None:
        variance, share = float(battles.times @ pulls**2), information / battles.times * alone**2 / known
        df = 1 / float(battles.times @ share**2) - 1
    else:
        summed = np.bincount(battles.group, battles.times * pulls)
        share = np.bincount(battles.group, information * alone**2) / known
        df = 1 / float(share @ share) - 1
        variance = float(summed @ (summed / np.maximum(1 - share, 1e-9)))
    return FirstPlace(worth, float(np.sqrt(variance)), max(df, 1e-9))


def expected(difference: Floats) -> Floats:
    """Return the probability of winning of a model whose rating is so much higher."""
    from scipy.special import expit

    return np.asarray(expit(difference))


def _likelihood(ratings: Floats, first: Ints, second: Ints, times: Floats, wins: Floats) -> float:
    from scipy.special import log_expit

    apart = ratings[first] - ratings[second]
    return float(wins @ log_expit(apart) + (times - wins) @ log_expit(-apart))


def net_sums(first: Ints, second: Ints, values: Floats, size: int) -> Floats:
    """Return [model] the sum of values of those that it is the first of, less those that it is the second of."""
    return np.asarray(np.bincount(first, values, size) - np.bincount(second, values, size), np.float64)


def _group_sums(rows: Rows, values: Floats, size: int) -> Floats:
    """Return the same [group, model], for each group."""
    groups = int(rows.group.max(initial=-1)) + 1
    start = rows.group * size
    return net_sums(start + rows.first, start + rows.second, values, groups * size).reshape(groups, size)


def _laplacian(first: Ints, second: Ints, weights: Floats, size: int) -> Floats:
    """Return the matrix of the sum of weights times squares of differences."""
    off = np.bincount(first * size + second, weights, size * size).reshape(size, size)
    off = off + off.T
    np.fill_diagonal(off, 0.0)
    return np.asarray(np.diag(off.sum(axis=1)) - off)


def _solved(matrix: Floats, right: Floats) -> Floats:
    """Solve for ratings whose sum is 0."""
    size = len(right)
    scale = max(float(np.trace(matrix)) / size, 1e-300)
    return np.asarray(np.linalg.solve(matrix + scale / size, right))


def _spread(matrix: Floats) -> Floats:
    """Return the variances of differences, of a matrix of covariances; on the diagonal, the variances."""
    own = np.diag(matrix)
    out = own[:, None] + own - 2 * matrix
    np.fill_diagonal(out, own)
    return np.asarray(out)


def _against_mean(matrix: Floats, weights: Floats) -> Floats:
    """Return the variances of what has such a matrix of covariances, against its weighted mean."""
    along = matrix @ weights
    return np.asarray(np.diag(matrix) - 2 * along + weights @ along)


def _inverse(matrix: Floats) -> Floats:
    """Return the inverse among vectors whose sum is 0."""
    size = len(matrix)
    scale = max(float(np.trace(matrix)) / size, 1e-300)
    inverse = np.linalg.inv(matrix + scale / size) - 1 / (scale * size)
    return np.asarray((inverse + inverse.T) / 2)
