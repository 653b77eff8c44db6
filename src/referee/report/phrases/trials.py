"""Trials of the tests of learning algorithms in words: which keep their false alarms within alpha, which do not, and which has the most power."""

from __future__ import annotations

from referee.report.numbers import NBSP, Scale, percent, whole
from referee.report.phrases import LONG, clean, listed, span
from referee.report.phrases.audit import Row, verdicts
from referee.results.trials import Trials

WORLDS = {
    "symmetric": "a tie by symmetry: each uses its own half of the features, and the halves follow the same distribution",
    "matched": "a tie by calibration: the second one's features were made more informative, for each training size",
}


def sentences(r: Trials) -> list[str]:
    """Say which tests keep false alarms within alpha, which do not, and which has the most power."""
    undecided, alpha = _undecided(r), percent(r.alpha)
    if not r.keeping:
        return [undecided or f"No test keeps its false alarms within {alpha} here.", *_broken(r)]
    everywhere = " in every world" if len({heading(row) for row in r.rows}) > 1 else ""
    keepers = listed([name(*key) for key in r.keeping])
    texts = [f"False alarms stay within {alpha}{everywhere} for {keepers}.", *_broken(r)]
    if len(r.keeping) > 1:
        best = r.keeping[0]
        texts.append(
            f"The most powerful of these is {name(*best)}: its power is {span([row['power'] for row in r.find(*best)])}."
        )
    return [*texts, *filter(None, [undecided])]


def _undecided(r: Trials) -> str:
    """Say of which tests too few data sets were drawn to tell."""
    judged = {*r.keeping, *r.breaking}
    left = [key for key in dict.fromkeys((row["design"], row["test"]) for row in r.rows) if key not in judged]
    if not left:
        return ""
    few, others = whole(min(row["sets"] for row in r.rows)), "any other test" if r.breaking else "any test"
    names = listed([name(*key) for key in left]) if r.keeping else others
    return f"{few} data sets are too few to tell whether the false alarms of {names} stay within {percent(r.alpha)}; draw more (sets=1000)."


def _broken(r: Trials) -> list[str]:
    breakers = [f"{name(*key)} ({span([row['false_alarm'] for row in r.find(*key)])})" for key in r.breaking]
    return [f"Too many false alarms: {listed(breakers)}."] if breakers else []


def name(design: str, test: str) -> str:
    """Name a test, with its design if the name does not say it."""
    return clean(test if test.startswith(design) else f"{test} on {design}", LONG)


def heading(row: Row) -> str:
    """Say what the table of a row is of: one world, two learners, one size, one alpha."""
    at = f"n{NBSP}={NBSP}{whole(row['n'])}, alpha {percent(row['alpha'])}"
    return f"{clean(row['learners'], LONG)} ({row['world']}), {at}, in % ± Monte Carlo error"


def badge(r: Trials) -> str:
    """Say in a few words how many tests keep their false alarms."""
    tests = {(row["design"], row["test"]) for row in r.rows}
    return f"{whole(len(r.keeping))} of {whole(len(tests))} keep false alarms within alpha"


def facts(r: Trials) -> list[tuple[str, str]]:
    """Return what lies behind the tables, as pairs of a label and what to say."""
    gaps = [abs(row["difference"]) for row in r.rows]
    gap = " to ".join(dict.fromkeys(Scale("share").plain(gap) for gap in (min(gaps), max(gaps))))
    return [
        *((world, WORLDS[world]) for world in dict.fromkeys(row["world"] for row in r.rows)),
        ("false alarms", "rejections if the two tie"),
        (
            "power",
            f"rejections if the second one's features are more informative: its accuracy is higher by {gap}{NBSP}points",
        ),
        ("fits", "models that are trained for one comparison"),
        ("data sets", f"{whole(r.rows[0]['sets'])} of each world"),
        *verdicts(r.rows).items(),
    ]
