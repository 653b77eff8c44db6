"""LaTeX for a paper: a booktabs table, a sentence with the numbers, and the signature in a comment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from referee.report import phrases, rows, summary
from referee.report.numbers import known, number, p_equation, percent
from referee.results.comparison import Comparison, Comparisons

SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",
    "`": r"\textasciigrave{}",
    "*": "{*}",  # after a row's end, a star or a bracket would belong to the command
    "[": "{[}",
    "]": "{]}",
    **{sign: "\\" + sign for sign in "{}#$%&_"},
}
NEEDS = r"% needs \usepackage{booktabs}"
POWER = re.compile(r"\b(\d(?:\.\d+)?)e([-+]?)0*(\d+)\b")


def escape(text: str) -> str:
    r"""Make a text mean itself in LaTeX.

    >>> escape("50% of a_b\\c")
    '50\\% of a\\_b\\textbackslash{}c'
    """
    safe = "".join(SPECIAL.get(sign, sign) for sign in " ".join(text.split()))
    return re.sub(r"-(?=-)", "-{}", safe)  # two hyphens are no dash


def mathematics(text: str) -> str:
    r"""Write a number, an interval or an equation of ours as mathematics.

    >>> mathematics("p = 1.5e-26"), mathematics("[-0.01, 0.02]")
    ('$p = 1.5\\times 10^{-26}$', '$[-0.01, 0.02]$')
    """
    if not re.search(r"\d", text):
        return escape(text)
    powers = POWER.sub(lambda found: rf"{found[1]}\times 10^{{{found[2].strip('+')}{found[3]}}}", text)
    return f"${powers}$"


def comparison(r: Comparison) -> str:
    """Write one comparison as LaTeX.

    Args:
        r: the result.

    Returns:
        A sentence for the paper and a table that needs the booktabs package, with the signature in a comment.
    """
    levels = {percent(i.level) for i in (r.a.interval, r.b.interval, r.interval) if i}
    level = f"{min(levels)} interval" if len(levels) == 1 else "Interval"
    # Beside a one-sided question the interval of the difference has another level than those of the scores.
    body = [
        (
            escape(what),
            mathematics(value),
            mathematics(interval) + (f" {escape(f'({how})')}" if len(levels) > 1 else ""),
        )
        for what, value, interval, how in rows.measures(r)
    ]
    blocks = [
        _comment([phrases.signature(r), *(f"warning: {text}" for text in phrases.warnings(r))]),
        " ".join(filter(None, [sentence(r), _audit(r)])),
        table(("System", phrases.metric(r), level), body, "lrr"),
    ]
    return "\n".join(blocks) + "\n"


def sentence(r: Comparison) -> str:
    """Write who is better, with the numbers, ready for a paper."""
    shown = [_delta(r), _interval(r), mathematics(p_equation(r.p_value, r.alpha)), escape(phrases.test(r))]
    return f"{escape(phrases.headline(r).removesuffix('.'))} ({', '.join(filter(None, shown))}; {escape(phrases.size(r))})."


def _audit(r: Comparison) -> str:
    said = rows.audit(r)
    return f"{escape(said[0].upper() + said[1:])}." if said else ""


def _delta(r: Comparison) -> str:
    return rf"$\Delta = {number(r.difference, phrases.places(r))}$" if known(r.difference) else ""


def _interval(r: Comparison) -> str:
    if r.interval is None:
        return ""
    return f"{escape(percent(r.interval.level))} interval {mathematics(phrases.bracket(r.interval, phrases.places(r)))}"


def comparisons(rs: Comparisons) -> str:
    """Write several comparisons as LaTeX, a row a task.

    Args:
        rs: the results.

    Returns:
        A summing-up sentence and a table that needs the booktabs package, with the signatures in comments.
    """
    if not len(rs):
        return escape(summary.sentence(rs)) + "\n"
    head = (*summary.HEAD[:6], f"p ({summary.adjustment(rs)})", summary.HEAD[7])
    body = [(escape(row[0]), *map(mathematics, row[1:7]), escape(row[7])) for row in summary.rows(rs)]
    said = [summary.sentence(rs), summary.legend(rs), summary.direction(rs)]
    said += summary.audits(rs) if any(rows.audit(r) for r in rs) else []
    blocks = [
        _comment([*summary.signatures(rs), *(f"warning: {text}" for text in summary.warnings(rs))]),
        escape(" ".join(filter(None, said))),
        table(head, body, "lrrrrrrl"),
    ]
    return "\n".join(blocks) + "\n"


def table(head: Sequence[str], body: Iterable[Sequence[str]], columns: str) -> str:
    """Write a booktabs table, which says that it is one; the head is escaped here, the body is LaTeX already."""
    lines = [" & ".join(row) + r" \\" for row in body]
    return "\n".join(
        [
            NEEDS,
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(map(escape, head)) + r" \\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _comment(lines: Iterable[str]) -> str:
    return "\n".join(f"% {line}" for line in lines)
