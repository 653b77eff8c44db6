"""The log of inspect_ai: an .eval file, which is a ZIP file of JSON, or the whole log as one JSON file."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from referee.data.formats.base import ZIP, Choices, Opening, Run, choose, columns, known_name, reader, stem
from referee.data.formats.json_fields import Item, Packed, items, load_json, name, score, typed, unpacking
from referee.data.roles import LOG, SCORE
from referee.data.value_text import excerpt, right_answer, said
from referee.errors import InputError

HEADER, START = "header.json", "_journal/start.json"
"""What an .eval file says about the run: at its end, and at its start, which is all that a run that was cut off has."""
SUMMARIES = "summaries.json"
SAMPLE = re.compile(r"samples/.+_epoch_\d+(\.json|/sample\.json)")
JOURNAL = re.compile(r"_journal/summaries/(\d+)\.json")
LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""Correct, incorrect, partial and no answer, and what the tool counts them."""
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
BEGINNING = 100
"""How many characters of a question tell it from others."""
UNNAMED = "score"
"""What the only scorer of the oldest logs is called here, as they do not name it."""
SCORER = LOG("scorer", "Which scorer, for a log of inspect.", label="Scorer", of_several=True)


@dataclass(frozen=True)
class Sample:
    """What a log says about one sample in one epoch."""

    where: str
    id: Any
    epoch: int
    scores: dict[str, Any]
    """The value that each scorer gave; None where the sample failed."""
    metadata: dict[str, Any]
    asked: str
    """How the question and the right answer begin."""
    text: str | None
    """The question, where it is asked for."""
    target: str | None = None
    output: str | None = None
    """The response, where it is asked for; summaries do not have it."""
    answers: Mapping[str, str | None] = field(default_factory=dict)
    """What each scorer found in the response."""


def recognise(opening: Opening) -> bool:
    """Say whether it is a ZIP file with a header and samples, or JSON that begins as such a log does."""
    if opening.head.startswith(ZIP):
        names = opening.members
        return not {HEADER, START}.isdisjoint(names) and any(
            name == SUMMARIES or name.startswith(("samples/", "_journal/")) for name in names
        )
    first = opening.first_json
    spec = first.get("eval") if isinstance(first, dict) else None
    return isinstance(spec, dict) and "task" in spec and not spec.keys().isdisjoint(("model", "dataset"))


@reader("inspect_ai log", recognises=recognise, roles=("group", "text"), options=(SCORER, SCORE))
def read(path: Path, choices: Choices) -> list[Run]:
    """Read what one scorer gave each sample in each epoch.

    Raises:
        InputError: if there are no samples, or one is there twice in one epoch, so that nothing says which counts.
    """
    header, samples = _open_log(path, choices)
    if not samples:
        raise InputError(f"{path} has no samples; was the log written with its samples?")
    (sample, epoch), times = Counter((sample.id, sample.epoch) for sample in samples).most_common(1)[0]
    if times > 1:
        raise InputError(f"{path} has sample {sample!r} twice in epoch {epoch}", remedy="write the log again")
    scorers = list(dict.fromkeys(scorer for sample in samples for scorer in sample.scores))
    then = {"score": _keys(samples, scorers[0]) or [""]} if scorers else {}
    scorer = choose("scorer", scorers, choices, path, then=then)
    keys = _keys(samples, scorer)
    if keys is None:
        known_name("score", choices.get("score", scorer), [scorer])
    key = None if keys is None else choose("score", keys, choices, path)
    rows = columns([_roles(sample, choices, scorer) | {"value": _value(sample, scorer, key)} for sample in samples])
    spec = header["eval"] if isinstance(header.get("eval"), dict) else {}
    status = name(header.get("status"), "started")
    warnings = () if status == "success" else (f"the run of {path.name} did not end well: its status is {status!r}",)
    chosen = {"scorer": scorer} | ({"score": key} if key is not None else {})
    system = name(spec.get("model"), stem(path))
    return [Run(system=system, task=name(spec.get("task")), rows=rows, warnings=warnings, chosen=chosen)]


def _open_log(path: Path, choices: Choices) -> tuple[Item, list[Sample]]:
    """Return what a log says about the run, and its samples; of an .eval file as `_packed_samples` finds them."""
    if not Opening(path).head.startswith(b"PK"):
        log = Item(load_json(path), str(path))
        return log, _samples(log.get("samples") or [], f"the samples of {path}", choices)
    with unpacking(path) as packed:
        header = HEADER if HEADER in packed.names else START
        if header not in packed.names:
            raise InputError(f"{path} has no {HEADER}; is it a log of inspect_ai?")
        return Item(packed.load(header), f"{header} in {path}"), _packed_samples(packed, choices)


def _packed_samples(packed: Packed, choices: Choices) -> list[Sample]:
    """Return the samples of an .eval file: from the summaries, or each from its own file, or from the journal."""

    def listed(file: str) -> list[Sample]:
        return _samples(packed.load(file), f"{file} in {packed.path}", choices)

    samples = listed(SUMMARIES) if SUMMARIES in packed.names else []
    # Some versions added to the summaries when a log was scored again, where the samples have the last scores only; and
    # those of the first versions have no metadata.
    repeated = len({(sample.id, sample.epoch) for sample in samples}) < len(samples)
    bare = choices.get("group") is not None and not any(sample.metadata for sample in samples)
    if repeated or bare or not samples:
        files = filter(SAMPLE.fullmatch, packed.names)
        samples = [_sample(Item(packed.load(file), f"{file} in {packed.path}"), choices) for file in files] or samples
    journal = sorted(filter(JOURNAL.fullmatch, packed.names), key=lambda file: (len(file), file))
    return samples or [sample for file in journal for sample in listed(file)]


def _samples(value: Any, where: str, choices: Choices) -> list[Sample]:
    return [_sample(item, choices) for item in items(value, "sample", where)]


def _sample(item: Item, choices: Choices) -> Sample:
    if item.get("scores") is None and item.get("score") is not None:
        item["scores"] = {UNNAMED: item["score"]}
    failed = item.get("error") is not None
    given = item.item("scores").items()
    scores = {scorer: Item(score, f"the score {scorer!r} of {item.where}").get("value") for scorer, score in given}
    # Summaries cut the question and the right answer short.
    asked = [part[:BEGINNING] for key in ("input", "target") if isinstance(part := item.get(key), str)]
    return Sample(
        item.where,
        item.typed("id", "a text or a whole number"),
        typed(item.get("epoch", 1), f"the epoch of {item.where}", "a whole number"),
        dict.fromkeys(scores) if failed else scores,
        item.item("metadata"),
        "\n".join(asked),
        **(_shown(item) if choices.texts else {"text": None}),
    )


def _shown(item: Item) -> dict[str, Any]:
    """Return what is only shown of a sample."""
    output = item["output"] if isinstance(item.get("output"), dict) else {}
    first = next(iter(output["choices"]), None) if isinstance(output.get("choices"), list) else None
    message = first.get("message") if isinstance(first, dict) else None
    completion = output.get("completion") or (said([message]) if isinstance(message, dict) else None)
    given = {scorer: score.get("answer") for scorer, score in item.item("scores").items() if isinstance(score, dict)}
    return {
        "text": excerpt(item["input"]) if item.get("input") else None,
        "target": right_answer(item.get("target")),
        "output": excerpt(completion) if isinstance(completion, str) and completion else None,
        "answers": {scorer: excerpt(one) if isinstance(one, str) and one else None for scorer, one in given.items()},
    }


def _roles(sample: Sample, choices: Choices, scorer: str) -> dict[str, Any]:
    """Return what a run has of a sample, besides the score."""

    def metadata(argument: str, key: str) -> Any:
        return sample.metadata[known_name(argument, key, sample.metadata, f"field in the metadata of {sample.where}")]

    roles = {"id": sample.id, "repeat": sample.epoch, "likeness": sample.asked}
    group, text = choices.get("group"), choices.get("text")
    if group is not None:
        roles["group"] = typed(metadata("group", group), f"the group {group!r} of {sample.where}", "a text or a number")
    if choices.shows_text:
        roles["text"] = sample.text if text is None else excerpt(metadata("text", text))
    if choices.texts:
        roles |= {"target": sample.target, "response": sample.output or sample.answers.get(scorer)}
    return roles


def _keys(samples: Sequence[Sample], scorer: str) -> list[str] | None:
    """Return the names of a scorer's values where it gives several by name; None where it gives one."""
    several = [value for sample in samples if isinstance(value := sample.scores.get(scorer), dict)]
    return [key for value in several for key in value] if several else None


def _value(sample: Sample, scorer: str, key: str | None) -> float | None:
    """Return the score of a sample; None where it was not scored, and an error where the tool would warn and count 0."""
    what = f"the score {scorer!r} of {sample.where}"
    value = sample.scores.get(scorer)
    if isinstance(value, dict):
        value = value.get(key)
    if not isinstance(value, str):
        return score(value, what)
    number = LETTERS.get(value, WORDS.get(value.lower()))
    if number is None:
        with suppress(ValueError):
            number = float(value)
    if number is None or not math.isfinite(number):
        raise InputError(f"{what} is {value[:60]!r}; known are {', '.join(LETTERS)}, yes, no, true, false and numbers")
    return number
