"""WordNet: its glosses as a corpus, categorised by what the words are and by what they are a kind of."""

from __future__ import annotations

import os

import numpy as np

from referee.data.columns import Ints, Mask
from referee.errors import OptionError
from referee_papers.corpora.corpus import Corpus, number_families
from referee_papers.corpora.text_tables import indicators, read_columns

RANGE = (0.001, 0.7)
BINS = 14
ALIKE = 0.95


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
