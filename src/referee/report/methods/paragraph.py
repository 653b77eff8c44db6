"""The methods paragraph: how a result was obtained, ready for a paper, with references and premises."""

from __future__ import annotations

from typing import TypeAlias

from referee.errors import OptionError
from referee.report.methods import accounts, experiments, prose
from referee.report.methods import assumptions as premises
from referee.report.methods import references as bibliography
from referee.results.algorithms import Standings
from referee.results.audit import Audit
from referee.results.comparison import Comparison, Comparisons

Result: TypeAlias = Comparison | Comparisons | Standings | Audit
NATBIB = r"\providecommand{\citep}[1]{\cite{#1}}"


def paragraph(result: Result) -> str:
    """Return the methods paragraph as plain text, with citations as (Author, year).

    Args:
        result: a comparison, several, standings of algorithms, or an audit.
    """
    return " ".join(prose.plain(sentence) for sentence in _account(result))


def latex(result: Result) -> str:
    r"""Return the methods paragraph as LaTeX, with citations by \citep; `bibtex` has the entries.

    It compiles without natbib too: \citep is \cite there.
    """
    lines = [prose.latex(sentence) for sentence in _account(result)]
    return "\n".join([f"{NATBIB} % for want of natbib", *lines]) + "\n"


def references(result: Result) -> list[str]:
    """Return the works that the paragraph cites as full citations, by author and year."""
    pieces = [piece for sentence in _account(result) for piece in sentence]
    known = sorted(prose.works(pieces), key=lambda work: (str(work).lower(), work.key))
    return [*map(str, known), *prose.others(pieces)]


def bibtex(result: Result) -> str:
    r"""Return the BibTeX entries of the works that the paragraph cites."""
    found = prose.works(piece for sentence in _account(result) for piece in sentence)
    return bibliography.bibtex(found) + "\n" if found else ""


def assumptions(result: Result) -> list[str]:
    """Return what the result takes for granted, in plain sentences."""
    if isinstance(result, Comparison):
        return premises.comparison(result)
    if isinstance(result, Comparisons):
        return premises.comparisons(result)
    if isinstance(result, Standings):
        return premises.standings(result)
    return premises.audit(_audit(result))


def _account(result: Result) -> list[prose.Prose]:
    if isinstance(result, Comparison):
        return accounts.comparison(result)
    if isinstance(result, Comparisons):
        return accounts.comparisons(result)
    if isinstance(result, Standings):
        return experiments.standings(result)
    return experiments.audit(_audit(result))


def _audit(result: object) -> Audit:
    if not isinstance(result, Audit):
        raise OptionError(
            f"a methods paragraph is of a comparison, of several, of standings or of an audit; this is a {type(result).__name__}"
        )
    return result
