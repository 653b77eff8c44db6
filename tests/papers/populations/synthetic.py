"""Made-up data that the tests of this folder share."""

from __future__ import annotations

import numpy as np
from scripts.population_corpus import Corpus

NAMES = ("animal", "cat", "dog", "red", "rare")


def synthetic(size=360, seed=0):
    """Texts whose words tell the labels, more or less; cat and dog are animals; families of three share a tag."""
    draw = np.random.default_rng(seed)
    cat, dog = draw.random(size) < 0.2, draw.random(size) < 0.25
    labels = np.stack([cat | dog, cat, dog, draw.random(size) < 0.45, np.arange(size) == 5], axis=1)
    texts = []
    for i, row in enumerate(labels):
        told = [f"{NAMES[k]}{draw.integers(3)}" for k in range(4) if row[k] and draw.random() < 0.9]
        texts.append(" ".join([*told, *(f"noise{w}" for w in draw.integers(0, 60, 6)), f"family{i // 3}"]))
    families = np.r_[np.arange(size - 60) // 3, np.arange(size - 60, size)]
    return Corpus("synthetic", labels, NAMES, texts=texts, families=families)
