import json
from pathlib import Path

import pytest

from referee.data.formats.base import HEAD, Choices, Opening
from referee.data.formats.swe_bench import is_resolved, read
from referee.errors import InputError, NameUnknown, OptionError
from tests.data.formats import damage

DATA = Path(__file__).parents[2] / "samples" / "swe-bench"
IDS = str(DATA / "ids.txt")
NAME = "a resolved list"


def written(folder, data, name="x.json"):
    path = folder / name
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


def scores(path, universe=None):
    (run,) = read(path, Choices(universe=universe))
    return dict(zip(run.rows["id"], run.rows["value"], strict=True))


def test_what_is_not_resolved_is_0():
    found = scores(DATA / "old.json", IDS)
    assert len(found) == 10
    assert sum(found.values()) == 4
    assert (found["kiln__kiln-12"], found["kiln__kiln-7"]) == (1, 0)


def test_a_complete_report_names_all_ids_itself():
    (run,) = read(DATA / "new.week-1.json", Choices())
    assert run.system == "new.week-1"
    assert any("names all 10 ids itself" in note for note in run.notes)
    assert any("1 id of" in said and "counts as not resolved" in said for said in run.warnings)
    assert scores(DATA / "new.week-1.json") == scores(DATA / "new.json", IDS)
    assert scores(DATA / "old.week-1.json") == scores(DATA / "old.json", IDS)


def test_a_list_alone_needs_a_universe():
    with pytest.raises(OptionError, match="but not all ids; give a file that does with universe="):
        read(DATA / "old.json", Choices())


def test_a_report_of_a_part_needs_a_universe(tmp_path):
    report = json.loads((DATA / "old.week-1.json").read_text()) | {"total_instances": 500}
    path = written(tmp_path, report)
    with pytest.raises(OptionError, match="it counts 500 and names 10"):
        read(path, Choices())
    (run,) = read(path, Choices(universe=IDS))
    assert any("counts 500 ids" in note and "names 10" in note for note in run.warnings)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("u.txt", "a\r\n\r\nb\nc\n"),
        ("u", "\ufeffa\nb\nc"),
        ("u.json", '["a", "b", "c"]'),
        ("u.json", '[{"instance_id": "a", "x": 1}, {"instance_id": "b"}, {"instance_id": "c"}]'),
        ("u.jsonl", '{"instance_id": "a"}\n{"instance_id": "b", "y": [1]}\n{"instance_id": "c"}\n'),
        ("u.csv", 'repo,instance_id,text\nr,a,"two\nlines"\nr,b,x\nr,c,y\n'),
        ("u.tsv", "instance_id\tn\na\t1\nb\t2\nc\t3\n"),
    ],
)
def test_universes_of_all_kinds(tmp_path, name, text):
    universe = written(tmp_path, text, name)
    assert scores(written(tmp_path, {"resolved": ["b"]}), str(universe)) == {"a": 0, "b": 1, "c": 0}


@pytest.mark.parametrize(
    ("name", "text", "error", "message"),
    [
        ("u.txt", "a\na\nb\n", InputError, "has the id 'a' twice"),
        ("u.txt", "\n", InputError, "has no ids"),
        ("u.txt", "a\n", InputError, "1 of the resolved ids of .*, such as 'b', are not in"),
        ("u.json", '{"a": 1}', InputError, "must be a list; it is an object"),
        ("u.json", '["b", 7]', InputError, "item 2 of .* must be a text; it is 7"),
        ("u.json", '[{"id": "b"}]', InputError, "item 1 of .* it is null"),
        ("u.jsonl", '{"instance_id": "b"}\n{}\n', InputError, "item 2 of .* it is null"),
        ("u.jsonl", '{"instance_id": "b"}\n{"insta', InputError, "u.jsonl"),
        ("u.csv", "id,x\nb,1\n", NameUnknown, "no column 'instance_id'"),
    ],
)
def test_broken_universes_are_refused(tmp_path, name, text, error, message):
    universe = written(tmp_path, text, name)
    with pytest.raises(error, match=message):
        scores(written(tmp_path, {"resolved": ["b"]}), str(universe))


def test_a_universe_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"there is no file .*nowhere"):
        scores(DATA / "old.json", str(tmp_path / "nowhere.txt"))


@pytest.mark.parametrize(
    ("report", "message"),
    [
        ({"resolved": 3}, "has no list of resolved ids"),
        ({"resolved": {"a": 1}}, "has no list of resolved ids"),
        ({"resolved": 2, "resolved_ids": ["a"]}, "lists 1 resolved ids, but 'resolved' is 2"),
        ({"resolved_instances": 2, "resolved_ids": ["a"]}, "'resolved_instances' is 2"),
        ({"resolved": ["a"], "resolved_ids": ["b"]}, "are not the same"),
        ({"resolved": ["a", 3]}, "item 2 of 'resolved' of .* it is 3"),
        ({"resolved": ["a", "a"]}, "has the id 'a' twice"),
        ({"resolved": ["a", None]}, "item 2 "),
        ('{"resolved": ["\\ud800"]}', "item 1 of 'resolved' of .* half a character"),
        ({"resolved": ["a"], "submitted_ids": 4, "total_instances": 1}, "'submitted_ids' of .* must be a list"),
        ([], "must be a JSON object"),
        ('{"resolved": ["a"', "not JSON"),
    ],
)
def test_broken_reports_are_refused(tmp_path, report, message):
    with pytest.raises(InputError, match=message):
        read(written(tmp_path, report), Choices())


def test_the_count_beside_the_list_may_be_called_resolved(tmp_path):
    path = written(tmp_path, {"resolved": 1, "resolved_ids": ["a"], "submitted_ids": ["a", "b"], "total_instances": 2})
    assert scores(path) == {"a": 1, "b": 0}


def test_a_file_called_results_has_the_name_of_its_folder(tmp_path):
    folder = tmp_path / "20250101_robin" / "results"
    folder.mkdir(parents=True)
    (run,) = read(written(folder, {"resolved": ["kiln__kiln-7"]}, "results.json"), Choices(universe=IDS))
    assert run.system == "20250101_robin"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"resolved": []}, True),
        ({"no_logs": [], "resolved": ["a"]}, True),
        ({"resolved": 0, "resolved_ids": []}, True),
        ({"total_instances": 9, "resolved_instances": 1, "completed_ids": ["a" * 50] * HEAD}, True),
        ({"resolved": True}, False),
        ({"a": {"resolved": True}}, False),
        ({"total_instances": 9}, False),
        ([{"resolved": ["a"]}], False),
        ('{"resolved": ["a"]}\n{"resolved": ["a"]}', False),
        ("", False),
    ],
)
def test_recognised_by_its_list(tmp_path, data, expected):
    assert is_resolved(Opening(written(tmp_path, data))) is expected


def test_no_other_reader_takes_it():
    assert [damage.claimed(path) for path in sorted(DATA.glob("*.json"))] == [[NAME]] * 4
    assert damage.claimed(DATA / "ids.txt") == []


@pytest.mark.parametrize(("name", "universe"), [("old.json", IDS), ("new.week-1.json", None)])
def test_damage_is_refused_or_read(tmp_path, name, universe):
    read_, refused = damage.survives(NAME, DATA / name, Choices(universe=universe), tmp_path)
    assert refused > 10
    assert read_ > 0
