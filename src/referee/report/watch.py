"""The document of a watch: whether to stop, the scores and the interval so far, and what was seen look by look."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from referee.report import comparison as compared
from referee.report import phrases
from referee.report.document import (
    Block,
    Case,
    Column,
    Document,
    Facts,
    Notes,
    Reader,
    Section,
    Table,
    Text,
    Tone,
    Verdict,
    plain,
)
from referee.report.numbers import p_value, percent, whole
from referee.report.phrases import clean, names, scale, without
from referee.report.phrases import watch as words
from referee.report.phrases.comparison import context
from referee.report.sections import for_the_paper, trust
from referee.results.watch import Watch, WatchLook

MOST_ROWS = 20
"""So many looks a table has."""


def document(r: Watch) -> Document:
    """Say what the report of a watch says."""
    facts, headline = words.facts(r), words.headline(r)
    tone: Tone = compared.tone(r.so_far) if r.decision == "stop" and not r.drift else "open"
    made = Document(
        kind="watch",
        context=context(r.comparison),
        verdict=Verdict(
            badge=words.badge(r),
            tone=tone,
            headline=headline,
            details=words.details(r),
            lead=words.details(r, advice=False),
            next=words.what_next(r),
        ),
        blocks=[
            *compared.scores(r.so_far),
            *compared.drawing(r.so_far),
            Facts(without(facts, words.MUCH_THE_SAME), readers=Reader.BRIEF),
            Facts(facts, readers=Reader.VERBOSE | Reader.PAGE),
            *_looks(r),
            Notes(phrases.warnings(r.warnings)),
        ],
        signatures=[phrases.signature(r.signature)],
        sections=lambda examples: _sections(r, examples),
    )
    case = Case(
        group=" against ".join(names(r.comparison)),
        name=phrases.metric(r.comparison),
        passed=r.gate == 0,
        kind=r.decision if r.decision == "keep going" else clean(r.verdict),
        message=plain(headline),
        body=made,
    )
    return replace(made, cases=lambda: [case])


def _looks(r: Watch) -> list[Block]:
    """Return the looks, thinned out where they are many."""
    rows, ends = _some(r.looks, r), _so_far(r)
    shown, (of_b, of_a) = scale(r.so_far), words.favours(r)
    level = f"{percent(r.interval.level)} interval so far" if r.interval else "interval so far"
    cells: dict[Column, Sequence[Text] | None] = {
        Column("look", "number"): [whole(look.look) for look in rows] if r.looked > 1 else None,
        Column("examples", "number"): [whole(look.n) for look in rows],
        Column("difference", "score"): [shown.plain(look.difference, sign=True) for look in rows],
        Column(level, "interval"): [words.span(r, *ends[look.n]) for look in rows],
        Column("for B", "number"): [words.odds(look.log_evidence_b, brief=True) for look in rows],
        Column("for A", "number"): [words.odds(look.log_evidence_a, brief=True) for look in rows],
        Column("p", "number"): [p_value(look.p, r.alpha) for look in rows],
    }
    readers, title = Reader.VERBOSE | Reader.PAGE, f"As examples came in: the odds for B ({of_b}) and for A ({of_a})"
    return [Table.of(cells, title=title, announced="sentence", readers=readers)] if rows else []


def _so_far(r: Watch) -> dict[int, tuple[float | None, float | None]]:
    """Return where all intervals up to each look overlap, by its size; those of the looks themselves if they have nothing in common."""
    found: dict[int, tuple[float | None, float | None]] = {}
    low, high = -math.inf, math.inf
    for look in r.looks:
        if look.low is not None and look.high is not None:
            low, high = (look.low, look.high) if r.drift else (max(low, look.low), min(high, look.high))
        found[look.n] = (None, None) if look.low is None else (low, high)
    if r.interval is not None and r.looks and found[r.looks[-1].n][0] is not None:
        found[r.looks[-1].n] = (r.interval.low, r.interval.high)
    return found


def _some(looks: Sequence[WatchLook], r: Watch) -> list[WatchLook]:
    """Return looks of which the interval is known, at about even distances, with the crossing and the last."""
    there = [look for look in looks if look.low is not None] or list(looks)
    step = -(-len(there) // MOST_ROWS)
    crossing = r.stopped_at.n if r.stopped_at else None
    return [look for i, look in enumerate(there[::-1]) if i % step == 0 or look.n == crossing][::-1] if there else []


def _sections(r: Watch, examples: bool) -> list[Section]:
    return [trust(r), *(compared.examples_of([("", r.comparison)]) if examples else []), for_the_paper(r)]
