"""Preferences: what the values of a winner column say, as the share of the win that B gets."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.data.columns import Floats, Ints, Mask, Values, factorize, plain
from referee.data.roles import FIRST, PLACES, SYSTEMS, UNKNOWN
from referee.data.value_text import listed
from referee.errors import Argument, InputError, Message, did_you_mean

if TYPE_CHECKING:
    from referee.data.counts import Counts

LOSS, TIE, WIN = 0.0, 0.5, 1.0
"""B's share of the win: that of A is the rest."""
KINDS_OF_SIDES = ("model", "system", "assistant", "response", "answer", "output", "candidate", "completion", "option")
"""What judges call the two that they compare, before a letter or a number."""
WORDS: Mapping[str, float] = {
    **{f"{kind}{mark}": share for kind, (mark, share) in product(KINDS_OF_SIDES, (("a", LOSS), ("b", WIN), ("1", LOSS), ("2", WIN)))},
    "a": LOSS, "b": WIN, "[[a]]": LOSS, "[[b]]": WIN, "[[c]]": TIE, "awins": LOSS, "bwins": WIN,
    **dict.fromkeys(("tie", "ties", "tied", "draw", "equal", "same", "both", "neither", "bothgood", "bothbad"), TIE),
    **dict.fromkeys(("tie(bothbad)", "tie(bothgood)"), TIE),
}  # fmt: skip
"""What is certain, without case, blanks and underscores."""
BY_PLACE: Mapping[str, float] = dict.fromkeys(("first", "shownfirst"), LOSS) | dict.fromkeys(
    ("second", "shownsecond"), WIN
)
"""What says who won by the place at which it was shown, where that is known."""
BATTLES = tuple((f"{kind}{a}", f"{kind}{b}") for kind in KINDS_OF_SIDES[:3] for a, b in ("ab", "12"))
"""What the two columns with the names of both are called in tables of battles, without case, blanks and underscores."""
COLUMN_WORDS = frozenset({"a", "b"}.union(*BATTLES))
"""What names these columns among winners."""
LOST = frozenset({"error", "$error$"})
"""What says that a judgement was lost."""
MARKS: Mapping[str, int] = {
    "a>>b": -2, "a>b": -1, "a=b": 0, "a==b": 0, "b=a": 0, "b>a": 1, "b>>a": 2,
    "a<<b": 2, "a<b": 1, "b<a": -1, "b<<a": -2,
}  # fmt: skip
"""Grades: how much better B is."""
BEST = 2
"""The largest grade."""
CODES = ({0.0, 1.0}, {0.0, 0.5, 1.0}, {0.0, 0.5}, {0.5, 1.0}, {0.5})
"""What may be shares of a win, numbers of systems, or a win and a tie."""
NUMBER = re.compile(r"[-+]?\d+(\.0*)?")
KNOWN = "a, b and tie (also model_a, model_b, both, draw), A>>B to B>>A, a scale from -2 to 2 (positive: B is better)"
SHOWN = 6
"""So many values are listed in a message."""
HALF_GRADES = "a strong preference counts as a whole win and a slight one as three quarters of it (one quarter to the other system)"
WHOLE_GRADES = "every preference counts as a whole win, since only one strength of it occurs"
UPWARDS = "positive numbers mean that {b} is better"


@dataclass(frozen=True, eq=False)
class Shares:
    """What winners say."""

    values: Floats
    """[row]: B's share of the win: 1 won, .5 tied, 0 lost, or on a graded scale .75 and .25 in between."""
    notes: tuple[str, ...] = ()
    """By which convention they were read, in sentences, where there is a choice."""


def shares_of(
    winner: Any, a: Any = (), b: Any = (), *, sides: tuple[str, str] = ("A", "B"), column: str = "winner", shown: Values | None = None,
    labels: Collection[str] = (),
) -> Shares:  # fmt: skip
    """Read who won: by letters and words, by the names of the systems, or by grades.

    A letter or a word means a side (`a`, `model_a`); a name means the system of that name, which may stand on either side if there
    are battles of many.

    Args:
        winner: one value per judgement, none missing.
        a: the name of the system on side a: one for all rows, or an array with one per row; none if left out.
        b: that of the system on side b.
        sides: what the two are called in notes.
        column: what the winner's column is called in messages.
        shown: the side that was shown first, "a" or "b" of each row, if that is known.
        labels: words for sides, as `_bare` has them, that surely mean a system and not the place at which it was shown.

    Raises:
        InputError: if a value says nothing certain, with what was found and what is known.

    >>> shares_of(["a", "tie", "B", "model_b"]).values.tolist()
    [0.0, 0.5, 1.0, 1.0]
    >>> shares_of(["new", "old", "both"], "old", "new").values.tolist()
    [1.0, 0.0, 0.5]
    >>> shares_of([-2, -1, 0, 1, 2]).values.tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    >>> shares_of(["first", "second"], "old", "new", shown=np.array(["b", "b"])).values.tolist()
    [1.0, 0.0]
    >>> shares_of(["x", "y", "tie"], ["x", "x", "y"], ["y", "y", "x"]).values.tolist()
    [0.0, 1.0, 0.5]
    """
    values = winner if isinstance(winner, np.ndarray) else np.fromiter(winner, dtype=object, count=len(winner))
    levels, codes = factorize(values)
    found = [plain(level) for level in levels]
    firsts, seconds = (_names(own, len(values)) for own in (a, b))
    named = {name for own in (firsts, seconds) if own is not None for name in set(own.tolist())}
    words, notes = _read(found, named, sides, column)
    shares = np.array([words.get(level, np.nan) for level in found], dtype=np.float64)[codes]
    texts = np.array([str(level).strip() for level in found], dtype=object)
    for own, share in ((firsts, LOSS), (seconds, WIN)):
        if own is not None:
            shares[np.isnan(shares) & np.asarray(texts[codes] == own, dtype=np.bool_)] = share
    if shown is not None:
        later = shown == "b"
        for level, place in ((level, BY_PLACE.get(_bare(str(level)))) for level in found):
            if place is not None:
                rows = codes == found.index(level)
                if str(level).strip() in named:
                    raise _clash(str(level).strip(), column)
                shares[rows] = np.where(later[rows], 1 - place, place)
        _refuse_places(found, codes, later, named, labels, column)
    unread = np.isnan(shares)
    if unread.any():
        place = int(np.flatnonzero(unread)[0])
        raise _unknown(found, plain(values[place]), words, named, column, {"a": a, "b": b})
    return Shares(shares, notes)


def in_both_orders(counts: Counts) -> bool:
    """Say whether it is known of every judgement which system was shown first, and each was."""
    return counts.judged and set(counts[FIRST].tolist()) == set(SYSTEMS)


def beside(counts: Counts, role: str) -> Values | None:
    """Return what the answers of a system are seen beside: the truth; of preferences, whether it was shown first or second."""
    if not counts.judged:
        return counts.get("truth")
    shown = counts[FIRST]
    return np.where(shown == UNKNOWN, UNKNOWN, np.where(shown == role, *PLACES)).astype(object)


def columns_of_battles(columns: Iterable[Any]) -> tuple[str, str] | None:
    """Return the two columns with the names of the systems on either side, if a table has them.

    >>> columns_of_battles(["id", "model_1", "model_2", "response_1"]), columns_of_battles(["Model A", "winner"])
    (('model_1', 'model_2'), None)
    """
    bare = {_bare(str(column)): str(column) for column in columns}
    return next(((bare[a], bare[b]) for a, b in BATTLES if a in bare and b in bare), None)


def sides_of(values: Any, a: Any = (), b: Any = (), *, column: str = "first") -> Values:
    """Read which side is meant, "a" or "b": by letters and words, or by the names of the systems.

    Args:
        values: one per judgement, none missing.
        a: as in `shares_of`.
        b: as in `shares_of`.
        column: what the column is called in messages.

    Raises:
        InputError: if a value is neither.

    >>> sides_of(["model_a", "new", "B"], "old", "new").tolist()
    ['a', 'b', 'b']
    """
    cells = values if isinstance(values, np.ndarray) else np.fromiter(values, dtype=object, count=len(values))
    levels, codes = factorize(cells)
    firsts, seconds = (_names(own, len(cells)) for own in (a, b))
    shares = np.full(len(cells), np.nan)
    for place, level in enumerate(map(plain, levels)):
        rows, text = codes == place, str(level).strip()
        word = WORDS.get(_bare(text), TIE)
        means = np.full(int(rows.sum()), np.nan if word == TIE or isinstance(level, bool) else word)
        for own, share in ((firsts, LOSS), (seconds, WIN)):
            called = (
                np.asarray(own[rows] == text, dtype=np.bool_) if own is not None else np.zeros(len(means), np.bool_)
            )
            if (called & (means == 1 - share)).any():
                raise _clash(text, column, FIRST)
            means[called] = share
        if np.isnan(means).any():
            names = sorted({name for own in (firsts, seconds) if own is not None for name in set(own.tolist())})[:SHOWN]
            raise InputError(
                f"{column} must say which system was shown first; it holds {_shown(map(plain, levels))}, and {level!r} is neither system",
                argument=FIRST, value=level, remedy=f"write the name of the system that was shown first: {' or '.join(names or ['a', 'b'])}",
            )  # fmt: skip
        shares[rows] = means
    return np.where(shares == WIN, "b", "a").astype(object)


def labels_in(values: Values) -> frozenset[str]:
    """Return the words for sides that a column that says who was shown first uses as systems' labels, such as model_a and model_b.

    >>> sorted(labels_in(np.array(["Model A", "new"], dtype=object)))
    ['model1', 'model2', 'modela', 'modelb']
    """
    kinds = {_bare(str(value))[:-1] for value in set(values.tolist()) if WORDS.get(_bare(str(value)), TIE) != TIE}
    return frozenset(word for word in WORDS if word[:-1] in kinds and WORDS[word] != TIE)


def side_of(text: str) -> float | None:
    """Return the share of the win that a word for a side or a tie means; None if it is no such word.

    >>> side_of("model_b"), side_of("gpt-4")
    (1.0, None)
    """
    return WORDS.get(_bare(text))


def is_lost(value: Any) -> bool:
    """Say whether a winner says that there is no judgement, as MT-bench writes where its judge's answer could not be read."""
    return isinstance(value, str) and _bare(value) in LOST


def by_place(text: str) -> bool:
    """Say whether a winner is told by the place at which it was shown."""
    return _bare(text) in BY_PLACE


def strangers(winner: Values) -> list[str]:
    """Return the texts of a winner column that are no word for a side or a tie, sorted.

    >>> strangers(np.array(["new", "tie", "old", "new"], dtype=object))
    ['new', 'old']
    """
    texts = sorted({value.strip() for value in winner.tolist() if isinstance(value, str)})
    return [text for text in texts if not (_bare(text) in WORDS or _bare(text) in MARKS or _is_number(text))]


def _names(own: Any, rows: int) -> Values | None:
    """Return the name of each row's system, as text without blanks around it."""
    if isinstance(own, str):
        return np.full(rows, own.strip(), dtype=object)
    names = [str(plain(name)).strip() for name in own]
    return np.fromiter(names, dtype=object, count=len(names)) if names else None


def _read(
    found: list[Any], named: set[str], sides: tuple[str, str], column: str
) -> tuple[dict[Any, float], tuple[str, ...]]:
    """Return the share that each value means which is no system's name."""
    if any(isinstance(value, bool) for value in found):
        raise _ambiguous(found, column, "true and false don't say which system won")
    texts = {value: str(value).strip() for value in found}
    numbers = {value: text for value, text in texts.items() if NUMBER.fullmatch(text) and text not in named}
    numbers_only = {float(text) for text in texts.values() if _is_number(text) and text not in named}
    if numbers_only in CODES:
        names = ", ".join(sorted(named)) if 0 < len(named) <= 2 else "a, b"
        raise InputError(
            f"{column} holds the codes {_shown(found)}, which don't say which system won",
            argument="winner",
            value=_shown(found),
            remedy=f"write the winners as {names} and tie",
        )
    if numbers_only and min(numbers_only) >= 1 and max(numbers_only) <= len(SYSTEMS):
        raise _from_one_to_two(found, column, numbers_only)
    floats = [value for value, text in texts.items() if value not in numbers and _is_number(text) and text not in named]
    if floats:
        raise _ambiguous(found, column, f"{floats[0]} is not a whole number")
    if numbers and len(numbers) < len(found):
        raise _ambiguous(found, column, "numbers and words are mixed")
    if numbers:
        return _of_numbers({value: float(text) for value, text in numbers.items()}, sides, column)
    plainly = {value: _bare(text) for value, text in texts.items()}
    for value, text in texts.items():
        if text in named and (plainly[value] in WORDS or plainly[value] in MARKS):
            raise _clash(text, column)
    grades = {value: MARKS[bare] for value, bare in plainly.items() if bare in MARKS}
    words = {value: WORDS[bare] for value, bare in plainly.items() if bare in WORDS}
    shares, notes = _graded(grades)
    return {**words, **shares}, notes


def _from_one_to_two(found: list[Any], column: str, values: set[float]) -> InputError:
    """Return the error for preferences as AlpacaEval writes them, of which 1 and 2 may mean the opposite elsewhere."""
    whole = values <= {1.0, 1.5, 2.0}
    remedy = "if 1 means that A is better and 2 that B is, as AlpacaEval has it, " + (
        "write a, tie and b for 1, 1.5 and 2"
        if whole
        else f"make two columns of scores, 2 − {column} for A and {column} − 1 for B, and compare these without a winner"
    )
    told = f"{column} holds {_shown(found)}, which don't say which of the two systems is 1 and which is 2"
    return InputError(told, argument="winner", value=_shown(found), remedy=remedy)


def _of_numbers(
    numbers: Mapping[Any, float], sides: tuple[str, str], column: str
) -> tuple[dict[Any, float], tuple[str, ...]]:
    """Read a scale of whole numbers; 0 and 1 alone could also be the numbers of systems, or shares."""
    beyond = [value for value, number in numbers.items() if abs(number) > BEST]
    if beyond:
        raise _ambiguous(list(numbers), column, f"{beyond[0]} is beyond the scale from -2 to 2")
    if min(numbers.values()) >= 0:
        raise _ambiguous(list(numbers), column, "without a negative number it isn't certain that they are such a scale")
    shares, notes = _graded({value: int(number) for value, number in numbers.items()})
    upwards = UPWARDS.format(b=sides[1])
    return shares, (
        f"{column} was read as a scale: {upwards}; {notes[0]}" if notes else f"{column} was read as a scale: {upwards}",
    )


def _graded(grades: Mapping[Any, int]) -> tuple[dict[Any, float], tuple[str, ...]]:
    """Return the shares of grades: the strongest that occurs is a whole win."""
    strongest = max(map(abs, grades.values()), default=0)
    shares = {value: TIE + grade / (2 * strongest) if strongest else TIE for value, grade in grades.items()}
    sizes = {abs(grade) for grade in grades.values()} - {0}
    if not sizes:
        return shares, ()
    return shares, (HALF_GRADES if len(sizes) > 1 else WHOLE_GRADES,)


def _refuse_places(
    found: list[Any], codes: Ints, later: Mask, named: Collection[str], labels: Collection[str], column: str
) -> None:
    """Refuse words for sides that may mean a system or a place, if these are not the same in all rows.

    Judges write [[A]] for the answer that they saw first, which is that of system B if B was shown first.
    """
    for place, level in enumerate(found):
        text, bare = str(level).strip(), _bare(str(level))
        if text in named or bare in labels or (bare in MARKS and "a" in labels):
            continue
        if (WORDS.get(bare, TIE) != TIE or MARKS.get(bare, 0)) and later[codes == place].any():
            names = ", ".join(sorted(named)[:SHOWN]) if named else "a, b"
            raise InputError(
                f"{text!r} in {column} may mean system A or the answer shown first, and the two differ where B was shown first"
                if (WORDS.get(bare) == LOSS)
                else f"{text!r} in {column} may mean systems, or the places at which they were shown, and the two differ where B was first",
                argument="winner", value=text,
                remedy=f"write the winners as the systems' names ({names}), or as first and second if places are meant; and tie",
            )  # fmt: skip


def _clash(text: str, column: str, argument: str = "winner") -> InputError:
    """Return the error for a word that is the name of a system too."""
    known = "write the winners as a, b and tie, or rename the system" if argument == "winner" else "rename the system"
    return InputError(
        f"{text!r} in {column} may be a system's name or a side", argument=argument, value=text, remedy=known
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _bare(text: str) -> str:
    """Return a word without case, blanks and underscores."""
    return re.sub(r"[\s_]+", "", text).casefold()


def _ambiguous(found: Iterable[Any], column: str, why: str) -> InputError:
    values = _shown(found)
    return InputError(
        f"{column} holds {values}: {why}",
        argument="winner",
        value=values,
        remedy=f"known are {KNOWN}, and the systems' names",
    )


def _unknown(
    found: list[Any], value: Any, words: Mapping[Any, float], named: set[str], column: str, given: Mapping[str, Any]
) -> InputError:
    """Return the error for a winner that is neither system; the system's name may be what is misspelt."""
    names = f"the systems {listed(sorted(named)[:SHOWN])}" if named else "the systems' names, once they are given"
    told = {name.strip(): role for role, name in given.items() if isinstance(name, str)}
    text, there = str(value).strip(), {str(one).strip() for one in found}
    if text in named:
        return InputError(
            f"{column} holds {text!r} in a battle of two others", argument="winner", value=text,
            remedy="the winner of a battle is one of the two that met, or it is a tie",
        )  # fmt: skip
    close = [name for name in named if name.casefold() == text.casefold()]
    close = close or difflib.get_close_matches(text, [name for name in told if name not in there], n=1)
    if isinstance(value, str) and close:
        (name, *_), role = close, told.get(close[0])
        rename = (", or name the system ", Argument(role, text)) if role else ()
        case = "; the two differ only in case" if name.casefold() == text.casefold() else ""
        none = f", and no winner is called {name!r}" if name not in there and role else f", and a system is {name!r}"
        return InputError(
            f"{column} holds {value!r}{none}{case}", argument=role or "winner", value=name if role else value,
            remedy=Message(f"if they are the same, write {name!r} in {column}", *rename),
        )  # fmt: skip
    meant = did_you_mean(value, [*named, *map(str, words)]) if isinstance(value, str) else ""
    problem = f"{column} has a winner that is neither system: {value!r}{meant}; it holds {_shown(found)}"
    return InputError(problem, argument="winner", value=value, remedy=f"known are {KNOWN}, and {names}")


def _shown(found: Iterable[Any]) -> str:
    values = [repr(value) if isinstance(value, str) else str(value) for value in found]
    return ", ".join(values[:SHOWN]) + (", ..." if len(values) > SHOWN else "")
