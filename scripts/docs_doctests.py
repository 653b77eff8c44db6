"""Shows the doctests of docstrings as code: they stand in plain text, where Markdown takes `>>>` for quotations."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

SESSION = re.compile(r"^(?P<indent>[ ]*)>>> .*(?:\n(?P=indent)\S.*)*", re.M)


class Doctests(Extension):
    """Puts a fence around each session of a docstring."""

    def on_instance(self, *, obj: Object, **_: Any) -> None:
        """Rewrite the docstring of whatever has one."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(docstring: str) -> str:
    """Return a docstring with its sessions fenced, unless it has fences of its own."""
    if "```" in docstring:
        return docstring
    return SESSION.sub(lambda found: f"{found['indent']}```python\n{found[0]}\n{found['indent']}```", docstring)
