"""The output of `trec_eval -q`: one measure, query and value per line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Any, Literal

from referee.data.formats.base import Choices, Opening, Run, choose, first_lines, reader, stem
from referee.data.formats.json_fields import decoded, text_lines
from referee.data.formats.score_lines import LOOK, NUMBER, decimal
from referee.data.roles import SCORE
from referee.errors import InputError

ALL = b"all"
"""The query of the lines that are averages over all queries."""
ITERATIONS = (b"Q0", b"QO", b"0")
"""What stands in the second column of rankings and judgements, and means nothing."""
UNSCORED = {
    "run": "is a TREC run: a ranking without scores",
    "qrels": "holds relevance judgements (qrels), not results",
}
WHOLE = re.compile(rb"-?[0-9]+")
KNOWN = re.compile(
    rb"num_(q|ret|rel|rel_ret|nonrel_judged_ret)|(gm_)?map|(gm_)?bpref|Rprec|recip_rank|infAP|11pt_avg|utility"
    rb"|(P|recall|success|iprec_at_recall|map_cut|ndcg_cut|relative_P|Rprec_mult|rbp|relstring)_\S+"
    rb"|R?ndcg(_rel)?|(bin)?G|yaap|set_\S+"
)
"""The measures of trec_eval."""


def is_trec(opening: Opening) -> bool:
    """Say whether a file has scores, or is what they are made from."""
    return _kind(opening) is not None


def _kind(opening: Opening) -> Literal["scores", "run", "qrels"] | None:
    """Say what all lines are: a measure, one of trec_eval's among them, a query and a value; or a ranking; or judgements."""
    rows = [line.split() for line in first_lines(opening.head, LOOK)]
    widths = {len(row) for row in rows}
    if widths == {3}:
        valued = all(NUMBER.fullmatch(value) or value.startswith(b"'") for _, _, value in rows)
        return "scores" if valued and any(KNOWN.fullmatch(measure) for measure, _, _ in rows) else None
    if widths in ({4}, {6}) and any(row[1].upper() not in ITERATIONS for row in rows):
        return None
    if widths == {6} and all(row[3].isdigit() and NUMBER.fullmatch(row[4]) for row in rows):
        return "run"
    return "qrels" if widths == {4} and all(WHOLE.fullmatch(row[3]) for row in rows) else None


@reader("trec_eval", recognises=is_trec, options=(SCORE,))
def read(path: Path, choices: Choices) -> list[Run]:
    """Read the values of one measure, one item per query; the averages (`all`) are left out.

    Raises:
        InputError: if a line has not three columns, a value is no number, there are only averages, or it is a ranking or
            the judgements, with the command that makes scores of them.
    """
    kind = _kind(Opening(path))
    if kind in UNSCORED:
        file, output = quote(str(path)), quote(f"{path.name}.measures.txt")
        command = f"QRELS {file} > {output}" if kind == "run" else f"{file} RUN > RUN.measures.txt"
        remedy = f"score both runs with trec_eval and compare what it prints: trec_eval -q {command}"
        raise InputError(f"{path} {UNSCORED[kind]}", remedy=remedy)
    scores: dict[str, dict[str, list[Any]]] = {}
    for measure, query, value in _lines(path):
        rows = scores.setdefault(measure, {"id": [], "value": []})
        rows["id"].append(query)
        rows["value"].append(value)
    if not scores:
        raise InputError(f"{path} has no values per query; run trec_eval with -q")
    # Numbers of documents come first in the file, and are hardly what is compared.
    measures = sorted(scores, key=lambda measure: measure.startswith("num_"))
    measure = choose("score", measures, choices, path)
    notes = (f"the score is {measure}",)
    return [Run(system=stem(path), rows=scores[measure], notes=notes, chosen={"score": measure})]


def _lines(path: Path) -> Iterator[tuple[str, str, float | None]]:
    """Yield measure, query and value of each line about one query; a text in quotes (relstring) is no score."""
    for place, line in text_lines(path):
        where = f"line {place} of {path}"
        row = line.split()
        if not row:
            continue
        if len(row) != 3:
            raise InputError(f"{where} has {len(row)} columns; trec_eval -q prints three: measure, query and value")
        measure, query, value = row
        if query != ALL and not value.startswith(b"'"):
            yield decoded(measure, where), decoded(query, where), decimal(value, f"{where}: the value")
