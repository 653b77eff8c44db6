"""How one system was scored and what that showed, sentence by sentence; and what it takes for granted."""

from __future__ import annotations

from referee.report import phrases
from referee.report.document import Name, plain
from referee.report.methods import references as procedures
from referee.report.methods.comparison import STANDS_FOR, weighted
from referee.report.methods.references import Prose, level_of
from referee.report.numbers import known, percent, whole
from referee.report.phrases import measurement as words
from referee.report.phrases import variance
from referee.results.measurement import Measurement, Measurements
from referee.results.settings import Settings

TOLD = 6
"""Of so many scores each has a sentence."""
AS_IT_IS = "The result is about the system as it is: it says nothing about retraining, other seeds, other prompts or other data."
BEFOREHAND = "The metric, the target and alpha were chosen before the result was seen."


def measurement(r: Measurement) -> list[Prose]:
    """Return the sentences about one score."""
    return [*_shared(r), _result(r), procedures.software(r.settings, r.signature)]


def measurements(rs: Measurements) -> list[Prose]:
    """Return the sentences about several scores: what they share once, then what each gave."""
    told = [_result(r, task) for task, r in zip(words.tasks(rs), rs, strict=True)]
    headline: Prose = [plain(words.headline_of_several(rs))]
    shared = {plain(tuple(sentence)): sentence for r in rs for sentence in _shared(r)}
    return [*shared.values(), *(told if len(rs) <= TOLD else [headline]), procedures.software(rs[0].settings)]


def _shared(r: Measurement) -> list[Prose]:
    settings = r.settings or Settings()
    strata = f" ({settings.strata} strata)" if settings.strata else ""
    on = f" was scored on {words.size(r)}{strata}{weighted(r)} by "
    sentences: list[Prose] = [["The system ", Name(words.name(r)), on, *procedures.described(r), "."]]
    if settings.positive_class is not None:
        sentences.append([f"The positive class is {phrases.clean(settings.positive_class)}."])
    if settings.threshold is not None:
        sentences.append([f"Scores of at least {settings.threshold} counted as positive answers."])
    missing = settings.missing_counted_as(scores=r.metric_info is not None and r.metric_info.task == "scores")
    if missing:
        sentences.append([f"Missing predictions counted as {missing}."])
    if r.interval is not None:
        interval = procedures.interval(r.interval.method)
        sentences.append([f"The {percent(r.interval.level)} interval is ", *interval, "."])
    if r.target is not None:
        one_law = "; the p-value comes from the same method as the interval"
        asked = f"Whether {phrases.metric(r)} is {words.target(r)} was tested, one-sided, at "
        sentences.append([asked, level_of(r.alpha), f"{one_law}."])
    return sentences


def _result(r: Measurement, task: str = "") -> Prose:
    sentence = words.paper(r)
    parts = [sentence] if isinstance(sentence, str) else list(sentence)
    return [f"{task}: ", *parts] if task else parts


def assumptions(r: Measurement) -> list[str]:
    """Say what a score takes for granted."""
    grouped = r.units != r.n or (r.settings is not None and "group" in r.settings.roles)
    things, count = ("groups", r.units) if grouped else ("examples", r.n)
    strata = " within each stratum" if r.settings and r.settings.strata else ""
    sample = f"The {whole(count)} {things} are a random sample{strata} of those that matter, drawn independently of each other"
    depend = "; the examples of one group may depend on each other" if grouped else ""
    sentences = [f"{sample}{depend}{'' if r.weights is None else STANDS_FOR}."]
    if variance.crossed(r):
        sentences = [variance.crossed_samples(r)]
    if r.matched.dropped:
        left = f"The examples that were left out ({whole(r.matched.dropped)}) are missing for reasons unrelated to how the system does"
        sentences.append(f"{left} on them.")
    if known(r.score):
        sentences.append(
            f"There are enough {'levels of both' if variance.crossed(r) else things} for the interval's approximation to hold."
        )
    return [*sentences, variance.BEYOND if variance.crossed(r) else AS_IT_IS, BEFOREHAND]


def assumptions_of_several(rs: Measurements) -> list[str]:
    """Say what several scores take for granted, each thing once."""
    return list(dict.fromkeys(sentence for r in rs for sentence in assumptions(r)))
