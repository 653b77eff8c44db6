"""trec_eval: what `trec_eval -q` prints, a measure, a query and its value a line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from referee.errors import InputError
from referee.readers.base import Choices, Opening, Run, choose, reader, text_lines
from referee.readers.glimpse import first_lines, stem
from referee.readers.numbers import NUMBER, decimal

LOOK = 10
"""How many lines are looked at to see what a file is."""
ALL = b"all"
"""The query of the lines that are averages over all queries."""
KNOWN = re.compile(
    rb"num_(q|ret|rel|rel_ret|nonrel_judged_ret)|(gm_)?map|(gm_)?bpref|Rprec|recip_rank|infAP|11pt_avg|utility"
    rb"|(P|recall|success|iprec_at_recall|map_cut|ndcg_cut|relative_P|Rprec_mult|rbp|relstring)_\S+"
    rb"|R?ndcg(_rel)?|(bin)?G|yaap|set_\S+"
)
"""The measures of trec_eval."""


def is_trec(opening: Opening) -> bool:
    """Say whether each line has a measure, a query and a value, and a measure is one of trec_eval's."""
    rows = [line.split() for line in first_lines(opening.head, LOOK)]
    return (
        bool(rows)
        and all(len(row) == 3 and (NUMBER.fullmatch(row[2]) or row[2].startswith(b"'")) for row in rows)
        and any(KNOWN.fullmatch(row[0]) for row in rows)
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
        InputError: where a line has not three columns, a value is no number, or there are only averages.
    """
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
