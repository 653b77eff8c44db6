"""Definitions: the decorator that turns a function into a metric, and the way from a spelling to a metric."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast, overload

from referee.errors import Argument, OptionError, RefereeError, one_of, refusal
from referee.metrics.base import AVERAGING, CONFUSION, METRICS, RANKED, Metric
from referee.metrics.binding import CLASSWISE
from referee.metrics.formula import Range
from referee.metrics.metric_names import missing, usual
from referee.metrics.possible_answers import SCALE
from referee.metrics.sums import Reads, check_statistics
from referee.registry import load, parse
from referee.results.test_info import MetricInfo, Unit
from referee.runtime.arguments import fitting


@overload
def metric(function: Callable[..., Any], /) -> Metric: ...
@overload
def metric(**declared: Any) -> Callable[[Callable[..., Any]], Metric]: ...
@fitting  # type: ignore[misc]  # what cannot be declared is refused by the call itself
def metric(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    per: str = "totals",
    task: str | None = None,
    higher_is_better: bool | None = None,
    undefined: float = 0.0,
    monotone: bool = False,
    then: Callable[[Any], Any] | None = None,
    truth_labels_only: bool = False,
    at_positives: bool = False,
    gradient: Callable[..., Any] | None = None,
    bounds: Range | None = None,
    chance: Callable[..., float] | None = None,
    prose: str = "",
    works: tuple[str, ...] = (),
    unit: Unit = "number",
    statistics: Callable[..., Any] | None = None,
    reads: Reads = "anything",
    of_truth: tuple[str, ...] = (),
    signed: bool = False,
) -> Metric | Callable[[Callable[..., Any]], Metric]:
    """Define a metric by one function; it then works in every test, in `referee list`, the CLI and the conformance suite.

    The names of the positional parameters say what the function takes: `tp, fp, fn, tn` (totals of a 2-class task),
    `hits, guesses, actual` (totals per class, on the last axis), `positives, negatives, found, answers` (how many positives
    and negatives have each distinct score, in ascending order of the score, and how many positives and rows score at
    least as high), or, with `per="example"`, `truth, prediction` (one score per example, averaged). Keyword-only
    parameters are options. The function must work on arrays; it may return `share(part, whole)` formulas, and NaN if it is
    undefined.

    Args:
        function: the definition, when used without parentheses.
        name: what it is called; by default the function's name.
        per: "totals" or "example".
        task: "numbers" for a numeric truth, or "preferences", with per="example"; otherwise it is inferred from the parameters.
        higher_is_better: whether a higher score is better; if left out it is, unless whoever uses the metric says otherwise
            (`lower_is_better=True`, or the metric's option `better=lower`).
        undefined: the value if the formula is 0/0.
        monotone: whether moving one answer from wrong to right never lowers the score (exact tests are then fast at any size).
        then: applied to the mean, with per="example" (the root in rmse).
        truth_labels_only: whether to leave out classes that the truth never has.
        at_positives: for rankings, whether the metric depends only on the scores of positives and on the number of
            negatives between them; draws are then faster.
        gradient: for functions of hits, guesses and actual that are slow to differentiate: their three derivatives.
        bounds: the lowest and the highest score, infinite where there is none, as (0, math.inf) of a loss; not needed for a sum of
            shares.
        chance: the score of answering blindly, a function of the number of classes and the options; margins are compared
            with it.
        prose: its name in a paper, if different.
        works: the works it comes from: keys of the bibliography (report/methods/references.bib).
        unit: "share" if a score is a share of 1, which reports show as a percentage; else "number".
        statistics: a function of truth and prediction: what each example adds to some sums. The decorated function is then the score
            of these sums: its parameters name them, in the order in which the statistics come. The statistics function may take
            arrays with one entry per example and return one row of numbers per example, or one column per sum; or it takes one
            example and returns one row. Its keyword-only parameters are options of the metric too.
        reads: with statistics, what they are made of: "text", "numbers", or "anything".
        of_truth: with statistics, the names of the sums that depend on the truth alone, as the number of reference words.
        signed: with statistics, whether they can be negative.

    Returns:
        The metric.

    >>> @metric
    ... def lift(tp, fp, fn, tn):
    ...     "How much more often a found example is positive than any example."
    ...     return (tp / (tp + fp)) / ((tp + fn) / (tp + fp + fn + tn))
    >>> lift
    <metric lift>
    """
    declared = {key: value for key, value in locals().items() if key not in ("function", "name", "per", "task")}
    declared["higher_is_better"] = higher_is_better is not False

    def build(definition: Callable[..., Any]) -> Metric:
        one_of("per", per, ("totals", "example"))
        totals, defaults = _parameters(definition)
        if statistics is None:
            kind = _task(definition.__name__, per, totals, task)
        else:
            kind, defaults = "sums", {**check_statistics(definition, statistics, of_truth), **defaults}
        if kind == "binary":
            defaults = _averaging(definition.__name__, defaults)
        # Scores can be anything, also losses, and so can what users define: whoever brings them can say which way is up.
        steered = higher_is_better is None and (
            kind == "scores" or not (definition.__module__ or "").startswith("referee.")
        )
        if steered and "better" in defaults:
            clash = f"better is an option of every metric whose direction is not declared; {definition.__name__} has one too"
            raise OptionError(clash, argument="function", remedy="declare higher_is_better, or call it something else")
        defaults = {
            **({"better": None} if steered else {}),
            **(dict.fromkeys(SCALE) if kind == "scores" else {}),
            **defaults,
        }
        summary = (inspect.getdoc(definition) or definition.__name__).splitlines()[0]
        about = {"defaults": defaults, "summary": summary, "steered": steered, **declared}
        made = Metric(name or definition.__name__.replace("_", "-"), definition, kind, totals, **about)
        METRICS.add(made.name, made)
        return made

    return build(function) if function is not None else build


def _parameters(definition: Callable[..., Any]) -> tuple[tuple[str, ...], dict[str, Any]]:
    parameters = inspect.signature(definition).parameters.values()
    any_number = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters)
    named = () if any_number else (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    positional = tuple(p.name for p in parameters if p.kind in named)
    options = {p.name: p.default for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}
    if any(default is inspect.Parameter.empty for default in options.values()):
        raise OptionError(f"every option of the metric {definition.__name__} needs a default", argument="function")
    return positional, options


def _averaging(name: str, own: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a metric of two classes with those that every such metric has."""
    for taken in AVERAGING.keys() & own.keys():
        clash = f"{taken} is an option of every metric of tp, fp, fn and tn"
        raise OptionError(clash, argument="function", remedy=f"call that of {name} something else")
    return {**AVERAGING, **own}


def _task(name: str, per: str, totals: tuple[str, ...], declared: str | None) -> str:
    families = {"binary": CONFUSION, "multiclass": CLASSWISE, "ranking": RANKED}
    if per == "example":
        families = {declared or ("labels" if "truth" in totals else "scores"): ("truth", "prediction")}
    fitting = [task for task, names in families.items() if totals and set(totals) <= set(names)]
    if not fitting:
        allowed = ", or ".join(", ".join(names) for names in (CONFUSION, CLASSWISE, RANKED))
        among = f"the parameters of the metric {name} must be among {allowed}, or, with "
        given = f", truth, prediction; they are {', '.join(totals) or 'none'}"
        raise OptionError(among, Argument("per", "example"), given, argument="function")
    return fitting[0]


def info_of(spelling: str) -> MetricInfo | None:
    """Return what is told of the metric of a spelling; None where no such metric is registered.

    >>> info_of("f1:average=macro").name, info_of("fbeta:beta=2").name, info_of("mine:lift")
    ('macro-averaged F1', 'F-beta with beta = 2', None)
    """
    try:
        name, options = (spelling, {}) if spelling in METRICS else parse(spelling)
        return METRICS[name](**options).info if name in METRICS else None
    except RefereeError:  # scores that somebody brings may be called anything
        return None


def resolve(given: str | Metric | Callable[..., Any]) -> Metric:
    """Find a metric: a Metric, its spelling, `module:function`, a plain function of named totals, or what others call it.

    >>> str(resolve("f1_macro")), str(resolve("roc_auc"))
    ('f1:average=macro', 'auc')
    """
    if isinstance(given, Metric):
        return given
    if callable(given):
        return metric(given)
    if not isinstance(given, str):
        raise refusal("metric", "is a name such as f1 or a decorated function", given, "a metric")
    given = usual(given, METRICS)
    head = given.partition(":")[0].strip()
    if head in METRICS or ":" not in given or "=" in given.partition(":")[2].partition(":")[0]:
        name, chosen = parse(given, "metric")
        if name not in METRICS:
            raise missing(name, METRICS)
        return METRICS[name](**chosen)
    # module:function, or module:function:key=value
    module, function, *options = given.split(":", 2)
    name = f"{module}:{function}"
    own = cast(Metric, load(name, lambda thing: isinstance(thing, Metric), "metric"))
    return replace(own, name=name)(**parse(":".join([function, *options]), "metric")[1])
