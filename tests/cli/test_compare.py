"""`referee compare`, end to end."""

import gzip
import json
import shlex
import tempfile
from pathlib import Path

import pytest

import referee
from referee.cli.demo import table
from referee.data.counts import Counts
from referee.results.comparison import Comparison

POSITIVE = ["--positive", "spam"]
COLUMNS = ["--truth", "label", "--a", "old", "--b", "new", *POSITIVE]


def test_text(run, data):
    done = run("compare", data, *COLUMNS, "--metric", "f1")
    assert done.code == 0
    assert done.out.startswith('"new" is better than "old": F1 81.1% against 76.9%')
    assert done.out.splitlines()[-1].startswith(f"referee {referee.__version__}|metric:f1|")
    assert done.err == ""


def test_verbose_says_what_is_much_the_same_every_time(run, data):
    brief, verbose = (run("compare", data, *COLUMNS, *more).out for more in ([], ["-v"]))
    assert "two-sided: is there any difference?" in verbose
    assert "two-sided: is there any difference?" not in brief
    assert verbose.splitlines()[0] == brief.splitlines()[0]


def test_json_reads_back(run, data):
    done = run("compare", data, *COLUMNS, "--metric", "f1", "--format", "json")
    content = json.loads(done.out)
    assert content["schema"] == "referee.comparison/1"
    assert Comparison.from_dict(content).verdict == "b better"


@pytest.mark.parametrize(
    ("form", "start"), [("markdown", '**"new" is better'), ("latex", f"% referee {referee.__version__}|")]
)
def test_other_forms(run, data, form, start):
    assert run("compare", data, *COLUMNS, "--metric", "f1", "--format", form).out.startswith(start)


def test_several_metrics(run, data):
    done = run("compare", data, *COLUMNS, "--metric", "f1", "--metric", "fbeta:beta=2", "--format", "json")
    content = json.loads(done.out)
    assert content["schema"] == "referee.comparisons/1"
    assert [row["task"] for row in content["comparisons"]] == ["f1", "fbeta:beta=2"]
    assert "by both metrics" in run("compare", data, *COLUMNS, "--metric", "f1", "--metric", "mcc").out


def test_a_threshold_is_for_metrics_of_labels_alone(run, tmp_path):
    rows = [
        (i % 3 == 0, (i * 37 % 100) / 100 + (i % 3 == 0) / 5, (i * 53 % 100) / 100 + (i % 3 == 0) / 3)
        for i in range(90)
    ]
    path = tmp_path / "scores.csv"
    path.write_text("truth,old,new\n" + "".join(f"{int(t)},{a:.2f},{b:.2f}\n" for t, a, b in rows), encoding="utf-8")
    words = (str(path), "--truth", "truth", "--a", "old", "--b", "new", "--format", "json")
    alone = json.loads(run("compare", *words, "--metric", "auc").out)
    both = json.loads(run("compare", *words, "--metric", "auc", "--metric", "f1", "--threshold", "0.6").out)
    assert both["comparisons"][0]["difference"] == alone["difference"]
    assert both["comparisons"][0]["p_value"] == alone["p_value"]
    few = ("--test", "delong", "--sets", "20", "--no-coverage")
    audits = [
        json.loads(run("audit", *words, *few, "--metric", "auc", *more).out) for more in ((), ("--threshold", "0.6"))
    ]
    assert audits[0]["rows"] == audits[1]["rows"]


def test_by(run, data):
    assert "; better in 3 of 40 slices." in run("compare", data, *COLUMNS, "--by", "sender").out


def test_the_two_columns_left_are_the_systems(run, data):
    done = run("compare", data, "--truth", "label", "--group", "sender")
    assert done.code == 0
    assert done.err == "referee: a is 'old' and b is 'new', the columns that no option names\n"
    assert run("compare", data, "--truth", "label", "--group", "sender", "--quiet").err == ""
    assert run("compare", data, "--truth", "label", "--group", "sender", "--a", "new", "-q").out.startswith("Too close")


def test_too_many_columns_are_listed(run, data):
    done = run("compare", data, "--truth", "label")
    assert done.code == 2
    assert done.err == (
        "referee: name the columns of the two systems with --a and --b; the columns left are: sender, old, new; "
        f"for example: referee compare {data} --truth label --a old --b new --group sender\n"
    )
    assert run(*shlex.split(done.err.partition("for example: referee ")[2])).code == 0


@pytest.mark.parametrize(
    "head", ["id", "qid", "Question_ID", "index", "Unnamed: 0", "row", "doc", "uuid", "numbers", "names"]
)
def test_what_tells_examples_apart_is_no_system(run, tmp_path, head):
    path = tmp_path / "t.csv"
    rows = [f"{'x' * i if head == 'names' else i},{i % 7 / 7}" for i in range(1, 31)]
    path.write_text("\n".join([f"{head},score", *rows]) + "\n")
    for words in (["--a", "score"], ["--b", "score"], []):
        done = run("compare", str(path), *words)
        assert (done.code, done.out) == (2, "")
        assert f"the columns left are: {head}" in done.err
        assert "for example" not in done.err


def test_an_id_beside_the_only_two_systems_is_left_alone(run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,new,score\n" + "".join(f"{i},{i % 3 / 3},{i % 7 / 7}\n" for i in range(1, 31)))
    done = run("compare", str(path), "--a", "score")
    assert done.code == 0
    assert done.err == "referee: a is 'score' and b is 'new', the columns that no option names\n"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--metric", "f1"], 0),
        (["--metric", "f1", "--group", "sender"], 3),
        (["--metric", "error", "--alternative", "less"], 0),
        (["--metric", "f1", "--metric", "specificity"], 3),
        (["--metric", "f1", "--margin", "0.2"], 0),
    ],
)
def test_gate(run, data, words, code):
    assert run("compare", data, *COLUMNS, *words, "--gate").code == code
    assert run("compare", data, *COLUMNS, *words).code == 0


def test_gate_where_b_is_worse(run, data):
    assert (
        run("compare", data, "--truth", "label", "--a", "new", "--b", "old", *POSITIVE, "--metric", "f1", "--gate").code
        == 1
    )


def _jsonl(text):
    head, *rows = [line.split(",") for line in text.split()]
    return "".join(json.dumps(dict(zip(head, row, strict=True))) + "\n" for row in rows)


@pytest.mark.parametrize(
    "content",
    [
        table().encode(),
        b"\xef\xbb\xbf" + table().encode(),
        table().replace(",", "\t").encode(),
        table().replace(",", ";").encode(),
        _jsonl(table()).encode(),
        gzip.compress(table().encode(), mtime=0),
    ],
    ids=["csv", "bom", "tsv", "semicolons", "jsonl", "gzip"],
)
def test_standard_input(run, content, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    done = run("compare", "-", *COLUMNS, "--metric", "f1", stdin=content)
    assert done.out.startswith('"new" is better than "old": F1 81.1% against 76.9%')
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content", [b"", b" \n", b"\xef\xbb\xbf", b"\x1f\x8bnonsense", b"a,b\n1", "a,b\n".encode("utf-16")]
)
def test_bad_standard_input(run, content, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    done = run("compare", "-", *COLUMNS, stdin=content)
    assert done.code == 2
    assert done.err.startswith("referee: ")
    assert done.err.count("\n") == 1
    assert str(tmp_path) not in done.err
    assert list(tmp_path.iterdir()) == []


def test_counts_travel(run, data, tmp_path):
    saved = str(tmp_path / "counts.json")
    first = run("compare", data, *COLUMNS, "--metric", "f1", "--save-counts", saved)
    assert first.err == f"referee: the counts are in {saved}\n"
    assert Counts.load(saved).n == 600
    assert run("compare", saved, "--metric", "f1").out == first.out
    counted = run("count", data, *COLUMNS)
    assert counted.out == Path(saved).read_text(encoding="utf-8")
    assert run("compare", "-", "--metric", "f1", stdin=counted.out.encode()).out == first.out


def test_all_that_is_to_be_chosen_is_asked_for_at_once(run, tmp_path):
    for system in ("old", "new"):
        (tmp_path / system).mkdir()
        rows = [
            {"doc_id": i, "doc": {"q": i}, "target": "x", "filtered_resps": ["x"], "filter": name}
            | {"metrics": ["exact_match", "f1"], "exact_match": (i + len(system)) % 2, "f1": 0.5}
            for i in range(8)
            for name in ("strict-match", "flexible-extract")
        ]
        (tmp_path / system / "samples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = run("compare", str(tmp_path / "old"), str(tmp_path / "new"))
    assert done.code == 2
    assert (
        "has several filters (strict-match, flexible-extract) and scores (exact_match, f1); "
        "name one of each with --filter and --score; for example: referee compare "
    ) in done.err
    assert done.err.endswith("--filter strict-match --score exact_match\n")
    assert run(*shlex.split(done.err.partition("for example: referee ")[2])).code == 0
    half = run("compare", str(tmp_path / "old"), str(tmp_path / "new"), "--score", "f1")
    assert "has several filters: strict-match, flexible-extract; name one with --filter; for example" in half.err
    wrong = run("compare", str(tmp_path / "old"), str(tmp_path / "new"), "--score", "f2")
    assert "there is no score 'f2' (did you mean 'f1'?)" in wrong.err


def test_counts_are_added_once(run, data, tmp_path):
    week, copy = tmp_path / "week.json", tmp_path / "copy.json"
    assert run("count", data, *COLUMNS[:6], "-o", str(week)).code == 0
    (tmp_path / "link.json").symlink_to(week)
    for other in (week, tmp_path / "link.json"):
        for verb in ("compare", "count", "audit"):
            done = run(verb, str(week), str(other))
            assert done.code == 2
            assert "its counts would be added to themselves: name each file once" in done.err
    copy.write_bytes(week.read_bytes())
    done = run("compare", str(week), str(copy), "--format", "json")
    assert json.loads(done.out)["n"] == 2 * Counts.load(week).n
    assert json.loads(done.out)["warnings"][0] == (
        "week.json and copy.json hold the same counts, which were added; is one a copy of the other?"
    )


def test_a_system_is_not_compared_with_itself(run, data):
    done = run("compare", data, "--truth", "label", "--a", "old", "--b", "old", "--gate")
    assert (done.code, done.out) == (2, "")
    assert "--a and --b are both 'old'" in done.err


def test_slices_travel(run, data, tmp_path):
    saved = str(tmp_path / "counts.json")
    first = run("compare", data, *COLUMNS, "--by", "sender", "--save-counts", saved)
    assert run("compare", saved).out == first.out


def test_text_labels_that_are_numbers(run, tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("y,a,b\n" + "2,2,2\n2,1,2\n1,1,1\n1,2,1\n" * 10)
    words = ["compare", str(path), "--truth", "y", "--a", "a", "--b", "b", "--metric", "f1", "--positive", "2"]
    assert run(*words).code == 0
    saved = str(tmp_path / "c.json")
    assert (
        run(*words, "--save-counts", saved, "-q").out == run(*words).out == run("compare", saved, "--metric", "f1").out
    )


def test_a_pattern(run, tmp_path):
    head, *rows = table().splitlines(keepends=True)
    for i, part in enumerate((rows[:300], rows[300:])):
        (tmp_path / f"part-{i}.csv").write_text(head + "".join(part))
    done = run("compare", str(tmp_path / "part-*.csv"), *COLUMNS, "--metric", "f1")
    assert done.out.startswith('"new" is better than "old": F1 81.1% against 76.9%')


def test_output_is_whole_or_not_at_all(run, data, tmp_path):
    target = tmp_path / "result.txt"
    done = run("compare", data, *COLUMNS, "--metric", "f1", "--output", str(target))
    assert (done.code, done.out) == (0, "")
    assert target.read_text().startswith('"new" is better')
    target.write_text("before")
    assert run("compare", data, *COLUMNS, "--metric", "f2", "--output", str(target)).code == 2
    assert target.read_text() == "before"
    for place in (tmp_path, tmp_path / "nowhere" / "x"):
        done = run("compare", data, *COLUMNS, "--metric", "f1", "--output", str(place))
        assert done.code == 2
        assert done.err.startswith(f"referee: cannot write {place}")
    assert run("compare", data, *COLUMNS, "--save-counts", str(tmp_path)).code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["demo.csv", "result.txt"]


def test_rng(run, data):
    words = ["compare", data, *COLUMNS, "--metric", "f1", "--test", "bootstrap:replicates=999"]
    assert run(*words).out == run(*words, "--rng", "0").out != run(*words, "--rng", "1").out
    assert "rng:" in run(*words, "--rng", "none").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--metric", "f1", "--rng", "x"], "a seed is a whole number, or none"),
        (["--metric", "f3"], "there is no metric 'f3'"),
        (["--metric", "f1", "--test", "mcnemer"], "did you mean 'mcnemar'?"),
        (["--metric", "f1", "--alpha", "2"], "alpha must lie between 0 and 1"),
        (["--metric", "f1", "--missing", "wrongly"], "did you mean 'wrong'?"),
        (["--metric", "f1", "--alternative", "up"], "'up' is not one of"),
        (["--metrc", "f1"], "--metric"),
        (["--group", "sendr"], "did you mean 'sender'?"),
    ],
)
def test_mistakes(run, data, words, said):
    done = run("compare", data, *COLUMNS, *words)
    assert done.code == 2
    assert said in done.err
    assert done.err.startswith("referee: ")
    assert done.err.count("\n") == 1
    assert done.out == ""


def test_warnings_name_options_in_text_and_arguments_in_json(run, tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("label,old,new\n1,1,1\n1,0,1\n0,0,\n0,1,0\n", encoding="utf-8")
    words = ["compare", str(path), "--truth", "label", "--a", "old", "--b", "new", "--missing", "drop"]
    assert "was dropped (--missing drop)" in run(*words).out
    assert "was dropped (--missing drop)" in run(*words, "--metric", "accuracy", "--metric", "mcc").out
    assert "was dropped (missing='drop')" in json.loads(run(*words, "--format", "json").out)["warnings"][0]


@pytest.mark.parametrize(
    ("columns", "winner"),
    [("judge,winner", "winner"), ("winner_model_a,winner_model_b", "winner"), ("id,Winner", "Winner")],
)
def test_a_column_of_winners_that_nobody_named_is_asked_about(run, tmp_path, columns, winner):
    table = tmp_path / "won.csv"
    table.write_text(columns + "\n" + "0,1\n1,0\n" * 20)
    done = run("compare", str(table))
    assert done.code == 2 and f"--winner {winner}" in done.err and "seems to say who won" in done.err
    assert "--winner" not in run("plan", str(table)).err


def test_names_beside_winners_say_which_system_is_which(run, tmp_path):
    table = tmp_path / "won.csv"
    table.write_text("winner\n" + "new\nnew\nold\n" * 40)
    for names, claim in (("old,new", '"new" is better than "old"'), ("new,old", '"old" is worse than "new"')):
        done = run("compare", str(table), "--winner", "winner", "--names", names, "--no-audit")
        assert done.code == 0 and claim in done.out
    assert run("compare", str(table), "--winner", "winner", "--names", "old,new", "--a", "new", "--b", "old").code == 2
