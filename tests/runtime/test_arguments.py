"""Arguments: a call that does not fit says what does."""

from __future__ import annotations

import inspect

import pytest

import referee
from referee.errors import CallError, RefereeError
from referee.runtime.arguments import ELSEWHERE, fitting

PUBLIC = [name for name in referee.__all__ if inspect.isfunction(getattr(referee, name))]
LABELS = {"truth": [1, 0, 1, 1], "a": [1, 0, 0, 1], "b": [1, 1, 1, 1]}


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_function_knows_its_arguments(name):
    function = getattr(referee, name)
    known = list(inspect.signature(function).parameters)
    misspelt = known[-1] + "x"
    with pytest.raises(
        CallError, match=rf"^{name}\(\) has no argument '{misspelt}' \(did you mean .*'{known[-1]}'"
    ) as error:
        function(**{misspelt: 1})
    assert isinstance(error.value, RefereeError)
    assert isinstance(error.value, TypeError)
    assert error.value.__suppress_context__


def test_the_functions_are_all_there():
    assert {"compare", "count", "read", "audit", "compare_algorithms", "compare_scores", "adjust"} <= set(PUBLIC)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("groups", "'group'"),
        ("y_true", "'truth'"),
        ("truths", "'truth'"),
        ("y_pred", "'a' or 'b'"),
        ("metrics", "'metric'"),
        ("tests", "'test'"),
        ("seed", "'rng'"),
        ("random_state", "'rng'"),
        ("stratify", "'stratum'"),
        ("pos_label", "'positive'"),
        ("n_jobs", None),
    ],
)
def test_names_of_other_libraries(given, meant):
    with pytest.raises(CallError) as error:
        referee.compare(**LABELS, **{given: 1})
    hint = "" if meant is None else f" (did you mean {meant}?)"
    assert str(error.value).startswith(f"compare() has no argument '{given}'{hint}; its arguments: data, truth, a, b, ")


def test_several_at_once():
    with pytest.raises(
        CallError, match=r"no arguments 'y_true' \(did you mean 'truth'\?\) and 'seed' \(did you mean 'rng'"
    ):
        referee.compare(y_true=[1], seed=1)


def test_weights_by_the_name_of_other_libraries():
    with pytest.raises(CallError, match=r"no argument 'sample_weight' \(did you mean 'weight'\?\)"):
        referee.compare(**LABELS, sample_weight=[1, 2, 1, 1])
    with pytest.raises(CallError, match="examples are not weighted here; its arguments"):
        referee.compare_algorithms({}, [], [], sample_weight=[])


def test_values_without_a_name():
    with pytest.raises(
        CallError,
        match=r"compare\(\) takes only data without a name, and 3 values have none; name them, as in compare\(truth=",
    ):
        referee.compare([1], [1], [0])
    with pytest.raises(CallError, match=r"audit_algorithms\(\) takes all by name, and 1 value has none; name it"):
        referee.audit_algorithms(3)
    with pytest.raises(CallError, match=r"compare_algorithms\(\) needs X and y"):
        referee.compare_algorithms({})
    with pytest.raises(CallError, match="multiple values for argument 'data'"):
        referee.compare([1], data=[1])


def test_errors_of_the_body_are_its_own():
    @fitting
    def add(first, second=0):
        return first + second

    with pytest.raises(TypeError, match="unsupported operand") as error:
        add(1, "x")
    assert not isinstance(error.value, RefereeError)
    assert add(1, second=2) == 3


def test_hints_name_arguments_that_exist():
    known = {name for one in PUBLIC for name in inspect.signature(getattr(referee, one)).parameters}
    assert set(ELSEWHERE) <= known
