"""`referee compare --text`: what examples are about is shown and never counted."""

import json
from pathlib import Path

import pytest

from referee.cli import compare as verb

TABLE = "n,question,old,new,label\n007,Why <b>me</b>?,x,y,x\n008,Who?,x,x,x\n009,What?,y,x,x\n"
READERS = Path(__file__).parents[1] / "samples"


@pytest.fixture
def seen(monkeypatch):
    """Return the results that were rendered, with their examples as they were then."""
    found = []

    def run(*words, plain=verb.run):
        result = plain(*words)
        found.append(result.examples())
        return result

    monkeypatch.setattr(verb, "run", run)
    return found


def test_a_table(run, seen, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(TABLE)
    done = run("compare", str(path), "--truth", "label", "--id", "n", "--text", "question", "--format", "json")
    assert done.code == 0
    assert "a is 'old' and b is 'new'" in done.err
    assert [(one.id, one.text, one.right) for one in seen[0]] == [
        ("007", "Why <b>me</b>?", "a"),
        ("009", "What?", "b"),
    ]
    plain = run("compare", str(path), "--truth", "label", "--a", "old", "--b", "new", "--format", "json", "-q")
    assert json.loads(plain.out) == json.loads(done.out)


def test_standard_input(run, seen):
    done = run(
        "compare", "-", "--truth", "label", "--a", "old", "--b", "new", "--text", "question", stdin=TABLE.encode()
    )
    assert done.code == 0
    assert [one.text for one in seen[0]] == ["Why <b>me</b>?", "What?"]


def test_two_tables(run, seen, tmp_path):
    (tmp_path / "old.csv").write_text("id,answer\n1,0\n2,1\n")
    (tmp_path / "new.csv").write_text("id,answer,asked\n2,0,Two?\n1,0,One?\n")
    done = run(
        "compare", str(tmp_path / "old.csv"), str(tmp_path / "new.csv"), "--id", "id", "--text", "asked", "-q"
    )  # fmt: skip
    assert done.code == 0, done.err
    assert [(one.id, one.text, one.right) for one in seen[0]] == [("2", "Two?", "a")]


def test_counts_are_kept_beside(run, seen, tmp_path):
    path, kept = tmp_path / "data.csv", tmp_path / "counts.json"
    path.write_text(TABLE)
    words = ["--truth", "label", "--a", "old", "--b", "new", "--id", "n", "--missing", "drop"]
    done = run("compare", str(path), *words, "--save-counts", str(kept), "-q")
    assert done.code == 0
    assert len(seen[0]) == 2
    assert "missing:drop" in done.out
    again = run("compare", str(kept), "--missing", "drop", "-q")
    assert again.out == done.out
    assert seen[1] == ()


def test_no_such_column(run, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(TABLE)
    done = run("compare", str(path), "--truth", "label", "--a", "old", "--b", "new", "--text", "qestion")
    assert done.code == 2
    assert "there is no column 'qestion' (did you mean 'question'?)" in done.err
    (tmp_path / "other.csv").write_text(TABLE)
    kept = run(
        "compare", str(path), str(tmp_path / "other.csv"), "--id", "n", "--prediction", "old", "--text", "qestion"
    )
    assert kept.code == 2
    assert "there is no column 'qestion'" in kept.err
    done = run(
        "compare", *(str(READERS / f"trec/{name}.txt") for name in ("old", "new")), "--score", "map", "--text", "x"
    )
    assert done.code == 2
    assert "text has no meaning for trec_eval" in done.err
