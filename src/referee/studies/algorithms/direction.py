"""Direction: whether a higher score is better, told by the metric's name where that is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from referee.errors import OptionError
from referee.metrics import METRICS
from referee.metrics.losses import sounds_like_a_loss
from referee.metrics.scorer_names import SCIKIT
from referee.registry import parse


def direction(metric: str, given: bool | None, scores: Mapping[str, Sequence[float | None]]) -> bool:
    """Say whether a higher score is better: as was said, or as the metric has it where it is known by name.

    Args:
        metric: what the scores are called.
        given: what was said; None where nothing was.
        scores: the scores, by algorithm.

    Raises:
        OptionError: where that contradicts the metric, or the name speaks of a loss and nothing was said.
    """
    name = parse(metric)[0]
    known = METRICS[name].higher_is_better if name in METRICS else True if name in SCIKIT else None
    negative = any(score < 0 for own in scores.values() for score in own if score is not None)
    if known is False and negative and given is None:
        raise OptionError(
            f"{metric} is never negative, and there are scores below 0; if they come from a scorer of scikit-learn, whose sign "
            "is turned so that higher is better, say so: higher_is_better=True"
        )
    if known is not None and given is not None and known != given and not (given and negative):
        raise OptionError(f"of {metric} {'higher' if known else 'lower'} is better; leave higher_is_better out")
    if given is not None or known is not None:
        return given if given is not None else bool(known)
    called = (
        name if sounds_like_a_loss(name) else " and ".join(scores) if all(map(sounds_like_a_loss, scores)) else None
    )
    if called is not None:
        raise OptionError(
            f"whether more of {called} is better or worse must be said: higher_is_better=False, or higher_is_better=True"
        )
    return True
