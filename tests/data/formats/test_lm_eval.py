import gzip
import json
from pathlib import Path

import pytest

from referee.data.formats.base import READERS, Choices, Opening
from referee.data.formats.lm_eval import read, recognise
from referee.errors import InputError, NameUnknown, OptionError
from tests.data.formats.mutants import mutants, survives

DATA = Path(__file__).parents[2] / "samples" / "lm-eval"
SMALL = DATA / "acme__small" / "samples_word_sums_2026-08-01T10-11-12.345678.jsonl"
LARGE = DATA / "acme__large" / "samples_word_sums_2026-08-02T09-00-00.000001.jsonl"


def row(place=0, **fields):
    base = {"doc_id": place, "doc": {"q": "?"}, "target": "x", "resps": [["x"]], "filtered_resps": ["x"]}
    return {**base, "filter": "none", "metrics": ["acc"], "acc": 1.0, **fields}


def old(place=0, **fields):
    return {key: value for key, value in row(place, **fields).items() if key not in ("filter", "metrics")}


def write(folder, *rows, name="run.jsonl"):
    path = folder / name
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return path


def test_one_row_a_document_of_the_filter_that_was_chosen():
    (run,) = read(SMALL, Choices(filter="strict-match"))
    assert (run.system, run.task) == ("acme__small", "word_sums")
    assert dict(zip(run.rows["id"], run.rows["value"], strict=True)) == dict(enumerate([1, 0, 1, 0, 1, 0, 0, 0]))
    (other,) = read(SMALL, Choices(filter="flexible-extract"))
    assert dict(zip(other.rows["id"], other.rows["value"], strict=True)) == dict(enumerate([1, 0, 1, 1, 1, 0, 1, 0]))


def test_hashes_of_document_and_target_agree_between_runs_and_the_prompts_do_not_matter():
    runs = [read(path, Choices(filter="strict-match"))[0] for path in (SMALL, LARGE)]
    checks = [dict(zip(run.rows["id"], run.rows["check"], strict=True)) for run in runs]
    assert checks[0] == checks[1]
    assert len(set(checks[0].values())) == 8
    assert runs[0].rows["id"] != runs[1].rows["id"]


def test_several_filters_need_a_choice():
    with pytest.raises(OptionError, match=r"several filters: .*strict-match.*filter="):
        read(SMALL, Choices())
    with pytest.raises(NameUnknown, match="did you mean 'strict-match'"):
        read(SMALL, Choices(filter="strictmatch"))


def test_a_group_is_a_field_of_the_document():
    (run,) = read(SMALL, Choices(filter="strict-match", group="passage"))
    assert dict(zip(run.rows["id"], run.rows["group"], strict=True))[5] == "rope"
    with pytest.raises(NameUnknown, match="did you mean 'passage'"):
        read(SMALL, Choices(filter="strict-match", group="pasage"))


def test_one_of_several_metrics_is_chosen_and_lists_are_none(tmp_path):
    path = write(tmp_path, row(acc_norm=0, bleu=["x", "y"], metrics=["acc", "acc_norm", "bleu"]))
    with pytest.raises(OptionError, match=r"several scores: acc, acc_norm; name one with score="):
        read(path, Choices())
    assert read(path, Choices(score="acc_norm"))[0].rows["value"] == [0.0]
    with pytest.raises(InputError, match=r"whole corpus.*name one of acc, acc_norm with score="):
        read(path, Choices(score="bleu"))
    with pytest.raises(InputError, match=r"under ppl, .*whole corpus.*another metric"):
        read(write(tmp_path, row(ppl=[-3.5, 7], metrics=["ppl"])), Choices())


def test_old_files_name_neither_filter_nor_metrics_nor_hashes(tmp_path):
    path = write(tmp_path, old(0, acc=True), old(1, acc=False), name="samples_a.jsonl")
    (run,) = read(path, Choices())
    assert {role: run.rows[role] for role in ("id", "value")} == {"id": [0, 1], "value": [1.0, 0.0]}
    assert "check" not in run.rows
    assert len(run.rows["likeness"]) == 2
    assert (run.system, run.task) == ("samples_a", "")
    assert recognise(Opening(path))


def test_what_was_not_scored_has_no_value(tmp_path):
    path = write(tmp_path, row(0), row(1, acc=float("nan")), row(2, metrics=[]))
    assert read(path, Choices())[0].rows["value"] == [1.0, None, None]


def test_byte_order_mark_line_ends_blank_lines_and_gzip(tmp_path):
    lines = b"\xef\xbb\xbf" + b"\r\n".join(json.dumps(row(place)).encode() for place in range(3)) + b"\r\n\r\n"
    path = tmp_path / "samples_t_2026-01-01T00-00-00.jsonl.gz"
    path.write_bytes(gzip.compress(lines))
    assert recognise(Opening(path))
    (run,) = read(path, Choices())
    assert (run.task, run.system, run.rows["id"]) == ("t", tmp_path.name, [0, 1, 2])


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"doc_id": None}, r"doc_id of line 2 of .* must be a text or a whole number; it is null"),
        ({"doc_id": True}, "it is true"),
        ({"doc_id": "\ud800"}, "half a character"),
        ({"filter": 3}, "filter of line 2 of .* must be a text; it is 3"),
        ({"metrics": "acc"}, "metrics of line 2 of .* list of names; they are 'acc'"),
        ({"metrics": [[]]}, "list of names; they are a list"),
        ({"acc": "yes"}, "acc of line 2 of .* must be a number; it is 'yes'"),
        ({"acc": 10**400}, "too large for a number"),
        ({"doc_hash": [], "target_hash": "x"}, "doc_hash of line 2 of"),
    ],
)
def test_wrong_fields_name_the_line(tmp_path, fields, message):
    with pytest.raises(InputError, match=message):
        read(write(tmp_path, row(0), row(1, **fields)), Choices())


def test_a_group_that_cannot_be_one(tmp_path):
    with pytest.raises(InputError, match=r"doc of line 1 of .*must be a JSON object; it is 'text'"):
        read(write(tmp_path, row(doc="text")), Choices(group="q"))
    with pytest.raises(InputError, match=r"the group 'q' of line 1 of .*must be a text or a number; it is a list"):
        read(write(tmp_path, row(doc={"q": [1]})), Choices(group="q"))


def test_empty_and_cut_files(tmp_path):
    with pytest.raises(InputError, match="is empty"):
        read(write(tmp_path), Choices())
    path = tmp_path / "cut.jsonl"
    path.write_text(json.dumps(row()) + "\n" + json.dumps(row())[:30])
    with pytest.raises(InputError, match=r"line 2 of .* is not JSON"):
        read(path, Choices())


def test_rows_longer_than_what_is_looked_at_are_known_by_how_they_begin(tmp_path):
    assert recognise(Opening(write(tmp_path, row(doc={"text": "x" * 100}, arguments="y" * 100_000))))
    assert not recognise(Opening(write(tmp_path, {"id": 1, "text": "x" * 100_000})))
    assert not recognise(Opening(write(tmp_path, {"doc_id": 1, "score": 0.5})))


def test_mutants(tmp_path):
    reader = READERS["lm-evaluation-harness samples"]
    content = SMALL.read_bytes()
    choices = Choices(filter="strict-match", group="passage")
    read_well = [survives(tmp_path / "m.jsonl", each, reader, choices) for each in mutants(content, 5, 300)]
    assert 10 < sum(read_well) < 290
