"""The replication says what METHODS says, the disagreements included."""

from __future__ import annotations

import json

from referee_papers import yeh2000


def test_rows():
    result = yeh2000.run()
    content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert content["schema"] == "referee.replication/1"
    rows = {row["what"]: row for row in content["rows"]}
    agrees = {what: row["agrees"] for what, row in rows.items()}
    assert all(value for what, value in agrees.items() if what.startswith(("s_d", "recall", "chi", "its p", "corr")))
    assert not agrees["f1: exact one-sided p"]
    assert not agrees["precision: hits among 2^20 shuffles, run 1"]
    assert not agrees["precision, randomization, one-sided"]
    assert agrees["precision, randomization, two-sided"]
    assert abs(rows["recall: hits among 2^20 shuffles, run 1"]["ours"] - 102.3) < 4 * 10.2
    assert abs(rows["precision: hits among 2^20 shuffles, run 2"]["ours"] - 20965.5) < 4 * 143.4
    assert "+33.5" in rows["precision: exact one-sided p"]["note"]
    assert "-5.7" in rows["f1: exact one-sided p"]["note"]
