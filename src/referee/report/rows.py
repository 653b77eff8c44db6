"""The facts behind the sentence, as pairs of a label and what to say; a fact that is not there has no row."""

from __future__ import annotations

from referee.report import phrases
from referee.report.numbers import duration, factor, known, number, p_value, percent, whole
from referee.results.comparison import Comparison, Interval, Score

Row = tuple[str, str]
Measure = tuple[str, str, str, str]


def measures(r: Comparison) -> list[Measure]:
    """Return the scores and their difference: what, value, interval, and how the interval was made."""
    (a, b), digits = phrases.names(r), phrases.places(r)
    scores = [_score(name, score, digits) for name, score in ((a, r.a), (b, r.b))]
    return [*scores, ("difference", number(r.difference, digits), *_interval(r.interval, digits))]


def _score(name: str, score: Score, digits: int) -> Measure:
    return (name, number(score.score, digits), *_interval(score.interval, digits))


def _interval(interval: Interval | None, digits: int) -> tuple[str, str]:
    if interval is None:
        return "unknown", ""
    return phrases.bracket(interval, digits), f"{percent(interval.level)}, {phrases.clean(interval.method)}"


def facts(r: Comparison) -> list[Row]:
    """Return the rows below the scores, those that there is something to say about."""
    rows = [
        ("task", phrases.clean(r.task) if r.task is not None else ""),
        ("metric", f"{phrases.metric(r)} ({'higher' if r.higher_is_better else 'lower'} is better)"),
        ("p-value", phrases.p_obtained(r)),
        ("adjusted p", p_value(r.p_adjusted, r.alpha) if known(r.p_adjusted) and r.question == "better" else ""),
        ("alternative", phrases.alternative(r)),
        ("test", phrases.clean(r.test, 200)),
        ("reason", phrases.clean(r.reason, 1000)),
        ("data", _data(r)),
        ("matched", _matched(r)),
        ("disagreement", _discordant(r)),
        ("correlation", _correlation(r)),
        ("detectable", _detectable(r)),
        ("margin", _margin(r)),
        ("resampling", _probability(r)),
        ("undefined", f"in {percent(r.undefined)} of the draws the metric was 0/0" if r.undefined > 0 else ""),
        ("audit", audit(r) or (unmeasured(r.audit_seconds) if known(r.audit_seconds) else "")),
    ]
    return [(label, said) for label, said in rows if said]


def _data(r: Comparison) -> str:
    said = phrases.size(r)
    if r.design_effect is None or not known(r.design_effect) or (r.units == r.n and r.design_effect == 1):
        return said
    return f"{said}; design effect {factor(r.design_effect)}"


def _matched(r: Comparison) -> str:
    m, (a, b) = r.matched, phrases.names(r)
    if not (m.a_only or m.b_only or m.dropped):
        return ""
    parts = [f"{whole(m.both)} examples in both", f"{whole(m.a_only)} only in {a}", f"{whole(m.b_only)} only in {b}"]
    return ", ".join(parts) + f"; {whole(m.dropped)} dropped"


def _discordant(r: Comparison) -> str:
    if r.discordant is None:
        return ""
    (a, b), (first, second) = phrases.names(r), map(whole, r.discordant)
    examples = f"example{'' if r.discordant[0] == 1 else 's'}"
    if r.metric_info is not None and r.metric_info.of_labels:
        return f"only {a} is right on {first} {examples}, only {b} on {second}"
    return f"{a} does better on {first} {examples}, {b} on {second}"


def _margin(r: Comparison) -> str:
    if not known(r.margin) or r.question != "better":
        return ""
    return f"differences below {phrases.margin(r)} do not matter (two one-sided tests at alpha {r.alpha:g})"


def _correlation(r: Comparison) -> str:
    said = f"{r.correlation:.2f} between the systems" if r.correlation is not None and known(r.correlation) else ""
    cost = phrases.times_too_large(r.inflation) if r.inflation is not None and known(r.inflation) else ""
    return "; ".join(filter(None, [said, cost]))


def _detectable(r: Comparison) -> str:
    if not known(r.detectable):
        return ""
    return f"{number(r.detectable, phrases.places(r))} is the smallest true difference found 4 times in 5 at this size"


def _probability(r: Comparison) -> str:
    if not known(r.probability_b_better):
        return ""
    return f"{phrases.names(r)[1]} was ahead in {percent(r.probability_b_better)} of the resampled test sets"


def audit(r: Comparison) -> str:
    """Say how often the test errs on data like these, where that was measured."""
    if not r.audit or not known(r.audit.get("false_alarm")):
        return ""
    error, coverage = r.audit.get("false_alarm_error"), r.audit.get("coverage")
    said = f"on data like these {_wrongly(r)} in {percent(r.audit['false_alarm'])}"
    said += f" (give or take {percent(error)})" if known(error) else ""
    said += f" of test sets at alpha {r.alpha:g}{_null(r)}"
    if known(coverage):
        level = r.audit.get("level", 1 - r.alpha)
        said += f", and its {percent(level)} interval holds the true difference in {percent(coverage)}"
    power, true = r.audit.get("power"), r.audit.get("difference")
    if not known(power):
        return said
    where = f" against a true difference of {number(true, phrases.places(r))}" if known(true) else ""
    return f"{said}; its power{where} is {percent(power)}"


NULLS = {"nearest tie": "nearest {} by likelihood", "tilt": "nearest {} by divergence", "swap": "exchangeable systems"}
NULLS["nearest margin"] = NULLS["nearest tie"]


def _null(r: Comparison) -> str:
    """Say in which world the false alarms were counted."""
    null, what = str((r.audit or {}).get("null")), "tie" if r.question == "better" else "world at the margin"
    return f" ({NULLS[null].format(what)})" if null in NULLS else ""


def _wrongly(r: Comparison) -> str:
    """Say what the test does in error."""
    if r.question == "better":
        return "the test raises a false alarm"
    a, b = phrases.names(r)
    if r.question == "no-worse":
        return f"the test calls {b} no worse than {a}, though it is worse by just the margin,"
    return f"the test calls {a} and {b} equal, though they differ by just the margin,"


def unmeasured(seconds: float | None) -> str:
    """Say that the error rate was not measured, how long it would take where that is known, and how to have it."""
    how = "add `--audit` (in Python: audit=True)"
    return f"not measured: it would take about {duration(seconds)}; {how}" if seconds else f"not measured; {how}"
