"""Guesses: which column plays which role, from its name and contents. The user has the last word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from referee.data.roles import OPTIONS, Use

LABELS = 50
"""A column with more distinct values than this holds no labels."""
MANY = 10
"""In so many rows or more, answers repeat, unless they are numbers."""
WORDY = 3
"""Texts of at least so many words are to be read by people."""
NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*")
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

    @cached_property
    def present(self) -> list[str]:
        """The values that are there."""
        return [value for value in self.values if value]

    @cached_property
    def distinct(self) -> list[str]:
        """The distinct values, in the order in which they come."""
        return list(dict.fromkeys(self.present))

    @cached_property
    def held(self) -> frozenset[str]:
        """The distinct values, in no order."""
        return frozenset(self.distinct)

    @cached_property
    def unique(self) -> bool:
        """Whether no value repeats, and none is missing."""
        return len(self.values) == len(self.distinct) > 0

    @cached_property
    def numeric(self) -> bool:
        """Whether all values are numbers."""
        return bool(self.present) and all(NUMBER.fullmatch(value) for value in self.present)

    @cached_property
    def decimal(self) -> bool:
        """Whether all values are numbers, and some have a point or an exponent."""
        return self.numeric and any("." in value or "e" in value.lower() for value in self.present)

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """The smallest and the largest of numbers."""
        numbers = [float(value) for value in self.distinct]
        return min(numbers), max(numbers)

    @cached_property
    def labels(self) -> bool:
        """Whether few values come again and again, however long they are; of few rows nobody can tell."""
        few = 0 < len(self.distinct) <= LABELS and not self.decimal
        return few and (len(self.distinct) < len(self.present) or len(self.values) < MANY)

    @cached_property
    def prose(self) -> bool:
        """Whether the values are sentences, which seldom repeat; some scripts put no blanks between words."""
        sentences = sum(
            len(value.split()) >= WORDY or sum(sign > "\u2e80" for sign in value) >= WORDY for value in self.present
        )
        return not self.numeric and 2 * sentences > len(self.present) and 2 * len(self.distinct) > len(self.present)

    @cached_property
    def known_as(self) -> str:
        """The name in small words: "Doc_ID" and "docId" are "doc id"."""
        split = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])", " ", self.name)
        return " ".join(re.findall(r"[^\W_]+", split.lower()))


CAN_BE: Mapping[Use, Callable[[Column], bool]] = {
    "truth": lambda column: bool(column.present),
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
    roles = _by_name(columns, ("id", "side", "shown"))
    free = [column for column in columns if column.name not in roles.values() and column.present]
    truth, pair = _truth_and_pair(free)
    taken = {
        **({"truth": truth.name} if truth else {}),
        **roles,
        **{role: one.name for role, one in zip("ab", pair, strict=False)},
    }
    known = {word for words in WORDS.values() for word in words}
    left = [column for column in columns if column.name not in taken.values() and column.known_as not in known]
    unique = [column for column in left if column.unique and len(column.values) >= MANY and not column.decimal]
    for role, fitting in (
        ("id", [one for one in unique if not one.prose]),
        ("text", [one for one in left if one.prose]),
    ):
        if pair and role not in taken and (found := _only(fitting)) is not None:
            taken[role] = found.name
    return taken


def two_tables(left: Sequence[Column], right: Sequence[Column]) -> dict[str, str]:
    """Guess the roles in two tables, one a system, that name their columns alike.

    >>> rows = [Column("id", ["q1", "q2"]), Column("gold", ["a", "b"]), Column("answer", ["a", "c"])]
    >>> two_tables(rows, rows)
    {'id': 'id', 'truth': 'gold', 'prediction': 'answer'}
    """
    others = {column.name: column for column in right}
    shared = [column for column in left if column.name in others]
    unique = [column for column in shared if column.unique and others[column.name].unique and not column.decimal]
    ids = _named(unique, "id") or next((column for column in unique if not column.prose), None) or _only(unique)
    free = [column for column in shared if column is not ids]
    agree = _agree(free, ids, others)
    # The truth is the same in both; a prediction that is the same everywhere would be no comparison.
    may_differ = [column for column in free if agree[column.name] is not True]
    differ = [column for column in free if agree[column.name] is False]
    same = [column for column in free if agree[column.name] is True]
    answers_of = [column for column in differ if any(column.labels and alike(column, other) for other in same)]
    prediction = _named(may_differ, "prediction") or _only(differ) or _only(answers_of)
    rest = [column for column in left if column is not ids and column is not prediction and column not in differ]
    roles = _by_name(rest, ("truth", "side", "shown"))
    texts = [column for column in rest if column.name == roles.get("truth")]
    if texts and prediction is not None and not _can_answer(texts[0], prediction):
        del roles["truth"]
    if "truth" not in roles and prediction is not None:
        twins = [one for one in same if one.name not in roles.values() and not one.numeric and alike(one, prediction)]
        if (twin := _only(twins)) is not None:
            roles["truth"] = twin.name
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
    same = [column for column in free if truth is not None and _same_labels(truth, column)]
    numbers = [column for column in free if column.numeric]
    own = families(numbers)
    numbers = own[0] if len(own) == 1 else numbers  # a length or a time beside scores is no score
    own = families([column for column in free if column.labels and not column.numeric])
    labelled = own[0] if len(own) == 1 else free  # nor is it one beside labels
    return [column.name for column in (same if len(same) > 1 else numbers if len(numbers) > 1 else labelled)]


def alike(one: Column, other: Column) -> bool:
    """Say whether the values of two columns come from one set: the same labels, or numbers of one range.

    >>> alike(Column("x", ["0", "1"]), Column("y", ["1", "0"])), alike(Column("x", ["0", "1"]), Column("length", ["0", "30"]))
    (True, False)
    """
    own, theirs = one.held, other.held
    if not own or not theirs or one.numeric != other.numeric:
        return False
    if not one.numeric:
        # Of labels most are known to both; of free texts, at least some.
        return len(own & theirs) * (2 if one.labels and other.labels else 10) >= min(len(own), len(theirs))
    if 1 in (len(own), len(theirs)):
        return bool(own & theirs) and max(len(own), len(theirs)) <= MANY
    (low, high), (least, most) = one.bounds, other.bounds
    return 2 * (min(high, most) - max(low, least)) >= max(high, most) - min(low, least)


def families(columns: Sequence[Column]) -> list[list[Column]]:
    """Return the columns whose values come from one set, where there are two or more of them, in their order."""
    found: list[list[Column]] = []
    for column in columns:
        own = [family for family in found if any(alike(column, one) for one in family)]
        joined = [*(one for family in own for one in family), column]
        found = [*(family for family in found if family not in own), joined]
    return [family for family in found if len(family) > 1]


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


def _truth_and_pair(columns: Sequence[Column]) -> tuple[Column | None, Sequence[Column]]:
    """Find the right answers and the two systems; none where others could be meant."""
    truths = [column for word in WORDS["truth"] for column in columns if column.known_as == word]
    for truth in truths:
        if pair := _pair([column for column in columns if column is not truth], truth):
            return truth, pair
    others = [column for column in columns if column not in truths]
    for truth in truths:
        if sum(alike(truth, column) for column in others) > 1:  # one of more systems than two
            return truth, ()
    if not truths and (found := _versions(others)):
        return found[0], found[1:]
    pair = _pair(others, None)
    if not pair:
        return next(iter(truths), None), ()
    same = [
        one
        for one in others
        if one.labels and not one.numeric and one not in pair and all(alike(one, own) for own in pair)
    ]
    return (None if truths else _only(same)), pair


def _pair(columns: Sequence[Column], truth: Column | None) -> Sequence[Column]:
    """Find two systems whose names are the same but for a pair of words, or else the only two whose values are alike."""
    able = set(answers(columns))
    fitting = [column for column in columns if truth is None or _can_answer(truth, column)]
    named = _named_pairs(fitting)
    exact = [pair for pair in named if truth is not None and all(_same_labels(truth, one) for one in pair)]
    if len(named) == 1 or len(exact) == 1:
        pair = exact[0] if exact else named[0]
        return () if any(_is_third(column, pair, truth) for column in columns) else pair
    fitting = [column for column in fitting if column.name in able]
    same = [column for column in fitting if truth is not None and not truth.decimal and alike(truth, column)]
    if named or same:
        return same if len(same) == 2 and not named else ()
    own = families([column for column in fitting if column.numeric])
    return own[0] if len(own) == 1 and len(own[0]) == 2 else ()


def _versions(columns: Sequence[Column]) -> Sequence[Column]:
    """Find the right answers and two versions of a system: three columns of the same labels, two named alike but for their numbers."""
    for family in (
        own for own in families([one for one in columns if one.labels and not one.numeric]) if len(own) == 3
    ):
        numbered = sorted(family, key=lambda one: list(map(int, re.findall("[0-9]+", one.known_as))))
        called = [re.sub("[0-9]+", "#", one.known_as) for one in numbered]
        pair = [one for one, name in zip(numbered, called, strict=True) if called.count(name) == 2]
        if pair:
            return (next(one for one in family if one not in pair), *pair)
    return ()


def _named_pairs(columns: Sequence[Column]) -> list[tuple[Column, Column]]:
    """Find the pairs of columns, the older system first, whose names are the same but for a pair of words."""
    called: dict[str, list[Column]] = {}
    for column in columns:
        called.setdefault(column.known_as, []).append(column)
    found: dict[frozenset[str], tuple[Column, Column]] = {}
    for first, second in PAIRS:
        for old in columns:
            words = old.known_as.split()
            if first not in words:
                continue
            for new in called.get(" ".join(second if word == first else word for word in words), []):
                if old.numeric == new.numeric:
                    found.setdefault(frozenset((old.name, new.name)), (old, new))
    return list(found.values())


def _is_third(column: Column, pair: Sequence[Column], truth: Column | None) -> bool:
    """Say whether a column is one more system: of the values of two, and called so but for the word that tells those apart."""
    words, (one, other) = column.known_as.split(), (system.known_as.split() for system in pair)
    if column in pair or len(words) != len(one) or not all(alike(column, system) for system in pair):
        return False
    alone = len(words) == 1 and truth is None and not column.numeric  # it may be the truth
    return not alone and all(
        own == first or first != second for own, first, second in zip(words, one, other, strict=True)
    )


def _can_answer(truth: Column, column: Column) -> bool:
    """Say whether what is in a column can be answers where the truth is what it is: its labels, scores of them, or texts."""
    if column.numeric and truth.numeric:
        return alike(truth, column) or column.decimal or not truth.labels
    if column.numeric:
        return column.decimal and len(truth.distinct) == 2
    return not truth.numeric and (alike(truth, column) or not (truth.labels or column.labels))


def _same_labels(truth: Column, column: Column) -> bool:
    own, theirs = truth.held, column.held
    return bool(theirs) and len(own) <= LABELS and 2 * len(own & theirs) >= len(theirs)


def _agree(free: Sequence[Column], ids: Column | None, others: Mapping[str, Column]) -> dict[str, bool | None]:
    """Say of columns whether both tables have the same values wherever both have an id; None where nothing tells.

    Of tables without ids, a column that is the same in all rows tells that the rows are of the same examples.
    """
    if ids is None:
        same = {one.name for one in free if list(one.values) == list(others[one.name].values)}
        telling = any(len(one.distinct) > 1 for one in free if one.name in same)
        return {one.name: one.name in same if telling else None for one in free}
    places = {key: place for place, key in enumerate(others[ids.name].values)}
    both = [(here, places[key]) for here, key in enumerate(ids.values) if key in places]
    return {
        one.name: all(one.values[here] == others[one.name].values[there] for here, there in both) if both else None
        for one in free
    }


def _numbering(column: Column) -> bool:
    """Say whether each row has a value of its own that says nothing else: the next number, or a name."""
    if len(column.values) < MANY or not column.unique or column.decimal:
        return False
    numbers = [int(value) for value in column.present] if column.numeric else []
    return not numbers or max(numbers) - min(numbers) == len(numbers) - 1
