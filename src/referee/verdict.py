"""Verdicts: what the numbers mean, what the reader should know, and how to get them again."""

from __future__ import annotations

from collections.abc import Mapping

from referee.counts import Counts
from referee.metrics.formula import Ratios
from referee.randomness import Streams
from referee.results import Comparison, Interval
from referee.significance import Test
from referee.significance.base import Finding, differing
from referee.tally import Tally
from referee.units import AnyTally
from referee.version import __version__

SMALLEST = 1e-320
FEW = 20
DECISIVE = 5
"""With fewer positives that one system alone finds, a tie of the two hangs on one or two examples (docs/calibration.md)."""


def judge(
    p: float | None,
    difference: float | None,
    alpha: float,
    margin: float | None,
    wide: Interval | None,
    higher_is_better: bool,
) -> str:
    """Turn a p-value, a difference and a margin into one of the five verdicts."""
    if difference is None:
        return "too close to call"
    if wide is not None and wide.low == wide.high:
        # An interval without a width comes of systems that never differ in what is measured: it rules nothing out.
        wide = None
    if margin is not None and wide is not None and -margin < wide.low and wide.high < margin:
        return "practically equal"
    if p is not None and p <= alpha and difference != 0:
        return "b better" if (difference > 0) == higher_is_better else "a better"
    if margin is not None and wide is not None:
        worst = wide.low if higher_is_better else -wide.high
        if worst > -margin:
            return "no worse"
    return "too close to call"


def contradicts(finding: Finding, difference: float | None) -> bool:
    """Say whether a test speaks for the other side than the difference does, as one of wins can against one of means."""
    return finding.leaning is not None and difference is not None and finding.leaning * difference < 0


def gather_warnings(
    result: Comparison, counts: Counts, tally: AnyTally, test: Test, finding: Finding | None
) -> tuple[str, ...]:
    """Collect what the reader should know, in full sentences; identical systems get no noise."""
    found = list(counts.notes)
    if finding is None:
        found.append(
            f"{result.metric} cannot be computed on these data: the truth has no example of a class that it needs"
        )
        return tuple(found)
    if result.margin_interval is not None and result.margin_interval.low == result.margin_interval.high:
        found.append(
            f"no example shows a difference in {result.metric}, so its interval has no width, and nothing can be held against the margin"
        )
    if isinstance(tally, Tally) and not tally.metric.averaged and tally.nowhere():
        found.append(f"{result.metric} is 0/0 on these data, and counted as its declared value")
    if not (differing(tally) & (tally.multiplicities > 0)).any():
        return tuple(found)
    found += [*test.cautions(tally), *finding.evidence.notes]
    if result.p_value is None and not finding.evidence.notes:
        found.append(f"{test.name}: the standard error is 0 although the systems differ, so no p-value can be given")
    against = contradicts(finding, result.difference) and result.p_value is not None and result.p_value <= result.alpha
    if against:
        found.append(
            f"{test.name} speaks for the other side than the difference of {result.metric} does, so the verdict stays open"
        )
    found += _thin(result, tally)
    if result.interval is None and result.p_value is not None:
        found.append("no interval of the difference can be given on these data")
    if result.p_value is not None and result.p_value <= SMALLEST:
        found.append("the p-value is below the smallest number that can be written; it is shown as that number")
    if tally.grouped:
        found += _group_warnings(tally.units, result.alpha)
    if result.alternative == "two-sided" and result.p_value is not None and result.interval is not None and not against:
        excludes = 0.0 not in result.interval
        if excludes != (result.p_value <= result.alpha):
            found.append(
                f"the p-value ({result.p_value:.3g}) and the interval ({result.interval.method}) disagree about zero; the verdict follows the p-value"
            )
    return tuple(dict.fromkeys(found))


def _thin(result: Comparison, tally: AnyTally) -> list[str]:
    """Warn where a score rests on next to nothing."""
    found = []
    if isinstance(tally, Tally):
        formula = tally.bound.formula
        if isinstance(formula, Ratios) and not formula.fixed and len(formula.coefficients) == 1:
            rests = tally.totals(tally.multiplicities) @ formula.denominators[0]
            for score, size in zip((result.a, result.b), rests.tolist(), strict=True):
                if size < FEW:
                    found.append(
                        f"the denominator of the {result.metric} of {score.name} is only {size:g}; below {FEW} no test of it is reliable"
                    )
        alone = decisive(tally)
        if alone is not None and alone < DECISIVE and result.p_value is not None:
            rejected = result.p_value <= result.alpha
            doubt = (
                "the false alarms of {} can exceed alpha, whatever the test"
                if rejected
                else "an interval of {} can be too short"
            )
            found.append(
                f"only {alone} positive example{'' if alone == 1 else 's'} {'is' if alone == 1 else 'are'} found by one system alone; with fewer than {DECISIVE} {doubt.format(result.metric)}"
            )
    if result.undefined > 0.01:
        found.append(
            f"in {100 * result.undefined:.3g} % of the resampled test sets {result.metric} was undefined, and counted as its declared value"
        )
    return found


def decisive(tally: Tally) -> int | None:
    """Return how many positives one system finds and the other does not, where the metric is a ratio that hangs on them."""
    metric = tally.metric
    if metric.task != "binary" or metric.averaged or tally.bound.formula.fixed or "tp" not in metric.totals:
        return None
    place = metric.totals.index("tp")
    found = tally.statistics[:, 0, place] != tally.statistics[:, 1, place]
    return None if tally.grouped else int(tally.multiplicities @ found)


def _group_warnings(groups: int, alpha: float) -> list[str]:
    smallest = 2.0 ** (1 - groups)
    if smallest > alpha:
        return [
            f"with {groups} group{'' if groups == 1 else 's'} no exchange of whole groups can give a two-sided p below {smallest:.3g}, so a difference cannot be shown"
        ]
    return [f"there are only {groups} groups; answers from fewer than 20 are shaky"] if groups < 20 else []


def sign(result: Comparison, counts: Counts, streams: Streams, said: Mapping[str, object]) -> str:
    """Write in one line what it takes to get the same numbers again.

    Args:
        result: the result.
        counts: the data it is of.
        streams: the source of randomness.
        said: further options that changed the data on the way, such as a threshold.
    """
    parts = {
        "metric": result.metric,
        "positive": counts.positive,
        "test": result.test,
        "p": result.p_method,
        "alternative": result.alternative,
        "alpha": f"{result.alpha:g}",
        "margin": None if result.margin is None else f"{result.margin:g}",
        **said,
        "n": result.n,
        "units": result.units,
        "strata": len(set(counts["stratum"].tolist())) if "stratum" in counts else None,
        "rng": streams.label,
    }
    written = [f"{key}:{_flat(value)}" for key, value in parts.items() if value is not None]
    return "|".join([f"referee {__version__}", *written])


def _flat(value: object) -> str:
    return " ".join(str(value).replace("|", "/").split())
