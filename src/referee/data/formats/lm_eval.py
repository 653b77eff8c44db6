"""The samples of lm-evaluation-harness: one row per document and filter, with one score per metric."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.data.formats.base import Choices, Opening, Run, choose, columns, known_name, reader, stem
from referee.data.formats.json_fields import Item, json_lines, name, score, shown, typed
from referee.data.roles import LOG, SCORE
from referee.data.value_text import TEXT, excerpt, right_answer
from referee.errors import Argument, InputError, Message, NotReady

NAME = re.compile(r"samples_(?P<task>.+)_\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(\.\d+)?\.jsonl(\.gz)?")
"""How the tool names such a file; tasks have underscores too."""
ASKED = {"target", "arguments", "resps", "filtered_resps"}
HASHES = ("doc_hash", "target_hash")
"""What tells one question from another; the prompt's hash may differ between models."""
FIELDS = {"doc_id", "doc", "filter", "metrics", "scores_per_repeat", "prompt_hash", *ASKED, *HASHES}
"""What a row has besides its metrics; old files do not name those."""
QUESTIONS = (
    "question", "query", "problem", "instruction", "goal", "prompt", "input", "ctx", "sentence", "text", "premise",
    "sentence1", "story", "context", "passage",
)  # fmt: skip
"""Where documents of tasks have what is asked; the sooner named, the closer to a question."""
CHOICES = ("choices", "endings", "options")
"""Where documents have what there is to choose from."""
UNFILTERED = "none"
"""What the tool calls the filter that changes nothing, which is the one of files that name none."""
FILTER = LOG("filter", "Which filter, for samples of lm-evaluation-harness.", label="Filter", of_several=True)


@dataclass(frozen=True)
class Sample:
    """What one row says."""

    where: str
    filter: str
    scores: Mapping[str, Any]
    roles: dict[str, Any]
    """What a run has of it, besides the score."""


def recognise(opening: Opening) -> bool:
    """Say whether the first row has a document and what a model responded to it."""
    first = opening.first_json
    return isinstance(first, dict) and {"doc_id", "doc"} <= first.keys() and bool(ASKED & first.keys())


@reader("lm-evaluation-harness samples", recognises=recognise, roles=("group", "text"), options=(FILTER, SCORE))
def read(path: Path, choices: Choices) -> list[Run]:
    """Read the scores of one metric under one filter."""
    samples = [_sample(row, choices) for row in json_lines(path)]
    if not samples:
        raise NotReady(f"{path} is empty; there are no samples in it")
    every = [sample.filter for sample in samples]
    chosen = choose("filter", every, choices, path, then={"score": _metrics(samples)[0]})
    samples = [sample for sample in samples if sample.filter == chosen]
    metric = _metric(samples, choices, path)
    values = (score(sample.scores.get(metric), f"{metric} of {sample.where}") for sample in samples)
    rows = columns([sample.roles | {"value": value} for sample, value in zip(samples, values, strict=True)])
    # Old files have no hashes.
    del rows["likeness" if any(check is not None for check in rows["check"]) else "check"]
    called = NAME.fullmatch(path.name)
    system = name(path.absolute().parent.name, stem(path)) if called else stem(path)
    took = {"score": metric} | ({"filter": chosen} if chosen != UNFILTERED else {})
    return [Run(system=system, task=called["task"] if called else "", rows=rows, chosen=took)]


def _sample(row: Item, choices: Choices) -> Sample:
    hashes = [row.typed(key, "a text or a whole number") for key in HASHES if row.get(key) is not None]
    check = " ".join(map(str, hashes)) if len(hashes) == len(HASHES) else None
    roles: dict[str, Any] = {
        "id": row.typed("doc_id", "a text or a whole number"),
        "check": check,
        "likeness": json.dumps([row.get("doc"), row.get("target")], sort_keys=True) if check is None else None,
    }
    group, text = choices.get("group"), choices.get("text")
    if group is not None:
        roles["group"] = typed(_doc(row, "group", group), f"the group {group!r} of {row.where}", "a text or a number")
    if choices.shows_text:
        roles["text"] = _text(row) if text is None else excerpt(_doc(row, "text", text))
    if choices.texts:
        roles |= _answers(row)
    used = typed(row.get("filter", UNFILTERED), f"the filter of {row.where}", "a text")
    return Sample(row.where, used, _scores(row), roles)


def _text(row: Item) -> str | None:
    """Return what a document asks: under a key that is usual, or else the end of the prompt."""
    doc = row.get("doc")
    texts = map(doc.get, QUESTIONS) if isinstance(doc, dict) else [doc]
    question = next((text for text in texts if isinstance(text, str) and text.strip()), None)
    if question is not None:
        return excerpt(question)
    asked = row.get("arguments")
    while isinstance(asked, dict | list) and asked:
        asked = next(iter(asked.values())) if isinstance(asked, dict) else asked[0]
    return excerpt(asked[-TEXT:]) if isinstance(asked, str) else None


def _answers(row: Item) -> dict[str, str | None]:
    """Return the right answer and the response, as it was before a filter took its part; of choices, the one that was most likely."""
    target, taken, written = row.get("target"), row.get("filtered_resps"), row.get("resps")
    if isinstance(taken, list) and taken and all(isinstance(one, list) and len(one) == 2 for one in taken):
        with suppress(TypeError, ValueError):
            odds = [float(likelihood) for likelihood, _ in taken]
            place = int(target) if isinstance(target, int | str) and str(target).isdecimal() else None
            right = right_answer(target) if place is None or place >= len(odds) else _choice(row, place)
            return {"target": right, "response": _choice(row, odds.index(max(odds)))}
    response = written or taken
    while isinstance(response, list) and response:
        response = response[0]
    return {"target": right_answer(target), "response": excerpt(response) if isinstance(response, str) else None}


def _choice(row: Item, place: int) -> str:
    """Return a choice that a document offers, or which one it is where the document does not say."""
    doc = row.get("doc")
    fields = [doc.get(field) for field in CHOICES] if isinstance(doc, dict) else []
    lists = [field.get("text") if isinstance(field, dict) else field for field in fields]
    named = next((one for one in lists if isinstance(one, list)), [])
    return excerpt(named[place]) if place < len(named) else f"choice {place + 1}"


def _scores(row: Item) -> dict[str, Any]:
    """Return what a row has for each metric."""
    names = row.get("metrics")
    if names is None:
        others = {key: value for key, value in row.items() if key not in FIELDS}
        return {key: value for key, value in others.items() if isinstance(value, bool | int | float | list | None)}
    if not isinstance(names, list) or not all(isinstance(key, str) for key in names):
        raise InputError(f"the metrics of {row.where} must be a list of names; they are {shown(names)}")
    return {key: row.get(key) for key in names}


def _doc(row: Item, argument: str, key: str) -> Any:
    """Return what the user named a key of the document for."""
    doc = row.typed("doc", "a JSON object")
    return doc[known_name(argument, key, doc, f"field of the doc of {row.where}")]


def _metrics(samples: Sequence[Sample]) -> tuple[list[str], list[str]]:
    """Return the metrics that have a score for each sample, and those that have parts of a score of the whole corpus."""
    every = dict.fromkeys(key for sample in samples for key in sample.scores)
    parts = {key for sample in samples for key, value in sample.scores.items() if isinstance(value, list | dict)}
    return [key for key in every if key not in parts], [key for key in every if key in parts]


def _metric(samples: Sequence[Sample], choices: Choices, path: Path) -> str:
    """Return the metric to read: one that has a score for each sample.

    Raises:
        InputError: if a metric has none, as it belongs to the whole corpus.
    """
    own, whole = _metrics(samples)
    given = choices.get("score")
    if whole and (not own if given is None else given in whole):
        which = ", ".join(whole) if given is None else given
        parts = f"{path} has no score per sample under {which}, only the parts of a score of the whole corpus"
        named = Message(f"name one of {', '.join(own)} with ", Argument("score"))
        raise InputError(parts, remedy=named if own else "log the samples with another metric")
    return choose("score", own, choices, path)
