"""Parallel texts: one output per line, as tools of translation and speech have them, beside files of references."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from referee.data.engines.files import KINDS, suffix
from referee.data.formats.base import Choices, Opening, Run, files_in, reader, stem
from referee.data.formats.json_fields import decoded, text_lines
from referee.data.roles import FILE, LOG
from referee.data.value_text import listed
from referee.errors import Argument, InputError

FEW = 5
"""So many empty lines are named."""
REFERENCES = LOG("references", "References of texts by line; several files with commas between them.", metavar=FILE)


def is_text(opening: Opening) -> bool:
    """Say whether references were named, beside which a file that is no table is lines of text."""
    return REFERENCES.name in opening.given and suffix(opening.path) not in KINDS and b"\0" not in opening.head


@reader("texts by line", recognises=is_text, options=(REFERENCES,))
def read(path: Path, choices: Choices) -> list[Run]:
    """Read one text per line, beside the same line of each file of references; an empty line is an empty text.

    Raises:
        InputError: if a file is lacking or has another number of lines.
    """
    files = files_in(choices[REFERENCES.name])
    texts, *references = (
        [decoded(line, f"line {place} of {one}") for place, line in _lines(one)] for one in (path, *map(Path, files))
    )
    for one, own in zip(files, references, strict=True):
        if len(own) != len(texts):
            apart = f"{path} has {len(texts):,} lines and {one} has {len(own):,}"
            raise InputError(apart, argument="references", value=one, remedy="give files with one text per line")
    truth = (
        references[0] if len(references) == 1 else [json.dumps(several) for several in zip(*references, strict=True)]
    )
    rows: dict[str, list[Any]] = {"id": list(range(1, len(texts) + 1)), "value": texts, "truth": truth}
    empty = [
        f"{one} has no reference on line {listed([str(place) for place, text in enumerate(own, 1) if not text.strip()], FEW)}"
        for one, own in zip(files, references, strict=True)
        if not all(text.strip() for text in own)
    ]
    chosen = {REFERENCES.name: ",".join(Path(one).name for one in files)}
    return [Run(system=stem(path), rows=rows, ordered=True, chosen=chosen, notes=tuple(empty))]


def _lines(path: Path) -> list[tuple[int, bytes]]:
    if not path.is_file():
        needs = "; ", Argument("references", bare=True), " has one text per line"
        raise InputError(f"there is no file {path}", *needs, argument="references")
    return list(text_lines(path))
