"""Models by their spelling: what is built, and what is refused before anything is run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

from referee.errors import InputError, NameUnknown, OptionError, RefereeError
from referee.studies.algorithms.estimators import Step, build, parse_model, parse_steps

MARKED = """
from pathlib import Path

class Mark:
    def __init__(self, *words, **more):
        Path("mark").write_text("ran")

class Silent(Mark):
    def fit(self, X, y):
        return self
    def get_params(self, deep=True):
        return {}

class Picky:
    def __init__(self, depth=3):
        if depth < 0:
            raise ValueError("depth below 0")
        self.depth = depth
    def fit(self, X, y):
        return self
    def predict(self, X):
        return X
    def get_params(self, deep=True):
        return {"depth": self.depth}

def function(*words):
    Path("mark").write_text("ran")
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "marking.py").write_text(MARKED)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "marking", raising=False)
    yield tmp_path
    sys.modules.pop("marking", None)


def test_a_name_and_literal_arguments():
    name, made = parse_model("svm=sklearn.svm:SVC(C=10, kernel='linear')")
    assert name == "svm"
    assert isinstance(made, SVC)
    assert (made.C, made.kernel) == (10, "linear")


@pytest.mark.parametrize("text", ["sklearn.svm:SVC", " sklearn.svm:SVC() ", "sklearn.svm : SVC ( )"])
def test_without_a_name_it_is_the_class_s(text):
    name, made = parse_model(text)
    assert name == "svc"
    assert isinstance(made, SVC)


def test_a_name_may_have_blanks():
    assert parse_model("my svm = sklearn.svm:SVC")[0] == "my svm"


def test_steps_become_a_pipeline():
    name, made = parse_model(
        "lr=sklearn.preprocessing:StandardScaler(with_mean=False) | sklearn.linear_model:LogisticRegression(max_iter=1000)"
    )
    assert name == "lr"
    assert isinstance(made, Pipeline)
    assert [type(step).__name__ for _, step in made.steps] == ["StandardScaler", "LogisticRegression"]
    assert made.steps[0][1].with_mean is False
    assert made.steps[1][1].max_iter == 1000
    assert parse_model("sklearn.preprocessing:StandardScaler | sklearn.svm:SVC")[0] == "svc"


def test_every_literal():
    (step,) = parse_steps(
        "m.n:C(1, -2.5e-3, +4, a='x) | y:(', b=\"=\", c=None, d=True, e=[1, (2, -3)], f={'k': [None], 0: {1}}, g=())"
    )
    assert step == Step(
        "m.n",
        "C",
        (1, -0.0025, 4),
        (
            ("a", "x) | y:("),
            ("b", "="),
            ("c", None),
            ("d", True),
            ("e", [1, (2, -3)]),
            ("f", {"k": [None], 0: {1}}),
            ("g", ()),
        ),
    )


@pytest.mark.parametrize(
    "argument",
    [
        "__import__('os').system('touch mark')",
        "open('mark', 'w')",
        "kernel",
        "os.environ",
        "f'{open(1)}'",
        "[x for x in (1, 2)]",
        "{x: 1 for x in (1, 2)}",
        "(x for x in (1, 2))",
        "lambda: 1",
        "1 if True else 2",
        "(x := 3)",
        "1 + 2",
        "2 ** 99",
        "'a' 'b'[0]",
        "not True",
        "~1",
        "1 < 2",
        "[*(1, 2)]",
        "{**{1: 2}}",
        "set()",
        "...[0]",
        "{[]: 1}",
    ],
)
def test_nothing_but_literals_is_read(here, argument):
    with pytest.raises(OptionError, match="C must be a number, a text in quotes"):
        parse_model(f"svm=sklearn.svm:SVC(C={argument})")
    assert not (here / "mark").exists()


@pytest.mark.parametrize(
    "text",
    [
        "x=os:system('touch mark')",
        "x=subprocess:Popen(['touch', 'mark'])",
        "x=builtins:eval('1')",
        'x=builtins:exec(\'open("mark", "w")\')',
        "x=pathlib:Path('mark')",
        "x=marking:Mark()",
        "x=marking:Silent()",
        "x=marking:function()",
        "x=marking:Mark() | sklearn.svm:SVC",
        "x=sklearn.svm:SVC | marking:Silent()",
        "x=sklearn.preprocessing:StandardScaler()",
        "x=sklearn.svm:SVC() | sklearn.svm:SVC()",
        "x=sklearn:svm",
    ],
)
def test_what_is_no_model_is_refused_before_it_is_called(here, text):
    with pytest.raises(InputError, match=r"class with fit, (predict and )?get_params"):
        parse_model(text)
    assert not (here / "mark").exists()


def test_a_good_step_is_not_called_where_another_is_bad(here):
    (here / "marking.py").write_text(
        MARKED + "\nclass Good(Silent):\n    def predict(self, X): ...\n    def transform(self, X): ...\n"
    )
    with pytest.raises(InputError, match="no predict"):
        parse_model("marking:Good() | sklearn.preprocessing:StandardScaler")
    assert not (here / "mark").exists()
    parse_model("marking:Good() | sklearn.svm:SVC")
    assert (here / "mark").exists()


def test_classes_in_the_current_folder_are_found(here):
    assert build(parse_steps("marking:Picky(depth=5)")).depth == 5
    assert build(parse_steps("marking:Picky(5)")).depth == 5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sklearn.svm:SVC(C=10", "a ) is missing"),
        ("svm=sklearn.svm:SVC(max iter 3)", "cannot be read"),
        ("svm=sklearn.svm.SVC", "write sklearn.svm:SVC"),
        ("svm sklearn.svm:SVC", "write svm=sklearn.svm:SVC"),
        ("svm:sklearn.svm:SVC", "between the name and the module stands ="),
        ("=sklearn.svm:SVC", "the name before = is empty"),
        ("svm==sklearn.svm:SVC", "no import path"),
        ("svm", "svm is no import path"),
        ("", "a step is empty"),
        ("svm=", "a step is empty"),
        ("sklearn.svm:SVC |", "a step is empty"),
        ("sklearn.svm:SVC() SVC", "steps have | between them"),
        ("sklearn.svm:SVC()()", "steps have | between them"),
        ("sklearn..svm:SVC", "no import path"),
        ("sklearn.svm:SVC(kernel=linear)", "put text in quotes: 'linear'"),
        ("sklearn.svm:SVC(C=1, C=2)", "C is given twice"),
        ("sklearn.svm:SVC(**{'C': 1})", "** is not read"),
        (f"sklearn.svm:SVC(C={'-' * 5000}1)", "..."),
        (f"sklearn.svm:SVC(C={'[' * 500}{']' * 500})", "cannot be read"),
        (f"sklearn.svm:SVC(C='{'x' * 20_000}')", "longer than 10,000"),
        ("sklearn.svm:SVC(C='\0')", "cannot be read"),
    ],
)
def test_misspelt(text, said):
    with pytest.raises(OptionError, match="a model is spelt name=module:Class") as caught:
        parse_model(text)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nosuchmodule:X", "there is no module 'nosuchmodule'"),
        ("skleran.svm:SVC", "did you mean 'sklearn'?"),
        ("sklearn.smv:SVC", "there is no module 'sklearn.smv' (did you mean 'svm'?)"),
        ("sklearn.svm:svc", "did you mean 'SVC'?"),
        ("sklearn.linear_model:LogisticRegresion", "did you mean 'LogisticRegression'"),
        ("sklearn.svm:Forest", "its models: LinearSVC"),
    ],
)
def test_unknown_modules_and_classes(text, said):
    with pytest.raises(NameUnknown) as caught:
        parse_model(text)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("package", "command"),
    [("xgboost", "pip install 'referee[boost]'"), ("lightgbm", "pip install lightgbm")],
)
def test_a_missing_package_says_how_to_get_it(monkeypatch, package, command):
    monkeypatch.setitem(sys.modules, package, None)  # an import of it then fails
    with pytest.raises(NameUnknown, match="not installed") as caught:
        parse_model(f"boost={package}:Classifier(n_estimators=10)")
    assert command in str(caught.value)


def test_a_module_that_needs_a_missing_package(here):
    (here / "marking.py").write_text("import nosuchpackage")
    with pytest.raises(NameUnknown, match=r"'nosuchpackage' \(marking needs it\)"):
        parse_model("marking:X")


@pytest.mark.parametrize("trouble", ["1/0", "raise SystemExit(3)", "def ("])
def test_a_module_that_fails(here, trouble):
    Path("marking.py").write_text(trouble)
    with pytest.raises(NameUnknown, match="the module marking cannot be imported"):
        parse_model("marking:X")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sklearn.svm:SVC(c=1)", "SVC has no parameter 'c' (did you mean 'C'?); its parameters: C, kernel"),
        ("sklearn.svm:SVC(1)", "its parameters: C, kernel"),
        ("sklearn.ensemble:VotingClassifier", "estimators"),
        ("marking:Picky(depth=-1)", "Picky cannot be made of these arguments: ValueError: depth below 0"),
    ],
)
def test_arguments_that_the_constructor_refuses(here, text, said):
    with pytest.raises(OptionError) as caught:
        parse_model(text)
    assert said in str(caught.value)


def test_every_error_is_ours():
    for text in ("a=b=c", "a:b:c", "(", ")", "|", "'", "a=b:c(d", "\\", "a:b(\n)", "é:ü", "a=1:2"):
        with pytest.raises(RefereeError):
            parse_model(text)


def test_the_model_is_not_fitted_and_new_each_time():
    first, second = (build(parse_steps("sklearn.linear_model:LogisticRegression(C=0.5)")) for _ in range(2))
    assert first is not second
    assert isinstance(first, LogisticRegression)
    assert not hasattr(first, "coef_")
