"""The document of trials of the tests of learning algorithms: which keep their promise, and what each did in every world."""

from __future__ import annotations

from collections.abc import Sequence

from referee.report import phrases
from referee.report.audit import TONES
from referee.report.document import Case, Column, Document, Facts, Table, Verdict
from referee.report.numbers import whole
from referee.report.phrases import trials as words
from referee.report.sections import cases_of_rows, figures
from referee.results.audit import PRECISE, alarm_verdict
from referee.results.trials import Row, Trials

COLUMNS = [
    Column("design"),
    Column("test"),
    Column("fits", "number"),
    Column("false alarms", "number"),
    Column("power", "number"),
    Column("verdict"),
]


def document(r: Trials) -> Document:
    """Say what the report of trials says."""
    first, *more = words.sentences(r)
    return Document(
        kind="trials",
        verdict=Verdict(
            badge=words.badge(r),
            tone="good" if r.keeping else "bad" if r.breaking else "open",
            headline=first,
            details=" ".join(more),
        ),
        blocks=[*(_table(title, rows) for title, rows in _groups(r).items()), Facts(words.facts(r))],
        signatures=[phrases.signature(r.signature)],
        figures=lambda: figures(r),
        cases=lambda: [case for title, rows in _groups(r).items() for case in _cases(title, rows)],
        content=r.to_dict,
    )


def _groups(r: Trials) -> dict[str, list[Row]]:
    """Return the rows of each table under its title."""
    groups: dict[str, list[Row]] = {}
    for row in r.rows:
        groups.setdefault(words.heading(row), []).append(row)
    return groups


def _cases(title: str, rows: Sequence[Row]) -> list[Case]:
    """Return a test case for each row, which passes where the test is seen to keep its false alarms."""
    names = [words.name(row["design"], row["test"]) for row in rows]
    return cases_of_rows(_table(title, rows), title, names, [_verdict(row) in ("keeps", "cautious") for row in rows])


def _table(title: str, rows: Sequence[Row]) -> Table:
    cells = [
        (
            *(phrases.clean(row[key], phrases.LONG) for key in ("design", "test")),
            whole(row["fits"]),
            *(f"{100 * row[key]:.1f} ± {100 * row[f'{key}_error']:.1f}" for key in ("false_alarm", "power")),
            _verdict(row),
        )
        for row in rows
    ]
    return Table(
        title=title,
        announced="sentence",
        columns=COLUMNS,
        rows=cells,
        tones=[TONES[alarm_verdict(row)] for row in rows],
        titles=[f"{row[0]}, {row[1]}: {row[-1]}" for row in cells],
        in_titles=(0, 1, 5),
    )


def _verdict(row: Row) -> str:
    verdict = alarm_verdict(row)
    imprecise = row["false_alarm_error"] > PRECISE * row["alpha"]
    return "too few sets" if verdict == "keeps" and imprecise else verdict
