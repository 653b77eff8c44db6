"""Text: a sentence for people first, all its numbers from the result, the signature last."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_results import (
    A_BETTER,
    ALL,
    B_BETTER,
    CLOSE,
    EQUAL,
    GROUPED,
    LOWER,
    NASTY,
    NO_WORSE,
    SEVERAL,
    STRANGE,
    UNKNOWN,
    comparison,
    interval,
)

from referee.report import phrases, text
from referee.results.comparison import Comparisons, Score


def first(r):
    return " ".join(text.comparison(r).split("\n\n")[0].split())


@pytest.mark.parametrize("r", ALL.values(), ids=ALL)
def test_every_report_keeps_to_80_columns_and_ends_with_the_signature(r):
    lines = text.comparison(r).splitlines()
    assert lines[-1] == phrases.signature(r)
    assert all(len(line) <= 80 for line in lines[:-1])
    assert "nan" not in "\n".join(lines).lower().replace("resonant", "")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", "\n".join(lines))


def test_b_better():
    assert first(B_BETTER) == (
        "new is better than old: its f1 is 0.832 against 0.811. The difference (new minus old) is 0.021, with a 95% "
        "interval from 0.004 to 0.038. Were the two equally good, luck alone would give a difference like this or larger "
        "in 3.1% of such test sets (p = 0.031)."
    )


def test_a_better():
    assert first(A_BETTER).startswith(
        "old is better than new: its f1 is 0.832 against 0.811. The difference (new minus old) is -0.021"
    )


def test_too_close_says_what_could_have_been_seen():
    said = first(CLOSE)
    assert said.startswith(
        "Too close to call: these data cannot tell whether old or new has the better f1 (0.811 and 0.832)."
    )
    assert said.endswith(
        "With 1,234 examples, the smallest true difference that this test would find 4 times in 5 is 0.024."
    )


def test_margins_are_named():
    assert (
        "practically equal: their f1 is 0.811 and 0.832, and the true difference is within the margin of 0.02 either way"
        in first(EQUAL)
    )
    assert (
        "new is no worse than old: its f1 is 0.832 against 0.811, and that it is worse by more than the margin of 0.025 is ruled out"
        in first(NO_WORSE)
    )
    assert "too small to matter" not in first(EQUAL)
    assert "too small to matter" in first(comparison(verdict="practically equal", margin=0.05, p_value=0.01))


def test_lower_is_better():
    assert first(LOWER).startswith("new is better than old: its error is 0.120 against 0.150, and lower is better.")
    drawn = next(line for line in text.comparison(LOWER).splitlines() if "<" in line)
    assert drawn.index("new better") < drawn.index("[") < drawn.index("|") < drawn.index("old better")


def test_unknown_is_said():
    said = " ".join(text.comparison(UNKNOWN).split())
    assert said.startswith(
        "Too close to call: the f1 of old and new cannot be compared on these data. The warnings say why."
    )
    assert "p-value unknown" in said
    assert first(replace(UNKNOWN, warnings=())).endswith("The difference is unknown.")
    assert "(p unknown)" in first(comparison(p_value=None, verdict="too close to call"))
    assert "Warning: recall cannot be computed on these data." in said
    assert "None" not in said


def test_identical_systems():
    same = comparison(
        b=Score(name="new", score=0.8112),
        difference=0.0,
        p_value=1.0,
        interval=interval(-0.01, 0.01),
        verdict="too close to call",
    )
    assert first(same).startswith("Too close to call: old and new have the same f1 (0.811 and 0.811).")
    assert "There is nothing that luck would have to explain (p = 1)." in first(same)
    assert "Luck alone explains it (p = 1)." in first(comparison(p_value=1.0, verdict="too close to call"))


def test_one_sided_questions():
    greater = comparison(alternative="greater", verdict="too close to call", p_value=0.9)
    assert "these data do not show that new has a higher f1 than old" in first(greater)
    assert "greater: is the f1 of new higher than that of old?" in text.comparison(greater)
    less = comparison(alternative="less", verdict="too close to call", p_value=0.9)
    assert "less: is the f1 of new lower than that of old?" in text.comparison(less)


def test_the_table_says_the_rest():
    said = " ".join(text.comparison(GROUPED).split())
    for part in (
        "1,234 examples in 80 groups; design effect 1.8",
        "0.41 (monte-carlo, give or take 0.005)",
        "only old is right on 28 examples, only new on 60",
        "0.56 between the systems; assuming independence would have made the standard error 1.4 times too large",
        "in 0.3% of the draws the metric was 0/0",
        "1,234 examples in both, 3 only in old, 0 only in new; 4 dropped",
        "new was ahead in 93% of the resampled test sets",
        "a false alarm in 4.8% (give or take 0.2%)",
        "two-sided: is there any difference?",
        "Warning: there are only 12 groups; answers from fewer than 20 are shaky.",
    ):
        assert part in said


def test_scores_are_not_right_or_wrong():
    assert "old does better on 28 examples, new on 60" in text.comparison(comparison(metric="mean"))


@pytest.mark.parametrize(("inflation", "said"), [(0.8, "too small (80% of what it is)"), (1.02, "no different")])
def test_independence(inflation, said):
    assert said in " ".join(text.comparison(comparison(inflation=inflation)).split())


@pytest.mark.parametrize(
    ("p", "said"), [(0.0002, "about once in 5,000 such test sets"), (1e-12, "less than once in a million")]
)
def test_small_p_values_in_words(p, said):
    assert said in first(comparison(p_value=p))


@given(
    st.floats(-1, 1),
    st.floats(0, 1),
    st.floats(0.001, 0.3),
    st.sampled_from(["a better", "b better", "too close to call"]),
)
def test_every_number_in_the_sentence_comes_from_the_result(difference, p, half, verdict):
    r = comparison(
        a=Score(name="old", score=0.5),
        b=Score(name="new", score=0.5 + difference),
        difference=difference,
        p_value=p,
        interval=interval(difference - half, difference + half),
        verdict=verdict,
        metric="recall",
        detectable=half * 1.4,
    )
    known = [
        0.5,
        0.5 + difference,
        difference,
        difference - half,
        difference + half,
        p,
        100 * p,
        95,
        4,
        5,
        1234,
        half * 1.4,
        0.99,
    ]
    known += [1 / p] if p > 0 else [1e-300]
    known += [1]
    for found in re.findall(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?", first(r)):
        value = float(found.replace(",", ""))
        assert any(value == pytest.approx(number, rel=0.06, abs=0.5 * 10 ** -phrases.places(r)) for number in known), (
            found
        )


def test_names_from_data_cannot_do_harm():
    said = text.comparison(STRANGE)
    assert "\x1b" not in said
    assert said.count("Warning:") == 1
    assert "(A)" in first(STRANGE)
    assert "(B)" in first(STRANGE)
    assert "..." in text.comparison(comparison(a=Score(name="x" * 500, score=0.1)))
    assert NASTY not in said


@given(st.text())
def test_clean_names_have_one_line(name):
    said = phrases.clean(name)
    assert len(said.splitlines()) <= 1
    assert len(said) <= 60
    said.encode("utf-8")


def test_several():
    said = text.comparisons(SEVERAL)
    assert said.startswith("Of 2 tasks: old and new are too close to call in 1; new is better than old in 1.")
    assert "1.5e-26  3.0e-26  new better" in said
    assert said.count("shaky") == 1
    assert "Warning: de f1: german is hard." in said
    assert said.splitlines()[-2:] == [f"{r.task}: {r.signature}" for r in SEVERAL]
    assert all(len(line) <= 80 for line in said.splitlines()[:-2])


def test_several_with_strange_names_or_none():
    lower = text.comparisons(Comparisons((comparison(task="x", higher_is_better=False),)))
    assert "Lower is better in: x." in " ".join(lower.split())
    assert "\x1b" not in text.comparisons(Comparisons((STRANGE, UNKNOWN)))
    assert text.comparisons(Comparisons(())) == "There is nothing to compare."


def test_one_of_several_says_its_adjusted_p():
    assert "Adjusted for being one of several comparisons, p = 0.063." in first(SEVERAL[0])


def test_wide_signs_stay_aligned():
    r = comparison(a=Score(name="旧モデル", score=0.8112), b=Score(name="新", score=0.832))
    lines = [line for line in text.comparison(r).splitlines() if "0.8" in line and line.startswith("  ")]
    assert lines[0].index("0.811") + 4 == lines[1].index("0.832") + 1


def test_str_is_the_text():
    assert str(B_BETTER) == text.comparison(B_BETTER)
    assert str(SEVERAL) == text.comparisons(SEVERAL)
