"""Where the data are: a path, a pattern, or standard input, which is spooled to a temporary file."""

from __future__ import annotations

import contextlib
import select
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import combinations
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from referee.cli.output import STAND_INS, Outputs
from referee.cli.streams import number, why
from referee.data.roles import JUDGES, names_of
from referee.errors import Argument, ChoiceNeeded, InputError, Message, OptionError, Part

if TYPE_CHECKING:
    from referee.data.counts import Counts
    from referee.data.outcomes import Outcomes
    from referee.data.samples import Samples

PIECE = 1 << 20
"""How many bytes of standard input are read at a time."""
PAUSE = 0.5
"""Seconds between looks for a signal."""


@contextlib.contextmanager
def open_all(sources: Sequence[str]) -> Iterator[list[str]]:
    """Give the paths of what the user named; one of them may be standard input.

    Raises:
        OptionError: if standard input is named twice.
    """
    if list(sources).count("-") > 1:
        remedy = "give a file for the other run"
        raise OptionError("standard input can be read only once", argument="data", remedy=remedy)
    with contextlib.ExitStack() as stack:
        yield [source if source != "-" else stack.enter_context(_spooled()) for source in sources]


@contextlib.contextmanager
def _spooled() -> Iterator[str]:
    """Give the path of a file with what standard input holds."""
    from referee.data.engines.files import HEAD, extension

    head = b"".join(_piped(HEAD))
    if not head.strip():
        raise InputError("standard input is empty; pipe a table with a header into it (CSV, TSV or JSON lines)")
    with tempfile.TemporaryDirectory(prefix="referee-") as folder:
        path = Path(folder) / f"stdin{extension(head)}"
        try:
            with path.open("wb") as file:
                file.write(head)
                file.writelines(_piped())
        except OSError as error:
            place = tempfile.gettempdir()
            raise InputError(
                f"cannot store standard input in {place}: {error.strerror}; set TMPDIR to another folder"
            ) from error
        STAND_INS[str(path)] = "standard input"  # the user knows nothing of the file
        yield str(path)


def _piped(most: int | None = None) -> Iterator[bytes]:
    """Yield standard input piece by piece, at most so many bytes.

    Raises:
        InputError: if it cannot be read.
    """
    stream = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
    left = sys.maxsize if most is None else most
    while left:
        try:
            # Reading waits for more without heeding a signal that came just before; waiting for a while does not.
            while number(sys.stdin) is not None and not select.select([stream], [], [], PAUSE)[0]:
                pass
            piece = stream.read(min(left, PIECE))
        except OSError as error:
            raise InputError(
                f"cannot read standard input: {why(error)}; pipe a table into it, or name a file"
            ) from error
        if not piece:
            return
        left -= len(piece)
        yield piece


def measure(metric: str | None, options: dict[str, Any]) -> str | None:
    """Return the metric, of which there is one at most, as `measures` does."""
    return next(iter(measures([metric] if metric else [], options)), None)


def measures(metrics: Sequence[str], options: dict[str, Any]) -> list[str]:
    """Return the metrics of scores that are there; with relevance judgements, metrics are the measures that make the scores."""
    if options.get("qrels") is None or options.get("score") is not None or not metrics:
        return list(metrics)
    options["score"] = ",".join(metrics)
    return []


WIDEST = 200
"""Tables with more columns are not searched for the two that nobody named."""


def outcomes(
    sources: Sequence[str], options: dict[str, Any], outputs: Outputs, *, paired: bool = True
) -> Outcomes | Samples | Counts:
    """Find out which columns of what the user named are what, and say what was assumed; only counts files are counted yet.

    Args:
        sources: counts files, whose counts are added up; one table or log; or two, one per system.
        options: the options of the verb; those that describe the data are taken out.
        outputs: what says whether to be quiet, and whether a page will show examples.
        paired: whether both systems answered the same examples.
    """
    from referee.data.engines.tables import counts_of
    from referee.data.formats.base import recognise
    from referee.data.formats.pairing import read
    from referee.data.outcomes import described
    from referee.data.samples import Samples, described_samples

    reading, roles = (
        {name: options.pop(name) for name in names_of(*kinds) if name in options}
        for kinds in (("reader",), ("column", "label", "policy"))
    )
    chosen = any(value not in (None, False) for value in reading.values())
    tables = {**roles, "repeats": roles["repeats"] or "error"}
    counts = [known for source in sources if (known := counts_of(source)) is not None]
    if len(counts) == len(sources) and not chosen:
        if not paired and len(counts) == 2 and all(one.paired for one in counts):
            return described_samples(counts, **tables)
        return described(added(sources, counts), **tables)
    if not paired and len(sources) == 1 and not chosen and roles.get("winner") is None:
        two = "two samples are two tables or logs, one per system, or one long table with "
        named = Argument("system"), ", ", Argument("a"), ", ", Argument("b"), " and ", Argument("prediction")
        raise OptionError(two, *named, argument="unpaired")
    if roles.get("winner") is not None or roles.get("first") is not None:
        _check_judgements(sources, chosen, paired)
        return described(sources[0], names=options.get("names"), **tables)
    for name in ("winner", "first"):
        roles.pop(name, None)
    if len(sources) == 1 and not chosen and recognise(Path(sources[0]))[0] is None:
        pair = systems(sources[0], tables)
        if pair is not None:
            tables["a"], tables["b"] = pair
            outputs.tell(f"a is {pair[0]!r} and b is {pair[1]!r}, the columns that no option names")
        return described(sources[0], **tables)
    judges = [role for role in JUDGES if roles.pop(role, None) is not None]
    if judges:
        one_table = Argument(judges[0], bare=True), " is a column of one table that has both systems"
        raise OptionError(*one_table, remedy="join the runs, people's labels and the judge's into one table")
    if roles.pop("multiplicity", None) is not None:
        one_table = Argument("multiplicity", bare=True), " is for one table of joint outcomes"
        raise OptionError(*one_table, remedy="leave it out")
    data = read(*sources, **reading, **roles, paired=paired, examples=outputs.examples and outputs.html is not None)
    if not isinstance(data, Samples) and data.a == data.b:
        one = f"{sources[0]} has one system, {data.a}"
        raise InputError(one, remedy="give the run of the other too, or judge this one alone with referee score")
    for remark in data.remarks:
        outputs.tell(remark)
    return data


def _check_judgements(sources: Sequence[str], chosen: bool, paired: bool) -> None:
    """Refuse what is for tables of answers where judgements are counted."""
    if len(sources) > 1:
        one = f" is a column of one table; {len(sources)} were given (a pattern in quotes reads several files as one table)"
        raise OptionError(Argument("winner", bare=True), one, argument="data")
    if chosen or not paired:
        answers = " says who won each judgement, so nothing is paired: leave out options of logs, of two tables and of samples"
        raise OptionError(Argument("winner", bare=True), answers)


def one_system(sources: Sequence[str], options: dict[str, Any], outputs: Outputs) -> Outcomes | Counts:
    """Find out which columns of what the user named are what, of a single system, and say what was assumed.

    Args:
        sources: counts files, whose counts are added up; or one table or log.
        options: the options of the verb; those that describe the data are taken out.
        outputs: what says whether to be quiet.
    """
    from referee.data.engines.tables import counts_of
    from referee.data.formats.base import recognise
    from referee.data.formats.pairing import read
    from referee.data.outcomes import described_one

    prediction = options.pop("prediction")
    reading, roles = (
        {name: options.pop(name) for name in names_of(*kinds) if name in options}
        for kinds in (("reader",), ("column", "label", "policy"))
    )
    tables = {**roles, "repeats": roles["repeats"] or "error"}
    counts = [known for source in sources if (known := counts_of(source)) is not None]
    if len(counts) == len(sources):
        return described_one(added(sources, counts), prediction=prediction, **tables)
    if len(sources) > 1:
        raise OptionError(
            f"one system is scored, from one file; {len(sources)} were given",
            argument="data",
            remedy="give one table or log (a pattern in quotes reads several files as one table); referee compare takes two",
        )
    chosen = any(value not in (None, False) for value in reading.values())
    if recognise(Path(sources[0]))[0] is None and not chosen:
        if prediction is None:
            prediction = _only_answers(sources[0], roles)
            outputs.tell(f"the predictions are {prediction!r}, the only column left that can be answers")
        return described_one(sources[0], prediction=prediction, **tables)
    data = cast("Outcomes", read(sources[0], a=prediction, b=prediction, **reading, **roles))
    for remark in data.remarks:
        outputs.tell(remark)
    if data.a != data.b:
        several = f"{sources[0]} has two systems, {data.a} and {data.b}; name one with "
        raise ChoiceNeeded(several, Argument("prediction"), arguments={"prediction": data.b})
    return data


def _only_answers(path: str, options: Mapping[str, Any]) -> str:
    """Find the one system: the only column that can be answers and that no option names.

    Raises:
        ChoiceNeeded: if several could be meant, with the columns there are.
    """
    from referee.data.column_guesses import Column, answers, one_table
    from referee.data.engines.tables import columns_of, find, first_rows

    taken, names = _taken(options), columns_of(path)
    clear = all(names) and len(set(names)) == len(names) <= WIDEST
    looked = first_rows(find(path)[0]) if clear else {name: [] for name in names}
    left = [Column(name, values) for name, values in looked.items() if name not in taken]
    able = answers(left)
    if len(able) == 1:
        return able[0]
    guessed = one_table(left)
    likely = guessed.get("b") or guessed.get("a") or next(reversed(able), "")
    columns = ", ".join(column.name for column in left[:20]) or "none"
    raise ChoiceNeeded(
        "name the column of the predictions or scores with ",
        Argument("prediction"),
        f"; the columns left are: {columns}{', ...' if len(left) > 20 else ''}",
        argument="prediction",
        arguments={"prediction": likely} if able else {},
    )


def added(sources: Sequence[str], counts: Sequence[Counts]) -> Counts:
    """Add up the counts of files; files with the same counts are pointed out, as one may be a copy of the other.

    Raises:
        InputError: if two sources are one file.
    """
    from referee.data.engines.files import refuse_twice

    refuse_twice(map(Path, sources), "its counts would be added to themselves: name each file once")
    total = reduce(add, counts)
    same = [
        f"{Path(first).name} and {Path(second).name} hold the same counts, which were added; is one a copy of the other?"
        for (first, one), (second, other) in combinations(zip(sources, counts, strict=True), 2)
        if one == other
    ]
    return replace(total, notes=(*total.notes, *same))


def _taken(options: Mapping[str, Any]) -> set[str]:
    """Return the columns that options name; crossed groups are two."""
    from referee.data.crossed_groups import unfolded

    columns = unfolded({name: options.get(name) for name in names_of("column")})
    return {str(column) for column in columns.values() if column is not None}


def systems(path: str, options: Mapping[str, Any]) -> tuple[str, str] | None:
    """Find the two systems: the only columns that can be answers and that no option names; None if both are named.

    Raises:
        ChoiceNeeded: if other columns could be meant, with the columns there are.
    """
    lacking = [role for role in ("a", "b") if options.get(role) is None]
    if not lacking:
        return None
    from referee.data.column_guesses import Column, answers, one_table
    from referee.data.engines.tables import columns_of, find, first_rows

    taken = _taken(options)
    names = columns_of(path)
    clear = all(names) and len(set(names)) == len(names) <= WIDEST
    looked = first_rows(find(path)[0]) if clear else {name: [] for name in names}
    left = [Column(name, values) for name, values in looked.items() if name not in taken]
    able = answers(left)
    guessed = one_table(left)
    judged = next((column.name for column in left if column.name.casefold().startswith("winner")), None)
    if judged is not None and "winner" in options and len(lacking) == 2:
        told = f"the column {judged!r} seems to say who won, which is named with "
        whole = judged[: len("winner")] if judged[len("winner") :].startswith("_") else judged
        either = Message(
            "; if it does not, name the columns of the two systems with ", Argument("a"), " and ", Argument("b")
        )
        raise ChoiceNeeded(told, Argument("winner"), either, argument="winner", arguments={"winner": whole})
    if len(able) == len(lacking) and "group" not in guessed:
        named = dict(zip(lacking, able, strict=True))
        return options.get("a") or named["a"], options.get("b") or named["b"]
    # Only what can be answers is worth pasting.
    pair = [guessed[role] for role in lacking if role in guessed] if len(lacking) == 2 else []
    example = dict(zip(lacking, pair or able, strict=False)) if len(able) >= len(lacking) else {}
    example |= {"group": guessed["group"]} if example and "group" in guessed and options.get("group") is None else {}
    asked: list[Part] = [part for role in lacking for part in (" and ", Argument(role))]
    columns = ", ".join(column.name for column in left[:20]) or "none"
    raise ChoiceNeeded(
        "name the columns of the two systems with ",
        *asked[1:],
        f"; the columns left are: {columns}{', ...' if len(left) > 20 else ''}",
        argument=lacking[0],
        arguments=example,
    )
