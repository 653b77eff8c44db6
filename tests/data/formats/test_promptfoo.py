import json
from pathlib import Path

import pytest

from referee.data.formats.base import READERS, Choices, Opening
from referee.data.formats.promptfoo import read, recognise
from referee.errors import InputError, NameUnknown
from tests.data.formats.mutants import mutants, survives

DATA = Path(__file__).parents[2] / "samples" / "promptfoo"


def result(test=0, column=0, provider="acme:x", given=None, **fields):
    given = {"q": f"question {test}"} if given is None else given
    base = {"testIdx": test, "promptIdx": column, "provider": {"id": provider}, "vars": given, "success": True}
    return {
        **base,
        "prompt": {"raw": "{{q}}", "label": "{{q}}"},
        "score": 1,
        "namedScores": {},
        "failureReason": 0,
        **fields,
    }


def write(folder, *rows, nested=True):
    path = folder / "out.json"
    path.write_text(json.dumps({"results": {"results": list(rows)} if nested else list(rows)}))
    return path


def without(row, *keys):
    return {key: value for key, value in row.items() if key not in keys}


def test_a_run_for_each_provider_and_an_error_is_no_wrong_answer():
    small, large = read(DATA / "both.json", Choices())
    assert (small.system, large.system) == ("acme:chat:small", "acme:chat:large")
    assert small.rows["id"] == list(range(6))
    assert small.rows["value"] == [1.0, 0.5, 1.0, 0.5, 0.0, None]
    assert small.rows["check"] == large.rows["check"]
    assert small.notes == ("promptfoo's score was compared, which is graded; score='success' compares what passed",)
    (newer,) = read(DATA / "newer.json", Choices())
    assert dict(zip(newer.rows["id"], newer.rows["check"], strict=True)) == dict(enumerate(small.rows["check"]))


def test_scores_by_name():
    small, _ = read(DATA / "both.json", Choices(score="success"))
    assert small.rows["value"] == [1.0, 0.0, 1.0, 0.0, 0.0, None]
    assert small.notes == ()
    assert read(DATA / "both.json", Choices(score="colour"))[1].rows["value"] == [1.0, 1.0, 1.0, 0.0, 1.0, 1.0]
    with pytest.raises(NameUnknown, match=r"no score 'color' .did you mean 'colour'"):
        read(DATA / "both.json", Choices(score="color"))


def test_scores_that_are_the_passes_need_no_word(tmp_path):
    path = write(
        tmp_path, result(0), result(1, success=False, score=0, failureReason=1), result(2, failureReason=2, score=0)
    )
    (run,) = read(path, Choices())
    assert (run.notes, run.rows["value"]) == ((), [1.0, 0.0, None])


def test_a_var_is_the_group_or_the_id():
    small, _ = read(DATA / "both.json", Choices(group="colour", id="fruit"))
    assert small.rows["id"] == ["apple", "banana", "lime", "plum", "pear", "orange"]
    assert small.rows["group"][2] == small.rows["group"][4] == "green"
    assert "check" not in small.rows
    with pytest.raises(NameUnknown, match="did you mean 'fruit'"):
        read(DATA / "both.json", Choices(id="fruits"))


def test_prompts_of_a_provider_are_systems(tmp_path):
    path = write(tmp_path, result(column=0), result(column=1), result(column=10, provider="acme:y"))
    assert [run.system for run in read(path, Choices())] == ["acme:x [prompt 1]", "acme:x [prompt 2]", "acme:y"]
    called = [result(column=n, prompt={"raw": "{{q}}", "label": label}) for n, label in enumerate(["brief", "long"])]
    assert [run.system for run in read(write(tmp_path, *called), Choices())] == ["acme:x [brief]", "acme:x [long]"]


def test_providers_that_share_an_id_are_told_apart_by_their_labels(tmp_path):
    rows = [result(column=n, provider="p") | {"provider": {"id": "p", "label": name}} for n, name in enumerate("hc")]
    assert [run.system for run in read(write(tmp_path, *rows), Choices())] == ["h", "c"]
    assert read(write(tmp_path, rows[0]), Choices())[0].system == "p"


def test_repeats_are_numbered_on_by_the_tool_and_get_one_id(tmp_path):
    def case(word):
        return {"vars": {"q": word}, "assert": [{"type": "equals", "value": word}]}

    rows = [result(n, testCase=case(word)) for n, word in enumerate(["x", "x", "y", "y"])]
    (run,) = read(write(tmp_path, *rows), Choices())
    assert (run.rows["id"], run.rows["repeat"]) == ([0, 0, 1, 1], [0, 1, 2, 3])
    (other,) = read(write(tmp_path, result(0, testCase=case("x")), result(1, testCase=case("y"))), Choices())
    assert other.rows["id"] == [0, 1]
    assert "repeat" not in other.rows
    assert dict(zip(other.rows["id"], other.rows["check"], strict=True)) == dict(
        zip(run.rows["id"], run.rows["check"], strict=True)
    )


def test_tests_that_only_share_their_vars_are_not_repeats(tmp_path):
    cases = [{"vars": {"q": "x"}, "assert": [{"type": kind}]} for kind in ("is-json", "latency")]
    (run,) = read(write(tmp_path, *(result(n, testCase=case) for n, case in enumerate(cases))), Choices())
    assert run.rows["id"] == [0, 1]
    stripped = [result(n, testCase={"vars": {}}, given={}) for n in range(2)]
    (run,) = read(write(tmp_path, *stripped), Choices())
    assert (run.rows["id"], run.rows["check"]) == ([0, 1], [None, None])


def test_without_numbers_the_vars_are_the_id_and_errors_are_seen_by_the_missing_response(tmp_path):
    keys = ("testIdx", "promptIdx", "failureReason", "namedScores")
    rows = [
        without(result(given={"b": 1, "a": "é"}, response={"output": "x"}, error="expected y", score=0), *keys),
        without(result(given={"a": "z"}, error="timeout", score=0), *keys),
    ]
    for nested in (True, False):
        path = write(tmp_path, *rows, nested=nested)
        assert recognise(Opening(path))
        (run,) = read(path, Choices())
        assert run.rows == {"id": ['{"a": "é", "b": 1}', '{"a": "z"}'], "value": [0.0, None]}
    with pytest.raises(InputError, match=r"result 1 of .* has neither testIdx nor vars"):
        read(write(tmp_path, without(result(given={}), "testIdx")), Choices())


def test_it_is_known_by_what_is_in_it(tmp_path):
    assert recognise(Opening(DATA / "both.json"))
    long = write(tmp_path, result(), *(result(n, response="x" * 1000) for n in range(100)))
    assert recognise(Opening(long))
    head = {"version": 3, "timestamp": "t", "prompts": [{"raw": "x" * 100_000, "provider": "p"}], "results": [result()]}
    long.write_text(json.dumps({"evalId": "e", "results": head}))
    assert recognise(Opening(long))
    for other in (
        {"results": {"task": {"acc": 1}}},
        {"results": []},
        {"results": [1]},
        [],
        {"results": {"results": 1}},
    ):
        long.write_text(json.dumps(other))
        assert not recognise(Opening(long))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"testIdx": "1"}, r"testIdx of result 2 of .*must be a whole number; it is '1'"),
        ({"promptIdx": 0.5}, r"promptIdx of result 2 of .*; it is 0.5"),
        ({"provider": None}, r"result 2 of .* needs a provider with an id; it has null"),
        ({"vars": [1]}, r"vars of result 2 of .*must be a JSON object; it is a list"),
        ({"namedScores": "x"}, r"namedScores of result 2 of .*must be a JSON object"),
        ({"failureReason": "2"}, r"failureReason of result 2 of .*must be a whole number"),
        ({"score": "good"}, r"score of result 2 of .*must be a number; it is 'good'"),
        ({"score": [[]]}, r"score of result 2 of .*must be a number; it is a list"),
    ],
)
def test_wrong_fields_name_the_result(tmp_path, fields, message):
    with pytest.raises(InputError, match=message):
        read(write(tmp_path, result(0), result(1, **fields)), Choices())


def test_files_without_results(tmp_path):
    with pytest.raises(InputError, match='has no "results"; write it with promptfoo eval --output'):
        read(write(tmp_path), Choices())
    with pytest.raises(InputError, match=r"result 1 of .*must be a JSON object; it is null"):
        read(write(tmp_path, None), Choices())


def test_mutants(tmp_path):
    content = (DATA / "newer.json").read_bytes()
    reader = READERS["promptfoo results"]
    read_well = [
        survives(tmp_path / "m.json", each, reader, Choices(group="colour")) for each in mutants(content, 9, 300)
    ]
    assert 10 < sum(read_well) < 290
