"""Errors are about an argument, and name arguments as objects, so that each surface spells them in its own way."""

import ast
import inspect
import pickle
import re
from functools import cache
from pathlib import Path

import pytest

import referee
from referee.data.roles import every_option
from referee.errors import Argument, ChoiceNeeded, OptionError
from referee.studies.algorithms.folds import Undecided

PACKAGE = Path(referee.__file__).parent
TREES = {str(path.relative_to(PACKAGE)): ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")}
PUBLIC = [getattr(referee, name) for name in referee.__all__ if inspect.isfunction(getattr(referee, name))]
NAMES = {*every_option(), *(name for function in PUBLIC for name in inspect.signature(function).parameters)}
SPELT = re.compile(rf"(?<![\w:,-])({'|'.join(sorted(NAMES, key=len, reverse=True))})=(?!=)|(?<![\w-])--[a-z]")
ASSIGNING = ast.Assign | ast.AnnAssign | ast.AugAssign
MAY_BE_SPELT = {
    "data/formats/promptfoo.py": "promptfoo eval --output is a command of promptfoo",
    "studies/algorithms/estimators.py": "name=module:Class is how a model is spelt",
    "web/uploads.py": "whoever serves the page does so from the command line",
}


def called(node):
    """Return the name that a call calls, or "" for any other node."""
    return getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""


@cache
def kinds_of(*ancestors):
    """Return the classes of the package that come from these."""
    found, size = set(ancestors), 0
    while len(found) > size:
        size = len(found)
        for node in (node for tree in TREES.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
            if found & {getattr(base, "id", "") for base in node.bases}:
                found.add(node.name)
    return frozenset(found)


def assignments(body):
    """Return whatever is assigned in some statements, by the names that it is assigned to."""
    found = {}
    for node in (node for statement in body for node in ast.walk(statement) if isinstance(node, ASSIGNING)):
        targets = getattr(node, "targets", None) or [node.target]
        for name in (one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)):
            found.setdefault(name, []).extend([node.value] if node.value else [])
    return found


def calls(tree, names):
    """Yield the calls of these names, each with what the names in it may stand for."""
    constants = assignments([node for node in tree.body if isinstance(node, ASSIGNING)])
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    inside = {}
    for function in functions:  # an inner function comes after the one around it, and is the narrower place
        inside |= {id(node): function for node in ast.walk(function) if called(node) in names}
    for node in (node for node in ast.walk(tree) if called(node) in names):
        place = inside.get(id(node))
        yield node, constants | (assignments(place.body) if place else {})


def parts(node, assigned):
    """Yield all nodes below one, those of the names that it uses among them, but nothing inside an argument."""
    left, seen = [node], set()
    while left:
        one = left.pop()
        yield one
        if called(one) != "Argument":
            left += ast.iter_child_nodes(one)
        if isinstance(one, ast.Name) and one.id not in seen:
            seen.add(one.id)
            left += assigned.get(one.id, ())


def about_nothing(tree):
    """Return the lines that raise an OptionError about no argument; for a package that lacks no argument is wrong."""
    lines = set()
    for call, assigned in calls(tree, kinds_of("OptionError") - {"PackageMissing", "Undecided"}):
        nodes = list(parts(call, assigned))
        bare = any(called(node) == "Argument" and any(one.arg == "bare" for one in node.keywords) for node in nodes)
        keys = {getattr(key, "value", None) for node in nodes if isinstance(node, ast.Dict) for key in node.keys}
        if not bare and not {"argument", "arguments"} & {*keys, *(keyword.arg for keyword in call.keywords)}:
            lines.add(call.lineno)
    return sorted(lines)


def spelt(tree):
    """Return the texts in errors and messages that spell an argument."""
    found = {}
    for call, assigned in calls(tree, kinds_of("RefereeError") | {"Message", "refusal", "not_installed", "unknown"}):
        for node in parts(call, assigned):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and SPELT.search(node.value):
                found[node.lineno] = node.value
    return found


def test_an_option_error_is_about_an_argument():
    assert {module: lines for module, tree in TREES.items() if (lines := about_nothing(tree))} == {}


def test_no_message_spells_an_argument():
    others = TREES.keys() - MAY_BE_SPELT.keys()
    assert {module: places for module in others if (places := spelt(TREES[module]))} == {}


@pytest.mark.parametrize("module", MAY_BE_SPELT)
def test_every_exception_is_one(module):
    assert spelt(TREES[module]) != {}


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("raise OptionError('it is wrong')", [1]),
        ("raise OptionError('give ', Argument('alpha'))", [1]),
        ("raise OptionError(Argument('alpha', bare=True), ' is wrong')", []),
        ("raise OptionError('it is wrong', argument='alpha')", []),
        ("def f():\n    about = {'argument': 'alpha'}\n    raise OptionError('it is wrong', **about)", []),
        ("def f():\n    about = {'value': 1}\n    raise OptionError('it is wrong', **about)", [3]),
        ("def f():\n    wrong = Argument('alpha', bare=True), ' is wrong'\n    raise OptionError(*wrong)", []),
    ],
)
def test_errors_about_nothing_are_found(code, lines):
    assert about_nothing(ast.parse(code)) == lines


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("Message('give alpha=0.1')", [1]),
        ("def f():\n    remedy = f'use {x}, or --alpha'\n    raise InputError('it is wrong', remedy=remedy)", [2]),
        ("Message('give ', Argument('alpha', 'a=1'))", []),
        ("Message('a metric such as fbeta:beta=2')", []),
    ],
)
def test_spelt_arguments_are_found(code, lines):
    assert list(spelt(ast.parse(code))) == lines


@pytest.mark.parametrize(
    "error",
    [
        OptionError(Argument("alpha", bare=True), " is wrong", value=3, remedy="give another"),
        ChoiceNeeded("which is positive?", arguments={"positive": "spam"}),
        Undecided("there are several designs", [("kfold", "one run of folds")]),
    ],
)
def test_an_error_comes_back_from_another_process_as_it_was(error):
    back = pickle.loads(pickle.dumps(error))
    assert (str(back), back.argument, back.remedy) == (str(error), error.argument, error.remedy)
