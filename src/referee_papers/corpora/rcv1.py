"""Reuters RCV1-v2, the corpus of the papers: as scikit-learn fetches it, or a sample of it in a folder."""

from __future__ import annotations

import hashlib
import os
from itertools import compress, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from referee.data.columns import Ints
from referee.errors import InputError
from referee_papers.corpora.corpus import Corpus, number_families, require_sklearn

FIRST_KNOWN = 24
"""In the sample, topics of a lower number are known for some documents only."""


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
