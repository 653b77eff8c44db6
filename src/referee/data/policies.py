"""Policies: what is done with missing values and repeated ids, once the rows are grouped.

What is done with ids before tables are joined is in `pair_policies`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from referee.data.columns import Ints, Mask, Values, factorize, is_missing, kind, plain
from referee.data.counts import Counts
from referee.data.crossed_groups import CROSSED
from referee.data.engines.base import Grouped, check_exact, runs_of
from referee.data.judged import partly, set_apart
from referee.data.label_checks import check_kinds, distinct, even_precision, name_remarks, remarks, truths_as_scores
from referee.data.policy_values import MISSING
from referee.data.roles import JUDGES, NAMED_BY, OPTIONS, SHARED, SIDES, labels_among, systems_among
from referee.data.value_text import EXAMPLE, plural
from referee.data.value_text import listed as listed
from referee.data.weights import WEIGHT
from referee.errors import Argument, InputError, Message, NotReady, Part, one_of

DROP = Argument("missing", "drop")
MEAN, GROUP = Argument("repeats", "mean"), Argument("repeats", "group")


@dataclass(frozen=True, kw_only=True)
class Policies:
    """What to do with what is not as it should be; by default all of it is an error."""

    missing: str = "error"
    repeats: str = "error"
    unmatched: str = "error"

    def __post_init__(self) -> None:
        for field in fields(self):
            one_of(field.name, getattr(self, field.name), OPTIONS[field.name].values)

    @property
    def chosen(self) -> dict[str, str]:
        """The policies that are not as usual."""
        return {name: policy for name, policy in asdict(self).items() if policy != "error"}


def settle(
    grouped: Grouped, policies: Policies, *, names: Mapping[str, str], positive: Any = None, noun: str = EXAMPLE
) -> Counts:
    """Apply the policies to grouped rows and make counts of them.

    Args:
        grouped: what an engine found.
        policies: what to do with missing values and repeated ids.
        names: what the systems are called.
        positive: the positive label, where it was named.
        noun: what the rows are called in messages.

    Raises:
        InputError: if the rows are none, or hold what the policies refuse.
    """
    refuse_lacking_ids(grouped.repeats.lacking)
    rows = weighed(grouped)
    whole = _total(rows.counts)
    if not whole:
        raise NotReady("there are no examples: the table has no rows")
    rows, reading = truths_as_scores(rows, names)
    check_kinds(rows, names)
    for role in (*SIDES, "id"):
        if role in rows.columns and role != WEIGHT:
            check_exact(role, rows.columns[role])
    rows, bits, rounding = even_precision(rows, names)
    _check_repeats(rows, policies.repeats)
    rows, unlabelled = set_apart(rows)
    rows, filling = _fill(rows, names, policies.missing, noun)
    dropped = whole - _total(rows.counts)
    if not len(rows.counts):
        raise InputError(
            f"there are no examples left: all {whole:,} have a missing value and were dropped (", DROP, ")"
        )
    notes = [
        *grouped.notes,
        *reading,
        *rounding,
        *unlabelled,
        *filling,
        *remarks(rows, names),
        *name_remarks(rows, names),
    ]
    if rows.repeats.ids:
        rows, note = {"mean": _average, "group": _by_id}[policies.repeats](rows)
        notes.append(note)
        bits = 64 if policies.repeats == "mean" else bits  # a mean is none of the numbers that were stored
    counted = (*labels_among(rows.columns), *(role for role in (*JUDGES, *SIDES) if role in rows.columns))
    ordered = {role: rows.columns[role] for role in counted}
    matched = replace(grouped.matched, both=_total(rows.counts), dropped=dropped)
    about = {"runs": str(rows.runs)} if rows.runs else {}
    return Counts.of(
        ordered, rows.counts, names=names, positive=positive, matched=matched, notes=notes, about=about, precision=bits
    )


def refuse_lacking_ids(rows: int, where: str = "") -> None:
    """Refuse rows that have no id, in one of two tables or in the only one.

    Raises:
        InputError: if there are any.
    """
    if rows:
        many = f"{rows:,} row{'' if rows == 1 else 's'}"
        of, leave = (f" of {where}", ()) if where else ("", (", or leave ", Argument("id"), " out"))
        raise InputError(
            f"the id is missing in {many}{of}", argument="id", remedy=Message("give every row an id", *leave)
        )


def is_dropped(row: Mapping[str, Any], missing: str) -> bool:
    """Say whether an example is left out for a value that is missing."""
    may_lack = ("text", *partly(row))
    return MISSING[missing].drops and any(
        is_missing(plain(value)) for role, value in row.items() if role not in may_lack
    )


def answer_of_missing(missing: str, with_truth: bool) -> Any:
    """Return what a missing answer counts: a score if there is no truth, else None, which equals no label."""
    return None if with_truth else MISSING[missing].counts


def _total(counts: Ints) -> int:
    return int(counts.sum())


def weighed(grouped: Grouped) -> Grouped:
    """Multiply the multiplicity column into the counts, and leave out the rows that never occurred."""
    if "multiplicity" not in grouped.columns:
        return grouped
    values = grouped.columns["multiplicity"]
    if "multiplicity" in grouped.missing:
        rows = _total(grouped.counts[grouped.missing["multiplicity"]])
        raise InputError(f"the multiplicity is missing in {rows:,} row{'' if rows == 1 else 's'}")
    if len(values) and values.dtype.kind not in "iu":
        raise InputError(f"the multiplicity must be a whole number in every row; the column has {kind(values)}")
    if values.min(initial=0) < 0:
        raise InputError(f"a multiplicity cannot be negative; the smallest is {int(values.min())}")
    if float(values.astype(np.float64) @ grouped.counts) >= 2.0**62:
        raise InputError("the multiplicities add up to more than 64 bits can hold")
    columns = {role: own for role, own in grouped.columns.items() if role != "multiplicity"}
    made = replace(grouped, columns=columns, counts=grouped.counts * values.astype(np.int64))
    return kept(made, values > 0)


def kept(grouped: Grouped, mask: Mask) -> Grouped:
    """Return the rows that a mask selects."""
    columns = {role: values[mask] for role, values in grouped.columns.items()}
    missing = {role: gone[mask] for role, gone in grouped.missing.items() if gone[mask].any()}
    return replace(grouped, columns=columns, missing=missing, counts=grouped.counts[mask])


def _check_repeats(rows: Grouped, repeats: str) -> None:
    several = f"{occur(rows.repeats.ids)} in more than one row, such as {rows.repeats.example!r}"
    if rows.repeats.ids and repeats == "error":
        average = () if "truth" in rows.columns else (", ", MEAN, " averages its scores")
        remedy = Message("if these are repeats, ", GROUP, " keeps the rows of an id together as a group", *average)
        raise InputError(several, argument="repeats", remedy=remedy)
    if rows.repeats.ids and repeats == "mean" and "truth" in rows.columns:
        raise InputError(several, "; labels cannot be averaged", argument="repeats", remedy=Message("use ", GROUP))


def occur(number: int) -> str:
    """Say how many ids occur, in a message."""
    return "1 id occurs" if number == 1 else f"{number:,} ids occur"


def _fill(rows: Grouped, names: Mapping[str, str], missing: str, noun: str) -> tuple[Grouped, list[str]]:
    """Refuse, drop or fill in the missing values, and say so."""
    if not rows.missing:
        return rows, []
    times = {role: _total(rows.counts[gone]) for role, gone in rows.missing.items()}
    treatment, policy = MISSING[missing], Argument("missing", missing)
    if treatment.drops:
        gone = np.logical_or.reduce(list(rows.missing.values()))
        number = _total(rows.counts[gone])
        where = ", ".join(dict.fromkeys(f"{names.get(role, role)} {many:,}" for role, many in times.items()))
        has = "1 example with a missing value was" if number == 1 else f"{number:,} examples with a missing value were"
        return kept(rows, ~gone), [Message(f"{has} dropped (", policy, f"): {where}")]
    side = next((role for role in (*SHARED, *JUDGES) if role in times), None)
    if side is not None:
        many = times[side]
        # Such a truth is what somebody said or wrote; where it is a label, nothing is no label.
        spoken = side == "truth" and any(" " in str(text) for text in distinct(rows, side))
        empty = '; if the text is empty on purpose, as where nothing was said, write "" in JSON lines' if spoken else ""
        several = side == "truth" and any(mark in str(text) for text in distinct(rows, side) for mark in "|;[")
        empty += "; for an example that has no labels on purpose, write []" if several else ""
        remedy = Message("fill it in, or leave ", "it" if many == 1 else "them", " out with ", DROP, empty)
        called = "the second group" if side == CROSSED else side
        told = f"{called} is missing in {many:,} example{'' if many == 1 else 's'}"
        raise InputError(told, argument=NAMED_BY.get(side, side), remedy=remedy)
    systems = systems_among(rows.columns)
    every = ((times.get(role, 0), names[role]) for role in systems if len(systems) == 2 or role in times)
    lacking = list(dict.fromkeys(every))  # a single system is told once
    if treatment.fill is None:
        such = f" (such as {listed([repr(one) for one in rows.unanswered])})" if rows.unanswered else ""
        raise missing_predictions(listed([f"{many:,} of {name}" for many, name in lacking]) + such, noun=noun)
    replaced = {role: treatment.fill(rows, role, names) for role in systems if role in rows.missing}
    (first, name), *others = lacking
    plural, were = ("", "was" if not others else "were") if first == 1 else ("s", "were")
    told = listed(
        [f"{first:,} missing prediction{plural} of {name}", *(f"{many:,} of {name}" for many, name in others)]
    )
    note = Message(f"{told} {were} counted as {OPTIONS['missing'].values[missing].label} (", policy, ")")
    return replace(rows, columns={**rows.columns, **replaced}, missing={}), [note]


def missing_predictions(lacking: str, averaged: bool = False, noun: str = EXAMPLE) -> InputError:
    """Return the error for missing predictions, which offers the policies that help; of scores to be averaged, not all do."""
    remedy: list[Part] = []
    for name, value in OPTIONS["missing"].values.items():
        if MISSING[name].drops or (MISSING[name].counts is not None if averaged else MISSING[name].fill):
            remedy += [", or " if remedy else "use ", Argument("missing", name), f" to {value.words}"]
    what = "predictions are missing" if noun == EXAMPLE else f"{plural(noun)} have no score"
    return InputError(f"{what}: {lacking}", argument="missing", remedy=Message(*remedy))


def _by_id(rows: Grouped) -> tuple[Grouped, str]:
    columns = {("group" if role == "id" else role): values for role, values in rows.columns.items()}
    if "crossed" in columns:  # of two crossed groups the pair is the id, and its rows are together already
        columns = {role: values for role, values in rows.columns.items() if role != "id"}
    note = f"{occur(rows.repeats.ids)} in more than one row; the rows of an id are one group ("
    return replace(rows, columns=columns), Message(note, GROUP, ")")


def _average(rows: Grouped) -> tuple[Grouped, str]:
    """Average the scores of each id, which then is one example."""
    ids, codes = factorize(rows.columns["id"])
    times = np.bincount(codes, weights=rows.counts)
    columns: dict[str, Values] = {}
    systems = systems_among(rows.columns)
    for role in systems:
        if rows.columns[role].dtype.kind == "O":
            raise InputError(MEAN, " averages numbers; the predictions are text: use ", GROUP, argument="repeats")
        values = rows.columns[role].astype(np.float64) * rows.counts
        # Added in the order of the values, so that neither the order of the rows nor the engine changes the last bit.
        order = np.lexsort((values, codes))
        columns[role] = np.bincount(codes[order], weights=values[order]) / times
    first = np.unique(codes, return_index=True)[1]
    for role in (role for role in SIDES if role in rows.columns):
        columns[role] = rows.columns[role][first]
        odd = columns[role][codes] != rows.columns[role]
        if odd.any():
            example = plain(ids[codes[odd][0]])
            differs = f"the {role} of id {example!r} differs between its rows; "
            raise InputError(differs, MEAN, f" needs one {role} per id", argument="repeats")
    note = Message(f"{_total(rows.counts):,} rows were averaged to {len(ids):,} ids (", MEAN, ")")
    marks = all(np.isin(rows.columns[role], (0, 1)).all() for role in systems)
    runs = runs_of(np.unique(times).astype(np.int64).tolist()) if marks else 0
    return Grouped(columns, {}, np.ones(len(ids), np.int64), rows.repeats, runs=runs), note
