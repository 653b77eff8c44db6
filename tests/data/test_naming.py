"""Names of systems: given with arrays, columns, counts and files; used by every sentence; refused unless they are two."""

import json

import numpy as np
import pytest

import referee
from referee.errors import InputError, OptionError

TRUTH = [1, 1, 0, 0, 1, 0] * 10
OLD = [1, 0, 0, 1, 1, 0] * 10
NEW = [1, 1, 0, 0, 0, 0] * 10
ARRAYS = {"truth": TRUTH, "a": OLD, "b": NEW}
TABLE = {"label": TRUTH, "m1": OLD, "m2": NEW}


def test_names_of_arrays():
    r = referee.compare(**ARRAYS, names=("old", "new"), audit=False)
    plain = referee.compare(**ARRAYS, audit=False)
    assert (r.a.name, r.b.name) == ("old", "new")
    assert '"new" has accuracy' in r.to("text") and "|a:old|b:new|" in r.signature
    assert json.loads(r.to_json())["a"]["name"] == "old"
    assert (r.difference, r.p_value, r.interval) == (plain.difference, plain.p_value, plain.interval)


def test_names_rename_columns_and_counts():
    r = referee.compare(TABLE, truth="label", a="m1", b="m2", names=["old", "new"], audit=False)
    assert (r.a.name, r.b.name) == ("old", "new")
    counts = referee.count(**ARRAYS, names=("old", "new"))
    assert dict(counts.names) == {"a": "old", "b": "new"}
    assert referee.compare(counts, names=("x", "y"), audit=False).b.name == "y"
    two = referee.compare(truth=(TRUTH, TRUTH), a=OLD, b=NEW, paired=False, names=("may", "june"), audit=False)
    assert (two.a.name, two.b.name) == ("may", "june")


def test_every_verb_that_takes_arrays():
    assert referee.score(truth=TRUTH, prediction=OLD, names="mine").name == "mine"
    assert referee.score(truth=TRUTH, prediction=np.array(OLD), names=["mine"]).name == "mine"
    assert referee.audit(**ARRAYS, names=("old", "new"), sets=10, test="mcnemar").names == ("old", "new")
    assert "old" in referee.plan(**ARRAYS, names=("old", "new"), difference=0.1).to("text")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("old",), "names must be the two systems' names"),
        ("old,new", "names must be the two systems' names"),
        (("old", "new", "newer"), "names must be the two systems' names"),
        (("old", ""), "names must be the two systems' names"),
        ((1, 2), "names must be the two systems' names"),
        (("same", "same"), "names are both 'same'"),
    ],
)
def test_names_that_are_not_two(names, message):
    with pytest.raises(OptionError, match=message):
        referee.compare(**ARRAYS, names=names)


def test_one_system_has_one_name():
    with pytest.raises(OptionError, match="names must be the name of the system"):
        referee.score(truth=TRUTH, prediction=OLD, names=("old", "new"))


WON = ["gpt", "llama", "llama", "tie"] * 30


def test_names_say_which_system_of_a_winner_column_is_which():
    for first, second in (("gpt", "llama"), ("llama", "gpt")):
        r = referee.compare(winner=WON, names=(first, second), audit=False)
        assert (r.a.name, r.b.name, r.verdict) == (first, second, "b better" if second == "llama" else "a better")
        named = referee.compare({"won": WON}, winner="won", a=first, b=second, audit=False)
        assert (named.difference, named.p_value, named.a.name) == (r.difference, r.p_value, first)


def test_names_choose_the_systems_of_battles():
    battles = {"model_a": ["x", "y", "z"] * 20, "model_b": ["y", "x", "x"] * 20, "winner": ["x", "x", "z"] * 20}
    r = referee.compare(battles, winner="winner", names=("y", "x"), audit=False)
    assert (r.a.name, r.b.name, r.n, r.verdict) == ("y", "x", 40, "b better")
    with pytest.raises(InputError, match="no battle has a system called 'w'"):
        referee.compare(battles, winner="winner", names=("w", "x"), audit=False)


@pytest.mark.parametrize(
    "given",
    [
        {"winner": WON, "a": "gpt", "b": "llama"},
        {"data": {"label": TRUTH, "gpt": OLD, "llama": NEW}, "truth": "label", "a": "gpt", "b": "llama"},
        {"data": referee.count(**ARRAYS, names=("gpt", "llama"))},
    ],
)
def test_names_in_the_other_order_contradict(given):
    with pytest.raises(OptionError, match="names are the systems' own in the other order: A is 'gpt' and B is 'llama'"):
        referee.compare(**given, names=("llama", "gpt"), audit=False)
    assert referee.compare(**given, names=("gpt", "llama"), audit=False).b.name == "llama"
    assert referee.compare(**given, names=("GPT", "Llama"), audit=False).b.name == "Llama"
