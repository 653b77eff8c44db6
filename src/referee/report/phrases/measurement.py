"""One system's score in words: what it is, how sure that is, and whether it meets the target."""

from __future__ import annotations

from referee.report import phrases
from referee.report.document import Formula, Name, Text
from referee.report.numbers import Scale, known, p_equation, p_value, percent, whole
from referee.report.phrases import clean, given, method_names, metric, several, variance
from referee.results.comparison import Interval
from referee.results.measurement import Measurement, Measurements

MUCH_THE_SAME = ("metric", "interval", "reason", "p-value")
JUDGED_ALONE = (
    "Each verdict has its own alpha. To pass, every one has to meet the target, which needs no adjustment; a single one that falls "
    "short among many may be bad luck."
)


def name(r: Measurement) -> str:
    """Return what the system is called."""
    return clean(r.name) or "system"


def scale(r: Measurement) -> Scale:
    """Say how the score is written: with as many digits as it takes not to look equal to the target."""
    ends = [r.interval.low, r.interval.high] if r.interval else []
    half = (ends[1] - ends[0]) / 2 if ends else None
    return Scale.fitting(phrases.unit(r.metric_info), [], [r.score, *ends], [r.target], half)


def target(r: Measurement) -> str:
    """Write the target as short as it is, with its side."""
    side, value = ("at least", r.at_least) if r.at_least is not None else ("at most", r.at_most)
    if value is None:
        return ""
    is_share = phrases.unit(r.metric_info) == "share"
    return f"{side} {f'{100 * value:.6g}%' if is_share else f'{value:.6g}'}"


def verdict(r: Measurement) -> str:
    """Return the verdict in a few words."""
    if r.verdict == "falls short" and r.at_most is not None:
        return "exceeds it"
    return r.verdict or "no target"


def headline(r: Measurement) -> Text:
    """Say in one line what the score is, and whether it meets the target."""
    if not known(r.score):
        return (f"The {metric(r)} of ", Name(name(r)), " cannot be computed on these data.")
    return (*_claim(r), *_span(r), ".")


def _claim(r: Measurement) -> tuple[str, ...]:
    who, has = Name(name(r)), f"{metric(r)} {scale(r).score(r.score)}"
    if r.verdict is None:
        return (who, f" has {has}")
    if r.verdict == "meets it":
        return (who, f" meets the target of {target(r)}: {has}")
    if r.verdict == "falls short":
        return (who, f" {'falls short of' if r.at_least is not None else 'exceeds'} the target of {target(r)}: {has}")
    return ("The data can't tell whether ", who, f" meets the target of {target(r)}: {has}")


def _span(r: Measurement) -> tuple[str, ...]:
    if r.interval is None:
        return ()
    return (f" ({percent(r.interval.level)} interval ", scale(r).span(r.interval.low, r.interval.high, sign=False), ")")


def details(r: Measurement) -> str:
    """Say what the verdict rests on."""
    if not known(r.score):
        return "The warnings say why." if r.warnings else ""
    if r.verdict is None:
        return ""
    if r.verdict == "can't tell":
        rests = "The interval contains the target: the true score may be on either side of it." if r.interval else ""
        if r.interval is not None and not r.interval.low <= (r.target or 0.0) <= r.interval.high:
            rests = ""
    else:
        side = "above" if (r.verdict == "meets it") == (r.at_least is not None) else "below"
        rests = f"The whole interval lies {side} the target."
    return " ".join(filter(None, [rests, luck(r)]))


def luck(r: Measurement) -> str:
    """Say what the p-value means."""
    if not known(r.p_value):
        return "How often chance would give such a score is unknown (p unknown)."
    if r.verdict == "falls short":
        return ""
    more = "high or higher" if r.at_least is not None else "low or lower"
    at = target(r).rpartition(" ")[2]
    often = phrases.how_often(r.p_value, r.alpha)
    return f"If the true {metric(r)} were exactly {at}, a score this {more} would occur {often} ({p_equation(r.p_value, r.alpha)})."


def size(r: Measurement) -> str:
    """Say how many examples there are, in how many groups."""
    examples = several(r.n, "example")
    if crossed := variance.crossed(r):
        return f"{examples} ({crossed})"
    return examples if r.units == r.n else f"{examples} in {several(r.units, 'group')}"


def paper(r: Measurement) -> Text:
    """Say what the score is, with the numbers, ready for a paper."""
    if not known(r.score):
        return headline(r)
    i = r.interval
    mentions: list[tuple[str, ...]] = [
        (f"{percent(i.level)} confidence interval ", Formula(phrases.bracket(i, scale(r), sign=False))) if i else (),
        (Formula(p_equation(r.p_value, r.alpha)),) if r.verdict is not None else (),
        (size(r),),
    ]
    commas = [part for mention in mentions if mention for part in (", ", *mention)][1:]
    return (*_claim(r), " (", *commas, ").")


def facts(r: Measurement) -> list[tuple[str, str]]:
    """Return what lies behind the score, as pairs of a label and what to say."""
    question = f"is {metric(r)} {target(r)}? (one-sided, alpha {r.alpha:g})"
    clustered = " (clustered)" if r.units != r.n else ""
    rows = {
        "task": "" if r.task is None else clean(r.task),
        "metric": f"{phrases.whole_metric(r)} ({'higher' if r.higher_is_better else 'lower'} is better)",
        "target": question if r.target is not None else "",
        "p-value": given(
            r.p_value, f"{p_value(r.p_value, r.alpha)} ({clean(r.p_method).replace('monte-carlo', 'Monte Carlo')})"
        ),
        "interval": _how(r.interval),
        "reason": clean(r.reason, 1000),
        "data": f"{size(r)}{clustered}",
        "weights": phrases.weighting(r.weights),
        "dropped": several(r.matched.dropped, "example") if r.matched.dropped else "",
    }
    return phrases.filled(rows)


def _how(interval: Interval | None) -> str:
    """Say what kind of interval it is."""
    if interval is None:
        return ""
    return method_names.made_by(interval)


def noun(rs: Measurements) -> str:
    """Return what the scores are of: metrics, slices of a table, tasks of a log, or metrics in each of them."""
    slices = {r.settings.slice for r in rs if r.settings}
    if rs.scores and all(r.settings and r.settings.about.get("slices") == "scores" for r in rs):
        return "metric"
    metrics = {r.metric for r in rs}
    if len(metrics) == 1:
        return "slice" if all(r.settings is None or "by" in r.settings.about for r in rs) else "task"
    return "metric" if len(slices) <= 1 else "comparison"


def tasks(rs: Measurements) -> list[str]:
    """Return what each score is of."""
    if noun(rs) == "metric":
        return [phrases.whole_metric(r) for r in rs]
    return [clean(r.task) if r.task is not None else phrases.whole_metric(r) for r in rs]


def headline_of_several(rs: Measurements) -> Text:
    """Say how many of the scores meet the target."""
    if not len(rs):
        return "There are no scores."
    what, who = noun(rs), Name(name(rs[0]))
    if rs[0].verdict is None:
        return (who, f" was scored {'by' if what == 'metric' else 'in'} {several(len(rs), what)}.")
    met, missed, open_ = (sum(r.verdict == one for r in rs) for one in ("meets it", "falls short", "can't tell"))
    targets = dict.fromkeys(target(r) for r in rs)
    of = f"the target of {next(iter(targets))}" if len(targets) == 1 else "its target"
    if met == len(rs):
        return (who, f" meets {of} in {'both' if len(rs) == 2 else f'all {whole(len(rs))}'} {what}s.")
    short = "falls short of it" if rs[0].at_least is not None else "exceeds it"
    parts = [
        f" meets {of} in {whole(met)} of {several(len(rs), what)}",
        f"{short} in {whole(missed)}" if missed else "",
        f"in {whole(open_)} the data can't tell" if open_ else "",
    ]
    return (who, f"{'; '.join(filter(None, parts))}.")
