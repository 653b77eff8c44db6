"""Scales: the scores that are possible, where somebody says so. They are never guessed from the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from referee.data.columns import Floats
from referee.errors import InputError, OptionError
from referee.registry import number_of

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
        if values.dtype.kind not in "biuf":
            return False
        slack = 1e-6 * (self.step or (self.high - self.low))
        place = (values.astype(np.float64) - self.low) / (self.step or 1.0)
        off = 0.0 if self.step is None else np.abs(place - np.rint(place)) * self.step
        inside = (values >= self.low - slack) & (values <= self.high + slack)
        return bool((inside & (off <= slack)).all())

    def held(self, values: Floats, metric: str) -> Floats:
        """Return values, each moved to its place on the scale by no more than rounding.

        Raises:
            InputError: where one lies elsewhere.
        """
        slack = 1e-6 * (self.step or (self.high - self.low))
        outside = (values < self.low - slack) | (values > self.high + slack)
        if outside.any():
            raise InputError(
                f"{metric} declares scores from {self.low:g} to {self.high:g}, and there is {values[outside][0]:g}; correct low= "
                f"and high=, or leave them out"
            )
        if self.step is None:
            return values
        place = np.rint((values - self.low) / self.step)
        snapped: Floats = self.low + self.step * place
        off = np.abs(snapped - values) > slack
        if off.any():
            raise InputError(
                f"{metric} declares scores in steps of {self.step:g} from {self.low:g}, and there is {values[off][0]:g}; correct "
                f"step=, or leave it out"
            )
        return snapped


def likely_scale(values: Floats) -> Scale | None:
    """Return the scale that scores look like, to ask about; None where they look like any numbers.

    >>> likely_scale(np.array([3.0, 5.0, 4.0, 5.0, 1.0] * 5))
    Scale(low=1.0, high=5.0, step=1.0)
    """
    seen = np.unique(values)
    if not 2 < len(seen) <= LEVELS or len(values) < 2 * len(seen):
        return None
    made = Scale(float(seen[0]), float(seen[-1]), float(np.diff(seen).min()))
    steps = (made.high - made.low) / (made.step or 1.0)
    return made if round(steps) <= 2 * LEVELS and made.holds(seen) else None


def check_scale(name: str, given: Mapping[str, Any]) -> dict[str, float | None]:
    """Return the options of a scale as numbers.

    Raises:
        OptionError: where they do not make one.
    """
    made = {key: None if value is None else number_of(f"{name}:{key}", value) for key, value in given.items()}
    low, high, step = (made[key] for key in SCALE)
    if low is None and high is None and step is None:
        return made
    if low is None or high is None:
        raise OptionError(f"a scale needs both ends, as in {name}:low=1,high=5,step=1")
    if not low < high:
        raise OptionError(f"{name}:low must be below high; they are {low:g} and {high:g}")
    if step is not None:
        steps = (high - low) / step if step > 0 else 0.0
        if not 1 <= steps <= STEPS or abs(steps - round(steps)) > 1e-6:
            raise OptionError(
                f"{name}:step must divide the range from {low:g} to {high:g} into at most {STEPS:,} equal parts; it is {step:g}"
            )
    return made
