"""Every sentence that a person reads, by subject; here is what all share: names, and how things are counted."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from referee.report.document import Name, Pairs
from referee.report.numbers import NBSP, UNKNOWN, Scale, known, p_equation, p_value, percent, whole
from referee.runtime.safe_text import replaced

if TYPE_CHECKING:
    from referee.results.algorithms import Pair, Standings
    from referee.results.audit import Audit
    from referee.results.comparison import Comparison, Interval
    from referee.results.measurement import Measurement
    from referee.results.plan import Plan
    from referee.results.plot_data import Parts
    from referee.results.ranking import Ranking
    from referee.results.settings import Settings
    from referee.results.test_info import MetricInfo, Unit
    from referee.results.weighting import Weighting

    Measured: TypeAlias = Comparison | Measurement | Ranking | Plan | Audit

EQUAL = 1.0005
"""A design effect below this is none."""
FEW = 100
"""So few equal examples are told with a decimal."""
LONGEST = 200
LONG = 1000
MOST_FILES = 2
"""Of more files one is named."""
SEPARATOR = re.compile(r"[-_/:., ]+")
BEGINNINGS = re.compile(
    "(a|all|an|as|both|by|each|every|examples|for|from|groups|how|if|in|it|its|judgements|more|most|no|not|of|on|one|only|people|rows|"
    "scores|so|some|system|systems|the|there|these|they|this|treating|two|what|where|whether|with) "
)
"""Words that begin our sentences; another first word may be a name from the data."""
SEQUENCES = ("anytime", "anytime-asymptotic")
"""Those that hold at all looks together."""


def clean(text: object, longest: int = LONGEST) -> str:
    r"""Make a name from data safe to print on one line: no sign that does harm, not endless.

    >>> clean("old\n\x1b[31mred")
    'old ?[31mred'
    """
    safe = replaced(re.sub(r"\s+", " ", str(text)).strip())
    return safe if len(safe) <= longest else safe[: longest - 3] + "..."


def full(text: object) -> str:
    """End a remark as a sentence; it may begin with a name from data, so its first letter stays."""
    remark = clean(text, 2000)
    return remark if not remark or remark[-1] in ".!?" else remark + "."


def sentence(claim: str) -> str:
    """Make a sentence of a claim of ours."""
    return f"{claim[:1].upper()}{claim[1:]}."


def warnings(texts: Sequence[str]) -> list[str]:
    """Return warnings as sentences, each once."""
    return [full(text) for text in dict.fromkeys(texts)]


def begun(text: str) -> str:
    """Begin a sentence with a capital where its first word is one of ours, and nothing stands before it.

    >>> begun("the interval is wide."), begun("my-model failed.")
    ('The interval is wide.', 'my-model failed.')
    """
    return f"{text[:1].upper()}{text[1:]}" if BEGINNINGS.match(text) else text


def warnings_of(parts: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
    """Return each warning once, with the parts that it is about unless that is all of them.

    Args:
        parts: what each is called, and its warnings.
    """
    about: dict[str, list[str]] = {}
    for name, texts in parts:
        for warning in warnings(texts):
            about.setdefault(warning, []).append(name)
    return [text if len(where) == len(parts) else f"{', '.join(where)}: {text}" for text, where in about.items()]


def signature(text: str) -> str:
    """Return a signature on one line."""
    return clean(text, 2000)


def listed(parts: Sequence[str]) -> str:
    """Write a list in words.

    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def apart_in_a_list(names: Sequence[str], remarks: Sequence[str] = ()) -> tuple[str, ...]:
    """Write a list of names that are set apart, each with a remark if there are some."""
    words: list[str] = []
    for place, name in enumerate(names):
        words += [" and " if place == len(names) - 1 else ", "] if place else []
        words += [Name(name), *remarks[place : place + 1]]
    return tuple(words)


def several(count: int, noun: str) -> str:
    """Count things.

    >>> several(1, "example"), several(1234, "example")
    ('1 example', '1,234 examples')
    """
    return f"{whole(count)} {noun}{'' if count == 1 else 's'}"


def about(count: int) -> str:
    """Write a number that is only known roughly: two digits of thousands, three of less.

    >>> about(105), about(1234), about(123456)
    ('105', '1,200', '120,000')
    """
    if count < 1000:
        return whole(count)
    step = 10 ** (len(str(count)) - 2)
    return whole(round(count / step) * step)


def span(shares: Sequence[float]) -> str:
    """Write the least and the most of some shares."""
    return " to ".join(dict.fromkeys([percent(min(shares)), percent(max(shares))]))


def holds_anytime(r: object) -> bool:
    """Say whether the p-value of a result holds however often one looks while data arrive."""
    info = getattr(r, "test_info", None)
    return getattr(info, "anytime", False) is True


def p_equals(r: object, p: float | None, alpha: float) -> str:
    """Write a p-value, and whether it holds however often one looks."""
    return f"{'anytime-valid ' if holds_anytime(r) and known(p) else ''}{p_equation(p, alpha)}"


def how_often(p: float, alpha: float, of: str = "test sets", at_most: str = "") -> str:
    """Say how often chance would do as much.

    >>> how_often(0.0044, 0.05), how_often(1e-9, 0.05)
    ('by chance in 0.44% of test sets', 'by chance in less than 0.01% of test sets')
    """
    sign, _, text = p_value(min(p, 0.999), alpha).rpartition(NBSP)
    more_or_less = {"<": "less than ", ">": "over ", "": at_most}[sign]
    return f"by chance in {more_or_less}{100 * float(text):.6g}% of {of}"


def occurs(r: object, difference: str, p: float, alpha: float, of: str = "test sets") -> str:
    """Say how often a difference would be seen by chance; of a p-value that holds at all looks, how often its evidence ever would."""
    if holds_anytime(r):
        return f"evidence this strong would ever turn up {how_often(p, alpha, of, 'at most ')}, however often you look"
    return f"{difference} would occur {how_often(p, alpha, of)}"


def if_equal(
    r: Comparison | Standings, pair: Comparison | Pair, judged: float, shown: str, of: str = "test sets"
) -> str:
    """Say what a p-value means, and whether the difference is significant unless the verdict has other reasons.

    Args:
        r: what has an alternative and alpha.
        pair: what has the p-value and the verdict.
        judged: the p-value that is held against alpha.
        shown: the p-value as it is written; nothing where it has just been told.
        of: what chance is repeated in.
    """
    if not known(pair.p_value):
        return "How often chance would give such a difference is unknown (p unknown)."
    if pair.p_value >= 1:
        if holds_anytime(pair):
            return f"So far there is no evidence of a difference ({shown})."
        return f"Chance alone explains a difference like this ({shown})."
    more = {"two-sided": "large or larger", "greater": "high or higher", "less": "low or lower"}[r.alternative]
    claim, seen = "If", occurs(pair, f"a difference this {more}", pair.p_value, r.alpha, of)
    if (judged <= r.alpha) == (pair.verdict != "too close to call"):
        claim = f"The difference is {'' if judged <= r.alpha else 'not '}statistically significant: if"
    return f"{claim} the two were equally good, {seen}{f' ({shown})' if shown else ''}."


def apart(names: Sequence[str], cut: Callable[[str], str], gap: str = "...") -> list[str]:
    """Cut names to the available width so that names that differ still differ when cut.

    Where there is too little room for all of them whole, what all begin with gives way, then what all end with; names
    that are still the same when cut are numbered.

    Args:
        names: what things are called, each other than the others.
        cut: makes a name fit.
        gap: what stands for what was left out.

    >>> apart(["meta-llama/Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-70B-Instruct"], lambda name: name[:15])
    ['...8B-Instruct', '...70B-Instruct']
    >>> apart(["meta-llama/Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-70B-Instruct"], lambda name: name[:9])
    ['...8B...', '...70B...']
    """
    different = len(set(names))
    if different < 2 or all(cut(name) == name for name in names):
        return [cut(name) for name in names]
    alike = names[0][: _alike(names)]
    start = max((place.end() for place in SEPARATOR.finditer(alike)), default=0)
    start = start if start > len(gap) else 0
    tail = names[0][len(names[0]) - _alike([name[start:][::-1] for name in names]) :]
    end = max((len(tail) - place.start() for place in SEPARATOR.finditer(tail)), default=0)
    end = end if end > len(gap) else 0
    head = gap if start else ""
    without_head = [head + name[start:] for name in names]
    without_both = [head + name[start : len(name) - end] + (gap if end else "") for name in names]
    candidates = (without_head, without_both) if start else (names, without_both)
    whole_names = (one for one in candidates if all(cut(name) == name for name in one))
    for shorter in (*whole_names, *(reversed(candidates) if start else candidates), names):
        found = [cut(name) for name in shorter]
        if len(set(found)) == different:
            return found
    return [cut(f"{number} {name}") for number, name in enumerate(names, 1)]


def _alike(names: Sequence[str]) -> int:
    """Count the signs that all names begin with: those that the first and the last in order share."""
    first, last = min(names), max(names)
    pairs = enumerate(zip(first, last, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(first), len(last)))


def names(r: Comparison) -> tuple[str, str]:
    """Return what the two systems are called, told apart where they are called the same."""
    a, b = clean(r.a.name, LONG) or "A", clean(r.b.name, LONG) or "B"
    if a == b:
        return marked(clean(a), clean(b))
    first, second = apart([a, b], clean)
    return first, second


def marked(a: str, b: str) -> tuple[str, str]:
    """Tell two of one name apart."""
    return (a, b) if a != b else (f"{a} (A)", f"{b} (B)")


def scale(r: Comparison) -> Scale:
    """Say how the scores and their difference are written."""
    ends = [r.interval.low, r.interval.high] if r.interval else []
    half = (ends[1] - ends[0]) / 2 if ends else None
    marks = [0.0] if r.margin is None else [0.0, r.margin, -r.margin]
    return Scale.fitting(unit(r.metric_info), [r.a.score, r.b.score], [r.difference, *ends], marks, half)


def unit(info: MetricInfo | None) -> Unit:
    """Say what scores are; nobody knows if the metric is not one of ours."""
    return info.unit if info else "number"


def metric(r: Measured) -> str:
    """Return what was measured, without its options: a log's own score by its own name."""
    short = clean(r.metric_info.short) if r.metric_info else ""
    return _score_of_log(r) or short or metric_name(r.metric, r.metric_info)


def whole_metric(r: Measured) -> str:
    """Return what was measured, with its averaging and its options."""
    return _score_of_log(r) or metric_name(r.metric, r.metric_info)


def _score_of_log(r: Measured) -> str:
    """Return what a log calls the score that was compared; nothing if it is no score, or has no name."""
    about = r.settings.about if r.settings and r.metric_info and r.metric_info.task == "scores" else {}
    if r.settings and r.settings.slice is not None and about.get("slices") == "scores":
        return clean(r.settings.slice)
    return clean(about.get("score") or about.get("scorer") or "")


def metric_name(spelling: str, info: MetricInfo | None) -> str:
    """Name a metric, with its averaging and its options."""
    return clean(info.name if info else spelling, 200 if info else LONGEST) or "score"


def margin(r: Comparison | Standings) -> str:
    """Return the largest difference that does not matter."""
    return "unknown" if r.margin is None else size_of(r.margin, unit(r.metric_info))


def size_of(difference: float, unit: Unit) -> str:
    r"""Write a difference that somebody chose, such as a margin, as short as it is.

    >>> size_of(0.01, "share"), size_of(0.025, "share"), size_of(0.01, "number")
    ('1\xa0point', '2.5\xa0points', '0.01')
    """
    if unit == "number":
        return f"{difference:.4g}"
    return f"{100 * difference:.4g}{NBSP}point{'' if f'{100 * difference:.4g}' == '1' else 's'}"


def sources(settings: Settings | None) -> str:
    """Name the files that a result is of."""
    files = [clean(name) for name in settings.files] if settings else []
    return f"{files[0]} and {several(len(files) - 1, 'other file')}" if len(files) > MOST_FILES else ", ".join(files)


def ahead(r: Comparison, parts: Parts) -> str:
    """Say in how many groups or strata who is ahead."""
    a, b = names(r)
    of_b, of_a = (parts.higher, parts.lower) if r.higher_is_better else (parts.lower, parts.higher)
    level = parts.total - parts.blank - of_a - of_b
    things, equal = (
        "groups" if parts.by == "group" else "strata",
        f"; in {whole(level)} they are level" if level else "",
    )
    return f"Of {whole(parts.total)} {things}, {b} is ahead in {whole(of_b)}, {a} in {whole(of_a)}{equal}."


def bracket(interval: Interval | None, scale: Scale, sign: bool = True) -> str:
    """Write an interval in brackets, that of a difference with signs."""
    return scale.bracket(interval.low, interval.high, sign) if interval else UNKNOWN


def within(interval: Interval | None, scale: Scale) -> str:
    """Say in which interval the true difference lies."""
    if interval is None:
        return ""
    return f"The {percent(interval.level)} {kind_of(interval)} of the difference is {scale.span(interval.low, interval.high)}."


def kind_of(interval: Interval) -> str:
    """Say what an interval is: one that holds at all looks together is a confidence sequence, that of a posterior is credible."""
    if interval.method in SEQUENCES:
        return "confidence sequence"
    return "credible interval" if interval.method in ("credible", "posterior") else "confidence interval"


def weighting(weights: Weighting | None) -> str:
    """Say how unequal weights are, and how many equal ones would say as much."""
    if weights is None:
        return ""
    if weights.design_effect < EQUAL:
        return "all equal"
    as_much = f"as much information as {effective(weights)} examples of equal weight"
    cost = f"design effect {weights.design_effect:.3g}"
    return f"they carry about {as_much} ({cost}); the heaviest has {percent(weights.largest)} of the total"


def effective(weights: Weighting) -> str:
    """Write how many equal examples would say as much."""
    return f"{weights.effective:,.1f}" if weights.effective < FEW else whole(round(weights.effective))


def filled(rows: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the facts that there is something to say about."""
    return [(label, text) for label, text in rows.items() if text]


def given(value: float | None, text: str) -> str:
    """Return what there is to say of a number, if there is one."""
    return text if known(value) else ""


def without(facts: Pairs, labels: Collection[str]) -> Pairs:
    """Return the facts but for some, such as those that are much the same every time."""
    return [(label, text) for label, text in facts if label not in labels]
