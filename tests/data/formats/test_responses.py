"""What systems responded and the right answers, which logs have beside the scores, and how often a log is read for them."""

import json
import pickle
import shutil
from collections import Counter
from pathlib import Path

import pytest

import referee
from referee.cli.main import main
from referee.data.examples import Example
from referee.data.formats import json_fields
from referee.data.formats.pairing import read

SAMPLES = Path(__file__).parents[2] / "samples"


def seen(*sources, **named):
    return {one.id: one for one in referee.compare(read(*sources, **named)).examples()}


def told(one: Example):
    return one.response_a, one.truth, one.response_b


def test_a_harness_tells_the_response_as_it_was_before_the_filter():
    found = seen(SAMPLES / "lm-eval" / "acme__small", SAMPLES / "lm-eval" / "acme__large", filter="flexible-extract")
    assert told(found["1"]) == ("The answer is 0.", "11", "The answer is 11.")
    assert (found["1"].a, found["1"].b, found["1"].right) == ("0", "1", "b")


def test_a_harness_tells_the_choice_that_was_most_likely(tmp_path):
    docs = [
        {"question": "Sky?", "choices": ["green", "blue"]},
        {"question": "Sea?", "choices": {"text": ["wet", "dry"], "label": ["A", "B"]}},
        {"query": "Left?"},
    ]
    for name, odds in (("old", [-1.0, -2.0]), ("new", [-2.0, -1.0])):
        rows = [
            {"doc_id": place, "doc": doc, "target": "1", "resps": [[[str(one), "False"]] for one in odds],
             "filtered_resps": [[str(one), "False"] for one in odds], "acc": float(name == "new")}
            for place, doc in enumerate(docs)
        ]  # fmt: skip
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    found = seen(tmp_path / "old.jsonl", tmp_path / "new.jsonl")
    assert [told(one) for one in found.values()] == [
        ("green", "blue", "blue"),
        ("wet", "dry", "dry"),
        ("choice 1", "choice 2", "choice 2"),
    ]


@pytest.mark.parametrize(
    "odd", [{"resps": 3}, {"resps": [[]]}, {"filtered_resps": [[None, 1]]}, {"resps": {"a": 1}}, {"target": {"x": 1}}, {"target": 7}]
)  # fmt: skip
def test_odd_responses_of_a_harness_harm_nothing(tmp_path, odd):
    for name, right in (("old", 0.0), ("new", 1.0)):
        row = {"doc_id": 1, "doc": {"question": "Why?"}, "target": "", "resps": [], "acc": right, **odd}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row))
    assert list(seen(tmp_path / "old.jsonl", tmp_path / "new.jsonl")) == ["1"]


@pytest.mark.parametrize("output", [{"completion": "Oslo."}, {"choices": [{"message": {"content": "Oslo."}}]}, None])
def test_inspect_tells_the_completion_or_else_what_the_scorer_found(tmp_path, output):
    for name, mark in (("old", "I"), ("new", "C")):
        sample = {"id": 1, "epoch": 1, "input": "Norway?", "target": ["Oslo", "Christiania"], "output": output,
                  "scores": {"match": {"value": mark, "answer": "Oslo."}}}  # fmt: skip
        log = {"version": 2, "status": "success", "eval": {"task": "t", "model": name}, "samples": [sample]}
        (tmp_path / f"{name}.json").write_text(json.dumps(log))
    (found,) = seen(tmp_path / "old.json", tmp_path / "new.json").values()
    assert told(found) == ("Oslo.", "Oslo / Christiania", "Oslo.")


def test_no_response_is_that_of_a_mean_over_epochs(tmp_path):
    for name, marks in (("old", "II"), ("new", "CI")):
        samples = [
            {"id": 1, "epoch": epoch, "input": "Norway?", "target": "Oslo", "output": {"completion": f"try {epoch}"},
             "scores": {"match": {"value": mark}}}
            for epoch, mark in enumerate(marks, 1)
        ]  # fmt: skip
        log = {"version": 2, "status": "success", "eval": {"task": "t", "model": name}, "samples": samples}
        (tmp_path / f"{name}.json").write_text(json.dumps(log))
    sources = tmp_path / "old.json", tmp_path / "new.json"
    assert [told(one) for one in seen(*sources).values()] == [(None, "Oslo", None)]
    assert [told(one) for one in seen(*sources, repeats="group").values()] == [("try 1", "Oslo", "try 1")]


def test_openai_evals_tells_what_was_sampled():
    folder = SAMPLES / "openai-evals"
    found = seen(folder / "acme-small.jsonl", folder / "acme-large.jsonl", missing="wrong")
    assert told(found["opposites.dev.1"]) == ("up", "down", "down")
    assert found["opposites.dev.4"].a == "(missing)" and told(found["opposites.dev.4"]) == (None, "late", "late")


def test_promptfoo_tells_the_output():
    found = seen(SAMPLES / "promptfoo" / "both.json", missing="wrong")
    assert all(one.response_a and one.truth is None for one in found.values() if one.a != "(missing)")


@pytest.mark.parametrize("beside", ["scenario_state.json", "display_predictions.json"])
def test_helm_tells_the_completion_beside_the_statistics(tmp_path, beside):
    for name, score, words in (("old", 0.0, "5"), ("new", 1.0, "4")):
        (tmp_path / name).mkdir()
        stats = [{"name": {"name": "exact_match", "split": "test"}, "count": 1, "mean": score}]
        entry = [{"instance_id": "id1", "train_trial_index": 0, "stats": stats}]
        (tmp_path / name / "per_instance_stats.json").write_text(json.dumps(entry))
        instance = {"id": "id1", "input": {"text": "2 + 2?"}}
        instance["references"] = [{"output": {"text": "4"}, "tags": ["correct"]}, {"output": {"text": "5"}, "tags": []}]
        state = {"instance": instance, "train_trial_index": 0, "result": {"completions": [{"text": words}]}}
        shown = {"adapter_spec": {}, "request_states": [state]}
        if beside != "scenario_state.json":
            (tmp_path / name / "instances.json").write_text(json.dumps([instance]))
            shown = [{"instance_id": "id1", "train_trial_index": 0, "predicted_text": words}]
        (tmp_path / name / beside).write_text(json.dumps(shown))
    (found,) = seen(tmp_path / "old", tmp_path / "new", score="exact_match").values()
    assert (found.text, *told(found)) == ("2 + 2?", "5", "4", "4")


def test_a_page_shows_responses_escaped_and_cut(tmp_path):
    for name, right, said in (("old", 0.0, "<script>alert(1)</script>"), ("new", 1.0, "long " * 1000)):
        row = {"doc_id": 1, "doc": {"question": "Why?"}, "target": "<b>so</b>", "resps": [[said]], "acc": right}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row))
    result = referee.compare(read(tmp_path / "old.jsonl", tmp_path / "new.jsonl"))
    result.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text().replace("<wbr>", "")
    assert "&lt;script&gt;alert(1)" in page and "&lt;b&gt;so&lt;/b&gt;" in page
    assert "<script>alert" not in page and "<b>so" not in page
    (one,) = result.examples()
    assert len(one.response_b) == 300 and one.response_b.endswith("…")


def test_scores_that_are_not_right_or_wrong_stand_before_the_response(tmp_path):
    for name, score in (("old", 0.25), ("new", 0.5)):
        row = {"doc_id": 1, "doc": {"question": "Why?"}, "target": "", "resps": [[f"by {name}"]], "bleu": score}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row))
    result = referee.compare(read(tmp_path / "old.jsonl", tmp_path / "new.jsonl"))
    result.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "0.25: by old" in page and "0.5: by new" in page


def several_tasks(folder, tasks):
    for system in ("acme__small", "acme__large"):
        (file,) = (SAMPLES / "lm-eval" / system).iterdir()
        (folder / system).mkdir()
        for task in tasks:
            shutil.copy(file, folder / system / file.name.replace("word_sums", task))
    return folder / "acme__small", folder / "acme__large"


@pytest.fixture
def readings(monkeypatch):
    """How often each log was opened to be read whole."""
    opened, times = json_fields.opened, Counter()

    def counted(path):
        times[path] += 1
        return opened(path)

    monkeypatch.setattr(json_fields, "opened", counted)
    return times


def test_a_page_of_many_tasks_opens_each_log_once(tmp_path, readings):
    sources = several_tasks(tmp_path, [f"sums_{place}" for place in range(6)])
    main(["compare", *map(str, sources), "--filter", "strict-match", "--html", str(tmp_path / "page.html")])
    assert "The answer is 11." in (tmp_path / "page.html").read_text().replace("<wbr>", "")
    assert len(readings) == 12 and set(readings.values()) == {1}


def test_a_page_of_a_result_opens_each_log_once_more(tmp_path, readings):
    sources = several_tasks(tmp_path, [f"sums_{place}" for place in range(6)])
    result = referee.compare(read(*sources, filter="strict-match"))
    assert set(readings.values()) == {1}
    for times in (2, 3):
        result.to_html(tmp_path / "page.html")
        assert set(readings.values()) == {times}
    assert [len(one.examples()) for one in pickle.loads(pickle.dumps(result))] == [3] * 6
    assert set(readings.values()) == {4}
    kept = referee.compare(read(*sources, filter="strict-match", examples=True))
    assert set(readings.values()) == {5}
    assert [one.examples() for one in kept] == [one.examples() for one in result]
    assert set(readings.values()) == {6}
