"""The panels run as one grid, and what is written of them."""

from __future__ import annotations

import json

import pytest

from referee.errors import OptionError, RefereeError
from referee_papers import keller2005
from referee_papers.keller2005.panels import DF1, PANELS, gather, gather_within
from tests.papers.keller2005.made_up import TINY

KEYS = {"what", "paper", "ours", "agrees", "note"}


def test_contract(measured):
    made, values = measured
    result = keller2005.judge(gather(made, TINY, values), gather_within(made, TINY, values, DF1), TINY, "rcv1")
    content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert content["schema"] == "referee.replication/1"
    assert "2 to 2 categories a panel, 6 test sets" in content["paper"]
    assert all(set(row) == KEYS and row["agrees"] in (True, False, None) for row in content["rows"])
    assert content["conclusion"].startswith("Of 16 findings")
    titles = [table["title"] for table in content["tables"]]
    assert len(titles) == len(set(titles)) == 2 + 4 * len(PANELS)
    one = content["tables"][2]
    assert (one["panel"], one["null"], one["alpha"]) == ("a", "tilt", 0.05)
    assert {"line", "n", "alpha_true", "spread", "power", "categories"} <= set(one["rows"][0])
    for form in ("text", "markdown", "latex"):
        assert "Benchmarking" in result.to(form)
    said = str(result)
    assert "cannot be judged" in said and "[agrees]" in said and "bootstrap dF1" in said


def test_options():
    with pytest.raises(RefereeError, match="corpus"):
        keller2005.run(corpus="wordnets")
    with pytest.raises(OptionError, match="sets"):
        keller2005.run(sets=1)
