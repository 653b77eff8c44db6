"""Accounts: how a comparison was made and what it gave, sentence by sentence, as a paper tells it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from referee.report import measures, procedures, rows, summary, words
from referee.report.numbers import known, number, p_equation, percent, whole
from referee.report.prose import Code, Formula, Prose, cite
from referee.report.winners import listed
from referee.results import Comparison, Comparisons

TOLD = 6
"""Of so many tasks each is named and has a sentence; of more, the table tells."""
WORLDS = {"tilt": "the nearest world in which the two tie", "swap": "a world in which the two are exchangeable"}


def comparison(r: Comparison) -> list[Prose]:
    """Return the sentences about one comparison."""
    found = [
        _compared(r),
        *_data(r),
        _tested(r),
        _reason([r]),
        _origin(r, r.p_error),
        _intervals([r]),
        _margin(r),
        _result(r),
        _audit(r),
        software(r.signature),
    ]
    return [said for said in found if said]


def comparisons(rs: Comparisons) -> list[Prose]:
    """Return the sentences about several comparisons: what they share once, then what each gave."""
    if not len(rs):
        return [[summary.sentence(rs)]]
    if len(rs) == 1:
        return comparison(rs[0])
    found = [_compared_all(rs), *(said for r, _ in _alike(rs, _data) for said in _data(r))]
    tests = _alike(rs, lambda r: (r.test, grouped(r), r.p_method, known(r.p_value)))
    for r, tasks in tests:
        found += [_tested(r, _only(tasks, rs)), _reason(rs) if len(tests) == 1 else [], _origin(r)]
    found += [_intervals(rs), adjusted(rs.adjust, len(rs), "comparisons"), _margin(rs[0])]
    if len(rs) <= TOLD:
        found += [_result(r, task) for task, r in zip(summary.tasks(rs), rs, strict=True)]
    else:
        found += [[summary.counted(rs)]]
    found += [_audit(r) for r in rs] if len(rs) <= TOLD else []
    return [said for said in [*found, software(rs[0].signature, whole_line=False)] if said]


def _alike(rs: Iterable[Comparison], key: Callable[[Comparison], object]) -> list[tuple[Comparison, list[str]]]:
    """Put those together of which the same is told: the first of them, and the tasks of all."""
    found: dict[str, tuple[Comparison, list[str]]] = {}
    for r in rs:
        task = words.clean(r.task if r.task is not None else r.metric)
        found.setdefault(str(key(r)), (r, []))[1].append(task)
    return list(found.values())


def _only(tasks: Sequence[str], rs: Comparisons) -> str:
    """Say of which tasks something holds, where it is not all."""
    if len(tasks) == len(rs):
        return ""
    return f" in {listed(tasks)}" if len(tasks) <= TOLD else f" in {whole(len(tasks))} of the comparisons"


def grouped(r: Comparison) -> bool:
    """Say whether the units of a comparison are groups of examples."""
    return r.units != r.n or (r.counts is not None and "group" in r.counts)


def _size(r: Comparison) -> str:
    said = f"{whole(r.n)} example{'' if r.n == 1 else 's'}"
    if grouped(r):
        said += f" in {whole(r.units)} group{'' if r.units == 1 else 's'}"
    strata = measures.setting(r, "strata")
    return f"{said} ({words.clean(strata)} strata)" if strata else said


def _compared(r: Comparison) -> Prose:
    a, b = words.names(r)
    of = f" of the task {words.clean(r.task)}" if r.task is not None else ""
    metric = measures.described(r.metric, r.higher_is_better)
    return [f"{a} and {b} were compared on the same {_size(r)}{of} by ", *metric, "."]


def _compared_all(rs: Comparisons) -> Prose:
    (a, b), sizes = words.names(rs[0]), list(dict.fromkeys(map(_size, rs)))
    tasks = list(dict.fromkeys(summary.tasks(rs)))
    named = f"{whole(len(rs))} comparisons" + (f" ({listed(tasks)})" if len(tasks) <= TOLD else "")
    each = sizes[0] if len(sizes) == 1 else f"{whole(min(r.n for r in rs))} to {whole(max(r.n for r in rs))} examples"
    said: Prose = [f"{a} and {b} were compared on the same examples in {named} of {each}, by "]
    metrics = list(dict.fromkeys((r.metric, r.higher_is_better) for r in rs))
    for place, (one, higher) in enumerate(metrics):
        said += ["" if not place else " and by " if place == len(metrics) - 1 else ", by "]
        said += measures.described(one, higher)
    return [*said, "."]


def _data(r: Comparison) -> list[Prose]:
    """Say what became of the data on the way: the positive label, a threshold, examples without a partner."""
    (a, b), m = words.names(r), r.matched
    positive, threshold = measures.positive(r), measures.setting(r, "threshold")
    said: list[Prose] = []
    if positive:
        said.append([f"The positive class is {positive}."])
    if threshold:
        said.append([f"Scores of at least {words.clean(threshold)} counted as positive answers."])
    if r.counts is not None and r.counts.open:
        said.append(["The responses are sets, without true negatives."])
    if m.a_only or m.b_only or m.dropped:
        alone = f"{whole(m.a_only)} examples had a response of {a} alone and {whole(m.b_only)} of {b} alone"
        said.append([f"{alone}; {whole(m.dropped)} were left out."])
    if measures.setting(r, "missing") == "wrong":
        said.append(["Missing predictions counted as wrong."])
    return said


def _tested(r: Comparison, only: str = "") -> Prose:
    a, b = words.names(r)
    side = {
        "two-sided": "two-sided",
        "greater": f"against the one-sided alternative that the score of {b} is higher",
        "less": f"against the one-sided alternative that the score of {b} is lower",
    }[r.alternative]
    test = procedures.procedure(r.test, grouped(r))
    return [f"The difference ({b} minus {a}) was tested{only}, {side}, at ", *_level(r.alpha), ", with ", *test, "."]


def _level(alpha: float) -> Prose:
    return [Formula(f"alpha = {alpha:g}")]


def _reason(rs: Iterable[Comparison]) -> Prose:
    """Say why the test was chosen, where it was chosen here and for one reason."""
    reasons = list(dict.fromkeys(words.clean(r.reason, 1000).removesuffix(".") for r in rs))
    if len(reasons) != 1 or reasons[0] in ("", "asked for"):
        return []
    return [f"This test was chosen because {reasons[0]}."]


def _origin(r: Comparison, error: float | None = None) -> Prose:
    if not known(r.p_value):
        return ["No p-value could be computed on these data."]
    return [*procedures.origin(r.test, r.p_method, error, grouped(r)), "."]


def _intervals(rs: Iterable[Comparison]) -> Prose:
    """Say what the intervals of the difference and of the scores are."""
    found = list(rs)
    own = {r.interval.method: r.interval.level for r in found if r.interval}
    scores = dict.fromkeys(score.interval.method for r in found for score in (r.a, r.b) if score.interval)
    if not own:
        return ["The interval of each score is ", *_either(scores), "."] if scores else []
    level, same = percent(next(iter(own.values()))), list(own) == list(scores)
    said = [f"The {level} interval of the difference{', and that of each score,' if same else ''} is ", *_either(own)]
    return [*said, *(["; that of each score is ", *_either(scores)] if scores and not same else []), "."]


def _either(methods: Iterable[str]) -> Prose:
    said: Prose = []
    for place, method in enumerate(methods):
        said += [" or " if place else "", *procedures.interval(method)]
    return said


def _margin(r: Comparison) -> Prose:
    if r.margin is None or not known(r.margin):
        return []
    return [
        f"Differences below {words.margin(r)} were held to be of no practical importance; that a difference is smaller was "
        f"judged by its {percent(1 - 2 * r.alpha)} interval, which is two one-sided tests at ",
        *_level(r.alpha),
        cite("schuirmann1987"),
        ".",
    ]


def _result(r: Comparison, task: str = "") -> Prose:
    (a, b), digits = words.names(r), words.places(r)
    start = f"On {task}, the" if task else "The"
    if not known(r.difference):
        return [f"{start} scores of {a} and {b} could not be compared."]
    shown: list[Prose] = []
    if r.interval:
        shown.append([f"{percent(r.interval.level)} interval ", Formula(words.bracket(r.interval, digits))])
    if known(r.p_value):
        shown.append([Formula(p_equation(r.p_value, r.alpha))])
    if known(r.p_adjusted):
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
    a, b = words.names(r)
    if r.verdict == "practically equal":
        return f"{a} and {b} are practically equal"
    if r.verdict == "no worse":
        return f"{b} is no worse than {a} by more than the margin"
    if r.verdict in ("a better", "b better"):
        better, worse = (a, b) if r.verdict == "a better" else (b, a)
        return f"{better} is significantly better than {worse}"
    if r.difference == 0:
        return "there is no difference"
    return "it is not significant" if known(r.p_value) else "whether it is luck cannot be told"


def _audit(r: Comparison) -> Prose:
    line = rows.audit(r)
    if not line or r.audit is None:
        return []
    sets, world = r.audit.get("sets"), WORLDS.get(str(r.audit.get("null")), "a world without a difference")
    drawn = f"{whole(sets)} test sets were" if isinstance(sets, int) else "Test sets were"
    of = f" of {words.clean(r.task)}" if r.task is not None else ""
    return [
        f"To audit the test{of}, {drawn[0].lower()}{drawn[1:]} drawn from {world}",
        cite("keller2005"),
        f": {line}.",
    ]


def adjusted(name: str, count: int, what: str) -> Prose:
    """Say how p-values are adjusted for being several."""
    if name == "none":
        return [f"The p-values of the {whole(count)} {what} are not adjusted for being several."]
    method = procedures.adjustment(name)
    return [f"The p-values of the {whole(count)} {what} are adjusted by ", *method, "; the verdicts follow these."]


def software(signature: str, whole_line: bool = True) -> Prose:
    """Name the software, with the line that it takes to get the same numbers again."""
    shown = words.clean(signature, 2000)
    version = shown.split("|")[0] or "referee"
    if not shown or not whole_line:
        return [f"The numbers were computed with {version}."]
    return [f"The numbers were computed with {version} (signature: ", Code(shown), ")."]
