"""How a comparison was made and what it showed, sentence by sentence, in the words of a paper."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from referee.report import phrases
from referee.report.document import Formula, Name, plain
from referee.report.methods import references as procedures
from referee.report.methods.references import Prose, cite, joined, level_of
from referee.report.numbers import known, p_equation, percent, whole
from referee.report.phrases import audit as audited
from referee.report.phrases import comparisons as summary
from referee.report.phrases import listed, posterior, several, variance, wins
from referee.report.phrases.comparison import says_p
from referee.report.phrases.terms import believed, terms
from referee.report.phrases.verdicts import compared
from referee.results.comparison import Comparison, Comparisons
from referee.results.measurement import Measurement
from referee.results.posterior import Posterior
from referee.results.ranking import Ranking
from referee.results.settings import Settings

STANDS_FOR = "; each stands for as many as its weight says, and the weights were not chosen by how the systems do"
TOLD = 6
"""Of so many tasks each is named and has a sentence; of more, the table tells."""


def comparison(r: Comparison) -> list[Prose]:
    """Return the sentences about one comparison."""
    sentences = [
        _compared(r),
        *_data(r),
        _judged(r),
        _tested(r),
        procedures.chosen_because({r.reason}),
        _origin(r, r.p_error),
    ]
    sentences += [_intervals([r]), _margin(r), _undefined(r), _result(r), _audit(r)]
    return [*filter(None, sentences), procedures.software(r.settings, r.signature)]


def comparisons(rs: Comparisons) -> list[Prose]:
    """Return the sentences about several comparisons: what they share once, then what each gave."""
    rs = rs.told
    if not len(rs):
        return [[plain(summary.headline(rs))]]
    if len(rs) == 1:
        return comparison(rs[0])
    sentences = [_compared_all(rs), *(sentence for r, _ in _alike(rs, _data) for sentence in _data(r))]
    tests = _alike(rs, lambda r: (r.test, grouped(r), r.p_method, known(r.p_value)))
    reasons = {r.reason for r in rs} if len(tests) == 1 else set()
    for r, tasks in tests:
        sentences += [_tested(r, _only(tasks, rs)), procedures.chosen_because(reasons), _origin(r)]
    sentences += [
        _intervals(rs),
        procedures.adjusted(rs.adjust, len(rs), "comparisons", terms(rs[0]).number),
        _margin(rs[0]),
    ]
    if len(rs) <= TOLD:
        for task, r in zip(summary.tasks(rs), rs, strict=True):
            sentences += [_undefined(r, task), _result(r, task)]
    else:
        sentences += [[plain(summary.headline(rs))]]
    return [*filter(None, [*sentences, _audits(rs)]), procedures.software(rs[0].settings)]


def _alike(rs: Iterable[Comparison], key: Callable[[Comparison], object]) -> list[tuple[Comparison, list[str]]]:
    """Put those together of which the same is told: the first of them, and the tasks of all."""
    alike: dict[str, tuple[Comparison, list[str]]] = {}
    for r in rs:
        task = phrases.whole_metric(r) if r.task is None else phrases.clean(r.task)
        alike.setdefault(str(key(r)), (r, []))[1].append(task)
    return list(alike.values())


def _only(tasks: Sequence[str], rs: Comparisons) -> str:
    """Say of which tasks something holds, where it is not all."""
    if len(tasks) == len(rs):
        return ""
    return f" in {listed(tasks)}" if len(tasks) <= TOLD else f" in {whole(len(tasks))} of the comparisons"


def grouped(r: Comparison | Ranking) -> bool:
    """Say whether the units of a comparison are groups of examples."""
    return r.units != r.n or (r.settings is not None and "group" in r.settings.roles)


def size(r: Comparison | Ranking) -> str:
    """Say how many examples there are, in how many groups and strata."""
    groups = f" in {several(r.units, 'group')}" if grouped(r) else ""
    if crossed := variance.crossed(r):
        groups = f" ({crossed}, which cross each other)"
    strata = f" ({r.settings.strata} strata)" if r.settings and r.settings.strata else ""
    return f"{several(r.n, 'example')}{groups}{strata}{weighted(r)}"


def weighted(r: Comparison | Ranking | Measurement) -> str:
    """Say that the examples have weights, and how many equal ones say as much."""
    return (
        "" if r.weights is None else f", weighted (as informative as {phrases.effective(r.weights)} of equal weight),"
    )


def _compared(r: Comparison) -> Prose:
    a, b = phrases.names(r)
    of = f" of the task {phrases.clean(r.task)}" if r.task is not None else ""
    on = f" were compared on {f'the same {size(r)}' if r.paired else _samples(r)}{of} by "
    return ["The systems ", Name(a), " and ", Name(b), on, *procedures.described(r), "."]


def _judged(r: Comparison) -> Prose:
    """Say who labelled what, and what the judge is worth."""
    j = r.judge
    if j is None:
        return []
    whom = f"People labelled {whole(j.labelled)} of the examples, and a judge all {whole(j.judged)}"
    how = f"; the judge agrees with people on {percent(j.agreement)} of the former" if known(j.agreement) else ""
    alike = f"; the correlation of its scores with people's is {j.correlation:.2f}" if known(j.correlation) else ""
    return [
        f"{whom}{how}{alike}. The judge's correction was given the weight {j.weight:.2f}, and the human labels are then as "
        f"good as {phrases.about(round(j.worth))}."
    ]


def _samples(r: Comparison) -> str:
    groups = f", in {several(r.units, 'group')}" if grouped(r) else ""
    return f"different examples ({whole(r.matched.a_only)} and {whole(r.matched.b_only)}{groups})"


def _compared_all(rs: Comparisons) -> Prose:
    (a, b), sizes = phrases.names(rs[0]), list(dict.fromkeys(map(size, rs)))
    tasks = list(dict.fromkeys(summary.tasks(rs)))
    named = f"{whole(len(rs))} comparisons" + (f" ({listed(tasks)})" if len(tasks) <= TOLD else "")
    each = sizes[0] if len(sizes) == 1 else f"{whole(min(r.n for r in rs))} to {whole(max(r.n for r in rs))} examples"
    metrics = {(r.metric, r.higher_is_better): r for r in rs}.values()
    by = joined(map(procedures.described, metrics), ", by ", " and by ")
    same = "the same" if all(r.paired for r in rs) else "different"
    on = f" were compared on {same} examples in {named} of {each}, by "
    return ["The systems ", Name(a), " and ", Name(b), on, *by, "."]


def _data(r: Comparison) -> list[Prose]:
    """Say what became of the data on the way: the positive label, a threshold, examples without a partner."""
    settings = r.settings or Settings()
    missing = settings.missing_counted_as(scores=r.metric_info is not None and r.metric_info.task == "scores")
    sentences = {
        f"The positive class is {phrases.clean(settings.positive_class)}.": settings.positive_class is not None,
        f"Scores of at least {settings.threshold} counted as positive answers.": settings.threshold is not None,
        "The responses are sets, without true negatives.": settings.open,
        phrases.sentence(wins.counted(r) or "-"): r.preferences is not None,
        phrases.sentence(f"the win rate is the mean of both orders of presentation; {wins.position(r)}"): r.position
        is not None,
        **dict.fromkeys(_left_out(r), True),
        f"Missing predictions counted as {missing}.": bool(missing),
        "The rows of an example that has several rows were averaged.": settings.averaged,
    }
    return [[sentence] for sentence, is_so in sentences.items() if is_so]


def left_out(r: Comparison) -> tuple[int, int, str]:
    """Return how many examples only one system has and how many lack a value, all left out; and what the latter are.

    Where every item that one system alone has is an answer of its own, as in open sets, a result counts it as met. What is
    averaged is dropped row by row, before it is.
    """
    averaged = r.settings is not None and r.settings.averaged
    return r.matched.a_only + r.matched.b_only if r.paired else 0, r.matched.dropped, "row" if averaged else "example"


def _left_out(r: Comparison) -> list[str]:
    (a, b), m, (alone, missing, row) = phrases.names(r), r.matched, left_out(r)
    whose = f"{whole(m.a_only)} of {a} and {whole(m.b_only)} of {b}"
    sentences = {
        f"{several(alone, 'example')} that only one system has {_were(alone)} left out ({whose}).": alone,
        f"{several(missing, row)} with a missing value {_were(missing)} left out.": missing,
    }
    return [sentence for sentence, count in sentences.items() if count]


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _tested(r: Comparison, only: str = "") -> Prose:
    """Say which question was tested, and how."""
    (a, b), margin = phrases.names(r), phrases.margin(r)
    if believed(r):
        return _believed(r, only)
    other = {"greater": "higher", "less": "lower"}.get(r.alternative)
    side = f"against the one-sided alternative that the score of {b} is {other}" if other else "two-sided"
    question: Prose = {
        "better": [f"The difference ({b} minus {a}) was tested{only}, {side}"],
        "no-worse": [f"That {b} is worse than {a} by {margin} or more was tested{only}, for non-inferiority"],
        "equal": [
            f"That {a} and {b} differ by {margin} or more was tested{only}, for equivalence by two one-sided tests",
            cite("schuirmann1987"),
        ],
    }[r.question]
    test = procedures.procedure(r.test, r.test_info, margin=r.question != "better")
    return [*question, ", at ", level_of(r.alpha), ", with ", *test, "."]


def _believed(r: Comparison, only: str) -> Prose:
    """Say which posterior was drawn, and what a claim needs."""
    a, b = phrases.names(r)
    one_sided = r.question != "better" or r.alternative != "two-sided"
    outside = phrases.margin(r) if r.question != "better" else "0"
    drawn = f"The difference ({b} minus {a}) was drawn{only} from its posterior: "
    needed = f"{outside} has to lie outside the {percent(1 - r.alpha * (2 if one_sided else 1))} credible interval"
    of_margin = "the margin of " if r.question != "better" else ""
    whose = procedures.procedure(r.test, r.test_info) if r.posterior is None else _prior(r, r.posterior)
    return [drawn, *whose, f". For a claim, {of_margin}{needed}."]


def _prior(r: Comparison, p: Posterior) -> Prose:
    """Say which posterior it is."""
    if p.kind == "systems":
        return procedures.procedure(r.test, r.test_info)
    if p.kind != "outcomes":
        return [
            f"the Bayesian bootstrap of {'whole groups' if p.kind == 'groups' else 'the examples'}",
            cite("rubin1981"),
        ]
    prior = f"worth {p.prior:.4g} example{'' if p.prior == 1 else 's'} in all"
    even = "spread evenly over the classes of the truth and over who is right"
    return [f"that of the shares of the joint outcomes, under a Dirichlet prior {prior}, {even}", cite("gelman2013")]


def _origin(r: Comparison, error: float | None = None) -> Prose:
    if believed(r) and r.posterior is None:
        return ["These data give no posterior of the difference."]
    if r.posterior is not None:
        return [f"Probabilities are shares of {whole(r.posterior.draws)} draws."]
    if not known(r.p_value):
        return ["No p-value could be computed on these data."]
    return procedures.origin(r.test_info, r.p_method, error, margin=r.question != "better")


def _intervals(rs: Sequence[Comparison] | Comparisons) -> Prose:
    """Say what the intervals of the difference and of the scores are."""
    own = {r.interval.method: r.interval.level for r in rs if r.interval}
    scores = {s.interval.method: s.interval.level for r in rs for s in (r.a, r.b) if s.interval}
    of_scores = joined(map(procedures.interval, scores), " or ", " or ")
    if not own:
        return ["The interval of each score is ", *of_scores, "."] if scores else []
    level, same = percent(next(iter(own.values()))), list(own.items()) == list(scores.items())
    of_difference = joined(map(procedures.interval, own), " or ", " or ")
    rest = ["; that of each score is ", *of_scores] if scores and not same else []
    if any(r.interval_adjusted for r in rs):
        return ["The intervals of the differences are simultaneous; each is ", *of_difference, *rest, "."]
    return [
        f"The {level} interval of the difference{', and that of each score,' if same else ''} is ",
        *of_difference,
        *rest,
        ".",
    ]


def _margin(r: Comparison) -> Prose:
    if not known(r.margin) or r.question != "better":
        return []
    judged = (
        f"Differences below {phrases.margin(r)} were considered of no practical importance; whether a difference is smaller was "
        f"judged by its {percent(1 - 2 * r.alpha)} {'credible ' if believed(r) else ''}interval"
    )
    if believed(r):
        return [judged, "."]
    return [judged, ", which amounts to two one-sided tests at ", *(level_of(r.alpha), cite("schuirmann1987"), ".")]


def _result(r: Comparison, task: str = "") -> Prose:
    (a, b), scale = phrases.names(r), phrases.scale(r)
    start = f"On {task}, the" if task else "The"
    if not known(r.difference):
        return [f"{start} scores of {a} and {b} could not be compared."]
    shown: list[Prose] = []
    if r.interval:
        shown.append(
            [f"{percent(r.interval.level)} {phrases.kind_of(r.interval)} ", Formula(phrases.bracket(r.interval, scale))]
        )
    if r.posterior is not None:
        shown.append([posterior.sure(r, r.posterior)])
    elif known(r.p_value) and says_p(r):
        shown.append([Formula(p_equation(r.p_value, r.alpha))])
    if known(r.p_adjusted) and r.question == "better" and r.posterior is None:
        shown.append(["adjusted ", Formula(p_equation(r.p_adjusted, r.alpha))])
    first, second = Formula(scale.score(r.a.score)), Formula(scale.score(r.b.score))
    difference = Formula(scale.plain(r.difference, sign=True))
    scores = [f"{start} score of {a} is ", first, f", that of {b} is ", second, ", and the difference is ", difference]
    scores.append(scale.points)
    return [*scores, *([" (", *joined(shown, ", ", ", "), ")"] if shown else []), f": {_claim(r)}."]


def _claim(r: Comparison) -> str:
    """Say what the verdict claims; if there is none, why."""
    names, of_a_test = phrases.names(r), r.question == "better" and r.verdict in ("a better", "b better")
    if r.verdict != "too close to call":
        claim = "".join(compared(r.verdict, *names, terms(r).surely if of_a_test and not believed(r) else ""))
        return claim if of_a_test or r.verdict == "practically equal" else f"{claim} by more than the margin"
    if r.question != "better":
        asked = "no worse" if r.question == "no-worse" else "practically equal"
        return f"that {''.join(compared(asked, *names))} is not shown"
    p = r.p_adjusted if known(r.p_adjusted) else r.p_value
    rejects = known(p) and p <= r.alpha
    if r.difference == 0:
        if r.a.undefined and r.b.undefined:
            return "both scores are the declared value, which says nothing about the systems"
        return (
            f"there is no difference{', although the test rejects equality, so there is no verdict' if rejects else ''}"
        )
    if not known(r.p_value):
        return "the data do not tell which is better" if believed(r) else "whether it is due to chance cannot be told"
    opposed = "the test points the opposite way from the difference, so there is no verdict"
    if r.posterior is not None:
        return "the data do not tell which is better"
    return opposed if rejects else "it is not significant"


def _undefined(r: Comparison, task: str = "") -> Prose:
    """Say that a score is 0/0, where it is, and what it counted as."""
    whose = [name for name, score in zip(phrases.names(r), (r.a, r.b), strict=True) if score.undefined]
    if not whose:
        return []
    value = "" if r.metric_info is None or r.metric_info.undefined is None else f", {r.metric_info.undefined:g}"
    score = f"the {procedures.metric_name(r)} of {whose[0] if len(whose) == 1 else 'both systems'}"
    return [f"On {task or 'these data'}, {score} is undefined (0/0) and counted as its declared value{value}."]


def _audit(r: Comparison) -> Prose:
    """Say how often the test errs on data like these, where that was measured: each rate with the sets it is of."""
    audit = r.audit or {}
    if not known(audit.get("false_alarm")):
        return []
    (a, b), sets, error = phrases.names(r), audit.get("sets"), audit.get("false_alarm_error")
    many, as_many = (f"{whole(sets)} test sets", "as many") if isinstance(sets, int) else ("test sets", "test sets")
    of = f" of {phrases.clean(r.task)}" if r.task is not None else ""
    rate = percent(audit["false_alarm"]) + (f" (give or take {percent(error)})" if known(error) else "")
    alarm = "raises a false alarm" if r.posterior is None else "takes tied systems for different"
    wrong = {"better": alarm, "no-worse": f"calls {b} no worse", "equal": f"calls {a} and {b} equal"}
    rates = []
    if known(audit.get("coverage")):
        level = percent(audit.get("level", 1 - r.alpha))
        rates.append(f"its {level} interval contains the true difference in {percent(audit['coverage'])}")
    if known(audit.get("power")):
        rates.append(f"its power is {percent(audit['power'])}")
    measured = f", measured on {as_many} drawn from data in which {a} and {b} differ as they do"
    start = [f"To audit the test{of}, {many} were drawn from {_world(r)}", cite("keller2005")]
    alarms = [f": it {wrong[r.question]} in {rate} of them at ", level_of(r.alpha)]
    return [*start, *alarms, *([f"; {' and '.join(rates)}{measured}"] if rates else []), "."]


def _audits(rs: Comparisons) -> Prose:
    """Say how often the tests of several comparisons err, all in one sentence."""
    measured = [r for r in rs if r.audit and known(r.audit.get("false_alarm"))]
    if len(measured) < 2:
        return _audit(measured[0]) if measured else []
    worlds = " or ".join(dict.fromkeys(map(_world, measured)))
    start = f"To audit the tests, test sets were drawn from {worlds}"
    return [start, cite("keller2005"), f": {summary.audited(measured)}."]


def _world(r: Comparison) -> str:
    """Say where the test sets of an audit are drawn from."""
    (a, b), null = phrases.names(r), str((r.audit or {}).get("null"))
    if null in audited.NULLS or null == "nearest tie":
        return audited.world("tilt" if null == "nearest tie" else null, a, b)
    if null != "nearest margin":
        return "a world without a difference"
    apart = f"{b} is worse than {a}" if r.question == "no-worse" else f"{a} and {b} differ"
    return f"the nearest world in which {apart} by exactly the margin"
