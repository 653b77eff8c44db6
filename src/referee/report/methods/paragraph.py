"""The methods paragraph: how a result was obtained, ready for a paper, with references and premises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from referee.errors import OptionError
from referee.report.methods import assumptions as premises
from referee.report.methods import comparison, experiments
from referee.report.methods import references as bibliography
from referee.report.methods.references import Prose
from referee.results.algorithms import Standings
from referee.results.audit import Audit
from referee.results.comparison import Comparison, Comparisons

Result: TypeAlias = Comparison | Comparisons | Standings | Audit
NATBIB = r"\providecommand{\citep}[1]{\cite{#1}}"
SENTENCES: dict[type, tuple[Callable[[Any], list[Prose]], Callable[[Any], list[str]]]] = {
    Comparison: (comparison.comparison, premises.comparison),
    Comparisons: (comparison.comparisons, premises.comparisons),
    Standings: (experiments.standings, premises.standings),
    Audit: (experiments.audit, premises.audit),
}
"""Of each result, what tells how it came about, and what it takes for granted."""


def paragraph(result: Result) -> str:
    """Return the methods paragraph as plain text, with citations as (Author, year).

    Args:
        result: a comparison, several, standings of algorithms, or an audit.
    """
    return " ".join(map(bibliography.plain, _account(result)))


def latex(result: Result) -> str:
    r"""Return the methods paragraph as LaTeX, with citations by \citep; `bibtex` has the entries.

    It compiles without natbib too: \citep is \cite there.
    """
    lines = map(bibliography.latex, _account(result))
    return "\n".join([f"{NATBIB} % for want of natbib", *lines]) + "\n"


def references(result: Result) -> list[str]:
    """Return the works that the paragraph cites as full citations, by author and year."""
    pieces = [piece for sentence in _account(result) for piece in sentence]
    known = sorted(bibliography.works_of(pieces), key=lambda work: (str(work).lower(), work.key))
    return [*map(str, known), *bibliography.others_of(pieces)]


def bibtex(result: Result) -> str:
    r"""Return the BibTeX entries of the works that the paragraph cites, in the order of their keys."""
    works = bibliography.works_of(piece for sentence in _account(result) for piece in sentence)
    entries = [work.bibtex for work in sorted(works, key=lambda work: work.key)]
    return "\n\n".join(entries) + "\n" if entries else ""


def assumptions(result: Result) -> list[str]:
    """Return what the result takes for granted, in plain sentences."""
    return _told(result)[1](result)


def _account(result: Result) -> list[Prose]:
    return _told(result)[0](result)


def _told(result: Any) -> tuple[Callable[[Any], list[Prose]], Callable[[Any], list[str]]]:
    told = next((told for kind, told in SENTENCES.items() if isinstance(result, kind)), None)
    if told is None:
        raise OptionError(
            f"a methods paragraph is of a comparison, of several, of standings or of an audit; this is a {type(result).__name__}"
        )
    return told
