"""How a comparison was made and what it gave, sentence by sentence, as a paper tells it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from referee.report import phrases
from referee.report.methods import procedures
from referee.report.methods.references import Formula, Prose, cite
from referee.report.numbers import known, number, p_equation, percent, whole
from referee.report.phrases import audit as audited
from referee.report.phrases import comparisons as summary
from referee.report.phrases import listed
from referee.results.comparison import Comparison, Comparisons
from referee.results.settings import Settings

TOLD = 6
"""Of so many tasks each is named and has a sentence; of more, the table tells."""


def comparison(r: Comparison) -> list[Prose]:
    """Return the sentences about one comparison."""
    sentences = [
        _compared(r),
        *_data(r),
        _tested(r),
        procedures.chosen_because({r.reason}),
        _origin(r, r.p_error),
        _intervals([r]),
        _margin(r),
        _undefined(r),
        _result(r),
        _audit(r),
        procedures.software(r.settings, r.signature),
    ]
    return [one for one in sentences if one]


def comparisons(rs: Comparisons) -> list[Prose]:
    """Return the sentences about several comparisons: what they share once, then what each gave."""
    if not len(rs):
        return [[summary.sentence(rs)]]
    if len(rs) == 1:
        return comparison(rs[0])
    sentences = [_compared_all(rs), *(said for r, _ in _alike(rs, _data) for said in _data(r))]
    tests = _alike(rs, lambda r: (r.test, grouped(r), r.p_method, known(r.p_value)))
    reasons = {r.reason for r in rs} if len(tests) == 1 else set()
    for r, tasks in tests:
        sentences += [_tested(r, _only(tasks, rs)), procedures.chosen_because(reasons), _origin(r)]
    sentences += [_intervals(rs), procedures.adjusted(rs.adjust, len(rs), "comparisons"), _margin(rs[0])]
    if len(rs) <= TOLD:
        for task, r in zip(summary.tasks(rs), rs, strict=True):
            sentences += [_undefined(r, task), _result(r, task)]
    else:
        sentences += [[summary.counted(rs)]]
    return [one for one in [*sentences, _audits(rs), procedures.software(rs[0].settings)] if one]


def _alike(rs: Iterable[Comparison], key: Callable[[Comparison], object]) -> list[tuple[Comparison, list[str]]]:
    """Put those together of which the same is told: the first of them, and the tasks of all."""
    found: dict[str, tuple[Comparison, list[str]]] = {}
    for r in rs:
        task = phrases.clean(r.task if r.task is not None else r.metric)
        found.setdefault(str(key(r)), (r, []))[1].append(task)
    return list(found.values())


def _only(tasks: Sequence[str], rs: Comparisons) -> str:
    """Say of which tasks something holds, where it is not all."""
    if len(tasks) == len(rs):
        return ""
    return f" in {listed(tasks)}" if len(tasks) <= TOLD else f" in {whole(len(tasks))} of the comparisons"


def grouped(r: Comparison) -> bool:
    """Say whether the units of a comparison are groups of examples."""
    return r.units != r.n or (r.settings is not None and "group" in r.settings.roles)


def _size(r: Comparison) -> str:
    said = _examples(r.n)
    if grouped(r):
        said += f" in {whole(r.units)} group{'' if r.units == 1 else 's'}"
    strata = r.settings.strata if r.settings else None
    return f"{said} ({strata} strata)" if strata else said


def _compared(r: Comparison) -> Prose:
    a, b = phrases.names(r)
    of = f" of the task {phrases.clean(r.task)}" if r.task is not None else ""
    metric = procedures.described(r.metric, r.metric_info, r.higher_is_better)
    return [f"{a} and {b} were compared on the same {_size(r)}{of} by ", *metric, "."]


def _compared_all(rs: Comparisons) -> Prose:
    (a, b), sizes = phrases.names(rs[0]), list(dict.fromkeys(map(_size, rs)))
    tasks = list(dict.fromkeys(summary.tasks(rs)))
    named = f"{whole(len(rs))} comparisons" + (f" ({listed(tasks)})" if len(tasks) <= TOLD else "")
    each = sizes[0] if len(sizes) == 1 else f"{whole(min(r.n for r in rs))} to {whole(max(r.n for r in rs))} examples"
    said: Prose = [f"{a} and {b} were compared on the same examples in {named} of {each}, by "]
    metrics = list({(r.metric, r.higher_is_better): r for r in rs}.values())
    for place, r in enumerate(metrics):
        said += ["" if not place else " and by " if place == len(metrics) - 1 else ", by "]
        said += procedures.described(r.metric, r.metric_info, r.higher_is_better)
    return [*said, "."]


def _data(r: Comparison) -> list[Prose]:
    """Say what became of the data on the way: the positive label, a threshold, examples without a partner."""
    settings = r.settings or Settings()
    of_scores = r.metric_info is not None and r.metric_info.task == "scores"
    said = {
        f"The positive class is {phrases.clean(settings.positive_class)}.": settings.positive_class is not None,
        f"Scores of at least {settings.threshold} counted as positive answers.": settings.threshold is not None,
        "The responses are sets, without true negatives.": settings.open,
        **dict.fromkeys(_left_out(r), True),
        f"Missing predictions counted as {'a score of 0' if of_scores else 'wrong'}.": settings.missing_is_wrong,
        "The rows of an example that has several were averaged.": settings.averaged,
    }
    return [[sentence] for sentence, is_so in said.items() if is_so]


def averaged(r: Comparison) -> bool:
    """Say whether the rows of an example were averaged."""
    return r.settings is not None and r.settings.averaged


def left_out(r: Comparison) -> tuple[int, int]:
    """Return how many examples were left out since only one system has them, and how many for a missing value.

    Where every item that one system alone has is an answer of its own, as in open sets, a result counts it as met.
    """
    return r.matched.a_only + r.matched.b_only, r.matched.dropped


def _left_out(r: Comparison) -> list[str]:
    (a, b), m, (alone, missing) = phrases.names(r), r.matched, left_out(r)
    found = []
    if alone:
        found.append(
            f"{_examples(alone)} that only one system has {_were(alone)} left out ({whole(m.a_only)} of {a} and "
            f"{whole(m.b_only)} of {b})."
        )
    if missing:
        # What is averaged is dropped row by row, before it is.
        what = f"{whole(missing)} row{'' if missing == 1 else 's'}" if averaged(r) else _examples(missing)
        found.append(f"{what} with a missing value {_were(missing)} left out.")
    return found


def _examples(count: int) -> str:
    return f"{whole(count)} example{'' if count == 1 else 's'}"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _tested(r: Comparison, only: str = "") -> Prose:
    a, b = phrases.names(r)
    if r.question != "better":
        return _tested_margin(r, only)
    side = {
        "two-sided": "two-sided",
        "greater": f"against the one-sided alternative that the score of {b} is higher",
        "less": f"against the one-sided alternative that the score of {b} is lower",
    }[r.alternative]
    test = procedures.procedure(r.test, r.test_info)
    return [f"The difference ({b} minus {a}) was tested{only}, {side}, at ", *_level(r.alpha), ", with ", *test, "."]


def _tested_margin(r: Comparison, only: str) -> Prose:
    """Say which question about a margin was tested."""
    (a, b), margin = phrases.names(r), phrases.margin(r)
    said: Prose = [f"That {b} is worse than {a} by {margin} or more was tested{only}, for non-inferiority, at "]
    if r.question == "equal":
        said = [
            f"That {a} and {b} differ by {margin} or more was tested{only}, for equivalence by two one-sided tests",
            cite("schuirmann1987"),
            ", at ",
        ]
    return [*said, *_level(r.alpha), ", with ", *procedures.procedure(r.test, r.test_info, margin=True), "."]


def _level(alpha: float) -> Prose:
    return [Formula(f"alpha = {alpha:g}")]


def _origin(r: Comparison, error: float | None = None) -> Prose:
    if not known(r.p_value):
        return ["No p-value could be computed on these data."]
    return procedures.origin(r.test_info, r.p_method, error, margin=r.question != "better")


def _intervals(rs: Iterable[Comparison]) -> Prose:
    """Say what the intervals of the difference and of the scores are."""
    found = list(rs)
    own = {r.interval.method: r.interval.level for r in found if r.interval}
    scores = {s.interval.method: s.interval.level for r in found for s in (r.a, r.b) if s.interval}
    if not own:
        return ["The interval of each score is ", *_either(scores), "."] if scores else []
    level, same = percent(next(iter(own.values()))), list(own.items()) == list(scores.items())
    said = [f"The {level} interval of the difference{', and that of each score,' if same else ''} is ", *_either(own)]
    return [*said, *(["; that of each score is ", *_either(scores)] if scores and not same else []), "."]


def _either(methods: Iterable[str]) -> Prose:
    said: Prose = []
    for place, method in enumerate(methods):
        said += [" or " if place else "", *procedures.interval(method)]
    return said


def _margin(r: Comparison) -> Prose:
    if r.margin is None or not known(r.margin) or r.question != "better":
        return []
    return [
        f"Differences below {phrases.margin(r)} were held to be of no practical importance; that a difference is smaller was "
        f"judged by its {percent(1 - 2 * r.alpha)} interval, which is two one-sided tests at ",
        *_level(r.alpha),
        cite("schuirmann1987"),
        ".",
    ]


def _result(r: Comparison, task: str = "") -> Prose:
    (a, b), digits = phrases.names(r), phrases.places(r)
    start = f"On {task}, the" if task else "The"
    if not known(r.difference):
        return [f"{start} scores of {a} and {b} could not be compared."]
    shown: list[Prose] = []
    if r.interval:
        shown.append([f"{percent(r.interval.level)} interval ", Formula(phrases.bracket(r.interval, digits))])
    if known(r.p_value):
        shown.append([Formula(p_equation(r.p_value, r.alpha))])
    if known(r.p_adjusted) and r.question == "better":
        shown.append(["adjusted ", Formula(p_equation(r.p_adjusted, r.alpha))])
    between: Prose = [piece for place, one in enumerate(shown) for piece in ([", "] if place else []) + one]
    return [
        f"{start} score of {a} is ",
        Formula(number(r.a.score, digits)),
        f", that of {b} is ",
        Formula(number(r.b.score, digits)),
        ", and the difference is ",
        Formula(number(r.difference, digits)),
        *([" (", *between, ")"] if between else []),
        f": {_claim(r)}.",
    ]


def _claim(r: Comparison) -> str:
    a, b = phrases.names(r)
    if r.verdict == "practically equal":
        return f"{a} and {b} are practically equal"
    if r.verdict == "no worse":
        return f"{b} is no worse than {a} by more than the margin"
    if r.verdict in ("a better", "b better"):
        better, worse = (a, b) if r.verdict == "a better" else (b, a)
        if r.question != "better":
            return f"{better} is better than {worse} by more than the margin"
        return f"{better} is significantly better than {worse}"
    if r.question != "better":
        asked = f"{b} is no worse than {a}" if r.question == "no-worse" else f"{a} and {b} are practically equal"
        return f"that {asked} is not shown"
    if r.difference == 0:
        return _of_a_tie(r)
    if not known(r.p_value):
        return "whether it is luck cannot be told"
    if _rejects(r):
        return "the test speaks for the other side than the difference, which settles nothing"
    return "it is not significant"


def _of_a_tie(r: Comparison) -> str:
    if r.a.undefined and r.b.undefined:
        return "it comes of the declared value, and says nothing of the two"
    return f"there is no difference{', although the test rejects, which settles nothing' if _rejects(r) else ''}"


def _rejects(r: Comparison) -> bool:
    """Say whether the p-value that the verdict goes by, the adjusted one where there is one, is small enough."""
    p = r.p_adjusted if known(r.p_adjusted) else r.p_value
    return p is not None and known(p) and p <= r.alpha


def _undefined(r: Comparison, task: str = "") -> Prose:
    """Say that a score is 0/0, where it is, and what it counted as."""
    whose = _without_score(r)
    if not whose:
        return []
    metric = r.metric_info
    value = "" if metric is None or metric.undefined is None else f", {metric.undefined:g}"
    score = f"the {procedures.metric_name(r.metric, metric)} of {whose}"
    return [f"On {task or 'these data'}, {score} is undefined (0/0) and counted as its declared value{value}."]


def _without_score(r: Comparison) -> str:
    """Name the systems whose score is 0/0."""
    if r.a.undefined and r.b.undefined:
        return "both systems"
    return "".join(name for name, score in zip(phrases.names(r), (r.a, r.b), strict=True) if score.undefined)


def _audit(r: Comparison) -> Prose:
    """Say how often the test errs on data like these, where that was measured: each rate with the sets it is of."""
    if not r.audit or not known(r.audit.get("false_alarm")):
        return []
    (a, b), sets, null = phrases.names(r), r.audit.get("sets"), str(r.audit.get("null"))
    many = f"{whole(sets)} test sets" if isinstance(sets, int) else "test sets"
    world = _world(r, null)
    of = f" of {phrases.clean(r.task)}" if r.task is not None else ""
    error = (
        f" (give or take {percent(r.audit['false_alarm_error'])})" if known(r.audit.get("false_alarm_error")) else ""
    )
    said: Prose = [
        f"To audit the test{of}, {many} were drawn from {world}",
        cite("keller2005"),
        f": it {_wrongly(r)} in {percent(r.audit['false_alarm'])}{error} of them at ",
        *_level(r.alpha),
    ]
    drawn = f"{'as many' if isinstance(sets, int) else 'test sets'} that were drawn where {a} and {b} differ as they do"
    rates = []
    if known(r.audit.get("coverage")):
        level = percent(r.audit.get("level", 1 - r.alpha))
        rates.append(f"its {level} interval holds the true difference in {percent(r.audit['coverage'])}")
    if known(r.audit.get("power")):
        rates.append(f"its power is {percent(r.audit['power'])}")
    return [*said, *([f"; {' and '.join(rates)}, measured on {drawn}"] if rates else []), "."]


def _audits(rs: Comparisons) -> Prose:
    """Say how often the tests of several comparisons err, all in one sentence."""
    told = [r for r in rs if r.audit and known(r.audit.get("false_alarm"))]
    if len(told) < 2:
        return _audit(told[0]) if told else []
    worlds = list(dict.fromkeys(_world(r, str((r.audit or {}).get("null"))) for r in told))
    return [
        f"To audit the tests, test sets were drawn from {' or '.join(worlds)}",
        cite("keller2005"),
        f": {summary.audited(told)}.",
    ]


def _world(r: Comparison, null: str) -> str:
    """Say where the test sets of an audit are drawn from."""
    a, b = phrases.names(r)
    if null in audited.NULLS:
        return audited.world(null, a, b)
    if null == "nearest tie":
        return audited.world("tilt", a, b)
    if null != "nearest margin":
        return "a world without a difference"
    apart = f"{b} is worse than {a}" if r.question == "no-worse" else f"{a} and {b} differ"
    return f"the nearest world in which {apart} by just the margin"


def _wrongly(r: Comparison) -> str:
    a, b = phrases.names(r)
    wrong = {"better": "raises a false alarm", "no-worse": f"calls {b} no worse", "equal": f"calls {a} and {b} equal"}
    return wrong[r.question]
