"""Estimators: by name as they are given, or by their spelling, in which nothing is evaluated but literals."""

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

from referee.errors import InputError, Misfit, NameUnknown, OptionError, did_you_mean

SPELLING = "name=module:Class(argument=value)"
NAMED = re.compile(r"\s*([^=:(|]*?)\s*=(?!=)(.*)", re.DOTALL)
STEP = re.compile(r"\s*([\w.]+)\s*:\s*(\w+)\s*")
LITERALS = (
    ast.Constant,
    ast.Tuple,
    ast.List,
    ast.Set,
    ast.Dict,
    ast.UnaryOp,
    ast.USub,
    ast.UAdd,
    ast.Load,
)
PACKAGES = {
    "sklearn": "pip install 'referee[learn]'",
    "xgboost": "pip install 'referee[boost]'",
    "lightgbm": "pip install lightgbm",
    "catboost": "pip install catboost",
}
"""What installs a package that is named something else, or that comes with an extra."""
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
        RefereeError: where they are fewer than two, share a name, or are no estimators.
    """
    pairs = list(given.items()) if isinstance(given, Mapping) else _pairs(given)
    models: dict[str, Any] = {}
    for name, model in pairs:
        if not isinstance(name, str) or not name.strip():
            raise OptionError(f"an algorithm's name is a text; one is {name!r}")
        if name in models:
            raise OptionError(f"two algorithms are called {name!r}; give each a name of its own")
        _check_estimator(name, model)
        models[name] = model
    if len(models) < 2:
        there = "is 1" if models else "are 0"
        raise OptionError(f"algorithms are compared with each other: give two or more; there {there}")
    return models


def _pairs(given: Any) -> list[tuple[Any, Any]]:
    wrong = OptionError(
        f"algorithms are given as a mapping of names to estimators, {{'svm': SVC()}}; this is {type(given).__name__}"
    )
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise wrong
    for pair in given:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise wrong
    return [(name, model) for name, model in given]


def _check_estimator(name: str, model: Any) -> None:
    if isinstance(model, type):
        raise Misfit(f"the algorithm {name} is the class {model.__name__}; give an estimator: {model.__name__}()")
    lacking = [method for method in ("fit", "predict", "get_params") if not callable(getattr(model, method, None))]
    if lacking:
        raise Misfit(
            f"the algorithm {name} ({type(model).__name__}) has no {' and no '.join(lacking)}; "
            f"an estimator that follows scikit-learn's rules has fit, predict and get_params"
        )


def parse_model(text: str) -> tuple[str, Any]:
    """Build what `name=module:Class(argument=value)` spells; the name is the class's in lower case if left out.

    Steps with ` | ` between them become a pipeline.

    Args:
        text: the spelling.

    Returns:
        The name, and the estimator, not fitted.

    Raises:
        OptionError: where it is spelt otherwise, or an argument is no literal or not one of the constructor's.
        NameUnknown: where there is no such module or class.
        InputError: where the class is no scikit-learn compatible model, which is checked before it is called.
    """
    found = NAMED.fullmatch(text)
    if found and not found[1]:
        raise _misspelt(text, "the name before = is empty")
    steps = parse_steps(found[2] if found else text)
    return (found[1] if found else steps[-1].name.lower()), build(steps)


def estimator_of(text: str) -> Any:
    """Build what `module:Class(argument=value)` spells, or steps of it with ` | ` between them.

    Raises:
        RefereeError: as parse_model does.
    """
    return build(parse_steps(text))


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
        length = _call_length(rest, text) if rest.startswith("(") else 0
        positional, named = _arguments(rest[:length], text) if length else ((), ())
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
    return OptionError(f"a model is spelt {SPELLING}; {shown!r} is not: {why}")


def _not_a_path(rest: str) -> str:
    """Say why no module:Class begins here."""
    given = re.split(r"[(|]", rest.strip())[0].strip()
    if not given:
        return "a step is empty; between | and | stands module:Class"
    dotted = re.fullmatch(r"(\w+(?:\.\w+)*)\.(\w+)", given)
    if dotted:
        return f"between the module and the class stands a colon; write {dotted[1]}:{dotted[2]}"
    if re.fullmatch(r"\w+", given):
        return f"{given} is no import path; sklearn.svm:SVC is one"
    if re.fullmatch(r"\w+\s*[\s:]\s*[\w.]+:\w+", given):
        meant = "=".join(re.split(r"[:\s]+", given, maxsplit=1))
        return f"between the name and the module stands =; write {meant}"
    return f"{given!r} is no import path; sklearn.svm:SVC is one"


def _parsed(call: str) -> ast.Call | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in a text is the user's own
            found = ast.parse(f"_{call}", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return found if isinstance(found, ast.Call) else None


def _call_length(rest: str, text: str) -> int:
    """Return where the bracket closes: at the first one with which the call is whole, since texts may have brackets too."""
    ends = [match.end() for match in re.finditer(r"\)", rest)]
    for end in ends:
        if _parsed(rest[:end]):
            return end
    if not ends:
        raise _misspelt(text, "a ) is missing")
    raise _misspelt(text, f"{rest[: ends[-1]][:60]!r} cannot be read; arguments are spelt (C=10, kernel='linear')")


def _arguments(call: str, text: str) -> tuple[tuple[Any, ...], tuple[tuple[str, Any], ...]]:
    found = _parsed(call)
    if found is None:
        raise _misspelt(text, f"{call!r} cannot be read")
    if any(keyword.arg is None for keyword in found.keywords):
        raise _misspelt(text, "arguments are written out; ** is not read")
    names = [str(keyword.arg) for keyword in found.keywords]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise _misspelt(text, f"{twice[0]} is given twice")
    positional = tuple(_literal(node, f"argument {i}", text) for i, node in enumerate(found.args, 1))
    values = (_literal(keyword.value, str(keyword.arg), text) for keyword in found.keywords)
    return positional, tuple(zip(names, values, strict=True))


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
    if len(made) == 1:
        return made[0]
    pipeline = _module("sklearn.pipeline")
    return pipeline.make_pipeline(*made)


def _checked(step: Step, last: bool) -> type:
    module, path = _module(step.module), f"{step.module}:{step.name}"
    if not hasattr(module, step.name):
        raise _no_class(step, module)
    found = getattr(module, step.name)
    if not isinstance(found, type):
        raise InputError(f"a model is a class with fit, predict and get_params; {path} is a {type(found).__name__}")
    needed = ("fit", "get_params", "predict" if last else "transform")
    lacking = [name for name in needed if not callable(getattr(found, name, None))]
    if lacking:
        place = "a model" if last else "a step before the last"
        raise InputError(
            f"{place} is a scikit-learn compatible class with {', '.join(needed)}; {path} has no {' and no '.join(lacking)}"
        )
    return found


def _no_class(step: Step, module: Any) -> NameUnknown:
    known = sorted(name for name in dir(module) if not name.startswith("_") and _fits(getattr(module, name, None)))
    return NameUnknown(
        f"there is no class {step.name!r} in {step.module}{did_you_mean(step.name, known)}; its models: {', '.join(known[:40]) or 'none'}"
    )


def _fits(found: object) -> bool:
    return isinstance(found, type) and hasattr(found, "fit") and hasattr(found, "get_params")


def _module(name: str) -> Any:
    """Import a module; the current folder is searched too, as `python -m` would."""
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise _no_module(name, error.name or name) from error
    except (Exception, SystemExit) as error:
        raise NameUnknown(f"the module {name} cannot be imported: {type(error).__name__}: {error}") from error


def _no_module(name: str, missing: str) -> NameUnknown:
    """Say what to install, or which modules of the package there are."""
    package = missing.partition(".")[0]
    if missing != package:
        parent, _, last = missing.rpartition(".")
        paths = getattr(sys.modules.get(parent), "__path__", ())
        known = [found.name for found in pkgutil.iter_modules(paths) if not found.name.startswith("_")]
        return NameUnknown(f"there is no module {missing!r}{did_you_mean(last, known)}")
    needs = "" if missing == name.partition(".")[0] else f" ({name} needs it)"
    if package in PACKAGES:
        return NameUnknown(f"{package} is not installed{needs}: {PACKAGES[package]}")
    return NameUnknown(
        f"there is no module {missing!r}{needs}{did_you_mean(missing, PACKAGES)}; install its package, or start where "
        "it lies"
    )


def _constructed(cls: type, step: Step) -> Any:
    named = dict(step.named)
    parameters = _parameters(cls)
    if parameters is not None:
        strange = [name for name in named if name not in parameters]
        if strange:
            raise OptionError(
                f"{step.name} has no parameter {strange[0]!r}{did_you_mean(strange[0], parameters)}; its parameters: "
                f"{', '.join(parameters) or 'none'}"
            )
    try:
        return cls(*step.positional, **named)
    except Exception as error:
        takes = "" if parameters is None else f"; its parameters: {', '.join(parameters) or 'none'}"
        raise OptionError(
            f"{step.name} cannot be made of these arguments: {type(error).__name__}: {error}{takes}"
        ) from error


def _parameters(cls: type) -> list[str] | None:
    """Return what the constructor takes by name; None where it takes anything."""
    try:
        found = inspect.signature(cls).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in found):
        return None
    return [parameter.name for parameter in found if parameter.kind is not parameter.VAR_POSITIONAL]
