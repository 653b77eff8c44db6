"""One comparison in words: the verdict's sentence, what is behind it, and how often the test errs."""

from __future__ import annotations

from referee.report.document import Formula, Pairs, Text
from referee.report.numbers import duration, factor, known, number, p_equation, p_value, percent, whole
from referee.report.phrases import (
    bracket,
    clean,
    compared,
    filled,
    margin,
    metric,
    named,
    names,
    places,
    sentence,
    several,
    with_interval,
)
from referee.results.comparison import Comparison

NULLS = {
    "nearest tie": "nearest {} by likelihood",
    "nearest margin": "nearest {} by likelihood",
    "tilt": "nearest {} by divergence",
    "swap": "exchangeable systems",
}
"""In which worlds the false alarms of a comparison are counted."""


def headline(r: Comparison) -> str:
    """Say who is better."""
    return f"{_claim(r)}."


def _claim(r: Comparison) -> str:
    (a, b), what = names(r), metric(r)
    first, second = number(r.a.score, places(r)), number(r.b.score, places(r))
    if r.verdict not in ("a better", "b better", "practically equal", "no worse"):
        return _undecided(r, a, b, f"({first} and {second}{'' if r.higher_is_better else ', lower is better'})")
    claim = compared(r.verdict, a, b)
    brief = "" if r.higher_is_better else " (lower is better)"
    if r.verdict == "practically equal":
        within = f"the true difference is within the margin of {margin(r)} either way{_held(r)}"
        return f"{claim}: their {what} is {first} and {second}{brief}, and {within}"
    ours, theirs = (first, second) if r.verdict == "a better" else (second, first)
    if r.verdict == "no worse":
        out = f"that it is worse by more than the margin of {margin(r)} is ruled out{_held(r)}"
        return f"{claim}: its {what} is {ours} against {theirs}{brief}, and {out}"
    by = "" if r.question == "better" else f" by more than the margin of {margin(r)}"
    lower = "" if r.higher_is_better else ", and lower is better"
    return f"{claim}{by}: its {what} is {ours} against {theirs}{lower}"


def _undecided(r: Comparison, a: str, b: str, scores: str) -> str:
    what = metric(r)
    if not known(r.difference):
        return f"Too close to call: the {what} of {a} and {b} cannot be compared on these data"
    if r.question != "better":
        shown = f"is no worse than {a}" if r.question == "no-worse" else f"and {a} are practically equal"
        return f"Too close to call: these data do not show that {b} {shown} in {what}, within a margin of {margin(r)} {scores}"
    if r.difference == 0:
        return f"Too close to call: {a} and {b} have the same {what} {scores}"
    if r.alternative == "two-sided":
        return f"Too close to call: these data cannot tell whether {a} or {b} has the better {what} {scores}"
    side = "higher" if r.alternative == "greater" else "lower"
    other = "; the difference lies the other way" if r.p_value is not None and r.p_value >= 1 - r.alpha else ""
    return f"Too close to call: these data do not show that {b} has a {side} {what} than {a} {scores}{other}"


def _held(r: Comparison) -> str:
    """Say which interval was held against the margin."""
    i = r.interval if r.question != "better" else r.margin_interval
    return "" if i is None else f" (by its {percent(i.level)} interval, {bracket(i, places(r))})"


def details(r: Comparison) -> str:
    """Say by how much, how sure, and what could have been seen."""
    if not known(r.difference):
        return "The warnings say why." if r.warnings else "The difference is unknown."
    a, b = names(r)
    parts = [f"The difference ({b} minus {a}) is {with_interval(r.difference, r.interval, places(r))}.", luck(r)]
    if known(r.p_adjusted) and r.question == "better":
        parts.append(f"Adjusted for being one of several comparisons, {p_equation(r.p_adjusted, r.alpha)}.")
    if r.verdict == "too close to call":
        parts.append(detectable(r))
    rejected = r.question == "better" and r.p_value is not None and r.p_value <= r.alpha
    if r.verdict == "practically equal" and rejected:
        parts.append("So there is a difference, but one too small to matter.")
    return " ".join(filter(None, parts))


def luck(r: Comparison) -> str:
    """Say what the p-value means."""
    p = r.p_value
    if not known(p):
        return "How likely luck alone would give such a difference is unknown (p unknown)."
    shown = p_equation(p, r.alpha)
    if r.question != "better":
        b, how = names(r)[1], _how_often(p, r.alpha)
        if r.question == "no-worse":
            return f"If {b} were worse by the margin of {margin(r)}, a difference this favourable would occur {how} ({shown})."
        return f"If the two differed by the margin of {margin(r)}, a difference this small would occur {how} ({shown})."
    if r.difference == 0:
        return f"There is nothing that luck would have to explain ({shown})."
    if p >= 1:
        return f"Luck alone explains it ({shown})."
    more = {"two-sided": "larger", "greater": "higher", "less": "lower"}[r.alternative]
    return f"Were the two equally good, luck alone would give a difference like this or {more} {_how_often(p, r.alpha)} ({shown})."


def _how_often(p: float, alpha: float) -> str:
    if p > 0.99:
        return "in over 99% of such test sets"
    if p >= 0.001:
        return f"in {100 * float(p_value(p, alpha)):.6g}% of such test sets"
    if p >= 1e-6:
        return f"about once in {float(f'{1 / p:.2g}'):,.0f} such test sets"
    return "less than once in a million such test sets"


def detectable(r: Comparison) -> str:
    """Say how small a difference could have been seen."""
    if not known(r.detectable):
        return ""
    least = number(r.detectable, places(r))
    return f"With {size(r)}, the smallest true difference that this test would find 4 times in 5 is {least}."


def size(r: Comparison) -> str:
    """Say how many examples there are, in how many groups."""
    examples = several(r.n, "example")
    return examples if r.units == r.n else f"{examples} in {several(r.units, 'group')}"


def paper(r: Comparison) -> Text:
    """Say who is better, with the numbers, ready for a paper."""
    claim, numbers = _claim(r), [mention for mention in _mentions(r) if mention]
    commas = [part for mention in numbers for part in (", ", *mention)][1:]
    rate = audit(r)
    return (f"{claim} (", *commas, f"; {size(r)}).", f" {sentence(rate)}" if rate else "")


def _mentions(r: Comparison) -> list[tuple[str, ...]]:
    """Return what a paper's sentence has in brackets."""
    digits, i = places(r), r.interval
    return [
        (Formula(f"Δ = {number(r.difference, digits)}"),) if known(r.difference) else (),
        (f"{percent(i.level)} interval ", Formula(bracket(i, digits))) if i else (),
        (Formula(p_equation(r.p_value, r.alpha)),),
        (test(r),),
    ]


def test(r: Comparison) -> str:
    """Return the spelling of the test, and that it is the mid-p where the spelling does not say so."""
    spelt = clean(r.test, 200)
    return f"{spelt} (mid-p)" if r.mid_p and "midp" not in spelt else spelt


def verdict(r: Comparison) -> str:
    """Return the verdict with the systems' own names."""
    return named(r.verdict, *names(r))


def p_kind(r: Comparison) -> str:
    """Say what kind of p-value it is: a mid-p is exact, and not what is called the exact test."""
    return "mid-p" if r.mid_p else clean(r.p_method)


def facts(r: Comparison) -> list[tuple[str, str]]:
    """Return what lies behind the scores, as pairs of a label and what to say; what is not there has no row."""
    alone = r.question == "better"
    least, ahead = number(r.detectable, places(r)), percent(r.probability_b_better)
    rows = {
        "task": "" if r.task is None else clean(r.task),
        "metric": f"{metric(r)} ({'higher' if r.higher_is_better else 'lower'} is better)",
        "p-value": _p_obtained(r),
        "adjusted p": p_value(r.p_adjusted, r.alpha) if known(r.p_adjusted) and alone else "",
        "alternative": _alternative(r),
        "test": clean(r.test, 200),
        "reason": clean(r.reason, 1000),
        "data": _data(r),
        "matched": _matched(r),
        "disagreement": _discordant(r),
        "correlation": _correlation(r),
        "detectable": f"{least} is the smallest true difference found 4 times in 5 at this size"
        if known(r.detectable)
        else "",
        "margin": f"differences below {margin(r)} do not matter (two one-sided tests at alpha {r.alpha:g})"
        if known(r.margin) and alone
        else "",
        "resampling": f"{names(r)[1]} was ahead in {ahead} of the resampled test sets"
        if known(r.probability_b_better)
        else "",
        "undefined": f"in {percent(r.undefined)} of the draws the metric was 0/0" if r.undefined > 0 else "",
        "audit": audit(r) or (unmeasured(r.audit_seconds) if known(r.audit_seconds) else ""),
    }
    return filled(rows)


def measured_facts(r: Comparison) -> Pairs:
    """Return the facts but for a rate of errors that was not measured."""
    return [(label, text) for label, text in facts(r) if label != "audit" or audit(r)]


def _p_obtained(r: Comparison) -> str:
    """Write the p-value and how it was obtained."""
    if not known(r.p_value):
        return "unknown"
    error = f", give or take {r.p_error:.1g}" if known(r.p_error) and r.p_error > 0 else ""
    return f"{p_value(r.p_value, r.alpha)} ({p_kind(r)}{error})"


def _alternative(r: Comparison) -> str:
    """Say which question the p-value answers."""
    a, b = names(r)
    if r.question == "no-worse":
        return f"no worse: is {b} less than {margin(r)} worse than {a}?"
    if r.question == "equal":
        return f"equal: do {a} and {b} differ by less than {margin(r)}?"
    if r.alternative == "two-sided":
        return "two-sided: is there any difference?"
    side = "higher" if r.alternative == "greater" else "lower"
    return f"{r.alternative}: is the {metric(r)} of {b} {side} than that of {a}?"


def _data(r: Comparison) -> str:
    if not known(r.design_effect) or (r.units == r.n and r.design_effect == 1):
        return size(r)
    return f"{size(r)}; design effect {factor(r.design_effect)}"


def _matched(r: Comparison) -> str:
    m, (a, b) = r.matched, names(r)
    if not (m.a_only or m.b_only or m.dropped):
        return ""
    parts = [f"{whole(m.both)} examples in both", f"{whole(m.a_only)} only in {a}", f"{whole(m.b_only)} only in {b}"]
    return ", ".join(parts) + f"; {whole(m.dropped)} dropped"


def _discordant(r: Comparison) -> str:
    if r.discordant is None:
        return ""
    (a, b), (first, second) = names(r), r.discordant
    if r.metric_info is not None and r.metric_info.of_labels:
        return f"only {a} is right on {several(first, 'example')}, only {b} on {whole(second)}"
    return f"{a} does better on {several(first, 'example')}, {b} on {whole(second)}"


def _correlation(r: Comparison) -> str:
    alike = f"{r.correlation:.2f} between the systems" if known(r.correlation) else ""
    cost = _times_too_large(r.inflation) if known(r.inflation) else ""
    return "; ".join(filter(None, [alike, cost]))


def _times_too_large(inflation: float) -> str:
    """Say what forgetting that the systems saw the same examples would have cost."""
    claim = "assuming independence would have made the standard error"
    if round(inflation, 1) == 1:
        return f"{claim} no different"
    if inflation > 1:
        return f"{claim} {factor(inflation)} times too large"
    return f"{claim} too small ({percent(inflation)} of what it is)"


def audit(r: Comparison) -> str:
    """Say how often the test errs on data like these, where that was measured."""
    if not r.audit or not known(r.audit.get("false_alarm")):
        return ""
    error, coverage, null = (r.audit.get(key) for key in ("false_alarm_error", "coverage", "null"))
    what = "tie" if r.question == "better" else "world at the margin"
    claim = f"on data like these {_wrongly(r)} in {percent(r.audit['false_alarm'])}"
    claim += f" (give or take {percent(error)})" if known(error) else ""
    claim += f" of test sets at alpha {r.alpha:g}"
    claim += f" ({NULLS[null].format(what)})" if null in NULLS else ""
    if known(coverage):
        level = r.audit.get("level", 1 - r.alpha)
        claim += f", and its {percent(level)} interval holds the true difference in {percent(coverage)}"
    power, true = r.audit.get("power"), r.audit.get("difference")
    if not known(power):
        return claim
    where = f" against a true difference of {number(true, places(r))}" if known(true) else ""
    return f"{claim}; its power{where} is {percent(power)}"


def _wrongly(r: Comparison) -> str:
    """Say what the test does in error."""
    if r.question == "better":
        return "the test raises a false alarm"
    a, b = names(r)
    if r.question == "no-worse":
        return f"the test calls {b} no worse than {a}, though it is worse by just the margin,"
    return f"the test calls {a} and {b} equal, though they differ by just the margin,"


def unmeasured(seconds: float | None) -> str:
    """Say that the error rate was not measured, how long it would take where that is known, and how to have it."""
    how = "add `--audit` (in Python: audit=True)"
    return f"not measured: it would take about {duration(seconds)}; {how}" if seconds else f"not measured; {how}"
