"""Joins: two runs meet by their ids alone, whatever their order, size or kind, and what does not fit is told."""

from __future__ import annotations

import csv
import json
import random

import pytest

import referee
from referee.data.formats.pairing import read
from referee.errors import InputError, OptionError, RefereeError

random.seed(4)
ROWS = [(f"q{i:03}", random.choice("xy"), random.choice("xyz"), random.choice("xy"), f"d{i % 9}") for i in range(120)]


def write(path, rows, head, shuffle=7):
    rows = list(rows)
    random.Random(shuffle).shuffle(rows)
    if path.suffix == ".csv":
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([head, *rows])
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(dict(zip(head, row, strict=True))) + "\n" for row in rows))
    else:
        import polars as pl

        frame = pl.DataFrame(rows, schema=head, orient="row")
        frame.write_parquet(path) if path.suffix == ".parquet" else frame.write_ipc(
            path, compat_level=pl.CompatLevel.oldest()
        )
    return path


@pytest.fixture(params=[".csv", ".jsonl", ".parquet", ".feather"])
def pair(request, tmp_path):
    head = ["id", "label", "answer", "doc"]
    old = write(tmp_path / f"old{request.param}", [(r[0], r[1], r[2], r[4]) for r in ROWS], head, 1)
    new = write(tmp_path / f"new{request.param}", [(r[0], r[1], r[3], r[4]) for r in ROWS], head, 2)
    return old, new


def expected(**options):
    columns = {"label": [r[1] for r in ROWS], "old": [r[2] for r in ROWS], "new": [r[3] for r in ROWS], "doc": [r[4] for r in ROWS]}  # fmt: skip
    return referee.count(columns, truth="label", a="old", b="new", **options)


def test_two_tables_are_one(pair):
    counts = read(*pair, id="id", truth="label", prediction="answer").count()
    assert counts == expected()
    assert counts.matched.to_dict() == {"both": 120, "a_only": 0, "b_only": 0, "dropped": 0}
    assert read(*pair, id="id", truth="label", prediction="answer", group="doc").count() == expected(group="doc")
    swapped = read(*reversed(pair), id="id", truth="label", prediction="answer").count()
    assert swapped == expected().swap()


def test_the_prediction_is_the_column_left(pair):
    outcomes = read(*pair, id="id", truth="label", group="doc")
    assert outcomes.remarks == ("'answer' holds the predictions: it is the only column left",)
    assert outcomes.count() == expected(group="doc")
    with pytest.raises(OptionError, match="the columns left are: label, answer"):
        read(*pair, id="id", group="doc")


def test_a_long_table(tmp_path):
    rows = [(r[0], r[1], name, r[place]) for r in ROWS for name, place in (("old", 2), ("new", 3))]
    for suffix in (".csv", ".jsonl", ".parquet"):
        path = write(tmp_path / f"long{suffix}", rows, ["id", "label", "who", "answer"])
        counts = read(path, id="id", truth="label", system="who", a="old", b="new").count()
        assert counts == expected()
    with pytest.raises(RefereeError, match=r"did you mean 'new'\?\); there are: new, old"):
        read(path, id="id", truth="label", system="who", a="old", b="newer").count()
    with pytest.raises(OptionError, match="name the two systems of the column 'who'"):
        read(path, id="id", truth="label", system="who")


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_ids_that_one_side_lacks(tmp_path, suffix):
    head = ["id", "label", "answer"]
    old = write(tmp_path / f"old{suffix}", [(r[0], r[1], r[2]) for r in ROWS[:-2]], head)
    new = write(tmp_path / f"new{suffix}", [(r[0], r[1], r[3]) for r in ROWS[5:]], head)
    with pytest.raises(InputError, match=r"5 ids are only in .*old.* \('q000', 'q001', 'q002', ...\) and 2 only in"):
        read(old, new, id="id", truth="label").count()
    counts = read(old, new, id="id", truth="label", unmatched="drop").count()
    assert counts.n == 113
    assert counts.matched.to_dict() == {"both": 113, "a_only": 5, "b_only": 2, "dropped": 0}
    assert referee.compare(counts).matched.a_only == 5


def test_no_id_in_common(tmp_path):
    head = ["id", "label", "answer"]
    old = write(tmp_path / "old.csv", [(r[0], r[1], r[2]) for r in ROWS], head)
    new = write(tmp_path / "new.csv", [(r[0].upper(), r[1], r[3]) for r in ROWS], head)
    with pytest.raises(InputError, match="no id in common; their ids look like 'q000' and 'Q000'"):
        read(old, new, id="id", truth="label").count()
    blank = write(tmp_path / "blank.csv", [(r[0] + " ", r[1], r[3]) for r in ROWS], head)
    with pytest.raises(InputError, match="'q000' and 'q000 '"):
        read(old, blank, id="id", truth="label").count()


def test_ids_are_safe_in_their_types(tmp_path):
    head = ["id", "label", "answer"]
    old = write(tmp_path / "old.jsonl", [(i, r[1], r[2]) for i, r in enumerate(ROWS)], head)
    new = write(tmp_path / "new.jsonl", [(str(i), r[1], r[3]) for i, r in enumerate(ROWS)], head)
    with pytest.raises(InputError, match=r'are numbers and those of .* are texts; 1 and "1" are not the same id'):
        read(old, new, id="id", truth="label").count()
    mixed = write(tmp_path / "mixed.jsonl", [(str(i) if i % 2 else i, r[1], r[3]) for i, r in enumerate(ROWS)], head)
    with pytest.raises(InputError, match="are texts and numbers"):
        read(mixed, new, id="id", truth="label").count()
    other = write(tmp_path / "new.csv", [(i, r[1], r[3]) for i, r in enumerate(ROWS)], head)
    with pytest.raises(InputError, match="different formats, so their ids cannot be compared"):
        read(old, other, id="id", truth="label").count()
    zeros = write(tmp_path / "zeros.csv", [(f"{i:04}", r[1], r[3]) for i, r in enumerate(ROWS)], head)
    with pytest.raises(InputError, match="no id in common"):
        read(other, zeros, id="id", truth="label").count()


def test_two_truths(tmp_path, pair):
    wrong = [(r[0], "x" if i == 3 else r[1], r[3], r[4]) for i, r in enumerate(ROWS)]
    wrong[3] = (ROWS[3][0], "y" if ROWS[3][1] == "x" else "x", ROWS[3][3], ROWS[3][4])
    new = write(tmp_path / f"wrong{pair[0].suffix}", wrong, ["id", "label", "answer", "doc"])
    with pytest.raises(InputError, match="disagree about the truth of 1 example, such as id 'q003'; are these runs"):
        read(pair[0], new, id="id", truth="label", prediction="answer").count()


def test_the_truth_may_be_in_one_table_alone(tmp_path):
    old = write(tmp_path / "old.csv", [(r[0], r[1], r[2]) for r in ROWS], ["id", "label", "answer"])
    new = write(tmp_path / "new.csv", [(r[0], r[3]) for r in ROWS], ["id", "answer"])
    assert read(old, new, id="id", truth="label").count() == expected()


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_repeats(tmp_path, suffix):
    head = ["id", "score"]
    draws = random.Random(3)
    old = [(r[0], draws.random()) for r in ROWS for _ in range(3)]
    new = [(r[0], draws.random()) for r in ROWS for _ in range(3)]
    paths = write(tmp_path / f"old{suffix}", old, head), write(tmp_path / f"new{suffix}", new, head)
    with pytest.raises(
        InputError, match=r"120 ids occur in more than one row of .*, such as 'q000'; if these are repeats"
    ):
        read(*paths, id="id").count()
    mean = read(*paths, id="id", repeats="mean").count()
    assert mean.n == 120
    wanted = {r[0]: sum(v for k, v in old if k == r[0]) / 3 for r in ROWS}
    assert sorted(mean["a"].tolist()) == pytest.approx(sorted(wanted.values()))
    assert "360 rows of old were averaged to 120 ids" in " ".join(mean.notes)
    again = write(tmp_path / f"again{suffix}", old, head, shuffle=99)
    assert read(again, paths[1], id="id", repeats="mean").count()["a"].tolist() == mean["a"].tolist()
    group = read(*paths, id="id", repeats="group").count()
    assert (group.n, len(set(group["group"].tolist()))) == (360, 120)
    assert referee.compare(group, metric="mean").units == 120


def test_texts_cannot_be_averaged(tmp_path):
    paths = [write(tmp_path / name, [("q", "x"), ("q", "y")], ["id", "answer"]) for name in ("old.csv", "new.csv")]
    with pytest.raises(InputError, match="averages numbers"):
        read(*paths, id="id", repeats="mean").count()


def test_missing_predictions(tmp_path):
    head = ["id", "label", "answer"]
    old = write(tmp_path / "old.jsonl", [(r[0], r[1], None if i < 4 else r[2]) for i, r in enumerate(ROWS)], head)
    new = write(tmp_path / "new.jsonl", [(r[0], r[1], r[3]) for r in ROWS], head)
    with pytest.raises(InputError, match="predictions are missing: 4 of old and 0 of new"):
        read(old, new, id="id", truth="label", prediction="answer").count()
    assert read(old, new, id="id", truth="label", prediction="answer", missing="drop").count().n == 116
    wrong = read(old, new, id="id", truth="label", prediction="answer", missing="wrong").count()
    assert wrong.n == 120
    gone = write(tmp_path / "gone.jsonl", [(None if i == 2 else r[0], r[1], r[2]) for i, r in enumerate(ROWS)], head)
    with pytest.raises(InputError, match="the id is missing in 1 row of"):
        read(gone, new, id="id", truth="label", prediction="answer").count()


def test_by_line_is_said_aloud(tmp_path):
    head = ["label", "answer"]
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    for path, place in ((old, 2), (new, 3)):
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([head, *((r[1], r[place]) for r in ROWS)])
    counts = read(old, new, truth="label", by_line=True).count()
    assert counts == expected()
    assert "old and new were paired by line" in counts.notes
    with pytest.raises(OptionError, match="paired by id: name its column"):
        read(old, new, truth="label")
    with pytest.raises(OptionError, match="leave out id or that"):
        read(old, new, id="label", by_line=True)
    short = tmp_path / "short.csv"
    short.write_text("\n".join(new.read_text().splitlines()[:-1]) + "\n")
    with pytest.raises(InputError, match=r"has 120 rows and .* 119; files that are paired by line"):
        read(old, short, truth="label", by_line=True).count()


def test_names_tell_two_runs_apart(tmp_path):
    (tmp_path / "monday").mkdir()
    (tmp_path / "tuesday").mkdir()
    head = ["id", "label", "answer"]
    old = write(tmp_path / "monday" / "run.csv", [(r[0], r[1], r[2]) for r in ROWS], head)
    new = write(tmp_path / "tuesday" / "run.csv", [(r[0], r[1], r[3]) for r in ROWS], head)
    counts = read(old, new, id="id", truth="label").count()
    assert (counts.name("a"), counts.name("b")) == ("monday", "tuesday")
    counts = read(old, new, id="id", truth="label", a="x", b="y").count()
    assert (counts.name("a"), counts.name("b")) == ("x", "y")


def test_odd_questions(tmp_path, pair):
    with pytest.raises(OptionError, match="two runs are compared"):
        read()
    with pytest.raises(OptionError, match="two runs are compared"):
        read(*pair, pair[0])
    with pytest.raises(OptionError, match="scorer has no meaning for a table"):
        read(*pair, id="id", scorer="exact")
    with pytest.raises(OptionError, match="repeats must be one of"):
        read(*pair, id="id", repeats="sum")
    with pytest.raises(OptionError, match="for a long table, name the system column with system="):
        read(pair[0], id="id")
    with pytest.raises(OptionError, match="system is for one long table"):
        read(*pair, id="id", system="doc")
    with pytest.raises(RefereeError, match="there is no file"):
        read(pair[0], tmp_path / "nothing.csv", id="id")
    with pytest.raises(RefereeError, match=r"did you mean 'answer'\?"):
        read(*pair, id="id", prediction="anwser", truth="label").count()
    empty = tmp_path / "empty.csv"
    empty.write_text("id,label,answer\n")
    with pytest.raises(InputError, match=r"empty.csv has no rows"):
        read(write(tmp_path / "full.csv", [("1", "x", "y")], ["id", "label", "answer"]), empty, id="id", truth="label").count()  # fmt: skip


def test_what_tells_examples_apart_is_no_prediction(tmp_path):
    for name in ("old", "new"):
        (tmp_path / f"{name}.csv").write_text("qid,row\nq1,1\nq2,2\n")
    with pytest.raises(
        OptionError, match=r"name the column of the predictions or scores with prediction=; .*left are: row"
    ):
        read(tmp_path / "old.csv", tmp_path / "new.csv", id="qid")
    chosen = read(tmp_path / "old.csv", tmp_path / "new.csv", id="qid", prediction="row")
    assert chosen.count().n == 2
