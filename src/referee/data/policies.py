"""From grouped rows to counts: the policies for missing values and repeated ids, written once for every engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from referee.data.columns import Floats, Ints, Mask, Values, factorize, kind, plain, precision, rounded
from referee.data.counts import Counts
from referee.data.engines.base import LABELS, SIDES, Grouped, check_exact, runs_of, uneven
from referee.data.label_checks import check_kinds, distinct, name_remarks, remarks
from referee.errors import InputError


def settle(
    grouped: Grouped, *, names: Mapping[str, str], positive: Any = None, missing: str = "error", repeats: str = "error"
) -> Counts:
    """Apply the policies to grouped rows and make counts of them.

    Args:
        grouped: what an engine found.
        names: what the systems are called.
        positive: the positive label, where it was named.
        missing: "error", "wrong" or "drop".
        repeats: "error", "mean" or "group".

    Raises:
        InputError: where the rows are none, or hold what the policies refuse.
    """
    rows = _weigh(grouped)
    whole = _total(rows.counts)
    if not whole:
        raise InputError("there are no examples: the table has no rows")
    check_kinds(rows, names)
    for role in (*SIDES, "id"):
        if role in rows.columns:
            check_exact(role, rows.columns[role])
    rows, bits, said = _even(rows, names)
    _check_repeats(rows, repeats, "truth" in rows.columns)
    rows, notes = _fill(rows, names, missing)
    dropped = whole - _total(rows.counts)
    if not len(rows.counts):
        raise InputError(
            f"there are no examples left: all {whole} have a missing value and were dropped (missing='drop')"
        )
    notes = [*grouped.notes, *said, *notes, *remarks(rows, names), *name_remarks(rows, names)]
    if rows.repeats.ids:
        rows, note = (_average if repeats == "mean" else _by_id)(rows)
        notes.append(note)
        bits = 64 if repeats == "mean" else bits  # a mean is none of the numbers that were stored
    ordered = {role: rows.columns[role] for role in (*LABELS, *SIDES) if role in rows.columns}
    matched = replace(grouped.matched, both=_total(rows.counts), dropped=dropped)
    about = {"runs": str(rows.runs)} if rows.runs else {}
    return Counts.of(
        ordered, rows.counts, names=names, positive=positive, matched=matched, notes=notes, about=about, precision=bits
    )


def _even(rows: Grouped, names: Mapping[str, str]) -> tuple[Grouped, int, list[str]]:
    """Round the scores of both systems to the coarser of their precisions: else every one would differ in its last digits.

    Returns:
        the rows, how many bits the scores have, and what was done.

    Raises:
        InputError: where a score is too large for the coarser one.
    """
    stored = {role: precision(rows.columns[role]) for role in ("a", "b") if rows.columns[role].dtype.kind == "f"}
    bits = min(stored.values(), default=64)
    columns = {role: rounded(rows.columns[role], bits) for role in stored}
    if len(set(stored.values())) < 2:
        return replace(rows, columns={**rows.columns, **columns}), bits, []
    fine = max(stored, key=lambda role: stored[role])
    coarse = "b" if fine == "a" else "a"
    if not np.isfinite(columns[fine]).all():
        raise InputError(
            f"{names[coarse]} holds numbers of {bits} bits, and {names[fine]} larger ones than these can be; store both as "
            f"numbers of {stored[fine]} bits, from the scores as they were computed"
        )
    said = uneven(names[coarse], bits, names[fine], stored[fine])
    return replace(rows, columns={**rows.columns, **columns}), bits, [said]


def _total(counts: Ints) -> int:
    return int(counts.sum())


def _weigh(grouped: Grouped) -> Grouped:
    """Multiply the multiplicity column into the counts, and leave out the rows that never occurred."""
    if "multiplicity" not in grouped.columns:
        return grouped
    values = grouped.columns["multiplicity"]
    if "multiplicity" in grouped.missing:
        raise InputError(
            f"the multiplicity is missing in {_total(grouped.counts[grouped.missing['multiplicity']])} rows"
        )
    if not len(values):
        return _keep(grouped, np.ones(0, np.bool_), without="multiplicity")
    if values.dtype.kind not in "iu":
        raise InputError(f"the multiplicity must be a whole number in every row; the column has {kind(values)}")
    if values.min() < 0:
        raise InputError(f"a multiplicity cannot be negative; the smallest is {int(values.min())}")
    if float(values.astype(np.float64) @ grouped.counts) >= 2.0**62:
        raise InputError("the multiplicities add up to more than 64 bits hold")
    weighed = replace(grouped, counts=grouped.counts * values.astype(np.int64))
    return _keep(weighed, values > 0, without="multiplicity")


def _keep(grouped: Grouped, mask: Mask, without: str = "") -> Grouped:
    columns = {role: values[mask] for role, values in grouped.columns.items() if role != without}
    missing = {role: gone[mask] for role, gone in grouped.missing.items() if role != without and gone[mask].any()}
    return replace(grouped, columns=columns, missing=missing, counts=grouped.counts[mask])


def _check_repeats(rows: Grouped, repeats: str, with_truth: bool) -> None:
    found = rows.repeats
    if not found.ids:
        return
    told = f"{_ids(found.ids)} in more than one row, such as {found.example!r}"
    if repeats == "error":
        hint = "repeats='group' keeps the rows of an id together as a group"
        hint += "" if with_truth else ", repeats='mean' averages its scores"
        raise InputError(f"{told}; if these are repeats, {hint}")
    if repeats == "mean" and with_truth:
        raise InputError(f"{told}; labels that have a truth cannot be averaged: use repeats='group'")


def _ids(number: int) -> str:
    return "1 id occurs" if number == 1 else f"{number:,} ids occur"


def _fill(rows: Grouped, names: Mapping[str, str], missing: str) -> tuple[Grouped, list[str]]:
    """Refuse, drop or replace the missing values, and say so."""
    if not rows.missing:
        return rows, []
    times = {role: _total(rows.counts[gone]) for role, gone in rows.missing.items()}
    if missing == "drop":
        gone = np.logical_or.reduce(list(rows.missing.values()))
        number = _total(rows.counts[gone])
        where = ", ".join(f"{names.get(role, role)} {many}" for role, many in times.items())
        has = "1 example with a missing value was" if number == 1 else f"{number} examples with a missing value were"
        return _keep(rows, ~gone), [f"{has} dropped (missing='drop'): {where}"]
    for role in ("truth", *SIDES):
        if role in times:
            raise InputError(
                f"{role} is missing in {times[role]} examples; fill it in, or leave them out with missing='drop'"
            )
    a, b = times.get("a", 0), times.get("b", 0)
    if missing == "error":
        raise InputError(
            f"predictions are missing: {a} of {names['a']} and {b} of {names['b']}; "
            "missing='wrong' counts them as wrong, missing='drop' leaves these examples out"
        )
    replaced = {role: _wrong(rows, role, names) for role in ("a", "b") if role in rows.missing}
    note = f"{a} missing predictions of {names['a']} and {b} of {names['b']} were counted as wrong (missing='wrong')"
    return replace(rows, columns={**rows.columns, **replaced}, missing={}), [note]


def _wrong(rows: Grouped, role: str, names: Mapping[str, str]) -> Values:
    """Return a column of predictions in which the missing ones are wrong."""
    values, gone = rows.columns[role], rows.missing[role]
    truth = rows.columns.get("truth")
    if truth is None:
        if values.dtype.kind == "O":
            raise InputError(
                f"{names[role]} has text and there is no truth, so nothing says what a missing prediction counts; use missing='drop'"
            )
        return np.where(gone, np.zeros(1, values.dtype), values)
    if any(rows.columns[r].dtype.kind == "f" for r in ("a", "b")):
        raise InputError("missing='wrong' has no meaning for numbers that are not labels; use missing='drop'")
    labels = sorted(set().union(*(distinct(rows, r) for r in LABELS)))
    if truth.dtype.kind == "b":
        labels = [False, True]
    out = np.where(gone, None, values.astype(object))  # type: ignore[call-overload]
    if len(labels) == 2:
        other: Callable[[Any], Any] = {labels[0]: labels[1], labels[1]: labels[0]}.__getitem__
        out[gone] = [other(label) for label in truth[gone].tolist()]
        out = out.astype(truth.dtype)
    return np.asarray(out)


def _by_id(rows: Grouped) -> tuple[Grouped, str]:
    columns = {**{role: values for role, values in rows.columns.items() if role != "id"}, "group": rows.columns["id"]}
    note = f"{_ids(rows.repeats.ids)} in more than one row; the rows of an id are one group (repeats='group')"
    return replace(rows, columns=columns), note


def _average(rows: Grouped) -> tuple[Grouped, str]:
    """Average the scores of each id, which then is one example."""
    ids, codes = factorize(rows.columns["id"])
    times = np.bincount(codes, weights=rows.counts, minlength=len(ids))
    columns: dict[str, Values] = {}
    for role in ("a", "b"):
        if rows.columns[role].dtype.kind == "O":
            raise InputError("repeats='mean' averages numbers; the predictions are text: use repeats='group'")
        columns[role] = _sums(codes, rows.columns[role].astype(np.float64) * rows.counts, len(ids)) / times
    first = np.zeros(len(ids), np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    for role in SIDES:
        if role in rows.columns:
            columns[role] = rows.columns[role][first]
            odd = columns[role][codes] != rows.columns[role]
            if odd.any():
                example = plain(ids[codes[odd][0]])
                raise InputError(
                    f"the {role} of id {example!r} differs between its rows; repeats='mean' needs one {role} an id"
                )
    note = f"{_total(rows.counts):,} rows were averaged to {len(ids):,} ids (repeats='mean')"
    marks = all(np.isin(rows.columns[role], (0, 1)).all() for role in ("a", "b"))
    runs = runs_of(np.unique(times).astype(np.int64).tolist()) if marks else 0
    return Grouped(columns, {}, np.ones(len(ids), np.int64), rows.repeats, runs=runs), note


def _sums(codes: Ints, values: Floats, size: int) -> Floats:
    # Added in the order of the values, so that neither the order of the rows nor the engine changes the last bit.
    order = np.lexsort((values, codes))
    sums: Floats = np.bincount(codes[order], weights=values[order], minlength=size).astype(np.float64)
    return sums
