"""The populations that come with referee: counts of what models predicted on large corpora."""

from __future__ import annotations

import gzip
from functools import cache
from importlib.resources import files
from pathlib import Path

from referee.data.counts import Counts
from referee.errors import unknown

ENDING = ".json.gz"
DOCUMENTS = "-documents"
SVM = {"linear": "linear SVM", "rbf": "Gaussian SVM", "mlp": "MLP"}
CORPORA = {"wordnet": "WordNet glosses", "rcv1": "Reuters RCV1 documents"}


def _names() -> tuple[str, ...]:
    entries = (entry.name for entry in files("referee.studies.auditing.populations").iterdir())
    found = (name.removesuffix(ENDING) for name in entries if name.endswith(ENDING))
    return tuple(sorted(name for name in found if not name.endswith(DOCUMENTS)))


SHIPPED = _names()


def is_shipped(data: object) -> bool:
    """Say whether data are the name of a shipped population.

    Raises:
        RefereeError: if it is nearly one, and neither a file.
    """
    if not isinstance(data, str) or Path(data).exists() or Path(data).suffix or "/" in data:
        return False
    if data not in SHIPPED and data.split("-")[0] in CORPORA:
        raise unknown("population", data, SHIPPED, "data")
    return data in SHIPPED


@cache
def content(name: str) -> str:
    """Return the text of a file that comes with referee."""
    return gzip.decompress((files("referee.studies.auditing.populations") / f"{name}{ENDING}").read_bytes()).decode()


def shipped(name: str) -> Counts:
    """Return a shipped population: the eight counts of each category.

    Raises:
        RefereeError: if there is none of that name.
    """
    if name not in SHIPPED:
        raise unknown("population", name, SHIPPED, "data")
    return Counts.from_json(content(name), where=name)


def summary(name: str) -> str:
    """Say in a line what a shipped population is.

    >>> summary("wordnet-linear-mlp-balanced")
    'linear SVM against MLP on WordNet glosses, unions of categories near balance'
    """
    corpus, a, b, *more = name.split("-")
    kind = "unions of categories near balance" if more else "categories as they are"
    return f"{SVM.get(a, a)} against {SVM.get(b, b)} on {CORPORA.get(corpus, corpus)}, {kind}"
