"""trec_eval: what `trec_eval -q` prints, a measure, a query and its value a line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Any

from referee.data.formats.base import Choices, Opening, Run, choose, reader, text_lines
from referee.data.formats.file_start import first_lines, stem
from referee.data.formats.score_lines import NUMBER, decimal
from referee.errors import InputError

LOOK = 10
"""How many lines are looked at to see what a file is."""
ALL = b"all"
"""The query of the lines that are averages over all queries."""
ITERATIONS = (b"Q0", b"QO", b"0")
"""What stands in the second column of rankings and judgements, and means nothing."""
WHOLE = re.compile(rb"-?[0-9]+")
KNOWN = re.compile(
    rb"num_(q|ret|rel|rel_ret|nonrel_judged_ret)|(gm_)?map|(gm_)?bpref|Rprec|recip_rank|infAP|11pt_avg|utility"
    rb"|(P|recall|success|iprec_at_recall|map_cut|ndcg_cut|relative_P|Rprec_mult|rbp|relstring)_\S+"
    rb"|R?ndcg(_rel)?|(bin)?G|yaap|set_\S+"
)
"""The measures of trec_eval."""


def is_trec(opening: Opening) -> bool:
    """Say whether each line has a measure, a query and a value, and a measure is one of trec_eval's; or what that is made from."""
    return _has_scores(opening) or _is_run(opening) or _is_qrels(opening)


def _rows(opening: Opening) -> list[list[bytes]]:
    return [line.split() for line in first_lines(opening.head, LOOK)]


def _has_scores(opening: Opening) -> bool:
    rows = _rows(opening)
    return (
        bool(rows)
        and all(len(row) == 3 and (NUMBER.fullmatch(row[2]) or row[2].startswith(b"'")) for row in rows)
        and any(KNOWN.fullmatch(row[0]) for row in rows)
    )


def _is_run(opening: Opening) -> bool:
    """Say whether each line is one of a ranking: query, Q0, document, rank, score and tag."""
    rows = _rows(opening)
    return bool(rows) and all(
        len(row) == 6 and row[1].upper() in ITERATIONS and row[3].isdigit() and NUMBER.fullmatch(row[4]) for row in rows
    )


def _is_qrels(opening: Opening) -> bool:
    """Say whether each line is a judgement: query, 0, document and its relevance."""
    rows = _rows(opening)
    return bool(rows) and all(
        len(row) == 4 and row[1].upper() in ITERATIONS and WHOLE.fullmatch(row[3]) for row in rows
    )


@reader(
    "trec_eval",
    looks_for="a measure, a query and a value a line, as trec_eval -q prints",
    recognises=is_trec,
    chooses=("metric",),
)
def read(path: Path, choices: Choices) -> list[Run]:
    """Read the values of one measure, a query an item; the averages (`all`) are left out.

    Raises:
        InputError: where a line has not three columns, a value is no number, there are only averages, or it is a ranking or
            the judgements, with the command that makes scores of them.
    """
    opening = Opening(path)
    if _is_run(opening):
        raise InputError(
            f"{path} is a TREC run: it ranks documents, and does not say how good that is. Score both runs with trec_eval and "
            f"compare what it prints: trec_eval -q QRELS {quote(str(path))} > {quote(f'{path.name}.measures.txt')}"
        )
    if _is_qrels(opening):
        raise InputError(
            f"{path} holds relevance judgements (qrels), not what a system found. Score both runs with trec_eval and compare "
            f"what it prints: trec_eval -q {quote(str(path))} RUN > RUN.measures.txt"
        )
    found: dict[str, tuple[list[str], list[float | None]]] = {}
    for measure, query, value in _lines(path):
        ids, values = found.setdefault(measure, ([], []))
        ids.append(query)
        values.append(value)
    if not found:
        raise InputError(f"{path} has no values of single queries; run trec_eval with -q")
    # Numbers of documents come first in the file, and are hardly what is compared.
    measures = sorted(found, key=lambda measure: measure.startswith("num_"))
    measure = choose("score", "score", measures, choices.metric, path)
    ids, values = found[measure]
    rows: dict[str, list[Any]] = {"id": ids, "value": values}
    return [Run(system=stem(path), rows=rows, notes=(f"the score is {measure}",), chosen={"score": measure})]


def _lines(path: Path) -> Iterator[tuple[str, str, float | None]]:
    """Yield measure, query and value of each line about one query; a text in quotes (relstring) is no score."""
    for place, line in text_lines(path):
        where = f"line {place} of {path}"
        row = line.split()
        if not row:
            continue
        if len(row) != 3:
            raise InputError(
                f"{where} has {len(row)} columns; trec_eval -q prints three: the measure, the query and the value"
            )
        measure, query, value = row
        if query == ALL or value.startswith(b"'"):
            continue
        try:
            yield measure.decode(), query.decode(), decimal(value, f"{where}: the value")
        except UnicodeDecodeError as error:
            raise InputError(f"{where} is not UTF-8 text; save it as UTF-8") from error
