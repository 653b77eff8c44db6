"""Advice: which test to prefer on data like these, according to the audit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from referee.registry import parse
from referee.report.numbers import percent
from referee.report.phrases import listed
from referee.report.phrases.method_names import the_test
from referee.results.audit import alarm_verdict
from referee.significance.base import TESTS

WORTH = 0.05
"""How much more power makes it worth to leave the default."""


@dataclass(frozen=True)
class Record:
    """What one test did over the sizes that were asked for."""

    test: str
    keeps: bool
    sure: bool
    """Whether there are test sets enough to say so."""
    worst: float
    """Its highest false-alarm rate."""
    power: float | None
    power_error: float


def advise(rows: Sequence[dict[str, Any]], chosen: str, alpha: float) -> tuple[str | None, str]:
    """Return the test to prefer, and the sentence that says why.

    The one that `compare` takes, if it keeps its false-alarm rate at every size, unless another that promises its rate
    and stays within alpha sees clearly more.

    Args:
        rows: of an audit.
        chosen: the test that `compare` would take.
        alpha: which of the rows are asked.
    """
    mine = [row for row in rows if row["alpha"] == alpha and row["groups"] != "ignored"]
    records = [record(test, mine) for test in dict.fromkeys(row["test"] for row in mine)]
    known = [one for one in records if one is not None]
    if not known:
        return (
            None,
            "No test can be recommended: no false-alarm rate could be measured, since no tie was found near the data.",
        )
    keeping = [one for one in known if one.keeps]
    if not keeping:
        least = min(known, key=lambda one: one.worst)
        return None, (
            f"No test keeps its false-alarm rate within {percent(alpha)} here; the lowest is {percent(least.worst)}, by "
            f"{the_test(least.test)}. Use more examples, or a smaller alpha."
        )
    own = next((one for one in keeping if one.test == chosen), None)
    sound = [one for one in keeping if TESTS[parse(one.test)[0]].calibrated] or keeping
    best = max(sound, key=lambda one: -1.0 if one.power is None else one.power)
    if own is not None and not _clearly_better(best, own, alpha):
        best = own
    sizes = len({row["n"] for row in mine})
    return best.test, _sentence(best, own, known, chosen, alpha, " on average over the sizes" if sizes > 1 else "")


def _clearly_better(best: Record, own: Record, alpha: float) -> bool:
    """Say whether a test sees so much more than the default, with no more false alarms than alpha, that it is worth it."""
    if best.power is None or own.power is None:
        return False
    gap = 2 * (own.power_error**2 + best.power_error**2) ** 0.5
    return best.power - own.power > max(gap, WORTH) and best.worst <= alpha


def record(test: str, rows: Sequence[dict[str, Any]]) -> Record | None:
    """Return what a test did under every null; None where no false alarm could be measured."""
    mine = [row for row in rows if row["test"] == test]
    alarms = [row for row in mine if row["false_alarm"] is not None]
    if not alarms:
        return None
    verdicts = {alarm_verdict(row) for row in alarms}
    powers = [row for row in mine if row["power"] is not None]
    power = sum(row["power"] for row in powers) / len(powers) if powers else None
    error = sum(row["power_error"] ** 2 for row in powers) ** 0.5 / len(powers) if powers else 0.0
    return Record(
        test,
        "too many" not in verdicts,
        "too few sets" not in verdicts,
        max(row["false_alarm"] for row in alarms),
        power,
        error,
    )


def _sentence(best: Record, own: Record | None, known: Sequence[Record], chosen: str, alpha: float, where: str) -> str:
    stays, doubt = ("stays", "within sampling error") if best.sure else ("may stay", "too few test sets to tell")
    rate = percent(best.worst) + ("" if best.worst <= alpha and best.sure else f", {doubt}")
    power = f", and its power is {percent(best.power)}{where}" if best.power is not None else ""
    if best.test == chosen:
        end = "; it is compare's default."
    elif own is not None:
        end = f"; compare's default, {the_test(chosen)}, has {percent(own.power)}."
    else:
        worst = next((f"exceeds it ({percent(one.worst)})" for one in known if one.test == chosen), "was not tried")
        end = f"; compare's default, {the_test(chosen)}, {worst}."
    loose = [the_test(one.test) for one in known if not one.keeps and one.test != chosen]
    distrust = f" Do not trust {listed(loose)} here." if loose else ""
    return f"Prefer {the_test(best.test)}: its false-alarm rate {stays} within {percent(alpha)} ({rate}){power}{end}{distrust}"
