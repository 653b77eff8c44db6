"""A trial of the tests of learning algorithms: many data sets of one world, two learners, one design, all its tests."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any
from zlib import crc32

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.errors import OptionError
from referee.runtime.randomness import Streams
from referee.significance.fold_tests import Layout, fitting_tests
from referee.significance.fold_tests import resolve as resolve_test
from referee.significance.mcnemar import mid_p
from referee.studies.algorithms.designs import Design
from referee.studies.algorithms.designs import resolve as resolve_design
from referee.studies.algorithms.quick_learners import LEARNERS, members
from referee.studies.algorithms.tied_worlds import FEWEST, SHIFT, World

SETS, SPLITS, MATCHING = 0, 1, 2
"""The children of a trial's streams."""
BLOCK = 50
"""Data sets of a cell."""
MATCHED, GLIMPSED, LOOKS = 600_000, 30_000, 4
"""On how many examples unlike learners are made to tie, on how many the ends are looked at, and how many shifts are tried."""
ON_HOLDOUT = ("mcnemar",)


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
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}

    @property
    def streams(self) -> Streams:
        """Its randomness, which all designs and worlds of two learners share: they are tried on the same noise."""
        return Streams.of(self.rng).child(crc32(" ".join(self.learners).encode()), self.n)


def run_block(trial: Trial, world: World, block: int, sets: int) -> dict[str, Any]:
    """Draw data sets, split them as the design says, train and test both learners, and run the tests on the scores.

    The numbers depend on the trial, the world and the block alone.

    Returns:
        How many sets each test rejected at each alpha, and the sums of the mean difference b - a of a set and of its square.
    """
    streams = trial.streams
    design = resolve_design(trial.design)
    xa, xb, y = world.draw(sets, trial.n, streams.child(SETS).at(block))
    generator = streams.child(SPLITS, crc32(trial.design.encode())).at(block)
    folds = deal(design, sets, design.shape[0], trial.n, generator)
    a, b = (LEARNERS[name](x, y, folds) for name, x in zip(trial.learners, (xa, xb), strict=True))
    means = fold_differences(a, b, folds).mean(axis=1)
    found = {test: p_values(test, a, b, folds, layout_of(design, trial.n)) for test in trial.tests}
    return {
        "rejected": {test: [int((p <= alpha).sum()) for alpha in trial.alphas] for test, p in found.items()},
        "sum": math.fsum(means),
        "squares": math.fsum(means**2),
    }


def deal(design: Design, sets: int, runs: int, n: int, generator: np.random.Generator) -> Ints:
    """Deal the examples of each class out to folds, [set, run, example]; -1 is never tested.

    Classes alternate, as in `World.draw`.
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
        raise OptionError(
            f"{design} needs a test example and {FEWEST // 2} training examples in every split, which n = {n} does not "
            f"give; take a larger n, or another design"
        )


def layout_of(design: Design, n: int) -> Layout:
    """Return how the splits of a design of n examples lie."""
    return Layout(design.name, *design.shape, n / trained(design, n) - 1)


def trained(design: Design, n: int) -> float:
    """Return how many examples a model is trained on, on average over the splits."""
    return float(n - np.count_nonzero(_hand(design, n) >= 0) / design.shape[1])


def fold_differences(a: Mask, b: Mask, folds: Ints) -> Floats:
    """Return the difference b - a of the shares that are right, [set, split]."""
    tested = members(folds)
    change = (b.astype(np.float64) - a)[:, :, None, :]
    found: Floats = (change * tested).sum(axis=3) / tested.sum(axis=3)
    return found.reshape(len(found), -1)


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
        raise OptionError(f"{' and '.join(trial.learners)} cannot be made to tie at n = {trial.n}; take other learners")
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
    xa, xb, y = World(b=shift).draw(BLOCK, trial.n, streams.child(SETS).at(block))
    folds = deal(design, BLOCK, runs, trial.n, streams.child(SPLITS).at(block))
    a, b = (LEARNERS[name](x, y, folds) for name, x in zip(trial.learners, (xa, xb), strict=True))
    found: Floats = fold_differences(a, b, folds).mean(axis=1)
    return found
