"""A plan in words: how many examples, what they would detect, and how often."""

from __future__ import annotations

from typing import Any

from referee.report import phrases
from referee.report.document import Name, Text
from referee.report.numbers import NBSP, Scale, known, percent, whole
from referee.report.phrases import clean, given, marked, several, unit
from referee.report.phrases.method_names import test_name
from referee.report.phrases.variance import levels, plural
from referee.results.plan import Plan

TIMES = {
    0.8: "4 times in 5",
    0.9: "9 times in 10",
    0.5: "every other time",
    0.75: "3 times in 4",
    0.95: "19 times in 20",
}
"""How often a power is, in the words that people use."""
SOURCES = {
    "pilot": "a pilot",
    "scores": "stated scores and agreement",
    "variances": "stated variances",
    "nothing": "the difference alone",
}


def headline(r: Plan) -> Text:
    """Say what was looked for."""
    how = _often(r.power) if r.solved != "power" else f"in {rate(r.power)} of test sets"
    claim = _claim(r, how)
    if r.solved == "n":
        return (f"Test about {sized(r)}: then ", *claim, f" ({_terms(r)}).")
    return (f"With {sized(r, exact=True)}, ", *claim, f" ({_terms(r)}).")


def _claim(r: Plan, how: str) -> tuple[str, ...]:
    """Say what is shown so and so often."""
    a, b = map(Name, names(r))
    if r.question == "better":
        return (f"a difference of {_difference(r)} in {phrases.metric(r)} is detected {how}",)
    within = f" in {phrases.metric(r)}, within a margin of {margin(r)}"
    if r.question == "no-worse":
        return (f"it is shown {how} that ", b, " is no worse than ", a, within)
    return (f"it is shown {how} that ", a, " and ", b, f" are equal{within}")


def _terms(r: Plan) -> str:
    """Say in brackets what the plan is held to."""
    side = "" if r.question != "better" or r.alternative == "two-sided" else ", one-sided"
    return f"{'' if r.solved == 'power' else f'{percent(r.power)} '}power, alpha {percent(r.alpha)}{side}"


def _often(power: float) -> str:
    return TIMES.get(round(power, 6), f"in {percent(power)} of test sets")


def sized(r: Plan, exact: bool = False) -> str:
    """Say how many examples, in how many groups, each answered how often."""
    write = whole if exact else phrases.about
    if r.levels:
        return f"{' × '.join(levels(one['count'], clean(one['name'])) for one in r.levels)} ({write(r.n)} examples)"
    if r.unit == "group":
        return f"{write(r.units)} groups ({write(r.n)} examples)"
    return f"{write(r.n)} examples{_answered(r.runs)}"


def _answered(runs: float | None) -> str:
    return "" if not known(runs) or runs == 1 else f", each answered {_times(runs)}"


def _times(runs: float) -> str:
    return {1: "once", 2: "twice"}.get(int(runs), f"{runs:.3g} times") if runs == int(runs) else f"{runs:.2g} times"


def names(r: Plan) -> tuple[str, str]:
    """Return what the two systems are called, told apart if they are called the same."""
    a, b = (clean(name) for name in r.names)
    return marked(a or "A", b or "B")


def margin(r: Plan) -> str:
    """Return the largest difference that does not matter."""
    return "unknown" if r.margin is None else phrases.size_of(r.margin, unit(r.metric_info))


def scale(r: Plan) -> Scale:
    """Say how scores and differences are written."""
    seen = [] if r.pilot is None else [r.pilot["difference"]]
    return Scale.fitting(unit(r.metric_info), r.scores or [], [r.difference, *seen], half=abs(r.difference) or None)


def _difference(r: Plan) -> str:
    return scale(r).difference(r.difference, sign=False)


def rate(power: float | None) -> str:
    """Write a power."""
    if not known(power):
        return "unknown"
    return f"over{NBSP}99%" if 0.995 <= power < 1 else percent(round(power, 2 if power >= 0.1 else 3))


def details(r: Plan) -> str:
    """Say how far the pilot would get, and what would change the answer."""
    parts = [_pilot(r), _more(r), _scenario(r), _repeats(r)]
    return " ".join(filter(None, parts))


def _pilot(r: Plan) -> str:
    if r.pilot is None or (r.solved == "power" and r.pilot["n"] == r.n):
        return ""
    verb = "detect that" if r.question == "better" else "show that"
    if r.unit == "group":
        many = f"{several(r.pilot['units'], 'group')} ({several(r.pilot['n'], 'example')})"
    else:
        many = f"{several(r.pilot['n'], 'example')}{_answered(r.pilot['runs'])}"
    return f"A test set as large as the pilot, {many}, would {verb} in {rate(r.pilot['power'])} of cases."


def _more(r: Plan) -> str:
    """Say which is better to have more of: either of two crossed groups, or groups and the rows of each."""
    told = [
        (plural(one["name"]) if one["name"] else "examples of each", one["saved"])
        for one in r.gains
        if known(one["saved"])
    ]
    if len(told) != 2:
        return ""
    (first, one), (second, two) = sorted(told, key=lambda pair: -pair[1])
    shares = [percent(round(share, 2)) for share in (one, two)]
    return f"Twice as many {first} would cut the standard error by {shares[0]}, twice as many {second} by {shares[1]}."


def _scenario(r: Plan) -> str:
    """Say what a usual agreement would change."""
    usual = next((row for row in r.scenarios if row["agreement"] == 0.9), None) or next(iter(r.scenarios), None)
    if usual is None:
        return ""
    agreed = f"If they agree (both right or both wrong) on {percent(usual['agreement'])} of examples"
    return f"This assumes that the systems err independently. {agreed}, {phrases.about(usual['n'])} are enough."


def _repeats(r: Plan) -> str:
    """Say how much more runs would help."""
    if not r.repeats or r.solved != "n":
        return ""
    needs = {row["runs"]: row["n"] for row in r.repeats}
    if needs.get(10, r.n) >= r.n:
        return ""
    least = f"; no number of answers gets below {phrases.about(needs[None])}" if None in needs else ""
    return f"With 10 answers per example, {phrases.about(needs[10])} examples are enough{least}."


def badge(r: Plan) -> str:
    """Return the answer in a few words."""
    if r.solved == "difference":
        return f"{_difference(r)} detectable"
    if r.solved == "power":
        return f"power {rate(r.power)}"
    if r.levels:
        return " × ".join(levels(one["count"], clean(one["name"])) for one in r.levels)
    return f"about {phrases.about(r.units)} {r.unit}s"


def facts(r: Plan) -> list[tuple[str, str]]:
    """Return what lies behind the answer, as pairs of a label and what to say."""
    shown = scale(r)
    assumed = r.scores and f"{names(r)[0]} {shown.score(r.scores[0])}, {names(r)[1]} {shown.score(r.scores[1])}"
    pilot = ""
    if r.pilot is not None:
        within, i = "", r.pilot["interval"]
        if i:
            within = f", {percent(i['level'])} interval {shown.span(i['low'], i['high'])}"
        pilot = f"{several(r.pilot['n'], 'example')}"
        pilot += f" in {several(r.pilot['units'], 'group')}" if r.unit == "group" else ""
        pilot += f"; difference {shown.difference(r.pilot['difference'])}{within}"
    rows = {
        "planned from": "" if r.source == "pilot" else SOURCES[r.source],
        "pilot": pilot,
        "metric": phrases.whole_metric(r),
        "test": test_name(r.test),
        "reason": clean(r.reason, 1000),
        "true scores": assumed or "",
        "agreement": given(r.agreement, f"{percent(r.agreement)} of examples: both right or both wrong"),
        "variance": ""
        if r.variances is None
        else f"{r.variances['between']:.3g} between examples, "
        f"{r.variances['within']:.3g} from run to run (both systems together)",
        "power from": f"{whole(r.sets)} simulated test sets per size"
        if r.sets
        else "Student's t, with the pilot's components of variance"
        if r.levels
        else "the normal law",
    }
    return phrases.filled(rows)


def much_the_same() -> list[str]:
    """Return the facts that are not told unless somebody asks for all."""
    return ["metric", "reason", "power from"]


def where(r: Plan, row: dict[str, Any]) -> str:
    """Say what a size of the curve is to the plan."""
    pilot = r.pilot is not None and row["units"] == r.pilot["units"]
    return "planned" if row["units"] == r.units else "as the pilot" if pilot else ""


def measured(row: dict[str, Any]) -> str:
    """Write a power with its error."""
    error = f" ± {100 * row['error']:.1f}" if known(row["error"]) else ""
    return f"{100 * row['power']:.1f}%{error}"


def runs(row: dict[str, Any]) -> str:
    """Write a number of runs."""
    return "any number" if row["runs"] is None else str(row["runs"])
