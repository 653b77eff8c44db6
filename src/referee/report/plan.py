"""The document of a plan: how many examples, the power at other sizes, and what it rests on."""

from __future__ import annotations

from collections.abc import Sequence

from referee.report import phrases
from referee.report.document import (
    BESIDE,
    Block,
    Case,
    Column,
    Document,
    Facts,
    Notes,
    Paragraph,
    Reader,
    Table,
    Text,
    Verdict,
    join,
    plain,
)
from referee.report.numbers import percent, whole
from referee.report.phrases import plan as words
from referee.report.phrases import variance as levels
from referee.report.phrases import without
from referee.report.sections import context, for_the_paper, trust
from referee.results.plan import Plan


def document(r: Plan) -> Document:
    """Say what the report of a plan says."""
    facts, headline, details = words.facts(r), words.headline(r), words.details(r)
    enough = r.pilot is not None and r.solved == "n" and r.pilot["units"] >= r.units
    case = Case(
        group=" against ".join(words.names(r)),
        name=phrases.whole_metric(r),
        passed=enough or r.solved != "n",
        kind="too few examples",
        message=plain(headline),
        body=plain(join(headline, details)),
    )
    return Document(
        kind="plan",
        context=context(
            r.settings,
            phrases.metric(r),
            f"a pilot of {phrases.several(r.pilot['n'], 'example')}" if r.pilot is not None else "no pilot",
        ),
        verdict=Verdict(badge=words.badge(r), tone="good" if enough else "open", headline=headline, details=details),
        blocks=[
            *_tables(r),
            Paragraph(" ".join(map(phrases.full, r.assumptions)), readers=BESIDE),
            Facts(without(facts, words.much_the_same()), readers=Reader.BRIEF),
            Facts(facts, readers=Reader.VERBOSE | Reader.PAGE | Reader.ASIDE),
            Notes(phrases.warnings(r.warnings)),
        ],
        signatures=[phrases.signature(r.signature)],
        sections=lambda examples: [trust(r), for_the_paper(r)],
        cases=lambda: [case],
    )


def _trade(r: Plan) -> Table:
    """Return the power with more of either of two crossed groups: a row per number of the second, a column per number of the first."""
    first, second = (levels.plural(phrases.clean(one["name"])) for one in r.levels)
    across, down = (sorted({row[key] for row in r.trade}) for key in ("group", "crossed"))
    power = {(row["group"], row["crossed"]): words.rate(row["power"]) for row in r.trade}
    cells: dict[Column, Sequence[Text] | None] = {Column(second, "number"): [whole(many) for many in down]}
    for many in across:
        cells[Column(f"{whole(many)} {first}", "number")] = [power[many, s] for s in down]
    return Table.of(cells, title=f"Power with more {first} or more {second}", announced="sentence")


def _tables(r: Plan) -> list[Block]:
    """Return the power at each size; and how many examples other agreements or numbers of runs need."""
    rows = r.curve
    cells: dict[Column, Sequence[Text] | None] = {
        Column("groups", "number"): [whole(row["units"]) for row in rows] if r.unit == "group" else None,
        Column("examples", "number"): [whole(row["n"]) for row in rows],
        Column("power", "number"): [words.measured(row) for row in rows],
        Column(""): [words.where(r, row) for row in rows],
    }
    tables: list[Block] = [Table.of(cells, title="Power by size of the test set", announced="sentence")]
    if r.trade:
        tables.append(_trade(r))
    if r.scenarios:
        other: dict[Column, Sequence[Text] | None] = {
            Column("both right or both wrong", "number"): [percent(row["agreement"]) for row in r.scenarios],
            Column("examples", "number"): [whole(row["n"]) for row in r.scenarios],
        }
        tables.append(Table.of(other, title="If the systems agree more often", announced="sentence"))
    if r.repeats:
        more: dict[Column, Sequence[Text] | None] = {
            Column("answers per example", "number"): [words.runs(row) for row in r.repeats],
            Column("examples", "number"): [whole(row["n"]) for row in r.repeats],
            Column("answers in all", "number"): [
                "" if row["runs"] is None else whole(row["runs"] * row["n"]) for row in r.repeats
            ],
        }
        tables.append(Table.of(more, title="If each example is answered more often", announced="sentence"))
    return tables
