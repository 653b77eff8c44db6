"""The verb read(): files that people already have, recognised, paired by id, and ready to be compared."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from referee.data.column_guesses import Column, answers
from referee.data.engines.base import SHOWN, Joined, Side
from referee.data.engines.files import kind_of, refuse_twice
from referee.data.engines.tables import columns_of, find
from referee.data.formats.base import READERS, Choice, Choices, Opening, Reader, Run
from referee.data.outcomes import Outcomes, made_of
from referee.data.roles import OPTIONS
from referee.errors import ChoiceNeeded, InputError, NameUnknown, OptionError, RefereeError, one_of, unknown
from referee.registry import discover
from referee.runtime.arguments import fitting

MOST_FILES = 10_000
"""How many files of a folder are looked at."""
SPELT = {"filter": "filter", "metric": "score", "scorer": "scorer"}
"""The choices that a file may have or not, and the arguments that make them."""
ROLES = ("truth", "group", "check", "likeness", "repeat", *SHOWN)
Source = str | os.PathLike[str]


@fitting
def read(
    *sources: Source,
    id: str | None = None,  # noqa: A002 - the word users know
    prediction: str | None = None,
    truth: str | None = None,
    group: str | None = None,
    stratum: str | None = None,
    by: str | None = None,
    system: str | None = None,
    a: str | None = None,
    b: str | None = None,
    score: str | None = None,
    filter: str | None = None,  # noqa: A002 - the word of the file format
    scorer: str | None = None,
    universe: str | None = None,
    unit: str | None = None,
    by_line: bool = False,
    positive: Any = None,
    unmatched: str = "error",
    missing: str = "error",
    repeats: str | None = None,
    text: str | None = None,
) -> Outcomes:
    """Read two runs, from two files or from one, and pair them by id.

    What a file is, is seen from what is in it: samples of lm-evaluation-harness, logs of inspect, promptfoo and openai/evals,
    lists of resolved issues, CoNLL columns, statistics of HELM, trec_eval's output, numbers by line; else a table.

    Args:
        sources: two files or folders, one a system; or one that has both.
        id: of tables: the column that tells examples apart.
        prediction: of two tables: the column of the predictions or scores, in both.
        truth: of tables: the column of the right answers.
        group: the column, or the key of an item, whose examples depend on each other.
        stratum: of tables: examples are drawn within strata.
        by: of tables: each slice is compared on its own. Several tasks in one run are slices of themselves.
        system: of one long table: the column that says whose row it is.
        a: the first system, where a file has several.
        b: the second.
        score: which score, where a file has several.
        filter: which filter, of samples of lm-evaluation-harness.
        scorer: which scorer, of a log of inspect.
        universe: a file with all ids, for lists that name only what was solved.
        unit: of CoNLL columns: what is resampled, "response", "sentence" or "document".
        by_line: pair two tables by the places of their rows, for want of ids.
        positive: the positive label.
        unmatched: what to do with ids that one side lacks: "error" or "drop".
        missing: what to do with missing or errored predictions: "error", "wrong" or "drop".
        repeats: what to do with ids that repeat: "error", "mean" or "group". If left out, numbered repetitions (epochs) are
            averaged, and others are an error.
        text: what an example is about, for reports: a column of one of the tables, or the key of an item. Most logs say it by
            themselves.

    Returns:
        Outcomes, for `compare` and `count`; `remarks` says what the files were taken for.

    Raises:
        RefereeError: where a file is unknown or broken, a choice is needed, or the two do not fit each other.
    """
    if repeats is not None:
        one_of("repeats", repeats, OPTIONS["repeats"].values)
    if not 1 <= len(sources) <= 2:
        raise OptionError(f"two runs are compared, from two files or one; {len(sources)} are given")
    choices = Choices(
        id=id, prediction=prediction, truth=truth, group=group, metric=score, filter=filter, scorer=scorer,
        universe=universe, unit=unit, text=text, systems=tuple(name for name in (a, b) if name is not None),
    )  # fmt: skip
    found = [recognise(Path(source)) for source in sources]
    _refuse_same(sources, found)
    policies = {"unmatched": unmatched, "missing": missing, "positive": positive}
    if all(reader is None for reader, _ in found):
        table = {"id": id, "truth": truth, "group": group, "stratum": stratum, "slice": by}
        _refuse(choices, ("filter", "scorer", "universe", "unit", "metric"), "a table")
        return _tables(sources, table, prediction, system, choices.systems, by_line, repeats or "error", policies, text)
    kinds = [reader.name if reader is not None else "a table" for reader, _ in found]
    if len(set(kinds)) > 1:
        raise InputError(
            f"{sources[0]} is {kinds[0]} and {sources[1]} is {kinds[1]}; two runs of one kind are compared"
        )
    for name, value in (("stratum", stratum), ("by", by), ("system", system), ("by_line", by_line or None)):
        if value is not None:
            raise OptionError(f"{name} is for tables, and this is {kinds[0]}; leave it out")
    reader = found[0][0]
    if reader is None:
        raise InputError(f"{sources[0]} is no file that is known")
    if reader.table is not None and len(sources) == 1 and prediction is None:
        if len(choices.systems) != 2:
            raise OptionError(f"name the columns of the two systems in {sources[0]} with a= and b=")
        return Outcomes(
            source=reader.table(found[0][1][0]), truth=truth, group=group, id=id, text=text, a=choices.systems[0],
            b=choices.systems[1], repeats=repeats or "error", remarks=(f"{sources[0]} was read as {reader.name}",),
            **policies,
        )  # fmt: skip
    unasked = (f.name for f in fields(Choices) if f.name not in (*reader.chooses, "systems", "texts"))
    _refuse(choices, tuple(unasked), reader.name)
    logs = Logs(reader, [Path(source) for source in sources], [paths for _, paths in found], choices, repeats, policies)
    return replace(logs.outcomes(), again=logs)


@dataclass(frozen=True)
class Logs:
    """Runs in files of one kind, and what the user said about them: enough to read them once more."""

    reader: Reader
    sources: Sequence[Path]
    paths: Sequence[Sequence[Path]]
    """The files of each source."""
    choices: Choices
    repeats: str | None
    policies: Mapping[str, Any]

    def outcomes(self) -> Outcomes:
        """Read the runs and pair them."""
        runs = [_read_all(self.reader, paths, self.choices) for paths in self.paths]
        return _pair(runs, self.sources, self.reader, self.choices, self.repeats, self.policies)

    def __call__(self) -> Outcomes:
        """Read them again, with what the items are about."""
        return replace(self, choices=replace(self.choices, texts=True)).outcomes()

    @property
    def files(self) -> list[Path]:
        """All files that are read."""
        return [path for paths in self.paths for path in paths]


def _read_all(reader: Reader, paths: Sequence[Path], choices: Choices) -> list[Run]:
    """Read all files of a run; of several, a choice need not have a meaning for each, but for one.

    Raises:
        NameUnknown: where a choice fits none of the files.
    """
    if len(paths) == 1:
        return reader.read(paths[0], choices)
    given = [name for name in SPELT if getattr(choices, name) is not None]
    runs, unused = list[Run](), dict.fromkeys(given, True)
    wrong: list[RefereeError] = []
    for path in paths:
        start = len(wrong)
        for left_out in (some for size in range(len(given) + 1) for some in combinations(given, size)):
            fewer: dict[str, Any] = dict.fromkeys(left_out)
            try:
                runs += reader.read(path, replace(choices, **fewer))
            except (NameUnknown, OptionError) as error:
                # A choice that was left out here, and is missed, was wrong; any other is for the user to make.
                missed = error.arguments if isinstance(error, ChoiceNeeded) else {}
                if isinstance(error, OptionError) and not any(SPELT[name] in missed for name in left_out):
                    raise
                wrong.append(error)
                continue
            unused |= {name: False for name in given if name not in left_out}
            break
        else:
            raise wrong[start]
    if any(unused.values()):
        raise wrong[0]
    return runs


def recognise(path: Path) -> tuple[Reader | None, list[Path]]:
    """Say which reader knows a file, or the files in a folder; None where it is a table, or nothing known.

    Returns:
        The reader, and the files that it is to read.

    Raises:
        InputError: where there is no such file, or a folder has runs of several kinds.
    """
    discover("referee.data.formats")
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file() and not file.name.startswith("."))
        return _of_one_kind(path, files)
    if not path.exists() and any(sign in path.name for sign in "*?["):
        return _of_one_kind(path, [Path(file) for file in sorted(glob.glob(str(path)))])  # noqa: PTH207 - a pattern
    return (_known(path) if path.is_file() else None), [path]


def files_of(source: Source) -> list[Path]:
    """Return the files that reading a source looks into: itself, or those of a folder or a pattern, and what lies beside them.

    A source that cannot be read has none; whoever reads it says why.
    """
    try:
        reader, paths = recognise(Path(source))
        found = paths if reader is not None else find(source)
    except RefereeError:
        return [Path(source)]
    beside = reader.beside if reader is not None else ()
    return [*found, *(path.with_name(name) for path in found for name in beside)]


def _of_one_kind(path: Path, files: Sequence[Path]) -> tuple[Reader | None, list[Path]]:
    """Return the reader that knows files, and those that it knows."""
    seen = {file: reader for file in files[:MOST_FILES] if file.is_file() and (reader := _known(file)) is not None}
    known = {file: reader for file, reader in seen.items() if file.name not in reader.beside}
    names = {reader.name for reader in known.values()}
    if len(names) > 1:
        raise InputError(f"{path} has files of several kinds: {', '.join(sorted(names))}; name the files of one")
    refuse_twice(known, f"the runs in {path} would be counted twice: name its files, or remove one")
    return (next(iter(known.values())), list(known)) if known else (None, [path])


def _refuse_same(sources: Sequence[Source], found: Sequence[tuple[Reader | None, list[Path]]]) -> None:
    """Refuse a file that both runs would be read from."""
    if len(sources) == 2:
        paths = [
            own if reader is not None else find(source) for source, (reader, own) in zip(sources, found, strict=True)
        ]
        refuse_twice((path for own in paths for path in own), "a run is not compared with itself: name the other run")


def _known(path: Path) -> Reader | None:
    opening = Opening(path)
    return next((reader for _, reader in READERS.items() if reader.recognises(opening)), None)


def _refuse(choices: Choices, names: Sequence[str], what: str) -> None:
    spelt = {"metric": "score", "systems": "a and b"}
    for name in names:
        if getattr(choices, name, None) is not None:
            raise OptionError(f"{spelt.get(name, name)} has no meaning for {what}; leave it out")


def _pair(
    runs: Sequence[list[Run]],
    paths: Sequence[Path],
    reader: Reader,
    choices: Choices,
    repeats: str | None,
    policies: Mapping[str, Any],
) -> Outcomes:
    """Pair the runs of two systems, task by task."""
    left, right = _sides(runs, paths, choices)
    if len(left) == len(right) == 1 and "" in (*left, *right):
        # One file says which task it is and the other does not: they are what the user put side by side.
        (task,) = {*left, *right} - {""} or {""}
        left, right = {task: next(iter(left.values()))}, {task: next(iter(right.values()))}
    tasks = [task for task in left if task in right]
    alone = sorted(task for task in (*left, *right) if task not in tasks)
    if not tasks:
        raise InputError(f"the runs have no task in common: {', '.join(left)} against {', '.join(right)}")
    if alone and policies["unmatched"] == "error":
        raise InputError(f"only one run has {', '.join(alone)}; unmatched='drop' leaves such tasks out")
    found = {run.system for systems in runs for run in systems}
    # Names that no file has are what the two are to be called.
    own = len(choices.systems) == 2 and found.isdisjoint(choices.systems)
    names = choices.systems if own else _names(left[tasks[0]], right[tasks[0]], paths)
    sides = [
        _side(name, [side[task] for task in tasks], len(tasks) > 1)
        for name, side in zip(names, (left, right), strict=True)
    ]
    every = [run for side in (left, right) for run in side.values()]
    if choices.text is not None and not any("text" in run.rows for run in every):
        raise InputError(
            f"neither run has the column {choices.text!r}; text= names one that says what an item is about"
        )
    warnings = [f"only one run has {', '.join(alone)}, which was left out (unmatched='drop')"] if alone else []
    warnings += dict.fromkeys(warning for run in every for warning in run.warnings)
    joined = Joined(
        sides[0],
        sides[1],
        ordered=any(run.ordered for run in every),
        sparse=any(run.open for run in every),
        notes=tuple(warnings),
    )
    numbered = any("repeat" in run.rows for run in every)
    which = f", {len(tasks)} tasks" if len(tasks) > 1 else f", task {tasks[0]}" if tasks[0] else ""
    told = [f"{path} was read as {reader.name}{which}" for path in paths]
    if len(paths) == 1:
        told.append(f"a is {names[0]} and b is {names[1]}")
    notes = dict.fromkeys(note for run in every for note in run.notes)
    return Outcomes(
        source=joined, a=names[0], b=names[1], open=joined.sparse,
        repeats=repeats or ("mean" if numbered else "error"), remarks=(*told, *notes), about=_chosen(every, tasks, choices),
        **policies,
    )  # fmt: skip


def _chosen(runs: Sequence[Run], tasks: Sequence[str], choices: Choices) -> dict[str, str]:
    """Say what of the files was taken: the task, the score, and what else they have several of."""
    found: dict[str, dict[str, None]] = {"task": dict.fromkeys(filter(None, tasks)), "score": {}}
    for run in runs:
        for name, value in run.chosen.items():
            found.setdefault(name, {}).setdefault(value)
    found["group"] = {} if choices.group is None else {choices.group: None}
    return {name: ",".join(values) for name, values in found.items() if values}


def _sides(runs: Sequence[list[Run]], paths: Sequence[Path], choices: Choices) -> list[dict[str, Run]]:
    """Return the runs of the first system and of the second, by task."""
    every = [_by_system(found, path) for found, path in zip(runs, paths, strict=True)]
    if len(every) == 2:
        return [systems[_meant(every, place, paths[place], choices)] for place, systems in enumerate(every)]
    (systems,) = every
    if len(choices.systems) == 2:
        return [systems[Choice("system", "a", list(systems), name).made(paths[0])] for name in choices.systems]
    if len(systems) == 1:
        raise InputError(f"{paths[0]} has one system, {next(iter(systems))}; give the run of the other too")
    if len(systems) > 2:
        raise ChoiceNeeded(
            f"{paths[0]} has {len(systems)} systems: {', '.join(systems)}; name two with --a and --b",
            arguments=dict(zip("ab", systems, strict=False)),
        )
    return list(systems.values())


def _meant(every: Sequence[Mapping[str, Any]], place: int, path: Path, choices: Choices) -> str:
    """Return which system of one of two files is meant: the only one, or the one that the user named.

    Raises:
        ChoiceNeeded: where there are several and not one of them was named.
    """
    wanted = [name for name in choices.systems if name in every[place]] or list(every[place])
    if len(wanted) == 1:
        return wanted[0]
    # A name that both files have would not say which is whose.
    own = [next((name for name in every[i] if name not in every[1 - i]), None) for i in (0, 1)]
    raise ChoiceNeeded(
        f"{path} has several systems: {', '.join(every[place])}; name one with --a and --b",
        arguments={role: name for role, name in zip("ab", own, strict=True) if name is not None} if all(own) else None,
    )


def _by_system(runs: list[Run], path: Path) -> dict[str, dict[str, Run]]:
    found: dict[str, dict[str, Run]] = {}
    for run in runs:
        own = found.setdefault(run.system, {})
        if run.task in own:
            which = f"the task {run.task}" if run.task else "what it did"
            raise InputError(f"{path} has {which} of {run.system} twice; name one file")
        own[run.task] = run
    if not found:
        raise InputError(f"{path} has no runs")
    return found


def _names(left: Run, right: Run, paths: Sequence[Path]) -> tuple[str, str]:
    """Return what the two are called, told apart where they are called the same."""
    if left.system != right.system:
        return left.system, right.system
    if len(paths) == 2:
        for parts in zip(paths[0].resolve().parts[::-1], paths[1].resolve().parts[::-1], strict=False):
            if parts[0] != parts[1]:
                return Path(parts[0]).stem, Path(parts[1]).stem
    return f"{left.system} (A)", f"{right.system} (B)"


def _side(name: str, runs: Sequence[Run], several: bool) -> Side:
    """Put the tasks of a system together; ids of different tasks are different."""
    enough = {role: any if role in SHOWN else all for role in ROLES}
    roles = ["id", "value", *(role for role in ROLES if enough[role](role in run.rows for run in runs))]
    columns: dict[str, list[Any]] = {role: [] for role in roles}
    if several:
        columns["slice"] = []
    for run in runs:
        for role in roles:
            given = list(run.rows[role]) if role in run.rows else [None] * len(run.rows["id"])
            columns[role] += [[run.task, one] for one in given] if role == "id" and several else given
        if several:
            columns["slice"] += [run.task] * len(run.rows["id"])
    return Side(name, columns, {role: role for role in columns})


def _tables(
    sources: Sequence[Source],
    roles: Mapping[str, str | None],
    prediction: str | None,
    system: str | None,
    systems: tuple[str, ...],
    by_line: bool,
    repeats: str,
    policies: Mapping[str, Any],
    text: str | None,
) -> Outcomes:
    """Pair two tables, or the rows of one long table."""
    paths = [find(source) for source in sources]
    texts = _with_text([own[0] for own in paths], text)
    if kind_of(paths[0][0]) not in ("lines", "json"):  # where a key may come late, and is looked for while reading
        known = columns_of(paths[0][0])
        for name in (*roles.values(), prediction, system):
            if name is not None and name not in known:
                raise unknown("column", name, known)
    columns = {role: name for role, name in roles.items() if name is not None}
    if "id" not in columns and not by_line:
        raise OptionError(_no_id(paths[0][0], [*columns.values(), *texts[0].values(), system], prediction))
    if by_line and "id" in columns:
        raise OptionError("by_line pairs rows by their places; leave id out, or by_line")
    remarks: list[str] = []
    if len(sources) == 1:
        if system is None:
            raise OptionError(
                "one table with a column a system is read by compare; of a long table name the column with system="
            )
        if len(systems) != 2:
            raise OptionError(f"name the two systems of the column {system!r} with a= and b=")
        value = prediction or _guess(paths[0][0], [*columns.values(), *texts[0].values(), system], remarks)
        sides = [Side(name, paths[0], {**columns, "value": value, **texts[0]}, (system, name)) for name in systems]
    else:
        if system is not None:
            raise OptionError("system= is for one long table; two tables are one a system")
        value = prediction or _guess(paths[0][0], [*columns.values(), *texts[0].values()], remarks)
        names = systems if len(systems) == 2 else _file_names([Path(source) for source in sources])
        sides = [
            Side(name, own, {**_present(own[0], columns, place), "value": value, **texts[place]})
            for place, (name, own) in enumerate(zip(names, paths, strict=True))
        ]
    joined = Joined(sides[0], sides[1], ordered=by_line)
    return Outcomes(
        source=joined, a=sides[0].name, b=sides[1].name, repeats=repeats, remarks=tuple(remarks),
        about={**made_of(columns), "prediction": value}, **policies,
    )  # fmt: skip


def _with_text(paths: Sequence[Path], text: str | None) -> list[dict[str, str]]:
    """Return of each table the column of texts, where it has one.

    Raises:
        NameUnknown: where none has.
    """
    if text is None:
        return [{} for _ in paths]
    known = [columns_of(path) for path in paths]
    if not any(text in names for names in known):
        raise unknown("column", text, dict.fromkeys(name for names in known for name in names))
    return [{"text": text} if text in names else {} for names in known]


def _present(path: Path, columns: Mapping[str, str], place: int) -> dict[str, str]:
    """Return the columns of a table that are wanted; the second need not repeat what the first says."""
    if place == 0:
        return dict(columns)
    known = columns_of(path)
    return {role: name for role, name in columns.items() if role == "id" or name in known}


def _file_names(paths: Sequence[Path]) -> tuple[str, str]:
    first, second = (Run(system=path.name.split(".")[0], rows={}) for path in paths)
    return _names(first, second, paths)


def _no_id(path: Path, taken: Sequence[str | None], prediction: str | None) -> str:
    """Say that an id is needed, and whatever else is."""
    left = [name for name in columns_of(path) if name not in taken]
    also = ", and that of the predictions or scores with prediction=" if prediction is None and len(left) > 2 else ""
    return (
        f"two tables are paired by id: name its column with id={also} (for tables without an id, by_line=True pairs them by "
        f"the places of their rows, and says so); the columns left are: {_few(left)}"
    )


def _few(names: Sequence[str]) -> str:
    return f"{', '.join(names[:20]) or 'none'}{', ...' if len(names) > 20 else ''}"


def _guess(path: Path, taken: Sequence[str], remarks: list[str]) -> str:
    """Find the column of the predictions: the only one that nothing else is said about."""
    left = [name for name in columns_of(path) if name not in taken]
    if len(left) != 1 or not answers([Column(name, ()) for name in left]):
        raise OptionError(
            f"name the column of the predictions or scores with prediction=; the columns left are: {_few(left)}"
        )
    remarks.append(f"{left[0]!r} holds the predictions, the column that nothing else is said about")
    return left[0]
