"""The document of an audit: how often the test that compare takes raises a false alarm, then what every test did."""

from __future__ import annotations

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
from referee.report.sections import cases_of_rows, figures, for_the_paper, short_on_pages, trust
from referee.results.audit import AlarmVerdict, Audit, alarm_verdict

TONES: dict[AlarmVerdict, Tone] = {"keeps": "good", "cautious": "good", "too many": "bad", "unknown": "open"}


def document(r: Audit) -> Document:
    """Say what the report of an audit says."""
    first, *more = words.sentences(r)
    verdict = alarm_verdict(r.row(alpha=r.alpha))
    return Document(
        kind="audit",
        verdict=Verdict(badge=words.BADGES[verdict], tone=TONES[verdict], headline=first, details=" ".join(more)),
        blocks=[
            Paragraph(words.advice(r), readers=BESIDE),
            *short_on_pages(_table(r), "rows"),
            Facts(words.brief_facts(r), readers=Reader.BRIEF),
            Facts(words.facts(r), readers=Reader.VERBOSE | Reader.PAGE | Reader.ASIDE),
            Notes(phrases.warnings(r.warnings)),
        ],
        signatures=[phrases.signature(r.signature)],
        figures=lambda: figures(r),
        sections=lambda examples: [trust(r), for_the_paper(r)],
        cases=lambda: _cases(r),
        content=r.to_dict,
    )


def _rows(r: Audit) -> list[dict[str, Any]]:
    """Return the rows; groups ignored come last."""
    return sorted(r.rows, key=lambda row: row["groups"] == "ignored")


def _cases(r: Audit) -> list[Case]:
    """Return a test case for each row, which passes if the test keeps its false alarms."""
    rows = _rows(r)
    names = [
        f"{words.label(row)}, n{NBSP}={NBSP}{whole(row['n'])}, alpha {percent(row['alpha'])}, {row['null']}"
        for row in rows
    ]
    return cases_of_rows(
        _table(r), phrases.clean(r.metric), names, [TONES[alarm_verdict(row)] == "good" for row in rows]
    )


def _table(r: Audit) -> Table:
    """Return a row for each test, size and alpha."""
    rows, digits = _rows(r), words.places(r)
    covers = any(known(row["coverage"]) for row in rows)
    cells = {
        "test": [words.label(row) for row in rows],
        "null": [] if words.only(r, "null") else [row["null"] for row in rows],
        "n": [] if words.only(r, "n") else [whole(row["n"]) for row in rows],
        "alpha": [] if words.only(r, "alpha") else [percent(row["alpha"]) for row in rows],
        "false alarms": [words.measured(row, "false_alarm", r) for row in rows],
        "spread": [words.rate(row["spread"], digits) for row in rows] if words.is_several(r) else [],
        "power": [words.measured(row, "power", r) for row in rows] if words.differ(rows) else [],
        "coverage": [words.rate(row["coverage"], 1) for row in rows] if covers else [],
        "verdict": [alarm_verdict(row) for row in rows],
    }
    there = {name: column for name, column in cells.items() if column}
    return Table(
        title=words.heading(r),
        announced="sentence",
        columns=[Column(name, "text" if name in ("test", "verdict") else "number") for name in there],
        rows=list(zip(*there.values(), strict=True)),
        tones=[TONES[alarm_verdict(row)] for row in rows],
        shape="grouped" if {"null", "n", "alpha"} & there.keys() else "folding",
    )
