"""`referee rank`: a leaderboard from tables, counts and logs; what is guessed is said aloud, bad input is one line."""

import csv
import json
import random
import re
from pathlib import Path

import pytest

import referee
from referee.report.render import FORMATS
from referee.results.ranking import Ranking

SKILL = {"m1": 0.8, "m2": 0.79, "m3": 0.82, "m4": 0.6}
TURNED = {"yes": "no", "no": "yes"}


def rows(skill=SKILL, n=300):
    draw = random.Random(3)
    for item in range(n):
        label, ease = draw.choice(["yes", "no"]), draw.gauss(0, 0.2)
        answers = [label if draw.random() < chance + ease else TURNED[label] for chance in skill.values()]
        yield [f"q{item}", ["math", "law", "code"][item % 3], f"d{item // 10}", label, *answers]


HEAD = ["item", "topic", "document", "label", *SKILL]


def write(path, head, body):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *body])
    return str(path)


@pytest.fixture
def board(tmp_path):
    return write(tmp_path / "board.csv", HEAD, rows())


def test_a_table_becomes_a_leaderboard(run, board):
    done = run("rank", board, "--truth", "label")
    assert done.code == 0
    assert "4 columns look like systems: m1, m2, m3 and m4; --systems names others" in done.err
    assert "scores highest (accuracy" in done.out
    assert "1 is significantly worse than another" in " ".join(done.out.split())
    assert "look like systems" not in done.out
    assert run("rank", board, "--truth", "label", "-q").err == ""
    named = run("rank", board, "--truth", "label", "--systems", "m*")
    assert named.err == ""
    assert named.out == done.out
    python = referee.rank(board, truth="label", systems=["m1", "m2", "m3", "m4"])
    assert named.out.strip() == str(python)


def test_options_are_those_of_the_function(run, board):
    words = [
        "--truth",
        "label",
        "--metric",
        "f1",
        "--positive",
        "yes",
        "--group",
        "document",
        "--adjust",
        "holm",
        "--alpha",
        "0.1",
    ]
    done = run("rank", board, *words, "--systems", "m1,m3,m4", "--rng", "5", "--format", "json")
    content = json.loads(done.out)
    asked = {"metric": "f1", "positive": "yes", "group": "document", "adjust": "holm", "alpha": 0.1, "rng": 5}
    assert content == referee.rank(board, truth="label", systems=["m1", "m3", "m4"], **asked).to_dict()
    assert content["schema"] == "referee.ranking/1"
    assert content["units"] == 30


def test_against_a_baseline(run, board):
    done = run("rank", board, "--truth", "label", "--baseline", "m4", "-q")
    assert 'All 3 other systems are significantly better than "m4"' in " ".join(done.out.split())
    assert "p adjusted for 3 comparisons (max-T)" in " ".join(done.out.split())


def test_one_ranking_per_slice(run, board):
    done = run("rank", board, "--truth", "label", "--by", "topic", "-q")
    assert done.code == 0
    assert " slices" in done.out
    assert (
        len(
            json.loads(run("rank", board, "--truth", "label", "--by", "topic", "-q", "--format", "json").out)[
                "rankings"
            ]
        )
        == 3
    )


def test_every_form_and_both_files(run, board, tmp_path):
    page, chart = tmp_path / "page.html", tmp_path / "chart.svg"
    said = {form: run("rank", board, "--truth", "label", "-q", "--format", form).out for form in FORMATS}
    assert said["markdown"].startswith('**"m')
    assert said["latex"].count("\\toprule") == 2 + ("Neighbours" in said["latex"])
    assert said["junit"].count("<testcase") == 4
    assert said["junit"].count("<failure") == 1
    assert run("rank", board, "--truth", "label", "-q", "--html", str(page), "--chart", str(chart)).code == 0
    pages = [page.read_text(encoding="utf-8"), said["html"].rstrip("\n")]
    commands = [re.search(r"<pre tabindex=.0.>(referee .*)</pre>\n", text) for text in pages]
    assert f"--html {page}" in commands[0][1]
    assert pages[0].replace(commands[0][0], "") == pages[1].replace(commands[1][0], "")
    assert "<svg" in chart.read_text(encoding="utf-8")


def test_files_of_one_system_each_are_joined(run, tmp_path):
    body = list(rows())
    files = [
        write(tmp_path / f"{name}.csv", ["id", "label", "answer"], [[r[0], r[3], r[4 + k]] for r in body])
        for k, name in enumerate(SKILL)
    ]
    words = ["--id", "id", "--truth", "label", "--prediction", "answer", "--format", "json", "-q"]
    joined = json.loads(run("rank", *files, *words).out)
    long = write(
        tmp_path / "long.csv",
        ["id", "label", "model", "answer"],
        [[r[0], r[3], name, r[4 + k]] for r in body for k, name in enumerate(SKILL)],
    )
    content = json.loads(run("rank", long, *words, "--system", "model").out)
    wide = referee.rank(write(tmp_path / "wide.csv", HEAD, body), truth="label", systems=list(SKILL)).to_dict()
    for other in (joined, content):
        assert other["systems"] == wide["systems"]
        assert other["best"] == wide["best"]


def test_logs_are_recognised_and_that_is_said(run, tmp_path):
    for k, name in enumerate(SKILL):
        lines = [
            json.dumps(
                {"doc_id": i, "doc": {}, "target": r[3], "filtered_resps": [r[4 + k]], "acc": float(r[3] == r[4 + k])}
            )
            for i, r in enumerate(rows(n=60))
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    done = run("rank", *(str(tmp_path / f"{name}.jsonl") for name in SKILL))
    assert "was read as lm-evaluation-harness samples" in done.err
    assert "(acc " in done.out


def test_counts_and_standard_input(run, board, tmp_path):
    kept = tmp_path / "counts.json"
    assert run("count", board, "--truth", "label", "--a", "m1", "--b", "m4", "-o", str(kept)).code == 0
    assert '"m1" is better than "m4"' in run("rank", str(kept)).out
    assert referee.rank(kept).best == ("m1",)
    piped = run("rank", "-", "--truth", "label", "-q", stdin=Path(board).read_bytes())
    assert piped.out == run("rank", board, "--truth", "label", "-q").out


TRUTH = ["--truth", "label"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([*TRUTH, "--systems", "m1"], "a ranking needs two systems or more; there is only 'm1'"),
        ([*TRUTH, "--systems", "m1,m1"], "'m1' is named twice; name each system once"),
        ([*TRUTH, "--systems", "m1,mx"], "there is no column 'mx'"),
        ([*TRUTH, "--systems", "m1,label"], "'label' is named as a system and as something else"),
        ([*TRUTH, "--baseline", "mx"], "there is no system 'mx'"),
        ([*TRUTH, "--adjust", "bofferoni"], "--adjust must be one of max-t, romano-wolf"),
        ([*TRUTH, "--metric", "f1"], "give --positive, one of 'no', 'yes'"),
        ([*TRUTH, "--alpha", "1.5"], "--alpha must lie between 0 and 1"),
        ([*TRUTH, "--test", "nope"], "there is no test 'nope'"),
        (["--truth", "gold"], "there is no column 'gold'"),
        ([], "the columns hold labels, so name that of the right answers with --truth"),
        (["--truth", "label", "--group", "nope"], "there is no column 'nope'"),
    ],
)
def test_a_wrong_word_is_one_line(run, board, words, said):
    done = run("rank", board, *words, "-q", "-o", f"{board}.out")
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert len(done.err.splitlines()) == 1
    assert not Path(f"{board}.out").exists()


@pytest.mark.parametrize(
    ("head", "body", "said"),
    [
        (HEAD, [], "has a header and no rows"),
        (["label", "m1", "m1"], [["1", "1", "0"]], "each column needs a name of its own"),
        (
            ["item", "label", "m1"],
            [["q1", "1", "1"], ["q2", "0", "1"]],
            "name the columns of the systems with --systems",
        ),
        (
            ["label", "m1", "m2"],
            [["1", "1", ""], ["0", "1", "0"]],
            "predictions are missing: 0 of m1 and 1 of m2; use --missing wrong",
        ),
    ],
)
def test_a_bad_table_is_one_line(run, tmp_path, head, body, said):
    done = run("rank", write(tmp_path / "bad.csv", head, body), *TRUTH, "-q")
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert len(done.err.splitlines()) == 1


def test_missing_answers_follow_the_policy(run, tmp_path):
    body = [[*row[:4], "" if i < 5 else row[4], *row[5:]] for i, row in enumerate(rows())]
    path = write(tmp_path / "missing.csv", HEAD, body)
    wrong = json.loads(run("rank", path, *TRUTH, "-q", "--missing", "wrong", "--format", "json").out)
    dropped = json.loads(run("rank", path, *TRUTH, "-q", "--missing", "drop", "--format", "json").out)
    assert (wrong["n"], dropped["n"], dropped["dropped"]) == (300, 295, 5)
    assert (
        "5 missing predictions of m1 were counted as wrong (--missing wrong)"
        in run("rank", path, *TRUTH, "-q", "--missing", "wrong").out
    )


def test_declared_answers(run, tmp_path):
    same = write(tmp_path / "same.csv", HEAD, [[*row[:4], *[row[4]] * 4] for row in rows()])
    assert "All 4 systems have the same accuracy" in run("rank", same, *TRUTH, "--systems", "m*").out
    few = write(tmp_path / "few.csv", HEAD, list(rows())[:3])
    assert "None of the 4 systems can be ruled out as best" in " ".join(
        run("rank", few, *TRUTH, "--systems", "m*").out.split()
    )
    constant = write(tmp_path / "constant.csv", HEAD, [[*row[:7], "yes"] for row in rows()])
    done = run("rank", constant, *TRUTH, "-q", "--metric", "precision", "--positive", "no", "--systems", "m*")
    assert done.code == 0
    assert "m4" in done.out


def test_one_run_is_not_ranked_twice(run, tmp_path):
    path = write(tmp_path / "m1.csv", ["id", "label", "answer"], [["q1", "1", "1"], ["q2", "0", "1"]])
    done = run("rank", path, path, "--id", "id", "--truth", "label", "--prediction", "answer")
    assert (done.code, done.out) == (2, "")
    assert "is given twice" in done.err


def test_help_has_sections_and_examples(run):
    said = run("rank", "--help").out
    assert [line for line in said.splitlines() if line.endswith(":") and not line.startswith(" ")] == [
        "Data:", "Question:", "Dirty data:", "Logs:", "Output:", "Examples:",
    ]  # fmt: skip
    assert "that not all systems have" in " ".join(said.split())
    assert "rank" in run("--help").out


def test_the_result_is_a_ranking(board):
    assert isinstance(referee.rank(board, truth="label"), Ranking)
