"""RCV1, as it is fetched and as a sample."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from scripts.population_sources import read_rcv1, read_rcv1_sample

from referee.errors import InputError, OptionError
from referee_papers.training.train import require_sklearn


@pytest.fixture
def stand_in(monkeypatch):
    import sklearn.datasets

    draw = np.random.default_rng(0)
    data = sparse.random(200, 50, 0.1, format="csr", rng=draw)[[*range(7), 3, *range(8, 200)]]
    target = sparse.csr_matrix((draw.random((200, 3)) < [0.6, 0.2, 0.01]).astype(np.uint8))
    bunch = SimpleNamespace(
        data=data.tocsr(),
        target=target,
        sample_id=np.arange(200),
        target_names=np.array(["CCAT", "M11", "RARE"], object),
    )
    monkeypatch.setattr(sklearn.datasets, "fetch_rcv1", lambda: bunch)
    return bunch


def test_rcv1_is_what_scikit_learn_fetches(stand_in):
    found = read_rcv1(fewest=10)
    assert (found.name, found.categories, len(found)) == ("rcv1", ("CCAT", "M11"), 200)
    assert np.array_equal(found.labels, stand_in.target.toarray()[:, :2] > 0)
    assert found.families[7] == found.families[3] != found.families[4]
    with pytest.raises(InputError, match="no topic"):
        read_rcv1(fewest=1000)


def test_the_sample_of_rcv1_keeps_what_is_distinct_and_known(tmp_path):
    draw = np.random.default_rng(0)
    labels = (draw.random((40, 30)) < 0.4).astype(np.uint8)
    labels[:, 29] = 0
    unique = np.arange(40) % 4 > 0
    sparse.save_npz(tmp_path / "rcv1_30k_X.npz", sparse.random(40, 9, 0.5, format="csr", rng=draw))
    np.savez(tmp_path / "rcv1_30k_Y.npz", Y=labels, unique=unique)
    with pytest.raises(InputError, match=r"topics\.txt"):
        read_rcv1_sample(tmp_path)
    (tmp_path / "topics.txt").write_text("\n".join(f"T{i}" for i in range(30)))
    found = read_rcv1_sample(tmp_path)
    assert found.categories == ("T24", "T25", "T26", "T27", "T28") and found.features.shape == (30, 9)
    assert np.array_equal(found.labels, labels[unique][:, 24:29] > 0)
    (tmp_path / "topics.txt").write_text("T1")
    with pytest.raises(InputError, match="30 topics"):
        read_rcv1_sample(tmp_path)


def test_without_scikit_learn_the_command_that_installs_it_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(OptionError, match=r"pip install 'referee\[learn\]'"):
        require_sklearn()
    with pytest.raises(OptionError, match=r"pip install 'referee\[learn\]'"):
        read_rcv1()
