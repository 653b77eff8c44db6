"""Input and output of engines: sides to join, one per system; rows by role, which values are missing, how often each row occurred."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

from referee.data.columns import EXACT, Ints, Mask, Values, clean
from referee.data.counts import Matched
from referee.data.roles import MORE, SHARED, SYSTEMS
from referee.data.value_text import listed
from referee.errors import Argument, InputError, Part

SERIES = ("pandas", "polars", "pyarrow", "modin", "cudf")
"""The libraries whose series narwhals reads."""
MOST_RUNS = 100
"""A mean of more runs than this is taken for any number."""

ABOUT = {role: f"the {role}" for role in SHARED} | {"check": "what was asked (its hash)", "likeness": "what was asked"}
"""What several sides may say of an example, and how it is told that they differ."""
RESPONSE = "response"
"""What a system wrote, of which the value is only the score."""
SHOWN = ("text", "called", "target", RESPONSE)
"""What is only shown; the right answer too, where scores are compared and not answers."""
FEW = 5
"""So many ids are named in a message."""
PLACE = "place"
"""Where a row stands in its file."""

Column: TypeAlias = "tuple[Values, Mask | None]"


@dataclass(frozen=True)
class Repeats:
    """How many ids occur in more than one row, one of them, and in how many rows there is no id."""

    ids: int = 0
    example: str = ""
    lacking: int = 0


@dataclass(frozen=True)
class Grouped:
    """Rows of outcomes with how often each occurred; equal rows are merged where that is cheap, and always later.

    `columns` has a typed column for each role, "multiplicity" among them where the source has one, and "id" only where
    ids repeat and the policy needs them. `missing` has a mask for each role with missing values, and only for those.
    """

    columns: Mapping[str, Values]
    missing: Mapping[str, Mask]
    counts: Ints
    repeats: Repeats = Repeats()
    matched: Matched = field(default_factory=Matched)
    """How many ids only one side had, where two sides were joined."""
    names: Mapping[str, str] = field(default_factory=dict)
    """What the systems are called, by role, where sides were joined."""
    notes: tuple[str, ...] = ()
    """What was done on the way, in sentences."""
    unanswered: tuple[str, ...] = ()
    """Some ids to which a side gave no value, where sides in memory were joined."""
    runs: int = 0
    """Of how many runs, each right or wrong, every score is the mean; 0 where it is not, or nobody knows."""

    @classmethod
    def of(cls, columns: Mapping[str, Column], counts: Ints, repeats: Repeats) -> Grouped:
        """Build it from columns that each carry a mask or None."""
        values = {role: column for role, (column, _) in columns.items()}
        missing = {role: mask for role, (_, mask) in columns.items() if mask is not None and mask.any()}
        return cls(values, missing, counts, repeats)


@dataclass(frozen=True)
class Blocks:
    """Blocks of rows in the order of a source: the first ones together, then so many at a time."""

    first: int
    """How many rows are in block 0."""
    size: int
    """How many are in each of the others."""
    rows: int
    """How many there are in all; what comes behind them is not read."""

    def of(self, rows: int) -> Ints:
        """Return the block of each of so many rows.

        >>> Blocks(first=3, size=2, rows=8).of(8).tolist()
        [0, 0, 0, 1, 1, 2, 2, 3]
        """
        places = np.arange(rows)
        return np.where(places < self.first, 0, 1 + (places - self.first) // self.size)


@dataclass(frozen=True)
class Side:
    """The rows of one system: files of one kind, or columns of values as JSON has them."""

    name: str
    """What the system is called."""
    source: Sequence[Path] | Mapping[str, Sequence[Any]]
    columns: Mapping[str, str] = field(default_factory=dict)
    """Role to column name: "value", and "id" unless rows meet by their places; maybe "truth", "group", "stratum", "slice",
    "check" and "repeat"; and those of `SHOWN`, such as "called" (an id in words), which are read only where examples are shown."""
    only: tuple[str, str] | None = None
    """A column and its value: the rows that are this system's, where a table has several; no value where all rows are meant."""

    @property
    def has_pairs(self) -> bool:
        """Whether a row is known by its two crossed groups: no other column says which example it is of."""
        groups = [self.columns.get(role) for role in ("group", "crossed")]
        return None not in groups and self.columns.get("id") in (None, *groups)

    @property
    def counted(self) -> Side:
        """The side without what counting does not look at."""
        return replace(self, columns={role: name for role, name in self.columns.items() if role not in SHOWN})

    @property
    def files(self) -> Sequence[Path]:
        """The files that are read; none of what is in memory."""
        return () if isinstance(self.source, Mapping) else self.source

    @property
    def where(self) -> str:
        """Where the rows are from, for messages."""
        if isinstance(self.source, Mapping):
            return self.name
        files = ", ".join(map(str, self.files))
        return f"{self.only[1]} in {files}" if self.only is not None and self.only[1] else files


@dataclass(frozen=True)
class Joined:
    """The rows of two systems or more, to be met by their ids."""

    sides: tuple[Side, ...]
    ordered: bool = False
    """Whether the ids are places in the files, which is then said aloud."""
    notes: tuple[str, ...] = ()
    """What the result has to say of the pairing."""
    sparse: bool = False
    """Whether rows are responses (spans that were found): an id that one side lacks was not found by it."""
    long: tuple[str, ...] | None = None
    """Where the only side is a long table with the rows of all systems: which of them, by names or patterns; all if none is named."""

    @property
    def left(self) -> Side:
        """The first of two."""
        return self.sides[0]

    @property
    def right(self) -> Side:
        """The second of two."""
        return self.sides[1]

    @property
    def roles(self) -> tuple[str, ...]:
        """What the systems are in counts: a and b, or one of any number."""
        return SYSTEMS if len(self.sides) == 2 else tuple(f"{MORE}{place}" for place, _ in enumerate(self.sides, 1))

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables of a database that hold the rows of each side."""
        return tuple(f"side_{place}" for place, _ in enumerate(self.sides))

    @property
    def names(self) -> str:
        """What the systems are called, for messages."""
        return listed([side.name for side in self.sides])

    @property
    def where(self) -> str:
        """Where the rows of all are from, for messages."""
        return listed([side.where for side in self.sides])

    @property
    def unanswered(self) -> tuple[str, ...]:
        """The first ids, of sides in memory, that have no value."""
        rows = (
            (side.source[side.columns["id"]], side.source[side.columns["value"]])
            for side in self.sides
            if isinstance(side.source, Mapping) and {"id", "value"} <= set(side.columns)
        )
        gone = (one for ids, values in rows for one, value in zip(ids, values, strict=True) if value is None)
        return tuple(str(one) for one in islice(dict.fromkeys(gone), FEW))

    @property
    def files(self) -> list[Path]:
        """All files that are read."""
        return [path for side in self.sides for path in side.files]


def engine_of(source: Any) -> ModuleType:
    """Return the module that reads a source, loaded only now: each has a library of its own.

    It has `read(source, roles, keep_ids)`, which counts the rows; if they have an order, `read_blocks(source, roles, blocks)`,
    which counts those of each block, a "slice" each, or returns None; `differing(source, roles)`, which yields those on which
    a and b differ, in the order of the source; and `check_text(source, name, beside)`, which refuses a column of texts that is
    not there, or not as long as the column beside it.

    Args:
        source: a mapping of arrays, a dataframe, a DuckDB relation, the path of a file, or sides to be joined, whose
            `read` and `differing` take the policies in place of the roles, and which have no `check_text`.
    """
    if isinstance(source, Joined):
        engine = "join"
    elif isinstance(source, str | os.PathLike):
        engine = "tables"
    elif type(source).__name__ == "DuckDBPyRelation":
        engine = "duckdb_sql"
    else:
        engine = "arrays" if isinstance(source, Mapping) else "frames"
    return import_module(f"referee.data.engines.{engine}")


def runs_of(times: Iterable[int]) -> int:
    """Return of how many runs scores can be called the means, each of so many of them being right or wrong; 0 of too many.

    >>> runs_of([5, 5]), runs_of([4, 5]), runs_of([1]), runs_of([97, 89])
    (5, 20, 0, 0)
    """
    common = math.lcm(*times)
    return common if 1 < common <= MOST_RUNS else 0


def column(raw: Any, what: str) -> Column:
    """Turn one value per example, in whatever holds them, into typed values and a mask of the missing ones (None: none).

    Raises:
        InputError: if it is a single value, has two dimensions, mixes types, or holds what is neither label nor number.
    """
    if raw is None or isinstance(raw, str | bytes | int | float | complex | Mapping | set | frozenset):
        shown = f"{type(raw).__name__} {repr(raw) if len(repr(raw)) <= 40 else repr(raw)[:37] + '...'}"
        raise InputError(f"{what} must have one value per example, in order; it is {shown}", *hint_of_names(raw))
    hidden: Mask | None = None
    if isinstance(raw, np.ma.MaskedArray):
        hidden = np.ma.getmaskarray(raw)
        raw = np.asarray(raw.filled("" if raw.dtype.kind == "U" else None if raw.dtype.kind == "O" else 0))
    library = type(raw).__module__.partition(".")[0]
    if library in SERIES and hasattr(raw, "to_numpy"):
        import narwhals as nw

        series = nw.from_native(raw, series_only=True, pass_through=True)
        if isinstance(series, nw.Series):
            from referee.data.engines.frames import values_of

            return values_of(series, str(series.name or "the column"))
        if library == "pyarrow":
            raw = raw.to_numpy(zero_copy_only=False)
    try:
        if not isinstance(raw, list | tuple | np.ndarray) and hasattr(raw, "__array__"):
            raw = np.asarray(raw)
        values, missing = clean(raw, what)
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} must have one label or number per example: {error}") from error
    missing = missing if hidden is None else missing | hidden
    return values, missing if missing.any() else None


def hint_of_names(raw: object) -> tuple[Part, ...]:
    """Return what a message adds if an array was to be given and a name was."""
    return ("; a column name needs ", Argument("data")) if isinstance(raw, str) else ()


def repeats_of(ids: Column) -> Repeats:
    """Count the ids that occur more than once."""
    values, missing = ids
    if missing is not None:
        return Repeats(lacking=int(missing.sum()))
    check_exact("id", values)
    if values.dtype.kind == "O":
        several = sorted(label for label, times in Counter(values.tolist()).items() if times > 1)
    else:
        labels, times = np.unique(values, return_counts=True)
        several = labels[times > 1].tolist()
    return Repeats(len(several), str(several[0])) if several else Repeats()


def check_exact(role: str, values: Values) -> None:
    """Refuse floats so large that two neighbouring whole numbers are one: ids that share nothing would be equal.

    Raises:
        InputError: if a column that tells examples, groups, strata or slices apart has such values.
    """
    if values.dtype.kind == "f" and len(values):
        refuse_inexact(role, float(np.abs(values).max()), np.finfo(values.dtype).nmant + 1)


def refuse_inexact(role: str, largest: float | None, digits: int = EXACT.bit_length() - 1) -> None:
    """Raise where the largest number of a column of floats, which have so many binary digits, need not be the one that was meant.

    Raises:
        InputError: if it may have been another.
    """
    if largest is not None and largest >= 2**digits:
        inexact = (
            f"{role} holds floats as large as {largest:.0f}; from 2^{digits} on, they cannot tell whole numbers apart"
        )
        raise InputError(inexact, remedy="store the column as integers or as text")
