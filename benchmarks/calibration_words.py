"""Words and numbers of the page docs/calibration.md."""

from collections.abc import Iterable, Sequence
from typing import Any


def name(test: str) -> str:
    """Return the spelling of a test without its number of replicates.

    >>> name("bootstrap:interval=bca,replicates=999"), name("bootstrap:replicates=4999")
    ('bootstrap:interval=bca', 'bootstrap')
    """
    head, _, options = test.partition(":")
    kept = [option for option in options.split(",") if option and not option.startswith("replicates=")]
    return f"{head}:{','.join(kept)}" if kept else head


def percent(share: float | None) -> str:
    """Write a share.

    >>> percent(0.0483), percent(0.7), percent(None)
    ('4.8 %', '70 %', 'unknown')
    """
    if share is None:
        return "unknown"
    return f"{100 * share:.1f} %" if share < 0.1 else f"{100 * share:.0f} %"


def rate(share: float | None, error: float | None = None) -> str:
    """Write a share in percent, without the sign, with its error."""
    if share is None:
        return "–"
    return f"{100 * share:.1f}" + ("" if error is None else f" ± {100 * error:.1f}")


def shown(row: dict[str, Any]) -> str:
    """Write the false alarms of a row."""
    return f"{100 * row['false_alarm']:.1f} % ± {100 * row['false_alarm_error']:.1f}"


def interval_of_rates(rows: Sequence[dict[str, Any]]) -> str:
    """Say between what the false alarms of rows lie, with the largest error."""
    shares = [row["false_alarm"] for row in rows if row["false_alarm"] is not None]
    error = max(row["false_alarm_error"] for row in rows if row["false_alarm"] is not None)
    return f"from {100 * min(shares):.1f} to {100 * max(shares):.1f} % (± at most {100 * error:.1f})"


def listing(parts: Iterable[str]) -> str:
    """Join with commas, and `and` before the last."""
    *first, last = list(parts) or [""]
    return f"{', '.join(first)} and {last}" if first else last


def plural(count: int, one: str, more: str) -> str:
    return f"{count:,} {one if count == 1 else more}"


def table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rule = [
        "---" if head in ("test", "metric", "groups", "what it is", "models, categories") else "--:" for head in heads
    ]
    return "\n".join("| " + " | ".join(map(unbroken, cells)) + " |" for cells in (heads, rule, *lines))


def unbroken(cell: str) -> str:
    """Keep a number, its error and its sign on one line of a narrow table.

    >>> unbroken("1.4 ± 0.2 / 12 % ± 1.6") == "1.4\\u00a0±\\u00a00.2\\u00a0/ 12\\u00a0%\\u00a0±\\u00a01.6"
    True
    """
    return cell.replace(" ± ", "\u00a0±\u00a0").replace(" %", "\u00a0%").replace(" / ", "\u00a0/ ")


def few(count: float) -> str:
    """Write an expected number, with a digit after the point where it is small.

    >>> few(0.2188), few(7.11), few(118.4)
    ('0.2', '7', '118')
    """
    return f"{count:.1f}" if count < 2 else f"{count:,.0f}"
