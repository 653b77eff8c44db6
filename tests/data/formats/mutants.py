"""Files that are cut, or have bytes flipped: what a reader must either read or refuse, and never choke on."""

import random

from referee.data.formats.base import Opening
from referee.errors import RefereeError

SPLICES = [
    b"null",
    b"[]",
    b"{}",
    b"-1",
    b"NaN",
    b"1e999",
    b"9" * 400,
    b'"\\ud800"',
    b"[" * 980 + b"]" * 980,
    b"\xff",
    b"",
]


def mutants(content, seed, many):
    """Yield the content cut, with a byte flipped, or with a part of it replaced."""
    rng = random.Random(seed)
    for turn in range(many):
        start = rng.randrange(len(content))
        stop = min(len(content), start + rng.choice([1, 4, 20]))
        if turn % 3 == 0:
            yield content[:start]
        elif turn % 3 == 1:
            yield content[:start] + bytes([content[start] ^ (1 << rng.randrange(8))]) + content[start + 1 :]
        else:
            yield content[:start] + rng.choice(SPLICES) + content[stop:]


def survives(path, content, reader, choices):
    """Say whether what was recognised was read, and rows are of one length; a refusal must name the file."""
    path.write_bytes(content)
    try:
        if not reader.recognises(Opening(path)):
            return False
        for run in reader.read(path, choices):
            assert len({len(values) for values in run.rows.values()}) == 1
            assert all(value is None or isinstance(value, float) for value in run.rows["value"])
    except RefereeError as error:
        assert path.name in str(error) or "there is no" in str(error)
        return False
    return True
