"""Counts: how often each joint outcome occurred. All that a comparison needs, whatever the size of the test set."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, replace
from functools import cached_property
from operator import add
from typing import Any

import numpy as np

from referee.data.columns import (
    KINDS,
    Floats,
    Ints,
    Mask,
    Values,
    aligned,
    clean,
    factorize,
    group,
    joined,
    plain,
    rounded,
)
from referee.data.counts_file import SCHEMA, check_roles, checked, parsed, read_text, written
from referee.data.glimpse import Glimpsed
from referee.data.roles import FIRST, JUDGES, SAMPLE, SIGNED, is_system, systems_among
from referee.data.weights import WEIGHT, check_weights, relative
from referee.errors import InputError, Message, unknown
from referee.runtime.atomic import write_whole

LARGEST = 2.0**53


@dataclass(frozen=True)
class Matched:
    """How the examples of the two systems met: in both, in one only, dropped by a policy."""

    both: int = 0
    a_only: int = 0
    b_only: int = 0
    dropped: int = 0

    def __add__(self, other: Matched) -> Matched:
        return Matched(*map(add, astuple(self), astuple(other)))

    def to_dict(self) -> dict[str, int]:
        """Return the four numbers by name."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Counts(Glimpsed):
    """The distinct outcomes, with the number of times each occurred, in canonical order.

    Made by `referee.count`, or from rows by `Counts.of`. Counts do not depend on a metric.

    >>> c = Counts.of({"truth": [1, 1, 0], "a": [1, 0, 0], "b": [1, 1, 1]}, [5, 2, 3])
    >>> c.n, len(c), c == c.swap().swap()
    (10, 3, True)
    """

    columns: Mapping[str, Values]
    multiplicities: Ints
    names: Mapping[str, str] = field(default_factory=dict)
    positive: Any = None
    open: bool = False
    matched: Matched = Matched()
    notes: tuple[str, ...] = ()
    """What is to be said of all these examples."""
    partial: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """What is to be said of parts of them, if counts were added: the number of such parts, and of their examples."""
    files: tuple[str, ...] = ()
    about: Mapping[str, str] = field(default_factory=dict)
    """What the counts were made of: the columns by role, the score that was chosen from a log, the policies."""
    precision: int = 64
    """With how many bits the systems' scores were stored: 16, 32 or 64. A threshold is compared at this precision."""

    @classmethod
    def of(
        cls,
        columns: Mapping[str, Any],
        multiplicities: Any = None,
        *,
        names: Mapping[str, str] | None = None,
        positive: Any = None,
        open: bool = False,  # noqa: A002 - the word of the file format
        matched: Matched | None = None,
        notes: Iterable[str] = (),
        about: Mapping[str, str] | None = None,
        partial: Mapping[str, tuple[int, int]] | None = None,
        precision: int = 64,
    ) -> Counts:
        """Build counts from columns of values, merging equal rows.

        Args:
            columns: role ("truth", "a", "b", "group", "stratum", "weight", "slice", "sample", "first") to its values; with a "judge" a truth of
                None is one that nobody looked at, with "judge_a" and "judge_b" scores are.
            multiplicities: how often each row occurred; once each if left out.
            names: what the systems are called.
            positive: the positive label, if it was named.
            open: whether the examples are responses, so that those which neither the truth nor a system has are not counted.
            matched: how the examples were paired; all in both if left out.
            notes: warnings about the data, which stay with them.
            about: what the counts were made from: columns, choices, policies.
            partial: warnings about parts of the data, each with the number of such parts and of their examples.
            precision: the number of bits with which the systems' scores were stored; they are rounded to it.

        Raises:
            InputError: if a column is not a role, lengths differ, values are missing, or a multiplicity is negative or not whole.
        """
        check_roles(columns, "counts")
        columns, told = aligned(columns)
        cleaned: dict[str, Values] = {}
        partly = {JUDGES[role] for role in columns if role in JUDGES}  # None where nobody looked, if a judge did
        for role, raw in columns.items():
            values, missing = clean(raw, role)
            if missing.any() and role not in partly and (not is_system(role) or values.dtype.kind == "f"):
                raise InputError(f"{role} has {int(missing.sum())} missing values; counts need a value in every row")
            if missing.any():  # a prediction that equals no label: None among the labels themselves
                values = np.where(missing, None, values.astype(object))  # type: ignore[call-overload]
            values = check_weights(values) if role == WEIGHT else values
            cleaned[role] = _wide(values, precision if is_system(role) else 64)
        rows = len(next(iter(cleaned.values()), ()))
        weights = np.ones(rows, np.int64) if multiplicities is None else _whole(multiplicities)
        lengths = {role: len(values) for role, values in {**cleaned, "multiplicities": weights}.items()}
        if len(set(lengths.values())) > 1:
            shown = ", ".join(f"{role} {length}" for role, length in lengths.items())
            raise InputError(f"all columns must have the same length; here: {shown}")
        keep = weights > 0
        counts = cls(
            {}, weights, dict(names or {}), plain(positive), open, matched or Matched(both=int(weights[keep].sum())),
            notes=(*notes, *told), about=dict(about or {}), partial=dict(partial or {}), precision=precision,
        )  # fmt: skip
        return counts._with({role: values[keep] for role, values in cleaned.items()}, weights[keep])

    def __len__(self) -> int:
        return len(self.multiplicities)

    @property
    def n(self) -> int:
        """The number of examples."""
        return int(self.multiplicities.sum())

    @property
    def paired(self) -> bool:
        """Whether both systems answered the same examples."""
        return SAMPLE not in self.columns

    @property
    def noun(self) -> str:
        """What one of the examples is called, such as a query."""
        return self.about.get("noun", "example")

    @property
    def weights(self) -> Floats | None:
        """How much each row counts, over the mean of all examples; None if all count alike."""
        own = self.columns.get(WEIGHT)
        return None if own is None else relative(own, self.multiplicities)

    @property
    def judged(self) -> bool:
        """Whether these are preferences: of each judgement, what share of the win each system got."""
        return FIRST in self.columns

    @property
    def runs(self) -> int | None:
        """The number of runs, each right or wrong, of which every score is the mean; None if it is not a mean or not known."""
        runs = self.about.get("runs", "")
        return int(runs) if runs.isdecimal() and len(runs) < 5 and int(runs) > 1 else None

    @property
    def systems(self) -> tuple[str, ...]:
        """The roles that are systems."""
        return systems_among(self.columns)

    def name(self, role: str) -> str:
        """What a system is called."""
        return self.names.get(role, role.upper() if len(role) == 1 else role)

    def __getitem__(self, role: str) -> Values:
        if role not in self.columns:
            raise unknown("column", role, self.columns)
        return self.columns[role]

    def get(self, role: str) -> Values | None:
        """Return a column, or None if there is none."""
        return self.columns.get(role)

    def __contains__(self, role: object) -> bool:
        return role in self.columns

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        if self._meaning() != other._meaning() or list(self.columns) != list(other.columns):
            return False
        pairs = [(self.multiplicities, other.multiplicities)]
        pairs += zip(self.columns.values(), other.columns.values(), strict=True)
        return all(own.dtype.kind == its.dtype.kind and np.array_equal(own, its) for own, its in pairs)

    def _meaning(self) -> dict[str, Any]:
        """Return what two counts must have in common to speak of the same thing."""
        return {"system names": dict(self.names), "positive labels": self.positive, "open flags": self.open}

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: Counts) -> Counts:
        """Put two disjoint sets of examples together; groups of the same name become one group."""
        if not isinstance(other, Counts):
            return NotImplemented
        if set(self.columns) != set(other.columns):
            both = " and ".join(", ".join(counts.columns) for counts in (self, other))
            raise InputError(f"only counts with the same columns can be added; these have {both}")
        theirs = other._meaning()
        for what, own in self._meaning().items():
            if own != theirs[what]:
                differ = f"their {what} differ: {own!r} and {theirs[what]!r}"
                raise InputError(f"only counts of the same comparison can be added; {differ}")
        merged = {role: joined(role, values, other.columns[role]) for role, values in self.columns.items()}
        bits, notes = min(self.precision, other.precision), list[str]()
        if self.precision != other.precision:
            merged |= {role: _wide(merged[role], bits) for role in self.systems}
            stored = f"{self.precision} and {other.precision} bits"
            notes = [f"scores of {stored} were added; all were rounded to {bits} bits"]
        return self._with(
            merged,
            np.concatenate([self.multiplicities, other.multiplicities]),
            matched=self.matched + other.matched,
            notes=tuple(notes),
            precision=bits,
            partial=_merged(self._partial(), other._partial()),
            files=tuple(dict.fromkeys((*self.files, *other.files))),
            about={role: made for role, made in self.about.items() if other.about.get(role) == made},
        )

    def _partial(self) -> dict[str, tuple[int, int]]:
        """Return what is to be said of these examples once they are part of more."""
        return _merged(self.partial, dict.fromkeys(self.notes, (1, self.n)))

    @property
    def remarks(self) -> tuple[str, ...]:
        """All warnings about these examples, as sentences; a warning about parts says how many examples they have."""
        partial = []
        for note, (parts, examples) in self.partial.items():
            where = "one part" if parts == 1 else f"each of {parts} parts"
            partial.append(Message(f"in {where} ({examples:,} examples): ", note))
        return (*self.notes, *partial)

    def _with(
        self, columns: Mapping[str, Values], weights: Ints, codes: Sequence[Ints] | None = None, **changes: Any
    ) -> Counts:
        if float(weights.astype(np.float64).sum()) >= LARGEST:
            raise InputError("the multiplicities add up to more than 2^53, beyond which numbers are no longer whole")
        merged, weights = group(list(columns.values()), weights, codes)
        return replace(self, columns=dict(zip(columns, merged, strict=True)), multiplicities=weights, **changes)

    def swap(self) -> Counts:
        """Exchange A and B."""
        exchange = {"a": "b", "b": "a"}
        columns = {role: self.columns[exchange.get(role, role)] for role in self.columns}
        for role in set(SIGNED) & columns.keys():
            columns[role] = np.array([exchange.get(own, own) for own in columns[role].tolist()], dtype=object)
        names = dict(sorted((exchange.get(role, role), name) for role, name in self.names.items()))
        matched = replace(self.matched, a_only=self.matched.b_only, b_only=self.matched.a_only)
        return self._with(columns, self.multiplicities, names=names, matched=matched)

    def pair(self, first: str, second: str) -> Counts:
        """Return the counts of two of the systems, as a and b; rows that are then equal are merged."""
        rest = {role: values for role, values in self.columns.items() if not is_system(role)}
        both = {"a": self[first], "b": self[second]}
        truth = {"truth": rest.pop("truth")} if "truth" in rest else {}
        names = {"a": self.name(first), "b": self.name(second)}
        places = {"a": first, "b": second}
        columns = {**truth, **both, **rest}
        codes = [self._codes_of(places.get(role, role)) for role in columns]
        return self._with(columns, self.multiplicities, codes, names=names)

    def _codes_of(self, role: str) -> Ints:
        """Return the place of each value of a column among its values; of many pairs of systems it is asked many times."""
        if role not in self._known_codes:
            self._known_codes[role] = factorize(self.columns[role])[1]
        return self._known_codes[role]

    @cached_property
    def _known_codes(self) -> dict[str, Ints]:
        return {}

    def ordered(self, systems: Sequence[str]) -> Counts:
        """Return the same with the systems' columns in this order, and the rows in that which follows from it."""
        truth = [role for role in ("truth",) if role in self.columns]
        rest = [role for role in self.columns if not is_system(role) and role not in truth]
        return self._with({role: self.columns[role] for role in (*truth, *systems, *rest)}, self.multiplicities)

    def with_rows(self, columns: Mapping[str, Values], multiplicities: Ints) -> Counts:
        """Return counts of the same meaning with other rows; equal ones are merged."""
        return self._with(columns, multiplicities)

    def without(self, *roles: str) -> Counts:
        """Drop columns, merging the rows that are then equal."""
        kept = {role: values for role, values in self.columns.items() if role not in roles}
        return self if len(kept) == len(self.columns) else self._with(kept, self.multiplicities)

    def where(self, mask: Mask) -> Counts:
        """Keep the rows that the mask selects."""
        columns, weights = {role: values[mask] for role, values in self.columns.items()}, self.multiplicities[mask]
        matched = Matched(both=int(weights.sum()))
        if SAMPLE in columns:
            of_b = columns[SAMPLE] == "b"
            matched = Matched(a_only=int(weights[~of_b].sum()), b_only=int(weights[of_b].sum()))
        return replace(self, columns=columns, multiplicities=weights, matched=matched)

    def put(self, **columns: Values) -> Counts:
        """Replace the values of columns, merging the rows that are then equal."""
        return self._with({**self.columns, **columns}, self.multiplicities)

    def slices(self) -> list[tuple[Any, Counts]]:
        """Return one Counts per value of the slice column."""
        values = self["slice"]
        levels = factorize(values)[0].tolist()
        return [(value, self.where(values == value).without("slice")) for value in levels]

    def digest(self) -> str:
        """Return a short hash of the rows and their multiplicities."""
        rows = hashlib.sha256(self.multiplicities.astype("<i8").tobytes())
        for role, values in self.columns.items():
            rows.update(f"\0{role}\0{values.dtype.kind}\0".encode())
            plain_bytes = values.dtype.kind in "bif"
            rows.update(values.tobytes() if plain_bytes else repr(values.tolist()).encode("utf-8", "surrogatepass"))
        return rows.hexdigest()[:8]

    def to_dict(self) -> dict[str, Any]:
        """Return the contents of the counts file."""
        partial = [{"note": note, "parts": parts, "examples": n} for note, (parts, n) in self.partial.items()]
        content = {
            "schema": SCHEMA,
            "columns": list(self.columns),
            "names": dict(self.names),
            "positive": self.positive,
        }
        content |= {"open": self.open, "matched": self.matched.to_dict(), "notes": list(self.notes)}
        content |= {"about": dict(self.about)} | ({"partial_notes": partial} if partial else {})
        content |= {"precision": self.precision} if self.precision < 64 else {}
        rows = zip(*(values.tolist() for values in self.columns.values()), strict=True)
        return {**content, "rows": list(map(list, rows)), "multiplicities": self.multiplicities.tolist()}

    def to_json(self) -> str:
        """Return the counts file as text, one row per line, so that two files can be compared by eye."""
        return written(self.to_dict())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the counts file, completely or not at all."""
        write_whole(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Counts:
        """Read a counts file.

        Raises:
            InputError: if the file is truncated, or is not a counts file.
        """
        return cls.from_json(read_text(path), where=os.fspath(path))

    @classmethod
    def from_json(cls, text: str, where: str = "the text") -> Counts:
        """Read the text of a counts file."""
        return cls.from_dict(parsed(text, where), where)

    @classmethod
    def from_dict(cls, content: Any, where: str = "the counts") -> Counts:
        """Read what `to_dict` wrote."""
        parts = checked(content, where)
        try:
            matched = parts.pop("matched", None)
            return cls.of(**parts, matched=Matched(**matched) if matched else None)
        except InputError:
            raise
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise InputError(f"{where} is not a whole counts file: {type(error).__name__}: {error}") from error


def _merged(first: Mapping[str, tuple[int, int]], second: Mapping[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """Add up of how many parts, and of how many examples, each note is."""
    merged = dict(first)
    for note, (parts, examples) in second.items():
        before = merged.get(note, (0, 0))
        merged[note] = before[0] + parts, before[1] + examples
    return merged


def _wide(values: Values, bits: int) -> Values:
    """Return values as they are reckoned with: whole numbers and floats of 64 bits, the floats rounded to fewer."""
    if values.dtype.kind == "f":
        return np.asarray(rounded(values, bits))
    return values.astype(np.int64) if values.dtype.kind in "iu" else values


def _whole(raw: Any) -> Ints:
    values, missing = clean(raw, "multiplicities")
    if missing.any() or values.dtype.kind not in "iu":
        gaps = " with gaps" if missing.any() else ""
        raise InputError(f"multiplicities must be whole numbers; they are {KINDS[values.dtype.kind]}{gaps}")
    if len(values) and values.min() < 0:
        raise InputError(f"a multiplicity cannot be negative; the smallest is {int(values.min())}")
    return values.astype(np.int64)


def from_events(events: Sequence[int], *, a: str = "A", b: str = "B", open: bool = False) -> Counts:  # noqa: A002
    """Make the counts of a 2-class task from e1 to e8, in the order of the papers.

    >>> from_events([61, 14, 9, 21, 6, 11, 5, 873]).n
    1000
    """
    cells = [(1, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 1, 1), (0, 0, 1), (0, 1, 0), (0, 0, 0)][: len(events)]
    truth, first, second = zip(*cells, strict=True)
    return Counts.of({"truth": truth, "a": first, "b": second}, events, names={"a": a, "b": b}, open=open)
