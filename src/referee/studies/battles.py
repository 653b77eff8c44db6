"""Battles of many models: ratings by the Bradley-Terry model, tests of all pairs, and the ranks that the data support."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from referee.data.battles import Battles, read_battles
from referee.data.columns import Floats
from referee.data.engines.files import called_files
from referee.data.value_text import listed
from referee.errors import Argument, Message
from referee.report.numbers import p_equation
from referee.results.battles import Agreement, BattleRecord, FirstPlace, HeadToHead, Record
from referee.results.ranking import RankedPair, Ranking, Rankings
from referee.results.settings import Settings
from referee.results.test_info import MetricInfo
from referee.runtime.randomness import Streams
from referee.significance.bradley_terry import (
    expected,
    first_place,
)
from referee.significance.distributions import METHODS, student_p, t_quantiles
from referee.significance.distributions import adjust as adjusted_by
from referee.significance.max_t import MaxT
from referee.studies.leaderboard import (
    FEW_GROUPS,
    SAFE,
    leaderboard,
    no_level,
    number,
    pairs_of,
    signed,
    verdicts,
)
from referee.studies.rating_tests import SCALE, ManyModels, Rated, TwoModels

ODD = 0.01
"""A disagreement with the model, or an advantage of the first place, is pointed out from this p-value on."""
NAMED = 4
FEW = 10
"""A rating that rests on fewer battles or groups, in effect, is pointed out."""
RATING = MetricInfo(
    name="Bradley-Terry rating", short="rating",
    definition="the rating of the Bradley-Terry model, by maximum likelihood with a tie as half a win, on a scale where the mean over battles is "
    "1,000 and a model with 100 points more wins 64% of battles and one with 400 points more 10 of 11",
    works=("bradley1952",), task="battles",
)  # fmt: skip


def rank_battles(
    data: Any, columns: Mapping[str, Any], *, systems: Any, baseline: str | None, adjust: str, alpha: float, streams: Streams,
    missing: str, repeats: str | None,
) -> Ranking | Rankings:  # fmt: skip
    """Rank the models of battles; the arguments are those of `rank`."""
    parts = read_battles(data, columns, systems=systems, missing=missing, repeats=repeats)
    files = called_files([data])
    done = [_ranked(battles, baseline, adjust, alpha, streams, label, files) for label, battles in parts]
    return Rankings(tuple(done)) if columns.get("by") is not None else done[0]


def _ranked(
    battles: Battles,
    baseline: str | None,
    adjust: str,
    alpha: float,
    streams: Streams,
    label: str | None,
    files: tuple[str, ...],
) -> Ranking:
    """Rank the models of one set of battles."""
    rated, names = Rated.of(battles), dict(zip(battles.names, battles.names, strict=True))
    place = {name: i for i, name in enumerate(battles.names)}
    score = dict(zip(battles.names, rated.scores, strict=True))
    rates = {name: _rate(battles, i) for name, i in place.items()}
    order = sorted(names, key=lambda name: (-_height(score[name], rates[name]), -rates[name], name))
    pairs = pairs_of(order, names, baseline)
    index = np.array([[place[a], place[b]] for a, b in pairs])
    tests = ManyModels(rated, index) if len(names) > 2 else TwoModels(rated, index, streams)
    used, law = _adjustment(tests, adjust, streams)
    found = tests.found
    p_adjusted = _adjusted(tests, used, law)
    level = _level(tests, used, law, alpha)
    made = [None] * len(pairs) if level is None else tests.intervals(1 - level)
    claims = verdicts(found.direction, p_adjusted, alpha, up=True)
    judged = tuple(
        RankedPair(
            a=a, b=b, difference=number(found.difference[i]), interval=made[i], verdict=claims[i],
            statistic=number(found.statistic[i]), p_value=number(found.p[i]), p_adjusted=number(p_adjusted[i]),
        )
        for i, (a, b) in enumerate(pairs)
    )  # fmt: skip
    own = dict(zip(battles.names, tests.own(1 - alpha), strict=True))
    fought = [name for name in order if battles.met[place[name]].any()]
    board = leaderboard(order, names, score, own, pairs, claims, True, baseline, fought)
    record = _record(rated, order, place, alpha)
    settings = Settings(
        seed=streams.entropy, missing=battles.about.get("missing"), slice=label, about=battles.about, files=files, digest=battles.digest(),
        roles=("group",) if battles.group is not None else (), adjust=used, comparisons=len(pairs),
    )  # fmt: skip
    result = Ranking(
        metric="bradley-terry", higher_is_better=True, test=tests.test, reason=tests.reason, alpha=alpha, adjust=used, level=level,
        baseline=baseline, n=battles.n, units=battles.units, noun="battle", dropped=battles.dropped, systems=board.systems, pairs=judged,
        best=board.best, together=board.together, overall=None, battles=record, slice=label, settings=settings,
        warnings=_warnings(rated, tests, record, adjust, used, [one for one in order if own[one] is None]), test_info=tests.info, metric_info=RATING,
    )  # fmt: skip
    return replace(result, signature=signed(result, settings))


def _height(score: float | None, rate: float) -> float:
    """Return where a model stands: those that won all their battles have no rating, and are above all that have."""
    if score is not None:
        return score
    return math.inf if rate == 1 else -math.inf


def _rate(battles: Battles, model: int) -> float:
    return float(battles.won[model].sum()) / max(int(battles.met[model].sum()), 1)


def _adjustment(tests: ManyModels | TwoModels, adjust: str, streams: Streams) -> tuple[str, MaxT | None]:
    """Return the adjustment that is used, and the joint law of all pairs if it needs one."""
    if adjust in METHODS or len(tests.pairs) == 1:
        return adjust, None
    law = tests.law(streams)
    if law is None or (adjust == "romano-wolf" and not tests.both.all()):
        return SAFE[adjust], None
    return adjust, law


def _adjusted(tests: ManyModels | TwoModels, used: str, law: MaxT | None) -> Floats:
    """Return adjusted p-values: by the joint law of ratings, to which each pair outside it adds its own p (Bonferroni)."""
    p = tests.found.p
    if law is None:
        return p if len(p) == 1 else adjusted_by(p, used)
    if used == "romano-wolf":
        return law.step_down(p)
    outside = int((~tests.both).sum())
    return _held(law, p, outside, len(p)) if outside else law.adjust(p)


def _held(law: MaxT, p: Floats, outside: int, pairs: int) -> Floats:
    return np.asarray(
        np.where(np.isnan(p), np.nan, np.clip(law.adjust(p) + outside * p, p, np.minimum(1.0, pairs * p)))
    )


def _level(tests: ManyModels | TwoModels, used: str, law: MaxT | None, alpha: float) -> float | None:
    """Return the p-value at which a single pair is significant among all; None if the adjustment has none."""
    pairs = len(tests.pairs)
    outside = int((~tests.both).sum())
    if law is None or not outside:
        known = {"bonferroni": alpha / pairs, "none": alpha, "max-t": law.level(alpha) if law else alpha}
        return alpha if pairs == 1 else known.get(used)
    if used != "max-t":
        return None
    low, high = alpha / pairs, alpha
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if _held(law, np.array([middle]), outside, pairs)[0] <= alpha else (low, middle)
    return low


def _record(rated: Rated, order: Sequence[str], place: Mapping[str, int], alpha: float) -> BattleRecord:
    """Return who met whom, and what ratings make of it."""
    battles, scores = rated.battles, rated.scores
    why = rated.unrated()
    models = tuple(
        Record(
            name=name, battles=int(battles.met[i].sum()), wins=float(battles.won[i].sum()),
            win_rate=_rate(battles, i) if battles.met[i].any() else None, unrated=why[i],
        )
        for name, i in ((name, place[name]) for name in order)
    )  # fmt: skip
    met = []
    for number_, a in enumerate(order):
        for b in order[number_ + 1 :]:
            first, second = place[a], place[b]
            times = int(battles.met[first, second])
            if times:
                left, right = scores[first], scores[second]
                chance = None if left is None or right is None else float(expected(np.array((right - left) / SCALE)))
                rate = float(battles.won[second, first]) / times
                met.append(HeadToHead(a=a, b=b, battles=times, win_rate=rate, expected=chance))
    return BattleRecord(
        ties=battles.tied,
        models=models,
        head_to_head=tuple(met),
        agreement=_agreement(rated),
        first_place=_first(rated, alpha),
    )


def _agreement(rated: Rated) -> Agreement | None:
    if rated.fit is None or rated.main.sum() < 3 or rated.fit.units < FEW_GROUPS:
        return None
    found = rated.fit.misfit()
    if found is None:
        return None
    names = rated.fit.battles.names
    a, b = (names[model] for model in found.worst)
    return Agreement(statistic=found.statistic, df=found.df, p_value=found.p_value, a=a, b=b)


def _first(rated: Rated, alpha: float) -> FirstPlace | None:
    found = first_place(rated.fit) if rated.fit is not None else None
    if found is None or not found.error > 0:
        return None
    half = SCALE * float(t_quantiles(1 - alpha / 2, found.df)) * found.error
    if not np.isfinite(half):
        return None
    points = SCALE * found.estimate
    p = float(student_p(found.estimate / found.error, 1.0, found.df, "two-sided"))
    return FirstPlace(
        points=points,
        low=points - half,
        high=points + half,
        win_rate=float(expected(np.array(found.estimate))),
        p_value=p,
    )


def _warnings(
    rated: Rated, tests: ManyModels | TwoModels, record: BattleRecord, adjust: str, used: str, bare: Sequence[str]
) -> tuple[str, ...]:
    battles = rated.battles
    told: list[str] = [*battles.notes, *tests.found.notes, *_unrated(record)]
    grouped = battles.group is not None
    if adjust != used:
        few = "too few groups, or too unequal ones, to know" if grouped else "too few ratings to know"
        told.append(Message(f"{few} how the comparisons vary together, so ", Argument("adjust", used), " is used"))
    if grouped and battles.units < FEW_GROUPS:
        told.append(
            f"{battles.units} group{'s are' if battles.units > 1 else ' is'} few: with fewer than {FEW_GROUPS} any law of groups is fragile"
        )
    if rated.fit is not None:
        thin = [name for name, size in zip(rated.fit.battles.names, rated.fit.support, strict=True) if size < FEW]
        if thin:
            what = "groups" if grouped else "battles"
            told.append(
                f"ratings that rest on fewer than {FEW} {what}, in effect, are unreliable: {listed(thin, NAMED)}"
            )
    hazy = [one.name for one in record.models if one.unrated is None and one.name in bare]
    if hazy and isinstance(tests, ManyModels):
        what = "groups" if grouped else "battles"
        told.append(f"no interval: too few {what} tell how far off the rating is of {listed(hazy, NAMED)}")
    unknown = int(np.isnan(tests.found.p).sum())
    if unknown:
        told.append(f"{unknown} of {len(tests.pairs)} pairs have no p-value; they count as not told apart")
    fit, first = record.agreement, record.first_place
    if fit is not None and fit.p_value <= ODD:
        told.append(
            f"the ratings do not describe who beats whom (chi-squared {fit.statistic:.1f} on {fit.df:.0f} degrees of freedom, "
            f"{p_equation(fit.p_value)}); the pair that is furthest off is {fit.a} and {fit.b}: look at the win rates of the pairs"
        )
    fair = "ratings are fair only if every model is shown first about as often as second"
    if isinstance(tests, TwoModels):
        fair = _halves(battles)
    if first is not None and first.p_value <= ODD:
        shown = f"the answer shown first wins {first.win_rate:.1%} of battles between equals"
        told.append("; ".join(filter(None, (f"{shown} ({p_equation(first.p_value)})", fair))))
    elif isinstance(tests, TwoModels) and fair:
        told.append(fair)
    return tuple(dict.fromkeys([*told, *no_level(adjust)]))


def _halves(battles: Battles) -> str:
    """Say that each order counts half, and what the battles of two models come to if they are pooled; nothing if both were first as often."""
    times = [int(battles.times[battles.first == model].sum()) for model in (0, 1)]
    if times[0] == times[1] or not all(times):
        return ""
    more = int(times[1] > times[0])
    return (
        f"{battles.names[more]} was shown first in {times[more]:,} of {battles.n:,} battles; each order counts half "
        f"(pooled, it wins {_rate(battles, more):.1%})"
    )


def _unrated(record: BattleRecord) -> list[str]:
    """Say which models have no rating, and why."""
    told = []
    if all(one.unrated is not None for one in record.models):
        return [
            "no model has a rating: no two have beaten each other, also not through others; their ranks follow from the score test"
        ]
    for one in record.models:
        battles = "its only battle" if one.battles == 1 else f"all of its {one.battles:,} battles"
        if one.unrated in ("won all", "lost all"):
            end = "high" if one.unrated == "won all" else "low"
            told.append(
                f"{one.name} has no rating: it {one.unrated.removesuffix(' all')} {battles}, so no rating is too {end} for it; "
                "its ranks follow from the score test"
            )
    for kind, why in (
        ("apart", "the models that have ratings won, or lost, every battle with them"),
        ("never met", "no battles connect them with the models that have ratings"),
    ):
        names = [one.name for one in record.models if one.unrated == kind]
        if names:
            told.append(f"no rating: {listed(names, NAMED)} ({why})")
    return told
