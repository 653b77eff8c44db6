"""Claims: what a paper says beside what we get, whether they agree, and how verdicts on parts combine into one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

Row = dict[str, Any]
Verdict = bool | None
"""Whether something holds; None where it cannot be judged."""


def claim(what: str, paper: Any, ours: Any, agrees: Verdict, note: str = "") -> Row:
    """Return a row of a replication."""
    return {"what": what, "paper": paper, "ours": ours, "agrees": agrees, "note": note}


def percent(value: float | None, spread: float | None = None) -> str:
    """Write a share in percent, with its spread over categories.

    >>> percent(0.0312, 0.021), percent(None), percent(0.996), percent(1.0)
    ('3.1±2.1', '-', '99.6', '100')
    """
    if value is None:
        return "-"
    shown = f"{100 * value:.1f}" if value < 0.9995 else "100"
    return shown if spread is None else f"{shown}±{100 * spread:.1f}"


def round_floats(row: Row, digits: int = 5) -> Row:
    """Return a row with so many digits of each number that is not whole."""
    return {key: round(value, digits) if isinstance(value, float) else value for key, value in row.items()}


def _add_up(rule: Callable[[list[bool]], bool]) -> Callable[[Iterable[Verdict]], Verdict]:
    def judge(verdicts: Iterable[Verdict]) -> Verdict:
        known = [verdict for verdict in verdicts if verdict is not None]
        return rule(known) if known else None

    return judge


everywhere = _add_up(all)
"""It holds wherever it can be judged."""
mostly = _add_up(lambda known: 2 * sum(known) > len(known))
"""It holds in more than half of where it can be judged."""
somewhere = _add_up(any)
"""It holds at least once."""
