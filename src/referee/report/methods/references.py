r"""The names of tests, intervals, adjustments and metrics in a paper, with citations of the works they come from.

They stand in references.bib, written as BibTeX gets them. What is not certain (a page, a volume) is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from referee.report import phrases
from referee.report.document import Formula, Spelled
from referee.report.numbers import known
from referee.report.phrases import method_names
from referee.report.render import latex as tex
from referee.results.algorithms import Standings
from referee.results.audit import Audit
from referee.results.comparison import Comparison
from referee.results.measurement import Measurement
from referee.results.plan import Plan
from referee.results.ranking import Ranking
from referee.results.settings import ASKED_FOR, Settings
from referee.results.test_info import P_FROM, Phrase, TestInfo, said

Result: TypeAlias = Comparison | Measurement | Ranking | Standings | Audit | Plan
Prose: TypeAlias = list[str]
"""The parts of a sentence: words, formulas, citations."""
ENTRY = re.compile(r"@\w+\{(\w+),\n.*?\n\}", re.DOTALL)
FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.MULTILINE)
SPELT = {r"{\v{s}}": "š", r"{\'e}": "é", r"{\'E}": "É", r"$\times$": "×", "--": "–", r"\&": "&"}
"""How BibTeX spells what is not ASCII."""
VENUES = ("journal", "publisher", "booktitle", "institution", "school", "howpublished")
ALIASES = {"kellerbizarre": "Keller and Bengio, bizarre measures"}
"""How references name works, where that is not authors and year."""


INDEPENDENTLY = "which treats the two systems as independent of each other"
SCORE = "the score interval, which contains all values that the score test does not reject"
GROUPS = (
    "the t interval over groups with the bias-reduced (CR2) standard error, on the effective number of groups less one"
)
CROSSED = (
    "the t interval with a two-way clustered, bias-reduced (CR2) standard error, on Satterthwaite's degrees of freedom"
)
SEQUENCE = "the confidence sequence: the differences against which no bets have won enough, at this look or any other"
INTERVALS = {
    "anytime": said(SEQUENCE, "waudbysmith2023"),
    "anytime-asymptotic": said(f"{SEQUENCE}, in the limit of many examples", "waudbysmith2024"),
    "wilson": said("Wilson's score interval", "wilson1927"),
    "t": said("Student's t interval", "student1908"),
    "cluster-t": said(GROUPS, "bell2002", "pustejovsky2018"),
    "crossed-t": said(CROSSED, "cameron2011", "satterthwaite1946"),
    "robust-t": said("a t interval with a standard error that is robust to dependence within groups", "liang1986"),
    "bradley-terry": said(
        "the t interval of the difference of two ratings, with the bias-reduced (CR2) sandwich error",
        "bradley1952",
        "bell2002",
    ),
    "skew-t": said("the hull of Student's t interval and Hall's, which allows for skewness", "hall1992"),
    "obuchowski-t": said("a t interval with Obuchowski's variance for clustered pairs", "obuchowski1998"),
    "normal": said("a normal (Wald) interval"),
    "score": said(SCORE, "rao1948", "tango1998"),
    "score-sampled": said(f"{SCORE}, by test sets drawn from their nearest worlds", "rao1948", "tango1998"),
    "delong": said("a normal interval with DeLong's variance", "delong1988"),
    "delong-t": said("a t interval with DeLong's variance", "delong1988"),
    "tango": said("Tango's score interval", "tango1998"),
    "wald": said("Wald's interval for paired proportions"),
    "agresti-min": said("Agresti and Min's interval", "agresti2005"),
    "bonett-price": said("Bonett and Price's interval", "bonett2012"),
    "newcombe": said("Newcombe's interval for paired proportions", "newcombe1998"),
    "wald-independent": said(f"Wald's interval of two proportions, {INDEPENDENTLY}"),
    "t-independent": said(f"the t interval of two means, {INDEPENDENTLY}", "student1908"),
    "randomization": said("the set of differences that the randomization test does not reject"),
    "credible": said("the equal-tailed credible interval"),
    "bootstrap-percentile": said("the percentile bootstrap interval", "efron1993"),
    "bootstrap-basic": said("the basic bootstrap interval", "davison1997"),
    "bootstrap-centered": said("the bootstrap interval centred at the mean of the draws", "efron1993"),
    "bootstrap-bca": said("the bias-corrected and accelerated (BCa) bootstrap interval", "efron1987"),
    "bootstrap-se-t": said("a t interval with the bootstrap's standard error", "efron1993"),
    "bootstrap-studentized": said("the studentized bootstrap interval", "davison1997"),
    "corrected-t": said("a t interval with the corrected variance", "nadeau2003"),
    "5x2cv-f": said("made of the differences that the F test would not reject", "alpaydin1999"),
    "5x2cv-t": said("a t interval about the first difference", "dietterich1998"),
    "prediction-powered": said(
        "the interval of the human labels alone, moved by the judge's correction and narrower by the ratio of the standard errors",
        "angelopoulos2023",
    ),
    "posterior": said("the credible interval of the posterior", "corani2015"),
}
"""How each interval is called, and where it comes from."""
ADJUSTMENTS = {
    "holm": said("Holm's method", "holm1979"),
    "hochberg": said("Hochberg's method", "hochberg1988"),
    "bh": said("the method of Benjamini and Hochberg, which bounds the false discovery rate", "benjamini1995"),
    "by": said("the method of Benjamini and Yekutieli, which bounds the false discovery rate", "benjamini2001"),
    "max-t": said("the single-step max-T method, with random draws that all comparisons share", "westfall1993"),
    "romano-wolf": said("the step-down method of Romano and Wolf", "romano2005"),
    "bonferroni": said("Bonferroni's method", "dunn1961"),
}
RESAMPLED = tuple(name for name in INTERVALS if name.startswith("bootstrap-"))
"""The intervals of the bootstrap."""


@dataclass(frozen=True)
class Work:
    """A paper, a book or a report."""

    key: str
    bibtex: str
    """Its entry, as it is."""
    fields: Mapping[str, str] = field(compare=False, repr=False)
    """Those of the entry, in plain letters."""

    @classmethod
    def of(cls, key: str, entry: str) -> Work:
        """Read an entry."""
        plain = entry
        for spelt, sign in SPELT.items():
            plain = plain.replace(spelt, sign)
        return cls(key, entry, {name: text.strip("{}") for name, text in FIELD.findall(plain)})

    @property
    def authors(self) -> list[str]:
        """Each as "Surname, I. I."; the last may be "others"."""
        return self.fields["author"].split(" and ")

    @property
    def surnames(self) -> list[str]:
        """The authors without their initials."""
        return [author.split(",")[0] for author in self.authors]

    @property
    def date(self) -> str:
        """The year, or "n.d." where it is not known."""
        return self.fields.get("year", "n.d.")

    @property
    def label(self) -> str:
        """How the reference of a test or a metric names it: "Fagerland, Lydersen and Laake 2013"."""
        return ALIASES.get(self.key) or f"{phrases.listed(self.surnames)} {self.date}"

    @property
    def citation(self) -> str:
        """How a text cites it: "Fagerland et al., 2013"."""
        names = self.surnames
        return f"{f'{names[0]} et al.' if len(names) > 2 else ' and '.join(names)}, {self.date}"

    def __str__(self) -> str:
        volume, number, pages = (self.fields.get(name, "") for name in ("volume", "number", "pages"))
        where = next(self.fields[name] for name in VENUES if name in self.fields)
        where += f" {volume or number}" if volume or number else ""
        where += f"({number})" if volume and number else ""
        where += f":{pages}" if volume and pages else f", pages {pages}" if pages else ""
        edition = f" ({self.fields['edition']} edition)" if "edition" in self.fields else ""
        return f"{phrases.listed(self.authors)} ({self.date}). {self.fields['title']}{edition}. {where}."


WORKS = {
    entry[1]: Work.of(entry[1], entry[0])
    for entry in ENTRY.finditer(Path(__file__).with_name("references.bib").read_text(encoding="utf-8"))
}


def cited(reference: str) -> tuple[list[Work], str]:
    """Find the works that the reference of a user's test names, by key or by authors and year; and what names none.

    >>> works, rest = cited("mcnemar1947; mid-p: Fagerland, Lydersen and Laake 2013; my uncle 1999")
    >>> [work.key for work in works], rest
    (['mcnemar1947', 'fagerland2013'], 'my uncle 1999')
    """
    found, rest = [], []
    for part in re.split("; ?", reference):
        names = {work: rf"(?<!\w)(?:{re.escape(work.label)}|{work.key})(?!\w)" for work in WORKS.values()}
        here = {place.start(): work for work, name in names.items() if (place := re.search(name, part))}
        found += [here[place] for place in sorted(here)]
        rest += [] if here else [part]
    return list(dict.fromkeys(found)), "; ".join(filter(None, rest))


class Cite(Spelled):
    """A citation in parentheses; of a reference that the bibliography does not know, what it says."""

    works: tuple[Work, ...]
    more: str

    def __new__(cls, works: Iterable[Work], more: str = "") -> Cite:
        """Cite works, and what else a reference says."""
        known, others = tuple(works), [more] if more else []
        keys = rf"~\citep{{{','.join(work.key for work in known)}}}" if known else ""
        latex = keys + "".join(f" ({tex.escape(other)})" for other in others)
        self = super().__new__(cls, f" ({'; '.join([*(work.citation for work in known), *others])})", latex)
        self.works, self.more = known, more
        return self


def cite(*keys: str) -> Cite:
    """Cite works by their keys."""
    return Cite(WORKS[key] for key in keys)


def code(text: str) -> Spelled:
    """Return something for machines, such as a signature; it may be broken at its bars."""
    bar = tex.escape("|")
    breakable = tex.escape(text).replace(bar, bar + r"\allowbreak{}")
    return Spelled(text, rf"\texttt{{{breakable}}}")


def prose(phrase: Phrase) -> Prose:
    """Return words with their citations behind them."""
    return [piece for text, works in phrase for piece in ([text, cite(*works)] if works else [text])]


def works_of(pieces: Iterable[str]) -> list[Work]:
    """Return the works that are cited, each once, in the order of their first citation."""
    return list(dict.fromkeys(work for piece in pieces if isinstance(piece, Cite) for work in piece.works))


def others_of(pieces: Iterable[str]) -> list[str]:
    """Return the references that the bibliography does not know."""
    return list(dict.fromkeys(piece.more for piece in pieces if isinstance(piece, Cite) and piece.more))


def level_of(alpha: float) -> Formula:
    """Write the level of a test."""
    return Formula(f"alpha = {alpha:g}")


def joined(parts: Iterable[Prose], comma: str = ", ", last: str = " and ") -> Prose:
    """Write several phrases as one, with this between them, and that before the last."""
    every, pieces = list(parts), Prose()
    for place, part in enumerate(every, 1):
        pieces += [last if place == len(every) else comma, *part] if place > 1 else part
    return pieces


def procedure(spelling: str, test: TestInfo | None, margin: bool = False) -> Prose:
    """Say which test it is, with citations: a noun phrase.

    Args:
        spelling: the test.
        test: what is known of it.
        margin: whether it is asked about a margin, and not about a tie.
    """
    if test is None:
        return [method_names.the_test(spelling)]
    if margin and not test.one_law:
        return ["the interval of the difference"]
    if test.procedure:
        return prose(test.procedure)
    works, more = cited(test.reference)
    source = [Cite(works, more)] if works or more else []
    return [f"the test {test.name} ({phrases.clean(test.summary, 300).rstrip('.')})", *source]


def origin(test: TestInfo | None, method: str, error: float | None = None, margin: bool = False) -> Prose:
    """Say where the p-value comes from: a sentence.

    Args:
        test: what is known of the test.
        method: "exact", "monte-carlo" or "asymptotic".
        error: the standard error of a p-value that was drawn.
        margin: whether it is of a question about a margin.
    """
    if margin and not (test and test.one_law):
        level = "at a level of 1 - 2 alpha"
        return [f"The p-value is the smallest alpha at which that interval, {level}, excludes the margin."]
    words = prose((test.p_from if test else P_FROM)[method])
    if method == "monte-carlo" and known(error) and error > 0:
        words.append(f"; its Monte Carlo standard error is {error:.1g}")
    return [*words, "."]


def interval(method: str) -> Prose:
    """Say what an interval is: a noun phrase."""
    return prose(INTERVALS.get(method) or said(f"by the method {phrases.clean(method)}"))


def adjusted(name: str, count: int, what: str, number: str = "p-value") -> Prose:
    """Return a sentence that says how p-values, or what takes their place, are adjusted for multiple comparisons."""
    if name == "none":
        return [f"The {number}s of the {count:,} {what} are not adjusted."]
    method = ADJUSTMENTS.get(name) or said(f"the method {phrases.clean(name)}")
    return [f"The {number}s of the {count:,} {what} are adjusted by ", *prose(method), "; the verdicts follow these."]


def metric_name(r: Result) -> str:
    """Name a metric, with its averaging and its options."""
    return phrases.metric_name(r.metric, r.metric_info) if isinstance(r, Standings) else phrases.whole_metric(r)


def described(r: Result) -> Prose:
    """Name a metric with what it is and which way is better, where that is known, and cite where it comes from."""
    metric = r.metric_info
    higher = r if not isinstance(r, Audit) else metric
    better = f"{'higher' if higher.higher_is_better else 'lower'} is better" if higher is not None else "of the user"
    meaning = f"{phrases.clean(metric.definition, 300)}; " if metric and metric.definition else ""
    source = [cite(*metric.works)] if metric and meaning and metric.works else []
    return [f"{metric_name(r)} ({meaning}{better})", *source]


def chosen_because(reasons: set[str]) -> Prose:
    """Say why the test was chosen, where it was chosen here and for one reason: a sentence."""
    words = [phrases.clean(reason, 1000).rstrip(".") for reason in reasons]
    return [f"This test was chosen because {words[0]}."] if len(words) == 1 and words[0] not in ("", ASKED_FOR) else []


def software(settings: Settings | None, signature: str = "") -> Prose:
    """Name the software, with the line that it takes to get the same numbers again."""
    version = f"referee {settings.version}" if settings else "referee"
    if not signature:
        return [f"The numbers were computed with {version}."]
    return [f"The numbers were computed with {version} (signature: ", code(phrases.clean(signature, 2000)), ")."]
