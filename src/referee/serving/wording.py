"""Messages speak of arguments and of files on disk; on the page these are fields, and files that the user named."""

from __future__ import annotations

import re
from collections.abc import Mapping

FIELDS: Mapping[str, str] = {
    "truth": "Right answers",
    "a": "System A",
    "b": "System B",
    "id": "Example id",
    "prediction": "Predictions or scores",
    "group": "Group",
    "text": "Text of the examples",
    "by": "Compare within each",
    "metric": "Metric",
    "average": "average",
    "positive": "Positive label",
    "threshold": "Threshold",
    "alpha": "Accepted false alarms",
    "margin": "Margin",
    "missing": "Missing answers",
    "repeats": "Repeated ids",
    "unmatched": "Unpaired examples",
    "score": "Score",
    "filter": "Filter",
    "scorer": "Scorer",
    "unit": "Unit",
}
"""What the page calls the arguments of `referee.compare` and `referee.read`."""
SETTINGS: Mapping[str, str] = {
    "drop": "leave them out",
    "wrong": "count them as wrong",
    "mean": "average them",
    "group": "keep them together as a group",
    "error": "stop and tell me",
}
"""What the page calls the policies."""
ELSEWHERE = ("stratum", "system", "universe", "multiplicity", "null", "sizes", "design")
"""Arguments that the page does not have."""


def in_page(message: str, files: Mapping[str, str] | None = None) -> str:
    """Turn a message into the words of the page.

    Args:
        message: what an error says.
        files: what the user calls files, by their paths without extensions.

    >>> in_page("give positive=, or missing='drop'; or --score")
    'give “Positive label”, or “Missing answers”: leave them out; or “Score”'
    >>> in_page("cannot read /tmp/x/f3.csv: no header; f3 is empty", {"/tmp/x/f3": "mine.tab"})
    'cannot read mine.tab: no header; mine is empty'
    """
    for path, name in (files or {}).items():
        folder, _, stem = path.rpartition("/")
        written = name.replace("\\", r"\\")  # as re.sub takes it
        message = re.sub(rf"(?:{re.escape(folder)}/)?{stem}(?:\.[a-z]+)+|{re.escape(path)}", written, message)
        message = message.replace(stem, name.split(".")[0] or name)

    def field(found: re.Match[str]) -> str:
        name = (found["option"] or found["argument"]).replace("-", "_")
        value = found["value"]
        if name in FIELDS:
            return f"“{FIELDS[name]}”" + (f": {SETTINGS.get(value, value)}" if value else "")
        spelt = f"--{name.replace('_', '-')}" + (f" {value}" if value else "")
        return f"{spelt} on the command line"

    names = "|".join((*FIELDS, *ELSEWHERE))
    said = re.sub(r"by_line=True|--by-line", f"“{FIELDS['id']}”: none", message)
    return re.sub(
        rf"(?<![\w:,-])(?:--(?P<option>{names})\b|(?P<argument>{names})=(?=['\s,;).]|$))(?:'(?P<value>[^']*)')?",
        field,
        said,
    )
