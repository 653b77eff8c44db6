"""Preferences in words: how often B wins, out of how many judgements, and what being shown first does."""

from __future__ import annotations

from dataclasses import replace

from referee.report import phrases
from referee.report.document import Name, Text
from referee.report.numbers import Scale, known, p_equation, percent, whole
from referee.report.phrases import names, several
from referee.results.comparison import Comparison, Interval

EVEN = 0.5
"""The win rate of a system that is as good as the other."""


def rate_scale(r: Comparison) -> Scale:
    """Say how win rates are written: with as many decimals as tell them from a half."""
    ends = [] if r.interval is None else [r.interval.low, r.interval.high]
    return Scale.fitting("share", [r.b.score, EVEN], [r.difference, *ends])


def of_rate(interval: Interval) -> Interval:
    """Return the interval of B's win rate by that of the difference."""
    return replace(interval, low=(1 + interval.low) / 2, high=(1 + interval.high) / 2)


def span(interval: Interval, scale: Scale) -> str:
    """Write the interval of a win rate with its level."""
    return f"{percent(interval.level)} interval {scale.score(interval.low)} to {scale.score(interval.high)}"


def headline(r: Comparison, claim: tuple[str, ...], sure: str) -> Text:
    """Say in one line how often B wins, and how sure that is.

    Args:
        r: the comparison.
        claim: what the verdict claims, or what is not shown, as the beginning of a sentence.
        sure: the p-value that the verdict follows; empty if there is none.
    """
    b, shown = names(r)[1], rate_scale(r)
    by_margin = r.question == "better" and r.verdict in ("practically equal", "no worse")
    held = r.margin_interval if by_margin else r.interval
    inside = [span(of_rate(held), shown)] if held is not None else []
    inside += [sure] if sure and not by_margin else []
    if known(r.margin) and (r.question != "better" or by_margin):
        inside.append(margin(r))
    rate = f"{shown.score(r.b.score)} ({', '.join(inside)})."
    if r.verdict in ("a better", "b better", "no worse"):
        far = " by more than the margin" if r.question != "better" and r.verdict != "no worse" else ""
        return (*claim, f"{far}: it wins {rate}")
    return (*claim, ": ", Name(b), f" wins {rate}")


def counted(r: Comparison) -> str:
    """Say how many judgements were won, tied and lost."""
    if r.preferences is None:
        return ""
    (a, b), p = names(r), r.preferences
    tied = f", and {whole(p.ties)} {'was a tie, which counts' if p.ties == 1 else 'were ties, which count'} half"
    first, last = f"of {several(r.n, 'judgement')} {b} won {whole(p.wins)}", f"{a} {whole(p.losses)}"
    return f"{first}, {last}{tied}" if p.ties else f"{first} and {last}"


def margin(r: Comparison) -> str:
    """Say what a margin between two win rates is for B's."""
    half, share = (r.margin or 0.0) / 2, Scale("share", None)
    low, high = share.score(EVEN - half), share.score(EVEN + half)
    both = r.question == "equal" or r.verdict == "practically equal"
    return f"margin {phrases.margin(r)}: {f'from {low} to {high}' if both else f'at least {low}'}"


def detectable(r: Comparison) -> str:
    """Say how small a preference could have been detected."""
    if not known(r.detectable):
        return ""
    rate = Scale("share", None).score(EVEN + r.detectable / 2)
    return f"At this size a true win rate of {rate} would be detected 4 times in 5 (80% power)."


def position(r: Comparison) -> str:
    """Say how often the system that is shown first wins; nothing if that can't be known."""
    found = r.position
    if found is None:
        return ""
    share = Scale.fitting("share", [found.first_wins, EVEN])
    inside = [span(found.interval, share)] if found.interval else []
    inside += [p_equation(found.p_value, r.alpha)] if known(found.p_value) else []
    biased = known(found.p_value) and found.p_value <= r.alpha
    what = "position bias" if biased else "no significant position bias"
    if not inside:
        return f"the one shown first wins {share.score(found.first_wins)}: whether that is luck can't be tested here"
    return f"the one shown first wins {share.score(found.first_wins)} ({', '.join(inside)}): {what}"


def orders(r: Comparison) -> str:
    """Say what B's win rate is in either order."""
    found = r.position
    if found is None:
        return ""
    (a, b), share = names(r), Scale("share", None)
    return (
        f"{b} wins {share.score(found.rate_b_first)} when shown first ({whole(found.b_first)} judgements), "
        f"{share.score(found.rate_a_first)} when {a} is ({whole(found.a_first)}); each order counts half"
    )


def consistency(r: Comparison) -> str:
    """Say how often both orders gave the same answer."""
    found = r.position
    if found is None or not found.pairs or found.consistent is None:
        return ""
    agreed = percent(found.consistent / found.pairs)
    return f"on {whole(found.consistent)} of {several(found.pairs, 'item')} judged in both orders ({agreed}) the answer stayed the same"
