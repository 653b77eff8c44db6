"""The verb rank_datasets(): systems scored on many datasets, and which of them differ."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np

from referee.data.columns import Floats
from referee.data.engines.files import called_files
from referee.errors import Argument, OptionError, one_of, refusal, unknown
from referee.metrics.decorator import info_of
from referee.results.dataset_ranking import DatasetPair, DatasetRanking, DatasetSystem, DatasetTest
from referee.results.settings import Settings, Verdict, signature
from referee.results.test_info import MetricInfo
from referee.runtime.arguments import fitting
from referee.runtime.randomness import Rng, Streams
from referee.significance import dataset_tests as laws
from referee.significance.distributions import adjust as adjusted_by
from referee.significance.distributions import check_alpha
from referee.significance.sign_tests import signed_rank_p, signed_ranks
from referee.studies.algorithms.scoring import direction, reach_of
from referee.studies.dataset_scores import DatasetScores, read_datasets
from referee.studies.leaderboard import together

TESTS: tuple[DatasetTest, ...] = get_args(DatasetTest)
ROPE = 0.01
"""Differences of shares that are practically nothing unless something else is said."""
DRAWN = 8
"""The child of a result's streams that posteriors are drawn from."""


@fitting
def rank_datasets(
    scores: Any,
    *,
    dataset: str | None = None,
    systems: Any = None,
    system: str | None = None,
    score: str | None = None,
    metric: str | None = None,
    lower_is_better: bool | None = None,
    test: str = "wilcoxon-holm",
    baseline: str | None = None,
    alpha: float = 0.05,
    rope: float | None = None,
    missing: str = "error",
    rng: Rng = 0,
) -> DatasetRanking:
    """Rank systems by their scores on many datasets, and say which of them differ.

    Each dataset counts once, whatever its size. The question is whether a system would rank above another on datasets like
    these, not whether it is better on one of them.

    Args:
        scores: a path, a dataframe or a mapping of columns, with one row per dataset and one column per system; or a long table
            with the columns dataset, system and score; or a mapping of systems to their scores by dataset.
        dataset: the column of the datasets' names; found by its name or its text if left out.
        systems: which systems, also by patterns such as "m*"; by default all.
        system: in a long table, the column of the systems' names.
        score: in a long table, the column of scores.
        metric: what the scores are, such as "accuracy".
        lower_is_better: whether a lower score is better; by default as the metric says, otherwise not.
        test: "wilcoxon-holm": Wilcoxon's signed ranks of every pair, adjusted by Holm's method; "nemenyi": differences of average
            ranks against one critical difference (with a baseline, that of Bonferroni and Dunn); "bayes": Bayesian signed
            ranks, which also can show that two systems are practically equal.
        baseline: a system; then the others are compared with it alone, which takes fewer comparisons.
        alpha: the accepted chance of a false claim about any pair; a Bayesian verdict needs a probability of 1 - alpha.
        rope: for "bayes", the region of practical equivalence: differences within ± rope do not matter; 0.01 by default if scores
            lie between 0 and 1.
        missing: what to do with datasets on which a score is missing: "error" or "drop".
        rng: for "bayes", a seed, a SeedSequence, a Generator, or None for a fresh seed.

    Returns:
        A DatasetRanking.

    Raises:
        RefereeError: if the question or the table cannot be understood.

    References: Demšar (2006); Benavoli, Corani, Demšar and Zaffalon (2017).

    >>> table = {"dataset": ["iris", "wine", "glass", "zoo", "yeast", "heart"], "tree": [0.90, 0.85, 0.61, 0.91, 0.55, 0.76],
    ...          "forest": [0.95, 0.97, 0.75, 0.95, 0.60, 0.82], "guess": [0.33, 0.40, 0.36, 0.41, 0.31, 0.56]}
    >>> r = rank_datasets(table, test="nemenyi")
    >>> [(s.name, s.average_rank) for s in r.systems], r.together
    ([('forest', 1.0), ('tree', 2.0), ('guess', 3.0)], (('forest', 'tree'), ('tree', 'guess')))
    >>> r.pair("forest", "guess").verdict, round(r.critical_difference, 2)
    ('a better', 1.35)
    """
    alpha = check_alpha(alpha)
    one_of("test", test, TESTS)
    streams = Streams.of(rng)
    table = read_datasets(scores, dataset, systems, system, score, missing)
    metric = str(metric or _called(table.metric) or "score")
    by_system = {name: table.scores[:, place].tolist() for place, name in enumerate(table.systems)}
    up = direction(metric, lower_is_better, by_system)
    region = _rope(rope, test, reach_of(metric, by_system), table.scores)
    if baseline is not None and baseline not in table.systems:
        raise unknown("system", baseline, table.systems, "baseline")
    ranked = _Ranked.of(table, up)
    pairs = _pairs(ranked, baseline)
    judged = _judged(ranked, pairs, test, alpha, region, baseline is not None, streams)
    names = {str(place): table.systems[place] for place in ranked.order}
    beaten = {
        pair[0 if claim == "b better" else 1]
        for pair, claim in zip(pairs, judged.verdicts, strict=True)
        if claim in ("a better", "b better")
    }
    apart = {
        frozenset(map(str, pair))
        for pair, claim in zip(pairs, judged.verdicts, strict=True)
        if claim in ("a better", "b better")
    }
    settings = Settings(
        seed=streams.entropy if test == "bayes" else None, missing=missing if missing != "error" else None, adjust=judged.adjust,
        comparisons=len(pairs), digest=_digest(table), files=called_files([scores]),
    )  # fmt: skip
    n, k = table.scores.shape
    result = DatasetRanking(
        metric=metric, higher_is_better=up, test=test, alpha=alpha, adjust=judged.adjust, p_method=judged.method, rope=region, baseline=baseline, n=n,
        dropped=len(table.dropped), datasets=table.datasets, systems=tuple(ranked.system(place) for place in ranked.order),
        **_omnibus(ranked.ranks), critical_difference=laws.critical_difference(alpha, n, k, baseline is not None) if test == "nemenyi" else None,
        pairs=tuple(ranked.pair(pair, judged, i) for i, pair in enumerate(pairs)),
        best=() if baseline is not None else tuple(table.systems[place] for place in ranked.order if place not in beaten),
        together=() if baseline is not None else together(list(names), names, apart),
        settings=settings, metric_info=_info(metric, table.scores),
    )  # fmt: skip
    return replace(result, warnings=_warnings(result, ranked, table), signature=_signature(result, settings))


def _called(column: str | None) -> str | None:
    """Return what a column of scores says that they are: a metric of ours also in capitals."""
    return column.lower() if column and info_of(column) is None and info_of(column.lower()) else column


@dataclass(frozen=True, eq=False)
class _Ranked:
    """The scores with their ranks, and the systems in the order of these."""

    table: DatasetScores
    gain: Floats
    """[dataset, system]: scores of which more is better, equal if they differ by rounding only."""
    ranks: Floats
    order: list[int]

    @classmethod
    def of(cls, table: DatasetScores, up: bool) -> _Ranked:
        gain = laws.tied(table.scores if up else -table.scores)
        ranks = laws.ranks_of(gain)
        average, mean = np.round(ranks.mean(axis=0), 12).tolist(), [_mean(column) for column in gain.T]
        order = sorted(range(len(average)), key=lambda place: (average[place], -mean[place], table.systems[place]))
        return cls(table, gain, ranks, order)

    def system(self, place: int) -> DatasetSystem:
        own = self.table.scores[:, place]
        return DatasetSystem(
            name=self.table.systems[place], average_rank=float(self.ranks[:, place].mean()), score=_mean(own),
            wins=int((self.gain[:, place] == self.gain.max(axis=1)).sum()), scores=tuple(own.tolist()),
        )  # fmt: skip

    def gains(self, pairs: Sequence[tuple[int, int]]) -> Floats:
        """Return how much better the second of each pair is: [pair, dataset]."""
        return np.stack([self.gain[:, b] - self.gain[:, a] for a, b in pairs])

    def pair(self, pair: tuple[int, int], judged: _Judged, i: int) -> DatasetPair:
        a, b = pair
        gain, own = self.gain[:, b] - self.gain[:, a], self.table
        chances = None if judged.probabilities is None else judged.probabilities[i].tolist()
        return DatasetPair(
            a=own.systems[a], b=own.systems[b], difference=_mean(own.scores[:, b]) - _mean(own.scores[:, a]),
            wins=(int((gain < 0).sum()), int((gain > 0).sum()), int((gain == 0).sum())),
            statistic=_number(judged.statistic[i]), p_value=_number(judged.p[i]), p_adjusted=_number(judged.p_adjusted[i]),
            probabilities=None if chances is None else dict(zip(("a", "equal", "b"), chances, strict=True)),
            verdict=judged.verdicts[i],
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Judged:
    """What a test says of all pairs."""

    statistic: Floats
    p: Floats
    p_adjusted: Floats
    verdicts: list[Verdict]
    adjust: str | None
    method: Literal["exact", "asymptotic"] | None
    probabilities: Floats | None = None


def _pairs(ranked: _Ranked, baseline: str | None) -> list[tuple[int, int]]:
    if baseline is None:
        return list(combinations(ranked.order, 2))
    base = ranked.table.systems.index(baseline)
    return [(base, place) for place in ranked.order if place != base]


def _judged(
    ranked: _Ranked, pairs: Sequence[tuple[int, int]], test: str, alpha: float, rope: float | None, against_one: bool,
    streams: Streams,
) -> _Judged:  # fmt: skip
    """Test every pair."""
    gains, (n, k) = ranked.gains(pairs), ranked.ranks.shape
    if test == "bayes":
        return _bayes(ranked, gains, alpha, rope or 0.0, streams)
    if test == "nemenyi":
        average = ranked.ranks.mean(axis=0)
        ahead = np.array([average[a] - average[b] for a, b in pairs])
        alone = laws.rank_p(ahead, n, k)
        adjust = "bonferroni" if against_one else "nemenyi"
        adjusted = adjusted_by(alone, adjust) if against_one else laws.nemenyi_p(ahead, n, k)
        # The difference is held against its critical value by the same law.
        return _Judged(
            ahead / laws.rank_error(n, k), alone, adjusted, _claims(ahead, adjusted, alpha), adjust, "asymptotic"
        )
    ones = np.ones(n, dtype=np.int64)
    found = [signed_rank_p(*signed_ranks(gain, ones, "wilcox")) for gain in gains]
    sums, p, exact = (np.array(part) for part in zip(*found, strict=True))
    adjusted = adjusted_by(p, "holm")
    return _Judged(sums, p, adjusted, _claims(sums, adjusted, alpha), "holm", "exact" if exact.all() else "asymptotic")


def _claims(ahead: Floats, p: Floats, alpha: float) -> list[Verdict]:
    return [
        "too close to call" if sure > alpha or lead == 0 else "b better" if lead > 0 else "a better"
        for lead, sure in zip(ahead.tolist(), p.tolist(), strict=True)
    ]


def _bayes(ranked: _Ranked, gains: Floats, alpha: float, rope: float, streams: Streams) -> _Judged:
    by_name = np.argsort(np.array(ranked.table.datasets), kind="stable")  # the order of the rows changes no number
    chances = laws.signed_rank_posterior(gains[:, by_name], rope, streams.child(DRAWN))
    claims: list[Verdict] = []
    for row in chances.tolist():
        sure: dict[Verdict, float] = dict(zip(("a better", "practically equal", "b better"), row, strict=True))
        claims.append(next((claim for claim, chance in sure.items() if chance >= 1 - alpha), "too close to call"))
    unknown_p = np.full(len(gains), np.nan)
    return _Judged(unknown_p, unknown_p, unknown_p, claims, None, None, chances)


def _rope(given: float | None, test: str, reach: float | None, scores: Floats) -> float | None:
    """Return the region of practical equivalence of the Bayesian test."""
    if test != "bayes":
        if given is not None:
            only = " is for ", Argument("test", "bayes"), ", which needs a region of practical equivalence"
            raise OptionError(Argument("rope", bare=True), *only, value=given)
        return None
    if given is None:
        if reach is None or reach > 1:
            size = f"scores reach {float(np.abs(scores).max()):g}"
            raise OptionError(
                "say which differences don't matter with ", Argument("rope"), f": {size}", argument="rope"
            )
        return ROPE
    if isinstance(given, bool) or not isinstance(given, int | float | np.number) or not 0 <= given < math.inf:
        raise refusal("rope", "must be a number that is not negative, such as 0.01", given)
    if reach is not None and given >= reach:
        raise refusal("rope", f"must be below {reach:g}, or no difference could matter", given)
    return float(given)


def _omnibus(ranks: Floats) -> dict[str, Any]:
    chi2, f = laws.friedman(ranks), laws.iman_davenport(ranks)
    plain = laws.friedman(ranks, correct_ties=False).statistic
    return {
        "friedman": {"statistic": _number(chi2.statistic), "df": chi2.df[0], "p_value": chi2.p, "uncorrected": _number(plain)},
        "iman_davenport": {"statistic": _number(f.statistic), "df": f.df[0], "df_error": f.df[1], "p_value": f.p},
    }  # fmt: skip


def _info(metric: str, scores: Floats) -> MetricInfo | None:
    """Return what is known of the metric; scores beyond 1 are no shares, whatever they are called."""
    info = info_of(metric)
    shares = float(np.abs(scores).max()) <= 1
    return info if info is None or shares else replace(info, unit="number")


def _mean(values: Floats) -> float:
    """Return the mean, which is the same in any order."""
    return math.fsum(values.tolist()) / len(values)


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _warnings(r: DatasetRanking, ranked: _Ranked, table: DatasetScores) -> tuple[str, ...]:
    told = list(table.remarks)
    if table.dropped:
        which = ", ".join(map(repr, table.dropped[:5])) + (", ..." if len(table.dropped) > 5 else "")
        what = "dataset is" if len(table.dropped) == 1 else "datasets are"
        told.append(f"{len(table.dropped)} {what} left out because a score is missing: {which}")
    least = len(r.pairs) * 2.0 ** (1 - r.n)
    if r.test == "wilcoxon-holm" and least > r.alpha:
        told.append(
            f"with {r.n} datasets and {len(r.pairs)} comparisons no pair can be significant: the smallest adjusted p-value "
            f"that Wilcoxon's test can give is {min(least, 1.0):.2g}; it takes {_enough(len(r.pairs), r.alpha)} datasets"
        )
    elif r.critical_difference is not None and r.critical_difference > len(r.systems) - 1:
        told.append(
            f"with {r.n} datasets no pair can be significant: average ranks would have to differ by {r.critical_difference:.2f}, "
            f"and {len(r.systems)} systems are at most {len(r.systems) - 1} apart"
        )
    elif len(r.systems) > r.n:
        told.append(f"there are more systems ({len(r.systems)}) than datasets ({r.n}): few differences can be detected")
    if len(r.systems) > r.n:
        told.append(
            "each row is taken for a dataset and each column for a system; if it is the other way round, turn the table"
        )
    told += _contradictions(r)
    return tuple(dict.fromkeys(told))


def _enough(comparisons: int, alpha: float) -> int:
    """Return with how many datasets Wilcoxon's test can show a difference in one of so many comparisons."""
    return next(n for n in range(1, 2000) if comparisons * 2.0 ** (1 - n) <= alpha)


def _contradictions(r: DatasetRanking) -> list[str]:
    """Say which verdicts point the opposite way from the mean scores."""
    sign = 1 if r.higher_is_better else -1
    odd = [
        (pair.a, pair.b) if pair.verdict == "a better" else (pair.b, pair.a)
        for pair in r.pairs
        if (pair.verdict == "a better" and sign * pair.difference > 0)
        or (pair.verdict == "b better" and sign * pair.difference < 0)
    ]
    return [
        f"{better!r} is better than {worse!r} on most datasets but has the worse mean score: a few datasets with large "
        "differences decide the mean"
        for better, worse in odd[:3]
    ]


def _digest(table: DatasetScores) -> str:
    """Return a short hash of the scores; the order of rows and columns does not matter."""
    rows = sorted(zip(table.datasets, table.scores.tolist(), strict=True))
    order = sorted(range(len(table.systems)), key=lambda place: table.systems[place])
    told = repr(([table.systems[i] for i in order], [(name, [row[i] for i in order]) for name, row in rows]))
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _signature(r: DatasetRanking, settings: Settings) -> str:
    parts: Mapping[str, object] = {
        "metric": r.metric, "better": None if r.higher_is_better else "lower", "test": r.test, "alpha": f"{r.alpha:g}",
        "rope": None if r.rope is None else f"{r.rope:g}", **settings.on_the_way, "datasets": r.n, "systems": len(r.systems),
        "baseline": r.baseline, "data": settings.digest, "adjust": r.adjust, "comparisons": len(r.pairs), "rng": settings.seed,
    }  # fmt: skip
    flat = {key: " ".join(str(one).replace("|", "/").split()) for key, one in parts.items() if one is not None}
    return signature(settings, flat)
