"""Streams: the same key, the same numbers; another key, others."""

from __future__ import annotations

import numpy as np
import pytest

from referee.errors import OptionError
from referee.runtime.randomness import Streams, blocks


def test_keys():
    s = Streams.of(7)
    assert s.at(0).random() == Streams.of(7).at(0).random()
    numbers = {
        s.at(0).random(),
        s.at(1).random(),
        s.child(1).at(0).random(),
        s.child(1, 2).at(0).random(),
        Streams.of(8).at(0).random(),
    }
    assert len(numbers) == 5
    assert s.child(1).key == (7, 1)
    assert Streams.of(s) is s
    assert Streams.of(0).at(0).random() != Streams.of(None).at(0).random()
    assert Streams.of(np.int64(7)).key == (7,)


@pytest.mark.parametrize("bad", [-1, 1.5, "x", True])
def test_bad_seeds(bad):
    with pytest.raises(OptionError, match="rng"):
        Streams.of(bad)


def test_blocks_add_up():
    assert list(blocks(10, 4, "work")) == [(0, 4), (1, 4), (2, 2)]
    assert list(blocks(0, 4, "work")) == []
