"""Are the labels what they seem: kinds that cannot be compared are refused, suspicious ones are pointed out, none is changed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from referee.engines.base import LABELS, Grouped
from referee.errors import InputError
from referee.values import kind

MOST_LABELS = 10_000
MOST_TRUTHS = 1_000
MOST_CLASSES = 20  # more distinct numbers than this are taken for quantities, not classes
COMMA = re.compile(r"[-+]?\d+,\d+")


def distinct(rows: Grouped, role: str) -> set[Any]:
    """Return the distinct values that a column has, the missing ones left out."""
    if role not in rows.columns:
        return set()
    values = rows.columns[role]
    if role in rows.missing:
        values = values[~rows.missing[role]]
    return set(values.tolist() if values.dtype.kind == "O" else np.unique(values).tolist())


def check_kinds(rows: Grouped, names: Mapping[str, str]) -> None:
    """Refuse truth and predictions that cannot be equal whatever they say.

    Raises:
        InputError: where one is text and another numbers, or one true/false and another whole numbers.
    """
    kinds = {
        role: "i" if rows.columns[role].dtype.kind == "u" else rows.columns[role].dtype.kind
        for role in LABELS
        if role in rows.columns and not (role in rows.missing and rows.missing[role].all())
    }
    predicted = [kinds[role] for role in ("a", "b") if role in kinds]
    numbers = {"i", "f"}
    if len(set(predicted)) > 1 and not set(predicted) <= numbers:
        raise _differ(rows, names, "a", "b")
    if "truth" not in kinds or not predicted or "f" in predicted:
        return  # a number that is not whole is a score to rank by, whatever the truth is
    if kinds["truth"] != predicted[0] and not {kinds["truth"], predicted[0]} <= numbers:
        raise _differ(rows, names, "truth", "a" if "a" in kinds else "b")


def _differ(rows: Grouped, names: Mapping[str, str], first: str, second: str) -> InputError:
    told = [f"{names.get(role, role)} holds {_kind(rows, role)}" for role in (first, second)]
    return InputError(
        f'{" and ".join(told)}: True, 1 and "1" are not the same label; convert one to the type of the other'
    )


def _kind(rows: Grouped, role: str) -> str:
    values = rows.columns[role]
    return "whole numbers" if values.dtype.kind == "u" else kind(values)


def remarks(rows: Grouped, names: Mapping[str, str]) -> list[str]:
    """Return what is odd about the labels, each thing in a sentence."""
    if any(rows.columns[role].dtype.kind == "f" for role in ("a", "b")):
        return []
    labels = {role: distinct(rows, role) - {None} for role in LABELS if role in rows.columns}
    if sum(map(len, labels.values())) > MOST_LABELS * len(labels):
        return []
    return _alike(set().union(*labels.values())) + _strange(labels, names)


def _alike(labels: set[Any]) -> list[str]:
    if len(labels) > MOST_LABELS:
        return []
    folded: dict[str, list[str]] = {}
    for label in sorted(label for label in labels if isinstance(label, str)):
        folded.setdefault(label.strip().casefold(), []).append(label)
    pairs = [group for group in folded.values() if len(group) > 1]
    shown = [
        f"the labels {' and '.join(map(repr, group))} differ only by case or blanks; they are counted as different labels"
        for group in pairs[:3]
    ]
    return shown + ([f"{len(pairs) - 3} more sets of labels differ only by case or blanks"] if len(pairs) > 3 else [])


def _strange(labels: Mapping[str, set[Any]], names: Mapping[str, str]) -> list[str]:
    truth = labels.get("truth", set())
    if not truth or len(truth) > MOST_TRUTHS:
        return []
    if len(truth) > MOST_CLASSES and not any(isinstance(label, str | bool) for label in truth):
        return []
    notes = []
    for role in ("a", "b"):
        odd = sorted(labels[role] - truth)
        if odd and not labels[role] & truth and all(isinstance(one, str) and COMMA.fullmatch(one) for one in odd):
            raise InputError(
                f"{names[role]} holds {odd[0]!r} and the like, which truth never has: numbers with a decimal comma? "
                f"write them with a point"
            )
        if odd:
            more = "" if len(odd) == 1 else f" (and {len(odd) - 1} other label{'s' if len(odd) > 2 else ''})"
            notes.append(f"{names[role]} predicts {odd[0]!r}{more} that truth never has")
    return list(dict.fromkeys(notes))
