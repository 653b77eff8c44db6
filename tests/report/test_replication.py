"""Replications: ours beside theirs, in four forms."""

from referee.report.replication import document
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


def test_what_the_paper_does_not_have_is_said_once():
    rows = [
        {"what": f"rate {n}", "paper": None, "ours": n / 10, "agrees": None, "note": f"note {n}"} for n in range(1, 4)
    ]
    r = Replication("Keller (2005)", rows)
    for form in ("text", "markdown", "latex"):
        text = " ".join(r.to(form).split())
        assert "unknown" not in text
        assert text.count("the paper does not have") == 1
        assert all(one in text for one in ("rate 2", "0.2", "note 2"))
    assert not document(r).cases()
