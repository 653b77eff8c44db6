"""The document of trials of the tests of learning algorithms: which keep their false-alarm rate, and how each did in every world."""

from __future__ import annotations

from collections.abc import Sequence

from referee.report.audit import TONES
from referee.report.document import Case, Column, Document, Facts, Table, Verdict
from referee.report.numbers import NBSP, Scale, percent, whole
from referee.report.phrases import LONG, clean, listed, signature, span
from referee.report.phrases.audit import trial_name, verdicts
from referee.report.phrases.method_names import test_name
from referee.report.sections import cases_of_rows
from referee.results.audit import alarm_verdict
from referee.results.trials import Row, Trials

WORLDS = {
    "symmetric": "a tie by symmetry: each uses its own half of the features, and the halves follow the same distribution",
    "matched": "a tie by calibration: the second one's features were made more informative, for each training size",
}


def document(r: Trials) -> Document:
    """Say what the report of trials says."""
    first, *more = _sentences(r)
    tests = {(row["design"], row["test"]) for row in r.rows}
    groups: dict[str, list[Row]] = {}
    for row in r.rows:
        groups.setdefault(_heading(row), []).append(row)
    return Document(
        kind="trials",
        verdict=Verdict(
            badge=f"{whole(len(r.keeping))} of {whole(len(tests))} tests stay within alpha",
            tone="good" if r.keeping else "bad" if r.breaking else "open",
            headline=first,
            details=" ".join(more),
        ),
        blocks=[*(_table(title, rows) for title, rows in groups.items()), Facts(_facts(r))],
        signatures=[signature(r.signature)],
        cases=lambda: [case for title, rows in groups.items() for case in _cases(title, rows)],
    )


def _cases(title: str, rows: Sequence[Row]) -> list[Case]:
    """Return a test case for each row, which passes if the test is seen to keep its false-alarm rate."""
    names = [trial_name(row["design"], row["test"]) for row in rows]
    return cases_of_rows(
        _table(title, rows), title, names, [alarm_verdict(row) in ("keeps", "cautious") for row in rows]
    )


def _table(title: str, rows: Sequence[Row]) -> Table:
    designs, tests = [clean(row["design"], LONG) for row in rows], [test_name(row["test"]) for row in rows]
    alarms, powers = (
        [f"{100 * row[key]:.1f} ± {100 * row[f'{key}_error']:.1f}" for row in rows] for key in ("false_alarm", "power")
    )
    ends: list[str] = [alarm_verdict(row) for row in rows]
    cells = {
        Column("design"): designs,
        Column("test"): tests,
        Column("fits", "number"): [whole(row["fits"]) for row in rows],
        Column("false alarms", "number"): alarms,
        Column("power", "number"): powers,
        Column("verdict"): ends,
    }
    titles = [f"{design}, {test}: {end}" for design, test, end in zip(designs, tests, ends, strict=True)]
    tones = [TONES[alarm_verdict(row)] for row in rows]
    return Table.of(cells, title=title, announced="sentence", tones=tones, titles=titles, in_titles=(0, 1, 5))


def _heading(row: Row) -> str:
    """Say what the table of a row is of: one world, two learners, one size, one alpha."""
    at = f"n{NBSP}={NBSP}{whole(row['n'])}, alpha {percent(row['alpha'])}"
    return f"{clean(row['learners'], LONG)} ({row['world']}), {at}, in % ± Monte Carlo error"


def _sentences(r: Trials) -> list[str]:
    """Say which tests stay within alpha, which do not, and which has the most power."""
    undecided, alpha = _undecided(r), percent(r.alpha)
    breakers = [f"{trial_name(*key)} ({span([row['false_alarm'] for row in r.find(*key)])})" for key in r.breaking]
    broken = [f"Too many false alarms: {listed(breakers)}."] if breakers else []
    if not r.keeping:
        return [undecided or f"No test's false-alarm rate stays within {alpha} here.", *broken]
    everywhere = " in every world" if len({_heading(row) for row in r.rows}) > 1 else ""
    keepers = [trial_name(*key) for key in r.keeping]
    power = span([row["power"] for row in r.find(*r.keeping[0])])
    most = f"The most powerful of these is {keepers[0]}: its power is {power}." if len(keepers) > 1 else ""
    claim = f"False alarms stay within {alpha}{everywhere} for {listed(keepers)}."
    return [claim, *broken, *filter(None, [most, undecided])]


def _undecided(r: Trials) -> str:
    """Say of which tests too few data sets were drawn to tell."""
    judged = {*r.keeping, *r.breaking}
    left = [key for key in dict.fromkeys((row["design"], row["test"]) for row in r.rows) if key not in judged]
    if not left:
        return ""
    few, others = whole(min(row["sets"] for row in r.rows)), "any other test" if r.breaking else "any test"
    names = listed([trial_name(*key) for key in left]) if r.keeping else others
    return f"{few} data sets are too few to tell whether the false alarms of {names} stay within {percent(r.alpha)}; draw more, such as 1,000."


def _facts(r: Trials) -> list[tuple[str, str]]:
    """Return what lies behind the tables, as pairs of a label and what to say."""
    gaps = [abs(row["difference"]) for row in r.rows]
    gap = " to ".join(dict.fromkeys(Scale("share").plain(gap) for gap in (min(gaps), max(gaps))))
    power = f"rejections if the second one's features are more informative: its accuracy is higher by {gap}{NBSP}points"
    return [
        *((world, WORLDS[world]) for world in dict.fromkeys(row["world"] for row in r.rows)),
        ("false alarms", "rejections if the two tie"),
        ("power", power),
        ("fits", "models that are trained for one comparison"),
        ("data sets", f"{whole(r.rows[0]['sets'])} of each world"),
        *verdicts(r.rows).items(),
    ]
