"""Messages speak of arguments and of files on disk; on the page these are fields, and files that the user named."""

from __future__ import annotations

import re
from collections.abc import Mapping

from referee.data.roles import every_option

OPTIONS = every_option()
FIELDS: Mapping[str, str] = {
    **{name: option.field for name, option in OPTIONS.items() if option.field is not None},
    "metric": "Metric",
    "average": "average",
    "threshold": "Threshold",
    "alpha": "Accepted false alarms",
    "question": "Question",
    "margin": "Margin",
    "name_a": "Name of A",
    "name_b": "Name of B",
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
ASKED: Mapping[str, str] = {
    "better": "Is B better than A?",
    "no-worse": "Is B no worse than A?",
    "equal": "Are A and B practically equal?",
}
"""What the page calls the questions."""
OF_TWO: Mapping[str, str] = {"a": FIELDS["name_a"], "b": FIELDS["name_b"]}
"""Fields that are others where there are two files: which of its systems is meant is said by the name."""
ONE_EACH = (
    f"write the one that is meant into “{FIELDS['name_a']}” or “{FIELDS['name_b']}”; if one file has both that you compare, "
    f"remove the other file"
)
VERBS = "counts|leaves|averages|keeps|makes|takes"
"""How messages go on after a policy, to say what it does; on the page its name says so."""
ELSEWHERE = (*(name for name in OPTIONS if name not in FIELDS and name != "by_line"), "null", "sizes", "design")
"""Arguments that the page does not have."""


def in_page(message: str, files: Mapping[str, str] | None = None, count: int = 1) -> str:
    """Turn a message into the words of the page.

    Args:
        message: what an error says.
        files: what the user calls files, by their paths without extensions.
        count: how many files are compared.

    >>> in_page("give positive=, or missing='drop'; or --score")
    'give “Positive label”, or “Missing answers”: leave them out; or “Score”'
    >>> in_page("cannot read /tmp/x/f3.csv: no header; f3 is empty", {"/tmp/x/f3": "mine.tab"})
    'cannot read mine.tab: no header; mine is empty'
    >>> in_page("3 are missing; missing='wrong' counts them as wrong, missing='drop' leaves them out")
    '3 are missing; set “Missing answers” to “count them as wrong” or “leave them out”'
    >>> in_page("question='no-worse' needs margin=: the largest difference that does not matter")
    '“Is B no worse than A?” needs “Margin”: the largest difference that does not matter'
    """
    labels = {**FIELDS, **(OF_TWO if count == 2 else {})}
    for path, name in (files or {}).items():
        folder, _, stem = path.rpartition("/")
        written = name.replace("\\", r"\\")  # as re.sub takes it
        message = re.sub(rf"(?:{re.escape(folder)}/)?{stem}(?:\.[a-z]+)+|{re.escape(path)}", written, message)
        message = message.replace(stem, name.split(".")[0] or name)

    def field(found: re.Match[str]) -> str:
        name = (found["option"] or found["argument"]).replace("-", "_")
        value = found["value"]
        if name in labels:
            return f"“{labels[name]}”" + (f": {SETTINGS.get(value, value)}" if value else "")
        spelt = f"--{name.replace('_', '-')}" + (f" {value}" if value else "")
        return f"{spelt} on the command line"

    def setting(found: re.Match[str]) -> str:
        value = SETTINGS.get(found["value"], found["value"])
        return f"set “{labels[found['name']]}” to “{value}”"

    names = "|".join((*FIELDS, *ELSEWHERE))
    if count == 2:
        message = message.replace("name one with a= and b=", ONE_EACH)
    said = re.sub(r"by_line=True|--by-line", f"“{FIELDS['id']}”: none", message)
    said = re.sub(r"question='([\w-]+)'", lambda found: f"“{ASKED.get(found[1], found[1])}”", said)
    said = re.sub(
        rf"(?<![\w:,-])(?P<name>missing|repeats|unmatched)='(?P<value>\w+)' (?:{VERBS})\b[^,;.]*", setting, said
    )
    said = re.sub(r"(set (“[^”]*”) to “[^”]*”), set \2 to ", r"\1 or ", said)
    said = re.sub(r"^(alpha|margin|threshold|question) must\b", lambda found: f"“{labels[found[1]]}” must", said)
    said = re.sub(r"^a is (.+) and b is ", r"A is \1 and B is ", said)
    return re.sub(
        rf"(?<![\w:,-])(?:--(?P<option>{names})\b|(?P<argument>{names})=(?=['\s,;:).]|$))(?:'(?P<value>[^']*)')?",
        field,
        said,
    )
