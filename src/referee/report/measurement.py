"""The documents of one system's score, and of several scores, with one row per score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from referee.report import phrases
from referee.report.document import (
    Block,
    Case,
    Column,
    Document,
    Facts,
    Notes,
    Paragraph,
    Part,
    Reader,
    Table,
    Text,
    Tone,
    Verdict,
    plain,
)
from referee.report.numbers import p_value, percent, whole
from referee.report.phrases import bracket, without
from referee.report.phrases import measurement as words
from referee.report.sections import context, for_the_paper, short_on_pages, trust
from referee.results.measurement import Attainment, Measurement, Measurements

TONES: dict[Attainment | None, Tone] = {"meets it": "good", "falls short": "bad", "can't tell": "open", None: "equal"}


def document(r: Measurement) -> Document:
    """Say what the report of one score says."""
    facts = words.facts(r)
    made = Document(
        kind="score",
        context=context(
            r.settings, phrases.clean(r.task) if r.task else "", phrases.metric(r), phrases.several(r.n, "example")
        ),
        verdict=Verdict(
            badge=words.verdict(r) if r.verdict else phrases.metric(r),
            tone=TONES[r.verdict],
            headline=words.headline(r),
            details=words.details(r),
            paper=words.paper(r),
        ),
        blocks=[
            Facts(without(facts, words.MUCH_THE_SAME), readers=Reader.BRIEF),
            Facts(facts, readers=Reader.VERBOSE | Reader.PAGE | Reader.ASIDE),
            Table(
                columns=[Column("System"), Column(phrases.metric(r), "score"), Column(_level([r]), "interval")],
                rows=[(words.name(r), words.scale(r).score(r.score), bracket(r.interval, words.scale(r), sign=False))],
                readers=Reader.PAPER,
            ),
            Notes(phrases.warnings(r.warnings)),
        ],
        signatures=[phrases.signature(r.signature)],
        sections=lambda examples: [trust(r), for_the_paper(r)],
    )
    return replace(made, cases=lambda: _cases([r], made))


def _level(rs: Sequence[Measurement]) -> str:
    levels = {percent(r.interval.level) for r in rs if r.interval}
    return f"{levels.pop()} interval" if len(levels) == 1 else "Interval"


def _cases(rs: Sequence[Measurement], body: Document) -> list[Case]:
    """Return what a gate would judge: nothing without a target."""
    return [
        Case(
            group=words.name(r),
            name=phrases.clean(r.task) if r.task else phrases.metric(r),
            passed=r.verdict == "meets it",
            kind=words.verdict(r),
            message=plain(words.headline(r)),
            body=body if len(rs) == 1 else document(r),
        )
        for r in rs
        if r.verdict is not None
    ]


def document_of_several(rs: Measurements) -> Document:
    """Say what the report of several scores says."""
    what, judged = words.noun(rs), any(r.verdict for r in rs)
    counts = Counter(words.verdict(r) for r in rs)
    tones = {words.verdict(r): TONES[r.verdict] for r in rs}
    parts = [Part(times, name, tones[name]) for name, times in counts.items()]
    made = Document(
        kind="scores",
        context=_context(rs),
        verdict=Verdict(
            badge=next(iter(counts)) if len(counts) == 1 and judged else f"{whole(len(rs))} {what}s",
            tone=TONES[_worst(rs)],
            headline=words.headline_of_several(rs),
            details=words.JUDGED_ALONE if judged and len(rs) > 1 else "",
            parts=parts if judged else [],
        ),
        blocks=_blocks(rs) if len(rs) else [],
        signatures=[phrases.signature(line) for line in rs.signatures],
        sections=lambda examples: [trust(rs), for_the_paper(rs)] if len(rs) else [],
    )
    return replace(made, cases=lambda: _cases(rs.scores, made))


def _context(rs: Measurements) -> list[str]:
    if not len(rs):
        return []
    each, metrics = {r.settings.slice: r.n for r in rs if r.settings}, list(dict.fromkeys(map(phrases.metric, rs)))
    parts = phrases.several(len(each), words.noun(rs)) if len(each) > 1 else phrases.several(len(rs), words.noun(rs))
    examples = phrases.several(sum(each.values()) or rs[0].n, "example")
    return context(rs[0].settings, metrics[0] if len(metrics) == 1 else "", f"{parts}, {examples}")


def _worst(rs: Measurements) -> Attainment | None:
    order: tuple[Attainment | None, ...] = ("falls short", "can't tell", None, "meets it")
    return next((one for one in order if any(r.verdict == one for r in rs)), None)


def _blocks(rs: Measurements) -> list[Block]:
    what, shown = words.noun(rs), [words.scale(r) for r in rs]
    judged = any(r.verdict for r in rs)
    verdicts = [words.verdict(r) for r in rs]
    # A column of shares has one precision.
    most = max((one.places or 0 for one in shown if one.unit == "share"), default=0)
    shown = [replace(one, places=most) if one.unit == "share" else one for one in shown]
    tasks = words.tasks(rs)
    cells: dict[Column, Sequence[Text] | None] = {
        Column(what, room=24): tasks,
        Column("score", "score"): [one.score(r.score) for r, one in zip(rs, shown, strict=True)],
        Column(_level(rs.scores), "interval"): [
            bracket(r.interval, s, sign=False) for r, s in zip(rs, shown, strict=True)
        ],
        Column("target"): [words.target(r) for r in rs] if len({words.target(r) for r in rs}) > 1 else None,
        Column("p", "number"): [p_value(r.p_value, r.alpha) for r in rs] if judged else None,
        Column("n", "number"): [whole(r.n) for r in rs],
        Column("verdict"): verdicts if judged else None,
    }
    table = Table.of(cells, title=f"Every {what}", tones=[TONES[r.verdict] for r in rs] if judged else ())
    warnings = dict.fromkeys(
        f"{warning}" if len({r.warnings for r in rs}) == 1 else f"{task}: {warning}"
        for task, r in zip(tasks, rs, strict=True)
        for warning in r.warnings
    )
    legend = "p is the p-value of a true score just at the target." if judged else ""
    return [
        *short_on_pages(table, "rows"),
        *([Paragraph(legend)] if legend else []),
        Notes(phrases.warnings(list(warnings))),
    ]
