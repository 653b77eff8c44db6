"""Plans: how splits lie that were made elsewhere, as somebody says it or as the scores show it; never a silent guess."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from referee.errors import InputError, OptionError
from referee.registry import parse, spell
from referee.significance.fold_tests import Layout
from referee.studies.algorithms.designs import Design, resolve

MOST_GUESSED = 20
"""Nobody makes more folds than this of one k-fold without saying so: beyond, it is asked what the splits are."""
SHARES = (0.1, 0.2, 0.33, 0.5)
"""Shares of the examples that random splits usually test; 0.1 is the default of scikit-learn."""
USUAL = (10, 5, 3, 2)
"""How many folds there usually are."""


@dataclass(frozen=True)
class Plan:
    """A design with its numbers."""

    name: str
    runs: int
    folds: int
    share: float | None = None
    """Of random splits: which share of the examples of a split is tested; None where it is not known."""

    @classmethod
    def folded(cls, runs: int, folds: int) -> Plan:
        """Return the plan of folds: one run, five runs of two, or other repetitions.

        >>> str(Plan.folded(1, 10)), str(Plan.folded(5, 2)), str(Plan.folded(10, 10))
        ('kfold:folds=10', '5x2cv', 'repeated-kfold:folds=10,repeats=10')
        """
        return cls("kfold" if runs == 1 else "5x2cv" if (runs, folds) == (5, 2) else "repeated-kfold", runs, folds)

    @classmethod
    def of(cls, design: Design) -> Plan:
        """Return the plan of a design whose options are all meant as they are."""
        return cls(design.name, *design.shape, share=getattr(design, "test", None))

    def __str__(self) -> str:
        options: dict[str, Any] = {
            "kfold": {"folds": self.folds},
            "repeated-kfold": {"folds": self.folds, "repeats": self.runs},
            "resampled": {"number": self.runs},
        }.get(self.name, {})
        if self.share is not None:
            options = {**options, "test": round(self.share, 4)}
        return spell(self.name, options)

    @property
    def shortest(self) -> str:
        """The spelling without what the number of scores tells.

        >>> Plan("resampled", 10, 1, 0.5).shortest
        'resampled:test=0.5'
        """
        return re.sub(r"number=\d+,|,repeats=\d+", "", str(self))

    @property
    def splits(self) -> int:
        """How many splits there are."""
        return self.runs * self.folds

    @property
    def ratio(self) -> float | None:
        """Test examples to training examples, as far as the plan says."""
        if self.name == "resampled":
            return None if self.share is None else self.share / (1 - self.share)
        return 1 / (self.folds - 1) if self.folds > 1 else None

    def layout(self, ratio: float) -> Layout:
        """Return what a test has to know about the splits."""
        return Layout(self.name, self.runs, self.folds, ratio)


class Undecided(OptionError):
    """Scores that could come from several designs, with what to say for each."""

    def __init__(self, why: str, choices: Sequence[tuple[str, str]], call: str = "compare_scores(scores, {})") -> None:
        self.why, self.choices = why, tuple(choices)
        super().__init__(self.asked(lambda design: call.format(f"design={design!r}")))

    def asked(self, written: Any) -> str:
        """Return the question, each answer written as it is to be given."""
        return f"{self.why}; say which: " + "; ".join(
            f"{meaning}: {written(design)}" for design, meaning in self.choices
        )


def stated(given: str | Design, splits: int, runs: int | None) -> Plan:
    """Return the plan that somebody stated; numbers that a spelling leaves out are those of the scores.

    Args:
        given: a design, or the spelling of one.
        splits: how many scores there are of each algorithm.
        runs: how many runs the scores name; None where they name none.

    Raises:
        OptionError: where it does not fit the scores.
    """
    design = resolve(given)
    options = parse(given)[1] if isinstance(given, str) else None
    if design.name == "holdout":
        raise OptionError("a holdout has one split, and a test of one test set needs the predictions: use compare")
    if design.name == "5x2cv" and splits != 10:
        raise InputError(f"5x2cv has 10 splits, two of each of five runs; there are {splits}")
    plan = Plan.of(design) if options is None else _completed(design, options, splits, runs)
    if plan.splits != splits:
        raise OptionError(f"{plan} has {plan.splits} splits, and there are {splits} rows")
    if plan.name in ("repeated-kfold", "5x2cv") and runs not in (None, plan.runs):
        raise OptionError(f"{plan} has {plan.runs} runs, and the scores name {runs}")
    return plan


def _completed(design: Design, options: dict[str, str], splits: int, runs: int | None) -> Plan:
    """Fill in what a spelling leaves out."""
    plan = Plan.of(design)
    if plan.name == "resampled":
        return Plan(
            "resampled", plan.runs if "number" in options else splits, 1, plan.share if "test" in options else None
        )
    if plan.name == "kfold" and "folds" not in options:
        return Plan("kfold", 1, splits)
    if plan.name == "repeated-kfold" and not {"folds", "repeats"} <= set(options):
        if "folds" in options:
            return Plan(plan.name, max(1, splits // plan.folds), plan.folds)
        if "repeats" in options or runs is not None:
            number = plan.runs if "repeats" in options else runs or 1
            return Plan(plan.name, number, max(1, splits // number))
        raise Undecided(
            f"{splits} scores can be folds of several numbers of runs",
            [(str(Plan("repeated-kfold", splits // k, k)), _meaning(splits // k, k)) for k in _divisors(splits)[:3]]
            or [("kfold", "one run")],
        )
    return plan


RANDOM = (
    "resampled:test=0.2",
    "random splits, with the share that each tested (ShuffleSplit: 0.1 unless told otherwise)",
)


def undecided(splits: int) -> Undecided:
    """Return the question what splits are that can be of several designs."""
    folds = [(str(Plan("repeated-kfold", splits // k, k)), _meaning(splits // k, k)) for k in _divisors(splits)[:2]]
    return Undecided(
        f"{splits} scores of each algorithm can come from several designs, and the p-value depends on which",
        [*folds, RANDOM, ("kfold", f"one run of {splits} folds, such as leave-one-out")],
    )


def rivals(plan: Plan) -> tuple[Plan, ...]:
    """Return what splits could be as well that were taken for this."""
    if plan.name == "resampled":
        return (Plan("5x2cv", 5, 2),)
    others = [Plan.folded(plan.splits // k, k) for k in _divisors(plan.splits) if k != plan.folds]
    return (*others, *(Plan("resampled", plan.splits, 1, share) for share in SHARES))


def _divisors(splits: int) -> list[int]:
    """Return how many folds a run can have, the usual numbers first.

    >>> _divisors(100), _divisors(7)
    ([10, 5, 2, 4, 20], [])
    """
    found = [k for k in range(2, MOST_GUESSED + 1) if splits % k == 0 and splits > k]
    return sorted(found, key=lambda k: USUAL.index(k) if k in USUAL else len(USUAL))


def _meaning(runs: int, folds: int) -> str:
    return f"{runs} runs of {folds} folds, run after run as in RepeatedKFold"
