"""A posterior in words: how probable it is that a system is better, and what a wrong choice would cost. Never a p-value."""

from __future__ import annotations

from referee.report.numbers import NBSP, known, p_value, percent, whole
from referee.report.phrases import margin, names, scale, size_of
from referee.report.phrases.method_names import test_name
from referee.results.comparison import Comparison
from referee.results.posterior import Posterior

LEAST = 0.001
"""Probabilities nearer to 0 or to 1 are told as that near: so few draws say no more."""
HUNDREDTH = 1e-4
"""A hundredth of a point."""
KINDS = {
    "examples": "the Bayesian bootstrap of the examples, without a prior",
    "groups": "the Bayesian bootstrap of whole groups, without a prior",
    "systems": "each system's own, as if they had answered different examples",
}


def chance(share: float) -> str:
    """Write a probability.

    >>> chance(0.9971), chance(0.87), chance(0.99995), chance(0.0)
    ('99.7%', '87%', 'over 99.9%', 'under 0.1%')
    """
    if share < LEAST:
        return f"under {percent(LEAST)}"
    return f"over {percent(1 - LEAST)}" if share > 1 - LEAST else percent(share)


def asked(r: Comparison, p: Posterior) -> tuple[str, float | None]:
    """Return what the verdict is about, as a claim, and how probable that is."""
    a, b = names(r)
    if r.question == "no-worse" or r.verdict == "no worse":
        return f"that {b} is no worse", p.probability_no_worse
    if r.question == "equal" or r.verdict == "practically equal":
        return "of a difference within the margin", p.probability_within_margin
    if r.verdict == "a better":
        return f"that {a} is better", p.probability_a_better
    return f"that {b} is better", p.probability_b_better


def sure(r: Comparison, p: Posterior | None) -> str:
    """Say how sure a verdict is, in brackets; of what, unless the verdict has just said it."""
    if p is None:
        return "no posterior"
    what, share = asked(r, p)
    if share is None:
        return "probability unknown"
    return f"probability {'' if r.verdict in ('a better', 'b better') else f'{what} '}{chance(share)}"


def told(r: Comparison, p: Posterior | None) -> str:
    """Say how probable it is that the likelier one is better, and what either choice is expected to cost."""
    if p is None:
        return "These data give no posterior of the difference."
    a, b = names(r)
    ahead = max((p.probability_b_better, b), (p.probability_a_better, a), key=lambda one: one[0])
    words = f"Given these data, {ahead[1]} is better with a probability of {chance(ahead[0])}"
    if known(p.probability_within_margin) and known(p.probability_no_worse):
        near = (
            f"the two are within {margin(r)} of each other with a probability of {chance(p.probability_within_margin)}"
        )
        words += f"; {near}, and {b} is no worse by that much with one of {chance(p.probability_no_worse)}"
    return f"{words}. {lost(r, p)}{_adjusted(r)}"


def lost(r: Comparison, p: Posterior) -> str:
    """Say what either choice is expected to cost."""
    a, b = names(r)
    one, other = _cost(r, p.expected_loss_b), _cost(r, p.expected_loss_a)
    return f"The expected loss is {one} if you choose {b}, and {other} if you choose {a}."


def _cost(r: Comparison, loss: float) -> str:
    """Write what a choice is expected to cost; of shares no more than hundredths of a point."""
    shown = scale(r)
    if shown.unit != "share" or loss >= HUNDREDTH:
        return shown.difference(loss, sign=False) if loss else "0"
    return f"under {size_of(HUNDREDTH, shown.unit)}"


def _adjusted(r: Comparison) -> str:
    """Say that the verdict also answers for other comparisons."""
    many = r.settings.comparisons if r.settings else None
    if not many or many < 2 or r.p_adjusted is None or r.p_adjusted == r.p_value:
        return ""
    return f" The verdict is adjusted for {whole(many)} comparisons, the probability is not."


def test(spelling: str, p: Posterior) -> str:
    """Name a Bayesian test with its prior, which it can't be read without.

    >>> given = {"probability_b_better": 1.0, "probability_a_better": 0.0, "expected_loss_a": 0.1, "expected_loss_b": 0.0, "draws": 999}
    >>> test("bayes", Posterior(**given, prior=4.0, kind="outcomes")), test("bayes", Posterior(**given, prior=None, kind="groups"))
    ('Bayesian test, prior worth 4 examples', 'Bayesian test, no prior (Bayesian bootstrap of groups)')
    """
    name, _, rest = spelling.partition(":")
    options = ",".join(part for part in rest.split(",") if part and not part.startswith("prior="))
    named = test_name(f"{name}:{options}" if options else name)
    if p.prior is None:
        return f"{named}, no prior (Bayesian bootstrap of {p.kind})"
    return f"{named}, prior {_worth(p)}{' for each system' if p.kind == 'systems' else ''}"


def facts(r: Comparison) -> dict[str, str]:
    """Return what lies behind it, by label."""
    p = r.posterior
    if p is None:
        return {}
    kind = KINDS.get(p.kind, f"a Dirichlet prior, spread evenly over the possible outcomes, {_worth(p)}")
    error = f"{NBSP}±{NBSP}{r.p_error:.1g}" if known(r.p_error) and r.p_error > 0 else ""
    tail = "twice the smaller tail beyond 0" if r.alternative == "two-sided" else "the tail beyond 0"
    tail = tail if r.question == "better" else "the larger tail beyond the margin"
    return {
        "posterior": f"{kind}; {whole(p.draws)} draws",
        "tail area": f"{p_value(r.p_value, r.alpha)}{error}, {tail}" if known(r.p_value) else "",
    }


def _worth(p: Posterior) -> str:
    return f"worth {p.prior:.4g} example{'' if p.prior == 1 else 's'}" if p.prior is not None else "worth nothing"
