"""Signatures: results that differ have signatures that differ, and each field can be read."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import referee
from referee.data.counts import Counts
from referee.report.methods import paragraph
from referee.results.comparison import Comparison
from referee.results.plot_data import PlotData

N = 120


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, N)
    systems = {name: np.where(rng.random(N) < 0.7, label, 1 - label) for name in ("old", "new", "other")}
    sides = {name: rng.integers(0, 30, N).astype(str) for name in ("doc", "author", "site")}
    return pd.DataFrame({"label": label, **systems, **sides, "language": np.arange(N) % 2})


def fields(signature):
    return dict(part.split(":", 1) for part in signature.split("|")[1:])


def signature(frame, **options):
    asked = {"truth": "label", "a": "old", "b": "new", "metric": "accuracy", **options}
    return referee.compare(frame, **asked).signature


CHANGES = [
    {"b": "other"},
    {"metric": "f1"},
    {"metric": "f1", "positive": 0},
    {"test": "sign"},
    {"test": "mcnemar:variant=exact"},
    {"group": "doc"},
    {"group": "author"},
    {"stratum": "language"},
    {"alternative": "greater"},
    {"alpha": 0.1},
    {"margin": 0.05},
    {"margin": "10pp"},
    {"rng": 1},
]


def test_every_change_of_the_question_is_in_it(frame):
    found = [signature(frame, **change) for change in [{}, *CHANGES]]
    assert len(set(found)) == len(found)


def test_columns_are_named(frame):
    told = fields(signature(frame, group="doc", stratum=None))
    assert (told["a"], told["b"], told["truth"], told["group"]) == ("old", "new", "label", "doc")
    assert (told["metric"], told["alternative"], told["alpha"], told["n"], told["rng"]) == (
        "accuracy",
        "two-sided",
        "0.05",
        str(N),
        "0",
    )


def test_other_data_of_the_same_size_have_another(frame):
    turned = frame.assign(new=1 - frame["new"])
    assert fields(signature(frame))["data"] != fields(signature(turned))["data"]
    assert signature(frame) == signature(frame.sample(frac=1, random_state=1))


def test_slices_and_adjustments_are_in_it(frame):
    several = referee.compare(frame, truth="label", a="old", b="new", by="language")
    told = [fields(one.signature) for one in several]
    assert [one["slice"] for one in told] == ["0", "1"]
    assert {(one["by"], one["adjust"], one["comparisons"]) for one in told} == {("language", "max-t", "2")}


def test_policies_are_in_it(frame):
    holes = frame.astype({"new": object})
    holes.loc[:4, "new"] = None
    assert [fields(signature(holes, missing=policy))["missing"] for policy in ("wrong", "drop")] == ["wrong", "drop"]
    twice = pd.concat([frame, frame]).assign(item=list(range(N)) * 2, old=0.5, new=0.25)
    found = [signature(twice, truth=None, metric="mean", id="item", repeats=policy) for policy in ("mean", "group")]
    assert [fields(one)["repeats"] for one in found] == ["mean", "group"]


def samples(path, *, acc, norm):
    lines = [
        {"doc_id": i, "doc": {"question": f"q{i}"}, "target": "0", "arguments": [], "resps": [], "filtered_resps": [], "acc": float(x), "acc_norm": float(y)}
        for i, (x, y) in enumerate(zip(acc, norm, strict=True))
    ]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_scores_of_a_log_are_told_apart(tmp_path):
    rng = np.random.default_rng(0)
    paths = []
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        right = rng.integers(0, 2, 40)
        paths.append(samples(tmp_path / name / "samples_sums_2026-01-01T00-00-00.000001.jsonl", acc=right, norm=right))
    found = [referee.compare(referee.read(*paths, score=score)) for score in ("acc", "acc_norm")]
    assert found[0].difference == found[1].difference
    told = [fields(one.signature) for one in found]
    assert [one["score"] for one in told] == ["acc", "acc_norm"]
    assert {one["task"] for one in told} == {"sums"}


def test_what_counts_were_made_of_travels_with_them(frame, tmp_path):
    counts = referee.count(frame, truth="label", a="old", b="new", group="doc")
    counts.save(tmp_path / "c.json")
    again = Counts.load(tmp_path / "c.json")
    assert again.about == counts.about == {"truth": "label", "group": "doc"}
    assert referee.compare(again).signature == referee.compare(counts).signature == signature(frame, group="doc")
    other = referee.count(frame, truth="label", a="old", b="new", group="author")
    assert (counts + other).about == {"truth": "label"}


def test_a_mid_p_is_called_a_mid_p_everywhere(frame):
    r = referee.compare(frame, truth="label", a="old", b="new", metric="accuracy", test="mcnemar")
    assert (r.test, r.p_method, r.mid_p, r.to_dict()["p_method"]) == ("mcnemar", "exact", True, "exact")
    for text in (str(r), r.to_markdown(), r.to_latex(), r.to_html()):
        assert "mid-p" in text
        assert "(exact)" not in text
    exact = referee.compare(frame, truth="label", a="old", b="new", metric="accuracy", test="mcnemar:variant=exact")
    assert not exact.mid_p
    assert "(exact)" in exact.to("text", verbose=True)


def test_the_signature_is_written_from_the_settings(frame):
    r = referee.compare(frame, truth="label", a="old", b="new", metric="f1", positive=1, rng=7, stratum="language")
    told = fields(r.signature)
    assert (r.settings.seed, r.settings.positive_class, r.settings.strata) == (7, 1, 2)
    assert (told["rng"], told["strata"], told["stratum"]) == ("7", "2", "language")
    assert r.signed(r.settings) == r
    assert fields(r.signed(replace(r.settings, adjust="holm", comparisons=3)).signature)["comparisons"] == "3"


def test_a_result_that_was_read_says_less_and_still_prints(frame):
    r = referee.compare(frame, truth="label", a="old", b="new", metric="f1", positive=1)
    read = Comparison.from_dict(json.loads(r.to_json()))
    assert read.settings is read.test_info is None
    assert read.metric_info == r.metric_info
    assert read.plot_data() == PlotData()
    assert "The positive class" in paragraph.paragraph(r)
    assert "The positive class" not in paragraph.paragraph(read)
    assert "with the score test." in paragraph.paragraph(read)
    assert "Who is right where" not in read.to_html()
    assert str(read) == str(r)
