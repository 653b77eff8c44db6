"""Replications: ours beside theirs, in four forms."""

from referee.results.replication import Replication

R = Replication(
    paper="Nobody (2000)",
    rows=[
        {"what": "recall, p", "paper": 0.02, "ours": 0.0214, "agrees": True, "note": "rounded in the paper"},
        {"what": "f1 | p", "paper": "0.10", "ours": None, "agrees": False, "note": ""},
        {"what": "n", "paper": 103, "ours": 103, "agrees": None, "note": "rounded in the paper"},
    ],
)


def test_text():
    said = str(R)
    assert said.startswith("Nobody (2000): 1 of 3 numbers agree.")
    assert "recall, p   0.02   0.0214  yes      (1)" in said
    assert "unknown  no" in said
    assert said.endswith("(1) rounded in the paper.")


def test_markdown_and_latex():
    assert "| f1 \\| p | 0.10 | unknown | no |  |" in R.to_markdown()
    assert r"f1 \textbar{} p & 0.10 & unknown & no &  \\" in R.to_latex()
