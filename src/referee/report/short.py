"""A result in two lines, as Python shows it among other values: the verdict, then how much it rests on, the test and p."""

from __future__ import annotations

import textwrap
from typing import Any

from referee.report.document import plain
from referee.report.documents import document_of
from referee.report.nouns import plural
from referee.report.numbers import known, p_equation, whole
from referee.report.phrases.comparison import says_p
from referee.report.phrases.dataset_ranking import TESTS as DATASET_TESTS
from referee.report.phrases.method_names import test_name
from referee.report.phrases.posterior import sure
from referee.results.comparison import Comparison, Comparisons
from referee.results.dataset_ranking import DatasetRanking
from referee.results.measurement import Measurements
from referee.results.ranking import Rankings
from referee.runtime.safe_text import escaped

LONGEST = 100
"""So many signs of the headline are shown."""
PARTS: dict[type, str] = {Comparisons: "comparison", Rankings: "ranking", Measurements: "score"}
"""Results of several parts, and what one part is called."""


def two_lines(result: Any) -> str:
    """Say in two lines what a result is.

    Args:
        result: any result.
    """
    headline = textwrap.shorten(plain(document_of(result).verdict.headline), LONGEST, placeholder=" …")
    return escaped(f"<{type(result).__name__}: {headline}\n {', '.join(rests_on(result))}>").replace("\xa0", " ")


def rests_on(result: Any) -> list[str]:
    """Say how large the data are, which test it is, and p."""
    called = PARTS.get(type(result))
    parts = [*result] if called else []
    first = parts[0] if parts else result
    told = [_many(len(parts), called)] if called else []
    sizes = {getattr(one, "n", None) for one in parts or [result]}
    if len(sizes) == 1 and isinstance(n := sizes.pop(), int):
        told.append(f"n = {whole(n)}")
    test = getattr(first, "test", None)
    if isinstance(test, str) and test:
        of_datasets = DATASET_TESTS.get(test) if isinstance(result, DatasetRanking) else None
        told.append(of_datasets or test_name(test, getattr(first, "mid_p", False)))
    p = getattr(result, "p_value", None)
    believed = getattr(result, "posterior", None)
    if believed is not None:
        told.append(sure(result, believed))
    elif says_p(result) if isinstance(result, Comparison) else known(p):
        told.append(p_equation(p, getattr(result, "alpha", 0.05)))
    rows = getattr(result, "rows", None)
    return told or ([_many(len(rows), "row")] if rows is not None else ["no data"])


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun if count == 1 else plural(noun)}"
