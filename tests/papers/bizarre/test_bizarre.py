"""Table 3 again, on documents that were made up."""

from __future__ import annotations

import json

import pytest

from referee.errors import RefereeError
from referee_papers import bizarre
from tests.papers.bizarre.made_up import TINY, given, worlds


def test_contract(made):
    content = json.loads(json.dumps(made.to_dict(), allow_nan=False))
    assert all(set(row) == {"what", "paper", "ours", "agrees", "note"} for row in content["rows"])
    assert [row["set"] for row in content["tables"][0]["rows"]] == ["X", "Y", "Z"]
    assert content["tables"][0]["rows"][0]["paper_truth_documents"] == 790900
    assert sum(row["what"].startswith("detection cost") for row in content["rows"]) == 2
    assert "95.6 / 92.4" in str(made)


def test_resumed_and_parallel(made, tmp_path):
    file = tmp_path / "cells.sqlite"
    assert bizarre.replicate(given(), worlds(), TINY, jobs=2, store=file).to_dict() == made.to_dict()
    assert bizarre.replicate(given(), worlds(), TINY, jobs=1, store=file).to_dict() == made.to_dict()


def test_options():
    with pytest.raises(RefereeError, match="corpus"):
        bizarre.run(corpus="rcv2")
