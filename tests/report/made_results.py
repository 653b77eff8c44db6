"""Results made by hand, one for each thing that a report has to say."""

from __future__ import annotations

from typing import Any

from referee.counts import Matched
from referee.results import Comparison, Comparisons, Interval, Score

NASTY = "<script>|\\n_%&$#{}~^*[x](y)`\n\x1b[31m"


def interval(low: float, high: float, level: float = 0.95, method: str = "wilson") -> Interval:
    return Interval(low=low, high=high, level=level, method=method)


def comparison(**changes: Any) -> Comparison:
    content: dict[str, Any] = {
        "metric": "f1",
        "test": "randomization:studentized=true",
        "reason": "the denominator of f1 depends on the system, so each exchange is divided by its own standard error",
        "alternative": "two-sided",
        "alpha": 0.05,
        "higher_is_better": True,
        "a": Score(name="old", score=0.8112, interval=interval(0.7811, 0.8382)),
        "b": Score(name="new", score=0.832, interval=interval(0.803, 0.858)),
        "difference": 0.0208,
        "interval": interval(0.0041, 0.0379, method="bootstrap-percentile"),
        "statistic": 2.1,
        "p_value": 0.0314,
        "p_method": "exact",
        "p_error": None,
        "verdict": "b better",
        "detectable": 0.0243,
        "n": 1234,
        "units": 1234,
        "matched": Matched(1234),
        "discordant": (28, 60),
        "correlation": 0.562,
        "inflation": 1.41,
        "design_effect": 1.0,
        "undefined": 0.0,
        "probability_b_better": None,
        "signature": "referee 0.1.0|metric:f1|test:randomization|p:exact|n:1234",
    }
    return Comparison(**{**content, **changes})


B_BETTER = comparison()
A_BETTER = comparison(
    a=Score(name="old", score=0.832, interval=interval(0.803, 0.858)),
    b=Score(name="new", score=0.8112, interval=interval(0.7811, 0.8382)),
    difference=-0.0208,
    interval=interval(-0.0379, -0.0041),
    verdict="a better",
)
CLOSE = comparison(verdict="too close to call", p_value=0.412, interval=interval(-0.0104, 0.0519))
EQUAL = comparison(
    verdict="practically equal", margin=0.02, p_value=0.6, difference=0.0021, interval=interval(-0.01, 0.014)
)
NO_WORSE = comparison(verdict="no worse", margin=0.025, p_value=0.6, difference=-0.0021, interval=interval(-0.02, 0.03))
LOWER = comparison(
    metric="error",
    higher_is_better=False,
    a=Score(name="old", score=0.15, interval=None),
    b=Score(name="new", score=0.12, interval=None),
    difference=-0.03,
    interval=interval(-0.05, -0.01),
)
UNKNOWN = comparison(
    a=Score(name="old", score=None),
    b=Score(name="new", score=None),
    difference=None,
    interval=None,
    statistic=None,
    p_value=None,
    verdict="too close to call",
    detectable=None,
    discordant=None,
    correlation=None,
    inflation=None,
    undefined=1.0,
    warnings=("recall cannot be computed on these data",),
)
GROUPED = comparison(
    verdict="too close to call",
    p_value=0.412,
    p_method="monte-carlo",
    p_error=0.0049,
    units=80,
    design_effect=1.83,
    undefined=0.003,
    matched=Matched(1234, 3, 0, 4),
    probability_b_better=0.93,
    audit={"false_alarm": 0.048, "false_alarm_error": 0.002, "power": 0.71, "null": "swap"},
    warnings=("there are only 12 groups; answers from fewer than 20 are shaky",),
)
STRANGE = comparison(
    metric=NASTY,
    a=Score(name=NASTY, score=0.8112),
    b=Score(name=NASTY, score=0.832),
    task=NASTY,
    reason=NASTY,
    warnings=(NASTY, NASTY),
    signature=f"referee|{NASTY}",
)
ALL = {
    "b better": B_BETTER,
    "a better": A_BETTER,
    "close": CLOSE,
    "equal": EQUAL,
    "no worse": NO_WORSE,
    "lower": LOWER,
    "unknown": UNKNOWN,
    "grouped": GROUPED,
    "strange": STRANGE,
}
SEVERAL = Comparisons(
    (
        comparison(task="en f1", p_adjusted=0.0628, verdict="too close to call", warnings=("all is shaky",)),
        comparison(task="de f1", p_value=1.5e-26, p_adjusted=3e-26, warnings=("all is shaky", "german is hard")),
    )
)
