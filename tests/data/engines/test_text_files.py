"""What the text of a CSV means."""

import pytest

from referee.data.engines import tables
from referee.data.outcomes import count
from referee.errors import InputError


@pytest.fixture
def read(tmp_path):
    """Return a function that writes columns as CSV and reads them as the engine does, in their order."""

    def reader(**columns):
        numbered = {**columns, "stratum": [str(i) for i in range(len(columns["a"]))]}
        rows = [numbered, *zip(*numbered.values(), strict=True)]
        path = tmp_path / "x.csv"
        path.write_text("".join(",".join("" if v is None else v for v in row) + "\n" for row in rows))
        found = tables.read(path, {role: role for role in numbered}, keep_ids=False)
        order = sorted(range(len(found.counts)), key=lambda i: int(found.columns["stratum"][i]))
        gone = {role: found.missing.get(role, [False] * len(order)) for role in columns}
        return {role: [None if gone[role][i] else found.columns[role].tolist()[i] for i in order] for role in columns}

    return reader


def test_whole_numbers(read):
    assert read(truth=["0", "-1"], a=["1", "12"], b=["3", None]) == {"truth": [0, -1], "a": [1, 12], "b": [3, None]}


@pytest.mark.parametrize(
    "label", ["2x", "n/a", "007", "+1", "1 ", " 1", "true", "1_000", "0x1", "99999999999999999999x", "١"]
)
def test_one_textual_label_makes_all_three_text(read, label):
    assert read(truth=["0", "1"], a=["1", label], b=["0", "1"]) == {
        "truth": ["0", "1"],
        "a": ["1", label],
        "b": ["0", "1"],
    }
    assert read(truth=["0", label], a=["1", "1"], b=["0", "1"]) == {
        "truth": ["0", label],
        "a": ["1", "1"],
        "b": ["0", "1"],
    }


def test_numbers(read):
    assert read(truth=["0", "1"], a=["0.5", "1"], b=["1e-3", ".5"]) == {
        "truth": [0, 1],
        "a": [0.5, 1.0],
        "b": [0.001, 0.5],
    }
    assert read(truth=["0.5", "1"], a=["1", "1"], b=["1", "2"]) == {"truth": [0.5, 1.0], "a": [1, 1], "b": [1, 2]}
    assert read(truth=["1.0", "2.0"], a=["1", "2"], b=["1", "2.0"])["truth"] == [1, 2]


def test_scores_beside_labels(read):
    assert read(truth=["yes", "no"], a=["0.5", "1"], b=["0", "0.25"]) == {
        "truth": ["yes", "no"],
        "a": [0.5, 1.0],
        "b": [0.0, 0.25],
    }


def test_labels_that_nothing_shares_are_kept_apart_and_refused(read, tmp_path):
    assert read(truth=["yes", "no"], a=["0", "1"], b=["0", "0"])["a"] == [0, 1]
    path = tmp_path / "x.csv"
    path.write_text("truth,a,b\nyes,0,1\nno,1,1\n")
    with pytest.raises(InputError, match="truth holds text and a holds whole numbers"):
        count(path, truth="truth", a="a", b="b")


def test_gaps_are_missing_only_among_numbers(read):
    assert read(truth=["0", "1"], a=["NA", "1"], b=["0", "null"]) == {"truth": [0, 1], "a": [None, 1], "b": [0, None]}
    assert read(a=["0.5", "NaN", None], b=["None", "1", "2"]) == {"a": [0.5, None, None], "b": [None, 1, 2]}
    assert read(truth=["x", "NA"], a=["NA", "x"], b=["x", None]) == {
        "truth": ["x", "NA"],
        "a": ["NA", "x"],
        "b": ["x", None],
    }


def test_sides_and_words_stay_text(read):
    assert read(a=["True", "false"], b=["true", "FALSE"], group=["007", "7"]) == {
        "a": ["True", "false"],
        "b": ["true", "FALSE"],
        "group": ["007", "7"],
    }
    assert read(a=["1", "2"], b=["2", "1"], slice=["1", "NA"])["slice"] == ["1", "NA"]


def test_infinite_scores_are_refused(read):
    with pytest.raises(InputError, match="infinite"):
        read(a=["0.5", "inf"], b=["1", "2"])


def test_nothing_at_all(read):
    assert read(truth=["1", "2"], a=[None, None], b=["1", "2"]) == {"truth": [1, 2], "a": [None, None], "b": [1, 2]}
