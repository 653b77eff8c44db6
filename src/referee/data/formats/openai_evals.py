"""The log of openai/evals: one line per event; a match event says whether a sample was answered correctly."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from referee.data.formats.base import Choices, Opening, Run, columns, reader, stem
from referee.data.formats.json_fields import json_lines, name, score
from referee.data.formats.json_fields import shown as value_shown
from referee.data.value_text import excerpt, right_answer
from referee.errors import InputError

EVENT = {"run_id", "event_id", "sample_id", "type", "data"}
SPEC = {"eval_name", "run_id", "run_config"}


def recognise(opening: Opening) -> bool:
    """Say whether the first line is the specification of a run, or an event of one."""
    first = opening.first
    if not isinstance(first, dict):
        return False
    spec = first.get("spec")
    return first.keys() >= EVENT or (isinstance(spec, dict) and not spec.keys().isdisjoint(SPEC))


@reader("openai/evals log", recognises=recognise)
def read(path: Path, choices: Choices) -> list[Run]:
    """Read whether each sample was matched; a sample that was begun and never judged has no value."""
    spec: dict[str, Any] = {}
    scores: dict[str | int, list[float | None]] = {}
    shown: dict[str | int, dict[str, str | None]] = {}
    kinds: dict[str, None] = {}
    for line in json_lines(path):
        if isinstance(line.get("spec"), dict):
            spec = line["spec"]
        elif line.keys() >= EVENT:
            kind, data = line["type"], line["data"] if isinstance(line["data"], dict) else {}
            kinds[name(kind, "unnamed")] = None
            sample = line.typed("sample_id", "a text or a whole number")
            judged = scores.setdefault(sample, [])
            if choices.texts:
                shown.setdefault(sample, {}).update(_shown(data))
            if kind == "match":
                if "correct" not in data:
                    raise InputError(f"{line.where} is a match without a verdict: data.correct is missing")
                judged.append(score(data["correct"], f"data.correct of {line.where}"))
        elif "final_report" not in line:
            raise InputError(f"{line.where} is not an event: it needs {', '.join(sorted(EVENT))}")
    if "match" not in kinds:
        raise InputError(f'{path} needs events of type "match"; its events are: {", ".join(kinds) or "none"}')
    rows = [
        {"id": sample, "value": value}
        | ({role: shown[sample].get(role) for role in ("text", "target", "response")} if choices.texts else {})
        for sample, judged in scores.items()
        for value in judged or [None]
    ]
    return [Run(system=_system(spec) or stem(path), task=name(spec.get("eval_name")), rows=columns(rows))]


def _shown(data: Mapping[str, Any]) -> dict[str, str | None]:
    """Return what an event has of what is only shown: what was asked, the right answer and the response."""
    sampled = data.get("sampled")
    response = sampled[0] if isinstance(sampled, list) and sampled else sampled
    shown = {
        "text": excerpt(data["prompt"]) if data.get("prompt") else None,
        "target": right_answer(data.get("expected", data.get("ideal"))),
        "response": excerpt(response) if isinstance(response, str) and response else None,
    }
    return {role: text for role, text in shown.items() if text is not None}


def _system(spec: dict[str, Any]) -> str:
    """Return the name of the model: what gave the completions, or as older versions of the tool have it."""
    functions = spec.get("completion_fns")
    if isinstance(functions, list) and functions:
        return ", ".join(name(function, value_shown(function)) for function in functions)
    return name(spec.get("model_name"))
