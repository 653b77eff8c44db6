"""The error rate that a verdict carries, and questions about a margin: told alike in every form of a report."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest
from made_results import comparison, interval

import referee
from referee.data.counts import from_events
from referee.report.document import plain
from referee.report.documents import document_of
from referee.report.phrases import comparison as words
from referee.report.phrases import comparisons as summary
from referee.report.phrases import verdicts
from referee.results.comparison import Comparison, Comparisons

EVENTS = from_events([61, 14, 9, 21, 6, 11, 5, 873], a="old", b="new")
LINE = {
    "false_alarm": 0.049, "false_alarm_error": 0.0068, "coverage": 0.946, "level": 0.95, "power": 0.41, "difference": 0.02,
    "null": "nearest tie", "sets": 1000,
}  # fmt: skip
SAID = (
    "on data like these the test raises a false alarm in 4.9% ± 0.7% of test sets (alpha 5%); its 95% interval contains the true "
    "difference in 94.6%; its power against a true difference of 2.0 points is 41.0%"
)
SLOW = "not measured: it would take about 40 s; add --audit (in Python: audit=True)"


class Words(HTMLParser):
    """The words of a page."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_data(self, data):
        self.found.append(data)


def flat(text):
    return " ".join(text.split())


def page_of(result):
    words = Words()
    words.feed(result.to_html())
    return flat(" ".join(words.found))


def in_latex(said):
    return said.replace("%", r"\%").replace("`", r"\textasciigrave{}").replace("±", r"$\pm$")


def test_a_measured_rate_is_in_every_form():
    r = comparison(audit=LINE)
    assert flat(words.audit(r)) == SAID
    assert f"audit {SAID}" in flat(str(r))
    assert f"| audit | {SAID} |" in flat(r.to_markdown())
    assert f"O{in_latex(SAID[1:])}." in flat(r.to_latex().replace("~", " "))
    assert f"How often this test errs O{SAID[1:]}." in page_of(r)
    assert flat(SAID) in flat(ElementTree.fromstring(r.to_junit()).find(".//system-out").text)
    assert json.loads(r.to_json())["audit"] == LINE
    assert Comparison.from_dict(json.loads(r.to_json())).audit == LINE


def test_a_rate_that_was_not_measured_says_how_to_have_it():
    r = comparison(audit_seconds=41.0)
    assert f"audit {SLOW}" in flat(str(r))
    assert f"How often this test errs N{SLOW[1:]}." in page_of(r)
    assert json.loads(r.to_json())["audit_seconds"] == 41.0
    assert "--audit" not in r.to_latex()
    off = comparison()
    assert "audit" not in str(off)
    assert "How often this test errs Not measured; add --audit (in Python: audit=True)." in page_of(off)


def test_old_results_without_a_level_are_read():
    old = comparison(audit={"false_alarm": 0.05, "coverage": 0.94, "power": None, "null": "tilt"}, alpha=0.1)
    assert words.audit(old) == (
        "on data like these the test raises a false alarm in 5.0% of test sets (alpha 10%); its 90% interval contains the true "
        "difference in 94.0%"
    )


def test_several_are_told_at_once():
    second = {**LINE, "false_alarm": 0.061, "coverage": 0.93}
    rs = Comparisons((comparison(task="en", audit=LINE), comparison(task="de", audit=second), comparison(task="fr")))
    said = (
        "On data like these the false-alarm rate at alpha 5% is 4.9% to 6.1%, and the 95% intervals contain the true difference in "
        "93% to 94.6% of test sets (measured for 2 of 3, highest for de)."
    )
    assert summary.audits(rs) == said
    assert said in flat(str(rs))
    assert f"\n\n{said}\n\n" in rs.to_markdown()
    assert in_latex(said) in rs.to_latex()
    assert said in page_of(rs)
    one = Comparisons((comparison(task="en", audit=LINE), comparison(task="de")))
    assert flat(summary.audits(one)) == f"en: {SAID}."
    slow = Comparisons((comparison(task="en", audit_seconds=20.0), comparison(task="de", audit_seconds=20.0)))
    assert flat(summary.audits(slow)) == f"How often the tests err on data like these: {SLOW}."
    assert SLOW in flat(str(slow))
    assert SLOW not in slow.to_latex()
    assert page_of(slow).count("not measured") == 1
    assert summary.audits(Comparisons((comparison(), comparison()))) == ""


@pytest.mark.parametrize(
    ("question", "wrong"),
    [
        ("no-worse", "the test calls new no worse than old, though it is worse by just the margin,"),
        ("equal", "the test calls old and new equal, though they differ by just the margin,"),
    ],
)
def test_the_error_of_a_question_is_a_wrong_yes(question, wrong):
    line = {**LINE, "level": 0.9, "coverage": 0.903, "null": "nearest margin"}
    r = comparison(question=question, margin=0.01, audit=line)
    assert flat(words.audit(r)) == (
        f"on data like these {wrong} in 4.9% ± 0.7% of test sets (alpha 5%); its 90% interval contains the true difference in 90.3%; "
        "its power against a true difference of 2.0 points is 41.0%"
    )
    assert dict(words.facts(r))["audit sets"].endswith("in which the systems differ by just the margin")


NO_WORSE = comparison(
    test="score", question="no-worse", margin=0.01, verdict="no worse", p_value=0.0004, p_method="asymptotic", detectable=None,
    interval=interval(0.007, 0.035, 0.9), margin_interval=interval(0.007, 0.035, 0.9), statistic=None,
)  # fmt: skip


def test_a_question_about_a_margin_in_every_form():
    headline = '"new" is no worse than "old": F1 83.2% against 81.1% (+2.1 points, p = 0.00040, margin 1 point).'
    luck = "If new were worse by the margin of 1 point, a difference this favourable would occur by chance in 0.04% of test sets"
    marked_up = {
        flat(str(NO_WORSE)): headline,
        flat(NO_WORSE.to_markdown()): f"**{headline}**",
        page_of(NO_WORSE): headline.replace('"', "").replace(":", " :", 1),
    }
    for said, own in marked_up.items():
        assert own in said
        assert f"{luck} (p = 0.00040)." in said
        assert "non-inferiority: is new less than 1 point worse than old?" in said
        assert "equally good" not in said
    latex = NO_WORSE.to_latex()
    assert (
        r"\emph{new} is no worse than \emph{old}: F1 83.2\% against 81.1\% (difference new minus old $+2.1$~points,"
        in latex
    )
    assert (
        r"90\% confidence interval $[+0.7, +3.5]$, margin 1~point, $p = 0.00040$, score test; 1,234 examples)." in latex
    )
    passed = ElementTree.fromstring(NO_WORSE.to_junit())
    assert (passed.get("failures"), headline in flat(passed.find(".//system-out").text)) == ("0", True)
    content = NO_WORSE.to_dict()
    assert (content["question"], content["margin"], content["verdict"]) == ("no-worse", 0.01, "no worse")
    assert Comparison.from_dict(content) == NO_WORSE


def test_intervals_of_two_levels_say_their_own_in_latex():
    table = NO_WORSE.to_latex()
    assert "System & F1 & Interval" in table
    assert r"old & $81.1\%$ & $[78.1, 83.8]$ (95\% Wilson interval)" in table
    assert r"new $-$ old & $+2.1$~points & $[+0.7, +3.5]$ (90\% Wilson interval)" in table
    assert r"System & F1 & 95\% interval" in comparison().to_latex()


def test_what_is_shown_equal_is_not_said_to_differ():
    shown = comparison(
        question="equal", margin=0.05, verdict="practically equal", p_value=0.001, interval=interval(-0.01, 0.04, 0.9)
    )
    assert "So there is a difference" not in str(shown)
    # Without a question a small p says that there is a difference, and the margin that it does not matter.
    bare = comparison(margin=0.05, verdict="practically equal", margin_interval=interval(0.005, 0.036, 0.9))
    assert "So there is a difference, but it is too small to matter." in flat(str(bare))


@pytest.mark.parametrize(
    ("verdict", "who"), [("a better", '"new" is worse than "old"'), ("b better", '"new" is better than "old"')]
)
def test_beyond_the_margin(verdict, who):
    r = comparison(question="no-worse", margin=0.01, verdict=verdict, p_value=0.99)
    said = flat(str(r))
    assert said.startswith(f"{who} by more than 1 point: F1 83.2% against 81.1% (+2.1 points, 95% interval +0.4 to")
    # The p-value is that of the other claim: only what asks for all numbers has it.
    assert "0.99" not in said and "0.99" not in repr(r)
    assert "0.99" not in plain(words.paper(r))


def test_what_is_not_shown_is_said_with_the_interval_and_what_to_do():
    """`--question equal`, and the interval lies above 0: the answer is to the question, in one line."""
    r = comparison(
        question="equal",
        margin=0.015,
        verdict="too close to call",
        p_value=0.77,
        interval=interval(0.004, 0.038, 0.9),
        detectable=None,
    )
    said = flat(str(r))
    first = 'Not shown to be equal within 1.5 points: "new" is ahead by 2.1 points (90% interval +0.4 to +3.8 points).'
    assert said.startswith(
        f"{first} The test of equivalence is not significant (p = 0.77). If the true difference is +2.1"
    )
    assert "by chance" not in said
    assert document_of(r).verdict.next.endswith("ask which system is better.")
    near = replace(r, margin=0.025, question="no-worse", difference=-0.021, interval=interval(-0.038, -0.004, 0.9))
    said = flat(str(near))
    assert said.startswith('Not shown to be no worse within 2.5 points: "new" is behind by 2.1 points (90% interval')
    assert "The interval has to lie above −2.5 points. More examples narrow it: referee plan says how many." in said
    lower = replace(near, higher_is_better=False)
    assert '"new" is ahead by 2.1 points (90% interval −3.8 to −0.4 points, lower is better)' in flat(str(lower))


def test_differences_have_one_sign():
    """Differences are B − A: a headline about A would have the other sign than its interval and its chart."""
    r = comparison(verdict="a better", difference=-0.021, interval=interval(-0.038, -0.004))
    about = document_of(r).verdict
    assert (about.badge, about.tone) == ("new worse", "bad")
    for said in (plain(about.headline), repr(r), r.to_markdown(), r.to("html"), r.to_latex()):
        assert "is worse than" in said
        assert "is better than" not in said
    assert "(−2.1 points, p = 0.031)" in plain(about.headline).replace("\xa0", " ")


def test_several_questions_are_not_adjusted():
    rs = referee.compare(EVENTS, metric=["f1", "accuracy"], question="no-worse", margin=0.08)
    assert (rs.adjust, [r.verdict for r in rs]) == ("none", ["no worse", "no worse"])
    assert [r.p_adjusted for r in rs] == [r.p_value for r in rs]
    said = flat(str(rs))
    assert "The p-values are not adjusted for multiple comparisons: each answers for itself." in said
    assert "p (" not in said.partition("referee 0")[0]
    assert "; adjusted for multiple comparisons" not in page_of(rs)
    assert "adjusted p" not in page_of(rs)
    document = document_of(rs)
    assert document.verdict.badge == "no worse"
    assert "adjusted by" not in document.figures()[0].caption


def test_a_system_that_is_worse_by_more_than_the_margin_stays_so_among_several():
    worse = from_events([50, 2, 60, 0, 0, 5, 0, 900])
    rs = referee.compare(worse, metric=["f1", "recall"], question="no-worse", margin=0.05, audit=False)
    assert [r.verdict for r in rs] == ["a better", "a better"]
    assert rs.gate == 1


@pytest.mark.parametrize(
    ("test", "method"),
    [
        ("mcnemar", "asymptotic"),
        ("paired-t", "asymptotic"),
        ("score", "asymptotic"),
        ("bootstrap:replicates=199", "monte-carlo"),
    ],
)
def test_the_p_of_a_question_is_called_what_it_is(test, method):
    r = referee.compare(EVENTS, metric="accuracy", test=test, question="no-worse", margin=0.02, audit=False)
    assert (r.p_method, r.mid_p, r.statistic, r.p_error, r.detectable) == (method, False, None, None, None)
    assert "mid-p" not in page_of(r)


def test_a_verdict_has_names_unless_they_fill_the_line():
    assert verdicts.named("b better", "old", "new") == "new better"
    assert verdicts.named("a better", "old", "new") == "new worse"
    assert verdicts.named("a better", "a model with a name that is far too long", "new") == "B worse"


def test_several_comparisons_say_what_they_are_of():
    data = {"truth": [1, 0] * 40, "a": [1, 0, 0, 0] * 20, "b": [1, 0, 1, 1] * 20, "part": ["x", "x", "y", "y"] * 20}
    roles = {"truth": "truth", "a": "a", "b": "b", "audit": False}
    by = [referee.compare(data, **roles, by="part", metric=metric) for metric in ("accuracy", ["accuracy", "kappa"])]
    metrics = referee.compare(data, **roles, metric=["accuracy", "f1"])
    assert [document_of(rs).context for rs in (*by, metrics)] == [
        ["accuracy", "2 slices, 80 examples"],
        ["2 slices, 80 examples"],
        ["2 metrics, 80 examples"],
    ]


def test_markdown_of_several_says_in_front_who_is_compared_and_what_they_come_to():
    rng = np.random.default_rng(5)
    truth, old = rng.integers(0, 2, 3600), rng.random(3600)
    data = {
        "truth": truth,
        "old": np.where(old < 0.70, truth, 1 - truth),
        "new": np.where(rng.random(3600) < 0.75, truth, 1 - truth),
        "task": np.arange(3600) % 60,
    }
    rs = referee.compare(data, truth="truth", a="old", b="new", by="task", audit=False)
    assert {r.verdict for r in rs} == {"too close to call"}
    about = document_of(rs).verdict
    said = plain(about.headline).replace("\xa0", " ")
    assert re.fullmatch(
        r'"new" is better overall \(\+\d\.\d points, p . 0\.\d+\); no single slice of 60 is clear\.', said
    ), said
    assert (about.badge, about.tone) == ("better overall", "good")
    in_front = rs.to_markdown().partition("<details>")[0]
    assert "A is old, B is new" in in_front
    assert "All examples together: 95% interval" in in_front
    # Of tasks that are a sample the average is asked for, and the signature says so.
    sample = referee.compare(data, truth="truth", a="old", b="new", by="task", audit=False, tasks="random")
    assert "|tasks:random|" in sample.signatures[0] and "|tasks:" not in rs.signatures[0]
    assert "Over slices like these" in plain(document_of(sample).verdict.details)


def test_no_luck_is_drawn_of_a_claim_that_is_not_made():
    """`--question equal` of systems that differ: "77 times in 100" would be about a claim that nobody makes."""
    asked = {"metric": "f1", "audit": False}
    shown = referee.compare(EVENTS, **asked, question="no-worse", margin=0.08)
    open_ = referee.compare(EVENTS, **asked, question="equal", margin=0.001)
    assert (shown.verdict, open_.verdict) == ("no worse", "too close to call")
    drawn = [{one.key for one in document_of(r).figures()} & {"dots", "luck"} for r in (shown, open_)]
    assert drawn[0] and not drawn[1]
