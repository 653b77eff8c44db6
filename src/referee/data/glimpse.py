"""A glimpse of data, as Python and notebooks show them: what was read, the systems, how many rows, and the first of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.errors import RefereeError
from referee.runtime.safe_text import escaped, replaced

if TYPE_CHECKING:
    from referee.data.counts import Counts
    from referee.data.outcomes import Outcomes

FIRST = 5
"""So many rows are shown."""
LONG, LONGER = 40, 160
"""So many signs of a value are shown, and of a fact."""
IN_MEMORY = ("pandas", "polars", "pyarrow")
"""The packages whose tables have a length that costs nothing; to others, asking for it is work."""
LOOK = "text-align:left;vertical-align:top;padding:.2rem 1rem .2rem 0"
Facts = list[tuple[str, str]]


@dataclass(frozen=True)
class Glimpse:
    """What is to be seen of data at once."""

    facts: Facts
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()


class Glimpsed:
    """Data that show a glimpse of themselves instead of all they hold."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # A dataclass writes its own, with every value, unless the class has one.
        cls.__repr__ = Glimpsed.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        try:
            told = [f"{name}: {text}" for name, text in glimpse(self).facts]
        except Exception:  # a debugger also shows what is half made
            return object.__repr__(self)
        return escaped(f"<{type(self).__name__}: {'; '.join(told[:2])}\n {'; '.join(told[2:])}>")

    def _repr_html_(self) -> str:
        """Show the facts and the first rows; letters and colours are those of the page around them."""
        seen = glimpse(self)
        facts = [_row([name, text], "th") for name, text in seen.facts]
        rows = [_row(row) for row in seen.rows]
        body = f"<table><tbody>{''.join(facts)}</tbody></table>"
        if rows:
            head = f"<thead>{_row(seen.head, *['th'] * len(seen.head))}</thead>"
            body += f"<p>The first rows:</p><table>{head}<tbody>{''.join(rows)}</tbody></table>"
        return replaced(f"<div><p><strong>{type(self).__name__}</strong></p>{body}</div>")


def _row(cells: Sequence[str], *tags: str) -> str:
    kinds = (*tags, *["td"] * (len(cells) - len(tags)))
    pairs = zip(kinds, cells, strict=True)
    return "<tr>" + "".join(f'<{kind} style="{LOOK}">{escape(cell)}</{kind}>' for kind, cell in pairs) + "</tr>"


def glimpse(data: Any) -> Glimpse:
    """Look at data, without counting them.

    Args:
        data: Outcomes, Samples or Counts.
    """
    from referee.data.counts import Counts
    from referee.data.outcomes import Outcomes

    if isinstance(data, Counts):
        return _of_counts(data)
    if isinstance(data, Outcomes):
        return _of_outcomes(data)
    first, second = glimpse(data.first), glimpse(data.second)
    told = [(f"{side}, {name}", text) for side, one in (("A", first), ("B", second)) for name, text in one.facts]
    return Glimpse(told, first.head, first.rows)


def _of_counts(counts: Counts) -> Glimpse:
    systems = " and ".join(dict.fromkeys(counts.name(role) for role in counts.systems))
    facts = [("systems", systems), ("n", f"{counts.n:,} in {len(counts):,} distinct outcomes")]
    facts.append(("columns", ", ".join(counts.columns)))
    facts += [("positive", short(counts.positive))] if counts.positive is not None else []
    head = [*counts.columns, "times"]
    return Glimpse(_fitted(facts), head, _first([*counts.columns.values(), counts.multiplicities]))


def _of_outcomes(outcomes: Outcomes) -> Glimpse:
    if outcomes.counted is not None:
        return _of_counts(outcomes.counted)
    from referee.data.engines.base import Joined

    source = outcomes.source
    systems = " and ".join(dict.fromkeys(outcomes.names.values()))
    facts: Facts = [("systems", systems)]
    if isinstance(source, Joined):
        sizes = {side.name: _length(side.source) for side in source.sides}
        facts += [("rows", ", ".join(f"{size:,} of {name}" for name, size in sizes.items() if size is not None))]
        facts += [("read from", ", ".join(str(path) for path in source.files))]
        side = source.left
        table: Any = side.source if isinstance(side.source, Mapping) else (side.source[0] if side.source else None)
        roles: Mapping[str, str] = side.columns
    else:
        size = _length(source)
        facts += [("rows", f"{size:,}")] if size is not None else []
        is_path = isinstance(source, str | os.PathLike)
        facts += [("read from", os.fspath(source) if is_path else type(source).__name__)]
        table, roles = source, outcomes.roles
    facts += [("columns", ", ".join(name if name == role else f"{role} is {name}" for role, name in roles.items()))]
    facts += [("positive", short(outcomes.positive))] if outcomes.positive is not None else []
    facts += [("remarks", "; ".join(outcomes.remarks))]
    names = list(dict.fromkeys(roles.values()))
    return Glimpse(_fitted(facts), names, _first_of(table, names))


def _fitted(facts: Facts) -> Facts:
    return [(name, short(text, LONGER)) for name, text in facts if text]


def _length(source: Any) -> int | None:
    """Return how many rows there are, if that is known without reading."""
    if isinstance(source, Mapping):
        return max(map(len, source.values()), default=0)
    in_memory = type(source).__module__.partition(".")[0] in IN_MEMORY
    return len(source) if in_memory and hasattr(source, "__len__") else None


def _first_of(table: Any, names: Sequence[str]) -> list[list[str]]:
    """Return the first rows of a table; none if that would be work, or goes wrong: whoever counts will say what is wrong."""
    try:
        if isinstance(table, str | os.PathLike):
            from referee.data.engines.tables import first_rows

            beginnings = first_rows(Path(table))
            return _first([beginnings[name] for name in names])
        if isinstance(table, Mapping) or _length(table) is not None:
            return _first([table[name] for name in names])
    except (RefereeError, LookupError, TypeError, ValueError, OSError):
        pass
    return []


def _first(columns: Sequence[Any]) -> list[list[str]]:
    beginnings = [[short(value) for value in list(column[:FIRST])] for column in columns]
    return [list(row) for row in zip(*beginnings, strict=True)]


def short(value: Any, longest: int = LONG) -> str:
    r"""Write the beginning of a value on one line.

    >>> short("one\ntwo"), short(0.25), short("x" * 50, 6)
    ('one two', '0.25', 'xxxxx…')
    """
    text = " ".join(str(value).split())
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
