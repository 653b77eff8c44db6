"""One comparison in words: the verdict's sentence, what is behind it, and how often the test errs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from referee.report import phrases
from referee.report.document import Formula, Name, Text
from referee.report.nouns import plural
from referee.report.numbers import (
    NBSP,
    Scale,
    duration,
    factor,
    known,
    p_equation,
    p_value,
    percent,
    whole,
)
from referee.report.phrases import clean, disagreement, given, margin, metric, names, scale, several, variance, wins
from referee.report.phrases import judge as judges
from referee.report.phrases import posterior as beliefs
from referee.report.phrases.method_names import adjustment, test_name
from referee.report.phrases.terms import believed, terms
from referee.report.phrases.verdicts import brief, claimed, compared, named
from referee.results.comparison import Comparison

if TYPE_CHECKING:
    from referee.results.ranking import Ranking

NULLS = {
    "nearest tie": "drawn from the distribution nearest to these data in which the systems tie",
    "nearest margin": "drawn from the distribution nearest to these data in which the systems differ by just the margin",
    "tilt": "drawn from these data, reweighted as little as possible so that the systems tie",
    "swap": "drawn from these data, with the systems' answers exchanged at random",
}
"""On which test sets the false alarms of a comparison are counted."""
ABSURD = 1000
"""Beyond so many times the data it is said in words how many more are needed."""
NOUN = re.compile("[a-z]{3,20}(?<!id)(?<!s)")
"""Columns of groups that are called what one group is."""
MUCH_THE_SAME = (
    "metric", "p-value", "posterior", "tail area", "reason", "confusion", "correlation", "detectable", "resampling", "audit sets",
)  # fmt: skip


def headline(r: Comparison) -> Text:
    """Say in one line who is better, in what, by how much and how sure."""
    if r.preferences is not None and known(r.difference):
        return wins.headline(
            r, _begun(r), _sure(r) if says_p(r) and (r.question == "better" or not is_not_shown(r)) else ""
        )
    if is_not_shown(r):
        return (*_begun(r), ": ", *_standing(r), ".")
    return (*_claim(r), f"{brief(r, r, scale(r), _sure(r)) if known(r.difference) else ''}.")


def is_not_shown(r: Comparison) -> bool:
    """Say whether something was asked about a margin or one side, and the data do not show it."""
    asked = r.question != "better" or r.alternative != "two-sided"
    return r.verdict == "too close to call" and asked and known(r.difference)


def says_p(r: Comparison) -> bool:
    """Say whether the p-value is of what the verdict claims: one against a margin says nothing of the other side of it."""
    return r.question == "better" or r.verdict not in ("a better", "b better")


def _begun(r: Comparison) -> tuple[str, ...]:
    """Say what the verdict claims, or what was asked and is not shown: the beginning of a sentence."""
    if not is_not_shown(r):
        return compared(r.verdict, *names(r))
    if r.question == "better":
        return (f"Not shown to be {'higher' if r.alternative == 'greater' else 'lower'}",)
    return (f"Not shown to be {'equal' if r.question == 'equal' else 'no worse'} within {margin(r)}",)


def _standing(r: Comparison) -> tuple[str, ...]:
    """Say of B, of which something is not shown, how far it is ahead or behind, with the interval that was held against the margin."""
    (a, b), what, shown = names(r), metric(r), scale(r)
    first, second = shown.score(r.a.score), shown.score(r.b.score)
    if r.question == "better":
        return (Name(b), f" has {what} {second}, ", Name(a), f" {first}{brief(r, r, shown, _sure(r))}")
    if r.posterior is not None or r.interval is None:
        inside = _sure(r)
    else:
        inside = f"{percent(r.interval.level)} interval {shown.span(r.interval.low, r.interval.high)}"
    inside += "" if r.higher_is_better else ", lower is better"
    if not r.difference:
        return (Name(b), " and ", Name(a), f" have the same {what}, {second} ({inside})")
    side = "ahead" if (r.difference > 0) == r.higher_is_better else "behind"
    return (Name(b), f" is {side} by {shown.difference(r.difference, sign=False)} ({inside})")


def _claim(r: Comparison) -> tuple[str, ...]:
    """Say who is better, with both scores."""
    (a, b), what, shown = names(r), metric(r), scale(r)
    first, second = shown.score(r.a.score), shown.score(r.b.score)
    if r.verdict == "too close to call":
        claim = (*compared(r.verdict, a, b), ": ")
        if not known(r.difference):
            return (*claim, f"the {what} of ", Name(b), " and ", Name(a), " cannot be compared on these data")
        if is_not_shown(r):
            return (*claim, "these data do not show that ", Name(b), *_asked(r), f", {what} {second} against {first}")
        if r.difference == 0:
            return (*claim, Name(b), " and ", Name(a), f" have the same {what}, {second}")
    far = r.question != "better" and r.verdict in ("a better", "b better")
    beyond = f" by more than {margin(r)}" if far else ""
    return claimed(r.verdict, (a, b), what, (first, second), beyond)


def _asked(r: Comparison) -> tuple[str, ...]:
    """Say what of B the data would have to show: the end of a sentence."""
    a, within = Name(names(r)[0]), f" within a margin of {margin(r)}"
    if r.question == "better":
        return (f" has a {'higher' if r.alternative == 'greater' else 'lower'} {metric(r)} than ", a)
    return (" is no worse than ", a, within) if r.question == "no-worse" else (" and ", a, " are equal", within)


def _sure(r: Comparison) -> str:
    """Write the p-value or the probability that the verdict follows, or the interval that was held against the margin."""
    if believed(r):
        return beliefs.sure(r, r.posterior)
    held = r.margin_interval if r.question == "better" and r.verdict in ("practically equal", "no worse") else None
    held = held if says_p(r) else r.interval
    if held:
        return f"{percent(held.level)} interval {scale(r).span(held.low, held.high)}"
    return (
        f"adjusted {p_equation(r.p_adjusted, r.alpha)}" if _is_adjusted(r) else phrases.p_equals(r, r.p_value, r.alpha)
    )


def _is_adjusted(r: Comparison) -> bool:
    return known(r.p_adjusted) and r.question == "better" and r.p_adjusted != r.p_value


def details(r: Comparison, advice: bool = True) -> str:
    """Say how sure it is, what luck would do, what could have been detected, and what to do next if advice is asked for."""
    if not known(r.difference):
        return "The warnings say why." if r.warnings else "The difference is unknown."
    judged = r.preferences is not None
    begun = phrases.sentence(wins.counted(r)) if judged else phrases.within(r.interval, scale(r))
    if is_not_shown(r) and r.question != "better" and r.posterior is None and not judged:
        begun = ""  # the headline has the interval
    parts = [begun, luck(r, again=advice)]
    if r.verdict == "too close to call":
        parts += [wins.detectable(r) if judged else detectable(r), what_next(r) if advice else ""]
    rejected = r.question == "better" and r.p_value is not None and r.p_value <= r.alpha
    if r.verdict == "practically equal" and rejected:
        parts.append("So there is a difference, but it is too small to matter.")
    parts.append(judges.told(r))
    return " ".join(filter(None, parts))


def luck(r: Comparison, again: bool = True) -> str:
    """Say what the p-value means, or what is believed instead; with the p-value again if the headline stands apart."""
    if believed(r):
        return beliefs.told(r, r.posterior)
    p, shown = r.p_value, _p_shown(r)
    if not says_p(r):
        return ""
    if not known(p) or (r.question == "better" and r.difference != 0):
        told = shown if again or _is_adjusted(r) or not known(p) or p >= 1 else ""
        return phrases.if_equal(r, r, r.p_adjusted if known(r.p_adjusted) else p or 0.0, told)
    if is_not_shown(r) and r.question != "better":
        asked = "equivalence" if r.question == "equal" else "non-inferiority"
        return f"The test of {asked} is not significant ({shown})."
    if r.question == "no-worse":
        seen = phrases.occurs(r, "a difference this favourable", p, r.alpha)
        return f"If {names(r)[1]} were worse by the margin of {margin(r)}, {seen} ({shown})."
    if r.question == "equal":
        seen = phrases.occurs(r, "a difference this small", p, r.alpha)
        return f"If the two differed by the margin of {margin(r)}, {seen} ({shown})."
    return f"There is no difference to explain ({shown})."


def _p_shown(r: Comparison) -> str:
    """Write the p-value, and what it is when adjusted for being one of several."""
    shown, s = phrases.p_equals(r, r.p_value, r.alpha), r.settings
    if not _is_adjusted(r):
        return shown
    many = "multiple comparisons"
    if s and s.comparisons:
        many = f"{whole(s.comparisons)} comparisons ({adjustment(s.adjust or '')})"
    return f"{shown}; adjusted for {many}, {p_equation(r.p_adjusted, r.alpha)}"


def detectable(r: Comparison) -> str:
    """Say how small a difference could have been detected."""
    least = scale(r).difference(r.detectable, sign=False)
    return given(r.detectable, f"At this size a true difference of {least} would be detected 4 times in 5 (80% power).")


def what_next(r: Comparison) -> str:
    """Say how large a test set would settle it."""
    if r.judge is not None:
        return judges.what_next(r)
    if r.question != "better":
        return _next_to_margin(r)
    if r.needed is None:
        return ""
    n, units, is_grouped = r.needed["n"], r.needed["units"], r.units != r.n
    if units > ABSURD * r.units:
        return f"To confirm a difference this small would take more than {whole(ABSURD)} times as many {'group' if is_grouped else 'example'}s."
    much = (
        f"{phrases.about(units)} groups ({phrases.about(n)} examples)" if is_grouped else f"{phrases.about(n)} examples"
    )
    alone = ", if it were the only comparison" if _is_adjusted(r) else ""
    return f"To confirm a difference this large 4 times in 5, test about {much} instead of {whole(r.units)}{alone}."


def _next_to_margin(r: Comparison) -> str:
    """Say whether more examples could show what was asked about a margin, and what they have to do."""
    if r.interval is None or not known(r.difference) or not known(r.margin):
        return ""
    equal, gain, within = r.question == "equal", r.difference if r.higher_is_better else -r.difference, margin(r)
    if gain <= -r.margin or (equal and gain >= r.margin):
        true = f"If the true difference is {scale(r).difference(r.difference)}, no test set can show"
        return f"{true} {'equality' if equal else 'that'} within {within}, however large; ask which system is better."
    bound = scale(r).difference(-r.margin if r.higher_is_better else r.margin)
    where = f"within ±{within}" if equal else f"{'above' if r.higher_is_better else 'below'} {bound}"
    return f"The interval has to lie {where}. More examples narrow it: referee plan says how many."


def context(r: Comparison) -> list[str]:
    """Say what a comparison is of: the files, the score, and how many examples there are."""
    s = r.settings
    of = f" of “{clean(s.positive_class)}”" if s and s.positive_class is not None else ""
    task = "" if r.task is None or r.task == r.metric else clean(r.task)
    groups = s.about.get("group", "") if s else ""
    many = size(r)
    if NOUN.fullmatch(groups) and r.units != r.n and not variance.crossed(r):
        many = f"{several(r.n, 'example')}{judges.labelled(r)} from {whole(r.units)} {groups if r.units == 1 else plural(groups)}"
    return [one for one in (phrases.sources(s), task, metric(r) + of, many) if one]


def size(r: Comparison | Ranking) -> str:
    """Say how many examples there are, in how many groups."""
    examples = several(r.n, "example") + judges.labelled(r)
    if crossed := variance.crossed(r):
        return f"{examples} ({crossed})"
    return examples if r.units == r.n else f"{examples} in {several(r.units, 'group')}"


def paper(r: Comparison) -> Text:
    """Say who is better, with the numbers, ready for a paper."""
    numbers = [mention for mention in _mentions(r) if mention]
    commas = [part for mention in numbers for part in (", ", *mention)][1:]
    rate = audit(r)
    return (
        *_claim(r),
        " (",
        *commas,
        f"; {size(r)}{', weighted' if r.weights else ''}).",
        f" {phrases.sentence(rate)}" if rate else "",
    )


def _mentions(r: Comparison) -> list[tuple[str, ...]]:
    """Return what a paper's sentence has in brackets."""
    shown, i, (a, b) = scale(r), r.interval, names(r)
    difference = (f"difference {b} minus {a} ", Formula(shown.plain(r.difference, sign=True)), shown.points)
    return [
        difference if known(r.difference) else (),
        (f"{percent(i.level)} {phrases.kind_of(i)} ", Formula(phrases.bracket(i, shown))) if i else (),
        (f"margin {margin(r)}",) if known(r.margin) else (),
        *(
            [(beliefs.sure(r, r.posterior),)]
            if believed(r)
            else [()]
            if not says_p(r)
            else [(*(("anytime-valid ",) if phrases.holds_anytime(r) else ()), Formula(p_equation(r.p_value, r.alpha)))]
        ),
        (test(r),),
    ]


def test(r: Comparison) -> str:
    """Name the test, a Bayesian one with its prior."""
    return beliefs.test(r.test, r.posterior) if r.posterior is not None else test_name(r.test, r.mid_p)


def verdict(r: Comparison) -> str:
    """Return the verdict with the systems' own names."""
    return named(r.verdict, *names(r))


def p_kind(r: Comparison) -> str:
    """Say what kind of p-value it is: a mid-p is exact, and not what is called the exact test."""
    kind = "mid-p" if r.mid_p else clean(r.p_method).replace("monte-carlo", "Monte Carlo")
    return f"anytime-valid, {kind}" if phrases.holds_anytime(r) else kind


def facts(r: Comparison) -> list[tuple[str, str]]:
    """Return what lies behind the scores, as pairs of a label and what to say; what is not there has no row."""
    alone, least = r.question == "better", scale(r).difference(r.detectable, sign=False)
    how = f"two one-sided tests at alpha {percent(r.alpha)}"
    how = f"judged by the {percent(1 - 2 * r.alpha)} credible interval" if believed(r) else how
    irrelevant = f"differences below {margin(r)} do not matter ({how})"
    resampled = f"{names(r)[1]} was ahead in {percent(r.probability_b_better)} of the resampled test sets"
    adjusted = f"{p_value(r.p_adjusted, r.alpha)}, for multiple comparisons"
    rows = {
        "task": "" if r.task is None else clean(r.task),
        "metric": f"{phrases.whole_metric(r)} ({'higher' if r.higher_is_better else 'lower'} is better)",
        "test": test(r),
        "reason": clean(r.reason, 1000),
        "alternative": _alternative(r),
        **(beliefs.facts(r) if believed(r) else {"p-value": _p_obtained(r)}),
        f"adjusted {terms(r).p}": given(r.p_adjusted, adjusted) if alone else "",
        "margin": given(r.margin, irrelevant) if alone else "",
        "data": _data(r),
        "weights": phrases.weighting(r.weights),
        "variance": variance.where(r),
        "more data": variance.surer(r),
        "ICC": variance.icc(r),
        "samples": disagreement.samples(r),
        **judges.facts(r),
        "matched": disagreement.matched(r),
        "outcomes": wins.counted(r),
        "position": wins.position(r),
        "orders": wins.orders(r),
        "consistency": wins.consistency(r),
        "disagreement": disagreement.discordant(r),
        "correlation": disagreement.correlation(r),
        "detectable": given(r.detectable, f"{least} is the minimum detectable effect at this size (80% power)"),
        "resampling": given(r.probability_b_better, resampled) if not believed(r) else "",
        "undefined": f"in {percent(r.undefined)} of the draws the metric was 0/0" if r.undefined > 0 else "",
        "audit": audit(r) or given(r.audit_seconds, unmeasurable(r) or unmeasured(r.audit_seconds)),
        "audit sets": NULLS.get((r.audit or {}).get("null", ""), ""),
    }
    return phrases.filled(rows)


def much_the_same(r: Comparison) -> list[str]:
    """Return the facts that are not told unless somebody asks for all."""
    two_sided = r.question == "better" and r.alternative == "two-sided"
    split = [] if r.variance is not None and variance.is_shown(r.variance) else ["variance", "more data"]
    return [*MUCH_THE_SAME, *split, "ICC", *(["alternative"] if two_sided else [])]


def _p_obtained(r: Comparison) -> str:
    """Write the p-value and how it was obtained."""
    if not known(r.p_value):
        return "unknown"
    error = f"{NBSP}±{NBSP}{r.p_error:.1g}" if known(r.p_error) and r.p_error > 0 else ""
    return f"{p_value(r.p_value, r.alpha)} ({p_kind(r)}{error})"


def _alternative(r: Comparison) -> str:
    """Say which question the p-value answers."""
    a, b = names(r)
    if r.question == "no-worse":
        return f"non-inferiority: is {b} less than {margin(r)} worse than {a}?"
    if r.question == "equal":
        return f"equivalence: do {a} and {b} differ by less than {margin(r)}?"
    if r.alternative == "two-sided":
        return "two-sided: is there any difference?"
    side = "higher" if r.alternative == "greater" else "lower"
    return f"{r.alternative}: is the {metric(r)} of {b} {side} than that of {a}?"


def _data(r: Comparison) -> str:
    is_clustered = r.units != r.n or bool(variance.crossed(r))
    effect = r.design_effect if is_clustered or r.design_effect != 1 else None
    return f"{size(r)}{' (clustered)' if is_clustered else ''}" + (
        f"; design effect {factor(effect)}" if known(effect) else ""
    )


def audit(r: Comparison) -> str:
    """Say how often the test errs on data like these, if that was measured."""
    if not r.audit or not known(r.audit.get("false_alarm")):
        return ""
    error, coverage, power = (r.audit.get(key) for key in ("false_alarm_error", "coverage", "power"))
    share = Scale("share")
    rate = share.score(r.audit["false_alarm"]) + (f"{NBSP}±{NBSP}{share.score(error)}" if known(error) else "")
    claim = f"on data like these {_wrongly(r)} in {rate} of test sets (alpha {percent(r.alpha)})"
    if known(coverage):
        level = r.audit.get("level", 1 - r.alpha)
        claim += f"; its {percent(level)} interval contains the true difference in {share.score(coverage)}"
    if not known(power):
        return claim
    true = r.audit.get("difference")
    against = f" against a true difference of {scale(r).difference(true, sign=False)}" if known(true) else ""
    return f"{claim}; its power{against} is {share.score(power)}"


def _wrongly(r: Comparison) -> str:
    """Say what the test does in error."""
    if r.question == "better":
        tied = "the credible interval leaves out 0, though the systems tie,"
        return "the test raises a false alarm" if r.posterior is None else tied
    a, b = names(r)
    if r.question == "no-worse":
        return f"the test calls {b} no worse than {a}, though it is worse by just the margin,"
    return f"the test calls {a} and {b} equal, though they differ by just the margin,"


def unmeasurable(r: Comparison) -> str:
    """Say why the error rate cannot be measured on such data, and no audit is to be asked for; nothing if it can be."""
    if r.judge is not None:
        return "not measured: there is no audit with a judge"
    return "not measured: there is no audit of crossed groups" if r.test == "crossed-t" else ""


def unmeasured(seconds: float | None) -> str:
    """Say that the error rate was not measured, how long it would take where that is known, and how to have it."""
    how = "add --audit (in Python: audit=True)"
    return f"not measured: it would take about {duration(seconds)}; {how}" if seconds else f"not measured; {how}"
