"""The output of `trec_eval -q`: one measure, query and value per line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from referee.data.formats.base import Choices, Opening, Run, choose, first_lines, reader, stem
from referee.data.formats.json_fields import decoded, text_lines
from referee.data.formats.score_lines import LOOK, NUMBER, decimal
from referee.data.formats.trec_run import ITERATIONS, WHOLE
from referee.data.roles import SCORE
from referee.errors import Argument, InputError, Message

ALL = b"all"
"""The query of the lines that are averages over all queries."""
KNOWN = re.compile(
    rb"num_(q|ret|rel|rel_ret|nonrel_judged_ret)|(gm_)?map|(gm_)?bpref|Rprec|recip_rank|infAP|11pt_avg|utility"
    rb"|(P|recall|success|iprec_at_recall|map_cut|ndcg_cut|relative_P|Rprec_mult|rbp|relstring)_\S+"
    rb"|R?ndcg(_rel)?|(bin)?G|yaap|set_\S+"
)
"""The measures of trec_eval."""


def is_trec(opening: Opening) -> bool:
    """Say whether a file has scores, or the judgements that they are made with."""
    return _kind(opening) is not None


def _kind(opening: Opening) -> Literal["scores", "qrels"] | None:
    """Say what all lines are: a measure, one of trec_eval's among them, a query and a value; or judgements."""
    rows = [line.split() for line in first_lines(opening.head, LOOK)]
    widths = {len(row) for row in rows}
    if widths == {3}:
        valued = all(NUMBER.fullmatch(value) or value.startswith(b"'") for _, _, value in rows)
        return "scores" if valued and any(KNOWN.fullmatch(measure) for measure, _, _ in rows) else None
    judged = widths == {4} and all(row[1].upper() in ITERATIONS and WHOLE.fullmatch(row[3]) for row in rows)
    return "qrels" if judged else None


@reader("trec_eval", recognises=is_trec, options=(SCORE,))
def read(path: Path, choices: Choices) -> list[Run]:
    """Read the values of one measure, one item per query; the averages (`all`) are left out.

    Raises:
        InputError: if a line has not three columns, a value is no number, there are only averages, or it is the
            judgements.
    """
    if _kind(Opening(path)) == "qrels":
        remedy = Message("compare two runs, with ", Argument("qrels", str(path)), " and a measure")
        raise InputError(f"{path} holds relevance judgements (qrels), not results", remedy=remedy)
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
    return [Run(system=stem(path), rows=scores[measure], notes=notes, chosen={"score": measure}, noun="query")]


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
