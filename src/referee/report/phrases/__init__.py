"""Every sentence that a person reads, by subject; here what all share: what things are called, and how they are counted."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from referee.report.numbers import decimals, number, percent, whole
from referee.runtime.safe_text import replaced

if TYPE_CHECKING:
    from referee.results.comparison import Comparison, Interval

LONGEST = 60
LONG = 1000
SEPARATOR = re.compile(r"[-_/:., ]+")
ADJUSTMENTS = {
    "holm": "Holm",
    "hochberg": "Hochberg",
    "bh": "Benjamini-Hochberg",
    "max-t": "max-T",
    "none": "not adjusted",
}


def clean(text: object, longest: int = LONGEST) -> str:
    r"""Make a name from data safe to print on one line: no sign that does harm, not endless.

    >>> clean("old\n\x1b[31mred")
    'old ?[31mred'
    """
    safe = replaced(re.sub(r"\s+", " ", str(text)).strip())
    return safe if len(safe) <= longest else safe[: longest - 3] + "..."


def full(text: object) -> str:
    """End a remark as a sentence; it may begin with a name from data, so its first letter stays."""
    remark = clean(text, 2000)
    return remark if not remark or remark[-1] in ".!?" else remark + "."


def sentence(claim: str) -> str:
    """Make a sentence of a claim of ours."""
    return f"{claim[0].upper()}{claim[1:]}."


def warnings(texts: Sequence[str]) -> list[str]:
    """Return warnings as sentences, each once."""
    return [full(text) for text in dict.fromkeys(texts)]


def signature(text: str) -> str:
    """Return a signature on one line."""
    return clean(text, 2000)


def listed(parts: Sequence[str]) -> str:
    """Write a list in words.

    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def several(count: int, noun: str) -> str:
    """Count things.

    >>> several(1, "example"), several(1234, "example")
    ('1 example', '1,234 examples')
    """
    return f"{whole(count)} {noun}{'' if count == 1 else 's'}"


def span(shares: Sequence[float]) -> str:
    """Write the least and the most of some shares."""
    return " to ".join(dict.fromkeys([percent(min(shares)), percent(max(shares))]))


def adjustment(name: str) -> str:
    """Return how p-values are adjusted."""
    return ADJUSTMENTS.get(name, clean(name))


def apart(names: Sequence[str], cut: Callable[[str], str], gap: str = "...") -> list[str]:
    """Cut names to the room there is, such that names that differ do so when cut.

    Where a plain cut would make two the same, what all begin with gives way, then what all end with; else they are
    numbered.

    Args:
        names: what things are called, each other than the others.
        cut: makes a name fit.
        gap: what stands for what was left out.

    >>> apart(["meta-llama/Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-70B-Instruct"], lambda name: name[:14])
    ['...8B-Instruct', '...70B-Instruc']
    """
    plain = [cut(name) for name in names]
    if len(set(plain)) == len(set(names)):
        return plain
    alike = names[0][: _alike(names)]
    start = max((place.end() for place in SEPARATOR.finditer(alike)), default=0)
    end = _alike([name[start:][::-1] for name in names])
    for shorter in (
        [gap + name[start:] if start > len(gap) else name for name in names],
        [gap + name[start : len(name) - end] + gap for name in names],
    ):
        found = [cut(name) for name in shorter]
        if len(set(found)) == len(set(names)):
            return found
    return [cut(f"{number} {name}") for number, name in enumerate(names, 1)]


def _alike(names: Sequence[str]) -> int:
    """Count the signs that all names begin with: those that the first and the last in order share."""
    first, last = min(names), max(names)
    pairs = enumerate(zip(first, last, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(first), len(last)))


def names(r: Comparison) -> tuple[str, str]:
    """Return what the two systems are called, told apart where they are called the same."""
    a, b = clean(r.a.name, LONG) or "A", clean(r.b.name, LONG) or "B"
    if a == b:
        return marked(clean(a), clean(b))
    first, second = apart([a, b], clean)
    return first, second


def marked(a: str, b: str) -> tuple[str, str]:
    """Tell two of one name apart."""
    return (a, b) if a != b else (f"{a} (A)", f"{b} (B)")


def places(r: Comparison) -> int:
    """Say how many decimals the scores and their difference are shown with."""
    half = (r.interval.high - r.interval.low) / 2 if r.interval else None
    shown = (r.a.score, r.b.score, r.difference)
    small = all(value is not None and abs(value) <= 1 for value in shown)
    return max(decimals(half, shown), 2 if small else 0)


def metric(r: Comparison) -> str:
    """Return what was measured."""
    return clean(r.metric)


def margin(r: Comparison) -> str:
    """Return the largest difference that does not matter."""
    return "unknown" if r.margin is None else f"{r.margin:.4g}"


def bracket(interval: Interval | None, digits: int) -> str:
    """Write an interval in brackets."""
    return f"[{number(interval.low, digits)}, {number(interval.high, digits)}]" if interval else "unknown"


def with_interval(difference: float | None, interval: Interval | None, digits: int) -> str:
    """Write a difference with its interval in words."""
    shown = number(difference, digits)
    if interval is None:
        return f"{shown}, its interval unknown"
    low, high = number(interval.low, digits), number(interval.high, digits)
    return f"{shown}, with a {percent(interval.level)} interval from {low} to {high}"


def filled(rows: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the facts that there is something to say about."""
    return [(label, text) for label, text in rows.items() if text]


def named(verdict: str, a: str, b: str) -> str:
    """Return a verdict with the systems' own names."""
    return {"a better": f"{a} better", "b better": f"{b} better", "no worse": f"{b} no worse"}.get(verdict, verdict)


def compared(verdict: str, a: str, b: str) -> str:
    """Say what a verdict claims, as the beginning of a sentence."""
    claims = {
        "a better": f"{a} is better than {b}",
        "b better": f"{b} is better than {a}",
        "no worse": f"{b} is no worse than {a}",
        "practically equal": f"{a} and {b} are practically equal",
    }
    return claims.get(verdict, f"{a} and {b} are too close to call")
