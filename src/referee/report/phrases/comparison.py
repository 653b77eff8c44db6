"""One comparison in words: the verdict's sentence, what is behind it, and how often the test errs."""

from __future__ import annotations

from referee.report.document import Formula, Name, Pairs, Text
from referee.report.numbers import NBSP, Scale, duration, factor, known, p_equation, p_value, percent, whole
from referee.report.phrases import (
    adjustment,
    bracket,
    clean,
    compared,
    filled,
    how_often,
    if_equal,
    margin,
    metric,
    metric_name,
    named,
    names,
    scale,
    sentence,
    several,
    test_name,
    within,
)
from referee.results.comparison import Comparison

NULLS = {
    "nearest tie": "the likeliest in which the systems tie",
    "nearest margin": "the likeliest in which they differ by just the margin",
    "tilt": "the nearest by divergence in which the systems tie",
    "swap": "made by exchanging the systems at random",
}
"""In which worlds the false alarms of a comparison are counted."""
ALWAYS_THE_SAME = ("metric", "p-value", "reason", "correlation", "detectable", "resampling", "audit worlds")
"""Facts that are not told unless somebody asks for all."""


def headline(r: Comparison) -> Text:
    """Say in one line who is better, in what, by how much and how sure."""
    return (*_claim(r), f" ({', '.join(_brief(r))})." if known(r.difference) else ".")


def _claim(r: Comparison) -> tuple[str, ...]:
    """Say who is better, with both scores: those of the system that is named first come first."""
    (a, b), what, shown = names(r), metric(r), scale(r)
    first, second = shown.score(r.a.score), shown.score(r.b.score)
    claim = compared(r.verdict, a, b)
    if r.verdict == "practically equal":
        return (*claim, f": {what} {second} and {first}")
    if r.verdict in ("a better", "b better", "no worse"):
        ours, theirs = (first, second) if r.verdict == "a better" else (second, first)
        beyond = (
            f" by more than the margin of {margin(r)}" if r.question != "better" and r.verdict != "no worse" else ""
        )
        return (*claim, f"{beyond}: {what} {ours} against {theirs}")
    if not known(r.difference):
        return (*claim, f": the {what} of ", Name(b), " and ", Name(a), " cannot be compared on these data")
    if r.question != "better" or r.alternative != "two-sided":
        return (*claim, ": these data do not show that ", Name(b), *_asked(r), f", {what} {second} against {first}")
    if r.difference == 0:
        return (*claim, ": ", Name(b), " and ", Name(a), f" have the same {what}, {second}")
    return (*claim, ": ", Name(b), f" has {what} {second}, ", Name(a), f" {first}")


def _asked(r: Comparison) -> tuple[str, ...]:
    """Say what of B the data would have to show: the end of a sentence."""
    a, within = Name(names(r)[0]), f" within a margin of {margin(r)}"
    if r.question == "better":
        return (f" has a {'higher' if r.alternative == 'greater' else 'lower'} {metric(r)} than ", a)
    return (" is no worse than ", a, within) if r.question == "no-worse" else (" and ", a, " are equal", within)


def _brief(r: Comparison) -> list[str]:
    """Say by how much the system that is named first is ahead, and how sure that is."""
    sign = -1 if r.verdict == "a better" else 1
    held = r.margin_interval if r.question == "better" else None
    parts = [scale(r).difference(None if r.difference is None else sign * r.difference)]
    if r.verdict in ("practically equal", "no worse") and held:
        parts.append(f"{percent(held.level)} interval {scale(r).span(held.low, held.high)}")
    else:
        parts.append(_p_judged(r))
    if r.verdict in ("practically equal", "no worse"):
        parts.append(f"margin {margin(r)}")
    return [*parts, *([] if r.higher_is_better else ["lower is better"])]


def _p_judged(r: Comparison) -> str:
    """Write the p-value that the verdict follows."""
    adjusted = known(r.p_adjusted) and r.question == "better" and r.p_adjusted != r.p_value
    return f"adjusted {p_equation(r.p_adjusted, r.alpha)}" if adjusted else p_equation(r.p_value, r.alpha)


def details(r: Comparison) -> str:
    """Say how sure it is, what luck would do, and what could have been detected."""
    if not known(r.difference):
        return "The warnings say why." if r.warnings else "The difference is unknown."
    parts = [within(r.interval, scale(r)), luck(r)]
    if r.verdict == "too close to call":
        parts.append(detectable(r))
    rejected = r.question == "better" and r.p_value is not None and r.p_value <= r.alpha
    if r.verdict == "practically equal" and rejected:
        parts.append("So there is a difference, but it is too small to matter.")
    return " ".join(filter(None, parts))


def luck(r: Comparison) -> str:
    """Say what the p-value means."""
    p = r.p_value
    if not known(p):
        return "How often chance would give such a difference is unknown (p unknown)."
    shown, how = _p_shown(r), how_often(p, r.alpha)
    if r.question == "no-worse":
        b = names(r)[1]
        return (
            f"If {b} were worse by the margin of {margin(r)}, a difference this favourable would occur {how} ({shown})."
        )
    if r.question == "equal":
        return f"If the two differed by the margin of {margin(r)}, a difference this small would occur {how} ({shown})."
    if r.difference == 0:
        return f"There is no difference to explain ({shown})."
    judged = r.p_adjusted if known(r.p_adjusted) else p
    agrees = (judged <= r.alpha) == (r.verdict != "too close to call")
    return if_equal(p, r, judged <= r.alpha if agrees else None, shown)


def _p_shown(r: Comparison) -> str:
    """Write the p-value, and what it is when adjusted for being one of several."""
    shown, s = p_equation(r.p_value, r.alpha), r.settings
    if not known(r.p_adjusted) or r.question != "better" or r.p_adjusted == r.p_value:
        return shown
    many = (
        f" {whole(s.comparisons)} comparisons ({adjustment(s.adjust or '')})"
        if s and s.comparisons
        else " multiple comparisons"
    )
    return f"{shown}; adjusted for{many}, {p_equation(r.p_adjusted, r.alpha)}"


def detectable(r: Comparison) -> str:
    """Say how small a difference could have been detected."""
    if not known(r.detectable):
        return ""
    least = scale(r).difference(r.detectable, sign=False)
    return f"At this size a true difference of {least} would be detected 4 times in 5 (80% power)."


def size(r: Comparison) -> str:
    """Say how many examples there are, in how many groups."""
    examples = several(r.n, "example")
    return examples if r.units == r.n else f"{examples} in {several(r.units, 'group')}"


def paper(r: Comparison) -> Text:
    """Say who is better, with the numbers, ready for a paper."""
    numbers = [mention for mention in _mentions(r) if mention]
    commas = [part for mention in numbers for part in (", ", *mention)][1:]
    rate = audit(r)
    return (*_claim(r), " (", *commas, f"; {size(r)}).", f" {sentence(rate)}" if rate else "")


def _mentions(r: Comparison) -> list[tuple[str, ...]]:
    """Return what a paper's sentence has in brackets."""
    shown, i, (a, b) = scale(r), r.interval, names(r)
    return [
        (f"difference {b} minus {a} ", Formula(shown.plain(r.difference, sign=True)), shown.points)
        if known(r.difference)
        else (),
        (f"{percent(i.level)} confidence interval ", Formula(bracket(i, shown))) if i else (),
        (f"margin {margin(r)}",) if known(r.margin) else (),
        (Formula(p_equation(r.p_value, r.alpha)),),
        (test(r),),
    ]


def test(r: Comparison) -> str:
    """Name the test."""
    return test_name(r.test, r.test_info, r.mid_p)


def verdict(r: Comparison) -> str:
    """Return the verdict with the systems' own names."""
    return named(r.verdict, *names(r))


def p_kind(r: Comparison) -> str:
    """Say what kind of p-value it is: a mid-p is exact, and not what is called the exact test."""
    return "mid-p" if r.mid_p else clean(r.p_method)


def facts(r: Comparison) -> list[tuple[str, str]]:
    """Return what lies behind the scores, as pairs of a label and what to say; what is not there has no row."""
    alone, shown = r.question == "better", scale(r)
    least = shown.difference(r.detectable, sign=False)
    rows = {
        "task": "" if r.task is None else clean(r.task),
        "metric": f"{metric_name(r.metric, r.metric_info)} ({'higher' if r.higher_is_better else 'lower'} is better)",
        "test": test(r),
        "reason": clean(r.reason, 1000),
        "alternative": _alternative(r),
        "p-value": _p_obtained(r),
        "adjusted p": f"{p_value(r.p_adjusted, r.alpha)}, for multiple comparisons"
        if known(r.p_adjusted) and alone
        else "",
        "margin": f"differences below {margin(r)} do not matter (two one-sided tests at alpha {r.alpha:g})"
        if known(r.margin) and alone
        else "",
        "data": _data(r),
        "matched": _matched(r),
        "disagreement": _discordant(r),
        "correlation": _correlation(r),
        "detectable": f"{least} is the minimum detectable effect at this size (80% power)"
        if known(r.detectable)
        else "",
        "resampling": f"{names(r)[1]} was ahead in {percent(r.probability_b_better)} of the resampled test sets"
        if known(r.probability_b_better)
        else "",
        "undefined": f"in {percent(r.undefined)} of the draws the metric was 0/0" if r.undefined > 0 else "",
        "audit": audit(r) or (unmeasured(r.audit_seconds) if known(r.audit_seconds) else ""),
        "audit worlds": NULLS.get((r.audit or {}).get("null", ""), ""),
    }
    return filled(rows)


def brief_facts(r: Comparison) -> Pairs:
    """Return the facts but for those that are much the same every time."""
    two_sided = r.question == "better" and r.alternative == "two-sided"
    left_out = (*ALWAYS_THE_SAME, *(["alternative"] if two_sided else []))
    return [(label, text) for label, text in facts(r) if label not in left_out]


def measured_facts(r: Comparison) -> Pairs:
    """Return the facts but for a rate of errors that was not measured."""
    return [(label, text) for label, text in facts(r) if label != "audit" or audit(r)]


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
    clustered = "" if r.units == r.n else " (clustered)"
    if not known(r.design_effect) or (r.units == r.n and r.design_effect == 1):
        return f"{size(r)}{clustered}"
    return f"{size(r)}{clustered}; design effect {factor(r.design_effect)}"


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
    claim = "treating the systems as independent would"
    if round(inflation, 1) == 1:
        return f"{claim} not have changed the standard error"
    if inflation > 1:
        return f"{claim} have made the standard error {factor(inflation)} times too large"
    return f"{claim} have made the standard error too small ({percent(inflation)} of what it is)"


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
        return "the test raises a false alarm"
    a, b = names(r)
    if r.question == "no-worse":
        return f"the test calls {b} no worse than {a}, though it is worse by just the margin,"
    return f"the test calls {a} and {b} equal, though they differ by just the margin,"


def unmeasured(seconds: float | None) -> str:
    """Say that the error rate was not measured, how long it would take where that is known, and how to have it."""
    how = "add `--audit` (in Python: audit=True)"
    return f"not measured: it would take about {duration(seconds)}; {how}" if seconds else f"not measured; {how}"
