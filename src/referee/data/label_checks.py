"""Checks of labels: kinds that cannot be compared are refused, suspicious ones get a warning, none is changed."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from referee.data.columns import Values, comma_hint, kind, precision, rounded
from referee.data.engines.base import Grouped
from referee.data.roles import SIDES, SYSTEMS, is_system, labels_among, systems_among
from referee.errors import InputError, folded

MOST_LABELS = 10_000
MOST_TRUTHS = 1_000
MOST_CLASSES = 20  # more distinct numbers than this are taken for quantities, not classes
SAME_LOOK = "look the same, but are written with different characters (Unicode NFC and NFD)"
PLURALS = {role: f"{role}s" for role in SIDES} | {"stratum": "strata", "crossed": "crossed groups"}
TRUTHS = ("true", "false")
"""How scores that are right or wrong are written as text."""
SOME, FEWEST_LONG = 1_000, 10
"""How many scores are looked at closely, and of how many long ones something is concluded."""


def distinct(rows: Grouped, role: str) -> set[Any]:
    """Return the distinct values that a column has, the missing ones left out."""
    values = rows.columns.get(role, np.empty(0))
    if role in rows.missing:
        values = values[~rows.missing[role]]
    return set((values if values.dtype.kind == "O" else np.unique(values)).tolist())


def check_kinds(rows: Grouped, names: Mapping[str, str]) -> None:
    """Refuse truth and predictions that cannot be equal whatever they say.

    Raises:
        InputError: if one is text and another numbers, or one true/false and another whole numbers.
    """
    empty = [role for role, missing in rows.missing.items() if missing.all()]
    held = {role: rows.columns[role] for role in labels_among(rows.columns) if role not in empty}
    systems = systems_among(held)
    sorts = {role: "numbers" if values.dtype.kind in "iuf" else kind(values) for role, values in held.items()}
    # A number that is not whole is a score to rank by, whatever the truth is.
    scores = any(held[role].dtype.kind == "f" for role in systems)
    # What holds for the first holds for those that are of its sort.
    pairs = [(systems[0], other) for other in systems[1:]] if systems else []
    for pair in pairs if scores or "truth" not in held or not systems else [*pairs, ("truth", systems[0])]:
        if sorts[pair[0]] != sorts[pair[1]]:
            told = " and ".join(f"{names.get(role, role)} holds {kind(held[role])}" for role in pair)
            raise InputError(f'{told}: True, 1 and "1" are not the same label; convert one to the type of the other')


def truths_as_scores(rows: Grouped, names: Mapping[str, str]) -> tuple[Grouped, list[str]]:
    """Read scores that are written as the texts true and false as these values; all systems, or none.

    Returns:
        the rows, and what was done.
    """
    systems = systems_among(rows.columns)
    texts = [role for role in systems if rows.columns[role].dtype.kind == "O"]
    said = {role: distinct(rows, role) - {None} for role in texts}
    others = [role for role in systems if role not in texts and rows.columns[role].dtype.kind != "b"]
    plain = all(isinstance(text, str) and text.lower() in TRUTHS for own in said.values() for text in own)
    if "truth" in rows.columns or others or not plain or not any(said.values()):
        return rows, []
    read = {role: np.array([str(text).lower() == "true" for text in rows.columns[role].tolist()]) for role in texts}
    told = " and ".join(dict.fromkeys(str(names.get(role, role)) for role in texts))
    return replace(rows, columns={**rows.columns, **read}), [f"true and false in {told} were read as scores of 1 and 0"]


def remarks(rows: Grouped, names: Mapping[str, str]) -> list[str]:
    """Return what is odd about the labels, each thing in a sentence."""
    if any(rows.columns[role].dtype.kind == "f" for role in systems_among(rows.columns)):
        return _written_out(rows, names)
    labels = {role: distinct(rows, role) - {None} for role in labels_among(rows.columns)}
    if sum(map(len, labels.values())) > MOST_LABELS * len(labels):
        return []
    _check_commas(labels, names)
    every = set().union(*labels.values())
    if len(every) > MOST_LABELS:
        return []
    same = _twins(every, _composed)
    near = [group for group in _twins(every, folded) if group not in same]
    return _pointed_out(near, "labels", "differ only by case or blanks") + _pointed_out(same, "labels", SAME_LOOK)


def name_remarks(rows: Grouped, names: Mapping[str, str]) -> list[str]:
    """Return which names look the same and are not: those of the systems, of groups, strata and slices."""
    called = {"systems": {name for role, name in names.items() if is_system(role)}}
    texts = [role for role in SIDES if role in rows.columns and rows.columns[role].dtype.kind == "O"]
    called |= {PLURALS[role]: distinct(rows, role) for role in texts}
    return [note for what, own in called.items() for note in _pointed_out(_twins(own, _composed), what, SAME_LOOK)]


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _twins(names: set[Any], key: Callable[[str], str]) -> list[list[str]]:
    """Return the sets of names that a key takes for one."""
    alike: dict[str, list[str]] = {}
    for name in sorted(name for name in names if isinstance(name, str)):
        alike.setdefault(key(name), []).append(name)
    return [group for group in alike.values() if len(group) > 1]


def _pointed_out(groups: Sequence[Sequence[str]], what: str, how: str) -> list[str]:
    quoted = [" and ".join(map(ascii if how == SAME_LOOK else repr, group)) for group in groups[:3]]
    shown = [f"the {what} {names} {how}; they are counted as different {what}" for names in quoted]
    return shown + ([f"{len(groups) - 3} more sets of {what} {how}"] if len(groups) > 3 else [])


def even_precision(rows: Grouped, names: Mapping[str, str]) -> tuple[Grouped, int, list[str]]:
    """Round the scores of both systems to the coarser of their precisions: else every one would differ in its last digits.

    Returns:
        the rows, how many bits the scores have, and what was done.

    Raises:
        InputError: if a score is too large for the coarser one.
    """
    systems = [role for role in systems_among(rows.columns) if rows.columns[role].dtype.kind == "f"]
    stored = {role: precision(rows.columns[role]) for role in systems}
    bits = min(stored.values(), default=64)
    columns = {role: rounded(rows.columns[role], bits) for role in stored}
    even = replace(rows, columns={**rows.columns, **columns})
    if len(set(stored.values())) < 2:
        return even, bits, []
    coarse, *_, fine = sorted(stored, key=lambda role: stored[role])
    if not np.isfinite(columns[fine]).all():
        large = f"{names[coarse]} is stored with {bits} bits, and {names[fine]} has numbers too large for that"
        raise InputError(large, remedy=f"store both with {stored[fine]} bits, from the scores as they were computed")
    return even, bits, [uneven(names[coarse], bits, names[fine], stored[fine])]


def uneven(coarse: str, few: int, fine: str, many: int) -> str:
    """Return what a result says of scores that were stored with different precisions."""
    stored = f"the scores of {coarse} are stored with {few} bits and those of {fine} with {many}"
    return f"{stored}; all were rounded to {few} bits, so that only real differences count"


def _written_out(rows: Grouped, names: Mapping[str, str]) -> list[str]:
    """Say where the scores of one system alone are numbers of 32 bits, written out: 0.10000000149011612 for 0.1.

    They are left as they are: which numbers these were cannot be known for sure. Scores that meet when both are rounded to 32 bits
    are ties that storing broke; no verdict may hang on them.
    """
    both = {
        role: rows.columns[role] for role in SYSTEMS if role in rows.columns and rows.columns[role].dtype.kind == "f"
    }
    if len(both) == 2:
        for role, other in (SYSTEMS, SYSTEMS[::-1]):
            met = (both[role] != both[other]) & (both[role] == rounded(both[other], 32))
            place = next((place for place in np.flatnonzero(met)[:SOME].tolist() if _is_long(both[role][place])), None)
            if place is not None:
                stored = f"the scores of {names[role]} were stored with 32 bits and those of {names[other]} with 64"
                such = f"equal scores differ in the eighth digit (such as {both[role][place]} and {both[other][place]})"
                raise InputError(f"{stored}, so that {such}; round both alike, to six digits for instance")
    narrow = {role: _was_narrow(values) for role, values in both.items()}
    if sorted(narrow.values()) != [False, True]:
        return []
    odd, other = sorted(narrow, key=lambda role: not narrow[role])
    look = f"the scores of {names[odd]} look like 32-bit numbers and those of {names[other]} have more digits"
    return [f"{look}; equal scores then differ in the eighth digit: store both alike"]


def _was_narrow(values: Values) -> bool:
    """Say whether all numbers fit 32 bits, and many so that nobody would have written them by hand."""
    if (values[:SOME] != rounded(values[:SOME], 32)).any() or (values != rounded(values, 32)).any():
        return False
    several: list[float] = np.unique(values)[:SOME].tolist()
    long = sum(map(_is_long, several))
    return long >= FEWEST_LONG and 2 * long > len(several)


def _is_long(value: float) -> bool:
    """Say whether a number has more digits than anybody writes, as 0.1 has that was stored with 32 bits."""
    return float(f"{value:.15g}") != value


def _check_commas(labels: Mapping[str, set[Any]], names: Mapping[str, str]) -> None:
    """Refuse predictions that share nothing with the truth and look like numbers with a decimal comma."""
    truth = labels.get("truth", set())
    quantities = len(truth) > MOST_CLASSES and not any(isinstance(label, str | bool) for label in truth)
    if not truth or len(truth) > MOST_TRUTHS or quantities:
        return
    for role in systems_among(labels):
        odd = sorted(labels[role] - truth)
        if odd and not labels[role] & truth and (hint := comma_hint(odd)):
            raise InputError(f"{names[role]} holds text that truth never has{hint}")
