"""Unions of categories."""

from __future__ import annotations

import pytest
from scripts.population_predictions import unite

from referee.errors import InputError, OptionError
from tests.papers.populations.made_up import random_predictions


@pytest.mark.parametrize("known", [False, True])
def test_unions_are_balanced_and_are_what_any_member_says(known):
    given = random_predictions(known=known)
    united = unite(given, 20, 1, (0.3, 0.7))
    assert united.categories[0] == "union-001" and len(set(united.members.values())) == 20
    assert united.prevalence.min() >= 0.3 and united.prevalence.max() <= 0.7
    for u, members in enumerate(united.members.values()):
        assert len(members) > 1
        for i in range(len(given)):
            ks = [given.categories.index(name) for name in members]
            assert united.truth[i, u] == any(given.truth[i, k] for k in ks)
            assert united.predicted["mlp"][i, u] == any(given.predicted["mlp"][i, k] for k in ks)
            assert given.known is None or united.known[i, u] == all(given.known[i, k] for k in ks)


def test_unions_that_cannot_be_are_refused():
    given = random_predictions(categories=3)
    with pytest.raises(InputError, match="ask for fewer"):
        unite(given, 20)
    with pytest.raises(OptionError, match="balance"):
        unite(given, 2, 0, (0.6, 0.4))
    with pytest.raises(OptionError, match="count"):
        unite(given, 0)
