"""How a comparison was watched and what that showed, sentence by sentence; and what it takes for granted."""

from __future__ import annotations

from referee.report import phrases
from referee.report.document import plain
from referee.report.methods import assumptions as premises
from referee.report.methods import comparison
from referee.report.methods.references import Prose
from referee.report.numbers import p_equation, percent
from referee.report.phrases import watch as words
from referee.results.watch import Watch

RULE = "What was asked was fixed before the first look; when to look was not."


def watch(r: Watch) -> list[Prose]:
    """Return the sentences about a watch."""
    # If what the examples say has changed, the present ones are told of by themselves.
    *sentences, software = comparison.comparison(r.comparison if r.drift else r.so_far)
    when = f"at {phrases.several(r.looked, 'look')}" if r.only_looks else "as the examples came in"
    least = f"over all looks {p_equation(r.p_value, r.alpha)}" if r.drift else "the p-value is the smallest so far"
    looked: Prose = [
        f"Evidence was computed {when}, and {least}, which holds a false-alarm rate of {percent(r.alpha)} over all looks."
    ]
    return [*sentences, looked, [plain(words.headline(r))], software]


def assumptions(r: Watch) -> list[str]:
    """Say what a watch takes for granted."""
    return [*premises.comparison(r.so_far), RULE]
