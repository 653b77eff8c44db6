"""The results of promptfoo: each test with each prompt and provider, all in one JSON file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from referee.data import roles
from referee.data.formats.base import Choices, Opening, Run, columns, known_name, reader
from referee.data.formats.json_fields import Item, items, load_json, name, score, shown, spelt, typed
from referee.data.value_text import excerpt
from referee.errors import Argument, InputError, Message

SCORE, SUCCESS = "score", "success"
ERROR = 2
"""The reason for a failure that says that there was no answer, rather than a wrong one."""
SHORT = 40
"""How long the label of a prompt may be that is part of a name; the tool's own is the prompt itself."""
System: TypeAlias = tuple[str, str, str]
"""A provider's id, its label or nothing, and its prompt: the number, or the text where the tool did not number them."""


@dataclass(frozen=True)
class Result:
    """What one provider did with one prompt on one test.

    `prompt` is how the user called the prompt, or nothing; `case` the test as it was written, by which repeats are found.
    """

    where: str
    system: System
    prompt: str
    test: int | None
    vars: Mapping[str, Any]
    case: str | None
    scores: Mapping[str, Any]
    failed: bool
    output: Any
    """The response; a list or an object where it was parsed."""

    @property
    def own_vars(self) -> dict[str, Any]:
        """What the test is about, without what the tool itself adds."""
        return {key: value for key, value in self.vars.items() if not key.startswith("_")}

    @property
    def asked(self) -> str | None:
        """What the test is about, as one text."""
        return spelt(self.own_vars, f"the vars of {self.where}") if self.own_vars else None

    @property
    def text(self) -> str | None:
        """What the test is about, to be read: its vars, whose names are told where there are several."""
        own = self.own_vars
        return "; ".join((f"{key}: " if len(own) > 1 else "") + excerpt(value) for key, value in own.items()) or None

    def var(self, argument: str, key: str) -> Any:
        """Return the var that the user named."""
        return self.vars[known_name(argument, key, self.vars, f"var of {self.where}")]


def recognise(opening: Opening) -> bool:
    """Say whether it is JSON whose results have providers and successes."""
    first = opening.first_json
    rows = _listed(first)
    if rows:
        return isinstance(rows[0], dict) and ("promptIdx" in rows[0] or {"provider", "success"} <= rows[0].keys())
    # The prompts come first, and may be all that the beginning of a file has.
    results = first.get("results") if isinstance(first, dict) else None
    return isinstance(results, dict) and {"version", "timestamp", "prompts"} <= results.keys()


@reader("promptfoo results", recognises=recognise, roles=("id", "group", "text"), options=(roles.SCORE,))
def read(path: Path, choices: Choices) -> list[Run]:
    """Read the scores of each provider with each prompt."""
    listed = _listed(load_json(path))
    if not listed:
        raise InputError(f'{path} has no "results"; write it with promptfoo eval --output results.json')
    results = [_result(row) for row in items(listed, "result", str(path))]
    scores = [SCORE, SUCCESS, *(score for result in results for score in result.scores)]
    metric = known_name("score", choices.get("score", SCORE), scores)
    ids = _ids(results, choices.get("id"))
    numbered = choices.get("id") is None and all(result.test is not None for result in results)
    repeated = numbered and ids != [result.test for result in results]
    group, text = choices.get("group"), choices.get("text")
    runs: dict[System, list[dict[str, Any]]] = {}
    for one, result in zip(ids, results, strict=True):
        value = None if result.failed else result.scores.get(metric)
        row = {"id": one, "value": score(value, f"{metric} of {result.where}")}
        row |= {"group": _label(result, group)} if group is not None else {}
        if choices.shows_text:
            row["text"] = result.text if text is None else excerpt(result.var("text", text)) or None
        if choices.texts:
            row["response"] = None if result.output in (None, "") else excerpt(result.output)
        # The number of a test says little about it, so that what it asked is checked as well.
        row |= {"check": result.asked} if numbered else {}
        row |= {"repeat": result.test} if repeated else {}
        runs.setdefault(result.system, []).append(row)
    notes = _notes(results) if choices.get("score") is None else ()
    names = _names(results)
    # In the order of the configuration, whatever the order of the results.
    return [
        Run(system=names[system], rows=columns(runs[system]), notes=notes, chosen={"score": metric})
        for system in sorted(runs, key=lambda system: (len(system[2]), system[2]))
    ]


def _listed(data: Any) -> list[Any] | None:
    """Return the list of results, which versions of the tool keep in different places."""
    results = data.get("results") if isinstance(data, dict) else None
    if isinstance(results, dict):
        results = results.get("results")
    return results if isinstance(results, list) else None


def _result(row: Item) -> Result:
    provider = row["provider"] if isinstance(row.get("provider"), dict) else {"id": row.get("provider")}
    if not isinstance(provider.get("id"), str):
        raise InputError(f"{row.where} needs a provider with an id; it has {shown(provider.get('id'))}")
    prompt = row["prompt"] if isinstance(row.get("prompt"), dict) else {"raw": row.get("prompt")}
    column = prompt.get("raw") if row.get("promptIdx") is None else row.typed("promptIdx", "a whole number")
    called = name(prompt.get("label"))
    own_label = called == prompt.get("raw") or len(called) > SHORT or "\n" in called  # one that the tool made
    case = row["testCase"] if isinstance(row.get("testCase"), dict) else {}
    return Result(
        where=row.where,
        system=(name(provider["id"]), name(provider.get("label")), spelt(column, row.where)),
        prompt="" if own_label else called,
        test=None if row.get("testIdx") is None else row.typed("testIdx", "a whole number"),
        vars=Item(case.get("vars") or row.get("vars") or {}, f"the vars of {row.where}"),
        case=spelt(case, f"the testCase of {row.where}") if case.get("vars") else None,
        scores={**row.item("namedScores"), SCORE: row.get("score"), SUCCESS: row.get("success")},
        failed=_failed(row),
        output=response.get("output") if isinstance(response := row.get("response"), dict) else response,
    )


def _failed(row: Item) -> bool:
    """Say whether there was an error, so that there is no answer to be judged."""
    if row.get("failureReason") is not None:
        return bool(row.typed("failureReason", "a whole number") == ERROR)
    # Before there were reasons, a failed assertion was an error too, but one with a response.
    return row.get("error") is not None and row.get("response") is None


def _label(result: Result, key: str) -> Any:
    return typed(result.var("group", key), f"the var {key!r} of {result.where}", "a text or a number")


def _ids(results: Sequence[Result], key: str | None) -> list[Any]:
    """Return the id of each result: a var that the user named, or the number of its test, or else all its vars."""
    if key is not None:
        return [_label(result, key) for result in results]
    tests = [result.test for result in results if result.test is not None]
    if len(tests) == len(results):
        return _numbers(results, tests)
    for result in results:
        if result.asked is None:
            raise InputError(f"{result.where} has neither testIdx nor vars to tell which test it is")
    return [result.asked for result in results]


def _numbers(results: Sequence[Result], tests: Sequence[int]) -> list[int]:
    """Return the number of each test; the tool counts on when it repeats a test, so that repeats share a new number."""
    cases = [result.case or str(test) for result, test in zip(results, tests, strict=True)]
    first = {case: test for test, case in sorted(zip(tests, cases, strict=True), reverse=True)}
    if len(first) == len(set(tests)):
        return list(tests)
    ranks = {case: rank for rank, case in enumerate(sorted(first, key=first.__getitem__))}
    return [ranks[case] for case in cases]


def _names(results: Sequence[Result]) -> dict[System, str]:
    """Name the systems: by provider, by its label where providers share an id, and by prompt where it has several."""
    prompts = {result.system: result.prompt for result in results}
    names = {}
    for provider, called, column in prompts:
        labels = {other[1] for other in prompts if other[0] == provider}
        own = [other for other in prompts if other[:2] == (provider, called)]
        names[provider, called, column] = called if called and len(labels) > 1 else provider
        if len(own) > 1:
            prompt = prompts[provider, called, column]
            columns = sorted((other[2] for other in own), key=lambda text: (len(text), text))
            unique = prompt and [prompts[other] for other in own].count(prompt) == 1
            names[provider, called, column] += f" [{prompt if unique else f'prompt {columns.index(column) + 1}'}]"
    return names


def _notes(results: Sequence[Result]) -> tuple[str, ...]:
    """Say which score was taken, where it is not the same as whether the test passed."""
    judged = [result.scores for result in results if not result.failed and result.scores[SUCCESS] is not None]
    if all(scores[SCORE] == scores[SUCCESS] for scores in judged):
        return ()
    graded = ("promptfoo's score was compared, which is graded; ", Argument("score", SUCCESS), " compares what passed")
    return (Message(*graded),)
