"""Look: what a file was taken for, with its columns and its first rows."""

from __future__ import annotations

import gzip
import json
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from referee.data.column_guesses import LABELS, Column
from referee.data.counts import Counts
from referee.data.engines import arrow_files, columnar_files
from referee.data.engines.database import connected
from referee.data.engines.duckdb_sql import explained
from referee.data.engines.files import HEAD, KINDS, extension, kind_of, listed, opened, suffix
from referee.data.engines.tables import columns_of, counts_of
from referee.data.formats.base import TORN, Choices, Reader, parse_json
from referee.data.formats.pairing import recognise
from referee.errors import InputError, NameUnknown, OptionError, RefereeError

SAMPLE, CELLS = 2_000, 200_000
"""So many rows are looked at, of which the page shows the first; fewer of a table with many columns."""
MEMORY = "1GB"
"""So much memory a look may take: a few bytes of a packed table can stand for many."""
CUT = 500
"""So many characters of a value are looked at."""
SHOWN, WIDEST, LONGEST = 5, 60, 400
"""So many rows are shown, of so many columns, each value cut after so many characters."""
MANY = 2_000
"""A table with more columns than this is not taken."""
SHEETS = (".xlsx", ".xls", ".ods", ".numbers")
PAPERS = (".docx", ".doc", ".odt", ".pptx", ".rtf", ".pages")


def look(path: Path, name: str, largest: int) -> dict[str, Any]:
    """Say what a file is.

    Args:
        path: where it is; a table with an unknown extension is renamed to the one that its beginning tells.
        name: what the user calls it.
        largest: how many bytes it may have unpacked.

    Returns:
        "file": the name on disk; "kind": table, log or counts; "what": in words; and for tables "columns" (first values by
        name), for logs "systems" and "chooses", for counts "names" and "labels".

    Raises:
        RefereeError: where it is nothing that can be compared.
    """
    check_sort(path, name)
    check_size(path, largest)
    check_start(path)
    reader, _ = recognise(path)
    if reader is not None and reader.table is None:
        return {"file": path.name, "kind": "log", "what": reader.name, **_runs(path, name, reader)}
    if reader is not None and reader.table is not None:
        columns = {key: [_text(value) for value in values[:SAMPLE]] for key, values in reader.table(path).items()}
        check_width(path, len(columns))
        return {"file": path.name, "kind": "table", "what": reader.name, "columns": columns, "read": True}
    path = _renamed(path)
    counts = counts_of(path)
    if counts is not None:
        return {"file": path.name, "kind": "counts", "what": "counts", **_counted(counts)}
    return {"file": path.name, "kind": "table", "what": "a table", "columns": first_rows(path)}


def shown(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the page shows of a look: not all that was sampled."""
    kept = {key: found[key] for key in ("kind", "what", "systems", "chooses", "names", "labels") if key in found}
    columns: Mapping[str, Sequence[str | None]] = found.get("columns", {})
    if columns:
        some = list(columns)[:WIDEST]
        kept["columns"] = [described(Column(name, values)) for name, values in columns.items()]
        kept["header"] = some
        rows = zip(*(columns[name][:SHOWN] for name in some), strict=True)
        kept["rows"] = [[None if value is None else value[:LONGEST] for value in row] for row in rows]
    return kept


def described(column: Column) -> dict[str, Any]:
    """Return a column's name, and its labels where they are few."""
    labels = column.distinct
    return {"name": column.name, "labels": sorted(labels) if len(labels) <= LABELS and not column.long else None}


def bare(name: str) -> str:
    """Return a file's name without its extensions.

    >>> bare("old.csv.gz"), bare(".csv")
    ('old', '.csv')
    """
    return name.split(".")[0] or name


def check_size(path: Path, largest: int) -> None:
    """Refuse what would unpack to more than is allowed, without unpacking it into memory.

    Raises:
        InputError: where it would, or cannot be unpacked.
    """
    too_large = InputError(f"{path} would unpack to more than {largest >> 20} MB, which is not read here")
    with path.open("rb") as start:
        head = start.read(8)
    try:
        if head[:4] == b"PK\x03\x04":
            with zipfile.ZipFile(path) as packed:
                # Readers take no more of a member than it says it has.
                if sum(member.file_size for member in packed.infolist()) > largest:
                    raise too_large
        elif head[:2] == b"\x1f\x8b" or path.suffix == ".gz":  # by its bytes: a name may say anything
            size = 0
            with gzip.open(path) as file:
                while piece := file.read(1 << 20):
                    size += len(piece)
                    if size > largest:
                        raise too_large
        elif head[:4] == b"PAR1":
            with explained(str(path)), connected([path]) as connection:
                sizes = f"SELECT sum(total_uncompressed_size) FROM parquet_metadata({listed([path])})"
                if (connection.sql(sizes).fetchall()[0][0] or 0) > largest:
                    raise too_large
        elif (head[:6] == b"ARROW1" or suffix(path) in (".arrow", ".feather")) and _arrow_size(path, largest) > largest:
            raise too_large
    except (*TORN, EOFError, zlib.error) as error:
        if isinstance(error, RefereeError):
            raise
        raise InputError(f"cannot read {path}: {error}; is it complete?") from error


def _arrow_size(path: Path, largest: int) -> int:
    """Return how many bytes the batches of an Arrow file have; counted until it is too much, 0 where it is torn."""
    try:
        import pyarrow
        from pyarrow import ipc
    except ImportError:
        return 0  # the reader will say that it is needed
    try:
        with pyarrow.memory_map(str(path)) as mapped:
            try:
                whole = ipc.open_file(mapped)
                batches = (whole.get_batch(place) for place in range(whole.num_record_batches))
            except pyarrow.ArrowInvalid:
                mapped.seek(0)
                batches = iter(ipc.open_stream(mapped))
            size = 0
            for batch in batches:
                size += batch.nbytes
                if size > largest:
                    break
            return size
    except (pyarrow.ArrowException, OSError):
        return 0  # the reader will say what is wrong with it


def check_sort(path: Path, name: str) -> None:
    """Refuse what people drop by mistake, in words that help, whether it is complete or not.

    Raises:
        InputError: where it is empty, a spreadsheet, a document or a PDF.
    """
    with path.open("rb") as file:
        head = file.read(HEAD)
    if not head.strip():
        raise InputError(f"{path} is empty; there are no examples in it")
    if name.lower().endswith(SHEETS):
        raise InputError(
            f"{path} is a spreadsheet; save the sheet as CSV, with the names of the columns in the first row"
        )
    if name.lower().endswith(PAPERS):
        raise InputError(f"{path} is a document and not a table; save the table in it as CSV")
    if head.lstrip().startswith(b"%PDF-"):
        raise InputError(
            f"{path} is a PDF and not a table; the table that it was made from is needed, such as a CSV file"
        )


def check_start(path: Path) -> None:
    """Refuse what has the wrong thing in it, seen unpacked.

    Raises:
        InputError: where it is empty, or a web page.
    """
    with opened(path) as file:
        head = file.read(HEAD)
    if not head.strip():
        raise InputError(f"{path} is empty; there are no examples in it")
    if head.lstrip()[:100].lower().startswith((b"<!doctype html", b"<html")):
        raise InputError(f"{path} is a web page and not a table; was a log-in page saved in place of the file?")


def check_width(path: Path, columns: int) -> None:
    """Refuse a table with more columns than anybody would choose from.

    Raises:
        InputError: where it has.
    """
    if columns > MANY:
        raise InputError(f"{path} has {columns:,} columns; a table with at most {MANY:,} is taken here")


def first_rows(path: Path) -> dict[str, list[str | None]]:
    """Return the first values of each column of a table, as text.

    Raises:
        InputError: where the file is no table, or cannot be read.
    """
    import duckdb

    names = columns_of(path)
    check_width(path, len(names))
    if not names:
        raise InputError(f"{path} has no columns; there are no examples in it")
    if len(set(names)) < len(names) or "" in names:
        raise InputError(f"{path}, line 1: each column needs a name of its own; does the file have a header?")
    with explained(str(path)), connected([path], MEMORY) as connection:
        try:
            rows = _rows(connection, path, names)
        except duckdb.OutOfMemoryException:
            raise InputError(
                f"{path} has values that are too large to be looked at here; leave such columns out"
            ) from None
    if not rows:
        raise InputError(f"{path} has a header and no rows; there are no examples in it")
    return {name: list(values) for name, values in zip(names, zip(*rows, strict=True), strict=True)}


def _rows(connection: Any, path: Path, names: Sequence[str]) -> list[tuple[str | None, ...]]:
    kind = kind_of(path)
    limit = min(SAMPLE, max(SHOWN, CELLS // len(names)))
    if kind in ("csv", "tsv"):
        from referee.data.engines import csv_files

        found = csv_files.scan(connection, [path], list(names))
        sql = f"SELECT {_cut(found.terms[name] for name in names)} FROM ({found.sql}) LIMIT {limit}"
        rows = connection.sql(sql).fetchall()
    elif kind in ("lines", "json"):
        layout = "newline_delimited" if kind == "lines" else "auto"
        connection.execute(
            f"SELECT CAST(json AS VARCHAR) FROM read_json_objects({listed([path])}, hive_partitioning=false, format='{layout}') LIMIT {limit}"
        )
        rows = []
        while one := connection.fetchone():  # one by one: an object can be large, and little of it is kept
            found_object = parse_json(one[0], str(path))
            known = found_object if isinstance(found_object, dict) else {}
            rows.append([_text(known.get(name)) for name in names])
    else:
        places = range(len(names))
        table = (
            columnar_files.by_place([path], len(names))
            if kind == "parquet"
            else arrow_files.register(connection, arrow_files.opened(path), places)
        )
        rows = connection.sql(f"SELECT {_cut(f'c{place}' for place in places)} FROM {table} LIMIT {limit}").fetchall()
    return [tuple(_text(value) for value in row) for row in rows]


def _cut(terms: Iterable[str]) -> str:
    """Return what SELECT is to yield: the beginnings of values, so that a few bytes that say much fill no memory."""
    return ", ".join(f"left(CAST({term} AS VARCHAR), {CUT})" for term in terms)


def _text(value: Any) -> str | None:
    """Return the beginning of a value as text, as the page shows it and referee takes it."""
    if value is None or isinstance(value, str):
        return value if value is None else value[:CUT]
    return json.dumps(value, ensure_ascii=False)[:CUT]


def _renamed(path: Path) -> Path:
    """Give a table that has no extension of a table the one that its beginning tells."""
    if suffix(path) in KINDS:
        return path
    with path.open("rb") as file:
        head = file.read(HEAD)
    told = extension(head, str(path))
    if b"\0" in head and told in (".csv", ".tsv") and head[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError(f"{path} is not a text file, and no table in a form that referee knows")
    return path.rename(path.with_name(bare(path.name) + told))


def _runs(path: Path, name: str, reader: Reader) -> dict[str, Any]:
    """Return the systems of a log, where it can be read without a choice, and the choices that it leaves."""
    chooses = ["score" if name == "metric" else name for name in reader.chooses]
    try:
        # A reader that finds no name in a file takes that of the file, which on disk is another.
        found = [run.system.replace(bare(path.name), bare(name)) for run in reader.read(path, Choices())]
        systems = list(dict.fromkeys(found))
    except (OptionError, NameUnknown):
        systems = []  # a choice has to be made first; the comparison will say which
    return {"systems": systems, "chooses": chooses}


def _counted(counts: Counts) -> dict[str, Any]:
    labels: list[str] = []
    if "truth" in counts and counts["truth"].dtype.kind != "f":
        labels = [str(label) for label in dict.fromkeys(counts["truth"].tolist())][:LABELS]
    return {"names": [counts.name("a"), counts.name("b")], "labels": labels}
