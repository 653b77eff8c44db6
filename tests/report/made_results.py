"""Results made by hand, one for each thing that a report has to say."""

from __future__ import annotations

from typing import Any

from referee.data.counts import Matched
from referee.metrics.decorator import info_of
from referee.results.audit import Audit
from referee.results.comparison import Comparison, Comparisons, Interval, Score
from referee.results.ranking import Ranked, RankedPair, Ranking
from referee.results.settings import Settings
from referee.significance import TESTS, resolve

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
    made = {**content, **changes}
    grouped = made["units"] != made["n"]
    return Comparison(
        **{**told_of(made["metric"], made["test"], grouped), "settings": Settings(version="0.1.0"), **made}
    )


def told_of(metric: str, test: str, grouped: bool = False) -> dict[str, Any]:
    """Return what results tell of a metric and a test that are registered, as a study fills it in."""
    metric_info = info_of(metric)
    task = metric_info.task if metric_info else ""
    return {"metric_info": metric_info, "test_info": resolve(test).info(grouped, task)}


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
        comparison(
            task="en f1",
            settings=Settings(version="0.1.0", slice="en"),
            p_adjusted=0.0628,
            interval=Interval(low=-0.002, high=0.044, level=0.95, method="bootstrap-percentile"),
            verdict="too close to call",
            warnings=("all is shaky",),
        ),
        comparison(
            task="de f1",
            settings=Settings(version="0.1.0", slice="de"),
            p_value=1.5e-26,
            p_adjusted=3e-26,
            warnings=("all is shaky", "german is hard"),
        ),
    )
)


def ranking(
    scores: Any = (0.82, 0.81, 0.6), names: Any = (), wins: Any = ((0, 2),), baseline: str | None = None, **changes: Any
) -> Ranking:
    """Return a ranking in which the first of each of these pairs, by places, is significantly better."""
    names = [str(name) for name in (names or [f"m{i}" for i in range(1, len(scores) + 1)])]
    up = changes.get("higher_is_better", True)
    base = None if baseline is None else names.index(baseline)
    places = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    places = places if base is None else [(base, j) for j in range(len(names)) if j != base]
    beats = dict.fromkeys(wins, "a better") | {(j, i): "b better" for i, j in wins}
    told = {pair: beats.get(pair, "too close to call") for pair in places}
    pairs = tuple(
        RankedPair(
            a=names[i], b=names[j], difference=None if None in (scores[i], scores[j]) else scores[j] - scores[i],
            interval=None, statistic=-2.0, p_value=0.01, p_adjusted=0.02 if told[i, j] != "too close to call" else 0.4,
            verdict=told[i, j],
        )
        for i, j in places
    )  # fmt: skip
    above = [[i for i, j in wins if j == own] for own in range(len(names))]
    below = [[j for i, j in wins if i == own] for own in range(len(names))]
    there = [score for score in scores if score is not None]

    def standing(own: int) -> Any:
        if scores[own] is None:
            return "unknown"
        if base is not None:
            return "worse" if base in above[own] else "better" if base in below[own] else "not ruled out"
        return "worse" if above[own] else "top scorer" if scores[own] == there[0] else "not ruled out"

    systems = tuple(
        Ranked(
            name=name, score=scores[own], interval=None if scores[own] is None else interval(scores[own] - 0.03, scores[own] + 0.03),
            rank=None if scores[own] is None else 1 + sum(one > scores[own] if up else one < scores[own] for one in there),
            rank_low=None if base is not None or scores[own] is None else 1 + len(above[own]),
            rank_high=None if base is not None or scores[own] is None else len(names) - len(below[own]),
            standing=standing(own),
        )
        for own, name in enumerate(names)
    )  # fmt: skip
    best = [name for own, name in enumerate(names) if base is None and scores[own] is not None and not above[own]]
    content: dict[str, Any] = {
        "metric": "accuracy", "higher_is_better": True, "test": "score", "reason": "asked for", "alpha": 0.05, "adjust": "max-t",
        "level": 0.02, "baseline": baseline, "n": 400, "units": 400, "dropped": 0, "systems": systems, "pairs": pairs,
        "best": tuple(best), "together": (), "overall": None, "signature": "referee 0.1.0|metric:accuracy|systems:3",
    }  # fmt: skip
    content |= changes
    return Ranking(**{**told_of(content["metric"], content["test"]), "settings": Settings(version="0.1.0"), **content})


def audited(test: str = "mcnemar", **changes: Any) -> dict[str, Any]:
    content: dict[str, Any] = {
        "test": test,
        "groups": None,
        "null": "tilt",
        "category": None,
        "n": 1234,
        "alpha": 0.05,
        "false_alarm": 0.048,
        "false_alarm_error": 0.0048,
        "spread": None,
        "power": 0.613,
        "power_error": 0.011,
        "power_spread": None,
        "coverage": 0.951,
        "coverage_spread": None,
        "coverage_error": 0.0048,
        "sets": 2000,
        "categories": {"null": 1, "different": 1},
    }
    return {**content, **changes}


def audit(rows: Any = None, **changes: Any) -> Audit:
    content: dict[str, Any] = {
        "metric": "error",
        "rows": tuple(rows or [audited(), audited("proportion", false_alarm=0.011, power=0.42)]),
        "advice": "Prefer mcnemar: it keeps its false alarms (at most 4.8% at alpha 0.05)",
        "chosen": "mcnemar",
        "preferred": "mcnemar",
        "null": "tilt",
        "difference": -0.0123,
        "names": ("old", "new"),
        "population": "week.json",
        "n": 1234,
        "signature": "referee 0.1.0|metric:error|null:tilt|sets:2000|rng:0",
    }
    content |= changes
    content["rows"] = tuple({**row, "null": content["null"]} for row in content["rows"])
    if content["difference"] is None:
        content.setdefault("categories", 102)
    of_groups = {row["test"] for row in content["rows"] if row["groups"] == "whole"}
    names = [row["test"] for row in content["rows"] if row["test"].partition(":")[0] in TESTS]
    info = {name: resolve(name).info(name in of_groups) for name in names}
    told = {"test_info": info, "metric_info": info_of(content["metric"]), "settings": Settings(version="0.1.0")}
    return Audit(**told, **content)


SIZED = audit(
    [
        audited(test, n=n, alpha=alpha, false_alarm=alpha * part, power=0.1 + n / 10_000)
        for test, part in (("mcnemar", 0.9), ("bootstrap", 1.8))
        for n in (100, 1000, 6000)
        for alpha in (0.01, 0.05)
    ]
)
OVER = [
    audited(test, n=n, spread=0.021, categories={"null": 95, "different": 99})
    for test in ("mcnemar", "bootstrap")
    for n in (100, 6000)
]
CATEGORIES = audit(OVER, difference=None, each=tuple({**row, "category": NASTY, "spread": None} for row in OVER))
CLUSTERED = audit(
    [
        audited("randomization:studentized=true", groups="ignored", false_alarm=0.36, false_alarm_error=0.048),
        audited("bootstrap", groups="ignored", false_alarm=0.31),
        audited("randomization:studentized=true", groups="whole"),
        audited("bootstrap", groups="whole", coverage=None),
    ],
    chosen="randomization:studentized=true",
)
NO_NULL = audit(
    [audited(false_alarm=None, false_alarm_error=None), audited("bootstrap", false_alarm=None, false_alarm_error=None)],
    null="observed",
    preferred=None,
    advice="No test can be advised",
    warnings=(
        "no false alarm can be measured: the systems do not tie",
        "no false alarm can be measured: the systems do not tie",
    ),
)
TIED = audit([audited(power=None, power_error=None, coverage=None, coverage_error=None)], null="swap", difference=0.0)
HOSTILE = audit(
    [audited(NASTY), audited(NASTY * 9, groups="ignored")],
    metric=NASTY,
    chosen=NASTY,
    names=(NASTY, NASTY),
    population=NASTY,
    advice=NASTY,
    null="{odd}",
    warnings=(NASTY,),
    signature=f"referee|{NASTY}",
)
AUDITS = {
    "one": audit(),
    "sized": SIZED,
    "categories": CATEGORIES,
    "clustered": CLUSTERED,
    "no null": NO_NULL,
    "tied": TIED,
    "hostile": HOSTILE,
}
