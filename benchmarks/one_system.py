"""How often the verdicts of `referee score` and of two samples err, by simulation: `python -m benchmarks.one_system`.

Single scores: how often a system just at the target passes, and how often the 90% interval holds the true score. Two samples: how
often two systems that tie are called different at alpha 0.05.
"""

from __future__ import annotations

import numpy as np

from referee.data.columns import Floats, Ints
from referee.data.counts import Counts
from referee.data.samples import side_by_side
from referee.metrics import METRICS
from referee.runtime.randomness import Streams
from referee.significance.laws.score import ScoreLaw
from referee.significance.own_laws import own_law
from referee.significance.rank_tally import tally_of
from referee.significance.tally import Tally
from referee.significance.test_choice import choose

SETS = 4000
SLOW = 1000
STREAMS = Streams.of(0)
Z = 1.6448536269514722


def binary(shares: Floats, n: int) -> tuple[Counts, Ints]:
    """Return counts with every kind of outcome, and drawn multiplicities of them."""
    generator = np.random.default_rng(n)
    counts = Counts.of({"truth": [0, 0, 1, 1], "a": [0, 1, 0, 1], "b": [0, 1, 0, 1]})
    return counts, generator.multinomial(n, shares, size=SETS)


def of_counts(name: str, shares: Floats, n: int) -> tuple[float, float]:
    """Return how often a system at the target passes, and the coverage of the 90% interval, by the score law."""
    counts, batch = binary(shares, n)
    tally = tally_of(counts, METRICS[name])
    assert isinstance(tally, Tally)
    units, world = np.zeros((len(batch), len(tally.multiplicities)), np.int64), np.zeros(len(tally.multiplicities))
    for row, place in enumerate(tally.place):
        units[:, place] += batch[:, row]
        world[place] += shares[row]
    root = ScoreLaw(tally, (0.0, 1.0)).distances(units, float(tally.scores(world)[1])).root
    return float((root >= Z).mean()), float((np.abs(root) < Z).mean())


def of_numbers(sigma: float, n: int) -> tuple[float, float]:
    """Return the same of means of log-normal scores."""
    generator, passed, held, true = np.random.default_rng(n), 0, 0, float(np.exp(sigma**2 / 2))
    for _ in range(SLOW):
        values = generator.lognormal(sigma=sigma, size=n)
        law = own_law(tally_of(Counts.of({"a": values, "b": values}), METRICS["mean"]), 1, STREAMS)
        low, high = law.p_at(true, "greater"), law.p_at(true, "less")
        assert low is not None
        assert high is not None
        passed, held = passed + (low <= 0.05), held + (min(low, high) > 0.05)
    return passed / SLOW, held / SLOW


def of_groups(groups: int) -> tuple[float, float]:
    """Return the same of accuracy over groups whose difficulty varies."""
    generator, passed, held = np.random.default_rng(groups), 0, 0
    for _ in range(SLOW):
        sizes = generator.integers(2, 12, groups)
        ease = np.repeat(np.clip(generator.normal(0.8, 0.12, groups), 0, 1), sizes)
        right = (generator.random(len(ease)) < ease).astype(int)
        group = np.repeat(np.arange(groups), sizes)
        counts = Counts.of({"truth": np.ones(len(right), int), "a": right, "b": right, "group": group})
        law = own_law(tally_of(counts, METRICS["accuracy"]), 1, STREAMS)
        low, high = law.p_at(TRUE_EASE, "greater"), law.p_at(TRUE_EASE, "less")
        passed += low is not None and low <= 0.05
        held += low is None or high is None or min(low, high) > 0.05
    return passed / SLOW, held / SLOW


TRUE_EASE = float(np.clip(np.random.default_rng(0).normal(0.8, 0.12, 10**7), 0, 1).mean())


def sample(values: Floats, **more: Ints) -> Counts:
    """Return the counts of one sample of scores."""
    return Counts.of({"a": values, "b": values, **more})


def tie(draw: str, sizes: tuple[int, int]) -> float:
    """Return how often two systems that tie are called different."""
    generator, alarms = np.random.default_rng(sizes[0]), 0
    for _ in range(SLOW):
        more: list[dict[str, Ints]] = [{}, {}]
        metric = "mean"
        parts = []
        for place, n in enumerate(sizes):
            if draw in ("accuracy", "f1"):
                truth = (generator.random(n) < 0.3).astype(int)
                guess = np.where(generator.random(n) < 0.85, truth, 1 - truth)
                parts.append(Counts.of({"truth": truth, "a": guess, "b": guess}))
                metric = draw
                continue
            if draw == "groups":
                values = np.repeat(generator.normal(size=n // 5), 5) + generator.normal(size=n // 5 * 5)
                more[place] = {"group": 1000 * place + np.arange(n // 5 * 5) // 5}
            elif draw == "lognormal":
                values = generator.lognormal(size=n)
            else:
                values = (1.0, 0.3)[place] * generator.normal(size=n)
            parts.append(sample(values, **more[place]))
        tally = tally_of(side_by_side(*parts), METRICS[metric])
        test, _ = choose(tally)
        alarms += bool(test.evaluate(tally, tally.multiplicities[None, :], "two-sided", STREAMS).p[0] <= 0.05)
    return alarms / SLOW


def main() -> None:
    """Print the tables."""
    print("one system: metric, n: passes at the target (alpha 5%), coverage of the 90% interval")
    for name, shares in (
        ("accuracy", [0.6, 0.05, 0.05, 0.3]),
        ("f1", [0.8, 0.04, 0.04, 0.12]),
        ("mcc", [0.6, 0.1, 0.1, 0.2]),
    ):
        for n in (50, 200, 1000):
            print(f"  {name} {n}: {of_counts(name, np.array(shares), n)}", flush=True)
    for sigma, n in ((1.0, 30), (1.0, 100), (0.3, 30)):
        print(f"  mean, lognormal {sigma} {n}: {of_numbers(sigma, n)}", flush=True)
    for groups in (10, 20, 50):
        print(f"  accuracy, groups {groups}: {of_groups(groups)}", flush=True)
    print("two samples: false alarms at alpha 5%")
    for draw in ("accuracy", "f1", "normal", "lognormal", "groups"):
        for sizes in ((50, 50), (50, 200), (200, 1000)):
            print(f"  {draw} {sizes}: {tie(draw, sizes)}", flush=True)


if __name__ == "__main__":
    main()
