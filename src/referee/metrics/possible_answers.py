"""What is possible: the answers that a system could have given, what the two could have answered together, and scales of scores.

A scale is the scores that are possible where somebody says so; it is never guessed from the data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.data.columns import Floats, Ints, Mask, Values
from referee.errors import InputError, OptionError
from referee.metrics.labels import Labels, codes
from referee.metrics.matrices import Matrix
from referee.registry import number_of

if TYPE_CHECKING:
    from referee.data.counts import Counts

MOST = 1000
"""Up to so many joint outcomes are all taken for possible; of more, those in which one system alone is right."""

PAIRS = 20_000
"""Up to so many pairs of a truth and an answer are all taken for possible; of more, about so many that no system gave."""


@dataclass(frozen=True, eq=False)
class Possible:
    """The answers that a single system can give, each to a truth, with their statistics."""

    statistics: Matrix
    """[answer, statistic]"""
    truth: Ints
    """The truth that it is an answer to; joint outcomes are of one truth."""
    right: Mask
    """Which answers are right, one of each truth; where nothing is right or wrong, the ends of the range."""
    mirrored: bool = False
    """Whether what one system gets is what the other does not, so that the answers from the last to the first go with them."""
    open: bool = False
    """Whether what neither system and not the truth mention is never counted: the last answer, given by both."""

    def joint(self) -> tuple[Ints, Ints]:
        """Return the joint outcomes: the answer of A and the answer of B."""
        if self.mirrored:
            one = np.arange(len(self.truth))
            return one, one[::-1]
        sizes = np.bincount(self.truth)
        if int((sizes**2).sum()) <= MOST:
            first, second = np.nonzero(self.truth[:, None] == self.truth[None, :])
        else:
            anchors = np.flatnonzero(self.right)
            by_truth = [np.flatnonzero(self.truth == self.truth[anchor]) for anchor in anchors]
            right = np.repeat(anchors, [len(others) for others in by_truth])
            other = np.concatenate(by_truth)
            first, second = np.concatenate([right, other]), np.concatenate([other, right])
        if self.open:
            last = len(self.truth) - 1
            kept = (first != last) | (second != last)
            first, second = first[kept], second[kept]
        return first, second


def crossed(truths: int, answers: int) -> tuple[Ints, Ints]:
    """Return every truth with every answer, by their numbers."""
    return np.repeat(np.arange(truths), answers), np.tile(np.arange(answers), truths)


def answers_of(
    labels: Labels, truths: list[Any], counts: Counts, statistics: Callable[[Values | None, Values], Matrix]
) -> Possible:
    """Return every answer to every truth; of very many labels, the right ones, those that some system gave, and rare ones."""
    answers = [*labels.all, *([None] if labels.gaps else [])]
    if len(truths) * len(answers) <= PAIRS:
        truth, answer = crossed(len(truths), len(answers))
    else:
        place = codes(counts["truth"], truths)
        given = [place * len(answers) + codes(counts[role], answers) for role in counts.systems]
        own = np.arange(len(truths)) * len(answers) + codes(_objects(truths), answers)
        often = np.bincount(place, counts.multiplicities, len(truths))
        rare = _rare_pairs(np.argsort(often, kind="stable"), own % len(answers), len(answers))
        pairs = np.unique(np.concatenate([own, *given, rare]))
        truth, answer = pairs // len(answers), pairs % len(answers)
    actual, guess = _objects(truths)[truth], _objects(answers)[answer]
    return Possible(statistics(actual, guess), truth, np.asarray(actual == guess, dtype=np.bool_))


def _rare_pairs(order: Ints, own: Ints, answers: int) -> Ints:
    """Return pairs, as truth x answers + answer, among which a world finds what it needs about as near as among all.

    What changes an average over classes most is a mistake that concerns rare ones: so every truth with the rarest answers, every
    answer with the rarest truths, and each truth with those that are about as rare, lest few classes bear it all.

    Args:
        order: the truths, the rarest first.
        own: the answer that is right for each truth.
        answers: how many there are.
    """
    share = PAIRS // (3 * answers) + 1
    rarest, everyone, away = order[:share], np.arange(len(order)), np.arange(1, share + 1)
    near = own[order[(everyone[:, None] + away) % len(order)]]
    rare_answers, rare_truths = (
        everyone[:, None] * answers + own[rarest],
        rarest[:, None] * answers + np.arange(answers),
    )
    return np.concatenate([part.ravel() for part in (rare_answers, rare_truths, order[:, None] * answers + near)])


def scale_answers(values: Floats) -> Possible:
    """Return the answers that are values alone, whatever the truth."""
    ends = np.isin(np.arange(len(values)), (0, len(values) - 1))
    return Possible(np.stack([values, np.ones(len(values))], axis=1), np.zeros(len(values), np.int64), ends)


def _objects(values: list[Any]) -> Values:
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


SCALE = ("low", "high", "step")
"""The options that declare one."""
STEPS = 10_000
"""So many steps are a continuum."""
LEVELS = 11
"""Up to so many different scores look like a scale, such as 0 to 10."""


@dataclass(frozen=True)
class Scale:
    """From `low` to `high`, in steps if there are steps."""

    low: float
    high: float
    step: float | None = None

    @property
    def values(self) -> Floats:
        """All scores that are possible."""
        if self.step is None:
            raise ValueError("a scale without steps has no list of values")
        places = np.arange(round((self.high - self.low) / self.step) + 1, dtype=np.float64)
        return self.low + self.step * places

    def holds(self, values: Any) -> bool:
        """Say whether all values are numbers on the scale, but for rounding."""
        return values.dtype.kind in "biuf" and not any(off.any() for off in self._off(values.astype(np.float64)))

    def _off(self, values: Floats) -> tuple[Mask, Mask]:
        """Say which values lie beyond the ends, and which between two steps, by more than rounding."""
        slack = 1e-6 * (self.step or (self.high - self.low))
        beyond = (values < self.low - slack) | (values > self.high + slack)
        return beyond, np.abs(self._snapped(values) - values) > slack

    def _snapped(self, values: Floats) -> Floats:
        """Return each value moved to the step that is nearest, if there are steps."""
        return values if self.step is None else self.low + self.step * np.rint((values - self.low) / self.step)

    def held(self, values: Floats, metric: str) -> Floats:
        """Return values, each moved to its place on the scale by no more than rounding.

        Raises:
            InputError: if one lies elsewhere.
        """
        beyond, between = self._off(values)
        if beyond.any():
            what = f"{metric} declares scores from {self.low:g} to {self.high:g}, and there is {values[beyond][0]:g}"
            raise InputError(what, remedy="correct low= and high=, or leave them out")
        if between.any():
            what = f"{metric} declares scores in steps of {self.step:g} from {self.low:g}"
            raise InputError(f"{what}, and there is {values[between][0]:g}", remedy="correct step=, or leave it out")
        return self._snapped(values)


def likely_scale(values: Floats) -> Scale | None:
    """Return the scale that scores look like, to ask about; None where they look like any numbers.

    >>> likely_scale(np.array([3.0, 5.0, 4.0, 5.0, 1.0] * 5))
    Scale(low=1.0, high=5.0, step=1.0)
    """
    levels = np.unique(values)
    if not 2 < len(levels) <= LEVELS or len(values) < 2 * len(levels):
        return None
    step = float(np.diff(levels).min())
    scale = Scale(float(levels[0]), float(levels[-1]), step)
    return scale if round((scale.high - scale.low) / step) <= 2 * LEVELS and scale.holds(levels) else None


def check_scale(name: str, given: Mapping[str, Any]) -> dict[str, float | None]:
    """Return the options of a scale as numbers.

    Raises:
        OptionError: if they do not make one.
    """
    options = {key: own if own is None else number_of("metric", own, f"{name}:{key}") for key, own in given.items()}
    low, high, step = (options[key] for key in SCALE)
    if low is None and high is None and step is None:
        return options
    about: dict[str, Any] = {"argument": "metric", "value": options}
    if low is None or high is None:
        raise OptionError(f"a scale needs both ends, as in {name}:low=1,high=5,step=1", **about)
    if not low < high:
        raise OptionError(f"{name}:low must be below high; they are {low:g} and {high:g}", **about)
    steps = 1.0 if step is None else (high - low) / step if step > 0 else 0.0
    if not 1 <= steps <= STEPS or abs(steps - round(steps)) > 1e-6:
        parts = f"the range from {low:g} to {high:g} into at most {STEPS:,} equal parts"
        raise OptionError(f"{name}:step must divide {parts}; it is {step:g}", **about)
    return options
