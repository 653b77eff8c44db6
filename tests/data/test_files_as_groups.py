"""The file of a row as a column, such as one file per training seed."""

import json
import random

import pytest

import referee
from referee.errors import InputError, NameUnknown

SEEDS = (1, 2, 11)


def rows(model):
    draw = random.Random(model)
    return [
        {"question": f"q{question}", "seed": str(seed), "correct": int(draw.random() < 0.5 + 0.1 * (model == "new"))}
        for seed in SEEDS
        for question in range(20)
    ]


def write(folder, model, kind):
    for seed in SEEDS:
        own = [
            {"question": row["question"], "correct": row["correct"]} for row in rows(model) if row["seed"] == str(seed)
        ]
        path = folder / f"{model}_s{seed}.{kind}"
        if kind == "jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in own))
        elif kind == "csv":
            path.write_text("question,correct\n" + "".join(f"{row['question']},{row['correct']}\n" for row in own))
        else:
            import pandas as pd

            pd.DataFrame(own).to_parquet(path)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_one_file_per_seed_is_crossed_with_the_questions(tmp_path, kind):
    for model in ("old", "new"):
        write(tmp_path, model, kind)
    read = referee.read(
        tmp_path / f"old_s*.{kind}", tmp_path / f"new_s*.{kind}", group=["question", "file"], prediction="correct"
    )
    r = referee.compare(read, audit=False)
    old, new = rows("old"), rows("new")
    one = {"question": [row["question"] for row in old], "seed": [row["seed"] for row in old],
           "old": [row["correct"] for row in old], "new": [row["correct"] for row in new]}  # fmt: skip
    table = referee.compare(one, a="old", b="new", group=["question", "seed"], audit=False)
    assert (r.test, r.n, r.difference, r.interval.low) == (table.test, 60, table.difference, table.interval.low)


def test_repeats_in_files_are_told_to_be_seeds(tmp_path):
    for model in ("old", "new"):
        write(tmp_path, model, "csv")
    both = tmp_path / "old_s*.csv", tmp_path / "new_s*.csv"
    with pytest.raises(
        InputError, match="if each file is a training with another seed, give group='question' group='file'"
    ):
        referee.compare(referee.read(*both, id="question", prediction="correct"), audit=False)
    (tmp_path / "new_s11.csv").unlink()
    with pytest.raises(InputError, match="20 ids are only in"):
        referee.compare(referee.read(*both, group=["question", "file"], prediction="correct"), audit=False)
    single = tmp_path / "old_s1.csv", tmp_path / "new_s1.csv"
    with pytest.raises(NameUnknown, match="there is no column 'file'"):
        referee.read(*single, group=["question", "file"], prediction="correct")


def test_a_column_that_is_called_file_is_that_column(tmp_path):
    for model in ("old", "new"):
        for part in (1, 2):
            lines = [f"q{i},{'xy'[i % 2]},{i % 3 % 2}\n" for i in range(20 * part - 20, 20 * part)]
            (tmp_path / f"{model}{part}.csv").write_text("id,file,correct\n" + "".join(lines))
    read = referee.read(tmp_path / "old*.csv", tmp_path / "new*.csv", id="id", group="file", prediction="correct")
    assert set(read.count()["group"].tolist()) == {"x", "y"}
