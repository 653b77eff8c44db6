"""How systems were ranked over datasets and what that showed, sentence by sentence, in the words of a paper."""

from __future__ import annotations

from referee.report import phrases
from referee.report.document import Formula
from referee.report.methods import references as procedures
from referee.report.methods.references import Prose, cite, level_of
from referee.report.numbers import number, p_equation, percent, whole
from referee.report.phrases import dataset_ranking as words
from referee.report.phrases.algorithms import label
from referee.results.dataset_ranking import DatasetRanking

SAMPLE = (
    "The datasets are a random sample of those that matter, drawn independently of each other; each counts the same."
)
PRECISE = "The score on each dataset is taken as it is: how precisely it was estimated does not count."
SYMMETRIC = "If two systems were equally good, the differences of their scores over datasets would be spread symmetrically around 0."
EXCHANGEABLE = "If the systems were equally good, every order of them would be equally likely on each dataset."
POOL = "Whether two systems differ by Nemenyi's test depends on the other systems in the table, which also move the average ranks."
COMMENSURABLE = "Differences of scores on different datasets can be compared in size."
MANY = "There are enough datasets for the normal approximation of average ranks to hold."
PRIOR = (
    "Nothing but a pseudo-observation of 0, with half the weight of a dataset, was known of the differences beforehand."
)
BEFOREHAND = "The datasets, the metric, the test and alpha were chosen before the result was seen."


def ranking(r: DatasetRanking) -> list[Prose]:
    """Return the sentences about systems that were ranked over datasets."""
    names = [label(one.name) for one in r.systems]
    who = ["The systems ", *phrases.apart_in_a_list(names)] if len(names) <= 6 else [f"{whole(len(names))} systems"]
    better = "higher" if r.higher_is_better else "lower"
    compared = [
        *who,
        f" were compared by their {words.metric(r)} ({better} is better) on {whole(r.n)} datasets",
        cite("demsar2006"),
        ".",
    ]
    sentences: list[Prose] = [compared, _left_out(r), _friedman(r), _tested(r)]
    sentences += [[sentence] for sentence in words.sentences(r)]
    return [*filter(None, sentences), procedures.software(r.settings, r.signature)]


def _left_out(r: DatasetRanking) -> Prose:
    return (
        [f"{phrases.several(r.dropped, 'dataset')} with missing scores {'was' if r.dropped == 1 else 'were'} left out."]
        if r.dropped
        else []
    )


def _friedman(r: DatasetRanking) -> Prose:
    chi2, f = r.friedman, r.iman_davenport
    if chi2["statistic"] is None or f["statistic"] is None:
        return []
    return [
        "That all systems rank alike was tested with Friedman's test, corrected for ties", cite("friedman1937"), ", which gives ",
        Formula(f"chi2({chi2['df']:.0f}) = {number(chi2['statistic'], 2)}"), f" ({p_equation(chi2['p_value'], r.alpha)}), and in the form of Iman and Davenport",
        cite("iman1980"), " ", Formula(f"F({f['df']:.0f}, {f['df_error']:.0f}) = {number(f['statistic'], 2)}"), f" ({p_equation(f['p_value'], r.alpha)}).",
    ]  # fmt: skip


def _tested(r: DatasetRanking) -> Prose:
    about = "Every pair was" if r.baseline is None else f"The baseline {label(r.baseline)} and every other system were"
    if r.test == "bayes":
        rope = phrases.size_of(r.rope or 0.0, phrases.unit(r.metric_info))
        how = ["the Bayesian signed-rank test", cite("benavoli2014", "benavoli2017")]
        region = f", with differences within ±{rope} being practically nothing; a verdict needs a probability of {percent(1 - r.alpha)} or more."
        return [f"{about} compared with ", *how, region]
    at = [f"{about} tested, two-sided, at ", level_of(r.alpha), ", "]
    if r.test == "wilcoxon-holm":
        how = [
            f"with Wilcoxon's signed-rank test{' in its exact form' if r.p_method == 'exact' else ''}",
            cite("wilcoxon1945", "benavoli2016"),
        ]
        return [
            *at,
            *how,
            f"; the p-values of the {whole(len(r.pairs))} pairs are adjusted by Holm's method",
            cite("holm1979"),
            ".",
        ]
    size = f"; average ranks that differ by more than {number(r.critical_difference, 2)} are significantly different."
    if r.baseline is not None:
        return [*at, "with the Bonferroni-Dunn test of average ranks", cite("dunn1961"), size]
    return [*at, "with Nemenyi's test of average ranks", cite("nemenyi1963"), size]


def assumptions(r: DatasetRanking) -> list[str]:
    """Say what a ranking over datasets takes for granted."""
    own = {
        "wilcoxon-holm": [SYMMETRIC, COMMENSURABLE],
        "nemenyi": [EXCHANGEABLE, MANY, *([POOL] if r.baseline is None else [])],
        "bayes": [COMMENSURABLE, PRIOR],
    }
    return [SAMPLE, PRECISE, *own[r.test], BEFOREHAND]
