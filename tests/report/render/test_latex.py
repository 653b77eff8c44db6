"""LaTeX: what a paper can take as it is."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_results import ALL, AUDITS, B_BETTER, CLOSE, SEVERAL, STRANGE, comparison

import referee
from referee.report.render import latex
from referee.results.comparison import Comparisons, Score

COMMANDS = r"\\(?:textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar|textasciigrave|char34)\{\}"
STANDINGS = referee.compare_scores({"a": [0.8] * 10, "b": [0.8, 0.9] * 5}, design="kfold", n_train=9, n_test=1)


def balanced(text):
    depth = 0
    for sign in re.findall(r"\\.|[{}]", text):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if depth < 0:
            return False
    return depth == 0


@pytest.mark.parametrize("r", ALL.values(), ids=ALL)
def test_whole(r):
    said = r.to_latex()
    assert said.startswith("% referee")
    rest = "\n".join(line for line in said.splitlines() if not line.startswith("%"))
    assert balanced(rest)
    assert len(re.findall(r"(?<!\\)\$", rest)) % 2 == 0
    assert not re.search(r"(?<!\\)[#%]", rest)
    table = rest[rest.index(r"\midrule") : rest.index(r"\bottomrule")].splitlines()[1:]
    assert all(len(re.findall(r"(?<!\\)&", line)) == 2 and line.endswith(r"\\") for line in table)


def test_sentence():
    said = B_BETTER.to_latex()
    assert (
        r"\emph{new} is better than \emph{old}: F1 83.2\% against 81.1\% (difference new minus old $+2.1$~points, 95\% confidence "
        r"interval $[+0.4, +3.8]$, $p = 0.031$, studentized randomization test; 1,234 examples)."
    ) in said
    assert "$p < 0.0001$" in comparison(p_value=1.5e-26).to_latex()
    assert "$[-1.0, +5.2]$" in CLOSE.to_latex()


@given(st.text())
def test_escaping(name):
    said = latex.escape(name)
    assert balanced(said)
    signs = "|".join(re.escape(f"${spelled}$") for spelled in latex.SIGNS.values())
    bare = re.sub(COMMANDS, "", re.sub(signs, "", said))
    bare = re.sub(r"\{[\[\]*]\}|-\{\}|\\[{}#$%&_]", "", bare)
    bare = bare.replace("~", "", name.count("\xa0"))  # where no line is broken
    assert not re.search(r"[\\{}#$%&_~^<>|\"`\[\]*]", bare)
    assert "--" not in said


def test_a_row_cannot_begin_with_a_star_or_a_bracket():
    said = comparison(a=Score(name="*", score=0.1), b=Score(name="[2pt]", score=0.2)).to_latex()
    assert "\n{*} & " in said
    assert "\n{[}2pt{]} & " in said


@pytest.mark.parametrize(
    "r", [B_BETTER, SEVERAL, AUDITS["one"], STANDINGS], ids=["one", "several", "audit", "standings"]
)
def test_tables_say_which_package_they_need(r):
    said = r.to_latex()
    tables = said.count(r"\begin{tabular}")
    assert tables
    assert said.count("% needs \\usepackage{booktabs}\n\\begin{tabular}") == tables


def test_several():
    said = SEVERAL.to_latex()
    assert r"$< 0.0001$ & $< 0.0001$ & better \\" in said
    assert said.startswith("% referee 0.1.0|metric:f1|")
    assert Comparisons((STRANGE, STRANGE)).to_latex().count("warning") == 1
    assert Comparisons(()).to_latex() == "There is nothing to compare.\n"
