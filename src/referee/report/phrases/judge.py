"""What a judge added, in words: how often it agrees with people, how far it is off, and what people's labels are worth with it."""

from __future__ import annotations

from referee.report.numbers import Scale, coefficient, known, percent, whole
from referee.report.phrases import about, clean, scale
from referee.results.comparison import Comparison
from referee.results.judge import Judge
from referee.results.ranking import Ranking

LEAST = 1.02
"""Labels that are worth less than so many times their number are worth their number."""
SHARE = Scale("share")


def labelled(r: Comparison | Ranking) -> str:
    """Say how many of the examples people labelled, if not all."""
    j = r.judge if isinstance(r, Comparison) else None
    return f", {whole(j.labelled)} of them labelled by people" if j and j.labelled < j.judged else ""


def told(r: Comparison) -> str:
    """Say in three sentences how good the judge is, how far it is off, and what it adds."""
    if r.judge is None:
        return ""
    return " ".join(filter(None, [agrees(r), _off(r), _worth(r.judge)]))


def agrees(r: Comparison) -> str:
    """Say how far the judge agrees with people."""
    j = r.judge
    if j is None or not j.labelled:
        return ""
    on = f"on {_all(j.labelled, 'labelled example')}"
    if not known(j.correlation) and not known(j.agreement):
        return ""
    if known(j.correlation):
        alike = f"The judge's scores and people's have a correlation of {coefficient(j.correlation)} {on}"
        return f"{alike}, and are the same in {percent(j.agreement)}." if known(j.agreement) else f"{alike}."
    return f"The judge agrees with people on {SHARE.score(j.agreement)} of {_all(j.labelled, 'labelled example')}."


def _all(count: int, what: str) -> str:
    return f"the only {what}" if count == 1 else f"the {whole(count)} {what}s"


def _off(r: Comparison) -> str:
    """Say by how much the judge alone is off in the difference."""
    bias, shown = r.judge.bias if r.judge else None, scale(r)
    if bias is None:
        return ""
    if not bias.difference:
        return "On its own it would give the same difference on them."
    way = "high" if bias.difference > 0 else "low"
    interval = (
        f"{percent(bias.interval.level)} interval {shown.span(bias.interval.low, bias.interval.high)}"
        if bias.interval
        else "too few labels bear on it for an interval"
    )
    return f"On its own it would put the difference {shown.difference(abs(bias.difference), sign=False)} too {way} ({interval})."


def _worth(j: Judge) -> str:
    if j.labelled >= j.judged:
        return ""
    if j.worth < LEAST * j.labelled:
        return f"It adds next to nothing to {_all(j.labelled, 'human label')}."
    return f"With its help {_all(j.labelled, 'human label')} {'is' if j.labelled == 1 else 'are'} as good as {about(round(j.worth))}."


def what_next(r: Comparison) -> str:
    """Say how many labels would settle it."""
    j = r.judge
    if j is None or (j.needed is None and not j.unreachable):
        return ""
    confirm = "To confirm a difference this large 4 times in 5,"
    if j.unreachable or (j.needed or 0) > j.judged:
        return f"{confirm} more examples are needed, not only more labels: the judge saw {whole(j.judged)}."
    return f"{confirm} have people label about {about(j.needed or 0)} of the examples instead of {whole(j.labelled)}."


def facts(r: Comparison) -> dict[str, str]:
    """Return what lies behind it, by label."""
    j = r.judge
    if j is None:
        return {}
    seen = f"{whole(j.labelled)}, worth {about(round(j.worth))} with the judge's help" if labelled(r) else ""
    shown, own = scale(r), j.human.interval
    span = f", {percent(own.level)} interval {shown.span(own.low, own.high)}" if own else ""
    alone = f"{shown.difference(j.human.difference)}{span}" if known(r.difference) else ""
    cells = "; ".join(f"{clean(row['human'])} called {clean(row['judge'])}: {whole(row['n'])}" for row in j.confusion)
    return {
        "human labels": seen,
        "without judge": alone,
        "judge": f"weight (λ) {coefficient(j.weight)}; interval {percent(j.width)} as wide as without it",
        "confusion": cells,
    }
