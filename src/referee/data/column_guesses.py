"""Guesses: which column plays which role, from its name and contents. The user has the last word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations

from referee.data.roles import OPTIONS, Use

LABELS = 50
"""A column with more distinct values than this holds no labels."""
MANY = 10
"""In so many rows or more, answers repeat, unless they are numbers."""
LONG = 25
"""Texts of at least so many characters, on average, are to be read by people."""
WORDS = {role: option.guessed_by.split(", ") for role, option in OPTIONS.items() if option.guessed_by}
PAIRS = (
    ("old", "new"), ("a", "b"), ("1", "2"), ("baseline", "new"), ("baseline", "candidate"), ("baseline", "proposed"),
    ("baseline", "ours"), ("control", "treatment"), ("before", "after"), ("champion", "challenger"),
    ("previous", "current"), ("small", "large"), ("base", "tuned"), ("base", "finetuned"), ("left", "right"),
)  # fmt: skip
"""Words that tell two systems apart, the older one first."""
POSITIVE = (
    "1", "true", "yes", "y", "positive", "pos", "spam", "fraud", "toxic", "relevant", "sick", "ill", "malignant", "match",
    "duplicate", "hit", "abnormal", "attack", "bad", "present",
)  # fmt: skip
"""Labels that are usually what is looked for."""


@dataclass(frozen=True)
class Column:
    """What is known of a column: its name, and its first values as text, None where there is none."""

    name: str
    values: Sequence[str | None] = field(repr=False)

    @property
    def present(self) -> list[str]:
        """The values that are there."""
        return [value for value in self.values if value]

    @property
    def distinct(self) -> list[str]:
        """The distinct values, in the order in which they come."""
        return list(dict.fromkeys(self.present))

    @property
    def unique(self) -> bool:
        """Whether no value repeats, and none is missing."""
        return len(self.values) == len(self.distinct) > 0

    @property
    def numeric(self) -> bool:
        """Whether all values are numbers."""
        number = re.compile(r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*")
        return bool(self.present) and all(number.fullmatch(value) for value in self.present)

    @property
    def decimal(self) -> bool:
        """Whether all values are numbers, and some have a point or an exponent."""
        return self.numeric and any("." in value or "e" in value.lower() for value in self.present)

    @property
    def long(self) -> bool:
        """Whether the values are texts to be read."""
        return bool(self.present) and sum(map(len, self.present)) >= LONG * len(self.present)

    @property
    def known_as(self) -> str:
        """The name in small words: "Doc_ID" and "docId" are "doc id"."""
        split = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])", " ", self.name)
        return " ".join(re.findall(r"[^\W_]+", split.lower()))


CAN_BE: Mapping[Use, Callable[[Column], bool]] = {
    "truth": lambda column: not column.long,
    "id": lambda column: column.unique,
    "side": lambda column: 1 < len(column.distinct) < len(column.present) or len(column.values) < MANY,
    "shown": lambda column: not column.numeric and len(column.distinct) > 2,
}
"""Whether what is in a column allows a use, in the order in which uses are guessed."""


def one_table(columns: Sequence[Column]) -> dict[str, str]:
    """Guess the roles in a table that has both systems; what cannot be guessed is left out.

    >>> one_table([Column("sender", ["x", "x"]), Column("label", ["spam", "ham"]),
    ...            Column("old", ["ham", "ham"]), Column("new", ["spam", "ham"])])
    {'truth': 'label', 'group': 'sender', 'a': 'old', 'b': 'new'}
    """
    roles = _by_name(columns, CAN_BE)
    free = [column for column in columns if column.name not in roles.values()]
    truth = next((column for column in columns if column.name == roles.get("truth")), None)
    systems = _pair(free) or _alike(free, truth)
    if systems and truth is not None and systems[0].numeric and not truth.numeric and len(truth.distinct) > LABELS:
        roles.pop("truth")  # numbers beside a few labels may be scores of them; beside many texts they are scores alone
    return {**roles, **{role: column.name for role, column in zip("ab", systems, strict=False)}}


def two_tables(left: Sequence[Column], right: Sequence[Column]) -> dict[str, str]:
    """Guess the roles in two tables, one a system, that name their columns alike.

    >>> rows = [Column("id", ["q1", "q2"]), Column("gold", ["a", "b"]), Column("answer", ["a", "c"])]
    >>> two_tables(rows, rows)
    {'id': 'id', 'truth': 'gold', 'prediction': 'answer'}
    """
    others = {column.name: column for column in right}
    shared = [column for column in left if column.name in others]
    unique = [column for column in shared if column.unique and others[column.name].unique]
    ids = _named(unique, "id") or next((column for column in unique if not column.long and not column.decimal), None)
    free = [column for column in shared if column is not ids]
    agree = {column.name: _agree(ids, column, left, right) for column in free}
    # The truth is the same in both; a prediction that is the same everywhere would be no comparison.
    may_differ = [column for column in free if agree[column.name] is not True]
    differ = [column for column in free if agree[column.name] is False]
    prediction = _named(may_differ, "prediction") or _only(differ)
    rest = [column for column in left if column is not ids and column is not prediction and column not in differ]
    roles = _by_name(rest, ("truth", "side", "shown"))
    if prediction is None and not differ:
        unused = [column for column in free if column.name not in roles.values()]
        prediction = _named(unused, "prediction") or _only(unused)
    if prediction is None and len(free) == 1 and not (agree[free[0].name] is True and "truth" in roles):
        prediction, roles = free[0], {}
    guesses = {"id": ids.name if ids else None, **roles, "prediction": prediction.name if prediction else None}
    return {role: name for role, name in guesses.items() if name is not None}


def answers(columns: Sequence[Column]) -> list[str]:
    """Return the columns that can be what systems answered: no ids, no row numbers, no groups, no questions.

    >>> answers([Column("id", ["7", "9"]), Column("score", ["0.5", "1"]), Column("doc", ["x", "x"])])
    ['score']
    """
    others = {word for role in WORDS if OPTIONS[role].use in ("id", "side", "shown") for word in WORDS[role]}
    numbering = re.compile(r"(.+ )?(id|ids|idx|index|uuid|unnamed.*)|(row|line)( .+)?|")
    named = [column for column in columns if column.known_as not in others and not numbering.fullmatch(column.known_as)]
    return [column.name for column in named if not _numbering(column)]


def systems(columns: Sequence[Column], truth: Column | None = None) -> list[str]:
    """Return the columns that look like what systems answered: labels of the truth's kind, or else numbers if there are some.

    >>> truth, old = Column("label", ["spam", "ham"]), Column("old", ["ham", "ham"])
    >>> systems([old, Column("new", ["spam", "ham"]), Column("list", ["python", "rust"])], truth)
    ['old', 'new']
    >>> systems([Column("repository", ["x", "y"]), Column("m1", ["1", "0"]), Column("m2", ["0", "1"])])
    ['m1', 'm2']
    """
    able = set(answers(columns))
    free = [column for column in columns if column.name in able and column.present]
    alike = [column for column in free if truth is not None and _same_labels(truth, column)]
    numbers = [column for column in free if column.numeric]
    return [column.name for column in (alike if len(alike) > 1 else numbers if len(numbers) > 1 else free)]


def positive(labels: Sequence[str]) -> str | None:
    """Guess which of two labels is looked for; None where nothing tells.

    >>> positive(["ham", "spam"]), positive(["cat", "dog"])
    ('spam', None)
    """
    known = {label.strip().lower(): label for label in labels}
    return next((known[word] for word in POSITIVE if word in known), None) if len(labels) == 2 else None


def _by_name(columns: Sequence[Column], uses: Iterable[Use]) -> dict[str, str]:
    """Give each role of some uses the column that is called so, if what is in it allows that."""
    taken: dict[str, str] = {}
    for use, role in ((use, role) for use in uses for role in WORDS if OPTIONS[role].use == use):
        free = [column for column in columns if column.name not in taken.values() and CAN_BE[use](column)]
        if (named := _named(free, role)) is not None:
            taken[role] = named.name
    return taken


def _named(columns: Sequence[Column], role: str) -> Column | None:
    return next((column for word in WORDS[role] for column in columns if column.known_as == word), None)


def _only(columns: Sequence[Column]) -> Column | None:
    return columns[0] if len(columns) == 1 else None


def _pair(columns: Sequence[Column]) -> Sequence[Column]:
    """Find two columns whose names are the same but for a pair of words, and which hold the same sort of things."""
    for first, second in PAIRS:
        for old, new in permutations(columns, 2):
            words = old.known_as.split()
            wanted = [second if word == first else word for word in words]
            if first in words and new.known_as.split() == wanted and old.numeric == new.numeric:
                return old, new
    return ()


def _alike(columns: Sequence[Column], truth: Column | None) -> Sequence[Column]:
    """Find the only two columns that can be systems: of the truth's labels, or else both of numbers."""
    same = [column for column in columns if truth is not None and _same_labels(truth, column)]
    if len(same) == 2:
        return same
    return columns if len(columns) == 2 and all(column.numeric for column in columns) else ()


def _same_labels(truth: Column, column: Column) -> bool:
    own, theirs = set(truth.distinct), set(column.distinct)
    return bool(theirs) and len(own) <= LABELS and 2 * len(own & theirs) >= len(theirs)


def _agree(ids: Column | None, column: Column, left: Sequence[Column], right: Sequence[Column]) -> bool | None:
    """Say whether both tables have the same value of a column wherever both have an id; None where nothing tells."""
    if ids is None:
        return None
    tables = [{own.name: own.values for own in table} for table in (left, right)]
    here, there = (dict(zip(table[ids.name], table[column.name], strict=True)) for table in tables)
    both = here.keys() & there.keys()
    return all(here[key] == there[key] for key in both) if both else None


def _numbering(column: Column) -> bool:
    """Say whether each row has a value of its own that says nothing else: the next number, or a name."""
    if len(column.values) < MANY or not column.unique or column.decimal:
        return False
    numbers = [int(value) for value in column.present] if column.numeric else []
    return not numbers or max(numbers) - min(numbers) == len(numbers) - 1
