import json
from pathlib import Path

import pytest

from referee.data.formats.base import HEAD, Choices, Opening
from referee.data.formats.json_table import is_columns, read, table_of
from referee.errors import InputError, NameUnknown, OptionError
from tests.data.formats import damage

DATA = Path(__file__).parents[2] / "samples" / "columns"
NAME = "a table in JSON (columns and data)"


def written(folder, data, name="x.json"):
    path = folder / name
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


def test_a_table_by_its_columns():
    table = table_of(DATA / "eval_results_table.json")
    assert list(table) == ["inputs", "targets", "old", "new"]
    assert table["new"] == ["yes", "no", "no", "yes", "no", "no", "yes", "no"]


def test_row_labels_that_are_more_than_places_are_a_column(tmp_path):
    assert table_of(DATA / "split.json")["index"] == [f"q{place}" for place in range(1, 9)]
    plain = {"columns": ["a"], "index": [0, 1], "data": [[5], [6]]}
    assert table_of(written(tmp_path, plain)) == {"a": [5, 6]}
    named = {"columns": ["index"], "index": ["x", "y"], "data": [[5], [6]]}
    assert table_of(written(tmp_path, named)) == {"index": [5, 6]}


def test_a_run_with_ids():
    (run,) = read(DATA / "new.table.json", Choices(id="id", prediction="answer", truth="label"))
    assert run.system == "new"
    assert not run.ordered
    assert run.rows["id"][:2] == ["q8", "q7"]
    assert run.rows["value"][:4] == ["no", "yes", "no", "no"]
    assert run.rows["truth"][:4] == ["no", "yes", "no", "yes"]


def test_without_ids_the_rows_are_paired_by_place():
    (run,) = read(DATA / "old.table.json", Choices(prediction="score"))
    assert run.ordered
    assert run.rows["id"] == list(range(1, 9))
    assert run.rows["value"] == [1, 0, 1, 0, 1, 0, 1, 1]


def test_the_only_column_left_is_the_prediction(tmp_path):
    path = written(tmp_path, {"columns": ["id", "doc", "s"], "data": [["a", 1, 0.5], ["b", 1, None]]})
    (run,) = read(path, Choices(id="id", group="doc"))
    assert run.rows == {"id": ["a", "b"], "group": [1, 1], "value": [0.5, None]}


def test_columns_are_a_choice():
    with pytest.raises(OptionError, match="several columns: label, answer, score; name one with prediction="):
        read(DATA / "old.table.json", Choices(id="id"))
    with pytest.raises(NameUnknown, match=r"anser.*did you mean 'answer'"):
        read(DATA / "old.table.json", Choices(id="id", prediction="anser"))
    with pytest.raises(NameUnknown, match="there is no column 'truth'"):
        read(DATA / "old.table.json", Choices(id="id", prediction="answer", truth="truth"))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ('{"columns": ["a"], "data": [[1]', "not JSON"),
        ([1], "lacks the lists"),
        ({"columns": ["a"], "data": {}}, "lacks the lists"),
        ({"columns": "a", "data": [[1]]}, "lacks the lists"),
        ({"columns": ["a"], "data": []}, "no rows"),
        ({"columns": ["a", "a"], "data": [[1, 2]]}, "'a' twice"),
        ({"columns": [1, "1"], "data": [[1, 2]]}, "'1' twice"),
        ({"columns": [["a", "b"]], "data": [[1]]}, "whose name is"),
        ({"columns": [None], "data": [[1]]}, "whose name is null"),
        ({"columns": ["a"], "data": [[1], [1, 2]]}, "row 2 of .* has 2 cells; there are 1 columns"),
        ({"columns": ["a"], "data": [[1], 2]}, "row 2 of .* has no list of cells"),
        ({"columns": ["a"], "index": [3], "data": [[1], [2]]}, "1 row labels .* 2 rows"),
        ({"columns": ["a"], "data": [[1], [[2]]]}, "row 2 of .* has a list in the column 'a'"),
        ('{"columns": ["a"], "data": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
    ],
)
def test_broken_tables_are_refused(tmp_path, data, message):
    with pytest.raises(InputError, match=message):
        read(written(tmp_path, data), Choices(prediction="a"))


def test_a_row_without_an_id_is_refused(tmp_path):
    path = written(tmp_path, '{"columns": ["id", "a"], "data": [["x", 1], [NaN, 2]]}')
    with pytest.raises(InputError, match=r"row 2 of .* has no id in the column 'id'"):
        read(path, Choices(id="id"))


def test_missing_cells_are_missing_values(tmp_path):
    path = written(tmp_path, '{"columns": ["a"], "data": [[NaN], [null], [true]]}')
    assert read(path, Choices())[0].rows["value"] == [None, None, True]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"columns": ["a"], "data": [[1]]}, True),
        ({"_type": "table", "column_types": {}, "columns": ["a"], "data": []}, True),
        ({"columns": ["a"], "index": list(range(HEAD)), "data": [[1]] * HEAD}, True),
        ({"columns": ["a"] * 10, "data": [[1] * 10] * HEAD}, True),
        ({"columns": ["a"]}, False),
        ({"columns": ["a"], "data": [{"a": 1}]}, False),
        ({"columns": {"a": 1}, "data": [[1]]}, False),
        ({"data": [[1]]}, False),
        ([{"columns": [1], "data": [[1]]}], False),
        ('{"columns": ["a"], "data": [[1]]}\n{"columns": ["a"], "data": [[1]]}\n', False),
        ("", False),
    ],
)
def test_recognised_by_its_two_lists(tmp_path, data, expected):
    assert is_columns(Opening(written(tmp_path, data))) is expected


def test_no_other_reader_takes_it():
    assert [damage.claimed(path) for path in sorted(DATA.iterdir())] == [[NAME]] * 4


def test_damage_is_refused_or_read(tmp_path):
    choices = Choices(id="id", prediction="answer", truth="label")
    read_, refused = damage.survives(NAME, DATA / "old.table.json", choices, tmp_path)
    assert min(read_, refused) > 10
