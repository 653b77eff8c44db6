"""JSON: the result as its contract has it, not the words about it."""

from __future__ import annotations

import json

from referee.report.document import Document
from referee.report.render.base import output_format


@output_format("json")
def render(document: Document) -> str:
    """Write the JSON text of a result."""
    return json.dumps(document.content(), ensure_ascii=False, indent=1, allow_nan=False)
