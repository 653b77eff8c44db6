"""What is said of several comparisons at once: a sentence, a row a task, and the warnings merged."""

from __future__ import annotations

from collections.abc import Sequence

from referee.report import phrases
from referee.report import rows as facts
from referee.report.numbers import UNKNOWN, known, number, p_value, percent, whole
from referee.results.comparison import Comparison, Comparisons

HEAD = ("task", "A", "B", "difference", "interval", "p", "adjusted p", "verdict")
ADJUSTMENTS = {
    "holm": "Holm",
    "hochberg": "Hochberg",
    "bh": "Benjamini-Hochberg",
    "max-t": "max-T",
    "none": "not adjusted",
}
UNADJUSTED = "The p-values are not adjusted for being several: each task answers for itself."


def tasks(rs: Comparisons) -> list[str]:
    """Return what each task is called."""
    return [phrases.clean(r.task if r.task is not None else r.metric) for r in rs]


def telling(rs: Comparisons, most: int) -> list[int]:
    """Return the places of the tasks to show where not all can be: verdicts first, then small p, in their own order."""

    def rank(place: int) -> tuple[bool, float]:
        p = rs[place].p_adjusted if rs[place].p_adjusted is not None else rs[place].p_value
        return rs[place].verdict == "too close to call", 2.0 if p is None else p

    return sorted(sorted(range(len(rs)), key=rank)[:most])


def sentence(rs: Comparisons) -> str:
    """Say in how many tasks who is better, and that p-values are adjusted."""
    if not len(rs):
        return "There is nothing to compare."
    said = counted(rs)
    if len(rs) == 1:
        return said
    return f"{said} {UNADJUSTED if rs.adjust == 'none' else f'The p-values are adjusted for being several ({adjustment(rs)}).'}"


def counted(rs: Comparisons) -> str:
    """Say in how many tasks who is better."""
    times: dict[str, int] = {}
    for r in rs:
        times[_claim(r)] = times.get(_claim(r), 0) + 1
    claims = [f"{claim} in {whole(count)}" for claim, count in times.items()]
    return f"Of {whole(len(rs))} task{'' if len(rs) == 1 else 's'}: {'; '.join(claims)}."


def _claim(r: Comparison) -> str:
    a, b = phrases.names(r)
    claims = {
        "a better": f"{a} is better than {b}",
        "b better": f"{b} is better than {a}",
        "no worse": f"{b} is no worse than {a}",
        "practically equal": f"{a} and {b} are practically equal",
    }
    return claims.get(r.verdict, f"{a} and {b} are too close to call")


def adjustment(rs: Comparisons) -> str:
    """Return how the p-values are adjusted."""
    return ADJUSTMENTS.get(rs.adjust, phrases.clean(rs.adjust))


def direction(rs: Comparisons) -> str:
    """Say for which tasks lower is better, where there is one."""
    lower = list(dict.fromkeys(task for task, r in zip(tasks(rs), rs, strict=True) if not r.higher_is_better))
    return f"Lower is better in: {', '.join(lower)}." if lower else ""


def legend(rs: Comparisons) -> str:
    """Say who A and B are, what the difference is, and of which level the intervals are."""
    pairs = list(dict.fromkeys(phrases.names(r) for r in rs))
    who = f"A is {pairs[0][0]}, B is {pairs[0][1]}; the" if len(pairs) == 1 else "The"
    levels = dict.fromkeys(percent(r.interval.level) for r in rs if r.interval)
    said = f"{who} difference is B minus A"
    return f"{said}, its interval at {' or '.join(levels)}." if levels else f"{said}."


def rows(rs: Comparisons) -> list[tuple[str, ...]]:
    """Return a row a task, in the order of HEAD."""
    return [_row(task, r) for task, r in zip(tasks(rs), rs, strict=True)]


def _row(task: str, r: Comparison) -> tuple[str, ...]:
    digits = phrases.places(r)
    return (
        task,
        number(r.a.score, digits),
        number(r.b.score, digits),
        number(r.difference, digits),
        phrases.bracket(r.interval, digits),
        p_value(r.p_value, r.alpha),
        p_value(r.p_adjusted, r.alpha) if r.p_adjusted is not None else UNKNOWN,
        phrases.verdict(r),
    )


def warnings(rs: Comparisons) -> list[str]:
    """Return each warning once, with the tasks that it is about."""
    found: dict[str, list[str]] = {}
    for task, r in zip(tasks(rs), rs, strict=True):
        for warning in phrases.warnings(r):
            found.setdefault(warning, []).append(task)
    return [text if len(about) == len(rs) else f"{', '.join(about)}: {text}" for text, about in found.items()]


def signatures(rs: Comparisons) -> list[str]:
    """Return a signature for each task."""
    return [f"{task}: {phrases.signature(r)}" for task, r in zip(tasks(rs), rs, strict=True)]


def audits(rs: Comparisons) -> list[str]:
    """Say how often the tests err on data like these: the least and the most of all tasks; or that it was not measured."""
    told = [(task, r) for task, r in zip(tasks(rs), rs, strict=True) if facts.audit(r)]
    if len(told) > 1:
        return [f"On data like these {audited([r for _, r in told])}{_highest(told, len(rs))}."]
    seconds = sum(r.audit_seconds or 0.0 for r in rs)
    if not told and seconds:
        return [f"How often the tests err on data like these: {facts.unmeasured(seconds)}."]
    return [f"{task}: {facts.audit(r)}." for task, r in told]


def audited(rs: Sequence[Comparison]) -> str:
    """Say how often the tests of several comparisons err on test sets like theirs."""
    lines = [r.audit or {} for r in rs]
    said = f"the false-alarm rate at alpha {rs[0].alpha:g} is {_span([line['false_alarm'] for line in lines])}"
    held = [line["coverage"] for line in lines if known(line.get("coverage"))]
    level = lines[0].get("level", 1 - rs[0].alpha)
    return (
        f"{said}, and the {percent(level)} intervals hold the true difference in {_span(held)} of test sets"
        if held
        else said
    )


def _span(shares: Sequence[float]) -> str:
    least, most = percent(min(shares)), percent(max(shares))
    return least if least == most else f"{least} to {most}"


def _highest(told: Sequence[tuple[str, Comparison]], size: int) -> str:
    """Say of which task the test errs most often, and of how many it is known."""
    task = max(told, key=lambda one: (one[1].audit or {})["false_alarm"])[0]
    of = f"measured in {whole(len(told))} of {whole(size)} tasks, " if len(told) < size else ""
    return f" ({of}most false alarms in {task})"
