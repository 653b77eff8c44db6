"""Labels: the classes of a data set, which of them is positive, and the threshold that turns scores into labels."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.data.columns import Ints, Values, factorize, plain, rounded
from referee.data.counts import Counts
from referee.errors import Argument, InputError, Message, Misfit, did_you_mean, refusal
from referee.metrics.sums import check_separator

if TYPE_CHECKING:
    from referee.data.counts import Counts
    from referee.metrics.base import Metric


MOST_TRUTHS, MOST_CLASSES, SHOWN = 1_000, 20, 5
"""A truth of more labels, or of more distinct numbers, is taken for one of free answers; so many labels are named."""
OF_LABELS = "the labels "
"""How remarks about labels that look alike begin."""
OBVIOUS = ((0, 1), (-1, 1), (False, True))
OBVIOUS_TEXT = (("0", "1"), ("-1", "1"), ("-1", "+1"), ("false", "true"))


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels that the truth and the systems use."""

    truth: list[Any]
    all: list[Any]
    gaps: bool = False

    @classmethod
    def of(cls, counts: Counts) -> Labels:
        """Collect the labels of counts, in order."""
        truth = [label for label in _distinct(counts["truth"]) if label is not None]
        answers = [label for role in counts.systems for label in _distinct(counts[role])]
        labels = dict.fromkeys(label for label in [*truth, *answers] if label is not None)
        return cls(truth, sorted(labels, key=lambda label: (str(type(label)), label)), any(a is None for a in answers))

    @property
    def strays(self) -> list[Any]:
        """The labels that only a system uses."""
        known = set(self.truth)
        return [label for label in self.all if label not in known]

    @classmethod
    def of_truth(cls, counts: Counts) -> Labels:
        """Collect the labels of the truth alone, where the systems give scores."""
        truth = [label for label in _distinct(counts["truth"]) if label is not None]
        return cls(truth, truth)

    def match(self, given: Any) -> Any:
        """Return the label that is meant, also by its text; what no example has is taken as it is."""
        for label in self.all:
            if label == given and isinstance(label, bool) == isinstance(given, bool):
                return label
        spelt = [label for label in self.all if isinstance(given, str) and str(label).lower() == given.lower()]
        return spelt[0] if len(spelt) == 1 and not isinstance(spelt[0], str) else given

    def check_positive(self, given: Any) -> Any:
        """Return the label that is meant.

        Raises:
            InputError: if the data have two labels or more and this is none of them.
        """
        label = self.match(given)
        alike = [other for other in self.all if type(other) is type(plain(label))]
        if label not in alike and (len(self.all) > 1 or not alike):
            problem = f" is not a label here{did_you_mean(given, self.all)}; the labels are {self._shown()}"
            raise InputError(Argument("positive", given), problem, argument="positive", value=given)
        return label

    def _shown(self, more: str = "") -> str:
        return ", ".join(map(repr, self.all[:10])) + (more if len(self.all) > 10 else "")

    def find_positive(self, given: Any, metric: str) -> Any:
        """Return the positive label: the one named, or the obvious one.

        Raises:
            InputError: if it has to be named.
        """
        if given is not None:
            return self.match(given)
        for pair in OBVIOUS:
            if all(any(label == one and type(label) is type(one) for one in pair) for label in self.all):
                return pair[1]
        for negative, positive in OBVIOUS_TEXT:
            texts = {label.lower(): label for label in self.all if isinstance(label, str)}
            if len(texts) == len(self.all) and set(texts) <= {negative, positive}:
                return texts.get(positive, positive)
        shown = self._shown(", ...")
        if len(self.all) > 2:
            problem = f" needs two classes; there are {len(self.all)} labels ({shown})"
            average = f"{metric}{',' if ':' in metric else ':'}average=macro (or micro, weighted)"
            remedy = Message("name the positive one (", Argument("positive"), f"), or average over them: {average}")
        else:
            problem = " needs to know which label is the positive one"
            remedy = Message("give ", Argument("positive"), f", one of {shown}")
        raise InputError(metric, problem, argument="positive", remedy=remedy)


def codes(values: Values, levels: list[Any]) -> Ints:
    """Return the place of each value among the levels, -1 where it is none of them."""
    place = {level: i for i, level in enumerate(levels)}
    return np.array([place.get(value, -1) for value in values.tolist()], dtype=np.int64)


def stray_remarks(counts: Counts, *, always: bool) -> list[str]:
    """Say how many answers of each system are labels that the truth never has, and which.

    Args:
        counts: the whole data.
        always: whether also where the truth has so many values that others are to be expected, as of numbers.
    """
    if "truth" not in counts:
        return []
    known = set(_distinct(counts["truth"]))
    free = len(known) > MOST_TRUTHS or (len(known) > MOST_CLASSES and not any(isinstance(k, str | bool) for k in known))
    remarks = [] if free and not always else [_strays(counts, role, known) for role in counts.systems]
    return [remark for remark in remarks if remark]


def _strays(counts: Counts, role: str, known: set[Any]) -> str:
    levels, codes = factorize(counts[role])
    odd = np.array([label is not None and label not in known for label in levels.tolist()], dtype=np.bool_)
    if not odd.any():
        return ""
    number, labels = int(counts.multiplicities[odd[codes]].sum()), levels[odd].tolist()
    shown = ", ".join(repr(label) for label in labels[:SHOWN])
    more = f" and {len(labels) - SHOWN} more" if len(labels) > SHOWN else ""
    name = counts.name(role)
    one, many = (
        f"prediction of {name} is a label that never occurs",
        f"predictions of {name} are labels that never occur",
    )
    return f"{number:,} {one if number == 1 else many} in the truth: {shown}{more}"


def _distinct(values: Values) -> list[Any]:
    """Return the distinct values in order; few are quicker to sort in Python."""
    if len(values) <= 64 and values.dtype.kind != "O":
        return sorted(set(values.tolist()))
    return list(factorize(values)[0].tolist())


def seen_by(metric: Metric, counts: Counts, threshold: float | None) -> Counts:
    """Return the counts as a metric takes them: cut into labels at the threshold if it reads labels, else as they are.

    Cut the whole data, and take slices afterwards: one of them may have examples of a single label only.
    """
    if metric.reads == "text":
        check_separator(metric, counts)
        # Texts that differ by a capital letter are not labels that somebody mixed up.
        counts = replace(counts, notes=tuple(note for note in counts.notes if not note.startswith(OF_LABELS)))
    if threshold is None:
        return counts
    check_threshold(threshold)
    return apply_threshold(counts, threshold) if metric.of_labels else counts


def check_threshold(threshold: float) -> None:
    """Raise unless the threshold is a number."""
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not math.isfinite(threshold):
        raise refusal("threshold", "must be a number", threshold)


def apply_threshold(counts: Counts, threshold: float) -> Counts:
    """Turn scores into labels: at least the threshold is the positive label, below it the other."""
    check_threshold(threshold)
    if "truth" not in counts:
        raise Misfit(Argument("threshold"), " needs the truth, whose labels the scores become", argument="truth")
    labels = Labels.of_truth(counts)
    positive = labels.find_positive(counts.positive, Message(Argument("threshold")))
    others = [label for label in labels.all if label != positive]
    if len(others) != 1:
        problem = f" makes two labels, and truth has {len(labels.all)}: {labels._shown()}"
        raise Misfit(Argument("threshold"), problem, argument="threshold", value=threshold)
    # A score of 0.7 that was stored with 32 bits is a little less than 0.7, and is meant to reach it; also where it was written
    # out with more digits since, as no other score is that very number.
    least, narrow = rounded(threshold, counts.precision), rounded(threshold, 32)
    if any((counts[role] == narrow).any() for role in counts.systems if counts[role].dtype.kind == "f"):
        least = min(least, narrow)
    columns = {}
    for role in counts.systems:
        if counts[role].dtype.kind not in "if":
            raise Misfit(Argument("threshold", bare=True), f" is for scores, and {counts.name(role)} holds labels")
        filled = counts["truth"][:1].repeat(len(counts))
        filled[:] = others[0]
        filled[counts[role] >= least] = positive
        columns[role] = filled
    return replace(counts.put(**columns), positive=positive)
