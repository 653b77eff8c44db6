"""WordNet's glosses as a corpus."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scripts.population_sources import read_wordnet, spread

from referee.errors import OptionError


def test_wordnet_glosses_become_a_corpus(tmp_path):
    draw = np.random.default_rng(0)
    rows = [
        {
            "synset": f"n{i}",
            "lexname": "noun.animal" if i % 3 else "adj.all",
            "lemmas": "secret",
            "gloss": f'a "thing", of sort {draw.integers(9)}',
            "ancestors_ge50": f"top mid{i % 4}" if i % 3 else "",
        }
        for i in range(240)
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "glosses.csv", index=False)
    found = read_wordnet(tmp_path / "glosses.csv")
    # "top" has the members of noun.animal, all of them: one of the two is enough.
    assert {"adj.all", "mid0", "mid1", "mid2", "mid3"} < set(found.categories) and len(found.categories) == 6
    assert not any("secret" in text for text in found.texts)
    assert len(set(found.families[::3])) == 80 and len(set(found.families)) == 84
    assert len(read_wordnet(tmp_path / "glosses.csv", categories=3).categories) == 3
    mixed = read_wordnet(tmp_path / "glosses.csv", siblings=False)
    assert (mixed.name, mixed.families, mixed.categories) == ("wordnet-mixed", None, found.categories)


def test_the_categories_are_even_in_log_prevalence():
    draw = np.random.default_rng(1)
    shares = np.r_[np.full(150, 0.003), np.geomspace(0.002, 0.5, 40)]
    labels = draw.random((4000, len(shares))) < shares
    chosen = spread(labels, np.arange(4000), 40)
    logs = np.log10(labels[:, chosen].mean(axis=0))
    assert len(chosen) == 40 and np.histogram(logs, np.log10([0.001, 0.005, 0.05, 0.5]))[0].min() >= 8
    with pytest.raises(OptionError):
        spread(labels, np.arange(4000), 0)
