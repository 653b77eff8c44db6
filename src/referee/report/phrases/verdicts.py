"""What verdicts claim, in words: the sentence about B that every kind of result and the methods paragraph use, and by how much."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.report.document import Name
from referee.report.numbers import Scale
from referee.report.phrases import margin

if TYPE_CHECKING:
    from referee.results.algorithms import Pair, Standings
    from referee.results.comparison import Comparison

SHORT = 28
"""Names that are no longer stand in a verdict of a table."""


def compared(verdict: str, a: str, b: str, surely: str = "") -> tuple[str, ...]:
    """Say what a verdict claims about B, as the beginning of a sentence: the claim of every report, whatever it is about.

    Differences are B − A in every report, so it is B that is better or worse.

    Args:
        verdict: which claim.
        a: what the first is called.
        b: what the second is called.
        surely: an adverb, with a space behind it.
    """
    first, second = Name(a), Name(b)
    claims = {
        "a better": (second, f" is {surely}worse than ", first),
        "b better": (second, f" is {surely}better than ", first),
        "no worse": (second, " is no worse than ", first),
        "practically equal": (second, " and ", first, " are practically equal"),
    }
    return claims.get(verdict, ("Too close to call",))


def best_first(verdict: str, a: str, b: str) -> tuple[str, ...]:
    """Say what a verdict claims where neither is the candidate, as in a ranking: the better one comes first.

    >>> best_first("a better", "old", "new")
    ('old', ' is better than ', 'new')
    """
    return compared("b better", b, a) if verdict == "a better" else compared(verdict, a, b)


def claimed(
    verdict: str, names: tuple[str, str], what: str, scores: tuple[str, str], beyond: str = ""
) -> tuple[str, ...]:
    """Say what a verdict claims, with both scores: that of B, which is named first, comes first."""
    (a, b), (first, second) = names, scores
    claim = compared(verdict, a, b)
    if verdict == "too close to call":
        return (*claim, ": ", Name(b), f" has {what} {second}, ", Name(a), f" {first}")
    return (*claim, f"{beyond}: {what} {second} {'and' if verdict == 'practically equal' else 'against'} {first}")


def brief(r: Comparison | Standings, pair: Comparison | Pair, scale: Scale, sure: str) -> str:
    """Say in brackets what the difference is, and how sure that is."""
    within_margin = pair.verdict in ("practically equal", "no worse") and r.margin is not None
    limits = [f"margin {margin(r)}" if within_margin else "", "" if r.higher_is_better else "lower is better"]
    return f" ({', '.join(filter(None, [scale.difference(pair.difference), sure, *limits]))})"


def named(verdict: str, a: str, b: str) -> str:
    """Return a verdict about B with its own name, unless names would fill the line."""
    b = "B" if max(len(a), len(b)) > SHORT else b
    return {"a better": f"{b} worse", "b better": f"{b} better", "no worse": f"{b} no worse"}.get(verdict, verdict)
