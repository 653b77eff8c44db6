"""Values of any kind in a few characters, without control characters. Imports nothing heavy: every format needs it."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

TEXT, LABEL = 300, 80
"""How many characters are shown of what an example is about, and of an answer or an id."""
LONG = 20_000
"""How many characters of a text are looked at."""
JOINERS = "\u200c\u200d"
"""Format characters that belong to words and to emoji, and change nothing around them."""


EXAMPLE = "example"
"""What a row is called that nothing calls otherwise."""


def plural(noun: str) -> str:
    """Return the plural of a regular noun.

    >>> plural("query"), plural("example"), plural("match"), plural("essay")
    ('queries', 'examples', 'matches', 'essays')
    """
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "z", "ch", "sh")) else f"{noun}s"


def short_text(value: Any) -> str:
    r"""Return what an example is about: in one line, without what steers a screen, cut where it is long.

    >>> short_text("Which city\n is \u202ethe capital?\0"), short_text([{"role": "user", "content": "Hi"}])
    ('Which city is the capital?', 'Hi')
    """
    text = " ".join(said(value)[:LONG].split())
    if not text.isprintable():
        plainly = "".join(" " if unicodedata.category(sign) == "Cc" else sign for sign in text if not _steers(sign))
        # Halves of characters, which nothing can write, are replaced.
        text = " ".join(re.sub("[\ud800-\udfff]", "\ufffd", plainly).split())
    return _cut(text, TEXT)


def excerpt(value: Any) -> str:
    """Return how a text begins, as it is: for the many of a log, of which few will be shown."""
    text = said(value)
    return text if len(text) <= TEXT else text[:TEXT] + "…"


def right_answer(value: Any) -> str | None:
    """Return how a right answer of a log begins, or several; None where there is none.

    >>> right_answer(["no", "not at all"]), right_answer(0), right_answer([])
    ('no / not at all', '0', None)
    """
    if value is None or value in ("", []):
        return None
    several = isinstance(value, list) and all(isinstance(one, str) for one in value)
    return excerpt(" / ".join(value) if several else value)


def short_label(value: Any) -> str:
    r"""Return an answer or an id so that two that differ look different: blanks are quoted, hidden signs are spelt.

    >>> short_label("spam"), short_label(" spam"), short_label("a\nb"), short_label(0.1 + 0.2), short_label(["x", None, 3])
    ('spam', '" spam"', 'a\\nb', '0.3', 'x, 3')
    """
    if isinstance(value, list | tuple):
        return _cut(", ".join(short_label(part) for part in value if part is not None), LABEL)
    if isinstance(value, float):
        return f"{value:.6g}"
    text = said(value)[: LABEL + 1]
    hidden = {sign for sign in text if unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") or _steers(sign)}
    spelt = "".join(sign.encode("unicode_escape").decode() if sign in hidden else sign for sign in text)
    blank = text != text.strip() or not text
    return _cut(f'"{spelt}"' if blank else spelt, LABEL)


def said(value: Any) -> str:
    """Return a value as a text; of a conversation, what was asked last.

    >>> said([{"role": "system", "content": "Be brief."}, {"role": "user", "content": [{"type": "text", "text": "Hi"}]}])
    'Hi'
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, Sequence) and value and all(isinstance(part, Mapping) for part in value):
        return _conversation(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping | list | tuple):
        try:
            return json.dumps(value, ensure_ascii=False, default=str)
        except (RecursionError, ValueError, TypeError):
            return type(value).__name__
    return str(value)


def _conversation(messages: Sequence[Mapping[str, Any]]) -> str:
    last = ([message for message in messages if message.get("role") == "user"] or messages)[-1]
    content = last.get("content", last.get("text"))
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        content = " ".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else json.dumps(dict(last), ensure_ascii=False, default=str)


def _steers(sign: str) -> bool:
    """Say whether a character is not seen, but changes how others are: the marks that turn the direction, for one."""
    return unicodedata.category(sign) == "Cf" and sign not in JOINERS


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def listed(parts: Sequence[str], most: int = 5) -> str:
    """Join the parts of a list, of a long one the first.

    >>> listed(["1 of old", "2 of new"]), listed(list("abcdefg"))
    ('1 of old and 2 of new', 'a, b, c, d, e and 2 more')
    """
    shown = [*parts[:most], *([f"{len(parts) - most} more"] if len(parts) > most else [])]
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]
