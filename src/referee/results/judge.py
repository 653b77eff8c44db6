"""What a judge added to people's labels, and how far it is off on its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from referee.results.base import Written

if TYPE_CHECKING:
    from referee.results.comparison import Interval


@dataclass(frozen=True, kw_only=True)
class Alone(Written):
    """A difference that one side sees by itself: the human labels alone, or the judge's error."""

    difference: float
    interval: Interval | None


@dataclass(frozen=True, kw_only=True)
class Judge(Written):
    """What a judge added to people's labels."""

    labelled: int
    """How many examples people labelled."""
    judged: int
    """How many the judge did: all."""
    agreement: float | None
    """The share of labelled examples on which the judge says what people say; None of scores on another scale, or with many values."""
    correlation: float | None
    """How the judge's scores correlate with people's, over both systems; None of labels."""
    confusion: tuple[dict[str, Any], ...] = ()
    """How often people said one label and the judge another, if there are few: human, judge, n."""
    weight: float
    """λ: how much of the judge's correction was taken; 0 if it is of no use."""
    worth: float
    """As how many human labels, without a judge, these are as good."""
    width: float
    """The width of the interval over that of the human labels alone."""
    human: Alone
    """What the human labels alone say."""
    bias: Alone | None
    """By how much the judge's difference exceeds that of people, on the labelled examples; None if the judge scores on another scale."""
    needed: int | None = None
    """With how many labels a difference this large would be confirmed 4 times in 5, if it is too close to call."""
    unreachable: bool = False
    """Whether no number of labels would do with so few judged examples."""

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Judge:
        """Read what `to_dict` wrote."""
        alone = {key: _alone(content[key]) for key in ("human", "bias")}
        return cls(**{**content, **alone, "confusion": tuple(content["confusion"])})


def _alone(content: dict[str, Any] | None) -> Any:
    from referee.results.comparison import Interval

    if content is None:
        return None
    interval = content["interval"]
    return Alone(difference=content["difference"], interval=Interval(**interval) if interval else None)
