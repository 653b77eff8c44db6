"""Several comparisons in words: which system is better in how many tasks, and what is common to all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from referee.report import phrases
from referee.report.document import Name, Text, join
from referee.report.numbers import MINUS, Scale, known, percent, whole
from referee.report.phrases import clean, method_names, metric_name, names, scale, several, span
from referee.report.phrases import comparison as one
from referee.report.phrases.terms import TESTED, Terms, believed, terms
from referee.results.comparison import Comparison, Comparisons
from referee.results.overall import Overall
from referee.results.settings import Verdict

UNADJUSTED = "The {}s are not adjusted for multiple comparisons: each answers for itself."

REWEIGHTED = (
    "Each {} keeps its size, and its examples are reweighted by the Bayesian bootstrap without a prior: so the interval is not quite "
    "that of one comparison of all examples."
)
FEW = 3
"""So many tasks are named in a sentence."""
MARKS: dict[Verdict, tuple[str, str]] = {
    "b better": ("▲", "better"),
    "no worse": ("✓", "no worse"),
    "practically equal": ("=", "practically equal"),
    "too close to call": ("–", "too close to call"),
    "a better": ("▼", "worse"),
}
"""How a verdict about B is marked, and what it says of B, the welcome ones first."""
SHORT = {verdict: word for verdict, (_, word) in MARKS.items()}
SHORTER = {"too close to call": "can't tell"}
MARKED = {verdict: f"{mark} {SHORTER.get(word, word)}" for verdict, (mark, word) in MARKS.items()}
CLAIMS: dict[Verdict, str] = {
    "b better": "is better",
    "a better": "is worse",
    "no worse": "is no worse",
    "practically equal": "is practically equal",
}
PLACED = {"task": "on", "metric": "by", "slice": "in", "comparison": "in"}
"""The word that stands before what the comparisons are of."""


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
    what = _terms(rs).number
    method = f"The {what}s are adjusted for {several(len(rs), 'comparison')} ({method_names.adjustment(rs.adjust)})."
    return UNADJUSTED.format(what) if rs.adjust == "none" else method


def tail(rs: Comparisons) -> str:
    """Return what the number is called that verdicts follow: the tails of posteriors are no p-values."""
    return _terms(rs).p


def _terms(rs: Comparisons) -> Terms:
    return terms(rs[0]) if len(rs) else TESTED


def asked(rs: Comparisons) -> Overall | None:
    """Return the answer over all tasks that was asked for: pooled, or the average if the tasks are a sample; None of several metrics."""
    known_ones = [one for one in rs.overall if known(one.difference)]
    kind = "average" if any(one.sampled for one in rs.overall) else "pooled"
    found = [one for one in known_ones if one.kind == kind]
    return found[0] if len(found) == 1 and len(metrics(rs)) == 1 else None


def decided(rs: Comparisons) -> Overall | None:
    """Return the answer over all tasks if it says more than they do: it is clear, and not all of them say the same."""
    found = asked(rs)
    if found is None or found.verdict not in ("b better", "a better"):
        return None
    return found if {r.verdict for r in rs} != {found.verdict} else None


def badge(rs: Comparisons) -> str:
    """Say in a word or two what all verdicts come to."""
    verdicts = {r.verdict for r in rs}
    if clear := decided(rs):
        other: Verdict = "a better" if clear.verdict == "b better" else "b better"
        against = sum(r.verdict == other for r in rs)
        return f"{SHORT[clear.verdict]} overall" + (
            f", {SHORT[other]} {PLACED[noun(rs)]} {whole(against)}" if against else ""
        )
    if {"a better", "b better"} <= verdicts:
        return "mixed"
    if len(verdicts) == 1:
        (verdict,) = verdicts
        return {"b better": "better", "a better": "worse"}.get(verdict, verdict)
    first = next((SHORT[one] for one in ("a better", *SHORT) if one in verdicts), "nothing to compare")
    return f"partly {first}" if "too close to call" in verdicts else first


def headline(rs: Comparisons) -> Text:
    """Say in one line in how many tasks B is better and worse, and how many the data cannot tell."""
    if not len(rs):
        return "There is nothing to compare."
    counts, many, what = Counter(r.verdict for r in rs), len(rs), noun(rs)
    pairs = {names(r) for r in rs}
    b = Name(next(iter(pairs))[1]) if len(pairs) == 1 else "B"
    open_ = counts.pop("too close to call", 0)
    if clear := decided(rs):
        return _overall_first(rs, clear, b)
    together = (found := asked(rs)) is not None and found.verdict == "too close to call" and many > 1
    if not counts:
        every = {1: f"The one {what} is", 2: f"Both {what}s are"}.get(many, f"All {several(many, what)} are")
        return f"{every} too close to call{', alone and together' if together else ''}."
    if len(counts) == 1 and not open_ and many > 1:
        every = f"both {what}s" if many == 2 else f"all {several(many, what)}"
        return (b, f" {CLAIMS[next(iter(counts))]} {PLACED[what]} {every}.")
    verdicts = [verdict for verdict in CLAIMS if counts[verdict]]
    if what == "task" and set(verdicts) <= {"a better", "b better"}:
        told = [f"{'wins' if one == 'b better' else 'loses'} {whole(counts[one])}" for one in verdicts]
        told[0] = f"{told[0]} {what}{'' if counts[verdicts[0]] == 1 else 's'}"
    else:
        told = [f"{CLAIMS[one]} {PLACED[what]} {whole(counts[one])}" for one in verdicts]
        told[0] = f"{told[0]} {what}{'' if counts[verdicts[0]] == 1 else 's'}"
    rest = f"; {whole(open_)} of {whole(many)} {'is' if open_ == 1 else 'are'} too close to call" if open_ else ""
    if together:
        others = f"the other {'one' if open_ == 1 else whole(open_)}, and " if open_ else ""
        rest = (
            f"; {others}all {whole(many)} together, are too close to call"
            if open_
            else f"; all {whole(many)} together are too close to call"
        )
    if not open_ and len(verdicts) > 1:
        told[-1] += f" of {whole(many)}"
    return (b, f" {', '.join(told)}{rest}.")


def _overall_first(rs: Comparisons, clear: Overall, b: str) -> Text:
    """Say what B is over all tasks, and in how many of them that shows."""
    what, many, place = noun(rs), len(rs), PLACED[noun(rs)]
    on_average = "on average" if clear.kind == "average" else "overall"
    sure = f"({overall_scale(clear).difference(clear.difference)}, {_terms(rs).equation(clear.p_value, rs[0].alpha)})"
    counts = Counter(r.verdict for r in rs)
    told = [f"{SHORT[one]} {place} {whole(counts[one])}" for one in ("b better", "a better") if counts[one]]
    shown = f"{', '.join(told)} of {several(many, what)}" if told else f"no single {what} of {whole(many)} is clear"
    return (b, f" is {SHORT[clear.verdict]} {on_average} {sure}; {shown}.")


def lead(rs: Comparisons) -> Text:
    """Say where B gains and loses, what that comes to over all tasks, and how the verdicts are adjusted."""
    return join(_moved(rs), _together(rs), adjusted(rs))


def _moved(rs: Comparisons) -> str:
    """Say where B is better and worse, and by how much, if that is few words."""
    every, what = tasks(rs), noun(rs)
    gains, losses = ([place for place, r in enumerate(rs) if r.verdict == one] for one in ("b better", "a better"))
    if not len(gains) + len(losses) > 0 or max(len(gains), len(losses)) > FEW:
        return ""
    told = []
    for verb, places in (("gains", gains), ("loses", losses)):
        ordered = sorted(places, key=lambda place: -abs(rs[place].difference or 0.0))
        parts = [
            f"{phrases.scale(rs[place]).difference(rs[place].difference, sign=False)} {PLACED[what]} {every[place]}"
            for place in ordered
        ]
        told += [f"{verb} {phrases.listed(parts)}"] if parts else []
    return f"It {phrases.listed(told)}."


def _together(rs: Comparisons) -> str:
    """Say what the answers over all tasks are that were asked for: of each metric one."""
    told, first = [], decided(rs)
    kind = "average" if any(r.sampled for r in rs.overall) else "pooled"
    for r in rs.overall:
        if r.kind != kind or not known(r.difference):
            continue
        shown, by = overall_scale(r), f" by {metric_name(r.metric, r.metric_info)}" if len(metrics(rs)) > 1 else ""
        ends = (
            f"{percent(r.interval.level)} interval {shown.span(r.interval.low, r.interval.high)}" if r.interval else ""
        )
        where = f"Over {part(rs)}s like these" if r.sampled else "All examples together"
        if r == first:
            told += [f"{where}: {ends}."] if ends else []
            continue
        claim = "too close to call" if r.verdict == "too close to call" else f"B is {SHORT[r.verdict]}"
        p = _terms(rs).equation(r.p_value, rs[0].alpha)
        sure = ", ".join(filter(None, [shown.difference(r.difference), ends, p]))
        told.append(f"{where}{by}: {claim} ({sure}).")
    return " ".join(told)


def context(rs: Comparisons) -> list[str]:
    """Say what comparisons are of: the files, the score if there is one, and how many tasks and examples there are."""
    first, of_scores = rs[0], part(rs) == "metric"
    each = {r.settings.slice: r.n for r in rs if r.settings} if not of_scores else {}
    score = phrases.metric(first) if len(metrics(rs)) == 1 and not of_scores else ""
    parts = several(len(each), part(rs)) if len(each) > 1 else several(len(rs), noun(rs))
    examples = several(sum(each.values()) or first.n, "example")
    files = first.settings.files if first.settings else ()
    # Of logs in many files, the systems say more.
    named = phrases.sources(first.settings) if len(files) <= phrases.MOST_FILES else ""
    return [text for text in (named, score, f"{parts}, {examples}") if text]


def metrics(rs: Comparisons) -> set[str]:
    """Return the spellings of the metrics."""
    return {r.metric for r in rs}


def in_order(rs: Comparisons, places: Sequence[int]) -> list[int]:
    """Return places by what B gains there, the most first; those of unknown difference last."""

    def gain(place: int) -> tuple[bool, float]:
        r = rs[place]
        return not known(r.difference), -(r.difference or 0.0) * (1 if r.higher_is_better else -1)

    return sorted(places, key=gain)


def drawn_note(rs: Comparisons, told: Comparisons, places: Sequence[int]) -> str:
    """Say what is seen in the rows of a page's table."""
    first, own, many = rs[places[0]], noun(rs), len(rs)
    at = next((percent(i.level) for place in places if (i := rs[place].interval)), "")
    pairs = list(dict.fromkeys(names(r) for r in rs))
    who = f"A is {pairs[0][0]}, B is {pairs[0][1]}. " if len(pairs) == 1 else ""
    points = " in percentage points" if scale(first).unit == "share" else ""
    said = [f"{who}B {MINUS} A{points}, sorted by what B gains."]
    if any(rs[place].interval_adjusted for place in places):
        said.append(
            f"Thick: the {at} interval of the {own} alone; thin: widened for {several(many, own)} ({method_names.adjustment(rs.adjust)}). The verdicts use the thin one."
        )
        alone = [place for place in places if _alone(rs[place])]
        if alone and len(alone) <= FEW:
            said.append(
                f"{phrases.listed([tasks(rs)[place] for place in alone])} {'is' if len(alone) == 1 else 'are'} significant alone, but not after the adjustment."
            )
    elif any(told[place].interval for place in places):
        said.append(f"The bars are the {at} intervals.")
    lower = [tasks(rs)[place] for place in places if not rs[place].higher_is_better]
    if lower:
        said.append(
            "Lower is better." if len(lower) == len(places) else f"Lower is better in {phrases.listed(lower[:FEW])}."
        )
    return " ".join(said)


def _alone(r: Comparison) -> bool:
    """Say whether the interval of the task alone leaves out 0, and the verdict is open all the same."""
    return r.verdict == "too close to call" and r.interval is not None and 0.0 not in r.interval


def overall_name(r: Overall, many: bool) -> str:
    """Say which answer over all tasks it is."""
    return f"{metric_name(r.metric, r.metric_info)} {r.kind}" if many else r.kind


def part(rs: Comparisons) -> str:
    """Say what an answer over all is over: slices or tasks, whatever else differs."""
    settings = [r.settings for r in rs if r.settings and r.settings.slice is not None]
    if settings and all(one.about.get("slices") == "scores" for one in settings):
        return "metric"
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
    if any(r.weights for r in rs):
        told = f"Pooled, every example counts by its weight; in the average, every {what} counts the same."
    if not averages:
        told = told.partition(";")[0] + "."
        return f"{told} {REWEIGHTED.format(what)}" if believed(rs[0]) else told
    if averages[0].sampled:
        return f"{told} The average takes these {what}s for a random sample of {what}s."
    return f"{told} Both are about these {what}s, not about others."


def legend(rs: Comparisons) -> str:
    """Say who A and B are, what the difference is, of which level the intervals are, and for which lower is better."""
    pairs = list(dict.fromkeys(names(r) for r in rs))
    who = f"A is {pairs[0][0]}, B is {pairs[0][1]}; the" if len(pairs) == 1 else "The"
    levels = dict.fromkeys(percent(r.interval.level) for r in rs if r.interval)
    kind = "credible" if believed(rs[0]) else "confidence"
    at = f", with its {' or '.join(levels)} {kind} interval" if levels else ""
    if any(r.interval_adjusted for r in rs):
        both = 1 if rs[0].alternative == "two-sided" else 2
        at = f", with its interval; all intervals together hold with {percent(1 - both * rs[0].alpha)} confidence"
        if believed(rs[0]):
            at = f", with its credible interval, widened for {several(len(rs), 'comparison')}"
    lower = list(dict.fromkeys(task for task, r in zip(tasks(rs), rs, strict=True) if not r.higher_is_better))
    direction = f" Lower is better in: {', '.join(lower)}." if lower else ""
    unit = " in percentage points" if all(scale(r).unit == "share" for r in rs) else ""
    return f"{who} difference is B {MINUS} A{unit}{at}.{direction}"


def warnings(rs: Comparisons) -> list[str]:
    """Return each warning once, with the tasks that it is about."""
    return phrases.warnings_of([(task, r.warnings) for task, r in zip(tasks(rs), rs, strict=True)])


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
