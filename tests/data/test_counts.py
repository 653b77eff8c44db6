"""Counts: adding, swapping, saving, loading, and files that are not what they say."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import referee
from referee import Counts
from referee.data.counts import Matched, from_events
from referee.errors import InputError, NameUnknown

EVENTS = (61, 14, 9, 21, 6, 11, 5, 873)
LABELS = st.one_of(
    st.lists(st.integers(-3, 3), min_size=1, max_size=8),
    st.lists(st.text(max_size=3), min_size=1, max_size=8),
    st.lists(st.booleans(), min_size=1, max_size=8),
    st.lists(st.floats(-2, 2).map(lambda x: round(x, 3)), min_size=1, max_size=8),
)


@given(LABELS, st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_round_trips_and_sums(labels, random):
    rows = [[random.choice(labels) for _ in range(6)] for _ in range(3)]
    c = Counts.of(dict(zip(("truth", "a", "b"), rows, strict=True)), names={"a": "x", "b": "y"})
    assert Counts.from_json(c.to_json()) == c
    assert c.swap().swap() == c
    assert c.swap().name("a") == "y"
    assert (c + c).n == 2 * c.n
    assert c + c == Counts.of(dict(c.columns), c.multiplicities * 2, names=c.names)


def test_saving_is_whole_or_not_at_all(tmp_path):
    c = from_events(EVENTS)
    c.save(tmp_path / "c.json")
    assert Counts.load(tmp_path / "c.json") == c
    assert [path.name for path in tmp_path.iterdir()] == ["c.json"]
    with pytest.raises(InputError, match="cannot write"):
        c.save(tmp_path / "no" / "c.json")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="cannot write"):
        c.save(tmp_path / "folder")
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def changed(**changes):
    content = from_events(EVENTS).to_dict()
    content.update(changes)
    return json.dumps({key: value for key, value in content.items() if value != "gone"})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (from_events(EVENTS).to_json()[:120], "not a whole counts file"),
        ("", "not a whole counts file"),
        ("[1, 2]", "not a counts file"),
        ('{"a": 1}', "no schema"),
        (changed(schema="referee.counts/2"), "referee.counts/2"),
        (changed(schema="something/1"), "something/1"),
        (changed(rows="gone"), "rows"),
        (changed(multiplicities="gone"), "multiplicities"),
        (changed(multiplicities=[1, 2]), "8 rows and 2 multiplicities"),
        (changed(multiplicities=[1, 2, 3, 4, 5, 6, 7, -8]), "negative"),
        (changed(multiplicities=[1, 2, 3, 4, 5, 6, 7, 0.5]), "whole"),
        (changed(multiplicities=[1, 2, 3, 4, 5, 6, 7, None]), "gaps|missing"),
        (changed(multiplicities=[1, 2, 3, 4, 5, 6, 7, "8"]), "type|whole"),
        (changed(rows=[[1, 1]] * 8), "3 values"),
        (changed(rows=5), "rows must be a list of rows; it is 5"),
        (changed(rows=None), "rows must be a list of rows; it is null"),
        (changed(names={"A": "old"}), "names must be texts by system"),
        (changed(names={"a": 1}), "names must be texts by system"),
        (changed(positive=[1]), "positive must be a label"),
        (changed(postive=1), r"a field 'postive' \(did you mean 'positive'\?\)"),
        (changed(columns=["truth", "a", "group"]), "both systems, a and b; there is no b"),
        (changed(partial_notes=["x"]), "partial_notes"),
        (changed()[:-1] + ', "open": true}', "has 'open' twice"),
        (changed(columns=["truth", "a", "a"]), "distinct"),
        (changed(columns=[1, 2, 3]), "distinct names"),
        (changed(names=[1]), "names"),
        (changed(open="yes"), "open"),
        (changed(rows=[[1, 1, 1]] * 7 + [["1", 1, 1]]), "type"),
        (changed(rows=[[1, 1, 1]] * 7 + [[None, 1, 1]]), "missing"),
        (changed(rows=[[1, 1, 1]] * 7 + [[{}, 1, 1]]), "."),
        (changed(matched={"both": "x"}), "."),
        (changed(matched={"other": 1}), "."),
        ("[" * 100_000, "."),
    ],
)
def test_files_that_are_not_counts(text, words, tmp_path):
    path = tmp_path / "c.json"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        Counts.load(path)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="cannot read"):
        Counts.load(tmp_path / "none.json")
    (tmp_path / "bad.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot read"):
        Counts.load(tmp_path / "bad.json")


def test_adding_what_does_not_belong_together():
    c = from_events(EVENTS)
    for other in (
        from_events(EVENTS, a="other"),
        from_events(EVENTS, open=True),
        c.without("truth"),
        Counts.of({"truth": ["1"], "a": ["1"], "b": ["1"]}, names=c.names),
    ):
        with pytest.raises(InputError, match=r"add|not the same"):
            c + other
    with pytest.raises(TypeError):
        c + 1


def test_groups_of_one_name_become_one_group():
    one = Counts.of({"a": [1, 0], "b": [1, 1], "group": ["x", "y"]})
    both = one + one
    assert len(both) == 2
    assert both.multiplicities.tolist() == [2, 2]


def test_columns_and_places():
    c = Counts.of({"truth": [1, 0, 1], "a": [1, 1, 1], "b": [0, 0, 0], "slice": ["u", "v", "u"]}, [2, 3, 5])
    assert [(name, part.n) for name, part in c.slices()] == [("u", 7), ("v", 3)]
    assert c.where(c["truth"] == 1).matched == Matched(both=7)
    with pytest.raises(NameUnknown, match="did you mean 'slice'"):
        c["slicee"]
    assert c.get("group") is None
    assert c.systems == ("a", "b")
    assert np.array_equal(c.put(a=c["b"])["a"], c["b"])
    assert repr(c)


def test_counts_of_counts_with_zeros_drops_them():
    assert len(Counts.of({"a": [1, 2], "b": [1, 2]}, [0, 3])) == 1


def test_totals_that_no_float_holds_are_refused():
    for weights in ([2**62] * 4, [2**63 - 1, 10], [2**52, 2**52, 1]):
        with pytest.raises(InputError, match="2\\^53"):
            Counts.of({"a": range(len(weights)), "b": range(len(weights))}, weights)
    large = Counts.of({"a": [1], "b": [1]}, [2**52])
    with pytest.raises(InputError, match="2\\^53"):
        large + large


def test_links_are_followed_and_pipes_written_to(tmp_path):
    import os
    import threading

    c = from_events(EVENTS)
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    c.save(tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert Counts.load(tmp_path / "real.json") == c
    os.mkfifo(tmp_path / "pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_text()))
    reader.start()
    c.save(tmp_path / "pipe")
    reader.join(10)
    assert read == [c.to_json()]


@pytest.mark.parametrize(
    "changes",
    [
        {"matched": {"both": -1}},
        {"matched": {"both": "x"}},
        {"notes": "hello"},
        {"notes": [1]},
        {"matched": {"both": 1.5}},
    ],
)
def test_hand_edited_notes_and_matches(changes):
    with pytest.raises(InputError):
        Counts.from_json(changed(**changes))


def test_a_packed_counts_file_is_read(tmp_path):
    import gzip

    counts = Counts.of({"truth": [1, 0], "a": [1, 0], "b": [1, 1]}, [3, 4])
    path = tmp_path / "c.json.gz"
    path.write_bytes(gzip.compress(counts.to_json().encode()))
    assert Counts.load(path) == counts
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(InputError, match=r"c\.json\.gz"):
        Counts.load(path)


@pytest.mark.parametrize(
    ("role", "hint"),
    [("xruth", r" \(did you mean 'truth'\?\)"), ("c", ""), ("weights", r" \(did you mean 'weight'\?\)")],
)
def test_a_column_that_is_no_role_is_refused(role, hint):
    content = from_events([1, 2, 3, 4, 5, 6, 7, 8]).to_dict()
    content["columns"] = [role, *content["columns"][1:]]
    words = rf"no role '{role}'{hint}; the roles are: truth, a, b, judge, judge_a, judge_b, group, crossed, stratum, weight, slice"
    with pytest.raises(InputError, match=words):
        Counts.from_dict(content)
    with pytest.raises(InputError, match=words):
        Counts.of({role: [1, 0], "a": [1, 0], "b": [0, 1]})


def test_notes_of_a_part_are_not_said_of_the_sum(tmp_path):
    days = [
        referee.count(truth=["x", "y"] * n, a=["x", None] * n, b=["x", "y"] * n, missing="drop") for n in (2, 2, 3, 5)
    ]
    dropped = "2 examples with a missing value were dropped (missing='drop'): A 2"
    assert days[0].remarks == (dropped,)
    week = days[0] + days[1] + days[2] + Counts.of({"truth": ["x"], "a": ["y"], "b": ["x"]}, names=days[0].names)
    assert week.notes == ()
    assert week.remarks == (
        f"in each of 2 parts (4 examples): {dropped}",
        "in one part (3 examples): 3 examples with a missing value were dropped (missing='drop'): A 3",
    )
    assert (days[0] + (days[1] + days[2])).remarks == (days[0] + days[1] + days[2]).remarks
    week.save(tmp_path / "week.json")
    assert Counts.load(tmp_path / "week.json").remarks == week.remarks
    assert set(week.remarks) <= set(referee.compare(week).warnings)
