"""How a comparison was watched and what that showed, sentence by sentence; and what it takes for granted."""

from __future__ import annotations

from referee.report import phrases
from referee.report.document import plain
from referee.report.methods import assumptions as premises
from referee.report.methods import comparison
from referee.report.methods.references import Prose
from referee.report.numbers import percent
from referee.report.phrases import watch as words
from referee.results.watch import Watch

ORDER = "The margin and the rule of when to stop were fixed before the first look."


def watch(r: Watch) -> list[Prose]:
    """Return the sentences about a watch."""
    *sentences, software = comparison.comparison(r.so_far)
    looked: Prose = [
        f"The data were looked at {phrases.several(r.looked, 'time')} while they arrived, and the p-value is the smallest of all "
        f"looks, which holds its false-alarm rate of {percent(r.alpha)} over all of them."
    ]
    return [*sentences, looked, [plain(words.headline(r))], software]


def assumptions(r: Watch) -> list[str]:
    """Say what a watch takes for granted."""
    return [*premises.comparison(r.so_far), ORDER]
