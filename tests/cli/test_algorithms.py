"""`referee algorithms`: models by their spelling on a table, and fold scores that exist already."""

from __future__ import annotations

import json
import random
import re
import shlex

import pytest

import referee

BAYES = "bayes=sklearn.naive_bayes:GaussianNB"
MOST = "most=sklearn.dummy:DummyClassifier"
TREE = "tree=sklearn.tree:DecisionTreeClassifier(max_depth=2, random_state=0)"
ANSWER = referee.compare_scores(
    {"one": [0.8, 0.81, 0.79, 0.8, 0.82], "other": [0.9, 0.91, 0.9, 0.88, 0.92]}, design="kfold", n_train=80, n_test=20
)
SCALED = "lr=sklearn.preprocessing:StandardScaler | sklearn.linear_model:LogisticRegression(C=0.5)"


def models(*spelt):
    return [word for one in spelt for word in ("--model", one)]


def made(rows=90):
    draw = random.Random(1)
    lines = ["x,z,site,person,label"]
    for i in range(rows):
        label = i % 2
        x, z = draw.gauss(2.0 * label, 1), draw.gauss(0, 1)
        lines.append(f"{x:.4f},{z:.4f},{'north' if i % 3 else 'south'},p{i // 3},{('no', 'yes')[label]}")
    return "\n".join(lines) + "\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(made(), encoding="utf-8")
    return str(path)


@pytest.fixture
def scores(tmp_path):
    path = tmp_path / "scores.csv"
    d = [0.02, 0.01, 0.03, 0, 0.02, 0.01, 0.02, 0.03, 0.01, 0.02]
    rows = "".join(f"0.8,{0.8 + x},90,10\n" for x in d)
    path.write_text(f"old,new,n_train,n_test\n{rows}", encoding="utf-8")
    return str(path)


QUICK = ("--truth", "label", "--drop", "site,person", "--jobs", "1")


def test_the_answer_comes_first(run, table):
    done = run("algorithms", table, *QUICK, *models(BAYES, MOST), "--design", "kfold:folds=5")
    assert done.code == 0, done.err
    said = " ".join(done.out.split())
    assert said.startswith('"most" is worse than "bayes": accuracy ')
    assert "kfold:folds=5: 5 splits, with 72 examples to train on and 18 examples to test" in said
    assert done.out.rstrip().splitlines()[-1].startswith("referee ")


def test_json_is_the_contract(run, table):
    done = run(
        "algorithms", table, *QUICK, *models(BAYES, TREE, SCALED), "--design", "kfold:folds=3", "--format", "json"
    )
    assert done.code == 0, done.err
    content = json.loads(done.out)
    assert content["schema"] == "referee.algorithms/1"
    assert (content["design"], content["metric"], content["fits"]) == ("kfold:folds=3", "accuracy", 9)
    assert {one["name"] for one in content["systems"]} == {"bayes", "tree", "lr"}
    assert all(one["fit_seconds"] > 0 for one in content["systems"])
    assert len(content["pairs"]) == 3
    for field in ("a", "b", "difference", "interval", "test", "p_value", "p_adjusted", "verdict"):
        assert field in content["pairs"][0]
    assert set(content["best"]) <= {"bayes", "tree", "lr"}
    assert "StandardScaler" in next(one["model"] for one in content["systems"] if one["name"] == "lr")


@pytest.mark.parametrize(("form", "sign"), [("markdown", "| algorithm |"), ("latex", "tabular")])
def test_other_forms(run, table, tmp_path, form, sign):
    kept = tmp_path / "result"
    words = ("algorithms", table, *QUICK, *models(BAYES, MOST), "--design", "holdout", "--format", form)
    done = run(*words, "--output", str(kept))
    assert done.code == 0, done.err
    assert done.out == ""
    assert sign in kept.read_text(encoding="utf-8")


def test_every_option_reaches_its_argument(run, table, monkeypatch):
    import referee.studies.algorithms.algorithms

    seen = {}

    def fake(algorithms, features, truth, **options):
        seen.update(options, names=list(algorithms), shape=features.shape, labels=sorted(set(truth.tolist())))
        return ANSWER

    monkeypatch.setattr(referee.studies.algorithms.algorithms, "compare_algorithms", fake)
    done = run(
        "algorithms", table, "--truth", "label", "--group", "person", "--features", "x, site", "--encode", *models(BAYES, MOST),
        "--design", "holdout:test=0.2", "--metric", "f1", "--test", "mcnemar", "--positive", "yes", "--no-stratify",
        "--alternative", "greater", "--alpha", "0.1", "--margin", "0.02", "--adjust", "bh", "--rng", "7", "--jobs", "3",
        "--dask", "tcp://host:1", "--store", "cells.db",
    )  # fmt: skip
    assert (done.code, done.out) == (0, f"{ANSWER}\n"), done.err
    assert seen.pop("group").tolist()[:4] == ["p0", "p0", "p0", "p1"]
    assert seen == {
        "names": ["bayes", "most"], "shape": (90, 3), "labels": ["no", "yes"], "design": "holdout:test=0.2", "metric": "f1",
        "test": "mcnemar", "positive": "yes", "stratify": False, "alternative": "greater", "alpha": 0.1, "margin": "0.02",
        "adjust": "bh", "rng": 7, "jobs": 3, "dask": "tcp://host:1", "store": "cells.db",
    }  # fmt: skip
    run("algorithms", table, *QUICK, *models(BAYES, MOST))
    assert (seen["design"], seen["stratify"], seen["group"], seen["metric"]) == ("resampled", None, None, None)


def test_every_option_of_scores_reaches_its_argument(run, scores, monkeypatch):
    import referee.studies.algorithms.algorithms

    seen = {}

    def kept(path, **options):
        seen.update(options, path=path)
        return ANSWER

    monkeypatch.setattr(referee.studies.algorithms.algorithms, "compare_scores", kept)
    words = (
        "--test",
        "t",
        "--n-train",
        "60",
        "--n-test",
        "30",
        "--metric",
        "error",
        "--lower-is-better",
        "--alpha",
        "0.1",
    )
    more = ("--design", "resampled", "--alternative", "less", "--margin", "0.02", "--adjust", "bh")
    done = run("algorithms", "--scores", scores, *words, *more)
    assert done.code == 0, done.err
    assert seen == {
        "path": scores, "test": "t", "n_train": 60, "n_test": 30, "metric": "error", "lower_is_better": True, "alpha": 0.1,
        "design": "resampled", "alternative": "less", "margin": "0.02", "adjust": "bh",
    }  # fmt: skip


def test_groups_positive_and_seed(run, table):
    words = (
        "algorithms",
        table,
        "--truth",
        "label",
        "--group",
        "person",
        "--encode",
        "--jobs",
        "1",
        *models(BAYES, TREE),
    )
    more = ("--design", "kfold:folds=3", "--metric", "f1", "--positive", "yes", "--format", "json")
    first, again = (json.loads(run(*words, *more, "--rng", "3").out) for _ in range(2))
    assert first["metric"] == "f1"
    assert [one["scores"] for one in first["systems"]] == [one["scores"] for one in again["systems"]]
    other = json.loads(run(*words, *more, "--rng", "4").out)
    assert [one["scores"] for one in other["systems"]] != [one["scores"] for one in first["systems"]]


def test_standard_input(run, table):
    words = (*QUICK, *models(BAYES, MOST), "--design", "holdout", "--format", "json")
    piped = json.loads(run("algorithms", "-", *words, stdin=made().encode()).out)
    read = json.loads(run("algorithms", table, *words).out)
    assert piped["systems"][0]["scores"] == read["systems"][0]["scores"]


def test_fold_scores_that_exist(run, scores):
    done = run("algorithms", "--scores", scores)
    assert done.code == 0, done.err
    assert done.out.startswith('"new" is better than "old": score ')
    content = json.loads(run("algorithms", "--scores", scores, "--format", "json").out)
    assert content["pairs"][0]["p_value"] == pytest.approx(3.6190e-3, rel=1e-4)  # the anchor of the corrected t test
    assert (content["fits"], content["best"]) == (0, ["new"])
    lower = json.loads(run("algorithms", "--scores", scores, "--lower-is-better", "--format", "json").out)
    assert lower["best"] == ["old"]
    with open(scores, "rb") as file:  # noqa: PTH123
        assert run("algorithms", "--scores", "-", stdin=file.read()).out == done.out


def test_the_design_of_many_scores_is_asked_for_with_commands(run, tmp_path):
    path = tmp_path / "fold scores.csv"
    rows = [f"{i},{0.8 + i % 7 / 100},{0.82 + i % 5 / 100}" for i in range(100)]
    path.write_text("\n".join([",old,new", *rows]) + "\n")
    done = run("algorithms", "--scores", str(path), "--metric", "recall", "--alpha", "0.1", "--format", "json")
    assert (done.code, done.out) == (2, "")
    commands = re.findall(r": (referee algorithms .*?)(?:;|$)", done.err.strip())
    assert len(commands) == 4
    for command in commands:
        words = shlex.split(command)
        pasted = json.loads(run(*words[1:]).out)
        assert (pasted["metric"], pasted["alpha"], pasted["splits"]) == ("recall", 0.1, 100)
        assert [one["name"] for one in pasted["systems"]] == ["new", "old"]
        assert pasted["design"].startswith(words[words.index("--design") + 1].partition(":")[0])


def test_the_direction_of_scores(run, scores):
    done = run("algorithms", "--scores", scores, "--metric", "error", "--format", "json")
    assert json.loads(done.out)["best"] == ["old"], done.err
    done = run("algorithms", "--scores", scores, "--metric", "log_loss")
    assert done.code == 2
    assert "--lower-is-better or --higher-is-better" in done.err
    for flag, best in (("--lower-is-better", "old"), ("--higher-is-better", "new")):
        done = run("algorithms", "--scores", scores, "--metric", "log_loss", flag, "--format", "json")
        assert json.loads(done.out)["best"] == [best]


def test_estimate(run, table, tmp_path):
    words = ("algorithms", table, *QUICK, *models(BAYES, MOST), "--estimate")
    done = run(*words, "--design", "repeated-kfold")
    assert done.code == 0, done.err
    assert done.out.startswith("200 fits, about ")
    content = json.loads(run(*words, "--format", "json").out)
    assert (content["fits"], content["jobs"]) == (60, 1)
    assert content["seconds"] > 0
    assert run(*words, "--format", "latex").code == 2


def test_a_failing_fit_is_told_and_the_others_are_kept(run, table):
    done = run(
        "algorithms", table, *QUICK, *models(BAYES, MOST, "svm=sklearn.svm:SVC(C=-1)"), "--design", "kfold:folds=3"
    )
    assert done.code == 0, done.err
    said = " ".join(done.out.split())
    assert '3 fits of "svm" failed, so it is not tested.' in said
    assert "Failed: svm, splits 1, 2 and 3: " in said
    assert "bayes" in said


def test_constructors_only(run, table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for spelt in (
        "x=os:system('touch mark')",
        "x=subprocess:Popen(['touch', 'mark'])",
        "x=sklearn.svm:SVC(C=open('mark', 'w'))",
    ):
        done = run("algorithms", table, *QUICK, *models(BAYES, spelt))
        assert done.code == 2
        assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "or fold scores with --scores"),
        (("DATA", "--scores", "s.csv"), "not both"),
        (("DATA",), "--truth"),
        (("DATA", "--truth", "label"), "two algorithms or more with --model"),
        (("DATA", *QUICK, "--model", BAYES), "there is only 'bayes'"),
        (("DATA", *QUICK, *models(BAYES, "bayes=sklearn.svm:SVC")), "two algorithms are called 'bayes'"),
        (("DATA", *QUICK, *models(BAYES, "svm=sklearn.svm.SVC")), "write sklearn.svm:SVC"),
        (("DATA", *QUICK, *models(BAYES, MOST), "--n-train", "3"), "leave --n-train out"),
        (("DATA", *QUICK, *models(BAYES, MOST), "--lower-is-better"), "leave --lower-is-better out"),
        (("DATA", "--truth", "lable", *models(BAYES, MOST)), "did you mean 'label'?"),
        (("DATA", "--truth", "label", *models(BAYES, MOST)), "--encode"),
        (("DATA", *QUICK, *models(BAYES, MOST), "--design", "5x2vc"), "did you mean '5x2cv'?"),
        (("DATA", *QUICK, *models(BAYES, MOST), "--design", "kfold:fold=3"), "did you mean 'folds'?"),
        (("DATA", *QUICK, *models(BAYES, MOST), "--test", "5x2cv-t"), "corrected-t"),
        (("DATA", *QUICK, *models(BAYES, MOST), "--alpha", "2"), "alpha"),
        (("DATA", *QUICK, *models(BAYES, MOST), "--adjust", "nil"), "holm"),
        (("DATA", *QUICK, *models(BAYES, MOST), "--metric", "accurracy"), "accuracy"),
        (("DATA", *QUICK, *models(BAYES, MOST), "--store", "/no/such/folder/x.db"), "folder"),
        (("no.csv", *QUICK, *models(BAYES, MOST)), "no.csv"),
        (("--scores", "no.csv"), "no.csv"),
        (("--scores", "SCORES", "--model", BAYES), "leave --model out"),
        (("--scores", "SCORES", "--truth", "label"), "leave --truth out"),
        (("--scores", "SCORES", "--rng", "0"), "leave --rng out"),
        (("--scores", "SCORES", "--estimate"), "leave --estimate out"),
        (("--scores", "SCORES", "--no-stratify"), "leave --no-stratify out"),
        (("--scores", "SCORES", "--design", "5x2vc"), "5x2cv"),
        (("--scores", "SCORES", "--test", "5x2cv-f"), "corrected-t"),
    ],
)
def test_bad_input_is_one_line_and_code_2(run, table, scores, words, said):
    done = run("algorithms", *({"DATA": table, "SCORES": scores}.get(word, word) for word in words))
    assert done.code == 2
    assert said in done.err
    assert done.out == ""
    assert len(done.err.strip().splitlines()) == 1


def test_designs_and_fold_tests_are_listed(run):
    from referee.significance.fold_tests import FOLD_TESTS
    from referee.studies.algorithms.designs import DESIGNS

    content = json.loads(run("list", "--format", "json").out)
    assert [row["name"] for row in content["designs"]] == list(DESIGNS)
    assert all({"name", "summary", "options"} <= set(row) for row in content["designs"])
    folds = [row for row in content["tests"] if row["name"] in FOLD_TESTS]
    assert [row["name"] for row in folds] == list(FOLD_TESTS)
    assert all({"name", "summary", "fits"} <= set(row) for row in folds)
    assert "kfold:folds=10" in run("list", "designs").out
    assert "fold scores of 5x2cv" in " ".join(run("list", "tests").out.split())
