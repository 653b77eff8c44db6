"""The parts that documents share: how far to trust a result, what a paper needs, and test cases of rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from referee.report import phrases
from referee.report.document import (
    Block,
    Case,
    Details,
    Facts,
    Items,
    Notes,
    Pairs,
    Paragraph,
    Reader,
    Section,
    Table,
    Verbatim,
    plain,
)
from referee.report.numbers import whole
from referee.report.phrases import without
from referee.results.settings import Settings

MOST_ROWS = 200
"""So many rows a table has on a page."""


def trust(result: Any, behaviour: str = "") -> Section:
    """Say how far to trust a result.

    Args:
        result: what has assumptions.
        behaviour: how often the test errs, where that is asked.
    """
    from referee.report.methods import paragraph as methods

    errors = Section(title="How often this test errs", blocks=[Paragraph(behaviour)])
    assumed = Section(title="What it assumes", blocks=[Items(methods.assumptions(result))])
    return Section(key="trust", title="How far to trust it", blocks=[errors, assumed] if behaviour else [assumed])


def context(settings: Settings | None, *parts: str) -> list[str]:
    """Say what a result is of: the files, and what else there is to say above it, such as how many examples there are."""
    return [part for part in (phrases.sources(settings), *parts) if part]


def for_the_paper(result: Any) -> Section:
    """Return the paragraph on methods, with its references."""
    from referee.report.methods import paragraph as methods

    references, bibtex = methods.references(result), methods.bibtex(result)
    blocks: list[Block] = [Paragraph(methods.paragraph(result))]
    if references:
        blocks.append(Section(title="References", blocks=[Items(references)]))
    blocks.append(Details(title="The same in LaTeX", blocks=[Verbatim(methods.latex(result))]))
    if bibtex:
        blocks.append(Details(title="References as BibTeX", blocks=[Verbatim(bibtex)]))
    return Section(key="paper", title="For the paper", blocks=blocks)


def behind(facts: Pairs, usual: Collection[str], warnings: Sequence[str]) -> list[Block]:
    """Return what lies behind the tables: facts, of which the usual ones are told to those who ask, and warnings."""
    return [
        Facts(without(facts, usual), readers=Reader.BRIEF),
        Facts(facts, readers=Reader.VERBOSE | Reader.PAGE | Reader.ASIDE),
        Notes(warnings),
    ]


def left_out(rows: Sequence[object], what: str, most: int = MOST_ROWS) -> str:
    """Say how many rows are not shown."""
    many = len(rows) - most
    return f"{whole(many)} more {what} are not shown; to_json() or --format json has them all." if many > 0 else ""


def short_on_pages(table: Table, what: str) -> list[Table]:
    """Return a table that has all rows, and one with as many as a page has room for."""
    rest, short = table.readers & ~Reader.PAGE, slice(MOST_ROWS)
    on_page = replace(
        table, rows=table.rows[short], tones=table.tones[short], note=left_out(table.rows, what), readers=Reader.PAGE,
        shape="pairs" if what == "pairs" else table.shape,
    )  # fmt: skip
    return [replace(table, readers=rest), on_page]


def cases_of_rows(table: Table, group: str, names: Iterable[str], passed: Iterable[bool]) -> list[Case]:
    """Return a test case for each row of a table; its last cell but for remarks says what is wrong."""
    cases = []
    for name, row, good in zip(names, table.rows, passed, strict=True):
        cells = [(column, plain(cell)) for column, cell in zip(table.columns, row, strict=True) if cell]
        text = "; ".join(f"{column.name} {cell}" for column, cell in cells)
        kind = [cell for column, cell in cells if column.kind != "note"][-1]
        cases.append(Case(group=group, name=name, passed=good, kind=kind, message=text, body=text))
    return cases
