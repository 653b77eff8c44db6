"""Trials of the tests of learning algorithms in words: which keep their promise, then what each did in every world."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from referee.report import audit, phrases
from referee.report import layout as plain
from referee.report import markdown as md
from referee.report.numbers import number, percent, whole
from referee.results.trials import PRECISE, Trials

Row = dict[str, Any]
HEAD = ("design", "test", "fits", "false alarms", "power", "verdict")
WORLDS = {
    "symmetric": "a tie by symmetry: each sees its own half of the features, and the halves have the same law",
    "matched": "a tie by calibration: the second one's features were made more telling, for each training size",
}


def text(r: Trials, width: int = plain.WIDTH) -> str:
    """Write trials as plain text.

    Args:
        r: the result.
        width: the columns to keep to; the signature is one line all the same.

    Returns:
        The text, without a final newline; its last line is the signature.
    """
    return plain.joined(blocks_of(r, width))


def blocks_of(r: Trials, width: int = plain.WIDTH) -> list[plain.Block]:
    """Return the parts of the text of trials."""
    return [
        plain.Block("verdict", plain.wrap(" ".join(sentences(r)), width), sentences(r)[0]),
        *(plain.Block("", _table(title, rows, width)) for title, rows in groups(r)),
        plain.Block("", plain.described(facts(r), width)),
        plain.Block("signature", phrases.clean(r.signature, 2000)),
    ]


def markdown(r: Trials) -> str:
    """Write trials as Markdown: a heading with the tests that keep their promise, a table a world, the signature."""
    first, *more = sentences(r)
    blocks = [f"### {md.escape(first)}", md.escape(" ".join(more))]
    for title, rows in groups(r):
        blocks += [md.escape(title), md.table(HEAD, [cells(row) for row in rows], right=(2, 3, 4))]
    blocks += [md.table(("", ""), facts(r)), md.code([phrases.clean(r.signature, 2000)])]
    return "\n\n".join(filter(None, blocks)) + "\n"


def sentences(r: Trials) -> list[str]:
    """Say which tests keep their false alarms, which do not, and who sees most."""
    open_ = _undecided(r)
    if not r.keeping:
        said = [open_] if open_ else [f"No test keeps its false alarms at alpha {percent(r.alpha)} here."]
        return [*said, *([_broken(r)] if r.breaking else [])]
    kept = _listed([_name(*key) for key in r.keeping])
    verb = "keeps its" if len(r.keeping) == 1 else "keep their"
    everywhere = " in every world" if len(list(groups(r))) > 1 else ""
    said = [f"At alpha {percent(r.alpha)}, {kept} {verb} false alarms{everywhere}."]
    if r.breaking:
        said.append(_broken(r))
    if len(r.keeping) > 1:
        best = r.keeping[0]
        powers = [row["power"] for row in r.find(*best)]
        said.append(f"Of those that do, {_name(*best)} sees most: its power is {_span(powers)}.")
    return [*said, *([open_] if open_ else [])]


def _undecided(r: Trials) -> str:
    """Say of which tests too few data sets were drawn to tell."""
    judged = {*r.keeping, *r.breaking}
    left = [key for key in dict.fromkeys((row["design"], row["test"]) for row in r.rows) if key not in judged]
    if not left:
        return ""
    few = whole(min(row["sets"] for row in r.rows))
    others = "any other test" if r.breaking else "any test"
    names = _listed([_name(*key) for key in left]) if r.keeping else others
    return f"{few} data sets are too few to tell whether {names} keeps alpha {percent(r.alpha)}; draw more (sets=1000)."


def _broken(r: Trials) -> str:
    found = [f"{_name(*key)} ({_span([row['false_alarm'] for row in r.find(*key)])})" for key in r.breaking]
    verb = "does" if len(found) == 1 else "do"
    return f"{_listed(found)} {verb} not."


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _span(shares: Sequence[float]) -> str:
    low, high = (percent(share) for share in (min(shares), max(shares)))
    return low if low == high else f"{low} to {high}"


def _name(design: str, test: str) -> str:
    """Name a test, with its design where the name does not say it."""
    return test if test.startswith(design) else f"{test} on {design}"


def groups(r: Trials) -> Iterable[tuple[str, list[Row]]]:
    """Return the rows of each table under its title: one world, two learners, one size, one alpha."""
    found: dict[str, list[Row]] = {}
    for row in r.rows:
        at = f"n = {whole(row['n'])}, alpha {percent(row['alpha'])}"
        found.setdefault(f"{row['learners']} ({row['world']}), {at}, in % ± Monte-Carlo error:", []).append(row)
    return found.items()


def cells(row: Row) -> tuple[str, ...]:
    """Return the cells of a row."""
    rates = (f"{100 * row[key]:.1f} ± {100 * row[f'{key}_error']:.1f}" for key in ("false_alarm", "power"))
    told = audit.verdict(row)
    if told == "keeps" and row["false_alarm_error"] > PRECISE * row["alpha"]:
        told = "too few sets"
    return (row["design"], row["test"], whole(row["fits"]), *rates, told)


def _table(title: str, rows: Sequence[Row], width: int) -> str:
    body = [cells(row) for row in rows]
    lines = [f"  {line}" for line in plain.align([HEAD, *body], right=(2, 3, 4))]
    if plain.widest(lines) > width:
        titles = [f"{row[0]}, {row[1]}: {row[-1]}" for row in body]
        lines = plain.stacked(titles, HEAD[2:-1], [row[2:-1] for row in body], width)
    return "\n".join([plain.wrap(title, width), "", *lines])


def facts(r: Trials) -> list[tuple[str, str]]:
    """Return what lies behind the tables, as pairs of a label and what to say."""
    worlds = dict.fromkeys(row["world"] for row in r.rows)
    verdicts = {audit.verdict(row) for row in r.rows}
    gaps = [abs(row["difference"]) for row in r.rows]
    seen = " to ".join(dict.fromkeys(number(gap, 3) for gap in (min(gaps), max(gaps))))
    return [
        *((world, WORLDS[world]) for world in worlds),
        ("false alarms", "rejections where the two tie"),
        ("power", f"rejections where the second one's features tell more: its accuracy is higher by {seen}"),
        ("fits", "models that are trained for one comparison"),
        ("data sets", f"{whole(r.rows[0]['sets'])} of each world"),
        *((name, said) for name, said in audit.VERDICTS.items() if name in verdicts),
    ]
