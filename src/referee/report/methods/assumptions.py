"""Assumptions: what a result takes for granted, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterable

from referee.registry import parse
from referee.report import phrases
from referee.report.methods.comparison import STANDS_FOR, grouped, left_out
from referee.report.methods.references import RESAMPLED
from referee.report.numbers import known, whole
from referee.report.phrases import algorithms as winners
from referee.report.phrases import comparisons as together
from referee.report.phrases import variance
from referee.report.phrases.terms import believed
from referee.results.algorithms import Standings
from referee.results.audit import Audit
from referee.results.comparison import Comparison, Comparisons
from referee.results.plan import Plan
from referee.results.ranking import Ranking

AS_THEY_ARE = (
    "The result is about the {}systems as they are, not about retraining, other seeds, other prompts or other data."
)
BEFOREHAND = (
    "The metric, the test and alpha were chosen before the result was seen; picking the best of several tries gives more false "
    "alarms than alpha says."
)
BELIEVED_BEFOREHAND = (
    "The metric, the prior and alpha were chosen before the result was seen; picking the best of several tries makes it look surer than "
    "it is."
)
ONE_SPLIT = (
    "There is one training set and one test set: the result is about these models, not about how training varies."
)
AS_SET_UP = "The result is about the algorithms as set up here, trained on sets of this size from this source."
SAMPLES = "The two systems answered different examples: both samples come from the same source, and neither was chosen to be easier."
MARGIN = "The margin was fixed before anyone looked at the data."
DEPENDENCE = {
    "hochberg": "Hochberg's adjustment assumes that the comparisons are independent or positively dependent.",
    "bh": "The adjustment of Benjamini and Hochberg assumes that the comparisons are independent or positively dependent.",
    "none": "The p-values are not adjusted: among many comparisons, some p-values are small by chance.",
}
"""What adjustments take for granted; those that are not named take nothing."""

WORLDS = {
    "tilt": "The world in which the systems tie is the nearest one to the data: in all else it differs as little as possible.",
    "swap": "In a world without a difference, each response could just as well have come from the other system.",
}
"""What the worlds of an audit are."""
IGNORED = "If groups are ignored, their examples are treated as independent, which they are not in these test sets."


def comparison(r: Comparison, several: str = "") -> list[str]:
    """Say what one comparison takes for granted.

    Args:
        r: the result.
        several: what it is one of several of, where what is common is said elsewhere: tasks, slices, metrics.
    """
    sentences = [_sample(r, several), "" if r.paired else SAMPLES, _left_out(r), *_test(r), _interval(r)]
    return _each_once([*sentences, *([] if several else _common([r]))])


def comparisons(rs: Comparisons) -> list[str]:
    """Say what several comparisons take for granted, each thing once."""
    if len(rs) == 1:
        return comparison(rs[0])
    what = together.noun(rs)
    what = together.part(rs) if what == "comparison" else what
    sentences = [sentence for r in rs for sentence in comparison(r, several=what)]
    return _each_once([*sentences, DEPENDENCE.get(rs.adjust, "") if not believed(rs[0]) else "", *_common(rs)])


def _common(rs: Iterable[Comparison]) -> list[str]:
    rs = list(rs)
    about = variance.BEYOND if any(variance.crossed(r) for r in rs) else AS_THEY_ARE.format("two ")
    return [MARGIN if any(known(r.margin) for r in rs) else "", about, _beforehand(rs[0])]


def _beforehand(r: Comparison | Ranking) -> str:
    return BELIEVED_BEFOREHAND if believed(r) else BEFOREHAND


def _each_once(sentences: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, sentences)))


def _sample(r: Comparison | Ranking, several: str = "") -> str:
    strata = " within each stratum" if r.settings and r.settings.strata else ""
    if variance.crossed(r):
        return variance.crossed_samples(r, bool(several))
    things, count = ("groups", r.units) if grouped(r) else ("examples", r.n)
    # Of several tasks it is said once, whatever their sizes; metrics, and pairs of systems, are of the same examples.
    of_each = several not in ("", "metric", "pair")
    who = f"The {things} of each {several}" if of_each else f"The {whole(count)} {things}"
    said = _drawn(who, strata)
    how = " in any way" if r.test_info is None or r.test_info.any_dependence else ""
    depend = f"; the examples of one group may depend on each other{how}" if grouped(r) else ""
    return f"{said}{depend}{'' if r.weights is None else STANDS_FOR}."


def _drawn(who: str, strata: str = "") -> str:
    return f"{who} are a random sample{strata} of those that matter, drawn independently of each other"


def _left_out(r: Comparison) -> str:
    alone, missing, row = left_out(r)
    if not alone + missing:
        return ""
    what = f"The {row if missing else 'example'}s that were left out ({whole(alone + missing)})"
    return f"{what} are missing for reasons unrelated to how the systems do on them."


def _test(r: Comparison) -> list[str]:
    """Say what the test takes for granted."""
    test = r.test_info
    if test is None:
        return []
    many = f"There are enough {'groups' if grouped(r) else 'examples'} for the large-sample approximation to hold."
    return [*test.assumes, *([many] if test.needs_many and r.p_method == "asymptotic" and known(r.p_value) else [])]


def _interval(r: Comparison) -> str:
    is_of_test = r.test_info is not None and r.test_info.name == "bootstrap"
    if r.interval is None or r.interval.method not in RESAMPLED or is_of_test:
        return ""
    return "The interval assumes that test sets resampled from this one vary as new test sets would."


def ranking(r: Ranking) -> list[str]:
    """Say what a ranking takes for granted."""
    dropped = f"The examples that were left out ({whole(r.dropped)}) are missing for reasons unrelated to how the systems do on them."
    drawn = (
        "The draws that all pairs share vary as new test sets would." if r.adjust in ("max-t", "romano-wolf") else ""
    )
    sentences = [_sample(r), dropped if r.dropped else "", *(r.test_info.assumes if r.test_info else ())]
    if len(r.pairs) > 1:
        sentences += [drawn, "" if believed(r) else DEPENDENCE.get(r.adjust, "")]
    chosen = (
        "The systems were not picked by their scores on these examples: the best of many tries looks better than it is."
    )
    return _each_once([*sentences, chosen, AS_THEY_ARE.format(""), _beforehand(r)])


def standings(r: Standings) -> list[str]:
    """Say what standings of algorithms take for granted."""
    if parse(r.design)[0] == "holdout":
        sentences = [
            said
            for pair in r.pairs
            if pair.comparison is not None
            for said in comparison(pair.comparison, several="pair")
        ]
        sentences.append(ONE_SPLIT)
    else:
        count = "" if r.n is None else f"{whole(r.n)} "
        sentences = [
            f"The {count}examples are a random sample of those that matter, drawn independently of each other."
        ]
        tests = [pair.test_info for pair in r.pairs] or [r.test_info]
        sentences += [sentence for test in tests if test is not None for sentence in test.assumes]
        sentences.append(AS_SET_UP)
    if len(r.pairs) > 1 and not winners.is_bayesian(r):
        sentences.append(DEPENDENCE.get(r.adjust, ""))
    if any(None in one.scores for one in r.algorithms):
        sentences.append("Algorithms with missing scores are left out, and so are their splits.")
    return _each_once([*sentences, MARGIN if r.margin is not None else "", BEFOREHAND])


def audit(r: Audit) -> list[str]:
    """Say what an audit takes for granted."""
    source, nulls = phrases.clean(r.population) or "the data", {row["null"] for row in r.rows}
    sentences = [
        f"Test sets like yours are random draws from {source}, whose outcomes, as often as they occur there, stand for all that "
        "can happen."
    ]
    sentences += [WORLDS[null] for null in WORLDS if null in nulls]
    if any(row["groups"] == "ignored" for row in r.rows):
        sentences.append(IGNORED)
    return [*sentences, "The rates are estimates: each has its Monte Carlo error beside it."]


def plan(r: Plan) -> list[str]:
    """Say what a plan takes for granted."""
    measured = "The power is an estimate: each has its Monte Carlo error beside it." if r.sets else ""
    return _each_once([*map(phrases.full, r.assumptions), *(r.test_info.assumes if r.test_info else ()), measured])
