"""The words that every report shares: the sentence first, then the rows behind it, all plain text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from referee.report.numbers import decimals, factor, known, number, p_equation, p_value, percent, whole
from referee.results.comparison import Comparison, Interval
from referee.runtime.safe_text import replaced

LONGEST = 60
LONG = 1000
SEPARATOR = re.compile(r"[-_/:., ]+")


def clean(text: object, longest: int = LONGEST) -> str:
    r"""Make a name from data safe to print on one line: no sign that does harm, not endless.

    >>> clean("old\n\x1b[31mred")
    'old ?[31mred'
    """
    safe = replaced(re.sub(r"\s+", " ", str(text)).strip())
    return safe if len(safe) <= longest else safe[: longest - 3] + "..."


def full(text: object) -> str:
    """End a remark as a sentence; it may begin with a name from data, so its first letter stays."""
    said = clean(text, 2000)
    return said if not said or said[-1] in ".!?" else said + "."


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
        a, b = clean(a), clean(b)
        return f"{a} (A)", f"{b} (B)"
    first, second = apart([a, b], clean)
    return first, second


def places(r: Comparison) -> int:
    """Say how many decimals the scores and their difference are shown with."""
    half = (r.interval.high - r.interval.low) / 2 if r.interval else None
    shown = (r.a.score, r.b.score, r.difference)
    small = all(value is not None and abs(value) <= 1 for value in shown)
    return max(decimals(half, shown), 2 if small else 0)


def metric(r: Comparison) -> str:
    """Return what was measured."""
    return clean(r.metric)


def headline(r: Comparison) -> str:
    """Say who is better."""
    (a, b), what = names(r), metric(r)
    first, second = number(r.a.score, places(r)), number(r.b.score, places(r))
    lower = "" if r.higher_is_better else ", and lower is better"
    brief = "" if r.higher_is_better else " (lower is better)"
    by = "" if r.question == "better" else f" by more than the margin of {margin(r)}"
    if r.verdict == "b better":
        return f"{b} is better than {a}{by}: its {what} is {second} against {first}{lower}."
    if r.verdict == "a better":
        return f"{a} is better than {b}{by}: its {what} is {first} against {second}{lower}."
    if r.verdict == "practically equal":
        return (
            f"{a} and {b} are practically equal: their {what} is {first} and {second}{brief}, and the true difference is "
            f"within the margin of {margin(r)} either way{_held(r)}."
        )
    if r.verdict == "no worse":
        return (
            f"{b} is no worse than {a}: its {what} is {second} against {first}{brief}, and that it is worse by more than "
            f"the margin of {margin(r)} is ruled out{_held(r)}."
        )
    return _undecided(r, a, b, f"({first} and {second}{', lower is better' if lower else ''})")


def _undecided(r: Comparison, a: str, b: str, scores: str) -> str:
    what = metric(r)
    if not known(r.difference):
        return f"Too close to call: the {what} of {a} and {b} cannot be compared on these data."
    if r.question != "better":
        shown = f"is no worse than {a}" if r.question == "no-worse" else f"and {a} are practically equal"
        return f"Too close to call: these data do not show that {b} {shown} in {what}, within a margin of {margin(r)} {scores}."
    if r.difference == 0:
        return f"Too close to call: {a} and {b} have the same {what} {scores}."
    if r.alternative == "two-sided":
        return f"Too close to call: these data cannot tell whether {a} or {b} has the better {what} {scores}."
    side = "higher" if r.alternative == "greater" else "lower"
    other = "; the difference lies the other way" if r.p_value is not None and r.p_value >= 1 - r.alpha else ""
    return f"Too close to call: these data do not show that {b} has a {side} {what} than {a} {scores}{other}."


def _held(r: Comparison) -> str:
    """Say which interval was held against the margin."""
    i = r.interval if r.question != "better" else r.margin_interval
    return "" if i is None else f" (by its {percent(i.level)} interval, {bracket(i, places(r))})"


def margin(r: Comparison) -> str:
    """Return the largest difference that does not matter."""
    return "unknown" if r.margin is None else f"{r.margin:.4g}"


def details(r: Comparison) -> str:
    """Say by how much, how sure, and what could have been seen."""
    if not known(r.difference):
        return "The warnings say why." if r.warnings else "The difference is unknown."
    a, b = names(r)
    said = [f"The difference ({b} minus {a}) is {number(r.difference, places(r))}{_with_interval(r)}.", luck(r)]
    if known(r.p_adjusted) and r.question == "better":
        said.append(f"Adjusted for being one of several comparisons, {p_equation(r.p_adjusted, r.alpha)}.")
    if r.verdict == "too close to call":
        said.append(detectable(r))
    rejected = r.question == "better" and r.p_value is not None and r.p_value <= r.alpha
    if r.verdict == "practically equal" and rejected:
        said.append("So there is a difference, but one too small to matter.")
    return " ".join(filter(None, said))


def _with_interval(r: Comparison) -> str:
    if r.interval is None:
        return ", its interval unknown"
    i, digits = r.interval, places(r)
    return f", with a {percent(i.level)} interval from {number(i.low, digits)} to {number(i.high, digits)}"


def luck(r: Comparison) -> str:
    """Say what the p-value means."""
    p = r.p_value
    if p is None or not known(p):
        return "How likely luck alone would give such a difference is unknown (p unknown)."
    shown = p_equation(p, r.alpha)
    if r.question != "better":
        b, how = names(r)[1], _how_often(p, r.alpha)
        if r.question == "no-worse":
            return f"If {b} were worse by the margin of {margin(r)}, a difference this favourable would occur {how} ({shown})."
        return f"If the two differed by the margin of {margin(r)}, a difference this small would occur {how} ({shown})."
    if r.difference == 0:
        return f"There is nothing that luck would have to explain ({shown})."
    if p >= 1:
        return f"Luck alone explains it ({shown})."
    more = {"two-sided": "larger", "greater": "higher", "less": "lower"}[r.alternative]
    return f"Were the two equally good, luck alone would give a difference like this or {more} {_how_often(p, r.alpha)} ({shown})."


def _how_often(p: float, alpha: float) -> str:
    if p >= 0.001:
        shown = p_value(p, alpha).removeprefix("> ")
        return f"in {'over ' if p > 0.99 else ''}{100 * float(shown):.6g}% of such test sets"
    if p >= 1e-6:
        return f"about once in {float(f'{1 / p:.2g}'):,.0f} such test sets"
    return "less than once in a million such test sets"


def detectable(r: Comparison) -> str:
    """Say how small a difference could have been seen."""
    if r.detectable is None or not known(r.detectable):
        return ""
    least = number(r.detectable, places(r))
    return f"With {size(r)}, the smallest true difference that this test would find 4 times in 5 is {least}."


def size(r: Comparison) -> str:
    """Say how many examples there are, in how many groups."""
    examples = f"{whole(r.n)} example{'' if r.n == 1 else 's'}"
    return examples if r.units == r.n else f"{examples} in {whole(r.units)} group{'' if r.units == 1 else 's'}"


def alternative(r: Comparison) -> str:
    """Say which question the p-value answers."""
    a, b = names(r)
    if r.question == "no-worse":
        return f"no worse: is {b} less than {margin(r)} worse than {a}?"
    if r.question == "equal":
        return f"equal: do {a} and {b} differ by less than {margin(r)}?"
    if r.alternative == "two-sided":
        return "two-sided: is there any difference?"
    side = "higher" if r.alternative == "greater" else "lower"
    return f"{r.alternative}: is the {metric(r)} of {b} {side} than that of {a}?"


def bracket(interval: Interval | None, digits: int) -> str:
    """Write an interval in brackets."""
    return f"[{number(interval.low, digits)}, {number(interval.high, digits)}]" if interval else "unknown"


def p_obtained(r: Comparison) -> str:
    """Write the p-value and how it was obtained."""
    how = p_kind(r)
    if not known(r.p_value):
        return "unknown"
    if r.p_error is not None and known(r.p_error) and r.p_error > 0:
        how += f", give or take {r.p_error:.1g}"
    return f"{p_value(r.p_value, r.alpha)} ({how})"


def p_kind(r: Comparison) -> str:
    """Say what kind of p-value it is: a mid-p is exact, and not what is called the exact test."""
    return "mid-p" if r.mid_p else clean(r.p_method)


def test(r: Comparison) -> str:
    """Return the spelling of the test, and that it is the mid-p where the spelling does not say so."""
    spelt = clean(r.test, 200)
    return f"{spelt} (mid-p)" if r.mid_p and "midp" not in spelt else spelt


def verdict(r: Comparison) -> str:
    """Return the verdict with the systems' own names."""
    a, b = names(r)
    return {"a better": f"{a} better", "b better": f"{b} better", "no worse": f"{b} no worse"}.get(r.verdict, r.verdict)


def warnings(r: Comparison) -> list[str]:
    """Return the warnings as sentences."""
    return [full(text) for text in dict.fromkeys(r.warnings)]


def signature(r: Comparison) -> str:
    """Return the signature on one line."""
    return clean(r.signature, 2000)


def times_too_large(inflation: float) -> str:
    """Say what forgetting that the systems saw the same examples would have cost."""
    said = "assuming independence would have made the standard error"
    if round(inflation, 1) == 1:
        return f"{said} no different"
    return (
        f"{said} {factor(inflation)} times too large"
        if inflation > 1
        else f"{said} too small ({percent(inflation)} of what it is)"
    )
