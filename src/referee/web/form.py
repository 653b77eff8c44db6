"""Form: the fields of the page, and how messages spell them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from referee.data.roles import every_option
from referee.errors import Argument, Message, spelled

OPTIONS = every_option()
FIELDS: Mapping[str, str] = {
    **{name: option.label for name, option in OPTIONS.items() if option.label is not None},
    "metric": "Metric",
    "average": "average",
    "threshold": "Threshold",
    "alpha": "Accepted false alarms",
    "question": "Question",
    "margin": "Margin",
    "systems": "Systems",
    "baseline": "Baseline",
    "lower_is_better": "Better scores are",
    "sizes": "Examples per test set",
    "name_a": "Name of A",
    "name_b": "Name of B",
}
"""What the page calls the arguments of `referee.compare`, `referee.rank`, `referee.audit` and `referee.read`."""
QUESTIONS: Mapping[str, str] = {
    "better": "Is B better than A?",
    "no-worse": "Is B no worse than A?",
    "equal": "Are A and B practically equal?",
}
"""What the page calls the questions."""
DIRECTIONS: Mapping[str, str] = {"": "as the metric says", "true": "lower", "false": "higher"}
"""What the page calls the ways in which scores are better."""
VERBS: Mapping[str, Mapping[str, str]] = {
    "compare": {"label": "Compare two systems", "hint": "Is B better than A, and by how much?"},
    "rank": {"label": "Rank several systems", "hint": "Which is best, and which ranks do the data support?"},
    "audit": {"label": "Measure error rates", "hint": "How often do tests err on data like these?"},
}
"""What the page can do."""


def in_page(message: str, files: int = 1) -> str:
    """Return a message with its arguments spelt as fields of the page.

    Args:
        message: any text; only a `Message` knows its arguments.
        files: how many files are compared.

    >>> in_page(Message("give ", Argument("positive"), ", or ", Argument("missing", "drop")))
    'give “Positive label”, or “Missing answers”: “leave them out”'
    """
    return spelled(message, partial(field, files=files))


def field(argument: Argument, files: int = 1) -> str:
    """Return an argument as the field of the page; one that the page does not have, as the option of the command line.

    >>> field(Argument("question", "no-worse")), field(Argument("by_line", True)), field(Argument("a"), files=2)
    ('“Is B no worse than A?”', '“Example id”: none', '“Name of A”')
    >>> field(Argument("lower_is_better", True)), field(Argument("universe"))
    ('“Better scores are”: “lower”', '--universe on the command line')
    """
    name, value = argument.name, argument.value
    if name == "by_line":
        return f"“{FIELDS['id']}”: none"
    if value in QUESTIONS:
        return f"“{QUESTIONS[str(value)]}”"
    if name in ("a", "b") and files == 2:  # each file is a system: which of those in it is said by the name
        name = f"name_{name}"
    if name == "lower_is_better" and isinstance(value, bool):
        value = DIRECTIONS[str(value).lower()]
    if name in FIELDS:
        known = OPTIONS[name].values.get(str(value)) if name in OPTIONS else None
        return f"“{FIELDS[name]}”" + ("" if value is None else f": “{known.words if known else value}”")
    return " ".join(filter(None, (f"--{name.replace('_', '-')}", str(value or ""), "on the command line")))


def to_parts(message: str) -> list[Any]:
    """Return the parts of a message as JSON can have them, for another process.

    >>> to_parts(Message("give ", Argument("positive")))
    ['give ', {'name': 'positive', 'value': None, 'bare': False, 'option': None}]
    """
    return [vars(part) if isinstance(part, Argument) else part for part in Message(message).parts]


def from_parts(parts: Sequence[Any]) -> Message:
    """Return the message that `to_parts` took apart."""
    return Message(*(part if isinstance(part, str) else Argument(**part) for part in parts))
