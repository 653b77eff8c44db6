"""What the units of the data are called: sentences are written about examples, and a result of queries speaks of queries.

The one place where that happens is where a result becomes a document, or a figure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any, TypeVar

from referee.report.document import Formula, Name, Spelled, Table
from referee.results.settings import EXAMPLE
from referee.results.settings import plural as plural

P = TypeVar("P")
Say = Callable[[str], str]
KEPT = ("key", "kind", "tone", "tones", "side", "shape", "announced", "signatures", "content", "chart", "word", "group")
"""The parts of a document, by the names of their fields, that are not sentences."""
WORD = r"(?<![\w=`./-])(?<!for )(?:(?P<article>[Aa])n )?(?P<noun>[Ee]xample)(?P<many>s?)(?![\w=-])"


def speaker(noun: str, names: Iterable[str] = ()) -> Say:
    """Return what puts another noun into sentences about examples.

    Args:
        noun: what one unit is called.
        names: what systems and tasks are called; they stay as they are.

    >>> say = speaker("query", ["example one"])
    >>> say("An example of 50 examples, for example; example one has no-examples")
    'A query of 50 queries, for example; example one has no-examples'
    """
    apart = [re.escape(name) for name in sorted(names, key=len, reverse=True) if EXAMPLE in name.lower()]
    pattern = re.compile("|".join([*apart, WORD]))

    def put(found: re.Match[str]) -> str:
        if found["noun"] is None:
            return found[0]
        word = plural(noun) if found["many"] else noun
        word = word.capitalize() if found["noun"][0] == "E" else word
        article = found["article"] or ""
        return f"{article}{'n' if article and noun[0] in 'aeio' else ''}{' ' if article else ''}{word}"

    return lambda text: pattern.sub(put, text)


def renamed(part: P, say: Say) -> P:
    """Return a part of a document whose sentences speak of other units; names, formulas and what others wrote are kept."""
    if isinstance(part, Table):
        columns = [replace(one, name=say(one.name), short=one.short and say(one.short)) for one in part.columns]
        return replace(part, columns=columns, title=say(part.title), note=say(part.note))
    if isinstance(part, str):
        return part if isinstance(part, Formula | Name | Spelled) else say(part)  # type: ignore[return-value]
    if isinstance(part, list | tuple) and not hasattr(part, "_fields"):
        return type(part)(renamed(one, say) for one in part)
    if getattr(part, "title", "").startswith("References"):
        return part  # the titles of others' works
    if is_dataclass(part) and not isinstance(part, type):
        own = {one.name: getattr(part, one.name) for one in fields(part) if one.name not in KEPT}
        return replace(part, **{name: renamed(value, say) for name, value in own.items()})
    if callable(part) and not isinstance(part, type | Enum):
        made: Any = part
        return lambda *given: renamed(made(*given), say)  # type: ignore[return-value]
    return part


def names_in(result: Any) -> Sequence[str]:
    """Return what the systems and tasks of a result are called, and its scores."""
    parts = [*result] if hasattr(result, "__iter__") else [result]
    found: list[Any] = []
    for one in parts:
        found += [getattr(one, "name", None), getattr(one, "task", None), getattr(one, "slice", None), one.metric]
        found += [getattr(system, "name", None) for system in (getattr(one, "a", None), getattr(one, "b", None))]
        found += [system.name for system in getattr(one, "systems", ())]
        settings = getattr(one, "settings", None)
        found += [settings.slice, *settings.about.values()] if settings else []
    return [name for name in found if isinstance(name, str)]


def in_its_words(part: P, result: Any) -> P:
    """Return a part of the document of a result, whose sentences call the units of the data what they are."""
    return part if result.noun == EXAMPLE else renamed(part, speaker(result.noun, names_in(result)))
