"""The document of an audit: how often the default test of compare raises a false alarm, then how every test did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from referee.report import phrases
from referee.report.document import (
    BESIDE,
    Case,
    Column,
    Document,
    Facts,
    Notes,
    Paragraph,
    Reader,
    Table,
    Tone,
    Verdict,
)
from referee.report.numbers import NBSP, known, percent, whole
from referee.report.phrases import audit as words
from referee.report.sections import cases_of_rows, context, for_the_paper, short_on_pages, trust
from referee.results.audit import AlarmVerdict, Audit, alarm_verdict

TONES: dict[AlarmVerdict, Tone] = {
    "keeps": "good",
    "cautious": "good",
    "too many": "bad",
    "too few sets": "open",
    "unknown": "open",
}


def document(r: Audit) -> Document:
    """Say what the report of an audit says."""
    verdict, facts, first, more = words.verdict(r), words.facts(r), words.headline(r), words.details(r)
    return Document(
        kind="audit",
        context=context(r.settings, phrases.metric(r), phrases.several(r.n, "example") if r.n else ""),
        verdict=Verdict(
            badge=words.BADGES[verdict],
            tone=TONES[verdict],
            headline=first,
            details=" ".join(more),
            lead=" ".join(words.details(r, advice=False)),
            next=words.what_next(r),
        ),
        blocks=[
            Paragraph(words.advice(r), readers=BESIDE),
            *short_on_pages(_table(r), "rows"),
            Facts([row for row in facts if row[0] == "test sets"], readers=Reader.BRIEF),
            Facts(facts, readers=Reader.VERBOSE | Reader.PAGE | Reader.ASIDE),
            Notes(phrases.warnings(r.warnings)),
        ],
        signatures=[phrases.signature(r.signature)],
        sections=lambda examples: [trust(r), for_the_paper(r)],
        cases=lambda: _cases(r),
    )


def _rows(r: Audit) -> list[dict[str, Any]]:
    """Return the rows; groups ignored come last."""
    return sorted(r.rows, key=lambda row: row["groups"] == "ignored")


def _cases(r: Audit) -> list[Case]:
    """Return a test case for each row, which passes if the test keeps its false alarms."""
    rows = _rows(r)
    sizes = [f"n{NBSP}={NBSP}{whole(row['n'])}, alpha {percent(row['alpha'])}, {row['null']}" for row in rows]
    names = [f"{words.label(row)}, {size}" for row, size in zip(rows, sizes, strict=True)]
    passed = [TONES[alarm_verdict(row)] == "good" for row in rows]
    return cases_of_rows(_table(r), phrases.whole_metric(r), names, passed)


def _table(r: Audit) -> Table:
    """Return a row for each test, size and alpha."""
    rows, digits = _rows(r), words.places(r)
    varied = {key for key in ("null", "n", "alpha") if not words.only(r, key)}
    verdicts = [alarm_verdict(row) for row in rows]
    covers = any(known(row["coverage"]) for row in rows)
    cells: dict[Column, Sequence[str] | None] = {
        Column("test"): [words.label(row) for row in rows],
        Column("null", "number"): [row["null"] for row in rows] if "null" in varied else None,
        Column("n", "number"): [whole(row["n"]) for row in rows] if "n" in varied else None,
        Column("alpha", "number"): [percent(row["alpha"]) for row in rows] if "alpha" in varied else None,
        Column("false alarms", "number"): [words.measured(row, "false_alarm", r) for row in rows],
        Column("spread", "number"): [words.rate(row["spread"], digits) for row in rows] if r.categories > 1 else None,
        Column("power", "number"): [words.measured(row, "power", r) for row in rows] if words.differ(rows) else None,
        Column("coverage", "number"): [words.rate(row["coverage"], 1) for row in rows] if covers else None,
        Column("verdict"): verdicts,
    }
    tones, shape = [TONES[verdict] for verdict in verdicts], "grouped" if varied else "folding"
    return Table.of(cells, title=words.heading(r), announced="sentence", tones=tones, shape=shape)
