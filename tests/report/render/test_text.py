"""Text: a sentence for people first, all its numbers from the result, the signature last."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_results import (
    A_BETTER,
    ALL,
    AUDITS,
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
from rich.cells import cell_len
from rich.console import Console

import referee
from referee.report import phrases
from referee.report.document import plain
from referee.report.documents import document_of
from referee.report.phrases import method_names
from referee.report.render import text, text_layout
from referee.results.comparison import Comparisons, Interval, Score
from referee.results.settings import Settings


def first(r):
    return " ".join(plain(document_of(r).verdict.text).split())


def all_of(r):
    return " ".join(r.to_text(verbose=True).split())


@pytest.mark.parametrize("r", ALL.values(), ids=ALL)
def test_every_report_keeps_to_80_columns_and_ends_with_the_signature(r):
    lines = str(r).splitlines()
    assert lines[-1] == phrases.signature(r.signature)
    assert all(len(line) <= 80 for line in lines[:-1])
    assert "nan" not in "\n".join(lines).lower().replace("resonant", "")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", "\n".join(lines))


def test_b_better():
    assert first(B_BETTER) == (
        '"new" is better than "old": F1 83.2% against 81.1% (+2.1 points, p = 0.031). The 95% confidence interval of the '
        "difference is +0.4 to +3.8 points. The difference is statistically significant: if the two were equally good, a "
        "difference this large or larger would occur by chance in 3.1% of test sets (p = 0.031)."
    )


def test_a_better():
    assert first(A_BETTER).startswith('"new" is worse than "old": F1 81.1% against 83.2% (−2.1 points, p = 0.031).')
    assert "new − old     −2.1\xa0points  [−3.8, −0.4]" in str(A_BETTER)


def test_a_headline_is_a_line_of_its_own():
    lines = str(B_BETTER).splitlines()
    assert lines[0].endswith("(+2.1\xa0points, p\xa0=\xa00.031).")
    assert lines[1] == ""


def test_what_is_much_the_same_every_time_is_told_if_asked():
    brief, verbose = " ".join(str(GROUPED).split()), all_of(GROUPED)
    for part in ("two-sided:", "the denominator of f1 depends", "0.56 between the systems", "(higher is better)"):
        assert part in verbose
        assert part not in brief
    one_sided = str(comparison(alternative="greater"))
    assert "greater: is the F1 of new higher than that of old?" in one_sided


def test_too_close_says_what_could_have_been_seen():
    said = first(CLOSE)
    assert said.startswith('Too close to call: "new" has F1 83.2%, "old" 81.1% (+2.1 points, p = 0.41).')
    assert "The difference is not statistically significant: if the two were equally good" in said
    assert said.endswith("At this size a true difference of 2.4 points would be detected 4 times in 5 (80% power).")


def test_a_p_value_that_the_verdict_does_not_follow_is_not_called_significant():
    assert "significant" not in first(comparison(verdict="too close to call", p_value=0.01))


def test_decimals_never_contradict_the_verdict():
    near = comparison(interval=interval(0.0002, 0.0379))
    assert "is +0.02 to +3.79 points" in first(near)
    margin = comparison(verdict="no worse", question="no-worse", margin=0.02, interval=interval(-0.0199, 0.01, 0.9))
    assert "is −1.99 to +1.00 points" in first(margin)
    close = comparison(b=Score(name="new", score=0.8114), difference=0.0002)
    assert "F1 81.14% against 81.12% (+0.02 points" in first(close)


def test_scores_that_are_no_shares_stay_decimals():
    said = first(comparison(metric="mcc"))
    assert "MCC 0.832 against 0.811 (+0.021, p = 0.031)" in said
    assert "points" not in said


def test_the_score_of_a_log_is_called_by_its_name():
    acc = comparison(metric="mean", settings=Settings(about={"score": "exact_match"}))
    assert '"new" is better than "old": exact_match 0.832 against 0.811' in first(acc)


def test_margins_are_named():
    assert first(EQUAL).startswith(
        '"new" and "old" are practically equal: F1 83.2% and 81.1% (+0.2 points, p = 0.60, margin 2 points).'
    )
    held = replace(EQUAL, margin_interval=interval(-0.008, 0.012, 0.9))
    assert "(+0.2 points, 90% interval −0.8 to +1.2 points, margin 2 points)." in first(held)
    assert first(NO_WORSE).startswith(
        '"new" is no worse than "old": F1 83.2% against 81.1% (−0.2 points, p = 0.60, margin 2.5 points).'
    )
    assert "too small to matter" not in first(EQUAL)
    assert "too small to matter" in first(comparison(verdict="practically equal", margin=0.05, p_value=0.01))


def test_lower_is_better():
    assert first(LOWER).startswith(
        '"new" is better than "old": error 12.0% against 15.0% (−3.0 points, p = 0.031, lower is better).'
    )
    drawn = next(line for line in str(LOWER).splitlines() if "<" in line)
    assert drawn.index("new better") < drawn.index("[") < drawn.index("|") < drawn.index("old better")


def test_unknown_is_said():
    said = " ".join(str(UNKNOWN).split())
    assert said.startswith(
        'Too close to call: the F1 of "new" and "old" cannot be compared on these data. The warnings say why.'
    )
    assert "p-value unknown" in all_of(UNKNOWN)
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
    assert first(same).startswith('Too close to call: "new" and "old" have the same F1, 81.1% (0.0 points, p = 1).')
    assert "There is no difference to explain (p = 1)." in first(same)
    alone = "Chance alone explains a difference like this (p = 1)."
    assert alone in first(comparison(p_value=1.0, verdict="too close to call"))


def test_one_sided_questions():
    greater = comparison(alternative="greater", verdict="too close to call", p_value=0.9)
    assert first(greater).startswith('Not shown to be higher: "new" has F1 83.2%, "old" 81.1% (+2.1 points, p = 0.90).')
    assert "a difference this high or higher would occur by chance in 90% of test sets" in first(greater)
    assert "greater: is the F1 of new higher than that of old?" in str(greater)
    less = comparison(alternative="less", verdict="too close to call", p_value=0.9)
    assert "less: is the F1 of new lower than that of old?" in str(less)


def test_the_table_says_the_rest():
    said = all_of(GROUPED)
    for part in (
        "test studentized randomization test",
        "1,234 examples in 80 groups (clustered); design effect 1.8",
        "0.41 (Monte Carlo ± 0.005)",
        "2.4 points is the minimum detectable effect at this size (80% power)",
        "only old is right on 28 examples, only new on 60",
        "0.56 between the systems; treating the systems as independent would have made the standard error 1.4 times too large",
        "in 0.3% of the draws the metric was 0/0",
        "1,234 examples in both, 3 only in old, 0 only in new; 4 dropped",
        "new was ahead in 93% of the resampled test sets",
        "a false alarm in 4.8% ± 0.2% of test sets (alpha 5%); its power is 71.0%",
        "audit sets drawn from these data, with the systems' answers exchanged at random",
        "two-sided: is there any difference?",
        "Warning: there are only 12 groups; answers from fewer than 20 are shaky.",
    ):
        assert part in said


def test_scores_are_not_right_or_wrong():
    assert "old does better on 28 examples, new on 60" in str(comparison(metric="mean"))


@pytest.mark.parametrize(
    ("inflation", "said"),
    [(0.8, "made the standard error too small (80% of what it is)"), (1.02, "not have changed the standard error")],
)
def test_independence(inflation, said):
    assert said in all_of(comparison(inflation=inflation))


@pytest.mark.parametrize(
    ("p", "said"),
    [(0.0002, "in 0.02% of test sets (p = 0.00020)"), (1e-12, "in less than 0.01% of test sets (p < 0.0001)")],
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
    shares = [0.5, 0.5 + difference, difference, -difference, difference - half, difference + half, half * 1.4, p]
    known = [*(100 * share for share in shares), p, 95, 80, 4, 5, 99, 0.99, 0.01, 0.0001, 1]
    places = phrases.scale(r).places
    for found in re.findall(r"(?<![\w.])[−+]?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?", first(r)):
        value = float(found.replace(",", "").replace("−", "-"))
        assert any(value == pytest.approx(number, rel=0.06, abs=0.5001 * 10**-places) for number in known), found


def test_names_from_data_cannot_do_harm():
    said = str(STRANGE)
    assert "\x1b" not in said
    assert said.count("Warning:") == 1
    assert "(A)" in first(STRANGE)
    assert "(B)" in first(STRANGE)
    assert "..." in str(comparison(a=Score(name="x" * 500, score=0.1)))
    assert NASTY not in said


@given(st.text())
def test_clean_names_have_one_line(name):
    said = phrases.clean(name)
    assert len(said.splitlines()) <= 1
    assert len(said) <= phrases.LONGEST
    said.encode("utf-8")


def test_several():
    said = str(SEVERAL)
    assert said.startswith(
        '"new" wins 1 task; 1 of 2 is too close to call.\n\n'
        "It gains 2.1\xa0points on de. The p-values are adjusted for 2 comparisons (Holm).\n"
    )
    rows = [line.split() for line in said.splitlines() if "▲" in line or "can't tell" in line]
    assert [row[0] for row in rows] == ["de", "en"] or [row[0] for row in rows] == ["en", "de"]
    assert "<\xa00.0001  ▲ better" in said
    assert said.count("shaky") == 1
    assert "Warning: de: german is hard." in said
    assert said.splitlines()[-1:] == [*SEVERAL.signatures]
    assert "|slices:2|" in said.splitlines()[-1]
    assert f"|n:{sum(r.n for r in SEVERAL)}|" in said.splitlines()[-1]
    assert all(len(line) <= 80 for line in said.splitlines()[:-1])


def test_several_with_strange_names_or_none():
    lower = str(Comparisons((comparison(task="x", higher_is_better=False),)))
    assert "Lower is better in: x." in " ".join(lower.split())
    assert "\x1b" not in str(Comparisons((STRANGE, UNKNOWN)))
    assert str(Comparisons(())) == "There is nothing to compare."


def test_one_of_several_says_its_adjusted_p():
    assert "(+2.1 points, adjusted p = 0.063)." in first(SEVERAL[0])
    assert "(p = 0.031; adjusted for multiple comparisons, p = 0.063)." in first(SEVERAL[0])


def test_metrics_slices_and_tasks_are_three_things():
    two = [comparison(task="f1"), comparison(metric="recall", task="recall")]
    assert first(Comparisons(two)).startswith('"new" is better by both metrics.')
    sliced = [comparison(settings=Settings(slice=name, about={"by": "lang"})) for name in ("en", "de")]
    assert first(Comparisons(sliced)).startswith('"new" is better in both slices.')
    both = [replace(one, metric=metric) for one in sliced for metric in ("f1", "recall")]
    assert first(Comparisons(both)).startswith('"new" is better in all 4 comparisons.')
    assert "wins 1 task." in first(Comparisons((comparison(task="x"),)))


def test_wide_signs_stay_aligned():
    r = comparison(a=Score(name="旧モデル", score=0.8112), b=Score(name="新", score=0.832))
    lines = [line for line in str(r).splitlines() if "8" in line and line.startswith("  ")]
    assert lines[0].index("81.1%") + 4 == lines[1].index("83.2%") + 1


def test_str_is_the_text():
    assert str(B_BETTER) == text.render(document_of(B_BETTER))
    assert str(SEVERAL) == text.render(document_of(SEVERAL))


D = [0.02, 0.01, 0.03, 0, 0.02, 0.01, 0.02, 0.03, 0.01, 0.02]
WIDE, LONG = "新しいモデル" * 8, "a-very-long-name_of/one.system:v2" * 3
WORDS = "the quick brown fox jumps over the lazy dog and on"
NAMES = {"plain": "new", "nasty": NASTY, "wide": WIDE, "long": LONG, "words": WORDS, "marks": "e\u0301a\u0308" * 25}
WIDTHS = (40, 47, 60, 80, 100)


def named(name):
    """One result of every kind in which everything has that name."""
    score = {"a": Score(name=name, score=0.8112), "b": Score(name=name, score=0.832)}
    huge = {
        "a": Score(
            name=name, score=12345678.9, interval=Interval(low=-1e8, high=1e8, level=0.95, method="bootstrap-bca")
        ),
        "b": Score(name="x", score=-87654321.1),
        "difference": -1e8,
        "interval": Interval(low=-123456789.0, high=-98765432.0, level=0.999, method="bootstrap-percentile"),
    }
    scores = {"old": [0.8] * 10, name or "?": [0.8 + x for x in D], "other": [0.8 - 2 * x for x in D]}
    fold_scores = referee.compare_scores(scores, design="kfold", n_train=9, n_test=1)
    found = [
        comparison(**score, metric=name, task=name, warnings=(name,)),
        comparison(**huge, warnings=(name * 2,)),
        replace(ALL["grouped"], **score),
        Comparisons((comparison(**score, task=name, p_adjusted=0.5), comparison(**huge, task="x", p_adjusted=0.9))),
        fold_scores,
        replace(fold_scores, metric=name),
        referee.compare_scores(scores, test="correlated-bayes", design="kfold", n_train=9, n_test=1),
    ]
    rows = [{**row, "test": name} for row in AUDITS["one"].rows]
    audits = [replace(r, names=(name, name), metric=name, population=name) for r in AUDITS.values()]
    return [*found, *audits, replace(AUDITS["one"], rows=tuple(rows), chosen=name)]


def too_long(result, width):
    blocks = [block for block in text.parts(document_of(result), width) if block.kind != "signature"]
    found = [line for block in blocks for line in block.text.splitlines()]
    assert found
    return [line for line in found if cell_len(line) > width]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_no_line_is_longer_than_the_terminal(name, width):
    for result in named(name):
        assert not too_long(result, width)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("r", [*ALL.values(), SEVERAL, *AUDITS.values()], ids=[*ALL, "several", *AUDITS])
def test_nothing_is_lost_in_a_narrow_terminal(r, width):
    assert not too_long(r, width)
    wide, narrow = (text.plain_text(document_of(r), columns) for columns in (100, width))
    assert narrow.splitlines()[-1] == wide.splitlines()[-1]
    shown = narrow.replace("\n", " ")
    for score in (r.a, r.b) if hasattr(r, "a") else ():
        if score.interval:
            assert f"{100 * score.interval.low:.1f}" in shown
            assert method_names.INTERVALS[score.interval.method] in shown
    assert shown.count("Warning:") == wide.count("Warning:")


@given(st.text(min_size=1), st.sampled_from(WIDTHS))
def test_any_name_fits(name, width):
    r = comparison(a=Score(name=name, score=0.8112), b=Score(name="new", score=0.832), task=name, warnings=(name * 5,))
    for result in (r, Comparisons((r, B_BETTER))):
        blocks = [block for block in text.parts(document_of(result), width) if block.kind != "signature"]
        assert all(text_layout.columns(line) <= width for block in blocks for line in block.text.split("\n"))


@given(st.text(alphabet="ab 新e\u0301\t-"), st.integers(6, 30))
def test_wrapping_keeps_every_sign(words, width):
    wrapped = text_layout.wrap(words, width, "  ").split("\n")
    assert "".join("".join(wrapped).split()) == "".join(words.split())
    assert all(text_layout.columns(line) <= width for line in wrapped)


def test_wrapping_by_columns_is_that_of_textwrap():
    words = "the quick brown fox jumps over the lazy dog, " + "x" * 50 + " and on it goes"
    for width in range(12, 60):
        for said in (words, f"  {words}"):
            assert text_layout._lines(said, width, "  ") == [
                line.rstrip() for line in text_layout.wrap(said, width, "  ").split("\n")
            ]


def test_80_columns_are_what_a_result_prints():
    for r in (*ALL.values(), SEVERAL, *AUDITS.values()):
        assert text.plain_text(document_of(r), 80) == str(r)
    assert text.plain_text(document_of(B_BETTER), 10) == text.plain_text(document_of(B_BETTER), 40)
    assert text.plain_text(document_of(SEVERAL), 300) == text.plain_text(document_of(SEVERAL), 120)
    with pytest.raises(TypeError, match="no report of str"):
        document_of("something else")


def ansi(result, columns=80):
    console = Console(force_terminal=True, color_system="standard", width=columns, soft_wrap=True, highlight=False)
    with console.capture() as caught:
        console.print(text.painted(document_of(result), columns))
    return caught.get()


def test_colours():
    assert ansi(B_BETTER).startswith('\x1b[1;32m"new" is better than "old"')
    assert "0.031).\x1b[0m\n\nThe 95% confidence" in ansi(B_BETTER)
    assert ansi(ALL["a better"]).startswith('\x1b[1;31m"new" is worse than "old"')
    assert ansi(ALL["close"]).startswith("\x1b[1;33mToo close to call")
    assert ansi(ALL["grouped"]).count("\x1b[33mWarning") == 1
    assert "\x1b[2mreferee 0.1.0|" in ansi(B_BETTER)
    assert "<  |  \x1b[1;32m[" in ansi(B_BETTER)
    assert ansi(SEVERAL).startswith('\x1b[1;33m"new" wins 1 task')
    assert ansi(Comparisons((B_BETTER,))).startswith("\x1b[1;32m")
    assert ansi(AUDITS["one"]).startswith("\x1b[1;32mThe default test is honest")
    assert ansi(AUDITS["sized"]).startswith("\x1b[1;32mThe default test is honest")
    broken = replace(AUDITS["one"], rows=tuple({**row, "false_alarm": 0.2} for row in AUDITS["one"].rows))
    assert ansi(broken).startswith("\x1b[1;31mThe default test raises too many")


def test_colours_change_no_sign():
    for r in (*ALL.values(), SEVERAL, *AUDITS.values()):
        for columns in WIDTHS:
            assert text.painted(document_of(r), columns).plain == text.plain_text(document_of(r), columns)


def test_a_narrow_terminal_has_its_drawing():
    narrow = text.plain_text(document_of(B_BETTER), 40)
    drawn = [line for line in narrow.splitlines() if "[-" in line]
    assert len(drawn) == 1
    assert narrow.splitlines()[narrow.splitlines().index(drawn[0]) + 1].index("0") == drawn[0].index("|")
    assert "old better" in narrow
    assert len(max(text.plain_text(document_of(B_BETTER), 100).splitlines()[:-1], key=len)) > 80
