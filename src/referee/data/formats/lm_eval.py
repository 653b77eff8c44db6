"""The samples of lm-evaluation-harness: a row for each document and filter, with a score for each metric."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.data.formats.base import Choice, Choices, Opening, Run, choose, choose_each, json_lines, reader
from referee.data.formats.file_start import glimpse, stem
from referee.data.formats.json_fields import identifier, label, mapping, name, score, shown
from referee.data.value_text import TEXT, excerpt
from referee.errors import InputError, unknown

NAME = re.compile(r"samples_(?P<task>.+)_\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(\.\d+)?\.jsonl(\.gz)?")
"""How the tool names such a file; tasks have underscores too."""
ASKED = {"target", "arguments", "resps", "filtered_resps"}
HASHES = {"doc_hash", "prompt_hash", "target_hash"}
FIELDS = {"doc_id", "doc", "filter", "metrics", "scores_per_repeat"} | ASKED | HASHES
"""What a row has besides its metrics; old files do not name those."""
QUESTIONS = (
    "question", "query", "problem", "instruction", "goal", "prompt", "input", "ctx", "sentence", "text", "premise",
    "sentence1", "story", "context", "passage",
)  # fmt: skip
"""Where documents of tasks have what is asked; the sooner named, the closer to a question."""
UNFILTERED = "none"
"""What the tool calls the filter that changes nothing, which is the one of files that name none."""


@dataclass(frozen=True)
class Sample:
    """What one row says."""

    where: str
    id: Any
    filter: str
    scores: Mapping[str, Any]
    check: str | None
    asked: str
    group: Any
    text: str | None


def recognise(opening: Opening) -> bool:
    """Say whether the first row has a document and what a model responded to it."""
    first = glimpse(opening.head) if opening.first is None else opening.first
    return isinstance(first, dict) and {"doc_id", "doc"} <= first.keys() and bool(ASKED & first.keys())


@reader(
    "lm-evaluation-harness samples",
    looks_for="lines of JSON with doc_id, doc and filtered_resps (samples_<task>_<date>.jsonl)",
    recognises=recognise,
    chooses=("filter", "metric", "group", "text"),
)
def read(path: Path, choices: Choices) -> list[Run]:
    """Read the scores of one metric under one filter."""
    samples = [_sample(row, f"line {place} of {path}", choices) for place, row in json_lines(path)]
    if not samples:
        raise InputError(f"{path} is empty; there are no samples in it")
    filters = Choice("filter", "filter", [sample.filter for sample in samples], choices.filter)
    if filters.is_open:
        choose_each(path, filters, Choice("score", "score", _own(samples)[0], choices.metric))
    chosen = filters.made(path)
    samples = [sample for sample in samples if sample.filter == chosen]
    metric = _metric(samples, choices.metric, path)
    took = {"score": metric} | ({"filter": chosen} if chosen != UNFILTERED else {})
    rows: dict[str, list[Any]] = {
        "id": [sample.id for sample in samples],
        "value": [score(sample.scores.get(metric), f"{metric} in {sample.where}") for sample in samples],
    }
    if any(sample.check is not None for sample in samples):
        rows["check"] = [sample.check for sample in samples]
    else:
        # Old files have no hashes.
        rows["likeness"] = [sample.asked for sample in samples]
    if choices.group is not None:
        rows["group"] = [sample.group for sample in samples]
    if choices.texts or choices.text is not None:
        rows["text"] = [sample.text for sample in samples]
    named = NAME.fullmatch(path.name)
    system = path.absolute().parent.name if named else ""
    return [Run(system=name(system, stem(path)), task=named["task"] if named else "", rows=rows, chosen=took)]


def _sample(row: dict[str, Any], where: str, choices: Choices) -> Sample:
    used = row.get("filter", UNFILTERED)
    if not isinstance(used, str):
        raise InputError(f"the filter in {where} must be a text; it is {shown(used)}")
    return Sample(
        where=where,
        id=identifier(row.get("doc_id"), f"the doc_id in {where}"),
        filter=used,
        scores=_scores(row, where),
        check=_check(row, where),
        asked=json.dumps([row.get("doc"), row.get("target")], sort_keys=True),
        group=None if choices.group is None else _group(row, where, choices.group),
        text=_text(row, where, choices.text) if choices.texts or choices.text is not None else None,
    )


def _text(row: dict[str, Any], where: str, key: str | None) -> str | None:
    """Return what a document asks: under a key that the user named or that is usual, or else the end of the prompt."""
    if key is not None:
        return excerpt(_of_doc(row, where, key, "text"))
    doc = row.get("doc")
    texts = [doc.get(name) for name in QUESTIONS] if isinstance(doc, dict) else [doc]
    found = next((text for text in texts if isinstance(text, str) and text.strip()), None)
    if found is not None:
        return excerpt(found)
    asked = row.get("arguments")
    while isinstance(asked, dict | list) and asked:
        asked = next(iter(asked.values())) if isinstance(asked, dict) else asked[0]
    return excerpt(asked[-TEXT:]) if isinstance(asked, str) else None


def _check(row: dict[str, Any], where: str) -> str | None:
    """Return the hashes of what was asked and what was right; the prompt's may differ between models."""
    hashes = [row.get("doc_hash"), row.get("target_hash")]
    if None in hashes:
        return None
    return " ".join(str(identifier(found, f"the hashes in {where}")) for found in hashes)


def _scores(row: dict[str, Any], where: str) -> dict[str, Any]:
    """Return what a row has for each metric."""
    names = row.get("metrics")
    if names is None:
        return {
            key: value
            for key, value in row.items()
            if key not in FIELDS and isinstance(value, bool | int | float | list | None)
        }
    if not isinstance(names, list) or not all(isinstance(key, str) for key in names):
        raise InputError(f"the metrics in {where} must be a list of names; they are {shown(names)}")
    return {key: row.get(key) for key in names}


def _group(row: dict[str, Any], where: str, key: str) -> Any:
    return label(_of_doc(row, where, key, "group"), f"the group {key!r} in {where}")


def _of_doc(row: dict[str, Any], where: str, key: str, what: str) -> Any:
    doc = mapping(row.get("doc"), f"the doc in {where}, where the {what} {key!r} is looked for,")
    if key not in doc:
        raise unknown(f"field of the doc in {where}", key, doc)
    return doc[key]


def _own(samples: Sequence[Sample]) -> tuple[list[str], list[str]]:
    """Return the metrics that have a score for each sample, and those that have parts of a score of the whole corpus."""
    whole = {key: False for sample in samples for key in sample.scores}
    for sample in samples:
        for key, found in sample.scores.items():
            whole[key] |= isinstance(found, list | dict)
    return [key for key in whole if not whole[key]], [key for key in whole if whole[key]]


def _metric(samples: Sequence[Sample], given: str | None, path: Path) -> str:
    """Return the metric to read: one that has a score for each sample.

    Raises:
        InputError: where a metric has none, as it belongs to the whole corpus.
    """
    own, whole = _own(samples)
    if whole and (not own if given is None else given in whole):
        raise InputError(
            f"{path} has no score for each sample under {', '.join(whole) if given is None else given}: it has the parts of "
            f"a score of the whole corpus, which cannot be compared sample by sample; "
            + (f"name one of {', '.join(own)} with --score" if own else "log the samples with another metric")
        )
    return choose("score", "score", own, given, path)
