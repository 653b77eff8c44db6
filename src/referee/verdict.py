"""Verdicts: what the numbers mean, what the reader should know, and how to get them again."""

from __future__ import annotations

from referee.counts import Counts
from referee.laws.resample import AnyTally
from referee.randomness import Streams
from referee.results import Comparison, Interval
from referee.significance import Test
from referee.significance.base import Finding, differing
from referee.version import __version__


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
    if margin is not None and wide is not None and -margin < wide.low and wide.high < margin:
        return "practically equal"
    if p is not None and p <= alpha and difference != 0:
        return "b better" if (difference > 0) == higher_is_better else "a better"
    if margin is not None and wide is not None:
        worst = wide.low if higher_is_better else -wide.high
        if worst > -margin:
            return "no worse"
    return "too close to call"


def gather_warnings(
    result: Comparison, counts: Counts, tally: AnyTally, test: Test, finding: Finding | None
) -> tuple[str, ...]:
    """Collect what the reader should know, in full sentences; identical systems get no noise."""
    found = list(counts.notes)
    if finding is None:
        classes = "recall needs positives, specificity negatives" if counts.n else ""
        found.append(
            f"{result.metric} cannot be computed on these data: a class that it needs has no example ({classes})"
        )
        return tuple(found)
    if not (differing(tally) & (tally.multiplicities > 0)).any():
        return tuple(found)
    found += [*test.cautions(tally), *finding.evidence.notes]
    if result.p_value is None and not finding.evidence.notes:
        found.append(f"{test.name}: the standard error is 0 although the systems differ, so no p-value can be given")
    if tally.grouped:
        found += _group_warnings(tally.units, result.alpha)
    if result.alternative == "two-sided" and result.p_value is not None and result.interval is not None:
        excludes = 0.0 not in result.interval
        if excludes != (result.p_value <= result.alpha):
            found.append(
                f"the p-value ({result.p_value:.3g}) and the interval ({result.interval.method}) disagree about zero; the verdict follows the p-value"
            )
    return tuple(dict.fromkeys(found))


def _group_warnings(groups: int, alpha: float) -> list[str]:
    smallest = 2.0 ** (1 - groups)
    if smallest > alpha:
        return [
            f"with {groups} groups no exchange of whole groups can give a two-sided p below {smallest:.3g}, so a difference cannot be shown"
        ]
    return [f"there are only {groups} groups; answers from fewer than 20 are shaky"] if groups < 20 else []


def sign(result: Comparison, streams: Streams) -> str:
    """Write in one line what it takes to get the same numbers again."""
    parts = [
        f"referee {__version__}",
        f"metric:{result.metric}",
        f"test:{result.test}",
        f"p:{result.p_method}",
        f"alternative:{result.alternative}",
        f"alpha:{result.alpha:g}",
        f"n:{result.n}",
        f"units:{result.units}",
        f"rng:{streams.label}",
    ]
    return "|".join(parts)
