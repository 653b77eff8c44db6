"""TREC runs, rankings of documents by query, which relevance judgements (qrels) and a measure of ir_measures turn into scores."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from shlex import quote
from typing import Any, TypeAlias

from referee.data.formats.base import Choices, Opening, Run, first_lines, reader, stem
from referee.data.formats.json_fields import decoded, text_lines
from referee.data.formats.score_lines import LOOK, NUMBER, decimal
from referee.data.roles import FILE, LOG, SCORE
from referee.errors import (
    Argument,
    InputError,
    Message,
    NameUnknown,
    NotReady,
    OptionError,
    did_you_mean,
    not_installed,
)

Ranked: TypeAlias = dict[str, dict[str, float]]
"""Query to document to score."""
Judged: TypeAlias = dict[str, dict[str, int]]
"""Query to document to relevance."""
QRELS = LOG("qrels", "Relevance judgements for TREC runs; the metrics are then measures: nDCG@10, AP.", metavar=FILE)
ITERATIONS = (b"Q0", b"QO", b"0")
"""What stands in the second column of rankings and judgements, and means nothing."""
COLUMNS = "qid Q0 docid rank score tag"
BEIR = (b"query-id", b"corpus-id", b"score")
"""The header of judgements as BEIR has them."""
WHOLE = re.compile(rb"-?[0-9]+")
APART = re.compile(r",(?![^()]*\))")
"""The commas between measures, and none within the brackets of one."""
USUAL = ("nDCG@10", "AP", "RR", "P@10", "R@100")
NO_QUALITY = ("NumQ", "NumRel", "NumRet")
"""Measures that count, and say nothing of how good a run is."""
OWN_RANGE = ("BPM", "INSQ", "INST", "SDCG", "RBP", "StREL", "alpha_DCG")
"""Measures that may leave the range from 0 to 1."""
LARGEST = 1_000_000
"""The largest cut-off and grade of relevance; pytrec_eval computes in 32 bits, and some numbers abort the process."""
RANGE = "low=0,high=1"
"""Which values a measure can have, as options of the mean."""


def is_run(opening: Opening) -> bool:
    """Say whether the first line is a query, Q0, a document, its rank, its score and a tag; or, as one line may be wrong, most are."""
    rows = [line.split() for line in first_lines(opening.head, LOOK)]
    if not rows:
        return False
    plain = [row for row in rows if _is_ranked(row) and row[1] != b"0"]  # of a table, a column may be 0
    return _is_ranked(rows[0]) or 2 * len(plain) > len(rows)


def _is_ranked(row: list[bytes]) -> bool:
    is_ranked = len(row) == 6 and row[3].isdigit() and NUMBER.fullmatch(row[4]) is not None
    return is_ranked and row[1].upper() in ITERATIONS


@reader("a TREC run", recognises=is_run, options=(SCORE, QRELS))
def read(path: Path, choices: Choices) -> list[Run]:
    """Score the rankings of a run: one item per query that has judgements, without a score if the run does not have it.

    Raises:
        OptionError: if there are no judgements, or no measure is named.
        InputError: if a line is none of a ranking, a document stands twice under a query, or run and judgements have no query
            in common.
    """
    measures = _measures(path, choices)
    where = Path(choices["qrels"])
    judged, ranked = _qrels(where), _rankings(path)
    common = [query for query in judged if query in ranked]
    if not common:
        ours, theirs = next(iter(ranked)), next(iter(judged))
        apart = (
            f"{path} and {where} have no query in common, such as {ours!r} in the run and {theirs!r} in the judgements"
        )
        raise InputError(apart, argument="qrels", value=str(where), remedy="give the judgements of these queries")
    values = _values(measures, judged, {query: ranked[query] for query in common})
    warnings = _warnings(path, where, judged, ranked)
    names = [str(measure) for measure in measures]
    told = f"the queries are scored by {', '.join(names)}, with the judgements in {where}"
    return [
        Run(
            system=stem(path),
            task=name if len(names) > 1 else "",
            rows={"id": list(judged), "value": [values[name].get(query) for query in judged]},
            notes=(told,),
            warnings=tuple(warnings),
            chosen={"score": name, "qrels": where.name, "scale": RANGE}
            | ({"slices": "scores"} if len(names) > 1 else {}),
            noun="query",
        )
        for name in names
    ]


def _measures(path: Path, choices: Choices) -> list[Any]:
    """Return the measures that are meant.

    Raises:
        OptionError: if the judgements or the measure are not named, or a measure is none that runs are compared by.
        NameUnknown: if there is none of that name.
    """
    run = quote(str(path))
    if "qrels" not in choices:
        scored = f"; or score both with trec_eval -q QRELS {run} and compare what it prints"
        remedy = Message(
            "give the judgements with ", Argument("qrels"), " and a measure with ", _asked("nDCG@10"), scored
        )
        raise OptionError(f"{path} is a TREC run: a ranking without scores", argument="qrels", remedy=remedy)
    given = choices.get("score")
    if not given:
        remedy = Message("give one with ", _asked("nDCG@10"), f"; others are {', '.join(USUAL[1:])}")
        raise OptionError("runs are compared by a measure, and none is named", argument="score", remedy=remedy)
    wanted = given if isinstance(given, list | tuple) else APART.split(str(given))
    parsed = [_measure(str(one).strip()) for one in wanted]
    return list({str(one): one for one in parsed}.values())


def _asked(measure: str) -> Argument:
    return Argument("score", measure, option="metric")


def _measure(name: str) -> Any:
    """Return a measure that runs can be compared by."""
    ir = _library()
    head = re.split(r"[@(]", name)[0]
    usual = next((one for one in ir.measures.registry if one.casefold() == head.strip().casefold()), head)
    try:
        measure = ir.parse_measure(usual + name[len(head) :])
        measure.validate_params()
    except NameError:
        told = f"there is no measure {name!r}{did_you_mean(head, [*USUAL, *ir.measures.registry])}"
        raise NameUnknown(told, argument="score", value=name, remedy=f"measures are {', '.join(USUAL)}, ...") from None
    except (ValueError, AssertionError, SyntaxError, TypeError, KeyError, RecursionError, MemoryError) as error:
        wrong = f"{name!r} is not a measure that can be computed"
        remedy = "write it as nDCG@10, AP(rel=2) or P@5"
        raise OptionError(wrong, argument="score", value=name, remedy=remedy) from error
    for param, called in (("cutoff", "cut-off"), ("rel", "smallest relevant grade")):
        if not 1 <= measure.params.get(param, 1) <= LARGEST:
            beyond = f"the {called} of {name!r} must be from 1 to {LARGEST:,}"
            raise OptionError(beyond, argument="score", value=name, remedy="write the measure as nDCG@10 or AP(rel=2)")
    if any(abs(gain) > LARGEST for gain in (measure.params.get("gains") or {}).values()):
        beyond = f"a gain of {name!r} is beyond {LARGEST:,}"
        raise OptionError(beyond, argument="score", value=name, remedy="give smaller gains")
    if measure.NAME in NO_QUALITY or measure.NAME in OWN_RANGE:
        kind = "a count" if measure.NAME in NO_QUALITY else "not a score from 0 to 1"
        raise OptionError(f"{measure} is {kind}", argument="score", value=name, remedy=f"use {', '.join(USUAL)}, ...")
    if not any(one.supports(measure) and one.is_available() for one in ir.providers.registry.values()):
        lacking = f"ir_measures cannot compute {measure} with what is installed"
        raise OptionError(lacking, argument="score", value=name, remedy=f"use {', '.join(USUAL)}, ...")
    return measure


def _library() -> Any:
    """Return ir_measures.

    Raises:
        OptionError: if it is not installed.
    """
    try:
        return import_module("ir_measures")
    except ImportError as error:
        raise not_installed("measures of retrieval need ir_measures", install="'referee[ir]'") from error


def _values(measures: list[Any], judged: Judged, ranked: Ranked) -> Mapping[str, dict[str, float]]:
    """Return the value of each measure for each query that was ranked, as ir_measures computes it."""
    found: dict[str, dict[str, float]] = {str(measure): {} for measure in measures}
    for one in _library().iter_calc(measures, judged, ranked):
        if one.query_id in ranked:
            found[str(one.measure)][one.query_id] = float(one.value)
    return found


def _warnings(path: Path, where: Path, judged: Judged, ranked: Ranked) -> list[str]:
    """Say which queries are left out, and which no run can score on."""
    found = []
    alone = sum(query not in judged for query in ranked)
    if alone:
        found.append(
            f"{_many(alone)} of {path.name} {'has' if alone == 1 else 'have'} no judgements, and {'was' if alone == 1 else 'were'} left out"
        )
    barren = sum(all(grade <= 0 for grade in grades.values()) for grades in judged.values())
    if barren:
        found.append(
            f"{_many(barren)} of {where.name} {'has' if barren == 1 else 'have'} no relevant document, so every run scores 0 there"
        )
    return found


def _many(count: int) -> str:
    return "1 query" if count == 1 else f"{count:,} queries"


def _rankings(path: Path) -> Ranked:
    """Read a run."""
    found: Ranked = {}
    for where, row in _rows(path):
        if len(row) != 6:
            raise InputError(f"{where} has {len(row)} columns; a TREC run has six: {COLUMNS}")
        query, document = decoded(row[0], where), decoded(row[2], where)
        score = decimal(row[4], f"{where}: the score")
        if score is None:
            raise InputError(f"{where}: the score is not a number")
        own = found.setdefault(query, {})
        if document in own:
            raise InputError(
                f"{where}: query {query!r} has the document {document!r} twice", remedy="keep one of the two"
            )
        own[document] = score
    if not found:
        raise NotReady(f"{path} is empty; a TREC run has six columns: {COLUMNS}")
    return found


def _judgements(path: Path) -> Judged:
    """Read judgements; what stands there twice must agree."""
    found: Judged = {}
    beir: bool | None = None
    for where, row in _rows(path):
        if beir is None:
            beir = tuple(row) == BEIR
            if beir:
                continue
        if len(row) != (3 if beir else 4) or not WHOLE.fullmatch(row[-1]):
            form = "query-id corpus-id score" if beir else "qid 0 docid relevance"
            wrong = f"{where} is not a relevance judgement ({form}, the last a whole number)"
            raise InputError(wrong, argument="qrels", value=str(path), remedy=_qrels_remedy(row))
        query, document = decoded(row[0], where), decoded(row[-2], where)
        own, grade = found.setdefault(query, {}), _grade(row[-1], where, path)
        if own.setdefault(document, grade) != grade:
            raise InputError(
                f"{where}: query {query!r} has two judgements of the document {document!r}", argument="qrels"
            )
    return found


def _grade(text: bytes, where: str, path: Path) -> int:
    digits = text.lstrip(b"-").lstrip(b"0")
    if len(digits) > len(str(LARGEST)) or int(digits or b"0") > LARGEST:
        beyond = f"{where}: the relevance {text[:30].decode()} is beyond {LARGEST:,}"
        raise InputError(beyond, argument="qrels", value=str(path), remedy="grade relevance with small whole numbers")
    return int(text)


def _qrels_remedy(row: list[bytes]) -> str:
    is_ranking = len(row) == 6 and row[1].upper() in ITERATIONS
    return (
        "this is a run; give the file with the judgements" if is_ranking else "give a qrels file of TREC, or BEIR's TSV"
    )


def _qrels(path: Path) -> Judged:
    """Read the judgements.

    Raises:
        InputError: if there are none, or none says that a document is relevant.
    """
    if not path.is_file():
        raise InputError(f"there is no file {path}; ", Argument("qrels"), " is a file with relevance judgements")
    judged = _judgements(path)
    if not judged:
        raise InputError(f"{path} has no judgements", argument="qrels", value=str(path))
    if all(grade <= 0 for grades in judged.values() for grade in grades.values()):
        barren = f"{path} calls no document relevant, so every run would score 0"
        raise InputError(barren, argument="qrels", value=str(path))
    return judged


def _rows(path: Path) -> Iterator[tuple[str, list[bytes]]]:
    """Yield the words of each line that has some, and where it is."""
    for place, line in text_lines(path):
        if row := line.split():
            yield f"line {place} of {path}", row
