"""Estimators: given as objects by name, or by a spelling in which nothing but literals is evaluated."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee.errors import Argument, InputError, Misfit, NameUnknown, OptionError, did_you_mean

MODEL = "model"
"""The option of the command line whose values are spelt so."""
SPELLING = "name=module:Class(argument=value)"
NAMED = re.compile(r"\s*([^=:(|]*?)\s*=(?!=)(.*)", re.DOTALL)
STEP = re.compile(r"\s*([\w.]+)\s*:\s*(\w+)\s*")
LITERALS = (ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.UnaryOp, ast.USub, ast.UAdd, ast.Load)
OTHERS = {"lightgbm": "lightgbm", "catboost": "catboost"}
PACKAGES = {"sklearn": "'referee[learn]'", "xgboost": "'referee[boost]'", **OTHERS}
"""What pip installs a package by that is named something else, or that comes with an extra."""
LONGEST = 10_000
SHOWN = 120


@dataclass(frozen=True)
class Step:
    """One constructor, still uncalled."""

    module: str
    name: str
    positional: tuple[Any, ...] = ()
    named: tuple[tuple[str, Any], ...] = ()


def algorithms_of(given: Any) -> dict[str, Any]:
    """Return the algorithms by name.

    Args:
        given: a mapping of names to estimators, or pairs of both.

    Raises:
        RefereeError: if they are fewer than two, share a name, or are no estimators.
    """
    pairs = list(given.items()) if isinstance(given, Mapping) else given
    listed = isinstance(pairs, Sequence) and not isinstance(pairs, str)
    if not listed or not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
        mapping = " are given as a mapping of names to estimators, {'svm': SVC()}; this is "
        raise OptionError(Argument("algorithms", bare=True), mapping, type(given).__name__, value=given)
    models: dict[str, Any] = {}
    for name, model in pairs:
        if not isinstance(name, str) or not name.strip():
            raise OptionError(f"an algorithm's name is a text; one is {name!r}", argument="algorithms", value=name)
        if name in models:
            twice, remedy = f"two algorithms are called {name!r}", "give each a name of its own"
            raise OptionError(twice, argument="algorithms", value=name, remedy=remedy)
        _check_estimator(name, model)
        models[name] = model
    if len(models) < 2:
        few = f" are compared with each other: give two or more; there {'is 1' if models else 'are 0'}"
        raise OptionError(Argument("algorithms", bare=True), few, value=given)
    return models


def _check_estimator(name: str, model: Any) -> None:
    about = {"argument": "algorithms", "value": model}
    if isinstance(model, type):
        remedy = f"give an estimator: {model.__name__}()"
        raise Misfit(f"the algorithm {name} is the class {model.__name__}", **about, remedy=remedy)
    lacking = [method for method in ("fit", "predict", "get_params") if not callable(getattr(model, method, None))]
    if lacking:
        unlike = f"the algorithm {name} ({type(model).__name__}) has no {' and no '.join(lacking)}"
        remedy = "an estimator that follows scikit-learn's rules has fit, predict and get_params"
        raise Misfit(unlike, **about, remedy=remedy)


def parse_model(text: str) -> tuple[str, Any]:
    """Build what `name=module:Class(argument=value)` spells; the name is the class's in lower case if left out.

    Steps with ` | ` between them become a pipeline.

    Args:
        text: the spelling.

    Returns:
        The name, and the estimator, not fitted.

    Raises:
        OptionError: if it is spelt otherwise, or an argument is no literal or not one of the constructor's.
        NameUnknown: if there is no such module or class.
        InputError: if the class is no scikit-learn compatible model, which is checked before it is called.
    """
    found = NAMED.fullmatch(text)
    if found and not found[1]:
        raise _misspelt(text, "the name before = is empty")
    steps = parse_steps(found[2] if found else text)
    return (found[1] if found else steps[-1].name.lower()), build(steps)


def parse_steps(text: str) -> list[Step]:
    """Take a spelling apart, and import nothing.

    >>> parse_steps("sklearn.svm:SVC(C=10, kernel='linear')")
    [Step(module='sklearn.svm', name='SVC', positional=(), named=(('C', 10), ('kernel', 'linear')))]
    """
    if len(text) > LONGEST:
        raise _misspelt(text, f"it is longer than {LONGEST:,} characters")
    steps, rest = [], text
    while True:
        path = STEP.match(rest)
        if not path or not all(part.isidentifier() for part in [*path[1].split("."), path[2]]):
            raise _misspelt(text, _not_a_path(rest))
        rest = rest[path.end() :]
        length, positional, named = _arguments(rest, text) if rest.startswith("(") else (0, (), ())
        steps.append(Step(path[1], path[2], positional, named))
        rest = rest[length:].strip()
        if not rest:
            return steps
        if rest.startswith((".", ":")):
            raise _misspelt(
                text, "between the name and the module stands =, between the module and the class one colon"
            )
        if not rest.startswith("|"):
            raise _misspelt(text, f"after {path[2]} comes {rest[:20]!r}; steps have | between them")
        rest = rest[1:]


def _misspelt(text: str, why: str) -> OptionError:
    shown = text if len(text) <= SHOWN else text[:SHOWN] + "..."
    return OptionError(f"a model is spelt {SPELLING}; {shown!r} is not: {why}", argument=MODEL, value=text)


def _not_a_path(rest: str) -> str:
    """Say why no module:Class begins here."""
    given = re.split(r"[(|]", rest.strip())[0].strip()
    if not given:
        return "a step is empty; between | and | stands module:Class"
    dotted = re.fullmatch(r"(\w+(?:\.\w+)*)\.(\w+)", given)
    if dotted:
        return f"between the module and the class stands a colon; write {dotted[1]}:{dotted[2]}"
    if re.fullmatch(r"\w+\s*[\s:]\s*[\w.]+:\w+", given):
        meant = "=".join(re.split(r"[:\s]+", given, maxsplit=1))
        return f"between the name and the module stands =; write {meant}"
    shown = given if re.fullmatch(r"\w+", given) else repr(given)
    return f"{shown} is no import path; sklearn.svm:SVC is one"


def _parsed(call: str) -> ast.Call | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in a text is the user's own
            found = ast.parse(f"_{call}", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return found if isinstance(found, ast.Call) else None


def _arguments(rest: str, text: str) -> tuple[int, tuple[Any, ...], tuple[tuple[str, Any], ...]]:
    """Return where the bracket closes, and the arguments in it.

    It closes at the first one with which the call is whole, since texts may have brackets too.
    """
    ends = [match.end() for match in re.finditer(r"\)", rest)]
    length, call = next(((end, call) for end in ends if (call := _parsed(rest[:end]))), (0, None))
    if not ends:
        raise _misspelt(text, "a ) is missing")
    if call is None:
        raise _misspelt(text, f"{rest[: ends[-1]][:60]!r} cannot be read; arguments are spelt (C=10, kernel='linear')")
    if any(keyword.arg is None for keyword in call.keywords):
        raise _misspelt(text, "arguments are written out; ** is not read")
    names = [str(keyword.arg) for keyword in call.keywords]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise _misspelt(text, f"{twice[0]} is given twice")
    positional = tuple(_literal(node, f"argument {i}", text) for i, node in enumerate(call.args, 1))
    named = tuple((str(word.arg), _literal(word.value, str(word.arg), text)) for word in call.keywords)
    return length, positional, named


def _literal(node: ast.expr, what: str, text: str) -> Any:
    """Return the value of a literal: nothing else is ever evaluated."""
    hint = f"; put text in quotes: {node.id!r}" if isinstance(node, ast.Name) else ""
    try:
        if all(isinstance(part, LITERALS) for part in ast.walk(node)):
            return ast.literal_eval(node)
        shown = ast.unparse(node)[:60]
    except (ValueError, TypeError, RecursionError, MemoryError):
        shown = "what was given"
    raise _misspelt(
        text,
        f"{what} must be a number, a text in quotes, True, False, None, or a list, tuple, set or dict of these; it is {shown}{hint}",
    )


def build(steps: list[Step]) -> Any:
    """Import the classes, check all of them, and only then call them; several make a pipeline.

    Raises:
        RefereeError: as parse_model does.
    """
    classes = [_checked(step, last=step is steps[-1]) for step in steps]
    made = [_constructed(cls, step) for cls, step in zip(classes, steps, strict=True)]
    return made[0] if len(made) == 1 else _module("sklearn.pipeline").make_pipeline(*made)


def _checked(step: Step, last: bool) -> type:
    module, path = _module(step.module), f"{step.module}:{step.name}"
    if not hasattr(module, step.name):
        public = {name: getattr(module, name, None) for name in sorted(dir(module)) if not name.startswith("_")}
        known = [name for name, own in public.items() if isinstance(own, type) and {"fit", "get_params"} <= {*dir(own)}]
        lacking = f"there is no class {step.name!r} in {step.module}{did_you_mean(step.name, known)}"
        remedy = f"its models: {', '.join(known[:40]) or 'none'}"
        raise NameUnknown(lacking, argument=MODEL, value=path, remedy=remedy)
    cls = getattr(module, step.name)
    if not isinstance(cls, type):
        raise InputError(f"a model is a class with fit, predict and get_params; {path} is a {type(cls).__name__}")
    needed = ("fit", "get_params", "predict" if last else "transform")
    without = [name for name in needed if not callable(getattr(cls, name, None))]
    if without:
        place = "a model" if last else "a step before the last"
        raise InputError(
            f"{place} is a scikit-learn compatible class with {', '.join(needed)}; {path} has no {' and no '.join(without)}"
        )
    return cls


def _module(name: str) -> Any:
    """Import a module; the current folder is searched too, as `python -m` would."""
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise _no_module(name, error.name or name) from error
    except (Exception, SystemExit) as error:
        broken = f"the module {name} cannot be imported: {type(error).__name__}: {error}"
        raise NameUnknown(broken, argument=MODEL, value=name) from error


def _no_module(name: str, missing: str) -> NameUnknown:
    """Say what to install, or which modules of the package there are."""
    package = missing.partition(".")[0]
    if missing != package:
        parent, _, last = missing.rpartition(".")
        paths = getattr(sys.modules.get(parent), "__path__", ())
        known = [found.name for found in pkgutil.iter_modules(paths) if not found.name.startswith("_")]
        return NameUnknown(f"there is no module {missing!r}{did_you_mean(last, known)}", argument=MODEL, value=name)
    needs = "" if missing == name.partition(".")[0] else f" ({name} needs it)"
    lacking = f"there is no module {missing!r}{needs}{did_you_mean(missing, PACKAGES)}"
    remedy = "install its package, or start where it lies"
    if package in PACKAGES:
        lacking, remedy = f"{package} is not installed{needs}", f"install it: pip install {PACKAGES[package]}"
    return NameUnknown(lacking, argument=MODEL, value=name, remedy=remedy)


def _constructed(cls: type, step: Step) -> Any:
    parameters = _parameters(cls)
    about = {"argument": MODEL, "value": f"{step.module}:{step.name}"}
    known = None if parameters is None else f"its parameters: {', '.join(parameters) or 'none'}"
    strange = None if parameters is None else next((name for name, _ in step.named if name not in parameters), None)
    if strange is not None:
        lacking = f"{step.name} has no parameter {strange!r}{did_you_mean(strange, parameters or ())}"
        raise OptionError(lacking, **about, remedy=known)
    try:
        return cls(*step.positional, **dict(step.named))
    except Exception as error:
        unmade = f"{step.name} cannot be made of these arguments: {type(error).__name__}: {error}"
        raise OptionError(unmade, **about, remedy=known) from error


def _parameters(cls: type) -> list[str] | None:
    """Return what the constructor takes by name; None where it takes anything."""
    try:
        parameters = inspect.signature(cls).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return [parameter.name for parameter in parameters if parameter.kind is not parameter.VAR_POSITIONAL]
