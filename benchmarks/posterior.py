"""Posteriors: are their probabilities right on worlds drawn from the prior, do Bayesian bootstraps cover, and what do draws cost?

`python -m benchmarks.posterior` writes docs/posterior.json, whose numbers docs/posterior.md has; about ten minutes.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from referee.data.columns import Floats
from referee.data.counts import Counts, from_events
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance.bayes import Bayes
from referee.significance.laws.dirichlet import Support, posterior
from referee.significance.rank_tally import AnyTally, tally_of

STORED = Path(__file__).parent.parent / "docs" / "posterior.json"
WORLDS, DRAWS, PRIOR = 4000, 999, 4.0
LEVELS = (0.5, 0.8, 0.95)
TENTHS = 10
METRICS = ("accuracy", "f1", "mcc", "f1:average=macro", "mean:low=1,high=5,step=1")
SETS = 2000
GROUPS, EXAMPLES = (5, 10, 20, 50, 100), (10, 20, 50, 100, 200)
SIZES = (1_000, 1_000_000, 1_000_000_000)


def world_of(metric: str) -> AnyTally:
    """Return a tally whose support is that of a metric: of three classes, of a scale, or of two classes."""
    if metric.startswith("mean"):
        return tally_of(Counts.of({"a": np.array([1.0, 2.0, 5.0]), "b": np.array([5.0, 3.0, 1.0])}), resolve(metric))
    if "macro" in metric:
        three = np.arange(3)
        return tally_of(Counts.of({"truth": three, "a": three, "b": np.roll(three, 1)}), resolve(metric))
    return tally_of(from_events([1] * 8), resolve(metric))


def from_prior(metric: str, seed: int) -> dict[str, Any]:
    """Draw worlds from the prior and data from the worlds; say where the truth lies in the posteriors.

    Whatever the size of the data, the share of draws below the true difference must be uniform, an interval must hold the
    truth as often as its level says, and B must be better as often as is said.
    """
    rng, tally = np.random.default_rng(seed), world_of(metric)
    support = Support.of(tally, PRIOR)
    whole = support.tally
    ranks, said, came = np.empty(WORLDS), np.empty(WORLDS), np.empty(WORLDS)
    for number in range(WORLDS):
        shares = rng.dirichlet(support.prior)
        data = rng.multinomial(int(np.exp(rng.uniform(0, np.log(2000)))) + 1, shares)
        true = float(whole.differences(shares * data.sum()))
        own = posterior(whole.with_multiplicities(data), PRIOR, DRAWS, Streams.of(number)).differences
        ranks[number] = (own < true).mean() + (own == true).mean() / 2
        said[number], came[number] = (own > 0).mean() + (own == 0).mean() / 2, (true > 0) + (true == 0) / 2
    tenths = np.histogram(ranks, np.linspace(0, 1, TENTHS + 1))[0]
    expected = WORLDS / TENTHS
    bands = np.clip((said * 5).astype(int), 0, 4)
    return {
        "metric": metric,
        "worlds": WORLDS,
        "chi2": float(((tenths - expected) ** 2 / expected).sum()),
        "tenths": tenths.tolist(),
        "covered": {f"{level:g}": float((np.abs(ranks - 0.5) <= level / 2).mean()) for level in LEVELS},
        "said": [float(said[bands == band].mean()) for band in range(5)],
        "came": [float(came[bands == band].mean()) for band in range(5)],
    }


def covered(tally: AnyTally, true: float, seed: int) -> bool:
    """Say whether the interval of one data set holds the truth."""
    interval = Bayes(draws=DRAWS).interval_of(tally, 0.95, Streams.of(seed))
    return interval is not None and true in interval


def of_groups(groups: int, seed: int) -> dict[str, Any]:
    """Return how often the Bayesian bootstrap of so many groups covers: ten examples each, more alike than those of others."""
    rng, held, gain = np.random.default_rng(seed), 0, 0.05
    for number in range(SETS):
        group = np.repeat(np.arange(groups), 10)
        hard = rng.normal(size=groups)[group]
        luck = rng.normal(size=(2, 10 * groups)) * 0.7 + hard + rng.normal(size=(2, groups))[:, group] * 0.5
        spread = np.sqrt(0.49 + 1 + 0.25)
        a, b = luck[0] < spread * 0.5244, luck[1] < spread * 0.6745  # 70% and 75% are right
        counts = Counts.of({"a": a.astype(float), "b": b.astype(float), "group": group})
        held += covered(tally_of(counts, resolve("mean")), gain, number)
    return _rate("groups", groups, held)


def of_examples(n: int, seed: int) -> dict[str, Any]:
    """Return how often the Bayesian bootstrap of so many examples covers a mean of normal differences."""
    rng, held = np.random.default_rng(seed), 0
    for number in range(SETS):
        a = rng.normal(size=n)
        counts = Counts.of({"a": a, "b": a + rng.normal(size=n) + 0.3})
        held += covered(tally_of(counts, resolve("mean")), 0.3, number)
    return _rate("examples", n, held)


def _rate(kind: str, n: int, held: int) -> dict[str, Any]:
    share = held / SETS
    return {"kind": kind, "n": n, "covered": share, "error": float(np.sqrt(share * (1 - share) / SETS)), "sets": SETS}


def cost(n: int) -> dict[str, Any]:
    """Return the best time of 10,000 draws of the difference of F1 on data of this size, in milliseconds."""
    events: Floats = np.array([61, 14, 9, 21, 6, 11, 5, 873]) * (n / 1000)
    counts, times = from_events(events.astype(np.int64)), []
    for _ in range(30):
        tally = tally_of(counts, resolve("f1"))
        start = time.perf_counter()
        posterior(tally, PRIOR, 10_000, Streams.of(0))
        times.append(time.perf_counter() - start)
    return {"n": n, "draws": 10_000, "milliseconds": round(1000 * min(times), 2)}


def main() -> None:
    """Measure everything and write it."""
    made = {
        "cost": [cost(n) for n in SIZES],
        "prior": [from_prior(metric, 7 + place) for place, metric in enumerate(METRICS)],
        "bootstrap": [
            *(of_groups(groups, 100 + groups) for groups in GROUPS),
            *(of_examples(n, 200 + n) for n in EXAMPLES),
        ],
    }
    STORED.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(made, indent=1))


if __name__ == "__main__":
    main()
