"""A watch in words: whether to stop, since when, how much evidence there is, and how many more examples it may take."""

from __future__ import annotations

import math

from referee.report import phrases
from referee.report.document import Text
from referee.report.numbers import known, p_equation, p_value, percent, whole
from referee.report.phrases import clean, given, margin, metric, names, scale, several
from referee.report.phrases import comparison as words
from referee.report.phrases.verdicts import compared, named
from referee.results.comparison import Comparison, Interval
from referee.results.watch import Watch

MUCH_THE_SAME = ("metric", "test", "reason", "p-value", "looked")
CHANGED = "the data can't tell which is better now: find out what has changed, and begin a new watch from there"
LARGEST = 1e6
"""Odds beyond this are told as that."""


def headline(r: Watch) -> Text:
    """Say in one line whether to stop."""
    if r.decision == "stop" and r.drift:
        now = ", ".join(filter(None, ["now", by_how_much(r)])).replace("now, ", "now ")
        found = (*compared(r.verdict, *names(r.comparison)), f" on the evidence at {when(r).removeprefix('by ')}")
        return ("Stop: ", *found, f", but what the examples say has changed since ({now}).")
    if r.decision == "stop":
        told = ", ".join(filter(None, [by_how_much(r), "" if r.higher_is_better else "lower is better"]))
        return ("Stop: ", *compared(r.verdict, *names(r.comparison)), f" ({when(r)}; {told}).")
    if r.verdict == "no worse":
        found = compared(r.verdict, *names(r.comparison))
        return (
            "Keep going: ",
            *found,
            f" (margin {margin(r.comparison)}), and may be better ({several(r.n, 'example')}); {ahead(r)}.",
        )
    open_ = f"too close to call after {several(r.n, 'example')}"
    if r.question != "better" or r.alternative != "two-sided":
        open_ = f"not shown yet after {several(r.n, 'example')}"
    return f"Keep going: {open_}; {ahead(r)}."


def ahead(r: Watch) -> str:
    """Say how many more examples it may take."""
    if r.more is None:
        return "no end in sight"
    return f"about {phrases.about(r.more)} more at this difference"


def what_next(r: Watch) -> str:
    """Say what to do while the data cannot tell."""
    if r.decision == "stop":
        return ""
    if r.more is None:
        return "Ask whether so small a difference matters: to show it may take more than 20 times as many examples."
    return "Add examples as they come in and run the same again; look as often as you like."


def when(r: Watch) -> str:
    """Say at which example there was enough evidence."""
    stopped = r.stopped_at
    if stopped is None:
        return ""
    if stopped.after == stopped.n - 1:
        return f"example {whole(stopped.n)}"
    return f"after {several(stopped.n, 'example')}" if r.only_looks else f"by example {whole(stopped.n)}"


def by_how_much(r: Watch) -> str:
    """Say what the difference is, with the interval that the verdict is read off."""
    c, shown = r.comparison, scale(r.so_far)
    held = r.margin_interval if r.question == "better" and r.verdict == "practically equal" else r.interval
    parts = [shown.difference(c.difference) if known(c.difference) else ""]
    if held is not None:
        parts.append(f"{percent(held.level)} confidence sequence {shown.span(held.low, held.high)}")
    if r.margin is not None and r.verdict in ("practically equal", "no worse"):
        parts.append(f"margin {margin(c)}")
    return ", ".join(filter(None, parts))


def details(r: Watch, advice: bool = True) -> str:
    """Say what the decision rests on, and what may be done with it if advice is asked for."""
    c = r.comparison
    if not known(c.difference):
        return "The scores cannot be compared on these data yet."
    parts = [scores(c), evidence(r)]
    if r.decision == "stop" and r.drift:
        parts.append(
            f"There was enough evidence at {when(r).removeprefix('by ')}, but later examples say something else, so {CHANGED}."
        )
    elif r.decision == "stop":
        late = "" if r.stopped_at is None or r.stopped_at.n == r.n else " What came later does not change that."
        parts.append(f"The false-alarm rate is at most {percent(r.alpha)} however often you looked.{late}")
    elif advice:
        parts.append(what_next(r))
    return " ".join(filter(None, parts))


def scores(c: Comparison) -> str:
    """Say what both score now."""
    (a, b), shown = names(c), scale(c)
    return f"After {several(c.n, 'example')} {b} has {metric(c)} {shown.score(c.b.score)}, {a} {shown.score(c.a.score)} ({shown.difference(c.difference)})."


def evidence(r: Watch) -> str:
    """Say what the p-value is, of all looks together."""
    return f"Over all looks {p_equation(r.p_value, r.alpha)}." if r.p_value < 1 else ""


def odds(log: float, brief: bool = False) -> str:
    """Write evidence as what a bet of 1 has grown to; briefly, for a table that has to fit.

    >>> odds(0.0), odds(3.2), odds(40.0), odds(-2.0), odds(40.0, brief=True)
    ('1', '25', 'over 1,000,000', '0.14', 'over 1M')
    """
    if log > math.log(LARGEST):
        return "over 1M" if brief else f"over {whole(round(LARGEST))}"
    value = math.exp(log)
    return whole(round(value)) if value >= 10 else f"{value:.2g}"


def badge(r: Watch) -> str:
    """Return the decision in a few words."""
    if r.drift and r.decision == "stop":
        return "stop: the examples have changed"
    return f"stop: {named(r.verdict, *names(r.comparison))}" if r.decision == "stop" else "keep going"


def favours(r: Watch) -> tuple[str, str]:
    """Say what the evidence for B, and that for A, is evidence of."""
    a, b = names(r.comparison)
    if r.question == "no-worse":
        return f"{b} is no worse", f"{b} is worse"
    if r.question == "equal":
        return "they are equal within the margin", "they are not"
    return f"{b} is better", f"{a} is better"


def facts(r: Watch) -> list[tuple[str, str]]:
    """Return what lies behind the decision, as pairs of a label and what to say."""
    c = r.comparison
    last = r.looks[-1] if r.looks else None
    of_b, of_a = favours(r)
    stop = max((one for one in r.log_stop if one is not None), default=None)
    bets = ""
    if last is not None:
        bets = f"{odds(last.log_evidence_b)} to 1 that {of_b}, {odds(last.log_evidence_a)} to 1 that {of_a}"
        bets += "" if stop is None else f"; {odds(stop)} to 1 is enough"
    irrelevant = f"differences below {margin(c)} do not matter"
    rows = {
        "metric": f"{phrases.whole_metric(c)} ({'higher' if r.higher_is_better else 'lower'} is better)",
        "test": words.test(c),
        "reason": r.only_looks,
        "p-value": f"{p_value(r.p_value, r.alpha)} over all looks ({clean(r.p_method)})",
        "question": question(r),
        "evidence now": bets,
        "margin": given(r.margin, irrelevant) if r.question == "better" else "",
        "data": words.size(c),
        "waiting": f"{several(r.waiting, 'example')} of the last group, until another one begins" if r.waiting else "",
        "stopped": "" if r.stopped_at is None else f"{when(r)}, at look {whole(r.stopped_at.look)}",
        "looked": several(r.looked, "time"),
        "state": "" if r.kept else "not kept: this look stands alone, and the next one begins anew",
    }
    return phrases.filled(rows)


def question(r: Watch) -> str:
    """Say what is asked, if not which of the two is better."""
    a, b = names(r.comparison)
    if r.question == "no-worse":
        return f"is {b} less than {margin(r.comparison)} worse than {a}?"
    if r.question == "equal":
        return f"do they differ by less than {margin(r.comparison)}?"
    if r.alternative == "two-sided":
        return ""
    return f"does {b} have a {'higher' if r.alternative == 'greater' else 'lower'} {metric(r.comparison)} than {a}?"


def span(r: Watch, low: float | None, high: float | None) -> str:
    """Write the interval of a look."""
    if low is None or high is None:
        return ""
    return phrases.bracket(Interval(low=low, high=high, level=0.0, method=""), scale(r.so_far))
