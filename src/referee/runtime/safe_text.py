r"""Characters that names in the data may contain but that must not reach a terminal, page, chart or XML file.

These are control characters, marks that turn the reading direction, halves of characters (surrogates), and code points that are
no characters (U+FFFE, U+FFFF): a terminal obeys the first, and a parser of XML ends at the last.
"""

from __future__ import annotations

import json
import re
from typing import Any

_NO_CHARACTERS = "".join(f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(17))
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef"
    f"{_NO_CHARACTERS}]"
)
"""All of them; tabs and line ends are none."""


def replaced(text: str) -> str:
    r"""Return a text to be drawn or read, with a question mark for each unsafe sign.

    >>> replaced("old\x1b[31m\n\uffff")
    'old?[31m\n?'
    """
    return UNSAFE.sub("?", text)


def replaced_in(value: Any) -> Any:
    r"""Return lists and objects, as JSON has them, with `replaced` texts.

    >>> replaced_in({"rows": [{"text": "new\ufffe", "x": 1}]})
    {'rows': [{'text': 'new?', 'x': 1}]}
    """
    if isinstance(value, str):
        return replaced(value)
    if isinstance(value, dict):
        return {replaced_in(key): replaced_in(one) for key, one in value.items()}
    return [replaced_in(one) for one in value] if isinstance(value, list | tuple) else value


def escaped(text: str) -> str:
    r"""Return a text for a terminal, with each unsafe sign spelt as JSON spells it, so that JSON stays what it says.

    >>> print(escaped("old\x1b[31m\ud800"))
    old\u001b[31m\ud800
    """
    # JSON need not spell U+007F, but then a terminal is given it.
    return UNSAFE.sub(lambda found: "\\u007f" if found[0] == "\x7f" else json.dumps(found[0])[1:-1], text)
