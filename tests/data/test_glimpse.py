"""What is seen of data at once: a few lines and the first rows, whatever their size, and nothing is counted for it."""

import pytest

import referee
from referee.data.counts import from_events
from referee.data.outcomes import described
from referee.data.samples import described_samples

SCRIPT = "<script>alert(1)</script>"
COLUMNS = {"truth": [1, 0, 1] * 500, "old": [1, 0, 0] * 500, "new": [1, 1, 1] * 500, "doc": [SCRIPT] * 1500}
ROLES = {"truth": "truth", "a": "old", "b": "new", "group": "doc"}


def frame(package):
    return pytest.importorskip(package).DataFrame(COLUMNS)


@pytest.mark.parametrize(
    "make", [dict, lambda _: frame("pandas"), lambda _: frame("polars")], ids=["dict", "pandas", "polars"]
)
def test_a_table(make):
    data = described(make(COLUMNS), **ROLES)
    assert repr(data).startswith("<Outcomes: systems: old and new; rows: 1,500\n ")
    assert "columns: truth, a is old, b is new, group is doc" in repr(data)
    shown = data._repr_html_()
    assert SCRIPT not in shown
    assert shown.count("&lt;script&gt;") == 5
    assert len(shown) < 6000


def test_two_files(tmp_path):
    for name in ("old", "new"):
        rows = "".join(f"{i},{i % 2},{'word ' * 40}\n" for i in range(300))
        (tmp_path / f"{name}.csv").write_text(f"id,score,text\n{rows}", encoding="utf-8")
    data = referee.read(tmp_path / "old.csv", tmp_path / "new.csv", id="id", prediction="score")
    assert "old and new" in repr(data)
    assert len(repr(data)) < 500
    assert "<p>The first rows:</p>" in data._repr_html_()


def test_counts_and_samples():
    counts = from_events([61, 14, 9, 21, 6, 11, 5, 873])
    assert repr(counts) == "<Counts: systems: A and B; n: 1,000 in 8 distinct outcomes\n columns: truth, a, b>"
    assert "<th" in counts._repr_html_()
    samples = described_samples(({"s": [1, 0] * 400}, {"s": [0, 0] * 300}), a="s")
    assert "A, rows: 800" in repr(samples)
    assert "B, rows: 600" in repr(samples)


def test_what_is_half_made_or_gone_is_no_error(tmp_path):
    gone = described(tmp_path / "gone.csv", truth="t", a="a", b="b")
    assert "gone.csv" in repr(gone)
    assert "The first rows" not in gone._repr_html_()
    assert repr(object.__new__(type(gone))).startswith("<referee.data.outcomes.Outcomes object")
