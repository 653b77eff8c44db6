"""Words and numbers of the page docs/calibration.md."""

from collections.abc import Iterable, Sequence


def name(test: str) -> str:
    """Return the spelling of a test without its number of replicates.

    >>> name("bootstrap:interval=bca,replicates=999"), name("bootstrap:replicates=999")
    ('bootstrap:interval=bca', 'bootstrap')
    """
    head, _, options = test.partition(":")
    kept = [option for option in options.split(",") if option and not option.startswith("replicates=")]
    return f"{head}:{','.join(kept)}" if kept else head


def percent(share: float | None) -> str:
    """Write a share.

    >>> percent(0.0483), percent(0.7), percent(None)
    ('4.8%', '70%', '–')
    """
    return "–" if share is None else f"{round(100 * share, 1):g}%"


def rate(pair: Sequence[float | None] | None) -> str:
    """Write a share and its error in percent, without the sign.

    >>> rate((0.0483, 0.0021)) == "4.8\\u00a0±\\u00a00.2", rate(None)
    (True, '–')
    """
    if pair is None or pair[0] is None or pair[1] is None:
        return "–"
    return f"{100 * pair[0]:.1f}\u00a0±\u00a0{100 * pair[1]:.1f}"


def points(share: float) -> str:
    """Write a difference of shares with its sign.

    >>> points(-0.0123)
    '−1.2 points'
    """
    return f"{100 * share:+.1f} points".replace("-", "−")


def listing(parts: Iterable[str]) -> str:
    """Join with commas, and `and` before the last."""
    *first, last = list(parts) or [""]
    return f"{', '.join(first)} and {last}" if first else last


def folded(called: str, *parts: str) -> str:
    """Fold numbers away, below a line that says what they are."""
    return "\n\n".join([f'<details markdown="1">\n<summary>{called}</summary>', *parts, "</details>"])


def table(heads: Sequence[str], lines: Iterable[Sequence[str]], words: int = 1) -> str:
    """Write a table whose first columns are words and the others numbers."""
    rule = ["---"] * words + ["--:"] * (len(heads) - words)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (heads, rule, *lines))
