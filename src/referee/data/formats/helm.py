"""HELM: the statistics of each instance, which a run of HELM writes to per_instance_stats.json."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from referee.data.formats.base import Choices, Opening, Run, choose, reader, stem
from referee.data.formats.json_fields import Item, items, load_json, score, spelt
from referee.data.roles import SCORE
from referee.data.value_text import excerpt, right_answer
from referee.errors import InputError

Key: TypeAlias = tuple[str | int, str | None, int]
"""An instance, how it was perturbed (as JSON; None where it is as it was), and the trial."""
Stat: TypeAlias = tuple[str, str | None, float | None]
"""The name, the split and the mean of a statistic."""
Entry: TypeAlias = tuple[Key, list[Stat]]
"""What one metric of HELM says of an instance; other metrics may have entries of their own for it."""
FILE = "per_instance_stats"
MODEL = "model="
BESIDE = ("instances.json", "scenario_state.json", "display_predictions.json")
"""Files of a run that say what the instances ask, and what the model responded."""


def is_helm(opening: Opening) -> bool:
    """Say whether a file is a list of instances with their statistics, or the requests of such a run."""
    start = opening.json
    first = start[0] if isinstance(start, list) and start else None
    return _is_requests(start) or (
        isinstance(first, dict)
        and "instance_id" in first
        and isinstance(first.get("stats"), list)
        and all(isinstance(stat, dict) and isinstance(stat.get("name"), dict) for stat in first["stats"][:1])
    )


def _is_requests(found: Any) -> bool:
    return isinstance(found, dict) and isinstance(found.get("adapter_spec"), dict) and "request_states" in found


@reader("HELM statistics", recognises=is_helm, options=(SCORE,), beside=BESIDE)
def read(path: Path, choices: Choices) -> list[Run]:
    """Read the mean of one statistic for each instance, perturbation and trial.

    Raises:
        InputError: if a field is missing or of a wrong type, or the file says only that requests went through.
    """
    data = load_json(path)
    if _is_requests(data):
        requests = f"{path} holds HELM's requests, whose result.success means that a request went through, not that the answer was right"
        raise InputError(requests, remedy=f"the scores are in {FILE}.json, in the same folder")
    if not isinstance(data, list):
        raise InputError(f"{path} is not a list of instances, as HELM's {FILE}.json is")
    entries = list(map(_entry, items(data, "item", str(path))))
    wanted = choose("score", [name for _, stats in entries for name, _, _ in stats], choices, path)
    values = _values(entries, wanted, path)
    labels = _labels(entries)
    rows: dict[str, list[Any]] = {
        "id": [[instance, labels[perturbation]] for instance, perturbation, _ in values],
        "value": list(values.values()),
        "repeat": [trial for _, _, trial in values],
    }
    if len(labels) > 1:
        rows["group"] = [instance for instance, _, _ in values]
    if choices.texts:
        shown = _shown(path)
        for role in ("text", "target"):
            rows[role] = [shown.get((role, *instance), {}).get(None) for *instance, _ in values]
        rows["response"] = [shown.get(("response", *instance), {}).get(trial) for *instance, trial in values]
    system, task = _name(path)
    notes = tuple(_notes(entries, wanted, len(labels) > 1))
    return [Run(system=system, task=task, rows=rows, notes=notes, chosen={"score": wanted})]


def _shown(path: Path) -> dict[tuple[Any, ...], dict[Any, str | None]]:
    """Return what is only shown of instances, from the files that HELM puts beside; nothing where there are none.

    Returns:
        Texts, targets and responses, by these words, the instance and its perturbation; responses then by their trial.
    """
    shown: dict[tuple[Any, ...], dict[Any, str | None]] = {}
    for file in filter(Path.is_file, map(path.with_name, BESIDE)):
        try:
            data = load_json(file)
        except InputError:
            continue
        states = data.get("request_states") if isinstance(data, dict) else data
        for state in states if isinstance(states, list) else []:
            instance: Any = state.get("instance", state) if isinstance(state, dict) else None
            if not isinstance(instance, dict):
                continue
            known = (
                instance
                if instance is not state
                else {**instance, "id": instance.get("id", instance.get("instance_id"))}
            )
            if not isinstance(known.get("id"), str | int):
                continue
            perturbed = known.get("perturbation")
            place = known["id"], None if perturbed is None else spelt(perturbed, "perturbation")
            response, trial = _response(state), state.get("train_trial_index")
            for role, text, under in (
                ("text", _words(known.get("input")), None),
                ("target", _target(known.get("references")), None),
                ("response", response, trial if isinstance(trial, int) else None),
            ):
                if text is not None:
                    shown.setdefault((role, *place), {}).setdefault(under, excerpt(text))
    return shown


def _words(given: Any) -> str | None:
    text = given.get("text") if isinstance(given, dict) else given
    return text if isinstance(text, str) else None


def _target(references: Any) -> str | None:
    """Return the references that are correct."""
    listed = [one for one in references if isinstance(one, dict)] if isinstance(references, list) else []
    right = [one for one in listed if isinstance(one.get("tags"), list) and "correct" in one["tags"]]
    return right_answer([text for one in right if (text := _words(one.get("output"))) is not None])


def _response(state: dict[str, Any]) -> str | None:
    """Return what a model wrote, of a request or of a prediction that is to be displayed."""
    result = state.get("result")
    completions = result.get("completions") if isinstance(result, dict) else None
    first = completions[0] if isinstance(completions, list) and completions else None
    return _words(state.get("predicted_text", first))


def _entry(item: Item) -> Entry:
    perturbation = item.get("perturbation")
    if perturbation is not None:
        if not isinstance(item.typed("perturbation", "a JSON object").get("name"), str):
            raise InputError(f"the perturbation of {item.where} has no name")
        perturbation = spelt(perturbation, f"the perturbation of {item.where}")
    instance = item.typed("instance_id", "a text or a whole number")
    return (instance, perturbation, item.typed("train_trial_index", "a whole number")), list(_stats(item))


def _stats(item: Item) -> Iterator[Stat]:
    for stat in item.typed("stats", "a list"):
        name = stat.get("name") if isinstance(stat, dict) else None
        if not isinstance(name, dict) or not isinstance(name.get("name"), str):
            raise InputError(f"{item.where}: a statistic has no name")
        if "mean" not in stat and stat.get("count", 0) != 0:  # HELM leaves out what is None: the mean of nothing
            raise InputError(f"{item.where}: the statistic {name['name']!r} has no mean")
        split = name.get("split")
        mean = score(stat.get("mean"), f"{item.where}: the mean of {name['name']!r}")
        yield name["name"], split if isinstance(split, str) else None, mean


def _values(entries: list[Entry], wanted: str, path: Path) -> dict[Key, float | None]:
    """Return the score by instance, perturbation and trial; None where no entry of theirs has it."""
    values: dict[Key, list[float | None]] = {}
    for key, stats in entries:
        own = values.setdefault(key, [])
        own += [mean for name, _, mean in stats if name == wanted]
        others = [mean for mean in own if mean != own[0]]
        if others:
            raise InputError(f"{path} gives two values of {wanted!r} for instance {key[0]!r}: {own[0]} and {others[0]}")
    return {key: own[0] if own else None for key, own in values.items()}


def _labels(entries: list[Entry]) -> dict[str | None, str | None]:
    """Return what a perturbation is called: its name, or all of its description where several have the name."""
    names = {one: str(json.loads(one)["name"]) for (_, one, _), _ in entries if one is not None}
    times = Counter(names.values())
    return {None: None, **{one: one if times[name] > 1 else name for one, name in names.items()}}


def _notes(entries: list[Entry], wanted: str, perturbed: bool) -> Iterator[str]:
    yield f"the score is {wanted}"
    splits = sorted({split for _, stats in entries for name, split, _ in stats if name == wanted and split})
    if len(splits) > 1:
        yield f"instances of the splits {' and '.join(splits)} are taken together"
    if perturbed:
        yield "an instance and its perturbed forms are one group"


def _name(path: Path) -> tuple[str, str]:
    """Return the system and the task, from the folder, which HELM calls `scenario:key=value,model=name`."""
    if stem(path) != FILE:
        return stem(path), ""
    folder = path.resolve().parent.name
    scenario, colon, rest = folder.partition(":")
    options = rest.split(",")
    models = [option.removeprefix(MODEL) for option in options if option.startswith(MODEL)]
    if not colon or len(models) != 1:
        return folder or FILE, ""
    others = ",".join(option for option in options if not option.startswith(MODEL))
    return models[0], f"{scenario}:{others}" if others else scenario
