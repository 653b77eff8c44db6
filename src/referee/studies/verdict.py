"""Verdicts: what the numbers mean, and the warnings that a reader needs."""

from __future__ import annotations

import math

from referee.data.counts import Counts
from referee.errors import Argument, Message
from referee.metrics.formula import Ratios
from referee.report.numbers import Scale, percent
from referee.report.phrases import whole_metric
from referee.report.phrases.method_names import the_test
from referee.results.comparison import Comparison, Interval
from referee.results.measurement import Measurement
from referee.results.settings import Question, Verdict
from referee.results.weighting import Weighting
from referee.significance import Test
from referee.significance.base import Finding
from referee.significance.rank_tally import AnyTally, differing, movable
from referee.significance.skew_t import scale_hint
from referee.significance.tally import Tally
from referee.studies.margins import too_wide

SMALLEST = 1e-320
FEW = 20
HEAVY = 0.1
"""The share of the total weight that is much for one example."""
DECISIVE = 5
"""With fewer positives that one system alone finds, a tie of the two hangs on one or two examples (docs/calibration.md)."""


UNPAIRED = (
    "the systems answered different examples, so luck with the examples counts too; if both had answered the same ones, a smaller "
    "difference could have been detected (how much smaller can't be known from these data)"
)


def judge(
    p: float | None, difference: float | None, alpha: float, margin: float | None, wide: Interval | None, up: bool
) -> Verdict:
    """Turn a p-value, a difference, a margin and the interval held against it into one of the five verdicts.

    Args:
        p: the p-value of a tie.
        difference: b - a; None where it is not known.
        alpha: the accepted false-alarm rate.
        margin: the margin, if there is one.
        wide: the interval at 1 - 2 alpha, if there is a margin.
        up: whether a higher score is better.
    """
    if difference is None:
        return "too close to call"
    # An interval without a width comes of systems that never differ in what is measured: it rules nothing out.
    held = None if wide is None or wide.low == wide.high else wide if up else wide.flipped()
    if margin is not None and held is not None and -margin < held.low and held.high < margin:
        return "practically equal"
    if p is not None and p <= alpha and difference != 0:
        return "b better" if (difference > 0) == up else "a better"
    return "no worse" if margin is not None and held is not None and held.low > -margin else "too close to call"


def answer(
    question: Question, p: float | None, alpha: float, margin: float, interval: Interval | None, up: bool
) -> Verdict:
    """Turn the p-value of a question about a margin, and the interval of its level, into a verdict.

    Args:
        question: "no-worse" or "equal".
        p: the p-value of being worse by the margin, or of differing by it.
        alpha: the accepted false-alarm rate.
        margin: the margin.
        interval: the interval at 1 - 2 alpha.
        up: whether a higher score is better.
    """
    if p is not None and p <= alpha:
        return "no worse" if question == "no-worse" else "practically equal"
    held = interval if interval is None or up else interval.flipped()
    if held is not None and held.high < -margin:
        return "a better"
    return "b better" if held is not None and held.low > margin else "too close to call"


def contradicts(finding: Finding, difference: float | None) -> bool:
    """Say whether a test points the opposite way from the difference, as one of wins can against one of means."""
    return finding.leaning is not None and difference is not None and finding.leaning * difference < 0


def gather_warnings(
    result: Comparison, counts: Counts, tally: AnyTally, test: Test, finding: Finding | None
) -> tuple[str, ...]:
    """Collect what the reader should know, in full sentences.

    Identical systems get no noise, but where they pass because of it: that may be one system compared with itself.
    """
    if finding is None:
        return (*counts.remarks, no_score(result))
    found = [
        *counts.remarks,
        *([] if counts.paired else [UNPAIRED]),
        *_flat_interval(result),
        *strays(result, tally),
        *_vague(result),
    ]
    found += _margin_warnings(result, counts, tally)
    found += heavy(result.weights, result.n)
    if not (differing(tally) & (tally.multiplicities > 0)).any():
        return tuple(found)
    known_scale = scale_hint(tally) if "scale" in counts.about and isinstance(tally, Tally) else ()
    found += [
        *(one for one in test.cautions(tally) if one not in known_scale),
        *finding.evidence.notes,
        *lonely_strata(tally),
    ]
    p, significant = result.p_value, result.p_value is not None and result.p_value <= result.alpha
    against = significant and contradicts(finding, result.difference)
    if p is None and not finding.evidence.notes:
        unknown = f"the standard error is 0 although the systems differ, so {the_test(result.test)} gives no p-value"
        needs_none = Message("; ", Argument("test", "randomization"), " needs none")
        found.append(Message(unknown, needs_none) if tally.crossing is None else unknown)
    if against:
        found.append(
            f"{the_test(result.test)} points the opposite way from the {whole_metric(result)} difference, so there is no verdict"
        )
    found += _thin(result, tally)
    if result.interval is None and p is not None and not finding.evidence.notes:
        found.append("these data give no interval for the difference")
    if p is not None and p <= SMALLEST:
        found.append("the p-value is smaller than any number that a computer holds; the smallest is shown")
    found += _few_warnings(result, tally, test, finding)
    plain = result.alternative == "two-sided" and result.question == "better" and not against
    if plain and p is not None and result.interval is not None and (0.0 not in result.interval) != significant:
        claim = f"the p-value ({p:.3g}) is {'' if significant else 'not '}significant"
        other = f"{percent(result.interval.level)} confidence interval {'includes' if significant else 'excludes'} zero"
        found.append(f"{claim}, but the {other}; the verdict follows the p-value")
    return tuple(dict.fromkeys(found))


def heavy(weights: Weighting | None, n: int) -> list[str]:
    """Warn of an example that carries much of the total weight."""
    if weights is None or weights.largest < max(HEAVY, 3 / n):
        return []
    carries = f"one example carries {percent(weights.largest)} of the total weight"
    return [f"{carries}, so its answers move the scores more than any others; check that its weight is right"]


def _flat_interval(result: Comparison) -> list[str]:
    """Say why the difference cannot be compared with the margin."""
    held = result.margin_interval
    if result.margin is None or (held is not None and held.low != held.high):
        return []
    why = "these data give no interval for the difference"
    if held is not None:
        why = f"no example shows a difference in {whole_metric(result)}, so its interval has no width"
    return [f"{why}; it cannot be compared with the margin"]


def no_score(result: Comparison | Measurement) -> str:
    """Say why there is no score: what it divides by is 0."""
    is_sum = result.metric_info is not None and result.metric_info.task == "sums"
    what = (
        "all texts, or all values, of the truth are empty or the same"
        if is_sum
        else "the truth has no example of a class that it needs"
    )
    return f"{whole_metric(result)} can't be computed: {what}"


def strays(result: Comparison | Measurement, tally: AnyTally) -> list[str]:
    """Say what becomes of answers that the truth never has."""
    if not isinstance(tally, Tally) or not tally.metric.by_class or not tally.bound.strays:
        return []
    other = "; add labels=all to make them classes" if tally.metric.option("average") == "macro" else ""
    return [f"{whole_metric(result)} averages over the labels of the truth; any other answer counts as wrong{other}"]


def _vague(result: Comparison) -> list[str]:
    """Say whose score is 0/0, as the precision of a system that found nothing."""
    vague = [score for score in (result.a, result.b) if score.undefined]
    if len(vague) == 2:
        return [f"{whole_metric(result)} is 0/0 for both systems, and counts as its declared value"]
    return [f"the {whole_metric(result)} of {score.name} is 0/0, and counts as {score.score:g}" for score in vague]


def lonely_strata(tally: AnyTally) -> list[str]:
    """Say which strata were merged, having one unit only."""
    unit = "group" if tally.grouped else "example"
    if tally.lonely > 1:
        lonely = f"{tally.lonely:,} strata have a single {unit} each, which shows nothing of how their {unit}s vary"
        return [f"{lonely}; they were merged into one"]
    lonely = f"one stratum has a single {unit}, which shows nothing of how its {unit}s vary"
    return [f"{lonely}; it was merged with the smallest other one"] if tally.lonely else []


def _thin(result: Comparison, tally: AnyTally) -> list[str]:
    """Warn where a score rests on next to nothing."""
    found: list[str] = []
    if isinstance(tally, Tally) and result.test != "score":
        formula, alone = tally.bound.formula, decisive(tally)
        ratio = isinstance(formula, Ratios) and not formula.fixed and len(formula.coefficients) == 1
        if isinstance(formula, Ratios) and ratio and tally.metric.task != "sums":  # of which there is no score test
            rests = tally.totals(tally.multiplicities) @ formula.denominators[0]
            for score, size in zip((result.a, result.b), rests.tolist(), strict=True):
                if size < FEW:
                    thin = f"the denominator of the {whole_metric(result)} of {score.name} is only {size:.3g}"
                    only = Message(f"; below {FEW} only ", Argument("test", "score"), " is reliable")
                    found.append(Message(thin, f"; below {FEW} it is unreliable" if tally.uneven else only))
        if alone is not None and alone < DECISIVE and result.p_value is not None:
            rejected = result.p_value <= result.alpha
            doubt = "the false-alarm rate of {} can exceed alpha" if rejected else "an interval of {} can be too short"
            count = f"only {alone} positive example{'' if alone == 1 else 's'}" if alone else "no positive example"
            verb = "were" if alone > 1 else "was"
            found.append(
                f"{count} {verb} found by just one system; with fewer than {DECISIVE} {doubt.format(whole_metric(result))}"
            )
    if result.undefined > 0.01:
        what = "a class was missing" if tally.metric.by_class else f"{whole_metric(result)} was undefined"
        found.append(f"in {percent(result.undefined)} of the resampled test sets {what}; its declared value was used")
    return found


def decisive(tally: Tally) -> int | None:
    """Return how many positives one system finds and the other does not, where the metric is a ratio that hangs on them."""
    metric = tally.metric
    if (
        tally.unpaired
        or metric.task != "binary"
        or metric.averaged
        or tally.bound.formula.fixed
        or "tp" not in metric.totals
    ):
        return None
    place = metric.totals.index("tp")
    found = tally.statistics[:, 0, place] != tally.statistics[:, 1, place]
    return None if tally.grouped else int(tally.multiplicities @ found)


def _margin_warnings(result: Comparison, counts: Counts, tally: AnyTally) -> list[str]:
    """Warn of a margin that lets too much pass, and of systems that pass because they are one."""
    if result.margin is None or result.a.score is None:
        return []
    found: list[str] = []
    scale = Scale(result.metric_info.unit if result.metric_info else "number")
    flat = result.interval is None or result.interval.high == result.interval.low
    if counts.paired and (result.gate == 0 or not flat) and bool((counts["a"] == counts["b"]).all()):
        same = f"{result.a.name} and {result.b.name} give the same answer on all {counts.n:,} examples"
        check = "if they are different systems, check which columns or files were compared"
        tied = f"all {counts.n:,} judgements are ties; check that the column says who won"
        found.append(tied if counts.judged else f"{same}; {check}")
    bottom, called, up = None, "chance", result.higher_is_better
    if tally.metric.chance is not None:
        bottom = tally.metric.chance(max(len(set(counts["truth"].tolist())), 2), **tally.metric.arguments)
    elif tally.reach is not None:
        bottom, called = (tally.range or (0.0, 1.0))[0 if up else 1], "the worst score"
    if bottom is not None:
        found += too_wide(result.margin, result.a, bottom, called, up, scale)
    means = tally.means() if isinstance(tally, Tally) and tally.reach is None else None
    if means is not None:
        a, b, size = (part[means[2] > 0] for part in means)
        low, high = min((a / size).min(), (b / size).min()), max((a / size).max(), (b / size).max())
        if result.margin >= high - low:
            wide = f"the margin of {result.margin:.4g} is as wide as the range of the scores ({low:.4g} to {high:.4g})"
            found.append(f"{wide}, so hardly anything could fail it")
    return found


def _few_warnings(result: Comparison, tally: AnyTally, test: Test, finding: Finding) -> list[str]:
    """Warn where there are too few units to show anything, or few groups."""
    units, unit = movable(tally), "group" if tally.grouped else "example"
    apart, alpha = int(tally.multiplicities @ differing(tally)), f"alpha {percent(result.alpha)}"
    named = the_test(result.test)
    least, now = (test.smallest(size, result.alternative, finding.evidence.method) for size in (units, apart))
    if least > result.alpha and result.posterior is not None:
        few = f"{result.posterior.draws:,} draws are too few for a {percent(1 - result.alpha)} credible interval"
        return [f"{few}; {named} needs at least {math.ceil(least / result.alpha * (result.posterior.draws + 1)) - 1:,}"]
    if least > result.alpha and finding.evidence.method == "monte-carlo":
        return [f"{named} can't give a p below {least:.3g} from so few draws; {alpha} needs more"]
    if least > result.alpha:
        side = "two-sided" if result.alternative == "two-sided" else "one-sided"
        few = f"with {units} {unit}{'' if units == 1 else 's'} {named} can't give a {side} p below {least:.3g}"
        return [f"{few}, so no difference can be significant at {alpha}"]
    found = []
    if now > result.alpha:
        few = f"the systems differ on only {apart} of {units:,} {unit}s"
        found.append(f"{few}; from so few {named} can't give a p below {now:.3g}, whoever is right on them")
    if tally.crossing is not None:  # the test says which of the two groups are few
        return found
    if tally.grouped and units == 2:
        found.append("there are only 2 groups; they say next to nothing about other groups")
    elif tally.grouped and 2 < units < FEW:
        found.append(f"there are only {units} groups; results from fewer than {FEW} groups are unreliable")
    elif tally.grouped and apart < FEW <= units:
        few = f"the systems differ in only {apart} of {units:,} groups"
        found.append(f"{few}; with fewer than {FEW} an interval can be too short")
    return found
