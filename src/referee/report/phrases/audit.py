"""An audit in words: how often the default test of compare raises a false alarm, and its power."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from referee.report.numbers import MINUS, NBSP, UNKNOWN, Scale, known, percent, whole
from referee.report.phrases import LONG, clean, filled, full, marked, sentence, unit, whole_metric
from referee.report.phrases.method_names import test_name, the_test
from referee.results.audit import AlarmVerdict, Audit, alarm_verdict

Row = dict[str, Any]
NULLS = {
    "tilt": "the nearest world in which {a} and {b} tie",
    "swap": "a world in which {a} and {b} are exchangeable",
    "observed": "the categories in which {a} and {b} tie",
}
VERDICTS = {
    "keeps": "at most a tenth above alpha, within sampling error",
    "too many": "more than a tenth above alpha, beyond sampling error",
    "cautious": "less than half of alpha, beyond sampling error",
    "too few sets": "the sampling error is more than a quarter of alpha, so it can't be told",
}
HEADLINES = {
    "keeps": "is honest on data like yours: false alarms in",
    "cautious": "is cautious on data like yours: false alarms in only",
    "too many": "raises too many false alarms on data like yours: in",
}
BADGES = {
    "keeps": "false alarms within alpha",
    "cautious": "cautious",
    "too many": "too many false alarms",
    "too few sets": "can't tell",
    "unknown": "unknown",
}


def headline(r: Audit) -> str:
    """Say in a line whether the test that compare takes keeps its false alarms, at all sizes."""
    row, worst = r.row(alpha=r.alpha), verdict(r)
    if worst == "unknown":
        return f"{_alarms(r, _ends(r), 'On data like yours')}."
    rates = sorted({rate(one["false_alarm"], places(r)) for one in _own(r) if known(one["false_alarm"])}, key=float)
    subject = "the default test" if row["test"] == r.chosen else the_test(row["test"])
    within = f"{rates[0]}–{rates[-1]}%" if len(rates) > 1 else f"{rates[0]}%"
    if worst == "too few sets":
        return f"Too few test sets ({whole(row['sets'])}) to call {subject} honest: false alarms in {within}."
    return f"{subject[:1].upper()}{subject[1:]} {HEADLINES[worst]} {within}."


def verdict(r: Audit) -> AlarmVerdict:
    """Return the worst verdict on the test that compare takes, over the sizes."""
    found = {alarm_verdict(row) for row in _own(r)}
    order: tuple[AlarmVerdict, ...] = ("too many", "unknown", "too few sets", "keeps", "cautious")
    return next(one for one in order if one in found)


def what_next(r: Audit) -> str:
    """Say how to have test sets enough, where there are too few."""
    return "Draw more test sets: --sets 1000 (in Python: sets=1000)." if verdict(r) == "too few sets" else ""


def _own(r: Audit) -> list[Row]:
    """Return the rows of the test that compare takes, at the alpha that the advice is for."""
    first = r.row(alpha=r.alpha)
    same = ("test", "groups", "alpha", "null")
    return [row for row in r.rows if all(row[key] == first[key] for key in same)]


def _short(row: Row, r: Audit) -> str:
    name = test_name(row["test"]).replace(" (", ", ").replace(")", "")
    return f"{name}, {_at(row, r)}"


def _at(row: Row, r: Audit) -> str:
    return ", ".join(filter(None, [f"alpha {percent(row['alpha'])}", looking(r)]))


def details(r: Audit, advice: bool = True) -> list[str]:
    """Say more than the headline: at the first and the last size, with errors, how often a difference is detected, and what to do."""
    ends = _ends(r)
    alarms = [] if verdict(r) == "unknown" else [sentence(_measured(r, ends, test=f" ({_short(ends[0], r)})"))]
    return [*alarms, f"{_power(r, ends)}.", *filter(None, [what_next(r) if advice else ""])]


def sentences(r: Audit, where: str = "On data like yours") -> list[str]:
    """Say how often the test that compare takes raises a false alarm, and how often it detects a difference."""
    ends = _ends(r)
    return [f"{_alarms(r, ends, where)}.", f"{_power(r, ends)}."]


def _ends(r: Audit) -> list[Row]:
    """Return the rows of the chosen test at the first and the last size, at the alpha that the advice is for."""
    first = r.row(alpha=r.alpha)
    sizes = [row["n"] for row in r.rows if row["test"] == first["test"] and row["alpha"] == first["alpha"]]
    return [first] if len(set(sizes)) == 1 else [first, r.row(n=sizes[-1], alpha=first["alpha"])]


def differ(rows: Sequence[Row]) -> bool:
    """Say whether there is a difference to see."""
    return any(known(row["power"]) for row in rows)


def _alarms(r: Audit, ends: Sequence[Row], where: str) -> str:
    row = ends[0]
    test = f"({_short(row, r)})"
    if not any(known(row["false_alarm"]) for row in ends):
        return f"{where}, no false alarm could be measured {test}" + ("; the warnings say why" if r.warnings else "")
    return _measured(r, ends, where, f" {test}")


def _measured(r: Audit, ends: Sequence[Row], where: str = "", test: str = "") -> str:
    """Say how often a false alarm occurred at each of these sizes."""
    if r.categories > 1:
        tied = ends[0]["categories"]["null"]
        where = f"Over {whole(tied)}{f' of {whole(r.categories)}' if tied < r.categories else ''} categories"
    return f"{where}{', ' if where else ''}a false alarm occurs in {_sized(r, ends)} examples{test}{_varying(r, ends)}"


def _sized(r: Audit, ends: Sequence[Row]) -> str:
    rates = [f"{rate(row['false_alarm'], places(r), '%')}{_error(row['false_alarm_error'], r)}" for row in ends]
    return " and ".join(f"{one} of test sets of {whole(row['n'])}" for one, row in zip(rates, ends, strict=True))


def _varying(r: Audit, ends: Sequence[Row]) -> str:
    spreads = [f"±{rate(row['spread'], places(r))}" for row in ends if known(row["spread"])]
    return f"; from category to category it varies by {' and '.join(spreads)} points" if spreads else ""


def looking(r: Audit) -> str:
    """Say how often the tests look, where that is more than once."""
    return f"looking after each of {whole(r.peeks)} batches" if r.peeks > 1 else ""


def _error(error: float | None, r: Audit) -> str:
    return f"{NBSP}±{NBSP}{rate(error, places(r), '%')}" if known(error) else ""


def _power(r: Audit, ends: Sequence[Row]) -> str:
    if not differ(ends):
        a, b = names(r)
        where = " in every category" if r.categories > 1 else ""
        return f"There is no difference for it to detect: {a} and {b} tie{where}"
    power = f"{_rough(ends[0]['power'])} of the time{' at some look' if r.peeks > 1 else ''}"
    if len(ends) > 1:
        first, last = (f"at n{NBSP}={NBSP}{whole(row['n'])}" for row in ends)
        power += f" {first} and {_rough(ends[1]['power'])} {last}"
    if r.categories > 1:
        count = ends[0]["categories"]["different"]
        categories = f"{whole(count)} categor{'y' if count == 1 else 'ies'}"
        return f"In the {categories} in which the two differ, it detects that {power} (power)"
    scale = Scale.fitting(unit(r.metric_info), [], [r.difference], half=abs(r.difference or 0.0))
    size = "" if r.difference is None else f" ({scale.difference(r.difference, sign=False)})"
    return f"It detects a true difference of this size{size} {power} (power)"


def advice(r: Audit) -> str:
    """Return which test to prefer, and why."""
    return full(r.advice)


def heading(r: Audit) -> str:
    """Say what the table is of, with what is the same in all its rows."""
    same = [f"n{NBSP}={NBSP}{whole(n)}" for n in only(r, "n")]
    same += [f"alpha {percent(alpha)}" for alpha in only(r, "alpha")]
    at = f" at {' and '.join(same)}" if same else ""
    looks = f", {looking(r)}" if r.peeks > 1 else ""
    return f"Tests of {whole_metric(r)}{at}{looks}, in % ± Monte Carlo error"


def label(row: Row) -> str:
    """Return the name of a row's test, with what it made of groups."""
    return clean(test_name(row["test"])) + (", groups ignored" if row["groups"] == "ignored" else "")


def trial_name(design: str, test: str) -> str:
    """Name a test of learning algorithms, with its design if the name does not say it."""
    return test_name(test) if test.startswith(design) else clean(f"{test_name(test)} on {design}", LONG)


def facts(r: Audit) -> list[tuple[str, str]]:
    """Return what lies behind the table, as pairs of a label and what to say."""
    a, b = names(r)
    nulls = list(dict.fromkeys(row["null"] for row in r.rows))
    worlds = {null: world(null, a, b) for null in nulls}
    drawn_from = "; ".join(
        worlds.values() if len(nulls) == 1 else (f"{null}: {where}" for null, where in worlds.items())
    )
    row, several = r.rows[0], r.categories > 1
    each = " for each category" if several else ""
    drawn = f"{whole(row['sets'])}{each}, drawn from {clean(r.population) or 'the data'}"
    size = "" if r.n is None else f" ({'up to ' if several else ''}{whole(r.n)} examples)"
    covers = any(known(row["coverage"]) for row in r.rows)
    ever, always = (" at any look", " at every look") if r.peeks > 1 else ("", "")
    batches = f"; each arrives in {whole(r.peeks)} batches, and the tests look after each" if r.peeks > 1 else ""
    rows = {
        "false alarms": f"rejections{ever} in {drawn_from}",
        "spread": "the standard deviation of false alarms from category to category" if several else "",
        "power": f"rejections{ever} if {a} and {b} differ as they do" if differ(r.rows) else "",
        "coverage": f"intervals (of level 1 {MINUS} alpha) that contain the true difference{always}" if covers else "",
        "test sets": f"{drawn}{size}{batches}",
        **verdicts(r.rows),
    }
    return filled(rows)


def verdicts(rows: Sequence[Row]) -> dict[str, str]:
    """Say what the words of the verdicts mean that there are."""
    there = {alarm_verdict(row) for row in rows}
    return {name: text for name, text in VERDICTS.items() if name in there}


def world(null: str, a: str, b: str) -> str:
    """Say in which world false alarms are counted.

    >>> world("tilt", "old", "new")
    'the nearest world in which old and new tie'
    """
    return NULLS[null].format(a=a, b=b) if null in NULLS else clean(null)


def names(r: Audit) -> tuple[str, str]:
    """Return what the two systems are called, told apart where they are called the same."""
    a, b = (clean(name) for name in r.names)
    return marked(a or "A", b or "B")


def only(r: Audit, column: str) -> list[Any]:
    """Return the one value of a column, nothing where there are several."""
    found = list(dict.fromkeys(row[column] for row in r.rows))
    return found if len(found) == 1 else []


def places(r: Audit) -> int:
    """Return how many decimals percentages have: one, or two where errors or an alpha are smaller than one shows."""
    errors = [row["false_alarm_error"] for row in r.rows if known(row["false_alarm_error"])]
    return 1 if min([*errors, *(10 * row["alpha"] for row in r.rows)]) >= 0.0005 else 2


def rate(share: float | None, places: int, unit: str = "") -> str:
    """Write a share in percent."""
    return f"{100 * share:.{places}f}{unit}" if known(share) else UNKNOWN


def _rough(share: float | None) -> str:
    """Write a share with two digits, never as all where some were missed."""
    if not known(share):
        return UNKNOWN
    return "over 99%" if 0.995 <= share < 1 else rate(share, 0 if share >= 0.0995 else 1, "%")


def measured(row: Row, what: str, r: Audit) -> str:
    """Write a rate with its error."""
    value, error = rate(row[what], places(r)), row[f"{what}_error"]
    return f"{value} ± {rate(error, places(r))}" if known(row[what]) and known(error) else value
