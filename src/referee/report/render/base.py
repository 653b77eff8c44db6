"""The output formats by name; the command line and the results offer those that are here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Render = Callable[..., str]
"""Takes a document, and options of its own that all have defaults."""
R = TypeVar("R", bound=Callable[..., Any])
FORMATS: dict[str, Render] = {}


def output_format(name: str) -> Callable[[R], R]:
    """Offer a function that renders a document under a name."""

    def offer(render: R) -> R:
        FORMATS[name] = render
        return render

    return offer
