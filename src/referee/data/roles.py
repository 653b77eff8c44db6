"""Roles: the columns, policies and reader options, each declared once, for the command line, the page and `Outcomes`.

A new column needs an entry here and an argument in the functions that take it; CONTRIBUTING.md lists what else it may need.
Engines, joins, counts and guesses ask for its use: the constants at the end say which uses are treated alike.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import Any, Literal

from referee.data.policy_values import LEAVE_OUT, MISSING, STOP, Value
from referee.errors import OptionError, unknown
from referee.registry import typed

Section = Literal["Data", "Question", "Dirty data", "Logs", "Output"]
"""The groups of options in `referee compare --help`."""
Kind = Literal["column", "reader", "label", "policy"]
"""A column of a table that is counted; what only files that are read and paired need; a label; or a policy."""
Use = Literal["system", "truth", "judge", "side", "weight", "times", "id", "shown", "answers", ""]
"""What a column is to counting: what is compared, what a judge says in place of people, what tells examples apart, how much an example
counts, how often a row occurred, or only shown; answers are those of the one system that a table is of."""
FILES = ("table", "pair", "runs")
FILE = "FILE"
"""What stands for the value of an option that names files to be read beside the data."""
ALL = ("compare", "count", "audit", "plan", "rank", "read", "score", "watch")
TWO = ("compare", "count", "audit", "plan", "read", "watch")
"""The verbs of two systems."""


@dataclass(frozen=True)
class PageField:
    """A field of the page, whose choices are the columns of the files or the values of the option."""

    layouts: tuple[str, ...] = ("table", "pair")
    """When the page has it: with one table, with a pair of them, with runs (logs), or with one log of several systems."""
    place: Literal["pairing", "columns", "more"] = "columns"
    """Before the columns, among them, or behind "More"."""
    none: str = "none"
    """What the page calls the choice of no column."""
    hint: str = ""


@dataclass(frozen=True)
class Option:
    """An argument of the functions that take data, an option of the command line, and maybe a field of the page."""

    name: str
    help: str
    _: KW_ONLY
    kind: Kind
    section: Section
    verbs: tuple[str, ...] = ALL
    """The verbs of the command line that have it, and `read`. The functions of their names have it too, but for reader options,
    which in Python are arguments of `read` alone."""
    metavar: str = "COLUMN"
    """What stands for its value in the help of the command line; nothing of a flag."""
    values: Mapping[str, Value] = field(default_factory=dict)
    """The values that it can take, the usual one first; any if empty."""
    default: Any = None
    """What it is if left out, on the command line and in `read`; that of a reader option also says its type."""
    use: Use = ""
    role: str = ""
    """What the column is called in counts, where that is not the name."""
    label: str | None = None
    """What the page calls it; None where the page does not ask for it."""
    page: tuple[PageField, ...] = ()
    """The fields of the page that ask for it, if its choices are columns or a policy's values."""
    guessed_by: str = ""
    """Names that say that a column is this, in small words, the surest first: other names are not guesses."""
    may_be: str = ""
    """Another option that may name the same column, if that is no mistake."""
    helps: Mapping[str, str] = field(default_factory=dict)
    """What the help of single verbs says instead."""
    twice: bool = False
    """Whether two columns may be named, which are then crossed."""
    of_several: bool = False
    """Whether it names one of several that a log may have or not, so that it need not fit each file of a folder."""

    @property
    def flag(self) -> str:
        """The option of the command line."""
        return f"--{self.name.replace('_', '-')}"

    def typed(self, value: Any) -> Any:
        """Return a value, which may be text, with the type of the default.

        Raises:
            OptionError: if it has none of that type.
        """
        return value if value is None else typed(self.name, value, self.default)


COLUMN = partial(Option, kind="column", section="Data")
PAIRING = partial(Option, kind="reader", section="Data", verbs=(*TWO, "rank"))
POLICY = partial(Option, kind="policy", section="Dirty data", metavar="POLICY", page=(PageField(FILES, "more"),))
LOG = partial(Option, kind="reader", section="Logs", metavar="NAME")
"""What a format of logs declares beside its reader, in `data/formats/`."""
SCORE = LOG("score", "Which score, if a log has several.", label="Score", of_several=True)


def policy(
    name: str, what: str, values: Mapping[str, Value], *, default: str | None = "error", more: str = "", many: str = "",
    **shown: Any,
) -> Option:  # fmt: skip
    """Declare a policy; its help lists the values. What each of them does is in `data/policies.py`."""
    first, *others = values
    listed = [f"{first} (default)" if first == default else first, *(f"{one} ({values[one].words})" for one in others)]
    choice = f": {', '.join(listed[:-1])} or {listed[-1]}{more}."
    helps = {"rank": many + choice} if many else {}
    return POLICY(name, what + choice, values=values, default=default, helps=helps, **shown)


DECLARED = (
    COLUMN("truth", "The right answers; leave it out if --a and --b are scores.", use="truth", label="Right answers",
           helps=dict.fromkeys(("rank", "score"), "The right answers; leave it out if the predictions are scores."),
           page=(PageField(none="none: A and B are scores"),),
           guessed_by="truth, gold, ground truth, y true, true label, label, labels, target, expected, reference, "
                      "correct answer, actual, gt, y, class, answer"),
    COLUMN("a", "The first system: its predictions or scores.", verbs=TWO, use="system", label="System A",
           page=(PageField(("table", "systems"), none="choose", hint="The one you have."),)),
    COLUMN("b", "The second system: its predictions or scores.", verbs=TWO, use="system", label="System B",
           page=(PageField(("table", "systems"), none="choose", hint="The one that may be better."),)),
    COLUMN("judge", "A judge's labels, for all examples; people's (--truth) may then be empty in some.", verbs=("compare", "count"), use="judge"),
    COLUMN("judge_a", "A judge's scores of A's outputs; people's scores (--a, --b) may then be empty.", verbs=("compare", "count"), use="judge"),
    COLUMN("judge_b", "A judge's scores of B's outputs.", verbs=("compare", "count"), use="judge"),
    COLUMN("group", "Groups of examples that depend on each other, such as sentences of a document; give it twice if they "
           "are crossed, such as questions and seeds.", use="side", label="Group", twice=True,
           page=(PageField(hint="Examples that depend on each other, such as the sentences of one document."),),
           guessed_by="group, cluster, document, doc, document id, doc id, passage, conversation, session, user, user id, "
                      "speaker, sender, author, patient, subject, topic, scene"),
    COLUMN("crossed", "The second of two crossed groups; `group` names both.", verbs=(), use="side"),
    COLUMN("stratum", "The stratum that each example was drawn from.", use="side"),
    COLUMN("weight", "How much each example counts in the scores; any number from 0 on.", use="weight"),
    COLUMN("id", "The example's id.", use="id", label="Example id",
           page=(PageField(("table",), "more"), PageField(("pair",), "pairing", "none: pair row by row", "Rows with the same id are paired.")),
           guessed_by="id, example id, item id, question id, sample id, doc id, uid, uuid, qid, key, index, item"),
    COLUMN("winner", "Who won each judgement: a, b or tie, the systems' names (--a, --b), or a scale from -2 to 2 (2: B).",
           verbs=("compare", "count", "watch")),
    COLUMN("first", "With --winner: which of the two was shown first, to measure position bias.",
           verbs=("compare", "count", "watch")),
    COLUMN("text", "The example's text, for the report (--html).", verbs=("compare", "read", "watch"), use="shown",
           label="Text of the examples", page=(PageField(place="more", hint="Shown in the report where the systems differ."),),
           guessed_by="text, sentence, question, prompt, input, message, content, body, query, instruction"),
    COLUMN("by", "Compare once per slice, adjusted for multiple comparisons.", verbs=("compare", "count", "rank", "read", "score"),
           helps={"rank": "Rank once per slice.", "score": "Score once per slice."}, use="side", role="slice", label="Compare within each", may_be="truth",
           page=(PageField(place="more", none="no", hint="Once per language, category, ...; adjusted for their number."),)),
    PAIRING("prediction", "With two tables: their column of predictions or scores.", label="Predictions or scores",
            helps={"rank": "With one table per system: their column of predictions or scores."},
            use="answers", page=(PageField(("pair",), "pairing", "choose a column", "The same column in both files."),),
            guessed_by="prediction, predictions, pred, predicted, y pred, output, response, guess, hypothesis, answer, "
                       "score, correct, is correct, accuracy, acc, exact match, f 1, value, result"),
    PAIRING("by_line", "Pair rows by line number when there is no id column.", metavar="", default=False),
    PAIRING("system", "With one long table: which system a row is from; --a and --b name two.",
            helps={"rank": "With one long table: which system a row is from."}),
    SCORE,
    COLUMN("multiplicity", "How often the row occurred.", verbs=("count", "rank"), use="times"),
    Option("positive", "The label that precision, recall and F1 look for.", kind="label", section="Question",
           metavar="LABEL", label="Positive label"),
    policy("missing", "What to do with missing predictions",
           MISSING,
           label="Missing answers"),
    policy("repeats", "What to do with repeated ids",
           {"error": STOP, "mean": Value("average them"), "group": Value("keep them together as a group")},
           label="Repeated ids", default=None, more="; by default epochs are averaged"),
    policy("unmatched", "What to do with examples that only one system has", {"error": STOP, "drop": LEAVE_OUT},
           label="Unpaired examples", verbs=(*TWO, "rank"), many="What to do with examples that not all systems have",
           page=(PageField(("pair", "runs"), "more", hint="Examples that only one of the two has."),)),
)  # fmt: skip
"""In the order in which the command line lists them."""
OPTIONS: Mapping[str, Option] = {option.name: option for option in DECLARED}
"""The options that belong to no single format of logs."""


def every_option() -> dict[str, Option]:
    """Return all options: those of formats of logs too, after the score, which many of them have."""
    from referee.data.formats.base import format_options  # formats declare their options with what is here

    place = DECLARED.index(SCORE) + 1
    return {option.name: option for option in (*DECLARED[:place], *format_options(), *DECLARED[place:])}


def options_of(verb: str) -> Iterator[Option]:
    """Yield the options of a verb."""
    return (option for option in every_option().values() if verb in option.verbs)


def names_of(*kinds: Kind) -> tuple[str, ...]:
    """Return the names of the options of some kinds."""
    options = every_option() if "reader" in kinds else OPTIONS
    return tuple(name for name, option in options.items() if option.kind in kinds)


def roles_of(*uses: Use) -> tuple[str, ...]:
    """Return what the columns of some uses are called in counts."""
    return tuple(option.role or option.name for option in OPTIONS.values() if option.use in uses)


SYSTEMS = roles_of("system")
LABELS = roles_of("truth", "system")
SIDES = roles_of("side", "weight")
"""What tells examples apart: of which group, stratum and slice they are, and how much they count."""
SHARED = roles_of("truth", "side", "weight")
"""What belongs to an example: of two tables either may have it, and they must agree."""
JUDGES = {"judge": "truth", "judge_a": "a", "judge_b": "b"}
"""What a judge says of every example, and what people say of some in its place."""
NUMBERS = roles_of("truth", "system", "judge", "weight", "times")
"""What is numbers, in a file of text, if all of it is written so; the rest stays text."""
SAMPLE = "sample"
"""Whose example it is, "a" or "b", where the systems answered different ones; both have the answer of that system there."""
FIRST = "first"
"""Of preferences: which system was shown first, "a", "b", or "unknown"; answers are then shares of a win, 1 between both."""
PLACES = ("first", "second")
"""Where a system was shown."""
UNKNOWN = "unknown"
"""Who was shown first, if nobody says."""
SIGNED = (SAMPLE, FIRST)
"""Whose values are the roles of systems, and change with them."""
COUNTED = (*LABELS, *JUDGES, *SIDES, *SIGNED)
"""The roles that counts have."""
MORE = "system "
"""How the roles of systems begin where there may be any number of them."""
NAMED_BY = {"slice": "by", "value": "prediction", "only": "system", "crossed": "group"}
"""The arguments that name the columns of roles, where they are called something else."""


def is_system(role: str) -> bool:
    """Say whether a column of this role holds what a system answered: a, b, or one of any number."""
    return role in SYSTEMS or role.startswith(MORE)


def systems_among(roles: Iterable[str]) -> tuple[str, ...]:
    """Return the roles that are systems, in their order."""
    return tuple(filter(is_system, roles))


def labels_among(roles: Collection[str]) -> tuple[str, ...]:
    """Return the truth, if it is there, and the systems."""
    return (*(role for role in roles_of("truth") if role in roles), *systems_among(roles))


def named_among(wanted: Iterable[str], known: Collection[str], what: str = "system") -> list[str]:
    """Return the names that are meant, in the order in which they were asked for; a pattern with `*`, `?` or `[` means all that fit.

    Args:
        wanted: names and patterns.
        known: the names there are.
        what: what they are, for messages.

    Raises:
        OptionError: if a name is given twice.
        NameUnknown: if nothing fits one of them.

    >>> named_among(["new", "old-*"], ["old-1", "old-2", "older", "new"])
    ['new', 'old-1', 'old-2']
    >>> named_among(["old-*", "old-1"], ["old-1", "old-2"])
    ['old-1', 'old-2']
    """
    found, named = dict[str, None](), set[str]()
    for one in wanted:
        if one in known and one in named:
            raise OptionError(f"{one!r} is named twice", argument="systems", value=one, remedy="name each system once")
        if not (names := fitting(one, known)):
            raise unknown(what, one, known, "systems")
        found |= dict.fromkeys(names)
        named.add(one)
    return list(found)


def fitting(wanted: str, known: Collection[str]) -> list[str]:
    """Return the names that a name or a pattern fits."""
    if wanted in known:
        return [wanted]
    return (
        [name for name in known if fnmatch.fnmatchcase(name, wanted)] if any(sign in wanted for sign in "*?[") else []
    )


def check_columns(roles: Mapping[str, str], known: Collection[str]) -> None:
    """Refuse names that no column has.

    Args:
        roles: role to column name.
        known: the names there are.

    Raises:
        NameUnknown: with the names there are.
    """
    for role, name in roles.items():
        if name not in known:
            raise unknown("column", name, known, NAMED_BY.get(role, role))
