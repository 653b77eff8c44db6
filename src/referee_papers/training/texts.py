"""Tables of texts and labels, from files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import compress
from typing import Any

import numpy as np

from referee.data.columns import Mask
from referee.data.engines.duckdb_sql import connected, explained, listed, quote
from referee.data.engines.files import kind_of
from referee.data.engines.tables import find
from referee.errors import InputError, OptionError, unknown

FEWEST = 2
"""A category needs an example to learn from and one to be tested on."""
PLAIN = "header=true, all_varchar=true, quote='\"', escape='\"', hive_partitioning=false"
"""Texts have commas and quotes in them: nothing is guessed."""
READERS = {
    "csv": f"read_csv({{}}, {PLAIN}, delim=',')",
    "tsv": f"read_csv({{}}, {PLAIN}, delim='\t')",
    "parquet": "read_parquet({}, hive_partitioning=false)",
    "lines": "read_json({}, format='newline_delimited', hive_partitioning=false)",
}
OTHER = "read_json({}, format='auto', hive_partitioning=false)"


def read_texts(
    path: str | os.PathLike[str], text: str, labels: str, separator: str = " "
) -> tuple[tuple[str, ...], Mask, list[str]]:
    """Read a table with a column of texts and one of labels.

    Args:
        path: the table (csv, tsv, jsonl, parquet, the text ones also with .gz).
        text: the column of texts.
        labels: the column of labels: one, several between separators, or a list of them. A missing one is none.
        separator: what stands between labels.

    Returns:
        the categories, whether [document, category] belongs, and the texts.

    Raises:
        InputError: if a text is empty, or no label occurs twice.
        NameUnknown: if there is no such column.
    """
    if not separator:
        raise OptionError("separator must be a text that stands between labels; it is empty, give for instance ' '")
    texts, label_cells = read_columns(path, [text, labels])
    empty = [i for i, value in enumerate(texts) if value is None or not str(value).strip()]
    if empty:
        raise InputError(
            f"every document needs a text; {text!r} is empty in {len(empty)} of {len(texts)} rows, first in row {empty[0] + 1}; leave these out"
        )
    categories, belongs = indicators(split_labels(value, separator) for value in label_cells)
    enough = belongs.sum(axis=0) >= FEWEST
    if not enough.any():
        raise InputError(
            f"a category needs at least {FEWEST} documents; none of the {len(categories)} in {labels!r} has so many; is the separator {separator!r}?"
        )
    return tuple(compress(categories, enough)), belongs[:, enough], list(map(str, texts))


def read_columns(source: str | os.PathLike[str], names: Sequence[str]) -> list[list[Any]]:
    """Return columns of a file, whole."""
    paths = find(source)
    table = READERS.get(kind_of(paths[0]), OTHER).format(listed(paths))
    with explained(os.fspath(source)), connected(paths) as connection:
        relation = connection.sql(f"SELECT * FROM {table}")
        for name in names:
            if name not in relation.columns:
                raise unknown("column", name, relation.columns)
        rows = relation.project(", ".join(map(quote, names))).fetchall()
    return [[row[i] for row in rows] for i in range(len(names))]


def split_labels(value: Any, separator: str) -> list[str]:
    """Return the labels of one document.

    >>> split_labels("sport  politics", " "), split_labels(None, " ")
    (['sport', 'politics'], [])
    """
    if value is None or value != value:  # a missing one is nan in some frames
        return []
    parts = value if isinstance(value, list | tuple | np.ndarray) else str(value).split(separator)
    return [label for part in parts if (label := str(part).strip())]


def indicators(labels: Iterable[Sequence[str]]) -> tuple[tuple[str, ...], Mask]:
    """Return the names of the categories, sorted, and [document, category] whether a document belongs to it.

    >>> indicators([["b"], ["a", "b"]])[1].tolist()
    [[False, True], [True, True]]
    """
    rows = list(labels)
    names = sorted({label for row in rows for label in row})
    place = {name: i for i, name in enumerate(names)}
    belongs = np.zeros((len(rows), len(names)), dtype=np.bool_)
    for i, row in enumerate(rows):
        belongs[i, [place[label] for label in row]] = True
    return tuple(names), belongs
