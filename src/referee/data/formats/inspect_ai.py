"""The log of inspect_ai: an .eval file, which is a ZIP file of JSON, or the whole log as one piece of JSON."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.data.formats.base import Choice, Choices, Opening, Run, choose, choose_each, load_json, reader
from referee.data.formats.file_start import glimpse, stem
from referee.data.formats.json_fields import identifier, label, mapping, name, score, shown, whole
from referee.data.formats.zip_json import Packed, unpacking
from referee.data.value_text import excerpt
from referee.errors import InputError, unknown

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


@dataclass(frozen=True)
class Item:
    """What a log says about one sample in one epoch."""

    where: str
    id: Any
    epoch: int
    scores: dict[str, Any]
    """The value that each scorer gave."""
    metadata: dict[str, Any]
    failed: bool
    asked: str = ""
    """How the question and the right answer begin; summaries cut them short."""
    text: str | None = None
    """The question, where it is asked for."""


def recognise(opening: Opening) -> bool:
    """Say whether it is a ZIP file with a header and samples, or JSON that begins as such a log does."""
    if opening.head.startswith(b"PK\x03\x04"):
        names = opening.members
        return not {HEADER, START}.isdisjoint(names) and any(
            name == SUMMARIES or name.startswith(("samples/", "_journal/")) for name in names
        )
    first = glimpse(opening.head) if opening.first is None else opening.first
    spec = first.get("eval") if isinstance(first, dict) else None
    return isinstance(spec, dict) and "task" in spec and not spec.keys().isdisjoint(("model", "dataset"))


@reader(
    "inspect_ai log",
    looks_for='a ZIP file with header.json and summaries.json (.eval), or JSON with "eval" and "samples"',
    recognises=recognise,
    chooses=("scorer", "metric", "group", "text"),
)
def read(path: Path, choices: Choices) -> list[Run]:
    """Read what one scorer gave each sample in each epoch."""
    header, items = _open_log(path, choices)
    if not items:
        raise InputError(f"{path} has no samples; was the log written with its samples?")
    _check_epochs(items, path)
    scorers = Choice("scorer", "scorer", [name for item in items for name in item.scores], choices.scorer)
    if scorers.is_open:
        choose_each(path, scorers, Choice("score", "score", _keys(items, scorers.known[0]) or [""], choices.metric))
    scorer = scorers.made(path)
    key = _key(items, scorer, choices.metric, path)
    rows: dict[str, list[Any]] = {
        "id": [item.id for item in items],
        "value": [_value(item, scorer, key) for item in items],
        "repeat": [item.epoch for item in items],
        "likeness": [item.asked for item in items],
    }
    if choices.group is not None:
        rows["group"] = [_group(item, choices.group) for item in items]
    if choices.texts or choices.text is not None:
        rows["text"] = [_text(item, choices.text) for item in items]
    found = header.get("eval")
    spec = found if isinstance(found, dict) else {}
    status = name(header.get("status"), "started")
    warnings = () if status == "success" else (f"the run of {path.name} did not end well: its status is {status!r}",)
    chosen = {"scorer": scorer} | ({"score": key} if key is not None else {})
    return [
        Run(
            system=name(spec.get("model"), stem(path)),
            task=name(spec.get("task")),
            rows=rows,
            warnings=warnings,
            chosen=chosen,
        )
    ]


def _open_log(path: Path, choices: Choices) -> tuple[dict[str, Any], list[Item]]:
    """Return what a log says about the run, and its samples."""
    if not Opening(path).head.startswith(b"PK"):
        log = mapping(load_json(path), str(path))
        return log, _items(log.get("samples") or [], f"the samples of {path}", choices.texts)
    with unpacking(path) as packed:
        header = HEADER if HEADER in packed.names else START
        if header not in packed.names:
            raise InputError(f"{path} has no {HEADER}; is it a log of inspect_ai?")
        return mapping(packed.load(header), f"{header} in {path}"), _packed_items(packed, choices)


def _packed_items(packed: Packed, choices: Choices) -> list[Item]:
    """Return the samples of an .eval file: from the summaries, or each from its own file, or from the journal."""
    found: list[Item] = []
    if SUMMARIES in packed.names:
        found = _items(packed.load(SUMMARIES), f"{SUMMARIES} in {packed.path}", choices.texts)
    # Some versions added to the summaries when a log was scored again, where the samples have the last scores only; and
    # those of the first versions have no metadata.
    repeated = len({(item.id, item.epoch) for item in found}) < len(found)
    if repeated or not found or (choices.group is not None and not any(item.metadata for item in found)):
        samples = [file for file in packed.names if SAMPLE.fullmatch(file)]
        found = [_item(packed.load(file), f"{file} in {packed.path}", choices.texts) for file in samples] or found
    if found:
        return found
    journal = sorted(filter(JOURNAL.fullmatch, packed.names), key=lambda file: (len(file), file))
    return [item for file in journal for item in _items(packed.load(file), f"{file} in {packed.path}", choices.texts)]


def _items(found: Any, where: str, texts: bool) -> list[Item]:
    if not isinstance(found, list):
        raise InputError(f"{where} must be a list; it is {shown(found)}")
    return [_item(sample, f"sample {place} of {where}", texts) for place, sample in enumerate(found, 1)]


def _item(found: Any, where: str, texts: bool) -> Item:
    sample = mapping(found, where)
    scores = sample.get("scores")
    if scores is None and sample.get("score") is not None:
        scores = {UNNAMED: sample["score"]}
    return Item(
        where=where,
        id=identifier(sample.get("id"), f"the id of {where}"),
        epoch=whole(sample.get("epoch", 1), f"the epoch of {where}"),
        scores={
            scorer: mapping(given, f"the score {scorer!r} of {where}").get("value")
            for scorer, given in mapping(scores or {}, f"the scores of {where}").items()
        },
        metadata=mapping(sample.get("metadata") or {}, f"the metadata of {where}"),
        failed=sample.get("error") is not None,
        asked=_asked(sample),
        text=excerpt(sample["input"]) if texts and sample.get("input") else None,
    )


def _text(item: Item, key: str | None) -> str | None:
    """Return what a sample is about: the question, or what its metadata have under a key."""
    if key is None:
        return item.text
    if key not in item.metadata:
        raise unknown(f"field in the metadata of {item.where}", key, item.metadata)
    return excerpt(item.metadata[key])


def _asked(sample: Mapping[str, Any]) -> str:
    """Return how the question and the right answer begin, where they are texts."""
    return "\n".join(part[:BEGINNING] for key in ("input", "target") if isinstance(part := sample.get(key), str))


def _check_epochs(items: Sequence[Item], path: Path) -> None:
    """Refuse a log that has a sample twice in one epoch: nothing says which one counts."""
    seen: set[tuple[Any, int]] = set()
    for item in items:
        if (item.id, item.epoch) in seen:
            raise InputError(
                f"{path} has sample {item.id!r} twice in epoch {item.epoch}; nothing says which one counts, so write the log again"
            )
        seen.add((item.id, item.epoch))


def _key(items: Sequence[Item], scorer: str, given: str | None, path: Path) -> str | None:
    """Return which value is meant where a scorer gives several by name; None where it gives one."""
    keys = _keys(items, scorer)
    if keys is None:
        if given is not None and given != scorer:
            raise unknown("score", given, [scorer])
        return None
    return choose("score", "score", keys, given, path)


def _keys(items: Sequence[Item], scorer: str) -> list[str] | None:
    """Return the names of a scorer's values where it gives several by name; None where it gives one."""
    values = [item.scores[scorer] for item in items if not item.failed and scorer in item.scores]
    several = [value for value in values if isinstance(value, dict)]
    return [key for value in several for key in value] if several else None


def _value(item: Item, scorer: str, key: str | None) -> float | None:
    """Return the score of a sample; None where it failed or was not scored."""
    value = None if item.failed else item.scores.get(scorer)
    if isinstance(value, dict):
        value = value.get(key)
    if isinstance(value, str):
        return _letter(value, f"the score {scorer!r} of {item.where}")
    return score(value, f"the score {scorer!r} of {item.where}")


def _letter(text: str, what: str) -> float:
    """Return what the tool counts a text; one that it would warn about and count 0 is refused."""
    known = LETTERS.get(text, WORDS.get(text.lower()))
    if known is not None:
        return known
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise InputError(f"{what} is {text[:60]!r}; known are {', '.join(LETTERS)}, yes, no, true, false and numbers")
    return found


def _group(item: Item, key: str) -> Any:
    if key not in item.metadata:
        raise unknown(f"field in the metadata of {item.where}", key, item.metadata)
    return label(item.metadata[key], f"the group {key!r} of {item.where}")
