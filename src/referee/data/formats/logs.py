"""Logs: runs in files of one kind, one system each or several, and which of their rows are paired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from referee.data.engines.base import SHOWN, Joined, Side
from referee.data.formats.base import SYSTEMS, Choices, Reader, Run, known_name
from referee.data.formats.plain_tables import Paired, refuse_namesakes, tell_apart
from referee.data.outcomes import Outcomes
from referee.data.roles import SHARED, fitting, named_among
from referee.data.samples import Samples, meeting_of, sample_of
from referee.data.value_text import listed
from referee.errors import Argument, ChoiceNeeded, InputError, Message, NameUnknown, OptionError

OF_RUNS = (*SHARED, "check", "likeness", "repeat", *SHOWN)
"""What the rows of a run may have, beside an id and a value."""
SHOWN_SOURCES, MOST_NAMES = 10, 20
"""Of how many files it is said how they were read, and how many systems are named."""
Systems: TypeAlias = dict[str, dict[str, Run]]
"""The runs of a source, by system and task."""


class Entry(NamedTuple):
    """The runs of a system by task, and where they are from."""

    runs: dict[str, Run]
    source: Path
    called: str = ""
    """What the user wants it to be called."""

    @property
    def system(self) -> str:
        """What the system is called there."""
        return next(iter(self.runs.values())).system


@dataclass(frozen=True)
class Logs:
    """Runs in files of one kind, and what the user said about them: enough to read them once more; `paths` are those of each source."""

    reader: Reader
    sources: Sequence[Path]
    paths: Sequence[Sequence[Path]]
    choices: Choices
    repeats: str | None
    policies: Mapping[str, Any]
    wanted: tuple[str, ...] | None = None
    """Which systems are ranked, by names or patterns, all if none is named; None where two are compared."""
    unpaired: bool = False
    """Whether the systems answered different examples."""

    def __call__(self) -> Outcomes:
        """Read them again, with what the items are about."""
        again = replace(self, choices=Choices(True, **self.choices)).outcomes()
        assert isinstance(again, Outcomes)
        return replace(again, again=self, held=True)

    @property
    def files(self) -> list[Path]:
        """All files that are read."""
        return list(chain(*self.paths))

    @property
    def called(self) -> tuple[str, ...]:
        """The runs as those who read a page know them: the files or folders that were given, and what wrote them."""
        places = [source.absolute() for source in self.sources]
        names = [place.name for place in places]
        if len(set(names)) < len(names):
            names = ["/".join(place.parts[-2:]) for place in places]
        return (*names[:-1], f"{names[-1]} ({self.reader.name})")

    def outcomes(self) -> Outcomes | Samples:
        """Read the runs of two systems and pair them, task by task, unless they are two samples."""
        paired = self.paired()
        left, right = paired.joined.sides
        if self.unpaired and left is right:
            raise InputError(f"{self.sources[0]} has one system, {left.name}; give the run of the other too")
        if self.unpaired:
            about = {"repeats": paired.repeats, "about": paired.about, "open": paired.joined.sparse, **self.policies}
            met = None if paired.joined.ordered else meeting_of(left, right, about)
            first, second = sample_of(left, **about), sample_of(right, **about)
            return Samples(first=first, second=second, remarks=paired.remarks, meeting=met)
        return Outcomes(
            source=paired.joined, a=left.name, b=right.name, open=paired.joined.sparse, repeats=paired.repeats,
            remarks=paired.remarks, about=paired.about, **self.policies,
        )  # fmt: skip

    def paired(self) -> Paired:
        """Read the runs of the systems, and say which rows are paired, task by task."""
        every = [_by_system(self._runs(paths), source) for paths, source in zip(self.paths, self.sources, strict=True)]
        entries = self._two_systems(every) if self.wanted is None else self._all_systems(every)
        systems = _side_by_side([entry.runs for entry in entries])
        only_some = "only one run has" if len(systems) == 2 else "not every run has"
        tasks = [task for task in systems[0] if all(task in own for own in systems)]
        alone = sorted({task for own in systems for task in own if task not in tasks})
        if not tasks:
            which = dict.fromkeys(", ".join(own) for own in systems)
            raise InputError(f"the runs have no task in common: {' against '.join([*which][:5])}")
        drop = Argument("unmatched", "drop")
        if alone and self.policies["unmatched"] == "error":
            raise InputError(f"{only_some} {', '.join(alone)}; ", drop, " leaves such tasks out")
        runs = [run for own in systems for run in own.values()]
        text = self.choices.get("text")
        if text is not None and not any("text" in run.rows for run in runs):
            about = " names one that says what an item is about"
            raise InputError(f"neither run has the column {text!r}; ", Argument("text"), about)
        names = tuple(entry.called for entry in entries)
        single = len(entries) == 2 and entries[0].runs is entries[1].runs
        if single:
            names = (entries[0].system,) * 2
        elif not all(names):
            names = tell_apart([own[tasks[0]].system for own in systems], [entry.source for entry in entries])
        if self.wanted is not None:
            refuse_namesakes(names)
        sides = tuple(_side(name, [own[task] for task in tasks]) for name, own in zip(names, systems, strict=True))
        sides = (sides[0],) * 2 if single else sides
        left_out = f"{only_some} {', '.join(alone)}, which was left out ("
        warnings = [Message(left_out, drop, ")")] if alone else []
        notes = (*warnings, *dict.fromkeys(warning for run in runs for warning in run.warnings))
        ordered, sparse = any(run.ordered for run in runs), any(run.open for run in runs)
        numbered = any("repeat" in run.rows for run in runs)
        return Paired(
            joined=Joined(sides, ordered=ordered, sparse=sparse, notes=notes),
            repeats=self.repeats or ("mean" if numbered else "error"),
            remarks=self._remarks(runs, tasks, names),
            about=self._chosen(runs, tasks),
        )

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

    def _all_systems(self, every: Sequence[Systems]) -> list[Entry]:
        """Return the runs of all systems that are meant, in the order of the sources or in that in which they were named.

        Raises:
            NameUnknown: if a name was given that no source has, and which cannot be meant as a new one.
            InputError: if there is only one.
        """
        entries = [
            Entry(runs, source)
            for source, systems in zip(self.sources, every, strict=True)
            for runs in systems.values()
        ]
        known, wanted = dict.fromkeys(chain(*every)), self.wanted or ()
        if len(wanted) == len(entries) and not any(fitting(one, known) for one in wanted):
            return [entry._replace(called=name) for entry, name in zip(entries, wanted, strict=True)]
        if wanted:
            entries = [entry for name in named_among(wanted, known) for entry in entries if entry.system == name]
        if len(entries) == 1:
            system = entries[0].system
            only = (
                f"one system was named, {system}" if len(known) > 1 else f"{self.sources[0]} has one system, {system}"
            )
            remedy = "name two or more" if len(known) > 1 else "give the runs of the others too"
            raise InputError(only, argument="systems", remedy=remedy)
        return entries

    def _two_systems(self, every: Sequence[Systems]) -> list[Entry]:
        """Return the runs of the first system and of the second.

        Args:
            every: the systems of each source.
        """
        if len(every) == 2:
            meant = [systems[self._meant(every, place)] for place, systems in enumerate(every)]
            names = self.choices.systems
            given = len(names) == 2 and {*names}.isdisjoint(chain(*every))  # no file has them
            return list(map(Entry, meant, self.sources, names if given else ("", "")))
        (systems,), (source,) = every, self.sources
        if len(self.choices.systems) == 2:
            return [Entry(systems[known_name(role, self.choices[role], systems, "system")], source) for role in "ab"]
        if len(systems) == 1:  # which is scored, and compared with no other
            return [Entry(own, source) for own in systems.values()] * 2
        if len(systems) > 2:
            several = f"{source} has {len(systems)} systems: {', '.join(systems)}; name two with "
            raise ChoiceNeeded(several, *SYSTEMS, arguments=dict(zip("ab", systems, strict=False)))
        return [Entry(own, source) for own in systems.values()]

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
        remarks = [f"{source} was read as {self.reader.name}{which}" for source in self.sources[:SHOWN_SOURCES]]
        if len(self.sources) > SHOWN_SOURCES:
            remarks.append(f"{len(self.sources) - SHOWN_SOURCES} more were read in the same way")
        if self.wanted is not None:
            remarks.append(f"the systems are {listed(names, MOST_NAMES)}")
        elif len(self.sources) == 1 and names[0] != names[1]:
            remarks.append(f"A is {names[0]} and B is {names[1]}")
        return (*remarks, *dict.fromkeys(note for run in runs for note in run.notes))

    def _chosen(self, runs: Sequence[Run], tasks: Sequence[str]) -> dict[str, str]:
        """Say what of the files was taken: the task, the score, and what else they have several of."""
        chosen: dict[str, list[str]] = {"task": [*tasks], "score": []}
        for run in runs:
            for name, value in run.chosen.items():
                chosen.setdefault(name, []).append(value)
        chosen["group"] = [self.choices.get("group") or ""]
        chosen["noun"] = [run.noun for run in runs]
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


def _side_by_side(systems: Sequence[dict[str, Run]]) -> list[dict[str, Run]]:
    """Return the runs by task; where one of several files says which task it is and another does not, it is the same."""
    tasks = {task for own in systems for task in own}
    if all(len(own) == 1 for own in systems) and "" in tasks and len(tasks - {""}) <= 1:
        task = next(filter(None, tasks), "")
        return [dict.fromkeys([task], *own.values()) for own in systems]
    return list(systems)


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
