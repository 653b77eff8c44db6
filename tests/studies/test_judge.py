"""Comparisons with a judge: what is refused, what is declared, what reports say, and what files keep."""

import json

import numpy as np
import pytest

import referee
from referee.data.counts import Counts
from referee.errors import InputError, Misfit, OptionError
from referee.results.comparison import Comparison
from tests.significance.test_prediction_powered import JUDGE, PLACES, SEEN, TRUTH, A, B


def compare(**more):
    return referee.compare(**{"truth": SEEN, "a": A, "b": B, "judge": JUDGE, **more})


@pytest.mark.parametrize(
    ("more", "error", "says"),
    [
        ({"truth": [None] * 400}, InputError, "no example has a human label"),
        ({"truth": None}, InputError, "name the column of people's labels"),
        ({"judge": [None, *JUDGE[1:].tolist()]}, InputError, "judge is missing in 1 example"),
        ({"judge": JUDGE * 0.9 + 0.05}, InputError, "the judge gives scores, such as 0.05, and people give labels"),
        ({"judge": ["x"] * 400}, InputError, "the judge must use the labels that people use"),
        ({"judge_a": JUDGE, "judge_b": JUDGE}, InputError, "labels or scores, not both"),
        ({"judge": None, "judge_a": JUDGE, "truth": None}, InputError, "judge_b= is not given"),
        ({"judge": None, "judge_a": JUDGE, "judge_b": JUDGE}, InputError, "need no truth"),
        ({"test": "score"}, Misfit, "with a judge the test is prediction-powered"),
        ({"audit": True}, OptionError, "audit is not available with a judge"),
        ({"missing": "wrong"}, OptionError, "does not go with a judge"),
        (
            {"judge": None, "truth": TRUTH, "test": "prediction-powered"},
            Misfit,
            "it needs the labels or scores of a judge",
        ),
        ({"a": PLACES / 400, "b": PLACES / 401, "metric": "auc"}, Misfit, "ranks are not supported with a judge"),
        ({"group": [PLACES % 7, PLACES % 3]}, Misfit, "crossed groups do not go with a judge"),
        ({"by": PLACES // 100}, InputError, "slice 1 has no human label"),
        ({"judge": JUDGE[:10]}, InputError, "same length"),
    ],
)
def test_what_is_refused(more, error, says):
    with pytest.raises(error, match=says):
        compare(**more)


def test_labels_of_the_judge_that_differ_in_case_are_pointed_out():
    words = {0: "no", 1: "yes", None: None}
    columns = {name: [words[one] for one in own] for name, own in (("truth", SEEN), ("a", A), ("b", B))}
    r = compare(**columns, judge=[words[one].title() for one in JUDGE])
    assert any("never says 'no' or 'yes', which people do; is its 'No' people's 'no'?" in told for told in r.warnings)


def test_a_single_human_label_is_told_as_one():
    told = " ".join(compare(truth=[TRUTH[0], *[None] * 399]).to_text().split())
    assert (
        "of the only labelled example." in told and "to the only human label." in told and "the 1 labelled" not in told
    )


def test_missing_judgements_can_be_dropped():
    r = compare(judge=[None, *JUDGE[1:].tolist()], missing="drop")
    assert (r.n, r.judge.labelled, r.matched.dropped) == (399, 79, 1)


def test_if_people_labelled_all_the_answer_is_the_ordinary_one():
    r, plain = compare(truth=TRUTH), referee.compare(truth=TRUTH, a=A, b=B)
    assert (r.difference, r.p_value, r.interval, r.test) == (plain.difference, plain.p_value, plain.interval, "score")
    assert r.judge.labelled == r.judge.judged == 400
    assert any("people labelled every example" in warning for warning in r.warnings)


def test_without_a_positive_example_there_is_no_score():
    r = compare(truth=[0 if label is not None else None for label in SEEN], metric="recall")
    assert (r.difference, r.p_value, r.verdict) == (None, None, "too close to call")
    assert r.warnings


def test_labels_that_were_chosen_are_pointed_out():
    chosen = [int(t) if a != b and i % 2 == 0 else None for i, t, a, b in zip(PLACES, TRUTH, A, B, strict=True)]
    assert any("must be a random part" in warning for warning in compare(truth=chosen).warnings)
    assert not any("must be a random part" in warning for warning in compare().warnings)


def test_scores_of_one_system_only_count_as_not_labelled():
    half = [0.5, None, *[0.1 * (i % 7) for i in range(28)], *[None] * 20]
    both = [0.4, 0.9, *[0.1 * (i % 5) for i in range(28)], *[None] * 20]
    r = referee.compare(a=half, b=both, judge_a=np.arange(50) % 7 / 10, judge_b=np.arange(50) % 5 / 10)
    assert r.judge.labelled == 29
    assert any("1 example has a human score of one system only" in warning for warning in r.warnings)


def test_counts_keep_what_nobody_looked_at(tmp_path):
    counts = referee.count(truth=SEEN, a=A, b=B, judge=JUDGE)
    assert None in counts["truth"].tolist()
    counts.save(tmp_path / "week.json")
    again = Counts.load(tmp_path / "week.json")
    assert again == counts
    assert referee.compare(again).p_value == compare().p_value
    assert (counts + again).n == 800
    for verb in (referee.plan, referee.audit, referee.rank):
        with pytest.raises(InputError, match="only compare uses both"):
            verb(counts, metric="accuracy")
    with pytest.raises(InputError, match="a judge's labels"):
        referee.score(counts, prediction="A")
    with pytest.raises(InputError, match="truth has 1 missing"):
        Counts.of({"truth": [1, None], "a": [1, 0], "b": [1, 1]})


def test_the_order_of_the_rows_changes_nothing():
    order = np.random.default_rng(1).permutation(400)
    turned = referee.compare(truth=[SEEN[i] for i in order], a=A[order], b=B[order], judge=JUDGE[order])
    assert turned.to_dict() == compare().to_dict()


def test_several_comparisons_are_adjusted_by_the_same_law():
    rs = compare(by=np.where(PLACES % 3 == 0, "x", "y"), metric=["accuracy", "f1"])
    assert len(rs) == 4
    for r in rs:
        assert (r.p_adjusted <= r.alpha) == (0 not in r.interval_adjusted)
        assert r.interval_adjusted.high - r.interval_adjusted.low > r.interval.high - r.interval.low
    assert all(one.interval is not None for one in rs.overall)


@pytest.mark.parametrize("form", ["text", "json", "markdown", "latex", "junit", "html"])
def test_every_form_tells_of_the_judge(form):
    r = compare(metric="f1")
    text = r.to_json() if form == "json" else r.to(form)
    assert "judge" in text.lower()
    assert Comparison.from_dict(json.loads(r.to_json())).to(form if form != "json" else "text")


def test_the_result_in_words():
    r = compare(metric="f1")
    text = " ".join(r.to_text(verbose=True).split())
    assert f"The judge agrees with people on {100 * r.judge.agreement:.1f}% of the 80 labelled examples." in text
    assert f"the 80 human labels are as good as {round(r.judge.worth)}" in text
    assert "On its own it would put the difference" in text
    assert "400 examples, 80 of them labelled by people" in text
    assert "more examples are needed, not only more labels" in text
    assert r.judge.needed > 400
    assert sum(row["n"] for row in r.judge.confusion) == 80
    assert "powered test; 400 examples, 80 of them labelled" in " ".join(r.to_latex().split())
    page = r.to_html()
    for told in ("random part of all", "People labelled 80 of the examples", "angelopoulos2023ppi"):
        assert told in page
    assert r.signature.count("judge:judge") == 1


@pytest.mark.parametrize(
    "more", [{}, {"metric": "f1"}, {"group": PLACES % 40}, {"question": "no-worse", "margin": 0.1}]
)
def test_the_picture_of_luck_adds_up_to_p(more):
    r = compare(**more)
    law = r.plot_data().luck
    counted = sum(bar.counted for bar in law.bars) * law.times
    assert counted == pytest.approx(r.p_value, rel=1e-3)
    assert law.observed == pytest.approx(r.difference, abs=1e-9)


def test_more_labels_are_asked_for_where_they_would_do():
    wide = {"truth": [*SEEN, *[None] * 7600], "a": np.tile(A, 20), "b": np.tile(B, 20), "judge": np.tile(JUDGE, 20)}
    r = referee.compare(**wide)
    assert 80 < r.judge.needed < 8000
    assert f"have people label about {r.judge.needed:,}"[:30] in " ".join(r.to_text().split())


def test_text_labels_and_the_command_line(tmp_path, capsys):
    from referee.cli import main

    name = {0: "ham", 1: "spam", None: ""}
    rows = zip(SEEN, JUDGE.tolist(), A.tolist(), B.tolist(), strict=True)
    table = tmp_path / "table.csv"
    table.write_text("human,judge,old,new\n" + "\n".join(",".join(name[x] for x in row) for row in rows) + "\n")
    columns = ["--truth", "human", "--judge", "judge", "--a", "old", "--b", "new"]
    assert main(["compare", str(table), *columns, "--metric", "f1", "--positive", "spam"]) == 0
    assert "labelled examples" in " ".join(capsys.readouterr().out.split())
    r = referee.compare(str(table), truth="human", judge="judge", a="old", b="new", metric="f1", positive="spam")
    assert r.p_value == pytest.approx(compare(metric="f1").p_value, rel=1e-9)
    two = [str(table), str(table), "--id", "human", "--judge", "judge", "--truth", "human", "--prediction", "old"]
    assert main(["compare", *two]) == 2
    assert "--judge is a column of one table that has both systems" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [1, 3])
def test_few_labels_give_no_absurd_bias_and_a_warning(wrong):
    rng = np.random.default_rng(4)
    truth, a, b = (rng.integers(0, 2, 200) for _ in range(3))
    a[:8], b[:8] = truth[:8], [*1 - truth[:3], *truth[3:8]]
    judge = truth.copy()
    judge[:wrong] = 1 - truth[:wrong]
    seen = [int(label) if row < 8 else None for row, label in enumerate(truth)]
    r = referee.compare(truth=seen, a=a, b=b, judge=judge)
    bias = r.judge.bias
    assert bias.difference > 0
    assert bias.interval is None or -2 <= bias.interval.low <= bias.interval.high <= 2
    assert (bias.interval is None) == (wrong == 1)
    assert ("too few labels bear on it for an interval" in " ".join(r.to_text().split())) == (wrong == 1)
    assert any("only 8 human labels; results from fewer than 30 are unreliable" in one for one in r.warnings)
    assert not any("fewer than 30" in one for one in compare().warnings)


def scored(times=1, plus=0, swapped=False):
    rng = np.random.default_rng(7)
    quality = rng.normal(3, 1, 300)
    a, b = (np.clip(np.round(quality + up + 0.6 * rng.normal(size=300)), 1, 5) for up in (0.0, 0.3))
    judges = [
        np.clip(np.round(times * (one + 0.5 * rng.normal(size=300)) + plus), plus, times * 5 + plus) for one in (a, b)
    ]
    judges = judges[::-1] if swapped else judges
    seen = np.arange(300) < 80
    own = {"a": np.where(seen, a, np.nan), "b": np.where(seen, b, np.nan)}
    return referee.compare(**own, judge_a=judges[0], judge_b=judges[1])


def test_scores_on_another_scale_are_not_compared_by_their_values():
    other, same = scored(times=2), scored()
    assert (other.judge.agreement, other.judge.bias) == (None, None)
    assert same.judge.agreement > 0.3
    assert same.judge.bias is not None
    text = " ".join(other.to_text().split())
    assert "The judge's scores and people's have a correlation of 0.9" in text
    assert "are the same in" not in text
    assert "On its own" not in text
    assert "are the same in" in " ".join(same.to_text().split())


def test_a_judge_that_contradicts_people_is_pointed_out():
    r = scored(swapped=True)
    assert r.judge.weight < 0
    assert any("are judge_a and judge_b swapped?" in one.replace("=", "") for one in r.warnings)
    assert "weight (λ) −0." in r.to_text()
    assert not any("swapped" in one for one in scored().warnings)


def test_no_page_advises_an_audit_that_is_refused():
    crossed = referee.compare(a=A == TRUTH, b=B == TRUTH, group=[PLACES % 40, PLACES // 40])
    assert crossed.test == "crossed-t"
    for r in (compare(metric="f1"), crossed):
        assert "there is no audit" in r.to_html()
        assert "add --audit" not in r.to_html()
    assert "add --audit" not in compare(metric=["accuracy", "f1"]).to_html()
