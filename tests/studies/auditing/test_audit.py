"""The verb audit(): what it reads, what it says, and what it refuses."""

from __future__ import annotations

import json

import numpy as np
import pytest

import referee
from referee import Counts, Population, audit
from referee.data.counts import from_events
from referee.errors import InputError, Misfit, OptionError, RefereeError
from referee.studies.auditing.advice import advise

EVENTS = (61, 14, 9, 21, 6, 11, 5, 873)
COUNTS = from_events(EVENTS, a="old", b="new")
QUICK = {"metric": "error", "test": "mcnemar", "sets": 100}


def test_the_sentence_and_the_rows():
    result = audit(COUNTS, metric="error", sets=300)
    assert result.chosen == result.preferred == "score"
    row = result.row()
    assert set(row) >= {
        *("test", "null", "category", "n", "alpha", "false_alarm", "false_alarm_error", "spread", "power"),
        *("power_error", "coverage", "sets"),
    }
    assert row["n"] == 1000
    assert row["null"] == "tilt"
    tests = [r["test"] for r in result.rows]
    assert tests[0] == "score"
    assert {"mcnemar", "bootstrap:replicates=999", "proportion", "randomization", "sign"} <= set(tests)
    loose = result.row("proportion")
    assert loose["false_alarm"] < row["false_alarm"] < 0.08
    assert result.names == ("old", "new")
    assert result.to_dict()["schema"] == "referee.audit/1"
    assert json.loads(result.to_json()) == result.to_dict()
    assert len(result.to_frame("polars")) == len(result.rows)
    with pytest.raises(RefereeError, match="mcnemar"):
        result.row("mcnemer")


def test_the_same_numbers_again():
    assert audit(COUNTS, **QUICK).rows == audit(COUNTS, **QUICK).rows
    assert audit(COUNTS, rng=1, **QUICK).rows != audit(COUNTS, **QUICK).rows
    assert "rng:1" in audit(COUNTS, rng=1, **QUICK).signature


def test_arrays_frames_and_files(tmp_path):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    a, b = (np.where(rng.random(200) < 0.8, truth, 1 - truth) for _ in range(2))
    path = tmp_path / "p.csv"
    path.write_text("y,a,b\n" + "\n".join(f"{t},{x},{z}" for t, x, z in zip(truth, a, b, strict=True)))
    first = audit(truth=truth, a=a, b=b, **QUICK)
    second = audit(path, truth="y", a="a", b="b", **QUICK)
    assert first.row()["false_alarm"] == second.row()["false_alarm"]
    assert second.population == "p.csv"


def test_categories_are_averaged():
    parts = {"x": Population.of(COUNTS), "y": Population.of(from_events((5, 3, 9, 21, 6, 11, 5, 873)))}
    result = audit(parts, sizes=[100, 400], alpha=[0.05, 0.1], **QUICK)
    assert len(result.rows) == 4
    assert len(result.each) == 8
    for row in result.rows:
        own = [e for e in result.each if (e["n"], e["alpha"]) == (row["n"], row["alpha"])]
        assert row["false_alarm"] == pytest.approx(np.mean([e["false_alarm"] for e in own]))
        assert row["spread"] == pytest.approx(np.std([e["false_alarm"] for e in own], ddof=1))
        assert row["category"] is None
        assert row["categories"] == {"null": 2, "different": 2}
    assert {e["category"] for e in result.each} == {"x", "y"}


def test_a_category_column():
    columns = {role: np.concatenate([COUNTS[role], COUNTS[role]]) for role in ("truth", "a", "b")}
    both = Counts.of({**columns, "slice": np.repeat(["x", "y"], len(COUNTS))}, np.tile(COUNTS.multiplicities, 2))
    result = audit(both, sizes=100, **QUICK)
    assert {e["category"] for e in result.each} == {"x", "y"}


def test_the_null_observed_needs_a_tie():
    tied, apart = from_events((61, 9, 9, 21, 6, 5, 5, 873)), COUNTS
    result = audit({"t": Population.of(tied), "a": Population.of(apart)}, null="observed", sizes=200, **QUICK)
    assert result.row()["categories"] == {"null": 1, "different": 1}
    assert any("1 of 2 categories" in w for w in result.warnings)
    none = audit(apart, null="observed", **QUICK)
    assert none.row()["false_alarm"] is None
    assert none.row()["power"] is not None
    assert none.preferred is None
    assert any("holds nowhere" in w for w in none.warnings)
    alike = audit(tied, null="observed", **QUICK)
    assert alike.row()["power"] is None
    assert alike.row()["false_alarm"] is not None
    # A looser tie makes a null of what was a difference.
    assert audit(apart, null="observed", tie=0.01, **QUICK).row()["false_alarm"] is not None


def test_no_tie_to_tilt_to_is_null_with_a_warning():
    one_sided = from_events((50, 10, 0, 5, 0, 0, 0, 100))
    result = audit(one_sided, **QUICK)
    assert result.row()["false_alarm"] is None
    assert any("never to happen" in w for w in result.warnings)
    assert audit(one_sided, null="swap", **QUICK).row()["false_alarm"] is not None


def test_larger_sets_than_the_table_are_a_warning():
    result = audit(COUNTS, sizes=[500, 5000], **QUICK)
    assert any("5,000" in w and "1,000" in w for w in result.warnings)
    assert not audit(COUNTS, **QUICK).warnings


def test_groups_show_what_ignoring_them_costs():
    world = Population.of(COUNTS).clustered(10, 0.4, groups=200)
    result = audit(world, metric="error", test="mcnemar", sets=300)
    kept, ignored = result.rows
    assert (kept["groups"], ignored["groups"]) == ("whole", "ignored")
    assert ignored["false_alarm"] > kept["false_alarm"] + 0.1
    assert result.row() is kept


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"alpha": 0}, OptionError, "alpha must lie between 0 and 1"),
        ({"alpha": [0.05, 1.0]}, OptionError, "alpha"),
        ({"alpha": []}, OptionError, "empty"),
        ({"sizes": [1]}, OptionError, "2 or more"),
        ({"sizes": 10.5}, OptionError, "whole numbers"),
        ({"sets": 0}, OptionError, "sets"),
        ({"null": "tilted"}, OptionError, "tilt"),
        ({"metric": ["f1", "error"]}, OptionError, "one metric"),
        ({"metric": "f1", "test": "mcnemar"}, Misfit, "randomization"),
        ({"jobs": 0}, OptionError, "jobs"),
        ({"tie": -1}, OptionError, "tie"),
    ],
)
def test_bad_options(options, error, said):
    with pytest.raises(error, match=said):
        audit(COUNTS, **{**QUICK, **options})


def test_bad_data():
    with pytest.raises(InputError, match="'none' has no true example"):
        audit(
            {"some": Population.of(COUNTS), "none": Population.of(from_events((0, 0, 0, 0, 5, 5, 5, 85)))}, metric="f1"
        )
    with pytest.raises(RefereeError, match="rcv1-linear-mlp"):
        audit("rcv1-linear-mpl", metric="f1")


def test_a_store_resumes_and_refuses_another_grid(tmp_path):
    file = tmp_path / "run.db"
    first = audit(COUNTS, sizes=[50, 100], store=file, **QUICK)
    assert audit(COUNTS, sizes=[50, 100], store=file, **QUICK).rows == first.rows
    before = file.read_bytes()
    with pytest.raises(InputError, match="sizes"):
        audit(COUNTS, sizes=[50, 200], store=file, **QUICK)
    assert file.read_bytes() == before


def test_ranking_metrics_and_means():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 60)
    a, b = ((truth + rng.normal(size=60)).round(1) for _ in range(2))
    area = audit(truth=truth, a=a, b=b, metric="auc", sets=40, coverage=False)
    assert area.null == "tilt"
    precise = audit(
        truth=truth, a=a, b=b, metric="average-precision", sets=10, test="bootstrap:replicates=99", coverage=False
    )
    assert precise.null == "swap"
    with pytest.raises(OptionError, match="swap"):
        audit(truth=truth, a=a, b=b, metric="average-precision", null="tilt", sets=10)
    mean = audit(a=a, b=b, sets=60, coverage=False)
    assert mean.metric == "mean"
    assert mean.chosen == "skew-t"


def test_a_users_own_metric_in_processes():
    made = referee.metric(lambda tp, fp: tp / (tp + fp + 1.0), name="shy-precision", higher_is_better=True)
    one = audit(COUNTS, metric=made, test="bootstrap:replicates=99", sets=20, sizes=[50, 60], jobs=1, coverage=False)
    two = audit(COUNTS, metric=made, test="bootstrap:replicates=99", sets=20, sizes=[50, 60], jobs=2, coverage=False)
    assert one.rows == two.rows


def test_compare_carries_the_audit_of_its_own_test():
    result = referee.compare(COUNTS, metric="error", audit=True)
    found = result.audit
    assert found["null"] == "nearest tie"
    assert found["false_alarm"] < 0.08
    assert found["coverage"] == pytest.approx(0.95, abs=0.03)
    assert found["false_alarm_error"] == pytest.approx(0.0065, abs=0.002)
    assert result.to_dict()["audit"] == found
    assert "false alarm" in str(result)
    assert referee.compare(COUNTS, metric="error").audit == found
    assert referee.compare(COUNTS, metric="error", audit=False).audit is None
    # The tie of an audit is another one, nearer by the other divergence; what the test does there is the same.
    row = audit(COUNTS, metric="error", test="score", sets=1000).row()
    error = (found["false_alarm_error"] ** 2 + row["false_alarm_error"] ** 2) ** 0.5
    assert found["false_alarm"] == pytest.approx(row["false_alarm"], abs=4 * error)


def test_a_population_that_was_made_up_needs_sizes():
    world = Population.from_weights({"truth": [1, 1, 0, 0], "a": [1, 0, 0, 1], "b": [0, 1, 1, 0]}, [0.3, 0.2, 0.3, 0.2])
    with pytest.raises(OptionError, match="sizes"):
        audit(world, **QUICK)
    result = audit(world, sizes=5000, **QUICK)
    assert result.n is None
    assert not result.warnings
    assert "drawn from a population" in str(result)


def test_the_chosen_test_is_the_one_that_compare_takes():
    only = audit(COUNTS, metric="f1", test="bootstrap:replicates=99", sets=100, coverage=False)
    assert only.chosen == "score"
    assert only.row()["test"] == "bootstrap:replicates=99"
    assert "was not tried" in only.advice
    assert " ".join(str(only).split()).startswith(
        "Too few test sets (100) to call the bootstrap test (99 replicates) honest: "
    )
    with pytest.raises(OptionError, match="n = 77"):
        only.row(n=77)


def test_the_default_is_left_only_for_much():
    rows = audit(COUNTS, metric="error", sets=200, coverage=False).rows
    more = [{**row, "power": 0.6 + 0.1 * (row["test"] == "paired-t"), "false_alarm": 0.04} for row in rows]
    assert advise(more, "mcnemar", 0.05)[0] == "paired-t"
    little = [{**row, "power": 0.6 + 0.03 * (row["test"] == "paired-t"), "false_alarm": 0.04} for row in rows]
    assert advise(little, "mcnemar", 0.05)[0] == "mcnemar"
    loose = [{**row, "power": 0.6 + 0.3 * (row["test"] == "two-proportions"), "false_alarm": 0.04} for row in rows]
    assert advise(loose, "mcnemar", 0.05)[0] == "mcnemar", "it does not promise its rate"
    broken = [{**row, "power": 0.6, "false_alarm": 0.04 + 0.2 * (row["test"] == "mcnemar")} for row in rows]
    assert advise(broken, "mcnemar", 0.05)[0] != "mcnemar"


def test_systems_that_never_differ_have_nothing_to_audit():
    same = audit(from_events((50, 0, 0, 5, 3, 0, 0, 100)), metric="f1", sets=50)
    assert "never differ" in same.advice
    assert same.preferred is None


def test_labels_that_the_truth_lacks_are_no_empty_category():
    table = {"truth": ["cat", "dog"] * 20, "a": ["cat", "emu"] * 20, "b": ["cat", "dog"] * 19 + ["dog", "dog"]}
    result = audit(table, truth="truth", a="a", b="b", metric="f1:average=macro", sets=20, null="swap", coverage=False)
    assert result.row()["false_alarm"] is not None


def test_several_comparisons_show_their_audits():
    both = referee.compare(COUNTS, metric=["f1", "accuracy"], audit=True)
    rates = sorted(100 * r.audit["false_alarm"] for r in both)
    said = f"On data like these the false-alarm rate at alpha 5% is {rates[0]:.2g}% to {rates[1]:.2g}%, and the 95% intervals"
    assert said in " ".join(str(both).split())
    assert said in both.to_markdown()
