"""Methods: a paragraph that a paper can take as it is, whose every citation has an entry."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_results import ALL, AUDITS, GROUPED, NASTY, SEVERAL, STRANGE, comparison, told_of

import referee
from referee.data.counts import Counts, Matched, from_events
from referee.data.formats.pairing import read
from referee.errors import OptionError
from referee.metrics import METRICS
from referee.report.methods import paragraph, references
from referee.results.comparison import Comparisons, Score
from referee.results.settings import Settings
from referee.significance import TESTS
from referee.significance import resolve as resolve_test
from referee.significance.base import Evidence, Test, test
from referee.significance.fold_tests import FOLD_TESTS
from referee.significance.fold_tests import resolve as resolve_fold_test
from referee.significance.intervals import PAIRED
from referee.significance.sign_tests import FORMS as CLUSTERED

PAGES = Path(__file__).parents[3] / "docs"
EVENTS = [61, 14, 9, 21, 6, 11, 5, 873]
D = [0.02, 0.01, 0.03, 0, 0.02, 0.01, 0.02, 0.03, 0.01, 0.02]
COMMANDS = (
    r"\\text(?:backslash|asciitilde|asciicircum|less|greater|bar|asciigrave)\{\}|\\char34\{\}|\\allowbreak\{\}|~?\\citep\{[\w,]+\}"
    r"|\\texttt\{|\\emph\{|\\[{}#$%&_]|\{[\[\]*]\}|-\{\}"
)


def scores(test_name=None, **options):
    names = {"old": [0.8] * 10, "new": [0.8 + x for x in D], NASTY: [0.8 - 2 * x for x in D]}
    return referee.compare_scores(names, test=test_name, n_train=89, n_test=89, **options)


STANDINGS = {
    "kfold": scores(design="kfold"),
    "plain t": scores("t", design="resampled", adjust="bh", alternative="greater"),
    "5x2cv": scores(design="5x2cv", margin=0.02),
    "5x2cv-t": scores("5x2cv-t", design="5x2cv", metric="error", adjust="none"),
    "bayes": scores("correlated-bayes", design="kfold"),
    "two": referee.compare_scores({"a": [0.8] * 10, "b": [0.8 + x for x in D]}, design="kfold", n_train=9, n_test=1),
}
EVERY = {
    **ALL,
    "several": SEVERAL,
    "many": Comparisons(tuple(comparison(task=f"task {i}", p_adjusted=0.9) for i in range(9))),
    "one of several": Comparisons((STRANGE,)),
    "strange several": Comparisons((STRANGE, replace(GROUPED, task="x", p_adjusted=0.8), ALL["unknown"])),
    "none": Comparisons(()),
    **{f"audit {name}": r for name, r in AUDITS.items()},
    **{f"standings {name}": r for name, r in STANDINGS.items()},
}


def told(r):
    """Return the paragraph with plain blanks."""
    return paragraph.paragraph(r).replace("\xa0", " ")


def bare(text):
    """Take away what LaTeX of ours is made of: no sign with a meaning of its own may be left."""
    return re.sub(COMMANDS, "", re.sub(r"(?<!\\)\$.*?(?<!\\)\$", "", text))


@pytest.mark.parametrize("r", EVERY.values(), ids=EVERY)
def test_whole(r):
    said, tex = told(r), paragraph.latex(r)
    assert said.endswith(".")
    assert not re.search(r"\bNone\b(?! of the)|\bnan\b|\(\)|, ,|  ", said)
    assert "\x1b" not in said + tex
    first, _, body = tex.partition("\n")
    assert first.startswith(r"\providecommand{\citep}[1]{\cite{#1}}")
    assert not re.search(r"[\\#$%&_~^<>|\"`{\[\]*]", bare(body).replace("~", " ")), bare(body)
    keys = {key for keys in re.findall(r"\\citep\{(.*?)\}", body) for key in keys.split(",")}
    assert keys == set(re.findall(r"^@\w+\{(\w+),$", paragraph.bibtex(r), re.MULTILINE))
    assert len(paragraph.references(r)) == len(keys)
    for key in keys:
        assert references.WORKS[key].citation in said
    if not isinstance(r, Comparisons) or len(r):
        assert all(re.fullmatch(r"[A-Z].*\.", one) for one in paragraph.assumptions(r))
        assert len(paragraph.assumptions(r)) >= 2


def test_a_comparison():
    r = referee.compare(from_events(EVENTS), metric="accuracy", audit=False)
    start = (
        'The systems "A" and "B" were compared on the same 1,000 examples by accuracy (share of the examples that are labelled right; higher '
        "is better). The difference (B minus A) was tested, two-sided, at alpha = 0.05, with "
    )
    end = (
        "The score of A is 95.4%, that of B is 95.3%, and the difference is −0.1 points (95% confidence interval [−1.4, +1.2], p = 0.87): it "
        f"is not significant. The numbers were computed with referee {referee.__version__} (signature: "
    )
    assert told(r) == (
        f"{start}the score test, which compares the counts, by Pearson's chi-squared, with those expected under the null "
        "hypothesis, fitted by maximum likelihood (Rao, 1948; Tango, 1998; Miettinen and Nurminen, 1985; Owen, 2001). This test was chosen because accuracy is a share of examples that are right or wrong, so "
        "only those on which the systems disagree carry information. The p-value comes from the normal approximation for many "
        "examples. The 95% interval of the difference is the score interval, which contains all values that the score test does not "
        "reject (Rao, 1948; Tango, 1998); that of each score is Wilson's score interval (Wilson, 1927). "
        f"{end}{r.signature})."
    )
    assert r"fitted by maximum likelihood~\citep{rao1948,tango1998,miettinen1985,owen2001}." in paragraph.latex(r)
    assert r"(95\% confidence interval $[-1.4, +1.2]$, $p = 0.87$)" in paragraph.latex(r)
    assert paragraph.references(r)[1].startswith("Owen, A. B. (2001). Empirical Likelihood")
    mcnemar = referee.compare(from_events(EVENTS), metric="accuracy", test="mcnemar", audit=False)
    assert told(mcnemar) == (
        f"{start}McNemar's test in its mid-p form (McNemar, 1947; Fagerland et al., 2013). The p-value is the mid-p of the "
        "binomial distribution. The 95% interval of the difference is Tango's score interval (Tango, 1998); that of each score "
        f"is Wilson's score interval (Wilson, 1927). {end}{mcnemar.signature})."
    )
    assert (
        r"at $\alpha = 0.05$, with McNemar's test in its mid-p form~\citep{mcnemar1947,fagerland2013}."
        in paragraph.latex(mcnemar)
    )
    assert paragraph.references(mcnemar)[1].startswith("McNemar, Q. (1947). Note on")


def test_how_the_p_value_was_obtained():
    r = referee.compare(from_events(EVENTS), metric="f1", test="randomization:method=monte-carlo,trials=499")
    assert "from 499 random draws as (hits + 1)/(draws + 1) (Phipson and Smyth, 2010); its Monte Carlo" in told(r)
    assert "chosen because" not in told(r)
    assert "1,048,576 random draws" in told(replace(r, **told_of("f1", "randomization:method=yeh")))
    drawn = referee.compare(from_events(EVENTS), metric="f1", test="bootstrap:interval=bca,replicates=499")
    assert "from 499 random draws by inverting the interval" in told(drawn)
    exact = referee.compare(from_events(EVENTS), metric="f1", test="randomization:studentized=true")
    assert "The p-value is exact: it sums the probabilities of all exchanges" in told(exact)
    assert "each difference divided by its own standard error (Chung and Romano, 2013" in told(exact)
    assert "only equally good" in " ".join(paragraph.assumptions(exact))
    t = referee.compare(from_events(EVENTS), metric="accuracy", test="paired-t")
    assert "The p-value comes from Student's t distribution." in told(t)
    score = referee.compare(from_events(EVENTS), metric="f1")
    assert "The p-value comes from the normal approximation for many examples." in told(score)
    means = referee.compare(a=[0.1, 0.4, 0.3, 0.8] * 5, b=[0.3, 0.2, 0.9, 0.7] * 5)
    assert "from Student's t distribution, on degrees of freedom that allow for heavy tails." in told(means)
    assert "The p-value comes from the normal approximation for many groups." in told(
        replace(GROUPED, p_method="asymptotic", **told_of("accuracy", "mcnemar", grouped=True))
    )
    assert "No p-value could be computed" in told(comparison(p_value=None, verdict="too close to call"))


def test_what_the_question_was():
    r = referee.compare(from_events(EVENTS), metric="f1", alternative="less", margin=0.2, audit=True)
    said = told(r)
    for part in (
        "F1 (harmonic mean of precision and recall; higher is better) (van Rijsbergen, 1979)",
        "The positive class is 1.",
        "against the one-sided alternative that the score of B is lower, at alpha = 0.05",
        "Differences below 20 points were considered of no practical importance",
        "by its 90% interval, which amounts to two one-sided tests at alpha = 0.05 (Schuirmann, 1987)",
        "B and A are practically equal",
        "To audit the test, 1,000 test sets were drawn from the nearest world in which A and B tie (Keller et al., 2005): it",
    ):
        assert part in said
    assert "The margin was fixed before anyone looked at the data." in paragraph.assumptions(r)


def test_questions_about_a_margin():
    counts = from_events([n * 4 for n in EVENTS])
    r = referee.compare(counts, metric="f1", question="no-worse", margin=0.05, audit=False)
    said = told(r)
    assert "That B is worse than A by 5 points or more was tested, for non-inferiority, at alpha = 0.05, with" in said
    assert "with those expected under the null hypothesis, fitted by maximum likelihood" in said
    assert (
        "This test was chosen because F1 is computed from counts, so these can be compared with those expected" in said
    )
    assert "systems tie" not in said
    assert "The 90% interval of the difference is the score interval" in said
    assert ": B is no worse than A by more than the margin." in said
    assert "held to be of no practical importance" not in said
    assert "The margin was fixed before anyone looked at the data." in paragraph.assumptions(r)
    r = referee.compare(counts, metric="error", question="equal", margin=0.02, audit=False)
    said = told(r)
    assert (
        "That A and B differ by 2 points or more was tested, for equivalence by two one-sided tests (Schuirmann, 1987), at"
        in said
    )
    assert ": B and A are practically equal." in said
    r = referee.compare(counts, metric="f1", question="equal", margin=0.001, audit=False)
    assert ": that B and A are practically equal is not shown." in told(r)
    r = referee.compare(from_events([50, 2, 60, 0, 0, 5, 0, 900]), metric="f1", question="no-worse", margin=0.05)
    assert (r.verdict, r.p_value > 0.5) == ("a better", True)
    assert ": B is worse than A by more than the margin." in told(r)


@pytest.mark.parametrize(
    ("test", "said"),
    [
        (
            "mcnemar",
            "The p-value is the smallest alpha at which that interval, at a level of 1 - 2 alpha, excludes the margin.",
        ),
        (
            "bootstrap",
            "The p-value is the smallest alpha at which that interval, at a level of 1 - 2 alpha, excludes the margin.",
        ),
        ("paired-t", "The p-value comes from Student's t distribution."),
        ("score", "The p-value comes from the normal approximation for many examples."),
    ],
)
def test_where_the_p_value_of_a_margin_comes_from(test, said):
    r = referee.compare(
        from_events(EVENTS), metric="accuracy", test=test, question="no-worse", margin=0.01, audit=False
    )
    assert said in told(r)
    assert "mid-p" not in told(r)
    inverted = "for non-inferiority, at alpha = 0.05, with the interval of the difference." in told(r)
    assert inverted == (test in ("mcnemar", "bootstrap"))


def test_groups_strata_thresholds_and_what_was_left_out():
    columns = {
        "truth": [1, 0] * 20,
        "a": [0.9, 0.2, 0.4, 0.6] * 10,
        "b": [0.8, 0.1] * 20,
        "group": list(range(20)) * 2,
        "stratum": [0, 1] * 20,
    }
    r = referee.compare(
        columns, truth="truth", a="a", b="b", group="group", stratum="stratum", threshold=0.5, metric="f1"
    )
    said = told(r)
    assert "40 examples in 20 groups (2 strata)" in said
    assert "Scores of at least 0.5 counted as positive answers." in said
    assert (
        "with the t test over whole groups with the bias-reduced (CR2) standard error (Bell and McCaffrey, 2002;"
        in said
    )
    assert "The p-value comes from Student's t distribution on the effective number of groups less one." in said
    assert "The 95% interval of the difference, and that of each score, is the t interval over groups" in said
    assert paragraph.assumptions(r)[0].startswith("The 20 groups are a random sample within each stratum")
    exchanged = referee.compare(
        columns, truth="truth", a="a", b="b", group="group", stratum="stratum", threshold=0.5, metric="f1",
        test="randomization",
    )  # fmt: skip
    assert "to all examples of a group together" in told(exchanged)
    assert "to each group of examples could just as well" in paragraph.assumptions(exchanged)[1]
    left = comparison(matched=Matched(1234, 3, 0, 4), settings=Settings(missing="wrong", positive_class="spam"))
    assert "3 examples that only one system has were left out (3 of old and 0 of new)." in told(left)
    assert "4 examples with a missing value were left out." in told(left)
    assert "Missing predictions counted as wrong." in told(left)
    assert "The positive class is spam." in told(left)
    sets = referee.compare(
        replace(Counts.of({"truth": [1, 1, 0], "a": [1, 0, 1], "b": [1, 1, 0]}, [5, 2, 3]), open=True)
    )
    assert "The responses are sets, without true negatives." in told(sets)


def test_claims():
    assert "new is significantly better than old" in told(ALL["b better"])
    assert "new is significantly worse than old" in told(ALL["a better"])
    assert "it is not significant" in told(ALL["close"])
    assert "new is no worse than old by more than the margin" in told(ALL["no worse"])
    assert "could not be compared" in told(ALL["unknown"])
    assert "there is no difference" in told(comparison(difference=0.0, p_value=1.0, verdict="too close to call"))


def test_a_test_that_speaks_for_the_other_side_settles_nothing():
    r = referee.compare(a=[0.5] * 30, b=[0.51] * 25 + [0.0] * 5, test="sign")
    assert (r.verdict, r.p_value < r.alpha) == ("too close to call", True)
    claim = "p = 0.00032): the test points the opposite way from the difference, so there is no verdict."
    assert claim in told(r)
    # Of several the adjusted p-value counts.
    several = told(Comparisons((replace(r, task="x", p_adjusted=0.06), replace(r, task="y", p_adjusted=0.05))))
    assert "adjusted p = 0.060): it is not significant." in several
    assert "adjusted p = 0.050): the test points the opposite way" in several
    tied = comparison(difference=0.0, p_value=0.001, verdict="too close to call")
    assert "there is no difference, although the test rejects equality, so there is no verdict." in told(tied)


@pytest.mark.parametrize(
    ("matched", "said", "left"),
    [
        (Matched(27), [], None),
        (Matched(27, 3, 2), ["5 examples that only one system has were left out (3 of old and 2 of new)."], 5),
        (Matched(27, 0, 1), ["1 example that only one system has was left out (0 of old and 1 of new)."], 1),
        (Matched(27, dropped=4), ["4 examples with a missing value were left out."], 4),
        (Matched(27, dropped=1), ["1 example with a missing value was left out."], 1),
        (
            Matched(27, 3, 2, 1234),
            [
                "5 examples that only one system has were left out (3 of old and 2 of new).",
                "1,234 examples with a missing value were left out.",
            ],
            1239,
        ),
    ],
)
def test_what_was_left_out_is_told_and_assumed_alike(matched, said, left):
    r = comparison(matched=matched)
    found = told(r)
    assert re.findall(r"[\d,]+ examples? (?:that only|with a missing).*?\.(?= )", found) == said
    assert found.count("left out") == len(said)
    assumed = [one for one in paragraph.assumptions(r) if "left out" in one]
    assert assumed == (
        [f"The examples that were left out ({left:,}) are missing for reasons unrelated to how the systems do on them."]
        if left
        else []
    )  # fmt: skip


def test_what_policies_made_of_the_data(tmp_path):
    a, b = [0.5, None, 0.2, 0.4] * 10, [0.1, 0.2, 0.3, 0.5] * 10
    assert "10 examples with a missing value were left out." in told(referee.compare(a=a, b=b, missing="drop"))
    assert "Missing predictions counted as a score of 0." in told(referee.compare(a=a, b=b, missing="wrong"))
    labels = referee.compare(truth=["x", "y"] * 9, a=["x", None] * 9, b=["x", "y"] * 9, missing="wrong")
    assert "Missing predictions counted as wrong." in told(labels)
    rows = {"id": [i // 2 for i in range(40)], "a": a, "b": b}
    mean = referee.compare(rows, a="a", b="b", id="id", repeats="mean", missing="drop")
    assert mean.n == 20
    assert "The rows of an example that has several rows were averaged." in told(mean)
    assert "10 rows with a missing value were left out." in told(mean)
    assert any(one.startswith("The rows that were left out (10) are") for one in paragraph.assumptions(mean))
    assert "averaged" not in told(comparison(warnings=("3 rows were averaged to 2 ids",)))
    for name, value in (("one", 0.25), ("two", 0.5)):
        lines = [f"{i % 15},{value * (i % 3)}" for i in range(30 if name == "one" else 32)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,score", *lines, "99,1" if name == "two" else "0,0"]))
    outcomes = read(tmp_path / "one.csv", tmp_path / "two.csv", id="id", repeats="mean", unmatched="drop")
    joined = referee.compare(outcomes)
    assert "The rows of an example that has several rows were averaged." in told(joined)
    assert "1 example that only one system has was left out (0 of one and 1 of two)." in told(joined)
    assert any(one.startswith("The examples that were left out (1) are") for one in paragraph.assumptions(joined))


def test_answers_in_open_sets_that_one_system_alone_has_are_not_left_out(tmp_path):
    for name, tags in (("old", "B-X O O B-Y"), ("new", "O B-X O B-Y")):
        lines = [
            f"w{i} {gold} {tag}"
            for i, (gold, tag) in enumerate(zip(("B-X", "O", "O", "B-Y"), tags.split(), strict=True))
        ]
        (tmp_path / f"{name}.conll").write_text("\n".join(lines * 3) + "\n")
    r = referee.compare(read(tmp_path / "old.conll", tmp_path / "new.conll"), metric="f1")
    assert r.counts.open
    assert r.discordant != (0, 0)
    assert "left out" not in told(r) + " ".join(paragraph.assumptions(r))


def test_scores_that_are_undefined():
    nothing = referee.compare(truth=[0] * 30, a=[0] * 30, b=[0] * 30, metric="f1", positive=1)
    assert (
        "On these data, the F1 of both systems is undefined (0/0) and counted as its declared value, 0. The score of A is "
        "0.0%, that of B is 0.0%, and the difference is 0.0 points (95% confidence interval [−100.0, +100.0], p = 1): both scores are the "
        "declared value, which says nothing about the systems." in told(nothing)
    )
    two = told(Comparisons((replace(nothing, task="x"), replace(ALL["close"], task="y"))))
    assert two.count("undefined") == 1
    assert "On x, the F1 of both systems is undefined (0/0)" in two
    positives = [0] * 30 + [1] * 5
    silent = referee.compare(truth=positives, a=[0] * 35, b=positives, metric="precision", positive=1)
    assert "the precision of A is undefined (0/0) and counted as its declared value, 0." in told(silent)
    wrong = referee.compare(truth=[0] * 30, a=[0] * 30, b=[1] + [0] * 29, metric="f1", positive=1)
    assert "the F1 of A is undefined (0/0)" in told(wrong)
    # Every draw lacks a class of many, but the data do not.
    classes = list(range(40))
    rare = referee.compare(
        truth=classes, a=classes, b=[*classes[1:], 0], metric="f1:average=macro", test="bootstrap:replicates=999"
    )
    assert (rare.undefined, rare.b.score) == (1, 0)
    none_right = comparison(a=Score(name="old", score=0.0), undefined=0.99)
    for r in (rare, none_right, ALL["unknown"]):
        assert "undefined" not in told(r)


def test_the_power_of_an_audit_is_of_sets_in_which_the_systems_differ():
    audit = {"false_alarm": 0.046, "false_alarm_error": 0.0066, "power": 0.669, "null": "tilt", "sets": 1000}
    assert (
        "To audit the test, 1,000 test sets were drawn from the nearest world in which old and new tie (Keller et al., 2005): "
        "it raises a false alarm in 4.6% (give or take 0.66%) of them at alpha = 0.05; its power is 66.9%, measured on as many "
        "drawn from data in which old and new differ as they do." in told(comparison(audit=audit))
    )
    bare = {"false_alarm": 0.046, "power": 0.669}
    assert (
        "To audit the test of x, test sets were drawn from a world without a difference (Keller et al., 2005): it raises a "
        "false alarm in 4.6% of them at alpha = 0.05; its power is 66.9%, measured on test sets drawn from data in which old"
        in told(comparison(audit=bare, task="x"))
    )
    assert "power" not in told(comparison(audit={**audit, "power": None}))
    whole = {**audit, "null": "nearest tie", "coverage": 0.951, "level": 0.9}
    assert (
        "1,000 test sets were drawn from the nearest world in which old and new tie (Keller et al., 2005): it raises a false "
        "alarm in 4.6% (give or take 0.66%) of them at alpha = 0.05; its 90% interval contains the true difference in 95.1% and "
        "its power is 66.9%, measured on as many drawn" in told(comparison(audit=whole))
    )
    margin = {**whole, "null": "nearest margin"}
    assert (
        "drawn from the nearest world in which new is worse than old by exactly the margin (Keller et al., 2005): it calls new no "
        "worse in 4.6%" in told(comparison(audit=margin, question="no-worse", margin=0.01))
    )
    assert (
        "drawn from the nearest world in which old and new differ by exactly the margin (Keller et al., 2005): it calls old and "
        "new equal in 4.6%" in told(comparison(audit=margin, question="equal", margin=0.01))
    )
    other = {**whole, "false_alarm": 0.052, "coverage": 0.94}
    several = Comparisons((comparison(task="x", audit=whole), comparison(task="y", audit=other), comparison(task="z")))
    assert (
        "To audit the tests, test sets were drawn from the nearest world in which old and new tie (Keller et al., 2005): the "
        "false-alarm rate at alpha 5% is 4.6% to 5.2%, and the 90% intervals contain the true difference in 94% to 95.1% of "
        "test sets." in told(several)
    )
    assert "audit" not in told(comparison(audit={**audit, "false_alarm": None}))


@pytest.mark.parametrize("form", CLUSTERED)
def test_clustered_forms_of_mcnemars_test_have_assumptions_of_their_own(form):
    columns = {"truth": [1, 0] * 60, "a": [1, 0, 0] * 40, "b": [1, 0, 0, 0] * 30, "group": [i // 3 for i in range(120)]}
    r = referee.compare(
        columns, truth="truth", a="a", b="b", group="group", metric="accuracy", test=f"mcnemar:clustered={form}"
    )
    said = paragraph.assumptions(r)
    assert "only one gets right" not in " ".join(said)
    assert said[1].startswith("If the systems were equally good, they would be right on")
    assert "examples of a group, averaged over all groups" in said[1]
    assert "There are enough groups for the large-sample approximation to hold." in said
    assert said[0].endswith("in any way.") != said[1].endswith("correlated alike in all groups.")
    assert ("each of which counts the same" in said[1]) == (form == "durkalski")
    alone = paragraph.assumptions(
        referee.compare(from_events(EVENTS), metric="accuracy", test=f"mcnemar:clustered={form}")
    )
    assert "right on an example that only one gets right." in alone[1]


def test_several():
    said = told(SEVERAL)
    assert "The p-values of the 2 comparisons are adjusted by Holm's method (Holm, 1979)" in said
    assert "On de, the score of old is 81.1%" in said
    assert "adjusted p < 0.0001" in said
    assert said.count("was tested") == 1
    assert r"adjusted $p < 0.0001$" in paragraph.latex(SEVERAL)
    scores = {"truth": [1, 0] * 30, "a": [0.9, 0.2, 0.4, 0.6] * 15, "b": [0.8, 0.1, 0.6] * 20}
    mixed = told(referee.compare(**scores, metric=["f1", "auc"], threshold=0.5))
    assert "was tested in f1, two-sided, at alpha = 0.05, with the score test" in mixed
    assert "was tested in auc, two-sided, at alpha = 0.05, with DeLong's test" in mixed
    alike = told(referee.compare(from_events(EVENTS), metric=["f1", "error"]))
    assert alike.count("was tested, two-sided") == alike.count("was tested") == 1
    assert '"new" is better on all 9 tasks.' in told(EVERY["many"])


def test_standings():
    said = told(STANDINGS["kfold"])
    assert "The scores come from 10-fold cross-validation, with about 89 to train on and 89 to test each." in said
    assert "Every pair was tested, two-sided, at alpha = 0.05, with the corrected resampled t test" in said
    assert "This test was chosen because training sets of the folds overlap" in said
    assert "adjusted by Holm's method" in said
    assert "five runs of two-fold cross-validation (Dietterich, 1998)" in told(STANDINGS["5x2cv"])
    assert "probability of 95% or more" in told(STANDINGS["bayes"])
    assert "p-value" not in told(STANDINGS["bayes"])
    assert any("not adjusted" in one for one in paragraph.assumptions(STANDINGS["5x2cv-t"]))
    assert any("positively dependent" in one for one in paragraph.assumptions(STANDINGS["plain t"]))


def test_a_holdout():
    from sklearn.datasets import load_wine
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_wine(return_X_y=True)
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}
    r = referee.compare_algorithms(models, X, y, design="holdout")
    said = told(r)
    assert "The scores come from one random split into training and test examples" in said
    assert "The two were tested, two-sided, at alpha = 0.05, with the score test" in said
    assert "The p-value comes from the normal approximation for many examples." in said
    named = told(referee.compare_algorithms(models, X, y, design="holdout", test="mcnemar"))
    assert "The two were tested, two-sided, at alpha = 0.05, with McNemar's test in its mid-p form" in named
    assert "The p-value is the mid-p of the binomial distribution." in named
    assert any("one training set and one test set" in one for one in paragraph.assumptions(r))


def test_an_audit():
    said = told(AUDITS["sized"])
    assert (
        "audited by simulation (Keller et al., 2005): 2,000 test sets of 100 to 6,000 examples each were drawn from week.json"
        in said
    )
    assert "at an alpha of 0.01 and 0.05, in the nearest world in which old and new tie." in said
    assert (
        "The tests are McNemar's test (McNemar, 1947; Fagerland et al., 2013) and the bootstrap test (Efron and Tibshirani, 1993"
        in said
    )
    assert "Prefer mcnemar" in said


def test_other_results_are_refused():
    with pytest.raises(OptionError, match="not for str"):
        told("a result")


@pytest.mark.parametrize("name", [*TESTS, *FOLD_TESTS])
def test_every_reference_is_in_the_bibliography(name):
    one = resolve_test(name) if name in TESTS else resolve_fold_test(name)
    works, rest = references.cited(one.reference)
    assert works
    assert not rest
    assert len(re.findall(r"\b(?:19|20)\d\d\b", one.reference)) == len([w for w in works if w.date != "n.d."])
    assert re.fullmatch(r"[A-Z].*\.", one.assumes)
    assert "nobody" not in one.summary
    for grouped in (False, True):
        info = one.info(grouped)
        assert info.procedure
        assert all(re.fullmatch(r"[A-Z].*\.", sentence) for sentence in info.assumes)
        assert "asymptotic" not in info.p_from["asymptotic"][0].text or name == "correlated-bayes"
        assert set(works) & set(references.works_of(references.procedure(name, info)))


def test_every_metric_and_interval_has_its_sources():
    keys = [key for metric in dict(METRICS.items()).values() for key in metric.works]
    tables = (references.INTERVALS, references.ADJUSTMENTS)
    keys += [key for table in tables for phrase in table.values() for one in phrase for key in one.works]
    assert set(keys) <= set(references.WORKS)
    assert {*PAIRED, "newcombe", *references.RESAMPLED} <= set(references.INTERVALS)
    for name, metric in METRICS.items():
        told = "".join(references.described(comparison(metric=name)))
        assert metric.summary.split()[0].lower() in told.lower()


def test_the_references_of_the_documentation_are_in_the_bibliography():
    known = {(work.surnames[0], work.date) for work in references.WORKS.values()}
    found = set()
    for page in PAGES.glob("*.md"):
        for line in re.findall(
            r"^- (.*)", page.read_text(encoding="utf-8").partition("\n## References")[2], re.MULTILINE
        ):
            year = re.search(r"\. ((?:19|20)\d\d)\. ", line)
            found.add((line.partition(",")[0], year[1] if year else "n.d."))
    assert len(found) > 20
    assert found <= known


def test_works():
    work = references.WORKS["benavoli2017"]
    assert str(work).startswith("Benavoli, A., Corani, G., Demšar, J. and Zaffalon, M. (2017). Time for")
    assert work.citation == "Benavoli et al., 2017"
    assert r"Dem{\v{s}}ar" in work.bibtex
    assert references.WORKS["kellerbizarre"].citation == "Keller et al., n.d."
    assert "and others" in references.WORKS["kellerbizarre"].bibtex
    for key, work in references.WORKS.items():
        assert work.bibtex.isascii()
        assert key == work.key
        assert set(references.VENUES) & set(work.fields)
        assert key.isalnum()


def test_a_test_of_ones_own_is_told_by_what_it_says_of_itself():
    @test("mine", fits="all", reference="my uncle 1999, <b>; Yeh 2000", assumes="There are 50% of a_b.")
    @dataclass(frozen=True, kw_only=True)
    class Mine(Test):
        """Flips a coin_."""

        def misfit(self, tally):
            return None

        def measure(self, tally, batch, alternative, streams):
            import numpy as np

            return Evidence(p=np.full(len(batch), 0.5))

    try:
        r = referee.compare(from_events(EVENTS), metric="f1", test="mine")
        assert "with the test mine (Flips a coin_) (Yeh, 2000; my uncle 1999, <b>)." in told(r)
        assert r"(Flips a coin\_)~\citep{yeh2000} (my uncle 1999, \textless{}b\textgreater{})." in paragraph.latex(r)
        assert paragraph.references(r)[-1] == "my uncle 1999, <b>"
        assert "There are 50% of a_b." in paragraph.assumptions(r)
        assert "The p-value is asymptotic." in told(r)
        assert "normal" not in told(r)
    finally:
        TESTS.remove("mine")
    assert "with the test mine." in told(replace(r, test_info=None))


def test_names_mean_themselves():
    r = comparison(a=Score(name="50%_&#", score=0.1), b=Score(name="<script>", score=0.2), metric="f1", task="$x^2$")
    assert r"50\%\_\&\#" in paragraph.latex(r)
    assert r"\textless{}script\textgreater{}" in paragraph.latex(r)
    assert "<script>" in told(r)


@given(st.text())
def test_any_name_means_itself(name):
    r = comparison(
        a=Score(name=name, score=0.1),
        metric=name,
        task=name,
        reason=name,
        signature=name,
        settings=Settings(positive_class=name),
    )
    for result in (r, Comparisons((r, r))):
        body = paragraph.latex(result).partition("\n")[2]
        assert not re.search(r"[\\#$%&_~^<>|\"`{\[\]*]", bare(body))


def test_bibtex_is_whole():
    for entry in (work.bibtex for work in references.WORKS.values()):
        assert entry.count("@") == 1
        assert entry.count("{") == entry.count("}")
        assert "author = {" in entry
        assert "title = {{" in entry
