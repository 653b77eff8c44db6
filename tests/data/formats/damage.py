"""Damaged files: a reader gives runs whose rows fit each other, or a RefereeError; and each file has one reader."""

from referee.data.formats.base import READERS, Choices, Opening
from referee.errors import RefereeError
from referee.registry import discover
from tests.data.formats.mutants import mutants


def survives(name, path, choices, folder, times=200):
    """Check all the damaged forms of a file; return how many were read and how many were refused."""
    reader = READERS[name]
    read = refused = 0
    for data in mutants(path.read_bytes(), 0, times):
        target = folder / path.name
        target.write_bytes(data)
        assert isinstance(reader.recognises(Opening(target)), bool)
        try:
            runs = reader.read(target, choices or Choices())
        except RefereeError as error:
            refused += 1
            assert str(error)
            continue
        read += 1
        for run in runs:
            assert {"id", "value"} <= set(run.rows)
            assert len({len(column) for column in run.rows.values()}) == 1
            assert None not in run.rows["id"]
    return read, refused


def claimed(path):
    """Return the names of the readers that take a file for theirs."""
    discover("referee.data.formats")
    return [name for name, reader in READERS.items() if reader.recognises(Opening(path))]
