"""Pages: what a report shows of a result, in order, before it is written as HTML. Words and rows, no markup."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any

from referee.errors import RefereeError
from referee.report import algorithms as ranked
from referee.report import audit as audited
from referee.report import charts, phrases, rows, summary
from referee.report.methods import paragraph as methods
from referee.report.numbers import known, number, p_equation, percent, whole
from referee.report.winners import sentences as winners
from referee.results.algorithms import Standings
from referee.results.audit import Audit
from referee.results.comparison import Comparison, Comparisons
from referee.runtime.safe_text import escaped

TONES = {"b better": "good", "practically equal": "good", "no worse": "good", "a better": "bad"}
"""What colour a verdict has; all others are open."""
MOST_ROWS = 200
"""So many tasks have a row."""
MOST_DETAILS = 40
"""So many tasks are told in full."""
MOST_LOOKS = 10
"""Of so many tasks the examples are read."""
TEXT = 300
"""So many signs of a text of the data are shown."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table: a head, rows of cells, and which columns are numbers."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: frozenset[int] = frozenset()
    tones: Sequence[str] = ()
    """The colour of each row's last cell, where it is a verdict."""
    note: str = ""


@dataclass(frozen=True)
class Tile:
    """A number that is seen first."""

    label: str
    value: str
    note: str = ""
    side: str = ""
    """Whose it is: "a" or "b", which have a colour and a shape of their own."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """One of several comparisons, told in full."""

    title: str
    badge: str
    tone: str
    said: str
    facts: Sequence[tuple[str, str]]


@dataclass(frozen=True, kw_only=True)
class Methods:
    """What a paper needs."""

    paragraph: str
    latex: str
    references: Sequence[str]
    bibtex: str

    @classmethod
    def of(cls, result: Any) -> Methods:
        """Collect it."""
        return cls(
            paragraph=methods.paragraph(result),
            latex=methods.latex(result),
            references=methods.references(result),
            bibtex=methods.bibtex(result),
        )


@dataclass(frozen=True, kw_only=True)
class Page:
    """All that a report shows."""

    kind: str
    """What the result is: a comparison, an audit."""
    badge: str
    """The verdict in a few words."""
    tone: str
    """"good", "bad" or "open"."""
    headline: str
    details: str
    tiles: Sequence[Tile] = ()
    warnings: Sequence[str] = ()
    figures: Sequence[charts.Figure] = ()
    tables: Sequence[Table] = ()
    facts: Sequence[tuple[str, str]] = ()
    parts: Sequence[Part] = ()
    parts_note: str = ""
    assumptions: Sequence[str] = ()
    behaviour: Sequence[str] = ()
    """How often the test errs on data like these."""
    examples: Table | None = None
    methods: Methods
    signatures: Sequence[str]
    content: str = field(repr=False)
    """The JSON of the result."""


@singledispatch
def page(result: Any) -> Page:
    """Say what the report of a result shows.

    Args:
        result: a Comparison, Comparisons, Standings or Audit.

    Raises:
        OptionError: where the extra `report` is not there.
    """
    raise TypeError(f"there is no report of {type(result).__name__}")


@page.register
def _(r: Comparison) -> Page:
    (a, b), digits = phrases.names(r), phrases.places(r)
    tiles = [
        Tile(a, number(r.a.score, digits), _level(r.a.interval, digits), "a"),
        Tile(b, number(r.b.score, digits), _level(r.b.interval, digits), "b"),
        Tile("difference", _signed(r.difference, digits), _level(r.interval, digits)),
        Tile("luck", p_equation(r.p_value, r.alpha), phrases.p_kind(r) if known(r.p_value) else ""),
    ]
    behaviour = rows.audit(r)
    return Page(
        kind="comparison",
        badge=phrases.verdict(r),
        tone=_tone(r),
        headline=phrases.headline(r),
        details=phrases.details(r),
        tiles=tiles,
        warnings=phrases.warnings(r),
        figures=charts.figures(r),
        tables=[_measures(r)],
        facts=[(name, said) for name, said in rows.facts(r) if name != "audit"],
        assumptions=methods.assumptions(r),
        behaviour=[_sentence(behaviour or rows.unmeasured(r.audit_seconds))],
        examples=_examples([("", r)]),
        methods=Methods.of(r),
        signatures=[phrases.signature(r)],
        content=_json(r.to_dict()),
    )


@page.register
def _(rs: Comparisons) -> Page:
    counted: dict[str, int] = {}
    for r in rs:
        counted[phrases.verdict(r)] = counted.get(phrases.verdict(r), 0) + 1
    tones = {_tone(r) for r in rs}
    behaviour = summary.audits(rs)
    head = (*summary.HEAD[:6], f"p ({summary.adjustment(rs)})", summary.HEAD[7])
    told, names = summary.rows(rs), summary.tasks(rs)
    shown, full = (summary.telling(rs, most) for most in (MOST_ROWS, MOST_DETAILS))
    return Page(
        kind="comparisons",
        badge=next(iter(counted)) if len(counted) == 1 else f"{whole(len(rs))} tasks",
        tone=tones.pop() if len(tones) == 1 else "open",
        headline=summary.sentence(rs),
        details=" ".join(filter(None, [summary.legend(rs), summary.direction(rs)])),
        tiles=[Tile(verdict, whole(times), "task" if times == 1 else "tasks") for verdict, times in counted.items()],
        warnings=summary.warnings(rs),
        figures=charts.figures(rs),
        tables=[
            Table(
                title="Every task",
                head=head,
                rows=[told[place] for place in shown],
                numbers=frozenset(range(1, 7)),
                tones=[_tone(rs[place]) for place in shown],
                note=_left_out(len(rs) - len(shown), "tasks, those with the largest p,"),
            )
        ],
        parts=[_part(names[place], rs[place]) for place in full],
        parts_note=_left_out(len(rs) - len(full), "tasks, those with the largest p,"),
        assumptions=methods.assumptions(rs),
        behaviour=behaviour or [_sentence(rows.unmeasured(None))],
        examples=_examples_of_each(rs),
        methods=Methods.of(rs),
        signatures=summary.signatures(rs)[:MOST_ROWS],
        content=_json(rs.to_dict()),
    )


@page.register
def _(r: Standings) -> Page:
    first, *more = winners(r)
    (head, body), (columns, pairs) = ranked.algorithms(r), ranked.pairs(r)
    clear = 0 < len(r.best) < len(r.algorithms)
    return Page(
        kind="algorithms",
        badge=_best(r),
        tone="good" if clear else "open",
        headline=first,
        details=" ".join(more),
        warnings=[*ranked.warnings(r), *(f"Failed: {said}" for said in ranked.failures(r))],
        figures=charts.figures(r),
        tables=[
            Table(title="Algorithms, best first", head=head, rows=body, numbers=frozenset(range(1, len(head) - 1))),
            Table(
                title=ranked.heading(r).removesuffix(":"),
                head=columns,
                rows=pairs[:MOST_ROWS],
                numbers=frozenset(range(2, len(columns) - 1)),
                note=_left_out(len(pairs) - MOST_ROWS, "pairs"),
            ),
        ],
        facts=ranked.facts(r),
        assumptions=methods.assumptions(r),
        methods=Methods.of(r),
        signatures=[ranked.signature(r)],
        content=_json(r.to_dict()),
    )


@page.register
def _(r: Audit) -> Page:
    first, *more = audited.sentences(r)
    head, body = audited.table(r)
    ordered = sorted(r.rows, key=lambda row: row["groups"] == "ignored")
    kept = audited.verdict(r.row(alpha=r.alpha))
    badges = {
        "keeps": "keeps its false alarms",
        "cautious": "cautious",
        "too many": "too many false alarms",
        "unknown": "unknown",
    }
    tones = {"keeps": "good", "cautious": "good", "too many": "bad"}
    return Page(
        kind="audit",
        badge=badges[kept],
        tone=tones.get(kept, "open"),
        headline=first,
        details=" ".join([*more, audited.advice(r)]),
        warnings=audited.warnings(r),
        figures=charts.figures(r),
        tables=[
            Table(
                title=audited.heading(r).removesuffix(":"),
                head=head,
                rows=body[:MOST_ROWS],
                numbers=frozenset(range(1, len(head) - 1)),
                tones=[tones.get(audited.verdict(row), "open") for row in ordered],
                note=_left_out(len(body) - MOST_ROWS, "rows"),
            )
        ],
        facts=audited.facts(r),
        assumptions=methods.assumptions(r),
        methods=Methods.of(r),
        signatures=[audited.signature(r)],
        content=_json(r.to_dict()),
    )


def _best(r: Standings) -> str:
    if len(r.best) == 1:
        return f"{phrases.clean(r.best[0])} best"
    return f"{whole(len(r.best))} of {whole(len(r.algorithms))} best" if r.best else "nobody best"


def _part(task: str, r: Comparison) -> Part:
    said = f"{phrases.headline(r)} {phrases.details(r)}"
    # That it was not measured is said once for all.
    facts = [(name, told) for name, told in rows.facts(r) if name != "audit" or r.audit]
    return Part(title=task, badge=phrases.verdict(r), tone=_tone(r), said=said, facts=facts)


def _measures(r: Comparison) -> Table:
    return Table(
        title="Scores",
        head=("", phrases.metric(r), "interval", "made by"),
        rows=rows.measures(r),
        numbers=frozenset({1, 2}),
    )


def _examples_of_each(rs: Comparisons) -> Table | None:
    """Return the examples of several tasks, of each as many; tasks of the same examples, by other metrics, are one."""
    pairs = {phrases.names(r) for r in rs}
    return _examples(list(zip(summary.tasks(rs), rs, strict=True))[:MOST_LOOKS]) if len(pairs) == 1 else None


def _examples(tasks: Sequence[tuple[str, Comparison]]) -> Table | None:
    """Return the examples on which the systems differ, with the columns that there are."""
    title = "Where they differ"
    try:
        looks = {r.examples(): task for task, r in reversed(tasks)}
    except RefereeError as error:
        return Table(title=title, head=(), rows=(), note=f"The examples could not be read again: {error}")
    several = len(looks) > 1
    quota = math.ceil(max(map(len, looks)) / len(looks))
    found = [(task, one) for look, task in reversed(looks.items()) for one in look[:quota]]
    if not found:
        return None
    a, b = phrases.names(tasks[0][1])
    who = {"a": a, "b": b, "both": "both", "neither": "neither", None: ""}
    columns: dict[str, list[str]] = {
        "task": [task for task, _ in found] if several else [],
        "example": [phrases.clean(one.id or "") for _, one in found],
        "text": [phrases.clean(one.text or "", TEXT) for _, one in found],
        "truth": [phrases.clean("" if one.truth is None else one.truth) for _, one in found],
        f"{a} says": [phrases.clean(one.a) for _, one in found],
        f"{b} says": [phrases.clean(one.b) for _, one in found],
        "right": [who[one.right] for _, one in found],
    }
    kept = {name: cells for name, cells in columns.items() if any(cells)}
    said = f"The first {whole(len(found))} examples" if len(found) > 1 else "The one example"
    return Table(
        title=title,
        head=list(kept),
        rows=[list(row) for row in zip(*kept.values(), strict=True)],
        note=f"{said}{' of the tasks' if several else ''} on which the two differ, in the order of the data.",
    )


def _level(interval: Any, digits: int) -> str:
    # The blanks hold the bracket together on a narrow screen.
    return (
        f"{phrases.bracket(interval, digits)} at {percent(interval.level)}".replace(", ", ",\u00a0") if interval else ""
    )


def _signed(value: float | None, digits: int) -> str:
    shown = number(value, digits)
    return f"+{shown}" if value is not None and known(value) and value > 0 else shown


def _tone(r: Comparison) -> str:
    return TONES.get(r.verdict, "open")


def _sentence(said: str) -> str:
    return f"{said[0].upper()}{said[1:]}."


def _left_out(many: int, what: str) -> str:
    return f"{whole(many)} more {what} are not shown; to_json() or --format json has them all." if many > 0 else ""


def _json(content: dict[str, Any]) -> str:
    return escaped(json.dumps(content, ensure_ascii=False, allow_nan=False))
