"""Worlds in which two learning algorithms tie, or differ by as much as one likes.

Algorithm A sees the first half of the features, and B the second. Given the class, the halves have the same law where
the shifts are equal, and may be exchanged: two copies of one learner then have the same expected score at every size of
the training set. No calibration is needed, and none can be missed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from referee.data.columns import Floats, Ints
from referee.errors import InputError

SHIFT = 1.5
"""How far apart the classes lie, in standard deviations: a score of 77 % for whoever knows the law."""
STEP = 0.5
"""By how much more B's half tells where the two differ: 84 %."""
FEATURES = 4
COMMON = 0.5
"""What share of the noise both halves have in common, so that examples are hard for both, as they are in life."""
FEWEST = 40
"""Fewer examples leave folds of hardly any."""


@dataclass(frozen=True)
class World:
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
        views = [
            self.a * side + noise + np.sqrt(1 - COMMON) * own_a,
            self.b * side + noise + np.sqrt(1 - COMMON) * own_b,
        ]
        return views[0], views[1], y
