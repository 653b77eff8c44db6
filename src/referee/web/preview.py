"""Preview: how a file was read, with its columns and first rows."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from referee.data.column_guesses import LABELS, Column
from referee.data.counts import Counts
from referee.data.engines.duckdb_sql import connected, explained, listed
from referee.data.engines.files import HEAD, KINDS, extension, opened, suffix
from referee.data.engines.tables import CUT, SAMPLE, beginning, check_width, counts_of, first_rows
from referee.data.formats.base import Choices, Reader, recognise
from referee.data.formats.json_fields import TORN
from referee.errors import InputError, NameUnknown, OptionError, RefereeError

SHOWN, WIDEST, LONGEST = 5, 60, 400
"""So many rows are shown, of so many columns, each value cut after so many characters."""
SHEETS = (".xlsx", ".xls", ".ods", ".numbers")
PAPERS = (".docx", ".doc", ".odt", ".pptx", ".rtf", ".pages")


def look(path: Path, largest: int) -> dict[str, Any]:
    """Say what a file is.

    Args:
        path: where it is; a table with an unknown extension is renamed to the one that its beginning tells.
        largest: how many bytes it may have unpacked.

    Returns:
        "file": the name by which it can be read; "kind": table, log or counts; "what": in words; and for tables "columns" (first
        values by name), for logs "systems" and "chooses", for counts "names" and "labels".

    Raises:
        RefereeError: if it is nothing that can be compared.
    """
    with path.open("rb") as file:
        head = file.read(HEAD)
    _check_sort(head, path)
    if size_unpacked(head, path, largest) > largest:
        raise InputError(f"{path} would unpack to more than {largest >> 20} MB, too much for this page")
    with opened(path) as unpacked:
        _check_sort(unpacked.read(HEAD), path)
    reader, _ = recognise(path)
    if reader is not None and reader.table is None:
        return {"file": path.name, "kind": "log", "what": reader.name, **_runs(path, reader)}
    if reader is not None and reader.table is not None:
        columns = {key: [beginning(value) for value in values[:SAMPLE]] for key, values in reader.table(path).items()}
        check_width(path, len(columns))
        return {"file": path.name, "kind": "table", "what": reader.name, "columns": columns}
    if suffix(path) not in KINDS:
        told = extension(head, str(path))
        if b"\0" in head and told in (".csv", ".tsv") and head[:2] not in (b"\xff\xfe", b"\xfe\xff"):
            raise InputError(f"{path} is neither a text file nor a kind of table that referee knows")
        path = path.rename(path.with_name(bare(path.name) + told))
    counts = counts_of(path)
    if counts is not None:
        return {"file": path.name, "kind": "counts", "what": "counts", **_counted(counts)}
    return {"file": path.name, "kind": "table", "what": "a table", "columns": first_rows(path)}


def shown(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the page shows of a look: not all that was sampled."""
    kept = {key: found[key] for key in ("kind", "what", "systems", "chooses", "names", "labels") if key in found}
    columns: Mapping[str, Sequence[str | None]] = found.get("columns", {})
    if columns:
        some = kept["header"] = list(columns)[:WIDEST]
        kept["columns"] = [described(Column(name, values)) for name, values in columns.items()]
        rows = zip(*(columns[name][:SHOWN] for name in some), strict=True)
        kept["rows"] = [[None if value is None else value[:LONGEST] for value in row] for row in rows]
    return kept


def described(column: Column) -> dict[str, Any]:
    """Return a column's name, and its labels where they are few."""
    labels = column.distinct
    whole = all(len(label) < CUT for label in labels)
    return {"name": column.name, "labels": sorted(labels) if len(labels) <= LABELS and whole else None}


def bare(name: str) -> str:
    """Return a file's name without its extensions.

    >>> bare("old.csv.gz"), bare(".csv")
    ('old', '.csv')
    """
    return name.split(".")[0] or name


def _check_sort(head: bytes, path: Path) -> None:
    """Refuse what people drop by mistake, in words that help, whether it is complete or not."""
    name, start = path.name.lower(), head.lstrip()
    wrong = (
        "is empty; there are no examples in it" if not start
        else "is a spreadsheet; save the sheet as CSV, with the names of the columns in the first row" if name.endswith(SHEETS)
        else "is a document, not a table; save the table in it as CSV" if name.endswith(PAPERS)
        else "is a PDF, not a table; give the table it was made from, such as a CSV file" if start.startswith(b"%PDF-")
        else "is a web page, not a table; was a log-in page saved instead of the file?"
        if start[:100].lower().startswith((b"<!doctype html", b"<html"))
        else None
    )  # fmt: skip
    if wrong is not None:
        raise InputError(f"{path} {wrong}")


def size_unpacked(head: bytes, path: Path, largest: int) -> int:
    """Return how many bytes a packed file has unpacked, without unpacking it into memory; of more than are allowed, not all.

    Raises:
        InputError: if it cannot be unpacked.
    """
    try:
        if head[:4] == b"PK\x03\x04":
            with zipfile.ZipFile(path) as packed:
                # Readers take no more of a member than it says it has.
                return sum(member.file_size for member in packed.infolist())
        if head[:2] == b"\x1f\x8b" or path.suffix == ".gz":  # by its bytes: a name may say anything
            with gzip.open(path) as file:
                return _sum(map(len, iter(lambda: file.read(1 << 20), b"")), largest)
        if head[:4] == b"PAR1":
            with explained(str(path)), connected([path]) as connection:
                sizes = f"SELECT sum(total_uncompressed_size) FROM parquet_metadata({listed([path])})"
                return int(connection.sql(sizes).fetchall()[0][0] or 0)
        arrow = head[:6] == b"ARROW1" or suffix(path) in (".arrow", ".feather")
        return _arrow_size(path, largest) if arrow else 0
    except TORN as error:
        if isinstance(error, RefereeError):
            raise
        raise InputError(f"cannot read {path}: {error}; is it complete?") from error


def _sum(sizes: Iterable[int], largest: int) -> int:
    """Add sizes until it is too much."""
    total = 0
    for size in sizes:
        total += size
        if total > largest:
            break
    return total


def _arrow_size(path: Path, largest: int) -> int:
    """Return how many bytes the batches of an Arrow file have; 0 where it is torn, or cannot be read."""
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
            return _sum((batch.nbytes for batch in batches), largest)
    except (pyarrow.ArrowException, OSError):
        return 0  # the reader will say what is wrong with it


def _runs(path: Path, reader: Reader) -> dict[str, Any]:
    """Return the systems of a log, where it can be read without a choice, and the choices that it leaves."""
    try:
        systems = list(dict.fromkeys(run.system for run in reader.read(path, Choices())))
    except (OptionError, NameUnknown):
        systems = []  # a choice has to be made first; the comparison will say which
    return {"systems": systems, "chooses": reader.chooses}


def _counted(counts: Counts) -> dict[str, Any]:
    labels: list[str] = []
    if "truth" in counts and counts["truth"].dtype.kind != "f":
        labels = [str(label) for label in dict.fromkeys(counts["truth"].tolist())][:LABELS]
    return {"names": [counts.name(role) for role in counts.systems], "labels": labels}
