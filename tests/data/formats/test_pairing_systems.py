"""Any number of runs: files and folders, one log with several systems, a long table; any two are the pair that read() makes."""

from __future__ import annotations

import csv
import itertools
import json
import random
import shutil
from pathlib import Path

import pytest

from referee.data.formats.pairing import read, read_systems
from referee.data.formats.plain_tables import tell_apart
from referee.errors import CallError, InputError, NameUnknown, OptionError, RefereeError

DATA = Path(__file__).parents[2] / "samples"
RANDOM = random.Random(8)
IDS = [f"q{i:03}" for i in range(60)]
TRUTH = {one: RANDOM.choice("xy") for one in IDS}
NAMES = ("first", "second", "third", "fourth")
ANSWERS = {name: {one: RANDOM.choice("xyz") for one in IDS} for name in NAMES}
DOCUMENTS = {one: f"d{place % 7}" for place, one in enumerate(IDS)}
HEAD = ["id", "label", "doc", "answer"]


def rows_of(name, ids=IDS):
    return [(one, TRUTH[one], DOCUMENTS[one], ANSWERS[name][one]) for one in ids]


def write(path, rows, head=HEAD):
    rows = random.Random(str(path.name)).sample(list(rows), len(rows))
    path.parent.mkdir(exist_ok=True, parents=True)
    if path.suffix == ".csv":
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([head, *rows])
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(dict(zip(head, row, strict=True))) + "\n" for row in rows))
    else:
        import polars as pl

        pl.DataFrame(rows, schema=head, orient="row").write_parquet(path)
    return path


def tables(folder, suffix=".csv", names=NAMES):
    return [write(folder / f"{name}{suffix}", rows_of(name)) for name in names]


def same_pair(many, first, second, pair):
    """Say whether two of many systems are what the join of these two is."""
    roles = {many.name(role): role for role in many.systems}
    return many.pair(roles[first], roles[second]) == pair


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_any_two_of_many_tables_are_the_pair(tmp_path, suffix):
    paths = dict(zip(NAMES, tables(tmp_path, suffix), strict=True))
    asked = {"id": "id", "truth": "label", "group": "doc", "prediction": "answer"}
    counts = read_systems(*paths.values(), **asked)
    assert (counts.n, counts.systems) == (60, ("system 1", "system 2", "system 3", "system 4"))
    assert tuple(counts.names.values()) == NAMES
    assert counts.about == read(*tables(tmp_path, suffix)[:2], **asked).count().about
    for first, second in itertools.permutations(NAMES, 2):
        assert same_pair(counts, first, second, read(paths[first], paths[second], **asked).count())


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_any_two_of_a_long_table_are_the_pair(tmp_path, suffix):
    rows = [(*row, name) for name in NAMES for row in rows_of(name)]
    path = write(tmp_path / f"long{suffix}", rows, [*HEAD, "who"])
    asked = {"id": "id", "truth": "label", "group": "doc", "system": "who"}
    told = []
    counts = read_systems(path, **asked, tell=told.append)
    assert told == ["'answer' holds the predictions: it is the only column left"]
    assert set(counts.names.values()) == set(NAMES)
    for first, second in itertools.permutations(NAMES, 2):
        assert same_pair(counts, first, second, read(path, **asked, a=first, b=second).count())
    some = read_systems(path, **asked, systems=["third", "first", "fourth"])
    assert tuple(some.names.values()) == ("third", "first", "fourth")
    assert same_pair(
        some,
        "first",
        "third",
        counts.pair(*(r for n in ("first", "third") for r in counts.systems if counts.name(r) == n)),
    )
    first, *others = read_systems(path, **asked, systems="second, f*").names.values()
    assert (first, set(others)) == ("second", {"first", "fourth"})


def test_two_are_a_and_b(tmp_path):
    paths = tables(tmp_path, names=NAMES[:2])
    asked = {"id": "id", "truth": "label", "prediction": "answer"}
    assert read_systems(*paths, **asked) == read(*paths, **asked).count()
    long = write(tmp_path / "long.csv", [(*row, name) for name in NAMES for row in rows_of(name)], [*HEAD, "who"])
    two = read_systems(long, **asked, system="who", systems="second,first")
    assert two == read(long, **asked, system="who", a="second", b="first").count()


def test_a_long_table_is_read_once(tmp_path, monkeypatch):
    from referee.data.engines import long_tables

    path = write(tmp_path / "long.csv", [(*row, name) for name in NAMES for row in rows_of(name)], [*HEAD, "who"])
    scans = []
    scan = long_tables.scan
    monkeypatch.setattr(long_tables, "scan", lambda *given: scans.append(given[1]) or scan(*given))
    read_systems(path, id="id", truth="label", prediction="answer", system="who")
    assert scans == [[path]]
    read(path, id="id", truth="label", prediction="answer", system="who", a="first", b="third").count()
    assert scans == [[path]] * 2


def test_more_tables_than_are_joined_at_once(tmp_path):
    rng = random.Random(2)
    names = [f"m{place:02}" for place in range(30)]
    ids = [f"q{place}" for place in range(40)]
    marks = {name: {one: rng.randint(0, 1) for one in ids} for name in names}
    own = {name: rng.sample(ids, 39) for name in names}
    for name in names:
        write(tmp_path / f"{name}.csv", [(one, marks[name][one]) for one in own[name]], ["id", "score"])
    paths = sorted(tmp_path.glob("*.csv"))
    counts = read_systems(*paths, id="id", unmatched="drop")
    left = [one for one in ids if all(one in own[name] for name in names)]
    assert counts.n == len(left) < 40
    assert counts.systems == tuple(f"system {place}" for place in range(1, 31))
    expected = sorted(tuple(marks[name][one] for name in names) for one in left)
    found = zip(*(counts[role].tolist() for role in counts.systems), strict=True)
    assert (
        sorted(itertools.chain(*([row] * int(m) for row, m in zip(found, counts.multiplicities, strict=True))))
        == expected
    )
    note = f"{40 - len(left)} examples that not every system has were left out (unmatched='drop')"
    assert note in counts.notes


# Logs: a third run of each format is one of the two that are there, with some of its marks turned.


def turned_lm_eval(folder):
    (file,) = (DATA / "lm-eval/acme__large").iterdir()
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    for row in rows:
        if row["doc_id"] % 2:
            row["exact_match"] = 1 - row["exact_match"]
    (folder / "acme__third").mkdir()
    (folder / "acme__third" / file.name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder / "acme__third"


def turned_inspect(folder):
    log = json.loads(next((DATA / "inspect").glob("*large.json")).read_text())
    log["eval"]["model"] = "acme/third"
    for sample in log["samples"][::3]:
        for score in sample["scores"].values():
            score["value"] = "I"
    (folder / "third.json").write_text(json.dumps(log))
    return folder / "third.json"


def turned_trec(folder):
    (folder / "third.txt").write_text((DATA / "trec/new.txt").read_text().replace("0.2544", "0.8"))
    return folder / "third.txt"


def turned_conll(folder):
    lines = (DATA / "conll/new.conll").read_text().splitlines()
    (folder / "third.conll").write_text("\n".join(line.rpartition(" ")[0] + " O" if line.strip() and place < 9 and not line.startswith("-DOC") else line for place, line in enumerate(lines)) + "\n")  # fmt: skip
    return folder / "third.conll"


def turned_helm(folder):
    text = (DATA / "helm/new/per_instance_stats.json").read_text()
    (folder / "third").mkdir()
    (folder / "third/per_instance_stats.json").write_text(text.replace('"mean": 1.0', '"mean": 0.0', 3))
    return folder / "third"


def turned_numbers(folder):
    lines = (DATA / "numbers/new.txt").read_text().splitlines()
    (folder / "third.txt").write_text("\n".join(lines[::-1]) + "\n")
    return folder / "third.txt"


def turned_swe_bench(folder):
    ids = (DATA / "swe-bench/ids.txt").read_text().split()
    report = json.loads((DATA / "swe-bench/new.json").read_text())
    key = next(key for key, value in report.items() if key.startswith("resolved") and isinstance(value, list))
    (folder / "third.json").write_text(json.dumps({**report, key: ids[::2]}))
    return folder / "third.json"


LOGS = {
    "lm-eval": ("lm-eval/acme__small", "lm-eval/acme__large", turned_lm_eval, {"filter": "strict-match"}),
    "inspect": ("inspect/*small.eval", "inspect/*large.eval", turned_inspect, {"scorer": "match", "missing": "wrong"}),
    "inspect in groups": ("inspect/*small.eval", "inspect/*large.eval", turned_inspect, {"scorer": "match", "missing": "wrong", "repeats": "group"}),
    "trec": ("trec/old.txt", "trec/new.txt", turned_trec, {"score": "map"}),
    "conll": ("conll/old.conll", "conll/new.conll", turned_conll, {}),
    "conll responses": ("conll/old.conll", "conll/new.conll", turned_conll, {"unit": "response"}),
    "helm": ("helm/old", "helm/new", turned_helm, {"score": "exact_match"}),
    "numbers": ("numbers/old.txt", "numbers/new.txt", turned_numbers, {"missing": "wrong"}),
    "swe-bench": ("swe-bench/old.json", "swe-bench/new.json", turned_swe_bench, {"universe": str(DATA / "swe-bench/ids.txt")}),
}  # fmt: skip


@pytest.mark.parametrize("name", LOGS)
def test_any_two_of_three_logs_are_the_pair(name, tmp_path):
    old, new, third, asked = LOGS[name]
    paths = [*(next(DATA.glob(one)) for one in (old, new)), third(tmp_path)]
    told = []
    counts = read_systems(*paths, **asked, tell=told.append)
    assert len(counts.systems) == 3
    assert len({*counts.names.values()}) == 3
    assert any("was read as" in one for one in told)
    assert any(one.startswith("the systems are ") for one in told)
    for first, second in itertools.combinations(range(3), 2):
        pair = read(paths[first], paths[second], **asked).count()
        both = counts.pair(counts.systems[first], counts.systems[second])
        if counts.open:  # what neither of the two found, and is not there, only the third has
            both = both.where(both["truth"] | both["a"] | both["b"])
        assert both == pair
        # Of two systems alone it may be known of how many runs their scores are the means.
        assert counts.about == {name: made for name, made in pair.about.items() if name != "runs" or counts.runs}
        assert both.open == pair.open


def test_one_log_with_several_systems(tmp_path):
    counts = read_systems(DATA / "promptfoo/both.json", missing="drop")
    assert counts == read(DATA / "promptfoo/both.json", missing="drop").count()
    lines = (DATA / "conll/both.conll").read_text().splitlines()
    wide = tmp_path / "three.conll"
    wide.write_text("\n".join(f"{line} O" if line.strip() and not line.startswith("-DOC") else line for line in lines))
    three = read_systems(wide)
    assert list(three.names.values()) == ["column 3", "column 4", "column 5"]
    some = read_systems(wide, systems=["column 5", "column 3"])
    assert some == read(wide, a="column 5", b="column 3").count()


def test_a_folder_of_logs_is_as_many_systems(tmp_path):
    paths = [*(next((DATA / "inspect").glob(f"*{size}.eval")) for size in ("small", "large")), turned_inspect(tmp_path)]
    (tmp_path / "logs").mkdir()
    for path in paths:
        shutil.copy(path, tmp_path / "logs")
    asked = {"scorer": "match", "missing": "wrong"}
    counts = read_systems(tmp_path / "logs", **asked)
    assert set(counts.names.values()) == {"acme/small", "acme/large", "acme/third"}
    named = read_systems(tmp_path / "logs", **asked, systems=["acme/third", "acme/small"])
    assert named == read(tmp_path / "logs", **asked, a="acme/third", b="acme/small").count()
    assert list(read_systems(*paths, **asked, systems="x,y,z").names.values()) == ["x", "y", "z"]
    with pytest.raises(NameUnknown, match=r"there is no system 'acme/thrid' \(did you mean 'acme/third'") as error:
        read_systems(*paths, **asked, systems="acme/thrid,acme/small")
    assert error.value.argument == "systems"


def test_names_of_files_are_told_apart(tmp_path):
    paths = [write(tmp_path / day / "run.csv", rows_of(name)) for day, name in zip("abc", NAMES, strict=False)]
    asked = {"id": "id", "truth": "label", "prediction": "answer"}
    assert list(read_systems(*paths, **asked).names.values()) == ["a", "b", "c"]
    assert list(read_systems(*paths, **asked, systems=["x", "y", "z"]).names.values()) == ["x", "y", "z"]


def test_a_version_is_part_of_a_name(tmp_path):
    named = ["v1.5", "v1.15", "v2"]
    paths = [write(tmp_path / f"{name}.csv", rows_of(own)) for name, own in zip(named, NAMES, strict=False)]
    assert list(read_systems(*paths, id="id", truth="label", prediction="answer").names.values()) == named


@pytest.mark.parametrize(
    ("names", "paths", "called"),
    [
        (["old", "new", "newer"], ["a/old.csv", "b/new.csv", "c/newer.csv"], ("old", "new", "newer")),
        (["run", "run"], ["mon/run.csv", "tue/run.csv"], ("mon", "tue")),
        (["run", "run", "best"], ["mon/run.csv", "tue/run.csv", "best.csv"], ("mon", "tue", "best")),
        (["m", "m", "m"], ["a/s1/m.csv", "a/s2/m.csv", "b/s1/m.csv"], ("a/s1", "a/s2", "b/s1")),
        (["m", "m"], ["run.csv", "run.tsv"], ("m (A)", "m (B)")),
        (["m", "m", "m"], ["log.json"] * 3, ("m (1)", "m (2)", "m (3)")),
    ],
)
def test_what_systems_are_called(names, paths, called):
    assert tell_apart(names, list(map(Path, paths))) == called


# What does not fit is one clear line.


def test_one_system_is_not_ranked(tmp_path):
    paths = tables(tmp_path)
    asked = {"id": "id", "truth": "label", "prediction": "answer"}
    with pytest.raises(OptionError, match="one table with a column per system is read by rank; for a long table, name"):
        read_systems(paths[0], **asked)
    with pytest.raises(OptionError, match="there is nothing to read"):
        read_systems()
    with pytest.raises(InputError, match="has one system, old; give the runs of the others too"):
        read_systems(DATA / "trec/old.txt", score="map")
    long = write(tmp_path / "long.csv", [(*row, name) for name in NAMES for row in rows_of(name)], [*HEAD, "who"])
    alone = write(tmp_path / "alone.csv", [(*row, "first") for row in rows_of("first")], [*HEAD, "who"])
    with pytest.raises(InputError, match=r"the column 'who' of .*alone.csv has one system, first; a ranking needs two"):
        read_systems(alone, **asked, system="who")
    with pytest.raises(InputError, match="one system was named, first; a ranking needs two or more"):
        read_systems(long, **asked, system="who", systems="first")
    with pytest.raises(InputError, match=r"one system was named, column 3; name two or more"):
        read_systems(DATA / "conll/both.conll", systems=["column 3"])
    with pytest.raises(
        OptionError, match=r"eval_results_table.json is one table with a column per system; give one per"
    ):
        read_systems(DATA / "columns/eval_results_table.json", truth="targets")


def test_two_systems_of_one_name(tmp_path):
    paths = tables(tmp_path)
    asked = {"id": "id", "truth": "label", "prediction": "answer"}
    with pytest.raises(OptionError, match="two systems are called 'x'; name each system once, with systems=") as error:
        read_systems(*paths, **asked, systems=["x", "x", "y", "z"])
    assert (error.value.argument, error.value.value) == ("systems", "x")
    with pytest.raises(OptionError, match="two systems are called 'first'"):
        read_systems(*paths[1:], **asked, systems="first,first,third")
    rows = [(*row, who) for who, name in ((1, "first"), ("1", "second"), ("2", "third")) for row in rows_of(name)]
    mixed = write(tmp_path / "mixed.jsonl", rows, [*HEAD, "who"])
    with pytest.raises(InputError, match=r'has two systems called 1: (1 and "1"|"1" and 1); rename one'):
        read_systems(mixed, **asked, system="who")
    with pytest.raises(OptionError, match="2 systems were named for 4 tables; give each table a name, or none"):
        read_systems(*paths, **asked, systems="x,y")


def test_a_system_that_lacks_examples(tmp_path):
    paths = tables(tmp_path)
    asked = {"id": "id", "truth": "label", "prediction": "answer"}
    write(paths[1], rows_of("second", IDS[:-1]))
    write(paths[3], rows_of("fourth", IDS[5:]))
    lacks = r"not every system has every example: .*second.csv lacks 1 id \('q059'\) and .*fourth.csv lacks 5 ids \('q000', 'q001', 'q002', \.\.\.\)"
    with pytest.raises(InputError, match=f"{lacks}; unmatched='drop' leaves such examples out") as error:
        read_systems(*paths, **asked)
    assert error.value.argument == "unmatched"
    counts = read_systems(*paths, **asked, unmatched="drop")
    assert counts.n == counts.matched.both == 54
    assert counts.about["unmatched"] == "drop"
    assert "6 examples that not every system has were left out (unmatched='drop')" in counts.notes
    write(paths[3], rows_of("fourth", IDS[:-1]))
    counts = read_systems(*paths, **asked, unmatched="drop")
    assert "1 example that not every system has was left out (unmatched='drop')" in counts.notes


def test_ids_that_are_not_the_same(tmp_path):
    paths = tables(tmp_path)
    asked = {"id": "id", "truth": "label", "prediction": "answer"}
    write(paths[2], [(one.upper(), *rest) for one, *rest in rows_of("third")])
    with pytest.raises(
        InputError, match=r"first.csv and .*third.csv have no id in common; their ids look like 'q000' and 'Q000'"
    ):
        read_systems(*paths, **asked)
    for path, part in zip(paths, ((0, 1), (1, 2), (2, 0)), strict=False):
        write(path, rows_of("first", [one for place in part for one in IDS[20 * place : 20 * place + 20]]))
    with pytest.raises(InputError, match=r"no id is in all 3 systems: .*first.csv lacks 20 ids"):
        read_systems(*paths[:3], **asked)
    write(paths[0], [("café", *row[1:]) for row in rows_of("first", IDS[:1])] + rows_of("first"))
    write(paths[1], rows_of("second"))
    write(paths[2], [("cafe\u0301", *row[1:]) for row in rows_of("third", IDS[:1])] + rows_of("third"))
    with pytest.raises(
        InputError, match="1 of them look the same as ids of first, but are written with different char"
    ):
        read_systems(*paths[:3], **asked)
    counts = read_systems(*paths[:3], **asked, unmatched="drop")
    assert counts.n == 60
    assert "2 examples that not every system has were left out (unmatched='drop'); 1 of them look" in " ".join(
        counts.notes
    )


def test_missing_predictions(tmp_path):
    names = NAMES[:3]
    paths = [tmp_path / f"{name}.jsonl" for name in names]
    for path, name, gone in zip(paths, names, (0, 2, 3), strict=True):
        write(path, [(*row[:3], None if place < gone else row[3]) for place, row in enumerate(rows_of(name))])
    asked = {"id": "id", "truth": "label", "prediction": "answer"}
    with pytest.raises(InputError, match="predictions are missing: 2 of second and 3 of third; use missing='wrong' to"):
        read_systems(*paths, **asked)
    assert read_systems(*paths, **asked, missing="drop").n == 57
    wrong = read_systems(*paths, **asked, missing="wrong")
    assert (wrong.n, wrong.about["missing"]) == (60, "wrong")
    assert any("2 missing predictions of second and 3 of third were counted as wrong" in note for note in wrong.notes)


def test_runs_that_contradict_each_other(tmp_path):
    paths = tables(tmp_path)
    asked = {"id": "id", "truth": "label", "prediction": "answer"}
    for column, what in ((1, "truth"), (2, "group")):
        rows = [list(row) for row in rows_of("fourth")]
        rows[3][column] = "other"
        rows[4][column] = "other"
        write(paths[3], rows)
        with pytest.raises(
            InputError, match=f"first and fourth disagree about the {what} of 2 examples, such as id 'q003'; are"
        ):
            read_systems(*paths, **asked, group="doc")
    write(paths[0], [(one, "", doc, said) for one, _, doc, said in rows_of("first")])
    write(
        paths[3], [(one, "other" if one == "q007" else right, doc, said) for one, right, doc, said in rows_of("fourth")]
    )
    with pytest.raises(InputError, match="second and fourth disagree about the truth of 1 example, such as id 'q007'"):
        read_systems(*paths, **asked)


def test_runs_on_other_data(tmp_path):
    (file,) = (DATA / "lm-eval/acme__large").iterdir()
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    other = turned_lm_eval(tmp_path)
    (tmp_path / "odd.jsonl").write_text("".join(json.dumps({**row, "doc_hash": "0" * 64}) + "\n" for row in rows))
    with pytest.raises(InputError, match="acme__small and odd disagree about what was asked"):
        read_systems(DATA / "lm-eval/acme__small", other, tmp_path / "odd.jsonl", filter="strict-match")
    texts = tmp_path / "other.conll"
    texts.write_text((DATA / "conll/new.conll").read_text().replace("Turku", "Oulu"))
    with pytest.raises(InputError, match=r"the right answers in old and other are not the same; are these runs"):
        read_systems(DATA / "conll/old.conll", DATA / "conll/new.conll", texts)


def test_kinds_are_not_mixed(tmp_path):
    paths = tables(tmp_path)
    with pytest.raises(
        InputError, match=r"old.txt is trec_eval and .*new.txt is numbers by line; give runs of one kind"
    ):
        read_systems(DATA / "trec/old.txt", DATA / "trec/new.txt", DATA / "numbers/new.txt", score="map")
    other = write(tmp_path / "other.jsonl", rows_of("third"))
    with pytest.raises(InputError, match=r"first.csv and .*other.jsonl have different formats"):
        read_systems(*paths[:2], other, id="id", truth="label", prediction="answer")
    numbers = [
        write(tmp_path / f"{name}.parquet", [(i, *row[1:]) for i, row in enumerate(rows_of(name))])
        for name in NAMES[:2]
    ]
    text = write(tmp_path / "text.parquet", rows_of("third"))
    with pytest.raises(
        InputError, match=r"the ids of .*first.parquet are numbers and those of .*text.parquet are texts"
    ):
        read_systems(*numbers, text, id="id", truth="label", prediction="answer")
    for place, right in enumerate((1, 2.0, "x")):
        write(tmp_path / f"t{place}.parquet", [(one, right, "d", "x") for one in IDS])
    stored = r"the truth is stored as whole numbers in .*t0.parquet and as text in .*t2.parquet"
    with pytest.raises(InputError, match=stored):
        read_systems(
            *(tmp_path / f"t{place}.parquet" for place in range(3)), id="id", truth="label", prediction="answer"
        )


def test_the_same_file_twice(tmp_path):
    paths = tables(tmp_path)
    with pytest.raises(
        InputError, match=r"first.csv is given twice; a run is not ranked against itself: name each run once"
    ):
        read_systems(*paths, paths[0], id="id", truth="label", prediction="answer")
    shutil.copy(paths[1], tmp_path / "copy.csv")
    shutil.copy(paths[1], tmp_path / "again.csv")
    asked = {"id": "id", "truth": "label", "prediction": "answer"}
    counts = read_systems(*paths[:3], tmp_path / "copy.csv", **asked)
    assert counts.notes == ("second and copy give the same answer to every example; is one a copy of the other?",)
    counts = read_systems(*paths[:3], tmp_path / "copy.csv", tmp_path / "again.csv", **asked)
    assert counts.notes == ("second, copy and again give the same answer to every example; is one a copy of another?",)


def test_a_long_table_that_says_too_little_or_too_much(tmp_path, monkeypatch):
    from referee.data.engines import long_tables

    rows = [(*row, name) for name in NAMES for row in rows_of(name)]
    path = write(tmp_path / "long.csv", rows, [*HEAD, "who"])
    asked = {"id": "id", "truth": "label", "prediction": "answer"}
    with pytest.raises(NameUnknown, match=r"no system in the column 'who' 'frist' \(did you mean 'first'"):
        read_systems(path, **asked, system="who", systems="frist,second")
    with pytest.raises(NameUnknown, match="no column 'whom'"):
        read_systems(path, **asked, system="whom")
    with pytest.raises(OptionError, match="system is for one long table; several tables are one per system"):
        read_systems(path, write(tmp_path / "other.csv", rows, [*HEAD, "who"]), **asked, system="who")
    monkeypatch.setattr(long_tables, "MOST", 3)
    with pytest.raises(
        InputError, match=r"the column 'who' of .* has 4 different values; at most 3 systems can be read"
    ):
        read_systems(path, **asked, system="who")
    monkeypatch.undo()
    gone = write(tmp_path / "gone.csv", [*rows, ("q999", "x", "d", "x", "")], [*HEAD, "who"])
    with pytest.raises(
        InputError, match=r"the column 'who' of .* names no system in 1 row; fill it in, or name the systems"
    ):
        read_systems(gone, **asked, system="who")
    assert read_systems(gone, **asked, system="who", systems=NAMES[:3]).n == 60
    (tmp_path / "empty.csv").write_text("id,label,doc,answer,who\n")
    with pytest.raises(InputError, match=r"empty.csv has no rows"):
        read_systems(tmp_path / "empty.csv", **asked, system="who")


def test_repeats(tmp_path):
    rng = random.Random(5)
    scores = {name: [(one, rng.randint(0, 1)) for one in IDS for _ in range(3)] for name in NAMES}
    paths = [write(tmp_path / f"{name}.csv", rows, ["id", "score"]) for name, rows in scores.items()]
    with pytest.raises(InputError, match=r"60 ids occur in more than one row of .*first.csv"):
        read_systems(*paths, id="id")
    mean = read_systems(*paths, id="id", repeats="mean")
    assert (mean.n, mean.runs) == (60, 3)
    group = read_systems(*paths, id="id", repeats="group")
    assert (group.n, len(set(group["group"].tolist()))) == (180, 60)
    for first, second in itertools.combinations(range(4), 2):
        for counts, repeats in ((mean, "mean"), (group, "group")):
            pair = read(paths[first], paths[second], id="id", repeats=repeats).count()
            assert counts.pair(counts.systems[first], counts.systems[second]) == pair


def test_tasks_are_slices_and_each_system_needs_them(tmp_path):
    third = turned_lm_eval(tmp_path)
    folders = []
    for source in (DATA / "lm-eval/acme__small", DATA / "lm-eval/acme__large", third):
        (file,) = source.iterdir()
        folders.append(tmp_path / "two" / source.name)
        folders[-1].mkdir(parents=True)
        for task in ("sums", "more_sums"):
            shutil.copy(file, folders[-1] / file.name.replace("word_sums", task))
    counts = read_systems(*folders, filter="strict-match")
    assert set(counts["slice"].tolist()) == {"sums", "more_sums"}
    assert counts.pair("system 2", "system 3") == read(*folders[1:], filter="strict-match").count()
    next(folders[1].glob("samples_more*")).unlink()
    with pytest.raises(InputError, match="not every run has more_sums; unmatched='drop' leaves such tasks out"):
        read_systems(*folders, filter="strict-match")
    left = read_systems(*folders, filter="strict-match", unmatched="drop")
    assert left.n == 8
    assert "not every run has more_sums, which was left out (unmatched='drop')" in left.notes


def test_rows_by_line(tmp_path):
    paths = [tmp_path / f"{name}.csv" for name in NAMES[:3]]
    for path in paths:
        path.write_text("label,answer\n" + "".join(f"{TRUTH[one]},{ANSWERS[path.stem][one]}\n" for one in IDS))
    counts = read_systems(*paths, truth="label", by_line=True)
    assert "first, second and third were paired by line" in counts.notes
    assert counts.pair("system 1", "system 3") == read(paths[0], paths[2], truth="label", by_line=True).count()
    with pytest.raises(OptionError, match=r"^tables are paired by id: name its column with id="):
        read_systems(*paths, truth="label")
    paths[2].write_text(paths[2].read_text() + "x,x\n")
    with pytest.raises(InputError, match=r"first.csv has 60 rows and .*third.csv 61; files that are paired by line"):
        read_systems(*paths, truth="label", by_line=True)


@pytest.mark.parametrize(
    "kinds", [("Float32", "Float64", "Float64"), ("Float64", "Int64", "Float32"), ("Float32", "Float64", "Float16")]
)
def test_scores_of_several_precisions(tmp_path, kinds):
    pl = pytest.importorskip("polars")
    rng = random.Random(4)
    scores = [round(rng.random(), 3) for _ in IDS]
    for place, kind in enumerate(kinds):
        own = [int(score > 0.5) for score in scores] if kind == "Int64" else scores
        if kind == "Float16":
            import numpy as np
            import pyarrow as pa
            import pyarrow.parquet as pq

            pq.write_table(
                pa.table({"id": IDS, "score": pa.array(np.array(own, np.float16))}), tmp_path / f"s{place}.parquet"
            )
            continue
        pl.DataFrame({"id": IDS, "score": own}, schema_overrides={"score": getattr(pl, kind)}).write_parquet(
            tmp_path / f"s{place}.parquet"
        )
    counts = read_systems(*sorted(tmp_path.glob("*.parquet")), id="id")
    assert counts.precision == (16 if "Float16" in kinds else 32)
    assert any("all were rounded to" in note for note in counts.notes)
    same = [role for role, kind in zip(counts.systems, kinds, strict=True) if kind != "Int64"]
    assert all(counts[role].tolist() == counts[same[0]].tolist() for role in same)


def test_odd_calls(tmp_path):
    paths = tables(tmp_path)
    with pytest.raises(CallError, match=r"read_systems\(\) has no argument 'sistems' \(did you mean 'systems'"):
        read_systems(*paths, sistems="x")
    with pytest.raises(OptionError, match="systems must be the names of systems; it is 3"):
        read_systems(*paths, systems=3)
    with pytest.raises(OptionError, match="scorer has no meaning for a table"):
        read_systems(*paths, id="id", scorer="exact")
    with pytest.raises(OptionError, match="repeats must be one of"):
        read_systems(*paths, id="id", repeats="sum")
    with pytest.raises(OptionError, match="unmatched must be one of"):
        read_systems(*paths, id="id", unmatched="keep")
    with pytest.raises(RefereeError, match="there is no file"):
        read_systems(*paths, tmp_path / "nothing.csv", id="id")
