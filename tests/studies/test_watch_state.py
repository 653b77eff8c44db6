"""The state of a watch: what must stay is checked, damage is noticed, and whatever goes wrong the file is as it was."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import referee
from referee.errors import InputError, OptionError, RefereeError
from referee.runtime import atomic
from referee.studies import watch_outcomes, watch_state
from referee.studies.watch_state import SCHEMA, State, StateFile

SIDES = {"truth": "label", "a": "old", "b": "new"}
RNG = np.random.default_rng(0)
LABEL = RNG.integers(0, 2, 60)
DATA = pd.DataFrame({"label": LABEL, "old": RNG.integers(0, 2, 60), "new": LABEL})
COUNTS = referee.count(DATA[:40], **SIDES)


@pytest.fixture
def state(tmp_path):
    path = tmp_path / "watch.json"
    referee.watch(DATA[:40], **SIDES, margin=0.05, state=path)
    return path


def refused(state, error, told, data=DATA, **asked):
    """Check that a look is refused in words, and that nothing was changed."""
    before, folder = state.read_bytes(), sorted(state.parent.iterdir())
    with pytest.raises(error) as caught:
        referee.watch(data, **{**SIDES, "margin": 0.05, "state": state, **asked})
    assert told in str(caught.value), str(caught.value)
    assert state.read_bytes() == before
    assert sorted(state.parent.iterdir()) == folder
    return caught.value


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"metric": "f1"}, "metric is f1, and the watch in"),
        ({"margin": 0.1}, "has 0.05; go on with margin=0.05; to begin anew, name another file with state="),
        ({"margin": None}, "margin is not given"),
        ({"alpha": 0.01}, "alpha is 0.01"),
        ({"alternative": "greater"}, "alternative is greater"),
        ({"question": "equal"}, "question is equal"),
        ({"test": "anytime:burn_in=99"}, "test is anytime:burn_in=99"),
        ({"names": ("x", "y")}, "names is x, y, and the watch in"),
        ({"a": "new", "b": "old"}, "has old, new; name them as before"),
        ({"missing": "drop"}, "missing is drop, and the watch in"),
    ],
    ids=str,
)
def test_what_is_asked_must_stay(state, changes, told):
    refused(state, OptionError, told, **changes)


def test_the_positive_label_must_stay(tmp_path):
    path = tmp_path / "w.json"
    referee.watch(DATA[:40], **SIDES, metric="f1", positive=0, state=path)
    error = refused(path, OptionError, "positive is 1, and the watch in", metric="f1", positive=1, margin=None)
    assert error.argument == "positive"


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (DATA[:28], "there are 28 examples, 12 fewer than at the last look (40); a watch only adds"),
        (DATA[1:], "the first 40 examples of the table are no longer those of the last look; append new rows"),
        (pd.concat([DATA[40:], DATA[:40]]), "the first 40 examples of the table are no longer those"),
        (DATA.assign(new=1 - DATA["new"]), "at the last look there were"),
        (DATA[20:60], "at the last look there were"),
    ],
    ids=["fewer", "first lost", "moved", "changed", "as many others"],
)
def test_data_only_grow(state, data, told):
    refused(state, InputError, told, data)


@pytest.mark.parametrize("most", [0, 20_000], ids=["hashes", "counts"])
def test_counts_only_grow(tmp_path, monkeypatch, most):
    monkeypatch.setattr(watch_outcomes, "MOST", most)
    path = tmp_path / "w.json"
    referee.watch(COUNTS, state=path)
    assert ("hashes" in json.loads(path.read_text())["outcomes"]) == (most == 0)
    sides = dict.fromkeys(SIDES)

    def grown(first, second, rest):
        return replace(
            COUNTS, multiplicities=COUNTS.multiplicities + np.array([first, second, *[rest] * (len(COUNTS) - 2)])
        )

    refused(path, InputError, "1 fewer", grown(-1, 0, 0), **sides, margin=None)
    told = "with truth 0, old 0, new 0, and at the last look there were"
    told = told if most else "1 of the 4 different outcomes occur less often than at the last look"
    refused(path, InputError, told, grown(-1, 1, 0), **sides, margin=None)
    refused(path, InputError, told, grown(-1, 9, 9), **sides, margin=None)
    assert referee.watch(grown(3, 3, 3), state=path).looked == 2


def test_many_outcomes_only_grow(tmp_path):
    path, scores = tmp_path / "w.json", RNG.random((2, 25_000))
    first = referee.count(a=scores[0, :21_000], b=scores[1, :21_000])
    asked = {**dict.fromkeys(SIDES), "margin": None}
    referee.watch(first, state=path)
    assert path.stat().st_size < 400_000
    others = referee.count(a=scores[1], b=scores[0])
    refused(path, InputError, "21,000 of the 21,000 different outcomes occur less often", others, **asked)
    one_less = referee.count(a=np.r_[scores[0, 1:], 0.5], b=np.r_[scores[1, 1:], 0.5])
    refused(path, InputError, "1 of the 21,000 different outcomes", one_less, **asked)
    assert referee.watch(referee.count(a=scores[0], b=scores[1]), state=path).looked == 2


def test_rows_of_a_long_table_stay_though_their_numbers_become_floats(tmp_path, monkeypatch):
    monkeypatch.setattr(watch_outcomes, "MOST", 0)
    path, a = tmp_path / "w.json", np.arange(60) % 7
    asked = {"metric": "mean:low=0,high=9", "state": path}
    referee.watch(a=a[:40], b=a[:40] + 1, **asked)
    later = np.r_[a[:40], a[40:] + 0.5]
    assert referee.watch(a=later, b=later + 1, **asked).looked == 2
    with pytest.raises(InputError, match="the first 60 examples of the table are no longer those"):
        moved = np.r_[later[40:], later[40:], later]
        referee.watch(a=moved, b=moved + 1, **asked)


def test_hashes_are_those_of_equal_values():
    made = [np.array(values) for values in ([0, 1, 3], [0.0, 1.0, 3.0], [-0.0, 1.0, 3.0])]
    made += [np.array([0, 1.0, 3], dtype=object), np.array([False, True, 3], dtype=object)]
    assert len({tuple(watch_outcomes._hashes(values).tolist()) for values in made}) == 1
    large = np.array([2**53, 2**53 + 1, 2**53 + 2, 1, -1, 0])
    assert len(set(watch_outcomes._hashes(large).tolist())) == 6
    texts = np.array(["1", "1.0", "yes", None, "None"], dtype=object)
    assert len(set(watch_outcomes._hashes(texts).tolist())) == 5


def test_a_group_that_is_added_is_told_as_that(tmp_path):
    path = tmp_path / "w.json"
    referee.watch(DATA[:40], **SIDES, state=path)
    before = path.read_bytes()
    with pytest.raises(OptionError, match=r"group is doc, and the watch in .* has none; leave group= out"):
        referee.watch(DATA.assign(doc=np.arange(60) // 4), **SIDES, group="doc", state=path)
    assert path.read_bytes() == before


def test_evidence_must_stay_of_one_kind(tmp_path):
    path = tmp_path / "w.json"
    right = RNG.integers(0, 2, (2, 60)).astype(float)
    referee.watch(a=right[0, :40], b=right[1, :40], state=path)
    right[0, 50] = 0.37
    before = path.read_bytes()
    with pytest.raises(OptionError, match="evidence was exact at the last look and is asymptotic now"):
        referee.watch(a=right[0], b=right[1], state=path)
    assert path.read_bytes() == before


def test_a_score_off_its_scale_is_refused(tmp_path):
    path = tmp_path / "w.json"
    scores = RNG.integers(1, 6, (2, 60))
    asked = {"metric": "mean:low=1,high=5", "state": path}
    referee.watch(a=scores[0, :40], b=scores[1, :40], **asked)
    scores[0, 50] = 9
    before = path.read_bytes()
    with pytest.raises(RefereeError, match="9"):
        referee.watch(a=scores[0], b=scores[1], **asked)
    assert path.read_bytes() == before


@pytest.mark.parametrize("margin", [0, -0.1, "0pp"])
def test_a_margin_is_above_0(state, margin):
    refused(state, OptionError, "margin must be a number above 0", margin=margin)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "it is no such JSON"),
        (b"{", "it is no such JSON"),
        (b"[" * 900 + b"]" * 900, "it is no such JSON"),
        (b"\xff\xfe\x00", "it is no such JSON"),
        (b"[1, 2]", "it is no such JSON"),
        (b'{"schema": "referee.counts/1"}', "its schema is 'referee.counts/1'"),
        (b'{"schema": "referee.watch-state/2"}', "of another version"),
        (f'{{"schema": "{SCHEMA}"}}'.encode(), "is damaged"),
    ],
    ids=["empty", "cut", "deep", "bytes", "list", "counts", "later", "bare"],
)
def test_foreign_files_are_refused(state, content, told):
    state.write_bytes(content)
    error = refused(state, InputError, told)
    assert "name another file with state=" in str(error)


@pytest.mark.parametrize("old", ['"looked": 1', '"rows": 40', '"margin": 0.05', "  0\n"], ids=str)
def test_damage_is_noticed(state, old):
    text = state.read_text()
    assert old in text
    state.write_text(text.replace(old, old.replace("0", "7").replace("1", "2"), 1))
    refused(state, InputError, "is damaged: its content is not what was written")


def test_a_state_with_a_right_hash_and_wrong_parts_is_damaged(state):
    content = json.loads(state.read_text())
    for part in ("progress", "outcomes", "rows"):
        wrong = {name: value for name, value in content.items() if name not in (part, "hash")}
        state.write_text(json.dumps({**wrong, "hash": watch_state._hash(wrong)}))
        refused(state, InputError, "is damaged")


def test_a_state_reads_as_it_was_written(state):
    read = StateFile(state).state
    assert State.from_json(read.to_json().encode(), "x").to_json() == read.to_json()
    assert read.to_json().encode() == state.read_bytes()


def test_the_state_is_no_input(state, tmp_path):
    path = tmp_path / "t.csv"
    DATA.to_csv(path, index=False)
    before = path.read_bytes()
    with pytest.raises(OptionError, match="the state and the data are one file"):
        referee.watch(path, **SIDES, state=path)
    (tmp_path / "link.json").symlink_to(path)
    with pytest.raises(OptionError, match="the state and the data are one file"):
        referee.watch(path, **SIDES, state=tmp_path / "link.json")
    assert path.read_bytes() == before


def test_a_state_that_cannot_be_written(tmp_path, monkeypatch):
    asked = {**SIDES, "margin": 0.05}
    with pytest.raises(InputError, match="there is no folder"):
        referee.watch(DATA, **asked, state=tmp_path / "none" / "w.json")
    with pytest.raises(InputError, match="not a file that a state could be kept in"):
        referee.watch(DATA, **asked, state=tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda *_: False)
        with pytest.raises(InputError, match="its folder is not writable"):
            referee.watch(DATA, **asked, state=tmp_path / "w.json")
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_fails_leaves_the_old_state(state, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic.os, "fsync", full)
    refused(state, InputError, "cannot write")


def test_a_state_is_on_the_disk_before_a_look_ends(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(atomic.os, "fsync", lambda handle: synced.append(os.fstat(handle).st_size))
    referee.watch(DATA, **SIDES, state=tmp_path / "w.json")
    assert synced[0] == (tmp_path / "w.json").stat().st_size
    assert len(synced) == 2  # and the folder


def test_two_watches_at_once_do_not_overwrite_each_other(state):
    mine = StateFile(state)
    referee.watch(DATA, **SIDES, margin=0.05, state=state)
    theirs = state.read_bytes()
    with pytest.raises(InputError, match=r"another process wrote .* during this look, which was not kept; look again"):
        mine.write(mine.state)
    assert state.read_bytes() == theirs


def test_writers_wait_for_each_other(state):
    fcntl = pytest.importorskip("fcntl")
    mine, done = StateFile(state), threading.Event()
    handle = os.open(state.parent, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    writer = threading.Thread(target=lambda: (mine.write(mine.state), done.set()))
    writer.start()
    assert not done.wait(0.05)
    os.close(handle)
    assert done.wait(5)
    writer.join()
