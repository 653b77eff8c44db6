"""Small made-up tables, logs and damaged files for the golden run: the same bytes whenever they are made."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd

LOGS = Path(__file__).resolve().parents[1] / "tests" / "samples"
SIGNS = np.array(["ham", "spam"])


def make(folder: Path) -> None:
    """Fill a folder with all that the commands read.

    Args:
        folder: an empty folder.
    """
    shutil.copytree(LOGS, folder / "logs")
    for table in (spam(), classes(), ranks(), numbers(), scores(), learning(), houses(), folds(), texts()):
        table.to_csv(folder / f"{table.attrs['name']}.csv", index=False)
    _kinds_of_file(folder, spam())
    _pairs(folder, spam())
    _counts(folder, spam())
    _bad(folder, spam())
    (folder / "own.py").write_text(OWN, encoding="utf-8")


OWN = '''"""A metric of one's own."""

import referee


@referee.metric(name="half-f1", bounds=(0, 1))
def half_f1(tp, fp, fn):
    """F1, halved."""
    return referee.share(tp, 2 * tp + fp + fn)


def printing(tp, fp, fn):
    """Not a metric yet: nobody decorated it."""
    return tp
'''


def spam() -> pd.DataFrame:
    """Return labels in groups, strata and slices, and texts."""
    rng = np.random.default_rng(1)
    n = 240
    truth = rng.integers(0, 2, n)
    sender = np.repeat(np.arange(n // 6), 6)
    hard = rng.random(n // 6)[sender] * 0.4
    answers = {
        name: np.where(rng.random(n) < hard + ease, 1 - truth, truth) for name, ease in (("old", 0.1), ("new", 0))
    }
    table = pd.DataFrame(
        {
            "id": [f"m{i:03d}" for i in range(n)],
            "sender": [f"sender-{i:02d}" for i in sender],
            "site": np.array(["north", "south", "west"])[sender % 3],
            "kind": np.array(["short", "long"])[rng.integers(0, 2, n)],
            "label": SIGNS[truth],
            **{name: SIGNS[given] for name, given in answers.items()},
            "words": [f"message {i} of sender {sender[i]}" for i in range(n)],
        }
    )
    return _named(table, "spam")


def classes() -> pd.DataFrame:
    """Return five classes, one of which nobody answers and one that is never right."""
    rng = np.random.default_rng(2)
    n = 200
    names = np.array(["ant", "bee", "cat", "dog", "elk"])
    truth = rng.choice(5, n, p=[0.4, 0.3, 0.2, 0.07, 0.03])
    given = [np.where(rng.random(n) < miss, rng.integers(0, 4, n), truth) for miss in (0.4, 0.3)]
    table = pd.DataFrame({"y": names[truth], "old": names[given[0]], "new": names[given[1]], "page": np.arange(n) // 4})
    return _named(table, "classes")


def ranks() -> pd.DataFrame:
    """Return scores of a yes: ties, groups, strata."""
    rng = np.random.default_rng(3)
    n = 160
    truth = (rng.random(n) < 0.35).astype(int)
    noise = rng.normal(0, 1, n)
    columns = {
        name: np.round(truth * gain + noise * 0.6 + rng.normal(0, 0.8, n), 2)
        for name, gain in (("old", 0.8), ("new", 1.3))
    }
    table = pd.DataFrame({"y": truth, **columns, "user": np.arange(n) // 4, "site": np.arange(n) % 2})
    return _named(table, "ranks")


def numbers() -> pd.DataFrame:
    """Return numbers that two systems predict."""
    rng = np.random.default_rng(4)
    n = 120
    truth = rng.normal(10, 3, n)
    columns = {name: np.round(truth + rng.normal(0, spread, n), 3) for name, spread in (("old", 1.2), ("new", 1.0))}
    return _named(pd.DataFrame({"y": np.round(truth, 3), **columns, "plot": np.arange(n) // 3}), "numbers")


def scores() -> pd.DataFrame:
    """Return scores of 0/1, of quarters, without bounds, and skewed costs."""
    rng = np.random.default_rng(5)
    n = 150
    ease = rng.random(n)
    made: dict[str, object] = {"id": np.arange(n), "doc": np.arange(n) // 5, "kind": np.arange(n) % 3}
    for name, gain in (("old", 0.0), ("new", 0.08)):
        made[f"{name}01"] = (rng.random(n) < ease * 0.7 + 0.15 + gain).astype(int)
        made[f"{name}4"] = np.round(np.clip(ease + gain + rng.normal(0, 0.2, n), 0, 1) * 4) / 4
        made[f"{name}x"] = np.round(20 * ease + 10 * gain + rng.normal(0, 2, n), 3)
        made[f"{name}cost"] = np.round(np.exp(rng.normal(0, 1, n) + ease - gain), 4)
    return _named(pd.DataFrame(made), "scores")


def learning() -> pd.DataFrame:
    """Return something to learn two classes from."""
    rng = np.random.default_rng(6)
    n = 90
    label = np.arange(n) % 2
    table = pd.DataFrame(
        {
            "x": np.round(rng.normal(1.2 * label, 1), 4),
            "z": np.round(rng.normal(0.5 * label, 1), 4),
            "site": np.where(np.arange(n) % 3, "north", "south"),
            "person": [f"p{i // 3}" for i in range(n)],
            "label": np.array(["no", "yes"])[label],
        }
    )
    return _named(table, "learn")


def houses() -> pd.DataFrame:
    """Return something to learn a number from."""
    rng = np.random.default_rng(7)
    x = rng.normal(0, 1, (80, 2))
    price = 3 * x[:, 0] - x[:, 1] + rng.normal(0, 1, 80)
    return _named(pd.DataFrame({"rooms": x[:, 0].round(4), "age": x[:, 1].round(4), "price": price.round(4)}), "houses")


def folds() -> pd.DataFrame:
    """Return fold scores of three algorithms, ten splits."""
    rng = np.random.default_rng(8)
    base = 0.8 + rng.normal(0, 0.02, 10)
    columns = {
        name: np.round(base + gain + rng.normal(0, 0.01, 10), 4)
        for name, gain in (("svm", 0), ("tree", 0.03), ("net", 0.01))
    }
    return _named(pd.DataFrame({**columns, "n_train": 90, "n_test": 10}), "folds")


def texts() -> pd.DataFrame:
    """Return short texts with one or two topics each."""
    rng = np.random.default_rng(9)
    words = {
        "sport": "ball goal team score match",
        "food": "bread soup cheese plate cook",
        "sea": "ship wave sail port deck",
    }
    noise = ["the", "day", "was", "long", "and", "people", "came", "early", "to", "see", "it", "all", "again"]
    rows = []
    for i in range(200):
        topics = rng.choice(list(words), rng.integers(1, 3), replace=False)
        said = [rng.choice(words[topic].split()) for topic in topics for _ in range(2)] + list(rng.choice(noise, 6))
        rows.append({"text": " ".join([*said, f"n{i}"]), "topics": " ".join(topics)})
    return _named(pd.DataFrame(rows), "texts")


def _named(table: pd.DataFrame, name: str) -> pd.DataFrame:
    table.attrs["name"] = name
    return table


def _kinds_of_file(folder: Path, table: pd.DataFrame) -> None:
    """Write one table in every kind of file, and in parts."""
    text = table.to_csv(index=False)
    lines = table.to_json(orient="records", lines=True)
    (folder / "kinds").mkdir()
    table.to_csv(folder / "kinds/t.tsv", sep="\t", index=False)
    table.to_csv(folder / "kinds/semicolons.csv", sep=";", index=False)
    (folder / "kinds/bom.csv").write_text(text, encoding="utf-8-sig")
    (folder / "kinds/t.jsonl").write_text(lines, encoding="utf-8")
    (folder / "kinds/t.json").write_text(table.to_json(orient="records"), encoding="utf-8")
    (folder / "kinds/t.csv.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    (folder / "kinds/t.jsonl.gz").write_bytes(gzip.compress(lines.encode(), mtime=0))
    plain = table.copy()
    plain.attrs = {}
    plain.to_parquet(folder / "kinds/t.parquet")
    plain.to_feather(folder / "kinds/t.feather")
    (folder / "parts").mkdir()
    for i in range(3):
        table[i * 80 : (i + 1) * 80].to_csv(folder / f"parts/part-{i}.csv", index=False)


def _pairs(folder: Path, table: pd.DataFrame) -> None:
    """Write a table for each system, shuffled, short and repeated ones too, and one long table."""
    rest = table[["id", "sender", "label"]]
    old, new = (rest.assign(answer=table[name]) for name in ("old", "new"))
    old.to_csv(folder / "old.csv", index=False)
    new.to_csv(folder / "same-order.csv", index=False)
    new.sample(frac=1, random_state=0).to_csv(folder / "new.csv", index=False)
    new[:-7].to_csv(folder / "short.csv", index=False)
    pd.concat([new, new[:30]]).to_csv(folder / "repeated.csv", index=False)
    pd.concat([old, old[:30]]).to_csv(folder / "repeated-old.csv", index=False)
    pd.concat([old.assign(model="gpt"), new.assign(model="elm")]).to_csv(folder / "long.csv", index=False)
    score = pd.DataFrame(
        {"id": np.arange(60) % 40, "old": np.arange(60) * 7 % 11 / 10, "new": np.arange(60) * 5 % 13 / 12}
    )
    score.to_csv(folder / "repeats.csv", index=False)
    gaps = table.copy()
    gaps.loc[[3, 50], "new"] = None
    gaps.loc[[9], "old"] = None
    gaps.to_csv(folder / "gaps.csv", index=False)


def _counts(folder: Path, table: pd.DataFrame) -> None:
    """Write counts files by the documented contract."""
    for name, part in (("monday", table[:120]), ("tuesday", table[120:])):
        counted = part.groupby(["label", "old", "new"]).size()
        content = {
            "schema": "referee.counts/1",
            "columns": ["truth", "a", "b"],
            "names": {"a": "old", "b": "new"},
            "positive": "spam",
            "rows": [list(row) for row in counted.index],
            "multiplicities": [int(times) for times in counted],
        }
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    whole = table.groupby(["label", "old", "new"]).size().rename("times").reset_index()
    whole.to_csv(folder / "counted.csv", index=False)


def _bad(folder: Path, table: pd.DataFrame) -> None:
    """Write what nobody should be given a number for."""
    bad = folder / "bad"
    bad.mkdir()
    rows = {
        "empty": "",
        "blank": "\n\n",
        "header": "label,old,new\n",
        "ragged": "label,old,new\n1,1,1\n1,0\n1,0,1,1\n",
        "twice": "label,old,old\n1,1,1\n0,0,1\n",
        "one-class": "label,old,new\n" + "yes,yes,yes\n" * 20,
        "only-yes": "label,old,new\n" + "1,1,1\n1,0,1\n1,1,0\n" * 8,
        "equal": "label,old,new\n" + "1,1,1\n0,1,1\n0,0,0\n" * 8,
        "one-row": "label,old,new\n1,1,0\n",
        "nan": "old,new\n" + "0.5,0.6\nnan,0.2\n0.1,0.3\n" * 4,
        "infinite": "old,new\n" + "0.5,0.6\n0.1,inf\n" * 4,
        "text-scores": "old,new\n" + "0.5,0.6\nhigh,0.2\n" * 4,
        "blanks": "label,old,new\n" + "yes,yes, yes\nno,Yes,no\n" * 10,
        "truthless": "label,old,new\n" + "1,1,1\n,0,1\n0,0,0\n" * 5,
        "singles": "g,label,old,new\n" + "".join(f"g{i},{i % 2},{i % 3 % 2},{i % 2}\n" for i in range(40)),
        "one-group": "g,label,old,new\n" + "".join(f"g,{i % 2},{i % 3 % 2},{i % 2}\n" for i in range(40)),
    }
    for name, text in rows.items():
        (bad / f"{name}.csv").write_text(text, encoding="utf-8")
    mixed = [{"y": [1, "1"][i % 2], "a": 1, "b": [1, "1"][i % 3 % 2]} for i in range(20)]
    (bad / "mixed.jsonl").write_text("".join(json.dumps(row) + "\n" for row in mixed), encoding="utf-8")
    (bad / "utf16.csv").write_bytes(table.to_csv(index=False).encode("utf-16"))
    (bad / "cut.parquet").write_bytes((folder / "kinds/t.parquet").read_bytes()[:-100])
    (bad / "cut.csv.gz").write_bytes((folder / "kinds/t.csv.gz").read_bytes()[:-100])
    (bad / "cut.json").write_bytes((folder / "monday.json").read_bytes()[:-60])
    log = next((folder / "logs/inspect").glob("*small.eval"))
    (bad / "cut.eval").write_bytes(log.read_bytes()[:-500])
    counts = json.loads((folder / "monday.json").read_text(encoding="utf-8"))
    (bad / "misspelt.json").write_text(json.dumps({**counts, "postive": "spam"}), encoding="utf-8")
    (bad / "negative.json").write_text(
        json.dumps({**counts, "multiplicities": [-1] * len(counts["rows"])}), encoding="utf-8"
    )
    (bad / "future.json").write_text(json.dumps({**counts, "schema": "referee.counts/9"}), encoding="utf-8")
