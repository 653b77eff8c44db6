"""Guesses: which column plays which role, by what it is called and what is in it. The user has the last word."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

LABELS = 50
"""A column with more distinct values than this holds no labels."""
MANY = 10
"""In so many rows or more, answers repeat, unless they are numbers."""
LONG = 25
"""Texts of at least so many characters, on average, are to be read by people."""
WORDS: Mapping[str, tuple[str, ...]] = {
    "truth": (
        "truth", "gold", "ground truth", "y true", "true label", "label", "labels", "target", "expected", "reference",
        "correct answer", "actual", "gt", "y", "class", "answer",
    ),
    "id": ("id", "example id", "item id", "question id", "sample id", "doc id", "uid", "uuid", "qid", "key", "index", "item"),
    "group": (
        "group", "cluster", "document", "doc", "document id", "doc id", "passage", "conversation", "session", "user",
        "user id", "speaker", "sender", "author", "patient", "subject", "topic", "scene",
    ),
    "text": ("text", "sentence", "question", "prompt", "input", "message", "content", "body", "query", "instruction"),
    "prediction": (
        "prediction", "predictions", "pred", "predicted", "y pred", "output", "response", "guess", "hypothesis", "answer",
        "score", "correct", "is correct", "accuracy", "acc", "exact match", "f1", "value", "result",
    ),
}  # fmt: skip
"""Names that say what a column is, the surest first."""
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
        return bool(self.present) and all(_number(value) for value in self.present)

    @property
    def long(self) -> bool:
        """Whether the values are texts to be read."""
        return bool(self.present) and sum(map(len, self.present)) >= LONG * len(self.present)

    @property
    def known_as(self) -> str:
        """The name in small words: "Doc_ID" and "docId" are "doc id"."""
        return _small(self.name)


def one_table(columns: Sequence[Column]) -> dict[str, str]:
    """Guess the roles in a table that has both systems; what cannot be guessed is left out.

    >>> one_table([Column("sender", ["x", "x"]), Column("label", ["spam", "ham"]),
    ...            Column("old", ["ham", "ham"]), Column("new", ["spam", "ham"])])
    {'truth': 'label', 'group': 'sender', 'a': 'old', 'b': 'new'}
    """
    found = _by_name(columns, ("truth", "id", "group", "text"))
    free = [column for column in columns if column.name not in found.values()]
    truth = next((column for column in columns if column.name == found.get("truth")), None)
    systems = _pair(free) or _alike(free, truth)
    if systems is None:
        return found
    if truth is not None and systems[0].numeric and not truth.numeric and len(truth.distinct) > LABELS:
        found.pop("truth")  # numbers beside a few labels may be scores of them; beside many texts they are scores alone
    return {**found, "a": systems[0].name, "b": systems[1].name}


def two_tables(left: Sequence[Column], right: Sequence[Column]) -> dict[str, str]:
    """Guess the roles in two tables, one a system, that name their columns alike.

    >>> rows = [Column("id", ["q1", "q2"]), Column("gold", ["a", "b"]), Column("answer", ["a", "c"])]
    >>> two_tables(rows, rows)
    {'id': 'id', 'truth': 'gold', 'prediction': 'answer'}
    """
    others = {column.name: column for column in right}
    shared = [column for column in left if column.name in others]
    met = [one for one in shared if one.unique and others[one.name].unique]
    ids = _named(met, "id") or next((one for one in met if not one.long and not _decimal(one)), None)
    found = {"id": ids.name} if ids is not None else {}
    free = [column for column in shared if column.name not in found.values()]
    agree = {one.name: _agree(ids, one, left, right) for one in free}
    # The truth is the same in both; a prediction that is the same everywhere would be no comparison.
    may_differ = [one for one in free if agree[one.name] is not True]
    differ = [one for one in free if agree[one.name] is False]
    prediction = _named(may_differ, "prediction") or (differ[0] if len(differ) == 1 else None)
    rest = [one for one in left if one.name not in found.values() and one is not prediction and one not in differ]
    roles = _by_name(rest, ("truth", "group", "text"))
    if prediction is None and not differ:
        unused = [one for one in free if one.name not in roles.values()]
        prediction = _named(unused, "prediction") or (unused[0] if len(unused) == 1 else None)
    if prediction is None and len(free) == 1 and not (agree[free[0].name] is True and "truth" in roles):
        prediction, roles = free[0], {}
    return {**found, **roles, **({"prediction": prediction.name} if prediction is not None else {})}


def answers(columns: Sequence[Column]) -> list[str]:
    """Return the columns that can be what systems answered: no ids, no row numbers, no groups, no questions.

    >>> answers([Column("id", ["7", "9"]), Column("score", ["0.5", "1"]), Column("doc", ["x", "x"])])
    ['score']
    """
    others = {_small(word) for role in ("id", "group", "text") for word in WORDS[role]}
    return [
        column.name
        for column in columns
        if column.known_as not in others
        and not re.fullmatch(r"(.+ )?(id|ids|idx|index|uuid|unnamed.*)|(row|line)( .+)?|", column.known_as)
        and not _numbering(column)
    ]


def positive(labels: Sequence[str]) -> str | None:
    """Guess which of two labels is looked for; None where nothing tells.

    >>> positive(["ham", "spam"]), positive(["cat", "dog"])
    ('spam', None)
    """
    known = {label.strip().lower(): label for label in labels}
    return next((known[word] for word in POSITIVE if word in known), None) if len(labels) == 2 else None


def _by_name(columns: Sequence[Column], roles: Sequence[str]) -> dict[str, str]:
    """Give each role the column that is called so, if what is in it allows that."""
    allowed: dict[str, Callable[[Column], bool]] = {
        "truth": lambda column: not column.long,
        "id": lambda column: column.unique,
        "group": lambda column: 1 < len(column.distinct) < len(column.present) or len(column.values) < 10,
        "text": lambda column: not column.numeric and len(column.distinct) > 2,
    }
    found: dict[str, str] = {}
    for role in roles:
        free = [column for column in columns if column.name not in found.values() and allowed[role](column)]
        named = _named(free, role)
        if named is not None:
            found[role] = named.name
    return found


def _named(columns: Sequence[Column], role: str) -> Column | None:
    return next((column for word in WORDS[role] for column in columns if column.known_as == _small(word)), None)


def _pair(columns: Sequence[Column]) -> tuple[Column, Column] | None:
    """Find two columns whose names are the same but for a pair of words, and which hold the same sort of things."""
    for first, second in PAIRS:
        for one in columns:
            words = one.known_as.split()
            if first not in words:
                continue
            wanted = [second if word == first else word for word in words]
            for other in columns:
                if other is not one and other.known_as.split() == wanted and one.numeric == other.numeric:
                    return one, other
    return None


def _alike(columns: Sequence[Column], truth: Column | None) -> tuple[Column, Column] | None:
    """Find the only two columns that can be systems: of the truth's labels, or else both of numbers."""
    if truth is not None:
        same = [column for column in columns if _same_labels(truth, column)]
        if len(same) == 2:
            return same[0], same[1]
    numbers = [column for column in columns if column.numeric]
    return (numbers[0], numbers[1]) if len(numbers) == 2 and numbers == list(columns) else None


def _same_labels(truth: Column, column: Column) -> bool:
    own, theirs = set(truth.distinct), set(column.distinct)
    return bool(theirs) and len(own) <= LABELS and 2 * len(own & theirs) >= len(theirs)


def _agree(ids: Column | None, column: Column, left: Sequence[Column], right: Sequence[Column]) -> bool | None:
    """Say whether both tables have the same value of a column wherever both have an id; None where nothing tells."""
    if ids is None:
        return None
    sides = []
    for table in (left, right):
        by_name = {one.name: one.values for one in table}
        sides.append(dict(zip(by_name[ids.name], by_name[column.name], strict=True)))
    both = sides[0].keys() & sides[1].keys()
    return all(sides[0][key] == sides[1][key] for key in both) if both else None


def _small(name: str) -> str:
    split = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])", " ", name)
    return " ".join(re.findall(r"[^\W_]+", split.lower()))


def _number(text: str) -> bool:
    return re.fullmatch(r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*", text) is not None


def _numbering(column: Column) -> bool:
    """Say whether each row has a value of its own that says nothing else: the next number, or a name."""
    if len(column.values) < MANY or not column.unique:
        return False
    if not column.numeric:
        return True
    if _decimal(column):
        return False
    numbers = [int(value) for value in column.present]
    return max(numbers) - min(numbers) == len(numbers) - 1


def _decimal(column: Column) -> bool:
    return column.numeric and any("." in value or "e" in value.lower() for value in column.present)
