"""The document of any result: one function for each type."""

from __future__ import annotations

from functools import singledispatch

from referee.report import algorithms, audit, comparison, comparisons, replication, trials
from referee.report.document import Document
from referee.results.algorithms import Standings
from referee.results.audit import Audit
from referee.results.comparison import Comparison, Comparisons
from referee.results.replication import Replication
from referee.results.trials import Trials


@singledispatch
def document_of(result: object) -> Document:
    """Say what the report of a result says.

    Args:
        result: a Comparison, Comparisons, Standings, Audit, Trials or Replication.
    """
    raise TypeError(f"there is no report of {type(result).__name__}")


document_of.register(Comparison, comparison.document)
document_of.register(Comparisons, comparisons.document)
document_of.register(Standings, algorithms.document)
document_of.register(Audit, audit.document)
document_of.register(Trials, trials.document)
document_of.register(Replication, replication.document)
