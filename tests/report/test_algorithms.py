"""Standings in words: who is best first, every number from the result, the signature last."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from made_results import NASTY

from referee.metrics.decorator import info_of
from referee.report import phrases
from referee.report.document import Table
from referee.report.documents import document_of
from referee.report.phrases import algorithms as report
from referee.results.algorithms import Algorithm, Failure, Pair, Standings
from referee.results.comparison import Interval
from referee.significance.fold_tests import FOLD_TESTS


def algorithm(name, score, spread=0.012, fit=0.41, predict=0.0123):
    return Algorithm(
        name=name, score=score, spread=spread, scores=(score,) * 10, fit_seconds=fit, predict_seconds=predict
    )


def pair(a, b, difference, p, adjusted, verdict="too close to call", **more):
    interval = (
        None if difference is None else Interval(low=difference - 0.03, high=difference + 0.03, level=0.95, method="t")
    )
    content = {"interval": interval, "test": "5x2cv-f", "statistic": 2.0, **more}
    return Pair(a=a, b=b, difference=difference, p_value=p, p_adjusted=adjusted, verdict=verdict, **content)


def standings(algorithms, pairs, best, **changes):
    content = {
        "design": "5x2cv",
        "metric": "accuracy",
        "higher_is_better": True,
        "test": "5x2cv-f",
        "reason": "the combined F test uses all ten differences, in whatever order they come",
        "alternative": "two-sided",
        "alpha": 0.05,
        "margin": None,
        "adjust": "holm",
        "fits": 40,
        "splits": 10,
        "n": 178,
        "n_train": 89.0,
        "n_test": 89.0,
        "seconds": 12.3,
        "signature": "referee 0.1.0|design:5x2cv|metric:accuracy|rng:0",
    }
    content |= changes
    known = {
        "metric_info": info_of(content["metric"]),
        "test_info": FOLD_TESTS[content["test"]]().info() if content["test"] in FOLD_TESTS else None,
    }
    return Standings(algorithms=tuple(algorithms), pairs=tuple(pairs), best=tuple(best), **known, **content)


FOREST, LR, SVM, BAYES = (
    algorithm("forest", 0.965),
    algorithm("lr", 0.96),
    algorithm("svm", 0.941),
    algorithm("bayes", 0.91),
)
FOUR = (FOREST, LR, SVM, BAYES)
CLOSE = {
    ("forest", "lr"): pair("forest", "lr", -0.005, 0.5, 0.9),
    ("svm", "forest"): pair("svm", "forest", 0.024, 0.03, 0.09),
    ("forest", "bayes"): pair("forest", "bayes", -0.055, 0.02, 0.08),
    ("lr", "svm"): pair("lr", "svm", -0.019, 0.4, 0.9),
    ("lr", "bayes"): pair("lr", "bayes", -0.05, 0.02, 0.08),
    ("svm", "bayes"): pair("svm", "bayes", -0.031, 0.2, 0.4),
}


def pairs(**verdicts):
    """All pairs, the named ones (`forest_bayes="a better"`) judged so with an adjusted p of 0.006."""
    told = {tuple(key.split("_")): verdict for key, verdict in verdicts.items()}
    assert set(told) <= set(CLOSE)
    return [
        replace(one, verdict=told[key], p_value=0.001, p_adjusted=0.006) if key in told else one
        for key, one in CLOSE.items()
    ]


WINS = {"forest_lr": "a better", "svm_forest": "b better", "forest_bayes": "a better"}
ONE_BEST = standings(FOUR, pairs(**WINS), ["forest"])
SEVERAL = standings(FOUR, pairs(forest_bayes="a better"), ["forest", "lr", "svm"])
NOBODY = standings(FOUR, pairs(), ["forest", "lr", "svm", "bayes"])
CHAIN = standings(FOUR, pairs(forest_lr="a better", lr_svm="a better", lr_bayes="a better"), ["forest"])
TWO = standings((FOREST, LR), [pair("lr", "forest", 0.005, 0.012, 0.012, "b better")], ["forest"])
TWO_CLOSE = standings((FOREST, LR), [pair("lr", "forest", 0.005, 0.41, 0.41)], ["forest", "lr"])
SAME = standings(
    [algorithm(name, 0.9) for name in ("x", "y", "z")],
    [pair(a, b, 0.0, 1.0, 1.0) for a, b in (("x", "y"), ("x", "z"), ("y", "z"))],
    ["x", "y", "z"],
)
FAILED = standings(
    (FOREST, LR, replace(SVM, scores=(0.94,) * 7 + (None,) * 3)),
    [CLOSE["forest", "lr"], pair("svm", "forest", None, None, None), pair("lr", "svm", None, None, None)],
    ["forest", "lr"],
    failures=(
        Failure(name="svm", split=3, error="ValueError: C < 0"),
        Failure(name="svm", split=7, error="ValueError: C < 0"),
        Failure(name="svm", split=8, error="MemoryError"),
    ),
    warnings=("svm has no score on 3 of 10 splits",),
)


def chances(a, equal, b):
    return {"p_value": None, "p_adjusted": None, "probabilities": {"a": a, "equal": equal, "b": b}}


BAYESIAN = standings(
    (FOREST, LR, BAYES),
    [
        replace(CLOSE["forest", "lr"], **chances(0.2, 0.7, 0.1)),
        replace(CLOSE["forest", "bayes"], verdict="a better", **chances(0.984, 0.015, 0.001)),
        replace(CLOSE["lr", "bayes"], **chances(0.6, 0.3, 0.1)),
    ],
    ["forest", "lr"],
    design="repeated-kfold",
    test="correlated-bayes",
    splits=100,
    reason="",
)
BAYESIAN_TWO = standings(
    (FOREST, LR),
    [
        replace(
            CLOSE["forest", "lr"],
            verdict="practically equal",
            interval=replace(CLOSE["forest", "lr"].interval, method="posterior"),
            **chances(0.02, 0.96, 0.02),
        )
    ],
    ["forest", "lr"],
)
MARGIN = standings(
    FOUR,
    pairs(forest_lr="practically equal", forest_bayes="a better"),
    ["forest", "lr", "svm"],
    margin=0.02,
)
ERROR = standings(
    [replace(one, score=1 - one.score) for one in FOUR],
    [replace(one, difference=-one.difference) for one in ONE_BEST.pairs],
    ["forest"],
    metric="error",
    higher_is_better=False,
)
HOLDOUT = standings(
    [replace(one, spread=None, scores=(one.score,)) for one in (FOREST, LR)],
    [pair("forest", "lr", -0.005, 0.5, 0.5)],
    ["forest", "lr"],
    design="holdout",
    splits=1,
    fits=2,
    n_train=118.0,
    n_test=60.0,
    test="mcnemar",
)
GIVEN = standings(
    [replace(one, fit_seconds=None, predict_seconds=None) for one in FOUR],
    pairs(),
    [one.name for one in FOUR],
    fits=0,
    n=None,
    n_train=None,
    n_test=None,
    seconds=None,
    alternative="greater",
)
MANY = standings(
    [algorithm(f"model{i}", 0.9 - i / 100) for i in range(8)],
    [
        pair(
            f"model{i}",
            f"model{j}",
            (i - j) / 100,
            0.001,
            0.001 * (j + 1),
            "a better" if i == 0 else "too close to call",
        )
        for i in range(8)
        for j in range(i + 1, 8)
    ],
    ["model0"],
)
TIED = replace(
    MANY,
    pairs=tuple(replace(one, verdict="too close to call") if one.b != "model7" else one for one in MANY.pairs),
    best=tuple(f"model{i}" for i in range(7)),
)
CYCLE = standings(
    (FOREST, LR, SVM),
    [replace(CLOSE["forest", "lr"], verdict="a better"), replace(CLOSE["svm", "forest"], verdict="a better"), replace(CLOSE["lr", "svm"], verdict="a better")],
    [],
)  # fmt: skip
STRANGE = standings(
    [algorithm(NASTY + "1", 0.9), algorithm(NASTY + "2", 0.8), algorithm("x" * 200, 0.7)],
    [
        pair(NASTY + "1", NASTY + "2", -0.1, 0.001, 0.002, "a better"),
        pair(NASTY + "1", "x" * 200, -0.2, 0.001, 0.002, "a better"),
        pair(NASTY + "2", "x" * 200, -0.1, 1e-30, 3e-30, "a better"),
    ],
    [NASTY + "1"],
    metric=NASTY,
    reason=NASTY,
    warnings=(NASTY,),
    failures=(Failure(name=NASTY, split=1, error=NASTY),),
    signature=f"referee|{NASTY}",
)
ALL = {
    "one best": ONE_BEST,
    "several": SEVERAL,
    "nobody": NOBODY,
    "chain": CHAIN,
    "two": TWO,
    "two close": TWO_CLOSE,
    "same": SAME,
    "failed": FAILED,
    "bayesian": BAYESIAN,
    "bayesian two": BAYESIAN_TWO,
    "margin": MARGIN,
    "error": ERROR,
    "holdout": HOLDOUT,
    "given": GIVEN,
    "many": MANY,
    "tied": TIED,
    "cycle": CYCLE,
    "strange": STRANGE,
}


def broken(one):
    return replace(one, score=None, spread=None, scores=(None,), fit_seconds=None, predict_seconds=None)


NO_PAIR = standings(
    (FOREST, broken(LR)), [], ["forest"], failures=(Failure(name="lr", split=1, error="E"),), splits=1, design="holdout"
)
NO_SCORE = standings((broken(FOREST), broken(LR)), [], [])
ALL |= {"no pair": NO_PAIR, "no score": NO_SCORE}


def said(r):
    return " ".join(" ".join(report.sentences(r)).split())


def flat(r):
    return " ".join(str(r).split())


def fact(r, name):
    return dict(report.facts(r))[name]


def tabled(r, place):
    table = [block for block in document_of(r).blocks if isinstance(block, Table)][place]
    return [column.name for column in table.columns], [list(row) for row in table.rows]


@pytest.mark.parametrize("r", ALL.values(), ids=ALL)
def test_text_keeps_to_80_columns_and_ends_with_the_signature(r):
    lines = str(r).splitlines()
    assert lines[-1] == phrases.signature(r.signature)
    assert all(len(line) <= 80 for line in lines[:-1])
    assert flat(r).replace(" ", "").startswith("".join(said(r).split()))  # long names are folded
    assert not re.search(r"\bnan\b|None\b(?! of)|[\x00-\x09\x0b-\x1f\x7f]", "\n".join(lines))


@pytest.mark.parametrize("r", ALL.values(), ids=ALL)
def test_markdown_tables_are_whole(r):
    written = r.to_markdown()
    assert written.startswith("**")
    for block in written.split("\n\n"):
        if block.startswith("|"):
            assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1
    assert phrases.signature(r.signature) in written.splitlines()
    assert "<" not in re.sub("</?(details|summary)>", "", written.split("```text")[0])
    assert "\x1b" not in written
    assert r.to_markdown() == written


@pytest.mark.parametrize("r", ALL.values(), ids=ALL)
def test_latex_is_whole(r):
    written = r.to_latex()
    assert written.startswith("% referee")
    rest = "\n".join(line for line in written.splitlines() if not line.startswith("%"))
    rest = re.sub(r"p\{[\d.]+cm\}", "p", rest)  # a column that folds
    assert len(re.findall(r"(?<!\\)\$", rest)) % 2 == 0
    assert not re.search(r"(?<!\\)[#%]|±", rest)
    tables = re.findall(r"begin{tabular}{(\w+)}.*?\\midrule\n(.*?)\\bottomrule", rest, re.DOTALL)
    assert len(tables) == 2
    for (columns, body), count in zip(tables, (len(r.algorithms), len(r.pairs)), strict=True):
        assert len(body.splitlines()) == count
        for line in body.splitlines():
            assert line.endswith(r"\\")
            assert len(re.findall(r"(?<!\\)&", line)) == len(columns) - 1
    assert r.to_latex() == written


def test_one_best():
    assert said(ONE_BEST) == (
        '"forest" is best: accuracy 96.5%, 0.5 points ahead of "lr". "lr" (p = 0.0060), "svm" (p = 0.0060) and "bayes" '
        "(p = 0.0060) are significantly worse after adjusting for 6 comparisons (Holm)."
    )
    assert '**"forest" is best: accuracy 96.5%' in ONE_BEST.to_markdown()
    assert "<b>forest</b> is best: accuracy 96.5%" in ONE_BEST.to_html()
    assert r"\emph{forest} is best: accuracy 96.5\%" in ONE_BEST.to_latex()


def test_several_cannot_be_told_apart():
    assert said(SEVERAL) == (
        '"forest" scores highest: accuracy 96.5%, 0.5 points ahead of "lr". "lr" and "svm" can\'t be ruled out as its equal; '
        '"bayes" (p = 0.0060) is significantly worse after adjusting for 6 comparisons (Holm).'
    )
    best = [line.split()[0] for line in str(SEVERAL).splitlines() if line.endswith("  best")]
    assert best == ["forest", "lr", "svm"]


def test_nobody_is_worse():
    assert said(NOBODY) == (
        'None of the four algorithms is significantly better than another; "forest" scores best: accuracy 96.5%, 0.5 points '
        'ahead of "lr". The other three can\'t be ruled out as its equal.'
    )


def test_the_best_need_not_beat_everybody():
    assert said(CHAIN).endswith(
        '"svm" and "bayes" can\'t be ruled out as its equal, but are significantly worse than another; "lr" (p = 0.0060) is '
        "significantly worse after adjusting for 6 comparisons (Holm)."
    )


def test_two_algorithms():
    assert said(TWO) == (
        '"forest" is better than "lr": accuracy 96.5% against 96.0% (+0.5 points, p = 0.012). The 95% confidence interval of '
        "the difference is −2.5 to +3.5 points. The difference is statistically significant: if the two were equally good, a "
        "difference this large or larger would occur by chance in 1.2% of such experiments (p = 0.012)."
    )
    assert said(TWO_CLOSE).startswith(
        'Too close to call: "forest" has accuracy 96.5%, "lr" 96.0% (+0.5 points, p = 0.41).'
    )
    assert "The difference is not statistically significant" in said(TWO_CLOSE)
    assert "adjusted" not in str(TWO)
    worse = replace(TWO, pairs=(replace(TWO.pairs[0], verdict="a better"),))
    assert said(worse).startswith('"forest" is worse than "lr": accuracy 96.5% against 96.0% (+0.5 points')
    no_worse = replace(TWO, margin=0.03, pairs=(replace(TWO.pairs[0], verdict="no worse"),))
    assert said(no_worse).startswith(
        '"forest" is no worse than "lr": accuracy 96.5% against 96.0% (+0.5 points, p = 0.012, margin 3 points).'
    )
    unknown = replace(TWO_CLOSE, pairs=(pair("lr", "forest", None, None, None),))
    assert said(unknown) == 'Too close to call: the accuracy of "forest" and "lr" cannot be compared on these splits.'
    flat_line = replace(TWO_CLOSE, pairs=(replace(TWO_CLOSE.pairs[0], p_value=None, interval=None),))
    assert said(flat_line).endswith(
        "(+0.5 points, p unknown). How often chance would give such a difference is unknown (p unknown)."
    )


def test_identical_algorithms():
    assert said(SAME) == "All three algorithms have the same accuracy on every split, 90.0%: nothing tells them apart."
    two = replace(SAME, algorithms=SAME.algorithms[:2], pairs=SAME.pairs[:1], best=("x", "y"))
    assert said(two) == 'Too close to call: "y" and "x" have the same accuracy on every split, 90.0%.'
    by_chance = replace(two, algorithms=(two.algorithms[0], replace(two.algorithms[1], scores=(0.8, 1.0) * 5)))
    assert "on every split" not in said(by_chance)


def test_failures_are_told_with_split_and_error():
    assert said(FAILED) == (
        '"forest" scores highest: accuracy 96.5%, 0.5 points ahead of "lr". "lr" can\'t be ruled out as its equal. 3 fits of '
        '"svm" failed, so it is not tested.'
    )
    assert "Failed: svm, splits 3 and 7: ValueError: C < 0\nFailed: svm, split 8: MemoryError\n" in str(FAILED)
    assert "- Failed: svm, splits 3 and 7: ValueError: C &lt; 0" in FAILED.to_markdown()
    assert "% failed: svm, split 8: MemoryError" in FAILED.to_latex()
    assert "Warning: svm has no score on 3 of 10 splits." in str(FAILED)
    many = replace(FAILED, failures=tuple(Failure(name="svm", split=i, error=f"E{i}") for i in range(1, 14)))
    assert report.failures(many)[-1] == "3 more"
    assert len(report.failures(many)) == 11


def test_nothing_to_compare():
    assert said(NO_PAIR) == (
        'Only "forest" has a score on every split (accuracy 96.5%): there is nothing to compare. 1 fit of "lr" failed, so it is '
        "not tested."
    )
    assert said(NO_SCORE) == (
        "Nobody can be called best: none of the two algorithms has a score on every split. Scores of "
        '"forest" and "lr" are missing, so they are not tested.'
    )


def test_the_next_is_one_that_was_tested():
    lucky = replace(SVM, score=0.99, scores=(0.99,) + (None,) * 9)
    beaten = [replace(CLOSE["forest", "lr"], verdict="a better"), pair("svm", "forest", -0.02, None, None)]
    r = standings((lucky, FOREST, LR), [*beaten, pair("lr", "svm", 0.02, None, None)], ["forest"])
    assert '"forest" is best: accuracy 96.5%, 0.5 points ahead of "lr".' in said(r)


def test_a_pair_that_was_not_compared():
    r = standings((FOREST, LR, broken(SVM)), [CLOSE["forest", "lr"]], ["forest", "lr"])
    assert said(r) == (
        '"forest" scores highest: accuracy 96.5%, 0.5 points ahead of "lr". "lr" can\'t be ruled out as its equal. Scores of '
        '"svm" are missing, so it is not tested.'
    )
    first = standings((SVM, broken(FOREST), LR), [pair("lr", "svm", 0.019, 0.01, 0.01, "b better")], ["svm"])
    assert said(first) == (
        '"svm" is best: accuracy 94.1%, 1.9 points ahead of "lr". "lr" (p = 0.010) is significantly worse. Scores of "forest" are '
        "missing, so it is not tested."
    )


def test_probabilities_take_the_place_of_p():
    assert said(BAYESIAN) == (
        '"forest" scores highest: accuracy 96.5%, 0.5 points ahead of "lr". "lr" can\'t be ruled out as its equal; "bayes" '
        "(98.4%) is worse with a probability of 95% or more."
    )
    head, body = tabled(BAYESIAN, 1)
    assert head == ["A", "B", "B − A (points)", "interval", "A better", "equal", "B better", "verdict"]
    assert body[1][4:] == ["98.4%", "1.5%", "0.1%", "bayes worse"]
    assert "Holm" not in str(BAYESIAN)
    assert said(BAYESIAN_TWO) == (
        '"lr" and "forest" are practically equal: accuracy 96.0% and 96.5% (−0.5 points). The 95% credible interval of the '
        "difference is −3.5 to +2.5 points. The probability that forest is better is 2%, that lr is 2%, and that they are "
        "practically equal 96%."
    )


def test_margins():
    assert said(MARGIN).endswith(
        '"lr" is practically equal to it within 2 points; "svm" can\'t be ruled out as its equal; "bayes" (p = 0.0060) is '
        "significantly worse after adjusting for 6 comparisons (Holm)."
    )
    assert fact(MARGIN, "margin") == "differences within 2\xa0points do not matter"
    no_worse = replace(MARGIN, pairs=tuple(pairs(forest_lr="no worse", forest_bayes="a better")))
    assert '"lr" is no worse than it within 2 points;' in said(no_worse)


def test_lower_is_better():
    assert said(ERROR).startswith('"forest" is best: error 3.5%, 0.5 points ahead of "lr" (lower is better).')


def test_many_are_counted_and_not_named():
    assert said(MANY).endswith(
        "The other seven are significantly worse after adjusting for 28 comparisons (Holm) (p at most 0.0080)."
    )
    assert '. Six others can\'t be ruled out as its equal; "model7" (p = 0.0080) is significantly' in said(TIED)


def test_nobody_is_best():
    assert said(CYCLE) == "Nobody is best: each of the three algorithms is significantly worse than another."


def test_holdout_says_what_it_is_about():
    assert fact(HOLDOUT, "design") == (
        "holdout: 1 split, with 118 examples to train on and 60 examples to test; it is about these trained models, and not "
        "about how they vary with the training set"
    )
    assert "±" not in str(HOLDOUT)
    assert "would occur by chance in 50% of test sets" in said(HOLDOUT)


def test_scores_that_were_given():
    assert fact(GIVEN, "fits") == "none; the scores were given"
    assert fact(GIVEN, "design") == "5x2cv: 10 splits"
    assert fact(GIVEN, "alternative") == "greater: is the accuracy of B higher than that of A?"
    assert tabled(GIVEN, 0)[0] == ["algorithm", "accuracy", ""]


def test_the_tables():
    assert (
        "  algorithm     accuracy  fit (s)  predict (s)\n"
        "  forest     96.5% ± 1.2     0.41        0.012  best\n"
        "  lr         96.0% ± 1.2     0.41        0.012  best\n"
        "  svm        94.1% ± 1.2     0.41        0.012  best\n"
        "  bayes      91.0% ± 1.2     0.41        0.012\n"
    ) in str(SEVERAL)
    assert (
        "All pairs, in points; 95% intervals; p adjusted for 6 pairs (Holm):\n\n"
        "  A       B       B − A      interval       p  adjusted  verdict\n"
        "  forest  lr       −0.5  [−3.5, +2.5]    0.50      0.90  too close to call\n"
    ) in str(SEVERAL)
    assert fact(SEVERAL, "fits") == "40, each algorithm once per split, 12\xa0s in all"
    assert fact(SEVERAL, "design") == "5x2cv: 10 splits, with 89 examples to train on and 89 examples to test"


def test_long_names_stand_on_a_line_of_their_own():
    long = standings(
        [algorithm("gradient boosting", 0.9), algorithm("logistic regression", 0.8)],
        [pair("gradient boosting", "logistic regression", -0.1, 0.001, 0.001, "a better")],
        ["gradient boosting"],
    )
    assert (
        "    B − A       interval       p\n"
        "  gradient boosting (A), logistic regression (B): logistic regression worse\n"
        "    −10.0  [−13.0, −7.0]  0.0010\n"
    ) in str(long)
