"""An audit in words: how often the test that compare takes raises a false alarm, then what every test did."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from referee.report import latex as tex
from referee.report import layout as plain
from referee.report import markdown as md
from referee.report import phrases
from referee.report.numbers import UNKNOWN, decimals, known, number, percent, whole
from referee.report.text import remarks
from referee.results.audit import SLACK, Audit, keeps_alpha

Row = dict[str, Any]
NAME = 12  # the fewest columns that the name of a test is folded into
NULLS = {
    "tilt": "the nearest world in which {a} and {b} tie",
    "swap": "a world in which {a} and {b} are exchangeable",
    "observed": "the categories in which {a} and {b} tie",
}
VERDICTS = {
    "keeps": "no more than alpha allows, give or take a tenth and chance",
    "too many": "more than a tenth above alpha, and more than chance explains",
    "cautious": "less than half of alpha, and not by chance",
}


def text(r: Audit, width: int = plain.WIDTH) -> str:
    """Write an audit as plain text.

    Args:
        r: the result.
        width: the columns to keep to; the signature is one line all the same.

    Returns:
        The text, without a final newline; its last line is the signature.
    """
    return plain.joined(blocks_of(r, width))


def blocks_of(r: Audit, width: int = plain.WIDTH) -> list[plain.Block]:
    """Return the parts of the text of an audit."""
    return [
        plain.Block("verdict", plain.wrap(" ".join(sentences(r)), width), sentences(r)[0]),
        plain.Block("", plain.wrap(advice(r), width)),
        plain.Block("", "\n".join([plain.wrap(heading(r), width), "", *_narrow(r, width)])),
        plain.Block("", plain.described(facts(r), width)),
        plain.Block("warnings", remarks(warnings(r), width)),
        plain.Block("signature", signature(r)),
    ]


def markdown(r: Audit) -> str:
    """Write an audit as Markdown: a heading with the false alarms, a table, the warnings and the signature."""
    first, *more = sentences(r)
    head, body = table(r)
    blocks = [
        f"### {md.escape(first)}",
        md.escape(" ".join([*more, advice(r)])),
        md.escape(heading(r)),
        md.table(head, body, right=range(1, len(head) - 1)),
        md.table(("", ""), facts(r)),
        md.bullets(warnings(r)),
        md.code([signature(r)]),
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def latex(r: Audit) -> str:
    """Write an audit as LaTeX: sentences for the paper and a table that needs the booktabs package."""
    head, body = table(r)
    cells = [
        [_mathematics(cell) if 0 < i < len(head) - 1 else tex.escape(cell) for i, cell in enumerate(row)]
        for row in body
    ]
    comments = [
        signature(r),
        advice(r),
        *(f"warning: {remark}" for remark in warnings(r)),
        *(f"{k}: {v}" for k, v in facts(r)),
    ]
    blocks = [
        *(f"% {line}" for line in comments),
        tex.escape(" ".join([*sentences(r), heading(r)])).replace("±", r"$\pm$"),
        tex.table(head, cells, "l" + "r" * (len(head) - 2) + "l"),
    ]
    return "\n".join(blocks) + "\n"


def _mathematics(cell: str) -> str:
    return tex.mathematics(cell.replace("%", r"\%").replace("±", r"\pm").replace(",", "{,}"))


def sentences(r: Audit, where: str = "On data like yours") -> list[str]:
    """Say how often the test that compare takes raises a false alarm, and how often it sees a difference."""
    ends = _ends(r)
    if not _several(r) and len(ends) == 1 and known(ends[0]["false_alarm"]) and known(ends[0]["power"]):
        return [f"{_alarms(r, ends, where)}, and {_power(r, ends)}."]
    second = _power(r, ends)
    return [f"{_alarms(r, ends, where)}.", f"{second[0].upper()}{second[1:]}." if _differ(ends) else f"{second}."]


def _ends(r: Audit) -> list[Row]:
    """Return the rows of the chosen test at the first and the last size, at the alpha that the advice is for."""
    first = r.row(alpha=r.alpha)
    sizes = [row["n"] for row in r.rows if row["test"] == first["test"] and row["alpha"] == first["alpha"]]
    return [first] if len(set(sizes)) == 1 else [first, r.row(n=sizes[-1], alpha=first["alpha"])]


def _differ(ends: Sequence[Row]) -> bool:
    return any(known(row["power"]) for row in ends)


def _alarms(r: Audit, ends: Sequence[Row], where: str) -> str:
    test, alpha = _test(ends[0]["test"]), percent(ends[0]["alpha"])
    if not any(known(row["false_alarm"]) for row in ends):
        return f"{where}, no false alarm of {test} could be measured" + ("; the warnings say why" if r.warnings else "")
    found = [f"{_rate(row['false_alarm'], _places(r), '%')}{_error(row['false_alarm_error'], r)}" for row in ends]
    where, rate = _over(r, ends[0]) if _several(r) else where, f"the false-alarm rate of {test} at {alpha} is"
    if len(ends) == 1:
        said = f"{where}, at n = {whole(ends[0]['n'])} {rate} {found[0]}"
    else:
        sized = [f"{one} at n = {whole(row['n'])}" for one, row in zip(found, ends, strict=True)]
        said = f"{where}, {rate} {' and '.join(sized)}"
    spreads = [f"±{_rate(row['spread'], _places(r))}" for row in ends if known(row["spread"])]
    return f"{said}; from category to category it varies by {' and '.join(spreads)}" if spreads else said


def _over(r: Audit, row: Row) -> str:
    found = row["categories"]["null"]
    return (
        f"Over {_categories(row, 'null')}"
        if found == r.categories
        else f"Over {whole(found)} of {whole(r.categories)} categories"
    )


def _categories(row: Row, which: str) -> str:
    count = row["categories"][which]
    return f"{whole(count)} categor{'y' if count == 1 else 'ies'}"


def _error(error: float | None, r: Audit) -> str:
    return f" (± {_rate(error, _places(r))})" if known(error) else ""


def _power(r: Audit, ends: Sequence[Row]) -> str:
    if not _differ(ends):
        a, b = names(r)
        where = " in every category" if _several(r) else ""
        return f"{a} and {b} tie{where}, so there is no difference for it to see"
    found = f"{_rough(ends[0]['power'])} of the time"
    if len(ends) > 1:
        found += f" at n = {whole(ends[0]['n'])} and {_rough(ends[-1]['power'])} at n = {whole(ends[-1]['n'])}"
    elif not known(ends[0]["false_alarm"]):
        found += f" at n = {whole(ends[0]['n'])} and alpha {percent(ends[0]['alpha'])}"
    if _several(r):
        return f"where the two differ ({_categories(ends[0], 'different')}), it sees that {found}"
    size = "" if r.difference is None else f" ({number(abs(r.difference), decimals(abs(r.difference), ()))})"
    return f"it sees a difference of this size{size} {found}"


def advice(r: Audit) -> str:
    """Return which test to prefer, and why."""
    return phrases.full(r.advice)


def heading(r: Audit) -> str:
    """Say what the table is of, with what is the same in all its rows."""
    same = [f"n = {whole(one)}" for one in _only(r, "n")] + [f"alpha {percent(one)}" for one in _only(r, "alpha")]
    at = f" at {' and '.join(same)}" if same else ""
    return f"Tests of {phrases.clean(r.metric)}{at}, in % ± Monte-Carlo error:"


def table(r: Audit) -> tuple[list[str], list[list[str]]]:
    """Return the head and the body of the table, a row for each test, size and alpha; groups ignored come last."""
    ordered = sorted(r.rows, key=lambda row: row["groups"] == "ignored")
    columns = {
        "test": [label(row) for row in ordered],
        "null": [] if _only(r, "null") else [row["null"] for row in ordered],
        "n": [] if _only(r, "n") else [whole(row["n"]) for row in ordered],
        "alpha": [] if _only(r, "alpha") else [percent(row["alpha"]) for row in ordered],
        "false alarms": [_measured(row, "false_alarm", r) for row in ordered],
        "spread": [_rate(row["spread"], _places(r)) for row in ordered] if _several(r) else [],
        "power": [_measured(row, "power", r) for row in ordered] if _differ(ordered) else [],
        "coverage": [_rate(row["coverage"], 1) for row in ordered]
        if any(known(x["coverage"]) for x in ordered)
        else [],
        "verdict": [verdict(row) for row in ordered],
    }
    shown = {name: cells for name, cells in columns.items() if cells}
    return list(shown), [list(cells) for cells in zip(*shown.values(), strict=True)]


def label(row: Row) -> str:
    """Return the name of a row's test, with what it made of groups."""
    return f"{_test(row['test'])}, groups ignored" if row["groups"] == "ignored" else _test(row["test"])


def verdict(row: Row) -> str:
    """Say in a word whether a test kept its false alarms: keeps, too many, cautious, or unknown.

    >>> verdict({"alpha": 0.05, "false_alarm": 0.08, "false_alarm_error": 0.01})
    'too many'
    """
    rate, alpha = row["false_alarm"], row["alpha"]
    if not known(rate):
        return UNKNOWN
    if not keeps_alpha(row):
        return "too many"
    return "cautious" if rate < alpha / 2 - SLACK * (row["false_alarm_error"] or 0.0) else "keeps"


def facts(r: Audit) -> list[tuple[str, str]]:
    """Return what lies behind the table, as pairs of a label and what to say."""
    a, b = names(r)
    nulls = list(dict.fromkeys(row["null"] for row in r.rows))
    worlds = {null: world(null, a, b) for null in nulls}
    drawn_from = "; ".join(worlds.values() if len(nulls) == 1 else (f"{null}: {said}" for null, said in worlds.items()))
    row, several = r.rows[0], _several(r)
    each = " for each category" if several else ""
    drawn = f"{whole(row['sets'])}{each}, drawn from {phrases.clean(r.population) or 'the data'}"
    size = "" if r.n is None else f" ({'up to ' if several else ''}{whole(r.n)} examples)"
    said = [
        ("false alarms", f"rejections in {drawn_from}"),
        ("spread", "the standard deviation of false alarms from category to category" if several else ""),
        ("power", f"rejections where {a} and {b} differ as they do" if _differ(r.rows) else ""),
        (
            "coverage",
            "intervals (of level 1 - alpha) that hold the true difference"
            if any(known(x["coverage"]) for x in r.rows)
            else "",
        ),
        ("test sets", f"{drawn}{size}"),
        *((name, VERDICTS[name]) for name in VERDICTS if any(verdict(one) == name for one in r.rows)),
    ]
    return [(name, what) for name, what in said if what]


def world(null: str, a: str, b: str) -> str:
    """Say in which world false alarms are counted.

    >>> world("tilt", "old", "new")
    'the nearest world in which old and new tie'
    """
    return NULLS[null].format(a=a, b=b) if null in NULLS else phrases.clean(null)


def names(r: Audit) -> tuple[str, str]:
    """Return what the two systems are called, told apart where they are called the same."""
    a, b = (phrases.clean(name) for name in r.names)
    a, b = a or "A", b or "B"
    return (a, b) if a != b else (f"{a} (A)", f"{b} (B)")


def warnings(r: Audit) -> list[str]:
    """Return the warnings as sentences."""
    return [phrases.full(remark) for remark in dict.fromkeys(r.warnings)]


def signature(r: Audit) -> str:
    """Return the signature on one line."""
    return phrases.clean(r.signature, 2000)


def _test(name: str) -> str:
    return phrases.clean(name)


def _several(r: Audit) -> bool:
    """Say whether there are several categories."""
    return r.categories > 1


def _only(r: Audit, column: str) -> list[Any]:
    """Return the one value of a column, nothing where there are several."""
    found = list(dict.fromkeys(row[column] for row in r.rows))
    return found if len(found) == 1 else []


def _places(r: Audit) -> int:
    """Return how many decimals percentages have: one, or two where errors or an alpha are smaller than one shows."""
    small = [row["false_alarm_error"] for row in r.rows if known(row["false_alarm_error"])] + [
        10 * row["alpha"] for row in r.rows
    ]
    return 1 if min(small) >= 0.0005 else 2


def _rate(share: float | None, places: int, unit: str = "") -> str:
    return f"{100 * share:.{places}f}{unit}" if share is not None and known(share) else UNKNOWN


def _rough(share: float | None) -> str:
    """Write a share with two digits, never as all where some were missed."""
    if share is None or not known(share):
        return UNKNOWN
    return "over 99%" if 0.995 <= share < 1 else _rate(share, 0 if share >= 0.0995 else 1, "%")


def _measured(row: Row, what: str, r: Audit) -> str:
    rate, error = _rate(row[what], _places(r)), row[f"{what}_error"]
    return f"{rate} ± {_rate(error, _places(r))}" if known(row[what]) and known(error) else rate


def _narrow(r: Audit, width: int) -> list[str]:
    """Return the lines of the table: a test on a line of its own where it has several rows, else folded to what is left."""
    head, body = table(r)
    right = range(len(head) - 2)
    lines = plain.align([head[1:], *(row[1:] for row in body)], right)
    left = width - plain.widest(lines) - 4
    if {"null", "n", "alpha"} & set(head) or left < NAME:
        return plain.stacked([row[0] for row in body], head[1:], [row[1:] for row in body], width, right)
    folded = [_fold(cell, left) for cell in ("test", *(row[0] for row in body))]
    cells = [
        (part, line if not i else "") for parts, line in zip(folded, lines, strict=True) for i, part in enumerate(parts)
    ]
    return [f"  {line}" for line in plain.align(cells)]


def _fold(name: str, width: int) -> list[str]:
    """Break a name after its punctuation, or anywhere where there is none."""
    lines = [""]
    pieces: Iterable[str] = re.split(r"(?<=[:,= ])", name)
    for piece in pieces:
        if plain.columns(lines[-1] + piece.rstrip()) > width and lines[-1].strip():
            lines.append("  ")
        lines[-1] += piece
        while plain.columns(lines[-1].rstrip()) > width:
            fitting = plain.most(lines[-1], width)
            lines[-1:] = [lines[-1][:fitting], "  " + lines[-1][fitting:]]
    return [line.rstrip() for line in lines]
