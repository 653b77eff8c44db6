"""Battles: tables whose rows are battles of two models, counted by who met whom, who won, and in which group."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from referee.data.columns import Floats, Ints, Mask, Values, factorize, plain
from referee.data.engines.base import Grouped, engine_of
from referee.data.many_systems import column_names
from referee.data.policies import occur, refuse_lacking_ids, weighed
from referee.data.preferences import columns_of_battles, shares_of
from referee.data.roles import SYSTEMS, named_among
from referee.data.value_text import listed
from referee.data.winner_columns import one_name, roles_of, with_winners
from referee.errors import Argument, ChoiceNeeded, InputError, Message, OptionError, one_of

MOST = 300
"""More models than this are not ranked at once: every two of them are compared."""
SHOWN = 6
PARTS = ("a", "b", "winner", "group", "by", "id", "multiplicity")
"""The arguments that name columns of battles."""


@dataclass(frozen=True, eq=False)
class Battles:
    """Battles of any number of models, each kind with the number of times it occurred."""

    names: tuple[str, ...]
    """The models, in the order of their names."""
    first: Ints
    """[kind]: the model on side A, whose answer was shown first."""
    second: Ints
    """That on side B."""
    share: Floats
    """The share of the win of the one on side B: 1 won, .5 tied, 0 lost."""
    times: Ints
    group: Ints | None = None
    """The number of its group."""
    dropped: int = 0
    """How many battles were left out: a value was missing, or a model met itself."""
    notes: tuple[str, ...] = ()
    about: Mapping[str, str] = field(default_factory=dict)
    """The columns they were read from, and the policies."""

    @property
    def n(self) -> int:
        """The number of battles."""
        return int(self.times.sum())

    @property
    def units(self) -> int:
        """The number of battles, or of groups of them."""
        return self.n if self.group is None else len(np.unique(self.group))

    @cached_property
    def met(self) -> Ints:
        """[model, model]: how often two met."""
        size = len(self.names)
        met = np.bincount(self.first * size + self.second, self.times, size * size).reshape(size, size)
        return np.asarray(np.rint(met + met.T), np.int64)

    @cached_property
    def won(self) -> Floats:
        """[model, model]: how many battles with the other one it won; a tie is half a win."""
        size = len(self.names)
        second = np.bincount(self.second * size + self.first, self.times * self.share, size * size)
        first = np.bincount(self.first * size + self.second, self.times * (1 - self.share), size * size)
        return np.asarray((first + second).reshape(size, size))

    @cached_property
    def tied(self) -> int:
        """How many battles were ties."""
        return int(self.times[self.share == 0.5].sum())

    @property
    def ungrouped(self) -> Battles:
        """The same without groups."""
        return replace(self, group=None)

    def where(self, mask: Mask | Ints) -> Battles:
        """Return some kinds of battles, by a mask or by their places; groups are numbered anew."""
        group = None if self.group is None else np.unique(self.group[mask], return_inverse=True)[1]
        return replace(
            self,
            first=self.first[mask],
            second=self.second[mask],
            share=self.share[mask],
            times=self.times[mask],
            group=group,
        )

    def renamed(self, places: Ints) -> Battles:
        """Return battles in which each model has the number of another."""
        return replace(self, first=places[self.first], second=places[self.second])

    def only(self, models: Mask) -> Battles:
        """Return the battles among some of the models, which are numbered anew."""
        kept = self.where(models[self.first] & models[self.second])
        names = tuple(name for name, there in zip(self.names, models, strict=True) if there)
        return replace(kept.renamed(np.cumsum(models) - 1), names=names)

    def digest(self) -> str:
        """Return a fingerprint, whatever the order of the rows."""
        text = hashlib.sha256("\0".join(self.names).encode())
        group = np.zeros(len(self.times), np.int64) if self.group is None else self.group
        for column in (self.first, self.second, self.share, self.times, group):
            text.update(np.ascontiguousarray(column).tobytes())
        return text.hexdigest()[:12]


def read_battles(
    data: Any, columns: Mapping[str, Any], *, systems: Any = None, missing: str = "error", repeats: str | None = None
) -> Iterator[tuple[str | None, Battles]]:
    """Read battles, and yield them with the name of their slice; one without a name if there are no slices.

    Args:
        data: a dataframe, a path, a mapping of columns, a DuckDB relation; None if the columns are arrays.
        columns: the column of each of `PARTS` that is given.
        systems: which models, by names or patterns; all if left out.
        missing: "error", or "drop" for battles of which something is missing, and of a model with itself.
        repeats: "error", or "group" to take battles of one id as a group.

    Raises:
        RefereeError: if the table does not say who met whom and who won.
    """
    one_of("missing", missing, ("error", "drop"))
    one_of("repeats", repeats, (None, "error", "group"))
    roles = _roles(data, columns, repeats)
    about = {name: one_name(column) for name, column in roles.items()} if data is not None else {}
    if data is not None:
        roles |= roles_of(roles.pop("winner"), column_names(data))
    source = data if data is not None else roles
    named = roles if data is not None else {role: role for role in roles}
    found = with_winners(engine_of(source).read(source, named, keep_ids=False), named)
    refuse_lacking_ids(found.repeats.lacking)
    if found.repeats.ids and repeats != "group":
        several = f"{occur(found.repeats.ids)} in more than one battle, such as {found.repeats.example!r}"
        remedy = Message("if battles of one id depend on each other, name its column with ", Argument("group"))
        raise InputError(several, argument="id", remedy=remedy)
    policies = {"missing": missing} if missing != "error" else {}
    yield from _cut(_settled(found, systems, missing, columns), {**about, **policies})


def _roles(data: Any, columns: Mapping[str, Any], repeats: str | None) -> dict[str, Any]:
    """Return what is read: the two models by their usual names if nobody named them."""
    given = {name: columns[name] for name in PARTS if columns.get(name) is not None}
    if repeats == "group" and "id" in given:
        if "group" in given:
            raise OptionError(
                Argument("repeats", "group"), " makes the id the group", argument="group",
                remedy=Message("leave ", Argument("group"), " out"),
            )  # fmt: skip
        given["group"] = given.pop("id")
    lacking = [name for name in SYSTEMS if name not in given]
    if data is None:
        if lacking:
            both = (Argument("a"), " and ", Argument("b"))
            raise InputError(
                "without a table, battles are arrays: give the names of the two models with ",
                *both,
                argument=lacking[0],
            )
        return given
    if isinstance(given.get("group"), list | tuple):
        if len(given["group"]) != 1:
            remedy = "name the one column whose battles depend on each other most, such as the judge or the prompt"
            raise OptionError(
                "battles have no crossed groups yet", argument="group", value=given["group"], remedy=remedy
            )
        (given["group"],) = given["group"]
    for name, column in given.items():
        if not isinstance(column, Hashable) and name != "winner":
            must = f"{name} must be the name of a column of data; it is {type(column).__name__}"
            raise InputError(must, argument=name, remedy=Message("with arrays leave ", Argument("data"), " out"))
    names = {name: column for name, column in given.items() if name in (*SYSTEMS, "winner")}
    for name, other in combinations(names, 2):
        if names[name] == names[other]:
            same = Argument(name, bare=True), " and ", Argument(other, bare=True), f" are both {names[name]!r}"
            raise OptionError(*same, argument=other, value=names[other], remedy="name a column of its own for each")
    known = column_names(data) if lacking else []
    usual = columns_of_battles(known)
    if lacking and usual is None:
        left = [str(name) for name in known if name not in given.values()]
        asked = [part for name in lacking for part in (" and ", Argument(name))][1:]
        likely = dict(zip(lacking, left, strict=False)) if len(left) >= len(lacking) else {}
        raise ChoiceNeeded(
            "name the columns of the two models of each battle with ", *asked, f"; the columns left are: {listed(left or ['none'], 20)}",
            argument=lacking[0], arguments=likely,
        )  # fmt: skip
    return {**dict(zip(SYSTEMS, usual or (), strict=False)), **given}


def _settled(found: Grouped, systems: Any, missing: str, columns: Mapping[str, Any]) -> tuple[Battles, Values | None]:
    """Apply the policies to rows, and number models and groups; also return the slice of each row."""
    rows = weighed(found)
    whole = int(rows.counts.sum())
    if not whole:
        raise InputError("there are no battles: the table has no rows")
    gone = np.logical_or.reduce([np.zeros(len(rows.counts), np.bool_), *rows.missing.values()])
    notes = list(rows.notes)
    lacking = int(rows.counts[gone].sum())
    if lacking:
        where = ", ".join(f"{role} {int(rows.counts[mask].sum())}" for role, mask in rows.missing.items())
        if missing == "error":
            remedy = Message("fill it in, or leave these battles out with ", Argument("missing", "drop"))
            raise InputError(f"something is missing in {_battles(lacking)}: {where}", argument="missing", remedy=remedy)
        notes.append(f"{_battles(lacking)} with a missing value {_were(lacking)} left out: {where}")
    first, second = (_texts(rows.columns[role], gone) for role in ("a", "b"))
    notes += _odd_names([rows.columns[role][~gone] for role in ("a", "b")])
    alone = (first == second) & ~gone
    selves = int(rows.counts[alone].sum())
    if selves:
        who = listed([repr(name) for name in sorted(set(first[alone].tolist()))], SHOWN)
        if missing == "error":
            remedy = Message("leave them out with ", Argument("missing", "drop"))
            raise InputError(
                f"in {_battles(selves)} a model meets itself ({who}), which says nothing", argument="b", remedy=remedy
            )
        notes.append(f"{_battles(selves)} of a model with itself {_were(selves)} left out ({who})")
    keep = ~(gone | alone)
    if not keep.any():
        raise InputError(f"there are no battles left: all {whole} were left out", argument="missing")
    first, second, times = first[keep], second[keep], rows.counts[keep]
    column = columns.get("winner")
    called = str(column) if isinstance(column, Hashable) else "winner"
    read = shares_of(rows.columns["winner"][keep], first, second, sides=("the model on side B", "B"), column=called)
    notes += read.notes
    names = tuple(sorted({*first.tolist(), *second.tolist()}))
    number = {name: place for place, name in enumerate(names)}
    sides = [np.array([number[name] for name in side.tolist()], np.int64) for side in (first, second)]
    group = rows.columns.get("group")
    battles = Battles(
        names=names, first=sides[0], second=sides[1], share=read.values, times=times,
        group=None if group is None else _numbered(group[keep]), dropped=lacking + selves, notes=tuple(notes),
    )  # fmt: skip
    part = rows.columns.get("by")
    part = None if part is None else part[keep]
    if systems is not None:
        chosen = set(named_among([systems] if isinstance(systems, str) else systems, names, "model"))
        mask = np.array([name in chosen for name in names])
        inside = mask[battles.first] & mask[battles.second]
        part, battles = None if part is None else part[inside], battles.only(mask)
    return battles, part


def _cut(settled: tuple[Battles, Values | None], about: Mapping[str, str]) -> Iterator[tuple[str | None, Battles]]:
    battles, part = settled
    if part is None:
        yield None, _in_order(replace(battles, about=about))
        return
    levels, codes = factorize(part)
    for place, level in enumerate(levels.tolist()):
        own = battles.where(codes == place)
        there = np.zeros(len(battles.names), np.bool_)
        there[own.first] = there[own.second] = True
        yield str(plain(level)), _in_order(replace(own.only(there), about=about))


def _in_order(battles: Battles) -> Battles:
    """Return battles in an order of their own, equal ones added up, so that the order of the rows changes no digit."""
    if len(battles.names) > MOST:
        many = f"there are {len(battles.names):,} models, and at most {MOST} are ranked at once"
        raise OptionError(many, argument="systems", remedy=Message("choose some with ", Argument("systems")))
    if len(battles.names) < 2 or not len(battles.times):
        raise InputError("a ranking needs the battles of two models or more", argument="systems")
    group = np.zeros(len(battles.times), np.int64) if battles.group is None else battles.group
    keys = np.lexsort((battles.share, battles.second, battles.first, group))
    ordered = battles.where(keys)
    group = group[keys]
    columns = (ordered.first, ordered.second, ordered.share, group)
    new = np.logical_or.reduce([np.r_[True, column[1:] != column[:-1]] for column in columns])
    return replace(ordered.where(new), times=np.add.reduceat(ordered.times, np.flatnonzero(new)))


def _numbered(groups: Values) -> Ints:
    """Return the number of each group, in the order of their names as text, whether a file has them as text or as numbers."""
    levels, codes = factorize(groups)
    order = sorted(range(len(levels)), key=lambda place: str(plain(levels[place])))
    ranks = np.empty(len(levels), np.int64)
    ranks[order] = np.arange(len(levels))
    return ranks[codes]


def _texts(values: Values, gone: Mask) -> Values:
    """Return the names of models as text without blanks around them."""
    texts = [
        "" if lost else str(plain(value)).strip() for value, lost in zip(values.tolist(), gone.tolist(), strict=True)
    ]
    return np.fromiter(texts, dtype=object, count=len(texts))


def _odd_names(sides: list[Values]) -> list[str]:
    """Say which names of models have blanks around them, which are ignored, and which differ only in case, which are two models."""
    written = {str(plain(value)) for side in sides for value in factorize(side)[0].tolist()}
    odd = sorted(name for name in written if name != name.strip())
    told = []
    if odd:
        merged = [name for name in odd if name.strip() in written]
        same = (
            f"; so {listed([f'{name!r} beside {name.strip()!r}' for name in merged], SHOWN)} count as one model"
            if merged
            else ""
        )
        told.append(f"blanks around names of models are ignored ({listed([repr(name) for name in odd], SHOWN)}){same}")
    alike: dict[str, list[str]] = {}
    for name in sorted({name.strip() for name in written}):
        alike.setdefault(name.casefold(), []).append(name)
    twins = [" beside ".join(map(repr, names)) for names in alike.values() if len(names) > 1]
    if twins:
        told.append(f"names of models differ only in case, and count as different models: {listed(twins, SHOWN)}")
    return told


def _battles(count: int) -> str:
    return "1 battle" if count == 1 else f"{count:,} battles"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def check_unused(given: Mapping[str, Any]) -> None:
    """Refuse arguments that are not for battles.

    Raises:
        OptionError: naming the first.
    """
    for name, value in given.items():
        if value not in (None, False):
            raise OptionError(
                Argument(name, bare=True), " is not for battles, which ", Argument("winner"), " declares",
                value=value, remedy="leave it out",
            )  # fmt: skip
