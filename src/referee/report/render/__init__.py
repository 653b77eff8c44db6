"""Renderers: any document in one form. A file here that marks its function with `output_format` is an output format.

The command line and the results offer those that are here, and JSON, which is the result as its contract has it and not the
words about it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

from referee.registry import Registry, discover
from referee.report.document import Document

R = TypeVar("R", bound=Callable[..., Any])
FORMATS = Registry[Callable[..., str]]("format")
"""What renders a document, by name; its options all have defaults."""


def output_format(name: str) -> Callable[[R], R]:
    """Offer a function that renders a document under a name."""

    def offer(render: R) -> R:
        FORMATS.add(name, render)
        return render

    return offer


@output_format("json")
def to_json(document: Document) -> str:
    """Write the JSON text of a result."""
    return json.dumps(document.content(), ensure_ascii=False, indent=1, allow_nan=False)


discover(__name__)
