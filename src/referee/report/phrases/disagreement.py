"""Disagreement in words: who answered what, on how many examples the systems disagree, and how alike they are."""

from __future__ import annotations

from referee.report.numbers import coefficient, factor, known, percent, whole
from referee.report.phrases import names, several
from referee.results.comparison import Comparison


def matched(r: Comparison) -> str:
    """Say how many examples had to be left out because one system lacks them."""
    m, (a, b) = r.matched, names(r)
    if not r.paired or not (m.a_only or m.b_only or m.dropped):
        return ""
    parts = [f"{whole(m.both)} examples in both", f"{whole(m.a_only)} only in {a}", f"{whole(m.b_only)} only in {b}"]
    return ", ".join(parts) + f"; {whole(m.dropped)} dropped"


def samples(r: Comparison) -> str:
    """Say how many examples each system answered, where they are not the same."""
    m, (a, b) = r.matched, names(r)
    if r.paired:
        return ""
    dropped = f"; {whole(m.dropped)} dropped" if m.dropped else ""
    return f"not paired: {a} answered {several(m.a_only, 'example')}, {b} {whole(m.b_only)} others{dropped}"


def discordant(r: Comparison) -> str:
    """Say on how many examples each system alone is right, or does better."""
    if r.discordant is None or r.preferences is not None:
        return ""
    (a, b), (first, second) = names(r), r.discordant
    labels = r.metric_info is not None and r.metric_info.of_labels
    only, does = ("only ", "is right") if labels else ("", "does better")
    seen = "" if r.judge is None else f" (of the {whole(r.judge.labelled)} that people labelled)"
    return f"{only}{a} {does} on {several(first, 'example')}, {only}{b} on {whole(second)}{seen}"


def correlation(r: Comparison) -> str:
    """Say how alike the systems are, and what forgetting that they saw the same examples would have cost."""
    alike = f"{coefficient(r.correlation)} between the systems" if known(r.correlation) else ""
    times, cost = r.inflation, ""
    if known(times):
        large = f"{factor(times)} times too large" if times > 1 else f"too small ({percent(times)} of what it is)"
        changed = (
            "not have changed the standard error" if round(times, 1) == 1 else f"have made the standard error {large}"
        )
        cost = f"treating the systems as independent would {changed}"
    return "; ".join(filter(None, [alike, cost]))
