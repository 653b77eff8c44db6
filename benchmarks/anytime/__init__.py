"""Looking as data arrive: false alarms, coverage and stopping times of the anytime test beside tests of one look.

`python -m benchmarks.anytime [PART ...]` measures the parts, or all of them, keeps the numbers in docs/anytime.json, and writes the
tables and the chart of docs/anytime.md; `--render` only writes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from referee.data.counts import Counts
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance import Test
from referee.significance import resolve as resolve_test
from referee.significance.anytime import Anytime, Size, informative
from referee.significance.laws import bets
from referee.significance.rank_tally import AnyTally, tally_of
from referee.studies.auditing.population import Population, World, shipped
from referee.studies.prepare import slices_of

STORED = Path(__file__).parents[2] / "docs" / "anytime.json"
ALPHA, RUNS, LONGEST = 0.05, 5000, 10_000
LOOKED_AT = ("anytime", "mcnemar", "mcnemar:variant=exact", "score")
BURN_INS = (10, 20, 30, 40, 50, 100, 200)
EQUAL = (2, 3, 5, 8, 10)
STREAMS = Streams.of(0)
Row = dict[str, Any]


def pairs(wins: int, losses: int, ties: int = 0) -> Counts:
    """Return right and wrong answers of which B wins and loses so many."""
    return Counts.of({"truth": [1, 1, 1], "a": [0, 1, 1], "b": [1, 0, 1]}, [wins, losses, ties])


def lead(test: str, most: int) -> np.ndarray:
    """Return by how many wins a system must lead after 0 ... most differences for a test to reject; by halving, all at once."""
    tally, apart = tally_of(pairs(1, 1), resolve("accuracy")), np.arange(most + 1)
    won = np.diff(tally.scores(np.eye(2, dtype=np.int64))).ravel() > 0
    low, high = apart // 2, apart + 1
    while (high - low > 1).any():
        middle = (low + high) // 2
        batch = np.where(won, np.minimum(middle, apart)[:, None], np.maximum(apart - middle, 0)[:, None])
        rejected = resolve_test(test).evaluate(tally, batch, "two-sided", STREAMS).p <= ALPHA
        low, high = np.where(rejected, low, middle), np.where(rejected, middle, high)
    return np.where(high > apart, most + 1, 2 * high - apart)


def walks(rng: np.random.Generator, share: float, runs: int, most: int) -> Iterator[np.ndarray]:
    """Yield [run, difference]: by how many wins B leads after each example on which the systems differ."""
    for _ in range(0, runs, 250):
        steps = np.where(rng.random((250, most)) < share, 1, -1).astype(np.int32)
        yield steps.cumsum(axis=1)


def peeking() -> list[Row]:
    """Count the runs with a false alarm at any of 10,000 examples: right and wrong answers, at several rates of disagreement."""
    rows, bounds = [], {test: lead(test, LONGEST)[1:] for test in LOOKED_AT}
    for apart in (0.02, 0.05, 0.1, 0.2, 0.5, 1.0):
        rng, alarms = np.random.default_rng([1, int(100 * apart)]), dict.fromkeys(LOOKED_AT, 0)
        most = min(LONGEST, int(LONGEST * apart + 6 * math.sqrt(LONGEST * apart) + 1))
        for leads in walks(rng, 0.5, RUNS, most):
            seen = np.arange(most) < rng.binomial(LONGEST, apart, len(leads))[:, None]
            for test in LOOKED_AT:
                alarms[test] += int(((np.abs(leads) >= bounds[test][:most]) & seen).any(axis=1).sum())
        rows += [{"apart": apart, "test": test, "rate": hits / RUNS, "runs": RUNS} for test, hits in alarms.items()]
    return rows


def looks_over_time() -> list[Row]:
    """Count the runs with a false alarm up to each of some examples, where the systems differ on a fifth: for the chart."""
    rng, apart = np.random.default_rng(2), 0.2
    marks = np.unique(np.geomspace(10, LONGEST, 40).round().astype(int))
    most = int(LONGEST * apart + 6 * math.sqrt(LONGEST * apart))
    bounds = {test: lead(test, most)[1:] for test in LOOKED_AT}
    alarms = {test: np.zeros(len(marks)) for test in LOOKED_AT}
    for leads in walks(rng, 0.5, RUNS, most):
        at = np.cumsum(rng.geometric(apart, leads.shape), axis=1)
        for test in LOOKED_AT:
            crossed = np.abs(leads) >= bounds[test]
            first = np.where(
                crossed.any(axis=1), np.take_along_axis(at, crossed.argmax(axis=1)[:, None], 1)[:, 0], np.inf
            )
            alarms[test] += (first[:, None] <= marks).sum(axis=0)
    return [
        {"test": test, "n": int(n), "rate": float(hits) / RUNS}
        for test in LOOKED_AT
        for n, hits in zip(marks, alarms[test], strict=True)
    ]


def ratings() -> list[Row]:
    """The same for ratings from 1 to 5, whose range is declared; the t test beside it looks from the tenth example on."""
    rows = []
    scenes = {
        "spread out": [0.1, 0.2, 0.4, 0.2, 0.1],
        "at the ceiling": [0.01, 0.01, 0.03, 0.05, 0.9],
    }
    for place, (scene, shares) in enumerate(scenes.items()):
        rng = np.random.default_rng([3, place])
        joint = np.outer(shares, shares)
        steps = np.arange(-4, 5)
        share = np.array([np.trace(joint, k) for k in steps])
        above, most = steps + 4.0, -math.log(ALPHA / 2)
        alarm, plain = np.zeros(RUNS, dtype=bool), np.zeros(RUNS, dtype=bool)
        for start in range(0, RUNS, 500):
            rows_now = slice(start, start + 500)
            drawn = rng.choice(9, size=(500, LONGEST), p=share / share.sum()).astype(np.int8)
            alarm[rows_now] = _bet_on(drawn, above, most)
            plain[rows_now] = _t_test(drawn - 4)
        for test, hits in (("anytime", alarm), ("paired-t", plain)):
            rows.append({"scene": scene, "test": test, "rate": float(hits.mean()), "runs": RUNS})
    return rows


def _bet_on(drawn: np.ndarray, above: np.ndarray, most: float) -> np.ndarray:
    """Say which runs ever have so much evidence, looking at each example after which that is possible."""
    grown = [np.log1p(bets.SHARES * (one[:, None] / 4.0 - 1.0)) for one in (above, 8.0 - above)]
    counts, due = np.zeros((len(drawn), 9)), np.ones(len(drawn), dtype=int)
    ever = np.zeros(len(drawn), dtype=bool)
    for n in range(drawn.shape[1]):
        counts[np.arange(len(drawn)), drawn[:, n]] += 1
        now = np.flatnonzero((due <= n + 1) & ~ever)
        if len(now):
            log = np.maximum(*(bets.log_mixed(counts[now] @ one) for one in grown))
            ever[now] = log >= most
            # No example makes it more than twice as much.
            due[now] = n + 1 + np.maximum(np.floor((most - log) / math.log(2)), 1).astype(int)
    return ever


def _t_test(changes: np.ndarray) -> np.ndarray:
    from scipy.special import stdtrit

    n = np.arange(1, changes.shape[1] + 1)
    total, squares = changes.cumsum(axis=1, dtype=np.int64), (changes.astype(np.int64) ** 2).cumsum(axis=1)
    variance = (squares - total**2 / n) / np.maximum(n - 1, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(total) / np.sqrt(n * variance)
    crossed = t >= stdtrit(np.maximum(n - 1, 1), 1 - ALPHA / 2)
    return np.asarray(crossed[:, 9:].any(axis=1))


def planned(apart: float, difference: float, power: float = 0.8) -> int:
    """Return how many examples McNemar's exact test needs for a power, by halving."""
    from scipy.special import bdtr, gammaln

    share, most = (apart + difference) / (2 * apart), int(30 * (apart / difference) ** 2) + 100
    k, bound = np.arange(most + 1), lead("mcnemar:variant=exact", most)
    wins = (k + bound) // 2
    either = bdtr(np.maximum(k - wins, 0), k, share) + 1 - bdtr(np.maximum(wins - 1, 0), k, share)
    reject = np.where(bound > k, 0.0, either)

    def power_of(n: int) -> float:
        few = k[: n + 1]
        log = (
            gammaln(n + 1)
            - gammaln(few + 1)
            - gammaln(n - few + 1)
            + few * math.log(apart)
            + (n - few) * math.log1p(-apart)
        )
        return float(np.exp(log) @ reject[: len(few)])

    low, high = 1, int(30 * apart / difference**2)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_of(middle) >= power else (middle, high)
    return high


def stopping() -> list[Row]:
    """The median example at which the anytime test stops, over the n of McNemar's exact test at power .8."""
    rows = []
    weights = {"falling": bets.LOG_WEIGHTS, "even": np.log(bets.SHARES / bets.SHARES.sum())}
    for apart in (0.05, 0.1, 0.2, 0.4):
        for difference in (0.01, 0.02, 0.05, 0.1, 0.2):
            if not 1.5 * difference <= apart:
                continue
            need = planned(apart, difference)
            found: Row = {"apart": apart, "difference": difference, "planned": need}
            for name, logs in weights.items():
                kept, bets.LOG_WEIGHTS = bets.LOG_WEIGHTS, logs
                most = int(6 * need * apart) + 50
                bound = lead("anytime", most)[1:]
                bets.LOG_WEIGHTS = kept
                rng, stops = np.random.default_rng([4, int(1000 * apart), int(1000 * difference)]), []
                for leads in walks(rng, (apart + difference) / (2 * apart), 2000, most):
                    at = np.cumsum(rng.geometric(apart, leads.shape), axis=1)
                    crossed = leads >= bound
                    first = np.take_along_axis(at, crossed.argmax(axis=1)[:, None], 1)[:, 0].astype(float)
                    stops.append(np.where(crossed.any(axis=1), first, np.inf))
                found[name] = float(np.median(np.concatenate(stops))) / need
            rows.append(found)
    return rows


# The asymptotic route ---------------------------------------------------------------------------------------------------------


def cells() -> dict[str, tuple[Population, str, int]]:
    """Return tied worlds by name, with a metric and how many examples (or groups) a run has."""
    found: dict[str, tuple[Population, str, int]] = {}
    corpora = {name: dict(slices_of(shipped(name))) for name in ("wordnet-linear-mlp", "rcv1-linear-mlp")}
    chosen = {
        "frequent": ("wordnet-linear-mlp", "adj.all"),
        "rare": ("wordnet-linear-mlp", "n00029378"),
        "rarer": ("wordnet-linear-mlp", "n00015388"),
        "near-perfect": ("rcv1-linear-mlp", "M11"),
        "few decisive positives": ("wordnet-linear-mlp", "v02367381"),
        "hardly any": ("wordnet-linear-mlp", "n09623038"),
    }
    for scene, (corpus, label) in chosen.items():
        world = Population.of(corpora[corpus][label])
        for metric in ("f1", "mcc", "precision"):
            if (tied := world.tilt(resolve(metric))) is not None:
                found[f"{scene}: {metric}"] = tied, metric, 0
    own = {
        "A answers nine times as often": [0.09, 0.01, 0.04, 0.0, 0.01, 0.01, 0.13, 0.71],
        "A and B share no error": [0.3, 0.1, 0.1, 0.0, 0.0, 0.1, 0.1, 0.3],
    }
    rows = {"truth": [1, 1, 1, 1, 0, 0, 0, 0], "a": [1, 0, 1, 0, 1, 0, 1, 0], "b": [1, 1, 0, 0, 1, 1, 0, 0]}
    for scene, shares in own.items():
        for metric in ("f1", "precision"):
            if (tied := Population.from_weights(rows, shares).tilt(resolve(metric))) is not None:
                found[f"{scene}: {metric}"] = tied, metric, 0
    found |= grouped()
    found |= continuous()
    return found | harder()


def of_precision(precision: float, a: float, b: float, positives: float = 0.5) -> list[float]:
    """Return the shares of the eight joint outcomes where both have this precision, and say yes to such shares of all."""
    found = []
    for size, part in ((positives, precision), (1 - positives, 1 - precision)):
        first, second = a * part, b * part
        both = first * second / size
        found += [both, second - both, first - both, size - first - second + both]
    return found


def lopsided() -> dict[str, tuple[Population, str, int]]:
    """Return worlds in which the difference hangs on few of the examples that the systems differ on."""
    rows = {"truth": [1, 1, 1, 1, 0, 0, 0, 0], "a": [1, 0, 1, 0, 1, 0, 1, 0], "b": [1, 1, 0, 0, 1, 1, 0, 0]}
    own = {
        "A says yes to 2%, B to 40%, nine in ten right": (0.9, 0.02, 0.4, 0.5),
        "A says yes to 2%, B to 40%, 97% right": (0.97, 0.02, 0.4, 0.5),
        "A says yes to 2%, B to 40%, 99.5% right": (0.995, 0.02, 0.4, 0.5),
        "A says yes to 2%, B to 30%, 99.9% right": (0.999, 0.02, 0.3, 0.5),
        "A says yes to 1%, B to 15%, 95% right": (0.95, 0.01, 0.15, 0.2),
        "A says yes to 2%, B to 40%, 5% right": (0.05, 0.02, 0.4, 0.1),
    }
    found: dict[str, tuple[Population, str, int]] = {}
    for scene, shape in own.items():
        found[f"{scene}: precision"] = Population.from_weights(rows, of_precision(*shape)), "precision", 0
    # 1% are positive; A finds 2% of them with no false alarm, and B 95% with so many that the two tie.
    wrong = 0.01 * (2 * 0.95 / (2 * 0.02 / 1.02) - 1.95)
    shares = [0.01 * 0.019, 0.01 * 0.931, 0.01 * 0.001, 0.01 * 0.049, 0.0, wrong, 0.0, 0.99 - wrong]
    found["1% positive, of which A finds 2% and B 95%: f1"] = Population.from_weights(rows, shares), "f1", 0
    return found


def grouped() -> dict[str, tuple[Population, str, int]]:
    """Return worlds of groups, of equal and very unequal size."""
    found = {}
    for scene, spread, big in (("groups of 8", 0.0, 8.0), ("groups of 1 to 300", 1.3, 5.0)):
        rng = np.random.default_rng([5, int(big)])
        sizes = np.maximum(1, np.rint(big * np.exp(rng.normal(0, spread, 400)))).astype(int)
        group = np.repeat(np.arange(400), sizes)
        level, taste = rng.normal(0, 0.7, 400)[group], rng.normal(0, 0.5, 400)[group]
        truth = (rng.random(len(group)) < 0.4).astype(int)
        a = np.where(rng.random(len(group)) < 1 / (1 + np.exp(-(1.2 + level + taste))), truth, 1 - truth)
        b = np.where(rng.random(len(group)) < 1 / (1 + np.exp(-(1.2 + level - taste))), truth, 1 - truth)
        world = Population.of(Counts.of({"truth": truth, "a": a, "b": b, "group": group}))
        for metric in ("accuracy", "f1"):
            found[f"{scene}: {metric}"] = world.swap(), metric, 800
    return found


def continuous() -> dict[str, tuple[Population, str, int]]:
    """Return worlds of scores without a declared range, and of ranked ones."""
    found, rng = {}, np.random.default_rng(6)
    shapes = {
        "normal differences": rng.normal(size=400),
        "exponential differences": rng.exponential(size=400),
        "lognormal differences": np.exp(rng.normal(size=400)),
        "rare large losses": np.where(np.arange(400) < 12, -20.0, 1.0) + 0.3 * rng.normal(size=400),
    }
    for scene, change in shapes.items():
        change = np.round(change - change.mean(), 9)
        world = Population.of(Counts.of({"a": np.zeros(400), "b": change}))
        if (tied := world.tilt(resolve("mean"))) is not None:
            found[f"{scene}: mean"] = tied, "mean", 2000
    truth = (np.arange(300) < 90).astype(int)
    base = truth * 1.2 + rng.normal(size=300)
    a, b = ((base + 0.7 * rng.normal(size=300)).round(2) for _ in range(2))
    world = Population.of(Counts.of({"truth": truth, "a": a, "b": b}))
    tied = world.tilt(resolve("auc"))
    assert tied is not None
    found["30% positive: auc"] = tied, "auc", 1000
    return found


def harder() -> dict[str, tuple[Population, str, int]]:
    """Return worlds in which groups are as large as who wins them says, differences are very skewed, and positives few."""
    found, rng = {}, np.random.default_rng(9)
    wins = rng.random(400) < 0.5
    sizes = np.where(wins, rng.integers(1, 6, 400), rng.integers(10, 40, 400))
    group = np.repeat(np.arange(400), sizes)
    right = np.where(rng.random(len(group)) < 0.85, np.repeat(wins, sizes), rng.random(len(group)) < 0.5)
    truth = rng.integers(0, 2, len(group))
    a, b = (np.where(one, truth, 1 - truth) for one in (~right, right))
    tied = Population.of(Counts.of({"truth": truth, "a": a, "b": b, "group": group})).tilt(resolve("accuracy"))
    assert tied is not None
    found["groups ten times as large where A wins: accuracy"] = tied, "accuracy", 800
    change = np.exp(1.5 * rng.normal(size=400))
    change = np.round(change - change.mean(), 9)
    tied = Population.of(Counts.of({"a": np.zeros(400), "b": change})).tilt(resolve("mean"))
    assert tied is not None
    found["very skewed lognormal differences: mean"] = tied, "mean", 2000
    truth = (np.arange(400) < 30).astype(int)
    base = truth * 2.0 + rng.normal(size=400)
    a, b = ((base + 0.7 * rng.normal(size=400)).round(2) for _ in range(2))
    tied = Population.of(Counts.of({"truth": truth, "a": a, "b": b})).tilt(resolve("auc"))
    assert tied is not None
    found["7.5% positive: auc"] = tied, "auc", 1500
    return found


def schedule(n: int, apart: float) -> np.ndarray:
    """Return the sizes at which a run is looked at: about every second difference at first, then less and less often."""
    first = 8 / apart
    return np.unique(
        np.minimum(np.geomspace(first, n, 70), first + 2.5 / apart * np.arange(70) ** 1.35).round().astype(int)
    )


def routes(only: str = "") -> list[Row]:
    """Count false alarms of asymptotic confidence sequences, by where they start, and how often they hold the truth."""
    rows = []
    for place, (scene, (world, metric, n)) in enumerate(cells().items()):
        if only and only not in scene:
            continue
        rows.append(route(place, scene, world, metric, n))
        print(rows[-1], flush=True)
    return rows


def route(place: int, scene: str, population: Population, metric: str, n: int) -> Row:
    """Follow runs of one world, which are looked at again and again."""
    own = resolve(metric)
    world = World.of(population, own)
    tally = world.tally
    apart = float(informative(tally, population.shares(tally)[None, :])[0])
    n = n or int(1500 / apart)
    looks = schedule(n, apart)
    runs = 400 if metric == "auc" else 2000
    from referee.significance.test_choice import choose

    base = str(choose(tally)[0])
    last = {"anytime": np.zeros(runs), base: np.zeros(runs)}
    early, done = Anytime(burn_in=1), 0
    for drawn in followed([7, place], population.shares(tally), looks, runs):
        flat = drawn.reshape(-1, drawn.shape[-1])
        sizes = informative(tally, flat).reshape(len(drawn), -1)
        for name, test in (("anytime", early), (base, resolve_test(base))):
            rejected = rejections(tally, flat, test).reshape(len(drawn), -1)
            last[name][done : done + len(drawn)] = np.where(rejected, sizes, 0.0).max(axis=1)
        done += len(drawn)
    alarms = {name: [float((found >= burn).mean()) for burn in BURN_INS] for name, found in last.items()}
    return {
        "scene": scene,
        "base": base,
        "apart": apart,
        "n": n,
        "looks": len(looks),
        "runs": runs,
        "anytime": alarms["anytime"],
        "plain": alarms[base],
    }


def followed(seed: list[int], shares: np.ndarray, looks: np.ndarray, runs: int) -> Iterator[np.ndarray]:
    """Yield [run, look, unit]: how often each unit has occurred by each look, of some runs at a time."""
    at_once, rng = max(1, int(4e6 / (len(looks) * len(shares)))), np.random.default_rng(seed)
    for start in range(0, runs, at_once):
        size = min(at_once, runs - start)
        steps = [rng.multinomial(step, shares, size) for step in np.diff(looks, prepend=0)]
        yield np.stack(steps, axis=1).cumsum(axis=1)


def rejections(tally: AnyTally, batch: np.ndarray, test: Test) -> np.ndarray:
    """Say which rows a test rejects; none of those that have no score, or no difference."""
    known = ~tally.blank(batch) & (informative(tally, batch) > 0)
    p = np.ones(len(batch))
    p[known] = test.evaluate(tally, batch[known], "two-sided", STREAMS).p
    return np.asarray(p <= ALPHA)


def carried() -> list[Row]:
    """Count false alarms where few examples carry the difference, by how many equal ones they must be worth."""
    rows, early, runs = [], Anytime(burn_in=1), 2000
    for place, (scene, (population, metric, _)) in enumerate(lopsided().items()):
        tally = World.of(population, resolve(metric)).tally
        shares = population.shares(tally)
        apart = float(informative(tally, shares[None, :])[0])
        looks = np.unique(np.geomspace(10 / apart, 12_000 / apart, 80).astype(int))
        alarms = dict.fromkeys((0, *EQUAL), 0)
        plain = 0
        for drawn in followed([10, place], shares, looks, runs):
            flat = drawn.reshape(-1, drawn.shape[-1])
            size = Size.of(tally, flat)
            begun, rejected = size.apart >= Anytime().start(tally), rejections(tally, flat, early)
            for least in alarms:
                alarms[least] += int(
                    (rejected & begun & (size.equal >= least)).reshape(len(drawn), -1).any(axis=1).sum()
                )
            once = rejections(tally, flat, resolve_test("score")) & begun
            plain += int(once.reshape(len(drawn), -1).any(axis=1).sum())
        rates = {str(least): hits / runs for least, hits in alarms.items()}
        rows.append({"scene": scene, "apart": apart, "looks": len(looks), "runs": runs, "plain": plain / runs, **rates})
        print(rows[-1], flush=True)
    return rows


def stopping_f1() -> list[Row]:
    """The median example at which the anytime test stops for F1, over the n of the score test at power .8."""
    rows, metric = [], resolve("f1")
    corpora = dict(slices_of(shipped("wordnet-linear-mlp")))
    for place, (label, apart) in enumerate(
        [("adj.all", 0.02), ("adj.all", 0.05), ("n00029378", 0.05), ("n00029378", 0.1)]
    ):
        world = Population.of(corpora[label]).tilt(metric, apart)
        assert world is not None
        tally = tally_of(world.counts, metric)
        rng = np.random.default_rng([8, place])
        shares = world.shares(tally)
        low, high = 50, 400_000
        while high / low > 1.02:
            middle = int(math.sqrt(low * high))
            batch = rng.multinomial(middle, shares, 2000)
            found = resolve_test("score").evaluate(tally, batch, "two-sided", STREAMS).p <= ALPHA
            low, high = (low, middle) if found.mean() >= 0.8 else (middle, high)
        looks = np.unique(np.geomspace(high / 15, 5 * high, 150).astype(int))
        steps = np.diff(looks, prepend=0)
        seen = np.stack([rng.multinomial(step, shares, 500) for step in steps], axis=1).cumsum(axis=1)
        p = Anytime().evaluate(tally, seen.reshape(-1, seen.shape[-1]), "two-sided", STREAMS).p.reshape(500, -1)
        crossed = p <= ALPHA
        stops = np.where(crossed.any(axis=1), looks[crossed.argmax(axis=1)], np.inf)
        rows.append({"category": label, "difference": apart, "planned": high, "ratio": float(np.median(stops)) / high})
    return rows


def coverage() -> list[Row]:
    """How often intervals hold the true difference after each of 20 batches, by the audit."""
    import referee

    wordnet = dict(slices_of(shipped("wordnet-linear-mlp")))
    scenes = [
        ("adj.all: accuracy", Population.of(wordnet["adj.all"]), "accuracy", 2000),
        ("adj.all: f1", Population.of(wordnet["adj.all"]), "f1", 4000),
        ("adj.all: mcc", Population.of(wordnet["adj.all"]), "mcc", 4000),
        ("n00029378: f1", Population.of(wordnet["n00029378"]), "f1", 40_000),
        *((scene, world, metric, round(n * 8)) for scene, (world, metric, n) in grouped().items()),
    ]
    rows = []
    for scene, world, metric, n in scenes:
        r = referee.audit(world, metric=metric, sizes=n, sets=500, peeks=20)
        rows += [
            {"scene": scene, "n": n, **{key: row[key] for key in ("test", "false_alarm", "power", "coverage")}}
            for row in r.rows
            if row["groups"] != "ignored"
        ]
    return rows


def stored() -> dict[str, list[Row]]:
    """Return the numbers that were measured last, by part."""
    numbers: dict[str, list[Row]] = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
    return numbers


PARTS: dict[str, Callable[[], list[Row]]] = {
    "peeking": peeking,
    "over time": looks_over_time,
    "ratings": ratings,
    "stopping": stopping,
    "stopping of f1": stopping_f1,
    "coverage": coverage,
    "routes": routes,
    "carried": carried,
}
