"""Tables of scores on many datasets: one row per dataset and one column per system, or one row per score."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from referee.data.columns import GAPS, Floats, aligned, is_missing
from referee.data.many_systems import check_names
from referee.errors import Argument, InputError, Message, OptionError, did_you_mean, one_of, unknown
from referee.studies.algorithms.score_tables import role

DATASET = ("dataset", "data_set", "datasets", "data_sets", "data", "benchmark", "task", "problem", "corpus", "domain")
SYSTEM = ("system", "model", "algorithm", "method", "classifier", "learner", "approach")
SCORE = ("score", "value", "result")
"""What columns are called that hold names of datasets, names of systems, and scores; the first that is there counts."""
MISSING = ("error", "drop")
NAMED = 8
"""So many names are listed in a message."""


@dataclass(frozen=True, eq=False)
class DatasetScores:
    """Scores, all of them there."""

    datasets: tuple[str, ...]
    systems: tuple[str, ...]
    scores: Floats
    """[dataset, system]"""
    dropped: tuple[str, ...] = ()
    """The datasets that were left out because a score is missing."""
    metric: str | None = None
    """What the column of scores of a long table is called, if that says what they are."""
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Grid:
    """Scores by dataset and system as they were given: some may be missing."""

    datasets: list[str]
    scores: dict[str, list[float | None]]
    metric: str | None = None
    remarks: tuple[str, ...] = ()


def read_datasets(
    given: Any, dataset: str | None, systems: Any, system: str | None, score: str | None, missing: str
) -> DatasetScores:
    """Read a table of scores.

    Args:
        given: a path, a dataframe, a mapping of columns, or a mapping of systems to their scores by dataset.
        dataset: the column of the datasets' names.
        systems: which systems; columns of a wide table, names in a long one.
        system: the column of the systems' names in a long table.
        score: the column of scores in a long table.
        missing: what to do with datasets on which a score is missing: "error" or "drop".

    Raises:
        InputError: if a score is no number, a dataset occurs twice, or there are too few.
        NameUnknown: if there is no such column or system.
    """
    one_of("missing", missing, MISSING)
    grid = _nested(given, systems) if _is_nested(given) else _table(given, dataset, systems, system, score)
    check_names(list(grid.scores))
    names, places = list(grid.scores), range(len(grid.datasets))
    gaps = [(i, name) for i in places for name in names if grid.scores[name][i] is None]
    if gaps and missing == "error":
        i, name = gaps[0]
        more = f", and {len(gaps) - 1} more scores are missing" if len(gaps) > 1 else ""
        remedy = Message(Argument("missing", "drop"), " leaves out the datasets that lack a score")
        raise InputError(
            f"there is no score of {name!r} on the dataset {grid.datasets[i]!r}{more}", argument="missing", value=missing,
            remedy=remedy,
        )  # fmt: skip
    lacking = {i for i, _ in gaps}
    kept = [i for i in places if i not in lacking]
    left = f" without a missing score, of {len(grid.datasets)}" if lacking else ""
    if len(kept) < 2:
        count = f"there is only {grid.datasets[kept[0]]!r}" if kept else "there is none"
        raise InputError(f"a ranking over datasets needs two datasets or more; {count}{left}", argument="scores")
    values = np.array([[grid.scores[name][i] for name in names] for i in kept], dtype=np.float64)
    return DatasetScores(
        tuple(grid.datasets[i] for i in kept), tuple(names), values, tuple(grid.datasets[i] for i in sorted(lacking)),
        grid.metric, grid.remarks,
    )  # fmt: skip


def _is_nested(given: Any) -> bool:
    return isinstance(given, Mapping) and bool(given) and all(isinstance(one, Mapping) for one in given.values())


def _nested(given: Mapping[Any, Mapping[Any, Any]], systems: Any) -> _Grid:
    """Read the scores of each system by dataset."""
    datasets = list(dict.fromkeys(str(name) for own in given.values() for name in own))
    found = {str(name): {str(key): value for key, value in own.items()} for name, own in given.items()}
    chosen = _chosen(list(found), systems, "system")
    scores = {name: [_score(found[name].get(one), name, one) for one in datasets] for name in chosen}
    return _Grid(datasets, scores)


def _columns(given: Any) -> tuple[dict[str, list[Any]], list[str] | None]:
    """Return the columns of a table, and the names of its rows if it has some."""
    if isinstance(given, str | os.PathLike):
        from referee.studies.algorithms.learning_tables import read_cells

        return dict(read_cells(given)), None
    if isinstance(given, Mapping):
        columns, _ = aligned({str(name): values for name, values in given.items()})
        odd = next((name for name, values in columns.items() if np.ndim(values) != 1), None)
        if odd is not None:
            raise InputError(f"{odd!r} must be a list with one value per dataset", argument="scores")
        return {name: np.asarray(values, dtype=object).tolist() for name, values in columns.items()}, None
    import narwhals as nw

    try:
        frame = nw.from_native(given, eager_only=True)
    except TypeError:
        kinds = "a path, a dataframe, or a mapping of columns, with one row per dataset and one column per system"
        raise InputError(f"scores are {kinds}; this is {type(given).__name__}", argument="scores") from None
    index = nw.maybe_get_index(frame)
    rows = None if index is None else [str(one) for one in index]
    numbered = index is None or all(isinstance(one, int | np.integer) for one in index)
    named = not numbered or getattr(index, "name", None) is not None
    return {str(name): frame[name].to_list() for name in frame.columns}, rows if named else None


def _table(given: Any, dataset: str | None, systems: Any, system: str | None, score: str | None) -> _Grid:
    """Read a wide or a long table."""
    columns, rows = _columns(given)
    for argument, name in (("dataset", dataset), ("system", system), ("score", score)):
        if name is not None and name not in columns:
            raise unknown("column", name, columns, argument)
    twice = next(
        (name for name in (system, score) if name is not None and [dataset, system, score].count(name) > 1), None
    )
    if twice is not None:
        raise OptionError(f"the column {twice!r} is named twice", argument="system", value=twice)
    if not columns or not len(next(iter(columns.values()))):
        raise InputError("the table of scores is empty", argument="scores")
    text = [name for name, cells in columns.items() if not _numeric(cells)]
    system = system or _long(columns, text, dataset, score)
    dataset = dataset or _dataset(columns, [name for name in text if name != system], rows, system)
    names = [str(place) for place in range(1, len(next(iter(columns.values()))) + 1)] if rows is None else rows
    if dataset is not None:
        names = [_name(cell, place, dataset) for place, cell in enumerate(columns[dataset], 1)]
    free = {name: cells for name, cells in columns.items() if name != dataset}
    return _wide(names, free, systems) if system is None else _from_long(names, free, system, score, systems)


def _numeric(cells: Sequence[Any]) -> bool:
    """Say whether a column has numbers, and nothing else but gaps."""
    there = [cell for cell in cells if not _is_gap(cell)]
    try:
        return all(math.isfinite(float(cell)) or True for cell in there) and bool(there)
    except (TypeError, ValueError):
        return False


def _is_gap(cell: Any) -> bool:
    return is_missing(cell) or (isinstance(cell, str) and cell.strip() in ("", *GAPS))


def _known_as(names: Sequence[str], words: Sequence[str]) -> str | None:
    """Return the first of the names that is one of these words, the first word first."""
    plain = {name.strip().lower().replace(" ", "_").replace("-", "_"): name for name in reversed(names)}
    return next((plain[word] for word in words if word in plain), None)


def _long(columns: Mapping[str, Any], text: Sequence[str], dataset: str | None, score: str | None) -> str | None:
    """Return the column of the systems' names if the table is long: one column of scores, and two of names."""
    others = [name for name in text if name != dataset]
    called = _known_as(others, SYSTEM)
    if score is not None and called is None and len(others) == 1 and dataset is not None:
        return others[0]
    if called is not None or score is not None:
        if called is None:
            raise OptionError("name the column of the systems with ", Argument("system"), argument="system")
        return called
    if len(columns) == 3 and len(text) == 2 and (dataset is not None or _known_as(text, DATASET)):
        own = dataset or _known_as(text, DATASET)
        return next(name for name in text if name != own)
    return None


def _dataset(columns: Mapping[str, Any], text: Sequence[str], rows: list[str] | None, system: str | None) -> str | None:
    """Return the column of the datasets' names; None if the rows are named otherwise, or not at all."""
    called = _known_as([name for name in columns if name != system], DATASET)
    if called is not None:
        return called
    if len(text) == 1:
        return text[0]
    if len(text) > 1 or system is not None:
        which = f"; columns of text are: {_listed(text)}" if text else ""
        raise OptionError("name the column of the datasets with ", Argument("dataset"), which, argument="dataset")
    return None


def _name(cell: Any, place: int, column: str) -> str:
    if _is_gap(cell):
        raise InputError(
            f"row {place} of the column {column!r} is empty; every row needs its dataset", argument="dataset"
        )
    whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell) if whole else cell).strip()


def _wide(datasets: list[str], columns: Mapping[str, list[Any]], systems: Any) -> _Grid:
    """Read one column per system."""
    again = next((name for place, name in enumerate(datasets) if name in datasets[:place]), None)
    if again is not None:
        rows = " and ".join(str(place) for place, name in enumerate(datasets, 1) if name == again)
        once = "a dataset has one row; average its repeats first, or give each dataset a name of its own"
        raise InputError(f"the dataset {again!r} occurs in rows {rows}", argument="dataset", remedy=once)
    free = list(columns) if systems is not None else [name for name in columns if role(name) != "index"]
    chosen = _chosen(free, systems, "column")
    if systems is None:
        odd = [name for name in chosen if not _numeric(columns[name]) and any(not _is_gap(c) for c in columns[name])]
        if odd:
            raise InputError(
                f"{_listed(odd)} {'has' if len(odd) == 1 else 'have'} values that are not numbers", argument="systems",
                remedy=Message("name the columns of the systems with ", Argument("systems")),
            )  # fmt: skip
    scores = {
        name: [_score(cell, name, dataset) for cell, dataset in zip(columns[name], datasets, strict=True)]
        for name in chosen
    }
    told = Message(
        f"{len(chosen)} columns are ranked as systems: {_listed(chosen)}; ", Argument("systems"), " names others"
    )
    aside = [name for name in columns if name not in chosen]
    return _Grid(datasets, scores, remarks=(told,) if systems is None and aside else ())


def _from_long(
    datasets: list[str], columns: Mapping[str, list[Any]], system: str, score: str | None, systems: Any
) -> _Grid:
    """Read one row per score."""
    others = [name for name in columns if name != system]
    numbers = [name for name in others if _numeric(columns[name])]
    score = score or _known_as(numbers, SCORE) or (numbers[0] if len(numbers) == 1 else None)
    if score is None:
        which = f"; columns of numbers are: {_listed(numbers)}" if numbers else "; no column has only numbers"
        raise OptionError("name the column of the scores with ", Argument("score"), which, argument="score")
    owners = [str(cell).strip() if not _is_gap(cell) else "" for cell in columns[system]]
    if "" in owners:
        raise InputError(
            f"row {owners.index('') + 1} of the column {system!r} is empty; every row needs its system",
            argument="system",
        )
    found: dict[tuple[str, str], float | None] = {}
    for dataset, owner, cell in zip(datasets, owners, columns[score], strict=True):
        if (dataset, owner) in found:
            once = "there is one score per dataset and system; average repeats first"
            raise InputError(
                f"the dataset {dataset!r} has two scores of {owner!r}", argument="dataset", value=dataset, remedy=once
            )
        found[dataset, owner] = _score(cell, owner, dataset)
    every, chosen = list(dict.fromkeys(datasets)), _chosen(list(dict.fromkeys(owners)), systems, "system")
    metric = score if score.isidentifier() and _known_as([score], SCORE) is None else None
    return _Grid(every, {name: [found.get((one, name)) for one in every] for name in chosen}, metric)


def _chosen(known: Sequence[str], systems: Any, kind: str) -> list[str]:
    """Return the systems that are named, or match a pattern; all if none is."""
    if systems is None:
        return list(known)
    wanted = [systems] if isinstance(systems, str) else [str(one) for one in systems]
    found: list[str] = []
    for one in wanted:
        matching = [one] if one in known else [name for name in known if fnmatchcase(name, one)]
        if not matching:
            raise unknown(kind, one, known, "systems")
        found += matching if one in known else [name for name in matching if name not in found]
    check_names(found)
    return found


def _score(cell: Any, system: str, dataset: str) -> float | None:
    if _is_gap(cell):
        return None
    try:
        value = float(cell)
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        hint = did_you_mean(cell, GAPS) if isinstance(cell, str) else ""
        raise InputError(
            f"scores are finite numbers; that of {system!r} on the dataset {dataset!r} is {str(cell)[:40]!r}{hint}",
            argument="scores", remedy="give a number, or leave the cell empty",
        )  # fmt: skip
    return value


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(map(repr, names[:NAMED])) + more
