"""Measures the table of docs/studentized.md: how often four tests call two equally precise systems different.

`python -m benchmarks.studentized_table` prints it; 2,000 test sets of each size take about ten minutes.
"""

from __future__ import annotations

import argparse
import math

from referee.data.counts import Counts, from_events
from referee.metrics import precision
from referee.runtime.randomness import Streams
from referee.significance.bootstrap import Bootstrap
from referee.significance.randomization import Randomization
from referee.significance.score_test import Score
from referee.significance.tally import Tally

ALPHA = 0.05
SIZES = (300, 1000, 3000, 10_000)
TESTS = (Randomization(), Randomization(studentized=True), Bootstrap(replicates=1999), Score())
WORLDS = {
    # Both are right in half of their answers; A answers 2 % of the examples and B 18 %.
    "equal precision, B answers nine times as often": [36, 1764, 164, 8036, 36, 1764, 164, 8036],
    # Both answer 10 % of the examples; A is right in half of its answers and B in 60 %.
    "precision .5 and .6, answers equally often": [120, 1080, 880, 7920, 80, 720, 920, 8280],
}
"""Populations as e1 to e8; given the truth the two systems answer independently of each other."""


def rejected(world: Counts, n: int, sets: int) -> list[float]:
    """Return the share of test sets of n examples in which each test finds a difference."""
    tally = Tally.of(world, precision)
    batch = Streams.of(0).at(n).multinomial(n, tally.multiplicities / world.n, size=sets)
    found = [test.evaluate(tally, batch, "two-sided", Streams.of(1)).p for test in TESTS]
    return [float((p <= ALPHA).mean()) for p in found]


def main() -> None:
    """Print a table for each population."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=2000, help="test sets of each size")
    sets = parser.parse_args().sets
    for title, events in WORLDS.items():
        world = from_events(events)
        scores = Tally.of(world, precision).observed()
        print(f"{title} (precision {scores[0]:.3f} and {scores[1]:.3f}), {sets} sets, alpha {ALPHA}")
        print("| n | " + " | ".join(map(str, TESTS)) + " |")
        print("|--:" * (1 + len(TESTS)) + "|")
        for n in SIZES:
            shares = rejected(world, n, sets)
            cells = [f"{share:.3f} ± {math.sqrt(share * (1 - share) / sets):.3f}" for share in shares]
            print(f"| {n} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
