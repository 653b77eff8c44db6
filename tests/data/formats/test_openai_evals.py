import json
from pathlib import Path

import pytest

from referee.data.formats.base import READERS, Choices, Opening
from referee.data.formats.openai_evals import read, recognise
from referee.errors import InputError
from tests.data.formats.mutants import mutants, survives

DATA = Path(__file__).parents[2] / "samples" / "openai-evals"
SPEC = {"spec": {"eval_name": "t.dev.v0", "run_id": "r", "completion_fns": ["gpt-x"], "run_config": {}}}


def event(sample, kind="match", **data):
    return {"run_id": "r", "event_id": 0, "sample_id": sample, "type": kind, "data": data, "created_by": ""}


def write(folder, *lines):
    path = folder / "log.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_a_sample_is_right_wrong_or_was_never_judged():
    (run,) = read(DATA / "acme-small.jsonl", Choices())
    assert (run.system, run.task) == ("acme-small", "opposites.dev.v0")
    assert dict(zip(run.rows["id"], run.rows["value"], strict=True)) == {
        f"opposites.dev.{place}": value for place, value in enumerate([1.0, 0.0, 1.0, 0.0, None, 1.0])
    }
    (other,) = read(DATA / "acme-large.jsonl", Choices())
    assert set(other.rows["id"]) == set(run.rows["id"])
    assert other.rows["id"] != run.rows["id"]


def test_it_is_known_by_its_specification_or_its_events(tmp_path):
    assert recognise(Opening(DATA / "acme-small.jsonl"))
    assert recognise(Opening(write(tmp_path, event("s", correct=True))))
    assert not recognise(Opening(write(tmp_path, {"spec": "x"})))
    assert not recognise(Opening(write(tmp_path, {"sample_id": "s", "type": "match"})))
    assert not recognise(Opening(write(tmp_path)))


def test_the_name_of_the_system(tmp_path):
    rows = event("s", correct=True)
    assert read(write(tmp_path, SPEC, rows), Choices())[0].system == "gpt-x"
    older = {"spec": {"model_name": "ada", "eval_name": "t", "run_id": "r"}}
    assert read(write(tmp_path, older, rows), Choices())[0].system == "ada"
    (run,) = read(write(tmp_path, rows), Choices())
    assert (run.system, run.task) == ("log", "")


def test_a_sample_that_is_judged_twice_has_two_rows(tmp_path):
    (run,) = read(write(tmp_path, SPEC, event("s", correct=True), event("s", correct=False)), Choices())
    assert run.rows == {"id": ["s", "s"], "value": [1.0, 0.0]}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (event("s", expected="x"), r"line 3 of .*data.correct is missing"),
        ({**event("s"), "data": None}, r"line 3 of .*data.correct is missing"),
        (event("s", correct="yes"), r"data.correct of line 3 of .*must be a number; it is 'yes'"),
        (event(None, correct=True), r"sample_id of line 3 of .*; it is null"),
        ({"oops": 1}, r"line 3 of .* is not an event: it needs data, event_id"),
        ([1], r"line 3 of .* must be a JSON object"),
    ],
)
def test_wrong_lines_are_named(tmp_path, line, message):
    with pytest.raises(InputError, match=message):
        read(write(tmp_path, SPEC, event("r", correct=True), line), Choices())


def test_a_log_without_matches_says_what_it_has(tmp_path):
    with pytest.raises(InputError, match=r'type "match".*its events are: sampling, metrics'):
        read(write(tmp_path, SPEC, event("s", "sampling"), event("s", "metrics"), {"final_report": {}}), Choices())


def test_mutants(tmp_path):
    content = (DATA / "acme-small.jsonl").read_bytes()
    reader = READERS["openai/evals log"]
    read_well = [survives(tmp_path / "m.jsonl", each, reader, Choices()) for each in mutants(content, 7, 300)]
    assert 10 < sum(read_well) < 290
