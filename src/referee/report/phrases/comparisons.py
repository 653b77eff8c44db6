"""Several comparisons in words: which system is better in how many tasks, and what is common to all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from referee.report import phrases
from referee.report.document import Text
from referee.report.numbers import MINUS, Scale, known, percent, whole
from referee.report.phrases import clean, metric_name, names, several, span
from referee.report.phrases import comparison as one
from referee.report.phrases.comparison import compared
from referee.results.comparison import Comparison, Comparisons
from referee.results.overall import Overall

UNADJUSTED = "The p-values are not adjusted for multiple comparisons: each answers for itself."

OPEN = ("too close to call",)
UNDECIDED = compared("", "", "")


def tasks(rs: Comparisons) -> list[str]:
    """Return what each comparison is called: its slice or task, its metric, or both."""
    many = len({r.metric for r in rs}) > 1
    return [_task(r, many) for r in rs]


def _task(r: Comparison, many: bool) -> str:
    slice_ = r.settings.slice if r.settings else None
    if slice_ is not None:
        return f"{clean(slice_)} {metric_name(r.metric, r.metric_info)}" if many else clean(slice_)
    return metric_name(r.metric, r.metric_info) if r.task in (None, r.metric) else clean(r.task)


def noun(rs: Comparisons) -> str:
    """Say what the comparisons are of: metrics, slices and tasks are three things."""
    settings = [r.settings for r in rs if r.settings and r.settings.slice is not None]
    if len({r.metric for r in rs}) > 1:
        return "comparison" if settings else "metric"
    return part(rs)


def telling(rs: Comparisons, most: int) -> list[int]:
    """Return the places of the tasks to show where not all can be: verdicts first, then small p, in their own order."""

    def rank(place: int) -> tuple[bool, float]:
        p = rs[place].p_adjusted if rs[place].p_adjusted is not None else rs[place].p_value
        return rs[place].verdict == "too close to call", 2.0 if p is None else p

    return sorted(sorted(range(len(rs)), key=rank)[:most])


def adjusted(rs: Comparisons) -> str:
    """Say how the p-values are adjusted."""
    if len(rs) < 2:
        return ""
    method = f"The p-values are adjusted for {several(len(rs), 'comparison')} ({phrases.adjustment(rs.adjust)})."
    return UNADJUSTED if rs.adjust == "none" else method


def headline(rs: Comparisons) -> Text:
    """Say in how many tasks who is better."""
    if not len(rs):
        return "There is nothing to compare."
    decided = sorted(rs, key=lambda r: r.verdict == "too close to call")
    (first, most), *others = Counter(compared(r.verdict, *names(r)) for r in decided).items()
    every = several(len(rs), noun(rs))
    of_all = {1: every, 2: f"both {noun(rs)}s"}.get(most, f"all {every}")
    where = f" in {f'{whole(most)} of {every}' if others else of_all}"
    rest = [("; ", *(OPEN if claim == UNDECIDED else claim), f" in {whole(count)}") for claim, count in others]
    return (*first, where, *(part for claim in rest for part in claim), ".")


def overall_name(r: Overall, many: bool) -> str:
    """Say which answer over all tasks it is."""
    return f"{metric_name(r.metric, r.metric_info)} {r.kind}" if many else r.kind


def part(rs: Comparisons) -> str:
    """Say what an answer over all is over: slices or tasks, whatever else differs."""
    settings = [r.settings for r in rs if r.settings and r.settings.slice is not None]
    return "slice" if settings and all("by" in one.about for one in settings) else "task"


def overall_scale(r: Overall) -> Scale:
    """Say how the scores over all tasks and their difference are written."""
    ends = [r.interval.low, r.interval.high] if r.interval else []
    half = (ends[1] - ends[0]) / 2 if ends else None
    return Scale.fitting(phrases.unit(r.metric_info), [r.a, r.b], [r.difference, *ends], [0.0], half)


def overall_verdict(r: Overall, first: Comparison) -> str:
    """Say who is better over all tasks."""
    return one.verdict(replace(first, verdict=r.verdict))


def overall_note(rs: Comparisons) -> str:
    """Say what the two answers over all tasks are about."""
    what = part(rs)
    averages = [r for r in rs.overall if r.kind == "average"]
    told = f"Pooled, every example counts the same; in the average, every {what} does."
    if not averages:
        return told
    if averages[0].sampled:
        return f"{told} The average takes these {what}s for a random sample of {what}s."
    return f"{told} Both are about these {what}s, not about others."


def legend(rs: Comparisons) -> str:
    """Say who A and B are, what the difference is, of which level the intervals are, and for which lower is better."""
    pairs = list(dict.fromkeys(names(r) for r in rs))
    who = f"A is {pairs[0][0]}, B is {pairs[0][1]}; the" if len(pairs) == 1 else "The"
    levels = dict.fromkeys(percent(r.interval.level) for r in rs if r.interval)
    at = f", with its {' or '.join(levels)} confidence interval" if levels else ""
    if any(r.interval_adjusted for r in rs):
        both = 1 if rs[0].alternative == "two-sided" else 2
        at = f", with its interval; all intervals together hold with {percent(1 - both * rs[0].alpha)} confidence"
    lower = list(dict.fromkeys(task for task, r in zip(tasks(rs), rs, strict=True) if not r.higher_is_better))
    direction = f" Lower is better in: {', '.join(lower)}." if lower else ""
    return f"{who} difference is B {MINUS} A{at}.{direction}"


def warnings(rs: Comparisons) -> list[str]:
    """Return each warning once, with the tasks that it is about."""
    return phrases.warnings_of([(task, r.warnings) for task, r in zip(tasks(rs), rs, strict=True)])


def signatures(rs: Comparisons) -> list[str]:
    """Return a signature for each task."""
    return [f"{task}: {phrases.signature(r.signature)}" for task, r in zip(tasks(rs), rs, strict=True)]


def audits(rs: Comparisons) -> str:
    """Say how often the tests err on data like these: the least and the most of all tasks; or that it was not measured."""
    measured = [(task, r) for task, r in zip(tasks(rs), rs, strict=True) if one.audit(r)]
    if len(measured) > 1:
        return f"On data like these {audited([r for _, r in measured])}{_highest(measured, len(rs))}."
    if measured:
        task, r = measured[0]
        return f"{task}: {one.audit(r)}."
    seconds = sum(r.audit_seconds or 0.0 for r in rs)
    return f"How often the tests err on data like these: {one.unmeasured(seconds)}." if seconds else ""


def audited(rs: Sequence[Comparison]) -> str:
    """Say how often the tests of several comparisons err on test sets like theirs."""
    lines = [r.audit or {} for r in rs]
    claim = f"the false-alarm rate at alpha {percent(rs[0].alpha)} is {span([line['false_alarm'] for line in lines])}"
    held = [line["coverage"] for line in lines if known(line.get("coverage"))]
    if not held:
        return claim
    level = lines[0].get("level", 1 - rs[0].alpha)
    return f"{claim}, and the {percent(level)} intervals contain the true difference in {span(held)} of test sets"


def _highest(measured: Sequence[tuple[str, Comparison]], size: int) -> str:
    """Say of which task the test errs most often, and of how many it is known."""
    task = max(measured, key=lambda pair: (pair[1].audit or {})["false_alarm"])[0]
    of = f"measured for {whole(len(measured))} of {whole(size)}, " if len(measured) < size else ""
    return f" ({of}highest for {task})"
