"""Error rates of the tests of learning algorithms: many data sets of a simulated world, two quick learners, one design.

In the world algorithm A sees the first half of the features, and B the second. Given the class, the halves have the same law
where the shifts are equal, and may be exchanged: two copies of one learner then have the same expected score at every size of
the training set. No calibration is needed, and none can be missed.

The learners are quick enough to be trained a million times: every split of every data set in a few array operations. A
learner takes features [set, example, feature], the classes 0 and 1 of the examples, and the fold [set, run, example] that
each example is tested in (-1 where it is only trained on); an example is tested by a model that was trained on all examples
of the run but those of its own fold. It says which examples are classified right, [set, run, example]; what it says of those
that no fold tests means nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.errors import InputError, OptionError
from referee.registry import Registry
from referee.runtime.randomness import Streams
from referee.significance.fold_tests import Layout, fitting_tests
from referee.significance.fold_tests import resolve as resolve_test
from referee.significance.sign_tests import mid_p
from referee.studies.algorithms.designs import Design
from referee.studies.algorithms.designs import resolve as resolve_design

SETS, SPLITS, MATCHING = 0, 1, 2
"""The children of a trial's streams."""
BLOCK = 50
"""Data sets of a cell."""
MATCHED, GLIMPSED, LOOKS = 600_000, 30_000, 4
"""On how many examples unlike learners are made to tie, on how many the ends are looked at, and how many shifts are tried."""
ON_HOLDOUT = ("mcnemar",)
SHIFT = 1.5
"""How far apart the classes lie, in standard deviations: a score of 77 % for whoever knows the law."""
STEP = 0.5
"""By how much more B's half tells where the two differ: 84 %."""
FEATURES = 4
COMMON = 0.5
"""What share of the noise both halves have in common, so that examples are hard for both, as they are in life."""
FEWEST = 40
"""Fewer examples leave folds of hardly any."""
Learner: TypeAlias = Callable[[Floats, Ints, Ints], Mask]
LEARNERS: Registry[Learner] = Registry("learner")
NEAREST = 24
"""So many neighbours are looked at first: of two halves, all of them lie in the wrong one once in 17 million."""


@dataclass(frozen=True)
class TwoViews:
    """Two classes, and two views of every example."""

    a: float = SHIFT
    """How far apart the classes lie in the first half of the features."""
    b: float = SHIFT

    def draw(self, sets: int, n: int, generator: np.random.Generator) -> tuple[Floats, Floats, Ints]:
        """Draw data sets with as many examples of one class as of the other.

        The noise does not depend on the shifts: the same generator gives the same examples, nearer or further apart.

        Returns:
            What A sees and what B sees, each [set, example, feature], and the classes of the examples, 0 or 1.
        """
        if n < FEWEST:
            raise InputError(f"a data set needs at least {FEWEST} examples; n is {n}")
        y = np.arange(n) % 2
        own_a, own_b, common = generator.standard_normal((sets, 3, n, FEATURES)).swapaxes(0, 1)
        noise = np.sqrt(COMMON) * common
        # Every feature tells as much as every other; together the class means are one shift apart.
        side = (y - 0.5)[:, None] / np.sqrt(FEATURES)
        a, b = (shift * side + noise + np.sqrt(1 - COMMON) * own for shift, own in ((self.a, own_a), (self.b, own_b)))
        return a, b, y


def learner(function: Learner) -> Learner:
    """Register a learner under the name of its function."""
    LEARNERS.add(function.__name__, function)
    return function


def members(folds: Ints) -> Floats:
    """Return 1.0 where an example is tested in a fold, [set, run, fold, example]."""
    return np.asarray(folds[:, :, None, :] == np.arange(folds.max() + 1)[:, None], dtype=np.float64)


@learner
def centroid(x: Floats, y: Ints, folds: Ints) -> Mask:
    """Nearest class mean: stable, the training set hardly matters."""
    tested = members(folds)
    inside = [np.asarray(y == c, dtype=np.float64)[:, None] for c in (0, 1)]
    means = [_rest(x * one, tested) / _rest(one[None], tested) for one in inside]
    threshold = ((means[1] ** 2).sum(axis=-1) - (means[0] ** 2).sum(axis=-1)) / 2
    return _right(x, y, tested, means[1] - means[0], threshold)


@learner
def linear(x: Floats, y: Ints, folds: Ints) -> Mask:
    """Least squares on the classes as -1 and 1: the linear discriminant of classes of equal size."""
    tested = members(folds)
    z = np.concatenate([np.ones((*x.shape[:2], 1)), x], axis=-1)
    width = z.shape[-1]
    products = _rest((z[..., :, None] * z[..., None, :]).reshape(*z.shape[:2], width**2), tested)
    moments = _rest(z * (2 * y - 1)[:, None], tested)
    weights = np.linalg.solve(products.reshape(*moments.shape, width), moments[..., None])[..., 0].astype(np.float64)
    return _right(x, y, tested, weights[..., 1:], -weights[..., 0])


@learner
def neighbour(x: Floats, y: Ints, folds: Ints) -> Mask:
    """One nearest neighbour: unstable, every training example has a region of its own."""
    return np.stack([y[_nearest(*own, min(NEAREST, len(y) - 1))] == y for own in zip(x, folds, strict=True)])


def _rest(values: Floats, tested: Floats) -> Floats:
    """Sum the values [set, example, value] over the training examples of each split: all but the tested ones."""
    return np.asarray(values.sum(axis=1)[:, None, None, :] - tested @ values[:, None])


def _right(x: Floats, y: Ints, tested: Floats, weights: Floats, threshold: Floats) -> Mask:
    """Say who is on the right side of the plane that belongs to its own fold."""
    sides = weights @ x.swapaxes(1, 2)[:, None] > threshold[..., None]
    return np.asarray(np.any(sides & (tested > 0), axis=2) == (y == 1))


def _nearest(x: Floats, folds: Ints, ranks: int) -> Ints:
    """Return the nearest training example of each example in each run, [run, example]."""
    squares = (x**2).sum(axis=1)
    distances = squares - 2 * x @ x.T
    np.fill_diagonal(distances, np.inf)
    near = np.argpartition(distances, ranks - 1, axis=1)[:, :ranks]
    near = np.take_along_axis(near, np.take_along_axis(distances, near, axis=1).argsort(axis=1), axis=1)
    allowed = folds[:, near] != folds[:, :, None]
    tested = folds >= 0
    if not allowed.any(axis=2)[tested].all() and ranks < len(x) - 1:
        return _nearest(x, folds, min(4 * ranks, len(x) - 1))
    return np.asarray(near[np.arange(len(x)), allowed.argmax(axis=2)])


@dataclass(frozen=True)
class Trial:
    """What is tried on every data set of a world."""

    learners: tuple[str, str]
    design: str
    n: int
    tests: tuple[str, ...]
    alphas: tuple[float, ...]
    rng: int = 0

    def describe(self) -> dict[str, Any]:
        """Return what tells one trial from another, for a store."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in vars(self).items()}

    def __str__(self) -> str:
        return " against ".join(self.learners)

    @property
    def matched(self) -> str:
        """The name of its calibration: designs that train on as much share it."""
        return f"match/{self}/{self.n}/{trained(resolve_design(self.design), self.n):g}"

    def cells(self, world: str, sets: int, b: float = SHIFT) -> dict[str, tuple[Any, ...]]:
        """Return the arguments of the cells in which a world is tried, in blocks of data sets."""
        sizes = {block: min(BLOCK, sets - block * BLOCK) for block in range(math.ceil(sets / BLOCK))}
        name = f"{self}/{self.n}/{self.design}/{world}"
        return {f"{name}/{block}": (self, TwoViews(b=b), block, size) for block, size in sizes.items()}

    @property
    def streams(self) -> Streams:
        """Its randomness, which all designs and worlds of two learners share: they are tried on the same noise."""
        return Streams.of(self.rng).child(crc32(" ".join(self.learners).encode()), self.n)


def run_block(trial: Trial, world: TwoViews, block: int, sets: int) -> dict[str, Any]:
    """Draw data sets, split them as the design says, train and test both learners, and run the tests on the scores.

    The numbers depend on the trial, the world and the block alone.

    Returns:
        How many sets each test rejected at each alpha, and the sums of the mean difference b - a of a set and of its square.
    """
    design, streams = resolve_design(trial.design), trial.streams
    data = world.draw(sets, trial.n, streams.child(SETS).at(block))
    generator = streams.child(SPLITS, crc32(trial.design.encode())).at(block)
    a, b, folds = _outcomes(trial, design, design.shape[0], data, generator)
    means = fold_differences(a, b, folds).mean(axis=1)
    p = {test: p_values(test, a, b, folds, layout_of(design, trial.n)) for test in trial.tests}
    return {
        "rejected": {test: [int((own <= alpha).sum()) for alpha in trial.alphas] for test, own in p.items()},
        "sum": math.fsum(means),
        "squares": math.fsum(means**2),
    }


def _outcomes(
    trial: Trial, design: Design, runs: int, data: tuple[Floats, Floats, Ints], generator: np.random.Generator
) -> tuple[Mask, Mask, Ints]:
    """Split data sets, and train and test both learners; return which examples each classifies right, and the folds."""
    xa, xb, y = data
    folds = deal(design, len(xa), runs, trial.n, generator)
    a, b = (LEARNERS[name](x, y, folds) for name, x in zip(trial.learners, (xa, xb), strict=True))
    return a, b, folds


def deal(design: Design, sets: int, runs: int, n: int, generator: np.random.Generator) -> Ints:
    """Deal the examples of each class out to folds, [set, run, example]; -1 is never tested.

    Classes alternate, as in `TwoViews.draw`.
    """
    order = np.argsort(np.arange(n) % 2 + generator.random((sets, runs, n)), axis=2)
    folds = np.empty(order.shape, dtype=np.int64)
    np.put_along_axis(folds, order, _hand(design, n)[None, None], axis=2)
    return folds


def _hand(design: Design, n: int) -> Ints:
    """Return the fold of each place in the pack, the classes one after the other."""
    if design.shape[1] > 1:
        return np.arange(n) % design.shape[1]
    share = getattr(design, "test", 1 / 3)
    passed = np.floor(np.arange(n + 1) * share + 1e-9)
    return np.where(np.diff(passed) > 0, 0, -1)


def check_size(design: Design, n: int) -> None:
    """Raise where a split would have nothing to test, or hardly anything to train on."""
    hand = _hand(design, n)
    sizes = np.bincount(hand[hand >= 0], minlength=design.shape[1])
    if sizes.min() < 1 or n - sizes.max() < FEWEST // 2:
        least = f"{design} needs a test example and {FEWEST // 2} training examples in every split, which n = {n} does not give"
        raise OptionError(least, argument="n", value=n, remedy="take a larger n, or another design")


def layout_of(design: Design, n: int) -> Layout:
    """Return how the splits of a design of n examples lie."""
    return design.layout_at(n / trained(design, n) - 1)


def trained(design: Design, n: int) -> float:
    """Return how many examples a model is trained on, on average over the splits."""
    return float(n - np.count_nonzero(_hand(design, n) >= 0) / design.shape[1])


def fold_differences(a: Mask, b: Mask, folds: Ints) -> Floats:
    """Return the difference b - a of the shares that are right, [set, split]."""
    tested = members(folds)
    change = (b.astype(np.float64) - a)[:, :, None, :]
    return np.asarray((change * tested).sum(axis=3) / tested.sum(axis=3)).reshape(len(a), -1)


def tried_on(design: str) -> list[str]:
    """Return the names of the tests that can be tried on a design.

    >>> tried_on("holdout"), tried_on("5x2cv")
    (['mcnemar'], ['5x2cv-f', '5x2cv-t'])
    """
    tried = resolve_design(design)
    return list(ON_HOLDOUT) if tried.kind == "once" else fitting_tests(tried.name)


def p_values(test: str, a: Mask, b: Mask, folds: Ints, layout: Layout) -> Floats:
    """Return what a test gives each set: rejected is what is at most alpha, and NaN is not."""
    if test in ON_HOLDOUT:
        seen = folds[:, 0] >= 0
        up, down = (np.float64((one & ~other)[:, 0] & seen).sum(axis=1) for one, other in ((b, a), (a, b)))
        return mid_p(up, down, "two-sided")
    evidence = resolve_test(test).evaluate(fold_differences(a, b, folds), layout)
    if evidence.probabilities is None:
        return evidence.p
    # A Bayesian test rejects where one of the two is better with a probability of 1 - alpha.
    return np.asarray(1 - evidence.probabilities[:, [0, 2]].max(axis=1))


def match(trial: Trial) -> dict[str, float]:
    """Find the shift of B's half at which unlike learners tie when they are trained on as much as the design trains on.

    By false position, on data sets of their own that are the same for every shift.

    Returns:
        The shift, the difference b - a that is left on these data sets, and its standard error: how well the tie was hit.
    """
    design = resolve_design(trial.design)
    low, high = SHIFT / 2, 2 * SHIFT
    below, above = (_gap(trial, design, end, GLIMPSED)[0] for end in (low, high))
    if not below < 0 < above:
        apart = f"{' and '.join(trial.learners)} cannot be made to tie at n = {trial.n}"
        raise OptionError(apart, argument="learners", value=trial.learners, remedy="take other learners")
    kept = 0
    for _ in range(LOOKS):
        shift = low - below * (high - low) / (above - below)
        left, error = _gap(trial, design, shift, MATCHED)
        # An end that stays twice is halved, or false position would creep (the Illinois rule).
        if left < 0:
            low, below, above, kept = shift, left, above / 2 if kept > 0 else above, 1
        else:
            high, above, below, kept = shift, left, below / 2 if kept < 0 else below, -1
    return {"shift": shift, "left": left, "error": error}


def _gap(trial: Trial, design: Design, shift: float, examples: int) -> tuple[float, float]:
    """Return the mean difference b - a at a shift of B's half, and its standard error."""
    # So many runs that every example is tested about once.
    runs = max(1, round(trial.n / (design.shape[1] * (trial.n - trained(design, trial.n)))))
    blocks = range(math.ceil(examples / (BLOCK * trial.n)))
    means = np.concatenate([_means(trial, design, runs, block, shift) for block in blocks])
    return float(means.mean()), float(means.std(ddof=1) / math.sqrt(len(means)))


def _means(trial: Trial, design: Design, runs: int, block: int, shift: float) -> Floats:
    streams = trial.streams.child(MATCHING)
    data = TwoViews(b=shift).draw(BLOCK, trial.n, streams.child(SETS).at(block))
    outcomes = _outcomes(trial, design, runs, data, streams.child(SPLITS).at(block))
    return np.asarray(fold_differences(*outcomes).mean(axis=1))
