"""Trials of the tests of learning algorithms in words: which keep their promise, which do not, and who sees most."""

from __future__ import annotations

from referee.report.numbers import number, percent, whole
from referee.report.phrases import LONG, clean, listed, span
from referee.report.phrases.audit import Row, verdicts
from referee.results.trials import Trials

WORLDS = {
    "symmetric": "a tie by symmetry: each sees its own half of the features, and the halves have the same law",
    "matched": "a tie by calibration: the second one's features were made more telling, for each training size",
}


def sentences(r: Trials) -> list[str]:
    """Say which tests keep their false alarms, which do not, and who sees most."""
    undecided = _undecided(r)
    if not r.keeping:
        first = undecided or f"No test keeps its false alarms at alpha {percent(r.alpha)} here."
        return [first, *_broken(r)]
    keepers = listed([name(*key) for key in r.keeping])
    verb = "keeps its" if len(r.keeping) == 1 else "keep their"
    everywhere = " in every world" if len({heading(row) for row in r.rows}) > 1 else ""
    texts = [f"At alpha {percent(r.alpha)}, {keepers} {verb} false alarms{everywhere}.", *_broken(r)]
    if len(r.keeping) > 1:
        best = r.keeping[0]
        powers = [row["power"] for row in r.find(*best)]
        texts.append(f"Of those that do, {name(*best)} sees most: its power is {span(powers)}.")
    return [*texts, *filter(None, [undecided])]


def _undecided(r: Trials) -> str:
    """Say of which tests too few data sets were drawn to tell."""
    judged = {*r.keeping, *r.breaking}
    left = [key for key in dict.fromkeys((row["design"], row["test"]) for row in r.rows) if key not in judged]
    if not left:
        return ""
    few = whole(min(row["sets"] for row in r.rows))
    others = "any other test" if r.breaking else "any test"
    names = listed([name(*key) for key in left]) if r.keeping else others
    return f"{few} data sets are too few to tell whether {names} keeps alpha {percent(r.alpha)}; draw more (sets=1000)."


def _broken(r: Trials) -> list[str]:
    breakers = [f"{name(*key)} ({span([row['false_alarm'] for row in r.find(*key)])})" for key in r.breaking]
    return [f"{listed(breakers)} {'does' if len(breakers) == 1 else 'do'} not."] if breakers else []


def name(design: str, test: str) -> str:
    """Name a test, with its design where the name does not say it."""
    return clean(test if test.startswith(design) else f"{test} on {design}", LONG)


def heading(row: Row) -> str:
    """Say what the table of a row is of: one world, two learners, one size, one alpha."""
    at = f"n = {whole(row['n'])}, alpha {percent(row['alpha'])}"
    return f"{clean(row['learners'], LONG)} ({row['world']}), {at}, in % ± Monte-Carlo error"


def badge(r: Trials) -> str:
    """Say in a few words how many tests keep their false alarms."""
    tests = {(row["design"], row["test"]) for row in r.rows}
    return f"{whole(len(r.keeping))} of {whole(len(tests))} keep their false alarms"


def facts(r: Trials) -> list[tuple[str, str]]:
    """Return what lies behind the tables, as pairs of a label and what to say."""
    gaps = [abs(row["difference"]) for row in r.rows]
    seen = " to ".join(dict.fromkeys(number(gap, 3) for gap in (min(gaps), max(gaps))))
    return [
        *((world, WORLDS[world]) for world in dict.fromkeys(row["world"] for row in r.rows)),
        ("false alarms", "rejections where the two tie"),
        ("power", f"rejections where the second one's features tell more: its accuracy is higher by {seen}"),
        ("fits", "models that are trained for one comparison"),
        ("data sets", f"{whole(r.rows[0]['sets'])} of each world"),
        *verdicts(r.rows).items(),
    ]
