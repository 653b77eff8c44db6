"""Terminals: no line but the signature is longer than they are wide, whatever the data are called; colours say the verdict."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_results import ALL, AUDITS, B_BETTER, NASTY, SEVERAL, comparison
from rich.cells import cell_len
from rich.console import Console

import referee
from referee.report import layout, terminal
from referee.results.comparison import Comparisons, Interval, Score

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
    blocks = [block for block in terminal.blocks_of(result, width) if block.kind != "signature"]
    lines = [line for block in blocks for line in block.text.splitlines()]
    assert lines
    return [line for line in lines if cell_len(line) > width]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_no_line_is_longer_than_the_terminal(name, width):
    for result in named(name):
        assert not too_long(result, width)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("r", [*ALL.values(), SEVERAL, *AUDITS.values()], ids=[*ALL, "several", *AUDITS])
def test_nothing_is_lost_in_a_narrow_terminal(r, width):
    assert not too_long(r, width)
    wide, narrow = (terminal.plain(r, columns) for columns in (100, width))
    assert narrow.splitlines()[-1] == wide.splitlines()[-1]
    shown = narrow.replace("\n", " ")
    for score in (r.a, r.b) if hasattr(r, "a") else ():
        if score.interval:
            assert f"{score.interval.low:.3f}" in shown
            assert score.interval.method in shown
    assert shown.count("Warning:") == wide.count("Warning:")


@given(st.text(min_size=1), st.sampled_from(WIDTHS))
def test_any_name_fits(name, width):
    r = comparison(a=Score(name=name, score=0.8112), b=Score(name="new", score=0.832), task=name, warnings=(name * 5,))
    for result in (r, Comparisons((r, B_BETTER))):
        blocks = [block for block in terminal.blocks_of(result, width) if block.kind != "signature"]
        assert all(layout.columns(line) <= width for block in blocks for line in block.text.split("\n"))


@given(st.text(alphabet="ab 新e\u0301\t-"), st.integers(6, 30))
def test_wrapping_keeps_every_sign(text, width):
    lines = layout.wrap(text, width, "  ").split("\n")
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(layout.columns(line) <= width for line in lines)


def test_wrapping_by_columns_is_that_of_textwrap():
    words = "the quick brown fox jumps over the lazy dog, " + "x" * 50 + " and on it goes"
    for width in range(12, 60):
        for text in (words, f"  {words}"):
            assert layout._lines(text, width, "  ") == [
                line.rstrip() for line in layout.wrap(text, width, "  ").split("\n")
            ]


def test_80_columns_are_what_a_result_prints():
    for r in (*ALL.values(), SEVERAL, *AUDITS.values()):
        assert terminal.plain(r, 80) == str(r)
    assert terminal.plain(B_BETTER, 10) == terminal.plain(B_BETTER, 40)
    assert terminal.plain(B_BETTER, 300) == terminal.plain(B_BETTER, 100)
    assert terminal.plain("something else", 80) == "something else"


def ansi(result, columns=80):
    console = Console(force_terminal=True, color_system="standard", width=columns, soft_wrap=True, highlight=False)
    with console.capture() as caught:
        console.print(terminal.painted(result, columns))
    return caught.get()


def test_colours():
    assert ansi(B_BETTER).startswith("\x1b[1;32mnew is better than old")
    assert "against 0.811.\x1b[0m The difference" in ansi(B_BETTER)
    narrow = terminal.painted(B_BETTER, 40)
    lead = next(span for span in narrow.spans if span.style == "bold green")
    assert narrow.plain[lead.start : lead.end].split()[-2:] == ["against", "0.811."]
    assert ansi(ALL["a better"]).startswith("\x1b[1;31mold is better than new")
    assert ansi(ALL["close"]).startswith("\x1b[1;33mToo close to call")
    assert ansi(ALL["grouped"]).count("\x1b[33mWarning") == 1
    assert "\x1b[2mreferee 0.1.0|" in ansi(B_BETTER)
    assert "<  |  \x1b[1;32m[" in ansi(B_BETTER)
    assert ansi(SEVERAL).startswith("\x1b[1;33mOf 2 tasks")
    assert ansi(Comparisons((B_BETTER,))).startswith("\x1b[1;32m")
    assert ansi(AUDITS["one"]).startswith("\x1b[1;32mOn data like yours")
    assert ansi(AUDITS["sized"]).startswith("\x1b[1;32mOn data like yours")
    broken = replace(AUDITS["one"], rows=tuple({**row, "false_alarm": 0.2} for row in AUDITS["one"].rows))
    assert ansi(broken).startswith("\x1b[1;31mOn data like yours")


def test_colours_change_no_sign():
    for r in (*ALL.values(), SEVERAL, *AUDITS.values()):
        for columns in WIDTHS:
            assert terminal.painted(r, columns).plain == terminal.plain(r, columns)


def test_a_narrow_terminal_has_its_drawing():
    narrow = terminal.plain(B_BETTER, 40)
    drawn = [line for line in narrow.splitlines() if "[-" in line]
    assert len(drawn) == 1
    assert narrow.splitlines()[narrow.splitlines().index(drawn[0]) + 1].index("0") == drawn[0].index("|")
    assert "old better" in narrow
    assert len(max(terminal.plain(B_BETTER, 100).splitlines()[:-1], key=len)) > 80
