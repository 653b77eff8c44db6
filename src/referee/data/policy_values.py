"""The values of policies, each in one entry: what it is called, and what it does with missing values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from referee.errors import Argument, InputError, Message

if TYPE_CHECKING:
    from referee.data.columns import Values
    from referee.data.engines.base import Grouped


@dataclass(frozen=True)
class Value:
    """One of the values that an option can take, in words."""

    words: str
    """What it does, as the page, the help and the error that offers it say it."""
    label: str = ""
    """What a missing prediction counts as, for a policy that fills it in: the note and the methods section say so."""
    score: str = ""
    """The same where predictions are scores."""


@dataclass(frozen=True)
class Treatment(Value):
    """A policy for missing values: it drops their examples, fills in predictions, or else refuses them."""

    _: KW_ONLY
    drops: bool = False
    fill: Callable[[Grouped, str, Mapping[str, str]], Values] | None = None
    """Returns the predictions of one system, given its role and the systems' names, with the missing ones filled in."""
    counts: int | None = None
    """What a missing score counts, if it is filled in without looking at a truth; None if it cannot be."""


def _wrong(rows: Grouped, role: str, names: Mapping[str, str]) -> Values:
    """Return a column of predictions in which the missing ones are wrong."""
    import numpy as np

    from referee.data.label_checks import distinct  # these two declare their columns with what is here
    from referee.data.roles import labels_among, systems_among

    values, gone = rows.columns[role], rows.missing[role]
    truth = rows.columns.get("truth")
    if truth is None:
        if values.dtype.kind == "O":
            reason = f"{names[role]} has text and there is no truth, so a missing prediction cannot be counted as wrong"
            raise InputError(
                reason, argument="missing", value="wrong", remedy=Message("use ", Argument("missing", "drop"))
            )
        return np.where(gone, np.zeros(1, values.dtype), values)
    if any(rows.columns[system].dtype.kind == "f" for system in systems_among(rows.columns)):
        only = " is only for labels; these are numbers"
        raise InputError(
            Argument("missing", "wrong"),
            only,
            argument="missing",
            value="wrong",
            remedy=Message("use ", Argument("missing", "drop")),
        )
    held = (distinct(rows, label) for label in labels_among(rows.columns))
    labels = [False, True] if truth.dtype.kind == "b" else sorted(set().union(*held))
    out = np.where(gone, None, values.astype(object))  # type: ignore[call-overload]
    if len(labels) == 2:
        other = dict(zip(labels, reversed(labels), strict=True))
        out[gone] = [other[label] for label in truth[gone].tolist()]
        out = out.astype(truth.dtype)
    return np.asarray(out)


STOP, LEAVE_OUT = Value("stop and tell me"), Value("leave them out")
MISSING = {
    "error": Treatment(STOP.words),
    "wrong": Treatment("count them as wrong", label="wrong", score="a score of 0", fill=_wrong, counts=0),
    "drop": Treatment(LEAVE_OUT.words, drops=True),
}
"""The policies for missing values."""
