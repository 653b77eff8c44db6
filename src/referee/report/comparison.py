"""The documents of one comparison, with its scores and details, and of several, with one row per comparison."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from referee.errors import RefereeError
from referee.report import phrases
from referee.report.document import (
    Block,
    Case,
    Column,
    Document,
    Drawing,
    Facts,
    Formula,
    Notes,
    Reader,
    Section,
    Table,
    Text,
    Tone,
    Verdict,
    plain,
)
from referee.report.numbers import MINUS, known, percent, whole
from referee.report.phrases import bracket, clean, method_names, names, scale, variance, without
from referee.report.phrases import comparison as words
from referee.report.sections import for_the_paper, trust
from referee.results.comparison import Comparison, Interval

TONES: dict[str, Tone] = {"b better": "good", "a better": "bad", "no worse": "equal", "practically equal": "equal"}
"""What a verdict is to those who would like B to be better; the others are open."""
NAMES = 20
"""So many signs two names have together for their difference to be called by them."""
TEXT = 300
"""So many signs of a text of the data are shown."""


def document(r: Comparison) -> Document:
    """Say what the report of a comparison says."""
    facts, headline = words.facts(r), words.headline(r)
    document = Document(
        kind="comparison",
        context=words.context(r),
        verdict=Verdict(
            badge=words.verdict(r),
            tone=tone(r),
            headline=headline,
            details=words.details(r),
            lead=words.details(r, advice=False),
            next=words.what_next(r) if r.verdict == "too close to call" and known(r.difference) else "",
            paper=words.paper(r),
        ),
        blocks=[
            *scores(r),
            *drawing(r),
            *variance.table(r, scale(r)),
            Facts(without(facts, words.much_the_same(r)), readers=Reader.BRIEF),
            Facts(facts, readers=Reader.VERBOSE),
            Facts(without(facts, ["audit"]), readers=Reader.PAGE),
            Notes(phrases.warnings(r.warnings)),
        ],
        signatures=[phrases.signature(r.signature)],
        sections=lambda examples: _sections(r, examples),
    )
    case = Case(
        group=" against ".join(names(r)),
        name=clean(r.task) if r.task else phrases.metric(r),
        passed=r.gate == 0,
        kind=r.verdict,
        message=plain(headline),
        body=document,
    )
    return replace(document, cases=lambda: [case])


def tone(r: Comparison) -> Tone:
    """Say what the verdict is to those who would like B to be better."""
    return TONES.get(r.verdict, "open")


def _minus(r: Comparison) -> str:
    """Say what the difference is of, if there is room for that."""
    a, b = names(r)
    return f"{b} {MINUS} {a}" if len(a + b) <= NAMES else "difference"


def scores(r: Comparison) -> list[Block]:
    """Return the scores and their difference: a table for a screen, for a page, and for a paper."""
    (a, b), shown = names(r), scale(r)
    difference = (Formula(shown.plain(r.difference, sign=True)), shown.points if known(r.difference) else "")
    rows: list[tuple[str, Text, Interval | None]] = [
        (a, shown.score(r.a.score), r.a.interval),
        (b, shown.score(r.b.score), r.b.interval),
        (_minus(r), difference, r.interval),
    ]
    levels = {percent(i.level) for _, _, i in rows if i}
    # Beside a one-sided question the interval of the difference has another level than those of the scores.
    level = f"{min(levels)} interval" if len(levels) == 1 else "Interval"
    cells = [(name, value, bracket(i, shown, sign=value is difference), _how(i)) for name, value, i in rows]
    table = Table(
        title="Scores",
        columns=[Column(""), Column("value", "score"), Column("interval", "interval"), Column("kind")],
        rows=cells,
        shape="bare",
        readers=Reader.SCREEN,
    )
    metric = Column(phrases.metric(r), "score")
    paper: list[tuple[Text, ...]] = [
        (name, value, (Formula(interval), f" ({how})") if len(levels) > 1 else interval)
        for name, value, interval, how in cells
    ]
    return [
        table,
        replace(table, columns=[Column(""), metric, *table.columns[2:]], readers=Reader.PAGE),
        Table(columns=[Column("System"), metric, Column(level, "interval")], rows=paper, readers=Reader.PAPER),
    ]


def _how(interval: Interval | None) -> str:
    """Say what kind of interval it is."""
    if interval is None:
        return ""
    return method_names.made_by(interval)


def drawing(r: Comparison) -> list[Block]:
    """Return the interval, to be drawn with signs."""
    if r.interval is None or r.difference is None:
        return []
    left, right = names(r) if r.higher_is_better else names(r)[::-1]
    return [Drawing(low=r.interval.low, high=r.interval.high, value=r.difference, left=left, right=right)]


def _sections(r: Comparison, examples: bool) -> list[Section]:
    behaviour = phrases.sentence(words.audit(r) or words.unmeasurable(r) or words.unmeasured(r.audit_seconds))
    return [trust(r, behaviour), *(examples_of([("", r)]) if examples else []), for_the_paper(r)]


def examples_of(tasks: Sequence[tuple[str, Comparison]], noun: str = "task") -> list[Section]:
    """Return the examples on which the systems differ, of each task as many; tasks of the same examples are one."""
    title = "Where they differ"
    try:
        looks = {r.examples(): task for task, r in reversed(tasks)}
    except RefereeError as error:
        note = f"The examples could not be read again: {error}"
        return [Section(key="examples", title=title, blocks=[], note=note)]
    several = len(looks) > 1
    quota = math.ceil(max(map(len, looks)) / len(looks))
    chosen = [(task, one) for look, task in reversed(looks.items()) for one in look[:quota]]
    if not chosen:
        return []
    a, b = names(tasks[0][1])
    columns = {
        noun: [task for task, _ in chosen] if several else [],
        "example": [clean(one.id or "") for _, one in chosen],
        "text": [clean(one.text or "", TEXT) for _, one in chosen],
        f"{a} says": [_said(one.a, one.response_a, one.right) for _, one in chosen],
        "truth": [clean("" if one.truth is None else one.truth, TEXT) for _, one in chosen],
        f"{b} says": [_said(one.b, one.response_b, one.right) for _, one in chosen],
    }
    shown = {Column(name): cells for name, cells in columns.items() if any(cells)}
    places = {column.name: place for place, column in enumerate(shown)}
    wrong = [
        (row, places[f"{name} says"])
        for side, name in (("a", a), ("b", b))
        for row, (_, one) in enumerate(chosen)
        if one.right not in (None, side, "both") and f"{name} says" in places
    ]
    first = f"The first {whole(len(chosen))} examples" if len(chosen) > 1 else "The one example"
    marked = " A cross marks a wrong answer." if wrong else ""
    table = Table.of(
        shown,
        wrong=frozenset(wrong),
        note=f"{first}{f' of the {noun}s' if several else ''} on which the two differ, in the order of the data.{marked}",
    )
    return [Section(key="examples", title=title, blocks=[table])]


def _said(score: str, response: str | None, right: str | None) -> str:
    """Return what a system wrote, with its score unless that only says who is right; the score alone where a log has no more."""
    if response is None:
        return clean(score, TEXT)
    return clean(response if right is not None else f"{score}: {response}", TEXT)
