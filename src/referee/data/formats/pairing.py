"""The verb read(): two runs, from logs or tables, paired by id and ready to compare; and as many as there are, to rank."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from textwrap import fill, indent
from typing import Any, TypeVar

from referee.data.counts import Counts
from referee.data.crossed_groups import CROSSED, unfolded
from referee.data.engines.base import engine_of
from referee.data.engines.files import called_files, refuse_twice
from referee.data.engines.tables import columns_of, find
from referee.data.formats.base import READERS, SYSTEMS, Choices, Opening, Reader, Source, format_options, recognise
from referee.data.formats.logs import Logs
from referee.data.formats.plain_tables import CHOICES, Tables, refuse_namesakes
from referee.data.outcomes import Outcomes
from referee.data.policies import Policies, settle
from referee.data.roles import OPTIONS, SCORE
from referee.data.samples import Samples
from referee.data.value_text import EXAMPLE, listed
from referee.errors import Argument, CallError, InputError, Message, NotReady, OptionError, one_of, refusal
from referee.runtime.arguments import fitting, no_such_arguments

Function = TypeVar("Function", bound=Callable[..., Any])
RECOGNISED = "what no format recognises is a table."
OF_FORMATS = "options: the options that single formats declare."
"""Behind which sentences of a docstring the formats, and their options, are listed."""


def with_formats(function: Function) -> Function:
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
@with_formats
def read(
    *sources: Source,
    id: str | None = None,  # noqa: A002 - the word users know
    prediction: str | None = None,
    truth: str | None = None,
    group: str | Sequence[str] | None = None,
    stratum: str | None = None,
    weight: str | None = None,
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
    paired: bool = True,
    examples: bool = False,
    **options: Any,
) -> Outcomes | Samples:
    """Read two runs, from two files or from one, and pair them by id; or a single run, to be scored.

    Files are recognised by their contents; what no format recognises is a table.

    Args:
        sources: two files or folders, one per system; or one that has both; or one with a single system, for `score`.
        id: of tables: the column that tells examples apart.
        prediction: of tables: the column of the predictions or scores, in both if there are two.
        truth: of tables: the column of the right answers.
        group: the column, or the key of an item, whose examples depend on each other; of tables, two columns if they are
            crossed, such as questions and seeds: a row is then known by both, unless another id is named.
        stratum: of tables: examples are drawn within strata.
        weight: of tables: how much each example counts in the scores.
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
        paired: False if the systems answered different examples: the files are then two samples, and nothing is joined.
        examples: True if a report will show examples: of logs, what it shows is then read at once, which takes memory, and not
            by reading them a second time.
        options: the options that single formats declare.

    Returns:
        Outcomes (Samples if not paired), for `compare`, `score` and `count`; `remarks` says how the files were read.

    Raises:
        RefereeError: if a file is unknown or broken, a choice is needed, or the two don't fit each other.
    """
    if repeats is not None:
        one_of("repeats", repeats, OPTIONS["repeats"].values)
    named = named_options(read, options)
    if not 1 <= len(sources) <= 2:
        raise OptionError(f"two runs are compared, from one file or two; {len(sources)} were given", argument="sources")
    groups = unfolded({"group": group})
    choices = Choices(
        a=a, b=b, id=id, prediction=prediction, truth=truth, **groups, stratum=stratum, weight=weight, by=by, system=system,
        by_line=by_line or None, score=score, **named, text=text,
    )  # fmt: skip
    policies = {"unmatched": unmatched, "missing": missing, "positive": positive}
    reader, paths = _of_one_kind(sources, choices, "compared with itself: name the other run", "two runs")
    if paired and reader is None and len(sources) == 1 and prediction is not None and system is None and a == b:
        return Outcomes(
            source=sources[0], a=prediction, b=prediction, truth=truth, **groups, stratum=stratum, weight=weight, slice=by, id=id,
            text=text, repeats=repeats or "error", **policies,
        )  # fmt: skip
    if reader is None and not paired:
        return Tables(sources, choices, unpaired=True).samples(repeats, policies)
    if reader is None:
        if len(sources) == 1 and system is None and prediction is None and by_line is False and id is None:
            raise _one_table(sources[0])
        tables = Tables(sources, choices).paired(repeats)
        left, right = tables.joined.sides
        return Outcomes(
            source=tables.joined, a=left.name, b=right.name, repeats=tables.repeats, remarks=tables.remarks,
            about=tables.about, **policies,
        )  # fmt: skip
    if paired and reader.table is not None and len(sources) == 1 and prediction is None:
        if a is None or b is None:
            asked = f"name the columns of the two systems in {sources[0]} with "
            raise OptionError(asked, *SYSTEMS, argument="a" if a is None else "b")
        return Outcomes(
            source=reader.table(paths[0][0]), truth=truth, **groups, id=id, text=text, a=a, b=b,
            repeats=repeats or "error", remarks=(f"{sources[0]} was read as {reader.name}",), **policies,
        )  # fmt: skip
    usual = _with_usual(reader, choices)
    logs = Logs(reader, list(map(Path, sources)), paths, usual, repeats, policies, unpaired=not paired)
    if examples and paired:
        return logs()
    made = logs.outcomes()
    return replace(made, again=logs) if isinstance(made, Outcomes) else made


def _one_table(source: Source) -> OptionError:
    """Say what to do with one table of which nothing says what its columns are."""
    here = f"{source} is one table, and nothing says which of its columns are what: give it to compare with ", *SYSTEMS
    long = "; or, if one column names the system of each row, say which with ", Argument("system")
    return OptionError(*here, *long, argument="system", remedy=f"its columns are {listed(columns_of(source))}")


@fitting
@with_formats
def read_systems(
    *sources: Source,
    systems: str | Sequence[str] | None = None,
    id: str | None = None,  # noqa: A002 - the word users know
    prediction: str | None = None,
    truth: str | None = None,
    group: str | Sequence[str] | None = None,
    stratum: str | None = None,
    weight: str | None = None,
    by: str | None = None,
    system: str | None = None,
    score: str | None = None,
    by_line: bool = False,
    positive: Any = None,
    unmatched: str = "error",
    missing: str = "error",
    repeats: str | None = None,
    tell: Callable[[str], object] | None = None,
    **options: Any,
) -> Counts:
    """Read the runs of any number of systems, pair them by id, and count how often each joint outcome occurred.

    Files are recognised by their contents; what no format recognises is a table.

    Args:
        sources: files or folders of one kind, one per system or with several; or one long table.
        systems: which systems, by names or patterns, in a list or with commas; all if left out. Names that no log has, and
            those given with tables, are what the systems are to be called, in the order of the sources.
        id: of tables: the column that tells examples apart.
        prediction: of tables: the column of the predictions or scores.
        truth: of tables: the column of the right answers.
        group: the column, or the key of an item, whose examples depend on each other.
        stratum: of tables: examples are drawn within strata.
        weight: of tables: how much each example counts in the scores.
        by: of tables: each slice is ranked separately. Several tasks in one run are slices without asking.
        system: of one long table: the column that names the system of each row.
        score: which score, if a file has several.
        by_line: pair the rows of tables by line number when there is no id column.
        positive: the positive label.
        unmatched: what to do with ids that not every system has: "error" or "drop".
        missing: what to do with missing or errored predictions; `referee compare --help` lists the policies.
        repeats: what to do with ids that repeat: "error", "mean" or "group". If left out, numbered repetitions (epochs) are
            averaged, and others are an error.
        tell: is called with each sentence about how the files were read.
        options: the options that single formats declare.

    Returns:
        Counts of all systems under their names, which are a and b if there are two.

    Raises:
        RefereeError: if a file is unknown or broken, a choice is needed, or the runs don't fit each other.
    """
    if repeats is not None:
        one_of("repeats", repeats, OPTIONS["repeats"].values)
    policies = Policies(unmatched=unmatched, missing=missing)
    named = named_options(read_systems, options)
    wanted = _wanted(systems)
    refuse_namesakes(wanted)
    if not sources:
        raise OptionError("there is nothing to read: name the files or folders of the systems", argument="sources")
    choices = Choices(
        id=id, prediction=prediction, truth=truth, **unfolded({"group": group}), stratum=stratum, weight=weight, by=by, system=system,
        by_line=by_line or None, score=score, **named,
    )  # fmt: skip
    reader, paths = _of_one_kind(sources, choices, "ranked against itself: name each run once", "runs")
    files: tuple[str, ...] = ()
    if reader is None:
        paired = Tables(sources, choices, wanted).paired(repeats)
    elif reader.table is not None and len(sources) == 1 and prediction is None:
        remedy = Message("give one per system, and their column of predictions with ", Argument("prediction"))
        raise OptionError(f"{sources[0]} is one table with a column per system", argument="prediction", remedy=remedy)
    else:
        usual = _with_usual(reader, choices)
        logs = Logs(reader, list(map(Path, sources)), paths, usual, repeats, {"unmatched": unmatched}, wanted)
        paired, files = logs.paired(), logs.called
    if tell is not None:
        for remark in paired.remarks:
            tell(remark)
    policies = replace(policies, repeats=paired.repeats)
    rows = engine_of(paired.joined).read(paired.joined, policies)
    noun = paired.about.get("noun", EXAMPLE)
    counts = settle(rows, policies, names=rows.names, positive=positive, noun=noun)
    about = {**counts.about, **paired.about, **policies.chosen}
    return replace(counts, open=paired.joined.sparse, about=about, files=files or called_files(sources))


def _wanted(systems: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the names that were given; they may be one text, with commas."""
    if isinstance(systems, str):
        return tuple(filter(None, map(str.strip, systems.split(","))))
    if systems is None or isinstance(systems, Iterable):
        return tuple(map(str, systems or ()))
    raise refusal("systems", "must be the names of systems", systems)


def named_options(verb: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of formats that were given and are not as usual.

    Raises:
        CallError: if no format has declared one of them.
    """
    declared = {option.name: option for option in format_options()}
    known = dict.fromkeys([*inspect.signature(verb).parameters, *declared])
    strange = [name for name in options if name not in known]
    if strange:
        raise CallError(no_such_arguments(verb.__name__, strange, list(known))) from None
    typed = {name: declared[name].typed(value) for name, value in options.items()}
    return {name: value for name, value in typed.items() if value != declared[name].default}


def _with_usual(reader: Reader, choices: Choices) -> Choices:
    return Choices(**{**{option.name: option.default for option in reader.options}, **choices})


def _of_one_kind(
    sources: Sequence[Source], choices: Choices, why: str, what: str
) -> tuple[Reader | None, list[list[Path]]]:
    """Return the reader of all sources, None of tables, and the files of each.

    Raises:
        InputError: if they are of several kinds, or one is given twice.
        OptionError: if something was chosen that has no meaning for them.
    """
    formats = [recognise(Path(source), choices) for source in sources]
    kinds = [reader.name if reader is not None else "a table" for reader, _ in formats]
    odd = next((place for place, kind in enumerate(kinds) if kind != kinds[0]), None)
    if odd is not None:
        for source in sources:
            if Path(source).is_file() and not Opening(Path(source)).head.strip():
                raise NotReady(f"{source} is empty")
            if not Path(source).exists():
                find(source)  # which says that there is no such file
        different = f"{sources[0]} is {kinds[0]} and {sources[odd]} is {kinds[odd]}"
        raise InputError(different, remedy=f"give {what} of one kind")
    reader = formats[0][0]
    if CROSSED in choices and reader is not None and reader.table is None:
        two = f"two crossed groups are read from tables; {kinds[0]} has one group"
        raise OptionError(two, argument="group", remedy="name the one whose items depend on each other")
    for name in choices:
        if name != CROSSED and name not in (CHOICES if reader is None else ("a", "b", *reader.chooses)):
            only = [one.name for _, one in READERS.items() if name in one.chooses and name not in CHOICES]
            for_these = f", only for {listed(only)}" if only else ""
            told = f" has no meaning for {kinds[0]}{for_these}"
            raise OptionError(Argument(name, bare=True), told, remedy="leave it out")
    if len(sources) > 1:
        files = (own if reader else find(source) for source, (reader, own) in zip(sources, formats, strict=True))
        refuse_twice(chain(*files), f"a run is not {why}")
    return reader, [own for _, own in formats]
