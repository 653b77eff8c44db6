"""The verb read(): two runs, from logs or tables, paired by id and ready to compare."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from pathlib import Path
from textwrap import fill, indent
from typing import Any, TypeAlias, TypeVar

from referee.data.engines.base import SHOWN, Joined, Side
from referee.data.engines.files import refuse_twice
from referee.data.engines.tables import find
from referee.data.formats.base import (
    READERS,
    SYSTEMS,
    Choices,
    Reader,
    Run,
    Source,
    format_options,
    known_name,
    recognise,
)
from referee.data.formats.plain_tables import CHOICES, Tables, tell_apart
from referee.data.outcomes import Outcomes
from referee.data.roles import OPTIONS, SCORE, SHARED
from referee.errors import Argument, CallError, ChoiceNeeded, InputError, Message, NameUnknown, OptionError, one_of
from referee.runtime.arguments import fitting, no_such_arguments

OF_RUNS = (*SHARED, "check", "likeness", "repeat", *SHOWN)
"""What the rows of a run may have, beside an id and a value."""
Systems: TypeAlias = dict[str, dict[str, Run]]
"""The runs of a source, by system and task."""
Function = TypeVar("Function", bound=Callable[..., Any])
RECOGNISED = "what no format recognises is a table."
OF_FORMATS = "options: the options that single formats declare."
"""Behind which sentences of a docstring the formats, and their options, are listed."""


def _with_formats(function: Function) -> Function:
    """Let a function tell the formats, and the options that they declare, after `score`, which many have."""
    signature = inspect.signature(function)
    *own, options = signature.parameters.values()
    place = list(signature.parameters).index(SCORE.name) + 1
    declared = [
        inspect.Parameter(
            option.name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=options.annotation
        )
        for option in format_options()
    ]
    vars(function)["__signature__"] = signature.replace(parameters=[*own[:place], *declared, *own[place:]])
    formats = fill(f"The formats: {', '.join(READERS)}.", 110, break_on_hyphens=False)
    told = "".join(f"\n        {option.name}: {option.help}" for option in format_options())
    documented = (function.__doc__ or "").replace(RECOGNISED, f"{RECOGNISED}\n{indent(formats, ' ' * 4)}")
    function.__doc__ = documented.replace(OF_FORMATS, f"{OF_FORMATS}{told}")
    return function


@fitting
@_with_formats
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
    by_line: bool = False,
    positive: Any = None,
    unmatched: str = "error",
    missing: str = "error",
    repeats: str | None = None,
    text: str | None = None,
    **options: Any,
) -> Outcomes:
    """Read two runs, from two files or from one, and pair them by id.

    Files are recognised by their contents; what no format recognises is a table.

    Args:
        sources: two files or folders, one per system; or one that has both.
        id: of tables: the column that tells examples apart.
        prediction: of two tables: the column of the predictions or scores, in both.
        truth: of tables: the column of the right answers.
        group: the column, or the key of an item, whose examples depend on each other.
        stratum: of tables: examples are drawn within strata.
        by: of tables: each slice is compared separately. Several tasks in one run are slices without asking.
        system: of one long table: the column that names the system of each row.
        a: the first system, if a file has several.
        b: the second.
        score: which score, if a file has several.
        by_line: pair the rows of two tables by line number when there is no id column.
        positive: the positive label.
        unmatched: what to do with ids that only one side has: "error" or "drop".
        missing: what to do with missing or errored predictions; `referee compare --help` lists the policies.
        repeats: what to do with ids that repeat: "error", "mean" or "group". If left out, numbered repetitions (epochs) are
            averaged, and others are an error.
        text: what an example is about, for reports: a column of one of the tables, or the key of an item. Most logs have it.
        options: the options that single formats declare.

    Returns:
        Outcomes, for `compare` and `count`; `remarks` says how the files were read.

    Raises:
        RefereeError: if a file is unknown or broken, a choice is needed, or the two don't fit each other.
    """
    if repeats is not None:
        one_of("repeats", repeats, OPTIONS["repeats"].values)
    declared = {option.name: option for option in format_options()}
    known = dict.fromkeys([*inspect.signature(read).parameters, *declared])
    strange = [name for name in options if name not in known]
    if strange:
        raise CallError(no_such_arguments("read", strange, list(known))) from None
    if not 1 <= len(sources) <= 2:
        raise OptionError(f"two runs are compared, from one file or two; {len(sources)} were given", argument="sources")
    typed = {name: declared[name].typed(value) for name, value in options.items()}
    named = {name: value for name, value in typed.items() if value != declared[name].default}
    choices = Choices(
        a=a, b=b, id=id, prediction=prediction, truth=truth, group=group, stratum=stratum, by=by, system=system,
        by_line=by_line or None, score=score, **named, text=text,
    )  # fmt: skip
    policies = {"unmatched": unmatched, "missing": missing, "positive": positive}
    formats = [recognise(Path(source)) for source in sources]
    if len(sources) == 2:
        files = (own if reader else find(source) for source, (reader, own) in zip(sources, formats, strict=True))
        refuse_twice(chain(*files), "a run is not compared with itself: name the other run")
    kinds = [reader.name if reader is not None else "a table" for reader, _ in formats]
    if len(set(kinds)) > 1:
        different = f"{sources[0]} is {kinds[0]} and {sources[1]} is {kinds[1]}"
        raise InputError(different, remedy="give two runs of one kind")
    reader, paths = formats[0]
    for name in choices:
        if name not in (CHOICES if reader is None else ("a", "b", *reader.chooses)):
            raise OptionError(Argument(name, bare=True), f" has no meaning for {kinds[0]}", remedy="leave it out")
    if reader is None:
        return Tables(sources, choices).outcomes(repeats=repeats or "error", **policies)
    if reader.table is not None and len(sources) == 1 and prediction is None:
        if a is None or b is None:
            asked = f"name the columns of the two systems in {sources[0]} with "
            raise OptionError(asked, *SYSTEMS, argument="a" if a is None else "b")
        return Outcomes(
            source=reader.table(paths[0]), truth=truth, group=group, id=id, text=text, a=a, b=b,
            repeats=repeats or "error", remarks=(f"{sources[0]} was read as {reader.name}",), **policies,
        )  # fmt: skip
    usual = {option.name: option.default for option in reader.options}
    choices = Choices(**{**usual, **choices})
    logs = Logs(reader, list(map(Path, sources)), [own for _, own in formats], choices, repeats, policies)
    return replace(logs.outcomes(), again=logs)


@dataclass(frozen=True)
class Logs:
    """Runs in files of one kind, and what the user said about them: enough to read them once more; `paths` are those of each source."""

    reader: Reader
    sources: Sequence[Path]
    paths: Sequence[Sequence[Path]]
    choices: Choices
    repeats: str | None
    policies: Mapping[str, Any]

    def __call__(self) -> Outcomes:
        """Read them again, with what the items are about."""
        return replace(self, choices=Choices(True, **self.choices)).outcomes()

    @property
    def files(self) -> list[Path]:
        """All files that are read."""
        return list(chain(*self.paths))

    def outcomes(self) -> Outcomes:
        """Read the runs of the two systems and pair them, task by task."""
        every = [_by_system(self._runs(paths), source) for paths, source in zip(self.paths, self.sources, strict=True)]
        left, right = _side_by_side(*self._two_systems(every))
        tasks = [task for task in left if task in right]
        alone = sorted(task for task in (*left, *right) if task not in tasks)
        if not tasks:
            raise InputError(f"the runs have no task in common: {', '.join(left)} against {', '.join(right)}")
        drop = Argument("unmatched", "drop")
        if alone and self.policies["unmatched"] == "error":
            raise InputError(f"only one run has {', '.join(alone)}; ", drop, " leaves such tasks out")
        runs = [*left.values(), *right.values()]
        text = self.choices.get("text")
        if text is not None and not any("text" in run.rows for run in runs):
            about = " names one that says what an item is about"
            raise InputError(f"neither run has the column {text!r}; ", Argument("text"), about)
        names = self.choices.systems
        if len(names) != 2 or not {*names}.isdisjoint(chain(*every)):  # names that no file has are names to be given
            names = tell_apart(left[tasks[0]].system, right[tasks[0]].system, self.sources)
        first = _side(names[0], [left[task] for task in tasks])
        second = _side(names[1], [right[task] for task in tasks])
        warnings = [Message(f"only one run has {', '.join(alone)}, which was left out (", drop, ")")] if alone else []
        notes = (*warnings, *dict.fromkeys(warning for run in runs for warning in run.warnings))
        ordered, sparse = any(run.ordered for run in runs), any(run.open for run in runs)
        joined = Joined((first, second), ordered=ordered, sparse=sparse, notes=notes)
        numbered = any("repeat" in run.rows for run in runs)
        return Outcomes(
            source=joined, a=names[0], b=names[1], open=joined.sparse,
            repeats=self.repeats or ("mean" if numbered else "error"), remarks=self._remarks(runs, tasks, names),
            about=self._chosen(runs, tasks), **self.policies,
        )  # fmt: skip

    def _runs(self, paths: Sequence[Path]) -> list[Run]:
        """Read all files of a source; of several, a choice need not have a meaning for each, but for one.

        Raises:
            NameUnknown: if a choice fits none of the files.
        """
        if len(paths) == 1:
            return self.reader.read(paths[0], self.choices)
        of_several = [option.name for option in self.reader.options if option.of_several]
        given = [name for name in of_several if name in self.choices]
        subsets = [left_out for size in range(len(given) + 1) for left_out in combinations(given, size)]
        runs, wrong, used = list[Run](), list[NameUnknown | OptionError](), set[str]()
        for path in paths:
            errors: list[NameUnknown | OptionError] = []
            for left_out in subsets:
                try:
                    runs += self.reader.read(path, self.choices.without(*left_out))
                except (NameUnknown, OptionError) as error:
                    # A choice that was left out here, and is missed, was wrong; any other is for the user to make.
                    missed = error.arguments if isinstance(error, ChoiceNeeded) else {}
                    if isinstance(error, OptionError) and missed.keys().isdisjoint(left_out):
                        raise
                    errors.append(error)
                    continue
                used |= set(given) - set(left_out)
                break
            else:
                raise errors[0]
            wrong += errors
        if len(used) < len(given):
            raise wrong[0]
        return runs

    def _two_systems(self, every: Sequence[Systems]) -> list[dict[str, Run]]:
        """Return the runs of the first system and of the second, by task.

        Args:
            every: the systems of each source.
        """
        if len(every) == 2:
            return [systems[self._meant(every, place)] for place, systems in enumerate(every)]
        (systems,), (source,) = every, self.sources
        if len(self.choices.systems) == 2:
            return [systems[known_name(role, self.choices[role], systems, "system")] for role in "ab"]
        if len(systems) == 1:
            raise InputError(f"{source} has one system, {next(iter(systems))}; give the run of the other too")
        if len(systems) > 2:
            several = f"{source} has {len(systems)} systems: {', '.join(systems)}; name two with "
            raise ChoiceNeeded(several, *SYSTEMS, arguments=dict(zip("ab", systems, strict=False)))
        return list(systems.values())

    def _meant(self, every: Sequence[Systems], place: int) -> str:
        """Return which system of one of two sources is meant: the only one, or the one that the user named.

        Raises:
            ChoiceNeeded: where there are several and not one of them was named.
        """
        wanted = [name for name in self.choices.systems if name in every[place]] or list(every[place])
        if len(wanted) == 1:
            return wanted[0]
        # A name that both files have would not say which is whose.
        own = [next((name for name in every[i] if name not in every[1 - i]), None) for i in (0, 1)]
        example = {role: name for role, name in zip("ab", own, strict=True) if name is not None}
        raise ChoiceNeeded(
            f"{self.sources[place]} has several systems: {', '.join(every[place])}; name the one you mean with ",
            *(Argument("a"), " or ", Argument("b"), ", or give one file alone if it has both systems"),
            argument="ab"[place],
            arguments=example if len(example) == 2 else None,
        )

    def _remarks(self, runs: Sequence[Run], tasks: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
        """Say what the files were taken for."""
        which = f", {len(tasks)} tasks" if len(tasks) > 1 else f", task {tasks[0]}" if tasks[0] else ""
        remarks = [f"{source} was read as {self.reader.name}{which}" for source in self.sources]
        if len(self.sources) == 1:
            remarks.append(f"A is {names[0]} and B is {names[1]}")
        return (*remarks, *dict.fromkeys(note for run in runs for note in run.notes))

    def _chosen(self, runs: Sequence[Run], tasks: Sequence[str]) -> dict[str, str]:
        """Say what of the files was taken: the task, the score, and what else they have several of."""
        chosen: dict[str, list[str]] = {"task": [*tasks], "score": []}
        for run in runs:
            for name, value in run.chosen.items():
                chosen.setdefault(name, []).append(value)
        chosen["group"] = [self.choices.get("group") or ""]
        distinct = {name: dict.fromkeys(filter(None, values)) for name, values in chosen.items()}
        return {name: ",".join(values) for name, values in distinct.items() if values}


def _by_system(runs: Sequence[Run], source: Path) -> Systems:
    systems: Systems = {}
    for run in runs:
        own = systems.setdefault(run.system, {})
        if run.task in own:
            which = f"the task {run.task}" if run.task else "what it did"
            raise InputError(f"{source} has {which} of {run.system} twice; name one file")
        own[run.task] = run
    if not systems:
        raise InputError(f"{source} has no runs")
    return systems


def _side_by_side(left: dict[str, Run], right: dict[str, Run]) -> tuple[dict[str, Run], dict[str, Run]]:
    """Return the runs by task; where one of two files says which task it is and the other does not, it is the same."""
    if len(left) == len(right) == 1 and "" in (*left, *right):
        task = next(filter(None, (*left, *right)), "")
        return {task: next(iter(left.values()))}, {task: next(iter(right.values()))}
    return left, right


def _side(name: str, runs: Sequence[Run]) -> Side:
    """Put the tasks of a system together; ids of different tasks are different."""
    several = len(runs) > 1
    enough = {role: any if role in SHOWN else all for role in OF_RUNS}
    roles = ["id", "value", *(role for role in OF_RUNS if enough[role](role in run.rows for run in runs))]
    columns: dict[str, list[Any]] = {role: [] for role in (*roles, *(["slice"] if several else []))}
    for run in runs:
        rows = {"slice": [run.task] * len(run.rows["id"]), **run.rows}
        if several:
            rows["id"] = [[run.task, one] for one in run.rows["id"]]
        for role, values in columns.items():
            values += rows.get(role, [None] * len(rows["id"]))
    return Side(name, columns, {role: role for role in columns})
