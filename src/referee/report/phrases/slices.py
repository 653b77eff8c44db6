"""Rankings of several slices in words: who leads in how many, and who can't be ruled out as best in any."""

from __future__ import annotations

from collections import Counter

from referee.report import phrases
from referee.report.document import Name, Text, join
from referee.report.numbers import whole
from referee.report.phrases import apart_in_a_list, clean, several
from referee.report.phrases.ranking import NAMED, label, leaders
from referee.report.phrases.terms import terms
from referee.results.ranking import Ranking, Rankings


def slices(rs: Rankings) -> list[str]:
    """Return what the slices are called."""
    return [clean("" if r.slice is None else r.slice) or "(empty)" for r in rs]


def headline_of_several(rs: Rankings) -> Text:
    """Say who scores highest in how many slices; against a baseline, who is better than it in how many."""
    if not len(rs):
        return "There is nothing to rank."
    every = several(len(rs), "slice")
    base = rs[0].baseline
    found = Counter(name for r in rs for name in (_names(r, "better") if base is not None else leaders(r)))
    if not found:
        none = (
            (f"No system is {terms(rs[0]).surely}better than ", Name(label(rs[0], base)))
            if base is not None
            else ("Nobody has a score",)
        )
        return (*none, f" in any of {every}.")
    (first, most), *others = found.most_common()
    where = (
        f" in {whole(most)} of {every}"
        if most < len(rs) or len(rs) == 1
        else " in both slices"
        if most == 2
        else f" in all {every}"
    )
    claim = (
        (f" is {terms(rs[0]).surely}better than ", Name(_own(rs, base)))
        if base is not None
        else (" scores highest" if rs[0].higher_is_better else " scores lowest",)
    )
    rest = [part for name, count in others[: NAMED - 1] for part in ("; ", Name(_own(rs, name)), f" in {whole(count)}")]
    more = (f"; {several(len(others) - NAMED + 1, 'other')} in fewer",) if len(others) >= NAMED else ()
    return (Name(_own(rs, first)), *claim, where, *rest, *more, ".")


def _own(rs: Rankings, name: str) -> str:
    return next(label(r, name) for r in rs if any(one.name == name for one in r.systems))


def _names(r: Ranking, standing: str) -> list[str]:
    return [one.name for one in r.systems if one.standing == standing]


def details_of_several(rs: Rankings) -> Text:
    """Say who can't be ruled out as best anywhere, and that each slice is a family of its own."""
    if len(rs) < 2:
        return ""
    family = (
        f"Each slice is ranked on its own: the {terms(rs[0]).number}s are adjusted within a slice, not across slices."
    )
    if rs[0].baseline is not None:
        return family
    always = [name for name in rs[0].best if all(name in r.best for r in rs)]
    ruled = [_own(rs, name) for name in always]
    if not ruled:
        return join("Every system is ruled out as best in some slice.", family)
    if len(ruled) > NAMED:
        return join(f"{several(len(ruled), 'system')} can't be ruled out as best in any slice.", family)
    return join((*apart_in_a_list(ruled), " can't be ruled out as best in any slice."), family)


def warnings(rs: Rankings) -> list[str]:
    """Return each warning once, with the slices that it is about."""
    return phrases.warnings_of([(name, r.warnings) for name, r in zip(slices(rs), rs, strict=True)])
