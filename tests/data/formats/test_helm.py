import json
from pathlib import Path

import pytest

from referee.data.formats.base import HEAD, Choices, Opening
from referee.data.formats.helm import is_helm, read
from referee.errors import InputError, NameUnknown, OptionError
from tests.data.formats import damage

DATA = Path(__file__).parents[2] / "samples" / "helm"
OLD, NEW = (DATA / name / "per_instance_stats.json" for name in ("old", "new"))
EXACT = Choices(score="exact_match")


def stat(name="em", mean=1.0, **more):
    return {"name": {"name": name, "split": "test"}, "count": 1, "sum": mean, "mean": mean, **more}


def entry(instance="id1", trial=0, stats=None, **more):
    return {"instance_id": instance, "train_trial_index": trial, "stats": [stat()] if stats is None else stats, **more}


def written(folder, data, name="x.json"):
    path = folder / name
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


def found(path, choices=EXACT):
    (run,) = read(path, choices)
    keys = [(*one, repeat) for one, repeat in zip(run.rows["id"], run.rows["repeat"], strict=True)]
    return dict(zip(keys, run.rows["value"], strict=True))


def test_the_mean_of_a_statistic_by_instance_perturbation_and_trial():
    values = found(NEW)
    assert len(values) == 24
    assert values["id4", None, 0] == 1.0
    assert values["id4", "typos", 0] == 0.0
    assert [values["id6", "typos", trial] for trial in (0, 1)] == [1.0, 1.0]
    assert [values["id6", None, trial] for trial in (0, 1)] == [1.0, 0.0]


def test_an_instance_and_its_perturbed_forms_are_a_group():
    (run,) = read(OLD, EXACT)
    assert run.system == "old"
    assert run.rows["group"] == [instance for instance, _ in run.rows["id"]]
    assert "an instance and its perturbed forms are one group" in run.notes


def test_without_perturbations_there_are_no_groups(tmp_path):
    (run,) = read(written(tmp_path, [entry("a"), entry("b", stats=[stat(mean=0)])]), Choices())
    assert run.rows == {"id": [["a", None], ["b", None]], "value": [1.0, 0.0], "repeat": [0, 0]}


def test_statistics_are_a_choice():
    with pytest.raises(
        OptionError, match="several scores: exact_match, f1_score, num_prompt_tokens; name one with score="
    ):
        read(OLD, Choices())
    with pytest.raises(NameUnknown, match=r"exact_mach.*did you mean 'exact_match'"):
        read(OLD, Choices(score="exact_mach"))
    assert found(OLD, Choices(score="f1_score"))["id1", None, 0] == 0.75


def test_each_metric_may_have_an_entry_of_its_own(tmp_path):
    data = [
        entry("a", stats=[stat("em", 1.0)]),
        entry("b", stats=[stat("em", 0.0)]),
        entry("a", stats=[stat("tokens", 9)]),
    ]
    path = written(tmp_path, [*data, entry("c", stats=[stat("tokens", 9)])])
    assert found(path, Choices(score="em")) == {("a", None, 0): 1.0, ("b", None, 0): 0.0, ("c", None, 0): None}


def test_said_twice_must_be_said_alike(tmp_path):
    assert found(written(tmp_path, [entry(), entry()]), Choices()) == {("id1", None, 0): 1.0}
    with pytest.raises(InputError, match=r"gives two values of 'em' for instance 'id1': 1.0 and 0.0"):
        read(written(tmp_path, [entry(), entry(stats=[stat(mean=0.0)])]), Choices())


def test_perturbations_of_one_name_are_told_apart(tmp_path):
    data = [entry(perturbation={"name": "typos", "prob": prob}) for prob in (0.1, 0.2)]
    data.append(entry(perturbation={"name": "dialect", "prob": 1}))
    labels = {label for _, label, _ in found(written(tmp_path, data), Choices())}
    assert labels == {'{"name": "typos", "prob": 0.1}', '{"name": "typos", "prob": 0.2}', "dialect"}


def test_a_mean_of_nothing_is_missing(tmp_path):
    stats = [{"name": {"name": "em"}, "count": 0, "sum": 0}]
    path = written(tmp_path, [entry("a", stats=stats), entry("b", stats=[stat(mean=float("nan"))])])
    assert found(path, Choices()) == {("a", None, 0): None, ("b", None, 0): None}


def test_splits_taken_together_are_said(tmp_path):
    valid = {"name": {"name": "em", "split": "valid"}, "count": 1, "sum": 1, "mean": 1}
    (run,) = read(written(tmp_path, [entry("a"), entry("b", stats=[valid])]), Choices())
    assert "instances of the splits test and valid are taken together" in run.notes


def test_requests_are_no_scores():
    with pytest.raises(InputError, match=r"went through, not that the answer was right.*per_instance_stats\.json"):
        read(DATA / "scenario_state.json", Choices())


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("qa:mode=open,model=acme_small", ("acme_small", "qa:mode=open")),
        ("qa:model=acme_small,split=test", ("acme_small", "qa:split=test")),
        ("qa:model=acme_small", ("acme_small", "qa")),
        ("qa:mode=open", ("qa:mode=open", "")),
        ("plain", ("plain", "")),
    ],
)
def test_the_folder_names_the_model_and_the_task(tmp_path, folder, expected):
    place = tmp_path / folder
    place.mkdir()
    (run,) = read(written(place, [entry()], "per_instance_stats.json"), Choices())
    assert (run.system, run.task) == expected


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"a": 1}, "is not a list of instances"),
        ([entry(), 3], "item 2 of .* must be a JSON object; it is 3"),
        ([entry(instance=3.5)], "the instance_id of item 1 of .* must be a text or a whole number; it is 3.5"),
        ([{"train_trial_index": 0, "stats": []}], "instance_id of .* must be .*; it is null"),
        ([entry(trial="0")], "train_trial_index of .* must be a whole number; it is '0'"),
        ([entry(trial=True)], "train_trial_index of .* must be a whole number; it is true"),
        ([entry(perturbation="typos")], "perturbation of .* must be a JSON object; it is 'typos'"),
        ([entry(perturbation={"prob": 1})], "the perturbation of .* has no name"),
        ([entry(stats={"em": 1})], "stats of .* must be a list; it is an object"),
        ([entry(stats=[3])], "a statistic has no name"),
        ([entry(stats=[{"name": "em", "mean": 1}])], "a statistic has no name"),
        ([entry(stats=[stat(mean="high")])], "the mean of 'em' must be a number; it is 'high'"),
        ([entry(stats=[{"name": {"name": "em"}, "count": 2, "sum": 1}])], "'em' has no mean"),
        ([entry(stats=[stat(mean=10**400)])], "the mean of 'em' is (too large|not a finite)"),
        ([entry(stats=[])], "has no score"),
        ([], "has no score"),
        ('[{"instance_id": "a", "sta', "not JSON"),
    ],
)
def test_broken_files_are_refused(tmp_path, data, message):
    with pytest.raises(InputError, match=message):
        read(written(tmp_path, data), Choices())


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ([entry()], True),
        ([entry()] * HEAD, True),
        ([entry(stats=[stat(str(place)) for place in range(HEAD)])], True),
        ([entry(stats=[])], True),
        ([{"instance_id": "a", "train_trial_index": 0, "stats": {"em": 1.0}}], False),
        ([{"instance_id": "a"}], False),
        ([stat()], False),
        ([], False),
        ({"adapter_spec": {}, "request_states": []}, True),
        ({"adapter_spec": {}}, False),
        ("", False),
    ],
)
def test_recognised_by_its_fields(tmp_path, data, expected):
    assert is_helm(Opening(written(tmp_path, data))) is expected


def test_no_other_reader_takes_it():
    assert [damage.claimed(path) for path in (OLD, NEW, DATA / "scenario_state.json")] == [["HELM statistics"]] * 3


def test_damage_is_refused_or_read(tmp_path):
    read_, refused = damage.survives("HELM statistics", OLD, EXACT, tmp_path)
    assert refused > 10
    assert read_ > 0
