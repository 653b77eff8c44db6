"""LaTeX: what a paper can take as it is."""

import re
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_results import ALL, AUDITS, B_BETTER, CLOSE, SEVERAL, STRANGE, comparison

import referee
from referee.report.render import latex
from referee.results.comparison import Comparisons, Score
from tests.latex import REASON, executable

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
    bare = re.sub(r"\{[\[\]*]\}|-\{\}|\\[{}#$%&_]|\\allowbreak\{\}", "", bare)
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


def long_tasks():
    names = [f"leaderboard_musr_murder_mysteries_with_chain_of_thought_prompting_and_suffix_{i}" for i in range(6)]
    systems = [f"meta-llama/Meta-Llama-3.1-70B-Instruct-{kind}-2026-11-01-temperature-0.0" for kind in ("base", "dpo")]
    n = 240
    return referee.compare(
        truth=[1] * n, a=[int(i % 3 > 0) for i in range(n)], b=[int(i % 4 > 0) for i in range(n)],
        by=[names[i % 6] for i in range(n)], metric="accuracy", names=systems, audit=False,
    )  # fmt: skip


def test_a_table_is_a_paragraph_of_its_own_and_names_in_it_fold():
    said = long_tasks().to_latex()
    assert said.count("\\begin{center}") == said.count("\\end{center}") == 2
    assert (
        "\\par}\n\n\\begin{center}\n" in said
        and "\\end{center}\n\n\\noindent Over all slices:\n\\begin{center}\n" in said
    )
    assert "..." not in said and re.search(r"\\begin\{tabular\}\{p\{[\d.]+cm\}", said)
    assert r"leaderboard\_\allowbreak{}musr" in said


@pytest.mark.skipif(executable() is None, reason=REASON)
def test_long_names_stay_on_the_page(tmp_path):
    for result in (long_tasks(), SEVERAL):
        whole = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n%s\\end{document}\n"
        (tmp_path / "paper.tex").write_text(whole % result.to_latex())
        command = [executable(), "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
        assert "Overfull" not in done.stdout
