"""Where the corpora of the shipped populations come from: Reuters RCV1-v2 (the papers' own) and the glosses of WordNet."""

from __future__ import annotations

import hashlib
import os
from itertools import compress, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scripts.population_corpus import Corpus, number_families

from referee.data.columns import Ints, Mask
from referee.errors import InputError, OptionError
from referee_papers.training.texts import indicators, read_columns
from referee_papers.training.train import require_sklearn

FIRST_KNOWN = 24
"""In the sample of RCV1, topics with a lower number are known for some documents only."""
RANGE, BINS, ALIKE = (0.001, 0.7), 14, 0.95
"""Of WordNet's categories: the prevalences, how many bins they are cut into, and the overlap of two that are nearly the same."""


def read_rcv1(fewest: int = 100) -> Corpus:
    """Fetch RCV1 (650 MB the first time): 804,414 documents, the topics with at least `fewest` of them.

    Documents with the same vector are a family: a news story that was sent twice.
    """
    require_sklearn()
    import sklearn.datasets

    fetched = sklearn.datasets.fetch_rcv1()
    enough = np.asarray(fetched.target.sum(axis=0)).ravel() >= fewest
    if not enough.any():
        raise InputError(f"no topic has {fewest} documents; ask for fewer")
    topics = tuple(str(name) for name in np.asarray(fetched.target_names)[enough])
    labels = fetched.target.tocsc()[:, np.flatnonzero(enough)].toarray() > 0
    features = fetched.data.tocsr()
    return Corpus("rcv1", labels, topics, features=features, families=_identical(features))


def read_rcv1_sample(folder: str | os.PathLike[str]) -> Corpus:
    """Read a sample of RCV1: rcv1_30k_X.npz (the vectors), rcv1_30k_Y.npz (topics, and which rows are distinct), topics.txt.

    Of identical documents the first is taken, and the topics that are known for all documents.
    """
    from scipy import sparse

    place = Path(folder)
    try:
        features = sparse.load_npz(place / "rcv1_30k_X.npz").tocsr()
        with np.load(place / "rcv1_30k_Y.npz") as content:
            all_labels, unique = content["Y"], content["unique"]
        topics = (place / "topics.txt").read_text(encoding="utf-8").split()
    except (OSError, KeyError, ValueError) as error:
        raise InputError(
            f"{place} must have rcv1_30k_X.npz, rcv1_30k_Y.npz (Y, unique) and topics.txt; there: {error}"
        ) from error
    if len(topics) != all_labels.shape[1]:
        raise InputError(f"topics.txt must name {all_labels.shape[1]} topics, as Y has; it names {len(topics)}")
    labels = all_labels[unique, FIRST_KNOWN:] > 0
    present = labels.any(axis=0)
    kept = tuple(compress(topics[FIRST_KNOWN:], present))
    return Corpus("rcv1", labels[:, present], kept, features=features[np.flatnonzero(unique)])


def _identical(features: Any) -> Ints:
    """Give documents with the same vector the same number."""
    features.sort_indices()
    rows = (slice(start, end) for start, end in pairwise(features.indptr.tolist()))
    content = (features.indices[row].tobytes() + features.data[row].tobytes() for row in rows)
    return number_families(hashlib.blake2b(row, digest_size=16).digest() for row in content)


def read_wordnet(path: str | os.PathLike[str], categories: int = 140, siblings: bool = True) -> Corpus:
    """Read the table of glosses: synset, lexname, lemmas, gloss, ancestors_ge50.

    Only the gloss is told to the models. Synsets with the same ancestors and lexname are siblings that share
    wording: a family. One without ancestors is a family of its own.

    Args:
        path: the table, as CSV.
        categories: how many categories to choose, evenly in the logarithm of their prevalence.
        siblings: whether families stay together in a split. Where they need not, models do better than on glosses
            of a new kind; the corpus is then called "wordnet-mixed".
    """
    lexnames, glosses, above_50 = read_columns(path, ["lexname", "gloss", "ancestors_ge50"])
    ancestors = [str(value or "").split() for value in above_50]
    names, labels = indicators([lexname, *above] for lexname, above in zip(lexnames, ancestors, strict=True))
    families = number_families(
        (lexname, *sorted(above)) if above else i
        for i, (lexname, above) in enumerate(zip(lexnames, ancestors, strict=True))
    )
    chosen = spread(labels, families, categories)
    return Corpus(
        "wordnet" if siblings else "wordnet-mixed",
        labels[:, chosen],
        tuple(names[i] for i in chosen.tolist()),
        texts=glosses,
        families=families if siblings else None,
    )


def spread(labels: Mask, families: Ints, count: int) -> Ints:
    """Choose categories that span the prevalences evenly in their logarithm.

    The range is cut in bins, and the bins are asked in turn, each for its category that is spread over the most
    families: one of few families would be all on one side of a split. Of categories that are nearly the same, one.
    """
    if count < 1:
        raise OptionError(f"categories must be at least 1; it is {count}")
    prevalence = labels.mean(axis=0)
    edges = np.geomspace(RANGE[0], RANGE[1], BINS + 1)
    bins = np.digitize(prevalence, edges[1:-1])
    eligible = (prevalence >= RANGE[0]) & (prevalence <= RANGE[1])
    counted = np.array([len(np.unique(families[labels[:, k]])) if eligible[k] else 0 for k in range(labels.shape[1])])
    order = [k for k in np.argsort(-counted, kind="stable").tolist() if eligible[k]]
    queues = [[k for k in order if bins[k] == b] for b in range(BINS)]
    chosen: list[int] = []
    while any(queues) and len(chosen) < count:
        for queue in queues:
            while queue and len(chosen) < count:
                k = queue.pop(0)
                near = (other for other in chosen if abs(bins[k] - bins[other]) <= 1)
                if not any(_alike(labels[:, k], labels[:, other]) for other in near):
                    chosen.append(k)
                    break
    return np.array(sorted(chosen), dtype=np.int64)


def _alike(first: Mask, second: Mask) -> bool:
    return float((first & second).sum()) > ALIKE * float((first | second).sum())
