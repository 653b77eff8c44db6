"""Preparing a comparison: count the data, find the positive label, the metrics, the slices and the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast, get_args

from referee.data.counts import Counts
from referee.data.crossed_groups import settle_crossing
from referee.data.examples import Sense
from referee.data.outcomes import Outcomes, described, one_system
from referee.data.weights import without_weightless
from referee.errors import Argument, ChoiceNeeded, InputError, Message, Misfit, OptionError, one_of, refusal
from referee.metrics import METRICS, Metric
from referee.metrics import resolve as resolve_metric
from referee.metrics.labels import Labels, apply_threshold, stray_remarks
from referee.metrics.list_cells import SEPARATORS, items_of, parted_by
from referee.metrics.metric_names import sounds_like_a_loss
from referee.results.settings import Question
from referee.studies.margins import Margin


def read(data: Any, *, positive: Any = None, names: Sequence[str] | None = None, **roles: Any) -> Counts:
    """Count the outcomes and settle which label is positive.

    Args:
        data: as in `compare`.
        positive: the positive label.
        names: what the systems are called, if not as their columns.
        roles: the columns and the policies, as in `compare`.
    """
    return settled(described(data, names=names, positive=positive, **roles), positive)


def settled(outcomes: Outcomes | Counts, positive: Any = None) -> Counts:
    """Count the outcomes, unless they are counts, and settle which label is positive."""
    counts = outcomes if isinstance(outcomes, Counts) else outcomes.count()
    if counts.n == 0:
        raise InputError("there are no examples to compare")
    return settle_groups_and_positive(counts, positive)


def settle_groups_and_positive(counts: Counts, positive: Any) -> Counts:
    """Leave out what has no weight; find out which groups are crossed, and the positive label that is meant."""
    return settle_positive(settle_crossing(without_weightless(counts)), positive)


def settle_positive(counts: Counts, positive: Any) -> Counts:
    """Find the positive label that is meant in all the data, before they are cut into slices."""
    given = positive if positive is not None else counts.positive
    if given is None or "truth" not in counts:
        return counts
    scores = any(counts[role].dtype.kind == "f" for role in counts.systems)
    labels = Labels.of_truth(counts) if scores else Labels.of(counts)
    return replace(counts, positive=labels.check_positive(given))


def metrics_of(
    given: Any, counts: Counts, threshold: float | None = None, lower_is_better: bool | None = None
) -> list[Metric]:
    """Return the metrics that are meant; the one that suits the data, cut at a threshold, where none is named.

    Args:
        given: a metric, several, or None.
        counts: the data.
        threshold: where scores are cut.
        lower_is_better: which way is up for those that leave it open; None where nobody said.
    """
    if lower_is_better is not None and not isinstance(lower_is_better, bool):
        raise refusal("lower_is_better", "must be True, False or None", lower_is_better)
    if lower_is_better and "scale" in counts.about:
        out = Message("leave ", Argument("lower_is_better", True), " out")
        way = f"of {counts.about.get('score', 'measures of rankings')} higher is better"
        raise OptionError(way, argument="lower_is_better", value=lower_is_better, remedy=out)
    if given is None:
        own = _default_metric(counts if threshold is None else apply_threshold(counts, threshold))
        return [own.directed(lower_is_better)]
    several = given if isinstance(given, list | tuple) else [given]
    found = [resolve_metric(one).directed(lower_is_better) for one in several]
    if not found:
        raise OptionError(Argument("metric", bare=True), " is an empty list", value=given, remedy="name at least one")
    whole = next((one for one in found if one.of_labels and one.name not in ("accuracy", "error")), None)
    if whole is not None and _truth_holds_lists(counts):
        lists = f"the truth holds lists, and {whole} would take each list for one label"
        remedy = Message("use ", Argument("metric", "multilabel-f1"), ", or another metric of any number of labels")
        raise Misfit(lists, argument="metric", value=str(whole), remedy=remedy)
    micro = next((one for one in found if one.of_labels and one.option("average") == "micro"), None)
    if micro is not None and (parted := _parted(counts)):
        told = f"{_several(parted[0])}, and {micro} would take each for one label"
        remedy = Message(
            "use ", Argument("metric", f"multilabel-f1:separator={parted[1]}"), ", which is micro-averaged"
        )
        raise Misfit(told, argument="metric", value=str(micro), remedy=remedy)
    return list(dict.fromkeys(found))


def _parted(counts: Counts) -> tuple[str, str] | None:
    """Return a right answer that plainly holds several labels, and what separates them; None if there is none."""
    if "truth" not in counts or counts["truth"].dtype.kind != "O":
        return None
    texts = {text for text in counts["truth"].tolist() if isinstance(text, str)}
    name = parted_by(texts)
    return None if name is None else (min(text for text in texts if str(SEPARATORS[name]) in text), name)


def _several(cell: str) -> str:
    return f"the truth holds several labels in a cell, such as {cell[:40]!r}"


def _truth_holds_lists(counts: Counts) -> bool:
    """Say whether every right answer is a list of texts, such as the labels of an example or its references."""
    if "truth" not in counts or counts["truth"].dtype.kind != "O":
        return False
    texts = [text for text in counts["truth"].tolist() if text]
    return bool(texts) and all(items_of(str(text)) is not None for text in texts)


def _default_metric(counts: Counts) -> Metric:
    if counts.judged:
        return METRICS["win-rate"]
    if "truth" not in counts:
        scale = counts.about.get("scale")
        return METRICS["mean"] if scale is None else resolve_metric(f"mean:{scale}")
    if counts.open:
        return METRICS["f1"]
    if "references" in counts.about:
        raise Misfit("name the metric of the texts: bleu, chrf, ter, wer or cer", argument="metric")
    if _truth_holds_lists(counts):
        lists = "the truth holds lists, so name the metric: multilabel-f1 or subset-accuracy of labels, bleu or ter of references"
        raise Misfit(lists, argument="metric", remedy="accuracy asks whether the whole list is the same, to the letter")
    if all(counts[role].dtype.kind != "f" for role in ("truth", *counts.systems)):
        return METRICS["accuracy"]
    choices = Message("auc, average-precision, or a metric of labels with ", Argument("threshold"))
    if counts["truth"].dtype.kind == "f":
        choices = Message("mse, rmse, mae")
    raise Misfit("the predictions are numbers, so name the metric: ", choices, argument="metric")


def check_direction(counts: Counts, metric: Metric) -> None:
    """Ask which way is up where scores are called a loss and nobody said it.

    Raises:
        OptionError: with both answers.
    """
    if not metric.steered or metric.option("better") is not None:
        return
    systems = list(dict.fromkeys(counts.name(role) for role in counts.systems))
    scores = [name for name in (counts.about.get("score"), counts.about.get("prediction")) if name]
    called = next(filter(sounds_like_a_loss, scores), None)
    if called is None and all(map(sounds_like_a_loss, systems)):
        called = " and ".join(systems)
    if metric.function is not METRICS["mean"].function and sounds_like_a_loss(metric.name.rpartition(":")[2]):
        called = metric.name
    if called is not None:
        lower, higher = (Argument("lower_is_better", which) for which in (True, False))
        ways = "say whether lower is better (", lower, ") or higher (", higher, ")"
        raise ChoiceNeeded(f"{called} may be a loss: ", *ways, arguments={"lower_is_better": True})


def odd_labels(counts: Counts, metric: Metric) -> list[str]:
    """Say which answers are labels that the truth never has, where the metric reads labels."""
    if not metric.of_labels or any(counts[role].dtype.kind == "f" for role in counts.systems):
        return []
    return [*_whole_cells(counts), *_strays(counts, metric)]


def _whole_cells(counts: Counts) -> list[str]:
    """Say that cells were compared to the letter which plainly hold several labels."""
    parted = _parted(counts)
    if parted is None:
        return []
    metric = Argument("metric", f"multilabel-f1:separator={parted[1]}")
    return [Message(_several(parted[0]), ", and each cell was taken for one label; if that is not meant, use ", metric)]


def _strays(counts: Counts, metric: Metric) -> list[str]:
    always = metric.averaged or metric.task == "multiclass"
    if counts.paired:
        return stray_remarks(counts, always=always)
    parts = (one_system(counts.where(counts["sample"] == role).without("sample"), counts.name(role)) for role in "ab")
    return list(dict.fromkeys(remark for part in parts for remark in stray_remarks(part, always=always)))


def slices_of(counts: Counts) -> list[tuple[str | None, Counts]]:
    """Return the slices with their names; one without a name where there are none."""
    return [(str(value), _settled(part)) for value, part in counts.slices()] if "slice" in counts else [(None, counts)]


def _settled(part: Counts) -> Counts:
    """Return a slice, in which groups may be nested that are crossed elsewhere; what can't be settled is told by its result."""
    try:
        return settle_crossing(part)
    except InputError:
        return part


def sense_of(counts: Counts, metric: Metric, missing: str, threshold: float | None, task: str | None) -> Sense:
    """Return how the values of the data are taken by a comparison, for those who look at them again."""
    sense = replace(Sense.of(counts, missing, metric.task), task=task)
    if sense.judged == "marks" and not metric.higher_is_better:
        sense = replace(sense, judged="")
    if threshold is None:
        return sense
    return sense.cut(threshold, counts.positive, Labels.of_truth(counts).all)


def check_question(question: str | None, alternative: str, margin: Margin | None) -> Question:
    """Return what is asked.

    Raises:
        OptionError: if the question lacks its margin, or has a side of its own.
    """
    if question is None:
        return "better"
    one_of("question", question, get_args(Question))
    if question == "better":
        return "better"
    if margin is None:
        needed = " needs ", Argument("margin"), ": the largest difference that does not matter, such as 0.01 or '1pp'"
        raise OptionError(Argument("question", question), *needed, argument="margin")
    if alternative != "two-sided":
        out = Message("leave ", Argument("alternative"), " out")
        about = {"argument": "alternative", "value": alternative, "remedy": out}
        raise OptionError(Argument("question", question), " sets its own alternative", **about)
    return cast(Question, question)
