import json
from pathlib import Path

import pytest

from referee.data.formats.base import READERS, Choices, Opening
from referee.data.formats.inspect_ai import read, recognise
from referee.errors import InputError, NameUnknown, OptionError
from tests.data.formats.mutants import mutants, survives
from tests.data.formats.zips import deflated, zstandard

DATA = Path(__file__).parents[2] / "samples" / "inspect"
SMALL = DATA / "2026-08-01T10-11-12+00-00_capitals_small.eval"
LARGE = DATA / "2026-08-02T09-00-00+00-00_capitals_large.eval"
HEADER = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m", "dataset": {}}}


def sample(place=1, value="C", epoch=1, **fields):
    return {"id": place, "epoch": epoch, "input": "?", "target": "x", "scores": {"match": {"value": value}}, **fields}


def evaluation(folder, *samples, header=HEADER):
    return deflated(folder / "log.eval", [("summaries.json", list(samples)), ("header.json", header)])


def scores(run):
    keys = zip(run.rows["id"], run.rows["repeat"], strict=True)
    return dict(zip(keys, run.rows["value"], strict=True))


def test_letters_are_numbers_and_errors_and_nan_are_none():
    (run,) = read(SMALL, Choices(scorer="match"))
    assert (run.system, run.task, run.notes) == ("acme/small", "capitals", ())
    expected = {"fr": (1, 1), "jp": (1, 0), "pe": (0, 0), "at": (0, 0), "kr": (0.5, None), "ca": (None, 1)}
    assert scores(run) == {(place, turn + 1): pair[turn] for place, pair in expected.items() for turn in (0, 1)}


def test_zip_packed_with_zstandard_and_plain_json_say_the_same():
    (packed,) = read(LARGE, Choices(scorer="match"))
    (plain,) = read(LARGE.with_suffix(".json"), Choices(scorer="match"))
    assert packed == plain
    assert sum(packed.rows["value"]) == 10


def test_several_scorers_need_a_choice():
    with pytest.raises(OptionError, match=r"several scorers: match, brevity; name one with scorer="):
        read(SMALL, Choices())
    with pytest.raises(NameUnknown, match="did you mean 'brevity'"):
        read(SMALL, Choices(scorer="brevty"))


def test_a_group_is_a_field_of_the_metadata():
    (run,) = read(SMALL, Choices(scorer="match", group="continent"))
    assert dict(zip(run.rows["id"], run.rows["group"], strict=True))["pe"] == "america"
    with pytest.raises(NameUnknown, match=r"no field in the metadata of sample 1 of .*did you mean 'continent'"):
        read(SMALL, Choices(scorer="match", group="continents"))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("C", 1),
        ("I", 0),
        ("P", 0.5),
        ("N", 0),
        (True, 1),
        (0.25, 0.25),
        ("yes", 1),
        ("False", 0),
        ("0.75", 0.75),
        (None, None),
    ],
)
def test_values(tmp_path, value, expected):
    assert read(evaluation(tmp_path, sample(value=value)), Choices())[0].rows["value"] == [expected]


@pytest.mark.parametrize("value", ["Q", "nan", "inf", [1, 0], 10**400])
def test_values_that_are_no_score(tmp_path, value):
    with pytest.raises(InputError, match=r"the score 'match' of sample 2 of summaries.json in"):
        read(evaluation(tmp_path, sample(1), sample(2, value)), Choices())


def test_values_by_name_need_a_choice(tmp_path):
    path = evaluation(
        tmp_path, sample(1, {"style": 0.5, "truth": "C"}), sample(2, {"style": 1}), sample(3, float("nan"))
    )
    with pytest.raises(OptionError, match=r"several scores: style, truth; name one with score="):
        read(path, Choices())
    assert read(path, Choices(score="truth"))[0].rows["value"] == [1.0, None, None]
    with pytest.raises(NameUnknown, match="no score 'x'"):
        read(evaluation(tmp_path, sample()), Choices(score="x"))


def test_samples_are_read_where_there_are_no_summaries(tmp_path):
    members = [(f"samples/a/{n}_epoch_1.json", sample(f"a/{n}", n)) for n in (0, 1)]
    chunked = [("samples/2_epoch_1/sample.json", sample("2", 0.5)), ("samples/2_epoch_1/events/0.json", [])]
    path = deflated(tmp_path / "log.eval", [*members, *chunked, ("header.json", HEADER)])
    assert recognise(Opening(path))
    assert scores(read(path, Choices())[0]) == {("a/0", 1): 0.0, ("a/1", 1): 1.0, ("2", 1): 0.5}


def test_a_run_that_was_cut_off_has_its_journal_and_says_so(tmp_path):
    parts = [(f"_journal/summaries/{n}.json", [sample(n)]) for n in (10, 9)]
    path = zstandard(tmp_path / "log.eval", [("_journal/start.json", {"version": 2, "eval": HEADER["eval"]}), *parts])
    assert recognise(Opening(path))
    (run,) = read(path, Choices())
    assert (run.rows["id"], run.system) == ([9, 10], "m")
    assert run.warnings == ("the run of log.eval did not end well: its status is 'started'",)


def test_summaries_that_grew_when_scored_again_give_way_to_the_samples(tmp_path):
    twice = ("summaries.json", [sample(1, "I"), sample(1, "C")])
    path = deflated(tmp_path / "log.eval", [twice, ("samples/1_epoch_1.json", sample(1, "C")), ("header.json", HEADER)])
    assert read(path, Choices())[0].rows["value"] == [1.0]
    with pytest.raises(InputError, match="has sample 1 twice in epoch 1"):
        read(evaluation(tmp_path, sample(1, "I"), sample(1, "C")), Choices())


def test_a_group_is_looked_for_in_the_samples_where_summaries_have_no_metadata(tmp_path):
    whole = ("samples/1_epoch_1.json", sample(1, metadata={"k": "x"}))
    path = deflated(tmp_path / "log.eval", [("summaries.json", [sample(1)]), whole, ("header.json", HEADER)])
    assert read(path, Choices(group="k"))[0].rows["group"] == ["x"]


def test_old_logs_have_one_score_without_a_name(tmp_path):
    old = {"id": 1, "epoch": 1, "score": {"value": "C"}}
    path = tmp_path / "log.json"
    path.write_text(json.dumps({**HEADER, "samples": [old]}))
    assert read(path, Choices())[0].rows == {"id": [1], "value": [1.0], "repeat": [1], "likeness": [""]}


def test_an_error_outweighs_a_score_and_what_was_not_scored_has_none(tmp_path):
    path = evaluation(tmp_path, sample(1, error="timeout"), sample(2, scores=None), sample(3))
    assert read(path, Choices())[0].rows["value"] == [None, None, 1.0]


def test_the_name_of_the_file_where_the_log_names_no_model(tmp_path):
    (run,) = read(evaluation(tmp_path, sample(), header={"status": "success", "eval": 3}), Choices())
    assert (run.system, run.task) == ("log", "")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"id": None}, r"the id of sample 1 of summaries.json in .*must be a text or a whole number; it is null"),
        ({"epoch": "1"}, r"the epoch of sample 1 of .*must be a whole number; it is '1'"),
        ({"scores": [1]}, r"the scores of sample 1 of .*must be a JSON object; it is a list"),
        ({"scores": {"match": 1}}, r"the score 'match' of sample 1 of .*must be a JSON object; it is 1"),
        ({"metadata": "x"}, r"the metadata of sample 1 of .*must be a JSON object"),
    ],
)
def test_wrong_fields_name_the_sample(tmp_path, fields, message):
    with pytest.raises(InputError, match=message):
        read(evaluation(tmp_path, sample(**fields)), Choices())


def test_logs_that_lack_what_is_needed(tmp_path):
    with pytest.raises(InputError, match="has no samples"):
        read(evaluation(tmp_path), Choices())
    with pytest.raises(InputError, match="has no scorer"):
        read(evaluation(tmp_path, sample(scores={})), Choices())
    with pytest.raises(InputError, match=r"sample 1 of summaries.json in .*must be a JSON object; it is 3"):
        read(evaluation(tmp_path, 3), Choices())
    with pytest.raises(InputError, match=r"header.json in .*must be a JSON object"):
        read(evaluation(tmp_path, sample(), header=[]), Choices())
    path = deflated(tmp_path / "log.eval", [("summaries.json", {})])
    with pytest.raises(InputError, match=r"has no header.json"):
        read(path, Choices())
    path = deflated(tmp_path / "log.eval", [("summaries.json", {}), ("header.json", HEADER)])
    with pytest.raises(InputError, match=r"summaries.json in .*must be a list; it is an object"):
        read(path, Choices())


def test_it_is_known_by_what_is_in_it(tmp_path):
    assert all(recognise(Opening(path)) for path in DATA.iterdir())
    path = tmp_path / "log.json"
    path.write_text(json.dumps({**HEADER, "samples": [sample(n) for n in range(5000)]}))
    assert recognise(Opening(path))
    for other in ({"eval": "x"}, {"eval": {"task": 1}}, [HEADER], {"status": "success"}):
        path.write_text(json.dumps(other))
        assert not recognise(Opening(path))
    assert not recognise(Opening(deflated(tmp_path / "x.zip", [("header.json", HEADER)])))
    assert not recognise(Opening(deflated(tmp_path / "x.zip", [("summaries.json", [])])))


@pytest.mark.parametrize(
    ("path", "many", "group"), [(SMALL, 300, "continent"), (LARGE, 60, None), (LARGE.with_suffix(".json"), 150, None)]
)
def test_mutants(tmp_path, path, many, group):
    reader = READERS["inspect_ai log"]
    choices = Choices(scorer="match", group=group)
    found = [
        survives(tmp_path / f"m{path.suffix}", each, reader, choices) for each in mutants(path.read_bytes(), 3, many)
    ]
    assert 0 < sum(found) < many
