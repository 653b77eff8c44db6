"""Standings in words: who is best, by how much and how sure; then the algorithms with their costs, and every pair."""

from __future__ import annotations

from collections.abc import Sequence

from referee.report import latex as tex
from referee.report import layout as plain
from referee.report import markdown as md
from referee.report import phrases
from referee.report.numbers import UNKNOWN, known, number, p_value, percent, whole
from referee.report.text import remarks
from referee.report.winners import adjustment, definition, is_bayesian, label, listed, metric, places, score, sentences
from referee.results.algorithms import Algorithm, Pair, Standings

SHOWN = 10
"""So many failures are told."""


def text(r: Standings, width: int = plain.WIDTH) -> str:
    """Write standings as plain text.

    Args:
        r: the result.
        width: the columns to keep to; the signature is one line all the same.

    Returns:
        The text, without a final newline; its last line is the signature.
    """
    return plain.joined(blocks_of(r, width))


def blocks_of(r: Standings, width: int = plain.WIDTH) -> list[plain.Block]:
    """Return the parts of the text of standings."""
    return [
        plain.Block("verdict", plain.wrap(" ".join(sentences(r)), width), sentences(r)[0]),
        plain.Block("", "\n".join(_ranked(r, width))),
        plain.Block("", "\n".join([plain.wrap(heading(r), width), "", *_narrow(r, width)])),
        plain.Block("", plain.described(facts(r), width)),
        plain.Block("warnings", remarks(failures(r), width, "Failed")),
        plain.Block("warnings", remarks(warnings(r), width)),
        plain.Block("signature", signature(r)),
    ]


def markdown(r: Standings) -> str:
    """Write standings as Markdown: a heading that says who is best, two tables, the failures, warnings and signature."""
    first, *more = sentences(r)
    (head, body), (columns, rows) = algorithms(r), pairs(r)
    blocks = [
        f"### {md.escape(first)}",
        md.escape(" ".join(more)),
        md.table(head, body, right=range(1, len(head) - 1)),
        md.escape(heading(r)),
        md.table(columns, rows, right=range(2, len(columns) - 1)),
        md.table(("", ""), facts(r)),
        "\n".join(f"- {md.escape(f'Failed: {said}')}" for said in failures(r)),
        md.bullets(warnings(r)),
        md.code([signature(r)]),
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def latex(r: Standings) -> str:
    """Write standings as LaTeX: sentences for the paper and two tables that need the booktabs package."""
    (head, body), (columns, rows) = algorithms(r), pairs(r)
    comments = [
        signature(r),
        *(f"warning: {remark}" for remark in warnings(r)),
        *(f"failed: {said}" for said in failures(r)),
        *(f"{name}: {said}" for name, said in facts(r)),
    ]
    blocks = [
        *(f"% {line}" for line in comments),
        tex.escape(" ".join(sentences(r))),
        tex.table(head, [_cells(row, 1) for row in body], "l" + "r" * (len(head) - 2) + "l"),
        tex.escape(heading(r)),
        tex.table(columns, [_cells(row, 2) for row in rows], "ll" + "r" * (len(columns) - 3) + "l"),
    ]
    return "\n".join(blocks) + "\n"


def _cells(row: Sequence[str], names: int) -> list[str]:
    return [_mathematics(cell) if names <= i < len(row) - 1 else tex.escape(cell) for i, cell in enumerate(row)]


def _mathematics(cell: str) -> str:
    return tex.mathematics(cell.replace("%", r"\%").replace("±", r"\pm"))


def heading(r: Standings) -> str:
    """Say what the table of pairs is of."""
    levels = list(dict.fromkeys(percent(pair.interval.level) for pair in r.pairs if pair.interval))
    said = [f"intervals at {' or '.join(levels)}"] if levels else []
    if len(r.pairs) > 1 and not is_bayesian(r):
        said.append(f"p adjusted for {whole(len(r.pairs))} pairs ({adjustment(r)})")
    about = "All pairs" if len(r.pairs) > 1 else "The pair"
    return f"{about}, {'; '.join(said)}:" if said else f"{about}:"


def algorithms(r: Standings) -> tuple[list[str], list[list[str]]]:
    """Return the head and the body of the table of algorithms, best first."""
    costs = {
        "fit (s)": [one.fit_seconds for one in r.algorithms],
        "predict (s)": [one.predict_seconds for one in r.algorithms],
    }
    columns = {
        "algorithm": [phrases.clean(label(one.name), plain.LABEL) for one in r.algorithms],
        phrases.clean(metric(r), plain.LABEL): [_spread(r, one) for one in r.algorithms],
        **{what: [_seconds(one) for one in took] for what, took in costs.items() if any(map(known, took))},
        "": ["best" if one.name in r.best else "" for one in r.algorithms],
    }
    return list(columns), [list(row) for row in zip(*columns.values(), strict=True)]


def pairs(r: Standings) -> tuple[list[str], list[list[str]]]:
    """Return the head and the body of the table of pairs."""
    columns = {
        "A": [label(pair.a) for pair in r.pairs],
        "B": [label(pair.b) for pair in r.pairs],
        "B - A": [number(pair.difference, places(r)) for pair in r.pairs],
        "interval": [phrases.bracket(pair.interval, places(r)) for pair in r.pairs],
        **_evidence(r),
        "verdict": [verdict(pair) for pair in r.pairs],
    }
    return list(columns), [list(row) for row in zip(*columns.values(), strict=True)]


def _evidence(r: Standings) -> dict[str, list[str]]:
    """Return the columns of p-values, or of probabilities."""
    if is_bayesian(r):
        kinds = {"A better": "a", "equal": "equal", "B better": "b"}
        return {name: [percent((pair.probabilities or {}).get(key)) for pair in r.pairs] for name, key in kinds.items()}
    found = {"p": [p_value(pair.p_value, r.alpha) for pair in r.pairs]}
    if len(r.pairs) > 1:
        found["adjusted"] = [p_value(pair.p_adjusted, r.alpha) for pair in r.pairs]
    return found


def verdict(pair: Pair) -> str:
    """Return the verdict with the algorithms' own names."""
    a, b = label(pair.a), label(pair.b)
    named = {"a better": f"{a} better", "b better": f"{b} better", "no worse": f"{b} no worse"}
    if pair.p_value is None and pair.probabilities is None and pair.verdict == "too close to call":
        return "not tested"
    return named.get(pair.verdict, pair.verdict)


def _ranked(r: Standings, width: int) -> list[str]:
    """Return the lines of the table of algorithms."""
    head, body = algorithms(r)
    lines = [f"  {line}" for line in plain.align([head, *body], range(1, len(head) - 1))]
    if plain.widest(lines) <= width:
        return lines
    titles = [f"{row[0]}{f' ({row[-1]})' if row[-1] else ''}" for row in body]
    return plain.stacked(titles, head[1:-1], [row[1:-1] for row in body], width)


def _narrow(r: Standings, width: int) -> list[str]:
    """Return the lines of the table of pairs: words on a line of their own where all do not fit on one."""
    head, body = pairs(r)
    lines = [f"  {line}" for line in plain.align([head, *body], range(2, len(head) - 1))]
    if plain.widest(lines) <= width or not r.pairs:
        return lines
    titles = [f"{label(pair.a)} (A), {label(pair.b)} (B): {verdict(pair)}" for pair in r.pairs]
    return plain.stacked(titles, head[2:-1], [row[2:-1] for row in body], width)


def facts(r: Standings) -> list[tuple[str, str]]:
    """Return what lies behind the tables, as pairs of a label and what to say."""
    said = [
        ("design", _design(r)),
        ("examples", "" if r.n is None else whole(r.n)),
        ("fits", _fits(r)),
        ("test", f"{phrases.clean(r.test, 200)}{f': {phrases.clean(r.reason, 500)}' if r.reason else ''}"),
        ("alternative", _alternative(r)),
        ("margin", "" if r.margin is None else f"differences within {r.margin:.4g} do not matter"),
        ("best", f"{definition(r)}{'' if is_bayesian(r) else f', at alpha {percent(r.alpha)}'}"),
        ("±", "the standard deviation from split to split" if _spreads(r) else ""),
        ("(s)", "mean seconds of a fit, and of predicting the test examples of a split" if _timed(r) else ""),
    ]
    return [(name, what) for name, what in said if what]


def _design(r: Standings) -> str:
    sizes = [
        f"{_size(size)} examples {what}"
        for size, what in ((r.n_train, "to train on"), (r.n_test, "to test"))
        if size is not None and known(size)
    ]
    parts = f"{whole(r.splits)} split{'' if r.splits == 1 else 's'}" + (
        f", with {' and '.join(sizes)}" if sizes else ""
    )
    one = "; it tells of these trained models, and not how they vary with the training set" if r.splits == 1 else ""
    return f"{phrases.clean(r.design, 200)}: {parts}{one}"


def _size(size: float) -> str:
    return whole(int(size)) if size == int(size) else f"about {size:,.1f}"


def _fits(r: Standings) -> str:
    if not r.fits:
        return "none here; the scores were given"
    took = f", {_seconds(r.seconds)} s in all" if known(r.seconds) else ""
    return f"{whole(r.fits)}, each algorithm once a split{took}"


def _alternative(r: Standings) -> str:
    if r.alternative == "two-sided":
        return ""
    side = "higher" if r.alternative == "greater" else "lower"
    return f"{r.alternative}: is the {metric(r)} of B {side} than that of A?"


def failures(r: Standings) -> list[str]:
    """Return the fits that failed, those with the same error together."""
    found: dict[tuple[str, str], list[int]] = {}
    for failure in r.failures:
        found.setdefault((failure.name, failure.error), []).append(failure.split)
    said = [
        f"{label(name)}, split{'' if len(splits) == 1 else 's'} {listed([str(one) for one in splits])}: {phrases.clean(error, 300)}"
        for (name, error), splits in found.items()
    ]
    left = len(said) - SHOWN
    return said if left <= 0 else [*said[:SHOWN], f"{whole(left)} more"]


def warnings(r: Standings) -> list[str]:
    """Return the warnings as sentences."""
    return [phrases.full(remark) for remark in dict.fromkeys(r.warnings)]


def signature(r: Standings) -> str:
    """Return the signature on one line."""
    return phrases.clean(r.signature, 2000)


def _spreads(r: Standings) -> bool:
    return any(known(one.spread) for one in r.algorithms)


def _timed(r: Standings) -> bool:
    return any(known(one.fit_seconds) or known(one.predict_seconds) for one in r.algorithms)


def _spread(r: Standings, one: Algorithm) -> str:
    return f"{score(r, one)} ± {number(one.spread, places(r))}" if known(one.spread) else score(r, one)


def _seconds(value: float | None) -> str:
    """Write seconds with two digits that mean something.

    >>> _seconds(0.00002), _seconds(0.0123), _seconds(3.456), _seconds(1234.5), _seconds(None)
    ('< 0.001', '0.012', '3.5', '1,234', 'unknown')
    """
    if value is None or not known(value):
        return UNKNOWN
    if value < 0.001:
        return "< 0.001"
    return f"{value:.2g}" if value < 10 else f"{value:,.0f}"
